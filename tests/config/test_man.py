"""The manual pages agree with the program and its configuration, and are well-formed.

    pytest tests/config          TERRANE=path/to/terrane, else build/terrane
"""

import json
import re
import shutil
import subprocess

import pytest
from config_kit import DEFAULTS, KEYS, PROGRAM, ROOT, dotted, told

MARK = '.\\" terrane config --manual'
COMMANDS = ("serve", "render", "seed", "export", "recipe", "find", "model", "world", "import", "key", "config", "health", "analyze", "path", "bench")


def installed(name):
    """A page as `make install` leaves it: with the list of keys behind the line that names the command."""
    lines = (ROOT / "man" / name).read_text().splitlines(keepends=True)
    return "".join(line + told("--manual") if line.startswith(MARK) else line for line in lines)


PAGES = [installed("terrane.1"), installed("terrane.json.5")]


def help_of(*words):
    # A program of its own, which may not be beside the other yet.
    program = ROOT / "analyze/main.py" if words in (("analyze",), ("path",)) else PROGRAM
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, timeout=300, check=True).stdout


def options_of_help(command):
    """Long options and letters where a line of the help begins with them, and those of the usage itself."""
    text = help_of(command)
    usage, _, rest = text.partition("\n\n")
    listed = [re.match(r" +((?:-\w, )?--[\w-]+)", line) for line in rest.splitlines()]
    words = " ".join([match[1] for match in listed if match] + [usage])
    return set(re.findall(r"(?<!\w)--?([a-z][a-z-]*)", words))


def sections(page):
    parts = re.split(r"^\.Sh (.*)$", page, flags=re.M)
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


def test_keys():
    assert re.findall(r"^\.It Ic (\S+)$", sections(PAGES[1])["KEYS"], flags=re.M) == [dotted(path) for path in KEYS]


def test_example():
    text = re.search(r"\.Bd[^\n]*\n(.*?)\.Ed", sections(PAGES[1])["EXAMPLES"], re.S)[1]
    assert json.loads(text).keys() <= DEFAULTS.keys()


def test_environment():
    """Each variable that the help names is in the page."""
    named = set(re.findall(r"\b[A-Z]+_[A-Z_]+\b", help_of()))
    page = set(re.findall(r"[A-Z]+_[A-Z_]+", sections(PAGES[0])["ENVIRONMENT"]))
    assert named and named <= page


@pytest.mark.skipif(not shutil.which("mandoc"), reason="mandoc is not installed")
@pytest.mark.parametrize("page", PAGES, ids=["terrane.1", "terrane.json.5"])
def test_markup(page):
    run = subprocess.run(["mandoc", "-Tlint"], input=page, capture_output=True, text=True, timeout=300)
    # Which other pages this machine has is nothing of ours.
    assert [line for line in (run.stdout + run.stderr).splitlines() if not re.search(r"mandoc\.db|referenced manual not found", line)] == []
    drawn = subprocess.run(["mandoc", "-Tascii"], input=page, capture_output=True, text=True, timeout=300)
    assert drawn.returncode == 0 and len(drawn.stdout) > 2000
