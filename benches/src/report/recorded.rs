//! The ratios of the last runs, benches/recorded.json: a line for each, so that a change is a line.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use keyns_testkit::repository;
use serde::{Deserialize, Serialize};

use super::{Findings, Ratio};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// When and where each part was measured.
    pub measured: BTreeMap<String, String>,
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
        let mut ratios: Vec<&Ratio> = self.ratios.iter().collect();
        ratios.sort_by_key(|ratio| ratio.name());
        let line = |ratio: &&Ratio| format!("    {}", json(ratio));
        let ratios: Vec<String> = ratios.iter().map(line).collect();
        let line = |(part, setting)| format!("    {}: {}", json(part), json(setting));
        let measured: Vec<String> = self.measured.iter().map(line).collect();
        format!(
            "{{\n  \"measured\": {{\n{}\n  }},\n  \"ratios\": [\n{}\n  ]\n}}\n",
            measured.join(",\n"),
            ratios.join(",\n")
        )
    }

    /// Puts what a run found in the place of what its part has had. Other parts stay.
    pub fn take(&mut self, findings: &Findings) {
        self.ratios.retain(|ratio| ratio.part != findings.part);
        let ratios = findings.ratios.iter().cloned();
        self.ratios.extend(ratios.map(|ratio| Ratio {
            spread: ratio.spread.rounded(),
            ..ratio
        }));
        let setting = (findings.part.clone(), findings.setting.clone());
        self.measured.extend([setting]);
    }

    /// The ratios of some parts.
    pub fn of_parts<'a>(&'a self, parts: &'a [&str]) -> impl Iterator<Item = &'a Ratio> {
        let ratios = self.ratios.iter();
        ratios.filter(|ratio| parts.contains(&ratio.part.as_str()))
    }

    pub fn find(&self, part: &str, case: &str, keys: &str, over: &str) -> Option<&Ratio> {
        let name = (part, case, keys, over);
        self.ratios.iter().find(|ratio| ratio.name() == name)
    }
}

fn json(value: impl Serialize) -> String {
    serde_json::to_string(&value).expect("it can be written as JSON")
}
