"""The viewer's snippets: their addresses answer, pages draw, programs run."""

import json
import os
import re
import subprocess
import urllib.error
import urllib.request

import pytest

from folders import MODULES, OUTPUT
from http_client import limit
from pictures import assert_drawn

VIEW = {"x": -229376, "y": 98304, "zoom": 9}  # the middle of tile 8/-4/1: deep sea for the most part
GROUND = {"x": -294912, "y": 163840}  # of three.js, which draws one tile: 8/-5/2, a coast with mountains
WEB = ("maplibre", "leaflet", "openlayers", "deckgl", "cesium", "three")
PROGRAMS = ("numpy", "rasterio")
COMMANDS = ("gdal", "unreal", "curl")
ADDRESSES = ("qgis", "godot", "unity")
# What templates stand for, each a place that exists; the innermost braces are JavaScript's.
FILL = [("${24 - z}", "8"), ("${x}", "-4"), ("${y}", "1"), ("{z}", "10"), ("{x}", "511"), ("{y}", "512"),
        ("{lod}", "8"), ("{east}", "-4"), ("{south}", "1")]


def options(server, **given):
    return {"origin": server.url, "seed": "42", **VIEW, **given}


def addresses(text, origin):
    text = text.replace("%7B", "{").replace("%7D", "}")
    for quoted in re.findall(r"http%3A%2F%2F[^\"'&]*", text):
        text += f"\n'{urllib.request.unquote(quoted)}'"
    return sorted(set(re.findall(re.escape(origin) + r"/[^\"'`\s]*", text)))


@pytest.fixture(scope="module")
def listed(node, server):
    def get(**given):
        return node("snippets/list.mjs", json.dumps(options(server, **given)))
    return get


def text_of(listed, name):
    return next(snippet["text"] for snippet in listed()["snippets"] if snippet["id"] == name)


def test_every_client_has_one(listed):
    snippets = listed()["snippets"]
    assert sorted(snippet["id"] for snippet in snippets) == sorted(WEB + PROGRAMS + COMMANDS + ADDRESSES)
    assert all(snippet["name"] and snippet["language"] and snippet["text"].endswith("\n") for snippet in snippets)


def test_versions_are_those_that_are_tested(listed):
    pinned = json.loads((MODULES.parent / "package.json").read_text())["dependencies"]
    for name, version in listed()["versions"].items():
        assert pinned[name] == version, f"snippets.js names {name} {version}, tests/clients/package.json {pinned[name]}"


@pytest.mark.parametrize("given", [{}, {"recipe": "alpine", "layer": "hillshade"}, {"seed": "atlantis", "key": "it's & more?"}],
                         ids=["plain", "recipe", "key"])
def test_addresses_answer(listed, server, given):
    for snippet in listed(**given)["snippets"]:
        text = snippet["text"]
        for name, value in FILL:
            text = text.replace(name, value)
        if snippet["language"] == "html":  # a document's place beneath a path
            text = text.replace("/terrain/42\"", "/terrain/42/layer.json\"").replace("/terrain/atlantis", "/terrain/atlantis/layer.json")
        found = addresses(text.replace("/terrain/42?", "/terrain/42/layer.json?"), server.url)
        assert found, f"{snippet['name']}: no address in its snippet"
        for address in found:
            for name, value in FILL:
                address = address.replace(name, value)
            try:
                with urllib.request.urlopen(address) as answer:
                    assert answer.status == 200 and answer.read(1), f"{snippet['name']}: {address}"
            except urllib.error.HTTPError as error:
                pytest.fail(f"{snippet['name']}: {address}: status {error.code}")
            assert ("key=it%27s%20%26%20" in address) == ("key" in given), f"{snippet['name']}: {address}"


@pytest.mark.parametrize("name", WEB)
def test_pages_draw(node, server, figures, name):
    result = node("snippets/open.mjs", name, server.url, OUTPUT, MODULES,
                  json.dumps(options(server, **(GROUND if name == "three" else {}))))
    assert not result["errors"], f"{name}: " + "\n".join(result["errors"])
    assert_drawn(f"snippet of {name}", OUTPUT / result["picture"])
    figures(f"snippet {name}: {result['answers']} answers")


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_run(listed, tmp_path, name):
    if name == "rasterio":
        pytest.importorskip("rasterio", reason="python3-rasterio is not installed")
    done = subprocess.run(["/usr/bin/python3", "-c", text_of(listed, name)], cwd=tmp_path, capture_output=True, text=True,
                          timeout=limit(60), check=False)
    assert done.returncode == 0 and "257, 257" in done.stdout, f"{name}: {done.stdout}{done.stderr}"


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_run(listed, tmp_path, name):
    text = text_of(listed, name).replace("curl ", "curl -fsS ")
    done = subprocess.run(["bash", "-euc", text], cwd=tmp_path, capture_output=True, text=True, timeout=limit(60),
                          env={**os.environ, "GDAL_PAM_ENABLED": "NO"}, check=False)
    assert done.returncode == 0, f"{name}: {done.stderr}"
    assert all(path.stat().st_size > 1000 for path in tmp_path.iterdir()), f"{name}: wrote {list(tmp_path.iterdir())}"
