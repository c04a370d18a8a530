"""Sets of compare.py that are lakes: small grounds, drawn here and sent to the library with the question.

Ground has few heights, so that ties abound, or is smooth; it lies anywhere. A set asks for the lakes of a
window, then for the water over windows of other levels, with those lakes.
"""
import numpy as np

from arithmetic import F32, ZERO
from differences import Asked
from draw import Window
from ops import SUM
from recipe import LEVEL_MAX, Lakes, Partition, Recipe, Term, Zone, packed
import lakes
import world_reference as ref

PLACES = (0, -37, 2**32 - 5, 2**48 - 20, -(2**48) + 11)
PLACE_MOST = 2**50


def draw_recipe(rng, number):
    depth_m = F32(rng.choice((0, 0.25, 1.5, 3, 1000, 1000, 1000, 1000)))
    made = Lakes(
        share=F32(rng.choice((1, 1, 0.7, 0.3, rng.random()))) if number else ZERO,
        level=rng.randint(0, LEVEL_MAX),
        cell_log2=rng.choice((3, 3, 3, 4, 5)),
        radius=rng.randint(4, 11),
        depth_m=depth_m,
        shallow_m=rng.choice((ZERO, ZERO, min(F32(0.25), depth_m), depth_m * F32(0.5))),
    )
    zone = Zone(term=-1, colour=(1, 2, 3))
    return Recipe(
        sea_m=F32(rng.choice((-1000, -1000, -2.5, -1.5))),
        term=(Term(op=SUM),),
        partition=Partition(zone=(zone,)),
        lakes=made,
    )


def draw_ground(rng, columns, rows):
    """[y, x]"""
    draw, kind = np.random.default_rng(rng.getrandbits(32)), rng.randrange(4)
    if kind == 0:
        return draw.integers(-3, 4, (rows, columns)).astype(F32)
    if kind == 1:
        plateaus = draw.integers(-2, 4, (rows // 3 + 1, columns // 3 + 1))
        return np.repeat(np.repeat(plateaus, 3, 0), 3, 1)[:rows, :columns].astype(F32)
    ground = draw.random((rows, columns))
    for _ in range(rng.randint(1, 4)):
        for axis in (0, 1):
            ground = (np.roll(ground, 1, axis) + ground + np.roll(ground, -1, axis)) / 3
    ground = (ground - np.median(ground)) * rng.choice((9, 27, 90))
    return (np.round(ground * 4) / 4 if kind == 2 else ground).astype(F32) + ZERO


def words(values):
    return np.asarray(values, F32).astype(">f4").tobytes().hex()


class LakesSet(Asked):
    def __init__(self, seed, number):
        rng = self.dice("lakes", seed, number)
        self.world = ref.World(draw_recipe(rng, number), rng.getrandbits(64))
        self.recipe, self.seed = self.world.recipe, self.world.seed
        gi, gj = (rng.choice(PLACES) + rng.randint(-9, 9) for _ in range(2))
        level, columns, rows = self.recipe.lakes.level, rng.randint(1, 30), rng.randint(9, 30)
        self.window = Window(level, gi, gj, 1, columns, rows)
        self.halo = 2 * self.recipe.lakes.radius
        self.ground = draw_ground(rng, columns + 2 * self.halo, rows + 2 * self.halo)
        self.levels = lakes.levels(self.recipe, self.seed, (gi, gj, columns, rows), self.height)
        seen = [self.draw_seen(rng, coarser) for coarser in (0, -1, -2, -5, 1, 2, 3)]
        self.seen = [one for one in seen if one]

    def height(self, gi, gj):
        y, x = gj - self.window.gj + self.halo, gi - self.window.gi + self.halo
        assert x >= 0 and y >= 0
        return self.ground[y, x]

    def level_at(self, gi, gj):
        y, x = gj - self.window.gj, gi - self.window.gi
        assert x >= 0 and y >= 0
        return self.levels[y, x]

    def draw_span(self, rng, g, count, coarser, step):
        """(g, count) of samples of another level between the first and the last of the lakes'."""
        if coarser >= 0:
            first, last = -(-g >> coarser), g + count - 1 >> coarser
        else:
            first, last = g << -coarser, g + count - 1 << -coarser
        first += rng.randint(0, 3)
        return first, min(40, (last - first) // step + 1)

    def draw_seen(self, rng, coarser):
        """(window, its heights), where the lakes cover one."""
        w, step = self.window, rng.choice((1, 1, 2, 3))
        gi, columns = self.draw_span(rng, w.gi, w.width, coarser, step)
        gj, rows = self.draw_span(rng, w.gj, w.height, coarser, step)
        level = w.level + coarser
        if not 0 <= level <= LEVEL_MAX or min(columns, rows) < 1 or max(abs(gi), abs(gj)) > PLACE_MOST:
            return None
        return Window(level, gi, gj, step, columns, rows), draw_ground(rng, columns, rows)

    def questions(self):
        w = self.window
        place = f"{w.gi} {w.gj} {w.width} {w.height}"
        found = [f"recipe {packed(self.recipe).hex()}", f"lakes {self.seed} {place} {words(self.ground)}"]
        for window, heights in self.seen:
            found.append(f"water {' '.join(window.words())} {words(heights)} {place} {words(self.levels)}")
        return found

    def compare(self, answers, out):
        asked = [("level", self.window, [self.levels.ravel()])]
        for window, heights in self.seen:
            asked.append((f"window {' '.join(window.words())}: surface, depth", window, self.water(window, heights)))
        for (what, window, channels), answer in zip(asked, answers[1:]):
            wanted = words(np.concatenate(channels))
            out.expect_samples(what, answer.split(" "), [wanted[k : k + 8] for k in range(0, len(wanted), 8)], window)

    def water(self, window, heights):
        """[surfaces, depths]"""
        pairs = []
        for n in range(window.width * window.height):
            j, i = divmod(n, window.width)
            gi, gj = window.gi + i * window.step, window.gj + j * window.step
            pairs.append(lakes.water(self.recipe, window.level, gi, gj, heights[j, i], self.level_at))
        return list(zip(*pairs))
