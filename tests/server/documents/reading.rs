//! KEYNS.TREE and KEYNS.NAV: what is where in a document.

use keyns_testkit::{
    Client, Document, GUIDE, Server, Value, draft, for_any, ingest, keyspace, options, try_ingest,
};

fn start() -> (Server, Client) {
    let server = Server::start();
    let mut client = server.client();
    ingest(&mut client, "doc", GUIDE, "");
    (server, client)
}

fn names(reply: &Value) -> Vec<String> {
    reply.array().iter().map(Value::text).collect()
}

#[test]
fn a_tree_is_text_a_person_can_read() {
    let (_server, mut client) = start();
    let whole = "\
doc:field_guide:001  Field Guide
├── chunk:before_anything_else:001  (paragraph)
├── ch:forests:001  Forests
│   ├── chunk:trees_stand_close:002  (paragraph)
│   └── para:oaks:001  Oaks
│       ├── chunk:acorns_leaves:003  (list)
│       └── subpara:bark:001  Bark
│           └── chunk:side_colour_north_green:004  (table)
└── ch:meadows:002  Meadows
    └── chunk:grass_mostly:005  (quote)";
    let top = "\
doc:field_guide:001  Field Guide
├── chunk:before_anything_else:001  (paragraph)
├── ch:forests:001  Forests
└── ch:meadows:002  Meadows";
    let section = "\
para:oaks:001  Oaks
├── chunk:acorns_leaves:003  (list)
└── subpara:bark:001  Bark
    └── chunk:side_colour_north_green:004  (table)";
    for (arguments, expected) in [
        ("doc:field_guide:001 FORMAT TEXT", whole),
        ("doc:field_guide:001 DEPTH 100 FORMAT TEXT", whole),
        ("doc:field_guide:001 format text depth 1", top),
        (
            "doc:field_guide:001 FORMAT TEXT DEPTH 0",
            "doc:field_guide:001  Field Guide",
        ),
        ("para:oaks:001 FORMAT TEXT", section),
        (
            "chunk:grass_mostly:005 FORMAT TEXT",
            "chunk:grass_mostly:005  (quote)",
        ),
    ] {
        assert_eq!(
            client.run(&format!("KEYNS.TREE {arguments}")).text(),
            expected
        );
    }
}

#[test]
fn a_tree_is_a_diagram() {
    let (_server, mut client) = start();
    let chart = "\
flowchart TD
    n0[\"Oaks<br>para:oaks:001\"]
    n1[\"(list)<br>chunk:acorns_leaves:003\"]
    n0 --> n1
    n2[\"Bark<br>subpara:bark:001\"]
    n0 --> n2";
    let reply = client.run("KEYNS.TREE para:oaks:001 FORMAT MERMAID DEPTH 1");
    assert_eq!(reply.text(), chart);
}

#[test]
fn a_tree_is_nested_arrays() {
    let (server, mut client) = start();
    let node = |key: &str, title: &str, children: Vec<Value>| {
        Value::Array(vec![
            Value::bulk(key),
            Value::bulk(title),
            Value::Array(children),
        ])
    };
    let table = node("chunk:side_colour_north_green:004", "(table)", vec![]);
    let oaks = node(
        "para:oaks:001",
        "Oaks",
        vec![
            node("chunk:acorns_leaves:003", "(list)", vec![]),
            node("subpara:bark:001", "Bark", vec![table]),
        ],
    );
    assert_eq!(client.run("KEYNS.TREE para:oaks:001"), oaks);
    assert_eq!(client.run("KEYNS.TREE para:oaks:001 FORMAT NESTED"), oaks);
    assert_eq!(server.client3().run("KEYNS.TREE para:oaks:001"), oaks);
    let alone = node("ch:meadows:002", "Meadows", vec![]);
    assert_eq!(client.run("KEYNS.TREE ch:meadows:002 DEPTH 0"), alone);
}

#[test]
fn mistakes_about_trees_and_directions_are_named() {
    let (server, mut client) = start();
    client.run("LPUSH list x");
    for line in [
        "KEYNS.TREE nothing",
        "KEYNS.TREE nothing FORMAT TEXT",
        "KEYNS.NAV nothing PARENT",
    ] {
        assert_eq!(client.run(line), Value::Null, "{line}");
        assert_eq!(server.client3().run(line), Value::Null, "{line}");
    }
    for (line, error) in [
        (
            "KEYNS.TREE list",
            "WRONGTYPE Operation against a key holding the wrong kind of value: 'list'",
        ),
        (
            "KEYNS.NAV list PARENT",
            "WRONGTYPE Operation against a key holding the wrong kind of value: 'list'",
        ),
        (
            "KEYNS.NAV list SIBLINGS",
            "WRONGTYPE Operation against a key holding the wrong kind of value: 'list'",
        ),
        (
            "KEYNS.TREE doc:field_guide:001 DEPTH 101",
            "ERR DEPTH must be an integer between 0 and 100, got '101'",
        ),
        (
            "KEYNS.TREE doc:field_guide:001 DEPTH -1",
            "ERR DEPTH must be an integer between 0 and 100, got '-1'",
        ),
        (
            "KEYNS.TREE doc:field_guide:001 FORMAT HTML",
            "ERR FORMAT must be NESTED, TEXT or MERMAID, got 'HTML'",
        ),
        (
            "KEYNS.TREE doc:field_guide:001 FORMAT TEXT FORMAT TEXT",
            "ERR FORMAT is given twice",
        ),
        (
            "KEYNS.TREE doc:field_guide:001 x",
            "ERR syntax error near 'x', expected DEPTH or FORMAT",
        ),
        (
            "KEYNS.NAV doc:field_guide:001 UP",
            "ERR syntax error near 'UP', expected PARENT, CHILDREN, DESCENDANTS, SEQUENCE, NEXT, PREVIOUS or SIBLINGS",
        ),
    ] {
        assert_eq!(client.run(line), Value::Error(error.into()));
    }
    for relation in ["children", "sequence", "next", "previous"] {
        client.run(&format!("LPUSH list:place:001:{relation} x"));
    }
    for direction in ["CHILDREN", "DESCENDANTS", "SEQUENCE", "NEXT", "PREVIOUS"] {
        let error = client
            .run(&format!("KEYNS.NAV list:place:001 {direction}"))
            .text();
        assert!(error.starts_with("WRONGTYPE "), "{direction}: {error}");
    }
}

#[test]
fn all_directions_from_everywhere() {
    let (_server, mut client) = start();
    let doc = "doc:field_guide:001";
    for (from, direction, to) in [
        (doc, "PARENT", None),
        (doc, "NEXT", None),
        (doc, "PREVIOUS", None),
        ("ch:forests:001", "PARENT", Some(doc)),
        (
            "ch:forests:001",
            "NEXT",
            Some("chunk:trees_stand_close:002"),
        ),
        (
            "ch:forests:001",
            "previous",
            Some("chunk:before_anything_else:001"),
        ),
        ("chunk:before_anything_else:001", "PARENT", Some(doc)),
        ("chunk:before_anything_else:001", "PREVIOUS", None),
        (
            "chunk:side_colour_north_green:004",
            "parent",
            Some("subpara:bark:001"),
        ),
        (
            "chunk:side_colour_north_green:004",
            "NEXT",
            Some("ch:meadows:002"),
        ),
        ("chunk:grass_mostly:005", "NEXT", None),
        ("chunk:missing:001", "NEXT", None),
    ] {
        let expected = to.map_or(Value::Null, Value::bulk);
        assert_eq!(
            client.run(&format!("KEYNS.NAV {from} {direction}")),
            expected
        );
    }
    let all = [
        "chunk:before_anything_else:001",
        "ch:forests:001",
        "chunk:trees_stand_close:002",
        "para:oaks:001",
        "chunk:acorns_leaves:003",
        "subpara:bark:001",
        "chunk:side_colour_north_green:004",
        "ch:meadows:002",
        "chunk:grass_mostly:005",
    ];
    for (from, direction, to) in [
        (doc, "DESCENDANTS", &all[..]),
        (doc, "sequence", &all),
        (doc, "CHILDREN", &[all[0], all[1], all[7]]),
        (doc, "SIBLINGS", &[]),
        ("ch:forests:001", "DESCENDANTS", &all[2..7]),
        ("ch:forests:001", "SEQUENCE", &all[2..7]),
        ("ch:forests:001", "children", &all[2..4]),
        ("ch:forests:001", "SIBLINGS", &[all[0], all[7]]),
        ("chunk:acorns_leaves:003", "SIBLINGS", &["subpara:bark:001"]),
        ("chunk:acorns_leaves:003", "CHILDREN", &[]),
        ("chunk:acorns_leaves:003", "SEQUENCE", &[]),
        ("chunk:grass_mostly:005", "SIBLINGS", &[]),
        ("chunk:missing:001", "CHILDREN", &[]),
        ("chunk:missing:001", "SIBLINGS", &[]),
    ] {
        let reply = client.run(&format!("KEYNS.NAV {from} {direction}"));
        assert_eq!(names(&reply), to, "{from} {direction}");
    }
}

#[test]
fn reading_any_document_agrees_with_its_hashes() {
    const CASES: u32 = 60;
    let server = Server::start();
    server.client().run("CONFIG SET keyns.max-siblings 10000");
    for_any(CASES, (draft(), options()), |(draft, options)| {
        let mut client = server.client();
        client.run("FLUSHALL");
        let reply = try_ingest(&mut client, "doc", draft.text(), &options);
        if reply.is_error() {
            return;
        }
        let document = Document::find(&reply.fields()["doc"].text(), &keyspace(&mut client));
        let parents = document
            .parts
            .iter()
            .map(|(_, fields)| fields["parent"].as_str());
        let parents: Vec<&str> = parents.collect();
        let all: Vec<&str> = document.names().collect();
        let children = |of: &str| -> Vec<&str> {
            let pairs = all.iter().zip(&parents);
            pairs
                .filter(|(_, parent)| **parent == of)
                .map(|(name, _)| *name)
                .collect()
        };
        let mut ask = |key: &str, direction: &str| client.call(&["KEYNS.NAV", key, direction]);
        assert_eq!(names(&ask(&document.name, "SEQUENCE")), all);
        assert_eq!(
            names(&ask(&document.name, "CHILDREN")),
            children(&document.name)
        );
        for (index, (name, parent)) in all.iter().zip(&parents).enumerate() {
            let neighbour = |at: Option<usize>| {
                let name = at.and_then(|at| all.get(at));
                name.map_or(Value::Null, |name| Value::bulk(name))
            };
            assert_eq!(ask(name, "PARENT"), Value::bulk(parent));
            assert_eq!(ask(name, "NEXT"), neighbour(Some(index + 1)));
            assert_eq!(ask(name, "PREVIOUS"), neighbour(index.checked_sub(1)));
            assert_eq!(names(&ask(name, "CHILDREN")), children(name));
            let mut siblings = children(parent);
            siblings.retain(|other| other != name);
            assert_eq!(names(&ask(name, "SIBLINGS")), siblings);
        }
        let tree = client.call(&["KEYNS.TREE", &document.name]);
        let mut pairs = Vec::new();
        flatten(&tree, "", &mut pairs);
        let expected = all
            .iter()
            .zip(&parents)
            .map(|(n, p)| (n.to_string(), p.to_string()));
        assert_eq!(pairs[1..], expected.collect::<Vec<_>>());
        let lines = client
            .call(&["KEYNS.TREE", &document.name, "FORMAT", "TEXT"])
            .text();
        assert_eq!(lines.lines().count(), all.len() + 1);
    });
}

/// The names in a tree with those of their parents, in reading order.
fn flatten(tree: &Value, parent: &str, pairs: &mut Vec<(String, String)>) {
    let name = tree.array()[0].text();
    pairs.push((name.clone(), parent.to_owned()));
    for child in tree.array()[2].array() {
        flatten(child, &name, pairs);
    }
}
