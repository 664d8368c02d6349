//! Shared memory, whose words record their writers and readers.

use core::panic::Location;

use bytemuck::Pod;

use super::misuse::Misuse;
use super::order::Moment;
use super::thread::Thread;

/// Bytes of static shared memory that a block can have on every GPU (CUDA C++ programming guide, table of technical
/// specifications).
const STATIC_BYTES: usize = 48 * 1024;

/// Most bytes of shared memory of a block on any GPU so far, static and dynamic together (the same table, compute
/// capability 9.0). Other GPUs have less.
pub(super) const MOST_BYTES: usize = 227 * 1024;

/// A shared variable of the launch. Each block has its own copy, at the same offset.
pub(super) struct Variable {
    name: &'static str,
    /// Its first word in a block's memory.
    start: usize,
    words: usize,
    is_dynamic: bool,
}

/// The shared memory of a block.
#[derive(Default)]
pub(super) struct SharedMemory {
    words: Vec<Word>,
}

/// There is one for each 4 bytes that a block has, so what is rare is apart: a small word stays in the cache.
#[derive(Default)]
struct Word {
    value: u32,
    written: Option<Moment>,
    /// Readers since then.
    readers: Users,
    /// Adders since then.
    adders: Option<Box<Users>>,
}

/// Users of a word since it was written, all in one epoch of the block.
#[derive(Default)]
struct Users {
    /// Threads of one warp, each once, and which lanes these are.
    of_warp: Vec<Moment>,
    lanes: u32,
    /// One thread of another warp. This is enough to tell whether another access races.
    foreign: Option<Box<Moment>>,
}

impl Users {
    fn add(&mut self, user: Moment) {
        if self.of_warp.first().is_some_and(|first| first.epoch != user.epoch) {
            self.clear();
        }
        let lane = 1 << (user.thread % 32);
        match self.of_warp.first() {
            Some(first) if first.thread / 32 != user.thread / 32 => {
                self.foreign.get_or_insert_with(|| Box::new(user));
            }
            _ if self.lanes & lane == 0 => {
                self.lanes |= lane;
                self.of_warp.push(user);
            }
            _ => {
                if let Some(known) = self.of_warp.iter_mut().rev().find(|known| known.thread == user.thread) {
                    *known = user;
                }
            }
        }
    }

    fn clear(&mut self) {
        self.of_warp.clear();
        self.lanes = 0;
        self.foreign = None;
    }

    fn each(&self) -> impl Iterator<Item = Moment> {
        self.of_warp.iter().chain(self.foreign.as_deref()).copied()
    }
}

impl Thread<'_> {
    /// Returns the number of the variable `name`, which is added if it is new.
    pub(crate) fn shared_variable(&self, name: &'static str, bytes: usize) -> u32 {
        let words = bytes.div_ceil(4);
        let is_it = |known: &Variable| known.words == words && known.name == name && !known.is_dynamic;
        let known = self.grid.variables.borrow().iter().position(is_it);
        known.map_or_else(|| self.add_variable(name, words, false), |known| known as u32)
    }

    /// Returns the number of the dynamic shared memory, which the kernel may declare under other names, too.
    pub(crate) fn dynamic_shared(&self, name: &'static str) -> u32 {
        let known = self.grid.variables.borrow().iter().position(|known| known.is_dynamic);
        let words = self.grid.dynamic_bytes.div_ceil(4) as usize;
        known.map_or_else(|| self.add_variable(name, words, true), |known| known as u32)
    }

    /// Places a variable after the known ones, if a block has enough memory.
    fn add_variable(&self, name: &'static str, words: usize, is_dynamic: bool) -> u32 {
        let given = self.grid.dynamic_bytes as usize;
        let mut variables = self.grid.variables.borrow_mut();
        let fixed = variables.iter().filter(|known| !known.is_dynamic);
        let before: usize = fixed.map(|known| known.words.next_multiple_of(4) * 4).sum();
        let bytes = if is_dynamic { before } else { before + words * 4 };
        if bytes > STATIC_BYTES || bytes + given > MOST_BYTES {
            drop(variables);
            self.stop(Misuse::Refused {
                reason: format!(
                    "{bytes} bytes of static shared memory with {name} and {given} of dynamic; a block has \
                     {STATIC_BYTES} and {MOST_BYTES} in all"
                ),
            });
        }
        let start = variables.last().map_or(0, |last| (last.start + last.words).next_multiple_of(4));
        variables.push(Variable { name, start, words, is_dynamic });
        variables.len() as u32 - 1
    }

    pub(crate) fn shared_read(
        &self,
        variable: u32,
        offset: usize,
        bytes: &mut [u8],
        at: &'static Location<'static>,
    ) {
        let first = self.shared_word(variable, offset, bytes.len(), at);
        let moment = self.block.moment(self.linear, ("shared read", at));
        for (word, bytes) in (first..).zip(bytes.chunks_exact_mut(4)) {
            self.count_shared(word, at);
            let mut memory = self.block.shared.borrow_mut();
            let place = &mut memory.words[word];
            match &place.written {
                None => {
                    drop(memory);
                    let (variable, offset) = self.shared_place(variable, word);
                    let at = self.site("shared read", at);
                    self.stop(Misuse::SharedUninitialised { at, variable, offset });
                }
                Some(written) if !self.block.comes_after(self.linear, written) => {
                    let written = *written;
                    drop(memory);
                    self.shared_race(&written, &moment, variable, word);
                }
                Some(_) => (),
            }
            let mut adders = place.adders.iter().flat_map(|adders| adders.each());
            let adder = adders.find(|adder| !self.block.comes_after(self.linear, adder));
            drop(adders);
            if let Some(adder) = adder {
                drop(memory);
                self.shared_race(&adder, &moment, variable, word);
            }
            place.readers.add(moment);
            bytes.copy_from_slice(&place.value.to_ne_bytes());
        }
    }

    pub(crate) fn shared_write(
        &self,
        variable: u32,
        offset: usize,
        bytes: &[u8],
        at: &'static Location<'static>,
    ) {
        let first = self.shared_word(variable, offset, bytes.len(), at);
        let moment = self.block.moment(self.linear, ("shared write", at));
        for (word, bytes) in (first..).zip(bytes.chunks_exact(4)) {
            self.count_shared(word, at);
            let mut memory = self.block.shared.borrow_mut();
            let place = &mut memory.words[word];
            let adders = place.adders.iter().flat_map(|adders| adders.each());
            let before = place.written.into_iter().chain(place.readers.each()).chain(adders);
            let racing = before.into_iter().find(|before| !self.block.comes_after(self.linear, before));
            if let Some(racing) = racing {
                drop(memory);
                self.shared_race(&racing, &moment, variable, word);
            }
            place.readers.clear();
            place.adders = None;
            place.written = Some(moment);
            place.value = u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
    }

    /// Changes a value at once, and returns the one before. Such changes do not race with each other.
    pub(crate) fn shared_update<V: Pod>(
        &self,
        what: &'static str,
        (variable, offset): (u32, usize),
        change: impl FnOnce(V) -> V,
        at: &'static Location<'static>,
    ) -> V {
        let first = self.shared_word(variable, offset, size_of::<V>(), at);
        let moment = self.block.moment(self.linear, (what, at));
        let mut before = V::zeroed();
        for (word, bytes) in (first..).zip(bytemuck::bytes_of_mut(&mut before).chunks_exact_mut(4)) {
            self.count_shared(word, at);
            let mut memory = self.block.shared.borrow_mut();
            let place = &mut memory.words[word];
            if place.written.is_none() {
                drop(memory);
                let (variable, offset) = self.shared_place(variable, word);
                let at = self.site(what, at);
                self.stop(Misuse::SharedUninitialised { at, variable, offset });
            }
            let earlier = place.written.into_iter().chain(place.readers.each());
            let racing = earlier.into_iter().find(|earlier| !self.block.comes_after(self.linear, earlier));
            if let Some(racing) = racing {
                drop(memory);
                self.shared_race(&racing, &moment, variable, word);
            }
            place.adders.get_or_insert_default().add(moment);
            bytes.copy_from_slice(&place.value.to_ne_bytes());
        }
        let after = change(before);
        let words = &mut self.block.shared.borrow_mut().words[first..];
        for (place, bytes) in words.iter_mut().zip(bytemuck::bytes_of(&after).chunks_exact(4)) {
            place.value = u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        before
    }

    /// Returns the number of the first word of an access, after growing the memory to hold the variable.
    fn shared_word(
        &self,
        variable: u32,
        offset: usize,
        bytes: usize,
        at: &'static Location<'static>,
    ) -> usize {
        let place =
            self.grid.variables.borrow().get(variable as usize).map(|known| (known.start, known.words));
        match place {
            Some((start, words)) if offset.is_multiple_of(4) && offset + bytes <= words * 4 => {
                let memory = &mut self.block.shared.borrow_mut().words;
                if memory.len() < start + words {
                    memory.resize_with(start + words, Word::default);
                }
                start + offset / 4
            }
            _ => self.out_of_bounds(at),
        }
    }

    /// Returns the name of a word's variable, and the word's offset in it in bytes.
    fn shared_place(&self, variable: u32, word: usize) -> (&'static str, u32) {
        let variables = self.grid.variables.borrow();
        let variable = &variables[variable as usize];
        (variable.name, (word - variable.start) as u32 * 4)
    }

    fn shared_race(&self, first: &Moment, second: &Moment, variable: u32, word: usize) -> ! {
        let (variable, offset) = self.shared_place(variable, word);
        let (first, second) = (self.grid.site_of(first), self.grid.site_of(second));
        self.stop(Misuse::SharedRace { first, second, variable, offset })
    }

    fn count_shared(&self, word: usize, at: &'static Location<'static>) {
        self.block.warps[self.linear as usize / 32].borrow_mut().steps.shared(self.lane(), word, at);
    }
}
