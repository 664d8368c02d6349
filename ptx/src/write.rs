//! Writing kernels' texts to a pack. The same texts give the same bytes.

use std::collections::BTreeMap;
use std::io::{Error, ErrorKind};
use std::sync::atomic::{AtomicUsize, Ordering};

use brotli::enc::{BrotliCompressCustomIoCustomDict, BrotliEncoderParams, StandardAlloc};
use brotli::{IoReaderWrapper, IoWriterWrapper};

use crate::Pack;
use crate::checksum::{self, checksum};
use crate::pack::{COUNTED, HEAD, KERNEL, MAGIC, NO_BASE, REGISTERS};
use crate::{registers, similar};

/// Bits of the window, which holds a text and its base.
const WINDOW: i32 = 20;

/// A compressed kernel, and the index of its base.
type Frame = (Vec<u8>, Option<usize>);

/// Writes a pack of kernels. `texts` has texts by kernel name; `entries` has the kernel of each entry point.
///
/// # Errors
/// If an entry's kernel has no text, a kernel is not an entry, or there are too many of them.
pub fn write(texts: &BTreeMap<String, String>, entries: &BTreeMap<String, String>) -> Result<Vec<u8>, Error> {
    let wrong = |what: String| Error::new(ErrorKind::InvalidInput, what);
    let number =
        |number: usize| u16::try_from(number).map_err(|_| wrong("too many kernels or entries".into()));
    let position = |kernel: &str| {
        let found = texts.keys().position(|name| name == kernel);
        found.ok_or_else(|| wrong(format!("there is no text of {kernel}")))
    };
    let kept: Vec<(&str, String, bool)> = texts.iter().map(|(name, text)| keep(name, text)).collect();
    let frames = frames(&kept)?;

    let (mut names, mut directory) = (String::new(), Vec::new());
    for (entry, kernel) in entries {
        directory.extend(length(names.len())?);
        directory.extend(number(entry.len())?.to_le_bytes());
        directory.extend(number(position(kernel)?)?.to_le_bytes());
        names.push_str(entry);
    }
    for ((name, text), ((frame, base), (.., is_ranked))) in texts.iter().zip(frames.iter().zip(&kept)) {
        let entry = entries.keys().position(|entry| entry == name);
        let entry = entry.ok_or_else(|| wrong(format!("the kernel {name} is not an entry")))?;
        directory.extend(number(entry)?.to_le_bytes());
        directory.extend(base.map_or(Ok(NO_BASE), number)?.to_le_bytes());
        directory.extend(length(frame.len())?);
        directory.extend(length(text.len())?);
        directory.extend(u16::from(*is_ranked).to_le_bytes());
        directory.extend(0_u16.to_le_bytes());
        directory.extend(checksum(text).to_le_bytes());
        directory.extend(checksum::of(frame).to_le_bytes());
    }
    let mut pack = MAGIC.to_vec();
    for count in [entries.len(), texts.len(), names.len()] {
        pack.extend(length(count)?);
    }
    pack.extend([0; HEAD - COUNTED]);
    pack.extend(directory);
    pack.extend(names.into_bytes());
    frames.iter().for_each(|(frame, _)| pack.extend(frame));
    seal(&mut pack);
    Ok(pack)
}

/// Writes the checksum of the index.
fn seal(pack: &mut [u8]) {
    let sum = Pack::unchecked(pack).index_checksum();
    if let Some(field) = pack.get_mut(COUNTED..HEAD) {
        field.copy_from_slice(&sum.to_le_bytes());
    }
}

/// Notes the registers per thread of each kernel in a pack that [`write`](write()) made. `of` returns the registers of
/// a kernel, or 0 if they are not known.
pub fn note_registers(pack: &mut [u8], of: impl Fn(&str) -> u16) {
    let known = Pack::new(pack);
    let at = known.kernels_at() + REGISTERS;
    let own = known.entries().filter(|(entry, place)| *entry == place.kernel());
    let noted: Vec<_> =
        own.map(|(entry, place)| (at + usize::from(place.number) * KERNEL, of(entry))).collect();
    for (at, registers) in noted {
        if let Some(field) = pack.get_mut(at..at + 2) {
            field.copy_from_slice(&registers.to_le_bytes());
        }
    }
    seal(pack);
}

fn length(length: usize) -> Result<[u8; 4], Error> {
    u32::try_from(length).map(u32::to_le_bytes).map_err(|_| Error::new(ErrorKind::InvalidInput, "too long"))
}

/// Returns a text as it is stored: with ranks, unless they would not restore it exactly.
fn keep<'a>(name: &'a str, text: &str) -> (&'a str, String, bool) {
    let ranked = registers::to_ranks(text);
    match registers::to_numbers(&ranked) {
        Ok(back) if back == text => (name, ranked, true),
        _ => (name, text.to_owned(), false),
    }
}

/// Returns each kernel's frame and base. Uses all cores, because compression takes some 40 ms per kernel.
fn frames(kept: &[(&str, String, bool)]) -> Result<Vec<Frame>, Error> {
    let texts: Vec<(&str, &str)> = kept.iter().map(|(name, text, _)| (*name, &**text)).collect();
    let bases = similar::bases(&texts);
    let next = AtomicUsize::new(0);
    let some = || {
        let mut frames = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((_, text)) = texts.get(at) else { return Ok(frames) };
            frames.push((at, deflate(text, bases[at].map_or("", |base| texts[base].1))?));
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let frames: Result<Vec<_>, Error> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(some)).collect();
        let ended =
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(ErrorKind::Other.into())));
        ended.collect()
    });
    let mut frames: Vec<(usize, Vec<u8>)> = frames?.into_iter().flatten().collect();
    frames.sort_unstable();
    Ok(frames.into_iter().zip(bases).map(|((_, frame), base)| (frame, base)).collect())
}

/// Compresses `text` relative to `base`.
fn deflate(text: &str, base: &str) -> Result<Vec<u8>, Error> {
    let parameters =
        BrotliEncoderParams { quality: 11, lgwin: WINDOW, size_hint: text.len(), ..Default::default() };
    let mut frame = Vec::new();
    BrotliCompressCustomIoCustomDict(
        &mut IoReaderWrapper(&mut text.as_bytes()),
        &mut IoWriterWrapper(&mut frame),
        &mut [0; 4096],
        &mut [0; 16384],
        &parameters,
        StandardAlloc::default(),
        &mut |_, _, _, _| (),
        base.as_bytes(),
        ErrorKind::UnexpectedEof.into(),
    )?;
    Ok(frame)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Damaged, Pack};

    /// Similar kernels, one that is stored without ranks, and an entry with the kernel of another.
    fn packed() -> (BTreeMap<String, String>, Vec<u8>) {
        let body = |add: &str| -> String {
            (0..200).map(|i| format!("{add} r{},r{i},r{};\n", i + 1, i / 2)).collect()
        };
        let texts: BTreeMap<String, String> = [
            ("sum_i32_grid", body("add.s32")),
            ("sum_f32_grid", body("add.rn.f32").replace("r7,", "r7,0f80000000,")),
            ("max_i32_grid", body("max.s32") + "r+1 stays\n"),
            ("alone", "// nothing\n".to_owned()),
            ("empty", String::new()),
        ]
        .map(|(name, text)| (name.to_owned(), text))
        .into();
        let mut entries: BTreeMap<String, String> =
            texts.keys().map(|name| (name.clone(), name.clone())).collect();
        entries.insert("sum_u32_grid".into(), "sum_i32_grid".into());
        let pack = write(&texts, &entries).unwrap();
        (texts, pack)
    }

    #[test]
    fn every_text_comes_back() {
        let (texts, bytes) = packed();
        let pack = Pack::new(&bytes);
        assert_eq!(pack.entries().count(), texts.len() + 1);
        for (name, place) in pack.entries() {
            assert_eq!(place.text().as_ref(), Ok(&texts[place.kernel()]), "{name}");
            assert_eq!(pack.find(name), Some(place));
        }
        let (signed, unsigned) = (pack.find("sum_i32_grid").unwrap(), pack.find("sum_u32_grid").unwrap());
        assert!(signed.is_at(unsigned) && unsigned.kernel() == "sum_i32_grid");
        for name in ["", "a", "sum_i32", "sum_i32_grid_", "zzz"] {
            assert_eq!(pack.find(name), None, "{name}");
        }
    }

    #[test]
    fn registers_are_noted_and_change_no_text() {
        let (texts, mut bytes) = packed();
        assert!(Pack::new(&bytes).entries().all(|(_, place)| place.registers().is_none()));
        let registers = |kernel: &str| if kernel == "empty" { 0 } else { 40 + kernel.len() as u16 };
        note_registers(&mut bytes, registers);
        for (name, place) in Pack::new(&bytes).entries() {
            let noted = u32::from(registers(place.kernel()));
            assert_eq!(place.registers(), Some(noted).filter(|&noted| noted > 0), "{name}");
            assert_eq!(place.text().as_ref(), Ok(&texts[place.kernel()]), "{name}");
        }
    }

    #[test]
    fn the_same_texts_give_the_same_bytes() {
        assert_eq!(packed(), packed());
    }

    /// Returns the entries of a pack that are refused, by name. The text of any other is as it was packed.
    fn refused<'a>(bytes: &[u8], whole: &'a [(String, String, String)], what: &str) -> Vec<&'a str> {
        let pack = Pack::new(bytes);
        assert!(pack.entries().all(|(entry, _)| whole.iter().any(|(name, ..)| name == entry)), "{what}");
        let is_refused = |entry: &(String, String, String)| {
            let (name, kernel, text) = entry;
            match pack.find(name).map(|place| (place.kernel(), place.text())) {
                None | Some((_, Err(Damaged(_)))) => true,
                Some((known, Ok(found))) => {
                    assert!(known == kernel && found == *text, "{what}: {name} has another text");
                    false
                }
            }
        };
        whole.iter().filter(|entry| is_refused(entry)).map(|(name, ..)| &**name).collect()
    }

    #[test]
    fn any_changed_bit_is_refused_and_none_leads_to_another_text() {
        let (_, mut bytes) = packed();
        note_registers(&mut bytes, |kernel| 40 + kernel.len() as u16);
        let whole: Vec<_> = Pack::new(&bytes)
            .entries()
            .map(|(name, place)| (name.to_owned(), place.kernel().to_owned(), place.text().unwrap()))
            .collect();
        assert!(refused(&bytes, &whole, "as written").is_empty());
        let frames_at = Pack::new(&bytes).frames_at();
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            let refused = refused(&bytes, &whole, &format!("bit {bit}"));
            assert!(!refused.is_empty(), "bit {bit} of {}, frames from byte {frames_at} on", bytes.len());
            assert!(bit / 8 >= frames_at || refused.len() == whole.len(), "bit {bit}: {refused:?}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        for length in 0..bytes.len() {
            assert!(!refused(&bytes[..length], &whole, "cut off").is_empty(), "{length} bytes");
        }
    }

    #[test]
    fn what_cannot_be_packed_is_told() {
        let name = |name: &str| BTreeMap::from([(name.to_owned(), name.to_owned())]);
        assert!(write(&name("a"), &name("b")).unwrap_err().to_string().contains("no text of b"));
        let mut two = name("a");
        two.extend(name("b"));
        assert!(write(&two, &name("a")).unwrap_err().to_string().contains("b is not an entry"));
    }
}
