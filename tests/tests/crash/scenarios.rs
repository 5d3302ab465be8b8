//! What is done while something happens: a call, in a home that was made ready for it.

use std::fs;

use memfold::{Memfold, Quiet};

use crate::site::{QUERIES, Site, search_with};

/// A call in a state of the home.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) call: Call,
    prepare: fn(&Site),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Fold,
    Search,
    Rebuild,
    Forget,
    Turn(Switch),
}

/// May an agent search earlier tasks?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Switch {
    On,
    Off,
}

pub(crate) const SCENARIOS: [Scenario; 11] = [
    Scenario {
        name: "a first fold",
        call: Call::Fold,
        prepare: |_| {},
    },
    Scenario {
        name: "a first search",
        call: Call::Search,
        prepare: |_| {},
    },
    Scenario {
        name: "a fold of logs that grew",
        call: Call::Fold,
        prepare: grown,
    },
    Scenario {
        name: "a search of logs that grew",
        call: Call::Search,
        prepare: grown,
    },
    Scenario {
        name: "a search that meets damage",
        call: Call::Search,
        prepare: damaged,
    },
    Scenario {
        name: "a rebuild",
        call: Call::Rebuild,
        prepare: |site| site.answers("prepared"),
    },
    Scenario {
        name: "a rebuild of what has damage",
        call: Call::Rebuild,
        prepare: damaged,
    },
    Scenario {
        name: "a rebuild of logs that grew",
        call: Call::Rebuild,
        prepare: grown,
    },
    Scenario {
        name: "forgetting",
        call: Call::Forget,
        prepare: |site| site.answers("prepared"),
    },
    Scenario {
        name: "the switch, for the first time",
        call: Call::Turn(Switch::On),
        prepare: |_| {},
    },
    Scenario {
        name: "the switch, again",
        call: Call::Turn(Switch::Off),
        prepare: |site| drop(site.engine().set_earlier(true).unwrap()),
    },
];

fn grown(site: &Site) {
    site.shrink();
    site.fold();
    // A tail is kept, and the roll-up has its words.
    for query in QUERIES {
        site.search(query).unwrap();
    }
    site.grow();
}

/// Sidecars, beside a log and in the cache, and a shard, each with a byte in its middle that is another.
fn damaged(site: &Site) {
    site.fold();
    for path in site.files() {
        let is_damaged = path
            .extension()
            .is_some_and(|end| end == "mem" || end == "shard");
        if is_damaged && !path.ends_with("log00.mem") {
            let mut bytes = fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x10;
            fs::write(&path, bytes).unwrap();
        }
    }
}

impl Scenario {
    /// Makes the home ready for the call.
    pub(crate) fn prepare(&self, site: &Site) {
        site.begin();
        (self.prepare)(site);
    }

    /// What must be true after the call was cut off or refused, once that is over.
    #[track_caller]
    pub(crate) fn check(&self, site: &Site, when: &str) {
        match self.call {
            // There is damage to speak of, until a fold has mended it.
            _ if self.name.contains("damage") => {
                site.logs_are_unchanged(when);
                for (number, query) in QUERIES.iter().enumerate() {
                    let answer = site.search(query).unwrap();
                    if let Some(why) = site.differs(number, &answer) {
                        panic!("{when}: {why}");
                    }
                }
                site.fold();
                site.is_whole(when);
            }
            Call::Turn(to) => {
                site.engine().earlier().unwrap();
                self.call.make(&site.engine()).unwrap();
                assert!(site.is_turned(to), "{when}");
                site.is_whole(when);
            }
            _ => site.is_whole(when),
        }
        if self.call == Call::Forget {
            site.engine().forget_sessions().unwrap();
            site.is_forgotten(when);
        }
    }
}

impl Call {
    /// Makes the call. What it answers if it is a search is held by whoever wants it.
    pub(crate) fn make(self, engine: &Memfold) -> Result<(), memfold::Error> {
        match self {
            Call::Fold => engine.fold(&[], &Quiet).map(drop),
            Call::Search => search_with(engine, QUERIES[0]).map(drop),
            Call::Rebuild => engine.rebuild(&[], &Quiet).map(drop),
            Call::Forget => engine.forget_sessions().map(drop),
            Call::Turn(to) => engine.set_earlier(to == Switch::On).map(drop),
        }
    }
}
