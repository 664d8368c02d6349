use std::error::Error as StdError;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::super::{DriverCode, Error, RankFault, Unavailable, Version};

/// What the standard library prints of an error that leaves `main`.
fn printed(error: impl Into<Box<dyn StdError>>) -> String {
    format!("Error: {:?}", error.into())
}

#[test]
fn an_error_that_leaves_main_says_what_to_do_and_its_variant() {
    assert_eq!(
        printed(Error::from(Unavailable::NoDriver)),
        "Error: no GPU: no NVIDIA driver was found (libcuda.so.1): install one to use a GPU (Error::Unavailable)"
    );
    assert_eq!(
        printed(Unavailable::NoDriver),
        "Error: no NVIDIA driver was found (libcuda.so.1): install one to use a GPU (Unavailable::NoDriver)"
    );
    assert_eq!(
        printed(Error::Rank { rank: 2, fault: RankFault::Gone }),
        "Error: rank 2 is gone: it ended, panicked or dropped its World before the call was done; start all ranks anew \
         (Error::Rank)"
    );
    let out_of_threads = io::Error::other("no more processes");
    let threads = Error::Threads { wanted: 9, cause: Arc::new(out_of_threads) };
    assert!(printed(threads).contains("no more processes"));
}

/// Errors that all differ from each other. Errors of the same variant differ in one field.
fn different() -> Vec<Error> {
    let io = |text: &'static str| Arc::new(io::Error::other(text));
    let version = |minor| Version { major: 12, minor };
    let (code, other) = (DriverCode::ILLEGAL_ADDRESS, DriverCode(1));
    let kernel = |entry, code, log: &str| Error::Kernel { entry, code, log: log.into() };
    let too_old =
        |name: &str, minor| Unavailable::DeviceTooOld { name: name.into(), found: version(minor) }.into();
    let of_rank = |fault| Error::Rank { rank: 1, fault };
    let disagrees = |call: &str, other, other_call: &str| {
        of_rank(RankFault::Disagrees { call: call.into(), other, other_call: other_call.into() })
    };
    let axes = |axes: &[usize], dimensions, why| Error::Axes { axes: axes.into(), dimensions, why };
    let offset = |at, offset, why, len| Error::Offset { at, offset, why, len };
    let setting = |variable, found: &str, known| Error::Setting { variable, found: found.into(), known };
    let nccl = |during, why: &str| Error::Nccl { during, why: why.into() };
    vec![
        Error::FloatEnvironment { found: "a", device: None },
        Error::FloatEnvironment { found: "b", device: None },
        Error::FloatEnvironment { found: "a", device: Some(0) },
        Error::FloatEnvironment { found: "a", device: Some(1) },
        Error::Tiles { tiles: 0..1, of: 2, given: 3 },
        Error::Tiles { tiles: 1..1, of: 2, given: 3 },
        Error::Tiles { tiles: 0..2, of: 2, given: 3 },
        Error::Tiles { tiles: 0..1, of: 3, given: 3 },
        Error::Tiles { tiles: 0..1, of: 2, given: 4 },
        Error::Plan { why: "a" },
        Error::Plan { why: "b" },
        Error::NotInPlace { why: "a" },
        Error::NotInPlace { why: "b" },
        Error::Missing { missing: 1, first: 2, why: "a" },
        Error::Missing { missing: 2, first: 2, why: "a" },
        Error::Missing { missing: 1, first: 1, why: "a" },
        Error::Missing { missing: 1, first: 2, why: "b" },
        Error::Threads { wanted: 1, cause: io("a") },
        Error::Threads { wanted: 2, cause: io("a") },
        Error::Threads { wanted: 1, cause: io("b") },
        Error::Lengths { left: 1, right: 2 },
        Error::Lengths { left: 3, right: 2 },
        Error::Lengths { left: 1, right: 3 },
        Error::Results { results: 1, room: 2 },
        Error::Results { results: 3, room: 2 },
        Error::Results { results: 1, room: 3 },
        Error::NoElement { element: "bool" },
        Error::NoElement { element: "char" },
        Error::NoInitialValue,
        Error::Shape { shape: [1, 2].into(), given: 3 },
        Error::Shape { shape: [2, 1].into(), given: 3 },
        Error::Shape { shape: [1, 2].into(), given: 4 },
        Error::Dimensions { dimensions: 1, strides: 2, most: 8 },
        Error::Dimensions { dimensions: 3, strides: 2, most: 8 },
        Error::Dimensions { dimensions: 1, strides: 3, most: 8 },
        Error::Dimensions { dimensions: 1, strides: 2, most: 9 },
        Error::ViewBounds { first: 1, last: 2, len: 3 },
        Error::ViewBounds { first: 2, last: 2, len: 3 },
        Error::ViewBounds { first: 1, last: 3, len: 3 },
        Error::ViewBounds { first: 1, last: 2, len: 4 },
        axes(&[0], 1, "a"),
        axes(&[1], 1, "a"),
        axes(&[0], 2, "a"),
        axes(&[0], 1, "b"),
        Error::ChunkLength,
        Error::Window { len: 0, step: 1 },
        Error::Window { len: 1, step: 0 },
        offset(0, 1, "a", 2),
        offset(1, 1, "a", 2),
        offset(0, 2, "a", 2),
        offset(0, 1, "b", 2),
        offset(0, 1, "a", 3),
        Error::Group { at: 0, group: 1, groups: 2 },
        Error::Group { at: 1, group: 1, groups: 2 },
        Error::Group { at: 0, group: 2, groups: 2 },
        Error::Group { at: 0, group: 1, groups: 3 },
        Error::Label { row: 0, label: 1, columns: 1 },
        Error::Label { row: 1, label: 1, columns: 1 },
        Error::Label { row: 0, label: 2, columns: 1 },
        Error::Label { row: 0, label: 1, columns: 0 },
        Error::Room { needed: 2, room: 1 },
        Error::Room { needed: 3, room: 1 },
        Error::Room { needed: 2, room: 0 },
        Error::TooFew { wanted: 2, len: 1 },
        Error::TooFew { wanted: 3, len: 1 },
        Error::TooFew { wanted: 2, len: 0 },
        Error::NoElements,
        Error::Quantile { q: 1.5 },
        Error::Quantile { q: f64::NAN },
        Error::TooManyResults { results: 1 },
        Error::TooManyResults { results: 2 },
        setting("A", "b", "c"),
        setting("B", "b", "c"),
        setting("A", "c", "c"),
        setting("A", "b", "d"),
        Unavailable::NotBuilt.into(),
        Unavailable::NoDriver.into(),
        Unavailable::NoDevice.into(),
        Unavailable::NoSuchDevice { ordinal: 1, count: 1 }.into(),
        Unavailable::NoSuchDevice { ordinal: 2, count: 1 }.into(),
        Unavailable::NoSuchDevice { ordinal: 1, count: 0 }.into(),
        Unavailable::DriverTooOld { found: version(0) }.into(),
        Unavailable::DriverTooOld { found: version(1) }.into(),
        too_old("a", 0),
        too_old("b", 0),
        too_old("a", 1),
        Unavailable::Emulated.into(),
        Unavailable::Refused { code }.into(),
        Unavailable::Refused { code: other }.into(),
        Error::OutOfMemory { bytes: 1 },
        Error::OutOfMemory { bytes: 2 },
        Error::PtxTooNew { entry: "a", ptx: version(1), driver: version(0) },
        Error::PtxTooNew { entry: "b", ptx: version(1), driver: version(0) },
        Error::PtxTooNew { entry: "a", ptx: version(2), driver: version(0) },
        Error::PtxTooNew { entry: "a", ptx: version(1), driver: version(3) },
        kernel("a", code, ""),
        kernel("b", code, ""),
        kernel("a", other, ""),
        kernel("a", code, "log"),
        Error::Poisoned { first_cause: Arc::new(Error::Forked) },
        Error::Poisoned { first_cause: Arc::new(Error::NoResult) },
        Error::Forked,
        Error::OutOfBounds { range: 0..1, len: 0 },
        Error::OutOfBounds { range: 1..1, len: 0 },
        Error::OutOfBounds { range: 0..2, len: 0 },
        Error::OutOfBounds { range: 0..1, len: 1 },
        Error::OtherDevice { array: 0, stream: 1 },
        Error::OtherDevice { array: 2, stream: 1 },
        Error::OtherDevice { array: 0, stream: 2 },
        Error::Capturing { during: "a" },
        Error::Capturing { during: "b" },
        Error::Foreign { address: 1, why: "a" },
        Error::Foreign { address: 2, why: "a" },
        Error::Foreign { address: 1, why: "b" },
        Error::NoResult,
        Error::Stopped { done: 1, total: 2 },
        Error::Stopped { done: 2, total: 2 },
        Error::Stopped { done: 1, total: 3 },
        Error::Rank { rank: 0, fault: RankFault::Gone },
        of_rank(RankFault::Gone),
        of_rank(RankFault::Late { limit: Duration::from_secs(1) }),
        of_rank(RankFault::Late { limit: Duration::from_millis(1001) }),
        disagrees("a", 0, "b"),
        disagrees("c", 0, "b"),
        disagrees("a", 2, "b"),
        disagrees("a", 0, "c"),
        of_rank(RankFault::Refused { why: "a".into() }),
        of_rank(RankFault::Refused { why: "b".into() }),
        of_rank(RankFault::Failed { why: "a".into() }),
        of_rank(RankFault::Failed { why: "b".into() }),
        of_rank(RankFault::Garbled),
        of_rank(RankFault::Misplaced { ranks: 1 }),
        of_rank(RankFault::Misplaced { ranks: 2 }),
        of_rank(RankFault::Unreachable { cause: io("a") }),
        of_rank(RankFault::Unreachable { cause: io("b") }),
        Error::WorldClosed { first_cause: Arc::new(Error::Forked) },
        Error::WorldClosed { first_cause: Arc::new(Error::NoResult) },
        nccl("a", "b"),
        nccl("b", "b"),
        nccl("a", "c"),
        Error::Driver { code, during: "a" },
        Error::Driver { code: other, during: "a" },
        Error::Driver { code, during: "b" },
    ]
}

#[test]
fn errors_are_equal_if_no_field_differs() {
    for (at, error) in different().iter().enumerate() {
        for (place, other) in different().iter().enumerate() {
            assert_eq!(error == other, at == place, "{error:?}, {other:?}");
        }
    }
}
