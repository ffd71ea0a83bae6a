//! One spec per command: the live server and the pages in docs/commands say what it says.

use std::collections::BTreeMap;
use std::fs;

use keyns::FAMILIES;
use keyns::server::spec::{Argument, KeyAccess, Kind, Spec, Which};
use keyns_testkit::{Options, Server, Value};

fn text(text: &std::ffi::CStr) -> &str {
    text.to_str().unwrap()
}

fn specs() -> impl Iterator<Item = &'static Spec> {
    FAMILIES
        .iter()
        .flat_map(|family| family.commands)
        .map(|command| &command.spec)
}

/// The server with every command, including the one for tests.
fn start() -> Server {
    Options::with_panic_command().start()
}

/// `fast` promises about the time of a single `GET`.
#[test]
fn no_command_that_takes_any_number_of_keys_is_fast() {
    let follow = |which: &Which| matches!(which, Which::AllThatFollow);
    let many = specs().filter(|spec| spec.keys.as_ref().is_some_and(|keys| follow(&keys.which)));
    let many: Vec<_> = many.collect();
    assert!(many.len() > 1);
    for spec in many {
        assert!(!text(spec.flags).contains("fast"), "{:?}", spec.name);
        assert!(
            text(spec.acl_categories).contains("slow"),
            "{:?}",
            spec.name
        );
    }
}

#[test]
fn the_server_knows_exactly_our_commands() {
    let server = start();
    let listed = server.client().run("COMMAND LIST FILTERBY MODULE keyns");
    let mut listed: Vec<_> = listed
        .array()
        .iter()
        .map(|n| n.text().to_uppercase())
        .collect();
    let mut ours: Vec<_> = specs().map(|spec| text(spec.name).to_owned()).collect();
    listed.sort();
    ours.sort();
    assert_eq!(listed, ours);
}

#[test]
fn command_info_says_what_the_spec_says() {
    let server = start();
    let mut client = server.client();
    for spec in specs() {
        let name = text(spec.name);
        let reply = client.call(&["COMMAND", "INFO", name]);
        let info = reply.array()[0].array();
        assert_eq!(info[0].text().to_uppercase(), name);
        assert_eq!(info[1].integer(), i64::from(spec.arity), "{name}");
        let flags: Vec<_> = info[2].array().iter().map(Value::text).collect();
        for flag in text(spec.flags).split(' ') {
            assert!(
                flags.contains(&flag.replace("deny-oom", "denyoom")),
                "{name}: {flags:?}"
            );
        }
        let categories: Vec<_> = info[6].array().iter().map(Value::text).collect();
        if server.has_module_categories() {
            for category in text(spec.acl_categories).split(' ') {
                assert!(
                    categories.contains(&format!("@{category}")),
                    "{name}: {categories:?}"
                );
            }
        }
        let (first, last, step) = match spec.keys {
            None => (0, 0, 0),
            Some(keys) => match keys.which {
                Which::One => (keys.first, keys.first, 1),
                Which::AllThatFollow => (keys.first, -1, 1),
                // No range: clients have to ask COMMAND GETKEYS, or read the key specs.
                Which::Counted => (0, 0, 0),
            },
        };
        let range: Vec<_> = info[3..6].iter().map(Value::integer).collect();
        assert_eq!(range, [first.into(), last.into(), step], "{name}");
        let key_specs = info[8].array();
        assert_eq!(key_specs.len(), usize::from(spec.keys.is_some()), "{name}");
        if let Some(keys) = spec.keys {
            let flags = key_specs[0].fields()["flags"].clone();
            let flags: Vec<_> = flags.array().iter().map(Value::text).collect();
            let expected: &[&str] = match keys.access {
                KeyAccess::Read => &["RO", "access"],
                KeyAccess::ReadAndUpdate => &["RW", "access", "update"],
            };
            assert_eq!(flags, expected, "{name}");
        }
    }
}

#[test]
fn command_docs_says_what_the_spec_says() {
    let server = start();
    let mut client = server.client3();
    for spec in specs() {
        let name = text(spec.name);
        let reply = client.call(&["COMMAND", "DOCS", name]).fields();
        let docs = reply.into_values().next().unwrap().fields();
        assert_eq!(docs["summary"].text(), text(spec.summary));
        assert_eq!(docs["since"].text(), text(spec.since));
        assert_eq!(docs["complexity"].text(), text(spec.complexity));
        assert_eq!(docs["module"].text(), "keyns");
        let arguments: Vec<_> = spec.arguments().collect();
        match docs.get("arguments") {
            Some(described) => compare_arguments(name, &arguments, described.array()),
            None => assert!(arguments.is_empty(), "{name}"),
        }
    }
}

fn compare_arguments(command: &str, arguments: &[Argument], described: &[Value]) {
    assert_eq!(described.len(), arguments.len(), "{command}");
    for (argument, described) in arguments.iter().zip(described) {
        let fields: BTreeMap<_, _> = described.fields();
        assert_eq!(fields["name"].text(), argument.name(), "{command}");
        let kind = match argument.kind {
            Kind::Text => "string",
            Kind::Integer => "integer",
            Kind::Key => "key",
            Kind::Token => "pure-token",
            Kind::OneOf(_) => "oneof",
            Kind::Block(_) => "block",
        };
        if let Kind::OneOf(inner) | Kind::Block(inner) = argument.kind {
            let inner: Vec<_> = inner.iter().collect();
            compare_arguments(command, &inner, fields["arguments"].array());
        }
        assert_eq!(fields["type"].text(), kind, "{command}");
        let token = fields.get("token").map(Value::text);
        assert_eq!(token.as_deref(), argument.token, "{command}");
        let flags: Vec<_> = match fields.get("flags") {
            Some(flags) => flags.array().iter().map(Value::text).collect(),
            None => Vec::new(),
        };
        assert_eq!(
            flags.contains(&"optional".into()),
            argument.optional,
            "{command}"
        );
        assert_eq!(
            flags.contains(&"multiple".into()),
            argument.multiple,
            "{command}"
        );
    }
}

#[test]
fn command_getkeys_finds_the_keys() {
    let server = start();
    let mut client = server.client();
    for (line, keys) in [
        ("KEYNS.NEXTID doc COUNT 5", &["doc"][..]),
        ("KEYNS.MAKE {acme}:doc text WIDTH 5", &["{acme}:doc"]),
        ("KEYNS.CHECK a b c", &["a", "b", "c"]),
        ("KEYNS.PARSE doc:intro:001", &["doc:intro:001"]),
        ("KEYNS.RATE k BUCKET 5 1 1s FIXED 9 1h COST 2", &["k"]),
        (
            "KEYNS.RATE.ALL 2 k l FIXED 9 1h AND FIXED 5 1s MAP",
            &["k", "l"],
        ),
        ("KEYNS.RATE.PEEK k SLIDING 5 1s", &["k"]),
        ("KEYNS.RATE.REFUND k SLIDING 5 1s COST 1", &["k"]),
        ("KEYNS.RATE.BLOCK k 1h", &["k"]),
        ("KEYNS.THROTTLE k 5 10 60 1", &["k"]),
    ] {
        let reply = client.run(&format!("COMMAND GETKEYS {line}"));
        let found: Vec<_> = reply.array().iter().map(Value::text).collect();
        assert_eq!(found, keys, "{line}");
    }
}

#[test]
fn the_documentation_says_what_the_spec_says() {
    for spec in specs().filter(|spec| text(spec.name) != "KEYNS.PANIC") {
        let name = text(spec.name);
        let path = format!(
            "{}/docs/commands/{}.md",
            env!("CARGO_MANIFEST_DIR"),
            spec.family.name.replace('_', "-")
        );
        let page = fs::read_to_string(&path).unwrap();
        let start = page
            .find(&format!("\n## {name}\n"))
            .unwrap_or_else(|| panic!("{name} in {path}"));
        let section = &page[start + 1..];
        let section = &section[..section.find("\n## ").unwrap_or(section.len())];
        let keys = match spec.keys {
            None => "none".to_owned(),
            Some(keys) => {
                let which = match keys.which {
                    Which::One => format!("argument {}", keys.first),
                    Which::AllThatFollow => format!("arguments {} and up", keys.first),
                    Which::Counted => format!(
                        "arguments {} and up, as many as argument {} says",
                        keys.first,
                        keys.first - 1
                    ),
                };
                let access = match keys.access {
                    KeyAccess::Read => "read",
                    KeyAccess::ReadAndUpdate => "read and updated",
                };
                format!("{which}, {access}")
            }
        };
        let categories: Vec<_> = text(spec.acl_categories)
            .split(' ')
            .map(|c| format!("@{c}"))
            .collect();
        for expected in [
            format!("```syntax\n{}\n```", spec.syntax()),
            format!("| Since | {} |", text(spec.since)),
            format!("| Complexity | {} |", text(spec.complexity)),
            format!("| Flags | `{}` |", text(spec.flags)),
            format!("| ACL categories | `{}` |", categories.join(" ")),
            format!("| Keys | {keys} |"),
            format!("| Reply | {} |", spec.reply),
            text(spec.summary).to_owned(),
        ] {
            assert!(
                section.contains(&expected),
                "{name}: {path} lacks\n{expected}"
            );
        }
    }
}
