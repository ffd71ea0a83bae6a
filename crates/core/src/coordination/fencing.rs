//! Tokens that put the holders of a lock in order, for the systems they write to.

/// The token that follows `last` when the clock shows `now`, in microseconds since 1970: greater than
/// `last` and not below `now`.
///
/// ```
/// use keyns_core::coordination::fencing;
/// assert_eq!(fencing::next(0, 1_800_000_000_000_000), 1_800_000_000_000_000);
/// // In the same microsecond, or after the clock was set back.
/// assert_eq!(fencing::next(1_800_000_000_000_000, 1_700_000_000_000_000), 1_800_000_000_000_001);
/// ```
pub fn next(last: u64, now: u64) -> u64 {
    now.max(last.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_rise_whatever_the_clock_does() {
        let clock = [5, 5, 6, 2, 0, 8, 7, 8, 100, 3, 101];
        let mut last = 0;
        for now in clock {
            let token = next(last, now);
            assert!(token > last, "{token} after {last}");
            assert!(token >= now, "{token} at {now}");
            last = token;
        }
        // As near to the clock as that allows.
        assert_eq!(last, 102);
    }
}
