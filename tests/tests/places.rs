//! Where a sidecar lies if it cannot lie beside its log, and what else may lie there: another form's, a newer program's, a
//! pipe, a folder, a link. What is not ours to replace is left as it is, and the log answers all the same.

// clippy.toml lets tests unwrap, but not the functions that they share.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use memfold::{Logs, Quiet};
use memfold_tests::home::{Home, QUERIES, assert_same, row, search, turns};
use memfold_tests::shown::{LOG, MEM, mended, of_format, rewritten};

/// What a newer program keeps in the cache is left alone there too: this one keeps its own apart, and folds once.
#[test]
fn newer_in_the_cache() {
    let log = turns(0..6);
    for version in [1, 2] {
        let home = Home::new();
        fs::create_dir_all(home.at("logs/.git")).unwrap();
        home.write(LOG, &log);
        home.fold();
        let cached = home.sidecar(LOG);
        assert_ne!(cached, home.at(MEM));
        fs::copy(&cached, home.at(MEM)).unwrap();
        match version {
            1 => rewritten(&home, |_, fold| fold.version += 1),
            _ => of_format(&home, version),
        }
        fs::rename(home.at(MEM), &cached).unwrap();
        let newer = home.read(&cached);
        let truth = home.without_sidecars().answers(QUERIES);
        assert_eq!(home.answers(QUERIES), truth);
        let apart = home.sidecar(LOG);
        assert_ne!(apart, cached);
        mended(
            &home,
            ["newer-fold", "newer-format"][usize::from(version == 2)],
        );
        assert_eq!(home.answers(QUERIES), truth);
        // It grows, and is made anew, where it is.
        home.append(LOG, &turns(6..9));
        let row = |report: &memfold::FoldReport| row(report, "a.jsonl").done.clone();
        assert_eq!(row(&home.fold()), "extended");
        fs::write(&apart, b"not a sidecar").unwrap();
        let rebuilt = home.engine().rebuild(&[home.at("logs")], &Quiet).unwrap();
        assert_eq!(row(&rebuilt), "set aside, folded again");
        assert_eq!(row(&home.fold()), "nothing");
        assert_eq!((home.sidecar(LOG), home.verify().wrong), (apart.clone(), 0));
        assert!(
            home.read(&cached) == newer,
            "a newer sidecar was overwritten"
        );
        // Neither outlives its log.
        fs::remove_file(home.at(LOG)).unwrap();
        home.fold();
        assert!(!apart.exists() && !cached.exists());
    }
}

/// One kept apart goes once nobody has written it for a month, whosever it was; until then it stays.
#[test]
fn what_is_kept_apart_and_no_longer_written_goes() {
    let home = Home::folded(&turns(0..6));
    let keeper = memfold_sidecar::Keeper::new(home.dirs().locks(), home.dirs().cache);
    let name = keeper.in_cache(&home.at(LOG));
    let name = name.file_stem().unwrap().to_str().unwrap();
    let apart = |versions: &str| {
        let name = format!("{name}-{versions}.mem");
        home.dirs().cache.join("sidecars").join(name)
    };
    let sidecar = home.read(MEM);
    for (versions, days) in [("1-3", 31), ("1-4", 29)] {
        home.write(apart(versions), &sidecar);
        let then = SystemTime::now() - Duration::from_secs(days * 24 * 3600);
        let file = fs::File::open(apart(versions)).unwrap();
        file.set_modified(then).unwrap();
    }
    home.fold();
    assert!(!apart("1-3").exists() && apart("1-4").exists());
    home.engine().forget_sessions().unwrap();
    // The logs are none of the project's.
    assert!(apart("1-4").exists());
    fs::remove_file(home.at(LOG)).unwrap();
    home.fold();
    assert!(!apart("1-4").exists());
}

#[test]
fn other_form() {
    let log = turns(0..6);
    let home = Home::folded(&log);
    let before = home.read(MEM);
    let zst = home.write("logs/a.jsonl.zst", &zstd::encode_all(&log[..], 3).unwrap());
    let of_zst = |query: &str| {
        let answer = home
            .engine()
            .search(&search(query, Logs::File(zst.clone())), &Quiet)
            .unwrap();
        answer
            .results
            .iter()
            .map(|hit| (hit.seq, hit.score))
            .collect::<Vec<_>>()
    };
    let of_plain: Vec<_> = home
        .search("denylist")
        .results
        .iter()
        .map(|hit| (hit.seq, hit.score))
        .collect();
    assert_eq!(of_zst("denylist"), of_plain);
    let report = home
        .engine()
        .fold(std::slice::from_ref(&zst), &Quiet)
        .unwrap();
    let said = row(&report, "a.jsonl.zst");
    assert_eq!(said.verdict, "other-form");
    assert_eq!(
        said.found,
        "belongs to the same log in another form; left as it is"
    );
    assert_eq!(
        home.engine()
            .verify(std::slice::from_ref(&zst), &Quiet)
            .unwrap()
            .wrong,
        0
    );
    assert_eq!(of_zst("denylist"), of_plain);
    assert!(
        home.read(MEM) == before,
        "the plain form's sidecar was touched"
    );

    // The plain form goes, as when a host compresses its old logs: its sidecar is nobody's then.
    fs::remove_file(home.at(LOG)).unwrap();
    let report = home.fold();
    let said = row(&report, "a.jsonl.zst");
    assert_eq!(
        (said.verdict, said.found.as_str()),
        ("orphan", "its log is gone")
    );
    mended(&home, "orphan");
    assert_eq!(home.sidecar("logs/a.jsonl.zst"), home.at(MEM));
}

#[test]
fn compressed() {
    let (log, more) = (turns(0..6), turns(6..9));
    let home = Home::new();
    let write = |bytes: &[u8]| home.write("logs/a.jsonl.zst", &zstd::encode_all(bytes, 3).unwrap());
    write(&log);
    assert_eq!(row(&home.fold(), ".zst").verdict, "missing");
    mended(&home, "missing");
    write(&[log.clone(), more].concat());
    let report = home.verify();
    assert_eq!(
        (row(&report, ".zst").verdict, report.wrong),
        ("appended", 0),
        "{report:#?}"
    );
    assert_eq!(row(&home.fold(), ".zst").verdict, "appended");
    mended(&home, "appended");
    write(&log);
    assert_eq!(row(&home.fold(), ".zst").verdict, "log-truncated");
    mended(&home, "log-truncated");
    // Cut within the compressed bytes: what can be decompressed is found.
    let whole = home.read("logs/a.jsonl.zst");
    home.write("logs/a.jsonl.zst", &whole[..whole.len() - 4]);
    let report = home.fold();
    assert_eq!(row(&report, ".zst").verdict, "log-truncated", "{report:#?}");
    assert!(home.search("denylist").complete);
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn unreadable() {
    type Put = fn(&Home, &Path);
    let puts: [(&str, Put); 3] = [
        ("a named pipe", |_, path| fifo(path)),
        ("a folder", |_, path| fs::create_dir(path).unwrap()),
        ("a symbolic link", |home, path| {
            fs::rename(path.with_extension("true"), home.at("elsewhere.mem")).unwrap();
            symlink(home.at("elsewhere.mem"), path).unwrap();
        }),
    ];
    for (kind, put) in puts {
        let change = |home: &Home| {
            fs::rename(home.at(MEM), home.at("logs/a.true")).unwrap();
            put(home, &home.at(MEM));
            let _ = fs::remove_file(home.at("logs/a.true"));
        };
        let home = Home::folded(&turns(0..6));
        change(&home);
        let report = home.fold();
        let said = &row(&report, "a.jsonl").found;
        assert!(
            said.starts_with("cannot be read: ") && said.contains(kind),
            "{said}"
        );
        assert!(
            report.notes.iter().any(|note| note.contains(kind)),
            "{:?}",
            report.notes
        );
        let kept = |home: &Home| fs::symlink_metadata(home.at(MEM)).unwrap().file_type();
        let before = kept(&home);
        mended(&home, "unreadable");
        assert_eq!(kept(&home), before, "{kind} was replaced");

        // A search comes first, and finds the way back once the place is free.
        let home = Home::folded(&turns(0..6));
        change(&home);
        let truth = home.without_sidecars().answers(QUERIES);
        assert_eq!(home.answers(QUERIES), truth, "{kind}");
        assert!(
            home.search("denylist")
                .notes
                .iter()
                .any(|note| note.contains(kind))
        );
        fs::remove_file(home.at(MEM))
            .or_else(|_| fs::remove_dir(home.at(MEM)))
            .unwrap();
        assert_eq!(home.answers(QUERIES), truth, "{kind}");
        mended(&home, "missing");
    }
}

/// Where the folder cannot hold a sidecar, the cache does, and no search folds the log again.
#[test]
fn in_the_cache_where_it_cannot_lie_beside() {
    let home = Home::new();
    fs::create_dir_all(home.at("logs/.git")).unwrap();
    home.write(LOG, &turns(0..6));
    let truth = home.without_sidecars().answers(QUERIES);
    assert_eq!(home.answers(QUERIES), truth);
    let report = home.fold();
    assert_eq!(
        (
            row(&report, "a.jsonl").verdict,
            row(&report, "a.jsonl").done.as_str()
        ),
        ("current", "nothing")
    );
    assert_eq!(home.files("logs").len(), 1, "nothing lies in the work tree");
    mended(&home, "current");
    home.append(LOG, &turns(6..7));
    assert_eq!(row(&home.fold(), "a.jsonl").done, "extended");
    mended(&home, "appended");
}

/// Another process holds the lock: a search does not wait for it, answers from the log, and says so.
#[test]
fn a_lock_that_is_held_holds_up_nobody() {
    let home = Home::new();
    home.write(LOG, &turns(0..6));
    let truth = home.without_sidecars().answers(QUERIES);
    let held = home.dirs().locks().try_lock(home.at(MEM)).unwrap().unwrap();
    let notes = home.search("denylist").notes;
    assert!(
        notes
            .iter()
            .any(|note| note.contains("another process is folding this log")),
        "{notes:?}"
    );
    assert_eq!(home.answers(QUERIES), truth);
    assert!(!home.at(MEM).exists(), "written without the lock");
    drop(held);
    assert_eq!(home.answers(QUERIES), truth);
    mended(&home, "missing");
}

/// Nothing of ours can be written: every search folds in memory, answers, and says what that costs.
#[test]
fn where_nothing_can_be_written_a_search_still_answers() {
    let home = Home::new();
    fs::create_dir_all(home.at("logs/.git")).unwrap();
    home.write(LOG, &turns(0..6));
    let truth = home.without_sidecars().answers(QUERIES);
    // Files stand where the folders would be: that stops root, too.
    home.write("home/.cache", b"");
    home.write("home/.local", b"");
    for _ in 0..2 {
        assert_eq!(home.answers(QUERIES), truth);
    }
    let notes = home.search("denylist").notes;
    assert!(
        notes
            .iter()
            .any(|note| note.contains("for this search alone")),
        "{notes:?}"
    );
    let report = home.fold();
    let done = &row(&report, "a.jsonl").done;
    assert!(done.starts_with("folded in memory: "), "{done}");
    assert_eq!(home.files("logs").len(), 1);
}

/// Sidecars are made anew, damaged and removed while others search: each search has the old file or the new one, or folds.
#[test]
fn searches_beside_writers_answer_the_same() {
    let home = Home::new();
    for log in 0..3 {
        home.write(format!("logs/{log}.jsonl"), &turns(log * 10..log * 10 + 8));
    }
    let truth = home.without_sidecars().answers(QUERIES);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..24 {
                home.engine().rebuild(&[home.at("logs")], &Quiet).unwrap();
                let mem = home.at(format!("logs/{}.mem", round % 3));
                match round % 4 {
                    0 => drop(fs::remove_file(mem)),
                    1 => drop(fs::write(mem, b"\x89MEM\r\n\x1a\n, and then nothing")),
                    2 => drop(fs::remove_file(home.dirs().cache.join("receipts"))),
                    _ => drop(home.verify()),
                }
            }
        });
        for _ in 0..2 {
            scope.spawn(|| {
                (0..24).for_each(|_| assert_same(&home.answers(QUERIES), &truth, "a search"));
            });
        }
    });
    mended(&home, "current");
}
