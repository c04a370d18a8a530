"""What compare.py says of answers that are not those of the reference."""
import random
import re
import struct

import numpy as np

from arithmetic import F32

DIFFERENCES_SHOWN = 8


def f32_word(value):
    assert type(value) is F32
    return f"{int(value.view(np.uint32)):08x}"


def floats_of(answer):
    return np.array([int(word, 16) for word in answer.split(" ")], np.uint32).view(F32)


def f64_word(value):
    return struct.pack(">d", value).hex()


def with_value(word):
    return f"{word} ({F32(np.uint32(int(word, 16)).view(F32))!r})" if re.fullmatch("[0-9a-f]{8}", word) else word


class Differences:
    """Sentences, one a difference, at most DIFFERENCES_SHOWN of them."""

    def __init__(self):
        self.found = []

    def expect(self, what, got, expected):
        if got != expected and len(self.found) < DIFFERENCES_SHOWN:
            self.found.append(f"{what}: library {with_value(got)}, reference {with_value(expected)}")

    def expect_samples(self, what, got, wanted, window):
        """Words of all samples of a window, channel by channel."""
        if len(got) != len(wanted):
            self.found.append(f"{what}: {len(got)} words, not {len(wanted)}")
            return
        wrong = [n for n in range(len(wanted)) if got[n] != wanted[n]]
        if wrong:
            j, i = divmod(wrong[0] % (window.width * window.height), window.width)
            self.expect(f"{what}: {len(wrong)} of {len(wanted)} words, the first at i {i}, j {j}", got[wrong[0]], wanted[wrong[0]])


class Asked:
    """A set of questions about a window of a world; compare(answers, out) is its own."""

    def dice(self, kind, seed, number):
        """A set is drawn from these alone."""
        self.number = f"{kind}-{number}"
        return random.Random(f"terrane {seed} {self.number}")

    def place(self):
        w = self.window
        return w.gi, w.gj, w.width, w.height

    def heights(self, asked):
        """Questions of base heights: asked is a list of (level, window)."""
        return [f"height {self.seed} {level} {x} {y} 1 {width} {height}" for level, (x, y, width, height) in asked]

    def known(self, answers):
        """Their answers, to those of self.asked, by what was asked."""
        return {a: floats_of(answer).reshape(a[1][3], a[1][2]) for a, answer in zip(self.asked, answers)}

    def differences(self, answers):
        errors = [answer for answer in answers if answer.startswith("error")]
        out = Differences()
        if not errors:
            self.compare(answers, out)
        return errors[:1] or out.found
