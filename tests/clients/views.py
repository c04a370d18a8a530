"""Views for the viewer, which the server is asked for, so that no test needs a place of some generator; and what a view has."""

import collections
import json
import math
import urllib.parse
import urllib.request

import numpy as np

SIDE_M = 2**26  # of the map, where a sample of level 0 is a metre
# From the middle of the map in a window of 1440 x 900: what no panel covers, and no more places than the server tells at once.
PIXELS = [(x, y) for y in range(-360, 380, 26) for x in range(-360, 340, 20)]
ACROSS = 500  # pixels of them, that both ends of a way are apart
OF_A_KIND = 4
MANY = 100  # trees of a tile of level 0


def ask(server, path, body=None, **query):
    request = urllib.request.Request(f"{server.url}{path}?{urllib.parse.urlencode(query)}", data=body and json.dumps(body).encode())
    with urllib.request.urlopen(request) as answer:
        return answer.read()


def told(server, path, body=None, **query):
    return json.loads(ask(server, path, body, **query))


def level_of(zoom):
    """The level whose tiles the map shows."""
    return 18 - math.floor(zoom + 1.5)


def of_ground(view):
    return {name: view[name] for name in ("recipe", "variant") if name in view}


def pixels_of(server, view):
    """{"sea", "water", "ground": pixels of a view, from its middle}, a few of each, where a click tells of that without a doubt."""
    metres, sea = SIDE_M / (512 * 2 ** view["zoom"]), told(server, f"/world/{view['seed']}", **of_ground(view))["sea_m"]
    places = [[view["x"] + x * metres, view["y"] + y * metres] for x, y in PIXELS]
    answer = told(server, f"/point/{view['seed']}", {"places": places}, lod=level_of(view["zoom"]), **of_ground(view))
    found, surfaces = {}, collections.Counter(round(place["surface_m"], 2) for place in answer["places"])
    for pixel, place in zip(PIXELS, answer["places"]):
        depth, over = place["water_m"], abs(place["surface_m"] - sea)
        if depth == 0:
            found.setdefault("ground", []).append(pixel)
        elif depth > 0.5 and over <= 0.05:
            found.setdefault("sea", []).append(pixel)
        elif depth > 0.5 and over >= 0.3 and (place.get("discharge_m3s") or surfaces[round(place["surface_m"], 2)] > 2):  # a river or a lake, not the slope of a shore
            found.setdefault("water", []).append(pixel)
    return {kind: pixels[:: max(1, len(pixels) // OF_A_KIND)][:OF_A_KIND] for kind, pixels in found.items()}


def first_with(server, waters, views):
    """The first of these views that has ground and these waters, and no others; pixels of all."""
    tried = []
    for view in views:
        pixels = pixels_of(server, view)
        if pixels.keys() == waters | {"ground"}:
            return view, sum(pixels.values(), [])
        tried.append((view, sorted(pixels)))
    raise AssertionError(f"no view has ground and {waters} alone: {tried}")


def found(server, what, near=None, limit=5, **query):
    """Where the nearest are of a place, which is the middle of the default view unless it is said."""
    x, y = near or spawn_of(server, **{name: query[name] for name in query if name == "recipe"})
    features = told(server, "/find/42", what=what, x=x, y=y, limit=limit, **query)["features"]
    return [feature["geometry"]["coordinates"][:2] for feature in features]


def spawn_of(server, **query):
    spawn = told(server, "/world/42", **query)["spawn"]
    return spawn["x"], spawn["y"]


def coasts(server):
    """Of lakes and the sea nearest to them."""
    for lake in found(server, "lake", lod=8):
        for coast in found(server, "coast", near=lake, limit=1, lod=8):
            zoom = math.log2(SIDE_M / 512 / (math.dist(lake, coast) / ACROSS))
            yield {"seed": 42, "zoom": min(round(zoom, 1), 9.3), **{name: round((a + b) / 2) for name, a, b in zip("xy", lake, coast)}}


def spawns(server):
    return [{"seed": 42, "variant": "base", "zoom": 9.3, **dict(zip("xy", spawn_of(server)))}]


def lakes(server):
    return ({"seed": 42, "recipe": "wayfarer", "zoom": 13, "x": x, "y": y} for x, y in found(server, "lake", recipe="wayfarer", lod=6))


def reaches(server, x, y):
    """Lines of rivers in the 32 km around a place, the widest first."""
    window = {"x0": round(x / 32) - 512, "y0": round(y / 32) - 512, "w": 1024, "h": 1024}
    lines = told(server, "/river/42", lod=5, **window)["features"]
    return sorted(lines, key=lambda line: -line["properties"]["width_m"])


def rivers_near_the_sea(server):
    """From near, along the widest river by a mouth: its bed lies below the sea, its water does not."""
    for x, y in found(server, "mouth", lod=8):
        for line in [line for line in reaches(server, x, y) if line["geometry"]["coordinates"][-1][2] < 2][:3]:
            for east, south, _ in [position for position in line["geometry"]["coordinates"] if 0.4 < position[2] < 2][:1]:
                place = told(server, "/point/42", x=round(east), y=round(south), lod=0)
                if place["height_m"] < 0 < place["surface_m"]:
                    yield {"seed": 42, "zoom": 16.5, "x": place["x"], "y": place["y"]}


def peak_over_the_sea(server):
    """From far: the nearest peak from which water runs along rivers to the sea."""
    for x, y in found(server, "peak"):
        way = told(server, "/downstream/42", x=x, y=y)["properties"]
        if way["ends"] == "sea" and len(way["rivers"]) > 2:
            return {"seed": 42, "zoom": 9, "x": x, "y": y}
    raise AssertionError("from no peak near water runs along rivers to the sea")


def river_in_a_wood(server):
    """Standing, from near: the widest river around a wood that has trees at its banks."""
    for x, y in found(server, "cover:forest", limit=2):
        for line in reaches(server, x, y)[:5]:
            east, south, _ = map(round, line["geometry"]["coordinates"][-1])
            trees = told(server, f"/tile/42/0/{east // 256}/{south // 256}.geojson", layer="objects")["features"]
            if len(trees) > MANY:
                return {"seed": 42, "zoom": 18, "pitch": 60, "3d": 1, "x": east, "y": south}
    raise AssertionError("no river near has trees at its banks")


def hash_of(view):
    return "#" + urllib.parse.urlencode(view)


def wet_share(server, view, bounds, level):
    """How much of a view is under water, by the samples of a level that lie in it; less than a sixteenth of a metre is none in a picture."""
    first, last = ([rounded(bounds[edge] / 2**level) for edge in edges]
                   for rounded, edges in ((math.ceil, ("west", "north")), (math.floor, ("east", "south"))))
    window = {"x0": first[0], "y0": first[1], "w": last[0] - first[0] + 1, "h": last[1] - first[1] + 1}
    depths = np.frombuffer(ask(server, f"/region/{view['seed']}.f32", lod=level, layer="water", **window, **of_ground(view)), "<f4")
    return float((depths >= 1 / 16).mean())
