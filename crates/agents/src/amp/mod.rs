//! Amp: a whole-file log for each thread, `~/.local/share/amp/threads/T-<uuid>.json`, which its host writes anew after each
//! step. Facts from threads as public readers of them describe them, to mid 2026; its source is not public. Messages are
//! Anthropic's, but for results: a result is a block with the run that it tells.

mod line;
mod translate;

use std::ffi::OsString;
use std::path::Path;

use memfold_log::Form;
use memfold_log::event::{Facts, Reading};

use crate::peek::Peek;
use crate::store::{Days, PathFacts, Resume, Store, data_folder, is_uuid, stem};
use crate::{Agent, NotALine};

/// Amp's threads.
pub(crate) struct Amp;

/// How a thread's id begins.
const THREAD: &str = "T-";

impl Agent for Amp {
    fn name(&self) -> &'static str {
        "amp"
    }

    fn version(&self) -> u32 {
        1
    }

    fn stores(&self, env: &dyn Fn(&str) -> Option<OsString>, home: Option<&Path>) -> Vec<Store> {
        data_folder(env, home)
            .map(|data| Store {
                dir: data.join("amp/threads"),
                depth: 1,
                archived: false,
            })
            .into_iter()
            .collect()
    }

    fn names(&self, path_below_store: &Path) -> Option<Form> {
        let form = Form::of(path_below_store).filter(|form| *form == Form::Document)?;
        let is_thread =
            path_below_store.iter().count() == 1 && stem(path_below_store)?.starts_with(THREAD);
        is_thread.then_some(form)
    }

    fn claims(&self, first_lines: &[&[u8]]) -> bool {
        first_lines.first().is_some_and(|head| {
            let peek = Peek::at(head);
            peek.text("id").starts_with(THREAD) && (peek.has("messages") || peek.has("env"))
        })
    }

    fn claims_path(&self, path: &Path) -> bool {
        let folder = path.parent();
        folder.is_some_and(|folder| folder.ends_with("amp/threads"))
            && stem(path).is_some_and(|stem| stem.starts_with(THREAD))
    }

    fn facts_from_path(&self, path: &Path) -> PathFacts {
        let task = stem(path).filter(|stem| stem.starts_with(THREAD));
        PathFacts {
            task: task.map(str::to_owned),
            ..PathFacts::default()
        }
    }

    fn read<'a>(&self, line: &'a [u8]) -> Result<Reading<'a>, NotALine> {
        crate::line::translate(line, |line| {
            Ok(translate::reading(serde_json::from_slice(line)?))
        })
    }

    fn messages(&self) -> &'static [&'static str] {
        &["messages"]
    }

    fn read_document<'a>(&self, document: &'a [u8]) -> Facts<'a> {
        serde_json::from_slice(document)
            .map(translate::about)
            .unwrap_or_default()
    }

    fn resume(&self, task: &str, cwd: Option<&str>) -> Option<Resume> {
        task.strip_prefix(THREAD).filter(|id| is_uuid(id))?;
        Some(Resume {
            program: "amp",
            arguments: ["threads", "continue", task].map(str::to_owned).into(),
            directory: cwd.map(str::to_owned),
        })
    }

    fn retention(&self, _: Option<&str>) -> Option<Days> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "T-019b9d03-62e3-772f-9780-3e637f90eaec";

    #[test]
    fn threads_by_name() {
        let store = &Amp.stores(&|_| None, Some(Path::new("/h")))[0];
        assert_eq!(store.dir, Path::new("/h/.local/share/amp/threads"));
        for (path, form) in [
            (format!("{ID}.json"), Some(Form::Document)),
            (format!("{ID}.jsonl"), None),
            (format!("x/{ID}.json"), None),
            ("session.json".to_owned(), None),
        ] {
            assert_eq!(Amp.names(Path::new(&path)), form, "{path}");
        }
    }

    #[test]
    fn resuming() {
        let resume = Amp.resume(ID, None).unwrap();
        assert_eq!(resume.arguments, ["threads", "continue", ID]);
        for task in ["T-", "--help", "T-x"] {
            assert_eq!(Amp.resume(task, None), None, "{task}");
        }
    }
}
