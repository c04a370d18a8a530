"""Entries of store and cache that lie: with the length and the checksum that they ought to have (server/cache/blob.c)."""

import contextlib
import ctypes
import gzip
import sqlite3
import struct

import numpy as np

AT_CODING, AT_WIDTH, AT_MIN, AT_BYTES, AT_SAMPLES = 7, 24, 28, 36, 48
SAMPLED = 128  # of the byte of the coding: 16 bytes of their digest at AT_SAMPLES, and then the checksum
NAN = struct.pack("<f", float("nan"))

_hash = ctypes.CDLL("libxxhash.so.0").XXH3_64bits_withSeed
_hash.restype, _hash.argtypes = ctypes.c_uint64, (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64)


def opened(entry):
    """Header and payload."""
    at = AT_SAMPLES + (16 if entry[AT_CODING] & SAMPLED else 0) + 8
    return entry[:at], entry[at:]


def sealed(header, payload):
    """An entry that no checksum gives away."""
    head = header[:AT_BYTES] + struct.pack("<I", len(payload)) + header[AT_BYTES + 4:-8]
    return head + struct.pack("<Q", _hash(payload, len(payload), _hash(head, len(head), 0))) + payload


def older(entry):
    """As the versions have stored it that knew no digests of samples."""
    header, payload = opened(entry)
    header = header[:AT_CODING] + bytes([header[AT_CODING] & ~SAMPLED]) + header[AT_CODING + 1:AT_SAMPLES] + bytes(8)
    return sealed(header, payload)


def payload_lie(change):
    def lie(entry):
        header, payload = opened(entry)
        return sealed(header, change(payload))
    return lie


def header_lie(at, data):
    def lie(entry):
        header, payload = opened(entry)
        return sealed(header[:at] + data + header[at + len(data):], payload)
    return lie


def _unsampled(entry):
    """What has no samples with a digest of some."""
    header, payload = opened(entry)
    if header[AT_CODING] & SAMPLED:
        return entry
    return sealed(header[:AT_CODING] + bytes([header[AT_CODING] | SAMPLED]) + header[AT_CODING + 1:AT_SAMPLES] + bytes(24), payload)


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


def _plain(begin, change):
    """change(bytes) of what begins so, as it is or in gzip."""
    def spoil(data):
        if data.startswith(b"\x1f\x8b"):
            plain = spoil(gzip.decompress(data))
            return gzip.compress(plain, 1) if plain != gzip.decompress(data) else data
        return change(data) if data.startswith(begin) else data
    return payload_lie(spoil)


def _strip(data):
    at = data.rfind(b"\x78\x01") + 2
    return data[:at] + b"\xff" * 40 + data[at + 40:]


# What outlines do not show, by name: entries of some kinds change, others stay as they are. Pictures, texts, sums and documents with
# nothing in them: tests/unit/render/test_tile_fits.c.
INNER_LIES = {
    "no features": _plain(b'{"type":"FeatureCollection"', lambda data: b'{"type":"FeatureCollection"}\n'),
    "lines without ids": _plain(b'{"type":"FeatureCollection"', lambda data: data.replace(b'"id":"', b'"id":"-')),
    "lines far away": _plain(b'{"type":"FeatureCollection"',
                             lambda data: data.replace(b'"coordinates":[[', b'"coordinates":[[1e300,0,0],[', 1)),
    "a mesh's text": _plain(b"glTF", lambda data: data[:30] + b"\x01" + data[31:]),
    "a mesh without places": _plain(b"glTF", lambda data: data.replace(b"TEXCOORD_0", b"TEXCOORD_1")),
    "samples where there are none": _unsampled,
    "strips": _plain(b"II*\0", _strip),
    "no number, deflated": payload_lie(lambda data: gzip.compress(b"\0\0\xc0\x7f" * (len(gzip.decompress(data)) // 4), 1)
                                       if data[:2] == b"\x1f\x8b" else data),
}


def _drainage(change):
    """change(data) of regions of drainage; what is no region is gone, so that it is made anew of these."""
    def spoil(entry):
        header, data = opened(entry)
        if data[:4] != b"TRRG":
            return None
        return sealed(header, change(data)) if data[8:12] == struct.pack("<I", 5) else entry
    return spoil


def _cell(change):
    """change(z, ways, stems, at): of a cell of land at which drains into one of land to the east."""
    def spoil(data):
        width, height = struct.unpack_from("<ii", data, 56)
        words = np.frombuffer(data, "<i4", offset=64).reshape(4, width * height).copy()
        ways = words[2].view("u1")[3::4]
        east = (ways[:-1] & 15 == 0) & (ways[1:] & 15 < 8)
        change(words[0], ways, words[3], np.flatnonzero(east)[0])
        return data[:64] + words.tobytes()
    return _drainage(spoil)


def _put(array, at, value):
    array[at] = value


DRAINAGE_LIES = {
    "drainage of another place": _drainage(lambda data: data[:24] + bytes([data[24] ^ 1]) + data[25:]),
    "a height of drainage": _cell(lambda z, ways, stems, at: _put(z, at + 1, z[at] + 1)),
    "a receiver of drainage": _cell(lambda z, ways, stems, at: _put(ways, at + 1, 4)),
    "no such river": _cell(lambda z, ways, stems, at: _put(stems, at, 25 << 26)),
    "no such way": _cell(lambda z, ways, stems, at: _put(ways, at, 15)),
}


def deal(entry, turn, lies):
    """What becomes of it by one of the lies that make another one of it: by the next one at each turn."""
    others = [new for new in (lie(entry) for lie in lies) if new != entry]
    return others[turn % len(others)] if others else entry


def change_disk(path, lies, turn):
    """The lies are dealt out to the entries of a database that no server has open; one that becomes None is gone. How many are others
    now."""
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        rows = database.execute("SELECT id, entry FROM blob ORDER BY id").fetchall()
        assert all(sealed(*opened(entry)) == entry for _, entry in rows)
        changed = [(deal(entry, turn + k, [*lies.values()]), number) for k, (number, entry) in enumerate(rows)]
        database.executemany("DELETE FROM blob WHERE id = ?", [(number,) for entry, number in changed if entry is None])
        database.executemany("UPDATE blob SET entry = ? WHERE id = ?", changed)
        return sum(new != entry for (new, _), (_, entry) in zip(changed, rows))
