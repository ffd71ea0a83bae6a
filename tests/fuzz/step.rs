//! What is done to a server, one thing after the other: calls, who sends them, and how.
//!
//! A step is data, so that the steps that led to a failure can be taken again, or left out.

use std::fmt;

use keyns::server::spec::Spec;
use keyns_testkit::Random;

use crate::call::Call;
use crate::grammar;
use crate::hostile;
use crate::plain;
use crate::pool::Pool;

#[derive(Clone)]
pub struct Step {
    pub sender: Sender,
    pub way: Way,
    pub calls: Vec<Call>,
    /// Whether the data are compared before and after.
    pub watched: bool,
}

/// Who sends, and over which connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sender {
    /// One of [`USERS`], or the default user.
    pub user: Option<usize>,
    pub resp3: bool,
    pub database: u8,
}

/// The rules of users who may do less than everything.
pub const USERS: [&str; 4] = [
    "~doc* ~{t}* ~level:* +@all -@admin -@dangerous +info",
    "%R~* %W~doc:* +@all -@admin -@dangerous +info",
    // Counters, but not what is named after them.
    "~doc ~doc: ~{t}:doc ~*:_seq ~*:_slugs +@all -@admin -@dangerous +info",
    "~* +@read +@connection +@transaction +@scripting +info",
];

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    /// Each call waits for the reply to the one before.
    OneByOne,
    Pipelined,
    /// The same, with a look after each call at what the server tells its replicas.
    Audited,
    InTransaction,
    InScript(Script),
    /// Without a reply to any, by CLIENT REPLY OFF.
    Unanswered,
    /// Without a reply to the first, by CLIENT REPLY SKIP.
    FirstUnanswered,
    /// The client is gone before there is a reply.
    ThenGone,
    /// Each call over a connection of its own, all at once.
    AllAtOnce,
    /// As a person types it over telnet.
    Inline,
    /// To the replica, which takes no writes.
    ToReplica,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Script {
    /// `redis.call`, which ends the script with the error.
    Call,
    /// `redis.pcall`, which hands it over.
    ProtectedCall,
    /// The same with the replies of RESP3.
    ProtectedCall3,
    /// One that may only read.
    ReadOnly,
}

/// How rough a batch is: some leave data alone long enough for commands to get far.
#[derive(Clone, Copy, Debug)]
pub struct Mood {
    /// One step in so many damages data.
    damage: u64,
    /// One call in so many is made wrong.
    twist: u64,
    /// Most calls are of the family of this command.
    focus: Option<&'static Spec>,
}

impl Mood {
    pub fn any(random: &mut Random) -> Mood {
        Mood {
            damage: *random.pick(&[4, 8, 50]),
            twist: *random.pick(&[2, 5, 20]),
            focus: random
                .once_in(2)
                .then(|| *random.pick(&grammar::commands())),
        }
    }

    /// Without a command that is called more often than others.
    pub fn fair() -> Mood {
        Mood {
            damage: 8,
            twist: 5,
            focus: None,
        }
    }

    fn command(self, random: &mut Random) -> &'static Spec {
        let mut commands = grammar::commands();
        if let Some(focus) = self.focus
            && !random.once_in(4)
        {
            commands.retain(|spec| spec.family == focus.family);
        }
        random.pick::<&Spec>(&commands)
    }
}

/// Some step: mostly calls of our commands, and others between them.
pub fn any(random: &mut Random, mood: Mood, pool: &Pool, tokens: &[Vec<u8>]) -> Step {
    if random.once_in(mood.damage) {
        let calls = (0..1 + random.below(3)).map(|_| plain::data(random, pool));
        return one_by_one(calls.collect());
    }
    match random.below(20) {
        0 => one_by_one(vec![plain::setting(random)]),
        1 => one_by_one(plain::ease()),
        _ => ours(random, mood, pool, tokens),
    }
}

fn one_by_one(calls: Vec<Call>) -> Step {
    Step {
        sender: Sender {
            user: None,
            resp3: false,
            database: 0,
        },
        way: Way::OneByOne,
        calls,
        watched: false,
    }
}

fn ours(random: &mut Random, mood: Mood, pool: &Pool, tokens: &[Vec<u8>]) -> Step {
    let way = match random.below(18) {
        0..=3 => Way::OneByOne,
        4 | 5 => Way::Pipelined,
        6 | 7 => Way::Audited,
        8 | 9 => Way::InTransaction,
        10 | 11 => Way::InScript(*random.pick(&[
            Script::Call,
            Script::ProtectedCall,
            Script::ProtectedCall3,
            Script::ReadOnly,
        ])),
        12 => Way::Unanswered,
        13 => Way::FirstUnanswered,
        14 => Way::ThenGone,
        15 => Way::AllAtOnce,
        16 => Way::Inline,
        _ => Way::ToReplica,
    };
    let sender = Sender {
        user: random
            .once_in(6)
            .then(|| random.below(USERS.len() as u64) as usize),
        resp3: random.once_in(3),
        database: if random.once_in(10) { 1 } else { 0 },
    };
    let watched = random.once_in(if pool.is_small() { 6 } else { 60 });
    let most = match way {
        Way::InScript(_) => 1,
        Way::Audited => 20,
        _ if watched => 2,
        Way::OneByOne => 2,
        Way::Pipelined => 30,
        _ => 6,
    };
    let one = |random: &mut Random| match random.below(3 * mood.damage) {
        0 if !watched => plain::data(random, pool),
        1 if way == Way::AllAtOnce => plain::setting(random),
        _ if random.once_in(5) && !pool.habits.is_empty() => random.pick(&pool.habits).clone(),
        _ => {
            let spec = mood.command(random);
            // A watched call is better refused, so that there is something to see.
            let twist = if watched { 2 } else { mood.twist };
            call(random, spec, twist, pool, tokens)
        }
    };
    // Some want one thing again and again, until it is another.
    let insists = random.once_in(4);
    let mut calls: Vec<Call> = Vec::new();
    for _ in 0..1 + random.below(most) {
        let next = match calls.last() {
            Some(last) if insists || random.once_in(8) => last.clone(),
            _ => one(random),
        };
        calls.push(next);
    }
    Step {
        sender,
        way,
        calls,
        watched,
    }
}

/// A call of one of our commands, which is made wrong once in so many times.
fn call(random: &mut Random, spec: &Spec, twist: u64, pool: &Pool, tokens: &[Vec<u8>]) -> Call {
    let mut call = grammar::call(spec, random, pool);
    if random.once_in(twist) {
        for _ in 0..1 + random.below(2) {
            hostile::mutate(&mut call, random, tokens);
        }
    }
    call
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sender {
            user,
            resp3,
            database,
        } = self.sender;
        write!(f, "{:?}", self.way)?;
        if let Some(user) = user {
            write!(f, ", user with {}", USERS[user])?;
        }
        if resp3 {
            write!(f, ", RESP3")?;
        }
        if database != 0 {
            write!(f, ", SELECT {database}")?;
        }
        self.calls
            .iter()
            .try_for_each(|call| write!(f, "\n    {call}"))
    }
}
