"""The roll-up's catalogue and shards, from formats/rollup.md: opened, checked whole, and as lines of text."""

import hashlib
import struct
import zlib

import mark
import segment
from fields import Fields, TooShort
from quoting import quoted, time

CATALOGUE = b"memroll2"
SHARD = b"memshrd1"
NO_TIME = -(1 << 63)
NO_TEXT = (1 << 32) - 1
KINDS = ("person", "reply", "result", "file", "plan", "summary", "compaction")
SECTIONS = ("dead", "sittings", "kinds", "times", "keys", "fences", "filter", "terms", "blocks", "postings", "lengths")
SHARD_HEAD = 8 + 4 + 20 * len(SECTIONS) + 4
GROUP = 256


class RollupError(ValueError):
    """The file is no part of a roll-up, or is damaged."""


def catalogue(data):
    """The lines of a catalogue."""
    read = Fields(mark.strip(data, CATALOGUE))
    try:
        crc = read.u32()
        if zlib.crc32(read.data[4:]) != crc:
            raise RollupError("damaged: its checksum")
        program = read.take(32)
        shards, logs, texts = read.u32(), read.u32(), read.u32()
        rows = [(read.take(16).hex(), read.u32(), read.u64()) for _ in _counted(shards, 28, read)]
        of_logs = [_log(read) for _ in _counted(logs, 116, read)]
        places = [read.u32() for _ in _counted(logs, 4, read)]
        text = read.take(texts)
    except TooShort:
        raise RollupError("damaged: more rows than bytes") from None
    if read.left():
        raise RollupError("damaged: bytes after the last text")
    yield "catalogue 2"
    yield f"program {program.hex()}"
    for number, (name, documents, size) in enumerate(rows):
        yield f"shard {number} {name} {documents} documents {size} bytes"
    for number, log in enumerate(of_logs):
        yield (f"log {number} {log['state']} shard {log['shard']} first {log['first']} documents {log['documents']} "
               f"counting {log['live']} of {log['length']} words ended {time(_no(log['ended'], NO_TIME))} component {log['component']}")
        for name in ("path", "task", "cwd", "agent"):
            at, length = log[name]
            if name != "cwd" or at != NO_TEXT:
                yield f"  {name} {quoted(text[at:at + length].decode('utf-8', 'replace'))}"
    for number, place in enumerate(places):
        yield f"place {number} log {place}"


def _counted(count, width, read):
    """So many rows, if there are bytes for them."""
    if count * width > read.left():
        raise TooShort
    return range(count)


def _log(read):
    log = {"state": read.state()}
    log["shard"], log["first"], log["documents"] = read.u32(), read.u32(), read.u32()
    log["live"], log["length"] = read.u64(), read.u64()
    log["ended"], log["component"] = read.i64(), read.u64()
    for name in ("path", "task", "cwd", "agent"):
        log[name] = (read.u32(), read.u32())
    return log


def shard(data):
    """The lines of a shard."""
    if data[:8] != SHARD:
        raise RollupError("of another version" if data[:7] == SHARD[:7] else "damaged: not a shard")
    head = data[:SHARD_HEAD]
    if len(head) < SHARD_HEAD or zlib.crc32(head[:-4]) != int.from_bytes(head[-4:], "little"):
        raise RollupError("damaged: the checksum of its head")
    read = Fields(head)
    read.take(8)
    documents = read.u32()
    sections, end = {}, SHARD_HEAD
    for name in SECTIONS:
        at, length, crc = read.u64(), read.u64(), read.u32()
        if at != end:
            raise RollupError(f"damaged: section {name} is out of its place")
        end += length
        sections[name] = data[at:end]
        if end > len(data) or zlib.crc32(sections[name]) != crc:
            raise RollupError(f"damaged: the checksum of section {name}")
    if end != len(data):
        raise RollupError("damaged: bytes that no section holds")
    for name, length in (("sittings", -(-documents // 8)), ("kinds", documents), ("times", 8 * documents)):
        if len(sections[name]) != length:
            raise RollupError(f"damaged: the length of section {name}")
    dead = _numbers(sections["dead"], "<I", "dead")
    times = _numbers(sections["times"], "<q", "times")
    keys = _numbers(sections["keys"], "<QI", "keys")
    fences = _numbers(sections["fences"], "<QI", "fences")
    words = _numbers(sections["filter"], "<Q", "filter")
    if len(words) & len(words) - 1 or not words:
        raise RollupError("damaged: a filter of a size that no filter has")
    if any(kind >= len(KINDS) for kind in sections["kinds"]):
        raise RollupError("damaged: a kind that there is not")
    if keys != sorted(keys) or any(not _holds(words, key) for key, _ in keys):
        raise RollupError("damaged: its keys")
    groups = [sections["keys"][at:at + 12 * GROUP] for at in range(0, len(sections["keys"]), 12 * GROUP)]
    if fences != [(int.from_bytes(group[:8], "little"), zlib.crc32(group)) for group in groups]:
        raise RollupError("damaged: its fences")
    of_words = segment.Segment(*(sections[name] for name in ("terms", "blocks", "postings", "lengths")))
    if of_words.documents != documents:
        raise RollupError("damaged: words of other documents")
    yield f"shard 1 of {documents} documents"
    # The name that its file has, and by which a catalogue knows it.
    yield f"name {hashlib.sha256(head).digest()[:16].hex()}"
    for number in dead:
        yield f"dead {number}"
    for number in range(documents):
        new = " of another sitting" if sections["sittings"][number // 8] >> number % 8 & 1 else ""
        yield (f"document {number} {KINDS[sections['kinds'][number]]} time {time(_no(times[number], NO_TIME))} "
               f"words {of_words.lengths[number]}{new}")
    for key, document in keys:
        yield f"key {key:016x} document {document}"
    for first, crc in fences:
        yield f"fence {first:016x} {crc:08x}"
    for number, word in enumerate(words):
        yield f"filter {number} {word:016x}"
    for term, postings in of_words.words():
        yield f"term {quoted(term.decode('utf-8', 'replace'))}"
        for document, frequency in postings:
            yield f"  {document} {frequency}"


def _numbers(section, form, name):
    if len(section) % struct.calcsize(form):
        raise RollupError(f"damaged: the length of section {name}")
    found = list(struct.iter_unpack(form, section))
    return [one[0] for one in found] if len(form) == 2 else found


def _holds(words, key):
    word = words[(key >> 6) % len(words)]
    return all(word >> bit & 1 for bit in (key & 63, key >> 58, key >> 52 & 63))


def _no(value, none):
    return None if value == none else value
