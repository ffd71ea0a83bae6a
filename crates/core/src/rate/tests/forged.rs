//! States that somebody else wrote.

use crate::rate::fixed::Counted;
use crate::rate::part::{Place, Written};
use crate::rate::sliding::Span;
use crate::rate::width::Width;
use crate::rate::{Bytes, MAX_LIMITS, MAX_SLIDING, Moment, State};

fn sliding(slots: u32) -> Vec<u8> {
    let span = Span {
        slots,
        head: 0,
        live: 1,
    };
    let mut bytes = Bytes::new();
    Written::Sliding(Moment::default(), span).write(Place::Last, &mut bytes);
    bytes.resize(bytes.len() + slots as usize * 6, 0);
    bytes.to_vec()
}

/// Each call copied half a gigabyte, for seconds.
#[test]
fn a_ring_that_no_setting_allows_is_no_state() {
    let most = u32::try_from(MAX_SLIDING + MAX_SLIDING / 8).unwrap();
    assert!(State::parse(&sliding(most)).is_some());
    assert!(State::parse(&sliding(most + 1)).is_none());
}

/// It was read, got one part more, and was no state from then on.
#[test]
fn more_parts_of_one_algorithm_than_limits_are_no_state() {
    let parts = |count: usize| {
        let mut bytes = Bytes::new();
        let counted = Counted {
            at: Moment::default(),
            count: 1,
            width: Width::Eight,
        };
        for left in (0..count).rev() {
            Written::Fixed(counted).write(Place::before(left), &mut bytes);
        }
        bytes.to_vec()
    };
    assert!(State::parse(&parts(MAX_LIMITS)).is_some());
    assert!(State::parse(&parts(MAX_LIMITS + 1)).is_none());
}
