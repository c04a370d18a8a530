"""Caches, nodes and who is asked: what becomes of the requests of capacity_walk.py.

Each tier is least recently used first out, within a budget of bytes. A node has a memory and a disk tier, of tiles and
regions together, as terrane has: memory, disk, the shared tier (of tiles), made. What is made goes into all of them,
what is found into those before. Requests come one after the other: single flight, in a node and through leases, is what that shows.

Regions (lib/terrane_make.h): erosion of 1024 x 1024 samples at levels 0 .. 2 and 512 x 512 above, made from
the anchor over it, 256 x 256 at levels 4, 8 ..., which rests on the next one; lakes of 512 x 512 at one level.
"""

import bisect
import zlib
from collections import Counter, OrderedDict

from capacity_walk import AXIS_BITS, ZOOM_FINEST, tile_of

EROSION, ANCHOR, LAKES = "erosion", "anchor", "lakes"
KINDS = (EROSION, ANCHOR, LAKES)
ANCHOR_LEVELS = 4
LAKES_COARSER = 1  # levels above their own that show them
SHOWS_LAKES = ("relief",)
RING_POINTS = 160  # of a server, as nginx's consistent hash has


class Lru:
    """Keys by last use, within a budget of bytes. What is larger than the budget is not kept."""

    __slots__ = ("budget", "bytes", "entries")

    def __init__(self, budget):
        self.budget, self.bytes, self.entries = budget, 0, OrderedDict()

    def get(self, key):
        """Whether it is there; then it is the most recently used."""
        if key not in self.entries:
            return False
        self.entries.move_to_end(key)
        return True

    def put(self, key, size):
        if key in self.entries or size > self.budget:
            return
        self.entries[key] = size
        self.bytes += size
        while self.bytes > self.budget:
            self.bytes -= self.entries.popitem(last=False)[1]


# ---- Regions --------------------------------------------------------------------------------------------


def region_key(kind, level, x, y):
    """A number below 0: no tile's."""
    return -1 - (((((level << AXIS_BITS) + x) << AXIS_BITS) + y) * len(KINDS) + KINDS.index(kind))


def region_at(key):
    """(kind, level, x, y)"""
    rest, kind = divmod(-1 - key, len(KINDS))
    mask = (1 << AXIS_BITS) - 1
    return KINDS[kind], rest >> 2 * AXIS_BITS, rest >> AXIS_BITS & mask, rest & mask


def region_tiles_log2(kind, level):
    """log2 of the tiles that a region is wide."""
    return {ANCHOR: 0, LAKES: 1}.get(kind, 2 if level < ANCHOR_LEVELS - 1 else 1)


class Regions:
    """What tiles and regions read. figures: of capacity_model.py."""

    def __init__(self, figures, layers):
        self.eroded, self.lakes, self.layers = figures["eroded_levels"], figures["lakes_level"], layers

    def inputs(self, key):
        """Keys of the regions that a tile (a key from 0) or a region reads itself."""
        return self.of_tile(key) if key >= 0 else self.of_region(key)

    def of_tile(self, key):
        layer, zoom, x, y = tile_of(key)
        level = ZOOM_FINEST - zoom
        found = []
        if level < self.eroded:
            log2 = region_tiles_log2(EROSION, level)
            found.append(region_key(EROSION, level, x >> log2, y >> log2))
        if self.layers[layer] in SHOWS_LAKES and 0 <= self.lakes and level <= self.lakes + LAKES_COARSER:
            up = self.lakes - level + region_tiles_log2(LAKES, self.lakes)
            found.append(region_key(LAKES, self.lakes, x >> up, y >> up))
        return found

    def of_region(self, key):
        kind, level, x, y = region_at(key)
        above = (level // ANCHOR_LEVELS + 1) * ANCHOR_LEVELS
        if level >= self.eroded or above >= self.eroded:
            return []
        up = above - level - region_tiles_log2(kind, level)
        return [region_key(ANCHOR, above, x >> up, y >> up)]


# ---- Who is asked ---------------------------------------------------------------------------------------


class Ring:
    """A consistent hash over so many servers."""

    def __init__(self, servers):
        points = sorted((zlib.crc32(f"node{n}-{k}".encode()), n) for n in range(servers) for k in range(RING_POINTS))
        self.hashes, self.servers = [h for h, _ in points], [n for _, n in points]

    def server(self, text):
        at = bisect.bisect_left(self.hashes, zlib.crc32(text.encode()))
        return self.servers[at % len(self.servers)]


class Router:
    """Node of a tile. route: "neighbourhood" (blocks of block x block tiles of a level), "uri" (each path for
    itself) or "random"."""

    def __init__(self, route, nodes, random, block=20):
        self.route, self.nodes, self.random, self.block = route, nodes, random, block
        self.ring, self.memo = None if route == "random" else Ring(nodes), {}

    def nodes_of(self, keys):
        """The node of each of an array of keys, as a list."""
        if self.route == "random" or self.nodes == 1:
            return self.random.integers(0, self.nodes, len(keys)).tolist()
        return [self.node(key) for key in keys.tolist()]

    def node(self, key):
        """The node that a key is hashed to."""
        node = self.memo.get(key)
        if node is None:
            layer, zoom, x, y = tile_of(key)
            where = (zoom, x // self.block, y // self.block) if self.route == "neighbourhood" else (layer, zoom, x, y)
            node = self.memo[key] = self.ring.server("/".join(("42",) + tuple(map(str, where))))
        return node


# ---- Nodes ----------------------------------------------------------------------------------------------


class Cluster:
    """Nodes, and what each counts: {what: number}.

    What: "memory", "disk", "shared", ("render", layer, level), ("region", kind, level), ("load", kind, level) of regions
    that came from the disk, "region memory"; and bytes: "sent", "shared in" and "shared out" (from and to the shared tier), "stored" on the disk.
    """

    def __init__(self, figures, layers, nodes, memory_bytes, disk_bytes, shared=None):
        self.figures, self.layers = figures, layers
        self.regions = Regions(figures, layers)
        self.memory = [Lru(memory_bytes) for _ in range(nodes)]
        self.disk = [Lru(disk_bytes) for _ in range(nodes)]
        self.shared = shared  # an Lru, or None
        self.counts = [Counter() for _ in range(nodes)]
        self.facts = {}

    def fact(self, key):
        """(bytes, bytes on disk, keys of the regions it reads, what making it counts as, ... loading it)"""
        found = self.facts.get(key)
        if found is None:
            if key >= 0:
                layer, zoom, _, _ = tile_of(key)
                layer, level = self.layers[layer], ZOOM_FINEST - zoom
                size, made, loaded = self.figures["bytes"][layer][level], ("render", layer, level), "disk"
            else:
                kind, level, _, _ = region_at(key)
                size = self.figures["region_bytes"][kind][str(level)]
                made, loaded = ("region", kind, level), ("load", kind, level)
            on_disk = size * self.figures["disk_factor"]
            found = self.facts[key] = (size, on_disk, self.regions.inputs(key), made, loaded)
        return found

    def size(self, key):
        return self.fact(key)[0]

    def local(self, n, key, fact):
        """Whether a node has it; then in memory, too."""
        if self.memory[n].get(key):
            self.counts[n]["memory" if key >= 0 else "region memory"] += 1
            return "memory"
        if self.disk[n].get(key):
            self.counts[n][fact[4]] += 1
            self.memory[n].put(key, fact[0])
            return "disk"
        return None

    def make(self, n, key, fact):
        for region in fact[2]:
            below = self.fact(region)
            if not self.local(n, region, below):
                self.make(n, region, below)
        self.counts[n][fact[3]] += 1
        self.keep(n, key, fact)

    def keep(self, n, key, fact):
        self.memory[n].put(key, fact[0])
        self.disk[n].put(key, fact[1])
        self.counts[n]["stored"] += fact[0]

    def ask(self, n, key):
        """A tile of a node. Returns the tier that had it, or "render"."""
        fact = self.fact(key)
        counts = self.counts[n]
        counts["sent"] += fact[0]
        tier = self.local(n, key, fact)
        if tier:
            return tier
        if self.shared is not None and self.shared.get(key):
            counts["shared"] += 1
            counts["shared in"] += fact[0]
            self.keep(n, key, fact)
            return "shared"
        self.make(n, key, fact)
        if self.shared is not None:
            self.shared.put(key, fact[0])
            counts["shared out"] += fact[0]
        return "render"
