//! Locks, events, versions, checkpoints and counts.

use super::{Holds::*, Row, read, reads, refuses, update, writes};

const LOCKED: &str = "KEYNS.LOCK {acme}:lock ada PX 600000";

pub const ROWS: &[Row] = &[
    writes(&[], LOCKED, &[update("{acme}:lock", Text)]).varies(),
    refuses(
        &[LOCKED],
        "KEYNS.LOCK {acme}:lock bob PX 500000",
        &[update("{acme}:lock", Text)],
    )
    .varies(),
    writes(
        &[LOCKED],
        "KEYNS.EXTEND {acme}:lock ada PX 900000",
        &[update("{acme}:lock", Text)],
    )
    .varies(),
    writes(
        &[],
        "KEYNS.LOCK {acme}:lock ada EX 600",
        &[update("{acme}:lock", Text)],
    )
    .varies(),
    writes(
        &[LOCKED],
        "KEYNS.EXTEND {acme}:lock ada EX 15m",
        &[update("{acme}:lock", Text)],
    )
    .varies(),
    refuses(
        &[LOCKED],
        "KEYNS.EXTEND {acme}:lock bob PX 900000",
        &[update("{acme}:lock", Text)],
    ),
    writes(
        &[LOCKED],
        "KEYNS.UNLOCK {acme}:lock ada",
        &[update("{acme}:lock", Text)],
    ),
    refuses(
        &[LOCKED],
        "KEYNS.UNLOCK {acme}:lock bob",
        &[update("{acme}:lock", Text)],
    ),
    writes(
        &[],
        "KEYNS.SEEN {acme}:event:7 EX 10m",
        &[update("{acme}:event:7", Text)],
    )
    .varies(),
    refuses(
        &["KEYNS.SEEN {acme}:event:7"],
        "KEYNS.SEEN {acme}:event:7",
        &[update("{acme}:event:7", Text)],
    ),
    writes(
        &[],
        "KEYNS.ADVANCE {acme}:version 7 EX 600",
        &[update("{acme}:version", Text)],
    )
    .varies(),
    refuses(
        &["KEYNS.ADVANCE {acme}:version 7"],
        "KEYNS.ADVANCE {acme}:version 6",
        &[update("{acme}:version", Text)],
    ),
    writes(
        &[],
        "KEYNS.CHECKPOINT {acme}:reader 7 FORCE",
        &[update("{acme}:reader", Hash)],
    )
    .varies(),
    refuses(
        &["KEYNS.CHECKPOINT {acme}:reader 7"],
        "KEYNS.CHECKPOINT {acme}:reader 7",
        &[update("{acme}:reader", Hash)],
    )
    .varies(),
    writes(
        &[],
        "KEYNS.COUNT {acme}:hits BY 2 GRAIN YEAR GRAIN DAY AT 1794700800 KEEP 10m",
        &[
            update("{acme}:hits", Anything),
            update("{acme}:hits:2026", Text),
            update("{acme}:hits:2026:11:15", Text),
        ],
    )
    .varies(),
    refuses(
        &[],
        "KEYNS.COUNT {acme}:hits BY 0 GRAIN YEAR AT 1794700800",
        &[
            update("{acme}:hits", Anything),
            update("{acme}:hits:2026", Text),
        ],
    ),
    reads(
        &["KEYNS.COUNT {acme}:hits GRAIN DAY AT 1794700800"],
        "KEYNS.COUNT.RANGE {acme}:hits GRAIN DAY 1794614400 1794700800",
        &[
            read("{acme}:hits", Anything),
            read("{acme}:hits:2026:11:14", Text),
            read("{acme}:hits:2026:11:15", Text),
        ],
    ),
    reads(
        &["KEYNS.COUNT {acme}:hits GRAIN DAY AT 1794700800"],
        "KEYNS.COUNT.RANGE {acme}:hits 1794700800 1794700800 GRAIN DAY",
        &[
            read("{acme}:hits", Anything),
            read("{acme}:hits:2026:11:15", Text),
        ],
    ),
];
