"""Archives of `terrane seed`: the pmtiles package and SQLite find in them what the server answers at /xyz."""

import base64
import sqlite3

import pytest

from http_server import run

# Around the world's origin, 4 x 4 tiles of the deepest zoom.
SIDE_M = 256 << 8
BOUNDS = f"{-2 * SIDE_M},{-2 * SIDE_M},{2 * SIDE_M},{2 * SIDE_M}"
DEEPEST = 10  # z of level 8
TILES = [(10, 511, 512), (10, 510, 513), (9, 255, 256), (8, 127, 127), (8, 128, 128)]


@pytest.fixture(scope="module")
def seed(tmp_path_factory):
    """seed(ENDING): an archive of heights of levels 8 to 10, its path."""
    folder = tmp_path_factory.mktemp("archives")

    def make(ending):
        path = folder / f"world.{ending}"
        if not path.exists():
            done = run("seed", 42, "-o", path, "--bounds", BOUNDS, "--lod", "8..10", "--layer", "height", seconds=120)
            assert done.returncode == 0, f"terrane seed: {done.stderr.decode()}"
        return path
    return make


def test_pmtiles(seed, node, modules, server):
    names = ["/".join(map(str, tile)) for tile in TILES]
    read = node("pmtiles/read.mjs", modules, seed("pmtiles"), *names, "9/0/0")
    header = read["header"]
    assert (header["minZoom"], header["maxZoom"], header["tileType"]) == (8, 10, 2), f"pmtiles: {header}"
    assert read["metadata"]["encoding"] == "terrarium", f"pmtiles: {read['metadata']}"
    assert read["tiles"]["9/0/0"] is None, "pmtiles: it has a tile that is outside of its window"
    for name in names:
        assert read["tiles"][name], f"pmtiles: no tile {name}"
        assert base64.b64decode(read["tiles"][name]) == server.get(f"/xyz/42/{name}.png").body, f"pmtiles: {name} differs from /xyz"


def test_mbtiles(seed, server):
    data = sqlite3.connect(f"file:{seed('mbtiles')}?mode=ro", uri=True)
    about = dict(data.execute("SELECT name, value FROM metadata"))
    assert (about["format"], about["minzoom"], about["maxzoom"]) == ("png", "8", "10"), f"mbtiles: {about}"
    for z, x, y in TILES:
        found = data.execute("SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?",
                             (z, x, (1 << z) - 1 - y)).fetchone()
        assert found, f"mbtiles: no tile {z}/{x}/{y}"
        assert found[0] == server.get(f"/xyz/42/{z}/{x}/{y}.png").body, f"mbtiles: {z}/{x}/{y} differs from /xyz"
    (count,) = data.execute(f"SELECT COUNT(*) FROM tiles WHERE zoom_level = {DEEPEST}").fetchone()
    assert count == 16, f"mbtiles: {count} tiles at zoom {DEEPEST} instead of 16"
