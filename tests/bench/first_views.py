#!/usr/bin/env python3
"""First views: how many show no land, and what the places are like where worlds are begun.

For each recipe and seed the view that TileJSON's center and zoom give: 1,024 x 768 pixels of a client whose tiles have 256 of them,
and its inner half, which one of 512 shows; looked at in every fourth sample of the ground as it is served. And the spawn of
/world held against /point: it is to be dry, gentler than ten degrees, and as high as it says.

Tiles are kept in build/first-views: a second run takes seconds. 40 seeds of six recipes take some ten minutes of two cores at first.

Exit status 1 where a spawn is wrong, or more than a tenth of a recipe's views have no land.
"""

import argparse
import array
import concurrent.futures
import json
import sys
import time
from pathlib import Path

from bench_process import Terrane, fetch

ROOT = Path(__file__).resolve().parents[2]
Z0 = 18  # the web map's zoom of level 0
WIDE, HIGH, COARSER = 1024, 768, 2
STEEP_DEGREES, OFF_M = 10, 0.01


def json_of(address, target):
    for _ in range(20):
        status, headers, body = fetch(address, target)
        if status == 200:
            return json.loads(body)
        if status not in (429, 503):
            break
        time.sleep(int(headers.get("retry-after", 1)))
    raise RuntimeError(f"{target}: {status} {body[:200]!r}")


def land(address, seed, recipe, level, world):
    """Shares of land of the view and of its inner half."""
    lod, spawn = level + COARSER, world["spawn"]
    step_m = world["spacing_m"] * 2 ** lod
    wide, high = WIDE >> COARSER, HIGH >> COARSER
    x0, y0 = round(spawn["x"] / step_m) - wide // 2, round(spawn["y"] / step_m) - high // 2
    status, _, body = fetch(address, f"/region/{seed}.f32?recipe={recipe}&x0={x0}&y0={y0}&w={wide}&h={high}&lod={lod}")
    if status != 200:
        raise RuntimeError(f"region of {recipe} {seed}: {status} {body[:200]!r}")
    heights = array.array("f", body)
    if sys.byteorder == "big":
        heights.byteswap()
    dry = [[h > world["sea_m"] for h in heights[j * wide:(j + 1) * wide]] for j in range(high)]
    inner = [row[wide // 4:wide - wide // 4] for row in dry[high // 4:high - high // 4]]
    return [sum(map(sum, rows)) / sum(map(len, rows)) for rows in (dry, inner)]


def look(address, recipe, seed):
    began = time.monotonic()
    world = json_of(address, f"/world/{seed}?recipe={recipe}")
    took_s = time.monotonic() - began
    zoom = json_of(address, f"/xyz/{seed}/tile.json?recipe={recipe}")["center"][2]
    spawn = world["spawn"]
    point = json_of(address, f"/point/{seed}?recipe={recipe}&x={spawn['x']!r}&y={spawn['y']!r}")
    why = [text for text, wrong in (
        (f"{point['water_m']:.1f} m of water", point["water_m"] > 0),
        (f"{point['slope_degrees']:.0f} degrees", point["slope_degrees"] > STEEP_DEGREES),
        (f"{point['height_m'] - spawn['height']:+.2f} m off", abs(point["height_m"] - spawn["height"]) > OFF_M)) if wrong]
    return {"recipe": recipe, "seed": seed, "land": land(address, seed, recipe, Z0 - zoom, world), "why": why,
            "slope_degrees": point["slope_degrees"], "took_s": took_s}


def report(recipe, views):
    """Prints a recipe's row; whether it is as it should be."""
    none = [sum(view["land"][k] == 0 for view in views) for k in (0, 1)]
    slopes, times = (sorted(view[what] for view in views) for what in ("slope_degrees", "took_s"))
    wrong = [view for view in views if view["why"]]
    print(f"{recipe:<12} {none[0]:>3} of {len(views)} no land, {none[1]:>3} in the inner half; slope at most {slopes[-1]:4.1f} degrees; "
          f"/world {times[len(times) // 2]:.2f} s, at most {times[-1]:.2f} s; {len(wrong)} spawns wrong", flush=True)
    for view in wrong:
        print(f"    seed {view['seed']}: {', '.join(view['why'])}")
    return not wrong and none[0] * 10 <= len(views)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--terrane", default=ROOT / "build/terrane", type=Path)
    parser.add_argument("--seeds", default=40, type=int)
    parser.add_argument("--recipes", default=",".join(sorted(path.stem for path in (ROOT / "config/worlds").glob("*.json"))))
    parser.add_argument("--directory", default=ROOT / "build/first-views", type=Path)
    options = parser.parse_args()
    fine = True
    with Terrane(options.directory, options.terrane, options.directory / "cache", {"render": {"deadline_ms": 60000}}) as server, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        for recipe in options.recipes.split(","):
            views = list(pool.map(lambda seed: look(server.address, recipe, seed), range(options.seeds)))  # pylint: disable=cell-var-from-loop
            fine = report(recipe, views) and fine
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
