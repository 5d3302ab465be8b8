"""Little-endian values one after the other, from the start of some bytes."""

import struct


class TooShort(ValueError):
    """The bytes end within a value."""


class Fields:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, count):
        end = self.at + count
        if end > len(self.data):
            raise TooShort("it ends too early")
        taken = self.data[self.at:end]
        self.at = end
        return taken

    def number(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]

    def u32(self):
        return self.number("I")

    def u64(self):
        return self.number("Q")

    def i64(self):
        return self.number("q")

    def state(self):
        """A file as stat told it: five numbers, as the dumps say them."""
        device, inode, size = self.u64(), self.u64(), self.u64()
        content, anything = self.i64(), self.i64()
        return f"device {device} inode {inode} size {size} changed {content} {anything}"

    def left(self):
        return len(self.data) - self.at
