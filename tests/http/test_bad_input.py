"""A table of everything that is wrong: which status, and which parameter is to blame."""

import json

import pytest
from http_server import TILE_MAX, tile


def bad(server, target, status, parameter):
    detail = server.ask(target).problem(status, parameter)
    assert parameter in (None, "path") or detail.startswith(f"{parameter}=")


# One of each kind: the whole tables are tests/unit/http/test_target_*.c's.
@pytest.mark.parametrize("target,status,parameter", [
    ("/tile/42/1e3/0/0.png", 400, "lod"), ("/tile/42/0/\u0661/0", 400, "x"), ("/tile/42/0/0/%FF.png", 400, "y"),
    ("/tile/42/25/0/0.png", 404, "lod"), (f"/tile/42/0/{TILE_MAX + 1}/0.png", 404, "x"), ("/tile/a%20b/0/0/0.png", 400, "seed"),
    ("/tile/42/0/0/%zz.png", 400, "target"), ("/tile/42/0/0%2F0.png", 404, "path"), ("/tile/42/0/0/0.png/", 404, "path"),
    ("/metrics", 404, "path"),
    ("/tile/42/0/0/0.png?size=64&size=64", 400, "size"), ("/tile/42/0/0/0.png?size=512", 400, "size"),
    ("/tile/42/0/0/0.png?v=01", 400, "v"),
    ("/world//", 404, "path"), ("/world/", 400, "seed"), ("/tile/42/0/0/0.bmp", 400, "ext"), ("/tile/42/0/0/0.png?layer=lava", 400, "layer"),
    ("/tile/42/0/0/0.r16?layer=normal", 400, "ext"), ("/tile/42/0/0/0.png?size=100", 400, "size"), ("/tile/42/0/0/0.png?size", 400, "size"),
    ("/tile/42/0/0/0.png?enc=rgb", 400, "enc"), ("/tile/42/0/0/0.png?variant=Base", 400, "variant"),
    ("/tile/42/0/0/0.png?recipe=moon", 404, "recipe"), ("/tile/42/0/0/0.png?recipe=-x", 400, "recipe"),
    ("/xyz/42/3/8/0.png", 404, "x"), ("/xyz/42/3/-1/0.png", 400, "x"), ("/xyz/42/3/0/0.png?origin=1", 400, "origin"),
    ("/xyz/42/3/0/0.png?v=1", 410, "v"), ("/region/42.f32?x0=0&y0=0&w=1", 400, "h"), ("/region/42.f32?x0=0&y0=0&w=4098&h=1", 413, "w")])
def test_what_is_wrong_is_named(server, target, status, parameter):
    bad(server, target, status, parameter)
    assert server.ask(target, "HEAD").status == status


@pytest.mark.parametrize("target", [tile(42, 0, 0, 0, "png"), "/world/42", "/healthz"])
def test_other_methods(server, target):
    """Words that are nearly one of those that there are; of each path the plain ones: test_openapi.py."""
    for method in ("TRACE", "get", "Get", "GETX", "ET", "EAD", "M-SEARCH"):
        server.ask(target, method).problem(405)
    for body in (b"", b"x" * 5000):
        server.ask(target, "POST", body=body).problem(405)


def test_long_targets(server):
    target = f"{tile(42, 0, 0, 0, 'png')}?a="
    assert server.ask(target + "b" * (2048 - len(target))).status == 200
    server.ask(target + "b" * (2049 - len(target))).problem(414)
    server.ask("/" + "a" * 4000).problem(414)
    assert server.ask("/" + "a" * 60000).status == 414


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
