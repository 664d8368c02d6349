//! A rank that does not come is an error on the others, within the limit, and its device works on.

use std::time::{Duration, Instant};

use warpfold::{Cuda, Error, Sum};

use super::ranks::{counts, on_each};

const SHORT: Duration = Duration::from_secs(2);
const MARGIN: Duration = Duration::from_secs(25);

#[test]
fn a_late_rank_is_an_error_and_the_device_works_on() {
    for devices in counts() {
        on_each(devices, SHORT, |world, cuda: &Cuda| {
            let stream = cuda.stream().unwrap();
            let mut values = cuda.values::<f32>(10_000_000).unwrap();
            let mut graph = stream.capture(|stream| world.all_reduce_on(stream, Sum, &mut values)).unwrap();
            if world.rank() == 1 {
                // Neither launches nor ends.
                std::thread::sleep(SHORT + Duration::from_secs(1));
                return;
            }
            let begun = Instant::now();
            graph.launch(&stream).unwrap();
            let read = values.to_vec();
            assert!(matches!(read, Err(Error::Nccl { .. })), "{:?}", read.map(|read| read.len()));
            assert!(begun.elapsed() < MARGIN, "{:?}", begun.elapsed());
            assert!(stream.synchronize().is_err());
            drop((graph, stream));
            let x = cuda.upload(&[1.0f32, 2.0]).unwrap();
            assert_eq!(cuda.reduce(Sum, &x).unwrap(), 3.0);
            assert_eq!(cuda.failed_frees(), 0);
        });
    }
}

#[test]
fn a_device_that_two_ranks_have_is_an_error() {
    if counts().is_empty() {
        return;
    }
    let cuda = Cuda::open(0).unwrap();
    std::thread::scope(|scope| {
        let ranks = warpfold::Threads::new(2).into_iter();
        let cuda = &cuda;
        let join = move |rank| warpfold::Nccl::with_time_limit(rank, cuda, SHORT).map(drop);
        let ranks: Vec<_> = ranks.map(|rank| scope.spawn(move || join(rank))).collect();
        for rank in ranks {
            let joined = rank.join().unwrap();
            assert!(matches!(joined, Err(Error::Nccl { .. } | Error::Rank { .. })), "{joined:?}");
        }
    });
}
