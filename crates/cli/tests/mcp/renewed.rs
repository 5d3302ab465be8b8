//! A server that is older than what it meets: memfold was renewed under it, and it runs on.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::Client;
use crate::home::{Home, Log};

/// Makes a sidecar one that a later program wrote, with a checksum that holds.
fn renew(sidecar: &Path) {
    let mut bytes = fs::read(sidecar).unwrap();
    bytes[8..12].copy_from_slice(&2u32.to_le_bytes());
    let head = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let crc = crc32fast::hash(&bytes[..head - 4]);
    bytes[head - 4..head].copy_from_slice(&crc.to_le_bytes());
    fs::write(sidecar, bytes).unwrap();
}

fn files(folder: &Path) -> Vec<(PathBuf, u64)> {
    use std::os::unix::fs::MetadataExt;
    let mut files: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| {
            let path = entry.unwrap().path();
            let inode = fs::metadata(&path).unwrap().ino();
            (path, inode)
        })
        .collect();
    files.sort();
    files
}

fn home() -> (Home, Vec<PathBuf>) {
    let home = Home::new();
    home.earlier(true);
    let logs = (1..6)
        .map(|number| home.store(&Log::turn(number, &home.at("api"), "denylist")))
        .collect();
    (home, logs)
}

fn search(client: &mut Client) -> (String, Vec<Value>) {
    client.notifications.clear();
    let text = client.told(
        "index-search",
        json!({ "query": "denylist", "scope": "earlier" }),
        json!({ "progressToken": "p" }),
    );
    (text, client.notifications.clone())
}

#[test]
fn sidecars_of_a_later_memfold_are_said_once_left_as_they_are_and_folded_once() {
    let (home, logs) = home();
    let mut client = Client::greet(home.command(&["mcp"]));
    let (before, _) = search(&mut client);
    assert!(
        before.starts_with("earlier: 5 tasks") && !before.contains("renewed"),
        "{before}"
    );
    let sidecars: Vec<PathBuf> = logs.iter().map(|log| log.with_extension("mem")).collect();
    sidecars.iter().for_each(|sidecar| renew(sidecar));
    let theirs: Vec<Vec<u8>> = sidecars
        .iter()
        .map(|path| fs::read(path).unwrap())
        .collect();
    let (first, _) = search(&mut client);
    assert!(first.contains("restarts the session"), "{first}");
    assert!(first.starts_with("earlier: 5 tasks"), "{first}");
    let folded = files(&home.at("home/.cache/memfold/sidecars"));
    assert_eq!(folded.len(), 5);
    for _ in 0..3 {
        let (again, _) = search(&mut client);
        assert!(
            !again.contains("restarts the session") && !again.contains("later memfold"),
            "{again}"
        );
        assert!(again.starts_with("earlier: 5 tasks"), "{again}");
    }
    assert_eq!(files(&home.at("home/.cache/memfold/sidecars")), folded);
    let now: Vec<Vec<u8>> = sidecars
        .iter()
        .map(|path| fs::read(path).unwrap())
        .collect();
    assert!(now == theirs, "a later program's sidecar was changed");
}

/// A later program's sidecars in the cache, where those of databases' sessions lie and of logs in a work tree, had an older
/// server fold in memory at each call.
#[test]
fn sidecars_of_a_later_memfold_in_the_cache_are_folded_apart_once() {
    let (home, logs) = home();
    fs::create_dir(logs[0].with_file_name(".git")).unwrap();
    let mut client = Client::greet(home.command(&["mcp"]));
    search(&mut client);
    let cached = home.at("home/.cache/memfold/sidecars");
    let theirs = files(&cached);
    assert_eq!(theirs.len(), 5);
    theirs.iter().for_each(|(sidecar, _)| renew(sidecar));
    let (first, _) = search(&mut client);
    assert!(first.contains("restarts the session"), "{first}");
    assert!(first.starts_with("earlier: 5 tasks"), "{first}");
    let folded = files(&cached);
    assert_eq!(folded.len(), 10);
    for _ in 0..3 {
        let (again, told) = search(&mut client);
        assert!(!again.contains("restarts the session"), "{again}");
        assert!(again.starts_with("earlier: 5 tasks"), "{again}");
        assert!(told.is_empty(), "folded again: {told:?}");
    }
    assert_eq!(files(&cached), folded);
    assert!(theirs.iter().all(|theirs| folded.contains(theirs)));
}

#[test]
fn receipts_of_a_later_memfold_are_kept_and_nothing_is_folded_at_each_call() {
    let (home, _) = home();
    let mut client = Client::greet(home.command(&["mcp"]));
    search(&mut client);
    let receipts = home.at("home/.cache/memfold/receipts");
    let mut bytes = fs::read(&receipts).unwrap();
    // The mark's last letter is its version, and a checksum follows.
    assert_eq!(&bytes[..7], b"memrcpt");
    bytes[7] = b'9';
    let sum = crc32fast::hash(&bytes[..8]).to_le_bytes();
    bytes[8..12].copy_from_slice(&sum);
    fs::write(&receipts, &bytes).unwrap();
    let (first, _) = search(&mut client);
    assert!(first.contains("restarts the session"), "{first}");
    for _ in 0..3 {
        let (again, told) = search(&mut client);
        assert!(!again.contains("restarts the session"), "{again}");
        assert!(told.is_empty(), "folded again: {told:?}");
    }
    assert!(
        fs::read(&receipts).unwrap() == bytes,
        "a later program's receipts were changed"
    );
}
