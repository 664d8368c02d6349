//! `--axis`: each row against the slow reference of that row alone, and the errors for wrong axes.

use std::time::Duration;

use serde_json::{Value, json};
use warpfold::{Mean, Op, StdDev, Sum};

use crate::expected::{Counted, holds, rough};
use crate::npy_bytes::{Scalar, file, header, little, vector, with_header};
use crate::program::{Ran, TestFile, over, over_a, run, run_in};

/// All indexes along axes of these lengths, in row-major order.
fn indexes(shape: &[u64]) -> Vec<Vec<u64>> {
    shape.iter().fold(vec![vec![]], |indexes, &length| {
        let longer = |index: &Vec<u64>| (0..length).map(|i| [&index[..], &[i]].concat()).collect::<Vec<_>>();
        indexes.iter().flat_map(longer).collect()
    })
}

fn shape_text(shape: &[u64]) -> String {
    format!("({})", shape.iter().map(|length| format!("{length},")).collect::<String>())
}

/// An array with this shape in either order. `x` has its elements in row-major order.
fn array<T: Scalar>(x: &[T], shape: &[u64], fortran: bool) -> Vec<u8> {
    let place = |index: &[u64]| index.iter().zip(shape).fold(0, |place, (i, length)| place * length + i);
    let reversed: Vec<u64> = shape.iter().rev().copied().collect();
    let in_memory: Vec<T> = match fortran {
        false => x.to_vec(),
        true => {
            let backwards = |index: Vec<u64>| index.into_iter().rev().collect::<Vec<_>>();
            indexes(&reversed).into_iter().map(|index| x[place(&backwards(index)) as usize]).collect()
        }
    };
    let head = header(1, &format!("'<{}'", T::CODE), fortran, &shape_text(shape));
    with_header(1, &head, &little(&in_memory))
}

/// Reduces along every set of axes, in both orders.
fn agrees<T: Scalar + Counted>(x: &[T], shape: &[u64])
where
    Sum: Op<T, Out = T::Wide>,
    Mean: Op<T, Out = Option<T::Mean>>,
    StdDev: Op<T, Out = Option<T::Mean>>,
{
    for (fortran, set) in
        [false, true].into_iter().flat_map(|order| (1_u32..1 << shape.len()).map(move |set| (order, set)))
    {
        let (reduced, kept): (Vec<usize>, Vec<usize>) =
            (0..shape.len()).partition(|axis| set >> axis & 1 == 1);
        let lengths = |axes: &[usize]| axes.iter().map(|&axis| shape[axis]).collect::<Vec<_>>();
        let names = reduced.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        let report = over(&array(x, shape, fortran), &["--json", "--axis", &names]).json();
        assert_eq!(report["axes"], json!(reduced));
        assert_eq!(report["shape"], json!(lengths(&kept)));
        assert_eq!(report["count"], x.len());
        let rows = report["rows"].as_array().expect("rows");
        let of_rows = indexes(&lengths(&kept));
        assert_eq!(rows.len(), of_rows.len(), "{shape:?} along {names}");
        let in_row = indexes(&lengths(&reduced));
        for (row, index) in rows.iter().zip(of_rows) {
            assert_eq!(row["coordinates"], json!(index));
            let element = |along: &Vec<u64>| {
                let mut place = 0;
                let (mut along, mut index) = (along.iter(), index.iter());
                for (axis, length) in shape.iter().enumerate() {
                    let from = if reduced.contains(&axis) { &mut along } else { &mut index };
                    place = place * length + from.next().expect("an index for each axis");
                }
                x[place as usize]
            };
            let alone: Vec<T> = in_row.iter().map(element).collect();
            holds(row, &alone, |index| (index, in_row[index as usize].clone()));
        }
    }
}

#[test]
fn a_row_has_the_bits_that_it_has_alone() {
    let of = |shape: &[u64]| rough(shape.iter().product());
    let narrow = |shape: &[u64]| of(shape).iter().map(|&x| x as f32).collect::<Vec<_>>();
    agrees(&narrow(&[3, 70, 41]), &[3, 70, 41]);
    agrees(&narrow(&[2, 3, 1, 5]), &[2, 3, 1, 5]);
    agrees(&of(&[5, 9001]), &[5, 9001]);
    agrees(&of(&[4099]), &[4099]);
    let whole: Vec<i64> = of(&[130, 65]).iter().map(|x| (x * 1e9) as i64).collect();
    agrees(&whole, &[130, 65]);
}

#[test]
fn what_is_no_number_is_skipped_in_its_row_alone() {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    agrees(&[1.0, nan, -0.0, 0.0, nan, nan, inf, -inf, 2.5], &[3, 3]);
}

#[test]
fn axes_without_elements_leave_rows_without_elements() {
    agrees::<f32>(&[], &[3, 0]);
    agrees::<i64>(&[], &[0, 2, 3]);
    let bytes = file("<f4", "(3, 0)", b"");
    let row = |args: &[&str]| over(&bytes, args).json()["rows"][0].clone();
    assert_eq!(row(&["--json", "--axis", "1"])["sum"]["bits"], "0x80000000");
    let huge = file("<f4", "(18446744073709551615, 2, 0)", b"");
    let huge_rows = over(&huge, &["--axis", "1,2"]);
    assert!(huge_rows.text().contains("18,446,744,073,709,551,615 of 0 elements each"), "{}", huge_rows.out);
    assert_eq!(over(&huge, &["--axis", "0", "--json"]).json()["rows"], json!([]));
}

/// The results alone.
#[track_caller]
fn rows_of(ran: &Ran) -> Value {
    ran.json()["rows"].clone()
}

fn rows(bytes: &[u8], args: &[&str]) -> Value {
    rows_of(&over(bytes, &[&["--json"], args].concat()))
}

/// Rows that all threads fold together, and rows that one thread folds.
#[test]
fn long_rows_have_the_bits_that_they_have_alone() {
    let x: Vec<f32> = rough(2 * 1_200_007).iter().map(|&x| x as f32).collect();
    for shape in [[2, 1_200_007], [1_200_007, 2]] {
        for fortran in [false, true] {
            let bytes = array(&x, &shape, fortran);
            let axis = if shape[0] == 2 { "1" } else { "0" };
            let report = over(&bytes, &["--json", "--axis", axis, "--threads", "2"]).json();
            for row in 0..2 {
                let alone: Vec<f32> = match axis {
                    "1" => x[row * 1_200_007..(row + 1) * 1_200_007].to_vec(),
                    _ => x[row..].iter().copied().step_by(2).collect(),
                };
                holds(&report["rows"][row], &alone, |index| (index, vec![index]));
            }
        }
    }
}

/// Arrays that are read in stripes, against arrays whose rows are read one after the other.
#[test]
fn portions_of_rows_change_no_bit() {
    let value = |row: usize, at: usize| {
        let hash = ((row << 24) + at).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        (hash as f64 - 8e6) * 1e-3
    };
    for (rows, len) in [(1499, 3007), (500, 9001), (2, 2_250_001)] {
        let follow: Vec<f64> = (0..rows).flat_map(|row| (0..len).map(move |at| value(row, at))).collect();
        let cross: Vec<f64> = (0..len).flat_map(|at| (0..rows).map(move |row| value(row, at))).collect();
        let (follow, cross) = (little(&follow), little(&cross));
        let shown = |shape: &str, bytes: &[u8], axis: &str| {
            rows_of(&over(&file("<f8", shape, bytes), &["--json", "--axis", axis, "--threads", "2"]))
        };
        let expected = shown(&format!("({rows}, {len})"), &follow, "1");
        assert!(shown(&format!("({len}, {rows})"), &cross, "0") == expected, "{rows} columns of {len}");
        if rows == 500 {
            let head = header(1, "'<f8'", true, "(500, 9001)");
            let fortran = over(&with_header(1, &head, &cross), &["--json", "--axis", "1", "--threads", "3"]);
            assert!(rows_of(&fortran) == expected, "in Fortran's order");
            let two = over(
                &file("<f8", "(2, 9001, 500)", &[&cross[..], &cross].concat()),
                &["--json", "--axis", "1", "--threads", "2"],
            );
            let two = rows_of(&two);
            for (at, row) in [(0, 0), (499, 499), (500, 0), (750, 250)] {
                let alone: Vec<f64> = (0..len).map(|at| value(row, at)).collect();
                holds(&two[at], &alone, |index| (index, vec![index]));
            }
        }
    }
}

#[test]
fn axes_are_named_in_any_way() {
    let x: Vec<f32> = rough(60).iter().map(|&x| x as f32).collect();
    let bytes = array(&x, &[3, 4, 5], false);
    let expected = rows(&bytes, &["--axis", "0,2"]);
    for args in [
        &["--axis", "2", "--axis", "0"][..],
        &["--axis", "-1,-3"],
        &["--axis=-3,2"],
        &["--axis", "0", "--axis", "-1"],
    ] {
        assert_eq!(rows(&bytes, args), expected, "{args:?}");
    }
}

#[test]
fn byte_order_and_threads_change_no_bit() {
    let x = rough(700 * 1100);
    let shape = "(700, 1100)";
    let little_endian = file("<f8", shape, &little(&x));
    let big: Vec<u8> = x.iter().flat_map(|x| x.to_be_bytes()).collect();
    for axis in ["0", "1"] {
        let expected = rows(&little_endian, &["--axis", axis, "--threads", "1"]);
        assert_eq!(rows(&file(">f8", shape, &big), &["--axis", axis]), expected);
        assert_eq!(rows(&little_endian, &["--axis", axis, "--threads", "3"]), expected);
    }
}

#[test]
fn a_person_reads_the_first_and_the_last_rows() {
    let of = |rows: u32, args: &[&str]| {
        let x: Vec<i32> = (0..rows as i32 * 2).map(|i| i * 1000).collect();
        let ran =
            over(&file("<i4", &format!("({rows}, 2)"), &little(&x)), &[&["--axis", "1"], args].concat());
        let text = ran.text().to_string();
        assert!(text.lines().all(|line| line == line.trim_end()), "{text}");
        text
    };
    let line = |text: &str, row: &str| -> Vec<String> {
        let line = text.lines().find(|line| line.trim_start().starts_with(row)).unwrap_or_default();
        line.trim_start().strip_prefix(row).unwrap_or_default().split_whitespace().map(String::from).collect()
    };
    let text = of(22, &[]);
    assert!(text.contains("22 of 2 elements each, along axis 1"), "{text}");
    assert_eq!(line(&text, "[9, :]"), ["2", "37,000", "18,500.0", "500.0", "18,000", "19,000", "0", "1"]);
    assert_eq!(line(&text, "[12, :]"), ["2", "49,000", "24,500.0", "500.0", "24,000", "25,000", "0", "1"]);
    assert!(text.contains("  ... 2 rows are left out: --all-rows prints them\n"), "{text}");
    assert!(!text.contains("[10, :]") && !text.contains("[11, :]"), "{text}");
    for (rows, args) in [(21, &[][..]), (22, &["--all-rows"])] {
        let text = of(rows, args);
        assert!(text.contains("[10, :]") && !text.contains("left out"), "{text}");
    }
    let of_two = over(&file("<i4", "(2, 2, 2)", &little(&[1, 2, 3, 4, 5, 9, 7, 8])), &["--axis", "0,2"]);
    let row = line(of_two.text(), "[:, 0, :]");
    assert_eq!(row[..3], ["4", "17", "4.25"]);
    assert_eq!(row[4..], ["1", "9", "(0,", "0)", "(1,", "1)"]);
}

#[test]
fn wrong_axes_are_refused() {
    let bytes = file("<f4", "(2, 3)", &little(&[0_f32; 6]));
    let refused = |args: &[&str], words: &[&str]| over(&bytes, args).refused(2, words);
    for axis in ["2", "-3", "9223372036854775807", "-9223372036854775808"] {
        refused(&["--axis", axis], &[&format!("--axis {axis}"), "shape (2, 3)", "0 to 1, or -2 to -1"]);
    }
    refused(&["--axis", "1,-1"], &["--axis -1", "axis 1 was named before"]);
    refused(&["--axis", "x"], &["'x'", "--axis"]);
    refused(&["--axis", ""], &["--axis"]);
    refused(&["--axis", "0", "--backend", "cuda"], &["on the CPU", "leave --backend cuda out"]);
    refused(&["--all-rows"], &["--axis", "--by"]);
    run(&["--synthetic", "10", "--axis", "0"]).refused(2, &["--synthetic"]);
    over(&vector(&[1_i32]), &["--axis", "1"]).refused(2, &["its only axis is 0"]);
    over(&file("<f4", "()", &little(&[1_f32])), &["--axis", "0"]).refused(2, &["has no axes"]);
    let nine = file("<f4", "(1, 1, 1, 1, 1, 1, 1, 1, 1)", &little(&[1_f32]));
    assert_eq!(over(&nine, &["--axis", "0", "--json"]).json()["rows"][0]["count"], 1);
    over_a("csv", b"x\n1\n", &["--axis", "0"]).refused(2, &["a table has no axes", "--by KEY"]);
    over_a("csv", b"x\n1\n", &["--axis", "0", "--column", "x"]).refused(2, &["--axis", "--column"]);
}

/// From the shape alone, there would be a result to keep for each row.
#[test]
fn rows_without_elements_take_no_memory() {
    let many = TestFile::new(&file("<f8", "(100000000, 0)", b""), "npy");
    let ran = run_in(Duration::from_secs(5), &[many.path(), "--axis", "1"]);
    let text = ran.text();
    assert!(text.contains("100,000,000 of 0 elements each"), "{text}");
    assert!(text.contains("[99999999, :]"), "{text}");
    for args in [["--axis", "1", "--json"], ["--axis", "1", "--all-rows"]] {
        let ran = run_in(Duration::from_secs(5), &[&[many.path()], &args[..]].concat());
        ran.refused(2, &["100,000,000 rows without elements", args[2]]);
    }
    let few = over(&file("<f8", "(3, 0)", b""), &["--axis", "1", "--json"]).json();
    assert_eq!(few["rows"].as_array().map(Vec::len), Some(3));
    assert_eq!(few["rows"][2]["sum"]["bits"], "0x8000000000000000");
    let huge = file("<f8", "(18446744073709551615, 2, 0)", b"");
    over(&huge, &["--axis", "2"]).refused(2, &["rows"]);
}
