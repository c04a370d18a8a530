"""Recipes over HTTP and on the command line: the book, recipe=, named worlds, links, refusals."""

import json

import numpy as np
import pytest
from http_server import render, run, tile

WORLD = "continents"

BUILT_IN = ["alpine", "archipelago", "badlands", "continents", "desert", "wayfarer"]
MINE = {"description": "A hill of mine.", "sea_m": -5,
        "height": {"sum": [{"fractal": "billow", "cell_m": 1024, "octaves": 6, "amplitude_m": 90}], "offset_m": 12}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    directory = tmp_path_factory.mktemp("worlds")
    (directory / "mine.json").write_text(json.dumps(MINE))
    (directory / "badlands.json").write_text('{"height": 77}')
    return directory


@pytest.fixture
def own(launch, folder):
    return launch(config={"worlds": {"dir": str(folder), "default": "mine", "named": {
        "home": 42, "peaks": {"seed": "7", "recipe": "alpine"}}}})


def body(server, recipe, seed=42, **query):
    """Of ground before erosion, unless a variant is said."""
    return server.get(tile(seed, 3, -7, 11, recipe=recipe, **{"variant": "base", **query})).body


def test_every_built_in_recipe_is_another_world(server):
    worlds = [server.json(f"/world/42?recipe={name}") for name in BUILT_IN]
    assert [world["recipe"] for world in worlds] == BUILT_IN
    assert len({world["world"] for world in worlds}) == len(BUILT_IN)
    assert len({body(server, name) for name in BUILT_IN}) == len(BUILT_IN)
    for world in worlds:
        assert len(world["zones"]) >= 2 and world["partition"] in ("noise", "voronoi", "climate")
        assert world["description"].endswith(".") and len(set(world["terms"])) == len(world["terms"])
        assert world["range_16bit_m"]["low"] <= world["sea_m"] <= world["range_16bit_m"]["high"]


def test_continents_is_the_default(server):
    assert body(server, "continents") == body(server, None)
    plain, named = server.get("/world/42"), server.get("/world/42?recipe=continents")
    assert plain.body == named.body and plain["ETag"] == named["ETag"]
    assert "recipe=" not in server.json("/world/42")["tile"]


def test_etags_tell_recipes_apart(server):
    answers = [server.ask(tile(42, 3, -7, 11, "png", recipe=name), "HEAD") for name in BUILT_IN]
    assert len({answer["ETag"] for answer in answers}) == len(BUILT_IN)
    again = server.get(tile(42, 3, -7, 11, "png", recipe="desert"), [("If-None-Match", answers[4]["ETag"])], status=304)
    assert again.body == b""
    assert len({server.get(f"/world/42?recipe={name}")["ETag"] for name in BUILT_IN}) == len(BUILT_IN)


@pytest.mark.parametrize("name,status", [("alpin", 404), ("mine", 404), ("a" * 65, 400), ("..%2Falpine", 400), ("alpine%00", 400)])
def test_unknown_recipes_are_named(server, name, status):
    for target in (f"/tile/42/0/0/0.png?recipe={name}", f"/world/42?recipe={name}"):
        answer = server.get(target, status=status)
        assert answer["Content-Type"] == "application/problem+json"
        assert json.loads(answer.body)["parameter"] == ("target" if "%00" in name else "recipe")


def links(value):
    return [link for link in value["links"].values()] + [value["links"]["world"]]


def test_links_keep_the_recipe(server):
    described = server.json(tile(42, 3, -7, 11, "json", recipe="desert"))
    assert all(link.endswith("?recipe=desert") for link in links(described))
    normals = server.json(tile(42, 3, -7, 11, "json", recipe="desert", layer="normal"))
    assert normals["links"]["png"] == "/tile/42/3/-7/11.png?layer=normal&recipe=desert"
    assert server.get(described["links"]["f32"]).body == body(server, "desert", variant=None)
    assert server.json(described["links"]["world"])["world"] == described["world"]
    template = server.json("/world/42?recipe=desert")["tile"]
    assert server.get(template.format(lod=3, x=-7, y=11, ext="f32")).body == body(server, "desert", variant=None)
    assert not any("recipe" in link for link in links(server.json(tile(42, 3, -7, 11, "json"))))


def test_directory_default_and_named_worlds(own):
    assert own.json("/world/42")["recipe"] == "mine"
    assert own.json("/world/42")["description"] == "A hill of mine."
    assert own.json("/world/42")["sea_m"] == -5 and own.json("/world/42")["partition"] == "none"
    assert body(own, None) == body(own, "mine") == body(own, None, seed="home")
    peaks = own.json("/world/peaks")
    assert (peaks["seed"], peaks["recipe"]) == ("7", "alpine") and peaks["tile"].endswith("&recipe=alpine")
    assert body(own, None, seed="peaks") == body(own, "alpine", seed=7)
    assert body(own, "desert", seed="peaks") == body(own, "desert", seed=7)
    flat = own.json(tile(1, 0, 0, 0, "json", recipe="badlands"))
    assert flat["min_m"] == flat["max_m"] == 77
    described = own.json(tile("peaks", 3, -7, 11, "json", variant="base"))
    assert described["links"]["f32"] == "/tile/7/3/-7/11.f32?variant=base&recipe=alpine"
    assert all("recipe=continents" in link for link in links(own.json(tile(7, 3, 0, 0, "json", recipe="continents", variant="base"))))


def test_described_tiles_do_not_outlive_a_change_of_the_default(launch, tmp_path):
    """What is cached on disk names no recipe where the default of then needed no naming."""
    for default in ("continents", "desert", "continents"):
        server = launch(cache=tmp_path, config={"worlds": {"default": default}})
        for recipe in ("continents", "desert"):
            described = server.json(tile(42, 3, 1, 1, "json", recipe=recipe, variant="base"))
            assert ("recipe=" in described["links"]["png"]) == (recipe != default)
        server.close()


def refused(launch_config, tmp_path, message):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(launch_config))
    done = run("serve", "--config", path, "--listen", "127.0.0.1:0", "--admin", "")
    assert done.returncode == 2 and done.stdout == b"" and done.stderr.decode().count("\n") == 1
    assert message in done.stderr.decode()


def test_bad_books_stop_the_start(tmp_path):
    book = tmp_path / "book"
    book.mkdir()
    config = {"worlds": {"dir": str(book)}}
    (book / "hills.json").write_text('{"terms": {"a": {"fractal": "fbm", "octaves": 1000000000}}, "height": "a"}')
    refused(config, tmp_path, f"{book}/hills.json: /terms/a/octaves: 1000000000 is not a whole number from 1 to 24")
    (book / "hills.json").rename(book / "Hills.json")
    refused(config, tmp_path, f"{book}/Hills.json: is no name of a recipe")
    refused({"worlds": {"dir": "/does/not/exist"}}, tmp_path, "worlds.dir: /does/not/exist: No such file")
    refused({"worlds": {"default": "alpin"}}, tmp_path,
            'worlds.default: there is no recipe "alpin"; did you mean "alpine"?')
    refused({"worlds": {"named": {"w": {"seed": 1, "recipe": "x"}}}}, tmp_path, 'worlds.named.w.recipe: there is no recipe "x"')


# ---- What holds of every world, of each recipe that ships

def samples(connection, recipe, lod, x, y, layer="height", size=257, **query):
    """[row, column, channel]"""
    answer = connection.ask(tile(42, lod, x, y, "f32", layer=layer, size=size, recipe=recipe, **query))
    assert answer.status == 200, answer.body[:300]
    return np.frombuffer(answer.body, "<f4").reshape(size, size, -1)


@pytest.mark.parametrize("recipe", BUILT_IN)
def test_levels_stay_within_their_error(server, connection, recipe):
    """A level's samples against level 0's at the same places, which are the corners of its tiles or their middles,
    before erosion."""
    for lod in (1, 2, 4, 7, 11, 16, 24):
        about = server.json(tile(42, lod, -3, 2, "json", recipe=recipe, variant="base"))
        coarse, worst = samples(connection, recipe, lod, -3, 2, size=3, variant="base")[..., 0].astype(np.float64), 0
        for j in range(3):
            for i in range(3):
                gx, gy = (-3 * 256 + 128 * i) << lod, (2 * 256 + 128 * j) << lod
                fine = samples(connection, recipe, 0, gx >> 8, gy >> 8, size=2, variant="base")[..., 0]
                worst = max(worst, abs(coarse[j, i] - fine[(gy & 255) // 128, (gx & 255) // 128]))
        assert worst <= about["geometric_error_m"], lod
        assert worst > 0 or lod < 8, lod  # below, a salt pan or the deep sea can be level


# ---- The command line


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


def test_recipe_tells_and_checks(folder, tmp_path):
    text = run("recipe", "alpine").stdout.decode()
    assert all(word in text for word in ("digest", "cost", "octaves", "heights", "massif", "geometric error"))
    assert run("recipe", folder / "mine.json").stdout.decode().startswith("A hill of mine.")
    assert run("recipe", "alpin").returncode == 1
    bad = tmp_path / "bad.json"
    bad.write_text('{"height": 1, "hight": 2}')
    done = run("recipe", bad)
    assert done.returncode == 1 and done.stdout == b""
    assert done.stderr.decode().startswith(f"{bad}: /hight: unknown key, perhaps height was meant: allowed ")
    assert run("recipe", "alpine", "desert").returncode == 2
    assert run("recipe", tmp_path / "none.json").returncode == 1
