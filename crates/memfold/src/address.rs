//! Addresses: `TASK:SEQ`, a task by any unique prefix of 8 characters or more.

use std::collections::HashSet;

use crate::error::Error;

/// The shortest prefix of a task's id that names it.
pub(crate) const PREFIX: usize = 8;

/// The ids of the tasks of one answer, to shorten them.
pub(crate) struct Addresses {
    /// Sorted; a helper's task is named by its parent's.
    parents: Vec<String>,
}

impl Addresses {
    pub(crate) fn new<'a>(tasks: impl Iterator<Item = &'a str>) -> Addresses {
        let mut parents: Vec<String> = tasks.map(|task| parts(task).0.to_owned()).collect();
        parents.sort();
        parents.dedup();
        Addresses { parents }
    }

    /// Those that some tasks are to be told from: of thousands of tasks few are named in an answer, and hardly one is alike.
    pub(crate) fn around<'a>(named: &[&str], tasks: impl Iterator<Item = &'a [u8]>) -> Addresses {
        let head = |task: &[u8]| task.first_chunk::<PREFIX>().copied();
        let heads: HashSet<_> = named.iter().map(|task| head(task.as_bytes())).collect();
        if heads.is_empty() {
            return Addresses::new(std::iter::empty());
        }
        let around = tasks.filter(|task| heads.contains(&head(task)));
        Addresses::new(around.map(|task| std::str::from_utf8(task).unwrap_or_default()))
    }

    /// Enough of a task's id to name it among the others: at least [`PREFIX`] characters; of a helper's, the parent's so
    /// shortened and its own label.
    pub(crate) fn short(&self, task: &str) -> String {
        let (parent, helper) = parts(task);
        let place = self
            .parents
            .partition_point(|other| other.as_str() < parent);
        let before = place
            .checked_sub(1)
            .and_then(|before| self.parents.get(before));
        let after = self
            .parents
            .iter()
            .skip(place)
            .find(|other| *other != parent);
        let shared = [before, after]
            .into_iter()
            .flatten()
            .map(|other| shared(other, parent))
            .max()
            .unwrap_or(0);
        let mut short: String = parent
            .chars()
            .take(shared.saturating_add(1).max(PREFIX))
            .collect();
        if let Some(helper) = helper {
            short.push('/');
            short.push_str(helper);
        }
        short
    }
}

/// A task's id, and the label of the helper if it is a helper's.
fn parts(task: &str) -> (&str, Option<&str>) {
    match task.split_once('/') {
        Some((parent, helper)) => (parent, Some(helper)),
        None => (task, None),
    }
}

fn shared(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

/// A parsed address.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Address<'a> {
    /// The task, or nothing where the log is given otherwise.
    pub(crate) task: Option<&'a str>,
    /// The line.
    pub(crate) seq: u64,
}

impl<'a> Address<'a> {
    pub(crate) fn parse(text: &'a str) -> Result<Address<'a>, Error> {
        let (task, seq) = match text.rsplit_once(':') {
            Some((task, seq)) => (Some(task), seq),
            None => (None, text),
        };
        match seq.parse() {
            Ok(seq) if seq > 0 && task != Some("") => Ok(Address { task, seq }),
            _ => Err(Error::Usage {
                what: format!("`{text}` is no address"),
                hint: "an address is TASK:SEQ as a search prints it, or SEQ with --log FILE"
                    .to_owned(),
            }),
        }
    }
}

/// The places of the tasks that a name means: the one of that id, else those whose id begins with it.
pub(crate) fn meant<'a>(
    name: &str,
    tasks: impl Iterator<Item = &'a str> + Clone,
) -> Result<Vec<usize>, Error> {
    let exact: Vec<usize> = tasks
        .clone()
        .enumerate()
        .filter(|(_, task)| *task == name)
        .map(|(place, _)| place)
        .collect();
    if !exact.is_empty() {
        return Ok(exact);
    }
    let (parent, helper) = parts(name);
    if parent.chars().count() < PREFIX {
        return Err(Error::Usage {
            what: format!("`{name}` is too short for a task's id"),
            hint: format!("give at least its first {PREFIX} characters"),
        });
    }
    // A prefix without a slash means the tasks of their own, and helpers' only where there is none.
    let begins = |task: &str| {
        let (of, label) = parts(task);
        of.starts_with(parent)
            && helper.is_none_or(|helper| label.is_some_and(|label| label.starts_with(helper)))
    };
    let all: Vec<(usize, &str)> = tasks.enumerate().filter(|(_, task)| begins(task)).collect();
    let own: Vec<usize> = all
        .iter()
        .filter(|(_, task)| parts(task).1.is_none())
        .map(|(place, _)| *place)
        .collect();
    Ok(if own.is_empty() || helper.is_some() {
        all.into_iter().map(|(place, _)| place).collect()
    } else {
        own
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_as_long_as_they_must_be() {
        let addresses =
            Addresses::new(["aaaaaaaaaa1", "aaaaaaaaaa2", "bbbbbbbbbbbb", "short"].into_iter());
        assert_eq!(addresses.short("aaaaaaaaaa1"), "aaaaaaaaaa1");
        assert_eq!(addresses.short("bbbbbbbbbbbb"), "bbbbbbbb");
        assert_eq!(addresses.short("short"), "short");
        let addresses = Addresses::new(
            [
                "bbbbbbbbbbbb",
                "bbbbbbbbbbbb/agent-1",
                "bbbbbbbbbbbb/agent-2",
            ]
            .into_iter(),
        );
        assert_eq!(addresses.short("bbbbbbbbbbbb"), "bbbbbbbb");
        assert_eq!(addresses.short("bbbbbbbbbbbb/agent-2"), "bbbbbbbb/agent-2");
    }

    #[test]
    fn those_around_are_all_that_matter() {
        let tasks = [
            "aaaaaaaaaa1",
            "aaaaaaaaaa2",
            "aaaaaaaab",
            "bbbbbbbbbbbb",
            "c",
            "cc",
            "ééééé1",
            "ééééé2",
        ];
        let all = Addresses::new(tasks.into_iter());
        for task in tasks {
            let around = Addresses::around(&[task], tasks.iter().map(|task| task.as_bytes()));
            assert_eq!(around.short(task), all.short(task));
        }
    }

    #[test]
    fn addresses_are_parsed_or_refused() {
        assert_eq!(
            Address::parse("3f9a1c02:812").unwrap(),
            Address {
                task: Some("3f9a1c02"),
                seq: 812
            }
        );
        assert_eq!(
            Address::parse("812").unwrap(),
            Address {
                task: None,
                seq: 812
            }
        );
        for wrong in ["", ":", ":1", "a:0", "a:b", "a:-1", "a:1x"] {
            assert!(Address::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_parents_prefix_means_the_parent() {
        let tasks = ["11111111-aa", "11111111-aa/agent-x", "22222222-bb"];
        assert_eq!(meant("11111111", tasks.iter().copied()).unwrap(), [0]);
        assert_eq!(
            meant("11111111-aa/agent", tasks.iter().copied()).unwrap(),
            [1]
        );
        assert_eq!(meant("22222222-bb", tasks.iter().copied()).unwrap(), [2]);
        assert!(meant("1111", tasks.iter().copied()).is_err());
    }
}
