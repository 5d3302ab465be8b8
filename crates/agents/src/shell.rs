//! What a shell command is about: the script inside `bash -lc`, and whether it asks memfold to read back.
//! Relies on [`script`] for the simple commands that it is made of.

mod script;

use std::borrow::Cow;

use memchr::memmem;

pub(crate) use script::{Simple, simple_commands};

/// Shells whose `-c` carries the real command.
const SHELLS: &[&str] = &[
    "bash",
    "sh",
    "zsh",
    "dash",
    "ksh",
    "fish",
    "pwsh",
    "powershell",
    "cmd",
];

/// Programs that start the program named by their next word.
const STARTERS: &[&str] = &[
    "sudo", "env", "time", "command", "exec", "nohup", "nice", "timeout", "xargs", "npx", "bunx",
    "pnpx", "uvx", "dlx", "stdbuf", "builtin", "then", "do", "else", "if", "while", "!",
];

/// What memfold calls the commands that read events back.
const READS_BACK: &[&str] = &["search", "recall", "cards", "logs", "measure"];

/// The words of a command that an agent gave as a list. A shell's `-c` is unwrapped, anything else joined.
pub(crate) fn from_words<'a>(words: &[&Cow<'a, str>]) -> Cow<'a, str> {
    match words {
        [] => Cow::Borrowed(""),
        [only] => (*only).clone(),
        [program, options @ .., script]
            if SHELLS.contains(&base_name(program))
                && options.iter().any(|word| takes_script(word)) =>
        {
            (*script).clone()
        }
        several => {
            let mut line = String::new();
            for (index, word) in several.iter().enumerate() {
                if index > 0 {
                    line.push(' ');
                }
                line.push_str(word);
            }
            Cow::Owned(line)
        }
    }
}

/// `-c`, `-lc`, `-Command`, `/c`: the next word is a script.
fn takes_script(option: &str) -> bool {
    let Some(flags) = option.strip_prefix(['-', '/']) else {
        return false;
    };
    flags.eq_ignore_ascii_case("command")
        || (flags.len() <= 4 && !flags.starts_with('-') && flags.ends_with(['c', 'C']))
}

/// Whether the command runs `memfold search`, `memfold recall` and the like, in any of its parts.
pub(crate) fn reads_back(command: &str) -> bool {
    memmem::find(command.as_bytes(), b"memfold").is_some()
        && simple_commands(command)
            .iter()
            .filter_map(Simple::program)
            .any(|program| {
                let mut words = program.arguments.iter();
                program.name == "memfold" && words.any(|word| READS_BACK.contains(&word.as_str()))
            })
}

/// The program that a simple command starts.
pub(crate) struct Program<'s> {
    /// Its name, without its folder.
    pub(crate) name: &'s str,
    /// Its words after the name.
    pub(crate) arguments: &'s [String],
    /// `xargs` starts it, with what it reads as more arguments.
    pub(crate) by_xargs: bool,
}

impl Simple {
    /// The program that it starts, past assignments and what only starts another.
    pub(crate) fn program(&self) -> Option<Program<'_>> {
        let mut rest = self.words.as_slice();
        let (mut starter, mut by_xargs) = (false, false);
        while let Some((word, arguments)) = rest.split_first() {
            rest = arguments;
            let name = base_name(word);
            if STARTERS.contains(&name) {
                starter = true;
                by_xargs |= name == "xargs";
                continue;
            }
            // Assignments before a program; options and numbers of what starts it (`timeout -k 5 30 memfold`).
            let assignment = word.split_once('=').is_some_and(|(name, _)| {
                name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            });
            let option = starter
                && (word.starts_with('-') || word.starts_with(|c: char| c.is_ascii_digit()));
            if !assignment && !option {
                return Some(Program {
                    name,
                    arguments,
                    by_xargs,
                });
            }
        }
        None
    }
}

/// `/usr/bin/memfold`, `C:\tools\memfold.exe` → `memfold`.
fn base_name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(words: &[&'static str]) -> String {
        let words: Vec<Cow<'static, str>> = words.iter().map(|word| Cow::Borrowed(*word)).collect();
        from_words(&words.iter().collect::<Vec<_>>()).into_owned()
    }

    #[test]
    fn a_shells_script_is_the_command() {
        assert_eq!(joined(&["bash", "-lc", "cargo test"]), "cargo test");
        assert_eq!(joined(&["/bin/zsh", "-lc", "ls -la"]), "ls -la");
        assert_eq!(
            joined(&["powershell.exe", "-NoProfile", "-Command", "Get-Item x"]),
            "Get-Item x"
        );
        assert_eq!(joined(&["git", "status", "-s"]), "git status -s");
        assert_eq!(joined(&["bash", "build.sh", "x"]), "bash build.sh x");
        assert_eq!(joined(&["ls"]), "ls");
        assert_eq!(joined(&[]), "");
    }

    #[test]
    fn memfold_as_a_program_reads_back() {
        for command in [
            "memfold search denylist symlink",
            "cd x && memfold recall 3",
            "/path/to/memfold search a b | head -5",
            "npx memfold search x",
            "npx -y memfold --json search x",
            "RUST_LOG=debug timeout -k 5 30 memfold search x 2>&1",
            "bash -lc 'memfold search \"a b\"'",
            "echo \"$(memfold recall 12)\"",
            "for x in a b; do memfold search $x; done",
            "cat notes; `memfold cards`",
            "C:\\\\tools\\\\memfold.exe logs",
        ] {
            assert!(reads_back(command), "{command}");
        }
    }

    #[test]
    fn memfold_as_a_word_does_not() {
        for command in [
            "cargo test -p memfold-agents search",
            "git commit -m 'memfold search is faster'",
            "grep -rn \"memfold recall\" docs",
            "echo memfold search",
            "cat > notes.md <<'END'\nmemfold search x\nEND",
            "echo x > memfold search",
            "cd memfold && ls search",
            "memfold fold",
            "memfold status",
            "ls 'x; memfold search'",
        ] {
            assert!(!reads_back(command), "{command}");
        }
    }
}
