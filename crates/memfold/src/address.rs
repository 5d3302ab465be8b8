//! Addresses: `TASK:SEQ`, a task by any unique prefix of 8 characters or more.

use crate::error::Error;

/// The shortest prefix of a task's id that names it.
pub(crate) const PREFIX: usize = 8;

/// The ids of the tasks of one answer, to shorten them.
pub(crate) struct Addresses {
    tasks: Vec<String>,
}

impl Addresses {
    pub(crate) fn new<'a>(tasks: impl Iterator<Item = &'a str>) -> Addresses {
        let mut tasks: Vec<String> = tasks.map(str::to_owned).collect();
        tasks.sort();
        tasks.dedup();
        Addresses { tasks }
    }

    /// Enough of a task's id to name it among the others: at least [`PREFIX`] characters.
    pub(crate) fn short(&self, task: &str) -> String {
        let place = self.tasks.partition_point(|other| other.as_str() < task);
        let before = place
            .checked_sub(1)
            .and_then(|before| self.tasks.get(before));
        let after = self
            .tasks
            .get(place)
            .filter(|other| *other != task)
            .or_else(|| self.tasks.get(place + 1));
        let shared = [before, after]
            .into_iter()
            .flatten()
            .map(|other| shared(other, task))
            .max()
            .unwrap_or(0);
        // A helper's id begins with its parent's: the whole of it is shown where a prefix would name both.
        task.chars()
            .take(shared.saturating_add(1).max(PREFIX))
            .collect()
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
    if name.chars().count() < PREFIX {
        return Err(Error::Usage {
            what: format!("`{name}` is too short for a task's id"),
            hint: format!("give at least its first {PREFIX} characters"),
        });
    }
    let all: Vec<(usize, &str)> = tasks
        .enumerate()
        .filter(|(_, task)| task.starts_with(name))
        .collect();
    // A helper's id begins with its parent's and a slash: the parent's prefix means the parent.
    let own: Vec<usize> = all
        .iter()
        .filter(|(_, task)| !task.contains('/'))
        .map(|(place, _)| *place)
        .collect();
    Ok(if own.is_empty() || name.contains('/') {
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
