#!/usr/bin/env python3
"""Erosion and water as a client of terrane sees them: one render thread, the whole server held on one core.

    cold     one eroded f32 tile of level 0 at random places far apart, on land; nothing it needs has been made
    next     the three other tiles of the region that a cold tile left behind
    block    8 x 8 such tiles, far from the last block, four requests at a time: aligned to regions, and in between
    levels   4 x 4 tiles of relief of each recipe that ships, from a place of its own on, a fresh server each: CPU time
    layers   relief, cover, climate and objects of tiles whose regions are there, by level: CPU time of the server
    drop     /downstream of some 500 km: nothing it needs has been made; and again
    memory   peak resident memory of a fresh server that makes one relief tile with all its regions and lakes, with
             the least memory tier and no disk, over what was resident before; a server for each level

Times are wall time at the client, on connections that stay open; beside them stands CPU time of the server,
which is what to read on a busy machine. A tile is land where nine of its base heights lie above the sea.

Exit status 0, whatever was measured; with --strict 2 when a pass line is missed. Everything it starts is ended
and its temporary directory removed, on errors and signals, too.
"""

import http.client
import json
import os
import queue
import random
import shutil
import statistics
import struct
import sys
import threading
import time

from bench_load import arguments, percentile, run_parts
from bench_process import Terrane, cpu_ns, fetch, which

SEED = 42
FAR = 1 << 32  # tiles from the origin to either side
SIDE = 8  # of a block, in tiles
BLOCK_CONNECTIONS = 4
COLD_PASS_MS, NEXT_PASS_MS, MEMORY_PASS_MB = 700, 3, 48
BLOCK_PASS_MS = {"aligned": 16, "in between": 24}
RECIPES = ["continents", "alpine", "archipelago", "badlands", "desert", "wayfarer"]
RELIEF_SIDE, RELIEF_PASS_S = 4, {13: 1.2, 15: 0.6}
LAYERS = {"relief": (".png?layer=relief", 6), "cover": (".f32?layer=cover", 2), "climate": (".f32?layer=climate", 1),
          "objects": (".bin?layer=objects", 3)}  # what is asked for, and the pass line, ms
DROP_PASS_MS, DROP_AGAIN_PASS_MS = 3000, 50
LAYER_LEVELS = (0, 3, 6, 9, 12)
DROP = (-2000000, 500000)  # metres, of the recipe that ships
LEAST = {"memory_bytes": 1 << 20, "disk_bytes": 0, "write_behind_bytes": 1 << 20}


class Alone(Terrane):
    """A terrane with one render thread, held on one core where taskset is there."""

    def command(self):
        core = str(max(os.sched_getaffinity(0)))
        return ([which("taskset"), "-c", core] if which("taskset") else []) + super().command()


class Bench:
    """What the parts share."""

    def __init__(self, args, report, directory):
        self.binary, self.report, self.directory = args.terrane, report, directory
        self.quick = args.quick
        self.random = random.Random(args.seed)
        self.worlds = {}
        if args.recipe:
            (self.directory / "worlds").mkdir()
            shutil.copy(args.recipe, self.directory / "worlds" / "bench.json")
            self.worlds = {"dir": str(self.directory / "worlds"), "default": "bench"}
        self.started = 0

    def terrane(self, cache=None):
        """A fresh server with an empty cache."""
        self.started += 1
        directory = self.directory / f"server{self.started}"
        settings = {"render": {"threads": 1, "deadline_ms": 60000}, "cache": cache or {}}
        if self.worlds:
            settings["worlds"] = self.worlds
        return Alone(directory, self.binary, directory / "cache", settings)

    def land(self, terrane, sea_m, apart, tiles):
        """Coordinates of a random tile far away, multiples of apart; it and those `tiles` away are land."""
        for _ in range(10000):
            x, y = (self.random.randrange(-FAR, FAR) // apart * apart for _ in range(2))
            if all(is_land(terrane, sea_m, x + i, y + j) for i in {0, tiles} for j in {0, tiles}):
                return x, y
        raise RuntimeError("10,000 random places, none of them land")


def target(x, y, suffix=".f32", level=0):
    return f"/tile/{SEED}/{level}/{x}/{y}{suffix}"


def is_land(terrane, sea_m, x, y):
    """Base heights do not touch regions."""
    status, _, body = fetch(terrane.address, target(x, y, ".f32?variant=base&size=3"))
    if status != 200 or len(body) != 36:
        raise RuntimeError(f"a base tile answers {status} with {len(body)} bytes")
    return min(struct.unpack("<9f", body)) > sea_m


def facts(terrane):
    """Sea level of a world that erodes; otherwise there is nothing to measure."""
    status, _, body = fetch(terrane.address, f"/world/{SEED}")
    if status != 200:
        raise RuntimeError(f"/world/{SEED} answers {status}")
    world = json.loads(body)
    if "eroded" not in world.get("variants", []):
        sys.exit(f"bench_regions: the recipe {world.get('recipe')} does not erode: --recipe FILE takes another")
    return world["sea_m"]


class Client:
    """A connection that stays open."""

    def __init__(self, address):
        self.connection = http.client.HTTPConnection(address, timeout=120)

    def get_ms(self, path):
        """(milliseconds, body) of a tile that was made for this request."""
        start = time.perf_counter()
        self.connection.request("GET", path)
        answer = self.connection.getresponse()
        body = answer.read()
        ms = (time.perf_counter() - start) * 1e3
        if answer.status != 200 or answer.headers["X-Cache"] not in ("render", "coalesced"):
            raise RuntimeError(f"{path} answers {answer.status} from {answer.headers['X-Cache']}")
        return ms, body

    def close(self):
        self.connection.close()


def say_times(bench, name, ms, cpu_ms):
    bench.report.say(f"    {name:<22} p50 {percentile(ms, 0.5):8.2f} ms   p99 {percentile(ms, 0.99):8.2f} ms   "
                     f"mean {statistics.mean(ms):8.2f} ms   {cpu_ms:8.2f} ms of CPU, {len(ms)} tiles")


# ---- Single tiles ---------------------------------------------------------------------------------------


def tiles(bench):
    """Cold tiles, and the next ones of their regions."""
    count = 30 if bench.quick else 120
    cold, following, cpu = [], [], {"cold": 0, "next": 0}
    bench.report.say(f"Single tiles of level 0, f32, {count} places")
    with bench.terrane() as terrane:
        sea_m = facts(terrane)
        client = Client(terrane.address)
        check_eroded(bench, terrane, client, sea_m)
        for _ in range(count):
            # Even coordinates: the north-west tile of a region of 2 x 2.
            x, y = bench.land(terrane, sea_m, 2, 0)
            before = cpu_ns(terrane.process.pid)
            cold.append(client.get_ms(target(x, y))[0])
            between = cpu_ns(terrane.process.pid)
            following += [client.get_ms(target(x + i, y + j))[0] for i, j in ((1, 0), (0, 1), (1, 1))]
            cpu["cold"] += between - before
            cpu["next"] += cpu_ns(terrane.process.pid) - between
        client.close()
    cold_cpu_ms, next_cpu_ms = cpu["cold"] / 1e6 / len(cold), cpu["next"] / 1e6 / len(following)
    say_times(bench, "cold", cold, cold_cpu_ms)
    say_times(bench, "next of its region", following, next_cpu_ms)
    bench.report.data["tiles"] = {"cold_ms": cold, "next_ms": following, "cold_cpu_ms": cold_cpu_ms,
                                  "next_cpu_ms": next_cpu_ms}
    bench.report.judge("one cold eroded tile, p99", percentile(cold, 0.99), COLD_PASS_MS, False, "ms",
                       f"p50 {percentile(cold, 0.5):.1f} ms")
    bench.report.judge("next tile of a warm region, p50", percentile(following, 0.5), NEXT_PASS_MS, False, "ms",
                       f"p99 {percentile(following, 0.99):.1f} ms")


def check_eroded(bench, terrane, client, sea_m):
    """Nobody is measured at work that was not done: on land eroded heights differ from base ones."""
    x, y = bench.land(terrane, sea_m, 2, 0)
    eroded, base = (client.get_ms(target(x, y, f".f32?variant={v}"))[1] for v in ("eroded", "base"))
    default = fetch(terrane.address, target(x, y))[2]
    if len(eroded) != 257 * 257 * 4 or eroded == base or default != eroded:
        raise RuntimeError(f"tile 0/{x}/{y} is not eroded")


# ---- Blocks ---------------------------------------------------------------------------------------------


def block_ms(terrane, x, y, side=SIDE, suffix=".f32", level=0):
    """(wall, CPU) milliseconds a tile of the block whose north-west tile is x, y."""
    wanted, failed = queue.SimpleQueue(), []
    for j in range(side):
        for i in range(side):
            wanted.put(target(x + i, y + j, suffix, level))

    def work():
        client = Client(terrane.address)
        try:
            while not failed:
                client.get_ms(wanted.get_nowait())
        except queue.Empty:
            pass
        except Exception as error:  # of a thread: raised again below
            failed.append(error)
        finally:
            client.close()

    threads = [threading.Thread(target=work) for _ in range(BLOCK_CONNECTIONS)]
    cpu, start = cpu_ns(terrane.process.pid), time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wall_ms = (time.perf_counter() - start) * 1e3
    if failed:
        raise failed[0]
    return wall_ms / side**2, (cpu_ns(terrane.process.pid) - cpu) / 1e6 / side**2


def regions_made(terrane):
    """(count, seconds) of all regions that the server has made."""
    stage = "terrane_stage_seconds_"
    return terrane.metric(stage + "count", 'stage="region"'), terrane.metric(stage + "sum", 'stage="region"')


def blocks(bench):
    """8 x 8 tiles at once."""
    rounds = 3 if bench.quick else 9
    kinds = {"aligned": 0, "in between": 1}
    wall, cpu, regions = ({kind: [] for kind in kinds} for _ in range(3))
    bench.report.say(f"\nBlocks of {SIDE} x {SIDE} tiles of level 0, f32, {rounds} rounds in turn, a tile")
    with bench.terrane() as terrane:
        sea_m = facts(terrane)
        for _ in range(rounds):
            for kind, shift in kinds.items():
                x, y = bench.land(terrane, sea_m, SIDE, SIDE)
                before = regions_made(terrane)
                wall_ms, cpu_ms = block_ms(terrane, x + shift, y + shift)
                wall[kind].append(wall_ms)
                cpu[kind].append(cpu_ms)
                regions[kind].append([now - then for now, then in zip(regions_made(terrane), before)])
    for kind in kinds:
        count, seconds = (statistics.mean(values) for values in zip(*regions[kind]))
        mean, cpu_mean = statistics.mean(wall[kind]), statistics.mean(cpu[kind])
        bench.report.say(f"    {kind:<12} mean {mean:7.2f} ms   {min(wall[kind]):.2f} .. {max(wall[kind]):.2f}   "
                         f"{cpu_mean:.2f} ms of CPU   {count:.1f} regions, {seconds / count * 1e3:.1f} ms each")
        bench.report.judge(f"8 x 8 eroded tiles, {kind}, a tile", mean, BLOCK_PASS_MS[kind], False, "ms",
                           f"{cpu_mean:.2f} ms of CPU")
    bench.report.data["blocks"] = {"wall_ms": wall, "cpu_ms": cpu, "regions": regions}


# ---- Blocks of each level ------------------------------------------------------------------------------


def spawn_of(bench, recipe):
    """In samples of level 0. A server of its own says it: it makes the tile there."""
    with bench.terrane() as terrane:
        world = json.loads(fetch(terrane.address, f"/world/{SEED}?recipe={recipe}")[2])
        return [world["spawn"][axis] / world["spacing_m"] for axis in "xy"]


def relief_s(bench, recipe, spawn, level):
    """CPU seconds of a block in whose middle the spawn lies."""
    with bench.terrane() as terrane:
        x, y = (int(at // 2 ** (8 + level)) - RELIEF_SIDE // 2 for at in spawn)
        return block_ms(terrane, x, y, RELIEF_SIDE, f".png?layer=relief&recipe={recipe}", level)[1] * RELIEF_SIDE**2 / 1e3


def levels(bench):
    bench.report.say(f"\nBlocks of {RELIEF_SIDE} x {RELIEF_SIDE} tiles of relief by level, CPU")
    for recipe in RECIPES[:1] if bench.quick else RECIPES:
        spawn = spawn_of(bench, recipe)
        for level, line in RELIEF_PASS_S.items():
            bench.report.judge(f"{RELIEF_SIDE} x {RELIEF_SIDE} relief tiles, level {level}, {recipe}",
                               relief_s(bench, recipe, spawn, level), line, False, "s", "CPU")


# ---- Layers of warm tiles -------------------------------------------------------------------------------


def stage_ms(terrane, stage):
    """What jobs have spent in a stage."""
    return terrane.metric("terrane_stage_seconds_sum", f'stage="{stage}"') * 1e3


def layers(bench):
    """CPU time of what is drawn on ground that is there, and how much of it is encoding."""
    count = 8 if bench.quick else 24
    bench.report.say(f"\nLayers of warm tiles, {count} places a level, CPU: median, least; encoding")
    made = bench.report.data["layers"] = {}
    with bench.terrane({"disk_bytes": 0}) as terrane:  # writing is not drawing
        sea_m = facts(terrane)
        client = Client(terrane.address)
        has = {row["name"] for row in json.loads(fetch(terrane.address, f"/world/{SEED}")[2])["layers"]}
        names = [name for name in LAYERS if name in has]
        for level in LAYER_LEVELS:
            cpu = {name: [] for name in names}
            encode = dict.fromkeys(names, 0.0)
            for _ in range(count):
                x, y = (c >> level for c in bench.land(terrane, sea_m, 1, 0))
                client.get_ms(target(x, y, ".f32", level))
                for name in names:
                    encoded, before = stage_ms(terrane, "encode"), cpu_ns(terrane.process.pid)
                    client.get_ms(target(x, y, LAYERS[name][0], level))
                    cpu[name].append((cpu_ns(terrane.process.pid) - before) / 1e6)
                    encode[name] += (stage_ms(terrane, "encode") - encoded) / count
            for name in names:
                median = statistics.median(cpu[name])
                bench.report.say(f"    {name:<8} level {level:2} {median:6.2f} ms   {min(cpu[name]):6.2f} ms   "
                                 f"{encode[name]:5.2f} ms")
                bench.report.judge(f"{name} of a warm tile, level {level}", median, LAYERS[name][1], False, "ms", "CPU")
            made[level] = {"cpu_ms": cpu, "encode_ms": encode}
        client.close()


# ---- The way of a drop ----------------------------------------------------------------------------------


def drop(bench):
    """A long way to the sea, on a fresh server each time; and the same way again, which no cache of answers keeps."""
    first, again = [], []
    x, y = DROP
    for _ in range(1 if bench.quick else 3):
        with bench.terrane() as terrane:
            for ms in (first, again):
                start = time.perf_counter()
                status, _, body = fetch(terrane.address, f"/downstream/{SEED}?x={x}&y={y}")
                ms.append((time.perf_counter() - start) * 1e3)
                if status == 404:
                    return bench.report.say("\nNo rivers, no way of a drop")
                if status != 200:
                    raise RuntimeError(f"/downstream answers {status}")
    km = json.loads(body)["properties"]["length_m"] / 1e3
    bench.report.data["drop"] = {"km": km, "cold_ms": first, "again_ms": again}
    bench.report.say(f"\nA drop's way of {km:.0f} km")
    bench.report.judge("/downstream, cold", statistics.median(first), DROP_PASS_MS, False, "ms", f"{km:.0f} km")
    bench.report.judge("/downstream, warm", statistics.median(again), DROP_AGAIN_PASS_MS, False, "ms", f"{km:.0f} km")


# ---- Memory ---------------------------------------------------------------------------------------------


def memory(bench):
    """Peak memory of one tile with everything under it, at every level that erodes or shows lakes."""
    levels = (0, 3, 4) if bench.quick else range(12)
    grown = {"eroded": {}, "base": {}}
    with bench.terrane() as terrane:
        x, y = bench.land(terrane, facts(terrane), 1, 0)
    for level in levels:
        for variant, peaks in grown.items():
            with bench.terrane(LEAST) as terrane:
                before = terrane.memory_bytes()["VmRSS"]
                client = Client(terrane.address)
                client.get_ms(target(x >> level, y >> level, f".png?layer=relief&variant={variant}", level))
                client.close()
                peaks[level] = (terrane.memory_bytes()["VmHWM"] - before) / 1e6
    bench.report.say("\nMemory: peak of one relief tile over the fresh server's, MB, by level")
    for variant, peaks in grown.items():
        bench.report.say(f"    {variant:<8}" + "".join(f"{mb:6.1f}" for mb in peaks.values()))
    worst = max(grown["eroded"], key=grown["eroded"].get)
    bench.report.data["memory_mb"] = grown
    bench.report.judge("peak memory of a tile and its regions", grown["eroded"][worst], MEMORY_PASS_MB, False,
                       "MB", f"at level {worst}; base: {max(grown['base'].values()):.1f} MB")


PARTS = {"tiles": tiles, "blocks": blocks, "levels": levels, "layers": layers, "drop": drop, "memory": memory}


def main():
    args = arguments(__doc__, PARTS, recipe={"metavar": "FILE", "help": "measure this recipe, not the one that ships"},
                     seed={"type": int, "default": 4, "help": "of the random places"})
    return run_parts(args, Bench)


if __name__ == "__main__":
    sys.exit(main())
