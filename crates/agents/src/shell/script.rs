//! A shell script as its simple commands. Not a shell's parser: it knows quotes, separators, redirections and here-documents,
//! which is enough to find the programs that a script starts, and with which words.

use std::str::Chars;

use super::{SHELLS, takes_script};

/// Scripts within scripts (`bash -c 'bash -c …'`) are followed so deep.
const DEEPEST: usize = 3;

/// A simple command: a program and its words, quotes taken off.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Simple {
    /// Its words, redirections left out.
    pub(crate) words: Vec<String>,
    /// It reads what the command before it writes.
    pub(crate) piped: bool,
    /// The files that its output goes to.
    pub(crate) writes: Vec<String>,
}

/// What the next word is to a redirection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Redirection {
    Out,
    /// From a file, or of one descriptor into another.
    Aside,
    HereDocument,
}

/// The simple commands of a script, in their order; those of a shell's `-c` in its place.
pub(crate) fn simple_commands(script: &str) -> Vec<Simple> {
    let mut all = Vec::new();
    collect(script, 0, &mut all);
    all
}

fn collect(script: &str, depth: usize, into: &mut Vec<Simple>) {
    for simple in Scanner::of(script).commands() {
        let inner = simple.program().and_then(|program| {
            let is_shell = SHELLS.contains(&program.name) && depth < DEEPEST;
            let mut words = program.arguments.iter().filter(|_| is_shell);
            words.find(|word| takes_script(word))?;
            words.next().cloned()
        });
        match inner {
            Some(inner) => collect(&inner, depth.saturating_add(1), into),
            None => into.push(simple),
        }
    }
}

struct Scanner<'s> {
    letters: Chars<'s>,
    done: Vec<Simple>,
    now: Simple,
    word: String,
    /// A word has begun, be it an empty one in quotes.
    begun: bool,
    redirection: Option<Redirection>,
    /// Ends of here-documents that begin with the next line.
    ends: Vec<String>,
}

impl<'s> Scanner<'s> {
    fn of(script: &'s str) -> Scanner<'s> {
        Scanner {
            letters: script.chars(),
            done: Vec::new(),
            now: Simple::default(),
            word: String::new(),
            begun: false,
            redirection: None,
            ends: Vec::new(),
        }
    }

    fn commands(mut self) -> Vec<Simple> {
        let mut quote = None;
        while let Some(letter) = self.letters.next() {
            // A substitution starts a command wherever it stands, but between single quotes.
            let substitution =
                quote != Some('\'') && (letter == '`' || (letter == '$' && self.next_is('(')));
            match (letter, quote) {
                _ if substitution => {
                    self.end_command(false);
                    quote = None;
                }
                ('\'' | '"', None) => {
                    quote = Some(letter);
                    self.begun = true;
                }
                (_, Some(open)) if letter == open => quote = None,
                ('\\', Some('"')) => self.escaped_in_quotes(),
                ('\\', None) => self.escaped(),
                (other, Some(_)) => self.put(other),
                ('#', None) if !self.begun => self.skip_line(),
                ('|', None) => {
                    let or = self.next_is('|');
                    self.end_command(!or);
                    if or || self.next_is('&') {
                        self.letters.next();
                    }
                }
                ('&', None) if self.next_is('>') => {}
                ('\n', None) => {
                    self.end_command(false);
                    self.skip_here_documents();
                }
                (';' | '&' | '(' | ')' | '{' | '}', None) if !self.is_brace_in_word(letter) => {
                    self.end_command(false);
                }
                ('>' | '<', None) => self.redirect(letter),
                (space, None) if space.is_whitespace() => self.end_word(),
                (other, None) => self.put(other),
            }
        }
        self.end_command(false);
        self.done
    }

    fn put(&mut self, letter: char) {
        self.begun = true;
        self.word.push(letter);
    }

    fn next_is(&self, letter: char) -> bool {
        self.letters.as_str().starts_with(letter)
    }

    /// `{a,b}` in a word and `{}` of `find` group nothing.
    fn is_brace_in_word(&self, letter: char) -> bool {
        let opens_group = self.letters.as_str().starts_with(char::is_whitespace);
        match letter {
            '{' => self.begun || !opens_group,
            '}' => self.begun,
            _ => false,
        }
    }

    fn escaped(&mut self) {
        match self.letters.next() {
            // The line goes on.
            Some('\n') | None => {}
            Some(letter) => self.put(letter),
        }
    }

    /// Between double quotes a backslash stands for itself, but before what is special there.
    fn escaped_in_quotes(&mut self) {
        if !self
            .letters
            .as_str()
            .starts_with(['"', '\\', '$', '`', '\n'])
        {
            self.put('\\');
            return;
        }
        self.escaped();
    }

    fn redirect(&mut self, letter: char) {
        if self.next_is('(') {
            // A command whose output stands as a file.
            return self.end_word();
        }
        if self.word.bytes().all(|byte| byte.is_ascii_digit()) {
            // The descriptor's number, if it has one.
            self.word.clear();
            self.begun = false;
        }
        self.end_word();
        let rest = self.letters.as_str();
        let (length, redirection) = match letter {
            '>' if rest.starts_with(['>', '|']) => (1, Redirection::Out),
            '>' if rest.starts_with('&') => (1, Redirection::Aside),
            '>' => (0, Redirection::Out),
            _ if rest.starts_with("<<") => (2, Redirection::Aside),
            _ if rest.starts_with("<-") => (2, Redirection::HereDocument),
            _ if rest.starts_with('<') => (1, Redirection::HereDocument),
            _ if rest.starts_with('&') => (1, Redirection::Aside),
            _ => (0, Redirection::Aside),
        };
        for _ in 0..length {
            self.letters.next();
        }
        self.redirection = Some(redirection);
    }

    fn end_word(&mut self) {
        if !std::mem::take(&mut self.begun) {
            return;
        }
        let word = std::mem::take(&mut self.word);
        match self.redirection.take() {
            None => self.now.words.push(word),
            Some(Redirection::Out) => self.now.writes.push(word),
            Some(Redirection::HereDocument) => self.ends.push(word),
            Some(Redirection::Aside) => {}
        }
    }

    fn end_command(&mut self, pipe: bool) {
        self.end_word();
        self.redirection = None;
        let next = Simple {
            piped: pipe,
            ..Simple::default()
        };
        let ended = std::mem::replace(&mut self.now, next);
        if !ended.words.is_empty() || !ended.writes.is_empty() {
            self.done.push(ended);
        } else {
            // `| (` and the like: what follows reads the pipe.
            self.now.piped |= ended.piped;
        }
    }

    fn skip_line(&mut self) {
        while !self.letters.as_str().is_empty() && !self.next_is('\n') {
            self.letters.next();
        }
    }

    /// Past the texts of the here-documents that were begun on the line that ended.
    fn skip_here_documents(&mut self) {
        for end in std::mem::take(&mut self.ends) {
            let mut rest = self.letters.as_str();
            while !rest.is_empty() {
                let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
                rest = after;
                if line.trim_start_matches('\t') == end {
                    break;
                }
            }
            self.letters = rest.chars();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(script: &str) -> Vec<Vec<String>> {
        let commands = simple_commands(script).into_iter();
        commands.map(|simple| simple.words).collect()
    }

    #[test]
    fn commands_by_their_words() {
        for (script, expected) in [
            (
                "ls -l 'a b' \"c d\"",
                &[&["ls", "-l", "a b", "c d"][..]][..],
            ),
            (
                "cd x && grep a\\|b c | head -3",
                &[&["cd", "x"], &["grep", "a|b", "c"], &["head", "-3"]],
            ),
            ("rg \"a\\.b|c\\\"d\" src", &[&["rg", "a\\.b|c\"d", "src"]]),
            ("a || b; c &", &[&["a"], &["b"], &["c"]]),
            (
                "grep x f 2>/dev/null >out.txt 2>&1 -n",
                &[&["grep", "x", "f", "-n"]],
            ),
            (
                "bash -lc 'cat a; sed -n 1,3p b'",
                &[&["cat", "a"], &["sed", "-n", "1,3p", "b"]],
            ),
            ("cat <<'E' > f\ngrep no\nE\nls", &[&["cat"], &["ls"]]),
            ("cat <<< word", &[&["cat"]]),
            (
                "for f in *.rs; do wc -l $f; done",
                &[
                    &["for", "f", "in", "*.rs"],
                    &["do", "wc", "-l", "$f"],
                    &["done"],
                ],
            ),
            (
                "rg x -g '*.{ts,js}' {a,b}/c",
                &[&["rg", "x", "-g", "*.{ts,js}", "{a,b}/c"]],
            ),
            (
                "find . -exec grep x {} \\;",
                &[&["find", ".", "-exec", "grep", "x", "{}", ";"]],
            ),
            ("ls # grep x\npwd", &[&["ls"], &["pwd"]]),
            ("ls \\\n  -l", &[&["ls", "-l"]]),
        ] {
            assert_eq!(words(script), expected, "{script}");
        }
    }

    #[test]
    fn pipes_and_files_that_are_written() {
        let commands = simple_commands("cat a | grep b > c || grep d e &> f");
        let told: Vec<_> = commands
            .iter()
            .map(|simple| (simple.piped, simple.writes.join(" ")))
            .collect();
        let expected = [(false, ""), (true, "c"), (false, "f")];
        assert_eq!(told, expected.map(|(piped, file)| (piped, file.to_owned())));
    }

    proptest! {
        #[test]
        fn any_script_is_read(script in "[a-c |&;<>'\"`$(){}#\\\\\n-]{0,60}") {
            let longest = script.len();
            for simple in simple_commands(&script) {
                prop_assert!(simple.words.iter().all(|word| word.len() <= longest));
            }
        }
    }
}
