//! Operations on parts in device memory with results there, or for which the elements come to the host.

use std::fmt::Debug;
use std::ops::Range;

use test_kernels::{Ordered, Strided, mix};
use warpfold::kernels::{RowsKernel, Storable};
use warpfold::{
    Above, ArgMin, Cpu, Interpolation, Max, Op, Order, Scan, Sum, View, along, columns, formula, groups,
    operator, runs, segments,
};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, samples};

use super::cuts::{assert_all, assert_parts, assert_whole, bits, concat, cuts, ending};
use super::devices::{Whole, device};
use super::ranks::on_each;

const N: usize = 20_000;

#[test]
fn scans() {
    let x = samples::<f32>(Ordinary, 5, N as u64);
    let (whole, offsets) = (Whole::new(&x), [3_u64, 3, 10, 7000, 7001, N as u64 - 5]);
    let cpu = Cpu::new();
    let sums = cpu.scan(Sum, &x, Scan::exclusive()).unwrap();
    let of_segments = cpu.scan(Sum, segments(&x, &offsets), Scan::inclusive()).unwrap();
    let op = operator!(0.0, formula!(|a: f32, b| a * 0.5 - b));
    let by_formula = cpu.scan(op, &x, Scan::inclusive()).unwrap();
    let greatest = cpu.scan(Max, &x, Scan::inclusive()).unwrap();
    let greatest: Vec<f32> = greatest.into_iter().map(Storable::store).collect();
    let expected = |part: Range<usize>| {
        let [sums, by_formula] = [&sums, &by_formula].map(|outs| bits(&outs[part.clone()]));
        [sums, by_formula, bits(&of_segments[part.clone()]), bits(&greatest[part])].join("; ")
    };
    for cut in cuts::<f32>(N) {
        let found = on_each(&cut, |world, part| {
            let x = whole.part(world, part);
            let sums = world.scan(Sum, x, Scan::exclusive()).unwrap().to_vec().unwrap();
            let by_formula = world.scan(op, x, Scan::inclusive()).unwrap().to_vec().unwrap();
            let of_segments = world.scan(Sum, segments(x, &offsets), Scan::inclusive()).unwrap();
            let greatest = world.scan(Max, x, Scan::inclusive()).unwrap();
            let of_segments = bits(&of_segments.to_vec().unwrap());
            [bits(&sums), bits(&by_formula), of_segments, bits(&greatest.to_vec().unwrap())].join("; ")
        });
        assert_parts(&found, &cut, expected, &format!("{cut:?}"));
    }
}

#[test]
fn compactions() {
    let x: Vec<i32> = (0..N as u64).map(|i| mix(i / 3) as i32 % 100).collect();
    let flags: Vec<bool> = x.iter().map(|&x| x > 7).collect();
    let (whole, of_flags, above) = (Whole::new(&x), Whole::new(&flags), Above { threshold: 7 });
    let cpu = Cpu::new();
    let kept = bits(&cpu.compact(above, &x).unwrap());
    let unique = bits(&cpu.unique(&x).unwrap());
    let (parted, selected) = cpu.partition(above, &x).unwrap();
    for cut in cuts::<i32>(N) {
        let what = format!("{cut:?}");
        let found = on_each(&cut, |world, part| {
            bits(&world.compact(above, whole.part(world, part)).unwrap().to_vec().unwrap())
        });
        assert_eq!(concat(&found), kept, "{what}");
        let found = on_each(&cut, |world, part| {
            let above = formula!(|v: i32| -> bool { v.gt(7) });
            bits(&world.compact(above, whole.part(world, part)).unwrap().to_vec().unwrap())
        });
        assert_eq!(concat(&found), kept, "{what}");
        let found = on_each(&cut, |world, part| {
            let (flags, x) = (of_flags.part(world, part.clone()), whole.part(world, part));
            bits(&world.compact_by_flags(flags, x).unwrap().to_vec().unwrap())
        });
        assert_eq!(concat(&found), kept, "{what}");
        let found = on_each(&cut, |world, part| {
            bits(&world.unique(whole.part(world, part)).unwrap().to_vec().unwrap())
        });
        assert_eq!(concat(&found), unique, "{what}");
        let found = on_each(&cut, |world, part| {
            let (x, all) = world.partition(above, whole.part(world, part)).unwrap();
            assert_eq!(all, selected as u64);
            bits(&x.to_vec().unwrap())
        });
        assert_whole(&found, &parted, &cut, &what);
    }
}

#[test]
fn sorts() {
    for order in [Order::Ascending, Order::Descending] {
        let (keys, values) = (samples::<f32>(Special, 9, N as u64), (0..N as u64).collect::<Vec<_>>());
        let (of_keys, of_values, cpu) = (Whole::new(&keys), Whole::new(&values), Cpu::new());
        let (mut sorted, mut with_keys) = (keys.clone(), values.clone());
        cpu.sort_pairs(&mut sorted, &mut with_keys, order).unwrap();
        let expected = |part: Range<usize>| [bits(&sorted[part.clone()]), bits(&with_keys[part])].join("; ");
        for cut in cuts::<f32>(N) {
            let found = on_each(&cut, |world, part| {
                let x = of_keys.part(world, part.clone());
                let new = world.sort(x, order).unwrap().to_vec().unwrap();
                let mut in_place = device(world).values(part.len()).unwrap();
                in_place.copy_from_slice(&keys[part]).unwrap();
                world.sort(&mut in_place, order).unwrap();
                assert_eq!(bits(&new), bits(&in_place.to_vec().unwrap()));
                [bits(&new), bits(&world.argsort(x, order).unwrap().to_vec().unwrap())].join("; ")
            });
            assert_parts(&found, &cut, expected, &format!("{order:?} in {cut:?}"));
            let outs = ending(&vec![N / 3; cut.len() - 1], N);
            let found = on_each(&cut, |world, part| {
                let (keys, values) = (of_keys.part(world, part.clone()), of_values.part(world, part));
                let (cuda, len) = (device(world), outs[world.rank()].len());
                let (mut sorted, mut of_sorted) = (cuda.values(len).unwrap(), cuda.values(len).unwrap());
                world.sort_pairs_into(keys, values, &mut sorted, &mut of_sorted, order).unwrap();
                [bits(&sorted.to_vec().unwrap()), bits(&of_sorted.to_vec().unwrap())].join("; ")
            });
            assert_parts(&found, &outs, expected, &format!("{order:?} from {cut:?} to {outs:?}"));
        }
    }
}

#[test]
fn selections() {
    let x = samples::<f64>(Ordinary, 9, N as u64);
    let (whole, cpu, qs) = (Whole::new(&x), Cpu::new(), [0.0, 0.3, 0.999]);
    let expected = [
        bits(&cpu.top_k(&x, 50).unwrap()),
        bits(&cpu.bottom_k(&x, 3).unwrap()),
        cpu.median(&x).unwrap().bits(),
        bits(&cpu.quantiles(&x, &qs, Interpolation::Nearest).unwrap()),
    ];
    for cut in cuts::<f64>(N) {
        let found = on_each(&cut, |world, part| {
            let x = whole.part(world, part);
            [
                bits(&world.top_k(x, 50).unwrap()),
                bits(&world.bottom_k(x, 3).unwrap()),
                world.median(x).unwrap().bits(),
                bits(&world.quantiles(x, &qs, Interpolation::Nearest).unwrap()),
            ]
            .join("; ")
        });
        assert_all(&found, &expected.join("; "), &format!("{cut:?}"));
    }
}

fn columns_and_axes_agree<O: RowsKernel<u32> + Op<u32, Out: Bits> + Debug>(op: O) {
    let shape = [700, 6, 5];
    let x = samples::<u32>(Ordinary, 9, 700 * 30);
    let (whole, cpu) = (Whole::new(&x), Cpu::new());
    let of_columns = bits(&cpu.reduce(op, columns(&x, [700, 30])).unwrap());
    for cut in cuts::<u32>(shape[0]) {
        let found = on_each(&cut, |world, part| {
            let x = whole.part(world, part.start * 30..part.end * 30);
            bits(&world.reduce(op, columns(x, [part.len(), 30])).unwrap())
        });
        assert_all(&found, &of_columns, &format!("{op:?} of columns in {cut:?}"));
        for axes in [&[][..], &[0], &[1], &[0, 1], &[2, 0], &[2, 1], &[1, 0, 2]] {
            let expected = bits(&cpu.reduce(op, along(View::new(&x, &shape).unwrap(), axes)).unwrap());
            let found = on_each(&cut, |world, part| {
                let x = whole.part(world, part.start * 30..part.end * 30);
                let view = View::new(x, &[part.len(), 6, 5]).unwrap();
                bits(&world.reduce(op, along(view, axes)).unwrap())
            });
            assert_all(&found, &expected, &format!("{op:?} along {axes:?} in {cut:?}"));
        }
    }
}

#[test]
fn columns_and_axes() {
    columns_and_axes_agree(Strided::default());
    columns_and_axes_agree(Ordered::default());
    columns_and_axes_agree(ArgMin);
    columns_and_axes_agree(Sum.of(formula!(|v: u32, index: Index| v * (index / 5).to::<u32>())));
}

/// Views of one array on each device, with a reversed axis and gaps.
#[test]
fn axes_of_strided_views() {
    let x = samples::<u32>(Ordinary, 9, 40 * 9);
    let (whole, op) = (Whole::new(&x), Ordered::default());
    let first = |part: &Range<usize>| part.start + 8 * 40;
    for axes in [&[0][..], &[1], &[0, 1]] {
        let view = View::strided(&x, first(&(0..40)), &[40, 5], &[1, -80]).unwrap();
        let expected = bits(&Cpu::new().reduce(op, along(view, axes)).unwrap());
        for cut in cuts::<u32>(40) {
            let found = on_each(&cut, |world, part| {
                let x = whole.part(world, 0..x.len());
                let offset = if part.is_empty() { 0 } else { first(&part) };
                let view = View::strided(x, offset, &[part.len(), 5], &[1, -80]).unwrap();
                bits(&world.reduce(op, along(view, axes)).unwrap())
            });
            assert_all(&found, &expected, &format!("along {axes:?} in {cut:?}"));
        }
    }
}

#[test]
fn groups_and_runs() {
    let ids: Vec<u32> = (0..N).map(|i| mix(i as u64 / 20) as u32 % 300).collect();
    let (x, op, cpu) = (samples::<u32>(Ordinary, 7, N as u64), Strided::default(), Cpu::new());
    let (whole, of_ids) = (Whole::new(&x), Whole::new(&ids));
    let of_groups = bits(&cpu.reduce(op, groups(&ids, &x, 301)).unwrap());
    let (keys, of_runs) = cpu.reduce(op, runs(&ids, &x)).unwrap();
    let expected = [of_groups, bits(&keys), bits(&of_runs)].join("; ");
    for cut in cuts::<u32>(N) {
        let found = on_each(&cut, |world, part| {
            let (ids, x) = (of_ids.part(world, part.clone()), whole.part(world, part));
            let of_groups = bits(&world.reduce(op, groups(ids, x, 301)).unwrap());
            let (keys, of_runs) = world.reduce(op, runs(ids, x)).unwrap();
            [of_groups, bits(&keys), bits(&of_runs)].join("; ")
        });
        assert_all(&found, &expected, &format!("{cut:?}"));
    }
}

/// Arrays of all ranks, element by element.
#[test]
fn all_reduces() {
    let arrays: Vec<Vec<f32>> = (0..7).map(|rank| samples(Ordinary, rank, 5001)).collect();
    let expected = Cpu::new().reduce(Sum, columns(&arrays.concat(), [7, 5001])).unwrap();
    let greatest = Cpu::new().reduce(Max, columns(&arrays.concat(), [7, 5001])).unwrap();
    let greatest: Vec<f32> = greatest.into_iter().map(Storable::store).collect();
    let cut = ending(&[0; 6], 0);
    let found = on_each(&cut, |world, _| {
        let (cuda, own) = (device(world), &arrays[world.rank()]);
        let x = cuda.upload(own).unwrap();
        let new = bits(&world.all_reduce(Sum, &x).unwrap().to_vec().unwrap());
        let mut in_place = cuda.values(own.len()).unwrap();
        in_place.copy_from_slice(own).unwrap();
        world.all_reduce(Sum, &mut in_place).unwrap();
        assert_eq!(bits(&in_place.to_vec().unwrap()), new);
        new
    });
    assert_all(&found, &bits(&expected), "all_reduce");
    let found = on_each(&cut, |world, _| {
        let x = device(world).upload(&arrays[world.rank()]).unwrap();
        bits(&world.reduce_scatter(Max, &x).unwrap().to_vec().unwrap())
    });
    assert_eq!(concat(&found), bits(&greatest));
}

/// Some ranks have their parts in host memory.
#[test]
fn memory_of_both_kinds() {
    let x = samples::<i32>(Ordinary, 9, N as u64);
    let (whole, cpu) = (Whole::new(&x), Cpu::new());
    let mut sorted = x.clone();
    cpu.sort(&mut sorted, Order::Ascending).unwrap();
    let sums = bits(&cpu.reduce(Sum, columns(&x, [N / 10, 10])).unwrap());
    for cut in cuts::<i32>(N / 10) {
        let cut: Vec<_> = cut.into_iter().map(|part| part.start * 10..part.end * 10).collect();
        let found = on_each(&cut, |world, part| {
            let (device, host, shape) =
                (whole.part(world, part.clone()), &x[part.clone()], [part.len() / 10, 10]);
            if world.rank() % 2 == 0 {
                assert_eq!(bits(&world.reduce(Sum, columns(device, shape)).unwrap()), sums);
                return bits(&world.sort(device, Order::Ascending).unwrap().to_vec().unwrap());
            }
            assert_eq!(bits(&world.reduce(Sum, columns(host, shape)).unwrap()), sums);
            let mut host = host.to_vec();
            world.sort(&mut host, Order::Ascending).unwrap();
            bits(&host)
        });
        assert_whole(&found, &sorted, &cut, &format!("{cut:?}"));
    }
}
