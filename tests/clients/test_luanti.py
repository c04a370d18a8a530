"""Luanti's server makes its map of terrane's ground: heights, water and materials of its nodes are those of f32, at once or, where the server
was not there, later; never anything else."""

import json
import sys

import numpy as np
import pytest
from folders import HERE
from http_client import limit
from http_operator import bearer
from http_server import WHOLE_FILE
from shared import READER, Relay, make, serve, write

sys.path.insert(0, str(HERE / "luanti"))
import game  # noqa: E402

WORLD = "continents"
BOX = (-32, -160, -112, 127, 159, 47)  # chunks to both sides of 0, 0


def play(directory, url, box=BOX, **settings):
    return game.told(game.start(directory, box, terrane_url=url, **settings), directory, limit(300))


def samples(server, known, layer, count=1, box=BOX, headers=()):
    """Under a box, from its north-western corner, row by row."""
    x, y, w, h = known["x"] + box[0], known["y"] - box[5], box[3] - box[0] + 1, box[5] - box[2] + 1
    at = f"&at={known['at']:.0f}" if "at" in known else ""
    body = server.get(f"/region/{known['seed']}.f32?layer={layer}&lod={known['lod']:.0f}&x0={x:.0f}&y0={y:.0f}&w={w}&h={h}{at}", headers).body
    return np.frombuffer(body, "<f4").astype(float).reshape(w * h, count).squeeze()


def check(server, told, box=BOX, headers=()):
    """Every column is as samples say."""
    known = told["state"]["known"]
    nodes = lambda metres: np.floor((metres - known["sea_m"]) / known["up_m"])  # noqa: E731
    height, surface, river = (samples(server, known, layer, box=box, headers=headers) for layer in ("height", "surface", "river"))
    ground, water = nodes(height), np.maximum(nodes(height), nodes(surface))
    stream = (river > 0) & (water == ground)
    assert told["unmade"] == 0 and np.array_equal(told["top"], ground - stream) and np.array_equal(told["wet"], water)
    assert set(told["light"]) == {15}
    return ground, water, stream, known


def test_the_map_is_the_world(server, tmp_path, figures):
    """With streams, and a node of its own for each material; where it begins is dry."""
    materials = [material["name"] for material in server.json("/world/42")["cover"]]
    colours = ["white", "grey", "black", "red", "yellow", "green", "cyan", "blue"]
    own = ", ".join(f"{name}=wool:{colour}" for name, colour in zip(materials, colours))
    river = server.json("/find/42?what=river&x=-262724&y=217704&lod=0")["features"][0]["geometry"]["coordinates"]
    told, _ = play(tmp_path, server.url, terrane_center=f"{river[0]},{river[1]}", terrane_nodes=own)
    ground, water, stream, known = check(server, told)
    assert stream.any() and known["x"] == river[0] and known["y"] == river[1]
    weights = samples(server, known, "cover", len(materials))
    names = np.array(told["name"])
    for m, colour in enumerate(colours):
        assert (weights[names == f"wool:{colour}", m] > 0).all()
        assert np.isclose((names == f"wool:{colour}").mean(), weights[:, m].mean(), atol=0.02)
    spawn = told["state"]["spawn"]
    at = int((BOX[5] - spawn["z"]) * (BOX[3] - BOX[0] + 1) + spawn["x"] - BOX[0])
    assert spawn["y"] == ground[at] + 1 and water[at] == ground[at] and not stream[at]
    figures(f"luanti: {told['blocks']:.0f} blocks in {told['whole_s']:.2f} s")


@pytest.mark.parametrize("game_name", ["minetest", "devtest"])
def test_a_coast_from_afar(server, tmp_path, game_name):
    """16 m to a node, 4 m up, in two games: with sea, to its floor."""
    x, y = server.json("/find/42?what=coast&x=-262724&y=217704")["features"][0]["geometry"]["coordinates"][:2]
    told, _ = play(tmp_path, server.url, game=game_name, terrane_center=f"{x},{y}", terrane_lod=4, terrane_up_m=4)
    ground, water, _, _ = check(server, told)
    assert (ground < 0).any() and set(water[ground < 0]) == {0} and (ground > 4).any()


def test_a_world_that_people_change(launch, tmp_path):
    """Is as it was when the map began; a key is told to a server that wants one. This one has no materials."""
    make(tmp_path, 42)
    server = serve(launch, tmp_path, required=True)
    hill = {"brush": "raise", "x": 20, "y": 30, "inner": 10, "outer": 40, "strength_m": 8}
    write(server, hill)
    given = {"terrane_seed": "commons", "terrane_center": "0,0", "terrane_key": READER}
    told, _ = play(tmp_path, server.url, **given)
    assert told["state"]["known"]["at"] == 1
    check(server, told, BOX, bearer(READER))
    write(server, {**hill, "x": 170})
    box = (48, *BOX[1:3], 207, *BOX[4:])
    check(server, play(tmp_path, server.url, box, **given)[0], box, bearer(READER))


def test_more_ahead_than_is_kept(launch, tmp_path):
    """Is not fetched again and again: of three players far apart the nearest tiles stay."""
    server = launch()
    told, _ = play(tmp_path, server.url, terrane_tiles=16, terrane_ahead=1024, drive_players="0 0 9000 0 0 9000", drive_stay_s=3)
    check(server, told)
    assert server.count("terrane_response_bytes_total") < 64e6  # a tile is 1 MiB


def test_without_the_server(launch, tmp_path):
    """Nothing is there while nothing is known of it; it comes with the server, in the same game or a later one. Another world never does."""
    relay, box = Relay(), (-32, -32, -32, 47, 207, 47)
    nothing, log = play(tmp_path, relay.url, box, drive_whole="false")
    assert nothing["unmade"] == 80 * 240 * 80 and nothing["state"]["waiting"] == 3 and "no answer" in nothing["state"]["fault"]
    assert log.count("Nothing is made until it answers") == 1

    server = launch(world=WORLD)
    process = game.start(tmp_path, BOX, terrane_url=relay.url)
    try:
        while "Nothing is made until it answers" not in process.stderr.readline():
            assert process.poll() is None
        relay.to = server.public
        told, _ = game.told(process, tmp_path, limit(300))
    finally:
        process.kill()
    check(server, told)
    assert told["state"]["waiting"] == 0

    relay.to = launch(config={"worlds": {"dir": str(WHOLE_FILE.parent), "default": "whole"}}).public
    other, _ = play(tmp_path, relay.url, (208, -32, 208, 287, 47, 287), drive_whole="false", terrane_seed="7", terrane_lod=3)
    assert other["unmade"] == 80 ** 3 and "another world" in other["state"]["fault"]
    assert json.loads((tmp_path / "world/terrane.json").read_text())["world"] == told["state"]["known"]["world"]
    relay.close()
