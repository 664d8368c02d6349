//! Starts this program again, as several processes.

use std::env;
use std::process::{Command, Stdio};

/// Returns whether `mpirun` started this process.
pub fn is_launched() -> bool {
    env::var_os("OMPI_COMM_WORLD_SIZE").is_some()
}

/// Returns a command that starts this program as several processes, also more than there are cores.
pub fn mpirun(processes: usize, options: &[&str]) -> Command {
    let mut mpirun = Command::new("mpirun");
    // In containers the user is often root.
    mpirun.args(["--allow-run-as-root", "--oversubscribe", "-n", &processes.to_string()]);
    mpirun.args(["--mca", "btl_base_warn_component_unused", "0"]).args(options);
    mpirun.arg(env::current_exe().unwrap()).stdin(Stdio::null());
    // A small machine is shared by all processes.
    mpirun.env("RAYON_NUM_THREADS", "2");
    mpirun
}
