"""The interface description (server/http/openapi.json): it is sound, and it is true of the server.

Requests are built from the document: its examples succeed, every value of every enumeration is taken, and for every
parameter a wrong one is answered as declared. Whatever is answered on the way has a status, a type and headers that the
document declares.
"""

import gzip
import json
import re
import urllib.parse

import jsonschema
import pytest
from http_client import request_bytes
from http_operator import TOKEN, bearer, keys_file, token_file
from http_server import ALL_FORMATS, ENCS, GENERATOR, LAYERS, PLAIN_FILE, ROOT, TILE_MAX, TILE_MIN, has, run
from test_entries import worlds  # noqa: F401

def filled(text):
    """The document with the version and the members of the kinds in their places."""
    version = re.search(r'TERRANE_VERSION "(.*?)"', (ROOT / "lib/terrane.h").read_text())[1]
    for mark, words in (("version", [version]), ("layers", LAYERS), ("formats", ALL_FORMATS)):
        text = text.replace(f'"${mark}"', ", ".join(f'"{word}"' for word in words)).replace(f"${mark}", "|".join(words))
    return json.loads(text)


DOCUMENT = filled((ROOT / "server/http/openapi.json").read_text())
KEY = "digger-s-key-0123456789"
METHODS = ("get", "head", "options", "post", "put", "delete", "patch", "trace")
SIZES = sorted([2 ** k for k in range(1, 10)] + [2 ** k + 1 for k in range(1, 9)])
ALL_ENCS = [*dict.fromkeys([*ENCS, "quantised"])]


# Of the protocol, not of an operation.
PLAIN_HEADERS = {"date", "content-length", "content-type", "connection", "transfer-encoding", "keep-alive"}

# What this document uses of OpenAPI 3.1; names that are not here are mistakes.
REFERENCE = {"type": "object", "required": ["$ref"], "properties": {"$ref": {"pattern": "^#/components/"}},
             "maxProperties": 1}


def either(name):
    return {"if": {"required": ["$ref"]}, "then": REFERENCE, "else": {"$ref": f"#/$defs/{name}"}}


def closed(properties, required=()):
    return {"type": "object", "required": list(required), "additionalProperties": False, "properties": properties}


def each(schema, names="."):
    return {"type": "object", "patternProperties": {names: schema}, "additionalProperties": False}


TEXT = {"type": "string", "minLength": 1}
SCHEMA = {
    **closed({
        "openapi": {"pattern": r"^3\.1\.\d+$"},
        "info": closed({"title": TEXT, "version": TEXT, "summary": TEXT, "description": TEXT,
                        "license": closed({"name": TEXT, "identifier": TEXT}, ["name"])}, ["title", "version"]),
        "servers": {"$ref": "#/$defs/servers"},
        "security": {"$ref": "#/$defs/security"},
        "tags": {"type": "array", "items": closed({"name": TEXT, "description": TEXT}, ["name"])},
        "paths": each({"$ref": "#/$defs/item"}, "^/"),
        "components": closed({
            "schemas": each({"type": "object"}, r"^[\w.-]+$"),
            "parameters": each({"$ref": "#/$defs/parameter"}, r"^[\w.-]+$"),
            "headers": each({"$ref": "#/$defs/header"}, r"^[\w.-]+$"),
            "responses": each({"$ref": "#/$defs/response"}, r"^[\w.-]+$"),
            "securitySchemes": each({"$ref": "#/$defs/scheme"}, r"^[\w.-]+$"),
        }),
    }, ["openapi", "info", "paths"]),
    "$defs": {
        "servers": {"type": "array", "minItems": 1,
                    "items": closed({"url": TEXT, "description": TEXT}, ["url"])},
        "security": {"type": "array", "items": each({"type": "array", "items": TEXT})},
        "item": closed({"parameters": {"$ref": "#/$defs/parameters"}, "servers": {"$ref": "#/$defs/servers"},
                        **{method: {"$ref": "#/$defs/operation"} for method in METHODS}}),
        "parameters": {"type": "array", "items": either("parameter")},
        "operation": closed({
            "operationId": {"pattern": r"^[a-z][A-Za-z]*$"}, "tags": {"type": "array", "items": TEXT},
            "summary": TEXT, "description": TEXT, "parameters": {"$ref": "#/$defs/parameters"},
            "security": {"$ref": "#/$defs/security"},
            "requestBody": closed({"required": {"type": "boolean"}, "description": TEXT,
                                   "content": {"$ref": "#/$defs/content"}}, ["content"]),
            "responses": {**each(either("response"), "^[1-5][0-9][0-9]$"), "minProperties": 1},
        }, ["operationId", "summary", "tags", "responses"]),
        "parameter": {**closed({"name": TEXT, "in": {"enum": ["path", "query", "header"]}, "description": TEXT,
                                "required": {"type": "boolean"}, "schema": {"type": "object"}, "example": {}},
                               ["name", "in", "schema", "description"]),
                      "if": {"properties": {"in": {"const": "path"}}},
                      "then": {"required": ["required"], "properties": {"required": {"const": True}}}},
        "header": closed({"description": TEXT, "schema": {"type": "object"}}, ["schema", "description"]),
        "response": closed({"description": TEXT, "headers": each(either("header")),
                            "content": {"$ref": "#/$defs/content"}}, ["description"]),
        "content": {**each(closed({"schema": {"type": "object"}, "example": {}}, ["schema"]), "^[a-z]+/[a-z0-9.+-]+$"),
                    "minProperties": 1},
        "scheme": {"oneOf": [
            closed({"type": {"const": "http"}, "scheme": {"const": "bearer"}, "description": TEXT},
                   ["type", "scheme"]),
            closed({"type": {"const": "apiKey"}, "in": {"enum": ["header", "query"]}, "name": TEXT,
                    "description": TEXT}, ["type", "in", "name"])]},
    },
}


# ---- The document ------------------------------------------------------------------------------------------


def look_up(value):
    """What a reference refers to; anything else itself."""
    while isinstance(value, dict) and "$ref" in value:
        found = DOCUMENT
        for part in value["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        value = found
    return value


def walk(value):
    yield value
    if isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from walk(inner)


RESOLVER = jsonschema.RefResolver("", DOCUMENT)  # one, which knows what it looked up before


def check_value(schema, value):
    jsonschema.Draft202012Validator(schema, resolver=RESOLVER).validate(value)


def undeclared(schema, value, where="answer"):
    """Members of an answer that no schema names, each by its place."""
    schema = look_up(schema)
    for part in schema.get("allOf", []):
        schema = {**schema, "properties": {**look_up(part).get("properties", {}), **schema.get("properties", {})}}
    fitting = [part for part in schema.get("oneOf", schema.get("anyOf", [])) if fits(part, value)]
    if fitting:
        yield from min((list(undeclared(part, value, where)) for part in fitting), key=len)
    elif isinstance(value, dict):
        for name, inner in value.items():
            pattern = next((s for p, s in schema.get("patternProperties", {}).items() if re.search(p, name)), None)
            of = schema.get("properties", {}).get(name, pattern or schema.get("additionalProperties", False))
            if of is False:
                yield f"{where}.{name}"
            elif of is not True:
                yield from undeclared(of, inner, f"{where}.{name}")
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            of = (schema.get("prefixItems", []) + [schema.get("items", {})] * len(value))[i]
            yield from undeclared(of, inner, f"{where}[{i}]")


def fits(schema, value):
    return jsonschema.Draft202012Validator(schema, resolver=RESOLVER).is_valid(value)


OPERATIONS = [(path, method, item[method]) for path, item in DOCUMENT["paths"].items()
              for method in METHODS if method in item]
NAMED = [pytest.param(*operation, id=operation[2]["operationId"]) for operation in OPERATIONS]


def parameters_of(path, operation):
    return [look_up(p) for p in DOCUMENT["paths"][path].get("parameters", []) + operation.get("parameters", [])]


def servers_of(path):
    return [server["url"] for server in DOCUMENT["paths"][path].get("servers", DOCUMENT["servers"])]


def is_admin(path):
    return "/" not in servers_of(path)


def needs_token(operation):
    return any("adminToken" in given for given in operation.get("security", []))


def test_the_document_is_openapi():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA).validate(DOCUMENT)


def test_references_resolve_and_all_components_are_used():
    used = {value["$ref"] for value in walk(DOCUMENT) if isinstance(value, dict) and "$ref" in value}
    for reference in used:
        look_up({"$ref": reference})
    for kind, members in DOCUMENT["components"].items():
        if kind != "securitySchemes":
            assert {f"#/components/{kind}/{name}" for name in members} <= used


def test_schemas_are_schemas():
    for value in walk(DOCUMENT):
        if isinstance(value, dict) and isinstance(value.get("schema"), dict):
            jsonschema.Draft202012Validator.check_schema(value["schema"])
    for schema in DOCUMENT["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_operations_have_names_of_their_own():
    names = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(names) == len(set(names)) > 20
    tags = {tag["name"] for tag in DOCUMENT["tags"]}
    assert all(set(operation["tags"]) <= tags for _, _, operation in OPERATIONS)


@pytest.mark.parametrize("path,method,operation", NAMED)
def test_parameters_are_those_of_the_path(path, method, operation):
    parameters = parameters_of(path, operation)
    keys = [(p["in"], p["name"]) for p in parameters]
    assert len(keys) == len(set(keys))
    assert set(re.findall(r"{(\w+)}", path)) == {p["name"] for p in parameters if p["in"] == "path"}
    for security in operation.get("security", DOCUMENT["security"]):
        assert set(security) <= set(DOCUMENT["components"]["securitySchemes"])


def test_examples_are_examples():
    seen = 0
    for value in walk(DOCUMENT):
        if isinstance(value, dict) and "example" in value and "schema" in value:
            check_value(value["schema"], value["example"])
            seen += 1
    assert seen > 10


def test_head_is_get():
    for path, item in DOCUMENT["paths"].items():
        assert ("get" in item) == ("head" in item)
        if "get" in item:
            assert item["head"]["responses"] == item["get"]["responses"]
            assert item["head"].get("parameters") == item["get"].get("parameters")
        assert "options" in item


def test_words_are_the_servers():
    """Enumerations and ranges: as in the program's tables, which the other tests take them from."""
    schemas = DOCUMENT["components"]["schemas"]
    assert schemas["Format"]["enum"] == list(ALL_FORMATS)
    assert schemas["Encoding"]["enum"] == ALL_ENCS
    assert schemas["Size"]["enum"] == SIZES
    assert schemas["PrefetchRequest"]["properties"]["size"]["enum"] == SIZES[:-1]
    for name in ("x", "y"):
        schema = DOCUMENT["components"]["parameters"][name]["schema"]
        assert (schema["minimum"], schema["maximum"]) == (TILE_MIN, TILE_MAX)
    source = (ROOT / "server/http/prefetch.c").read_text()
    members = re.search(r"member\[\] = {(.*?)}", source, re.S)[1]
    assert set(re.findall(r'"(\w+)"', members)) == set(schemas["PrefetchRequest"]["properties"])


def test_every_route_is_described():
    rows = (ROOT / "server/tile/routes.inc").read_text()
    routes = set(re.findall(r'^ROUTE\(\w+, "([^"]+)"', rows, re.M)) - {"unknown"}
    described = set()
    for path in DOCUMENT["paths"]:
        first, last = "/" + path.split("/")[1], "/" + path.split("/")[-1]
        of_its_own = last in ("/status", "/tile.json", "/vector.json", "/layer.json", "/tileset.json", "/edits", "/undo", "/marks", "/events", "/log")
        described.add("/" if first == "/viewer" else first + last if of_its_own else first)
    assert described == routes


def test_statuses_are_described():
    """Those that the server counts one by one, but for what no client can bring about."""
    text = (ROOT / "server/observe/metrics.c").read_text()
    counted = set(re.findall(r"\d+", re.search(r"status_code\[.*?\] = {(.*?)}", text, re.S)[1]))
    described = {status for _, _, operation in OPERATIONS for status in operation["responses"]}
    assert counted - {"500"} <= described


# ---- The server --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(worlds, tmp_path_factory):
    """A default world that erodes briefly and has all that there is; and one that people change."""
    shared = tmp_path_factory.mktemp("shared")
    assert run("world", "create", "commons", "--seed", 42, "--recipe", PLAIN_FILE, "--dir", shared).returncode == 0
    return {"worlds": {**worlds["worlds"], "default": "small", "shared_dir": str(shared)},
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


def response_of(operation, answer):
    described = operation["responses"].get(str(answer.status))
    assert described, f"{operation['operationId']}: {answer.status} is not described: {answer.body[:200]}"
    return look_up(described)


def plain_body(answer):
    return gzip.decompress(answer.body) if "Content-Encoding" in answer else answer.body


def check_answer(method, operation, answer):
    """Status, type, headers and body are such as the document says."""
    described = response_of(operation, answer)
    if answer.status == 431:
        return  # of libmicrohttpd, in its own words
    headers = {name.lower(): look_up(header) for name, header in described.get("headers", {}).items()}
    for name, value in answer.headers:
        if name.lower() in PLAIN_HEADERS:
            continue
        assert name.lower() in headers, f"{operation['operationId']}: {answer.status} has {name}: {value}"
        schema = headers[name.lower()]["schema"]
        kind = {"integer": int, "number": float}.get(schema.get("type"), str)
        check_value(schema, kind(value))
    if "content" not in described or method == "head":
        assert answer.body == b""
        return
    kind = answer["Content-Type"].split(";")[0]
    assert kind in described["content"], (answer.status, kind)
    if kind.endswith(("/json", "+json")) and answer.status != 206:
        schema, value = described["content"][kind]["schema"], json.loads(plain_body(answer))
        check_value(schema, value)
        assert not (nowhere := list(undeclared(schema, value))), (operation["operationId"], nowhere)


def example_of(parameter):
    if parameter["name"] == "v":
        return GENERATOR
    return parameter.get("example", look_up(parameter["schema"]).get("enum", ["1"])[0])


def first_of_stream(server, target, headers):
    """An answer that does not end: its head, but for a refusal."""
    with server.connect() as connection:
        connection.send(request_bytes(target, headers=headers))
        answer = connection.receive("HEAD")
        if answer.status == 200:
            return answer
        length = int(answer["Content-Length"]) if "Content-Length" in answer else 0
        while len(connection.data) < length:
            connection.data += connection.socket.recv(1 << 16)
        answer.body = bytes(connection.data)
        return answer


def call(server, path, method, operation, query=(), headers=(), body=None, **values):
    """Asks as the examples say, with values for some of the path's parameters; the answer is as described."""
    target = path
    for parameter in parameters_of(path, operation):
        value = values.get(parameter["name"], example_of(parameter))
        target = target.replace("{%s}" % parameter["name"], urllib.parse.quote(str(value), safe=""))
    given = dict(query)
    for parameter in parameters_of(path, operation):
        if parameter["in"] == "query" and parameter.get("required"):
            given.setdefault(parameter["name"], example_of(parameter))
    if given:
        target += "?" + urllib.parse.urlencode(given)
    headers = list(headers)
    if needs_token(operation):
        headers.append(("Authorization", f"Bearer {TOKEN}"))
    elif operation.get("security") and {} not in operation["security"]:
        headers += bearer(KEY)
    if body is None and "requestBody" in operation:
        body = json.dumps(operation["requestBody"]["content"]["application/json"]["example"]).encode()
    if body:
        headers.append(("Content-Type", "application/json"))
    elif method in ("post", "put"):
        headers.append(("Content-Length", "0"))
    if path.endswith("/events") and method == "get":
        answer = first_of_stream(server, target, headers)
    else:
        answer = server.ask(target, method.upper(), headers, body or b"", admin=is_admin(path))
    check_answer(method, operation, answer)
    return answer


def first_query(path, operation):
    """What an operation needs beyond its required parameters."""
    if path.startswith(("/downstream", "/find")):
        return {"recipe": "brooks"}
    return {"all": 1} if path == "/purge" and operation["operationId"].startswith("post") else {}


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
    if value in ("geojson", "bin"):
        return values, {**extra, "layer": "path" if value == "geojson" else "objects"}, []
    if name == "bands":
        return values, {**extra, "layer": "cover"}, []
    if value == "quantised" or name == "texture":
        return {**values, "ext": "glb"}, extra, [("Accept", "model/gltf-binary")]
    return values, extra, []


def beside(operation, name):
    """Query parameters that this one needs beside it."""
    if operation["operationId"].endswith(("Downstream", "Find")):
        return {"recipe": "brooks"}
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
         "bands": 400, "what": 400, "limit": 400, "since": 400, "box": 400}
WRONG_VALUE = {"recipe": "no-such-recipe", "v": 999999, "lod": 25, "z": 19, "x": TILE_MAX + 1, "y": TILE_MIN - 1,
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


@pytest.mark.parametrize("path", [path for path in DOCUMENT["paths"] if "get" in DOCUMENT["paths"][path]])
@pytest.mark.parametrize("method", ["delete", "patch", "brew"])
def test_other_methods_are_refused_as_described(asked, path, method):
    operation = DOCUMENT["paths"][path]["get"]
    answer = call(asked(operation), path, method, operation)
    assert answer.status == 405
    allowed = {word.strip().lower() for word in answer["Allow"].split(",")}
    assert allowed == set(DOCUMENT["paths"][path]) & set(METHODS)


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
    for name, more in (("dry", {}), ("even", {"rivers": {**rivers, "runoff": 250}}),
                       ("term", {"rivers": {**rivers, "runoff": "f"}, "ice": ice})):
        (tmp_path / f"{name}.json").write_text(json.dumps({**recipe, **more}))
    server, path = launch(config={"worlds": {"dir": str(tmp_path)}}), "/world/{seed}"
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


def test_the_server_has_the_document(server):
    answer = server.get("/openapi.json")
    assert answer["Content-Type"] == "application/json"
    assert json.loads(answer.body) == DOCUMENT
    assert server.get("/openapi.json", [("If-None-Match", answer["ETag"])], 304).body == b""


@pytest.mark.parametrize("path,method,operation", [p for p in NAMED if needs_token(p.values[2])])
def test_changes_need_the_token(server, operated, path, method, operation):
    target = path + ("?level=info" if path == "/log-level" else "?all=1" if path == "/purge" else "")
    for given in ([], [("Authorization", "Bearer " + "x" * len(TOKEN))], [("Authorization", f"Basic {TOKEN}")]):
        answer = operated.ask(target, method.upper(), [("Content-Length", "0"), *given], admin=True)
        assert answer.status == 401 and answer["WWW-Authenticate"].startswith("Bearer")
        check_answer(method, operation, answer)
    answer = server.ask(target, method.upper(), [("Content-Length", "0")], admin=True)  # no token is configured
    assert answer.status == 403
    check_answer(method, operation, answer)
