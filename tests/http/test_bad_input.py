"""A table of everything that is wrong: which status, and which parameter is to blame."""

import json

import pytest
from http_server import ENCS, FORMATS, GENERATOR, TILE_MAX, tile


def bad(server, target, status, parameter):
    detail = server.ask(target).problem(status, parameter)
    assert parameter in (None, "path") or detail.startswith(f"{parameter}=")


# One of each kind: the whole tables are tests/unit/http/test_target_*.c's.
@pytest.mark.parametrize("target,status,parameter", [
    ("/tile/42/1e3/0/0.png", 400, "lod"), ("/tile/42/0/\u0661/0", 400, "x"), ("/tile/42/0/0/%FF.png", 400, "y"),
    ("/tile/42/25/0/0.png", 404, "lod"), (f"/tile/42/0/{TILE_MAX + 1}/0.png", 404, "x"), ("/tile/a%20b/0/0/0.png", 400, "seed"),
    ("/world//", 404, "path"), ("/world/", 400, "seed"), ("/tile/42/0/0/0.bmp", 400, "ext"), ("/tile/42/0/0/0.png?layer=lava", 400, "layer"),
    ("/tile/42/0/0/0.r16?layer=normal", 400, "ext"), ("/tile/42/0/0/0.png?size=100", 400, "size"), ("/tile/42/0/0/0.png?size", 400, "size"),
    ("/tile/42/0/0/0.png?enc=rgb", 400, "enc"), ("/tile/42/0/0/0.png?variant=Base", 400, "variant"),
    ("/tile/42/0/0/0.png?recipe=moon", 404, "recipe"), ("/tile/42/0/0/0.png?recipe=-x", 400, "recipe"),
    ("/xyz/42/3/8/0.png", 404, "x"), ("/xyz/42/3/-1/0.png", 400, "x"), ("/xyz/42/3/0/0.png?origin=1", 400, "origin"),
    ("/xyz/42/3/0/0.png?v=1", 410, "v"), ("/region/42.f32?x0=0&y0=0&w=1", 400, "h"), ("/region/42.f32?x0=0&y0=0&w=4098&h=1", 413, "w")])
def test_what_is_wrong_is_named(server, target, status, parameter):
    bad(server, target, status, parameter)
    assert server.ask(target, "HEAD").status == status


@pytest.mark.parametrize("text", ["%", "%1", "%zz", "1%2", "%00", "1%00", "%u0031"])
def test_broken_escapes_and_zero_bytes(server, text):
    for target in (f"/tile/{text}/0/0/0.png", f"/tile/42/0/0/{text}.png", f"{tile(42, 0, 0, 0, 'png')}?layer={text}"):
        assert server.ask(target).status == 400


def test_512_needs_a_level_below(server):
    for fmt in FORMATS:
        bad(server, tile(42, 0, 0, 0, fmt, size=512), 400, "size")
        assert server.get(tile(42, 1, 0, 0, fmt, size=512)).status == 200


@pytest.mark.parametrize("name,value", [("layer", "height"), ("variant", "base"), ("enc", ENCS[0]),
                                        ("size", "256"),
                                        ("recipe", "continents"), ("v", str(GENERATOR))])
def test_parameters_given_twice(server, name, value):
    target = tile(42, 0, 0, 0, "png")
    assert server.ask(f"{target}?{name}={value}").status == 200
    bad(server, f"{target}?{name}={value}&{name}={value}", 400, name)
    bad(server, f"{target}?{name}={value}&a=b&%{ord(name[0]):02x}{name[1:]}={value}", 400, name)


@pytest.mark.parametrize("query", ["", "a", "a=", "=", "=b", "&", "&&&", "a=b&a=b", "Layer=lava",
                                   "LAYER=lava", "layers=lava",
                                   "%6Cayers=x", "a=%C3%A4", "a=/../..", "a=%26layer=lava", "?",
                                   "a=" + "b" * 1500])
def test_unknown_parameters_are_ignored(server, query):
    target = tile(42, 0, 0, 0, "png")
    assert server.get(f"{target}?{query}").body == server.get(target).body


@pytest.mark.parametrize("path", ["/tile", "/tile/", "/tile/42", "/tile/42/0", "/tile/42/0/0",
                                  "/tile/42/0/0/0/0",
                                  "/tile/42/0/0/0.png/", "//tile/42/0/0/0.png", "/Tile/42/0/0/0.png",
                                  "/world",
                                  "/world/42/", "/world/42/43", "/nothing", "/healthz/", "/healthzz",
                                  "/metrics",
                                  "/metrics/", "/../etc/passwd", "/tile/../world/42", "/%2e%2e/",
                                  "/favicon.ico", "*",
                                  "nothing", "/."])
def test_unknown_paths(server, path):
    bad(server, path, 404, "path")


@pytest.mark.parametrize("escape", ["%2F", "%2f"])
@pytest.mark.parametrize("path", ["/tile/42/0/0/0.f32/status", tile(42, 0, 0, 0, "png"), "/healthz", "/xyz/42/tile.json",
                                  "/terrain/42/layer.json", "/3dtiles/42/tileset.json", "/world/42", "/viewer/worlds.json"])
def test_an_escaped_slash_separates_nothing(server, path, escape):
    """A tile has one path: what proxies and caches take for one segment is none of two."""
    first, last = path.split("?")[0].rsplit("/", 1)
    bad(server, f"{first}{escape}{last}", 404, "path")
    assert server.ask(f"{escape}metrics", admin=True).status == 404


@pytest.mark.parametrize("path", ["/", "/nothing", "/world/42", tile(42, 0, 0, 0, "png")])
def test_the_admin_listener_serves_nothing_else(server, path):
    assert server.ask(path, admin=True).status == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "TRACE", "get", "Get", "GETX", "ET", "EAD", "BREW",
                                    "M-SEARCH"])
@pytest.mark.parametrize("target", [tile(42, 0, 0, 0, "png"), tile(42, 0, 0, 0, None), "/world/42",
                                    "/healthz", "/readyz"])
def test_other_methods(server, target, method):
    bodies = (b"", b"x" * 5000) if method in ("POST", "PUT", "PATCH") else (b"",)
    for body in bodies:
        answer = server.ask(target, method, body=body)
        answer.problem(405)
        assert {word.strip() for word in answer["Allow"].split(",")} == {"GET", "HEAD", "OPTIONS"}


def test_other_methods_on_the_admin_listener(server):
    assert server.ask("/metrics", "POST", admin=True).status == 405
    assert server.ask("/metrics", "HEAD", admin=True).status == 200


def test_long_targets(server):
    target = f"{tile(42, 0, 0, 0, 'png')}?a="
    assert server.ask(target + "b" * (2048 - len(target))).status == 200
    server.ask(target + "b" * (2049 - len(target))).problem(414)
    server.ask("/" + "a" * 4000).problem(414)
    assert server.ask("/" + "a" * 60000).status == 414


def test_large_headers(server):
    target = tile(42, 0, 0, 0, "png")
    assert server.ask(target, headers=[("X-Padding", "a" * 4000)]).status == 200
    assert server.ask(target, headers=[("X-Padding", "a" * 60000)]).status == 431
    assert server.ask(target, headers=[(f"X-{i}", "a") for i in range(4000)]).status == 431


def test_long_targets_with_large_headers_within_the_limits(server):
    target = f"{tile(42, 0, 0, 1, None)}?a="
    target += "b" * (2048 - len(target))
    assert server.ask(target, headers=[("Accept", "application/json," + "a/b," * 1000)]).status == 200


def test_details_quote_at_most_a_piece(server):
    """What was given does not come back whole, nor as anything but printable ASCII."""
    answer = server.ask(tile("%1b[31m" + "q" * 500, 0, 0, 0, "png"))
    detail = json.loads(answer.body)["detail"]
    assert len(detail) < 200 and detail.isascii() and detail.isprintable()


def test_bad_input_costs_no_render(server):
    before = server.renders()
    for target in (tile(42, 99, 0, 0, "png"), tile(42, 0, 0, 0, "png", size=7), "/nothing"):
        assert server.ask(target).status in (400, 404)
    assert server.renders() == before
