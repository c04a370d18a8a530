"""The operators' listener: purging, statistics, the log's level, and what it is not for. Its methods and its token: test_openapi.py."""

import pytest
from http_operator import TOKEN, admin, admin_json, token_file
from http_server import GENERATOR, base_tile

GUARDED = {"/stats": "GET", "/purge?all=1": "POST", "/log-level": "GET", "/log-level?level=info": "PUT", "/reload": "POST"}


@pytest.fixture(scope="module")
def operated(stay, tmp_path_factory):
    """A server that has a token."""
    token = token_file(tmp_path_factory.mktemp("operated"))
    return stay(config={"access": {"admin_token_file": token}, "cache": {"write_interval_ms": 1},
                        "worlds": {"named": {"home": {"seed": "42", "secret": False}, "peaks": {"seed": "42", "recipe": "alpine", "secret": False}}}})


def of(target):
    return base_tile(*target, ext="png", size=32)


@pytest.mark.parametrize("target", ["/metrics", "/healthz", "/readyz"])
def test_reading_for_everybody(operated, server, target):
    for any_server in (operated, server):
        assert admin(any_server, target, token=None).status == admin(any_server, target, "HEAD", None).status == 200


@pytest.mark.parametrize("target,method", [("/metrics", "GET"), ("/healthz", "HEAD"), ("/nothing", "GET"), ("/purge", "GET"),
                                           ("/stats", "OPTIONS"), ("/reload", "OPTIONS"), *GUARDED.items()])
def test_no_page_of_another_origin_reads_them(operated, target, method):
    """A browser inside gives nothing to a page from outside, and asks nothing for it that wants a preflight."""
    asked = [("Origin", "https://example.org"), ("Access-Control-Request-Method", "POST"),
             ("Access-Control-Request-Headers", "authorization")]
    for token in (None, TOKEN):
        answer = operated.ask(target, method, asked + ([("Authorization", f"Bearer {token}")] if token else []), admin=True)
        names = {name.lower() for name, _ in answer.headers}
        assert not any(name.startswith(("access-control-", "cross-origin-", "timing-allow-")) for name in names)
        assert answer["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("target", ["/stats", "/purge?all=1", "/log-level", "/reload", "/metrics"])
def test_nothing_of_it_is_public(operated, target):
    for method in ("GET", "POST", "PUT"):
        assert operated.ask(target, method, [("Authorization", f"Bearer {TOKEN}")]).status == 404


def test_no_tiles_here(operated):
    for target in (of((42, 0, 0, 0)), "/world/42", "/nothing", "/prefetch"):
        assert admin(operated, target).status == 404


def test_stats(operated):
    before = admin_json(operated, "/stats")
    operated.get(of((99, 3, 1, 1)))
    after = admin_json(operated, "/stats")
    assert after["generator"] == GENERATOR and after["ready"] is True and after["log_level"] == "info"
    assert after["work"]["renders"] == before["work"]["renders"] + 1 == operated.renders()
    assert after["memory"]["entries"] > before["memory"]["entries"]
    assert after["memory"]["bytes"] <= after["memory"]["budget_bytes"] == 256 << 20
    assert after["disk"]["budget_bytes"] == 1 << 30


WORLDS = {"seed=42": (42, None), "seed=42&recipe=alpine": (42, "alpine"), "seed=43": (43, None)}
ASKED = {"seed=42": "seed=42", "seed=0x2A&recipe=plain": "seed=42", "seed=home": "seed=42",
         "seed=peaks": "seed=42&recipe=alpine", "recipe=alpine&seed=42": "seed=42&recipe=alpine", "seed=43": "seed=43"}


def fill(server):
    """Three tiles of each world, in memory and on disk."""
    targets = {world: [base_tile(seed, 3, i, 2, "png", size=32, recipe=recipe) for i in range(3)]
               for world, (seed, recipe) in WORLDS.items()}
    for asked in targets.values():
        for target in asked:
            server.get(target)
    server.wait_stored(9)
    return targets


@pytest.mark.parametrize("asked,world", ASKED.items())
def test_purging_one_world(operated, asked, world):
    admin_json(operated, "/purge?all=1", "POST")
    targets = fill(operated)
    assert admin_json(operated, f"/purge?{asked}", "POST") == {"memory": 3, "disk": 3}
    for other, mine in targets.items():
        assert [operated.get(target)["X-Cache"] for target in mine] == ["render" if other == world else "memory"] * 3


def test_purging_everything(operated):
    targets = fill(operated)
    purged = admin_json(operated, "/purge?all=1", "POST")
    assert purged["memory"] >= 9 and purged["disk"] >= 9
    metrics = operated.metrics()
    assert metrics.total("terrane_cache_entries") == metrics.total("terrane_cache_bytes", tier="memory") == 0
    assert {operated.get(target)["X-Cache"] for mine in targets.values() for target in mine} == {"render"}


def test_what_was_purged_stays_away(launch, tmp_path):
    config = {"access": {"admin_token_file": token_file(tmp_path)}, "cache": {"write_interval_ms": 1}}
    first = launch(cache=tmp_path / "cache", config=config)
    targets = fill(first)
    admin_json(first, "/purge?seed=43", "POST")
    assert first.stop() == 0
    second = launch(cache=tmp_path / "cache")
    found = {world: {second.get(target)["X-Cache"] for target in mine} for world, mine in targets.items()}
    assert found == {"seed=42": {"disk"}, "seed=42&recipe=alpine": {"disk"}, "seed=43": {"render"}}


def test_what_still_waits_for_the_disk_is_purged_too(launch, tmp_path):
    config = {"access": {"admin_token_file": token_file(tmp_path)}, "cache": {"write_interval_ms": 60000}}
    first = launch(cache=tmp_path / "cache", config=config)
    target = of((42, 3, 1, 1))
    first.get(target)
    admin_json(first, "/purge?seed=42", "POST")
    assert first.get(of((43, 3, 1, 1))) and first.stop() == 0
    second = launch(cache=tmp_path / "cache")
    assert (second.get(target)["X-Cache"], second.get(of((43, 3, 1, 1)))["X-Cache"]) == ("render", "disk")


@pytest.mark.parametrize("query,status,parameter", [
    ("", 400, "seed"), ("?all=0", 400, "all"), ("?recipe=alpine", 400, "seed"), ("?seed=", 400, "seed"),
    ("?seed=-1", 400, "seed"), ("?seed=4/2", 400, "seed"), ("?seed=42&recipe=none", 404, "recipe"),
    ("?seed=42&recipe=", 400, "recipe"), ("?seed=" + "9" * 100, 400, "seed")])
def test_purging_what_is_not(operated, query, status, parameter):
    operated.get(of((42, 3, 7, 7)))
    admin(operated, f"/purge{query}", "POST").problem(status, parameter)
    assert operated.get(of((42, 3, 7, 7)))["X-Cache"] == "memory"


def test_the_log_s_level(operated):
    assert admin_json(operated, "/log-level") == {"level": "info"}
    for level in ("debug", "error", "warning", "info"):
        assert admin_json(operated, f"/log-level?level={level}", "PUT") == {"level": level}
        assert admin_json(operated, "/log-level") == {"level": level} == {"level": admin_json(operated, "/stats")["log_level"]}
        lines = operated.log_text().count(" info admin: ")
        admin_json(operated, "/purge?seed=1", "POST")
        said = operated.log_text().count(" info admin: ") - lines
        assert said == (1 if level in ("debug", "info") else 0)
    for wrong in ("", "?level=", "?level=loud", "?level=INFO"):
        admin(operated, f"/log-level{wrong}", "PUT").problem(400, "level")
    assert admin_json(operated, "/log-level") == {"level": "info"}


def test_bodies_are_read_and_passed_over(operated):
    with operated.connect(admin=True) as connection:
        headers = [("Authorization", f"Bearer {TOKEN}")]
        assert connection.ask("/purge?seed=1", "POST", headers, b"x" * 65536).status == 200
        assert connection.ask("/log-level?level=info", "PUT", headers, b"info").status == 200
    assert admin(operated, "/purge?seed=1", "POST", body=b"x" * 65537).status == 413
