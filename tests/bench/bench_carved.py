#!/usr/bin/env python3
"""What a world's paths add to a tile: one render thread, the whole server held on one core, the recipe wayfarer.

    cold   f32 tiles of level 0, far apart, that two lines or more cross: carved in one fresh server, eroded in another, and in
           a third, of the same recipe without paths and caves (bare); no region of any has been made
    warm   the same tiles as npy, which are made again from regions that memory holds, each right after one as r16

The servers are asked by turns. Added is the difference of carved and eroded, tile by tile; the pass lines are about the median
of those. Beside them, without a line: the same as CPU time of the servers, and what was added in all, over the bare recipe,
whose anchors are smaller. The places are found by a server of their own, from the lines of /path.

Exit status 0, whatever was measured; with --strict 2 when a pass line is missed.
"""

import json
import random
import statistics
import sys
from pathlib import Path

from bench_load import arguments, run
from bench_process import fetch
from bench_regions import Alone, Client

SEED = 42
AROUND = 1 << 20  # tiles from the origin to either side
BLOCK = 8  # tiles on a side of the window that is looked through for lines
COLD_PASS_MS, WARM_PASS_MS = 60, 1
RECIPE = Path(__file__).resolve().parents[2] / "config/worlds/wayfarer.json"


def server(directory, name, binary, recipe="wayfarer"):
    settings = {"render": {"threads": 1, "deadline_ms": 60000}, "cache": {"disk_bytes": 0, "memory_bytes": 1 << 30},
                "worlds": {"dir": str(directory / "worlds"), "default": recipe}}
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


def write_bare(directory):
    recipe = json.loads(RECIPE.read_text())
    (directory / "worlds").mkdir()
    (directory / "worlds/bare.json").write_text(json.dumps({k: v for k, v in recipe.items() if k not in ("paths", "caves")}))


def ask(terrane, client, place, variant, endings):
    """Milliseconds of the last of some requests, those of CPU time that it took the server, and the body."""
    x, y = place
    for ending in endings:
        before = terrane.cpu_ns()
        ms, body = client.get_ms(f"/tile/{SEED}/0/{x}/{y}.{ending}?variant={variant}")
        cpu_ms = (terrane.cpu_ns() - before) / 1e6
    return ms, cpu_ms, body


def ask_by_turns(servers, places, endings):
    """Of each name: milliseconds, of CPU time, and bodies, place by place."""
    answers = {name: [] for name in servers}
    clients = {name: Client(terrane.address) for name, terrane in servers.items()}
    for place in places:
        for name, terrane in servers.items():
            variant = "carved" if name == "carved" else "eroded"
            answers[name].append(ask(terrane, clients[name], place, variant, endings))
    for client in clients.values():
        client.close()
    return {name: list(zip(*rows)) for name, rows in answers.items()}


def added(answers, over, what):
    return [carved - plain for carved, plain in zip(answers["carved"][what], answers[over][what])]


def tell(report, state, answers, line):
    eroded, carved = (statistics.median(answers[name][0]) for name in ("eroded", "carved"))
    ms, cpu_ms, all_ms = added(answers, "eroded", 0), added(answers, "eroded", 1), added(answers, "bare", 1)
    report.say(f"  {state:<6} eroded {eroded:8.2f} ms   carved {carved:8.2f} ms   added {min(ms):.2f} .. {max(ms):.2f} ms")
    report.say(f"         of CPU time: added {statistics.median(cpu_ms):.2f} ms; in all, over a recipe without paths and "
               f"caves, {statistics.median(all_ms):.2f} ms")
    report.data[state] = {name: {"ms": ms, "cpu_ms": cpu_ms} for name, (ms, cpu_ms, _) in answers.items()}
    report.judge(f"{state} tile that two lines cross, added", statistics.median(ms), line, False, "ms",
                 f"median of {len(ms)} tiles")


def measure(report, directory, binary, count):
    write_bare(directory)
    with server(directory, "scout", binary) as scout:
        places = find(scout, count)
    with server(directory, "eroded", binary) as eroded, server(directory, "carved", binary) as carved, \
            server(directory, "bare", binary, "bare") as bare:
        servers = {"bare": bare, "eroded": eroded, "carved": carved}
        for state, endings, line in (("cold", ["f32"], COLD_PASS_MS), ("warm", ["r16", "npy"], WARM_PASS_MS)):
            answers = ask_by_turns(servers, places, endings)
            bodies = {name: answers[name][2] for name in answers}
            if bodies["bare"] != bodies["eroded"]:
                raise RuntimeError("eroded ground depends on whether the recipe has paths")
            if any(a == b for a, b in zip(bodies["carved"], bodies["eroded"])):
                raise RuntimeError("a tile that lines cross is not carved")
            tell(report, state, answers, line)


def main():
    args = arguments(__doc__)
    return run(args, lambda report, directory: measure(report, directory, args.terrane, 8 if args.quick else 30))


if __name__ == "__main__":
    sys.exit(main())
