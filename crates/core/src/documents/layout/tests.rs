use super::super::about::Said;
use super::super::outline::Cut;
use super::*;
use crate::naming::slug::{Abbreviations, SlugOptions};

/// A text, and what its layout borrows.
pub struct Sample {
    source: &'static str,
    pub outline: Outline,
    words: Words<Vec<u8>>,
    said: Said<'static>,
}

impl Sample {
    pub fn of(source: &'static str) -> Sample {
        Sample {
            source,
            outline: Outline::of(source, &Cut::default()).unwrap(),
            words: Words::new(),
            said: Said::default(),
        }
    }

    pub fn with_siblings(source: &'static str) -> Sample {
        let said = Said {
            with_siblings: true,
            ..Said::default()
        };
        Sample {
            said,
            ..Sample::of(source)
        }
    }

    /// Names by the position in the text: `ch:e1:001`, `chunk:e2:001`.
    pub fn layout(&self) -> Layout<'_, Vec<u8>> {
        let (options, none) = (SlugOptions::default(), Abbreviations::default());
        let about = About::of(self.said, &self.outline, &options, &none);
        // Borrowed for as long as the test runs.
        let about = Box::leak(Box::new(about));
        let mut buffer = Vec::new();
        let doc = DocumentKeys::of(b"doc:d:001".to_vec(), &mut buffer);
        let elements = self.outline.elements.iter().zip(1..);
        let parts = elements.map(|(element, position)| {
            let name = format!("{}:e{position}:001", element.kind.segment());
            PartKeys::of(name.into(), element.kind, about.with_siblings, &mut buffer)
        });
        let keys = (doc, parts.collect());
        let prefix = Prefix::parse(b"doc").unwrap();
        let source = self.source.as_bytes();
        Layout::new(prefix, source, &self.outline, about, keys, &self.words)
    }
}

/// The text of the picture in the head of the module.
const GUIDE: &str = "# Risk\n\nAssets.\n\n## Volatility\n\nMeasure it.\n\n# Summary\n";

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn join<'n>(names: impl IntoIterator<Item = &'n Vec<u8>>) -> String {
    let names: Vec<&str> = names.into_iter().map(|name| text(name)).collect();
    names.join(" ")
}

fn pairs<'n>(pairs: impl IntoIterator<Item = (&'n Vec<u8>, &'n Vec<u8>)>) -> String {
    let pairs = pairs.into_iter();
    join(pairs.flat_map(|(one, other)| [one, other]))
}

/// The hash of every part, as one line.
fn hashes(sample: &Sample) -> Vec<String> {
    let mut hashes = Vec::new();
    let layout = sample.layout();
    let each = |_: usize, keys: &PartKeys<Vec<u8>>, fields: &super::super::fields::Fields<_>| {
        let fields = fields.iter().map(|(field, value)| {
            let value: &Vec<u8> = value.get();
            format!(" {}={}", text(field), text(value).escape_debug())
        });
        hashes.push(text(&keys.own).to_string() + &fields.collect::<String>());
        Ok::<(), ()>(())
    };
    layout.for_each_part(each).unwrap();
    hashes
}

#[test]
fn every_element_is_a_hash() {
    let expected = [
        r"ch:e1:001 type=chapter level=1 doc=doc:d:001 parent=doc:d:001 position=1 offset=0 length=8 title=Risk source=# Risk\n\n",
        r#"chunk:e2:001 type=chunk level=1 doc=doc:d:001 parent=ch:e1:001 position=2 offset=8 length=9 path=[\"Risk\"] block=paragraph text=Assets.\n\n"#,
        r"para:e3:001 type=paragraph level=2 doc=doc:d:001 parent=ch:e1:001 position=3 offset=17 length=15 title=Volatility source=## Volatility\n\n",
        r#"chunk:e4:001 type=chunk level=2 doc=doc:d:001 parent=para:e3:001 position=4 offset=32 length=13 path=[\"Risk\",\"Volatility\"] block=paragraph text=Measure it.\n\n"#,
        r"ch:e5:001 type=chapter level=1 doc=doc:d:001 parent=doc:d:001 position=5 offset=45 length=10 title=Summary source=# Summary\n",
    ];
    assert_eq!(hashes(&Sample::of(GUIDE)), expected);
}

#[test]
fn a_chunk_says_what_follows_it() {
    let hashes = hashes(&Sample::of("Text.\n\n[a]: b\n"));
    let expected = r"chunk:e1:001 type=chunk level=0 doc=doc:d:001 parent=doc:d:001 position=1 offset=0 length=14 path=[] block=paragraph text=Text.\n\n[a]: b\n tail=";
    assert!(hashes[0].starts_with(expected), "{}", hashes[0]);
    assert!(!hashes[0].contains("header="));
}

#[test]
fn a_part_of_a_table_says_what_it_repeats() {
    let source = "|a|b|\n|-|-|\n|1|2|\n|3|4|\n|5|6|\n|7|8|\n";
    let cut = Cut {
        max_chunk: Some(24),
        ..Cut::default()
    };
    let sample = Sample {
        outline: Outline::of(source, &cut).unwrap(),
        ..Sample::of(source)
    };
    let hashes = hashes(&sample);
    assert!(hashes.len() > 1);
    assert!(!hashes[0].contains("header="));
    for hash in &hashes[1..] {
        assert!(hash.contains(r"text=|a|b|\n|-|-|\n|"), "{hash}");
        assert!(hash.ends_with(" header=12"), "{hash}");
    }
}

#[test]
fn a_document_is_a_hash_with_its_front_matter_and_counts() {
    let source =
        "---\ntitle: Guide\nauthor: Ada\ntags: [Hedge, Bond]\nedition: third\n---\n# Risk\n";
    let mut sample = Sample::with_siblings(source);
    sample.said.file = Some(b"docs/guide.md");
    let fields = sample.layout().document_fields();
    let fields: Vec<(&str, &str)> = fields.iter().map(|(f, v)| (text(f), text(v))).collect();
    let head = &source[..source.find("# Risk").unwrap()];
    let size = source.len().to_string();
    let expected = [
        ("type", "document"),
        ("title", "Guide"),
        ("bytes", &size),
        ("author", "Ada"),
        ("tags", "Hedge, Bond"),
        ("meta.edition", "third"),
        ("file", "docs/guide.md"),
        ("chapters", "1"),
        ("paragraphs", "0"),
        ("subparagraphs", "0"),
        ("chunks", "0"),
        ("source", head),
        ("_sets", "author:ada:docs tag:hedge:chunks tag:bond:chunks"),
        ("_siblings", "1"),
    ];
    let without_hash: Vec<_> = fields
        .iter()
        .copied()
        .filter(|(f, _)| *f != "xxh3")
        .collect();
    assert_eq!(without_hash, expected);
    let (_, hash) = fields.iter().find(|(field, _)| *field == "xxh3").unwrap();
    assert_eq!(hash.len(), 16);
}

#[test]
fn an_empty_document_has_the_fields_that_all_have() {
    let sample = Sample::of("");
    let layout = sample.layout();
    let fields = layout.document_fields();
    let names = join(fields.iter().map(|(field, _)| field));
    let all = "type title bytes xxh3 chapters paragraphs subparagraphs chunks";
    assert_eq!(names, all);
    assert_eq!(layout.ends().count(), 0);
    assert_eq!(layout.neighbours().count(), 0);
    assert_eq!(layout.sections().count(), 1);
}

#[test]
fn sections_know_what_is_below() {
    let sample = Sample::of(GUIDE);
    let layout = sample.layout();
    let below: Vec<[String; 4]> = layout
        .sections()
        .map(|section| {
            [
                text(&section.below.children).to_string(),
                join(layout.children(&section)),
                join(layout.names(&section.run)),
                pairs(layout.positions(&section.run)),
            ]
        })
        .collect();
    let expected = [
        [
            "doc:d:001:children",
            "ch:e1:001 ch:e5:001",
            "ch:e1:001 chunk:e2:001 para:e3:001 chunk:e4:001 ch:e5:001",
            "5 ch:e5:001 4 chunk:e4:001 3 para:e3:001 2 chunk:e2:001 1 ch:e1:001",
        ],
        [
            "ch:e1:001:children",
            "chunk:e2:001 para:e3:001",
            "chunk:e2:001 para:e3:001 chunk:e4:001",
            "4 chunk:e4:001 3 para:e3:001 2 chunk:e2:001",
        ],
        [
            "para:e3:001:children",
            "chunk:e4:001",
            "chunk:e4:001",
            "4 chunk:e4:001",
        ],
        ["ch:e5:001:children", "", "", ""],
    ];
    assert_eq!(below, expected);
}

#[test]
fn neighbours_lead_from_the_first_to_the_last() {
    let sample = Sample::of("# A\n\nb\n\n# C\n");
    let layout = sample.layout();
    let expected = "ch:e1:001:next chunk:e2:001 chunk:e2:001:previous ch:e1:001 \
                    chunk:e2:001:next ch:e3:001 ch:e3:001:previous chunk:e2:001";
    assert_eq!(pairs(layout.neighbours()), expected);
    assert_eq!(join(layout.ends()), "ch:e1:001:previous ch:e3:001:next");
}

#[test]
fn siblings_are_told_where_they_are_wanted() {
    let siblings = |sample: &Sample| -> Vec<String> {
        let layout = sample.layout();
        let sections: Vec<_> = layout.sections().collect();
        let siblings = sections.iter().flat_map(|section| layout.siblings(section));
        siblings
            .map(|(key, others)| format!("{}: {}", text(key), join(others)))
            .collect()
    };
    assert!(siblings(&Sample::of(GUIDE)).is_empty());
    let sample = Sample::with_siblings(GUIDE);
    let expected = [
        "ch:e1:001:siblings: ch:e5:001",
        "ch:e5:001:siblings: ch:e1:001",
        "chunk:e2:001:siblings: para:e3:001",
        "para:e3:001:siblings: chunk:e2:001",
    ];
    assert_eq!(siblings(&sample), expected);

    let layout = sample.layout();
    let sections: Vec<_> = layout.sections().collect();
    let lonely = sections.iter().filter_map(|s| layout.without_siblings(s));
    assert_eq!(join(lonely), "chunk:e4:001:siblings");
}

#[test]
fn shared_sets_have_those_who_belong_there() {
    let sample = Sample::of("---\ntags: [xx]\ncategory: yy\n---\n# A\n\nb\n\nc\n");
    let layout = sample.layout();
    let sets: Vec<String> = layout
        .shared_sets()
        .iter()
        .map(|(set, members)| format!("{}: {}", text(set), join(layout.members(*members))))
        .collect();
    let expected = [
        "level:doc:chunks: doc:d:001",
        "level:ch:chunks: ch:e1:001",
        "level:chunk:chunks: chunk:e2:001 chunk:e3:001",
        "category:yy:docs: doc:d:001",
        "tag:xx:chunks: chunk:e2:001 chunk:e3:001",
    ];
    assert_eq!(sets, expected);
}
