//! What a pass does, and from where to where: decided on the device, from what was counted.

/// The bit of a route's word that says that keys are in order.
pub(super) const ASCENDING: u64 = 1 << 8;

/// The bit that says that each key comes before the one before it.
pub(super) const DESCENDING: u64 = 1 << 9;

/// What a pass does.
#[derive(Clone, Copy)]
pub(super) enum Route {
    /// Nothing.
    Rest,
    /// Copies all keys, from the last to the first if `is_reversed`.
    Copy { is_reversed: bool },
    /// Moves keys by the digit.
    Move(Move),
}

/// A pass that moves keys.
#[derive(Clone, Copy)]
pub(super) struct Move {
    /// Passes before it that move keys.
    pub(super) before: u32,
    /// Passes after it that move keys.
    pub(super) after: u32,
}

impl Move {
    /// Returns pass `pass`, which moves keys, as the route's `word` says.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn new(word: u64, pass: u32) -> Self {
        let differs = word as u32 & 0xff;
        let before = (differs & ((1 << pass) - 1)).count_ones();
        Self { before, after: (differs >> pass >> 1).count_ones() }
    }

    /// Whether keys come from the input.
    pub(super) fn is_first(self) -> bool {
        self.before == 0
    }

    /// Whether they go to their last places.
    pub(super) fn is_last(self) -> bool {
        self.after == 0
    }

    /// Whether they go to the output: in the last pass, and in every other one before it.
    pub(super) fn is_to_out(self) -> bool {
        self.after.is_multiple_of(2)
    }
}

impl Route {
    /// The route of the pass with this number. `word` has a bit for each pass whose digits differ, and the bits of the
    /// order.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn new(word: u64, pass: u32) -> Self {
        let differs = word as u32 & 0xff;
        if word & (ASCENDING | DESCENDING) != 0 {
            return if pass == 0 { Self::Copy { is_reversed: word & ASCENDING == 0 } } else { Self::Rest };
        }
        if differs >> pass & 1 == 0 { Self::Rest } else { Self::Move(Move::new(word, pass)) }
    }
}
