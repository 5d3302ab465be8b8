//! The length norm of each document of a segment. It is the same in every search of the same collection, so it is computed
//! once for logs that stay open.

use std::sync::{Arc, Mutex};

use crate::bm25::Bm25;
use crate::lengths::Lengths;

/// What norms hang on beside the lengths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Against {
    pub(crate) params: Bm25,
    pub(crate) average: f64,
}

impl Against {
    fn all(&self, lengths: &Lengths<'_>) -> Arc<[f64]> {
        lengths
            .iter()
            .map(|length| self.params.norm(length, self.average))
            .collect()
    }
}

/// How many of its documents' norms a search needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needed {
    /// A few: all are not worth it the first time.
    Few,
    /// More than half as many as there are.
    Many,
}

/// The norms of a segment, against the collection that asked last.
#[derive(Debug, Default)]
pub(crate) struct Norms(Mutex<Option<Last>>);

#[derive(Debug)]
struct Last {
    against: Against,
    /// Nothing where it needed a few and computed them itself.
    norms: Option<Arc<[f64]>>,
}

impl Norms {
    /// The norms, by document, unless each is better computed by itself.
    pub(crate) fn against(
        &self,
        against: Against,
        lengths: &Lengths<'_>,
        needed: Needed,
    ) -> Option<Arc<[f64]>> {
        let mut last = self.0.lock().ok()?;
        let before = last.take().filter(|last| last.against == against);
        let is_asked_again = before.is_some();
        let norms = before.and_then(|last| last.norms).or_else(|| {
            let is_worth_it = is_asked_again || needed == Needed::Many;
            is_worth_it.then(|| against.all(lengths))
        });
        *last = Some(Last {
            against,
            norms: norms.clone(),
        });
        norms
    }
}
