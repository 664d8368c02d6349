//! Starts this program again, as several processes.

use std::env;
use std::process::{Command, Stdio};

/// Whether `mpirun` started this process.
pub fn is_launched() -> bool {
    env::var_os("OMPI_COMM_WORLD_SIZE").is_some()
}

/// A command that starts this program as so many processes, more than there are cores if need be.
pub fn mpirun(processes: usize, options: &[&str]) -> Command {
    let mut mpirun = Command::new("mpirun");
    // Containers often have one user, and memory of other processes that cannot be read.
    mpirun.args(["--allow-run-as-root", "--oversubscribe", "-n", &processes.to_string()]);
    mpirun.args(["--mca", "btl_base_warn_component_unused", "0"]).args(options);
    mpirun.arg(env::current_exe().unwrap()).stdin(Stdio::null());
    // Each process with its share of a small machine.
    mpirun.env("RAYON_NUM_THREADS", "2");
    mpirun
}
