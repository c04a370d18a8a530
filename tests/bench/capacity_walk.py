"""Viewers of a web map who walk a world: what they look at, and which tiles that asks for.

A session begins at a place and a zoom, and goes from view to view: by part of a screen in a direction that it tends
to keep, or one zoom in or out. Places have a popularity like Zipf's: rank k draws viewers as k^-zipf. Each view asks for
all tiles under the screen, in every layer of the map; a browser's cache leaves of them what it does not hold.

Zooms. A step to another zoom is taken with the chance min(1, h(new) / h(old)), so that views are spread as the
histogram h, whatever the walk (Metropolis). h is what tile.openstreetmap.org was asked for in a week of August 2021, in
millions a zoom, 0 .. 18, as TileSiege gives it (github.com/bdon/TileSiege); it has no panning, which is ours.

A piece of the world. Much traffic is simulated on a square piece that is a share of the world, with that share of its
places, its traffic and of every cache: hit rates are those of the whole, counts are its share. A piece has no more coarse
tiles than its ground: where it is smaller than a screen (a sixtieth of the world: at zoom 5 and below) views have fewer.
"""

from dataclasses import dataclass

import numpy as np

OSM_ZOOMS = (2, 2, 6, 12, 16, 27, 38, 41, 49, 56, 72, 71, 99, 135, 135, 136, 102, 66, 37)
ZOOM_FINEST = len(OSM_ZOOMS) - 1  # level 0
WORLD_M = 256 << ZOOM_FINEST  # across, at 1 m a sample
LAYER_BITS, AXIS_BITS = 2, 18


@dataclass
class Habits:
    """What viewers do."""

    zooms: tuple = OSM_ZOOMS
    places: int = 5000  # of the whole world
    zipf: float = 1.1
    scatter_m: float = 500  # around a place, standard deviation of where a session begins
    views: float = 20  # mean of a session; geometric
    pause_s: float = 4  # mean from view to view; exponential
    zoom_share: float = 0.3  # of steps that try another zoom
    persistence: float = 0.6  # chance to keep the direction of the last pan
    pan: tuple = (0.25, 1.0)  # of a screen
    screen: tuple = (6, 4)  # tiles of 256
    layers: tuple = ("relief", "height")

    @staticmethod
    def scattered(**others):
        """Little that viewers have in common: ten times the places, and none much loved."""
        return Habits(**{"places": 200000, "zipf": 0.5, "scatter_m": 2000, **others})


@dataclass
class Views:
    """Arrays with an entry a view; those of a session follow each other."""

    session: np.ndarray
    time_s: np.ndarray
    zoom: np.ndarray
    x: np.ndarray  # of the middle of the screen, in tiles
    y: np.ndarray


def place_weights(habits, share):
    """Popularity of the places of a piece, most loved first; sum 1. Each stands for the mean of 1 / share ranks."""
    count = max(1, round(habits.places * share))
    total = np.concatenate([[0.0], np.cumsum(np.arange(1, habits.places + 1) ** -habits.zipf)])
    edges = np.round(np.linspace(0, habits.places, count + 1)).astype(int)
    weights = np.diff(total[edges])
    return weights / weights.sum()


def walk(random, habits, sessions, span_s, share=1.0, places=None):
    """The views of so many sessions that begin in span_s seconds, on a piece of the world. places: an array of
    positions 0 .. 1 (x, y) in place of those drawn here."""
    side_m = WORLD_M * share**0.5
    weights = place_weights(habits, share) if places is None else np.full(len(places), 1 / len(places))
    spots = random.random((len(weights), 2)) if places is None else np.asarray(places)
    chosen = spots[random.choice(len(weights), sessions, p=weights)]
    histogram = np.asarray(habits.zooms, dtype=float)
    zoom = random.choice(len(histogram), sessions, p=histogram / histogram.sum())
    at_m = chosen * side_m + random.normal(0, habits.scatter_m, (sessions, 2))
    time_s = random.random(sessions) * span_s
    left = random.geometric(1 / habits.views, sessions)
    angle = random.random(sessions) * 2 * np.pi
    who = np.arange(sessions)
    steps = []
    while len(who):
        at_m = np.clip(at_m, 0, side_m * (1 - 1e-9))
        tile_m = 256.0 * 2.0 ** (ZOOM_FINEST - zoom)
        steps.append((who, time_s, zoom, at_m[:, 0] / tile_m, at_m[:, 1] / tile_m))
        # the next view of those who stay
        left = left - 1
        stay = left > 0
        who, time_s, zoom, left, angle = who[stay], time_s[stay], zoom[stay], left[stay], angle[stay]
        at_m, tile_m = at_m[stay], tile_m[stay]
        count = len(who)
        time_s = time_s + random.exponential(habits.pause_s, count)
        wanted = np.clip(zoom + random.choice((-1, 1), count), 0, len(histogram) - 1)
        zooms = (random.random(count) < habits.zoom_share) & (
            random.random(count) * histogram[zoom] < histogram[wanted])
        angle = np.where(random.random(count) < habits.persistence, angle, random.random(count) * 2 * np.pi)
        by = np.where(zooms, 0, random.uniform(*habits.pan, count)) * tile_m
        at_m = at_m + np.stack([np.cos(angle) * habits.screen[0] * by, np.sin(angle) * habits.screen[1] * by], 1)
        zoom = np.where(zooms, wanted, zoom)
    columns = [np.concatenate(column) for column in zip(*steps)]
    order = np.lexsort((columns[1], columns[0]))
    return Views(*(column[order] for column in columns))


def tile_key(layer, zoom, x, y):
    """One number for a tile: layer is its place in Habits.layers."""
    return ((((zoom << AXIS_BITS) + x) << AXIS_BITS) + y << LAYER_BITS) + layer


def tile_of(key):
    """(layer, zoom, x, y) of a tile_key."""
    mask = (1 << AXIS_BITS) - 1
    rest = key >> LAYER_BITS
    return key & (1 << LAYER_BITS) - 1, rest >> 2 * AXIS_BITS, rest >> AXIS_BITS & mask, rest & mask


def requests(views, habits, share=1.0):
    """(index of the view, key of the tile) of all that the views show, in their order."""
    width, height = habits.screen
    # A screen lies across tiles: one more along each axis.
    dx, dy, layer = (a.ravel() for a in np.meshgrid(np.arange(width + 1), np.arange(height + 1),
                                                    np.arange(len(habits.layers)), indexing="ij"))
    x = np.floor(views.x - width / 2).astype(np.int64)[:, None] + dx
    y = np.floor(views.y - height / 2).astype(np.int64)[:, None] + dy
    zoom = views.zoom.astype(np.int64)[:, None]
    tiles = np.ceil(2.0**zoom * share**0.5).astype(np.int64)
    inside = (x >= 0) & (y >= 0) & (x < tiles) & (y < tiles)
    keys = tile_key(layer, zoom, x, y)
    view = np.broadcast_to(np.arange(len(views.session))[:, None], keys.shape)
    return view[inside], keys[inside]
