"""Mapbox's and OpenLayers' readers on vector tiles: every feature, property and point that the tile has."""

import urllib.request

import pytest
from http_mvt import read_mvt


def opened(lines, kind):
    """Rings without the first point once more, as readers differ in that."""
    return [line[:-1] if kind == "polygon" and line[0] == line[-1] else line for line in lines]


@pytest.mark.parametrize("target", ["/tile/42/5/-35/22.mvt", "/xyz/42/6/31/31.mvt", "/tile/42/4/2/0.mvt?recipe=wayfarer"])
def test_readers_agree(node, modules, server, target):
    with urllib.request.urlopen(server.url + target) as answer:
        layers = read_mvt(answer.read())
    assert {"contour", "water"} <= set(layers)
    for reader, read in node("vectors/read.mjs", modules, server.url + target).items():
        assert set(read) == set(layers), f"{reader}: {target}"
        for name, features in layers.items():
            assert len(read[name]) == len(features), f"{reader}: {target}: {name}"
            for own, (properties, lines) in zip(features, read[name]):
                assert properties == own.properties and opened(lines, own.kind) == [[list(point) for point in line] for line in own.lines], \
                    f"{reader}: {target}: {name}"
