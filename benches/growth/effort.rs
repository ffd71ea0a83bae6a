//! How much is measured.

/// All there is, or so much that one sees whether it works.
pub enum Effort {
    Full,
    Quick,
}

impl Effort {
    /// What KEYNS_BENCH_QUICK says.
    pub fn wanted() -> Effort {
        match std::env::var("KEYNS_BENCH_QUICK").as_deref() {
            Err(_) | Ok("" | "0") => Effort::Full,
            Ok(_) => Effort::Quick,
        }
    }

    pub fn is_quick(&self) -> bool {
        matches!(self, Effort::Quick)
    }

    pub fn rounds(&self, full: usize) -> usize {
        match self {
            Effort::Full => full,
            Effort::Quick => 1,
        }
    }

    /// The sizes of an axis, without the largest ones if it has to be quick.
    pub fn sizes(&self, sizes: &[usize]) -> Vec<usize> {
        let left_out = match self {
            Effort::Full => 0,
            Effort::Quick => sizes.len() / 4,
        };
        sizes[..sizes.len() - left_out].to_vec()
    }
}
