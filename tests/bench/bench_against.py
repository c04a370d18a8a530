#!/usr/bin/env python3
"""Another commit's bench_noise beside this one's: bench_against.py COMMIT PROGRAM [--runs N] [--strict].

The commit is built in build/against as PROGRAM was here. Both run in turn, short runs. A row's time is the lower quartile of its
runs' least: neither a disturbed run counts nor one lucky one. Above 1 is faster than it was. Baselines are the same code twice:
as far as they are from 1, a ratio cannot be trusted. With --strict, exit status 2 when a row of terrane is below the pass line.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

PASS_RATIO = 0.97
BASELINES = ("plain ", "libnoise ")


def build(commit, program):
    """The other commit's program; its tree is kept, so that a second run need not build."""
    question = ["git", "rev-parse", "--quiet", "--verify", f"{commit}^{{commit}}"]
    name = subprocess.run(question, capture_output=True, text=True).stdout.strip()
    if not name:
        sys.exit(f"bench_against: {commit}: no such commit")
    tree = Path("build/against", name)
    tree.mkdir(parents=True, exist_ok=True)
    archive = subprocess.run(["git", "archive", name], check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", tree], check=True, input=archive)
    if subprocess.run(["make", "--no-print-directory", "-C", tree, program]).returncode != 0:
        sys.exit(f"bench_against: {commit}: does not build {program}")
    return tree / program


def measure(program, into):
    subprocess.run([program, "--quick", "--json", into], check=True, stdout=subprocess.DEVNULL)
    return {row["name"]: row["minimum_us"] for row in json.loads(into.read_text())["methods"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("commit")
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=12, help="of each program (12)")
    parser.add_argument("--strict", action="store_true")
    options = parser.parse_args()
    programs = [build(options.commit, options.program), Path(options.program)]
    slow, runs = 0, [[], []]
    for turn in range(max(options.runs, 2)):
        for which in (turn % 2, 1 - turn % 2):
            runs[which].append(measure(programs[which], Path("build/bench/against.json")))
    print(f"  {'us a tile':46} {options.commit[:10]:>10} {'now':>10}  ratio")
    for name in (name for name in runs[1][0] if name in runs[0][0]):
        was, now = (statistics.quantiles([run[name] for run in each], n=4)[0] for each in runs)
        missed = was / now < PASS_RATIO and not name.startswith(BASELINES)
        slow += missed
        print(f"  {name:46} {was:10.1f} {now:10.1f}  {was / now:.3f}{' MISS' if missed else ''}")
    return 2 if options.strict and slow else 0


if __name__ == "__main__":
    sys.exit(main())
