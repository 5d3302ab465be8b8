//! What the engine keeps on the disk: whatever lies there, believed or not, it answers; and what it was given no reason to
//! believe changes no answer. The logs are made-up ones of the project, which were left alone for long: only such are
//! believed without a look, tails kept of them, and all rolled up.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use memfold::{Filter, Logs, Memfold, Options, Quiet, Recall, Search, Viewer};
use memfold_agents::detect;
use memfold_disk::{Identity, Links, Locks, Mark};
use memfold_fold::codec;
use memfold_log::Form;
use memfold_rollup::Catalogue;
use memfold_sidecar::{Folded, Keeper, LogFile, Receipt, Receipts, fold_whole};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::parts::{self, array};
use crate::{rollup, segment, sidecar};

/// The first byte says which file the rest is, in the parts of that file. What only this machine can know (where logs lie,
/// what stat says of them) is filled in.
pub fn run(bytes: &[u8]) {
    let Some((&which, rest)) = bytes.split_first() else {
        return;
    };
    // None where a sidecar would be written beside the project's own logs.
    HOUSE.with(|house| {
        if let Some(house) = house.get_or_init(House::new) {
            house.restore();
            house.holds(which, rest);
        }
    });
}

thread_local! {
    static HOUSE: OnceCell<Option<House>> = const { OnceCell::new() };
}

/// Words of some logs, of all, of tails, and of none.
const ASKED: &[&str] = &[
    "denylist links \"the reader\"",
    "file search page",
    "nowhere",
];
/// Where a catalogue has its counts, and its rows.
const COUNTS: usize = Mark::BYTES + 4 + 32;
const ROWS: usize = COUNTS + 12;
/// Where a receipt's record has what stat says of the sidecar: behind the agent's name, and how long the log's text is if that is
/// known.
const SIDECAR: usize = 40 + 8 + 8 + 8 + 32 + 4;

struct House {
    folder: TempDir,
    project: PathBuf,
    /// The logs, in order.
    logs: Vec<PathBuf>,
    /// Every file that is kept, with all proved and rolled up.
    whole: BTreeMap<PathBuf, Vec<u8>>,
    truth: String,
}

impl House {
    fn new() -> Option<House> {
        let project = fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).ok()?;
        let logs = fs::read_dir(project.join("corpus/gemini")).ok()?;
        let mut logs: Vec<PathBuf> = logs
            .map(|entry| entry.unwrap().path())
            .filter(|path| memfold_log::Form::of(path).is_some())
            .collect();
        logs.sort();
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("project")).unwrap();
        let mut house = House {
            folder,
            logs,
            whole: BTreeMap::new(),
            truth: String::new(),
            project,
        };
        if !house.project.join(".git").exists() {
            return None;
        }
        // Folded; then with receipts that are believed, of which tails are kept; then rolled up.
        house.truth = house.answers(usize::MAX);
        house.believe(|_| {});
        house.answers(usize::MAX);
        house.answers(1);
        for path in house.kept() {
            let bytes = fs::read(&path).unwrap();
            house.whole.insert(path, bytes);
        }
        Some(house)
    }

    fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    fn config(&self) -> PathBuf {
        self.folder.path().join("config/workspaces.toml")
    }

    fn locks(&self) -> Locks {
        Locks::new(self.folder.path().join("data/locks"))
    }

    fn keeper(&self) -> Keeper {
        Keeper::new(self.locks(), self.cache())
    }

    /// The files below the cache directory, in order.
    fn kept(&self) -> Vec<PathBuf> {
        let (mut found, mut folders) = (Vec::new(), vec![self.cache()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.push(path);
                }
            }
        }
        found.sort();
        found
    }

    /// Whatever the last input and its searches changed is as it was.
    fn restore(&self) {
        for path in self.kept() {
            if !self.whole.contains_key(&path) {
                fs::remove_file(path).unwrap();
            }
        }
        for (path, bytes) in &self.whole {
            if fs::read(path).ok().as_ref() != Some(bytes) {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, bytes).unwrap();
            }
        }
        let _ = fs::remove_file(self.config());
        self.believe(|_| {});
    }

    /// Makes the receipts say that every log and sidecar, as they are now, was proved long after it was last touched.
    fn believe(&self, change: impl Fn(&mut Receipt)) {
        let mut receipts = Receipts::load(&self.cache());
        for log in &self.logs {
            let Some(mut receipt) = receipts.of(log).cloned() else {
                continue;
            };
            receipt.log = identity(log);
            receipt.sidecar = identity(&self.keeper().in_cache(log));
            receipt.proved_at = i64::MAX;
            if *log == self.logs[0] {
                change(&mut receipt);
            }
            receipts.put(log, receipt);
        }
        receipts.save(&self.locks()).unwrap();
    }

    fn engine(&self, viewer: Viewer, roll_from: usize) -> Memfold {
        let folder = |name: &str| Some(self.folder.path().join(name));
        Memfold::open(Options {
            project: folder("project"),
            working_directory: self.folder.path().join("project"),
            data_dir: folder("data"),
            config_dir: folder("config"),
            cache_dir: folder("cache"),
            viewer,
            variables: Box::new(|_| None),
            roll_from,
        })
        .unwrap()
    }

    fn below(&self) -> Logs {
        Logs::Below(vec![self.project.join("corpus/gemini")])
    }

    /// What is answered of everything, but for time and notes.
    fn answers(&self, roll_from: usize) -> String {
        let engine = self.engine(Viewer::Person, roll_from);
        let mut all = String::new();
        for query in ASKED {
            let answer = engine.search(&search(query, self.below()), &Quiet).unwrap();
            let found = (
                answer.ranked,
                answer.matched,
                answer.complete,
                answer.results,
            );
            all += &format!("{found:?}\n");
        }
        all
    }

    fn holds(&self, which: u8, rest: &[u8]) {
        let rollup = self.cache().join("rollup");
        match which % 8 {
            0 => {
                fs::remove_dir_all(&rollup).unwrap();
                fs::write(self.cache().join("receipts"), self.receipts(rest)).unwrap();
                self.answers(usize::MAX);
            }
            // A sidecar that nothing vouches for.
            1 => {
                fs::remove_dir_all(&rollup).unwrap();
                fs::remove_file(self.cache().join("receipts")).unwrap();
                let file = sidecar::assembled(rest);
                fs::write(self.keeper().in_cache(&self.logs[0]), file).unwrap();
                assert_eq!(
                    self.answers(usize::MAX),
                    self.truth,
                    "a planted sidecar answers"
                );
            }
            // One that is believed.
            2 => {
                fs::remove_dir_all(&rollup).unwrap();
                let file = sidecar::assembled(rest);
                fs::write(self.keeper().in_cache(&self.logs[0]), &file).unwrap();
                self.believe(|receipt| {
                    receipt.covered = u64::from_le_bytes(array(&file, 64));
                    receipt.log_root = array(&file, 112);
                    receipt.content_root = array(&file, 144);
                });
                self.answers(usize::MAX);
            }
            3 => {
                fs::remove_dir_all(&rollup).unwrap();
                for log in &self.logs {
                    let [_, tail] = self.keeper().kept_elsewhere(log);
                    if tail.exists() {
                        fs::write(&tail, self.tail(log, rest)).unwrap();
                    }
                }
                self.answers(usize::MAX);
            }
            4 => {
                let catalogue = rollup.join("catalogue");
                let whole = &self.whole[&catalogue];
                fs::write(&catalogue, self.catalogue(whole, rest)).unwrap();
                self.answers(1);
            }
            5 => {
                let file = rollup::assembled(rest);
                for path in self.whole.keys() {
                    if path
                        .extension()
                        .is_some_and(|extension| extension == "shard")
                    {
                        fs::write(path, &file).unwrap();
                    }
                }
                self.answers(1);
            }
            6 => {
                fs::create_dir_all(self.config().parent().unwrap()).unwrap();
                let project = self.folder.path().join("project");
                let text = String::from_utf8_lossy(rest).replace('@', project.to_str().unwrap());
                fs::write(self.config(), text).unwrap();
                self.switch();
            }
            // The file that the first byte of the rest names, as it is.
            _ => {
                let (first, bytes) = rest.split_first().unwrap_or((&0, &[]));
                let paths: Vec<&PathBuf> = self.whole.keys().collect();
                fs::write(paths[usize::from(*first) % paths.len()], bytes).unwrap();
                self.answers(1);
                self.answers(usize::MAX);
            }
        }
        self.everything_else();
    }

    /// What reads more than a search does.
    fn everything_else(&self) {
        let engine = self.engine(Viewer::Person, usize::MAX);
        let first = Logs::File(self.logs[0].clone());
        let _ = engine.logs(&self.below());
        let _ = engine.cards(None, &first);
        let _ = engine.status();
        for address in ["6", "11"] {
            let recall = Recall {
                address: address.to_owned(),
                logs: first.clone(),
                start: 1,
                count: 5,
            };
            let _ = engine.recall(&recall, &Quiet);
        }
        let mut narrow = search("denylist", self.below());
        narrow.filter.path = Some("src".to_owned());
        let _ = engine.search(&narrow, &Quiet);
    }

    /// The switch is what it was set to, and nothing that cannot be read is on.
    fn switch(&self) {
        let engine = self.engine(Viewer::Person, usize::MAX);
        let before = engine.earlier();
        let _ = self
            .engine(Viewer::Agent, usize::MAX)
            .search(&search("denylist", Logs::Project), &Quiet);
        for on in [true, false] {
            match engine.set_earlier(on) {
                Ok(_) => assert_eq!(engine.earlier().unwrap().on, on),
                Err(_) => assert_eq!(
                    engine.earlier().ok().map(|switch| switch.on),
                    before.as_ref().ok().map(|switch| switch.on)
                ),
            }
        }
    }

    /// Receipts: a part for each, a log's number and what follows the path in its record.
    fn receipts(&self, bytes: &[u8]) -> Vec<u8> {
        let mut records = BTreeMap::new();
        for part in parts::split(bytes) {
            let (number, rest) = part.split_first().unwrap_or((&0, &[]));
            let log = &self.logs[usize::from(*number) % self.logs.len()];
            let path = log.as_os_str().as_encoded_bytes();
            let mut receipt = rest.to_vec();
            let agent = u64::from_le_bytes(array(rest, 0)).min(1 << 16) as usize;
            put(&mut receipt, 8 + agent, &identity(log));
            let sidecar = 8 + agent + SIDECAR + length_of_length(&receipt, agent);
            put(
                &mut receipt,
                sidecar,
                &identity(&self.keeper().in_cache(log)),
            );
            let record = [&(path.len() as u64).to_le_bytes(), path, &*receipt].concat();
            let crc = crc32fast::hash(&record).to_le_bytes();
            let key: [u8; 16] = array(&Sha256::digest(path), 0);
            records.insert(key, [&crc, &*record].concat());
        }
        let mut at = Mark::BYTES + 8 + 28 * records.len();
        let mut rows = Vec::new();
        for (key, record) in &records {
            rows.extend(key);
            rows.extend((at as u64).to_le_bytes());
            rows.extend((record.len() as u32).to_le_bytes());
            at += record.len();
        }
        let mut file = self.whole[&self.cache().join("receipts")][..Mark::BYTES].to_vec();
        let table = [&(records.len() as u32).to_le_bytes()[..], &rows].concat();
        file.extend((records.len() as u32).to_le_bytes());
        file.extend(crc32fast::hash(&table).to_le_bytes());
        file.extend(rows);
        records.values().for_each(|record| file.extend(record));
        file
    }

    /// A tail: its records, the four sections of its words, and what the log says of itself.
    fn tail(&self, log: &Path, bytes: &[u8]) -> Vec<u8> {
        let parts = parts::split(bytes);
        let words = segment::words(&parts, 1);
        let file = &self.whole[&self.keeper().in_cache(log)];
        let mut body = identity(log).to_vec();
        body.extend_from_slice(&file[144..176]);
        body.extend_from_slice(parts[0]);
        for section in [&words.terms, &words.blocks, &words.postings, &words.lengths] {
            body.extend((section.len() as u64).to_le_bytes());
            body.extend_from_slice(section);
        }
        body.extend(words.documents.to_le_bytes());
        body.extend(words.total_length.to_le_bytes());
        body.extend(parts::section(&parts, 5));
        let [_, tail] = self.keeper().kept_elsewhere(log);
        let mark = self
            .whole
            .get(&tail)
            .map_or(&[][..], |tail| &tail[..Mark::BYTES]);
        [mark, &crc32fast::hash(&body).to_le_bytes(), &body].concat()
    }

    /// A catalogue whose rows are of these logs and whose first shard is the one that is there.
    fn catalogue(&self, whole: &[u8], bytes: &[u8]) -> Vec<u8> {
        let mut file = bytes.to_vec();
        put(&mut file, 0, &whole[..COUNTS]);
        let [shards, logs, texts] = [COUNTS, COUNTS + 4, COUNTS + 8]
            .map(|at| u32::from_le_bytes(array(&file, at)) as usize);
        if shards.max(logs) > 16 {
            return rollup::mended(file);
        }
        put(&mut file, ROWS, &whole[ROWS..ROWS + 16]);
        let mut places = Vec::new();
        let mut length = texts;
        for number in 0..logs {
            let log = &self.logs[number % self.logs.len()];
            let path = log.as_os_str().as_encoded_bytes();
            let row = ROWS + 28 * shards + 116 * number;
            put(&mut file, row, &identity(log));
            put(&mut file, row + 84, &(length as u32).to_le_bytes());
            put(&mut file, row + 88, &(path.len() as u32).to_le_bytes());
            file.extend_from_slice(path);
            length = length.saturating_add(path.len());
            places.push((identity(log), number as u32));
        }
        put(&mut file, COUNTS + 8, &(length as u32).to_le_bytes());
        places.sort_by_key(|(identity, place)| {
            let number = |at| u64::from_le_bytes(array(identity, at));
            (number(0), number(8), *place)
        });
        for (n, (_, place)) in places.iter().enumerate() {
            let at = ROWS + 28 * shards + 116 * logs + 4 * n;
            put(&mut file, at, &place.to_le_bytes());
        }
        rollup::mended(file)
    }

    /// Inputs that are what is kept, as this program keeps it, without what is of this machine.
    fn seeds(&self) -> Vec<(String, Vec<u8>)> {
        let mut seeds = Vec::new();
        let input = |which: u8, rest: &[u8]| [&[which], rest].concat();
        let receipts = &self.whole[&self.cache().join("receipts")];
        let mut records = Vec::new();
        let count = u32::from_le_bytes(array(receipts, Mark::BYTES)) as usize;
        for row in (0..count).map(|n| Mark::BYTES + 8 + 28 * n) {
            let at = u64::from_le_bytes(array(receipts, row + 16)) as usize;
            let length = u32::from_le_bytes(array(receipts, row + 24)) as usize;
            let record = &receipts[at + 4..at + length];
            let path = u64::from_le_bytes(array(record, 0)) as usize;
            let of = |log: &PathBuf| *log.as_os_str().as_encoded_bytes() == record[8..8 + path];
            let number = self.logs.iter().position(of).unwrap();
            let mut receipt = record[8 + path..].to_vec();
            let agent = u64::from_le_bytes(array(&receipt, 0)) as usize;
            put(&mut receipt, 8 + agent, &[0; 40]);
            let sidecar = 8 + agent + SIDECAR + length_of_length(&receipt, agent);
            put(&mut receipt, sidecar, &[0; 40]);
            records.push(input(number as u8, &receipt));
        }
        let records = parts::join(&records);
        assert!(
            self.receipts(&records) == *receipts,
            "put together they are others"
        );
        seeds.push(("receipts".to_owned(), input(0, &records)));
        for (number, log) in self.logs.iter().enumerate() {
            let [file, tail] = self.keeper().kept_elsewhere(log);
            let parts = parts::join(&sidecar::parts_of(&self.whole[&file]));
            seeds.push((format!("planted-{number}"), input(1, &parts)));
            seeds.push((format!("believed-{number}"), input(2, &parts)));
            if let Some(tail) = self.whole.get(&tail) {
                let parts = tail_parts(tail, &folded(log));
                assert!(
                    self.tail(log, &parts) == *tail,
                    "put together it is another"
                );
                seeds.push((format!("tail-{number}"), input(3, &parts)));
            }
        }
        for (path, bytes) in &self.whole {
            if path.ends_with("catalogue") {
                let again = self.catalogue(bytes, bytes);
                assert!(Catalogue::open(again, &array(bytes, COUNTS - 32)).is_ok());
                let logs = u32::from_le_bytes(array(bytes, COUNTS + 4)) as usize;
                let mut bytes = bytes.clone();
                // Nothing of this machine.
                bytes.truncate(ROWS + 28 + 120 * logs);
                bytes.extend(b"8d41b7e2-6a0c/srv/api gemini");
                put(&mut bytes, 0, &[0; COUNTS]);
                put(&mut bytes, COUNTS + 8, &28u32.to_le_bytes());
                for row in (0..logs).map(|n| ROWS + 28 + 116 * n) {
                    put(&mut bytes, row, &[0; 40]);
                    let texts: Vec<u8> = [0u32, 0, 0, 13, 13, 8, 22, 6]
                        .iter()
                        .flat_map(|n| n.to_le_bytes())
                        .collect();
                    put(&mut bytes, row + 84, &texts);
                }
                seeds.push(("catalogue".to_owned(), input(4, &bytes)));
            }
            if path
                .extension()
                .is_some_and(|extension| extension == "shard")
            {
                let parts = parts::join(&rollup::parts_of(bytes));
                seeds.push(("shard".to_owned(), input(5, &parts)));
            }
        }
        let switch = b"# mine\n[workspaces.\"@\"]\nearlier_tasks = true\n";
        seeds.push(("switch".to_owned(), input(6, switch)));
        seeds.push(("as-it-is".to_owned(), input(7, b"\x02memrcpt2")));
        seeds
    }
}

/// What seeds are made of: what is kept of the project's made-up logs.
pub fn seeds() -> Vec<(String, Vec<u8>)> {
    HOUSE.with(|house| {
        let house = house.get_or_init(House::new).as_ref();
        house.map_or_else(Vec::new, House::seeds)
    })
}

/// A sidecar that is believed and says that it has 2^64-1 words: with those of the other logs they are more.
pub fn all_the_words_there_can_be() -> Option<Vec<u8>> {
    HOUSE.with(|house| {
        let house = house.get_or_init(House::new).as_ref()?;
        let file = &house.whole[&house.keeper().in_cache(&house.logs[0])];
        let mut parts = sidecar::parts_of(file);
        let terms = parts.iter_mut().find(|part| part.first() == Some(&b'T'))?;
        put(terms, 1 + 8, &[0xFF; 8]);
        Some([&[2], &*parts::join(&parts)].concat())
    })
}

/// How many bytes of a receipt's record, from the agent's name on, say how long the log's text is.
fn length_of_length(receipt: &[u8], agent: usize) -> usize {
    match receipt.get(8 + agent + 48) {
        None | Some(0) => 1,
        Some(_) => 9,
    }
}

/// A log, folded.
fn folded(log: &Path) -> Folded {
    let bytes = fs::read(log).unwrap();
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let agent = detect(log, &lines).unwrap();
    let form = Form::of(log).unwrap();
    fold_whole(&LogFile::open(log, form).unwrap(), agent).unwrap()
}

/// The parts of a kept tail, as the fold of its log has them: they stand at its end, each section of the words behind its length,
/// what repeats the words, what the log says of itself.
fn tail_parts(file: &[u8], folded: &Folded) -> Vec<u8> {
    let facts = codec::encode(&folded.facts).unwrap();
    let words = &folded.tail.segment;
    let mut rest = file.strip_suffix(&*facts).unwrap();
    rest = &rest[..rest.len() - 12];
    let mut cut = vec![&*facts];
    for section in [&words.lengths, &words.postings, &words.blocks, &words.terms] {
        cut.push(section);
        rest = rest.strip_suffix(&**section).unwrap();
        rest = &rest[..rest.len() - 8];
    }
    cut.push(&rest[Mark::BYTES + 4 + 72..]);
    cut.reverse();
    parts::join(&cut)
}

fn search(query: &str, logs: Logs) -> Search {
    Search {
        query: query.to_owned(),
        logs,
        limit: 20,
        filter: Filter::default(),
    }
}

fn identity(path: &Path) -> [u8; Identity::BYTES] {
    Identity::at(path, Links::Refuse).map_or([0; Identity::BYTES], |found| found.to_bytes())
}

/// Writes over what stands there, as far as there is anything.
fn put(bytes: &mut [u8], at: usize, over: &[u8]) {
    let held = bytes.get_mut(at..).unwrap_or_default();
    held.iter_mut().zip(over).for_each(|(byte, of)| *byte = *of);
}
