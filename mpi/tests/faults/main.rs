//! Processes that are killed, end, panic or are late during every method: within the time limit the others return an error that
//! names the rank, or the right result.
//!
//! Without `mpirun`, the program starts itself with `mpirun`. Groups of four processes run at the same time, each with its own fault.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test; another package uses its modules too"
)]

mod mortal;
#[path = "../mpirun/mod.rs"]
mod mpirun;
#[path = "../../../tests/world/tests/world/verbs.rs"]
mod verbs;

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, ExitCode, exit, id};
use std::thread;
use std::time::{Duration, Instant};

use mortal::Mortal;
use verbs::{Verb, verbs};
use warpfold::{Communicator, Error, Sum, Threads, World};
use warpfold_mpi::Mpi;
use warpfold_mpi::mpi::topology::{Color, Communicator as _, SimpleCommunicator};

/// The number of ranks of a group.
const RANKS: usize = 4;

/// The rank with the fault.
const FAULTY: usize = 1;

/// The time limit of each rank.
const LIMIT: Duration = Duration::from_secs(4);

/// Additional time on a busy machine.
const BUSY: Duration = Duration::from_secs(8);

/// Faults other than a death during a method, and the error on the other ranks.
const OTHERS: [(&str, &str); 4] = [
    ("killed_between_calls", "rank 1 sent nothing within 4s"),
    ("late", "rank 1 sent nothing within 4s"),
    ("ends", "rank 1 is gone"),
    ("panics", "rank 1 is gone"),
];

fn main() -> ExitCode {
    if mpirun::is_launched() {
        rank();
    }
    every_fault();
    the_launcher_ends_all();
    println!("{} passed, 0 failed", faults().len() + 1);
    ExitCode::SUCCESS
}

/// The names of all faults.
fn faults() -> Vec<&'static str> {
    let verbs = verbs::<Threads>().into_iter().map(|(name, _)| name);
    verbs.chain(OTHERS.map(|(name, _)| name)).collect()
}

/// Kills this process, without notice to the others.
fn die() -> ! {
    let killed = Command::new("kill").args(["-9", &id().to_string()]).status();
    thread::sleep(BUSY);
    panic!("kill: {killed:?}");
}

/// Runs one process. Prints its fault, its rank, milliseconds, whether its world is closed, and its error or result.
fn rank() -> ! {
    let all = Mpi::world().unwrap();
    let group = all.rank() / RANKS;
    let fault = std::env::args().nth(1).unwrap_or_else(|| faults()[group].to_owned());
    let split = SimpleCommunicator::world().split_by_color(Color::with_value(group as i32)).unwrap();
    let ranks = Mpi::new(&split).unwrap().with_time_limit(LIMIT);
    let (movements, end): (u32, fn() -> !) = match &fault[..] {
        _ if ranks.rank() != FAULTY => (u32::MAX, die),
        "late" | "ends" => (u32::MAX, die),
        "panics" => (1, || panic!("the test's own panic")),
        "killed_between_calls" => (0, die),
        _ => (1, die),
    };
    let world = World::new(Mortal::new(ranks, movements, end));
    // All start at the same time.
    all.barrier().unwrap();
    if fault == "ends" && world.rank() == FAULTY {
        drop(world);
        exit(0);
    }
    let begun = Instant::now();
    let called = call(&world, &fault);
    let elapsed = begun.elapsed().as_millis();
    let is_closed = matches!(world.barrier(), Err(Error::WorldClosed { .. }));
    let said = match called {
        Ok(found) => format!("gives {found}"),
        Err(error) => error.to_string(),
    };
    let (rank, mut out) = (world.rank(), std::io::stdout().lock());
    writeln!(out, "\n{fault}\t{rank}\t{elapsed}\t{is_closed}\t{said}").unwrap();
    out.flush().unwrap();
    drop(world);
    // MPI is not finalized: it would wait for the dead processes.
    exit(0)
}

fn call(world: &World<Mortal>, fault: &str) -> Result<String, Error> {
    if let Some((_, verb)) = verbs().into_iter().find(|(name, _)| *name == fault) {
        return verb(world);
    }
    if fault == "late" && world.rank() == FAULTY {
        thread::sleep(LIMIT + LIMIT / 2);
    }
    world.reduce(Sum, &[1.0_f32; 100]).map(|sum| sum.to_string())
}

/// The results of the ranks without a fault.
fn whole(verb: Verb<Threads>) -> Vec<String> {
    thread::scope(|scope| {
        let ranks = World::threads(RANKS).into_iter();
        let ranks: Vec<_> = ranks.map(|world| scope.spawn(move || verb(&world).unwrap())).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

/// The output of a rank.
#[derive(Debug)]
struct Said {
    rank: usize,
    elapsed: Duration,
    is_closed: bool,
    text: String,
}

fn every_fault() {
    let started = mpirun::mpirun(RANKS * faults().len(), &["--enable-recovery"]).output().unwrap();
    let (out, errors) = (String::from_utf8_lossy(&started.stdout), String::from_utf8_lossy(&started.stderr));
    let mut all: BTreeMap<&str, Vec<Said>> = BTreeMap::new();
    for line in out.lines() {
        if let [fault, rank, elapsed, is_closed, text] = line.split('\t').collect::<Vec<_>>()[..] {
            let elapsed = Duration::from_millis(elapsed.parse().unwrap());
            let (rank, is_closed) = (rank.parse().unwrap(), is_closed == "true");
            all.entry(fault).or_default().push(Said { rank, elapsed, is_closed, text: text.to_owned() });
        }
    }
    let survivors = |fault: &str| {
        let said = all.get(fault).unwrap_or_else(|| panic!("no output for {fault}: {out}{errors}"));
        let said: Vec<&Said> = said.iter().filter(|said| said.rank != FAULTY).collect();
        assert_eq!(said.len(), RANKS - 1, "{fault}: {said:?}");
        for said in &said {
            assert!(said.elapsed < LIMIT + LIMIT / 8 + BUSY, "{fault}: {said:?}");
        }
        println!("test {fault} ... ok ({:?})", said.iter().map(|said| said.elapsed).max());
        said
    };
    for (verb, call) in verbs() {
        let whole = whole(call);
        let mut errors = 0;
        for said in survivors(verb) {
            if let Some(found) = said.text.strip_prefix("gives ") {
                assert_eq!(found, whole[said.rank], "{verb} on rank {}", said.rank);
            } else {
                assert!(said.text.starts_with("rank 1 sent nothing within 4s"), "{verb}: {said:?}");
                assert!(said.is_closed, "{verb}: {said:?}");
                errors += 1;
            }
        }
        assert!(errors > 0, "{verb}: nobody noticed");
    }
    for (fault, expected) in OTHERS {
        for said in survivors(fault) {
            assert!(said.text.starts_with(expected) && said.is_closed, "{fault}: {said:?}");
        }
    }
}

/// Without the option, `mpirun` ends the processes that wait for a dead one before their time limit.
fn the_launcher_ends_all() {
    let begun = Instant::now();
    let started = mpirun::mpirun(RANKS, &[]).arg("killed_between_calls").output().unwrap();
    assert!(!started.status.success());
    assert!(begun.elapsed() < LIMIT + BUSY, "{:?}", begun.elapsed());
}
