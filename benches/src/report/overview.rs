//! What leads the page: a picture of the tasks people have, and the same as a table.

use super::bars::{Bar, Figure, Group, Kind, Panel};
use super::{INCR_RANDOM, Recorded, Spread};

/// A task, and who does it by what: the part, the case and the keys of the record.
struct Task {
    name: &'static str,
    part: &'static str,
    keys: &'static str,
    ours: &'static str,
    others: &'static [(Kind, &'static str)],
}

const TASKS: [Task; 9] = [
    Task {
        name: "rate limit, allowed",
        part: "rate",
        keys: "random",
        ours: "KEYNS.RATE BUCKET, allowed",
        others: &[
            (Kind::RedisCell, "CL.THROTTLE, allowed"),
            (Kind::Lua, "Lua, token bucket, allowed"),
        ],
    },
    Task {
        name: "rate limit, denied",
        part: "rate",
        keys: "one",
        ours: "KEYNS.RATE BUCKET, denied",
        others: &[
            (Kind::RedisCell, "CL.THROTTLE, denied"),
            (Kind::Lua, "Lua, token bucket, denied"),
        ],
    },
    Task {
        name: "sliding window",
        part: "rate",
        keys: "random",
        ours: "KEYNS.RATE SLIDING, max 100, allowed",
        others: &[(Kind::Lua, "Lua, sliding log, allowed")],
    },
    Task {
        name: "lock, taken",
        part: "coordination",
        keys: "each once",
        ours: "KEYNS.LOCK, taken",
        others: &[
            (Kind::Plain, "SET NX EX, new"),
            (Kind::Lua, "Lua for KEYNS.LOCK, taken"),
        ],
    },
    Task {
        name: "event, seen before",
        part: "coordination",
        keys: "random",
        ours: "KEYNS.SEEN, again",
        others: &[
            (Kind::Plain, "SET NX EX, refused"),
            (Kind::Lua, "Lua for KEYNS.SEEN, again"),
        ],
    },
    Task {
        name: "revision, moved",
        part: "coordination",
        keys: "random",
        ours: "KEYNS.ADVANCE, moved",
        others: &[(Kind::Lua, "Lua for KEYNS.ADVANCE, moved")],
    },
    Task {
        name: "counter of a day",
        part: "coordination",
        keys: "random",
        ours: "KEYNS.COUNT, DAY",
        others: &[(Kind::Lua, "Lua for KEYNS.COUNT, DAY")],
    },
    Task {
        name: "counters of three grains",
        part: "coordination",
        keys: "random",
        ours: "KEYNS.COUNT, YEAR, MONTH and DAY",
        others: &[(Kind::Lua, "Lua for KEYNS.COUNT, YEAR, MONTH and DAY")],
    },
    Task {
        name: "a new name",
        part: "naming",
        keys: "",
        ours: "KEYNS.MAKE, one prefix",
        others: &[(
            Kind::Lua,
            "EVALSHA, what MAKE does with the slug given, one prefix",
        )],
    },
];

/// What a client waits for: the operation, what it does without the module, in short, and what it
/// does with it.
const WAITS: [(&str, &str, &str, &str); 5] = [
    (
        "a new name",
        "a slug, INCR, EXISTS",
        "INCR, EXISTS",
        "KEYNS.MAKE",
    ),
    (
        "a token bucket",
        "EVALSHA of a Lua script",
        "Lua script",
        "KEYNS.RATE BUCKET",
    ),
    (
        "a sliding window",
        "MULTI with ZREMRANGEBYSCORE, ZADD, ZCARD, PEXPIRE",
        "MULTI",
        "KEYNS.RATE SLIDING",
    ),
    (
        "a lock, taken and released",
        "the Lock of redis-py",
        "its Lock",
        "KEYNS.LOCK, KEYNS.UNLOCK",
    ),
    (
        "counters of year, month and day",
        "MULTI with three INCR and EXPIRE",
        "MULTI",
        "KEYNS.COUNT",
    ),
];

impl Task {
    fn spread(&self, recorded: &Recorded, case: &str) -> Option<Spread> {
        let ratio = recorded.find(self.part, case, self.keys, INCR_RANDOM)?;
        Some(ratio.spread)
    }

    fn other(&self, recorded: &Recorded, kind: Kind) -> Option<Spread> {
        let (_, case) = self.others.iter().find(|(other, _)| *other == kind)?;
        self.spread(recorded, case)
    }

    /// Which keys it is about, in words.
    fn keys(&self) -> &str {
        match self.keys {
            "random" => "100,000 keys",
            "one" => "one key",
            "each once" => "new keys",
            _ => "one prefix",
        }
    }
}

/// What a document takes, over what it takes with KEYNS.INGESTMD.
fn document(recorded: &Recorded) -> Vec<Bar> {
    let part = "documents-speed";
    let ingest = recorded.find(part, "KEYNS.INGESTMD, TCP, time", "", "pipeline");
    let redis_py = recorded.find(part, "redis-py", "", "KEYNS.INGESTMD, TCP");
    let pipeline = ingest.map(|ratio| Bar {
        kind: Kind::Plain,
        name: "prebuilt pipeline".into(),
        spread: inverse(&ratio.spread),
    });
    let redis_py = redis_py.map(|ratio| Bar {
        kind: Kind::Python,
        name: "markdown-it, MULTI".into(),
        spread: ratio.spread,
    });
    pipeline.into_iter().chain(redis_py).collect()
}

fn inverse(spread: &Spread) -> Spread {
    Spread {
        low: 1.0 / spread.high,
        lower: 1.0 / spread.upper,
        middle: 1.0 / spread.middle,
        upper: 1.0 / spread.lower,
        high: 1.0 / spread.low,
        rounds: spread.rounds,
    }
}

pub fn figure(recorded: &Recorded) -> Figure {
    let setting = recorded.measured.get("rate").cloned();
    Figure {
        title: "What KEYNS costs, beside what does the same".into(),
        notes: vec![
            "Bars are medians, lines reach from the lowest round to the highest.".into(),
            setting.unwrap_or_default(),
        ],
        panels: vec![
            Panel {
                title: "Server CPU per command, INCR on 100,000 keys = 1".into(),
                groups: costs(recorded),
            },
            Panel {
                title: "Time of an operation in redis-py without the module, with it = 1".into(),
                groups: waits(recorded),
            },
            Panel {
                title: "Time of an ingest, KEYNS.INGESTMD = 1".into(),
                groups: vec![Group {
                    name: "a document of 221 KB".into(),
                    detail: "3,492 keys".into(),
                    bars: document(recorded),
                }],
            },
        ],
    }
}

fn costs(recorded: &Recorded) -> Vec<Group> {
    let group = |task: &Task| {
        let bar = |kind: Kind, case: &str| {
            Some(Bar {
                kind,
                name: command(kind, case),
                spread: task.spread(recorded, case)?,
            })
        };
        let ours = bar(Kind::Ours, task.ours);
        let others = task.others.iter();
        let others = others.filter_map(|(kind, other)| bar(*kind, other));
        Group {
            name: task.name.into(),
            detail: task.keys().into(),
            bars: ours.into_iter().chain(others).collect(),
        }
    };
    let groups = TASKS.iter().map(group);
    groups.filter(|group| !group.bars.is_empty()).collect()
}

/// What is called, from the name of a case.
fn command(kind: Kind, case: &str) -> String {
    match kind {
        Kind::Lua => "Lua script".into(),
        _ => case.split(',').next().unwrap_or(case).into(),
    }
}

fn waits(recorded: &Recorded) -> Vec<Group> {
    let group = |(name, without, short, with): &(&str, &str, &str, &str)| {
        let ratio = recorded.find("clients", without, name, with);
        let bar = ratio.map(|ratio| Bar {
            kind: Kind::Python,
            name: (*short).into(),
            spread: ratio.spread,
        });
        Group {
            name: (*name).into(),
            detail: String::new(),
            bars: bar.into_iter().collect(),
        }
    };
    let groups = WAITS.iter().map(group);
    groups.filter(|group| !group.bars.is_empty()).collect()
}

/// The first panel of the figure.
pub fn table(recorded: &Recorded) -> String {
    let mut table = String::from(
        "| x INCR on random keys | keys | KEYNS | plain command | redis-cell | Lua |\n|---|---|---|---|---|---|",
    );
    for task in &TASKS {
        let cell = |spread: Option<Spread>| match spread {
            Some(spread) => format!("{:.2}", spread.middle),
            None => String::new(),
        };
        let other = |kind| cell(task.other(recorded, kind));
        table += &format!(
            "\n| {}, `{}` | {} | {} | {} | {} | {} |",
            task.name,
            command(Kind::Ours, task.ours),
            task.keys(),
            cell(task.spread(recorded, task.ours)),
            other(Kind::Plain),
            other(Kind::RedisCell),
            other(Kind::Lua),
        );
    }
    table
}
