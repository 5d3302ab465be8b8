//! Which logs there are: in the agents' stores or below folders that were named, each with its agent and its project.
//! Relies on receipts for what is known of a log without reading it, and reads a log's first lines where none tells.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memfold_agents::{Agent, PathFacts};
use memfold_disk::{Identity, Limits, Links, in_order, walk};
use memfold_log::Form;
use memfold_sidecar::{LogFile, Receipts};

use crate::conversation::Conversation;
use crate::engine::Memfold;
use crate::error::Error;
use crate::peek::{detect, look, peek};
use crate::project;
use crate::request::Logs;
use crate::rollup::{Rolled, Rollup};
use crate::sessions::SessionEntry;
use crate::standing::Standing;

/// A walk below a folder that was named goes so deep and looks at so much.
pub(crate) const FOLDER_LIMITS: Limits = Limits {
    depth: 24,
    entries: 2_000_000,
};

/// A log that was found.
#[derive(Clone)]
pub(crate) struct LogEntry {
    pub(crate) path: PathBuf,
    pub(crate) form: Form,
    pub(crate) agent: &'static dyn Agent,
    pub(crate) identity: Identity,
    pub(crate) archived: bool,
    /// It lies in an agent's own store, where the switch rules what an agent may read.
    pub(crate) in_store: bool,
    /// What the roll-up knows of it in its present state.
    pub(crate) rolled: Option<Rolled>,
    /// How large it is, by stat; of a session whose text was not told yet, its share of the database.
    pub(crate) bytes: u64,
    /// Where it is the session of a database: that, and what its listing says.
    pub(crate) session: Option<Arc<SessionEntry>>,
}

/// What was found, and what should be said about it.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) logs: Vec<LogEntry>,
    pub(crate) notes: Vec<String>,
    /// The folders that were walked to their ends.
    pub(crate) walked: Vec<PathBuf>,
    /// So many folders and logs could not be read: what is in them was not found.
    pub(crate) unreadable: usize,
}

impl Found {
    /// Notes what could not be read.
    pub(crate) fn miss(&mut self, why: String) {
        self.notes.push(why);
        self.unreadable = self.unreadable.saturating_add(1);
    }
}

/// What is known of a log by its place.
#[derive(Clone, Default)]
pub(crate) struct Of {
    pub(crate) archived: bool,
    pub(crate) in_store: bool,
    pub(crate) rolled: Option<Rolled>,
}

impl LogEntry {
    pub(crate) fn of_file(
        path: PathBuf,
        form: Form,
        agent: &'static dyn Agent,
        identity: Identity,
        of: Of,
    ) -> LogEntry {
        LogEntry {
            path,
            form,
            agent,
            identity,
            archived: of.archived,
            in_store: of.in_store,
            rolled: of.rolled,
            bytes: identity.size,
            session: None,
        }
    }

    pub(crate) fn open(&self) -> LogFile {
        match &self.session {
            Some(session) => session.open(),
            None => LogFile::at(&self.path, self.form, self.identity),
        }
    }

    pub(crate) fn path_facts(&self) -> PathFacts {
        self.agent.facts_from_path(&self.path)
    }
}

impl Memfold {
    /// The logs that a request is about.
    pub(crate) fn find(&self, logs: &Logs, receipts: &Receipts) -> Result<Found, Error> {
        self.find_rolled(logs, receipts, None)
    }

    /// The logs that a request is about, with what a roll-up knows of each.
    pub(crate) fn find_rolled(
        &self,
        logs: &Logs,
        receipts: &Receipts,
        rollup: Option<&Rollup>,
    ) -> Result<Found, Error> {
        // A kept engine sees what became of folders and of agents' notes of them since its last call.
        self.projects().forget();
        self.places().forget();
        if let Ok(mut known) = self.sidecar_places().lock() {
            known.clear();
        }
        match logs {
            Logs::File(path) => Ok(Found {
                logs: vec![self.entry(path, receipts)?],
                ..Found::default()
            }),
            Logs::Below(folders) => self.below(folders, receipts, rollup),
            Logs::Everywhere => Ok(self.in_stores(receipts, rollup)),
            Logs::Project => Ok(self.of_project(receipts, rollup)),
            Logs::Conversation(conversation) => {
                let mut found = self.in_stores(receipts, rollup);
                found
                    .logs
                    .retain(|log| self.is_of(conversation, log, receipts));
                Ok(found)
            }
            Logs::Allowed(conversation) => {
                let allowed = self.switch().projects_that_are_on()?;
                let mut found = self.in_stores(receipts, rollup);
                found.logs.retain(|log| {
                    let belongs =
                        |project: &PathBuf| self.belongs(log, project, receipts).unwrap_or(false);
                    let asks =
                        |conversation: &Conversation| self.is_of(conversation, log, receipts);
                    allowed.iter().any(belongs) && !conversation.as_ref().is_some_and(asks)
                });
                Ok(found)
            }
            Logs::Others(conversation) => {
                let mut found = self.of_project(receipts, rollup);
                found
                    .logs
                    .retain(|log| !self.is_of(conversation, log, receipts));
                Ok(found)
            }
        }
    }

    /// The logs of the project's tasks.
    fn of_project(&self, receipts: &Receipts, rollup: Option<&Rollup>) -> Found {
        let mut found = self.in_stores(receipts, rollup);
        let mut missed = Vec::new();
        found
            .logs
            .retain(|log| match self.belongs(log, self.project(), receipts) {
                Ok(belongs) => belongs,
                Err(why) => {
                    missed.push(format!("{}: {why}", log.path.display()));
                    false
                }
            });
        missed.into_iter().for_each(|why| found.miss(why));
        found
    }

    /// One file, whatever its place.
    pub(crate) fn entry(&self, path: &Path, receipts: &Receipts) -> Result<LogEntry, Error> {
        let file_error = |what: String| Error::File {
            path: path.to_owned(),
            what,
            hint: "name a log of an agent: a .jsonl, .jsonl.zst or .json file".to_owned(),
        };
        if let Some(session) = self.session_at(path, receipts)? {
            return Ok(session);
        }
        let path = memfold_disk::resolve(path).map_err(|error| file_error(cause(&error)))?;
        let identity =
            Identity::at(&path, Links::Follow).map_err(|error| file_error(cause(&error)))?;
        let form = Form::of(&path).unwrap_or(Form::Lines);
        if form == Form::Rows && database_agent(&path).is_some() {
            return Err(Error::File {
                what: "a database of many sessions".to_owned(),
                hint: format!(
                    "name one as {}/SESSION (memfold logs lists them), or all with --logs",
                    path.display()
                ),
                path,
            });
        }
        let stores = self.stores();
        let standing = Standing::of(&path, &stores);
        let agent = detect(&path, form, identity, receipts.of(&path))
            .map_err(file_error)?
            .ok_or_else(|| file_error("not a log of an agent that is known here".to_owned()))?;
        let of = Of {
            archived: standing.is_archived(&path),
            in_store: standing.is_stored(&path),
            rolled: None,
        };
        Ok(LogEntry::of_file(path, form, agent, identity, of))
    }

    pub(crate) fn stores(&self) -> Vec<(&'static dyn Agent, memfold_agents::Store)> {
        let home = self.variable("HOME").map(PathBuf::from);
        let mut stores = Vec::new();
        for agent in memfold_agents::all() {
            for mut store in agent.stores(&|name| self.variable(name), home.as_deref()) {
                // Most agents' are not there: one look tells, a path is resolved name by name.
                if let Err(error) = std::fs::metadata(&store.dir)
                    && matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
                {
                    continue;
                }
                // One that may not be looked into is told by the walk through it.
                if let Ok(real) = memfold_disk::resolve(&store.dir) {
                    store.dir = real;
                }
                stores.push((*agent, store));
            }
        }
        stores
    }

    pub(crate) fn in_stores(&self, receipts: &Receipts, rollup: Option<&Rollup>) -> Found {
        let mut found = Found::default();
        let mut seen = HashSet::new();
        let mut listings = self.listings();
        for (agent, store) in self.stores() {
            found.walked.push(store.dir.clone());
            let limits = Limits {
                depth: store.depth,
                ..FOLDER_LIMITS
            };
            let files = walk(&store.dir, limits)
                .knowing(&mut listings)
                .files(|name| Form::of(Path::new(name)).is_some());
            for file in files {
                match file {
                    Ok(file) => {
                        let below = file.path.strip_prefix(&store.dir).unwrap_or(&file.path);
                        let Some(form) = agent.names(below) else {
                            continue;
                        };
                        if !seen.insert(file.path.as_os_str().to_owned()) {
                            continue;
                        }
                        let of = Of {
                            archived: store.archived,
                            in_store: true,
                            rolled: rollup
                                .and_then(|rollup| rollup.find(&file.path, &file.identity))
                                .filter(|rolled| rolled.agent.name() == agent.name()),
                        };
                        if form == Form::Rows {
                            self.sessions_of(&file.path, agent, &of, receipts, &mut found);
                            continue;
                        }
                        let identity = file.identity;
                        found
                            .logs
                            .push(LogEntry::of_file(file.path, form, agent, identity, of));
                    }
                    Err(error) if error.is_not_found() => {}
                    Err(error) => found.miss(error.to_string()),
                }
            }
        }
        self.keep_listings(listings);
        self.in_project(rollup, &mut found);
        plain_form_wins(&mut found.logs);
        found
    }

    /// The logs that lie in the project's own folder. Those in other projects' folders are not looked for.
    fn in_project(&self, rollup: Option<&Rollup>, found: &mut Found) {
        for agent in memfold_agents::all().iter().copied() {
            for name in agent.in_projects() {
                let path = self.project().join(name);
                let (Some(form), Ok(identity)) = (
                    agent.names(Path::new(name)),
                    Identity::at(&path, Links::Refuse),
                ) else {
                    continue;
                };
                let of = Of {
                    in_store: true,
                    rolled: rollup
                        .and_then(|rollup| rollup.find(&path, &identity))
                        .filter(|rolled| rolled.agent.name() == agent.name()),
                    ..Of::default()
                };
                found
                    .logs
                    .push(LogEntry::of_file(path, form, agent, identity, of));
            }
        }
    }

    fn below(
        &self,
        folders: &[PathBuf],
        receipts: &Receipts,
        rollup: Option<&Rollup>,
    ) -> Result<Found, Error> {
        let stores = self.stores();
        let mut found = Found::default();
        let mut seen = HashSet::new();
        let mut listings = self.listings();
        let mut unknown = 0usize;
        for folder in folders {
            if let Some(session) = self.session_at(folder, receipts)? {
                found.logs.push(session);
                continue;
            }
            let real = memfold_disk::resolve(folder).map_err(|error| Error::File {
                path: folder.clone(),
                what: cause(&error),
                hint: "name a folder that holds logs".to_owned(),
            })?;
            if real.is_file() {
                match database_agent(&real) {
                    Some(agent) => {
                        let of = Of {
                            in_store: Standing::of(&real, &stores).is_stored(&real),
                            ..Of::default()
                        };
                        self.sessions_of(&real, agent, &of, receipts, &mut found);
                    }
                    None => found.logs.push(self.entry(&real, receipts)?),
                }
                continue;
            }
            found.walked.push(real.clone());
            let standing = Standing::of(&real, &stores);
            let files = walk(&real, FOLDER_LIMITS)
                .knowing(&mut listings)
                .files(|name| Form::of(Path::new(name)).is_some());
            for file in files {
                let file = match file {
                    Ok(file) => file,
                    Err(error) if error.is_not_found() => continue,
                    Err(error) => {
                        found.miss(error.to_string());
                        continue;
                    }
                };
                // A walk meets no file twice.
                if folders.len() > 1 && !seen.insert(file.path.as_os_str().to_owned()) {
                    continue;
                }
                let form = Form::of(&file.path).unwrap_or(Form::Lines);
                let of = Of {
                    archived: standing.is_archived(&file.path),
                    in_store: standing.is_stored(&file.path),
                    rolled: rollup.and_then(|rollup| rollup.find(&file.path, &file.identity)),
                };
                if form == Form::Rows {
                    if let Some(agent) = database_agent(&file.path) {
                        self.sessions_of(&file.path, agent, &of, receipts, &mut found);
                    }
                    continue;
                }
                let agent = match &of.rolled {
                    Some(rolled) => Ok(Some(rolled.agent)),
                    None => detect(&file.path, form, file.identity, receipts.of(&file.path)),
                };
                let agent = match agent {
                    Ok(agent) => agent,
                    Err(why) => {
                        found.miss(format!("{}: {why}", file.path.display()));
                        continue;
                    }
                };
                match agent {
                    Some(agent) => {
                        let identity = file.identity;
                        found
                            .logs
                            .push(LogEntry::of_file(file.path, form, agent, identity, of));
                    }
                    // Any file may be JSON; only lines of it make a log likely.
                    None if form == Form::Document => {}
                    None => unknown += 1,
                }
            }
        }
        self.keep_listings(listings);
        if unknown > 0 {
            found.notes.push(format!(
                "{} no log of an agent that is known here",
                match unknown {
                    1 => "1 file is".to_owned(),
                    _ => format!("{unknown} files are"),
                }
            ));
        }
        plain_form_wins(&mut found.logs);
        Ok(found)
    }

    /// Whether a log's task worked in a project, or why that cannot be told.
    pub(crate) fn belongs(
        &self,
        log: &LogEntry,
        project: &Path,
        receipts: &Receipts,
    ) -> Result<bool, String> {
        Ok(match self.cwd(log, receipts)? {
            Some(cwd) => self.projects().owns(project, Path::new(&*cwd)),
            None => log.agent.worked_in(&log.path, project),
        })
    }

    /// Where a log's task worked: as its receipt says if the log is unchanged since, else as its first lines do. Another
    /// project's log may have come under the name.
    pub(crate) fn cwd(
        &self,
        log: &LogEntry,
        receipts: &Receipts,
    ) -> Result<Option<Arc<str>>, String> {
        if let Some(cwd) = log.rolled.as_ref().and_then(|rolled| rolled.cwd.clone()) {
            return Ok(Some(cwd));
        }
        if let Some(session) = &log.session {
            return Ok(session.facts.cwd.as_deref().map(Arc::from));
        }
        if let Some(cwd) = log.path_facts().cwd {
            return Ok(Some(Arc::from(cwd)));
        }
        let receipt = receipts
            .of(&log.path)
            .filter(|receipt| receipt.holds_for(&log.identity));
        let told = match receipt {
            Some(receipt) => receipt.cwd.clone(),
            None => look(&log.path, log.form, log.identity, |file| {
                peek(file, log.agent, |facts| facts.cwd.is_some())
            })?
            .and_then(|facts| facts.cwd),
        };
        Ok(told.or_else(|| self.place(log)).map(Arc::from))
    }

    /// Where a log's sidecar should be: looked at once a call for each folder.
    pub(crate) fn sidecar_place(&self, log: &LogEntry) -> memfold_sidecar::Place {
        match self.sidecar_places().lock() {
            Ok(mut known) => place_of(log, &mut known),
            Err(_) => place_of(log, &mut std::collections::HashMap::new()),
        }
    }

    /// Where a log's task worked, as files say that its agent keeps beside the log.
    pub(crate) fn place(&self, log: &LogEntry) -> Option<String> {
        let files = log.agent.place_files(&log.path);
        files.iter().find_map(|file| {
            let text = self.places().text(file)?;
            Some(log.agent.place_in(&log.path, file, &text)?.into_owned())
        })
    }
}

/// Of a log that stands in several forms, the lines that are not compressed count: a host that compresses a log, or goes
/// on with a whole-file log as lines, may leave the other behind.
fn plain_form_wins(logs: &mut Vec<LogEntry>) {
    if logs.iter().any(|log| plain_form(log).is_some()) {
        let plain: HashSet<PathBuf> = logs
            .iter()
            .filter(|log| log.form == Form::Lines)
            .map(|log| log.path.clone())
            .collect();
        logs.retain(|log| plain_form(log).is_none_or(|plainly| !plain.contains(&plainly)));
    }
    let better = |log: &LogEntry| log.agent.told_by(&log.path);
    if logs.iter().any(|log| better(log).is_some()) {
        let all: HashSet<PathBuf> = logs.iter().map(|log| log.path.clone()).collect();
        logs.retain(|log| better(log).is_none_or(|better| !all.contains(&better)));
    }
    logs.sort_by(|a, b| in_order(&a.path, &b.path));
    logs.dedup_by(|a, b| a.path.as_os_str() == b.path.as_os_str());
}

/// Where the plain lines of a log would be that is stored in another form.
fn plain_form(log: &LogEntry) -> Option<PathBuf> {
    match log.form {
        Form::Lines | Form::Markdown | Form::Rows => None,
        Form::CompressedLines => Some(log.path.with_extension("")),
        Form::Document => Some(log.path.with_extension("jsonl")),
    }
}

/// Where a log's sidecar should be. None inside a work tree is ever read: it may have come with a clone. Nothing can lie
/// beside a session of a database.
pub(crate) fn place_of(
    log: &LogEntry,
    known: &mut std::collections::HashMap<PathBuf, memfold_sidecar::Place>,
) -> memfold_sidecar::Place {
    match log.form {
        Form::Rows => memfold_sidecar::Place::Cache,
        _ => place_in(log.path.parent().unwrap_or(&log.path), known),
    }
}

/// Where the sidecars of a folder's logs should be.
pub(crate) fn place_in(
    folder: &Path,
    known: &mut std::collections::HashMap<PathBuf, memfold_sidecar::Place>,
) -> memfold_sidecar::Place {
    *known.entry(folder.to_owned()).or_insert_with(|| {
        if project::in_work_tree(folder) {
            memfold_sidecar::Place::Cache
        } else {
            memfold_sidecar::Place::Beside
        }
    })
}

/// The agent whose database a file could be, by its name.
pub(crate) fn database_agent(path: &Path) -> Option<&'static dyn Agent> {
    let name = Path::new(path.file_name()?);
    memfold_agents::all()
        .iter()
        .copied()
        .find(|agent| agent.tables().is_some() && agent.names(name) == Some(Form::Rows))
}

/// Why the disk refused, without the path that the error of ours names.
pub(crate) fn cause(error: &memfold_disk::DiskError) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}
