//! What of a query is written as a path is: someone who writes `lib/response.js` or `utils.js` means that file.

/// What stands beside a path in prose, in Markdown and in code.
const BESIDE: &[char] = &[
    '`', '\'', '"', '“', '”', '„', '(', ')', '[', ']', '{', '}', '<', '>', '*', ',', ';', ':',
];
/// Fewer bytes are an abbreviation or a separator.
const LEAST_BYTES: usize = 3;

/// The runs of a text that have a dot or a slash within, in small letters, each once.
pub(crate) fn paths(text: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for run in text.split(|c: char| c.is_whitespace() || BESIDE.contains(&c)) {
        let run = run.trim_end_matches(['.', '?', '!']);
        let run = run.strip_prefix("./").unwrap_or(run).trim_matches('/');
        let path = run.to_lowercase();
        if path.len() >= LEAST_BYTES && path.contains(['.', '/']) && !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_as_a_path() {
        let cases: &[(&str, &[&str])] = &[
            (
                "fix Lib/Response.js, and utils.js.",
                &["lib/response.js", "utils.js"],
            ),
            ("log/rotate: keep one", &["log/rotate"]),
            ("`./src/a.rs:12` (b.c)", &["src/a.rs", "b.c"]),
            ("mark it in .gitattributes", &[".gitattributes"]),
            ("the end. Is it? a/ / ... ./", &[]),
            ("a.b a.b A.B", &["a.b"]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(paths(text), *expected, "{text}");
        }
    }
}
