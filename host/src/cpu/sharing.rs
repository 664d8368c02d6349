//! The tasks of one job, shared between the calling thread and the threads of a pool.

use std::sync::{Mutex, OnceLock, PoisonError};

use rayon::Scope;

use super::pool::{Pool, is_global_here};

/// Does every task. The caller begins at once, and up to `helpers` threads of `pool` (`None`: rayon's global pool) join
/// in as they wake up; each takes the next task when it is free. In a forked child, which has no pool threads, the
/// caller does all tasks.
///
/// # Errors
/// The first failure of a task. The thread of that task takes no more tasks.
pub(crate) fn share<T: Send, E: Send + Sync>(
    pool: Option<&Pool>,
    helpers: usize,
    mut tasks: impl Iterator<Item = T> + Send,
    task: impl Fn(T) -> Result<(), E> + Sync,
) -> Result<(), E> {
    // Neither locks nor a scope, even an empty one of which would start the pool.
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

/// Does `work` here and on up to `helpers` threads at the same time. Not generic, so rayon's scopes are compiled once,
/// not for every type of task.
fn on_threads(pool: Option<&Pool>, helpers: usize, work: &(dyn Fn() + Sync)) {
    match pool {
        Some(pool) => match pool.here() {
            Some(threads) => threads.in_place_scope(|scope| together(scope, helpers, work)),
            None => work(),
        },
        None if is_global_here() => rayon::in_place_scope(|scope| together(scope, helpers, work)),
        None => work(),
    }
}

fn together<'scope>(scope: &Scope<'scope>, helpers: usize, work: &'scope (dyn Fn() + Sync)) {
    for _ in 0..helpers {
        scope.spawn(|_| work());
    }
    work();
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    #[should_panic(expected = "task 60")]
    fn a_panic_reaches_the_caller() {
        let _ =
            share(Some(&pool()), 2, 0..100, |i| if i == 60 { panic!("task {i}") } else { Ok::<_, ()>(()) });
    }
}
