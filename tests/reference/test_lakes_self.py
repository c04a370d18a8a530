"""The reference's lakes on their own: basins whose level is known. Needs no library."""
import pytest

from arithmetic import F32, ZERO
from recipe import SUM, Lakes, Partition, Recipe, Term, Zone
import lakes

RADIUS = 6


def ring(x, y):
    return max(abs(x), abs(y))


def fill(height, depth_m=100, shallow_m=0, sea_m=-50):
    """(level, number of samples, of the shore's) of the lake that starts at (0, 0), or None."""
    made = Lakes(share=F32(1), cell_log2=8, radius=RADIUS, depth_m=F32(depth_m), shallow_m=F32(shallow_m))
    recipe = Recipe(term=(Term(op=SUM),), partition=Partition(zone=(Zone(),)), sea_m=F32(sea_m), lakes=made)
    found = lakes.Basin(recipe, lambda x, y: F32(height(x, y)), 0, 0).lake()
    return found and (found[0], len(found[1]), len(found[2]))


def bowl(x, y):
    return 2 * ring(x, y) if ring(x, y) < 4 else 9 - ring(x, y)


def gap(x, y):
    return 1 if (x, y) == (RADIUS, 0) else ring(x, y)


@pytest.mark.parametrize(
    "height, numbers, expected",
    [
        (bowl, {}, (6, 25, 24)),
        (bowl, {"depth_m": 3}, (3, 9, 5**2 - 3**2)),
        (bowl, {"shallow_m": 6}, None),
        (bowl, {"sea_m": 1}, None),
        (lambda x, y: min(bowl(x, y), 5 if x > 2 and y == 0 else 99), {}, (5, 25, 56)),
        (ring, {}, None),
        (ring, {"depth_m": RADIUS}, (RADIUS, 11**2, 13**2 - 11**2)),
        (gap, {}, (RADIUS - 1, 9**2, 11**2 - 9**2)),
        (lambda x, y: -1 if (x, y) == (2, 2) else gap(x, y) / 2, {"sea_m": -0.5}, (0.5, 1, 8)),
        (lambda x, y: 3, {}, None),
        (lambda x, y: -x, {}, None),
    ],
)
def test_basins(height, numbers, expected):
    assert fill(height, **numbers) == expected


def test_water_between_samples():
    levels = {(0, 0): F32(5), (1, 0): F32(5), (0, 1): F32(5), (1, 1): F32(7), (2, 0): lakes.DRY, (2, 1): lakes.DRY}
    recipe = Recipe(sea_m=ZERO, lakes=Lakes(share=F32(1), level=2, cell_log2=3, radius=4, depth_m=F32(1)))

    def seen(level, gi, gj, height):
        return lakes.water(recipe, level, gi, gj, F32(height), lambda x, y: levels[x, y])

    assert seen(2, 1, 1, 4) == (7, 3) and seen(0, 4, 4, 4) == (7, 3)
    assert seen(0, 3, 4, 4) == (5, 1) and seen(0, 1, 1, 5) == (5, 0)
    assert seen(0, 5, 2, 4) == (4, 0) and seen(0, 5, 2, -4) == (0, 4)
    assert seen(3, 0, 0, 4) == (5, 1) and seen(4, 0, 0, 4) == (4, 0)
