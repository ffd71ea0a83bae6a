//! Any bytes in any argument and anything under any key: always a reply, and nothing changes
//! unless it says so. The module under test is the one built for tests, in which overflows and
//! broken invariants panic.

use keyns_testkit::{Client, Options, Random, Server, Value};

const CALLS: u64 = 6000;
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// A call of every command that would do something, with the moment of its buckets.
const CALLS_OF_ALL: [&[&str]; 11] = [
    &["KEYNS.LOCK", "k", "me", "PX", "90000000"],
    &["KEYNS.EXTEND", "k", "me", "PX", "90000000"],
    &["KEYNS.UNLOCK", "k", "me"],
    &["KEYNS.SEEN", "k"],
    &["KEYNS.SEEN", "k", "EX", "90000000"],
    &["KEYNS.ADVANCE", "k", "90000000"],
    &["KEYNS.ADVANCE", "k", "-90000000", "EX", "90000000"],
    &["KEYNS.CHECKPOINT", "k", "90000000"],
    &["KEYNS.CHECKPOINT", "k", "-90000000", "FORCE"],
    &[
        "KEYNS.COUNT",
        "k",
        "BY",
        "90000000",
        "GRAIN",
        "YEAR",
        "GRAIN",
        "DAY",
        "GRAIN",
        "MINUTE",
        "AT",
        "1709251199",
        "KEEP",
        "90000000",
    ],
    &[
        "KEYNS.COUNT.RANGE",
        "k",
        "GRAIN",
        "DAY",
        "1709164800",
        "1709251199",
    ],
];

/// The buckets of the moment in the calls, by their grains.
const BUCKETS: [(&str, &str); 5] = [
    ("YEAR", "k:2024"),
    ("MONTH", "k:2024:02"),
    ("DAY", "k:2024:02:29"),
    ("HOUR", "k:2024:02:29:23"),
    ("MINUTE", "k:2024:02:29:23:59"),
];

/// How a call can come to the server.
#[derive(Clone, Copy, Debug)]
enum Way {
    Alone,
    InMulti,
    FromLua,
}

const WAYS: [Way; 3] = [Way::Alone, Way::InMulti, Way::FromLua];

impl Way {
    /// Makes a call and answers what it replies, by itself.
    #[track_caller]
    fn call<A: AsRef<[u8]>>(self, client: &mut Client, args: &[A]) -> Value {
        const SCRIPT: &str = "return redis.pcall(unpack(ARGV))";
        match self {
            Way::Alone => client.call(args),
            Way::InMulti => {
                let args = args.iter().map(AsRef::as_ref).collect();
                let calls: [Vec<&[u8]>; 3] = [vec![b"MULTI"], args, vec![b"EXEC"]];
                let [_, queued, executed] = client.pipeline(&calls).try_into().unwrap();
                match (executed, queued.is_error()) {
                    (Value::Error(_), true) => queued,
                    (Value::Array(mut replies), false) => replies.remove(0),
                    (other, _) => panic!("{other:?} after {queued:?}"),
                }
            }
            Way::FromLua => {
                let mut eval: Vec<&[u8]> = vec![b"EVAL", SCRIPT.as_bytes(), b"0"];
                eval.extend(args.iter().map(AsRef::as_ref));
                client.call(&eval)
            }
        }
    }
}

/// A server that has what it would write to its AOF there before it replies.
fn start() -> Server {
    Options::with_panic_command()
        .set("--appendonly", &["yes"])
        .set("--appendfsync", &["no"])
        .set("--auto-aof-rewrite-percentage", &["0"])
        .start()
}

/// All the data, and the length of all effects so far.
fn state(client: &mut Client) -> (String, String) {
    let calls = [vec!["DEBUG", "DIGEST"], vec!["INFO", "persistence"]];
    let [digest, info] = client.pipeline(&calls).try_into().unwrap();
    let size = info.text();
    let size = size
        .lines()
        .find(|line| line.starts_with("aof_current_size:"));
    (digest.text(), size.expect("the size of the AOF").to_owned())
}

/// Whether a reply says that something was written. One of a wrong shape is none at all.
#[track_caller]
fn says_written(call: &[Vec<u8>], reply: &Value) -> bool {
    let name = String::from_utf8_lossy(&call[0]).into_owned();
    match (name.as_str(), reply) {
        (_, Value::Error(error)) => {
            assert!(is_ours(error), "{}: {error}", show(call));
            false
        }
        ("KEYNS.LOCK", Value::Null) => false,
        ("KEYNS.LOCK", Value::Integer(1..)) => true,
        ("KEYNS.EXTEND" | "KEYNS.UNLOCK" | "KEYNS.SEEN", Value::Integer(0)) => false,
        ("KEYNS.EXTEND" | "KEYNS.UNLOCK" | "KEYNS.SEEN", Value::Integer(1)) => true,
        ("KEYNS.ADVANCE" | "KEYNS.CHECKPOINT", Value::Array(pair)) => match pair[..] {
            [Value::Integer(moved @ 0..=1), Value::Integer(_)] => moved == 1,
            _ => panic!("{}: {reply:?}", show(call)),
        },
        ("KEYNS.COUNT", Value::Array(counts)) => {
            let is_grain = |word: &&Vec<u8>| word.eq_ignore_ascii_case(b"GRAIN");
            assert_eq!(counts.len(), call[2..].iter().filter(is_grain).count());
            for count in counts {
                count.integer();
            }
            let by_zero = call
                .windows(2)
                .any(|pair| pair[0].eq_ignore_ascii_case(b"BY") && pair[1] == b"0");
            !by_zero
        }
        ("KEYNS.COUNT.RANGE", Value::Array(_)) => {
            let fields = reply.fields();
            fields["total"].integer();
            for bucket in fields["buckets"].array() {
                bucket.array()[1].integer();
            }
            false
        }
        _ => panic!("{}: {reply:?}", show(call)),
    }
}

fn show(call: &[Vec<u8>]) -> String {
    let words = call.iter().map(|word| format!("'{}'", word.escape_ascii()));
    words.collect::<Vec<_>>().join(" ")
}

/// Whether an error is one that the commands have.
fn is_ours(error: &str) -> bool {
    let is_readable = error.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    let known = [
        "wrong kind of value",
        "syntax error near '",
        "must be ",
        "must not be ",
        "is given twice",
        " needs a value",
        "does not hold an integer",
        "would overflow",
        "more than 10000",
        " is missing",
        // Of the server, in its words, from clients and from scripts.
        "wrong number of arguments",
        "Wrong number of args",
    ];
    is_readable && error.len() < 600 && known.iter().any(|words| error.contains(words))
}

#[test]
fn random_arguments_change_nothing_unless_the_reply_says_so() {
    let server = start();
    let mut client = server.client();
    let mut random = Random::seeded(SEED);
    let mut outcomes = [0; 3];
    let mut before = state(&mut client);
    for number in 0..CALLS {
        if random.once_in(5) {
            disturb(&mut client, &mut random);
            before = state(&mut client);
        }
        let call = random_call(&mut random);
        let way = *random.pick(&WAYS);
        let reply = way.call(&mut client, &call);
        let is_written = says_written(&call, &reply);
        let after = state(&mut client);
        assert_eq!(
            after != before,
            is_written,
            "seed {SEED:#x}, call {number} {way:?}, {}: {reply:?}",
            show(&call)
        );
        before = after;
        outcomes[usize::from(is_written) + 2 * usize::from(reply.is_error())] += 1;
    }
    let info = client.run("INFO keyns").text();
    assert!(info.contains("keyns_panics:0\r\n"), "{}", server.log());
    // All of it happened: refusals, writes and errors.
    assert!(
        outcomes.iter().all(|&count| count > CALLS / 10),
        "{outcomes:?}"
    );
}

/// A call that would do something, with this or that in its place.
fn random_call(random: &mut Random) -> Vec<Vec<u8>> {
    let words = random.pick(&CALLS_OF_ALL).iter();
    let mut call: Vec<Vec<u8>> = words.map(|word| word.as_bytes().to_vec()).collect();
    for _ in 0..*random.pick(&[0, 0, 1, 1, 2]) {
        let place = random.between(1, call.len() as i64 - 1) as usize;
        match random.below(8) {
            0 => drop(call.remove(place)),
            1 => call.insert(place, random_argument(random)),
            2 => call.push(call[place].clone()),
            _ => call[place] = random_argument(random),
        }
        if call.len() < 2 {
            break;
        }
    }
    call
}

/// None of them is a short time: what expires on its own is no change by a call.
fn random_argument(random: &mut Random) -> Vec<u8> {
    const WORDS: [&str; 20] = [
        "k", "me", "", ":", "{", "{}", "px", "EX", "NX", "BY", "at", "KEEP", "GRAIN", "grain",
        "HOUR", "month", "WEEK", "FORCE", "k:2024", "*",
    ];
    const LIMITS: [&str; 13] = [
        "0",
        "-1",
        "9223372036854775807",
        "-9223372036854775808",
        "100000000000",
        "100000000001",
        "100000000000000",
        "100000000000001",
        "253402300799",
        "253402300800",
        "9d",
        "100000000000000ms",
        "9223372036854775807d",
    ];
    match random.below(10) {
        0 => {
            let length = random.below(40);
            [vec![0x80], random.bytes(length)].concat()
        }
        1 => vec![*random.pick(b"\0x\xFF'"); random.below(5000) as usize],
        2 => random.pick(&NO_NUMBERS).as_bytes().to_vec(),
        3..=5 => random.pick(&LIMITS).as_bytes().to_vec(),
        _ => random.pick(&WORDS).as_bytes().to_vec(),
    }
}

/// Puts something odd under a key that the calls use.
fn disturb(client: &mut Client, random: &mut Random) {
    let (_, bucket) = *random.pick(&BUCKETS);
    let key = *random.pick(&["k", bucket]);
    client.call(&["DEL", key]);
    let length = random.below(4096);
    let bytes = random.bytes(length);
    let odd = *random.pick(&NO_NUMBERS);
    match random.below(14) {
        0 => client.run("FLUSHALL"),
        1 => client.call(&[b"SET", key.as_bytes(), &bytes]),
        2 => client.call(&["SET", key, odd]),
        3 => client.call(&["SET", key, "9223372036854775807"]),
        4 => client.call(&["SET", key, "-9223372036854775808", "PX", "90000000"]),
        5 | 6 => client.call(&["SET", key, "me"]),
        7 => client.call(&["SET", key, "90000000", "PX", "90000000"]),
        8 => client.call(&["HSET", key, "position", odd]),
        9 => client.call(&["HSET", key, "position", "5", "moves", odd]),
        10 => client.call(&["HSET", key, "position", "5", "moves", "9223372036854775807"]),
        _ => {
            let (_, command) = *random.pick(&KINDS);
            client.run(&command.replace('#', key))
        }
    };
}

/// Every type but a string and a hash, and two more kinds of strings, by how they are made.
const KINDS: [(&str, &str); 7] = [
    ("list", "RPUSH # 1"),
    ("set", "SADD # 1"),
    ("zset", "ZADD # 1 1"),
    ("stream", "XADD # * position 1"),
    ("hash", "HSET # field 1"),
    ("string", "PFADD # 1"),
    ("string", "SETBIT # 1000 1"),
];

#[test]
fn a_key_of_another_type_stays_what_it_is() {
    const WRONG_TYPE: &str = "WRONGTYPE Operation against a key holding the wrong kind of value";
    const NO_INTEGER: &str = "ERR 'k' does not hold an integer";
    let server = start();
    let mut client = server.client();
    for (kind, command) in KINDS {
        client.run("DEL k");
        client.run(&command.replace('#', "k"));
        let before = state(&mut client);
        for call in CALLS_OF_ALL {
            let error = match (call[0], kind) {
                // They use other keys than this one.
                ("KEYNS.COUNT" | "KEYNS.COUNT.RANGE", _) => continue,
                ("KEYNS.CHECKPOINT", "hash") => continue,
                ("KEYNS.ADVANCE", "string") => Some(NO_INTEGER),
                ("KEYNS.CHECKPOINT", _) => Some(WRONG_TYPE),
                (_, "string") => None,
                _ => Some(WRONG_TYPE),
            };
            for way in WAYS {
                let reply = way.call(&mut client, call);
                match error {
                    Some(error) => assert_eq!(reply, Value::Error(error.into()), "{call:?}"),
                    // Somebody else's lock, or something that was seen.
                    None => assert!(matches!(reply, Value::Null | Value::Integer(0))),
                }
                assert_eq!(state(&mut client), before, "{call:?} on a {kind}");
            }
        }
        assert_eq!(client.run("TYPE k").text(), kind);
    }
}

#[test]
fn a_bucket_of_another_type_lets_nothing_be_counted() {
    let server = start();
    let mut client = server.client();
    for (wrong, bucket) in BUCKETS {
        for (kind, command) in KINDS {
            client.run("FLUSHALL");
            client.run(&command.replace('#', bucket));
            let before = state(&mut client);
            let error = match kind {
                "string" => format!("ERR '{bucket}' does not hold an integer"),
                _ => format!(
                    "WRONGTYPE Operation against a key holding the wrong kind of value: '{bucket}'"
                ),
            };
            let error = Value::Error(error);
            // The others would be counted before it, and after.
            let mut grains = BUCKETS.map(|(grain, _)| ["GRAIN", grain]).concat();
            let range = [
                "KEYNS.COUNT.RANGE",
                "k",
                "GRAIN",
                wrong,
                "1709251199",
                "1709251199",
            ];
            for way in WAYS {
                for by in ["1", "0", "-1"] {
                    let mut call = vec!["KEYNS.COUNT", "k", "AT", "1709251199", "BY", by];
                    call.extend(&grains);
                    assert_eq!(way.call(&mut client, &call), error, "{call:?}");
                    assert_eq!(state(&mut client), before, "{call:?}");
                }
                grains.rotate_left(4);
                assert_eq!(way.call(&mut client, &range), error);
                assert_eq!(state(&mut client), before, "{range:?}");
            }
        }
    }
}

#[test]
fn a_checkpoint_with_odd_fields_moves_only_by_force() {
    let server = start();
    let mut client = server.client();
    for odd in NO_NUMBERS.into_iter().chain(["\0", "1\0", "5\n"]) {
        for (field, other) in [("position", "moves"), ("moves", "position")] {
            client.run("DEL k");
            client.call(&["HSET", "k", field, odd, other, "5", "name", "reader"]);
            let before = state(&mut client);
            let error = format!("ERR the field {field} of 'k' does not hold an integer");
            for way in WAYS {
                for position in ["4", "5", "6"] {
                    let call = ["KEYNS.CHECKPOINT", "k", position];
                    let reply = way.call(&mut client, &call);
                    assert_eq!(reply, Value::Error(error.clone()), "{field}: {odd:?}");
                    assert_eq!(state(&mut client), before, "{field}: {odd:?}");
                }
            }
            let reply = client.run("KEYNS.CHECKPOINT k 3 FORCE");
            assert_eq!(reply, Value::Array([1, 3].map(Value::Integer).into()));
            let name = client.run("HGET k name").text();
            assert_eq!(name, "reader");
        }
    }
}

/// What no integer is written like.
const NO_NUMBERS: [&str; 18] = [
    "",
    " ",
    "-",
    "-0",
    "+1",
    " 1",
    "1 ",
    "01",
    "--1",
    "1e3",
    "1.0",
    "0x10",
    "1_000",
    "\u{661}",
    "inf",
    "9223372036854775808",
    "-9223372036854775809",
    "99999999999999999999999999999999",
];

#[test]
fn a_number_must_be_written_as_redis_writes_it() {
    let server = start();
    let mut client = server.client();
    client.run("SET k me");
    client.run("SET revision 5");
    client.run("HSET reader position 5");
    let before = state(&mut client);
    for line in [
        "KEYNS.LOCK k me EX #",
        "KEYNS.LOCK k me PX #",
        "KEYNS.EXTEND k me EX #",
        "KEYNS.EXTEND k me PX #",
        "KEYNS.SEEN new EX #",
        "KEYNS.ADVANCE revision #",
        "KEYNS.ADVANCE revision 9 EX #",
        "KEYNS.CHECKPOINT reader #",
        "KEYNS.CHECKPOINT reader # FORCE",
        "KEYNS.COUNT hits BY # GRAIN DAY",
        "KEYNS.COUNT hits GRAIN DAY AT #",
        "KEYNS.COUNT hits GRAIN DAY KEEP #",
        "KEYNS.COUNT.RANGE hits GRAIN DAY # 0",
        "KEYNS.COUNT.RANGE hits GRAIN DAY 0 #",
    ] {
        for text in NO_NUMBERS.into_iter().chain(["1\0", "\0"]) {
            let word = |word| if word == "#" { text } else { word };
            let call: Vec<&str> = line.split(' ').map(word).collect();
            for way in WAYS {
                let reply = way.call(&mut client, &call).text();
                let expected = match ["EX #", "KEEP #"].iter().any(|end| line.ends_with(end)) {
                    true => ", 2h or 7d, got '",
                    false => " must be an integer between ",
                };
                assert!(reply.contains(expected), "{line} with {text:?}: {reply}");
            }
        }
        assert_eq!(state(&mut client), before, "{line}");
    }
}

#[test]
fn an_argument_may_be_empty_or_a_megabyte_long() {
    let server = start();
    let mut client = server.client();
    let long = vec![b'7'; 1 << 20];
    let nuls = vec![0; 1 << 20];
    for call in CALLS_OF_ALL {
        for place in 1..call.len() {
            for argument in [b"", b"\0", b"\r\n", b"\xFF\xFE", &long, &nuls] as [&[u8]; 6] {
                let mut call: Vec<Vec<u8>> = call.iter().map(|w| w.as_bytes().to_vec()).collect();
                call[place] = argument.to_vec();
                for way in WAYS {
                    client.run("FLUSHALL");
                    let before = state(&mut client);
                    let reply = way.call(&mut client, &call);
                    let is_written = says_written(&call, &reply);
                    let is_changed = state(&mut client) != before;
                    assert_eq!(is_changed, is_written, "argument {place}: {reply:?}");
                }
            }
        }
    }
    let info = client.run("INFO keyns").text();
    assert!(info.contains("keyns_panics:0\r\n"), "{}", server.log());
}
