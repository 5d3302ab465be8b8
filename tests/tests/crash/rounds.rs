//! How long the suite runs, and what is random in it. Fail points are the whole process's: one test at a time.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use memfold_disk::fail;

/// Every file looks so many seconds older than it is: proved once it is proved, and what was left over is old enough to go.
pub(crate) const AGE: i64 = 4000;
static TURN: Mutex<()> = Mutex::new(());

/// This test's turn, with no fail point set.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    static POOL: Once = Once::new();
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    // In one thread the steps come in the same order each time.
    POOL.call_once(|| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build_global()
            .unwrap();
    });
    fail::without_syncs();
    fail::plan(None);
    fail::pretend(Default::default());
    fail::age(AGE);
    turn
}

fn variable(name: &str) -> Option<u64> {
    Some(std::env::var(name).ok()?.parse().unwrap())
}

/// The rounds, each with what is random in it.
pub(crate) fn rounds() -> impl Iterator<Item = Random> {
    let seed = variable("MEMFOLD_CRASH_SEED").unwrap_or_else(|| RandomState::new().hash_one(0));
    println!("MEMFOLD_CRASH_SEED={seed}");
    let count = variable("MEMFOLD_CRASH_ROUNDS").unwrap_or(1);
    (0..count).map(move |round| Random(seed.wrapping_add(round)))
}

/// Numbers that follow from a seed.
pub(crate) struct Random(u64);

impl Random {
    /// The steps of a round: one of `every` so many, from a place that is drawn.
    pub(crate) fn steps(&mut self, every: usize) -> std::iter::StepBy<std::ops::RangeFrom<usize>> {
        (1 + self.below(every)..).step_by(every)
    }

    /// A number below `end`: SplitMix64.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % end.max(1) as u64) as usize
    }
}
