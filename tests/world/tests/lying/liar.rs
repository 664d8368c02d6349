//! A communicator that lies, over threads.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use test_kernels::mix;
use warpfold::{Communicator, Error, Threads};

/// What is wrong with a movement.
#[derive(Clone, Copy, Debug)]
pub enum Lie {
    NoAnswers,
    FewerAnswers,
    MoreAnswers,
    Swapped,
    /// Of the own answer, or another's; of what is received, for a message.
    Empty {
        own: bool,
    },
    Shorter {
        own: bool,
    },
    Longer {
        own: bool,
    },
    Twice {
        own: bool,
    },
    Ones {
        own: bool,
    },
    Zeros {
        own: bool,
    },
    Random {
        own: bool,
    },
    Large {
        own: bool,
    },
    /// The length of the part is one more than it is.
    LongerPart {
        own: bool,
    },
    /// All words but the first byte are this one: the length of a part, or counts.
    Words {
        own: bool,
        word: u64,
    },
    /// The number of missing elements of another rank's part is this one.
    Missing(u64),
    /// What this rank tells the others is wrong, in the same way for each.
    Told(u64),
    /// What this rank tells the others is shorter or longer.
    ToldLen(isize),
    /// Nothing is sent or received, and all is well.
    Nothing,
}

const WORDS: [u64; 7] = [0, 1, 1 << 20, 1 << 36, 1 << 60, i64::MAX as u64, u64::MAX];

impl Lie {
    pub const ALL: [Self; 53] = {
        let mut all = [Self::Nothing; 53];
        all[1] = Self::NoAnswers;
        all[2] = Self::FewerAnswers;
        all[3] = Self::MoreAnswers;
        all[4] = Self::Swapped;
        let mut at = 5;
        let mut round = 0;
        while round < 2 {
            let own = round == 0;
            all[at] = Self::Empty { own };
            all[at + 1] = Self::Shorter { own };
            all[at + 2] = Self::Longer { own };
            all[at + 3] = Self::Twice { own };
            all[at + 4] = Self::Ones { own };
            all[at + 5] = Self::Zeros { own };
            all[at + 6] = Self::Random { own };
            all[at + 7] = Self::Large { own };
            all[at + 8] = Self::LongerPart { own };
            at += 9;
            let mut word = 0;
            while word < WORDS.len() {
                all[at] = Self::Words { own, word: WORDS[word] };
                all[at + 1] = if own { Self::Told(WORDS[word]) } else { all[at] };
                at += if own { 2 } else { 1 };
                word += 1;
            }
            round += 1;
        }
        all[at] = Self::ToldLen(1);
        all[at + 1] = Self::ToldLen(-1);
        at += 2;
        let mut word = 0;
        while word < WORDS.len() {
            all[at + word] = Self::Missing(WORDS[word]);
            word += 1;
        }
        all
    };

    /// Changes the bytes of a rank.
    fn change(self, bytes: &mut Vec<u8>) {
        match self {
            Self::Empty { .. } => bytes.clear(),
            Self::Shorter { .. } | Self::ToldLen(..0) => drop(bytes.pop()),
            Self::Longer { .. } | Self::ToldLen(_) => bytes.push(1),
            Self::Twice { .. } => bytes.extend_from_within(..),
            Self::Ones { .. } => bytes.fill(0xff),
            Self::Zeros { .. } => bytes.fill(0),
            Self::Random { .. } => (0..).zip(&mut *bytes).for_each(|(at, byte)| *byte = mix(at) as u8),
            Self::Large { .. } => bytes.resize(1 << 20, 3),
            Self::LongerPart { .. } => {
                if let Some(len) = bytes.get_mut(1..9).and_then(|len| len.first_chunk_mut::<8>()) {
                    *len = (u64::from_le_bytes(*len) + 1).to_le_bytes();
                }
            }
            Self::Missing(missing) if is_agreement(bytes) => {
                bytes[9..17].copy_from_slice(&missing.to_le_bytes());
            }
            Self::Words { word, .. } | Self::Told(word) => {
                // The length of a part follows a byte; other words begin at once.
                let (first, most) = if is_agreement(bytes) { (1, 1) } else { (0, usize::MAX) };
                for to in bytes[first..].chunks_exact_mut(8).take(most) {
                    to.copy_from_slice(&word.to_le_bytes());
                }
            }
            _ => {}
        }
    }

    /// Whether it is about what this rank sends.
    fn is_told(self) -> bool {
        matches!(self, Self::Told(_) | Self::ToldLen(_))
    }

    fn is_of_own(self) -> bool {
        use Lie::{Empty, Large, Longer, LongerPart, Ones, Random, Shorter, Twice, Words, Zeros};
        match self {
            Empty { own } | Shorter { own } | Longer { own } | Twice { own } | Ones { own } => own,
            Zeros { own } | Random { own } | Large { own } | LongerPart { own } | Words { own, .. } => own,
            _ => false,
        }
    }
}

/// Whether a message is the first of a call: of what it is, and of the lengths of a part.
fn is_agreement(bytes: &[u8]) -> bool {
    bytes.windows(12).any(|text| text == b"tree version")
}

/// When a communicator lies.
#[derive(Clone, Copy, Debug)]
pub enum When {
    Never,
    /// At this movement.
    At(usize, Lie),
    /// At about every third movement, by a seed.
    Often(u64),
}

pub struct Liar {
    threads: Threads,
    when: When,
    movements: Rc<Cell<usize>>,
    /// What was swallowed, so that tests can see that something was.
    swallowed: RefCell<usize>,
}

impl Liar {
    pub fn new(threads: Threads, when: When) -> Self {
        Self { threads, when, movements: Rc::default(), swallowed: RefCell::default() }
    }

    /// Counts its movements there.
    pub fn counting(self, movements: &Rc<Cell<usize>>) -> Self {
        Self { movements: movements.clone(), ..self }
    }

    /// Returns the lie of the next movement.
    fn lie(&self) -> Option<Lie> {
        let now = self.movements.replace(self.movements.get() + 1);
        match self.when {
            When::At(at, lie) if at == now => Some(lie),
            When::Often(seed) => {
                let random = mix(seed.wrapping_mul(1000) + now as u64);
                (random.is_multiple_of(3)).then(|| Lie::ALL[(random >> 8) as usize % Lie::ALL.len()])
            }
            _ => None,
        }
    }
}

impl Communicator for Liar {
    fn rank(&self) -> usize {
        self.threads.rank()
    }
    fn size(&self) -> usize {
        self.threads.size()
    }
    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let Some(lie) = self.lie() else { return self.threads.all_gather(bytes) };
        let (own, mut told) = (self.rank(), bytes.to_vec());
        if lie.is_told() {
            lie.change(&mut told);
        }
        let mut all = self.threads.all_gather(&told)?;
        all[own] = bytes.to_vec();
        match lie {
            Lie::NoAnswers => all.clear(),
            Lie::FewerAnswers => drop(all.pop()),
            Lie::MoreAnswers => all.push(bytes.to_vec()),
            Lie::Swapped => all.rotate_left(1),
            Lie::Nothing => all.iter_mut().for_each(Vec::clear),
            lie if lie.is_told() => {}
            lie => {
                let at = if lie.is_of_own() { own } else { (own + 1) % all.len() };
                lie.change(&mut all[at]);
            }
        }
        Ok(all)
    }
    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), Error> {
        let Some(lie) = self.lie() else { return self.threads.send(to, bytes) };
        if matches!(lie, Lie::Nothing) {
            *self.swallowed.borrow_mut() += 1;
            return Ok(());
        }
        let mut told = bytes.to_vec();
        lie.change(&mut told);
        self.threads.send(to, &told)
    }
    fn recv(&self, from: usize, bytes: &mut [u8]) -> Result<(), Error> {
        let Some(lie) = self.lie() else { return self.threads.recv(from, bytes) };
        if matches!(lie, Lie::Nothing) {
            *self.swallowed.borrow_mut() += 1;
            return Ok(());
        }
        self.threads.recv(from, bytes)?;
        let mut changed = bytes.to_vec();
        lie.change(&mut changed);
        let len = changed.len().min(bytes.len());
        bytes[..len].copy_from_slice(&changed[..len]);
        Ok(())
    }
    fn barrier(&self) -> Result<(), Error> {
        if let Some(Lie::Nothing) = self.lie() { Ok(()) } else { self.threads.barrier() }
    }
    fn leave(&self, cause: &Error) {
        self.threads.leave(cause);
    }
}
