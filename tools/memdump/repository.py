"""A repository's index, from formats/repository.md: manifests, packs and the collection, checked whole, as lines of text."""

import hashlib
import struct
import zlib

import segment
from fields import Fields, TooShort
from quoting import quoted

MANIFEST = b"memtree1"
PACK = b"mempack1"
COLLECTION = b"memcoll1"
SECTIONS = {
    MANIFEST: ("about", "files", "terms", "blocks", "postings", "lengths"),
    PACK: ("contents", "lines", "terms", "blocks", "postings", "lengths"),
    COLLECTION: ("looked", "unnamed"),
}
SKIPPED = {1: "binary", 2: "not UTF-8"}


class RepositoryError(ValueError):
    """The file is none of a repository's index, or is damaged."""


def _sections(data, name):
    """The sections of a file, by their names."""
    names = SECTIONS[name]
    if data[:8] != name:
        raise RepositoryError("of another version")
    length = 8 + 20 * len(names) + 4
    head = data[:length]
    if len(head) < length or zlib.crc32(head[:-4]) != int.from_bytes(head[-4:], "little"):
        raise RepositoryError("damaged: the checksum of its head")
    sections, end = {}, length
    for number, own in enumerate(names):
        at, size, crc = struct.unpack_from("<QQI", head, 8 + 20 * number)
        if at != end:
            raise RepositoryError(f"damaged: section {own} is out of its place")
        end += size
        sections[own] = data[at:end]
        if end > len(data) or zlib.crc32(sections[own]) != crc:
            raise RepositoryError(f"damaged: the checksum of section {own}")
    if end != len(data):
        raise RepositoryError("damaged: bytes that no section holds")
    return sections


def _text(read):
    try:
        return read.take(read.u32()).decode("utf-8")
    except UnicodeDecodeError:
        raise RepositoryError("damaged: a text that is not UTF-8") from None


def _ascending(before, now, what):
    if before is not None and before >= now:
        raise RepositoryError(f"damaged: {what} out of its place")
    return now


def _words(sections, documents):
    words = segment.Segment(*(sections[name] for name in ("terms", "blocks", "postings", "lengths")))
    if words.documents != documents:
        raise RepositoryError("damaged: words of other documents")
    return words


def _terms(words):
    for term, postings in words.words():
        yield f"term {quoted(term.decode('utf-8', 'replace'))}"
        for document, frequency in postings:
            yield f"  {document} {frequency}"


def manifest(data):
    """The lines of a manifest."""
    try:
        yield from _manifest(_sections(data, MANIFEST))
    except TooShort:
        raise RepositoryError("damaged: a record that ends too early") from None


def _manifest(sections):
    about = Fields(sections["about"])
    log, end = about.take(8), about.u64()
    yield "manifest 1"
    yield f"tree {quoted(_text(about))}"
    yield f"log {log.hex()} to byte {end}"
    rules = _text(about)
    if rules:
        yield f"rules {quoted(rules)}"
    before = None
    while about.left():
        folder = _text(about)
        before = _ascending(before, folder.encode(), "a folder")
        yield f"whole {quoted(folder)}"
    read, before, paths = Fields(sections["files"]), None, []
    while read.left():
        path = _text(read)
        # In the order of their bytes.
        before = _ascending(before, path.encode(), "a file")
        yield f"file {quoted(path)}"
        yield f"  {read.state()}"
        yield f"  read {read.i64()}"
        found = read.take(1)[0]
        if found == 0:
            content, chunks, count = read.take(32), read.u32(), read.u64()
            yield f"  content {content.hex()} chunks {chunks} words {count}"
            paths.append(path)
        elif found in SKIPPED:
            yield f"  {SKIPPED[found]}"
        elif found == 3:
            yield f"  refused {quoted(_text(read))}"
        else:
            raise RepositoryError("damaged: a state that there is not")
    words = _words(sections, len(paths))
    for path, length in zip(paths, words.lengths):
        yield f"path {quoted(path)} words {length}"
    yield from _terms(words)


def pack(data):
    """The lines of a pack."""
    sections = _sections(data, PACK)
    if len(sections["lines"]) % 8 or len(sections["contents"]) % 40:
        raise RepositoryError("damaged: the length of a section")
    words = _words(sections, len(sections["lines"]) // 8)
    yield "pack 1"
    # The name that its file has.
    yield f"name {hashlib.sha256(data).digest()[:16].hex()}"
    before = None
    for content, first, chunks in struct.iter_unpack("<32sII", sections["contents"]):
        before = _ascending(before, content, "a content")
        if first + chunks > words.documents:
            raise RepositoryError("damaged: a content of documents that there are not")
        yield f"content {content.hex()} documents {first} to {first + chunks}"
    for number, (first, last) in enumerate(struct.iter_unpack("<II", sections["lines"])):
        yield f"document {number} lines {first} to {last} words {words.lengths[number]}"
    yield from _terms(words)


def collection(data):
    """The lines of a collection."""
    sections = _sections(data, COLLECTION)
    if len(sections["looked"]) != 8 or len(sections["unnamed"]) % 40:
        raise RepositoryError("damaged: the length of a section")
    yield "collection 1"
    yield f"looked {int.from_bytes(sections['looked'], 'little', signed=True)}"
    before = None
    for content, since in struct.iter_unpack("<32sq", sections["unnamed"]):
        before = _ascending(before, content, "a content")
        yield f"unnamed {content.hex()} since {since}"
