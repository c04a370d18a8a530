"""Recipes over HTTP and on the command line: the book, recipe=, named worlds, links, refusals."""

import json

import pytest
from http_server import book, render, run, tile

WORLD = "continents"

BUILT_IN = ["alpine", "archipelago", "badlands", "continents", "desert", "wayfarer"]
MINE = {"description": "A hill of mine.", "sea_m": -5,
        "height": {"sum": [{"fractal": "billow", "cell_m": 1024, "octaves": 6, "amplitude_m": 90}], "offset_m": 12}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    directory = tmp_path_factory.mktemp("worlds")
    book(directory, {"mine": MINE, "badlands": {"height": 77}})
    return directory


@pytest.fixture
def own(launch, folder):
    return launch(config={"worlds": {"dir": str(folder), "default": "mine", "named": {
        "home": {"seed": 42, "secret": False}, "peaks": {"seed": "7", "recipe": "desert", "secret": False}}}})


def body(server, recipe, seed=42, **query):
    """Of ground before erosion, unless a variant is said."""
    return server.get(tile(seed, 3, -7, 11, recipe=recipe, **{"variant": "base", **query})).body


def test_every_built_in_recipe_is_another_world(server):
    tiles = [server.json(tile(42, 3, -7, 11, "json", recipe=name, variant="base")) for name in BUILT_IN]
    assert len({told["world"] for told in tiles}) == len({body(server, name) for name in BUILT_IN}) == len(BUILT_IN)
    assert all(len(told["zones"]) >= 2 for told in tiles)


def test_continents_is_the_default(server):
    assert body(server, "continents") == body(server, None)
    plain, named = server.get("/world/42"), server.get("/world/42?recipe=continents")
    assert plain.body == named.body and plain["ETag"] == named["ETag"] != server.ask("/world/42?recipe=desert", "HEAD")["ETag"]
    assert "recipe=" not in server.json("/world/42")["tile"]


def test_links_keep_the_recipe(server):
    described = server.json(tile(42, 3, -7, 11, "json", recipe="desert"))
    assert all(link.endswith("?recipe=desert") for link in described["links"].values())
    normals = server.json(tile(42, 3, -7, 11, "json", recipe="desert", layer="normal"))
    assert normals["links"]["png"] == "/tile/42/3/-7/11.png?layer=normal&recipe=desert"
    assert server.get(described["links"]["f32"]).body == body(server, "desert", variant=None)
    assert server.json(described["links"]["world"])["world"] == described["world"]
    template = server.json("/world/42?recipe=desert")["tile"]
    assert server.get(template.format(lod=3, x=-7, y=11, ext="f32")).body == body(server, "desert", variant=None)
    assert not any("recipe" in link for link in server.json(tile(42, 3, -7, 11, "json"))["links"].values())


def test_directory_default_and_named_worlds(own):
    assert own.json("/world/42")["recipe"] == "mine"
    assert own.json("/world/42")["description"] == "A hill of mine."
    assert own.json("/world/42")["sea_m"] == -5 and own.json("/world/42")["partition"] == "none"
    assert body(own, None) == body(own, "mine") == body(own, None, seed="home")
    peaks = own.json("/world/peaks")
    assert (peaks["seed"], peaks["recipe"]) == ("7", "desert") and peaks["tile"].endswith("&recipe=desert")
    assert body(own, None, seed="peaks") == body(own, "desert", seed=7)
    assert body(own, "alpine", seed="peaks") == body(own, "alpine", seed=7)
    flat = own.json(tile(1, 0, 0, 0, "json", recipe="badlands"))
    assert flat["min_m"] == flat["max_m"] == 77
    described = own.json(tile("peaks", 3, -7, 11, "json", variant="base"))
    assert described["links"]["f32"] == "/tile/7/3/-7/11.f32?variant=base&recipe=desert"
    other = own.json(tile(7, 3, 0, 0, "json", recipe="continents", variant="base"))
    assert all("recipe=continents" in link for link in other["links"].values())


def test_described_tiles_do_not_outlive_a_change_of_the_default(launch, tmp_path):
    """What is cached on disk names no recipe where the default of then needed no naming."""
    for default in ("continents", "desert", "continents"):
        server = launch(cache=tmp_path, config={"worlds": {"default": default}})
        for recipe in ("continents", "desert"):
            described = server.json(tile(42, 3, 1, 1, "json", recipe=recipe, variant="base"))
            assert ("recipe=" in described["links"]["png"]) == (recipe != default)
        server.close()


def test_render_takes_recipes(own, folder):
    for name in BUILT_IN[:2]:
        assert render(42, 3, -7, 11, "f32", recipe=name, variant="base") == body(own, name)
    assert render(42, 3, -7, 11, "f32", recipe=folder / "mine.json", variant="base") == body(own, "mine")


def test_render_refuses_recipes(tmp_path):
    done = run("render", 1, 0, 0, 0, "--recipe", "alpin")
    assert done.returncode == 2 and b"recipe=alpin: " in done.stderr
    path = tmp_path / "bad.json"
    path.write_text('{"height": "x"}')
    done = run("render", 1, 0, 0, 0, "--recipe", path)
    assert done.returncode == 2 and f'{path}: /height: there is no term "x"'.encode() in done.stderr


def test_recipe_lists_the_book(folder, tmp_path):
    lines = run("recipe").stdout.decode().splitlines()
    assert [line.split()[0] for line in lines] == BUILT_IN
    assert [line.split()[0] for line in lines if line.split()[1] == "*"] == ["continents"]
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"worlds": {"dir": str(folder)}}))
    assert "A hill of mine." in run("recipe", "--config", config).stdout.decode()


def test_recipe_tells(folder, tmp_path):
    text = run("recipe", "alpine").stdout.decode()
    assert all(word in text for word in ("digest", "cost", "octaves", "heights", "massif", "geometric error"))
    assert run("recipe", folder / "mine.json").stdout.decode().startswith("A hill of mine.")
    assert run("recipe", "alpin").returncode == 1
    assert run("recipe", "alpine", "desert").returncode == 2
    assert run("recipe", tmp_path / "none.json").returncode == 1
