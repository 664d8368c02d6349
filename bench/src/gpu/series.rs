//! One operator over one element type, at every size asked for.

use warpfold::{DeviceArray, DeviceSlice, Plan, Stream};

use super::{
    Arena,
    answer::Contest,
    clock::Clock,
    contender::{Answers, Contender},
    contest::{self, Effort},
    ours::Ours,
    peer::{RESULT, Reduction},
    report::{self, OURS, Record},
    theirs::{Memory, Theirs},
};
use crate::{Outcome, datum::Datum, with_causes};

/// The slices that calls rotate over, at most.
const SLOTS: usize = 64;

/// What the contests over one buffer share.
pub(super) struct Series<'a, T: Datum> {
    pub arena: &'a Arena<'a>,
    pub clock: &'a Clock<'a>,
    pub stream: &'a Stream,
    /// The data on the host.
    pub data: &'a [T],
    /// The same data on the device.
    pub array: &'a DeviceArray<T>,
}

/// A peer's variant that has this operator and element.
struct Rival<'a> {
    name: String,
    peer: &'a super::peer::Peer,
    reduction: Reduction<'a>,
}

impl<T: Datum> Series<'_, T> {
    /// Measures `O` at every size and prints the tables.
    pub(super) fn run<O: Contest<T>>(&self, record: &mut Record) -> Outcome<()> {
        let first = record.rows.len();
        let args = self.arena.args;
        for power in (args.min..=args.max).step_by(args.step as usize) {
            let n = usize::try_from(1_u64 << power)?;
            if n > self.data.len() {
                println!("{}: 2^{power} elements and more need a larger --buffer-gib", T::NAME);
                break;
            }
            self.size::<O>(n, record)?;
        }
        let rows = record.rows.get(first..).unwrap_or_default();
        if args.plans.is_some() {
            report::plans(rows)
        } else {
            report::peers(rows)
        }
        Ok(())
    }

    fn size<O: Contest<T>>(&self, n: usize, record: &mut Record) -> Outcome<()> {
        let slots = (self.data.len() / n).clamp(1, SLOTS);
        let effort = Effort::new((n * size_of::<T>()) as u64, slots, self.arena.args.trials);
        let answers = Answers::<T, O>::new(self.data, n);
        let slices = (0..slots).map(|slot| self.array.slice(slot * n..(slot + 1) * n));
        let slices: Vec<DeviceSlice<'_, T>> = slices.collect::<Result<_, _>>()?;

        let mut ours = self.ours(n, &slices, &answers)?;
        let rivals = self.rivals::<O>(record);
        let scratch =
            rivals.iter().map(|rival| rival.reduction.scratch(n as u64)).collect::<Outcome<Vec<_>>>()?;
        let scratch = scratch.into_iter().max().unwrap_or(1);
        let scratch_array = self.arena.cuda.upload(&vec![0_u8; scratch])?;
        let output = self.arena.cuda.upload(&[0xA5_u8; RESULT])?;
        let memory = Memory {
            input: self.array.as_slice().as_device_ptr(),
            output: output.as_slice().as_device_ptr(),
            scratch: (scratch_array.as_slice().as_device_ptr(), scratch),
        };
        let mut theirs = Vec::new();
        for rival in &rivals {
            let (name, landing) = (rival.name.clone(), rival.peer.landing()?);
            let (reduction, driver, stream) = (rival.reduction, self.arena.driver, self.stream.as_raw());
            // SAFETY: the memory is this call's and the stream is older than it; rivals share output and
            // scratch, but on one stream, one after another.
            theirs.push(unsafe {
                Theirs::new(name, driver, (reduction, landing), memory, n as u64, stream, &answers)
            });
        }

        let mut contenders: Vec<&mut dyn Contender> = Vec::new();
        contenders.extend(ours.iter_mut().map(|ours| ours as &mut dyn Contender));
        contenders.extend(theirs.iter_mut().map(|theirs| theirs as &mut dyn Contender));
        let names: Vec<String> = contenders.iter().map(|contender| contender.name().to_owned()).collect();
        let verdicts = contest::run(self.clock, effort, contenders);
        // Nothing enqueued may outlive the memory above.
        self.clock.settle()?;
        for (name, verdict) in names.into_iter().zip(verdicts) {
            match verdict {
                Ok(times) => record.add::<T>(O::NAME, n as u64, &name, times),
                Err(reason) => {
                    let reason = with_causes(reason.as_ref());
                    let reason = format!("{} {} of {n} elements: {name}: {reason}", T::NAME, O::NAME);
                    if name == OURS {
                        return Err(reason.into());
                    }
                    record.miss(reason);
                }
            }
        }
        Ok(())
    }

    /// Ours by its own plan, and by those of `--plans`.
    fn ours<'s, O: Contest<T>>(
        &'s self,
        n: usize,
        slices: &'s [DeviceSlice<'s, T>],
        answers: &'s Answers<'s, T, O>,
    ) -> Outcome<Vec<Ours<'s, T, O>>> {
        let mut plans: Vec<(String, Option<Plan>)> = vec![(OURS.to_owned(), None)];
        if let Some(shapes) = &self.arena.args.plans {
            let shapes = shapes.plans::<T>(n as u64, self.arena.cuda.multiprocessors());
            plans.extend(shapes.into_iter().map(|(name, plan)| (name, Some(plan))));
        }
        let contender = |(name, plan)| {
            let scalar = self.arena.cuda.scalar::<T, O>()?;
            Ok(Ours::new(name, plan, self.stream, slices, scalar, answers))
        };
        plans.into_iter().map(contender).collect()
    }

    /// Every variant of every peer that has `O` over `T`; a peer without any is named as missing.
    fn rivals<O: Contest<T>>(&self, record: &mut Record) -> Vec<Rival<'_>> {
        let mut rivals = Vec::new();
        for peer in self.arena.peers {
            let before = rivals.len();
            for variant in &peer.variants {
                if let Some(reduction) = peer.reduction(variant, O::NAME, T::NAME) {
                    rivals.push(Rival { name: format!("{} {variant}", peer.name), peer, reduction });
                }
            }
            if rivals.len() == before {
                record.miss(format!("{}: has no {} of {}", peer.name, O::NAME, T::NAME));
            }
        }
        rivals
    }
}
