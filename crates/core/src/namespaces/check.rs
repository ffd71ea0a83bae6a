//! Checks keys against the rules of the namespaces.

use std::borrow::Cow;

use super::definition::{Class, Namespace};
use super::registry::{Help, Near, Registry, Work};
use crate::key_type::{KeyType, Stored};
use crate::naming::check::{self, Problem, Problems};
use crate::naming::kinds::Kinds;
use crate::naming::number_words::Lang;
use crate::text::quoting::{Quoted, word};

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report<'r> {
    pub namespace: Option<&'r Namespace>,
    pub problems: Problems,
    /// A sentence for each problem that needs one, printable ASCII.
    pub details: Vec<String>,
    /// The key that was probably meant, if the name is wrong.
    pub suggestion: Option<Vec<u8>>,
}

impl Registry {
    /// Checks a key against the namespaces, at least one: what is stored under it against its own
    /// namespace, or what it lacks to belong to one.
    pub fn check<'r>(
        &'r self,
        key: &[u8],
        namespace: Option<&'r Namespace>,
        stored: Option<Stored>,
        kinds: &Kinds,
        lang: Lang,
        help: &mut Help,
    ) -> Report<'r> {
        if let Some(namespace) = namespace {
            let mut report = Report {
                namespace: Some(namespace),
                ..Report::default()
            };
            if let Some(stored) = stored {
                report.judge(namespace, key, stored);
            }
            return report;
        }
        let mut work = Work::on(key);
        if self.find_within(key, &mut work).is_none() && work.is_spent() {
            let reason = "too many patterns start like this key to find its namespace";
            return Report::without_namespace(key, reason.into(), kinds);
        }
        if help.is_spent() {
            let reason = "too many keys in one call to look for the nearest namespace";
            return Report::without_namespace(key, reason.into(), kinds);
        }
        let mut report = Report {
            suggestion: self.suggest(key, kinds, lang, help),
            ..Report::default()
        };
        match self.nearest(key, help) {
            Some(near) => report.add(Problem::BadFormat, near.explanation()),
            None => {
                report.problems = check::problems_of_kind(key, kinds);
                let reason = format!("no namespace has a pattern for '{}'", Quoted(key));
                report.add(Problem::NoNamespace, reason);
            }
        }
        report
    }
}

impl Report<'static> {
    /// The report on a key that is longer than a key of a namespace may be.
    pub fn too_long(key: &[u8], limit: usize, kinds: &Kinds) -> Report<'static> {
        let reason = format!(
            "a key of a namespace has at most {limit} bytes, got {} (keyns.max-key-bytes)",
            key.len()
        );
        Report::without_namespace(key, reason, kinds)
    }

    fn without_namespace(key: &[u8], reason: String, kinds: &Kinds) -> Report<'static> {
        let mut report = Report {
            problems: check::problems_of_kind(key, kinds),
            ..Report::default()
        };
        report.add(Problem::NoNamespace, reason);
        report
    }
}

impl Report<'_> {
    fn judge(&mut self, namespace: &Namespace, key: &[u8], stored: Stored) {
        match (namespace.class(), namespace.ttl(), stored.expires) {
            (Class::Protected, _, true) => {
                let detail = format!("must not expire: PERSIST {}", word(key));
                self.add(Problem::UnwantedTtl, detail);
            }
            (Class::Evictable | Class::Temporary, Some(ttl), false) => {
                let detail = format!("must expire: EXPIRE {} {ttl}", word(key));
                self.add(Problem::NoTtl, detail);
            }
            _ => {}
        }
        if let Some(wanted) = namespace.key_type()
            && stored.key_type != Some(wanted)
        {
            let got = stored.key_type.map_or("another type", KeyType::name);
            let detail = format!("must be of type {}, is {got}", wanted.name());
            self.add(Problem::WrongType, detail);
        }
    }

    fn add(&mut self, problem: Problem, detail: String) {
        self.problems.add(problem);
        self.details.push(detail);
    }
}

impl Near<'_, '_> {
    /// What keeps the key from belonging to this namespace.
    fn explanation(&self) -> String {
        let place = match self.placeholder {
            Some(name) => Cow::Owned(format!("<{name}> of")),
            None => Cow::Borrowed("a key of"),
        };
        let namespace = self.namespace.name();
        let expected = &self.expected;
        match self.got {
            [] => format!("{place} '{namespace}': expected {expected}"),
            got => format!(
                "{place} '{namespace}': expected {expected}, got '{}'",
                Quoted(got)
            ),
        }
    }
}
