//! The least of a device that a look back needs: words, tickets, and blocks of one thread.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use warpfold_models::sync::atomic::{AtomicU32, AtomicU64};
use warpfold_models::{Part, lacks};

use crate::hand_over::ticket;
use crate::posts::Posts;

/// Words of each kind.
const WORDS: usize = 8;

/// Global memory of a launch. Each word has an address, by which it is found.
#[derive(Debug)]
pub(crate) struct Device {
    ticket: AtomicU32,
    words: Vec<AtomicU64>,
    addresses: Vec<u64>,
}

thread_local! {
    /// The memory of the launch being run: all threads of a model are coroutines of one thread.
    static MEMORY: std::cell::RefCell<Option<Arc<Device>>> = const { std::cell::RefCell::new(None) };
}

fn memory() -> Arc<Device> {
    MEMORY.with_borrow(|memory| memory.clone().expect("a launch"))
}

/// Blocks that are resident.
const RESIDENT: u32 = 2;

/// Runs `tile` for `tiles` tiles, by two blocks that take one tile after the other.
pub(crate) fn resident(tiles: u32, tile: impl Fn(&Device, u32) + Clone + 'static) {
    let device = Arc::new(Device {
        ticket: AtomicU32::new(0),
        words: (0..3 * WORDS).map(|_| AtomicU64::new(0)).collect(),
        addresses: vec![0; 3 * WORDS],
    });
    MEMORY.set(Some(device.clone()));
    let block = {
        let device = device.clone();
        move || {
            loop {
                let number = ticket::draw(device.cells::<u32>(), shared::SharedArray::<u32, 1>::default());
                if number >= tiles {
                    break;
                }
                tile(&device, if lacks(Part::Tickets) { tiles - 1 - number } else { number });
            }
        }
    };
    let others: Vec<_> = (1..RESIDENT).map(|_| loom::thread::spawn(block.clone())).collect();
    block();
    others.into_iter().for_each(|block| block.join().expect("a block"));
    MEMORY.set(None);
}

impl Device {
    /// All words as cells.
    pub(crate) fn cells<T>(&self) -> atomic::AtomicCells<T> {
        atomic::AtomicCells(PhantomData)
    }

    /// Some of the words as posts.
    pub(crate) fn posts(&self, kind: usize, count: u64) -> Posts<u64> {
        assert!(count as usize * Posts::<u64>::WORDS <= WORDS);
        let start = self.addresses[kind * WORDS..].as_ptr().cast_mut();
        // SAFETY: there are as many words, and nothing else touches them.
        unsafe { Posts::new(start, count) }
    }

    /// The word at an address.
    fn word(&self, address: *const u64) -> &AtomicU64 {
        &self.words[(address.addr() - self.addresses.as_ptr().addr()) / size_of::<u64>()]
    }
}

/// Stores a word, whose mark is the bits of `mark`.
fn store(word: &AtomicU64, value: u64, mark: u64) {
    if lacks(Part::OneStore) {
        word.store(value & mark, Relaxed);
    }
    word.store(value, Relaxed);
}

/// The instructions behind `cuda_std`'s posts.
pub mod imp {
    use std::sync::atomic::Ordering::Relaxed;

    /// The end of a kernel that is wrong.
    pub(crate) fn out_of_bounds() -> ! {
        panic!("out of bounds")
    }

    /// `ld.relaxed.gpu`.
    pub(crate) unsafe fn load_relaxed(address: *const u64) -> u64 {
        super::memory().word(address).load(Relaxed)
    }

    /// `st.relaxed.gpu`.
    pub(crate) unsafe fn store_relaxed(address: *mut u64, value: u64) {
        super::store(super::memory().word(address), value, u64::MAX << 32);
    }
}

/// Cells.
pub mod atomic {
    use std::marker::PhantomData;
    use std::sync::atomic::Ordering::Relaxed;

    /// Words that blocks load and store.
    #[derive(Clone, Copy, Debug)]
    pub struct AtomicCells<T>(pub(super) PhantomData<T>);

    /// Numbers of cells.
    pub trait AtomicNumber: Copy {
        /// The same number.
        fn of(number: u32) -> Self;
    }
    impl AtomicNumber for u32 {
        fn of(number: u32) -> u32 {
            number
        }
    }
    impl AtomicNumber for u64 {
        fn of(number: u32) -> u64 {
            number.into()
        }
    }

    impl<T: AtomicNumber> AtomicCells<T> {
        /// `atom.relaxed.gpu.add` of 1 to the ticket, which is beside the other words here.
        pub fn fetch_add(self, _: u64, _: T) -> T {
            T::of(super::memory().ticket.replace(Relaxed, |number| number + 1))
        }
    }

    impl AtomicCells<u32> {
        /// `ld.relaxed.gpu`.
        pub fn load(self, index: u64) -> u32 {
            super::memory().words[index as usize].load(Relaxed) as u32
        }

        /// Loads, one after the other.
        pub fn load_back<const N: usize>(self, last: u64, step: u32) -> [u32; N] {
            std::array::from_fn(|i| self.load(last - i as u64 * u64::from(step)))
        }

        /// `st.relaxed.gpu`. The mark is above the number.
        pub fn store(self, index: u64, value: u32) {
            super::store(&super::memory().words[index as usize], value.into(), 0b11 << 30);
        }
    }

    impl AtomicCells<u64> {
        /// `ld.relaxed.gpu`.
        pub fn load(self, index: u64) -> u64 {
            super::memory().words[index as usize].load(Relaxed)
        }

        /// `st.relaxed.gpu`. The mark is below the number.
        pub fn store(self, index: u64, value: u64) {
            super::store(&super::memory().words[index as usize], value, 0b11);
        }
    }

    /// The ticket of a block that finishes: `hand_over.rs` has its model.
    #[derive(Clone, Copy, Debug)]
    pub struct Ticket;

    impl Ticket {
        /// Not used here.
        pub fn take_if(self, _: bool, _: u32) -> u32 {
            unreachable!("no block finishes")
        }
    }
}

/// Shared memory.
pub mod shared {
    use std::cell::Cell;

    /// Places of a block. Only the first is used.
    #[derive(Debug, Default)]
    pub struct SharedArray<T: Copy, const LEN: usize>(Cell<T>);

    impl<T: Copy, const LEN: usize> SharedArray<T, LEN> {
        /// The value.
        pub fn read(&self, _: usize) -> T {
            self.0.get()
        }

        /// Stores the value.
        pub fn write(&self, _: usize, value: T) {
            self.0.set(value);
        }
    }
}

/// Threads.
pub mod thread {
    /// Lets others run.
    pub fn nanosleep(_: u32) {
        loom::thread::yield_now();
    }

    /// The value.
    pub fn unknown(value: u32) -> u32 {
        value
    }

    /// The only one of its block.
    pub fn thread_idx_x() -> u32 {
        0
    }

    /// Of one thread.
    pub fn sync_threads() {}

    /// Of one thread.
    pub fn sync_threads_or(vote: bool) -> bool {
        vote
    }
}
