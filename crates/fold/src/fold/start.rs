//! Where a fold begins: at a log's first line, where a sidecar ends, or after one for a single search.

use std::collections::HashSet;

use memfold_agents::Agent;
use memfold_log::{Offset, Seq};
use memfold_segment::Builder;

use super::{Fold, TurnState, Whole};
use crate::checkpoint::{Checkpoint, Covered, Records};
use crate::document::Keys;
use crate::past::{Names, Waypoint};
use crate::words::Counter;

impl Fold {
    /// A fold from a log's first line.
    pub fn new(agent: &'static dyn Agent) -> Fold {
        Fold {
            agent,
            words: Counter::new(Builder::new()),
            documents: Vec::new(),
            keys: Vec::new(),
            links: Vec::new(),
            cards: Vec::new(),
            waypoints: Vec::new(),
            names: Names::default(),
            told: HashSet::new(),
            seen: HashSet::new(),
            before: 0,
            held: None,
            state: Checkpoint::default(),
            turn_state: TurnState::Closed,
            whole: Whole {
                covered: Covered {
                    end: Offset(0),
                    next: Seq::FIRST,
                },
                documents: 0,
                links: 0,
                cards: 0,
                waypoints: 0,
                checkpoint: Checkpoint::default(),
            },
        }
    }

    /// A fold that goes on where `sealed` ends, with its words already in `builder`.
    pub fn resume(agent: &'static dyn Agent, sealed: Records, builder: Builder) -> Fold {
        let Records {
            covered,
            checkpoint,
            documents,
            keys,
            links,
            cards,
            waypoints,
        } = sealed;
        let mut fold = Fold {
            agent,
            words: Counter::new(builder),
            whole: Whole {
                covered,
                documents: documents.len(),
                links: links.len(),
                cards: cards.len(),
                waypoints: waypoints.len(),
                checkpoint: checkpoint.clone(),
            },
            documents,
            keys: Vec::new(),
            links,
            cards,
            waypoints: Vec::new(),
            names: Names::default(),
            told: HashSet::new(),
            seen: HashSet::new(),
            before: 0,
            held: None,
            state: checkpoint,
            turn_state: TurnState::Closed,
        };
        fold.see(&keys);
        fold.keys = keys;
        fold.names.learn(&waypoints);
        fold.waypoints = waypoints;
        fold
    }

    /// A fold of what follows a sidecar's whole turns, without the sidecar's records: only [`Fold::into_tail`] is of use.
    pub fn after(
        agent: &'static dyn Agent,
        covered: Covered,
        checkpoint: Checkpoint,
        keys: &[Keys],
        waypoints: &[Waypoint],
    ) -> Fold {
        let records = Records {
            covered,
            checkpoint,
            documents: vec![],
            keys: vec![],
            links: vec![],
            cards: vec![],
            waypoints: vec![],
        };
        let mut fold = Fold::resume(agent, records, Builder::new());
        fold.see(keys);
        fold.names.learn(waypoints);
        fold.before = keys.len();
        fold
    }
}
