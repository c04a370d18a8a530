"""Tests of Python, whichever their folder: those marked `long` are skipped unless TERRANE_TEST_LONG is set; large files come first."""

import os

import pytest

LINES = []


@pytest.fixture(scope="session")
def full():
    """Whether counts are those of a long run."""
    return bool(os.environ.get("TERRANE_TEST_LONG"))


@pytest.fixture
def figures(request):
    """figures(text): what was measured, a line of the summary."""
    def note(text):
        LINES.append(f"{request.node.name}: {text}")
        print(LINES[-1], flush=True)
    return note


def pytest_terminal_summary(terminalreporter):
    if LINES:
        terminalreporter.section("figures")
    for line in LINES:
        terminalreporter.write_line(line)


def pytest_collection_modifyitems(items):
    if not os.environ.get("TERRANE_TEST_LONG"):
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(pytest.mark.skip(reason="long: make test-long"))
    if "PYTEST_XDIST_WORKER" in os.environ:  # files are dealt out in this order: small ones fill what is left at the end
        items.sort(key=lambda item: (-item.path.stat().st_size, item.path))
