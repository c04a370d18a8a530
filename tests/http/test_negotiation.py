"""Without an extension Accept chooses, and the answer says so in Vary."""

import pytest
from http_server import FORMATS, tile, vary

CHOICES = [
    (None, "png"), ("", "png"), ("*/*", "png"), ("image/png", "png"), ("image/*", "png"),
    ("IMAGE/PNG", "png"),
    ("application/json", "json"), ("application/x-npy", "npy"), ("application/octet-stream", "f32"),
    ("text/html", "png"), ("nonsense", "png"), (";;;,,,", "png"), ("application/json;q=x", "png"),
    ("application/json;q=0", "png"), ("application/json;q=0.000", "png"),
    ("image/png;q=0, application/json", "json"),
    ("image/png;q=0.5, application/json;q=0.6", "json"), ("image/png;q=0.6, application/json;q=0.5", "png"),
    ("application/json;q=0.501 , image/png;q=0.5", "json"), ("application/x-npy;q=0.9,*/*;q=0.1", "npy"),
    ("application/json, */*", "json"), ("*/*, application/json", "json"),
    ("*/*;q=0.9, application/json;q=0.8", "png"),
    ("image/png;q=0.1, application/octet-stream;q=0.2, application/json;q=0.3", "json"),
    ("image/png;q=0.1, */*;q=0.9, application/json", "json"),
    ("text/html, application/json;charset=utf-8;q=0.3", "json"),
    ("image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", "png"),
    ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "png"),
    ("application/json, text/plain, */*", "json"),
]


@pytest.mark.parametrize("accept,fmt", CHOICES)
def test_accept_chooses(server, accept, fmt):
    headers = [] if accept is None else [("Accept", accept)]
    chosen = server.get(tile(42, 0, 1, 2, None), headers)
    plain = server.get(tile(42, 0, 1, 2, fmt))
    assert chosen["Content-Type"] == FORMATS[fmt] and chosen.all("Vary") == vary("height", fmt, negotiated=True)
    assert chosen.body == plain.body and chosen["ETag"] == plain["ETag"]


def test_the_query_counts_as_well(server):
    chosen = server.get(tile(42, 0, 1, 2, None, layer="normal", size=65),
                        [("Accept", "application/octet-stream")])
    assert chosen.body == server.get(tile(42, 0, 1, 2, "f32", layer="normal", size=65)).body


@pytest.mark.parametrize("fmt", FORMATS)
def test_an_extension_wins_and_does_not_vary_by_accept(server, fmt):
    answer = server.get(tile(42, 0, 1, 2, fmt), [("Accept", "text/html;q=1, application/json;q=0.5")])
    assert answer["Content-Type"] == FORMATS[fmt] and answer.all("Vary") == vary("height", fmt)


def test_vary_from_memory_and_in_304_and_head(server):
    target = tile(42, 0, 77, 2, None)
    cold = server.ask(target, "HEAD")
    etag = server.get(target)["ETag"]
    hot, head = server.get(target), server.ask(target, "HEAD")
    kept = server.get(target, [("If-None-Match", etag)], status=304)
    assert [answer["Vary"] for answer in (cold, hot, head, kept)] == ["Accept"] * 4


@pytest.mark.parametrize("target", ["/world/42", "/healthz", "/readyz", "/nothing", tile(42, 0, 0, 0, "bmp")])
def test_nothing_else_varies(server, target):
    assert "Vary" not in server.ask(target)
