"""terrane path: Velzel, "Natural Path Generation", measured again: its table 1 and figures 4, 6, 8, 9, 10 and 11
from libterrane's relaxation, with the fast way beside it.

    series x sizes x terrains -> experiments, some at a time (experiment.c; optimum) -> figures -> tables, paths.json, pictures

Iterations are those of patches of which every limit was kept, as in the document. The fast way has no iterations: among them
it stands as its time in sweeps, one iteration of the relaxation at slope 0.0035 of the same patch.
"""
import concurrent.futures
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

import say

SIDES, TERRAINS, JOBS_MAX = [9, 17, 33, 65, 129, 257], 10, 64
EXTENT, UNIT = 80.0, 2.0 ** -24  # patches are 80 wide
HERE = os.path.dirname(os.path.abspath(__file__))
OPTIMUM = os.path.join(os.path.dirname(HERE), "optimum")
PATIENCE_S, ANSWER_BYTES = 1800, 4096  # with the optimum

USAGE = """\
usage: terrane path --paper [--quick] [--sizes N,N..] [--jobs N] [--out DIR] [--no-pictures]

measures Velzel (Natural Path Generation) again: its table 1 and figures 4, 6, 8, 9, 10 and 11, with the fast
way beside its relaxation. Prints tables; writes paths.json and pictures. Iterations grow with the samples
of a patch and so does what each costs: up to 65 x 65 all takes a minute, 129 x 129 ten more on two cores,
257 x 257 most of an hour. SIGINT stops it with what it has so far.

  --paper            all experiments
  --quick            ... of 3 terrains, not 10, to 33 x 33, with at most 10,000 iterations: in seconds
  --sizes N,N..      sides of patches: of 9, 17, 33, 65, 129 and 257 (default: all, quick to 33)
  --jobs N           experiments at a time, 1 .. 64 (default: one a processor)
  --out DIR          where files go; made when missing (default: terrane-paths)
  --no-pictures      numbers alone
"""

# What one line of a figure is measured with: label, slope (g), threshold (T_s), beside, stitched, up to which side, whether
# distance (EMD) and the fast way are measured. The usual one stands in every figure.
USUAL = "slope_0.0035"
SERIES = {
    "slope_0.0005": ("slope 0.0005", 0.0005, 1e-5, "across", False, 257, True, True),
    USUAL: ("slope 0.0035", 0.0035, 1e-5, "across", False, 257, True, True),
    "slope_0.0095": ("slope 0.0095", 0.0095, 1e-5, "across", False, 257, True, True),
    "threshold_1e-3": ("threshold 1e-3", 0.0035, 1e-3, "across", False, 129, True, False),
    "threshold_1e-4": ("threshold 1e-4", 0.0035, 1e-4, "across", False, 129, True, False),
    "threshold_1e-6": ("threshold 1e-6", 0.0035, 1e-6, "across", False, 129, True, False),
    "roughness": ("roughness", 0.0035, 1e-5, "roughness", False, 129, False, True),
    "across_stitched": ("across, stitched", 0.0035, 1e-5, "across", True, 129, False, True),
    "roughness_stitched": ("roughness, stitched", 0.0035, 1e-5, "roughness", True, 129, False, True),
}
LABEL, SLOPE, THRESHOLD, BESIDE, STITCHED, SIDE_MAX, DISTANCE, FAST = range(8)

# ---- Figures ---------------------------------------------------------------------------------------------------------

SLOPES = {key: SERIES[key][LABEL] for key in ("slope_0.0005", USUAL, "slope_0.0095")}
THRESHOLDS = {"threshold_1e-3": "threshold 1e-3", "threshold_1e-4": "threshold 1e-4", USUAL: "threshold 1e-5",
              "threshold_1e-6": "threshold 1e-6"}
CONFIGURATIONS = {USUAL: "across", **{key: SERIES[key][LABEL] for key in ("roughness", "across_stitched", "roughness_stitched")}}


def over(a, b):
    """A ratio; None where there is none: of what costs nothing, or was not measured."""
    return a / b if a is not None and b else None


def iterations(one):
    return one["iterations"] if one["ended_by"] == "all" else None


def sweeps(one):
    return over(one["fast"]["seconds"], over(one["seconds"], one["iterations"]))


# key -> title, quantity, picture or None, logarithmic, lines, what is measured, of the usual patch the fast way, its label
SWEEPS = (sweeps, "fast way, its time in sweeps")
FIGURES = {
    "table_1": ("Table 1: iterations until every limit is kept", "iterations", None, True, SLOPES, iterations, None),
    "figure_4": ("Figure 4: iterations by slope", "iterations", "figure-4-iterations.png", True, SLOPES, iterations, SWEEPS),
    "figure_6": ("Figure 6: iterations by configuration, of patches that are solved", "iterations", "figure-6-iterations.png", True,
                 CONFIGURATIONS, iterations, SWEEPS),
    "figure_6_solved": ("Figure 6: patches that are solved, in percent", "percent", None, False, CONFIGURATIONS,
                        lambda one: 100 if one["ended_by"] == "all" else 0, None),
    "figure_8": ("Figure 8: EMD(L, H) / EMD(L, H0) by slope", "ratio", "figure-8-ratio.png", False, SLOPES,
                 lambda one: over(one["distance"], one["optimum"]),
                 (lambda one: over(one["fast"]["distance"], one["optimum"]), "fast way, slope 0.0035")),
    "figure_9": ("Figure 9: EMD(L, H) / EMD(L, H0) by threshold", "ratio", "figure-9-ratio.png", False, THRESHOLDS,
                 lambda one: over(one["distance"], one["optimum"]),
                 (lambda one: over(one["fast"]["distance"], one["optimum"]), "fast way, no threshold")),
    "figure_10": ("Figure 10: iterations by threshold", "iterations", "figure-10-iterations.png", True, THRESHOLDS, iterations, SWEEPS),
    "figure_11": ("Figure 11: constraints that are not satisfied, in percent", "percent", "figure-11-unsatisfied.png", False,
                  CONFIGURATIONS, lambda one: one["unsatisfied_percent"], (lambda one: one["fast"]["unsatisfied_percent"], "fast way")),
    "fast_times": ("The fast way: times faster than the relaxation", "times", None, True, SLOPES,
                   lambda one: over(one["seconds"], one["fast"]["seconds"]), None),
    "fast_distance": ("The fast way: its EMD(L, H) over the relaxation's", "ratio", None, False, SLOPES,
                      lambda one: over(one["fast"]["distance"], one["distance"]), None),
}

# Table 1 of the document, from 9 x 9 to 257 x 257.
PUBLISHED = {"slope_0.0005": [82.8, 385.7, 2368.7, 8828.1, 51781.6, 219010.8],
             USUAL: [58.2, 219.1, 1102.5, 5276.0, 26898.2, 116102.7],
             "slope_0.0095": [11.3, 18.3, 39.4, 155.6, 998.3, 3744.4]}


class Study:
    def __init__(self, asked):
        self.quick, self.folder = asked.quick, asked.out or "terrane-paths"
        self.jobs = min(os.cpu_count(), JOBS_MAX)
        if asked.jobs is not None:
            self.jobs = say.whole("jobs", asked.jobs, 1, JOBS_MAX, "jobs are 1 .. 64")
        sizes = ("9,17,33" if asked.quick else "9,17,33,65,129,257") if asked.sizes is None else asked.sizes
        self.sides = [side for side in SIDES if str(side) in sizes.split(",")]
        if not self.sides or ",".join(map(str, self.sides)) != sizes:
            say.refuse("sizes", sizes, "sizes are of 9, 17, 33, 65, 129 and 257, rising")
        self.terrains = 3 if asked.quick else TERRAINS
        self.optimum = os.access(OPTIMUM, os.X_OK)
        self.of = {(key, side): [None] * self.terrains for side in self.sides for key, one in SERIES.items() if side <= one[SIDE_MAX]}
        self.pictures = {}  # of a series: the first terrain at the largest side yet
        self.stopped, self.lock, self.running = False, threading.Lock(), set()

    def iterations_max(self, key):
        """Slopes alone can always be kept, roughness and positions often cannot."""
        return 10000 if self.quick else 1000000 if SERIES[key][BESIDE] == "across" and not SERIES[key][STITCHED] else 100000

    def line(self, key, label, value):
        """The optimum knows no threshold: where only that differs from the usual one, the optimum is its."""
        values = []
        for side in self.sides:
            usual = self.of.get((USUAL, side))
            row = [one and {**one, "optimum": usual[t] and usual[t]["optimum"]} if key in THRESHOLDS else one
                   for t, one in enumerate(self.of.get((key, side), [None] * self.terrains))]
            values.append([one and value(one) for one in row])
        known = [[v for v in row if v is not None] for row in values]
        line = {"label": label, "values": values, "mean": [sum(row) / len(row) if row else None for row in known]}
        return line

    def figure(self, name):
        title, quantity, _, _, members, value, fast = FIGURES[name]
        lines = [self.line(key, label, value) for key, label in members.items()]
        if name == "table_1":
            for key, line in zip(members, lines):
                line["published"] = [PUBLISHED[key][SIDES.index(side)] for side in self.sides]
        if fast:
            lines.append(self.line(USUAL, fast[1], fast[0]))
        return {"title": title, "quantity": quantity, "lines": lines}

    def save(self, complete):
        import report

        series = [{"key": key, "slope": one[SLOPE], "threshold": one[THRESHOLD], "beside": one[BESIDE], "stitched": one[STITCHED],
                   "sizes": [{"side": side, "iterations_max": self.iterations_max(key), "terrains": self.of[key, side]}
                             for side in self.sides if (key, side) in self.of]} for key, one in SERIES.items()]
        report.save_json(f"{self.folder}/paths.json", {
            "complete": complete, "quick": self.quick, "sides": self.sides, "terrains": self.terrains, "extent": EXTENT, "unit": UNIT,
            "optimum": self.optimum, "series": series, "figures": {name: self.figure(name) for name in FIGURES}})


# ---- Experiments -----------------------------------------------------------------------------------------------------

def start(study, words):
    """A program whose output is read; None once the study is stopped."""
    with study.lock:
        if study.stopped:
            return None
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        study.running.add(process)
    if study.stopped:  # by a signal, since it was looked at
        process.kill()
    return process


def answer(study, process, most=1 << 20, patience=None):
    """What it prints, as JSON; None: it failed, or was ended for saying too much or taking too long."""
    timer = threading.Timer(patience or threading.TIMEOUT_MAX, process.kill)
    timer.daemon = True
    timer.start()
    try:
        text = process.stdout.read(most + 1)
        if len(text) > most:
            process.kill()
        return json.loads(text) if process.wait() == 0 and len(text) <= most else None
    except ValueError:
        return None
    finally:
        timer.cancel()
        process.stdout.close()
        with study.lock:
            study.running.discard(process)


def ask_optimum(study, side, arrays):
    """EMD(L, H0) of another program, which needs a solver that terrane does not come with: of i32 side, f64 spacing, f64 of
    ground, f32 of gradient, of across, of its x and of its y, little-endian."""
    with tempfile.NamedTemporaryFile(dir=study.folder, prefix="optimum-") as file:
        file.write(struct.pack("<id", side, EXTENT / (side - 1)))
        file.write(arrays[0][0].astype("<f8").tobytes() + arrays[1][:4].astype("<f4").tobytes())
        file.flush()
        try:
            process = start(study, [OPTIMUM, file.name])
        except OSError:
            process = None
        said = process and answer(study, process, ANSWER_BYTES, PATIENCE_S)
    distance = said.get("distance") if isinstance(said, dict) else None
    if isinstance(distance, (int, float)) and distance >= 0:
        return distance
    if not study.stopped:
        say.error(f"{OPTIMUM} gave no distance of {side} x {side} samples: left out")
    return None


def measure(study, key, side, terrain):
    import numpy as np

    label, slope, threshold, beside, stitched, _, distance, fast = SERIES[key]
    with tempfile.NamedTemporaryFile() as file:
        process = start(study, [f"{HERE}/experiment", file.name, str(side), str(terrain), str(slope), str(threshold), beside,
                                "stitched" if stitched else "open", str(study.iterations_max(key)), "distance" if distance else "-",
                                "fast" if fast else "-"])
        found = process and answer(study, process)
        if found is None:
            return None
        samples = side * side
        heights = np.fromfile(file.name, "f8", 3 * samples).reshape(3, side, side)
        held = np.fromfile(file.name, "f4", 5 * samples, offset=24 * samples).reshape(5, side, side)
    asked = fast and distance and study.optimum and side <= (33 if study.quick else 65)
    found["optimum"] = ask_optimum(study, side, (heights, held)) if asked else None
    with study.lock:
        if terrain == 0 and fast and side > study.pictures.get(key, (0,))[0]:
            mask = np.select([held[0] >= 0, held[1] >= 0, held[4] >= 0], [1, 2, 3])
            study.pictures[key] = side, heights, mask
    return found


def tell(study, key, side, done, seconds):
    """A line for each series and size once all of its terrains are done. What is left is guessed by the side's fourth power:
    iterations grow as samples do, and so does what each costs."""
    count = sum(done.values())
    weight = {what: what[1] ** 4 for what in study.of}
    made = sum(weight[what] * n for what, n in done.items())
    left = seconds * (sum(weight[what] * study.terrains for what in study.of) - made) / made
    text = f"{left:.0f} s" if left < 120 else f"{left / 60:.0f} min" if left < 7200 else f"{left / 3600:.1f} h"
    mean = sum(one["iterations"] for one in study.of[key, side]) / study.terrains
    print(f"{count}/{len(study.of) * study.terrains}  {side} x {side}, {SERIES[key][LABEL]}, {study.terrains} terrains: "
          f"{mean:.1f} iterations, {text} left", file=sys.stderr, flush=True)


def experiments(study):
    """All of them, small patches first; paths.json is whole at every moment."""
    todo = {what: list(range(study.terrains)) for what in study.of}
    begun = written = time.monotonic()
    done = dict.fromkeys(todo, 0)
    study.save(False)
    with concurrent.futures.ThreadPoolExecutor(study.jobs) as pool:
        asked = {pool.submit(measure, study, key, side, t): (key, side, t) for (key, side), terrains in todo.items() for t in terrains}
        try:
            for future in concurrent.futures.as_completed(asked):
                key, side, t = asked[future]
                found = future.result()
                if found is None or study.stopped:
                    if study.stopped:
                        continue
                    raise say.Failure(f"{side} x {side}, {SERIES[key][LABEL]}, terrain {t + 1}: failed")
                study.of[key, side][t] = found
                done[key, side] += 1
                whole = done[key, side] == study.terrains
                if whole:
                    tell(study, key, side, done, time.monotonic() - begun)
                if whole or time.monotonic() - written >= 1:  # the next one may take minutes
                    study.save(False)
                    written = time.monotonic()
        except BaseException:
            stop(study)
            raise


def stop(study):
    """Ends what runs; what waits is not begun."""
    study.stopped = True
    for process in list(study.running):
        process.kill()


# ---- What is shown ---------------------------------------------------------------------------------------------------

def print_row(label, values):
    shown = ["-" if v is None else f"{v:.1f}" if abs(v) >= 100 else f"{v:.3f}" for v in values]
    print(f"  {label:<30}" + "".join(f" {text:>11}" for text in shown))


def has_values(figure):
    return any(mean is not None for line in figure["lines"] for mean in line["mean"])


def print_tables(study):
    print(f"Velzel again: means of {study.terrains} terrains, patches {EXTENT:g} wide and 1 high\n")
    for figure in map(study.figure, FIGURES):
        if not has_values(figure):
            continue
        print(figure["title"])
        print(f"  {'samples of a patch':<30}" + "".join(f" {side * side:11d}" for side in study.sides))
        for line in figure["lines"]:
            print_row(line["label"], line["mean"])
            if "published" in line:
                print_row("  the document", line["published"])
                print_row("  here / there", [over(*both) for both in zip(line["mean"], line["published"])])
        print()


def draw_figure(study, name):
    """The mean of each line, and the patches as points beside it, a little apart from line to line."""
    import numpy as np
    import plot

    title, quantity, file, logarithmic, *_ = FIGURES[name]
    figure, series = study.figure(name), []
    if not file or not has_values(figure):
        return

    def scaled(values):
        values = np.array(values, float)
        return np.log10(1 + values) if logarithmic else values  # some iterations are none

    x = 2 * np.log10(study.sides)
    for k, line in enumerate(figure["lines"]):
        series += [("line", k, line["label"], x, scaled(line["mean"])),
                   ("points", k, None, np.repeat(x + 0.02 * (k + 1), study.terrains), scaled(line["values"]).ravel())]
    plot.curves(f"{study.folder}/{file}", title, "log10 of the samples of a patch",
                f"log10(1 + {quantity})" if logarithmic else quantity, series)


def draw_patch(study, key):
    """L, relaxed, the fast way: the path is red, what is held across it yellow, what keeps its roughness green."""
    import numpy as np
    import plot

    side, heights, mask = study.pictures[key]
    tint = np.array([(0.75, 0.75, 0.72), (0.86, 0.30, 0.22), (0.93, 0.82, 0.40), (0.55, 0.76, 0.45)])
    pixels = np.arange(384) * side // 384
    spacing = EXTENT / (side - 1)
    pictures = []
    for h in heights:
        # drawn this much higher than they are, for a slope of 0.01 to be seen
        light = np.minimum(1.3, plot.light(h, spacing, spacing, 40, 0.25)) * (0.75 + 0.25 * np.clip(h, 0, 1))
        pictures.append(np.minimum(1, tint[mask] * light[..., None])[pixels][:, pixels])
    plot.panels(f"{study.folder}/patch-{key}.png", pictures, [f"L: {side} x {side}, {SERIES[key][LABEL]}", "relaxed", "the fast way"])


def run(words):
    asked = say.Words(["sizes", "jobs", "out"], ["paper", "quick", "no-pictures"]).parse_args(words)
    if asked.help:
        print(USAGE, end="")
        return 0
    if not asked.paper:
        raise say.Failure("needs --paper (see terrane path --help)", 2)
    study = Study(asked)
    say.prepare(study.folder, not asked.no_pictures)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: (signal.signal(number, signal.SIG_DFL), stop(study)))  # the second one ends it
    experiments(study)
    print_tables(study)
    if not study.optimum:
        print("Left out: the optimum, and with it figures 8 and 9: there is no program `optimum` beside this one; make build/optimum "
              "builds it")
    study.save(not study.stopped)
    if not asked.no_pictures:
        for name in FIGURES:
            draw_figure(study, name)
        for key in study.pictures:
            draw_patch(study, key)
    if study.stopped:
        say.error(f"stopped; what was measured is in {study.folder}")
        return 3
    return 0
