"""The promise of docs/promise.md, held against git: what a kept generator made stays as it was written down."""

import json
import pathlib
import re
import subprocess

import pytest
from config_kit import ROOT

OLDEST, NEWEST = (int(re.search(rf"TERRANE_GENERATOR_{which} +(\d+)", (ROOT / "lib/terrane.h").read_text())[1])
                  for which in ("OLDEST", "VERSION"))
KEPT = sorted((ROOT / "tests/golden/kept").glob("*.json"), key=lambda path: int(path.stem))


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)


def facts(texts):
    """Of files of digests, the oldest generator's first: name and digest, of each. A file tells what is new or other in its generator."""
    return {name: digest for text in texts for name, digest in json.loads(text)["digests"].items()}


def files_of(commit):
    """The files of digests that a commit has: generator to text."""
    names = git("ls-tree", "--name-only", commit, "tests/golden/kept/").stdout.split()
    return {int(pathlib.Path(name).stem): git("show", f"{commit}:{name}").stdout for name in names}


def test_each_generator_has_its_digests():
    """That none is given up: PROMISED_TAGS of tests/http/test_generators.py, and below."""
    assert [int(path.stem) for path in KEPT] == list(range(OLDEST, NEWEST + 1))
    for path in KEPT:
        assert json.loads(path.read_text())["generator"] == int(path.stem)


def test_no_digest_was_lost_or_changed():
    inside = git("rev-parse", "--is-inside-work-tree")
    if inside.returncode != 0:
        pytest.skip("no git here: a source archive has no history to hold it against")
    now = {int(path.stem): path.read_text() for path in KEPT}
    for commit in git("log", "--format=%H", "--", "tests/golden/kept").stdout.split():
        before = files_of(commit)
        for generator in before:
            held, holds = (facts(files[number] for number in sorted(files) if number <= generator) for files in (before, now))
            for what, digest in held.items():
                assert holds.get(what) == digest, f"generator {generator}: {what} is not what it was in {commit[:12]}"

