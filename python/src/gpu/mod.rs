//! Arrays on a GPU: requests of the library's streams over memory of CuPy or PyTorch, with results in arrays of theirs.
//!
//! | file | has |
//! |---|---|
//! | `mod.rs` | the GPU of an array; a request on its stream |
//! | `lent.rs` | what a request is lent: arrays to read, room for results |
//! | `streams.rs` | the streams in use |
//! | `verbs.rs` | the verbs, generic over operator and type |

mod lent;
mod streams;
mod verbs;

use pyo3::prelude::*;
use warpfold::{Cuda, Error, Stream};

use self::streams::Place;
pub(crate) use self::verbs::Exponential;
use crate::failure::raise;

/// The library of an array on a GPU, the device, and the stream that is current there.
#[derive(Clone)]
pub(crate) struct Gpu<'py> {
    /// A class of `warpfold/_gpu.py`.
    library: Bound<'py, PyAny>,
    place: Place,
}

impl<'py> Gpu<'py> {
    /// Looks at an array on a GPU. Returns it as an array of a library that can make others.
    pub(crate) fn of(x: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Self)> {
        let py = x.py();
        // First, because without a driver nothing else helps.
        Cuda::device_count().map_err(raise(py))?;
        let (x, library): (Bound<'py, PyAny>, Bound<'py, PyAny>) =
            py.import("warpfold._gpu")?.call_method1("given", (x,))?.extract()?;
        let place = Place {
            device: library.getattr("device")?.extract()?,
            stream: library.getattr("stream")?.extract()?,
        };
        Ok((x, Self { library, place }))
    }

    /// Returns what calls the library.
    pub(crate) fn library(&self) -> &Bound<'py, PyAny> {
        &self.library
    }

    /// Returns whether both are of one stream.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.place == other.place
    }

    /// Runs `request` on the stream, without the GIL.
    fn run<R: Send>(&self, request: impl Fn(&Stream) -> Result<R, Error> + Send + Sync) -> PyResult<R> {
        let (py, place) = (self.library.py(), self.place);
        // The library's own stream object, which keeps the stream as long as it is used here.
        let owner = self.library.getattr("owner")?.unbind();
        let mut owner = Some(owner);
        let run = || {
            streams::with(place, &mut owner, &|stream| match request(stream) {
                // What earlier calls used is freed by a wait.
                Err(Error::OutOfMemory { .. }) => {
                    stream.synchronize()?;
                    request(stream)
                }
                answer => answer,
            })
        };
        py.detach(run).map_err(raise(py))
    }
}
