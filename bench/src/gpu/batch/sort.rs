//! `bench sort`: u32 keys in several orders, alone and with a u32 value each, against CUB's radix sort and merge sort. Keys are
//! timed between two events, so with what the host does between launches; pairs, which come in new memory, by the host's clock.

use gpu_kernels::moves::sort::shape::{sample_place, sort_items, sort_tile};
use warpfold::{Cpu, Order};

use super::cub::Cub;
use super::ground;
use super::table::{Case, OURS, report};
use super::{Options, random};
use crate::{Outcome, machine::Machine};

/// The command line of `bench sort`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    cub: Cub,
    /// Keys: 2 to the power of this many.
    #[arg(long, default_value_t = 26, value_parser = clap::value_parser!(u32).range(1..=30))]
    log2: u32,
    /// In which orders they come.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "random,sorted,reversed,equal,organ-pipe,median-killer,killer"
    )]
    orders: Vec<Input>,
}

/// An order in which keys come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Input {
    /// None.
    Random,
    /// That wanted.
    Sorted,
    /// The opposite.
    Reversed,
    /// All are one.
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
    fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Sorted => "sorted",
            Self::Reversed => "reversed",
            Self::Equal => "equal",
            Self::OrganPipe => "organ pipe",
            Self::MedianKiller => "median killer",
            Self::Killer => "killer",
        }
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

/// Measures every order, and prints two tables.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    println!("{}", Machine::here());
    let n = 1usize << args.log2;
    let case = |input: &Input, arrays: usize| {
        let bytes = (2 * arrays * n * size_of::<u32>()) as u64;
        Case { name: format!("{} of {n}", input.name()), bytes }
    };
    let keys: Vec<_> = args.orders.iter().map(|input| case(input, 1)).collect();
    let pairs: Vec<_> = args.orders.iter().map(|input| case(input, 2)).collect();
    let (mut of_keys, mut of_pairs) = (Vec::new(), Vec::new());
    let peak = ground::on_device(&args.options, |ground| {
        let peer = args.cub.load()?;
        let mut out = ground.cuda.values::<u32>(n)?;
        for ((input, keys), pairs) in args.orders.iter().zip(&keys).zip(&pairs) {
            // The keys, and behind them the values.
            let mut x = input.keys(n as u32);
            x.extend((0..n as u32).map(|i| i ^ 1));
            let device = ground.cuda.upload(&x)?;
            let (there, values) = (device.slice(..n)?, device.slice(n..)?);
            let (mut right, mut right_values) = (x[..n].to_vec(), x[n..].to_vec());
            Cpu::new().sort_pairs(&mut right, &mut right_values, Order::Ascending)?;
            of_keys.push(ground.on_device(OURS.to_owned(), keys, &mut || {
                Ok(ground.stream.sort_into(there, &mut out, Order::Ascending)?)
            })?);
            are_right(OURS, &keys.name, &out.to_vec()?, &right)?;
            let mut sorted = None;
            of_pairs.push(ground.on_host(OURS.to_owned(), pairs, &mut || {
                // What there was goes first, so that its memory can be had again.
                drop(sorted.take());
                sorted = Some(ground.cuda.sort_pairs(there, values, Order::Ascending)?);
                Ok(())
            })?);
            if let Some((keys, values)) = sorted {
                are_right(OURS, &pairs.name, &keys.to_vec()?, &right)?;
                are_right(OURS, &pairs.name, &values.to_vec()?, &right_values)?;
            }
            let Some(peer) = &peer else { continue };
            let (from, what) = (device.as_device_ptr(), [n as u64, 0]);
            for name in [("peer_radix_sort_u32", "CUB radix sort"), ("peer_merge_sort_u32", "CUB merge sort")]
            {
                // SAFETY: peers/sort.cu declares the functions so; the array stays until the stream has settled.
                let (figure, found) = unsafe { peer.outputs::<u32>(ground, name, keys, from, what, n) }?;
                are_right(name.1, &keys.name, &found, &right)?;
                of_keys.push(figure);
            }
            for name in [
                ("peer_radix_sort_pairs_u32", "CUB radix sort"),
                ("peer_merge_sort_pairs_u32", "CUB merge sort"),
            ] {
                // SAFETY: as above; the values stand behind the keys on both sides.
                let (figure, found) = unsafe { peer.outputs::<u32>(ground, name, pairs, from, what, 2 * n) }?;
                // A merge sort of pairs need not keep the order of equal keys' values.
                are_right(name.1, &pairs.name, &found[..n], &right)?;
                of_pairs.push(figure);
            }
        }
        Ok(())
    })?;
    report("keys", &keys, &of_keys, peak);
    println!();
    report("pairs", &pairs, &of_pairs, peak);
    Ok(())
}

/// Fails unless what was sorted is what the CPU sorts.
fn are_right(who: &str, case: &str, found: &[u32], right: &[u32]) -> Outcome<()> {
    match found.iter().zip(right).position(|(found, right)| found != right) {
        None if found.len() == right.len() => Ok(()),
        place => Err(format!("{who}, {case}: place {} is not the CPU's", place.unwrap_or(0)).into()),
    }
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

    #[test]
    fn other_keys_are_found() {
        assert!(are_right("a peer", "a case", &[1, 2], &[1, 2]).is_ok());
        assert!(are_right("a peer", "a case", &[1, 2], &[1, 3]).is_err());
        assert!(are_right("a peer", "a case", &[1], &[1, 3]).is_err());
    }
}
