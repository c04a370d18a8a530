"""Prefetching: what a moving viewer will ask for is there before it asks. Which tiles those are: tests/unit/http/test_prefetch_walk.c."""

import json

import pytest
from http_client import wait_for
from http_server import base_tile

STILL = {"seed": "42", "position": [100.0, 100.0], "view_distance": 900, "variant": "base", "format": "f32",
         "size": 65}


def ask(server, body):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return server.ask("/prefetch", "POST", [("Content-Type", "application/json")], data)


def prefetch(server, body):
    answer = ask(server, body)
    assert answer.status == 202, (answer.status, answer.body)
    return json.loads(answer.body)


def wait_made(server, body, tiles):
    """What has waited for long is forgotten: on a busy machine it is asked for again."""
    for link in tiles:
        wait_for(lambda link=link: prefetch(server, body) and server.ask(link, "HEAD").all("X-Cache") == ["memory"], what=link)


def test_who_has_no_token_left_gets_fewer(launch):
    server = launch(config={"limits": {"renders_per_minute": 1, "renders_burst": 3}})
    answer = prefetch(server, STILL)
    assert (answer["queued"], answer["refused"]) == (3, answer["wanted"] - 3)


def test_what_is_on_disk_costs_no_render(launch, tmp_path):
    body, other = {**STILL, "view_distance": 10}, base_tile(42, 3, 6, 6, "png", size=32)
    first = launch(cache=tmp_path / "cache")
    wait_made(first, body, prefetch(first, body)["tiles"])
    first.get(other)
    first.wait_stored(2)
    assert first.stop() == 0
    second = launch(cache=tmp_path / "cache", config={"limits": {"renders_per_minute": 1, "renders_burst": 1}})
    assert prefetch(second, body)["queued"] == 1
    assert second.get(other)["X-Cache"] == "disk"  # one thread looks: it has done with what was prefetched
    second.get(base_tile(42, 3, 5, 5, "png", size=32))
    assert second.renders() == 1


def test_tiles_are_made_before_they_are_asked_for(launch):
    server = launch()
    answer = prefetch(server, STILL)
    assert answer["queued"] == len(answer["tiles"]) == answer["wanted"] > 20
    assert answer["cached"] == answer["refused"] == 0
    wait_made(server, STILL, answer["tiles"])
    renders = server.renders()
    assert renders == answer["queued"]
    for link in answer["tiles"]:
        assert server.get(link)["X-Cache"] == "memory"
    assert server.renders() == renders
    again = prefetch(server, STILL)
    assert again["tiles"] == answer["tiles"]
    assert (again["queued"], again["cached"], again["refused"]) == (0, len(answer["tiles"]), 0)


@pytest.mark.parametrize("change,path", [
    ({"layer": "normal"}, "?layer=normal"), ({"recipe": "alpine", "variant": "base"}, "?recipe=alpine"),
    ({"format": "png", "enc": "gray16", "size": 64}, ".png?"), ({"format": "png", "layer": "cover", "bands": 1}, "bands=1")])
def test_links_lead_to_the_same_tile(launch, change, path):
    server = launch()
    body = {**STILL, "view_distance": 10, **change}
    answer = prefetch(server, body)
    assert len(answer["tiles"]) == 1 and path in answer["tiles"][0]
    wait_made(server, body, answer["tiles"])
    renders = server.renders()
    server.get(answer["tiles"][0])
    assert server.renders() == renders


def test_a_server_queues_no_more_than_it_is_told(launch):
    server = launch(config={"prefetch": {"tiles": 5}})
    answer = prefetch(server, STILL)
    assert len(answer["tiles"]) == 5 < answer["wanted"]
    assert answer["queued"] + answer["cached"] + answer["refused"] == 5


WRONG = {
    "seed": [-1, 1.0, None, "a b", "-1", "", "18446744073709551616"], "position": [[1], [0, 0, 0, 0], [0, "0"], {"x": 0}, "here"],
    "velocity": [[1], [1, "2"], [None, 1], [2e6, 0], [0, -1000001], 3], "view_distance": [0, -1, 1e8, 10000001, "far"],
    "seconds": [-0.1, 120.1], "detail": [0, 0.09, 100.1], "level_max": [25, -1, 1.5, 3.0], "layer": ["lava", 0], "format": ["bmp"],
    "variant": ["new"], "enc": ["rgb"], "bands": [2, -1, "1", 0.5], "size": [7, 100, 512, 4294967552, "65"], "recipe": ["9", "", 7]}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named(server, name):
    for value in WRONG[name]:
        detail = ask(server, {**STILL, name: value}).problem(400, name)
        assert detail.startswith(f"{name} must be"), detail


def test_what_does_not_go_together(server):
    for wrong, named in (({"layer": "normal", "format": "r16"}, "format"), ({"layer": "relief"}, "format"),
                         ({"layer": "delta", "enc": "gray16", "format": "png"}, "enc"),
                         ({"layer": "cover", "bands": 1, "format": "f32"}, "bands"), ({"bands": 1, "format": "png"}, "bands")):
        ask(server, {**STILL, **wrong}).problem(400, named)
    assert ask(server, {**STILL, "size": 100}).problem(400, "size") == "size must be 2^k from 2 to 256 or 2^k + 1 from 3 to 257"


def test_bodies(server):
    still = json.dumps(STILL).encode()
    for body in (b"", b"[]", b"42", b"{", b"{} {}", b"[" * 4096, still.replace(b" ", b"\0", 1), still.replace(b'"42"', b"18446744073709551615"),
                 json.dumps({**STILL, "\x1b[31m": 1}).encode(), b'{"seed": 1, "seed": 1}', b'{"seed": 42, "position": [1e999, 0], "view_distance": 1}',
                 json.dumps({**STILL, "velocty": [1, 2]}).encode()):
        ask(server, body).problem(400, "body")
    for missing in ("seed", "position", "view_distance"):
        ask(server, {name: value for name, value in STILL.items() if name != missing}).problem(400, missing)
    ask(server, {**STILL, "recipe": "moon"}).problem(404, "recipe")
    ask(server, json.dumps(STILL).encode() + b" " * 5000).problem(413, "body")
