//! Rate limits.

use super::{Holds::*, Row, read, reads, refuses, update, writes};

const TAKEN: &str = "KEYNS.RATE {acme}:r SLIDING 1 1h";

pub const ROWS: &[Row] = &[
    writes(
        &[],
        "KEYNS.RATE {acme}:r BUCKET 10 1 1s FIXED 100 1m SLIDING 50 1h COST 2 MAP",
        &[update("{acme}:r", Text)],
    )
    .varies(),
    refuses(&[TAKEN], TAKEN, &[update("{acme}:r", Text)]).varies(),
    writes(
        &["KEYNS.RATE {acme}:s FIXED 100 1d"],
        "KEYNS.RATE.ALL 2 {acme}:r {acme}:s BUCKET 10 1 1s FIXED 100 1m AND SLIDING 50 1h COST 2 MAP",
        &[update("{acme}:r", Text), update("{acme}:s", Text)],
    )
    .varies(),
    writes(
        &["KEYNS.RATE {acme}:r FIXED 100 1d"],
        "KEYNS.RATE.ALL 3 {acme}:r {acme}:s {acme}:t SLIDING 50 1h",
        &[
            update("{acme}:r", Text),
            update("{acme}:s", Text),
            update("{acme}:t", Text),
        ],
    )
    .varies(),
    refuses(
        &[TAKEN],
        "KEYNS.RATE.ALL 2 {acme}:s {acme}:r FIXED 9 1d AND SLIDING 1 1h",
        &[update("{acme}:s", Text), update("{acme}:r", Text)],
    )
    .varies(),
    reads(
        &[TAKEN],
        "KEYNS.RATE.PEEK {acme}:r SLIDING 1 1h BUCKET 5 1 1s FIXED 9 1d COST 1 MAP",
        &[read("{acme}:r", Text)],
    )
    .varies(),
    writes(
        &["KEYNS.RATE {acme}:r SLIDING 5 1h COST 2"],
        "KEYNS.RATE.REFUND {acme}:r SLIDING 5 1h BUCKET 5 1 1s FIXED 9 1d COST 1 MAP",
        &[update("{acme}:r", Text)],
    )
    .varies(),
    refuses(
        &[],
        "KEYNS.RATE.REFUND {acme}:r SLIDING 1 1h COST 1",
        &[update("{acme}:r", Text)],
    )
    .varies(),
    writes(
        &[],
        "KEYNS.RATE.BLOCK {acme}:r 1h",
        &[update("{acme}:r", Text)],
    )
    .varies(),
    writes(
        &[],
        "KEYNS.THROTTLE {acme}:r 15 30 36000 1",
        &[update("{acme}:r", Text)],
    )
    .varies(),
    refuses(
        &["KEYNS.THROTTLE {acme}:r 0 1 3600 1"],
        "KEYNS.THROTTLE {acme}:r 0 1 3600 1",
        &[update("{acme}:r", Text)],
    )
    .varies(),
];
