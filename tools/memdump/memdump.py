#!/usr/bin/env python3
"""Prints a file of memfold's as text, a sidecar as JSON too. Written from the pages in formats/ alone, with nothing but
Python 3.11's standard library, so that the pages are known to be enough.

    memdump.py [--json] FILE

FILE is a sidecar (`x.mem`), the roll-up's catalogue or a shard of it, the receipts, listings of folders, a kept tail, a manifest,
a pack or the collection of a repository's index, or a log of memfold's own events (`.jsonl`). What it is, its first bytes say.
"""

import json
import sys

import events
import fields
import listings
import mark
import mem
import memtext
import receipts
import repository
import rollup
import segment
import tail

READERS = (
    (b"memroll", rollup.catalogue),
    (b"memshrd", rollup.shard),
    (b"memrcpt", receipts.receipts),
    (b"memlist", listings.listings),
    (b"memtail", tail.tail),
    (b"memtree", repository.manifest),
    (b"mempack", repository.pack),
    (b"memcoll", repository.collection),
)
ERRORS = (
    OSError,
    mem.MemError,
    segment.SegmentError,
    mark.NotOurs,
    fields.TooShort,
    rollup.RollupError,
    receipts.ReceiptsError,
    listings.ListingsError,
    repository.RepositoryError,
    tail.TailError,
)


def tree(file):
    """A sidecar as one JSON value, and what the text leaves out."""
    return {
        "header": file.header,
        "sections": {tag: {"offset": offset, "length": length} for tag, (offset, length, _) in file.table.items()},
        "blocks": file.blocks,
        "checkpoint": file.checkpoint,
        "cards": file.cards,
        "documents": [dict(document, words=words) for document, words in zip(file.documents, file.segment.lengths)],
        "keys": file.keys,
        "links": file.links,
        "waypoints": file.waypoints,
        "terms": {term.decode("utf-8", "replace"): postings for term, postings in file.segment.words()},
    }


def lines(path, data):
    """What a file holds, a line each."""
    for name, reader in READERS:
        if data.startswith(name):
            return reader(data)
    if path.endswith(".jsonl"):
        return events.events(data)
    return memtext.text(mem.Mem(data))


def main(arguments):
    as_json = arguments[:1] == ["--json"]
    paths = arguments[1:] if as_json else arguments
    if len(paths) != 1:
        print("usage: memdump.py [--json] FILE", file=sys.stderr)
        return 2
    try:
        with open(paths[0], "rb") as source:
            data = source.read()
        if as_json:
            page = json.dumps(tree(mem.Mem(data)), indent=1, ensure_ascii=False, default=bytes.hex) + "\n"
        else:
            page = "".join(line + "\n" for line in lines(paths[0], data))
    except ERRORS as error:
        print(f"memdump: {paths[0]}: {error}", file=sys.stderr)
        return 1
    sys.stdout.buffer.write(page.encode("utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
