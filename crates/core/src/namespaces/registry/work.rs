//! How much work the look-up of one key may be.
//!
//! A look-up follows every pattern that starts like the key, and somebody can define patterns so
//! that a key starts like all of them. So it gets as many steps as fit its key, and no more however
//! many namespaces there are. A step is a place to look at and up to [`STEP_BYTES`] bytes of the key
//! there. A sensible registry takes some ten steps for each segment of a key.

/// What even the shortest key gets.
const STEPS: usize = 1024;
/// What each byte of a key adds: a thousand patterns may look at all of it.
const STEPS_PER_BYTE: usize = 64;
const STEP_BYTES: usize = 16;
/// How much more a suggestion may take, for which literals are compared and values mended.
const FOR_SUGGESTIONS: usize = 8;

/// What the explanations and suggestions for all keys of one call may take: some tenths of a second.
const STEPS_OF_HELP: usize = 8 << 20;

/// The steps that are left for explanations and suggestions, of which many keys take from one sum.
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

    /// Whether there is nothing left for any key.
    pub fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Looks for a key that a wrong one was meant to be, or for what it lacks.
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
    /// What the look-up of a key may take.
    pub fn on(key: &[u8]) -> Work {
        Work::of(STEPS + STEPS_PER_BYTE * key.len())
    }

    /// What looking for a key may take that a wrong one was meant to be.
    fn on_suggestions(key: &[u8]) -> Work {
        Work::of(FOR_SUGGESTIONS * Work::on(key).left)
    }

    fn of(steps: usize) -> Work {
        Work {
            left: steps,
            is_spent: false,
        }
    }

    /// Takes the steps for a look at so many bytes. `false` if there are not enough left: then there
    /// are none any more.
    pub fn look_at(&mut self, bytes: usize) -> bool {
        self.take(1 + bytes / STEP_BYTES)
    }

    /// The same, and so many steps for the regexes that read them.
    pub fn run(&mut self, bytes: usize, steps: usize) -> bool {
        self.take((1 + bytes / STEP_BYTES).saturating_add(steps))
    }

    /// Takes so many steps.
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

    /// Whether there was more to do than it allowed.
    pub fn is_spent(&self) -> bool {
        self.is_spent
    }

    /// What was taken of [all](Work::on) that a key gets.
    #[cfg(test)]
    pub fn taken_of(&self, key: &[u8]) -> usize {
        Work::on(key).left - self.left
    }
}
