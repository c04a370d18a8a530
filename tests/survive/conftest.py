"""Servers as in the HTTP tests, and the figures that each row of the contract is about, printed at the end."""

import importlib.util
import os
import pathlib
import sys

import pytest

HTTP = pathlib.Path(__file__).resolve().parents[1] / "http"
sys.path.insert(0, str(HTTP))

_spec = importlib.util.spec_from_file_location("http_conftest", HTTP / "conftest.py")
_http = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_http)
launch, ending = _http.launch, _http.ending
pytest_runtest_makereport = _http.pytest_runtest_makereport

LINES = []


@pytest.fixture
def figures():
    """figures(row, text): a line of the summary."""
    def note(row, text):
        LINES.append((row, f"row {row}: {text}"))
        print(LINES[-1][1], flush=True)
    return note


@pytest.fixture(scope="session")
def full():
    """The counts of the contract, instead of those of a short run."""
    return bool(os.environ.get("TERRANE_TEST_LONG"))


def pytest_terminal_summary(terminalreporter):
    if LINES:
        terminalreporter.section("figures")
    for _, line in sorted(LINES, key=lambda entry: entry[0]):
        terminalreporter.write_line(line)
