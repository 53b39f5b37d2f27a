"""Reader of encodings.table: the bit layouts of the formats and the numbers of named registers. Its grammar stands in that file.
Not for: which instruction uses which field (gen_isa.py)."""
import re
import sys

from table import GENERATIONS


class Piece:
    """Bits low..low+width-1 of the instruction are bits at..at+width-1 of the field."""

    def __init__(self, low, width, at):
        self.low, self.width, self.at = low, width, at

    @property
    def mask(self):
        return ((1 << self.width) - 1) << self.low


class Layout:
    def __init__(self, name, generation):
        self.name, self.generation = name, generation
        self.fixed_mask = self.fixed_value = self.used = 0
        self.fields, self.signed = {}, set()

    def field_mask(self, field, bits=~0):
        """Where the given bits of a field stand in the instruction."""
        result = 0
        for piece in self.fields.get(field, ()):
            for i in range(piece.width):
                if bits >> (piece.at + i) & 1:
                    result |= 1 << (piece.low + i)
        return result

    def width(self, field):
        return max(p.at + p.width for p in self.fields[field])

    @property
    def size_dw(self):
        return 2 if self.used >> 32 else 1


class Encodings:
    def __init__(self):
        self.layouts = {}       # (name, generation) -> Layout
        self.promote = {}       # (format, generation) -> what the opcode is raised by in VOP3
        self.limits = {}        # (name, generation) -> number
        self.registers = []     # (name, {generation: number}, pair)


def fail(path, number, text):
    sys.exit(f"{path}:{number}: {text}")


def read_bits(path, number, line, layouts):
    match = re.fullmatch(r"\s+(\d+)(?::(\d+))?\s+(.*?)(\s+signed)?\s*", line)
    if not match:
        fail(path, number, "is no line of bits")
    high = int(match.group(1))
    low = int(match.group(2) or high)
    width, what = high - low + 1, match.group(3)
    mask = ((1 << width) - 1) << low
    for layout in layouts:
        if width < 1 or high > 63 or layout.used & mask:
            fail(path, number, "bits overlap or are out of range")
        layout.used |= mask
        if what.startswith("="):
            value = int(what[1:], 0)
            if value >> width:
                fail(path, number, "the value does not fit")
            layout.fixed_mask |= mask
            layout.fixed_value |= value << low
            continue
        field = re.fullmatch(r"([a-z0-9_]+)(?:\[(\d+)(?::(\d+))?\])?", what)
        if not field:
            fail(path, number, f"'{what}' is no field")
        at = int(field.group(3) or field.group(2) or 0)
        if field.group(2) and int(field.group(2)) - at + 1 != width:
            fail(path, number, "the bits of the field are not as many as those of the instruction")
        layout.fields.setdefault(field.group(1), []).append(Piece(low, width, at))
        if match.group(4):
            layout.signed.add(field.group(1))


def columns_of(path, number, text, count):
    columns = [c.strip() for c in text.split("|")]
    if len(columns) != count:
        fail(path, number, f"{len(columns)} columns instead of {count}")
    return columns


def numbers_of(columns):
    return {g: int(text, 0) for g, text in zip(GENERATIONS, columns) if text != "-"}


def read(path):
    result, current = Encodings(), []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip()
            if not line or line.startswith("#"):
                continue
            if line[0].isspace():
                read_bits(path, number, line, current)
                continue
            word, _, rest = line.partition(" ")
            if word == "layout":
                name, *generations = rest.split()
                current = []
                for generation in generations:
                    if generation not in GENERATIONS or (name, generation) in result.layouts:
                        fail(path, number, f"generation '{generation}' is unknown or stands twice")
                    result.layouts[name, generation] = Layout(name, generation)
                    current.append(result.layouts[name, generation])
            elif word in ("promote", "limit"):
                name, *columns = columns_of(path, number, rest, 4)
                target = result.promote if word == "promote" else result.limits
                for generation, value in numbers_of(columns).items():
                    target[name, generation] = value
            elif word == "register":
                name, *columns, pair = columns_of(path, number, rest, 5)
                result.registers.append((name, numbers_of(columns), pair))
            else:
                fail(path, number, f"unknown word '{word}'")
    return result
