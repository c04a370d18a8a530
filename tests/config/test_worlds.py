"""Recipes: the files that ship, their schema, their README and the program agree.

    pytest tests/config          TERRANE=path/to/terrane, else build/terrane

The program is asked with `terrane recipe FILE`.
"""

import copy
import json
import os
import pathlib
import re
import subprocess

import jsonschema
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("TERRANE", ROOT / "build" / "terrane")).resolve()
SCHEMA = json.loads((ROOT / "config/schema/world.schema.json").read_text())
README = (ROOT / "config/worlds/README.md").read_text()
PINNED = json.loads((ROOT / "tests/golden/samples.json").read_text())["digests"]
SHIPPED = {path.stem: json.loads(path.read_text()) for path in sorted((ROOT / "config/worlds").glob("*.json"))}
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


@pytest.fixture
def check(tmp_path):
    """What the program says of a recipe: "" where it takes it, else the message behind the file's name."""

    def ask(document):
        file = tmp_path / "recipe.json"
        file.write_text(document if isinstance(document, str) else json.dumps(document))
        done = subprocess.run([PROGRAM, "recipe", file], capture_output=True, timeout=20)
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
    told = subprocess.run([PROGRAM, "recipe", name], capture_output=True, timeout=20, check=True).stdout.decode()
    assert re.search(r"^digest +([0-9a-f]{32})$", told, re.M)[1] == PINNED[f"{name} recipe"], (
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


# ---- Schema and program, mistake by mistake

FRACTAL = {"fractal": "fbm", "octaves": 2, "cell_m": 1024}
ZONES = [{"name": "a", "colour": "#000000", "surface": "f"}, {"name": "b", "colour": "#FFffFF"}]
EARTH = {"plates": {}, "climate": {"ground": 0}}
BASIS = {"terms": {"f": FRACTAL, "g": {"sum": ["f", [2, "f"], {"of": "f", "times": 3}]}}, "height": {"sum": ["g", "zones"]},
         "partition": {"noise": "f", "thresholds": [0]}, "zones": ZONES}


def at(path, value):
    """BASIS with one value changed; path as in a JSON Pointer."""
    document = copy.deepcopy(BASIS)
    node = document
    *parents, last = [int(key) if key.isdigit() else key for key in path.split("/")[1:]]
    for key in parents:
        node = node[key]
    node[last] = value
    return document


STRUCTURAL = [
    ("/height", None), ("/height", True), ("/height", []), ("/height", "F"), ("/height", {}), ("/height", 32769),
    ("/hight", 1), ("/spacing_m", 0), ("/spacing_m", "1"), ("/range_m", [1]), ("/range_m", 1), ("/sea_m", 1e6),
    ("/alias_octaves", 1), ("/description", 1), ("/description", "x" * 400), ("/$schema", 1), ("/note", 1),
    ("/terms", []), ("/terms/F", 1), ("/terms/zones", 1), ("/terms/" + "a" * 24, 1), ("/terms/f/fractal", "fBm"),
    ("/terms/f/octaves", 10**9), ("/terms/f/octaves", 0), ("/terms/f/octaves", 1.5), ("/terms/f/octave", 1),
    ("/terms/f/cell_m", "1"), ("/terms/f/lacunarity", 1), ("/terms/f/gain", 1.1), ("/terms/f/amplitude_m", -1),
    ("/terms/f/salt", -1), ("/terms/f/salt", 2**32), ("/terms/f/weight", 5), ("/terms/f/jitter", 2),
    ("/terms/f/offset", 5), ("/terms/f/sharpness", 17), ("/terms/f/warp", 5), ("/terms/f/damp", -1),
    ("/terms/f/base", "perlin4"), ("/terms/f/base", []), ("/terms/f/base", ["value", 1]), ("/terms/f/warp_by", {}),
    ("/terms/f/warp_by", {"x": 1, "z": 2}), ("/terms/f/warp_by", {"x": None}), ("/terms/f/warp_by", {"x": 1, "m": 2e6}),
    ("/terms/h", {"like": 1}), ("/terms/h", {"like": "f", "gain": 2}), ("/terms/h", {"sum": []}),
    ("/terms/h", {"sum": [1] * 9}), ("/terms/h", {"sum": [[1]]}), ("/terms/h", {"sum": [["f", 1]]}),
    ("/terms/h", {"sum": ["f"], "times": 2}), ("/terms/h", {"product": [[1, "f"]]}), ("/terms/h", {"blend": ["f", "f"]}),
    ("/terms/h", {"blend": ["f"], "by": "f"}), ("/terms/h", {"curve": "f"}), ("/terms/h", {"curve": "f", "knots": [[0, 0]]}),
    ("/terms/h", {"curve": "f", "knots": [[0, 0], [1]]}), ("/terms/h", {"zones": 1}), ("/terms/h", {"sum": ["f"], "curve": "f"}),
    ("/partition", 1), ("/partition", {}), ("/partition/thresholds", 1), ("/partition/thresholds/0", "0"),
    ("/partition/blend", 0), ("/partition/voronoi", {}), ("/partition", {"voronoi": {"lloyd": 5}}),
    ("/partition", {"voronoi": {"jitter": 2}}), ("/partition", {"voronoi": {}, "blend": 1}), ("/partition", {"voronoi": 1}),
    ("/partition", {"climate": {"temperature": 1, "moisture": 1}}),
    ("/partition", {"climate": {"temperature": 1, "table": [["a"]]}}),
    ("/partition", {"climate": {"temperature": 1, "moisture": 1, "table": [[]]}}),
    ("/partition", {"climate": {"temperature": 1, "moisture": 1, "table": [[1]]}}),
    ("/zones", []), ("/zones", {}), ("/zones/0/name", ""), ("/zones/0/name", "1"), ("/zones/0/name", "a" * 24),
    ("/zones/0/colour", "#00000"), ("/zones/0/colour", "red"), ("/zones/0/color", "#000000"),
    ("/zones/0/amplitude", 65), ("/zones/0/share", -1), ("/zones/0/offset_m", None), ("/zones/0/surface", None),
    ("/zones/0/ground", [[0, "#000000"]] * 9), ("/zones/0/ground", [[0]]), ("/zones/0/ground", [["#000000", 0]]),
    ("/zones/0", {"name": "a"}), ("/zones/0", {"colour": "#000000"}), ("/relief", 1), ("/relief", {"stp": []}),
    ("/relief", {"steep": [1]}), ("/relief", {"steep": [-1, 1]}), ("/relief", {"water": [[0, "blue"]]}),
]  # fmt: skip
BEYOND = [
    ("/height", "h"), ("/terms/g", {"sum": ["g"]}), ("/terms/f", {"like": "f"}), ("/terms/f/octaves", 11),
    ("/terms/h", {"like": "g"}), ("/terms/h", {"blend": ["f", "f"], "by": "f", "from": 2}),
    ("/terms/h", {"curve": "f", "knots": [[1, 0], [0, 0]]}), ("/range_m", [1, 0]),
    ("/partition/thresholds", [0, 1]), ("/partition", {"voronoi": {"cell_m": 3000}}), ("/zones/1/name", "a"),
    ("/partition", {"climate": {"temperature": 1, "moisture": 1, "table": [["c"]]}}), ("/partition/noise", "zones"),
    ("/zones/0/surface", "zones"), ("/terms/f", {**FRACTAL, "base": "cellular-f1", "octaves": 24, "cell_m": 1e9, "jitter": 1}),
]  # fmt: skip


STRUCTURAL += [
    ("/erosion", None), ("/erosion", []), ("/erosion", True), ("/erosion", {"phase": 1}), ("/erosion", {"levels": 1.5}),
    ("/erosion", {"levels": "1"}), ("/erosion", {"phases": []}), ("/erosion", {"phases": [17]}), ("/erosion", {"phases": [1] * 26}),
    ("/erosion", {"levels": 25, "phases": [1] * 26}), ("/erosion", {"steps": [12, "12"]}), ("/erosion", {"slides": {}}),
    ("/erosion", {"slides": 0.5}), ("/erosion", {"density": [0.05]}), ("/erosion", {"lifetime": 10**6}),
    ("/erosion", {"capacity": -1}), ("/erosion", {"talus_deg": 30}), ("/lakes", None), ("/lakes", 1),
    ("/lakes", {"cell": 24}), ("/lakes", {"cell": 512}), ("/lakes", {"cell": 4}), ("/lakes", {"depth": 1}),
    ("/paths", None), ("/paths", []), ("/paths", {"cell": 8}), ("/paths", {"cell": 48}), ("/paths", {"cell": 256}), ("/paths", {"slope": 0}),
    ("/paths", {"width": 6}), ("/paths", {"width_m": 0}), ("/paths", {"width_m": "6"}), ("/paths", {"colour": "sand"}),
    ("/paths", {"color": "#000000"}), ("/paths", {"level": 25}), ("/paths", {"level": 1.5}), ("/caves", None), ("/caves", True),
    ("/caves", {"cell": 8}), ("/caves", {"cell": 512}), ("/caves", {"radius": 65}), ("/caves", {"radius": 8.5}),
    ("/caves", {"high": 100}), ("/cover", {}), ("/cover", {"materials": []}), ("/cover", {"materials": [{"name": "a"}]}),
    ("/cover", {"materials": [{"name": "a", "colour": "#000000", "where": {"slope": [0, 1, 2]}}, {"name": "b", "colour": "#000000"}]}),
    ("/caves", {"roof_m": 0}), ("/caves", {"share": 1.1}),
    *(("/cover", {"materials": [{"name": "a", "colour": "#000000", "texture": texture}]}) for texture in (
        None, "dunes", {"kind": "dunes"}, {"size_m": [1, 2]}, {"kind": "plain", "size_m": [1, 2]}, {"kind": "dunes", "size_m": 8},
        {"kind": "dunes", "size_m": [0, 8]}, {"kind": "dunes", "size_m": [1, 8], "strength": 0.6}, {"kind": "dunes", "size_m": [8, 8], "wind": 361})),
    ("/rivers", None), ("/rivers", 13), ("/rivers", {"top": 5.5}), ("/rivers", {"runoff": -1}), ("/rivers", {"runoff": [400]}),
    ("/rivers", {"runoff": {"noise": 1}}), ("/rivers", {"runoff_mm": 1}), ("/rivers", {"cut": 1}), ("/rivers", {"rise": "0"}),
    ("/zones/0/erosion", None), ("/zones/0/erosion", {"levels": 3}), ("/zones/0/erosion", {"phases": 3}), ("/zones/0/erosion", {"limit": 1}),
]  # fmt: skip
STRUCTURAL += [
    ("/plates", None), ("/plates", {"cell": 1}), ("/plates", {"salt": -1}), ("/plates", {"lloyd": 0.5}), ("/climate", {}),
    ("/climate", {"ground": None}), ("/climate", {"ground": 1, "seasons": 4}), ("/climate", {"ground": 1, "salt": 0.5}),
    ("/terms/h", {"plates": 1}), ("/terms/h", {"climate": "rain"}), ("/terms/h", {"coarse": []}),
    ("/terms/h", {"coarse": "f", "level": 4}), ("/terms/h", {"coarse": "f", "cell_m": "1"}), ("/terms/h", {"plates": "crust", "of": 1}),
]  # fmt: skip
BEYOND += [
    ("/plates", {"cell_m": 3000}), ("/plates", {"cell_m": 256}), ("/climate", {"ground": "zones"}), ("/climate", {"ground": 1, "cell_m": 48}),
    ("/climate", {"ground": 1, "period_m": 2**20}), ("/climate", {"ground": 1, "warm_c": 0, "cold_c": 1}),
    ("/climate", {"ground": {"climate": "warmth"}}), ("/climate", {"ground": {"coarse": "f", "cell_m": 65536}}),
    ("/height", {"coarse": "zones"}), ("/height", {"coarse": {"coarse": "f"}, "cell_m": 1024}), ("/height", {"plates": "crust"}),
    ("/height", {"climate": "warmth"}), ("/height", {"sum": [{"sum": [{"coarse": "f"}] * 8}, {"coarse": "f"}]}),
    ("/zones/0/erosion", {}), ("/erosion", {"levels": 2, "phases": [1, 2, 3]}), ("/erosion", {"levels": 25}), ("/erosion", {"phases": 16}),
    ("/erosion", {"phases": 16, "steps": 10, "slides": 1}), ("/lakes", {"cell": 8, "radius": 128, "share": 1}),
    ("/paths", {"cell": 16, "level": 3, "border_m": 64}), ("/paths", {"width_m": 1}),
    *(("/cover", {"materials": [{"name": "a", "colour": "#000000", "texture": texture}]}) for texture in (
        {"kind": "strata", "size_m": [8, 7.5]}, {"kind": "speckle", "size_m": [1, 2], "wind": 90})),
    ("/rivers", {"top": 12}), ("/rivers", {"bottom": 7, "top": 7}), ("/rivers", {"runoff": "h"}), ("/rivers", {"bottom": 8, "top": 13}),
    ("/lakes", {"depth_m": 1, "shallow_m": 2}), ("/erosion", {"density": 1, "phases": 3, "steps": 60, "lifetime": 60}),
]  # fmt: skip


def names(cases):
    return [f"{path}={json.dumps(value)}"[:60] for path, value in cases]


def test_basis_is_taken(check):
    VALIDATOR.validate(BASIS)
    assert check(BASIS) == ""


@pytest.mark.parametrize("path, value", STRUCTURAL, ids=names(STRUCTURAL))
def test_mistakes_of_structure_are_refused_by_both(check, path, value):
    assert not VALIDATOR.is_valid(at(path, value))
    message = check(at(path, value))
    assert message.startswith(path.rsplit("/", 1)[0]), message


# Numbers of erosion and lakes, each beside others that leave room for it. Lifetime, not steps, keeps a phase cheap.
ERODED = {"erosion": {"levels": 1, "phases": 1, "slides": 0, "lifetime": 1}, "lakes": {"cell": 256, "radius": 4, "shallow_m": 0},
          "paths": {"level": 16, "cell": 128}, "caves": {"share": 0}, "zones/0/erosion": {},
          "climate": {"ground": 0}}  # fmt: skip
EDGES = {**{name: SCHEMA["properties"][name] for name in ("plates", "climate", "erosion", "lakes", "rivers", "ice", "paths", "caves")},
         "zones/0/erosion": SCHEMA["$defs"]["droplets"]}  # fmt: skip


def edges():
    """(pointer, value, whether it is taken) at and outside both ends of every number."""
    for pointer, schema in EDGES.items():
        for key, number in schema["properties"].items():
            number = number["anyOf"][0] if "anyOf" in number else number
            if "minimum" in number and key not in ("cell_m", "period_m", "salt"):
                step = 1 if number.get("type") == "integer" else 1e-3
                low, high = number["minimum"], number["maximum"]
                yield from ((f"{pointer}/{key}", value, good)
                            for value, good in [(low, True), (high, True), (low - step, False), (high + step, False)])


@pytest.mark.parametrize("path, value, good", [*edges()], ids=lambda value: str(value))
def test_ends_of_numbers(check, path, value, good):
    pointer, key = path.rsplit("/", 1)
    document = copy.deepcopy(BASIS)
    document["erosion"] = dict(ERODED["erosion"])
    if pointer == "rivers":  # all levels below bottom, whatever that is
        del document["erosion"]["levels"]
    if pointer == "ice":
        document["rivers"] = {"bottom": 4, "top": 6}
        del document["erosion"]["levels"]
    if key == "levels":  # few move little
        document["erosion"].update(limit=2**-10)
    if pointer == "erosion" and key == "phases":  # the halo's share
        document["erosion"].update(steps=10)
    if path == "rivers/top":  # a bottom of its parity
        document["rivers"] = {"bottom": 4 + value % 2}
    if path == "lakes/shallow_m":
        document["lakes"] = {"depth_m": 32768}
    if path == "paths/level":  # cells that are wide enough at all of them, and paths that are narrow
        document["paths"] = {"cell": 128, "width_m": 2, "border_m": 0}
    if path == "paths/width_m":
        document["spacing_m"] = 2 ** -7
    node = document
    for part in pointer.split("/"):
        node = node[int(part)] if part.isdigit() else node.setdefault(part, dict(ERODED.get(pointer, {})))
    node[key] = value
    if key == "depth_m":
        node.pop("shallow_m", None)
    if key in ("warm_c", "cold_c"):  # the one is above the other
        node.update({"warm_c": 100, "cold_c": -100, key: value})
    assert VALIDATOR.is_valid(document) == good
    message = check(document)
    assert message == "" if good else message.startswith(f"/{path}: "), message


def test_defaults(check, tmp_path):
    """Those that the schema and the README state are the program's: written out they make the same recipe."""
    def digest(document):
        file = tmp_path / "told.json"
        file.write_text(json.dumps(document))
        told = subprocess.run([PROGRAM, "recipe", file], capture_output=True, timeout=20, check=True).stdout.decode()
        return re.search(r"^digest +([0-9a-f]{32})$", told, re.M)[1]

    given = {}
    for name in ("plates", "climate", "erosion", "lakes", "paths", "caves"):
        section = README.split(f"## {name.capitalize()}\n")[1].split("\n## ")[0]
        given[name] = {key: value["default"] for key, value in SCHEMA["properties"][name]["properties"].items() if "default" in value}
        for key, value in given[name].items():
            assert re.search(rf"^\| `{key}` \|[^|]*\| {re.escape(json.dumps(value))} \|", section, re.M), key
    given["climate"]["ground"] = 0
    assert digest({**BASIS, **{name: {} for name in given}, "climate": {"ground": 0}}) == digest({**BASIS, **given})
    assert digest(BASIS) != digest({**BASIS, "erosion": {}}) != digest({**BASIS, "erosion": {}, "lakes": {}})
    assert len({digest({**BASIS, **some}) for some in ({}, {"paths": {}}, {"caves": {}}, {"paths": {}, "caves": {}})}) == 4
    assert digest({**BASIS, "caves": {"share": 0}}) == digest(BASIS)
    rivers = {key: value["default"] for key, value in SCHEMA["properties"]["rivers"]["properties"].items() if "default" in value}
    section = README.split("## Rivers\n")[1].split("\n## ")[0]
    assert all(re.search(rf"^\| `{key}` \|[^|]*\| {re.escape(json.dumps(value))} \|", section, re.M) for key, value in rivers.items())
    assert digest({**BASIS, "rivers": {}}) == digest({**BASIS, "rivers": {"top": 13, **rivers}}) != digest(BASIS)
    ice = {key: value["default"] for key, value in SCHEMA["properties"]["ice"]["properties"].items() if "default" in value}
    assert digest({**BASIS, "rivers": {}, "ice": {}}) == digest({**BASIS, "rivers": {}, "ice": ice}) != digest({**BASIS, "rivers": {}})


@pytest.mark.parametrize("rest, place, word", [
    ({"paths": {"width_m": 1.5}}, "/paths/width_m", "allowed at least 2"),
    ({"paths": {"towns": {"lane_m": 6.5}}}, "/paths/towns/lane_m", "allowed 2 to 6"),
    ({"paths": {"towns": {"lane_m": 1.5}}}, "/paths/towns/lane_m", "allowed 2 to 6"),
    ({"paths": {"towns": {"block": 16}}}, "/paths/towns/block", "16"),
    ({"paths": {"level": 2, "cell": 64}}, "/paths/cell", "allowed at least 480 m"),
    ({"rivers": {"bottom": 4}, "erosion": {"levels": 3}}, "/erosion/levels", "allowed 4"),
    ({"rivers": {}, "paths": {"level": 5}}, "/paths/level", "allowed at most 4"),
    ({"rivers": {}, "caves": {"level": 5}}, "/caves/level", "allowed at most 4"),
    ({"ice": {}}, "/ice", "allowed beside \"rivers\""),
    ({"rivers": {}, "lakes": {}}, "/lakes", "allowed one of the two"),
    ({"paths": {"level": 6}, "lakes": {"level": 4}}, "/paths/level", "allowed at most 5"),
    ({"caves": {"level": 6}, "lakes": {"level": 4}}, "/caves/level", "allowed at most 5"),
    ({"caves": {"roof_m": 8}, "paths": {}}, "/caves/roof_m", "allowed at least 12"),
    ({"paths": {"cell": 48}}, "/paths/cell", "48 is not one of 16, 32, 64, 128"),
    ({"paths": {"colour": "sand"}}, "/paths/colour", "sand"),
    ({"caves": {"share": 2}}, "/caves/share", "from 0 to 1"),
])
def test_rivers_paths_and_caves_name_what_is_wrong(check, rest, place, word):
    message = check({**BASIS, **rest})
    assert message.startswith(f"{place}: ") and word in message, message


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_recipes_have_rivers(name):
    told = subprocess.run([PROGRAM, "recipe", name], capture_output=True, timeout=20, check=True).stdout.decode()
    top = 15 if name == "continents" else 13
    assert f"\nrivers of every second level from {top} to 5, in samples of {1 << top} to 32 m\n" in told


def test_what_the_program_tells_of_paths_and_caves():
    told = subprocess.run([PROGRAM, "recipe", "wayfarer"], capture_output=True, timeout=20, check=True).stdout.decode()
    assert "\npaths of level 4, in samples of 16 m\n" in told and "rise 0.3 at most" in told
    assert "\ncaves of level 2, in samples of 4 m\n" in told


def test_what_the_program_tells_of_cover(tmp_path):
    (tmp_path / "covered.json").write_text(json.dumps({"terms": {"f": 3}, "height": "f", "cover": {"materials": [
        {"name": "rock", "colour": "#808080", "share": 0.5, "where": {"slope": [0, 1, None, None], "f": [0, 1, 2, 3]}},
        {"name": "grass", "colour": "#00ff00"}]}}))
    told = subprocess.run([PROGRAM, "recipe", tmp_path / "covered.json"], capture_output=True, timeout=20, check=True).stdout.decode()
    assert re.search(r"^cover\n   0  rock +up to 0.5 of what is left, by f, slope\n   1  grass +up to 1 of what is left$", told, re.M)
    assert re.search(r"^cost +5 of", told, re.M)


@pytest.mark.parametrize("period, told", [(0, "no bands"), (2**25, "bands of 33554432 m")])
def test_what_the_program_tells_of_plates_and_climate(tmp_path, period, told):
    (tmp_path / "a.json").write_text(json.dumps({**BASIS, "plates": {"land": 0.5}, "climate": {"ground": "f", "period_m": period}}))
    lines = subprocess.run([PROGRAM, "recipe", tmp_path / "a.json"], capture_output=True, timeout=20, check=True).stdout.decode()
    assert "\nplates of blocks 1048576 m wide, 0.5 of them land, whose lines are seen up to 524288 m\n" in lines
    assert f"\nclimate every 32768 m, over f: -18 .. 28 degrees, {told}, 1100 mm a year over warm sea\n" in lines


@pytest.mark.parametrize("runoff, told", [(250, "250 mm run off a year"), ("f", "f is what runs off")])
def test_what_the_program_tells_of_rivers(tmp_path, runoff, told):
    (tmp_path / "a.json").write_text(json.dumps({**BASIS, "spacing_m": 2, "rivers": {"top": 9, "runoff": runoff}}))
    lines = subprocess.run([PROGRAM, "recipe", tmp_path / "a.json"], capture_output=True, timeout=20, check=True).stdout.decode()
    assert "\nrivers of every second level from 9 to 5, in samples of 1024 to 64 m\n" in lines and told in lines


@pytest.mark.parametrize("path, value", BEYOND, ids=names(BEYOND))
def test_what_a_schema_cannot_see_is_refused_by_the_program(check, path, value):
    assert VALIDATOR.is_valid(at(path, value))
    assert check(at(path, value))


@pytest.mark.parametrize("key", ["height", "partition"])
def test_missing_keys(check, key):
    document = {name: value for name, value in BASIS.items() if name != key}
    assert check(document).startswith(f"/{key}: is missing")


@pytest.mark.parametrize("name", ["alpine", "wayfarer"])
def test_unknown_keys_are_refused_everywhere(check, name):
    """A misspelt key in each object of a shipped recipe, where objects are no lists of names."""
    document = copy.deepcopy(SHIPPED[name])

    def visit(node, pointer):
        if isinstance(node, dict):
            if pointer != "/terms" and not pointer.endswith("/where"):
                node["nonsense"] = 1
                assert not VALIDATOR.is_valid(document)
                assert check(document).startswith(f"{pointer}/nonsense: unknown key: allowed "), pointer
                del node["nonsense"]
            for key, value in node.items():
                visit(value, f"{pointer}/{key}")
        elif isinstance(node, list):
            for index, value in enumerate(node):
                visit(value, f"{pointer}/{index}")

    visit(document, "")
