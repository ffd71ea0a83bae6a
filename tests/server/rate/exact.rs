//! Limits at the rates at which others are known to fail, replayed through an exact model: a request
//! passes if and only if the model lets it pass at the moment at which the server saw it.

use std::collections::VecDeque;
use std::thread;

use keyns_testkit::{Client, Server, Value, last_counted};

const CLIENTS: u64 = 4;
const CALLS_EACH: usize = 1500;
const PIPELINE: usize = 4;

/// A limit, and what has passed.
enum Model {
    Bucket {
        capacity: u128,
        refill: u128,
        /// In parts of a token, of which there are as many as microseconds in a second.
        level: u128,
        at: u64,
    },
    Fixed {
        max: u64,
        period: u64,
        window: u64,
        count: u64,
    },
    Sliding {
        max: usize,
        period: u64,
        passed: VecDeque<u64>,
    },
}

const SECOND: u64 = 1_000_000;
const TOKEN: u128 = SECOND as u128;

impl Model {
    /// So many at once, and so many in a second.
    fn bucket(capacity: u64, refill: u64) -> Model {
        Model::Bucket {
            capacity: capacity.into(),
            refill: refill.into(),
            level: u128::from(capacity) * TOKEN,
            at: 0,
        }
    }

    fn fixed(max: u64, millis: u64) -> Model {
        Model::Fixed {
            max,
            period: millis * 1000,
            window: 0,
            count: 0,
        }
    }

    fn sliding(max: usize, millis: u64) -> Model {
        Model::Sliding {
            max,
            period: millis * 1000,
            passed: VecDeque::new(),
        }
    }

    /// Has the time go by, and tells whether so much would pass then.
    fn admits(&mut self, cost: u64, now: u64) -> bool {
        match self {
            Model::Bucket {
                capacity,
                refill,
                level,
                at,
            } => {
                *level += *refill * u128::from(now - *at);
                *level = (*level).min(*capacity * TOKEN);
                *at = now;
                *level >= u128::from(cost) * TOKEN
            }
            Model::Fixed {
                max,
                period,
                window,
                count,
            } => {
                if *window != now / *period {
                    (*window, *count) = (now / *period, 0);
                }
                *count + cost <= *max
            }
            Model::Sliding {
                max,
                period,
                passed,
            } => {
                while passed.front().is_some_and(|&at| at + *period <= now) {
                    passed.pop_front();
                }
                passed.len() + cost as usize <= *max
            }
        }
    }

    fn take(&mut self, cost: u64, now: u64) {
        match self {
            Model::Bucket { level, .. } => *level -= u128::from(cost) * TOKEN,
            Model::Fixed { count, .. } => *count += cost,
            Model::Sliding { passed, .. } => passed.extend((0..cost).map(|_| now)),
        }
    }
}

/// A call as the server saw it.
#[derive(Debug)]
struct Seen {
    /// Among all calls.
    place: i64,
    cost: u64,
    /// The server's clock before and after it. From Redis 7.2 on, and in Valkey, that is one moment.
    from: u64,
    to: u64,
    /// When it was counted, if it passed.
    passed_at: Option<u64>,
}

/// What clients send again and again.
struct Calls<'a> {
    /// With `COST` where the cost belongs.
    line: &'a str,
    /// The first integer of the reply when a call passes.
    pass: i64,
    /// The lowest and the highest.
    costs: (u64, u64),
    /// How many calls make a transaction: more than can pass at once, so that some are refused
    /// however slow the machine.
    together: usize,
}

/// Has some clients call as fast as they can, and answers all calls in their order.
fn hammer(server: &Server, calls: &Calls) -> Vec<Seen> {
    server.client().run("DEL k place");
    let run = |mut client: Client, seed: u64| {
        let mut random = Random(seed);
        let mut seen = Vec::with_capacity(CALLS_EACH);
        while seen.len() < CALLS_EACH {
            let costs = (0..PIPELINE * calls.together).map(|_| random.within(calls.costs));
            let costs: Vec<u64> = costs.collect();
            let blocks: Vec<_> = costs
                .chunks(calls.together)
                .map(|costs| block(calls.line, costs))
                .collect();
            let replies = client.pipeline(&blocks.concat());
            let mut rest = replies.as_slice();
            for (block, costs) in blocks.iter().zip(costs.chunks(calls.together)) {
                let (replies, others) = rest.split_at(block.len());
                seen.extend(read(replies[block.len() - 1].array(), calls.pass, costs));
                rest = others;
            }
        }
        seen
    };
    let mut seen: Vec<Seen> = thread::scope(|scope| {
        let clients: Vec<_> = (1..=CLIENTS)
            .map(|number| {
                let client = server.client();
                scope.spawn(move || run(client, 0x9E37_79B9_7F4A_7C15 ^ number))
            })
            .collect();
        let seen = clients.into_iter().flat_map(|c| c.join().unwrap());
        seen.collect()
    });
    seen.sort_by_key(|call| call.place);
    seen
}

/// Calls in a row, with what tells their place and time.
fn block(line: &str, costs: &[u64]) -> Vec<Vec<String>> {
    let calls = costs
        .iter()
        .map(|cost| line.replace("COST", &cost.to_string()));
    let calls = calls.flat_map(|call| [call, "GET k".into(), "TIME".into()]);
    let start = ["MULTI", "INCR place", "TIME"].map(String::from);
    let lines = start.into_iter().chain(calls).chain(["EXEC".into()]);
    lines
        .map(|line| line.split(' ').map(String::from).collect())
        .collect()
}

/// What came of the calls of a block.
fn read(replies: &[Value], pass: i64, costs: &[u64]) -> Vec<Seen> {
    let time = |reply: &Value| {
        let number = |at: usize| reply.array()[at].text().parse::<u64>().unwrap();
        number(0) * SECOND + number(1)
    };
    let (start, calls) = replies.split_at(2);
    let place = start[0].integer() * 1000;
    let mut from = time(&start[1]);
    let calls = calls.chunks(3).zip(costs).zip(place..);
    let read = |((replies, &cost), place): ((&[Value], &u64), i64)| {
        let passed = replies[0].array()[0].integer() == pass;
        let to = time(&replies[2]);
        Seen {
            place,
            cost,
            from: std::mem::replace(&mut from, to),
            to,
            // Whatever the time does, no key expires within a transaction.
            passed_at: passed.then(|| match &replies[1] {
                Value::Bulk(state) => last_counted(state),
                other => panic!("not a state: {other:?}"),
            }),
        }
    };
    calls.map(read).collect()
}

/// Fails at the first call that the models would have answered otherwise.
#[track_caller]
fn assert_exact(calls: &[Seen], mut models: Vec<Model>, what: &str) {
    let mut now = 0;
    let mut passed = 0;
    for call in calls {
        match call.passed_at {
            Some(at) => {
                // A clock that was set back stands still.
                assert!(at == now || (call.from..=call.to).contains(&at), "{call:?}");
                now = at;
                let admitted = models.iter_mut().all(|m| m.admits(call.cost, now));
                assert!(admitted, "{what}: too many pass: {call:?}");
                models.iter_mut().for_each(|m| m.take(call.cost, now));
                passed += 1;
            }
            None => {
                // Who may not pass at some moment, may not pass before it either.
                let earliest = call.from.max(now);
                let admitted = models.iter_mut().all(|m| m.admits(call.cost, earliest));
                assert!(!admitted, "{what}: one too few passes: {call:?}");
            }
        }
    }
    assert!(passed > 0, "{what}: nothing passes");
    assert!(passed < calls.len(), "{what}: nothing is refused");
}

/// Fails unless a bucket delivers what comes in, wherever calls follow each other so closely that
/// it cannot run over between them.
#[track_caller]
fn assert_delivers(calls: &[Seen], capacity: u64, refill: u64, what: &str) {
    let tokens = |number: u64| u128::from(number) * TOKEN;
    let came_in: u128 = calls
        .windows(2)
        .filter(|pair| {
            let longest = pair[1].to.saturating_sub(pair[0].from);
            let most = tokens(pair[0].cost) + u128::from(longest * refill);
            pair[0].passed_at.is_none() && most <= tokens(capacity)
        })
        .map(|pair| u128::from(pair[1].from.saturating_sub(pair[0].to) * refill))
        .sum();
    let passed = calls.iter().filter(|call| call.passed_at.is_some());
    let went_out: u128 = passed.map(|call| tokens(call.cost)).sum();
    assert!(
        (went_out + tokens(capacity)) * 100 >= came_in * 99,
        "{what}: {went_out} of {came_in}"
    );
}

struct Random(u64);

impl Random {
    /// Small numbers as often as large ones.
    fn within(&mut self, (least, most): (u64, u64)) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let most = (most >> (self.0 % 10)).max(least);
        least + (self.0 >> 16) % (most - least + 1)
    }
}

#[test]
fn buckets_that_fill_within_a_millisecond_admit_their_rate() {
    let server = Server::start();
    for (refill, burst) in [(1050, 0), (6000, 4), (20_000, 18), (8000, 1)] {
        let capacity = burst + 1;
        for (line, pass) in [
            (format!("KEYNS.THROTTLE k {burst} {refill} 1"), 0),
            (format!("KEYNS.RATE k BUCKET {capacity} {refill} 1s"), 1),
        ] {
            let calls = Calls {
                line: &line,
                pass,
                costs: (1, 1),
                together: capacity as usize + 3,
            };
            let calls = hammer(&server, &calls);
            assert_exact(&calls, vec![Model::bucket(capacity, refill)], &line);
            assert_delivers(&calls, capacity, refill, &line);
        }
    }
}

#[test]
fn quotas_of_bytes_are_exact() {
    let server = Server::start();
    for refill in [150_000_000, 300_000_000, 700_000_000] {
        for (capacity, costs) in [
            (refill / 2000, (1000, refill / 4000)),
            (4_000_000, (1000, 3_000_000)),
        ] {
            let burst = capacity - 1;
            for (line, pass) in [
                (format!("KEYNS.THROTTLE k {burst} {refill} 1 COST"), 0),
                (
                    format!("KEYNS.RATE k BUCKET {capacity} {refill} 1s cost COST"),
                    1,
                ),
            ] {
                let calls = Calls {
                    line: &line,
                    pass,
                    costs,
                    together: 20,
                };
                let calls = hammer(&server, &calls);
                assert_exact(&calls, vec![Model::bucket(capacity, refill)], &line);
                assert_delivers(&calls, capacity, refill, &line);
            }
        }
    }
}

#[test]
fn windows_are_exact() {
    let server = Server::start();
    for (line, costs, models) in [
        ("FIXED 7 1ms", (1, 5), vec![Model::fixed(7, 1)]),
        ("FIXED 100 10ms", (3, 15), vec![Model::fixed(100, 10)]),
        ("SLIDING 7 1ms", (1, 5), vec![Model::sliding(7, 1)]),
        ("SLIDING 100 10ms", (3, 15), vec![Model::sliding(100, 10)]),
        ("SLIDING 500 50ms", (15, 75), vec![Model::sliding(500, 50)]),
        (
            "BUCKET 30 9000 1s FIXED 90 10ms SLIDING 45 4ms SLIDING 700 90ms",
            (1, 5),
            vec![
                Model::bucket(30, 9000),
                Model::fixed(90, 10),
                Model::sliding(45, 4),
                Model::sliding(700, 90),
            ],
        ),
    ] {
        let line = format!("KEYNS.RATE k {line} cost COST");
        let calls = Calls {
            line: &line,
            pass: 1,
            costs,
            together: 30,
        };
        let calls = hammer(&server, &calls);
        assert_exact(&calls, models, &line);
    }
}
