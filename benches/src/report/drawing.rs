//! What all plots have in common: their colours, their letters and how their axes are drawn.

use std::error::Error;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::prelude::*;

pub const FONT: &str = "sans-serif";
pub const INK: RGBColor = RGBColor(0x33, 0x33, 0x33);
pub const GRID: RGBColor = RGBColor(0xE4, 0xE4, 0xE4);

/// Colours that can be told apart, also by the colour-blind (Okabe and Ito).
pub const COLOURS: [RGBColor; 6] = [
    RGBColor(0x00, 0x72, 0xB2),
    RGBColor(0xD5, 0x5E, 0x00),
    RGBColor(0x00, 0x9E, 0x73),
    RGBColor(0xCC, 0x79, 0xA7),
    RGBColor(0xE6, 0x9F, 0x00),
    RGBColor(0x56, 0xB4, 0xE9),
];

pub type Drawn = Result<(), Box<dyn Error>>;
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

pub fn text(size: f64) -> TextStyle<'static> {
    (FONT, size).into_font().color(&INK)
}

/// An axis that names what it is told to.
pub struct Axis {
    pub places: Range<f64>,
    pub ticks: Vec<f64>,
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, place: &f64, (start, end): (i32, i32)) -> i32 {
        let share = (place - self.places.start) / (self.places.end - self.places.start);
        start + (f64::from(end - start) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.places.clone()
    }
}
