//! Tunings, from the cache folder to the plans of an open device, on a emulated driver .
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use std::fs;
use std::path::{Path, PathBuf};

use emulated::with_emulated_and;
use warpfold::plans::{LaunchConfig, Passes, Plan, Tuning};
use warpfold::{Cuda, Sum};

const CACHE: &str = "WARPFOLD_CACHE";

/// Runs `body` in a separate process with the emulated driver, `variables`, and an empty cache folder. Returns that
/// process's standard error; `None` in that process itself.
fn with_emulated(name: &str, variables: &[(&str, &str)], body: impl FnOnce(&Path)) -> Option<String> {
    let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("tuning-{name}"));
    let _ = fs::remove_dir_all(&cache);
    let variables = [&[(CACHE, cache.to_str().expect("UTF-8"))], variables].concat();
    let Some(output) = with_emulated_and(name, &variables) else {
        body(&cache);
        return None;
    };
    let _ = fs::remove_dir_all(&cache);
    Some(String::from_utf8_lossy(&output.stderr).into_owned())
}

const N: u64 = 1 << 20;

/// One row, with a configuration that is not a default.
fn odd(blocks: u32) -> Tuning {
    let mut tuning = Tuning::empty();
    let config =
        LaunchConfig::new(Passes::Recursive { fan_in: 4 }, 1024, blocks).expect("a launch configuration");
    tuning.set::<i32, Sum>(N, config, (2000, 1000));
    tuning
}

fn open() -> Cuda {
    Cuda::open(0).expect("the device")
}

fn plan(cuda: &Cuda) -> Plan {
    cuda.plan::<i32, Sum>(N).expect("a plan")
}

fn is_odd(plan: &Plan) -> bool {
    plan.passes() == Passes::Recursive { fan_in: 4 } && plan.threads() == 1024
}

#[test]
fn a_kept_tuning_is_used_and_changes_no_result() {
    with_emulated("a_kept_tuning_is_used_and_changes_no_result", &[], |_| {
        let before = open();
        assert!(before.tuning().is_empty() && !is_odd(&plan(&before)));
        assert!(before.tuning().to_string().starts_with("none: there is no "), "{}", before.tuning());
        let file = odd(1).keep(&before).expect("a file");
        let after = open();
        assert!(is_odd(&plan(&after)), "{}", plan(&after));
        assert_eq!(after.tuning().to_string(), format!("1 row from {}", file.display()));
        assert!(warpfold::about().to_string().contains(&after.tuning().to_string()));
        let tuned = after.tuning().get::<i32, Sum>(N).expect("a row");
        assert_eq!((tuned.default_ns, tuned.tuned_ns, tuned.stale), (2000, 1000, false));
        // By a handle, without a file.
        assert!(!is_odd(&plan(&after.with_tuning(Tuning::empty()))));
        assert!(is_odd(&plan(&before.with_tuning(odd(1)))));
        assert!(!is_odd(&plan(&before)));

        let x: Vec<i32> = (0..N as i32).map(|i| i.wrapping_mul(7919)).collect();
        let sum = x.iter().copied().map(i64::from).sum::<i64>();
        for cuda in [&before, &after, &after.with_tuning(Tuning::empty())] {
            let array = cuda.upload(&x).expect("an upload");
            assert_eq!(cuda.reduce(Sum, &array).expect("a sum"), sum);
            let stream = cuda.stream().expect("a stream");
            assert_eq!(stream.reduce(Sum, &array).expect("a sum"), sum);
        }
        // With nothing saved, the default plans are used again.
        Tuning::empty().keep(&before).expect("a file");
        assert_eq!(plan(&open()), plan(&before));
    });
}

/// The launches show the plan: a reduction with the odd plan takes 4 launches (64 partial results, 16, 4, 1),
/// with the default one 1.
#[test]
fn every_way_to_reduce_takes_the_tuned_plan() {
    let output = with_emulated("every_way_to_reduce_takes_the_tuned_plan", &[], |_| {
        let cuda = open().with_tuning(odd(1));
        let array = cuda.upload(&vec![3; N as usize]).expect("an upload");
        let sum = 3 * N as i64;
        let mut out = cuda.scalar::<i32, Sum>().expect("a scalar");
        assert_eq!(cuda.reduce(Sum, &array).expect("a sum"), sum);
        let stream = cuda.stream().expect("a stream");
        assert_eq!(stream.reduce(Sum, &array).expect("a sum"), sum);
        stream.reduce_into(Sum, &array, &mut out).expect("to enqueue");
        assert_eq!(out.get().expect("a sum"), sum);
        let pending = stream.reduce_async(Sum, &array).expect("to enqueue");
        assert_eq!(pending.wait().expect("a sum"), sum);
        let mut graph = stream.capture(|stream| stream.reduce_into(Sum, &array, &mut out)).expect("a graph");
        graph.launch(&stream).expect("to enqueue");
        assert_eq!(out.get().expect("a sum"), sum);
    });
    if let Some(output) = output {
        // And the two for the device's arithmetic.
        assert!(output.contains("; 22 launches"), "{output}");
    }
}

#[test]
fn the_environment_turns_it_off() {
    let off = [("WARPFOLD_TUNING", "off")];
    with_emulated("the_environment_turns_it_off", &off, |_| {
        odd(1).keep(&open()).expect("a file");
        let cuda = open();
        assert!(!is_odd(&plan(&cuda)));
        assert_eq!(cuda.tuning().to_string(), "off, as WARPFOLD_TUNING says");
        assert_eq!(Tuning::kept(&cuda).len(), 1);
        assert!(is_odd(&plan(&cuda.with_tuning(Tuning::kept(&cuda)))));
    });
}

#[test]
fn without_a_cache_folder_there_is_none() {
    with_emulated("without_a_cache_folder_there_is_none", &[(CACHE, "")], |_| {
        let cuda = open();
        assert_eq!(odd(1).keep(&cuda), None);
        assert!(cuda.tuning().to_string().contains("no cache folder"), "{}", cuda.tuning());
        assert!(!is_odd(&plan(&cuda)));
    });
}

#[test]
fn damaged_and_stale_files_are_ignored_and_say_why() {
    with_emulated("damaged_and_stale_files_are_ignored_and_say_why", &[], |_| {
        let file = odd(1).keep(&open()).expect("a file");
        let whole = fs::read_to_string(&file).expect("a text");
        let check = |text: &[u8], why: &str| {
            fs::write(&file, text).expect("to write");
            let cuda = open();
            assert!(!is_odd(&plan(&cuda)), "{}", String::from_utf8_lossy(text));
            assert!(cuda.tuning().is_empty());
            let said = warpfold::about().to_string();
            assert!(said.contains("is ignored: ") && said.contains(why), "{said}");
        };
        for len in 0..whole.len() {
            check(&whole.as_bytes()[..len], "damaged");
        }
        check(&[0xff; 5000], "damaged");
        // The same length as before, so that the cache finds nothing wrong.
        check(
            whole.replace("device emulated 7 (no GPU)", "device emulated 8 (no GPU)").as_bytes(),
            "device \"emulated 8 (no GPU)\"",
        );
        check(whole.replace("capability 9.0", "capability 8.0").as_bytes(), "capability \"8.0\"");
        check(whole.replace("multiprocessors 132", "multiprocessors 131").as_bytes(), "multiprocessors");
        check(whole.replace("CUDA 12.4", "CUDA 12.3").as_bytes(), "driver");
        check(whole.replace("recursive:4", "recursive:3").as_bytes(), "line 8 is not what it must be");
        let version = env!("CARGO_PKG_VERSION");
        check(
            whole
                .replace(&format!("library {version}"), &format!("library {}", version.replace('0', "7")))
                .as_bytes(),
            "library",
        );
        // Other kernels: the row exists, and is not used.
        let stamp = whole.split(' ').rev().nth(2).expect("a stamp");
        let other: String = stamp.chars().map(|c| if c == '0' { '1' } else { '0' }).collect();
        fs::write(&file, whole.replace(stamp, &other)).expect("to write");
        assert!(!is_odd(&plan(&open())));
        assert_eq!(open().tuning().get::<i32, Sum>(N).map(|tuned| tuned.stale), Some(true));
        fs::write(&file, &whole).expect("to write");
        assert!(is_odd(&plan(&open())));
    });
}

#[test]
fn of_two_who_keep_one_at_once_one_is_kept_whole() {
    with_emulated("of_two_who_keep_one_at_once_one_is_kept_whole", &[], |cache| {
        let cuda = open();
        let rows = |tuning: &Tuning| tuning.get::<i32, Sum>(N);
        let mut long = odd(3);
        for class in 10..30 {
            let config = LaunchConfig::new(Passes::Grid, 512, 2).expect("a launch configuration");
            long.set::<f64, Sum>((1 << class) / 8, config, (2, 1));
        }
        let both = [odd(1), long];
        both[0].keep(&cuda).expect("a file");
        std::thread::scope(|scope| {
            for tuning in &both {
                let cuda = &cuda;
                scope.spawn(move || {
                    for _ in 0..100 {
                        tuning.keep(cuda).expect("a file");
                    }
                });
            }
            for _ in 0..200 {
                let kept = Tuning::kept(&cuda);
                let one = both.iter().find(|one| one.len() == kept.len()).expect("one of the two");
                assert_eq!(rows(one), rows(&kept));
            }
        });
        assert_eq!(fs::read_dir(cache).expect("the folder").count(), 1);
    });
}
