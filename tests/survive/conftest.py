"""Servers as in the HTTP tests."""

import pathlib
import sys

HTTP = pathlib.Path(__file__).resolve().parents[1] / "http"
sys.path.insert(0, str(HTTP))

from http_fixtures import ending, launch, pytest_runtest_makereport  # noqa: E402,F401
