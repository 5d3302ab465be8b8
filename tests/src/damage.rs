//! Damages of files, each drawn by a seed: what a disk, a copy, a sync tool or a person does to a folder of ours.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use memfold_disk::{Identity, Links};

/// Numbers that follow from a seed (splitmix64).
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next one.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.number() % end as u64) as usize
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of some.
    pub fn of<'t, T>(&mut self, some: &'t [T]) -> &'t T {
        &some[self.below(some.len())]
    }
}

/// What happens to a file's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Harm {
    /// One to three bits are others.
    Flip,
    /// The end is missing.
    Cut,
    /// Something follows the end.
    Extend,
    /// A block is zeros.
    Zero,
    /// A block lies where another one should, too.
    Repeat,
}

/// All of them.
pub const HARMS: [Harm; 5] = [
    Harm::Flip,
    Harm::Cut,
    Harm::Extend,
    Harm::Zero,
    Harm::Repeat,
];

/// Bytes after a harm, which leaves the first `spared` of them as they are.
pub fn harmed(bytes: &[u8], harm: Harm, spared: usize, random: &mut Random) -> Vec<u8> {
    let mut harmed = bytes.to_vec();
    if harm == Harm::Extend {
        let more = 1 + random.below(300);
        let byte = *random.of(&[None, Some(0), Some(b'\n'), Some(b'{')]);
        harmed.extend((0..more).map(|_| byte.unwrap_or_else(|| random.number() as u8)));
        return harmed;
    }
    if bytes.len() <= spared {
        return harmed;
    }
    let at = spared + random.below(bytes.len() - spared);
    let end = (at + 1 + random.below(700)).min(bytes.len());
    match harm {
        Harm::Flip => {
            harmed[at] ^= 1 << random.below(8);
            for _ in 0..random.below(3) {
                let at = spared + random.below(bytes.len() - spared);
                harmed[at] ^= 1 << random.below(8);
            }
        }
        Harm::Cut => harmed.truncate(at),
        Harm::Zero => harmed[at..end].fill(0),
        Harm::Repeat => {
            let from = random.below(bytes.len() - (end - at) + 1);
            harmed.copy_within(from..from + (end - at), at);
        }
        Harm::Extend => {}
    }
    harmed
}

/// Writes a file in place until stat shows it: two writes within one tick of the clock leave the same times.
pub fn overwrite(path: &Path, bytes: &[u8]) {
    let before = Identity::at(path, Links::Refuse).ok();
    loop {
        fs::write(path, bytes).unwrap();
        if Identity::at(path, Links::Refuse).ok() != before {
            return;
        }
    }
}

/// Removes whatever has a name: a file, a link, a folder with all that is in it.
pub fn remove(path: &Path) {
    match fs::symlink_metadata(path) {
        Ok(stat) if stat.is_dir() => fs::remove_dir_all(path).unwrap(),
        Ok(_) => fs::remove_file(path).unwrap(),
        Err(_) => {}
    }
}

/// What stands in a file's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instead {
    /// Nothing.
    Nothing,
    /// An empty folder.
    Folder,
    /// A folder with a file in it.
    FullFolder,
    /// A link to nowhere.
    Dangling,
    /// A link to itself.
    Loop,
    /// An empty file.
    Empty,
}

/// All of them.
pub const INSTEAD: [Instead; 6] = [
    Instead::Nothing,
    Instead::Folder,
    Instead::FullFolder,
    Instead::Dangling,
    Instead::Loop,
    Instead::Empty,
];

/// Puts something else in a file's place.
pub fn replace(path: &Path, by: Instead) {
    remove(path);
    match by {
        Instead::Nothing => {}
        Instead::Folder => fs::create_dir(path).unwrap(),
        Instead::FullFolder => {
            fs::create_dir(path).unwrap();
            fs::write(path.join("somebody's"), b"not ours").unwrap();
        }
        Instead::Dangling => symlink(path.with_file_name("nowhere"), path).unwrap(),
        Instead::Loop => symlink(path.file_name().unwrap(), path).unwrap(),
        Instead::Empty => fs::write(path, b"").unwrap(),
    }
}
