"""Thorimbert and Chopard 2018, measured again: its figures 1, 6, 7, 14 and 15, the coasts of Richardson that
it compares with, and one raster of real ground.

Figure 6: how often heights and slopes occur, over 1,000 terrains of 512 x 512 samples, Perlin noise with S3 against
zero-gradient D2M1N3: 8 octaves, gain 0.5, the first octave's cell as wide as the terrain. The document does not state the
octaves. The two noises have ranges of their own, which a recipe's amplitude makes up for; so heights and slopes are counted
in units of their root mean square over all terrains, and what is compared is the form.

Figures 14 and 15: box-count dimensions of coasts of fBm, 1024 x 1024 samples, the sea at 0, boxes of 2 to 64 samples. The
document speaks of a persistence that divides amplitudes; here gain multiplies them. Which values it used its text does not
say; these span Richardson's coasts: level sets of fBm whose octaves shrink by the gain g have the dimension 2 + log2 g, at
least 1. A point of a figure is the mean over several seeds of the counts, and the fit of that mean.
"""
import concurrent.futures
import json
import math
import os
import statistics
import tempfile

import numpy as np

import coasts
import measures
import plot
import report
import source
from say import Failure

GROUND = "/usr/share/matplotlib/mpl-data/sample_data/jacksboro_fault_dem.npz"
GROUND_PACKAGE = "python-matplotlib-data"
METRES_PER_DEGREE = 111194.9  # of a sphere of 6,371 km
BASES = [("polynomial", "zero-gradient D2M1N3", "zero_gradient"), ("perlin3", "Perlin, S3", "perlin"),
         ("simplex", "OpenSimplex2", "simplex")]
GAINS, OCTAVES, SHOWN_OCTAVES, SIDE = [0.45, 0.5, 0.55, 0.6, 0.65, 0.7], 10, 8, 1024
RICHARDSON = [("South Africa", 1.02), ("Germany, land frontier", 1.15), ("Britain, west coast", 1.25)]


class Paper:
    def __init__(self, folder, quick, scratch):
        self.folder, self.quick, self.scratch = folder, quick, scratch
        self.gains = GAINS[::2] if quick else GAINS

    def fractal(self, base, octaves, gain, side, seed, layer="height"):
        """One fractal and nothing else, 1 m a sample, of which the first octave's cell is as wide as the window."""
        recipe = f"{self.scratch}/{base}-{octaves}-{gain}-{side}-{seed}-{layer}.json"
        with open(recipe, "w") as file:
            json.dump({"range_m": [-16, 16], "height": {"fractal": "fbm", "base": base, "octaves": octaves, "cell_m": side,
                                                        "gain": gain, "amplitude_m": 1, "salt": 0}}, file)
        samples = source.window(seed, 0, 0, 0, side, side, f"--recipe={recipe}", f"--layer={layer}")
        os.unlink(recipe)
        return samples.astype(float)

    def each(self, function, items):
        """The function of each, in order; as many at a time as there are processors."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            yield from pool.map(function, items)


# ---- Figures 1 and 6 -------------------------------------------------------------------------------------------------

def figure_1(paper):
    side = 256
    rasters = [paper.fractal("polynomial", octaves, 0.5, side, 1) for octaves in range(1, 9)]
    plot.maps(f"{paper.folder}/figure-1-octaves.png", rasters, [f"{k + 1} octave{'s' if k else ''}" for k in range(8)], 1, 1, 0, None)
    print("Figure 1: zero-gradient D2M1N3, 1 to 8 octaves, gain 0.5: figure-1-octaves.png\n")
    return {"samples": side, "gain": 0.5, "range_of_each": [[r.min(), r.max()] for r in rasters]}


# key, axis, file, range in root mean squares, and of the fine bins: 8 octaves have amplitudes that sum to under 2, and
# slopes under 6 an amplitude and cell
QUANTITIES = [("height", "height, in root mean squares", "figure-6-height.png", (-4, 4), (-2.5, 2.5)),
              ("slope", "gradient norm, in root mean squares", "figure-6-gradient.png", (0, 4), (0, 0.25))]
FINE, BINS = 1 << 14, 60


def spread(paper, base, terrains):
    """Fine counts and the root mean square, of heights and of slopes."""
    def count(seed):
        normal = paper.fractal(base, 8, 0.5, 512, seed, "normal")
        values = (paper.fractal(base, 8, 0.5, 512, seed), np.hypot(normal[..., 0], normal[..., 1]) / normal[..., 2])
        return [(np.bincount(np.clip((v.ravel() - low) / (high - low) * FINE, 0, FINE - 1).astype(int), minlength=FINE), (v * v).mean())
                for v, (*_, (low, high)) in zip(values, QUANTITIES)]

    counts = [np.zeros(FINE), np.zeros(FINE)]
    squares = [0.0, 0.0]
    for both in paper.each(count, range(1, terrains + 1)):
        for k, (fine, square) in enumerate(both):
            counts[k] += fine
            squares[k] += square / terrains
    return [(fine / fine.sum(), math.sqrt(square)) for fine, square in zip(counts, squares)]


def coarse(fine, rms, span, fine_span):
    """Shares of BINS bins in units of the root mean square; what lies outside is left out."""
    values = (fine_span[0] + (np.arange(FINE) + 0.5) * (fine_span[1] - fine_span[0]) / FINE) / rms
    place = np.floor((values - span[0]) / (span[1] - span[0]) * BINS)
    inside = (place >= 0) & (place < BINS)
    return np.bincount(place[inside].astype(int), fine[inside], BINS)


def compare(paper, quantity, perlin, zero):
    key, axis, file, span, fine_span = quantity
    p, z = (coarse(*one, span, fine_span) for one in (perlin, zero))
    middle = span[0] + (np.arange(BINS) + 0.5) * (span[1] - span[0]) / BINS
    both = (p > 0) & (z > 0)
    bits = (z[both] * np.log2(z[both] / p[both])).sum()  # Kullback and Leibler
    step = np.abs((z - p).cumsum()).max()  # Kolmogorov and Smirnov
    most = np.abs(p - z).max()
    plot.curves(f"{paper.folder}/{file}", f"Figure 6: mean frequency of the {key}", axis, "percent of the samples, a bin",
                [("line", 0, "Perlin, S3", middle, 100 * p), ("line", 1, "zero-gradient D2M1N3", middle, 100 * z)])
    print(f"  {key:<8} {perlin[1]:14.5f} {zero[1]:14.5f} {bits:14.4f} {step:14.4f} {most:14.4f}")
    return {"bin_middle_rms": middle, "perlin_percent": 100 * p, "zero_gradient_percent": 100 * z, "perlin_rms": perlin[1],
            "zero_gradient_rms": zero[1], "divergence_bits": bits, "greatest_cumulative_difference": step,
            "greatest_bin_difference": most}


def figure_6(paper):
    terrains = 10 if paper.quick else 1000
    perlin, zero = spread(paper, "perlin3", terrains), spread(paper, "polynomial", terrains)
    print(f"Figure 6: {terrains} terrains of 512 x 512, 8 octaves, gain 0.5")
    print("  {:<8} {:>14} {:>14} {:>14} {:>14} {:>14}".format("", "rms Perlin", "rms zero-grad.", "KL, bits", "max cumulative", "max bin"))
    found = {q[0]: compare(paper, q, perlin[k], zero[k]) for k, q in enumerate(QUANTITIES)}
    print('  published: heights "very similar", gradients differ "slightly"\n')
    return {"terrains": terrains, "samples": 512, "octaves": 8, **found,
            "published": "heights very similar, gradients slightly different"}


# ---- Figure 7 --------------------------------------------------------------------------------------------------------

def figure_7(paper):
    """Pictures of recipes. The document bends a sine with noise. Here an octave is displaced by far more than its cell, by a grain
    that noise bends, and so lies along the grain's contours."""
    side, names = 512, ("wood", "marble", "cloud")
    pictures = [source.picture(1, 0, 0, 0, side, side, f"--recipe={source.HERE}/{name}.json", "--layer=relief") for name in names]
    plot.panels(f"{paper.folder}/figure-7-textures.png", pictures, [name.capitalize() for name in names])
    print("Figure 7: wood, marble and cloud: figure-7-textures.png\n")
    return {"samples": side, "mean_colour": {name: picture.mean(axis=(0, 1)) for name, picture in zip(names, pictures)}}


# ---- Figures 14 and 15 -----------------------------------------------------------------------------------------------

def spots(paper, seeds):
    """Of each base, gain and number of octaves: the mean count, its fit, and how the maps' dimensions spread."""
    def count(what):
        base, gain, octaves = what
        counts = [measures.box_count_level(paper.fractal(base, octaves, gain, SIDE, seed), 0) for seed in range(1, seeds + 1)]
        mean = np.mean([one["mean"] for one in counts], axis=0)
        fit = measures.fit_counts(counts[0]["sides"], mean)
        known = [-one["fit"]["slope"] for one in counts if one["fit"]]
        return {"boxes": mean, "fit": fit, "dimension": measures.slope_of(fit, -1),
                "deviation": statistics.stdev(known) if len(known) > 1 else math.nan}

    keys = [(base, gain, octaves) for base, _, _ in BASES for gain in paper.gains for octaves in range(1, OCTAVES + 1)]
    return dict(zip(keys, paper.each(count, keys)))


def figure_14(paper, at):
    """Lengths are boxes times side; each curve begins where the legend has it, since slopes are what counts."""
    print(f"Figure 14: zero-gradient D2M1N3, {SIDE} x {SIDE}, {SHOWN_OCTAVES} octaves\n  {'':<32} {'D':>9} {'R^2':>9} {'a map' + chr(39) + 's +-':>9}")
    sides = np.arange(1, 7)
    series = []
    for c, (name, dimension) in enumerate(RICHARDSON):
        print(f"  {name:<32} {dimension:9.2f}")
        series.append(("dashes", 5 + c, f"{name}: {dimension:.2f}", sides, 0.1 * c + (1 - dimension) * (sides - 1)))
    rows = []
    for g, gain in enumerate(paper.gains):
        spot = at[BASES[0][0], gain, SHOWN_OCTAVES]
        print(f"  gain {gain:<27.2f} {spot['dimension']:9.3f} {spot['fit']['r2']:9.4f} {spot['deviation']:9.3f}")
        length = np.log2(spot["boxes"]) + sides - 1 - math.log2(spot["boxes"][0])
        series.append(("line", g, f"gain {gain:.2f}: D = {spot['dimension']:.3f}", sides, 0.1 * (3 + g) + length))
        rows.append({"gain": gain, **spot})
    print()
    plot.curves(f"{paper.folder}/figure-14-length.png", "Figure 14: length of the coast against the side of the boxes",
                "log2 of the side in samples", "log2 of the length, shifted", series)
    return {"measured": rows, "published_by_richardson": dict(RICHARDSON)}


def figure_15(paper, at):
    found, series, most = {}, [], 0.0
    octaves = range(1, OCTAVES + 1)
    for (base, name, key), style in zip(BASES, ("line", "dashes", "points")):
        print(f"Figure 15: dimension against octaves, {name}\n  gain     " + "".join(f"{n:7d}" for n in octaves))
        found[key] = []
        for g, gain in enumerate(paper.gains):
            row = [at[base, gain, n]["dimension"] for n in octaves]
            print(f"  {gain:.2f}     " + "".join(f"{d:7.3f}" for d in row))
            most = max([most] + [abs(d - at[BASES[0][0], gain, n]["dimension"]) for n, d in zip(octaves, row)])
            found[key].append({"gain": gain, "dimension_by_octaves": row})
            series.append((style, g, f"gain {gain:.2f}" if style == "line" else None, list(octaves), row))
    print(f"  greatest difference from zero-gradient: {most:.3f}")
    print('  published: D grows with octaves; the three noises are "essentially similar"\n')
    plot.curves(f"{paper.folder}/figure-15-octaves.png",
                "Figure 15: dimension against octaves (line zero-gradient, dashes Perlin, dots OpenSimplex2)", "octaves",
                "box-count dimension", series)
    return {**found, "greatest_difference": most}


def figures_14_15(paper):
    seeds = 2 if paper.quick else 16
    at = spots(paper, seeds)
    return {"samples": SIDE, "seeds": seeds, "figure_14": figure_14(paper, at), "figure_15": figure_15(paper, at)}


# ---- Real coasts, real ground ----------------------------------------------------------------------------------------

def real_coasts(paper):
    if not os.access(coasts.FILE, os.R_OK):
        print(f"Coasts: left out, since {coasts.FILE} is missing: apt-get install {coasts.PACKAGE}\n")
        return None
    print("Coasts of GSHHG, dividers 10 to 1000 km, boxes of 10 to 320 km")
    print(f"  {'':<24} {'Richardson':>11} {'dividers':>9} {'R^2':>9} {'boxes':>9} {'R^2':>9}")
    try:
        measured = coasts.measure_all()
    except (RuntimeError, IndexError, ValueError):
        raise Failure(f"{coasts.FILE}: is no binned GSHHG shoreline with these coasts") from None
    found, series = {}, []
    for c, ((name, key, sites, published), one) in enumerate(zip(coasts.COASTS, measured)):
        print(f"  {name:<24} {published:11.2f} {one['dimension']:9.3f} {one['fit']['r2']:9.4f} {one['boxes']['dimension']:9.3f} "
              f"{one['boxes']['fit']['r2']:9.4f}")
        opening = np.log10(one["opening_km"])
        line = report.line_of(one["fit"], np.log2(one["opening_km"])) * math.log10(2)
        series += [("points", c, f"{name}: D = {one['dimension']:.3f} (Richardson {published:.2f})", opening, np.log10(one["length_km"])),
                   ("dashes", c, None, opening, line)]
        found[key] = {**one, "published_by_richardson": published, **dict(zip(("from", "via", "to"), sites))}
    print()
    plot.curves(f"{paper.folder}/coasts.png", "Coasts walked with dividers", "log10 of the opening in km", "log10 of the length in km",
                series)
    return found


def real_ground(paper):
    """The Jacksboro fault, every 3 seconds of arc. It has no sea; the curve whose boxes are counted is at its median."""
    if not os.access(GROUND, os.R_OK):
        print(f"Ground: left out, since {GROUND} is missing: apt-get install {GROUND_PACKAGE}\n")
        return None
    heights = source.read_file(GROUND, member="elevation")
    dx, dy, south, north = (float(source.read_npz(GROUND, name)) for name in ("dx", "dy", "ymin", "ymax"))
    print("Ground: the Jacksboro fault (SRTM)")
    return report.analyse(heights, dx * METRES_PER_DEGREE * math.cos(math.radians((south + north) / 2)), dy * METRES_PER_DEGREE,
                          0.0, source.median(heights), paper.folder, "ground-", "Jacksboro fault")


def run(folder, quick):
    parts = {"figure_1": figure_1, "figure_6": figure_6, "figure_7": figure_7, "figures_14_15": figures_14_15, "coasts": real_coasts, "ground": real_ground}
    with tempfile.TemporaryDirectory() as scratch:
        paper = Paper(folder, quick, scratch)
        report.save_json(f"{folder}/paper.json", {"quick": quick, **{name: part(paper) for name, part in parts.items()}})
