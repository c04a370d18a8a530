"""The reference on its own: published vectors of its hashes. All else of it is compared with the library. Needs no library."""
import numpy as np
import pytest

from hashing import KEY, mix, seed_from_name, siphash64, siphash128


@pytest.mark.parametrize(
    "length, expected",
    [(0, "a3817f04ba25a8e66df67214c7550293"), (1, "da87c1d86b99af44347659119b22fc45")],
)
def test_siphash128(length, expected):
    assert siphash128(KEY, bytes(range(length))).hex() == expected


@pytest.mark.parametrize("length, expected", [(0, 0x726FDB47DD0E0E31), (15, 0xA129CA6149BE45E5)])
def test_siphash64(length, expected):
    assert siphash64(KEY, bytes(range(length))) == expected
    assert seed_from_name(bytes(range(length))) == expected


def test_mix_is_splitmix64():
    first = 0xE220A8397B1DCDAF  # its first output for seed 0
    assert mix(0x9E3779B97F4A7C15) == first
    assert mix(np.array([0x9E3779B97F4A7C15], np.uint64))[0] == first
