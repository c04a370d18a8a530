"""Sets of compare.py that are edits: a list of operations, windows of some levels over it, and its digest."""
from arithmetic import F32, ONE
from bases import PERLIN5, VALUE
from differences import Asked, f32_word
from draw import Window
from draw_erosion import fractal
from edits import LEVEL, LOWER, MARK, NOISE, RAISE, WAY, Edit, Ground, digest
from fractals import FBM, RIDGED
from ops import SUM
from recipe import GENERATORS, Partition, Recipe, Term, Zone, packed
import world_reference as ref

MOST = {RAISE: 2**26, LOWER: 2**26, NOISE: 2**20, MARK: 0}
PLACES = (0, 12345, -(2**52) + 50, 2**52 - 50, 2**36 - 9)


def draw_recipe(rng):
    """Two fractals, and their sum."""
    terms = [fractal(rng, rng.choice((PERLIN5, VALUE)), rng.choice((FBM, RIDGED)), 2.0 ** rng.randint(3, 12), rng.choice((3, 200, 20000))) for _ in range(2)]
    terms.append(Term(op=SUM, inputs=2, in_=(0, 1) + (0,) * 6, factor=(rng.choice((ONE, ONE, F32(8))),) * 2 + (F32(0),) * 6))
    return Recipe(term=tuple(terms), partition=Partition(zone=(Zone(),)), generator=rng.choice(GENERATORS))


def draw_line(rng, x, y, around):
    """That keeps its slope, or does not; near itself, or far."""
    line = [(x, y, rng.randint(-(2**20), 2**20))]
    while len(line) < rng.choice((2, 3, 9)):
        x, y, height = line[-1]
        point = *(min(max(v + rng.randint(-around // 2, around // 2), -(2**52)), 2**52) for v in (x, y)), height + rng.randint(-(2**18), 2**18)
        line += [point] if point[:2] != (x, y) else []
    return tuple(line)


def draw_edit(rng, place, around):
    x, y = (min(max(p + rng.randint(-around, around), -(2**52)), 2**52) for p in place)
    brush = rng.randint(RAISE, WAY)
    if brush == MARK:
        return Edit(brush, x, y)
    outer = min(2**20, max(1, int(around * 2 ** rng.uniform(-4, 1))))
    most = MOST.get(brush, 65536)
    if brush == WAY:
        outer = max(1, outer // 4)
        line = draw_line(rng, x, y, around)
        return Edit(brush, x, y, rng.choice((0, outer, rng.randint(0, outer))), outer, rng.choice((most, rng.randint(1, most))), slope=rng.choice((1, 9000, 4 * 65536)), line=line)
    return Edit(brush, x, y, rng.choice((0, outer, rng.randint(0, outer))), outer, rng.choice((most, rng.randint(1, most), rng.randint(1, 2**14))),
                rng.randint(-(2**22), 2**22) if brush == LEVEL else 0, rng.randint(0, 1) if brush == NOISE else 0)


class EditsSet(Asked):
    def __init__(self, seed, number):
        rng = self.dice("edits", seed, number)
        self.world = ref.World(draw_recipe(rng), rng.getrandbits(64))
        self.seed = self.world.seed
        level, finer = rng.randint(0, 11), rng.randint(-3, 5)
        place = rng.choice(PLACES), rng.choice(PLACES)
        around = 256 * 2**level
        self.edits = [draw_edit(rng, place, around) for _ in range(rng.randint(1, 12))]
        level = max(0, level - finer)
        step, columns, rows = rng.choice((1, 1, 3)), rng.randint(1, 12), rng.randint(1, 9)
        gi, gj = ((p >> level + 4) - n * step // 2 + rng.randint(-8, 8) for p, n in zip(place, (columns, rows)))
        self.window = Window(level, gi, gj, step, columns, rows)

    def questions(self):
        w = self.window
        edits = " ".join(edit.words() for edit in self.edits)
        return [f"recipe {packed(self.world.recipe).hex()}", f"edit {self.seed} {' '.join(w.words())} {len(self.edits)} {edits}"]

    def compare(self, answers, out):
        w = self.window
        ground = Ground(self.world, w.level, [w.gi + i * w.step for _ in range(w.height) for i in range(w.width)],
                        [w.gj + j * w.step for j in range(w.height) for _ in range(w.width)])
        ground.apply(self.edits)
        words = answers[1].split(" ")
        out.expect("digest", words.pop(), digest(self.edits).hex())
        out.expect_samples("heights", words, [f32_word(h) for h in ground.edited()], w)
