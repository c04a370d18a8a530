"""/metrics: Prometheus text to the letter, and numbers that follow what happens."""

import pytest
from http_client import wait_for
from http_server import GENERATOR, LAYERS, tile


def answered(server, route, status):
    """Answers are counted when their last byte is out: a client may be a moment ahead."""
    return server.count("terrane_requests_total", route=route, status=str(status))


def test_labels(server):
    """Which names there are, of which types: test_observability.py."""
    before = answered(server, "/tile", 200)
    server.get(tile(42, 0, 0, 0, "png"))
    wait_for(lambda: answered(server, "/tile", 200) == before + 1, what="the count")  # or the next test finds it late
    answer = server.ask("/metrics", admin=True)
    assert answer["Content-Type"].startswith("text/plain; version=0.0.4") and answer["Cache-Control"] == "no-store"
    metrics = server.metrics()
    assert {labels["layer"] for labels in metrics.labels("terrane_renders_total")} == set(LAYERS)
    assert {labels["tier"] for labels in metrics.labels("terrane_cache_hits_total")} == {"memory", "disk", "shared"}
    assert all(set(labels) == {"route", "status"} for labels in metrics.labels("terrane_requests_total"))
    assert metrics.labels("terrane_build_info")[0]["generator"] == str(GENERATOR)


@pytest.mark.parametrize("route,status,asked", [
    ("/tile", 200, [tile(42, 0, 0, 0, "png")]), ("/tile", 400, [tile(42, 0, 0, "a", "png")]),
    ("/tile", 404, [tile(42, 99, 0, 0, "png")]), ("/tile", 410, [tile(42, 0, 0, 0, "png", v=19)]),
    ("/tile", 304, [tile(42, 0, 0, 0, "png"), "GET", [("If-None-Match", "*")]]), ("/tile", 405, [tile(42, 0, 0, 0, "png"), "POST"]),
    ("/world", 200, ["/world/42"]), ("/healthz", 200, ["/healthz"]), ("/readyz", 200, ["/readyz"]),
    ("unknown", 404, ["/nothing"]), ("unknown", 414, ["/" + "a" * 3000])])
def test_requests_are_counted(server, route, status, asked):
    before = answered(server, route, status)
    for _ in range(3):
        assert server.ask(*asked).status == status
    wait_for(lambda: answered(server, route, status) == before + 3, what="the count")


@pytest.mark.parametrize("layer", ["height", "normal", "relief"])
def test_renders_hits_and_times(server, layer):
    before = server.metrics()
    target = tile(42, 5, 1234, 9, "png", layer=layer)
    for _ in range(4):
        server.get(target)
    count = before.total("terrane_requests_total", route="/tile", status="200") + 4
    wait_for(lambda: answered(server, "/tile", 200) == count, what="the count")
    after = server.metrics()

    def rise(name, **labels):
        return after.total(name, **labels) - before.total(name, **labels)

    assert rise("terrane_renders_total") == rise("terrane_renders_total", layer=layer) == 1
    assert [rise("terrane_cache_hits_total", tier=tier) for tier in ("memory", "disk")] == [3, 0]
    assert rise("terrane_request_seconds_count", tier="memory") == 3
    assert rise("terrane_request_seconds_count", tier="render") == 1
    for stage in ("queue", "surface", "encode"):
        assert rise("terrane_stage_seconds_count", stage=stage) == 1
    assert rise("terrane_cache_bytes", tier="memory") > 100


def test_no_request_makes_a_series(server):
    """Whatever is asked for, labels come from fixed sets."""
    server.metrics()
    for target in ("/nothing", "/x\"y", "/tile/{}/0/0/0.png", "/%0a%22", "/world/evil\\n"):
        server.ask(target)
    server.ask("/healthz", "BREW")
    routes = {labels["route"] for labels in server.metrics().labels("terrane_requests_total")}
    assert routes <= {"/tile", "/world", "/healthz", "/readyz", "/metrics", "unknown"}
