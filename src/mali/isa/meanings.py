"""Reads meanings.table and makes a row for each suffix and variant. A vector's row applies the meaning to each element.

A row's name is the instruction's and its variant's; `op` and `variant` say which instruction it is for."""
import dataclasses
import os
import re

import table

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = re.compile(r"([A-Z0-9_]+)(?:\+(\w+))?((?: \w+)*)$")

# Conditions by their names in the field `cond`. Integers have the first six.
CONDITIONS = {"eq": "s0 == s1", "gt": "s0 > s1", "ge": "s0 >= s1", "ne": "s0 != s1", "lt": "s0 < s1", "le": "s0 <= s1",
              "gtlt": "(s0 < s1 || s0 > s1)", "total": "(!is_nan(s0) && !is_nan(s1))"}
INTEGER_CONDITIONS = ("eq", "gt", "ge", "ne", "lt", "le")

# Suffix -> (elements, bits, letter). No suffix, u6 and u4: the row says its types.
SUFFIXES = {"f32": (1, 32, "f"), "u32": (1, 32, "u"), "i32": (1, 32, "u"), "s32": (1, 32, "i"), "v2f16": (2, 16, "f"), "v2u16": (2, 16, "u"),
            "v2i16": (2, 16, "u"), "v2s16": (2, 16, "i"), "v4u8": (4, 8, "u"), "v4i8": (4, 8, "u"), "v4s8": (4, 8, "i"), "u64": (1, 64, "u"),
            "i64": (1, 64, "u"), "s64": (1, 64, "i"), "f16": (1, 16, "f"), "u6": (1, 32, "u"), "u4": (1, 32, "u"), "v2i8": (1, 32, "u"), "": (1, 32, "u")}
VECTOR = re.compile(r"([24])([fui])(16|8)$")


@dataclasses.dataclass
class Operand:
    name: str
    type: str
    is_dst: bool


@dataclasses.dataclass
class Row:
    op: str
    variant: str
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


def spell(letter, suffix):
    """The type that a letter of the table is for a suffix: f32, 2u16, 4i8."""
    count, bits, own = SUFFIXES[suffix]
    letter = {"e": own, "b": "u"}.get(letter, letter)
    return f"{count if count > 1 else ''}{letter}{bits}"


def work_type(spelled):
    """What an element is computed with."""
    match = VECTOR.match(spelled)
    if not match:
        return spelled
    return f"{match[2]}{32 if match[3] == '8' else 16}"


def storage_type(spelled):
    match = VECTOR.match(spelled)
    if not match:
        return spelled
    return f"{match[2]}16x2" if match[1] == "2" else "u32"


def limits(spelled):
    bits, signed = int(re.search(r"\d+$", spelled)[0]), "i" in spelled
    return (f"-{1 << (bits - 1)}" if signed else "0"), str((1 << (bits - 1 if signed else bits)) - 1), bits


def element(name, spelled, index):
    """The C-like text of an operand's element."""
    match = VECTOR.match(spelled)
    if not match:
        return name
    if match[1] == "2":
        return f"{('lo', 'hi')[index]}({name})"
    part = f"{match[2]}8({name} >> {8 * index})"
    return f"{match[2]}32({part})"


def expand_vector(operands, meaning):
    """The meaning of all elements, of the meaning of one."""
    spelled = dict(operands)
    count = max((int(m[1]) for m in map(VECTOR.match, spelled.values()) if m), default=1)
    if count == 1:
        return meaning
    statements = [s.strip().partition("=") for s in re.split(r";\s*", meaning)]
    # `a = b` has one = that is not part of an operator, and it is the first.
    locals_ = {target.strip() for target, _, _ in statements} - {"d"}
    lines = []
    for index in range(count):
        def replace(match, index=index):
            name = match[0]
            if name in locals_:
                return f"{name}_{index}"
            return f"({element(name, spelled[name], index)})" if name in spelled and name != "d" else name
        for target, _, value in statements:
            target = target.strip()
            name = f"r_{index}" if target == "d" else f"{target}_{index}"
            lines.append(f"{name} = {re.sub(r'[A-Za-z_][A-Za-z_0-9]*', replace, value).strip()}")
    if count == 2:
        lines.append("d = pack(r_0, r_1)")
    else:
        lines.append("d = " + " | ".join(f"(u32(r_{i}) & 255) << {8 * i}" for i in range(4)))
    return "; ".join(lines)


def make(base, variant, suffix, operands, meaning, line):
    left, _, right = operands.partition("=")
    words = [(w.split(":"), True) for w in left.split()] + [(w.split(":"), False) for w in right.split()]
    spelled = [(name, spell(kind, suffix) if kind in "euib" else kind) for (name, kind), _ in words]
    own = spell("e", suffix)
    low, high, bits = limits(own)
    for letter in "euib":
        meaning = meaning.replace("{" + letter + "}", work_type(spell(letter, suffix)))
    meaning = meaning.replace("{min}", low).replace("{max}", high).replace("{bits}", str(bits)).replace("{mask}", str(bits - 1))
    parsed = [Operand(name, storage_type(kind), is_dst) for (name, kind), (_, is_dst) in zip(spelled, words)]
    op = base + ("." + suffix if suffix else "")
    return Row(op, variant, ident(f"{op}{'_' + variant if variant else ''}").lower(), parsed, expand_vector(spelled, meaning), line)


def variants(variant, suffix, meaning):
    """(name, meaning) of each; COND stands for every condition."""
    if "COND" not in (variant or ""):
        return [(variant or "", meaning)]
    names = CONDITIONS if SUFFIXES[suffix][2] == "f" else INTEGER_CONDITIONS
    return [(variant.replace("COND", name), meaning.replace("COND", CONDITIONS[name])) for name in names]


def read():
    names = {row.name for row in table.read(os.path.join(HERE, "fields.table"), os.path.join(HERE, "ops.table")).rows}
    path = os.path.join(HERE, "meanings.table")
    rows = []
    for line, text in table.lines_of(path):
        head, operands, meaning = (part.strip() for part in text.split("|", 2))
        match = HEAD.match(head)
        if not match:
            raise table.TableError(path, line, f"'{head}' is no instruction")
        for suffix in match[3].split() or [""]:
            if match[1] + ("." + suffix if suffix else "") not in names:
                raise table.TableError(path, line, f"there is no {match[1]}.{suffix}")
            rows += [make(match[1], name, suffix, operands, own, line) for name, own in variants(match[2], suffix, meaning)]
    return rows
