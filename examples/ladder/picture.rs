//! A picture of the ladder: on a GPU the bandwidth of each rung, in the emulator the turns of its warps.

use std::path::Path;

use kuva::PngBackend;
use kuva::backend::svg::SvgBackend;
use kuva::plot::{BarPlot, LegendPosition};
use kuva::render::annotations::ReferenceLine;
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;
use kuva::render::render::{Scene, render_multiple};

use crate::counted::THREADS;
use crate::failure::Failure;
use crate::text::power;

/// Groups of bars.
pub(crate) struct Bars {
    title: &'static str,
    subtitle: String,
    y_label: &'static str,
    /// The parts of each group with their colours, from Okabe and Ito's palette for the colour-blind.
    parts: Vec<(String, &'static str)>,
    /// Whether the parts stand on each other.
    stacked: bool,
    groups: Vec<(String, Vec<f64>)>,
    /// The most that there can be.
    peak: Option<f64>,
}

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

/// Draws `bars` to `file`, in the format of its name.
pub(crate) fn write(bars: &Bars, file: &Path) -> Result<(), Failure> {
    let scene = scene(bars);
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

fn scene(bars: &Bars) -> Scene {
    let mut plot = BarPlot::new().with_legend(bars.parts.iter().map(|part| part.0.as_str()).collect());
    if bars.stacked {
        plot = plot.with_stacked();
    }
    for (label, values) in &bars.groups {
        let colours = bars.parts.iter().map(|part| part.1);
        plot = plot.with_group(label.as_str(), values.iter().copied().zip(colours));
    }
    let plots: Vec<Plot> = vec![plot.into()];
    let mut layout = Layout::auto_from_plots(&plots)
        .with_width(860.0)
        .with_height(440.0)
        .with_title(bars.title)
        .with_title_size(16)
        .with_subtitle_size(12)
        .with_x_label("rung")
        .with_label_size(13)
        .with_tick_size(12)
        .with_body_size(12)
        .with_font_family("DejaVu Sans, Verdana, sans-serif")
        .with_legend_position(LegendPosition::OutsideRightTop)
        .with_subtitle(&bars.subtitle)
        .with_y_label(bars.y_label);
    if let Some(peak) = bars.peak {
        let line = ReferenceLine::horizontal(peak).with_color("#666666");
        layout = layout.with_y_axis_max(peak * 1.05).with_reference_line(line);
    }
    render_multiple(plots, layout)
}

/// The causes of turns, from the bottom of a bar.
const TURNS: [(&str, &str); 6] = [
    ("global memory", "#0072B2"),
    ("shared memory", "#56B4E9"),
    ("bank replays", "#D55E00"),
    ("barriers", "#E69F00"),
    ("shuffles, warp syncs", "#009E73"),
    ("atomics", "#CC79A7"),
];

/// Turns per 1000 elements of each rung in the emulator, by their [causes](TURNS).
pub(crate) fn turns(n: usize, groups: Vec<(String, Vec<f64>)>) -> Bars {
    Bars {
        title: "What the warps of each rung take turns at",
        subtitle: format!("emulator, {n} elements (14b: 2048), blocks of {THREADS} (14a, 14b: 1024)"),
        y_label: "turns per 1000 elements",
        parts: TURNS.map(|(name, colour)| (name.to_owned(), colour)).to_vec(),
        stacked: true,
        groups,
        peak: None,
    }
}

/// Colours of the sizes, the largest last.
const SIZES: [&str; 4] = ["#56B4E9", "#0072B2", "#D55E00", "#009E73"];

/// Bandwidth for integers on `device`, a bar per size: the label, the size and the 10^9 bytes per second of each rung.
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "there is no GPU without the feature"))]
pub(crate) fn bandwidth(device: &str, (peak, from): (f64, &str), rungs: &[(&str, usize, f64)]) -> Bars {
    let (mut sizes, mut labels): (Vec<usize>, Vec<&str>) = (Vec::new(), Vec::new());
    for &(label, of, _) in rungs {
        if !sizes.contains(&of) {
            sizes.push(of);
        }
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    let peak = peak / 1e3;
    let group = |label: &str| {
        let bar = |&n: &usize| {
            rungs.iter().find(|rung| (rung.0, rung.1) == (label, n)).map_or(0.0, |rung| rung.2 / 1e3)
        };
        (label.to_owned(), sizes.iter().map(bar).collect())
    };
    Bars {
        title: "The climb: bytes of input per time",
        subtitle: format!("{device}; dashed: {peak:.2} TB/s, {from}"),
        y_label: "TB/s",
        groups: labels.into_iter().map(group).collect(),
        parts: sizes.iter().map(|&n| format!("{} ints", power(n))).zip(SIZES.into_iter().cycle()).collect(),
        stacked: false,
        peak: Some(peak),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bandwidths_are_drawn_by_size_below_the_peak() {
        let labels = ["1", "2", "3", "12a", "16"];
        let rungs = [1 << 22, 1 << 24, 1 << 28].into_iter().flat_map(|of| {
            labels.into_iter().enumerate().map(move |(at, label)| (label, of, (at * at * 290) as f64))
        });
        let bars = bandwidth("a GPU", (4800.0, "the datasheet"), &rungs.collect::<Vec<_>>());
        let svg = SvgBackend::default().render_scene(&scene(&bars));
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
