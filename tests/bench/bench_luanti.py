#!/usr/bin/env python3
"""Blocks (16 x 16 x 16 nodes) of a map that Luanti's server makes a second, of terrane's ground by the mod of engines/luanti, against its own
generator v7, by turns: from the moment when they are asked for until the last one is there. Three chunks of 80 nodes on top of one another, the middle
one of the ground's surface. `cold` asks a server that has none of the tiles, which makes them with the same cores; `there` one that has made them for a map before.
"""

import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "clients/luanti"))
import game  # noqa: E402
from bench_load import arguments, ratio_by_round, run  # noqa: E402
from bench_process import Terrane  # noqa: E402

PASS = 0.5


def blocks_per_s(directory, chunks, mods, **settings):
    side = 80 * chunks // 2
    box = (-32 - side + 80 * (chunks % 2), -112, -32 - side, -33 + side, 127, -33 + side)
    directory.mkdir()
    found, _ = game.told(game.start(directory, box, mods=mods, drive_look="false", mg_name="v7", fixed_map_seed="42", **settings), directory, 600)
    return found["blocks"] / found["whole_s"]


def main():
    args = arguments(__doc__)

    def measure(report, directory):
        chunks, rounds = (4, 1) if args.quick else (10, 5)
        rates = {"v7": [], "cold": [], "there": []}
        for k in range(rounds):
            rates["v7"].append(blocks_per_s(directory / f"v7-{k}", chunks, ("drive",)))
            with Terrane(directory / f"server{k}", args.terrane, directory / f"cache{k}") as terrane:
                for name in ("cold", "there"):
                    rates[name].append(blocks_per_s(directory / f"{name}{k}", chunks, ("terrane", "drive"), terrane_url=f"http://{terrane.address}"))
        middle = {name: statistics.median(list_) for name, list_ in rates.items()}
        report.data["blocks_per_s"] = rates
        for name in ("cold", "there"):
            report.judge(f"blocks a second, tiles {name}, times v7's", ratio_by_round(rates[name], rates["v7"]), PASS, True, "",
                         f"{middle[name]:,.0f} to {middle['v7']:,.0f} a second")
    return run(args, measure)


if __name__ == "__main__":
    sys.exit(main())
