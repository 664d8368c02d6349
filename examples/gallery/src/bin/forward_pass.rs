//! The head of a language model on rows, with the same bits in any batch: norm, logits, log-probabilities, the likeliest token.
use warpfold::{ArgMax, Cpu, Dot, Error, rows, zip};

const WIDTH: usize = 64;
const TOKENS: usize = 100;

/// Numbers that look random.
fn numbers(seed: usize, n: usize) -> Vec<f32> {
    (0..n).map(|i| ((i + seed) * 7919 % 10_007) as f32 / 10_007.0 - 0.5).collect()
}

/// Returns the likeliest token of each row of hidden states, and its log-probability.
fn tokens(cpu: &Cpu, hidden: &[f32], head: &[f32]) -> Result<Vec<(u64, f32)>, Error> {
    let count = hidden.len() / WIDTH;
    let normed = cpu.rms_norm(rows(hidden, [count, WIDTH]), None, 1e-6)?;
    let mut logits = Vec::new();
    for state in normed.chunks(WIDTH) {
        for token in head.chunks(WIDTH) {
            logits.push(8.0 * cpu.reduce(Dot, zip(state, token))?);
        }
    }
    cpu.log_softmax(rows(&mut logits, [count, TOKENS]))?; // in place
    let likeliest = cpu.reduce(ArgMax, rows(&logits, [count, TOKENS]))?;
    Ok(likeliest.into_iter().flatten().map(|at| (at.index, at.value)).collect())
}

fn main() -> Result<(), Error> {
    let (hidden, head) = (numbers(1, 32 * WIDTH), numbers(77, TOKENS * WIDTH));
    let batch = tokens(&Cpu::new(), &hidden, &head)?;
    // Each row alone, on one thread.
    let one = Cpu::with_threads(1)?;
    for (row, &(token, logarithm)) in hidden.chunks(WIDTH).zip(&batch) {
        let (alone, its) = tokens(&one, row, &head)?[0];
        assert_eq!((alone, its.to_bits()), (token, logarithm.to_bits()));
    }
    let (token, logarithm) = batch[0];
    println!("the first token is {token} with probability {:.4}", warpfold_elementary::exp(logarithm));
    Ok(())
}
