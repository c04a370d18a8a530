"""The extension metadata of quantized-mesh: who asks gets it, who does not gets the bytes without it, and no cache mixes them up."""

import gzip
import json
import struct

import pytest
from http_mesh import from_terrain

ASKS = "application/vnd.quantized-mesh;extensions=octvertexnormals-watermask-metadata,application/octet-stream;q=0.9,*/*;q=0.01"
PLAIN = "application/vnd.quantized-mesh,application/octet-stream;q=0.9,*/*;q=0.01"
BEHIND = "application/vnd.quantized-mesh,application/octet-stream;q=0.9;extensions=octvertexnormals-watermask-metadata"
TILES = [(0, 0, 0), (0, 1, 0), (1, 3, 1), (9, 512, 255), (15, 40000, 20000), (16, 131071, 65535)]


def path(z, x, y, query=""):
    return f"/terrain/42/{z}/{x}/{y}.terrain{query}"


def get(server, target, accept=None, *headers):
    return server.get(target, [*([("Accept", accept)] if accept is not None else []), *headers])


def extensions(body):
    return from_terrain(body).extensions


def metadata(body):
    extension = extensions(body)[4]
    length, = struct.unpack_from("<I", extension)
    assert length == len(extension) - 4
    return json.loads(extension[4:])


@pytest.mark.parametrize("z,x,y", TILES)
def test_who_asks_learns_of_all_tiles_below(server, z, x, y):
    plain, asked = get(server, path(z, x, y)), get(server, path(z, x, y), ASKS)
    assert asked.body.startswith(plain.body) and [sorted(extensions(answer.body)) for answer in (plain, asked)] == [[1, 2], [1, 2, 4]]
    levels = metadata(asked.body)["available"]
    assert len(levels) == 16 - z
    for deeper, (only,) in enumerate(levels, 1):
        assert server.ask(path(z + deeper, only["endX"], only["endY"]), "HEAD").status == 200
        assert only == {"startX": x << deeper, "startY": y << deeper, "endX": ((x + 1) << deeper) - 1,
                        "endY": ((y + 1) << deeper) - 1}


WAYS = {
    True: [(BEHIND, ""), (None, "?extensions=metadata"), (PLAIN, "?extensions=octvertexnormals-metadata"),
           (None, "?extensions=watermask&extensions=metadata"), (None, "?extensions=metadata-lava")],
    False: [(PLAIN, ""), (";;;===,,,", ""), ("application/vnd.quantized-mesh;extensions=", ""),
            ("application/vnd.quantized-mesh;extensions=metadat", ""), ("application/vnd.quantized-mesh;extensions=\"", ""),
            ("metadata", ""), ("x;extensions=" + "-" * 4000, ""), ("a/b;extensions=watermask,metadata", ""),
            (ASKS, "?extensions=none"), (None, "?Extensions=metadata")]}


@pytest.mark.parametrize("asks,accept,query", [(asks, *row) for asks, rows in WAYS.items() for row in rows])
def test_ways_to_ask(server, asks, accept, query):
    answer, other = get(server, path(9, 512, 255, query), accept), get(server, path(9, 512, 255), ASKS if asks else None)
    assert answer.body == other.body and answer["ETag"] == other["ETag"]


def test_layer_without_metadata(server):
    whole = json.loads(server.get("/terrain/42/layer.json").body)
    plain = json.loads(server.get("/terrain/42/layer.json?extensions=octvertexnormals-watermask").body)
    assert whole["metadataAvailability"] == 17 and whole["extensions"][-1] == "metadata"
    assert "metadataAvailability" not in plain and plain["extensions"] == ["octvertexnormals", "watermask"]
    assert plain["available"] == whole["available"] and "extensions" not in plain["tiles"][0]
    named = json.loads(server.get("/terrain/42/layer.json?extensions=metadata").body)
    assert named == whole


def test_caches_can_tell_them_apart(server):
    place = path(9, 513, 254)
    for _ in range(2):  # made, and from memory
        plain, asked = get(server, place, PLAIN), get(server, place, ASKS)
        assert plain["Vary"] == asked["Vary"] == "Accept, Accept-Encoding"
        assert plain["ETag"] != asked["ETag"] and plain.body != asked.body
    assert get(server, place, PLAIN)["X-Cache"] == get(server, place, ASKS)["X-Cache"] == "memory"
    by_path = get(server, place + "?extensions=metadata", PLAIN)
    assert by_path["Vary"] == "Accept-Encoding" and by_path["ETag"] == asked["ETag"]
    assert get(server, place, ASKS)["Vary"] == "Accept, Accept-Encoding"  # the same bytes by another path
    assert get(server, place + "?extensions=none", ASKS)["Vary"] == "Accept-Encoding"
    for accept, own, other in ((PLAIN, plain["ETag"], asked["ETag"]), (ASKS, asked["ETag"], plain["ETag"])):
        kept = server.get(place, [("Accept", accept), ("If-None-Match", own)], status=304)
        assert kept["ETag"] == own and kept["Vary"] == "Accept, Accept-Encoding"
        assert get(server, place, accept, ("If-None-Match", other))["ETag"] == own == server.ask(place, "HEAD", [("Accept", accept)])["ETag"]


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_codings_have_it_too(server, coding):
    place, plain = path(9, 515, 254), get(server, path(9, 515, 254), ASKS)
    coded = get(server, place, ASKS, ("Accept-Encoding", coding))
    other = get(server, place, PLAIN, ("Accept-Encoding", coding))
    assert coded["Content-Encoding"] == other["Content-Encoding"] == coding
    assert len({plain["ETag"], coded["ETag"], other["ETag"]}) == 3 and coded.body != other.body
    if coding == "gzip":
        assert gzip.decompress(coded.body) == plain.body
