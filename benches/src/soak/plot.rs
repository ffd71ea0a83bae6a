//! Plots of what a benchmark saw over time, as SVG: panels below each other that share the time.

use std::ops::Range;
use std::path::Path;

use plotters::prelude::*;

use crate::report::drawing::{Area, Axis, COLOURS, Drawn, GRID, INK, text};

const WIDTH: u32 = 1000;
const TITLE_HEIGHT: u32 = 44;
const PANEL_HEIGHT: u32 = 240;

/// Colours of marks, which are thin: darker and duller than those of lines.
const MARK_COLOURS: [RGBColor; 5] = [
    RGBColor(0x8C, 0x8C, 0x8C),
    RGBColor(0x9A, 0x6B, 0x3F),
    RGBColor(0x7A, 0x4F, 0xA3),
    RGBColor(0x5B, 0x7F, 0x3B),
    RGBColor(0xB0, 0x1E, 0x2E),
];

/// What all panels have in common.
pub struct Plot<'a> {
    pub title: &'a str,
    pub seconds: f64,
    /// Moments to mark in all panels.
    pub marks: &'a [Mark],
}

/// Something that happened, named where its kind first comes.
pub struct Mark {
    pub second: f64,
    pub kind: &'static str,
}

pub struct Panel {
    /// What the axis shows, with its unit.
    pub axis: &'static str,
    pub scale: Scale,
    pub lines: Vec<Line>,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Scale {
    /// From 0 on.
    Linear,
    Logarithmic,
}

impl Scale {
    /// Where on the axis a value stands.
    fn place(self, value: f64) -> f64 {
        match self {
            Scale::Linear => value,
            Scale::Logarithmic => value.log10(),
        }
    }

    /// The value at a place of the axis.
    fn value(self, place: f64) -> f64 {
        match self {
            Scale::Linear => place,
            // 0.1 and not 0.09999.
            Scale::Logarithmic => (10_f64.powf(place) * 1e6).round() / 1e6,
        }
    }

    /// The values that the axis names: about five round ones, or the powers of ten.
    fn ticks(self, range: &Range<f64>) -> Vec<f64> {
        match self {
            Scale::Linear => {
                let rough = range.end / 5.0;
                let power = 10_f64.powf(rough.log10().floor());
                let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
                let step = steps.into_iter().find(|step| *step >= rough);
                let step = step.unwrap_or(rough);
                let ticks = (0..10).map(|at| f64::from(at) * step);
                ticks.take_while(|tick| *tick <= range.end).collect()
            }
            Scale::Logarithmic => {
                let powers = (-6..9).map(|power| 10_f64.powi(power));
                powers.filter(|tick| range.contains(tick)).collect()
            }
        }
    }
}

/// Points of second and value. Where a value is missing, the line is interrupted.
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, Option<f64>)>,
}

impl Plot<'_> {
    pub fn write(&self, path: &Path, panels: &[Panel]) -> Drawn {
        let height = TITLE_HEIGHT + PANEL_HEIGHT * panels.len() as u32;
        let root = SVGBackend::new(path, (WIDTH, height)).into_drawing_area();
        root.fill(&WHITE)?;
        let (title, below) = root.split_vertically(TITLE_HEIGHT);
        title.draw_text(self.title, &text(17.0), (16, 16))?;
        let areas = below.split_evenly((panels.len(), 1));
        for (at, (panel, area)) in panels.iter().zip(&areas).enumerate() {
            let place = Place {
                is_first: at == 0,
                is_last: at + 1 == panels.len(),
            };
            self.draw(area, panel, place)?;
        }
        root.present()?;
        Ok(())
    }

    fn draw(&self, area: &Area, panel: &Panel, place: Place) -> Drawn {
        let scale = panel.scale;
        let range = panel.range();
        let places = scale.place(range.start)..scale.place(range.end);
        let ticks = scale.ticks(&range).into_iter();
        let axis = Axis {
            places: places.clone(),
            ticks: ticks.map(|tick| scale.place(tick)).collect(),
        };
        let mut chart = ChartBuilder::on(area)
            .margin_left(12)
            .margin_right(150)
            .margin_bottom(4)
            .x_label_area_size(34)
            .y_label_area_size(78)
            .build_cartesian_2d(0.0..self.seconds, axis)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(INK)
            .label_style(text(13.0))
            .axis_desc_style(text(14.0))
            .x_desc(if place.is_last { "seconds" } else { "" })
            .y_desc(panel.axis)
            .x_labels(11)
            .y_labels(6)
            .x_label_formatter(&|second| format!("{second:.0}"))
            .y_label_formatter(&|place| short(scale.value(*place)))
            .draw()?;
        for mark in self.marks {
            let ends = [(mark.second, places.start), (mark.second, places.end)];
            let style = self.colour_of(mark.kind).mix(0.6).stroke_width(1);
            chart.draw_series([PathElement::new(ends, style)])?;
        }
        for (line, colour) in panel.lines.iter().zip(COLOURS.iter().cycle()) {
            for run in line.runs() {
                let run = run.into_iter().map(|(x, y)| (x, scale.place(y)));
                chart.draw_series(LineSeries::new(run, colour.stroke_width(2)))?;
            }
        }
        let names = panel.lines.iter().zip(COLOURS.iter().cycle());
        let names = names.map(|(line, colour)| (line.name.as_str(), *colour));
        draw_names(area, 0, 3, names)?;
        if place.is_first {
            let kinds = self.kinds();
            let marks = kinds.iter().map(|kind| (*kind, self.colour_of(kind)));
            draw_names(area, panel.lines.len() as i32 + 1, 1, marks)?;
        }
        Ok(())
    }

    /// The kinds of marks, in the order in which they come.
    fn kinds(&self) -> Vec<&'static str> {
        let mut kinds = Vec::new();
        for mark in self.marks {
            if !kinds.contains(&mark.kind) {
                kinds.push(mark.kind);
            }
        }
        kinds
    }

    fn colour_of(&self, kind: &str) -> RGBColor {
        let kinds = self.kinds();
        let at = kinds.iter().position(|other| *other == kind).unwrap_or(0);
        MARK_COLOURS[at % MARK_COLOURS.len()]
    }
}

/// Where among the others a panel is. The first one names the marks, the last one the time.
struct Place {
    is_first: bool,
    is_last: bool,
}

impl Panel {
    /// What the axis has to reach over.
    fn range(&self) -> Range<f64> {
        let points = self.lines.iter().flat_map(|line| &line.points);
        let values = points.filter_map(|(_, value)| *value);
        let (low, high) = values.fold((f64::MAX, 0.0_f64), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        match self.scale {
            Scale::Linear => 0.0..(high * 1.08).max(1e-9),
            Scale::Logarithmic => low.max(1e-6) * 0.8..high.max(1e-5) * 1.3,
        }
    }
}

impl Line {
    /// The stretches of it that have values.
    fn runs(&self) -> Vec<Vec<(f64, f64)>> {
        let runs = self.points.split(|(_, value)| value.is_none());
        let run = |points: &[(f64, Option<f64>)]| {
            let points = points.iter();
            points.filter_map(|(x, y)| Some((*x, (*y)?))).collect()
        };
        runs.map(run)
            .filter(|run: &Vec<_>| !run.is_empty())
            .collect()
    }
}

/// The name of each line in its colour, right of the panel, from this row on.
fn draw_names<'a>(
    area: &Area,
    first_row: i32,
    stroke: u32,
    names: impl Iterator<Item = (&'a str, RGBColor)>,
) -> Drawn {
    let left = WIDTH as i32 - 138;
    for (row, (name, colour)) in (first_row..).zip(names) {
        let y = 10 + 18 * row;
        let sample = [(left, y), (left + 18, y)];
        area.draw(&PathElement::new(sample, colour.stroke_width(stroke)))?;
        area.draw_text(name, &text(13.0), (left + 25, y - 6))?;
    }
    Ok(())
}

/// A number with as few characters as an axis needs.
fn short(value: f64) -> String {
    let (value, unit) = match value {
        v if v >= 1e6 => (v / 1e6, "M"),
        v if v >= 1e4 => (v / 1e3, "k"),
        v => (v, ""),
    };
    let digits = format!("{value:.3}");
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    format!("{digits}{unit}")
}
