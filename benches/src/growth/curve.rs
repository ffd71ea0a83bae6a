//! What one command cost at every size.

use super::shape::{self, Shape};
use crate::report::Spread;

/// A command that is measured.
pub struct Line {
    pub name: &'static str,
    /// Whether it is a plain command, for what grows because the server does.
    pub is_control: bool,
    /// Whether it is in a table of its own, and not in the picture.
    pub is_aside: bool,
    /// The plain command that does the same kind of work on as much data.
    pub counterpart: Option<&'static str>,
}

impl Line {
    pub const fn own(name: &'static str) -> Line {
        Line {
            name,
            is_control: false,
            is_aside: false,
            counterpart: None,
        }
    }

    pub const fn control(name: &'static str) -> Line {
        let mut line = Line::own(name);
        line.is_control = true;
        line
    }

    pub const fn aside(mut self) -> Line {
        self.is_aside = true;
        self
    }

    pub const fn beside(mut self, counterpart: &'static str) -> Line {
        self.counterpart = Some(counterpart);
        self
    }
}

pub struct Curve {
    pub line: Line,
    sizes: Vec<f64>,
    /// In seconds, by size and round.
    costs: Vec<Vec<f64>>,
}

impl Curve {
    pub fn new(line: Line, sizes: &[usize]) -> Curve {
        Curve {
            line,
            sizes: sizes.iter().map(|&size| size as f64).collect(),
            costs: vec![Vec::new(); sizes.len()],
        }
    }

    pub fn add(&mut self, at: usize, cost: f64) {
        self.costs[at].push(cost);
    }

    /// The size and what it cost.
    pub fn points(&self) -> impl Iterator<Item = (f64, Spread)> {
        let costs = self.costs.iter();
        let costs = costs.map(|costs| Spread::of(costs.iter().copied()));
        self.sizes.iter().copied().zip(costs)
    }

    fn medians(&self) -> Vec<(f64, f64)> {
        let points = self.points();
        points.map(|(size, cost)| (size, cost.middle)).collect()
    }

    /// How many times as much the last size costs as the first.
    pub fn factor(&self) -> f64 {
        let medians = self.medians();
        medians[medians.len() - 1].1 / medians[0].1
    }

    /// The exponents between neighbours: 0 if the cost stays, 1 if it doubles where the size does.
    pub fn exponents(&self) -> Vec<f64> {
        let medians = self.medians();
        medians.windows(2).map(shape::exponent).collect()
    }

    /// The exponent over the upper half of the sizes, round by round.
    pub fn upper_exponent(&self) -> Spread {
        let middle = (self.sizes[0] * self.sizes[self.sizes.len() - 1]).sqrt();
        let upper = |at: &usize| self.sizes[*at] >= middle;
        let rounds = 0..self.costs[0].len();
        Spread::of(rounds.map(|round| {
            let places = (0..self.sizes.len()).filter(upper);
            let points: Vec<_> = places
                .map(|at| (self.sizes[at], self.costs[at][round]))
                .collect();
            shape::exponent(&points)
        }))
    }

    pub fn shape(&self, others: &[Curve]) -> Shape {
        let mut others = others.iter();
        let counterpart = others.find(|other| self.line.counterpart == Some(other.line.name));
        let counterpart = counterpart.map(|other| other.upper_exponent().middle);
        Shape::of(&self.medians(), self.upper_exponent(), counterpart)
    }
}
