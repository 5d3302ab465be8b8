//! What a search of a stranger's clone really does, as the system saw it: it runs nothing, and opens nothing outside the tree,
//! memfold's own folders and what every program opens to start. Skipped, with a word, where there is no strace.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

/// What the loader, the C library and the standard library open.
const STARTING: [&str; 10] = [
    "/lib/",
    "/lib64/",
    "/usr/lib/",
    "/usr/lib64/",
    "/usr/share/",
    "/etc/ld.so.",
    "/etc/localtime",
    "/proc/",
    "/sys/",
    "/dev/",
];

/// A clone with everything that could make another program read or run what it names.
fn hostile(root: &Path) {
    let tree = root.join("tree");
    let canary = root.join("ran");
    let write = |name: &str, text: &str| {
        let path = tree.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let run = format!("touch {}", canary.display());
    write(".git/HEAD", "ref: refs/heads/main\n");
    write(
        ".git/config",
        &format!(
            "[core]\n\tfsmonitor = {run}\n\thooksPath = {0}\n\tworktree = /etc\n\texcludesFile = /etc/passwd\n\
             [include]\n\tpath = /etc/passwd\n[filter \"x\"]\n\tclean = {run}\n\tprocess = {run}\n",
            root.display()
        ),
    );
    fs::create_dir_all(tree.join(".git/objects")).unwrap();
    fs::create_dir_all(tree.join(".git/refs")).unwrap();
    write(".git/objects/info/alternates", "/etc\n");
    write(".git/hooks/fsmonitor-watchman", &run);
    write(".gitattributes", "* filter=x\n");
    write("a.md", "the gate\n");
    write("nested/.git/HEAD", "ref: refs/heads/main\n");
    write("nested/b.md", "the gate of another\n");
    write(
        "forged/.git",
        &format!("gitdir: {}\n", root.join("victim").display()),
    );
    write("forged/c.md", "the gate of a third\n");
    write("name\n\u{1b}[2J.md", "the gate with a strange name\n");
    fs::create_dir_all(root.join("victim")).unwrap();
    fs::write(root.join("victim/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(root.join("secret.md"), "the gate that nobody may see\n").unwrap();
    symlink(root.join("secret.md"), tree.join("out.md")).unwrap();
    symlink(root, tree.join("outside")).unwrap();
    symlink("/etc", tree.join("etc")).unwrap();
    let pipe = Command::new("mkfifo").arg(tree.join("pipe.md")).status();
    assert!(pipe.unwrap().success());
}

#[test]
fn a_search_of_a_strangers_clone_runs_nothing_and_opens_nothing_outside() {
    let has_strace = Command::new("strace")
        .args(["-f", "-o", "/dev/null", "true"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|done| done.success());
    if !has_strace {
        eprintln!("skipped: there is no strace here, or it may not trace");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    hostile(&root);
    let home = root.join("home");
    fs::create_dir(&home).unwrap();
    let trace = root.join("trace");
    let output = Command::new("strace")
        .args(["-f", "-y", "-s", "4096"])
        .args(["-e", "trace=execve,execveat,open,openat,openat2,creat"])
        .arg("-o")
        .arg(&trace)
        .arg(env!("CARGO_BIN_EXE_memfold"))
        .args(["search", "-s", "repo", "gate"])
        .env_clear()
        .env("HOME", &home)
        .env("PATH", std::env::var_os("PATH").unwrap())
        .current_dir(root.join("tree"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("a.md:1-1:"),
        "{said}"
    );
    assert!(
        !said.contains("nobody may see") && !said.contains('\u{1b}'),
        "{said}"
    );
    assert!(!root.join("ran").exists());

    let trace = fs::read_to_string(trace).unwrap();
    let executed = trace.lines().filter(|line| line.contains("execve"));
    assert_eq!(executed.count(), 1, "memfold itself and no other:\n{trace}");
    let mut opened = 0;
    for line in trace.lines().filter(|line| !line.contains("execve")) {
        // `… = 4</the/file/that/it/is>`; what failed to open has no path.
        let Some((_, path)) = line
            .rsplit_once(" = ")
            .and_then(|(_, fd)| fd.split_once('<'))
        else {
            continue;
        };
        let path = path.trim_end_matches('>');
        let is_ours = [root.join("tree"), home.clone()]
            .iter()
            .any(|ours| Path::new(path).starts_with(ours));
        // The way to our own folders, to make them.
        let is_on_the_way = home.starts_with(path);
        let starts = STARTING.iter().any(|prefix| path.starts_with(prefix));
        assert!(is_ours || is_on_the_way || starts, "{line}");
        opened += usize::from(is_ours);
    }
    assert!(opened > 5, "{trace}");
}
