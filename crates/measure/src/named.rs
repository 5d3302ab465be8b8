//! The files that the result of a search names: those before a colon, or alone on a line, as `grep`, `rg` and the hosts' tools
//! write them. A line that names none is passed over.

use std::collections::HashSet;

use crate::path::absolute;

/// So many lines of a result are looked at.
const LINES: usize = 5_000;
/// A longer path is none.
const LONGEST: usize = 512;

/// The files that a result names.
#[derive(Debug, Default)]
pub(crate) struct Named {
    /// Their paths, from every folder that they could be named from.
    paths: HashSet<String>,
    /// How many names there are.
    count: usize,
}

impl Named {
    /// The files that a result names, from the working directory and from the places that were searched.
    pub(crate) fn of(text: &str, folder: Option<&str>, places: &[String]) -> Named {
        let mut names = HashSet::new();
        for line in text.lines().take(LINES) {
            names.extend(name_in(line));
        }
        let mut named = Named {
            count: names.len(),
            ..Named::default()
        };
        let places: Vec<String> = places.iter().map(|place| absolute(folder, place)).collect();
        for name in names {
            named.paths.insert(absolute(folder, name));
            let below = places.iter().map(|place| absolute(Some(place), name));
            named.paths.extend(below);
        }
        if !text.trim().is_empty() {
            // The result of a search of one file does not name it.
            named.count = named.count.max(usize::from(!places.is_empty()));
            named.paths.extend(places);
        }
        named
    }

    /// Whether a file is among them.
    pub(crate) fn holds(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }
}

fn name_in(line: &str) -> Option<&str> {
    let line = line.trim_end();
    let line = line.strip_prefix("File: ").unwrap_or(line);
    let drive = line
        .get(1..3)
        .is_some_and(|after| matches!(after, ":/" | ":\\"));
    let from = if drive { 2 } else { 0 };
    let end = line
        .get(from..)?
        .find(':')
        .map_or(line.len(), |at| at.saturating_add(from));
    let name = line.get(..end)?;
    let is_path = name.contains(['/', '.']) && !name.contains(char::is_whitespace);
    (is_path && name.len() <= LONGEST).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_programs_write_them() {
        let text = "src/a.rs:12:fn denied() {}\nsrc/a.rs:15:}\n./b.rs\nFile: c/d.rs\nL3: x\n--\nFound 3 files\n\
            /p/e.rs:\n  Line 3: f.rs\n12:text\nC:/w/f.rs:1:x\n";
        let named = Named::of(text, Some("/p"), &["sub".to_owned()]);
        for path in [
            "/p/src/a.rs",
            "/p/b.rs",
            "/p/c/d.rs",
            "/p/sub/c/d.rs",
            "/p/e.rs",
            "C:/w/f.rs",
            "/p/sub",
        ] {
            assert!(named.holds(path), "{path}");
        }
        assert!(!named.holds("/p/f.rs"));
        assert_eq!(named.count(), 5);
    }

    #[test]
    fn a_search_of_one_file_names_none() {
        let named = Named::of("12:fn x()\n", Some("/p"), &["a.rs".to_owned()]);
        assert!(named.holds("/p/a.rs"));
        assert_eq!(named.count(), 1);
        let nothing = Named::of("", Some("/p"), &["a.rs".to_owned()]);
        assert!(!nothing.holds("/p/a.rs"));
    }
}
