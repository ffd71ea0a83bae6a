//! KEYNS.INGESTMD: every key and field that a document has, its title, and the reply.

use std::collections::BTreeMap;

use keyns_testkit::{Content, Document, Server, Value, assert_same, ingest, keyspace, try_ingest};

/// What comes before the first part: a byte order mark, front matter and a blank line.
const HEAD: &str = "\u{feff}---
Title: Portfolio Guide
Authors: [Ada Lovelace, Karl Müller]
category: Finance
tags: risk, 5 Märkte, risk
Status: draft
revision: 3
nested: {left: out}
---

";

/// A part of the sample: what must be in its hash.
struct Part {
    name: &'static str,
    level: &'static str,
    parent: &'static str,
    /// The title of a section, the block of a chunk.
    what: &'static str,
    path: &'static str,
    source: &'static str,
    /// Definitions and rules behind a chunk, which are part of its source.
    tail: &'static str,
}

const fn section(name: &'static str, parent: &'static str, level: &'static str) -> Part {
    Part {
        name,
        level,
        parent,
        what: "",
        path: "",
        source: "",
        tail: "",
    }
}

const DOC: &str = "doc:portfolio_guide:001";
const IN_RISK: &str = r#"["Risk and Return"]"#;
const IN_VOLATILITY: &str = r#"["Risk and Return","Volatility"]"#;
const IN_MEASURES: &str = r#"["Risk and Return","Volatility","How \"it\" is measured"]"#;
const IN_NOTE: &str = r#"["Risk and Return","Volatility","How \"it\" is measured","A note"]"#;

const PARTS: [Part; 16] = [
    Part {
        what: "paragraph",
        path: "[]",
        source: "Words before the first heading.\n\n",
        ..section("chunk:words_before_first_heading:001", DOC, "0")
    },
    Part {
        what: "Risk and Return",
        source: "# Risk *and* `Return`\n\n",
        ..section("ch:risk_and_return:001", DOC, "1")
    },
    Part {
        what: "paragraph",
        path: IN_RISK,
        source: "Prices move.\nNobody knows why.\n\n[why]: https://example.org\n\n---\n\n",
        tail: "\n[why]: https://example.org\n\n---\n\n",
        ..section(
            "chunk:prices_move_nobody_knows:002",
            "ch:risk_and_return:001",
            "1",
        )
    },
    Part {
        what: "Volatility",
        source: "Volatility\n----------\n",
        ..section("para:volatility:001", "ch:risk_and_return:001", "2")
    },
    Part {
        what: "list",
        path: IN_VOLATILITY,
        source: "- up\n- down\n  - deeper down\n- [ ] sideways\n\n",
        ..section("chunk:up_down_deeper_down:003", "para:volatility:001", "2")
    },
    Part {
        what: "code",
        path: IN_VOLATILITY,
        source: "```python\n# not a heading\nsigma = 0.2\n```\n\n",
        ..section("chunk:not_heading_sigma_0:004", "para:volatility:001", "2")
    },
    Part {
        what: "How \"it\" is measured",
        source: "### How \"it\" is [measured](https://example.org) ###\n",
        ..section("subpara:how_it_is_measured:001", "para:volatility:001", "3")
    },
    Part {
        what: "table",
        path: IN_MEASURES,
        source: "| year | sigma |\n|------|-------|\n| 2023 | 0.1 |\n| 2024 | 0.3 |\n\n",
        ..section(
            "chunk:year_sigma_2023_0:005",
            "subpara:how_it_is_measured:001",
            "3",
        )
    },
    Part {
        what: "heading",
        path: IN_MEASURES,
        source: "#### A note\n\n",
        ..section("chunk:note:006", "subpara:how_it_is_measured:001", "4")
    },
    Part {
        what: "quote",
        path: IN_NOTE,
        source: "> # No section\n> said somebody.\n\n",
        ..section(
            "chunk:no_section_said_somebody:007",
            "subpara:how_it_is_measured:001",
            "4",
        )
    },
    Part {
        what: "html",
        path: IN_NOTE,
        source: "<table>\n<tr><td>raw</td></tr>\n</table>\n\n",
        ..section(
            "chunk:table_tr_td_raw:008",
            "subpara:how_it_is_measured:001",
            "4",
        )
    },
    Part {
        what: "Summary",
        source: "# Summary\n\n***\n\n",
        ..section("ch:summary:002", DOC, "1")
    },
    Part {
        what: "Gap",
        source: "### Gap\n\n",
        ..section("subpara:gap:002", "ch:summary:002", "3")
    },
    Part {
        what: "paragraph",
        path: r#"["Summary","Gap"]"#,
        source: "Summary.\n\n",
        ..section("chunk:summary:009", "subpara:gap:002", "3")
    },
    Part {
        what: "Risk and Return",
        source: "## Risk and Return\n",
        ..section("para:risk_and_return:002", "ch:summary:002", "2")
    },
    Part {
        what: "paragraph",
        path: r#"["Summary","Risk and Return"]"#,
        source: "A zero\0 byte\r\nand ümläuts",
        ..section(
            "chunk:zero_byte_uemlaeuts:010",
            "para:risk_and_return:002",
            "2",
        )
    },
];

fn sample() -> String {
    let parts: String = PARTS.iter().map(|part| part.source).collect();
    format!("{HEAD}{parts}")
}

fn fields<const N: usize>(fields: [(&str, String); N]) -> BTreeMap<String, String> {
    fields.map(|(field, value)| (field.into(), value)).into()
}

/// The sample as it has to be stored in this scope.
fn expected(scope: &str) -> Document {
    let source = sample();
    let text = |text: &str| text.to_owned();
    let doc = format!("{scope}{DOC}");
    let mut offset = HEAD.len();
    let parts = PARTS.iter().enumerate().map(|(index, part)| {
        let mut hash = fields([
            ("level", text(part.level)),
            ("doc", doc.clone()),
            ("parent", format!("{scope}{}", part.parent)),
            ("position", (index + 1).to_string()),
            ("offset", offset.to_string()),
            ("length", part.source.len().to_string()),
        ]);
        offset += part.source.len();
        let kind = match part.name.split(':').next() {
            Some("ch") => "chapter",
            Some("para") => "paragraph",
            Some("subpara") => "subparagraph",
            _ => "chunk",
        };
        hash.insert(text("type"), text(kind));
        hash.extend(match kind {
            "chunk" => fields([
                ("block", text(part.what)),
                ("path", text(part.path)),
                ("text", text(part.source)),
            ]),
            _ => fields([("title", text(part.what)), ("source", text(part.source))]),
        });
        if !part.tail.is_empty() {
            hash.insert(text("tail"), part.tail.len().to_string());
        }
        (format!("{scope}{}", part.name), hash)
    });
    let sets = "category:finance:docs author:ada_lovelace:docs author:karl_mueller:docs \
                tag:risk:chunks tag:fuenf_maerkte:chunks";
    Document {
        parts: parts.collect(),
        fields: fields([
            ("type", text("document")),
            ("title", text("Portfolio Guide")),
            ("author", text("Ada Lovelace, Karl Müller")),
            ("category", text("Finance")),
            ("tags", text("risk, 5 Märkte")),
            ("meta.status", text("draft")),
            ("meta.revision", text("3")),
            ("chapters", text("2")),
            ("paragraphs", text("2")),
            ("subparagraphs", text("2")),
            ("chunks", text("10")),
            ("bytes", source.len().to_string()),
            (
                "xxh3",
                format!("{:016x}", xxhash_rust::xxh3::xxh3_64(source.as_bytes())),
            ),
            ("source", text(HEAD)),
            ("_sets", text(sets)),
        ]),
        name: doc,
    }
}

#[test]
fn every_key_and_every_field_of_a_document() {
    let server = Server::start();
    let mut client = server.client();
    for (database, scope) in ["", "{acme}:", "prod:{a:b}:v1:"].iter().enumerate() {
        client.run(&format!("SELECT {database}"));
        let expected = expected(scope);
        let reply = ingest(&mut client, &format!("{scope}doc"), sample(), "");
        assert_eq!(reply["doc"].text(), expected.name);
        let mut keys = expected.keys();
        for (counter, last) in [
            ("doc", 1),
            ("ch", 2),
            ("para", 2),
            ("subpara", 2),
            ("chunk", 10),
        ] {
            keys.insert(
                format!("{scope}{counter}:_seq"),
                Content::Text(last.to_string()),
            );
        }
        assert_same(&keyspace(&mut client), &keys);
        expected.assert_covers(&sample());
    }
}

#[test]
fn the_reply_counts_what_was_written() {
    let server = Server::start();
    let mut client = server.client();
    let counters = 5;
    let reply = ingest(&mut client, "doc", sample(), "");
    let names: Vec<&str> = reply.keys().map(String::as_str).collect();
    let expected = [
        "bytes",
        "chapters",
        "chunks",
        "conflicts",
        "doc",
        "keys",
        "paragraphs",
        "subparagraphs",
    ];
    assert_eq!(names, expected);
    assert_eq!(reply["chapters"], Value::Integer(2));
    assert_eq!(reply["paragraphs"], Value::Integer(2));
    assert_eq!(reply["subparagraphs"], Value::Integer(2));
    assert_eq!(reply["chunks"], Value::Integer(10));
    assert_eq!(reply["bytes"], Value::Integer(sample().len() as i64));
    let keys = client.run("DBSIZE").integer() - counters;
    assert_eq!(reply["keys"], Value::Integer(keys));
    // A heading that is a chapter here and a paragraph there, and a chunk called like a chapter.
    let conflicts = [Value::bulk("summary"), Value::bulk("risk_and_return")];
    assert_eq!(reply["conflicts"].array(), conflicts);
}

#[test]
fn the_reply_is_a_map_in_resp3_and_flat_in_resp2() {
    let server = Server::start();
    let map = try_ingest(&mut server.client3(), "doc", "# Moss\n\nMoss.\n", "");
    let Value::Map(pairs) = &map else {
        panic!("{map:?}");
    };
    server.client().run("FLUSHALL");
    let flat = try_ingest(&mut server.client(), "doc", "# Moss\n\nMoss.\n", "");
    let pairs = pairs.iter().flat_map(|(field, value)| [field, value]);
    assert_eq!(
        flat.array().iter().collect::<Vec<_>>(),
        pairs.collect::<Vec<_>>()
    );
    assert_eq!(flat.array()[0], Value::bulk("doc"));
    assert_eq!(flat.array()[1], Value::bulk("doc:moss:001"));
}

#[test]
fn the_title_is_the_first_there_is() {
    let server = Server::start();
    let mut client = server.client();
    let matter = "---\ntitle: From Matter\n---\n";
    let toml = "+++\ntitle = \"From Toml\"\n+++\n";
    let heading = "\n## Earlier\n\n# From Heading\n\n# Later\n";
    for (markdown, options, title) in [
        (
            &[matter, heading][..],
            &["TITLE", "From Option", "FILE", "a/from_file.md"][..],
            "From Option",
        ),
        (
            &[matter, heading],
            &["FILE", "a/from_file.md"],
            "From Matter",
        ),
        (&[toml, heading], &["FILE", "a/from_file.md"], "From Toml"),
        (
            &["---\nother: 1\n---\n", heading],
            &["FILE", "a/b.c/from.file.md"],
            "from.file",
        ),
        (&[heading], &["FILE", "C:\\notes\\From File"], "From File"),
        (&[heading], &["file", ".hidden"], ".hidden"),
        (&[heading], &["FILE", "folder/"], "From Heading"),
        (&[heading], &["FILE", "guide/README.md"], "From Heading"),
        (
            &[heading],
            &["FILE", "guide/Index.markdown"],
            "From Heading",
        ),
        (&[matter, heading], &["FILE", "index.md"], "From Matter"),
        (&["## No chapter\n"], &["FILE", "README.md"], "README"),
        (&[heading], &["FILE", "README.de.md"], "README.de"),
        (&[heading], &[], "From Heading"),
        (&["## No chapter\n"], &[], ""),
        (&[heading], &["TITLE", ""], ""),
        (&[], &[], ""),
    ] {
        client.run("FLUSHALL");
        let markdown = markdown.concat();
        let args = [&["KEYNS.INGESTMD", "doc", &markdown], options].concat();
        let name = client.call(&args).fields()["doc"].text();
        let fields = client.call(&["HGETALL", &name]).fields();
        assert_eq!(fields["title"].text(), title, "{args:?}");
        let file = options
            .iter()
            .skip_while(|o| !o.eq_ignore_ascii_case("FILE"))
            .nth(1);
        assert_eq!(fields.get("file").map(Value::text), file.map(|&f| f.into()));
        if title.is_empty() {
            assert!(name.starts_with("doc:empty_content_20"), "{name}");
        } else {
            let slug = client.call(&["KEYNS.SLUG", title]).text();
            assert_eq!(name, format!("doc:{slug}:001"));
        }
    }
}

#[test]
fn an_empty_text_is_a_document_too() {
    let server = Server::start();
    let mut client = server.client();
    let reply = ingest(&mut client, "doc", "", "TITLE Nothing SIBLINGS");
    assert_eq!(reply["doc"].text(), "doc:nothing:001");
    let fields = client.run("HGETALL doc:nothing:001").fields();
    // The hash of no bytes, as its authors publish it.
    assert_eq!(fields["xxh3"].text(), "2d06800538d394c2");
    assert_eq!(fields["bytes"].text(), "0");
    let keys = keyspace(&mut client);
    let keys: Vec<&String> = keys.keys().collect();
    assert_eq!(keys, ["doc:_seq", "doc:nothing:001", "level:doc:chunks"]);
    assert_eq!(client.run("KEYNS.EXPORTMD doc:nothing:001").text(), "");
    assert_eq!(client.run("KEYNS.DROP doc:nothing:001").integer(), 2);
}

#[test]
fn any_bytes_can_be_a_prefix_and_a_title() {
    let server = Server::start();
    let mut client = server.client();
    let prefix = b"\0\xff \r\n:%s";
    let args = [
        &b"KEYNS.INGESTMD"[..],
        prefix,
        b"# Moss\n",
        b"TITLE",
        b"\xfe\0 moss",
    ];
    let name = client.call(&args).fields()["doc"].clone();
    let name = match name {
        Value::Bulk(name) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(name, [&prefix[..], b":moss:001"].concat());
    let title = client.call(&[&b"HGET"[..], &name, b"title"]);
    assert_eq!(title, Value::Bulk(b"\xfe\0 moss".to_vec()));
    assert_eq!(
        client.call(&[&b"KEYNS.EXPORTMD"[..], &name]).text(),
        "# Moss\n"
    );
    client.call(&[&b"KEYNS.DROP"[..], &name]);
    // The counters of documents and of chapters.
    assert_eq!(client.run("DBSIZE").integer(), 2);
}
