//! `bench sort`: keys of 4 and 8 bytes in several orders, alone and with a value of as many bytes each, against CUB's radix sort.
//! Both are timed between two events, so with what the host does between launches.

use bytemuck::Pod;
use gpu_kernels::sort::shapes::{sample_place, sort_items, sort_tile};
use warpfold::{Accumulator, Cpu, Element, Order, SortKey};

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

/// Measures every order of every size, and prints two tables for each type.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    println!("{}", Machine::here());
    for &bytes in &args.bytes {
        match bytes {
            4 => measure::<u32>(args)?,
            8 => measure::<u64>(args)?,
            _ => return Err("--bytes takes 4 and 8".into()),
        }
    }
    Ok(())
}

/// Measures the sorts of keys of one type.
fn measure<T: Key>(args: &Args) -> Outcome<()> {
    let sizes =
        || args.log2.iter().flat_map(|&log2| args.orders.iter().map(move |&input| (input, 1usize << log2)));
    let case = |(input, n): (Input, usize), arrays: usize| {
        let bytes = (2 * arrays * n * size_of::<T>()) as u64;
        Case { name: format!("{} of {n}", input.name()), bytes }
    };
    let keys: Vec<_> = sizes().map(|of| case(of, 1)).collect();
    let pairs: Vec<_> = sizes().map(|of| case(of, 2)).collect();
    let (mut of_keys, mut of_pairs) = (Vec::new(), Vec::new());
    let peak = ground::on_device(&args.options, |ground| {
        let peer = args.cub.load()?;
        for (((input, n), keys), pairs) in sizes().zip(&keys).zip(&pairs) {
            // The keys, and behind them the values.
            let mut x: Vec<T> = input.keys(n as u32).into_iter().map(T::of).collect();
            x.extend((0..n as u32).map(|i| T::of(i ^ 1)));
            let device = ground.cuda.upload(&x)?;
            let (there, values) = (device.slice(..n)?, device.slice(n..)?);
            let (mut right, mut right_values) = (x[..n].to_vec(), x[n..].to_vec());
            Cpu::new().sort_pairs(&mut right, &mut right_values, Order::Ascending)?;
            let (mut out, mut values_out) = (ground.cuda.values::<T>(n)?, ground.cuda.values::<T>(n)?);
            of_keys.push(ground.on_device(OURS.to_owned(), keys, &mut || {
                Ok(ground.stream.sort_into(there, &mut out, Order::Ascending)?)
            })?);
            are_right(OURS, &keys.name, &out.to_vec()?, &right)?;
            of_pairs.push(ground.on_device(OURS.to_owned(), pairs, &mut || {
                let order = Order::Ascending;
                Ok(ground.stream.sort_pairs_into(there, values, &mut out, &mut values_out, order)?)
            })?);
            are_right(OURS, &pairs.name, &out.to_vec()?, &right)?;
            are_right(OURS, &pairs.name, &values_out.to_vec()?, &right_values)?;
            let Some(peer) = &peer else { continue };
            let (from, what, [of_keys_alone, of_both]) = (device.as_device_ptr(), [n as u64, 0], T::PEERS);
            let name = (of_keys_alone, "CUB radix sort");
            // SAFETY: peers/sort.cu declares the functions so; the array stays until the stream has settled.
            let (figure, found) = unsafe { peer.outputs::<T>(ground, name, keys, from, what, n) }?;
            are_right(name.1, &keys.name, &found, &right)?;
            of_keys.push(figure);
            let name = (of_both, "CUB radix sort");
            // SAFETY: as above; the values stand behind the keys on both sides.
            let (figure, found) = unsafe { peer.outputs::<T>(ground, name, pairs, from, what, 2 * n) }?;
            are_right(name.1, &pairs.name, &found[..n], &right)?;
            are_right(name.1, &pairs.name, &found[n..], &right_values)?;
            of_pairs.push(figure);
        }
        Ok(())
    })?;
    let bytes = size_of::<T>();
    report(&format!("keys of {bytes} bytes"), &keys, &of_keys, peak);
    println!();
    report(&format!("pairs of {bytes} and {bytes} bytes"), &pairs, &of_pairs, peak);
    println!();
    Ok(())
}

/// Fails unless what was sorted is what the CPU sorts.
fn are_right<T: PartialEq>(who: &str, case: &str, found: &[T], right: &[T]) -> Outcome<()> {
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
