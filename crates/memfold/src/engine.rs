//! The engine's own state: whose it is, which project, and where it keeps things.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use memfold_disk::{Dirs, Listings, Locks, Marked};
use memfold_sidecar::{Keeper, Place, Receipts, SidecarError};

use crate::error::Error;
use crate::places::PlaceFiles;
use crate::project::{self, Projects};
use crate::request::Viewer;
use crate::rollup::Rollup;
use crate::sessions::Databases;
use crate::switch::Switch;

/// Looks an environment variable up.
pub type Variables = Box<dyn Fn(&str) -> Option<OsString> + Send + Sync>;

/// How an engine is opened. Nothing is read from the process but through `variables`, so that a test can stand anywhere.
pub struct Options {
    /// The project's folder; else the repository of `working_directory`.
    pub project: Option<PathBuf>,
    /// Where the call is made from.
    pub working_directory: PathBuf,
    /// Our data directory, if given.
    pub data_dir: Option<PathBuf>,
    /// Our configuration directory, if given.
    pub config_dir: Option<PathBuf>,
    /// Our cache directory, if given.
    pub cache_dir: Option<PathBuf>,
    /// On whose behalf.
    pub viewer: Viewer,
    /// Looks an environment variable up (`HOME` among them).
    pub variables: Variables,
    /// How many logs that no roll-up holds are worth one: [`ROLL_FROM`], fewer in tests.
    pub roll_from: usize,
}

impl Options {
    /// Options for a project's folder, with memfold's own folders where `variables` say, and by default below `HOME`.
    pub fn of(
        project: &Path,
        viewer: Viewer,
        variables: impl Fn(&str) -> Option<OsString> + Send + Sync + 'static,
    ) -> Options {
        Options {
            project: Some(project.to_owned()),
            working_directory: project.to_owned(),
            data_dir: None,
            config_dir: None,
            cache_dir: None,
            viewer,
            variables: Box::new(variables),
            roll_from: ROLL_FROM,
        }
    }
}

/// So many logs are opened one by one before a roll-up of them pays: some ten microseconds each at every search.
pub const ROLL_FROM: usize = 16;

/// An opened engine: the only API of the front ends.
pub struct Memfold {
    viewer: Viewer,
    variables: Variables,
    project: PathBuf,
    /// Where the call stands: the project's folder, if given, else the working directory.
    folder: PathBuf,
    projects: Projects,
    /// Files that say where logs' tasks worked, read once a call.
    places: PlaceFiles,
    /// Where folders' sidecars should be, looked at once a call.
    sidecar_places: Mutex<HashMap<PathBuf, Place>>,
    dirs: Dirs,
    keeper: Keeper,
    switch: Switch,
    roll_from: usize,
    /// The roll-up as it was last opened.
    rollup: Mutex<Option<Arc<Rollup>>>,
    /// The receipts as they were last read.
    receipts: Mutex<Option<Receipts>>,
    /// What folders held when they were last listed.
    listings: Mutex<Option<Listings>>,
    /// The file of the receipts is a later program's.
    receipts_outdated: AtomicBool,
    databases: Databases,
}

impl Memfold {
    /// Opens an engine. Reads nothing yet but where the project's folder is.
    ///
    /// # Errors
    /// If the project's folder is not there, or no folder for memfold's own files is known.
    pub fn open(options: Options) -> Result<Memfold, Error> {
        let given = |name: &str| match name {
            "MEMFOLD_DATA_DIR" => options.data_dir.clone().map(OsString::from),
            "MEMFOLD_CONFIG_DIR" => options.config_dir.clone().map(OsString::from),
            "MEMFOLD_CACHE_DIR" => options.cache_dir.clone().map(OsString::from),
            _ => None,
        };
        let dirs = Dirs::from_env(|name| given(name).or_else(|| (options.variables)(name)))
            .map_err(|error| Error::Usage {
                what: error.to_string(),
                hint: error.hint().to_owned(),
            })?;
        let projects = Projects::default();
        let folder = match &options.project {
            Some(folder) if !folder.is_dir() => {
                return Err(Error::File {
                    path: folder.clone(),
                    what: "no such folder".to_owned(),
                    hint: "give --project a project's folder".to_owned(),
                });
            }
            Some(folder) => folder,
            None => &options.working_directory,
        };
        let project = projects.of(folder);
        let keeper = Keeper::new(dirs.locks(), dirs.cache.clone());
        let switch = Switch::new(&dirs.config);
        Ok(Memfold {
            viewer: options.viewer,
            variables: options.variables,
            project,
            folder: folder.clone(),
            projects,
            places: PlaceFiles::default(),
            sidecar_places: Mutex::default(),
            dirs,
            keeper,
            switch,
            roll_from: options.roll_from,
            rollup: Mutex::default(),
            receipts: Mutex::default(),
            listings: Mutex::default(),
            receipts_outdated: AtomicBool::new(false),
            databases: Databases::default(),
        })
    }

    /// On whose behalf it answers.
    pub fn viewer(&self) -> Viewer {
        self.viewer
    }

    /// The project's folder.
    pub fn project(&self) -> &Path {
        &self.project
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where memfold keeps what took work to make.
    pub fn data_dir(&self) -> &Path {
        &self.dirs.data
    }

    pub(crate) fn project_name(&self) -> String {
        project::name(&self.project)
    }

    pub(crate) fn projects(&self) -> &Projects {
        &self.projects
    }

    pub(crate) fn places(&self) -> &PlaceFiles {
        &self.places
    }

    pub(crate) fn sidecar_places(&self) -> &Mutex<HashMap<PathBuf, Place>> {
        &self.sidecar_places
    }

    pub(crate) fn dirs(&self) -> &Dirs {
        &self.dirs
    }

    pub(crate) fn locks(&self) -> &Locks {
        self.keeper.locks()
    }

    pub(crate) fn keeper(&self) -> &Keeper {
        &self.keeper
    }

    pub(crate) fn roll_from(&self) -> usize {
        self.roll_from
    }

    pub(crate) fn databases(&self) -> &Databases {
        &self.databases
    }

    pub(crate) fn switch(&self) -> &Switch {
        &self.switch
    }

    pub(crate) fn variable(&self, name: &str) -> Option<OsString> {
        (self.variables)(name)
    }

    pub(crate) fn known_rollup(&self) -> &Mutex<Option<Arc<Rollup>>> {
        &self.rollup
    }

    pub(crate) fn receipts(&self) -> Receipts {
        let Ok(mut known) = self.receipts.lock() else {
            return Receipts::load(&self.dirs.cache);
        };
        let now = match &*known {
            Some(known) => known.now(),
            None => Receipts::load(&self.dirs.cache),
        };
        known.insert(now).clone()
    }

    /// What is known of folders, for one call's walks.
    pub(crate) fn listings(&self) -> Listings {
        let known = self.listings.lock().ok().and_then(|mut known| known.take());
        match known {
            Some(known) => known.now(&self.dirs.cache),
            None => Listings::load(&self.dirs.cache),
        }
    }

    /// Keeps what a call's walks came to know of folders.
    pub(crate) fn keep_listings(&self, mut listings: Listings) {
        listings.save(&self.dirs.cache, self.locks());
        if let Ok(mut known) = self.listings.lock() {
            *known = Some(listings);
        }
    }

    /// Believes nothing that is kept of folders while `act` finds logs.
    pub(crate) fn listing_anew<T>(&self, act: impl FnOnce() -> T) -> T {
        self.keep_listings(Listings::without_file());
        let done = act();
        if let Ok(mut known) = self.listings.lock() {
            *known = None;
        }
        done
    }

    /// Removes what is kept of folders, but for a later program's.
    pub(crate) fn drop_listings(&self) {
        let cache = &self.dirs.cache;
        if !matches!(Listings::check(cache), Ok(None) | Err(Marked::Newer)) {
            let _ = memfold_disk::remove(Listings::file(cache));
        }
        if let Ok(mut known) = self.listings.lock() {
            *known = None;
        }
    }

    /// Saves receipts. What cannot be saved costs time at the next call, and nothing else. An engine that stays keeps in mind
    /// what a later program's file keeps from being saved.
    pub(crate) fn save(&self, receipts: &mut Receipts, notes: &mut Vec<String>) {
        if !receipts.is_changed() {
            return;
        }
        let saved = receipts.save(self.locks());
        let outdated = matches!(saved, Err(SidecarError::NewerFormat { .. }));
        self.receipts_outdated.store(outdated, Ordering::Relaxed);
        match saved {
            Ok(()) => {}
            Err(_) if outdated => {
                if let Ok(mut known) = self.receipts.lock() {
                    *known = Some(receipts.clone());
                }
            }
            Err(error) => notes.push(format!(
                "receipts are not kept, so the next call proves the logs again: {error}"
            )),
        }
    }

    /// How many files of receipts could not be read or saved, since a later program wrote them.
    pub(crate) fn unsaved(&self) -> usize {
        usize::from(self.receipts_outdated.load(Ordering::Relaxed))
    }
}
