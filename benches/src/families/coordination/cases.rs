//! Everything that is measured.
//!
//! All keys outlast a run. Buckets of today are there for all of a day, and the others are of one
//! moment, so that random keys find theirs.

use super::case::{Case, Keys};
use super::scripts::Scripts;

/// An owner as long as a UUID, and another one.
const OWNER: &str = "5f0c9d3e-8a41-4b6c-9a37-2f6d1c7e0b58";
const STRANGER: &str = "c41be7a2-06d9-4f83-b1c5-9e7a3d20f614";
const HOUR: &str = "3600000";

/// 2026-11-15T09:30:00Z
pub const MOMENT: &str = "1794735000";

const LUA_AT_LEAST: f64 = 3.0;

const ONE: &[&str] = &[":1\r\n"];
const ZERO: &[&str] = &[":0\r\n"];
const MOVED: &[&str] = &["*2\r\n:1\r\n"];
const STAYED: &[&str] = &["*2\r\n:0\r\n"];
const TOKEN: &[&str] = &[":1"];
const NULL: &[&str] = &["$-1\r\n"];

const EACH: [Keys; 2] = [Keys::Random, Keys::One];
const EACH_IN_ORDER: [Keys; 2] = [Keys::Random, Keys::OnePerClient];

/// INCR on random keys and on one.
pub fn incrs() -> [Case; 2] {
    let incr = |keys, database| {
        let case = Case::new("INCR", keys, "INCR KEY").replies(&[":"]);
        case.in_database(database)
    };
    [incr(Keys::Random, 0), incr(Keys::One, 1)]
}

pub fn all(scripts: &Scripts) -> Vec<Case> {
    let mut cases = seen(scripts);
    cases.extend(advance(scripts));
    cases.extend(lock(scripts));
    cases.extend(extend_and_unlock(scripts));
    cases.extend(checkpoint(scripts));
    cases.extend(count(scripts));
    cases.extend(plain());
    cases
}

fn seen(scripts: &Scripts) -> Vec<Case> {
    let lua = format!("EVALSHA {} 1 KEY 172800", scripts.seen);
    let seen = |name, keys| {
        let case = Case::new(name, keys, "KEYNS.SEEN KEY").lua(&lua);
        case.at_most(2.2).lua_at_least(LUA_AT_LEAST)
    };
    let mut cases = vec![seen("KEYNS.SEEN, first time", Keys::Once).replies(ONE)];
    cases.extend(EACH.map(|keys| seen("KEYNS.SEEN, again", keys).replies(ZERO)));
    cases
}

fn advance(scripts: &Scripts) -> Vec<Case> {
    let lua = |revision| format!("EVALSHA {} 1 KEY {revision} 604800", scripts.advance);
    let own = |revision| format!("KEYNS.ADVANCE KEY {revision}");
    let advance = |name, keys, revision| {
        let case = Case::new(name, keys, &own(revision)).lua(&lua(revision));
        case.at_most(2.2).lua_at_least(LUA_AT_LEAST)
    };
    let (lower, higher) = ("1000000000", "2000000000");
    let mut cases = vec![advance("KEYNS.ADVANCE, first time", Keys::Once, "RISING").replies(MOVED)];
    cases.extend(
        EACH_IN_ORDER.map(|keys| advance("KEYNS.ADVANCE, moved", keys, "RISING").replies(MOVED)),
    );
    cases.extend(EACH.map(|keys| {
        advance("KEYNS.ADVANCE, refused", keys, lower)
            .filled_by(&own(higher), &lua(higher))
            .replies(STAYED)
    }));
    cases
}

fn own_lock(owner: &str) -> String {
    format!("KEYNS.LOCK KEY {owner} PX {HOUR}")
}

fn lua_lock(scripts: &Scripts, owner: &str) -> String {
    format!("EVALSHA {} 1 KEY {owner} {HOUR}", scripts.lock)
}

fn lock(scripts: &Scripts) -> Vec<Case> {
    let lua = |owner| lua_lock(scripts, owner);
    let lock = |name, keys| {
        let case = Case::new(name, keys, &own_lock(OWNER)).lua(&lua(OWNER));
        case.at_most(2.4).lua_at_least(LUA_AT_LEAST)
    };
    let mut cases = vec![lock("KEYNS.LOCK, taken", Keys::Once).replies(TOKEN)];
    cases.extend(EACH.map(|keys| lock("KEYNS.LOCK, again", keys).replies(TOKEN)));
    cases.extend(EACH.map(|keys| {
        lock("KEYNS.LOCK, refused", keys)
            .filled_by(&own_lock(STRANGER), &lua(STRANGER))
            .replies(NULL)
    }));
    cases
}

fn extend_and_unlock(scripts: &Scripts) -> Vec<Case> {
    let own = format!("KEYNS.UNLOCK KEY {OWNER}");
    let lua = format!("EVALSHA {} 1 KEY {OWNER}", scripts.unlock);
    let locked_by = |case: Case, owner| case.filled_by(&own_lock(owner), &lua_lock(scripts, owner));
    let unlock = |name, keys, owner| {
        let case = Case::new(name, keys, &own).lua(&lua);
        locked_by(case, owner).lua_at_least(LUA_AT_LEAST)
    };
    let mut cases = vec![unlock("KEYNS.UNLOCK, held", Keys::Once, OWNER).replies(ONE)];
    cases.extend(EACH.map(|keys| unlock("KEYNS.UNLOCK, refused", keys, STRANGER).replies(ZERO)));
    let (take, lua_take) = (own_lock(OWNER), lua_lock(scripts, OWNER));
    cases.extend(EACH.map(|keys| {
        Case::of_several("KEYNS.LOCK and KEYNS.UNLOCK in turn", keys, &[&take, &own])
            .lua_of_several(&[&lua_take, &lua])
            .lasting(0)
            .replies(&[":1", ":1\r\n"])
            .lua_at_least(LUA_AT_LEAST)
    }));
    let extend = format!("KEYNS.EXTEND KEY {OWNER} PX {HOUR}");
    let lua_extend = format!("EVALSHA {} 1 KEY {OWNER} {HOUR}", scripts.extend);
    cases.extend(EACH.map(|keys| {
        let case = Case::new("KEYNS.EXTEND", keys, &extend).lua(&lua_extend);
        locked_by(case, OWNER).replies(ONE)
    }));
    cases
}

fn checkpoint(scripts: &Scripts) -> [Case; 2] {
    let lua = format!("EVALSHA {} 1 KEY RISING", scripts.checkpoint);
    EACH_IN_ORDER.map(|keys| {
        Case::new(
            "KEYNS.CHECKPOINT, moved",
            keys,
            "KEYNS.CHECKPOINT KEY RISING",
        )
        .lua(&lua)
        .replies(MOVED)
        .lua_at_least(LUA_AT_LEAST)
    })
}

/// With one grain and with three, of now and of another moment, and where the buckets are new.
fn count(scripts: &Scripts) -> Vec<Case> {
    let count = |name, keys, grains: &[&str], at: Option<&str>| {
        let mut own = String::from("KEYNS.COUNT KEY");
        for grain in grains {
            own += &format!(" GRAIN {grain}");
        }
        own += &at.map(|at| format!(" AT {at}")).unwrap_or_default();
        let case = Case::new(name, keys, &own).lua(&lua_count(scripts, grains, at));
        let (replies, limit): (&[&str], f64) = match grains.len() {
            1 => (&["*1\r\n:"], 2.4),
            _ => (&["*3\r\n:"], 4.5),
        };
        case.lasting(grains.len())
            .replies(replies)
            .at_most(limit)
            .lua_at_least(LUA_AT_LEAST)
    };
    let (long, short) = (["YEAR", "MONTH", "DAY"], ["DAY", "HOUR", "MINUTE"]);
    let at = Some(MOMENT);
    let mut cases = Vec::new();
    cases.extend(EACH.map(|keys| count("KEYNS.COUNT, DAY", keys, &["DAY"], None)));
    cases.extend(EACH.map(|keys| count("KEYNS.COUNT, MINUTE, AT", keys, &["MINUTE"], at)));
    let once = count("KEYNS.COUNT, DAY, new bucket", Keys::Once, &["DAY"], None);
    cases.push(once.replies(&["*1\r\n:1\r\n"]));
    cases.extend(EACH.map(|keys| count("KEYNS.COUNT, YEAR, MONTH and DAY", keys, &long, None)));
    cases.extend(EACH.map(|keys| count("KEYNS.COUNT, DAY, HOUR and MINUTE, AT", keys, &short, at)));
    let name = "KEYNS.COUNT, DAY, HOUR and MINUTE, new buckets, AT";
    let once = count(name, Keys::Once, &short, at);
    cases.push(once.replies(&["*3\r\n:1\r\n:1\r\n:1\r\n"]));
    cases
}

pub fn lua_count(scripts: &Scripts, grains: &[&str], at: Option<&str>) -> String {
    let at = at.unwrap_or("NOTHING");
    format!(
        "EVALSHA {} 1 KEY 1 {at} {}",
        scripts.count,
        grains.join(" ")
    )
}

fn plain() -> Vec<Case> {
    let mut cases = vec![
        Case::new("SET NX EX, new", Keys::Once, "SET KEY 1 NX EX 172800").replies(&["+OK\r\n"]),
    ];
    cases.extend(EACH.map(|keys| {
        let case = Case::new("SET NX EX, refused", keys, "SET KEY 1 NX EX 172800");
        case.replies(NULL)
    }));
    cases.extend(EACH.map(|keys| {
        let line = format!("SET KEY 1 PX {HOUR}");
        Case::new("SET PX", keys, &line).replies(&["+OK\r\n"])
    }));
    cases
}
