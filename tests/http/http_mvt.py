"""Vector tiles (Mapbox, 2.1), read: layers by name, each a list of features with their properties and lines of points."""

import dataclasses
import struct


@dataclasses.dataclass
class Feature:
    id: int
    kind: str
    properties: dict
    lines: list  # of points; rings without the first point once more


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def varints(data):
    words, at = [], 0
    while at < len(data):
        word, at = varint(data, at)
        words.append(word)
    return words


def fields(data):
    """(number, varint or bytes) each."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            length, at = (8, at) if key & 7 == 1 else varint(data, at)
            assert key & 7 in (1, 2) and at + length <= len(data)
            value, at = data[at:at + length], at + length
        yield key >> 3, value


def signed(value):
    return value >> 1 ^ -(value & 1)


def value_of(data):
    (number, value), = fields(data)
    return {1: bytes.decode, 3: lambda value: struct.unpack("<d", value)[0], 6: signed}[number](value)


def lines_of(data, kind):
    words, x, y, lines, open_ = iter(varints(data)), 0, 0, [], False
    for word in words:
        command, count = word & 7, word >> 3
        if command == 7:
            assert kind == "polygon" and count == 1 and open_
            open_ = False
            continue
        assert command in (1, 2) and count > 0
        for _ in range(count):
            x, y = x + signed(next(words)), y + signed(next(words))
            if command == 1:
                lines.append([])
            lines[-1].append((x, y))
        open_ = True
    return lines


def read_mvt(data):
    layers = {}
    for number, layer in fields(data):
        assert number == 3
        name, keys, values, features, facts = None, [], [], [], {}
        for field, value in fields(layer):
            if field == 1:
                name = value.decode()
            elif field in (2, 3, 4):
                (features, keys, values)[field - 2].append(value)
            else:
                facts[field] = value
        assert facts == {15: 2, 5: 4096} and name not in layers
        keys, values = [key.decode() for key in keys], [value_of(value) for value in values]
        layers[name] = [read_feature(feature, keys, values) for feature in features]
    return layers


def read_feature(data, keys, values):
    told = dict(fields(data))
    kind = (None, "point", "line", "polygon")[told[3]]
    tags = varints(told[2])
    return Feature(told.get(1), kind, {keys[k]: values[v] for k, v in zip(tags[::2], tags[1::2])}, lines_of(told[4], kind))


def area(ring):
    """Of a ring, twice: over 0 where it goes clockwise on a map."""
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:] + ring[:1]))
