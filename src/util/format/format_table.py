"""Reads formats.table into objects and checks it; the generators of this folder share it."""
import re
import sys
from dataclasses import dataclass, field

NUMERIC = ('none', 'unorm', 'snorm', 'uscaled', 'sscaled', 'uint', 'sint', 'ufloat', 'sfloat', 'srgb')
COMPRESSED = ('bc', 'etc2', 'eac', 'astc_ldr', 'astc_hdr')
LAYOUTS = ('none', 'array', 'pack8', 'pack16', 'pack32', 'words16', 'planes') + COMPRESSED
CHANNEL = re.compile(r'([rgbadsex])(\d*)(?:\+x(\d+))?(?::(\w+))?(?:/(\d))?$')


@dataclass
class Channel:
    component: str
    bits: int
    numeric: str
    low_bit: int = 0
    unused: int = 0  # bits below it in its 16-bit word
    plane: int = 0

    def domain(self):
        return self.numeric if self.numeric in ('uint', 'sint') else 'float'


@dataclass
class Format:
    value: int
    name: str
    extent: tuple
    size_B: int
    layout: str
    numeric: str
    klass: str
    channels: list
    planes: list = field(default_factory=list)  # (width divisor, height divisor, name of the plane's format)

    def packed(self):
        return self.layout.startswith('pack')

    def compressed(self):
        return self.layout in COMPRESSED

    def components(self):
        return sorted({c.component for c in self.channels} - {'e'})


class TableError(Exception):
    pass


def parse_channel(token, numeric):
    match = CHANNEL.match(token)
    if not match:
        raise TableError(f'"{token}" is no channel')
    component, bits, unused, own, plane = match.groups()
    if own and own not in NUMERIC:
        raise TableError(f'"{own}" is no numeric type')
    return Channel(component, int(bits or 0), own or numeric, unused=int(unused or 0), plane=int(plane or 0))


def place(row):
    """Gives every channel its position and drops the unused ones; the parts must fill the block exactly."""
    if row.compressed():
        return
    order = reversed(row.channels) if row.packed() else row.channels
    position = {}
    placed = []
    for channel in order:
        low = position.get(channel.plane, 0)
        channel.low_bit = low + channel.unused
        position[channel.plane] = low + channel.unused + channel.bits
        if channel.component != 'x':
            placed.append(channel)
    row.channels = placed
    if sum(position.values()) != row.size_B * 8:
        raise TableError(f'channels have {sum(position.values())} bits, the block {row.size_B * 8}')
    if row.packed() and int(row.layout[4:]) != row.size_B * 8:
        raise TableError(f'{row.layout} is not the size of the block')


def parse_row(line):
    left, _, right = line.partition('|')
    words = left.split()
    if len(words) < 6:
        raise TableError('six columns are needed before the channels')
    value, name, block, layout, numeric, klass = words[:6]
    if layout not in LAYOUTS:
        raise TableError(f'"{layout}" is no layout')
    if numeric not in NUMERIC:
        raise TableError(f'"{numeric}" is no numeric type')
    extent, size = block.split(':')
    row = Format(int(value), name, tuple(int(n) for n in extent.split('x')), int(size), layout, numeric, klass,
                 [parse_channel(token, numeric) for token in words[6:]])
    for plane in right.split():
        divisors, plane_format = plane.split(':')
        row.planes.append((*(int(n) for n in divisors.split('x')), plane_format))
    if (layout == 'planes') != bool(row.planes):
        raise TableError('planes stand in the rows of layout planes, and only there')
    if any(c.plane >= max(1, len(row.planes)) for c in row.channels):
        raise TableError('a channel lies in a plane that is not there')
    if row.compressed() == any(c.bits for c in row.channels) and layout != 'none':
        raise TableError('channels have bits exactly where the format is not compressed')
    place(row)
    return row


def read(path):
    rows = []
    names = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            line = line.split('#')[0].strip()
            if not line:
                continue
            try:
                row = parse_row(line)
                if rows and row.value <= rows[-1].value:
                    raise TableError('values must ascend')
                if row.name in names:
                    raise TableError('the name stands twice')
            except (TableError, ValueError) as error:
                sys.exit(f'{path}:{number}: {error}')
            rows.append(row)
            names[row.name] = row
    for row in rows:
        for _, _, plane_format in row.planes:
            if plane_format not in names:
                sys.exit(f'{path}: {row.name} has a plane of the unknown format {plane_format}')
    return rows, names
