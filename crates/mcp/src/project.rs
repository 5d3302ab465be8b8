//! Which project: where the person who registered the server said, else where the host says, else where the session or the
//! server works. Folders that are no project are refused, with what to pass: a home would be every project at once.

use std::collections::VecDeque;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};

use memfold::{Conversation, Memfold, Options, Proof, Viewer};

use crate::Setup;
use crate::claims::Hints;

/// How many engines are kept: a server has one project, but for a host that serves many by one server.
const KEPT: usize = 4;

/// The engines that were opened, each for its folder.
#[derive(Default)]
pub(crate) struct Projects {
    open: Mutex<VecDeque<(PathBuf, Arc<Memfold>)>>,
    /// The conversation that told last where it works.
    last: Mutex<Option<Conversation>>,
}

impl Projects {
    /// The engine of the project that a call is about, or why there is none and what to do.
    pub(crate) fn engine(
        &self,
        setup: &Setup,
        roots: &[PathBuf],
        hints: &Hints,
    ) -> Result<Arc<Memfold>, String> {
        let (folder, said_by) = self.folder(setup, roots, hints)?;
        let real = memfold_disk::resolve(&folder).map_err(|_| {
            format!(
                "{said_by} is {}, and there is no such folder. {HINT}",
                shown(&folder)
            )
        })?;
        let home = setup.home();
        refuse(&real, home.as_deref(), said_by)?;
        let engine = self.open(setup, &real)?;
        refuse(engine.project(), home.as_deref(), said_by)?;
        if let Some(planted) = engine.planted_folder() {
            return Err(format!(
                "memfold's folder {} lies in a work tree or in the project, so a clone could have brought it. Unset the \
variable that names it where the server is registered",
                shown(&planted)
            ));
        }
        Ok(engine)
    }

    /// The folder, and who says it.
    fn folder(
        &self,
        setup: &Setup,
        roots: &[PathBuf],
        hints: &Hints,
    ) -> Result<(PathBuf, &'static str), String> {
        if let Some(folder) = setup.given() {
            return Ok((setup.working_directory.join(folder), "--project"));
        }
        let named = (setup.variables)("CLAUDE_PROJECT_DIR").map(PathBuf::from);
        if let Some(folder) = named.filter(|folder| folder.is_absolute()) {
            return Ok((folder, "CLAUDE_PROJECT_DIR"));
        }
        if let Some(root) = roots.first() {
            return Ok((root.clone(), "the client's root"));
        }
        if let Some(cwd) = self.of_session(setup, hints)? {
            return Ok((cwd, "the session's folder"));
        }
        Ok((
            setup.working_directory.clone(),
            "the server's working directory",
        ))
    }

    /// Where the session works that the call says it belongs to, if a log proves that.
    fn of_session(&self, setup: &Setup, hints: &Hints) -> Result<Option<PathBuf>, String> {
        if hints.claims().is_empty() {
            return Ok(None);
        }
        let engine = self.open(setup, &setup.working_directory)?;
        let last = self.last.lock().ok().and_then(|last| last.clone());
        Ok(hints
            .claims()
            .iter()
            .find_map(|claim| match engine.prove(claim, last.as_ref()) {
                Proof::Proved(conversation) => {
                    let cwd = conversation.cwd().map(Path::to_owned);
                    if let Ok(mut last) = self.last.lock() {
                        *last = Some(conversation);
                    }
                    cwd
                }
                Proof::Elsewhere { cwd } => cwd,
                Proof::Unproved => None,
            }))
    }

    /// An engine for a folder, kept from call to call.
    fn open(&self, setup: &Setup, folder: &Path) -> Result<Arc<Memfold>, String> {
        let mut open = self
            .open
            .lock()
            .map_err(|_| "a call before this one failed badly; restart the session".to_owned())?;
        if let Some((_, engine)) = open.iter().find(|(known, _)| known == folder) {
            return Ok(Arc::clone(engine));
        }
        let variables = Arc::clone(&setup.variables);
        let engine = Memfold::open(Options {
            project: Some(folder.to_owned()),
            working_directory: setup.working_directory.clone(),
            data_dir: None,
            config_dir: None,
            cache_dir: None,
            viewer: Viewer::Agent,
            variables: Box::new(move |name| variables(name)),
            roll_from: memfold::ROLL_FROM,
        })
        .map_err(|error| format!("{error}. {HINT}"))?;
        let engine = Arc::new(engine);
        open.push_back((folder.to_owned(), Arc::clone(&engine)));
        if open.len() > KEPT {
            open.pop_front();
        }
        Ok(engine)
    }
}

impl Setup {
    /// The project's folder as it was registered. A variable that the host left as it stands names nothing.
    fn given(&self) -> Option<&Path> {
        self.project
            .as_deref()
            .filter(|folder| !folder.to_string_lossy().contains("${"))
    }

    fn home(&self) -> Option<PathBuf> {
        let home = (self.variables)("HOME").filter(|home| !home.is_empty())?;
        memfold_disk::resolve(PathBuf::from(home)).ok()
    }

    /// Whether a call must ask the client for its roots.
    pub(crate) fn needs_roots(&self) -> bool {
        self.given().is_none()
            && (self.variables)("CLAUDE_PROJECT_DIR")
                .is_none_or(|folder| !Path::new(&folder).is_absolute())
    }
}

const HINT: &str = "Register the server with the project's folder: memfold mcp --project DIR";

/// Folders below which hosts keep what they installed.
const INSTALLED: [&[&str]; 4] = [
    &[".claude", "plugins"],
    &[".codex", "plugins"],
    &[".gemini", "extensions"],
    &[".cursor", "extensions"],
];

fn refuse(folder: &Path, home: Option<&Path>, said_by: &str) -> Result<(), String> {
    let what = if folder.parent().is_none() {
        "the root of the disk"
    } else if home.is_some_and(|home| home == folder || home.starts_with(folder)) {
        "your home directory, or above it,"
    } else if INSTALLED.iter().any(|below| lies_in(folder, below)) {
        "where a host keeps its plugins"
    } else {
        return Ok(());
    };
    Err(format!(
        "{said_by} is {}: {what} is no project. {HINT}",
        shown(folder)
    ))
}

/// Whether these folders follow one another in a path.
fn lies_in(folder: &Path, below: &[&str]) -> bool {
    let names: Vec<Component<'_>> = folder.components().collect();
    names.windows(below.len()).any(|window| {
        window
            .iter()
            .zip(below)
            .all(|(name, below)| name.as_os_str() == *below)
    })
}

fn shown(path: &Path) -> String {
    crate::render::inline(&path.to_string_lossy())
}

/// The folder that a root's address names, if it names one of this machine.
pub(crate) fn folder_of(root: &str) -> Option<PathBuf> {
    let path = root.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let (high, low) = (digit(rest.next())?, digit(rest.next())?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    let path = String::from_utf8(bytes).ok()?;
    // `file:///C:/x`
    let drive = cfg!(windows) && path.starts_with('/');
    let path = PathBuf::from(if drive { path.get(1..)? } else { &path });
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Form, ToolSet};
    use std::ffi::OsString;
    use std::fs;

    struct Place {
        dir: tempfile::TempDir,
    }

    impl Place {
        fn new() -> Place {
            let place = Place {
                dir: tempfile::tempdir().unwrap(),
            };
            for folder in ["home/a", "home/b", "home/.claude/plugins/cache/x"] {
                fs::create_dir_all(place.at(folder)).unwrap();
            }
            place
        }

        fn at(&self, path: &str) -> PathBuf {
            fs::canonicalize(self.dir.path()).unwrap().join(path)
        }

        fn setup(&self, project: Option<&str>, variable: Option<&str>, cwd: &str) -> Setup {
            let home = self.at("home");
            let variable = variable.map(|folder| self.at(folder));
            Setup {
                project: project.map(PathBuf::from),
                tools: ToolSet::Memfold,
                form: Form::Text,
                working_directory: self.at(cwd),
                variables: Arc::new(move |name| match name {
                    "HOME" => Some(home.clone().into()),
                    "CLAUDE_PROJECT_DIR" => variable.clone().map(OsString::from),
                    _ => None,
                }),
            }
        }
    }

    #[test]
    fn who_registered_it_is_believed_before_the_host_and_that_before_the_place() {
        let place = Place::new();
        let of = |setup: &Setup, roots: &[PathBuf]| {
            let projects = Projects::default();
            let engine = projects.engine(setup, roots, &Hints::default());
            engine.map(|engine| engine.project().to_owned())
        };
        let (a, b) = (place.at("home/a"), place.at("home/b"));
        let roots = [b.clone()];
        assert_eq!(
            of(&place.setup(Some("../a"), Some("home/b"), "home/b"), &roots),
            Ok(a.clone())
        );
        assert_eq!(
            of(&place.setup(None, Some("home/a"), "home/b"), &roots),
            Ok(a.clone())
        );
        assert_eq!(of(&place.setup(None, None, "home/a"), &roots), Ok(b));
        assert_eq!(
            of(
                &place.setup(Some("${CLAUDE_PROJECT_DIR:-.}"), None, "home/a"),
                &[]
            ),
            Ok(a)
        );
    }

    #[test]
    fn what_is_no_project_is_refused_with_what_to_pass() {
        let place = Place::new();
        for (project, cwd) in [
            (Some("/"), "home/a"),
            (Some("."), "home"),
            (None, "home"),
            (None, ""),
            (None, "home/.claude/plugins/cache/x"),
            (Some("nowhere"), "home/a"),
        ] {
            let setup = place.setup(project, None, cwd);
            let refused = Projects::default().engine(&setup, &[], &Hints::default());
            let why = refused.err().unwrap_or_default();
            assert!(why.contains("--project DIR"), "{project:?} {cwd}: {why}");
        }
    }

    #[test]
    fn a_home_that_is_a_repository_makes_nothing_in_it_a_project() {
        let place = Place::new();
        fs::create_dir(place.at("home/.git")).unwrap();
        let setup = place.setup(None, None, "home/a");
        assert!(
            Projects::default()
                .engine(&setup, &[], &Hints::default())
                .is_err()
        );
    }

    #[test]
    fn an_engine_is_opened_once() {
        let place = Place::new();
        let projects = Projects::default();
        let setup = place.setup(None, None, "home/a");
        let engine = || projects.engine(&setup, &[], &Hints::default()).unwrap();
        assert!(Arc::ptr_eq(&engine(), &engine()));
    }

    #[test]
    fn a_root_is_a_files_address() {
        assert_eq!(folder_of("file:///p/a%20b"), Some("/p/a b".into()));
        assert_eq!(folder_of("file://localhost/p"), Some("/p".into()));
        for other in [
            "https://x/p",
            "file://host/p",
            "file:///%zz",
            "file:///%",
            "p",
        ] {
            assert_eq!(folder_of(other), None, "{other}");
        }
    }
}
