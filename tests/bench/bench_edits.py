#!/usr/bin/env python3
"""Worlds that people change: what a log of operations costs.

    writers    64 connections, each of which posts one operation after the other, a token in each: acknowledged as durable
    tiles      f32 tiles (npy) of one render thread, of the recipe STILL, made anew: with 1,000 operations on each of them, and one tile
               with 100,000 in its past that gets one more before it is asked for; against tiles of a like world without. Strokes have
               radii of 2 to 32 samples, in proportion to one over the radius, and all brushes but noise; those with smooth and sharpen
               (which read more ground) have rows of their own, without a pass line
    untouched  tiles of a world of 1,000,000 operations that none of these is on, against those of a world without a log: hot and
               as 304, by turns
    opening    a server that opens such a world, against one that opens an empty one: until its ready line, and its memory
    follower   a server that follows, while 500 operations a second are written at the home: from an acknowledgement there until the event
               is told here
    listeners  1,000 streams of events: from an acknowledgement until the event is with each of them
    raster     a recipe that reads a raster of 8192 x 8192 samples, against the same without: until the ready line, memory, and what a
               tile of it takes against one of a fractal

Logs are made by `terrane world import`. The store is under --tmp, which should be a real disk.

Exit status 0, whatever was measured; with --strict 2 when a pass line is missed.
"""

import json
import math
import random
import selectors
import socket
import statistics
import subprocess
import sys
import threading
import time

import numpy as np
from bench_load import arguments, percentile, ratio_by_round, run_parts, wrk
from bench_process import Terrane, fetch
from bench_regions import Client

SEED = 42
WRITERS, OPERATIONS_PASS, WRITERS_P99_PASS_MS = 64, 2000, 50
ON, PAST, ADDED_PASS_MS = 1000, 100_000, 5
RATE, BEHIND_P99_PASS_MS, LISTENERS, HEARD_P99_PASS_MS = 500, 500, 1000, 250
MANY, UNTOUCHED_PASS, OPEN_PASS_S, MEMORY_PASS_MB = 1_000_000, 0.98, 1, 64
TURNS = 27  # of a second each: many short ones, since this is a ratio of a hundredth, and machines change their pace from second to second
UNIT, PARTS, WHOLE = 16384, 16, 65536
RAISE, LOWER, LEVEL, SMOOTH, SHARPEN, _, RESTORE = range(7)
PLAIN = ((RAISE, 8), (LOWER, 6), (LEVEL, 3), (RESTORE, 1))
READING = (*PLAIN, (SMOOTH, 3), (SHARPEN, 1))
HILLS = {"fractal": "fbm", "octaves": 12, "cell_m": 4096, "gain": 0.5, "amplitude_m": 300}
STILL = {"range_m": [-1000, 2000], "sea_m": 0, "terms": {"land": HILLS}, "height": "land"}
RASTER_SIDE = 8192


class Bench:
    """What the parts share."""

    def __init__(self, args, report, directory):
        self.binary, self.report, self.directory, self.quick = args.terrane, report, directory, args.quick
        self.draw = random.Random(3)
        self.started = 0
        self.recipe = directory / "still.json"
        self.recipe.write_text(json.dumps(STILL))
        self.keys, self.key = directory / "keys.json", {}

    def tool(self, *words, **more):
        done = subprocess.run([self.binary, *map(str, words)], check=False, capture_output=True, text=True, **more)
        if done.returncode != 0:
            raise RuntimeError(f"terrane {words[0]}: {done.stderr}")
        return done

    def world(self, folder, name, strokes=None):
        """A world of the recipe, with these strokes, in a folder of worlds."""
        folder.mkdir(exist_ok=True)
        self.tool("world", "create", name, "--seed", SEED, "--recipe", self.recipe, "--dir", folder)
        if not strokes:
            return 0
        head = self.tool("world", "export", name, "--dir", folder).stdout.replace(',"count":0', "")
        for old in folder.glob(f"{name}.world*"):
            old.unlink()
        lines = folder.parent / f"{name}.jsonl"
        with open(lines, "w", encoding="ascii") as out:
            out.write(head)
            out.writelines(log_line(seq, *stroke) for seq, stroke in enumerate(strokes, 1))
        start = time.perf_counter()
        with open(lines, "rb") as text:
            self.tool("world", "import", name, "--dir", folder, stdin=text)
        taken_s = time.perf_counter() - start
        lines.unlink()
        return taken_s

    def server(self, folder, **more):
        if not self.key:
            made = {right: self.tool("key", "--name", right, f"--{right}") for right in ("edit", "follow")}
            self.key = {right: one.stderr.split()[-1] for right, one in made.items()}
            self.keys.write_text(json.dumps({"keys": [json.loads(one.stdout) for one in made.values()]}))
        self.started += 1
        settings = {"worlds": {**more.pop("worlds", {}), "shared_dir": str(folder), "dir": str(self.directory / "recipes"), "default": "still"},
                    "render": {"threads": 1}, "access": {"keys_file": str(self.keys)}, "cache": {"disk_bytes": 0}, **more}
        (self.directory / "recipes").mkdir(exist_ok=True)
        (self.directory / "recipes/still.json").write_text(json.dumps(STILL))
        here = self.directory / f"server{self.started}"
        return Terrane(here, self.binary, here / "cache", settings)

    def edit(self, line, name, strokes):
        """Writes them; what the server says."""
        line.connection.request("POST", f"/world/{name}/edits", json.dumps(strokes), {"Authorization": f"Bearer {self.key['edit']}"})
        answer = line.connection.getresponse()
        text = answer.read()
        if answer.status != 201:
            raise RuntimeError(f"{answer.status}: {text[:300]}")
        return json.loads(text)

    def stroke(self, west, north, side, brushes):
        """An operation whose centre is in a square of samples: brush, x, y, inner, outer, strength, height."""
        outer = int(2 * PARTS * 16 ** self.draw.random())
        brush = self.draw.choices([b for b, _ in brushes], [share for _, share in brushes])[0]
        strength = self.draw.randrange(1, 4 * UNIT if brush in (RAISE, LOWER) else WHOLE)
        return (brush, west * PARTS + self.draw.randrange(side * PARTS), north * PARTS + self.draw.randrange(side * PARTS),
                self.draw.randrange(outer), outer, strength, 100 * UNIT if brush == LEVEL else 0)


def log_line(seq, brush, x, y, inner, outer, strength, height):
    return (f'{{"seq":{seq},"brush":{brush},"x":{x},"y":{y},"inner":{inner},"outer":{outer},"strength":{strength},"height":{height},'
            f'"term":0,"undoes":0,"by":"writer","at":1700000000000,"token":"t-{seq}","note":""}}\n')


# ---- Writing ---------------------------------------------------------------------------------------------------------


def writers(bench):
    folder = bench.directory / "written"
    bench.world(folder, "commons")
    script = bench.directory / "post.lua"
    with bench.server(folder) as server:
        script.write_text(f"""
local n = 0
local head = {{["Authorization"] = "Bearer {bench.key['edit']}", ["Content-Type"] = "application/json"}}
request = function()
    n = n + 1
    local body = string.format('{{"brush":"raise","x":%d,"y":%d,"inner":4,"outer":16,"strength_m":1,"token":"t-%d"}}',
                               n * 37 % 20000, n * 91 % 20000, n)
    return wrk.format("POST", "/world/commons/edits", head, body)
end
""")
        found = wrk(server.address, "/", WRITERS, 3 if bench.quick else 10, script=script)
    note = f"p50 {found['p50_s'] * 1000:.1f} ms"
    bench.report.judge(f"operations a second, {WRITERS} writers", found["requests_per_s"], OPERATIONS_PASS, True, "", note)
    bench.report.judge("... p99 of their acknowledgements", found["p99_s"] * 1000, WRITERS_P99_PASS_MS, False, "ms")


# ---- Tiles -----------------------------------------------------------------------------------------------------------


def tile(name, x, y=0, ending="npy"):
    return f"/tile/{name}/0/{x}/{y}.{ending}"


def medians_ms(line, names, count):
    """Of tiles that nobody has asked for, by turns; every other place, so that none has the samples of the last."""
    line.get_ms(tile(names[0], -50))
    times = {name: [] for name in names}
    for x in range(count):
        for name in names:
            times[name].append(line.get_ms(tile(name, 2 * x))[0])
    return {name: statistics.median(taken) for name, taken in times.items()}


def tiles(bench):
    folder, count = bench.directory / "worn", 4 if bench.quick else 24
    past = PAST // (10 if bench.quick else 1)
    bench.world(folder, "none")
    for name, brushes in (("plain", PLAIN), ("reading", READING)):
        bench.world(folder, name, [bench.stroke(512 * x, 0, 257, brushes) for x in range(count) for _ in range(ON)])
        bench.world(folder, f"past-{name}", [bench.stroke(0, 0, 257, brushes) for _ in range(past)])
    with bench.server(folder) as server:
        line = Client(server.address)
        found = medians_ms(line, ("none", "plain", "reading"), count)
        for name, limit in (("plain", ADDED_PASS_MS), ("reading", None)):
            say_added(bench, f"{ON:,} operations on a tile, {name}: added", found[name] - found["none"], limit)
            first, later = past_ms(bench, server, line, f"past-{name}")
            say_added(bench, f"{past:,} in its past, {name}: added", later - found["none"], limit, f"the first time {first:.0f} ms")

    with bench.server(folder) as server:  # which finds what the one before has left on the disk
        line = Client(server.address)
        for name in ("plain", "reading"):
            line.get_ms(tile("none", -50 - len(name)))
            say_added(bench, f"{past:,} in its past, {name}, the first time after a start: added", line.get_ms(tile(f"past-{name}", 0))[0] - found["none"], None)


def say_added(bench, what, added_ms, limit, note=""):
    bench.report.data[what] = added_ms
    bench.report.say(f"{what} {added_ms:.2f} ms {note}")
    if limit is not None:
        bench.report.judge(what, added_ms, limit, False, "ms", note)


def past_ms(bench, server, line, name):
    first, later = line.get_ms(tile(name, 0))[0], []
    for k in range(6 if bench.quick else 30):
        bench.edit(line, name, {"brush": "raise", "x": 100 + k, "y": 90, "inner": 4, "outer": 16, "strength_m": 1})
        later.append(line.get_ms(tile(name, 0))[0])
    return first, statistics.median(later)


# ---- A million -------------------------------------------------------------------------------------------------------


def many(bench):
    """A folder with a world of very many operations, over 4096 tiles, and how long it took to import."""
    folder, count = bench.directory / "many", MANY // (10 if bench.quick else 1)
    if not folder.exists():
        taken_s = bench.world(folder, "million", (bench.stroke(0, 0, 16384, READING) for _ in range(count)))
        bench.report.say(f"{count:,} operations imported in {taken_s:.1f} s, {(folder / 'million.world').stat().st_size / 1e6:.0f} MB")
        bench.report.data["import_s"] = taken_s
    return folder, count


def by_turns(bench, what, ways):
    """Judges the rate of the first of two ways by the second's; ways: {name: (server, target, headers)}."""
    rates, cpu_s = ({name: [] for name in ways} for _ in range(2))
    for turn in range(2 if bench.quick else TURNS):
        for name in ways if turn % 2 else reversed(ways):
            server, target, headers = ways[name]
            used_s = server.cpu_s()
            found = wrk(server.address, target, 32, 1, headers)
            rates[name].append(found["requests_per_s"])
            cpu_s[name].append((server.cpu_s() - used_s) / found["requests"])
    one, other = ways
    bench.report.data[what] = {"rates": rates, "cpu_s": cpu_s}
    bench.report.judge(what, ratio_by_round(rates[one], rates[other]), UNTOUCHED_PASS, True, "",
                       f"{statistics.median(rates[one]):,.0f} a second; of the processor's time {ratio_by_round(cpu_s[other], cpu_s[one]):.3f}")


def if_none_match(server, target):
    return [f"If-None-Match: {fetch(server.address, target)[1]['etag']}"]


def untouched(bench):
    folder, count = many(bench)
    with bench.server(folder) as server:
        targets = [tile(name, -7, -9, "png") for name in ("million", SEED)]
        tags = {target: if_none_match(server, target) for target in targets}
        for what, tagged in (("hot tiles", False), ("304s", True)):
            by_turns(bench, f"{what} that none of {count:,} operations is on",
                     {target: (server, target, tags[target] if tagged else []) for target in targets})


def opening(bench):
    folder, count = many(bench)
    empty = bench.directory / "empty"
    bench.world(empty, "million")
    ready_s, memory = {}, {}
    for where in (folder, empty):
        found = []
        for _ in range(3):
            with bench.server(where) as server:
                found.append((server.ready_s, server.memory_bytes()["VmRSS"]))
        ready_s[where] = min(ready for ready, _ in found)
        memory[where] = statistics.median(rss for _, rss in found)
    added_mb = (memory[folder] - memory[empty]) / 2**20
    bench.report.judge(f"opening {count:,} operations", ready_s[folder] - ready_s[empty], OPEN_PASS_S, False, "s", "of three the best")
    bench.report.judge("... memory for them", added_mb, MEMORY_PASS_MB, False, "MB")


# ---- Followers and listeners -----------------------------------------------------------------------------------------


class Streams(threading.Thread):
    """Hears events of a world on many connections; of each the times when its operations came, by number."""

    def __init__(self, address, count):
        super().__init__(daemon=True)
        self.heard, self.ends = [{} for _ in range(count)], False
        self.poll, self.rest, self.text = selectors.DefaultSelector(), [b""] * count, [b""] * count
        host, port = address.split(":")
        for k in range(count):
            one = socket.create_connection((host, int(port)))
            one.sendall(b"GET /world/commons/events HTTP/1.1\r\nHost: bench\r\n\r\n")
            while b"event: world" not in self.rest[k]:
                self.rest[k] += one.recv(65536)
            self.rest[k] = self.rest[k].split(b"\r\n\r\n", 1)[1]
            self.poll.register(one, selectors.EVENT_READ, k)

    def run(self):
        while not self.ends:
            for key, _ in self.poll.select(0.2):
                now, k = time.perf_counter(), key.data
                self.rest[k] += key.fileobj.recv(1 << 18)
                while (size := self.rest[k].partition(b"\r\n"))[1] and len(size[2]) >= int(size[0], 16) + 2:
                    self.text[k] += size[2][:int(size[0], 16)]
                    self.rest[k] = size[2][int(size[0], 16) + 2:]
                *lines, self.text[k] = self.text[k].split(b"\n")
                self.heard[k].update((int(line[4:]), now) for line in lines if line.startswith(b"id: "))

    def end(self, last):
        """When all have heard of the last operation, or have had their time."""
        until = time.monotonic() + 30
        while any(last not in one for one in self.heard) and time.monotonic() < until:
            time.sleep(0.05)
        self.ends = True
        self.join()
        for key in list(self.poll.get_map().values()):
            key.fileobj.close()


def acknowledged(bench, address, batches, batch, every_s):
    """Writes batches, one after the other; when each operation was acknowledged, by number."""
    line, told, begun = Client(address), {}, time.perf_counter()
    strokes = [{"brush": "raise", "x": 40 * k, "y": 0, "inner": 4, "outer": 16, "strength_m": 1} for k in range(batch)]
    for k in range(batches):
        time.sleep(max(0, begun + k * every_s - time.perf_counter()))
        answer, now = bench.edit(line, "commons", strokes), time.perf_counter()
        told.update((number, now) for number in range(answer["first"], answer["last"] + 1))
    return told, time.perf_counter() - begun


def judge_streams(bench, what, streams, told, limit):
    streams.end(max(told))
    late = [(one.get(number, math.inf) - at) * 1000 for one in streams.heard for number, at in told.items()]
    p50, p99 = (percentile(late, share) for share in (0.5, 0.99))
    bench.report.data[what] = {"p50_ms": p50, "p99_ms": p99, "worst_ms": max(late)}
    bench.report.judge(f"{what}: p99", p99, limit, False, "ms", f"p50 {p50:.1f} ms, the worst {max(late):.1f} ms")


def follower(bench):
    folder, copy = bench.directory / "home", bench.directory / "copy"
    bench.world(folder, "commons")
    key = bench.directory / "follow-key"
    with bench.server(folder) as home:
        key.write_text(bench.key["follow"])
        with bench.server(copy, worlds={"follow": f"http://{home.address}", "follow_key_file": str(key)}) as behind:
            while fetch(behind.address, "/world/commons/edits")[0] != 200:
                time.sleep(0.05)
            streams = Streams(behind.address, 1)
            streams.start()
            told, taken_s = acknowledged(bench, home.address, (5 if bench.quick else 30) * RATE // 5, 5, 5 / RATE)
            bench.report.say(f"{len(told):,} operations at the home, {len(told) / taken_s:.0f} a second")
            judge_streams(bench, f"a follower behind its home, {RATE} operations a second", streams, told, BEHIND_P99_PASS_MS)


def listeners(bench):
    folder = bench.directory / "heard"
    bench.world(folder, "commons")
    with bench.server(folder, http={"connections_per_address": 2 * LISTENERS}) as server:
        streams = Streams(server.address, LISTENERS)
        streams.start()
        told, _ = acknowledged(bench, server.address, 20 if bench.quick else 100, 1, 0.2)
        judge_streams(bench, f"an event at {LISTENERS:,} listeners after its acknowledgement", streams, told, HEARD_P99_PASS_MS)


# ---- Rasters ---------------------------------------------------------------------------------------------------------


def raster(bench):
    side, count = RASTER_SIDE // (8 if bench.quick else 1), 20 if bench.quick else 200
    recipes, found = bench.directory / "maps", {}
    recipes.mkdir()
    np.save(recipes / "map.npy", (np.add.outer(np.arange(side), np.arange(side)) % 999).astype("<f4"))
    for name, land in (("fractal", HILLS), ("raster", {"raster": "map.npy", "spacing_m": 8, "beyond": -100})):
        (recipes / f"{name}.json").write_text(json.dumps({**STILL, "terms": {"land": land}}))
        here = bench.directory / f"maps-{name}"
        settings = {"worlds": {"dir": str(recipes), "default": name}, "render": {"threads": 1}, "cache": {"disk_bytes": 0}}
        with Terrane(here, bench.binary, here / "cache", settings) as server:
            line = Client(server.address)
            line.get_ms(tile(SEED, -50))
            before = server.metric("terrane_stage_seconds_sum", 'stage="surface"')
            for k in range(count):
                line.get_ms(tile(SEED, k % 30, k // 30))
            made_s = server.metric("terrane_stage_seconds_sum", 'stage="surface"') - before
            found[name] = {"ready_s": server.ready_s, "rss": server.memory_bytes()["VmRSS"], "sample_ns": made_s / count / 257**2 * 1e9}
        (recipes / f"{name}.json").unlink()
    bench.report.data["raster"] = found
    one, other = found["raster"], found["fractal"]
    bench.report.say(f"a raster of {side} x {side}, float32: {one['ready_s'] - other['ready_s']:.2f} s and "
                     f"{(one['rss'] - other['rss']) / 2**20:.0f} MB more at the start; {one['sample_ns']:.1f} ns a sample, "
                     f"a fractal of {HILLS['octaves']} octaves {other['sample_ns']:.1f}")


PARTS_OF = {"writers": writers, "tiles": tiles, "untouched": untouched, "opening": opening, "follower": follower,
            "listeners": listeners, "raster": raster}


def main():
    args = arguments(__doc__, PARTS_OF)
    return run_parts(args, Bench)


if __name__ == "__main__":
    sys.exit(main())
