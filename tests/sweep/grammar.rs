//! What the words of a call are, by the spec of its command.

use std::ffi::CStr;

use keyns::FAMILIES;
use keyns::server::spec::{Argument, Kind, Spec, Which};

/// A word of a call.
#[derive(Clone, Debug)]
pub struct Word {
    pub kind: WordKind,
    /// By what an error may call it: its keyword, or its name in the documentation.
    pub names: Vec<String>,
    /// Whether a call cannot end with it: its option has more words.
    pub goes_on: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    Key,
    Text,
    Integer,
    /// A keyword in front of something, or alone.
    Keyword,
    /// One of several keywords, behind another one or in its place.
    Choice,
}

/// The specs of all commands but the one for tests.
pub fn specs() -> impl Iterator<Item = &'static Spec> {
    let specs = FAMILIES
        .iter()
        .flat_map(|family| family.commands)
        .map(|command| &command.spec);
    specs.filter(|spec| spec.name != c"KEYNS.PANIC")
}

pub fn spec_of(command: &str) -> &'static Spec {
    let found = specs().find(|spec| text(spec.name) == command);
    found.unwrap_or_else(|| panic!("{command} is no command"))
}

pub fn text(text: &CStr) -> &str {
    text.to_str().expect("ASCII")
}

/// The arguments of a command, one after the other.
pub fn arguments(spec: &Spec) -> impl Iterator<Item = Argument> {
    spec.arguments()
}

/// Whether the last argument in its place takes as many words as there are.
pub fn takes_any_number(spec: &Spec) -> bool {
    arguments(spec).any(|argument| argument.token.is_none() && argument.multiple)
        && !arguments(spec).any(|argument| matches!(argument.kind, Kind::OneOf(_)))
}

/// Whether the first argument says how many keys follow it.
fn is_counted(spec: &Spec) -> bool {
    let which = spec.keys.map(|keys| keys.which);
    matches!(which, Some(Which::Counted))
}

/// What each word behind the command's name is. Fails for a call that the spec does not describe.
#[track_caller]
pub fn read(spec: &Spec, call: &[String]) -> Vec<Word> {
    let mut reader = Reader {
        words: &call[1..],
        read: Vec::new(),
    };
    let mut in_place: Vec<Argument> = arguments(spec).filter(|a| a.token.is_none()).collect();
    if is_counted(spec) {
        let numkeys: usize = call[1].parse().expect("a number of keys");
        let [count, key] = [in_place.remove(0), in_place.remove(0)];
        reader.value(&count);
        (0..numkeys).for_each(|_| reader.value(&key));
    }
    while let Some(word) = reader.words.first() {
        if let Some(argument) = arguments(spec).find(|a| is_keyword(a, word)) {
            reader.tagged(&argument);
            continue;
        }
        let next = in_place.iter().position(|argument| match argument.kind {
            Kind::OneOf(choices) => choices.iter().any(|choice| is_keyword(&choice, word)),
            _ => true,
        });
        let next = next.unwrap_or_else(|| panic!("{call:?}: what is {word}?"));
        let argument = in_place[next];
        if !argument.multiple {
            in_place.remove(next);
        }
        reader.value(&argument);
    }
    reader.read
}

struct Reader<'a> {
    words: &'a [String],
    read: Vec<Word>,
}

impl Reader<'_> {
    fn take(&mut self, kind: WordKind, names: &[String]) {
        let (_, rest) = self.words.split_first().expect("another word");
        self.words = rest;
        self.read.push(Word {
            kind,
            names: names.to_vec(),
            goes_on: false,
        });
    }

    /// A keyword and what stands behind it.
    fn tagged(&mut self, argument: &Argument) {
        let token = argument.token.expect("a keyword");
        let start = self.read.len();
        self.take(WordKind::Keyword, &[token.into()]);
        if !matches!(argument.kind, Kind::Token) {
            self.value(argument);
        }
        if let Some((_last, before)) = self.read[start..].split_last_mut() {
            before.iter_mut().for_each(|word| word.goes_on = true);
        }
    }

    /// A value, which its keyword is a name of too.
    fn value(&mut self, argument: &Argument) {
        let mut names = vec![argument.name()];
        names.extend(argument.token.map(String::from));
        match argument.kind {
            Kind::Key => self.take(WordKind::Key, &names),
            Kind::Text => self.take(WordKind::Text, &names),
            Kind::Integer => self.take(WordKind::Integer, &names),
            Kind::Token => self.take(WordKind::Keyword, &names),
            Kind::Block(arguments) => arguments.iter().for_each(|inner| self.value(&inner)),
            Kind::OneOf(choices) => {
                let word = self.words.first().expect("another word");
                let chosen = choices.iter().find(|choice| is_keyword(choice, word));
                match chosen {
                    Some(option) if !matches!(option.kind, Kind::Token) => self.tagged(&option),
                    Some(_) => self.take(WordKind::Choice, &names),
                    None => self.take(WordKind::Integer, &names),
                }
            }
        }
    }
}

fn is_keyword(argument: &Argument, word: &str) -> bool {
    argument.is(word.as_bytes())
}

/// All keywords that a call can have, those of choices left out.
pub fn keywords(spec: &Spec) -> Vec<&'static str> {
    let mut found: Vec<&str> = arguments(spec).filter_map(|a| a.token).collect();
    for argument in arguments(spec) {
        if let (None, Kind::OneOf(choices)) = (argument.token, argument.kind) {
            let options = choices.iter().filter(|c| !matches!(c.kind, Kind::Token));
            found.extend(options.filter_map(|option| option.token));
        }
    }
    found
}
