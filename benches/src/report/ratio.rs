//! A ratio under a name that stays the same from run to run, and what many rounds made of it.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// What it was measured with.
    pub part: String,
    pub case: String,
    /// Which keys it is about, where that makes a difference.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub keys: String,
    /// What the case is measured over.
    pub over: String,
    pub wanted: Wanted,
    #[serde(flatten)]
    pub spread: Spread,
}

/// What is good.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wanted {
    Less,
    More,
    /// It is not about us.
    Either,
}

impl Wanted {
    /// What costs, should cost little if it is ours.
    pub fn of_cost(case: &str) -> Wanted {
        match case.starts_with("KEYNS.") {
            true => Wanted::Less,
            false => Wanted::Either,
        }
    }
}

impl Ratio {
    pub fn name(&self) -> (&str, &str, &str, &str) {
        (&self.part, &self.case, &self.keys, &self.over)
    }
}

/// With fewer rounds than this the middle half of them says nothing.
pub const ENOUGH: usize = 7;

/// What many rounds measured, in five numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    pub low: f64,
    /// A quarter of the rounds is below this.
    pub lower: f64,
    #[serde(rename = "median")]
    pub middle: f64,
    /// A quarter of the rounds is above this.
    pub upper: f64,
    pub high: f64,
    /// How many there were.
    pub rounds: usize,
}

impl Spread {
    /// Of what does not differ from round to round, as memory does not.
    pub fn exact(value: f64) -> Spread {
        Spread::of([value; ENOUGH])
    }

    pub fn of(values: impl IntoIterator<Item = f64>) -> Spread {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len() - 1;
        let at = |share: f64| sorted[(last as f64 * share).round() as usize];
        Spread {
            low: at(0.0),
            lower: at(0.25),
            middle: at(0.5),
            upper: at(0.75),
            high: at(1.0),
            rounds: sorted.len(),
        }
    }

    /// Of one over the other, round by round.
    pub fn of_ratios(ones: &[f64], others: &[f64]) -> Spread {
        Spread::of(ones.iter().zip(others).map(|(one, other)| one / other))
    }

    /// From the least to the greatest, as tables have it.
    pub fn range(&self) -> String {
        format!("{:.2} to {:.2}", self.low, self.high)
    }

    /// With as many digits as a record needs.
    pub fn rounded(&self) -> Spread {
        let round = |value: f64| (value * 1000.0).round() / 1000.0;
        Spread {
            low: round(self.low),
            lower: round(self.lower),
            middle: round(self.middle),
            upper: round(self.upper),
            high: round(self.high),
            rounds: self.rounds,
        }
    }
}
