"""The Voronoi partition: sites relaxed by Lloyd and the zones of places in integers, weights in binary32.

One sample at a time. What has been found of a site or a scattered point is kept, as is what is hashed; that
holds no part of the function.
"""
import numpy as np

from arithmetic import F32, ZERO
from hashing import absorb, corner

SQUARE = ((-65536, -65536), (65536, -65536), (65536, 65536), (-65536, 65536))
NEIGHBOURS = sorted(
    ((dx * dx + dy * dy, dy, dx) for dx in range(-2, 3) for dy in range(-2, 3) if dx or dy)
)


def truncated(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def distance(p, q):
    return (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2


def clipped(polygon, s, t):
    """The part of a polygon that is nearer to s than to t."""
    side = [distance(q, s) - distance(q, t) for q in polygon]
    if not any(v > 0 for v in side):
        return polygon
    count, w = len(polygon), side.index(max(side))
    gone = {w}
    first = last = w
    while side[(first - 1) % count] > 0 and len(gone) < count:
        first = (first - 1) % count
        gone.add(first)
    while side[(last + 1) % count] > 0 and len(gone) < count:
        last = (last + 1) % count
        gone.add(last)
    if len(gone) == count:
        return []
    before, behind = (first - 1) % count, (last + 1) % count
    new = []
    for p, q in ((before, first), (behind, last)):
        a, b, way = polygon[p], polygon[q], side[q] - side[p]
        new.append(tuple(a[k] + truncated((b[k] - a[k]) * -side[p], way) for k in (0, 1)))
    return new + [polygon[(behind + k) % count] for k in range(count - len(gone))]


def centroid(polygon, old):
    area = m_x = m_y = 0
    for p, q in zip(polygon, polygon[1:] + polygon[:1]):
        cross = p[0] * q[1] - q[0] * p[1]
        area += cross
        m_x += (p[0] + q[0]) * cross
        m_y += (p[1] + q[1]) * cross
    if area <= 0:
        return old
    return tuple(max(-32768, min(32767, (2 * m + 3 * area) // (6 * area))) for m in (m_x, m_y))


class Voronoi:
    def __init__(self, partition, seed):
        self.partition = partition
        key = absorb(absorb(seed, 0x566F726F6E6F6921), partition.salt)
        self.site_key, self.zone_key, self.point_key = (absorb(key, n) for n in range(3))
        self.jitter = int(partition.jitter * F32(65536))
        shares = [float(zone.share) for zone in partition.zone]
        if not any(shares):
            shares = [1.0] * len(shares)
        so_far, self.sums = 0.0, []
        for share in shares:
            so_far = so_far + share
            self.sums.append(so_far)
        self.shares = shares
        self.below = [int(one / so_far * 2.0**32) for one in self.sums]
        self.known_sites, self.known_zones, self.known_points = {}, {}, {}

    def site(self, rounds, cx, cy):
        """A site's place behind so many rounds, from the centre of its cell."""
        if (rounds, cx, cy) not in self.known_sites:
            self.known_sites[rounds, cx, cy] = self.made_site(rounds, cx, cy)
        return self.known_sites[rounds, cx, cy]

    def made_site(self, rounds, cx, cy):
        if rounds == 0:
            h = corner(self.site_key, cx, cy)
            return tuple((part - 32768) * self.jitter >> 16 for part in (h >> 16, h & 0xFFFF))
        old, polygon = self.site(rounds - 1, cx, cy), list(SQUARE)
        for _, dy, dx in NEIGHBOURS:
            x, y = self.site(rounds - 1, cx + dx, cy + dy)
            if polygon:
                polygon = clipped(polygon, old, (x + 65536 * dx, y + 65536 * dy))
        return centroid(polygon, old)

    def zone_of_site(self, cx, cy):
        if (cx, cy) not in self.known_zones:
            h = corner(self.zone_key, cx, cy)
            zones = len(self.below)
            self.known_zones[cx, cy] = next((z for z in range(zones) if h < self.below[z]), zones - 1)
        return self.known_zones[cx, cy]

    def zone_of_place(self, cx, cy, x, y):
        """(x, y) units from the north-west corner of site cell (cx, cy)."""
        near = []
        for dy in range(-2, 3):
            for dx in range(-2, 3):
                site_x, site_y = self.site(self.partition.rounds, cx + dx, cy + dy)
                place = (65536 * dx + 32768 + site_x, 65536 * dy + 32768 + site_y)
                near.append((distance(place, (x, y)), cy + dy, cx + dx))
        _, site_cy, site_cx = min(near)
        return self.zone_of_site(site_cx, site_cy)

    def point(self, n, sx, sy):
        """A scattered point: its place in its cell, in 2^-16ths, and its zone."""
        if (n, sx, sy) not in self.known_points:
            h = corner(self.point_key, sx, sy)
            x, y = 16384 + (h >> 17), 16384 + (h >> 1 & 0x7FFF)
            inside = (((s & (1 << n) - 1) * 65536 + p) >> n for s, p in ((sx, x), (sy, y)))
            self.known_points[n, sx, sy] = x, y, self.zone_of_place(sx >> n, sy >> n, *inside)
        return self.known_points[n, sx, sy]

    def weights(self, level, gi, gj):
        """Of one sample."""
        c, zones, blend = self.partition.cell_log2, len(self.shares), self.partition.blend
        if c - level < 3:
            return [F32(share / self.sums[-1]) for share in self.shares]
        n = 2
        while not blend * F32(2.0**n) > F32(1):
            n += 1
        if c - n - level < 1:
            k = c - level
            x, y = ((g & (1 << k) - 1) << 16 - k for g in (gi, gj))
            zone = self.zone_of_place(gi >> k, gj >> k, x, y)
            return [F32(z == zone) for z in range(zones)]
        return self.blended(n, c - n - level, gi, gj, blend * F32(2.0**n))

    def blended(self, n, k, gi, gj, blend):
        sx, sy = gi >> k, gj >> k
        t_x, t_y = (F32(g & (1 << k) - 1) * F32(2.0**-k) for g in (gi, gj))
        r = F32(1.125) * blend
        sums = [ZERO] * len(self.shares)
        for dy in range(-2, 3):
            for dx in range(-2, 3):
                x, y, zone = self.point(n, sx + dx, sy + dy)
                x = t_x - (F32(dx) + F32(x) * F32(2.0**-16))
                y = t_y - (F32(dy) + F32(y) * F32(2.0**-16))
                inside = r * r - (x * x + y * y)
                if inside < ZERO:
                    inside = ZERO
                sums[zone] = sums[zone] + inside * inside
        total = sums[0]
        for one in sums[1:]:
            total = total + one
        return [one / total for one in sums]


def weights(world, level, gi, gj):
    """Arrays, one a zone."""
    partition = world.recipe.partition
    if world.voronoi is None:
        world.voronoi = Voronoi(partition, world.seed)
    rows = [world.voronoi.weights(level, int(i), int(j)) for i, j in zip(gi, gj)]
    return list(np.array(rows, F32).reshape(len(gi), partition.zones).T)
