"""The measures of terrane analyze on ground of which they are known, the coasts of GSHHG, and the recipe that ships."""
import concurrent.futures
import math
import os
import pathlib
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "analyze"))
import measures  # noqa: E402
import source  # noqa: E402

source.PROGRAM = os.environ.get("TERRANE", ROOT / "build" / "terrane")
KOCH = math.log(4) / math.log(3)
near = pytest.approx
dice = np.random.default_rng(12345)


def grid(width, height, function):
    y, x = np.mgrid[:height, :width].astype(float)
    return function(x, y)


def test_lines_are_fitted():
    x = [1.0, 2, 3, 4]
    assert measures.fit_line(x, [5, 8, 11, 14]) == {"points": 4, "slope": near(3), "intercept": near(2), "r2": near(1)}
    assert measures.fit_line(x, [1, -1, -1, 1])["r2"] == near(0)
    assert measures.fit_line(x, [7, 7, 7, 7])["r2"] == 1
    assert measures.fit_line([7, 7, 7], [1, 2, 3]) is None and measures.fit_line([1], [1]) is None


# ---- Boxes -----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("coast,tolerance", [(lambda x, y: 300.5 - x, 1e-9), (lambda x, y: 0.61 * x - y + 200.3, 0.02),
                                             (lambda x, y: 400 - np.hypot(x - 511.7, y - 509.2), 0.03)])
def test_smooth_coasts_have_dimension_one(coast, tolerance):
    count = measures.box_count_level(grid(1024, 1024, coast), 0)
    assert count["sides"] == [2, 4, 8, 16, 32, 64] and -count["fit"]["slope"] == near(1, abs=tolerance)


def test_an_area_has_dimension_two():
    count = measures.box_count(np.ones((700, 1023), bool))
    assert -count["fit"]["slope"] == near(2) and count["fit"]["r2"] == near(1)
    assert list(count["mean"]) == [960 * 640 / side ** 2 for side in count["sides"]]  # 960 x 640 cells are covered


def test_no_coast_has_no_dimension():
    beach = grid(200, 150, lambda x, y: 300.5 - x)
    assert measures.box_count_level(beach, -1000)["fit"] is None and measures.box_count_level(beach, 1000)["fit"] is None


def koch(depth):
    turns = np.zeros(1)
    for _ in range(depth):
        turns = (np.array([0, math.pi / 3, -math.pi / 3, 0])[:, None] + turns).ravel()
    return np.concatenate([[0], np.cumsum(np.exp(1j * turns))]) / 3 ** depth


def test_the_koch_curve_has_its_dimension():
    coasts = pytest.importorskip("coasts")
    curve = koch(7)
    cells = np.zeros((800, 2200), bool)
    cells[100 + (curve.imag * 1950).astype(int), 100 + (curve.real * 1950).astype(int)] = True
    count = measures.box_count(cells)
    assert -count["fit"]["slope"] == near(KOCH, abs=0.03) and count["fit"]["r2"] > 0.999
    # a step of 3^-k ends where one of the curve's 4^k parts does; a hair less, for rounding
    points = np.stack([curve.real, curve.imag], axis=-1)
    for k in range(1, 6):
        assert coasts.walk(points, 0.99999 * 3.0 ** -k) == near((4 / 3) ** k, rel=0.01)


def test_dividers_walk_as_stated():
    coasts = pytest.importorskip("coasts")
    straight, corner = np.array([[0.0, 0], [7, 0], [10, 0]]), np.array([[0.0, 0], [3, 0], [3, 4]])
    for way in (1, -1):
        assert coasts.walk(straight[::way], 1.5) == near(10)
        assert coasts.walk(straight[::way], 50) == near(10)  # never leaves the first sphere
        assert coasts.walk(corner[::way], 5) == near(5)


@pytest.mark.skipif(not os.path.exists("/usr/share/gmt-gshhg/binned_GSHHS_h.nc"), reason="gmt-gshhg-high is not installed")
def test_a_coast_is_found():
    """Both ways round Britain start and end alike, and have no jumps."""
    coasts = pytest.importorskip("coasts")
    lands_end, cape_wrath, duncansby, dover = (50.07, -5.72), (58.63, -5.00), (58.64, -3.03), (51.13, 1.33)
    ring = coasts.Shorelines(coasts.FILE).ring(lands_end)
    west, east = (coasts.stretch(ring, lands_end, via, duncansby) for via in (cape_wrath, dover))
    assert 3000 < len(west) < 6000 and 2000 < len(east) < 5000 and len(west) + len(east) == len(ring) + 2
    assert (west[0] == east[0]).all() and (west[-1] == east[-1]).all()
    for line in (west, east):
        north, along = np.abs(np.diff(line, axis=0)).T
        assert north.max() < 0.1 and np.minimum(along, 360 - along).max() < 0.2


# ---- Ground ----------------------------------------------------------------------------------------------------------

def test_a_plane_has_one_slope():
    plane = grid(128, 96, lambda x, y: 3 * x + 2 * y)  # 10 m apart to the east, 5 m to the south
    slope, extremes = measures.slopes(plane, 10, 5, -1)
    assert slope["samples"] == 126 * 94 and slope["mean_degrees"] == near(math.degrees(math.atan(0.5)), abs=1e-4)
    assert slope["median_degrees"] == near(slope["mean_degrees"], abs=0.011) and slope["deviation_degrees"] < 0.01
    assert slope["share_of_each_degree"][26] == near(1) and extremes["pit_share"] == extremes["peak_share"] == 0
    found = measures.hypsometry(plane, -1)
    assert found["integral"] == near(0.5, abs=1e-4)
    curve = found["share_at_or_above_each_percent"]
    assert curve[0] == 1 and curve[50] == near(0.5, abs=0.02) and curve[100] == 0


def test_extremes_are_counted():
    bowl = grid(200, 120, lambda x, y: (x - 100) ** 2 + (y - 60) ** 2)
    for heights, which in ((bowl, "pit_share"), (-bowl, "peak_share")):
        found = measures.slopes(heights, 1, 1, -1e6)[1]
        assert found.pop(which) == 1 / found.pop("samples") and list(found.values()) == [0]
    assert math.isnan(measures.hypsometry(bowl, 1e6)["integral"]) and math.isnan(measures.slopes(bowl, 1, 1, 1e6)[0]["median_degrees"])
    plain = np.full((50, 60), 7.0)
    assert math.isnan(measures.hypsometry(plain, 7)["integral"]) and measures.slopes(plain, 1, 1, 7)[0]["median_degrees"] < 0.01


# ---- Relief by size --------------------------------------------------------------------------------------------------

def test_a_wave_stands_at_its_frequency():
    heights = grid(500, 403, lambda x, y: 5 * np.sin(2 * np.pi * (3 * x * 0.8 + 4 * y * 0.6) / 120) + 9 * x - 8 * y)
    found = measures.spectrum(heights, 3, 4)
    assert found["samples"] == [500, 400]
    most = found["power_m4"].argmax()
    assert found["frequency_cycles_per_m"][most] == near(1 / 120, rel=0.06)
    assert found["power_m4"][most] > 0.5 * found["power_m4"].sum()


@pytest.mark.parametrize("beta", [2.6, 3.0, 3.4])  # Hurst 0.3, 0.5, 0.7
def test_noise_has_its_exponents(beta):
    frequency = np.hypot(np.fft.fftfreq(512), np.fft.fftfreq(512)[:, None])
    frequency[0, 0] = math.inf
    heights = np.fft.ifft2(frequency ** (-beta / 2) * np.exp(2j * np.pi * dice.random((512, 512)))).real
    found, rough = measures.spectrum(heights, 1, 1), measures.roughness(heights)
    assert found["beta"] == near(beta, abs=0.1) and found["fit"]["r2"] > 0.98
    assert rough["box_samples"] == [4, 8, 16, 32, 64, 128] and rough["exponent"] == near(beta / 2 - 1, abs=0.12)


def test_power_is_a_density():
    """White noise of variance 1/3: its power, over frequencies of area 1 / (dx dy), is dx dy / 3 throughout."""
    found = measures.spectrum(dice.uniform(-1, 1, (480, 640)), 2, 5)
    fine = found["frequency_cycles_per_m"] > 16 * found["band_cycles_per_m"][0]
    assert found["power_m4"][fine] == near(10 / 3, abs=0.2) and found["beta"] == near(0, abs=0.1)


def test_planes_are_not_rough():
    found = measures.roughness(grid(300, 200, lambda x, y: 0.3 * x + 0.4 * y))
    assert found["box_samples"] == [4, 8, 16, 32] and max(found["rms_m"]) < 1e-9


# ---- Drainage --------------------------------------------------------------------------------------------------------

def test_a_ramp_drains_straight():
    """Every row runs west on its own: sample i walks i steps, but for those on the border, which stand still."""
    found = measures.drainage(grid(50, 20, lambda x, y: x), 3, 7, -1)
    assert found["length_m"] == near(3 * 18 * (48 * 49 / 2) / 1000)
    assert (found["ends_at_border"], found["ends_in_pits"], found["ends_in_sea"]) == (1, 0, 0)


def test_no_land_has_no_drainage():
    found = measures.drainage(grid(50, 20, lambda x, y: x), 1, 1, 1000)
    assert math.isnan(found["length_m"]) and math.isnan(found["ends_in_pits"]) and found["fit"] is None


def test_slopes_fall_with_area():
    """Column x drains x samples of its row to the east, by a slope of x^-0.45."""
    falls = np.maximum(np.arange(4200.0), 1) ** -0.45
    found = measures.drainage(np.tile(falls[::-1].cumsum()[::-1], (18, 1)), 1, 1, -1)
    assert found["fit"]["points"] == 14 and found["fit"]["r2"] > 0.9999 and found["concavity"] == near(0.45, abs=0.002)
    assert found["area_samples"][0] == near(38.5)  # 32 .. 45, each in every row but the border's
    assert found["slope"][0] == near(38.5 ** -0.45, abs=0.002)


def test_paths_add_up():
    """Beside a second walk, path by path, over rough ground with flats, pits and water."""
    heights = dice.integers(0, 40, (47, 60)) + np.arange(60) * 0.5  # many are equal
    length, ends = 0.0, {"ends_in_sea": 0, "ends_at_border": 0, "ends_in_pits": 0}
    starts = [(j, i) for j in range(47) for i in range(60) if heights[j, i] >= 12]
    for j, i in starts:
        while True:
            if heights[j, i] < 12 or i in (0, 59) or j in (0, 46):
                ends["ends_in_sea" if heights[j, i] < 12 else "ends_at_border"] += 1
                break
            fall, _, y, x = max(((heights[j, i] - heights[j + y, i + x]) / math.hypot(y, x), -k, y, x)
                                for k, (y, x) in enumerate((y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if x or y))
            if fall <= 0:
                ends["ends_in_pits"] += 1
                break
            length, j, i = length + math.hypot(y, x), j + y, i + x
    found = measures.drainage(heights, 1, 1, 12)
    assert found["length_m"] == near(length / len(starts))
    assert min(ends.values()) > 50 and {name: found[name] * len(starts) for name in ends} == near(ends)


@pytest.mark.parametrize("width,height", [(16, 16), (17, 16), (16, 31), (67, 331), (1021, 16)])
def test_odd_rasters_are_measured(width, height):
    island = grid(width, height, lambda x, y: 400 - np.hypot(x - 511.7, y - 509.2))
    for heights in (island, 0 * island):
        assert measures.measure(heights, 1, 1, 0, 0)["samples"] == [width, height]


# ---- The recipe that ships -------------------------------------------------------------------------------------------

def test_the_recipe_is_as_real_ground():
    """Windows of 2048 x 2048 samples at level 5, 65 km wide, one of each seed at a place drawn within 2^25 m. What they have
    of coast (where that is 16 km or more) and of land (where that is a fiftieth or more) is pooled.

    Real coasts have dimensions from 1.02 to 1.25 (Richardson 1961), Norway's 1.52; half of all land is flatter than 5.5 degrees
    (Tang 2020); hypsometric integrals of 0.35 to 0.6 are called mature (Strahler 1952).
    """
    windows = 64 if os.environ.get("TERRANE_TEST_LONG") else 32
    places = dice.integers(-(1 << 20), 1 << 20, (windows, 2))

    def measure(seed):
        heights = source.window(seed, 5, *places[seed - 1], 2048, 2048, "--variant=base").astype(float)
        coast, slope, land = measures.box_count_level(heights, 0), measures.slopes(heights, 32, 32, 0)[0], heights >= 0
        return (coast["mean"] if coast["mean"][0] > 500 else None, slope["samples"] * slope["share_of_each_degree"],
                measures.hypsometry(heights, 0)["integral"] if land.mean() >= 0.02 else None)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        coasts, slopes, integrals = zip(*pool.map(measure, range(1, windows + 1)))
    coasts, integrals = ([one for one in many if one is not None] for many in (coasts, integrals))
    fit = measures.fit_counts([2 << k for k in range(6)], np.mean(coasts, axis=0))
    assert len(coasts) >= windows / 4 and 1.10 < -fit["slope"] < 1.30 and fit["r2"] > 0.99
    share = np.sum(slopes, axis=0).cumsum()
    assert 4 <= np.searchsorted(share, share[-1] / 2) < 8
    assert len(integrals) >= windows / 2 and 0.3 < np.mean(integrals) < 0.6
