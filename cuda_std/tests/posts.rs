//! Posts: values arrive whole, whoever runs first, and endless waits are reported. Vectors in shared memory
//! keep what was written.
//! there.
#![cfg(feature = "emulator")]
#![allow(missing_docs)]

use cuda_std::atomic::AtomicCells;
use cuda_std::emulator::{Launch, Misuse, Order};
use cuda_std::posts::Posts;
use cuda_std::thread::{block_idx_x, nanosleep, sync_threads, thread_idx_x};
use cuda_std::warp::{ALL, warp_shuffle_xor};

/// Waits for a post.
fn wait<A: bytemuck::Pod>(posts: Posts<A>, index: u64) -> A {
    loop {
        match posts.look(index) {
            Some(value) => return value,
            None => nanosleep(100),
        }
    }
}

#[test]
fn values_go_from_ticket_to_ticket() {
    const BLOCKS: u32 = 40;
    for order in [Order::InOrder, Order::Reversed, Order::Shuffled(3), Order::Interleaved(3)] {
        let mut words = vec![0_u64; 1 + 3 * BLOCKS as usize];
        let start = words.as_mut_ptr();
        let launch = Launch::new(BLOCKS, 1).order(order).register(&raw const words[..]);
        let run = launch.run(|| {
            // SAFETY: there are a counter and three zeroed words for each of 40 values, and they live as long as the launch.
            let (tickets, posts) = unsafe {
                let posts = Posts::<[u32; 3]>::new(start.add(1), BLOCKS.into());
                (AtomicCells::<u32>::new(start.cast(), 1), posts)
            };
            let ticket = u64::from(tickets.fetch_add(0, 1));
            let [a, b, c] = if ticket == 0 { [1, 2, 3] } else { wait(posts, ticket - 1) };
            posts.post(ticket, [b, c, a.wrapping_add(b)]);
        });
        run.unwrap_or_else(|misuse| panic!("{order:?}: {misuse}"));
        // SAFETY: the launch has ended.
        let posts = unsafe { Posts::<[u32; 3]>::new(start.add(1), BLOCKS.into()) };
        let found = std::cell::Cell::new(None);
        Launch::new(1, 1).run(|| found.set(posts.look_column::<2>(BLOCKS as u64 - 2, 1, 2))).unwrap();
        let mut all = vec![[1_u32, 2, 3]];
        for i in 0..BLOCKS as usize {
            let [a, b, c] = all[i];
            all.push([b, c, a.wrapping_add(b)]);
        }
        let last = all.len() - 1;
        assert_eq!(found.get(), Some([all[last - 1], all[last]]), "{order:?}");
    }
}

#[test]
fn waiting_for_nobody_is_reported() {
    let mut words = [0_u64; 4];
    let start = words.as_mut_ptr();
    let found = Launch::new(2, 1).order(Order::Interleaved(1)).run(|| {
        // SAFETY: there are two zeroed words for each of two values, and they live as long as the launch.
        let posts = unsafe { Posts::<u64>::new(start, 2) };
        if block_idx_x() == 0 {
            posts.post(0, 7);
        } else {
            let _ = wait(posts, 0) + wait(posts, 1);
        }
    });
    assert!(matches!(found, Err(Misuse::Spinning { .. })), "{found:?}");
}

#[test]
fn a_column_counts_only_what_is_wanted() {
    let mut words = [0_u64; 6];
    let start = words.as_mut_ptr();
    Launch::new(1, 1)
        .run(|| {
            // SAFETY: there is a zeroed word for each of six values, and they live as long as the launch.
            let posts = unsafe { Posts::<u32>::new(start, 6) };
            posts.post(1, 10);
            posts.post(3, 30);
            assert_eq!(posts.look_column::<3>(1, 2, 2).map(|found| [found[0], found[1]]), Some([10, 30]));
            assert_eq!(posts.look_column::<3>(1, 2, 3), None);
        })
        .unwrap();
}

cuda_std::shared_bytes! {
    /// One vector per thread.
    fn vectors: 1024
}

#[test]
fn shared_vectors_go_round() {
    Launch::new(1, 64)
        .run(|| {
            let (thread, places) = (thread_idx_x(), vectors().vectors::<64>());
            places.write(thread as usize, [thread, thread + 1, thread + 2, thread + 3]);
            sync_threads();
            let other = 63 - thread;
            assert_eq!(places.read(other as usize), [other, other + 1, other + 2, other + 3]);
        })
        .unwrap();
}

/// Passes words around among the lanes of each warp, and meets at barriers.
fn work(rounds: u32) {
    let mut word = thread_idx_x();
    for _ in 0..rounds {
        for _ in 0..20 {
            // SAFETY: all lanes of the warp are here.
            word = unsafe { warp_shuffle_xor(ALL, word, 1, 32) }.0;
        }
        sync_threads();
    }
}

/// Eight blocks do as much work as each other, post, work on, and look at the post of the block before. What an earlier launch
/// left there is read by one of them: interleaved blocks are not all about as far.
#[test]
fn posts_that_nobody_cleared_are_read() {
    const STALE: u64 = 1 << 32 | 7;
    let is_found = |seed: u64| {
        let (mut words, mut found) = ([STALE; 8], [0_u32; 8]);
        let (start, to) = (words.as_mut_ptr(), found.as_mut_ptr());
        let run = Launch::new(8, 128).order(Order::Interleaved(seed)).run(|| {
            // SAFETY: there is a word for each of eight values, and they live as long as the launch.
            let posts = unsafe { Posts::<u32>::new(start, 8) };
            let block = u64::from(block_idx_x());
            work(10);
            if thread_idx_x() == 0 {
                posts.post(block, 1000);
            }
            work(5);
            if thread_idx_x() == 0 && block > 0 {
                // SAFETY: each block has a place of its own.
                unsafe { to.add(block as usize).write(wait(posts, block - 1)) }
            }
        });
        run.unwrap();
        found.contains(&7)
    };
    assert!((0..8).all(is_found));
}
