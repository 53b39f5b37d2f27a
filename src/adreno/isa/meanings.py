"""Reads meanings.table and makes a row for each size of sources and destination, and the rows of category 1, one for each pair of types.

A row's name is the instruction's, its variant, and two letters: the size of the sources and of the destination, f(ull) or h(alf)."""
import dataclasses
import os
import re

import table

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = {"f": {"f": "f32", "u": "u32", "i": "i32"}, "h": {"f": "f16", "u": "u16", "i": "i16"}}
ROW = re.compile(r"([a-z0-9.]+)(?:\+(\w+))?(?:@([fh]))?$")

# The field `type` of category 1 by its numbers, and how a lane has a value of it. A source u8 is extended by its sign: programs that want zeros
# mask it. Number 7, a byte in a full register, is category 6's alone.
TYPES = {"f16": "f16", "f32": "f32", "u16": "u16", "u32": "u32", "s16": "i16", "s32": "i32", "u8": "u16"}
TYPE_NUMBERS = {name: number for number, name in enumerate(("f16", "f32", "u16", "u32", "s16", "s32", "u8", "u8_32"))}


@dataclasses.dataclass
class Operand:
    name: str
    type: str
    is_dst: bool


@dataclasses.dataclass
class Row:
    op: str         # the instruction
    variant: str
    sizes: str      # of sources and destination
    name: str
    operands: list
    meaning: str
    line: int
    file: str = "meanings.table"
    format: str = "lane"
    properties: tuple = ()

    def operand(self, name):
        return next(o for o in self.operands if o.name == name)


def ident(text):
    return re.sub(r"\W", "_", text)


def source_sizes(instruction, only):
    """Which sizes the sources of an instruction can have."""
    if only:
        return only
    if "full" in instruction.layout.names("field"):
        return "fh"
    return "h" if "half" in instruction.properties else "f"


def size_of(kind, letters):
    return letters.get(kind, kind)


def expand(op, variant, operands, meaning, source, dst, line):
    letters = SIZES[source]
    left, _, right = operands.partition("=")
    parsed = [Operand(w.split(":")[0], size_of(w.split(":")[1], SIZES[dst]), True) for w in left.split()]
    parsed += [Operand(w.split(":")[0], size_of(w.split(":")[1], letters), False) for w in right.split()]
    own = size_of(left.split()[0].split(":")[1], letters)
    for letter, name in letters.items():
        meaning = meaning.replace("{" + letter + "}", name)
    if "wide = " in meaning:  # a result of 32 bits, whatever the sources have
        meaning = re.sub(r"wide = (.*); d = wide", rf"d = {parsed[0].type}(\1)", meaning)
    elif parsed[0].type != own:
        # The type of the meaning is that of a local; an assignment to the destination converts it.
        head, _, value = meaning.rpartition("d = ")
        meaning = f"{head}d = {parsed[0].type}({value})"
    name = ident(f"{op}{'+' + variant if variant else ''}_{source}{dst}")
    return Row(op, variant, source + dst, name, parsed, meaning, line)


def alu_rows(instructions):
    by_name = {i.name: i for i in instructions}
    rows = []
    path = os.path.join(HERE, "meanings.table")
    for line, text in table.lines_of(path):
        head, operands, meaning = (part.strip() for part in text.split("|", 2))
        match = ROW.match(head)
        if not match or match[1] not in by_name:
            raise table.TableError(path, line, f"'{head}' is no instruction")
        instruction = by_name[match[1]]
        can_convert = "conv" in instruction.layout.names("field")
        for source in source_sizes(instruction, match[3]):
            for dst in "fh" if can_convert else "f":
                rows.append(expand(match[1], match[2] or "", operands, meaning, source, dst, line))
    return rows


def conversion(source, dst):
    """The meaning of cov from one type to another. Conversions to integers cut off; the executor rounds before where a mode is given."""
    s, d = TYPES[source], TYPES[dst]
    value = "i8(s0)" if source == "u8" else "s0"
    if dst == "u8":
        if s.startswith("f"):
            value = f"cvt_i32(f32({value}))"
        return f"d = u16(u8({value}))"
    if s == d and source != "u8":
        return "d = s0"
    if s == "f16" and d == "f32":
        return "d = widen(s0)"
    if s == "f32" and d == "f16":
        return "d = f16(s0)"
    if s.startswith("f"):
        wide = "f32(s0)"
        return {"u32": f"d = cvt_u32({wide})", "i32": f"d = cvt_i32({wide})", "u16": f"d = sat16_u32(cvt_u32({wide}))",
                "i16": f"d = sat16_i32(cvt_i32({wide}))"}[d]
    if d == "f32":
        return f"d = f32({value})" if s in ("u32", "i32") and source != "u8" else f"d = f32(i32({value}))"
    if d == "f16":
        wide = value if s in ("u32", "i32") else f"i32({value})"
        return f"d = f16(f32({wide}))"
    return f"d = {d}({value})"


def move_rows():
    rows = []
    for source, s in TYPES.items():
        for dst, d in TYPES.items():
            # What moves as it is has no type: a float's bits are kept.
            plain = source == dst
            kinds = (("u32" if s.endswith("32") else "u16"),) * 2 if plain else (d, s)
            rows.append(Row("mov", "", "", f"cov_{source}_{dst}", [Operand("d", kinds[0], True), Operand("s0", kinds[1], False)],
                            "d = s0" if plain else conversion(source, dst), 0, "meanings.py"))
    return rows


def read():
    layouts, suffixes = table.read_encodings(os.path.join(HERE, "encodings.table"))
    instructions = table.read_ops(os.path.join(HERE, "ops.table"), layouts, suffixes)
    return alu_rows(instructions) + move_rows()
