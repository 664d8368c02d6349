//! What all states have, written once.

/// Gives a state of `$element`s its common methods and traits. It has `EMPTY`, `KIND`, `MAX_BYTES`, `write` and `read`, and
/// a `push` whose arguments the pattern takes from an element.
macro_rules! state {
    ($State:ident { $($part:ident),* }, $element:ty, |$arguments:pat_param| $($argument:ident),*) => {
        impl<T: Element> $State<T> {
            /// Returns the state of no elements.
            #[must_use]
            pub fn new() -> Self {
                Self::EMPTY
            }

            /// Adds all that `other` has, or takes it back.
            #[inline]
            pub(super) fn join(&mut self, other: &Self, way: Way) {
                $(self.$part.join(&other.$part, way);)*
            }

            /// Adds all that `other` has.
            #[inline]
            pub fn merge(&mut self, other: &Self) {
                self.join(other, Way::Push);
            }

            /// Takes back all that `other` has.
            #[inline]
            pub fn unmerge(&mut self, other: &Self) {
                self.join(other, Way::Retract);
            }

            /// Writes the state's canonical bytes to the front of `buffer`, and returns them. Equal elements have equal bytes,
            /// whatever their order and however they were pushed, merged and taken back.
            ///
            /// # Errors
            /// [`BufferTooSmall`] if they do not fit. `MAX_BYTES` always suffice.
            pub fn encode<'a>(&self, buffer: &'a mut [u8]) -> Result<&'a [u8], BufferTooSmall> {
                let mut writer = Writer::new(buffer, Self::KIND, T::TAG);
                self.write(&mut writer);
                writer.written()
            }

            /// Returns the state that has these canonical bytes.
            ///
            /// # Errors
            /// [`DecodeError`] if the bytes are of another version, of another state or element, or not canonical.
            pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
                let mut reader = Reader::new(bytes, Self::KIND, T::TAG)?;
                let state = Self::read(&mut reader)?;
                reader.end()?;
                Ok(state)
            }
        }

        impl<T: Element> Clone for $State<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T: Element> Copy for $State<T> {}

        /// States are equal if they have the same bytes.
        impl<T: Element> PartialEq for $State<T> {
            fn eq(&self, other: &Self) -> bool {
                $(self.$part == other.$part)&&*
            }
        }

        impl<T: Element> Eq for $State<T> {}

        impl<T: Element> core::hash::Hash for $State<T> {
            fn hash<H: core::hash::Hasher>(&self, hasher: &mut H) {
                $(self.$part.hash(hasher);)*
            }
        }

        /// Names the state and its number of elements.
        impl<T: Element> core::fmt::Debug for $State<T> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($State)).field("count", &self.count()).finish_non_exhaustive()
            }
        }

        impl<T: Element> Default for $State<T> {
            fn default() -> Self {
                Self::EMPTY
            }
        }

        impl<T: Element> Extend<$element> for $State<T> {
            fn extend<I: IntoIterator<Item = $element>>(&mut self, elements: I) {
                elements.into_iter().for_each(|$arguments| self.push($($argument),*));
            }
        }

        impl<'a, T: Element> Extend<&'a $element> for $State<T> {
            fn extend<I: IntoIterator<Item = &'a $element>>(&mut self, elements: I) {
                self.extend(elements.into_iter().copied());
            }
        }

        impl<T: Element> FromIterator<$element> for $State<T> {
            fn from_iter<I: IntoIterator<Item = $element>>(elements: I) -> Self {
                let mut state = Self::EMPTY;
                state.extend(elements);
                state
            }
        }

        impl<'a, T: Element> FromIterator<&'a $element> for $State<T> {
            fn from_iter<I: IntoIterator<Item = &'a $element>>(elements: I) -> Self {
                elements.into_iter().copied().collect()
            }
        }

        /// Merges states.
        impl<T: Element> core::iter::Sum for $State<T> {
            fn sum<I: Iterator<Item = Self>>(states: I) -> Self {
                states.fold(Self::EMPTY, |mut all, state| {
                    all.merge(&state);
                    all
                })
            }
        }

        /// Merges states.
        impl<'a, T: Element> core::iter::Sum<&'a Self> for $State<T> {
            fn sum<I: Iterator<Item = &'a Self>>(states: I) -> Self {
                states.fold(Self::EMPTY, |mut all, state| {
                    all.merge(state);
                    all
                })
            }
        }

        /// Merges the other state.
        impl<T: Element> core::ops::AddAssign for $State<T> {
            fn add_assign(&mut self, other: Self) {
                self.merge(&other);
            }
        }

        /// Merges the other state.
        impl<T: Element> core::ops::AddAssign<&Self> for $State<T> {
            fn add_assign(&mut self, other: &Self) {
                self.merge(other);
            }
        }

        /// Takes the other state back.
        impl<T: Element> core::ops::SubAssign for $State<T> {
            fn sub_assign(&mut self, other: Self) {
                self.unmerge(&other);
            }
        }

        /// Takes the other state back.
        impl<T: Element> core::ops::SubAssign<&Self> for $State<T> {
            fn sub_assign(&mut self, other: &Self) {
                self.unmerge(other);
            }
        }

        #[cfg(feature = "serde")]
        super::serde::as_bytes!($State);
    };
}
pub(super) use state;
