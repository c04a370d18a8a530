"""Recipes: the files that ship, their schema, their README and the program agree.

    pytest tests/config          TERRANE=path/to/terrane, else build/terrane

The program is asked with `terrane recipe FILE`.
"""

import copy
import json
import re
import subprocess

import jsonschema
import pytest
from config_kit import PROGRAM, ROOT
from test_kept import KEPT, facts

SCHEMA = json.loads((ROOT / "config/schema/world.schema.json").read_text())
README = (ROOT / "config/worlds/README.md").read_text()
PINNED = facts(path.read_text() for path in KEPT)
SHIPPED = {path.stem: json.loads(path.read_text()) for path in sorted((ROOT / "config/worlds").glob("*.json"))}
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def told_of(recipe):
    """What the program tells of a recipe that ships, or of a file."""
    return subprocess.run([PROGRAM, "recipe", recipe], capture_output=True, timeout=300, check=True).stdout.decode()


@pytest.fixture
def check(tmp_path):
    """What the program says of a recipe: "" where it takes it, else the message behind the file's name."""

    def ask(document):
        file = tmp_path / "recipe.json"
        file.write_text(document if isinstance(document, str) else json.dumps(document))
        done = subprocess.run([PROGRAM, "recipe", file], capture_output=True, timeout=300)
        if done.returncode == 0:
            return ""
        message = done.stderr.decode()
        assert done.returncode == 1 and done.stdout == b"", message
        assert message.startswith(f"{file}: ") and len(message.splitlines()) == 1
        return message[len(f"{file}: "):].rstrip("\n")

    return ask


def test_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_recipes(check, name):
    VALIDATOR.validate(SHIPPED[name])
    assert check(SHIPPED[name]) == ""
    assert SHIPPED[name]["$schema"] == "../schema/world.schema.json"
    assert SHIPPED[name]["description"].endswith(".")


@pytest.mark.parametrize("path", sorted((ROOT / "config/worlds/figures").iterdir()), ids=lambda path: path.stem)
def test_figures(check, path):
    document = json.loads(path.read_text())
    VALIDATOR.validate(document)
    assert check(document) == ""
    assert (path.parent / document["$schema"]).resolve() == ROOT / "config/schema/world.schema.json"


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_recipes_are_the_pinned_ones(name):
    """The recipes that the program has built in against those that the golden digests are made of."""
    assert re.search(r"^digest +([0-9a-f]{32})$", told_of(name), re.M)[1] == PINNED[f"{name} recipe"], (
        "a shipped recipe changed: raise TERRANE_GENERATOR_VERSION once the last one has been released, "
        "and run make golden-update")


def objects(schema):
    if isinstance(schema, dict):
        if "properties" in schema:
            yield schema
        for member in schema.values():
            yield from objects(member)
    elif isinstance(schema, list):
        for member in schema:
            yield from objects(member)


def test_every_key_is_described_and_every_object_closed():
    for schema in objects(SCHEMA):
        assert schema["additionalProperties"] is False
        for name, key in schema["properties"].items():
            assert "$ref" in key or key.get("const") is True or key["description"].endswith((".", "#rrggbb")), name
            if "minimum" in key and "default" in key:
                assert key["minimum"] <= key["default"] <= key["maximum"], name


def test_readme_names_every_key_and_word():
    for schema in objects(SCHEMA):
        for name in schema["properties"]:
            assert f"`{name}`" in README or f'"{name}"' in README, name
    for word in (SCHEMA["$defs"]["base"]["enum"] + SCHEMA["$defs"]["fractal"]["properties"]["fractal"]["enum"]
                 + SCHEMA["$defs"]["of_plates"]["properties"]["plates"]["enum"]
                 + SCHEMA["$defs"]["of_climate"]["properties"]["climate"]["enum"]):
        assert f"`{word}`" in README, word


def test_schema_has_the_words_that_the_program_has(check):
    """The program lists them when it is given none of them."""
    for key, words in [("base", SCHEMA["$defs"]["base"]["enum"]),
                       ("fractal", SCHEMA["$defs"]["fractal"]["properties"]["fractal"]["enum"])]:
        assert check({"height": {"fractal": "fbm", key: "-"}}) == f'/height/{key}: "-" is none of {", ".join(words)}'
    for key in ("plates", "climate"):
        words = SCHEMA["$defs"][f"of_{key}"]["properties"][key]["enum"]
        assert check({**EARTH, "height": {key: "-"}}) == f'/height/{key}: "-" is none of {", ".join(words)}'


def test_readme_examples_run(check):
    examples = re.findall(r"^```json\n(.*?)^```", README, re.M | re.S)
    assert len(examples) >= 2
    for text in examples:
        VALIDATOR.validate(json.loads(text))
        assert check(text) == "", text


EARTH = {"plates": {}, "climate": {"ground": 0}}
REFUSALS = json.loads((ROOT / "tests/config/refusals.json").read_text())
BASIS = REFUSALS[0]["basis"]


def at(path, value, basis):
    """The basis with one value changed; path as in a JSON Pointer."""
    if not path:
        return value
    document = copy.deepcopy(basis)
    node = document
    *parents, last = [int(key) if key.isdigit() else key for key in path.split("/")[1:]]
    for key in parents:
        node = node[key]
    node[last] = value
    return document


@pytest.mark.parametrize("group", REFUSALS, ids=range(len(REFUSALS)))
def test_the_schema_refuses_what_it_can_see(check, group):
    """That the program refuses them all, and what it says, is asked by tests/unit/read/test_recipe_json_refusals.c."""
    VALIDATOR.validate(group["basis"])
    assert check(group["basis"]) == ""
    for kind, valid in (("both", False), ("program", True)):
        assert not [path for path, value, _ in group[kind] if VALIDATOR.is_valid(at(path, value, group["basis"])) != valid]


def test_notes_are_anything(check):
    noted = {**BASIS, "$schema": 1, "note": [{"a": 1}], "terms": {**BASIS["terms"], "f": {**BASIS["terms"]["f"], "note": None}}}
    VALIDATOR.validate(noted)
    assert check(noted) == ""


def test_as_much_as_may_be(check):
    for less, taken in ((1, True), (0, False)):
        for document in ({**BASIS, "description": "x" * (400 - less)}, {"height": 1, "terms": {f"t{k}": 1 for k in range(97 - less)}}):
            assert VALIDATOR.is_valid(document) == taken == (check(document) == "")


# Where numbers are. Ends of some lean on others: spacing, cells, and what is one above the other.
NUMBERS = {"": SCHEMA, "zones/0": SCHEMA["$defs"]["zone"], "terms/f": SCHEMA["$defs"]["fractal"],
           "zones/0/erosion": SCHEMA["$defs"]["droplets"],
           **{name: SCHEMA["properties"][name] for name in ("plates", "climate", "erosion", "lakes", "rivers", "ice", "paths", "caves")}}
LEAN = ("cell_m", "period_m", "salt")


def numbers():
    """(pointer, key, schema) of each that the schema bounds, but for those that lean on others."""
    for pointer, schema in NUMBERS.items():
        for key, number in schema["properties"].items():
            number = number["anyOf"][0] if "anyOf" in number else number
            if "minimum" in number and key not in LEAN:
                yield pointer, key, number


@pytest.mark.parametrize("pointer, key, number", [*numbers()], ids=lambda value: value if isinstance(value, str) else "")
def test_ends_of_numbers(check, pointer, key, number):
    """The program says of a number outside which ones it takes, and these are the schema's."""
    low, high, whole = number["minimum"], number["maximum"], number.get("type") == "integer"
    document = copy.deepcopy({**BASIS, **EARTH, "erosion": {}})
    node = document
    for part in pointer.split("/") if pointer else ():
        node = node[int(part)] if part.isdigit() else node.setdefault(part, {})
    for outside in (low - 1, high + 1):
        node[key] = outside
        assert not VALIDATOR.is_valid(document)
    place = f"{pointer}/{key}" if pointer else key
    assert check(document) == f"/{place}: {high + 1:.10g} is not a {'whole ' * whole}number from {low:.10g} to {high:.10g}"


def test_defaults(check, tmp_path):
    """Those that the schema and the README state are the program's: written out they make the same recipe."""
    def digest(document):
        file = tmp_path / "told.json"
        file.write_text(json.dumps(document))
        return re.search(r"^digest +([0-9a-f]{32})$", told_of(file), re.M)[1]

    def defaults(name):
        return {key: value["default"] for key, value in SCHEMA["properties"][name]["properties"].items() if "default" in value}

    for name in ("plates", "climate", "erosion", "lakes", "paths", "caves", "rivers"):
        section = README.split(f"## {name.capitalize()}\n")[1].split("\n## ")[0]
        for key, value in defaults(name).items():
            assert re.search(rf"^\| `{key}` \|[^|]*\| {re.escape(json.dumps(value))} \|", section, re.M), key
    given = {name: defaults(name) for name in ("plates", "climate", "erosion", "lakes", "paths", "caves")}
    given["climate"]["ground"] = 0
    assert digest({**BASIS, **{name: {} for name in given}, "climate": {"ground": 0}}) == digest({**BASIS, **given})
    assert digest(BASIS) != digest({**BASIS, "erosion": {}}) != digest({**BASIS, "erosion": {}, "lakes": {}})
    assert len({digest({**BASIS, **some}) for some in ({}, {"paths": {}}, {"caves": {}}, {"paths": {}, "caves": {}})}) == 4
    assert digest({**BASIS, "caves": {"share": 0}}) == digest(BASIS)
    rivers = {**BASIS, "rivers": {}}
    assert digest(rivers) == digest({**BASIS, "rivers": {"top": 13, **defaults("rivers")}}) != digest(BASIS)
    assert digest({**rivers, "ice": {}}) == digest({**rivers, "ice": defaults("ice")}) != digest(rivers)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_recipes_have_rivers(name):
    top = SHIPPED[name]["rivers"].get("top", 13)
    assert f"\nrivers of every second level from {top} to 5, in samples of {1 << top} to 32 m\n" in told_of(name)


COVERED = {"terms": {"f": 3}, "height": "f", "cover": {"materials": [
    {"name": "rock", "colour": "#808080", "share": 0.5, "where": {"slope": [0, 1, None, None], "f": [0, 1, 2, 3]}},
    {"name": "grass", "colour": "#00ff00"}]}}
TOLD = [  # a recipe, and lines that the program has of it
    (SHIPPED["wayfarer"], [r"paths of level 4, in samples of 16 m$", r".*rise 0\.3 at most", r"caves of level 2, in samples of 4 m$"]),
    (COVERED, [r"cover\n   0  rock +up to 0\.5 of what is left, by f, slope\n   1  grass +up to 1 of what is left$", r"cost +5 of"]),
    *(({**BASIS, "plates": {"land": 0.5}, "climate": {"ground": "f", "period_m": period}},
       [r"plates of blocks 1048576 m wide, 0\.5 of them land, whose lines are seen up to 524288 m$",
        rf"climate every 32768 m, over f: -18 \.\. 28 degrees, {bands}, 1100 mm a year over warm sea$"])
      for period, bands in ((0, "no bands"), (2**25, "bands of 33554432 m"))),
    *(({**BASIS, "spacing_m": 2, "rivers": {"top": 9, "runoff": runoff}},
       [r"rivers of every second level from 9 to 5, in samples of 1024 to 64 m$", rf".*{runs_off}"])
      for runoff, runs_off in ((250, "250 mm run off a year"), ("f", "f is what runs off")))]


@pytest.mark.parametrize("recipe, lines", TOLD, ids=range(len(TOLD)))
def test_what_the_program_tells(tmp_path, recipe, lines):
    (tmp_path / "a.json").write_text(json.dumps(recipe))
    told = told_of(tmp_path / "a.json")
    assert not [line for line in lines if not re.search(f"^{line}", told, re.M)], told


@pytest.mark.parametrize("name", ["alpine", pytest.param("wayfarer", marks=pytest.mark.long)])
def test_unknown_keys_are_refused_everywhere(check, name):
    """A misspelt key in each object of a shipped recipe, where objects are no lists of names."""
    document = copy.deepcopy(SHIPPED[name])

    def visit(node, pointer):
        if isinstance(node, dict):
            if pointer != "/terms" and not pointer.endswith(("/where", "/on")):
                node["nonsense"] = 1
                assert not VALIDATOR.is_valid(document)
                assert check(document).startswith(f"{pointer}/nonsense: unknown key: allowed "), pointer
                del node["nonsense"]
            for key, value in node.items():
                visit(value, f"{pointer}/{key}")
        elif isinstance(node, list):
            for index, value in enumerate(node[:2]):  # the others have the same members
                visit(value, f"{pointer}/{index}")

    visit(document, "")
