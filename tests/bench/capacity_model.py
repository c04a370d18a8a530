"""What requests cost: figures of one machine, and counts of capacity_tiers.py times them.

FIGURES are what `capacity.py --measure` last gave, on two cores of an AMD EPYC (Zen 4, AVX-512), for land of the default
recipe. They are CPU milliseconds (*_ms), bytes, and bytes on disk for each stored (disk_factor); lists have an entry a
level from 0 on. wall_ms is for reading alone.
"""

import math

FIGURES = {
    "machine": "two cores of an AMD EPYC (Zen 4)", "eroded_levels": 11, "lakes_level": 5,
    "tile_ms": {
        "relief": [4.65, 4.24, 4.41, 4.34, 4.36, 4.53, 4.46, 4.35, 5.95, 4.88, 4.84, 6.01, 7.35, 6.57, 6.98,
                   7.3, 7.68, 7.54, 7.28],
        "height": [1.95, 2.03, 2.09, 2.2, 2.24, 2.43, 2.47, 2.58, 2.79, 2.73, 2.79, 2.71, 2.69, 2.69, 2.71,
                   2.7, 2.69, 2.97, 2.43],
        "normal": [2.59, 2.55, 2.63, 2.53, 2.48, 2.66, 2.62, 2.52, 2.61, 2.68, 2.45, 2.74, 2.72, 2.52, 2.46,
                   2.34, 2.32, 2.36, 1.89],
    },
    "bytes": {
        "relief": [80054, 83712, 85937, 86091, 86297, 89830, 85686, 86040, 92508, 96785, 98027, 112322,
                   121815, 126328, 138212, 152680, 170426, 182482, 186518],
        "height": [82405, 92701, 102934, 109142, 114883, 123717, 129547, 138448, 149108, 154607, 158834,
                   164395, 168437, 170178, 172185, 174652, 179012, 181517, 184178],
        "normal": [94130, 97067, 100503, 101263, 100801, 103518, 98324, 101042, 105620, 102115, 96598, 99040,
                   95406, 82157, 72158, 62802, 59830, 52451, 43317],
    },
    "region_ms": {
        "erosion": {"0": 89.2, "1": 92.1, "2": 88.4, "3": 22.0, "4": 69.9, "5": 61.1, "6": 42.6, "7": 24.7,
                    "8": 25.6, "9": 20.0, "10": 12.7},
        "anchor": {"4": 47.2, "8": 20.9},
        "lakes": {"5": 104.4},
    },
    "region_bytes": {
        "erosion": {"0": 8472520, "1": 8469128, "2": 8471471, "3": 2139005, "4": 2138357, "5": 2138800,
                    "6": 2137837, "7": 2135914, "8": 2140470, "9": 2138993, "10": 2138911},
        "anchor": {"4": 1173179, "8": 1836097},
        "lakes": {"5": 1069202},
    },
    "base_ms": 1.29, "base_raw_ms": 1.3, "shared_ms": 0.105, "shared_make_ms": 0.252,
    "wall_ms": {"base tile": 2.39, "eroded tile, new region": 200.1, "eroded tile, warm region": 3.86,
                "from disk": 0.18, "hot": 0.15},
    "load_ms_per_mb": 1.71, "disk_ms": 0.106, "store_ms": 0.223, "store_ms_per_mb": 4.62, "disk_factor": 1.04,
    "hot_ms": 0.024, "not_modified_ms": 0.0101, "hot_bytes": 102535,
    "memory": {"fresh_mb": 12.7, "connection_kb": 9.2, "job_mb": 21.6},
    "nginx_hit_ms": 0.051, "nginx_miss_ms": 0.3,
}

# Commands to the store: a look; for what is not there a lease and another look; what was made, and the lease's end.
SHARED_HIT_COMMANDS, SHARED_MAKE_COMMANDS = 1, 5


def complete(measured=None):
    """Figures with what was measured over the ones that are known."""
    return {**FIGURES, **(measured or {})}


def region_ms(figures, kind, level):
    return figures["region_ms"][kind][str(level)] + region_store_ms(figures, kind, level)


def region_store_ms(figures, kind, level):
    return figures["store_ms_per_mb"] * figures["region_bytes"][kind][str(level)] / 1e6


def node_ms(figures, counts, shared):
    """CPU ms of a node: {"send": ..., "find": ..., "tiles": ..., "regions": ...}. counts: of Cluster.counts."""
    spent = {"send": counts["memory"] * figures["hot_ms"], "find": counts["disk"] * figures["disk_ms"],
             "tiles": 0.0, "regions": 0.0}
    # what came from the shared tier goes to the disk, too
    spent["find"] += counts["shared"] * (figures["shared_ms"] + figures["store_ms"])
    for what, count in counts.items():
        if what[0] == "render":
            each = figures["tile_ms"][what[1]][what[2]] + figures["store_ms"]
            spent["tiles"] += count * (each + (figures["shared_make_ms"] if shared else 0))
        elif what[0] == "region":
            spent["regions"] += count * region_ms(figures, *what[1:])
        elif what[0] == "load":
            mb = figures["region_bytes"][what[1]][str(what[2])] / 1e6
            spent["regions"] += count * mb * figures["load_ms_per_mb"]
    return spent


def renders(counts):
    return sum(count for what, count in counts.items() if what[0] == "render")


def regions(counts):
    return sum(count for what, count in counts.items() if what[0] == "region")


def nodes_needed(cores, cores_a_node, load, least):
    """Nodes for so many busy cores."""
    return max(least, math.ceil(cores / (cores_a_node * load)))


def cold_ms(figures, layer, level):
    """CPU ms of a tile of which nothing is there: its regions and theirs."""
    total, at = figures["tile_ms"][layer][level], level
    if level < figures["eroded_levels"]:
        total += figures["region_ms"]["erosion"][str(level)]
    while (at := (at // 4 + 1) * 4) < figures["eroded_levels"]:
        total += figures["region_ms"]["anchor"][str(at)]
    if layer == "relief" and str(figures["lakes_level"]) in figures["region_ms"]["lakes"]:
        total += figures["region_ms"]["lakes"][str(figures["lakes_level"])]
    return total
