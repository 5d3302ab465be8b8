//! Segments that no writer wrote, under right checksums. Also a part of `tools/fuzz`.

use memfold_segment::Encoded;

/// Puts right every checksum on the way from a section's bytes to the table, so that what lies behind
/// the checksums is tried too.
pub(crate) fn forge(encoded: &mut Encoded) {
    let len = encoded.terms.len();
    if len < 40 {
        return;
    }
    let lengths = crc32fast::hash(&encoded.lengths);
    encoded.terms[32..36].copy_from_slice(&lengths.to_le_bytes());
    let terms = u32::from_le_bytes(encoded.terms[4..8].try_into().unwrap()) as usize;
    let blocks = terms.div_ceil(32).min((len - 40) / 12);
    let start = |encoded: &Encoded, block: usize| {
        let at = 36 + 12 * block;
        (u32::from_le_bytes(encoded.terms[at..at + 4].try_into().unwrap()) as usize)
            .min(encoded.blocks.len())
    };
    for block in 0..blocks {
        let from = start(encoded, block);
        let to = if block + 1 < blocks {
            start(encoded, block + 1)
        } else {
            encoded.blocks.len()
        };
        let crc = crc32fast::hash(encoded.blocks.get(from..to).unwrap_or_default());
        encoded.terms[36 + 12 * block + 8..36 + 12 * block + 12]
            .copy_from_slice(&crc.to_le_bytes());
    }
    let crc = crc32fast::hash(&encoded.terms[..len - 4]);
    encoded.terms[len - 4..].copy_from_slice(&crc.to_le_bytes());
}
