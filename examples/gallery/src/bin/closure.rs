//! Closures as predicates, to count, keep and partition elements, and as an operator.

use warpfold::{Cpu, Error, count, operator};

fn main() -> Result<(), Error> {
    let cpu = Cpu::new();
    let x: Vec<u32> = (0..1000).collect();
    let divisor = 7;
    // A predicate needs the type of its parameter, and moves what it captures, which must be `Copy`.
    let divides = move |v: u32| v.is_multiple_of(divisor);

    assert_eq!(cpu.reduce(count(divides), &x)?, 143);
    let kept = cpu.compact(divides, &x)?;
    assert_eq!(kept[..3], [0, 7, 14]);
    let (parted, how_many) = cpu.partition(divides, &x)?;
    assert_eq!((&parted[..how_many], parted[how_many]), (&kept[..], 1));

    // An identity, and a closure that combines two elements, without captures.
    let product = operator!(1, |a: u32, b| a.wrapping_mul(b) % 65_521);
    assert_eq!(cpu.reduce(product, &x[1..])?, 23_447);

    println!("{how_many} of {} are multiples of {divisor}", x.len());
    Ok(())
}
