//! Random formulas of a grammar, by a seed or by bytes.

pub mod text;

use std::cell::RefCell;
use std::marker::PhantomData;

use warpfold::Formula;
use warpfold::formula::{
    Body, Combined, MOST_CAPTURED, Maybe, Mode, Numeric, Operation, Value, Written, captured,
};

thread_local! {
    static DICE: RefCell<Dice> = const { RefCell::new(Dice::of(0)) };
}

/// A random formula over `T`. With the seed 0 it has the dice of the innermost call of [`with_dice`] on this thread.
#[derive(Debug)]
pub struct Random<T, const SEED: u64>(PhantomData<T>);

/// Calls `call`, in which formulas of seed 0 are made by these dice.
pub fn with_dice<R>(dice: Dice, call: impl FnOnce() -> R) -> R {
    let before = DICE.replace(dice);
    let result = call();
    DICE.set(before);
    result
}

/// Returns a random formula. It captures three numbers.
#[must_use]
pub fn random<T: Grammar, const SEED: u64>(captured: [T; 3]) -> Formula<Random<T, SEED>> {
    Formula::new(captured.map(T::to_word))
}

/// A random formula over pairs of `T`, of which some have no result. It has the dice of the innermost call of [`with_dice`].
#[derive(Debug)]
pub struct RandomOfPairs<T>(PhantomData<T>);

/// Returns a random formula over pairs. It captures three numbers.
#[must_use]
pub fn random_of_pairs<T: Grammar>(captured: [T; 3]) -> Formula<RandomOfPairs<T>> {
    Formula::new(captured.map(T::to_word))
}

/// A random condition of an element, with the dice of [`Random`].
#[derive(Debug)]
pub struct RandomPredicate<T, const SEED: u64>(PhantomData<T>);

/// Returns a random condition. It captures three numbers.
#[must_use]
pub fn random_predicate<T: Grammar, const SEED: u64>(captured: [T; 3]) -> Formula<RandomPredicate<T, SEED>> {
    Formula::new(captured.map(T::to_word))
}

impl<T: Grammar, const SEED: u64> Body for Random<T, SEED> {
    type In = T;
    type Out = T;
    const PLACE: &'static str = "a random formula";

    fn apply<M: Mode>(x: Value<M, T>, words: &[u64; MOST_CAPTURED]) -> Value<M, T> {
        grown(&mut dice_of(SEED), with_captured(&[x], words)).0
    }
}

impl<T: Grammar, const SEED: u64> Body for RandomPredicate<T, SEED> {
    type In = T;
    type Out = bool;
    const PLACE: &'static str = "a random formula";

    fn apply<M: Mode>(x: Value<M, T>, words: &[u64; MOST_CAPTURED]) -> Value<M, bool> {
        let (result, holds) = grown(&mut dice_of(SEED), with_captured(&[x], words));
        holds ^ result.lt(x)
    }
}

/// Returns the dice of a seed, or with the seed 0 those of the innermost call of [`with_dice`].
fn dice_of(seed: u64) -> Dice {
    if seed == 0 { DICE.with_borrow(Clone::clone) } else { Dice::of(seed) }
}

impl<T: Grammar> Body for RandomOfPairs<T> {
    type In = [T; 2];
    type Out = Option<T>;
    const PLACE: &'static str = "a random formula";

    fn apply<M: Mode>((x, y): (Value<M, T>, Value<M, T>), words: &[u64; MOST_CAPTURED]) -> Maybe<M, T> {
        let (result, holds) = grown(&mut DICE.with_borrow(Clone::clone), with_captured(&[x, y], words));
        holds.then_some(result)
    }
}

/// What combines two numbers at random, with the dice of [`Random`].
#[derive(Debug)]
pub struct RandomOperation<T, const SEED: u64>(PhantomData<T>);

/// An operator that combines by a random formula, and keeps the elements' order.
pub type RandomOperator<T, const SEED: u64> = Combined<Written<RandomOperation<T, SEED>>, false>;

impl<T: Grammar, const SEED: u64> Operation for RandomOperation<T, SEED> {
    type Number = T;
    const IDENTITY: T = T::SOME[1];
    const PLACE: &'static str = "a random formula";

    fn combine<M: Mode>(left: Value<M, T>, right: Value<M, T>) -> Value<M, T> {
        grown(&mut dice_of(SEED), vec![left, right]).0
    }
}

/// Returns some values and three captured ones.
fn with_captured<M: Mode, T: Grammar>(
    values: &[Value<M, T>],
    words: &[u64; MOST_CAPTURED],
) -> Vec<Value<M, T>> {
    let mut rest = words.as_slice();
    let captured = [(); 3].map(|()| captured::<M, T, T>(values[0], &mut rest));
    [values, &captured].concat()
}

/// Returns a value that was computed from others, and a condition.
fn grown<M: Mode, T: Grammar>(
    dice: &mut Dice,
    mut values: Vec<Value<M, T>>,
) -> (Value<M, T>, Value<M, bool>) {
    let mut flags = vec![values[0].lt(values[1])];
    for _ in 0..4 + dice.below(12) {
        // More often the latest, so that formulas are deep.
        let newest = values.len() - 1;
        let of = |dice: &mut Dice| values[if dice.below(2) == 0 { newest } else { dice.below(newest + 1) }];
        let (a, b) = (of(dice), of(dice));
        let flag = flags[dice.below(flags.len())];
        values.push(match dice.below(8) {
            0 => flag.select(a, b),
            1 => a.min(b),
            2 => a.max(b),
            3 => {
                let other = flags[dice.below(flags.len())];
                flags.push(match dice.below(10) {
                    0 => a.lt(b),
                    1 => a.le(b),
                    2 => a.gt(b),
                    3 => a.ge(b),
                    4 => a.eq(b),
                    5 => a.ne(b),
                    6 => flag & other,
                    7 => flag | other,
                    8 => flag ^ other,
                    _ => !flag,
                });
                flag.to::<T>()
            }
            _ => T::step(dice, a, b),
        });
    }
    (values[values.len() - 1], flags[flags.len() - 1])
}

/// A sequence of random numbers: of bytes, and then of a seed.
#[derive(Clone, Debug)]
pub struct Dice {
    /// The bytes that are left, the next one last.
    bytes: Vec<u8>,
    seed: u64,
}

impl Dice {
    /// Returns the sequence of a seed.
    #[must_use]
    pub const fn of(seed: u64) -> Self {
        Self { bytes: Vec::new(), seed }
    }

    /// Returns the sequence of some bytes.
    #[must_use]
    pub fn of_bytes(mut bytes: Vec<u8>) -> Self {
        bytes.reverse();
        Self { bytes, seed: 0 }
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        if let Some(byte) = self.bytes.pop() {
            return usize::from(byte) % end;
        }
        // splitmix64.
        self.seed = self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.seed ^ (self.seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }
}

/// A number with the operations that only some types have.
pub trait Grammar: Numeric {
    /// Returns the result of a random operation.
    fn step<M: Mode>(dice: &mut Dice, a: Value<M, Self>, b: Value<M, Self>) -> Value<M, Self>;
    /// Returns a number between others, and its type's limits.
    const SOME: [Self; 6];
}

macro_rules! floats {
    ($($type:ident),*) => { $(
        impl Grammar for $type {
            const SOME: [Self; 6] = [0.5, -1.5, 0.0, 3.0, $type::INFINITY, $type::MIN_POSITIVE];

            fn step<M: Mode>(dice: &mut Dice, a: Value<M, Self>, b: Value<M, Self>) -> Value<M, Self> {
                let some = Self::SOME[dice.below(6)];
                match dice.below(21) {
                    0 => a + b,
                    1 => a - b,
                    2 => a * b,
                    3 => a / b,
                    4 => a + some,
                    5 => some - a,
                    6 => a * some,
                    7 => some / a,
                    8 => -a,
                    9 => a.abs(),
                    10 => a.sqrt(),
                    11 => a.floor(),
                    12 => a.ceil(),
                    13 => a.trunc(),
                    14 => a.round_ties_even(),
                    15 => a.copysign(b),
                    16 => a.clamp(some, b),
                    17 => convert(dice, a),
                    // What a contraction would change, and what a rounded constant would.
                    18 => a * b + a,
                    19 => match dice.below(9) {
                        0 => a.exp(),
                        1 => a.exp2(),
                        2 => a.expm1(),
                        3 => a.log(),
                        4 => a.log2(),
                        5 => a.log1p(),
                        6 => a.tanh(),
                        7 => a.sigmoid(),
                        _ => a.rsqrt(),
                    },
                    _ => (a - b) * 0.1,
                }
            }
        }
    )* };
}
floats!(f32, f64);

macro_rules! integers {
    ($($type:ident: $($signed:ident)?;)*) => { $(
        impl Grammar for $type {
            const SOME: [Self; 6] = [0, 1, 3, 0x55, $type::MIN, $type::MAX];

            fn step<M: Mode>(dice: &mut Dice, a: Value<M, Self>, b: Value<M, Self>) -> Value<M, Self> {
                let (some, bits) = (Self::SOME[dice.below(6)], dice.below(70) as u32);
                match dice.below(19) {
                    0 => a + b,
                    1 => a - b,
                    2 => a * b,
                    14 => a / b,
                    15 => a % b,
                    16 => a / some,
                    17 => some % a,
                    3 => a + some,
                    4 => some - a,
                    5 => a & b,
                    6 => a | some,
                    7 => a ^ b,
                    8 => !a,
                    9 => a << bits,
                    10 => a >> bits,
                    11 => a.clamp(some, b),
                    12 => convert(dice, a),
                    $(13 => { let $signed = a; -$signed.abs() })?
                    _ => some * a,
                }
            }
        }
    )* };
}
integers! {
    i32: x;
    i64: x;
    u32:;
    u64:;
}

/// Converts to another type and back.
fn convert<T: Grammar, M: Mode>(dice: &mut Dice, a: Value<M, T>) -> Value<M, T> {
    match dice.below(6) {
        0 => a.to::<f32>().to(),
        1 => a.to::<f64>().to(),
        2 => a.to::<i32>().to(),
        3 => a.to::<i64>().to(),
        4 => a.to::<u32>().to(),
        _ => a.to::<u64>().to(),
    }
}
