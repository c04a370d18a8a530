"""The interface description (server/http/openapi.json): it is true of the server.

Requests are built from the document: its examples succeed, every value of every enumeration is taken, and for every
parameter a wrong one is answered as declared. Whatever is answered on the way has a status, a type and headers that the
document declares.
"""

import json
import pathlib

import pytest
from http_openapi import DOCUMENT, KEY, METHODS, NAMED, OPERATIONS, call, check_answer, example_of, first_query, look_up, needs_token, parameters_of, plain_body, servers_of
from http_operator import TOKEN, bearer, keys_file, token_file
from http_server import ALL_FORMATS, LAYERS, PLAIN_FILE, TILE_MAX, TILE_MIN, book, has, run
from test_entries import worlds  # noqa: F401


@pytest.fixture(scope="module")
def small(worlds, tmp_path_factory):
    """A default world that erodes briefly and has all that there is; and one that people change."""
    shared = tmp_path_factory.mktemp("shared")
    for name, recipe in (("commons", PLAIN_FILE), ("streams", pathlib.Path(worlds["worlds"]["dir"], "brooks.json"))):
        assert run("world", "create", name, "--seed", 42, "--recipe", recipe, "--dir", shared).returncode == 0
    return {"worlds": {**worlds["worlds"], "default": "small", "shared_dir": str(shared)},
            "http": {"trusted_proxies": ["127.0.0.1"]},
            "access": {"keys_file": keys_file(shared, (KEY, "digger", {"edit": True, "follow": True}))}}


@pytest.fixture(scope="module")
def server(stay, small):
    return stay(config=small)


@pytest.fixture(scope="module")
def operated(stay, small, tmp_path_factory):
    """A server whose admin listener changes things for who knows the token."""
    worlds = {name: value for name, value in small["worlds"].items() if name != "shared_dir"}  # one server has it
    return stay(config={"worlds": worlds, "access": {"admin_token_file": token_file(tmp_path_factory.mktemp("admin"))}})


@pytest.fixture
def asked(request):
    """asked(operation) is a server that allows it."""
    return lambda operation: request.getfixturevalue("operated" if needs_token(operation) else "server")


WITHOUT_TAGS = {"getEvents", "getLog", "getWorlds", "getTileStatus", "getTileStatusNegotiated", "getEdits", "getMarks", "getHealth", "getReady", "getMetrics", "getStats", "getLogLevel"}
GOOD = {"get": {200}, "head": {200}, "options": {204}, "post": {200, 201, 202}, "put": {200}}


@pytest.mark.parametrize("path,method,operation", NAMED)
def test_examples_succeed(asked, path, method, operation):
    answer = call(asked(operation), path, method, operation, first_query(path, operation))
    assert answer.status in GOOD[method], (answer.status, answer.body)
    for url in servers_of(path)[1:]:  # on the other listener, too
        assert url != "/" and asked(operation).ask(path, admin=True).status in (200, 503)


QUERIES = [pytest.param(path, method, operation, parameter, id=f"{operation['operationId']}-{parameter['name']}")
           for path, method, operation in OPERATIONS if method not in ("head", "options")  # HEAD reads its words as GET does
           for parameter in parameters_of(path, operation) if parameter["in"] == "query"]


def is_tile(path):
    return any(parameter["name"] == "x" for parameter in parameters_of(path, {}))


def around(path, name, value):
    """Values of other parameters without which this one is refused: in the path, in the query, and headers."""
    values = {"size": {"lod": 5, "z": 15 if path.endswith(".subtree") else 16, "x": 3, "y": 4}}.get(name, {})
    extra = {"size": 9} if name in ("layer", "variant", "enc") and is_tile(path) else {}
    if name == "at":
        return {"seed": "streams"}, extra, []
    if name == "bands":
        return values, {**extra, "layer": "cover"}, []
    if value == "quantised" or name == "texture":
        return {**values, "ext": "glb"}, extra, [("Accept", "model/gltf-binary")]
    return values, extra, []


def beside(operation, name):
    """Query parameters that this one needs beside it."""
    if operation["operationId"].endswith(("Downstream", "Find")):
        return {"recipe": "brooks"} if name != "at" else {}
    return {"seed": 42} if operation["operationId"] == "postPurge" and name == "recipe" else {}


@pytest.mark.parametrize("path,method,operation,parameter", QUERIES)
def test_queries_take_what_they_list(asked, path, method, operation, parameter):
    name, schema = parameter["name"], look_up(parameter["schema"])
    for value in schema.get("enum", [example_of(parameter)]):
        values, extra, headers = around(path, name, value)
        answer = call(asked(operation), path, method, operation,
                      {**beside(operation, name), **extra, name: value}, headers, **values)
        assert answer.status in GOOD[method], (value, answer.status, answer.body)


WRONG = {"layer": 400, "variant": 400, "enc": 400, "size": 400, "recipe": 404, "v": 410, "seed": 400, "all": 400,
         "level": 400, "lod": 404, "z": 404, "x": 404, "y": 404, "ext": 400, "origin": 404, "x0": 404, "y0": 404,
         "w": 413, "h": 413, "file": 404, "name": 404, "extensions": 400, "crs": 400, "reg": 400, "texture": 400,
         "bands": 400, "what": 400, "limit": 400, "spawn": 400, "since": 400, "box": 400, "at": 404, "epoch": 400}
WRONG_VALUE = {"at": 1, "recipe": "no-such-recipe", "v": 999999, "lod": 25, "z": 19, "x": TILE_MAX + 1, "y": TILE_MIN - 1,
               "origin": "4194304,0", "x0": 2 ** 48, "y0": -(2 ** 48) - 1, "w": 4098, "h": 99999999999999999999}


def wrong(path, name):
    """A well-formed value that is refused, and how."""
    value = WRONG_VALUE.get(name, "wrong value")
    if name == "y" and path.startswith(("/xyz", "/terrain", "/3dtiles")):
        value = TILE_MAX + 1  # their numbers have no sign
    if name in ("x", "y") and path.startswith(("/point", "/downstream", "/find")):
        value = 2 ** 60  # metres
    return value, WRONG[name]


@pytest.mark.parametrize("path,method,operation,parameter", QUERIES)
def test_queries_refuse_what_is_wrong(asked, path, method, operation, parameter):
    name = parameter["name"]
    for value, status in (wrong(path, name), ("wrong value", 400), ("", 400)):
        answer = call(asked(operation), path, method, operation, {**beside(operation, name), name: value})
        assert answer.status == status, (value, answer.status, answer.body)
        assert json.loads(answer.body)["parameter"] == name


PLACES = [pytest.param(path, method, operation, parameter, id=f"{operation['operationId']}-{parameter['name']}")
          for path, method, operation in OPERATIONS if method != "head"
          for parameter in parameters_of(path, operation) if parameter["in"] == "path"]


@pytest.mark.parametrize("path,method,operation,parameter", PLACES)
def test_places_in_paths(asked, path, method, operation, parameter):
    name, schema = parameter["name"], look_up(parameter["schema"])
    low, high = (example_of(parameter),) * 2 if name in ("file", "name") else ("0x2A", "atlantis")
    good = schema.get("enum", [schema.get("minimum", low), schema.get("maximum", high)])
    for value in good:
        others = {"x": 0, "y": 0} if name == "z" else {}  # which there are at every z
        extra = {"geojson": {"layer": "path"}, "bin": {"layer": "objects"}, "rgba8": {"layer": "cover"}}.get(value, {})
        answer = call(asked(operation), path, method, operation,
                      {**first_query(path, operation), **extra, **({"size": 3} if is_tile(path) else {})},
                      **{**others, name: value})
        again = {409} if path.endswith("/undo") else set()  # of what is undone already
        assert answer.status in GOOD[method] | again, (value, answer.status, answer.body)
    if method == "options":
        return  # asks for the path's methods, whichever tile it is
    for value, status in (wrong(path, name), ("wrong value", 404 if name in ("file", "name") else 400)):
        answer = call(asked(operation), path, method, operation, **{name: value})
        assert answer.status == status, (value, answer.status, answer.body)
        assert json.loads(answer.body)["parameter"] == ("path" if name == "file" else name)


def test_every_layer_in_every_format(server):
    """What the schemas cannot say: which layers have which formats."""
    path = "/tile/{seed}/{lod}/{x}/{y}.{ext}"
    operation = DOCUMENT["paths"][path]["get"]
    for layer in LAYERS:
        for ext in ALL_FORMATS:
            answer = call(server, path, "get", operation, {"layer": layer, "size": 9}, ext=ext)
            assert answer.status == (200 if has(layer, ext) else 400), (layer, ext)


@pytest.mark.parametrize("path", DOCUMENT["paths"])
def test_other_methods_are_refused_as_described(asked, path):
    """On both listeners; OPTIONS tells which ones there are."""
    item = DOCUMENT["paths"][path]
    operation, known = item.get("get") or item["post"], set(item) & set(METHODS)
    for method in {"get", "head", "post", "put", "delete", "patch", "brew", "options"} - known | {"options"}:
        answer = call(asked(operation), path, method, item.get(method, operation))
        assert answer.status == (204 if method == "options" else 405), method
        assert {word.strip().lower() for word in answer["Allow"].split(",")} == known, method


@pytest.mark.parametrize("path,method,operation", NAMED)
def test_what_no_operation_takes(asked, path, method, operation):
    """Long targets, large headers, hosts that are none."""
    server = asked(operation)
    answer = call(server, path, method, operation, {**first_query(path, operation), "a": "b" * 3000})
    assert answer.status == 414
    answer = call(server, path, method, operation, first_query(path, operation), [("X-Padding", "a" * 60000)])
    assert answer.status == 431


RECIPES = ["brooks", "whole"]  # little and all that there is
DOCUMENTS = [path for path, method, operation in OPERATIONS if method == "get" and any(
    kind.endswith("json") for kind in look_up(operation["responses"]["200"]).get("content", {}))]


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_json_has_what_is_declared_and_no_more(server, recipe):
    """Whatever a recipe has, erodes or lacks; call() looks at each answer."""
    for path in DOCUMENTS:
        operation = DOCUMENT["paths"][path]["get"]
        names = {parameter["name"] for parameter in parameters_of(path, operation)}
        if "recipe" not in names or path.startswith("/downstream"):  # which they have not
            continue
        tiles = "ext" in names or path == "/tile/{seed}/{lod}/{x}/{y}"
        few = path.startswith(("/terrain/", "/3dtiles/")) or path.endswith("/vector.json") or (path.startswith("/xyz/") and "x" in names)  # meshes; and what /tile says
        for layer in ("height", "surface") if few else LAYERS if "layer" in names else [None]:
            query = {"recipe": recipe, **({"layer": layer} if layer else {}), **({"size": 9} if tiles else {})}
            answer = call(server, path, "get", operation, query, [("Accept", "application/json")],
                          **({"ext": "json", "lod": 14, "x": 1, "y": 1, "z": 4} if "x" in names else {}))
            assert answer.status == 200 and answer["Content-Type"].endswith("json"), path
    path = "/point/{seed}"
    body = {"places": [[0, 0], [120.5, -3], [1e300, 0]]}
    told = call(server, path, "post", DOCUMENT["paths"][path]["post"], {"recipe": recipe}, body=json.dumps(body).encode())
    assert len(json.loads(told.body)["places"]) == 3


@pytest.mark.parametrize("prefix", ["", "/terrane"])
def test_paths_of_tiles_have_names_and_prefixes(server, prefix):
    """Of a world that people change, behind a proxy: call() holds them against the schema."""
    headers = [("X-Forwarded-Prefix", prefix)] if prefix else []
    place = call(server, "/point/{seed}", "get", DOCUMENT["paths"]["/point/{seed}"]["get"], headers=headers, seed="commons")
    body = {"seed": "commons", "position": [0, 0], "view_distance": 900}
    plan = call(server, "/prefetch", "post", DOCUMENT["paths"]["/prefetch"]["post"], headers=headers, body=json.dumps(body).encode())
    for path in (json.loads(place.body)["tile"]["url"], *json.loads(plan.body)["tiles"]):
        assert path.startswith(f"{prefix}/tile/commons/") and "recipe=" not in path


def test_caves_lines_and_shores_are_declared(server):
    """Where a tile's json has all that there may be."""
    path, _, operation = tile_operation()
    caves = json.loads(call(server, path, "get", operation, {"recipe": "whole", "layer": "cave"}, ext="json", lod=2, x=1, y=1).body)
    assert caves["caves"] and caves["paths"] and caves["carved"]
    none = json.loads(call(server, path, "get", operation, {"recipe": "whole", "layer": "cave"}, ext="json", lod=9, x=1, y=1).body)
    assert none["caves"] == [] and none["values"][0]["min"] is None
    lines = call(server, path, "get", operation, {"recipe": "whole", "layer": "path"}, ext="geojson", lod=2, x=1, y=1)
    assert json.loads(lines.body)["features"]


def test_rivers_are_told(launch, tmp_path):
    """As the recipe says them, and ice: runoff is a number or a term's name. They make a world of their own."""
    rivers = {"top": 11, "bottom": 5, "steepness": 8.0, "rise": 0.5, "concavity": 0.5, "cut_m": 64.0, "fill": 0.25, "shallow_m": 2.0,
              "sources_ha": 4.0, "inland_km": 32.0, "width": 5.0, "depth": 0.5}
    recipe = {"terms": {"f": {"fractal": "fbm"}}, "height": 1}
    ice = {"width_m": 300.0, "from_m": -5.0, "full_m": 900.0}
    recipes = {"dry": recipe, "even": {**recipe, "rivers": {**rivers, "runoff": 250}}, "term": {**recipe, "rivers": {**rivers, "runoff": "f"}, "ice": ice}}
    server, path = launch(config={"worlds": book(tmp_path, recipes)}), "/world/{seed}"
    dry, even, term = (json.loads(call(server, path, "get", DOCUMENT["paths"][path]["get"], {"recipe": name}).body)
                       for name in ("dry", "even", "term"))
    assert "rivers" not in dry and even["rivers"] == {**rivers, "runoff": 250} and term["rivers"] == {**rivers, "runoff": "f"}
    assert "ice" not in even and term["ice"] == ice
    assert len({dry["world"], even["world"], term["world"]}) == 3 and term["terms"] == ["f", "height"]


def tile_operation(method="get"):
    path = "/tile/{seed}/{lod}/{x}/{y}.{ext}"
    return path, method, DOCUMENT["paths"][path][method]


@pytest.mark.parametrize("path,operation", [pytest.param(path, item["get"], id=path) for path, item in DOCUMENT["paths"].items() if "get" in item])
def test_what_is_known_is_not_sent_again(asked, path, operation):
    """HEAD tells the tag of what GET sends, which brings 304 and nothing else; compressed it is the same under a tag of its own."""
    def ask(method="get", *headers):
        return call(asked(operation), path, method, DOCUMENT["paths"][path][method], first_query(path, operation), headers)

    plain = ask()
    if "ETag" not in plain:
        assert operation["operationId"] in WITHOUT_TAGS
        return
    coded = ask("get", ("Accept-Encoding", "gzip"))
    assert plain_body(coded) == plain.body
    assert coded["ETag"] != plain["ETag"] or "Content-Encoding" not in coded or plain["ETag"].startswith("W/")
    for one, coding in ((plain, "identity"), (coded, "gzip")):
        head, known = ask("head", ("Accept-Encoding", coding)), ask("get", ("Accept-Encoding", coding), ("If-None-Match", one["ETag"]))
        assert (head.status, known.status, known.body) == (200, 304, b"") and head["ETag"] == known["ETag"] == one["ETag"]
        assert "Vary" not in one or one["Vary"] == head["Vary"] == known["Vary"]


def test_ranges(server):
    answer = call(server, *tile_operation(), ext="f32")
    part = call(server, *tile_operation(), headers=[("Range", "bytes=0-99")], ext="f32")
    assert part.status == 206 and part.body == answer.body[:100]
    assert call(server, *tile_operation(), headers=[("Range", "bytes=99999999-")], ext="f32").status == 416
    stale = call(server, *tile_operation(), headers=[("Range", "bytes=0-99"), ("If-Range", '"old"')], ext="f32")
    assert stale.status == 200


@pytest.mark.parametrize("path", ["/terrain/{seed}/{z}/{x}/{y}.terrain", "/3dtiles/{seed}/{z}/{x}/{y}.glb", "/3dtiles/{seed}/{z}/{x}/{y}.subtree"])
def test_ranges_of_meshes(server, path):
    def ask(*headers, method="get"):
        return call(server, path, method, DOCUMENT["paths"][path][method], headers=headers, z=15, x=16383, y=16382)
    whole, first = ask(), ("Range", "bytes=0-9")
    part = ask(first)
    assert part.status == 206 and part.body == whole.body[:10] and ask(("Range", "bytes=99999999-")).status == 416
    assert ask(first, ("If-Range", '"old"')).status == 200 and ask(first, method="head").status in (200, 206)


def test_the_server_has_the_document(server):
    answer = server.get("/openapi.json")
    assert answer["Content-Type"] == "application/json"
    assert json.loads(answer.body) == DOCUMENT


WRONG_TOKENS = [
    [], *(bearer(token) for token in ("", "wrong-token-of-sixteen", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), f" {TOKEN} x", "x" * len(TOKEN))),
    [("X-Api-Key", TOKEN)], [("Authorization", f"Basic {TOKEN}")], [("Authorization", TOKEN)]]


@pytest.mark.parametrize("path,method,operation", [p for p in NAMED if needs_token(p.values[2])])
def test_changes_need_the_token(server, operated, path, method, operation):
    target = path + ("?level=info" if path == "/log-level" else "?all=1" if path == "/purge" else "")

    def ask(asked, given):
        answer = asked.ask(target, method.upper(), [("Content-Length", "0"), *given], admin=True)
        check_answer(method, operation, answer)
        assert answer["Cache-Control"] == "no-store" and TOKEN.encode() not in answer.body
        return answer
    for given in WRONG_TOKENS:
        answer = ask(operated, given)
        assert answer.status == 401 and answer["WWW-Authenticate"].startswith("Bearer"), given
    assert ask(operated, bearer(TOKEN)).status == 200
    assert ask(server, []).status == 403  # no token is configured
