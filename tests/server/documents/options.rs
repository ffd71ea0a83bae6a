//! The options of KEYNS.INGESTMD: how a text is cut, and what its parts are called.

use keyns_testkit::{
    Client, Document, Server, assert_same, ingest, keyspace, try_ingest, without_counters,
};

/// The chunks of a document, as their block, text and `offset..offset+length` of the source.
fn chunks(client: &mut Client, markdown: &str, options: &str) -> Vec<(String, String, String)> {
    client.run("FLUSHALL");
    let reply = ingest(client, "doc", markdown, options);
    let document = Document::find(&reply["doc"].text(), &keyspace(client));
    document.assert_covers(markdown);
    let exported = client.call(&["KEYNS.EXPORTMD", &document.name]);
    assert_eq!(exported.text(), markdown);
    let chunks = document.parts.iter().filter(|(_, f)| f["type"] == "chunk");
    chunks
        .map(|(_, fields)| {
            let number = |field: &str| fields[field].parse::<usize>().unwrap();
            let span = number("offset")..number("offset") + number("length");
            (
                fields["block"].clone(),
                fields["text"].clone(),
                markdown[span].to_owned(),
            )
        })
        .collect()
}

#[test]
fn a_section_can_be_one_chunk() {
    let server = Server::start();
    let mut client = server.client();
    let markdown =
        "First.\n\n- a\n\n# One\n\nSecond.\n\n#### Deep\n\nThird.\n\n## Two\n\n# Three\n\nx";
    let whole: Vec<String> = chunks(&mut client, markdown, "CHUNK SECTION")
        .into_iter()
        .map(|(block, text, span)| {
            assert_eq!((block.as_str(), &text), ("section", &span));
            text
        })
        .collect();
    assert_eq!(
        whole,
        [
            "First.\n\n- a\n\n",
            "Second.\n\n#### Deep\n\nThird.\n\n",
            "x"
        ]
    );
    let by_block = chunks(&mut client, markdown, "chunk block");
    assert_eq!(by_block, chunks(&mut client, markdown, ""));
    assert_eq!(by_block.len(), 6);
}

#[test]
fn long_chunks_are_split_and_tables_repeat_their_header() {
    let server = Server::start();
    let mut client = server.client();
    let header = "| n | m |\n|---|---|\n";
    let rows: Vec<String> = (10..20).map(|n| format!("| {n} | x |\n")).collect();
    let table = format!("{header}{}", rows.concat());
    let parts = chunks(&mut client, &table, "MAXCHUNK 45");
    assert_eq!(parts.len(), 5);
    assert_eq!(parts[0].1, format!("{header}{}", rows[..2].concat()));
    for (index, (block, text, span)) in parts.iter().enumerate() {
        let own = rows[2 * index..2 * index + 2].concat();
        assert_eq!((block.as_str(), text), ("table", &format!("{header}{own}")));
        if index > 0 {
            assert_eq!(span, &own);
        }
    }
    let sentences = "One is here. Two is here. Three is here.\n";
    let parts = chunks(&mut client, sentences, "MAXCHUNK 16");
    let texts: Vec<&str> = parts.iter().map(|(_, text, _)| text.as_str()).collect();
    assert_eq!(
        texts,
        ["One is here. ", "Two is here. ", "Three is here.\n"]
    );
    let wide = chunks(&mut client, &"ä".repeat(50), "MAXCHUNK 17");
    assert!(
        wide.iter()
            .all(|(_, text, _)| text.len() == 16 || text.len() == 4)
    );
}

#[test]
fn siblings_are_kept_where_they_are_asked_for() {
    let server = Server::start();
    let mut client = server.client();
    client.run("CONFIG SET keyns.max-siblings 3");
    let markdown = "# A1\n\n# A2\n\nonly child\n\n# A3\n";
    let reply = ingest(&mut client, "doc", markdown, "SIBLINGS");
    let document = Document::find(&reply["doc"].text(), &keyspace(&mut client));
    assert_eq!(document.fields["_siblings"], "1");
    let keys = without_counters(keyspace(&mut client));
    assert_same(&keys, &document.keys());
    assert!(keys.contains_key("ch:a2:002:siblings"));
    assert!(!keys.contains_key("chunk:only_child:001:siblings"));
    assert_eq!(reply["keys"].integer(), keys.len() as i64);

    let before = server.digest();
    let error = try_ingest(&mut client, "doc", format!("{markdown}# A4\n"), "SIBLINGS").text();
    assert_eq!(
        error,
        "ERR SIBLINGS allows at most 3 children per section, got 4 (keyns.max-siblings)"
    );
    assert_eq!(server.digest(), before);
}

#[test]
fn slug_options_are_those_of_keyns_slug() {
    let server = Server::start();
    let mut client = server.client();
    let markdown =
        "---\ntags: 3 Wege\n---\n# 3 Wege & 1 ROI Ziel\n\nDer Weg ist das Ziel der langen Reise.\n";
    for (options, names) in [
        (
            "",
            [
                "ch:drei_wege_1_return_on_investme:001",
                "chunk:weg_ziel_langen_reise:001",
                "tag:drei_wege:chunks",
            ],
        ),
        (
            "MAXLEN 9",
            [
                "ch:drei_wege:001",
                "chunk:weg_ziel:001",
                "tag:drei_wege:chunks",
            ],
        ),
        (
            "LANG en",
            [
                "ch:three_wege_1_return_on_investm:001",
                "chunk:weg_ziel_langen_reise:001",
                "tag:three_wege:chunks",
            ],
        ),
        (
            "NUMBERS NONE NOABBREV",
            [
                "ch:n_3_wege_1_roi_ziel:001",
                "chunk:weg_ziel_langen_reise:001",
                "tag:n_3_wege:chunks",
            ],
        ),
        (
            "WORDS 2 KEEPSTOP SYMBOLS SHORTEN WORD MAXLEN 20",
            [
                "ch:drei_wege_and_1:001",
                "chunk:der_weg:001",
                "tag:drei_wege:chunks",
            ],
        ),
        (
            "CONTENT WORDS 2",
            [
                "ch:drei_wege:001",
                "chunk:weg_ziel:001",
                "tag:drei_wege:chunks",
            ],
        ),
    ] {
        client.run("FLUSHALL");
        ingest(&mut client, "doc", markdown, options);
        for name in names {
            let exists = client.run(&format!("EXISTS {name}")).integer();
            assert_eq!(exists, 1, "{options}: {name} in {:?}", client.run("KEYS *"));
        }
    }
}
