"""/region: any window of samples, the same as those of /tile; sent while it is made, in bounded memory."""

import contextlib
import functools
import io
import json

import numpy as np
import pytest
from http_client import Crowd, in_less_than, request_bytes, wait_for
from http_operator import reload
from http_samples import channels, from_png, packed, palette, png_chunks, png_header, terrarium
from http_server import GENERATOR, LAYER_ENCS, LAYERS, RAW_LAYERS, base_tile, book, tile
from PIL import Image

PICTURES = [(layer, enc) for layer in LAYERS for enc in LAYER_ENCS.get(layer, (None,))]
LIMIT = 1 << 48


def region(ext, x0, y0, w, h, lod=0, seed=42, **query):
    given = {"x0": x0, "y0": y0, "w": w, "h": h, "lod": lod, **{k: v for k, v in query.items() if v is not None}}
    return f"/region/{seed}.{ext}?" + "&".join(f"{name}={value}" for name, value in given.items())


def base_region(*where, **query):
    return region(*where, **{"variant": "base", **query})


def window(get, x0, y0, w, h):
    """The same window out of tiles: get(x, y) of 256 x 256 samples."""
    left, top, right, bottom = x0 // 256, y0 // 256, (x0 + w - 1) // 256, (y0 + h - 1) // 256
    whole = np.concatenate([np.concatenate([get(x, y) for x in range(left, right + 1)], axis=1)
                            for y in range(top, bottom + 1)])
    return whole[y0 - top * 256:, x0 - left * 256:][:h, :w]


def tile_samples(server, lod, ext="f32", kind="<f4", **query):
    @functools.cache
    def get(x, y):
        body = server.get(tile(42, lod, x, y, ext, size=256, **query)).body
        if ext == "png":
            return from_png(body)
        values = np.frombuffer(body, kind)
        return values.reshape((256, 256, -1) if len(values) > 256 * 256 else (256, 256))
    return get


WINDOWS = [  # x0, y0, w, h, lod
    (0, 0, 1, 1, 0), (255, 255, 2, 2, 0), (-1, -1, 1, 1, 3), (-300, -5, 601, 300, 2), (-256, -256, 256, 256, 1),
    (17, -700, 3, 1100, 4), (-700, 31, 1100, 3, 4), (1000, -1000, 257, 513, 6), (-LIMIT, LIMIT - 300, 300, 300, 0),
    (LIMIT - 1, -LIMIT, 1, 300, 5)]


@pytest.mark.parametrize("x0,y0,w,h,lod", WINDOWS)
def test_samples_are_those_of_tiles(server, x0, y0, w, h, lod):
    where = (x0, y0, w, h, lod)
    expected = window(tile_samples(server, lod, variant="base"), x0, y0, w, h)
    answer = server.get(base_region("f32", *where))
    assert answer.body == expected.tobytes() and answer["Content-Type"] == "application/octet-stream"
    assert (answer["Terrane-Width"], answer["Terrane-Height"]) == (str(w), str(h))
    assert float(answer["Terrane-Spacing"]) == 2 ** lod and answer["Terrane-Seed"] == "42"
    assert [float(part) for part in answer["Terrane-Origin"].split(",")] == [x0 * 2 ** lod, y0 * 2 ** lod]
    array = np.load(io.BytesIO(server.get(base_region("npy", *where)).body))
    assert array.dtype == np.dtype("<f4") and array.shape == (h, w) and (array == expected).all()
    grey = window(tile_samples(server, lod, "r16", "<u2", variant="base"), x0, y0, w, h)
    assert server.get(base_region("r16", *where)).body == grey.tobytes()
    picture = server.get(base_region("png", *where))
    pixels = window(tile_samples(server, lod, "png", variant="base"), x0, y0, w, h)
    assert (from_png(picture.body) == pixels).all() and png_header(picture.body)[:2] == (w, h)
    assert picture["Content-Type"] == "image/png" and picture["Transfer-Encoding"] == "chunked"
    tif = np.asarray(Image.open(io.BytesIO(server.get(base_region("tif", *where)).body)))
    assert tif.shape == (h, w) and (tif == expected).all()


@pytest.mark.parametrize("layer", RAW_LAYERS)
def test_every_layer_of_numbers(server, layer):
    """Of one number a sample or many; in a world that has paths and caves."""
    where, query = (-750, 530, 270, 90), {"layer": layer, "recipe": "whole"}
    depth = channels(layer, len(json.loads(server.get("/world/42?recipe=whole").body)["zones"]), "whole")
    expected = window(tile_samples(server, 2, **query), *where)
    assert expected.shape == (90, 270) + (depth,) * (depth > 1) and np.ptp(expected, axis=(0, 1)).all()
    target, size = region("f32", *where, 2, **query), expected.nbytes
    assert server.get(target).body == expected.tobytes()
    assert int(server.ask(target, "HEAD")["Content-Length"]) == size
    array = np.load(io.BytesIO(server.get(region("npy", *where, 2, **query)).body))
    assert array.dtype == np.dtype("<f4") and array.shape == expected.shape and (array == expected).all()
    tif = server.get(region("tif", *where, 2, **query)).body
    assert tif.startswith(b"II*\0") and tif.endswith(expected.tobytes())  # its head, where memory is short: tests/unit/encode/test_memory.c
    part = server.ask(target, headers=[("Range", f"bytes={size // 2 - 3}-{size - 6}")])
    assert part.status == 206 and part.body == expected.tobytes()[size // 2 - 3:-5]


@pytest.mark.parametrize("layer,enc", PICTURES)
def test_every_picture(server, layer, enc):
    where, query = (-750, 530, 270, 90), {"layer": layer, "enc": enc, "recipe": "whole"}
    expected = window(tile_samples(server, 2, "png", **query), *where)
    answer = server.get(region("png", *where, 2, **query))
    assert (from_png(answer.body) == expected).all() and np.ptp(expected) > 0
    single = server.get(tile(42, 2, -3, 2, "png", **query)).body
    assert png_header(answer.body)[2:] == png_header(single)[2:]
    assert {kind for kind, _ in png_chunks(answer.body)} == {kind for kind, _ in png_chunks(single)}
    if layer == "partition":
        assert palette(answer.body) == palette(single)


def test_windows_of_many_numbers_are_as_wide_as_there_is_memory(launch, tmp_path):
    """A row of tiles of 16 zones does not fit into what one stream may hold."""
    zones = [{"name": f"z{i}", "colour": f"#0000{i:02x}", "offset_m": i} for i in range(16)]
    many = {"partition": {"voronoi": {"cell_m": 1024}}, "zones": zones, "height": "zones"}
    server = launch(config={"worlds": book(tmp_path, {"many": many}, default="many"), "limits": {"stream_bytes": 64 << 20}})
    assert "3329" in server.ask(region("f32", -1, 0, 3330, 2, 9, layer="partition")).problem(413, "w")
    assert server.ask(region("png", -1, 0, 4097, 2, 9, layer="partition"), "HEAD").status == 200
    widest = server.get(region("f32", -1, 255, 3329, 2, 9, layer="partition")).body
    shares = np.frombuffer(widest, "<f4").reshape(2, 3329, 16)
    assert np.allclose(shares.sum(axis=2), 1, atol=1e-5)
    single = server.get(tile(42, 9, 12, 1, "f32", size=256, layer="partition")).body
    assert (shares[1, 3073:] == np.frombuffer(single, "<f4").reshape(256, 256, 16)[0, :256]).all()


def test_the_largest(server):
    """4097 x 4097, whose tiles are 17 x 17 wherever it begins."""
    where = (-2000, -77, 4097, 4097)
    expected = window(tile_samples(server, 20, variant="base"), *where)  # where noise is cheap
    assert server.get(base_region("f32", *where, 20)).body == expected.tobytes()
    rows = np.s_[::128]
    with Image.open(io.BytesIO(server.get(base_region("png", *where, 20)).body)) as picture:
        assert (packed(np.asarray(picture)[rows].astype(np.int64)) == terrarium(expected[rows])).all()


def test_validators(server):
    def tag(*where, **query):
        return server.ask(base_region(*where, **query), "HEAD")["ETag"]

    before = server.renders()
    first = tag("f32", 70, 70, 806, 5, 1, seed=777)
    others = {tag("f32", 70, 70, 806, 5, 1, seed=778), tag("npy", 70, 70, 806, 5, 1, seed=777),
              tag("png", 70, 70, 806, 5, 1, seed=777), tag("tif", 70, 70, 806, 5, 1, seed=777),
              tag("f32", 71, 70, 806, 5, 1, seed=777), tag("f32", 70, 71, 806, 5, 1, seed=777),
              tag("f32", 70, 70, 807, 5, 1, seed=777), tag("f32", 70, 70, 806, 6, 1, seed=777),
              tag("f32", 70, 70, 806, 5, 2, seed=777), tag("f32", 70, 70, 806, 5, 1, seed=777, layer="slope"),
              tag("png", 70, 70, 806, 5, 1, seed=777, enc="mapbox"), first}
    assert len(others) == 12 and tag("f32", 70, 70, 806, 5, 1, seed=777) == first
    target = base_region("f32", 70, 70, 806, 5, 1, seed=777)
    assert server.get(target, [("If-None-Match", first)], 304)["ETag"] == first
    head = server.ask(target, "HEAD")
    assert head["Content-Length"] == str(806 * 5 * 4) and "Vary" not in head and head["Accept-Ranges"] == "bytes"
    assert "Content-Length" not in server.ask(base_region("png", 70, 70, 806, 5, 1, seed=777), "HEAD")
    assert server.renders() == before
    coded = server.get(target, headers=[("Accept-Encoding", "gzip, zstd")])
    assert coded["ETag"] == first and "Content-Encoding" not in coded and len(coded.body) == 806 * 5 * 4
    assert "immutable" not in coded["Cache-Control"]
    assert "immutable" in server.ask(f"{target}&v={GENERATOR}&recipe=continents", "HEAD")["Cache-Control"]


@pytest.mark.parametrize("ext", ["f32", "r16", "npy", "tif"])
def test_head_says_what_get_says(server, ext):
    target = base_region(ext, 70, 90, 300, 200, 3, seed=778)
    before = server.renders()
    with server.connect() as connection:
        heads = [connection.ask(target, "HEAD") for _ in range(3)]
        assert server.renders() == before
        whole = connection.ask(target)
        heads.append(connection.ask(target, "HEAD"))
    for head in heads:
        assert head.status == 200 and head.body == b"" and int(head["Content-Length"]) == len(whole.body)
        assert [h for h in head.headers if h[0] != "Date"] == [h for h in whole.headers if h[0] != "Date"]


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_head_of_a_png_is_headers_alone(server, version):
    """Its length shows at its end; not a byte follows the headers, as the last one of chunks would."""
    with server.connect() as connection:
        target = base_region("png", 70, 90, 300, 200, 3)
        connection.send(f"HEAD {target} HTTP/{version}\r\nHost: a\r\n\r\n".encode())
        head = connection.receive_end()
        assert b" 200 " in head.split(b"\r\n")[0] and head.endswith(b"\r\n\r\n") and head.count(b"\r\n\r\n") == 1
        assert b"Terrane-Width: 300\r\n" in head and b"ETag: " in head and b"chunked" not in head


@pytest.mark.parametrize("ext", ["f32", "r16", "npy", "tif"])
def test_ranges(server, ext):
    target = base_region(ext, -300, -520, 601, 700, 3)
    whole = server.get(target).body
    size = len(whole)
    rng = np.random.default_rng(7)
    pairs = [(0, 0), (0, 127), (1, 130), (size - 1, size - 1), (0, size - 1), (601 * 4 * 8 - 1, 601 * 4 * 8 + 200)]
    pairs += [sorted(int(v) for v in rng.integers(0, size, 2)) for _ in range(12)]
    for first, last in pairs:
        answer = server.ask(target, headers=[("Range", f"bytes={first}-{last}")])
        assert answer.status == 206 and answer["Content-Range"] == f"bytes {first}-{last}/{size}"
        assert answer.body == whole[first:last + 1], (first, last)
    tag = server.ask(target, "HEAD")["ETag"]
    assert server.ask(target, headers=[("Range", "bytes=5-9"), ("If-Range", tag)]).body == whole[5:10]
    assert server.ask(target, headers=[("Range", "bytes=5-9"), ("If-Range", '"x"')]).body == whole
    beyond = server.ask(target, headers=[("Range", f"bytes={size}-")])
    assert beyond.status == 416 and beyond["Content-Range"] == f"bytes */{size}"


def test_a_range_makes_its_rows_alone(server):
    before = server.renders()
    target = base_region("f32", 0, 0, 512, 2048, 1, seed=4711)
    answer = server.ask(target, headers=[("Range", f"bytes={512 * 4 * 1030}-{512 * 4 * 1031 - 1}")])
    assert answer.status == 206 and len(answer.body) == 2048
    assert server.renders() - before == 2
    head = server.ask(base_region("npy", 0, 0, 512, 2048, 1, seed=4712), headers=[("Range", "bytes=0-127")])
    assert head.status == 206 and head.body[:6] == b"\x93NUMPY" and server.renders() - before == 2
    png = server.ask(base_region("png", 0, 0, 30, 30, 1, seed=4711), headers=[("Range", "bytes=0-9")])
    assert png.status == 200 and "Accept-Ranges" not in png


def test_many_at_once_and_a_cached_tile(launch, hold):
    server = launch(config={"render": {"queue": 16}}, environment=hold.environment)
    cached = base_tile(42, 0, 3, 3, "png")
    expected = server.get(cached).body
    others = [base_region("f32" if i % 2 else "png", 600 * i, -300, 600, 500, 2) for i in range(20)]
    hold.hold()
    with Crowd(server.public, others) as crowd:
        wait_for(lambda: server.count("terrane_inflight") > 0, what="regions under way")
        for _ in range(50):
            assert server.get(cached).body == expected
        hold.release()
        answers = crowd.receive()
    assert [answer.status for answer in answers] == [200] * 20  # a queue of 16 refuses none of them
    get = tile_samples(server, 2, variant="base")
    for i in (1, 19):
        assert answers[i].body == window(get, 600 * i, -300, 600, 500).tobytes()
    for i in (0, 18):
        assert from_png(answers[i].body).shape == (500, 600, 3)
    server.wait_idle()


def test_people_come_first(launch, hold):
    """One tile, not cached, is not behind those of batches, which are hundreds."""
    server = launch(config={"render": {"threads": 1}}, environment=hold.environment)
    hold.hold()
    with contextlib.ExitStack() as stack:
        for seed in (6, 7):
            batch = json.dumps({"tiles": [base_tile(seed, 2, n, 0, "png") for n in range(256)]}).encode()
            stack.enter_context(server.connect()).send(request_bytes("/tiles", "POST", body=batch))
        wait_for(lambda: server.count("terrane_inflight") == 32, what="as much of two batches as is asked for ahead")
        with Crowd(server.public, [base_tile(43, 2, 100, 100, "png")]) as one:
            wait_for(lambda: server.count("terrane_inflight") == 33, what="the tile")
            hold.allow(12)
            assert one.receive()[0].status == 200
        hold.release()
    server.wait_idle()


@pytest.fixture(scope="module")
def slow_worlds(tmp_path_factory):
    """Whose erosion takes far longer than the shortest deadline, for every 512 samples along either axis."""
    slow = {"terms": {"hills": {"fractal": "fbm", "cell_m": 2048, "octaves": 8, "amplitude_m": 200}}, "height": "hills",
            "erosion": {"levels": 3, "phases": 8, "steps": 20}}
    return book(tmp_path_factory.mktemp("worlds"), {"slow": slow}, default="slow")


@pytest.mark.parametrize("ext", ["f32", "png"])
def test_a_tile_that_fails(launch, slow_worlds, ext):
    """Before the first byte it is 503; after it the connection is cut, and nothing is padded."""
    server = launch(config={"render": {"deadline_ms": 50, "threads": 1}, "cache": {"disk_bytes": 0}, "worlds": slow_worlds})
    slow = dict(lod=0, seed=9, variant="eroded")
    answer = server.ask(region(ext, 100000, 100000, 700, 700, **slow))
    assert answer.status == 503 and answer["Cache-Control"] == "no-store" and int(answer["Retry-After"]) >= 1
    tiles = [tile(9, 0, x, 0, "png" if ext == "png" else "f32", size=256, variant="eroded") for x in (0, 1)]
    for target in tiles:
        wait_for(lambda one=target: server.ask(one).status == 200, "a tile")

    def begun():  # what is there is there in time, but on a busy machine
        with server.connect() as connection:
            connection.send(request_bytes(region(ext, 0, 0, 512, 4000, **slow), headers=[("Connection", "close")]))
            found = connection.receive_end()
        return found if found.startswith(b"HTTP/1.1 200 ") else None
    data = wait_for(begun, what="an answer that begins")
    _, _, body = data.partition(b"\r\n\r\n")
    assert not data.endswith(b"\r\n0\r\n\r\n") and len(body) < 512 * 4000 * 4
    if ext == "f32":
        first = np.concatenate([np.frombuffer(server.get(target).body, "<f4").reshape(256, 256) for target in tiles], axis=1)
        count = min(len(body), first.nbytes)
        assert count > 0 and body[:count] == first.tobytes()[:count]
    server.wait_idle()


@in_less_than(60)
def test_tokens_come_back(launch, slow_worlds):
    """Of tiles that nobody got: whether they failed, or their client left."""
    config = {"limits": {"tiles_per_minute": 1, "tiles_burst": 9}, "render": {"deadline_ms": 50, "threads": 1}, "worlds": slow_worlds}
    server = launch(config=config)
    for i in range(3):
        assert server.ask(region("f32", 100000 * i, 0, 700, 700)).status == 503
    with server.connect() as connection:
        connection.send(request_bytes(region("f32", 900000, 0, 700, 700)))
    server.wait_idle()
    config["render"]["deadline_ms"] = 600000  # what was begun for the others is waited for
    assert reload(server, config)
    found = [server.ask(base_region("f32", 0, 0, 512, 512, 20)).status for _ in range(4)]
    assert found == [200, 200, 200, 429]  # 4 of 9, 4 more, and the last one for 4: no token was lost
