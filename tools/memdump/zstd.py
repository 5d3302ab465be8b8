"""A zstd decoder, from RFC 8878: one frame, no dictionary. For memdump, whose standard library has none.

It trusts nothing: whatever is not a frame, or holds more than the caller's limit, is a ZstdError. It is written to be
read beside the RFC (its section numbers are named) and takes about a second for a megabyte.
"""

MAGIC = b"\x28\xb5\x2f\xfd"
BLOCK_LIMIT = 128 << 10


class ZstdError(ValueError):
    """The bytes are not one zstd frame that this decoder takes."""


def decompress(frame, limit):
    """What `frame`, which is one whole zstd frame, holds: at most `limit` bytes. (3.1.1)"""
    try:
        return _Frame(frame, limit).decode()
    except IndexError:
        raise ZstdError("the frame ends too early") from None


class _Frame:
    """A frame, and what its blocks hand on to the next: repeated offsets and tables."""

    def __init__(self, data, limit):
        self.data = data
        self.at = 0
        self.limit = limit
        self.out = bytearray()
        self.repeated = [1, 4, 8]
        self.huffman = None
        self.tables = {}

    def take(self, count):
        end = self.at + count
        if end > len(self.data):
            raise ZstdError("the frame ends too early")
        taken = self.data[self.at:end]
        self.at = end
        return taken

    def number(self, count):
        return int.from_bytes(self.take(count), "little")

    def decode(self):
        if self.take(4) != MAGIC:
            raise ZstdError("not a zstd frame")
        descriptor = self.number(1)
        single = descriptor >> 5 & 1
        if descriptor & 8:
            raise ZstdError("a reserved bit of the frame is set")
        window = None
        if not single:
            exponent_mantissa = self.number(1)
            base = 1 << (10 + (exponent_mantissa >> 3))
            window = base + base // 8 * (exponent_mantissa & 7)
        if self.number((0, 1, 2, 4)[descriptor & 3]):
            raise ZstdError("the frame needs a dictionary")
        size_bytes = (single, 2, 4, 8)[descriptor >> 6]
        size = None
        if size_bytes:
            size = self.number(size_bytes) + (256 if size_bytes == 2 else 0)
            if size > self.limit:
                raise ZstdError(f"a frame of {size} bytes where at most {self.limit} are looked for")
        self.window = size if window is None else window
        while not self.block():
            pass
        if descriptor & 4:
            self.take(4)  # A checksum; the container has its own over the stored bytes.
        if self.at != len(self.data):
            raise ZstdError("bytes follow the frame")
        if size is not None and size != len(self.out):
            raise ZstdError(f"{len(self.out)} bytes where {size} should be")
        return bytes(self.out)

    def block(self):
        """One block; whether it was the last. (3.1.1.2)"""
        header = self.number(3)
        last, kind, size = header & 1, header >> 1 & 3, header >> 3
        most = min(self.window, BLOCK_LIMIT)
        if size > most:
            raise ZstdError(f"a block of {size} bytes")
        before = len(self.out)
        if kind == 0:
            self.out += self.take(size)
        elif kind == 1:
            self.room(size)
            self.out += self.take(1) * size
        elif kind == 2:
            self.compressed(self.take(size))
        else:
            raise ZstdError("a block of the reserved type")
        self.room(0)
        if len(self.out) - before > most:
            raise ZstdError("a block that grows too far")
        return last

    def room(self, more):
        if len(self.out) + more > self.limit:
            raise ZstdError(f"more than {self.limit} bytes")

    def compressed(self, block):
        """Literals, then sequences that copy them and what was before. (3.1.1.3)"""
        literals, at = self.literals(block)
        sequences = self.sequences(block, at)
        out, used = self.out, 0
        for literal_length, match_length, offset in sequences:
            self.room(literal_length + match_length)
            if used + literal_length > len(literals):
                raise ZstdError("a sequence takes more literals than there are")
            out += literals[used:used + literal_length]
            used += literal_length
            if offset == 0 or offset > len(out):
                raise ZstdError("a match before the frame's start")
            while match_length > 0:  # A match may run into what it writes.
                piece = out[len(out) - offset:len(out) - offset + match_length]
                out += piece
                match_length -= len(piece)
        out += literals[used:]

    def literals(self, block):
        """The literals, and where the sequences start. (3.1.1.3.1)"""
        kind, form = block[0] & 3, block[0] >> 2 & 3
        if kind < 2:
            head = (1, 2, 1, 3)[form]
            size = int.from_bytes(block[:head], "little") >> (3 if head == 1 else 4)
            if len(block) < head or size > BLOCK_LIMIT:
                raise ZstdError("bad literals")
            held = size if kind == 0 else 1
            literals = block[head:head + held]
            if len(literals) != held:
                raise ZstdError("the literals end too early")
            return (literals if kind == 0 else literals * size), head + held
        head, bits = ((3, 10), (3, 10), (4, 14), (5, 18))[form]
        sizes = int.from_bytes(block[:head], "little") >> 4
        size, stored = sizes & (1 << bits) - 1, sizes >> bits
        end = head + stored
        if end > len(block) or size > BLOCK_LIMIT:
            raise ZstdError("bad literals")
        at = head
        if kind == 2:
            self.huffman, at = _huffman_table(block[:end], at)
        if self.huffman is None:
            raise ZstdError("literals by a table that there is not")
        streams = block[at:end]
        if form == 0:
            return _huffman_stream(self.huffman, streams, size), end
        # Four streams, after the lengths of the first three. (3.1.1.3.1.6)
        if len(streams) < 6:
            raise ZstdError("the literals end too early")
        lengths = [int.from_bytes(streams[n:n + 2], "little") for n in (0, 2, 4)]
        quarter = (size + 3) // 4
        literals, at = bytearray(), 6
        for length in lengths:
            if at + length > len(streams):
                raise ZstdError("the literals end too early")
            literals += _huffman_stream(self.huffman, streams[at:at + length], quarter)
            at += length
        if size < 3 * quarter:
            raise ZstdError("bad literals")
        literals += _huffman_stream(self.huffman, streams[at:], size - 3 * quarter)
        return bytes(literals), end

    def sequences(self, block, at):
        """Triples of literal length, match length and offset. (3.1.1.3.2)"""
        count = block[at]
        if count < 128:
            at += 1
        elif count < 255:
            count = (count - 128 << 8) + block[at + 1]
            at += 2
        else:
            count = block[at + 1] + (block[at + 2] << 8) + 0x7F00
            at += 3
        if count == 0:
            if at != len(block):
                raise ZstdError("bytes follow a block")
            return []
        modes = block[at]
        at += 1
        if modes & 3:
            raise ZstdError("reserved bits of a block are set")
        for name, shift in (("literals", 6), ("offsets", 4), ("matches", 2)):
            at = self.table(name, modes >> shift & 3, block, at)
        lengths, offsets, matches = (self.tables[name] for name in ("literals", "offsets", "matches"))
        bits = _Backward(block[at:])
        length, offset, match = bits.read(lengths.log), bits.read(offsets.log), bits.read(matches.log)
        sequences = []
        for left in range(count - 1, -1, -1):
            code = offsets.symbol[offset]
            value = (1 << code) + bits.read(code)
            base, extra = MATCH_CODES[matches.symbol[match]]
            match_length = base + bits.read(extra)
            base, extra = LITERAL_CODES[lengths.symbol[length]]
            literal_length = base + bits.read(extra)
            sequences.append((literal_length, match_length, self.offset(value, literal_length)))
            if left:
                length = lengths.next(length, bits)
                match = matches.next(match, bits)
                offset = offsets.next(offset, bits)
        if bits.left != 0:
            raise ZstdError("bits are left of a block's sequences")
        return sequences

    def table(self, name, mode, block, at):
        """Sets the table of a kind of code; where the next one starts. (3.1.1.3.2.1)"""
        most_log, most_code, default = CODES[name]
        if mode == 0:
            self.tables[name] = default
        elif mode == 1:
            if block[at] > most_code:
                raise ZstdError("a code that there is not")
            self.tables[name] = _Fse(0, None, block[at])
            at += 1
        elif mode == 2:
            log, counts, at = _fse_counts(block, at, most_log, most_code)
            self.tables[name] = _Fse(log, counts)
        elif name not in self.tables:
            raise ZstdError("codes by a table that there is not")
        return at

    def offset(self, value, literal_length):
        """The offset that a value means, the last three in mind. (3.1.1.5)"""
        recent = self.repeated
        if value > 3:
            offset = value - 3
            self.repeated = [offset, recent[0], recent[1]]
            return offset
        which = value - 1 + (literal_length == 0)
        offset = recent[which] if which < 3 else recent[0] - 1
        if which == 1:
            self.repeated = [offset, recent[0], recent[2]]
        elif which > 1:
            self.repeated = [offset, recent[0], recent[1]]
        return offset


class _Backward:
    """Bits read from the end of bytes to their start; the last byte's highest bit set marks the end. (4.1)"""

    def __init__(self, data):
        if not data or data[-1] == 0:
            raise ZstdError("a stream of bits without an end")
        self.data = data
        self.left = len(data) * 8 - 9 + data[-1].bit_length()

    def read(self, count):
        if count > self.left:
            raise ZstdError("a stream of bits ends too early")
        self.left -= count
        at = self.left >> 3
        return int.from_bytes(self.data[at:at + 8], "little") >> (self.left & 7) & (1 << count) - 1

    def peek(self, count):
        """The next bits, zeros past the end."""
        if count <= self.left:
            at = self.left - count
            return int.from_bytes(self.data[at >> 3:(at >> 3) + 8], "little") >> (at & 7) & (1 << count) - 1
        return (int.from_bytes(self.data[:8], "little") & (1 << self.left) - 1) << count - self.left


class _Fse:
    """A table of finite states. (4.1.1)"""

    def __init__(self, log, counts, only=None):
        self.log = log
        if counts is None:
            self.symbol, self.base, self.bits = [only], [0], [0]
            return
        size = 1 << log
        symbols = [None] * size
        high = size
        for symbol, count in enumerate(counts):
            if count == -1:
                high -= 1
                symbols[high] = symbol
        step, place = (size >> 1) + (size >> 3) + 3, 0
        for symbol, count in enumerate(counts):
            for _ in range(count):
                symbols[place] = symbol
                place = place + step & size - 1
                while place >= high:
                    place = place + step & size - 1
        following = [1 if count == -1 else count for count in counts]
        self.symbol, self.base, self.bits = symbols, [], []
        for symbol in symbols:
            state = following[symbol]
            following[symbol] += 1
            bits = log + 1 - state.bit_length()
            self.bits.append(bits)
            self.base.append((state << bits) - size)

    def next(self, state, bits):
        return self.base[state] + bits.read(self.bits[state])


def _fse_counts(data, at, most_log, most_symbol):
    """The counts that describe a table, and where they end. (4.1.1)"""
    stream = int.from_bytes(data[at:at + 512], "little")
    held = min(len(data) - at, 512) * 8
    used = 4
    log = (stream & 15) + 5
    if log > most_log:
        raise ZstdError("a table that is too large")
    counts, remaining = [], 1 << log
    while remaining > 0:
        bits = (remaining + 1).bit_length()
        value = stream >> used & (1 << bits) - 1
        low = value & (1 << bits - 1) - 1
        threshold = (1 << bits) - 1 - (remaining + 1)
        if low < threshold:
            value, bits = low, bits - 1
        elif value >= 1 << bits - 1:
            value -= threshold
        used += bits
        count = value - 1
        remaining -= abs(count)
        counts.append(count)
        repeat = 3 if count == 0 else 0
        while repeat == 3:
            repeat = stream >> used & 3
            used += 2
            counts += [0] * repeat
            if used > held:
                break
        if len(counts) > most_symbol + 1 or used > held:
            raise ZstdError("a table's description does not end")
    if remaining < 0:
        raise ZstdError("a table's counts are too many")
    return log, counts, at + (used + 7 >> 3)


def _huffman_table(data, at):
    """The table that a tree's description gives, and where that ends. (4.2.1)"""
    head = data[at]
    at += 1
    if head >= 128:
        count = head - 127
        end = at + (count + 1 >> 1)
        packed = data[at:end]
        weights = [packed[n >> 1] >> (0 if n & 1 else 4) & 15 for n in range(count)]
    else:
        end = at + head
        if end > len(data):
            raise ZstdError("a tree ends too early")
        log, counts, start = _fse_counts(data[:end], at, 6, 255)
        weights = _huffman_weights(_Fse(log, counts), _Backward(data[start:end]))
    total = sum(1 << weight - 1 for weight in weights if weight)
    if total == 0 or max(weights) > 11 or len(weights) > 255:
        raise ZstdError("a tree without a form")
    most = total.bit_length()
    rest = (1 << most) - total
    if most > 11 or rest & rest - 1:
        raise ZstdError("a tree without a form")
    weights.append(rest.bit_length())
    table = []
    for weight in range(1, most + 1):
        for symbol, own in enumerate(weights):
            if own == weight:
                table += [(symbol, most + 1 - weight)] * (1 << weight - 1)
    if len(table) != 1 << most:
        raise ZstdError("a tree without a form")
    return (most, table), end


def _huffman_weights(table, bits):
    """Two states take turns until the bits are used up. (4.2.1.2)"""
    weights = []
    now, other = bits.read(table.log), bits.read(table.log)
    while len(weights) < 255:
        weights.append(table.symbol[now])
        if bits.left < table.bits[now]:
            weights.append(table.symbol[other])
            return weights
        now, other = other, table.next(now, bits)
    raise ZstdError("a tree of too many weights")


def _huffman_stream(huffman, data, size):
    """Exactly `size` literals. (4.2.2)"""
    most, table = huffman
    bits = _Backward(data)
    out = bytearray()
    for _ in range(size):
        symbol, used = table[bits.peek(most)]
        bits.left -= used
        if bits.left < 0:
            raise ZstdError("a stream of literals ends too early")
        out.append(symbol)
    if bits.left != 0:
        raise ZstdError("a stream of literals that does not end with them")
    return bytes(out)


def _codes(plain, first, extra):
    """Pairs of base and count of extra bits: `plain` codes without any, then one code for each of `extra`."""
    codes, base = [(first + n, 0) for n in range(plain)], first + plain
    for bits in extra:
        codes.append((base, bits))
        base += 1 << bits
    return codes


# 3.1.1.3.2.1.1.
LITERAL_CODES = _codes(16, 0, (1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
MATCH_CODES = _codes(32, 3, (1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

# 3.1.1.3.2.2: greatest log, greatest code, default table.
CODES = {
    "literals": (9, 35, _Fse(6, [4, 3] + [2] * 11 + [1] * 3 + [2] * 9 + [3, 2] + [1] * 5 + [-1] * 4)),
    "offsets": (8, 31, _Fse(5, [1] * 6 + [2] * 3 + [1] * 15 + [-1] * 5)),
    "matches": (9, 52, _Fse(6, [1, 4, 3] + [2] * 6 + [1] * 37 + [-1] * 7)),
}
