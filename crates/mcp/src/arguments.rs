//! What is asked, out of a call's arguments. What cannot be read is told to the model, with what would be right; a name that
//! no tool takes is refused and never passed over.

use memfold::{Cause, RepoSearch, RepoUpdate};
use rmcp::model::JsonObject;
use serde_json::Value;

use crate::render::inline;
use crate::tools::{
    MESSAGES, Name, PATH_CHARS, QUERY_CHARS, RECALL_LINES, SEARCH_LIMIT, SESSION_LIMIT, Scope,
};
use crate::watch::Work;

/// A call that can be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Which files of the repository hold words.
    Files(RepoSearch),
    /// To bring the repository's index up to date.
    Update(RepoUpdate),
    /// Something of tasks.
    Tasks(OfTasks),
}

/// A call about tasks: whoever asks must be known, or allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OfTasks {
    Conversation {
        query: String,
        limit: usize,
    },
    Earlier {
        query: String,
        limit: usize,
    },
    Recall {
        seq: u64,
        start: u64,
        count: u64,
        task: Option<String>,
    },
    SessionSearch {
        query: String,
        limit: usize,
    },
    SessionRead {
        id: String,
        offset: u64,
        limit: usize,
    },
}

impl Asked {
    /// Reads a call's arguments, or says what is wrong with them.
    pub(crate) fn read(tool: Name, arguments: JsonObject) -> Result<Asked, String> {
        let mut given = Arguments { tool, arguments };
        let asked = match tool {
            Name::IndexSearch => given.search()?,
            Name::IndexUpdate => Asked::Update(RepoUpdate {
                path: given.text("path", PATH_CHARS)?,
                cause: Cause::default(),
            }),
            Name::Recall => Asked::Tasks(OfTasks::Recall {
                seq: given.needed("seq", "the number after `seq` in a result")?,
                start: given.number("start", 1, u64::MAX)?.unwrap_or(1),
                // More than a page is several pages.
                count: given
                    .number("count", 1, u64::MAX)?
                    .unwrap_or(RECALL_LINES.0)
                    .min(RECALL_LINES.1),
                task: given.text("task", 300)?,
            }),
            Name::SessionSearch => Asked::Tasks(OfTasks::SessionSearch {
                query: given.query()?,
                limit: given.limit(SESSION_LIMIT)?,
            }),
            Name::SessionRead => Asked::Tasks(OfTasks::SessionRead {
                id: given
                    .text("id", 300)?
                    .ok_or("id is missing: the session as SessionSearch names it")?,
                offset: given.number("offset", 1, u64::MAX)?.unwrap_or(1),
                limit: given.limit(MESSAGES)?,
            }),
        };
        given.nothing_else()?;
        Ok(asked)
    }

    /// What may have to be done before it can be answered.
    pub(crate) fn work(&self) -> Work {
        match self {
            Asked::Files(_) => Work::Files,
            Asked::Update(_) => Work::Update,
            Asked::Tasks(_) => Work::Logs,
        }
    }
}

impl OfTasks {
    /// The tool that answers it.
    pub(crate) fn tool(&self) -> Name {
        match self {
            OfTasks::Conversation { .. } | OfTasks::Earlier { .. } => Name::IndexSearch,
            OfTasks::Recall { .. } => Name::Recall,
            OfTasks::SessionSearch { .. } => Name::SessionSearch,
            OfTasks::SessionRead { .. } => Name::SessionRead,
        }
    }
}

/// A call's arguments, taken out one by one.
struct Arguments {
    tool: Name,
    arguments: JsonObject,
}

impl Arguments {
    fn search(&mut self) -> Result<Asked, String> {
        let (query, scope) = (self.query()?, self.scope()?);
        let (limit, path) = (self.limit(SEARCH_LIMIT)?, self.text("path", PATH_CHARS)?);
        match (scope, path) {
            (Scope::Repo, path) => Ok(Asked::Files(RepoSearch {
                query,
                path,
                limit,
                cause: Cause::default(),
            })),
            (_, Some(_)) => Err("path goes with scope repo: leave it out".to_owned()),
            (Scope::Conversation, None) => Ok(Asked::Tasks(OfTasks::Conversation { query, limit })),
            (Scope::Earlier, None) => Ok(Asked::Tasks(OfTasks::Earlier { query, limit })),
        }
    }

    /// An argument that is given and not null.
    fn take(&mut self, name: &str) -> Option<Value> {
        self.arguments.remove(name).filter(|value| !value.is_null())
    }

    fn text(&mut self, name: &str, longest: usize) -> Result<Option<String>, String> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
            Some(Value::String(text)) if text.chars().count() > longest => {
                Err(format!("{name} is longer than {longest} characters"))
            }
            Some(Value::String(text)) => Ok(Some(text.trim().to_owned())),
            Some(_) => Err(format!("{name} is no text")),
        }
    }

    /// A whole number, as a client may spell it: `8` or `8.0`.
    fn number(&mut self, name: &str, least: u64, most: u64) -> Result<Option<u64>, String> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        let whole = value.as_u64().or_else(|| {
            let float = value.as_f64()?;
            // Below 2^53 every whole float is that number exactly.
            (float.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&float))
                .then_some(float as u64)
        });
        match whole {
            Some(number) if (least..=most).contains(&number) => Ok(Some(number)),
            _ if most == u64::MAX => Err(format!("{name} is no whole number of {least} or more")),
            _ => Err(format!("{name} is no whole number from {least} to {most}")),
        }
    }

    fn needed(&mut self, name: &str, what: &str) -> Result<u64, String> {
        self.number(name, 1, u64::MAX)?
            .ok_or_else(|| format!("{name} is missing: {what}"))
    }

    fn limit(&mut self, (unless_given, most): (u64, u64)) -> Result<usize, String> {
        let limit = self.number("limit", 1, most)?.unwrap_or(unless_given);
        usize::try_from(limit).map_err(|error| error.to_string())
    }

    fn query(&mut self) -> Result<String, String> {
        match self.text("query", QUERY_CHARS) {
            Ok(Some(query)) => Ok(query),
            Ok(None) => Err("query is missing: 2-8 words or names, key words first".to_owned()),
            Err(wrong) => Err(format!(
                "{wrong}: write 2-8 words or names, key words first"
            )),
        }
    }

    fn scope(&mut self) -> Result<Scope, String> {
        let one_of = Scope::names().join(", ");
        let Some(scope) = self.text("scope", 40)? else {
            return Err(format!("scope is missing: one of {one_of}"));
        };
        Scope::named(&scope)
            .ok_or_else(|| format!("scope \"{}\" is none of {one_of}", inline(&scope)))
    }

    fn nothing_else(self) -> Result<(), String> {
        match self.arguments.keys().next() {
            None => Ok(()),
            Some(name) => Err(format!(
                "{} takes no argument \"{}\"",
                self.tool.as_str(),
                inline(name).chars().take(40).collect::<String>()
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(tool: Name, arguments: Value) -> Result<Asked, String> {
        let Value::Object(arguments) = arguments else {
            panic!("no object")
        };
        Asked::read(tool, arguments)
    }

    #[test]
    fn what_is_left_out_has_a_default() {
        assert_eq!(
            read(
                Name::IndexSearch,
                json!({ "query": " a b ", "scope": "earlier", "limit": null })
            ),
            Ok(Asked::Tasks(OfTasks::Earlier {
                query: "a b".into(),
                limit: 8
            }))
        );
        assert_eq!(
            read(Name::Recall, json!({ "seq": 812.0, "count": 9999 })),
            Ok(Asked::Tasks(OfTasks::Recall {
                seq: 812,
                start: 1,
                count: 240,
                task: None
            }))
        );
    }

    #[test]
    fn a_path_narrows_the_repository() {
        assert_eq!(
            read(
                Name::IndexSearch,
                json!({ "query": "a", "scope": "repo", "path": "src", "limit": 20 })
            ),
            Ok(Asked::Files(RepoSearch {
                query: "a".into(),
                path: Some("src".into()),
                limit: 20,
                cause: Cause::default(),
            }))
        );
        assert_eq!(
            read(Name::IndexUpdate, json!({})),
            Ok(Asked::Update(RepoUpdate::default()))
        );
    }

    #[test]
    fn what_cannot_be_is_refused_in_words() {
        let long = "x ".repeat(600);
        for (tool, arguments, said) in [
            (Name::IndexSearch, json!({}), "query is missing"),
            (
                Name::IndexSearch,
                json!({ "query": "a" }),
                "scope is missing: one of repo, conversation, earlier",
            ),
            (
                Name::IndexSearch,
                json!({ "query": "a", "scope": "all" }),
                "scope \"all\" is none of",
            ),
            (
                Name::IndexSearch,
                json!({ "query": "a", "scope": "earlier", "limit": 21 }),
                "from 1 to 20",
            ),
            (
                Name::IndexSearch,
                json!({ "query": ["a"], "scope": "earlier" }),
                "query is no text",
            ),
            (
                Name::IndexSearch,
                json!({ "query": long, "scope": "earlier" }),
                "2-8 words",
            ),
            (
                Name::IndexSearch,
                json!({ "query": "a", "scope": "earlier", "project": "/" }),
                "no argument \"project\"",
            ),
            (
                Name::IndexSearch,
                json!({ "query": "a", "scope": "earlier", "path": "src" }),
                "path goes with scope repo",
            ),
            (Name::IndexUpdate, json!({ "path": 7 }), "path is no text"),
            (
                Name::IndexUpdate,
                json!({ "path": "x".repeat(1001) }),
                "longer than 1000 characters",
            ),
            (
                Name::IndexUpdate,
                json!({ "scope": "earlier" }),
                "no argument \"scope\"",
            ),
            (Name::Recall, json!({}), "seq is missing"),
            (Name::Recall, json!({ "seq": -1 }), "seq is no whole number"),
            (
                Name::Recall,
                json!({ "seq": "812; rm" }),
                "seq is no whole number",
            ),
            (
                Name::Recall,
                json!({ "seq": 1.5 }),
                "seq is no whole number",
            ),
            (
                Name::SessionSearch,
                json!({ "query": "a", "scope": "all" }),
                "no argument \"scope\"",
            ),
            (
                Name::SessionSearch,
                json!({ "query": "a", "limit": 51 }),
                "from 1 to 50",
            ),
            (
                Name::SessionRead,
                json!({ "id": "", "offset": 1 }),
                "id is missing",
            ),
        ] {
            let wrong = read(tool, arguments.clone()).unwrap_err();
            assert!(wrong.contains(said), "{arguments}: {wrong}");
        }
    }
}
