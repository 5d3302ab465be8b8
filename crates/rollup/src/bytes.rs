//! Little-endian numbers out of a slice that gets shorter. Total: what is not there is damage.

use crate::error::RollupError;

/// What is left to be read.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a>(pub(crate) &'a [u8]);

impl Input<'_> {
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], RollupError> {
        let (taken, rest) = self
            .0
            .split_first_chunk()
            .ok_or(RollupError::Damaged("ends too early"))?;
        self.0 = rest;
        Ok(*taken)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, RollupError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, RollupError> {
        self.array().map(u64::from_le_bytes)
    }
}

/// A length as the formats hold it.
pub(crate) fn length(bytes: &[u8]) -> Result<u32, RollupError> {
    u32::try_from(bytes.len()).map_err(|_| RollupError::TooLarge("4 GiB"))
}
