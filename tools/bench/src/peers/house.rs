//! Where one set is measured: its logs, each program's index of them, and a home of memfold's own, so that neither the
//! person's home nor the caller's environment has a part in it. All of it goes when the measuring ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use super::Result;
use super::documents::logs_below;

/// What stat says of a file is believed when it was left alone for longer than this.
pub(crate) const SETTLED: Duration = Duration::from_millis(2300);

/// A set's folder.
pub(crate) struct House {
    /// The set's name in tables.
    pub(crate) name: String,
    root: PathBuf,
    memfold: PathBuf,
    /// The logs, by path.
    pub(crate) files: Vec<PathBuf>,
    /// All of their bytes.
    pub(crate) bytes: u64,
}

impl House {
    /// A house in `root`; `fill` writes the logs to the folder that it is given.
    pub(crate) fn new(
        name: &str,
        root: PathBuf,
        memfold: &Path,
        fill: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<House> {
        let logs = root.join("logs");
        fs::create_dir_all(&logs)?;
        fill(&logs)?;
        let files = logs_below(&logs)?;
        let bytes = files
            .iter()
            .map(|file| Ok(fs::metadata(file)?.len()))
            .sum::<Result<u64>>()?;
        let house = House {
            name: name.to_owned(),
            root,
            memfold: memfold.to_owned(),
            files,
            bytes,
        };
        house.empty_home()?;
        // What stat says of a log that was just written is not believed.
        thread::sleep(SETTLED);
        Ok(house)
    }

    pub(crate) fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }

    pub(crate) fn tantivy(&self) -> PathBuf {
        self.root.join("tantivy")
    }

    pub(crate) fn fts5(&self) -> PathBuf {
        self.root.join("fts5.db")
    }

    pub(crate) fn queries(&self) -> PathBuf {
        self.root.join("queries")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// Where the receipts and folded tails are.
    pub(crate) fn cache(&self) -> PathBuf {
        self.home().join(".cache/memfold")
    }

    /// memfold, as its user starts it, in this home.
    pub(crate) fn memfold(&self) -> Command {
        let mut command = Command::new(&self.memfold);
        command.env_clear().env("HOME", self.home());
        command.current_dir(&self.root);
        command
    }

    /// A search for words.
    pub(crate) fn search(&self, words: &[String], limit: usize) -> Command {
        let mut command = self.memfold();
        command.args(["search", "-n", &limit.to_string(), "--logs"]);
        command.arg(self.logs()).arg("--").args(words);
        command
    }

    /// A fold of all logs on so many threads.
    pub(crate) fn fold(&self, threads: usize) -> Command {
        let mut command = self.memfold();
        command.env("RAYON_NUM_THREADS", threads.to_string());
        command.args(["fold", "-q"]).arg(self.logs());
        command
    }

    /// Removes what memfold wrote.
    pub(crate) fn unfold(&self) -> Result<()> {
        for sidecar in self.sidecars() {
            fs::remove_file(sidecar)?;
        }
        self.empty_home()
    }

    /// The sidecars that there are.
    pub(crate) fn sidecars(&self) -> impl Iterator<Item = PathBuf> {
        let beside = |log: &PathBuf| memfold_sidecar::beside(log);
        self.files.iter().map(beside).filter(|path| path.exists())
    }

    pub(crate) fn forget_receipts(&self) -> Result<()> {
        remove_folder(&self.cache())
    }

    fn empty_home(&self) -> Result<()> {
        remove_folder(&self.home())?;
        fs::create_dir_all(self.home())?;
        Ok(())
    }
}

/// Removes a folder, if it is there.
pub(crate) fn remove_folder(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(())
}

/// The bytes of a file, or of all files below a folder.
pub(crate) fn bytes_of(path: &Path) -> Result<u64> {
    if path.is_file() {
        return Ok(fs::metadata(path)?.len());
    }
    let mut bytes = 0;
    for entry in fs::read_dir(path)? {
        bytes += bytes_of(&entry?.path())?;
    }
    Ok(bytes)
}
