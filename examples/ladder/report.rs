//! The record as text.

use crate::record::{
    Accuracy, CountedCopy, CountedRung, CountedScan, Emulated, Measured, Occupancy, Record, TimedCopy,
    TimedRung,
};
use crate::table::table;

/// The whole text.
pub(crate) fn render(record: &Record) -> String {
    let mut text = String::new();
    if let Some(emulated) = &record.emulated {
        text += &counted(emulated);
    }
    if let Some(measured) = &record.measured {
        text += &timed(measured);
    }
    text += "\n";
    text += &table(
        1,
        &["the sum of uniform floats by", "result", "off by", "time"],
        &rows(&record.accuracy, sum),
    );
    text += "\n";
    text
}

fn rows<T>(all: &[T], row: impl Fn(&T) -> Vec<String>) -> Vec<Vec<String>> {
    all.iter().map(row).collect()
}

/// The counts of the emulator.
fn counted(emulated: &Emulated) -> String {
    let Emulated { why, n, threads, resident, .. } = emulated;
    let mut text = format!(
        "backend  the SIMT emulator, which counts and has no times: {why}
elements {n} of i32, by blocks of {threads} threads, {resident} at a time; every sum is right, of f32 as well

"
    );
    let header = [
        "rung", "", "launches", "each", "lanes", "busy", "barriers", "replays", "sectors", "wasted",
        "atomics", "shuffles", "turns",
    ];
    text += &table(2, &header, &rows(&emulated.rungs, counted_rung));
    text += "
  each      elements per thread of the first launch
  lanes     at work in a warp's access to memory, of 32
  busy      share of threads that touch memory between two barriers
  replays   accesses to shared memory that wait for another one to the same bank
  sectors   of 32 bytes of global memory; wasted: the share of them that the access had no use for
  turns     of a warp, per 1000 elements: accesses, replays, barriers, shuffles, atomics one by one
  14a and 14b are by blocks of 1024 threads; 14b is of 2048 elements.

";
    let header = ["moving floats", "accesses", "sectors", "wasted", "replays"];
    text += &table(1, &header, &rows(&emulated.coalescing, counted_copy));
    text += "\n";
    text += &table(1, &header, &rows(&emulated.transposes, counted_copy));
    text += "\n";
    let header = ["prefix sums in a block", "each", "threads", "barriers", "words", "accesses", "replays"];
    text + &table(1, &header, &rows(&emulated.scans, counted_scan))
}

fn counted_rung(row: &CountedRung) -> Vec<String> {
    let turns = row.turns;
    let turns =
        turns.global + turns.shared + turns.bank_replays + turns.atomics + turns.barriers + turns.shuffles;
    vec![
        row.label.clone(),
        row.name.clone(),
        row.launches.to_string(),
        format!("{:.1}", row.elements_per_thread),
        format!("{:.1}", row.active_lanes),
        whole_percent(row.busy_share),
        row.barriers.to_string(),
        row.bank_replays.to_string(),
        row.global_sectors.to_string(),
        whole_percent(row.wasted_share),
        row.atomics.to_string(),
        row.shuffles.to_string(),
        format!("{turns:.0}"),
    ]
}

fn counted_copy(row: &CountedCopy) -> Vec<String> {
    vec![
        row.name.replace('_', " "),
        row.requests.to_string(),
        row.sectors.to_string(),
        whole_percent(row.wasted_share),
        row.bank_replays.to_string(),
    ]
}

fn counted_scan(row: &CountedScan) -> Vec<String> {
    vec![
        row.name.trim_start_matches("scan_").replace('_', " "),
        (row.n / row.threads.max(1) as usize).to_string(),
        row.threads.to_string(),
        row.barriers.to_string(),
        row.words.to_string(),
        row.requests.to_string(),
        row.bank_replays.to_string(),
    ]
}

/// The measurements on a GPU.
fn timed(measured: &Measured) -> String {
    let mut text = format!(
        "device   {}, {} multiprocessors\npeak     {:.0} GB/s: {}\n",
        measured.device, measured.multiprocessors, measured.peak.gb_per_s, measured.peak.from
    );
    let header = ["rung", "", "launches", "time", "GB/s", "of peak", "step", "in all"];
    for of in measured.rungs.chunk_by(|a, b| (a.element, a.of) == (b.element, b.of)) {
        if let [first, ..] = of {
            text += &format!(
                "\n{} elements of {}, {}\n",
                power(first.of),
                first.element,
                bytes(4 * first.of as u64)
            );
            text += &table(2, &header, &rows(of, timed_rung));
        }
    }
    for line in &measured.plan {
        text += &format!("  {line}\n");
    }
    for (name, copies) in [
        ("moving floats", &measured.coalescing),
        ("", &measured.transposes),
        ("scans of one block", &measured.scans),
        ("host and device", &measured.copies),
    ] {
        text += "\n";
        text += &table(1, &[name, "bytes", "time", "GB/s"], &rows(copies, timed_copy));
    }
    text += "\n";
    let header = ["kernel", "threads", "registers", "shared", "blocks", "occupancy", "suggested"];
    text + &table(1, &header, &rows(&measured.occupancy, occupancy))
}

fn timed_rung(row: &TimedRung) -> Vec<String> {
    let times = |times: Option<f64>| times.map_or("-".into(), |times| format!("{times:.2}x"));
    vec![
        row.label.clone(),
        if row.n == row.of { row.name.clone() } else { format!("{}, {} elements", row.name, row.n) },
        row.launches.to_string(),
        time(row.us),
        significant(row.gb_per_s),
        percent(row.of_peak),
        times(row.step),
        times(row.in_all),
    ]
}

fn timed_copy(row: &TimedCopy) -> Vec<String> {
    vec![row.name.replace('_', " "), bytes(row.bytes), time(row.us), significant(row.gb_per_s)]
}

fn occupancy(row: &Occupancy) -> Vec<String> {
    vec![
        row.kernel.clone(),
        row.threads.to_string(),
        row.registers.to_string(),
        row.shared_bytes.to_string(),
        row.blocks.to_string(),
        percent(row.occupancy),
        format!("{} x {}", row.suggested_blocks, row.suggested_threads),
    ]
}

fn sum(row: &Accuracy) -> Vec<String> {
    vec![
        row.name.clone(),
        format!("{}", row.value),
        if row.off_by == 0.0 { "0".into() } else { format!("{:.1e}", row.off_by) },
        row.seconds.map_or("-".into(), |seconds| time(seconds * 1e6)),
    ]
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn whole_percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// A number with three digits, or with all digits before the point if these are more.
fn significant(x: f64) -> String {
    match x {
        x if x >= 100.0 => format!("{x:.0}"),
        x if x >= 10.0 => format!("{x:.1}"),
        x => format!("{x:.2}"),
    }
}

fn time(us: f64) -> String {
    match us {
        us if us >= 1e6 => format!("{} s", significant(us / 1e6)),
        us if us >= 1e3 => format!("{} ms", significant(us / 1e3)),
        us => format!("{} us", significant(us)),
    }
}

fn bytes(bytes: u64) -> String {
    match bytes as f64 {
        b if b >= 1e9 => format!("{} GB", significant(b / 1e9)),
        b if b >= 1e6 => format!("{} MB", significant(b / 1e6)),
        b if b >= 1e3 => format!("{} kB", significant(b / 1e3)),
        b => format!("{b} B"),
    }
}

/// A number as a power of two, if it is one.
pub(crate) fn power(n: usize) -> String {
    if n.is_power_of_two() && n >= 1024 { format!("2^{}", n.ilog2()) } else { n.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!([0.123, 4.5678, 45.678, 4567.8].map(significant), ["0.12", "4.57", "45.7", "4568"]);
        assert_eq!([12.0, 1234.0, 2.5e6].map(time), ["12.0 us", "1.23 ms", "2.50 s"]);
        assert_eq!(
            (power(1 << 22), power(1000), bytes(1 << 30)),
            ("2^22".into(), "1000".into(), "1.07 GB".into())
        );
    }
}
