"""The figures that capacity_model.py reckons with, measured on this machine: `capacity.py --measure`.

Costs are CPU time of the process by the scheduler's nanoseconds: others on the machine disturb them less than
they do wall times. Ground is land of the built-in default recipe, at random places far from the origin.

    making   at each place and level the first tile of a region less the next one of it: the region. Of two regions
             on one anchor, the first less the second: the anchor. Then tiles of each layer over what is there. No disk,
             whose writes would come in between.
    base     tiles of level 0 that rest on nothing
    disk     CPU from the answer until what was made is stored, and tiles from there with next to no memory tier
    hot      wrk on one tile in memory, and on its 304
    memory   of a fresh server, of connections that stay open, of the largest tile with its regions
    nginx    before terrane: wrk on what its cache holds, and on what it has to fetch
    shared   what the shared tier adds: two nodes and a redis-server, where this terrane knows cache.shared
"""

import contextlib
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "http"))

from bench_load import wrk  # noqa: E402
from bench_process import Nginx, fetch, which  # noqa: E402
from bench_regions import Alone, Client, facts, is_land  # noqa: E402
from http_store import PROGRAM, Store  # noqa: E402

SEED = 42
FAR = 1 << 28  # tiles of level 0 from the origin
APART = 1 << 10  # tiles of level 0 that places are multiples of: no two share an anchor, each is a region's corner
LEVELS = 19
LAYERS = ("relief", "height", "normal")
PROBED = "slope"  # a layer that is no other measurement's
CONNECTIONS = 32
MIB = 1 << 20
TYPICAL = f"/tile/{SEED}/4/-49/19.png?layer=relief"  # some 100 KB
LEAST = {"memory_bytes": MIB, "disk_bytes": 0, "write_behind_bytes": MIB}


def note(text):
    print(f"capacity: {text}", file=sys.stderr, flush=True)


def tile_path(level, x, y, layer, more=""):
    return f"/tile/{SEED}/{level}/{x}/{y}.png?layer={layer}{more}"


class Probe(Alone):
    """A server of one render thread on one core, asked for one tile after the other."""

    def __init__(self, directory, binary, name, cache):
        directory = Path(directory) / name
        settings = {"render": {"threads": 1, "deadline_ms": 60000}, "cache": cache}
        super().__init__(directory, binary, directory / "cache", settings)

    def cost(self, client, target):
        """(CPU ms, wall ms, bytes) of a tile that has to be made."""
        before = self.cpu_ns()
        wall_ms, body = client.get_ms(target)
        time.sleep(0.001)  # what is done after the answer
        return (self.cpu_ns() - before) / 1e6, wall_ms, len(body)

    def held(self):
        return self.metric("terrane_cache_bytes", 'tier="memory"')


def land_places(server, count, rng):
    sea_m, found = facts(server), []
    while len(found) < count:
        x, y = (rng.randrange(-FAR, FAR) // APART * APART for _ in range(2))
        if all(is_land(server, sea_m, x + i, y + j) for i in (0, 8) for j in (0, 8)):
            found.append((x, y))
    return found


# ---- Making ---------------------------------------------------------------------------------------------


class Making:
    """Samples of costs and sizes: {(what, level): [value, ...]}."""

    def __init__(self, probe, client, eroded, lakes):
        self.probe, self.client, self.eroded, self.lakes = probe, client, eroded, lakes
        self.samples = {}

    def add(self, what, level, value):
        self.samples.setdefault((what, level), []).append(value)

    def mean(self, what, level):
        return statistics.mean(self.samples[what, level])

    def first(self, level, x, y, layer=PROBED):
        """(CPU ms, wall ms, bytes kept) of a tile."""
        held = self.probe.held()
        cpu_ms, wall_ms, _ = self.probe.cost(self.client, tile_path(level, x, y, layer))
        return cpu_ms, wall_ms, self.probe.held() - held

    def region(self, level, x, y):
        """At level 0, 4, 8 ... the region's anchor, too, where it has one: nothing of it is there."""
        new_anchor = level % 4 == 0 and level + 4 < self.eroded
        width = 4 if level < 3 else 2
        cold = self.first(level, x, y)
        if new_anchor:
            anchor, cold = cold, self.first(level, x + width, y)
            self.add("anchor", level + 4, anchor[0] - cold[0])
            self.add("anchor bytes", level + 4, anchor[2] - cold[2])
        next_of_it = self.first(level, (x + width if new_anchor else x) ^ 1, y)
        self.add("erosion", level, cold[0] - next_of_it[0])
        self.add("erosion bytes", level, cold[2] - next_of_it[2])
        self.add("wall", level, cold[1])
        self.add("next wall", level, next_of_it[1])

    def place(self, x, y):
        order = [level for first in (4, 0, 8) for level in range(first, first + 4)]
        for level in [k for k in order if k < self.eroded] + list(range(12, self.eroded)):
            self.region(level, x >> level, y >> level)
        if self.lakes >= 0:
            level = self.lakes
            cold = self.first(level, x >> level, y >> level, "water")
            next_of_it = self.first(level, x >> level ^ 1, y >> level, "water")
            self.add("lakes", level, cold[0] - next_of_it[0])
            self.add("lakes bytes", level, cold[2] - next_of_it[2])
        for level in range(LEVELS):
            for layer in LAYERS:
                cpu_ms, _, size = self.probe.cost(self.client, tile_path(level, x >> level, y >> level, layer))
                self.add(layer, level, cpu_ms)
                self.add(layer + " bytes", level, size)


def base_tiles(probe, client, x, y, count=60):
    """(CPU, wall) ms of a base tile, and of a raw one."""
    result = []
    for k, suffix in enumerate((".png?variant=base", ".f32?variant=base")):
        costs = [probe.cost(client, f"/tile/{SEED}/0/{x + i}/{y + k}{suffix}") for i in range(count)]
        result.append([statistics.mean(c[0] for c in costs), statistics.median(c[1] for c in costs)])
    return result


def making(directory, binary, places):
    with Probe(directory, binary, "making", {"memory_bytes": 1 << 31, "disk_bytes": 0}) as probe:
        client = Client(probe.address)
        world = json.loads(fetch(probe.address, f"/world/{SEED}")[2])
        eroded = world["erosion"]["levels"]
        lakes = (world.get("lakes") or {}).get("lod", -1)
        made = Making(probe, client, eroded, lakes)
        for number, (x, y) in enumerate(land_places(probe, places, random.Random(8))):
            note(f"making: place {number + 1} of {places}")
            made.place(x, y)
        base, raw = base_tiles(probe, client, FAR * 2, 0)
        client.close()
    erosion = range(eroded)
    anchors = [level for level in range(4, eroded, 4)]

    def table(what, levels, digits=None):
        return {str(level): round(made.mean(what, level), digits) for level in levels}

    lakes_levels = [lakes] if lakes >= 0 else []
    return {
        "eroded_levels": eroded,
        "lakes_level": lakes,
        "tile_ms": {layer: [round(made.mean(layer, level), 2) for level in range(LEVELS)] for layer in LAYERS},
        "bytes": {layer: [round(made.mean(layer + " bytes", level)) for level in range(LEVELS)]
                  for layer in LAYERS},
        "region_ms": {"erosion": table("erosion", erosion, 1), "anchor": table("anchor", anchors, 1),
                      "lakes": table("lakes", lakes_levels, 1)},
        "region_bytes": {"erosion": table("erosion bytes", erosion), "anchor": table("anchor bytes", anchors),
                         "lakes": table("lakes bytes", lakes_levels)},
        "base_ms": round(base[0], 2),
        "base_raw_ms": round(raw[0], 2),
        "wall_ms": {"base tile": round(base[1], 2),
                    "eroded tile, new region": round(statistics.median(made.samples["wall", 0]), 1),
                    "eroded tile, warm region": round(statistics.median(made.samples["next wall", 0]), 2)},
    }


# ---- Disk -----------------------------------------------------------------------------------------------


def wait_stored(server, want):
    end = time.monotonic() + 60
    while server.metric("terrane_disk_stores_total") < want:
        if time.monotonic() > end:
            raise RuntimeError(f"{want} entries are not on the disk after a minute")
        time.sleep(0.05)


def store_ms(probe, client, targets):
    """CPU ms from the last answer until all is stored: what the writer takes, which waits before it begins."""
    entries = probe.metric("terrane_disk_stores_total") + len(targets)
    for target in targets:
        client.get_ms(target)
    cpu = probe.cpu_ns()
    wait_stored(probe, entries)
    return (probe.cpu_ns() - cpu) / 1e6


def disk_wall_s(client, target):
    start = time.perf_counter()
    client.connection.request("GET", target)
    answer = client.connection.getresponse()
    answer.read()
    if answer.headers["X-Cache"] != "disk":
        raise RuntimeError(f"{target} comes from {answer.headers['X-Cache']}")
    return time.perf_counter() - start


def disk(directory, binary, tiles=100):
    """What it costs to store tiles, and a region with its two anchors, and to take a tile from there."""
    targets = [f"/tile/{SEED}/0/{FAR * 3 + i}/0.png?variant=base" for i in range(tiles)]
    cache = {"disk_bytes": 1 << 30, "write_interval_ms": 2000}
    with Probe(directory, binary, "disk", cache) as probe:
        client = Client(probe.address)
        tile_ms = store_ms(probe, client, targets) / tiles
        held = probe.held()
        client.get_ms(tile_path(0, FAR * 3, 4096, PROBED))
        cpu = probe.cpu_ns()
        region_bytes = probe.held() - held
        wait_stored(probe, tiles + 4)
        region_ms = (probe.cpu_ns() - cpu) / 1e6
        factor = probe.metric("terrane_cache_bytes", 'tier="disk"') / probe.held()
        client.close()
    with Probe(directory, binary, "disk", {**LEAST, "disk_bytes": 1 << 30}) as probe:
        client = Client(probe.address)
        cpu = probe.cpu_ns()
        walls = [disk_wall_s(client, target) for target in targets]
        cpu_ms = (probe.cpu_ns() - cpu) / 1e6 / tiles
        client.close()
    with Probe(directory, binary, "disk", {"memory_bytes": 64 * MIB, "disk_bytes": 1 << 30}) as probe:
        client = Client(probe.address)
        first, next_of_it = (probe.cost(client, tile_path(0, FAR * 3 + 1, 4096 + j, PROBED))[0] for j in (0, 1))
        load_ms = first - next_of_it
        if probe.metric("terrane_regions_total"):
            raise RuntimeError("a region that was stored is made again")
        client.close()
    return {"load_ms_per_mb": round(load_ms / 8.47, 2), "disk_ms": round(cpu_ms, 3), "store_ms": round(tile_ms, 3),
            "store_ms_per_mb": round(region_ms / (region_bytes / 1e6), 2), "disk_factor": round(factor, 2)}, \
        {"from disk": round(statistics.median(walls) * 1e3, 2)}


# ---- Hot, and memory ------------------------------------------------------------------------------------


def hot(directory, binary, seconds=3):
    """A tile in memory, and a 304, at 32 connections; connections that stay open; the largest job."""
    with Probe(directory, binary, "hot", {"memory_bytes": 64 * MIB, "disk_bytes": 0}) as probe:
        target = TYPICAL
        _, headers, body = fetch(probe.address, target)
        costs = {}
        for name, extra in (("hot_ms", ()), ("not_modified_ms", (f"If-None-Match: {headers['etag']}",))):
            cpu = probe.cpu_ns()
            run = wrk(probe.address, target, CONNECTIONS, seconds, extra)
            costs[name] = round((probe.cpu_ns() - cpu) / 1e6 / run["requests"], 4)
        client = Client(probe.address)
        walls = []
        for _ in range(300):
            start = time.perf_counter()
            client.connection.request("GET", target)
            client.connection.getresponse().read()
            walls.append(time.perf_counter() - start)
        client.close()
    with Probe(directory, binary, "memory", LEAST) as probe:
        fresh = probe.memory_bytes()["VmRSS"]
        held = []
        for _ in range(500):
            held.append(Client(probe.address))
            held[-1].connection.request("GET", "/healthz")
            held[-1].connection.getresponse().read()
        connection = (probe.memory_bytes()["VmRSS"] - fresh) / len(held)
        for client in held:
            client.close()
    with Probe(directory, binary, "job", LEAST) as probe:
        before = probe.memory_bytes()["VmRSS"]
        client = Client(probe.address)
        client.get_ms(TYPICAL)
        job = probe.memory_bytes()["VmHWM"] - before
        client.close()
    return {**costs, "hot_bytes": len(body)}, \
        {"fresh_mb": round(fresh / 1e6, 1), "connection_kb": round(connection / 1e3, 1),
         "job_mb": round(job / 1e6, 1)}, \
        {"hot": round(statistics.median(walls) * 1e3, 2)}


# ---- nginx ----------------------------------------------------------------------------------------------


class Front(Nginx):
    """nginx with a cache before one node."""

    def __init__(self, directory, upstream):
        super().__init__(directory, directory)
        config = Path(directory) / "nginx.conf"
        text = config.read_text().replace("open_file_cache", "# open_file_cache")
        cache = f'proxy_cache_path "{directory}/cache" levels=1:2 keys_zone=t:16m max_size=2g use_temp_path=off;\n' \
                f"    upstream node {{ server {upstream}; keepalive 64; }}\n    server {{"
        place = '        location / {\n            proxy_pass http://node;\n            proxy_http_version 1.1;\n' \
                '            proxy_set_header Connection "";\n            proxy_cache t;\n' \
                "            proxy_cache_key $request_uri;\n            proxy_cache_lock on;\n        }\n    }\n}\n"
        text = text.replace("server {", cache, 1).rstrip().removesuffix("}").rstrip().removesuffix("}") + place
        config.write_text(text)


def family_cpu_ns(server):
    """CPU time of a master and its workers."""
    total = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            parent = int(stat.read_text().rsplit(")", 1)[1].split()[1])
            if server.process.pid in (parent, int(stat.parent.name)):
                total += sum(int(t.read_text().split()[0]) for t in stat.parent.glob("task/*/schedstat"))
    return total


def nginx(directory, binary, seconds=3):
    if which("nginx") is None:
        return {}
    target = TYPICAL
    script = Path(directory) / "misses.lua"
    script.write_text('local n = 0\nrequest = function()\n    n = n + 1\n'
                      f'    return wrk.format("GET", "{target}&other=" .. n)\nend\n')
    costs = {}
    with Probe(directory, binary, "behind", {"disk_bytes": 0}) as probe, \
            Front(Path(directory) / "front", probe.address) as front:
        fetch(front.address, target)
        for name, lua in (("nginx_hit_ms", None), ("nginx_miss_ms", script)):
            cpu = family_cpu_ns(front)
            run = wrk(front.address, target, CONNECTIONS, seconds, script=lua)
            costs[name] = round((family_cpu_ns(front) - cpu) / 1e6 / run["requests"], 3)
    return costs


# ---- The shared tier ------------------------------------------------------------------------------------


def shared(directory, binary, tiles=200):
    """What is added to a tile that is made, and what one costs that another node made. {} where it is unknown."""
    known = subprocess.run([binary, "serve", "--print-config"], capture_output=True, text=True, check=False).stdout
    if '"shared"' not in known or not PROGRAM:
        note("this terrane has no shared tier, or there is no redis-server: its figures stay as they were")
        return {}
    targets = [f"/tile/{SEED}/0/{FAR * 5 + i}/0.png?variant=base" for i in range(tiles)]
    with contextlib.closing(Store()) as store:
        cache = {"memory_bytes": 64 * MIB, "disk_bytes": 0, "shared": store.url}
        with Probe(directory, binary, "one", cache) as one, Probe(directory, binary, "two", cache) as two:
            time.sleep(3)  # the breaker closes
            clients = [Client(one.address), Client(two.address)]
            before = one.cpu_ns()
            for target in targets:
                clients[0].get_ms(target)
            time.sleep(2)  # what is written behind
            made_ms = (one.cpu_ns() - before) / 1e6 / tiles
            before, walls, found = two.cpu_ns(), [], 0
            for target in targets:
                start = time.perf_counter()
                clients[1].connection.request("GET", target)
                answer = clients[1].connection.getresponse()
                answer.read()
                walls.append(time.perf_counter() - start)
                found += answer.headers["X-Cache"] == "shared"
            hit_ms = (two.cpu_ns() - before) / 1e6 / tiles
            for client in clients:
                client.close()
    if found < tiles * 0.9:
        raise RuntimeError(f"of {tiles} tiles only {found} come from the shared tier")
    with Probe(directory, binary, "alone", {"memory_bytes": 64 * MIB, "disk_bytes": 0}) as probe:
        client = Client(probe.address)
        before = probe.cpu_ns()
        for target in targets:
            client.get_ms(target)
        alone_ms = (probe.cpu_ns() - before) / 1e6 / tiles
        client.close()
    return {"shared_ms": round(hit_ms, 3), "shared_make_ms": round(max(0, made_ms - alone_ms), 3),
            "shared_wall_ms": round(statistics.median(walls) * 1e3, 2)}


def machine():
    model = [line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
             if line.startswith("model name")]
    return f"{len(os.sched_getaffinity(0))} cores of {model[0] if model else platform.processor()}"


def measure(directory, binary, places=5):
    """All figures as a dict, those that cannot be had here left out."""
    binary = str(Path(binary).resolve())
    figures = {"machine": machine(), **making(directory, binary, places)}
    note("disk")
    costs, wall = disk(directory, binary)
    figures.update(costs)
    figures["wall_ms"].update(wall)
    note("memory, hot tiles")
    costs, memory, wall = hot(directory, binary)
    figures.update(costs)
    figures["memory"] = memory
    figures["wall_ms"].update(wall)
    note("nginx")
    figures.update(nginx(directory, binary))
    note("the shared tier")
    tier = shared(directory, binary)
    if "shared_wall_ms" in tier:
        figures["wall_ms"]["from the shared tier"] = tier.pop("shared_wall_ms")
    figures.update(tier)
    return figures
