"""Where water goes on a grid: by D8, across flats and over the passes of closed basins; and what adds up along its ways.

Grids are flat arrays, rows from north to south. `to` holds the sample that each drains to; where ways end, its own.
"""
import heapq
import math

import numpy as np

BAND = 32  # rows that are worked on at a time
STEPS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]  # rows, columns


def steepest(heights, dx, dy, land):
    """D8 (O'Callaghan and Mark 1984): `to`, and how steep it is. What is not land, or is of the border, stays where it is."""
    width = heights.shape[1]
    step = np.zeros(heights.shape, np.int32)
    most = np.zeros(heights.shape)
    for j in range(1, heights.shape[0] - 1, BAND):
        end = min(j + BAND, heights.shape[0] - 1)
        here, chosen, steep = heights[j:end, 1:-1], step[j:end, 1:-1], most[j:end, 1:-1]
        for y, x in STEPS:
            fall = (here - heights[j + y:end + y, 1 + x:width - 1 + x]) / math.hypot(y * dy, x * dx)
            better = (fall > steep) & land[j:end, 1:-1]
            chosen[better], steep[better] = y * width + x, fall[better]
    return step.ravel() + np.arange(step.size, dtype=np.int32), most.ravel()


def cross_flats(heights, to, stuck):
    """Gives `to` of samples that are stuck, all within the border, on ground as high as theirs: breadth first from where the
    flat has a way on, else from one of its samples, which is the end of all of it."""
    h, steps = heights.ravel(), [y * heights.shape[1] + x for y, x in STEPS]

    def spread(front):
        while front.size:
            found = []
            for step in steps:
                at = (front + step) % h.size  # what goes around comes to the border, where nothing is stuck
                new = stuck[at] & (h[at] == h[front])
                to[at[new]], stuck[at[new]] = front[new], False
                found.append(at[new])
            front = np.concatenate(found)

    samples = np.flatnonzero(stuck)
    level = [(samples[same], samples[same] + step) for step in steps for same in [h[samples] == h[samples + step]]]
    spread(np.unique(np.concatenate([b[~stuck[b]] for _, b in level])))
    one, other = (np.concatenate([pair[k][stuck[pair[0]]] for pair in level]) for k in (0, 1))  # both are still stuck, or neither
    label = np.arange(h.size, dtype=np.int32)
    while (label[one] != label[other]).any():
        np.minimum.at(label, np.maximum(label[one], label[other]), np.minimum(label[one], label[other]))
        label = ends(label)
    first = np.flatnonzero(stuck & (label == np.arange(h.size)))
    stuck[first] = False
    spread(first)


def metres(to, width, dx, dy):
    """How far each sample is from what it drains to."""
    here = np.arange(to.size, dtype=np.int32)
    return np.hypot((to // width - here // width) * dy, (to % width - here % width) * dx)


def ends(to):
    """Where each sample's way ends."""
    while True:
        further = to[to]
        if (further == to).all():
            return to
        to = further


def passes(heights, basin):
    """A priority flood over basins, numbered 1, 2 ..; 0 is where water may leave (Cordonnier et al. 2019).

    Returns the level to which each fills, and for each, in the order of the flood, its sample below the pass and the one on
    the other side.
    """
    h, index = heights.ravel(), np.arange(heights.size, dtype=np.int32).reshape(heights.shape)
    one, other = [], []
    for y, x in STEPS[4:]:
        a = index[:heights.shape[0] - y, max(0, -x):heights.shape[1] - max(0, x)].ravel()
        b = a + y * heights.shape[1] + x
        for less, more in ((a, b), (b, a)):
            apart = basin[less] < basin[more]
            one.append(less[apart])
            other.append(more[apart])
    one, other, count = np.concatenate(one), np.concatenate(other), int(basin.max()) + 1
    pair, height = basin[one].astype(np.int64) * count + basin[other], np.maximum(h[one], h[other])
    order = np.lexsort((height, pair))
    lowest = order[np.diff(pair[order], prepend=-1) != 0]  # of a pair of basins
    one, other = np.concatenate([one[lowest], other[lowest]]), np.concatenate([other[lowest], one[lowest]])
    order = np.argsort(basin[one], kind="stable")
    one, other, height = one[order], other[order].tolist(), np.tile(height[lowest], 2)[order].tolist()
    first, one = np.searchsorted(basin[one], np.arange(count + 1)).tolist(), one.tolist()
    to, level, ways, heap, at = basin[other].tolist(), [None] * count, [], [], 0
    level[0] = -math.inf
    while True:
        for k in range(first[at], first[at + 1]):
            if level[to[k]] is None:
                heapq.heappush(heap, (max(level[at], height[k]), k))
        while heap and level[to[heap[0][1]]] is not None:
            heapq.heappop(heap)
        if not heap:
            return np.array(level), ways
        most, k = heapq.heappop(heap)
        at = to[k]
        level[at] = most
        ways.append((other[k], one[k]))


def carve(to, ways):
    """Turns the ways from passes down to their pits round, so that what ended there leads on."""
    for at, beyond in ways:
        while True:
            below, to[at] = int(to[at]), beyond
            if below == at:
                break
            at, beyond = below, at


def add_up(to, own, metres, foreign):
    """Along all ways at once: what drains through each sample, the longest way to it, and whether something foreign is there.

    A sample is passed on once all that drain to it have been.
    """
    area, longest, foreign = own.astype(np.int64), np.zeros(to.size), foreign.copy()
    flows = to != np.arange(to.size)
    pending = np.bincount(to[flows], minlength=to.size)
    ready = np.flatnonzero((pending == 0) & flows)
    while ready.size:
        target = to[ready]
        np.add.at(area, target, area[ready])
        np.maximum.at(longest, target, longest[ready] + metres[ready])
        np.logical_or.at(foreign, target, foreign[ready])
        np.subtract.at(pending, target, 1)
        ready = np.unique(target[(pending[target] == 0) & flows[target]])
    return area, longest, foreign


def strahler(to, area, channel):
    """Orders (Strahler 1952) of the samples of channels: (samples, upstream first; the place among them of what each drains
    to, or -1; orders; the greatest order upstream of each, 0 at a head)."""
    samples = np.flatnonzero(channel)
    samples = samples[np.argsort(area[samples], kind="stable")]
    place = np.full(to.size, -1, np.int32)
    place[samples] = np.arange(len(samples))
    below = np.where(to[samples] == samples, -1, place[to[samples]])
    order, most, ties = [0] * len(samples), [0] * len(samples), [0] * len(samples)
    for k, j in enumerate(below.tolist()):
        order[k] = mine = most[k] + (ties[k] != 1)
        if j >= 0 and mine >= most[j]:
            ties[j] = ties[j] + 1 if mine == most[j] else 1
            most[j] = mine
    return samples, below, np.array(order, np.int64), np.array(most, np.int64)
