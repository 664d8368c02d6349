//! Memory of a device, and page-locked memory of the host.

mod device;
mod foreign;
mod lent;
mod locked;
mod region;
mod spare;
mod words;

pub use device::Memory;
pub use lent::{Lent, is_page_locked};
pub use locked::LockedBuffer;
pub use region::Region;
pub(crate) use spare::Spare;
pub use words::LockedWords;
