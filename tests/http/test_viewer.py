"""The viewer's files: types, caching, codings and the strict headers they come with; what the page names is there."""

import gzip
import json
import re

import pytest
from http_operator import keys_file
from http_server import GENERATOR, PLAIN, ROOT, WORLDS

POLICY = {
    "default-src": "'none'",
    "script-src": "'self' 'wasm-unsafe-eval'",
    "style-src": "'self'",
    "img-src": "'self' data: blob:",
    "connect-src": "'self'",
    "worker-src": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
    "form-action": "'none'",
}
HEADERS = {"Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Vary": "Accept-Encoding",
           "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin"}
TYPES = {
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "wasm": "application/wasm",
}
FILES = {"app", "worker", "licences", "walk"}
PACKAGE = {"terrane", "maker", "recipes"}  # which is there where it was built with `make wasm`
FOR_EVER = "public, max-age=31536000, immutable"


def named(text):
    """Files of the viewer that a text names."""
    return {name for name in re.findall(r"[a-z]+-[0-9a-f]{10}\.(?:js|css|txt|wasm)", text) if not name.startswith("scalar-")}


@pytest.fixture(scope="module")
def files(server):
    """Every file that the page leads to, by name: what the page names, and what the program that it names does."""
    found = {}
    wanted = named(server.get("/").body.decode())
    walk = named(server.get("/viewer/walk.html").body.decode())
    assert {name.split("-")[0] for name in walk} == {"walk"}
    assert {name.split(".")[-1] for name in wanted} == {"js", "css"}
    wanted |= walk
    while wanted:
        name = wanted.pop()
        found[name] = server.get(f"/viewer/{name}")
        if name.startswith(("app-", "terrane-")) and name.endswith(".js"):
            wanted |= named(found[name].body.decode()) - found.keys()
    return found


def policy(answer):
    return dict(part.strip().split(" ", 1) for part in answer["Content-Security-Policy"].split(";"))


def check_headers(answer):
    assert policy(answer) == POLICY
    for name, value in HEADERS.items():
        assert answer[name] == value, name
    assert "Access-Control-Allow-Origin" not in answer, "the page is for nobody's scripts but its own"
    assert re.fullmatch('"[0-9a-f]{32}"', answer["ETag"])


def test_the_page(server):
    """It needs nothing that its policy forbids."""
    answer = server.get("/")
    assert answer["Content-Type"] == "text/html; charset=utf-8"
    assert answer["Cache-Control"] == "no-cache"
    check_headers(answer)
    text = answer.body.decode()
    assert text.startswith("<!doctype html>") and "<title>terrane</title>" in text
    assert not re.search(r"<script(?![^>]*\bsrc=)", text), "no script inline"
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=", text), "no style and no handler inline"
    for address in re.findall(r'(?:src|href)="([^"]*)"', text):
        assert not re.match(r"[a-z]+:(?!,)|//", address) or address == "data:,", address


def test_everything_that_is_named_is_there(files):
    assert {name.split("-")[0] for name in files} in (FILES, FILES | PACKAGE)
    for name, answer in files.items():
        assert answer["Content-Type"] == TYPES[name.split(".")[-1]], name
        assert answer["Cache-Control"] == FOR_EVER, name
        assert answer.body, name
        check_headers(answer)


def test_nothing_is_asked_of_strangers(files):
    for name, answer in files.items():
        text = answer.body.decode(errors="replace")
        assert "sourceMappingURL" not in text, name
        if name.endswith(".css"):
            assert not re.search(r"url\(['\"]?(?!['\"]?(data:|#))", text), name
            assert "@import" not in text


def test_licences_name_what_is_in_it(files):
    text = next(answer for name, answer in files.items() if name.startswith("licences-")).body.decode()
    packages = json.loads((ROOT / "server/web/package.json").read_text())["dependencies"]
    for name, version in packages.items():
        assert re.search(rf"^{re.escape(name)} {re.escape(version)} \(", text, re.M), name
    assert "Redistribution and use in source and binary forms" in text


def test_the_lockfile_names_no_registry():
    lock = json.loads((ROOT / "server/web/package-lock.json").read_text())
    for path, entry in lock["packages"].items():
        assert "resolved" not in entry, path
        assert path == "" or entry["integrity"].startswith("sha512-"), path


@pytest.mark.parametrize("target", ["/", "app.js", "worker.js", "app.css"])
def test_gzip(server, files, target):
    stem, _, ending = target.partition(".")
    if ending:
        target = "/viewer/" + next(name for name in files if name.startswith(stem + "-") and name.endswith(ending))
    plain = server.get(target)
    assert "Content-Encoding" not in plain
    coded = server.get(target, [("Accept-Encoding", "gzip, deflate, br, zstd")])
    assert coded["Content-Encoding"] == "gzip"
    assert coded["Content-Type"] == plain["Content-Type"]
    assert gzip.decompress(coded.body) == plain.body
    assert len(coded.body) < 0.5 * len(plain.body)
    assert coded["ETag"] != plain["ETag"]
    check_headers(coded)
    assert all("Content-Encoding" not in server.get(target, [("Accept-Encoding", words)]) for words in ("zstd", "gzip;q=0", "identity"))


@pytest.mark.parametrize("coding", [[], [("Accept-Encoding", "gzip")]])
def test_validators(server, files, coding):
    for target in ["/"] + [f"/viewer/{name}" for name in files]:
        tag = server.get(target, coding)["ETag"]
        for known in (tag, f'"x", W/{tag}', "*"):
            answer = server.get(target, [*coding, ("If-None-Match", known)], status=304)
            assert answer["ETag"] == tag and answer.body == b""
            assert policy(answer) == POLICY
        assert server.get(target, [*coding, ("If-None-Match", '"0"')]).body


@pytest.mark.parametrize("name", [
    "app.js", "index.html", "app-0000000000.js", "list.inc", "..%2F..%2FMakefile", "worlds.json.gz", "worlds.json/", "a/b",
    "", "x" * 60, "x" * 200,
])
def test_there_is_nothing_else(server, name):
    server.ask(f"/viewer/{name}").problem(404, "path")


def test_a_name_is_the_whole_name(server, files):
    for name in files:
        assert server.ask(f"/viewer/{name}.gz").status == 404
        assert server.ask(f"/viewer/{name}%00").status in (400, 404)
        assert server.ask(f"/viewer/{name[:-1]}").status == 404


def test_worlds(server):
    answer = server.get("/viewer/worlds.json")
    assert answer["Content-Type"] == "application/json"
    told = json.loads(answer.body)
    assert told["generator"] == GENERATOR and told["default"] == PLAIN
    assert told["open"] is True and told["key"] is False
    shipped = sorted(path.stem for path in (ROOT / "config/worlds").glob("*.json"))
    assert [recipe["name"] for recipe in told["recipes"]] == sorted([*shipped, PLAIN, "whole"])
    for recipe in told["recipes"]:
        file = next(file for folder in (ROOT / "config/worlds", WORLDS) if (file := folder / f"{recipe['name']}.json").exists())
        assert recipe["description"] == json.loads(file.read_text())["description"]
    assert told["named"] == [{"name": name, "recipe": PLAIN} for name in ("alps", "fjords", "last")]
    assert server.get("/viewer/worlds.json", [("If-None-Match", answer["ETag"])], status=304).body == b""
    assert server.json(f"/world/1?recipe={PLAIN}")["description"] in {recipe["description"] for recipe in told["recipes"]}


def test_worlds_of_a_closed_server(launch):
    named = {"dunes": "7", "peaks": {"seed": "8", "recipe": "alpine"}}
    server = launch(config={"worlds": {"open": False, "default": "desert", "named": named}})
    told = server.json("/viewer/worlds.json")
    assert told["open"] is False and told["default"] == "desert"
    assert told["named"] == [{"name": "dunes", "recipe": "desert"}, {"name": "peaks", "recipe": "alpine"}]
    assert "7" not in json.dumps(told["named"]) and "8" not in json.dumps(told["named"]), "seeds are left to /world"


def test_the_page_needs_no_key_and_tells_no_names_then(launch, tmp_path):
    keys = keys_file(tmp_path, ("key-0123456789abcdef", "somebody", {}))
    server = launch(config={"access": {"required": True, "keys_file": keys}, "worlds": {"named": {"hidden": "7"}}})
    assert server.get("/").body
    told = server.json("/viewer/worlds.json")
    assert told["key"] is True and told["named"] == []
