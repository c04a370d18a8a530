"""What every answer says to browsers, and what raw tiles say about their samples."""

import numpy as np
import pytest
from http_samples import digest_of, get_samples
from http_server import R16_LAYERS, RAW_LAYERS, SINGLE_LAYERS, TILE_MAX, TILE_MIN, tile

ANYWHERE = [tile(42, 0, 0, 0, "png"), tile(42, 0, 0, 0, "f32"), tile(42, 0, 0, 0, "json"), tile(42, 0, 0, 0, None),
            "/world/42", "/healthz", "/readyz", "/nothing", tile(42, 0, 0, 0, "bmp"), tile(42, 99, 0, 0, "png"),
            tile(42, 0, 0, 0, "png", v=77), "/tile/" + "9" * 3000]


def words(value):
    return {word.strip().lower() for word in value.split(",")}


def check_common(answer):
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert answer["Access-Control-Expose-Headers"] == "*"  # requests carry no credentials, so it means what it says
    assert answer["Timing-Allow-Origin"] == "*"
    assert answer["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "Date" in answer and "Access-Control-Allow-Credentials" not in answer


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST"])
@pytest.mark.parametrize("target", ANYWHERE)
def test_every_answer_is_open_to_every_origin(server, method, target):
    for headers in ([], [("Origin", "https://example.org")]):
        check_common(server.ask(target, method, headers))


def test_304_is_open_as_well(server):
    check_common(server.get(ANYWHERE[0], [("If-None-Match", "*")], status=304))


@pytest.mark.parametrize("target", ANYWHERE[:7] + [tile(42, 0, "bad", 0, "png")])
def test_preflight(server, target):
    before = server.renders()
    answer = server.ask(target, "OPTIONS", [("Origin", "https://example.org"), ("Access-Control-Request-Method", "GET"),
                                            ("Access-Control-Request-Headers", "if-none-match, accept")])
    assert answer.status in (200, 204) and answer.body == b""
    assert {"get", "head"} <= words(answer["Access-Control-Allow-Methods"])
    assert int(answer["Access-Control-Max-Age"]) > 0
    assert {"if-none-match", "accept"} <= words(answer["Access-Control-Allow-Headers"])
    assert answer["Vary"] == "Access-Control-Request-Headers"
    assert words(answer["Allow"]) == {"get", "head", "options"}
    assert server.renders() == before


@pytest.mark.parametrize("asked, allowed", [("traceparent, x-b3-traceid", "traceparent, x-b3-traceid"), (None, "Range"),
                                            ("x\xe9", "Range"), ("a" * 1025, "Range"), ("a:b", "Range")])
def test_headers_that_a_page_may_send(server, asked, allowed):
    """Any that it asks for; what are no names of headers is passed over."""
    headers = [("Access-Control-Request-Headers", asked)] if asked else []
    answer = server.ask(ANYWHERE[0], "OPTIONS", [("Origin", "https://example.org"), *headers])
    assert words(allowed) <= words(answer["Access-Control-Allow-Headers"])
    assert asked in (None, allowed) or asked not in answer["Access-Control-Allow-Headers"]


@pytest.mark.parametrize("layer", RAW_LAYERS)
@pytest.mark.parametrize("lod,x,y,size", [(0, 0, 0, 257), (3, -7, 11, 65), (9, 5, -2, 512), (24, TILE_MIN, TILE_MAX, 64),
                                          (0, TILE_MAX, TILE_MIN, 3)])
def test_raw_headers_equal_the_data(server, connection, layer, lod, x, y, size):
    samples = get_samples(connection, 42, lod, x, y, layer, size)
    text = server.json(tile(42, lod, x, y, "json", size=size))
    for fmt in ("f32", "npy") + (("r16",) if layer in R16_LAYERS else ()):
        answer = connection.ask(tile(42, lod, x, y, fmt, layer=layer, size=size))
        assert (int(answer["Terrane-Height"]), int(answer["Terrane-Width"])) == samples.shape[:2]
        assert float(answer["Terrane-Spacing"]) == text["samples"]["spacing_m"]
        west, north = map(float, answer["Terrane-Origin"].split(","))
        assert (west, north) == (text["bounds_m"]["west"], text["bounds_m"]["north"])
        if layer in SINGLE_LAYERS:
            assert np.float32(answer["Terrane-Min"]) == samples.min()
            assert np.float32(answer["Terrane-Max"]) == samples.max()
        else:
            assert "Terrane-Min" not in answer and "Terrane-Max" not in answer


def test_described_formats_have_no_raw_headers(connection):
    for fmt in ("png", "json"):
        answer = connection.ask(tile(42, 0, 0, 0, fmt))
        assert not any(name in answer for name in ("Terrane-Width", "Terrane-Origin", "Terrane-Min"))


@pytest.mark.parametrize("layer", RAW_LAYERS)
def test_digest_is_of_the_samples(server, connection, layer):
    """Whichever format has them, coded or not; of what rounds them there is none, nor of pictures."""
    query = {"layer": layer, "size": 33}
    want = digest_of(get_samples(connection, 42, 3, -7, 11, **query))
    answers = [server.ask(tile(42, 3, -7, 11, fmt, **query), headers=[("Accept-Encoding", coding)])
               for fmt in ("f32", "npy") for coding in ("identity", "gzip", "zstd")]
    assert {answer["Terrane-Digest"] for answer in answers} == {want}
    assert server.json(tile(42, 3, -7, 11, "json", **query))["samples"]["digest"] == want
    assert all("Terrane-Digest" not in server.get(tile(42, 3, -7, 11, fmt, **query)) for fmt in ["png"] + ["r16"] * (layer in R16_LAYERS))


def test_digest_wherever_the_tile_lies(server):
    """Put together of others, without its edges, of four finer ones; and what is a picture alone."""
    for target in ("/xyz/42/0/0/0.f32?size=32", tile(42, 3, 1, 1, "f32", size=32), tile(42, 9, 1, 1, "f32", size=512)):
        answer = server.get(target)
        side = int(answer["Terrane-Width"])
        assert answer["Terrane-Digest"] == digest_of(np.frombuffer(answer.body, "<f4").reshape(side, side))
    assert "digest" not in server.json(tile(42, 3, 1, 1, "json", layer="relief"))["samples"]


def test_digest_is_known_once_the_tile_is_made(server):
    """A byte of it is enough."""
    target = tile(4711, 3, 1, 1, "f32", size=32)
    assert "Terrane-Digest" not in server.ask(target, "HEAD")
    part = server.ask(target, headers=[("Range", "bytes=0-0")])
    assert (part.status, len(part.body)) == (206, 1)
    assert part["Terrane-Digest"] == server.ask(target, "HEAD")["Terrane-Digest"] == server.get(target)["Terrane-Digest"]
