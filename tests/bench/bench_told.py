#!/usr/bin/env python3
"""What `terrane recipe` tells of a tile's cost, beside what the dearest tile takes: CPU time of `terrane render` where nothing is kept,
per recipe, instruction set and layer.

Tiles lie around the spawn, and relief of the finest level at some more places, all on land: at sea droplets die and rivers end. The
dearest place but one counts: where a river leaves the field that is looked at first, a wider one is made, too. Of each instruction set the table has what is told by what was taken, at most and at least over the recipes, and the median, which is the
factor that would mend all alike: where it mends them the set's row of lib/cost/cost_seconds.c wants it, and where the spread stays, the
weights are wrong.

Times are CPU time, each the least of --times rounds over all tiles; sets that this machine has not are left out.
"""

import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
from pathlib import Path

from bench_load import arguments, run
from bench_process import Terrane, fetch

ROOT = Path(__file__).resolve().parents[2]
ISAS = ("scalar", "sse2", "avx2", "avx512", "neon")
LAYERS = {"relief": (0, 3), "flow": (0,), "path": (4,), "cave": (2,)}
QUICK = {"relief": (0,)}
PLACES, HALF_M = 6, 8_000_000
NEAR = 1.25
SEED = 42
HARD = {"height": {"fractal": "ridged", "octaves": 15, "cell_m": 32768, "amplitude_m": 900}, "erosion": {"phases": 10, "steps": 14}}


def cpu_s(program, isa, words, output):
    process = subprocess.Popen([program, "render", str(SEED), *map(str, words), "-o", output], env={**os.environ, "TERRANE_ISA": isa})
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"terrane render {' '.join(map(str, words))} with {isa} kernels: status {process.returncode}")
    return used.ru_utime + used.ru_stime


def told_s(program, recipe, isa):
    """Seconds of a tile with an instruction set, and its parts by name."""
    done = subprocess.run([program, "recipe", recipe], check=True, capture_output=True, text=True, env={**os.environ, "TERRANE_ISA": isa})
    seconds, parts = re.search(r"^ +([0-9.]+) s here, with \S+ kernels:(.*)", done.stdout, re.M).groups()
    return float(seconds), {name: float(number) for name, number in re.findall(r"([a-z]+) ([0-9.]+)", parts)}


def places(address, name, count):
    """The spawn, and so many places of dry land."""
    spawn = json.loads(fetch(address, f"/world/{SEED}?recipe={name}")[2])["spawn"]
    choose, land, tries = random.Random(SEED), [], 40 * count
    while len(land) < count and (tries := tries - 1) > 0:
        x, y = (choose.randrange(-HALF_M, HALF_M) for _ in "xy")
        if json.loads(fetch(address, f"/point/{SEED}?recipe={name}&lod=14&variant=base&x={x}&y={y}")[2])["water_m"] == 0:
            land.append([x, y])
    return [[spawn["x"], spawn["y"]], *land]


def sets_of(program):
    """Those that this machine has: a name that it has not is refused."""
    return [isa for isa in ISAS if subprocess.run([program, "render", str(SEED), "9", "0", "0", "--variant", "base", "-o", os.devnull],
                                                  capture_output=True, check=False, env={**os.environ, "TERRANE_ISA": isa}).returncode == 0]


def recipes(directory, quick):
    """Names, each with its file."""
    worlds = {path.stem: path for path in sorted((ROOT / "config/worlds").glob("*.json"))}
    if quick:
        return {"continents": worlds["continents"]}
    hard = directory / "worlds/hard.json"
    hard.write_text(json.dumps(HARD))
    return {"hard": hard, **worlds}


def tiles_of(around, layers):
    """Tiles to time, by name: the words that `terrane render` takes."""
    asked = {f"{layer} {level}": (layer, level, around[0]) for layer, levels in layers.items() for level in levels}
    asked |= {f"relief 0 at {place[0]}, {place[1]}": ("relief", 0, place) for place in around[1:]}
    return {name: (level, *(int(at // (256 << level)) for at in place), "--layer", layer) for name, (layer, level, place) in asked.items()}


def took_s(program, output, jobs, times):
    """CPU seconds of each job, the least of so many runs. Rounds go over all jobs, so that runs of a job lie far apart: what else a
    machine does slows runs that follow each other alike."""
    took = {}
    for _ in range(times):
        for job, (isa, words) in jobs.items():
            took[job] = min(cpu_s(program, isa, words, output), took.get(job, math.inf))
    return took


def dearest(took):
    """The dearest tile around the spawn, or elsewhere the dearest but one."""
    elsewhere = [seconds for what, seconds in took.items() if " at " in what]
    return sorted([max(seconds for what, seconds in took.items() if " at " not in what), *elsewhere])[-2 if len(elsewhere) > 1 else -1]


def measure(report, directory, program, quick, times):
    (directory / "worlds").mkdir()
    known, sets = recipes(directory, quick), sets_of(program)
    settings = {"worlds": {"dir": str(directory / "worlds")}, "render": {"deadline_ms": 600000}}
    with Terrane(directory / "server", program, directory / "cache", settings) as server:
        around = {name: places(server.address, name, 0 if quick else PLACES) for name in known}
    told = {(name, isa): told_s(program, recipe, isa) for name, recipe in known.items() for isa in sets}
    jobs = {}
    for (name, isa), (_, parts) in told.items():
        layers = {layer: levels for layer, levels in (QUICK if quick else LAYERS).items()
                  if {"path": "paths", "cave": "caves"}.get(layer, "terms") in parts}
        for tile, words in tiles_of(around[name], layers).items():
            jobs[name, isa, tile] = (isa, (*words, "--recipe", known[name]))
    took = took_s(program, directory / "o.png", jobs, times)
    found, ratios = report.data.setdefault("recipes", {}), {isa: [] for isa in sets}
    for (name, isa), (said, parts) in told.items():
        tiles = {tile: seconds for (*of, tile), seconds in took.items() if of == [name, isa]}
        ratios[isa].append(said / dearest(tiles))
        found[f"{name} {isa}"] = {"told_s": said, "parts_s": parts, "took_s": tiles}
        report.say(f"  {name:<12} {isa:<7} {ratios[isa][-1]:5.2f} told / took   {said:.2f} s told; "
                   + ", ".join(f"{what}: {seconds:.2f} s" for what, seconds in tiles.items() if " at " not in what)
                   + "; elsewhere " + " ".join(f"{seconds:.2f}" for what, seconds in tiles.items() if " at " in what))
    report.say()
    for isa, of in ratios.items():
        note = f"factor {1 / statistics.median(of):.2f}"
        report.judge(f"told / took, {isa}, at most", max(of), NEAR, False, "x", note)
        report.judge(f"told / took, {isa}, at least", min(of), 1 / NEAR, True, "x", note)


def main():
    args = arguments(__doc__, times={"type": int, "default": 2, "help": "rounds"})
    return run(args, lambda report, directory: measure(report, directory, args.terrane, args.quick, 1 if args.quick else args.times))


if __name__ == "__main__":
    sys.exit(main())
