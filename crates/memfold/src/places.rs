//! Files that an agent keeps beside its logs and that say where a log's task worked. Read once for all logs of a call.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use memfold_disk::{Links, Snapshot};

/// A larger file is no list of projects.
const LARGEST: u64 = 4 << 20;

/// The texts of such files, as far as they were asked for.
#[derive(Default)]
pub(crate) struct PlaceFiles(Mutex<HashMap<PathBuf, Option<Arc<str>>>>);

impl PlaceFiles {
    /// The text of a file, if it is there and may be read.
    pub(crate) fn text(&self, file: &Path) -> Option<Arc<str>> {
        if let Ok(known) = self.0.lock()
            && let Some(text) = known.get(file)
        {
            return text.clone();
        }
        let text = read(file);
        if let Ok(mut known) = self.0.lock() {
            known.insert(file.to_owned(), text.clone());
        }
        text
    }

    /// Forgets them: they change as agents start tasks.
    pub(crate) fn forget(&self) {
        if let Ok(mut known) = self.0.lock() {
            known.clear();
        }
    }
}

fn read(file: &Path) -> Option<Arc<str>> {
    let file = Snapshot::open(file, Links::Refuse)
        .ok()
        .filter(|file| file.len() <= LARGEST)?;
    let bytes = file.read_at(0, usize::try_from(file.len()).ok()?).ok()?;
    String::from_utf8(bytes.to_vec()).ok().map(Arc::from)
}
