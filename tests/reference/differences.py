"""What compare.py says of answers that are not those of the reference."""
import numpy as np

from arithmetic import F32

DIFFERENCES_SHOWN = 8


def f32_word(value):
    assert type(value) is F32
    return f"{int(value.view(np.uint32)):08x}"


def floats_of(answer):
    return np.array([int(word, 16) for word in answer.split(" ")], np.uint32).view(F32)


def with_value(word):
    return f"{word} ({F32(np.uint32(int(word, 16)).view(F32))!r})" if len(word) == 8 else word


class Differences:
    """Sentences, one a difference, at most DIFFERENCES_SHOWN of them."""

    def __init__(self):
        self.found = []

    def expect(self, what, got, expected):
        if got != expected and len(self.found) < DIFFERENCES_SHOWN:
            self.found.append(f"{what}: library {with_value(got)}, reference {with_value(expected)}")
