"""How commands are asked, and how they say what is wrong."""
import argparse
import math
import os
import re
import sys
import tempfile

command = ""


class Failure(Exception):
    """Ends the command: its text on standard error, and the exit status: 1 failed, 2 asked wrongly."""

    def __init__(self, text, status=1):
        super().__init__(text)
        self.status = status


def error(text):
    sys.stdout.flush()
    print(f"terrane {command}: {text}", file=sys.stderr)


def refuse(option, value, allowed):
    raise Failure(f"--{option}={value}: {allowed} (see terrane {command} --help)", 2)


class Words(argparse.ArgumentParser):
    """Options with a value, and switches, both by name."""

    def __init__(self, valued, switches):
        super().__init__(add_help=False, allow_abbrev=False)
        self._negative_number_matcher = re.compile(r"-[\d.]")  # -5,3 is a value, too
        letters = {"out": ["-o"], "jobs": ["-j"], "help": ["-h"]}
        for name in valued:
            self.add_argument(f"--{name}", *letters.get(name, []))
        for name in (*switches, "help"):
            self.add_argument(f"--{name}", *letters.get(name, []), action="store_true")

    def error(self, message):
        raise Failure(f"{message} (see terrane {command} --help)", 2)


def number(text):
    """A decimal; None: it is none."""
    found = re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text)
    return float(text) if found and math.isfinite(float(text)) else None


def whole(option, text, low, high, allowed):
    if not re.fullmatch(r"[0-9]{1,9}", text) or not low <= int(text) <= high:
        refuse(option, text, allowed)
    return int(text)


def prepare(path, pictures):
    """What would fail at the end fails here, before what takes long: a directory that files can be made in, and what draws."""
    try:
        os.makedirs(path, exist_ok=True)
        tempfile.TemporaryFile(dir=path).close()
    except OSError as problem:
        raise Failure(f"{path}: {problem.strerror}") from None
    if pictures:
        import plot  # noqa: F401
