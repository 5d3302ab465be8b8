//! How many events an answer may hold. A tool call's own, smaller bound is the MCP server's affair.

use crate::failure::Failure;
use crate::numbers;

const UNLESS_GIVEN: usize = 8;

/// The number of events to answer with.
pub(crate) fn limit(given: Option<usize>) -> Result<usize, Failure> {
    let limit = given.unwrap_or(UNLESS_GIVEN);
    let most = numbers::count(memfold::LIMIT as u64);
    if limit == 0 {
        return Err(Failure::usage(
            "-n 0 asks for nothing",
            format!("give 1 to {most}"),
        ));
    }
    if limit > memfold::LIMIT {
        return Err(Failure::usage(
            format!("-n {limit}: a search shows at most {most} events"),
            "narrow the query, or use --since, --kind, --path",
        ));
    }
    Ok(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_a_bound() {
        assert_eq!(limit(None).unwrap(), 8);
        assert_eq!(limit(Some(1000)).unwrap(), 1000);
        assert!(limit(Some(0)).is_err());
        assert!(limit(Some(1001)).is_err());
    }
}
