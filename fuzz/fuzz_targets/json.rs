//! Any JSON makes a registry, or a plain error and nothing else; what a registry writes, it reads.
#![no_main]

use keyns_core::namespaces::{Existing, Registry, acl, markdown};
use keyns_core::naming::slug::Abbreviations;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|json: &[u8]| {
    if let Err(error) = Abbreviations::from_json(json) {
        assert!(error.to_string().is_ascii());
    }
    let mut registry = Registry::new();
    let Ok(count) = registry.load(json, Existing::Refuse, 100) else {
        return assert!(registry.is_empty());
    };
    assert_eq!(registry.len(), count);
    for way in [Existing::Refuse, Existing::Replace, Existing::Flush] {
        let mut again = registry.clone();
        assert_eq!(again.load(json, way, 100), Ok(count));
        assert_eq!(again, registry);
    }
    let written = registry.to_json();
    let mut read = Registry::new();
    assert_eq!(
        read.load(written.as_bytes(), Existing::Refuse, 100),
        Ok(count)
    );
    assert_eq!(read, registry);
    assert_eq!(read.to_json(), written);
    let _ = (acl(&registry, ["KEYNS.NS.SET"]), markdown(&registry));
});
