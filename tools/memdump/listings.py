"""What folders held, from formats/listings.md: opened, checked whole, and as lines of text."""

import zlib

import mark
from fields import Fields, TooShort
from quoting import quoted

NAME = b"memlist1"
ROW = 48
KINDS = ("file", "folder")


class ListingsError(ValueError):
    """The file holds no listings, or is damaged."""


def listings(data):
    """The lines of the listings."""
    rest = mark.strip(data, NAME)
    if len(rest) < 4 or zlib.crc32(rest[4:]) != int.from_bytes(rest[:4], "little"):
        raise ListingsError("damaged: its checksum")
    read = Fields(rest[4:])
    count = read.u32()
    if count * ROW > read.left():
        raise ListingsError("damaged: more rows than bytes")
    rows = [_row(read) for _ in range(count)]
    names = read.take(read.left())
    if any(one["key"] >= other["key"] for one, other in zip(rows, rows[1:])):
        raise ListingsError("damaged: rows out of order")
    yield "listings 1"
    for row in rows:
        device, inode = row["key"]
        yield (f"folder device {device} inode {inode} changed {row['content']} {row['anything']}: "
               f"{row['entries']} entries, missed {row['missed']}")
        last = None
        for kind, name in _names(names[row["at"]:row["at"] + row["length"]], row["length"]):
            if last is not None and last >= name or name.endswith(b".mem"):
                raise ListingsError("damaged: names out of order")
            last = name
            yield f"  {kind} {quoted(name.decode('utf-8', 'replace'))}"


def _row(read):
    row = {"key": (read.u64(), read.u64()), "content": read.i64(), "anything": read.i64()}
    for name in ("entries", "at", "length", "missed"):
        row[name] = read.u32()
    return row


def _names(data, length):
    read = Fields(data)
    if len(data) != length:
        raise ListingsError("damaged: names past the end")
    while read.left():
        try:
            kind, size = read.number("B"), read.number("H")
            name = read.take(size)
        except TooShort:
            raise ListingsError("damaged: a name past the end") from None
        if kind >= len(KINDS) or name in (b"", b".", b"..") or b"/" in name or b"\0" in name:
            raise ListingsError("damaged: no name")
        yield KINDS[kind], name
