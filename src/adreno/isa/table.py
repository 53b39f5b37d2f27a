"""Reads the tables of A6xx's instructions: encodings.table (layouts, suffixes) and ops.table (a row for each instruction).

A table that is wrong is refused with its file and line: bits that are missing from a layout or stand there twice, an opcode
that does not fit, an operand that the layout lacks."""
import dataclasses
import re

OPERANDS = ("dst", "src0", "src1", "src2", "src3", "dst1", "dst2", "dst3")
FLAGS = ("neg", "abs", "r", "last", "not", "half", "relative", "immediate")
CLASSES = ("gpr", "plain", "gpr_or_relative", "plain_or_number", "plain_by_mode", "predicate", "number", "move", "any", "short_const",
           "short_number", "texture", "const_place", "fiber")
SIZES = ("full", "alu", "conv", "src_type", "dst_type", "type", "wide")
PROPERTIES = ("nop", "half", "mov", "ldc")
FIELD = re.compile(r"(\d*[a-z][a-z0-9_]*)(?:\[(\d+):(\d+)\]|\[(\d+)\])?$")


class TableError(Exception):
    def __init__(self, file, line, text):
        super().__init__(f"{file}:{line}: {text}")


@dataclasses.dataclass
class Piece:
    """Some bits of a word: what they are a part of, and from which of its bits on."""
    kind: str  # fixed, op, field, operand, flag, ignored
    name: str
    low: int
    width: int
    shift: int = 0
    signed: bool = False
    value: int = 0
    operand_class: str = ""
    size: str = ""


@dataclasses.dataclass
class Layout:
    name: str
    line: int
    pieces: list

    def mask(self, *kinds):
        return sum(((1 << p.width) - 1) << p.low for p in self.pieces if p.kind in kinds)

    def fixed(self):
        return sum(p.value << p.low for p in self.pieces if p.kind == "fixed")

    def names(self, kind):
        return {p.name for p in self.pieces if p.kind == kind}


@dataclasses.dataclass
class Suffix:
    name: str
    style: str  # names, number, code, literal
    field: str = ""
    texts: tuple = ()
    bias: int = 0


@dataclasses.dataclass
class Row:
    name: str
    line: int
    layout: Layout
    op: int
    suffixes: list
    operands: list
    properties: list

    def match(self):
        bits = self.layout.fixed()
        for p in self.layout.pieces:
            if p.kind == "op":
                bits |= (self.op >> p.shift & ((1 << p.width) - 1)) << p.low
        return bits


def lines_of(path):
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        text = line.split("#", 1)[0] if line.startswith("#") else line
        if text.strip():
            yield number, text.rstrip("\n")


def parse_piece(path, number, words):
    bits = re.match(r"(\d+)(?::(\d+))?$", words[0])
    if not bits:
        raise TableError(path, number, f"'{words[0]}' are no bits")
    high, low = int(bits[1]), int(bits[2] if bits[2] else bits[1])
    if not 63 >= high >= low:
        raise TableError(path, number, f"bits {words[0]} are not in the word")
    width = high - low + 1
    if words[1] == "=":
        value = int(words[2], 0)
        if value >> width:
            raise TableError(path, number, f"{value} does not fit in {width} bits")
        return Piece("fixed", "", low, width, value=value)
    if words[1] == "ignored":
        return Piece("ignored", "", low, width)
    operand, _, flag = words[1].partition(".")
    if flag:
        if operand not in OPERANDS or flag not in FLAGS or width != 1:
            raise TableError(path, number, f"'{words[1]}' is no flag of an operand")
        return Piece("flag", operand, low, 1, value=FLAGS.index(flag))
    if operand in OPERANDS:
        if len(words) != 4 or words[2] not in CLASSES or words[3] not in SIZES:
            raise TableError(path, number, "an operand needs its class and its size")
        return Piece("operand", operand, low, width, operand_class=words[2], size=words[3])
    match = FIELD.match(words[1])
    if not match or words[2:] not in ([], ["signed"]):
        raise TableError(path, number, f"'{' '.join(words[1:])}' is no field")
    shift = int(match[3] or match[4] or 0)
    if match[2] and int(match[2]) - shift + 1 != width:
        raise TableError(path, number, f"{words[1]} has not {width} bits")
    return Piece("op" if match[1] == "op" else "field", match[1], low, width, shift, len(words) == 3)


def parse_suffix(path, number, words):
    name, field, style = words[1:4]
    if style == "names":
        return Suffix(name, style, field, tuple("" if w == "-" else None if w == "?" else w for w in words[4:]))
    if style == "number":
        return Suffix(name, style, field, (words[4], words[6] if len(words) > 6 else ""), int(words[5]))
    if style == "code":
        return Suffix(name, style, field)
    raise TableError(path, number, f"'{style}' is no style of a suffix")


def read_encodings(path):
    layouts, suffixes = {}, {}
    layout = None
    for number, text in lines_of(path):
        words = text.split()
        if words[0] == "layout":
            layout = layouts[words[1]] = Layout(words[1], number, [])
        elif words[0] == "suffix":
            suffixes[words[1]] = parse_suffix(path, number, words)
        elif layout is None:
            raise TableError(path, number, "a line outside a layout")
        else:
            layout.pieces.append(parse_piece(path, number, words))
    for layout in layouts.values():
        for bit in range(64):
            count = sum(p.low <= bit < p.low + p.width for p in layout.pieces)
            if count != 1:
                raise TableError(path, layout.line, f"bit {bit} stands {count} times in layout {layout.name}")
    return layouts, suffixes


ITEM = re.compile(r"(?:([glpc])\[(a1\.x|offset|\w+)(?:\+(\w+))?\])$")


def parse_operand(path, number, layout, word):
    """(bracket, what, operand): how one operand of the text is written."""
    bracket, kind, name = "", "operand", word
    match = ITEM.match(word)
    if match:
        bracket, name = match[1], match[2]
        kind = {None: "operand", "offset": "address", "src1": "indexed"}[match[3]]
        if name in ("a1.x", "offset"):
            return bracket, {"a1.x": "a1", "offset": "offset"}[name], ""
    elif word in ("size", "sampler", "texture"):
        return "", word, ""
    elif word.startswith("#"):
        kind, name = "target", word[1:]
    elif word.startswith("("):
        kind, name = {"(type)dst": "typed", "(mask)dst": "masked"}[word], "dst"
    elif word.endswith("?"):
        kind, name = "optional", word[:-1]
    elif word.endswith("+offset"):
        kind, name = "address_up", word[:-7]
    if name not in layout.names("operand"):
        raise TableError(path, number, f"layout {layout.name} has no operand {name}")
    return bracket, kind, name


def read_ops(path, layouts, suffixes):
    rows = []
    for number, text in lines_of(path):
        columns = [c.strip() for c in text.split("|")]
        if len(columns) != 6:
            raise TableError(path, number, f"{len(columns)} columns, not 6")
        name, layout_name, op, suffix_names, operands, properties = columns
        if layout_name not in layouts:
            raise TableError(path, number, f"no layout {layout_name}")
        layout = layouts[layout_name]
        used = []
        for word in suffix_names.split():
            suffix = Suffix(word, "literal", texts=(word,)) if word.startswith(".") else suffixes.get(word)
            if suffix is None or (suffix.field and suffix.field not in layout.names("field")):
                raise TableError(path, number, f"suffix {word} is not defined, or its field is not in layout {layout_name}")
            used.append(suffix)
        row = Row(name, number, layout, int(op, 0), used, [parse_operand(path, number, layout, w) for w in operands.split()],
                  properties.split())
        if row.op >> sum(p.width for p in layout.pieces if p.kind == "op"):
            raise TableError(path, number, f"opcode {op} does not fit in layout {layout_name}")
        if not set(row.properties) <= set(PROPERTIES):
            raise TableError(path, number, f"unknown property in '{properties}'")
        for other in rows:
            if other.name == name:
                raise TableError(path, number, f"{name} stands in line {other.line}, too")
        rows.append(row)
    return sorted(rows, key=lambda r: r.match() >> 61)
