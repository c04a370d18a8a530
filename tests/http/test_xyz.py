"""The pyramid of web maps: its tiles are /tile's under other numbers, and its root lies between four of them."""

import random

import numpy as np
import pytest
from http_samples import from_f32, from_png
from http_server import base_tile, book

Z0 = 18
SEED = 42
WIDE = "recipe=continents"  # whose ground is not level from so far
PAGES = 1 << 22  # those between -PAGES and PAGES are whole


def xyz(z, x, y, ext="png", query="", seed=SEED):
    return f"/xyz/{seed}/{z}/{x}/{y}.{ext}" + (f"?{query}" if query else "")


def place(z, x, y, page=(0, 0)):
    """lod, x, y of the same tile."""
    half, side = (1 << z) // 2, 1 << z
    return Z0 - z, x - half + page[0] * side, y - half + page[1] * side


def same_tile(connection, target, other):
    """Both are answered with the same bytes, under one ETag."""
    here, there = connection.ask(target), connection.ask(other)
    assert here.status == there.status == 200, (target, here.body[:200], there.body[:200])
    assert here.body == there.body and here["ETag"] == there["ETag"], (target, other)
    return here


def places():
    dice = random.Random(7)
    corners = [(z, x, y) for z in (1, 2, 9, 18) for x in (0, 2 ** z - 1) for y in (0, 2 ** z - 1)]
    return corners + [(z, dice.randrange(2 ** z), dice.randrange(2 ** z)) for z in range(1, 19)]


@pytest.mark.parametrize("ext", ["png", "f32", "r16", "npy"])
def test_tiles_are_those_of_tile(connection, ext):
    for z, x, y in places():
        lod, tx, ty = place(z, x, y)
        same_tile(connection, xyz(z, x, y, ext, "variant=base"), base_tile(SEED, lod, tx, ty, ext, size=256))


@pytest.mark.parametrize("query", ["layer=relief", "layer=normal&size=64", "layer=partition", "enc=mapbox",
                                   "layer=slope&recipe=desert", "recipe=alpine&layer=hillshade&variant=base",
                                   "size=257", "layer=height&enc=gray16&size=65"])
def test_queries_are_those_of_tile(connection, query):
    size = "" if "size=" in query else "&size=256"
    same_tile(connection, xyz(10, 515, 509, "png", query), f"/tile/{SEED}/8/3/-3.png?{query}{size}")


def test_one_tile_is_kept_once(launch):
    server = launch()
    with server.connect() as connection:
        assert connection.ask(base_tile(SEED, 4, 2, -9, "png"))["X-Cache"] == "render"
        x, y = 2 + (1 << 13), -9 + (1 << 13)
        assert connection.ask(xyz(14, x, y, query="variant=base"))["X-Cache"] == "memory"


def around(connection, page, ext, read, query):
    """What lies around the middle of two by two tiles, each of 256 samples."""
    def one(dx, dy):
        return read(connection.ask(f"/tile/{SEED}/18/{page[0] + dx}/{page[1] + dy}.{ext}?size=256{query}").body)
    whole = np.concatenate([np.concatenate([one(dx, dy) for dx in (-1, 0)], axis=1) for dy in (-1, 0)])
    return whole[128:384, 128:384]


@pytest.mark.parametrize("page", [(0, 0), (-3, 5), (PAGES - 1, 1 - PAGES)])
def test_the_root_lies_between_four_tiles(connection, page):
    origin = f"origin={page[0]},{page[1]}"
    for layer in ("height", "surface", "normal", "slope", "flow"):
        answer = connection.ask(xyz(0, 0, 0, "f32", f"{origin}&layer={layer}&{WIDE}"))
        samples = from_f32(answer.body, layer, 256)
        expected = around(connection, page, "f32", lambda body: from_f32(body, layer, 256), f"&layer={layer}&{WIDE}")
        assert np.array_equal(samples, expected) and (np.ptp(samples) > 0 or layer == "flow"), layer
        west, north = (float(value) for value in answer["Terrane-Origin"].split(","))
        side = 256 * 2 ** 18
        assert (west, north) == ((page[0] - 0.5) * side, (page[1] - 0.5) * side)
        if layer != "normal":
            low, high = (np.float32(answer[name]) for name in ("Terrane-Min", "Terrane-Max"))
            assert (low, high) == (samples.min(), samples.max())
    for layer in ("relief", "hillshade", "partition"):
        pixels = from_png(connection.ask(xyz(0, 0, 0, "png", f"{origin}&layer={layer}")).body)
        assert np.array_equal(pixels, around(connection, page, "png", from_png, f"&layer={layer}")), layer


def test_the_range_of_the_root_is_of_all_four(launch, tmp_path):
    """Of hills as wide as tiles, each of which has another."""
    wide = {"height": {"fractal": "fbm", "cell_m": 2 ** 29, "amplitude_m": 2000}}
    server = launch(config={"worlds": book(tmp_path, {"wide": wide}, default="wide")})
    for page in range(6):
        found, told = (server.get(xyz(0, 0, 0, ext, f"origin={page},{page}")) for ext in ("f32", "r16"))
        assert float(told["Terrane-Min"]) <= float(found["Terrane-Min"]) < float(found["Terrane-Max"]) <= float(told["Terrane-Max"])


def test_the_root_has_etag_and_codings(connection):
    answer = connection.ask(xyz(0, 0, 0, "f32"))
    coded = connection.ask(xyz(0, 0, 0, "f32"), headers=[("Accept-Encoding", "gzip")])
    assert coded.status == 200 and coded["ETag"] != answer["ETag"]
    etags = {connection.ask(target, "HEAD")["ETag"]
             for target in (xyz(0, 0, 0, "f32"), "/tile/42/18/0/0.f32?size=256", "/tile/42/18/-1/-1.f32?size=256",
                            xyz(0, 0, 0, "f32", "origin=0,1"), xyz(0, 0, 0, "f32", "origin=1,0"))}
    assert len(etags) == 5
    again = connection.ask(xyz(0, 0, 0, "f32"), headers=[("If-None-Match", answer["ETag"])])
    assert again.status == 304 and again.body == b""


def test_at_2x_the_root_is_four_tiles_of_the_next_zoom(connection):
    answer = connection.ask(f"/xyz/{SEED}/0/0/0@2x.f32?{WIDE}&variant=base")
    parts = [[from_f32(connection.ask(xyz(1, x, y, "f32", f"{WIDE}&variant=base")).body, "height", 256) for x in (0, 1)] for y in (0, 1)]
    assert np.ptp(parts) > 0 and np.array_equal(from_f32(answer.body, "height", 512), np.block(parts))


def test_head_makes_nothing(launch):
    server = launch()
    before = server.renders()
    for z in (0, 7):
        head = server.ask(xyz(z, 0, 0, "f32"), "HEAD")
        assert head.status == 200 and head["Content-Length"] == str(256 * 256 * 4) and head.body == b""
        assert (head["Terrane-Width"], head["Terrane-Height"]) == ("256", "256")
    assert server.renders() == before
