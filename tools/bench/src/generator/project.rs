//! A made-up project: files of code, and what tools return of them: pieces of files, listings, tests' output, differences,
//! matches. A session comes back to a few of its files again and again.

use std::fmt::Write as _;

use super::words::{Names, Vocabulary};
use crate::random::Random;

/// A project's files and names.
pub(crate) struct Project<'v> {
    pub(crate) words: &'v Vocabulary,
    pub(crate) names: Names,
    pub(crate) folder: String,
    pub(crate) files: Vec<File>,
}

/// A file.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) lines: Vec<String>,
}

impl File {
    /// A piece of about so many bytes: its first line, from 0, and its lines.
    pub(crate) fn piece(&self, random: &mut Random, bytes: usize) -> (usize, &[String]) {
        // Most pieces are short, a few very long.
        let wanted =
            (bytes as f64 * (1.8 * (random.share() + random.share() - 1.0)).exp()) as usize;
        let count = (wanted / 36).clamp(3, self.lines.len());
        let from = random.below(self.lines.len() - count + 1);
        (from, &self.lines[from..from + count])
    }
}

impl<'v> Project<'v> {
    pub(crate) fn new(random: &Random, words: &'v Vocabulary) -> Project<'v> {
        let names = Names::new(random.of(1), words, 1200);
        let mut random = random.of(2);
        let folder = format!(
            "/home/dev/src/{}",
            names.snake(&mut random).replace('_', "-")
        );
        let mut project = Project {
            words,
            names,
            folder,
            files: Vec::new(),
        };
        for _ in 0..12 + random.below(24) {
            let ending = random.pick(&["rs", "rs", "rs", "py", "ts", "md", "toml"]);
            let path = format!(
                "{}/{}/{}.{ending}",
                random.pick(&["src", "src", "tests", "crates", "docs"]),
                words.word(&mut random),
                project.names.snake(&mut random)
            );
            let own: Vec<&str> = (0..16).map(|_| project.names.snake(&mut random)).collect();
            let lines = (0..60 + random.below(500))
                .map(|_| project.line(&mut random, ending, &own))
                .collect();
            project.files.push(File { path, lines });
        }
        project
    }

    /// A line of a file, which mostly uses names of its own.
    fn line(&self, random: &mut Random, ending: &str, own: &[&str]) -> String {
        let mut line = String::new();
        if ending == "md" {
            if random.chance(0.7) {
                self.words.sentence(random, &self.names, &mut line);
            }
            return line;
        }
        let indent = 4 * random.below(4);
        line.extend(std::iter::repeat_n(' ', indent));
        let names = &self.names;
        let [a, b, c] = [(); 3].map(|()| {
            if random.chance(0.8) {
                random.pick(own)
            } else {
                names.snake(random)
            }
        });
        let (x, y) = (names.camel(random), names.camel(random));
        let number = random.below(4096);
        // Writing to a string does not fail.
        let _ = match random.below(20) {
            0 => write!(
                line,
                "pub fn {a}({b}: &{x}, {c}: usize) -> Result<(), Error> {{"
            ),
            1 => write!(
                line,
                "let mut {a} = self.{b}.as_ref().unwrap_or(&{number});"
            ),
            2 => write!(line, "if {a}.len() > {number} && !{b}.is_empty() {{"),
            3 => write!(line, "return Err(Error::{x}({a}.to_owned()));"),
            4 => write!(line, "assert_eq!({a}(\"{b}\"), Some({number}));"),
            5 => write!(line, "for (i, {a}) in {b}.iter().enumerate() {{"),
            6 => write!(line, "match self.{a} {{ Some({b}) => {b}, None => 0 }}"),
            7 => write!(line, "use crate::{a}::{x};"),
            8 => write!(line, "def {a}(self, {b}=None):"),
            9 => write!(line, "const {a} = await this.{b}('{c}');"),
            10 => write!(line, "{a} = \"{b}-{number}\""),
            11 => {
                line.push_str("// ");
                self.words.sentence(random, names, &mut line);
                Ok(())
            }
            12 => write!(
                line,
                "#[derive(Clone, Debug)] pub struct {x} {{ {a}: {y} }}"
            ),
            13 => {
                line.truncate(0);
                Ok(())
            }
            _ => write!(line, "}}"),
        };
        line
    }

    /// How a tool shows a piece of a file: each line behind its number.
    pub(crate) fn numbered(from: usize, lines: &[String]) -> String {
        let mut text = String::new();
        for (number, line) in (from + 1..).zip(lines) {
            let _ = writeln!(text, "{number:6}→{line}");
        }
        text
    }

    /// What a run of tests prints.
    pub(crate) fn tests(&self, random: &mut Random, file: &File) -> (String, i32) {
        let mut text = String::new();
        let module = file.path.replace('/', "::");
        let failed = random.chance(0.3);
        let count = 5 + random.below(60);
        let wrong = random.below(count);
        for test in 0..count {
            let outcome = if failed && test == wrong {
                "FAILED"
            } else {
                "ok"
            };
            let name = self.names.snake(random);
            let _ = writeln!(text, "test {module}::{name}_{test} ... {outcome}");
        }
        if failed {
            let (line, camel) = (random.below(900), self.names.camel(random));
            let _ = writeln!(
                text,
                "\nthread '{module}' panicked at {}:{line}:9:\nassertion `left == right` failed: {camel}\n  left: {}\n right: {}",
                file.path,
                random.below(999),
                random.below(999)
            );
        }
        let _ = writeln!(
            text,
            "\ntest result: {}. {count} tests; finished in {}.{:02}s",
            if failed { "FAILED" } else { "ok" },
            random.below(9),
            random.below(100)
        );
        (text, if failed { 101 } else { 0 })
    }

    /// A listing of the project's files, then the last commits.
    pub(crate) fn listing(&self, random: &mut Random) -> String {
        let mut text = String::new();
        for file in &self.files {
            let size: usize = file.lines.iter().map(String::len).sum();
            let _ = writeln!(
                text,
                "-rw-r--r-- 1 dev dev {size:7} Jan {:2} 1{}:{:02} {}",
                1 + random.below(28),
                random.below(10),
                random.below(60),
                file.path
            );
        }
        for _ in 0..random.below(20) {
            let _ = write!(text, "{:07x} ", random.next() >> 36);
            self.words.sentence(random, &self.names, &mut text);
            text.push('\n');
        }
        text
    }

    /// A difference of a piece of a file.
    pub(crate) fn difference(&self, random: &mut Random, file: &File) -> String {
        let (from, lines) = file.piece(random, 2400);
        let path = &file.path;
        let mut text = format!(
            "diff --git a/{path} b/{path}\nindex {:07x}..{:07x} 100644\n--- a/{path}\n+++ b/{path}\n@@ -{from},{} +{from},{} @@\n",
            random.next() >> 36,
            random.next() >> 36,
            lines.len(),
            lines.len() + 2
        );
        for line in lines {
            let _ = writeln!(text, "{}{line}", random.pick(&["+", "-", " ", " ", " "]));
        }
        text
    }

    /// The lines of all files that hold a name.
    pub(crate) fn matches(&self, name: &str) -> String {
        let mut text = String::new();
        for file in &self.files {
            for (number, line) in (1..).zip(&file.lines) {
                if line.contains(name) && text.len() < 20_000 {
                    let _ = writeln!(text, "{}/{}:{number}:{line}", self.folder, file.path);
                }
            }
        }
        if text.is_empty() {
            text.push_str("No matches found");
        }
        text
    }

    /// What a compiler complains of.
    pub(crate) fn complaints(&self, random: &mut Random, file: &File) -> String {
        let (from, lines) = file.piece(random, 1800);
        let mut text = String::new();
        for (number, line) in (from + 1..).zip(lines).filter(|(_, line)| !line.is_empty()) {
            let kind = random.pick(&["warning", "note", "error[E0308]"]);
            let name = self.names.snake(random);
            let _ = writeln!(
                text,
                "{kind}: unused `{name}`\n  --> {}:{number}:5\n   |\n{number:3} | {line}",
                file.path
            );
        }
        text
    }
}
