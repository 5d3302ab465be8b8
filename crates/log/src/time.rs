//! Moments as logs write them: RFC 3339 texts, and numbers since 1970. Nothing here depends on the machine's own zone,
//! since a fold must come out the same everywhere.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::Timestamp;

const DAY: i64 = 86_400_000;

/// A day of the calendar in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Date {
    /// The year; 0 is the year before 1.
    pub year: i64,
    /// The month, from 1.
    pub month: u8,
    /// The day, from 1.
    pub day: u8,
}

impl fmt::Display for Date {
    /// ISO 8601; a year of more than four digits with its sign, as that standard has it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.year {
            0..=9999 => write!(f, "{:04}", self.year)?,
            year => write!(f, "{year:+05}")?,
        }
        write!(f, "-{:02}-{:02}", self.month, self.day)
    }
}

impl Timestamp {
    /// Reads RFC 3339 and its common relatives (a space for the `T`, a zone's name behind the offset, no offset at all,
    /// which is taken for UTC), or a number since 1970 as [`Timestamp::from_epoch`] takes it. Finer than milliseconds is
    /// cut off.
    ///
    /// ```
    /// use memfold_log::Timestamp;
    ///
    /// let time = Timestamp::parse("2026-10-02T09:14:03.123Z").ok_or("no time")?;
    /// assert_eq!(time, Timestamp(1_790_932_443_123));
    /// assert_eq!(Timestamp::parse("2026-10-02T11:14:03.123+02:00"), Some(time));
    /// assert_eq!(time.rfc3339(), "2026-10-02T09:14:03.123Z");
    /// # Ok::<(), &str>(())
    /// ```
    pub fn parse(text: &str) -> Option<Timestamp> {
        utc(text.as_bytes()).or_else(|| other(text.trim()))
    }

    /// Takes a number for seconds, milli-, micro- or nanoseconds since 1970, by its size: each unit up to the year 5138.
    pub fn from_epoch(number: i64) -> Timestamp {
        let size = number.unsigned_abs();
        Timestamp(if size < 100_000_000_000 {
            number.saturating_mul(1_000)
        } else if size < 100_000_000_000_000 {
            number
        } else if size < 100_000_000_000_000_000 {
            number.div_euclid(1_000)
        } else {
            number.div_euclid(1_000_000)
        })
    }

    /// The same for a number with a fraction.
    pub fn from_epoch_fraction(number: f64) -> Option<Timestamp> {
        if !number.is_finite() || number.abs() >= 9e18 {
            return None;
        }
        let milliseconds = match number.abs() {
            size if size < 1e11 => number * 1e3,
            size if size < 1e14 => number,
            size if size < 1e17 => number / 1e3,
            _ => number / 1e6,
        };
        // In range by the test above; a float's error must not turn 1.001 seconds into 1,000 milliseconds.
        Some(Timestamp((milliseconds + 1e-4).floor() as i64))
    }

    /// RFC 3339 in UTC, with milliseconds where there are any.
    pub fn rfc3339(self) -> String {
        let rest = self.0.rem_euclid(DAY);
        let (seconds, fraction) = (rest / 1_000, rest % 1_000);
        let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
        let date = self.date();
        match fraction {
            0 => format!("{date}T{hour:02}:{minute:02}:{second:02}Z"),
            _ => format!("{date}T{hour:02}:{minute:02}:{second:02}.{fraction:03}Z"),
        }
    }

    /// The day in UTC.
    pub fn date(self) -> Date {
        // Days to civil, after H. Hinnant, "chrono-Compatible Low-Level Date Algorithms": years begin in March, so that
        // the leap day is the last; an era is 400 of them.
        let days = self.0.div_euclid(DAY) + 719_468;
        let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 {
            shifted + 3
        } else {
            shifted - 9
        };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Date {
            year,
            month: u8::try_from(month).unwrap_or(1),
            day: u8::try_from(day).unwrap_or(1),
        }
    }
}

/// `2026-10-02T09:14:03Z`, with a fraction or without: what nearly every line has. Anything else is left to [`other`].
fn utc(text: &[u8]) -> Option<Timestamp> {
    let (
        &[
            y1,
            y2,
            y3,
            y4,
            b'-',
            m1,
            m2,
            b'-',
            d1,
            d2,
            b'T',
            h1,
            h2,
            b':',
            n1,
            n2,
            b':',
            s1,
            s2,
        ],
        rest,
    ) = text.split_first_chunk()?
    else {
        return None;
    };
    let fraction = match rest {
        b"Z" => 0,
        [b'.', digits @ .., b'Z'] if (1..=9).contains(&digits.len()) => {
            let mut milliseconds = 0;
            let mut weight = 100;
            for &byte in digits {
                milliseconds += number(&[byte])? * weight;
                weight /= 10;
            }
            milliseconds
        }
        _ => return None,
    };
    let (year, month, day) = (
        number(&[y1, y2, y3, y4])?,
        number(&[m1, m2])?,
        number(&[d1, d2])?,
    );
    let (hour, minute, second) = (number(&[h1, h2])?, number(&[n1, n2])?, number(&[s1, s2])?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=last).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    // Civil to days, from the same paper.
    let (years, shifted) = if month <= 2 {
        (year - 1, month + 9)
    } else {
        (year, month - 3)
    };
    let (era, year_of_era) = (years.div_euclid(400), years.rem_euclid(400));
    let of_year = (153 * shifted + 2) / 5 + day - 1;
    let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
    let days = era * 146_097 + of_era - 719_468;
    Some(Timestamp(
        days * DAY + ((hour * 60 + minute) * 60 + second) * 1_000 + fraction,
    ))
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |sum, byte| {
        byte.is_ascii_digit()
            .then(|| sum * 10 + i64::from(byte - b'0'))
    })
}

/// What [`utc`] leaves over.
fn other(text: &str) -> Option<Timestamp> {
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        let milliseconds = time.as_nanosecond().div_euclid(1_000_000);
        return i64::try_from(milliseconds).ok().map(Timestamp);
    }
    if let Ok(number) = text.parse::<i64>() {
        return Some(Timestamp::from_epoch(number));
    }
    if let Ok(time) = text.parse::<jiff::civil::DateTime>() {
        let milliseconds = jiff::tz::TimeZone::UTC
            .to_timestamp(time)
            .ok()?
            .as_nanosecond()
            .div_euclid(1_000_000);
        return i64::try_from(milliseconds).ok().map(Timestamp);
    }
    // Words like "inf" are numbers to Rust, not here.
    let digits = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    digits
        .then(|| text.parse().ok())
        .flatten()
        .and_then(Timestamp::from_epoch_fraction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_logs_write() {
        let at = Some(Timestamp(1_790_932_443_000));
        for text in [
            "2026-10-02T09:14:03Z",
            "2026-10-02T09:14:03.0Z",
            "2026-10-02t09:14:03z",
            "2026-10-02T09:14:03.000000Z",
            "2026-10-02T09:14:03+00:00",
            "2026-10-02 11:14:03+02:00",
            "2026-10-02T04:14:03-05:00[America/New_York]",
            "2026-10-02T09:14:03",
            "2026-10-02 09:14:03",
            "1790932443",
            "1790932443.0",
            "1790932443000",
            " 1790932443000000 ",
        ] {
            assert_eq!(Timestamp::parse(text), at, "{text}");
        }
        assert_eq!(
            Timestamp::parse("2000-02-29T00:00:00Z"),
            Some(Timestamp(951_782_400_000))
        );
        assert_eq!(
            Timestamp::parse("1970-01-01T00:00:00.0019Z"),
            Some(Timestamp(1))
        );
        assert_eq!(
            Timestamp::parse("1969-12-31T23:59:59.999Z"),
            Some(Timestamp(-1))
        );
        assert_eq!(
            Timestamp::from_epoch_fraction(1_790_932_443.001),
            Some(Timestamp(1_790_932_443_001))
        );
    }

    #[test]
    fn refuses_what_is_no_time() {
        for text in [
            "",
            "now",
            "inf",
            "NaN",
            "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2100-02-29T00:00:00Z",
            "2026-10-02T25:00:00Z",
            "--",
            "1.2.3",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    #[test]
    fn writes_days_outside_four_digits() {
        assert_eq!(
            Timestamp(i64::MAX).rfc3339(),
            "+292278994-08-17T07:12:55.807Z"
        );
        assert_eq!(
            Timestamp(i64::MIN).rfc3339(),
            "-292275055-05-16T16:47:04.192Z"
        );
        assert_eq!(Timestamp(0).rfc3339(), "1970-01-01T00:00:00Z");
    }

    proptest! {
        #[test]
        fn agrees_with_the_library(seconds in -62_135_596_800i64..253_370_764_799, fraction in 0i64..1_000) {
            let time = Timestamp(seconds * 1_000 + fraction);
            let theirs = jiff::Timestamp::from_millisecond(time.0).unwrap();
            let text = time.rfc3339();
            prop_assert_eq!(text.parse::<jiff::Timestamp>().unwrap(), theirs);
            prop_assert_eq!(utc(text.as_bytes()), Some(time));
            let day = jiff::tz::TimeZone::UTC.to_datetime(theirs).date();
            let date = time.date();
            prop_assert_eq!(
                (date.year, i64::from(date.month), i64::from(date.day)),
                (i64::from(day.year()), i64::from(day.month()), i64::from(day.day()))
            );
        }

        #[test]
        fn any_text_and_number_is_safe(text in "\\PC{0,40}", near in "[0-9TZ:. +-]{0,30}", number: i64, float: f64) {
            let _ = Timestamp::parse(&text);
            let _ = Timestamp::parse(&near);
            let _ = Timestamp::from_epoch(number).rfc3339();
            let _ = Timestamp::from_epoch_fraction(float).map(Timestamp::rfc3339);
        }
    }
}
