"""MBTiles as others read them: the specification's rows, Martin and what MapLibre asks it for (in a browser: tests/clients), GDAL."""

import json
import sqlite3

import numpy as np
import pytest
from http_archives import martin, mbtiles, numbers
from http_samples import from_png
from http_seed import seed

WINDOW = ["--zoom", "7-9", "--zoom-window", "9/256-258/254-255", "--variant", "base"]
NAMED = {"name", "format", "bounds", "center", "minzoom", "maxzoom", "attribution", "description", "type", "version", "json"}  # MBTiles 1.3
OURS = {"encoding", "tileSize", "agg_tiles_hash"}  # and terrane:...
EARTH_M = 20037508.342789244


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    path = tmp_path_factory.mktemp("mbtiles") / "a.mbtiles"
    seed(*WINDOW, "-o", path)
    return path


def test_rows_are_those_of_the_specification(archive):
    tiles, rows = mbtiles(archive)
    assert {name for name in rows if not name.startswith("terrane:")} - OURS == NAMED - {"attribution"} and all(rows.values())
    assert rows["format"] == "png" and rows["type"] in ("overlay", "baselayer") and float(rows["version"]) > 0
    least, most = int(rows["minzoom"]), int(rows["maxzoom"])
    assert {z for z, _, _ in tiles} == set(range(least, most + 1))
    west, south, east, north = numbers(rows["bounds"], 4)
    x, y, zoom = numbers(rows["center"], 3)
    assert -180 <= west < x < east <= 180 and -85.06 < south < y < north < 85.06 and least <= zoom <= most and zoom == int(zoom)
    assert isinstance(json.loads(rows["json"]), dict)
    with sqlite3.connect(f"file:{archive}?mode=ro", uri=True) as database:
        kinds = {table: database.execute(f"PRAGMA table_info({table})").fetchall() for table in ("metadata", "tiles")}
        assert [(row[1], row[2].lower()) for row in kinds["metadata"]] == [("name", "text"), ("value", "text")]
        assert [(row[1], row[2].lower()) for row in kinds["tiles"]] == [("zoom_level", "integer"), ("tile_column", "integer"),
                                                                ("tile_row", "integer"), ("tile_data", "blob")]
        unique = [index[1] for index in database.execute("PRAGMA index_list(tiles)") if index[2]]
        assert [row[2] for row in database.execute(f"PRAGMA index_info({unique[0]})")] == ["zoom_level", "tile_column", "tile_row"]


def shown(told, tile):
    """MapLibre: tiles within bounds and zooms, counted from the south where TileJSON says scheme tms."""
    west, south, east, north = told["bounds"]

    def row(latitude, z):
        return (0.5 - np.arcsinh(np.tan(np.radians(latitude))) / (2 * np.pi)) * 2 ** z

    def column(longitude, z):
        return (longitude / 360 + 0.5) * 2 ** z

    found = {}
    for z in range(told["minzoom"], told["maxzoom"] + 1):
        for x in range(int(column(west, z)), int(np.ceil(column(east, z) - 1e-6))):
            for y in range(int(row(north, z) + 1e-6), int(np.ceil(row(south, z) - 1e-6))):
                found[z, x, y] = tile(z, x, 2 ** z - 1 - y if told.get("scheme") == "tms" else y)
    return found


def test_martin_and_maplibre_show_every_tile_where_it_is(server, archive):
    told, tile = martin(archive)
    tiles, _ = mbtiles(archive)
    found = shown(told, tile)
    assert found == tiles and len(tiles) == 1 + 2 + 6  # none that is asked for is missing, none is out of bounds
    for (z, x, y), data in found.items():
        assert server.get(f"/xyz/42/{z}/{x}/{y}.png?variant=base").body == data
    assert told["json"] == {"encoding": "terrarium", "tileSize": 256} and told["encoding"] == "terrarium"


def test_gdal_reads_it(server, archive):
    gdal = pytest.importorskip("osgeo.gdal", reason="python3-gdal is not installed")
    gdal.UseExceptions()
    data = gdal.Open(str(archive))
    side_m = 2 * EARTH_M / 2 ** 9
    assert (data.RasterXSize, data.RasterYSize, data.GetRasterBand(1).GetOverviewCount()) == (768, 512, 2)
    west, pixel_m, _, north, _, down_m = data.GetGeoTransform()
    assert (west, north) == pytest.approx((0, 2 * side_m), abs=0.01) and pixel_m == pytest.approx(side_m / 256) == -down_m
    assert data.GetMetadataItem("minzoom") == "7" and data.GetMetadataItem("name") == "terrane 42 height"
    for x, y in ((256, 254), (258, 255)):
        expected = from_png(server.get(f"/xyz/42/9/{x}/{y}.png?variant=base").body)
        found = data.ReadAsArray((x - 256) * 256, (y - 254) * 256, 256, 256)
        assert np.array_equal(found[:3], np.moveaxis(expected, -1, 0)) and (found[3] == 255).all()
