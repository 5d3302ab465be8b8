//! Paths as text, of whatever machine wrote the log: made absolute where the log says from where, and cleaned.

use memfold_agents::seek::below;

/// A path as it is named from a folder, without `.` and `..`.
pub(crate) fn absolute(folder: Option<&str>, path: &str) -> String {
    clean(&below(folder, path))
}

fn clean(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." if kept.last().is_some_and(|last| *last != "..") => {
                kept.pop();
            }
            ".." if path.starts_with('/') => {}
            name => kept.push(name),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", kept.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cleaned_from_where_they_are_named() {
        for (folder, path, expected) in [
            (Some("/p/"), "./src//a.rs", "/p/src/a.rs"),
            (Some("/p/x"), "../a.rs", "/p/a.rs"),
            (Some("/p"), "/q/../../a", "/a"),
            (None, "../a/b/../c", "../a/c"),
            (Some("/p"), "C:/x", "C:/x"),
            (Some("src"), ".", "src"),
        ] {
            assert_eq!(absolute(folder, path), expected, "{folder:?} {path}");
        }
    }
}
