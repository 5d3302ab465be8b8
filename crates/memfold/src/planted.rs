//! Whether memfold's own folders may have come with a clone. A server that a clone's settings start could be given folders of
//! that clone's by its environment, and with them a switch that no person turned on.

use std::fs;
use std::path::{Path, PathBuf};

use crate::engine::Memfold;
use crate::project::in_work_tree;

impl Memfold {
    /// The first of memfold's own folders that lies in a git work tree or in the project, unless it is where the account's own
    /// home has it: a home may be a work tree itself.
    pub fn planted_folder(&self) -> Option<PathBuf> {
        let home = account_home();
        let dirs = self.dirs();
        [&dirs.config, &dirs.data, &dirs.cache]
            .into_iter()
            .find(|folder| {
                let own = home
                    .as_ref()
                    .is_some_and(|home| memfold_disk::is_below(folder, home) && !self.holds(home));
                !own && (in_work_tree(folder) || memfold_disk::is_below(folder, self.project()))
            })
            .cloned()
    }

    /// Whether a folder is the project's own or lies in it.
    fn holds(&self, folder: &Path) -> bool {
        memfold_disk::is_below(folder, self.project())
    }
}

/// The home of the account that we run as, by the system's list of accounts: the environment may say another.
#[cfg(target_os = "linux")]
fn account_home() -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt;
    let user = fs::metadata("/proc/self").ok()?.uid().to_string();
    let accounts = fs::read_to_string("/etc/passwd").ok()?;
    home_of(&user, &accounts)
}

/// Elsewhere no such list can be read without unsafe code: what lies in a work tree is then never the account's own.
#[cfg(not(target_os = "linux"))]
fn account_home() -> Option<PathBuf> {
    None
}

#[cfg(any(target_os = "linux", test))]
fn home_of(user: &str, accounts: &str) -> Option<PathBuf> {
    accounts.lines().find_map(|account| {
        let mut fields = account.split(':');
        let id = fields.nth(2)?;
        let home = fields.nth(2)?;
        (id == user && home.starts_with('/') && home != "/").then(|| PathBuf::from(home))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Viewer};

    #[test]
    fn an_account_has_the_home_that_the_list_says() {
        let accounts = "root:x:0:0:root:/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/zsh\nx\n";
        assert_eq!(home_of("1000", accounts), Some("/home/ada".into()));
        assert_eq!(home_of("7", accounts), None);
    }

    #[test]
    fn a_clone_cannot_bring_the_switch_along() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        for folder in ["clone/.git", "clone/sub", "plain/sub", "home"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let planted = |project: &str, config: &str| {
            let home = root.join("home");
            let engine = Memfold::open(Options {
                project: Some(root.join(project)),
                working_directory: root.clone(),
                data_dir: None,
                config_dir: Some(root.join(config)),
                cache_dir: None,
                viewer: Viewer::Agent,
                variables: Box::new(move |name| (name == "HOME").then(|| home.clone().into())),
                roll_from: 16,
            });
            engine.unwrap().planted_folder()
        };
        assert_eq!(planted("clone", "home/.config/memfold"), None);
        for (project, config) in [
            ("clone", "clone/evil"),
            ("plain", "clone/sub/../evil"),
            ("plain", "plain/sub/.config"),
        ] {
            assert!(planted(project, config).is_some(), "{config}");
        }
    }
}
