//! A zoo of clones that a stranger made to be listed: nothing outside the root is looked at, nothing of theirs runs, nothing
//! hangs, and what is left out is said. `odd_trees.rs` has those that nobody need have meant ill by.

// In a test a failure is a panic; clippy excuses test functions alone, not what they call.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod made;

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use made::{Made, hardened, kind_of, left, paths, wanted};
use memfold_repo::listing::{By, IndexError, Kind, NoGit, Wanted, Why};

/// A repository whose configuration names a program for all that git may run, and files and folders outside for all that it
/// may read. The program leaves a canary.
fn with_evil_configuration() -> Made {
    let made = Made::repository();
    made.put("a", "a")
        .put(".gitattributes", "* filter=evil diff=evil\n");
    made.git(&["add", "."])
        .git(&["commit", "-qm", "1"])
        .put("b", "");
    let (program, canary) = (made.beside("evil.sh"), made.beside("canary"));
    made::put(
        &program,
        format!("#!/bin/sh\ntouch {}\n", canary.display()).as_bytes(),
    );
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&program, mode).unwrap();
    for hook in [
        "post-index-change",
        "post-checkout",
        "pre-auto-gc",
        "fsmonitor-watchman",
    ] {
        symlink(&program, made.at(".git/hooks").join(hook)).unwrap();
    }
    // A reader of the pipe would wait for ever.
    let pipe = made.beside("pipe");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let (program, pipe) = (program.display(), pipe.display());
    let config = fs::read_to_string(made.at(".git/config")).unwrap();
    made.put(".git/config", format!(
        "{config}\tfsmonitor = {program}\n\thooksPath = .git/hooks\n\tpager = {program}\n\tsshCommand = {program}\n\
         \teditor = {program}\n\taskPass = {program}\n\tworktree = /etc\n\texcludesFile = {pipe}\n\tattributesFile = {pipe}\n\
         \tuntrackedCache = true\n\tignoreCase = true\n\
         [filter \"evil\"]\n\tclean = {program}\n\tsmudge = {program}\n\tprocess = {program}\n\trequired = true\n\
         [diff \"evil\"]\n\ttextconv = {program}\n\tcommand = {program}\n\
         [alias]\n\tls-files = !{program}\n\
         [pager]\n\tls-files = {program}\n\
         [credential]\n\thelper = !{program}\n\
         [remote \"origin\"]\n\turl = ext::{program}\n\tpromisor = true\n\tpartialclonefilter = blob:none\n",
    ));
    made
}

/// The trap is one: git by itself falls into it. (Into the pipes too, in which it would stay.)
fn is_set(made: &Made) {
    let no_pipes = [
        "-c",
        "core.excludesFile=/dev/null",
        "-c",
        "core.attributesFile=/dev/null",
    ];
    let status = [&no_pipes[..], &["--work-tree=.", "status"]].concat();
    made::run_git(&made.at(""), &status);
    fs::remove_file(made.beside("canary")).unwrap();
}

fn no_canary(made: &Made) {
    assert!(!made.beside("canary").exists(), "something of theirs ran");
}

#[test]
fn nothing_that_a_configuration_names_is_run_or_read() {
    let made = with_evil_configuration();
    is_set(&made);
    let listing = made.listed();
    assert_eq!(paths(&listing), [".gitattributes", "a", "b"]);
    assert_eq!((listing.by, listing.left.count), (By::Git, 0));
    no_canary(&made);
}

#[test]
fn nor_by_gits_own_command() {
    let made = with_evil_configuration();
    // The index is split in two before the configuration turns evil for git.
    let config = fs::read(made.at(".git/config")).unwrap();
    made.put(".git/config", "")
        .git(&["update-index", "--split-index"])
        .put(".git/config", config);
    fs::remove_file(made.beside("canary")).unwrap();
    let listing = made.listed();
    assert_eq!(listing.by, By::Command(IndexError::Split));
    assert_eq!(paths(&listing), [".gitattributes", "a", "b"]);
    no_canary(&made);
    // Without the command, and where the configuration includes others, the rules alone decide.
    let rules = By::Rules(IndexError::Split);
    assert_eq!(made.listed_as(wanted()).by, rules);
    let config = fs::read_to_string(made.at(".git/config")).unwrap();
    let pipe = made.beside("pipe");
    made.put(
        ".git/config",
        format!("{config}[Include]\n\tpath = {}\n", pipe.display()),
    );
    let listing = made.listed();
    assert_eq!((paths(&listing).len(), listing.by), (3, rules));
    no_canary(&made);
}

/// Another's repository beside the tree, with a file name of its own in its index and its rules.
fn victim(made: &Made) -> std::path::PathBuf {
    let victim = made.beside("victim");
    fs::create_dir(&victim).unwrap();
    made::git(&victim, &["init", "-q", "."]);
    made::put(&victim.join("shared.log"), b"");
    made::git(&victim, &["add", "."]);
    made::git(&victim, &["commit", "-qm", "1"]);
    made::git(&victim, &["worktree", "add", "-q", "../theirs"]);
    made::put(&victim.join(".git/info/exclude"), b"*.log\n");
    victim
}

#[test]
fn a_git_file_is_believed_only_if_it_is_linked_back() {
    for forged in [
        "gitdir: ../victim/.git\n",
        "gitdir: ../victim/.git/worktrees/theirs\n",
        "gitdir: VICTIM/.git\n",
        "gitdir: /\n",
        "gitdir: /dev/stdin\n",
        "gitdir: ../gone\n",
    ] {
        let made = Made::tree();
        let victim = victim(&made);
        let forged = forged.replace("VICTIM", victim.to_str().unwrap());
        made.put(".git", &forged).put("shared.log", "").put("b", "");
        let listing = made.listed();
        assert_eq!(listing.by, By::Walk(NoGit::NotLinkedBack), "{forged}");
        assert_eq!(paths(&listing), ["b", "shared.log"], "{forged}");
    }
    for (text, by) in [("", NoGit::NotGit), ("gitdir:\n", NoGit::NotGit)] {
        let made = Made::tree();
        assert_eq!(made.put(".git", text).listed().by, By::Walk(by));
    }
    let made = Made::tree();
    let victim = victim(&made);
    let listing = made.link(".git", victim.join(".git")).put("a", "").listed();
    assert_eq!(
        (paths(&listing), listing.by),
        (vec!["a".to_owned()], By::Walk(NoGit::Link))
    );
}

#[test]
fn a_made_up_work_tree_takes_no_rules_from_outside() {
    let made = Made::tree();
    let victim = victim(&made);
    let common = victim.join(".git");
    made.put(".git", "gitdir: fake/worktrees/one\n")
        .put(
            "fake/worktrees/one/gitdir",
            made.at(".git").to_str().unwrap(),
        )
        .put("fake/worktrees/one/commondir", common.to_str().unwrap())
        .put("a.log", "");
    let listing = made.listed();
    assert_eq!(listing.by, By::Git);
    assert!(paths(&listing).contains(&"a.log".to_owned()));
    // Nor by a link in the place of the folder of rules.
    made.link("fake/info", common.join("info"));
    assert!(paths(&made.listed()).contains(&"a.log".to_owned()));
}

/// An index of version 2 with these paths, as files.
fn index(paths: &[&[u8]]) -> Vec<u8> {
    let mut bytes = b"DIRC\0\0\0\x02".to_vec();
    bytes.extend(u32::try_from(paths.len()).unwrap().to_be_bytes());
    for path in paths {
        let mut entry = vec![0; 62];
        entry[24..28].copy_from_slice(&0o100_644u32.to_be_bytes());
        entry[60..62].copy_from_slice(&u16::try_from(path.len()).unwrap().to_be_bytes());
        entry.extend_from_slice(path);
        entry.resize((entry.len() + 8) & !7, 0);
        bytes.extend(entry);
    }
    bytes.extend([0; 20]);
    bytes
}

#[test]
fn paths_of_an_index_that_lead_elsewhere_are_left_out_and_said() {
    let made = Made::repository();
    let bad: &[&[u8]] = &[
        b"../outside",
        b"/etc/passwd",
        b".git/config",
        b"x/.GIT/config",
        b"a/../../outside",
        b"a//b",
        b"a/./b",
        b"",
        b"x/",
        b"\xff",
    ];
    let mut all = bad.to_vec();
    all.extend([b"link/passwd" as &[u8], b"good", b"also/good"]);
    made.put(".git/index", index(&all))
        .link("link", "/etc")
        .put("good", "")
        .put("also/good", "");
    let listing = made.listed();
    assert_eq!(listing.by, By::Git);
    assert_eq!(paths(&listing), ["also/good", "good", "link"]);
    assert_eq!(kind_of(&listing, "link"), Some(Kind::Link));
    assert_eq!(listing.left.count, bad.len());
    let elsewhere = |why: &Why| matches!(why, Why::BadPath | Why::NotUtf8);
    assert!(listing.left.named.iter().all(|left| elsewhere(&left.why)));
}

#[test]
fn a_damaged_index_leaves_the_rules() {
    let whole = index(&[b"a", b"b"]);
    let mut endless = whole.clone();
    endless[8..12].copy_from_slice(&u32::MAX.to_be_bytes());
    let mut newer = whole.clone();
    newer[7] = 9;
    for (bytes, error) in [
        (b"".to_vec(), IndexError::Damaged),
        (b"garbage".to_vec(), IndexError::Damaged),
        (whole[..whole.len() - 30].to_vec(), IndexError::Damaged),
        (endless, IndexError::Damaged),
        (newer, IndexError::Version(9)),
    ] {
        let made = Made::repository();
        made.put(".git/index", bytes)
            .put("a", "")
            .put("b.log", "")
            .put(".gitignore", "*.log");
        let listing = made.listed();
        assert_eq!(listing.by, By::Rules(error));
        assert_eq!(paths(&listing), [".gitignore", "a"]);
    }
}

#[test]
fn no_pipe_is_waited_for() {
    for pipe in [
        ".git/index",
        ".git/info/exclude",
        ".git/config",
        ".gitignore",
        "x/.gitignore",
        "x/pipe",
    ] {
        let made = Made::repository();
        made.put("a", "").put("x/b", "").fifo(pipe);
        let listing = made.listed();
        assert_eq!(paths(&listing), ["a", "x/b"], "{pipe}");
        assert!(
            matches!(listing.by, By::Git | By::Rules(IndexError::Unreadable)),
            "{pipe}"
        );
    }
    let made = Made::repository();
    made.put("a", "").fifo(".git/HEAD");
    assert_eq!(made.listed().by, By::Walk(NoGit::NotGit));
    let made = Made::tree();
    made.put("a", "").fifo(".git");
    assert_eq!(made.listed().by, By::Walk(NoGit::NotGit));
    let made = Made::tree();
    made.put("a", "").fifo("pipe").fifo(".ignore");
    let listing = made.listed();
    assert_eq!(left(&listing, "pipe").unwrap(), "it is a named pipe");
    assert!(
        left(&listing, ".ignore")
            .unwrap()
            .contains("must be a regular file")
    );
}

#[test]
fn links_are_named_and_never_followed() {
    let made = Made::repository();
    let outside = made.beside("outside");
    made::put(&outside.join("secret"), b"*\n");
    made.put("in/a", "")
        .link("file", outside.join("secret"))
        .link("folder", &outside)
        .link("up", "..")
        .link("chain", "folder/secret")
        .link("inside", "in")
        .link("loop", "loop")
        .link("in/.gitignore", outside.join("secret"));
    fs::remove_dir_all(made.at(".git/info")).unwrap();
    made.link(".git/info", &outside);
    made::put(&outside.join("exclude"), b"*\n");
    let listing = made.listed();
    let expected = [
        "chain",
        "file",
        "folder",
        "in/.gitignore",
        "in/a",
        "inside",
        "loop",
        "up",
    ];
    assert_eq!(paths(&listing), expected);
    assert!(
        left(&listing, "in/.gitignore")
            .unwrap()
            .contains("must be a regular file")
    );
    let links = listing
        .entries
        .iter()
        .filter(|entry| entry.kind == Kind::Link)
        .count();
    assert_eq!(links, 7);
    // A folder asked for as a whole is none either, if it is a link.
    let whole = [memfold_guard::TreePath::new("folder").unwrap()];
    let listing = made.listed_as(Wanted {
        whole: &whole,
        ..wanted()
    });
    assert_eq!(paths(&listing), expected);
    let made = Made::repository();
    made.put("a", "").link(".git/index", &outside);
    assert_eq!(made.listed().by, By::Rules(IndexError::Unreadable));
}

/// A repository in a repository whose `.git` file names the outer one, or another's: git takes either for a repository.
#[test]
fn a_nested_git_file_that_names_a_stranger() {
    let made = Made::repository();
    let victim = victim(&made);
    made.put("a", "")
        .put("outer/.git", "gitdir: ../.git\n")
        .put("outer/b", "")
        .put(
            "theirs/.git",
            format!("gitdir: {}\n", victim.join(".git").display()),
        )
        .put("theirs/c", "");
    let listing = made.same_as_git();
    assert_eq!(paths(&listing), ["a", "outer", "theirs"]);
    assert_eq!(kind_of(&listing, "theirs"), Some(Kind::Repository));
}

#[test]
fn a_command_that_hangs_is_ended() {
    let made = Made::repository();
    made.put("a", "")
        .git(&["add", "."])
        .git(&["update-index", "--split-index"]);
    // What git reads of the tree itself cannot be looked at before.
    made.fifo("x/.gitignore");
    let command = hardened();
    let wanted = Wanted {
        git: Some(&command),
        time: Duration::from_secs(2),
        ..wanted()
    };
    let listing = made.listed_as(wanted);
    assert!(matches!(listing.by, By::Command(_) | By::Rules(_)));
}

/// While a folder is swapped for a link to the outside, no name from there is listed.
#[test]
fn a_swapped_folder_shows_nothing_from_outside() {
    let made = Made::repository();
    made::put(&made.beside("outside/secret"), b"");
    made.put("d/a", "")
        .put("d/e/b", "")
        .link("evil", "../outside")
        .git(&["add", "d/a"]);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let swap = |from: &str, to: &str| fs::rename(made.at(from), made.at(to)).unwrap();
            while !done.load(Ordering::Relaxed) {
                for (from, to) in [("d", "was"), ("evil", "d"), ("d", "evil"), ("was", "d")] {
                    swap(from, to);
                }
            }
        });
        for _ in 0..300 {
            let listing = made.listed_as(wanted());
            assert!(paths(&listing).iter().all(|path| !path.contains("secret")));
        }
        done.store(true, Ordering::Relaxed);
    });
}
