//! Parts of no elements on devices, and parts with elements there or in host memory: a result that no launch writes is the
//! operator's of an empty input.

use bytemuck::{CheckedBitPattern, NoUninit};
use warpfold::kernels::{Kernel, RowsKernel};
use warpfold::{
    ArgMin, BitAnd, Cpu, Element, Error, First, Mean, Min, Op, Product, Sum, View, along, chunks, columns,
    groups, rows, runs, segments,
};
use warpfold_tests::data::Family::Special;
use warpfold_tests::{Bits, Sample, samples};

use super::cuts::{assert_all, bits, ending};
use super::devices::device;
use super::ranks::on_each;

/// The results' bits.
fn said<O: Bits>(results: Result<Vec<O>, Error>) -> String {
    bits(&results.unwrap())
}

/// Offsets of segments in `n` elements: mostly empty ones, a single one, and none.
fn offsets(n: usize) -> [Vec<u64>; 5] {
    let n = n as u64;
    [vec![0, 0, 0, 0], vec![0, n, n, n], vec![n, n], vec![n], vec![]]
}

/// What is reduced alike by the CPU and by a rank: `$x`, which is also `$view`, with `$ids`, of `$of` elements in all.
macro_rules! reductions {
    ($by:expr, $op:expr, $x:expr, $ids:expr, $of:expr, $view:expr) => {{
        let (by, op, x, ids, n) = ($by, $op, $x, $ids, $x.len());
        let mut all = vec![
            by.reduce(op, x).unwrap().bits(),
            said(by.reduce(op, rows(x, [n, 1]))),
            said(by.reduce(op, columns(x, [n, 1]))),
            said(by.reduce(op, chunks(x, 2))),
            said(by.reduce(op, groups(ids, x, 3))),
            said(by.reduce(op, runs(ids, x)).map(|(_, outs)| outs)),
            said(by.reduce(op, along($view, &[0]))),
            said(by.reduce(op, along($view, &[1]))),
        ];
        all.extend(offsets($of).iter().map(|offsets| said(by.reduce(op, segments(x, offsets)))));
        if $of == 0 {
            all.push(said(by.reduce(op, columns(x, [0, 3]))));
        }
        all.join(", ")
    }};
}

/// Divides `n` elements in each of these ways, with some parts on the device.
fn agrees<T, O>(op: O)
where
    T: Element + Sample + CheckedBitPattern<Bits: NoUninit>,
    O: Kernel<T> + RowsKernel<T> + Op<T, Out: Bits>,
{
    for (n, ends) in [
        (0, vec![0]),
        (0, vec![0; 7]),
        (5, vec![0]),
        (5, vec![5]),
        (5, vec![0, 0, 5]),
        (5, vec![0, 2, 2, 2, 5, 5, 5]),
    ] {
        let x = samples::<T>(Special, 3, n as u64);
        let ids: Vec<u32> = (0..n as u32).map(|i| i % 2).collect();
        let expected = reductions!(&Cpu::new(), op, &x[..], &ids[..], n, View::new(&x, &[n, 1]).unwrap());
        let cut = ending(&ends, n);
        for on_device in [0xff_u32, 0xaa, 0x55, 0x06] {
            let found = on_each(&cut, |world, part| {
                let (x, ids) = (&x[part.clone()], &ids[part]);
                if on_device >> world.rank() & 1 == 0 {
                    return reductions!(world, op, x, ids, n, View::new(x, &[x.len(), 1]).unwrap());
                }
                let (x, ids) = (device(world).upload(x).unwrap(), device(world).upload(ids).unwrap());
                let view = View::new(&x, &[x.len(), 1]).unwrap();
                reductions!(world, op, &x, &ids, n, view)
            });
            assert_all(&found, &expected, &format!("{n} elements in {cut:?}, {on_device:b} on the device"));
        }
    }
}

#[test]
fn parts_without_elements_have_the_results_of_empty_input() {
    agrees::<f32, _>(Sum);
    agrees::<f32, _>(Product);
    agrees::<f32, _>(Min);
    agrees::<f32, _>(Mean);
    agrees::<f32, _>(ArgMin);
    agrees::<u32, _>(BitAnd);
    agrees::<u32, _>(First);
}
