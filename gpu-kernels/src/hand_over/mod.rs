//! The hand-over between the blocks of one launch: tickets, posts, and the look-back over what the tiles before one have posted.
//!
//! | file | what |
//! |---|---|
//! | `ticket` | a block draws the number of its tile; the block that takes the last number finishes |
//! | `post` | what a tile posts: its own count, then the count up to its end |
//! | `look_back` | the count before a tile, by one thread or by one warp |
//! | `in_order` | the total before a tile, combined in the tree's order |
//!
//! Merrill and Garland, *Single-pass Parallel Prefix Scan with Decoupled Look-back*, NVIDIA technical report NVR-2016-002; digit by
//! digit in one pass of a radix sort: Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs"
//! (arXiv:2206.01784).
//!
//! # Why every wait ends
//! Tiles are numbered by tickets. A block draws its ticket when it runs, from a counter that goes up by one. So when a
//! tile has a number, each tile with a lower number has a block that runs or has ended: a block that runs is not taken
//! from its multiprocessor until it ends. A block posts what its own tile has before it waits, and waits for lower
//! numbers alone. The lowest unfinished tile waits for none: all tiles before it have posted all that they ever do. It
//! ends, and by induction so does every other tile. Nothing is assumed of the order in which blocks are placed, or of
//! how many are resident, except that the warps of a resident block make progress.
//!
//! # Why no fence is needed
//! What is posted is one word, or words with a mark in each ([`Posts`](cuda_std::posts::Posts)): a reader sees a word with its mark
//! or not at all. Loads and stores are relaxed, because they order no other memory. Blocks of a launch hand over nothing else in
//! this way. The ticket of a block that [finishes](ticket::is_last) is the exception: it releases and acquires, and DESIGN.md
//! (section 4, "The hand-over between blocks") proves that the last block reads what all others wrote.
//!
//! `tests/models` runs these files with every order of steps that the memory model allows, and without tickets, or with a word
//! stored in halves, which fail.

pub(crate) mod in_order;
pub(crate) mod look_back;
pub(crate) mod post;
pub(crate) mod ticket;
