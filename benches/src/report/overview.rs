//! What leads the page: the tasks people have and what they cost, as a table and as a picture.

use super::bars::{Bar, Figure, Group, Kind, Panel};
use super::{Count, Recorded, grouped, times_incr};

/// A task, and who does it by what: cases of the record on the same keys.
struct Task {
    name: &'static str,
    part: &'static str,
    keys: &'static str,
    ours: &'static str,
    others: &'static [(Kind, &'static str)],
    /// Whether it is in the picture.
    is_drawn: bool,
}

impl Task {
    const fn new(name: &'static str, part: &'static str, ours: &'static str) -> Task {
        Task {
            name,
            part,
            keys: "",
            ours,
            others: &[],
            is_drawn: false,
        }
    }

    const fn on(mut self, keys: &'static str) -> Task {
        self.keys = keys;
        self
    }

    const fn beside(mut self, others: &'static [(Kind, &'static str)]) -> Task {
        self.others = others;
        self
    }

    const fn drawn(mut self) -> Task {
        self.is_drawn = true;
        self
    }
}

const NAMING: &str = "naming-instructions";
const NAMESPACES: &str = "namespaces-instructions";
const RATE: &str = "rate-instructions";
const COORDINATION: &str = "coordination-instructions";
const DOCUMENTS: &str = "documents-instructions";

const INGEST: &str = "KEYNS.INGESTMD";
const PIPELINE: &str = "the same writes as a pipeline";

const TASKS: &[Task] = &[
    Task::new("rate limit, allowed", RATE, "KEYNS.RATE BUCKET, allowed")
        .on("random")
        .beside(&[
            (Kind::RedisCell, "CL.THROTTLE, allowed"),
            (Kind::Lua, "Lua, token bucket, allowed"),
        ])
        .drawn(),
    Task::new("rate limit, denied", RATE, "KEYNS.RATE BUCKET, denied")
        .on("one")
        .beside(&[
            (Kind::RedisCell, "CL.THROTTLE, denied"),
            (Kind::Lua, "Lua, token bucket, denied"),
        ])
        .drawn(),
    Task::new("fixed window", RATE, "KEYNS.RATE FIXED, allowed")
        .on("random")
        .beside(&[(Kind::Lua, "Lua, fixed window, allowed")]),
    Task::new(
        "sliding window",
        RATE,
        "KEYNS.RATE SLIDING, max 100, allowed",
    )
    .on("random")
    .beside(&[(Kind::Lua, "Lua, sliding log, allowed")])
    .drawn(),
    Task::new(
        "four limits in one call",
        RATE,
        "KEYNS.RATE, four limits, a bucket and windows of a day, a month and a quarter, allowed",
    )
    .on("random"),
    Task::new(
        "two keys in one call",
        RATE,
        "KEYNS.RATE.ALL BUCKET on two keys, allowed",
    )
    .on("random"),
    Task::new(
        "redis-cell's arguments, allowed",
        RATE,
        "KEYNS.THROTTLE, allowed",
    )
    .on("random")
    .beside(&[(Kind::RedisCell, "CL.THROTTLE, allowed")]),
    Task::new("lock, taken", COORDINATION, "KEYNS.LOCK, taken")
        .on("each once")
        .beside(&[
            (Kind::Plain, "SET NX EX, new"),
            (Kind::Lua, "Lua for KEYNS.LOCK, taken"),
        ])
        .drawn(),
    Task::new("lock, released", COORDINATION, "KEYNS.UNLOCK, held")
        .on("each once")
        .beside(&[(Kind::Lua, "Lua for KEYNS.UNLOCK, held")]),
    Task::new("event, new", COORDINATION, "KEYNS.SEEN, first time")
        .on("each once")
        .beside(&[
            (Kind::Plain, "SET NX EX, new"),
            (Kind::Lua, "Lua for KEYNS.SEEN, first time"),
        ]),
    Task::new("event, seen before", COORDINATION, "KEYNS.SEEN, again")
        .on("random")
        .beside(&[
            (Kind::Plain, "SET NX EX, refused"),
            (Kind::Lua, "Lua for KEYNS.SEEN, again"),
        ])
        .drawn(),
    Task::new("revision, moved", COORDINATION, "KEYNS.ADVANCE, moved")
        .on("random")
        .beside(&[(Kind::Lua, "Lua for KEYNS.ADVANCE, moved")])
        .drawn(),
    Task::new("checkpoint, moved", COORDINATION, "KEYNS.CHECKPOINT, moved")
        .on("random")
        .beside(&[(Kind::Lua, "Lua for KEYNS.CHECKPOINT, moved")]),
    Task::new("counter of a day", COORDINATION, "KEYNS.COUNT, DAY")
        .on("random")
        .beside(&[(Kind::Lua, "Lua for KEYNS.COUNT, DAY")])
        .drawn(),
    Task::new(
        "counters of three grains",
        COORDINATION,
        "KEYNS.COUNT, YEAR, MONTH and DAY",
    )
    .on("random")
    .beside(&[(Kind::Lua, "Lua for KEYNS.COUNT, YEAR, MONTH and DAY")])
    .drawn(),
    Task::new(
        "1,000 counters summed up",
        COORDINATION,
        "KEYNS.COUNT.RANGE, 1000 minutes",
    )
    .on("all there")
    .beside(&[(Kind::Plain, "MGET, 1000 minutes")]),
    Task::new("a slug", NAMING, "KEYNS.SLUG"),
    Task::new("a number", NAMING, "KEYNS.NEXTID").on("one"),
    Task::new("a new name", NAMING, "KEYNS.MAKE")
        .on("one")
        .beside(&[(Kind::Lua, "Lua for KEYNS.MAKE")])
        .drawn(),
    Task::new("a name, checked", NAMING, "KEYNS.CHECK"),
    Task::new("a name, taken apart", NAMING, "KEYNS.PARSE"),
    Task::new("a key by its namespace", NAMESPACES, "KEYNS.KEY").on("1000 namespaces"),
    Task::new(
        "a key, checked",
        NAMESPACES,
        "KEYNS.CHECK, a key that is there",
    )
    .on("1000 namespaces"),
    Task::new("a document, stored", DOCUMENTS, INGEST).beside(&[(Kind::Plain, PIPELINE)]),
    Task::new(
        "a document, stored again",
        DOCUMENTS,
        "KEYNS.INGESTMD REPLACE, unchanged",
    ),
    Task::new("its table of contents", DOCUMENTS, "KEYNS.TREE"),
    Task::new("the next element", DOCUMENTS, "KEYNS.NAV NEXT"),
];

/// What was recorded of a task.
struct Costs<'a> {
    task: &'a Task,
    recorded: &'a Recorded,
}

impl Costs<'_> {
    fn count(&self, case: &str) -> Option<&Count> {
        self.recorded.count(self.task.part, case, self.task.keys)
    }

    fn ours(&self) -> Option<f64> {
        Some(self.count(self.task.ours)?.instructions)
    }

    fn other(&self, kind: Kind) -> Option<f64> {
        let mut others = self.task.others.iter();
        let (_, case) = others.find(|(other, _)| *other == kind)?;
        Some(self.count(case)?.instructions)
    }

    fn incr(&self) -> Option<f64> {
        let incr = self.recorded.count(self.task.part, "INCR", "random")?;
        Some(incr.instructions)
    }

    /// Which keys it is about, in words.
    fn keys(&self) -> &str {
        match self.task.keys {
            "random" => "1,000 keys",
            "one" if self.task.part == NAMING => "one prefix",
            "one" => "one key",
            "each once" => "each key once",
            "1000 namespaces" => "1,000 namespaces",
            keys => keys,
        }
    }

    fn row(&self) -> Option<String> {
        let (ours, incr) = (self.ours()?, self.incr()?);
        let others = [Kind::Plain, Kind::RedisCell, Kind::Lua].map(|kind| {
            let other = self.other(kind);
            let times = other.map(|other| format!("{:.2}", other / ours));
            times.unwrap_or_default()
        });
        let detail = match self.keys() {
            "" | "all there" => String::new(),
            keys => format!(", {keys}"),
        };
        Some(format!(
            "\n| {}{detail} | `{}` | {} | {} | {} |",
            self.task.name,
            command(Kind::Ours, self.task.ours),
            grouped(ours.round() as usize),
            times_incr(ours / incr),
            others.join(" | ")
        ))
    }

    fn group(&self) -> Option<Group> {
        let incr = self.ours().and(self.incr())?;
        let ours = [(Kind::Ours, self.task.ours)];
        let all = ours.iter().chain(self.task.others);
        let bars = all.filter_map(|&(kind, case)| {
            Some(Bar {
                kind,
                name: command(kind, case),
                value: self.count(case)?.instructions / incr,
            })
        });
        Some(Group {
            name: self.task.name.into(),
            detail: self.keys().into(),
            bars: bars.collect(),
        })
    }
}

fn costs(recorded: &Recorded) -> impl Iterator<Item = Costs<'_>> {
    TASKS.iter().map(move |task| Costs { task, recorded })
}

/// The command, from the name of a case.
fn command(kind: Kind, case: &str) -> String {
    match kind {
        Kind::Lua => "Lua script".into(),
        _ => {
            let name = case.split(',').next().unwrap_or(case);
            name.split(" on ").next().unwrap_or(name).into()
        }
    }
}

/// The cases that tasks name and the record does not have.
#[cfg(test)]
pub fn missing(recorded: &Recorded) -> Vec<&'static str> {
    let cases = TASKS.iter().flat_map(|task| {
        let others = task.others.iter().map(|(_, case)| *case);
        let cases = [task.ours, "INCR"].into_iter().chain(others);
        cases.map(move |case| (task, case))
    });
    let is_missing = |(task, case): &(&Task, &str)| {
        let keys = if *case == "INCR" { "random" } else { task.keys };
        recorded.count(task.part, case, keys).is_none()
    };
    cases.filter(is_missing).map(|(_, case)| case).collect()
}

/// All tasks.
pub fn table(recorded: &Recorded) -> String {
    let mut table = String::from(
        "| task | command | instructions | x INCR | plain command | redis-cell 0.2.2 | Lua script |\n\
         |---|---|---|---|---|---|---|",
    );
    table.extend(costs(recorded).filter_map(|costs| costs.row()));
    table
}

pub fn figure(recorded: &Recorded) -> Figure {
    let drawn = costs(recorded).filter(|costs| costs.task.is_drawn);
    let setting = recorded.measured.get(RATE).cloned().unwrap_or_default();
    // Which machine it was makes no difference.
    let versions = setting.split(';').next().unwrap_or_default();
    Figure {
        title: "Instructions that the server executes for a command, INCR = 1".into(),
        notes: vec![
            "Counted by callgrind on the server's main thread, with reading the request and writing \
             the reply. Shorter is better."
                .into(),
            versions.into(),
        ],
        panel: Panel {
            groups: drawn.filter_map(|costs| costs.group()).collect(),
        },
    }
}
