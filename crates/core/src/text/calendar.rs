//! UTC calendar arithmetic over seconds since 1970.

/// A moment in UTC, to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateTime {
    pub year: i64,
    pub month: u8,
    pub day: u8,
    pub hour: u8,
    pub minute: u8,
    pub second: u8,
}

const SECONDS_PER_DAY: i64 = 86_400;
/// The Gregorian calendar repeats after 400 years.
const DAYS_PER_ERA: i64 = 146_097;
/// Days from 0000-03-01, where an era starts, to 1970-01-01.
const DAYS_TO_EPOCH: i64 = 719_468;

impl DateTime {
    /// The moment `seconds` after 1970-01-01T00:00:00Z.
    ///
    /// ```
    /// use keyns_core::text::calendar::DateTime;
    /// assert_eq!(DateTime::from_unix(951_782_400).compact(), "20000229_000000");
    /// ```
    pub fn from_unix(seconds: i64) -> DateTime {
        let days = seconds.div_euclid(SECONDS_PER_DAY) + DAYS_TO_EPOCH;
        let rest = seconds.rem_euclid(SECONDS_PER_DAY);
        let era = days.div_euclid(DAYS_PER_ERA);
        let day_of_era = days.rem_euclid(DAYS_PER_ERA);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        // Years start in March here, so that the leap day is a year's last day.
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 {
            month_from_march + 3
        } else {
            month_from_march - 9
        };
        DateTime {
            year: era * 400 + year_of_era + i64::from(month <= 2),
            month: month as u8,
            day: day as u8,
            hour: (rest / 3_600) as u8,
            minute: (rest / 60 % 60) as u8,
            second: (rest % 60) as u8,
        }
    }

    /// `YYYYMMDD_HHMMSS`.
    pub fn compact(&self) -> String {
        format!(
            "{:04}{:02}{:02}_{:02}{:02}{:02}",
            self.year, self.month, self.day, self.hour, self.minute, self.second
        )
    }
}

/// The first second of a day; months count from 1.
///
/// ```
/// use keyns_core::text::calendar;
/// assert_eq!(calendar::unix_of_day(2000, 2, 29), 951_782_400);
/// ```
pub fn unix_of_day(year: i64, month: u8, day: u8) -> i64 {
    // As in `from_unix`, years start in March.
    let (month, day) = (i64::from(month), i64::from(day));
    let year = year - i64::from(month <= 2);
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_era = 365 * year_of_era + year_of_era / 4 - year_of_era / 100 + day_of_year;
    (era * DAYS_PER_ERA + day_of_era - DAYS_TO_EPOCH) * SECONDS_PER_DAY
}

/// The number of days in a month, which counts from 1; `None` if there is no such month.
pub fn days_in_month(year: u16, month: u16) -> Option<u16> {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 => Some(28 + u16::from(is_leap)),
        4 | 6 | 9 | 11 => Some(30),
        1..=12 => Some(31),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments() {
        for (seconds, expected) in [
            (0, "19700101_000000"),
            (-1, "19691231_235959"),
            (951_868_799, "20000229_235959"),
            (951_868_800, "20000301_000000"),
            (4_107_542_399, "21000228_235959"),
            (4_107_542_400, "21000301_000000"),
            (1_794_807_000, "20261116_053000"),
        ] {
            assert_eq!(DateTime::from_unix(seconds).compact(), expected);
        }
    }

    #[test]
    fn every_day_of_400_years_follows_the_one_before() {
        let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let (mut year, mut month, mut day) = (1970, 1u8, 1u8);
        for count in 0..DAYS_PER_ERA {
            let now = DateTime::from_unix(count * SECONDS_PER_DAY);
            assert_eq!((now.year, now.month, now.day), (year, month, day));
            assert_eq!(unix_of_day(year, month, day), count * SECONDS_PER_DAY);
            let length = match month {
                2 => 28 + u8::from(leap(year)),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            let days = days_in_month(year as u16, month.into());
            assert_eq!(days, Some(length.into()));
            day += 1;
            if day > length {
                (day, month) = (1, month + 1);
            }
            if month > 12 {
                (month, year) = (1, year + 1);
            }
        }
    }
}
