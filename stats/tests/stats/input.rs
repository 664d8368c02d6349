//! Every kind of file that is accepted, and every kind that is refused.

use serde_json::{Value, json};

use crate::npy_bytes::{Scalar, big_vector, file, header, little, vector, with_header};
use crate::program::{json, over, over_a};

const X: [f32; 6] = [0.1, 7.5, -3.25, 7.5, -3.25, 1e-3];

/// The statistics alone, without the source.
fn results(mut report: Value) -> Value {
    let report = report.as_object_mut().expect("an object");
    for varying in ["source", "seconds", "gb_per_s"] {
        report.remove(varying).expect("documented");
    }
    Value::Object(report.clone())
}

#[test]
fn what_is_not_a_npy_file_is_refused() {
    over(b"", &[]).refused(2, &["not a .npy file"]);
    over(b"hello, world", &[]).refused(2, &["not a .npy file"]);
    over(b"\x93NUMPX\x01\x00", &[]).refused(2, &["not a .npy file"]);
    over(b"PK\x03\x04 and so on", &[]).refused(2, &["zip", ".npz", "unzip"]);
}

#[test]
fn unknown_versions_are_refused() {
    for (major, minor) in [(0, 0), (1, 1), (4, 0), (255, 255)] {
        let mut bytes = vector(&X);
        bytes[6..8].copy_from_slice(&[major, minor]);
        over(&bytes, &[]).refused(2, &[&format!("version {major}.{minor}")]);
    }
}

#[test]
fn a_file_cut_off_anywhere_is_refused() {
    let bytes = vector(&X);
    for length in 0..bytes.len() {
        let ran = over(&bytes[..length], &["--json"]);
        ran.refused(2, &[if length == 0 { "not a .npy file" } else { "cut off" }]);
    }
    over(&bytes[..bytes.len() - 1], &[])
        .refused(2, &["6 elements of float32 take 24 bytes, the file has 23"]);
}

#[test]
fn a_damaged_header_never_crashes() {
    let bytes = vector(&X);
    for place in 0..bytes.len() - size_of_val(&X) {
        for damage in [0x00, 0xff, b'{', b'9', b' '] {
            let mut bytes = bytes.clone();
            bytes[place] = damage;
            let ran = over(&bytes, &["--json"]);
            assert!(matches!(ran.code, Some(0 | 2)), "byte {place} = {damage}: {:?} {}", ran.code, ran.err);
            assert!(!ran.err.contains("panicked"), "byte {place} = {damage}: {}", ran.err);
        }
    }
}

#[test]
fn hostile_headers_are_refused_at_once() {
    let huge = |shape| file("<f4", shape, &[0; 64]);
    for shape in ["(4294967296, 4294967296, 4)", "(18446744073709551615,)", "(4611686018427387904, 1)"] {
        over(&huge(shape), &[]).refused(2, &["larger than any memory", shape]);
    }
    over(&huge("(18446744073709551616,)"), &[]).refused(2, &["damaged"]);
    over(&huge("(-1,)"), &[]).refused(2, &["negative"]);
    over(&huge("(1.5,)"), &[]).refused(2, &["integer"]);
    over(&huge("5"), &[]).refused(2, &["shape"]);
    over(&huge("(1000000000,)"), &[]).refused(2, &["cut off", "4,000,000,000 bytes"]);
    for brackets in ["(", "[", "{"] {
        over(&with_header(2, &brackets.repeat(60_000), &[]), &[]).refused(2, &["nested"]);
        over(&with_header(2, &brackets.repeat(12), &[]), &[]).refused(2, &["nested"]);
    }
    over(&with_header(2, &" ".repeat(1 << 17), &[]), &[]).refused(2, &["131,072 bytes"]);
    let mut claims_4_gib = with_header(2, "{}", &[]);
    claims_4_gib[8..12].fill(0xff);
    over(&claims_4_gib, &[]).refused(2, &["damaged"]);
    for missing in ["{}", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': False}", "[1]", "", "\u{e9}"]
    {
        over(&with_header(3, missing, &[0; 64]), &[]).refused(2, &["damaged"]);
    }
    over(&with_header(1, "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", &[0; 4]), &[])
        .refused(2, &["fortran_order"]);
}

#[test]
fn what_a_file_says_does_not_steer_the_terminal() {
    let ran = over(&with_header(3, "{'\u{1b}[31m': 1", &[]), &[]);
    ran.refused(2, &["[31m"]);
    assert!(!ran.err.contains('\u{1b}'), "{:?}", ran.err);
    let ran = over(&with_header(3, &format!("{{'a': 1, 'b{}", "x".repeat(60_000)), &[]), &[]);
    ran.refused(2, &["damaged"]);
    assert!(ran.err.len() < 1000, "{} bytes of message", ran.err.len());
}

#[test]
fn types_that_are_not_folded_are_named() {
    for descr in ["|O", "<f16", "<c8", "|S4", "<U1", "<M8[s]"] {
        over(&file(descr, "(1,)", &[0; 64]), &[]).refused(2, &[&format!("'{descr}'"), "float16 to float64"]);
    }
    over(&file("|O", "(1,)", &[0; 64]), &[]).refused(2, &["pickled"]);
    let records = "[('a', '<f4'), ('b', '<i8', (2,))]";
    over(&with_header(1, &header(1, records, false, "(1,)"), &[0; 64]), &[])
        .refused(2, &["'a'", "one field"]);
    over(&file("<f3", "(1,)", &[0; 64]), &[]).refused(2, &["damaged", "f3"]);
    for descr in ["<float32", "i4i4", "", "<", "\u{e9}"] {
        over(&file(descr, "(1,)", &[0; 64]), &[]).refused(2, &["damaged", "no type of NumPy's"]);
    }
    // What NumPy makes of ml_dtypes.bfloat16.
    over(&file("<V2", "(1,)", &[0; 64]), &[]).refused(2, &["'<V2'", "bfloat16", "--type bf16"]);
    over(&file("<V4", "(1,)", &[0; 64]), &["--type", "bf16"]).refused(2, &["'<V4'", "numpy.float32"]);
}

/// What ml_dtypes writes: 1.5, the least magnitude above 0, an infinity.
#[test]
fn bfloat16_is_read_if_it_is_named() {
    let of = |descr: &str, data: &[u8]| {
        over(&file(descr, &format!("({},)", data.len() / 2), data), &["--type", "bf16", "--json"]).json()
    };
    for descr in ["<V2", "|V2"] {
        let report = of(descr, &[0xc0, 0x3f, 0x01, 0x00, 0x80, 0xff]);
        assert_eq!((&report["source"]["type"], &report["dtype"]), (&json!("bfloat16"), &json!("f32")));
        assert_eq!((&report["min"]["value"], &report["max"]["value"]), (&json!("-inf"), &json!(1.5)));
        let report = of(descr, &[0x01, 0x00]);
        assert_eq!(report["sum"]["value"], json!(2f64.powi(-133)));
    }
    over(&vector(&X), &["--type", "bf16"]).refused(2, &["'<f4'", "leave it out"]);
    over_a("csv", b"x,y\n1,2\n", &["--type", "bf16"]).refused(2, &["--type", ".npy", "leave it out"]);
}

/// Headers of other programs, which `numpy.load` reads.
#[test]
fn every_way_to_write_a_type_is_read() {
    let one = |descr: &str, data: &[u8]| {
        let ran = over(&file(descr, "(1,)", data), &["--json"]);
        let report = ran.json();
        (report["source"]["type"].clone(), report["sum"]["value"].as_f64())
    };
    for descr in ["f4", "float32", "|f4", "=f4", "f", "<f", "single"] {
        assert_eq!(one(descr, &2.5_f32.to_le_bytes()), (json!("float32"), Some(2.5)), "{descr}");
    }
    assert_eq!(one(">f", &2.5_f32.to_be_bytes()), (json!("float32"), Some(2.5)));
    for descr in ["|i2", "i2", "int16", "h", "short"] {
        assert_eq!(one(descr, &(-7_i16).to_le_bytes()), (json!("int16"), Some(-7.0)), "{descr}");
    }
    for descr in ["?", "|?", ">?", "b1", "bool"] {
        assert_eq!(one(descr, &[1]), (json!("bool"), Some(1.0)), "{descr}");
    }
    for (descr, r#type, size) in [
        ("b", "int8", 1),
        ("B", "uint8", 1),
        ("uint16", "uint16", 2),
        ("e", "float16", 2),
        ("i", "int32", 4),
        ("uintc", "uint32", 4),
        ("q", "int64", 8),
        ("uint64", "uint64", 8),
        ("float", "float64", 8),
        ("d", "float64", 8),
    ] {
        assert_eq!(one(descr, &[0_u8; 8][..size]), (json!(r#type), Some(0.0)), "{descr}");
    }
    // Python 2.
    let header = "{u'descr': u'<f4', u'fortran_order': False, u\"shape\": (2L,), }";
    let two = over(&with_header(1, header, &little(&[1.5_f32, 2.0])), &["--json"]).json();
    assert_eq!(two["sum"]["value"], 3.5);
}

/// The names of a type in .npy and in NumPy, the type that it is reduced as, elements, their sum and the least.
type Narrow<'a> = (&'a str, &'a str, &'a str, &'a [u8], Value, Value);

/// Types narrower than those that are reduced, in both byte orders, and their conversions.
#[test]
fn narrow_types_are_converted() {
    let of = |descr: &str, data: &[u8]| {
        let size = descr[2..].parse::<usize>().expect("a size");
        over(&file(descr, &format!("({},)", data.len() / size), data), &["--json"]).json()
    };
    let cases: [Narrow<'_>; 11] = [
        ("|b1", "bool", "u32", &[1, 0, 1, 1], json!(3), json!(0)),
        ("|i1", "int8", "i32", &[0x80, 0x80, 0x7f], json!(-129), json!(-128)),
        ("|u1", "uint8", "u32", &[255, 255, 3], json!(513), json!(3)),
        ("<i2", "int16", "i32", &[0x00, 0x80, 0xff, 0x7f, 0, 0x80], json!(-32_769), json!(-32_768)),
        (">i2", "int16", "i32", &[0x80, 0x00, 0x7f, 0xff, 0x80, 0], json!(-32_769), json!(-32_768)),
        ("<u2", "uint16", "u32", &[0xff, 0xff, 0x01, 0x02], json!(66_048), json!(513)),
        (">u2", "uint16", "u32", &[0xff, 0xff, 0x02, 0x01], json!(66_048), json!(513)),
        // 1.5; -2^-24, the least magnitude above 0, which f32 loses beside 1.5; and 65504, the greatest.
        ("<f2", "float16", "f32", &[0x00, 0x3e, 0x01, 0x80], json!(1.5), json!(-(2f64.powi(-24)))),
        (">f2", "float16", "f32", &[0x7b, 0xff, 0x7b, 0xff], json!(131_008.0), json!(65_504.0)),
        ("<f2", "float16", "f32", &[0x00, 0xfc, 0x00, 0x3e], json!("-inf"), json!("-inf")),
        ("<f2", "float16", "f32", &[0x01, 0x7e, 0x00, 0x3e], json!("NaN"), json!(1.5)),
    ];
    for (descr, r#type, dtype, data, sum, least) in cases {
        let report = of(descr, data);
        assert_eq!(report["source"]["type"], r#type, "{descr}");
        assert_eq!(report["dtype"], dtype, "{descr}");
        assert_eq!((&report["sum"]["value"], &report["min"]["value"]), (&sum, &least), "{descr}");
    }
    let ran = over(&file("<i2", "(2, 2)", &[1, 0, 2, 0, 3, 0, 4, 0]), &[]);
    assert!(ran.text().contains("4 i32, converted from int16, shape (2, 2), 16 bytes"), "{}", ran.out);
    let rows = over(&file("|u1", "(2, 2)", &[1, 2, 3, 4]), &["--axis", "0", "--json"]).json();
    assert_eq!((&rows["rows"][0]["sum"]["value"], &rows["rows"][1]["sum"]["value"]), (&json!(4), &json!(6)));
    over(&file("<i2", "(3,)", &[0; 5]), &[])
        .refused(2, &["3 elements of int16 take 6 bytes, the file has 5"]);
    over(&file("|u1", "(4611686018427387904,)", &[0; 5]), &[]).refused(2, &["larger than any memory"]);
    assert_eq!(json(&vector(&X))["source"]["type"], "float32");
}

#[test]
fn every_version_gives_the_same() {
    let expected = results(json(&vector(&X)));
    for major in [1, 2, 3] {
        let report = json(&with_header(major, &header(major, "'<f4'", false, "(6,)"), &little(&X)));
        assert_eq!(report["source"]["version"], format!("{major}.0"));
        assert_eq!(results(report), expected);
    }
}

#[test]
fn data_at_any_address_gives_the_same() {
    let expected = results(json(&vector(&X)));
    for padding in 0..8 {
        let header =
            format!("{{'descr': '<f4', 'fortran_order': False, 'shape': (6,)}}{}", " ".repeat(padding));
        assert_eq!(results(json(&with_header(1, &header, &little(&X)))), expected);
    }
}

fn big_endian_gives_the_same<T: Scalar>(x: &[T]) {
    let (little, big) = (json(&vector(x)), json(&big_vector(x)));
    assert_eq!(little["source"]["byte_swapped"], false);
    assert_eq!(big["source"]["byte_swapped"], true);
    assert_eq!(results(big), results(little));
}

#[test]
fn big_endian_files_are_converted() {
    big_endian_gives_the_same(&[1_i32, -70_000, 5]);
    big_endian_gives_the_same(&[1_u32, 70_000, 5]);
    big_endian_gives_the_same(&[1_i64, -70_000_000_000, 5]);
    big_endian_gives_the_same(&[1_u64, 70_000_000_000, 5]);
    big_endian_gives_the_same(&X);
    big_endian_gives_the_same(&X.map(f64::from));
}

#[test]
fn bytes_after_the_data_are_ignored_and_reported() {
    let mut bytes = vector(&X);
    let expected = results(json(&bytes));
    bytes.extend([0xff; 5]);
    let report = json(&bytes);
    assert_eq!(report["source"]["ignored_bytes"], 5);
    assert_eq!(results(report), expected);
    assert!(over(&bytes, &[]).text().contains("ignored the 5 bytes after the last element"));
}

#[test]
fn places_have_coordinates() {
    // | 3  9  1 |
    // | 4  1  9 |
    let in_rows = file("<i4", "(2, 3)", &little(&[3, 9, 1, 4, 1, 9]));
    let report = json(&in_rows);
    let one = |index: u64, order: &str, coordinates: [u64; 2], value: i32| {
        let bits = format!("{value:#010x}");
        let value = json!({"type": "i32", "value": value, "bits": bits});
        json!({"index": index, "order": order, "coordinates": coordinates, "value": value})
    };
    assert_eq!(report["argmin"], one(2, "C", [0, 2], 1));
    assert_eq!(report["argmax"], one(1, "C", [0, 1], 9));

    // The same matrix in column-major order: another 1 is the first in memory.
    let columns = little(&[3, 4, 9, 1, 1, 9]);
    let in_columns = with_header(1, &header(1, "'<i4'", true, "(2, 3)"), &columns);
    let report = json(&in_columns);
    assert_eq!(report["source"]["fortran_order"], true);
    assert_eq!(report["argmin"], one(3, "F", [1, 1], 1));
    assert_eq!(report["argmax"], one(2, "F", [0, 1], 9));
    assert!(over(&in_columns, &[]).text().contains("Fortran order"));
}

#[test]
fn fortran_order_of_a_line_is_no_order() {
    for shape in ["(6,)", "(6, 1)", "(1, 6)", "(1, 6, 1)"] {
        let report = json(&with_header(1, &header(1, "'<f4'", true, shape), &little(&X)));
        assert_eq!(report["source"]["fortran_order"], false, "{shape}");
        assert_eq!(report["argmin"]["index"], 2, "{shape}");
    }
}

#[test]
fn no_axes_hold_one_element() {
    let report = json(&file("<f4", "()", &little(&[2.5_f32])));
    assert_eq!(report["count"], 1);
    assert_eq!(report["sum"]["value"], 2.5);
    assert_eq!(report["argmax"]["coordinates"], json!([]));
    assert!(over(&file("<f4", "()", &little(&[2.5_f32])), &[]).text().contains("shape ()"));
}

#[test]
fn an_empty_axis_holds_none() {
    for shape in ["(0,)", "(0, 5)", "(5, 0)", "(18446744073709551615, 2, 0)"] {
        let report = json(&file("<f4", shape, b""));
        assert_eq!(report["count"], 0, "{shape}");
        assert_eq!(report["sum"]["bits"], "0x80000000", "{shape}");
        for none in ["min", "max", "argmin", "argmax"] {
            assert_eq!(report[none], Value::Null, "{none} of {shape}");
        }
    }
    assert!(over(&file("<i8", "(0,)", b""), &[]).text().contains("there are no elements"));
}
