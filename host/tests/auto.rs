//! The backend chosen by `warpfold::reduce`, on an emulated device, with saved speeds.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use std::path::{Path, PathBuf};

use emulated::{numbers, with_emulated_and};
use warpfold::kernels::Kernel;
use warpfold::{Auto, Cpu, Cuda, Error, Mean, Sum, about, count, formula, operator, reduce};

/// Elements of 64 MiB, long enough for a choice.
const LONG: i32 = 1 << 24;

/// Reduces `n` elements in a process with the emulated driver and more environment variables; returns the number of
/// launches and the last text of `about`; `None` in that process itself.
fn reduced(name: &str, variables: &[(&str, &str)], n: i32) -> Option<(u32, String)> {
    const ELEMENTS: &str = "WARPFOLD_TEST_ELEMENTS";
    let elements = n.to_string();
    let variables = [variables, &[(ELEMENTS, elements.as_str())]].concat();
    let Some(output) = with_emulated_and(name, &variables) else {
        // Starts the emulated driver, which reports at the end, without opening the device.
        assert_eq!(Cuda::device_count().expect("a device"), 1);
        // What finds its kernels at run time does not bring what the emulator runs.
        let kernels = <Sum as Kernel<i32>>::FOLD;
        kernels.block.offer();
        kernels.grid.offer();
        kernels.partials.offer();
        let n = std::env::var(ELEMENTS).expect("a number").parse().expect("a number");
        let (x, sum) = numbers(n);
        assert_eq!(reduce::<i32, Sum>(&x).expect("a sum"), sum);
        assert_eq!(reduce::<i32, Sum>(&x[1..]).expect("a sum"), sum);
        eprintln!("about: {}", about().auto);
        return None;
    };
    let text = String::from_utf8_lossy(&output.stderr);
    let about = text.lines().find_map(|line| line.strip_prefix("about: "));
    Some((launches(&text), about.expect("what is known").to_owned()))
}

/// Returns the number of launches in the driver's report.
fn launches(text: &str) -> u32 {
    let count = |line: &str| line.strip_suffix(" launches")?.rsplit(' ').next()?.parse().ok();
    text.lines().find_map(count).expect("launches")
}

/// A cache folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cache-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// The two launches of the canary, when a device is opened to be used or described.
const OPENED: u32 = 2;

#[test]
fn the_environment_chooses() {
    const NAME: &str = "the_environment_chooses";
    let Some((launches, about)) = reduced(NAME, &[("WARPFOLD_BACKEND", "cpu")], LONG) else { return };
    assert_eq!(launches, OPENED, "by about()");
    assert!(about.contains("the CPU, as WARPFOLD_BACKEND says"), "{about}");
    let (launches, about) = reduced(NAME, &[("WARPFOLD_BACKEND", "gpu")], 100).expect("an answer");
    assert_eq!(launches, OPENED + 2);
    assert!(about.contains("the GPU, as WARPFOLD_BACKEND says"), "{about}");
}

#[test]
fn formulas_are_folded_on_the_gpu() {
    const NAME: &str = "formulas_are_folded_on_the_gpu";
    let Some(output) = with_emulated_and(NAME, &[("WARPFOLD_BACKEND", "gpu")]) else {
        let cuda = Cuda::open(0).expect("the device");
        let x: Vec<f32> = (0..3000u16).map(|i| f32::from(i % 251).sqrt()).collect();
        let there = cuda.upload(&x).expect("an upload");
        // The first call names its operator, and brings what the emulator runs.
        macro_rules! same {
            ($($op:expr),*) => { $(
                let expected = Cpu::new().reduce($op, &x);
                assert_eq!(cuda.reduce($op, &there), expected);
                assert_eq!(Auto::new().reduce($op, &x), expected);
            )* };
        }
        let least = 3.0;
        let more = formula!(|v: f32; least: f32| -> bool { v.gt(least) });
        let (after, length) =
            (formula!(|v: f32| v + 1.0), operator!(0.0, formula!(|a: f32, b| (a * a + b * b).sqrt())));
        same!(Mean.of(after), count(more), length, length.commutative());
        return;
    };
    // Each operator on `Cuda` and on `Auto`, by the same device.
    assert_eq!(launches(&String::from_utf8_lossy(&output.stderr)), OPENED + 2 * 4);
}

#[test]
fn an_unknown_word_is_an_error() {
    const NAME: &str = "an_unknown_word_is_an_error";
    let Some(_) = with_emulated_and(NAME, &[("WARPFOLD_BACKEND", "cuda")]) else {
        assert_eq!(Cuda::device_count().expect("a device"), 1);
        let failed = reduce::<i32, Sum>(&[1]);
        assert!(matches!(failed, Err(Error::Setting { variable: "WARPFOLD_BACKEND", .. })), "{failed:?}");
        assert!(about().auto.contains("`cuda`"), "{}", about().auto);
        return;
    };
}

#[test]
fn a_gpu_that_was_asked_for_and_is_not_there_is_an_error() {
    const NAME: &str = "a_gpu_that_was_asked_for_and_is_not_there_is_an_error";
    let variables = [("WARPFOLD_BACKEND", "gpu"), ("WARPFOLD_EMULATED_CORRUPT", "float_canary 2 0")];
    let Some(_) = with_emulated_and(NAME, &variables) else {
        for _ in 0..2 {
            let failed = reduce::<i32, Sum>(&[1]);
            assert!(matches!(failed, Err(Error::FloatEnvironment { device: Some(0), .. })), "{failed:?}");
        }
        return;
    };
}

#[test]
fn speeds_are_measured_once_and_kept() {
    const NAME: &str = "speeds_are_measured_once_and_kept";
    let folder = folder(NAME);
    let path = folder.display().to_string();
    let variables = [("WARPFOLD_CACHE", path.as_str())];
    let Some((launches, about)) = reduced(NAME, &variables, 1000) else { return };
    assert_eq!(launches, OPENED, "too short to matter");
    assert!(about.starts_with("not measured yet") && about.contains(&path), "{about}");

    let (measured, about) = reduced(NAME, &variables, LONG).expect("an answer");
    assert!(measured > 20, "{measured}");
    assert!(about.contains("GB/s") && about.contains(&format!("kept in {path}")), "{about}");
    let files: Vec<_> = std::fs::read_dir(&folder).expect("a folder").collect();
    assert_eq!(files.len(), 1);
    let file = files[0].as_ref().expect("a file").path();
    let text = std::fs::read_to_string(&file).expect("a text");
    assert!(text.contains("emulated 7 (no GPU), 9.0, CUDA 12.4; ") && text.contains(" threads\n"), "{text}");

    // The saved speeds decide, for either backend.
    let keep = |cpu: &str, gpu: &str, on: &str| {
        let body: String = text.lines().skip(1).fold(String::new(), |body, line| {
            let (name, value) = line.split_once(" = ").expect("a value");
            let value = match name {
                "cpu_gb_per_s" => cpu,
                "gpu_gb_per_s" => gpu,
                "on" => &value.replace("emulated 7 (no GPU)", on),
                _ => "1.5",
            };
            body + name + " = " + value + "\n"
        });
        let head = text.lines().next().expect("a head").split(' ').map(str::to_owned);
        let head: Vec<_> =
            head.map(|word| word.parse::<u64>().map_or(word, |_| body.len().to_string())).collect();
        std::fs::write(&file, head.join(" ") + "\n" + &body).expect("to write");
    };
    keep("1", "1000", "emulated 7 (no GPU)");
    let (launches, about) = reduced(NAME, &variables, LONG).expect("an answer");
    assert!(launches > OPENED && launches < measured, "{launches}, {measured}");
    assert!(about.starts_with("the GPU from 32 MiB on"), "{about}");
    keep("1000", "1", "emulated 7 (no GPU)");
    let (launches, about) = reduced(NAME, &variables, LONG).expect("an answer");
    assert_eq!(launches, OPENED, "by about()");
    assert!(about.starts_with("the CPU at every length"), "{about}");

    // Speeds of another machine, or damaged ones, are measured again.
    keep("1000", "1", "emulated 8 (no GPU)");
    assert!(reduced(NAME, &variables, LONG).expect("an answer").0 > 20);
    assert!(std::fs::read_to_string(&file).expect("a text").contains("emulated 7 (no GPU)"));
    std::fs::write(&file, &text[..text.len() / 2]).expect("to write");
    assert!(reduced(NAME, &variables, LONG).expect("an answer").0 > 20);
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn speeds_that_cannot_be_kept_are_used() {
    const NAME: &str = "speeds_that_cannot_be_kept_are_used";
    let Some((measured, about)) = reduced(NAME, &[("WARPFOLD_CACHE", "/dev/null/no folder")], LONG) else {
        return;
    };
    assert!(measured > 20, "{measured}");
    assert!(about.contains("GB/s") && about.contains("could not be kept (/dev/null/no folder"), "{about}");
}

#[test]
fn a_device_that_fails_leaves_the_cpu() {
    const NAME: &str = "a_device_that_fails_leaves_the_cpu";
    // While measuring the speeds.
    let variables = [("WARPFOLD_EMULATED_FAILURE", "cuEventRecord 20 2")];
    let Some((_, about)) = reduced(NAME, &variables, LONG) else { return };
    assert!(about.contains("the GPU could not be measured"), "{about}");
}
