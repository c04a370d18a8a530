"""Recipes: their members, their canonical form, their bytes and digest.

`packed` writes the bytes that the page lists under Identity, of any recipe: those of a canonical one are what
is hashed, and probe.c reads and writes others in the same order.
"""
from dataclasses import field, fields, make_dataclass, replace
import struct

from arithmetic import F32, ONE, ZERO
from bases import CELLULAR, HERMITE
from fractals import HYBRID, IQ, JORDAN, MIDPOINT_SMOOTHED, MIDPOINTS, MULTIFRACTAL, SWISS, is_displaced
from hashing import KEY, siphash128
from ops import FRACTAL, OF_NODES, OPS, PLATES, RASTER, ZONES, first

GENERATORS = (7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18)  # those that are kept, the newest last
LEVEL_MAX = 24
NOISE, VORONOI, CLIMATE = range(3)


# ---- Classes: a name and a format for each member, in the order in which they are written ------------------


def default_of(form):
    """What a member of this format is in a thing of zeros."""
    if form in CLASSES:
        return CLASSES[form]()
    if form[0].isupper() and len(form) > 1:  # a list, of LISTS
        return ()
    if form.endswith("s"):
        return b""
    zero = {"f": ZERO, "d": 0.0}.get(form[-1], 0)
    return (zero,) * int(form[:-1]) if form[:-1] else zero


def recipe_class(name, spec, namespace=None, **others):
    """others: what members are at first that are not zeros"""
    pairs = [word.split(":") for word in spec.split()]
    members = [(member, object, field(default=others.get(member, default_of(form)))) for member, form in pairs]
    made = make_dataclass(name, members, frozen=True, namespace=namespace or {})
    CLASSES[name], PLAIN[made] = made, [form for _, form in pairs]
    return made


CLASSES, PLAIN = {}, {}
Fractal = recipe_class("Fractal", """kind:i base:24B salt:I octaves:i cell:d lacunarity:d amplitude_m:f gain:f weight:f jitter:f
    offset:f sharpness:f warp:f damp:f warp_term:2i warp_m:f""")
# Its samples are raster.SAMPLES[digest].
Raster = recipe_class("Raster", "width:i height:i digest:16s at_m:2d step_m:d fade_m:d")
Term = recipe_class("Term", """op:i of:i inputs:i in_:8i factor:8f offset:f low:f high:f knots:i knot_x:12f knot_y:12f
    fractal:Fractal raster:Raster""")
Stop = recipe_class("Stop", "at_m:f colour:3B")
Zone = recipe_class("Zone", "name:24s term:i amplitude:f offset_m:f share:f colour:3B ground:Stops steep:Stops", term=-1)
Partition = recipe_class("Partition", """kind:i zone:Zones blend:f by:i threshold:15f salt:I cell_log2:i jitter:f rounds:i
    temperature:i moisture:i cold:f hot:f dry:f wet:f table_rows:i table_columns:i table:256B""",
    {"zones": property(lambda partition: len(partition.zone))}, zone=(Zone(),))  # fmt: skip
Plates = recipe_class("Plates", "cell_log2:i salt:I jitter:f rounds:i land:f warp:f blend:f reach:f")
# What the page calls climate; CLIMATE is a partition.
Weather = recipe_class("Weather", """cell_log2:i period_log2:i ground:i salt:I warm_c:f cold_c:f lapse:f rain_mm:f swing:f
    shadow:f""")
ErodedLevel = recipe_class("ErodedLevel", "phases:B steps:B slides:B creep:B", steps=1)
Droplets = recipe_class("Droplets", """density:f lifetime:f inertia:f capacity:f min_capacity:f erosion:f deposition:f
    evaporation:f gravity:f speed:f water:f talus_deg:f""", talus_deg=ONE)
# Of zones there is one for each of the partition, and none without levels.
Erosion = recipe_class("Erosion", "level:Levels limit:f zone:Drops")
Lakes = recipe_class("Lakes", "share:f level:i cell_log2:i radius:i depth_m:f shallow_m:f")
Rivers = recipe_class("Rivers", """runoff:i top:i bottom:i steepness:f rise:f concavity:f cut_m:f fill:f shallow_m:f
    sources_ha:f runoff_mm:f inland_km:f width:f depth:f shown:f flats:f rounding:i""", shown=ONE)
Ice = recipe_class("Ice", "width_m:f from_m:f full_m:f")
Recipe = recipe_class("Recipe", """generator:I spacing_m:d alias_octaves:i low_m:f high_m:f sea_m:f term:Terms partition:Partition
    water:Stops steep_low:f steep_high:f plates:Plates climate:Weather erosion:Erosion lakes:Lakes rivers:Rivers
    ice:Ice""",
    generator=GENERATORS[-1], spacing_m=1.0, low_m=F32(-1000), high_m=F32(1000))  # fmt: skip

# ---- Bytes -------------------------------------------------------------------------------------------------

NESTED = {name: CLASSES[name] for name in ("Fractal", "Raster", "Partition", "Plates", "Weather", "Erosion", "Lakes", "Rivers", "Ice")}
LISTS = {"Stops": Stop, "Zones": Zone, "Terms": Term, "Levels": ErodedLevel, "Drops": Droplets}
UNCOUNTED = ("Drops",)  # lists whose length other members say
# Members that are left out where they are what they usually are, else behind eight bytes of their names: that, and what else is drawn.
LATE = {"shown": (ONE, F32(0.25), F32(7)), "flats": (ZERO, F32(0.002), F32(0.0625)), "rounding": (0, 1, 2, 3, 4)}


# Before what may be left out, where it is there.
MARKS = {kind: struct.pack("<Q", mark) for kind, mark in
         ((Plates, 0x736574616C50), (Weather, 0x6574616D696C43), (Rivers, 0x737265766952), (Ice, 0x656349))}  # fmt: skip


def packed(thing):
    out = b""
    if type(thing) in MARKS:
        if (thing.top if isinstance(thing, Rivers) else thing.width_m if isinstance(thing, Ice) else thing.cell_log2) == 0:
            return out
        out = MARKS[type(thing)]
    for member, form in zip(fields(thing), PLAIN[type(thing)]):
        value = getattr(thing, member.name)
        if (member.name == "of" and thing.op not in OF_NODES) or (member.name == "raster" and thing.op != RASTER):
            continue
        if member.name in LATE:
            if value == LATE[member.name][0]:
                continue
            out += member.name.encode().ljust(8, b"\0")[:8]
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
    for member, form in zip(fields(kind), PLAIN[kind]):
        if (member.name == "of" and members["op"] not in OF_NODES) or (member.name == "raster" and members["op"] != RASTER):
            continue
        if member.name in LATE:
            if data[at : at + 8] != member.name.encode().ljust(8, b"\0")[:8]:
                continue
            at += 8
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
    if t.op in OPS:
        members.update(OPS[t.op].counts(t))
    elif t.op in OF_NODES:
        members.update(of=True)
    elif t.op == RASTER:
        at_m = tuple(x + 0.0 for x in t.raster.at_m)
        members.update(factor=first(t.factor, 1), offset=True, raster=replace(t.raster, at_m=at_m, fade_m=t.raster.fade_m + 0.0))
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
    return siphash128(KEY, b"terrane\0" + packed(recipe))


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
    if term.op in OF_NODES or term.op == RASTER:
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
