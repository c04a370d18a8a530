"""Godot's addon in godot3-server, and in Godot 4 as it is made for browsers: meshes, water and shapes to stand on are what f32 says, without a hole where levels meet, while they load, or after the
server was away."""

import base64
import json
import os
import shutil
import subprocess

import numpy as np
import pytest
from folders import HERE, MODULES, ROOT
from http_client import limit
from pck import pack
from shared import Relay

N, REACH = 33, 6000
STOPS = [{"x": 0, "y": 260, "z": 0}, {"x": 9000, "y": 300, "z": -7000, "hurry": True}, {"x": -1700.5, "y": 90, "z": 2500.25, "moved": True}]


def start3(directory, drive):
    for part in (HERE / "godot", ROOT / "engines/godot"):
        shutil.copytree(part, directory, dirs_exist_ok=True)
    return subprocess.Popen(["godot3-server", "--path", directory, "-s", "drive.gd"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env={**os.environ, "HOME": str(directory), "LC_ALL": "C.UTF-8", "DRIVE": drive})


def start4(directory, drive):
    for part in (HERE / "godot4", ROOT / "engines/godot"):
        shutil.copytree(part, directory / "project", dirs_exist_ok=True)
    shutil.copy(HERE / "godot/course.gd", directory / "project")
    shutil.rmtree(directory / "project/addons/terrane/godot3")
    (directory / "project.pck").write_bytes(pack(directory / "project"))
    return subprocess.Popen(["node", HERE / "harness/godot.mjs", MODULES, directory / "project.pck", drive, directory / "drive.json"],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def numbers(text, width, kind="<f4"):
    """What var2bytes made of an array: its type, its count, numbers of 32 bits."""
    return np.frombuffer(base64.b64decode(text), kind, offset=8).reshape(-1, width)


class Tile:
    def __init__(self, server, told):
        self.lod, self.x, self.y = map(int, told["key"].split("/"))
        self.side, self.skirt = 256 << self.lod, told["skirt"]
        self.at, self.surfaces = told["at"], told["surfaces"]
        self.layer = lambda name, width=1: np.frombuffer(server.get(f"/tile/42/{told['key']}.f32?layer={name}&size={N}").body, "<f4").reshape(-1, width)
        self.height = self.layer("height")[:, 0]

    def check(self, server, place, colours):
        """Its meshes' vertices and triangles, from what the server has."""
        assert np.allclose(self.at, [self.x * self.side - place[0], self.y * self.side - place[1]])
        grid = np.arange(N) * self.side / (N - 1)
        places, ups, painted = (numbers(text, width) for text, width in zip(self.surfaces[0], (3, 3, 4)))
        rim = np.array([*range(N), *range(N - 1, N * N, N), *range(N * N - N, N * N), *range(0, N * N, N)])
        every = np.concatenate([np.arange(N * N), rim])
        assert np.array_equal(places[:N * N, 1], self.height) and np.allclose(places[N * N:, 1], self.height[rim] - self.skirt, atol=0.01)
        assert np.array_equal(places[:, 0], np.tile(grid, N)[every]) and np.array_equal(places[:, 2], np.repeat(grid, N)[every])
        assert np.allclose(ups, self.layer("normal", 3)[every][:, [0, 2, 1]], atol=0.01)  # Godot keeps a byte of each
        weights = np.concatenate([np.frombuffer(server.get(f"/tile/42/{self.lod}/{self.x}/{self.y}.rgba8?layer=cover&bands={band}&size={N}").body, "u1").reshape(-1, 4)
                                  for band in (0, 1)], axis=1)
        assert np.allclose(painted[:, :3], (weights / 255 @ colours)[every], atol=0.01)
        corners = numbers(self.surfaces[0][3], 3, "<i4")[:2 * (N - 1) ** 2]
        assert (np.cross(places[corners[:, 1]] - places[corners[:, 0]], places[corners[:, 2]] - places[corners[:, 0]])[:, 1] < 0).all()
        assert len(np.unique(np.sort(corners, axis=1), axis=0)) == len(corners)
        surface = self.layer("surface")[:, 0]
        wet = (surface > self.height).reshape(N, N)
        cells = wet[1:, 1:] | wet[1:, :-1] | wet[:-1, 1:] | wet[:-1, :-1]
        assert len(self.surfaces) == 1 + wet.any()
        if wet.any():
            assert np.array_equal(numbers(self.surfaces[1][0], 3)[:, 1], surface)
            first = numbers(self.surfaces[1][3], 6, "<i4")[:, 0]
            assert np.array_equal(first, np.flatnonzero(np.pad(cells, (0, 1)).ravel()[:N * N - N]))
        return wet.any()

    def edge(self, way):
        """Heights along one of its sides: 0 west, 1 east, 2 north, 3 south."""
        square = self.height.reshape(N, N)
        return (square[:, 0], square[:, -1], square[0], square[-1])[way]

    def height_at(self, x, y):
        u, v = (x - self.x * self.side) * (N - 1) / self.side, (y - self.y * self.side) * (N - 1) / self.side
        i, j = min(int(u), N - 2), min(int(v), N - 2)
        (a, b), (c, d) = self.height.reshape(N, N)[j:j + 2, i:i + 2].astype(float)
        u, v = u - i, v - j
        return a + u * (b - a) + v * (c - a) if u + v <= 1 else d + (1 - u) * (c - d) + (1 - v) * (b - d)


def check_edges(tiles, owner):
    """Where a tile meets another, the skirt of the higher one reaches down to the lower; tiles of a level meet to the bit."""
    steps = 0
    for tile in tiles:
        for way in (1, 3):
            along = np.arange(N) * tile.side / (N - 1)
            for k in range(N):
                x, y = tile.x * tile.side, tile.y * tile.side
                at = (x + tile.side, y + along[k]) if way == 1 else (x + along[k], y + tile.side)
                inner = min(along[k], tile.side - 1)
                other = owner.get(((x + tile.side) // 256, int(y + inner) // 256) if way == 1 else (int(x + inner) // 256, (y + tile.side) // 256))
                if other is None:
                    continue
                there = at[1] - other.y * other.side if way == 1 else at[0] - other.x * other.side
                across = np.interp(there, np.arange(N) * other.side / (N - 1), other.edge(way - 1))
                gap = float(tile.edge(way)[k]) - across
                assert gap <= tile.skirt and -gap <= other.skirt and (gap == 0 or tile.lod != other.lod)
                steps += gap != 0
    return steps


def check(server, told, stop):
    tiles = [Tile(server, each) for each in told["tiles"]]
    colours = np.array([[int(material["colour"][k:k + 2], 16) / 255 for k in (1, 3, 5)] for material in server.json("/world/42")["cover"]])
    wet = sum(tile.check(server, told["place"], colours) for tile in tiles)
    owner = {}
    for tile in tiles:
        for y in range(1 << tile.lod):
            for x in range(1 << tile.lod):
                assert owner.setdefault(((tile.x << tile.lod) + x, (tile.y << tile.lod) + y), tile) is tile
    assert check_edges(tiles, owner) > 0 and {tile.lod for tile in tiles} >= {0, 1, 2, 3}
    for x, z, hit, height in told["rays"]:
        at = told["place"][0] + x, told["place"][1] + z
        assert abs(owner[at[0] // 256, at[1] // 256].height_at(*at) - height) < 1e-3 and abs(hit - height) < 0.01
    centre = told["place"][0] + stop["x"], told["place"][1] + stop["z"]
    assert all(((centre[0] + x) // 256, (centre[1] + y) // 256) in owner for x in (-REACH, 0, REACH) for y in (-REACH / 2, 0, REACH / 2) if x * x + y * y <= REACH ** 2)
    return wet


@pytest.mark.parametrize("start", [start3, start4])
def test_it_is_the_world(server, tmp_path, figures, modules, start):
    """On a coast, from where the server does not answer yet on. A place that is left before it is there is not waited for; the node may leave the tree and come back."""
    relay = Relay()
    x, y = server.json("/find/42?what=coast&x=-262724&y=217704&lod=3")["features"][0]["geometry"]["coordinates"][:2]
    process = start(tmp_path, json.dumps({"set": {"url": relay.url, "samples": N, "reach_m": REACH}, "at": [x, y], "stops": STOPS}))
    try:
        log = ""
        while "trouble: no answer" not in log:
            line = process.stdout.readline()
            assert line, log
            log += line
        relay.to = server.public
        log += process.communicate(timeout=limit(300))[0]
    finally:
        process.kill()
        relay.close()
    assert process.returncode == 0 and "SCRIPT ERROR" not in log, log
    told = json.loads((tmp_path / "drive.json").read_text())
    assert sum(check(server, each, stop) for each, stop in zip(told, (STOPS[0], STOPS[2]))) > 0
    assert len(told) == 2 and told[0]["place"] == [x, y] and told[1]["cancelled"] > 0 and all(each["holes"] == 0 and each["trouble"] > 0 for each in told)
    figures(f"godot {told[0]['version']}: {len(told[0]['tiles'])} and {len(told[1]['tiles'])} tiles")
