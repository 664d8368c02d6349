//! How fast states are: `cargo run --release -p warpfold-exact --example speed`.

use std::hint::black_box;
use std::time::Instant;

use warpfold_exact::{Comoments, Dot, Moments, Small, Sum};

fn main() {
    // 2^15 elements are in the cache.
    let x: Vec<f64> = (0..1 << 15).map(|i| (f64::from(i) * 0.7).sin() + 0.5).collect();
    let y: Vec<f32> = x.iter().map(|&x| x as f32).collect();
    let (n, two) = (x.len(), [&x[..100], &x[100..200]]);
    report("slice of f64", n, || Sum::extend_from_slice(&mut black_box(Sum::new()), black_box(&x)));
    report("slice of f32", n, || Sum::extend_from_slice(&mut black_box(Sum::new()), black_box(&y)));
    report("push of f64", n, || black_box(&x).iter().collect::<Sum<_>>());
    report("push of f32", n, || black_box(&y).iter().collect::<Sum<_>>());
    report("push to a small sum", n, || {
        let mut small = Small::new();
        black_box(&x).iter().filter(|&&x| small.push(x).is_err()).count()
    });
    report("push to moments of f64", n, || black_box(&x).iter().collect::<Moments<_>>());
    report("push to moments of f32", n, || black_box(&y).iter().collect::<Moments<_>>());
    report("push to a dot product, f32", n, || {
        black_box(&y).iter().copied().zip(black_box(&y).iter().rev().copied()).collect::<Dot<_>>()
    });
    report("slice to moments of f32", n, || {
        Moments::extend_from_slice(&mut black_box(Moments::new()), black_box(&y))
    });
    report("slices to a dot product, f32", n, || {
        Dot::extend_from_slices(&mut black_box(Dot::new()), black_box(&y), black_box(&y));
    });
    report("slices to comoments of f32", n, || {
        Comoments::extend_from_slices(&mut black_box(Comoments::new()), black_box(&y), black_box(&y));
    });
    report("slices of 16 to moments, f32", n, || {
        let mut moments = black_box(Moments::new());
        black_box(&y).chunks(16).for_each(|y| moments.extend_from_slice(y));
        moments
    });
    let [small, other] = two.map(|x| Small::try_from(x.iter().collect::<Sum<_>>()).unwrap_or_default());
    report("merge of small sums", 1000, || {
        let mut all = black_box(small);
        (0..1000).filter(|_| all.merge(black_box(&other)).is_err()).count()
    });
    let [sum, other] = two.map(|x| x.iter().collect::<Sum<_>>());
    report("merge of sums", 1000, || (0..1000).for_each(|_| black_box(sum).merge(black_box(&other))));
    let mut buffer = [0; Sum::<f64>::MAX_BYTES];
    report("bytes of a sum", 1000, || {
        (0..1000).filter(|_| black_box(&sum).encode(black_box(&mut buffer)).is_err()).count()
    });
    report("value of a sum", 1000, || (0..1000).map(|_| black_box(&sum).value()).sum::<f64>());
    let moments: Moments<f64> = x.iter().collect();
    report("deviation", 1000, || (0..1000).filter(|_| black_box(&moments).std_dev().is_none()).count());
    let pairs: Comoments<f64> = x.iter().copied().zip(x.iter().rev().copied()).collect();
    report("correlation", 1000, || (0..1000).filter(|_| black_box(&pairs).correlation().is_none()).count());
}

/// Prints the least time of many runs of `n` steps.
fn report<R>(what: &str, n: usize, mut run: impl FnMut() -> R) {
    let seconds = (0..200).map(|_| {
        let begin = Instant::now();
        black_box(run());
        begin.elapsed().as_secs_f64()
    });
    let each = seconds.fold(f64::INFINITY, f64::min) * 1e9 / n as f64;
    println!("{what:28} {each:8.2} ns {:8.0} M/s", 1e3 / each);
}
