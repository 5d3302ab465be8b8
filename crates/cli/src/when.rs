//! Moments as a person types them: `7d`, `yesterday`, a date, a date and time, RFC 3339. Dates are of the local zone.
//! Pure: the zone and the present moment are given.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

use crate::failure::Failure;

/// Which end of a span of time is typed: a whole day begins with it or ends with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// `--since`: a day is meant from its start.
    Since,
    /// `--until`: a day is meant to its end.
    Until,
}

impl End {
    fn option(self) -> &'static str {
        match self {
            End::Since => "--since",
            End::Until => "--until",
        }
    }
}

/// The moment that is meant, in the engine's terms.
pub(crate) fn moment(
    typed: &str,
    end: End,
    now: Timestamp,
    zone: &TimeZone,
) -> Result<memfold::Timestamp, Failure> {
    let moment = read(typed.trim(), end, now, zone).ok_or_else(|| {
        Failure::usage(
            format!("{} {typed}: no date or time", end.option()),
            "write 12h, 7d or 2w (ago), today, yesterday, 2026-10-02, 2026-10-02T09:14, or RFC 3339",
        )
    })?;
    Ok(memfold::Timestamp(moment.as_millisecond()))
}

fn read(typed: &str, end: End, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    if let Some(ago) = ago(typed) {
        return now.checked_sub(ago).ok();
    }
    let today = now.to_zoned_datetime(zone.clone()).date();
    match typed {
        "now" => return Some(now),
        "today" => return day(today, end, zone),
        "yesterday" => return day(today.yesterday().ok()?, end, zone),
        _ => {}
    }
    // A date alone also reads as a date and time (of midnight): it has neither colon nor zone.
    if !typed.contains(':') {
        return day(typed.parse::<Date>().ok()?, end, zone);
    }
    if let Ok(exact) = typed.parse::<Timestamp>() {
        return Some(exact);
    }
    let local: DateTime = typed.parse().ok()?;
    local
        .to_zoned_datetime(zone.clone())
        .ok()
        .map(|zoned| zoned.timestamp())
}

/// A day's first moment, or the first moment after it.
fn day(date: Date, end: End, zone: &TimeZone) -> Option<Timestamp> {
    let from = match end {
        End::Since => date,
        End::Until => date.checked_add(1.day()).ok()?,
    };
    from.to_zoned_datetime(zone.clone())
        .ok()
        .map(|zoned| zoned.timestamp())
}

/// `12h`, `7d`, `2w`: hours, days of 24 hours, weeks of 7 such days.
fn ago(typed: &str) -> Option<SignedDuration> {
    let (number, hours) = [('h', 1), ('d', 24), ('w', 7 * 24)]
        .into_iter()
        .find_map(|(unit, hours)| Some((typed.strip_suffix(unit)?, hours)))?;
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let hours = number.parse::<i64>().ok()?.checked_mul(hours)?;
    Some(SignedDuration::from_secs(hours.checked_mul(3600)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Two hours east of Greenwich, 2026-10-02 11:14:03 there.
    fn meant(typed: &str, end: End) -> Option<String> {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        read(typed, end, "2026-10-02T09:14:03Z".parse().unwrap(), &zone)
            .map(|moment| moment.to_string())
    }

    #[test]
    fn ago_is_counted_from_now() {
        assert_eq!(meant("12h", End::Since).unwrap(), "2026-10-01T21:14:03Z");
        assert_eq!(meant("7d", End::Since).unwrap(), "2026-09-25T09:14:03Z");
        assert_eq!(meant("2w", End::Until).unwrap(), "2026-09-18T09:14:03Z");
    }

    #[test]
    fn a_day_is_of_the_local_zone_and_whole() {
        assert_eq!(
            meant("2026-10-02", End::Since).unwrap(),
            "2026-10-01T22:00:00Z"
        );
        assert_eq!(
            meant("2026-10-02", End::Until).unwrap(),
            "2026-10-02T22:00:00Z"
        );
        assert_eq!(meant("today", End::Since).unwrap(), "2026-10-01T22:00:00Z");
        assert_eq!(
            meant("yesterday", End::Until).unwrap(),
            "2026-10-01T22:00:00Z"
        );
    }

    #[test]
    fn a_time_is_exact() {
        assert_eq!(
            meant("2026-10-02T09:14:03Z", End::Until).unwrap(),
            "2026-10-02T09:14:03Z"
        );
        assert_eq!(
            meant("2026-10-02T09:14:03+05:30", End::Since).unwrap(),
            "2026-10-02T03:44:03Z"
        );
        assert_eq!(
            meant("2026-10-02T09:14", End::Since).unwrap(),
            "2026-10-02T07:14:00Z"
        );
        assert_eq!(
            meant("2026-10-02 09:14:03", End::Until).unwrap(),
            "2026-10-02T07:14:03Z"
        );
    }

    #[test]
    fn a_day_has_the_length_its_zone_gives_it() {
        // The last Sunday of March 2026 has 23 hours in Berlin.
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let at = |end| read("2026-03-29", end, Timestamp::UNIX_EPOCH, &zone).unwrap();
        assert_eq!(at(End::Until).duration_since(at(End::Since)).as_hours(), 23);
    }

    #[test]
    fn what_is_no_moment_is_said_with_examples() {
        for typed in [
            "",
            "d",
            "7",
            "-7d",
            "7m",
            "soon",
            "2026-13-01",
            "99999999999999999999d",
            "9999999999d",
            "1.5d",
        ] {
            assert_eq!(meant(typed, End::Since), None, "{typed}");
        }
        let error = moment("soon", End::Until, Timestamp::UNIX_EPOCH, &TimeZone::UTC).unwrap_err();
        assert!(
            error
                .line()
                .starts_with("memfold: --until soon: no date or time; write 12h"),
            "{}",
            error.line()
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(typed in "\\PC{0,24}") {
            let _ = meant(&typed, End::Since);
        }
    }
}
