//! A ratio under a name that stays the same from run to run.

use serde::{Deserialize, Serialize};

use super::Spread;

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
