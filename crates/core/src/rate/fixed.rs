//! The fixed window: at most `max` in each window, aligned to the clock.

use super::answer::Answer;
use super::width::{Width, bits};
use super::{Moment, Period};

/// `FIXED max period`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed {
    max: u64,
    period: Period,
}

/// How much passed in a window, and the moment at which something last did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    pub(super) at: Moment,
    pub(super) count: u64,
    /// The width of the limit's number.
    pub(super) width: Width,
}

impl Fixed {
    pub fn new(max: u64, period: Period) -> Fixed {
        Fixed { max, period }
    }

    pub fn max(&self) -> u64 {
        self.max
    }

    pub fn take(&self, counted: Option<Counted>, cost: u64, now: Moment) -> Answer<Counted> {
        let window = self.window(counted, now);
        match window.count.checked_add(cost) {
            // A cost of 0 passes even if more was counted than a lowered limit allows.
            Some(count) if count <= self.max || cost == 0 => {
                self.admitted(Window { count, ..window })
            }
            _ => Answer::Refused {
                left: self.max.saturating_sub(window.count),
                retry_at: window.end,
                fresh_at: window.fresh_at(),
            },
        }
    }

    /// Reduces the count of the window; `None` if nothing was counted in it.
    pub fn refund(&self, counted: Counted, cost: u64, now: Moment) -> Option<Answer<Counted>> {
        let window = self.window(Some(counted), now);
        (window.count > 0).then(|| {
            self.admitted(Window {
                count: window.count.saturating_sub(cost),
                ..window
            })
        })
    }

    fn admitted(&self, window: Window) -> Answer<Counted> {
        Answer::Admitted {
            left: self.max.saturating_sub(window.count),
            fresh_at: window.fresh_at(),
            state: Counted {
                at: window.now,
                count: window.count,
                width: Width::of_bits(bits(self.max.max(window.count))),
            },
        }
    }

    /// The current window. Time never goes back before the stored moment.
    fn window(&self, counted: Option<Counted>, now: Moment) -> Window {
        let period = self.period.micros();
        let (now, before) = match counted {
            Some(Counted { at, count, .. }) => (now.max(at), Some((at, count))),
            None => (now, None),
        };
        let since_start = now.unix_micros() % period;
        let start = now.before(since_start);
        Window {
            now,
            end: now.after(period - since_start),
            count: match before {
                Some((at, count)) if at >= start => count,
                _ => 0,
            },
        }
    }
}

struct Window {
    now: Moment,
    end: Moment,
    count: u64,
}

impl Window {
    fn fresh_at(&self) -> Moment {
        match self.count {
            0 => self.now,
            _ => self.end,
        }
    }
}
