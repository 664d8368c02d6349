//! A process for each device, whose host bytes go through sockets: this program, started again.

use std::cell::RefCell;
use std::env;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use warpfold::{Communicator, Cuda, Error, RankFault};

use super::ranks::{LIMIT, all_cases, counts};

const RANK: &str = "WARPFOLD_TEST_RANK";
/// The port of each rank, with commas between.
const PORTS: &str = "WARPFOLD_TEST_PORTS";

/// One of the ranks, with a connection to each other one.
struct Sockets<'a> {
    rank: usize,
    /// None in the place of this rank.
    streams: &'a [Option<RefCell<TcpStream>>],
}

impl Sockets<'_> {
    fn write(&self, to: usize, bytes: &[u8]) -> Result<(), Error> {
        let write = |mut stream: &TcpStream| {
            stream.write_all(&(bytes.len() as u64).to_le_bytes())?;
            stream.write_all(bytes)
        };
        self.gone(to, write(&self.streams[to].as_ref().unwrap().borrow()))
    }

    fn read(&self, from: usize) -> Result<Vec<u8>, Error> {
        let read = |mut stream: &TcpStream| {
            let mut len = [0; 8];
            stream.read_exact(&mut len)?;
            let mut bytes = vec![0; u64::from_le_bytes(len) as usize];
            stream.read_exact(&mut bytes)?;
            Ok(bytes)
        };
        self.gone(from, read(&self.streams[from].as_ref().unwrap().borrow()))
    }

    fn gone<T>(&self, rank: usize, result: std::io::Result<T>) -> Result<T, Error> {
        result.map_err(|_| Error::Rank { rank, fault: RankFault::Gone })
    }
}

impl Communicator for Sockets<'_> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.streams.len()
    }

    // Of each two ranks the lower one writes first, and all meet the others in order, so that none waits for ever.
    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let meet = |other| {
            if other < self.rank {
                let found = self.read(other)?;
                self.write(other, bytes)?;
                return Ok(found);
            }
            if other > self.rank {
                self.write(other, bytes)?;
                return self.read(other);
            }
            Ok(bytes.to_vec())
        };
        (0..self.size()).map(meet).collect()
    }

    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), Error> {
        self.write(to, bytes)
    }

    fn recv(&self, from: usize, bytes: &mut [u8]) -> Result<(), Error> {
        let found = self.read(from)?;
        if found.len() != bytes.len() {
            return Err(Error::Rank { rank: from, fault: RankFault::Garbled });
        }
        bytes.copy_from_slice(&found);
        Ok(())
    }
}

/// Connects this process to the others: it calls those with lower ranks, and is called by those with higher ones.
fn connected(rank: usize, ports: &[u16]) -> Vec<Option<RefCell<TcpStream>>> {
    let listener = TcpListener::bind(("127.0.0.1", ports[rank])).unwrap();
    let mut streams: Vec<_> = ports.iter().map(|_| None).collect();
    let mut keep = |rank: usize, stream: TcpStream| {
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        streams[rank] = Some(RefCell::new(stream));
    };
    for (lower, &port) in ports[..rank].iter().enumerate() {
        let mut stream = called(port);
        stream.write_all(&[rank as u8]).unwrap();
        keep(lower, stream);
    }
    for _ in rank + 1..ports.len() {
        let mut stream = listener.accept().unwrap().0;
        let mut higher = [0];
        stream.read_exact(&mut higher).unwrap();
        keep(higher[0].into(), stream);
    }
    streams
}

/// Connects to a process that may not listen yet.
fn called(port: u16) -> TcpStream {
    let begun = Instant::now();
    loop {
        match TcpStream::connect(("127.0.0.1", port)) {
            Ok(stream) => return stream,
            Err(error) => assert!(begun.elapsed() < LIMIT, "{error}"),
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Is a rank in the processes that `a_process_for_each_device` starts, and nothing elsewhere.
#[test]
fn one_of_the_processes() {
    let (Ok(rank), Ok(ports)) = (env::var(RANK), env::var(PORTS)) else { return };
    let rank: usize = rank.parse().unwrap();
    let ports: Vec<u16> = ports.split(',').map(|port| port.parse().unwrap()).collect();
    let streams = connected(rank, &ports);
    let cuda = Cuda::open(rank).unwrap();
    all_cases(|| Sockets { rank, streams: &streams }, &cuda);
    println!("rank {rank} has every result");
}

#[test]
fn a_process_for_each_device() {
    if env::var_os(RANK).is_some() {
        return;
    }
    for devices in counts() {
        // Ports that are free now.
        let free: Vec<_> = (0..devices).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let ports: Vec<_> = free.iter().map(|port| port.local_addr().unwrap().port().to_string()).collect();
        drop(free);
        let start = |rank: usize| {
            Command::new(env::current_exe().unwrap())
                .args(["sockets::one_of_the_processes", "--exact", "--nocapture", "--test-threads", "1"])
                .env(RANK, rank.to_string())
                .env(PORTS, ports.join(","))
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        };
        let ranks: Vec<_> = (0..devices).map(start).collect();
        for (rank, process) in ranks.into_iter().enumerate() {
            let output = process.wait_with_output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && text.contains("has every result"), "rank {rank}: {text}");
        }
    }
}
