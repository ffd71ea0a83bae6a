//! Horizontal bars with the spread of what they show, in groups below each other, as SVG.

use std::path::Path;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::Spread;

use super::drawing::{Area, Drawn, FONT, GRID, INK};

const WIDTH: i32 = 900;
/// Where bars begin and end; left of them are names, right of them numbers.
const LEFT: i32 = 330;
const RIGHT: i32 = 850;
const HEAD: i32 = 70;
const FOOT: i32 = 54;
const PANEL_HEAD: i32 = 56;
const BAR: i32 = 15;
const ROW: i32 = 18;
const GAP: i32 = 9;

const FAINT: RGBColor = RGBColor(0x77, 0x77, 0x77);

/// Who does it.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Ours,
    Plain,
    RedisCell,
    Lua,
    Python,
}

impl Kind {
    const ALL: [Kind; 5] = [
        Kind::Ours,
        Kind::Plain,
        Kind::RedisCell,
        Kind::Lua,
        Kind::Python,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Ours => "KEYNS",
            Kind::Plain => "plain commands",
            Kind::RedisCell => "redis-cell",
            Kind::Lua => "Lua",
            Kind::Python => "redis-py",
        }
    }

    /// Those of the other plots (Okabe and Ito).
    fn colour(self) -> RGBColor {
        match self {
            Kind::Ours => RGBColor(0x00, 0x72, 0xB2),
            Kind::Plain => RGBColor(0x56, 0xB4, 0xE9),
            Kind::RedisCell => RGBColor(0x00, 0x9E, 0x73),
            Kind::Lua => RGBColor(0xD5, 0x5E, 0x00),
            Kind::Python => RGBColor(0xE6, 0x9F, 0x00),
        }
    }
}

pub struct Figure {
    pub title: String,
    /// Below everything.
    pub notes: Vec<String>,
    pub panels: Vec<Panel>,
}

/// Groups that share an axis, on which 1 is what all are measured over.
pub struct Panel {
    pub title: String,
    pub groups: Vec<Group>,
}

pub struct Group {
    pub name: String,
    pub detail: String,
    pub bars: Vec<Bar>,
}

pub struct Bar {
    pub kind: Kind,
    pub name: String,
    pub spread: Spread,
}

impl Figure {
    pub fn write(&self, path: &Path) -> Drawn {
        let panels: i32 = self.panels.iter().map(Panel::height).sum();
        let height = HEAD + panels + FOOT;
        let root = SVGBackend::new(path, (WIDTH as u32, height as u32)).into_drawing_area();
        root.fill(&WHITE)?;
        root.draw_text(&self.title, &bold(19.0), (16, 24))?;
        self.draw_legend(&root)?;
        let mut top = HEAD;
        for panel in &self.panels {
            panel.draw(&root, top)?;
            top += panel.height();
        }
        for (note, y) in self.notes.iter().zip((top + 16..).step_by(18)) {
            root.draw_text(note, &style(12.0, FAINT, HPos::Left), (16, y))?;
        }
        root.present()?;
        Ok(())
    }

    fn draw_legend(&self, area: &Area) -> Drawn {
        let groups = || self.panels.iter().flat_map(|panel| &panel.groups);
        let is_there = |kind: &Kind| {
            let mut bars = groups().flat_map(|group| &group.bars);
            bars.any(|bar| bar.kind == *kind)
        };
        let mut left = 16;
        for kind in Kind::ALL.iter().filter(|kind| is_there(kind)) {
            let sample = [(left, 46), (left + 14, 60)];
            area.draw(&Rectangle::new(sample, kind.colour().filled()))?;
            let name = kind.name();
            area.draw_text(name, &style(14.0, INK, HPos::Left), (left + 20, 53))?;
            left += 46 + 8 * name.len() as i32;
        }
        Ok(())
    }
}

impl Panel {
    fn height(&self) -> i32 {
        let groups = self.groups.iter().map(Group::height);
        PANEL_HEAD + groups.sum::<i32>()
    }

    /// The end of the axis.
    fn most(&self) -> f64 {
        let bars = self.groups.iter().flat_map(|group| &group.bars);
        let most = bars.map(|bar| bar.spread.high).fold(1.0, f64::max);
        most * 1.1
    }

    fn draw(&self, area: &Area, top: i32) -> Drawn {
        area.draw_text(&self.title, &bold(15.0), (16, top + 18))?;
        let most = self.most();
        let at = |value: f64| LEFT + (f64::from(RIGHT - LEFT) * value / most).round() as i32;
        let (start, end) = (top + PANEL_HEAD - 8, top + self.height());
        for tick in ticks(most) {
            let x = at(tick);
            // What all are measured over stands out.
            let colour = if tick == 1.0 { FAINT } else { GRID };
            area.draw(&PathElement::new([(x, start), (x, end)], colour))?;
            let label = style(12.0, FAINT, HPos::Center);
            area.draw_text(&tick.to_string(), &label, (x, start - 10))?;
        }
        let mut y = top + PANEL_HEAD;
        for group in &self.groups {
            group.draw(area, y, &at)?;
            y += group.height();
        }
        Ok(())
    }
}

/// About six round values up to the end, and 1.
fn ticks(most: f64) -> Vec<f64> {
    let steps = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0];
    let step = steps.into_iter().find(|step| most / step <= 7.0);
    let step = step.unwrap_or(100.0);
    let mut ticks: Vec<f64> = (0..8).map(|at| f64::from(at) * step).collect();
    ticks.retain(|tick| *tick <= most);
    if step > 1.0 {
        ticks.insert(1, 1.0);
    }
    ticks
}

impl Group {
    fn height(&self) -> i32 {
        self.bars.len().max(1) as i32 * ROW + GAP
    }

    fn draw(&self, area: &Area, top: i32, at: &impl Fn(f64) -> i32) -> Drawn {
        let middle = |row: i32| top + row * ROW + BAR / 2;
        area.draw_text(&self.name, &style(14.0, INK, HPos::Left), (16, middle(0)))?;
        if self.bars.len() > 1 {
            let detail = style(12.0, FAINT, HPos::Left);
            area.draw_text(&self.detail, &detail, (16, middle(1)))?;
        }
        for (row, bar) in (0..).zip(&self.bars) {
            let y = middle(row);
            let name = style(13.0, INK, HPos::Right);
            area.draw_text(&bar.name, &name, (LEFT - 10, y))?;
            let corners = [(LEFT, y - BAR / 2), (at(bar.spread.middle), y + BAR / 2)];
            area.draw(&Rectangle::new(corners, bar.kind.colour().filled()))?;
            let (low, high) = (at(bar.spread.low), at(bar.spread.high));
            for line in [
                [(low, y), (high, y)],
                [(low, y - 4), (low, y + 4)],
                [(high, y - 4), (high, y + 4)],
            ] {
                area.draw(&PathElement::new(line, INK.stroke_width(1)))?;
            }
            let number = format!("{:.2}", bar.spread.middle);
            let number_style = style(13.0, INK, HPos::Left);
            area.draw_text(&number, &number_style, (high + 7, y))?;
        }
        Ok(())
    }
}

fn style(size: f64, colour: RGBColor, side: HPos) -> TextStyle<'static> {
    let style: TextStyle = (FONT, size).into_font().color(&colour);
    style.pos(Pos::new(side, VPos::Center))
}

fn bold(size: f64) -> TextStyle<'static> {
    let mut style = style(size, INK, HPos::Left);
    style.font = style.font.style(FontStyle::Bold);
    style
}
