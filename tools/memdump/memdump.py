#!/usr/bin/env python3
"""Prints a `.mem` file as text, or as JSON. Written from formats/mem.md and formats/segment.md, with nothing but Python
3.11's standard library, so that the pages are known to be enough.

    memdump.py [--json] FILE
"""

import json
import sys

import mem
import segment


def text(file):
    """The whole of a sidecar, a line each; what `memfold_sidecar::dump` gives."""
    header = file.header
    yield "format 1"
    yield f"fold {header['fold_version']} {header['fold_parameters'].hex()}"
    form = ("jsonl", "jsonl.zst", "json", "rows", "md")[header["form"]]
    yield f"log {form} {header['covered']} bytes, next line {header['next_line']}"
    yield f"log root {header['log_root'].hex()}"
    yield f"content root {header['content_root'].hex()}"
    yield f"{header['documents']} documents, {header['cards']} cards, {header['words']} words"
    for tag in file.table:
        yield f"section {tag}"
    for block in file.blocks:
        yield f"block {block.hex()}"
    yield from _checkpoint(file.checkpoint)
    for number, card in enumerate(file.cards):
        yield from _card(number, card)
    for number, (document, words) in enumerate(zip(file.documents, file.segment.lengths)):
        yield (f"document {number} line {document['seq']} at {document['start']}+{document['length']} card {document['card']} sitting {document['sitting']} "
               f"{document['kind']} {document['helper']} time {_time(document['time'])} words {words}")
    for number, key in enumerate(file.keys):
        yield f"key {number} {key['id']:016x} {key['origin']:016x}"
    for link in file.links:
        yield (f"link {link['result_seq']}.{link['part']} answers {link['call_seq']}.{link['call']} "
               f"at {link['call_start']}+{link['call_length']}")
    for waypoint in file.waypoints:
        document = "-" if waypoint["document"] is None else waypoint["document"]
        yield f"waypoint line {waypoint['seq']} name {waypoint['name']:016x} document {document} {waypoint['way']}"
    for term, postings in file.segment.words():
        yield f"term {_quoted(term.decode('utf-8', 'replace'))}"
        for document, frequency in postings:
            yield f"  {document} {frequency}"


def _checkpoint(checkpoint):
    for name in mem.FACTS:
        if checkpoint[name] is not None:
            yield f"{name} {_quoted(checkpoint[name])}"
    yield f"time {_time(checkpoint['started'])} to {_time(checkpoint['ended'])}"
    yield f"turn {checkpoint['turn']} {_quoted(checkpoint['turn_title'])}"
    card_turn = "-" if checkpoint["card_turn"] is None else checkpoint["card_turn"]
    yield f"{checkpoint['cards']} cards, the last one of turn {card_turn}"
    yield f"sitting {checkpoint['sitting']}, last at {_time(checkpoint['last_time'])}"
    for call in checkpoint["open_calls"]:
        yield f"open call {_quoted(call['id'])} {call['seq']}.{call['call']} at {call['start']}+{call['length']}"
        yield f"  words {_quoted(call['words'])}"
        if call["command"] is not None:
            card, command = call["command"]
            yield f"  command {command} of card {card}"
        if call["retrieves"]:
            yield "  retrieves"
    yield "tally " + ", ".join(f"{checkpoint[name]} {name.replace('_', ' ')}" for name in mem.TALLY)
    yield f"first line {checkpoint['first_line'].hex()}"


def _card(number, card):
    yield f"card {number} turn {card['turn']}{' continued' if card['continued'] else ''} {_quoted(card['title'])}"
    yield f"  lines {card['first_seq']} to {card['last_seq']} at {card['start']}+{card['start_length']}"
    yield f"  time {_time(card['started'])} to {_time(card['ended'])}"
    for name in ("read", "edited"):
        for entry in card[name]["named"]:
            yield f"  {name} {_quoted(entry)}"
        yield f"  {name} {card[name]['more']} more"
    for command in card["commands"]:
        yield f"  command {_quoted(command['line'])} {command['end']}"
    yield f"  {card['more_commands']} more commands, {card['calls']} calls, {card['errors']} errors"
    yield f"  closing {_quoted(card['closing'])}"
    for note in card["notes"]:
        yield f"  note {note['seq']} {_quoted(note['text'])}"


def _time(time):
    return "-" if time is None else time


def _quoted(text):
    return json.dumps(text, ensure_ascii=False)


def tree(file):
    """The same as one JSON value, and what the text leaves out."""
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


def main(arguments):
    as_json = arguments[:1] == ["--json"]
    paths = arguments[1:] if as_json else arguments
    if len(paths) != 1:
        print("usage: memdump.py [--json] FILE", file=sys.stderr)
        return 2
    try:
        with open(paths[0], "rb") as source:
            file = mem.Mem(source.read())
        if as_json:
            page = json.dumps(tree(file), indent=1, ensure_ascii=False, default=bytes.hex) + "\n"
        else:
            page = "".join(line + "\n" for line in text(file))
    except (OSError, mem.MemError, segment.SegmentError) as error:
        print(f"memdump: {paths[0]}: {error}", file=sys.stderr)
        return 1
    sys.stdout.buffer.write(page.encode("utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
