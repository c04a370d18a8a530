"""The environment configures what the file does: each key's variable, in its place between file and command line.

    pytest tests/config          TERRANE=path/to/terrane, else build/terrane
"""

import json
import os
import re
import subprocess

import pytest
from config_kit import DEFAULTS, KEYS, PROGRAM, ROOT, dotted, lookup

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("TERRANE_")}
SET = {path: key for path, key in KEYS.items() if path not in (("$schema",), ("worlds", "named"))}


def variable(path):
    return "TERRANE_" + "_".join(path).upper()


def program(*words, environment=None):
    run = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=300, env={**CLEAN, **(environment or {})}, check=False)
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
        least = key.get("not", {}).get("exclusiveMaximum", key["minimum"] + 1)  # what comes behind a 0 that means none
        value = key["minimum"] if key["minimum"] != key["default"] else least
        return value, str(value)
    if key["type"] == "array":
        return ["10.0.0.1", "192.0.2.7"], "10.0.0.1,192.0.2.7"
    text = {"listen": "[::1]:9", "admin": "", "default": "alpine", "level": "error", "shared": "redis://store:6379/3", "follow": "http://home:8080"}.get(path[-1], "/nonexistent/x")
    return text, text


# What a file that is not there, or one key alone, would stop.
STOPS = {("http", "tls", "certificate"), ("http", "tls", "key"), ("access", "keys_file"), ("access", "required"), ("access", "admin_token_file"), ("worlds", "dir")}


# The file of a password is read where there is a store.
@pytest.mark.parametrize("without", ["shared", "shared_password_file"])
def test_each_key_has_a_variable_and_is_printed(without):
    values = {path: another(path, key) for path, key in SET.items() if path not in STOPS and path != ("cache", without)}
    values["http", "connection_memory_bytes"] = 20000, "20000"
    config = printed(environment={variable(path): text for path, (_, text) in values.items()})
    assert {path: lookup(config, path) for path in values} == {path: value for path, (value, _) in values.items()}
    assert all(lookup(DEFAULTS, path) != value for path, (value, _) in values.items())


def test_no_two_keys_have_one_variable():
    assert len({variable(path) for path in SET}) == len(SET)


@pytest.mark.parametrize("path", sorted(STOPS), ids=dotted)
def test_files_and_rules_between_keys_hold_for_variables_too(path):
    _, text = another(path, KEYS[path])
    status, out, error = program("serve", "--print-config", environment={variable(path): text})
    assert status == 2 and out == "" and len(error.splitlines()) == 1
    assert "/nonexistent/x" in error or ": allowed " in error


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
    assert names and names <= {variable(path) for path in SET} | {"TERRANE_CONFIG"}
