"""Entries of store and cache that lie: with the length and the checksum that they ought to have (server/cache/disk_entry.c)."""

import contextlib
import ctypes
import sqlite3
import struct

HEADER, AT_WIDTH, AT_MIN, AT_BYTES, AT_CHECKSUM = 56, 24, 28, 36, 48
NAN = struct.pack("<f", float("nan"))

_hash = ctypes.CDLL("libxxhash.so.0").XXH3_64bits_withSeed
_hash.restype, _hash.argtypes = ctypes.c_uint64, (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64)


def sealed(header, payload):
    """An entry that no checksum gives away."""
    head = header[:AT_BYTES] + struct.pack("<I", len(payload)) + header[AT_BYTES + 4:AT_CHECKSUM]
    return head + struct.pack("<Q", _hash(payload, len(payload), _hash(head, len(head), 0))) + payload


def payload_lie(change):
    return lambda entry: sealed(entry[:HEADER], change(entry[HEADER:]))


def header_lie(at, data):
    return lambda entry: sealed(entry[:at] + data + entry[at + len(data):HEADER], entry[HEADER:])


# What becomes of an entry, by name. Each is one that nothing may take for the key's.
LIES = {
    "four bytes": payload_lie(lambda data: b"\0\0\x80\x3f"),
    "one byte": payload_lie(lambda data: b"{"),
    "half": payload_lie(lambda data: data[:len(data) // 2]),
    "a byte less": payload_lie(lambda data: data[:-1]),
    "a byte more": payload_lie(lambda data: data + b"\0"),
    "zeros": payload_lie(lambda data: bytes(len(data) + 1)),
    "width": header_lie(AT_WIDTH, struct.pack("<H", 2)),
    "no number": header_lie(AT_MIN, NAN),
    "upside down": header_lie(AT_MIN, struct.pack("<ff", 2, 1)),
}


def change_disk(path, change):
    """Every entry of a database that no server has open becomes change(entry). How many there were."""
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        rows = database.execute("SELECT id, entry FROM blob").fetchall()
        for number, entry in rows:
            assert sealed(entry[:HEADER], entry[HEADER:]) == entry
            database.execute("UPDATE blob SET entry = ? WHERE id = ?", (change(entry), number))
    return len(rows)
