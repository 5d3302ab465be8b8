//! What must hold whatever became of a sidecar or its log: searched as if there had never been a sidecar, said by a fold in
//! the verdict's own words, mended by it byte for byte, verified after it, and no log touched.

use std::fs;
use std::path::PathBuf;

use memfold_fold::Parameters;
use memfold_fold::checkpoint::Sealed;
use memfold_sidecar::{Sidecar, encode};

use crate::home::{Home, QUERIES, row};

/// The log that [`Home::folded`] writes.
pub const LOG: &str = "logs/a.jsonl";
/// Its sidecar.
pub const MEM: &str = "logs/a.mem";

/// Changes a folded home, and looks at it twice: once a search comes first, once a fold, which must say `word` and `words`
/// of the file that ends in `ending`. Gives what the fold did.
pub fn expect(
    bytes: &[u8],
    change: impl Fn(&Home),
    ending: &str,
    word: &str,
    words: &str,
) -> (Home, String) {
    let home = Home::folded(bytes);
    change(&home);
    let logs = logs_of(&home);
    let truth = home.without_sidecars();
    assert_eq!(
        home.answers(QUERIES),
        truth.answers(QUERIES),
        "{word}: a search comes first"
    );
    mended(&home, word);
    assert!(logs == logs_of(&home), "{word}: a log was changed");

    let home = Home::folded(bytes);
    change(&home);
    let report = home.fold();
    let said = row(&report, ending);
    assert_eq!(
        (said.verdict, said.found.as_str()),
        (word, words),
        "{report:#?}"
    );
    let done = said.done.clone();
    mended(&home, word);
    assert!(logs == logs_of(&home), "{word}: a log was changed");
    (home, done)
}

/// Whether all is as in a home where nothing ever happened. A file that is left alone is said at every fold.
pub fn mended(home: &Home, word: &str) {
    home.fold();
    let report = home.verify();
    assert_eq!(report.wrong, 0, "{word}: {report:#?}");
    let left = ["newer-fold", "newer-format", "other-form", "unreadable"].contains(&word);
    for row in &report.logs {
        assert_eq!(row.verdict, "current", "{word}: verified after a fold");
    }
    for row in &home.fold().logs {
        let expected = if left { word } else { "current" };
        assert_eq!(
            (row.verdict, row.done.as_str()),
            (expected, "nothing"),
            "folded again"
        );
    }
    let truth = home.without_sidecars();
    truth.fold();
    for log in logs_of(home).iter().map(|(path, _)| path.to_str().unwrap()) {
        assert!(
            home.read(home.sidecar(log)) == truth.read(truth.sidecar(log)),
            "{word}: {log} has another sidecar than a first fold gives"
        );
    }
    assert_eq!(
        home.answers(QUERIES),
        truth.answers(QUERIES),
        "{word}: mended"
    );
}

/// The logs below a home's folder of logs, with their bytes.
pub fn logs_of(home: &Home) -> Vec<(PathBuf, Vec<u8>)> {
    home.files("logs")
        .into_iter()
        .filter(|path| path.to_string_lossy().contains(".jsonl"))
        .map(|path| {
            (
                path.strip_prefix(home.root()).unwrap().to_owned(),
                fs::read(path).unwrap(),
            )
        })
        .collect()
}

/// As [`expect`], and the file in the sidecar's place is never written to.
pub fn expect_left(bytes: &[u8], change: impl Fn(&Home), word: &str, words: &str) {
    let there = |home: &Home| fs::read(home.at(MEM)).ok();
    let before = Home::folded(bytes);
    change(&before);
    let (home, _) = expect(bytes, change, "a.jsonl", word, words);
    assert!(
        there(&before) == there(&home),
        "{word}: it was not left as it is"
    );
    assert!(!home.at("logs/a.mem.damaged").exists());
}

/// The sidecar of a folded home, taken apart and written again.
pub fn rewritten(home: &Home, change: impl FnOnce(&mut Sealed, &mut Parameters)) {
    let sidecar = Sidecar::open(home.read(MEM)).unwrap();
    let (mut sealed, mut fold) = (sidecar.decode_sealed().unwrap(), sidecar.header().fold);
    change(&mut sealed, &mut fold);
    let form = sidecar.header().form;
    home.write(
        MEM,
        &encode(&sealed, fold, &sidecar.binding().unwrap(), form).unwrap(),
    );
}

/// Gives a sidecar another format version, its checksum right.
pub fn of_format(home: &Home, version: u32) {
    let mut bytes = home.read(MEM);
    bytes[8..12].copy_from_slice(&version.to_le_bytes());
    let head = usize::try_from(u32::from_le_bytes(bytes[12..16].try_into().unwrap())).unwrap();
    let crc = crc32fast::hash(&bytes[..head - 4]);
    bytes[head - 4..head].copy_from_slice(&crc.to_le_bytes());
    home.write(MEM, &bytes);
}

/// A sidecar that holds together and is bound to this very log, and of which another fold made every word.
pub fn forgery(log: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(log.to_vec()).unwrap();
    let other = Home::folded(text.replace("denylist", "allowlis").as_bytes());
    let (ours, others) = (Home::folded(log), other.read(MEM));
    let (ours, others) = (
        Sidecar::open(ours.read(MEM)).unwrap(),
        Sidecar::open(others).unwrap(),
    );
    let sealed = others.decode_sealed().unwrap();
    encode(
        &sealed,
        others.header().fold,
        &ours.binding().unwrap(),
        ours.header().form,
    )
    .unwrap()
}
