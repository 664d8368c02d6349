//! Modules that divide or take roots: ptxas makes these of fused operations, so that one more would not be seen. They are
//! assembled twice, as they are and without leave to fuse. The machine code is the same unless a product was fused with a
//! sum.

use std::path::{Path, PathBuf};

use crate::assemble::finish;

/// What is assembled: an assembler, a generation and, unless it is the assembler's default, a level of optimisation.
pub(crate) struct Assembler<'a> {
    pub(crate) ptxas: &'a Path,
    pub(crate) nvdisasm: &'a Path,
    pub(crate) arch: u32,
    pub(crate) level: Option<u8>,
}

/// A product, a sum and a quotient. The first two may be fused.
const PLANTED: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .entry planted(.param .u64 x)
{
    .reg .f32 %f<6>; .reg .u64 %r<2>;
    ld.param.u64 %r1, [x];
    ld.global.f32 %f1, [%r1];
    ld.global.f32 %f2, [%r1+4];
    ld.global.f32 %f3, [%r1+8];
    mul.f32 %f4, %f1, %f2;
    add.f32 %f4, %f4, %f3;
    div.rn.f32 %f5, %f4, %f2;
    st.global.f32 [%r1], %f5;
    ret;
}
";

impl Assembler<'_> {
    /// Fails if ptxas fuses a product of `text` with a sum. Leaves its files beside `cubin`.
    pub(crate) fn check(&self, entry: &str, text: &Path, cubin: &Path) -> Result<(), String> {
        if self.is_changed(entry, text, cubin)? {
            return Err(
                "its machine code is another without leave to fuse: a product was fused with a sum".into()
            );
        }
        Ok(())
    }

    /// Fails unless a planted fusion is found. Level 0 fuses nothing.
    pub(crate) fn finds_what_is_planted(&self, folder: &Path) -> Result<(), String> {
        let text = folder.join(format!("planted.sm_{}.ptx", self.arch));
        std::fs::write(&text, PLANTED).map_err(|error| error.to_string())?;
        if self.level == Some(0) || self.is_changed("planted", &text, &text.with_extension("cubin"))? {
            return Ok(());
        }
        Err(format!("a planted fusion is not found for sm_{}", self.arch))
    }

    /// Whether leave to fuse changes the machine code.
    fn is_changed(&self, entry: &str, text: &Path, cubin: &Path) -> Result<bool, String> {
        let code = |may_fuse: bool| {
            let cubin = named(cubin, may_fuse);
            let mut command = std::process::Command::new(self.ptxas);
            command.args(["-fmad", if may_fuse { "true" } else { "false" }]);
            command.args(["-arch", &format!("sm_{}", self.arch), "-o"]).arg(&cubin).arg(text);
            if let Some(level) = self.level {
                command.arg(format!("-O{level}"));
            }
            finish(&mut command)?;
            let mut command = std::process::Command::new(self.nvdisasm);
            let (code, _) = finish(command.args(["-c", "-ndf"]).arg(&cubin))?;
            if code.contains(&format!(".text.{entry}")) {
                Ok(code)
            } else {
                Err("nvdisasm printed no code".to_owned())
            }
        };
        Ok(code(true)? != code(false)?)
    }
}

/// The file of the module that may, or may not, be fused.
fn named(cubin: &Path, may_fuse: bool) -> PathBuf {
    cubin.with_extension(if may_fuse { "fused.cubin" } else { "plain.cubin" })
}
