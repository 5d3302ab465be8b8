//! Moments for people: the answers' UTC times as dates of the local zone, the year left out where it is this one.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};

/// The local zone and the present moment.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    zone: TimeZone,
    now: Timestamp,
}

impl Clock {
    /// A clock that stands at `now`.
    pub(crate) fn new(zone: TimeZone, now: Timestamp) -> Clock {
        Clock { zone, now }
    }

    /// `Oct 2`, or `Oct 2 2025`
    pub(crate) fn day(&self, time: Option<&str>) -> Option<String> {
        self.written(time, "%b %-d", "%b %-d %Y")
    }

    /// `Oct 2 09:14`, or `Oct 2 2025 09:14`
    pub(crate) fn minute(&self, time: Option<&str>) -> Option<String> {
        self.written(time, "%b %-d %H:%M", "%b %-d %Y %H:%M")
    }

    /// `Oct 2 09:14–09:31`, or both in full where they are of different days.
    pub(crate) fn span(&self, from: Option<&str>, to: Option<&str>) -> Option<String> {
        let (Some(first), Some(last)) = (self.local(from), self.local(to)) else {
            return self.minute(from.or(to));
        };
        let from = self.minute(from)?;
        if from == self.minute(to)? {
            return Some(from);
        }
        let to = if first.date() == last.date() {
            last.strftime("%H:%M").to_string()
        } else {
            self.minute(to)?
        };
        Some(format!("{from}–{to}"))
    }

    fn written(&self, time: Option<&str>, this_year: &str, any_year: &str) -> Option<String> {
        let local = self.local(time)?;
        let now = self.now.to_zoned_datetime(self.zone.clone());
        let format = if local.year() == now.year() {
            this_year
        } else {
            any_year
        };
        Some(local.strftime(format).to_string())
    }

    fn local(&self, time: Option<&str>) -> Option<ZonedDateTime> {
        Some(
            time?
                .parse::<Timestamp>()
                .ok()?
                .to_zoned_datetime(self.zone.clone()),
        )
    }
}

/// The local zone. A zone that `TZ` names is read from the system's own file: a time zone database would list
/// all of its names first, which costs more than a search does.
pub(crate) fn local_zone(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> TimeZone {
    let named = variable("TZ").and_then(|name| name.into_string().ok());
    let name = named
        .as_deref()
        .map(|name| name.trim_start_matches(':'))
        .unwrap_or_default();
    let below = name
        .split('/')
        .all(|part| !part.is_empty() && part != ".." && part != ".");
    if below {
        let folder = variable("TZDIR").unwrap_or_else(|| "/usr/share/zoneinfo".into());
        if let Ok(file) = std::fs::read(std::path::Path::new(&folder).join(name))
            && let Ok(zone) = TimeZone::tzif(name, &file)
        {
            return zone;
        }
    }
    TimeZone::system()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock() -> Clock {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        Clock::new(zone, "2026-11-30T10:00:00Z".parse().unwrap())
    }

    #[test]
    fn times_are_local_and_short() {
        assert_eq!(clock().day(Some("2026-10-01T23:30:00Z")).unwrap(), "Oct 2");
        assert_eq!(
            clock().minute(Some("2026-10-02T07:14:03.250Z")).unwrap(),
            "Oct 2 09:14"
        );
        assert_eq!(
            clock().day(Some("2025-12-31T21:59:59Z")).unwrap(),
            "Dec 31 2025"
        );
        assert_eq!(clock().day(Some("2025-12-31T22:00:00Z")).unwrap(), "Jan 1");
        assert_eq!(
            clock().minute(Some("2025-01-02T03:04:00Z")).unwrap(),
            "Jan 2 2025 05:04"
        );
    }

    #[test]
    fn a_time_that_is_none_is_left_out() {
        assert_eq!(clock().day(None), None);
        assert_eq!(clock().minute(Some("noon")), None);
    }

    #[test]
    fn a_span_names_a_day_once() {
        let span = |from, to| clock().span(from, to).unwrap();
        let (morning, later, next) = (
            Some("2026-10-02T07:14:03Z"),
            Some("2026-10-02T07:31:00Z"),
            Some("2026-10-03T07:31:00Z"),
        );
        assert_eq!(span(morning, later), "Oct 2 09:14–09:31");
        assert_eq!(span(morning, next), "Oct 2 09:14–Oct 3 09:31");
        assert_eq!(span(morning, morning), "Oct 2 09:14");
        assert_eq!(span(None, later), "Oct 2 09:31");
    }

    #[test]
    fn a_named_zone_is_read_from_its_file_and_never_from_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let outside = local_zone(|name| match name {
            "TZ" => Some("../../etc/passwd".into()),
            _ => Some(folder.path().into()),
        });
        assert_ne!(outside.iana_name(), Some("../../etc/passwd"));
        let posix = local_zone(|name| (name == "TZ").then(|| "Nowhere/AtAll".into()));
        assert_ne!(posix.iana_name(), Some("Nowhere/AtAll"));
    }
}
