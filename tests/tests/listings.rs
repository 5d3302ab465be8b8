//! Listings of folders can only help: whatever becomes of logs and folders between two searches is seen by the second, and a
//! file of listings that is damaged, or lies, is named and removed. Folders are taken for ones that were left alone.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::cell::Cell;
use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use memfold::{KeptKind, Quiet};
use memfold_disk::fail;
use memfold_tests::House;
use memfold_tests::home::{half_a_turn, turns};

const QUERIES: &[&str] = &["gate", "turn7 denylist", "half-a-turn"];
/// So many folders are worth a file.
const FOLDERS: usize = 64;

/// A house whose folders are known, and the seconds that its folders were touched at.
struct Known {
    house: House,
    second: Cell<u64>,
}

impl Known {
    fn new(house: House) -> Known {
        fail::age(3600);
        for number in 0..FOLDERS {
            let mut log = turns(number..number + 1);
            if number % 3 == 0 {
                log.extend(half_a_turn(number + 1000));
            }
            house.write(&format!("p{number:02}/{number}.jsonl"), &log);
        }
        house.roll();
        assert!(house.is_rolled());
        let known = Known {
            house,
            second: Cell::new(1000),
        };
        for number in 0..FOLDERS {
            known.touch(&format!("p{number:02}"));
        }
        known.touch("");
        fs::remove_file(known.file()).unwrap();
        known.is_as_the_reference("new");
        assert!(known.file().is_file());
        known.is_as_the_reference("known");
        known
    }

    fn file(&self) -> PathBuf {
        self.house.cache().join("listings")
    }

    fn at(&self, path: &str) -> PathBuf {
        self.house.logs().join(path)
    }

    /// Gives a folder a time of its own, as time that goes by would.
    fn touch(&self, folder: &str) {
        self.second.set(self.second.get() + 1);
        let when = SystemTime::UNIX_EPOCH + Duration::from_secs(self.second.get());
        File::open(self.at(folder))
            .unwrap()
            .set_modified(when)
            .unwrap();
    }

    #[track_caller]
    fn is_as_the_reference(&self, when: &str) {
        let reference = self.house.reference();
        for query in QUERIES {
            if let Err(why) = self.house.compare(&reference, query) {
                panic!("{when}: {why}");
            }
        }
    }

    /// The kinds of files that a check finds wrong.
    fn wrong(&self) -> Vec<KeptKind> {
        let report = self
            .house
            .engine()
            .verify(&[self.house.logs()], &Quiet)
            .unwrap();
        let wrong = report.kept.iter().filter(|row| row.wrong);
        wrong.map(|row| row.kind).collect()
    }
}

#[test]
fn whatever_becomes_of_logs_is_seen_at_once() {
    for house in [House::rolling(), House::rolling_with_one_engine()] {
        let known = Known::new(house);
        let at = |path: &str| known.at(path);
        let seen = |when: &str, folders: &[&str]| {
            folders.iter().for_each(|folder| known.touch(folder));
            known.is_as_the_reference(when);
            known.is_as_the_reference("once more");
        };
        let mut log = fs::read(at("p00/0.jsonl")).unwrap();
        log.extend(turns(200..202));
        fs::write(at("p00/0.jsonl"), &log).unwrap();
        seen("a log grew", &[]);
        fs::write(at("p01/1.jsonl"), turns(300..301)).unwrap();
        seen("a log was written anew", &[]);
        fs::write(at("p02/next"), turns(301..303)).unwrap();
        fs::rename(at("p02/next"), at("p02/2.jsonl")).unwrap();
        seen("a log was replaced", &["p02"]);
        fs::remove_file(at("p03/3.jsonl")).unwrap();
        seen("a log was deleted", &["p03"]);
        fs::rename(at("p04/4.jsonl"), at("p04/five.jsonl")).unwrap();
        seen("a log got another name", &["p04"]);
        fs::rename(at("p05/5.jsonl"), at("p06/5.jsonl")).unwrap();
        seen("a log moved", &["p05", "p06"]);
        known.house.write("p07/new.jsonl", &turns(400..402));
        seen("a log came", &["p07"]);
        known.house.write("q/deep/new.jsonl", &turns(402..404));
        seen("a folder came", &["q/deep", "q", ""]);
        fs::remove_dir_all(at("p08")).unwrap();
        seen("a folder went", &[""]);
        fs::rename(at("p09"), at("q/p09")).unwrap();
        seen("a folder moved", &["", "q", "q/p09"]);
        fs::remove_dir_all(at("q")).unwrap();
        known.house.write("q", b"a file");
        seen("a file stands in a folder's place", &[""]);
        assert_eq!(known.wrong(), []);
    }
}

#[test]
fn one_that_is_damaged_answers_nothing_and_is_mended() {
    let known = Known::new(House::rolling());
    let whole = fs::read(known.file()).unwrap();
    assert_eq!(known.wrong(), []);
    for place in (0..whole.len()).step_by(whole.len() / 12) {
        let mut bytes = whole.clone();
        bytes[place] ^= 1 << (place % 8);
        fs::write(known.file(), &bytes).unwrap();
        assert_eq!(known.wrong(), [KeptKind::Listings], "byte {place}");
        known.is_as_the_reference("damaged");
        assert_eq!(known.wrong(), []);
    }
    // One that lies behind a right checksum cannot come about by itself. A check finds it.
    let name = whole
        .windows(8)
        .position(|window| window == b"13.jsonl")
        .unwrap();
    let mut bytes = whole.clone();
    bytes[name] = b'9';
    let sum = crc32fast::hash(&bytes[16..]).to_le_bytes();
    bytes[12..16].copy_from_slice(&sum);
    fs::write(known.file(), &bytes).unwrap();
    assert_eq!(known.wrong(), [KeptKind::Listings]);
    known
        .house
        .engine()
        .rebuild(&[known.house.logs()], &Quiet)
        .unwrap();
    assert!(!known.file().exists());
    known.is_as_the_reference("rebuilt");
    assert_eq!(known.wrong(), []);

    fs::write(known.file(), &whole).unwrap();
    known.house.engine().forget_sessions().unwrap();
    assert!(!known.file().exists());
}
