//! The events of the feature `tracing`, against the driver of the emulator.
#![cfg(all(feature = "cuda", feature = "tracing", target_os = "linux"))]
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use emulated::leaves_nothing;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use warpfold::{Cuda, Sum};

/// Keeps every event of the library as a line: its level, message and fields.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "warpfold"
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().expect("a lock").push(line.0);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn what_happens_on_the_way_is_told() {
    leaves_nothing("what_happens_on_the_way_is_told", || {
        let lines = Lines::default();
        tracing::subscriber::with_default(lines.clone(), || {
            let cuda = Cuda::open(0).expect("the device");
            let array = cuda.upload(&[1i32, 2, 3]).expect("an upload");
            for _ in 0..2 {
                assert_eq!(cuda.reduce(Sum, &array).expect("a sum"), 6);
            }
        });
        let lines = lines.0.lock().expect("a lock");
        let of = |start: &str, part: &str| {
            lines.iter().filter(|line| line.starts_with(start) && line.contains(part)).count()
        };
        assert_eq!(of("INFO", "a device is opened"), 1, "{lines:#?}");
        assert_eq!(of("INFO", "emulated 7 (no GPU)"), 1, "{lines:#?}");
        // Once, at the first of two reductions.
        assert_eq!(of("DEBUG", "reduce_sum_i32_block"), 1, "{lines:#?}");
    });
}
