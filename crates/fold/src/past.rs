//! What later lines of a log changed of what stood before them: where its task went back and on from an earlier place, and
//! which events a later line says again more fully. Kept as what each line did, so that a log's past grows with it and
//! nothing that is sealed changes; what is abandoned is told when it is asked, by [`Past`].

use std::collections::HashMap;
use std::ops::RangeInclusive;

use bincode::{Decode, Encode};
use memfold_log::Seq;
use memfold_log::event::{Course, Follows};
use sha2::{Digest, Sha256};

/// A line that later ones can name, or that went back itself.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Waypoint {
    /// The line.
    pub seq: u64,
    /// A name of the line: 64 bits of a SHA-256, 0 for none. A line of several names has a waypoint for each.
    pub name: u64,
    /// The number of its document, if its event is ranked and a later line of its name may count in its place.
    pub document: Option<u32>,
    /// From where it goes on.
    pub way: Way,
}

/// From where a line goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Way {
    /// From the line before it.
    On,
    /// From this earlier line; 0 is the log's beginning.
    Back(u64),
    /// From the line before it, and its event counts in place of this document.
    Instead(u32),
}

/// The names of a log's lines so far.
#[derive(Default)]
pub(crate) struct Names {
    /// The first line of a name, and the last document.
    lines: HashMap<u64, (u64, Option<u32>)>,
    /// The last line that has a waypoint.
    last: u64,
}

impl Names {
    /// Takes up what was noted before.
    pub(crate) fn learn(&mut self, waypoints: &[Waypoint]) {
        for waypoint in waypoints {
            self.last = waypoint.seq;
            self.name(waypoint.name, waypoint.seq, waypoint.document);
        }
    }

    fn name(&mut self, name: u64, seq: u64, document: Option<u32>) {
        if name != 0 {
            let (_, latest) = self.lines.entry(name).or_insert((seq, document));
            *latest = document.or(*latest);
        }
    }

    /// From where the next line goes on.
    pub(crate) fn way(&self, course: &Course<'_>) -> Way {
        let known = |name: &str| self.lines.get(&key(name)).copied();
        match &course.follows {
            Follows::Last => Way::On,
            Follows::Replaces => course
                .names
                .iter()
                .find_map(|name| known(name)?.1)
                .map_or(Way::On, Way::Instead),
            Follows::After(name) => match known(name) {
                Some((line, _)) if line != self.last => Way::Back(line),
                _ => Way::On,
            },
            Follows::Before(name) => {
                Way::Back(known(name).map_or(0, |(line, _)| line.saturating_sub(1)))
            }
            Follows::Nothing if self.last == 0 => Way::On,
            Follows::Nothing => Way::Back(0),
        }
    }

    /// Whether an earlier line has the name of one that replaces it, be it ranked or not.
    pub(crate) fn repeats(&self, course: &Course<'_>) -> bool {
        course.follows == Follows::Replaces
            && course
                .names
                .iter()
                .any(|name| self.lines.contains_key(&key(name)))
    }

    /// Notes a line. `document` is that of its event: of no other that the line only repeats.
    pub(crate) fn note(
        &mut self,
        seq: Seq,
        course: &Course<'_>,
        way: Way,
        document: Option<u32>,
        waypoints: &mut Vec<Waypoint>,
    ) {
        let seq = seq.get();
        let document = document.filter(|_| course.follows == Follows::Replaces);
        let names: Vec<u64> = course.names.iter().map(|name| key(name)).collect();
        // A line that repeats the history names what is named already.
        let new = names
            .iter()
            .copied()
            .filter(|name| course.follows == Follows::Replaces || !self.lines.contains_key(name));
        let mut noted: Vec<u64> = new.collect();
        if noted.is_empty() && way != Way::On {
            noted.push(0);
        }
        for (number, name) in noted.into_iter().enumerate() {
            self.last = seq;
            self.name(name, seq, document);
            waypoints.push(Waypoint {
                seq,
                name,
                document,
                way: if number == 0 { way } else { Way::On },
            });
        }
    }
}

fn key(name: &str) -> u64 {
    let mut hash = Sha256::new();
    hash.update(b"name\0");
    hash.update(name.as_bytes());
    crate::identity::first_eight(hash)
}

/// What is left of a log's past by its last line.
///
/// ```
/// use memfold_fold::past::{Past, Way, Waypoint};
///
/// let line = |seq, way| Waypoint { seq, name: seq, document: None, way };
/// // Lines 2 and 3, then back to line 2 and on with line 4.
/// let past = Past::of(&[line(2, Way::On), line(3, Way::On), line(4, Way::Back(2))]);
/// assert!(past.is_live(2) && past.is_abandoned(3) && past.is_live(4));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// The lines that are live, from the last back; all where the task never went back.
    live: Option<Vec<RangeInclusive<u64>>>,
    replaced: Vec<u32>,
}

impl Past {
    /// The past by these waypoints, all that a log has and in its order.
    pub fn of<'w>(waypoints: impl IntoIterator<Item = &'w Waypoint>) -> Past {
        let mut past = Past::default();
        let mut returns = Vec::new();
        let mut last = 0;
        for waypoint in waypoints {
            last = waypoint.seq;
            match waypoint.way {
                Way::On => {}
                Way::Back(to) => returns.push((waypoint.seq, to)),
                Way::Instead(document) => past.replaced.push(document),
            }
        }
        past.replaced.sort_unstable();
        past.replaced.dedup();
        if returns.is_empty() {
            return past;
        }
        let mut live = Vec::new();
        // What follows the last line that is noted goes on from it.
        let mut end = u64::MAX;
        let mut at = last;
        for (from, to) in returns.into_iter().rev() {
            if from <= at && to < from {
                live.push(from..=end);
                (at, end) = (to, to);
            }
        }
        live.push(0..=end);
        past.live = Some(live);
        past
    }

    /// Whether a line is part of what the task went on from.
    pub fn is_live(&self, seq: u64) -> bool {
        self.live
            .as_ref()
            .is_none_or(|live| live.iter().any(|lines| lines.contains(&seq)))
    }

    /// Whether the task went back behind a line and on without it.
    pub fn is_abandoned(&self, seq: u64) -> bool {
        !self.is_live(seq)
    }

    /// The documents in whose place a later one counts, in order.
    pub fn replaced(&self) -> &[u32] {
        &self.replaced
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    /// The lines that are live, of those that these courses give to lines 1, 2, …
    fn live(courses: &[(&'static str, Follows<'static>)]) -> Vec<u64> {
        let (mut names, mut waypoints) = (Names::default(), Vec::new());
        for (line, (name, follows)) in (1..).zip(courses) {
            let course = Course {
                names: (!name.is_empty())
                    .then_some(Cow::Borrowed(*name))
                    .into_iter()
                    .collect(),
                follows: follows.clone(),
            };
            let way = names.way(&course);
            names.note(
                Seq::new(line).unwrap(),
                &course,
                way,
                u32::try_from(line).ok(),
                &mut waypoints,
            );
        }
        let past = Past::of(&waypoints);
        (1..=courses.len() as u64)
            .filter(|line| past.is_live(*line))
            .collect()
    }

    fn after(name: &'static str) -> Follows<'static> {
        Follows::After(name.into())
    }

    fn before(name: &'static str) -> Follows<'static> {
        Follows::Before(name.into())
    }

    #[test]
    fn a_tree_is_live_from_its_last_entry_to_its_root() {
        let entries = [
            ("", Follows::Last),
            ("a", Follows::Nothing),
            ("b", after("a")),
            ("c", after("b")),
        ];
        assert_eq!(live(&entries), [1, 2, 3, 4]);
        let branched = [&entries[..], &[("d", after("a")), ("e", after("d"))]].concat();
        assert_eq!(live(&branched), [1, 2, 5, 6]);
        // Back to the branch that was left: it is live again, and the other is not.
        let returned = [&branched[..], &[("f", after("c"))]].concat();
        assert_eq!(live(&returned), [1, 2, 3, 4, 7]);
        let anew = [&returned[..], &[("g", Follows::Nothing), ("h", after("g"))]].concat();
        assert_eq!(
            live(&anew),
            [0; 0].iter().chain(&[8, 9]).copied().collect::<Vec<u64>>()
        );
    }

    #[test]
    fn a_parent_that_is_not_known_is_the_line_before() {
        assert_eq!(
            live(&[
                ("a", Follows::Nothing),
                ("b", after("x")),
                ("c", after("b"))
            ]),
            [1, 2, 3]
        );
    }

    #[test]
    fn a_rewind_abandons_what_it_names_and_what_followed() {
        let lines = [
            ("a", Follows::Replaces),
            ("b", Follows::Replaces),
            ("b", Follows::Replaces),
            ("", before("b")),
            ("c", Follows::Replaces),
        ];
        assert_eq!(live(&lines), [1, 4, 5]);
        let again = [&lines[..], &[("", before("c")), ("d", Follows::Replaces)]].concat();
        assert_eq!(live(&again), [1, 4, 6, 7]);
        let unknown = [&again[..], &[("", before("x"))]].concat();
        assert_eq!(live(&unknown), [8]);
    }

    #[test]
    fn the_last_of_a_name_counts() {
        let (mut names, mut waypoints) = (Names::default(), Vec::new());
        for (line, name, document) in [
            (1, "a", Some(0)),
            (2, "b", None),
            (3, "a", Some(1)),
            (4, "b", Some(2)),
            (5, "a", Some(3)),
        ] {
            let course = Course {
                names: vec![Cow::Borrowed(name)],
                follows: Follows::Replaces,
            };
            let way = names.way(&course);
            names.note(
                Seq::new(line).unwrap(),
                &course,
                way,
                document,
                &mut waypoints,
            );
        }
        assert_eq!(Past::of(&waypoints).replaced(), [0, 1]);
    }

    #[test]
    fn a_history_that_is_repeated_names_what_is_new_in_it() {
        let (mut names, mut waypoints) = (Names::default(), Vec::new());
        for (line, all) in [(1, vec!["a"]), (2, vec!["b"]), (3, vec!["s", "b", "t"])] {
            let course = Course {
                names: all.into_iter().map(Cow::Borrowed).collect(),
                follows: Follows::Last,
            };
            names.note(
                Seq::new(line).unwrap(),
                &course,
                Way::On,
                None,
                &mut waypoints,
            );
        }
        let lines: Vec<_> = waypoints.iter().map(|waypoint| waypoint.seq).collect();
        assert_eq!(lines, [1, 2, 3, 3]);
    }
}
