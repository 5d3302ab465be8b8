//! The beginning of a term as a number that sorts as the bytes do. Terms are short: most comparisons of two end there, in
//! one instruction and not byte by byte.

/// The bytes of a lead.
const LEAD: usize = 8;

/// A term's first eight bytes, the first one highest; zeros stand for those that it lacks.
#[inline]
pub(crate) fn lead(term: &[u8]) -> u64 {
    if let Some(bytes) = term.first_chunk() {
        return u64::from_be_bytes(*bytes);
    }
    let missing = 8 * (LEAD - term.len()) as u32;
    match (term.first_chunk(), term.last_chunk()) {
        // Both halves are read whole: where they overlap, they say the same.
        (Some(first), Some(last)) => {
            u64::from(u32::from_be_bytes(*first)) << 32
                | u64::from(u32::from_be_bytes(*last)) << missing
        }
        _ => {
            let number = |number, byte: &u8| number << 8 | u64::from(*byte);
            let number: u64 = term.iter().fold(0, number);
            number.checked_shl(missing).unwrap_or(0)
        }
    }
}

/// How many bytes two terms begin with alike.
#[inline]
pub(crate) fn common(a: &[u8], b: &[u8]) -> usize {
    alike((a, lead(a)), (b, lead(b)))
}

/// How many bytes two terms, each with its lead, begin with alike.
#[inline]
pub(crate) fn alike((a, a_lead): (&[u8], u64), (b, b_lead): (&[u8], u64)) -> usize {
    let shorter = a.len().min(b.len());
    let first = (a_lead ^ b_lead).leading_zeros() as usize / 8;
    if first < LEAD || shorter <= LEAD {
        return first.min(shorter);
    }
    let pairs = a.iter().zip(b).skip(LEAD);
    LEAD + pairs.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn leads_say_what_the_bytes_say(a in "[\0ab]{0,12}", b in "[\0ab]{0,12}") {
            let (a, b) = (a.as_bytes(), b.as_bytes());
            let (a_lead, b_lead) = (lead(a), lead(b));
            prop_assert!(a_lead == b_lead || a_lead.cmp(&b_lead) == a.cmp(b));
            let bytewise = a.iter().zip(b).take_while(|(a, b)| a == b).count();
            prop_assert_eq!(alike((a, a_lead), (b, b_lead)), bytewise);
        }

        #[test]
        fn a_lead_is_the_first_bytes(term in proptest::collection::vec(any::<u8>(), 0..12)) {
            let mut padded = [0; LEAD];
            padded.iter_mut().zip(&term).for_each(|(to, from)| *to = *from);
            prop_assert_eq!(lead(&term), u64::from_be_bytes(padded));
        }
    }
}
