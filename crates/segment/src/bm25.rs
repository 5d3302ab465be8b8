//! The formula, and the order of its operations. A reference that computes in this order gives the same
//! bits; `tests/ranking.rs` holds one.

/// The parameters of BM25.
///
/// For a concept of weight `w` that `df` of the `N` documents hold, `tf` times in a document of length
/// `dl`, the lengths' average being `avgdl`:
///
/// ```text
/// idf   = ln(1 + (N - df + 0.5) / (df + 0.5))
/// norm  = k1 · (1 - b + b · dl / avgdl)
/// score = (w · idf) · (tf · (k1 + 1)) / (tf + norm)
/// ```
///
/// All in `f64`, each line evaluated as it stands, from left to right within equal rank, nothing fused:
/// so `b · dl` comes before the division, and `w · idf` and `tf · (k1 + 1)` before their product. `avgdl`
/// is the sum of the lengths, as one integer, divided by `N`. A document's score is the sum over the
/// concepts, in their order, begun with 0; concepts that it does not hold add nothing.
///
/// ```
/// use memfold_segment::Bm25;
///
/// // Two documents; one holds the word, once, and has the average length: norm = k1, so the second
/// // factor is 1 · 2.2 / (1 + 1.2) = 1, and the score is the idf: ln(1 + 1.5 / 1.5) = ln 2.
/// let bm25 = Bm25 { k1: 1.2, b: 0.75 };
/// let idf = Bm25::idf(2, 1);
/// assert_eq!(idf, 2f64.ln());
/// assert!((bm25.score(idf, 1, bm25.norm(10, 10.0)) - 2f64.ln()).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// How fast further occurrences stop counting.
    pub k1: f64,
    /// How much a long document is held against it: 0 not at all, 1 in full.
    pub b: f64,
}

impl Default for Bm25 {
    /// The usual ones, 1.2 and 0.75.
    fn default() -> Self {
        Self { k1: 1.2, b: 0.75 }
    }
}

impl Bm25 {
    /// How much a concept tells that `holding` of `documents` documents hold.
    pub fn idf(documents: u64, holding: u64) -> f64 {
        (1.0 + (documents as f64 - holding as f64 + 0.5) / (holding as f64 + 0.5)).ln()
    }

    /// What stands beside the frequency in the denominator.
    #[inline]
    pub fn norm(&self, length: u32, average: f64) -> f64 {
        self.k1 * (1.0 - self.b + self.b * f64::from(length) / average)
    }

    /// What a concept adds to a document's score. `weight` is `w · idf`.
    #[inline]
    pub fn score(&self, weight: f64, frequency: u32, norm: f64) -> f64 {
        let (over, under) = self.fraction(weight, frequency, norm);
        over / under
    }

    /// The two numbers that are divided for a score: telling that it is below another needs no division.
    #[inline]
    pub(crate) fn fraction(&self, weight: f64, frequency: u32, norm: f64) -> (f64, f64) {
        let tf = f64::from(frequency);
        (weight * (tf * (self.k1 + 1.0)), tf + norm)
    }

    /// How long, by its norm, a document may be for each time that it has a term, so that its score can reach `floor`: no less
    /// than that, whatever is rounded.
    pub(crate) fn reach(&self, weight: f64, floor: f64) -> f64 {
        self.most(weight) / floor * (1.0 + 1e-9) - 1.0
    }

    /// What no score of a concept exceeds, but for rounding.
    pub(crate) fn most(&self, weight: f64) -> f64 {
        weight * (self.k1 + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }

    #[test]
    fn idf_by_hand() {
        close(Bm25::idf(10, 1), 7.333333333333333f64.ln()); // 1 + 9.5/1.5
        close(Bm25::idf(1, 1), 1.3333333333333333f64.ln()); // 1 + 0.5/1.5: never negative
        close(Bm25::idf(4, 4), 1.1111111111111112f64.ln()); // 1 + 0.5/4.5
    }

    #[test]
    fn score_by_hand() {
        let bm25 = Bm25::default();
        // dl/avgdl = 2: norm = 1.2 · (0.25 + 1.5) = 2.1; 3 · 2.2 / (3 + 2.1) = 6.6 / 5.1
        close(bm25.norm(20, 10.0), 2.1);
        close(bm25.score(1.0, 3, 2.1), 6.6 / 5.1);
        // Without length: norm = k1.
        close(Bm25 { k1: 0.9, b: 0.0 }.norm(1000, 10.0), 0.9);
    }
}
