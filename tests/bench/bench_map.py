#!/usr/bin/env python3
"""What maps with names ask: /find from places where nothing is there yet, vector tiles that are, and how many labels a view has.

A find's server is new, with empty caches, and so is each place: where nothing is found, how far was looked is told. Views are 1,440 x 900
pixels of a client whose vector tiles have 512, around the recipe's spawn; four of a view's tiles are asked for at once.

Each kind and each recipe says what was measured as soon as it was, and has a bound of time: a kind that reaches it is judged by the places it
had, at least three of them; a recipe's zooms that were not reached count as missed.
"""

import json
import os
import random
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
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
FINDS_MOST_S, VIEWS_MOST_S, PLACES_LEAST, AT_ONCE = 120, 300, 3, 4


def find(directory, binary, recipe, what, place):
    """Seconds, and how far was looked where there is none."""
    with Terrane(directory, binary, directory / "cache", {"render": {"deadline_ms": 60000}}) as terrane:
        began = time.perf_counter()
        status, _, body = fetch(terrane.address, f"/find/{SEED}?recipe={recipe}&what={what}&x={place[0]:.0f}&y={place[1]:.0f}")
        took = time.perf_counter() - began
    if status != 200:
        raise RuntimeError(f"/find of {what}: {status} {body[:200]!r}")
    answer = json.loads(body)
    return took, 0 if answer["features"] else answer["search"]["levels"][-1]["reach_m"]


def find_all(directory, binary, recipe, what, places):
    """What find() has of the places, of fewer where their time is over."""
    until = time.monotonic() + FINDS_MOST_S
    for k, place in enumerate(places):
        if k >= PLACES_LEAST and time.monotonic() > until:
            return
        yield find(directory / f"{recipe}-{what.replace(':', '-')}-{k}", binary, recipe, what, place)


def finds(report, directory, binary, count):
    draw = random.Random(20)
    places = [(draw.uniform(-FAR_M, FAR_M), draw.uniform(-FAR_M, FAR_M)) for _ in range(count)]
    for recipe, kinds in KINDS.items():
        for what in kinds:
            found = list(find_all(directory, binary, recipe, what, places))
            none = [reach for _, reach in found if reach]
            told = f"{len(found) - len(none)} found" + (f", else within {min(none) / 1000:.0f} .. {max(none) / 1000:.0f} km" if none else "")
            middle, most = statistics.median(s for s, _ in found), max(s for s, _ in found)
            report.say(f"  /find of a {what}, {recipe}: p50 {middle:.2f} s, at most {most:.2f} s, {len(found)} places; {told}")
            report.judge(f"/find of a {what}, {recipe}, cold", middle, FIND_PASS_S, False, "s", f"p50 of {len(found)} places, at most {most:.2f} s; {told}")


def tiles_of(world, zoom):
    """Tiles of the view around the spawn, and where each lies in it, in pixels."""
    side = world["spacing_m"] * 256 * 2 ** Z0
    middle = [(world["spawn"][axis] / side + 0.5) * TILE * 2 ** zoom for axis in "xy"]
    west, north = (at - pixels / 2 for at, pixels in zip(middle, VIEW))
    for x in range(int(west // TILE), int((west + VIEW[0]) // TILE) + 1):
        for y in range(int(north // TILE), int((north + VIEW[1]) // TILE) + 1):
            yield x, y, x * TILE - west, y * TILE - north


def labels_of_tile(terrane, recipe, zoom, tile):
    x, y, left, top = tile
    status, _, body = fetch(terrane.address, f"/xyz/{SEED}/{zoom}/{x}/{y}.mvt?recipe={recipe}")
    if status != 200:
        raise RuntimeError(f"{zoom}/{x}/{y}.mvt: {status} {body[:200]!r}")
    places = [(at / 4096 * TILE + off for at, off in zip(label.lines[0][0], (left, top))) for label in read_mvt(body).get("label", [])]
    return sum(0 <= px < VIEW[0] and 0 <= py < VIEW[1] for px, py in places)


def labels_in_views(report, terrane, recipe, zooms):
    """How many labels the view of each zoom has that was reached."""
    until = time.monotonic() + VIEWS_MOST_S
    world = json.loads(fetch(terrane.address, f"/world/{SEED}?recipe={recipe}")[2])
    counts = {}
    with ThreadPoolExecutor(AT_ONCE) as ask:
        for zoom in zooms:
            if time.monotonic() > until:
                break
            counts[zoom] = sum(ask.map(lambda tile, zoom=zoom: labels_of_tile(terrane, recipe, zoom, tile), tiles_of(world, zoom)))
            report.say(f"  labels of {recipe} in view at zoom {zoom}: {counts[zoom]}")
    return counts


def labels(report, directory, binary, recipes, zooms):
    with Terrane(directory, binary, directory / "cache", {"render": {"deadline_ms": 60000}}) as terrane:
        for recipe in recipes:
            counts = labels_in_views(report, terrane, recipe, zooms)
            off = [zoom for zoom in zooms if not LABELS[0] <= counts.get(zoom, 0) <= LABELS[1]]
            report.judge(f"zooms of {recipe} with other than {LABELS[0]} .. {LABELS[1]} labels in view", len(off), 0, False, "",
                         "labels at each: " + ", ".join(f"{zoom}: {counts.get(zoom, 'not reached')}" for zoom in zooms))
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
    def find_part(report, directory, args):
        finds(report, directory, args.terrane, 2 if args.quick else 20)

    def label_part(report, directory, args):
        labels(report, directory / "labels", args.terrane, ["continents"] if args.quick else ["continents", "alpine", "archipelago", "badlands", "desert", "wayfarer"],
               [6, 11] if args.quick else range(4, 16))

    args = arguments(__doc__, {"finds": find_part, "labels": label_part})

    def measure(report, directory):
        for part in args.parts:
            part(report, directory, args)
    return run(args, measure)


if __name__ == "__main__":
    sys.exit(main())
