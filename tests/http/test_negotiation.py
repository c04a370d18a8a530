"""Without an extension Accept chooses, and the answer says so in Vary; also HEAD, 304 and from memory: test_coding.py."""

import pytest
from http_server import FORMATS, tile, vary

# What clients send, what they might, and garbage. Quality comes before specificity before order; the most specific range speaks for
# a type, wherever it stands; 0 is no; what cannot be read is passed over.
CHOICES = {
    "png": [
        None, "", "*/*", "image/png", "image/*", "IMAGE/PNG", "text/html", "nonsense", ";;;,,,", "application/json;q=x",
        "application/json;q=0", "application/json;q=0.000", "application/json;q=0.0001", "image/png;q=0.6, application/json;q=0.5",
        "*/*;q=0.9, application/json;q=0.8", "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",
        "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8", "application/json;q=0.5, image/png;q=0.6",
        "application/json, image/png", "*/*, application/x-npy;q=0.9", "image/*;q=0.1, image/png, application/json",
        "application/json;q=0, */*;q=0.5", "application/json;q=0.2;x=1, image/png;q=0.3", "application/json;q=, image/png;q=0.1",
        "json", "application/jsonx", "application/jso", "application /json", "*", "*/json", "image/jpeg", "/", ",", ";", " ", ";;q=;q"],
    "json": [
        "application/json", "APPLICATION/JSON", " \tapplication/json\t ", "image/png;q=0, application/json",
        "image/png;q=0.5, application/json;q=0.6", "application/json;q=0.501 , image/png;q=0.5", "application/json, */*",
        "*/*, application/json", "image/png;q=0.1, application/octet-stream;q=0.2, application/json;q=0.3",
        "image/png;q=0.1, */*;q=0.9, application/json", "text/html, application/json;charset=utf-8;q=0.3",
        "application/json, text/plain, */*", "application/json;q=0.9, */*;q=0.1", "application/json, image/*",
        "image/*, application/json", "*/*, image/png;q=0.1, application/json", "image/*;q=0, application/json;q=0.1",
        "image/png;q=0.2, application/json;q=0.5, */*;q=0.1", "application/json;version=2;q=0.4, image/png;q=0.3",
        "application/json ; q=0.4 , image/png;Q=0.3", "application/json;q=7, image/png;q=0.9", "application/json;quality=0, image/*;q=0.9",
        ",,,application/json", "application/json,", "application/json;", ";q=1,application/json", "garbage, application/json;q=0.1",
        "application/json;q", "application/json;q=99999999999999999999", "\u00ff\u00fe, application/json"],
    "f32": ["application/octet-stream", "application/*", "application/x-npy, application/octet-stream",
            "application/json;q=0.9, application/*", "image/png;q=0, */*"],
    "npy": ["application/x-npy", "application/x-npy;q=0.9,*/*;q=0.1", "application/x-npy;q=1.000, */*",
            "application/octet-stream;q=0, application/*", "application/json;q=0.000, application/x-npy;q=0.001",
            "application/json;q=x, application/x-npy;q=0.1", "application/json;q=-1, application/x-npy;q=0.1"]}


@pytest.mark.parametrize("fmt", CHOICES)
def test_accept_chooses(connection, fmt):
    plain = connection.ask(tile(42, 0, 1, 2, fmt))
    for accept in CHOICES[fmt]:
        chosen = connection.ask(tile(42, 0, 1, 2, None), headers=[] if accept is None else [("Accept", accept)])
        assert chosen["Content-Type"] == FORMATS[fmt] and chosen.all("Vary") == vary("height", fmt, negotiated=True), accept
        assert chosen.body == plain.body and chosen["ETag"] == plain["ETag"], accept


def test_accept_chooses_vector_tiles(connection):
    chosen = connection.ask(tile(42, 0, 1, 2, None, size=257), headers=[("Accept", "application/vnd.mapbox-vector-tile")])
    assert chosen["Content-Type"] == "application/vnd.mapbox-vector-tile" and chosen.body == connection.ask(tile(42, 0, 1, 2, "mvt")).body


def test_accept_chooses_among_what_a_layer_has(connection):
    answer = connection.ask(tile(42, 2, 0, 0, None, size=9, layer="relief"), headers=[("Accept", "image/tiff"), ("Accept", "image/png;q=0.5")])
    assert answer["Content-Type"] == "image/png"


def test_a_mistake_that_accept_made_is_nobodys_to_keep(connection):
    for ext, headers, kept in ((None, [("Accept", "application/geo+json")], "no-store"), ("geojson", [], "public, max-age=60")):
        wrong = connection.ask(tile(42, 0, 1, 2, ext, layer="slope"), headers=headers)
        wrong.problem(400, "ext")
        assert wrong["Cache-Control"] == kept


def test_the_query_counts_as_well(server):
    chosen = server.get(tile(42, 0, 1, 2, None, layer="normal", size=65), [("Accept", "application/octet-stream")])
    assert chosen.body == server.get(tile(42, 0, 1, 2, "f32", layer="normal", size=65)).body


@pytest.mark.parametrize("fmt", FORMATS)
def test_an_extension_wins_and_does_not_vary_by_accept(server, fmt):
    answer = server.get(tile(42, 0, 1, 2, fmt), [("Accept", "text/html;q=1, application/json;q=0.5")])
    assert answer["Content-Type"] == FORMATS[fmt] and answer.all("Vary") == vary("height", fmt)


@pytest.mark.parametrize("target", ["/healthz", "/readyz", "/nothing", tile(42, 0, 0, 0, "bmp")])
def test_nothing_else_varies(server, target):
    assert "Vary" not in server.ask(target)
