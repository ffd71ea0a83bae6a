//! Calendar buckets in UTC: the years, months, days, hours and minutes that events are counted in.

use std::ops::RangeInclusive;

use crate::argument::Keyword;
use crate::coordination::{Error, Result};
use crate::text::calendar::{self, DateTime};

/// How long a bucket is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    Year,
    Month,
    Day,
    Hour,
    Minute,
}

/// The seconds since 1970 that fall into a bucket: up to the year 9999, since labels have four
/// digits for it.
pub const MOMENTS: RangeInclusive<i64> = 0..=253_402_300_799;

/// The most buckets in a range: other clients wait while it is read, and this many take a few
/// milliseconds.
pub const MAX_BUCKETS: u64 = 10_000;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

impl Grain {
    pub const ALL: [Grain; 5] = [
        Grain::Year,
        Grain::Month,
        Grain::Day,
        Grain::Hour,
        Grain::Minute,
    ];

    pub const fn keyword(self) -> &'static str {
        match self {
            Grain::Year => "YEAR",
            Grain::Month => "MONTH",
            Grain::Day => "DAY",
            Grain::Hour => "HOUR",
            Grain::Minute => "MINUTE",
        }
    }

    /// How many seconds a bucket is kept after its end; `None` if it does not expire.
    pub fn keep(self) -> Option<u64> {
        let days = match self {
            Grain::Year | Grain::Month => return None,
            Grain::Day => 90,
            Grain::Hour => 7,
            Grain::Minute => 2,
        };
        Some(days * DAY.unsigned_abs())
    }

    /// The first second after the bucket that `seconds` falls into.
    pub fn end(self, seconds: i64) -> i64 {
        match self {
            Grain::Year => {
                let DateTime { year, .. } = DateTime::from_unix(seconds);
                calendar::unix_of_day(year + 1, 1, 1)
            }
            Grain::Month => match DateTime::from_unix(seconds) {
                DateTime {
                    year, month: 12, ..
                } => calendar::unix_of_day(year + 1, 1, 1),
                DateTime { year, month, .. } => calendar::unix_of_day(year, month + 1, 1),
            },
            Grain::Day => (seconds.div_euclid(DAY) + 1) * DAY,
            Grain::Hour => (seconds.div_euclid(HOUR) + 1) * HOUR,
            Grain::Minute => (seconds.div_euclid(MINUTE) + 1) * MINUTE,
        }
    }

    /// The index of the bucket among all of this grain.
    fn index(self, seconds: i64) -> i64 {
        match self {
            Grain::Year => DateTime::from_unix(seconds).year,
            Grain::Month => {
                let DateTime { year, month, .. } = DateTime::from_unix(seconds);
                year * 12 + i64::from(month)
            }
            Grain::Day => seconds.div_euclid(DAY),
            Grain::Hour => seconds.div_euclid(HOUR),
            Grain::Minute => seconds.div_euclid(MINUTE),
        }
    }
}

impl Keyword for Grain {
    const WORDS: &'static [(&'static str, Grain)] = &[
        (Grain::Year.keyword(), Grain::Year),
        (Grain::Month.keyword(), Grain::Month),
        (Grain::Day.keyword(), Grain::Day),
        (Grain::Hour.keyword(), Grain::Hour),
        (Grain::Minute.keyword(), Grain::Minute),
    ];
}

/// A minute as `2026:11:15:09:30`. The labels of all its buckets are prefixes of this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp([u8; MAX_LABEL_BYTES]);

/// The length of the longest label.
pub const MAX_LABEL_BYTES: usize = 16;

impl Stamp {
    /// The minute of `seconds` since 1970, which must be one of the [`MOMENTS`].
    ///
    /// ```
    /// use keyns_core::coordination::calendar_counts::{Grain, Stamp};
    /// let stamp = Stamp::of(1_794_735_000);
    /// assert_eq!(stamp.label(Grain::Minute), b"2026:11:15:09:30");
    /// assert_eq!(stamp.label(Grain::Day), b"2026:11:15");
    /// ```
    pub fn of(seconds: i64) -> Stamp {
        let DateTime {
            year,
            month,
            day,
            hour,
            minute,
            ..
        } = DateTime::from_unix(seconds);
        let digit = |number: u8| b'0' + number % 10;
        let tens = |number: u8| digit(number / 10);
        let (century, year) = ((year / 100 % 100) as u8, (year % 100) as u8);
        Stamp([
            tens(century),
            digit(century),
            tens(year),
            digit(year),
            b':',
            tens(month),
            digit(month),
            b':',
            tens(day),
            digit(day),
            b':',
            tens(hour),
            digit(hour),
            b':',
            tens(minute),
            digit(minute),
        ])
    }

    /// The label of the bucket of this grain.
    pub fn label(&self, grain: Grain) -> &[u8] {
        let len = match grain {
            Grain::Year => 4,
            Grain::Month => 7,
            Grain::Day => 10,
            Grain::Hour => 13,
            Grain::Minute => MAX_LABEL_BYTES,
        };
        self.0.get(..len).unwrap_or_default()
    }
}

/// Consecutive buckets, each as a stamp in it.
#[derive(Clone, Debug)]
pub struct Buckets {
    grain: Grain,
    /// A second in the next one.
    next: i64,
    left: usize,
}

impl Buckets {
    /// From the bucket with the second `from` to the one with `to`, both of [`MOMENTS`].
    ///
    /// ```
    /// use keyns_core::coordination::calendar_counts::{Buckets, Grain};
    /// let days = Buckets::new(Grain::Day, 1_709_078_400, 1_709_251_200).unwrap();
    /// let labels: Vec<_> = days.map(|day| day.label(Grain::Day).to_vec()).collect();
    /// assert_eq!(labels, [b"2024:02:28", b"2024:02:29", b"2024:03:01"]);
    /// ```
    pub fn new(grain: Grain, from: i64, to: i64) -> Result<Buckets> {
        if from > to {
            return Err(Error::RangeBackwards { from, to });
        }
        let got = grain.index(to).abs_diff(grain.index(from)) + 1;
        if got > MAX_BUCKETS {
            return Err(Error::TooManyBuckets {
                limit: MAX_BUCKETS,
                got,
            });
        }
        Ok(Buckets {
            grain,
            next: from,
            left: got as usize,
        })
    }
}

impl Iterator for Buckets {
    type Item = Stamp;

    fn next(&mut self) -> Option<Stamp> {
        self.left = self.left.checked_sub(1)?;
        let stamp = Stamp::of(self.next);
        self.next = self.grain.end(self.next);
        Some(stamp)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Buckets {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 2024-02-29T23:59:59Z
    const LEAP_DAY: i64 = 1_709_251_199;

    fn labels(grain: Grain, from: i64, to: i64) -> Vec<String> {
        let buckets = Buckets::new(grain, from, to).unwrap();
        let label = |stamp: Stamp| String::from_utf8(stamp.label(grain).to_vec()).unwrap();
        buckets.map(label).collect()
    }

    #[test]
    fn every_grain_has_its_label() {
        for (grain, label) in [
            (Grain::Year, "2024"),
            (Grain::Month, "2024:02"),
            (Grain::Day, "2024:02:29"),
            (Grain::Hour, "2024:02:29:23"),
            (Grain::Minute, "2024:02:29:23:59"),
        ] {
            assert_eq!(labels(grain, LEAP_DAY, LEAP_DAY), [label]);
            assert_eq!(Grain::find(grain.keyword().as_bytes()), Some(grain));
        }
        assert_eq!(Grain::find(b"week"), None);
    }

    #[test]
    fn the_first_and_the_last_moment_have_their_labels() {
        assert_eq!(labels(Grain::Minute, 0, 0), ["1970:01:01:00:00"]);
        let last = *MOMENTS.end();
        assert_eq!(labels(Grain::Minute, last, last), ["9999:12:31:23:59"]);
        assert_eq!(Grain::Year.end(last), last + 1);
    }

    #[test]
    fn months_follow_each_other_over_the_end_of_a_year() {
        let (november, march) = (1_698_796_800, LEAP_DAY + 1);
        assert_eq!(
            labels(Grain::Month, november, march),
            ["2023:11", "2023:12", "2024:01", "2024:02", "2024:03"]
        );
        assert_eq!(labels(Grain::Year, november, march), ["2023", "2024"]);
    }

    #[test]
    fn a_year_has_a_leap_day_when_it_has_one() {
        let year = |year: i64| {
            let start = calendar::unix_of_day(year, 1, 1);
            labels(Grain::Day, start, Grain::Year.end(start) - 1)
        };
        for (number, days) in [(2023, 365), (2024, 366), (2100, 365), (2000, 366)] {
            let labels = year(number);
            assert_eq!(labels.len(), days, "{number}");
            let leap_day = format!("{number}:02:29");
            assert_eq!(labels.contains(&leap_day), days == 366);
            assert_eq!(labels.first(), Some(&format!("{number}:01:01")));
            assert_eq!(labels.last(), Some(&format!("{number}:12:31")));
        }
    }

    #[test]
    fn a_range_has_its_limits() {
        let minutes = |count: i64| Buckets::new(Grain::Minute, 59, 59 + (count - 1) * 60);
        assert_eq!(minutes(10_000).unwrap().count(), 10_000);
        assert_eq!(
            minutes(10_001).unwrap_err().to_string(),
            "the range has 10001 buckets, more than 10000"
        );
        // All of a bucket, backwards.
        assert_eq!(
            Buckets::new(Grain::Day, 2, 1).unwrap_err().to_string(),
            "from must not be after to, got 2 and 1"
        );
        assert!(Buckets::new(Grain::Day, 2 * DAY, 1).is_err());
    }

    proptest! {
        /// A bucket is all the seconds that have its label, and the next one begins where it ends.
        #[test]
        fn buckets_touch_and_do_not_overlap(seconds in MOMENTS, grain in 0..5usize) {
            let grain = Grain::ALL[grain];
            let end = grain.end(seconds);
            prop_assert!(end > seconds);
            let label = |seconds| Stamp::of(seconds).label(grain).to_vec();
            prop_assert_eq!(label(end - 1), label(seconds));
            prop_assert_eq!(grain.index(end - 1), grain.index(seconds));
            if MOMENTS.contains(&end) {
                prop_assert_ne!(label(end), label(seconds));
                prop_assert_eq!(grain.index(end), grain.index(seconds) + 1);
            }
        }

        /// Every second of a range is in one of its buckets, and no bucket is beside it.
        #[test]
        fn a_range_has_each_of_its_buckets_once(
            from in MOMENTS,
            length in 0..100_000i64,
            grain in 0..5usize,
            share in 0.0..1.0f64,
        ) {
            let grain = Grain::ALL[grain];
            let to = (from + length).min(*MOMENTS.end());
            let labels = labels(grain, from, to);
            let label = |seconds| {
                String::from_utf8(Stamp::of(seconds).label(grain).to_vec()).unwrap()
            };
            prop_assert_eq!(labels.first(), Some(&label(from)));
            prop_assert_eq!(labels.last(), Some(&label(to)));
            prop_assert!(labels.is_sorted_by(|one, next| one < next));
            let inside = from + ((to - from) as f64 * share) as i64;
            prop_assert!(labels.contains(&label(inside)));
        }
    }
}
