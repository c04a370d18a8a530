#!/usr/bin/env python3
"""The viewer's first view of a world, and jumps to other zooms there, from a server that has nothing at hand, until all is shown.

In headless Chromium, 1,440 x 900 pixels, which draws by the same two cores (bench_views.mjs).
"""

import sys

from bench_load import MODULES, arguments, node, run
from bench_process import Terrane

RECIPES = ["continents", "alpine", "archipelago", "badlands", "desert", "wayfarer"]
ZOOMS = ["4", "9", "12", "15"]
FIRST_PASS_S, JUMP_PASS_S = 5, 4


def main():
    args = arguments(__doc__)

    def measure(report, directory):
        for recipe in RECIPES[:1] if args.quick else RECIPES:
            with Terrane(directory / recipe, args.terrane, directory / recipe / "cache") as terrane:
                took = node("tests/bench/bench_views.mjs", f"http://{terrane.address}", MODULES, recipe, *ZOOMS)
            jumps = ", ".join(f"{zoom}: {ms / 1000:.1f}" for zoom, ms in took["jumps"].items())
            report.say(f"  {recipe}: first view {took['first'] / 1000:.1f} s; jumps to zooms, s: {jumps}")
            report.judge(f"first view of {recipe}, cold", took["first"] / 1000, FIRST_PASS_S, False, "s", f"{took['busy']} answers 503")
            report.judge("... the slowest of its jumps", max(took["jumps"].values()) / 1000, JUMP_PASS_S, False, "s",
                         f"to zooms {jumps}")
    return run(args, measure)


if __name__ == "__main__":
    sys.exit(main())
