//! The instructions of a command, under a name that stays the same from run to run.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Count {
    /// What it was counted with.
    pub part: String,
    pub case: String,
    /// Which keys it is about, where that makes a difference.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub keys: String,
    pub instructions: f64,
    /// How much higher than that, as a share of it, the highest of all servers was.
    pub differs: f64,
}

impl Count {
    /// The lowest of what some servers counted.
    pub fn of(case: &str, keys: &str, servers: &[f64]) -> Count {
        let lowest = servers.iter().copied().fold(f64::MAX, f64::min);
        let highest = servers.iter().copied().fold(0.0, f64::max);
        Count {
            part: String::new(),
            case: case.into(),
            keys: keys.into(),
            instructions: lowest,
            differs: highest / lowest - 1.0,
        }
    }

    pub fn name(&self) -> (&str, &str, &str) {
        (&self.part, &self.case, &self.keys)
    }

    /// With as many digits as a record needs.
    pub fn rounded(&self) -> Count {
        Count {
            instructions: self.instructions.round(),
            differs: (self.differs * 10_000.0).round() / 10_000.0,
            ..self.clone()
        }
    }
}
