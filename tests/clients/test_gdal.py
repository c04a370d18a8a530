"""GDAL on vector tiles, GDAL and rasterio on the whole world by /gdal/{seed}.xml: the numbers of npy where npy has them. What GDAL
reads of tiles and regions: tests/http/test_tif.py."""

import io
import urllib.request

import numpy as np
import pytest
from http_mvt import read_mvt

gdal = pytest.importorskip("osgeo.gdal", reason="python3-gdal is not installed")
rasterio = pytest.importorskip("rasterio", reason="python3-rasterio is not installed")
gdal.UseExceptions()

HALF_M = 33554432  # the world's window on web maps, from the middle
EARTH_M = 20037508.342789244


def fetch(server, target):
    with urllib.request.urlopen(server.url + target) as answer:
        return answer.read()


def npy(server, target):
    return np.load(io.BytesIO(fetch(server, target)))


def test_gdal_reads_vector_tiles(server, tmp_path):
    """Every layer and feature that the tile has, with its fields."""
    path, body = tmp_path / "0.mvt", fetch(server, "/tile/42/5/-35/22.mvt")
    path.write_bytes(body)
    data = gdal.OpenEx(str(path), gdal.OF_VECTOR, open_options=["CLIP=NO"])
    assert data.GetDriver().ShortName == "MVT"
    layers = read_mvt(body)
    assert {data.GetLayer(k).GetName() for k in range(data.GetLayerCount())} == set(layers) and {"contour", "water", "river"} <= set(layers)
    for name, features in layers.items():
        layer = data.GetLayerByName(name)
        assert layer.GetFeatureCount() == len(features)
        for feature, own in zip(layer, features):
            told = {key: value for key, value in feature.items().items() if value is not None and key != "mvt_id"}
            assert told == own.properties and not feature.GetGeometryRef().IsEmpty()


# ---- The whole world ------------------------------------------------------------------------------------------------

def read_world(data, lod, x, y):
    """A tile's 256 x 256 samples of the world's raster, in which a pixel is a sample of level 0."""
    side = 256 << lod
    return data.ReadAsArray(HALF_M + x * side, HALF_M + y * side, side, side, buf_xsize=256, buf_ysize=256)


@pytest.mark.parametrize("how", ["its text", "a file", "its address"])
def test_gdal_reads_the_world(server, tmp_path, how):
    text = fetch(server, "/gdal/42.xml").decode()
    path = tmp_path / "world.xml"
    path.write_text(text)
    data = gdal.Open({"its text": text, "a file": str(path), "its address": f"{server.url}/gdal/42.xml"}[how])
    assert (data.RasterXSize, data.RasterYSize) == (2 * HALF_M, 2 * HALF_M)
    west, east = data.GetGeoTransform()[0], data.GetGeoTransform()[0] + data.RasterXSize * data.GetGeoTransform()[1]
    assert abs(west + EARTH_M) < 1e-3 and abs(east - EARTH_M) < 1e-3, f"gdal: the world lies from {west} to {east}"
    for lod, x, y in ((6, -24, 8), (0, -1486, 522), (9, 0, -1)):
        values = read_world(data, lod, x, y)
        expected = npy(server, f"/tile/42/{lod}/{x}/{y}.npy?size=256")
        assert values.dtype == np.float32, f"gdal: /gdal/42.xml gives {values.dtype}"
        assert np.array_equal(values, expected), f"gdal: /gdal/42.xml differs from /tile/42/{lod}/{x}/{y}.npy"


def test_rasterio_reads_the_world(server, tmp_path):
    path = tmp_path / "world.xml"
    path.write_bytes(fetch(server, "/gdal/42.xml"))
    with rasterio.open(path) as data:
        window = rasterio.windows.Window(HALF_M - 1486 * 256, HALF_M + 522 * 256, 256, 256)
        values = data.read(1, window=window)
        assert data.crs.to_epsg() == 3857
    assert np.array_equal(values, npy(server, "/tile/42/0/-1486/522.npy?size=256")), "rasterio: /gdal/42.xml differs from npy"
