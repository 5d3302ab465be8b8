//! `verify` names whatever is wrong with what is derived, each file in one line; `rebuild` makes all of it anew from the logs
//! alone, whatever the state it finds, says what it did, and leaves what is not its to touch.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use memfold::{FoldReport, KeptKind, KeptRow, Quiet, Sum};
use memfold_disk::{Identity, Links, Mark};
use memfold_sidecar::{Place, Receipts, beside};
use memfold_tests::House;
use memfold_tests::damage::{Instead, overwrite, replace};
use memfold_tests::home::{half_a_turn, turns};

const QUERIES: &[&str] = &["gate", "the turn", "\"the gate held\"", "half-a-turn"];

/// A house of five logs, two of them with tails, all rolled up.
fn rolled() -> House {
    let house = House::rolling();
    for number in 0..5 {
        let mut log = turns(number * 3..number * 3 + 3);
        if number % 2 == 0 {
            log.extend(half_a_turn(number * 3 + 3));
        }
        house.write(&format!("{number}.jsonl"), &log);
    }
    house.roll();
    assert!(house.is_rolled());
    house
}

fn verify(house: &House) -> FoldReport {
    house.engine().verify(&[house.logs()], &Quiet).unwrap()
}

fn rebuild(house: &House) -> FoldReport {
    house.engine().rebuild(&[house.logs()], &Quiet).unwrap()
}

#[track_caller]
fn answers(house: &House) {
    let reference = house.reference();
    for query in QUERIES {
        if let Err(why) = house.compare_events(&house.engine(), &reference, query) {
            panic!("{why}");
        }
    }
}

/// A check finds nothing wrong, and searches answer as the reference.
#[track_caller]
fn is_right(house: &House) {
    let report = verify(house);
    assert_eq!(report.wrong, 0, "{report:#?}");
    answers(house);
}

fn sum(report: &FoldReport, kind: KeptKind) -> Sum {
    let none = Sum {
        kind,
        rebuilt: 0,
        dropped: 0,
        swept: 0,
        left: 0,
        failed: 0,
    };
    let found = report.sums.iter().find(|sum| sum.kind == kind);
    found.copied().unwrap_or(none)
}

#[track_caller]
fn row<'r>(report: &'r FoldReport, path: &Path) -> &'r KeptRow {
    let found = report.kept.iter().find(|row| row.path == path);
    found.unwrap_or_else(|| panic!("nothing of {} in {report:#?}", path.display()))
}

fn logs_of(house: &House) -> Vec<(PathBuf, Vec<u8>)> {
    let logs = house.files(".jsonl").into_iter();
    logs.map(|log| (log.clone(), fs::read(log).unwrap()))
        .collect()
}

fn in_rollup(house: &House, ending: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(house.cache().join("rollup"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    found.sort();
    found
}

/// Has the receipts say that all was proved long after it was last touched.
fn settle(house: &House) {
    let mut receipts = Receipts::load(&house.cache());
    let all: Vec<_> = receipts
        .all()
        .map(|(log, receipt)| (log.to_owned(), receipt.clone()))
        .collect();
    for (log, mut receipt) in all {
        receipt.proved_at = i64::MAX;
        receipts.put(&log, receipt);
    }
    receipts.save(&house.engine_locks()).unwrap();
}

#[test]
fn everything_that_was_deleted_is_made_anew() {
    let house = rolled();
    let logs = logs_of(&house);
    for path in house.files(".mem") {
        fs::remove_file(path).unwrap();
    }
    fs::remove_dir_all(house.cache()).unwrap();
    let report = verify(&house);
    assert_eq!(report.wrong, 0, "missing is not wrong: {report:#?}");
    let report = rebuild(&house);
    assert_eq!(sum(&report, KeptKind::Sidecar).rebuilt, 5, "{report:#?}");
    assert_eq!(sum(&report, KeptKind::Receipts).rebuilt, 5);
    assert!(report.sums.iter().all(|sum| sum.failed == 0), "{report:#?}");
    is_right(&house);
    assert!(logs == logs_of(&house));
    // The logs were written a moment ago: they are rolled up once that is past.
    settle(&house);
    let report = rebuild(&house);
    assert_eq!(sum(&report, KeptKind::Sidecar).rebuilt, 5);
    house.roll();
    assert!(house.is_rolled());
    is_right(&house);
}

#[test]
fn whatever_stands_in_the_way_is_taken_out_of_it() {
    for instead in [
        Instead::Folder,
        Instead::FullFolder,
        Instead::Dangling,
        Instead::Loop,
        Instead::Empty,
    ] {
        for name in [
            "receipts",
            "rollup",
            "tails",
            "sidecars",
            "rollup/catalogue",
            "shard",
        ] {
            let house = rolled();
            let path = match name {
                "shard" => in_rollup(&house, ".shard").remove(0),
                name => house.cache().join(name),
            };
            let is_folder = ["rollup", "tails", "sidecars"].contains(&name);
            if is_folder && matches!(instead, Instead::Folder | Instead::FullFolder) {
                continue;
            }
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            replace(&path, instead);
            let what = format!("{instead:?} instead of {name}");
            answers(&house);
            replace(&path, instead);
            let said = verify(&house);
            assert!(row(&said, &path).wrong, "{what}: {said:#?}");
            assert_eq!(
                row(&said, &path).mend[..2],
                ["memfold", "rebuild"],
                "{what}"
            );
            let report = rebuild(&house);
            assert!(
                report.sums.iter().all(|sum| sum.failed == 0),
                "{what}: {report:#?}"
            );
            is_right(&house);
            house.roll();
            assert!(house.is_rolled(), "{what}");
            is_right(&house);
            if instead == Instead::FullFolder {
                let mut aside = path.into_os_string();
                aside.push(".damaged");
                assert!(Path::new(&aside).join("somebody's").exists(), "{what}");
            }
        }
    }
}

#[test]
fn a_file_where_a_folder_should_be_is_swept() {
    let house = rolled();
    let rollup = house.cache().join("rollup");
    fs::remove_dir_all(&rollup).unwrap();
    fs::write(&rollup, b"a file").unwrap();
    answers(&house);
    assert!(row(&verify(&house), &rollup).wrong);
    let report = rebuild(&house);
    assert_eq!(row(&report, &rollup).done, "cleared");
    assert_eq!(sum(&report, KeptKind::SetAside).swept, 1, "{report:#?}");
    house.roll();
    assert!(house.is_rolled() && rollup.is_dir());
    is_right(&house);
}

#[test]
fn what_stands_in_a_sidecars_place_beside_its_log_is_left_there() {
    let house = rolled();
    let [folder, link] = ["0.mem", "1.mem"].map(|name| house.logs().join(name));
    replace(&folder, Instead::FullFolder);
    fs::remove_file(&link).unwrap();
    symlink(house.logs().join("2.mem"), &link).unwrap();
    let report = verify(&house);
    assert_eq!(report.wrong, 2, "{report:#?}");
    let report = rebuild(&house);
    assert_eq!(sum(&report, KeptKind::Sidecar).rebuilt, 5, "{report:#?}");
    assert!(folder.join("somebody's").exists() && link.is_symlink());
    let receipts = Receipts::load(&house.cache());
    let place = |name: &str| receipts.of(&house.logs().join(name)).unwrap().place;
    assert_eq!([place("0.jsonl"), place("1.jsonl")], [Place::Cache; 2]);
    is_right(&house);
}

#[test]
fn what_a_later_program_wrote_is_left_and_said() {
    let house = rolled();
    let receipts = house.cache().join("receipts");
    let catalogue = house.cache().join("rollup/catalogue");
    let tail = house.cache().join("tails").join("0".repeat(32));
    fs::create_dir_all(tail.parent().unwrap()).unwrap();
    let shards = in_rollup(&house, ".shard");
    let later = |name: &[u8; 8]| [Mark::new(name).bytes(), &b"of tomorrow"[..]].concat();
    let all = [
        (&receipts, later(b"memrcpt5")),
        (&catalogue, later(b"memroll3")),
        (&tail, later(b"memtail5")),
    ];
    for (path, bytes) in &all {
        fs::write(path, bytes).unwrap();
    }
    let said = verify(&house);
    assert_eq!(said.wrong, 0, "{said:#?}");
    answers(&house);
    house.fold();
    let report = rebuild(&house);
    for (path, bytes) in &all {
        assert!(row(&said, path).found.contains("newer format"), "{said:#?}");
        assert_eq!(row(&report, path).done, "left", "{report:#?}");
        assert_eq!(&fs::read(path).unwrap(), bytes, "{}", path.display());
    }
    // Whose shards those are, only the catalogue says.
    assert_eq!(in_rollup(&house, ".shard"), shards);
    assert_eq!(sum(&report, KeptKind::Sidecar).rebuilt, 5);
    answers(&house);
    // A person who wants to be rid of it all is.
    house.engine().forget_sessions().unwrap();
    assert_eq!(in_rollup(&house, ""), Vec::<PathBuf>::new());
}

#[test]
fn leftovers_are_swept_and_what_is_not_ours_stays() {
    let house = rolled();
    let logs = house.logs();
    let old = SystemTime::now() - Duration::from_secs(120);
    let temporary = |path: PathBuf, when: SystemTime| {
        fs::File::create(&path).unwrap().set_modified(when).unwrap();
        path
    };
    let swept = [
        temporary(logs.join(".memfold-00000000000000a1.tmp"), old),
        temporary(house.cache().join(".memfold-00000000000000a2.tmp"), old),
        temporary(
            house.cache().join("rollup/.memfold-00000000000000a3.tmp"),
            old,
        ),
    ];
    let young = temporary(
        logs.join(".memfold-00000000000000a4.tmp"),
        SystemTime::now(),
    );
    let sidecar = fs::read(logs.join("0.mem")).unwrap();
    let aside = logs.join("0.mem.damaged");
    fs::write(&aside, &sidecar[..200]).unwrap();
    let notes = logs.join("1.mem.damaged");
    fs::write(&notes, b"a person's notes").unwrap();
    let cached = house.cache().join("sidecars");
    fs::create_dir_all(&cached).unwrap();
    let unknown = cached.join(format!("{}.mem", "0".repeat(32)));
    fs::write(&unknown, &sidecar).unwrap();
    let shard = in_rollup(&house, ".shard").remove(0);
    let left_over = shard.with_file_name(format!("{}.shard", "0".repeat(32)));
    fs::copy(&shard, &left_over).unwrap();
    let other = house.cache().join("notes");
    fs::write(&other, b"a person's notes").unwrap();
    let orphan = logs.join("gone.mem");
    fs::copy(logs.join("2.mem"), &orphan).unwrap();

    assert_eq!(verify(&house).wrong, 0);
    let report = rebuild(&house);
    for path in swept.iter().chain([&aside, &unknown, &left_over, &orphan]) {
        assert!(!path.exists(), "{}: {report:#?}", path.display());
    }
    for path in [&young, &notes, &other] {
        assert!(path.exists(), "{}", path.display());
    }
    let temporary = sum(&report, KeptKind::Temporary);
    assert_eq!((temporary.swept, temporary.left), (3, 1), "{report:#?}");
    let aside = sum(&report, KeptKind::SetAside);
    assert_eq!((aside.swept, aside.left), (1, 1), "{report:#?}");
    let sidecars = sum(&report, KeptKind::Sidecar);
    assert_eq!((sidecars.rebuilt, sidecars.dropped), (5, 2), "{report:#?}");
    assert_eq!(row(&report, &other).done, "left");
    is_right(&house);
}

/// A rewrite of a log that stat does not show: the size is the same, and so are the times, which a coarse clock or whoever
/// sets a clock can bring about. A search believes stat; the check does not.
#[test]
fn a_rewrite_that_stat_does_not_show_is_named() {
    let house = rolled();
    let log = house.logs().join("0.jsonl");
    let text = String::from_utf8(fs::read(&log).unwrap()).unwrap();
    overwrite(&log, text.replace("gate held", "gale held").as_bytes());
    let now = Identity::at(&log, Links::Follow).unwrap().to_bytes();
    let mut receipts = Receipts::load(&house.cache());
    let mut receipt = receipts.of(&log).unwrap().clone();
    receipt.log = now;
    receipts.put(&log, receipt);
    receipts.save(&house.engine_locks()).unwrap();
    let report = verify(&house);
    let of_log = report.logs.iter().find(|row| row.path == log).unwrap();
    assert_eq!((of_log.verdict, of_log.wrong), ("log-rewritten", true));
    let mend = ["memfold", "rebuild", log.to_str().unwrap()];
    assert_eq!(of_log.mend, mend);
    house.engine().rebuild(&[log], &Quiet).unwrap();
    is_right(&house);
}

/// A sound receipt, tail or shard that says what its log does not: no checksum tells, folding again does.
#[test]
fn what_says_otherwise_than_its_log_is_named() {
    let house = rolled();
    let log = house.logs().join("0.jsonl");
    let mut receipts = Receipts::load(&house.cache());
    let mut receipt = receipts.of(&log).unwrap().clone();
    receipt.title = Some("a title that nobody gave".to_owned());
    receipts.put(&log, receipt);
    receipts.save(&house.engine_locks()).unwrap();
    let file = house.cache().join("receipts");
    let report = verify(&house);
    let said = row(&report, &file);
    assert!(
        said.wrong && said.found.contains("0.jsonl: its title"),
        "{said:?}"
    );
    rebuild(&house);
    house.roll();
    is_right(&house);

    // The roll-up of other words, its rows made to fit the logs' states.
    let other = House::rolling();
    for number in 0..5 {
        let path = house.logs().join(format!("{number}.jsonl"));
        let text = String::from_utf8(fs::read(path).unwrap()).unwrap();
        other.write(
            &format!("{number}.jsonl"),
            text.replace("denylist", "allowlis").as_bytes(),
        );
    }
    other.roll();
    let (forged, names) = forge(&house, &other);
    assert!(forged > 0);
    let report = verify(&house);
    let wrong: Vec<&KeptRow> = report.kept.iter().filter(|row| row.wrong).collect();
    assert_eq!(wrong.len(), 5, "{report:#?}");
    assert!(
        names.contains(&wrong[0].path) && wrong[0].found.contains("another words"),
        "{wrong:#?}"
    );
    rebuild(&house);
    house.roll();
    is_right(&house);
}

/// Puts the shards of another house into one, under a catalogue that says they are of its logs as they are.
fn forge(house: &House, other: &House) -> (usize, Vec<PathBuf>) {
    use memfold_rollup::{Catalogue, LogRow};
    let folder = |house: &House| house.cache().join("rollup");
    let bytes = fs::read(folder(other).join("catalogue")).unwrap();
    let program = *Catalogue::program(&bytes).unwrap();
    let catalogue = Catalogue::open(bytes, &program).unwrap();
    let rows: Vec<LogRow> = catalogue
        .rows()
        .map(|row| {
            let row = catalogue.log(row).unwrap();
            let path = house.logs().join(row.path.file_name().unwrap());
            LogRow {
                identity: Identity::at(&path, Links::Follow).unwrap(),
                path,
                ..row
            }
        })
        .collect();
    let forged = Catalogue::encode(&program, catalogue.shards(), &rows).unwrap();
    fs::write(folder(house).join("catalogue"), forged).unwrap();
    let mut names = Vec::new();
    for path in in_rollup(other, ".shard") {
        let here = folder(house).join(path.file_name().unwrap());
        fs::copy(&path, &here).unwrap();
        names.push(here);
    }
    (rows.len(), names)
}

/// A search took over what a log's receipt knew though the log had lost the lines that said it, or though it was that of
/// another log with the same whole turns: of equal scores the wrong task came first.
#[test]
fn a_receipt_forgets_what_lines_said_that_are_gone() {
    let later = |log: &[u8]| {
        let text = String::from_utf8(half_a_turn(3)).unwrap();
        [log, text.replace("2026-03-02", "2027-03-02").as_bytes()].concat()
    };
    let ended = |house: &House, name: &str| {
        let log = house.logs().join(name);
        Receipts::load(&house.cache()).of(&log).unwrap().ended
    };
    let log = turns(0..3);
    let truth = House::new();
    truth.write("a.jsonl", &log);
    truth.fold();
    let expected = ended(&truth, "a.jsonl");

    // Cut back to what the sidecar covers.
    let house = House::new();
    house.write("a.jsonl", &log);
    house.fold();
    overwrite(&house.logs().join("a.jsonl"), &later(&log));
    answers(&house);
    assert_ne!(ended(&house, "a.jsonl"), expected);
    overwrite(&house.logs().join("a.jsonl"), &log);
    answers(&house);
    assert_eq!(ended(&house, "a.jsonl"), expected);

    // Known by the receipt of a log that has the same whole turns, and more.
    let house = House::new();
    house.write("a.jsonl", &later(&log));
    house.fold();
    house.write("b.jsonl", &log);
    let sidecar = beside(&house.logs().join("a.jsonl"));
    fs::copy(sidecar, house.logs().join("b.mem")).unwrap();
    answers(&house);
    assert_eq!(ended(&house, "b.jsonl"), expected);
}

/// A fold called a log whose tail was rewritten to the same length up to date, and noted its new state beside what the old
/// lines said.
#[test]
fn a_tail_of_the_same_length_is_read_by_a_fold_too() {
    let house = House::new();
    let tail = half_a_turn(3);
    let log = house.write("a.jsonl", &[turns(0..3), tail.clone()].concat());
    house.fold();
    let other = String::from_utf8(tail)
        .unwrap()
        .replace("2026-03-02", "2027-03-02");
    overwrite(&log, &[&turns(0..3), other.as_bytes()].concat());
    house.fold();
    let ended = Receipts::load(&house.cache()).of(&log).unwrap().ended;
    let truth = House::new();
    let same = truth.write("a.jsonl", &fs::read(&log).unwrap());
    truth.fold();
    assert_eq!(
        ended,
        Receipts::load(&truth.cache()).of(&same).unwrap().ended
    );
    answers(&house);
}

/// A log that could not be kept any more was told by the receipt of what had stood under its name: the wrong one of two
/// copies counted.
#[test]
fn a_log_that_cannot_be_kept_is_told_by_its_own_lines() {
    let house = House::new();
    let text = String::from_utf8(turns(0..3)).unwrap();
    let later = text
        .replace("2026-03-02", "2027-03-02")
        .replace("\"u-", "\"v-");
    let log = house.write("a.jsonl", later.as_bytes());
    house.write("b.jsonl", text.as_bytes());
    house.fold();
    replace(&house.logs().join("a.mem"), Instead::FullFolder);
    let cached = house.cache().join("sidecars");
    fs::write(&cached, b"a file where a folder should be").unwrap();
    overwrite(&log, text.as_bytes());
    answers(&house);
    let found = house.search("gate").unwrap();
    assert!(found.results.iter().all(|hit| hit.log == log), "{found:#?}");
}

/// A shard that is gone was in the way of every roll-up to come, where a search was for some of its logs only.
#[test]
fn a_shard_that_is_gone_is_not_missed_for_ever() {
    let house = House::rolling();
    for folder in ["one", "two"] {
        for number in 0..3 {
            let name = format!("{folder}/{number}.jsonl");
            let from = number * 3 + usize::from(folder == "two") * 50;
            house.write(&name, &turns(from..from + 3));
        }
    }
    house.roll();
    for path in in_rollup(&house, ".shard") {
        fs::remove_file(path).unwrap();
    }
    let search = memfold::Search {
        query: "gate".to_owned(),
        logs: memfold::Logs::Below(vec![house.logs().join("one")]),
        limit: 10,
        filter: memfold::Filter::default(),
    };
    for _ in 0..3 {
        house.engine().search(&search, &Quiet).unwrap();
    }
    assert!(house.is_rolled());
    assert_eq!(verify(&house).wrong, 0, "{:#?}", verify(&house));
    assert!(!in_rollup(&house, ".shard").is_empty());
    answers(&house);
}

/// A sound shard that came under another's name was believed: its words were ranked as if they were these logs'.
#[test]
fn a_shard_under_anothers_name_answers_nothing() {
    let (house, other) = (House::rolling(), House::rolling());
    for number in 0..3 {
        house.write(
            &format!("{number}.jsonl"),
            &turns(number * 3..number * 3 + 3),
        );
        let text = String::from_utf8(turns(number * 3..number * 3 + 3)).unwrap();
        let text = text
            .replace("denylist", "allowlis")
            .replace("gate held", "held gate");
        other.write(&format!("{number}.jsonl"), text.as_bytes());
    }
    house.roll();
    other.roll();
    let (ours, others) = (in_rollup(&house, ".shard"), in_rollup(&other, ".shard"));
    assert_eq!((ours.len(), others.len()), (1, 1));
    fs::copy(&others[0], &ours[0]).unwrap();
    assert!(row(&verify(&house), &ours[0]).wrong);
    answers(&house);
}

/// A sidecar of ours in the cache was taken for a newer program's, since the fold's own version was compared with the sum of
/// all that makes a fold: where none could be written beside the log, a rebuild kept nothing.
#[test]
fn a_cached_sidecar_of_our_own_is_made_anew() {
    let house = House::new();
    let log = house.write("a.jsonl", &turns(0..3));
    // A folder that nobody can write to, root included, stands for one that may not be written to.
    fs::create_dir(house.logs().join("a.mem")).unwrap();
    house.fold();
    let cached = memfold_sidecar::Keeper::new(house.engine_locks(), house.cache()).in_cache(&log);
    let whole = fs::read(&cached).unwrap();
    for damage in [&whole[..whole.len() / 2], &b"not a sidecar"[..]] {
        fs::write(&cached, damage).unwrap();
        let report = rebuild(&house);
        assert_eq!(sum(&report, KeptKind::Sidecar).rebuilt, 1, "{report:#?}");
        assert!(fs::read(&cached).unwrap() == whole);
        is_right(&house);
    }
}
