"""TileJSON, style, layer.json and GDAL's XML: what they say is so, and their URLs lead from where the client stands."""

import json
import math
import re
import urllib.parse
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from http_client import Connection, in_less_than
from http_operator import certificate, keys_file
from http_samples import from_png
from http_server import GENERATOR, base_tile

WORLD = "whole"

KINDS = ["/xyz/{}/tile.json", "/style/{}.json", "/terrain/{}/layer.json", "/gdal/{}.xml"]
TYPES = dict(zip(KINDS, ["application/json"] * 3 + ["application/xml"]))
HOST = "http://terrane.test"  # of http_client's requests
HASHED = "10491540733083189758"  # atlantis
SIDE = 256 * 2 ** 18
SPAWN_RENDERS = (2, 4, 6)  # height and water, of a tile or three


def document(asked, kind, seed="42", query="", headers=()):
    """The parsed document, and the answer. asked: a server, or a connection to one."""
    answer = asked.get(kind.format(seed) + (f"?{query}" if query else ""), headers)
    assert answer["Content-Type"] == TYPES[kind]
    parse = ElementTree.fromstring if kind.endswith("xml") else json.loads
    return parse(answer.body), answer


def templates(value):
    """Every tile URL that a document names."""
    if isinstance(value, ElementTree.Element):
        return [value.findtext("Service/ServerUrl").replace("${", "{")]
    if "sources" in value:
        return [url for source in value["sources"].values() for url in source["tiles"]]
    return value["tiles"]


def urls(asked, kind, **given):
    return templates(document(asked, kind, **given)[0])


def query_of(url):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query, strict_parsing=True))


def local(url, base=HOST):
    assert url.startswith(base + "/")
    return url.removeprefix(base)


def filled(url, z, x, y):
    return url.replace("{z}", str(z)).replace("{x}", str(x)).replace("{y}", str(y))


def dry_spawn(server, seed, more=""):
    spawn = server.json(f"/world/{seed}?{more}".rstrip("?"))["spawn"]
    place = server.json(f"/point/{seed}?x={spawn['x']}&y={spawn['y']}{more and '&' + more}")
    assert place["water_m"] == 0 and place["slope_degrees"] < 10 and place["height_m"] == spawn["height"]
    return spawn


def test_first_views_are_where_the_world_is_worth_seeing(server):
    dry_spawn(server, 5, "recipe=alpine")  # beyond a lake wider than a tile
    spawn = dry_spawn(server, 42)
    (told, _), (style, _), (globe, _) = (document(server, kind) for kind in KINDS[:3])
    longitude, latitude, zoom = told["center"]
    assert longitude / 360 * SIDE == pytest.approx(spawn["x"], abs=1)
    assert -math.asinh(math.tan(math.radians(latitude))) / math.tau * SIDE == pytest.approx(spawn["y"], abs=1)
    assert style["center"] == [longitude, latitude] and style["zoom"] == zoom == 10
    assert [side * SIDE / 2 / 360 for side in globe["center"][:2]] == pytest.approx([spawn["x"], -spawn["y"]], abs=1)
    tileset = server.json("/3dtiles/42/tileset.json")["extras"]
    for of in (told, globe, tileset, {"terrane": style["metadata"]["terrane:world"]}):
        assert of["terrane"]["spawn"] == spawn
    assert document(server, KINDS[0], query="origin=1,0")[0]["center"][:2] == [0, 0]
    heights = from_png(server.get(filled(local(urls(server, KINDS[0])[0]), zoom, *(int((place / SIDE + 0.5) * 2 ** zoom) for place in (spawn["x"], spawn["y"])))).body)
    assert (heights > 0).any() and np.ptp(heights) > 100


def test_tilejson(server):
    told, answer = document(server, KINDS[0])
    assert told["tilejson"] == "3.0.0" and told["version"] == f"{GENERATOR}.0.0"
    assert told["tiles"] == [f"{HOST}/xyz/42/{{z}}/{{x}}/{{y}}.png?v={GENERATOR}&reg=center"]
    assert (told["minzoom"], told["maxzoom"], told["tileSize"]) == (0, 18, 256)
    assert (told["scheme"], told["format"], told["encoding"]) == ("xyz", "png", "terrarium")
    west, south, east, north = told["bounds"]
    assert -180 < west < -179.99 and 179.99 < east < 180 and -85.0512 < south < -85.05 and 85.05 < north < 85.0512
    assert west <= told["center"][0] <= east and south <= told["center"][1] <= north and 0 <= told["center"][2] <= 18
    assert told["tileGrid"] == {"id": "plane", "crs": "simple", "origin": [-SIDE / 2, SIDE / 2], "extentAtZoom0": SIDE}
    assert told["terrane"] == {"seed": "42", "recipe": "whole", "layer": "height", "registration": "center",
                               "spacing_m": 1, "generator": GENERATOR, "spawn": server.json("/world/42")["spawn"]}
    assert told["name"] and told["description"]
    assert answer["Terrane-Seed"] == "42"


def test_tilejson_leads_to_tiles(server):
    url = local(urls(server, KINDS[0], query="recipe=continents&layer=relief&variant=base")[0])
    here = server.ask(filled(url, 12, 2047, 2050))
    there = server.ask(base_tile(42, 6, -1, 2, "png", layer="relief", recipe="continents"))
    assert here.status == 200 and here.body == there.body and "immutable" in here["Cache-Control"]
    assert server.ask(filled(url, 0, 0, 0)).status == 200
    assert server.ask(filled(url, 18, 262143, 262143), "HEAD").status == 200


@pytest.mark.parametrize("layer,enc,told", [
    ("height", None, "terrarium"), ("height", "mapbox", "mapbox"), ("height", "gray16", None),
    ("surface", "terrarium", "terrarium"), ("delta", "mapbox", "mapbox"), ("relief", None, None),
    ("normal", "mapbox", None), ("water", None, None)])
def test_encodings_are_told_where_there_are_heights(server, layer, enc, told):
    query = f"layer={layer}" + (f"&enc={enc}" if enc else "")
    value, _ = document(server, KINDS[0], query=query)
    assert value.get("encoding") == told
    assert server.ask(filled(local(value["tiles"][0]), 3, 1, 2), "HEAD").status == 200


@pytest.mark.parametrize("query,side,zoom,corner,other", [
    ("size=512", 512, 17, [-SIDE / 2, SIDE / 2], base_tile(42, 1, 0, 0, "png", size=512)),
    ("origin=-1,2", 256, 18, [-1.5 * SIDE, -1.5 * SIDE], base_tile(42, 0, -(2 ** 18), 2 ** 19, "png"))])
def test_tilejson_of_512_and_of_another_page(server, query, side, zoom, corner, other):
    value, _ = document(server, KINDS[0], query=f"{query}&variant=base&reg=corner")
    assert (value["tileSize"], value["maxzoom"], value["tileGrid"]["origin"]) == (side, zoom, corner)
    assert server.get(filled(local(value["tiles"][0]), zoom, 2 ** zoom // 2, 2 ** zoom // 2)).body == server.get(other).body


def test_style(server):
    style, _ = document(server, KINDS[1])
    assert style["version"] == 8
    kinds = {name: source["type"] for name, source in style["sources"].items()}
    assert sorted(kinds.values()) == ["raster", "raster-dem", "raster-dem", "vector"]
    assert kinds[style["terrain"]["source"]] == "raster-dem"
    shades = [layer["source"] for layer in style["layers"] if layer["type"] == "hillshade"]
    assert len(shades) == 1 and kinds[shades[0]] == "raster-dem" and shades[0] != style["terrain"]["source"]
    assert [layer["type"] for layer in style["layers"]] == ["background", "raster", "hillshade", "line", "line", "line", "symbol", "symbol"]
    drawn = style["layers"][3:]
    hidden = {layer["id"]: layer["layout"].get("visibility") == "none" for layer in drawn}
    assert hidden == {"contour": True, "river": False, "path": True, "label-along": False, "label": False}
    fields = {layer["id"]: layer["fields"] for layer in server.json("/xyz/42/vector.json")["vector_layers"]}
    for layer in drawn:
        said = json.dumps(layer)
        assert layer["source"] == "vectors" and set(re.findall('\\["(?:get|has)", "(.*?)"\\]', said)) <= set(fields[layer["source-layer"]])
        assert layer["type"] == "line" or layer["layout"]["text-field"] == ["get", "name"] and '"kind"' in said and '"rank"' in said
    assert style["terrain"]["exaggeration"] == pytest.approx(40075016.685578488 / SIDE, rel=1e-12)
    assert "sky" in style and "glyphs" not in style and "sprite" not in style
    vectors = style["sources"].pop("vectors")
    assert (vectors["minzoom"], vectors["maxzoom"]) == (1, 18) and set(query_of(vectors["tiles"][0])) == {"v"}
    assert server.ask(filled(local(vectors["tiles"][0]), 4, 8, 8), "HEAD")["Content-Type"] == "application/vnd.mapbox-vector-tile"
    for source in style["sources"].values():
        assert (source["minzoom"], source["maxzoom"], source["tileSize"]) == (0, 18, 256)
        assert server.ask(filled(local(source["tiles"][0]), 4, 8, 8), "HEAD").status == 200
        assert source["type"] == "raster" or source["encoding"] == "terrarium"
        assert query_of(source["tiles"][0])["layer"] == ("relief" if source["type"] == "raster" else "surface")


def test_styles_choose_their_picture_and_encoding(server):
    style, _ = document(server, KINDS[1], query="layer=normal&enc=mapbox&size=512")
    assert query_of(style["sources"]["picture"]["tiles"][0])["layer"] == "normal"
    assert "enc" not in query_of(style["sources"]["picture"]["tiles"][0])
    for name in ("terrain", "hillshade"):
        source = style["sources"][name]
        assert source["encoding"] == query_of(source["tiles"][0])["enc"] == "mapbox"
        assert (source["tileSize"], source["maxzoom"]) == (512, 17)


def test_layer(server):
    layer, _ = document(server, KINDS[2])
    assert (layer["format"], layer["scheme"], layer["projection"]) == ("quantized-mesh-1.0", "tms", "EPSG:4326")
    assert layer["extensions"] == ["octvertexnormals", "watermask", "metadata"]
    assert layer["metadataAvailability"] == 17  # CesiumJS fails where tiles have metadata and this is missing
    assert (layer["minzoom"], layer["maxzoom"], layer["bounds"]) == (0, 16, [-180, -90, 180, 90])
    assert layer["available"] == [[{"startX": 0, "startY": 0, "endX": 2 ** (z + 1) - 1, "endY": 2 ** z - 1}]
                                  for z in range(17)]
    assert layer["attribution"] and layer["version"] == f"{GENERATOR}.0.0"
    assert layer["tiles"] == [f"{{z}}/{{x}}/{{y}}.terrain?v={GENERATOR}&extensions=metadata"]
    for z in (0, 1, 16):
        x, y = layer["available"][z][0]["endX"], layer["available"][z][0]["endY"]
        target = urllib.parse.urljoin("/terrain/42/layer.json", filled(layer["tiles"][0], z, x, y))
        assert target.startswith("/terrain/42/") and server.ask(target, "HEAD").status == 200
        assert server.ask(target.replace(f"/{x}/{y}", f"/{x + 1}/{y}"), "HEAD").status == 404
        assert server.ask(target.replace(f"/{x}/{y}", f"/{x}/{y + 1}"), "HEAD").status == 404


def test_layer_hands_on(server):
    url = urls(server, KINDS[2], query="recipe=plain&layer=height&variant=base&size=33")[0]
    assert query_of(url) == {"v": str(GENERATOR), "recipe": "plain", "layer": "height", "variant": "base",
                             "size": "33", "extensions": "metadata"}
    assert server.ask("/terrain/42/" + filled(url, 3, 1, 1), "HEAD").status == 200
    assert "layer" not in query_of(urls(server, KINDS[2], query="layer=surface")[0])


@pytest.mark.parametrize("layer,bands,kind,ext", [
    ("path", 2, "Float32", "tif"), ("cave", 2, "Float32", "tif"),
    ("height", 1, "Float32", "tif"), ("normal", 3, "Float32", "tif"), ("flow", 1, "Float32", "tif"),
    ("relief", 3, "Byte", "png"), ("hillshade", 1, "Byte", "png")])
def test_gdal(server, layer, bands, kind, ext):
    told, answer = document(server, KINDS[3], query=f"recipe=whole&layer={layer}")
    assert answer.body.startswith(b"<GDAL_WMS>")  # by which GDAL knows it
    assert [values.get("NoData") for values in told.iter("DataValues")] == {"path": ["1048576"], "cave": ["-1048576"]}.get(layer, [])
    assert told.find("Service").get("name") == "TMS"
    assert told.findtext("BandsCount") == str(bands) and told.findtext("DataType") == kind
    assert f".{ext}?" in told.findtext("Service/ServerUrl")
    window = {child.tag: child.text for child in told.find("DataWindow")}
    half = 20037508.342789244
    corners = [float(window[name]) for name in ("UpperLeftX", "UpperLeftY", "LowerRightX", "LowerRightY")]
    assert corners == pytest.approx([-half, half, half, -half], abs=1e-6)
    assert [window[name] for name in ("TileLevel", "TileCountX", "TileCountY", "YOrigin")] == ["18", "1", "1", "top"]
    assert told.findtext("BlockSizeX") == told.findtext("BlockSizeY") == "256"
    assert told.findtext("Projection") == "EPSG:3857"


def test_gdal_reads_pictures(server, tmp_path):
    gdal = pytest.importorskip("osgeo.gdal")
    gdal.UseExceptions()
    answer = server.ask(KINDS[3].format("42") + "?layer=hillshade")
    path = tmp_path / "world.xml"
    path.write_bytes(answer.body.replace(HOST.encode(), server.url.encode()))
    dataset = gdal.Open(str(path))
    assert dataset.RasterXSize == dataset.RasterYSize == SIDE
    band = dataset.GetRasterBand(1).GetOverview(7)  # z 10
    assert band.XSize == 2 ** 18
    block = band.ReadAsArray(256 * 511, 256 * 514, 256, 256)
    expected = from_png(server.get("/tile/42/8/-1/2.png?layer=hillshade").body)
    assert np.array_equal(block, expected)
    for layer, none in (("path", 1048576), ("cave", -1048576)):
        path.write_bytes(server.get(KINDS[3].format("42") + f"?layer={layer}&recipe=whole").body)
        assert gdal.Open(str(path)).GetRasterBand(2).GetNoDataValue() == none


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed,path", [("0x2A", "42"), ("atlantis", HASHED), ("alps", "alps"),
    ("18446744073709551615", "18446744073709551615")])
def test_worlds_keep_names_that_the_configuration_gives(server, kind, seed, path):
    found = urls(server, kind, seed=seed)
    for url in found:
        assert kind == KINDS[2] or f"/xyz/{path}/" in url
    if kind != KINDS[3]:
        told, answer = document(server, kind, seed=seed)
        world = told["metadata"]["terrane:world"] if "metadata" in told else told["terrane"]
        assert isinstance(world["seed"], str) and world["seed"] == answer["Terrane-Seed"]


@pytest.mark.parametrize("kind", KINDS)
def test_recipes_variants_and_versions_are_handed_on(server, kind):
    for url in urls(server, kind, seed="alps", query="recipe=plain&variant=base"):
        assert query_of(url)["recipe"] == "plain" and query_of(url)["variant"] == "base"
        assert query_of(url)["v"] == str(GENERATOR)
        assert kind == KINDS[2] or "/xyz/42/" in url  # the recipe is said: the name adds nothing
    for url in urls(server, kind, query=f"v={GENERATOR}&nonsense=1"):
        assert set(query_of(url)) <= {"v", "layer", "reg", "extensions"}


def test_named_worlds_bring_their_recipes(launch):
    server = launch(config={"worlds": {"named": {"peaks": {"seed": "7", "recipe": "plain"}}, "open": False}})
    url = local(urls(server, KINDS[0], seed="peaks")[0])
    assert "recipe" not in query_of(url)
    assert server.get(filled(url, 9, 3, 3), status=200)
    for kind in KINDS:
        assert server.ask(kind.format("peaks")).status == 200
        server.ask(kind.format("7")).problem(404, "seed")


def test_http_1_0_without_a_host(server):
    with server.connect() as connection:
        connection.send(b"GET /xyz/42/tile.json HTTP/1.0\r\n\r\n")
        head, _, body = connection.receive_end().partition(b"\r\n\r\n")
    assert b" 200 " in head.split(b"\r\n")[0] and json.loads(body)["tiles"][0].startswith("/xyz/42/")


FORWARDED = [("X-Forwarded-Host", "maps.example"), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Prefix", "/terrane")]


def test_nobody_is_trusted_by_default(server):
    for kind in KINDS:
        plain, _ = document(server, kind)
        value, answer = document(server, kind, headers=FORWARDED)
        assert templates(value) == templates(plain) and answer["Vary"] == "Accept-Encoding"


def test_trusted_proxies_say_where(launch):
    server = launch(config={"http": {"trusted_proxies": ["127.0.0.1"]}})
    for kind in KINDS[:2] + KINDS[3:]:
        value, answer = document(server, kind, headers=FORWARDED)
        assert all(url.startswith("https://maps.example/terrane/xyz/42/") for url in templates(value))
        assert {name.strip() for name in answer["Vary"].split(",")} == {"Accept-Encoding", *(name for name, _ in FORWARDED)}
        again = server.ask(kind.format(42), headers=[*FORWARDED, ("If-None-Match", answer["ETag"])])
        assert again.status == 304 and again["Vary"] == answer["Vary"]
    assert urls(server, KINDS[0])[0].startswith(HOST + "/xyz/42/")
    several = [("X-Forwarded-Host", "evil.example"), ("X-Forwarded-Host", "maps.example")]
    assert urls(server, KINDS[0], headers=several)[0].startswith("http://maps.example/xyz/42/")
    odd = [("X-Forwarded-Host", "<script>"), ("X-Forwarded-Proto", "gopher"), ("X-Forwarded-Prefix", "//evil.example")]
    assert urls(server, KINDS[0], headers=odd)[0].startswith(HOST + "/xyz/42/")


def test_the_outermost_trusted_proxy_says_where(launch):
    """Each of two has added its word to the lists; what stands left of theirs is the client's own."""
    server = launch(config={"http": {"trusted_proxies": ["127.0.0.1", "10.0.0.0/8"]}})
    chain = [("X-Forwarded-For", "203.0.113.9, 10.1.1.1"), ("X-Forwarded-Proto", "http, https, http"),
             ("X-Forwarded-Host", "evil.example, maps.example"), ("X-Forwarded-Host", "inner.example"), ("X-Forwarded-Prefix", "/terrane")]
    assert urls(server, KINDS[0], headers=chain)[0].startswith("https://maps.example/terrane/xyz/42/")


def paths_in(value):
    """Every string that is a path of this server: others are of terms."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [value] if isinstance(value, str) and re.match("(/terrane)?/(tile|world|downstream)/", value) else [path for item in items for path in paths_in(item)]


def test_every_path_that_is_sent_keeps_the_prefix(launch):
    server = launch(config={"http": {"trusted_proxies": ["127.0.0.1"]}})
    prefix = FORWARDED[2:]
    kept = {"/tile/42/12/0/0.json?variant=base": None, "/world/42": None, "/point/42?x=1&y=2&lod=12&variant=base": None,
            "/tiles": {"tiles": ["/tile/42/12/0/0.json?variant=base"]}, "/point/42?lod=12&variant=base": {"places": [[1, 2]]},
            "/prefetch": {"seed": "42", "position": [0, 0], "view_distance": 900, "variant": "base"}}
    for target, body in kept.items():
        method, sent = ("POST", json.dumps(body).encode()) if body else ("GET", b"")
        plain, answer, again = (server.ask(target, method, headers, sent) for headers in ([], prefix, prefix))
        texts = [one.body[12:-12] if target == "/tiles" else one.body for one in (plain, answer, again)]
        assert texts[2] == texts[1] or target == "/prefetch"
        before, after = (paths_in(json.loads(text)) for text in texts[:2])
        assert before and after == ["/terrane" + path for path in before], target
        if method == "GET":
            assert answer["ETag"] != plain["ETag"] and all("X-Forwarded-Prefix" in one["Vary"] for one in (plain, answer))
            assert server.ask(target, headers=[*prefix, ("If-None-Match", answer["ETag"])]).status == 304
            assert server.ask(target, headers=[*prefix, ("If-None-Match", plain["ETag"])]).status == 200
            assert server.ask(target, "HEAD", headers=prefix)["ETag"] == answer["ETag"]
    described = server.ask("/openapi.json", headers=prefix)
    assert json.loads(described.body)["servers"][0]["url"] == "/terrane/" and "X-Forwarded-Prefix" in described["Vary"]
    assert server.json("/openapi.json")["servers"][0]["url"] == "/"


def test_https(launch, tmp_path):
    pair = certificate(tmp_path, "one")
    server = launch(config={"http": {"tls": {"certificate": str(pair[0]), "key": str(pair[1])}}})
    with Connection(server.public, tls=pair[0]) as connection:
        assert urls(connection, KINDS[0])[0].startswith("https://terrane.test/xyz/42/")


@pytest.mark.parametrize("kind", KINDS)
def test_documents_live_a_minute(server, kind):
    value, answer = document(server, kind)
    assert answer["Cache-Control"] == "public, max-age=60" and answer["Vary"] == "Accept-Encoding"
    assert answer["Access-Control-Allow-Origin"] == "*"
    tags = {document(server, kind, seed=seed, query=query)[1]["ETag"]
            for seed, query in (("42", ""), ("43", ""), ("42", "recipe=plain"), ("42", "variant=base"))}
    assert len(tags) == 4
    pinned = document(server, kind, query=f"v={GENERATOR}")[1]
    assert pinned["Cache-Control"] == "public, max-age=60"


KEY = "maps-key-~!?&=#\"<0123"


def test_keys_are_handed_on(launch, tmp_path):
    server = launch(config={"access": {"keys_file": keys_file(tmp_path, (KEY, "maps", {})), "required": True}})
    quoted = urllib.parse.quote(KEY, safe="")
    for kind in KINDS:
        assert server.ask(kind.format(42)).status == 401
        value, answer = document(server, kind, query=f"key={quoted}")
        assert answer["Cache-Control"] == "private, max-age=60"
        for url in templates(value):
            assert query_of(url)["key"] == KEY
            target = "/terrain/42/" + url if kind == KINDS[2] else local(url)
            assert server.ask(filled(target, 2, 1, 1), "HEAD").status == 200
        value, answer = document(server, kind, headers=[("X-Api-Key", KEY)])
        assert all("key" not in query_of(url) for url in templates(value))
        assert answer["Cache-Control"] == "private, max-age=60" and KEY.encode() not in answer.body


def test_keys_that_open_nothing_are_not(server):
    for kind in KINDS:
        value, answer = document(server, kind, query="key=nobody-s-key-at-all")
        assert all("key" not in query_of(url) for url in templates(value))
        assert answer["Cache-Control"] == "public, max-age=60"


@in_less_than(60)
def test_documents_take_tokens(launch):
    server = launch(config={"limits": {"tiles_per_minute": 1, "tiles_burst": 4}})
    with server.connect() as connection:
        tags = [document(connection, kind)[1]["ETag"] for kind in KINDS]
        for kind, tag in zip(KINDS, tags):
            assert connection.ask(kind.format(42), headers=[("If-None-Match", tag)]).status == 304
            assert connection.ask(kind.format(42)).status == 429
    assert server.renders() in SPAWN_RENDERS


def test_spawns_are_looked_for_once(launch, tmp_path):
    server = launch(cache=tmp_path / "cache")
    first = server.json("/world/42")["spawn"]
    made = server.renders()
    assert made in SPAWN_RENDERS
    coarse = server.json("/world/42?spawn=coarse")["spawn"]
    assert coarse != first and math.dist((coarse["x"], coarse["y"]), (first["x"], first["y"])) < 16 * 256
    assert json.loads(server.get("/world/42?spawn=fine", status=400).body)["parameter"] == "spawn"
    for kind in KINDS[:3]:
        document(server, kind)
    assert server.renders() == made
    server.stop()
    again = launch(cache=tmp_path / "cache")
    assert again.json("/world/42?spawn=coarse")["spawn"] == coarse
    assert again.json("/world/42")["spawn"] == first and again.renders() == 0
