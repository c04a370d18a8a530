"""/find and terrane find: the nearest of a kind, and that the ground shows it there."""

import itertools
import json
import math

import numpy as np
import pytest
from http_client import in_less_than
from http_samples import from_f32, get_samples
from http_server import WORLDS, book, run, tile
from test_rivers import LAND, NONE

WHOLE = json.loads((WORLDS / "whole.json").read_text())
SPACING = {"land": LAND["spacing_m"], "whole": 1.0}
SEA = {"land": LAND["sea_m"], "whole": WHOLE["sea_m"]}


@pytest.fixture(scope="module")
def land(stay, tmp_path_factory):
    recipes = {"land": LAND, "none": NONE, "whole": WHOLE, "lanes": {**WHOLE, "paths": {"level": 3, "width_m": 5}},
               "top": {"height": {"fractal": "fbm", "octaves": 3, "cell_m": 64, "amplitude_m": 50}, "caves": {"level": 24, "cell": 64, "radius": 32}}}
    named = {"home": {"seed": "42", "secret": True}}
    return stay(config={"worlds": book(tmp_path_factory.mktemp("worlds"), recipes, default="land", named=named)})


def find(server, what, x=0, y=0, recipe="land", seed=42, **query):
    more = "".join(f"&{name}={value}" for name, value in query.items())
    answer = server.get(f"/find/{seed}?what={what}&x={x}&y={y}&recipe={recipe}{more}")
    assert answer["Content-Type"] == "application/geo+json"
    return json.loads(answer.body), answer


def around(server, recipe, level, x, y, layers, across=2):
    """Samples of the tiles of a level around a place, 512 x 512 of each layer or more, and the first one's column and row."""
    side, tiles = 256 * 2 ** level * SPACING[recipe], range(across)
    west, north = (math.floor(at / side + 0.5) - across // 2 for at in (x, y))
    with server.connect() as connection:
        found = [np.block([[get_samples(connection, 42, level, west + i, north + j, layer, recipe=recipe)[:256, :256] for i in tiles] for j in tiles])
                 for layer in layers]
    return found, 256 * west, 256 * north


def shifted(mask, i, j):
    wide = np.pad(mask, 1)
    return wide[1 + j:1 + j + mask.shape[0], 1 + i:1 + i + mask.shape[1]]


def beside(mask, corners):
    return np.any([shifted(mask, i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i or j) and (corners or not (i and j))], axis=0)


LOD = {"lake": LAND["rivers"].get("bottom", 5)}  # the finest lattice, which shows the narrow ones, too; of others 6


def marks(what, recipe, height, surface, flow):
    """Which samples are of a kind."""
    wet, ocean = surface > height, (surface > height) & (surface <= SEA[recipe]) & ~(flow > 0)
    return {"lake": wet & ~(flow > 0) & (surface > SEA[recipe]), "river": flow > 0, "mouth": (flow > 0) & beside(ocean, True),
            "coast": ~wet & beside(ocean, False)}[what]


@pytest.mark.parametrize("what", ["lake", "river", "mouth", "coast"])
@pytest.mark.parametrize("x,y", [(0, 0), (9000.5, -70123)])
def test_the_nearest_sample_is_found(land, what, x, y):
    """By the samples themselves, of the first level that shows one."""
    lod = LOD.get(what, 6)
    (height, surface, flow), west, north = around(land, "land", lod, x, y, ["height", "surface", "river"])
    rows, columns = np.nonzero(marks(what, "land", height, surface, flow))
    step = SPACING["land"] * 2 ** lod
    away = np.hypot((columns + west) * step - x, (rows + north) * step - y)
    nearest = np.argmin(away)
    told, _ = find(land, what, x, y, lod=lod)
    reach = told["search"]["levels"][0]["reach_m"]
    assert told["search"] == {"what": what, "from": [x, y], "levels": [{"lod": lod, "reach_m": reach}]}
    assert away[nearest] <= reach
    [feature] = told["features"]
    assert feature["properties"]["distance_m"] == pytest.approx(away[nearest], rel=1e-12) and feature["properties"]["lod"] == lod
    east, south, up = feature["geometry"]["coordinates"]
    i, j = round(east / step) - west, round(south / step) - north
    assert marks(what, "land", height, surface, flow)[j, i] and up == height[j, i]
    if what in ("river", "mouth"):
        assert feature["properties"]["discharge_m3s"] == flow[j, i]
        lines = json.loads(land.get(f"/river/42?x0={i + west - 2}&y0={j + north - 2}&w=5&h=5&lod={lod}&recipe=land").body)["features"]
        assert (feature["properties"]["name"], feature["properties"]["river"]) in {(line["properties"]["name"], line["properties"]["river"]) for line in lines}


def test_nothing_is_nearer(land):
    """What the first level shows two tiles away comes before what coarser ones show; and where it shows nothing, that is true as far as is told."""
    lod = LOD["lake"] + 1
    for x, y, lods in ((193107, 267252, [lod]), (-54287, -98942, [lod, lod + 3])):
        (height, surface, flow), west, north = around(land, "land", lod, x, y, ["height", "surface", "river"], across=6)
        rows, columns = np.nonzero(marks("lake", "land", height, surface, flow))
        step = SPACING["land"] * 2 ** lod
        nearest = np.hypot((columns + west) * step - x, (rows + north) * step - y).min()
        told, _ = find(land, "lake", x, y, lod=lod)
        away, near = [feature["properties"]["distance_m"] for feature in told["features"]], lods == [lod]
        assert near == (nearest < 2 * 255 * step) and nearest > 256 * step, "the ground is not what this test is about"
        assert away == pytest.approx([nearest], rel=1e-12) if near else len(away) == 1 and away[0] >= nearest, f"on the ground the nearest is at {nearest}"
        levels = told["search"]["levels"]
        assert [level["lod"] for level in levels] == lods
        assert levels[0]["reach_m"] == pytest.approx(nearest, rel=1e-12) if near else nearest >= levels[0]["reach_m"] >= 2 * 255 * step


def test_several_are_apart_and_in_order(land):
    told, _ = find(land, "lake", lod=LOD["lake"], limit=10)
    found = told["features"]
    assert 2 < len(found) <= 10 and len({tuple(each["geometry"]["coordinates"]) for each in found}) == len(found)
    away = [each["properties"]["distance_m"] for each in found]
    assert away == sorted(away) and all(each["properties"]["area_m2"] >= (SPACING["land"] * 2 ** LOD["lake"]) ** 2 for each in found)
    named = [each for each in found if "name" in each["properties"]]
    for each in named:  # as its place is told
        x, y = each["geometry"]["coordinates"][:2]
        assert {"id": each["properties"]["lake"], "name": each["properties"]["name"]} == land.json(f"/point/42?x={x}&y={y}&lod={LOD['lake']}&recipe=land")["lake"]
    assert named
    assert find(land, "lake", lod=LOD["lake"], limit=2)[0]["features"] == found[:2]


def test_a_coarser_level_leads_to_finer_ground(land):
    """From far out at sea, or far inland, what is found is there at the finest level that was asked for."""
    x, y = 106437, 147673
    told, _ = find(land, "coast", x, y, lod=0)
    [feature] = told["features"]
    assert feature["properties"]["lod"] == 0 < feature["properties"]["seen_lod"] and told["search"]["levels"][-1]["lod"] > 0
    east, south, _ = feature["geometry"]["coordinates"]
    (height, surface, flow), west, north = around(land, "land", 0, east, south, ["height", "surface", "river"])
    i, j = round(east / SPACING["land"]) - west, round(south / SPACING["land"]) - north
    assert marks("coast", "land", height, surface, flow)[j, i]


def peaks_of(server, lod, x, y):
    """Those that a tile lists, by their ids: name and place."""
    points = [each for each in json.loads(server.get(tile(42, lod, x, y, "geojson", layer="height", recipe="land")).body)["features"] if each["geometry"]["type"] == "Point"]
    return {each["id"]: (each["properties"]["name"], [*each["geometry"]["coordinates"], each["properties"]["ele"]]) for each in points}


def test_peaks_are_those_that_the_map_names(land):
    lod, x, y = 6, -20000, 30000.5
    side = 256 * 2 ** lod * SPACING["land"]
    west, north = (math.floor(at / side + 0.5) - 1 for at in (x, y))
    peaks = {}
    for i, j in itertools.product((0, 1), (0, 1)):
        peaks |= peaks_of(land, lod, west + i, north + j)
    told, _ = find(land, "peak", x, y, lod=lod, limit=5)
    assert [each["id"] for each in told["features"]] == sorted(peaks, key=lambda peak: math.hypot(peaks[peak][1][0] - x, peaks[peak][1][1] - y))[:5]
    for each in told["features"]:
        assert (each["properties"]["name"], each["geometry"]["coordinates"]) == peaks[each["id"]]


def test_a_far_peak_is_where_the_first_level_has_it(land):
    side = 256 * SPACING["land"]
    for x, y in ((-245628, -135530), (99253, 270174), (-193073, -38558)):
        [feature] = find(land, "peak", x, y, lod=0)[0]["features"]
        place = feature["geometry"]["coordinates"]
        assert feature["properties"]["seen_lod"] > feature["properties"]["lod"] == 0
        assert peaks_of(land, 0, int(place[0] // side), int(place[1] // side))[feature["id"]] == (feature["properties"]["name"], place)


def test_zones_and_cover(land):
    for what, layer, of in (("zone:mid", "partition", 1), ("cover:rock", "cover", 0)):
        told, _ = find(land, what, 700, 900, "whole", lod=3)
        [feature] = told["features"]
        assert told["search"]["what"] == what
        east, south, _ = feature["geometry"]["coordinates"]
        x, y = int(east // 2048), int(south // 2048)
        samples = from_f32(land.get(tile(42, 3, x, y, "f32", layer=layer, recipe="whole")).body, layer, 257, 3) if layer == "partition" else \
            np.frombuffer(land.get(tile(42, 3, x, y, "f32", layer=layer, recipe="whole")).body, "<f4").reshape((257, 257, 2))
        assert np.argmax(samples[round(south / 8) - 256 * y, round(east / 8) - 256 * x]) == of


def test_places_have_their_names(land):
    told, _ = find(land, "place", 100, 50, "whole", limit=4)
    lines = json.loads(land.get(tile(42, 3, 0, 0, "geojson", layer="path", recipe="whole")).body)["features"]
    points = {line["id"]: line for line in lines if line["geometry"]["type"] == "Point"}
    assert len(told["features"]) == 4 and any(feature["id"] in points for feature in told["features"])
    for feature in told["features"]:
        known = points.get(feature["id"])
        assert not known or (known["geometry"] == feature["geometry"] and known["properties"]["name"] == feature["properties"]["name"])
    [town] = find(land, "town", 100, 50, "whole")[0]["features"]
    assert town["properties"]["rank"] == "town"


def test_a_cave_is_a_way_in(land):
    """Its entrance, as tiles list it, and beside that ground lies between floor and ceiling."""
    [feature] = find(land, "cave", 0, 0, "whole")[0]["features"]
    level, (east, south, up) = feature["properties"]["lod"], feature["geometry"]["coordinates"]
    i, j = round(east / 2 ** level), round(south / 2 ** level)
    at = {"layer": "cave", "recipe": "whole"}
    listed = {cave["id"]: cave["entrance"] for cave in land.json(tile(42, level, i // 256, j // 256, "json", **at))["caves"]}
    assert listed[feature["id"]] == [east, south, up] and feature["properties"]["distance_m"] == pytest.approx(math.hypot(east, south), rel=1e-12)
    with land.connect() as connection:
        cave, height = (get_samples(connection, 42, level, i // 256, j // 256, layer, recipe="whole") for layer in ("cave", "height"))
    near = slice(max(j % 256 - 3, 0), j % 256 + 4), slice(max(i % 256 - 3, 0), i % 256 + 4)
    assert np.any((cave[near][..., 0] < height[near]) & (height[near] < cave[near][..., 1]))


def test_nothing_is_an_answer_too(land):
    told, answer = find(land, "lake", recipe="none", lod=12, limit=3)
    assert told["features"] == [] and told["search"]["levels"][-1]["reach_m"] > 1e6 and answer.status == 200
    assert told["axes"] == json.loads(land.get("/river/42?x0=0&y0=0&w=64&h=64&lod=6&recipe=land").body)["axes"]


def test_the_command_says_the_same(land, tmp_path):
    (tmp_path / "land.json").write_text(json.dumps(LAND))
    done = run("find", 42, "mouth", -5000, 250.5, "--limit", 2, "--lod", 6, "--recipe", tmp_path / "land.json")
    assert done.returncode == 0 and done.stdout == find(land, "mouth", -5000, 250.5, lod=6, limit=2)[1].body


def test_it_is_the_same_for_everybody_and_known_again(land):
    first, second = (find(land, "river", 77, -4000, lod=7)[1] for _ in "ab")
    assert first.body == second.body and first["ETag"] == second["ETag"]
    others = {find(land, "river", 77, -4000, **query)[1]["ETag"] for query in ({"lod": 8}, {"lod": 7, "limit": 2}, {"lod": 7, "seed": 43})}
    assert len(others) == 3 and first["ETag"] not in others


def test_commands_tell_a_secret_world_as_its_server_does(launch, tmp_path):
    """By ids that no seed tells; of those that only read none makes a secret, and one that has none tells the seed's own."""
    (tmp_path / "secret").write_text("0123456789abcdef\n")
    (tmp_path / "worlds").mkdir()
    worlds = book(tmp_path / "worlds", {"land": LAND}, default="land", named={"home": {"seed": "42", "secret": True}})
    config = {"worlds": {**worlds, "secret_file": str(tmp_path / "secret")}}
    (tmp_path / "c.json").write_text(json.dumps(config))
    server = launch(config=config)
    served = find(server, "river", seed="home")[0]
    told, plain = (json.loads(run("find", world, "river", 0, 0, "--config", tmp_path / "c.json").stdout) for world in ("home", "42"))
    assert told == served and told["features"] != plain["features"] != []
    words = ("render", "home", 5, 0, 0, "--format", "json", "--config", tmp_path / "c.json")
    assert run(*words).stdout == server.get("/tile/home/5/0/0.json").body
    away = {**config, "worlds": worlds, "cache": {"dir": str(tmp_path / "away")}}
    (tmp_path / "c.json").write_text(json.dumps(away))
    done = run(*words)
    assert done.returncode == 0 and json.loads(done.stdout)["seed"] == "42" and b"worlds-secret" in done.stderr and not (tmp_path / "away").exists()
    done = run(*words, "--recipe", tmp_path / "worlds/land.json")
    assert done.returncode == 0 and done.stderr == b""


def test_caves_of_the_coarsest_level_are_looked_for(land):
    """There is no level above it, which would show them, too."""
    assert find(land, "cave", recipe="top")[1].status == 200


def test_a_secret_world_stays_one(land):
    told, answer = find(land, "coast", seed="home", lod=6)
    assert told == find(land, "coast", lod=6)[0] and "Terrane-Seed" not in answer and answer["ETag"] != find(land, "coast", lod=6)[1]["ETag"]


@pytest.mark.parametrize("query,status,parameter", [
    ("what=sea&x=0&y=0", 400, "what"), ("x=0&y=0", 400, "what"), ("what=zone&x=0&y=0", 400, "what"), ("what=lake:big&x=0&y=0", 400, "what"),
    ("what=zone:swamp&x=0&y=0", 404, "what"), ("what=cave&x=0&y=0", 404, "what"), ("what=town&x=0&y=0", 404, "what"), ("what=place&x=0&y=0&recipe=lanes", 404, "what"), ("what=river&x=0&y=0&recipe=none", 404, "what"),
    ("what=lake", 400, "x"), ("what=lake&x=1", 400, "y"), ("what=lake&x=0&y=1e30", 404, "y"), ("what=lake&x=0&y=0&limit=0", 400, "limit"),
    ("what=lake&x=0&y=0&limit=11", 400, "limit"), ("what=lake&x=0&y=0&lod=16", 404, "lod"), ("what=lake&x=0&y=0&lod=fine", 400, "lod"),
    ("what=lake&x=0&y=0&crs=geographic", 400, "crs"), ("what=lake&x=0&y=0&crs=mercator", 400, "crs"),
    ("what=" + "l" * 400 + "&x=0&y=0", 400, "what"), ("what=%ff&x=0&y=0", 400, "what")])
def test_what_cannot_be_looked_for(land, query, status, parameter):
    land.ask(f"/find/42?{query}").problem(status, parameter)


def test_at_the_edge_of_the_world(land):
    most = 2 ** 48 * SPACING["land"]
    for x in (-most, most - SPACING["land"]):
        for lod in (0, 9):  # at the coarser levels what is found may lie beyond the finest one's last tile
            told, _ = find(land, "coast", x, x, "none", lod=lod, limit=10)
            assert told["search"]["from"] == [x, x] and all(feature["properties"]["lod"] == lod for feature in told["features"])
            assert all(level["reach_m"] >= 0 for level in told["search"]["levels"])


@in_less_than(60)
def test_out_at_sea_one_coarse_tile_tells(launch):
    """Nothing of 21 tiles of paths is made or paid for."""
    server = launch(config={"limits": {"tiles_per_minute": 1, "tiles_burst": 3}})
    told, _ = find(server, "town", 4276224, 6471680, "wayfarer")
    assert told["features"] == [] and told["search"]["levels"] == [{"lod": 4, "reach_m": (2 * 256 - 1) * 2 ** 4}]
    assert [server.ask(tile(42, 9, i, 0, "png", size=32)).status for i in range(3)] == [200, 200, 429]


@in_less_than(60)
def test_one_token_lets_all_of_a_search_in(launch, tmp_path):
    """Its second look owes as the first does: a search whose first look takes all there is ends as well, and once."""
    server = launch(config={"worlds": book(tmp_path, {"land": LAND}, default="land"), "limits": {"tiles_per_minute": 1, "tiles_burst": 2}})
    find(server, "river", 0, 0, lod=6)
    assert server.ask(tile(42, 9, 0, 0, "png", size=32)).status == 429


@pytest.mark.parametrize("share,tiles", [(0, 4), (0.5, 1)])
@in_less_than(60)
def test_each_tile_is_paid_for(launch, tmp_path, share, tiles):
    """At a corner all four are as near; from the middle of one there is nothing nearer in another."""
    server = launch(config={"worlds": book(tmp_path, {"land": LAND}, default="land"), "limits": {"tiles_per_minute": 1, "tiles_burst": 13}})
    at, left = share * 256 * 2 ** 6 * SPACING["land"], 13 - 2 * tiles - 1 - 1  # of two layers, one of lines, and below one more
    find(server, "river", at, at, lod=6)  # what comes later in it is let in with it
    assert [server.ask("/healthz").status, server.ask(tile(42, 9, 0, 0, "png", size=32)).status] == [200] * 2
    assert [server.ask(tile(42, 9, i, 0, "png", size=32)).status for i in range(1, left + 2)] == [200] * left + [429]
