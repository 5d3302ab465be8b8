//! One call answered: which project and conversation it is about, what the engine says to that, and its text. Runs on a
//! thread of its own; everything that can go wrong is an answer.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use memfold::{
    Answer, Conversation, Error, Filter, Logs, Memfold, Progress, Proof, Recall, Search,
    SessionTools, outdated_note,
};
use serde_json::Value;

use crate::Setup;
use crate::arguments::{Asked, OfTasks};
use crate::claims::Hints;
use crate::project::Projects;
use crate::render::{self, Whose, inline};
use crate::repository;
use crate::session::Sessions;
use crate::structured;
use crate::tools::Scope;

/// What a call brings along.
pub(crate) struct Call {
    pub(crate) asked: Asked,
    pub(crate) hints: Hints,
    pub(crate) roots: Vec<PathBuf>,
}

impl Call {
    /// A call. What it changes in the index will name it.
    pub(crate) fn new(mut asked: Asked, hints: Hints, roots: Vec<PathBuf>) -> Call {
        match &mut asked {
            Asked::Files(search) => search.cause = hints.cause(),
            Asked::Update(update) => update.cause = hints.cause(),
            Asked::Tasks(_) => {}
        }
        Call {
            asked,
            hints,
            roots,
        }
    }
}

/// What it is answered with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    /// An answer: its text, and its structure.
    Answer(String, Value),
    /// What went wrong, and what to do.
    Failure(String),
}

/// What a server keeps between calls.
pub(crate) struct Desk {
    pub(crate) setup: Setup,
    projects: Projects,
    sessions: Sessions,
    /// That sidecars are newer than this server was said.
    said_newer: AtomicBool,
}

const OFF: &str = "off. Only the user can allow it, in their own terminal: memfold earlier on";

impl Desk {
    pub(crate) fn new(setup: Setup) -> Desk {
        Desk {
            setup,
            projects: Projects::default(),
            sessions: Sessions::new(),
            said_newer: AtomicBool::new(false),
        }
    }

    /// Answers a call.
    pub(crate) fn answer(&self, call: &Call, progress: &dyn Progress) -> Reply {
        let engine = match self.projects.engine(&self.setup, &call.roots, &call.hints) {
            Ok(engine) => engine,
            Err(why) => return Reply::Failure(why),
        };
        match &call.asked {
            Asked::Files(search) => repository::search(&engine, search, progress),
            Asked::Update(update) => repository::update(&engine, update, progress),
            Asked::Tasks(asked) => self.of_tasks(asked, &call.hints, &engine, progress),
        }
    }

    /// Answers a call that is about tasks: whose it is must be known.
    fn of_tasks(
        &self,
        asked: &OfTasks,
        hints: &Hints,
        engine: &Memfold,
        progress: &dyn Progress,
    ) -> Reply {
        let stop = || progress.stop();
        let proof = self
            .sessions
            .of_call(&self.setup, engine, hints, asked.tool(), &stop);
        let whose = match proof {
            Proof::Proved(conversation) => Some(conversation),
            Proof::Unproved => None,
            Proof::Elsewhere { .. } => {
                return Reply::Failure(format!(
                    "this conversation works in another folder than the project of this server, {}. Register the server with \
the folder in which you work: memfold mcp --project DIR",
                    inline(&engine.project().to_string_lossy())
                ));
            }
        };
        let whose = whose.as_ref();
        match asked {
            OfTasks::Conversation { query, limit } => match whose {
                None => Reply::Failure(UNPROVED.to_owned()),
                Some(own) => {
                    let logs = Logs::Conversation(own.clone());
                    match self.search(engine, query, logs, *limit, progress) {
                        Ok(answer) => Reply::Answer(
                            render::search(&answer, Whose::Conversation(own)),
                            structured::search(&answer),
                        ),
                        Err(error) => failed(&error, Scope::Conversation),
                    }
                }
            },
            OfTasks::Earlier { query, limit } => {
                match self.search(engine, query, others(whose), *limit, progress) {
                    Ok(answer) => Reply::Answer(
                        render::search(&answer, Whose::Others),
                        structured::search(&answer),
                    ),
                    Err(error) => failed(&error, Scope::Earlier),
                }
            }
            OfTasks::Recall {
                seq,
                start,
                count,
                task,
            } => recall(
                engine,
                whose,
                *seq,
                *start,
                *count,
                task.as_deref(),
                progress,
            ),
            OfTasks::SessionSearch { query, limit } => {
                match self.search(engine, query, sessions(engine, whose), *limit, progress) {
                    Ok(mut answer) => {
                        newest_first(&mut answer);
                        Reply::Answer(render::sessions(&answer), structured::search(&answer))
                    }
                    Err(error) => {
                        session_failed(&error, structured::nothing_found(Scope::Earlier, OFF))
                    }
                }
            }
            OfTasks::SessionRead { id, offset, limit } => {
                let asked = Recall {
                    address: format!("{id}:{offset}"),
                    logs: sessions(engine, whose),
                    start: 1,
                    count: render::MESSAGE_LINES,
                };
                // One more than is shown says whether there is more.
                match engine.read_on(&asked, limit.saturating_add(1), progress) {
                    Ok(mut messages) => {
                        let (text, shown) = render::messages(&messages, *limit);
                        messages.truncate(shown);
                        Reply::Answer(text, structured::events(&messages))
                    }
                    Err(error) => session_failed(&error, structured::no_event(OFF)),
                }
            }
        }
    }

    fn search(
        &self,
        engine: &Memfold,
        query: &str,
        logs: Logs,
        limit: usize,
        progress: &dyn Progress,
    ) -> Result<Answer, Error> {
        let is_of_all = matches!(logs, Logs::Project | Logs::Allowed(None));
        let mut answer = engine.search(
            &Search {
                query: query.to_owned(),
                logs,
                limit,
                filter: Filter::default(),
            },
            progress,
        )?;
        self.say_newer_once(&mut answer);
        if is_of_all && !answer.results.is_empty() {
            answer.notes.insert(0, OWN_AMONG_THEM.to_owned());
        }
        Ok(answer)
    }

    /// A server runs for days, and memfold may be renewed under it. That is said once, and not at each call.
    fn say_newer_once(&self, answer: &mut Answer) {
        if answer.outdated == 0 {
            return;
        }
        let said = outdated_note(answer.outdated);
        answer.notes.retain(|note| *note != said);
        if !self.said_newer.swap(true, Ordering::Relaxed) {
            answer.notes.insert(0, RESTART.to_owned());
        }
    }
}

/// What the session tools reach: the workspace, or what the person's own configuration lets them reach beside it. No argument
/// of a call has a say in it.
fn sessions(engine: &Memfold, whose: Option<&Conversation>) -> Logs {
    match engine.session_tools() {
        Ok(SessionTools::Allowed) => Logs::Allowed(whose.cloned()),
        // A configuration that cannot be read is told by the call itself.
        Ok(SessionTools::Workspace) | Err(_) => others(whose),
    }
}

/// The project's logs without the conversation that asks, where it is known which that is.
fn others(whose: Option<&Conversation>) -> Logs {
    match whose {
        Some(own) => Logs::Others(own.clone()),
        None => Logs::Project,
    }
}

fn recall(
    engine: &Memfold,
    whose: Option<&Conversation>,
    seq: u64,
    start: u64,
    count: u64,
    task: Option<&str>,
    progress: &dyn Progress,
) -> Reply {
    let asked = |address: String, logs: Logs| {
        engine.recall(
            &Recall {
                address,
                logs,
                start,
                count,
            },
            progress,
        )
    };
    let own = whose.map(|own| Logs::Conversation(own.clone()));
    let found = match (task, own) {
        (None, None) => return Reply::Failure(UNPROVED.to_owned()),
        (None, Some(own)) => asked(seq.to_string(), own),
        (Some(task), own) => {
            let address = format!("{task}:{seq}");
            match (asked(address.clone(), others(whose)), own) {
                // The conversation's own, its helpers' too, is its to read whatever the switch says.
                (Err(refused), Some(own)) => asked(address, own).map_err(|_| refused),
                (found, _) => found,
            }
        }
    };
    match found {
        Ok(mut event) => {
            let text = render::event(&mut event, whose);
            Reply::Answer(text, structured::events(std::slice::from_ref(&event)))
        }
        Err(Error::NotAllowed { .. }) => {
            let text = format!("earlier: {OFF}.");
            let structure = structured::no_event(&text);
            Reply::Answer(text, structure)
        }
        Err(Error::NotFound { what, .. }) => Reply::Failure(format!(
            "{}. Take seq, and task where there is one, from a result of index-search or from the mark in your window",
            inline(&what)
        )),
        Err(error) => failed(&error, Scope::Conversation),
    }
}

/// What a call is told of an error. That the switch is off is an answer.
pub(crate) fn failed(error: &Error, scope: Scope) -> Reply {
    match error {
        Error::NotAllowed { .. } => {
            let text = format!("{}: {OFF}.", scope.name());
            let structure = structured::nothing_found(scope, &text);
            Reply::Answer(text, structure)
        }
        Error::Usage { what, hint } => {
            Reply::Failure(format!("{}. {}", inline(what), inline(hint)))
        }
        Error::NotFound { what, .. } => Reply::Failure(inline(what)),
        Error::File { hint, .. } => {
            Reply::Failure(format!("{}. {}", inline(&error.to_string()), inline(hint)))
        }
    }
}

/// The session tools say of an error what it is and nothing of what was asked about.
fn session_failed(error: &Error, off: Value) -> Reply {
    match error {
        Error::NotAllowed { .. } => Reply::Answer(format!("past sessions: {OFF}."), off),
        Error::NotFound { .. } => Reply::Failure(
            "there is no such session or message in this workspace. Take id and offset from a hit of SessionSearch".to_owned(),
        ),
        Error::Usage { .. } => Reply::Failure(
            "that cannot be looked for. Write 2-8 words; of a session's id give at least 8 characters, and more where several \
begin alike"
                .to_owned(),
        ),
        Error::File { .. } => Reply::Failure(
            "a session's log cannot be read now. Try again, or ask the user to run: memfold status -v".to_owned(),
        ),
    }
}

/// The best matches, the newest first.
fn newest_first(answer: &mut Answer) {
    answer
        .results
        .sort_by(|a, b| b.time.cmp(&a.time).then(a.rank.cmp(&b.rank)));
}

const RESTART: &str = "memfold was renewed since this server began, and what the new one wrote this one cannot read: it is slower \
than it must be. The user restarts the session";

/// Said where the conversation's own log may be among the others.
const OWN_AMONG_THEM: &str = "it is not known which of these tasks is this conversation, so its own events may be among them";

const UNPROVED: &str = "conversation: it is not known which log is this conversation's, and none is taken on trust. No log \
proves what your host says of it. The user sets it up once: a SessionStart hook in the host's settings that runs `memfold hook \
session-start`; then the session is started anew. What you do not see any more can meanwhile be read by the user: memfold logs";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_session_tools_tell_nothing_of_what_was_asked() {
        let secret = "CANARY";
        let errors = [
            Error::NotFound {
                what: secret.into(),
                hint: secret.into(),
            },
            Error::Usage {
                what: secret.into(),
                hint: secret.into(),
            },
            Error::File {
                path: secret.into(),
                what: secret.into(),
                hint: secret.into(),
            },
            Error::NotAllowed {
                what: "off",
                hint: secret.into(),
            },
        ];
        for error in errors {
            let reply = session_failed(&error, Value::Null);
            assert!(!format!("{reply:?}").contains(secret), "{reply:?}");
        }
    }

    #[test]
    fn a_switch_that_is_off_is_an_answer() {
        let off = Error::NotAllowed {
            what: "off",
            hint: String::new(),
        };
        let Reply::Answer(text, structure) = failed(&off, Scope::Earlier) else {
            panic!("a failure")
        };
        assert_eq!(
            text,
            "earlier: off. Only the user can allow it, in their own terminal: memfold earlier on."
        );
        assert_eq!(structure["notes"][0], text.as_str());
    }
}
