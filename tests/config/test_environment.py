"""The environment configures what the file does: each key's variable, in its place between file and command line.

    pytest tests/config          TERRANE=path/to/terrane, else build/terrane
"""

import json
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("TERRANE", ROOT / "build" / "terrane")).resolve()
SCHEMA = json.loads((ROOT / "config/schema/terrane.schema.json").read_text())
DEFAULTS = json.loads((ROOT / "config/terrane.json").read_text())
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("TERRANE_")}


def leaves(schema, path=()):
    for name, member in schema["properties"].items():
        if member.get("properties") is not None:
            yield from leaves(member, path + (name,))
        else:
            yield path + (name,), member


KEYS = {path: key for path, key in leaves(SCHEMA) if path not in ((("$schema"),), ("worlds", "named"))}


def dotted(path):
    return ".".join(path)


def variable(path):
    return "TERRANE_" + "_".join(path).upper()


def lookup(root, path):
    for name in path:
        root = root[name]
    return root


def program(*words, environment=None):
    run = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60, env={**CLEAN, **(environment or {})}, check=False)
    return run.returncode, run.stdout, run.stderr


def printed(*words, environment=None):
    status, out, error = program("serve", "--print-config", *words, environment=environment)
    assert (status, error) == (0, ""), error
    return json.loads(out)


def another(path, key):
    """A value that is not the default, and how a variable says it."""
    if key["type"] == "boolean":
        return not key["default"], json.dumps(not key["default"])
    if key["type"] == "integer":
        value = key["minimum"] if key["minimum"] != key["default"] else key["minimum"] + 1
        return value, str(value)
    if key["type"] == "array":
        return ["10.0.0.1", "192.0.2.7"], "10.0.0.1,192.0.2.7"
    text = {"listen": "[::1]:9", "admin": "", "default": "alpine", "level": "error", "shared": "redis://store:6379/3"}.get(path[-1], "/nonexistent/x")
    return text, text


# What a file that is not there, or one key alone, would stop.
ALONE = [path for path in KEYS if path not in
         (("http", "tls", "certificate"), ("http", "tls", "key"), ("access", "keys_file"), ("access", "required"),
          ("access", "admin_token_file"), ("worlds", "dir"))]


@pytest.mark.parametrize("path", ALONE, ids=dotted)
def test_each_key_has_a_variable(path):
    value, text = another(path, KEYS[path])
    config = printed(environment={variable(path): text})
    assert lookup(config, path) == value
    assert value != lookup(DEFAULTS, path)


@pytest.mark.parametrize("path", [path for path in KEYS if path not in ALONE], ids=dotted)
def test_files_and_rules_between_keys_hold_for_variables_too(path):
    _, text = another(path, KEYS[path])
    status, out, error = program("serve", "--print-config", environment={variable(path): text})
    assert status == 2 and out == "" and len(error.splitlines()) == 1
    assert "/nonexistent/x" in error or ": allowed " in error


@pytest.mark.parametrize("path", [path for path, key in KEYS.items() if key["type"] == "integer"], ids=dotted)
def test_ranges_hold_and_the_variable_is_named(path):
    key = KEYS[path]
    for text, wrong in ((str(key["maximum"] + 1), "is above the maximum"), ("-1", "is below the minimum"), ("1k", "is not an integer"),
                        ("", "is not an integer"), (" 1", "is not an integer")):
        status, _, error = program("serve", environment={variable(path): text})
        assert status == 2
        assert re.fullmatch(rf'terrane serve: {variable(path)}: "?{re.escape(text)}"? {wrong}: allowed .+ \.\. {key["maximum"]}\n', error)


def test_the_order_of_sources(tmp_path):
    file = tmp_path / "terrane.json"
    file.write_text(json.dumps({"listen": "127.0.0.1:1", "admin": "127.0.0.1:2", "render": {"queue": 3}}))
    said = {"TERRANE_LISTEN": "127.0.0.1:4", "TERRANE_ADMIN": "127.0.0.1:5"}
    config = printed("--config", str(file), "--listen", "127.0.0.1:6", environment=said)
    assert (config["listen"], config["admin"], config["render"]["queue"]) == ("127.0.0.1:6", "127.0.0.1:5", 3)
    assert printed(environment={"TERRANE_CONFIG": str(file)})["render"]["queue"] == 3
    other = tmp_path / "other.json"
    other.write_text('{"render": {"queue": 8}}')
    assert printed("--config", str(other), environment={"TERRANE_CONFIG": str(file)})["render"]["queue"] == 8


def test_a_file_that_is_not_there():
    status, _, error = program("serve", environment={"TERRANE_CONFIG": "/nonexistent/terrane.json"})
    assert status == 2 and error == "terrane serve: /nonexistent/terrane.json: No such file or directory\n"


@pytest.mark.parametrize("words", [["recipe"], ["render", "42", "9", "0", "0", "--size", "2", "--variant", "base", "-o", "/dev/null"],
                                   ["seed", "42", "--zoom", "0", "--dry-run"], ["health"]], ids=lambda words: words[0])
def test_commands_read_it(words):
    status, _, error = program(*words, environment={"TERRANE_WORLDS_DEFAULT": "No"})
    assert status == 2 and error.startswith(f'terrane {words[0]}: TERRANE_WORLDS_DEFAULT: "No" is no name of a recipe: allowed ')


def test_a_command_uses_it():
    status, out, _ = program("recipe", environment={"TERRANE_WORLDS_DEFAULT": "alpine"})
    assert status == 0 and re.search(r"^alpine +\* ", out, re.M)


def test_a_variable_that_nobody_reads_is_told_of():
    status, _, error = program("serve", "--check-config", environment={"TERRANE_CACHE_DISC_BYTES": "0", "TERRANE_ISA": "scalar", "TERRANE_TEST_LONG": "1"})
    assert status == 0 and len(error.splitlines()) == 1
    assert "warning config: TERRANE_CACHE_DISC_BYTES: no such variable is read, perhaps TERRANE_CACHE_DISK_BYTES was meant" in error


def test_the_readme_names_variables_that_there_are():
    names = set(re.findall(r"TERRANE_[A-Z_]*[A-Z]", (ROOT / "config/README.md").read_text() + (ROOT / "docker/README.md").read_text()
                           + (ROOT / "docker/Dockerfile").read_text()))
    assert names and names <= {variable(path) for path in KEYS} | {"TERRANE_CONFIG"}
