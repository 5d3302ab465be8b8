//! What a doctor looks at: what there is of each agent, and whether what memfold keeps is as it was left. Cheap: stat, heads of
//! files, and the whole bytes of those sidecars alone that are not the ones which this machine wrote. Changes nothing.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use memfold_agents::Agent;
use memfold_disk::{Identity, Links, Snapshot};
use memfold_fold::Parameters;
use memfold_rollup::RollupError;
use memfold_sidecar::{
    Place, Receipt, Receipts, Sidecar, SidecarError, Worth, beside, verify_bytes,
};
use serde::Serialize;

use crate::catalogue::{LogEntry, place_of};
use crate::engine::Memfold;
use crate::request::Viewer;

/// So many sidecars are read whole at most: a doctor is quick.
const READ_WHOLE: usize = 200;

/// What was found.
#[derive(Clone, Debug)]
pub struct Health {
    /// The project's name.
    pub project: String,
    /// Its folder.
    pub root: PathBuf,
    /// The agents that have a store here, or logs.
    pub agents: Vec<AgentHealth>,
    /// The sidecars of the project's logs; for a person, of all logs.
    pub sidecars: SidecarHealth,
    /// Memfold's own folders.
    pub folders: Vec<FolderHealth>,
    /// What is kept in them for many logs, or for the repository.
    pub kept: Vec<KeptHealth>,
    /// May an agent search the project's earlier tasks? Or why that cannot be told.
    pub earlier: Result<bool, String>,
    /// Folders and logs that could not be read, and why.
    pub unreadable: Vec<String>,
}

/// What there is of one agent.
#[derive(Clone, Debug, Serialize)]
pub struct AgentHealth {
    /// Its name.
    pub agent: &'static str,
    /// Its folders that are there.
    pub folders: Vec<PathBuf>,
    /// How many logs lie there.
    pub logs: usize,
    /// How many of them are of this project.
    pub of_project: usize,
}

/// What sidecars are worth, by the little that is looked at.
#[derive(Clone, Debug, Default)]
pub struct SidecarHealth {
    /// How many logs were looked at.
    pub logs: usize,
    /// Sidecars that cover their logs as they are.
    pub current: usize,
    /// Logs that have none.
    pub missing: Vec<PathBuf>,
    /// Logs that grew or changed since: the next search goes on from there.
    pub behind: Vec<PathBuf>,
    /// Logs with sidecars that no receipt of this machine speaks of: the next search proves them.
    pub unproved: Vec<PathBuf>,
    /// What is out of order.
    pub wrong: Vec<(PathBuf, SidecarState)>,
}

/// How a sidecar is out of order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SidecarState {
    /// An earlier version of memfold made it.
    Older,
    /// A later version of memfold made it: this one folds the log beside it again, in memory or in the cache.
    Newer,
    /// It is not as it was written.
    Damaged(String),
    /// It cannot be read.
    Unreadable(String),
}

/// One of memfold's folders.
#[derive(Clone, Debug)]
pub struct FolderHealth {
    /// `data`, `config` or `cache`.
    pub name: &'static str,
    /// Where it is.
    pub path: PathBuf,
    /// Why nothing can be written there, if so.
    pub refused: Option<String>,
}

/// Something that is kept.
#[derive(Clone, Debug)]
pub struct KeptHealth {
    /// `receipts`, `roll-up` or `repository`.
    pub name: &'static str,
    /// Where it is.
    pub path: PathBuf,
    /// What it holds, in words; nothing if it is not there.
    pub holds: Option<String>,
    /// What is wrong with it, if anything is.
    pub wrong: Option<String>,
    /// Whether a later version of memfold wrote it.
    pub is_newer: bool,
}

impl Memfold {
    /// Looks at all of it.
    pub fn health(&self) -> Health {
        let receipts = self.receipts();
        let found = self.in_stores(&receipts, None);
        let mut unreadable = found.notes.clone();
        let mut of_project = Vec::new();
        for log in &found.logs {
            match self.belongs(log, self.project(), &receipts) {
                Ok(true) => of_project.push(log.clone()),
                Ok(false) => {}
                Err(why) => unreadable.push(format!("{}: {why}", log.path.display())),
            }
        }
        let agents = self.agents_health(&found.logs, &of_project);
        let looked_at = match self.viewer() {
            Viewer::Person => &found.logs,
            Viewer::Agent => &of_project,
        };
        Health {
            project: self.project_name(),
            root: self.project().to_owned(),
            agents,
            sidecars: self.sidecars_health(looked_at, &receipts),
            folders: self.folders_health(),
            kept: vec![
                self.receipts_health(&receipts),
                self.rollup_health(),
                self.repository_health(),
            ],
            earlier: self
                .switch()
                .is_on(self.project())
                .map_err(|error| error.to_string()),
            unreadable,
        }
    }

    fn agents_health(&self, logs: &[LogEntry], of_project: &[LogEntry]) -> Vec<AgentHealth> {
        let mut agents: BTreeMap<&'static str, AgentHealth> = BTreeMap::new();
        let mut of = |agent: &'static dyn Agent, change: &mut dyn FnMut(&mut AgentHealth)| {
            change(agents.entry(agent.name()).or_insert_with(|| AgentHealth {
                agent: agent.name(),
                folders: Vec::new(),
                logs: 0,
                of_project: 0,
            }));
        };
        for (agent, store) in self.stores() {
            of(agent, &mut |health| {
                if !health.folders.contains(&store.dir) {
                    health.folders.push(store.dir.clone());
                }
            });
        }
        for log in logs {
            of(log.agent, &mut |health| health.logs += 1);
        }
        for log in of_project {
            of(log.agent, &mut |health| health.of_project += 1);
        }
        agents.into_values().collect()
    }

    fn sidecars_health(&self, logs: &[LogEntry], receipts: &Receipts) -> SidecarHealth {
        let mut health = SidecarHealth {
            logs: logs.len(),
            ..SidecarHealth::default()
        };
        let mut places = HashMap::new();
        let mut whole = READ_WHOLE;
        for log in logs {
            let receipt = receipts.of(&log.path);
            let path = match receipt {
                Some(receipt) => self.sidecar_path(log, receipt),
                None if place_of(log, &mut places) == Place::Beside => beside(&log.path),
                None => self.keeper().kept_in_cache(&log.path, log.agent),
            };
            match look(&path, log, receipt, &mut whole) {
                Ok(Looked::Missing) => health.missing.push(log.path.clone()),
                Ok(Looked::Unproved) => health.unproved.push(log.path.clone()),
                Ok(Looked::Behind) => health.behind.push(log.path.clone()),
                Ok(Looked::Current) => health.current += 1,
                Err(state) => health.wrong.push((path, state)),
            }
        }
        health
    }

    fn folders_health(&self) -> Vec<FolderHealth> {
        let dirs = self.dirs();
        [
            ("data", &dirs.data),
            ("config", &dirs.config),
            ("cache", &dirs.cache),
        ]
        .map(|(name, path)| FolderHealth {
            name,
            path: path.clone(),
            refused: memfold_disk::can_write(path)
                .err()
                .map(|error| error.to_string()),
        })
        .into()
    }

    fn receipts_health(&self, receipts: &Receipts) -> KeptHealth {
        let worth = &Receipts::worth(&self.dirs().cache);
        KeptHealth {
            name: "receipts",
            path: Receipts::file(&self.dirs().cache),
            holds: match worth {
                Worth::Missing => None,
                _ => Some(format!("logs known: {}", receipts.all().count())),
            },
            wrong: match worth {
                Worth::Sound | Worth::Missing | Worth::Older | Worth::Newer => None,
                worth => Some(worth.to_string()),
            },
            is_newer: *worth == Worth::Newer,
        }
    }

    fn rollup_health(&self) -> KeptHealth {
        let path = crate::rollup::file(&crate::rollup::folder(&self.dirs().cache));
        let mut health = KeptHealth {
            name: "roll-up",
            holds: path.exists().then(String::new),
            path,
            wrong: None,
            is_newer: false,
        };
        if health.holds.is_none() {
            return health;
        }
        match self.open_rollup() {
            Ok(rollup) => {
                let logs = rollup.catalogue.logs();
                let shards = rollup.catalogue.shards().len();
                health.holds = Some(format!("logs: {logs}, shards: {shards}"));
                health.wrong = (0..shards)
                    .find_map(|number| rollup.open(memfold_rollup::ShardId(number)).err())
                    .map(|error| error.to_string());
            }
            Err(RollupError::NewerVersion) => health.is_newer = true,
            // A search makes it anew.
            Err(RollupError::OtherVersion) => {
                health.holds = Some("of another version".to_owned());
            }
            Err(error) => health.wrong = Some(error.to_string()),
        }
        health
    }

    fn repository_health(&self) -> KeptHealth {
        let index = self.index();
        let holdings = index.holdings();
        let mut health = KeptHealth {
            name: "repository",
            path: index.folder().to_owned(),
            holds: (holdings.bytes > 0)
                .then(|| format!("trees: {}, packs: {}", holdings.trees, holdings.packs)),
            wrong: None,
            is_newer: false,
        };
        if health.holds.is_some() {
            let tree = crate::project::tree_of(self.folder());
            health.wrong = index
                .load(&tree.to_string_lossy())
                .err()
                .map(|error| error.to_string());
        }
        health
    }
}

/// What is in order with a sidecar.
enum Looked {
    Missing,
    Unproved,
    Behind,
    Current,
}

fn look(
    path: &Path,
    log: &LogEntry,
    receipt: Option<&Receipt>,
    whole: &mut usize,
) -> Result<Looked, SidecarState> {
    let file = match Snapshot::open(path, Links::Refuse) {
        Ok(file) => file,
        Err(error) if error.is_not_found() => return Ok(Looked::Missing),
        Err(error) => return Err(SidecarState::Unreadable(error.to_string())),
    };
    let identity = file.identity();
    let length = usize::try_from(file.len()).unwrap_or(usize::MAX);
    let is_written_here =
        receipt.is_some_and(|receipt| identity == Identity::from_bytes(&receipt.sidecar));
    let read_whole = !is_written_here && *whole > 0;
    let checked = match read_whole {
        true => {
            *whole -= 1;
            file.read_at(0, length)
                .map_err(std::io::Error::other)
                .map_err(SidecarError::from)
                .and_then(|bytes| {
                    verify_bytes(&bytes)?;
                    Sidecar::open(bytes).map(|sidecar| sidecar.header().fold)
                })
        }
        false => Sidecar::open(file).map(|sidecar| sidecar.header().fold),
    };
    let ours = Parameters::of(log.agent);
    match checked {
        Ok(fold) if fold.version > ours.version => Err(SidecarState::Newer),
        Ok(fold) if fold != ours => Err(SidecarState::Older),
        Ok(_) => Ok(match receipt {
            Some(receipt) if is_written_here => {
                match Identity::from_bytes(&receipt.log) == log.identity {
                    true => Looked::Current,
                    false => Looked::Behind,
                }
            }
            _ => Looked::Unproved,
        }),
        Err(SidecarError::NewerFormat { .. }) => Err(SidecarState::Newer),
        Err(SidecarError::OlderFormat { .. }) => Err(SidecarState::Older),
        Err(SidecarError::Io(error)) => Err(SidecarState::Unreadable(error.to_string())),
        Err(error) => Err(SidecarState::Damaged(error.to_string())),
    }
}
