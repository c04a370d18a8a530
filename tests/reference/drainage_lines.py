"""Drainage: lines of the streams of the lattice above, traced through a field."""
from heapq import heappop, heappush
import math

from arithmetic import F32
from drainage_field import DX, DY, INLAND, LAKE, SEA, STREAM, UNKNOWN


class Block:
    """The cells of a cell of the lattice above, its home and its tree."""

    def __init__(self, field, cells, to, homes, trees):
        self.cells = cells
        height = self.detrended(field, cells)
        low = min(height)
        over = {c: int(min(F32(h - low) * field.law.inverse, F32(16384))) for c, h in zip(cells, height)}
        n = math.isqrt(len(cells))
        bends = dict.fromkeys(cells, 0)
        if field.law.isotropic and to < 8 and to % 2:
            bends = {c: field.law.home * (abs(q % n - q // n if to % 4 == 1 else q % n + q // n - n + 1) < n / 2) for q, c in enumerate(cells)}
        self.home = min(cells, key=lambda c: over[c] + (0 if to == SEA else homes[c] % field.law.home + 65536 * (field.to[c] == SEA) + bends[c]))
        enter = {c: (255 if field.to[c] == SEA else min(over[c], 255)) + (trees[c] & 31) for c in cells}
        self.d, self.up, self.depth = {self.home: 0}, {}, {self.home: 0}
        heap, done = [(0, self.home)], set()
        while heap:
            at, b = heappop(heap)
            if b in done:
                continue
            done.add(b)
            for k, c in field.beside(b):
                by = at + (23 if k % 2 else 16) + enter.get(c, 0)
                if c in enter and c not in done and by < self.d.get(c, UNKNOWN):
                    self.d[c], self.up[c], self.depth[c] = by, (k + 4) % 8, self.depth[b] + 1
                    heappush(heap, (by, c))


    @staticmethod
    def detrended(field, cells):
        if any(field.to[c] == SEA for c in cells):
            return [field.g[c] for c in cells]
        n = math.isqrt(len(cells))
        at = [(2 * (q % n) - n + 1, 2 * (q // n) - n + 1) for q in range(n * n)]
        east, south = (sum(field.g[c] * place[axis] for c, place in zip(cells, at)) for axis in range(2))
        plane = [a * east + b * south for a, b in at]
        return [field.g[c] - int(math.copysign(abs(v) // (80 if n == 4 else 4), v)) for c, v in zip(cells, plane)]


class Lines:
    def __init__(self, field, above, n):
        self.field, self.above, self.n = field, above, n
        self.columns, self.rows = field.width // n, field.height // n
        self.x, self.y = (field.x + n // 2) // n, (field.y + n // 2) // n

    def cell(self, bx, by):
        """A block's cell."""
        return (self.y + by - self.above.y) * self.above.width + self.x + bx - self.above.x

    def blocks(self, margin):
        return [(x, y) for y in range(margin, self.rows - margin) for x in range(margin, self.columns - margin)]

    def cells(self, bx, by):
        first = by * self.n * self.field.width + bx * self.n
        return [first + j * self.field.width + i for j in range(self.n) for i in range(self.n)]

    def trace(self):
        field, above = self.field, self.above
        for bx, by in self.blocks(0):
            a = self.cell(bx, by)
            if SEA in [above.to[a]] + [above.to[n] for _, n in above.beside(a)]:
                for c in self.cells(bx, by):
                    if field.g[c] < field.law.sea:
                        field.set_sea(c, field.g[c])
        homes, trees, self.block = field.hashed(1), field.hashed(2), {}
        for bx, by in self.blocks(0):
            a = self.cell(bx, by)
            if above.flags[a] & STREAM or above.to[a] >= SEA:
                self.block[a] = Block(field, self.cells(bx, by), above.to[a], homes, trees)
        for a, block in self.block.items():
            if above.to[a] == SEA and field.to[block.home] != SEA:
                field.set_sea(block.home, field.law.sea - field.law.shallow // 2 - 1)
        self.gate = {}
        for bx, by in self.blocks(1):
            a = self.cell(bx, by)
            if above.flags[a] & STREAM and above.to[a] < SEA:
                self.gate[a] = self.find_gate(a)
        for bx, by in self.blocks(2):
            self.lay(self.cell(bx, by))

    def find_gate(self, a):
        """(p, direction, q, hops)"""
        one, other = self.block[a], self.block[self.above.receiver(a)]
        pairs = [(p, k, q) for p in one.cells for k, q in self.field.beside(p) if q in other.d]
        p, k, q = min(pairs, key=lambda t: one.d[t[0]] + other.d[t[2]] + (23 if t[1] % 2 else 16))
        return p, k, q, one.depth[p] + 1 + other.depth[q]

    def line(self, a):
        """(E, drop, flat)"""
        above, r = self.above, self.above.receiver(a)
        end = self.field.law.sea if above.to[r] == SEA else above.z[r]
        flat = bool(above.flags[a] & above.flags[r] & LAKE) and above.z[a] == above.z[r]
        return end, above.z[a] - end, flat

    def put(self, c, to, z, lake, runoff, stem):
        if self.field.law.clean and self.field.to[c] == SEA:
            return
        self.field.fix(c, to, z, STREAM | (LAKE if lake else 0), runoff)
        self.field.stems[c] = stem
        self.field.g[c] = z

    def lay(self, a):
        field, above = self.field, self.above
        block, taken = self.block.get(a), set()
        if a in self.gate:
            p, way, _, hops = self.gate[a]
            _, drop, flat = self.line(a)
            from_lake, to_lake = (field.law.holds and above.flags[b] & LAKE for b in (a, above.receiver(a)))
            path = [p]
            while path[-1] != block.home:
                k = block.up[path[-1]]
                path.append(path[-1] + DY[k] * field.width + DX[k])
            path.reverse()
            taken, first = set(path), 0
            if field.law.clean and not above.flags[a] & LAKE:
                first = min((self.ends(block, source, path) for _, source in above.beside(a) if source in self.gate and above.receiver(source) == a), default=0)
            for i, c in list(enumerate(path))[first:]:
                to = way if c == p else (block.up[path[i + 1]] + 4) % 8
                lake = flat or from_lake or i == 0 and above.flags[a] & LAKE
                self.put(c, to, above.z[a] - (0 if from_lake else drop * i // (len(path) if to_lake else hops)), lake, above.runoff[a], above.stem(a))
        elif above.to[a] == INLAND:
            taken.add(block.home)
            self.put(block.home, INLAND, above.z[a], True, above.runoff[a], above.stem(a))
        self.lay_in(a, block, taken)

    def ends(self, block, source, path):
        """The place in a line out at which a line in ends."""
        c = self.gate[source][2]
        while c not in path:
            c += DY[block.up[c]] * self.field.width + DX[block.up[c]]
        return path.index(c)

    def lay_in(self, a, block, taken):
        field, above, passing = self.field, self.above, {}
        for _, source in above.beside(a):
            if source not in self.gate or above.receiver(source) != a:
                continue
            _, _, c, hops = self.gate[source]
            end, drop, flat = self.line(source)
            from_lake, to_lake = (field.law.holds and above.flags[b] & LAKE for b in (source, a))
            hops, flat = block.depth[c] + 1 if from_lake else hops, flat or to_lake and not from_lake
            drop = 0 if flat else drop
            while c != block.home and c not in taken and not (field.to[c] == SEA and (field.law.clean or above.to[a] == SEA)):
                passing.setdefault(c, []).append((end + drop * block.depth[c] // hops, flat, above.runoff[source], above.stem(source)))
                c += DY[block.up[c]] * field.width + DX[block.up[c]]
        for c, lines in passing.items():
            runoff, stems = sum(r for _, _, r, _ in lines), [s for _, _, _, s in lines]
            if above.to[a] != SEA:
                runoff = min(runoff, above.runoff[a])
            self.put(c, block.up[c], min(z for z, _, _, _ in lines), all(f for _, f, _, _ in lines), runoff,
                     above.stem(a) if above.stem(a) in stems else stems[0])
