"""Relief, of arrays of samples. Slopes, aspects and hillshade: tests/http/test_layers.py, tests/golden."""
import numpy as np

from arithmetic import F32, HALF, ONE, ZERO, fade5, where

R = F32(0.70710678)
SKY = tuple(F32(a) for a in (0.32, 0.34, 0.38))
AIR = tuple(F32(b) for b in (30, 41, 54))
STEEPER = (0.8, 0.8, 0.84, 0.9, 0.98, 1.08, 1.25, 2, 1.7, 4, 4.6, 13.5, 15, 85, 62, 92, 145, 225) + 7 * (256,)
WATER = (
    (F32(0), (118, 178, 198)),
    (F32(10), (96, 158, 186)),
    (F32(50), (66, 124, 164)),
    (F32(200), (40, 88, 139)),
    (F32(800), (29, 69, 121)),
    (F32(3000), (20, 51, 98)),
    (F32(6000), (12, 34, 72)),
)


def clamp(v, m):
    return where(v > ZERO, where(v < m, v, m), ZERO)


def byte(v):
    return clamp(v + HALF, F32(255)).astype(np.uint8)


def rise_of(normal):
    e, s, _ = normal
    return np.sqrt(e * e + s * s)


def steepened(normal, level):
    e, s, u = normal
    x, y = e * F32(STEEPER[level]), s * F32(STEEPER[level])
    one = ONE / np.sqrt((x * x + y * y) + u * u)
    return x * one, y * one, u * one


def gradient(stops, v):
    """Channels; stops are (at, colour)."""
    found = [np.full(len(v), c, F32) for c in stops[0][1]]
    for (at, colour), (next_at, next_colour) in zip(stops, stops[1:]):
        share = clamp((v - at) / (next_at - at), ONE)
        ways = [F32(there) - F32(here) for here, there in zip(colour, next_colour)]
        found = [c + share * way for c, way in zip(found, ways)]
    return found


def pairs(stops):
    return [(stop.at_m, stop.colour) for stop in stops]


def land(recipe, height, normal, weights):
    d = max(recipe.steep_high - recipe.steep_low, F32(2.0**-10))
    x = clamp((rise_of(normal) / normal[2] - recipe.steep_low) / d, ONE)
    steep = clamp(fade5(x), ONE)
    total = [np.zeros(len(height), F32)] * 3
    for zone, weight in zip(recipe.partition.zone, weights):
        g = gradient(pairs(zone.ground) or [(ZERO, zone.colour)], height)
        if zone.steep:
            there = gradient(pairs(zone.steep), height)
            g = [a + steep * (b - a) for a, b in zip(g, there)]
        total = [t + weight * c for t, c in zip(total, g)]
    return total


def relief(recipe, level, height, normal, weights):
    """Three arrays of bytes."""
    e, s, u = steepened(normal, level)
    ground = land(recipe, height, normal, weights)
    depth = recipe.sea_m - height
    sample, soft = F32(float(recipe.spacing_m) * 2.0**level), recipe.generator >= 14
    water = gradient(pairs(recipe.water) or WATER, depth + np.sqrt(sample) if soft else depth)
    sun = u - (e + s) * R
    sun = where(sun > ZERO, sun, ZERO)
    sky = F32(0.5) + (F32(0.5) * u + F32(0.35) * (s - e))

    def lit(colour, a, b):
        light = a * sky + (ONE - a) * sun
        lack = where(ONE - light > ZERO, ONE - light, ZERO)
        return colour * light + b * (lack * lack)

    dry = [lit(c, a, b) for c, a, b in zip(ground, SKY, AIR)]
    wet = [c * (F32(0.9375) + F32(0.0625) * sun) for c in water]
    if soft:
        hides = max(sample / F32(64), F32(0.25))
        share = F32(0.375) + F32(0.625) * (depth / hides)
        wet = [where(depth < hides, g + share * (w - g), w) for g, w in zip(dry, wet)]
    return [np.where(depth > ZERO, byte(w), byte(g)) for g, w in zip(dry, wet)]
