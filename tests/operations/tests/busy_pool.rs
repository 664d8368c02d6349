//! Calls while the threads of rayon's global pool are busy, or wait for the caller: a call waits for no thread that has not begun to
//! help it. In a separate file, because the tests take all threads of the pool, which is the process's.
#![allow(missing_docs)]

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Barrier, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

use warpfold::{Cpu, Error, Op, Sum};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::samples;

/// Threads of the pool: more than a small machine has cores.
const THREADS: usize = 3;

/// A call takes a fraction of a second, or never ends.
const LIMIT: Duration = Duration::from_secs(120);

/// 4 MB of f32 or u32: more tasks than threads take at once.
const N: usize = 1 << 20;

/// Returns what `body` returns on a thread of its own.
fn in_time<R: Send + 'static>(body: impl FnOnce() -> R + Send + 'static) -> R {
    let (send, result) = mpsc::channel();
    let thread = thread::spawn(move || send.send(body()));
    match result.recv_timeout(LIMIT) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => panic!("the call has not ended after {LIMIT:?}"),
        Err(RecvTimeoutError::Disconnected) => std::panic::resume_unwind(thread.join().unwrap_err()),
    }
}

/// Lends the pool to one test at a time. A call has used it before.
fn pool() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    // An error means that an earlier test has started it.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(THREADS).build_global();
    Cpu::new().reduce(Sum, &vec![1.0f32; N]).unwrap();
    turn
}

fn data(n: usize) -> (Arc<[f32]>, u32) {
    let x: Arc<[f32]> = samples::<f32>(Ordinary, 1, n as u64).into();
    let sum = Cpu::with_threads(1).unwrap().reduce(Sum, &x[..]).unwrap();
    (x, sum.to_bits())
}

/// A sum. For one element of each task it starts a thread that calls the same backend, and waits for it.
#[derive(Clone, Copy)]
struct Calls {
    cpu: fn() -> Cpu,
}

impl Op<u32> for Calls {
    type Acc = u32;
    type Out = u32;
    const IDENTITY: u32 = 0;
    const COMMUTATIVE: bool = true;
    const ASSOCIATIVE: bool = true;
    fn lift(self, x: u32, index: u64) -> u32 {
        if index.is_multiple_of(N as u64 / 4) {
            // Meanwhile every thread of the pool begins a task.
            thread::sleep(Duration::from_millis(50));
            let call = move || (self.cpu)().reduce(Sum, &vec![1u32; N]);
            assert_eq!(thread::spawn(call).join().unwrap().unwrap(), N as u64);
        }
        x
    }
    fn combine(left: u32, right: u32) -> u32 {
        left.wrapping_add(right)
    }
    fn finish(acc: u32, _len: u64) -> u32 {
        acc
    }
}

#[test]
fn a_call_ends_while_producers_on_the_pool_wait_for_its_caller() {
    let _turn = pool();
    let (x, expected) = data(N);
    let sums: Vec<f32> = in_time(move || {
        let (send, chunks) = mpsc::sync_channel(1);
        for _ in 0..2 * THREADS {
            let (send, x) = (send.clone(), x.clone());
            rayon::spawn(move || (0..3).for_each(|_| send.send(x.clone()).unwrap()));
        }
        drop(send);
        chunks.iter().map(|x| Cpu::new().reduce(Sum, &x[..])).collect::<Result<_, Error>>().unwrap()
    });
    assert_eq!(sums.len(), 6 * THREADS);
    assert!(sums.iter().all(|sum| sum.to_bits() == expected));
}

#[test]
fn a_call_does_not_wait_for_busy_threads() {
    let _turn = pool();
    let (x, expected) = data(3 * N);
    let (begun, end) = (Arc::new(Barrier::new(THREADS + 1)), Arc::new(RwLock::new(())));
    let busy = end.write().unwrap();
    for _ in 0..THREADS {
        let (begun, end) = (begun.clone(), end.clone());
        rayon::spawn(move || {
            begun.wait();
            drop(end.read());
        });
    }
    begun.wait();
    let sum = in_time(move || Cpu::new().reduce(Sum, &x[..]).unwrap());
    assert_eq!(sum.to_bits(), expected);
    drop(busy);
}

#[test]
fn an_operator_may_wait_for_a_thread_that_calls_the_same_backend() {
    fn own() -> Cpu {
        static CPU: OnceLock<Cpu> = OnceLock::new();
        CPU.get_or_init(|| Cpu::with_threads(THREADS).unwrap()).clone()
    }
    let _turn = pool();
    for cpu in [Cpu::new, own] {
        // One call leaves a thread of the pool free.
        let call = move || cpu().reduce(Calls { cpu }, &vec![3u32; 2 * N]).unwrap();
        let sums = in_time(move || [call; 2].map(thread::spawn).map(|thread| thread.join().unwrap()));
        assert_eq!(sums, [6 * N as u32; 2]);
    }
}

#[test]
fn all_threads_of_the_pool_call_at_the_same_time() {
    let _turn = pool();
    let sums: Vec<u32> = in_time(|| {
        let (send, sums) = mpsc::channel();
        let begun = Arc::new(Barrier::new(THREADS));
        for _ in 0..THREADS {
            let (send, begun) = (send.clone(), begun.clone());
            rayon::spawn(move || {
                begun.wait();
                for _ in 0..3 {
                    send.send(Cpu::new().reduce(Calls { cpu: Cpu::new }, &vec![3u32; N]).unwrap()).unwrap();
                }
            });
        }
        drop(send);
        sums.iter().collect()
    });
    assert_eq!(sums, vec![3 * N as u32; 3 * THREADS]);
}
