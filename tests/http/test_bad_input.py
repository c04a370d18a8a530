"""Methods that are none, targets that are too long, and what is said of them. Which status and parameter any other mistake has: tests/unit/http/test_target_*.c,
and of each parameter of the interface: test_openapi.py."""

import json

import pytest
from http_server import tile


def test_what_is_wrong_is_named(server):
    for target, status, parameter in (("/metrics", 404, "path"), ("/world//", 404, "path"), ("/tile/42/0/0%2F0.png", 404, "path"), ("/tile/42/0/0/%zz.png", 400, "target")):
        assert server.ask(target).problem(status, parameter) and server.ask(target, "HEAD").status == status


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
