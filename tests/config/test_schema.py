"""What is told of the configuration agrees: the schema, config/README.md, and what the program takes.

    pytest tests/config          TERRANE=path/to/terrane, else build/terrane

The program is asked by starting `terrane serve --config FILE` on files it has to refuse. That a value is
taken is seen without serving: the file's last key is an unknown one, and the message is about that.
"""

import json
import re
import subprocess

import jsonschema
import pytest
from config_kit import DEFAULTS, KEYS, PROGRAM, ROOT, SCHEMA, dotted, lookup, told

PUBLIC = json.loads((ROOT / "config/public.json").read_text())
README = (ROOT / "config/README.md").read_text()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
MARK = "the_end"  # a key that does not exist, put behind the value in question


def groups(schema=SCHEMA, path=()):
    yield path
    for name, member in schema["properties"].items():
        if "properties" in member:
            yield from groups(member, path + (name,))


FIRST = {key["type"]: key for key in KEYS.values()}  # one of each type, which is tried with more
INTEGERS = {path: key for path, key in KEYS.items() if key["type"] == "integer"}
WRONG_TYPES = {
    "string": [7, None, True, [], {}],
    "integer": ["7", 1.5, None, True, [], {}],
    "object": [7, "x", None, []],
    "boolean": [0, 1, "true", None, [], {}],
    "array": [7, "x", None, True, {}],
}


def nest(path, value):
    for name in reversed(path):
        value = {name: value}
    return value


def valid(document):
    return VALIDATOR.is_valid(document)


@pytest.fixture
def refusal(tmp_path):
    """What the program says, behind the file's name, about a value or a text that it has to refuse."""

    def refuse(document):
        file = tmp_path / "wrong.json"
        file.write_text(document if isinstance(document, str) else json.dumps(document))
        done = subprocess.run([PROGRAM, "serve", "--config", file], capture_output=True, timeout=300, cwd=tmp_path)
        message = done.stderr.decode()
        assert done.returncode == 2, message
        assert done.stdout == b""
        assert str(file) in message
        assert len(message.splitlines()) == 1, message
        return message.split(str(file), 1)[1]

    return refuse


def cases(values_of, keys=KEYS):
    return [pytest.param(path, value, id=f"{dotted(path)}={value!r}") for path, key in keys.items() for value in values_of(key)]


@pytest.mark.parametrize("validator", [jsonschema.Draft202012Validator, jsonschema.Draft7Validator])
def test_schema_is_a_schema_and_takes_the_defaults(validator):
    validator.check_schema(SCHEMA)
    validator(SCHEMA).validate(DEFAULTS)
    validator(SCHEMA).validate(PUBLIC)
    validator(SCHEMA).validate({})


@pytest.mark.parametrize("path", KEYS, ids=dotted)
def test_entry_is_complete(path):
    key = KEYS[path]
    assert re.fullmatch(r"[^`]+[^.]\.", key["description"])
    assert key["default"] == lookup(DEFAULTS, path)
    if key["type"] == "integer":
        assert key["minimum"] <= key["default"] <= key["maximum"]
        assert key["unit"]
        suffix = path[-1].rsplit("_", 1)[-1]
        assert suffix not in ("bytes", "ms", "s") or key["unit"] == suffix


def test_readme_has_the_table_that_the_program_tells():
    assert f"\n\n{told()}\n" in README, "make config-table writes it"


def outside(key):
    """Below the minimum, between a 0 that means none and the next, and above the maximum."""
    gap, more = key.get("not", {}).get("exclusiveMaximum"), [2**62] * (key in FIRST.values())
    return [key["minimum"] - 1, *([1, gap - 1] if gap else [-value for value in more]), key["maximum"] + 1, *more]


@pytest.mark.parametrize("path, value", cases(outside, INTEGERS))
def test_numbers_outside(refusal, path, value):
    key = KEYS[path]
    low = key.get("not", {}).get("exclusiveMaximum", key["minimum"])
    assert not valid(nest(path, value))
    message = refusal(nest(path, value))
    assert f" {dotted(path)}: {value} is {'above the maximum' if value > key['maximum'] else 'below the minimum'}: " in message
    assert message.rstrip().endswith(f"{low} .. {key['maximum']}")


@pytest.mark.parametrize("path, value", cases(lambda key: WRONG_TYPES[key["type"]][:None if key in FIRST.values() else 1]))
def test_wrong_type(refusal, path, value):
    assert not valid(nest(path, value))
    message = refusal(nest(path, value))
    assert f" {dotted(path)}: " in message
    assert re.search(r" is not an? \w+: allowed .+", message)


@pytest.mark.parametrize("path", groups(), ids=dotted)
def test_unknown_key(refusal, path):
    known = lookup(DEFAULTS, path)
    assert not valid(nest(path, {MARK: 1}))
    message = refusal(nest(path, {MARK: 1}))
    start = f" {dotted(path + (MARK,))}: unknown key: allowed "
    assert start in message
    assert message.split(start)[1].rstrip().split(", ") == list(known)


@pytest.mark.parametrize("path", KEYS, ids=dotted)
def test_misspelt_key_is_recognised(refusal, path):
    wrong = path[:-1] + (path[-1][:-1] + "~",)
    assert not valid(nest(wrong, 1))
    assert f"perhaps {path[-1]} was meant" in refusal(nest(wrong, 1))


def taken(refusal, document):
    return f" {MARK}: unknown key" in refusal({**document, MARK: 1})


@pytest.mark.parametrize("path, value", cases(lambda key: [key["minimum"], key["maximum"], float(key["default"])], INTEGERS))
def test_ends_of_the_range_are_taken(refusal, path, value):
    assert valid(nest(path, value))
    assert taken(refusal, nest(path, value))


def test_defaults_are_taken(refusal):
    assert taken(refusal, DEFAULTS)
    assert taken(refusal, PUBLIC)
    assert taken(refusal, {})


# (value, whether it is one), for what is no plain range. Schema and program answer alike.
ADDRESSES = [
    ("127.0.0.1:0", True), ("[::1]:8080", True), ("localhost:65535", True), ("[fe80::1%eth0]:80", True),
    ("localhost", False), (":80", False), ("a:65536", False), ("a:080", False), ("::1:80", False),
    ("[::1]80", False), ("a b:80", False), ("a:-1", False), ("a:", False), ("ä:80", False),
]  # fmt: skip
LAST = 2**64 - 1
SEEDS = [
    (0, True), (2**63 - 1, True), (2.0, True), ("0", True), (str(LAST), True), (hex(LAST), True),
    ("0xAb", True), (-1, False), (1.5, False), (None, False), (True, False), ([], False), ({}, False),
    (str(LAST + 1), False), (hex(LAST + 1), False), ("", False), ("0x", False), ("0X1", False),
    ("007", False), ("-1", False), (" 1", False),
]  # fmt: skip
NAMES = [
    ("a", True), ("Z" + "9" * 63, True), ("a_-", True),
    ("Z" * 65, False), ("", False), ("1a", False), ("a.b", False), ("ä", False),
]  # fmt: skip
DIRS = [("/a", True), ("a" * 4000, True), ("a" * 4001, False)]
HOSTS = [
    ("example.org", True), ("*.example.org", True), ("192.0.2.1", True), ("[::1]", True), ("a" * 253, True),
    ("a" * 254, False), ("", False), ("*", False), ("*.*.a", False), ("a:80", False), ("[::1]:80", False), ("::1", False),
    ("http://a", False), ("a.", False), (".a", False), ("a..b", False), ("1.2.3", False), ("*.1.2.3.4", False), ("ä", False),
    ("xn--bcher-kva.example", True), ("[fe80::1%e]", False), ("[::1", False), ("a b", False),
    (7, False), (None, False),
]  # fmt: skip
NETWORKS = [
    ("10.0.0.1", True), ("10.0.0.0/8", True), ("::1", True), ("fd00::/8", True), ("", False), ("/8", False),
    ("localhost", False), ("10.0.0.0/", False), ("10.0.0.0/8/8", False), ("[::1]", False), (7, False), ("::ffff:1.2.3.4/128", True),
    ("10.0.0.0/1234", False), ("10.0.0.0/-1", False), ("::1%eth0", False), (" 10.0.0.1", False), ("10.0.0.1 ", False),
]  # fmt: skip
FILES = [("http", "tls", "certificate"), ("http", "tls", "key"), ("access", "keys_file"),
         ("access", "admin_token_file"), ("log", "access"), ("cache", "shared_ca"),
         ("cache", "shared_password_file")]  # fmt: skip
STORES = [
    ("", True), ("redis://h", True), ("rediss://me:p%40@[::1]:7/3", True), ("unix:///run/valkey.sock?db=2", True),
    ("redis://" + "h" * 255, True), ("redis://h" + "/" * 2039, False), ("http://h", False), ("h:6379", False),
]  # fmt: skip
LEVELS = [("error", True), ("debug", True), ("INFO", False), ("", False)]
SPECIAL = [
    *((("listen",), *case) for case in ADDRESSES + [("", False)]),
    *((("admin",), *case) for case in ADDRESSES + [("", True)]),
    *((("cache", "dir"), *case) for case in DIRS),
    *((("cache", "shared"), *case) for case in STORES),
    *((path, *case) for path in FILES for case in DIRS + [("", True), ("-", True)]),
    *((path, value, True) for path, key in KEYS.items() if key["type"] == "boolean" for value in (True, False)),
    *((("http", "hosts"), [host], good) for host, good in HOSTS),
    *((("http", "hosts"), ["a"] * count, good) for count, good in [(0, True), (1000, True), (1001, False)]),
    *((("http", "trusted_proxies"), [network], good) for network, good in NETWORKS),
    *((("cache", "disk_bytes"), *case) for case in [(0, True), (4194303, False), (4194304, True)]),
    *((("log", "level"), *case) for case in LEVELS),
    *((("worlds", "named", "w"), *case) for case in SEEDS),
    *((("worlds", "named", name), 1, good) for name, good in NAMES),
]


def test_seeds_end_at_64_bits():
    for k in range(20):
        assert valid(nest(("worlds", "named", "w"), str(10**k))) and valid(nest(("worlds", "named", "w"), str(LAST - 10**k)))
        assert not valid(nest(("worlds", "named", "w"), str(LAST + 10**k)))


@pytest.mark.parametrize("path, value, good", SPECIAL, ids=[f"{dotted(path)}={value!r}"[:60] for path, value, _ in SPECIAL])
def test_special_values(refusal, path, value, good):
    assert valid(nest(path, value)) == good
    if good:
        assert taken(refusal, nest(path, value))
    else:
        message = refusal(nest(path, value))
        assert dotted(path[:2]) in message
        assert ": allowed " in message


@pytest.mark.parametrize("host", ["[1.2.3.4]", "256.1.1.1", "a\n"])
def test_hosts_that_the_schema_does_not_see(refusal, host):
    assert ": allowed " in refusal(nest(("http", "hosts"), [host]))
