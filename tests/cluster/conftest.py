"""One cluster for all tests, mended after each. Where there can be none, they are skipped and say why."""

import pathlib
import signal
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "http")]

import cluster as kit  # noqa: E402
import walk  # noqa: E402


@pytest.fixture(scope="session")
def running():
    why = kit.missing()
    if why:
        pytest.skip(why)
    # Patient with the store: on a machine that is busy with something else, too, nothing is made twice.
    with kit.Cluster({"render": {"deadline_ms": 12000}, "cache": {"shared_lease_ms": 6000, "shared_timeout_ms": 1000}}) as started:
        yield started


@pytest.fixture(scope="session")
def known(running, full):
    """What every walk asks for: {target: digest as a lone server has it}."""
    return walk.reference(running.lone, walk.targets(1, steps=30 if full else 3))


@pytest.fixture
def cluster(running):
    """All up, nothing cached."""
    running.mend()
    yield running
    running.mend()


def pytest_sessionstart():
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # leaves through the fixtures, as ctrl-C does


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    report = (yield).get_result()
    started = item.funcargs.get("running") or item.funcargs.get("cluster")
    if report.failed and started:
        for one in started.all:
            report.sections.append((f"log of {one.host.name}", "\n".join(
                line for line in one.log_text().splitlines() if not line.startswith('{"time"'))[-3000:]))
