//! The counts and ratios of the last runs, benches/recorded.json: a line for each, so that a change is
//! a line.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use keyns_testkit::repository;
use serde::{Deserialize, Serialize};

use super::{Count, Findings, Ratio};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// When and where each part was measured.
    pub measured: BTreeMap<String, String>,
    #[serde(default)]
    pub instructions: Vec<Count>,
    pub ratios: Vec<Ratio>,
}

impl Recorded {
    pub fn path() -> PathBuf {
        repository().join("benches/recorded.json")
    }

    /// What is recorded, nothing where there is no file yet.
    pub fn read() -> Recorded {
        match fs::read_to_string(Recorded::path()) {
            Ok(json) => Recorded::from_json(&json),
            Err(_) => Recorded::default(),
        }
    }

    pub fn write(&self) {
        fs::write(Recorded::path(), self.to_json()).expect("benches/recorded.json can be written");
    }

    pub fn from_json(json: &str) -> Recorded {
        serde_json::from_str(json).expect("benches/recorded.json is what a run has written")
    }

    pub fn to_json(&self) -> String {
        let mut counts: Vec<&Count> = self.instructions.iter().collect();
        counts.sort_by_key(|count| count.name());
        let mut ratios: Vec<&Ratio> = self.ratios.iter().collect();
        ratios.sort_by_key(|ratio| ratio.name());
        let line = |(part, setting)| format!("    {}: {}", json(part), json(setting));
        let measured: Vec<String> = self.measured.iter().map(line).collect();
        format!(
            "{{\n  \"measured\": {{\n{}\n  }},\n  \"instructions\": [\n{}\n  ],\n  \"ratios\": [\n{}\n  ]\n}}\n",
            measured.join(",\n"),
            lines(&counts),
            lines(&ratios)
        )
    }

    /// Puts what a run found in the place of what its part has had. Other parts stay.
    pub fn take(&mut self, findings: &Findings) {
        self.ratios.retain(|ratio| ratio.part != findings.part);
        self.instructions
            .retain(|count| count.part != findings.part);
        let counts = findings.counts.iter().map(Count::rounded);
        self.instructions.extend(counts);
        let ratios = findings.ratios.iter().cloned();
        self.ratios.extend(ratios.map(|ratio| Ratio {
            spread: ratio.spread.rounded(),
            ..ratio
        }));
        let setting = (findings.part.clone(), findings.setting.clone());
        self.measured.extend([setting]);
    }

    /// Whether what is recorded of a part is about the same server: others take other instructions.
    pub fn is_of_server(&self, findings: &Findings) -> bool {
        let server = |setting: &str| setting.split(',').next().map(str::to_owned);
        let recorded = self.measured.get(&findings.part);
        recorded.is_some_and(|recorded| server(recorded) == server(&findings.setting))
    }

    /// The ratios of some parts.
    pub fn of_parts<'a>(&'a self, parts: &'a [&str]) -> impl Iterator<Item = &'a Ratio> {
        let ratios = self.ratios.iter();
        ratios.filter(|ratio| parts.contains(&ratio.part.as_str()))
    }

    pub fn count(&self, part: &str, case: &str, keys: &str) -> Option<&Count> {
        let name = (part, case, keys);
        self.instructions.iter().find(|count| count.name() == name)
    }

    /// The counts of a part.
    pub fn counts<'a>(&'a self, part: &'a str) -> impl Iterator<Item = &'a Count> {
        let counts = self.instructions.iter();
        counts.filter(move |count| count.part == part)
    }
}

fn lines(values: &[impl Serialize]) -> String {
    let line = |value| format!("    {}", json(value));
    let lines: Vec<String> = values.iter().map(line).collect();
    lines.join(",\n")
}

fn json(value: impl Serialize) -> String {
    serde_json::to_string(&value).expect("it can be written as JSON")
}
