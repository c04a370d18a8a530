#!/usr/bin/env python3
"""terrane over HTTP beside nginx, on this machine, with wrk.

    hot     an 8 KB and a 92 KB tile from terrane's memory, the same bytes as files of nginx,
            and 304 for a tile that was never made. Runs in turn; a pass line judges a ratio of
            medians, and the median of the rounds' own ratios stands beside it.
    cold    terrarium PNG 256 x 256, every request a new tile of level 0, and f32 257 x 257. "A core" is the
            rate over the number of cores that terrane and wrk share; beside it stand tiles a CPU second of
            terrane's process, which are what to read on a busy machine.
    start   wall time from before exec to the ready line: with no cache directory, and with 1 GiB in it, each
            time dropped from the page cache before. For the full one also the time to a tile from the disk.
    memory  resident memory after cold and hot load, less the configured budgets.

Exit status 0, whatever was measured; with --strict 2 when a pass line is missed. Everything it starts is
ended and its temporary directory removed, on errors and signals, too.
"""

import contextlib
import os
import statistics
import sys
import time
from pathlib import Path

from bench_load import Fresh, arguments, ratio_by_round, run_parts, wrk
from bench_process import Nginx, Terrane, fetch, which

SEED = 42
SIZES = {"8 KB": 8192, "92 KB": 92000}
HOT_PASS = {"8 KB": 1.2, "92 KB": 0.95}
START_PASS_S = {"empty": 0.2, "full": 0.5}
HOT_CONNECTIONS, COLD_CONNECTIONS = 32, 8
CORES = len(os.sched_getaffinity(0))
MIB, GIB = 1 << 20, 1 << 30


class Bench:
    """What the parts share."""

    def __init__(self, args, report, directory):
        self.binary, self.report, self.directory = args.terrane, report, directory
        self.quick = args.quick
        self.rounds = 3 if args.quick else 5
        self.run_s = 1 if args.quick else 4
        report.data["cores"] = CORES

    def terrane(self, name, settings=None, cache=None):
        """A terrane with a cache directory of its own, or the one given."""
        directory = self.directory / name
        return Terrane(directory, self.binary, cache or directory / "cache", settings)


# ---- Hot ------------------------------------------------------------------------------------------------


def find_tile(address, want_bytes):
    """(target, bytes) of a terrane tile whose size is want_bytes, within a tenth: coarser ones have more bytes, whatever the world."""
    sizes = []
    for level in range(14):
        for size, enc in ((64, "terrarium"), (256, "terrarium"), (256, "gray16")):
            target = f"/tile/{SEED}/{level}/3/-7.png?variant=base&size={size}&enc={enc}"
            status, _, body = fetch(address, target)
            if status != 200:
                raise RuntimeError(f"{target} answers {status}")
            if abs(len(body) - want_bytes) <= want_bytes / 10:
                return target, body
            sizes.append(len(body))
    raise RuntimeError(f"no tile near {want_bytes} bytes: there are {sorted(sizes)}")


def header_bytes(headers):
    return sum(len(k) + len(v) + 4 for k, v in headers.items())


def check_same_bytes(servers, targets, tile):
    """Every server answers 200 with the tile, terrane from memory; returns the sizes of their headers."""
    sizes = {}
    for server in servers:
        for _ in range(2):
            status, headers, body = fetch(server.address, targets[server.name])
        if status != 200 or body != tile:
            raise RuntimeError(f"{server.name} answers {status} with {len(body)} bytes, not the tile")
        if isinstance(server, Terrane) and headers.get("x-cache") != "memory":
            raise RuntimeError(f"the hot tile comes from {headers.get('x-cache')}, not from memory")
        sizes[server.name] = header_bytes(headers)
    return sizes


def unmade_tile(terrane):
    """Target and ETag of a tile that nobody has made: HEAD makes nothing."""
    target = f"/tile/{SEED}/1/1000/-1000.png"
    status, headers, _ = fetch(terrane.address, target, method="HEAD")
    if status != 200:
        raise RuntimeError(f"HEAD {target} answers {status}")
    status, _, body = fetch(terrane.address, target, {"If-None-Match": headers["etag"]})
    if status != 304 or body:
        raise RuntimeError(f"If-None-Match answers {status} with {len(body)} bytes")
    return target, headers["etag"]


def hot_rounds(bench, servers, targets, extra=()):
    """({name: [requests a second, ...]}, {name: [CPU microseconds a request, ...]}).

    extra: more runs of a round, as (name, server, target, headers).
    """
    rates, costs = {}, {}
    runs = [(s.name, s, targets[s.name], ()) for s in servers] + list(extra)
    for _, server, target, headers in runs:
        wrk(server.address, target, HOT_CONNECTIONS, 1, headers)
    for _ in range(bench.rounds):
        for name, server, target, headers in runs:
            cpu = server.cpu_s()
            result = wrk(server.address, target, HOT_CONNECTIONS, bench.run_s, headers)
            rates.setdefault(name, []).append(result["requests_per_s"])
            costs.setdefault(name, []).append((server.cpu_s() - cpu) / result["requests"] * 1e6)
    return rates, costs


def print_hot(bench, label, tile, rates, costs, headers):
    bench.report.say(f"\n  {label}: {len(tile):,} bytes, wrk -t1 -c{HOT_CONNECTIONS}, "
                     f"{bench.rounds} rounds of {bench.run_s} s in turn")
    for name, values in rates.items():
        spread = f"{min(values):,.0f} .. {max(values):,.0f}"
        size = f"headers {headers[name]} B" if name in headers else ""
        rate = f"{statistics.median(values):,.0f}/s"
        cost = f"{statistics.median(costs[name]):.1f} us of CPU"
        bench.report.say(f"    {name:<14} {rate:>12}   {spread:<20} {cost:<16} {size}".rstrip())


def hot(bench):
    """Hot tiles and 304."""
    report = bench.report
    report.say("Hot tiles")
    with contextlib.ExitStack() as stack:
        terrane = stack.enter_context(bench.terrane("hot"))
        files = bench.directory / "files"
        files.mkdir()
        tiles = {}
        for label, want in SIZES.items():
            target, tile = find_tile(terrane.address, want)
            name = label.replace(" ", "").lower() + ".png"
            (files / name).write_bytes(tile)
            tiles[label] = (target, "/" + name, tile)

        servers = [terrane, stack.enter_context(Nginx(bench.directory / "nginx", files))]

        unmade, etag = unmade_tile(terrane)
        renders = terrane.metric("terrane_renders_total")
        not_modified_before = terrane.metric("terrane_requests_total", 'status="304"')

        not_modified = ("terrane 304", terrane, unmade, [f"If-None-Match: {etag}"])

        for label, (target, file, tile) in tiles.items():
            targets = {s.name: file for s in servers} | {"terrane": target}
            headers = check_same_bytes(servers, targets, tile)
            extra = [not_modified] if label == "8 KB" else []
            rates, costs = hot_rounds(bench, servers, targets, extra)
            print_hot(bench, label, tile, rates, costs, headers)
            report.data[f"hot {label}"] = {"target": target, "bytes": len(tile), "requests_per_s": rates,
                                           "cpu_us": costs, "header_bytes": headers}
            ours, nginx = rates["terrane"], rates["nginx"]
            report.judge(f"hot {label} / nginx", statistics.median(ours) / statistics.median(nginx),
                         HOT_PASS[label], True, "x", f"by round {ratio_by_round(ours, nginx):.2f}")
            if extra:
                others = rates["terrane 304"]
                report.judge("304 / hot 8 KB", statistics.median(others) / statistics.median(ours), 1.0, True,
                             "x", f"by round {ratio_by_round(others, ours):.2f}")
        answers = terrane.metric("terrane_requests_total", 'status="304"') - not_modified_before
        if answers < 0.9 * sum(report.data["hot 8 KB"]["requests_per_s"]["terrane 304"]) * bench.run_s:
            raise RuntimeError(f"terrane counts {answers:.0f} answers 304: fewer than wrk had")
        report.judge("304 and hot: terrane_renders_total moved by",
                     terrane.metric("terrane_renders_total") - renders, 0, False)


# ---- Cold -----------------------------------------------------------------------------------------------


def cold_run(terrane, fresh, suffix, seconds):
    """One run in which every tile is new."""
    script = fresh.script(suffix)
    renders, cpu = terrane.metric("terrane_renders_total"), terrane.cpu_s()
    result = wrk(terrane.address, "/", COLD_CONNECTIONS, seconds, script=script)
    result["cpu_s"] = terrane.cpu_s() - cpu
    result["renders"] = terrane.metric("terrane_renders_total") - renders
    if result["renders"] < result["requests"]:
        raise RuntimeError(f"cold tiles: {result['requests']} answers from {result['renders']:.0f} renders")
    result["per_core"] = result["requests_per_s"] / CORES
    result["per_cpu_s"] = result["renders"] / result["cpu_s"]
    return result


def cold(bench):
    """New tiles before erosion; eroded ones are what bench_regions.py measures."""
    report = bench.report
    seconds = 2 if bench.quick else 5
    rounds = 2 if bench.quick else 3
    png, f32 = [], []
    report.say(f"\nCold tiles: wrk -t1 -c{COLD_CONNECTIONS}, {rounds} rounds of {seconds} s, {CORES} cores\n")
    with bench.terrane("cold") as terrane:
        fresh = Fresh(bench.directory / "cold.lua", SEED)
        cold_run(terrane, fresh, ".png?variant=base", 1)
        for _ in range(rounds):
            png.append(cold_run(terrane, fresh, ".png?variant=base", seconds))
            f32.append(cold_run(terrane, fresh, ".f32?variant=base", seconds))
        metrics = terrane.metrics()
    report.data["cold"] = {"png": png, "f32": f32, "not_stored": metrics.get("terrane_disk_dropped_total")}

    def middle(runs, key):
        return statistics.median(r[key] for r in runs)

    for name, runs in (("terrarium 256 png", png), ("f32 257", f32)):
        rates = (f"{middle(runs, 'requests_per_s'):>8,.0f} tiles/s, {middle(runs, 'per_core'):,.0f} a core, "
                 f"{middle(runs, 'per_cpu_s'):,.0f} a CPU second")
        waits = f"p50 {middle(runs, 'p50_s') * 1e3:.1f} ms, p99 {middle(runs, 'p99_s') * 1e3:.1f} ms"
        report.say(f"    {name:<18} {rates}; {waits}")
    report.judge("cold terrarium PNG 256, tiles/s a core", middle(png, "per_core"), 450, True, "/s",
                 f"{middle(png, 'per_cpu_s'):,.0f} a CPU second")


# ---- Start ----------------------------------------------------------------------------------------------


def fill(bench, cache, settings, want_bytes):
    """Runs new f32 tiles through a terrane until its disk tier holds want_bytes or evicts.

    Returns its bytes on the disk and the targets of some tiles in it.
    """
    with bench.terrane("fill", settings, cache) as terrane:
        fresh = Fresh(bench.directory / "fill.lua", SEED)
        end = time.monotonic() + 240
        while time.monotonic() < end:
            run = wrk(terrane.address, "/", COLD_CONNECTIONS, 2, script=fresh.script(".f32?variant=base"))
            metrics = terrane.metrics()
            if (metrics['terrane_cache_bytes{tier="disk"}'] >= want_bytes
                    or metrics['terrane_cache_evictions_total{tier="disk"}'] > 0):
                break
    # Its end has written what was queued. Not all went in: the queue drops what the disk cannot take in time.
    held = sum(p.stat().st_size for p in Path(cache).iterdir())
    with bench.terrane("filled", settings, cache) as terrane:
        targets = [fresh.target(n, ".f32?variant=base") for n in range(0, run["requests"], max(1, run["requests"] // 100))]
        return held, [t for t in targets if fetch(terrane.address, t)[1].get("x-cache") == "disk"]


def first_from_disk_s(terrane, targets):
    """Seconds from exec to the first answer from the disk; a miss is tried again with another tile."""
    for target in targets:
        if fetch(terrane.address, target)[1].get("x-cache") == "disk":
            return time.perf_counter() - terrane.started
    raise RuntimeError(f"none of {len(targets)} stored tiles comes from the disk after a restart")


def drop_page_cache(directory):
    """Writes the directory's files out and asks the kernel to forget their pages."""
    for path in Path(directory).iterdir():
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def start(bench):
    """Start to ready, with an empty and with a full cache."""
    report = bench.report
    starts = 5 if bench.quick else 11
    settings = {"cache": {"disk_bytes": GIB}}
    full = bench.directory / "full"
    report.say(f"\nStart to ready, {starts} starts each")
    held, targets = fill(bench, full, settings, int(0.97 * GIB))
    times = {"empty": [], "full": [], "tile from the disk": []}
    for k in range(starts):
        with bench.terrane(f"start{k}", settings) as terrane:
            times["empty"].append(terrane.ready_s)
        drop_page_cache(full)
        with bench.terrane(f"restart{k}", settings, full) as terrane:
            times["full"].append(terrane.ready_s)
            times["tile from the disk"].append(first_from_disk_s(terrane, targets))
            rows = terrane.metrics()['terrane_cache_entries{tier="disk"}']
    report.data["start"] = {"seconds": times, "full_bytes": held, "full_tiles": rows}
    report.say(f"    the full cache holds {held / GIB:.2f} GiB in {rows:,.0f} tiles")
    for name, seconds in times.items():
        middle, worst = statistics.median(seconds), max(seconds)
        report.say(f"    {name:<20} median {middle * 1e3:.1f} ms, worst {worst * 1e3:.1f} ms")
        if name in START_PASS_S:
            report.judge(f"start to ready, {name} cache", middle, START_PASS_S[name], False, "s",
                         f"worst {worst:.3f} s")
    if held < 0.9 * GIB:
        raise RuntimeError(f"the full cache holds {held / GIB:.2f} GiB only")


# ---- Memory ---------------------------------------------------------------------------------------------


def memory(bench):
    """Resident memory after load."""
    report = bench.report
    budgets = {"memory_bytes": 32 * MIB, "write_behind_bytes": 8 * MIB}
    seconds = 2 if bench.quick else 5
    with bench.terrane("memory", {"cache": {**budgets, "disk_bytes": 256 * MIB}}) as terrane:
        at_start = terrane.memory_bytes()["VmRSS"]
        fresh = Fresh(bench.directory / "memory.lua", SEED)
        cold_run(terrane, fresh, ".png?variant=base", seconds)
        cold_run(terrane, fresh, ".f32?variant=base", seconds)
        target, _ = find_tile(terrane.address, SIZES["92 KB"])
        wrk(terrane.address, target, HOT_CONNECTIONS, seconds)
        resident = terrane.memory_bytes()
    beside = resident["VmRSS"] - sum(budgets.values())
    peak = resident["VmHWM"] - sum(budgets.values())
    report.data["memory"] = {"budgets": budgets, "at_start": at_start, "after": resident}
    report.say(f"\nMemory: {at_start / MIB:.1f} MiB at the start; "
               f"after load {resident['VmRSS'] / MIB:.1f} MiB, peak {resident['VmHWM'] / MIB:.1f} MiB; "
               f"budgets {sum(budgets.values()) / MIB:.0f} MiB")
    report.judge("memory beside the configured budgets", beside / 1e6, 40, False, "MB",
                 f"at its peak {peak / 1e6:.1f} MB")


PARTS = {"hot": hot, "cold": cold, "start": start, "memory": memory}


def main():
    args = arguments(__doc__, PARTS)
    for command in ("wrk", "nginx"):
        if which(command) is None:
            sys.exit(f"bench_http: no {command} here: make deps-bench")
    return run_parts(args, Bench)


if __name__ == "__main__":
    sys.exit(main())
