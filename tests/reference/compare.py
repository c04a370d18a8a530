#!/usr/bin/env python3
"""Compares libterrane with the reference, bit for bit.

    gcc -std=c17 -I. tests/reference/probe.c build/libterrane.a -o build/probe
    tests/reference/compare.py build/probe [--sets N] [--samples M] [--seed S] [--shipped LEVELS] [--only K] [--isa NAME]

A set is a random recipe, seed and window. Of each the library answers every layer of the whole window, and
the reference M samples of it, digests, canonical bytes, the seed of a name and noise at a point. Set K of
seed S is always the same one, however many there are: `--only K` repeats it. Before them comes the recipe
that ships, at several levels and far away; behind them, one for every four, worlds that erode, `--only
erosion-K`. Prints 'N passed, 0 failed', or the first differences and what they are of, and exits 1.
"""
import argparse
from functools import partial
import random
import struct
import subprocess
import sys

import numpy as np

from bases import BASES, PERLIN3, PERLIN5, SIMPLEX
from differences import Asked, f32_word
from drainage_set import DrainageSet
from draw_earth import draw_earth
from draw_raster import draw_raster
from draw import Draw, Window, affordable, draw_partition, draw_samples, draw_window
from edits_set import EditsSet
from erosion_set import ErosionSet
from fractals import KINDS
from hashing import seed_from_name
from lakes_set import LakesSet
from noise_at import noise_at
from recipe import LEVEL_MAX, Recipe, digest, packed, unpacked
import world_reference as ref

SHIPPED_LEVELS = (0, 2, 4, 6, 8, 11, 14, 17, 20, 24)
LIBRARY_LAYERS = ref.LAYERS + ("digest",)


class Set(Asked):
    """What is asked about one world: its window, the samples of it that are looked at, names, points."""

    def __init__(self, rng, number, recipe, seed):
        self.rng, self.number, self.recipe, self.seed = rng, number, recipe, seed
        self.world = ref.World(recipe, seed)
        self.name = bytes(rng.randrange(256) for _ in range(rng.randint(0, 40)))
        self.points = [self.draw_point(rng.randrange(9)) for _ in range(3)]

    def draw_point(self, k):
        """(base, key, coordinates)"""
        rng = self.rng
        reach = rng.choice((1, 30, 1e6, 2**52))
        dimensions = (1, 3, 4)[k % 3]
        at = [rng.choice((rng.uniform(-reach, reach), float(rng.randint(-3, 3)))) for _ in range(dimensions)]
        return (PERLIN3, PERLIN5, SIMPLEX)[k // 3 % 3], rng.getrandbits(64), at

    def questions(self):
        found = ["recipe " + packed(self.recipe).hex(), "seedname " + (self.name.hex() or "-")]
        for base, key, at in self.points:
            found.append(" ".join(["noise", str(base), str(key), str(len(at))] + [struct.pack(">d", x).hex() for x in at]))
        rest = " ".join([str(self.seed)] + self.window.words())
        return found + [f"{layer} {rest}" for layer in LIBRARY_LAYERS]

    def compare(self, answers, out):
        first = len(answers) - len(LIBRARY_LAYERS)
        by_layer = dict(zip(LIBRARY_LAYERS, answers[first:]))
        compare_names(self, answers[:first], out)
        out.expect("digest of the world", by_layer["digest"], self.world.digest().hex())
        compare_layers(self, by_layer, out)


def random_set(seed, number, samples):
    """Drawn from (seed, number) alone."""
    rng = random.Random(f"terrane {seed} {number}")
    # In turn, not at random, so that every kind meets every base in every way.
    kind, base, style = number % KINDS, number // KINDS % BASES, (number + number // KINDS) % 3
    level = min(LEVEL_MAX, rng.choice((0, 0, 1, 2, 3, 4, 6, 8, rng.randint(0, LEVEL_MAX))))
    draw = Draw(rng, level, kind, base, style)
    recipe = draw.recipe(draw_partition(rng, draw, number % 3))
    one = Set(rng, number, recipe, rng.choice((0, 1, 2**64 - 1, rng.getrandbits(64), rng.getrandbits(64))))
    one.window = draw_window(rng, one.world, level)
    one.samples = draw_samples(rng, one.window, affordable(one.world, one.window, samples))
    return one


def earth_set(seed, number):
    """Plates, climate and coarse terms. Few samples: every one rests on 16 nodes, and these on many."""
    rng = random.Random(f"terrane {seed} earth-{number}")
    recipe, level = draw_earth(rng)
    one = Set(rng, f"earth-{number}", recipe, rng.getrandbits(64))
    gi, gj = (rng.choice((0, -7, 2**40, -(2**50))) + rng.randint(0, 3000) for _ in (0, 1))
    one.window = Window(level, gi, gj, rng.choice((1, 1, 3, 16)), rng.randint(1, 40), rng.randint(1, 9))
    one.samples = draw_samples(rng, one.window, 5)
    return one


class RasterSet(Set):
    """One that names a raster, whose samples the library has to be told."""

    def questions(self):
        height, width = self.raster.shape
        return [f"raster {width} {height} {self.raster.astype('>f4').tobytes().hex()}"] + super().questions()

    def compare(self, answers, out):
        out.expect("digest of the raster", answers[0], self.recipe.term[1].raster.digest.hex())
        super().compare(answers[1:], out)


def raster_set(seed, number):
    rng = random.Random(f"terrane {seed} raster-{number}")
    recipe, level, samples, at = draw_raster(rng)
    one = RasterSet(rng, f"raster-{number}", recipe, rng.getrandbits(64))
    one.raster = samples
    gi, gj = (x + rng.choice((0, rng.randint(-300, 300), rng.choice((0, 2**49 - abs(x))))) for x in at)
    one.window = Window(level, gi, gj, rng.choice((1, 1, 3, 16)), rng.randint(1, 300), rng.randint(1, 9))
    one.samples = draw_samples(rng, one.window, 60)
    return one


def shipped_sets(recipe, levels):
    """Tiles of the recipe that ships: near and far, at several levels."""
    sets = []
    for n, level in enumerate(SHIPPED_LEVELS):
        if level not in levels:
            continue
        rng = random.Random(f"terrane shipped {level}")
        one = Set(rng, f"of the recipe that ships, level {level}", recipe, (42, rng.getrandbits(64))[n % 2])
        x, y = ((3, -7), (2**40 - 1, -(2**40)), (-12345, 67890))[n % 3]
        one.window = Window(level, 256 * x, 256 * y, 23, 12, 9)
        one.samples = draw_samples(rng, one.window, 12 * 9)
        sets.append(one)
    return sets


# ---- Asking the library ------------------------------------------------------------------------------------


def ask(probe, isa, questions):
    """The library's answers, a line each."""
    command = [probe] + ([isa] if isa else [])
    done = subprocess.run(command, input="\n".join(questions) + "\n", stdout=subprocess.PIPE, text=True)
    answers = done.stdout.splitlines()
    if done.returncode != 0 or len(answers) != len(questions):
        print(f"{' '.join(command)}: exit status {done.returncode}")
        print(f"{len(answers)} of {len(questions)} questions answered")
        if len(answers) < len(questions):
            print(f"not answered: {questions[len(answers)]}")
        sys.exit(1)
    return answers


# ---- Comparing ---------------------------------------------------------------------------------------------


def compare_names(one, answers, out):
    """What is asked once a set; answers are as questions() has them."""
    recipe = one.world.recipe
    words = [str(int(one.world.analytic)), digest(recipe).hex(), packed(recipe).hex()]
    for what, got, expected in zip(("analytic", "digest", "canonical bytes"), answers[0].split(" "), words):
        out.expect(what, got, expected)
    out.expect(f"seed of the name {one.name!r}", answers[1], f"{seed_from_name(one.name):016x}")
    for (base, key, at), answer in zip(one.points, answers[2:]):
        value, slope = noise_at(base, key, at)
        expected = " ".join(f32_word(x) for x in (value, *slope))
        out.expect(f"noise of base {base}, key {key} at {at}", answer, expected)


def compare_layers(one, by_layer, out):
    window = one.window
    gi = [window.gi + i * window.step for i, _ in one.samples]
    gj = [window.gj + j * window.step for _, j in one.samples]
    samples = ref.Samples(one.world, window.level, gi, gj)
    for layer in ref.LAYERS:
        channels, words = samples.layer(layer), by_layer[layer].split(" ")
        if len(words) != window.width * window.height * len(channels):
            out.found.append(f"{layer}: {len(words)} words for {window.words()} of {len(channels)} channels")
            continue
        for c, channel in enumerate(channels):
            if layer in ref.FLOAT_LAYERS:
                channel = channel.view(np.uint32)
            digits = 8 if layer in ref.FLOAT_LAYERS else 2
            for n, (i, j) in enumerate(one.samples):
                got = words[(j * window.width + i) * len(channels) + c]
                what = f"{layer}[{c}] at i {i}, j {j} ({gi[n]}, {gj[n]})"
                out.expect(what, got, f"{int(channel[n]):0{digits}x}")


def report(one, found):
    """--only NUMBER makes the same one again."""
    w = one.window
    print(f"set {one.number}, seed {one.seed}, level {w.level}, gi {w.gi}, gj {w.gj}, step {w.step}, {w.width} x {w.height} differs")
    for line in found:
        print(f"    {line}")


# Sets of other kinds and how many sets of layers there are for one of them.
KINDS_OF_SETS = {"earth": (earth_set, 10), "raster": (raster_set, 8), "erosion": (ErosionSet, 4), "lakes": (LakesSet, 4),
                 "drainage": (DrainageSet, 50), "edits": (EditsSet, 5)}


def all_sets(options, shipped):
    """Functions that draw one, so that there is one at a time."""
    if options.only is not None:
        kind, _, number = options.only.rpartition("-")
        if kind:
            return [partial(KINDS_OF_SETS[kind][0], options.seed, int(number))]
        return [partial(random_set, options.seed, int(number), options.samples)]
    found = [partial(lambda one: one, one) for one in shipped_sets(shipped, options.shipped)]
    found += [partial(random_set, options.seed, number, options.samples) for number in range(options.sets)]
    for draw, share in KINDS_OF_SETS.values():
        found += [partial(draw, options.seed, number) for number in range(-(-options.sets // share))]
    return found


def main():
    parser = argparse.ArgumentParser(description="compare libterrane with the reference, bit for bit")
    parser.add_argument("probe", help="the program made of tests/reference/probe.c")
    parser.add_argument("--sets", type=int, default=440, help="random parameter sets (440)")
    parser.add_argument("--samples", type=int, default=60, help="samples of each (60)")
    parser.add_argument("--seed", type=int, default=1, help="of the draws (1)")
    parser.add_argument("--shipped", type=lambda text: [int(level) for level in text.split(",")], default=SHIPPED_LEVELS,
                        metavar="LEVELS", help="of the recipe that ships, levels apart by commas, of " +
                        ", ".join(map(str, SHIPPED_LEVELS)) + " (all)")
    parser.add_argument("--only", help="only the set of this number")
    parser.add_argument("--isa", help="instruction set for the library (the fastest)")
    options = parser.parse_args()

    shipped, _ = unpacked(Recipe, bytes.fromhex(ask(options.probe, options.isa, ["default"])[0]))
    passed = failed = 0
    for draw in all_sets(options, shipped):
        one = draw()
        found = one.differences(ask(options.probe, options.isa, one.questions()))
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
