//! What an agent may read: earlier tasks only where a person turned that on, read at each call.
//! In an agent's own shell this is courtesy, not a wall: it can read the logs themselves.

use crate::answer::EarlierSwitch;
use crate::catalogue::LogEntry;
use crate::engine::Memfold;
use crate::error::Error;
use crate::request::{Logs, Viewer};
use memfold_sidecar::Receipts;

/// How far the session tools reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionTools {
    /// The project's tasks.
    Workspace,
    /// The tasks of every project of which a person allowed it.
    Allowed,
}

impl Memfold {
    /// Whether the viewer may read logs that were found. A copy of a log outside an agent's store is a file like any other;
    /// one in a store is its own project's, whoever names it.
    pub(crate) fn allow(
        &self,
        logs: &Logs,
        found: &[LogEntry],
        receipts: &Receipts,
    ) -> Result<(), Error> {
        if self.viewer() == Viewer::Person {
            return Ok(());
        }
        if matches!(logs, Logs::Everywhere) {
            return Err(Error::NotAllowed {
                what: "all projects are searched by a person only",
                hint: "search this project's tasks, without -A".to_owned(),
            });
        }
        if matches!(logs, Logs::Allowed(_)) && self.session_tools()? == SessionTools::Workspace {
            return Err(Error::NotAllowed {
                what: "other projects' tasks are read where the person's configuration lets them",
                hint: "search this project's tasks".to_owned(),
            });
        }
        // Its log was proved to be the asking conversation's own.
        if matches!(logs, Logs::Conversation(_)) {
            return Ok(());
        }
        let mut stored = found.iter().filter(|log| log.in_store);
        let project = matches!(logs, Logs::Project | Logs::Others(_) | Logs::Allowed(_));
        let ruled = project || stored.clone().next().is_some();
        if !ruled {
            return Ok(());
        }
        // The project's own logs were told by where they worked already.
        let others = !project
            && stored.any(|log| !self.belongs(log, self.project(), receipts).unwrap_or(false));
        if others {
            return Err(Error::NotAllowed {
                what: "another project's tasks are read by a person only",
                hint: "search this project's tasks".to_owned(),
            });
        }
        if self.switch().is_on(self.project())? {
            return Ok(());
        }
        Err(Error::NotAllowed {
            what: "earlier tasks are off for this project",
            hint: "only the user can allow it, in their own terminal: memfold earlier on"
                .to_owned(),
        })
    }

    /// How far the session tools reach, by the person's configuration alone.
    ///
    /// # Errors
    /// If the switches cannot be read.
    pub fn session_tools(&self) -> Result<SessionTools, Error> {
        Ok(match self.switch().reaches_all()? {
            true => SessionTools::Allowed,
            false => SessionTools::Workspace,
        })
    }

    /// May an agent search this project's earlier tasks?
    ///
    /// # Errors
    /// If the switches cannot be read.
    pub fn earlier(&self) -> Result<EarlierSwitch, Error> {
        Ok(EarlierSwitch {
            project: self.project().to_owned(),
            on: self.switch().is_on(self.project())?,
            file: self.switch().file().to_owned(),
        })
    }

    /// Turns that on or off. Only a person turns it on.
    ///
    /// # Errors
    /// If an agent turns it on, or the switches cannot be written.
    pub fn set_earlier(&self, on: bool) -> Result<EarlierSwitch, Error> {
        if on && self.viewer() != Viewer::Person {
            return Err(Error::NotAllowed {
                what: "an agent cannot turn earlier tasks on",
                hint: "only the user can, in their own terminal: memfold earlier on".to_owned(),
            });
        }
        self.switch().set(self.project(), on, self.locks())?;
        self.earlier()
    }
}
