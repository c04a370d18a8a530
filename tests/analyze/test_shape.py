"""terrane analyze --shape: its measures on ground of which they are known, and on the recipe that ships."""
import json
import math
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "analyze"))
import shape  # noqa: E402
import survey  # noqa: E402

TERRANE = os.environ.get("TERRANE", ROOT / "build" / "terrane")
near = pytest.approx
dice = np.random.default_rng(12345)


def test_zones_are_looked_at_where_there_are_two(tmp_path, monkeypatch):
    monkeypatch.setattr(survey.source, "PROGRAM", TERRANE)
    one = {"sea_m": 3, "description": "sea and mountains", "height": {"fractal": "fbm", "octaves": 3, "cell_m": 4096, "amplitude_m": 50}}
    (tmp_path / "one.json").write_text(json.dumps(one))
    world = survey.World(42, tmp_path / "one.json", 13)
    assert not world.zones and world.sea == 3 and survey.World(42, "continents", 13).zones


def test_earth_is_as_far_from_itself_as_nothing():
    middles = np.concatenate([[-7250], (shape.EARTH_M[:-1] + shape.EARTH_M[1:]) / 2])
    heights = np.repeat(middles, np.rint(np.diff(shape.EARTH, prepend=0) * 1000).astype(int))
    assert shape.shares_of(heights) == near(shape.EARTH) and shape.modes(shape.EARTH) == [-4750, 250]
    assert abs(shape.shares_of(heights + 1000) - shape.EARTH).max() == near(0.373 - 0.140)  # of the sea's most common kilometre


@pytest.mark.parametrize("heights,expected", [([300] * 9, [250]), ([-4100, 300], [-4250, 250]), ([-4100, -3900, 300, 800, 800], [-4250, 750]),
                                              ([-5100] * 5 + [-4700] * 4 + [-4100] * 5, [-5250])])
def test_modes_have_a_gap_between_them(heights, expected):
    assert shape.modes(shape.shares_of(np.array(heights))) == expected


def test_components_hang_together():
    mask = np.zeros((40, 50), bool)
    mask[3, 4:40] = mask[4:30, 39] = True   # a bent line
    mask[31, 40] = mask[32, 41] = True      # apart from it by one
    mask[20, 5] = mask[21, 6] = mask[22, 5] = True
    label = shape.components(mask)
    assert (label[~mask] == -1).all() and len(np.unique(label[mask])) == 3
    assert len(np.unique(label[3, 4:40])) == len({*label[4:30, 39], label[3, 10]}) == len({label[20, 5], label[21, 6], label[22, 5]}) == 1


def test_ranges_have_their_lengths():
    """Over a continent of 400 x 400 samples 5 km apart: a straight range, a longer one with a gap, a slanting and a bent one."""
    heights = np.full((440, 440), -100.0)
    heights[20:420, 20:420] = 200
    heights[1:11, 1:11] = 3000  # of an island
    heights[50:53, 50:151] = 1600
    assert shape.continents(heights, 5000) == [{"area_km2": near(4e6), "range_km": near(500 + 5 * 2 * (math.sqrt(2) - 1))}]
    heights[100, 50:120] = heights[100, 121:200] = 1500
    assert shape.continents(heights, 5000)[0]["range_km"] < 510
    for k in range(120):
        heights[150 + k, 50 + k] = 2000
    assert shape.continents(heights, 5000)[0]["range_km"] == near(119 * math.sqrt(2) * 5)
    heights[300, 100:300] = heights[300:400, 299] = 2000
    assert shape.continents(heights, 5000)[0]["range_km"] == near((199 + 99 - 2 + math.sqrt(2)) * 5, abs=5)
    assert shape.continents(heights, 3000) == []  # no larger than Greenland


def test_winds_are_of_their_bands():
    """The warmest line is a quarter of the period south of row 0; trades blow to the west and to it, westerlies to the east and away."""
    east, south = shape.winds(np.array([1 / 4, 1 / 4 - 1 / 12, 1 / 4 + 1 / 12, 1 / 4 - 0.28, 1 / 4 + 0.28]) * 2**24, 2.0**24)
    assert (east[:3] < -0.4).all() and (east[3:] > 0.8).all()
    assert south[0] == 0 and south[1] > 0.3 > -0.3 > south[2] and south[3] < -0.1 and south[4] > 0.1
    assert shape.winds(np.zeros(3), 0)[0].tolist() == [1, 1, 1]


@pytest.mark.parametrize("wind,expected", [((1, 0), 4), ((-1, 0), 1 / 4), ((0, 1), 1)])
def test_rain_is_of_both_sides(wind, expected):
    heights = np.fromfunction(lambda j, i: 2500 - 50 * abs(i - 60), (100, 120))
    rain = np.where(np.arange(120) < 60, 1000.0, 250) + 0 * heights
    rain[:, 60] = 500
    found = shape.rain_sides(heights, rain, [np.full(100, float(part)) for part in wind], 8000)
    assert len(found) == 1 and found[0] == near(expected, rel=0.05)
    assert len(shape.rain_sides(heights - 1100, rain, [np.full(100, 1.0), np.zeros(100)], 8000)) == 0  # too low
    assert len(shape.rain_sides(heights, rain, [np.full(100, 0.3), np.zeros(100)], 8000)) == 0  # no wind to speak of


def test_zones_of_the_land_are_told_from_the_seas():
    assert shape.below_sea([[600, 5], [30, 600], [70, 400], [0, 0]]) == near(100 / 700)
    assert shape.below_sea([[600, 0], [0, 1000]]) == 0 and shape.below_sea([[600, 1000]]) == 1


def test_borders_follow_what_makes_them():
    heights, rain = np.cumsum(dice.random((64, 64)), axis=1) + 1, dice.random((64, 64))
    heights[:, 32:] += 50
    neither, chance, height, _, fallen = shape.follow(*shape.borders(heights > heights[0, 31] + 25, heights, rain, 1))
    assert height > 0.9 and abs(fallen) < 0.1 and neither == 0 < chance < 0.2
    neither, chance, *correlations = shape.follow(*shape.borders(dice.random((64, 64)) < 0.5, heights, rain, 1))
    assert neither == near(chance, abs=0.03) and max(map(abs, correlations)) < 0.1
    assert math.isnan(shape.follow(*shape.borders(heights > 0, heights, rain, 1))[0])


def test_ridges_flip_where_valleys_come():
    heights = 100 + 10 * np.cos(np.arange(64) / 64 * 16 * math.pi) + np.zeros((64, 1))
    assert shape.ridges(heights, heights)[0] > 500 and shape.ridges(heights, heights)[1] == 0
    total, flipped = shape.ridges(heights, -heights)
    assert flipped == total and shape.ridges(heights - 200, heights)[0] == 0  # under the sea


def test_light_is_of_the_land():
    colours, shade, land = np.full((4, 4, 3), 200.0), np.full((4, 4), 180.0), np.ones((4, 4), bool)
    colours[0], shade[:2], land[0, 0] = 30, 90, False
    dark, contrast = shape.light(colours, shade, land)
    assert dark == near(3 / 15) and contrast == near(np.std([90] * 7 + [180] * 8) / 180)
    assert all(map(math.isnan, shape.light(colours, shade, ~land & land)))


def test_tables_hold_what_is_promised():
    lines = survey.lines_of({"sea": 0.6, "kolmogorov": 0.121, "borders": 0.3, "dark": 0.0})
    assert {name: line["passes"] for name, line in lines.items() if name in ("sea", "kolmogorov", "borders", "dark", "rain")} == {
        "sea": True, "kolmogorov": False, "borders": None, "dark": True, "rain": None}


def test_a_world_is_surveyed(tmp_path):
    """The recipe that ships, without what takes long: erosion, rivers and what rests on them."""
    recipe = json.loads((ROOT / "config/worlds/continents.json").read_text())
    for name in ("$schema", "erosion", "rivers", "cover", "objects"):
        recipe.pop(name, None)
    for zone in recipe["zones"]:
        zone.pop("erosion", None)
    (tmp_path / "plain.json").write_text(json.dumps(recipe))
    words = [TERRANE, "analyze", "--world", "42", "--recipe", tmp_path / "plain.json", "--shape", "--windows", "2", "--out"]
    done = [subprocess.run([*words, tmp_path / out, *more], capture_output=True, timeout=300, check=True).stdout
            for out, more in (("a", ["--no-pictures"]), ("b", []))]
    assert done[0] == done[1] and done[0].startswith(b"2 windows of 512 x 512 samples, 8192 m apart")
    assert done[0].count(b"\n") == 1 + len(survey.LINES)
    assert {p.name for p in (tmp_path / "b").iterdir()} == {"shape.json", "hypsometry.png", "windows.png"}
    found = json.loads((tmp_path / "a/shape.json").read_text())
    assert found == json.loads((tmp_path / "b/shape.json").read_text())
    assert len(found["windows"]) == 2 and found["sea"] == near(np.mean([one["sea"] for one in found["windows"]]))
    bands = {"sea": (0.2, 0.95), "kolmogorov": (0, 0.5), "modes": (1, 3), "zones_below_sea": (0, 1), "borders": (0, 0.5), "dark": (0, 0.2),
             "flips": (0, 0.2), "ridges": (0, 0.5), "contrast_change": (0, 3)}
    assert not {name: found[name] for name, (low, high) in bands.items() if not low <= found[name] <= high}
    assert set(found["levels"]["flips_on_shores"]) == {str(level) for level in range(1, 13)}
