//! The bytes of states. Keys outlive releases: if one of these tests fails, the change that made it
//! fail is a breaking one. Give the format a new version, go on reading the old one, and say so in
//! CHANGELOG.md.

use super::*;

/// A moment at which no byte of the time is a round one.
const NOW: u64 = 1_800_000_012_345_678;

fn hex(key: &Key) -> String {
    let bytes = key.value.as_deref().unwrap_or_default();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[track_caller]
fn is_written_as(key: &Key, bytes: &str) {
    assert_eq!(hex(key), bytes, "a breaking change: see CHANGELOG.md");
}

#[test]
fn a_bucket() {
    let mut key = Key::default();
    key.rate(&[bucket(10, 1, 1000)], 1, NOW);
    is_written_as(&key, "4ea15a670ecaa8d600002000");
    key.rate(&[bucket(10, 1, 1000)], 1, NOW + 300 * MS);
    is_written_as(&key, "2e355f670ecaa8ca66663600");
}

#[test]
fn buckets_of_other_widths() {
    let mut key = Key::default();
    key.rate(&[bucket(10, 1, 86_400_000)], 1, NOW);
    is_written_as(&key, "4ea15a670eca40d10000000080000000");
    let mut key = Key::default();
    key.rate(&[bucket(1 << 40, 1 << 40, 86_400_000)], 1 << 39, NOW);
    is_written_as(&key, "4ea15a670ecad0c000000000000000800000000000000000");
    let mut key = Key::default();
    key.rate(&[bucket(1 << 40, (1 << 40) + 1, 86_400_000)], 1 << 39, NOW);
    is_written_as(&key, "4ea15a670eca48df00000000000000000040000000000000");
}

#[test]
fn a_fixed_window() {
    let mut key = Key::default();
    key.rate(&[fixed(100, 60_000)], 7, NOW);
    is_written_as(&key, "4ea15a670ecab0e507000000");
    let mut key = Key::default();
    key.rate(&[fixed(1 << 40, 60_000)], 1 << 33, NOW);
    is_written_as(&key, "4ea15a670ecab8df0000000002000000");
}

#[test]
fn a_sliding_window() {
    let mut key = Key::default();
    key.rate(&[sliding(5, 1000)], 1, NOW);
    key.rate(&[sliding(5, 1000)], 1, NOW + 300 * MS);
    is_written_as(
        &key,
        "2e355f670ecac0dd0200000000000000020000004ea15a670eca2e355f670eca",
    );
}

#[test]
fn a_block() {
    let mut key = Key::default();
    key.block(10_000, NOW);
    is_written_as(&key, "ce37f3670ecac8e700000000");
    let mut key = Key::default();
    key.rate(&[bucket(10, 1, 1000)], 1, NOW);
    key.block(10_000, NOW);
    is_written_as(&key, "ce37f3670ecac8d9000000004ea15a670ecaa8d600002000");
}

#[test]
fn four_limits() {
    let rules = [
        sliding(10, 1000),
        bucket(10, 1, 1000),
        fixed(1000, 3_600_000),
        bucket(500, 100, 60_000),
    ];
    let mut key = Key::default();
    key.rate(&rules, 2, NOW);
    is_written_as(
        &key,
        "4ea15a670ecac0d70200000000000000020000004ea15a670ecaa8e2000040004ea15a670ecab0eb020000004ea15a670ecaa8dc000040004ea15a670eca4ea15a670eca",
    );
}
