"""What files of the cache begin with: 8 bytes of name, the last a digit for the version, and the CRC-32 of these."""

import struct
import zlib


class NotOurs(ValueError):
    """A file that this reader does not read, and why."""


def strip(data, name):
    """What follows the mark of a file of this name and version, as bytes."""
    known = name + struct.pack("<I", zlib.crc32(name))
    if data[:12] == known:
        return data[12:]
    other, crc = data[:8], data[8:12]
    if len(other) == 8 and other[:7] == name[:7] and other[7:].isdigit():
        if other < name:
            raise NotOurs(f"of the older format {other[7:].decode()}")
        if other > name and crc == struct.pack("<I", zlib.crc32(other)):
            raise NotOurs(f"of the newer format {other[7:].decode()}")
    raise NotOurs("damaged: it does not begin as it should")
