//! The presets that ship with the module, as data.

use keyns_core::argument::Keyword;

/// The JSON text of a preset.
#[derive(Clone, Copy)]
pub struct Preset(pub &'static str);

impl Keyword for Preset {
    const WORDS: &'static [(&'static str, Preset)] = &[
        (
            "documents",
            Preset(include_str!("../../../presets/documents.json")),
        ),
        (
            "content",
            Preset(include_str!("../../../presets/content.json")),
        ),
        (
            "projections",
            Preset(include_str!("../../../presets/projections.json")),
        ),
        (
            "campaigns",
            Preset(include_str!("../../../presets/campaigns.json")),
        ),
        (
            "general",
            Preset(include_str!("../../../presets/general.json")),
        ),
    ];
}
