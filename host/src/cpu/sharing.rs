//! The tasks of one job, shared between the calling thread and the threads of a pool.

use std::sync::{Mutex, OnceLock, PoisonError};

use super::helpers::together;
use super::pool::{Pool, Threads};

/// Does every task. The caller begins at once, and up to `helpers` threads of `pool` (`None`: rayon's global pool) join in as
/// they wake up; each takes the next task when it is free. It does not wait for threads that are busy until the last task is
/// done. In a forked child, which has no pool threads, the caller does all tasks.
///
/// # Errors
/// The first failure of a task. The thread of that task takes no more tasks.
pub(crate) fn share<T: Send, E: Send + Sync>(
    pool: Option<&Pool>,
    helpers: usize,
    mut tasks: impl Iterator<Item = T> + Send,
    task: impl Fn(T) -> Result<(), E> + Sync,
) -> Result<(), E> {
    // Neither locks nor the pool, which would be started.
    if helpers == 0 {
        return tasks.try_for_each(task);
    }
    let tasks = Mutex::new(tasks);
    // No task runs under the lock, so a panic of a task does not break the iterator.
    let next = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
    let failure = OnceLock::new();
    let work = || {
        while let Some(next) = next() {
            if let Err(cause) = task(next) {
                // If another thread failed first, its failure is enough.
                let _ = failure.set(cause);
                break;
            }
        }
    };
    on_threads(pool, helpers, &work);
    failure.into_inner().map_or(Ok(()), Err)
}

/// Does `work` here and on up to `helpers` threads at the same time. Not generic, so it is compiled once, not for every type of task.
fn on_threads(pool: Option<&Pool>, helpers: usize, work: &(dyn Fn() + Sync)) {
    match Threads::of(pool) {
        Some(threads) => together(work, threads.room_for(helpers), |helper| threads.start(|| helper.help())),
        None => work(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;
    use crate::cpu::pool::MOST_WAITING;

    fn pool() -> Pool {
        Pool::new(3).unwrap()
    }

    #[test]
    fn every_task_is_done_once() {
        let pool = pool();
        for helpers in 0..4 {
            for pool in [None, Some(&pool)] {
                let mut done = vec![0; 1000];
                share(pool, helpers, done.iter_mut().enumerate(), |(i, count)| {
                    *count += i;
                    Ok::<_, ()>(())
                })
                .unwrap();
                assert!(done.iter().enumerate().all(|(i, &count)| count == i), "{helpers} helpers");
            }
        }
    }

    #[test]
    fn a_failure_is_returned() {
        let pool = pool();
        for helpers in 0..4 {
            let failed = share(Some(&pool), helpers, 0..100, |i| if i == 60 { Err(i) } else { Ok(()) });
            assert_eq!(failed, Err(60), "{helpers} helpers");
        }
    }

    /// While the only thread is busy, calls do all tasks themselves, and the number of jobs that they leave
    /// behind is limited.
    #[test]
    fn helpers_of_a_busy_pool_do_not_pile_up() {
        let pool = Pool::new(1).unwrap();
        let (end, ended) = mpsc::channel::<()>();
        Threads::of(Some(&pool)).unwrap().start(move || assert!(ended.recv().is_err()));
        let waiting = || Threads::of(Some(&pool)).unwrap().waiting();
        while waiting() > 0 {
            thread::yield_now();
        }
        for _ in 0..2 * MOST_WAITING {
            let mut done = [0; 3];
            share(Some(&pool), 2, done.iter_mut(), |count| {
                *count += 1;
                Ok::<_, ()>(())
            })
            .unwrap();
            assert_eq!(done, [1; 3]);
            assert!(waiting() <= MOST_WAITING);
        }
        assert_eq!(waiting(), MOST_WAITING);
        drop(end);
        while waiting() > 0 {
            thread::yield_now();
        }
    }

    #[test]
    #[should_panic(expected = "task 60")]
    fn a_panic_reaches_the_caller() {
        let _ =
            share(Some(&pool()), 2, 0..100, |i| if i == 60 { panic!("task {i}") } else { Ok::<_, ()>(()) });
    }
}
