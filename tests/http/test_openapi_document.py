"""The interface description is sound: it is OpenAPI, whole, and in the words of the program's tables."""

import re

import jsonschema
import pytest
from http_openapi import ALL_ENCS, DOCUMENT, METHODS, NAMED, OPERATIONS, SIZES, check_value, look_up, parameters_of, walk
from http_server import ALL_FORMATS, FORMAT_ROWS, LAYER_ROWS, LAYERS, ROOT, SINGLE_LAYERS, TILE_MAX, TILE_MIN, has, rows

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
    assert DOCUMENT["components"]["parameters"]["window-ext"]["schema"]["enum"] == [name for name in ALL_FORMATS if ".window = true" in FORMAT_ROWS[name]]
    for name in ("x", "y"):
        schema = DOCUMENT["components"]["parameters"][name]["schema"]
        assert (schema["minimum"], schema["maximum"]) == (TILE_MIN, TILE_MAX)
    source = (ROOT / "server/http/prefetch.c").read_text()
    members = re.search(r"member\[\] = {(.*?)}", source, re.S)[1]
    assert set(re.findall(r'"(\w+)"', members)) == set(schemas["PrefetchRequest"]["properties"])


def listed(words):
    return ", ".join(words[:-1]) + " and " + words[-1]


def test_sentences_are_of_the_tables():
    """Where they list layers and routes."""
    components = DOCUMENT["components"]
    layers = components["parameters"]["layer"]["description"]
    assert f"geojson of {listed([layer for layer in LAYERS if has(layer, 'geojson')])}, bin" in layers
    assert listed([name for name in FORMAT_ROWS if re.search("NEEDS_NUMBERS", FORMAT_ROWS[name])]) in layers
    least = re.search(r"\((.*), else metres\)", components["headers"]["Terrane-Min"]["description"])[1]
    told = {layer: unit for some, unit in re.findall(r"((?:\w+, )*\w+): ([\w/]+)", least) for layer in some.split(", ")}
    units = {layer: re.search(r'value = {{"\w+", "([^"]+)"', LAYER_ROWS[layer])[1] for layer in SINGLE_LAYERS}
    assert told == {layer: {"degree": "degrees", "droplet": "droplets"}.get(unit, unit) for layer, unit in units.items() if unit != "m"}
    tiles = components["schemas"]["BatchRequest"]["properties"]["tiles"]["description"]
    assert re.findall(r"/\w+", tiles) == [route for route, row in ROUTES.items() if ".tile = true" in row]


ROUTES = rows("route")


def route_of(path):
    first, last = "/" + path.split("/")[1], "/" + path.split("/")[-1]
    of_its_own = last in ("/status", "/tile.json", "/vector.json", "/layer.json", "/tileset.json", "/edits", "/undo", "/marks", "/events", "/log")
    return "/" if first == "/viewer" else first + last if of_its_own else first


def test_every_route_is_described():
    assert {route_of(path) for path in DOCUMENT["paths"]} == set(ROUTES) - {"unknown"}


def parameters_read():
    """Name of each row of parameters.inc to the routes that read it, as target_query.c adds them up."""
    ids = re.findall(r'^ROUTE\((\w+), "([^"]+)"', (ROOT / "server/tile/routes.inc").read_text(), re.M)
    known = {"BIT": lambda name: {name}, **{f"ROUTE_{name}": route for name, route in ids}}
    source, table = (re.sub(r"/\*.*?\*/", "", (ROOT / "server/tile" / name).read_text(), flags=re.S) for name in ("target_query.c", "parameters.inc"))

    def routes(text):  # ~A & B: all but A, of which B
        return eval("(" + re.sub("& *~", "- ", re.sub("^~", "ALL - ", text.strip())) + ")", {"ALL": set(ROUTES), **known})
    for name, text in re.findall(r"([A-Z]+)\s*=\s*([^,;]+)", re.search(r"uint64_t (TILES.*?;)", source, re.S)[1]):
        known[name] = routes(text)
    return {name: routes(text) for name, text in re.findall(r'PARAMETER\(\w+, "(\w+)",\s*([^,]+),', table)}


# What is read, and refused where it is wrong, but makes no difference where it is right (texture: of a glb alone).
IDLE = {"getPoint": {"layer", "enc"}, "getWorld": {"layer", "variant", "enc", "size"}, "getTerrain": {"enc", "texture"},
        "getVectorTileJson": {"enc"}, "getGdal": {"enc"}, "getGlobe": {"enc"}}


def test_every_parameter_is_described():
    read = parameters_read()
    assert {"layer", "at", "box"} < set(read)
    for path, method, operation in OPERATIONS:
        if method == "get" and ".asks = true" in ROUTES[route_of(path)]:
            described = {parameter["name"] for parameter in parameters_of(path, operation) if parameter["in"] == "query"}
            assert described | IDLE.get(operation["operationId"], set()) == {name for name, routes in read.items() if route_of(path) in routes}, path


def test_statuses_are_described():
    """Those that the server counts one by one, but for what no client can bring about; and what libmicrohttpd refuses itself."""
    text = (ROOT / "server/observe/metrics.c").read_text()
    counted = set(re.findall(r"\d+", re.search(r"status_code\[.*?\] = {(.*?)}", text, re.S)[1]))
    described = {status for _, _, operation in OPERATIONS for status in operation["responses"]}
    assert counted - {"500"} | {"431"} == described
    titled = set(re.findall(r'{(\d+), "', (ROOT / "server/http/reply.c").read_text()))
    assert titled == {status for status in counted if status >= "400"} - {"500"}


def test_rights_are_lacked_where_they_are_needed():
    for _, _, operation in OPERATIONS:
        security = operation.get("security", DOCUMENT["security"])
        assert ("403" in operation["responses"]) == (security != [] and {} not in security), operation["operationId"]
