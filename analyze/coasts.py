"""Richardson's coasts measured again, with his dividers and with boxes, on GSHHG (Wessel and Smith 1996).

His stretches: South Africa from Swakopmund to Cape St Lucia; the west coast of Britain from Land's End to Duncansby Head,
the main island alone. Openings go from 10 to 1,000 km, evenly on the scale of logarithms, and each length is the mean of a
walk to and a walk fro. Distances are straight ones through a sphere of 6,371 km.

Boxes stand on a map of equal areas (sinusoidal, around the stretch's middle meridian), 2 to 64 pixels of 5 km: 10 to 320
km. They are another measure than Richardson's, and lie between his smooth and his rough.
"""
import math

import numpy as np
from osgeo import gdal

import measures

gdal.UseExceptions()

FILE = "/usr/share/gmt-gshhg/binned_GSHHS_h.nc"
PACKAGE = "gmt-gshhg-high"
EARTH_KM, PIXEL_KM, MARGIN = 6371.0, 5.0, 48
OPENINGS_KM = 10 * 100 ** (np.arange(9) / 8)

# latitude and longitude: from, via, to
COASTS = [("South Africa", "south_africa", [(-22.68, 14.52), (-34.83, 20.00), (-28.38, 32.42)], 1.02),
          ("Britain, west coast", "britain_west", [(50.07, -5.72), (58.63, -5.00), (58.64, -3.03)], 1.25)]


# ---- GSHHG -----------------------------------------------------------------------------------------------------------

class Shorelines:
    """The file cuts every polygon into segments along a grid of bins, numbered from 90 N, 0 E, eastwards, then southwards.

    A point is two numbers of 16 bits, 0 .. 65535 across its bin from the south-west corner; a cut gives both neighbours a
    point on their common side, so that in these units around the Earth a segment starts exactly where the one before it
    ends. A segment's word holds, from bit 9 up, its number of points, and from bit 6 up its level: 1 is a shore of the sea.
    """

    def __init__(self, path):
        group = gdal.OpenEx(path, gdal.OF_MULTIDIM_RASTER).GetRootGroup()

        def read(name):
            return group.OpenMDArray(name).ReadAsArray().astype(np.int64)

        columns, rows = (int(read(name)[0]) for name in ("N_bins_in_360_longitude_range", "N_bins_in_180_degree_latitude_range"))
        words, self.start = read("Embedded_npts_levels_exit_entry_for_a_segment"), read("Id_of_first_point_in_a_segment")
        self.points, self.polygon = words >> 9, read("Id_of_GSHHS_ID")
        counts = read("N_segments_in_a_bin")
        bins = np.repeat(np.arange(len(counts)), counts)  # of a segment; a bin's follow each other
        within = np.arange(len(bins)) - np.repeat(counts.cumsum() - counts, counts)
        bin_of = np.empty(len(words), np.int64)
        bin_of[read("Id_of_first_segment_in_a_bin")[bins] + within] = bins
        self.sea = np.flatnonzero((words >> 6 & 7) == 1)
        segment = np.repeat(np.arange(len(words)), self.points)  # of a point
        at = np.repeat(self.start - (self.points.cumsum() - self.points), self.points) + np.arange(len(segment))
        self.round, self.degrees = columns * 65535, 360 / columns / 65535
        self.x, self.y = np.empty(len(at), np.int64), np.empty(len(at), np.int64)
        self.x[at] = (bin_of[segment] % columns * 65535)
        self.y[at] = (rows - 1 - bin_of[segment] // columns) * 65535
        self.x += read("Relative_longitude_from_SW_corner_of_bin") & 0xFFFF
        self.y += read("Relative_latitude_from_SW_corner_of_bin") & 0xFFFF
        self.of_point = np.empty(len(at), np.int64)
        self.of_point[at] = segment

    def site(self, points):
        return np.stack([self.y[points] * self.degrees - 90, self.x[points] * self.degrees], axis=-1)

    def ring(self, site):
        """The shore of the sea that comes nearest to a site: its segments end to end."""
        points = np.flatnonzero(np.isin(self.of_point, self.sea))
        segment = self.of_point[points[apart(self.site(points), site).argmin()]]
        mine = self.sea[self.polygon[self.sea] == self.polygon[segment]]

        def key(point):
            return int(self.x[point] % self.round), int(self.y[point])

        starts = {key(self.start[s]): s for s in mine}
        parts, s = [], mine[0]
        for _ in mine:
            last = self.start[s] + self.points[s] - 1
            parts.append(np.arange(self.start[s], max(last, self.start[s] + 1)))
            s = starts.get(key(last))
            if s is None or s == mine[0]:
                break
        return self.site(np.concatenate(parts))


def apart(sites, site):
    """Squares of distances, in degrees: good enough to tell which is nearer."""
    east = (sites[..., 1] - site[1] + 180) % 360 - 180
    return (east * math.cos(math.radians(site[0]))) ** 2 + (sites[..., 0] - site[0]) ** 2


def stretch(ring, start, via, end):
    """From the point nearest to start, the way round that passes near via, to that nearest to end."""
    first, middle, last = (int(apart(ring, site).argmin()) for site in (start, via, end))
    ahead = (last - first) % len(ring)
    if (middle - first) % len(ring) <= ahead:
        return ring[(first + np.arange(ahead + 1)) % len(ring)]
    return ring[(first - np.arange(len(ring) - ahead + 1)) % len(ring)]


# ---- Measures --------------------------------------------------------------------------------------------------------

def on_sphere(sites):
    latitude, longitude = np.radians(sites).T
    return EARTH_KM * np.stack([np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)], -1)


def walk(curve, opening):
    """Length in steps of an opening: each ends where the curve first leaves the sphere of that radius around its start.

    The last one, too short, counts as what it is.
    """
    centre, before, at, steps = curve[0], curve[0], 1, 0
    while True:
        out = np.flatnonzero(((curve[at:] - centre) ** 2).sum(axis=1) >= opening ** 2)
        if out.size == 0:
            return steps * opening + math.dist(curve[-1], centre)
        if out[0] > 0:
            at += int(out[0])
            before = curve[at - 1]
        way, gap = curve[at] - before, before - centre
        root = math.sqrt(max(0, (way @ gap) ** 2 + (way @ way) * (opening ** 2 - gap @ gap)))
        centre = before = before + way * min(1, max(0, (root - way @ gap) / (way @ way)))
        steps += 1


def dividers(curve):
    lengths = np.array([(walk(curve, opening) + walk(curve[::-1], opening)) / 2 for opening in OPENINGS_KM])
    return lengths, measures.fit_line(np.log2(OPENINGS_KM), np.log2(lengths))


def boxes(sites):
    """Marks the pixels that the line touches, in steps of a quarter pixel."""
    east = (sites[:, 1] - sites[len(sites) // 2, 1] + 180) % 360 - 180
    map_of = np.stack([-np.radians(sites[:, 0]), np.radians(east) * np.cos(np.radians(sites[:, 0]))], -1) * EARTH_KM / PIXEL_KM
    map_of -= map_of.min(axis=0)
    # the largest box is 64: grids start up to 48 pixels in and end up to 63 early
    cells = np.zeros((map_of.max(axis=0)).astype(int) + 2 * MARGIN + 65, bool)
    for a, b in zip(map_of, map_of[1:]):
        steps = 1 + int(4 * math.dist(a, b))
        line = a + (b - a) * (np.arange(steps + 1) / steps)[:, None]
        cells[tuple((MARGIN + line.astype(int)).T)] = True
    return measures.box_count(cells)


def measure(shorelines, sites):
    """{dimension, fit, opening_km, length_km, boxes} of a stretch."""
    line = stretch(shorelines.ring(sites[0]), *sites)
    lengths, fit = dividers(on_sphere(line))
    count = boxes(line)
    return {"dimension": 1 - fit["slope"], "fit": fit, "opening_km": OPENINGS_KM, "length_km": lengths,
            "boxes": {"dimension": measures.slope_of(count["fit"], -1), "pixel_km": PIXEL_KM, "fit": count["fit"],
                      "count": count["mean"]}}


def measure_all():
    shorelines = Shorelines(FILE)
    return [measure(shorelines, sites) for _, _, sites, _ in COASTS]
