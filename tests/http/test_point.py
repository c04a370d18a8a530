"""/point: heights, water, normals and zones at places, as the tiles around them say."""

import json
import math

import numpy as np
import pytest
from http_client import Crowd, request_bytes, wait_for
from http_samples import from_f32
from http_server import GENERATOR, TILE_MAX, base_tile, tile

WORLDS = [("42", {}), ("7", {"recipe": "whole"}), ("atlantis", {"recipe": "whole", "variant": "base"})]


def query(**given):
    return "&".join(f"{name}={value}" for name, value in given.items() if value is not None)


def get(asked, seed, x, y, **given):
    return json.loads(asked.get(f"/point/{seed}?{query(x=x, y=y, **given)}").body)


def post(asked, seed, places, status=200, **given):
    body = places if isinstance(places, bytes) else json.dumps({"places": places}).encode()
    answer = asked.ask(f"/point/{seed}" + (f"?{query(**given)}" if given else ""), "POST",
                       [("Content-Type", "application/json")], body)
    assert answer.status == status, (answer.status, answer.body[:300])
    return json.loads(answer.body)


class Ground:
    """What tiles say, kept; places in between by hand."""

    def __init__(self, asked, seed, lod, **given):
        self.asked, self.seed, self.lod, self.given, self.kept = asked, seed, lod, given, {}

    def samples(self, layer, x, y):
        if (layer, x, y) not in self.kept:
            body = self.asked.get(tile(self.seed, self.lod, x, y, layer=layer, **self.given)).body
            self.kept[layer, x, y] = from_f32(body, layer, 257).astype(np.float64)
        return self.kept[layer, x, y]

    def sample(self, layer, i, j):
        """Of the lattice: from the tile that has it without its far edge."""
        return self.samples(layer, i // 256, j // 256)[j % 256, i % 256]

    def at(self, layer, x, y):
        """Bilinear, of the four samples around, each from the tile that is its own."""
        u, v = x / 2 ** self.lod, y / 2 ** self.lod
        i, j = math.floor(u), math.floor(v)
        e, s = u - i, v - j
        return ((self.sample(layer, i, j) * (1 - e) + self.sample(layer, i + 1, j) * e) * (1 - s)
                + (self.sample(layer, i, j + 1) * (1 - e) + self.sample(layer, i + 1, j + 1) * e) * s)

    def zone(self, x, y):
        i, j = (math.floor(n / 2 ** self.lod + 0.5) for n in (x, y))
        body = self.asked.get(tile(self.seed, self.lod, i // 256, j // 256, layer="partition", **self.given)).body
        return int(np.argmax(np.frombuffer(body, "<f4").reshape(257, 257, -1)[j % 256, i % 256]))

    def check(self, point):
        x, y = point["x"], point["y"]
        assert point["height_m"] == pytest.approx(self.at("height", x, y), abs=1e-9)
        assert point["water_m"] == pytest.approx(self.at("water", x, y), abs=1e-9)
        assert point["surface_m"] == pytest.approx(self.at("surface", x, y), abs=1e-3)
        normal = self.at("normal", x, y)
        normal /= np.linalg.norm(normal)
        assert point["normal"] == pytest.approx(normal.tolist(), abs=1e-12)
        assert point["slope_degrees"] == pytest.approx(math.degrees(math.acos(min(normal[2], 1))), abs=1e-5)
        assert point["zone"]["id"] == self.zone(x, y)
        assert point["lod"] == point["tile"]["lod"] == self.lod
        side = 256 * 2 ** self.lod
        assert (point["tile"]["x"], point["tile"]["y"]) == (math.floor(x / side), math.floor(y / side))


PLACES = [(0, 0), (0.5, 0.25), (-0.5, -0.25), (256 - 2.0 ** -20, 7.5), (-2.0 ** -20, 7.5), (255.5, 10.125), (-256, -256), (-256.5, 255.75), (100, 256), (511.75, -1)]


@pytest.mark.parametrize("seed,given,lod", [(*WORLDS[0], 3), (*WORLDS[1], 1), (*WORLDS[2], 0)])
def test_points_are_what_tiles_say(connection, seed, given, lod):
    """Also where the four samples belong to two tiles, or to four."""
    ground = Ground(connection, seed, lod, **given)
    names = [zone["name"] for zone in json.loads(connection.ask(f"/world/{seed}?{query(**given)}").body)["zones"]]
    scaled = [(x * 2 ** lod, y * 2 ** lod) for x, y in PLACES]
    points = post(connection, seed, scaled, lod=lod, **given)["places"]
    assert [(point["x"], point["y"]) for point in points] == scaled
    for (x, y), point in zip(scaled, points):
        ground.check(point)
        assert names[point["zone"]["id"]] == point["zone"]["name"]
    alone = get(connection, seed, *scaled[5], lod=lod, **given)
    assert alone.pop("seed").isdigit() and {name: alone[name] for name in alone if name not in ("river", "lake", "peak", "range")} == points[5]


def test_it_is_told_what_it_stands_on(server):
    """Where a tile names a peak, a range or a lake: that one."""
    seen = set()
    for name in server.json(tile(42, 12, -2, 0, "json", recipe="continents"))["names"]:
        kind, point = name["kind"], get(server, 42, name["x"], name["y"], lod=12, recipe="continents")
        if kind in ("peak", "range") and point["water_m"] == 0 or kind == "lake":
            assert point[kind] == {"id": name["id"], "name": name["name"]}
            seen.add(kind)
    assert seen == {"peak", "range", "lake"}
    assert not {"peak", "range", "lake"} & set(get(server, 42, 6e6, 3e6, lod=12, recipe="continents"))  # at sea


@pytest.mark.parametrize("lod,x,y", [(0, 0, 0), (0, -1, 255), (0, -257, 1000), (5, 96, -3200), (24, 0, -16777216)])
def test_samples_are_met_exactly(connection, lod, x, y):
    point = get(connection, 42, x, y, lod=lod)
    i, j = x // 2 ** lod, y // 2 ** lod
    heights = from_f32(connection.ask(tile(42, lod, i // 256, j // 256)).body, "height", 257)
    assert point["height_m"] == float(heights[j % 256, i % 256])
    assert connection.ask(point["tile"]["url"]).body == connection.ask(tile(42, lod, i // 256, j // 256)).body


@pytest.mark.parametrize("seed,given", WORLDS)
def test_links_lead_to_the_tile(connection, seed, given):
    point = get(connection, seed, 300, -5, lod=2, **given)
    assert connection.ask(point["tile"]["url"]).body == connection.ask(tile(seed, 2, 0, -1, **given)).body
    plain = get(connection, 42, 1, 1, recipe="plain")
    assert "?" not in plain["tile"]["url"]


def test_the_world_ends(connection):
    end = (TILE_MAX + 1) * 256
    assert get(connection, 42, -end, end - 1)["tile"]["x"] == -TILE_MAX - 1
    for name, given in (("x", {"x": end, "y": 0}), ("y", {"x": 0, "y": -end - 1})):
        connection.ask(f"/point/42?{query(**given)}").problem(404, name)
    assert get(connection, 42, end, -end - 1, lod=1)["lod"] == 1
    there, outside, far = post(connection, 42, [[1, 2], [3, end], [1e300, 0]], lod=0)["places"]
    assert "height_m" in there
    assert set(outside) == {"x", "y", "error"} and outside["error"].startswith("y lies outside")
    assert far["x"] == 1e300 and far["error"].startswith("x lies outside")
    assert post(connection, 42, [[1e300, 0]])["places"][0]["error"]


@pytest.mark.parametrize("digits", ["1200.3000000000002", "1E+3", "-1.5e-7", "-0", "5e-324", "72057594037927935",
                                    "1e300", str(2 / 3 * 1000)])
def test_digits_mean_the_same_either_way(connection, digits):
    """What JavaScript and Python print, as they print it."""
    asked = connection.ask(f"/point/42?x={digits}&y={digits}&lod=3")
    told = post(connection, 42, f'{{"places": [[{digits}, {digits}]]}}'.encode(), lod=3)["places"][0]
    if "error" in told:
        assert asked.status == 404 and json.loads(asked.body)["parameter"] == "x"
    else:
        alone = json.loads(asked.body)
        assert asked.status == 200 and {name: alone[name] for name in told} == told and alone["x"] == float(digits)


@pytest.mark.parametrize("body,parameter", [
    (b"[[1, 2]]", "body"), (b'{"places": [], "lod": 3}', "body"), (b'{"places": [[1e999, 2]]}', "body"),
    (b'{"places": [[NaN, 2]]}', "body"),
    (b"{}", "places"), (b'{"places": [1, 2]}', "places"), (b'{"places": [[1, 2, 3]]}', "places"), (b'{"places": [[1, null]]}', "places")])
def test_bodies_that_are_none(server, body, parameter):
    problem = post(server, 42, body, 400)
    assert problem["parameter"] == parameter, problem


def test_as_many_as_may_be(connection):
    places = [[n % 32 / 3, n // 32 / 7] for n in range(1024)]
    answer = post(connection, 42, places)
    assert answer["lod"] == 0 and [[p["x"], p["y"]] for p in answer["places"]] == places
    problem = post(connection, 42, places + [[0, 0]], 413)
    assert problem["parameter"] == "places" and "1025" in problem["detail"]
    assert post(connection, 42, []) == {"seed": "42", "lod": 0, "places": []}


def test_levels_follow_how_far_places_lie_apart(launch):
    server = launch()
    for count, lod in ((32, 0), (33, 1), (100, 2)):
        answer = post(server, 42, [[n * 256 + 9, -3] for n in range(count)], variant="base")
        assert answer["lod"] == lod and {point["lod"] for point in answer["places"]} == {lod}
    row = [[n * 256 + 9, -3] for n in range(200)]
    problem = post(server, 42, row, 413, lod=0)
    assert problem["parameter"] == "lod" and "200 tiles" in problem["detail"] and "lod=2 would do" in problem["detail"]
    assert len(post(server, 42, row, lod=2, variant="base")["places"]) == 200
    apart = [[n * 2 ** 33, 0] for n in range(80)]
    assert post(server, 42, apart, 413)["parameter"] == "places"


def test_a_profile_costs_few_tiles(launch):
    server = launch(world="continents")
    line = [[3 * n, 2 * n] for n in range(256)]
    post(server, 42, line, lod=1, variant="base")
    assert server.renders() == 4 * len({(3 * n // 512, 2 * n // 512) for n in range(256)})
    renders = server.renders()
    post(server, 42, line, lod=1, variant="base")
    assert server.renders() == renders


def test_workers_read_long_bodies(launch, hold):
    """Nothing else waits for that; a few places are read at once."""
    server = launch(config={"http": {"threads": 1}, "render": {"threads": 1}}, environment=hold.environment)
    hold.hold()
    wrong = json.dumps({"places": [[n, n] for n in range(300)] + [[0]]}).encode()
    with Crowd(server.public, [base_tile(42, 3, 0, 0, "png", size=32)]) as crowd, server.connect() as connection:
        wait_for(lambda: hold.waiting() == 1, what="the worker")
        post(server, 42, [[0]], 400)
        connection.send(request_bytes("/point/42", "POST", [("Content-Type", "application/json")], wrong))
        for _ in range(3):
            assert server.ask("/healthz").status == 200  # the one loop has been round, and has the body
        assert server.count("terrane_requests_total", route="/point", status="400") == 1
        hold.release()
        assert connection.receive().problem(400, "places") and crowd.receive()[0].status == 200


def test_validators(server):
    target = "/point/42?x=10.5&y=-3"
    answer = server.get(target)
    etag = answer["ETag"]
    assert answer["Content-Type"] == "application/json" and "max-age=3600" in answer["Cache-Control"]
    assert "immutable" in server.get(f"{target}&v={GENERATOR}&recipe=continents")["Cache-Control"]
    renders = server.renders()
    assert server.get(target, [("If-None-Match", etag)], 304)["ETag"] == etag
    far = server.ask("/point/42?x=99999&y=-3", "HEAD")
    assert server.renders() == renders and far["ETag"] != etag
    others = [server.ask(f"/point/42?{other}", "HEAD")["ETag"] for other in (
        "x=10.5&y=-3.5", "x=10.5&y=-3&lod=1", "x=10.5&y=-3&variant=base&recipe=continents", "x=10.5&y=-3&recipe=desert")]
    assert len({etag, *others}) == 5
    assert server.ask("/point/43?x=10.5&y=-3", "HEAD")["ETag"] not in (etag, *others)
    for same in ("/point/0x2a?y=-3&x=10.5", "/point/42?x=10.50&y=-3.0&layer=relief&size=7&lod=0"):
        assert server.ask(same, "HEAD")["ETag"] == etag and server.get(same).body == answer.body
    posted = server.ask("/point/42", "POST", body=b'{"places": [[1, 2]]}')
    assert posted["Cache-Control"] == "no-store" and "ETag" not in posted


def test_head_says_what_get_says(server):
    """All of it, over a connection that stays, where the tiles are in memory; else all but the length."""
    target = "/point/42?x=9977.5&y=-3.25"
    before = server.renders()
    far = server.ask(target, "HEAD")
    assert server.renders() == before and "Content-Length" not in far and far["Connection"] == "close"
    with server.connect() as connection:
        whole = connection.ask(target)
        heads = [connection.ask(target, "HEAD") for _ in range(3)]
        assert connection.ask(target).body == whole.body
    for head in heads:
        assert head.status == 200 and head.body == b"" and int(head["Content-Length"]) == len(whole.body)
        assert [h for h in head.headers if h[0] != "Date"] == [h for h in whole.headers if h[0] != "Date"]
    assert {h for h in far.headers if h[0] != "Date"} == {
        h for h in whole.headers if h[0] not in ("Date", "Content-Length")} | {("Connection", "close")}


def test_every_peak_is_known_at_its_place(server):
    """However many rivers have names in its tile."""
    features = json.loads(server.get(tile(42, 6, 7, -2, "geojson", layer="height", recipe="wayfarer")).body)["features"]
    peaks = [feature for feature in features if feature["properties"].get("kind") == "peak"]
    for peak in peaks:
        x, y = peak["geometry"]["coordinates"]
        assert get(server, 42, x, y, lod=6, recipe="wayfarer")["peak"] == {"id": peak["id"], "name": peak["properties"]["name"]}
    assert len(peaks) > 3


@pytest.mark.parametrize("seed,x,y,lods,query", [
    (42, 498688, 73728, (6, 7, 8, 9), {"recipe": "badlands"}),
    (42, -831488, 536576, (7, 9, 10), {"recipe": "continents"}),  # of 1,000 km2 and, through channels, beside others that stand higher
    (9, 1691648, 1035776, (6, 8, 9), {"recipe": "alpine"}),  # more than one tile knows at level 6
], ids=str)
def test_a_lake_has_one_name(server, seed, x, y, lods, query):
    """At every level, in every answer: as the area of the tile has it that the place lies in."""
    names = set()
    for lod in lods:
        lake = get(server, seed, x, y, lod=lod, **query)["lake"]
        side = 256 << lod
        features = json.loads(server.get(tile(seed, lod, x // side, y // side, "geojson", layer="water", **query)).body)["features"]
        assert (lake["id"], lake["name"]) in {(of["properties"].get("lake"), of["properties"].get("name")) for of in features}
        found, = json.loads(server.get(f"/find/{seed}?what=lake&x={x}&y={y}&lod={lod}&recipe={query['recipe']}").body)["features"]
        assert found["properties"]["distance_m"] == 0 and {"id": found["properties"]["lake"], "name": found["properties"]["name"]} == lake
        names.add((lake["id"], lake["name"]))
    assert len(names) == 1
