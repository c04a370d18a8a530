"""Sets of compare.py that are drained worlds: where the water of a window goes, how much it is, and how high its ground is.

Base heights are the library's, as in sets of erosion, and so is a term that says how much runs off.
"""
from dataclasses import replace
import struct

from arithmetic import F32
from bases import PERLIN5, VALUE
from differences import Asked, f64_word
from drainage import Drainage
from draw import Window
from draw_erosion import fractal
from fractals import FBM, RIDGED
from ops import SUM
from recipe import GENERATORS, LATE, Droplets, ErodedLevel, Erosion, Ice, Partition, Recipe, Rivers, Term, Zone, digest, packed
import world_reference as ref


def draw_recipe(rng, level, bottom, top):
    """Hills of the level on hills of the coarsest one, with a sea or without."""
    amplitude_m = 2.0 ** rng.uniform(3, 13)
    far = rng.randint(40, 300)
    made = Rivers(
        runoff=rng.choice((-1, -1, 0)),
        top=top,
        bottom=bottom,
        steepness=F32(2.0 ** rng.uniform(-2, 8)),
        rise=F32(rng.choice((0, 0.08, 1))),
        concavity=F32(rng.uniform(0.2, 0.8)),
        cut_m=F32(rng.choice((0, 200, amplitude_m))),
        fill=F32(rng.choice((0, 0.1, 0.5, 1))),
        shallow_m=F32(2.0 ** rng.uniform(-3, 5)),
        sources_ha=F32(2.0 ** rng.uniform(-2, 12)),
        runoff_mm=F32(rng.choice((0, 0.6, 400, 16384))),
        inland_km=F32(min(4096, max(16, far / 16 * 2.0**top / 1000))),
    )
    hills = [fractal(rng, rng.choice((PERLIN5, VALUE)), rng.choice((FBM, RIDGED)), 2.0 ** (top + rng.randint(1, 4)), amplitude_m)]
    hills.append(fractal(rng, PERLIN5, FBM, 2.0 ** (level + rng.randint(1, 3)), amplitude_m * 2.0 ** -rng.uniform(1, 6)))
    from_m = amplitude_m * rng.uniform(-1, 0.5)
    ice = Ice(*map(F32, (2.0 ** rng.uniform(0, 13), from_m, from_m + amplitude_m * rng.uniform(-0.1, 1)))) if rng.random() < 0.5 else Ice()
    both = Term(op=SUM, inputs=2, in_=(0, 1) + (0,) * 6, factor=(F32(1),) * 2 + (F32(0),) * 6)
    return Recipe(
        sea_m=F32(amplitude_m * rng.choice((-3, -0.4, -0.1, 0, 0, 0.2))),
        term=(*hills, both),
        partition=Partition(zone=(Zone(term=-1),)),
        erosion=Erosion((ErodedLevel(),) * bottom, F32(2.0**-10), (replace(Droplets(), talus_deg=F32(35)),)),
        rivers=replace(made, **{name: rng.choice((values[0], *values)) for name, values in LATE.items()}),
        ice=ice,
        generator=rng.choice(GENERATORS),
        spacing_m=rng.choice((1.0, 1.0, 1.0, 256.0)),
    )


class DrainageSet(Asked):
    def __init__(self, seed, number):
        rng = self.dice("drainage", seed, number)
        bottom = rng.randint(4, 8)
        top = bottom + 2 * rng.randint(1, 3)
        level = rng.randint(bottom, top)
        place = [rng.choice((0, -7, 2**40, -(2**40))) + rng.randint(-99, 99) for _ in (0, 1)]
        self.window = Window(level, *place, 1, rng.randint(8, 24), rng.randint(8, 24))
        self.recipe, self.seed = draw_recipe(rng, level, bottom, top), rng.getrandbits(64)
        self.world = ref.World(self.recipe, self.seed)
        # Which heights are asked does not depend on how high they may be.
        self.asked = Drainage(self.world, 0.0, 0.0, None).asked(level, *self.place())

    def questions(self):
        rest = " ".join(str(n) for n in self.place())
        heights = self.heights(self.asked)
        found = [f"recipe {packed(self.recipe).hex()}", "erosion 0", f"drain {self.seed} {self.window.level} {rest}"]
        rain = replace(self.recipe, term=self.recipe.term[:1], rivers=Rivers(), ice=Ice())
        return found + heights + [f"recipe {packed(rain).hex()}"] + heights

    def compare(self, answers, out):
        about, got = answers[1].split(" "), answers[2].split(" ")
        known, rain = (self.known(answers[first:]) for first in (3, 4 + len(self.asked)))
        low, high = (struct.unpack(">d", bytes.fromhex(word))[0] for word in about[2:4])
        drainage = Drainage(
            self.world, low, high, lambda level, *window: known[level, window], lambda level, *window: rain[level, window]
        )
        out.expect("digest", answers[0].split(" ")[1], digest(self.world.recipe).hex())
        out.expect("unit", about[0], f64_word(drainage.unit))
        self.cells = drainage.drained(self.window.level, *self.place())
        wanted = [f"{z},{runoff},{to},{':'.join(map(str, stem)) if stem else '-'}" for z, runoff, to, stem in self.cells]
        out.expect_samples("z, runoff, receiver, stem", got, wanted, self.window)
