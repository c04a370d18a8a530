#!/usr/bin/env python3
"""What a world's paths add to a tile: one render thread, the whole server held on one core, the recipe wayfarer.

    cold   f32 tiles of level 0, far apart, that two lines or more cross: carved in one fresh server, eroded in another; no
           region of either has been made
    warm   the same tiles as npy, which are made again from regions that memory holds

Added is the difference, tile by tile; the pass lines are about the median of those. The places are found by a server of their
own, from the lines of /path.

Exit status 0, whatever was measured; with --strict 2 when a pass line is missed.
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
from pathlib import Path

from bench_load import Report
from bench_process import busy_share, fetch
from bench_regions import Alone, Client

SEED = 42
AROUND = 1 << 20  # tiles from the origin to either side
BLOCK = 8  # tiles on a side of the window that is looked through for lines
COLD_PASS_MS, WARM_PASS_MS = 60, 1


def server(directory, name, binary):
    settings = {"render": {"threads": 1, "deadline_ms": 60000}, "cache": {"disk_bytes": 0, "memory_bytes": 1 << 30},
                "worlds": {"default": "wayfarer"}}
    return Alone(directory / name, binary, directory / name / "cache", settings)


def get(terrane, target):
    status, _, body = fetch(terrane.address, target)
    if status != 200:
        raise RuntimeError(f"{target} answers {status}: {body[:200]}")
    return body


def crossed(terrane, x, y):
    """Tiles of a block that two lines or more cross."""
    where = f"x0={x * 256}&y0={y * 256}&w={BLOCK * 256}&h={BLOCK * 256}"
    if len(json.loads(get(terrane, f"/path/{SEED}?{where}"))["features"]) < 2:
        return None
    for j in range(BLOCK):
        for i in range(BLOCK):
            facts = json.loads(get(terrane, f"/tile/{SEED}/0/{x + i}/{y + j}.json"))
            if len(facts["paths"]) >= 2:
                return x + i, y + j
    return None


def find(terrane, count):
    """Tiles far apart, of which no two share a region."""
    draw, found = random.Random(8), []
    while len(found) < count:
        place = crossed(terrane, *(draw.randrange(-AROUND, AROUND) for _ in range(2)))
        found += [place] if place else []
    return found


def ask(terrane, places, variant, ending):
    """Milliseconds, and bodies."""
    client = Client(terrane.address)
    answers = [client.get_ms(f"/tile/{SEED}/0/{x}/{y}.{ending}?variant={variant}") for x, y in places]
    client.close()
    return [ms for ms, _ in answers], [body for _, body in answers]


def measure(report, directory, binary, count):
    with server(directory, "scout", binary) as scout:
        places = find(scout, count)
    ms, bodies = {}, {}
    for variant in ("eroded", "carved"):
        with server(directory, variant, binary) as terrane:
            for state, ending in (("cold", "f32"), ("warm", "npy")):
                ms[state, variant], bodies[state, variant] = ask(terrane, places, variant, ending)
    if any(a == b for a, b in zip(bodies["cold", "carved"], bodies["cold", "eroded"])):
        raise RuntimeError("a tile that lines cross is not carved")
    for state, line in (("cold", COLD_PASS_MS), ("warm", WARM_PASS_MS)):
        added = [carved - eroded for carved, eroded in zip(ms[state, "carved"], ms[state, "eroded"])]
        report.say(f"  {state:<6} eroded {statistics.median(ms[state, 'eroded']):8.2f} ms   carved "
                   f"{statistics.median(ms[state, 'carved']):8.2f} ms   added {min(added):.2f} .. {max(added):.2f} ms")
        report.data[state] = {"eroded_ms": ms[state, "eroded"], "carved_ms": ms[state, "carved"]}
        report.judge(f"{state} tile that two lines cross, added", statistics.median(added), line, False, "ms",
                     f"median of {len(added)} tiles")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--terrane", default="build/terrane")
    parser.add_argument("--json", help="where to leave what was measured")
    parser.add_argument("--quick", action="store_true", help="fewer tiles")
    parser.add_argument("--strict", action="store_true", help="exit status 2 when a pass line is missed")
    args = parser.parse_args()
    report = Report()
    report.say(f"machine: {busy_share():.0%} busy with other things")
    with tempfile.TemporaryDirectory(prefix="terrane-bench-") as directory:
        measure(report, Path(directory), Path(args.terrane).resolve(), 8 if args.quick else 30)
    report.table()
    if args.json:
        Path(args.json).parent.mkdir(parents=True, exist_ok=True)
        Path(args.json).write_text(json.dumps({"rows": report.rows, **report.data}, indent=1) + "\n")
    return 2 if args.strict and not report.passed() else 0


if __name__ == "__main__":
    sys.exit(main())
