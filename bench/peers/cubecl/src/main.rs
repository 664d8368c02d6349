//! CubeCL's reduce crate as a peer of `bench gpu`; its argument is the device's number.
//!
//! Prints its description when it is ready. Then, for each input line with a contest, it finds the fastest of
//! the ways in which the crate's public functions sum f32, measures it, and replies in one line. `bench`'s
//! outsider.rs documents the fields of both. Times are in microseconds.

mod data;
mod sum;

use std::{
    io::{BufRead, Write, stdin, stdout},
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use cubecl::{
    client::{Client, Graph},
    server::Handle,
};
use serde::Deserialize;
use serde_json::{Value, json};

use sum::{ROWS, Way, part, sum, ways};

/// A contest, as requested by `bench`.
#[derive(Deserialize)]
struct Request {
    op: String,
    element: String,
    n: usize,
    buffer: usize,
    slots: usize,
    trials: usize,
    stream: usize,
    graph: usize,
    end_to_end: usize,
    seconds: f64,
}

const NAME: &str = "CubeCL";

/// Bytes between results, so that no two share a cache line.
const STRIDE: usize = 512;

/// Results on the device, one for each slot.
const SLOTS: usize = 64;

/// The device and what is on it.
struct Bench {
    client: Client,
    data: Option<(usize, Handle)>,
    between: Handle,
    results: Handle,
}

/// The data of one contest.
struct Ground<'a> {
    bench: &'a Bench,
    data: Handle,
    request: &'a Request,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = std::env::args().nth(1).map_or(Ok(0), |number| number.parse())?;
    let client = cubecl::Device::cuda(device).map_err(|error| error.to_string())?.client();
    let between = client.empty(ROWS * size_of::<f32>());
    let results = client.create_from_slice(&[0; SLOTS * STRIDE]);
    let mut bench = Bench { client, data: None, between, results };
    say(&json!({"peers": ["CubeCL 0.12.0-pre.1 with cubek-reduce 0.4.0-pre.1"]}))?;
    for line in stdin().lock().lines() {
        let request: Request = serde_json::from_str(&line?)?;
        // The crates panic if a kernel does not compile.
        let measured = catch_unwind(AssertUnwindSafe(|| bench.contest(&request)));
        let answer = match measured.unwrap_or_else(|_| Err("it panicked, as standard error says".into())) {
            Ok(result) => json!({"results": [result]}),
            Err(reason) => json!({"results": [], "missing": [{"peer": NAME, "reason": reason}]}),
        };
        say(&answer)?;
    }
    Ok(())
}

fn say(answer: &Value) -> std::io::Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{answer}")?;
    out.flush()
}

impl Bench {
    fn contest(&mut self, request: &Request) -> Result<Value, String> {
        if (request.op.as_str(), request.element.as_str()) != ("sum", "f32") || request.slots > SLOTS {
            return Err("is measured for sums of f32".into());
        }
        if self.data.as_ref().is_none_or(|(n, _)| *n != request.buffer) {
            self.data = None;
            self.data = Some((request.buffer, data::uniform_f32(&self.client, request.buffer)));
        }
        let (_, data) = self.data.clone().ok_or("there are no data")?;
        Ground { bench: self, data, request }.contest()
    }
}

impl Ground<'_> {
    fn contest(&self) -> Result<Value, String> {
        let request = self.request;
        let deadline = Instant::now() + Duration::from_secs_f64(request.seconds);
        let by_stream = self.fastest_by_stream(deadline);
        let &(_, way) = by_stream.first().ok_or("none of its ways works")?;
        let mut answers = self.answers(way, &[0, request.slots - 1])?;

        let (mut graph, mut no_graph) = (vec![], None);
        match self.fastest_by_graph(&by_stream) {
            Ok(replayed) => {
                // The last call's result is the one that remains.
                answers.extend(self.results(&[(request.graph - 1) % request.slots])?);
                for _ in 0..request.trials {
                    graph.push(self.replay(&replayed)? / request.graph as f64);
                }
            }
            Err(reason) => no_graph = Some(reason),
        }
        let (mut stream, mut end_to_end) = (vec![], vec![]);
        for round in 0..request.trials {
            if round >= 5 && Instant::now() > deadline {
                break;
            }
            stream.push(self.launches(way, round * request.stream, request.stream)?);
            for call in 0..request.end_to_end {
                end_to_end.push(self.to_host(way, (round * request.end_to_end + call) % request.slots)?);
            }
        }
        Ok(json!({"peer": NAME, "answers": answers, "stream": stream, "graph": graph, "no_graph": no_graph,
            "end_to_end": end_to_end}))
    }

    /// The ways that work, with their time per call by launches, fastest first.
    fn fastest_by_stream(&self, deadline: Instant) -> Vec<(f64, Way)> {
        let mut found: Vec<(f64, Way)> = Vec::new();
        for way in ways(self.request.n) {
            if !found.is_empty() && Instant::now() > deadline {
                break;
            }
            let calls = self.request.stream;
            // The first call compiles.
            let time = catch_unwind(AssertUnwindSafe(|| -> Result<f64, String> {
                self.launches(way, 0, 1)?;
                let mut times = [0.0; 3];
                for time in &mut times {
                    *time = self.launches(way, 0, calls)?;
                }
                times.sort_by(f64::total_cmp);
                Ok(times[1])
            }));
            match time {
                Ok(Ok(time)) => found.push((time, way)),
                Ok(Err(reason)) => eprintln!("{NAME}: {way:?}: {reason}"),
                Err(_) => eprintln!("{NAME}: {way:?} panicked"),
            }
        }
        found.sort_by(|left, right| left.0.total_cmp(&right.0));
        found
    }

    /// The graph with the fastest replay, among the four ways that are fastest by launches.
    fn fastest_by_graph(&self, ways: &[(f64, Way)]) -> Result<Graph, String> {
        let (mut best, mut failure) = (None, "there is no way".to_owned());
        for &(_, way) in ways.iter().take(4) {
            match self.capture(way) {
                Ok(graph) => {
                    let mut times = [0.0; 5];
                    for time in &mut times {
                        *time = self.replay(&graph)?;
                    }
                    times.sort_by(f64::total_cmp);
                    if best.as_ref().is_none_or(|(time, _)| times[2] < *time) {
                        best = Some((times[2], graph));
                    }
                }
                Err(reason) => failure = reason,
            }
        }
        let (_, graph) = best.ok_or(failure)?;
        // So that the results are from this way.
        for slot in 0..self.request.slots {
            data::zero(&self.bench.client, part(&self.bench.results, SLOTS * STRIDE, slot * STRIDE, 4));
        }
        self.replay(&graph)?;
        Ok(graph)
    }

    fn enqueue(&self, way: Way, call: usize) -> Result<(), String> {
        let (slot, n) = (call % self.request.slots, self.request.n);
        let input = part(&self.data, self.request.buffer * 4, slot * n * 4, n * 4);
        let output = part(&self.bench.results, SLOTS * STRIDE, slot * STRIDE, 4);
        sum(&self.bench.client, way, (input, n), &self.bench.between, output)
    }

    /// Microseconds per call on the device, for calls one after another.
    fn launches(&self, way: Way, first: usize, calls: usize) -> Result<f64, String> {
        let us = self.on_device(|| (first..first + calls).try_for_each(|call| self.enqueue(way, call)))?;
        Ok(us / calls as f64)
    }

    fn capture(&self, way: Way) -> Result<Graph, String> {
        let client = &self.bench.client;
        let calls = || (0..self.request.graph).try_for_each(|call| self.enqueue(way, call));
        // It must allocate before the capture.
        client.graph_prepare().map_err(debug)?;
        calls()?;
        self.results(&[0])?;
        client.start_capture().map_err(debug)?;
        let captured = calls();
        let graph = client.stop_capture().map_err(debug)?;
        captured.map(|()| graph)
    }

    /// Microseconds on the device of one replay.
    fn replay(&self, graph: &Graph) -> Result<f64, String> {
        // SAFETY: the buffers that it reads and writes live as long as the program, and everything is on one
        // stream.
        self.on_device(|| unsafe { graph.replay() }.map_err(debug))
    }

    fn on_device(&self, work: impl FnOnce() -> Result<(), String> + Send) -> Result<f64, String> {
        let (done, time) = self.bench.client.profile(work, NAME).map_err(debug)?;
        done?;
        let time = cubecl::future::block_on(time.resolve()).ok_or("the clock gives no number")?;
        Ok(time.duration().as_secs_f64() * 1e6)
    }

    /// Microseconds on the host from the call until the scalar is available.
    fn to_host(&self, way: Way, slot: usize) -> Result<f64, String> {
        let (client, n) = (&self.bench.client, self.request.n);
        let input = part(&self.data, self.request.buffer * 4, slot * n * 4, n * 4);
        let start = Instant::now();
        let output = client.empty(4);
        sum(client, way, (input, n), &self.bench.between, output.clone())?;
        client.read_one(output).map_err(debug)?;
        Ok(start.elapsed().as_secs_f64() * 1e6)
    }

    /// The results of these slices, computed again.
    fn answers(&self, way: Way, slots: &[usize]) -> Result<Vec<Value>, String> {
        slots.iter().try_for_each(|&slot| self.enqueue(way, slot))?;
        self.results(slots)
    }

    /// The results on the device, as the 16 bytes of peers/cub.cu.
    fn results(&self, slots: &[usize]) -> Result<Vec<Value>, String> {
        let bytes = self.bench.client.read_one(self.bench.results.clone()).map_err(debug)?;
        let result = |&slot: &usize| {
            let value = bytes.get(slot * STRIDE..slot * STRIDE + 4).ok_or("a result is missing")?;
            let digits: String = value.iter().chain(&[0; 12]).map(|byte| format!("{byte:02x}")).collect();
            Ok(json!({"slot": slot, "bytes": digits}))
        };
        slots.iter().map(result).collect()
    }
}

fn debug(error: impl std::fmt::Debug) -> String {
    format!("{error:?}")
}
