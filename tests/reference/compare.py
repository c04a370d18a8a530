#!/usr/bin/env python3
"""Compares libterrane with the reference, bit for bit.

    gcc -std=c17 -I. tests/reference/probe.c build/libterrane.a -o build/probe
    tests/reference/compare.py build/probe [--sets N] [--samples M] [--seed S] [--only K] [--isa NAME]

A set is a random recipe, seed and window. Of each the library answers every layer of the whole window, and
the reference M samples of it. Set K of seed S is always the same one, however many there are: `--only K`
repeats it. Prints 'N passed, 0 failed', or the first differences and what they are of, and exits 1.

The draws lean towards the places where an implementation can go wrong: edges of cells, cells whose number
passes a multiple of 2^32, the ends of the lattice, levels that leave octaves out, zones that touch, windows
wider than a library would work on in one piece. Members that a recipe does not use hold rubbish.
"""
import argparse
import random
import struct
import subprocess
import sys

import numpy as np

import world_reference as ref

F32 = ref.F32
LAYERS = ("height", "normal", "zones", "weights", "digest")
LATTICE_MAX = 2**50
THRESHOLDS, ZONES = 15, 16
# Widths around powers of two and beyond: whatever a library's chunks are, they end in here.
WIDE = (129, 255, 256, 257, 300, 511, 512, 513, 1023, 1024, 1025)
WIDEST = 4097
DIFFERENCES_SHOWN = 8


class Window:
    def __init__(self, level, gi, gj, step, width, height):
        self.level, self.gi, self.gj = level, gi, gj
        self.step, self.width, self.height = step, width, height

    def words(self):
        return [str(n) for n in (self.level, self.gi, self.gj, self.step, self.width, self.height)]


# ---- Drawing a set -----------------------------------------------------------------------------------------


def draw_f32(rng, low, high):
    """A binary32 number of [low, high]: its ends, zeros of both signs, round numbers, any bits."""
    kind = rng.randrange(12)
    if kind == 0:
        return F32(low)
    if kind == 1:
        return F32(high)
    if kind == 2 and low <= 0 <= high:
        return F32(rng.choice((0.0, -0.0)))
    if kind == 3 and low <= 0:
        return F32(min(high, rng.choice((1e-42, 1e-38, 1e-20, 1e-6))))
    if kind == 4 and high - low >= 2:
        return F32(rng.randint(int(np.ceil(low)), int(high)))
    # Rounding to binary32 must not leave the range.
    return min(max(F32(rng.uniform(float(low), float(high))), F32(low)), F32(high))


def draw_salt(rng):
    return rng.choice((0, 1, rng.getrandbits(32), 2**32 - 1))


def draw_cell_log2(rng, level, least):
    """Cells of any size, most of them such that some octaves take part at the level."""
    if rng.random() < 0.3:
        return rng.randint(least, 40)
    return min(40, max(least, level + rng.randint(0, 14)))


def draw_fractal(rng, base, level, alias_octaves):
    if rng.random() < 0.12:
        return ref.Fractal(77, 5, 0, -3, F32(np.nan), F32(-1))
    cell_log2 = draw_cell_log2(rng, level, 1 - alias_octaves)
    return ref.Fractal(
        base=base,
        salt=draw_salt(rng),
        octaves=rng.randint(1, min(24, cell_log2 + alias_octaves)),
        cell_log2=cell_log2,
        amplitude_m=draw_f32(rng, 0, rng.choice((1, 100, 5000, 32768))),
        gain=draw_f32(rng, 0, 1) if rng.random() < 0.5 else F32(0.5),
    )


def draw_bands(rng, zones):
    """(blend, thresholds) of a valid partition: gaps of at least blend in -1 .. 1, some exactly blend."""
    if zones > 1 and rng.random() < 0.3:
        # Thresholds at multiples of a power of two are exact, so that transitions touch and noise 0, which is
        # what a partition too fine for the level has, can be a threshold.
        steps = 2 ** rng.randint((zones // 2).bit_length(), 10)  # from 0 to 1; from -1 to 1 all have room
        first = rng.randint(-steps, steps - (zones - 2))
        if rng.random() < 0.5:
            first = rng.randint(max(-steps, -(zones - 2)), min(0, steps - (zones - 2)))
        blend = F32(1 / steps)
        return blend, [F32((first + k) / steps) for k in range(zones - 1)]
    blend = F32(rng.uniform(2.0**-10, rng.choice((0.01, 0.5, 1.0)) * 1.9 / max(1, zones - 2)))
    spare = 1.99 - float(blend) * 1.001 * (zones - 2)
    cuts = sorted(rng.uniform(0, spare) for _ in range(zones - 1))
    return blend, [F32(-0.995 + cut + float(blend) * 1.001 * k) for k, cut in enumerate(cuts)]


def draw_partition(rng, base, level):
    zones = rng.choice((1, 2, 3, 4, rng.randint(1, 16), 16))
    blend, threshold = draw_bands(rng, zones)
    threshold += [F32(np.nan)] * (THRESHOLDS - len(threshold))
    zone = []
    for k in range(ZONES):
        name = bytes(rng.randint(1, 255) for _ in range(rng.randint(0, 23))) + b"\0"
        # What follows the terminator is no part of the name.
        name += bytes(rng.randint(0, 255) for _ in range(24 - len(name)))
        colour = tuple(rng.randrange(256) for _ in range(3))
        if k < zones:
            zone.append(ref.Zone(name, draw_f32(rng, 0, 64), draw_f32(rng, -32768, 32768), colour))
        else:
            zone.append(ref.Zone(name, F32(np.nan), F32(np.inf), colour))
    return ref.Partition(
        base=base,
        salt=draw_salt(rng),
        cell_log2=draw_cell_log2(rng, level, 1),
        zones=zones,
        blend=blend,
        threshold=tuple(threshold),
        zone=tuple(zone),
    )


def draw_recipe(rng, base, level):
    spacing_m = rng.choice(
        (1.0, 2.0 ** rng.randint(-10, 20), rng.uniform(0.5, 50), 10 ** rng.uniform(-3, 6), 1 / 3)
    )
    low_m, high_m = sorted(F32(x) for x in (rng.uniform(-32768, -1), rng.uniform(1, 32768)))
    alias_octaves = int(rng.random() < 0.3)
    others = [base, rng.randrange(ref.BASES), rng.randrange(ref.BASES)]
    rng.shuffle(others)
    return ref.Recipe(
        spacing_m=spacing_m,
        alias_octaves=alias_octaves,
        offset_m=draw_f32(rng, -32768, 32768),
        low_m=low_m if rng.random() < 0.9 else F32(-0.0),
        high_m=high_m,
        base=draw_fractal(rng, others[0], level, alias_octaves),
        detail=draw_fractal(rng, others[1], level, alias_octaves),
        partition=draw_partition(rng, others[2], level),
    )


def octaves_at(world, level):
    """(octave_key, cell_log2) of each octave that takes part."""
    recipe, found = world.recipe, []
    for fractal in (recipe.base, recipe.detail):
        for number in range(fractal.octaves):
            found.append((ref.octave_key(world.seed, fractal.salt, number), fractal.cell_log2 - number))
    if recipe.partition.zones > 1:
        p = recipe.partition
        found.append((ref.octave_key(world.seed, p.salt, 0), p.cell_log2))
    return [(key, cell) for key, cell in found if ref.takes_part(world, level, cell)]


def draw_coordinate(rng, world, level, axis, extent):
    """Where a window of extent lattice steps starts along an axis."""
    kind = rng.randrange(10)
    octaves = octaves_at(world, level)
    inside = rng.randint(0, extent)
    if kind < 4 and octaves:
        # The edge of a cell, somewhere in the window; often one where the high word of its number changes.
        key, cell_log2 = rng.choice(octaves)
        k = cell_log2 - level
        most = LATTICE_MAX >> k
        words = most >> 32
        if words > 0 and rng.random() < 0.7:
            cell = rng.randint(-min(words, 3), min(words, 3)) << 32
        else:
            cell = rng.choice((-1, 0, 1, rng.randint(-most, most)))
        g = (cell << k) - (ref.shifts(key, cell_log2)[axis] >> level) - inside
    elif kind == 4:
        g = rng.choice((-1, 1)) * 2**33 - inside
    elif kind == 5:
        g = rng.choice((-1, 1)) * 2**48 - inside
    elif kind == 6:
        g = rng.choice((-LATTICE_MAX, LATTICE_MAX - extent, LATTICE_MAX))
    elif kind == 7:
        g = rng.randint(-LATTICE_MAX, LATTICE_MAX)
    elif kind == 8:
        g = 256 * rng.randint(-(2**40), 2**40 - 1)
    else:
        g = rng.randint(-3000, 3000)
    # The limit is one of the first sample: a window may reach past it.
    return max(-LATTICE_MAX, min(LATTICE_MAX, g))


def draw_window(rng, world, level):
    step = rng.choice((1, 1, 1, 1, 2, 4, 256, rng.randint(1, 256)))
    kind = rng.random()
    if kind < 0.75:
        width, height = rng.randint(1, 40), rng.randint(1, 6)
    elif kind < 0.99:
        width, height = rng.choice(WIDE), rng.randint(1, 2)
    else:
        width, height = WIDEST, 1
    if rng.random() < 0.06:
        width, height = height, width
    gi = draw_coordinate(rng, world, level, 0, (width - 1) * step)
    gj = draw_coordinate(rng, world, level, 1, (height - 1) * step)
    return Window(level, gi, gj, step, width, height)


def draw_samples(rng, window, count):
    """Samples of a window: corners, columns at round numbers, any."""
    columns = [i for i in range(0, window.width, 16)] + [window.width - 1]
    picked = {(0, 0), (window.width - 1, window.height - 1)}
    for _ in range(4 * count):
        if len(picked) >= count:
            break
        if rng.random() < 0.3:
            i = rng.choice(columns) + rng.randint(-1, 1)
        else:
            i = rng.randrange(window.width)
        picked.add((min(max(i, 0), window.width - 1), rng.randrange(window.height)))
    return sorted(picked, key=lambda ij: (ij[1], ij[0]))


class Set:
    """One set: everything that is asked about, drawn from (seed, number) alone."""

    def __init__(self, seed, number, samples):
        rng = random.Random(f"terrane {seed} {number}")
        self.number = number
        # In turn, not at random, so that every level meets every base.
        base, self.level = number % ref.BASES, number // ref.BASES % (ref.LEVEL_MAX + 1)
        self.recipe = draw_recipe(rng, base, self.level)
        self.seed = rng.choice((0, 1, 2**64 - 1, rng.getrandbits(64), rng.getrandbits(64)))
        self.name = bytes(rng.randrange(256) for _ in range(rng.randint(0, 40)))
        self.world = ref.World(self.recipe, self.seed)
        self.window = draw_window(rng, self.world, self.level)
        self.samples = draw_samples(rng, self.window, samples)

    def questions(self):
        rest = [str(self.seed)] + self.window.words() + recipe_words(self.recipe)
        return [" ".join([layer] + rest) for layer in LAYERS] + ["seedname " + (self.name.hex() or "-")]


# ---- Asking the library ------------------------------------------------------------------------------------


def f32_word(value):
    assert type(value) is F32
    return f"{int(value.view(np.uint32)):08x}"


def fractal_words(fractal):
    integers = [str(n) for n in (fractal.base, fractal.salt, fractal.octaves, fractal.cell_log2)]
    return integers + [f32_word(fractal.amplitude_m), f32_word(fractal.gain)]


def recipe_words(recipe):
    words = [struct.pack(">d", recipe.spacing_m).hex(), str(recipe.alias_octaves)]
    words += [f32_word(x) for x in (recipe.offset_m, recipe.low_m, recipe.high_m)]
    words += fractal_words(recipe.base) + fractal_words(recipe.detail)
    p = recipe.partition
    words += [str(n) for n in (p.base, p.salt, p.cell_log2, p.zones)]
    words += [f32_word(x) for x in (p.blend, *p.threshold)]
    for zone in p.zone:
        words += [zone.name.hex(), f32_word(zone.amplitude), f32_word(zone.offset_m)]
        words += [bytes(zone.colour).hex()]
    return words


def ask(probe, isa, sets):
    """The library's answers, len(LAYERS) + 1 lines a set."""
    questions = [line for one in sets for line in one.questions()]
    command = [probe] + ([isa] if isa else [])
    done = subprocess.run(command, input="\n".join(questions) + "\n", stdout=subprocess.PIPE, text=True)
    answers = done.stdout.splitlines()
    if done.returncode != 0 or len(answers) != len(questions):
        print(f"{' '.join(command)}: exit status {done.returncode}")
        print(f"{len(answers)} of {len(questions)} questions answered")
        if len(answers) < len(questions):
            print(f"not answered: {questions[len(answers)]}")
        sys.exit(1)
    return [line.split(" ") for line in answers]


# ---- Comparing ---------------------------------------------------------------------------------------------


def expected_words(sample, layer):
    if layer == "height":
        return [f32_word(sample.height)]
    if layer == "normal":
        return [f32_word(x) for x in sample.normal]
    if layer == "zones":
        return [f"{sample.zone:02x}"]
    return [f32_word(x) for x in sample.weights]


def with_value(word):
    return f"{word} ({F32(np.uint32(int(word, 16)).view(F32))!r})" if len(word) == 8 else word


def differences(one, answers):
    """Sentences, one a difference, at most DIFFERENCES_SHOWN of them."""
    found = []

    def expect(what, got, expected):
        if got != expected and len(found) < DIFFERENCES_SHOWN:
            found.append(f"{what}: library {with_value(got)}, reference {with_value(expected)}")

    window = one.window
    by_layer = dict(zip(LAYERS, answers))
    for layer, words in by_layer.items():
        if words[0] == "error":
            found.append(f"{layer}: {' '.join(words)}")
    if found:
        return found
    expect("digest", by_layer["digest"][0], ref.digest(one.world).hex())
    expect(f"seed of the name {one.name!r}", answers[-1][0], f"{ref.seed_from_name(one.name):016x}")
    count = window.width * window.height
    for i, j in one.samples:
        gi, gj = window.gi + i * window.step, window.gj + j * window.step
        sample = ref.sample(one.world, window.level, gi, gj)
        for layer in LAYERS[:4]:
            expected = expected_words(sample, layer)
            words, channels = by_layer[layer], len(expected)
            if len(words) != count * channels:
                return found + [f"{layer}: {len(words)} words for {count} samples of {channels}"]
            at = (j * window.width + i) * channels
            for channel in range(channels):
                what = f"{layer}[{channel}] at i {i}, j {j} ({gi}, {gj})"
                expect(what, words[at + channel], expected[channel])
    return found


def report(one, found):
    print(f"set {one.number}: differs")
    for line in found:
        print(f"    {line}")
    recipe, w = one.world.recipe, one.window
    print(f"    seed {one.seed}")
    print(f"    level {w.level}, gi {w.gi}, gj {w.gj}, step {w.step}, {w.width} x {w.height}")
    for name in ("spacing_m", "alias_octaves", "offset_m", "low_m", "high_m", "base", "detail", "partition"):
        print(f"    {name}: {getattr(recipe, name)}")
    print(f"    question: {one.questions()[0]}")


def main():
    parser = argparse.ArgumentParser(description="compare libterrane with the reference, bit for bit")
    parser.add_argument("probe", help="the program made of tests/reference/probe.c")
    parser.add_argument("--sets", type=int, default=300, help="random parameter sets (300)")
    parser.add_argument("--samples", type=int, default=100, help="samples of each (100)")
    parser.add_argument("--seed", type=int, default=1, help="of the draws (1)")
    parser.add_argument("--only", type=int, help="only the set of this number")
    parser.add_argument("--isa", help="instruction set for the library (the fastest)")
    options = parser.parse_args()

    numbers = range(options.sets) if options.only is None else [options.only]
    sets = [Set(options.seed, number, options.samples) for number in numbers]
    passed = failed = 0
    batch = 50  # sets whose answers are in memory at a time
    for start in range(0, len(sets), batch):
        some = sets[start : start + batch]
        answers = ask(options.probe, options.isa, some)
        each = len(LAYERS) + 1
        for n, one in enumerate(some):
            found = differences(one, answers[n * each : (n + 1) * each])
            if found:
                failed += 1
                if failed <= 3:
                    report(one, found)
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
