"""A `.mem` file, from formats/mem.md: opened, checked, and its records as plain dictionaries."""

import hashlib
import struct
import zlib

import segment
import zstd

MAGIC = b"\x89MEM\r\n\x1a\n"
BLOCK = 1 << 20
GROUP_LIMIT = 64 << 20
STORED_AS_RECORDS = ("CARD", "CKPT", "DOCS", "LINK", "PAST")
TAGS = ("BLKH", "CARD", "CKPT", "DLEN", "DOCS", "KEYS", "LINK", "PAST", "POST", "TBLK", "TERM")
OPTIONAL = ("PAST",)


class MemError(ValueError):
    """The file is no sidecar, is damaged, or is of a format that this reader does not know."""


class Damaged(MemError):
    def __init__(self, section, what):
        super().__init__(f"damaged in {section}: {what}")


class Mem:
    """A sidecar, read and checked whole."""

    def __init__(self, data):
        self.data = data
        self.header, self.table = _head(data)
        self.sections = {tag: self._section(tag, *row) for tag, row in self.table.items()}
        self.blocks = self._block_hashes()
        content = {tag: stored for tag, stored in self.sections.items()}
        records = {"PAST": []}
        for tag in STORED_AS_RECORDS:
            if tag in self.sections:
                records[tag], content[tag] = _records(tag, self.sections[tag])
        self.cards, self.documents, self.links = records["CARD"], records["DOCS"], records["LINK"]
        self.waypoints = records["PAST"]
        if len(records["CKPT"]) != 1:
            raise Damaged("CKPT", "not one record")
        self.checkpoint = records["CKPT"][0]
        if self.checkpoint["cards"] != self.header["cards"]:
            raise Damaged("CKPT", "another number of cards than the header's")
        self.keys = self._keys()
        for tag, count, expected in (
            ("CARD", len(self.cards), self.header["cards"]),
            ("DOCS", len(self.documents), self.header["documents"]),
            ("KEYS", len(self.keys), self.header["documents"]),
        ):
            if count != expected:
                raise Damaged(tag, f"{count} records where {expected} should be")
        self.segment = segment.Segment(*(self.sections[tag] for tag in ("TERM", "TBLK", "POST", "DLEN")))
        if (self.segment.documents, self.segment.total_length) != (self.header["documents"], self.header["words"]):
            raise Damaged("TERM", "other counts than the header's")
        root = hashlib.sha256(b"memfold sidecar content 1\n" + data[28:144])
        for tag in self.table:
            root.update(tag.encode("latin-1") + struct.pack("<Q", len(content[tag])))
            root.update(hashlib.sha256(content[tag]).digest())
        if root.digest() != self.header["content_root"]:
            raise Damaged("HEAD", "another content root than the sections'")

    def _section(self, tag, offset, length, crc):
        stored = self.data[offset:offset + length]
        if zlib.crc32(stored) != crc:
            raise Damaged(tag, "its checksum")
        if any(self.data[offset + length:_padded(offset + length)]):
            raise Damaged(tag, "padding that is not zero")
        return stored

    def _block_hashes(self):
        hashes, covered = self.sections["BLKH"], self.header["covered"]
        if len(hashes) != 32 * -(-covered // BLOCK):
            raise Damaged("BLKH", "another length than the covered prefix takes")
        if hashlib.sha256(b"memfold log root 1\n" + struct.pack("<Q", covered) + hashes).digest() != self.header["log_root"]:
            raise Damaged("BLKH", "another root than the header's")
        return [hashes[n:n + 32] for n in range(0, len(hashes), 32)]

    def _keys(self):
        if len(self.sections["KEYS"]) % 16:
            raise Damaged("KEYS", "not 16 bytes a document")
        return [{"id": own, "origin": origin} for own, origin in struct.iter_unpack("<QQ", self.sections["KEYS"])]


def _padded(length):
    return length + 7 & ~7


def _head(data):
    """The fixed header as a dictionary, and the section table: tag to offset, length and CRC-32."""
    if not data or data[:8] != MAGIC[:len(data)]:
        raise MemError("not a sidecar")
    if len(data) < 16:
        raise Damaged("HEAD", "the file ends in it")
    version, length = struct.unpack_from("<II", data, 8)
    if not 24 <= length <= 65536 or length % 8 or length > len(data):
        raise Damaged("HEAD", f"a length of {length}")
    if zlib.crc32(data[:length - 4]) != int.from_bytes(data[length - 4:length], "little"):
        raise Damaged("HEAD", "its checksum")
    if version != 1:
        raise MemError(f"written in format {version}; this reader knows format 1")
    if length < 184:
        raise Damaged("HEAD", "too short")
    names = ("file_length", "sections", "fold_version", "fold_parameters", "covered", "next_line", "documents", "cards",
             "words", "form", "zero", "log_root", "content_root")
    header = dict(zip(names, struct.unpack_from("<QII32sQQQQQII32s32s", data, 16)))
    if header["form"] > 4:
        raise MemError("of a newer format: a log of an unknown form")
    if (header["file_length"] != len(data) or length != 176 + 32 * header["sections"] + 8 or header["next_line"] == 0
            or header["documents"] >> 32 or header["cards"] >> 32 or header.pop("zero") or any(data[length - 8:length - 4])):
        raise Damaged("HEAD", "a field that cannot be")
    table, expected, last = {}, length, b""
    for at in range(176, length - 8, 32):
        tag, flags, offset, size, crc, zero = struct.unpack_from("<4sIQQII", data, at)
        if tag <= last or offset != expected or offset + size > len(data) or zero:
            raise Damaged("HEAD", f"the row of section {tag!r}")
        name = tag.decode("latin-1")
        if name in TAGS and flags != 1:
            raise Damaged("HEAD", f"the flags of section {name}")
        if name not in TAGS and flags:
            raise MemError(f"of a newer format: section {name}")
        table[name] = (offset, size, crc)
        expected, last = _padded(offset + size), tag
    if expected != len(data):
        raise Damaged("HEAD", "bytes that no section holds")
    for tag in TAGS:
        if tag not in table and tag not in OPTIONAL:
            raise Damaged(tag, "it is missing")
    return header, table


def _records(tag, section):
    """The records of a section, and its content."""
    if len(section) < 20:
        raise Damaged(tag, "too short for its index")
    records, size, groups = struct.unpack_from("<QII", section)
    end = 16 + 20 * groups
    if not 1 <= size <= 4096 or groups != -(-records // size) or end + 4 > len(section):
        raise Damaged(tag, f"{records} records in {groups} groups of {size}")
    if zlib.crc32(section[:end]) != int.from_bytes(section[end:end + 4], "little"):
        raise Damaged(tag, "the checksum of its index")
    read, content, at, last = [], [section[:16]], end + 4, 0
    for group, (first, stored_length, length, crc) in enumerate(struct.iter_unpack("<QIII", section[16:end])):
        stored = section[at:at + stored_length]
        at += stored_length
        if len(stored) != stored_length or zlib.crc32(stored) != crc:
            raise Damaged(tag, f"group {group}: its checksum")
        if stored_length > length or length > min(256 * stored_length + 4096, GROUP_LIMIT):
            raise Damaged(tag, f"group {group}: {stored_length} bytes are said to hold {length}")
        try:
            raw = stored if stored_length == length else zstd.decompress(stored, length)
        except zstd.ZstdError as error:
            raise Damaged(tag, f"group {group}: {error}") from None
        if len(raw) != length:
            raise Damaged(tag, f"group {group}: {len(raw)} bytes where {length} should be")
        fields = Values(tag, raw)
        new = fields.list(RECORDS[tag])
        if fields.at != len(raw) or len(new) != min(size, records - group * size):
            raise Damaged(tag, f"group {group}: it does not fill its place")
        for place, record in enumerate(new):
            key = KEYS[tag](record)
            if key < last or place == 0 and key != first:
                raise Damaged(tag, f"group {group}: records out of order")
            last = key
        read += new
        content.append(raw)
    if at != len(section):
        raise Damaged(tag, "bytes that no group holds")
    return read, b"".join(content)


class Values:
    """Values as formats/mem.md writes them, one after the other."""

    def __init__(self, tag, data):
        self.tag = tag
        self.data = data
        self.at = 0

    def take(self, count):
        end = self.at + count
        if end > len(self.data):
            raise Damaged(self.tag, "a record ends too early")
        taken = self.data[self.at:end]
        self.at = end
        return taken

    def number(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]

    def u8(self):
        return self.number("B")

    def u32(self):
        return self.number("I")

    def u64(self):
        return self.number("Q")

    def i32(self):
        return self.number("i")

    def i64(self):
        return self.number("q")

    def bool(self):
        value = self.u8()
        if value > 1:
            raise Damaged(self.tag, f"{value} for a yes or no")
        return value == 1

    def text(self):
        try:
            return self.take(self.u64()).decode("utf-8")
        except UnicodeDecodeError:
            raise Damaged(self.tag, "a text that is not UTF-8") from None

    def list(self, item):
        count = self.u64()
        if count > len(self.data) - self.at:  # Every item takes a byte at least.
            raise Damaged(self.tag, f"a list of {count}")
        return [item(self) for _ in range(count)]

    def optional(self, item):
        return item(self) if self.bool() else None

    def one_of(self, *cases):
        case = self.u32()
        if case >= len(cases):
            raise Damaged(self.tag, f"case {case} of {len(cases)}")
        return cases[case]


def _document(read):
    return {
        "seq": read.u64(),
        "start": read.u64(),
        "length": read.u64(),
        "card": read.u32(),
        "sitting": read.u32(),
        "kind": read.one_of("person", "reply", "result", "file", "plan", "summary", "compaction"),
        "time": read.optional(Values.i64),
        "helper": read.one_of("main", "helper"),
    }


def _link(read):
    return {
        "call_seq": read.u64(),
        "call": read.u32(),
        "call_start": read.u64(),
        "call_length": read.u64(),
        "result_seq": read.u64(),
        "part": read.u32(),
    }


def _way(read):
    way = read.one_of("on", "back to", "instead of document")
    return {"on": lambda: way, "back to": lambda: f"{way} {read.u64()}"}.get(way, lambda: f"{way} {read.u32()}")()


def _waypoint(read):
    return {"seq": read.u64(), "name": read.u64(), "document": read.optional(Values.u32), "way": _way(read)}


def _listing(read):
    return {"named": read.list(Values.text), "more": read.u32()}


def _command(read):
    line = read.text()
    end = read.one_of("unknown", "exit", "failed")
    return {"line": line, "end": f"exit {read.i32()}" if end == "exit" else end}


def _note(read):
    return {"seq": read.u64(), "text": read.text()}


def _card(read):
    return {
        "turn": read.u32(),
        "continued": read.bool(),
        "title": read.text(),
        "first_seq": read.u64(),
        "last_seq": read.u64(),
        "start": read.u64(),
        "start_length": read.u64(),
        "started": read.optional(Values.i64),
        "ended": read.optional(Values.i64),
        "read": _listing(read),
        "edited": _listing(read),
        "commands": read.list(_command),
        "more_commands": read.u32(),
        "calls": read.u32(),
        "errors": read.u32(),
        "closing": read.text(),
        "notes": read.list(_note),
    }


def _open_call(read):
    return {
        "id": read.text(),
        "seq": read.u64(),
        "start": read.u64(),
        "length": read.u64(),
        "call": read.u32(),
        "words": read.text(),
        "command": read.optional(lambda read: [read.u32(), read.u32()]),
        "retrieves": read.bool(),
    }


def facts(read):
    """What a log says of itself."""
    said = {name: read.optional(Values.text) for name in FACTS}
    said["title_rank"] = read.u8()
    said["started"] = read.optional(Values.i64)
    said["ended"] = read.optional(Values.i64)
    return said


def _checkpoint(read):
    checkpoint = facts(read)
    checkpoint["turn"] = read.u32()
    checkpoint["turn_title"] = read.text()
    checkpoint["cards"] = read.u32()
    checkpoint["card_turn"] = read.optional(Values.u32)
    checkpoint["sitting"] = read.u32()
    checkpoint["last_time"] = read.optional(Values.i64)
    checkpoint["open_calls"] = read.list(_open_call)
    for name in TALLY:
        checkpoint[name] = read.u64()
    checkpoint["first_line"] = read.take(32)
    return checkpoint


FACTS = ("task", "parent", "forked_from", "helper", "cwd", "branch", "title")
TALLY = ("lines", "broken", "clipped", "too_long", "unranked", "copies")
RECORDS = {"CARD": _card, "CKPT": _checkpoint, "DOCS": _document, "LINK": _link, "PAST": _waypoint}
KEYS = {
    "CARD": lambda card: card["turn"],
    "CKPT": lambda _: 0,
    "DOCS": lambda document: document["seq"],
    "LINK": lambda link: link["result_seq"],
    "PAST": lambda waypoint: waypoint["seq"],
}
