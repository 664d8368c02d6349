//! What a formula does, recorded step by step, and the interpreter of it.

use core::cell::RefCell;

use half::{bf16, f16};

use super::outcome::{Given, Outcome};
use super::scalar::{Binary, Comparison, Kind, Scalar, Shift, Unary};
use super::value::Mode;
use super::{Body, MOST_CAPTURED, Operation, Value};

/// The steps of a formula, each of them once. The first step is the element, or the first two are both elements or an
/// element and its index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub(super) steps: Vec<Step>,
    /// The step with the result.
    pub(super) result: usize,
    /// The step that tells whether there is a result, if there may be none.
    pub(super) is_some: Option<usize>,
    /// The identity of an [`Operation`], by which elements and the result are carried; 0 for other formulas.
    pub(super) identity: u64,
    place: &'static str,
}

/// A step: what it does, to the results of earlier steps, and the type of its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) kind: Kind,
    pub(super) what: What,
}

/// What a step does. Operands are the indices of earlier steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Element(usize),
    Captured(usize),
    Number(u64),
    Unary(Unary, usize),
    Binary(Binary, usize, usize),
    Shift(Shift, usize, u32),
    Compare(Comparison, usize, usize),
    Select(usize, usize, usize),
    Convert(usize),
    Bits(usize),
}

/// Calls an expression with `$type` as the type of a kind.
macro_rules! of_kind {
    ($kind:expr, $type:ident => $result:expr) => {
        match $kind {
            Kind::F32 => of_kind!(@ $type f32 $result),
            Kind::F64 => of_kind!(@ $type f64 $result),
            Kind::I32 => of_kind!(@ $type i32 $result),
            Kind::I64 => of_kind!(@ $type i64 $result),
            Kind::U32 => of_kind!(@ $type u32 $result),
            Kind::U64 => of_kind!(@ $type u64 $result),
            Kind::Bool => of_kind!(@ $type bool $result),
            Kind::F16 => of_kind!(@ $type f16 $result),
            Kind::Bf16 => of_kind!(@ $type bf16 $result),
        }
    };
    (@ $type:ident $of:ident $result:expr) => {{
        type $type = $of;
        $result
    }};
}

impl What {
    /// Returns the operands.
    pub(super) fn operands(self) -> impl Iterator<Item = usize> {
        let operands = match self {
            Self::Element(_) | Self::Captured(_) | Self::Number(_) => [None; 3],
            Self::Unary(_, x) | Self::Shift(_, x, _) | Self::Convert(x) | Self::Bits(x) => {
                [Some(x), None, None]
            }
            Self::Binary(_, x, y) | Self::Compare(_, x, y) => [Some(x), Some(y), None],
            Self::Select(x, y, z) => [Some(x), Some(y), Some(z)],
        };
        operands.into_iter().flatten()
    }

    /// Computes a step of type `kind`. `of` returns an operand's bits and type.
    fn compute(self, kind: Kind, of: impl Fn(usize) -> (u64, Kind)) -> u64 {
        match self {
            Self::Element(_) | Self::Captured(_) => unreachable!("given, not computed"),
            Self::Number(word) => word,
            Self::Unary(operation, x) => {
                of_kind!(kind, T => T::from_word(of(x).0).unary(operation).to_word())
            }
            Self::Binary(operation, x, y) => {
                of_kind!(kind, T => T::from_word(of(x).0).binary(operation, T::from_word(of(y).0)).to_word())
            }
            Self::Shift(operation, x, bits) => {
                of_kind!(kind, T => T::from_word(of(x).0).shift(operation, bits).to_word())
            }
            Self::Compare(comparison, x, y) => {
                of_kind!(of(x).1, T => T::from_word(of(x).0).compare(comparison, T::from_word(of(y).0)).to_word())
            }
            Self::Select(which, x, y) => of(if of(which).0 & 1 != 0 { x } else { y }).0,
            Self::Bits(x) => of(x).0,
            Self::Convert(x) => {
                let (word, from) = of(x);
                of_kind!(from, F => of_kind!(kind, T => T::convert(F::from_word(word)).to_word()))
            }
        }
    }
}

impl Program {
    /// Records what `B` does.
    #[must_use]
    pub fn of<B: Body>() -> Self {
        let kinds = [<B::In as Given>::Scalar::KIND, <B::In as Given>::Second::KIND];
        let given = (0..B::In::COUNT).map(|index| Step { kind: kinds[index], what: What::Element(index) });
        let steps = RefCell::new(given.collect());
        let [first, last] = [0, B::In::COUNT - 1].map(|index| Node { steps: &steps, index });
        let given = B::In::values::<Trace<'_>>((first, last));
        let (result, is_some) = B::Out::nodes(B::apply::<Trace<'_>>(given, &[0; MOST_CAPTURED]));
        let (result, is_some) = (result.index, is_some.map(|node| node.index));
        Self { steps: steps.into_inner(), result, is_some, identity: 0, place: B::PLACE }
    }

    /// Records how `B` combines two numbers.
    #[must_use]
    pub fn of_operation<B: Operation>() -> Self {
        let kind = B::Number::KIND;
        let steps = RefCell::new([0, 1].map(|index| Step { kind, what: What::Element(index) }).to_vec());
        let [left, right] = [0, 1].map(|index| Value(Node { steps: &steps, index }));
        let result = B::combine::<Trace<'_>>(left, right).0.index;
        let identity = B::IDENTITY.to_word();
        Self { steps: steps.into_inner(), result, is_some: None, identity, place: B::PLACE }
    }

    /// Returns the file and the line where the formula is written.
    #[must_use]
    pub fn place(&self) -> &'static str {
        self.place
    }

    /// Computes the result's bits, and whether there is one, from the bits of the elements and of the captured numbers. A formula of one
    /// element reads the first.
    #[must_use]
    pub fn run(&self, elements: [u64; 2], captured: &[u64; MOST_CAPTURED]) -> (u64, bool) {
        let mut words: Vec<u64> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let word = match step.what {
                What::Element(index) => elements[index] ^ self.identity,
                What::Captured(index) => captured[index],
                what => what.compute(step.kind, |of| (words[of], self.steps[of].kind)),
            };
            words.push(word);
        }
        (words[self.result] ^ self.identity, self.is_some.is_none_or(|is_some| words[is_some] & 1 != 0))
    }

    /// Returns which steps the result needs.
    pub(super) fn needed(&self) -> Vec<bool> {
        let mut needed = vec![false; self.steps.len()];
        [Some(self.result), self.is_some].into_iter().flatten().for_each(|at| needed[at] = true);
        for at in (0..self.steps.len()).rev() {
            if needed[at] {
                self.steps[at].what.operands().for_each(|operand| needed[operand] = true);
            }
        }
        needed
    }
}

/// A formula records its steps.
#[derive(Clone, Copy, Debug)]
pub struct Trace<'a>(core::marker::PhantomData<&'a ()>);

/// The result of a step, as a formula's value.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    steps: &'a RefCell<Vec<Step>>,
    index: usize,
}

impl<'a> Node<'a> {
    /// Records a step, unless there is an equal one. Computes it now if all operands are numbers.
    fn then<T: Scalar>(self, mut what: What) -> Self {
        let mut steps = self.steps.borrow_mut();
        let is_number = |at: usize| matches!(steps[at].what, What::Number(_));
        if what.operands().next().is_some() && what.operands().all(is_number) {
            let of = |at: usize| match steps[at] {
                Step { kind, what: What::Number(word) } => (word, kind),
                _ => unreachable!("all operands are numbers"),
            };
            what = What::Number(what.compute(T::KIND, of));
        }
        let step = Step { kind: T::KIND, what };
        let index = steps.iter().position(|known| *known == step).unwrap_or_else(|| {
            steps.push(step);
            steps.len() - 1
        });
        Node { steps: self.steps, index }
    }
}

impl<'a> Mode for Trace<'a> {
    type Of<T: Scalar> = Node<'a>;

    fn number<T: Scalar, U: Scalar>(beside: Node<'a>, number: U) -> Node<'a> {
        beside.then::<U>(What::Number(number.to_word()))
    }
    fn captured<T: Scalar, U: Scalar>(beside: Node<'a>, index: usize, _word: u64) -> Node<'a> {
        beside.then::<U>(What::Captured(index))
    }
    fn unary<T: Scalar>(operation: Unary, x: Node<'a>) -> Node<'a> {
        x.then::<T>(What::Unary(operation, x.index))
    }
    fn binary<T: Scalar>(operation: Binary, x: Node<'a>, y: Node<'a>) -> Node<'a> {
        x.then::<T>(What::Binary(operation, x.index, y.index))
    }
    fn shift<T: Scalar>(operation: Shift, x: Node<'a>, bits: u32) -> Node<'a> {
        x.then::<T>(What::Shift(operation, x.index, bits % (8 * size_of::<T>() as u32)))
    }
    fn compare<T: Scalar>(comparison: Comparison, x: Node<'a>, y: Node<'a>) -> Node<'a> {
        x.then::<bool>(What::Compare(comparison, x.index, y.index))
    }
    fn select<T: Scalar>(which: Node<'a>, x: Node<'a>, y: Node<'a>) -> Node<'a> {
        let known = match which.steps.borrow()[which.index].what {
            What::Number(word) => Some(word & 1 != 0),
            _ => None,
        };
        match known {
            Some(holds) => {
                if holds {
                    x
                } else {
                    y
                }
            }
            None => which.then::<T>(What::Select(which.index, x.index, y.index)),
        }
    }
    fn convert<T: Scalar, U: Scalar>(x: Node<'a>) -> Node<'a> {
        if T::KIND == U::KIND { x } else { x.then::<U>(What::Convert(x.index)) }
    }
    fn bits<T: Scalar, U: Scalar>(x: Node<'a>) -> Node<'a> {
        x.then::<U>(What::Bits(x.index))
    }
}
