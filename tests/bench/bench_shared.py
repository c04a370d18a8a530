#!/usr/bin/env python3
"""What a hit in the shared tier costs above one in memory: terrane over HTTP on one connection, the store on this machine.

A first server makes tiles (terrarium PNG 256 x 256, some 92 KB) and puts them into a redis-server; a second asks for each of
them twice, one after the other: the first answer comes from the shared tier (and goes into memory, and onto disk where there
is one), the second from memory. Added is the difference of the two percentiles.

Tiles are asked for at the pace of a lively viewer, which the pass line is about, and back to back. Then 150 MB a second go
on to the disk as well, which the store, the server and this program share their cores with: what is added is their wait.

Exit status 0, whatever was measured; with --strict 2 when a pass line is missed.
"""

import contextlib
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "http"))

from bench_load import arguments, percentile, run  # noqa: E402
from bench_process import Terrane, fetch  # noqa: E402
from http_client import Connection, wait_for  # noqa: E402
from http_store import PROGRAM, Store  # noqa: E402

ADDED_P99_PASS_MS = 2
VIEWER_TILES_A_S = 100
SEED = 42


def settings(store, disk_bytes):
    return {"cache": {"shared": store.url, "disk_bytes": disk_bytes, "memory_bytes": 1 << 30,
                      "shared_timeout_ms": 1000}}


def ask_twice(server, targets, made, tiles_a_s):
    """Milliseconds of answers from the shared tier, and of those from memory; tiles_a_s 0: back to back."""
    times = {"shared": [], "memory": []}
    host, port = server.address.split(":")
    with Connection((host, int(port))) as line:
        line.ask("/tile/1/9/0/0.png?size=2")
        start = time.monotonic()
        for index, target in enumerate(targets):
            if tiles_a_s:
                time.sleep(max(0, start + index / tiles_a_s - time.monotonic()))
            for tier, taken_ms in times.items():
                begin = time.perf_counter()
                answer = line.ask(target)
                taken_ms.append((time.perf_counter() - begin) * 1000)
                if answer["X-Cache"] != tier or answer.body != made[target]:
                    raise RuntimeError(f"{target} comes from {answer['X-Cache']}, or is another")
    return times


def measure(report, directory, binary, tiles):
    targets = [f"/tile/{SEED}/3/{x}/{-x}.png?variant=base" for x in range(tiles)]
    with contextlib.closing(Store("--maxmemory", "1gb", "--maxmemory-policy", "allkeys-lru")) as store:
        with Terrane(directory / "first", binary, directory / "none", settings(store, 0)) as first:
            wait_for(lambda: first.metric("terrane_shared_breaker_open") == 0, what="a tier that is well")
            made = {target: fetch(first.address, target)[2] for target in targets}
            wait_for(lambda: first.metric("terrane_shared_stores_total") >= tiles, what="tiles in the store")
        report.say(f"{tiles} tiles of {statistics.mean(map(len, made.values())) / 1000:.0f} KB on average, one connection")
        for name, disk_bytes in (("memory alone", 0), ("memory and disk", 1 << 30)):
            for pace, tiles_a_s in (("a viewer's pace", VIEWER_TILES_A_S), ("back to back", 0)):
                label = f"{name}, {pace}"
                folder = directory / label.replace(" ", "-")
                with Terrane(folder, binary, folder / "cache", settings(store, disk_bytes)) as server:
                    wait_for(lambda: server.metric("terrane_shared_breaker_open") == 0, what="a tier that is well")
                    added = say_times(report, label, ask_twice(server, targets, made, tiles_a_s))
                if tiles_a_s:
                    report.judge(f"shared hit, added at p99 ({name})", added[0.99], ADDED_P99_PASS_MS, False, "ms",
                                 f"at p50 {added[0.5]:.3f} ms")


def say_times(report, label, times):
    """What the shared tier adds, by share."""
    report.say(f"\n  below the shared tier: {label}")
    found = {}
    for tier, taken_ms in times.items():
        found[tier] = {share: percentile(taken_ms, share) for share in (0.5, 0.9, 0.99, 0.999)}
        report.say(f"    {tier:<8}" + "".join(f"  p{share * 100:<5g}{ms:8.3f} ms" for share, ms in found[tier].items()))
    added = {share: found["shared"][share] - found["memory"][share] for share in found["shared"]}
    report.say("    added   " + "".join(f"  p{share * 100:<5g}{ms:8.3f} ms" for share, ms in added.items()))
    report.data[label] = {"shared_ms": found["shared"], "memory_ms": found["memory"], "added_ms": added}
    return added


def main():
    args = arguments(__doc__)
    if not PROGRAM:
        sys.exit("bench_shared: there is no redis-server")
    return run(args, lambda report, directory: measure(report, directory, args.terrane, 300 if args.quick else 1500))


if __name__ == "__main__":
    sys.exit(main())
