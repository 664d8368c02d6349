//! Sorts, selections, scans and compactions of any elements, against the standard library.
#![no_main]

use std::cmp::Ordering;
use std::fmt::Debug;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use warpfold::elements::TotalOrder;
use warpfold::{Above, Cpu, Interpolation, Order, Predicate, Scan, Sum, f16, reference};

#[derive(Arbitrary, Debug)]
struct Input {
    /// The number of elements, repeated from this sequence.
    len: u16,
    bytes: Vec<u8>,
    k: usize,
    q: f64,
    is_descending: bool,
    /// Number of sorted runs, modulo 4. With 0, the elements stay as they are.
    runs: u8,
}

fuzz_target!(|input: Input| {
    let bytes: Vec<u8> = input.bytes.iter().copied().cycle().take(input.len.into()).collect();
    let words = |width: usize| bytes.chunks_exact(width);
    sorts(&bytes, |a, b| a.cmp(b), &input);
    let floats: Vec<f32> = words(4).map(|x| f32::from_le_bytes(x.try_into().expect("4 bytes"))).collect();
    sorts(&floats, f32::total_cmp, &input);
    let halves: Vec<f16> = words(2).map(|x| f16::from_le_bytes(x.try_into().expect("2 bytes"))).collect();
    sorts(&halves, f16::total_cmp, &input);
    let longs: Vec<i64> = words(8).map(|x| i64::from_le_bytes(x.try_into().expect("8 bytes"))).collect();
    sorts(&longs, |a, b| a.cmp(b), &input);
    moves(&floats, &input);
});

/// Sorts and selections.
fn sorts<T: TotalOrder + Debug>(x: &[T], compare: impl Fn(&T, &T) -> Ordering, input: &Input) {
    let cpu = Cpu::new();
    let order = if input.is_descending { Order::Descending } else { Order::Ascending };
    let in_order = |a: &T, b: &T| if input.is_descending { compare(b, a) } else { compare(a, b) };
    let mut x = x.to_vec();
    let runs = usize::from(input.runs % 4);
    if runs > 0 {
        let len = x.len().div_ceil(runs).max(1);
        x.chunks_mut(len).for_each(|run| run.sort_by(in_order));
    }
    let x = &x[..];
    let same = |a: &[T], b: &[T]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| compare(a, b).is_eq());

    let mut indices: Vec<usize> = (0..x.len()).collect();
    indices.sort_by(|&a, &b| in_order(&x[a], &x[b]));
    let sorted: Vec<T> = indices.iter().map(|&at| x[at]).collect();
    assert_eq!(cpu.argsort(x, order).unwrap(), indices);
    let (mut keys, mut values) = (x.to_vec(), (0..x.len()).collect::<Vec<_>>());
    cpu.sort(&mut keys, order).unwrap();
    assert!(same(&keys, &sorted));
    let mut keys = x.to_vec();
    cpu.sort_pairs(&mut keys, &mut values, order).expect("as many values as keys");
    assert!(same(&keys, &sorted) && values == indices);
    let first = if input.is_descending { cpu.top_k(x, input.k) } else { cpu.bottom_k(x, input.k) };
    match first {
        Ok(first) => {
            assert!(first.iter().map(|at| at.index as usize).eq(indices.iter().copied().take(input.k)))
        }
        Err(_) => assert!(input.k > x.len()),
    }
}

/// Scans, compactions and quantiles.
fn moves(x: &[f32], input: &Input) {
    let cpu = Cpu::new();
    let bits = |x: &[f32]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let scanned = cpu.scan(Sum, x, Scan::inclusive()).expect("a scan");
    if let Some(last) = scanned.last().filter(|_| x.len() == 1) {
        assert_eq!(last.to_bits(), reference::reduce::<f32, Sum>(x).to_bits());
    }
    for (at, scanned) in scanned.iter().enumerate().step_by(1 + x.len() / 4) {
        let prefix = cpu.scan(Sum, &x[..=at], Scan::inclusive()).expect("a scan");
        assert_eq!(prefix.last().map(|x| x.to_bits()), Some(scanned.to_bits()), "up to {at}");
    }
    let above = Above { threshold: 0.5_f32 };
    let (kept, others): (Vec<f32>, Vec<f32>) = x.iter().copied().partition(|&x| above.holds(x));
    assert_eq!(bits(&cpu.compact(above, x).expect("elements")), bits(&kept));
    let (parted, count) = cpu.partition(above, x).expect("elements");
    assert_eq!((bits(&parted[..count]), bits(&parted[count..])), (bits(&kept), bits(&others)));
    let mut unique = x.to_vec();
    unique.dedup();
    assert_eq!(bits(&cpu.unique(x).expect("elements")), bits(&unique));
    match cpu.quantiles(x, &[input.q], Interpolation::Lower) {
        Ok(found) if x.iter().all(|x| !x.is_nan()) => {
            let mut sorted = x.to_vec();
            sorted.sort_by(f32::total_cmp);
            assert!(sorted.iter().any(|x| f64::from(*x) == f64::from(found[0])));
        }
        Ok(found) => assert!(found[0].is_nan()),
        Err(_) => assert!(x.is_empty() || !(0.0..=1.0).contains(&input.q)),
    }
}
