//! Which project a log is of. Its folder is named by the SHA-256 of the project's path, or by a short name; files beside
//! it say whose the short name is. This file reads none: it names them and understands their text.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use sha2::{Digest, Sha256};

use super::CHATS;
use crate::json::{Key, Text};

/// In a project's folder: the project's path.
const MARK: &str = ".project_root";
/// Beside the folder of all projects: each project's path with its short name.
const REGISTRY: &str = "projects.json";

/// The project's folder below `tmp`, by the path of one of its logs.
fn folder(log: &Path) -> Option<&Path> {
    let chats = log
        .ancestors()
        .find(|folder| folder.file_name().is_some_and(|name| name == CHATS))?;
    chats.parent()
}

/// The files that may say where a log's task worked, the surer first.
pub(super) fn files(log: &Path) -> Vec<PathBuf> {
    let Some(folder) = folder(log) else {
        return Vec::new();
    };
    let registry = folder.parent().and_then(Path::parent);
    std::iter::once(folder.join(MARK))
        .chain(registry.map(|above| above.join(REGISTRY)))
        .collect()
}

/// Where the task worked, by the text of one of those files.
pub(super) fn place<'t>(log: &Path, file: &Path, text: &'t str) -> Option<Cow<'t, str>> {
    if file.file_name().is_some_and(|name| name == MARK) {
        return Some(Cow::Borrowed(text.trim())).filter(|path| !path.is_empty());
    }
    let name = folder(log)?.file_name()?.to_str()?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    Registry { name }.deserialize(&mut deserializer).ok()?
}

/// Whether a log's folder is named by the hash of this directory.
pub(super) fn hash_is_of(log: &Path, directory: &Path) -> bool {
    let named = folder(log).and_then(|folder| folder.file_name()?.to_str());
    match (named, directory.to_str()) {
        (Some(named), Some(directory)) => named == hash(directory),
        _ => false,
    }
}

fn hash(path: &str) -> String {
    Sha256::digest(path.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Finds, in `{"projects":{path: name}}`, the path that has a name, or whose hash it is.
struct Registry<'n> {
    name: &'n str,
}

impl<'de> DeserializeSeed<'de> for Registry<'_> {
    type Value = Option<Cow<'de, str>>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Registry<'_> {
    type Value = Option<Cow<'de, str>>;
    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a registry of projects")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(Key(key)) = object.next_key::<Key<'de>>()? {
            if key == "projects" {
                found = object.next_value_seed(Projects(self.name))?;
            } else {
                object.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

struct Projects<'n>(&'n str);

impl<'de> DeserializeSeed<'de> for Projects<'_> {
    type Value = Option<Cow<'de, str>>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Projects<'_> {
    type Value = Option<Cow<'de, str>>;
    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("projects by their paths")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some((Key(path), name)) = object.next_entry::<Key<'de>, Text<'de>>()? {
            if name.as_str() == self.0 || hash(&path) == self.0 {
                found = found.or(Some(path));
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "/h/.gemini/tmp/api/chats/session-a.jsonl";

    #[test]
    fn files_say_whose_a_short_name_is() {
        let log = Path::new(LOG);
        let [mark, registry] = &files(log)[..] else {
            panic!("two files")
        };
        assert_eq!(mark, Path::new("/h/.gemini/tmp/api/.project_root"));
        assert_eq!(registry, Path::new("/h/.gemini/projects.json"));
        assert_eq!(place(log, mark, "/src/api\n").as_deref(), Some("/src/api"));
        assert_eq!(place(log, mark, " "), None);
        let text = r#"{"version":1,"projects":{"/src/web":"web","/src/api":"api"}}"#;
        assert_eq!(place(log, registry, text).as_deref(), Some("/src/api"));
        for odd in [
            "",
            "[]",
            "{",
            r#"{"projects":[]}"#,
            r#"{"projects":{"/x":3}}"#,
        ] {
            assert_eq!(place(log, registry, odd), None, "{odd}");
        }
        let helper = Path::new("/h/.gemini/tmp/api/chats/p/k.jsonl");
        assert_eq!(files(helper), files(log));
        assert!(files(Path::new("/x/session-a.jsonl")).is_empty());
    }

    #[test]
    fn a_hash_is_of_one_directory() {
        let name = hash("/src/api");
        let log = PathBuf::from(LOG.replace("/api/", &format!("/{name}/")));
        assert!(hash_is_of(&log, Path::new("/src/api")));
        assert!(!hash_is_of(&log, Path::new("/src/web")));
        assert!(!hash_is_of(Path::new(LOG), Path::new("/src/api")));
        let registry = Path::new("/h/.gemini/projects.json");
        let text = r#"{"projects":{"/src/api":"api"}}"#;
        assert_eq!(place(&log, registry, text).as_deref(), Some("/src/api"));
    }
}
