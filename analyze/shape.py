"""What is measured of a world's shape: of wide windows, heights in metres over the sea. README.md says what each measure is."""
import heapq
import math

import numpy as np

# Shares of the Earth's surface that lie under heights 500 m apart, in percent: global means of 5 minutes (NOAA's ETOPO5), summed by S. Dutch.
EARTH_M = np.arange(-7000, 5501, 500)
EARTH = np.array([0.1, 0.1, 0.5, 4.5, 14.0, 25.8, 37.3, 47.0, 53.1, 56.7, 58.8, 60.5, 61.7, 63.1, 70.3, 86.1, 91.9, 95.0, 96.5, 97.6,
                  98.5, 99.1, 99.5, 99.6, 99.8, 100]) / 100

CREST_M = 1500
CONTINENT_KM2 = 2.17e6  # Greenland: what is larger is no island
SIDE_M, CREST_REACH_M = 160000, 80000  # how far a range's sides go, and within how far its crest is the highest
BLOWS = 0.6  # of the wind's whole speed: bands where it is less go as the swing does
FEWEST = 8   # samples of a crest
OPPOSITE = 4  # samples from a ridge's to those on either side that it is over
DARK, LEVEL_SHADE = 0.15 * 255, 180  # hillshade of level ground


# ---- Heights ---------------------------------------------------------------------------------------------------------

def shares_of(heights):
    """Of samples that lie under each of EARTH_M."""
    return np.searchsorted(np.sort(heights, axis=None), EARTH_M) / heights.size


def modes(shares):
    """The middles of steps of EARTH_M that hold more than others, on either side of which less than half of it lies before as much
    comes again."""
    held = np.diff(shares)
    found = []
    for k in np.flatnonzero(held > 0):
        for ahead, as_much in ((held[k + 1:], held[k + 1:] > held[k]), (held[:k][::-1], held[:k][::-1] >= held[k])):
            if as_much.any() and not (ahead[:as_much.argmax()] < held[k] / 2).any():
                break
        else:
            found.append(float(EARTH_M[k] + EARTH_M[k + 1]) / 2)
    return found


# ---- Ranges ----------------------------------------------------------------------------------------------------------

def components(mask):
    """What hangs together by eight neighbours has one number of its own; elsewhere is -1."""
    label = np.where(mask, np.arange(mask.size).reshape(mask.shape), -1)
    while True:
        wide = np.pad(label, 1, constant_values=-1)
        best = np.maximum(np.maximum(wide[:-2], wide[2:]), wide[1:-1])
        best = np.where(mask, np.maximum(np.maximum(best[:, :-2], best[:, 2:]), best[:, 1:-1]), 0)
        best = np.where(mask, best.ravel()[best], -1)
        if (best == label).all():
            return label
        label = best


def farthest(cells, start):
    """The last of the cells that is reached from one, and the length of the way through them, in samples."""
    length, heap, done = {start: 0.0}, [(0.0, start)], set()
    while heap:
        far, last = heapq.heappop(heap)
        if last in done:
            continue
        done.add(last)
        end = far, last
        for dj in (-1, 0, 1):
            for di in (-1, 0, 1):
                cell, way = (last[0] + dj, last[1] + di), far + math.hypot(dj, di)
                if cell in cells and way < length.get(cell, math.inf):
                    length[cell] = way
                    heapq.heappush(heap, (way, cell))
    return end


def longest(label, spacing):
    """The longest of the shortest ways through one component, in metres, as two sweeps find it."""
    places, best = np.flatnonzero(label >= 0), 0.0
    order = places[np.argsort(label.flat[places], kind="stable")]
    parts = np.split(order, np.flatnonzero(np.diff(label.flat[order])) + 1)
    for part in sorted(parts, key=len, reverse=True):
        if len(part) * math.sqrt(2) <= best:
            break
        cells = set(zip(*(axis.tolist() for axis in np.unravel_index(part, label.shape))))
        if cells:
            best = max(best, farthest(cells, farthest(cells, next(iter(sorted(cells))))[1])[0])
    return best * spacing


def continents(heights, spacing):
    """[{area_km2, range_km}] of the land that hangs together over more than Greenland's area, as far as the window shows it."""
    land, high = components(heights >= 0), components(heights >= CREST_M)
    numbers, samples = np.unique(land[land >= 0], return_counts=True)
    return [{"area_km2": area, "range_km": longest(np.where(land == number, high, -1), spacing) / 1000}
            for number, area in zip(numbers, samples * (spacing / 1000) ** 2) if area > CONTINENT_KM2]


# ---- Rain ------------------------------------------------------------------------------------------------------------

def winds(south_m, period_m):
    """(east, south) where winds of the bands blow to, as lib/README.md has them less bends and swing. period_m 0: to the east."""
    if period_m == 0:
        return np.ones(len(south_m)), np.zeros(len(south_m))
    off = (south_m / period_m + 0.25) % 1 - 0.5
    latitude = abs(off) * 2

    def fade(z):
        return z * z * (3 - 2 * z)

    def held(z, low=0.0, high=1.0):
        return np.clip(z, low, high)

    within = held(latitude * 8) * held((1 - latitude) * 8)
    east = (2 * fade(held(latitude * 1.5)) - 1) * (1 - fade(held((latitude - 0.7) / 0.3)))
    return east, np.where(off < 0, 1, -1) * held((1 / 3 - latitude) * 3, -0.35, 0.45) * within


def rain_sides(heights, rain, wind, spacing):
    """Of each range the rain on the side that the wind comes from over that on the other one: means of land along it, at its crest."""
    reach, near = (max(1, round(metres / spacing)) for metres in (SIDE_M, CREST_REACH_M))
    speed = np.hypot(*wind)
    east, south = (part / np.maximum(speed, 1e-9) for part in wind)
    inner = np.zeros(heights.shape, bool)
    inner[reach:-reach, reach:-reach] = True
    j, i = np.nonzero((heights >= CREST_M) & inner & (speed >= BLOWS)[:, None])
    crest, sides = np.ones(len(j), bool), []
    for way in (-1, 1):
        fallen, land = np.zeros(len(j)), np.zeros(len(j))
        for k in range(1, reach + 1):
            at = (np.rint(j + way * k * south[j]).astype(int), np.rint(i + way * k * east[j]).astype(int))
            crest &= (heights[at] <= heights[j, i]) | (k > near)
            land += heights[at] >= 0
            fallen += np.where(heights[at] >= 0, rain[at], 0)
        crest &= land >= reach / 4
        sides.append(fallen / np.maximum(land, 1))
    of = components(heights >= CREST_M)[j, i][crest]
    numbers, index, count = np.unique(of, return_inverse=True, return_counts=True)
    windward, leeward = (np.bincount(index, side[crest], len(numbers)) for side in sides)
    return (windward / np.maximum(leeward, 1e-9))[count >= FEWEST]


# ---- Zones -----------------------------------------------------------------------------------------------------------

def below_sea(counts):
    """counts: [zone, (below, over)] samples. Zones of the land are those that hold a hundredth of it or more; their share of the sea."""
    counts = np.asarray(counts, float)
    sea, land = counts.sum(axis=0)
    return counts[counts[:, 1] >= 0.01 * max(land, 1), 0].sum() / max(sea, 1)


def borders(zone, heights, rain, spacing):
    """Of pairs of neighbours on land: whether a border runs between them, and how much height (m), aspect (half turns), rain (mm) change."""
    slope = np.gradient(heights, spacing)
    land, aspect, found = heights >= 0, np.arctan2(*slope), []
    for a, b in (((slice(None), slice(0, -1)), (slice(None), slice(1, None))), ((slice(0, -1), slice(None)), (slice(1, None), slice(None)))):
        both = land[a] & land[b]
        turn = abs(aspect[a] - aspect[b])[both] / math.pi
        found.append([(zone[a] != zone[b])[both], abs(heights[a] - heights[b])[both], np.minimum(turn, 2 - turn),
                      abs(rain[a] - rain[b])[both]])
    return [np.concatenate(part) for part in zip(*found)]


def follow(border, *changes):
    """The shares of borders and of all pairs where no change is over its median, and the correlations of borders with each change."""
    if not border.any() or border.all():
        return [math.nan] * (2 + len(changes))
    few = ~np.any([change > np.median(change) for change in changes], axis=0)
    return [few[border].mean(), few.mean(),
            *(np.corrcoef(border, change)[0, 1] if np.ptp(change) > 0 else math.nan for change in changes)]


# ---- Levels ----------------------------------------------------------------------------------------------------------

def forms(heights, least):
    """1 on ridges, -1 in valleys, of inner samples: more than least over, or under, both of two opposite ones, on some axis; 0 where both,
    or neither."""
    d = OPPOSITE
    here, (rows, columns) = heights[d:-d, d:-d], heights.shape
    over, under = np.zeros(here.shape, bool), np.zeros(here.shape, bool)
    for dj, di in ((0, d), (d, 0), (d, d), (d, -d)):
        a, b = (heights[d + s * dj:rows - d + s * dj, d + s * di:columns - d + s * di] for s in (-1, 1))
        over |= (here > a + least) & (here > b + least)
        under |= (here < a - least) & (here < b - least)
    return over.astype(int) - under


def ridges(coarse, fine):
    """(ridges of land of a level, those of them that are valleys at the next finer one), at the same places; both by more than heights
    so far apart change at the median."""
    d = OPPOSITE
    least = np.median(abs(coarse[:, d:] - coarse[:, :-d]))
    ridge = (forms(coarse, least) == 1) & (coarse[d:-d, d:-d] >= 0)
    return np.array([np.count_nonzero(ridge), np.count_nonzero(ridge & (forms(fine, least) == -1))])


def light(colours, shade, land):
    """Of the land of a relief picture (0 .. 255, 3 a pixel): the share under 15 percent grey, and contrast: the standard deviation of its
    hillshade, over that of level ground."""
    if not land.any():
        return math.nan, math.nan
    return (((colours @ [0.2126, 0.7152, 0.0722])[land] < DARK - 0.5).mean(), shade[land].std() / LEVEL_SHADE)
