//! Sums and deviations whose order does not matter: streamed, forked, merged, sent and taken back.
use warpfold_exact::{Moments, Sum};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let prices: Vec<f64> = (0..10_000).map(|i| f64::from(i * 7919 % 10_007) / 100.0).collect();

    // Three workers take what comes. Each state is the same, however the work is divided.
    let mut workers = [Sum::new(), Sum::new(), Sum::new()];
    for (i, &price) in prices.iter().enumerate() {
        workers[i * i % 3].push(price);
    }
    let mut total: Sum<f64> = workers.iter().sum();
    assert_eq!(total, prices.iter().rev().collect());

    // One sends its state as bytes, and others check that they have the same elements.
    let mut buffer = [0; Sum::<f64>::MAX_BYTES];
    let bytes = total.encode(&mut buffer)?;
    println!("{} prices sum up to {}, in {} bytes", total.count(), total.value(), bytes.len());
    assert_eq!(Sum::decode(bytes)?, total);

    // A fork goes another way. What was wrong is taken back, even a NaN, and nothing is left of it.
    let mut fork = total;
    fork.extend([1e300, f64::NAN]);
    assert!(fork.value().is_nan() && total.value().is_finite());
    fork.retract(f64::NAN);
    fork.retract(1e300);
    assert_eq!(fork, total);
    total -= workers[0];
    assert_eq!(total, workers[1..].iter().sum());

    // A window moves over the prices: what enters is pushed, what leaves is taken back.
    let mut window: Moments<f64> = prices[..100].iter().collect();
    for (&leaves, &enters) in prices.iter().zip(&prices[100..]) {
        window.retract(leaves);
        window.push(enters);
    }
    assert_eq!(window, prices[prices.len() - 100..].iter().collect());
    println!("the last 100 have mean {:?} and deviation {:?}", window.mean(), window.sample_std_dev());
    Ok(())
}
