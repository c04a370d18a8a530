"""terrane on the command line: render equals HTTP, and says what is wrong."""

import hashlib
import json
import os
import re
import subprocess

import pytest
from http_client import PATIENCE_S
from http_server import PLAIN_FILE, PROGRAM, REPRESENTATIONS, TILE_MAX, render, run, tile


def usable():
    text = run("--help").stdout.decode()
    return re.search(r"TERRANE_ISA .*?: (.*?) \(default", text)[1].split(", ")


@pytest.mark.parametrize("layer,fmt,enc", [r for r in REPRESENTATIONS if r[1] in ("png", "json") or r[0] in ("height", "partition")])
def test_render_equals_http(server, layer, fmt, enc):
    options = {"layer": layer, "enc": enc, "size": 65}
    assert render(42, 13, -7, 11, fmt, **options) == server.get(tile(42, 13, -7, 11, fmt, **options)).body


def test_render_erodes_as_the_server_does(server):
    options = {"layer": "surface", "size": 65, "recipe": "continents"}
    assert render(42, 5, -7, 11, "f32", **options) == server.get(tile(42, 5, -7, 11, "f32", **options)).body


def test_render_into_a_file(tmp_path):
    for fmt in ("png", "f32"):
        path = tmp_path / f"tile.{fmt}"
        done = run("render", 42, 0, 1, -2, "--recipe", PLAIN_FILE, "-o", path)
        assert done.returncode == 0 and done.stdout == b""
        assert path.read_bytes() == render(42, 0, 1, -2, fmt)


def test_a_dash_is_standard_output(tmp_path):
    words = [PROGRAM, "render", "42", "3", "0", "0", "--recipe", PLAIN_FILE, "--size", "16"]
    done = subprocess.run([*words, "-o", "-"], cwd=tmp_path, capture_output=True, timeout=PATIENCE_S, check=True)
    assert done.stdout == run(*words[1:]).stdout != b"" and not list(tmp_path.iterdir())


def test_render_of_a_textured_mesh(server, tmp_path):
    path = tmp_path / "tile.glb"
    assert run("render", 42, 6, 1, -2, "--recipe", PLAIN_FILE, "--texture", "relief", "-o", path).returncode == 0
    assert path.read_bytes() == server.get(tile(42, 6, 1, -2, "glb", texture="relief")).body


def test_render_that_cannot_write(tmp_path):
    done = run("render", 42, 9, 0, 0, "-o", tmp_path / "no" / "tile.png")
    assert done.returncode == 1 and str(tmp_path / "no" / "tile.png") in done.stderr.decode()
    done = run("model", "palm", "-o", "/no/where.glb")
    assert (done.returncode, done.stderr) == (1, b"terrane model: /no/where.glb: No such file or directory\n")
    assert run("render", 42, 9, 0, 0, "--format", "f32", "-o", "/dev/full").returncode == 1


@pytest.mark.parametrize("words", [
    "--version", "--help", "serve --help", "serve --print-config", "serve --check-config", "render --help", "render 42 9 0 0", "seed --help",
    "seed 42 --zoom 0 --variant base --dry-run", "export --help", "recipe", "recipe --help", "recipe alpine", "find 42 coast 0 0", "bench --help", "key --help", "key --name x", "model --list",
    "model palm"])
def test_output_that_cannot_be_written(words, tmp_path):
    """A full disk behind standard output: one line that says so, and status 1."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run([PROGRAM, *words.split()], stdout=full, stderr=subprocess.PIPE, timeout=PATIENCE_S, check=False,
                              env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)})
    told = [line for line in done.stderr.decode().splitlines() if "standard output: No space left on device" in line]
    assert done.returncode == 1 and len(told) == 1


WRONG = {  # what each command's message names; of seed, export, find and health: their own files
    "render": [
        (["", 0, 0, 0], "seed"), (["4%32", 0, 0, 0], "seed"), ([42, -1, 0, 0], "lod"), ([42, 25, 0, 0], "lod"),
        ([42, 0, "+1", 0], "x"), ([42, 0, 0, "1?size=2"], "y"), ([42, 0, 0, 0, "--layer", "lava"], "layer"),
        ([42, 0, 0, 0, "--format", "bmp"], "ext"), ([42, 0, 0, 0, "--texture", "relief"], "texture"),
        ([42, 0, 0, 0, "--size", "2&layer=normal"], "size"), ([42, 0, 0, 0, "--layer="], "layer"),
        ([42, 0, 0, 0, "--nonsense"], "--nonsense"), ([42, 0, 0, 0, 0], "0"), ([42, 0, 0], "SEED LOD X Y"),
        ([42, 0, 0, 0, "--size"], "--size"), ([42, 0, 0, 0, "--help=yes"], "--help=yes"),
        ([42, 0, 0, 0, "--config", "/does/not/exist"], "/does/not/exist"),
        ([42, 3, 0, 0, "--window", "0,0,1,1"], "SEED LOD X Y"), ([42, 3, "--window", "0,0,1,1", "--region", "1x1"], "--region"),
        ([42, 3, "--window", "0,0,1,1", "--size", "64"], "--size"), ([42, 3, "--window", "0,0,1"], "window"),
        ([42, 3, "--window", "0,0,1,"], "window"), ([42, 3, "--window", "1" * 30 + ",0,1,1"], "window"),
        ([42, 3, "--window", "0,0,4098,1"], "w"), ([42, 3, "--window", "0,0,1,1&w=2"], "h"),
        ([42, 3, "--window", "0,0,1,1", "--format", "json"], "ext"), ([42, 3, 0, 0, "--region", "17x1"], "region"),
        ([42, 3, 0, 0, "--region", "4x"], "region"), ([42, 3, 0, 0, "--region", "04x4"], "region"),
        ([42, 3, 0, 0, "--region", "0x4"], "region"), ([42, 3, 0, 0, "--region", "2x2", "--size", "65"], "size"),
        ([42, 3, 0, 0, "--region", "2x2", "--size", "512"], "size"),
        ([42, 3, 0, 0, "--region", "2x2", "--format", "json"], "ext"), ([42, 3, TILE_MAX, 0, "--region", "2x1"], "x")],
    "serve": [
        (["--listen", "nonsense"], '--listen: "nonsense"'), (["--admin", "127.0.0.1"], "--admin"), (["--nonsense"], "--nonsense"),
        (["--config", "/does/not/exist.json"], "/does/not/exist.json"), (["word"], "word")],
    "world": [
        (["list", "--config", "/does/not/exist"], "/does/not/exist"), (["compact", "x", "--dir", "/no", "--keep", "-1"], "keep"),
        (["rebase", "x", "--dir", "/no", "--generator", "9999"], "generator"), (["rebase", "x", "--keep", "9"], "--keep is of compact"),
        (["import", "x", "--seed", "9"], "--seed is of create")],
    "model": [
        ([], "needs a NAME"), (["oak"], '"oak": there is no such model; there are conifer, broadleaf, palm, shrub'),
        (["palm", "--seed", "16"], '--seed: "16": allowed are 0 to 15'), (["palm", "palm"], "palm: one word too many")],
    "key": [
        (["--name", 'a"b'], '--name: "a\\"b" is no name: allowed [A-Za-z][A-Za-z0-9_-]{0,63}'),
        (["--expires", "2027"], '--expires: "2027" is no time: allowed YYYY-MM-DDThh:mm:ssZ, in UTC and from 1970 on'),
        (["--expires", "1999-01-01T00:00:00Z"], '--expires: "1999-01-01T00:00:00Z" is past: allowed are times to come'),
        (["word"], "word"), (["--nam", "x"], "--nam")]}


@pytest.mark.parametrize("command,words,named", [(command, *row) for command, rows in WRONG.items() for row in rows])
def test_bad_arguments_exit_2(command, words, named):
    done = run(command, *words)
    message = done.stderr.decode()
    assert done.returncode == 2 and done.stdout == b""
    assert message.startswith(f"terrane {command}: ") and message.count("\n") == 1
    assert re.search(rf"{re.escape(named)}([=:, ]|$)", message), message


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["help"]] + [
    [command, option] for command in ("serve", "render", "bench") for option in ("--help", "-h")])
def test_help(arguments):
    done = run(*arguments)
    assert done.returncode == 0 and done.stderr == b"" and done.stdout.startswith(b"usage: terrane ")


def test_version():
    done = run("--version")
    assert done.returncode == 0 and re.match(rb"terrane \d+\.\d+\.\d+", done.stdout)


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["--nonsense"]])
def test_no_such_command(arguments):
    done = run(*arguments)
    assert done.returncode == 2 and done.stdout == b"" and done.stderr


@pytest.mark.parametrize("arguments", [["--version"], ["serve"], ["render", 42, 0, 0, 0]])
def test_unknown_instruction_set(arguments):
    done = run(*arguments, environment={"TERRANE_ISA": "bogus"})
    assert done.returncode == 2 and done.stdout == b""
    message = done.stderr.decode()
    assert "TERRANE_ISA=bogus" in message and all(isa in message for isa in usable())


def test_the_chosen_instruction_set_is_used(launch):
    """Which makes the same bytes as the others: make golden."""
    assert "scalar" in usable()
    for isa in usable():
        server = launch(environment={"TERRANE_ISA": isa})
        assert server.ready["isa"] == isa
        assert server.metrics().labels("terrane_build_info")[0]["isa"] == isa


def key(*words, text="", status=0):
    done = run("key", *words, text=text)
    assert done.returncode == status, done.stderr
    return done.stdout.decode(), done.stderr.decode()


def test_made_keys():
    """The key on standard error, and on standard output the member that knows its hash alone."""
    seen = set()
    for _ in range(20):
        out, err = key("--name", "game", "--expires=9999-12-31T23:59:59Z")
        assert re.fullmatch("[0-9A-Za-z]{32}\n", err) and err[:-1] not in out
        assert json.loads(out) == {"name": "game", "sha256": hashlib.sha256(err[:-1].encode()).hexdigest(), "expires": "9999-12-31T23:59:59Z"}
        seen.add(err)
    assert len(seen) == 20
    unnamed = json.loads(key()[0])
    assert unnamed["name"].startswith("key-") and "expires" not in unnamed


def test_hashed_keys():
    digest = hashlib.sha256(b"0123456789abcdef").hexdigest()
    for text, words, name in ((" 0123456789abcdef\r\nmore", ["--name=game"], "game"), ("0123456789abcdef", [], "key-9f9f5111")):
        assert key("--hash", *words, text=text) == (f'{{"name": "{name}", "sha256": "{digest}"}}\n', "")
    for text in ("", "\n0123456789abcdef", "short", "two words are no key", "k" * 3000):
        assert key("--hash", text=text, status=1) == ("", "terrane key: standard input's first line is no key: allowed 16 .. 128 printable "
                                                          "characters of ASCII without spaces\n")
