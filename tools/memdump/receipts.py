"""The receipts, from formats/receipts.md: opened, checked whole, and as lines of text."""

import hashlib
import zlib

import mark
import mem
from fields import Fields, TooShort
from quoting import quoted, time

NAME = b"memrcpt4"
HEAD = 12 + 4 + 4
ROW = 28
TEXTS = ("task", "parent", "helper", "cwd", "title", "request")


class ReceiptsError(ValueError):
    """The file holds no receipts, or is damaged."""


def receipts(data):
    """The lines of the receipts, by their keys."""
    read = Fields(mark.strip(data, NAME))
    try:
        count, crc = read.u32(), read.u32()
        rows = read.take(ROW * count)
    except TooShort:
        raise ReceiptsError("damaged: more rows than bytes") from None
    if zlib.crc32(data[12:16] + rows) != crc:
        raise ReceiptsError("damaged: the checksum of its rows")
    yield "receipts 4"
    at, before = HEAD + len(rows), b""
    for start in range(0, len(rows), ROW):
        row = Fields(rows[start:start + ROW])
        key, place, length = row.take(16), row.u64(), row.u32()
        if place != at or before and key <= before:
            raise ReceiptsError("damaged: its rows are out of order")
        stored = data[at:at + length]
        if len(stored) != length or length < 4 or zlib.crc32(stored[4:]) != int.from_bytes(stored[:4], "little"):
            raise ReceiptsError(f"damaged: the record at byte {at}")
        at, before = at + length, key
        yield from _record(stored[4:], key)
    if at != len(data):
        raise ReceiptsError("damaged: bytes after the last record")


def _record(data, key):
    read = mem.Values("the receipt", data)
    path = read.take(read.u64())
    if hashlib.sha256(path).digest()[:16] != key:
        raise ReceiptsError("damaged: a receipt under another log's key")
    yield f"log {quoted(path.decode('utf-8', 'replace'))}"
    yield f"  agent {quoted(read.text())}"
    yield f"  state {Fields(read.take(40)).state()}"
    yield f"  proved at {read.i64()}, then {time(read.optional(mem.Values.u64))} bytes"
    yield f"  folded {read.u64()}, covered {read.u64()}"
    yield f"  log root {read.take(32).hex()}"
    place = read.one_of("beside", "cache")
    yield f"  sidecar {place} {Fields(read.take(40)).state()}"
    yield f"  content root {read.take(32).hex()}"
    yield f"  {read.u32()} documents, {read.u32()} turns"
    for name in TEXTS:
        text = read.optional(mem.Values.text)
        if text is not None:
            yield f"  {name} {quoted(text)}"
    yield f"  time {time(read.optional(mem.Values.i64))} to {time(read.optional(mem.Values.i64))}"
    if read.at != len(data):
        raise ReceiptsError("damaged: bytes after a receipt")
