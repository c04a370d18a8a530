#!/usr/bin/env python3
"""A walk in three.js at 100 m/s for a minute, from a server that has nothing at hand: tiles that were late, and places that were bare.

In headless Chromium, by tests/clients/three/walk.mjs, which says what late is. It loads and builds all that is shown, and draws none of it.
The server's CPU time stands beside: on a busy machine tiles are late because others have the rest.
"""

import sys

from bench_load import MODULES, arguments, node, run
from bench_process import Terrane

SPEED = 100


def main():
    args = arguments(__doc__)

    def measure(report, directory):
        with Terrane(directory, args.terrane, directory / "cache", {"render": {"deadline_ms": 60000}}) as terrane:
            walked = node("tests/clients/three/walk.mjs", f"http://{terrane.address}", MODULES, 15 if args.quick else 60, SPEED)
            used = terrane.cpu_s()
        report.data["walk"] = walked
        note = f"{walked['late']} of {walked['tiles']} tiles in {walked['metres']:.0f} m; {walked['frames']} frames, the longest {walked['longest_ms']:.0f} ms; CPU of the server, the first view's with it, {used:.1f} s"
        report.judge(f"three.js at {SPEED} m/s: tiles late", 100 * walked["late"] / walked["tiles"], 1, False, "%", note)
        report.judge("... places around without ground", walked["holes"], 0, False, "", f"of {walked['places']}")
    return run(args, measure)


if __name__ == "__main__":
    sys.exit(main())
