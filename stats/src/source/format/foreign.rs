//! Files of formats that are not read: what they are, and what to do.

/// What this build reads.
const READ: &str = if cfg!(feature = "arrow") {
    ".npy, CSV, Parquet and Arrow IPC (Feather version 2)"
} else {
    ".npy and CSV, and with the feature `arrow` Parquet and Arrow IPC (Feather version 2)"
};

/// A file of a format that is not read.
#[derive(Debug, thiserror::Error)]
#[error("{what}: {advice}")]
pub(crate) struct Foreign {
    what: &'static str,
    advice: String,
}

/// The first bytes of compressed files: what they are, and the command.
const COMPRESSED: [(&[u8], &str, &str); 5] = [
    (&[0x1f, 0x8b], "compressed with gzip", "gzip -dk FILE"),
    (&[0x28, 0xb5, 0x2f, 0xfd], "compressed with zstd", "zstd -d FILE"),
    (&[0xfd, b'7', b'z', b'X', b'Z', 0], "compressed with xz", "xz -dk FILE"),
    (b"BZh91AY&SY", "compressed with bzip2", "bzip2 -dk FILE"),
    (&[0x04, 0x22, 0x4d, 0x18], "compressed with lz4", "lz4 -d FILE"),
];

/// The first bytes of files with numbers in another format.
const OTHERS: [(&[u8], &str); 9] = [
    (b"FEA1\0", "Feather version 1"),
    (&[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], "an Excel workbook (.xls)"),
    (b"\x89HDF\r\n\x1a\n", "HDF5"),
    (b"CDF\x01", "NetCDF"),
    (b"CDF\x02", "NetCDF"),
    (b"MATLAB 5.0 MAT-file", "a MATLAB file"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"Obj\x01", "Avro"),
    (b"ORC\x08", "ORC"),
];

/// The first bytes of text that is not in UTF-8.
const ENCODINGS: [(&[u8], &str, &str); 4] = [
    (&[0xff, 0xfe, 0, 0], "text in UTF-32", "UTF-32"),
    (&[0, 0, 0xfe, 0xff], "text in UTF-32", "UTF-32"),
    (&[0xff, 0xfe], "text in UTF-16", "UTF-16"),
    (&[0xfe, 0xff], "text in UTF-16", "UTF-16"),
];

/// The offset of a file's name in a zip archive.
const ZIPPED_NAME: usize = 30;

impl Foreign {
    /// Looks at a file's first bytes and at the extension of its name, in small letters.
    pub(super) fn of(head: &[u8], extension: &str) -> Option<Self> {
        let begins = |magic: &[u8]| head.starts_with(magic);
        let some = |what, advice| Some(Self { what, advice });
        if let Some((_, what, command)) = COMPRESSED.iter().find(|(magic, ..)| begins(magic)) {
            return some(what, {
                let read_here = ["compressed with gzip", "compressed with zstd"].contains(what);
                let build = if read_here { ", or build this program with --features compressed" } else { "" };
                format!("decompress it first: {command}{build}")
            });
        }
        if extension == "br" {
            return some(
                "compressed with Brotli, as its name says",
                "decompress it first: brotli -d FILE".into(),
            );
        }
        if let Some((_, what)) = OTHERS.iter().find(|(magic, _)| begins(magic)) {
            return some(what, convert());
        }
        if let Some((_, what, encoding)) = ENCODINGS.iter().find(|(magic, ..)| begins(magic)) {
            return some(what, iconv(encoding));
        }
        match head {
            // Letters of ASCII in two bytes each.
            [1..0x80, 0, 1..0x80, 0, ..] => return some("text in UTF-16", iconv("UTF-16LE")),
            [0, 1..0x80, 0, 1..0x80, ..] => return some("text in UTF-16", iconv("UTF-16BE")),
            _ => {}
        }
        let zipped = if begins(b"PK\x03\x04") { head.get(ZIPPED_NAME..) } else { None };
        let is_zipped = |name: &str| zipped.is_some_and(|zipped| zipped.starts_with(name.as_bytes()));
        if matches!(extension, "xlsx" | "xlsm" | "ods") && zipped.is_some()
            || ["[Content_Types].xml", "_rels/", "xl/", "docProps/", "mimetype"].into_iter().any(is_zipped)
        {
            return some("a workbook (.xlsx or .ods)", "save one of its sheets as CSV".into());
        }
        let is_json = matches!(head.trim_ascii_start(), [b'{' | b'[', ..]);
        if is_json && matches!(extension, "json" | "jsonl" | "ndjson" | "geojson") {
            return some("JSON", convert());
        }
        None
    }

    /// A text whose name does not say that it is a table.
    pub(super) fn text(head: &[u8]) -> Option<Self> {
        let is_text = |byte: &u8| !byte.is_ascii_control() || matches!(byte, b'\t' | b'\r' | b'\n');
        (!head.is_empty() && head.iter().all(is_text)).then(|| Self {
            what: "not a .npy file but text",
            advice: "if it is CSV, give its delimiter: --delimiter ',' or ';' or tab".into(),
        })
    }
}

fn convert() -> String {
    format!("convert it; this build reads: {READ}")
}

fn iconv(encoding: &str) -> String {
    format!("convert it: iconv -f {encoding} -t UTF-8 FILE > NEW.csv")
}
