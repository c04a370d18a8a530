"""Who may ask for what: API keys, hosts, closed worlds."""

import json

import pytest
from http_client import in_less_than
from http_operator import FAR_OFF, LONG_AGO, bearer, keys_file
from http_server import ROOT, WORLDS, base_tile, book

GAME, MAPS, OLD, FREE = "game-key-0123456789", "maps-key-~!?&=#0123", "old-key-0123456789", "x" * 128
KEYS = [(GAME, "game", {"tiles_per_minute": 1, "tiles_burst": 2}), (MAPS, "maps", {"expires": FAR_OFF}),
        (OLD, "old", {"expires": LONG_AGO}), (FREE, "free", {"tiles_per_minute": 0, "renders_per_minute": 0})]
HOT = base_tile(42, 3, 0, 0, "f32", size=32)
GUARDED = [HOT, base_tile(42, 3, 0, 0, "png", size=2), "/tile/42/3/0/0.png/status", "/world/42"]
OPEN = ["/healthz", "/readyz", "/openapi.json"]


@pytest.fixture(scope="module")
def keyed(stay, tmp_path_factory):
    """A server that wants a key."""
    keys = keys_file(tmp_path_factory.mktemp("keyed"), *KEYS)
    return stay(config={"access": {"keys_file": keys, "required": True}, "http": {"connection_memory_bytes": 16384}})


WAYS = [("Bearer", lambda key: bearer(key)), ("bearer", lambda key: [("authorization", f"bEARER   {key}")]),
        ("header", lambda key: [("X-Api-Key", key)])]


def check_unauthorized(answer, key=""):
    answer.problem(401, "key")
    assert answer["WWW-Authenticate"].startswith("Bearer") and answer["Cache-Control"] == "no-store" and "ETag" not in answer
    assert not key or key.encode() not in answer.body


@pytest.mark.parametrize("way", [way for _, way in WAYS], ids=[name for name, _ in WAYS])
@pytest.mark.parametrize("key,status", [
    (MAPS, 200), (FREE, 200), (OLD, 401), ("nobody-s-key-at-all", 401), (MAPS[:-1], 401), ("x" * 3000, 401), ("short", 401)])
def test_keys_in_headers(keyed, way, key, status):
    answer = keyed.ask(HOT, headers=way(key))
    assert answer.status == status
    if status == 401:
        check_unauthorized(answer, key)


@pytest.mark.parametrize("given,status", [
    ("key=" + "x" * 128, 200), ("key=maps-key-%7E!%3F%26%3D%230123", 200), ("size=2&key=" + "x" * 128, 200),
    ("key=" + "x" * 127, 401), ("key=", 401), ("key", 401), ("key=maps-key-~!?&=#0123", 401),
    ("key=" + OLD, 401), ("v=1&layer=height", 401)])
def test_keys_in_the_query(keyed, given, status):
    answer = keyed.ask(f"/tile/42/3/0/0.f32?variant=base&{given}")
    assert answer.status == status


@pytest.mark.parametrize("target", GUARDED)
def test_everything_with_a_world_wants_one(keyed, target):
    for method in ("GET", "HEAD"):
        answer = keyed.ask(target, method)
        assert answer.status == 401 and "WWW-Authenticate" in answer
        assert keyed.ask(target, method, bearer(FREE)).status == 200
    check_unauthorized(keyed.ask("/prefetch", "POST", body=b"{}"))
    assert keyed.ask("/prefetch", "POST", bearer(FREE), b"{}").status == 400
    # A preflight comes without: browsers send none with it.
    assert keyed.ask(target, "OPTIONS").status == 204


@pytest.mark.parametrize("target", OPEN)
def test_the_rest_wants_none(keyed, target):
    assert keyed.ask(target).status == 200 and keyed.ask(target, headers=bearer("nobody-s-key-at-all")).status == 200


def test_what_a_key_opens_is_private(keyed, server):
    private = keyed.get(HOT, bearer(FREE))
    assert [part.strip() for part in private["Cache-Control"].split(",")][0] == "private"
    again, kept = keyed.get(HOT, bearer(FREE)), keyed.get(HOT, [*bearer(FREE), ("If-None-Match", private["ETag"])], 304)
    assert again["X-Cache"] == "memory" and again["Cache-Control"] == kept["Cache-Control"] == private["Cache-Control"]
    assert keyed.get("/world/42", bearer(FREE))["Cache-Control"].startswith("private")
    plain = server.get(HOT)  # keys are no part of the tile
    assert plain.body == private.body and plain["ETag"] == private["ETag"] and plain["Cache-Control"].startswith("public")
    assert keyed.get(f"{HOT}&key={FREE}")["ETag"] == plain["ETag"]


def test_mistakes_are_told_to_their_own_client_alone(keyed):
    """What a name or a recipe has, a key opened."""
    assert keyed.get("/world/42?recipe=none", bearer(FREE), 404)["Cache-Control"] == "private, max-age=60"


def test_a_304_wants_the_key_as_well(keyed):
    etag = keyed.get(HOT, bearer(FREE))["ETag"]
    check_unauthorized(keyed.ask(HOT, headers=[("If-None-Match", etag)]))


@in_less_than(60)
def test_quotas_of_their_own(launch, tmp_path):
    server = launch(config={"access": {"keys_file": keys_file(tmp_path, *KEYS)},
                            "limits": {"tiles_per_minute": 1, "tiles_burst": 3}})

    def count(headers):
        return [server.ask(HOT, headers=headers).status for _ in range(6)].count(200)
    assert count([]) == 3
    assert count(bearer(GAME)) == 2  # not those of its address
    assert count(bearer(MAPS)) == 3  # the configuration's, in a bucket of its own
    assert count(bearer(FREE)) == 6
    with server.connect(source="127.0.0.2") as elsewhere:
        assert elsewhere.ask(HOT, headers=bearer(GAME)).status == 429
        assert elsewhere.ask(HOT).status == 200
    check_unauthorized(server.ask(HOT, headers=bearer("nobody-s-key-at-all")))  # though none is required


HOSTS = ["tiles.example.org", "*.maps.example.org", "192.0.2.1", "[2001:db8::1]"]


@pytest.fixture(scope="module")
def hosted(stay):
    return stay(config={"http": {"hosts": HOSTS}})


def ask_host(server, target, host, admin=False):
    with server.connect(admin) as connection:
        connection.send(f"GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        return connection.receive()


@pytest.mark.parametrize("host,allowed", [
    ("TILES.Example.ORG:8080", True), ("a.maps.example.org", True), ("[2001:db8::1]:80", True),  # more: tests/unit/access/test_networks.c
    ("evilmaps.example.org", False), ("", False), ("tiles.example.org.evil.net", False)])
def test_hosts(hosted, host, allowed):
    for target in (HOT, "/world/42", "/nothing", "/openapi.json"):
        answer = ask_host(hosted, target, host)
        if allowed:
            assert answer.status == (404 if target == "/nothing" else 200)
        else:
            assert answer.problem(421, "Host") and answer["Cache-Control"] == "no-store"
    # Probes, and the operator's listener, ask by address.
    assert ask_host(hosted, "/readyz", host).status == ask_host(hosted, "/healthz", host).status == 200
    assert ask_host(hosted, "/metrics", host, admin=True).status == 200


@pytest.mark.parametrize("is_open", [True, False])
def test_worlds_that_clients_make(launch, tmp_path, is_open):
    """Their seed and their recipe's text are told, also where worlds are closed; of no other named world is either."""
    text = {"height": "hills", "terms": {"hills": {"fractal": "fbm", "octaves": 3, "cell_m": 512, "amplitude_m": 0.1}}}
    named = {"mine": {"seed": "42", "recipe": "mine", "client": True}, "old": {"seed": 7, "recipe": "desert", "generator": 7, "client": True},
             "ours": {"seed": "43", "recipe": "mine"}}
    server = launch(config={"worlds": book(tmp_path, {"mine": text}, open=is_open, named=named)})
    mine, old, ours = (server.json(f"/world/{name}") for name in named)
    assert (mine["seed"], mine["client"]) == ("42", {"recipe": text})
    assert old["client"]["recipe"] == json.loads((ROOT / "config/worlds/7/desert.json").read_text())
    assert "client" not in ours and "seed" not in ours
    assert "client" not in server.json("/world/42?recipe=mine")


CLOSED = {"worlds": {"open": False, "dir": str(WORLDS), "default": "plain",
                     "named": {"home": {"seed": "42", "secret": False}, "peaks": {"seed": "7", "recipe": "whole", "secret": False}}}}
SERVED = ["home/{}", "42/{}", "0x2A/{}", "42/{}?recipe=plain", "peaks/{}", "7/{}?recipe=whole"]
CLOSED_OFF = ["43/{}", "7/{}", "42/{}?recipe=whole", "home/{}?recipe=desert", "atlantis/{}", "peaks/{}?recipe=plain"]


@pytest.fixture(scope="module")
def closed(stay):
    return stay(config=CLOSED)


def world_targets(form):
    base = "&variant=base&size=2" if "?" in form else "?variant=base&size=2"
    return ["/tile/" + form.format("3/0/0.f32") + base, "/tile/" + form.format("3/0/0.f32/status"),
            "/tile/" + form.format("3/0/0") + base, "/world/" + form.replace("/{}", "")]


@pytest.mark.parametrize("form", SERVED)
def test_named_worlds_are_served(closed, form):
    for target in world_targets(form):
        assert closed.ask(target).status == 200, target


@pytest.mark.parametrize("form", CLOSED_OFF)
def test_no_other_world_is(closed, form):
    for target in world_targets(form):
        for method in ("GET", "HEAD"):
            assert closed.ask(target, method, [("If-None-Match", "*")]).status == 404, target
        closed.ask(target).problem(404, "seed")


def test_posts_of_closed_worlds(closed):
    def prefetch(**world):
        body = json.dumps({"position": [0, 0], "view_distance": 300, "size": 2, "variant": "base", **world}).encode()
        return closed.ask("/prefetch", "POST", body=body).status
    assert prefetch(seed="home") == prefetch(seed="7", recipe="whole") == 202
    assert prefetch(seed="43") == prefetch(seed="42", recipe="whole") == prefetch(seed="7") == 404
    closed.ask("/point/43", "POST", body=b'{"places": [[1, 2]]}').problem(404, "seed")


SEED = 424242424242  # 0x62c6d1a9b2
TOLD = [*(f"/tile/{{}}/3/0/0.{ext}" for ext in ("f32?size=9", "png?size=8", "npy?size=9", "tif?size=9", "glb?size=9", "json", "geojson?layer=path")),
        "/tile/{}/3/0/0", "/xyz/{}/5/0/0.png", "/terrain/{}/9/0/0.terrain?size=9", "/3dtiles/{}/9/0/0.glb?size=9", "/xyz/{}/tile.json",
        "/style/{}.json", "/gdal/{}.xml", "/terrain/{}/layer.json", "/3dtiles/{}/tileset.json", "/point/{}?x=5&y=7&lod=3", "/world/{}",
        "/region/{}.f32?x0=3&y0=4&w=5&h=6&lod=3", "/path/{}?x0=0&y0=0&w=9&h=9&lod=3"]
NAMED_IN = ("/tile/{}/3/0/0.json", "/point", "/world", "/xyz/{}/tile.json", "/style", "/terrain/{}/layer", "/3dtiles/{}/tileset")


def check_untold(answer):
    text = answer.body + repr(answer.headers).encode()
    assert "Terrane-Seed" not in answer and b'"seed"' not in answer.body
    assert str(SEED).encode() not in text and b"62c6d1a9b2" not in text.lower()


@pytest.mark.parametrize("is_open", [True, False])
def test_secret_worlds(launch, tmp_path, is_open):
    """Their seed is in no answer, no tag can be made from it, and all nodes that have the secret answer the same."""
    (tmp_path / "secret").write_text("0123456789abcdef\n")
    (tmp_path / "other").write_text("0123456789abcdeg\n")
    named = {"home": str(SEED), "twin": {"seed": str(SEED), "secret": True}}
    first, second, other = (launch(config={"worlds": {"open": is_open, "secret_file": str(tmp_path / name), "named": named}})
                            for name in ("secret", "secret", "other"))
    for target in TOLD:
        answer, twin = first.get(target.format("home")), first.get(target.format("twin"))
        check_untold(answer)
        assert second.get(target.format("home"))["ETag"] == answer["ETag"]
        if "/tile/{}/3" in target or target.startswith(("/region", "/point")):  # others' tags are of their words alone
            assert len({answer["ETag"], twin["ETag"], other.get(target.format("home"))["ETag"]}) == 3, target
        assert not target.startswith(NAMED_IN) or b'"name":"home"' in answer.body.replace(b" ", b""), target
        numbered = first.ask(target.format(SEED))
        assert numbered.status == (200 if is_open else 404), target
        if is_open:  # one world, but nothing tells that it is
            assert numbered.all("Terrane-Seed") in ([str(SEED)], []) and numbered["ETag"] not in (answer["ETag"], twin["ETag"])
            assert numbered.body == answer.body or b"home" in answer.body
    for target in (f"/tile/home/3/0/0.png?size=2&recipe={name}" for name in ("desert", "alpine")):
        first.ask(target).problem(404, "seed")
    plan = json.dumps({"seed": "home", "position": [0, 0], "view_distance": 300, "size": 2}).encode()
    made = first.ask("/prefetch", "POST", body=plan)
    check_untold(made)
    assert made.status == 202 and all(path.startswith("/tile/home/") for path in json.loads(made.body)["tiles"])
    many = first.ask("/point/home?lod=3", "POST", body=b'{"places": [[1, 2], [3, 4]]}')
    check_untold(many)
    assert many.status == 200 and json.loads(many.body)["name"] == "home"


def test_nothing_named_is_nothing_served(launch):
    server = launch(config={"worlds": {"open": False}})
    assert server.ask(HOT).status == server.ask("/world/0").status == 404
    assert server.ask("/readyz").status == 200
