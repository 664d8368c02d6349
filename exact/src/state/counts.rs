//! Counts of the kinds of elements that the integer does not show: -0.0, NaN, infinities.

/// Whether elements are pushed or taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Pushed.
    Push,
    /// Taken back.
    Retract,
}

impl Way {
    /// Returns `count` or its negative.
    #[inline]
    pub(super) fn of(self, count: i64) -> i64 {
        if self == Self::Push { count } else { count.wrapping_neg() }
    }
}

/// The kind of an element, or of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A finite number that is not -0.0.
    Ordinary,
    /// -0.0.
    NegativeZero,
    /// NaN.
    Nan,
    /// Positive infinity.
    Positive,
    /// Negative infinity.
    Negative,
}

impl Kind {
    /// Returns the kind of a float.
    #[inline]
    pub(super) fn of(x: f64) -> Self {
        // One comparison for most: zero becomes the greatest.
        if x.abs().to_bits().wrapping_sub(1) < f64::INFINITY.to_bits() - 1 {
            return Self::Ordinary;
        }
        match x {
            0.0 if x.is_sign_negative() => Self::NegativeZero,
            0.0 => Self::Ordinary,
            f64::INFINITY => Self::Positive,
            f64::NEG_INFINITY => Self::Negative,
            _ => Self::Nan,
        }
    }

    /// Returns whether it is a number.
    #[inline]
    pub(super) fn is_finite(self) -> bool {
        matches!(self, Self::Ordinary | Self::NegativeZero)
    }
}

/// The counts. They wrap, so that they form a group too. An element taken back more often than pushed has a negative count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Counts {
    /// All elements.
    pub(super) all: i64,
    pub(super) negative_zeros: i64,
    pub(super) nans: i64,
    pub(super) positive: i64,
    pub(super) negative: i64,
}

impl Counts {
    /// The counts of no elements.
    pub(super) const NONE: Self = Self { all: 0, negative_zeros: 0, nans: 0, positive: 0, negative: 0 };

    /// Counts `weight` elements of a kind.
    #[inline]
    pub(super) fn add(&mut self, kind: Kind, weight: i64) {
        self.all = self.all.wrapping_add(weight);
        let count = match kind {
            Kind::Ordinary => return,
            Kind::NegativeZero => &mut self.negative_zeros,
            Kind::Nan => &mut self.nans,
            Kind::Positive => &mut self.positive,
            Kind::Negative => &mut self.negative,
        };
        *count = count.wrapping_add(weight);
    }

    /// Adds the counts of `other`, or takes them away.
    #[inline]
    pub(super) fn join(&mut self, other: &Self, way: Way) {
        let pairs = self.fields_mut().into_iter().zip(other.fields());
        pairs.for_each(|(count, other)| *count = count.wrapping_add(way.of(other)));
    }

    /// Returns the counts in the order of the format.
    pub(super) fn fields(&self) -> [i64; 5] {
        [self.all, self.negative_zeros, self.nans, self.positive, self.negative]
    }

    /// The same, to be changed.
    pub(super) fn fields_mut(&mut self) -> [&mut i64; 5] {
        [&mut self.all, &mut self.negative_zeros, &mut self.nans, &mut self.positive, &mut self.negative]
    }

    /// Returns whether all elements are finite.
    pub(super) fn are_finite(&self) -> bool {
        self.special().is_none()
    }

    /// Returns the sum that infinities and NaN give: positive or negative infinity, or NaN; `None` if there are none.
    pub(super) fn special(&self) -> Option<f64> {
        // What was taken back more often than pushed counts as its negative.
        let is_positive = self.positive > 0 || self.negative < 0;
        let is_negative = self.negative > 0 || self.positive < 0;
        match (is_positive, is_negative, self.nans) {
            (false, false, 0) => None,
            (true, false, 0) => Some(f64::INFINITY),
            (false, true, 0) => Some(f64::NEG_INFINITY),
            _ => Some(f64::NAN),
        }
    }

    /// Returns whether there is nothing but -0.0, or nothing at all: then a sum of zero is -0.0.
    pub(super) fn is_negative_zero(&self) -> bool {
        self.all == self.negative_zeros
    }
}
