//! The two kinds of pictures: lines over log2 n, and grouped bars. Colours are from Okabe and Ito's palette for
//! the colour-blind; lines also differ by their markers. A contender looks the same in all pictures.

use kuva::{
    TickFormat,
    backend::svg::SvgBackend,
    plot::{BarPlot, LegendPosition, LinePlot, LineStyle, MarkerShape, ScatterPlot},
    render::{
        layout::Layout,
        plots::Plot,
        render::{Scene, render_multiple},
    },
};
use std::sync::Arc;

use super::record::distinct;

/// A picture.
pub(crate) struct Picture {
    pub title: String,
    pub subtitle: String,
    pub y_label: &'static str,
    pub kind: Kind,
}

/// What it shows.
pub(crate) enum Kind {
    Lines(Lines),
    /// Grouped bars: the name of each group, and its (contender, y).
    Bars(Vec<(String, Vec<(String, f64)>)>),
}

/// Lines over log2 n.
pub(crate) struct Lines {
    pub y: Axis,
    pub series: Vec<Series>,
    /// Reference levels, with their names.
    pub levels: Vec<(f64, String)>,
}

/// One line: (log2 n, y), ascending.
pub(crate) struct Series {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// The scale of y.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axis {
    /// Logarithmic, with ticks at powers of 2: half and double the speed are equally far from 1.
    Ratio,
    /// Linear, with ticks at quarters, for ratios near 1.
    NearOne,
    /// Linear from 0.
    FromZero,
}

/// The size of a picture in pixels.
const SIZE: (f64, f64) = (760.0, 440.0);

/// The line styles of the levels, in order.
const STYLES: [LineStyle; 3] = [LineStyle::Dashed, LineStyle::Dotted, LineStyle::DashDot];

/// Colour and marker of a contender or a type.
fn look(name: &str) -> (&'static str, MarkerShape) {
    match name {
        "warpfold" | "f32" => ("#D55E00", MarkerShape::Circle),
        "CUB" | "f64" => ("#0072B2", MarkerShape::Square),
        "CUB gpu_to_gpu" | "i32" => ("#56B4E9", MarkerShape::Diamond),
        "thrust::reduce" | "i64" => ("#000000", MarkerShape::Triangle),
        "PyTorch" | "u32" => ("#009E73", MarkerShape::Cross),
        "CuPy" | "u64" => ("#CC79A7", MarkerShape::Plus),
        _ => ("#E69F00", MarkerShape::Circle),
    }
}

impl Picture {
    /// As SVG.
    pub(crate) fn svg(&self) -> String {
        SvgBackend::default().render_scene(&self.scene())
    }

    fn scene(&self) -> Scene {
        let plots = match &self.kind {
            Kind::Lines(lines) => lines.plots(),
            Kind::Bars(groups) => vec![bars(groups)],
        };
        let layout = Layout::auto_from_plots(&plots)
            .with_width(SIZE.0)
            .with_height(SIZE.1)
            .with_title(&self.title)
            .with_title_size(16)
            .with_subtitle(&self.subtitle)
            .with_subtitle_size(12)
            .with_y_label(self.y_label)
            .with_label_size(13)
            .with_tick_size(12)
            .with_body_size(12)
            .with_font_family("DejaVu Sans, Verdana, sans-serif")
            .with_legend_position(LegendPosition::OutsideRightTop);
        let layout = if let Kind::Lines(lines) = &self.kind { lines.axes(layout) } else { layout };
        render_multiple(plots, layout)
    }
}

impl Lines {
    fn plots(&self) -> Vec<Plot> {
        let (x, _) = self.ranges();
        let mut plots: Vec<Plot> = Vec::new();
        for ((level, name), style) in self.levels.iter().zip(STYLES.into_iter().cycle()) {
            let across = [x.0, x.1].map(|x| (x, self.y.place(*level)));
            let line = LinePlot::new().with_data(across).with_color("#666666").with_line_style(style);
            plots.push(line.with_legend(name.as_str()).into());
        }
        for series in &self.series {
            let (colour, marker) = look(&series.name);
            let points: Vec<(f64, f64)> = series.points.iter().map(|&(x, y)| (x, self.y.place(y))).collect();
            let line = LinePlot::new().with_data(points.clone()).with_color(colour).with_stroke_width(2.0);
            let dots =
                ScatterPlot::new().with_data(points).with_color(colour).with_size(4.0).with_marker(marker);
            plots.extend([line.into(), dots.with_legend(series.name.as_str()).into()]);
        }
        plots
    }

    fn axes(&self, layout: Layout) -> Layout {
        let (x, y) = self.ranges();
        let layout = layout
            .with_x_label("n, elements")
            .with_x_axis_min(x.0)
            .with_x_axis_max(x.1)
            .with_x_tick_step(2.0)
            .with_x_tick_format(TickFormat::Custom(Arc::new(power_of_two)))
            .with_y_axis_min(y.0)
            .with_y_axis_max(y.1)
            .with_y_tick_step(if self.y == Axis::NearOne { 0.25 } else { 1.0 });
        if self.y == Axis::Ratio {
            return layout.with_y_tick_format(TickFormat::Custom(Arc::new(|y: f64| format!("{}", y.exp2()))));
        }
        layout
    }

    /// The range of all points and levels, with margins for markers.
    fn ranges(&self) -> ((f64, f64), (f64, f64)) {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let ys = points().map(|point| point.1).chain(self.levels.iter().map(|level| level.0));
        let (mut x, mut y) = ((f64::INFINITY, f64::NEG_INFINITY), (f64::INFINITY, f64::NEG_INFINITY));
        for point in points() {
            x = (x.0.min(point.0), x.1.max(point.0));
        }
        for place in ys.map(|y| self.y.place(y)) {
            y = (y.0.min(place), y.1.max(place));
        }
        let y = match self.y {
            Axis::Ratio => (y.0 - 0.25, y.1 + 0.25),
            Axis::NearOne => (((y.0 - 0.02) * 4.0).floor() / 4.0, ((y.1 + 0.02) * 4.0).ceil() / 4.0),
            Axis::FromZero => (0.0, y.1 + 0.25),
        };
        ((x.0 - 0.5, x.1 + 0.5), y)
    }
}

impl Axis {
    fn place(self, y: f64) -> f64 {
        if self == Self::Ratio { y.log2() } else { y }
    }
}

fn bars(groups: &[(String, Vec<(String, f64)>)]) -> Plot {
    let names = distinct(groups.iter().flat_map(|group| &group.1).map(|(name, _)| name.as_str()));
    let mut bars = BarPlot::new().with_legend(names.clone());
    for (group, values) in groups {
        let value = |name: &str| values.iter().find(|value| value.0 == name).map_or(0.0, |value| value.1);
        bars = bars.with_group(group.as_str(), names.iter().map(|name| (value(name), look(name).0)));
    }
    bars.into()
}

/// `2^k` with a superscript exponent.
pub(crate) fn power_of_two(k: f64) -> String {
    let raised = |digit: char| match digit {
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '0' => '⁰',
        '4'..='9' => char::from_u32('⁰' as u32 + digit as u32 - '0' as u32).unwrap_or(digit),
        other => other,
    };
    format!("2{}", format!("{k}").chars().map(raised).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_raised() {
        assert_eq!([10.0, 23.0, 45.0, 6.0].map(power_of_two), ["2¹⁰", "2²³", "2⁴⁵", "2⁶"]);
    }

    #[test]
    fn ranges_hold_every_point_and_level() {
        let lines = |y, levels| Lines {
            y,
            series: vec![Series { name: "CUB".into(), points: vec![(11.0, 0.9), (29.0, 2.5)] }],
            levels,
        };
        let (x, y) = lines(Axis::Ratio, vec![]).ranges();
        assert_eq!(x, (10.5, 29.5));
        assert!(y.0 < 0.9_f64.log2() && y.1 > 2.5_f64.log2() && y.1 < 2.0, "{y:?}");
        assert_eq!(lines(Axis::NearOne, vec![]).ranges().1, (0.75, 2.75));
        let (_, y) = lines(Axis::FromZero, vec![(4.75, String::new())]).ranges();
        assert_eq!(y, (0.0, 5.0));
    }
}
