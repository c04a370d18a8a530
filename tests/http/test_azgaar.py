"""terrane import azgaar: heights where the generator has them, its names where they are, and what no export is refused by name."""

import json

import numpy as np
import pytest
from http_samples import get_samples
from http_server import run

ACROSS, DOWN, PX = 24, 16, 10.0
HALVES = ["\udc35\udc23 \ud802\ud802\ud802\U00010819 \\udc35 \ud802"]  # as the generator cuts words of rare scripts


def level_at(x, y):
    return np.clip(np.round(60 - 0.45 * np.hypot(x - 120, y - 80)), 0, 100)


def export():
    """A round island, 2 km a pixel, with a lake at 30 of its 100 levels of heights in the east of it; of the form of an export of version 1.147."""
    random = np.random.default_rng(1)
    at = [[round(PX * (0.5 + k % ACROSS + random.uniform(-0.45, 0.45)), 2), round(PX * (0.5 + k // ACROSS + random.uniform(-0.45, 0.45)), 2)] for k in range(ACROSS * DOWN)]
    off = [round((np.hypot(p[0] - 120, p[1] - 80) - 89) / PX + 0.5) for p in at]  # cells from the shore; beyond the ninth they are not counted
    cells = [{"i": k, "v": [1, 2, 3], "c": [k + 1], "b": 0, "f": 1 if level_at(*p) < 20 else 2, "t": (1 if level_at(*p) >= 20 else -max(off[k], 1) if off[k] < 10 else 0),
              "h": int(level_at(*p)), "temp": 9, "prec": 5} for k, p in enumerate(at)]
    lake = [k for k, p in enumerate(at) if np.hypot(p[0] - 165, p[1] - 80) < 14]
    for k in lake:
        cells[k] |= {"h": 18, "f": 3, "t": -1}
    features = [0, {"i": 1, "type": "ocean", "land": False, "height": 0}, {"i": 2, "type": "island", "land": True, "height": 0}, {"i": 3, "type": "lake", "land": False, "height": 30}]
    return {"info": {"version": "1.147.1", "width": ACROSS * PX, "height": DOWN * PX, "seed": "1", "mapId": 1, "mapName": "Tiaroc"},
            "settings": {"distanceUnit": "km", "distanceScale": 2, "heightUnit": "ft", "heightExponent": "1.8", "populationRate": 1000, "urbanization": 2, "options": {}},
            "mapCoordinates": {"latT": 40}, "nameBases": [],
            "pack": {"cells": [{"i": k, "v": [1, 2, 3], "c": [k + 1], "p": p, "g": k, "h": cells[k]["h"], "f": cells[k]["f"], "t": cells[k]["t"], "routes": {"7": 1}} for k, p in enumerate(at)],
                     "vertices": [{"i": 0, "p": [1, 1], "v": [0], "c": [0]}], "features": features,
                     "burgs": [0, {"i": 1, "name": "Aulus", "x": 120, "y": 75, "state": 1, "capital": 1, "population": 1.5}, {"i": 2, "name": "Gone", "x": 1, "y": 1, "removed": True}],
                     "states": [{"i": 0, "name": "Neutrals", "pole": [0, 0]}, {"i": 1, "name": "Aul", "fullName": "Kingdom of Aul", "pole": [130, 80]}],
                     "rivers": [{"i": 1, "name": "Rima", "type": "Creek", "cells": [180, 181, 182, -1]}]},
            "grid": {"spacing": PX, "cellsDesired": 400, "cellsX": ACROSS, "cellsY": DOWN, "cells": cells, "vertices": [], "points": at, "features": features, "seed": "1"},
            "notes": HALVES}, lake


def test_an_export_becomes_heights_and_names(launch, tmp_path):
    data, lake = export()
    (tmp_path / "full.json").write_text(json.dumps(data))
    done = run("import", "azgaar", tmp_path / "full.json", "-o", tmp_path / "new")
    assert done.returncode == 0 and done.stdout.decode().splitlines()[2] == f"{tmp_path}/new/map.geojson: 3 names of burgs, states and rivers", done
    ground = np.load(tmp_path / "new/map.npy")
    assert ground.shape == (65, 97)
    x, y = np.round(np.asarray(data["grid"]["points"]) / 2.5).astype(int).T  # 4 samples a cell
    level = np.array([cell["h"] for cell in data["grid"]["cells"]])
    dry = np.setdiff1d(np.arange(len(level)), lake)
    metres = np.where(level >= 20, np.maximum(level - 18.0, 0) ** 1.8, (level - 20) / np.maximum(level, 1) * 50)
    assert np.mean((ground[y, x] > 0)[dry] == (level >= 20)[dry]) > 0.97
    assert np.median(np.abs(ground[y, x] - metres)[dry]) < 15 and abs(ground.max() - metres.max()) < 60
    assert (ground[y, x][lake] > 0).all() and np.median(ground[y, x][lake]) < 12**1.8  # a basin, under its water and over the sea
    burg, state, river = json.loads((tmp_path / "new/map.geojson").read_text())["features"]
    assert burg["geometry"]["coordinates"] == [0, -10000] and burg["properties"] == {
        "kind": "burg", "name": "Aulus", "state": "Aul", "population": 3000, "capital": True, "port": False}
    assert state["properties"] == {"kind": "state", "name": "Aul", "full_name": "Kingdom of Aul"}
    assert len(river["geometry"]["coordinates"]) == 3 and river["properties"] == {"kind": "river", "name": "Rima", "type": "Creek"}
    server = launch(config={"worlds": {"dir": f"{tmp_path}/new"}})
    with server.connect() as connection:
        served = get_samples(connection, 42, 12, 0, 0, recipe="map", variant="base")
    assert abs(served[0, 0] - ground[32, 48]) < 100  # its middle is at the origin


def test_old_versions_do_not_tell_the_size_of_the_picture(tmp_path):
    data, _ = export()
    (tmp_path / "new.json").write_text(json.dumps(data))
    del data["info"]["width"], data["info"]["height"]
    data["grid"]["boundary"] = [[1, -10], [ACROSS * PX + 10, 1], [1, DOWN * PX + 10], [-10, 1]]
    (tmp_path / "old.json").write_text(json.dumps(data))
    for name in ("old", "new"):
        assert run("import", "azgaar", tmp_path / f"{name}.json", "-o", tmp_path / name).returncode == 0
    assert all((tmp_path / "old" / file.name).read_bytes() == file.read_bytes() for file in (tmp_path / "new").iterdir())


def test_seas_are_deep_away_from_shores(tmp_path):
    """Where the generator's own numbers say 4 m of water everywhere."""
    data, _ = export()
    for cell in data["grid"]["cells"]:
        cell["h"] = 18 if cell["f"] == 1 else cell["h"]
    (tmp_path / "full.json").write_text(json.dumps(data))
    assert run("import", "azgaar", tmp_path / "full.json", "-o", tmp_path / "new").returncode == 0
    x, y = np.round(np.asarray(data["grid"]["points"]) / 2.5).astype(int).T
    ground, off = np.load(tmp_path / "new/map.npy")[y, x], np.array([cell["t"] for cell in data["grid"]["cells"]])
    middle = [np.median(ground[off == t]) for t in (-1, -3, -5)]
    assert -12 < middle[0] < 0 and middle[0] > middle[1] > middle[2] and middle[2] < -60, middle


def test_scale_and_heights_can_be_told(tmp_path):
    data, _ = export()
    data["settings"]["distanceUnit"] = "day's march"
    (tmp_path / "full.json").write_text(json.dumps(data))
    done = run("import", "azgaar", tmp_path / "full.json", "-o", tmp_path / "new")
    assert done.returncode == 1 and b"/settings/distanceUnit: no unit that is known: say --across WIDTH" in done.stderr
    done = run("import", "azgaar", tmp_path / "full.json", "-o", tmp_path / "new", "--across", "-96km")
    assert done.returncode == 2 and b'"-96km"' in done.stderr
    done = run("import", "azgaar", tmp_path / "full.json", "-o", tmp_path / "new", "--across", "96km", "--heights", "-500,2500", "--name", "isle")
    assert done.stdout.decode().startswith(f"{tmp_path}/new/isle.json: 97 x 65 heights, 1000 m apart, of -500 to 2500 m over the sea\n"), done


def damaged(*path, value):
    data, _ = export()
    at = data
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return json.dumps(data)


HOSTILE = {
    "empty": ("", "line 1, column 0: '[' or '{' expected near end of file"),
    "deep": ("[" * 5000, "line 1, column 2049: maximum parsing depth reached near '['"),
    "many": ("[" + "[]," * (1 << 23) + "0]", "has too many values: allowed 8388608 arrays and objects, and 33554432 commas"),
    "twice": ('{"info": {}, "info": {}}', "line 1, column 19: duplicate object key near '\"info\"'"),
    "nan": ('{"info": {"width": NaN}}', "line 1, column 22: invalid token near 'NaN'"),
    "none": ("{}", "/info/width: missing; allowed 16 to 100000"),
    "infinite": (damaged("info", "width", value="1e999"), '/info/width: "1e999"; allowed 16 to 100000'),
    "exponent": (damaged("settings", "heightExponent", value=9), "/settings/heightExponent: 9; allowed 0.5 to 3"),
    "no cells": (damaged("grid", "cells", value={}), "/grid: no cells and points; this is no full JSON export of Azgaar's generator"),
    "fewer": (damaged("grid", "cellsX", value=25), "/grid: 384 cells and 384 points; cellsX and cellsY say 25 x 16"),
    "huge": (damaged("grid", "cellsX", value=1e9), "/grid/cellsX: 1000000000; allowed 2 to 2048"),
    "tall": (damaged("info", "height", value=1e5), "/grid: 24 cells across 240 x 100000 pixels: of 4 samples a cell there may be 8192 along each side"),
    "no cell": (damaged("grid", "cells", 7, value=5), "/grid/cells/7/h: no number from 0 to 100"),
    "high": (damaged("grid", "cells", 7, "h", value=101), "/grid/cells/7/h: no number from 0 to 100"),
    "no point": (damaged("grid", "points", 9, value=[1]), "/grid/points/9: no point"),
    "far": (damaged("grid", "points", 9, value=[230, 5]), "/grid/points/9: not in its place in rows of 24 cells")}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_exports_are_refused_by_name(tmp_path, name):
    text, said = HOSTILE[name]
    (tmp_path / "full.json").write_text(text)
    done = run("import", "azgaar", tmp_path / "full.json", "-o", tmp_path / "new")
    assert (done.returncode, done.stderr.decode()) == (1, f"terrane import: {tmp_path}/full.json: {said}\n")
    assert not (tmp_path / "new").exists()
