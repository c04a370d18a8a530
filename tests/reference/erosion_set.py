"""Sets of compare.py that are worlds which erode: what moved in a window and flow, in every way to make them.

Base heights are the library's: the reference would be slow where levels are large, and compares them in sets
of their own. Weights of zones are the reference's.
"""
import struct

import numpy as np

from arithmetic import F32, ZERO
from differences import Asked, f64_word, floats_of
from draw_erosion import draw_recipe, draw_window
from erosion import Erosion, inner
from recipe import LEVEL_MAX, digest, packed
import world_reference as ref

CHANNELS = ("delta", "flow", "eroded height", "delta in metres", "droplets")


class ErosionSet(Asked):
    def __init__(self, seed, number):
        rng = self.dice("erosion", seed, number)
        level = rng.choice((0, 0, 0, 1, 2, 3, rng.randint(0, 12), rng.randint(0, LEVEL_MAX)))
        self.window = draw_window(rng, level)
        self.recipe, self.seed = draw_recipe(rng, level), rng.getrandbits(64)
        self.world = ref.World(self.recipe, self.seed)
        # Without one, and by way of a product of each level above.
        self.froms = [-1] + list(range(level + 1, len(self.recipe.erosion.level)))
        # Which heights are asked does not depend on how high they may be.
        self.asked = Erosion(self.world, 0.0, 0.0, None).asked(level, *self.place())

    def questions(self):
        rest = " ".join(str(n) for n in self.place())
        found = [f"recipe {packed(self.recipe).hex()}", f"erosion {self.window.level}"]
        found += [f"erode {self.seed} {self.window.level} {rest} {level}" for level in self.froms]
        return found + self.heights(self.asked or [(self.window.level, self.place())])

    def compare(self, answers, out):
        (_, digest_word, bytes_word), about = answers[0].split(" "), answers[1].split(" ")
        eroded, base = answers[2 : 2 + len(self.froms)], answers[2 + len(self.froms) :]
        out.expect("digest", digest_word, digest(self.world.recipe).hex())
        out.expect("canonical bytes", bytes_word, packed(self.world.recipe).hex())
        known = self.known(base)
        low, high = (struct.unpack(">d", bytes.fromhex(word))[0] for word in about[2:4])
        erosion = Erosion(self.world, low, high, lambda level, *window: known[level, window])
        halo = erosion.halo(self.window.level)
        out.expect("unit", about[0], f64_word(erosion.units.unit))
        out.expect("halo", about[4], str(halo))
        first = floats_of(base[0]).reshape(self.window.height + 2 * halo, self.window.width + 2 * halo)
        expected = self.channels(erosion, inner(first, halo))
        for level, answer in zip(self.froms, eroded):
            title, words = f"by way of level {level}: " if level >= 0 else "", answer.split(" ")
            count = self.window.width * self.window.height
            out.expect(f"{title}words", str(len(words)), str(count * len(CHANNELS)))
            for c, (name, channel) in enumerate(zip(CHANNELS, expected)):
                got = words[c * count : (c + 1) * count]
                out.expect_samples(title + name, got, [f"{int(value):08x}" for value in channel], self.window)

    def channels(self, erosion, height):
        moved, flow = erosion.eroded(self.window.level, *self.place())
        self.moved, self.flow = moved, flow
        moved_m = moved.astype(F32) * F32(erosion.units.unit)
        floats = (height + moved_m, moved_m, flow.astype(F32) * F32(0.0625))
        bits = [(values + ZERO).view(np.uint32) for values in floats]
        return [values.ravel() for values in (moved & 0xFFFFFFFF, flow, *bits)]
