"""The simulation of capacity.py: tiers in turn, regions as the server has them, what hashing is for.

Run as: /usr/bin/python3 -B -m pytest -q -p no:cacheprovider tests/bench/test_capacity.py
"""

import sys
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

import capacity  # noqa: E402
import capacity_model as model  # noqa: E402
from capacity_tiers import Cluster, Lru, Regions, Router, region_at  # noqa: E402
from capacity_walk import Habits, requests, tile_key, walk  # noqa: E402

FIGURES = model.complete()
LAYERS = ("relief", "height")


def asked():
    views = walk(np.random.default_rng(5), Habits(), 20, 60.0)
    return requests(views, Habits())[1]


def run(route, nodes=3, keys=None, shared=None):
    """All counts of a walk over a cluster whose caches hold everything."""
    keys = asked() if keys is None else keys
    cluster = Cluster(FIGURES, LAYERS, nodes, 1e12, 1e12, shared)
    for key, node in zip(keys.tolist(), Router(route, nodes, np.random.default_rng(3)).nodes_of(keys)):
        cluster.ask(node, key)
    return sum(cluster.counts, Counter())


def test_regions_of_a_tile():
    regions = Regions(FIGURES, LAYERS)
    # level 0: 4 x 4 tiles, on the anchor of level 4 that is 16 tiles wide, on that of level 8; relief shows lakes
    below = regions.inputs(tile_key(0, 18, 1000, 2007))
    assert [region_at(r) for r in below] == [("erosion", 0, 250, 501), ("lakes", 5, 15, 31)]
    assert [region_at(r) for r in regions.inputs(below[0])] == [("anchor", 4, 62, 125)]
    assert [region_at(r) for r in regions.inputs(regions.inputs(below[0])[0])] == [("anchor", 8, 3, 7)]
    assert [region_at(r) for r in regions.inputs(below[1])] == [("anchor", 8, 3, 7)]
    # level 3: 2 x 2 tiles; heights show no lakes. Level 11 does not erode, level 9 rests on no anchor.
    assert [region_at(r) for r in regions.inputs(tile_key(1, 15, 8, 9))] == [("erosion", 3, 4, 4)]
    assert regions.inputs(tile_key(1, 7, 8, 9)) == []
    assert regions.inputs(regions.inputs(tile_key(1, 9, 8, 9))[0]) == []


def test_tiers_in_turn():
    store, key = Lru(1e9), tile_key(1, 18, 5, 5)
    size = FIGURES["bytes"]["height"][0]
    cluster = Cluster(FIGURES, LAYERS, 2, 9e6, 1e9, store)
    assert [cluster.ask(0, key), cluster.ask(0, key), cluster.ask(1, key)] == ["render", "memory", "shared"]
    assert cluster.ask(1, key) == "memory" and cluster.counts[0]["sent"] == 2 * size
    cluster.ask(0, tile_key(1, 18, 500, 500))  # its region of 8.5 MB puts all else out of memory
    assert cluster.ask(0, key) == "disk"


def test_hashing_never_makes_more_regions():
    alone, hashed, random = (run(*how) for how in (("random", 1), ("neighbourhood", 3), ("random", 3)))
    assert model.regions(alone) <= model.regions(hashed) < model.regions(random)
    assert model.renders(alone) == model.renders(hashed) < model.renders(random)


def test_shared_tier_makes_each_tile_once():
    keys = asked()
    assert model.renders(run("random", 3, keys, Lru(1e12))) == len(np.unique(keys))


def test_table_in_short(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["capacity.py", "--rates", "2000", "--sample", "4000", "--cdn", "with"])
    assert capacity.main() == 0
    out = capsys.readouterr().out
    assert "neighbourhood + shared" in out and "random" in out and "304" in out
