//! The search: one contest for each row.

use std::ops::RangeInclusive;

use indicatif::{ProgressBar, ProgressStyle};
use warpfold::Cuda;
use warpfold::plans::Tuning;

use crate::arena::{self, Arena};
use crate::budget::Budget;
use crate::catalogue::{Folds, Operator, Visitor};
use crate::cli::Cli;
use crate::clock::Clock;
use crate::contest::{self, Field, Outcome};
use crate::datum::Datum;
use crate::failure::Failure;
use crate::report::{Row, size};

/// The results of the search, row by row.
pub(crate) struct Search<'a> {
    cuda: &'a Cuda,
    /// The device with the default plans, without a tuning.
    usual: Cuda,
    clock: Clock,
    classes: RangeInclusive<u32>,
    budget: Budget,
    tuning: Tuning,
    found: Vec<Row>,
    bar: ProgressBar,
}

impl<'a> Search<'a> {
    pub(crate) fn new(cli: &Cli, cuda: &'a Cuda, classes: RangeInclusive<u32>) -> Result<Self, Failure> {
        let usual = cuda.with_tuning(Tuning::empty());
        let clock = Clock::new(&usual, cli.flush)?;
        let classes = fitting(cuda, classes)?;
        let rows = (cli.types.len() * cli.ops.len() * classes.clone().count()) as u32;
        let bar = ProgressBar::new(rows.into());
        let template = "{msg:28} [{bar:32}] {pos} of {len} rows, {elapsed} of {prefix}";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("=> "));
        bar.set_prefix(format!("{} s", cli.budget().as_secs()));
        Ok(Self {
            cuda,
            usual,
            clock,
            classes,
            budget: Budget::new(cli.budget(), rows),
            // Saved rows that are not searched stay; a stale or damaged file has none.
            tuning: Tuning::kept(cuda),
            found: Vec::new(),
            bar,
        })
    }

    /// Returns the tuning to save, and the results.
    pub(crate) fn finish(self) -> (Tuning, Vec<Row>) {
        self.bar.finish_and_clear();
        (self.tuning, self.found)
    }

    fn note<T: Datum, O: Folds<T>>(&mut self, operator: Operator, class: u32, outcome: Option<Outcome>) {
        let n = ((1_u64 << class) / size_of::<T>() as u64).max(1);
        match &outcome {
            Some(Outcome { usual, other: Some((config, _, times)), is_better: true }) => {
                let nanoseconds = |us: f64| (us * 1e3).round() as u64;
                let times = (nanoseconds(usual.1.graph.median), nanoseconds(times.graph.median));
                self.tuning.set::<T, O>(n, *config, times);
            }
            Some(_) => self.tuning.remove::<T, O>(n),
            None => {}
        }
        self.found.push(Row { operator: operator.name(), dtype: T::NAME, class, outcome });
    }
}

/// The classes that fit the device's memory, with room to spare.
fn fitting(cuda: &Cuda, classes: RangeInclusive<u32>) -> Result<RangeInclusive<u32>, Failure> {
    let free = cuda.free_bytes()? / 4 * 3;
    let mut fitting = classes;
    while arena::bytes(&fitting) > free {
        let (least, greatest) = fitting.into_inner();
        if least >= greatest {
            return Err(Failure::Usage(
                "the GPU has too little free memory: lower --max and --min, or close other programs",
            ));
        }
        fitting = least..=greatest - 1;
    }
    Ok(fitting)
}

impl Visitor for Search<'_> {
    type Shared<T: Datum> = Arena<T>;

    fn enter<T: Datum>(&mut self) -> Result<Arena<T>, Failure> {
        self.bar.set_message(format!("elements of {}", T::NAME));
        Arena::new(self.cuda, arena::bytes(&self.classes))
    }

    fn pair<T: Datum, O: Folds<T>>(&mut self, arena: &Arena<T>, operator: Operator) -> Result<(), Failure> {
        self.cuda.prepare(O::default(), arena.device.as_slice())?;
        for class in self.classes.clone() {
            self.bar.set_message(format!("{} of {}, {}", operator.name(), T::NAME, size(class)));
            let field = Field { usual: &self.usual, arena, operator, class };
            let outcome = contest::hold::<T, O>(&field, &mut self.clock, self.budget.next())?;
            self.note::<T, O>(operator, class, outcome);
            self.bar.inc(1);
        }
        Ok(())
    }
}
