//! Where the elements come from.

use crate::npy::Npy;
use crate::synthetic::Synthetic;

/// The input.
pub(crate) enum Source {
    Npy(Npy),
    Synthetic(Synthetic),
}

impl Source {
    /// Whether the first coordinate runs fastest in memory, in an array where that makes a difference.
    pub(crate) fn is_fortran(&self) -> bool {
        match self {
            Self::Npy(npy) => npy.layout.fortran,
            Self::Synthetic(_) => false,
        }
    }

    /// Size of the elements.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Npy(npy) => npy.layout.count * npy.layout.dtype.bytes(),
            Self::Synthetic(synthetic) => synthetic.count.saturating_mul(size_of::<f32>() as u64),
        }
    }

    /// The coordinates of the element that is `index` elements behind the first in memory.
    pub(crate) fn coordinates(&self, index: u64) -> Vec<u64> {
        match self {
            Self::Npy(npy) => npy.layout.coordinates(index),
            Self::Synthetic(_) => vec![index],
        }
    }
}
