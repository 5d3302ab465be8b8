//! Who reads what, and what is written where: the switch for agents, the boundary of a project, planted sidecars, private
//! files in known places.

// clippy.toml lets tests unwrap, but not the functions that they share.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use memfold::{Error, Logs, Memfold, Quiet, Recall, Viewer};
use memfold_tests::home::{Home, row, search, turns};
use memfold_tests::shown::forgery;

const STORE: &str = "home/.claude/projects";

/// A task's id, told by a number.
fn id(number: usize) -> String {
    format!("3f9a1c02-5d1e-4c7a-9b60-{number:012}")
}

/// A task of Claude Code's that worked in `cwd`.
fn task(number: usize, cwd: &str) -> Vec<u8> {
    let log = String::from_utf8(turns(number * 10..number * 10 + 3)).unwrap();
    let cwd = serde_json::to_string(cwd).unwrap();
    log.replace("\"cwd\":\"/project\"", &format!("\"cwd\":{cwd}"))
        .replace(&id(0)[..34], &id(number)[..34])
        .replace("0000000000aa", &format!("{number:012}"))
        .into_bytes()
}

/// Puts a task into Claude Code's store.
fn store(home: &Home, number: usize, cwd: &Path) -> PathBuf {
    let path = format!("{STORE}/-some-folder/{}.jsonl", id(number));
    home.write(path, &task(number, cwd.to_str().unwrap()))
}

fn found(engine: &Memfold, logs: Logs) -> Result<BTreeSet<PathBuf>, &'static str> {
    match engine.search(&search("denylist symlink", logs), &Quiet) {
        Ok(answer) => Ok(answer.results.into_iter().map(|hit| hit.log).collect()),
        Err(error) => Err(error.kind()),
    }
}

fn recall(engine: &Memfold, address: &str, logs: Logs) -> Result<u64, &'static str> {
    let asked = Recall {
        address: address.to_owned(),
        logs,
        start: 1,
        count: 80,
    };
    engine
        .recall(&asked, &Quiet)
        .map(|recalled| recalled.seq)
        .map_err(|error| error.kind())
}

fn kind<T>(result: Result<T, Error>) -> Result<(), &'static str> {
    result.map(|_| ()).map_err(|error| error.kind())
}

#[test]
fn an_agent_reads_earlier_tasks_once_a_person_allowed_it() {
    let home = Home::new();
    let (project, other) = (home.at("project"), home.at("other"));
    fs::create_dir(&other).unwrap();
    let (ours, others) = (store(&home, 1, &project), store(&home, 2, &other));
    let copy = home.write("logs/copy.jsonl", &fs::read(&ours).unwrap());
    let link = home.at("logs/link.jsonl");
    symlink(&ours, &link).unwrap();
    symlink(home.at(STORE), home.at("logs-by-link")).unwrap();
    let (person, agent) = (home.engine(), home.engine_of(Viewer::Agent, &project));
    let task = id(1);
    let address = format!("{task}:1");

    // What an agent may ever see of a log in a store.
    let ways = [
        Logs::File(ours.clone()),
        Logs::File(link),
        Logs::File(
            home.at("project/../home/.claude/projects/-some-folder")
                .join(ours.file_name().unwrap()),
        ),
        Logs::Below(vec![ours.parent().unwrap().to_owned()]),
        Logs::Below(vec![ours.clone()]),
        Logs::Below(vec![home.at("logs-by-link")]),
        Logs::Below(vec![home.at("home")]),
        Logs::Below(vec![home.at("logs"), home.at(STORE)]),
    ];
    let refused = |agent: &Memfold, when: &str| {
        let no = Err("not-allowed");
        assert_eq!(found(agent, Logs::Project).map(|_| ()), no, "{when}");
        assert_eq!(kind(agent.logs(&Logs::Project)), no, "{when}");
        assert_eq!(kind(agent.cards(Some(&task), &Logs::Project)), no, "{when}");
        assert_eq!(kind(agent.resume(&task)), no, "{when}");
        assert_eq!(
            recall(agent, &address, Logs::Project).map(|_| ()),
            no,
            "{when}"
        );
        for way in &ways {
            assert_eq!(found(agent, way.clone()).map(|_| ()), no, "{when}: {way:?}");
            assert_eq!(kind(agent.logs(way)), no, "{when}: {way:?}");
            assert_eq!(kind(agent.cards(Some(&task), way)), no, "{when}: {way:?}");
            assert_eq!(
                recall(agent, &address, way.clone()).map(|_| ()),
                no,
                "{when}: {way:?}"
            );
        }
        let file = Logs::File(ours.clone());
        assert_eq!(recall(agent, "1", file.clone()).map(|_| ()), no, "{when}");
        assert_eq!(kind(agent.cards(None, &file)), no, "{when}");
        for all in [Logs::Everywhere, Logs::File(others.clone())] {
            assert_eq!(found(agent, all).map(|_| ()), no, "{when}");
        }
        // A copy elsewhere is a file like any other.
        assert_eq!(
            found(agent, Logs::File(copy.clone())),
            Ok([copy.clone()].into()),
            "{when}"
        );
        assert_eq!(
            recall(agent, "1", Logs::File(copy.clone())),
            Ok(1),
            "{when}"
        );
    };
    refused(&agent, "at first");
    assert_eq!(kind(agent.set_earlier(true)), Err("not-allowed"));
    refused(&agent, "after it tried itself");
    home.engine_of(Viewer::Person, &other)
        .set_earlier(true)
        .unwrap();
    refused(&agent, "allowed for another project");
    assert_eq!(found(&person, Logs::Project), Ok([ours.clone()].into()));
    refused(&agent, "with sidecars and receipts there");

    person.set_earlier(true).unwrap();
    assert_eq!(found(&agent, Logs::Project), Ok([ours.clone()].into()));
    assert_eq!(
        found(&agent, Logs::File(ours.clone())),
        Ok([ours.clone()].into())
    );
    assert_eq!(recall(&agent, &address, Logs::Project), Ok(1));
    assert_eq!(kind(agent.cards(Some(&task), &Logs::Project)), Ok(()));
    assert_eq!(kind(agent.logs(&Logs::Project)), Ok(()));
    // Other projects' tasks it never reads, whoever allowed what.
    assert_eq!(found(&agent, Logs::Everywhere), Err("not-allowed"));
    assert_eq!(
        found(&agent, Logs::File(others.clone())),
        Err("not-allowed")
    );
    assert_eq!(
        found(&agent, Logs::Below(vec![home.at(STORE)])),
        Err("not-allowed")
    );
    assert_eq!(
        recall(&agent, "1", Logs::File(others.clone())),
        Err("not-allowed")
    );
    assert_eq!(
        recall(&agent, &format!("{}:1", id(2)), Logs::Project),
        Err("not-found")
    );
    assert_eq!(
        kind(agent.cards(None, &Logs::File(others.clone()))),
        Err("not-allowed")
    );

    person.set_earlier(false).unwrap();
    refused(&agent, "turned off again");

    // A switch that cannot be read is off, and said.
    person.set_earlier(true).unwrap();
    fs::write(person.earlier().unwrap().file, "[workspaces").unwrap();
    assert_eq!(found(&agent, Logs::Project), Err("file"));
    assert_eq!(found(&agent, Logs::File(ours)), Err("file"));
}

/// A store that is a link is a store under its own name, too.
#[test]
fn a_store_behind_a_link_is_a_store() {
    let home = Home::new();
    fs::create_dir_all(home.at("disk/claude")).unwrap();
    symlink(home.at("disk/claude"), home.at("home/.claude")).unwrap();
    let log = store(&home, 1, &home.at("project"));
    let real = home.at("disk/claude/projects/-some-folder");
    let agent = home.engine_of(Viewer::Agent, &home.at("project"));
    for logs in [
        Logs::Project,
        Logs::File(log),
        Logs::Below(vec![real.clone()]),
        Logs::Below(vec![home.at("disk")]),
    ] {
        assert_eq!(found(&agent, logs), Err("not-allowed"));
    }
    let expected = real.join(id(1)).with_extension("jsonl");
    assert_eq!(found(&home.engine(), Logs::Project), Ok([expected].into()));
}

#[test]
fn another_projects_task_is_never_answered() {
    for is_repository in [false, true] {
        let home = Home::new();
        let at = |path: &str| home.at(path).display().to_string();
        for folder in [
            "a/project/src",
            "a/project/vendor/lib/.git",
            "a/project-two/src",
            "a/PROJECT",
            "elsewhere",
        ] {
            fs::create_dir_all(home.at(folder)).unwrap();
        }
        if is_repository {
            fs::create_dir(home.at("a/project/.git")).unwrap();
            fs::create_dir(home.at("a/project-two/.git")).unwrap();
        }
        symlink(home.at("a/project"), home.at("a/link")).unwrap();
        symlink(home.at("a/project-two"), home.at("a/project/out")).unwrap();
        symlink("../a/project/src", home.at("elsewhere/in")).unwrap();
        let ours = [
            at("a/project"),
            at("a/project/"),
            at("a/project/src"),
            at("a/project/./src/.."),
            at("a/project/gone/deeper"),
            at("a/project-two/../project"),
            at("a/project-two/src/../../project/src"),
            at("a/link"),
            at("a/link/src"),
            at("elsewhere/in"),
        ];
        let theirs = [
            at("a/project-two"),
            at("a/project-two/src"),
            at("a/project-"),
            at("a/projec"),
            at("a/PROJECT"),
            at("a/project/../project-two"),
            at("a/project/gone/../../project-two/src"),
            at("a/project/src/../../../a/project-two"),
            at("a/link/../project-two"),
            at("a/project/out"),
            at("a/project/out/src"),
            at("a/project/vendor/lib"),
            at("a/project/.."),
            at("a"),
            "a/project".to_owned(),
            "project".to_owned(),
            ".".to_owned(),
            "src".to_owned(),
            String::new(),
            "/".to_owned(),
            format!("file://{}", at("a/project")),
            format!(" {}", at("a/project")),
            format!("{}\n{}", at("a/project-two"), at("a/project")),
        ];
        let mut expected = BTreeSet::new();
        for (number, cwd) in ours.iter().chain(&theirs).enumerate() {
            let log = store(&home, number, Path::new(cwd));
            if number < ours.len() {
                expected.insert(log);
            }
        }
        let engine = home.engine_of(Viewer::Person, &home.at("a/project"));
        assert_eq!(
            found(&engine, Logs::Project),
            Ok(expected.clone()),
            "as the logs say"
        );
        assert_eq!(
            found(&engine, Logs::Everywhere).unwrap().len(),
            ours.len() + theirs.len()
        );
        assert_eq!(
            found(&engine, Logs::Project),
            Ok(expected.clone()),
            "as receipts say"
        );
        home.believe();
        assert_eq!(
            found(&engine, Logs::Project),
            Ok(expected.clone()),
            "as receipts say without a look"
        );
        let below = home.engine_of(Viewer::Person, &home.at("a/project/src"));
        if is_repository {
            assert_eq!(
                found(&below, Logs::Project),
                Ok(expected.clone()),
                "from a folder below"
            );
        }
        for number in 0..ours.len() + theirs.len() {
            let answer = recall(&engine, &format!("{}:1", id(number)), Logs::Project);
            let expected = if number < ours.len() {
                Ok(1)
            } else {
                Err("not-found")
            };
            assert_eq!(answer, expected, "{number}");
        }
        assert_eq!(engine.logs(&Logs::Project).unwrap().logs.len(), ours.len());

        // A relative folder is nobody's, wherever this process stands.
        let here = std::env::current_dir().unwrap();
        let engine_here = home.engine_of(Viewer::Person, &here);
        assert_eq!(found(&engine_here, Logs::Project), Ok(BTreeSet::new()));

        // Another project's log comes under the name of one of ours.
        let path = expected.iter().next().unwrap();
        fs::write(path, task(77, &theirs[0])).unwrap();
        assert!(!found(&engine, Logs::Project).unwrap().contains(path));
    }
}

#[test]
fn a_sidecar_in_a_work_tree_is_neither_read_nor_touched() {
    let log = turns(0..6);
    let forged = forgery(&log);
    for git_file in [false, true] {
        let home = Home::new();
        if git_file {
            home.write("logs/.git", b"gitdir: /elsewhere\n");
        } else {
            fs::create_dir_all(home.at("logs/.git")).unwrap();
        }
        home.write("logs/deep/er/a.jsonl", &log);
        let planted = home.write("logs/deep/er/a.mem", &forged);
        let orphan = home.write("logs/deep/er/golden.mem", &forged);
        let untouched = |when: &str| {
            assert!(fs::read(&planted).unwrap() == forged, "{when}");
            assert!(fs::read(&orphan).unwrap() == forged, "{when}");
            assert_eq!(
                home.files("logs")
                    .iter()
                    .filter(|path| !path.ends_with(".git"))
                    .count(),
                3,
                "{when}"
            );
            assert_eq!(
                home.search("allowlis").matched,
                0,
                "{when}: it was believed"
            );
            assert_eq!(home.search("denylist").matched, 18, "{when}");
        };
        untouched("searched");
        assert_eq!(row(&home.fold(), "a.jsonl").verdict, "current");
        untouched("folded");
        assert_eq!(home.verify().wrong, 0);
        home.engine().rebuild(&[home.at("logs")], &Quiet).unwrap();
        untouched("rebuilt");
        let kept = home.sidecar("logs/deep/er/a.jsonl");
        assert!(kept.starts_with(home.dirs().cache), "{}", kept.display());
        fs::remove_file(home.at("logs/deep/er/a.jsonl")).unwrap();
        home.fold();
        assert!(
            planted.exists() && orphan.exists(),
            "what came with a clone is nobody's to remove"
        );
        assert!(!kept.exists());
    }

    // A folder becomes a work tree: what lay beside the log is not read any more.
    let home = Home::folded(&log);
    fs::create_dir(home.at("logs/.git")).unwrap();
    home.write("logs/a.mem", &forged);
    home.believe();
    assert_eq!(home.search("allowlis").matched, 0);
    assert_eq!(home.search("denylist").matched, 18);
    assert_eq!(home.verify().wrong, 0);
    assert!(home.read("logs/a.mem") == forged);
}

/// Every path below a folder but those in `known`.
fn news(root: &Path, known: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let (mut all, mut folders) = (BTreeSet::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            }
            all.insert(entry.path());
        }
    }
    all.difference(known).cloned().collect()
}

#[test]
fn what_is_written_is_private_and_in_known_places() {
    let home = Home::new();
    fs::create_dir_all(home.at("work/.git")).unwrap();
    home.write("work/b.jsonl", &turns(20..23));
    home.write("logs/a.jsonl", &turns(0..6));
    let stored = store(&home, 1, &home.at("project"));
    let known = news(home.root(), &BTreeSet::new());
    let stats = |path: &PathBuf| {
        let stat = fs::symlink_metadata(path).unwrap();
        (stat.is_file(), stat.len(), stat.mtime_nsec(), stat.mode())
    };
    let before: Vec<_> = known
        .iter()
        .filter(|path| path.is_file())
        .map(stats)
        .collect();

    let engine = home.engine();
    let all = [home.at("logs"), home.at("work"), home.at(STORE)];
    engine
        .search(&search("denylist", Logs::Below(all.to_vec())), &Quiet)
        .unwrap();
    engine.fold(&all, &Quiet).unwrap();
    engine.set_earlier(true).unwrap();
    // A sidecar that is damaged, and one whose place is taken.
    let mut damaged = home.read("logs/a.mem");
    *damaged.last_mut().unwrap() ^= 1;
    home.write("logs/a.mem", &damaged);
    let beside = stored.with_extension("mem");
    fs::remove_file(&beside).unwrap();
    fs::create_dir(&beside).unwrap();
    engine.fold(&all, &Quiet).unwrap();
    fs::remove_dir(&beside).unwrap();
    engine.rebuild(&all, &Quiet).unwrap();
    engine
        .cards(None, &Logs::File(home.at("work/b.jsonl")))
        .unwrap();
    engine.logs(&Logs::Everywhere).unwrap();
    engine.status().unwrap();

    assert_eq!(
        known
            .iter()
            .filter(|path| path.is_file())
            .map(stats)
            .collect::<Vec<_>>(),
        before,
        "a log was touched"
    );
    let dirs = home.dirs();
    let new = news(home.root(), &known);
    assert!(new.len() > 10, "{new:#?}");
    for path in &new {
        let stat = fs::symlink_metadata(path).unwrap();
        let expected = if stat.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(
            stat.permissions().mode() & 0o7777,
            expected,
            "{}",
            path.display()
        );
        let above = [&dirs.cache, &dirs.data, &dirs.config]
            .into_iter()
            .any(|dir| dir.starts_with(path));
        let is_sidecar = [
            home.at("logs/a.mem"),
            home.at("logs/a.mem.damaged"),
            beside.clone(),
        ]
        .contains(path);
        assert!(
            dirs.hold(path) || above || is_sidecar,
            "{} is out of place",
            path.display()
        );
    }

    engine.forget_sessions().unwrap();
    assert!(!beside.exists());
    for file in news(&dirs.cache, &BTreeSet::new()) {
        let rest = fs::read(&file).unwrap_or_default();
        let name = stored.file_stem().unwrap().as_encoded_bytes();
        assert!(
            !rest.windows(name.len()).any(|window| window == name),
            "{} remembers",
            file.display()
        );
    }
    assert_eq!(
        known
            .iter()
            .filter(|path| path.is_file())
            .map(stats)
            .collect::<Vec<_>>(),
        before,
        "a log was touched"
    );
}
