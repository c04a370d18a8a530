"""The viewer without a server (make site): from a plain file server, and without the network, every layer of every recipe."""

import json
import os
import subprocess

import pytest

from folders import MODULES, OUTPUT, ROOT
from pictures import assert_drawn

SITE = ROOT / "build" / "site"


@pytest.fixture(scope="module")
def found(node):
    """What drive_site.mjs saw of the site as it is built now."""
    done = subprocess.run(["make", "-C", ROOT, "site"], capture_output=True, text=True, check=False,
                          env={name: value for name, value in os.environ.items() if not name.startswith("MAKE")})
    assert done.returncode == 0, f"make site:\n{done.stdout}\n{done.stderr}"
    return node("viewer/drive_site.mjs", SITE, OUTPUT, MODULES, seconds=1800)


@pytest.mark.long
def test_every_layer_of_every_recipe_without_a_server(found):
    assert not found["errors"], "site: " + "\n".join(found["errors"])
    shipped = sorted(path.stem for path in (ROOT / "config/worlds").glob("*.json"))
    assert sorted(found["recipes"]) == shipped
    newest = max(int(path.stem.rpartition("-")[2]) for path in (SITE / "world").glob("*.json"))
    told = {name: json.loads((SITE / f"world/{name}-{newest}.json").read_text()) for name in shipped}
    for name, layers in found["recipes"].items():
        assert {"relief", "height", "hillshade", "normal", "partition", "slope", "water", "flow", "delta"} <= set(layers)
        assert ("river" in layers) == ("rivers" in told[name]) and ("path" in layers) == ("paths" in told[name])
        assert ("cave" in layers) == ("caves" in told[name])
        assert_drawn(f"site, {name}", OUTPUT / f"site-{name}.png")


@pytest.mark.long
def test_places_are_told_and_what_wants_a_server_is_not_offered(found):
    assert not found["errors"], "site: " + "\n".join(found["errors"])
    assert "height" in found["pinned"] and "slope" in found["pinned"] and "tile" in found["pinned"], found["pinned"]
    offered = set(found["offered"])
    assert {"Key", "View", "Profile", "Export", "?"} <= offered and not {"Drop", "Connect", "Copy link to point"} & offered
    assert_drawn("site in 3-D", OUTPUT / "site-3d.png")
