"""Archives of `terrane seed`: the pmtiles package finds in one what the server answers at /xyz. MBTiles, as Martin, MapLibre and GDAL read them:
tests/http/test_mbtiles.py."""

import base64

import pytest

from http_server import run

# Around the world's origin, 4 x 4 tiles of the deepest zoom.
SIDE_M = 256 << 8
BOUNDS = f"{-2 * SIDE_M},{-2 * SIDE_M},{2 * SIDE_M},{2 * SIDE_M}"
TILES = [(10, 511, 512), (10, 510, 513), (9, 255, 256), (8, 127, 127), (8, 128, 128)]


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Heights of levels 8 to 10."""
    path = tmp_path_factory.mktemp("archives") / "world.pmtiles"
    done = run("seed", 42, "-o", path, "--bounds", BOUNDS, "--lod", "8..10", "--layer", "height", seconds=120)
    assert done.returncode == 0, f"terrane seed: {done.stderr.decode()}"
    return path


def test_pmtiles(archive, node, modules, server):
    names = ["/".join(map(str, tile)) for tile in TILES]
    read = node("pmtiles/read.mjs", modules, archive, *names, "9/0/0")
    header = read["header"]
    assert (header["minZoom"], header["maxZoom"], header["tileType"]) == (8, 10, 2), f"pmtiles: {header}"
    assert read["metadata"]["encoding"] == "terrarium", f"pmtiles: {read['metadata']}"
    assert read["tiles"]["9/0/0"] is None, "pmtiles: it has a tile that is outside of its window"
    for name in names:
        assert read["tiles"][name], f"pmtiles: no tile {name}"
        assert base64.b64decode(read["tiles"][name]) == server.get(f"/xyz/42/{name}.png").body, f"pmtiles: {name} differs from /xyz"
