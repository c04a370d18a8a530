"""Every example as it stands in its folder, in a browser, against a server of another origin: nothing fails, something is drawn,
and the heights that the client reports are those of f32."""

import platform

import pytest

from folders import OUTPUT
from pictures import assert_drawn

EXAMPLES = [("leaflet", "index"), ("openlayers", "index"), ("deckgl", "index"), ("three", "index"), ("maplibre", "index"),
            ("maplibre", "style"), ("maplibre", "plane"), ("maplibre", "made"), ("cesium", "index"),
            ("cesium", "tileset"), ("package", "index"), ("vectors", "index")]


@pytest.mark.parametrize("example, page", EXAMPLES, ids=["-".join(names) for names in EXAMPLES])
def test_example(browse, figures, example, page):
    result = browse(example, page)
    assert_drawn(example, OUTPUT / result["picture"])
    figures(f"{example} {page}: {result['answers']} answers, {result['measured']}")


@pytest.mark.skipif(platform.machine() != "x86_64", reason="elsewhere no flag takes its vectors away")
def test_a_browser_without_vectors(browse, monkeypatch):
    """V8 has WebAssembly's vectors where there is SSE4.1."""
    monkeypatch.setenv("CHROMIUM_FLAG", "--js-flags=--no-enable-sse4-1")
    assert browse("package")["measured"]["kernels"] == ["scalar", "scalar"]


@pytest.mark.parametrize("query", ["", "?layer=hillshade", "?layer=partition&recipe=alpine"])
def test_style_is_valid(node, modules, server, query):
    messages = node("maplibre/validate.mjs", modules, f"{server.url}/style/42.json{query}")
    assert not messages, f"maplibre: /style/42.json{query}: {messages}"
