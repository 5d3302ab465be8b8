//! A tournament of ordered runs (Knuth 5.4.1): which of many cursors stands lowest, known again after one comparison a round.
//! A heap compares twice as often, and moves what it holds.

/// Who lost at each node, and who won the last round. Cursors are numbered; who beats whom is asked of the caller.
pub(crate) struct Tournament {
    /// Node `n` has the nodes `2n` and `2n + 1` below it; the cursors follow the last node. Node 0 is not used.
    losers: Vec<usize>,
    winner: usize,
}

impl Tournament {
    /// Plays all rounds among `cursors` of them, one at least. `beats` is a strict order.
    pub(crate) fn new(cursors: usize, beats: impl Fn(usize, usize) -> bool) -> Self {
        let mut winners: Vec<usize> = std::iter::repeat_n(0, cursors).chain(0..cursors).collect();
        let mut losers = vec![0; cursors];
        for node in (1..cursors).rev() {
            let below = |side| winners.get(2 * node + side).copied().unwrap_or_default();
            let (left, right) = (below(0), below(1));
            let (winner, loser) = if beats(right, left) {
                (right, left)
            } else {
                (left, right)
            };
            if let (Some(won), Some(lost)) = (winners.get_mut(node), losers.get_mut(node)) {
                (*won, *lost) = (winner, loser);
            }
        }
        let winner = winners.get(1).copied().unwrap_or_default();
        Self { losers, winner }
    }

    pub(crate) fn winner(&self) -> usize {
        self.winner
    }

    /// Plays the winner's rounds again: it has gone on.
    #[inline]
    pub(crate) fn replay(&mut self, beats: impl Fn(usize, usize) -> bool) {
        let mut node = (self.losers.len() + self.winner) / 2;
        while node > 0 {
            if let Some(loser) = self.losers.get_mut(node)
                && beats(*loser, self.winner)
            {
                std::mem::swap(loser, &mut self.winner);
            }
            node /= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_come_out_in_order(runs in proptest::collection::vec(proptest::collection::vec(0u8..20, 0..8), 1..12)) {
            let mut runs = runs;
            for run in &mut runs {
                run.sort_unstable_by(|a, b| b.cmp(a));
            }
            let mut sorted: Vec<(u8, usize)> = runs.iter().enumerate()
                .flat_map(|(run, numbers)| numbers.iter().map(move |number| (*number, run)))
                .collect();
            sorted.sort_unstable();
            let key = |runs: &[Vec<u8>], run: usize| (runs[run].last().is_none(), runs[run].last().copied(), run);
            let mut tournament = Tournament::new(runs.len(), |a, b| key(&runs, a) < key(&runs, b));
            let mut found = Vec::new();
            while let Some(number) = runs[tournament.winner()].pop() {
                found.push((number, tournament.winner()));
                tournament.replay(|a, b| key(&runs, a) < key(&runs, b));
            }
            prop_assert_eq!(found, sorted);
        }
    }
}
