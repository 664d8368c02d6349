//! Chooses the next word of each sentence on a GPU, from the most likely ones: the first few logits of each row.

use warpfold::{Cuda, Error, rows};

const SENTENCES: usize = 4;
const WORDS: usize = 50_000;
const FIRST: usize = 3;

fn main() -> Result<(), Error> {
    let cuda = match Cuda::open(0) {
        Ok(cuda) => cuda,
        Err(error) => return Ok(println!("{error}")),
    };
    // A row of logits for each sentence. Word 7 i + 1 is the most likely one for sentence i, then 7 i, then word 0 or 1.
    let logit = |sentence: usize, word: usize| match word {
        word if word == 7 * sentence + 1 => 3.0,
        word if word == 7 * sentence => 2.0,
        word => -(word as f32).sqrt(),
    };
    let logits: Vec<f32> = (0..SENTENCES * WORDS).map(|i| logit(i / WORDS, i % WORDS)).collect();
    let logits = cuda.upload(&logits)?;

    let (values, words) = cuda.top_k(rows(&logits, [SENTENCES, WORDS]), FIRST)?;
    let (values, words) = (values.to_vec()?, words.to_vec()?);

    for (sentence, (values, words)) in values.chunks(FIRST).zip(words.chunks(FIRST)).enumerate() {
        assert_eq!(words[..2], [7 * sentence as u64 + 1, 7 * sentence as u64]);
        // By the weights of softmax, with the random number 0.5.
        let weights = values.iter().map(|value| (value - values[0]).exp());
        let mut left = 0.5 * weights.clone().sum::<f32>();
        let chosen = weights
            .take_while(|weight| {
                left -= weight;
                left > 0.0
            })
            .count();
        println!("sentence {sentence}: word {} of {words:?}", words[chosen]);
    }
    Ok(())
}
