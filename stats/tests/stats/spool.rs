//! Standard input, and compressed files.

use serde_json::Value;

use crate::expected::rough;
use crate::npy_bytes::vector;
use crate::program::{Ran, over_a, run_piped};

/// The results alone.
fn results(ran: &Ran) -> Value {
    let mut report = ran.json();
    for of_the_run in ["seconds", "gb_per_s", "backend", "source"] {
        report.as_object_mut().expect("an object").remove(of_the_run);
    }
    report
}

#[test]
fn standard_input_is_read_as_a_file_is() {
    let (npy, csv) = (vector(&rough(300_000)), b"a,b\n1,x\n2.5,y\n,x\n4,x\n".to_vec());
    for (extension, bytes, args) in [
        ("npy", &npy, &["--json"][..]),
        ("npy", &npy, &["--json", "--median", "--compare", "--sample"]),
        ("npy", &npy, &["--json", "--axis", "0"]),
        ("csv", &csv, &["--json", "--column", "a"]),
        ("csv", &csv, &["--json", "--column", "a", "--by", "b"]),
    ] {
        let piped = run_piped(bytes, &[&["-"], args].concat());
        assert_eq!(results(&piped), results(&over_a(extension, bytes, args)), "{args:?}");
        assert_eq!(piped.json()["source"]["path"], "-");
    }
    assert!(run_piped(&npy, &["-"]).text().starts_with("input    -: 300,000 f64"));
}

#[test]
fn wrong_standard_input_is_refused_by_its_name() {
    run_piped(b"", &["-"]).refused(2, &["-: "]);
    run_piped(b"\x93NUMPY", &["-"]).refused(2, &["-: "]);
    run_piped(&vector(&[1.0]), &["-", "--column", "a"]).refused(2, &["-: a .npy file has no columns"]);
    run_piped(&vector(&[1.0]), &["-", "--axis", "1"]).refused(2, &["-: --axis 1"]);
    run_piped(b"a\nx\n", &["-", "--column", "a"]).refused(2, &["-: ", "`x` is not a number"]);
}

#[cfg(not(feature = "compressed"))]
#[test]
fn without_the_feature_compressed_files_say_what_to_do() {
    over_a("csv.gz", b"\x1f\x8b\x08\0", &[]).refused(2, &["gzip -dk", "--features compressed"]);
    run_piped(b"\x28\xb5\x2f\xfd", &["-"]).refused(2, &["-: compressed with zstd"]);
}

#[cfg(feature = "compressed")]
mod compressed {
    use std::io::Write as _;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory")
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        zstd::encode_all(bytes, 1).expect("memory")
    }

    #[test]
    fn compressed_files_are_read_as_what_they_hold() {
        let (npy, csv) = (vector(&rough(300_000)), b"a,b\n1,x\n2.5,y\n,x\n4,x\n".to_vec());
        for (extension, bytes, args) in [
            ("npy", &npy, &["--json"][..]),
            ("csv", &csv, &["--json", "--column", "a"]),
            ("csv", &csv, &["--json", "--column", "a", "--by", "b"]),
        ] {
            let plain = results(&over_a(extension, bytes, args));
            for (ending, packed) in [("gz", gzip(bytes)), ("zst", zstd(bytes))] {
                assert_eq!(results(&over_a(&format!("{extension}.{ending}"), &packed, args)), plain);
                assert_eq!(results(&run_piped(&packed, &[&["-"], args].concat())), plain);
            }
        }
        // Several members, as `cat a.gz b.gz` makes them; one column, known by the name within.
        let members = [gzip(b"a\n1\n"), gzip(b"2\n")].concat();
        assert_eq!(over_a("csv.gz", &members, &["--json"]).json()["sum"]["value"], 3);
    }

    #[test]
    fn damaged_ones_are_refused() {
        let npy = vector(&rough(300_000));
        for (ending, packed) in [("npy.gz", gzip(&npy)), ("npy.zst", zstd(&npy))] {
            let cut = &packed[..packed.len() / 2];
            over_a(ending, cut, &[]).refused(2, &[ending, "damaged or cut off"]);
            run_piped(cut, &["-"]).refused(2, &["-: "]);
        }
    }

    /// 5 GiB of zeros would be written in about 5 seconds: they are refused once 4 GiB are.
    #[test]
    #[ignore = "writes 4 GiB"]
    fn too_great_an_expansion_is_refused() {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).expect("memory");
        let zeros = vec![0; 1 << 20];
        for _ in 0..5 << 10 {
            encoder.write_all(&zeros).expect("memory");
        }
        let packed = encoder.finish().expect("memory");
        run_piped(&packed, &["-"]).refused(2, &["-: it becomes more than 4 GiB", "--expand"]);
    }
}
