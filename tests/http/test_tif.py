"""GeoTIFF over HTTP, read by GDAL: the f32's values, in their place."""

import numpy as np
import pytest
from http_samples import channels, get_samples
from http_server import RAW_LAYERS, WHOLE_FILE, render, tile

gdal = pytest.importorskip("osgeo.gdal")
gdal.UseExceptions()

PLACES = [(0, 3, -7), (4, -49, 19), (12, 5, -2)]


def opened(body):
    """Bytes as a data set; they stay in memory as long as it does."""
    name = f"/vsimem/{len(body)}-{hash(body)}.tif"
    gdal.FileFromMemBuffer(name, body)
    return gdal.Open(name)


def samples_of(dataset):
    """[row, column] or [row, column, band]."""
    bands = [dataset.GetRasterBand(b + 1).ReadAsArray() for b in range(dataset.RasterCount)]
    return bands[0] if len(bands) == 1 else np.stack(bands, axis=-1)


@pytest.mark.parametrize("layer", RAW_LAYERS)
@pytest.mark.parametrize("size,place", zip([3, 64, 512], PLACES))
def test_values_are_those_of_f32(connection, layer, size, place):
    lod, x, y = place
    answer = connection.get(tile(42, lod, x, y, "tif", layer=layer, size=size))
    assert answer["Content-Type"] == "image/tiff"
    dataset = opened(answer.body)
    assert (dataset.RasterXSize, dataset.RasterYSize, dataset.RasterCount) == (size, size, channels(layer))
    expected = get_samples(connection, 42, lod, x, y, layer, size)
    values = samples_of(dataset)
    assert values.dtype == np.float32 and values.tobytes() == expected.tobytes()


@pytest.mark.parametrize("layer,size,place", zip(["height", "flow", "slope"], [2, 65, 256], PLACES))
def test_ascii_grids_have_the_values_and_the_place(connection, layer, size, place):
    """Of Esri: GDAL reads the very numbers, where those of the GeoTIFF lie."""
    lod, x, y = place
    answer = connection.get(tile(42, lod, x, y, "asc", layer=layer, size=size))
    assert answer["Content-Type"] == "text/plain" and answer.body.startswith(b"ncols %d\nnrows %d\n" % (size, size))
    dataset, theirs = opened(answer.body), opened(connection.get(tile(42, lod, x, y, "tif", layer=layer, size=size)).body)
    assert dataset.GetDriver().ShortName == "AAIGrid"
    assert (samples_of(dataset).astype(np.float32) == samples_of(theirs)).all()
    assert np.allclose(dataset.GetGeoTransform(), theirs.GetGeoTransform(), rtol=1e-12, atol=1e-9)


def test_ascii_grids_are_stored_and_coded(connection):
    """A second time from a cache, coded, and at a pyramid's root; regions have none."""
    target = tile(42, 3, 1, 1, "asc", size=65)
    first, again = connection.get(target), connection.get(target)
    assert first.body == again.body and again["X-Cache"] == "memory"
    assert connection.get(target, [("Accept-Encoding", "gzip")])["Content-Encoding"] == "gzip"
    assert opened(connection.get("/xyz/42/0/0/0.asc").body).RasterXSize == 256
    assert connection.get("/region/42.asc?x0=0&y0=0&w=9&h=9", status=400)


@pytest.mark.parametrize("layer", ["height", "normal", "partition", "path"])
def test_windows_have_the_bands_of_tiles(connection, layer):
    """Streamed, where nothing is compressed, and out of the tool."""
    place = {"recipe": "whole", "layer": layer}
    expected = connection.get(tile(42, 9, 0, 2, "f32", size=256, **place)).body
    query = "&".join(f"{name}={value}" for name, value in place.items())
    streamed = connection.get(f"/region/42.tif?x0=0&y0=512&w=256&h=256&lod=9&{query}").body
    for body in (streamed, render(42, 9, 0, 2, "tif", region="1x1", **{**place, "recipe": WHOLE_FILE})):
        assert samples_of(opened(body)).tobytes() == expected


@pytest.mark.parametrize("size,place", zip([65, 256, 257], PLACES))
def test_place(connection, size, place):
    lod, x, y = place
    dataset = opened(connection.get(tile(42, lod, x, y, "tif", size=size)).body)
    side = 256 * 2.0 ** lod
    spacing = side / (size - size % 2)
    # GDAL's corner is the first pixel's, half a pixel before the point it stands for; y grows north there.
    west, north = x * side - spacing / 2, -y * side + spacing / 2
    assert dataset.GetGeoTransform() == (west, spacing, 0, north, 0, -spacing)
    assert dataset.GetMetadataItem("AREA_OR_POINT") == "Point"
    plane = dataset.GetSpatialRef()
    assert plane.IsLocal() and not plane.IsProjected() and not plane.IsGeographic()
    assert plane.GetLinearUnits() == 1
    assert plane.GetAttrValue("LOCAL_CS") == "terrane plane"


def test_structure(connection):
    """And it is not compressed once more."""
    answer = connection.get(tile(42, 4, -49, 19, "tif", layer="normal"), [("Accept-Encoding", "gzip, zstd")])
    assert "Content-Encoding" not in answer and answer.body[:4] == b"II*\0"
    dataset = opened(answer.body)
    said = dataset.GetMetadata("IMAGE_STRUCTURE")
    assert said["COMPRESSION"] == "DEFLATE" and said["PREDICTOR"] == "3" and said["INTERLEAVE"] == "PIXEL"
    assert dataset.GetRasterBand(1).GetBlockSize() == [257, 64]


def test_the_root_of_xyz_lies_around_the_origin(connection):
    dataset = opened(connection.get("/xyz/42/0/0/0.tif?size=257").body)
    spacing, half = 2.0 ** 18, 2.0 ** 25
    assert dataset.GetGeoTransform() == (-half - spacing / 2, spacing, 0, half + spacing / 2, 0, -spacing)
