//! Limits the work of looking up one key.
//!
//! A look-up follows every pattern that starts like the key, and somebody can define patterns so that a
//! key starts like all of them. So a look-up gets a number of steps that depends on its key, and not on
//! the number of namespaces. A step is one place to look at and up to [`STEP_BYTES`] bytes of the key
//! there. A sensible registry takes about ten steps for each segment of a key.

/// The steps of the shortest key.
const STEPS: usize = 1024;
/// The steps that each byte of a key adds: a thousand patterns may look at all of it.
const STEPS_PER_BYTE: usize = 64;
const STEP_BYTES: usize = 16;
/// How many times as much a suggestion may take, which compares literals and mends values.
const FOR_SUGGESTIONS: usize = 8;

/// The steps of the explanations and suggestions for all keys of one call: a few tenths of a second.
const STEPS_OF_HELP: usize = 8 << 20;

/// The steps left for explanations and suggestions, shared by all keys of a call.
#[derive(Clone, Debug)]
pub struct Help {
    left: usize,
}

impl Help {
    pub fn for_one_call() -> Help {
        Help {
            left: STEPS_OF_HELP,
        }
    }

    /// Whether no step is left for any key.
    pub fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Runs a search for the key that a wrong one means, or for what it lacks.
    pub fn look<T>(&mut self, key: &[u8], look: impl FnOnce(&mut Work) -> T) -> T {
        let steps = Work::on_suggestions(key).left.min(self.left);
        let mut work = Work::of(steps);
        let found = look(&mut work);
        self.left -= steps - work.left;
        found
    }
}

/// The steps that are left.
#[derive(Clone, Debug)]
pub struct Work {
    left: usize,
    is_spent: bool,
}

impl Work {
    /// The steps for the look-up of a key.
    pub fn on(key: &[u8]) -> Work {
        Work::of(STEPS + STEPS_PER_BYTE * key.len())
    }

    /// The steps for finding the key that a wrong one means.
    fn on_suggestions(key: &[u8]) -> Work {
        Work::of(FOR_SUGGESTIONS * Work::on(key).left)
    }

    fn of(steps: usize) -> Work {
        Work {
            left: steps,
            is_spent: false,
        }
    }

    /// Takes the steps for reading this many bytes. `false` if too few are left: then none remain.
    pub fn look_at(&mut self, bytes: usize) -> bool {
        self.take(1 + bytes / STEP_BYTES)
    }

    /// The same, plus the steps of the regexes that read them.
    pub fn run(&mut self, bytes: usize, steps: usize) -> bool {
        self.take((1 + bytes / STEP_BYTES).saturating_add(steps))
    }

    /// Takes this many steps.
    pub fn take(&mut self, steps: usize) -> bool {
        match self.left.checked_sub(steps) {
            Some(left) => {
                self.left = left;
                !self.is_spent
            }
            None => {
                self.left = 0;
                self.is_spent = true;
                false
            }
        }
    }

    /// Whether the search needed more steps than it had.
    pub fn is_spent(&self) -> bool {
        self.is_spent
    }

    /// What was taken of [all](Work::on) that a key gets.
    #[cfg(test)]
    pub fn taken_of(&self, key: &[u8]) -> usize {
        Work::on(key).left - self.left
    }
}
