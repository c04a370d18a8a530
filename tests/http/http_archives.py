"""Readers of archives, by the specifications alone."""

import gzip
import hashlib
import itertools
import json
import sqlite3
import struct

from http_mvt import varints


def hilbert(z, x, y):
    number, n = (4 ** z - 1) // 3, 1 << z
    while n > 1:
        n //= 2
        rx, ry = int(bool(x & n)), int(bool(y & n))
        number += n * n * ((3 * rx) ^ ry)
        x, y = x % n, y % n
        if ry == 0:
            if rx:
                x, y = n - 1 - x, n - 1 - y
            x, y = y, x
    return number


class PMTiles:
    def __init__(self, path):
        self.data = path.read_bytes()
        assert self.data[:8] == b"PMTiles\x03"
        numbers = struct.unpack("<11Q", self.data[8:96])
        self.root, self.metadata_at, self.leaves, self.tiles_at = [numbers[i:i + 2] for i in (0, 2, 4, 6)]
        self.addressed, self.entries, self.contents = numbers[8:]
        self.flags = tuple(self.data[96:102])
        self.place = struct.unpack("<4iB2i", self.data[102:127])
        assert self.root[0] + self.root[1] <= 16384
        self.metadata = json.loads(gzip.decompress(self.part(self.metadata_at)))

    def part(self, where):
        return self.data[where[0]:where[0] + where[1]]

    @staticmethod
    def directory(data):
        count, *words = varints(gzip.decompress(data))
        assert len(words) == 4 * count
        entries, end = [], 0
        for number, run_length, length, offset in zip(itertools.accumulate(words[:count]), *(words[k * count:][:count] for k in (1, 2, 3))):
            entries.append((number, run_length, length, offset - 1 if offset else end))
            end = entries[-1][3] + length
        return entries  # id, run, length, offset

    def walk(self):
        for number, run_length, length, offset in self.directory(self.part(self.root)):
            if run_length == 0:
                yield from self.directory(self.part((self.leaves[0] + offset, length)))
            else:
                yield number, run_length, length, offset

    def tiles(self):
        return {number + k: self.part((self.tiles_at[0] + offset, length))
                for number, run_length, length, offset in self.walk() for k in range(run_length)}


def mbtiles(path):
    """All tiles by z, x, y (as in /xyz), and the metadata."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        tiles = {(z, x, (1 << z) - 1 - row): data for z, x, row, data in
                 database.execute("SELECT zoom_level, tile_column, tile_row, tile_data FROM tiles")}
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return tiles, dict(database.execute("SELECT name, value FROM metadata"))


def numbers(text, count):
    found = [float(word) for word in text.split(",")]
    assert len(found) == count
    return found


def martin(archive):
    """Martin: TileJSON of the rows, each by its kind, those that it does not know as they are; and a tile by its z, x and y from the
    north, whose type is that of its first bytes and has to be the one of `format`. `mbtiles validate`, and `validate: thorough`: the hash of all tiles."""
    with sqlite3.connect(f"file:{archive}?mode=ro", uri=True) as database:
        rows = dict(database.execute("SELECT name, value FROM metadata WHERE value IS NOT ''"))
        tiles = database.execute("SELECT zoom_level, tile_column, tile_row, tile_data FROM tiles ORDER BY 1, 2, 3")
        whole = hashlib.md5(b"".join(b"%d%d%d%b" % row for row in tiles), usedforsecurity=False)
    assert rows["agg_tiles_hash"] == whole.hexdigest().upper()
    kind = {"bounds": lambda text: numbers(text, 4), "center": lambda text: numbers(text, 3), "minzoom": int, "maxzoom": int,
            "json": json.loads}
    told = {name: kind.get(name, str)(value) for name, value in rows.items() if name not in ("type", "agg_tiles_hash")}

    def tile(z, x, y):
        with sqlite3.connect(f"file:{archive}?mode=ro", uri=True) as database:
            found = database.execute("SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?",
                                     (z, x, 2 ** z - 1 - y)).fetchone()
        begins = {"png": b"\x89PNG\r\n\x1a\n", "pbf": b"\x1f\x8b"}  # vectors that begin as gzip does are sent as gzip
        assert not found or found[0].startswith(begins[told["format"]])
        return found and found[0]

    return told, tile
