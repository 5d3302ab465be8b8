//! Numbers for people: thousands apart, sizes and times in the unit that fits.

/// `17,663`
pub(crate) fn count(number: impl Into<u64>) -> String {
    let digits = number.into().to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 log`, `78 logs`
pub(crate) fn of(number: impl Into<u64>, noun: &str) -> String {
    let number = number.into();
    format!(
        "{} {noun}{}",
        count(number),
        if number == 1 { "" } else { "s" }
    )
}

/// [`of`], for what is counted in `usize`.
pub(crate) fn len(number: usize, noun: &str) -> String {
    of(number as u64, noun)
}

/// `812 B`, `2.1 MB`: decimal units, as file managers and disks have them.
pub(crate) fn size(bytes: u64) -> String {
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64;
    let mut unit = "B";
    for next in ["kB", "MB", "GB", "TB", "PB", "EB"] {
        // 999.5 would be written as 1000.
        if value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    if value < 9.95 {
        format!("{value:.1} {unit}")
    } else {
        format!("{value:.0} {unit}")
    }
}

/// `0.4 ms`, `12 ms`, `3.1 s`
pub(crate) fn span(micros: u64) -> String {
    let millis = micros as f64 / 1000.0;
    match millis {
        millis if millis < 9.95 => format!("{millis:.1} ms"),
        millis if millis < 999.5 => format!("{millis:.0} ms"),
        millis => format!("{:.1} s", millis / 1000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        let written = [0_u64, 7, 999, 1000, 17_663, 1_000_000, u64::MAX].map(count);
        assert_eq!(
            written,
            [
                "0",
                "7",
                "999",
                "1,000",
                "17,663",
                "1,000,000",
                "18,446,744,073,709,551,615"
            ]
        );
        assert_eq!(
            (of(1_u64, "log"), of(0_u64, "log"), len(2, "log")),
            ("1 log".into(), "0 logs".into(), "2 logs".into())
        );
    }

    #[test]
    fn sizes_keep_two_digits() {
        let written = [
            0,
            999,
            1000,
            2_149_000,
            9_949_999,
            9_950_000,
            999_499_999,
            999_500_000,
            u64::MAX,
        ]
        .map(size);
        assert_eq!(
            written,
            [
                "0 B", "999 B", "1.0 kB", "2.1 MB", "9.9 MB", "10 MB", "999 MB", "1.0 GB", "18 EB"
            ]
        );
    }

    #[test]
    fn spans_fit_their_unit() {
        assert_eq!(
            [420, 12_345, 3_100_000].map(span),
            ["0.4 ms", "12 ms", "3.1 s"]
        );
    }
}
