"""Pictures, drawn by matplotlib: curves in a frame, and maps lit from the north-west."""
import logging

import numpy as np

logging.getLogger("matplotlib").setLevel(logging.ERROR)  # that it looks for fonts, or a place to note them, is no news
from matplotlib.figure import Figure  # noqa: E402

# Okabe and Ito 2008.
PALETTE = ["#0073b3", "#d65e00", "#009e73", "#cc78a6", "#e69f00", "#57b5e8", "#000000", "#8c8c8c"]
STYLES = {"line": {"linestyle": "-"}, "dashes": {"linestyle": "--"}, "points": {"linestyle": "none", "marker": "o"}}
PIXELS_MAX, GAP, TITLE = 1024, 4, 28


def plain(text):
    """Of a file's name nothing is a formula."""
    return text.replace("$", r"\$")


def curves(path, title, x_label, y_label, series):
    """series: (style, colour, label or None, x, y) each; a style is of STYLES, or bars, unlabelled. Not what is not finite."""
    figure = Figure(figsize=(9.6, 6.4), dpi=100, layout="constrained")
    axes = figure.subplots()
    for style, colour, label, x, y in series:
        x, y = np.asarray(x, float), np.asarray(y, float)
        y = np.where(np.isfinite(x) & np.isfinite(y), y, np.nan)
        if style == "bars":
            axes.bar(x, y, width=0.9, color=PALETTE[colour])
        else:
            axes.plot(x, y, color=PALETTE[colour], label=label, **STYLES[style])
    axes.set_title(plain(title), loc="left", fontsize=10)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.grid(True)
    if any(label for _, _, label, _, _ in series):
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    figure.savefig(path)


def panels(path, pictures, titles):
    """Pictures of one size (rows, columns, 3 of 0 .. 1) side by side, with their titles."""
    rows, columns = pictures[0].shape[:2]
    width, height = len(pictures) * (columns + GAP) - GAP, rows + TITLE
    figure = Figure(figsize=(width / 100, height / 100), dpi=100)
    for k, (picture, title) in enumerate(zip(pictures, titles)):
        axes = figure.add_axes((k * (columns + GAP) / width, 0, columns / width, rows / height))
        axes.imshow(picture, interpolation="nearest")
        axes.set_title(plain(title), loc="left", fontsize=9)
        axes.set_axis_off()
    figure.savefig(path)


# ---- Maps ------------------------------------------------------------------------------------------------------------

LAND = ([0, 0.25, 0.5, 0.75, 1], [(0.45, 0.60, 0.35), (0.66, 0.71, 0.44), (0.72, 0.62, 0.42), (0.58, 0.48, 0.40), (0.96, 0.96, 0.96)])
WATER = ([0, 1], [(0.62, 0.80, 0.88), (0.08, 0.22, 0.42)])


def ramp(stops, at):
    return np.stack([np.interp(at, stops[0], channel) for channel in zip(*stops[1])], axis=-1)


def light(heights, dx, dy, relief, least):
    """Brightness under a sun in the north-west, 1 on flat ground; heights are raised by the factor relief."""
    east = np.diff(heights, axis=1, append=heights[:, -1:]) * relief / dx
    south = np.diff(heights, axis=0, append=heights[-1:]) * relief / dy
    return np.maximum(least, (1 + 0.7 * (east + south)) / np.sqrt(1 + east ** 2 + south ** 2))


def coloured(heights, dx, dy, sea, level, low, high):
    """One colour scale from low to high. level: of a curve that is drawn in, or None."""
    land = heights >= sea
    base = max(sea, low)
    relief = min(8, 0.12 * max(heights.shape[1] * dx, heights.shape[0] * dy) / (high - low)) if high > low else 0
    shade = light(heights, dx, dy, relief, 0.35)[..., None]
    picture = np.where(land[..., None], np.minimum(1, ramp(LAND, (heights - base) / max(high - base, 1e-30)) * shade),
                       ramp(WATER, (sea - heights) / max(sea - low, 1e-30)))
    if level is not None:
        above = heights >= level
        edge = (above != np.roll(above, -1, 0)) & (np.arange(len(above)) < len(above) - 1)[:, None]
        edge |= (above != np.roll(above, -1, 1)) & (np.arange(above.shape[1]) < above.shape[1] - 1)
        picture[edge] = (0.06, 0.09, 0.13)
    return picture


def maps(path, rasters, titles, dx, dy, sea, level):
    """Maps of equal size in one colour scale; a pixel is a sample, and some are left out where there are too many."""
    low, high = min(r.min() for r in rasters), max(r.max() for r in rasters)
    step = -(-max(rasters[0].shape) // PIXELS_MAX)
    panels(path, [coloured(r[::step, ::step], dx * step, dy * step, sea, level, low, high) for r in rasters], titles)
