//! Scans.

use warpfold::{Auto, Cpu, Max, Mean, Op, Scan, Sum, scan_tree::Kind, segments};
use warpfold_tests::Bits;

use super::{all_bits, elements, for_every_array, mix};

/// The outputs of a segment: the outputs of the present elements, at their positions. At a position between them is the
/// inclusive output of the last element before it.
fn outputs<O: Op<f32, Out: Bits>>(
    op: O,
    x: &[Option<f32>],
    scan: Scan<O::Acc>,
    init: (O::Acc, u64),
) -> Vec<String> {
    let there: Vec<f32> = x.iter().copied().flatten().collect();
    let cpu = Cpu::new();
    let (acc, before) = init;
    let up_to = cpu.scan(op, &there, Scan::inclusive().from(acc, before)).unwrap();
    let mut outs = cpu.scan(op, &there, scan).unwrap().into_iter();
    let mut last = O::finish(acc, before).bits();
    let mut seen = up_to.iter();
    let output = |x: &Option<f32>| match x {
        Some(_) => {
            last = seen.next().unwrap().bits();
            outs.next().unwrap().bits()
        }
        None => last.clone(),
    };
    x.iter().map(output).collect()
}

fn scans_agree<O: Op<f32, Out: Bits + Default>>(op: O) {
    let cpu = Cpu::new();
    let init = (op.lift(2.5, 0), 1);
    let none = (O::IDENTITY, 0);
    let scans = [
        (Scan::inclusive(), none),
        (Scan::inclusive().from(init.0, init.1), init),
        (Scan::exclusive().from(init.0, init.1), init),
    ];
    for_every_array::<f32>(5, |what, x| {
        let array = elements(x);
        for (scan, init) in scans {
            let what = format!("{what}, {:?}", scan.kind());
            let expected = outputs(op, x, scan, init);
            assert_eq!(all_bits(&cpu.scan(op, &array, scan).unwrap()), expected, "{what}");
            assert_eq!(all_bits(&Auto::new().scan(op, &array, scan).unwrap()), expected, "{what}");
            let mut outs: Vec<O::Out> = x.iter().map(|_| O::Out::default()).collect();
            cpu.scan_into(op, &array, &mut outs, scan).unwrap();
            assert_eq!(all_bits(&outs), expected, "{what}");

            let mut offsets: Vec<usize> = (0..9).map(|i| mix(i) as usize % (x.len() + 1)).collect();
            offsets.sort_unstable();
            let segment = |at: &[usize]| outputs(op, &x[at[0]..at[1]], scan, init);
            let inside: Vec<String> = offsets.windows(2).flat_map(segment).collect();
            let around = |outside: String| {
                let (before, after) = (offsets[0], x.len() - offsets[8]);
                let [before, after] = [before, after].map(|count| vec![outside.clone(); count]);
                [before, inside.clone(), after].concat()
            };
            let found = cpu.scan(op, segments(&array, &offsets), scan).unwrap();
            assert_eq!(all_bits(&found), around(O::finish(O::IDENTITY, 0).bits()), "{what}, {offsets:?}");
            let mut outs: Vec<O::Out> = x.iter().map(|_| O::Out::default()).collect();
            cpu.scan_into(op, segments(&array, &offsets), &mut outs, scan).unwrap();
            assert_eq!(all_bits(&outs), around(O::Out::default().bits()), "{what}, {offsets:?}");
        }
    });
}

#[test]
fn there_is_an_output_for_each_position() {
    let x = elements(&[None, Some(1i64), None, Some(2), Some(4), None]);
    let cpu = Cpu::new();
    assert_eq!(cpu.scan(Sum, &x, Scan::inclusive()).unwrap(), [0, 1, 1, 3, 7, 7]);
    assert_eq!(cpu.scan(Sum, &x, Scan::exclusive()).unwrap(), [0, 0, 1, 1, 3, 7]);
    let halves = segments(&x, &[0, 3, 6]);
    assert_eq!(cpu.scan(Sum, halves, Scan::inclusive()).unwrap(), [0, 1, 1, 2, 6, 6]);
    assert_eq!(Scan::<i64>::inclusive().kind(), Kind::Inclusive);
    scans_agree(Sum);
    scans_agree((Max, Mean));
}
