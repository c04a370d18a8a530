"""The optimum by linear programming against the library: distance, relaxation and the fast way.

OPTIMUM and COMPARE name the programs (patch/patch.mk). Problems are small grounds with a bent path.
"""
import json
import os
import struct
import subprocess

import numpy as np
import pytest

OPTIMUM = os.environ.get("OPTIMUM", "build/optimum")
COMPARE = os.environ.get("COMPARE", "build/compare")

SIDES = [9, 13, 17]
EXTENT = 256.0


def problem(side, slope, seed):
    """Ground of 0 .. 1, and a path with a ring beside it: arrays as the programs read them."""
    dice = np.random.default_rng(seed)
    ground = np.zeros((side, side))
    swing, cells = 0.5, 2
    while cells < side:
        knots = dice.random((cells + 1, cells + 1))
        at = np.linspace(0, cells, side)
        low = np.minimum(at.astype(int), cells - 1)
        part = at - low
        rows = knots[low] * (1 - part[:, None]) + knots[low + 1] * part[:, None]
        ground += swing * (rows[:, low] * (1 - part) + rows[:, low + 1] * part)
        swing, cells = swing * 0.6, cells * 2
    y, x = np.mgrid[0:side, 0:side].astype(float)
    u = x - side / 2
    steep = 2 * u / side
    length = np.sqrt(1 + steep**2)
    away = np.abs(y - (side * 0.3 + u**2 / side)) / length
    width = max(1.5, side / 10)
    gradient = np.where(away <= width / 2, slope, -1)
    beside = slope + 0.05 * np.sqrt((away - width / 2).clip(0) / width)
    across = np.where((away > width / 2) & (away <= 1.5 * width), beside, -1)
    return ground, gradient, across, -steep / length, 1 / length


def write(path, side, arrays):
    ground, *limits = arrays
    with open(path, "wb") as file:
        file.write(struct.pack("<id", side, EXTENT / (side - 1)))
        file.write(ground.astype("<f8").tobytes())
        for limit in limits:
            file.write(limit.astype("<f4").tobytes())


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("slope", [0.0005, 0.0035])
@pytest.mark.parametrize("seed", [1, 2])
def test_optimum(tmp_path, side, slope, seed):
    arrays = problem(side, slope, seed)
    write(tmp_path / "problem", side, arrays)
    optimum = run(OPTIMUM, "-o", tmp_path / "heights", tmp_path / "problem")
    ours = run(COMPARE, tmp_path / "problem", tmp_path / "heights")

    # The flow that the program found for its own heights is no dearer than it need be, and so says the library's.
    assert ours["optimum"] == pytest.approx(optimum["distance"], rel=1e-4, abs=1e-3)
    # What keeps the limits is no nearer; T_s lets the relaxation's be 1e-5 steeper.
    assert ours["carved"] >= optimum["distance"] * 0.999 and ours["relaxed"] >= optimum["distance"] * 0.9 > 0

    heights = np.fromfile(tmp_path / "heights", "<f8").reshape(side, side)
    spacing = EXTENT / (side - 1)
    _, gradient, across, across_x, across_y = (a.astype("<f4").astype(float) for a in arrays)
    for qx, qy in ((1, 1), (-1, 1), (1, -1), (-1, -1)):
        ys, xs = slice(max(0, -qy), side - max(0, qy)), slice(max(0, -qx), side - max(0, qx))
        here = heights[ys, xs]
        sx = (heights[ys, slice(xs.start + qx, xs.stop + qx)] - here) / spacing
        sy = (heights[slice(ys.start + qy, ys.stop + qy), xs] - here) / spacing
        held = gradient[ys, xs]
        assert (np.hypot(sx, sy)[held >= 0] <= held[held >= 0] + slope * 1e-4).all()
        beside = across[ys, xs]
        along = np.abs(qx * sx * across_x[ys, xs] + qy * sy * across_y[ys, xs])
        assert (along[beside >= 0] <= beside[beside >= 0] + slope * 1e-4).all()
