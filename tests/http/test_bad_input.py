"""A table of everything that is wrong: which status, and which parameter is to blame."""

import json

import pytest
from http_server import ENCS, FORMATS, GENERATOR, LAYERS, R16_LAYERS, TILE_MAX, TILE_MIN, tile

HUGE = "9" * 300
ILL_FORMED = ["", "+1", "01", "00", "-01", "--1", "-", "1e3", "-0", "0x1", "1_000", "1,000", "1%20", "%201",
              "%2B1",
              "1%09", "\u0661", "%D9%A1", "%EF%BC%91", "NaN", "inf", "null", "a", "1a", "*", "%FF"]
# A dot ends the number that stands last: what follows is the extension.
ILL_FORMED_WITH_DOT = ["1.0", "1.", ".5"]
ESCAPES = ["%", "%1", "%zz", "1%", "1%2", "%00", "1%00", "%u0031", "%-1"]
OVER_64_BITS = [str(1 << 64), str((1 << 64) + 1), HUGE]


def check_problem(answer, status, parameter):
    assert answer.status == status, (answer.status, answer.body)
    assert answer["Content-Type"] == "application/problem+json"
    assert int(answer["Content-Length"]) == len(answer.body)
    problem = json.loads(answer.body)
    assert {"type", "title", "status", "detail"} <= set(problem)
    assert problem["status"] == status
    assert all(isinstance(problem[name], str) for name in ("type", "title", "detail"))
    assert problem["title"] and problem["detail"]
    assert problem.get("parameter") == parameter, problem
    assert parameter in (None, "path") or problem["detail"].startswith(f"{parameter}=")
    assert "immutable" not in answer["Cache-Control"]


def bad(server, target, status, parameter):
    check_problem(server.ask(target), status, parameter)


@pytest.mark.parametrize("text", ILL_FORMED)
@pytest.mark.parametrize("position,parameter", [(1, "lod"), (2, "x"), (3, "y")])
def test_ill_formed_numbers(server, position, parameter, text):
    parts = ["42", "0", "0", "0"]
    parts[position] = text
    for ext in ("png", None):
        bad(server, tile(*parts, ext), 400, parameter)


@pytest.mark.parametrize("text", ILL_FORMED_WITH_DOT)
def test_fractions(server, text):
    bad(server, tile(42, text, 0, 0, "png"), 400, "lod")
    bad(server, tile(42, 0, text, 0, "png"), 400, "x")
    assert server.ask(tile(42, 0, 0, text, "png")).status == 400
    assert server.ask(tile(42, 0, 0, text, None)).status == 400


@pytest.mark.parametrize("text", ESCAPES)
@pytest.mark.parametrize("position", range(4))
def test_broken_escapes_and_zero_bytes(server, position, text):
    parts = ["42", "0", "0", "0"]
    parts[position] = text
    assert server.ask(tile(*parts, "png")).status == 400
    name = ("layer", "size", "enc", "v")[position]
    assert server.ask(f"{tile(42, 0, 0, 0, 'png')}?{name}={text}").status == 400


@pytest.mark.parametrize("text", ["+1", "01", "-1", "-0", "1e3", "1.0", "1%20", "\u0661", "%F0%9F%8F%94",
                                  "0x", "0xg",
                                  "0x1g", "0x12345678901234567", "0b1", "1a", "-a", "_a", "9lives", "a.b",
                                  "a%20b",
                                  "a+b", "a!", "a~", "\u00e4", "a" * 65, "A" * 300, *OVER_64_BITS, "%20",
                                  "a,b"])
def test_bad_seeds(server, text):
    bad(server, f"/world/{text}", 400, "seed")
    bad(server, tile(text, 0, 0, 0, "png"), 400, "seed")


@pytest.mark.parametrize("target", ["/world/", "/tile//0/0/0.png"])
def test_empty_seed(server, target):
    bad(server, target, 400, "seed")


@pytest.mark.parametrize("lod", ["-1", "25", "26", "256", "4294967296", *OVER_64_BITS, f"-{HUGE}"])
def test_levels_outside(server, lod):
    bad(server, tile(42, lod, 0, 0, "png"), 404, "lod")


@pytest.mark.parametrize("value", [TILE_MIN - 1, TILE_MAX + 1, 1 << 62, 1 << 63, -(1 << 63), -(1 << 63) - 1,
                                   *OVER_64_BITS, f"-{HUGE}"])
@pytest.mark.parametrize("lod", [0, 24])
def test_tiles_outside(server, lod, value):
    bad(server, tile(42, lod, value, 0, "png"), 404, "x")
    bad(server, tile(42, lod, 0, value, "png"), 404, "y")


@pytest.mark.parametrize("x,y", [(TILE_MIN, TILE_MIN), (TILE_MAX, TILE_MAX), (TILE_MIN, TILE_MAX)])
@pytest.mark.parametrize("lod", [0, 24])
def test_tiles_just_inside(server, lod, x, y):
    assert server.get(tile(42, lod, x, y, "f32", size=2)).status == 200


def test_ill_formed_comes_before_outside(server):
    bad(server, tile(42, 99, 0, "a", "png"), 400, "y")
    bad(server, tile(42, 99, TILE_MAX + 1, 0, "bmp"), 400, "ext")
    bad(server, tile(42, 99, 0, 0, "png", layer="lava"), 400, "layer")
    bad(server, tile(42, 0, 0, 0, "png", recipe="other", size="x"), 400, "size")
    bad(server, tile(42, 99, 0, 0, "png", recipe="other"), 404, "lod")


@pytest.mark.parametrize("ext", ["", "bmp", "PNG", "png.", "png.f32", "png%20", "%20png", "jpeg", "f64",
                                 "terrain"])
def test_unknown_formats(server, ext):
    bad(server, tile(42, 0, 0, 0, ext), 400, "ext")


@pytest.mark.parametrize("layer", [layer for layer in LAYERS if layer not in R16_LAYERS])
def test_formats_that_a_layer_lacks(server, layer):
    bad(server, tile(42, 0, 0, 0, "r16", layer=layer), 400, "ext")


@pytest.mark.parametrize("name,values", [
    ("layer", ["lava", "Height", "HEIGHT", "height%20", "height,normal", "0", "heigh", "heights"]),
    ("variant", ["eroded2", "Base", "Eroded", "0", "bas", "erode", "base,eroded"]),
    ("enc", ["rgb", "Terrarium", "gray8", "grey16", "terrarium%20"]),
    ("recipe", ["9", "a%20b", "-x", "x" * 65, "a/b"]),
    ("size", ["0", "1", "-1", "-256", "4", "5", "255x", "+256", "0256", "256.0", "2e2", "0x100", "256%20",
              "6", "7", "63",
              "100", "255", "258", "511", "513", "514", "1024", "1025", "4096", "4097", "65536",
              *OVER_64_BITS]),
])
def test_unknown_values(server, name, values):
    good = {"4", "5"} if name == "size" else set()
    for value in ["", *values]:
        target = f"{tile(42, 1, 0, 0, 'png')}?{name}={value}"
        if value in good:
            assert server.ask(target).status == 200
        else:
            bad(server, target, 400, name)
    bad(server, f"{tile(42, 1, 0, 0, 'png')}?{name}", 400, name)


def test_every_allowed_size(server):
    for size in [2 ** k for k in range(1, 10)] + [2 ** k + 1 for k in range(1, 9)]:
        for fmt in ("png", "f32"):
            assert server.get(tile(42, 1, 0, 0, fmt, size=size)).status == 200, size


def test_512_needs_a_level_below(server):
    for fmt in FORMATS:
        bad(server, tile(42, 0, 0, 0, fmt, size=512), 400, "size")
        assert server.get(tile(42, 1, 0, 0, fmt, size=512)).status == 200


def test_unknown_recipe_is_not_found(server):
    bad(server, tile(42, 0, 0, 0, "png", recipe="moon"), 404, "recipe")


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


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "TRACE", "get", "Get", "GETX", "BREW",
                                    "M-SEARCH"])
@pytest.mark.parametrize("target", [tile(42, 0, 0, 0, "png"), tile(42, 0, 0, 0, None), "/world/42",
                                    "/healthz", "/readyz"])
def test_other_methods(server, target, method):
    bodies = (b"", b"x" * 5000) if method in ("POST", "PUT", "PATCH") else (b"",)
    for body in bodies:
        answer = server.ask(target, method, body=body)
        check_problem(answer, 405, None)
        assert {word.strip() for word in answer["Allow"].split(",")} == {"GET", "HEAD", "OPTIONS"}


def test_other_methods_on_the_admin_listener(server):
    assert server.ask("/metrics", "POST", admin=True).status == 405
    assert server.ask("/metrics", "HEAD", admin=True).status == 200


def test_long_targets(server):
    target = f"{tile(42, 0, 0, 0, 'png')}?a="
    assert server.ask(target + "b" * (2048 - len(target))).status == 200
    check_problem(server.ask(target + "b" * (2049 - len(target))), 414, None)
    check_problem(server.ask("/" + "a" * 4000), 414, None)
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
