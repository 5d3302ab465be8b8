"""memfold's own event log, from formats/events.md: a line of text for each line."""

import json
import re
from datetime import datetime, timezone

from quoting import quoted, time

VERSION = 1
TEXTS = ("time", "id", "agent", "task", "cwd", "host", "parent", "forked_from", "branch", "title", "by", "text", "path", "reason")
# What a known kind has of its own, and how an absent one is read: as empty, or as absent.
KINDS = {
    "log.open": ("task?", "cwd?", "host?", "parent?", "forked_from?", "branch?"),
    "log.title": ("title",),
    "person": ("text",),
    "reply": ("text",),
    "result": (),
    "file": ("path", "text"),
    "plan": ("text",),
    "summary": ("text",),
    "compaction": ("text",),
    "turn.end": ("reason?",),
}
UNRANKED = ("guard.decision", "egress", "request", "note", "thinking", "instructions", "index.update", "index.forget",
            "asked.search", "asked.recall", "asked.update")
RFC_3339 = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,3}))?Z")


class Broken(ValueError):
    """A line that is no event's."""


def events(data):
    """A line for each line of the log."""
    lines = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        if number == len(lines):
            if line:
                yield f"{number} not ended"
            return
        if not line.strip():
            yield f"{number} blank"
            continue
        try:
            yield from _event(number, line)
        except (Broken, ValueError, RecursionError):
            yield f"{number} broken"


def _event(number, line):
    said = json.loads(line.decode("utf-8"), parse_constant=_no_constant)
    version, kind = _field(said, "v", int), _field(said, "kind", str)
    if version is None or not 0 <= version < 1 << 32 or kind is None:
        raise Broken
    if version != VERSION or kind not in KINDS and kind not in UNRANKED:
        yield f"{number} unknown {quoted(kind)} of version {version}"
        return
    texts = {name: _field(said, name, str) for name in TEXTS}
    calls, results = _field(said, "calls", list) or [], _field(said, "results", list) or []
    calls = [(_text(call, "id"), _text(call, "tool"), call.get("input")) for call in map(_object, calls)]
    results = [_result(_object(result)) for result in results]
    page = [f"{number} {kind} time {time(_time(texts['time']))}"]
    page += [f"  {name} {quoted(texts[name])}" for name in ("id", "agent") if texts[name] is not None]
    for name in KINDS.get(kind, ("text?",)):
        text = texts[name.rstrip("?")]
        if text is not None or not name.endswith("?"):
            page.append(f"  {name.rstrip('?')} {quoted(text or '')}")
    if kind == "log.title":
        page.append(f"  by {texts['by'] if texts['by'] in ('person', 'summary') else 'model'}")
    if kind == "reply":
        for own, tool, given in calls:
            page.append(f"  call {quoted(own)} {quoted(tool)} {_json(given)}")
    if kind == "result":
        page += results
    if kind in UNRANKED:
        page.append(f"  data {_json(said.get('data'))}")
    yield from page


def _result(result):
    tool, persisted = _field(result, "tool", str), _field(result, "persisted", str)
    code, failed = _field(result, "exit", int), _field(result, "failed", bool)
    if code is not None and not -1 << 31 <= code < 1 << 31:
        raise Broken
    return (f"  result {quoted(_text(result, 'call'))} {'-' if tool is None else quoted(tool)} {quoted(_text(result, 'text'))} "
            f"exit {'-' if code is None else code}{' failed' if failed else ''}{'' if persisted is None else ' ' + quoted(persisted)}")


def _field(said, name, kind):
    value = _object(said).get(name)
    if value is not None and type(value) is not kind:
        raise Broken
    return value


def _text(said, name):
    return _field(said, name, str) or ""


def _object(value):
    if not isinstance(value, dict):
        raise Broken
    return value


def _time(text):
    """Milliseconds since 1970; nothing if it is no time."""
    found = RFC_3339.fullmatch(text or "")
    if not found:
        return None
    try:
        whole = datetime.fromisoformat(found[1]).replace(tzinfo=timezone.utc)
    except ValueError:
        return None
    return int(whole.timestamp()) * 1000 + int((found[2] or "0").ljust(3, "0"))


def _json(value):
    return "-" if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _no_constant(_):
    raise Broken
