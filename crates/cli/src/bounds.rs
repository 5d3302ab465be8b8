//! How many events an answer may hold, by who asks.

use memfold::Viewer;

use crate::failure::Failure;
use crate::numbers;

const UNLESS_GIVEN: usize = 8;
const FOR_A_PERSON: usize = 1000;
const FOR_AN_AGENT: usize = 20;

/// The number of events to answer with.
pub(crate) fn limit(given: Option<usize>, viewer: Viewer) -> Result<usize, Failure> {
    let limit = given.unwrap_or(UNLESS_GIVEN);
    let (most, who) = match viewer {
        Viewer::Person => (FOR_A_PERSON, "a search"),
        Viewer::Agent => (FOR_AN_AGENT, "an agent's search"),
    };
    if limit == 0 {
        return Err(Failure::usage(
            "-n 0 asks for nothing",
            format!("give 1 to {}", numbers::count(most as u64)),
        ));
    }
    if limit > most {
        let most = numbers::count(most as u64);
        return Err(Failure::usage(
            format!("-n {limit}: {who} shows at most {most} events"),
            "narrow the query, or use --since, --kind, --path",
        ));
    }
    Ok(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_a_bound() {
        assert_eq!(limit(None, Viewer::Agent).unwrap(), 8);
        assert_eq!(limit(Some(20), Viewer::Agent).unwrap(), 20);
        assert_eq!(limit(Some(1000), Viewer::Person).unwrap(), 1000);
        for (given, viewer) in [
            (0, Viewer::Person),
            (1001, Viewer::Person),
            (21, Viewer::Agent),
        ] {
            assert!(limit(Some(given), viewer).is_err());
        }
    }
}
