//! `bench sort`: keys of 4 and 8 bytes in several orders, alone and with a value of as many bytes each, against CUB's radix sort.
//! Both are timed between two events, so with what the host does between launches.

use bytemuck::Pod;
use clap::ValueEnum;
use gpu_kernels::sort::shapes::{sample_place, sort_items, sort_tile};
use warpfold::elements::{Accumulator, SortKey};
use warpfold::{Cpu, Element, Order};

use super::ground::{Ground, tables};
use super::{Options, are_the_cpus, random};
use crate::Outcome;

/// The command line of `bench sort`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    /// Keys: 2 to the power of this many.
    #[arg(long, value_delimiter = ',', default_value = "26", value_parser = clap::value_parser!(u32).range(1..=30))]
    log2: Vec<u32>,
    /// Bytes of a key, 4 or 8, and of its value.
    #[arg(long, value_delimiter = ',', default_value = "4,8")]
    bytes: Vec<u32>,
    /// In which orders they come.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "random,sorted,reversed,equal,organ-pipe,median-killer,killer"
    )]
    orders: Vec<Input>,
}

/// A type of keys and of values.
trait Key: SortKey + Element + Accumulator + Pod + PartialEq {
    /// CUB's sorts of keys, and of pairs.
    const PEERS: [&'static str; 2];
    /// The key that is meant by a number of 32 bits, in their order.
    fn of(number: u32) -> Self;
}

impl Key for u32 {
    const PEERS: [&'static str; 2] = ["peer_radix_sort_u32", "peer_radix_sort_pairs_u32"];
    fn of(number: u32) -> Self {
        number
    }
}

impl Key for u64 {
    const PEERS: [&'static str; 2] = ["peer_radix_sort_u64", "peer_radix_sort_pairs_u64"];
    /// With digits below that are as random as a hash is, but for equal keys.
    fn of(number: u32) -> Self {
        Self::from(number) << 32 | Self::from(random(number.into()) as u32)
    }
}

/// An order in which keys come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Input {
    /// None.
    Random,
    /// The wanted order.
    Sorted,
    /// The opposite order.
    Reversed,
    /// All elements are equal.
    Equal,
    /// Up, and down again.
    OrganPipe,
    /// One that makes the median of the first, the middle and the last a bad pivot again and again: D. R. Musser,
    /// *Introspective Sorting and Selection Algorithms*, Software: Practice and Experience 27 (1997), section 2.
    MedianKiller,
    /// One whose sample says nothing: our own pivots are all among a few great keys, and nearly all others are small.
    Killer,
}

impl Input {
    /// The name on the command line, in words.
    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().replace('-', " "))
    }

    /// `n` keys, an even number.
    fn keys(self, n: u32) -> Vec<u32> {
        let mut keys: Vec<u32> = (0..n).map(|i| self.key(i, n)).collect();
        let tile = sort_tile(sort_items(size_of::<u32>()));
        if self == Self::Killer && u64::from(n) > tile {
            for number in 0..tile as u32 {
                keys[sample_place(number, tile, 0, n.into()) as usize] = u32::MAX - number;
            }
        }
        keys
    }

    /// Key `i` of them, before what the sample sees.
    fn key(self, i: u32, n: u32) -> u32 {
        match self {
            Self::Random => random(i.into()) as u32,
            Self::Sorted => i,
            Self::Reversed => n - 1 - i,
            Self::Equal => 7,
            Self::OrganPipe => i.min(n - 1 - i),
            Self::Killer => random(i.into()) as u32 >> 12,
            Self::MedianKiller => {
                let half = n / 2;
                match i {
                    _ if i >= half => 2 * (i - half + 1),
                    _ if i.is_multiple_of(2) => i + 1,
                    _ => half + i,
                }
            }
        }
    }
}

/// Measures every order of every size, and prints two tables for each type.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    tables(&args.options, None, |ground| {
        for &bytes in &args.bytes {
            for &log2 in &args.log2 {
                let measure = match bytes {
                    4 => measure::<u32>,
                    8 => measure::<u64>,
                    _ => return Err("--bytes takes 4 and 8".into()),
                };
                args.orders.iter().try_for_each(|&input| measure(ground, input, 1 << log2))?;
            }
        }
        Ok(())
    })
}

/// Measures the sorts of `n` keys of one type.
fn measure<T: Key>(ground: &Ground<'_>, input: Input, n: usize) -> Outcome<()> {
    let (name, bytes) = (format!("{} of {n}", input.name()), size_of::<T>());
    let keys = ground.case(&format!("keys of {bytes} bytes"), &name, 2 * n * bytes);
    let pairs = ground.case(&format!("pairs of {bytes} and {bytes} bytes"), &name, 4 * n * bytes);
    // The keys, and behind them the values.
    let mut x: Vec<T> = input.keys(n as u32).into_iter().map(T::of).collect();
    x.extend((0..n as u32).map(|i| T::of(i ^ 1)));
    let device = ground.cuda.upload(&x)?;
    let (there, values) = (device.slice(..n)?, device.slice(n..)?);
    let (right, right_values) = x.split_at_mut(n);
    Cpu::new().sort_pairs(&mut *right, right_values, Order::Ascending)?;
    let (mut out, mut values_out) = (ground.cuda.values::<T>(n)?, ground.cuda.values::<T>(n)?);
    ground.ours(keys, &mut || Ok(ground.stream.sort_into(there, &mut out, Order::Ascending)?))?;
    are_the_cpus(&name, &out.to_vec()?, right)?;
    ground.ours(pairs, &mut || {
        Ok(ground.stream.sort_pairs_into(there, values, &mut out, &mut values_out, Order::Ascending)?)
    })?;
    are_the_cpus(&format!("{name}, pairs"), &[out.to_vec()?, values_out.to_vec()?].concat(), &x)?;
    let from = (device.as_device_ptr(), [n as u64, 0]);
    for ((function, case), outputs) in T::PEERS.into_iter().zip([keys, pairs]).zip([n, 2 * n]) {
        let check = |found: &[T]| are_the_cpus(&format!("{function}, {name}"), found, &x[..outputs]);
        // SAFETY: peers/sort.cu declares the functions; the array stays until the stream has settled, and values
        // stand behind their keys on both sides.
        unsafe { ground.theirs((function, "CUB radix sort"), case, from, outputs, check) }?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_what_they_say() {
        let of = |input: Input| -> Vec<u32> { (0..8).map(|i| input.key(i, 8)).collect() };
        assert_eq!(of(Input::OrganPipe), [0, 1, 2, 3, 3, 2, 1, 0]);
        assert_eq!(of(Input::Reversed), [7, 6, 5, 4, 3, 2, 1, 0]);
        // Musser's sequence of 8.
        assert_eq!(of(Input::MedianKiller), [1, 5, 3, 7, 2, 4, 6, 8]);
    }

    #[test]
    fn the_sample_of_a_killer_is_all_of_its_great_keys() {
        let tile = sort_tile(sort_items(size_of::<u32>()));
        let n = 4 * tile as u32;
        let keys = Input::Killer.keys(n);
        let great = |key: u32| key > u32::MAX - tile as u32;
        assert!((0..tile as u32).all(|number| great(keys[sample_place(number, tile, 0, n.into()) as usize])));
        assert_eq!(keys.iter().filter(|&&key| great(key)).count(), tile as usize);
        assert!(keys.iter().all(|&key| great(key) || key < 1 << 20));
    }
}
