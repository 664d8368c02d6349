//! Scans, compactions, sorts and selections.

use test_kernels::mix;
use warpfold::Order::{Ascending, Descending};
use warpfold::{
    Above, Auto, Bins, Cpu, Dot, Error, Interpolation, Scan, Sum, Variance, by_key, chunks, groups, padded,
    segments, zip,
};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::failing::{Call, tried};
use warpfold_tests::samples;

use super::reductions::Fading;
use super::{Backend, result};

const ABOVE: Above<f32> = Above { threshold: 0.5 };

/// All calls.
pub fn calls(backend: &Backend) -> Vec<Call> {
    let mut all = scans(backend);
    all.extend(compactions(backend));
    all.extend(sorts(backend));
    all.extend(selections(backend));
    all.extend(by_parts(backend));
    all
}

fn scans(backend: &Backend) -> Vec<Call> {
    let n = backend.n;
    let (x, offsets) = (backend.floats(), &*Vec::leak((0..=n / 20).map(|i| 20 * i).collect::<Vec<usize>>()));
    let mut all: Vec<Call> = Vec::new();
    let mut of = |call: Call| all.push(call);
    of(backend.call("scan Sum", move |cpu| tried(|| cpu.scan(Sum, x, Scan::inclusive()))));
    of(backend.call("scan Variance", move |cpu| tried(|| cpu.scan(Variance, x, Scan::inclusive()))));
    of(backend.call("scan Fading", move |cpu| tried(|| cpu.scan(Fading, x, Scan::inclusive()))));
    of(backend.call("scan_into", move |cpu| {
        let mut out = vec![0.0; n];
        tried(|| cpu.scan_into(Sum, x, &mut out, Scan::inclusive())).map(|()| out)
    }));
    of(backend.call("scan", move |cpu| {
        let mut x = x.to_vec();
        tried(|| cpu.scan(Sum, &mut x, Scan::inclusive())).map(|()| x)
    }));
    of(backend.call("scan of segments", move |cpu| {
        tried(|| cpu.scan(Sum, segments(x, offsets), Scan::inclusive()))
    }));
    of(backend.call("scan of a long segment", move |cpu| {
        tried(|| cpu.scan(Sum, segments(x, &[0, 10, n]), Scan::inclusive()))
    }));
    all
}

fn compactions(backend: &Backend) -> Vec<Call> {
    let n = backend.n;
    let x = backend.floats();
    let flags = &*Vec::leak(x.iter().map(|&x| x > 0.0).collect::<Vec<_>>());
    let keys = &*Vec::leak((0..n as u64).map(|i| mix(i / 3)).collect::<Vec<u64>>());
    let mut all: Vec<Call> = Vec::new();
    let mut of = |call: Call| all.push(call);
    of(backend.call("count", move |cpu| tried(|| cpu.count(ABOVE, x))));
    of(backend.call("compact", move |cpu| tried(|| cpu.compact(ABOVE, x))));
    of(backend.call("compact_into", move |cpu| {
        let mut out = vec![0.0; n];
        tried(|| cpu.compact_into(ABOVE, x, &mut out)).map(|_| out)
    }));
    of(backend.call("compact_by_flags", move |cpu| tried(|| cpu.compact_by_flags(flags, x))));
    of(backend.call("unique", move |cpu| tried(|| cpu.unique(keys))));
    of(backend.call("partition", move |cpu| tried(|| cpu.partition(ABOVE, x))));
    for len in [9, 9000] {
        let bins = &*Box::leak(Box::new(Bins::even(-4.0..=4.0, len).expect("bins")));
        of(backend.call(&format!("histogram of {len} bins"), move |cpu| tried(|| cpu.histogram(bins, x))));
        let of_chunks = format!("histogram of chunks in {len} bins");
        of(backend.call(&of_chunks, move |cpu| tried(|| cpu.histogram(bins, chunks(x, x.len() / 3)))));
    }
    all
}

/// Arrays of each kind that is sorted in a way of its own.
fn arrays(n: usize) -> Vec<(&'static str, &'static [u64])> {
    let array = |len: usize, at: &dyn Fn(u64) -> u64| &*Vec::leak((0..len as u64).map(at).collect());
    vec![
        ("without order", array(n, &mix)),
        ("of few values", array(n, &|i| mix(i) % 9)),
        ("nearly sorted", array(n, &|i| if i % 100 == 7 { mix(i) } else { i << 30 })),
        ("of runs", array(n, &|i| (i % (n as u64 / 3)) << 20)),
        ("of short runs", array(600, &|i| i % 40)),
        ("reversed", array(n, &|i| n as u64 - i)),
        ("sorted", array(n, &|i| i)),
        ("of few elements", array(500, &|i| if i < 100 { i } else { mix(i) >> 20 })),
        ("in parts", array(n, &|i| (mix(i) % 300) << 40 | mix(i) >> 60)),
    ]
}

fn sorts(backend: &Backend) -> Vec<Call> {
    let n = backend.n;
    let mut all: Vec<Call> = Vec::new();
    let mut of = |call: Call| all.push(call);
    for (kind, x) in arrays(n) {
        of(backend.call(&format!("sort {kind}"), move |cpu| {
            let mut x = x.to_vec();
            tried(|| cpu.sort(&mut x, Ascending))?;
            Ok(x)
        }));
        of(backend.call(&format!("sort of f32 {kind}"), move |cpu| {
            let mut x: Vec<f32> = x.iter().map(|&x| x as f32 - 1e18).collect();
            tried(|| cpu.sort(&mut x, Descending))?;
            Ok(x)
        }));
        of(backend.call(&format!("sort_pairs {kind}"), move |cpu| {
            let (mut keys, mut values) = (x.to_vec(), (0..x.len()).collect::<Vec<_>>());
            let sorted = tried(|| cpu.sort_pairs(&mut keys, &mut values, Descending));
            assert!(sorted.is_ok() || keys == x && values.is_sorted(), "something changed");
            sorted.map(|()| (keys, values))
        }));
        of(backend.call(&format!("argsort {kind}"), move |cpu| argsort(cpu, x)));
    }
    of(backend.call("sort_pairs with large values", |cpu| {
        let (mut keys, mut values): (Vec<u8>, Vec<[usize; 300]>) =
            (0..300).map(|i| (mix(i as u64) as u8, [i; 300])).unzip();
        tried(|| cpu.sort_pairs(&mut keys, &mut values, Ascending)).map(|()| (keys, values))
    }));
    all
}

/// Parts that are compared in registers, that are ranked, and that are long.
fn by_parts(backend: &Backend) -> Vec<Call> {
    let x = backend.floats();
    let mut all: Vec<Call> = Vec::new();
    let mut of = |call: Call| all.push(call);
    for len in [10, 300, 5000] {
        of(backend.call(&format!("sort of chunks of {len}"), move |cpu| {
            let mut x = x.to_vec();
            tried(|| cpu.sort(chunks(&mut x, len), Ascending))?;
            Ok(x)
        }));
        of(backend.call(&format!("sort_pairs of chunks of {len}"), move |cpu| {
            let (mut keys, mut values) = (x.to_vec(), (0..x.len()).collect::<Vec<_>>());
            let sorted = tried(|| cpu.sort_pairs(chunks(&mut keys, len), &mut values, Descending));
            assert!(
                values.iter().zip(&keys).all(|(&at, key)| x[at].to_bits() == key.to_bits()),
                "a pair is lost"
            );
            sorted.map(|()| (keys, values))
        }));
        of(backend.call(&format!("argsort of chunks of {len}"), move |cpu| {
            tried(|| cpu.argsort(chunks(x, len), Ascending))
        }));
        let whole = &x[..x.len() / len * len];
        of(backend.call(&format!("top_k of chunks of {len}"), move |cpu| {
            tried(|| cpu.top_k(chunks(whole, len), len / 4))
        }));
        of(backend
            .call(&format!("median of chunks of {len}"), move |cpu| tried(|| cpu.median(chunks(x, len)))));
        of(backend.call(&format!("scan of chunks of {len}"), move |cpu| {
            tried(|| cpu.scan(Sum, chunks(x, len), Scan::inclusive()))
        }));
        of(backend.call(&format!("padded top_k of chunks of {len}"), move |cpu| {
            tried(|| cpu.top_k(padded(chunks(x, len)), len + 1))
        }));
    }
    let n = backend.n;
    let ids = &*Vec::leak((0..n as u64).map(|i| (mix(i) % 700) as u32).collect::<Vec<_>>());
    of(backend.call("medians of groups", move |cpu| tried(|| cpu.median(groups(ids, x, 700)))));
    of(backend.call("medians by key", move |cpu| tried(|| cpu.median(by_key(ids, x)))));
    of(backend.call("top_k by key", move |cpu| tried(|| cpu.top_k(by_key(ids, x), 3))));
    all
}

fn argsort(cpu: &Cpu, x: &[u64]) -> Result<Vec<usize>, Error> {
    tried(|| cpu.argsort(x, Ascending))
}

fn selections(backend: &Backend) -> Vec<Call> {
    let n = backend.n;
    let x = backend.floats();
    let qs = &*Vec::leak((0..2000).map(|i| f64::from(i) / 2000.0).collect::<Vec<_>>());
    let mut all: Vec<Call> = Vec::new();
    let mut of = |call: Call| all.push(call);
    for k in [1, 1000, n / 65, n / 2] {
        of(backend.call(&format!("top_k of {k}"), move |cpu| tried(|| cpu.top_k(x, k))));
    }
    of(backend.call("top_k of few", move |cpu| tried(|| cpu.top_k(&x[..9000], 2000))));
    of(backend.call("bottom_k", move |cpu| tried(|| cpu.bottom_k(x, 1000))));
    of(backend.call("median", move |cpu| tried(|| cpu.median(x))));
    of(backend.call("median of few", move |cpu| tried(|| cpu.median(&x[..9000]))));
    for (count, len) in [(3, n), (2000, 60_000)] {
        of(backend.call(&format!("{count} quantiles"), move |cpu| {
            tried(|| cpu.quantiles(&x[..len], &qs[..count], Interpolation::Linear))
        }));
    }
    of(backend.call("quantiles of NaN", move |cpu| {
        tried(|| cpu.quantiles(&[f32::NAN], qs, Interpolation::Linear))
    }));
    all
}

/// The backend that chooses one: it has the calls of the CPU.
pub fn of_auto() -> Vec<Call> {
    let x: &[f32] = Vec::leak(samples(Ordinary, 1, 600_000));
    fn call<R: std::fmt::Debug>(name: &str, call: impl Fn(Auto) -> Result<R, Error> + 'static) -> Call {
        (format!("Auto: {name}"), Box::new(move || result(call(Auto::new()))))
    }
    vec![
        call("reduce", move |auto| tried(|| auto.reduce(Variance, x))),
        call("pairs", move |auto| tried(|| auto.reduce(Dot, zip(x, x)))),
        call("scan", move |auto| tried(|| auto.scan(Sum, x, Scan::inclusive()))),
        call("compact", move |auto| tried(|| auto.compact(ABOVE, x))),
        call("top_k", move |auto| tried(|| auto.top_k(x, 1000))),
        call("median", move |auto| tried(|| auto.median(x))),
        call("argsort", move |auto| tried(|| auto.argsort(x, Ascending))),
    ]
}
