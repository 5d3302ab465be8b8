//! The repository: its index brought up to date by the search that uses it, ranked, and what is shown read again through the
//! guard. Relies on `memfold-repo` for the index and on `memfold-guard` for every file's bytes.

mod remarks;
mod shown;

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use memfold_guard::{Budget, Guard, Limits, Rules, TreePath};
use memfold_log::Timestamp;
use memfold_repo::listing::{Hardened, program};
use memfold_repo::{
    Due, Fault, Found, Hits, Index, Loaded, Moment, Part, Refresh, Refreshed, RepoError, Watch,
    Weight,
};
use memfold_text::{Matcher, Query};
use sha2::{Digest, Sha256};

use self::remarks::{all_refused, apart, gaps_of, is_complete, why_empty};
use self::shown::shown;
use crate::answer::{Gap, KeptKind, KeptRow, RankedFiles, RepoAnswer, RepoHit, RepoReport};
use crate::conversation::HostId;
use crate::engine::Memfold;
use crate::error::Error;
use crate::progress::{Progress, Quiet};
use crate::project;
use crate::request::{Cause, RepoSearch, RepoUpdate};
use crate::search::query_of;

/// How long a search may refresh what it is about to rank.
const SEARCH_TIME: Duration = Duration::from_secs(10);
/// How long an update may take; it goes on from there the next time.
const UPDATE_TIME: Duration = Duration::from_secs(60);
/// How long an update waits for another process that writes the index.
const PATIENCE: Duration = Duration::from_secs(30);
/// In how many of the best files a quoted phrase is looked for: no index holds it.
const PHRASED: usize = 400;
/// In a query of more words quotes are prose: it tells of a matter, as the text of a commit does, and asks for no phrase.
const QUOTING: usize = 12;
/// A person's own ignore file is read up to here.
const IGNORE_BYTES: u64 = 1 << 20;

impl Memfold {
    /// Ranks the files of the repository by their best chunks, and reads those again.
    ///
    /// # Errors
    /// If the request is out of bounds, or the tree is none that is indexed or cannot be listed.
    pub fn search_repo(
        &self,
        search: &RepoSearch,
        progress: &dyn Progress,
    ) -> Result<RepoAnswer, Error> {
        let begun = Instant::now();
        let mut query = query_of(&search.query, search.limit)?;
        let quotes = query.words.len() <= QUOTING;
        // A word by itself is in a row with nothing.
        query
            .phrases
            .retain(|phrase| quotes && phrase.words.len() > 1);
        let tree = self.tree()?;
        let below = match &search.path {
            Some(path) => self.in_tree(&tree, path)?,
            None => None,
        };
        let guard = self.guard(&tree)?;
        let mut refreshed = self.refreshed(&guard, &search.cause, progress)?;
        let among = |path: &TreePath| below.as_ref().is_none_or(|below| path.is_within(below));
        // Some may be gone or refused by the time that they are read, or not hold what was quoted.
        let most = match query.phrases.is_empty() {
            true => search.limit.saturating_mul(2),
            false => PHRASED.max(search.limit),
        };
        let hits = match refreshed.loaded.search(&query, most, among) {
            Ok(hits) => hits,
            Err(_) => {
                // What is damaged goes, and is cut anew from the files.
                let index = self.index();
                index
                    .drop_damaged()
                    .map_err(|error| unreadable(index.folder(), &error))?;
                refreshed = self.refreshed(&guard, &search.cause, progress)?;
                refreshed
                    .loaded
                    .search(&query, most, among)
                    .map_err(|error| unreadable(&tree, &error))?
            }
        };
        let gaps = gaps_of(&refreshed, &hits);
        let mut notes: Vec<String> = gaps.iter().map(Gap::to_string).collect();
        let budget = Budget::new(Limits {
            file_bytes: Limits::FILE_BYTES,
            bytes: 64 << 20,
            time: SEARCH_TIME,
        });
        // Those of the hits that hold all that is quoted, and of the rest as many as there is room for.
        let mut taken = HashSet::new();
        let mut results: Vec<RepoHit> = Vec::new();
        let mut read = |query: &Query, notes: &mut Vec<String>| {
            let mut matcher = Matcher::new(query);
            for hit in &hits.files {
                if results.len() >= search.limit {
                    break;
                }
                if taken.contains(&hit.path) {
                    continue;
                }
                match shown(&guard, &budget, hit, query, &mut matcher) {
                    Ok(Some(shown)) => {
                        taken.insert(&hit.path);
                        results.push(RepoHit {
                            rank: results.len() + 1,
                            ..shown
                        });
                    }
                    Ok(None) => {}
                    Err(refusal) => {
                        taken.insert(&hit.path);
                        notes.push(format!("{}: {refusal}", hit.path));
                    }
                }
            }
            results.len()
        };
        let first = read(&query, &mut notes);
        if !query.phrases.is_empty() {
            query.phrases.clear();
            if read(&query, &mut notes) > first {
                notes.push(apart(first, hits.files.len() >= most, most));
            }
        }
        let best_words = hits
            .files
            .first()
            .map_or(0, |best| best.held.iter().filter(|held| **held).count());
        if results.is_empty() {
            notes.push(match all_refused(&guard) {
                Some(refused) => refused,
                None => why_empty(&hits, below.as_ref()),
            });
        }
        let answer = RepoAnswer {
            schema: 1,
            scope: "repo",
            project: project::name(&tree),
            root: tree,
            query: search.query.clone(),
            words: query.words.clone(),
            ranked: RankedFiles {
                files: hits.ranked_files,
                chunks: hits.ranked_chunks,
            },
            matched: hits.matched,
            weak: best_words * 2 < query.concepts.len(),
            best_words,
            complete: is_complete(&refreshed) && hits.lacking == 0,
            notes,
            gaps,
            results,
            micros: micros(begun),
        };
        self.record_repo_search(&answer);
        Ok(answer)
    }

    /// Brings the repository's index up to date, or indexes a folder or file of it whole, ignored files too.
    ///
    /// # Errors
    /// As [`Memfold::search_repo`].
    pub fn update_repo(
        &self,
        update: &RepoUpdate,
        progress: &dyn Progress,
    ) -> Result<RepoReport, Error> {
        let begun = Instant::now();
        let tree = self.tree()?;
        let whole = match &update.path {
            Some(path) => self.in_tree(&tree, path)?,
            None => None,
        };
        let guard = self.guard(&tree)?;
        let watch = Reading(progress);
        let refreshed = self.with_refresh(&guard, &update.cause, |refresh| {
            let refresh = Refresh {
                time: UPDATE_TIME,
                patience: PATIENCE,
                whole: whole.as_ref(),
                watch: &watch,
                due: None,
                ..refresh
            };
            self.index().refresh(&guard, refresh)
        });
        progress.end();
        let refreshed = refreshed?;
        let loaded = Some(&refreshed.loaded);
        let collected = self.index().collect(Moment::now(), Due::Now, loaded);
        let mut report = self.report(&guard, &refreshed, begun);
        if let Err(error) = collected {
            let what = "what is no longer needed is still there";
            report.notes.push(format!("{what}: {error}"));
        }
        self.record_update(update.path.as_deref(), &report);
        Ok(report)
    }

    /// What the index holds of the repository, and how much changed since. Reads and writes no file of either.
    ///
    /// # Errors
    /// As [`Memfold::search_repo`].
    pub fn repo_status(&self) -> Result<RepoReport, Error> {
        let begun = Instant::now();
        let tree = self.tree()?;
        let guard = self.guard(&tree)?;
        let looked = self.with_refresh(&guard, &Cause::default(), |refresh| {
            self.index().look(&guard, refresh)
        })?;
        Ok(self.report(&guard, &looked, begun))
    }

    /// That, where there is an index; nothing where none was made yet, or where there is nothing to index.
    pub(crate) fn repo_status_if_any(&self) -> Option<Result<RepoReport, Error>> {
        let is_made = self.index().holdings().bytes > 0;
        (is_made && self.tree().is_ok()).then(|| self.repo_status())
    }

    /// Makes the manifests of the repository's trees anew from the index's events; then, from the files, the words that are
    /// missing or are not theirs.
    ///
    /// # Errors
    /// As [`Memfold::search_repo`].
    pub fn rebuild_repo(&self) -> Result<RepoReport, Error> {
        let begun = Instant::now();
        let tree = self.tree()?;
        let index = self.index();
        let failed = |error: RepoError| unreadable(index.folder(), &error);
        index.rebuild().map_err(failed)?;
        let guard = self.guard(&tree)?;
        let faults = index.check(&guard, &checking()).map_err(failed)?;
        let wrong = faults.rows.iter().filter(|fault| {
            fault.weight == Weight::Wrong && matches!(fault.part, Part::Pack | Part::Collection)
        });
        let wrong: Vec<&Path> = wrong.map(|fault| fault.file.as_path()).collect();
        index.drop_files(&wrong).map_err(failed)?;
        let refreshed = self.with_refresh(&guard, &Cause::default(), |refresh| {
            index.refresh(
                &guard,
                Refresh {
                    time: UPDATE_TIME,
                    patience: PATIENCE,
                    again: &faults.files,
                    ..refresh
                },
            )
        })?;
        Ok(self.report(&guard, &refreshed, begun))
    }

    /// Holds the repository's index against its events and the files: a row for each fault. Nothing where there is no index.
    pub(crate) fn verify_repo(&self) -> Result<Vec<KeptRow>, Error> {
        let index = self.index();
        let Ok(tree) = self.tree() else {
            return Ok(Vec::new());
        };
        if index.holdings().bytes == 0 {
            return Ok(Vec::new());
        }
        let guard = self.guard(&tree)?;
        let faults = index
            .check(&guard, &checking())
            .map_err(|error| unreadable(index.folder(), &error))?;
        let row = |fault: Fault| KeptRow {
            kind: match fault.part {
                Part::Log => KeptKind::IndexLog,
                Part::Manifest => KeptKind::Manifest,
                Part::Pack => KeptKind::Pack,
                Part::Collection => KeptKind::Collection,
            },
            path: fault.file,
            found: fault.what,
            done: "nothing".to_owned(),
            wrong: fault.weight == Weight::Wrong,
            mend: match fault.weight {
                Weight::Wrong => ["memfold", "rebuild", "--repo"].map(str::to_owned).to_vec(),
                Weight::Behind => Vec::new(),
            },
        };
        Ok(faults.rows.into_iter().map(row).collect())
    }

    /// Removes the repository's index.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn forget_repo(&self) -> Result<memfold_repo::Forgotten, Error> {
        let index = self.index();
        index
            .forget()
            .map_err(|error| unreadable(index.folder(), &error))
    }

    /// The index, brought up to date as a search does.
    fn refreshed(
        &self,
        guard: &Guard,
        cause: &Cause,
        progress: &dyn Progress,
    ) -> Result<Refreshed, Error> {
        let watch = Reading(progress);
        let refreshed = self.with_refresh(guard, cause, |refresh| {
            let watch: &dyn Watch = &watch;
            self.index().refresh(guard, Refresh { watch, ..refresh })
        });
        progress.end();
        refreshed
    }

    /// Does something about the index as a refresh of this project, in the time that a search has.
    fn with_refresh(
        &self,
        guard: &Guard,
        cause: &Cause,
        act: impl FnOnce(Refresh<'_>) -> Result<Refreshed, RepoError>,
    ) -> Result<Refreshed, Error> {
        let root = guard.root().path();
        let git = self
            .variable("PATH")
            .and_then(|path| program("git", &path, root))
            .map(Hardened::new);
        let personal = self.personal_ignores();
        let in_shell = || self.shell().and_then(|shell| shell.session);
        let session = cause.session.clone().or_else(in_shell).map(noted);
        let call = cause.call.clone().map(noted);
        let refresh = Refresh {
            time: SEARCH_TIME,
            patience: Duration::ZERO,
            git: git.as_ref(),
            personal: &personal,
            session: session.as_deref(),
            call: call.as_deref(),
            ..Refresh::at(Moment::now())
        };
        act(refresh).map_err(|error| unreadable(root, &error))
    }

    /// What the person's own ignore file says, as git finds it where nothing is configured.
    fn personal_ignores(&self) -> Vec<u8> {
        let folder = match self
            .variable("XDG_CONFIG_HOME")
            .filter(|dir| !dir.is_empty())
        {
            Some(config) => PathBuf::from(config),
            None => match self.variable("HOME") {
                Some(home) => Path::new(&home).join(".config"),
                None => return Vec::new(),
            },
        };
        let file = folder.join("git/ignore");
        memfold_disk::Snapshot::open(file, memfold_disk::Links::Follow)
            .ok()
            .filter(|file| file.len() <= IGNORE_BYTES)
            .and_then(|file| file.read_at(0, usize::try_from(file.len()).ok()?).ok())
            .unwrap_or_default()
    }

    /// The index of a tree, brought up to date as a search does, and whether it is whole.
    pub(crate) fn opened_index(&self, tree: &Path) -> Result<(Loaded, bool), Error> {
        let refreshed = self.refreshed(&self.guard(tree)?, &Cause::default(), &Quiet)?;
        let complete = is_complete(&refreshed);
        Ok((refreshed.loaded, complete))
    }

    /// The tree that is searched: not the whole disk, nor a home with everything that lies in it.
    pub(crate) fn tree(&self) -> Result<PathBuf, Error> {
        let tree = project::tree_of(self.folder());
        let home = self.variable("HOME").map(PathBuf::from);
        let home = home.and_then(|home| memfold_disk::resolve(home).ok());
        let what = match tree.parent() {
            None => "the root of the file system",
            Some(_) if home.as_ref() == Some(&tree) => "your home directory",
            Some(_) => return Ok(tree),
        };
        Err(Error::Usage {
            what: format!("{} is {what}, not a repository", tree.display()),
            hint: "go into a repository, or name one: --project DIR".to_owned(),
        })
    }

    /// The index of the project: all work trees of a repository that belong to the project share it.
    pub(crate) fn index(&self) -> Index {
        Index::new(self.project_folder().join("index"), self.dirs().locks())
    }

    /// What memfold keeps of the project, below the data directory.
    pub(crate) fn project_folder(&self) -> PathBuf {
        let digest: [u8; 32] = Sha256::digest(self.project().as_os_str().as_encoded_bytes()).into();
        let hash: String = digest
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let name: String = self
            .project_name()
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
            .take(40)
            .collect();
        self.dirs()
            .data
            .join("projects")
            .join(format!("{name}-{hash}"))
    }

    fn guard(&self, tree: &Path) -> Result<Guard, Error> {
        let rules = Rules::load(&self.dirs().config).map_err(|error| Error::File {
            path: self.dirs().config.join("guard.toml"),
            what: error.to_string(),
            hint: "mend it: until then no file is read".to_owned(),
        })?;
        let guard = Guard::new(tree, rules, self.dirs()).map_err(|error| Error::File {
            path: tree.to_owned(),
            what: error.to_string(),
            hint: "name a folder that can be read".to_owned(),
        })?;
        let stores = self.stores().into_iter().map(|(_, store)| store.dir);
        let in_projects = memfold_agents::all()
            .iter()
            .flat_map(|agent| agent.in_projects())
            .flat_map(|name| [tree.join(name), self.project().join(name)]);
        Ok(guard.without_logs(stores.chain(in_projects)))
    }

    /// A path as one below the tree; nothing for the tree itself.
    fn in_tree(&self, tree: &Path, path: &str) -> Result<Option<TreePath>, Error> {
        let outside = || Error::Usage {
            what: format!("{path}: not in {}", tree.display()),
            hint: "name a file or folder of the repository".to_owned(),
        };
        let named = self.folder().join(path);
        let real = memfold_disk::resolve_lost(&named).map_err(|_| outside())?;
        let below = real.strip_prefix(tree).map_err(|_| outside())?;
        if below.as_os_str().is_empty() {
            return Ok(None);
        }
        TreePath::try_from(below).map(Some).map_err(|_| outside())
    }

    fn report(&self, guard: &Guard, refreshed: &Refreshed, begun: Instant) -> RepoReport {
        let tree = guard.root().path();
        let holdings = self.index().holdings();
        let known = refreshed.loaded.tree();
        let gaps = gaps_of(refreshed, &Hits::default());
        let mut report = RepoReport {
            schema: 1,
            project: project::name(tree),
            root: tree.to_owned(),
            files: 0,
            chunks: 0,
            read: refreshed.counts.read,
            skipped: 0,
            refused: 0,
            gone: refreshed.gone,
            not_reached: refreshed.not_reached,
            complete: is_complete(refreshed),
            left_out: Vec::new(),
            notes: (gaps.iter().map(Gap::to_string))
                .chain(all_refused(guard))
                .collect(),
            gaps,
            trees: holdings.trees,
            packs: holdings.packs,
            bytes: holdings.bytes,
            changed: holdings
                .changed_ns
                .map(|time| Timestamp(time / 1_000_000).rfc3339()),
            micros: 0,
        };
        for (path, state) in &known.files {
            match &state.found {
                Found::Indexed { chunks, .. } => {
                    report.files += 1;
                    report.chunks += u64::from(*chunks);
                }
                Found::Skipped(why) => {
                    report.skipped += 1;
                    report.left_out.push(format!("{path}: {why}"));
                }
                Found::Refused(why) => {
                    report.refused += 1;
                    report.left_out.push(format!("{path}: {why}"));
                }
            }
        }
        let (too_large, count) = &refreshed.too_large;
        report.left_out.extend(
            too_large
                .iter()
                .map(|path| format!("{path}: larger than 1 MiB")),
        );
        report.skipped += *count as u64;
        let left = refreshed.left.named.iter();
        report
            .left_out
            .extend(left.map(|left| format!("{}: {}", left.path, left.why)));
        report.micros = micros(begun);
        report
    }
}

/// An id as the index's log keeps it: a host gives what it likes, and a credential has the shape of an id, too.
fn noted(id: HostId) -> String {
    memfold_redact::redact(id.as_str()).into_owned()
}

/// All files may be read, within ten minutes.
fn checking() -> Budget {
    Budget::new(Limits {
        file_bytes: Limits::FILE_BYTES,
        bytes: u64::MAX,
        time: Duration::from_secs(600),
    })
}

fn micros(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX)
}

fn unreadable(path: &Path, error: &RepoError) -> Error {
    Error::File {
        path: path.to_owned(),
        what: error.to_string(),
        hint: "memfold rebuild --repo makes the index anew".to_owned(),
    }
}

/// A refresh of the repository, watched by whoever watches the call.
struct Reading<'a>(&'a dyn Progress);

impl fmt::Debug for Reading<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reading")
    }
}

impl Watch for Reading<'_> {
    fn begin(&self, files: usize, bytes: u64) {
        self.0.begin(files, bytes);
    }

    fn advance(&self, bytes: u64) {
        self.0.advance(bytes);
    }

    fn stop(&self) -> bool {
        self.0.stop()
    }
}
