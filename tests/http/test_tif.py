"""GeoTIFF over HTTP, read by GDAL: the f32's values, in their place."""

import json

import numpy as np
import pytest
from http_samples import channels, get_samples
from http_server import RAW_LAYERS, SINGLE_LAYERS, render, tile

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
@pytest.mark.parametrize("size,place", zip([2, 3, 64, 65, 257, 512, 256], 3 * PLACES))
def test_values_are_those_of_f32(connection, layer, size, place):
    lod, x, y = place
    answer = connection.get(tile(42, lod, x, y, "tif", layer=layer, size=size))
    assert answer["Content-Type"] == "image/tiff"
    dataset = opened(answer.body)
    assert (dataset.RasterXSize, dataset.RasterYSize, dataset.RasterCount) == (size, size, channels(layer))
    expected = get_samples(connection, 42, lod, x, y, layer, size)
    values = samples_of(dataset)
    assert values.dtype == np.float32 and values.tobytes() == expected.tobytes()


@pytest.mark.parametrize("layer", SINGLE_LAYERS)
@pytest.mark.parametrize("size,place", zip([2, 65, 256], PLACES))
def test_ascii_grids_have_the_values_and_the_place(connection, layer, size, place):
    """Of Esri: GDAL reads the very numbers, where those of the GeoTIFF lie."""
    lod, x, y = place
    answer = connection.get(tile(42, lod, x, y, "asc", layer=layer, size=size))
    assert answer["Content-Type"] == "text/plain" and answer.body.startswith(b"ncols %d\nnrows %d\n" % (size, size))
    dataset, theirs = opened(answer.body), opened(connection.get(tile(42, lod, x, y, "tif", layer=layer, size=size)).body)
    assert dataset.GetDriver().ShortName == "AAIGrid"
    assert (samples_of(dataset).astype(np.float32) == samples_of(theirs)).all()
    assert np.allclose(dataset.GetGeoTransform(), theirs.GetGeoTransform(), rtol=1e-12, atol=1e-9)


def test_ascii_grids_are_stored_coded_and_of_one_number(server, connection):
    """A second time from a cache, coded, and at a pyramid's root; normals have none, and regions neither."""
    target = tile(42, 3, 1, 1, "asc", size=65)
    first, again = connection.get(target), connection.get(target)
    assert first.body == again.body and again["X-Cache"] == "memory"
    assert connection.get(target, [("Accept-Encoding", "gzip")])["Content-Encoding"] == "gzip"
    assert opened(connection.get("/xyz/42/0/0/0.asc").body).RasterXSize == 256
    assert connection.get(tile(42, 3, 1, 1, "asc", layer="normal"), status=400)
    assert connection.get("/region/42.asc?x0=0&y0=0&w=9&h=9", status=400)


@pytest.mark.parametrize("layer", RAW_LAYERS)
def test_windows_have_the_bands_of_tiles(connection, layer):
    """Streamed, where nothing is compressed, and out of the tool."""
    place = {"recipe": "wayfarer", "layer": layer}
    expected = connection.get(tile(42, 2, 0, 2, "f32", size=256, **place)).body
    query = "&".join(f"{name}={value}" for name, value in place.items())
    streamed = connection.get(f"/region/42.tif?x0=0&y0=512&w=256&h=256&lod=2&{query}").body
    for body in (streamed, render(42, 2, 0, 2, "tif", region="1x1", **place)):
        assert samples_of(opened(body)).tobytes() == expected


@pytest.mark.parametrize("size", [65, 256, 257])
@pytest.mark.parametrize("lod,x,y", PLACES)
def test_place(connection, size, lod, x, y):
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
    dataset = opened(connection.get(tile(42, 4, -49, 19, "tif", layer="normal")).body)
    said = dataset.GetMetadata("IMAGE_STRUCTURE")
    assert said["COMPRESSION"] == "DEFLATE" and said["PREDICTOR"] == "3" and said["INTERLEAVE"] == "PIXEL"
    assert dataset.GetRasterBand(1).GetBlockSize() == [257, 64]


def test_257_samples_a_side_unless_told(connection):
    plain, sized = (connection.get(tile(42, 3, 1, 1, "tif", size=size)) for size in (None, 257))
    assert plain.body == sized.body and plain["ETag"] == sized["ETag"]


def test_it_is_not_compressed_once_more(connection):
    answer = connection.get(tile(42, 3, 1, 1, "tif"), [("Accept-Encoding", "gzip, zstd")])
    assert "Content-Encoding" not in answer and answer.body[:4] == b"II*\0"


def test_bytes_are_the_same_each_time(launch):
    """Made anew by another server, and named by the same tag."""
    one, two = launch(), launch()
    for layer in ("height", "partition"):
        a, b = (server.get(tile(42, 6, -4, -4, "tif", layer=layer)) for server in (one, two))
        assert a.body == b.body and a["ETag"] == b["ETag"]


@pytest.mark.parametrize("layer", ["height", "normal"])
def test_xyz_gives_the_tiles_tif(connection, layer):
    lod, x, y = 6, -4, -4
    there = connection.get(f"/xyz/42/{18 - lod}/{x + 2 ** 11}/{y + 2 ** 11}.tif?layer={layer}&size=257")
    assert there.body == connection.get(tile(42, lod, x, y, "tif", layer=layer, size=257)).body


def test_the_root_of_xyz_lies_around_the_origin(connection):
    dataset = opened(connection.get("/xyz/42/0/0/0.tif?size=257").body)
    spacing, half = 2.0 ** 18, 2.0 ** 25
    assert dataset.GetGeoTransform() == (-half - spacing / 2, spacing, 0, half + spacing / 2, 0, -spacing)


def test_neighbours_of_a_tif_are_a_mosaic(connection):
    """GDAL puts tiles of size 256 side by side without a gap."""
    names = []
    for x in (0, 1):
        name = f"/vsimem/mosaic-{x}.tif"
        gdal.FileFromMemBuffer(name, connection.get(tile(42, 4, x, 0, "tif", size=256)).body)
        names.append(name)
    whole = gdal.BuildVRT("", names)
    assert (whole.RasterXSize, whole.RasterYSize) == (512, 256)
    expected = np.hstack([get_samples(connection, 42, 4, x, 0, "height", 256) for x in (0, 1)])
    assert np.array_equal(whole.ReadAsArray(), expected)


@pytest.mark.parametrize("target,name", [
    (tile(42, 0, 0, 0, "tif", size=66), "size"), (tile(42, 0, 0, 0, "tif", size=513), "size"),
    (tile(42, 0, 0, 0, "tif", size=1), "size"), (tile(42, 0, 0, 0, "tif", layer="relief"), "ext"),
    (tile(42, 0, 0, 0, "tif", layer="hillshade"), "ext"), ("/terrain/42/3/0/0.tif", "ext")])
def test_what_no_tif_has_is_400(connection, target, name):
    problem = json.loads(connection.get(target, status=400).body)
    assert problem["parameter"] == name, problem
