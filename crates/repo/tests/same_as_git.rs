//! The listing of a git work tree is git's own, whatever the tree: each trait of one by itself, and made-up trees with made-up
//! ignore files.

// In a test a failure is a panic; clippy excuses test functions alone, not what they call.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod made;

use std::fs;

use made::{Made, kind_of, left, paths, wanted};
use memfold_guard::TreePath;
use memfold_repo::listing::{By, IndexError, Kind, NoGit, Standing, Wanted};
use proptest::prelude::*;

#[test]
fn tracked_untracked_and_ignored() {
    let made = Made::repository();
    made.put(
        ".gitignore",
        "*.log\n!keep.log\n/build/\nvendor/*\n!vendor/ours\n",
    )
    .put("a.rs", "")
    .put("tracked.log", "")
    .put("build/tracked.rs", "")
    .git(&["add", "-f", "."])
    .put("new.rs", "")
    .put("new.log", "")
    .put("keep.log", "")
    .put("build/new.rs", "")
    .put("vendor/theirs/a.rs", "")
    .put("vendor/ours/a.rs", "")
    .put("src/deep/er/.gitignore", "er\n!*.log\n")
    .put("src/deep/er/er", "")
    .put("src/deep/er/x.log", "")
    .put(".git/info/exclude", "*.secret\n")
    .put("x.secret", "");
    fs::remove_file(made.at("a.rs")).unwrap();
    let listing = made.same_as_git();
    assert_eq!(listing.by, By::Git);
    assert_eq!(listing.left.count, 0);
    let standing = |path: &str| {
        let entry = listing
            .entries
            .iter()
            .find(|entry| entry.path.as_str() == path);
        entry.map(|entry| entry.standing)
    };
    assert_eq!(standing("build/tracked.rs"), Some(Standing::Tracked));
    assert_eq!(standing("new.rs"), Some(Standing::Untracked));
    assert_eq!(standing("a.rs"), None, "deleted");
}

#[test]
fn an_index_in_every_form() {
    for (form, by) in [
        (&["update-index", "--index-version", "2"][..], By::Git),
        (&["update-index", "--index-version", "4"], By::Git),
        (&["update-index", "--skip-worktree", "a/b/c"], By::Git),
        (&["update-index", "--untracked-cache"], By::Git),
        (&["add", "--intent-to-add", "new"], By::Git),
        (
            &["update-index", "--split-index"],
            By::Command(IndexError::Split),
        ),
    ] {
        let made = Made::repository();
        made.put("a/b/c", "")
            .put("a/bc", "")
            .put("a.b", "")
            .put("ab/c", "");
        made.put(&format!("long/{}", "x".repeat(200)), "");
        made.git(&["add", "."]).put("new", "").git(form);
        let listing = made.same_as_git();
        assert_eq!(listing.by, by, "{form:?}");
    }
}

#[test]
fn a_repository_of_long_hashes_and_one_without_an_index() {
    let made = Made::tree();
    made.git(&["init", "-q", "--object-format=sha256", "."]);
    assert_eq!(paths(&made.same_as_git()), [""; 0]);
    made.put("a", "").put("b/c", "").git(&["add", "a"]);
    assert_eq!(made.same_as_git().by, By::Git);
}

#[test]
fn a_conflict_is_one_path() {
    let made = Made::repository();
    made.put("a", "1")
        .git(&["add", "."])
        .git(&["commit", "-qm", "1"]);
    made.git(&["checkout", "-qb", "other"])
        .put("a", "2")
        .git(&["commit", "-qam", "2"]);
    made.git(&["checkout", "-q", "-"])
        .put("a", "3")
        .git(&["commit", "-qam", "3"]);
    let merge = made::run_git(&made.at(""), &["merge", "-q", "other"]);
    assert!(!merge.status.success(), "a conflict is what is wanted");
    assert_eq!(paths(&made.same_as_git()), ["a"]);
}

#[test]
fn repositories_in_the_tree_are_named_and_not_entered() {
    let made = Made::repository();
    let library = made.beside("library");
    fs::create_dir(&library).unwrap();
    made::git(&library, &["init", "-q", "."]);
    made::put(&library.join("lib.rs"), b"");
    made::git(&library, &["add", "."]);
    made::git(&library, &["commit", "-qm", "1"]);
    let library = library.to_str().unwrap();
    made.put("a", "")
        .git(&["add", "."])
        .git(&["commit", "-qm", "1"]);
    made.git(&["submodule", "add", "-q", library, "sub"])
        .git(&["clone", "-q", library, "clone"])
        .git(&["worktree", "add", "-q", "trees/one"])
        .git(&["init", "-q", "unborn"])
        .git(&["init", "-q", "--bare", "bare.git"])
        .put("unborn/x", "")
        .put("fake/.git/x", "")
        .put("fake/y", "")
        .put("forged/.git", "gitdir: gone\n")
        .put("forged/z", "")
        .put("garbage/.git", "garbage")
        .put("garbage/z", "");
    let listing = made.same_as_git();
    for path in ["sub", "clone", "trees/one", "unborn"] {
        assert_eq!(kind_of(&listing, path), Some(Kind::Repository), "{path}");
    }
    for path in ["fake/y", "forged/z", "garbage/z", "bare.git/HEAD"] {
        assert_eq!(kind_of(&listing, path), Some(Kind::File), "{path}");
    }
}

#[test]
fn a_work_tree_and_a_submodule_are_trees_of_their_own() {
    let made = Made::repository();
    made.put("a", "").put(".git/info/exclude", "*.x\n");
    made.git(&["add", "."]).git(&["commit", "-qm", "1"]);
    let tree = made.beside("tree");
    made.git(&["worktree", "add", "-q", tree.to_str().unwrap()]);
    made::put(&tree.join("new"), b"");
    made::put(&tree.join("new.x"), b"");
    let listing = list_at(&tree);
    assert_eq!(
        (paths(&listing), &listing.by),
        (vec!["a".into(), "new".into()], &By::Git)
    );

    let outer = Made::repository();
    let origin = made.at("");
    outer.git(&["submodule", "add", "-q", origin.to_str().unwrap(), "sub"]);
    outer.put("sub/new", "");
    let listing = list_at(&outer.at("sub"));
    assert_eq!(
        (paths(&listing), &listing.by),
        (vec!["a".into(), "new".into()], &By::Git)
    );
}

fn list_at(root: &std::path::Path) -> memfold_repo::listing::Listing {
    let root = memfold_disk::Pinned::open(root).unwrap();
    memfold_repo::listing::list(&root, wanted()).unwrap()
}

#[test]
fn a_folder_taken_whole_has_all_in_it_but_git() {
    let made = Made::repository();
    made.put(".gitignore", "/out\n")
        .put("out/a", "")
        .put("out/.hidden/b", "")
        .put("out/.gitignore", "*")
        .git(&["init", "-q", "out/clone"])
        .put("out/clone/c", "")
        .put("d", "");
    let path = |path| TreePath::new(path).unwrap();
    let whole = [path("out"), path("gone")];
    let listing = made.listed_as(Wanted {
        whole: &whole,
        ..wanted()
    });
    let expected = [
        ".gitignore",
        "d",
        "out/.gitignore",
        "out/.hidden/b",
        "out/a",
        "out/clone",
    ];
    assert_eq!(paths(&listing), expected);
    assert_eq!(kind_of(&listing, "out/clone"), Some(Kind::Repository));
    let whole = [path("out/clone")];
    let listing = made.listed_as(Wanted {
        whole: &whole,
        ..wanted()
    });
    assert_eq!(paths(&listing), [".gitignore", "d", "out/clone/c"]);
}

#[test]
fn an_agents_state_is_left_out_unless_tracked() {
    let made = Made::repository();
    made.put(".claude/worktrees/one/a", "")
        .put(".claude/worktrees/tracked", "")
        .put(".claude/settings.json", "")
        .put(".aider.chat.history.md", "")
        .git(&["add", ".claude/worktrees/tracked"]);
    let listing = made.listed();
    assert_eq!(
        paths(&listing),
        [".claude/settings.json", ".claude/worktrees/tracked"]
    );
    assert_eq!(
        left(&listing, ".claude/worktrees").unwrap(),
        "it is an agent's own state"
    );
    assert_eq!(listing.left.count, 2);
    // Nor does it come in by git's own command.
    made.git(&["update-index", "--split-index"]);
    let by_command = made.listed();
    assert_eq!(by_command.by, By::Command(IndexError::Split));
    assert_eq!(paths(&by_command), paths(&listing));
    assert!(by_command.left.count >= 2);
}

#[test]
fn the_persons_own_rules_are_the_weakest() {
    let made = Made::repository();
    made.put(".gitignore", "!b.mine\n")
        .put("a.mine", "")
        .put("b.mine", "");
    let listing = made.listed_as(Wanted {
        personal: b"*.mine\n",
        ..wanted()
    });
    assert_eq!(paths(&listing), [".gitignore", "b.mine"]);
}

#[test]
fn elsewhere_hidden_linked_and_ignored_files_are_left_out() {
    let made = Made::tree();
    made.put("a", "")
        .put(".hidden/b", "")
        .put(".c", "")
        .put("d.log", "")
        .put("kept.log", "")
        .put(".gitignore", "*.log\n")
        .put(".ignore", "!kept.log\n")
        .put("clone/.git/HEAD", "ref: refs/heads/main\n")
        .put("clone/e", "")
        .link("f", "a");
    // A rule above the root has no say.
    made::put(&made.beside(".gitignore"), b"a\n");
    let listing = made.listed();
    assert_eq!(paths(&listing), ["a", "clone/e", "kept.log"]);
    assert_eq!(listing.by, By::Walk(NoGit::None));
}

/// A file of the made-up tree, and whether it is tracked.
fn files() -> impl Strategy<Value = Vec<(String, bool)>> {
    let name = prop_oneof![
        "[ab]{1,2}(\\.[xy])?",
        Just("a b".to_owned()),
        Just("é".to_owned()),
        Just("[a]".to_owned()),
        Just("!a".to_owned()),
        Just("#a".to_owned()),
        Just("$a".to_owned()),
        Just("a\\b".to_owned()),
        Just("a\nb".to_owned()),
        Just(".a".to_owned()),
        Just("A".to_owned()),
    ];
    let path = prop::collection::vec(name, 1..4).prop_map(|names| names.join("/"));
    prop::collection::vec((path, prop::bool::weighted(0.3)), 1..16)
}

/// A rule: names of the tree and wildcards in every order, with what may stand around them.
fn rule() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[ab]{1,2}(\\.[xy])?",
        2 => Just("*".to_owned()),
        2 => Just("**".to_owned()),
        1 => Just("*.x".to_owned()),
        1 => Just("a*".to_owned()),
        1 => Just("?".to_owned()),
        1 => Just("[ab]".to_owned()),
        1 => Just("[!a]*".to_owned()),
        1 => Just("[[:alpha:]]".to_owned()),
        1 => Just("[a".to_owned()),
        1 => Just("\\a".to_owned()),
        1 => Just("a\\".to_owned()),
        1 => Just("***".to_owned()),
        1 => Just("a**b".to_owned()),
        1 => Just("é".to_owned()),
        1 => Just("\\#a".to_owned()),
        1 => Just("\\!a".to_owned()),
        1 => Just("$a".to_owned()),
        1 => Just("a b".to_owned()),
        1 => Just("a\\\\b".to_owned()),
    ];
    let before = prop_oneof![6 => Just(""), 2 => Just("!"), 2 => Just("/"), 1 => Just("!/"), 1 => Just("#"), 1 => Just(" ")];
    let after = prop_oneof![6 => Just(""), 2 => Just("/"), 1 => Just(" "), 1 => Just("\\ "), 1 => Just("\r"), 1 => Just("/**"), 1 => Just("/*")];
    (before, prop::collection::vec(part, 1..4), after)
        .prop_map(|(before, parts, after)| format!("{before}{}{after}", parts.join("/")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn made_up_trees(
        files in files(),
        rules in prop::collection::vec((prop::sample::select(vec!["", "a", "b", "a/a", "a/b"]), prop::collection::vec(rule(), 1..5), any::<bool>()), 0..4),
        exclude in prop::collection::vec(rule(), 0..3),
    ) {
        let made = Made::repository();
        // A name that is a folder's already, or goes through a file, is passed over.
        let write = |path: &str, text: &str| {
            let path = made.at(path);
            fs::create_dir_all(path.parent().unwrap()).is_ok() && !path.is_dir() && fs::write(path, text).is_ok()
        };
        let mut tracked = vec!["add", "-f", "--"];
        for (path, is_tracked) in &files {
            if write(path, "") && *is_tracked {
                tracked.push(path);
            }
        }
        for (folder, lines, ended) in &rules {
            let end = if *ended { "\n" } else { "" };
            let path = if folder.is_empty() { ".gitignore".to_owned() } else { format!("{folder}/.gitignore") };
            write(&path, &(lines.join("\n") + end));
        }
        write(".git/info/exclude", &exclude.join("\n"));
        if tracked.len() > 3 {
            let literal: Vec<String> = tracked[3..].iter().map(|path| format!(":(literal){path}")).collect();
            let arguments: Vec<&str> = tracked[..3].iter().copied().chain(literal.iter().map(String::as_str)).collect();
            made.git(&arguments);
        }
        let listing = made.listed();
        prop_assert_eq!(&listing.by, &By::Git);
        prop_assert_eq!(paths(&listing), made.git_lists());
    }
}
