//! One axis: the sizes of the work, and what commands cost at each of them.

use keyns_testkit::Random;

use super::curve::{Curve, Line};

/// What is made larger, and how it is shown.
pub struct Axis {
    /// What the sizes count.
    pub what: &'static str,
    /// What the cost of one more is about, and how many of them that is.
    pub one: (&'static str, f64),
    pub size: fn(usize) -> String,
    pub unit: Unit,
    pub full_rounds: usize,
    /// How the samples were taken, for the line above the tables.
    pub how: &'static str,
}

/// Of the times in the tables.
#[derive(Clone, Copy)]
pub enum Unit {
    Microseconds,
    Milliseconds,
}

impl Unit {
    pub fn name(self) -> &'static str {
        match self {
            Unit::Microseconds => "us",
            Unit::Milliseconds => "ms",
        }
    }

    pub fn of(self, seconds: f64) -> f64 {
        match self {
            Unit::Microseconds => seconds * 1e6,
            Unit::Milliseconds => seconds * 1e3,
        }
    }
}

/// What was measured.
pub struct Growth {
    pub axis: Axis,
    pub server: String,
    pub rounds: usize,
    pub sizes: Vec<usize>,
    pub curves: Vec<Curve>,
}

impl Growth {
    /// Has `costs` say what each line costs at a size, in seconds, round after round. The order of
    /// the sizes is another one in every round, so that a moment of noise does not look like a trend.
    pub fn measure<const LINES: usize>(
        axis: Axis,
        effort: &Effort,
        sizes: Vec<usize>,
        lines: [Line; LINES],
        mut costs: impl FnMut(usize) -> [f64; LINES],
    ) -> Growth {
        let mut curves = lines.map(|line| Curve::new(line, &sizes));
        let mut random = Random::seeded(1);
        let rounds = effort.rounds(axis.full_rounds);
        // The first round warms everything up.
        for round in 0..=rounds {
            let mut order: Vec<usize> = (0..sizes.len()).collect();
            random.shuffle(&mut order);
            for at in order {
                for (curve, cost) in curves.iter_mut().zip(costs(at)) {
                    if round > 0 {
                        curve.add(at, cost);
                    }
                }
            }
        }
        Growth {
            axis,
            server: String::new(),
            rounds,
            sizes,
            curves: curves.into(),
        }
    }

    pub fn on(mut self, server: String) -> Growth {
        self.server = server;
        self
    }
}

/// A size with commas between thousands.
pub fn count(size: usize) -> String {
    let digits = size.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).expect("digits"))
        .collect();
    groups.join(",")
}

/// All there is, or so much that one sees whether it works.
pub enum Effort {
    Full,
    Quick,
}

impl Effort {
    /// What KEYNS_BENCH_QUICK says.
    pub fn wanted() -> Effort {
        match std::env::var("KEYNS_BENCH_QUICK").as_deref() {
            Err(_) | Ok("" | "0") => Effort::Full,
            Ok(_) => Effort::Quick,
        }
    }

    pub fn is_quick(&self) -> bool {
        matches!(self, Effort::Quick)
    }

    pub fn rounds(&self, full: usize) -> usize {
        match self {
            Effort::Full => full,
            Effort::Quick => 1,
        }
    }

    /// The sizes of an axis, without the largest ones if it has to be quick.
    pub fn sizes(&self, sizes: &[usize]) -> Vec<usize> {
        let left_out = match self {
            Effort::Full => 0,
            Effort::Quick => sizes.len() / 4,
        };
        sizes[..sizes.len() - left_out].to_vec()
    }
}
