"""Worlds that stay: every generator that is kept is served, by v=, by a recipe, by a named world and by the configuration."""

import json

import pytest
from http_server import GENERATOR, OLDEST, PLAIN_FILE, base_tile, book, run

KEPT = list(range(OLDEST, GENERATOR + 1))
HOT = base_tile(42, 3, 0, 0, "f32", size=32)
# Tags of samples by format and generator, which docs/promise.md keeps for all versions 1.x: rows are added, and none is changed.
PROMISED = ["/tile/42/9/-3/1.{}?recipe=continents", "/tile/42/6/2/-5.{}?recipe=alpine", "/tile/42/3/1/2.{}?recipe=wayfarer"]
PROMISED_TAGS = {
    ("f32", 7): "cd80a371e6dd03787502119029748b82 2759041575cb03ce9e14f7ef03e8715a e328255a5e83453f82084d1c03bbec51",
    ("r16", 7): "638f73d56bea2a46a9878e3d9cce49c8 ef0d812f176bd6d80bc1625a3cf361dc 2669c7cbfd22726fd7a2ae370df77f73",
    ("npy", 7): "ddc77eab2083315525012fec2ea9ea2f 697962a8dc5cb4bd85091a5010b416eb aa170013f287e6ec256b4556db58ea38",
    ("f32", 8): "aebb34538e2848bc29651eda162feeef 16d21daa33a8f2075febac5d1af6c156 66921b37a4e25ab0b2a3e7e0f70887cb",
    ("f32", 9): "e293d2f4bb92cda33b3a21349fc7967c 99730adac6efd1a19968c0546db172df 00d3a9245dc4e2664b0bba9924e351e5",
    ("f32", 10): "b45ed23de0a40d784c45cddddf10f561 767bdc525d1d0c22fc8db86ea70b7258 29e3657159263f9cfc3a44d2745ac4e3",
    ("f32", 11): "8f81128358083ef61416476a6931dfa0 0c60c8629065339879f4f0eb12ec2a18 55fa9bb460a32d2c45fab9253c65a277",
    ("f32", 12): "27f4f665b4497f516f6dd76de1685e0e d9a755c021d4e83f2fa0485e1605d1cd 7885f711dbc798cf76ccf2b17743b732",
    ("f32", 13): "1fc701d43320d61c1f781e4d317fc6b4 4a538c954f22d9c95a807ea826597080 d79215269b1d2cb03e7012560c5f4d91",
    ("f32", 14): "dad555159a118ebcfd08f8067a1c32ed e6f8918a360931f81a33c257aea2b185 a67014697e635da4f5c9f4c88f9c15dc",
    ("f32", 15): "b14295472ee3b4a73df5d80c98281cf5 c1b89c814f4d9f90c166452530469487 266142e7a16d9240b0729894b31b7f90",
    ("f32", 16): "0e5ef93c2d00d62faa0ddd25d4aea3a6 18d31b26ca91d145d5f1b0483a7ca31e df359abef575d6984861d315efedb678",
    ("f32", 17): "7dc272179f4ca8a14048da7babf83ec2 ce1a354a3806bbbdf7ad9cf5ad87c8bb fb8eb5e6c7503c95a1873a2e6f787250",
}


def name_of(server, target):
    """What names the samples, in all caches."""
    return server.get(target)["ETag"]


def described(server, world, **query):
    asked = "&".join(f"{name}={value}" for name, value in query.items())
    return server.json(f"/world/{world}?{asked}")


@pytest.fixture(scope="module")
def pinned(stay, tmp_path_factory):
    """A server whose worlds say by what they are made, each in its way; its recipes are copies of the plain one."""
    text, free = json.loads(PLAIN_FILE.read_text()), {"seed": 42, "secret": False}
    recipes = {"loose": text, **{f"by-{generator}": {**text, "generator": generator} for generator in KEPT}}
    named = {"free": free, **{f"pin-{generator}": {**free, "generator": generator} for generator in KEPT}}
    return stay(config={"worlds": book(tmp_path_factory.mktemp("recipes"), recipes, default="loose", named=named)})


def test_each_is_served_and_is_a_world_of_its_own(pinned):
    names = {generator: name_of(pinned, f"{HOT}&v={generator}") for generator in KEPT}
    assert len(set(names.values())) == len(KEPT)
    assert name_of(pinned, HOT) == names[GENERATOR]
    for generator in KEPT:
        world = described(pinned, 42, v=generator)
        assert world["generator"] == generator and world["generators"] == KEPT
        assert f"v={generator}" in world["tile"]


def test_it_is_said_in_a_recipe_a_named_world_or_by_the_request(pinned):
    for generator in KEPT:
        by_request = name_of(pinned, f"{HOT}&v={generator}")
        assert name_of(pinned, f"{HOT}&recipe=by-{generator}") == by_request
        assert name_of(pinned, HOT.replace("/42/", f"/pin-{generator}/")) == by_request
        for other in KEPT:  # the request says it best
            wanted = name_of(pinned, f"{HOT}&v={other}")
            assert name_of(pinned, f"{HOT}&recipe=by-{generator}&v={other}") == wanted
            assert name_of(pinned, HOT.replace("/42/", f"/pin-{generator}/") + f"&v={other}") == wanted


def test_others_are_gone(pinned):
    for wrong in (OLDEST - 1, GENERATOR + 1, 0, 2**64):
        assert f"v={wrong}" in pinned.ask(f"{HOT}&v={wrong}").problem(410, "v")


def test_documents_and_links_keep_it(pinned):
    """Whoever follows a link stays in the world that it was found in."""
    for generator in KEPT:
        told = pinned.json(f"/xyz/42/tile.json?v={generator}")
        assert told["version"] == f"{generator}.0.0" and told["terrane"]["generator"] == generator
        assert all(f"v={generator}" in url for url in told["tiles"])
        style = pinned.json(f"/style/pin-{generator}.json")
        assert all(f"v={generator}" in url for source in style["sources"].values() for url in source["tiles"])
        for where in (f"/tile/42/3/0/0.json?v={generator}", f"/tile/pin-{generator}/3/0/0.json",
                      f"/tile/42/3/0/0.json?recipe=by-{generator}"):
            tile_of = pinned.json(where)
            assert tile_of["generator"] == generator
            assert pinned.json(tile_of["links"]["parent"])["generator"] == generator
            assert pinned.json(tile_of["links"]["world"])["world"] == tile_of["world"]
        point = pinned.json(f"/point/42?x=3&y=4&v={generator}")
        assert name_of(pinned, point["tile"]["url"]) == name_of(pinned, f"/tile/42/0/0/0.f32?v={generator}")


def test_a_prefetch_says_it(pinned):
    def ask(v):
        wanted = {"seed": "42", "position": [0, 0, 0], "view_distance": 100, "detail": 1, "v": v}
        return pinned.ask("/prefetch", "POST", [("Content-Type", "application/json")], json.dumps(wanted).encode())
    for generator in KEPT:
        answer = ask(generator)
        assert answer.status == 202
        assert all((f"v={generator}" in url) == (generator != GENERATOR) for url in json.loads(answer.body)["tiles"])
    assert (ask(GENERATOR + 1).status, ask("new").status) == (410, 400)


def test_the_log_says_which_worlds_are_not_pinned(pinned):
    assert (f'free: 1 named world would change with the next generator; "generator": {GENERATOR} in worlds.named keeps it as it is'
            in pinned.log_text())


def test_the_configuration_keeps_all(launch):
    server = launch(config={"worlds": {"generator": OLDEST, "named": {"free": {"seed": 42, "secret": False}}}})
    assert described(server, 42)["generator"] == described(server, "free")["generator"] == OLDEST
    assert name_of(server, HOT) == name_of(server, f"{HOT}&v={OLDEST}")
    assert "would change" not in server.log_text()


def test_closed_and_secret_worlds_stay(launch):
    named = {"open": {"seed": 42, "secret": False, "generator": OLDEST}, "hidden": {"seed": 42, "generator": OLDEST}}
    server = launch(config={"worlds": {"open": False, "named": named}})
    for generator in KEPT:
        assert name_of(server, HOT.replace("/42/", "/open/") + f"&v={generator}") == name_of(server, f"{HOT}&v={generator}")
    secret = HOT.replace("/42/", "/hidden/")
    names = {name_of(server, f"{secret}&v={generator}") for generator in KEPT}
    assert len(names) == len(KEPT) and name_of(server, secret) == name_of(server, f"{secret}&v={OLDEST}")
    assert server.ask(f"{HOT}&recipe=alpine&v={OLDEST}").status == 404
    # its links lead to itself
    told = server.json(f"/tile/hidden/3/0/0.json?v={GENERATOR}")
    assert server.json(told["links"]["parent"])["generator"] == GENERATOR


def test_commands_say_it():
    for generator in KEPT:
        told = run("render", "42", "3", "0", "0", "--format", "json", "--generator", generator)
        assert told.returncode == 0 and json.loads(told.stdout)["generator"] == generator
    refused = run("render", "42", "3", "0", "0", "--generator", GENERATOR + 1)
    assert refused.returncode == 2 and b"no generator" in refused.stderr
    refused = run("serve", "--print-config", environment={"TERRANE_WORLDS_GENERATOR": str(OLDEST - 1)})
    assert refused.returncode != 0


def test_what_is_wrong_is_named(tmp_path):
    for named, why in (({"seed": 1, "generator": OLDEST - 1}, f"{OLDEST - 1} is no generator of this program: allowed {OLDEST} .. {GENERATOR}"),
                       ({"seed": 1, "generator": "7"}, "is no generator of this program"),
                       ({"seed": 1, "generator": 1e30}, "is no generator of this program")):
        config = tmp_path / "c.json"
        config.write_text(json.dumps({"worlds": {"named": {"a": named}}}))
        refused = run("serve", "--config", config)
        text = refused.stderr.decode()
        assert refused.returncode != 0 and "worlds.named.a.generator" in text and why in text


@pytest.mark.parametrize("ext,generator", PROMISED_TAGS)
def test_tags_of_samples_stay(pinned, ext, generator):
    told = [pinned.ask(f"{target.format(ext)}&v={generator}", "HEAD")["ETag"] for target in PROMISED]
    assert told == [f'"{tag}"' for tag in PROMISED_TAGS[ext, generator].split()]
