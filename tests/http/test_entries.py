"""Entries with a right checksum that are not what their keys name: each is a miss, counted, and made anew, so every request is
answered as without it. Left are lies of the right kind alone: other pixels, numbers or words, in a whole file."""

import contextlib
import itertools
import shutil

import pytest
from http_client import wait_for
from http_entries import DRAINAGE_LIES, INNER_LIES, LIES, change_disk, deal, older
from http_server import WHOLE_FILE, Server, book, tile
from http_store import PROGRAM, Store

RECIPE = {
    "terms": {"hills": {"fractal": "fbm", "octaves": 6, "cell_m": 4096, "amplitude_m": 240}}, "height": "hills",
    "erosion": {"levels": 3, "phases": 1, "steps": 5}, "lakes": {"level": 3, "cell": 32, "radius": 24, "share": 1},
    "paths": {"level": 4, "cell": 32}, "caves": {"share": 1, "cell": 64, "radius": 32, "high_m": 0, "room": 30, "slope": 1},
}
BROOKS = {
    "terms": RECIPE["terms"], "height": "hills", "sea_m": -40, "erosion": {"levels": 4, "phases": 1, "steps": 5},
    "rivers": {"top": 6, "bottom": 4, "inland_km": 16},
}
QUERY = {"recipe": "small"}
SMALL = {**QUERY, "size": 65}
RAW = [("height", "f32"), ("normal", "f32"), ("water", "f32"), ("partition", "f32"), ("cave", "npy"), ("path", "npy"),
       ("flow", "npy"), ("surface", "r16")]
# Each rests on tiles that are entries of their own: (target, headers). Those that once read what they were given come first.
READERS = [
    ("/point/42?x=100&y=200&lod=1&recipe=small", ()),
    ("/region/42.f32?lod=1&x0=-20&y0=30&w=300&h=40&recipe=small", ()),
    ("/region/42.npy?lod=1&x0=-20&y0=30&w=300&h=40&layer=normal&recipe=small", ()),
    ("/region/42.png?lod=1&x0=-20&y0=30&w=300&h=40&layer=relief&recipe=small", ()),
    ("/path/42?x0=-100&y0=-100&w=900&h=900&recipe=small", ()),
    (tile(42, 2, 3, -3, "glb", texture="relief", **QUERY), ()),
    ("/3dtiles/42/15/3/5.subtree?recipe=small", ()),
    ("/terrain/42/3/2/1.terrain?recipe=small", ()),
    ("/point/42?x=100&y=200&lod=1&recipe=brooks", ()),
    ("/river/42?lod=4&x0=-10&y0=-10&w=300&h=300&recipe=brooks", ()),
    ("/downstream/42?x=100&y=200&recipe=brooks", ()),
]
TILES = [(tile(42, 2, 3, -3, ext, layer=layer, **SMALL), headers) for layer, ext in RAW
         for headers in ((), (("Accept-Encoding", "gzip"),), (("Accept-Encoding", "zstd"),))]
WITH_DIGESTS = [request for request in TILES if ".r16" not in request[0]]
TILES += [(tile(42, 2, 3, -3, ext, layer=layer, **SMALL), ()) for layer, ext in (
    ("height", "png"), ("height", "tif"), ("partition", "png"), ("slope", "png"), ("cave", "glb"), ("height", "glb"),
    ("height", "json"), ("path", "geojson"), ("height", "mvt"))]
TILES += [(tile(42, 2, 3, -3, ext, layer=layer, **SMALL), (("Accept-Encoding", "gzip"),)) for layer, ext in (
    ("height", "json"), ("path", "geojson"), ("height", "glb"))]
TILES += [(tile(42, lod, 3, -3, ext, layer=layer, recipe="brooks"), ()) for lod in (2, 4)
          for layer, ext in (("river", "f32"), ("water", "f32"), ("relief", "png"), ("river", "geojson"))]


@pytest.fixture(scope="module")
def worlds(tmp_path_factory):
    directory = tmp_path_factory.mktemp("worlds")
    shutil.copy(WHOLE_FILE, directory)
    return {"worlds": book(directory, {"small": RECIPE, "brooks": BROOKS})}


@pytest.fixture(scope="module")
def made(worlds, tmp_path_factory):
    """What a server says that was lied to by nobody: bodies by request; and its database."""
    cache = tmp_path_factory.mktemp("cache")
    # All of it is stored, though the disk may be slower than the workers: what its queue has no room for would be dropped.
    with Server(cache=cache, config={**worlds, "cache": {"write_behind_bytes": 1 << 29}}) as server:
        bodies = {(target, headers): server.get(target, headers).body for target, headers in READERS + TILES}
        server.wait_stored(server.renders())
        assert server.count("terrane_disk_dropped_total") == 0
    return bodies, (cache / "tiles.db").read_bytes()


def assert_answers(server, bodies):
    for (target, headers), body in bodies.items():
        answer = server.ask(target, headers=headers)
        assert answer.status == 200 and answer.body == body, (target, headers, answer.status, answer.body[:200])


# Each entry has another lie at each turn; every kind of entry with every lie: tests/unit/render/test_tile_fits.c.
@pytest.mark.parametrize("lies,turn,share", [
    (LIES, 0, 0.5), (INNER_LIES, 0, 0), (DRAINAGE_LIES, 0, 0), *(pytest.param(*more, marks=pytest.mark.long) for more in (
        (LIES, 3, 0.5), (LIES, 6, 0.5), (INNER_LIES, 2, 0), (INNER_LIES, 4, 0), (INNER_LIES, 6, 0), (DRAINAGE_LIES, 2, 0)))])
def test_entries_on_disk_that_lie(launch, worlds, made, tmp_path, lies, turn, share):
    """Also those with a right outline: what is deflated is inflated, and text is parsed, before anybody rests on it."""
    bodies, database = made
    (tmp_path / "tiles.db").write_bytes(database)
    count = change_disk(tmp_path / "tiles.db", lies, turn)
    server = launch(cache=tmp_path, config=worlds)
    assert_answers(server, bodies)
    metrics = server.metrics()
    assert count > 0 and metrics.total("terrane_disk_damaged_total") >= max(1, share * count)
    assert metrics.total("terrane_renders_total") >= share * len(bodies)


def test_entries_of_worlds_with_names_stay(launch, worlds, tmp_path):
    """Those of secret worlds, whose texts have a name in the seed's place."""
    targets = [tile("home", 2, 3, -3, ext, **SMALL) for ext in ("json", "geojson", "mvt", "glb")]
    named = {"worlds": {**worlds["worlds"], "named": {"home": {"seed": "42", "recipe": "small"}}}}
    def bodies():
        server = launch(cache=tmp_path / "cache", config=named)
        found = [server.get(target, headers) for headers in ((), (("Accept-Encoding", "gzip"),)) for target in targets]
        server.wait_stored(server.renders())
        assert server.count("terrane_disk_damaged_total") == 0
        renders = server.renders()
        server.stop()
        return renders, [answer.body for answer in found]
    renders, first = bodies()
    assert renders > 0 and bodies() == (0, first)


def test_entries_of_older_versions_stay(launch, worlds, made, tmp_path):
    """Those that were stored without the digest of their samples are used as they are, and answers tell it all the same."""
    bodies, database = made
    def digests(name, data, lies):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "tiles.db").write_bytes(data)
        count = change_disk(folder / "tiles.db", lies, 0) if lies else 0
        with Server(cache=folder, config=worlds) as server:
            answers = [server.get(target, headers) for target, headers in WITH_DIGESTS]
            assert [answer.body for answer in answers] == [bodies[key] for key in WITH_DIGESTS]
            assert server.renders() == 0 and server.count("terrane_disk_damaged_total") == 0
        return count, [answer["Terrane-Digest"] for answer in answers]

    _, told = digests("now", database, None)
    count, again = digests("older", database, {"older": older})
    assert told == again and count >= len(WITH_DIGESTS)


@pytest.mark.skipif(not PROGRAM, reason="redis-server is not installed")
def test_entries_of_the_shared_tier_that_lie(launch, worlds, made):
    bodies, _ = made
    with contextlib.closing(Store()) as store:
        cache = {"disk_bytes": 0, "shared": store.url, "shared_timeout_ms": 10000, "shared_regions": True}
        first = launch(config={**worlds, "cache": cache})
        wait_for(lambda: first.count("terrane_shared_breaker_open") == 0, what="a tier that is well")
        assert_answers(first, bodies)
        wait_for(lambda: first.count("terrane_shared_stores_total") >= first.renders(), what="stored entries")
        first.stop()
        turns = itertools.count()
        store.change_all(lambda entry: deal(entry, next(turns), [*LIES.values()]))
        second = launch(config={**worlds, "cache": cache})
        wait_for(lambda: second.count("terrane_shared_breaker_open") == 0, what="a tier that is well")
        assert_answers(second, bodies)
        assert second.count("terrane_shared_damaged_total") >= len(TILES)
