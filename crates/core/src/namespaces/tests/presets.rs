//! The presets that ship with the module.

use serde_json::Value;

use super::*;

const PRESETS: [(&str, &str); 5] = [
    (
        "campaigns",
        include_str!("../../../../../presets/campaigns.json"),
    ),
    (
        "content",
        include_str!("../../../../../presets/content.json"),
    ),
    (
        "documents",
        include_str!("../../../../../presets/documents.json"),
    ),
    (
        "general",
        include_str!("../../../../../presets/general.json"),
    ),
    (
        "projections",
        include_str!("../../../../../presets/projections.json"),
    ),
];
const FORMATS: &str = include_str!("../../../../../tests/data/seed_formats.json");

fn preset(name: &str) -> Registry {
    let (_, json) = PRESETS.iter().find(|(preset, _)| *preset == name).unwrap();
    let mut registry = Registry::new();
    registry
        .load(json.as_bytes(), Existing::Replace, usize::MAX)
        .unwrap();
    registry
}

#[test]
fn presets_load_alone_and_together() {
    let mut all = Registry::new();
    for (name, json) in PRESETS {
        let registry = preset(name);
        all.load(json.as_bytes(), Existing::Replace, usize::MAX)
            .unwrap();
        assert_eq!(registry.to_json().trim_end(), json.trim_end(), "{name}");
        for namespace in registry.iter() {
            let example = namespace.pattern().example().unwrap();
            let found = registry.find(example.as_bytes()).unwrap().namespace;
            assert_eq!(found.name(), namespace.name(), "{example}");
        }
    }
}

#[test]
fn presets_build_and_find_the_formats_they_come_from() {
    let formats: Vec<Value> = serde_json::from_str(FORMATS).unwrap();
    assert!(!formats.is_empty());
    for format in &formats {
        let text = |field: &str| format[field].as_str().unwrap();
        let registry = preset(text("preset"));
        let found = registry.find(text("key").as_bytes());
        let name = found.map(|found| found.namespace.name());
        assert_eq!(name, Some(text("namespace")), "{format}");
        let values: Vec<&str> = format["values"]
            .as_array()
            .unwrap()
            .iter()
            .map(|value| value.as_str().unwrap())
            .collect();
        let name = text("namespace").as_bytes();
        let built = with_defaults(|building, key| registry.build(name, &values, building, key));
        assert_eq!(built.as_deref(), Ok(text("key")), "{format}");
    }
}
