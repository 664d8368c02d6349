//! A picture of the ladder: on a GPU the bandwidth of each rung, in the emulator the turns of its warps.

use std::path::Path;

use kuva::PngBackend;
use kuva::backend::svg::SvgBackend;
use kuva::plot::{BarPlot, LegendPosition};
use kuva::render::annotations::ReferenceLine;
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;
use kuva::render::render::{Scene, render_multiple};

use crate::failure::Failure;
use crate::record::{CountedRung, Emulated, Measured, Record};
use crate::report::power;

/// The format, from the end of the file's name.
enum Format {
    Svg,
    Png,
}

impl Format {
    fn of(file: &Path) -> Result<Self, Failure> {
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => Ok(Self::Svg),
            Some("png") => Ok(Self::Png),
            _ => Err(Failure::Usage(format!("--chart: {} ends neither in .svg nor in .png", file.display()))),
        }
    }
}

/// Returns an error if [`write`] cannot write such a file; checked before the measurements, which take time.
pub(crate) fn check(file: &Path) -> Result<(), Failure> {
    Format::of(file).map(|_| ())
}

/// Draws `record` to `file`, in the format of its name.
pub(crate) fn write(record: &Record, file: &Path) -> Result<(), Failure> {
    let Some(scene) = scene(record) else { return Ok(()) };
    let failed = |cause| Failure::Write { path: file.into(), cause };
    let bytes = match Format::of(file)? {
        Format::Svg => SvgBackend::default().render_scene(&scene).into_bytes(),
        Format::Png => PngBackend::new()
            .with_scale(2.0)
            .render_scene(&scene)
            .map_err(|cause| Failure::Draw { path: file.into(), cause: format!("{cause:?}") })?,
    };
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(file, bytes).map_err(failed)
}

fn scene(record: &Record) -> Option<Scene> {
    match (&record.measured, &record.emulated) {
        (Some(measured), _) => Some(bandwidth(measured)),
        (None, Some(emulated)) => Some(turns(emulated)),
        (None, None) => None,
    }
}

/// A part of the bars, with a colour from Okabe and Ito's palette for the colour-blind.
type Part = (&'static str, &'static str, fn(&CountedRung) -> f64);

/// The causes of turns, from the bottom of a bar.
const PARTS: [Part; 6] = [
    ("global memory", "#0072B2", |rung| rung.turns.global),
    ("shared memory", "#56B4E9", |rung| rung.turns.shared),
    ("bank replays", "#D55E00", |rung| rung.turns.bank_replays),
    ("barriers", "#E69F00", |rung| rung.turns.barriers),
    ("shuffles, warp syncs", "#009E73", |rung| rung.turns.shuffles),
    ("atomics", "#CC79A7", |rung| rung.turns.atomics),
];

/// Turns per 1000 elements, stacked.
fn turns(emulated: &Emulated) -> Scene {
    let mut bars = BarPlot::new().with_stacked().with_legend(PARTS.map(|part| part.0).to_vec());
    for rung in &emulated.rungs {
        bars = bars.with_group(rung.label.as_str(), PARTS.map(|(_, colour, turns)| (turns(rung), colour)));
    }
    let plots: Vec<Plot> = vec![bars.into()];
    let layout = layout(&plots, "What the warps of each rung take turns at")
        .with_subtitle(format!(
            "emulator, {} elements (14b: 2048), blocks of {} (14a, 14b: 1024)",
            emulated.n, emulated.threads
        ))
        .with_y_label("turns per 1000 elements");
    render_multiple(plots, layout)
}

/// Colours of the sizes, the largest last.
const SIZES: [&str; 4] = ["#56B4E9", "#0072B2", "#D55E00", "#009E73"];

/// Bandwidth for integers, a bar per size.
fn bandwidth(measured: &Measured) -> Scene {
    let rungs = || measured.rungs.iter().filter(|rung| rung.element == "i32" && rung.in_all.is_some());
    let (mut sizes, mut labels): (Vec<usize>, Vec<&str>) = (Vec::new(), Vec::new());
    for rung in rungs() {
        if !sizes.contains(&rung.of) {
            sizes.push(rung.of);
        }
        if !labels.contains(&rung.label.as_str()) {
            labels.push(&rung.label);
        }
    }
    let names: Vec<String> = sizes.iter().map(|&n| format!("{} ints", power(n))).collect();
    let mut bars = BarPlot::new().with_legend(names.iter().map(String::as_str).collect());
    for label in labels {
        let bar = |(at, &n): (usize, &usize)| {
            let rung = rungs().find(|rung| rung.label == label && rung.of == n);
            (rung.map_or(0.0, |rung| rung.gb_per_s / 1e3), SIZES[at % SIZES.len()])
        };
        bars = bars.with_group(label, sizes.iter().enumerate().map(bar));
    }
    let plots: Vec<Plot> = vec![bars.into()];
    let peak = measured.peak.gb_per_s / 1e3;
    let layout = layout(&plots, "The climb: bytes of input per time")
        .with_subtitle(format!("{}; dashed: {peak:.2} TB/s, {}", measured.device, measured.peak.from))
        .with_y_label("TB/s")
        .with_y_axis_max(peak * 1.05)
        .with_reference_line(ReferenceLine::horizontal(peak).with_color("#666666"));
    render_multiple(plots, layout)
}

fn layout(plots: &[Plot], title: &str) -> Layout {
    Layout::auto_from_plots(plots)
        .with_width(860.0)
        .with_height(440.0)
        .with_title(title)
        .with_title_size(16)
        .with_subtitle_size(12)
        .with_x_label("rung")
        .with_label_size(13)
        .with_tick_size(12)
        .with_body_size(12)
        .with_font_family("DejaVu Sans, Verdana, sans-serif")
        .with_legend_position(LegendPosition::OutsideRightTop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Peak, TimedRung};

    #[test]
    fn bandwidths_are_drawn_by_size_below_the_peak() {
        let rung = |label: &str, of: usize, gb_per_s: f64| TimedRung {
            label: label.into(),
            name: "a rung".into(),
            element: "i32",
            of,
            n: of,
            threads: 256,
            launches: 1,
            us: 1.0,
            gb_per_s,
            of_peak: gb_per_s / 4800.0,
            step: None,
            in_all: Some(1.0),
        };
        let labels = ["1", "2", "3", "12a", "16"];
        let rungs = [1 << 22, 1 << 24, 1 << 28].into_iter().flat_map(|of| {
            labels.into_iter().enumerate().map(move |(at, label)| rung(label, of, (at * at * 290) as f64))
        });
        let measured = Measured {
            device: "a GPU".into(),
            multiprocessors: 1,
            peak: Peak { gb_per_s: 4800.0, from: "the datasheet".into() },
            rungs: rungs.collect(),
            coalescing: Vec::new(),
            transposes: Vec::new(),
            scans: Vec::new(),
            copies: Vec::new(),
            occupancy: Vec::new(),
            plan: Vec::new(),
        };
        let record = Record { measured: Some(measured), ..Record::new(Vec::new()) };
        let svg = SvgBackend::default().render_scene(&scene(&record).expect("a picture"));
        for words in ["2^22 ints", "2^28 ints", "4.80 TB/s, the datasheet", ">12a<", ">16<"] {
            assert!(svg.contains(words), "no {words:?}");
        }
    }

    #[test]
    fn other_formats_are_refused() {
        assert!(check(Path::new("a.svg")).is_ok() && check(Path::new("b/a.png")).is_ok());
        assert!(check(Path::new("a.gif")).is_err() && check(Path::new("svg")).is_err());
    }
}
