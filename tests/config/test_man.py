"""The manual pages agree with the program and its configuration, and are well-formed.

    pytest tests/config          TERRANE=path/to/terrane, else build/terrane
"""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("TERRANE", ROOT / "build" / "terrane")).resolve()
PAGES = [ROOT / "man/terrane.1", ROOT / "man/terrane.json.5"]
COMMANDS = ("serve", "render", "seed", "recipe", "key", "health", "analyze", "path", "bench")
DEFAULTS = json.loads((ROOT / "config/terrane.json").read_text())


def help_of(*words):
    # A program of its own, which may not be beside the other yet.
    program = ROOT / "analyze/main.py" if words in (("analyze",), ("path",)) else PROGRAM
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, timeout=30, check=True).stdout


def options_of_help(command):
    """Long options and letters where a line of the help begins with them, and those of the usage itself."""
    text = help_of(command)
    usage, _, rest = text.partition("\n\n")
    listed = [re.match(r" +((?:-\w, )?--[\w-]+)", line) for line in rest.splitlines()]
    words = " ".join([match[1] for match in listed if match] + [usage])
    return set(re.findall(r"(?<!\w)--?([a-z][a-z-]*)", words))


def sections(page):
    parts = re.split(r"^\.Sh (.*)$", page.read_text(), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def options_of_page(command):
    items = re.findall(r"^\.It (Fl .*)$", sections(PAGES[0])[command.upper()], flags=re.M)
    return {flag.lstrip("-") for item in items for flag in re.findall(r"Fl (-?[\w-]+)", item)}


@pytest.mark.parametrize("command", COMMANDS)
def test_options(command):
    assert options_of_page(command) == options_of_help(command)


def test_commands():
    listed = re.findall(r"^  (\w+) +\w", help_of().split("commands:")[1].split("\n\n")[0], flags=re.M)
    assert sorted(listed) == sorted(COMMANDS)
    synopsis = sections(PAGES[0])["SYNOPSIS"]
    assert sorted(re.findall(r"^\.Cm (\w+)$", synopsis, flags=re.M)) == sorted(COMMANDS)


def keys(settings, path=""):
    for name, value in settings.items():
        if isinstance(value, dict) and value:
            yield from keys(value, f"{path}{name}.")
        else:
            yield path + name


def test_keys():
    listed = re.findall(r"^\.It Ic (\S+)$", sections(PAGES[1])["KEYS"], flags=re.M)
    assert len(listed) == len(set(listed))
    assert set(listed) == set(keys(DEFAULTS))


def test_example():
    text = re.search(r"\.Bd[^\n]*\n(.*?)\.Ed", sections(PAGES[1])["EXAMPLES"], re.S)[1]
    assert set(keys({k: v for k, v in json.loads(text).items() if k != "worlds"})) <= set(keys(DEFAULTS))


def test_environment():
    """Each variable that the help names is in the page."""
    named = set(re.findall(r"\b[A-Z]+_[A-Z_]+\b", help_of()))
    page = set(re.findall(r"[A-Z]+_[A-Z_]+", sections(PAGES[0])["ENVIRONMENT"]))
    assert named and named <= page


@pytest.mark.skipif(not shutil.which("mandoc"), reason="mandoc is not installed")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_markup(page):
    run = subprocess.run(["mandoc", "-Tlint", page], capture_output=True, text=True, timeout=30)
    # Which other pages this machine has is nothing of ours.
    complaints = [
        line
        for line in (run.stdout + run.stderr).splitlines()
        if not re.search(r"mandoc\.db|referenced manual not found", line)
    ]
    assert complaints == []
    drawn = subprocess.run(["mandoc", "-Tascii", page], capture_output=True, text=True, timeout=30)
    assert drawn.returncode == 0 and len(drawn.stdout) > 2000
