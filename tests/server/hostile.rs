//! Any bytes in any argument get a reply, and never an internal error. The module under test is the
//! one built for tests, in which overflows and broken invariants panic.

use keyns::commands::ALL;

use crate::support::{Client, Options};

const CALLS: u32 = 30_000;
const PIPELINE: u32 = 100;

#[test]
fn random_arguments_get_a_reply_and_panic_nothing() {
    let server = Options::with_panic_command().start();
    let mut client = server.client();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let commands: Vec<&str> = ALL
        .iter()
        .map(|command| command.spec.name.to_str().unwrap())
        .filter(|name| *name != "KEYNS.PANIC")
        .collect();
    for _ in 0..CALLS / PIPELINE {
        for _ in 0..PIPELINE {
            let mut args = vec![random.pick(&commands).as_bytes().to_vec()];
            for _ in 0..random.below(7) {
                args.push(random.argument());
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

/// Puts something odd where the commands keep their counts.
fn disturb(client: &mut Client, random: &mut Random) {
    let key = [
        random.pick(&["doc", "a", "{t}:doc"]),
        random.pick(&[":_seq", ":_slugs"]),
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

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }

    fn argument(&mut self) -> Vec<u8> {
        const WORDS: [&str; 40] = [
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
        ];
        match self.below(10) {
            0 => (0..self.below(40)).map(|_| self.below(256) as u8).collect(),
            1 => vec![self.below(256) as u8; self.below(5000) as usize],
            2 => self.below(600).to_string().into_bytes(),
            _ => self.pick(&WORDS).as_bytes().to_vec(),
        }
    }
}
