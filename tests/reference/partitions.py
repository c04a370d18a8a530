"""The weights of zones at samples: `weights` gives a Number a zone. Their slopes are NaN where none exist."""
import numpy as np

from arithmetic import (
    F32, HALF, ONE, Number, at_most_one, clamp_value, constant, fade5, fade5_slope, without_slopes,
)
from recipe import NOISE, VORONOI
import voronoi


def noise_weights(partition, n):
    count = len(n.v)
    inverse = ONE / partition.blend
    steps = [(np.full(count, ONE, F32), np.zeros(count, F32))]
    for z in range(1, partition.zones):
        u = clamp_value((n.v - partition.threshold[z - 1]) * inverse + HALF)
        steps.append((at_most_one(fade5(u)), fade5_slope(u) * inverse))
    steps.append((np.zeros(count, F32), np.zeros(count, F32)))
    found = []
    for here, there in zip(steps, steps[1:]):
        weight, rate = here[0] - there[0], here[1] - there[1]
        found.append(Number(weight, rate * n.x, rate * n.y))
    return found


def shares_of_entries(p, entries, inverse):
    steps = [np.full(len(p), ONE, F32)]
    steps += [at_most_one(fade5(clamp_value((p - F32(e)) * inverse + HALF))) for e in range(1, entries)]
    steps.append(np.zeros(len(p), F32))
    return [here - there for here, there in zip(steps, steps[1:])]


def climate_weights(partition, temperature, moisture):
    rows, columns = partition.table_rows, partition.table_columns
    p = (temperature.v - partition.cold) * (F32(rows) / (partition.hot - partition.cold))
    m = (moisture.v - partition.dry) * (F32(columns) / (partition.wet - partition.dry))
    inverse = ONE / partition.blend
    r = shares_of_entries(p, rows, inverse)
    c = shares_of_entries(m, columns, inverse)
    found = [np.zeros(len(p), F32)] * partition.zones
    for a in range(rows):
        for b in range(columns):
            zone = partition.table[a * columns + b]
            found[zone] = at_most_one(found[zone] + r[a] * c[b])
    return [without_slopes(w) for w in found]


def weights(world, level, gi, gj, term):
    """term(k) is the Number of term k at these samples."""
    partition = world.recipe.partition
    if partition.zones == 1:
        return [constant(ONE, len(gi))]
    if partition.kind == NOISE:
        return noise_weights(partition, term(partition.by))
    if partition.kind == VORONOI:
        return [without_slopes(w) for w in voronoi.weights(world, level, gi, gj)]
    return climate_weights(partition, term(partition.temperature), term(partition.moisture))


def dominant(weights):
    """The zone of each sample; argmax gives the lowest of equals."""
    return np.argmax(np.stack(weights), axis=0)
