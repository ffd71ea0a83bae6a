//! What a write does to the expiry of its key.

/// What a write does to the expiry of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expiry {
    /// Leaves it as it is.
    Keep,
    /// In milliseconds since 1970.
    At(u64),
    Never,
}

/// The step that changes a key's expiry, after a write that leaves it alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Nothing,
    Set(u64),
    Remove,
}

impl Expiry {
    /// For a key that `expires` or does not.
    pub(super) fn step(self, expires: bool) -> Step {
        match self {
            Expiry::At(millis) => Step::Set(millis),
            Expiry::Never if expires => Step::Remove,
            Expiry::Never | Expiry::Keep => Step::Nothing,
        }
    }

    /// The option for `SET`, which removes the expiry unless an option says otherwise. Only a key that
    /// expires has something to keep.
    pub(super) fn of_set(self, expires: bool) -> Expiry {
        match self {
            Expiry::Keep if !expires => Expiry::Never,
            expiry => expiry,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_that_leaves_the_expiry_alone_removes_it_only_where_it_is() {
        for (expiry, expires, step) in [
            (Expiry::Keep, false, Step::Nothing),
            (Expiry::Keep, true, Step::Nothing),
            (Expiry::At(7), false, Step::Set(7)),
            (Expiry::At(7), true, Step::Set(7)),
            (Expiry::Never, false, Step::Nothing),
            // A bug once read "no expiry" as "leave it" here, and as "never" where SET wrote.
            (Expiry::Never, true, Step::Remove),
        ] {
            assert_eq!(expiry.step(expires), step, "{expiry:?}, {expires}");
        }
    }

    #[test]
    fn set_is_told_to_keep_what_is_there() {
        for (expiry, expires, told) in [
            (Expiry::Keep, false, Expiry::Never),
            (Expiry::Keep, true, Expiry::Keep),
            (Expiry::At(7), true, Expiry::At(7)),
            (Expiry::Never, false, Expiry::Never),
            (Expiry::Never, true, Expiry::Never),
        ] {
            assert_eq!(expiry.of_set(expires), told, "{expiry:?}, {expires}");
        }
    }
}
