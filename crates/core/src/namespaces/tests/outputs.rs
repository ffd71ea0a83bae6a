//! JSON in and out, the page and the rules.

use proptest::prelude::*;
use proptest::sample::select;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::samples::any_pattern;
use super::*;

/// All fields in use.
const JSON: &str = r#"{
  "namespaces": [
    {
      "name": "lock",
      "pattern": "lock:<name>",
      "ttl": 30,
      "class": "EVICTABLE",
      "type": "string"
    },
    {
      "name": "session",
      "pattern": "session:<sid:hex>[:<attribute>]",
      "ttl": 1800,
      "class": "TEMPORARY",
      "type": "hash",
      "owner": "web",
      "description": "What a visitor does; see the \"handbook\"."
    },
    {
      "name": "user",
      "pattern": "user:<id:int>",
      "class": "PROTECTED"
    }
  ]
}"#;

fn loaded(json: &str) -> Registry {
    let mut registry = Registry::new();
    registry
        .load(json.as_bytes(), Existing::Replace, usize::MAX)
        .unwrap();
    registry
}

#[test]
fn json_is_read_as_it_is_written() {
    let registry = loaded(JSON);
    assert_eq!(registry.len(), 3);
    assert_eq!(registry.to_json(), JSON);
    let session = registry.get(b"session").unwrap();
    assert_eq!(session.key_type(), Some(KeyType::Hash));
    assert_eq!(session.owner(), Some("web"));
    assert_eq!(Registry::new().to_json(), "{\n  \"namespaces\": []\n}");
}

#[test]
fn json_may_leave_out_what_follows_from_the_rest() {
    let registry = loaded(
        r#"{"namespaces":[{"pattern":"b:<x>","name":"b","ttl":60},{"name":"a","pattern":"a",
        "ttl":null,"class":null,"type":null,"owner":null,"description":null},
        {"name":"c","pattern":"c","ttl":5,"class":"evictable","type":"ZSET"}]}"#,
    );
    let classes: Vec<Class> = registry.iter().map(Namespace::class).collect();
    assert_eq!(
        classes,
        [Class::Protected, Class::Temporary, Class::Evictable]
    );
}

#[test]
fn loading_replaces_by_name_or_all() {
    let mut registry = registry(&["a:<x>", "b:<x>", "c:<x>"]);
    let swap =
        br#"{"namespaces":[{"name":"n0","pattern":"b:<y>"},{"name":"n1","pattern":"a:<y>"}]}"#;
    assert_eq!(registry.load(swap, Existing::Replace, usize::MAX), Ok(2));
    assert_eq!(registry.len(), 3);
    assert_eq!(registry.find(b"a:1").unwrap().namespace.name(), "n1");
    assert_eq!(registry.load(swap, Existing::Flush, usize::MAX), Ok(2));
    assert_eq!(registry.len(), 2);
}

#[test]
fn every_mistake_in_json_names_its_place() {
    let entry =
        |fields: &str| format!(r#"{{"namespaces":[{{"name":"ok","pattern":"ok"}},{fields}]}}"#);
    let around = "JSON: must be an object with the field 'namespaces'";
    let cases: Vec<(String, &str)> = vec![
        (
            "".into(),
            "JSON: EOF while parsing a value at line 1 column 0",
        ),
        (
            "{\n\"namespaces\": [}".into(),
            "JSON: expected value at line 2 column 16",
        ),
        (
            "{} x".into(),
            "JSON: trailing characters at line 1 column 4",
        ),
        ("[]".into(), around),
        ("{}".into(), around),
        ("null".into(), around),
        (
            r#"{"namespaces":{}}"#.into(),
            "JSON: 'namespaces' must be an array",
        ),
        (
            r#"{"namespaces":[],"x":1}"#.into(),
            "JSON: unknown field 'x', expected namespaces",
        ),
        (
            r#"{"namespaces":[],"namespaces":[]}"#.into(),
            "JSON: the field 'namespaces' appears twice",
        ),
        (entry("3"), "namespace at index 1: must be an object"),
        (
            entry("{}"),
            "namespace at index 1: the field 'name' is missing",
        ),
        (
            entry(r#"{"name":"a"}"#),
            "namespace 'a': the field 'pattern' is missing",
        ),
        (
            entry(r#"{"name":null,"pattern":"a"}"#),
            "namespace at index 1: name must be a string, got null",
        ),
        (
            entry(r#"{"name":7,"pattern":"a"}"#),
            "namespace at index 1: name must be a string, got an integer",
        ),
        (
            entry(r#"{"pattern":[],"name":"a"}"#),
            "namespace 'a': pattern must be a string, got an array",
        ),
        (
            entry(r#"{"name":"a","pattern":{}}"#),
            "namespace 'a': pattern must be a string, got an object",
        ),
        (
            entry(r#"{"name":"a","pattern":"a:<b"}"#),
            "namespace 'a': PATTERN at column 3: '<' is not closed",
        ),
        (
            entry(r#"{"name":"a","pattern":"a","ttl":"60 s"}"#),
            "namespace 'a': TTL must be 1 to 100000000000 seconds, as in 90, 90s, 15m, 2h or 7d, got '60 s'",
        ),
        (
            entry(r#"{"name":"a","pattern":"a","ttl":1.5}"#),
            "namespace 'a': ttl must be seconds as an integer, or a period such as \"30m\", got a number that is not an integer or is too large",
        ),
        (
            entry(r#"{"name":"a","pattern":"a","ttl":0}"#),
            "namespace 'a': TTL must be 1 to 100000000000 seconds, as in 90, 90s, 15m, 2h or 7d, got '0'",
        ),
        (
            entry(r#"{"name":"a","pattern":"a","ttl":-60}"#),
            "namespace 'a': TTL must be 1 to 100000000000 seconds, as in 90, 90s, 15m, 2h or 7d, got '-60'",
        ),
        (
            entry(r#"{"name":"a","pattern":"a","class":"FAST"}"#),
            "namespace 'a': CLASS must be PROTECTED, EVICTABLE or TEMPORARY, got 'FAST'",
        ),
        (
            entry(r#"{"name":"a","pattern":"a","type":true}"#),
            "namespace 'a': type must be a string, got a boolean",
        ),
        (
            entry(r#"{"name":"a","pattern":"a","Owner":"x"}"#),
            "namespace 'a': unknown field 'Owner', expected name, pattern, ttl, class, type, owner, readers or description",
        ),
        (
            entry(r#"{"name":"a","pattern":"a","name":"b"}"#),
            "namespace 'a': the field 'name' appears twice",
        ),
        (
            entry(r#"{"name":"ok","pattern":"a"}"#),
            "namespace 'ok': this name appears twice",
        ),
        (
            entry(r#"{"name":"a","pattern":"n:<y>"}"#),
            "the pattern of 'a' cannot be distinguished from that of 'n0'",
        ),
    ];
    let kept = registry(&["n:<x>"]);
    for (json, message) in cases {
        let mut registry = kept.clone();
        let error = registry
            .load(json.as_bytes(), Existing::Replace, usize::MAX)
            .unwrap_err();
        assert_eq!(error.to_string(), message, "{json}");
        assert_eq!(registry, kept);
    }
}

/// Eight megabytes of these took half a gigabyte, only to be refused.
#[test]
fn json_with_more_values_than_definitions_have_is_not_built() {
    for item in ["0,", "{},", "{\"\":0},", "[],"] {
        let items = item.repeat(100_000);
        let json = format!("{{\"namespaces\":[{}]}}", items.trim_end_matches(','));
        let error = Registry::new()
            .load(json.as_bytes(), Existing::Flush, usize::MAX)
            .unwrap_err()
            .to_string();
        let start = "JSON: too many values for a text of this length at line 1 ";
        assert!(error.starts_with(start), "{error}");
    }
    // The densest definitions there are.
    let entry = |n: u32| format!("{{\"name\":\"{n}\",\"pattern\":\"{n}\"}}");
    let entries: Vec<String> = (0..1000).map(entry).collect();
    let json = format!("{{\"namespaces\":[{}]}}", entries.join(","));
    let loaded = Registry::new().load(json.as_bytes(), Existing::Flush, usize::MAX);
    assert_eq!(loaded.unwrap(), 1000);
}

#[test]
fn hostile_json_is_refused() {
    let deep = "[".repeat(100_000);
    let deep_entry = format!(r#"{{"namespaces":[{}"#, r#"{"a":"#.repeat(100_000));
    for json in [
        deep.as_bytes(),
        deep_entry.as_bytes(),
        b"{\"namespaces\":[{\"name\":\"\xff\"}]}",
        b"\xef\xbb\xbf{}",
        br#"{"namespaces":[{"name":"\ud800","pattern":"a"}]}"#,
        br#"{"namespaces":[{"name":"a\u0000","pattern":"a"}]}"#,
        br#"{"namespaces":[{"name":"a","pattern":"a","ttl":1e999}]}"#,
        br#"{"namespaces":[{"name":"a","pattern":"a","ttl":99999999999999999999}]}"#,
    ] {
        let mut registry = registry(&["a:<x>"]);
        let message = registry
            .load(json, Existing::Flush, usize::MAX)
            .unwrap_err()
            .to_string();
        assert!(message.is_ascii() && message.len() < 400, "{message}");
        assert_eq!(registry.len(), 1);
    }
}

#[test]
fn the_page_shows_everything_by_class() {
    let page = markdown(&loaded(JSON));
    assert_eq!(
        page,
        r#"# Keyspace

3 namespaces: 1 protected, 1 evictable, 1 temporary.

## PROTECTED

Keys without a TTL, which stay until somebody deletes them.

| Name | Pattern | Type | TTL | Owner | Description | Example |
|---|---|---|---|---|---|---|
| `user` | `user:<id:int>` |  | none |  |  | `user:42` |

## EVICTABLE

Keys with a TTL that can be rebuilt.

| Name | Pattern | Type | TTL | Owner | Description | Example |
|---|---|---|---|---|---|---|
| `lock` | `lock:<name>` | string | 30 s |  |  | `lock:name` |

## TEMPORARY

Keys with a TTL that are useful for a limited time.

| Name | Pattern | Type | TTL | Owner | Description | Example |
|---|---|---|---|---|---|---|
| `session` | `session:<sid:hex>[:<attribute>]` | hash | 30 min (1800 s) | web | What a visitor does; see the "handbook". | `session:5f3a9c:attribute` |
"#
    );
    let empty = markdown(&Registry::new());
    assert_eq!(
        empty,
        "# Keyspace\n\n0 namespaces: 0 protected, 0 evictable, 0 temporary.\n"
    );
}

#[test]
fn owners_write_and_readers_read_the_keys_of_their_namespaces() {
    let json = r#"{"namespaces":[
        {"name":"a","pattern":"session:<sid:hex>[:<attribute>]","owner":"web"},
        {"name":"b","pattern":"cart:{<tenant>}[:v<n:int>.<x>:z]","owner":"web"},
        {"name":"c","pattern":"stats:<d:date>:<r...>","owner":"jobs"},
        {"name":"d","pattern":"session:<sid>","owner":"web","readers":["jobs"]},
        {"name":"e","pattern":"none"},
        {"name":"f","pattern":"log:<day>","readers":["web","jobs","audit"]},
        {"name":"g","pattern":"stats:<x>:by:<y>","readers":["jobs"]}
    ]}"#
    .replace(":<r...>", ":by:<r...>");
    assert_eq!(
        acl(&loaded(&json), ["KEYNS.NS.SET", "keyns.ns.del"]),
        "ACL SETUSER audit resetkeys %R~log:* -keyns.ns.set -keyns.ns.del\n\
         ACL SETUSER jobs resetkeys ~stats:*:by:* %R~log:* %R~session:* -keyns.ns.set -keyns.ns.del\n\
         ACL SETUSER web resetkeys ~cart:{*} ~cart:{*}:v*.*:z ~session:* %R~log:* -keyns.ns.set -keyns.ns.del\n"
    );
    assert_eq!(acl(&Registry::new(), ["x"]), "");
}

/// The cells of all rows but those at the head of a table.
fn cells(page: &str) -> Vec<String> {
    let mut cells = Vec::new();
    let mut in_body = false;
    for event in Parser::new_ext(page, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::TableRow) => in_body = true,
            Event::End(TagEnd::TableRow) => in_body = false,
            Event::Start(Tag::TableCell) if in_body => cells.push(String::new()),
            Event::Text(text) | Event::Code(text) if in_body => {
                if let Some(cell) = cells.last_mut() {
                    *cell += &text;
                }
            }
            Event::Html(_) | Event::InlineHtml(_) | Event::Start(Tag::Emphasis) => {
                panic!("{page}")
            }
            _ => {}
        }
    }
    cells
}

fn any_namespace() -> impl Strategy<Value = Namespace> {
    let ttl = prop::option::of(MIN_TTL..=MAX_TTL);
    let class = select(&[None, Some(Class::Evictable)]);
    let key_type = select(&[None, Some(KeyType::Hash), Some(KeyType::Stream)]);
    let owner = prop::option::of("[A-Za-z0-9_.@:-]{1,10}".prop_map(|owner| owner + "1"));
    let readers = prop::collection::btree_set("[A-Za-z_.@:-]{1,6}", 0..3);
    let description = prop::option::of("[ -~äß€🚀]{1,30}");
    (
        "[A-Za-z0-9_.:-]{1,8}",
        any_pattern(),
        ttl,
        class,
        key_type,
        owner,
        readers,
        description,
    )
        .prop_map(
            |(name, pattern, ttl, class, key_type, owner, readers, description)| {
                let draft = Draft {
                    name: name.as_bytes(),
                    pattern: pattern.as_bytes(),
                    ttl,
                    class: class.filter(|_| ttl.is_some()),
                    key_type,
                    owner: owner.as_deref().map(str::as_bytes),
                    readers: readers.iter().map(String::as_bytes).collect(),
                    description: description.as_deref().map(str::as_bytes),
                };
                Namespace::new(&draft).unwrap()
            },
        )
}

fn any_registry() -> impl Strategy<Value = Registry> {
    prop::collection::vec(any_namespace(), 0..8).prop_map(|namespaces| {
        let mut registry = Registry::new();
        for namespace in namespaces {
            let _ = registry.add(namespace);
        }
        registry
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_dumped_registry_is_loaded_as_it_was(registry in any_registry()) {
        let again = loaded(&registry.to_json());
        prop_assert_eq!(&again, &registry);
        prop_assert_eq!(again.to_json(), registry.to_json());
    }

    #[test]
    fn nothing_in_the_page_is_read_as_markup(registry in any_registry()) {
        let cells = cells(&markdown(&registry));
        let has_readers = registry.iter().any(|namespace| !namespace.readers().is_empty());
        let columns = if has_readers { 8 } else { 7 };
        prop_assert_eq!(cells.len(), columns * registry.len());
        for row in cells.chunks(columns) {
            let namespace = registry.get(row[0].as_bytes()).unwrap();
            prop_assert_eq!(&row[1], namespace.pattern().as_str());
            prop_assert_eq!(&row[4], namespace.owner().unwrap_or_default());
            if has_readers {
                prop_assert_eq!(&row[5], &namespace.readers().join(", "));
            }
            prop_assert_eq!(row[columns - 2].trim(), namespace.description().unwrap_or_default().trim());
        }
    }

    #[test]
    fn broken_json_changes_nothing(registry in any_registry(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut json = registry.to_json().into_bytes();
        let at = at.index(json.len());
        match cut {
            true => json.truncate(at),
            false => json[at] = byte,
        }
        let mut kept = registry.clone();
        match kept.load(&json, Existing::Flush, usize::MAX) {
            Ok(count) => prop_assert_eq!(kept.len(), count),
            Err(error) => {
                prop_assert!(error.to_string().is_ascii());
                prop_assert_eq!(kept, registry);
            }
        }
    }
}
