"""One walk of a few viewers against real servers: what the model says of it, and what they count.

The servers have small budgets, so that there is something to evict, and are asked for one tile after the other, each on
the node that the model names: hashed by neighbourhood, and at random. Places are land, as those are that were measured. CPU
is that of the servers, and more than the model's where others on the machine share caches and turbo with them.
"""

import sys
import tempfile
import time
from collections import Counter

import numpy as np

import capacity_model as model
from bench_regions import Client, facts, is_land
from capacity_measure import SEED, Probe, note
from capacity_tiers import Cluster, Router
from capacity_walk import ZOOM_FINEST, Habits, requests, tile_of, walk

NODES = 2
MEMORY_MB, DISK_MB = 60, 160  # one shard; enough for some regions, too little for the walk
PLACES = 3
FIRST_ZOOM = 9  # eroded
LINES = ("made", "memory", "disk", "region memory", "loaded", "erosion", "anchor", "lakes", "CPU s")


def land(server, random, count):
    """Places of the world, 0 .. 1, that are land."""
    sea_m, side, found = facts(server), 1 << ZOOM_FINEST, []
    while len(found) < count:
        place = random.random(2)
        x, y = (int(v * side) - side // 2 for v in place)
        if is_land(server, sea_m, x, y):
            found.append(place)
    return found


def stream(random, habits, places, wanted):
    """Keys of a walk in order of time. Browsers keep nothing here: nodes see what is asked for again."""
    views = walk(random, habits, max(2, wanted // 250), 30.0, places=places)
    view, keys = requests(views, habits)
    return keys[np.argsort(views.time_s[view], kind="stable")][:wanted]


def path_of(key, layers):
    layer, zoom, x, y = tile_of(key)
    half = (1 << zoom) // 2
    return f"/tile/{SEED}/{ZOOM_FINEST - zoom}/{x - half}/{y - half}.png?layer={layers[layer]}"


def predicted(figures, layers, keys, nodes):
    cluster = Cluster(figures, layers, NODES, MEMORY_MB * 1e6, DISK_MB * 1e6)
    for key, node in zip(keys.tolist(), nodes):
        cluster.ask(node, key)
    total = sum(cluster.counts, Counter())

    def all_of(what, kind=None):
        return sum(v for k, v in total.items() if k[0] == what and kind in (None, k[1]))

    return {"made": model.renders(total), "memory": total["memory"], "disk": total["disk"],
            "region memory": total["region memory"], "loaded": all_of("load"), "erosion": all_of("region", "erosion"),
            "anchor": all_of("region", "anchor"), "lakes": all_of("region", "lakes"),
            "CPU s": sum(sum(model.node_ms(figures, c, False).values()) for c in cluster.counts) / 1e3}


def counted(directory, binary, name, layers, keys, nodes):
    cache = {"memory_bytes": MEMORY_MB * 10**6, "disk_bytes": DISK_MB * 10**6, "write_interval_ms": 1}
    servers = [Probe(directory, binary, f"{name}{n}", cache) for n in range(NODES)]
    with servers[0], servers[1]:
        clients = [Client(server.address).connection for server in servers]
        cpu = sum(server.cpu_ns() for server in servers)
        for k, (key, node) in enumerate(zip(keys.tolist(), nodes)):
            clients[node].request("GET", path_of(key, layers))
            answer = clients[node].getresponse()
            answer.read()
            if answer.status != 200:
                raise RuntimeError(f"{path_of(key, layers)} answers {answer.status}")
            if k % 500 == 0:
                note(f"{name}: {k} of {len(keys)}")
        time.sleep(1)  # what is written behind
        cpu = sum(server.cpu_ns() for server in servers) - cpu
        for client in clients:
            client.close()

        def metric(what, label=""):
            return sum(server.metric(what, label) for server in servers)

        return {"made": metric("terrane_renders_total"), "memory": metric("terrane_cache_hits_total", 'tier="memory"'),
                "disk": metric("terrane_cache_hits_total", 'tier="disk"'),
                "region memory": metric("terrane_region_hits_total", 'tier="memory"'),
                "loaded": metric("terrane_region_hits_total", 'tier="disk"'),
                **{kind: metric("terrane_regions_total", f'product="{kind}"') for kind in ("erosion", "anchor", "lakes")},
                "CPU s": cpu / 1e9}


def validate(args, figures, habits, wanted=2000):
    """Prints the comparison. Exit status 0."""
    zooms = tuple(0 if z < FIRST_ZOOM else n for z, n in enumerate(habits.zooms))
    habits = Habits(**{**vars(habits), "zooms": zooms, "views": 12})
    random = np.random.default_rng(args.seed)
    rows = {}
    with tempfile.TemporaryDirectory(prefix="terrane-capacity-") as directory:
        with Probe(directory, args.terrane, "land", {"disk_bytes": 0}) as server:
            places = land(server, random, PLACES)
        keys = stream(random, habits, places, wanted)
        for route in ("neighbourhood", "random"):
            nodes = Router(route, NODES, np.random.default_rng(args.seed), args.block).nodes_of(keys)
            rows[route] = (predicted(figures, habits.layers, keys, nodes),
                           counted(directory, args.terrane, route, habits.layers, keys, nodes))
    print(f"\n{len(keys):,} requests, one after the other, {NODES} nodes with {MEMORY_MB} MB of memory and {DISK_MB} MB "
          "of disk")
    for route, (says, counts) in rows.items():
        print(f"  {route:<16} {'model':>9} {'counted':>9} {'model is':>9}")
        for line in LINES:
            off = f"{says[line] / counts[line] - 1:+.1%}" if counts[line] else "-"
            print(f"  {line:<16} {says[line]:9,.1f} {counts[line]:9,.1f} {off:>9}")
    by_region = [sum(rows[route][k][kind] for kind in ("erosion", "anchor", "lakes"))
                 for k in (0, 1) for route in ("neighbourhood", "random")]
    print(f"  regions, neighbourhood to random: model {by_region[0] / by_region[1]:.2f}, "
          f"counted {by_region[2] / by_region[3]:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit("capacity_validate: is a part of capacity.py --validate")
