//! Files that `stats` must refuse, files that change while it reads, and memory that runs out.

#[cfg(target_os = "linux")]
mod changing;
#[cfg(feature = "arrow")]
mod footers;
mod foreign;
#[cfg(all(feature = "arrow", unix))]
mod hostile;
#[cfg(target_os = "linux")]
mod memory;
