//! Namespaces, whose commands use no keys.

use super::{NS, Row, reads, refuses, writes};

pub const ROWS: &[Row] = &[
    writes(
        &[],
        "KEYNS.NS.SET user PATTERN user:<id:int> TTL 60 CLASS TEMPORARY TYPE hash OWNER web READERS audit,ops DESC Who~is~there",
        &[],
    ),
    reads(&[NS], "KEYNS.NS.GET user", &[]),
    reads(&[NS], "KEYNS.NS.LIST u*", &[]),
    writes(&[NS], "KEYNS.NS.DEL user other", &[]),
    refuses(&[NS], "KEYNS.NS.DEL other", &[]),
    writes(
        &[NS],
        "KEYNS.NS.LOAD {\"namespaces\":[{\"name\":\"cart\",\"pattern\":\"cart:<id>\"}]} FLUSH",
        &[],
    ),
    refuses(
        &[NS],
        "KEYNS.NS.LOAD {\"namespaces\":[{\"name\":\"cart\",\"pattern\":\"cart:<id>\"}]} REPLACE DRYRUN",
        &[],
    ),
    reads(&[NS], "KEYNS.NS.DUMP MARKDOWN", &[]),
    writes(&[], "KEYNS.NS.PRESET general REPLACE", &[]),
    refuses(&[], "KEYNS.NS.PRESET general FLUSH DRYRUN", &[]),
    reads(&[NS], "KEYNS.KEY user 7 WITHTTL", &[]),
];
