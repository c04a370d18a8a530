"""Seeds: decimal, hexadecimal, names of the configuration. One canonical form comes back; other names: test_example.py."""

import pytest
from http_server import base_tile, run, tile

LARGEST = (1 << 64) - 1


@pytest.mark.parametrize("seed,canonical", [
    ("0", 0), (str(LARGEST), LARGEST), ("0X2A", 42), ("0xffffffffffffffff", LARGEST), ("alps", 42), ("last", LARGEST),
    ("9007199254740993", (1 << 53) + 1), ("al%70s", 42)])  # more: tests/unit/http/test_target_paths.c
def test_canonical_seed(server, seed, canonical):
    assert server.json(f"/world/{seed}")["seed"] == str(canonical)
    answer = server.get(base_tile(seed, 0, 1, 1, "f32", size=65))
    plain = server.get(base_tile(canonical, 0, 1, 1, "f32", size=65))
    assert answer["Terrane-Seed"] == str(canonical)
    assert answer.body == plain.body and answer["ETag"] == plain["ETag"]
    assert server.json(base_tile(seed, 0, 1, 1, "json"))["seed"] == str(canonical)


def test_render_knows_the_names(server):
    done = run("render", "alps", 0, 1, 1, "--format", "f32", "--config", server.config)
    assert done.stdout == server.get(tile("alps", 0, 1, 1, "f32")).body
    assert run("render", "alps", 0, 1, 1, "--format", "f32").stdout != done.stdout
