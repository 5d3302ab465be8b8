//! Reads by way of the guard in made-up trees: what lies in the tree and is allowed, and nothing else.

// In a test a failure is a panic; clippy excuses test functions alone, not what they call.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use memfold_disk::Dirs;
use memfold_guard::{
    Budget, Content, Decision, Guard, Limits, Refusal, Rules, Special, Spent, TreePath, Verdict,
};
use tempfile::TempDir;

/// A tree, and beside it what must not be read.
fn tree(files: &[(&str, &str)]) -> TempDir {
    let place = tempfile::tempdir().unwrap();
    put(&place.path().join("outside"), "outside");
    for (path, text) in files {
        put(&place.path().join("root").join(path), text);
    }
    fs::create_dir_all(place.path().join("root")).unwrap();
    place
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn dirs(at: &Path) -> Dirs {
    Dirs {
        data: at.join("data"),
        config: at.join("config"),
        cache: at.join("cache"),
    }
}

fn guard(place: &TempDir, rules: &str) -> Guard {
    let rules = Rules::parse(rules).unwrap();
    Guard::new(place.path().join("root"), rules, &dirs(place.path())).unwrap()
}

fn budget() -> Budget {
    Budget::new(Limits {
        file_bytes: 1000,
        bytes: 10_000,
        time: Duration::from_secs(60),
    })
}

fn read(guard: &Guard, path: &str) -> Result<Content, Refusal> {
    guard.read(&TreePath::new(path).unwrap(), &budget())
}

fn refused_by(guard: &Guard, path: &str) -> String {
    match read(guard, path).unwrap_err() {
        Refusal::Denylist { rule } | Refusal::Checker { rule } | Refusal::NotAsked { rule } => {
            rule.as_str().to_owned()
        }
        other => panic!("{path}: {other}"),
    }
}

#[test]
fn a_link_is_followed_inside_and_judged_by_where_it_leads() {
    let place = tree(&[
        ("docs/a.md", "a"),
        (".env", "TOKEN=1"),
        (".git/config", "[core]"),
    ]);
    let at = |name: &str| place.path().join("root").join(name);
    symlink("docs/a.md", at("a")).unwrap();
    symlink(".env", at("settings.txt")).unwrap();
    symlink(".git", at("history")).unwrap();
    symlink("../outside", at("out")).unwrap();
    symlink(place.path().join("outside"), at("absolute")).unwrap();
    symlink("docs", at("id_rsa")).unwrap();
    let guard = guard(&place, "");
    let content = read(&guard, "a").unwrap();
    assert_eq!(content.text(), Ok("a"));
    assert_eq!(content.led_to, Some(TreePath::new("docs/a.md").unwrap()));
    assert_eq!(read(&guard, "docs/a.md").unwrap().led_to, None);
    assert_eq!(refused_by(&guard, "settings.txt"), "dotenv");
    assert_eq!(refused_by(&guard, "history/config"), "version-control");
    assert_eq!(refused_by(&guard, "id_rsa"), "ssh");
    assert_eq!(read(&guard, "out"), Err(Refusal::LeadsOut));
    assert_eq!(read(&guard, "absolute"), Err(Refusal::LeadsOut));
}

#[test]
fn what_is_no_file_is_refused_without_waiting() {
    let place = tree(&[]);
    let at = |name: &str| place.path().join("root").join(name);
    assert!(
        Command::new("mkfifo")
            .arg(at("pipe"))
            .status()
            .unwrap()
            .success()
    );
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    fs::create_dir(at("folder")).unwrap();
    let guard = guard(&place, "");
    // /dev/zero has no end.
    let is_device = {
        use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
        let (kind, zero) = (FileType::CharacterDevice, makedev(1, 5));
        mknodat(CWD, at("device"), kind, Mode::RUSR, zero).is_ok()
    };
    if is_device {
        let is = Special::Device;
        assert_eq!(read(&guard, "device"), Err(Refusal::NotRegular { is }));
    } else {
        println!("no device is tried: this user may not make one");
    }
    for (path, is) in [
        ("pipe", Special::Pipe),
        ("socket", Special::Socket),
        ("folder", Special::Folder),
    ] {
        assert_eq!(read(&guard, path), Err(Refusal::NotRegular { is }));
    }
    assert_eq!(read(&guard, "gone"), Err(Refusal::Gone));
    assert_eq!(read(&guard, "gone/deeper"), Err(Refusal::Gone));
}

#[test]
fn our_own_folders_are_not_read_wherever_the_tree_begins() {
    let place = tree(&[("data/index/events.jsonl", "x"), ("database/a", "a")]);
    let root = place.path().join("root");
    let in_home = Guard::new(&root, Rules::default(), &dirs(&root)).unwrap();
    assert_eq!(refused_by(&in_home, "data/index/events.jsonl"), "memfold");
    assert_eq!(refused_by(&in_home, "Data/index/events.jsonl"), "memfold");
    assert!(read(&in_home, "database/a").is_ok());
    let in_data = Guard::new(root.join("data/index"), Rules::default(), &dirs(&root)).unwrap();
    assert_eq!(refused_by(&in_data, "events.jsonl"), "memfold");
    assert!(in_home.refuses_all().is_none() && in_data.refuses_all().is_some());
}

#[test]
fn a_tree_within_a_folder_of_the_denylist_is_not_read() {
    let place = tree(&[(".ssh/config", "Host a"), (".aws/sso/cache/1.json", "{}")]);
    let root = place.path().join("root");
    let at = |folder: &str| Guard::new(root.join(folder), Rules::default(), &dirs(place.path()));
    for (folder, path, rule) in [
        (".ssh", "config", "ssh"),
        (".aws/sso", "cache/1.json", "cloud"),
    ] {
        let guard = at(folder).unwrap();
        assert_eq!(refused_by(&guard, path), rule);
        let all = guard.refuses_all().unwrap();
        assert_eq!(all.to_string(), format!("on the denylist ({rule})"));
    }
    // By whatever way one came there.
    symlink(root.join(".ssh"), root.join("notes")).unwrap();
    assert_eq!(refused_by(&at("notes").unwrap(), "config"), "ssh");
    assert_eq!(at("").unwrap().refuses_all(), None);
}

#[test]
fn bytes_are_counted_while_they_are_read() {
    let place = tree(&[
        ("a", &"a".repeat(1000)),
        ("b", &"b".repeat(1001)),
        ("c", ""),
    ]);
    let guard = guard(&place, "");
    let path = |name| TreePath::new(name).unwrap();
    assert_eq!(read(&guard, "a").unwrap().bytes.len(), 1000);
    assert_eq!(read(&guard, "b"), Err(Refusal::TooLarge { limit: 1000 }));
    assert_eq!(read(&guard, "c").unwrap().bytes.len(), 0);
    let budget = Budget::new(Limits {
        file_bytes: 1000,
        bytes: 1500,
        time: Duration::from_secs(60),
    });
    assert!(guard.read(&path("a"), &budget).is_ok());
    let spent = Err(Refusal::Budget { of: Spent::Bytes });
    assert_eq!(guard.read(&path("a"), &budget), spent);
    let late = Budget::new(Limits {
        file_bytes: 1000,
        bytes: 1500,
        time: Duration::ZERO,
    });
    let late = guard.read(&path("a"), &late);
    assert_eq!(late, Err(Refusal::Budget { of: Spent::Time }));
}

/// The kernel says that such a file is empty, and it is not.
#[test]
#[cfg(target_os = "linux")]
fn a_file_that_stat_calls_empty_is_bounded_too() {
    let dirs = dirs(Path::new("/nowhere"));
    let guard = Guard::new("/proc/self", Rules::default(), &dirs).unwrap();
    let few = Budget::new(Limits {
        file_bytes: 10,
        bytes: 10_000,
        time: Duration::from_secs(60),
    });
    let path = TreePath::new("status").unwrap();
    assert_eq!(
        guard.read(&path, &few),
        Err(Refusal::TooLarge { limit: 10 })
    );
    assert!(
        guard
            .read(&path, &budget())
            .is_err_and(|it| it == Refusal::TooLarge { limit: 1000 })
    );
}

/// The beginning of a command that runs the script. Not the script itself: while another test forks, a file that was just
/// written may not be run.
fn checker(place: &TempDir, script: &str) -> String {
    let path = place.path().join("check.sh");
    put(&path, script);
    format!("'/bin/sh', '{}'", path.display())
}

#[test]
fn checkers_tighten_and_never_loosen() {
    let place = tree(&[
        ("a.csv", "a"),
        ("b.csv", "b"),
        ("c.csv", "c"),
        ("d.csv", "d"),
        (".env", ""),
        ("x/y", ""),
    ]);
    let program = checker(
        &place,
        r#"case "$1 $2" in
            "-q "*/root/a.csv) exit 0 ;;
            *b.csv) exit 1 ;;
            *c.csv) exit 2 ;;
            *) exit 7 ;;
        esac"#,
    );
    let guard = guard(
        &place,
        &format!(
            "deny = ['/x/']\n[[checker]]\nname = 'csv'\npaths = ['*.csv', '.env']\ncommand = [{program}, '-q']"
        ),
    );
    assert!(read(&guard, "a.csv").is_ok());
    let rule = |refusal: &Refusal| serde_json::to_value(refusal).unwrap();
    assert_eq!(
        rule(&read(&guard, "b.csv").unwrap_err())["reason"],
        "checker"
    );
    let asks = read(&guard, "c.csv").unwrap_err();
    assert_eq!(rule(&asks)["reason"], "not-asked");
    assert!(asks.holds_for_the_state());
    let failed = read(&guard, "d.csv").unwrap_err();
    assert_eq!(
        failed.to_string(),
        "your checker csv ended with exit code 7"
    );
    assert!(!failed.holds_for_the_state());
    assert_eq!(refused_by(&guard, ".env"), "dotenv");
    assert_eq!(refused_by(&guard, "x/y"), "yours");
}

#[test]
fn a_checker_that_hangs_or_is_missing_refuses() {
    let place = tree(&[("a", "a")]);
    let program = checker(&place, "sleep 600 & sleep 600");
    let with = |program: &str| {
        let rules = format!("[[checker]]\nname = 'slow'\ncommand = [{program}]\nseconds = 0.2");
        read(&guard(&place, &rules), "a").unwrap_err()
    };
    let refusal = with(&program);
    assert_eq!(
        refusal.to_string(),
        "your checker slow took more than 0.2 s"
    );
    let refusal = with("'/nowhere/check'");
    assert!(
        matches!(refusal, Refusal::CheckerFailed { .. }),
        "{refusal}"
    );
}

#[test]
fn a_file_name_is_never_an_option_of_a_checker_nor_read_by_a_shell() {
    let place = tree(&[("-rf", "a"), ("$(touch canary); echo", "a")]);
    let program = checker(
        &place,
        r#"case "$1" in /*) [ $# = 1 ] ;; *) exit 1 ;; esac"#,
    );
    let guard = guard(
        &place,
        &format!("[[checker]]\nname = 'c'\ncommand = [{program}]"),
    );
    for path in ["-rf", "$(touch canary); echo"] {
        assert!(read(&guard, path).is_ok(), "{path}");
    }
    assert_eq!(fs::read_dir(place.path().join("root")).unwrap().count(), 2);
}

#[test]
fn a_decision_says_all_that_it_rests_on_and_is_read_back() {
    let place = tree(&[("a", "a"), (".env", ""), ("q", "")]);
    let guard = guard(
        &place,
        "[[checker]]\nname = 'mine'\npaths = ['/q']\nthen = 'ask'",
    );
    let decide = |path: &str| {
        let path = TreePath::new(path).unwrap();
        let read = guard.read(&path, &budget());
        guard.decision(&path, read.as_ref())
    };
    let rules = guard.version().as_str();
    for (path, json) in [
        (
            "a",
            format!(r#"{{"path":"a","action":"read","decision":"allow","rules":"{rules}"}}"#),
        ),
        (
            ".env",
            format!(
                r#"{{"path":".env","action":"read","decision":"refuse","reason":"denylist","rule":"dotenv","rules":"{rules}"}}"#
            ),
        ),
        (
            "q",
            format!(
                r#"{{"path":"q","action":"read","decision":"refuse","reason":"not-asked","rule":"mine","rules":"{rules}"}}"#
            ),
        ),
        (
            "gone",
            format!(
                r#"{{"path":"gone","action":"read","decision":"refuse","reason":"gone","rules":"{rules}"}}"#
            ),
        ),
    ] {
        let decision = decide(path);
        assert_eq!(serde_json::to_string(&decision).unwrap(), json);
        assert_eq!(serde_json::from_str::<Decision>(&json).unwrap(), decision);
        assert_eq!(
            decision.refusal().is_none(),
            decision.verdict == Verdict::Allow
        );
    }
}

/// While a file is swapped for a link out, a folder for a link up, and a file for a pipe, no reader gets what lies outside
/// and none waits.
#[test]
fn nothing_outside_is_read_while_names_are_swapped() {
    let place = tree(&[("d/file", "inside"), ("file", "inside")]);
    let at = |name: &str| place.path().join("root").join(name);
    put(&place.path().join("file"), "outside");
    symlink("..", at("up")).unwrap();
    symlink("../outside", at("out")).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(at("pipe"))
            .status()
            .unwrap()
            .success()
    );
    let guard = guard(&place, "");
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for (kept, other) in [("d", "up"), ("file", "out"), ("file", "pipe")] {
                    for (from, to) in [(kept, "was"), (other, kept), (kept, other), ("was", kept)] {
                        fs::rename(at(from), at(to)).unwrap();
                    }
                }
            }
        });
        let mut inside = 0;
        for _ in 0..2_000 {
            for path in ["d/file", "file"] {
                if let Ok(content) = read(&guard, path) {
                    assert_eq!(content.text(), Ok("inside"));
                    inside += 1;
                }
            }
        }
        done.store(true, Ordering::Relaxed);
        assert!(inside > 0);
    });
}
