"""Recipes: their members, their canonical form, their bytes and digest.

`packed` writes the bytes that the page lists under Identity, of any recipe: those of a canonical one are what
is hashed, and probe.c reads and writes others in the same order.
"""
from dataclasses import dataclass, fields, replace
import struct

from arithmetic import F32, ONE, ZERO
from bases import CELLULAR, HERMITE
from fractals import HYBRID, IQ, JORDAN, MIDPOINT_SMOOTHED, MIDPOINTS, MULTIFRACTAL, SWISS, is_displaced
from hashing import KEY, siphash128

GENERATOR_VERSION = 6
LEVEL_MAX = 24
FRACTAL, SUM, PRODUCT, BLEND, CURVE, ZONES, PLATES, WEATHER, COARSE = range(9)
OF_NODES = (PLATES, WEATHER, COARSE)
NOISE, VORONOI, CLIMATE = range(3)


@dataclass(frozen=True)
class Fractal:
    kind: int = 0
    base: tuple = (0,) * 24
    salt: int = 0
    octaves: int = 0
    cell: float = 0.0
    lacunarity: float = 0.0
    amplitude_m: F32 = ZERO
    gain: F32 = ZERO
    weight: F32 = ZERO
    jitter: F32 = ZERO
    offset: F32 = ZERO
    sharpness: F32 = ZERO
    warp: F32 = ZERO
    damp: F32 = ZERO
    warp_term: tuple = (0, 0)
    warp_m: F32 = ZERO


@dataclass(frozen=True)
class Term:
    op: int = 0
    of: int = 0
    inputs: int = 0
    in_: tuple = (0,) * 8
    factor: tuple = (ZERO,) * 8
    offset: F32 = ZERO
    low: F32 = ZERO
    high: F32 = ZERO
    knots: int = 0
    knot_x: tuple = (ZERO,) * 12
    knot_y: tuple = (ZERO,) * 12
    fractal: Fractal = Fractal()


@dataclass(frozen=True)
class Stop:
    at_m: F32 = ZERO
    colour: tuple = (0, 0, 0)


@dataclass(frozen=True)
class Zone:
    name: bytes = b""
    term: int = -1
    amplitude: F32 = ZERO
    offset_m: F32 = ZERO
    share: F32 = ZERO
    colour: tuple = (0, 0, 0)
    ground: tuple = ()
    steep: tuple = ()


@dataclass(frozen=True)
class Partition:
    kind: int = 0
    zone: tuple = (Zone(),)
    blend: F32 = ZERO
    by: int = 0
    threshold: tuple = (ZERO,) * 15
    salt: int = 0
    cell_log2: int = 0
    jitter: F32 = ZERO
    rounds: int = 0
    temperature: int = 0
    moisture: int = 0
    cold: F32 = ZERO
    hot: F32 = ZERO
    dry: F32 = ZERO
    wet: F32 = ZERO
    table_rows: int = 0
    table_columns: int = 0
    table: tuple = (0,) * 256

    @property
    def zones(self):
        return len(self.zone)


@dataclass(frozen=True)
class Plates:
    cell_log2: int = 0
    salt: int = 0
    jitter: F32 = ZERO
    rounds: int = 0
    land: F32 = ZERO
    warp: F32 = ZERO
    blend: F32 = ZERO
    reach: F32 = ZERO


@dataclass(frozen=True)
class Weather:
    """What the page calls climate; CLIMATE is a partition."""

    cell_log2: int = 0
    period_log2: int = 0
    ground: int = 0
    salt: int = 0
    warm_c: F32 = ZERO
    cold_c: F32 = ZERO
    lapse: F32 = ZERO
    rain_mm: F32 = ZERO
    swing: F32 = ZERO
    shadow: F32 = ZERO


@dataclass(frozen=True)
class ErodedLevel:
    phases: int = 0
    steps: int = 1
    slides: int = 0


@dataclass(frozen=True)
class Droplets:
    density: F32 = ZERO
    lifetime: F32 = ZERO
    inertia: F32 = ZERO
    capacity: F32 = ZERO
    min_capacity: F32 = ZERO
    erosion: F32 = ZERO
    deposition: F32 = ZERO
    evaporation: F32 = ZERO
    gravity: F32 = ZERO
    speed: F32 = ZERO
    water: F32 = ZERO
    talus_deg: F32 = ONE


@dataclass(frozen=True)
class Erosion:
    level: tuple = ()
    limit: F32 = ZERO
    zone: tuple = ()  # one for each of the partition, none without levels


@dataclass(frozen=True)
class Lakes:
    share: F32 = ZERO
    level: int = 0
    cell_log2: int = 0
    radius: int = 0
    depth_m: F32 = ZERO
    shallow_m: F32 = ZERO


@dataclass(frozen=True)
class Rivers:
    runoff: int = 0
    top: int = 0
    bottom: int = 0
    steepness: F32 = ZERO
    rise: F32 = ZERO
    concavity: F32 = ZERO
    cut_m: F32 = ZERO
    fill: F32 = ZERO
    shallow_m: F32 = ZERO
    sources_ha: F32 = ZERO
    runoff_mm: F32 = ZERO
    inland_km: F32 = ZERO
    width: F32 = ZERO
    depth: F32 = ZERO


@dataclass(frozen=True)
class Ice:
    width_m: F32 = ZERO
    from_m: F32 = ZERO
    full_m: F32 = ZERO


@dataclass(frozen=True)
class Recipe:
    spacing_m: float = 1.0
    alias_octaves: int = 0
    low_m: F32 = F32(-1000)
    high_m: F32 = F32(1000)
    sea_m: F32 = ZERO
    term: tuple = ()
    partition: Partition = Partition()
    water: tuple = ()
    steep_low: F32 = ZERO
    steep_high: F32 = ZERO
    plates: Plates = Plates()
    climate: Weather = Weather()
    erosion: Erosion = Erosion()
    lakes: Lakes = Lakes()
    rivers: Rivers = Rivers()
    ice: Ice = Ice()


# ---- Bytes: a class and the format of its members, in the order of writing ---------------------------------

PLAIN = {
    Fractal: "i 24B I i d d f f f f f f f f 2i f",
    Term: "i i i 8i 8f f f f i 12f 12f Fractal",
    Stop: "f 3B",
    Zone: "24s i f f f 3B Stops Stops",
    Partition: "i Zones f i 15f I i f i i i f f f f i i 256B",
    Plates: "i I f i f f f f",
    Weather: "i i i I f f f f f f",
    ErodedLevel: "B B B",
    Droplets: "f f f f f f f f f f f f",
    Erosion: "Levels f Droplets",
    Lakes: "f i i i f f",
    Rivers: "i i i f f f f f f f f f f f",
    Ice: "f f f",
    Recipe: "d i f f f Terms Partition Stops f f Plates Weather Erosion Lakes Rivers Ice",
}
NESTED = {"Fractal": Fractal, "Partition": Partition, "Plates": Plates, "Weather": Weather, "Erosion": Erosion, "Lakes": Lakes, "Rivers": Rivers, "Ice": Ice}
LISTS = {"Stops": Stop, "Zones": Zone, "Terms": Term, "Levels": ErodedLevel, "Droplets": Droplets}
UNCOUNTED = ("Droplets",)  # lists whose length other members say


# Before what may be left out, where it is there.
MARKS = {kind: struct.pack("<Q", mark) for kind, mark in
         ((Plates, 0x736574616C50), (Weather, 0x6574616D696C43), (Rivers, 0x737265766952), (Ice, 0x656349))}  # fmt: skip


def packed(thing):
    out = b""
    if type(thing) in MARKS:
        if (thing.top if isinstance(thing, Rivers) else thing.width_m if isinstance(thing, Ice) else thing.cell_log2) == 0:
            return out
        out = MARKS[type(thing)]
    for member, form in zip(fields(thing), PLAIN[type(thing)].split()):
        value = getattr(thing, member.name)
        if member.name == "of" and thing.op not in OF_NODES:
            continue
        if form in NESTED:
            out += packed(value)
        elif form in LISTS:
            out += b"" if form in UNCOUNTED else struct.pack("<i", len(value))
            out += b"".join(packed(one) for one in value)
        elif isinstance(value, tuple):
            out += struct.pack("<" + form, *value)
        else:
            out += struct.pack("<" + form, value)
    return out


def unpacked(kind, data, at=0, zones=0):
    """(thing, where its bytes end); zones: of the partition before it"""
    members = {}
    if kind in MARKS:
        if data[at : at + 8] != MARKS[kind]:
            return kind(), at
        at += 8
    for member, form in zip(fields(kind), PLAIN[kind].split()):
        if member.name == "of" and members["op"] not in OF_NODES:
            continue
        if form in NESTED:
            zones = members["partition"].zones if form == "Erosion" else 0
            value, at = unpacked(NESTED[form], data, at, zones)
        elif form in LISTS:
            if form in UNCOUNTED:
                count = zones if members["level"] else 0
            else:
                (count,) = struct.unpack_from("<i", data, at)
                at += 4
            value = []
            for _ in range(count):
                one, at = unpacked(LISTS[form], data, at)
                value.append(one)
            value = tuple(value)
        else:
            value = struct.unpack_from("<" + form, data, at)
            at += struct.calcsize("<" + form)
            if form.endswith("f"):
                value = tuple(F32(x) for x in value)
            if form[0] not in "123456789" or form.endswith("s"):
                (value,) = value
        members[member.name] = value
    return kind(**members), at


# ---- The canonical form ------------------------------------------------------------------------------------


def only(thing, **members):
    """A thing of zeros but for some members: their own names, or a value of another."""
    blank = type(thing)()
    return replace(blank, **{k: getattr(thing, k) if v is True else v for k, v in members.items()})


def plus_zero(thing):
    """-0 as +0, everywhere."""
    if isinstance(thing, F32):
        return thing + ZERO
    if isinstance(thing, tuple):
        return tuple(plus_zero(one) for one in thing)
    if hasattr(thing, "__dataclass_fields__"):
        return replace(thing, **{m.name: plus_zero(getattr(thing, m.name)) for m in fields(thing)})
    return thing


def first(values, count):
    return values[:count] + tuple(type(v)(0) for v in values[count:])


def canonical_fractal(f):
    midpoint, base = f.kind in MIDPOINTS, first(f.base, f.octaves)
    used = () if midpoint else f.base[: f.octaves]
    moved = is_displaced(f)
    return replace(
        f,
        base=(0,) * 24 if midpoint else base,
        weight=f.weight if HERMITE in used else ZERO,
        jitter=f.jitter if any(b in CELLULAR for b in used) else ZERO,
        offset=f.offset if f.kind in (MULTIFRACTAL, HYBRID, MIDPOINT_SMOOTHED) else ZERO,
        sharpness=f.sharpness if f.kind == MULTIFRACTAL else ZERO,
        warp=f.warp if f.kind in (SWISS, JORDAN) else ZERO,
        damp=f.damp if f.kind == JORDAN else ZERO,
        warp_term=f.warp_term if moved else (-1, -1),
        warp_m=f.warp_m if moved else ZERO,
    )


def canonical_term(t):
    if t.op == FRACTAL:
        return only(t, op=True, fractal=canonical_fractal(t.fractal))
    if t.op == ZONES:
        return only(t, op=True)
    if t.op == PLATES:
        return only(t, op=True, of=True)
    members = {"op": True, "inputs": True, "in_": first(t.in_, t.inputs)}
    if t.op == SUM:
        members.update(factor=first(t.factor, t.inputs), offset=True)
    elif t.op == PRODUCT:
        members.update(factor=first(t.factor, 1), offset=True)
    elif t.op == BLEND:
        members.update(low=True, high=True)
    elif t.op in OF_NODES:
        members.update(of=True)
    else:
        members.update(knots=True, knot_x=first(t.knot_x, t.knots), knot_y=first(t.knot_y, t.knots))
    return only(t, **members)


def canonical_zone(z, shared):
    return replace(
        z,
        name=z.name[:23].split(b"\0")[0].ljust(24, b"\0"),
        amplitude=ZERO if z.term == -1 else z.amplitude,
        share=z.share if shared else ZERO,
    )


def canonical_partition(p):
    several = p.zones > 1
    zone = tuple(canonical_zone(z, several and p.kind == VORONOI) for z in p.zone)
    if not several:
        return only(p, zone=zone)
    members = {"kind": True, "zone": zone, "blend": True}
    if p.kind == NOISE:
        members.update(by=True, threshold=first(p.threshold, p.zones - 1))
    elif p.kind == VORONOI:
        members.update(salt=True, cell_log2=True, jitter=True, rounds=True)
    else:
        names = "temperature moisture cold hot dry wet table_rows table_columns"
        members.update({name: True for name in names.split()})
        members["table"] = first(p.table, p.table_rows * p.table_columns)
    return only(p, **members)


def canonical(recipe):
    return plus_zero(
        replace(
            recipe,
            term=tuple(canonical_term(t) for t in recipe.term),
            partition=canonical_partition(recipe.partition),
            plates=recipe.plates if recipe.plates.cell_log2 else Plates(),
            climate=recipe.climate if recipe.climate.cell_log2 else Weather(),
            erosion=recipe.erosion if recipe.erosion.level else Erosion(),
            lakes=recipe.lakes if recipe.lakes.share != ZERO else Lakes(),
            rivers=replace(recipe.rivers, runoff_mm=recipe.rivers.runoff_mm if recipe.rivers.runoff == -1 else ZERO),
        )
    )


def digest(recipe):
    """Of a canonical recipe."""
    return siphash128(KEY, b"terrane\0" + struct.pack("<I", GENERATOR_VERSION) + packed(recipe))


def world_digest(recipe, seed):
    return siphash128(KEY, digest(recipe) + struct.pack("<Q", seed))


# ---- Which slopes ------------------------------------------------------------------------------------------


def rests_on(recipe, number):
    """The terms that a term asks directly."""
    term, p = recipe.term[number], recipe.partition
    if term.op == FRACTAL:
        return {k for k in term.fractal.warp_term if k != -1} if is_displaced(term.fractal) else set()
    if term.op == PLATES:
        return set()
    if term.op != ZONES:
        return set(term.in_[: term.inputs])
    found = {zone.term for zone in p.zone if zone.term != -1}
    if p.zones > 1 and p.kind == NOISE:
        found.add(p.by)
    if p.zones > 1 and p.kind == CLIMATE:
        found |= {p.temperature, p.moisture}
    return found


def has_no_slopes(recipe, number):
    term, p = recipe.term[number], recipe.partition
    if term.op == FRACTAL:
        return term.fractal.kind in (IQ, SWISS, JORDAN, *MIDPOINTS)
    if term.op in OF_NODES:
        return True
    return term.op == ZONES and p.zones > 1 and p.kind in (VORONOI, CLIMATE)


def analytic(recipe):
    seen, ask = set(), {len(recipe.term) - 1}
    while ask:
        number = ask.pop()
        seen.add(number)
        if has_no_slopes(recipe, number):
            return False
        ask |= rests_on(recipe, number) - seen
    return True
