//! A plot of costs against sizes, as SVG: small panels, both axes logarithmic, so that what is linear
//! is as steep as the thin grey lines.

use std::ops::Range;
use std::path::Path;

use plotters::prelude::*;

use crate::report::drawing::{Area, Axis, COLOURS, Drawn, GRID, INK, text};

const WIDTH: u32 = 1000;
const COLUMNS: usize = 2;
const TITLE_HEIGHT: u32 = 56;
const PANEL_HEIGHT: u32 = 340;
const NAME_HEIGHT: i32 = 17;
/// Of the lines that are as steep as what is linear.
const LINEAR: RGBColor = RGBColor(0xB8, 0xB8, 0xB8);

/// Plain commands are dashed, and duller.
const CONTROL_COLOURS: [RGBColor; 4] = [
    RGBColor(0x55, 0x55, 0x55),
    RGBColor(0x9A, 0x6B, 0x3F),
    RGBColor(0x7A, 0x4F, 0xA3),
    RGBColor(0x5B, 0x7F, 0x3B),
];

pub struct Panel {
    /// What the sizes count.
    pub x: &'static str,
    pub sizes: Vec<f64>,
    pub size: fn(usize) -> String,
    pub lines: Vec<Line>,
}

pub struct Line {
    pub name: &'static str,
    pub is_control: bool,
    pub points: Vec<Point>,
}

/// What a size costs, in microseconds.
#[derive(Clone, Copy)]
pub struct Point {
    pub size: f64,
    pub low: f64,
    pub middle: f64,
    pub high: f64,
}

pub fn write(path: &Path, panels: &[Panel]) -> Drawn {
    let rows = panels.len().div_ceil(COLUMNS);
    let height = TITLE_HEIGHT + PANEL_HEIGHT * rows as u32;
    let root = SVGBackend::new(path, (WIDTH, height)).into_drawing_area();
    root.fill(&WHITE)?;
    let (title, below) = root.split_vertically(TITLE_HEIGHT);
    title.draw_text(
        "CPU time of the server per command, by the size of the work",
        &text(17.0),
        (16, 12),
    )?;
    title.draw_text(
        "Dashed: plain commands. Grey: as steep as linear. Both axes logarithmic; bars from the \
         least to the most of all rounds.",
        &text(13.0),
        (16, 36),
    )?;
    let areas = below.split_evenly((rows, COLUMNS));
    for (panel, area) in panels.iter().zip(&areas) {
        panel.draw(area)?;
    }
    root.present()?;
    Ok(())
}

impl Panel {
    fn draw(&self, area: &Area) -> Drawn {
        let rows = self.lines.len().div_ceil(COLUMNS) as u32;
        let (names, plot) = area.split_vertically(8 + rows * NAME_HEIGHT as u32);
        self.draw_names(&names)?;
        let (x, y) = (self.x_axis(), self.y_axis());
        let (x_range, y_range) = (x.places.clone(), y.places.clone());
        let mut chart = ChartBuilder::on(&plot)
            .margin_left(8)
            .margin_right(20)
            .margin_top(6)
            .margin_bottom(14)
            .x_label_area_size(44)
            .y_label_area_size(58)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(INK)
            .label_style(text(13.0))
            .axis_desc_style(text(14.0))
            .x_desc(self.x)
            .x_labels(10)
            .y_labels(10)
            .x_label_formatter(&|place| (self.size)(10_f64.powf(*place).round() as usize))
            .y_label_formatter(&|place| time(10_f64.powf(*place)))
            .draw()?;
        for ends in rising(&x_range, &y_range) {
            chart.draw_series([PathElement::new(ends, LINEAR.stroke_width(1))])?;
        }
        for (line, colour) in self.coloured() {
            for point in &line.points {
                let bar = [point.low, point.high].map(|cost| (point.size.log10(), cost.log10()));
                let style = colour.mix(0.45).stroke_width(1);
                chart.draw_series([PathElement::new(bar, style)])?;
            }
            let points = line.points.iter();
            let points = points.map(|point| (point.size.log10(), point.middle.log10()));
            match line.is_control {
                true => chart.draw_series(DashedLineSeries::new(
                    points,
                    6,
                    4,
                    colour.stroke_width(2),
                ))?,
                false => chart.draw_series(LineSeries::new(points, colour.stroke_width(2)))?,
            };
        }
        Ok(())
    }

    /// Each line with its colour.
    fn coloured(&self) -> impl Iterator<Item = (&Line, RGBColor)> {
        let (mut own, mut control) = (COLOURS.iter().cycle(), CONTROL_COLOURS.iter().cycle());
        self.lines.iter().filter_map(move |line| {
            let colours = match line.is_control {
                true => &mut control,
                false => &mut own,
            };
            colours.next().map(|colour| (line, *colour))
        })
    }

    /// Above the plot, row by row.
    fn draw_names(&self, area: &Area) -> Drawn {
        let width = (WIDTH as i32 / COLUMNS as i32 - 66) / COLUMNS as i32;
        for (at, (line, colour)) in self.coloured().enumerate() {
            let (row, column) = ((at / COLUMNS) as i32, (at % COLUMNS) as i32);
            let (x, y) = (66 + width * column, 14 + NAME_HEIGHT * row);
            let dashes: &[i32] = match line.is_control {
                true => &[0, 9],
                false => &[0],
            };
            for start in dashes {
                let end = if line.is_control { start + 6 } else { 16 };
                let sample = [(x + start, y), (x + end, y)];
                area.draw(&PathElement::new(sample, colour.stroke_width(2)))?;
            }
            area.draw_text(line.name, &text(12.0), (x + 21, y - 6))?;
        }
        Ok(())
    }

    fn x_axis(&self) -> Axis {
        let (first, last) = (self.sizes[0], self.sizes[self.sizes.len() - 1]);
        let room = (last / first).log10() * 0.03;
        // As many sizes as there is room for, the last one among them.
        let step = self.sizes.len().div_ceil(8);
        let ticks = self.sizes.iter().rev().step_by(step);
        Axis {
            places: first.log10() - room..last.log10() + room,
            ticks: ticks.map(|size| size.log10()).collect(),
        }
    }

    fn y_axis(&self) -> Axis {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let low = points().map(|point| point.low).fold(f64::MAX, f64::min);
        let high = points().map(|point| point.high).fold(f64::MIN, f64::max);
        let places = (low * 0.8).log10()..(high * 1.25).log10();
        let is_short = places.end - places.start < 2.0;
        let powers = (-3..9).map(f64::from);
        let ticks = powers.flat_map(|power| match is_short {
            true => [1.0, 2.0, 5.0]
                .map(|digit: f64| power + digit.log10())
                .to_vec(),
            false => vec![power],
        });
        Axis {
            ticks: ticks.filter(|place| places.contains(place)).collect(),
            places,
        }
    }
}

/// Lines of slope 1 through both ranges, a power of ten apart, each cut off where the plot ends.
fn rising(x: &Range<f64>, y: &Range<f64>) -> Vec<[(f64, f64); 2]> {
    let first = (y.start - x.end).floor() as i32;
    let last = (y.end - x.start).ceil() as i32;
    let lines = (first..=last).map(f64::from).filter_map(|above| {
        let start = x.start.max(y.start - above);
        let end = x.end.min(y.end - above);
        (start < end).then(|| [start, end].map(|x| (x, x + above)))
    });
    lines.collect()
}

/// Microseconds, as short as an axis needs them.
fn time(microseconds: f64) -> String {
    let (value, unit) = match microseconds {
        v if v >= 0.999e6 => (v / 1e6, "s"),
        v if v >= 0.999e3 => (v / 1e3, "ms"),
        v => (v, "µs"),
    };
    let digits = format!("{value:.2}");
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    format!("{digits} {unit}")
}
