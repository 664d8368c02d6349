//! The PTX of a program, and its place in a kernel's text.

use core::fmt::Write;

use super::program::{Program, Step, What};
use super::scalar::{Binary, Comparison, Kind, Shift, Unary};

/// The line that a [`Mark`](super::Mark) leaves before an instruction for each element, with the registers of the result and of the element.
/// If there may be no result, another instruction with the register that tells whether there is one follows.
const MARK: &str = "//@formula";

/// The line before an instruction that carries a number: it moves the number's bits, which the identity changes.
const CARRY: &str = "//@carry";

/// Returns the two operands of an instruction.
fn operands(instruction: &str) -> Option<(&str, &str)> {
    let (_, operands) = instruction.trim().strip_suffix(';')?.split_once(char::is_whitespace)?;
    let (to, from) = operands.split_once(',')?;
    Some((to.trim(), from.trim()))
}

/// Returns the name of the last parameter of a text's kernel, which is an array of bytes.
fn last_parameter(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(".entry")?;
    let (parameters, _) = rest.split_once(')')?;
    let (last, _) = parameters.rsplit_once('[')?;
    last.split_whitespace().next_back()
}

impl Kind {
    /// Returns the type in the names of instructions.
    fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::I32 => "s32",
            Self::I64 => "s64",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::Bool => "pred",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
        }
    }

    /// Returns the type of its registers.
    fn register(self) -> &'static str {
        match self {
            // A short float is in the low half.
            Self::F32 | Self::I32 | Self::U32 | Self::F16 | Self::Bf16 => "b32",
            Self::F64 | Self::I64 | Self::U64 => "b64",
            Self::Bool => "pred",
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// Returns the bits of 1.
    fn one(self) -> u64 {
        match self {
            Self::F32 => 1.0f32.to_bits().into(),
            Self::F64 => 1.0f64.to_bits(),
            _ => 1,
        }
    }
}

/// The registers of a place for a formula.
struct Place<'a> {
    result: &'a str,
    elements: [&'a str; 2],
    is_some: &'a str,
    /// The kernel's parameter with the captured numbers.
    parameter: &'a str,
}

impl Program {
    /// Puts the program in the places of a kernel's text that a [`Mark`](super::Mark) left: none in a kernel that lifts no element.
    /// Captured numbers are read from the kernel's last parameter. The kernel gets a name of its own, which is returned with the text.
    #[must_use]
    pub fn put_into(&self, text: &str, kernel: &str) -> (String, String) {
        let parameter = last_parameter(text).unwrap_or_default();
        let mut lines = text.lines();
        let mut put = String::with_capacity(2 * text.len());
        while let Some(line) = lines.next() {
            if line.trim() == MARK
                && let Some(place) = self.place_in(&mut lines, parameter)
            {
                self.write(&mut put, &place);
            } else if line.trim() == CARRY
                && let Some((to, from)) = lines.next().and_then(operands)
            {
                let register = self.steps[self.result].kind.register();
                let _ = writeln!(put, "\t{};", self.carried(register, to, from));
            } else {
                put.push_str(line);
                put.push('\n');
            }
        }
        let name = format!("{kernel}_{:016x}", self.checksum());
        (put.replace(kernel, &name), name)
    }

    /// Returns the place that the lines after a mark are.
    fn place_in<'a>(
        &self,
        lines: &mut impl Iterator<Item = &'a str>,
        parameter: &'a str,
    ) -> Option<Place<'a>> {
        let mut next = || lines.next().and_then(operands);
        let (result, element) = next()?;
        let is_pair = self.steps.iter().any(|step| step.what == What::Element(1));
        let (_, second) = if is_pair { next()? } else { (result, element) };
        let (is_some, _) = if self.is_some.is_some() { next()? } else { ("", "") };
        Some(Place { result, elements: [element, second], is_some, parameter })
    }

    /// Returns a checksum of the text.
    fn checksum(&self) -> u64 {
        let mut text = String::new();
        self.write(&mut text, &Place { result: "", elements: [""; 2], is_some: "", parameter: "" });
        // FNV-1a.
        text.bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }

    /// Appends the instructions that compute the result, in a block of their own.
    fn write(&self, text: &mut String, place: &Place<'_>) {
        let count = self.steps.len();
        let _ = writeln!(text, "{{\n\t.reg .b32 %wf_b32_<{count}>;\n\t.reg .b64 %wf_b64_<{count}>;");
        let _ = writeln!(text, "\t.reg .pred %wf_pred_<{count}>, %wf_nan;");
        for (at, needed) in self.needed().into_iter().enumerate() {
            if needed {
                self.write_step(text, at, place);
            }
        }
        let Place { result, is_some, .. } = place;
        let from = self.register_of(self.result);
        let _ = match self.steps[self.result].kind {
            Kind::Bool => writeln!(text, "\tselp.b32 {result}, 1, 0, {from};"),
            kind => writeln!(text, "\t{};", self.carried(kind.register(), result, &from)),
        };
        if let Some(holds) = self.is_some {
            let _ = writeln!(text, "\tselp.b32 {is_some}, 1, 0, {};", self.register_of(holds));
        }
        text.push_str("}\n");
    }

    /// Returns the instruction that carries a number, or takes what is carried for the number.
    fn carried(&self, register: &str, to: &str, from: &str) -> String {
        match self.identity {
            0 => format!("mov.{register} {to}, {from}"),
            identity => format!("xor.{register} {to}, {from}, {identity:#x}"),
        }
    }

    /// Returns the register of a step's result.
    fn register_of(&self, step: usize) -> String {
        format!("%wf_{}_{step}", self.steps[step].kind.register())
    }

    fn write_step(&self, text: &mut String, at: usize, place: &Place<'_>) {
        let Place { elements, parameter, .. } = place;
        let Step { kind, what } = self.steps[at];
        let (to, name, register) = (self.register_of(at), kind.name(), kind.register());
        let of = |step: usize| self.register_of(step);
        let rn = if kind.is_float() { "rn." } else { "" };
        let line = match what {
            What::Element(index) if kind == Kind::Bool => format!("setp.ne.b32 {to}, {}, 0", elements[index]),
            What::Element(index) => self.carried(register, &to, elements[index]),
            What::Captured(index) if kind == Kind::Bool => {
                format!(
                    "ld.param.b32 %wf_b32_{at}, [{parameter}+{}]; setp.ne.b32 {to}, %wf_b32_{at}, 0",
                    8 * index
                )
            }
            What::Captured(index) => format!("ld.param.{register} {to}, [{parameter}+{}]", 8 * index),
            What::Number(word) if kind == Kind::Bool => {
                format!("mov.b32 %wf_b32_{at}, {word}; setp.ne.b32 {to}, %wf_b32_{at}, 0")
            }
            What::Number(word) => format!("mov.{register} {to}, {word:#x}"),
            What::Unary(operation, x) => match operation {
                Unary::Neg => format!("neg.{name} {to}, {}", of(x)),
                Unary::Abs => format!("abs.{name} {to}, {}", of(x)),
                Unary::Sqrt => format!("sqrt.rn.{name} {to}, {}", of(x)),
                Unary::Not => format!("not.{register} {to}, {}", of(x)),
                Unary::Floor => format!("cvt.rmi.{name}.{name} {to}, {}", of(x)),
                Unary::Ceil => format!("cvt.rpi.{name}.{name} {to}, {}", of(x)),
                Unary::Trunc => format!("cvt.rzi.{name}.{name} {to}, {}", of(x)),
                Unary::RoundTiesEven => format!("cvt.rni.{name}.{name} {to}, {}", of(x)),
            },
            What::Binary(operation, x, y) => {
                let (x, y) = (of(x), of(y));
                match operation {
                    Binary::Add => format!("add.{rn}{name} {to}, {x}, {y}"),
                    Binary::Sub => format!("sub.{rn}{name} {to}, {x}, {y}"),
                    Binary::Mul if kind.is_float() => format!("mul.rn.{name} {to}, {x}, {y}"),
                    Binary::Mul => format!("mul.lo.{name} {to}, {x}, {y}"),
                    // Of integers by neither 0 nor -1.
                    Binary::Div => format!("div.{rn}{name} {to}, {x}, {y}"),
                    Binary::Rem => format!("rem.{name} {to}, {x}, {y}"),
                    Binary::Lesser => format!("min.{name} {to}, {x}, {y}"),
                    Binary::Greater => format!("max.{name} {to}, {x}, {y}"),
                    // The sign is the first operand.
                    Binary::CopySign => format!("copysign.{name} {to}, {y}, {x}"),
                    Binary::And => format!("and.{register} {to}, {x}, {y}"),
                    Binary::Or => format!("or.{register} {to}, {x}, {y}"),
                    Binary::Xor => format!("xor.{register} {to}, {x}, {y}"),
                }
            }
            What::Shift(Shift::Left, x, bits) => format!("shl.{register} {to}, {}, {bits}", of(x)),
            What::Shift(Shift::Right, x, bits) => format!("shr.{name} {to}, {}, {bits}", of(x)),
            What::Compare(comparison, x, y) => {
                let from = self.steps[x].kind;
                let comparison = match comparison {
                    Comparison::Lt => "lt",
                    Comparison::Le => "le",
                    Comparison::Gt => "gt",
                    Comparison::Ge => "ge",
                    Comparison::Eq => "eq",
                    Comparison::Ne if from.is_float() => "neu",
                    Comparison::Ne => "ne",
                };
                format!("setp.{comparison}.{} {to}, {}, {}", from.name(), of(x), of(y))
            }
            What::Select(which, x, y) => format!("selp.{register} {to}, {}, {}, {}", of(x), of(y), of(which)),
            What::Convert(x) => self.conversion(x, kind, &to),
            What::Bits(x) => format!("mov.{register} {to}, {}", of(x)),
        };
        let _ = writeln!(text, "\t{line};");
    }

    /// Returns the instructions that convert a step's result to a type.
    fn conversion(&self, x: usize, kind: Kind, to: &str) -> String {
        let (from, x) = (self.steps[x].kind, self.register_of(x));
        let (name, register) = (kind.name(), kind.register());
        match (from, kind) {
            (Kind::Bool, _) => format!("selp.{register} {to}, {:#x}, 0, {x}", kind.one()),
            (Kind::F16, _) => {
                let short = format!("%wf_b16_{}", x.trim_start_matches("%wf_b32_"));
                format!(".reg .b16 {short}; cvt.u16.u32 {short}, {x}; cvt.f32.f16 {to}, {short}")
            }
            (Kind::Bf16, _) => format!("shl.b32 {to}, {x}, 16"),
            (Kind::F32, Kind::F64) => format!("cvt.f64.f32 {to}, {x}"),
            (Kind::F64, Kind::F32) => format!("cvt.rn.f32.f64 {to}, {x}"),
            (Kind::F32 | Kind::F64, _) => format!(
                "cvt.rzi.{name}.{from} {to}, {x}; setp.nan.{from} %wf_nan, {x}, {x}; selp.{register} {to}, 0, {to}, %wf_nan",
                from = from.name()
            ),
            (_, Kind::F32 | Kind::F64) => format!("cvt.rn.{name}.{} {to}, {x}", from.name()),
            _ if from.register() == register => format!("mov.{register} {to}, {x}"),
            _ => format!("cvt.{name}.{} {to}, {x}", from.name()),
        }
    }
}
