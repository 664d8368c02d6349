//! Exponentials, softmax, norms and gradients of any rows: a row in a batch has the bits of the row alone, to new memory, to given memory and in
//! place, or the call is refused. Reductions and medians by key are the
//! results of each key's elements alone; first elements of short parts are the first elements of each part.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use warpfold::{Cpu, Sum, by_key, padded, rows, segments};

#[derive(Arbitrary, Debug)]
struct Input {
    x: Vec<f32>,
    shape: [u8; 2],
    weight: Option<Vec<f32>>,
    epsilon: f64,
    offsets: Vec<i32>,
    keys: Vec<i8>,
    k: u8,
}

/// Compares a verb of all rows with the verb of each row alone, in place and to given memory.
macro_rules! each_row_alone {
    ($cpu:expr, $x:expr, $shape:expr, $verb:ident, $into:ident $(, $argument:expr)*) => {
        let (x, [r, c]) = (&$x, $shape);
        match $cpu.$verb(rows(x, [r, c]) $(, $argument)*) {
            Ok(found) => {
                let mut out = vec![7.0; r * c];
                $cpu.$into(rows(x, [r, c]), &mut out[..] $(, $argument)*).expect("what a new vector is given");
                assert!(bits(&out).eq(bits(&found)));
                out.copy_from_slice(x);
                $cpu.$verb(rows(&mut out, [r, c]) $(, $argument)*).expect("what a new vector is given");
                assert!(bits(&out).eq(bits(&found)));
                for row in 0..if c > 0 { r } else { 0 } {
                    let at = row * c..row * c + c;
                    let alone = $cpu.$verb(rows(&x[at.clone()], [1, c]) $(, $argument)*).expect("a row of a batch");
                    assert!(bits(&alone).eq(bits(&found[at])));
                }
            }
            Err(_) => {
                let mut same = x.clone();
                assert!($cpu.$verb(rows(&mut same, [r, c]) $(, $argument)*).is_err());
                assert!(bits(&same).eq(bits(x)), "a call that is refused changes nothing");
            }
        }
    };
}

fuzz_target!(|input: Input| {
    let Input { x, shape, weight, epsilon, offsets, keys, k } = input;
    let cpu = Cpu::new();
    let shape = shape.map(usize::from);
    let weight = weight.as_deref();

    each_row_alone!(cpu, x, shape, softmax, softmax_into);
    each_row_alone!(cpu, x, shape, log_softmax, log_softmax_into);
    each_row_alone!(cpu, x, shape, rms_norm, rms_norm_into, weight, epsilon);
    each_row_alone!(cpu, x, shape, layer_norm, layer_norm_into, weight, weight, epsilon);

    // Gradients of a row beside those of another one: each row with the rest of its own gradient.
    let dy: Vec<f32> = x.iter().rev().copied().collect();
    let [r, c] = shape;
    if let Ok(found) = cpu.layer_norm_gradient(rows(&x, shape), &dy, weight, epsilon) {
        for row in 0..if c > 0 { r } else { 0 } {
            let at = row * c..row * c + c;
            let alone =
                cpu.layer_norm_gradient(rows(&x[at.clone()], [1, c]), &dy[at.clone()], weight, epsilon);
            assert!(bits(&alone.expect("a row of a batch")).eq(bits(&found[at])));
        }
    }
    let labels: Vec<i64> = keys.iter().map(|&key| key.into()).collect();
    if let Ok(losses) = cpu.cross_entropy(rows(&x, shape), &labels) {
        let logs = cpu.log_softmax(rows(&x, shape)).expect("rows with a cross-entropy");
        let of = |row: usize| logs[row * c + usize::try_from(labels[row]).expect("a label that is a column")];
        let expected: Vec<f32> =
            (0..r).map(|row| if of(row).is_nan() { f32::NAN } else { -of(row) }).collect();
        assert!(bits(&losses).eq(bits(&expected)));
    }

    let parts = || offsets.windows(2).map(|pair| &x[pair[0] as usize..pair[1] as usize]);
    if let Ok(found) = cpu.log_sum_exp(segments(&x, &offsets)) {
        let alone: Vec<f32> = parts().map(|part| cpu.log_sum_exp(part).expect("a part alone")).collect();
        assert!(bits(&found).eq(bits(&alone)));
    }
    if let Ok(found) = cpu.top_k(padded(segments(&x, &offsets)), k.into()) {
        let k = usize::from(k);
        assert_eq!(found.len(), k * parts().count());
        for (part, found) in parts().zip(if k > 0 { found.chunks(k) } else { [].chunks(1) }) {
            let present = k.min(part.len());
            let alone = cpu.top_k(part, present).expect("no more than there are");
            let places = found[..present].iter().map(|at| at.map(|at| at.index));
            assert!(places.eq(alone.iter().map(|at| Some(at.index))));
            assert!(found[present..].iter().all(Option::is_none));
        }
    }

    let of = |key: &i8| -> Vec<f32> {
        keys.iter().zip(&x).filter(|(of, _)| *of == key).map(|(_, &x)| x).collect()
    };
    if let Ok((distinct, sums)) = cpu.reduce(Sum, by_key(&keys, &x)) {
        let mut expected = keys.clone();
        expected.sort_unstable();
        expected.dedup();
        assert_eq!(distinct, expected);
        let alone: Vec<f32> =
            distinct.iter().map(|key| cpu.reduce(Sum, &of(key)).expect("a key alone")).collect();
        assert!(bits(&sums).eq(bits(&alone)));
        let (_, medians) = cpu.median(by_key(&keys, &x)).expect("medians of what has sums");
        let alone: Vec<f64> = distinct
            .iter()
            .map(|key| cpu.median(&of(key)).expect("a key alone").expect("no key is empty"))
            .collect();
        assert!(medians.iter().map(|x| x.to_bits()).eq(alone.iter().map(|x| x.to_bits())));
    }
});

fn bits(x: &[f32]) -> impl Iterator<Item = u32> + '_ {
    x.iter().map(|x| x.to_bits())
}
