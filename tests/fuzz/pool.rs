//! The keys that all calls share, so that commands meet each other's data and everybody else's.

use std::collections::BTreeMap;

use keyns::server::Family;
use keyns_testkit::{Client, Random, Value};

use crate::call::Call;
use crate::json;

const KEYS: [&[u8]; 16] = [
    b"a",
    b"b",
    b"k:1",
    b"lock:x",
    b"rate:ada",
    b"doc:a",
    b"doc:_seq",
    b"doc:_slugs",
    b"doc:intro:001",
    b"{t}:doc:intro:002",
    b"user:42:name",
    b"session:ab12",
    b"doc:hits",
    b"{t}:hits",
    b"",
    b"\0\xff\r\n",
];

const PREFIXES: [&[u8]; 7] = [
    b"doc",
    b"doc:",
    b"{t}:doc",
    b"{t}:note",
    b"a",
    b"x:y:doc",
    b"ch",
];

/// What is in the database, as far as it was looked at, and what was done to it.
pub struct Pool {
    /// Calls that worked, which programs make over and over.
    pub habits: Vec<Call>,
    /// How many keys there are that are like any other.
    crowd: u64,
    found: Vec<Vec<u8>>,
    /// The same by what they are for, so that the few are found among the many.
    kinds: Vec<Vec<Vec<u8>>>,
    documents: Vec<Vec<u8>>,
    namespaces: Vec<String>,
}

impl Pool {
    pub fn new(crowd: u64) -> Pool {
        Pool {
            habits: Vec::new(),
            crowd,
            found: Vec::new(),
            kinds: Vec::new(),
            documents: Vec::new(),
            namespaces: Vec::new(),
        }
    }

    /// Looks for the keys and namespaces that the calls have made.
    pub fn refresh(&mut self, admin: &mut Client) {
        let namespaces = admin.run("KEYNS.NS.LIST");
        self.namespaces = namespaces.array().iter().map(Value::text).collect();
        let Ok(Value::Array(keys)) = admin.try_call(&["KEYS", "*"]) else {
            return;
        };
        let bytes = |key: Value| match key {
            Value::Bulk(bytes) => bytes,
            other => panic!("not a key: {other:?}"),
        };
        self.found = keys.into_iter().map(bytes).collect();
        // Every server has an order of its own.
        self.found.sort();
        let mut kinds: BTreeMap<Vec<u8>, Vec<Vec<u8>>> = BTreeMap::new();
        for key in &self.found {
            kinds.entry(kind(key)).or_default().push(key.clone());
        }
        self.kinds = kinds.into_values().collect();
        let documents = self.found.iter().filter(|key| is_document(key));
        self.documents = documents.cloned().collect();
    }

    /// May make a habit of a call, in the place of another one.
    pub fn adopt(&mut self, call: &Call, random: &mut Random) {
        const HABITS: usize = 4;
        if random.once_in(15) {
            self.habits.truncate(HABITS - 1);
            self.habits.insert(0, call.clone());
        }
    }

    /// A key that something may be at.
    pub fn key(&self, random: &mut Random) -> Vec<u8> {
        match random.below(10) {
            0..=2 => random.pick(&KEYS).to_vec(),
            3 | 4 => format!("k:{}", random.below(self.crowd)).into(),
            5 => self.document(random),
            _ => self.existing(random),
        }
    }

    /// A key that commands of one family share.
    pub fn home(&self, family: &Family, random: &mut Random) -> Vec<u8> {
        match family.name {
            "naming" | "namespaces" => self.key(random),
            "documents" if random.once_in(3) => self.existing(random),
            "documents" => self.document(random),
            name => format!("{name}:{}", random.below(self.crowd)).into(),
        }
    }

    fn existing(&self, random: &mut Random) -> Vec<u8> {
        if self.kinds.is_empty() {
            return random.pick(&KEYS).to_vec();
        }
        let kind = random.pick(&self.kinds);
        random.pick(kind).clone()
    }

    pub fn book_keeping(&self, random: &mut Random) -> Vec<u8> {
        let prefix = random.pick(&PREFIXES);
        let prefix = prefix.strip_suffix(b":").unwrap_or(prefix);
        [prefix, random.pick::<&[u8]>(&[b":_seq", b":_slugs"])].concat()
    }

    /// Whether there are so few keys that one can look at all of them all the time.
    pub fn is_small(&self) -> bool {
        self.found.len() < 1000
    }

    pub fn prefix(&self, random: &mut Random) -> Vec<u8> {
        random.pick(&PREFIXES).to_vec()
    }

    /// A document, if there is any.
    pub fn document(&self, random: &mut Random) -> Vec<u8> {
        if self.documents.is_empty() || random.once_in(8) {
            return self.existing(random);
        }
        random.pick(&self.documents).clone()
    }

    pub fn namespace(&self, random: &mut Random) -> Vec<u8> {
        if self.namespaces.is_empty() || random.once_in(2) {
            return json::name(random).into();
        }
        random.pick(&self.namespaces).as_bytes().to_vec()
    }
}

/// The first and the last segment of a key, where a number is as good as another.
fn kind(key: &[u8]) -> Vec<u8> {
    let mut segments = key.split(|&byte| byte == b':');
    let first = segments.next().unwrap_or_default();
    let last = segments.next_back().unwrap_or_default();
    let last = if last.iter().all(u8::is_ascii_digit) {
        b"0"
    } else {
        last
    };
    [first, last].join(&b':')
}

/// Whether a key has the name that KEYNS.INGESTMD gives to a document under one of our prefixes.
fn is_document(key: &[u8]) -> bool {
    let mut prefixes = PREFIXES.iter().filter(|prefix| !prefix.ends_with(b":"));
    prefixes.any(|prefix| {
        key.strip_prefix(*prefix)
            .and_then(|rest| rest.strip_prefix(b":"))
            .is_some_and(|rest| {
                let segments: Vec<&[u8]> = rest.split(|&byte| byte == b':').collect();
                matches!(segments[..], [_, number] if number.iter().all(u8::is_ascii_digit))
            })
    })
}
