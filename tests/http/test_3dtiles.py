"""3D Tiles over HTTP: tileset.json, subtrees and meshes that stand where the tileset's implicit division says, as a reader of the
specification takes them apart."""

import json
import struct

import numpy as np
import pytest
from http_mesh import from_glb
from http_server import GENERATOR, book, tile
from http_worlds import RAISE, world, write

ROOT = "/3dtiles/42"
TILES = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (10, 500, 510), (14, 8000, 8500), (18, 131072, 131071)]


def tileset(server, query=""):
    answer = server.get(f"{ROOT}/tileset.json{query}")
    assert answer["Content-Type"] == "application/json" and answer["Access-Control-Allow-Origin"] == "*"
    return json.loads(answer.body)


def box_of(root, z, x, y):
    """The box of a tile: the root's, divided along its first two axes."""
    box = np.array(root["boundingVolume"]["box"]).reshape(4, 3)
    side = 2 ** z
    centre = box[0] + box[1] * ((2 * x + 1) / side - 1) + box[2] * ((2 * y + 1) / side - 1)
    half = np.abs(box[1] / side) + np.abs(box[2] / side) + np.abs(box[3])
    return centre - half, centre + half


def positions(body):
    """Metres, x to the east, y to the north, z up: glTF's y is up, and a runtime turns it."""
    at = from_glb(body).attributes["POSITION"]
    return np.stack([at[:, 0], -at[:, 2], at[:, 1]], axis=1)


def filled(template, z, x, y, root=ROOT):
    return f"{root}/" + template.replace("{level}", str(z)).replace("{x}", str(x)).replace("{y}", str(y))


def test_tileset(server):
    whole = tileset(server)
    root = whole["root"]
    assert whole["asset"]["version"] == "1.1" and root["refine"] == "REPLACE"
    assert whole["geometricError"] >= root["geometricError"] == 2 ** 26 / 128  # a step between vertices
    tiling = root["implicitTiling"]
    assert (tiling["subdivisionScheme"], tiling["subtreeLevels"], tiling["availableLevels"]) == ("QUADTREE", 5, 19)
    assert root["content"]["uri"] == f"{{level}}/{{x}}/{{y}}.glb?v={GENERATOR}"
    assert tiling["subtrees"]["uri"] == f"{{level}}/{{x}}/{{y}}.subtree?v={GENERATOR}"
    low, high = box_of(root, 0, 0, 0)
    assert (low[:2] == -2 ** 25).all() and (high[:2] == 2 ** 25).all() and low[2] < 0 < high[2]


@pytest.mark.parametrize("query", ["", "?enc=quantised&size=33"])
@pytest.mark.parametrize("z,x,y", TILES)
def test_content_fills_its_box(server, query, z, x, y):
    root = tileset(server, query)["root"]
    body = server.get(filled(root["content"]["uri"], z, x, y)).body
    at, (low, high) = positions(body), box_of(root, z, x, y)
    step = (high[0] - low[0]) / 2 ** 16  # of quanta
    assert (at >= low - step).all() and (at <= high + step).all()
    assert np.allclose(at.min(axis=0)[:2], low[:2], atol=step) and np.allclose(at.max(axis=0)[:2], high[:2], atol=step)


def test_eroded_ground_is_in_its_box(launch, tmp_path):
    """A mesa of 0 to 300 m, out of which slides carry more than half as much again."""
    mesa = {"range_m": [-512, 512], "sea_m": -300, "height": {"sum": ["h"]}, "erosion": {"slides": [12] * 8},
            "terms": {"n": {"fractal": "billow", "octaves": 10, "cell_m": 8192, "gain": 0.7},
                      "h": {"curve": "n", "knots": [[-0.05, 0], [0.05, 300]]}}}
    server = launch(config={"worlds": book(tmp_path, {"mesa": mesa})})
    root = tileset(server, "?recipe=mesa")["root"]
    base = tileset(server, "?recipe=mesa&variant=base")["root"]
    at, (low, high) = positions(server.get(f"{ROOT}/12/2048/2047.glb?recipe=mesa").body), box_of(root, 12, 2048, 2047)
    tight = box_of(base, 12, 2048, 2047)
    assert at[:, 2].min() < tight[0][2]  # or the place shows nothing
    assert at[:, 2].min() >= low[2] and at[:, 2].max() <= high[2]


@pytest.mark.parametrize("z,x,y", TILES[1:])
@pytest.mark.parametrize("layer", ["surface", "height"])
def test_content_is_the_tile_of_that_place(server, z, x, y, layer):
    lod, half = 18 - z, 2 ** (z - 1)
    placed = from_glb(server.get(f"{ROOT}/{z}/{x}/{y}.glb?layer={layer}").body)
    plain = from_glb(server.get(tile(42, lod, x - half, half - 1 - y, "glb", layer=layer)).body)
    shift = placed.json["nodes"][0]["translation"]
    centre = plain.json["asset"]["extras"]["centre_m"]
    assert shift == [centre[0], 0, centre[1]]
    top = 129 * 129  # skirts may be shorter
    assert np.array_equal(placed.attributes["POSITION"][:top] - shift, plain.attributes["POSITION"][:top])
    for name in ("NORMAL", "TANGENT", "TEXCOORD_0"):
        assert np.array_equal(placed.attributes[name], plain.attributes[name])


def subtree(server, z, x, y, query="", root=ROOT):
    answer = server.get(f"{root}/{z}/{x}/{y}.subtree{query}")
    assert answer["Content-Type"] == "application/octet-stream"
    magic, version, text, binary = struct.unpack_from("<4sIQQ", answer.body)
    assert (magic, version) == (b"subt", 1) and text % 8 == binary % 8 == 0 and 24 + text + binary == len(answer.body)
    return json.loads(answer.body[24:24 + text]), answer.body[24 + text:]


def available(document, binary, availability):
    """How many tiles of the 5 levels."""
    if "constant" in availability:
        return 341 * availability["constant"]
    view = document["bufferViews"][availability["bitstream"]]
    assert document["buffers"][view["buffer"]]["byteLength"] <= len(binary) and view["byteLength"] == (341 + 7) // 8
    bits = np.unpackbits(np.frombuffer(binary, np.uint8, view["byteLength"], view["byteOffset"]), bitorder="little")
    count = int(bits.sum())
    assert bits[:count].all() and count == availability["availableCount"]
    return count


@pytest.mark.parametrize("z,tiles,below", [(0, 341, 1), (5, 341, 1), (10, 341, 1), (15, 85, 0)])
def test_subtrees(server, z, tiles, below):
    document, binary = subtree(server, z, 2 ** z - 1, 0)
    content, = document["contentAvailability"]
    assert available(document, binary, document["tileAvailability"]) == available(document, binary, content) == tiles
    assert document["childSubtreeAvailability"] == {"constant": below}
    boxes = document["propertyTables"][document["tileMetadata"]] if z else None
    assert boxes is None or boxes["count"] == tiles
    assert len(binary) == (0 if tiles == 341 else 48) + (12 * 8 * tiles if z else 0)


def boxes_of(server, z, x, y, query="", root=ROOT):
    """The boxes that a subtree gives its tiles, as the tileset's schema says: {(z, x, y): (low, high)}."""
    schema = tileset(server)["schema"]
    document, binary = subtree(server, z, x, y, query, root)
    table = document["propertyTables"][document["tileMetadata"]]
    (name, of_class), = schema["classes"][table["class"]]["properties"].items()
    assert (of_class["semantic"], of_class["componentType"], of_class["type"], of_class["array"], of_class["count"]) == (
        "TILE_BOUNDING_BOX", "FLOAT64", "SCALAR", True, 12)
    view = document["bufferViews"][table["properties"][name]["values"]]
    boxes = np.frombuffer(binary, "<f8", 12 * table["count"], view["byteOffset"]).reshape(-1, 4, 3)
    out = {}
    for depth in range(5 if z < 15 else 4):
        for morton in range(4 ** depth):
            column, row = (sum((morton >> 2 * k + axis & 1) << k for k in range(depth)) for axis in (0, 1))
            box = boxes[(4 ** depth - 1) // 3 + morton]
            half = np.abs(box[1:]).sum(axis=0)
            out[z + depth, (x << depth) + column, (y << depth) + row] = (box[0] - half, box[0] + half)
    return out


@pytest.mark.parametrize("query", ["", "?enc=quantised&size=33", "?layer=height&variant=base", "?recipe=whole", "?recipe=whole&variant=eroded&layer=height", *(
    pytest.param(f"?recipe={name}&variant=base", marks=pytest.mark.long) for name in ("alpine", "archipelago", "badlands", "continents", "desert", "wayfarer"))])
@pytest.mark.parametrize("z,x,y", [(5, 15, 16), (10, 509, 514), (15, 16383, 16384)])
def test_meshes_are_inside_their_boxes(server, query, z, x, y):
    boxes, root = boxes_of(server, z, x, y, query), tileset(server, query)["root"]
    for down in range(5 if z < 15 else 4):
        place = (z + down, (x << down) + down % 3 % (1 << down), (y << down) + (1 << down) - 1)
        low, high = boxes[place]
        side = 2.0 ** (26 - place[0])
        at = positions(server.get(filled(root["content"]["uri"], *place)).body)
        assert (at >= low).all() and (at <= high).all()
        assert np.allclose(at.min(axis=0)[:2], low[:2], atol=side / 64) and np.allclose(at.max(axis=0)[:2], high[:2], atol=side / 64)
        above = boxes.get((place[0] - 1, place[1] // 2, place[2] // 2), (low, high))
        assert (above[0] <= low).all() and (above[1] >= high).all()
        assert z == 5 or high[2] - low[2] < at[:, 2].max() - at[:, 2].min() + 1.5 * side  # the tileset's is 8 times as tall and more


def test_subtrees_are_made_as_tiles_are(server):
    target = f"{ROOT}/10/7/9.subtree?v={GENERATOR}&recipe=continents"
    assert server.ask(target, "HEAD").status == 200
    first, again = server.get(target), server.get(target)
    assert first["X-Cache"] == "render" and again["X-Cache"] == "memory" and first.body == again.body
    assert "immutable" in first["Cache-Control"]
    packed = server.get(target, [("Accept-Encoding", "gzip")])
    assert packed["Content-Encoding"] == "gzip" and len(packed.body) < len(first.body) / 3


@pytest.mark.parametrize("layer", ["cave", "objects"])
@pytest.mark.parametrize("name", ["tileset.json", "0/0/0.subtree"])
def test_of_bodies_there_are_no_tilesets(server, layer, name):
    """Whose tiles nobody could have."""
    assert "height and surface" in server.ask(f"{ROOT}/{name}?recipe=whole&layer={layer}").problem(400, "layer")


def test_what_is_asked_is_handed_on(server):
    root = tileset(server, "?recipe=plain&variant=base&layer=height&size=17&enc=quantised&texture=relief")["root"]
    query = f"?v={GENERATOR}&recipe=plain&variant=base&layer=height&size=17&enc=quantised&texture=relief"
    assert root["content"]["uri"].endswith(".glb" + query) and root["geometricError"] == 2 ** 26 / 16
    assert root["implicitTiling"]["subtrees"]["uri"].endswith(".subtree" + query)
    assert server.ask(filled(root["content"]["uri"], 3, 1, 1), "HEAD").status == 200
    assert server.ask(filled(root["implicitTiling"]["subtrees"]["uri"], 5, 1, 1), "HEAD").status == 200


def test_caches_can_tell_them_apart(server):
    xyz, placed = server.get("/xyz/42/5/1/30.glb?layer=surface"), server.get(f"{ROOT}/5/1/1.glb")
    assert xyz["ETag"] != placed["ETag"] and "translation" not in from_glb(xyz.body).json["nodes"][0]
    assert "translation" in from_glb(placed.body).json["nodes"][0]


DEEDS = [{**RAISE, "outer": 3, "inner": 1, "strength_m": 900}, {"brush": "lower", "x": 140, "y": 90, "outer": 60, "strength_m": 700}, {"brush": "level", "x": 20, "y": 20, "outer": 8, "height_m": 2500},
         {"brush": "way", "line": [[200, 200, 1500], [250, 250, 1510]], "width": 8, "slope": 1}, {"brush": "smooth", "x": 100, "y": 100, "outer": 30}, {"brush": "noise", "x": 60, "y": 60, "outer": 9, "term": "hills", "strength": 9}]


def test_what_people_did_is_in_the_boxes(launch, tmp_path):
    """However small it is beside the subtree's samples; where nobody was, boxes and names stay."""
    server, root = launch(config=world(tmp_path)), "/3dtiles/commons"
    path = [(z, 2 ** (z - 1), 2 ** (z - 1) - 1) for z in range(5, 19)]  # to the tile at 0, 0
    roots, far = path[::5], f"{root}/15/16000/16000.subtree"
    before, tag = [boxes_of(server, *at, root=root) for at in roots], server.get(far)["ETag"]
    for deed in DEEDS:
        write(server, deed)
    after = [boxes_of(server, *at, root=root) for at in roots]
    whole = json.loads(server.get(f"{root}/tileset.json?at=0").body)["root"]
    assert server.get(far)["ETag"] == tag and "&at=0&epoch=" in whole["content"]["uri"]
    now = json.loads(server.get(f"{root}/tileset.json").body)["root"]
    for old, new in zip(before, after, strict=True):
        moved = {at for at, box in new.items() if not np.array_equal(box, old[at])}
        assert moved == set(path) & set(new) or len(moved) < len(new) / 2
        for at in set(path) & set(new):
            points, (low, high) = positions(server.get(filled(now["content"]["uri"], *at, root)).body), new[at]
            assert (points >= low).all() and (points <= high).all() and high[2] > 2500 > old[at][1][2], at
    points = positions(server.get(filled(whole["content"]["uri"], *path[-1], root)).body)
    assert (points <= before[-1][path[-1]][1]).all() and 2000 < positions(server.get(f"{root}/18/{path[-1][1]}/{path[-1][2]}.glb").body)[:, 2].max() <= box_of(now, 0, 0, 0)[1][2]
    for _ in range(17):
        write(server, [{**RAISE, "inner": 0, "outer": 1, "strength_m": 0.1}] * 250)
    low, high = boxes_of(server, *path[0], "?layer=height", root)[9, 16 << 4, 15 << 4]  # of too many to look at, far away
    assert high[2] - low[2] > 8192
