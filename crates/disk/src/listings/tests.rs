use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use proptest::prelude::*;

use super::*;
use crate::testing::folder;
use crate::{Found, Limits, Walk, walk};

const MEMDUMP: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tools/memdump/memdump.py"
);

/// Gives a folder a time of its own, as time that goes by would.
fn touch(folder: &Path, second: u64) {
    let when = SystemTime::UNIX_EPOCH + Duration::from_secs(second);
    File::open(folder).unwrap().set_modified(when).unwrap();
}

/// What a walk finds that takes every folder for one that was left alone.
fn found(walk: Walk<'_>) -> Vec<Result<Found, String>> {
    let walk = walk.files(|name| name.as_encoded_bytes().ends_with(b".jsonl"));
    walk.taking_all_as_settled()
        .map(|found| found.map_err(|error| error.to_string()))
        .collect()
}

/// Whether the walk with listings finds what one without does; what it listed on the way.
#[track_caller]
fn finds_all(root: &Path, listings: &mut Listings) -> usize {
    let there = found(walk(root, Limits::default()));
    listings.anew.clear();
    assert_eq!(
        found(walk(root, Limits::default()).knowing(listings)),
        there
    );
    let listed = listings.anew.len();
    *listings = Listings::of(listings.encode().unwrap()).unwrap();
    assert!(listings.are_sound());
    // What was written finds all of it, too.
    assert_eq!(
        found(walk(root, Limits::default()).knowing(listings)),
        there
    );
    assert!(listings.anew.is_empty());
    listed
}

#[test]
fn whatever_becomes_of_a_folder_shows() {
    let root = folder();
    let at = |name: &str| root.path().join(name);
    let mut second = 1000;
    let mut changed = |folders: &[&str]| {
        second += 1;
        folders.iter().for_each(|folder| touch(&at(folder), second));
    };
    for file in [
        "a/b/1.jsonl",
        "a/b/2.jsonl",
        "a/3.jsonl",
        "a/3.mem",
        "c/d/e/4.jsonl",
        "5.jsonl",
        "6.txt",
    ] {
        fs::create_dir_all(at(file).parent().unwrap()).unwrap();
        fs::write(at(file), file).unwrap();
    }
    let mut known = Listings::default();
    changed(&["a", "a/b", "c", "c/d", "c/d/e", ""]);
    assert_eq!(finds_all(root.path(), &mut known), 6);
    assert_eq!(finds_all(root.path(), &mut known), 0);

    // What becomes of a file itself changes no folder, and is seen by looking at the file.
    fs::write(at("a/b/1.jsonl"), "it grew longer").unwrap();
    assert_eq!(finds_all(root.path(), &mut known), 0);

    fs::remove_file(at("a/b/1.jsonl")).unwrap();
    changed(&["a/b"]);
    assert_eq!(finds_all(root.path(), &mut known), 1);
    fs::write(at("a/b/0.jsonl"), "new").unwrap();
    changed(&["a/b"]);
    assert_eq!(finds_all(root.path(), &mut known), 1);
    fs::rename(at("a/b/0.jsonl"), at("a/b/9.jsonl")).unwrap();
    changed(&["a/b"]);
    assert_eq!(finds_all(root.path(), &mut known), 1);
    // Replaced under its name.
    fs::write(at("a/next"), "another file").unwrap();
    fs::rename(at("a/next"), at("a/b/2.jsonl")).unwrap();
    changed(&["a", "a/b"]);
    assert_eq!(finds_all(root.path(), &mut known), 2);
    // A folder that goes, one that comes, one that moves, and one whose place a link takes.
    fs::create_dir(at("c/new")).unwrap();
    fs::write(at("c/new/7.jsonl"), "new").unwrap();
    changed(&["c", "c/new"]);
    assert_eq!(finds_all(root.path(), &mut known), 2);
    fs::rename(at("c/d/e"), at("a/e")).unwrap();
    changed(&["c/d", "a", "a/e"]);
    finds_all(root.path(), &mut known);
    fs::remove_dir_all(at("c")).unwrap();
    changed(&[""]);
    assert_eq!(finds_all(root.path(), &mut known), 1);
    std::os::unix::fs::symlink("a", at("link")).unwrap();
    fs::rename(at("a/b"), at("b")).unwrap();
    std::os::unix::fs::symlink("../b", at("a/b")).unwrap();
    changed(&["a", "", "b"]);
    finds_all(root.path(), &mut known);
    assert_eq!(finds_all(root.path(), &mut known), 0);
}

#[test]
fn a_folder_swapped_for_a_link_is_not_entered_though_it_is_known() {
    let root = folder();
    let at = |name: &str| root.path().join(name);
    for file in ["a/1.jsonl", "b/2.jsonl"] {
        fs::create_dir_all(at(file).parent().unwrap()).unwrap();
        fs::write(at(file), file).unwrap();
    }
    let mut known = Listings::default();
    finds_all(root.path(), &mut known);
    let walk = walk(root.path(), Limits::default()).knowing(&mut known);
    let mut steps = walk.taking_all_as_settled();
    assert!(steps.next().unwrap().is_ok());
    fs::rename(at("b"), at("c")).unwrap();
    std::os::unix::fs::symlink("c", at("b")).unwrap();
    let rest: Vec<_> = steps.collect();
    assert!(matches!(&rest[..], [Err(_)]), "{rest:?}");
}

#[test]
fn a_folder_that_changed_a_moment_ago_is_not_kept() {
    let root = folder();
    fs::write(root.path().join("1.jsonl"), "").unwrap();
    let mut known = Listings::default();
    assert_eq!(
        walk(root.path(), Limits::default())
            .knowing(&mut known)
            .count(),
        1
    );
    assert!(known.anew.is_empty());
}

#[test]
fn limits_hold_for_what_is_known() {
    let root = folder();
    for n in 0..6 {
        fs::write(root.path().join(format!("{n}.jsonl")), "").unwrap();
    }
    let mut known = Listings::default();
    finds_all(root.path(), &mut known);
    let limits = |entries| Limits {
        entries,
        ..Limits::default()
    };
    for entries in [3, 6] {
        let there = found(walk(root.path(), limits(entries)));
        assert_eq!(
            found(walk(root.path(), limits(entries)).knowing(&mut known)),
            there
        );
    }
}

#[test]
fn written_if_it_is_worth_it() {
    let state = |inode| Identity {
        dev: 1,
        inode,
        size: 0,
        mtime_ns: 5,
        ctime_ns: 6,
    };
    let mut few = Listings::default();
    few.note(&state(1), 100, &Arc::default());
    assert!(!few.is_worth_saving(0));
    let mut many = few.clone();
    many.note(&state(2), 2000, &Arc::default());
    assert!(many.is_worth_saving(0));
    many.use_of_file = UseOfFile::Kept;
    assert!(!many.is_worth_saving(0));
    many.use_of_file = UseOfFile::Any;
    many.file = Some(state(9));
    assert!(!many.is_worth_saving(PAUSE_NS));
    assert!(many.is_worth_saving(PAUSE_NS + 6));

    // A folder that nobody comes to any more goes in the end.
    let mut known = Listings::of(many.encode().unwrap()).unwrap();
    for _ in 0..MISSED {
        assert_eq!(known.rows.len(), 2);
        assert!(known.known(&state(2)).is_some());
        known = Listings::of(known.encode().unwrap()).unwrap();
    }
    assert_eq!(known.rows.len(), 1);
    assert!(known.known(&state(1)).is_none());
}

#[test]
fn what_was_saved_is_loaded() {
    let (root, cache) = (folder(), folder());
    let locks = Locks::new(cache.path().join("locks"));
    for n in 0..1100 {
        fs::write(root.path().join(format!("{n}.jsonl")), "").unwrap();
    }
    let mut known = Listings::load(cache.path());
    let there = found(walk(root.path(), Limits::default()).knowing(&mut known));
    assert_eq!(there.len(), 1100);
    known.save(cache.path(), &locks);
    assert!(known.anew.is_empty());
    let mut known = Listings::load(cache.path());
    assert_eq!(
        found(walk(root.path(), Limits::default()).knowing(&mut known)),
        there
    );
    assert!(known.anew.is_empty());

    let file = Listings::file(cache.path());
    let whole = fs::read(&file).unwrap();
    fs::write(&file, Mark::new(b"memlist9").bytes()).unwrap();
    assert_eq!(Listings::load(cache.path()).use_of_file, UseOfFile::Kept);
    assert!(matches!(Listings::check(cache.path()), Err(Marked::Newer)));
    fs::write(&file, &whole[..whole.len() - 1]).unwrap();
    assert!(matches!(
        Listings::check(cache.path()),
        Err(Marked::Otherwise)
    ));
    assert!(Listings::load(cache.path()).rows.is_empty());
    assert!(matches!(Listings::check(cache.path()), Ok(None)));
}

fn example() -> Listings {
    let mut known = Listings::default();
    for (inode, name) in [(7, "b é.jsonl"), (3, "a\"\n.json")] {
        let state = Identity {
            dev: 1,
            inode,
            size: 0,
            mtime_ns: -5,
            ctime_ns: 6,
        };
        let mut names = Vec::new();
        put_name(&mut names, name.as_ref(), FileKind::Regular);
        put_name(&mut names, "folder".as_ref(), FileKind::Folder);
        known.note(&state, 4, &Arc::new(sorted(&names)));
    }
    known
}

#[test]
fn every_flipped_bit_and_every_cut_is_refused() {
    let bytes = example().encode().unwrap();
    assert!(Listings::of(bytes.clone()).unwrap().are_sound());
    for place in 0..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[place] ^= 1 << (place % 8);
        assert!(Listings::of(bytes).is_err(), "byte {place}");
    }
    for length in 0..bytes.len() {
        assert!(
            Listings::of(bytes[..length].to_vec()).is_err(),
            "{length} bytes"
        );
    }
}

#[test]
fn a_reader_in_another_language_reads_the_same() {
    let folder = folder();
    let file = folder.path().join("listings");
    fs::write(&file, example().encode().unwrap()).unwrap();
    let memdump = || {
        Command::new("python3")
            .arg("-B")
            .arg(MEMDUMP)
            .arg(&file)
            .output()
            .unwrap()
    };
    let said = memdump();
    let shown = String::from_utf8_lossy(&said.stdout);
    let expected = concat!(
        "listings 1\n",
        "folder device 1 inode 3 changed -5 6: 4 entries, missed 0\n",
        "  file \"a\\\"\\n.json\"\n",
        "  folder \"folder\"\n",
        "folder device 1 inode 7 changed -5 6: 4 entries, missed 0\n",
        "  file \"b é.jsonl\"\n",
        "  folder \"folder\"\n",
    );
    assert_eq!(shown, expected, "{}", String::from_utf8_lossy(&said.stderr));
    let mut bytes = example().encode().unwrap();
    bytes[30] ^= 1;
    fs::write(&file, &bytes).unwrap();
    assert_eq!(memdump().status.code(), Some(1));
}

proptest! {
    /// Behind a right checksum too, whatever the file holds, a walk finds what is there or less, and does not panic.
    #[test]
    fn any_bytes_at_all(rows in proptest::collection::vec(any::<[u8; ROW]>(), 0..4), names in proptest::collection::vec(any::<u8>(), 0..60), small: bool) {
        let mut rest = (rows.len() as u32).to_le_bytes().to_vec();
        for (n, mut row) in rows.into_iter().enumerate() {
            if small {
                row[..16].copy_from_slice(&[[0; 8], (n as u64).to_le_bytes()].concat());
let (at, length) = (row[36] % 40, row[40] % 40);
                row[32..44].copy_from_slice(&[9, 0, 0, 0, at, 0, 0, 0, length, 0, 0, 0]);
            }
            rest.extend_from_slice(&row);
        }
        rest.extend_from_slice(&names);
        let mut bytes = MARK.bytes().to_vec();
        bytes.extend_from_slice(&crc32fast::hash(&rest).to_le_bytes());
        bytes.extend_from_slice(&rest);
        if let Ok(mut known) = Listings::of(bytes) {
            known.are_sound();
            let rows = known.rows.clone();
            for (row, _) in rows {
                let state = Identity { dev: row.dev, inode: row.inode, size: 0, mtime_ns: row.mtime_ns, ctime_ns: row.ctime_ns };
                let (mut names, _) = known.known(&state).unwrap();
                while let Some((name, _)) = names.next(known.bytes()) {
                    prop_assert!(!name.as_encoded_bytes().contains(&b'/') && !name.is_empty());
                }
            }
            known.encode();
        }
    }
}
