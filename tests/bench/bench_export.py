#!/usr/bin/env python3
"""`terrane export` against /region of the same ground, both with a thread a core and nothing at hand: heights of 8 x 8 Landscapes of 1009.

/region is asked for windows as large as it has them, one after the other, each with all workers. Rounds of both take turns; the bytes of
a tile are those of its window where both have the world's range. CPU time of both, servers' included, stands beside: read that on a busy machine.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import time

from bench_load import arguments, ratio_by_round, run
from bench_process import Terrane, fetch

SIZE, STEP, MOST = 1009, 1008, 4033
CENTRE = (-262729, 217698)  # hills with rivers, no sea
RATIO_PASS = 1.0


def children_s():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def export(binary, folder, tiles, more=()):
    """Seconds, and CPU seconds."""
    before, began = children_s(), time.perf_counter()
    subprocess.run([binary, "export", folder, "--engine", "unreal", "--center", f"{CENTRE[0]},{CENTRE[1]}", "--tiles", f"{tiles}x{tiles}", "--quiet",
                    "--layers", "height", *more], check=True)
    return time.perf_counter() - began, children_s() - before


def regions(binary, directory, corner, side):
    """Seconds, CPU seconds of the server, and the first window."""
    first = None
    with Terrane(directory, binary, directory / "cache", {"render": {"deadline_ms": 60000}, "cache": {"disk_bytes": 0}}) as terrane:
        before, began = terrane.cpu_s(), time.perf_counter()
        for y in range(0, side - 1, MOST - 1):
            for x in range(0, side - 1, MOST - 1):
                w, h = min(MOST, side - x), min(MOST, side - y)
                status, _, body = fetch(terrane.address, f"/region/42.r16?x0={corner[0] + x}&y0={corner[1] + y}&w={w}&h={h}&lod=0")
                if status != 200 or len(body) != 2 * w * h:
                    raise RuntimeError(f"/region answers {status} with {len(body)} bytes")
                first = first or (w, body)
        return time.perf_counter() - began, terrane.cpu_s() - before, first


def main():
    args = arguments(__doc__)

    def measure(report, directory):
        tiles, rounds = (2, 1) if args.quick else (8, 3)
        took, used, there, there_used = [], [], [], []
        for k in range(rounds):
            folder = directory / f"set{k}"
            for list_, value in zip((took, used), export(args.terrane, folder, tiles)):
                list_.append(value)
            corner = json.loads((folder / "set.json").read_text())["set"]["north_west"]
            wall, cpu, (width, body) = regions(args.terrane, directory / f"server{k}", corner, tiles * STEP + 1)
            there.append(wall)
            there_used.append(cpu)
        whole, _ = export(args.terrane, directory / "world", tiles, ("--range", "world"))
        tile = (directory / "world/height_x0_y0.r16").read_bytes()
        if any(tile[2 * SIZE * j:2 * SIZE * (j + 1)] != body[2 * width * j:2 * width * j + 2 * SIZE] for j in range(SIZE)):
            raise RuntimeError("a tile is another than /region has")
        cores = len(os.sched_getaffinity(0))
        note = f"{statistics.median(took):.2f} s to {statistics.median(there):.2f} s, {cores} cores; CPU {statistics.median(used):.2f} s to {statistics.median(there_used):.2f} s"
        report.judge(f"export of {tiles} x {tiles} of 1009, times /region", ratio_by_round(took, there), RATIO_PASS, False, "", note)
        report.judge("... with the world's range, which is known before", whole / statistics.median(there), RATIO_PASS, False, "", f"{whole:.2f} s")
    return run(args, measure)


if __name__ == "__main__":
    sys.exit(main())
