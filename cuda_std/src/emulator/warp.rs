//! The collectives of a warp, checked and computed.

use super::counts::Counts;
use super::order::{Call, Clocks, LANES, lanes, same_call};
use super::steps::Steps;
use crate::imp::{Shuffle, source};

/// A lane's part of a collective.
#[derive(Clone, Copy)]
pub(crate) enum Operands {
    SyncWarp,
    Ballot(bool),
    Shuffle { mode: Shuffle, value: u32, lane: u32, clamp: u32 },
}

/// Lanes that wait for the rest of their mask.
struct Group {
    mask: u32,
    arrived: u32,
    first: u32,
    call: Call,
}

/// Why a lane cannot take part in a collective.
pub(super) enum Refusal {
    NotInMask,
    Absent(u32),
    /// This lane arrived first, at another collective.
    Different(u32),
    /// `reader` shuffles from `source`, which is not in the mask.
    Outside {
        reader: u32,
        source: u32,
    },
}

/// The state that the lanes of a warp share.
pub(super) struct Warp {
    /// Lanes for which the block has threads.
    pub(super) existing: u32,
    pub(super) ended: u32,
    pub(super) at_barrier: u32,
    pub(super) clocks: Clocks,
    pub(super) steps: Steps,
    grouped: u32,
    groups: Vec<Group>,
    operands: [Operands; LANES],
    results: [(u32, bool); LANES],
}

impl Warp {
    pub(super) fn new(existing: u32) -> Self {
        Self {
            existing,
            ended: 0,
            at_barrier: 0,
            clocks: Clocks::new(),
            steps: Steps::new(),
            grouped: 0,
            groups: Vec::new(),
            operands: [Operands::SyncWarp; LANES],
            results: [(0, true); LANES],
        }
    }

    /// Returns a lane that waits for `lane` in a collective, if any.
    pub(super) fn waits_for(&self, lane: u32) -> Option<u32> {
        self.groups.iter().find(|group| group.mask >> lane & 1 == 1).map(|group| group.first)
    }

    /// Returns a lane that waits in a collective, and a missing lane that it waits for.
    pub(super) fn stuck(&self) -> Option<(u32, u32)> {
        self.groups.first().map(|group| (group.first, (group.mask & !group.arrived).trailing_zeros()))
    }

    /// Returns `lane`'s result of its last collective.
    pub(super) fn result(&self, lane: u32) -> (u32, bool) {
        self.results[lane as usize]
    }

    /// Records the arrival of `lane` at a collective. Returns the lanes that can go on: all of `mask`, or none.
    pub(super) fn arrive(
        &mut self,
        lane: u32,
        mask: u32,
        operands: Operands,
        call: Call,
        counts: &mut Counts,
    ) -> Result<u32, Refusal> {
        let bit = 1 << lane;
        if mask & bit == 0 {
            return Err(Refusal::NotInMask);
        }
        self.operands[lane as usize] = operands;
        let position = match self.groups.iter().position(|group| group.mask == mask) {
            Some(position) => {
                let group = &mut self.groups[position];
                if !same_call(group.call, call) {
                    return Err(Refusal::Different(group.first));
                }
                group.arrived |= bit;
                position
            }
            None => {
                let absent = mask & (self.ended | !self.existing);
                if absent != 0 {
                    return Err(Refusal::Absent(absent.trailing_zeros()));
                }
                if mask & self.at_barrier != 0 {
                    return Err(Refusal::Different((mask & self.at_barrier).trailing_zeros()));
                }
                // A group with another mask in which this lane is missing, while this lane's mask has a lane that waits
                // there.
                let crossed = |group: &&Group| group.mask & bit != 0 && group.arrived & mask != 0;
                if let Some(group) = self.groups.iter().find(crossed) {
                    return Err(Refusal::Different((group.arrived & mask).trailing_zeros()));
                }
                self.groups.push(Group { mask, arrived: bit, first: lane, call });
                self.groups.len() - 1
            }
        };
        self.grouped |= bit;
        if self.groups[position].arrived != mask {
            return Ok(0);
        }
        self.groups.swap_remove(position);
        self.grouped &= !mask;
        self.complete(mask, operands, counts)?;
        self.steps.converge(mask, mask == self.existing & !self.ended, counts);
        Ok(mask)
    }

    /// Computes the result of every lane of `mask`. `any` is one lane's operands, which tell the collective.
    fn complete(&mut self, mask: u32, any: Operands, counts: &mut Counts) -> Result<(), Refusal> {
        match any {
            Operands::SyncWarp => {
                counts.warp_syncs += 1;
                self.clocks.sync(mask, self.existing);
            }
            Operands::Ballot(_) => {
                counts.votes += 1;
                let holds = |&lane: &u32| matches!(self.operands[lane as usize], Operands::Ballot(true));
                let ballot = lanes(mask).filter(holds).fold(0, |ballot, lane| ballot | 1 << lane);
                for lane in lanes(mask) {
                    self.results[lane as usize] = (ballot, true);
                }
            }
            Operands::Shuffle { .. } => {
                counts.shuffles += 1;
                for reader in lanes(mask) {
                    let Operands::Shuffle { mode, value, lane, clamp } = self.operands[reader as usize]
                    else {
                        continue;
                    };
                    self.results[reader as usize] = match source(mode, reader, lane, clamp) {
                        None => (value, false),
                        Some(source) if mask >> source & 1 == 0 => {
                            return Err(Refusal::Outside { reader, source });
                        }
                        Some(source) => match self.operands[source as usize] {
                            Operands::Shuffle { value, .. } => (value, true),
                            _ => continue,
                        },
                    };
                }
            }
        }
        Ok(())
    }
}
