//! Any bytes in any argument get a reply, and never an internal error. The tests use the debug build
//! of the module, in which overflows and broken invariants panic.

use keyns::FAMILIES;
use keyns_testkit::{Client, Options, Random};

const CALLS: u32 = 30_000;
const PIPELINE: u32 = 100;

#[test]
fn random_arguments_get_a_reply_and_panic_nothing() {
    let server = Options::with_panic_command().start();
    let mut client = server.client();
    let mut random = Random::seeded(0x9E37_79B9_7F4A_7C15);
    let commands = FAMILIES
        .iter()
        .flat_map(|family| family.commands)
        .map(|command| command.spec.name.to_str().unwrap());
    let commands: Vec<&str> = commands.filter(|name| *name != "KEYNS.PANIC").collect();
    for _ in 0..CALLS / PIPELINE {
        for _ in 0..PIPELINE {
            let mut args = vec![random.pick(&commands).as_bytes().to_vec()];
            for _ in 0..random.below(7) {
                args.push(argument(&mut random));
            }
            client.send(&args).unwrap();
        }
        for _ in 0..PIPELINE {
            let reply = client.receive().unwrap();
            let internal = reply.is_error() && reply.text().contains("internal error");
            assert!(!internal, "{}", server.log());
        }
        disturb(&mut client, &mut random);
    }
    let info = client.run("INFO keyns").text();
    assert!(info.contains("keyns_panics:0\r\n"), "{info}");
}

/// Stores odd values where the commands keep their counts.
fn disturb(client: &mut Client, random: &mut Random) {
    let key = [
        *random.pick(&["doc", "a", "{t}:doc"]),
        *random.pick(&[":_seq", ":_slugs"]),
    ]
    .concat();
    match random.below(6) {
        0 => client.call(&["DEL", &key]),
        1 => client.call(&["SET", &key, "9223372036854775806"]),
        2 => client.call(&["SET", &key, "x"]),
        3 => client.call(&["HSET", &key, "intro", "9223372036854775807"]),
        4 => client.call(&["SET", &key, "5", "PX", "1"]),
        _ => client.call(&["LPUSH", &key, "x"]),
    };
}

fn argument(random: &mut Random) -> Vec<u8> {
    const WORDS: [&str; 48] = [
        "",
        "doc",
        "doc:",
        "a",
        "{t}:doc",
        ":",
        "::",
        "{",
        "intro",
        "Intro & Größe",
        "5 Dinge",
        "1.000,5 VaR",
        "!!!",
        "CONTENT",
        "WORDS",
        "KEEPSTOP",
        "LANG",
        "de",
        "NUMBERS",
        "ALL",
        "NONE",
        "SYMBOLS",
        "NOABBREV",
        "MAXLEN",
        "SHORTEN",
        "VOWELS",
        "WORD",
        "NUMBERING",
        "SLUG",
        "WIDTH",
        "COUNT",
        "BUCKET",
        "FIXED",
        "SLIDING",
        "COST",
        "1ms",
        "1500d",
        "-1",
        "12",
        "9223372036854775807",
        "PX",
        "EX",
        "FORCE",
        "BY",
        "GRAIN",
        "MINUTE",
        "AT",
        "KEEP",
    ];
    match random.below(10) {
        0 => {
            let length = random.below(40);
            random.bytes(length)
        }
        1 => vec![random.below(256) as u8; random.below(5000) as usize],
        2 => random.below(600).to_string().into_bytes(),
        _ => random.pick(&WORDS).as_bytes().to_vec(),
    }
}
