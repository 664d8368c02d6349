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
use pyo3::sync::PyOnceLock;
use warpfold::{Cuda, Error, Stream};

use self::lent::Lender;
use self::streams::Place;
use crate::failure::raise;

/// The library of an array on a GPU, the device, and the stream that is current there.
#[derive(Clone)]
pub(crate) struct Gpu<'py> {
    /// A class of `warpfold/_gpu.py`.
    library: Bound<'py, PyAny>,
    place: Place,
    /// Whether the library records the stream to a graph, which keeps the memory that the library then allocates.
    is_recorded: bool,
}

impl<'py> Gpu<'py> {
    /// Looks at an array on a GPU. Returns it as an array of a library that can make others. Returns `None` for anything else.
    pub(crate) fn of(x: &Bound<'py, PyAny>) -> PyResult<Option<(Bound<'py, PyAny>, Self)>> {
        static GIVEN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let py = x.py();
        let given = GIVEN.import(py, "warpfold._gpu", "given")?;
        // Without a driver nothing that the function asks for helps.
        let found = given.call1((x,)).map_err(|error| Cuda::device_count().err().map_or(error, raise(py)))?;
        if found.is_none() {
            return Ok(None);
        }
        let (x, library, device, stream, is_recorded): (Bound<'py, PyAny>, Bound<'py, PyAny>, _, _, _) =
            found.extract()?;
        Ok(Some((x, Self { library, place: Place { device, stream }, is_recorded })))
    }

    /// Returns what calls the library.
    pub(crate) fn library(&self) -> &Bound<'py, PyAny> {
        &self.library
    }

    /// Returns whether both are of one stream.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.place == other.place
    }

    /// Fails while the library records the stream.
    pub(crate) fn refuses_recording(&self, during: &'static str) -> PyResult<()> {
        if self.is_recorded { Err(raise(self.library.py())(Error::Capturing { during })) } else { Ok(()) }
    }

    /// Runs `request` on the stream, without the GIL.
    fn run<R: Send>(&self, request: impl Fn(&Stream) -> Result<R, Error> + Send + Sync) -> PyResult<R> {
        let (py, place) = (self.library.py(), self.place);
        if self.is_recorded {
            let lender = Lender::new(&self.library);
            return py.detach(|| streams::record(place, lender, &request)).map_err(raise(py));
        }
        let stream = match streams::opened(place).map_err(raise(py))? {
            Some(stream) => stream,
            None => {
                // The library's own stream object, which keeps the stream as long as it is used here.
                let owner = self.library.getattr("owner")?.unbind();
                py.detach(|| streams::open(place, owner)).map_err(raise(py))?
            }
        };
        let run = || {
            let stream = streams::locked(&stream);
            match request(&stream) {
                // What earlier calls used is freed by a wait.
                Err(Error::OutOfMemory { .. }) => {
                    stream.synchronize()?;
                    request(&stream)
                }
                answer => answer,
            }
        };
        py.detach(run).map_err(raise(py))
    }
}
