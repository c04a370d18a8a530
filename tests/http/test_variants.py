"""Variants: what is eroded by default, what has one variant only, and what links and validators say of it."""

import pytest
from http_server import FORMATS, LAYERS, book, has, tile

HILLS = {"terms": {"hills": {"fractal": "fbm", "cell_m": 4096, "octaves": 9, "amplitude_m": 300}},
         "height": "hills", "sea_m": -150}
EROSION = {"levels": 3, "phases": 2, "steps": 8, "slides": 1}
LAKES = {"level": 1, "cell": 32, "share": 1, "radius": 32, "shallow_m": 0.5}
OF_EROSION = ("delta", "flow")
OF_ONE_KIND = (*OF_EROSION, "path", "cave", "river", "objects")
PLACE = (1, 5, -3)  # of a level that erodes
ABOVE = (3, 5, -3)  # of one that does not


@pytest.fixture(scope="module")
def worlds(stay, tmp_path_factory):
    """A server of recipes of one surface: as it is, and eroded."""
    recipes = {"plain": HILLS, "eroding": {**HILLS, "erosion": EROSION, "lakes": LAKES}}
    named = {"worn": {"seed": 42, "recipe": "eroding", "secret": False}}
    return stay(config={"worlds": book(tmp_path_factory.mktemp("worlds"), recipes, default="plain", named=named)})


def ask(server, lod, x, y, ext="f32", seed=42, **query):
    return server.get(tile(seed, lod, x, y, ext, **query))


def tag(server, ext="f32", place=PLACE, **query):
    return server.ask(tile(42, *place, ext, **query), "HEAD")["ETag"]


def test_worlds_say_which_variants_they_have(worlds):
    plain, eroding = (worlds.json(f"/world/42?recipe={name}") for name in ("plain", "eroding"))
    assert (plain["variants"], plain["variant"], plain["erosion"], plain["lakes"]) == (["base"], "base", None, None)
    assert (eroding["variants"], eroding["variant"]) == (["base", "eroded"], "eroded")
    assert eroding["erosion"]["levels"] == 3 and eroding["erosion"]["halo"] == [2 * 10 + 1] * 3
    assert eroding["erosion"]["unit_m"] > 0 and eroding["erosion"]["bound_m"] > 0
    assert eroding["lakes"]["lod"] == 1 and eroding["lakes"]["cell_m"] == 64 and eroding["lakes"]["share"] == 1
    for level in range(25):
        base, own = (world["levels"][level]["geometric_error_m"] for world in (plain, eroding))
        assert own > base if level else own == base == 0


@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize("layer", LAYERS)
def test_defaults_follow_the_recipe(worlds, layer, fmt):
    if not has(layer, fmt):
        return
    own = {variant: tag(worlds, fmt, layer=layer, recipe="eroding", variant=variant) for variant in (None, "base", "eroded")}
    assert own[None] == own["eroded"]
    assert (own["base"] == own["eroded"]) == (layer in OF_ONE_KIND or (layer == "partition" and fmt != "json"))
    plain = {tag(worlds, fmt, layer=layer, variant=variant) for variant in (None, "base", "eroded")}
    assert len(plain) == 1 and own[None] not in plain
    named = worlds.ask(tile("worn", *PLACE, fmt, layer=layer), "HEAD")["ETag"]
    assert fmt == "json" or named == own[None]


def test_base_is_what_there_was_before(worlds):
    """Erosion changes nothing about the surface it starts from."""
    for layer in ("height", "normal", "partition", "slope"):
        plain = ask(worlds, *PLACE, layer=layer).body
        assert ask(worlds, *PLACE, layer=layer, recipe="eroding", variant="base").body == plain
    for layer in ("hillshade", "partition"):
        assert (ask(worlds, *PLACE, "png", layer=layer, recipe="eroding", variant="base").body
                == ask(worlds, *PLACE, "png", layer=layer).body)


def test_descriptions_name_the_variant(worlds):
    plain = worlds.json(tile(42, *PLACE, "json"))
    base, eroded = (worlds.json(tile(42, *PLACE, "json", recipe="eroding", variant=v)) for v in ("base", "eroded"))
    assert (plain["variant"], base["variant"], eroded["variant"]) == ("base", "base", "eroded")
    assert (plain["eroded"], base["eroded"], eroded["eroded"]) == (False, False, True)
    assert plain["geometric_error_m"] == base["geometric_error_m"] < eroded["geometric_error_m"]
    assert (plain["min_m"], plain["mean_m"]) == (base["min_m"], base["mean_m"]) != (eroded["min_m"], eroded["mean_m"])
    above = worlds.json(tile(42, *ABOVE, "json", recipe="eroding"))
    assert (above["variant"], above["eroded"]) == ("eroded", False)
    assert above["geometric_error_m"] == worlds.json("/world/42?recipe=eroding")["levels"][3]["geometric_error_m"]


@pytest.mark.parametrize("layer", ["height", "surface", "relief", "partition"])
def test_links_keep_the_variant(worlds, layer):
    """Followed, they lead to the same variant; the default needs no naming."""
    for variant in ("base", "eroded"):
        text = worlds.json(tile(42, *PLACE, "json", recipe="eroding", variant=variant, layer=layer))
        links = text["links"]
        assert links.pop("world") == "/world/42?recipe=eroding"
        assert all(("variant=base" in link) == (variant == "base") for link in links.values())
        assert not any("variant=eroded" in link for link in links.values())
        assert worlds.json(links["east"])["variant"] == variant
        assert worlds.json(links["json"]) == text | {"links": text["links"] | {"world": "/world/42?recipe=eroding"}}
        assert worlds.get(links["png"]).body == ask(worlds, *PLACE, "png", recipe="eroding", variant=variant, layer=layer).body
