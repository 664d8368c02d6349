//! A communicator whose `send` waits until the bytes are received. Ranks never wait for each other in any method.

use std::thread;
use std::time::Duration;

use test_kernels::{Ordered, mix};
use warpfold::{
    Above, Communicator, Cpu, Error, Order, Scan, Sum, SumIn, Threads, World, groups, runs, segments, tree,
};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::{Bits, samples};

use super::cuts::ending;

/// Threads whose `send` returns once the other rank has received.
struct Waiting(Threads);

impl Communicator for Waiting {
    fn rank(&self) -> usize {
        self.0.rank()
    }
    fn size(&self) -> usize {
        self.0.size()
    }
    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        self.0.all_gather(bytes)
    }
    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), Error> {
        self.0.send(to, bytes)?;
        self.0.recv(to, &mut [0])
    }
    fn recv(&self, from: usize, bytes: &mut [u8]) -> Result<(), Error> {
        self.0.recv(from, bytes)?;
        self.0.send(from, &[0])
    }
}

#[test]
fn every_verb_goes_on() {
    let n = 3 * tree::tile_len::<u32>(0) as usize + 100;
    let x = samples::<u32>(Ordinary, 1, n as u64);
    let ids: Vec<u32> = (0..n).map(|i| mix(i as u64) as u32 % 5 * u32::from(i % 2 == 0)).collect();
    let keys: Vec<u32> = (0..n as u32).map(|i| i / 5000).collect();
    let offsets = [0, 7, n / 2, n];
    let limit = Duration::from_secs(60);
    for ends in [vec![n / 2], vec![5, 5, 9], vec![n / 5, n / 3, n / 2, n / 2 + 1, n - 1]] {
        let cut = ending(&ends, n);
        let call = |world: &World<Waiting>, part: std::ops::Range<usize>| {
            let (op, own, above) = (Ordered::default(), &x[part.clone()], Above { threshold: 1000_u32 });
            world.reduce(op, own)?;
            world.reduce(op, segments(own, &offsets))?;
            world.reduce(op, runs(&keys[part.clone()], own))?;
            world.reduce(op, groups(&ids[part], own, 5))?;
            world.scan(op, own, Scan::inclusive())?;
            world.scan(op, segments(own, &offsets), Scan::inclusive())?;
            world.compact(above, own)?;
            world.unique(own)?;
            world.partition(above, own)?;
            world.top_k(own, 3)?;
            world.median(own)?;
            world.argsort(own, Order::Descending)?;
            let (mut keys, mut sorted, mut sums) = (own.to_vec(), own.to_vec(), [1_i32; 9]);
            world.sort_pairs(&mut keys, &mut sorted, Order::Descending)?;
            world.sort(&mut sorted, Order::Ascending)?;
            world.all_reduce(SumIn::<i32>::default(), &mut sums)?;
            assert_eq!(sums, [world.size() as i32; 9]);
            world.reduce_scatter(Sum, &sums)?;
            world.reduce(op, &sorted)
        };
        let mut sorted = x.clone();
        Cpu::new().sort(&mut sorted, Order::Ascending).unwrap();
        let expected = Cpu::new().reduce(Ordered::default(), &sorted).unwrap().bits();
        let call = &call;
        let found: Vec<_> = thread::scope(|scope| {
            let ranks = Threads::new(cut.len()).into_iter().zip(&cut);
            let rank = |(threads, part): (Threads, &std::ops::Range<usize>)| {
                let (world, part) = (Waiting(threads.with_time_limit(limit)), part.clone());
                scope.spawn(move || call(&World::new(world), part))
            };
            let ranks: Vec<_> = ranks.map(rank).collect();
            ranks.into_iter().map(|rank| rank.join().unwrap().unwrap().bits()).collect()
        });
        assert!(found.iter().all(|found| *found == expected), "{cut:?}");
    }
}
