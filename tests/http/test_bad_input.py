"""Methods that are none, and targets that are too long. Which status and parameter any other mistake has, and what is said of it: tests/unit/http/test_target_*.c,
and of each parameter of the interface: test_openapi.py."""

import pytest
from http_server import tile


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


@pytest.mark.parametrize("path", [tile(42, 0, 0, 0, "png"), "/readyz", "/" + "a" * 3000])
def test_many_parameters(server, path):
    """Each takes memory of the connection, of which libmicrohttpd has none left for a hundred and more: such a request had no answer and no end."""
    assert server.ask(path + "?" + "&" * 31).status == (414 if len(path) > 2048 else 200)
    for count in (32, 300, 3000):
        server.ask(path + "?" + "&" * count).problem(414)


def test_headers_that_leave_no_room_for_a_body(server):
    body = b'{"places": [[1, 2]]}'
    headers = [("Accept", "a" * length) for length in (3000, 3000, 1200)]
    assert server.ask("/point/42?lod=3", "POST", body=body, headers=headers[:1]).status == 200
    server.ask("/point/42?lod=3", "POST", body=body, headers=headers).problem(431, "headers")


def test_long_targets_with_large_headers_within_the_limits(server):
    target = f"{tile(42, 0, 0, 1, None)}?a="
    target += "b" * (2048 - len(target))
    assert server.ask(target, headers=[("Accept", "application/json," + "a/b," * 1000)]).status == 200
