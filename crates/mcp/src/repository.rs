//! The tools over the repository's files: a search that reads what changed first, and the update that takes as long as it must.
//! Who asks is not proved: the files are those of the project in which the server works, whatever conversation it is.

use memfold::{Error, Memfold, Progress, RepoSearch, RepoUpdate};

use crate::call::{Reply, failed};
use crate::render;
use crate::structured;
use crate::tools::Scope;

/// The files that hold the words, best first.
pub(crate) fn search(engine: &Memfold, search: &RepoSearch, progress: &dyn Progress) -> Reply {
    match engine.search_repo(search, progress) {
        Ok(answer) => Reply::Answer(render::files(&answer), structured::repository(&answer)),
        Err(error) => refused(&error),
    }
}

/// The index, brought up to date.
pub(crate) fn update(engine: &Memfold, update: &RepoUpdate, progress: &dyn Progress) -> Reply {
    match engine.update_repo(update, progress) {
        Ok(mut report) => {
            let text = render::coverage(&mut report);
            Reply::Answer(text, structured::repository(&report))
        }
        Err(error) => refused(&error),
    }
}

fn refused(error: &Error) -> Reply {
    failed(error, Scope::Repo)
}
