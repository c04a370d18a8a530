"""Archives of `terrane seed`: the pmtiles package finds in one what the server answers at /xyz, and MapLibre GL, behind a server that
reads MBTiles by Martin's rules, the heights of its tiles. MBTiles' rows, and GDAL: tests/http/test_mbtiles.py."""

import base64
import contextlib
import http.server
import json
import math
import threading

import numpy as np
import pytest

from folders import OUTPUT
from http_archives import martin, mbtiles
from http_samples import from_png
from http_server import run
from pictures import assert_drawn

# Around the world's origin, 4 x 4 tiles of the deepest zoom.
SIDE_M = 256 << 8
BOUNDS = f"{-2 * SIDE_M},{-2 * SIDE_M},{2 * SIDE_M},{2 * SIDE_M}"
TILES = [(10, 511, 512), (10, 510, 513), (9, 255, 256), (8, 127, 127), (8, 128, 128)]


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Heights of levels 8 to 10."""
    path = tmp_path_factory.mktemp("archives") / "world.pmtiles"
    done = run("seed", 42, "-o", path, "--bounds", BOUNDS, "--lod", "8..10", "--layer", "height")
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


@contextlib.contextmanager
def tile_server(archive):
    """Its address; TileJSON at /archive, tiles at /archive/z/x/y, nothing (204) where the archive has none. And what was asked in vain."""
    told, tile = martin(archive)
    missing = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):  # pylint: disable=arguments-differ
            pass

        def do_GET(self):  # pylint: disable=invalid-name
            at = self.path.split("/")[2:]
            body = tile(*map(int, at)) if at else json.dumps(
                {"tilejson": "3.0.0", "tiles": [f"http://{self.headers['Host']}/archive/{{z}}/{{x}}/{{y}}"], **told}).encode()
            if not body:
                missing.append(self.path)
            self.send_response(200 if body else 204)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Content-Type", "image/png" if at else "application/json")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as served:
        thread = threading.Thread(target=served.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{served.server_address[1]}", missing
        finally:
            served.shutdown()
            thread.join()


def ground(tiles, z, longitude, latitude):
    """Metres between the middles of pixels of zoom z: bilinear."""
    x = (longitude / 360 + 0.5) * 2 ** z * 256 - 0.5
    y = (0.5 - math.asinh(math.tan(math.radians(latitude))) / (2 * math.pi)) * 2 ** z * 256 - 0.5
    i, j = math.floor(x), math.floor(y)

    def pixel(column, row):
        red, green, blue = from_png(tiles[z, column // 256, row // 256])[row % 256, column % 256, :3]
        return red * 256 + green + blue / 256 - 32768

    rows = [np.interp(x, [i, i + 1], [pixel(i, row), pixel(i + 1, row)]) for row in (j, j + 1)]
    return np.interp(y, [j, j + 1], rows)


def test_maplibre_reads_mbtiles(tmp_path, node, modules, figures):
    archive = tmp_path / "world.mbtiles"
    done = run("seed", 42, "-o", archive, "--zoom", "7-9", "--zoom-window", "9/256-259/252-255", "--reg", "center")
    assert done.returncode == 0, f"terrane seed: {done.stderr.decode()}"
    with tile_server(archive) as (url, missing):
        result = node("harness/browse.mjs", "mbtiles", url, OUTPUT, modules)
    assert not result["errors"] and not missing, f"mbtiles: {result['errors']}, asked in vain: {missing}"
    assert_drawn("mbtiles", OUTPUT / result["picture"])
    tiles, _ = mbtiles(archive)
    places, heights = result["measured"]["places"], result["measured"]["heights"]
    off = {z: max(abs(height - ground(tiles, z, *place)) for place, height in zip(places, heights)) for z in (7, 8, 9)}
    assert min(off.values()) < 1e-6 and np.ptp(heights) > 1, f"mbtiles: {heights} at {places} are off by zoom {off}"
    figures(f"mbtiles: {result['answers']} answers, {result['measured']}")
