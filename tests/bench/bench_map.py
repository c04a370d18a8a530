#!/usr/bin/env python3
"""What maps with names ask: /find from places where nothing is there yet, vector tiles that are, and how many labels a view has.

A find's server is new, with empty caches, and so is each place: where nothing is found, how far was looked is told. Views are 1,440 x 900
pixels of a client whose vector tiles have 512, around the recipe's spawn.
"""

import json
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "http"))
from bench_load import arguments, run  # noqa: E402
from bench_process import Terrane, fetch  # noqa: E402
from http_mvt import read_mvt  # noqa: E402

SEED, FAR_M = 42, 8e6
KINDS = {"continents": ["peak", "lake", "river", "mouth", "coast", "zone:forest", "cover:forest"], "wayfarer": ["place", "town", "cave"]}
FIND_PASS_S, WARM_PASS_MS, CONTOURS_PASS_MS = 0.5, 4, 1
LABELS = (5, 40)
VIEW, TILE, Z0 = (1440, 900), 512, 18


def find(directory, binary, recipe, what, place):
    """Seconds, and how far was looked where there is none."""
    with Terrane(directory, binary, directory / "cache", {"render": {"deadline_ms": 60000}}) as terrane:
        began = time.perf_counter()
        status, _, body = fetch(terrane.address, f"/find/{SEED}?recipe={recipe}&what={what}&x={place[0]:.0f}&y={place[1]:.0f}")
        took = time.perf_counter() - began
    if status != 200:
        raise RuntimeError(f"/find of {what}: {status} {body[:200]!r}")
    answer = json.loads(body)
    return took, 0 if answer["features"] else answer["search"]["reach_m"]


def finds(report, directory, binary, count):
    draw = random.Random(20)
    places = [(draw.uniform(-FAR_M, FAR_M), draw.uniform(-FAR_M, FAR_M)) for _ in range(count)]
    for recipe, kinds in KINDS.items():
        for what in kinds:
            found = [find(directory / f"{recipe}-{what.replace(':', '-')}-{k}", binary, recipe, what, place) for k, place in enumerate(places)]
            none = [reach for _, reach in found if reach]
            told = f"{count - len(none)} found" + (f", else within {min(none) / 1000:.0f} .. {max(none) / 1000:.0f} km" if none else "")
            report.judge(f"/find of a {what}, {recipe}, cold", statistics.median(s for s, _ in found), FIND_PASS_S, False, "s",
                         f"p50 of {count} places, at most {max(s for s, _ in found):.2f} s; {told}")


def tiles_of(world, zoom):
    """Tiles of the view around the spawn, and where each lies in it, in pixels."""
    side = world["spacing_m"] * 256 * 2 ** Z0
    middle = [(world["spawn"][axis] / side + 0.5) * TILE * 2 ** zoom for axis in "xy"]
    west, north = (at - pixels / 2 for at, pixels in zip(middle, VIEW))
    for x in range(int(west // TILE), int((west + VIEW[0]) // TILE) + 1):
        for y in range(int(north // TILE), int((north + VIEW[1]) // TILE) + 1):
            yield x, y, x * TILE - west, y * TILE - north


def labels_in_view(terrane, recipe, world, zoom):
    labels = 0
    for x, y, left, top in tiles_of(world, zoom):
        status, _, body = fetch(terrane.address, f"/xyz/{SEED}/{zoom}/{x}/{y}.mvt?recipe={recipe}")
        if status != 200:
            raise RuntimeError(f"{zoom}/{x}/{y}.mvt: {status} {body[:200]!r}")
        for label in read_mvt(body).get("label", []):
            px, py = (at / 4096 * TILE + off for at, off in zip(label.lines[0][0], (left, top)))
            labels += 0 <= px < VIEW[0] and 0 <= py < VIEW[1]
    return labels


def labels(report, directory, binary, recipes, zooms):
    with Terrane(directory, binary, directory / "cache", {"render": {"deadline_ms": 60000}}) as terrane:
        for recipe in recipes:
            world = json.loads(fetch(terrane.address, f"/world/{SEED}?recipe={recipe}")[2])
            counts = {zoom: labels_in_view(terrane, recipe, world, zoom) for zoom in zooms}
            off = [zoom for zoom, count in counts.items() if not LABELS[0] <= count <= LABELS[1]]
            report.judge(f"zooms of {recipe} with other than {LABELS[0]} .. {LABELS[1]} labels in view", len(off), 0, False, "",
                         "labels at each: " + ", ".join(f"{zoom}: {count}" for zoom, count in counts.items()))
        target = f"/xyz/{SEED}/10/511/511.mvt"
        took = []
        for _ in range(12):
            began = time.perf_counter()
            fetch(terrane.address, target)
            took.append(1000 * (time.perf_counter() - began))
        heights = fetch(terrane.address, f"/tile/{SEED}/9/-3/1.f32")[2]
        report.judge("mvt of a tile that is there", statistics.median(took[2:]), WARM_PASS_MS, False, "ms", "median of 10, each on a connection of its own")
    ms, lines = subprocess.run([os.environ["BENCH_CONTOURS"], "200"], input=heights, capture_output=True, check=True).stdout.split()
    report.judge("contours of a 257 x 257 grid", float(ms), CONTOURS_PASS_MS, False, "ms", f"median of 51, {int(lines)} lines")  # its server is gone


def main():
    args = arguments(__doc__)

    def measure(report, directory):
        finds(report, directory, args.terrane, 2 if args.quick else 20)
        labels(report, directory / "labels", args.terrane, ["continents"] if args.quick else ["continents", "alpine", "archipelago", "badlands", "desert", "wayfarer"],
               [6, 11] if args.quick else range(4, 16))
    return run(args, measure)


if __name__ == "__main__":
    sys.exit(main())
