"""What is measured of heights on a grid: arrays of rows from north to south. README.md says what each measure is.

Heights are float64, dx and dy metres between samples of a row and between rows. A number that is not there is NaN.
"""
import math

import numpy as np

import network

BAND = 32  # rows that are worked on at a time: what is made beside the heights stays small


def fit_line(x, y):
    """Least squares: {points, slope, intercept, r2}, or None under two points or all at one x."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    if len(x) < 2 or not np.ptp(x) > 0:
        return None
    dx, dy = x - x.mean(), y - y.mean()
    slope = (dx @ dy) / (dx @ dx)
    return {"points": len(x), "slope": slope, "intercept": y.mean() - slope * x.mean(),
            "r2": (dx @ dy) ** 2 / ((dx @ dx) * (dy @ dy)) if dy @ dy > 0 else 1.0}


def slope_of(fit, sign=1):
    return sign * fit["slope"] if fit else math.nan


# ---- Boxes -----------------------------------------------------------------------------------------------------------

GRIDS = [(0, 0), (1, 2), (2, 3), (3, 1)]  # how far each starts to the east and to the south, in quarters of the largest box


def fit_counts(sides, boxes):
    return fit_line(np.log2(sides), np.log2(boxes)) if len(sides) and np.min(boxes) > 0 else None


def box_count(cells):
    """Boxes of 2, 4 .. 64 cells that hold a marked one: {sides, grids: [[..]], mean, fits, fit}; no sides: too few cells.

    All boxes of a grid lie within one rectangle, which is the same for all sides: nothing is counted half.
    """
    largest = 64
    while largest > min(cells.shape) // 4:
        largest //= 2
    sides = [2 << k for k in range(6) if 2 << k <= largest] if largest >= 8 else []
    grids = []
    for east, south in GRIDS if sides else []:
        west, north = east * largest // 4, south * largest // 4
        height, width = ((n - largest * 3 // 4) // largest * largest for n in cells.shape)
        work, counts = cells[north:north + height, west:west + width], []
        for _ in sides:
            work = work[::2, ::2] | work[1::2, ::2] | work[::2, 1::2] | work[1::2, 1::2]
            counts.append(int(np.count_nonzero(work)))
        grids.append(counts)
    mean = np.mean(grids, axis=0) if sides else np.empty(0)
    return {"sides": sides, "grids": grids, "mean": mean, "fits": [fit_counts(sides, g) for g in grids],
            "fit": fit_counts(sides, mean)}


def box_count_level(heights, level):
    """Cells are squares between four samples, marked where some of them are at or above the level and some below."""
    land = heights >= level
    four = land[:-1, :-1].astype(np.int8) + land[:-1, 1:] + land[1:, :-1] + land[1:, 1:]
    return box_count((four > 0) & (four < 4))


# ---- Ground ----------------------------------------------------------------------------------------------------------

def hypsometry(heights, sea):
    land = heights[heights >= sea]
    out = {"min_m": math.nan, "max_m": math.nan, "mean_m": math.nan, "integral": math.nan,
           "share_at_or_above_each_percent": np.zeros(101)}
    if land.size == 0:
        return out
    low, high, mean = land.min(), land.max(), land.mean()
    out.update(min_m=low, max_m=high, mean_m=mean)
    if high > low:
        out["integral"] = (mean - low) / (high - low)
        counts = np.bincount(np.minimum(((land - low) / (high - low) * 100).astype(np.int8), 99), minlength=101)
        out["share_at_or_above_each_percent"] = counts[::-1].cumsum()[::-1] / land.size
    return out


def outmost(which, h):
    """Of the eight neighbours of each inner sample, the least or the greatest."""
    rows = which(which(h[:, :-2], h[:, 2:]), h[:, 1:-1])
    return which(which(rows[:-2], rows[2:]), which(h[1:-1, :-2], h[1:-1, 2:]))


def slopes(heights, dx, dy, sea):
    """Of central differences, in degrees, and which samples are lower or higher than all eight neighbours."""
    fine = np.zeros(9000)  # bins of 0.01 degrees, which the median is taken of
    total = squares = 0.0
    count, pits, peaks = 0, 0, 0
    for j in range(0, heights.shape[0] - 2, BAND):
        h = heights[j:j + BAND + 2]
        here = h[1:-1, 1:-1]
        land = here >= sea
        west, east, north, south = h[1:-1, :-2], h[1:-1, 2:], h[:-2, 1:-1], h[2:, 1:-1]
        rise = ((east - west)[land] / (2 * dx)) ** 2 + ((south - north)[land] / (2 * dy)) ** 2
        degrees = np.degrees(np.arctan(np.sqrt(rise)))
        fine += np.bincount(np.minimum((degrees * 100).astype(int), 8999), minlength=9000)
        total += degrees.sum()
        squares += (degrees ** 2).sum()
        count += degrees.size
        pits += np.count_nonzero(land & (here < outmost(np.minimum, h)))
        peaks += np.count_nonzero(land & (here > outmost(np.maximum, h)))
    if count == 0:
        nothing = {"median_degrees": math.nan, "mean_degrees": math.nan, "deviation_degrees": math.nan}
        return ({"samples": 0, **nothing, "share_of_each_degree": np.zeros(90)},
                {"samples": 0, "pit_share": math.nan, "peak_share": math.nan})
    up_to = fine.cumsum()
    k = int(np.argmax((fine > 0) & (up_to >= count / 2)))
    median = (k + (count / 2 - up_to[k] + fine[k]) / fine[k]) * 0.01
    deviation = math.sqrt(max(0, squares / count - (total / count) ** 2))
    return ({"samples": count, "median_degrees": median, "mean_degrees": total / count, "deviation_degrees": deviation,
             "share_of_each_degree": fine.reshape(90, 100).sum(axis=1) / count},
            {"samples": count, "pit_share": pits / count, "peak_share": peaks / count})


# ---- Cliffs ----------------------------------------------------------------------------------------------------------

def longest_run(marked):
    """Of marked samples in a row."""
    ends = np.flatnonzero(np.diff(np.pad(marked, ((0, 0), (1, 1))).ravel().astype(np.int8)))
    return int((ends[1::2] - ends[::2]).max(initial=0))


def diagonals(marked):
    """The diagonals from north-west to south-east, as rows; what is not marked lies between them."""
    wide = marked.shape[1] + 2
    flat = np.pad(marked, ((0, 0), (0, 1))).ravel()
    return np.pad(flat, (0, -len(flat) % wide)).reshape(-1, wide).T


def cliffs(heights, dx, dy, sea):
    """The longest straight lines of samples over which the next ones beside them stand by more than 45 degrees, to one side."""
    def steps(low, high, far):
        return (high - low > far) & (high >= sea)

    def longest(h, far, lines=np.asarray):
        return max(longest_run(lines(steps(*pair, far))) for pair in (h, h[::-1]))

    def across(h):
        return h[1:, :-1], h[:-1, 1:]

    shares = [np.count_nonzero(steps(*pair, far)) for north, south, far in ((heights[:-1], heights[1:], dy), (heights[:, :-1], heights[:, 1:], dx))
              for pair in ((north, south), (south, north))]
    land = 2 * np.count_nonzero(heights >= sea)
    return {"steep_share": sum(shares) / land if land else math.nan,
            "axis_samples": max(longest((heights[:-1], heights[1:]), dy), longest((heights.T[:-1], heights.T[1:]), dx)),
            "diagonal_samples": max(longest(across(h), math.hypot(dx, dy), diagonals) for h in (heights, heights[:, ::-1]))}


# ---- Drainage --------------------------------------------------------------------------------------------------------

# Of area in samples: where channels begin, where fits end, half octaves a bin between them; samples that a bin needs.
LEAST, MOST, BINS, ENOUGH = 32, 4096, 14, 16
CLOSED_M = 1
COMPASS, REACH = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"], 8


def by_area(area, value):
    """Means in half octaves of area from LEAST on, and the fit of their logarithms: (areas, values, fit)."""
    bins = (2 * np.log2(area / LEAST)).astype(int)
    samples = np.bincount(bins, minlength=BINS)
    few = samples < ENOUGH
    mean = [np.where(few, math.nan, np.bincount(bins, v, len(samples)) / np.maximum(samples, 1)) for v in (area, value)]
    return *mean, fit_line(np.log10(mean[0][~few]), np.log10(mean[1][~few]))


def area_exponent(area, whole):
    """Of P(area > a), after Kaplan and Meier 1958: what may come from beyond the window has at least the area that is seen."""
    seen = np.bincount(area, minlength=MOST + 1)
    at_least = seen[::-1].cumsum()[::-1]
    share = np.cumprod(1 - np.bincount(area[whole], minlength=len(seen)) / np.maximum(at_least, 1))
    sizes = np.round(LEAST * 2 ** (np.arange(BINS + 1) / 2)).astype(int)
    sizes = sizes[(at_least[sizes] >= ENOUGH) & (share[sizes] > 0)]
    fit = fit_line(np.log10(sizes), np.log10(share[sizes]))
    return {"area_exponent": slope_of(fit, -1), "area_fit": fit, "area_sizes": sizes, "share_over_area": share[sizes]}


def mean_ratio(above, below, weight):
    """The geometric mean of ratios, where there are some."""
    there = (above > 0) & (below > 0) & (weight > 0)
    if not there.any():
        return math.nan
    return math.exp(np.average(np.log(above[there] / below[there]), weights=weight[there]))


def horton(streams, area, metres, foreign):
    """Horton's ratios, of streams (network.strahler) in whatever catchments lie within the window, each of these for itself:
    what joins a stream of a higher order is held against the streams of the next. A ratio counts as often as there are
    streams of its higher order, which is how exact it is."""
    samples, below, order, most = streams
    whole, goes_on = ~foreign[samples], below >= 0
    last = ~goes_on | (order[below] != order)
    length = metres[samples].tolist()  # of a stream, down to the sample
    for k, j in zip(np.flatnonzero(~last).tolist(), below[~last].tolist()):
        length[j] += length[k]

    def each(which, value=None):
        return np.bincount(order[which], value[which] if value is not None else None, order.max(initial=0) + 1)[1:]

    begun, joined, ended = each(whole & (most != order)), each(whole & last & goes_on & whole[below]), each(whole & last)
    length, area = (np.where(ended > 0, each(whole & last, v) / np.maximum(ended, 1), math.nan)
                    for v in (np.array(length), area[samples]))
    return {"bifurcation_ratio": mean_ratio(joined[:-1], begun[1:], begun[1:]), "streams": begun, "stream_length_m": length,
            "stream_area_samples": area, **{f"{name}_ratio": mean_ratio(of[1:], of[:-1], ended[1:])
                                            for name, of in (("length", length), ("area", area))}}


def directions(begin, end, width, dx, dy):
    """Shares of length in each eighth of the compass."""
    south, east = (end // width - begin // width) * dy, (end % width - begin % width) * dx
    eighth = np.round(np.arctan2(east, -south) / (math.pi / 4)).astype(int) % 8
    length = np.bincount(eighth, np.hypot(south, east), 8)
    return dict(zip(COMPASS, length / length.sum() if length.any() else np.full(8, math.nan)))


def channels(to, h, area, longest, foreign, land, width, dx, dy):
    """What is measured of the network of channels. On lakes and over passes that were cut they have no direction."""
    channel, metres = land & (area >= LEAST), network.metres(to, width, dx, dy)
    whole = channel & ~foreign
    hack = by_area(area[whole], longest[whole])
    begin = np.flatnonzero(channel & (h > h[to]))
    reach, end = begin, to[begin]
    for _ in range(REACH - 1):
        reach, end = reach[to[end] != end], to[end[to[end] != end]]
    return {"hack_exponent": slope_of(hack[2]), "hack_fit": hack[2], "hack_area_samples": hack[0], "hack_length_m": hack[1],
            **area_exponent(area[land], ~foreign[land]), **horton(network.strahler(to, area, channel), area, metres, foreign),
            "directions": directions(begin, to[begin], width, dx, dy),
            "directions_of_reaches": directions(reach, end, width, dx, dy)}


def drainage(heights, dx, dy, sea, surface=None):
    """Of the ground alone, or of the surface of ground and water: what lies under water that is over the sea is a lake."""
    land, wet, width = heights >= sea, np.zeros(heights.shape, bool), heights.shape[1]
    if surface is not None:
        wet = surface > heights
        land = ~wet | (surface > sea)
        wet &= land
        heights = surface
    inner, foreign = np.zeros(heights.shape, bool), land.copy()
    inner[1:-1, 1:-1] = True
    foreign[1:-1, 1:-1] &= outmost(np.maximum, np.where(land & ~inner, heights, -math.inf)) >= heights[1:-1, 1:-1]
    to, steep = network.steepest(heights, dx, dy, land)
    land, wet, inner, foreign, h = land.ravel(), wet.ravel(), inner.ravel(), foreign.ravel(), heights.ravel()
    count = max(1, np.count_nonzero(land)) if land.any() else math.nan
    here = np.arange(to.size)
    network.cross_flats(heights, to, (to == here) & land & inner)
    end = network.ends(to)
    pit = (end == here) & land & inner
    lake = np.zeros(to.size, bool)
    lake[end[wet & (h == h[end])]] = True

    metres = network.metres(to, width, dx, dy)
    sums = network.add_up(to, land, metres, foreign)
    area = sums[0]
    fitted = (steep > 0) & (area >= LEAST) & (area < MOST)
    mean_area, mean_slope, fit = by_area(area[fitted], steep[fitted])

    pit &= ~lake
    basin = np.where(pit, np.cumsum(pit, dtype=np.int32), 0)[end]
    level, ways = network.passes(heights, basin)
    found = {"length_m": (area * metres).sum() / count, "concavity": slope_of(fit, -1), "fit": fit,
             "area_samples": mean_area, "slope": mean_slope,
             "ends_in_sea": np.count_nonzero(~land[end] & land) / count,
             "ends_at_border": np.count_nonzero((land & ~inner)[end]) / count,
             "inland_share": np.count_nonzero((land & inner)[end]) / count, "pits": np.count_nonzero(pit) / count,
             "closed_share": np.count_nonzero(level[basin] - h > CLOSED_M) / count, "lake_share": np.count_nonzero(wet) / count}
    if ways:
        network.carve(to, ways)
        sums = network.add_up(to, land, network.metres(to, width, dx, dy), foreign)
    return {**found, **channels(to, h, *sums, land, width, dx, dy)}


# ---- Relief by size --------------------------------------------------------------------------------------------------

def less_plane(boxes):
    """Boxes (.., rows, columns) less the best plane of each, found around its centre."""
    rows, columns = boxes.shape[-2:]
    y, x = np.arange(rows)[:, None] - (rows - 1) / 2, np.arange(columns) - (columns - 1) / 2
    mean = boxes.mean(axis=(-2, -1), keepdims=True)
    return (boxes - mean - x * ((boxes * x).sum(axis=(-2, -1), keepdims=True) / ((x * x).sum() * rows))
            - y * ((boxes * y).sum(axis=(-2, -1), keepdims=True) / ((y * y).sum() * columns)))


def roughness(heights):
    sides = [4 << k for k in range(10) if 4 << k <= min(heights.shape) // 4]
    rms = []
    for side in sides:
        across = heights.shape[1] // side
        squares = sum((less_plane(row[:, :across * side].reshape(side, across, side).swapaxes(0, 1)) ** 2).sum()
                      for row in np.split(heights, range(side, heights.shape[0], side)) if len(row) == side)
        rms.append(math.sqrt(squares / (side * side * across * (heights.shape[0] // side))))
    fit = fit_line(np.log2(sides), np.log2(rms)) if min(rms, default=0) > 0 else None
    return {"box_samples": sides, "rms_m": rms, "exponent": slope_of(fit), "fit": fit}


def smooth_side(n):
    """The largest even number up to n without a prime factor over 5."""
    def smooth(m):
        for p in (2, 3, 5):
            while m % p == 0:
                m //= p
        return m == 1
    return next(m for m in range(n & ~1, 0, -2) if smooth(m))


def spectrum(heights, dx, dy):
    """Power over frequency, 6 bins an octave, of the largest smooth middle, less its plane, under a Hann window."""
    height, width = map(smooth_side, heights.shape)
    j, i = (heights.shape[0] - height) // 2, (heights.shape[1] - width) // 2
    window = [0.5 - 0.5 * np.cos(2 * np.pi * (np.arange(n) + 0.5) / n) for n in (height, width)]
    waves = np.fft.rfft2(less_plane(heights[j:j + height, i:i + width]) * window[0][:, None] * window[1])
    power = (waves.real ** 2 + waves.imag ** 2) * (dx * dy / ((window[0] ** 2).sum() * (window[1] ** 2).sum()))
    frequency = np.hypot(np.fft.rfftfreq(width, dx), np.fft.fftfreq(height, dy)[:, None])
    weight = np.full(power.shape, 2.0)  # the half that is not computed is its mirror
    weight[:, [0, -1]] = 1
    frequency[0, 0] = math.nan
    place = np.floor(np.log2(frequency * max(width * dx, height * dy)) * 6 + 0.5)
    there = (place >= 0) & (place < 128)
    place, weight = place[there].astype(int), weight[there]
    entries = np.bincount(place, weight)
    full = entries > 0
    frequency, power = (np.bincount(place, weight * v[there])[full] / entries[full] for v in (frequency, power))
    band = [4 / min(width * dx, height * dy), 0.25 / max(dx, dy)]
    fitted = (frequency >= band[0]) & (frequency <= band[1]) & (power > 0)
    fit = fit_line(np.log10(frequency[fitted]), np.log10(power[fitted]))
    return {"beta": slope_of(fit, -1), "beta_of_profiles": slope_of(fit, -1) - 1, "fit": fit, "band_cycles_per_m": band,
            "frequency_cycles_per_m": frequency, "power_m4": power, "samples": [width, height]}


# ---- All of them -----------------------------------------------------------------------------------------------------

def measure(heights, dx, dy, sea, level, surface=None):
    coast = box_count_level(heights, level)
    slope, extremes = slopes(heights, dx, dy, sea)
    return {
        "samples": [heights.shape[1], heights.shape[0]], "spacing_m": [dx, dy], "sea_m": sea,
        "land_share": np.count_nonzero(heights >= sea) / heights.size,
        "coast": {"level_m": level, "dimension": slope_of(coast["fit"], -1), "fit": coast["fit"], "box_samples": coast["sides"],
                  "boxes": coast["mean"], "grids": [{"boxes": boxes, "dimension": slope_of(fit, -1)}
                                                    for boxes, fit in zip(coast["grids"], coast["fits"])]},
        "slope": slope, "hypsometry": hypsometry(heights, sea), "extremes": extremes, "cliffs": cliffs(heights, dx, dy, sea),
        "drainage": drainage(heights, dx, dy, sea, surface), "roughness": roughness(heights), "spectrum": spectrum(heights, dx, dy),
    }
