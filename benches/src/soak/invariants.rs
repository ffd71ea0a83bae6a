//! What must hold, how often it was looked at, and what did not.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// How often it is told in full that one is broken.
const TOLD: u64 = 3;

macro_rules! invariants {
    ($($name:ident: $text:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Invariant { $($name,)* }

        impl Invariant {
            const ALL: &[Invariant] = &[$(Invariant::$name,)*];

            fn text(self) -> &'static str {
                match self { $(Invariant::$name => $text,)* }
            }
        }
    };
}

invariants! {
    Replies: "no reply is an error",
    NameOnce: "no name is handed out twice",
    NumberOnce: "no number is handed out twice",
    ExportIsSource: "an export is its source, byte for byte",
    DropLeavesNothing: "dropped documents leave nothing behind",
    RateBounds: "limits admit no more than they say",
    RefusalsSayWhen: "a refusal says when to come again",
    KeysOfNamespaces: "keys are built, checked and taken apart by their namespace",
    OneHolder: "a lock has one holder at a time",
    TokensRise: "fencing tokens rise",
    LeasesLast: "who holds a lock can extend and release it",
    SeenOnce: "an event is new once",
    RevisionsRise: "revisions and positions only go up",
    CountsAreExact: "counters are what was counted",
    ValuesStay: "plain values are what was written",
    ReplicasAgree: "replicas have the data of the primary",
    NoPanics: "no panics",
    MemoryIsLevel: "memory is level in the second half",
}

#[derive(Default)]
pub struct Invariants {
    checks: [AtomicU64; Invariant::ALL.len()],
    broken: [AtomicU64; Invariant::ALL.len()],
    told: Mutex<Vec<String>>,
    /// Those that could not be looked at, and why.
    excused: Mutex<Vec<(Invariant, &'static str)>>,
}

impl Invariants {
    /// Notes whether one holds; `detail` tells of it where it does not.
    pub fn check(&self, invariant: Invariant, holds: bool, detail: impl FnOnce() -> String) {
        let at = invariant as usize;
        self.checks[at].fetch_add(1, Ordering::Relaxed);
        if holds {
            return;
        }
        let before = self.broken[at].fetch_add(1, Ordering::Relaxed);
        if before < TOLD {
            let line = format!("BROKEN: {}: {}", invariant.text(), detail());
            println!("{line}");
            self.told.lock().expect("nobody panics with it").push(line);
        }
    }

    /// Notes why one cannot be looked at this time.
    pub fn excuse(&self, invariant: Invariant, reason: &'static str) {
        let mut excused = self.excused.lock().expect("nobody panics with it");
        excused.push((invariant, reason));
    }

    fn excuse_of(&self, invariant: Invariant) -> Option<&'static str> {
        let excused = self.excused.lock().expect("nobody panics with it");
        let found = excused.iter().find(|(of, _)| *of == invariant);
        found.map(|(_, reason)| *reason)
    }

    /// Prints them all, and answers whether all that are not excused were looked at and hold.
    pub fn print(&self) -> bool {
        println!("\n| invariant | looked at | broken |\n|---|---|---|");
        let mut all_hold = true;
        for &invariant in Invariant::ALL {
            let at = invariant as usize;
            let checks = self.checks[at].load(Ordering::Relaxed);
            let broken = self.broken[at].load(Ordering::Relaxed);
            let (holds, says) = match (checks, broken, self.excuse_of(invariant)) {
                (0, _, Some(reason)) => (true, reason.to_owned()),
                (0, _, None) => (false, "NOT LOOKED AT".to_owned()),
                (_, 0, _) => (true, "0".to_owned()),
                (_, broken, _) => (false, format!("{broken} BROKEN")),
            };
            all_hold &= holds;
            println!("| {} | {checks} | {says} |", invariant.text());
        }
        for line in self.told.lock().expect("nobody panics with it").iter() {
            println!("{line}");
        }
        all_hold
    }
}
