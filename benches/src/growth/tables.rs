//! What was measured, as tables and as panels of a plot.

use super::axis::Growth;
use super::curve::Curve;
use super::plot::{self, Panel};
use super::shape::Shape;
use crate::report::Spread;

/// The costs, and how they grow.
pub fn all(growth: &Growth) -> String {
    let by_role = |asides: bool| {
        let curves = growth.curves.iter();
        curves
            .filter(move |curve| curve.line.is_aside == asides)
            .collect::<Vec<_>>()
    };
    let (own, asides) = (by_role(false), by_role(true));
    let mut text = format!(
        "{}; {}; {} of server CPU, median of {} rounds (least to most):\n\n{}",
        growth.server,
        growth.axis.how,
        growth.axis.unit.name(),
        growth.rounds,
        costs(growth, &own),
    );
    if !asides.is_empty() {
        text += &format!("\n{}", costs(growth, &asides));
    }
    if growth.axis.one.1 != 1.0 {
        text += &format!("\n{}", costs_of_one(growth, &own));
    }
    text + "\n" + &shapes(growth)
}

/// The same costs by size, for what is not counted one by one.
fn costs_of_one(growth: &Growth, curves: &[&Curve]) -> String {
    let (one, many) = growth.axis.one;
    let unit = growth.axis.unit;
    let names = curves.iter().map(|curve| curve.line.name);
    let mut text = format!(
        "| {} per {one}, median | {} |\n|---{}|\n",
        unit.name(),
        names.collect::<Vec<_>>().join(" | "),
        "|---".repeat(curves.len())
    );
    for (at, size) in growth.sizes.iter().enumerate() {
        let points = curves.iter().filter_map(|curve| curve.points().nth(at));
        let cells = points.map(|(size, cost)| short(unit.of(cost.middle) / size * many));
        let cells: Vec<_> = cells.collect();
        text += &format!(
            "| {} | {} |\n",
            (growth.axis.size)(*size),
            cells.join(" | ")
        );
    }
    text
}

fn costs(growth: &Growth, curves: &[&Curve]) -> String {
    let unit = growth.axis.unit;
    let names = curves.iter().map(|curve| curve.line.name);
    let mut text = format!(
        "| {} | {} |\n|---{}|\n",
        growth.axis.what,
        names.collect::<Vec<_>>().join(" | "),
        "|---".repeat(curves.len())
    );
    for (at, size) in growth.sizes.iter().enumerate() {
        let cells = curves.iter().filter_map(|curve| curve.points().nth(at));
        let cells: Vec<_> = cells
            .map(|(_, cost)| {
                let [middle, low, high] =
                    [cost.middle, cost.low, cost.high].map(|seconds| short(unit.of(seconds)));
                format!("{middle} ({low} to {high})")
            })
            .collect();
        text += &format!(
            "| {} | {} |\n",
            (growth.axis.size)(*size),
            cells.join(" | ")
        );
    }
    text
}

fn shapes(growth: &Growth) -> String {
    let [first, last] = [0, growth.sizes.len() - 1].map(|at| (growth.axis.size)(growth.sizes[at]));
    let mut text = format!(
        "| | cost of {last} over {first} | exponent from size to size | upper half | spread | shape |\n\
         |---|---|---|---|---|---|\n"
    );
    for curve in &growth.curves {
        let upper = curve.upper_exponent();
        let exponents = curve.exponents().into_iter().map(exponent);
        text += &format!(
            "| {} | {} | {} | {} | {} | {} |\n",
            curve.line.name,
            short(curve.factor()),
            exponents.collect::<Vec<_>>().join(" "),
            exponent(upper.middle),
            spread(upper),
            shape(growth, curve),
        );
    }
    text
}

fn spread(spread: Spread) -> String {
    format!("{} to {}", exponent(spread.low), exponent(spread.high))
}

fn exponent(value: f64) -> String {
    // Not -0.00.
    format!("{:.2}", (value * 100.0).round() / 100.0 + 0.0)
}

fn shape(growth: &Growth, curve: &Curve) -> String {
    let unit = growth.axis.unit;
    let cost = |seconds: f64| format!("{} {}", short(unit.of(seconds)), unit.name());
    match curve.shape(&growth.curves) {
        Shape::Constant => "constant".into(),
        Shape::Logarithmic => "logarithmic".into(),
        Shape::Linear { base, each } => {
            let (one, many) = growth.axis.one;
            let each = format!("{} per {one}", cost(each * many));
            match base > 0.0 {
                true => format!("linear: {} and {each}", cost(base)),
                false => format!("linear: {each}"),
            }
        }
        Shape::LikeCounterpart => {
            format!("as steep as {}", curve.line.counterpart.unwrap_or_default())
        }
        // Plain commands are not to blame on anybody here.
        Shape::Superlinear if curve.line.is_control => "steeper than linear".into(),
        Shape::Superlinear => "SUPERLINEAR".into(),
    }
}

/// A number with three digits that count.
fn short(value: f64) -> String {
    let places = match value.abs() {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        v if v >= 1.0 => 2,
        v if v >= 0.1 => 3,
        _ => 4,
    };
    format!("{value:.places$}")
}

/// What is steeper than it may be.
pub fn superlinear<'a>(all: &[&'a Growth]) -> Vec<&'a str> {
    let names = all.iter().flat_map(|growth| {
        let own = growth.curves.iter().filter(|curve| !curve.line.is_control);
        let steep = own.filter(|curve| curve.shape(&growth.curves) == Shape::Superlinear);
        steep.map(|curve| curve.line.name)
    });
    names.collect()
}

/// The same for people who rather look.
pub fn panels(all: &[&Growth]) -> Vec<Panel> {
    let panel = |growth: &Growth| {
        let curves = growth.curves.iter();
        let lines = curves.filter(|curve| !curve.line.is_aside);
        Panel {
            x: growth.axis.what,
            sizes: growth.sizes.iter().map(|&size| size as f64).collect(),
            size: growth.axis.size,
            lines: lines.map(line).collect(),
        }
    };
    all.iter().map(|growth| panel(growth)).collect()
}

fn line(curve: &Curve) -> plot::Line {
    plot::Line {
        name: curve.line.name,
        is_control: curve.line.is_control,
        points: curve
            .points()
            .map(|(size, cost)| plot::Point {
                size,
                low: cost.low * 1e6,
                middle: cost.middle * 1e6,
                high: cost.high * 1e6,
            })
            .collect(),
    }
}
