//! Programs that show a file's lines, and those that write one.

use crate::shell::Simple;

/// Programs that print the files they are given.
const SHOWING: &[&str] = &[
    "cat", "bat", "batcat", "less", "more", "nl", "head", "tail", "tac",
];

/// The files that a simple command shows.
pub(super) fn reads(simple: &Simple) -> Vec<String> {
    let Some(program) = simple.program() else {
        return Vec::new();
    };
    if SHOWING.contains(&program.name) {
        let takes = |word: &str| matches!(word, "-n" | "-c" | "--lines" | "--bytes" | "-b" | "-w");
        // `head -n 3 f`, but `cat -n f`.
        let counted = matches!(program.name, "head" | "tail");
        return free(program.arguments, |word| counted && takes(word));
    }
    if program.name == "sed" && !in_place(program.arguments) {
        return sed_files(program.arguments);
    }
    Vec::new()
}

/// The files that a simple command writes.
pub(super) fn writes(simple: &Simple) -> Vec<String> {
    let redirected = simple
        .writes
        .iter()
        .filter(|file| !file.starts_with("/dev/"));
    let mut files: Vec<String> = redirected.cloned().collect();
    if let Some(program) = simple.program() {
        match program.name {
            "sed" if in_place(program.arguments) => files.extend(sed_files(program.arguments)),
            "tee" => files.extend(free(program.arguments, |_| false)),
            _ => {}
        }
    }
    files
}

fn in_place(arguments: &[String]) -> bool {
    arguments
        .iter()
        .any(|word| word.starts_with("-i") || word.starts_with("--in-place"))
}

/// `sed SCRIPT FILES`, or `sed -e SCRIPT FILES`.
fn sed_files(arguments: &[String]) -> Vec<String> {
    let takes = |word: &str| matches!(word, "-e" | "-f" | "--expression" | "--file");
    let named = arguments.iter().any(|word| takes(word));
    let mut files = free(arguments, takes);
    if !named && !files.is_empty() {
        files.remove(0);
    }
    files
}

/// The words that are neither options nor their values.
fn free(arguments: &[String], takes: impl Fn(&str) -> bool) -> Vec<String> {
    let mut free = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if takes(word) {
            words.next();
        } else if !word.starts_with('-') && !word.starts_with('+') {
            free.push(word.clone());
        }
    }
    free
}
