"""Random recipes with plates, a climate and coarse terms."""
from arithmetic import F32
from draw import draw_f32
from draw_erosion import fractal
from bases import PERLIN5
from fractals import FBM
from ops import COARSE, PLATES, SUM, WEATHER
from recipe import Partition, Plates, Recipe, Term, Weather, Zone


def of_terms(op, of, *inputs):
    return Term(op=op, of=of, inputs=len(inputs), in_=(inputs + (0,) * 8)[:8])


def draw_plates(rng):
    return Plates(
        cell_log2=rng.randint(9, 34), salt=rng.getrandbits(32), land=draw_f32(rng, 0, 1), jitter=draw_f32(rng, 0, 1),
        rounds=rng.randint(0, 4), warp=draw_f32(rng, 0, 0.5), blend=draw_f32(rng, 2.0**-4, 0.5), reach=draw_f32(rng, 2.0**-4, 0.875),
    )


def draw_climate(rng, ground):
    cell_log2, cold = rng.randint(4, 22), draw_f32(rng, -100, 100)
    return Weather(
        cell_log2=cell_log2, period_log2=rng.choice((0, rng.randint(cell_log2 + 6, 40))), ground=ground, salt=rng.getrandbits(32),
        warm_c=draw_f32(rng, cold, 100), cold_c=cold, lapse=draw_f32(rng, 0, 0.1), rain_mm=draw_f32(rng, 0, 16384),
        swing=draw_f32(rng, 0, 4), shadow=draw_f32(rng, 0, 0.1),
    )


def draw_earth(rng):
    """(recipe, level): about as coarse as the nodes, or much finer."""
    plates, climate = draw_plates(rng), draw_climate(rng, 1)
    near = rng.choice((plates.cell_log2 - 6, climate.cell_log2))
    level = min(24, max(0, near + rng.choice((-9, -3, -1, 0, 1, 3))))
    far = 2.0 ** min(40, climate.cell_log2 + rng.randint(2, 5))
    hills = fractal(rng, PERLIN5, FBM, far, 2.0 ** rng.uniform(3, 12))
    ground = of_terms(COARSE, rng.randint(4, climate.cell_log2), 0)
    quantities = [of_terms(PLATES, rng.randrange(10)) for _ in range(2)]
    asked = [of_terms(COARSE, rng.randint(4, 22), 2), of_terms(WEATHER, rng.randrange(3), 1)]
    terms = [hills, ground, *quantities, *asked]
    chosen = rng.sample(range(1, 6), rng.randint(1, 3))
    factor = tuple(F32(rng.choice((1, 0.5, -3))) for _ in range(8))
    terms.append(Term(op=SUM, inputs=len(chosen), in_=tuple((chosen + [0] * 8)[:8]), factor=factor))
    recipe = Recipe(
        spacing_m=2.0 ** rng.randint(-10, 8) if plates.cell_log2 > 24 else rng.choice((1.0, 30.0, 1 / 3, 1000.0)),
        sea_m=draw_f32(rng, -500, 500), term=tuple(terms), partition=Partition(zone=(Zone(term=-1),)), plates=plates,
        climate=climate,
    )  # fmt: skip
    return recipe, level
