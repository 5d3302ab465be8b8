use super::*;
use proptest::prelude::*;

const FILE: u32 = 0o100_644;

/// An index of that version; its paths must be sorted.
fn index(version: u32, hash: usize, paths: &[(String, u32)]) -> Vec<u8> {
    let mut bytes = b"DIRC".to_vec();
    bytes.extend(version.to_be_bytes());
    bytes.extend(u32::try_from(paths.len()).unwrap().to_be_bytes());
    let mut before = String::new();
    for (path, mode) in paths {
        let mut entry = vec![7; 40];
        entry[24..28].copy_from_slice(&mode.to_be_bytes());
        entry.extend(vec![7; hash]);
        let extended = version > 2;
        let flags = path.len().min(0xfff) | if extended { 0x4000 } else { 0 };
        entry.extend(u16::try_from(flags).unwrap().to_be_bytes());
        if extended {
            entry.extend([0x20, 0]);
        }
        if version == 4 {
            let same = before
                .bytes()
                .zip(path.bytes())
                .take_while(|(one, other)| one == other)
                .count();
            entry.extend(varint(before.len() - same));
            entry.extend(&path.as_bytes()[same..]);
            entry.push(0);
        } else {
            entry.extend(path.as_bytes());
            entry.resize((entry.len() + 8) & !7, 0);
        }
        bytes.extend(entry);
        before.clone_from(path);
    }
    bytes.extend(b"TREE\0\0\0\x02xx");
    bytes.extend(vec![7; hash]);
    bytes
}

/// As git's `encode_varint`.
fn varint(mut value: usize) -> Vec<u8> {
    let mut bytes = vec![(value & 0x7f) as u8];
    while value >> 7 != 0 {
        value = (value >> 7) - 1;
        bytes.insert(0, 0x80 | (value & 0x7f) as u8);
    }
    bytes
}

fn read(bytes: &[u8]) -> Result<Index, IndexError> {
    Index::read(bytes, Case::Sensitive, &mut Left::default())
}

fn names(paths: &[&str]) -> Vec<(String, u32)> {
    paths
        .iter()
        .map(|path| ((*path).to_owned(), FILE))
        .collect()
}

#[test]
fn what_is_tracked_is_found_and_what_lies_below_a_folder() {
    let index = read(&index(
        2,
        20,
        &names(&["a", "a-b", "a.c", "a/b", "a/c/d", "b"]),
    ))
    .unwrap();
    let all = index.all();
    assert_eq!(
        index.find(&all, "a/b", &mut 0).unwrap().path.as_str(),
        "a/b"
    );
    assert_eq!(index.find(&all, "a/c", &mut 0), None);
    let below = index.below(&all, "a");
    assert!(
        index.find(&below, "a/c/d", &mut 0).is_some() && index.find(&below, "b", &mut 0).is_none()
    );
    assert!(!index.below(&below, "a/c").is_empty());
    assert!(index.below(&all, "b").is_empty() && index.below(&all, "").is_empty());
}

#[test]
fn names_that_differ_in_case_are_one_where_they_are_one_file() {
    let bytes = index(2, 20, &names(&["README", "Src/a", "readme"]));
    let mut left = Left::default();
    let folded = Index::read(&bytes, Case::Folded, &mut left).unwrap();
    let all = folded.all();
    assert_eq!(folded.entries.len(), 2);
    assert_eq!(
        folded.find(&all, "sRC/A", &mut 0).unwrap().path.as_str(),
        "Src/a"
    );
    assert!(!folded.below(&all, "SRC").is_empty());
    assert_eq!(read(&bytes).unwrap().entries.len(), 3);
}

#[test]
fn other_parts_are_known_or_said() {
    let with = |part: &[u8]| {
        let mut bytes = index(2, 20, &names(&["a"]));
        let end = bytes.len() - 20;
        bytes.splice(end..end, part.iter().copied());
        read(&bytes).map(|index| index.entries.len())
    };
    assert_eq!(with(b"FSMN\0\0\0\x01x"), Ok(1));
    assert_eq!(with(b"sdir\0\0\0\0"), Ok(1));
    assert_eq!(with(b"link\0\0\0\0"), Err(IndexError::Split));
    assert_eq!(with(b"newx\0\0\0\0"), Err(IndexError::Required));
    assert_eq!(with(b"XXXX\xff\xff\xff\xff"), Err(IndexError::Damaged));
}

/// A path of 4,000 bytes that each entry repeats for three: 100,000 entries would be 400 MB.
#[test]
fn a_small_index_never_becomes_a_large_one() {
    let mut bytes = b"DIRC\0\0\0\x04\0\x01\x86\xa0".to_vec();
    let mut entry = vec![0; 62];
    entry[24..28].copy_from_slice(&FILE.to_be_bytes());
    bytes.extend(&entry);
    bytes.push(0);
    bytes.extend(vec![b'a'; 4000]);
    bytes.push(0);
    for _ in 1..100_000 {
        bytes.extend(&entry);
        bytes.extend([1, b'b', 0]);
    }
    bytes.extend([0; 20]);
    assert_eq!(read(&bytes).unwrap_err(), IndexError::TooLarge);
}

fn paths() -> impl Strategy<Value = Vec<(String, u32)>> {
    let path = "[a-c]{1,3}(/[a-c]{1,3}){0,2}|[a-c]{4094,4096}";
    let mode = prop::sample::select(vec![FILE, 0o100_755, 0o120_000, 0o160_000]);
    prop::collection::btree_map(path, mode, 0..8).prop_map(|all| all.into_iter().collect())
}

proptest! {
    #[test]
    fn every_version_and_hash_is_read(
        paths in paths(),
        version in 2u32..=4,
        hash in prop::sample::select(vec![20usize, 32]),
    ) {
        let index = read(&index(version, hash, &paths)).unwrap();
        let found: Vec<_> = index.entries.iter().map(|item| (item.path.to_string(), item.mode)).collect();
        let expected: Vec<_> = paths
            .into_iter()
            .map(|(path, mode)| (path, if mode == 0o160_000 { Mode::Repository } else { Mode::File }))
            .collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn damage_is_an_error_or_other_paths_and_never_a_panic(
        paths in paths(),
        version in 2u32..=4,
        cut: prop::sample::Index,
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
    ) {
        let mut bytes = index(version, 20, &paths);
        for (at, with) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= with;
        }
        let _ = read(&bytes);
        let whole = bytes.len();
        bytes.truncate(cut.index(whole));
        let _ = read(&bytes);
    }

    #[test]
    fn any_bytes_are_read_to_their_end(bytes: Vec<u8>) {
        let _ = read(&bytes);
        let _ = read(&[b"DIRC\0\0\0\x04\xff\xff\xff\xff", bytes.as_slice()].concat());
    }
}
