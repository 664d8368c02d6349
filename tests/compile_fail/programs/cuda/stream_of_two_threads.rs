//! A stream is used by one thread at a time: it can be sent to another thread, but not shared.

use warpfold::{Cuda, Error};

fn moved<T: Send>(_: T) {}
fn shared<T: Sync>(_: &T) {}

fn main() -> Result<(), Error> {
    let cuda = Cuda::open(0)?;
    moved(cuda.stream()?);
    shared(&cuda);
    shared(&cuda.stream()?);
    Ok(())
}
