//! What calls that were killed have left behind goes with the next fold, and with forgetting, once it is old enough to be
//! nobody's; what is of use stays.

use std::fs;
use std::path::PathBuf;

use memfold_disk::fail;
use memfold_sidecar::{Keeper, beside};

use crate::rounds::{AGE, turn};
use crate::site::Site;

/// Leaves something of each kind in a home, and says where.
fn leave(site: &Site) -> Vec<PathBuf> {
    let dirs = site.dirs();
    let keeper = Keeper::new(dirs.locks(), dirs.cache.clone());
    let log = site.logs().next().unwrap();
    let [second, _] = keeper.kept_elsewhere(log);
    let [unknown, tail] = keeper.kept_elsewhere(&site.root().join("gone.jsonl"));
    let temporary = ".memfold-0123456789abcdef.tmp";
    let left = vec![
        // A publish that came to no end, in each folder in which we publish.
        log.with_file_name(temporary),
        dirs.cache.join(temporary),
        dirs.cache.join("sidecars").join(temporary),
        dirs.cache.join("tails").join(temporary),
        dirs.cache.join("rollup").join(temporary),
        dirs.config.join(temporary),
        // A roll-up that did not get its catalogue.
        dirs.cache
            .join("rollup/0123456789abcdef0123456789abcdef.shard"),
        // A sidecar that was kept in the cache before it could be written beside its log.
        second,
        // Of a log that nobody knows: its receipt was never saved, and the log is gone.
        unknown.with_extension("mem.damaged"),
        unknown,
        tail,
        // A search that read a copy of a database.
        dirs.cache.join("databases/database-AbCdEf/copy.db"),
    ];
    for path in &left {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, [&memfold_sidecar::MAGIC[..], b"left over"].concat()).unwrap();
    }
    left
}

fn there(paths: &[PathBuf]) -> Vec<&PathBuf> {
    paths.iter().filter(|path| path.exists()).collect()
}

#[test]
fn what_is_left_over_goes_with_the_next_fold() {
    let _turn = turn();
    let site = Site::new();
    site.fold();
    let before = site.files();
    let left = leave(&site);
    // Too young: somebody may be at work. A shard is told by the lock instead.
    fail::age(0);
    site.fold();
    assert_eq!(there(&left).len(), left.len() - 1);
    fail::age(AGE);
    site.fold();
    assert_eq!(there(&left), Vec::<&PathBuf>::new());
    assert!(!site.dirs().cache.join("databases/database-AbCdEf").exists());
    assert_eq!(site.files(), before);
    site.is_whole("after the leftovers");
}

#[test]
fn what_is_left_over_is_forgotten() {
    let _turn = turn();
    let site = Site::new();
    site.fold();
    let left = leave(&site);
    site.engine().forget_sessions().unwrap();
    assert_eq!(there(&left), Vec::<&PathBuf>::new());
    site.is_forgotten("with leftovers");
}

/// Where nothing can be read of the receipts, every log is unknown, and yet nothing of theirs is taken for left over.
#[test]
fn nothing_is_left_over_where_the_receipts_cannot_be_read() {
    let _turn = turn();
    let site = Site::new();
    site.fold();
    site.answers("kept");
    let of_tree = site.logs().last().unwrap();
    assert!(!beside(of_tree).exists());
    let keeper = Keeper::new(site.dirs().locks(), site.dirs().cache);
    let [sidecar, _] = keeper.kept_elsewhere(of_tree);
    let receipts = site.dirs().cache.join("receipts");
    fs::rename(&receipts, receipts.with_extension("away")).unwrap();
    fs::create_dir(&receipts).unwrap();
    let one = [site.logs().next().unwrap().to_owned()];
    site.engine().fold(&one, &memfold::Quiet).unwrap();
    assert!(sidecar.exists());
    fs::remove_dir(&receipts).unwrap();
    fs::rename(receipts.with_extension("away"), &receipts).unwrap();
    site.is_whole("with receipts again");
}
