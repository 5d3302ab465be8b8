//! Trees of every odd shape: names that clash or are no text, what is no file, folders ten thousand deep, rules without end.
//! Each is listed as git lists it, within its time, and what is left out is said.

// In a test a failure is a panic; clippy excuses test functions alone, not what they call.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

mod made;

use std::fs;
use std::path::Path;
use std::time::Duration;

use made::{Made, kind_of, left, paths, wanted};
use memfold_repo::listing::{By, Cut, NoGit, Standing, Wanted};

#[test]
fn names_of_every_kind() {
    let made = Made::repository();
    for name in [
        "new\nline",
        "\u{1b}[31mred",
        "tab\t",
        "quote\"",
        "-rf",
        "README",
        "readme",
        "a\\b",
        " ",
        "é",
        "e\u{301}",
        "\u{202e}x",
    ] {
        made.put(name, "");
    }
    made.git(&["add", "--", "README", "new\nline"]);
    fs::write(made::odd_name(&made.at(""), b"odd\xff"), "").unwrap();
    fs::create_dir(made::odd_name(&made.at(""), b"folder\xfe")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(made.at("socket")).unwrap();
    let listing = made.same_as_git();
    assert_eq!(listing.entries.len(), 12);
    assert_eq!(listing.left.count, 3);
    assert_eq!(
        left(&listing, "odd\u{fffd}").unwrap(),
        "its name is not UTF-8"
    );
    assert_eq!(left(&listing, "socket").unwrap(), "it is a socket");
}

/// Names that elsewhere are one file: by their case, or once they are normalised. Here they are two, each with its own standing.
#[test]
fn names_that_clash_elsewhere() {
    let made = Made::repository();
    let composed = "caf\u{e9}";
    let decomposed = "cafe\u{301}";
    for (tracked, other) in [
        ("README", "readme"),
        ("Makefile", "makefile"),
        ("Dir/a", "dir/a"),
        ("src/X.rs", "src/x.rs"),
        (composed, decomposed),
    ] {
        made.put(tracked, "")
            .put(other, "")
            .git(&["add", "--", tracked]);
    }
    made.put(&format!("{decomposed}s/b"), "")
        .put(&format!("{composed}s/b"), "")
        .git(&["add", "--", &format!("{decomposed}s/b")]);
    let listing = made.same_as_git();
    assert_eq!(listing.entries.len(), 12);
    let tracked = listing.entries.iter();
    let tracked = tracked.filter(|entry| entry.standing == Standing::Tracked);
    assert_eq!(tracked.count(), 6);
    // A rule means the one that it names.
    made.put(
        ".gitignore",
        format!("readme\n/DIR/\n/dir/\n{decomposed}\n"),
    );
    let listing = made.same_as_git();
    assert_eq!(listing.entries.len(), 10);
    for gone in ["readme", "dir/a", decomposed] {
        assert_eq!(kind_of(&listing, gone), None, "{gone}");
    }
    // What a rule ignores stays where it is tracked.
    made.put(".gitignore", "README\nDir\n");
    assert_eq!(made.same_as_git().entries.len(), 13);
}

/// A device below a name, where this user may make one.
fn device(made: &Made, path: &str, minor: u32) -> bool {
    use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
    let (path, memory) = (made.at(path), 1);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = fs::remove_file(&path);
    let mode = Mode::RUSR | Mode::WUSR;
    mknodat(
        CWD,
        &path,
        FileType::CharacterDevice,
        mode,
        makedev(memory, minor),
    )
    .is_ok()
}

/// Whatever takes the place of a file: it is named, nothing of it is read, nothing waits for it.
#[test]
fn what_is_no_file_is_named_wherever_it_stands() {
    const ZERO: u32 = 5;
    let made = Made::repository();
    made.put("pipe", "")
        .put("device", "")
        .put("socket", "")
        .put("a", "");
    made.git(&["add", "."]);
    made.fifo("pipe").fifo("new/pipe");
    fs::remove_file(made.at("socket")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(made.at("socket")).unwrap();
    let mut expected = vec![
        ("pipe", "a named pipe"),
        ("new/pipe", "a named pipe"),
        ("socket", "a socket"),
    ];
    match device(&made, "device", ZERO) && device(&made, "new/device", ZERO) {
        true => expected.extend([("device", "a device"), ("new/device", "a device")]),
        false => {
            fs::remove_file(made.at("device")).unwrap();
            println!("no device is tried: this user may not make one");
        }
    }
    let listing = made.listed();
    assert_eq!(paths(&listing), ["a"]);
    for (path, what) in &expected {
        assert_eq!(
            left(&listing, path),
            Some(format!("it is {what}")),
            "{path}"
        );
    }
    assert_eq!(listing.left.count, expected.len());
    // In the place of what git's own folder has, too.
    for file in [".git/index", ".git/info/exclude", ".gitignore"] {
        let made = Made::repository();
        made.put("a", "");
        if device(&made, file, ZERO) {
            assert_eq!(paths(&made.listed()), ["a"], "{file}");
        }
    }
    let made = Made::tree();
    if device(made.put("a", ""), ".git", ZERO) {
        assert_eq!(made.listed().by, By::Walk(NoGit::NotGit));
    }
}

/// Puts something in a tree.
type Make<'m> = &'m dyn Fn(&Made);

/// A submodule that is not one: its place is tracked as a repository's, and something else lies there.
#[test]
fn a_submodules_place_may_hold_anything() {
    let outside = |made: &Made| {
        made::put(&made.beside("outside/secret"), b"");
        made.link("sub", made.beside("outside"));
    };
    let makes: [(&str, Make<'_>); 6] = [
        ("nothing", &|_| {}),
        ("files", &|made| {
            made.put("sub/b", "").put("sub/deep/c", "");
        }),
        ("a file", &|made| {
            made.put("sub", "");
        }),
        ("a link out", &outside),
        ("a pipe", &|made| {
            made.fifo("sub");
        }),
        ("the outer repository by its name", &|made| {
            made.put("sub/.git", "gitdir: ../.git\n").put("sub/b", "");
        }),
    ];
    for (name, make) in makes {
        let made = Made::repository();
        let no_commit = "1".repeat(40);
        made.put("a", "").git(&["add", "."]).git(&[
            "update-index",
            "--add",
            "--cacheinfo",
            &format!("160000,{no_commit},sub"),
        ]);
        make(&made);
        let ours = paths(&made.same_as_git());
        assert!(ours.contains(&"a".to_owned()), "{name}");
        assert!(!ours.iter().any(|path| path.contains("secret")), "{name}");
    }
}

/// The inside of a repository is no work tree: it is listed as any folder is.
#[test]
fn a_bare_repository_is_a_folder() {
    let made = Made::tree();
    made.git(&["init", "-q", "--bare", "."])
        .put("info/exclude", "*\n");
    let listing = made.listed();
    assert_eq!(listing.by, By::Walk(NoGit::None));
    assert!(paths(&listing).contains(&"HEAD".to_owned()));
}

/// Makes folders `d/d/…`, so many, with a file in some; by steps, as no path is that long.
fn dig(top: &Path, depth: usize) {
    use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let mut at = openat(CWD, top, flags, Mode::empty()).unwrap();
    for level in 1..=depth {
        mkdirat(&at, "d", Mode::RWXU).unwrap();
        at = openat(&at, "d", flags, Mode::empty()).unwrap();
        if [10, 1000, 1900, 5000].contains(&level) {
            openat(&at, "f", OFlags::CREATE | OFlags::WRONLY, Mode::RUSR).unwrap();
        }
    }
}

/// Takes them away from above, which no recursion does.
fn fill_in(top: &Path) {
    let (first, second) = (top.join("d"), top.join("e"));
    while first.exists() {
        let _ = fs::remove_file(first.join("f"));
        let deeper = fs::rename(first.join("d"), &second).is_ok();
        fs::remove_dir(&first).unwrap();
        if deeper {
            fs::rename(&second, &first).unwrap();
        }
    }
}

#[test]
fn ten_thousand_folders_deep() {
    let made = Made::repository();
    dig(&made.at(""), 10_000);
    let listing = made.same_as_git();
    fill_in(&made.at(""));
    assert_eq!(listing.entries.len(), 3);
    assert_eq!(listing.cut, None);
    assert_eq!(listing.left.count, 1);
    assert!(
        listing.left.named[0]
            .why
            .to_string()
            .contains("name too long")
    );
}

#[test]
fn an_ignore_file_as_long_as_you_like() {
    let made = Made::repository();
    let long = "a-rule-of-some-length/*.none\n".repeat(50_000) + "*.log\n";
    made.put(".gitignore", format!("*.tmp\n{long}"))
        .put("a.tmp", "")
        .put("b.log", "")
        .put("c", "");
    let listing = made.listed();
    assert_eq!(paths(&listing), [".gitignore", "b.log", "c"]);
    assert!(left(&listing, ".gitignore").unwrap().contains("too long"));

    let made = Made::repository();
    made.put(".gitignore", format!("{}x\n*.log\n", "**/a/".repeat(60)));
    made.put(&format!("{}y", "a/".repeat(60)), "")
        .put("b.log", "");
    let listing = made.listed();
    assert_eq!(listing.entries.len(), 2);
    assert!(
        left(&listing, ".gitignore")
            .unwrap()
            .contains("1 of its rules")
    );
}

#[test]
fn rules_that_would_take_hours_are_cut_by_the_clock() {
    let made = Made::repository();
    made.put(
        ".gitignore",
        "**/a/**/b/**/a/**/b/**/a/**/b/**/a/**/b/**/x\n".repeat(20_000),
    );
    for name in 0..50 {
        made.put(&format!("{}{name}", "a/b/".repeat(40)), "");
    }
    let time = Duration::from_millis(200);
    let listing = made.listed_as(Wanted { time, ..wanted() });
    assert!(matches!(listing.cut, Some(Cut::Time { .. })));
    let time = Duration::ZERO;
    let listing = made.listed_as(Wanted { time, ..wanted() });
    assert_eq!(listing.cut, Some(Cut::Time { unreached: 1 }));
    assert!(listing.entries.is_empty());
}
