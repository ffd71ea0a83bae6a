//! The namespaces that come with the module, as data.

use keyns_core::argument::{Error, Result};

const PRESETS: [(&str, &str); 5] = [
    ("documents", include_str!("../../../presets/documents.json")),
    ("content", include_str!("../../../presets/content.json")),
    (
        "projections",
        include_str!("../../../presets/projections.json"),
    ),
    ("campaigns", include_str!("../../../presets/campaigns.json")),
    ("general", include_str!("../../../presets/general.json")),
];

/// The JSON text of the preset with this name, in any case.
pub fn find(name: &[u8]) -> Result<&'static str> {
    let mut presets = PRESETS.into_iter();
    let found = presets.find(|(preset, _)| preset.as_bytes().eq_ignore_ascii_case(name));
    found.map(|(_, json)| json).ok_or_else(|| Error::NotOneOf {
        option: "preset",
        allowed: "documents, content, projections, campaigns or general",
        got: name.to_vec(),
    })
}
