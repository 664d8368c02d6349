//! Contiguous parts of an array in device memory, for verbs whose results lie part after part.

use gpu_kernels::Element;

use crate::cpu::{Bounds, between};
use crate::cuda::launch::{Divided, Offsets, PartEnds};
use crate::cuda::rows::checked;
use crate::cuda::{DeviceElements, DeviceSlice};
use crate::error::Error;
use crate::index_type::IndexType;
use crate::input::{Chunks, Rows, Segments};

/// An input that divides an array in device memory into contiguous parts.
pub(crate) trait DeviceParts {
    /// The type of the elements.
    type Element: Element;

    /// Returns the array.
    fn array(&self) -> DeviceSlice<'_, Self::Element>;

    /// Returns its parts for launches, or `None` without parts. Offsets are not checked.
    fn divided(&self) -> Result<Option<Divided<'_>>, Error>;

    /// Returns its parts for the host. Downloads and checks offsets.
    fn bounds(&self) -> Result<Bounds, Error>;
}

/// Parts of one length. The last one may be shorter.
pub(crate) trait EqualParts {
    /// Returns the number of parts of `all` elements, and their length.
    fn equal(&self, all: usize) -> Result<[usize; 2], Error>;
}

impl<X> EqualParts for Rows<X> {
    fn equal(&self, all: usize) -> Result<[usize; 2], Error> {
        checked(all, self.shape)
    }
}

impl<X> EqualParts for Chunks<X> {
    fn equal(&self, all: usize) -> Result<[usize; 2], Error> {
        if self.len == 0 { Err(Error::ChunkLength) } else { Ok([all.div_ceil(self.len), self.len]) }
    }
}

/// Implements [`DeviceParts`] for [`EqualParts`].
macro_rules! equal {
    ($($parts:ident),*) => { $(
        impl<D: DeviceElements> DeviceParts for $parts<D> {
            type Element = D::Element;

            fn array(&self) -> DeviceSlice<'_, D::Element> {
                self.x.device_slice()
            }

            fn divided(&self) -> Result<Option<Divided<'_>>, Error> {
                let [count, len] = self.equal(self.array().len())?.map(|len| len as u64);
                Ok((count > 0).then_some(Divided { count, ends: PartEnds::Equal(len) }))
            }

            fn bounds(&self) -> Result<Bounds, Error> {
                let all = self.array().len();
                let [count, len] = self.equal(all)?;
                Ok(Bounds::Equal { len, count, all })
            }
        }
    )* };
}
equal!(Rows, Chunks);

impl<D: DeviceElements, I: DeviceElements<Element: IndexType>> DeviceParts for Segments<D, I> {
    type Element = D::Element;

    fn array(&self) -> DeviceSlice<'_, D::Element> {
        self.x.device_slice()
    }

    fn divided(&self) -> Result<Option<Divided<'_>>, Error> {
        let offsets = self.offsets.device_slice();
        if offsets.len() < 2 {
            return Ok(None);
        }
        let (count, offsets) = (offsets.len() as u64 - 1, Offsets::new(offsets.input()?));
        Ok(Some(Divided { count, ends: PartEnds::Between(offsets) }))
    }

    fn bounds(&self) -> Result<Bounds, Error> {
        between(&self.offsets.device_slice().to_vec()?, self.array().len())
    }
}
