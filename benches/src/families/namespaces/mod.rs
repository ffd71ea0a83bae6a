//! Namespaces, few and many, beside INCR.
//!
//! There are two servers, with 10 and with 1,000 namespaces. Each has 100,000 keys in them, some of
//! which expire, and 100,000 that INCR counts. Every round measures a command on both, each right
//! beside INCR, with commands that choose keys at random and so go round all namespaces. No reply
//! may be an error; before and after, some are compared with what they should be.

mod counted;
pub mod lookup;
pub mod plan;

use keyns_testkit::{Client, Options, Server, Value};

use crate::measure::{Clients, Dice, version};
use crate::report::{INCR_RANDOM, Report, Spread, Wanted, at_most, grouped, rounds};
pub use counted::counted;
use plan::{KEYS, Plan};

const ROUNDS: usize = 11;
const COMMANDS: usize = 40_000;
const SAMPLE: usize = 50;

/// What a command with 1,000 namespaces may cost at most: in costs of INCR, and of itself with 10.
const OVER_INCR: f64 = 1.3;
const OVER_FEW: f64 = 1.2;

struct Case {
    name: &'static str,
    /// The command for the key with this number.
    command: fn(Plan, usize) -> Vec<String>,
    /// Whether this is the reply to it.
    is_right: fn(Plan, usize, &Value) -> bool,
    is_demanded: bool,
}

static CASES: [Case; 5] = [
    Case {
        name: "KEYNS.KEY",
        command: |plan, key| {
            let words = ["KEYNS.KEY".to_owned(), plan.namespace(key)];
            words.into_iter().chain(plan.values(key)).collect()
        },
        is_right: |plan, key, reply| reply.text() == plan.key(key),
        is_demanded: true,
    },
    Case {
        name: "KEYNS.CHECK, a key that is there",
        command: |plan, key| vec!["KEYNS.CHECK".into(), plan.key(key)],
        is_right: is_valid,
        is_demanded: true,
    },
    Case {
        name: "KEYNS.CHECK, a key that is not there",
        command: |plan, key| vec!["KEYNS.CHECK".into(), plan.key(KEYS + key)],
        is_right: |plan, key, reply| is_valid(plan, KEYS + key, reply),
        is_demanded: true,
    },
    Case {
        name: "KEYNS.CHECK, a wrong name",
        command: |plan, key| vec!["KEYNS.CHECK".into(), plan.wrong_key(key)],
        is_right: |_, _, reply| {
            let problems = reply.array()[0].fields()["problems"].clone();
            problems == Value::Array(vec![Value::bulk("BAD_FORMAT")])
        },
        is_demanded: false,
    },
    Case {
        name: "KEYNS.PARSE",
        command: |plan, key| vec!["KEYNS.PARSE".into(), plan.key(key)],
        is_right: |plan, key, reply| reply.fields()["namespace"].text() == plan.namespace(key),
        is_demanded: false,
    },
];

fn is_valid(plan: Plan, key: usize, reply: &Value) -> bool {
    let fields = reply.array()[0].fields();
    fields["valid"] == Value::Integer(1) && fields["namespace"].text() == plan.namespace(key)
}

pub fn run(report: &mut Report) {
    let mut sides = [10, 1_000].map(|namespaces| Side::start(Plan { namespaces }));
    let rounds = rounds(ROUNDS);
    report.version(version(&mut sides[0].control));
    report.table(
        "namespaces",
        &format!("{rounds} rounds of {} commands", grouped(COMMANDS)),
        &[
            "command",
            "namespaces",
            "ns",
            "x INCR, random keys",
            "spread",
            "at most",
            "x with 10",
            "spread",
            "at most",
        ],
    );
    for case in &CASES {
        // Of the case and of INCR on each side.
        let mut own = [Vec::new(), Vec::new()];
        let mut incr = [Vec::new(), Vec::new()];
        // The first round warms everything up.
        for round in 0..=rounds {
            for (at, side) in sides.iter_mut().enumerate() {
                let costs = side.measure(case);
                if round > 0 {
                    incr[at].push(costs[0]);
                    own[at].push(costs[1]);
                }
            }
        }
        let over_incr = [0, 1].map(|at| Spread::of_ratios(&own[at], &incr[at]));
        let over_few = Spread::of_ratios(&own[1], &own[0]);
        add_row(report, case, &own[0], sides[0].plan, over_incr[0], None);
        let many = sides[1].plan;
        add_row(report, case, &own[1], many, over_incr[1], Some(over_few));
    }
}

fn add_row(
    report: &mut Report,
    case: &Case,
    own: &[f64],
    plan: Plan,
    incr: Spread,
    few: Option<Spread>,
) {
    let is_demanded = case.is_demanded && few.is_some();
    let verdict = |limit: f64, spread: Spread| match is_demanded {
        true => at_most(limit, spread.middle),
        false => String::new(),
    };
    let of_few = |cell: &dyn Fn(Spread) -> String| few.map(cell).unwrap_or_default();
    report.row(&[
        case.name.into(),
        plan.namespaces.to_string(),
        format!("{:.0}", Spread::of(own.iter().copied()).middle),
        format!("{:.2}", incr.middle),
        incr.range(),
        verdict(OVER_INCR, incr),
        of_few(&|few| format!("{:.2}", few.middle)),
        of_few(&|few| few.range()),
        of_few(&|few| verdict(OVER_FEW, few)),
    ]);
    let namespaces = format!("{} namespaces", plan.namespaces);
    report.ratio(case.name, &namespaces, INCR_RANDOM, Wanted::Less, incr);
    if let Some(few) = few {
        let over = "itself with 10 namespaces";
        report.ratio(case.name, &namespaces, over, Wanted::Less, few);
    }
}

/// A server and those who use it.
struct Side {
    plan: Plan,
    control: Client,
    clients: Clients,
    dice: Dice,
    /// Ended when all others are gone.
    _server: Server,
}

impl Side {
    fn start(plan: Plan) -> Side {
        let server = Options::new().start();
        let mut control = server.client();
        call_all(&mut control, plan.definitions());
        call_all(&mut control, (0..KEYS).map(increment));
        call_all(&mut control, (0..KEYS).map(|key| plan.set(key)));
        Side {
            plan,
            clients: Clients::connect(&server),
            control,
            dice: Dice::new(),
            _server: server,
        }
    }

    /// What INCR costs, and what the case does.
    fn measure(&mut self, case: &Case) -> [f64; 2] {
        let plan = self.plan;
        self.check_replies(case);
        let increments = self.keys().map(increment).collect::<Vec<_>>();
        let keys = self.keys();
        let commands = keys
            .map(|key| (case.command)(plan, key))
            .collect::<Vec<_>>();
        let costs = [
            self.clients.nanoseconds(&increments, &mut self.control),
            self.clients.nanoseconds(&commands, &mut self.control),
        ];
        self.check_replies(case);
        assert_eq!(self.control.run("DBSIZE").integer(), 2 * KEYS as i64);
        costs
    }

    /// One for each command.
    fn keys(&mut self) -> impl Iterator<Item = usize> {
        (0..COMMANDS).map(|_| self.dice.below(KEYS))
    }

    fn check_replies(&mut self, case: &Case) {
        // Not in steps that would always meet the same kinds.
        for key in (0..KEYS).step_by(KEYS / SAMPLE + 1) {
            let reply = self.control.call(&(case.command)(self.plan, key));
            let is_right = (case.is_right)(self.plan, key, &reply);
            assert!(is_right, "{} of {key}: {reply:?}", case.name);
        }
    }
}

fn increment(key: usize) -> Vec<String> {
    vec!["INCR".into(), format!("key:{key:012}")]
}

fn call_all(client: &mut Client, commands: impl Iterator<Item = Vec<String>>) {
    let commands: Vec<_> = commands.collect();
    for commands in commands.chunks(1000) {
        let replies = client.pipeline(commands);
        assert_eq!(replies.iter().find(|reply| reply.is_error()), None);
    }
}
