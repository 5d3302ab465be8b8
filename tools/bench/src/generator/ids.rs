//! What a log's lines are told by: ids as each agent writes them, and moments.

use memfold_log::Timestamp;

use crate::random::Random;

const LETTERS: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789";
/// 2026-01-05, a Monday.
const BEGINNING: i64 = 1_767_571_200_000;
const HOUR: i64 = 3_600_000;

/// Ids and moments, one after another.
pub(crate) struct Ids {
    random: Random,
    now: i64,
}

impl Ids {
    /// Those of the n-th log: each begins some hours after the one before.
    pub(crate) fn new(random: Random, log: usize) -> Ids {
        Ids {
            random,
            now: BEGINNING + log as i64 % 4000 * 2 * HOUR,
        }
    }

    /// Other ids from here on, with the same clock.
    pub(crate) fn branch(&mut self, random: Random) {
        self.random = random;
    }

    pub(crate) fn uuid(&mut self) -> String {
        let (high, low) = (self.random.next(), self.random.next());
        format!(
            "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
            high >> 32,
            high >> 16 & 0xffff,
            high & 0xfff,
            low >> 52,
            low & 0xffff_ffff_ffff
        )
    }

    /// A prefix and 24 letters.
    pub(crate) fn named(&mut self, prefix: &str) -> String {
        let mut id = prefix.to_owned();
        id.push_str(&self.letters(24));
        id
    }

    /// So many letters: what a signature or an encrypted thought looks like.
    pub(crate) fn letters(&mut self, count: usize) -> String {
        (0..count)
            .map(|_| char::from(self.random.pick(LETTERS)))
            .collect()
    }

    /// The next moment, some seconds later; now and then, a pause for lunch.
    pub(crate) fn moment(&mut self) -> String {
        let pause = if self.random.chance(0.002) {
            2 * HOUR
        } else {
            0
        };
        self.now += 300 + self.random.below(9000) as i64 + pause;
        self.time()
    }

    /// The last moment again.
    pub(crate) fn time(&self) -> String {
        Timestamp(self.now).rfc3339()
    }

    pub(crate) fn number(&mut self, end: usize) -> usize {
        self.random.below(end)
    }
}
