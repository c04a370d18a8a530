"""The interface description (server/http/openapi.json), for tests: what it refers to, its operations, and requests whose answers are held
against it."""

import gzip
import json
import re
import urllib.parse

import jsonschema
import pytest
from http_client import request_bytes
from http_operator import TOKEN, bearer
from http_server import ALL_FORMATS, ENCS, GENERATOR, LAYERS, ROOT


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
    return answer if answer.status == 200 else server.ask(target, headers=headers)


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
