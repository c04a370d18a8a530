"""reg=center: the mean of a pixel's four corners, as a client would make it of the corner PNGs of the tile and its
neighbours, bit for bit."""

import json

import numpy as np
import pytest
from http_samples import from_png
from http_server import GENERATOR
from test_entries import worlds  # noqa: F401

PAGES = 1 << 22


def xyz(z, x, y, query="", ext="png", twice=False):
    return f"/xyz/42/{z}/{x}/{y}{'@2x' if twice else ''}.{ext}?{query}"


def numbers(connection, target):
    """A PNG's numbers in the units of its encoding."""
    pixels = from_png(connection.get(target).body)
    return pixels if pixels.ndim == 2 else pixels @ np.array([65536, 256, 1])


def corners(connection, z, x, y, query, page=(0, 0), twice=False):
    """Those of the tile, and the first ones of what lies to the east and south, on the next page at the map's edge."""
    def one(dx, dy):
        side = 1 << z
        origin = f"origin={page[0] + (x + dx) // side},{page[1] + (y + dy) // side}"
        return numbers(connection, xyz(z, (x + dx) % side, (y + dy) % side, f"{query}&{origin}", twice=twice))
    size = 512 if twice else 256
    return np.block([[one(0, 0), one(1, 0)], [one(0, 1), one(1, 1)]])[:size + 1, :size + 1]


def means(grid):
    return (grid[:-1, :-1] + grid[:-1, 1:] + grid[1:, :-1] + grid[1:, 1:] + 2) >> 2


def check(connection, z, x, y, query, page=(0, 0), twice=False):
    asked = f"{query}&reg=center&origin={page[0]},{page[1]}"
    found = numbers(connection, xyz(z, x, y, asked, twice=twice))
    grid = corners(connection, z, x, y, query, page, twice)
    assert np.array_equal(found, means(grid)), (z, x, y, query)
    assert not np.array_equal(found, grid[:-1, :-1]) or grid.min() == grid.max(), "corners would do as well"


PLACES = [(0, 0, 0), (1, 0, 0), (1, 1, 1), (5, 31, 0), (9, 255, 256), (10, 511, 512), (13, 4095, 4100),
          (18, 262143, 262143), (18, 131072, 131071)]
TWICE = [(0, 0, 0), (9, 255, 256), (17, 65536, 65535)]
CHECKS = {  # a query, places, and what else
    "height": ("layer=height&variant=base", PLACES, {}), "surface": ("layer=surface&variant=eroded", PLACES[4::2], {}),
    **{enc: (f"enc={enc}&layer=surface", [(0, 0, 0), (12, 2040, 2051)], {}) for enc in ("terrarium", "mapbox", "gray16")},
    **{f"{layer} at 2x": (f"layer={layer}", TWICE, {"twice": True}) for layer in ("height", "surface")},
    **{f"page {page}": ("variant=base", [(0, 0, 0), (3, 7, 0)], {"page": page}) for page in ((1, -1), (-3, 5), (PAGES - 2, 2 - PAGES))}}


@pytest.mark.parametrize("name", CHECKS)
def test_centres_are_means_of_corners(connection, name):
    query, places, options = CHECKS[name]
    for place in places:
        check(connection, *place, query, **options)


def test_of_lakes_and_paths(launch, worlds):  # noqa: F811
    """Ground that is carved, and water that stands above the sea, also where a tile meets the next one."""
    server, query = launch(config=worlds), "recipe=small&layer="
    facts = server.json("/tile/42/2/2/-3.json?recipe=small")
    assert facts["water"]["lakes"] > 0.005 and facts["paths"]
    check(server, 16, 32770, 32765, query + "height")
    check(server, 16, 32770, 32765, query + "surface", twice=True)


def test_smaller_sizes(connection):
    """Their pixels are as wide as the distance of their samples."""
    for size in (2, 64):
        grid = from_png(connection.ask(f"/tile/42/6/3/-5.png?enc=gray16&size={size + 1}").body)
        found = from_png(connection.ask(xyz(12, 2051, 2043, f"enc=gray16&reg=center&size={size}")).body)
        assert np.array_equal(found, means(grid))


def test_centres_are_kept_beside_corners(launch):
    server = launch()
    target = xyz(9, 255, 256, "variant=base")
    with server.connect() as connection:
        corner, center = connection.ask(target), connection.ask(target + "&reg=center")
        assert corner["ETag"] != center["ETag"] and corner.body != center.body
        for same in (target, target + "&reg=corner", target.replace("xyz/42/9/255/256.png?", "tile/42/9/-1/0.png?reg=center&")):
            again = connection.ask(same)  # /tile knows no such name
            assert (again["ETag"], again.body, again["X-Cache"]) == (corner["ETag"], corner.body, "memory")
        again = connection.ask(target + "&reg=center")
        assert (again["ETag"], again.body, again["X-Cache"]) == (center["ETag"], center.body, "memory")
        fresh = connection.ask(target + "&reg=center", headers=[("If-None-Match", center["ETag"])])
        assert fresh.status == 304
        assert connection.ask(target + "&reg=center", "HEAD")["ETag"] == center["ETag"]


def test_corners_are_everywhere(server):
    for ext in ("f32", "tif", "npy", "r16", "json", "glb"):
        plain, said = (server.ask(xyz(9, 3, 3, query, ext), "HEAD") for query in ("", "reg=corner"))
        assert said.status == 200 and said["ETag"] == plain["ETag"]
    for target in ("/region/42.png?x0=0&y0=0&w=3&h=3&reg=x", "/terrain/42/0/0/0.terrain?reg=x", "/gdal/42.xml?reg=x",
                   "/point/42?x=0&y=0&reg=x", "/tile/42/3/0/0.f32?reg=center", "/terrain/42/layer.json?reg=x"):
        assert server.ask(target).status == 200, target


def tilejson(connection, query=""):
    told = json.loads(connection.ask(f"/xyz/42/tile.json?{query}").body)
    return told["tiles"][0].rpartition("?")[2], told["terrane"].get("registration")


def test_tilejson_names_centres(connection):
    head = f"v={GENERATOR}"
    assert tilejson(connection) == (f"{head}&reg=center", "center")
    assert tilejson(connection, "layer=surface&enc=gray16") == (f"{head}&layer=surface&enc=gray16&reg=center", "center")
    assert tilejson(connection, "size=512") == (f"{head}&reg=center", "center")
    assert tilejson(connection, "reg=center&origin=1,0") == (f"{head}&reg=center&origin=1,0", "center")
    assert tilejson(connection, "reg=corner") == (head, "corner")
    for layer in ("relief", "delta", "normal"):
        assert tilejson(connection, f"layer={layer}") == (f"{head}&layer={layer}", None)
        assert tilejson(connection, f"layer={layer}&reg=corner") == (f"{head}&layer={layer}", None)


@pytest.mark.parametrize("layer", ["relief", "height", "slope"])
@pytest.mark.parametrize("reg", ["", "center", "corner"])
def test_styles_name_centres(connection, layer, reg):
    """Of what is meant as heights; pictures keep corners."""
    answer = connection.ask(f"/style/42.json?layer={layer}" + (f"&reg={reg}" if reg else ""))
    sources = json.loads(answer.body)["sources"]
    for name in ("terrain", "hillshade"):
        assert ("reg=center" in sources[name]["tiles"][0]) == (reg != "corner")
    assert "reg=" not in sources["picture"]["tiles"][0]
