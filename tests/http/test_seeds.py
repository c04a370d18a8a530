"""Seeds: decimal, hexadecimal, names. One canonical form comes back."""

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


@pytest.mark.parametrize("name", ["a", "ALPS", "x2a", "A" * 64, "null"])
def test_any_name_is_a_world(server, name):
    seed = server.json(f"/world/{name}")["seed"]
    assert seed == str(int(seed)) and 0 <= int(seed) <= LARGEST and seed != "42"
    assert server.json(f"/world/{name}")["seed"] == seed
    assert server.get(base_tile(name, 0, 0, 0, "png", size=2))["Terrane-Seed"] == seed
    assert server.json(f"/world/{name}")["world"] == server.json(f"/world/{seed}")["world"]


def test_the_configuration_comes_before_the_hash(server, launch):
    plain = launch()
    hashed = plain.json("/world/alps")["seed"]
    assert server.json("/world/alps")["seed"] == "42" != hashed
    assert server.json("/world/Alps")["seed"] == plain.json("/world/Alps")["seed"] != hashed


def test_render_knows_the_names(server):
    done = run("render", "alps", 0, 1, 1, "--format", "f32", "--config", server.config)
    assert done.stdout == server.get(tile("alps", 0, 1, 1, "f32")).body
    assert run("render", "alps", 0, 1, 1, "--format", "f32").stdout != done.stdout
