"""A `.mem` file's records as lines of text, and a whole one; what `memfold_sidecar::dump` gives."""

import mem
from quoting import quoted, time


def text(file):
    """The whole of a sidecar, a line each."""
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
    yield from cards(file.cards)
    yield from documents(file.documents, file.segment)
    yield from keys(file.keys)
    yield from links(file.links)
    yield from waypoints(file.waypoints)
    yield from terms(file.segment)


def documents(documents, words):
    for number, (document, length) in enumerate(zip(documents, words.lengths)):
        yield (f"document {number} line {document['seq']} at {document['start']}+{document['length']} card {document['card']} sitting {document['sitting']} "
               f"{document['kind']} {document['helper']} time {time(document['time'])} words {length}")


def keys(keys):
    for number, key in enumerate(keys):
        yield f"key {number} {key['id']:016x} {key['origin']:016x}"


def links(links):
    for link in links:
        yield (f"link {link['result_seq']}.{link['part']} answers {link['call_seq']}.{link['call']} "
               f"at {link['call_start']}+{link['call_length']}")


def waypoints(waypoints):
    for waypoint in waypoints:
        document = "-" if waypoint["document"] is None else waypoint["document"]
        yield f"waypoint line {waypoint['seq']} name {waypoint['name']:016x} document {document} {waypoint['way']}"


def terms(words):
    for term, postings in words.words():
        yield f"term {quoted(term.decode('utf-8', 'replace'))}"
        for document, frequency in postings:
            yield f"  {document} {frequency}"


def facts(said):
    for name in mem.FACTS:
        if said[name] is not None:
            yield f"{name} {quoted(said[name])}"
    yield f"time {time(said['started'])} to {time(said['ended'])}"


def _checkpoint(checkpoint):
    yield from facts(checkpoint)
    yield f"turn {checkpoint['turn']} {quoted(checkpoint['turn_title'])}"
    card_turn = "-" if checkpoint["card_turn"] is None else checkpoint["card_turn"]
    yield f"{checkpoint['cards']} cards, the last one of turn {card_turn}"
    yield f"sitting {checkpoint['sitting']}, last at {time(checkpoint['last_time'])}"
    for call in checkpoint["open_calls"]:
        yield f"open call {quoted(call['id'])} {call['seq']}.{call['call']} at {call['start']}+{call['length']}"
        yield f"  words {quoted(call['words'])}"
        if call["command"] is not None:
            card, command = call["command"]
            yield f"  command {command} of card {card}"
        if call["retrieves"]:
            yield "  retrieves"
    yield "tally " + ", ".join(f"{checkpoint[name]} {name.replace('_', ' ')}" for name in mem.TALLY)
    yield f"first line {checkpoint['first_line'].hex()}"


def cards(cards):
    for number, card in enumerate(cards):
        yield from _card(number, card)


def _card(number, card):
    yield f"card {number} turn {card['turn']}{' continued' if card['continued'] else ''} {quoted(card['title'])}"
    yield f"  lines {card['first_seq']} to {card['last_seq']} at {card['start']}+{card['start_length']}"
    yield f"  time {time(card['started'])} to {time(card['ended'])}"
    for name in ("read", "edited"):
        for entry in card[name]["named"]:
            yield f"  {name} {quoted(entry)}"
        yield f"  {name} {card[name]['more']} more"
    for command in card["commands"]:
        yield f"  command {quoted(command['line'])} {command['end']}"
    yield f"  {card['more_commands']} more commands, {card['calls']} calls, {card['errors']} errors"
    yield f"  closing {quoted(card['closing'])}"
    for note in card["notes"]:
        yield f"  note {note['seq']} {quoted(note['text'])}"
