use super::*;
use crate::testing::{fifo, folder};
use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

fn tree() -> tempfile::TempDir {
    let tree = folder();
    fs::create_dir_all(tree.path().join("root/a/b")).unwrap();
    fs::write(tree.path().join("root/a/b/file"), "inside").unwrap();
    fs::write(tree.path().join("secret"), "outside").unwrap();
    tree
}

fn read(root: &Pinned, path: &str) -> Result<(String, PathBuf), DiskError> {
    let file = root.file(path, Links::Follow)?;
    let text = String::from_utf8(file.read_at_most(64)?).unwrap();
    Ok((text, file.path().to_owned()))
}

fn leads_out(root: &Pinned, path: &str) {
    let error = read(root, path).unwrap_err();
    assert!(
        matches!(error, DiskError::LeadsOut { .. }),
        "{path}: {error}"
    );
    root.file(path, Links::Refuse).unwrap_err();
}

#[test]
fn a_link_that_stays_inside_is_followed_and_said() {
    let tree = tree();
    let at = |name: &str| tree.path().join("root").join(name);
    symlink("b/file", at("a/link")).unwrap();
    symlink("a/b", at("folder")).unwrap();
    symlink("../a/./link", at("a/around")).unwrap();
    let root = Pinned::open(tree.path().join("root")).unwrap();
    for path in ["a/b/file", "a/link", "folder/file", "a/around"] {
        let (text, real) = read(&root, path).unwrap();
        assert_eq!(
            (text.as_str(), real.to_str().unwrap()),
            ("inside", "a/b/file")
        );
    }
    for path in ["a/link", "folder/file"] {
        root.file(path, Links::Refuse).unwrap_err();
    }
    root.folder("folder").unwrap_err();
    root.folder("a/b").unwrap();
}

#[test]
fn nothing_leads_out() {
    let tree = tree();
    let at = |name: &str| tree.path().join("root").join(name);
    symlink("../secret", at("up")).unwrap();
    symlink(tree.path().join("secret"), at("absolute")).unwrap();
    symlink(at("a/b/file"), at("absolute inside")).unwrap();
    symlink("..", at("folder")).unwrap();
    symlink("folder/secret", at("chain")).unwrap();
    symlink("../root/a/b/file", at("out and in")).unwrap();
    symlink("/proc/self/root/etc/passwd", at("magic")).unwrap();
    let root = Pinned::open(tree.path().join("root")).unwrap();
    for path in [
        "up",
        "absolute",
        "absolute inside",
        "folder/secret",
        "chain",
        "out and in",
        "magic",
        "../secret",
        "/etc/passwd",
        "a/../../secret",
        "",
    ] {
        leads_out(&root, path);
    }
    for path in ["..", "/", "a/.."] {
        root.folder(path).unwrap_err();
    }
}

#[test]
fn only_regular_files_and_none_is_waited_for() {
    let tree = tree();
    let at = |name: &str| tree.path().join("root").join(name);
    fifo(&at("fifo"));
    symlink("fifo", at("to fifo")).unwrap();
    symlink("a", at("to folder")).unwrap();
    symlink("loop", at("loop")).unwrap();
    symlink("gone", at("dangling")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    let root = Pinned::open(tree.path().join("root")).unwrap();
    for (path, kind) in [
        ("fifo", FileKind::Fifo),
        ("to fifo", FileKind::Fifo),
        ("socket", FileKind::Socket),
        ("a", FileKind::Folder),
        ("to folder", FileKind::Folder),
    ] {
        let error = root.file(path, Links::Follow).unwrap_err();
        assert!(
            matches!(error, DiskError::NotRegular { kind: found, .. } if found == kind),
            "{path}: {error}"
        );
    }
    assert!(
        root.file("dangling", Links::Follow)
            .unwrap_err()
            .is_not_found()
    );
    root.file("loop", Links::Follow).unwrap_err();
    root.file("a/b/file/deeper", Links::Follow).unwrap_err();
}

#[test]
fn by_single_steps_as_by_one_call() {
    let tree = tree();
    let at = |name: &str| tree.path().join("root").join(name);
    symlink("a", at("folder")).unwrap();
    symlink("file", at("a/b/link")).unwrap();
    let root = Folder::open(&at("")).unwrap();
    for path in [
        "a/b/file",
        "folder/b/file",
        "a/b/link",
        "a/b/gone",
        "a/b/file/x",
        "a",
    ] {
        let one = root.open_below(Path::new(path)).map(|_| ());
        let steps = root.step_for_test(Path::new(path)).map(|_| ());
        assert_eq!(one.is_ok(), steps.is_ok(), "{path}: {one:?} {steps:?}");
    }
}

#[test]
fn a_bound_holds_whatever_stat_said() {
    let tree = tree();
    let root = Pinned::open(tree.path().join("root")).unwrap();
    let file = root.file("a/b/file", Links::Refuse).unwrap();
    fs::write(tree.path().join("root/a/b/file"), "x".repeat(10_000)).unwrap();
    assert_eq!(file.read_at_most(7_000).unwrap().len(), 7_000);
    assert_eq!(file.identity().size, 6);
}

/// While names are swapped under a reader, it reads what lies inside or nothing.
#[test]
fn a_swapped_folder_never_leads_out() {
    let tree = tree();
    let at = |name: &str| tree.path().join("root").join(name);

    fs::write(tree.path().join("file"), "outside").unwrap();
    symlink("../..", at("a/evil")).unwrap();
    symlink("a/b/file", at("through")).unwrap();
    let root = Pinned::open(at("")).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for (from, to) in [
                    ("a/b", "a/was"),
                    ("a/evil", "a/b"),
                    ("a/b", "a/evil"),
                    ("a/was", "a/b"),
                ] {
                    fs::rename(at(from), at(to)).unwrap();
                }
            }
        });
        for _ in 0..3_000 {
            for path in ["a/b/file", "through"] {
                if let Ok((text, _)) = read(&root, path) {
                    assert_eq!(text, "inside");
                }
            }
        }
        done.store(true, Ordering::Relaxed);
    });
}
