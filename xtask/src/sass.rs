//! Machine code as nvdisasm prints it: looking for fused multiply-adds.

/// The fused multiply-adds in `code`.
///
/// ptxas also moves constants with the same instructions, as a product with zero: `HFMA2 R7, -RZ, RZ, 0, 1.5`
/// writes two halves. Those compute nothing and are passed over.
pub(crate) fn fused(code: &str) -> Vec<&str> {
    code.lines().filter_map(instruction).filter(|instruction| is_fused(instruction)).collect()
}

/// The instruction of a line such as `/*0040*/ @!P0 FFMA R5, R4, R5, R5 ;`, without its predicate.
fn instruction(line: &str) -> Option<&str> {
    let (_, text) = line.trim_start().strip_prefix("/*")?.split_once("*/")?;
    let text = text.split(';').next()?.trim_start_matches(['{', ' ', '\t']).trim();
    match text.strip_prefix('@') {
        Some(predicated) => Some(predicated.split_once(' ')?.1.trim_start()),
        None => Some(text),
    }
}

/// Whether an instruction multiplies and adds floats, with neither factor the zero register.
fn is_fused(instruction: &str) -> bool {
    let Some((opcode, operands)) = instruction.split_once(' ') else { return false };
    let operation = opcode.split('.').next().unwrap_or_default();
    if !["FFMA", "DFMA", "HFMA", "BFMA"].iter().any(|fma| operation.starts_with(fma)) {
        return false;
    }
    let factors = operands.split(',').skip(1).take(2);
    !factors.map(|factor| factor.trim().trim_start_matches(['-', '|'])).any(|factor| factor.starts_with("RZ"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_fusion_is_found() {
        for (line, expected) in [
            (
                "        /*0040*/                   FFMA R0, R0, R3, c[0x0][0x16c] ;",
                "FFMA R0, R0, R3, c[0x0][0x16c]",
            ),
            ("        /*0040*/              @!P0 DFMA R8, R8, R34, R10 ;", "DFMA R8, R8, R34, R10"),
            ("        /*0040*/                   FFMA.FTZ R0, R0, -R3, RZ ;", "FFMA.FTZ R0, R0, -R3, RZ"),
            (
                "        /*0040*/                   HFMA2.BF16 R0, R0, R3, R4 ;  /* 0x01 */",
                "HFMA2.BF16 R0, R0, R3, R4",
            ),
            ("        /*0040*/                   FFMA2 R0, R0, R2, R4 ;", "FFMA2 R0, R0, R2, R4"),
        ] {
            assert_eq!(fused(line), [expected]);
        }
    }

    #[test]
    fn moves_and_other_instructions_pass() {
        for line in [
            "        /*0030*/                   HFMA2 R7, -RZ, RZ, 0, 1.9073486328125e-06 ;",
            "        /*0240*/              @P1  HFMA2.MMA R7, -RZ, RZ, 0, 0 ;",
            "        /*0240*/                   FFMA R7, RZ, RZ, 1 ;",
            "        /*0a60*/                   DMUL R8, R8, R34 ;",
            "        /*0a60*/                   FADD R8, R8, R34 ;",
            "        /*0a60*/                   IMAD.WIDE.U32 R8, R8, R34, R2 ;",
            "        .type           FFMA R0, R1, R2, @function",
            ".text.FFMA:",
        ] {
            assert_eq!(fused(line), [""; 0], "{line}");
        }
    }
}
