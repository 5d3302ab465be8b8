//! Passwords and tokens in URLs and in the lines of databases' tools.

use crate::find::{Rank, Scan};
use crate::rule::Shape;
use crate::value::{Demand, Style, is_filled_in, is_placeholder, is_secret};

/// Words that documents write where a password goes.
const STAND_INS: &[&str] = &[
    "password",
    "passwd",
    "pass",
    "pwd",
    "pw",
    "secret",
    "token",
    "user",
    "pass123",
    "mypassword",
    "mypass",
    "***",
];

/// What ends the authority of a URL.
const ENDS: &[u8] = b"/?#\"'<>`\\ \t\r\n(){}|,;";

/// Longer than a password in a password file.
const LINE: usize = 256;

impl Scan<'_> {
    /// `://` from `at` to `end`.
    pub(crate) fn url(&mut self, at: usize, end: usize) {
        let rest = self.text.get(end..).unwrap_or_default();
        let len = rest.iter().take_while(|b| !ENDS.contains(b)).count();
        let authority = rest.get(..len).unwrap_or_default();
        let Some(sign) = memchr::memrchr(b'@', authority) else {
            return;
        };
        if authority.len() == sign + 1 {
            return;
        }
        let userinfo = authority.get(..sign).unwrap_or_default();
        let host = authority.get(sign..).unwrap_or_default();
        match memchr::memchr(b':', userinfo) {
            Some(colon) => {
                let password = userinfo.get(colon + 1..).unwrap_or_default();
                if is_password(password) {
                    let start = end + colon + 1;
                    self.push(
                        start..start + password.len(),
                        self.url_kind(at),
                        Rank::Shape,
                    );
                }
            }
            None if is_secret(userinfo, Demand::Random, Style::Tight) => {
                let sentry = memchr::memmem::find(host, b"sentry").is_some();
                self.push(
                    end..end + sign,
                    if sentry { "sentry-dsn" } else { "url-token" },
                    Rank::Place,
                );
            }
            None => {}
        }
    }

    fn url_kind(&self, at: usize) -> &'static str {
        let before = self.text.get(at.saturating_sub(32)..at).unwrap_or_default();
        let len = before
            .iter()
            .rev()
            .take_while(|b| b.is_ascii_alphanumeric() || b"+.-_".contains(b))
            .count();
        let scheme = before.get(before.len() - len..).unwrap_or_default();
        let escaped = before
            .get(..before.len() - len)
            .is_some_and(|b| b.ends_with(b"\\"));
        let scheme = scheme.get(usize::from(escaped)..).unwrap_or_default();
        // `postgresql+asyncpg`, `mongodb+srv`: a driver follows the scheme.
        let main = scheme.split(|b| *b == b'+').next().unwrap_or_default();
        let of = |wanted: &[u8]| {
            crate::rules().find_map(|rule| match rule.shape() {
                Shape::Url(schemes) => schemes
                    .iter()
                    .any(|s| s.as_bytes().eq_ignore_ascii_case(wanted))
                    .then_some(rule.kind()),
                _ => None,
            })
        };
        of(scheme).or_else(|| of(main)).unwrap_or("url-password")
    }

    /// `jdbc:oracle:thin:user/password@host`.
    pub(crate) fn oracle_connect(&mut self, end: usize) {
        let rest = self.text.get(end..).unwrap_or_default();
        let user = rest
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || b"_$#".contains(b))
            .count();
        let Some([b'/', after @ ..]) = rest.get(user..) else {
            return;
        };
        let len = after
            .iter()
            .take_while(|b| !b"@/\"'\\ \t\r\n".contains(b))
            .count();
        let password = after.get(..len).unwrap_or_default();
        if after.get(len) == Some(&b'@') && user > 0 && is_password(password) {
            let start = end + user + 1;
            self.push(start..start + len, "oracle-connect-password", Rank::Shape);
        }
    }

    /// `host:5432:database:user:password`.
    pub(crate) fn pgpass(&mut self, at: usize, end: usize) {
        let host = at.checked_sub(1).and_then(|i| self.text.get(i));
        if host.is_none_or(|b| !(b.is_ascii_alphanumeric() || *b == b'*')) {
            return;
        }
        let field = |from: usize| {
            let rest = self.text.get(from..).unwrap_or_default();
            let len = rest
                .iter()
                .take_while(|b| b.is_ascii_alphanumeric() || b"_-.*".contains(b))
                .count();
            (len > 0 && rest.get(len) == Some(&b':')).then_some(from + len + 1)
        };
        let Some(start) = field(end).and_then(field) else {
            return;
        };
        let rest = self.text.get(start..).unwrap_or_default();
        let len = rest
            .iter()
            .take(LINE)
            .take_while(|b| !b.is_ascii_whitespace() && !b"\\\"'".contains(b))
            .count();
        if len < LINE && is_password(rest.get(..len).unwrap_or_default()) {
            self.push(start..start + len, "pgpass-password", Rank::Shape);
        }
    }
}

/// Whether a URL's password is one: there it need not look like one, but must not be a stand-in.
fn is_password(password: &[u8]) -> bool {
    password.len() >= 3
        && password.iter().all(|b| (b'!'..0x7f).contains(b))
        && !is_placeholder(password)
        && !(password.len() > 16
            && is_filled_in(password)
            && password.iter().all(|b| b.is_ascii_lowercase()))
        && !STAND_INS
            .iter()
            .any(|word| password.eq_ignore_ascii_case(word.as_bytes()))
}
