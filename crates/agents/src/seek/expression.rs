//! What a regular expression asks for: how many names it guesses at, and its plain words. Blunt: no dialect is parsed. `\|` is
//! taken for an alternative like `|`, since whoever writes either means one, whatever their program makes of it.

/// What remains of an expression, a letter at a time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// Stands for itself.
    Letter(char),
    Or,
    Open,
    Close,
    /// Syntax, or any letter: nothing that is asked for by name.
    Gap,
}

/// How many names the longest alternation lists: `a_name|other|third` is three, `fn (a|b)` two, a plain word one. Alternatives
/// without two letters in a row are no names.
///
/// ```
/// use memfold_agents::seek::expression::alternatives;
///
/// assert_eq!(alternatives("modelForm|credential|host|bind"), 4);
/// assert_eq!(alternatives(r"fn (read|write)\b"), 2);
/// assert_eq!(alternatives(r"a \|\| b"), 0);
/// ```
pub fn alternatives(expression: &str) -> usize {
    /// One level of brackets: the names of the alternatives that ended, and how far the present one came.
    #[derive(Default)]
    struct Level {
        names: usize,
        run: usize,
        named: bool,
    }
    impl Level {
        fn end(&mut self) {
            self.names += usize::from(std::mem::take(&mut self.named));
            self.run = 0;
        }
    }
    let mut most = 0;
    let mut outer: Vec<Level> = Vec::new();
    let mut now = Level::default();
    for piece in pieces(expression) {
        match piece {
            Piece::Letter(letter) if letter.is_alphabetic() => {
                now.run += 1;
                now.named |= now.run >= 2;
            }
            Piece::Letter(_) | Piece::Gap => now.run = 0,
            Piece::Or => now.end(),
            Piece::Open => outer.push(std::mem::take(&mut now)),
            Piece::Close => {
                now.end();
                most = most.max(now.names);
                let named = now.names > 0;
                now = outer.pop().unwrap_or_default();
                now.named |= named;
                now.run = 0;
            }
        }
    }
    // What was opened and never closed is an alternation too.
    while let Some(level) = outer.pop() {
        now.end();
        most = most.max(now.names);
        now = level;
    }
    now.end();
    most.max(now.names)
}

/// The plain words of an expression, with blanks between.
///
/// ```
/// use memfold_agents::seek::expression::words;
///
/// assert_eq!(words(r"\bfn (read|write)_all\(|[Dd]enied?"), "fn read write _all( denied");
/// ```
pub fn words(expression: &str) -> String {
    let mut words = String::new();
    for piece in pieces(expression) {
        match piece {
            // Quotes would ask for a phrase.
            Piece::Letter(letter) if letter != '"' && !letter.is_whitespace() => words.push(letter),
            _ if words.ends_with(' ') || words.is_empty() => {}
            _ => words.push(' '),
        }
    }
    words.truncate(words.trim_end().len());
    words
}

fn pieces(expression: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut letters = expression.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => pieces.push(match letters.next() {
                None => Piece::Gap,
                Some('|') => Piece::Or,
                Some('p' | 'P' | 'x' | 'u') => {
                    skip_braces(&mut letters);
                    Piece::Gap
                }
                // Classes, anchors and references; any other letter that is escaped stands for itself.
                Some(class) if class.is_ascii_alphanumeric() || matches!(class, '<' | '>') => {
                    Piece::Gap
                }
                Some(itself) => Piece::Letter(itself),
            }),
            '|' => pieces.push(Piece::Or),
            '(' => {
                pieces.push(Piece::Open);
                skip_flags(&mut letters);
            }
            ')' => pieces.push(Piece::Close),
            '[' => pieces.push(class(&mut letters)),
            '{' => {
                let counts = |c: char| c.is_ascii_digit() || c == ',';
                match letters.as_str().split_once('}') {
                    Some((inside, rest)) if !inside.is_empty() && inside.chars().all(counts) => {
                        letters = rest.chars();
                    }
                    _ => pieces.push(Piece::Gap),
                }
            }
            // A letter that may be missing belongs to its word all the same.
            '?' => {}
            '.' | '*' | '+' | '^' | '$' | '}' | ']' => pieces.push(Piece::Gap),
            other => pieces.push(Piece::Letter(other)),
        }
    }
    pieces
}

fn skip_braces(letters: &mut std::str::Chars<'_>) {
    if let Some(inside) = letters.as_str().strip_prefix('{')
        && let Some((_, rest)) = inside.split_once('}')
    {
        *letters = rest.chars();
    }
}

/// `(?:`, `(?i)`, `(?P<name>`, `(?<!`: what they say besides is no word.
fn skip_flags(letters: &mut std::str::Chars<'_>) {
    let Some(flags) = letters.as_str().strip_prefix('?') else {
        return;
    };
    let named = flags.trim_start_matches('P');
    let rest = match named.strip_prefix('<') {
        Some(name) if !name.starts_with(['=', '!']) => {
            name.split_once('>').map_or(name, |(_, rest)| rest)
        }
        Some(behind) => behind.get(1..).unwrap_or_default(),
        None => {
            let after = flags.trim_start_matches(|c: char| c.is_ascii_lowercase() || c == '-');
            after.strip_prefix([':', '=', '!']).unwrap_or(after)
        }
    };
    *letters = rest.chars();
}

/// A class of letters. One of the two cases of a letter is that letter.
fn class(letters: &mut std::str::Chars<'_>) -> Piece {
    let text = letters.as_str();
    let from = if text.starts_with("^]") {
        2
    } else {
        usize::from(text.starts_with(']'))
    };
    let end = text
        .char_indices()
        .skip_while(|(at, _)| *at < from)
        .scan(false, |escaped, (at, letter)| {
            let ends = letter == ']' && !*escaped;
            *escaped = letter == '\\' && !*escaped;
            Some((at, ends))
        })
        .find_map(|(at, ends)| ends.then_some(at));
    let Some((inside, rest)) = end.and_then(|end| text.split_at_checked(end)) else {
        return Piece::Gap;
    };
    *letters = rest.chars();
    letters.next();
    let mut both = inside.chars();
    match (both.next(), both.next(), both.next()) {
        (Some(a), Some(b), None) if a != b && a.to_lowercase().eq(b.to_lowercase()) => {
            Piece::Letter(a.to_ascii_lowercase())
        }
        _ => Piece::Gap,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_that_are_guessed_at() {
        for (expression, expected) in [
            ("a_name|other|third", 3),
            (r"one\|two\|three", 3),
            (r"(foo|bar)\.(baz|qux|quux)", 3),
            ("foo(bar|baz", 2),
            ("TODO", 1),
            ("a|b|c", 0),
            ("|||", 0),
            (r"[a|b|c]xy", 1),
            (r"\bfn\s+(new|open)", 2),
            (r"class Foo|def foo|Foo\(", 3),
            ("", 0),
        ] {
            assert_eq!(alternatives(expression), expected, "{expression}");
        }
    }

    #[test]
    fn plain_words() {
        for (expression, expected) in [
            (r"scrub_env|ScrubEnv", "scrub_env ScrubEnv"),
            (r"(?i)error: .* not found$", "error: not found"),
            (r"(?P<name>foo)(?:bar)(?<!x)", "foo bar x"),
            (r"colou?r{2,3}\s*=\s*\d+", "colour ="),
            (r"\p{Lu}xy\x{41}[^]a]z", "xy z"),
            (r#""quoted text""#, "quoted text"),
            (r"\.unwrap\(\)", ".unwrap()"),
            ("[", ""),
        ] {
            assert_eq!(words(expression), expected, "{expression}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "\\PC{0,40}", syntax in "[\\\\|()\\[\\]{}?<>^*a\u{e9}]{0,30}") {
            for expression in [&text, &syntax] {
                prop_assert!(alternatives(expression) <= expression.len());
                prop_assert!(words(expression).len() <= expression.len());
            }
        }
    }
}
