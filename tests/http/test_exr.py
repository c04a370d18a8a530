"""OpenEXR and raw weights over HTTP: the first, read by OpenImageIO, is the f32; the second is the pixels of the PNG."""

import numpy as np
import pytest
from http_samples import from_png, get_samples
from http_server import RAW_LAYERS, WHOLE_FILE, render, tile

oiio = pytest.importorskip("OpenImageIO")

PLACES = [(0, 3, -7), (4, -49, 19), (12, 5, -2)]
WHOLE = {"recipe": "whole"}


@pytest.fixture
def opened(tmp_path):
    """Bytes as samples, [row, column] or with their channels, and the header."""
    def read(body):
        (tmp_path / "tile.exr").write_bytes(body)
        image = oiio.ImageInput.open(str(tmp_path / "tile.exr"))
        spec, samples = image.spec(), image.read_image(oiio.FLOAT)
        assert samples is not None and str(spec.format) == "float", oiio.geterror()
        image.close()
        count = spec.nchannels
        names = ["Y"] if count == 1 else [*"RGBA"[:count]] if count <= 4 else [f"C{k:02d}" for k in range(count)]
        assert set(spec.channelnames) == set(names)
        samples = samples[..., [spec.channelnames.index(name) for name in names]]
        return samples[..., 0] if count == 1 else samples, spec
    return read


@pytest.mark.parametrize("layer", RAW_LAYERS)
@pytest.mark.parametrize("size,place", zip([3, 64, 512], PLACES))
def test_values_are_those_of_f32(connection, opened, layer, size, place):
    lod, x, y = place
    answer = connection.get(tile(42, lod, x, y, "exr", layer=layer, size=size))
    assert answer["Content-Type"] == "image/x-exr" and "Content-Encoding" not in answer
    samples, spec = opened(answer.body)
    expected = get_samples(connection, 42, lod, x, y, layer, size)
    assert samples.shape == expected.shape and samples.tobytes() == expected.tobytes()
    assert spec.getattribute("compression") == "zip"
    spacing = 256 * 2.0 ** lod / (size - size % 2)
    assert [spec.getattribute(name) for name in ("west_m", "north_m", "spacing_m")] == [
        x * 256 * 2.0 ** lod, -y * 256 * 2.0 ** lod, spacing]


@pytest.mark.parametrize("layer", ["height", "normal", "partition", "path", "cover"])
def test_windows_are_those_of_f32(connection, opened, layer):
    """Streamed, over four tiles and uncompressed; any part of it by itself; and out of the tool."""
    place = "x0=200&y0=612&w=300&h=270&lod=9&recipe=whole&layer=" + layer
    expected = connection.get(f"/region/42.f32?{place}").body
    body = connection.get(f"/region/42.exr?{place}").body
    samples, spec = opened(body)
    assert spec.getattribute("compression") == "none" and samples.tobytes() == expected
    for first, last in ((0, 50), (300, 700), (len(body) - 3001, len(body) - 1), (len(body) // 2, len(body) // 2 + 5000)):
        part = connection.get(f"/region/42.exr?{place}", [("Range", f"bytes={first}-{last}")], status=206)
        assert part.body == body[first:last + 1]
    whole = render(42, 9, 0, 2, "exr", region="2x1", recipe=WHOLE_FILE, layer=layer)
    theirs = connection.get(f"/region/42.f32?x0=0&y0=512&w=512&h=256&lod=9&recipe=whole&layer={layer}").body
    assert opened(whole)[0].tobytes() == theirs


def test_the_number_that_is_no_value_is_said(connection, opened):
    assert opened(connection.get(tile(42, 3, 1, 1, "exr", layer="path", **WHOLE)).body)[1].getattribute("none") == 2 ** 20


def test_exr_is_stored(connection):
    target = tile(42, 3, 1, 1, "exr", size=65)
    first, again = connection.get(target), connection.get(target)
    assert first.body == again.body and again["X-Cache"] == "memory"


@pytest.mark.parametrize("bands", [0, 1])
def test_raw_weights_are_pixels_of_the_png(connection, bands):
    place = {"layer": "cover", "size": 256, "bands": bands, **WHOLE}
    answer = connection.get(tile(42, 5, 1, -2, "rgba8", **place))
    assert (answer["Content-Type"], answer["Terrane-Width"]) == ("application/octet-stream", "256")
    pixels = from_png(connection.get(tile(42, 5, 1, -2, "png", **place)).body)
    assert answer.body == pixels.astype(np.uint8).tobytes() and len(answer.body) == 256 * 256 * 4
    window = connection.get(f"/region/42.rgba8?x0=256&y0=-512&w=256&h=200&lod=5&layer=cover&bands={bands}&recipe=whole").body
    assert window == answer.body[:256 * 200 * 4]
    assert render(42, 5, 1, -2, "rgba8", **{**place, "recipe": WHOLE_FILE}) == answer.body


def test_raw_weights_are_coded(connection):
    assert connection.get("/region/42.rgba8?x0=0&y0=0&w=9&h=9", status=400)  # of cover alone
    coded = connection.get(tile(42, 5, 1, -2, "rgba8", layer="cover", **WHOLE), [("Accept-Encoding", "zstd")])
    assert coded["Content-Encoding"] == "zstd"
