"""The program, and what it tells of its configuration."""

import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("TERRANE", ROOT / "build" / "terrane")).resolve()


def told(*words):
    return subprocess.check_output([PROGRAM, "config", *words], text=True, timeout=300)


SCHEMA = json.loads(told("--schema"))
DEFAULTS = json.loads(told("--defaults"))


def leaves(schema=SCHEMA, path=()):
    """Every key's path and its entry in the schema."""
    for name, member in schema["properties"].items():
        if "properties" in member:
            yield from leaves(member, path + (name,))
        else:
            yield path + (name,), member


KEYS = dict(leaves())


def dotted(path):
    return ".".join(path)


def lookup(root, path):
    for name in path:
        root = root[name]
    return root
