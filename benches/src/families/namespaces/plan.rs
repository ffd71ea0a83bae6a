//! The namespaces that are registered, and their keys.

/// How many keys there are, INCR's and those of the namespaces.
pub const KEYS: usize = 100_000;

/// One of the kinds of namespaces, of which there are equally many. `#` stands for the number of the
/// namespace, and `@` for that of the key.
pub struct Kind {
    name: &'static str,
    pattern: &'static str,
    /// The rest of its definition.
    options: &'static [&'static str],
    values: &'static [&'static str],
    key: &'static str,
    /// A name that is none of its keys, but almost.
    wrong_key: &'static str,
}

const KINDS: [Kind; 5] = [
    Kind {
        name: "user#",
        pattern: "user#:<id:int>:<attribute>",
        options: &[],
        values: &["@", "email"],
        key: "user#:@:email",
        wrong_key: "user#:x@:email",
    },
    Kind {
        name: "order#",
        pattern: "{<tenant>}:order#:<id:int>",
        options: &["TYPE", "STRING"],
        values: &["acme", "@"],
        key: "{acme}:order#:@",
        wrong_key: "{acme}:order#:x@",
    },
    Kind {
        name: "session#",
        pattern: "session#:<sid:hex>[:<attribute>]",
        options: &["TTL", "3600", "CLASS", "TEMPORARY"],
        values: &["@"],
        key: "session#:@",
        wrong_key: "session#:X@",
    },
    Kind {
        name: "views#",
        pattern: "views#:<page:int>:<day:date>",
        options: &["TTL", "3600", "CLASS", "EVICTABLE"],
        values: &["@", "2025:06:30"],
        key: "views#:@:2025:06:30",
        wrong_key: "views#:@:2025:06:31",
    },
    Kind {
        name: "image#",
        pattern: "image#_<id>:small",
        options: &[],
        values: &["@"],
        key: "image#_@:small",
        wrong_key: "image#_@:small:x",
    },
];

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.into()).collect()
}

/// Some namespaces, as many of each kind.
#[derive(Clone, Copy)]
pub struct Plan {
    pub namespaces: usize,
}

impl Plan {
    /// The commands that register them all.
    pub fn definitions(self) -> impl Iterator<Item = Vec<String>> {
        (0..self.namespaces).map(move |key| {
            let (kind, of_kind) = self.kind(key);
            let filled = |text: &str| text.replace('#', &of_kind.to_string());
            let name_and_pattern = [&filled(kind.name), "PATTERN", &filled(kind.pattern)];
            words(&[&["KEYNS.NS.SET"], &name_and_pattern[..], kind.options].concat())
        })
    }

    /// The command that makes the key with this number as its namespace wants it.
    pub fn set(self, key: usize) -> Vec<String> {
        let mut command = words(&["SET", &self.key(key), "x"]);
        if self.kind(key).0.options.contains(&"TTL") {
            command.extend(words(&["EX", "3600"]));
        }
        command
    }

    pub fn namespace(self, key: usize) -> String {
        self.filled(self.kind(key).0.name, key)
    }

    pub fn values(self, key: usize) -> impl Iterator<Item = String> {
        let values = self.kind(key).0.values.iter();
        values.map(move |value| self.filled(value, key))
    }

    pub fn key(self, key: usize) -> String {
        self.filled(self.kind(key).0.key, key)
    }

    pub fn wrong_key(self, key: usize) -> String {
        self.filled(self.kind(key).0.wrong_key, key)
    }

    /// Keys go round the kinds, and round the namespaces of each.
    fn kind(self, key: usize) -> (&'static Kind, usize) {
        let of_kind = key / KINDS.len() % (self.namespaces / KINDS.len());
        (&KINDS[key % KINDS.len()], of_kind)
    }

    fn filled(self, text: &str, key: usize) -> String {
        let (_, of_kind) = self.kind(key);
        // No leading zero, and one length for all.
        let id = (KEYS * 10 + key).to_string();
        text.replace('#', &of_kind.to_string()).replace('@', &id)
    }
}
