"""Compression of what is not PNG: by Accept-Encoding, where it pays, each coding a representation of its own."""

import zlib

import pytest
from http_client import wait_for
from http_operator import unzstd
from http_server import FORMATS, base_tile, tile

CODED = ["f32", "r16", "npy", "json"]
SAME = {"identity": lambda data: data, "gzip": lambda data: zlib.decompress(data, 31), "zstd": unzstd}


def target(fmt, x=1, **query):
    return base_tile(42, 4, x, 9, fmt, **query)


def accept(value):
    return [] if value is None else [("Accept-Encoding", value)]


def coding(answer):
    return answer["Content-Encoding"] if "Content-Encoding" in answer else "identity"


def check_is(answer, plain):
    """Whether it decodes to the plain answer's bytes (where there is something that decodes)."""
    body = SAME[coding(answer)](answer.body)
    assert body is None or body == plain.body
    assert int(answer["Content-Length"]) == len(answer.body)


# What clients send, what they might, and garbage. Quality chooses, then zstd, gzip, none; 0 is no, and * is the others; where plain
# bytes are refused something else is sent, if anything is left. Parameters are nothing but q.
CHOSEN = {
    "identity": [
        None, "", " ", "identity", "br", "br, deflate", "deflate, br, compress", "gzipx", "gzi", "x-zstd", "gzipped", "zstd;q=0",
        "gzip;q=0", "gzip;q=0.000", "gzip;q=0, zstd;q=0", "identity;q=1, gzip;q=0.5", "identity, gzip;q=0.9",
        "identity;q=0.5, gzip;q=0.4, zstd;q=0.3", "*, zstd;q=0, gzip;q=0", "identity, *;q=0.5", "identity;q=0, gzip;q=0", "*;q=0",
        "identity;q=0, *;q=0", "gzip;q=0., zstd;q=0", "gzip;q=1.001", "gzip;q=2", "gzip;q=10", "gzip;q=-1", "gzip;q=", "gzip;q",
        "gzip;", "gzip;;q=1", "gzip;q=.5", "gzip;q=0.5x", "gzip;q=0 .5", "gzip;q= 0.5", "gzip;level=9", "gzip;q=0.5;level=9",
        "gzip deflate", "gzip;q=,1", "gzip; ,q=1", "gzip;q=99999999999999999999", "gzip;q=nonsense", ",", ";", ";;;,,,", ";q=1", "**",
        '"gzip"'],
    "gzip": [
        "gzip", "GZip", "x-gzip", "\tgzip ", "gzip, deflate", "gzip, deflate, br", "gzip;q=1.0, identity; q=0.5, *;q=0",
        "compress;q=0.5, gzip;q=1.0", "gzip;q=1.0,deflate;q=0.6,identity;q=0.3", "gzip;q=0.9, zstd;q=0.8", "gzip, identity",
        "identity;q=0.5, gzip;q=0.5", "gzip;q=0.001", "gzip;q=0.5, x-gzip;q=0.9, zstd;q=0.8", "gzip, x-gzip;q=0.1, identity;q=0.5",
        "gzip, gzip;q=x", "zstd;q=0, gzip", "*, zstd;q=0", "gzip, *;q=0.5", "zstd;q=0.4, *;q=0.5", "*;q=0, gzip;q=0.3", "identity;q=0", "identity;q=0, br",
        "identity;q=0.0, deflate", "identity;q=0, zstd;q=0", "gzip ; q=0.5 , zstd;Q=0.4", ",,,gzip", "gzip,", "\u00ff\u00fe, gzip"],
    "zstd": [
        "zstd", "gzip, deflate, br, zstd", "gzip, zstd", "gzip;q=0.8, zstd;q=0.801", "gzip;q=0.5, zstd;q=0.500",
        "gzip;q=0, zstd;q=0.1", "*", "*;q=0.1", "identity;q=0, zstd;q=0.2", "identity;q=0, *;q=0.2",
        "gzip;q=1, zstd;q=1.", "gzip;q=0.9999, zstd;q=0.1", "gzip;q=x, zstd", "gzip=1, zstd;q=0.1"]}


@pytest.mark.parametrize("expected", CHOSEN)
def test_accept_encoding_chooses(connection, expected):
    plain = connection.ask(target("r16"))
    for value in CHOSEN[expected]:
        answer = connection.ask(target("r16"), headers=accept(value))
        assert coding(answer) == expected and answer["Vary"] == "Accept-Encoding", value
        assert (answer["ETag"] == plain["ETag"]) == (expected == "identity"), value
        check_is(answer, plain)


@pytest.mark.parametrize("fmt", CODED)
def test_every_coding_is_the_same_tile(server, fmt):
    plain = server.get(target(fmt, 2))
    tags = {plain["ETag"]}
    for name in ("gzip", "zstd"):
        made = server.get(target(fmt, 2), accept(name))
        again = server.get(target(fmt, 2), accept(name))
        assert (made["X-Cache"], again["X-Cache"]) == ("render", "memory")
        for answer in (made, again):
            check_is(answer, plain)
            assert coding(answer) == name and len(answer.body) <= 0.9 * len(plain.body)
            assert answer["Content-Type"] == FORMATS[fmt] and answer["Vary"] == "Accept-Encoding"
            for header in ("Terrane-Min", "Terrane-Width", "Terrane-Origin", "Accept-Ranges"):
                assert answer.all(header) == plain.all(header)
        assert made.body == again.body and made["ETag"] == again["ETag"]
        tags.add(made["ETag"])
    assert len(tags) == 3


def test_other_codings_are_made_of_the_samples_that_are_there(server):
    """Noise and erosion are not made twice: the second coding of an eroded tile takes what the first one left."""
    server.get(tile(42, 3, 30, 30, "f32", recipe="continents"))
    before = server.count("terrane_regions_total")
    for name in ("gzip", "zstd"):
        assert coding(server.get(tile(42, 3, 30, 30, "f32", recipe="continents"), accept(name))) == name
    assert server.count("terrane_regions_total") == before


@pytest.mark.parametrize("fmt,query,varies", [
    ("f32", {"layer": "normal"}, False), ("npy", {"layer": "slope"}, False), ("f32", {"size": 17}, False),
    ("f32", {"size": 33}, True), ("f32", {"layer": "partition"}, True), ("f32", {"layer": "partition", "size": 512}, True),
    ("f32", {"layer": "water"}, True), ("json", {"size": 2}, True),
    *(("png", {"layer": layer, "size": 64}, False) for layer in ("height", "normal", "partition", "flow"))])
def test_only_what_may_pay_varies(server, fmt, query, varies):
    plain = server.get(target(fmt, 4, **query))
    assert ("Vary" in plain) == varies
    for name in ("gzip", "zstd"):
        answer = server.get(target(fmt, 4, **query), accept(name))
        assert ("Vary" in answer) == varies and (varies or coding(answer) == "identity")
        check_is(answer, plain)
        if not varies:
            assert answer["ETag"] == plain["ETag"]


def test_vary_names_both_where_both_choose(server):
    for kind, expected in (("application/json", "Accept, Accept-Encoding"), ("image/png", "Accept")):
        for encoding in (None, "gzip"):
            headers = [("Accept", kind), *accept(encoding)]
            cold, answer, hot = server.ask(target(None, 5), "HEAD", headers), server.get(target(None, 5), headers), server.get(target(None, 5), headers)
            kept = server.get(target(None, 5), [*headers, ("If-None-Match", answer["ETag"])], 304)
            assert {one["Vary"] for one in (cold, answer, hot, kept, server.ask(target(None, 5), "HEAD", headers))} == {expected}
            assert (coding(answer) == "gzip") == (encoding == "gzip" and kind == "application/json")


@pytest.mark.parametrize("fmt", CODED)
def test_304_and_head_of_each_coding(server, fmt):
    tags = {name: server.ask(target(fmt, 6), "HEAD", accept(name))["ETag"] for name in SAME}
    assert len(set(tags.values())) == 3
    before = server.renders()
    for name, tag in tags.items():
        for known, etag in tags.items():
            answer = server.ask(target(fmt, 6), "HEAD", [*accept(name), ("If-None-Match", etag)])
            assert answer.status == (304 if known == name else 200) and answer["ETag"] == tag
            assert answer["Vary"] == "Accept-Encoding"
    assert server.renders() == before
    for name, tag in tags.items():
        made = server.get(target(fmt, 6), accept(name))
        kept = server.get(target(fmt, 6), [*accept(name), ("If-None-Match", f'"x", {tag}')], 304)
        assert made["ETag"] == kept["ETag"] == tag and kept.body == b"" and "Content-Encoding" not in kept
        head = server.ask(target(fmt, 6), "HEAD", accept(name))
        assert coding(head) == name and head["Content-Length"] == made["Content-Length"]


def test_a_restart_serves_codings_from_disk(launch, tmp_path):
    first = launch(cache=tmp_path / "cache", config={"cache": {"write_interval_ms": 1}})
    asked = [(target(fmt, 7), name) for fmt in CODED for name in SAME]
    before = [first.get(path, accept(name)) for path, name in asked]
    first.wait_stored(len(asked))
    assert first.stop() == 0
    second = launch(cache=tmp_path / "cache")
    for (path, name), old in zip(asked, before):
        new, hot = second.get(path, accept(name)), second.get(path, accept(name))
        assert (new["X-Cache"], hot["X-Cache"], coding(new)) == ("disk", "memory", name)
        assert new.body == old.body == hot.body and new["ETag"] == old["ETag"]
    assert second.renders() == 0


def test_compression_off(launch):
    server = launch(config={"http": {"compression": False}})
    assert "Content-Encoding" not in server.get("/", accept("gzip"))  # the viewer's page
    for fmt in CODED:
        plain = server.get(target(fmt))
        answer = server.get(target(fmt), accept("gzip, zstd"))
        assert coding(answer) == "identity" and answer.body == plain.body and answer["ETag"] == plain["ETag"]
        assert "Vary" not in answer and answer["X-Cache"] == "memory"


def test_what_it_saved_is_counted(launch):
    server = launch()
    plain, coded = server.get(target("f32")), server.get(target("f32"), accept("zstd"))
    wait_for(lambda: server.count("terrane_coded_bytes_total"), what="the count")
    sides = {labels["side"]: server.count("terrane_coded_bytes_total", **labels)
             for labels in server.metrics().labels("terrane_coded_bytes_total")}
    assert sorted(sides.values()) == [len(coded.body), len(plain.body)]


@pytest.mark.parametrize("target", ["/openapi.json", "/world/42", "/style/42.json", "/terrain/42/layer.json"])
def test_texts_are_coded(server, target):
    """Under one weak tag, whose 304 says the same."""
    plain = server.get(target)
    assert "Content-Encoding" not in plain and plain["Vary"] == "Accept-Encoding" and plain["ETag"].startswith('W/"')
    for name in ("gzip", "zstd"):
        answer = server.get(target, accept(name))
        check_is(answer, plain)
        assert coding(answer) == name and len(answer.body) < 0.6 * len(plain.body)
        assert answer["ETag"] == plain["ETag"] and answer["Vary"] == plain["Vary"]
        kept = server.get(target, [*accept(name), ("If-None-Match", answer["ETag"])], 304)
        assert kept["ETag"] == plain["ETag"] and kept["Vary"] == plain["Vary"] and kept.body == b""


def test_short_texts_are_not_coded(server):
    answer = server.get("/xyz/42/tile.json", accept("gzip"))
    assert coding(answer) == "identity" and answer["Vary"] == "Accept-Encoding" and len(answer.body) <= 1024
