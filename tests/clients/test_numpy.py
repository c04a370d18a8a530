"""NumPy: .npy by numpy.load, .f32 by numpy.frombuffer, as numpy/README.md says it."""

import io
import urllib.request

import numpy as np
import pytest


def fetch(server, target):
    with urllib.request.urlopen(server.url + target) as answer:
        return answer.read()


@pytest.mark.parametrize("layer, shape", [("height", (257, 257)), ("surface", (257, 257)), ("normal", (257, 257, 3)),
                                          ("slope", (257, 257)), ("water", (257, 257))])
def test_npy_is_f32_with_a_header(server, layer, shape):
    array = np.load(io.BytesIO(fetch(server, f"/tile/42/6/-12/4.npy?layer={layer}")), allow_pickle=False)
    raw = np.frombuffer(fetch(server, f"/tile/42/6/-12/4.f32?layer={layer}"), "<f4")
    assert array.shape == shape and array.dtype == np.float32, f"numpy: {layer}: {array.shape} of {array.dtype}"
    assert np.array_equal(array.ravel(), raw), f"numpy: {layer}: npy and f32 differ"


def test_neighbours_join(server):
    """The last column of a tile is the first of the next: a mosaic drops one of them."""
    west, east = (np.load(io.BytesIO(fetch(server, f"/tile/42/6/{x}/4.npy"))) for x in (-12, -11))
    assert np.array_equal(west[:, -1], east[:, 0]), "numpy: the edges of /tile/42/6/-12/4 and -11/4 differ"
    assert west.std() > 1, "numpy: a tile of mountains is flat"


def test_16_bits(server):
    """r16 over the world's fixed range, as game engines read it."""
    low, high = (server.json("/world/42")["range_16bit_m"][end] for end in ("low", "high"))
    exact = np.frombuffer(fetch(server, "/tile/42/6/-12/4.f32"), "<f4").astype(float)
    coarse = np.frombuffer(fetch(server, "/tile/42/6/-12/4.r16"), "<u2") / 65535 * (high - low) + low
    worst = np.abs(exact - coarse).max()
    assert worst <= (high - low) / 65535 / 2 * 1.001, f"numpy: r16 is {worst} m from f32"
