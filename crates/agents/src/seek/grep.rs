//! Programs that search files: what they look for and where. Options are told from words by which of them take a value.

use super::{By, Dialect, Search};
use crate::shell::{Program, Simple};

/// Short options that take a value: `grep`'s, and those of `rg`, `ag` and `ack` besides.
const GREP_VALUES: &str = "efmABCdD";
const RG_VALUES: &str = "efmABCgtTjMErd";
/// Those of them whose value is a number: what is none is no value of theirs.
const NUMBERS: &str = "mABCjM";
const LONG_VALUES: &[&str] = &[
    "--regexp",
    "--file",
    "--max-count",
    "--after-context",
    "--before-context",
    "--context",
    "--include",
    "--exclude",
    "--exclude-dir",
    "--glob",
    "--iglob",
    "--type",
    "--type-not",
    "--max-depth",
    "--threads",
    "--encoding",
    "--replace",
    "--sort",
    "--sortr",
    "--colors",
    "--ignore",
    "--ignore-dir",
    "--max-filesize",
    "--max-columns",
];
/// Options of `git` itself that take a value.
const GIT_VALUES: &[&str] = &["-C", "-c", "--git-dir", "--work-tree"];

/// The search that a program makes of files; none if it only filters what it reads.
pub(super) fn search(program: &Program<'_>, piped: bool) -> Option<Search> {
    // With the names that xargs gives it, it reads files.
    let reads_pipe = piped && !program.by_xargs;
    match program.name {
        "grep" | "egrep" | "fgrep" | "zgrep" | "ggrep" => {
            let read = Words::of(program.arguments, GREP_VALUES);
            let fixed = program.name == "fgrep" || read.has('F', "--fixed-strings");
            let recursive =
                read.has('r', "--recursive") || read.has('R', "--dereference-recursive");
            let search = read.text(fixed)?;
            let files = !search.places.is_empty() || recursive || program.by_xargs;
            (files && !(reads_pipe && search.places.is_empty() && !recursive)).then_some(search)
        }
        "rg" | "ag" | "ack" | "ack-grep" | "ugrep" => {
            let read = Words::of(program.arguments, RG_VALUES);
            if read.long("--files") {
                return Some(names(read.globs().join(" "), read.free));
            }
            let search = read.text(read.has('F', "--fixed-strings"))?;
            (!reads_pipe || !search.places.is_empty()).then_some(search)
        }
        "git" => git(program.arguments),
        "find" | "gfind" => Some(find(program.arguments)),
        "fd" | "fdfind" => {
            let read = Words::of(program.arguments, "etEdjxX");
            let mut free = read.free.into_iter();
            Some(names(free.next().unwrap_or_default(), free.collect()))
        }
        "Select-String" | "findstr" => {
            let read = Words::of(program.arguments, "");
            read.text(false).filter(|search| !search.places.is_empty())
        }
        _ => None,
    }
}

fn git(arguments: &[String]) -> Option<Search> {
    let mut words = arguments.iter();
    loop {
        let word = words.next()?;
        if GIT_VALUES.contains(&word.as_str()) {
            words.next();
        } else if !word.starts_with('-') {
            let rest = words.as_slice();
            return match word.as_str() {
                "grep" => {
                    let read = Words::of(rest, GREP_VALUES);
                    read.text(read.has('F', "--fixed-strings"))
                }
                "ls-files" => {
                    let free = Words::of(rest, "xX").free;
                    Some(names(free.join(" "), Vec::new()))
                }
                _ => None,
            };
        }
    }
}

fn names(what: String, places: Vec<String>) -> Search {
    Search {
        by: By::ShellNames,
        what,
        dialect: Dialect::Glob,
        places,
        from: None,
    }
}

/// `find`: what its tests of names say; a `grep` that it runs on what it finds is a search of text.
fn find(arguments: &[String]) -> Search {
    let is_test = |word: &&String| word.starts_with(['-', '(', '!']);
    let places: Vec<String> = arguments
        .iter()
        .take_while(|word| !is_test(word))
        .cloned()
        .collect();
    if let Some(at) = arguments.iter().position(|word| word.starts_with("-exec")) {
        let words = arguments.iter().skip(at.saturating_add(1));
        let run = Simple {
            words: words
                .take_while(|word| *word != ";" && *word != "+")
                .cloned()
                .collect(),
            ..Simple::default()
        };
        if let Some(inner) = run.program().and_then(|program| search(&program, false))
            && inner.by == By::ShellText
        {
            return Search { places, ..inner };
        }
    }
    let mut patterns = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if matches!(
            word.as_str(),
            "-name" | "-iname" | "-path" | "-ipath" | "-regex" | "-iregex"
        ) {
            patterns.extend(words.next().cloned());
        }
    }
    names(patterns.join(" "), places)
}

/// A program's words, told apart.
struct Words {
    short: String,
    long: Vec<String>,
    values: Vec<(String, String)>,
    free: Vec<String>,
}

impl Words {
    fn of(arguments: &[String], taking: &str) -> Words {
        let mut read = Words {
            short: String::new(),
            long: Vec::new(),
            values: Vec::new(),
            free: Vec::new(),
        };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            if word == "--" {
                read.free.extend(words.by_ref().cloned());
            } else if word.starts_with("--") {
                match word.split_once('=') {
                    Some((name, value)) => read.values.push((name.to_owned(), value.to_owned())),
                    None if LONG_VALUES.contains(&word.as_str()) => {
                        let value = words.next().cloned().unwrap_or_default();
                        read.values.push((word.clone(), value));
                    }
                    None => read.long.push(word.clone()),
                }
            } else if let Some(flags) = word.strip_prefix('-').filter(|flags| !flags.is_empty()) {
                let mut letters = flags.chars();
                while let Some(letter) = letters.next() {
                    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
                    let value_is = match letters.as_str() {
                        "" => words.as_slice().first().is_some_and(|word| is_number(word)),
                        attached => is_number(attached),
                    };
                    let takes = taking.contains(letter) && (value_is || !NUMBERS.contains(letter));
                    if !takes {
                        read.short.push(letter);
                        continue;
                    }
                    let value = match letters.as_str() {
                        "" => words.next().cloned().unwrap_or_default(),
                        attached => attached.to_owned(),
                    };
                    read.values.push((letter.to_string(), value));
                    break;
                }
            } else {
                read.free.push(word.clone());
            }
        }
        read
    }

    fn long(&self, name: &str) -> bool {
        self.long.iter().any(|word| word == name)
    }

    fn has(&self, short: char, long: &str) -> bool {
        self.short.contains(short) || self.long(long)
    }

    fn globs(&self) -> Vec<&str> {
        let globs = self
            .values
            .iter()
            .filter(|(name, _)| name == "g" || name == "--glob");
        globs.map(|(_, glob)| glob.as_str()).collect()
    }

    /// A search of text: the patterns that are named as such, else the first free word; the others are places.
    fn text(&self, fixed: bool) -> Option<Search> {
        let named = self
            .values
            .iter()
            .filter(|(name, _)| name == "e" || name == "--regexp");
        let mut patterns: Vec<&str> = named.map(|(_, pattern)| pattern.as_str()).collect();
        let from_file = self
            .values
            .iter()
            .any(|(name, _)| name == "f" || name == "--file");
        let mut free = self.free.iter();
        if patterns.is_empty() && !from_file {
            patterns.push(free.next()?);
        }
        Some(Search {
            by: By::ShellText,
            // Several patterns are alternatives, as their lines would be.
            what: patterns.join("|"),
            dialect: if fixed && patterns.len() < 2 {
                Dialect::Fixed
            } else {
                Dialect::Expression
            },
            places: free.cloned().collect(),
            from: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::simple_commands;

    fn first(script: &str) -> Option<(By, String, Vec<String>)> {
        let commands = simple_commands(script);
        let found = commands
            .iter()
            .find_map(|simple| search(&simple.program()?, simple.piped))?;
        Some((found.by, found.what, found.places))
    }

    #[test]
    fn options_are_told_from_patterns_and_places() {
        for (script, by, what, places) in [
            (
                "grep -rnE 'a|b' src tests",
                By::ShellText,
                "a|b",
                &["src", "tests"][..],
            ),
            ("grep -rnA3 x .", By::ShellText, "x", &["."]),
            ("grep -A 3 -e x -e y f", By::ShellText, "x|y", &["f"]),
            ("grep --include '*.rs' -r x", By::ShellText, "x", &[]),
            ("grep --include=*.rs -R x a", By::ShellText, "x", &["a"]),
            ("rg -g '*.rs' -t rust x", By::ShellText, "x", &[]),
            ("rg --context 3 -- -x a", By::ShellText, "-x", &["a"]),
            (
                "git -C sub grep -n foo -- src",
                By::ShellText,
                "foo",
                &["src"],
            ),
            (
                "find src tests -name '*.rs' -o -iname x",
                By::ShellNames,
                "*.rs x",
                &["src", "tests"],
            ),
            (
                "find . -type f -exec grep -l foo {} +",
                By::ShellText,
                "foo",
                &["."],
            ),
            ("find . | xargs -0 grep -n foo", By::ShellNames, "", &["."]),
            ("rg -m 'a|b' src", By::ShellText, "a|b", &["src"]),
            (
                "fd -e rs guard crates",
                By::ShellNames,
                "guard",
                &["crates"],
            ),
            (
                "rg --files -g '*.md' docs",
                By::ShellNames,
                "*.md",
                &["docs"],
            ),
        ] {
            let places = places.iter().map(|place| (*place).to_owned()).collect();
            assert_eq!(
                first(script),
                Some((by, what.to_owned(), places)),
                "{script}"
            );
        }
    }

    #[test]
    fn filters_are_no_searches() {
        for script in [
            "ps aux | grep node",
            "cargo test 2>&1 | rg FAILED",
            "grep x",
            "git log --grep=x",
            "git status",
            "grep --version",
            "rg",
        ] {
            assert_eq!(first(script), None, "{script}");
        }
    }
}
