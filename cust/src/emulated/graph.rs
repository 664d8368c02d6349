//! Graphs.

use std::ffi::c_uint;

use super::state::{Driver, answer, handle};
use super::stream;
use super::work::Work;
use crate::sys::{self, Handle};

pub unsafe extern "system" fn cuStreamBeginCapture_v2(stream: Handle, mode: c_uint) -> u32 {
    answer(|driver| {
        if mode != sys::STREAM_CAPTURE_MODE_RELAXED {
            return Err(sys::INVALID_VALUE);
        }
        let id = stream::of(driver, stream)?;
        driver.stream(id)?.recorded = Some(Vec::new());
        Ok(())
    })
}

pub unsafe extern "system" fn cuStreamEndCapture(stream: Handle, graph: *mut Handle) -> u32 {
    answer(|driver| {
        let id = stream::of(driver, stream)?;
        let Some(recorded) = driver.stream(id)?.recorded.take() else {
            return Err(driver.fault("ended a recording that there is not"));
        };
        for stream in driver.streams.values_mut().filter(|stream| stream.into == Some(id)) {
            stream.into = None;
        }
        // SAFETY: the caller's promise.
        unsafe { *graph = handle(made(driver, recorded)) };
        Ok(())
    })
}

pub unsafe extern "system" fn cuGraphInstantiateWithFlags(
    executable: *mut Handle,
    graph: Handle,
    flags: u64,
) -> u32 {
    answer(|driver| {
        let Some(work) = driver.graphs.get(&graph.addr()).cloned() else {
            return Err(driver.fault("made a graph ready that there is not"));
        };
        // SAFETY: the caller's promise.
        unsafe { *executable = handle(made(driver, work)) };
        if flags == 0 { Ok(()) } else { Err(sys::INVALID_VALUE) }
    })
}

/// Returns the number of a new graph.
fn made(driver: &mut Driver, work: Vec<Work>) -> usize {
    let id = driver.next();
    driver.graphs.insert(id, work);
    id
}

pub unsafe extern "system" fn cuGraphLaunch(executable: Handle, stream: Handle) -> u32 {
    answer(|driver| {
        if !driver.graphs.contains_key(&executable.addr()) {
            return Err(driver.fault("launched a graph that there is not"));
        }
        let id = stream::of(driver, stream)?;
        driver.push(id, Work::Graph { graph: executable.addr(), done: 0 })
    })
}

pub unsafe extern "system" fn cuGraphExecDestroy(executable: Handle) -> u32 {
    answer(|driver| {
        let id = executable.addr();
        let launches = |work: &Work| matches!(work, Work::Graph { graph, .. } if *graph == id);
        if driver.streams.values().any(|stream| stream.work.iter().any(launches)) {
            return Err(driver.fault("destroyed a graph that is still to run"));
        }
        destroy(driver, executable)
    })
}

pub unsafe extern "system" fn cuGraphDestroy(graph: Handle) -> u32 {
    answer(|driver| destroy(driver, graph))
}

fn destroy(driver: &mut Driver, graph: Handle) -> Result<(), u32> {
    match driver.graphs.remove(&graph.addr()) {
        Some(_) => Ok(()),
        None => Err(driver.fault("destroyed a graph that there is not")),
    }
}
