//! Files of formats that are not read: the error says what they are and what to do.

use crate::program::over_a;

#[test]
fn compressed_files_are_to_be_decompressed() {
    for (bytes, words) in [
        (&b"\x1f\x8b\x08\x08\x96\x60\x08\x6b"[..], ["gzip", "gzip -dk"]),
        (b"\x28\xb5\x2f\xfd\x24\x0c\x61\x00", ["zstd", "zstd -d"]),
        (b"\xfd7zXZ\0\0\x04", ["xz", "xz -dk"]),
        (b"BZh91AY&SY\x01", ["bzip2", "bzip2 -dk"]),
        (b"\x04\x22\x4d\x18\x64\x40", ["lz4", "lz4 -d"]),
    ] {
        if cfg!(feature = "compressed") && ["gzip", "zstd"].contains(&words[0]) {
            continue; // read here, or refused as damaged
        }
        // Whatever the name says.
        for name in ["csv", "csv.gz", "npy", "parquet", "bin"] {
            over_a(name, bytes, &[]).refused(2, &words);
            over_a(name, bytes, &["--column", "x"]).refused(2, &words);
        }
    }
    over_a("csv.br", b"\x0b\x05\x80a,x", &["--column", "x"]).refused(2, &["Brotli", "brotli -d"]);
}

#[test]
fn text_in_another_encoding_is_to_be_converted() {
    let utf16 = |to_bytes: fn(u16) -> [u8; 2], text: &str| -> Vec<u8> {
        text.encode_utf16().flat_map(to_bytes).collect()
    };
    for (bytes, encoding) in [
        (utf16(u16::to_le_bytes, "\u{feff}a,x\n1,2\n"), "iconv -f UTF-16 "),
        (utf16(u16::to_be_bytes, "\u{feff}a,x\n1,2\n"), "iconv -f UTF-16 "),
        (utf16(u16::to_le_bytes, "a,x\n1,2\n"), "iconv -f UTF-16LE "),
        (utf16(u16::to_be_bytes, "a,x\n1,2\n"), "iconv -f UTF-16BE "),
        (b"\xff\xfe\0\0a\0\0\0".to_vec(), "iconv -f UTF-32 "),
    ] {
        for args in [&[][..], &["--column", "x"]] {
            over_a("csv", &bytes, args).refused(2, &["convert it", encoding]);
        }
    }
}

#[test]
fn other_formats_are_named_with_what_is_read() {
    let reads = "this build reads: .npy";
    over_a("feather", b"FEA1\0\0\0\0\0\0", &[]).refused(2, &["Feather version 1", reads]);
    over_a("h5", b"\x89HDF\r\n\x1a\n\0", &[]).refused(2, &["HDF5", reads]);
    over_a("xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", &[]).refused(2, &["Excel", reads]);
    over_a("db", b"SQLite format 3\0\x10", &[]).refused(2, &["SQLite", reads]);
    for json in ["{\"x\": [1, 2]}", " [1, 2]", "{\"x\": 1}\n{\"x\": 2}\n"] {
        over_a("json", json.as_bytes(), &[]).refused(2, &["JSON", reads]);
        over_a("ndjson", json.as_bytes(), &["--column", "x"]).refused(2, &["JSON", reads]);
    }
    let zip = |name: &str| [b"PK\x03\x04".as_slice(), &[0; 26], name.as_bytes()].concat();
    over_a("xlsx", &zip("[Content_Types].xml"), &[]).refused(2, &["workbook", "as CSV"]);
    over_a("zip", &zip("xl/workbook.xml"), &["--column", "x"]).refused(2, &["workbook", "as CSV"]);
    over_a("xlsx", &zip("anything"), &[]).refused(2, &["workbook", "as CSV"]);
    over_a("npz", &zip("x.npy"), &[]).refused(2, &["zip", ".npz", "unzip"]);
}

#[test]
fn text_that_may_be_a_table_asks_for_its_delimiter() {
    over_a("txt", b"a,x\n1,2\n", &[]).refused(2, &["text", "--delimiter"]);
    over_a("dat", b"1 2\n3 4\n", &[]).refused(2, &["text", "--delimiter"]);
    over_a("bin", b"\x01\x02\x03", &[]).refused(2, &["not a .npy file"]);
    // Names of columns that look like the beginning of another format.
    for text in ["BZh\n1\n", "FEA1\n1\n", "Obj\n1\n", "[x]\n1\n", "{x}\n1\n", "ORC\n1\n", "CDF\n1\n"] {
        assert_eq!(over_a("csv", text.as_bytes(), &["--json"]).json()["sum"]["value"], 1, "{text:?}");
    }
}
