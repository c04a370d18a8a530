"""Models: what `terrane model` grows and /model serves, read by a reader of meshes that knows nothing of how they are grown."""

import json
import re

import numpy as np
import pytest
from http_client import in_less_than
from http_mesh import from_glb
from http_server import ROOT, run

MODELS = run("model", "--list").stdout.decode().split()
HEIGHTS = {"conifer": (6, 12), "broadleaf": (5, 8), "palm": (6, 12), "shrub": (0.8, 2), "cactus": (2, 5), "dead-tree": (3, 8), "boulder": (0.8, 1.6)}


def path(name, seed=0):
    return f"/model/{name}.glb" + (f"?seed={seed}" if seed else "")


def test_there_are_those_that_the_descriptions_name(server):
    described = json.loads(server.get("/openapi.json").body)["components"]["parameters"]["model"]["schema"]["enum"]
    assert MODELS == described == list(HEIGHTS)
    for page in ("docs/formats.md", "man/terrane.1"):
        text = (ROOT / page).read_text()
        assert all(re.search(rf"\b{name}\b", text) for name in MODELS), page


@pytest.mark.parametrize("seed", [0, 7, 15])
@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_a_mesh_on_its_foot(server, name, seed):
    answer = server.get(path(name, seed))
    assert answer["Content-Type"] == "model/gltf-binary" and "Terrane-Seed" not in answer
    mesh = from_glb(answer.body)
    at, normals, colours = (mesh.attributes[part] for part in ("POSITION", "NORMAL", "COLOR_0"))
    assert 200 <= len(mesh.triangles) <= 900
    assert np.abs(np.linalg.norm(normals, axis=1) - 1).max() < 1e-6
    assert 0 <= colours.min() and (colours[:, 3] == 1).all() and colours[:, :3].std() > 0.005
    low, high = HEIGHTS[name]
    assert low < at[:, 1].max() < high and -0.8 < at[:, 1].min() <= 0
    stated = mesh.json["accessors"][0]
    assert np.array_equal(at.min(axis=0), stated["min"]) and np.array_equal(at.max(axis=0), stated["max"])
    faces = at[mesh.triangles]
    across = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
    assert (np.einsum("ij,ikj->i", across, normals[mesh.triangles]) > 0).mean() > 0.99  # they face where they are lit from
    assert mesh.json["materials"][0]["doubleSided"] and mesh.json["nodes"][0]["name"] == name


def test_the_command_line_writes_the_same_bytes(server, tmp_path):
    for name in MODELS:
        assert run("model", name, "--seed", 3).stdout == server.get(path(name, 3)).body != server.get(path(name, 4)).body
    file = tmp_path / "tree.glb"
    assert run("model", "palm", "-o", file).stdout == b"" and file.read_bytes() == server.get(path("palm")).body


@in_less_than(60)
def test_a_304_costs_nothing(launch):
    server = launch(config={"limits": {"tiles_per_minute": 1, "tiles_burst": 1}})
    tag = server.get(path("palm"))["ETag"]
    assert [server.ask(path("palm"), headers=headers).status for headers in ([("If-None-Match", tag)], [])] == [304, 429]
