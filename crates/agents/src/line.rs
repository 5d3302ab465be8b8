//! From a line's bytes to its reading: the byte order mark, lines that are no object, lines that need mending first.

use std::borrow::Cow;

use memfold_log::event::Reading;
use memfold_log::repair;
use serde::de::IgnoredAny;

use crate::{NotALine, owned};

/// How an agent reads the JSON object of a line.
pub(crate) type Read = for<'l> fn(&'l [u8]) -> Result<Reading<'l>, serde_json::Error>;

/// Translates a line. One that is no JSON as it stands (invalid UTF-8, lone surrogates) is mended in a copy and read once more.
pub(crate) fn translate(line: &[u8], read: Read) -> Result<Reading<'_>, NotALine> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if !line.trim_ascii_start().starts_with(b"{") {
        return Err(match serde_json::from_slice::<IgnoredAny>(line) {
            Ok(_) => NotALine::NotAnObject,
            Err(_) => NotALine::NotJson,
        });
    }
    if let Ok(reading) = read(line) {
        return Ok(reading);
    }
    match repair::json(line) {
        Cow::Owned(mended) => read(mended.as_bytes())
            .map(owned::reading)
            .map_err(|_| NotALine::NotJson),
        Cow::Borrowed(_) => Err(NotALine::NotJson),
    }
}
