//! Every key that the README, the tour and the guides show passes `KEYNS.CHECK`.
//!
//! Readers copy these keys, and load the presets that the same pages suggest. So a test plays each
//! page on a live server: its `redis-cli` blocks, and every line with redis-cli in its `sh` and
//! `console` blocks. MONITOR and keyspace events then name the keys that the page used, including
//! those that commands derived. Another server judges them. It has the presets `documents` and
//! `general`, the presets that the page mentions, and the namespaces that the page defines.
//!
//! | on | no key may be |
//! |---|---|
//! | every page | `BAD_FORMAT`: it resembles the keys of a namespace, and breaks its pattern |
//! | a page that mentions a preset | `NO_NAMESPACE` either, unless it follows the naming convention |

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use keyns_testkit::{Client, PRESETS, Server, namespaces_json, printed, repository, texts};

use super::doc_examples::{read_examples, redis_cli};

macro_rules! pages {
    ($($test:ident: $page:literal,)*) => {
        const PAGES: &[&str] = &[$($page),*];

        $(
            #[test]
            fn $test() {
                every_key_follows_the_presets($page);
            }
        )*
    };
}

pages! {
    readme: "README.md",
    tour: "docs/tour.md",
    counters: "docs/guides/counters.md",
    documents: "docs/guides/documents.md",
    events: "docs/guides/events.md",
    locks: "docs/guides/locks.md",
    namespaces: "docs/guides/namespaces.md",
    rate_limits: "docs/guides/rate-limits.md",
}

/// Their first argument is a prefix. The counter below it stands for the names they make.
const TAKE_A_PREFIX: [&str; 3] = ["KEYNS.MAKE", "KEYNS.NEXTID", "KEYNS.INGESTMD"];

/// The page itself shows what this command says about a key.
const JUDGES: &str = "KEYNS.CHECK";

#[track_caller]
fn every_key_follows_the_presets(page: &str) {
    let text = fs::read_to_string(repository().join(page)).unwrap();
    let mentioned = mentioned_presets(&text);
    let judge = Judge::with(&mentioned);
    let mut stage = Stage::set(&text);
    let (mut wrong, mut count) = (BTreeSet::new(), 0);
    let mut look = |stage: &mut Stage| {
        judge.learn(&stage.client.namespaces());
        for key in stage.used_keys() {
            count += 1;
            wrong.extend(judge.complaint(&key));
        }
    };
    for examples in read_examples(page).chunk_by(|one, next| one.block == next.block) {
        redis_cli(stage.server.port, examples);
        look(&mut stage);
    }
    for line in shell_lines(&text) {
        stage.run(&line);
        look(&mut stage);
    }
    assert!(count > 0, "{page} shows no key");
    assert!(wrong.is_empty(), "{page}: {wrong:#?}");
}

/// Decides whether a page may show a key.
struct Judge {
    presets: Server,
    convention: Server,
    /// Whether a key needs a namespace, or has to follow the convention.
    is_strict: bool,
}

impl Judge {
    #[track_caller]
    fn with(mentioned: &[&str]) -> Judge {
        let presets = Server::start();
        for preset in ["documents", "general"].iter().chain(mentioned) {
            let reply = presets
                .client()
                .call(&["KEYNS.NS.PRESET", preset, "REPLACE"]);
            assert!(!reply.is_error(), "{preset}: {reply:?}");
        }
        Judge {
            presets,
            convention: Server::start(),
            is_strict: !mentioned.is_empty(),
        }
    }

    /// Takes in the namespaces that a page has defined so far.
    #[track_caller]
    fn learn(&self, namespaces: &str) {
        let mut client = self.presets.client();
        let reply = client.call(&["KEYNS.NS.LOAD", namespaces, "REPLACE"]);
        assert!(!reply.is_error(), "{reply:?}");
    }

    #[track_caller]
    fn complaint(&self, key: &str) -> Option<String> {
        let problems = self.presets.client().problems(key);
        let is = |code: &str| problems.iter().any(|problem| problem == code);
        // Without namespaces, KEYNS.CHECK goes by the naming convention.
        let is_stray = || !self.convention.client().problems(key).is_empty();
        let is_wrong = is("BAD_FORMAT") || (self.is_strict && is("NO_NAMESPACE") && is_stray());
        is_wrong.then(|| format!("{key}: {problems:?}"))
    }
}

#[test]
fn the_judge_knows_presets_namespaces_and_the_convention() {
    let judge = Judge::with(&["general"]);
    for good in [
        "rate:api:ada",
        "lock:a:b",
        "{acme}:doc:intro:001",
        "doc:_seq",
    ] {
        assert_eq!(judge.complaint(good), None);
    }
    for bad in ["rate:eva", "visits:home", "manual:intro:001", "press"] {
        assert!(judge.complaint(bad).is_some(), "{bad}");
    }
    judge.learn(&namespaces_json(&[("visits", "visits:<page>")]));
    assert_eq!(judge.complaint("visits:home"), None);

    let lenient = Judge::with(&[]);
    assert_eq!(lenient.complaint("visits:home"), None);
    assert!(lenient.complaint("rate:eva").is_some());
}

#[test]
fn every_guide_is_played() {
    for entry in fs::read_dir(repository().join("docs/guides")).unwrap() {
        let name = entry.unwrap().file_name();
        let page = format!("docs/guides/{}", name.to_str().unwrap());
        let is_a_list = page.ends_with("README.md");
        assert_eq!(PAGES.contains(&page.as_str()), !is_a_list, "{page}");
    }
}

/// The presets that a page names where it speaks of presets.
fn mentioned_presets(text: &str) -> Vec<&'static str> {
    let lines = || {
        text.lines()
            .filter(|line| line.to_lowercase().contains("preset"))
    };
    let names = |line: &str, preset: &str| {
        line.contains(&format!("`{preset}`")) || line.contains(&format!("PRESET {preset}"))
    };
    let mut presets = PRESETS.to_vec();
    presets.retain(|preset| lines().any(|line| names(line, preset)));
    presets
}

#[test]
fn a_preset_is_mentioned_by_its_name() {
    let names = |text| mentioned_presets(text);
    assert_eq!(names("`KEYNS.NS.PRESET general` loads it"), ["general"]);
    assert_eq!(names("the preset `documents`"), ["documents"]);
    assert_eq!(names("the presets are general"), [""; 0]);
    assert_eq!(names("`general` questions"), [""; 0]);
}

/// Marks the end of what the listeners receive.
const MARK: &str = "mark:of:the:end";

/// A server that plays a page, with two listeners, and a folder for its shell.
struct Stage {
    server: Server,
    client: Client,
    monitor: Client,
    listener: Client,
}

impl Stage {
    /// In the folder, redis-cli talks to this server whatever port the page names, and the files
    /// that the page reads exist.
    #[track_caller]
    fn set(text: &str) -> Stage {
        let server = Server::start();
        let which = ["-c", "command -v redis-cli"];
        let real = printed(Command::new("sh").args(which).output().unwrap());
        let program = server.dir.join("redis-cli");
        let script = format!(
            "#!/bin/sh\nif [ \"$1\" = -p ]; then shift 2; fi\nexec {} -p {} \"$@\"\n",
            real.trim(),
            server.port
        );
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        for name in ["docs", "README.md"] {
            symlink(repository().join(name), server.dir.join(name)).unwrap();
        }
        fs::write(server.dir.join("handbook.md"), "# Risk\n\nMeasure it.\n").unwrap();
        let json = text.split_once("\n```json\n").map_or("", |(_, rest)| rest);
        let json = json.split("\n```").next().unwrap();
        fs::write(server.dir.join("shop.json"), json).unwrap();

        let mut client = server.client();
        client.run("CONFIG SET notify-keyspace-events KEA");
        let mut monitor = server.client();
        monitor.run("MONITOR");
        let mut listener = server.client();
        listener.run("PSUBSCRIBE __keyevent@0__:*");
        Stage {
            server,
            client,
            monitor,
            listener,
        }
    }

    #[track_caller]
    fn run(&self, line: &str) {
        let dir = &self.server.dir;
        let path = format!("{}:{}", dir.display(), std::env::var("PATH").unwrap());
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).env("PATH", path).current_dir(dir);
        printed(shell.output().unwrap());
    }

    /// The keys used since the last call of this function.
    #[track_caller]
    fn used_keys(&mut self) -> BTreeSet<String> {
        self.client.call(&["SET", MARK, ""]);
        let mut keys = BTreeSet::new();
        while !keys.contains(MARK) {
            let words = words(&self.monitor.receive().unwrap().text());
            keys.extend(declared_keys(&mut self.client, &words));
        }
        keys.remove(MARK);
        while !keys.contains(MARK) {
            keys.insert(self.listener.receive().unwrap().array()[3].text());
        }
        keys.remove(MARK);
        keys
    }
}

/// The keys that a command names.
fn declared_keys(client: &mut Client, words: &[String]) -> Vec<String> {
    let name = words.first().map_or(String::new(), |it| it.to_uppercase());
    if name == JUDGES || TAKE_A_PREFIX.contains(&name.as_str()) {
        return Vec::new();
    }
    let ask = ["COMMAND", "GETKEYS"].map(String::from);
    let keys = client.call(&[&ask, words].concat());
    // Most commands without keys return an error here.
    if keys.is_error() {
        Vec::new()
    } else {
        texts(&keys)
    }
}

/// The lines with redis-cli in `sh` and `console` blocks, each with its continuation lines.
fn shell_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let (mut fence, mut goes_on) = ("", false);
    for line in text.lines() {
        if let Some(language) = line.strip_prefix("```") {
            (fence, goes_on) = (language, false);
        } else if fence == "sh" {
            lines.push(line.to_owned());
        } else if fence == "console" {
            if let Some(command) = line.strip_prefix("$ ") {
                lines.push(command.to_owned());
                goes_on = true;
            } else {
                goes_on &= line.starts_with("  ");
                if let Some(last) = lines.last_mut().filter(|_| goes_on) {
                    *last += &format!("\n{line}");
                }
            }
        }
    }
    lines.retain(|line| line.contains("redis-cli "));
    lines
}

/// The words of a line of MONITOR: `1339518083.107412 [0 127.0.0.1:60866] "GET" "a\"b"`.
fn words(line: &str) -> Vec<String> {
    let (_, rest) = line.split_once("] ").unwrap_or_default();
    let mut words = Vec::new();
    let mut rest = rest.chars();
    while rest.find(|c| *c == '"').is_some() {
        let mut word = String::new();
        while let Some(c) = rest.next().filter(|c| *c != '"') {
            match c {
                '\\' => word.extend(rest.next()),
                c => word.push(c),
            }
        }
        words.push(word);
    }
    words
}

#[test]
fn words_of_the_monitor_keep_their_quotes() {
    let line = r#"1.5 [0 lua] "KEYNS.ADVANCE" "ver:\"x\"" "3""#;
    assert_eq!(words(line), ["KEYNS.ADVANCE", "ver:\"x\"", "3"]);
    assert_eq!(words("OK"), [""; 0]);
}
