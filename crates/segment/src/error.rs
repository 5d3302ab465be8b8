//! What can go wrong, told apart so that a caller knows what to do about it: a file that cannot be
//! read is left alone, damage is rebuilt, a builder that is full is a limit of the format.

use crate::source::Section;

/// Why a segment could not be built or read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bytes could not be had. Says nothing about whether they are sound.
    #[error("cannot read {len} bytes at {at} of the section `{section}`")]
    Read {
        /// The section asked for.
        section: Section,
        /// The first byte asked for.
        at: u64,
        /// How many bytes were asked for.
        len: usize,
        /// What the source said.
        #[source]
        source: std::io::Error,
    },
    /// The bytes were had, and are not what a writer of this format writes.
    #[error("section `{section}`, byte {at}: {what}")]
    Damaged {
        /// The section that holds the fault.
        section: Section,
        /// The byte of that section at which the reader stopped.
        at: u64,
        /// The rule that is broken.
        what: &'static str,
    },
    /// A term that the format cannot hold.
    #[error("a term of {0} bytes; a term has 1 to 255")]
    TermLength(usize),
    /// A limit of the format was reached.
    #[error("the segment is full: {0}")]
    Full(&'static str),
}
