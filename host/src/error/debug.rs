//! What `Debug` prints of an error, and which errors are equal.

use std::fmt;
use std::mem::discriminant;

use super::{Error, RankFault, Unavailable};

/// Names the variants, by which a program matches and the documentation is ordered.
macro_rules! errors {
    ($($error:ident: $($variant:ident)+;)+) => {
        $(
            impl $error {
                const fn variant(&self) -> &'static str {
                    match self {
                        $(Self::$variant { .. } => concat!(stringify!($error), "::", stringify!($variant)),)+
                    }
                }
            }

            /// Prints the message, then the variant: an error that leaves `main` is printed by `Debug`.
            impl fmt::Debug for $error {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    write!(f, "{self} ({})", self.variant())
                }
            }
        )+
    };
}

errors! {
    Error:
        FloatEnvironment Tiles Plan NotInPlace Missing Threads Lengths Results NoElement NoInitialValue Shape Dimensions
        ViewBounds Axes ChunkLength Window Offset Group Label Room TooFew PartTooShort NoElements Quantile Bins TooManyResults Setting Unavailable
        OutOfMemory PtxTooNew Kernel Poisoned Forked OutOfBounds OtherDevice Capturing Foreign NoResult Stopped Rank
        WorldClosed Nccl Driver;
    RankFault: Gone Late Disagrees Refused Failed Garbled Misplaced Unreachable;
    Unavailable: NotBuilt NoDriver NoDevice NoSuchDevice DriverTooOld DeviceTooOld Emulated Refused;
}

/// Errors are equal if they have the same variant and the same message. The message names every field. An error of
/// another crate in a field is compared by its message.
impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        discriminant(self) == discriminant(other) && self.to_string() == other.to_string()
    }
}

/// Faults are equal if they have the same variant and the same message. The message names every field.
impl PartialEq for RankFault {
    fn eq(&self, other: &Self) -> bool {
        discriminant(self) == discriminant(other) && self.to_string() == other.to_string()
    }
}

#[cfg(test)]
mod tests;
