"""A kept tail, from formats/tail.md: opened, checked whole, and as lines of text."""

import zlib

import mark
import mem
import memtext
import segment
from fields import Fields

NAME = b"memtail4"


class TailError(ValueError):
    """The file is no tail, or is damaged."""


def tail(data):
    """The lines of a tail."""
    rest = mark.strip(data, NAME)
    if len(rest) < 4 or zlib.crc32(rest[4:]) != int.from_bytes(rest[:4], "little"):
        raise TailError("damaged: its checksum")
    read = mem.Values("the tail", rest[4:])
    yield "tail 4"
    yield f"log {Fields(read.take(40)).state()}"
    yield f"content root {read.take(32).hex()}"
    documents = read.list(mem.RECORDS["DOCS"])
    keys = read.list(lambda read: {"id": read.u64(), "origin": read.u64()})
    links = read.list(mem.RECORDS["LINK"])
    cards = read.list(mem.RECORDS["CARD"])
    first_card = read.u32()
    waypoints = read.list(mem.RECORDS["PAST"])
    terms, blocks, postings, lengths = (read.take(read.u64()) for _ in range(4))
    count, total = read.u32(), read.u64()
    facts = mem.facts(read)
    if read.at != len(read.data):
        raise TailError("damaged: bytes after the last field")
    words = segment.Segment(terms, blocks, postings, lengths)
    if (words.documents, words.total_length) != (count, total) or count != len(documents) or count != len(keys):
        raise TailError("damaged: other counts than its words have")
    yield from memtext.documents(documents, words)
    yield from memtext.keys(keys)
    yield from memtext.links(links)
    yield f"first card {first_card}"
    yield from memtext.cards(cards)
    yield from memtext.waypoints(waypoints)
    yield f"{count} documents, {total} words"
    yield from memtext.terms(words)
    yield from memtext.facts(facts)
