"""What was measured, as JSON, as a table and as pictures."""
import json
import math
import os

import numpy as np

import measures


def plain(value):
    """For JSON: nine digits, and null where a number is not there."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(one) for one in value]
    if isinstance(value, (float, np.floating)):
        return float(f"{value:.9g}") if math.isfinite(value) else None
    return int(value) if isinstance(value, np.integer) else value


def save_json(path, value):
    """Whole at every moment."""
    with open(f"{path}.part", "w") as file:
        json.dump(plain(value), file, indent=1, sort_keys=True)
        file.write("\n")
    os.replace(f"{path}.part", path)


def row(name, value, digits, unit=""):
    shown = f"{value:12.{digits}f} {unit}" if math.isfinite(value) else f"{'-':>12}"
    print(f"  {name:<34} {shown}")


def print_table(found):
    coast, drainage, slope, hypsometry = (found[part] for part in ("coast", "drainage", "slope", "hypsometry"))
    spectrum, roughness, extremes, cliffs = (found[part] for part in ("spectrum", "roughness", "extremes", "cliffs"))
    grids = [grid["dimension"] for grid in coast["grids"] if math.isfinite(grid["dimension"])]
    r2 = {name: part["fit"]["r2"] if part["fit"] else math.nan for name, part in (("coast", coast), ("drainage", drainage))}
    print("{} x {} samples, {:g} x {:g} m apart".format(*found["samples"], *found["spacing_m"]))
    row("sea level", found["sea_m"], 1, "m")
    row("land", 100 * found["land_share"], 1, "%")
    row("height of land, least", hypsometry["min_m"], 1, "m")
    row("                mean", hypsometry["mean_m"], 1, "m")
    row("                most", hypsometry["max_m"], 1, "m")
    row("hypsometric integral", hypsometry["integral"], 3)
    row("slope of land, median", slope["median_degrees"], 2, "degrees")
    row("               mean", slope["mean_degrees"], 2, "degrees")
    row("               standard deviation", slope["deviation_degrees"], 2, "degrees")
    row("pits", 100 * extremes["pit_share"], 3, "% of land")
    row("peaks", 100 * extremes["peak_share"], 3, "% of land")
    row("steps over 45 degrees", 100 * cliffs["steep_share"], 3, "% of land")
    row("    straight, along an axis", cliffs["axis_samples"], 0, "samples")
    row("              along a diagonal", cliffs["diagonal_samples"], 0, "samples")
    row("drainage, mean length", drainage["length_m"], 1, "m")
    row("    ends inland", 100 * drainage["inland_share"], 1, "% of land")
    row("    pits, a closed flat as one", 100 * drainage["pits"], 3, "% of land")
    row(f"    in basins over {measures.CLOSED_M} m deep", 100 * drainage["closed_share"], 2, "% of land")
    row("    lakes", 100 * drainage["lake_share"], 2, "% of land")
    row("    concavity", drainage["concavity"], 3)
    row("    R^2", r2["drainage"], 4)
    row("channels, Hack's exponent", drainage["hack_exponent"], 3)
    row("    exponent of P(area > a)", drainage["area_exponent"], 3)
    for ratio in ("bifurcation", "length", "area"):
        row(f"    {ratio} ratio", drainage[f"{ratio}_ratio"], 2)
    for name, shares in (("directions", "directions"), (f"... over {measures.REACH} steps", "directions_of_reaches")):
        for k, half in enumerate((measures.COMPASS[:4], measures.COMPASS[4:])):
            shown = (f"{d} {drainage[shares][d]:.3f}" if math.isfinite(drainage[shares][d]) else f"{d} -" for d in half)
            print(f"      {'' if k else name:<30} {'  '.join(f'{one:>8}' for one in shown)}")
    if coast["level_m"] != found["sea_m"]:
        row("contour measured", coast["level_m"], 1, "m")
    row("box-count dimension", coast["dimension"], 3)
    row("    of one grid, least", min(grids, default=math.nan), 3)
    row("                 most", max(grids, default=math.nan), 3)
    row("    R^2", r2["coast"], 4)
    row("spectrum, beta", spectrum["beta"], 2)
    row("    from wavelength", 1 / spectrum["band_cycles_per_m"][0], 0, "m")
    row("    to wavelength", 1 / spectrum["band_cycles_per_m"][1], 0, "m")
    row("roughness, exponent", roughness["exponent"], 2)
    for side, rms in zip(roughness["box_samples"], roughness["rms_m"]):
        row(f"    rms in boxes of {side} samples", rms, 2, "m")


def line_of(fit, x):
    return fit["intercept"] + fit["slope"] * x if fit else np.full(len(x), math.nan)


def draw(found, heights, folder, prefix, title):
    import plot

    def sheet(name, what, x_label, y_label, *series):
        plot.curves(f"{folder}/{prefix}{name}.png", f"{title}: {what}", x_label, y_label, series)

    coast, slope, spectrum = found["coast"], found["slope"], found["spectrum"]
    plot.maps(f"{folder}/{prefix}map.png", [heights], [title], *found["spacing_m"], found["sea_m"], coast["level_m"])
    with np.errstate(divide="ignore"):
        sides, boxes = np.log2(np.asarray(coast["box_samples"], float)), np.log2(coast["boxes"])
        frequency, power = np.log10(spectrum["frequency_cycles_per_m"]), np.log10(spectrum["power_m4"])
    fit = coast["fit"]
    sheet("coast", "boxes that cover the coast" if fit else "no coast to cover", "log2 of the box's side in samples",
          "log2 of the number of boxes", ("points", 0, "boxes counted", sides, boxes),
          *([("dashes", 1, f"D = {coast['dimension']:.3f}, R² = {fit['r2']:.4f}", sides, line_of(fit, sides))] if fit else []))
    shares = np.trim_zeros(slope["share_of_each_degree"], "b")
    sheet("slope", "slopes of the land", "degrees", "percent of the land, a degree",
          ("bars", 0, None, np.arange(len(shares)) + 0.5, 100 * shares))
    sheet("hypsometry", "hypsometric curve", "share of the land at or above", "height, from lowest to highest land",
          ("line", 0, f"integral {found['hypsometry']['integral']:.3f}",
           found["hypsometry"]["share_at_or_above_each_percent"], np.arange(101) / 100))
    band = (spectrum["frequency_cycles_per_m"] >= spectrum["band_cycles_per_m"][0]) & \
           (spectrum["frequency_cycles_per_m"] <= spectrum["band_cycles_per_m"][1])
    sheet("spectrum", "power spectrum", "log10 of the frequency in cycles a metre", "log10 of the power in m⁴",
          ("line", 0, "mean over directions", frequency, power),
          ("dashes", 1, f"β = {spectrum['beta']:.2f}", frequency, np.where(band, line_of(spectrum["fit"], frequency), math.nan)))


def analyse(heights, dx, dy, sea, level, folder, prefix, title, surface=None):
    """All measures of one raster: its table printed, its pictures drawn unless folder is None, its numbers returned."""
    found = measures.measure(heights, dx, dy, sea, level, surface)
    print_table(found)
    if folder is not None:
        draw(found, heights, folder, prefix, title)
    return found
