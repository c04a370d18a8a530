"""terrane analyze --shape: a world's shape, of wide windows at hashed places far from each other, and of small ones in them."""
import concurrent.futures
import hashlib
import math
import os
import re
import warnings

import numpy as np

import report
import shape
import source

WIDE_LOG2 = 22        # samples of level 0 along a wide window
PLACES_LOG2 = 16      # windows from the origin to the farthest on either side
CLOSER = 4            # one in so many is looked at more closely, on its shores and inland, at each level from COARSE down
COARSE, SIDE = 12, 256
DRAWN = 4             # windows
LIT = (12, 9, 6, 3, 0)

# name, unit, what it is times, digits, least, most: a line of the table
LINES = {
    "sea": ("sea", "%", 100, 1, 55, 72),
    "kolmogorov": ("heights, Kolmogorov's distance to Earth's", "", 1, 3, None, 0.12),
    "modes": ("    modes", "", 1, 0, 2, 2),
    "range_km": ("longest range of a continent, median", "km", 1, 0, 500, None),
    "rain": ("rain, windward over leeward, median", "", 1, 2, 1.8, None),
    "zones_below_sea": ("land's zones below the sea", "% of it", 100, 2, None, 0),
    "borders": ("zones' borders that follow nothing", "%", 100, 1, None, None),
    "borders_chance": ("    by chance", "%", 100, 1, None, None),
    "borders_height": ("    correlation with height", "", 1, 3, None, None),
    "borders_aspect": ("                     aspect", "", 1, 3, None, None),
    "borders_rain": ("                     precipitation", "", 1, 3, None, None),
    "dark": ("land under 15 % grey", "%", 100, 3, None, 0),
    "contrast_change": ("mean contrast, level to level, most", "%", 100, 1, None, 15),
    "flips": ("flips of sea and land on shores, most", "%", 100, 2, None, 1.3),
    "flips_of_all": ("    of all windows, most", "%", 100, 2, None, None),
    "ridges": ("ridges that flip to valleys, most", "%", 100, 2, None, 5),
}


# ---- Windows ---------------------------------------------------------------------------------------------------------

class World:
    """What is asked of a world, whose seed is a number."""

    def __init__(self, seed, recipe, level):
        self.words = [f"--recipe={recipe}"] if recipe is not None else []
        self.digest, self.seed, self.variant, self.spacing = source.facts(seed, level, *self.words)
        self.sea, text = source.sea_level(recipe), source.told(recipe)
        bands = re.search(r"^climate every .*?(?:no bands|bands of (\S+) m),", text, re.M)
        self.climate = bands is not None
        self.period_m = float(bands[1] or 0) if bands else 0
        self.zones = re.search(r"^zones\n +0 .*\n +1 ", text, re.M) is not None
        self.level = level

    def window(self, level, at, side, layer):
        return source.window(self.seed, level, *at, side, side, *self.words, f"--layer={layer}").astype(float)

    def heights(self, level, at, side):
        return self.window(level, at, side, "height") - self.sea

    def picture(self, level, at, layer):
        return 255 * source.picture(self.seed, level, *at, SIDE, SIDE, *self.words, f"--layer={layer}")


def place(seed, window):
    """Where a wide window stands, in windows."""
    text = hashlib.sha256(f"{seed} {window}".encode()).digest()
    return [int.from_bytes(text[k:k + 8], "little", signed=True) >> (63 - PLACES_LOG2) for k in (0, 8)]


def wide(world, number):
    """All of one wide window: what is summed over them, and where its shores and its land are."""
    side = 1 << (WIDE_LOG2 - world.level)
    at = [side * n for n in place(world.seed, number)]
    heights, spacing = world.heights(world.level, at, side), world.spacing
    found = {"at": at, "sea": (heights < 0).mean(), "shares": shape.shares_of(heights), "continents": shape.continents(heights, spacing),
             "rain": np.empty(0), "heights": heights[::side // 256, ::side // 256].astype(np.float32) if number < DRAWN else None}
    rain = world.window(world.level, at, side, "climate")[..., 1] if world.climate else np.zeros(heights.shape)
    if world.climate:
        south = (at[1] + np.arange(side)) * spacing
        found["rain"] = shape.rain_sides(heights, rain, shape.winds(south, world.period_m), spacing)
    if world.zones:
        zone = world.window(world.level, at, side, "partition").argmax(axis=-1)
        found["zones"] = np.stack([np.bincount(zone[which], minlength=256) for which in (heights < 0, heights >= 0)], axis=-1)
        found["borders"] = shape.follow(*shape.borders(zone, heights, rain, spacing))
    land = heights >= 0
    for name, there in (("shore", shore(land)), ("inland", land)):
        sites, hashed = np.argwhere(there), np.frombuffer(hashlib.sha256(f"{name} {number}".encode()).digest()[:8], "<u4") % side
        found[name] = sites[abs(sites - hashed.astype(int)).sum(axis=1).argmin()] if len(sites) else None  # small changes do not move it
    return found


def shore(land):
    out = np.zeros(land.shape, bool)
    out[:, 1:] |= land[:, 1:] != land[:, :-1]
    out[1:] |= land[1:] != land[:-1]
    return out


def nearest(there):
    """To the middle of a window, of the samples that half of it lies around; the middle where there is none."""
    half, quarter = SIDE // 2, SIDE // 4
    sites = np.argwhere(there[quarter:-quarter, quarter:-quarter]) + quarter
    return sites[((sites - half) ** 2).sum(axis=1).argmin()] if len(sites) else np.array([half, half])


def descend(world, found, name):
    """From a place of a wide window down to level 0, each window around the middle of half the one before, moved to what is looked for.

    Rows of (level, samples, flips, ridges, those that flip), and of (level, dark, contrast).
    """
    at = [int((found["at"][k] + found[name][1 - k]) * 2.0 ** (world.level - COARSE)) - SIDE // 2 for k in (0, 1)]
    heights, rows, lights = world.heights(COARSE, at, SIDE), [], []
    for level in range(COARSE, -1, -1):
        if name == "inland" and level in LIT:
            colours, shade = (world.picture(level, at, layer) for layer in ("relief", "hillshade"))
            land = world.window(level, at, SIDE, "water") <= 0
            lights.append((level, *shape.light(colours[..., :3], shade, land)))
        if level == 0:
            return rows, lights
        j, i = nearest(heights >= 0 if name == "inland" else shore(heights >= 0))
        quarter = SIDE // 4
        coarse = heights[j - quarter:j + quarter, i - quarter:i + quarter]
        at = [2 * (at[0] + int(i) - quarter), 2 * (at[1] + int(j) - quarter)]
        heights = world.heights(level - 1, at, SIDE)
        fine = heights[::2, ::2]
        rows.append((level, coarse.size, np.count_nonzero((coarse >= 0) != (fine >= 0)), *shape.ridges(coarse, fine)))
    return rows, lights


# ---- All of them -----------------------------------------------------------------------------------------------------

def by_level(rows):
    """{level: sums of its rows}"""
    return {level: np.sum([row[1:] for row in rows if row[0] == level], axis=0) for level in sorted({row[0] for row in rows}, reverse=True)}


def share_by_level(rows, part, of):
    return {level: sums[part] / sums[of] if sums[of] else math.nan for level, sums in by_level(rows).items()}


def median(values):
    return float(np.median(values)) if len(values) else math.nan


def most(values):
    return max((value for value in values if math.isfinite(value)), default=math.nan)


def of_levels(closer):
    """Of the windows that were looked at more closely."""
    rows = {name: [row for which, (found, _) in closer if which == name for row in found] for name in ("shore", "inland")}
    lights = [row for _, (_, found) in closer for row in found if math.isfinite(row[1])]
    flips = {name: share_by_level(of, 1, 0) for name, of in (("shore", rows["shore"]), ("all", rows["shore"] + rows["inland"]))}
    ridges = share_by_level(rows["inland"], 3, 2)
    contrast = {level: np.mean([row[2] for row in lights if row[0] == level]) for level in LIT if any(row[0] == level for row in lights)}
    steps = list(contrast.values())
    changes = (max(a, b) / min(a, b) - 1 for a, b in zip(steps, steps[1:]) if min(a, b) > 0)
    return {"dark": most(row[1] for row in lights), "contrast_change": most(changes),
            "flips": most(flips["shore"].values()), "flips_of_all": most(flips["all"].values()), "ridges": most(ridges.values()),
            "levels": {"flips_on_shores": flips["shore"], "flips_of_all": flips["all"], "ridges": ridges, "contrast": contrast}}


def of_zones(windows):
    windows = [one for one in windows if "zones" in one]
    if not windows:
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # means of nothing: no window has a border
        means = np.nanmean([one["borders"] for one in windows], axis=0)
    return {"zones_below_sea": shape.below_sea(np.sum([one["zones"] for one in windows], axis=0)),
            **dict(zip(("borders", "borders_chance", "borders_height", "borders_aspect", "borders_rain"), means))}


def survey(world, count):
    """All that is measured, and the windows."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        windows = list(pool.map(lambda number: wide(world, number), range(count)))
        tasks = [(name, one) for name in ("shore", "inland") for one in [w for w in windows if w[name] is not None][:-(-count // CLOSER)]]
        closer = list(pool.map(lambda task: (task[0], descend(world, task[1], task[0])), tasks))
    shares = np.mean([one["shares"] for one in windows], axis=0)
    modes, lands = shape.modes(shares), [land for one in windows for land in one["continents"]]
    rain = np.concatenate([one["rain"] for one in windows])
    found = {"sea": np.mean([one["sea"] for one in windows]), "kolmogorov": abs(shares - shape.EARTH).max(), "modes": len(modes),
             "range_km": median([land["range_km"] for land in lands]), "rain": median(rain), **of_zones(windows), **of_levels(closer),
             "hypsometry": {"modes_m": modes, "under_m": shape.EARTH_M, "share": shares, "share_of_earth": shape.EARTH},
             "continents": lands, "rain_of_ranges": rain,
             "windows": [{"gi": one["at"][0], "gj": one["at"][1], "sea": one["sea"], "rain": median(one["rain"]),
                          "longest_range_km": most(land["range_km"] for land in one["continents"])} for one in windows]}
    return found, windows


# ---- What is told ----------------------------------------------------------------------------------------------------

def lines_of(found):
    """{name: {value, least, most, passes}} of the table, in its units."""
    out = {}
    for name, (_, _, times, _, least, greatest) in LINES.items():
        value = found.get(name, math.nan) * times
        bound = least is not None or greatest is not None
        passes = bool((least is None or value >= least) and (greatest is None or value <= greatest)) if bound else None
        out[name] = {"value": value, "least": least, "most": greatest, "passes": None if math.isnan(value) else passes}
    return out


def print_table(lines):
    for name, line in lines.items():
        text, unit, _, digits, _, _ = LINES[name]
        bound = " .. ".join("" if one is None else f"{one:g}" for one in (line["least"], line["most"])).strip()
        value = f"{line['value']:10.{digits}f} {unit}" if math.isfinite(line["value"]) else f"{'-':>10}"
        verdict = {True: "passes", False: "fails", None: ""}[line["passes"]]
        print(f"  {text:<42} {value:<20} {'' if bound == '..' else bound:<12} {verdict}".rstrip())


def draw(found, windows, world, folder):
    import plot

    curve = found["hypsometry"]
    plot.curves(f"{folder}/hypsometry.png", "hypsometric curve", "share of the surface under it", "height over the sea in metres",
                [("line", 0, "world", curve["share"], curve["under_m"]), ("dashes", 1, "Earth", curve["share_of_earth"], curve["under_m"])])
    shown, titles = zip(*((one["heights"], "{}, {}".format(*one["at"])) for one in windows[:DRAWN]))
    spacing = world.spacing * (1 << (WIDE_LOG2 - world.level)) / 256
    plot.maps(f"{folder}/windows.png", shown, titles, spacing, spacing, 0, None)


def run(world, count, folder, pictures):
    found, windows = survey(world, count)
    lines = lines_of(found)
    side = 1 << (WIDE_LOG2 - world.level)
    print(f"{count} windows of {side} x {side} samples, {world.spacing:g} m apart{'':>24}pass")
    print_table(lines)
    if pictures:
        draw(found, windows, world, folder)
    report.save_json(f"{folder}/shape.json", {**found, "lines": lines, "origin": {"world": world.digest, "seed": world.seed,
                                                                                  "variant": world.variant, "lod": world.level}})
