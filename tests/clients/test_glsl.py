"""The base surface on the graphics card: the page as it stands in its folder, and twins of recipes that have every kind, base and term."""

from folders import MODULES, OUTPUT
from pictures import assert_drawn

NOBODY = "http://localhost:1"  # no server is asked


def test_twins_are_the_library_within_their_bounds(node, figures):
    result = node("harness/browse.mjs", "glsl", NOBODY, OUTPUT, MODULES)
    assert not result["errors"], "glsl: " + "\n".join(result["errors"])
    assert len(result["measured"]) == 9
    assert_drawn("glsl", OUTPUT / result["picture"])
    for name, measured in result["measured"].items():
        figures(f"glsl {name}: {measured}")
