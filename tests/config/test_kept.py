"""The promise of docs/promise.md, held against git: what a kept generator made stays as it was written down."""

import json
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
OLDEST, NEWEST = (int(re.search(rf"TERRANE_GENERATOR_{which} +(\d+)", (ROOT / "lib/terrane.h").read_text())[1])
                  for which in ("OLDEST", "VERSION"))
KEPT = sorted((ROOT / "tests/golden/kept").glob("*.json"), key=lambda path: int(path.stem))


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)


def facts(text):
    """Of a file of digests: name and digest, of each."""
    return json.loads(text)["digests"]


def test_each_generator_has_its_digests():
    assert [int(path.stem) for path in KEPT] == list(range(OLDEST, NEWEST + 1))
    for path in KEPT:
        assert json.loads(path.read_text())["generator"] == int(path.stem)


def test_the_oldest_never_rises():
    """Generator 7 was the first that was promised."""
    assert OLDEST == 7


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
def test_no_line_was_lost_or_changed(path):
    inside = git("rev-parse", "--is-inside-work-tree")
    if inside.returncode != 0:
        pytest.skip("no git here: a source archive has no history to hold it against")
    name = path.relative_to(ROOT).as_posix()
    now = facts(path.read_text())
    commits = git("log", "--format=%H", "--", name).stdout.split()
    for commit in commits:
        before = git("show", f"{commit}:{name}")
        if before.returncode != 0:  # a commit that took it away
            pytest.fail(f"{commit} lost {name}")
        for what, digest in facts(before.stdout).items():
            assert now.get(what) == digest, f"{name}: {what} is not what it was in {commit[:12]}"

