//! Errors as codes and messages.

use warpfold::Error;

/// Why there is no result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A wrong argument.
    Invalid(&'static str),
    /// An error of warpfold.
    Warpfold(Error),
    /// A panic was caught.
    Panicked,
}

impl Failure {
    /// Returns the failure of a wrong argument, with the reason.
    pub(crate) fn invalid(why: &'static str) -> Self {
        Self::Invalid(why)
    }

    /// Returns the code, from `enum warpfold_code`.
    pub(crate) fn code(&self) -> i32 {
        match self {
            Self::Invalid(_) => 1,
            Self::Warpfold(error) => match error {
                Error::Foreign { .. }
                | Error::OtherDevice { .. }
                | Error::OutOfBounds { .. }
                | Error::Shape { .. }
                | Error::Dimensions { .. }
                | Error::Group { .. }
                | Error::Label { .. }
                | Error::Bins { .. }
                | Error::NoElements
                | Error::NoInitialValue => 1,
                Error::Unavailable { .. } => 2,
                Error::OutOfMemory { .. } => 3,
                Error::Capturing { .. } => 4,
                Error::FloatEnvironment { .. } => 5,
                Error::Driver { .. }
                | Error::Poisoned { .. }
                | Error::Kernel { .. }
                | Error::PtxTooNew { .. } => 6,
                Error::Forked => 7,
                Error::TooManyResults { .. } => 9,
                _ => 8,
            },
            Self::Panicked => 8,
        }
    }

    /// Returns the message: what happened and what to do.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::Invalid(why) => (*why).to_owned(),
            Self::Warpfold(error) => error.to_string(),
            Self::Panicked => "warpfold panicked: please report it with what stderr says".to_owned(),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Warpfold(error)
    }
}
