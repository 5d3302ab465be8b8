//! Whether a value is a secret or a word, a place-holder, a path, a piece of code. Asked only beside a keyword.

/// How much is asked of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Demand {
    /// A person may have chosen it: a digit or a sign among letters is enough.
    Chosen,
    /// A machine made it: it must look random.
    Random,
}

/// How the value is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Between quotes.
    Quoted,
    /// Glued to its name, as environments, URLs and command lines write it.
    Tight,
    /// After a colon and a space, as YAML and headers write it.
    Listed,
    /// With space around a `=`, as code and configuration write it: it may be a variable.
    Loose,
}

const MAX: usize = 4096;

/// Whether `value` is a secret, in a place that announces one.
pub(crate) fn is_secret(value: &[u8], demand: Demand, style: Style) -> bool {
    if value.len() > MAX || value.iter().any(|b| *b <= b' ' || *b >= 0x7f) || is_placeholder(value)
    {
        return false;
    }
    if style != Style::Quoted && is_code(value) {
        return false;
    }
    let seen = Census::of(value);
    match demand {
        Demand::Chosen => is_chosen(value, &seen, style),
        Demand::Random => {
            let least = if style == Style::Loose { 16 } else { 12 };
            (seen.is_random() && seen.alnum() >= least && !is_dotted(value))
                || (style != Style::Loose && seen.is_short_and_random() && value.len() >= 8)
        }
    }
}

/// A password that a person may have chosen.
fn is_chosen(value: &[u8], seen: &Census, style: Style) -> bool {
    let bare = matches!(style, Style::Loose | Style::Listed);
    let least = if bare { 6 } else { 5 };
    if value.len() < least || value.len() > 256 || is_path(value, seen) {
        return false;
    }
    // `password=password2` names a variable, or nothing at all.
    let letters = value.iter().take_while(|b| !b.is_ascii_digit()).count();
    if value
        .get(..letters)
        .is_some_and(|word| word.eq_ignore_ascii_case(b"password"))
        && letters + 3 >= value.len()
    {
        return false;
    }
    // In code, some signs are operators.
    let known: &[u8] = if style == Style::Loose {
        b"!@#$%^~"
    } else {
        b"!@#$%^~&*+?=;,|"
    };
    let signs = value.iter().filter(|b| known.contains(b)).count();
    let ends = value.last().is_some_and(|b| b"!?:;.,*=".contains(b)) as usize;
    match (seen.letters, seen.digits) {
        // "123456" is a password, but a bare number counts something.
        (0, digits) => digits >= 6 && !bare && seen.alnum() + 2 >= value.len(),
        (_, 0) if signs > ends => true,
        (_, 0) => {
            value.len() >= 10
                && (seen.is_random() || (style != Style::Loose && seen.is_cased_at_random()))
        }
        (_, _) if signs > 0 || seen.is_random() => true,
        // `password = password2` names a variable.
        (_, digits) => match style {
            Style::Quoted | Style::Tight => true,
            Style::Listed => !is_about_passwords(value),
            Style::Loose => {
                digits >= 2 && seen.steps >= 2 && value.len() >= 8 && !is_about_passwords(value)
            }
        },
    }
}

/// `pass2`, `user_password1`: names of variables.
fn is_about_passwords(value: &[u8]) -> bool {
    [&b"pass"[..], b"pwd", b"secret", b"token", b"user"]
        .iter()
        .any(|word| {
            value
                .windows(word.len())
                .any(|part| part.eq_ignore_ascii_case(word))
        })
}

/// A token's own part: not filled in by a person who writes documents.
pub(crate) fn is_filled_in(body: &[u8]) -> bool {
    let mut kinds = [false; 256];
    let (mut repeats, mut last, mut distinct) = (0, 0, 0);
    for byte in body {
        repeats = if *byte == last { repeats + 1 } else { 0 };
        last = *byte;
        // Eight of one character in a row, where none is padding of a fixed field.
        if repeats >= 7 && !b"A0=".contains(byte) {
            return true;
        }
        if let Some(seen) = kinds.get_mut(usize::from(*byte))
            && !*seen
        {
            *seen = true;
            distinct += 1;
        }
    }
    distinct < 5
        || (distinct < 8 && body.len() > 24)
        || body
            .iter()
            .all(|b| b.is_ascii_lowercase() || b"_-.".contains(b))
}

/// Words that stand for a value.
const STAND_INS: &[&[u8]] = &[
    b"example",
    b"changeme",
    b"change-me",
    b"change_me",
    b"placeholder",
    b"redacted",
    b"dummy",
    b"yourpass",
    b"your-",
    b"your_",
    b"my-secret",
    b"mysecret",
    b"xxxx",
    b"****",
    b"....",
    b"insert",
    b"replace",
    b"todo",
    b"not-set",
    b"undefined",
    b"generate",
    b"required",
    b"process.env",
    b"os.environ",
    b"getenv",
    b"secretref",
    b"valuefrom",
    b"fake-",
    b"fake_",
    b"sample",
    b"not-a-",
    b"not_a_",
    b"foobar",
];

/// What begins a template, a variable, a reference or a hash.
const OPENINGS: &[&[u8]] = &[
    b"<",
    b"${",
    b"$(",
    b"{",
    b"%(",
    b"#{",
    b"@{",
    b"[",
    b"%{",
    b"*",
    b"arn:",
    b"data:",
    b"sha1-",
    b"sha256-",
    b"sha384-",
    b"sha512-",
    b"sha256:",
    b"sha1:",
    b"sha512:",
    b"md5:",
    b"vault:",
    b"op://",
    b"ssm:",
    b"env:",
    b"ref+",
    b"ENC[",
    b"projects/",
    b"secretsmanager",
    b"AQICAH",
    b"!vault",
    b"file:",
    b"$argon",
    b"base64:<",
];

/// Whether `value` only stands for a secret.
pub(crate) fn is_placeholder(value: &[u8]) -> bool {
    if OPENINGS.iter().any(|opening| value.starts_with(opening))
        || memchr::memmem::find(value, b"://").is_some()
    {
        return true;
    }
    // `$PASSWORD`, `%PASSWORD%`, `$1`.
    if let [b'$' | b'%' | b'@' | b'&', name @ ..] = value {
        let name = name.strip_suffix(b"%").unwrap_or(name);
        if name.iter().all(|b| crate::edge::is_word(*b)) && !has_turn(name) {
            return true;
        }
    }
    for template in [
        &b"${"[..],
        b"{{",
        b"#{",
        b"%s",
        b"%d",
        b"{}",
        b"$(",
        b"[redacted",
        b"</",
        b"(?",
        b"\\s",
        b"\\d",
        b"\\w",
        b"\\S",
    ] {
        if memchr::memmem::find(value, template).is_some() {
            return true;
        }
    }
    let mut lower = [0; 64];
    let len = value.len().min(lower.len());
    for (to, from) in lower.iter_mut().zip(value) {
        *to = from.to_ascii_lowercase();
    }
    let lower = lower.get(..len).unwrap_or_default();
    STAND_INS
        .iter()
        .any(|word| memchr::memmem::find(lower, word).is_some())
        || is_one_byte(value)
}

fn is_one_byte(value: &[u8]) -> bool {
    value
        .split_first()
        .is_none_or(|(first, rest)| rest.iter().all(|b| b == first))
}

/// A digit among letters that is not only a number at the end.
fn has_turn(name: &[u8]) -> bool {
    Census::of(name).turns() > 1
}

/// A bare value that calls, indexes, points or ends like a statement.
fn is_code(value: &[u8]) -> bool {
    value.iter().any(|b| b"()[]{}<>`\"'".contains(b))
        || value
            .windows(2)
            .any(|pair| matches!(pair, b"->" | b"::" | b"=>" | b"&&" | b"||" | b"=="))
        || is_dotted(value)
        || matches!(value, [b'&' | b'*' | b'!' | b'@', rest @ ..] if rest.iter().all(|b| crate::edge::is_word(*b)))
}

/// `config.token2`, `this.password`, `v1.token`: names joined by dots.
fn is_dotted(value: &[u8]) -> bool {
    let mut parts = 0;
    for part in value.split(|b| *b == b'.') {
        let named = part
            .first()
            .is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
        if !named
            || part.len() > 40
            || !part.iter().all(|b| crate::edge::is_word(*b))
            || Census::of(part).turns() > 2
        {
            return false;
        }
        parts += 1;
    }
    parts > 1
}

fn is_path(value: &[u8], seen: &Census) -> bool {
    let rooted = value.starts_with(b"/")
        || value.starts_with(b"./")
        || value.starts_with(b"../")
        || value.starts_with(b"~/");
    let drive = matches!(value, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    (rooted && !seen.is_random()) || drive
}

/// What a value is made of.
struct Census {
    letters: usize,
    digits: usize,
    /// Steps between letters and digits.
    steps: usize,
    /// Steps from a small letter to a capital.
    humps: usize,
    capitals: usize,
    distinct: u32,
}

impl Census {
    fn of(value: &[u8]) -> Self {
        let mut seen = Self {
            letters: 0,
            digits: 0,
            steps: 0,
            humps: 0,
            capitals: 0,
            distinct: 0,
        };
        let (mut last, mut kinds) = (0u8, 0u128);
        for byte in value.iter().filter(|b| b.is_ascii_alphanumeric()) {
            let digit = byte.is_ascii_digit();
            seen.digits += usize::from(digit);
            seen.letters += usize::from(!digit);
            seen.capitals += usize::from(byte.is_ascii_uppercase());
            if last != 0 {
                seen.steps += usize::from(last.is_ascii_digit() != digit);
                seen.humps += usize::from(last.is_ascii_lowercase() && byte.is_ascii_uppercase());
            }
            last = *byte;
            kinds |= 1 << (byte & 127);
        }
        seen.distinct = kinds.count_ones();
        seen
    }

    fn alnum(&self) -> usize {
        self.letters + self.digits
    }

    /// Steps of any sort.
    fn turns(&self) -> usize {
        self.steps + self.humps
    }

    /// Random letters and digits change their sort at every second or third character, words and names at every fifth
    /// or later.
    fn is_random(&self) -> bool {
        let alnum = self.alnum();
        let mixed = self.digits >= 1
            && self.letters >= 3
            && self.turns() * 100 >= 22 * alnum
            && self.steps >= 2;
        let cased = self.humps * 100 >= 14 * alnum && alnum >= 20 && self.is_cased_at_random();
        // Enough different characters: sixteen of a hexadecimal key show ten of them.
        (mixed || cased) && self.distinct >= 6
    }

    /// Capitals are half of random letters, and a fifth of a name in camel case.
    fn is_cased_at_random(&self) -> bool {
        (33..=67).contains(&(self.capitals * 100 / self.letters.max(1)))
            && self.humps >= 2
            && self.distinct >= 6
    }

    fn is_short_and_random(&self) -> bool {
        self.alnum() >= 8
            && self.digits >= 2
            && self.letters >= 2
            && self.steps >= 3
            && self.distinct >= 6
    }
}

/// Whether `text` is base64 of printable text with a colon in it: `user:password`.
pub(crate) fn is_base64_pair(text: &[u8]) -> bool {
    let text = text
        .strip_suffix(b"==")
        .or_else(|| text.strip_suffix(b"="))
        .unwrap_or(text);
    if text.len() < 6 || text.len() > MAX {
        return false;
    }
    let (mut bits, mut held, mut colon) = (0u32, 0u32, false);
    for byte in text {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return false,
        };
        bits = (bits << 6 | u32::from(six)) & 0xffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            let plain = (bits >> held) as u8;
            if !(b' '..0x7f).contains(&plain) {
                return false;
            }
            colon |= plain == b':';
        }
    }
    colon
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_code_are_no_secrets() {
        for value in [
            "getUserTokenFromCache",
            "get_token()",
            "config.api.token2",
            "my-app-tls-secret",
            "required",
            "v1.2.3",
        ] {
            assert!(
                !is_secret(value.as_bytes(), Demand::Random, Style::Tight),
                "{value}"
            );
        }
        for value in [
            "password",
            "String",
            "password2",
            "self.password",
            "/run/secrets/db",
            "$DB_PASSWORD",
            "Enter!",
        ] {
            assert!(
                !is_secret(value.as_bytes(), Demand::Chosen, Style::Loose),
                "{value}"
            );
        }
    }

    #[test]
    fn made_and_chosen_values_are() {
        for value in [
            "9f86d081884c7d659a2feaa0c55ad015",
            "q8Zx3LmT0vKp9RwY2bNc",
            "x7k2m9p4",
        ] {
            assert!(
                is_secret(value.as_bytes(), Demand::Random, Style::Tight),
                "{value}"
            );
        }
        for value in ["hunter2", "S3cure!pw", "correct-horse!x", "123456"] {
            assert!(
                is_secret(value.as_bytes(), Demand::Chosen, Style::Tight),
                "{value}"
            );
        }
    }

    #[test]
    fn pairs_in_base64() {
        assert!(is_base64_pair(b"dXNlcjpwYXNz"));
        assert!(!is_base64_pair(b"dXNlcnBhc3M="));
        assert!(!is_base64_pair(b"authentication"));
    }
}
