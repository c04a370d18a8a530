"""Where things lie."""

import pathlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
HTTP = HERE.parent / "http"
OUTPUT = ROOT / "build" / "clients"  # packages, and what the tests draw
MODULES = OUTPUT / "node_modules"
