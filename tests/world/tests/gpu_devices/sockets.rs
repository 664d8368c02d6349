//! Two processes, whose host bytes go through a socket: this program, started again.

use std::cell::RefCell;
use std::env;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use warpfold::{Communicator, Cuda, Error, RankFault};

use super::ranks::{LIMIT, all_cases, are_two};

const RANK: &str = "WARPFOLD_TEST_RANK";
const PORT: &str = "WARPFOLD_TEST_PORT";

/// One of two ranks, with a connection to the other.
struct Socket<'a> {
    rank: usize,
    stream: &'a RefCell<TcpStream>,
}

impl Socket<'_> {
    fn write(&self, bytes: &[u8]) -> std::io::Result<()> {
        let mut stream = self.stream.borrow_mut();
        stream.write_all(&(bytes.len() as u64).to_le_bytes())?;
        stream.write_all(bytes)
    }

    fn read(&self) -> std::io::Result<Vec<u8>> {
        let mut stream = self.stream.borrow_mut();
        let mut len = [0; 8];
        stream.read_exact(&mut len)?;
        let mut bytes = vec![0; u64::from_le_bytes(len) as usize];
        stream.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn gone<T>(&self, result: std::io::Result<T>) -> Result<T, Error> {
        result.map_err(|_| Error::Rank { rank: 1 - self.rank, fault: RankFault::Gone })
    }
}

impl Communicator for Socket<'_> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        2
    }

    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        if self.rank == 0 {
            self.gone(self.write(bytes))?;
            return Ok(vec![bytes.to_vec(), self.gone(self.read())?]);
        }
        let first = self.gone(self.read())?;
        self.gone(self.write(bytes))?;
        Ok(vec![first, bytes.to_vec()])
    }

    fn send(&self, _: usize, bytes: &[u8]) -> Result<(), Error> {
        self.gone(self.write(bytes))
    }

    fn recv(&self, from: usize, bytes: &mut [u8]) -> Result<(), Error> {
        let found = self.gone(self.read())?;
        if found.len() != bytes.len() {
            return Err(Error::Rank { rank: from, fault: RankFault::Garbled });
        }
        bytes.copy_from_slice(&found);
        Ok(())
    }
}

/// Connects the two processes.
fn connected(rank: usize, port: u16) -> TcpStream {
    let address = ("127.0.0.1", port);
    let stream = if rank == 0 {
        TcpListener::bind(address).unwrap().accept().unwrap().0
    } else {
        let begun = Instant::now();
        loop {
            match TcpStream::connect(address) {
                Ok(stream) => break stream,
                Err(error) => assert!(begun.elapsed() < LIMIT, "{error}"),
            }
            thread::sleep(Duration::from_millis(20));
        }
    };
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    stream
}

/// Is a rank in the processes that `two_processes` starts, and nothing elsewhere.
#[test]
fn one_of_two_processes() {
    let (Ok(rank), Ok(port)) = (env::var(RANK), env::var(PORT)) else { return };
    let rank: usize = rank.parse().unwrap();
    let stream = RefCell::new(connected(rank, port.parse().unwrap()));
    let cuda = Cuda::open(rank).unwrap();
    all_cases(|| Socket { rank, stream: &stream }, &cuda);
    println!("rank {rank} has every result");
}

#[test]
fn two_processes() {
    if env::var_os(RANK).is_some() || !are_two() {
        return;
    }
    // A port that is free now.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let start = |rank: usize| {
        Command::new(env::current_exe().unwrap())
            .args(["sockets::one_of_two_processes", "--exact", "--nocapture", "--test-threads", "1"])
            .env(RANK, rank.to_string())
            .env(PORT, port.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let ranks = [start(0), start(1)];
    for (rank, process) in ranks.into_iter().enumerate() {
        let output = process.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("has every result"), "rank {rank}: {text}");
    }
}
