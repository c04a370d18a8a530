"""A server for the clients, the npm packages that they are, and the browser that they run in."""

import json
import shutil
import subprocess
import sys

import pytest

from folders import HERE, HTTP, MODULES, OUTPUT

sys.path.insert(0, str(HTTP))

from http_client import limit  # noqa: E402
from http_fixtures import ending, launch, pytest_runtest_makereport  # noqa: E402,F401
from http_server import Server  # noqa: E402


def npm_packages():
    """Installs what package-lock.json pins into build/clients, once for every change of it."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    wanted = (HERE / "package-lock.json").read_text()
    stamp = MODULES / ".terrane-lock"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(HERE / name, OUTPUT / name)
    done = subprocess.run(["npm", "ci", "--ignore-scripts"], cwd=OUTPUT, capture_output=True, text=True,
                          timeout=limit(600), check=False)
    assert done.returncode == 0, f"npm ci failed:\n{done.stdout}\n{done.stderr}"
    stamp.write_text(wanted)


@pytest.fixture(scope="session")
def modules():
    npm_packages()
    return MODULES


@pytest.fixture(scope="session")
def server():
    """The default world with an empty cache, for all clients."""
    with Server(world="continents") as started:
        yield started


@pytest.fixture(scope="session")
def node(modules):
    """node(SCRIPT, ARGUMENT...): runs it; the line of JSON that it prints."""
    def run(script, *arguments, seconds=150):
        done = subprocess.run(["node", HERE / script, *map(str, arguments)], capture_output=True, text=True,
                              timeout=limit(seconds), check=False)
        assert done.returncode == 0, f"{script} {' '.join(map(str, arguments))}:\n{done.stdout}\n{done.stderr}"
        return json.loads(done.stdout.splitlines()[-1])
    return run


@pytest.fixture(scope="session")
def browse(node, server):
    """browse(EXAMPLE[, PAGE]): opens it in a browser, checks it and says what was measured; an assertion otherwise."""
    def run(example, page="index"):
        result = node("harness/browse.mjs", example, server.url, OUTPUT, MODULES, page)
        assert not result["errors"], f"{example}: " + "\n".join(result["errors"])
        assert result["answers"] > 0, f"{example}: asked the server for nothing"
        return result
    return run
