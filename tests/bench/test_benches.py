"""The smallest form of every bench of `make help`: each ends well, has measured something, and says what."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("MAKE") and name != "MFLAGS"}


def run(command):
    return subprocess.run(command, shell=True, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, timeout=1200, check=False)


def benches():
    """Name and command; all but `bench`, which is the others one after the other."""
    lines = [line.split("\t") for line in run("tests/bare-targets --print").stdout.splitlines()]
    return [(name, command) for name, command in lines if name.startswith("bench-") or name == "first-views"]


BENCHES = benches()


@pytest.mark.long
@pytest.mark.parametrize("name,command", BENCHES, ids=dict(BENCHES))
def test_the_smallest_form(name, command):
    written = ROOT / f"build/bench/{name.removeprefix('bench-')}.json"
    written.unlink(missing_ok=True)
    done = run(command)
    assert done.returncode == 0, done.stdout + done.stderr
    if name.startswith("bench-"):
        told = json.loads(written.read_text())
        rows = told.get("rows") or told.get("lines")
        assert rows and all(row["what"] in done.stdout for row in rows)


def test_none_is_left_out():
    assert {name for name, _ in BENCHES} >= {"bench-noise", "bench-http", "bench-cluster", "first-views"}
    assert all("--" in command for _, command in BENCHES)  # each has a smaller form than its own
