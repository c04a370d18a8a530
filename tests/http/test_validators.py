"""ETag, If-None-Match, HEAD, Cache-Control and v=: answers that cost nothing. What tags tell apart: tests/unit/render/test_tile_digest.c."""

import re

import pytest
from http_client import request_bytes
from http_server import FORMATS, GENERATOR, PLAIN, REPRESENTATIONS, book, tile

FOR_AN_HOUR = "public, max-age=3600, stale-while-revalidate=86400"
FOR_EVER = "public, max-age=31536000, immutable"
# What HEAD need not say before the tile exists, and what speaks of one answer only.
OF_THE_SAMPLES = {"terrane-digest", "content-length", "terrane-min", "terrane-max", "transfer-encoding"}
OF_THE_ANSWER = {"date", "x-cache", "server-timing", "connection"}


def headers_of(answer, without):
    return {name.lower(): value for name, value in answer.headers if name.lower() not in without}


@pytest.fixture(scope="module")
def etag(server):
    tag = server.get(tile(42, 0, 3, 4, "png"))["ETag"]
    assert re.fullmatch(r'"[!#-~]{16,}"', tag)  # a strong one
    return tag


def ask_if_none_match(server, value, target=tile(42, 0, 3, 4, "png"), method="GET"):
    return server.ask(target, method, [("If-None-Match", value)])


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_matching_tags_give_304_without_a_body(server, etag, method):
    target = tile(42, 0, 3, 4, "png")
    for form in ("{}", "W/{}", " {} ", "\t{}\t", '"x", {}', '"x",W/{},"y"', '{}, "x"', 'W/"x" , W/{}', '"a,b",{}', '"",{}', '"x" {}',
                 '"\\", {}', "garbage, {}", "W/, {}", '"x", *', ",, {}", "*", " *"):
        with server.connect() as connection:
            connection.send(request_bytes(target, method, [("If-None-Match", form.format(etag))]))
            connection.send(request_bytes("/healthz", headers=[("Connection", "close")]))
            answer = connection.receive(method)
            assert answer.status == 304 and answer["ETag"] == etag and answer["Cache-Control"] == FOR_AN_HOUR, form
            assert answer["Access-Control-Allow-Origin"] == "*"
            assert connection.receive().status == 200 and connection.receive_end() == b""


def test_other_tags_give_200(connection, etag):
    """Among them everything that lacks or adds one character."""
    bare = etag.strip('"')
    for value in ('"wrong"', "", " ", ",", '"', '""', "W/", 'W/"', bare, f'"{bare}', f'{bare}"', f'"{bare}d"', f'"{bare[:-1]}"',
                  f'"x{bare}"', f'"{bare.swapcase()}"', f"{etag}x", f'{etag}"', f"x{etag}", f"w/{etag}", f"W/W/{etag}", f"W/ {etag}",
                  f'"x,{etag}', '"a*c"', f'"x, {etag}', f'"x"{bare}""', f"'{bare}'", '"*"', f'"x";{etag}', f"{etag};q=1", "none"):
        answer = connection.ask(tile(42, 0, 3, 4, "png"), headers=[("If-None-Match", value)])
        assert answer.status == 200 and answer["ETag"] == etag, value
        assert len(answer.body) == int(answer["Content-Length"]) > 0


def test_a_list_may_stand_in_several_lines(connection):
    target = tile(42, 2, 0, 0, "f32", size=9)
    etag = connection.ask(target)["ETag"]
    for name, status in (("If-None-Match", 304), ("If-Match", 200)):
        assert connection.ask(target, headers=[(name, '"x"'), (name, etag)]).status == status


def test_304_and_head_make_nothing(server):
    """The tag of a tile that was never made comes from HEAD."""
    before = server.renders()
    for layer, fmt, enc in REPRESENTATIONS:
        target = tile(42, 2, 900, -900, fmt, layer=layer, enc=enc)
        head = server.ask(target, "HEAD")
        assert head.status == 200 and head.body == b""
        assert ask_if_none_match(server, head["ETag"], target).status == 304
        assert ask_if_none_match(server, head["ETag"], target, "HEAD").status == 304
    assert server.renders() == before
    assert server.count("terrane_inflight") == 0


@pytest.mark.parametrize("layer,fmt,enc", REPRESENTATIONS)
def test_head_says_what_get_says(server, layer, fmt, enc):
    target = tile(42, 2, -900, 900, fmt, layer=layer, enc=enc)
    cold, get, hot = server.ask(target, "HEAD"), server.get(target), server.ask(target, "HEAD")
    assert headers_of(hot, OF_THE_ANSWER) == headers_of(get, OF_THE_ANSWER)
    maybe = OF_THE_ANSWER | OF_THE_SAMPLES
    assert headers_of(cold, maybe) == headers_of(get, maybe)
    if fmt in ("f32", "r16"):
        assert cold["Content-Length"] == get["Content-Length"]
    for name in OF_THE_SAMPLES - {"transfer-encoding"}:
        assert name not in cold or cold[name] == get[name]


@pytest.mark.parametrize("target", ["/world/42", "/healthz", "/nothing", tile(42, 0, 0, "x", "png")])
def test_head_elsewhere(server, target):
    get, head = server.ask(target), server.ask(target, "HEAD")
    assert head.status == get.status and headers_of(head, {"date"}) == headers_of(get, {"date"})


@pytest.mark.parametrize("fmt", FORMATS)
def test_what_changes_nothing_changes_no_tag(server, fmt):
    plain = server.ask(tile(42, 0, 1, 2, fmt), "HEAD")["ETag"]
    size = 256 if fmt == "png" else 257
    variant = server.json("/world/42")["variant"]
    for query in ({"v": GENERATOR}, {"size": size}, {"unknown": "7"}, {"enc": "terrarium"}, {"layer": "height"},
                  {"variant": variant}, {"recipe": PLAIN}):
        assert server.ask(tile(42, 0, 1, 2, fmt, **query), "HEAD")["ETag"] == plain, query
    for seed in ("alps", "0x2a", "0X2A"):
        assert server.ask(tile(seed, 0, 1, 2, fmt), "HEAD")["ETag"] == plain, seed
    if fmt != "png":
        assert server.ask(tile(42, 0, 1, 2, fmt, enc="mapbox"), "HEAD")["ETag"] == plain


@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize("version,control", [(None, FOR_AN_HOUR), (GENERATOR, FOR_EVER)])
def test_cache_control(server, fmt, version, control):
    target = tile(42, 0, 31, 4, fmt, v=version, recipe="continents", variant="base")
    for answer in (server.ask(target, "HEAD"), server.get(target), server.get(target)):
        assert answer["Cache-Control"] == control
    assert ask_if_none_match(server, "*", target)["Cache-Control"] == control


def test_only_what_ships_is_kept_for_ever(launch, tmp_path):
    """An operator's recipes, and what the configuration names, may change at any start under the same URL."""
    mine, home = {"terms": {}, "height": {"fractal": "fbm", "amplitude_m": 100}}, {"seed": 42, "secret": False}
    server = launch(config={"worlds": book(tmp_path, {"mine": mine}, default="mine", named={"home": home})})
    lasting = {"/tile/42/0/0/0.f32?recipe=continents&variant=base": True, "/tile/42/0/0/0.f32?recipe=alpine&variant=base": True,
               "/tile/42/0/0/0.f32": False, "/tile/42/0/0/0.f32?recipe=mine": False,
               "/tile/home/0/0/0.f32": False, "/tile/home/0/0/0.f32?recipe=alpine&variant=base": False, "/world/42": False,
               "/world/42?recipe=desert": False}  # which generators there are changes
    for path, for_ever in lasting.items():
        target = f"{path}{'&' if '?' in path else '?'}v={GENERATOR}"
        for _ in range(2):  # made, then from the cache
            assert server.get(target)["Cache-Control"] == (FOR_EVER if for_ever else FOR_AN_HOUR), path


def test_where_an_answer_came_from(server):
    target = tile(42, 4, 51, 4, "f32", layer="normal")
    first, second = server.get(target), server.get(target)
    assert (first["X-Cache"], second["X-Cache"]) == ("render", "memory")
    assert first.body == second.body
    metric = re.compile(r'[a-z]+(;dur=\d+(\.\d+)?|;desc=("[^"]*"|[a-z]+))*')
    for answer in (first, second):
        assert all(metric.fullmatch(part.strip()) for part in answer["Server-Timing"].split(","))


def test_what_a_tile_took_can_be_kept_back(launch):
    server = launch(config={"http": {"server_timing": False}})
    answers = [server.get(tile(42, 4, 51, 4, "f32")) for _ in range(2)]
    assert [answer["X-Cache"] for answer in answers] == ["render", "memory"]
    assert all("Server-Timing" not in answer for answer in answers)
