"""The measures of terrane analyze on ground of which they are known, the coasts of GSHHG, and the recipe that ships."""
import concurrent.futures
import heapq
import math
import os
import pathlib
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "analyze"))
import measures  # noqa: E402
import network  # noqa: E402
import source  # noqa: E402

source.PROGRAM = os.environ.get("TERRANE", ROOT / "build" / "terrane")
KOCH = math.log(4) / math.log(3)
near = pytest.approx


@pytest.fixture
def dice():
    """The same for each test, whichever others run."""
    return np.random.default_rng(12345)


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


def test_cliffs_are_as_long_as_they_are():
    heights = np.zeros((90, 120))
    heights[20, 10:40] = heights[range(30, 37), range(40, 47)] = 50
    for turn in (heights, heights.T, heights[:, ::-1], -heights):
        found = measures.cliffs(turn, 10, 10, -100)
        assert (found["axis_samples"], found["diagonal_samples"]) == (30, 7)
    assert measures.cliffs(heights, 10, 60, -1)["axis_samples"] == 1 and measures.cliffs(heights, 60, 60, -1)["steep_share"] == 0
    assert found["steep_share"] == near((2 * 30 + 2 + 4 * 7) / (2 * heights.size)) and math.isnan(measures.cliffs(heights, 1, 1, 100)["steep_share"])


# ---- Relief by size --------------------------------------------------------------------------------------------------

def test_a_wave_stands_at_its_frequency():
    heights = grid(500, 403, lambda x, y: 5 * np.sin(2 * np.pi * (3 * x * 0.8 + 4 * y * 0.6) / 120) + 9 * x - 8 * y)
    found = measures.spectrum(heights, 3, 4)
    assert found["samples"] == [500, 400]
    most = found["power_m4"].argmax()
    assert found["frequency_cycles_per_m"][most] == near(1 / 120, rel=0.06)
    assert found["power_m4"][most] > 0.5 * found["power_m4"].sum()


@pytest.mark.parametrize("beta", [2.6, 3.0, 3.4])  # Hurst 0.3, 0.5, 0.7
def test_noise_has_its_exponents(beta, dice):
    frequency = np.hypot(np.fft.fftfreq(512), np.fft.fftfreq(512)[:, None])
    frequency[0, 0] = math.inf
    heights = np.fft.ifft2(frequency ** (-beta / 2) * np.exp(2j * np.pi * dice.random((512, 512)))).real
    found, rough = measures.spectrum(heights, 1, 1), measures.roughness(heights)
    assert found["beta"] == near(beta, abs=0.1) and found["fit"]["r2"] > 0.98
    assert rough["box_samples"] == [4, 8, 16, 32, 64, 128] and rough["exponent"] == near(beta / 2 - 1, abs=0.12)


def test_power_is_a_density(dice):
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
    assert (found["ends_at_border"], found["inland_share"], found["pits"], found["ends_in_sea"]) == (1, 0, 0, 0)
    assert found["directions"]["W"] == found["directions_of_reaches"]["W"] == 1


def test_no_land_has_no_drainage():
    found = measures.drainage(grid(50, 20, lambda x, y: x), 1, 1, 1000)
    assert math.isnan(found["length_m"]) and math.isnan(found["inland_share"]) and found["fit"] is None
    assert all(math.isnan(found[name]) for name in ("hack_exponent", "bifurcation_ratio", "area_exponent", "pits", "closed_share"))


def test_slopes_fall_with_area():
    """Column x drains x samples of its row to the east, by a slope of x^-0.45."""
    falls = np.maximum(np.arange(4200.0), 1) ** -0.45
    found = measures.drainage(np.tile(falls[::-1].cumsum()[::-1], (18, 1)), 1, 1, -1)
    assert found["fit"]["points"] == 14 and found["fit"]["r2"] > 0.9999 and found["concavity"] == near(0.45, abs=0.002)
    assert found["area_samples"][0] == near(38.5)  # 32 .. 45, each in every row but the border's
    assert found["slope"][0] == near(38.5 ** -0.45, abs=0.002)


def test_paths_add_up(dice):
    """Beside a second walk, path by path, over rough ground with pits and water."""
    heights = dice.permutation(47 * 60).reshape(47, 60) / 70 + np.arange(60) * 0.503  # none is as high as one beside it: no flats
    length, ends = 0.0, {"ends_in_sea": 0, "ends_at_border": 0, "inland_share": 0}
    starts = [(j, i) for j in range(47) for i in range(60) if heights[j, i] >= 12]
    for j, i in starts:
        while True:
            if heights[j, i] < 12 or i in (0, 59) or j in (0, 46):
                ends["ends_in_sea" if heights[j, i] < 12 else "ends_at_border"] += 1
                break
            fall, _, y, x = max(((heights[j, i] - heights[j + y, i + x]) / math.hypot(y, x), -k, y, x)
                                for k, (y, x) in enumerate((y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if x or y))
            if fall <= 0:
                ends["inland_share"] += 1
                break
            length, j, i = length + math.hypot(y, x), j + y, i + x
    found = measures.drainage(heights, 1, 1, 12)
    assert found["length_m"] == near(length / len(starts))
    assert min(ends.values()) > 50 and {name: found[name] * len(starts) for name in ends} == near(ends)


def valley(floor, wall=50.0):
    """One row between two walls; all else is of the border."""
    return np.array([[wall] * len(floor), floor, [wall] * len(floor)])


def test_basins_are_found():
    """From the sea at 0 up to a pass, down to a pit 2 m below it, up over a flat to a hill."""
    ground = valley([0.0, 5, 3, 6, 7, 7, 7, 8, 60])
    land = 26  # 7 within, of which 6 drain into the pit
    found = measures.drainage(ground, 1, 1, 1)
    known = {"ends_in_sea": 1, "ends_at_border": 19, "inland_share": 6, "pits": 1, "closed_share": 1, "lake_share": 0}
    assert {name: found[name] * land for name in known} == near(known)
    assert found["length_m"] * land == near(1 + 1 + 2 + 3 + 4 + 5)
    for level, inland in ((5, 0), (4.5, 6)):  # a lake up to the pass, and one without an outlet
        found = measures.drainage(ground, 1, 1, 1, valley([1.0, 5, level, 6, 7, 7, 7, 8, 60]))
        assert found["inland_share"] * land == near(inland) and found["lake_share"] * land == near(1)
        assert found["ends_in_sea"] * land == near(7 - inland) and found["pits"] == found["closed_share"] == 0
    dry = measures.drainage(valley([0.0, 5, -3, 6, 7, 7, 7, 8, 60]), 1, 1, 1, valley([1.0, 5, -3, 6, 7, 7, 7, 8, 60]))
    assert dry["inland_share"] * land == near(7) and dry["closed_share"] * land == near(1)  # below the sea, but no sea


def test_basins_fill_as_a_flood_of_samples_has_it(dice):
    """Of rough ground with flats, of which many are closed; and each way then ends at the border, over no pass above it."""
    ground = dice.integers(0, 12, (40, 50)).astype(float)
    level, heap = np.full(ground.shape, math.inf), []
    inner = np.zeros(ground.shape, bool)
    inner[1:-1, 1:-1] = True
    for j, i in zip(*np.nonzero(~inner)):
        heapq.heappush(heap, (ground[j, i], j, i))
        level[j, i] = ground[j, i]
    while heap:
        _, j, i = heapq.heappop(heap)
        for y, x in network.STEPS:
            if 0 <= j + y < 40 and 0 <= i + x < 50 and level[j + y, i + x] == math.inf:
                level[j + y, i + x] = max(level[j, i], ground[j + y, i + x])
                heapq.heappush(heap, (level[j + y, i + x], j + y, i + x))
    to, _ = network.steepest(ground, 1, 1, ground >= 0)
    here = np.arange(to.size)
    network.cross_flats(ground, to, (to == here) & inner.ravel())
    end = network.ends(to)
    pit = (end == here) & inner.ravel()
    basin = np.where(pit, np.cumsum(pit), 0)[end]
    filled, ways = network.passes(ground, basin)
    assert np.array_equal(np.maximum(filled[basin], ground.ravel()), level.ravel()) and pit.sum() == len(ways) > 50
    assert measures.drainage(ground, 1, 1, -1)["closed_share"] == (level - ground > 1).mean()
    network.carve(to, ways)
    assert not inner.ravel()[network.ends(to)].any() and (np.abs(to // 50 - here // 50) <= 1).all()
    assert (level.ravel()[to] <= level.ravel()).all()


def test_closed_flats_have_one_end():
    """A plain of 6 x 4 within a rim is one pit; with a gap it leads out, breadth first."""
    ground = np.full((8, 10), 9.0)
    ground[2:6, 2:8] = 3
    closed, ground[3, :2] = measures.drainage(ground, 1, 1, 0), 3
    found = measures.drainage(ground, 1, 1, 0)
    assert closed["pits"] * 80 == near(1) and closed["inland_share"] * 80 >= 24 and closed["closed_share"] * 80 == near(24)
    assert found["pits"] == found["closed_share"] == found["inland_share"] == 0


def test_channels_are_measured(monkeypatch):
    """West along a valley into a pit, north over its pass, and into the sea around: 1 to 6 samples drain through each."""
    for name, value in (("LEAST", 2), ("ENOUGH", 1), ("REACH", 5)):
        monkeypatch.setattr(measures, name, value)
    ground = np.full((5, 9), -1.0)
    ground[1:4, 1:8] = 50
    ground[1, 2], ground[2, 2:7] = 5, (3, 6, 7, 7.5, 8)
    found = measures.drainage(ground, 1, 1, 0)
    assert list(found["streams"]) == [1] and list(found["stream_length_m"]) == [5] and list(found["stream_area_samples"]) == [6]
    assert list(found["hack_length_m"][:4]) == [1, 2, 3.5, 5] and list(found["hack_area_samples"][:4]) == [2, 3, 4.5, 6]
    assert found["directions"]["W"] == near(3 / 4) and found["directions"]["N"] == near(1 / 4)  # not up from the pit
    assert found["directions_of_reaches"]["NW"] == 1
    river = np.maximum(ground, 0)
    river[2, 3] = 6.2  # ends in the pit, which is no lake for that
    assert measures.drainage(ground, 1, 1, 0, river)["pits"] * 21 == near(1)
    ground[0, 3] = 60  # more may come from there
    found = measures.drainage(ground, 1, 1, 0)
    assert list(found["hack_length_m"][:3]) == [1, 2, 3.5] and math.isnan(found["hack_length_m"][3])


TREE = np.array([4, 4, 5, 5, 6, 6, 7, 8, 8, 7])  # 0 .. 3 and 9 are heads, 8 is the sea


def test_a_network_adds_up():
    land, metres = np.arange(10) != 8, np.array([1.0, 3, 1, 1, 2, 1, 1, 5, 0, 1])
    area, longest, foreign = network.add_up(TREE, land, metres, np.arange(10) == 0)
    assert list(area) == [1, 1, 1, 1, 3, 3, 7, 9, 9, 1] and list(longest) == [0, 0, 0, 0, 3, 1, 5, 6, 11, 0]
    assert list(np.flatnonzero(foreign)) == [0, 4, 6, 7, 8]
    samples, below, order, most = network.strahler(TREE, area, land)
    assert dict(zip(samples, order)) == {0: 1, 1: 1, 2: 1, 3: 1, 9: 1, 4: 2, 5: 2, 6: 3, 7: 3}
    found = measures.horton((samples, below, order, most), area, land * 1.0, np.zeros(10, bool))
    assert list(found["streams"]) == [5, 2, 1] and list(found["stream_length_m"]) == [1, 1, 2]
    assert list(found["stream_area_samples"]) == [1, 3, 9] and found["area_ratio"] == near(3)
    assert found["bifurcation_ratio"] == near((2.5 ** 2 * 2) ** (1 / 3)) and found["length_ratio"] == near(2 ** (1 / 3))
    found = measures.horton((samples, below, order, most), area, land * 1.0, foreign)
    assert list(found["streams"]) == [4, 1, 0] and found["bifurcation_ratio"] == near(2)  # 2 and 3, which join within


def peano(depth):
    """Peano's basin: three quarters of a square drain into the inner corner of the fourth, which holds the outlet."""
    side = 1 << depth
    to = np.arange(side * side)

    def outlet(y, x, size, south, east):
        if size == 1:
            return y * side + x
        half = size // 2
        fourth = (y + half - 1 + south) * side + x + half - 1 + east
        for j in (0, 1):
            for i in (0, 1):
                mine = (j, i) == (south, east)
                last = outlet(y + j * half, x + i * half, half, south if mine else 1 - j, east if mine else 1 - i)
                if not mine:
                    to[last] = fourth
        return (y + south * (size - 1)) * side + x + east * (size - 1)

    outlet(0, 0, side, 1, 1)
    return to


def test_peanos_basin_has_its_numbers():
    """Hack's exponent and that of areas are 1/2, ratios 4, 2 and 4 (Rodriguez-Iturbe and Rinaldo 1997)."""
    to = peano(9)
    land, none = np.ones(to.size, bool), np.zeros(to.size, bool)
    sums = network.add_up(to, land, network.metres(to, 512, 1, 1), none)
    found = measures.channels(to, sums[1] * -1.0, *sums, land, 512, 1, 1)
    assert sums[0][-1] == to.size and sums[1][-1] == near(511 * math.sqrt(2))
    assert found["hack_exponent"] == near(0.5, abs=0.02) and found["area_exponent"] == near(0.5, abs=0.04)
    assert [found[f"{name}_ratio"] for name in ("bifurcation", "length", "area")] == near([4, 2, 4], rel=0.06)


def test_areas_that_go_on_beyond_are_counted_as_such(dice):
    """Areas over a with P = a^-0.43, each seen up to a limit of its own only."""
    area = (1 - dice.random(300_000)) ** (-1 / 0.43)
    limit = np.minimum((1 - dice.random(area.size)) ** (-1 / 0.2), 1e5)
    seen = np.ceil(np.minimum(area, limit)).astype(int)
    found = measures.area_exponent(seen, area <= limit)
    assert found["area_exponent"] == near(0.43, abs=0.01) and found["area_sizes"][[0, -1]].tolist() == [32, 4096]
    assert measures.area_exponent(seen, np.ones(area.size, bool))["area_exponent"] == near(0.63, abs=0.01)


def test_directions_are_shares_of_length():
    """From the middle of 5 x 5: two samples east, one north, one south-west, and one that stays."""
    found = measures.directions(np.full(4, 12), np.array([14, 7, 16, 12]), 5, 3, 4)
    assert found == near({"N": 4 / 15, "NE": 0, "E": 6 / 15, "SE": 0, "S": 0, "SW": 5 / 15, "W": 0, "NW": 0})


@pytest.mark.parametrize("width,height", [(16, 16), (17, 16), (16, 31), (67, 331), (1021, 16)])
def test_odd_rasters_are_measured(width, height):
    island = grid(width, height, lambda x, y: 400 - np.hypot(x - 511.7, y - 509.2))
    for heights in (island, 0 * island):
        assert measures.measure(heights, 1, 1, 0, 0)["samples"] == [width, height]


# ---- The recipe that ships -------------------------------------------------------------------------------------------

def test_the_recipe_is_as_real_ground():
    """Windows of 2048 x 2048 samples at level 5, 65 km wide, one of each seed at a shore of a place drawn within 2^25 m. What they have
    of coast (where that is 16 km or more) and of land (where that is a fiftieth or more) is pooled.

    Real coasts have dimensions from 1.02 to 1.25 (Richardson 1961); hypsometric integrals of 0.35 to 0.6 are called mature (Strahler
    1952).
    """
    windows = 64 if os.environ.get("TERRANE_TEST_LONG") else 32
    places = np.random.default_rng(5).integers(-(1 << 12), 1 << 12, (windows, 2))

    def measure(seed):
        wide = source.window(seed, 13, *places[seed - 1], 256, 256, "--variant=base") >= 0
        shores = np.argwhere(wide[:, 1:] != wide[:, :-1])
        j, i = shores[len(shores) // 2] if len(shores) else (128, 128)
        west, north = ((places[seed - 1] + (i, j)) * 256 - 1024).tolist()
        heights = source.window(seed, 5, west, north, 2048, 2048, "--variant=base").astype(float)
        coast = measures.box_count_level(heights, 0)["mean"]
        return coast if coast[0] > 500 else None, measures.hypsometry(heights, 0)["integral"] if (heights >= 0).mean() >= 0.02 else None

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        coasts, integrals = zip(*pool.map(measure, range(1, windows + 1)))
    coasts, integrals = ([one for one in many if one is not None] for many in (coasts, integrals))
    fit = measures.fit_counts([2 << k for k in range(6)], np.mean(coasts, axis=0))
    assert len(coasts) >= windows / 4 and 1.08 < -fit["slope"] < 1.25 and fit["r2"] > 0.99
    assert len(integrals) >= windows / 2 and 0.3 < np.mean(integrals) < 0.6


# Of drainage, at levels with rivers: medians of windows, and shares of all land. Below level 9 windows are narrower than lakes: of few of
# them one may be all lake.
MEDIANS = {"concavity": (0.40, 0.55), "hack_exponent": (0.48, 0.62), "bifurcation_ratio": (3, 5), "length_ratio": (1.5, 3),
           "area_exponent": (0.40, 0.50)}
SHARES = {"pits": (0, 0), "closed_share": (0, 0.005), "lake_share": (0.005, 0.06), "inland_share": (0, 0.25)}
DIRECTION = (0.085, 0.17)


@pytest.mark.long
@pytest.mark.parametrize("level", [5, 7, 9])
def test_rivers_are_as_real_ones(level):
    """Windows of 512 x 512 samples, one of each seed; those that are a fifth land or more. Half of all land is flatter than 5.5 degrees (Tang
    2020), as the finest lattice shows it."""
    windows = 64 if os.environ.get("TERRANE_TEST_LONG") else 32
    spacing, places = 1 << level, np.random.default_rng(level).integers(-(1 << 25) >> level, (1 << 25) >> level, (windows, 2))

    def measure(seed):
        ground, surface = (source.window(seed, level, *places[seed - 1], 512, 512, f"--layer={layer}").astype(float)
                           for layer in ("height", "surface"))
        slope = measures.slopes(ground, spacing, spacing, 0)[0]
        return ((ground >= 0).mean(), measures.drainage(ground, spacing, spacing, 0, surface),
                slope["samples"] * slope["share_of_each_degree"])

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        land, found, slopes = zip(*[one for one in pool.map(measure, range(1, windows + 1)) if one[0] >= 0.2])
    assert len(found) >= windows / 8
    got = {name: np.nanmedian([one[name] for one in found]) for name in MEDIANS}
    got.update((name, np.average([one[name] for one in found], weights=land)) for name in SHARES)
    bands = {**MEDIANS, **SHARES, **({"lake_share": (0, 0.2)} if level < 9 else {})}
    flowing = [not math.isnan(one["directions"]["N"]) for one in found]
    for direction in measures.COMPASS:
        bands[direction] = DIRECTION
        got[direction] = np.average(np.array([one["directions"][direction] for one in found])[flowing], weights=np.array(land)[flowing])
    share = np.sum(slopes, axis=0).cumsum()
    assert level > 5 or 4 <= np.searchsorted(share, share[-1] / 2) < 8
    assert not {name: got[name] for name, (low, high) in bands.items() if not low <= got[name] <= high}, got
