//! Sessions of a database as logs: listed once a call, each with its address, a path below the database's own.
//! Relies on the listing for what a session says of itself: its title and folder may change while its text does not.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use memfold_agents::Agent;
use memfold_database::{Database, DatabaseError, Listing, Session, Standing};
use memfold_fold::facts::LogFacts;
use memfold_log::Form;
use memfold_sidecar::{LogFile, Receipts};

use crate::catalogue::{Found, LogEntry, Of, database_agent};
use crate::engine::Memfold;
use crate::error::Error;
use crate::leftovers::DATABASES;

/// A session, and what its listing says of it.
pub(crate) struct SessionEntry {
    database: Arc<Database>,
    session: Session,
    pub(crate) facts: LogFacts,
}

impl SessionEntry {
    pub(crate) fn open(&self) -> LogFile {
        LogFile::of_session(Arc::clone(&self.database), &self.session)
    }
}

/// The databases that were opened, so that each is opened once: a process that closes a file loses its own locks on it.
#[derive(Default)]
pub(crate) struct Databases {
    open: Mutex<HashMap<PathBuf, Arc<Database>>>,
}

impl Memfold {
    /// A database, opened, as it stands now.
    fn database(
        &self,
        path: &Path,
        agent: &'static dyn Agent,
    ) -> Result<Arc<Database>, DatabaseError> {
        let Some(tables) = agent.tables() else {
            return Err(DatabaseError::NotADatabase);
        };
        let stands = Standing::of(path)?;
        if let Ok(open) = self.databases().open.lock()
            && let Some(database) = open.get(path)
            && database.stood() == stands
        {
            return Ok(Arc::clone(database));
        }
        let database = Database::open(path, tables, &self.dirs().cache.join(DATABASES))?;
        if let Ok(mut open) = self.databases().open.lock() {
            open.insert(path.to_owned(), Arc::clone(&database));
        }
        Ok(database)
    }

    fn listed(
        &self,
        path: &Path,
        agent: &'static dyn Agent,
    ) -> Result<(Arc<Database>, Listing), DatabaseError> {
        let database = self.database(path, agent)?;
        let listing = database.sessions()?;
        Ok((database, listing))
    }

    /// The sessions of a database, as logs. One that cannot be read is a note.
    pub(crate) fn sessions_of(
        &self,
        path: &Path,
        agent: &'static dyn Agent,
        of: &Of,
        receipts: &Receipts,
        found: &mut Found,
    ) {
        let (database, listing) = match self.listed(path, agent) {
            Ok(listed) => listed,
            Err(error) => {
                found.notes.push(format!("{}: {error}", path.display()));
                return;
            }
        };
        if listing.nameless > 0 {
            found.notes.push(format!(
                "{}: {} sessions are left out, their ids are no names",
                path.display(),
                listing.nameless
            ));
        }
        let share = share(&database, &listing);
        for session in listing.sessions {
            let entry = entry(&database, session, agent, of, share, receipts);
            found.logs.push(entry);
        }
    }

    /// The session that a path names below its database. A path that names nothing of a database is none.
    pub(crate) fn session_at(
        &self,
        path: &Path,
        receipts: &Receipts,
    ) -> Result<Option<LogEntry>, Error> {
        let of_database = |path: &Path| {
            let file = memfold_disk::resolve(path)
                .ok()
                .filter(|file| file.is_file())?;
            Some((database_agent(&file)?, file))
        };
        let file_error = |what: String, hint: &str| Error::File {
            path: path.to_owned(),
            what,
            hint: hint.to_owned(),
        };
        if let Some((agent, database)) = path.parent().and_then(of_database) {
            let hint = "memfold logs lists the sessions";
            let (database, listing) = self
                .listed(&database, agent)
                .map_err(|error| file_error(error.to_string(), hint))?;
            let share = share(&database, &listing);
            let named = listing
                .sessions
                .into_iter()
                .find(|session| path.file_name().is_some_and(|name| name == &*session.id));
            let session = named
                .ok_or_else(|| file_error("the database holds no such session".to_owned(), hint))?;
            let in_store = self
                .stores()
                .iter()
                .any(|(_, store)| memfold_disk::is_below(&session.path, &store.dir));
            let of = Of {
                in_store,
                ..Of::default()
            };
            return Ok(Some(entry(&database, session, agent, &of, share, receipts)));
        }
        Ok(None)
    }

    /// The sessions that are remembered and that their databases no longer hold, or whose databases are gone.
    pub(crate) fn lost_sessions(&self, receipts: &Receipts) -> HashSet<PathBuf> {
        let mut remembered: HashMap<&Path, Vec<&Path>> = HashMap::new();
        for (log, _) in receipts.all() {
            if let Some(database) = log
                .parent()
                .filter(|path| Form::of(path) == Some(Form::Rows))
            {
                remembered.entry(database).or_default().push(log);
            }
        }
        let mut lost = HashSet::new();
        for (path, logs) in remembered {
            let Some(agent) = database_agent(path) else {
                continue;
            };
            let held: HashSet<PathBuf> = match self.listed(path, agent) {
                Ok((_, listing)) => listing
                    .sessions
                    .into_iter()
                    .map(|session| session.path)
                    .collect(),
                Err(DatabaseError::Disk(error)) if error.is_not_found() => HashSet::new(),
                // Not readable now is not gone.
                Err(_) => continue,
            };
            let gone = logs.into_iter().filter(|log| !held.contains(*log));
            lost.extend(gone.map(Path::to_owned));
        }
        lost
    }
}

/// What a session holds of a database's bytes, on average.
fn share(database: &Database, listing: &Listing) -> u64 {
    let sessions = u64::try_from(listing.sessions.len()).unwrap_or(u64::MAX);
    database
        .stood()
        .identity()
        .size
        .checked_div(sessions)
        .unwrap_or(0)
}

fn entry(
    database: &Arc<Database>,
    session: Session,
    agent: &'static dyn Agent,
    of: &Of,
    share: u64,
    receipts: &Receipts,
) -> LogEntry {
    let mut facts = LogFacts::default();
    for line in session.about.split(|byte| *byte == b'\n') {
        if let Ok(reading) = agent.read(line) {
            facts.add(&reading.facts);
        }
    }
    let told = receipts
        .of(&session.path)
        .and_then(|receipt| receipt.length);
    LogEntry {
        path: session.path.clone(),
        form: Form::Rows,
        agent,
        identity: session.identity,
        archived: of.archived || session.state.archived,
        in_store: of.in_store,
        // Whether a session is unchanged its database's stat does not tell, so no roll-up holds any.
        rolled: None,
        bytes: told.unwrap_or(share),
        session: Some(Arc::new(SessionEntry {
            database: Arc::clone(database),
            session,
            facts,
        })),
    }
}
