"""The words of a segment, from its four sections, by formats/segment.md."""

import struct
import zlib

GREATEST = 2**31 - 1
TERMS_OF_A_BLOCK = 32
LONG = 128


class SegmentError(ValueError):
    """The bytes are not those of a segment."""


class Segment:
    """A segment's counts, its documents' lengths, and its terms."""

    def __init__(self, terms, blocks, postings, lengths):
        content = _checked(terms, "terms")
        if len(content) < 36:
            raise SegmentError("terms: too short")
        (self.documents, self.terms, self.total_length, blocks_length, postings_length, lengths_crc) = struct.unpack_from(
            "<IIQQQI", content
        )
        if (blocks_length, postings_length) != (len(blocks), len(postings)):
            raise SegmentError("terms: other lengths than the sections have")
        if zlib.crc32(lengths) != lengths_crc:
            raise SegmentError("lengths: the checksum")
        self.blocks, self.postings = blocks, postings
        self.lengths = self._lengths(lengths)
        count = -(-self.terms // TERMS_OF_A_BLOCK)
        if len(content) < 36 + 12 * count:
            raise SegmentError("terms: too short")
        if blocks and not count:
            raise SegmentError("blocks: bytes that no block holds")
        self.rows = [struct.unpack_from("<III", content, 36 + 12 * n) for n in range(count)]

    def _lengths(self, lengths):
        if not self.documents:
            if lengths:
                raise SegmentError("lengths: of no document")
            return []
        width, rest = divmod(len(lengths), self.documents)
        if rest or width not in (1, 2, 4):
            raise SegmentError("lengths: not 1, 2 or 4 bytes a document")
        numbers = [n for (n,) in struct.iter_unpack({1: "<B", 2: "<H", 4: "<I"}[width], lengths)]
        if sum(numbers) != self.total_length:
            raise SegmentError("lengths: another sum than the table says")
        return numbers

    def words(self):
        """Each term, as bytes, with its postings: pairs of document and frequency."""
        before = None
        for n, (start, _, crc) in enumerate(self.rows):
            end = self.rows[n + 1][0] if n + 1 < len(self.rows) else len(self.blocks)
            block = self.blocks[start:end]
            if zlib.crc32(block) != crc:
                raise SegmentError(f"blocks: the checksum of block {n}")
            cursor, term = _Cursor(block), b""
            for _ in range(min(TERMS_OF_A_BLOCK, self.terms - n * TERMS_OF_A_BLOCK)):
                term = cursor.name(term)
                if before is not None and before >= term:
                    raise SegmentError("blocks: terms out of order")
                before = term
                yield term, self._list(cursor)
            if cursor.at != len(block):
                raise SegmentError(f"blocks: bytes after the last term of block {n}")

    def _list(self, cursor):
        code = cursor.varint()
        kind, value = code & 3, code >> 2
        if kind == 0:
            postings = [(value, 1)]
        elif kind == 2:
            postings = [(value, cursor.varint() + 2)]
        elif kind == 1:
            postings = _short(_Cursor(cursor.take(value)), 0)
            if not 2 <= len(postings) < LONG:
                raise SegmentError("blocks: a short list of too few or too many postings")
        else:
            at, length, crc = cursor.varint(), cursor.varint(), int.from_bytes(cursor.take(4), "little")
            stored = self.postings[at:at + length]
            if len(stored) != length or not LONG <= value <= self.documents:
                raise SegmentError("blocks: a long list that cannot be")
            if zlib.crc32(stored) != crc:
                raise SegmentError(f"postings: the checksum of the list at {at}")
            postings = _long(_Cursor(stored), value)
        for document, frequency in postings:
            if document >= self.documents or frequency > GREATEST:
                raise SegmentError("a posting out of bounds")
        return postings


class _Cursor:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, count):
        end = self.at + count
        if end > len(self.data):
            raise SegmentError("a section ends too early")
        taken = self.data[self.at:end]
        self.at = end
        return taken

    def varint(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                if value >> 64 or byte == 0 and shift:
                    raise SegmentError("a number in another than its shortest form")
                return value
            shift += 7
            if shift > 63:
                raise SegmentError("a number of more than 64 bits")

    def name(self, before):
        lengths = self.take(1)[0]
        shared, rest = lengths >> 4, (lengths & 15) + 1
        if shared == 15:
            shared += self.take(1)[0]
        if rest == 16:
            rest += self.take(1)[0]
        if shared > len(before) or shared + rest > 255:
            raise SegmentError("blocks: a term that cannot be")
        return before[:shared] + self.take(rest)


def _short(cursor, first):
    """Postings as varints, to the end."""
    postings = []
    while cursor.at < len(cursor.data):
        code = cursor.varint()
        document = first + (code >> 1)
        postings.append((document, cursor.varint() + 2 if code & 1 else 1))
        first = document + 1
    return postings


def _long(cursor, count):
    """Blocks of 128 postings in fixed widths, then the rest as varints."""
    postings, first = [], 0
    for _ in range(count // LONG):
        gap_bits, extra_bits = cursor.take(2)
        if not 1 <= gap_bits <= 32 or extra_bits > 31:
            raise SegmentError("postings: a width that no number needs")
        for gap, extra in zip(_packed(cursor, gap_bits), _packed(cursor, extra_bits)):
            document = first + gap
            postings.append((document, extra + 1))
            first = document + 1
    postings += _short(cursor, first)
    if len(postings) != count:
        raise SegmentError("postings: a list of another count than its term says")
    return postings


def _packed(cursor, width):
    """128 numbers of `width` bits, lowest bits first."""
    bits = int.from_bytes(cursor.take(16 * width), "little")
    return [bits >> width * n & (1 << width) - 1 for n in range(LONG)]


def _checked(section, name):
    content, crc = section[:-4], section[-4:]
    if len(crc) != 4 or zlib.crc32(content) != int.from_bytes(crc, "little"):
        raise SegmentError(f"{name}: the checksum")
    return content
