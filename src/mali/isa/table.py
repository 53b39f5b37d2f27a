"""Reads the tables of Valhall's instructions: fields.table (fields, selections of sources, constants) and ops.table (a row for each
instruction).

A table that is wrong is refused with its file and line: bits that two things of a row claim, a value that does not fit, a field or a
selection that does not exist, two rows that fit one word."""
import dataclasses
import re

STAGING = ("write", "read", "rw", "plain", "writes")
# Bits 47:46 of staging registers at bit 40: whether the message reads and writes them.
STAGING_FLAGS = {"read": 1, "write": 2, "writes": 2, "rw": 3}
UNITS = ("CVT", "FMA", "SFU", "LS", "V", "T", "VT", "NONE")
SOURCE_WORDS = ("absneg", "not", "float", "wide")
OPCODE_LOW, OPCODE_BITS = 48, 9
FLOW, PAGE_LOW = "flow", 57


class TableError(Exception):
    def __init__(self, file, line, text):
        super().__init__(f"{file}:{line}: {text}")


@dataclasses.dataclass
class Field:
    name: str
    low: int
    width: int
    values: tuple   # None: no known meaning
    default: int    # -1: it must be written
    is_flag: bool


@dataclasses.dataclass
class Selection:
    name: str
    width: int
    values: tuple
    default: int


@dataclasses.dataclass
class Source:
    byte: int
    words: tuple
    selection: str = ""
    low: int = 0

    def has(self, word):
        return word in self.words


@dataclasses.dataclass
class Number:
    name: str
    low: int
    width: int
    is_signed: bool


@dataclasses.dataclass
class Row:
    name: str
    line: int
    match: int
    mask: int
    fields: list
    unit: str
    has_dst: bool = False
    staging: list = dataclasses.field(default_factory=list)   # (kind, low)
    sources: list = dataclasses.field(default_factory=list)
    numbers: list = dataclasses.field(default_factory=list)
    claimed: int = 0  # bits that are something's
    fixed: int = 0    # bits that are set and mean nothing to us
    fixed_mask: int = 0

    def known(self):
        return self.claimed & ~self.fixed_mask


@dataclasses.dataclass
class Tables:
    fields: dict
    selections: dict
    constants: list
    specials: dict
    rows: list


def bits(low, width):
    return ((1 << width) - 1) << low


def lines_of(path):
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        if line.strip() and not line.startswith("#"):
            yield number, line.strip()


def parse_range(path, number, text):
    match = re.fullmatch(r"(\d+)(?::(\d+))?", text)
    if not match:
        raise TableError(path, number, f"'{text}' are no bits")
    high, low = int(match[1]), int(match[2] or match[1])
    if not 63 >= high >= low:
        raise TableError(path, number, f"bits {text} are not in the word")
    return low, high - low + 1


def parse_values(path, number, words, width):
    values = tuple(None if w == "?" else w.lstrip("*") for w in words)
    stars = [i for i, w in enumerate(words) if w.startswith("*")]
    if len(values) > 1 << width or len(stars) > 1:
        raise TableError(path, number, f"{len(values)} values and {len(stars)} defaults of {width} bits")
    return values, stars[0] if stars else -1


def read_fields(path):
    fields, selections, constants, specials = {}, {}, [], {}
    for number, text in lines_of(path):
        kind, *words = text.split()
        if kind == "field":
            low, width = parse_range(path, number, words[1])
            is_flag = words[2:] == ["flag"]
            values, default = ((None, words[0]), 0) if is_flag else parse_values(path, number, words[2:], width)
            fields[words[0]] = Field(words[0], low, width, values, default, is_flag)
        elif kind == "select":
            values, default = parse_values(path, number, words[2:], int(words[1]))
            selections[words[0]] = Selection(words[0], int(words[1]), values, default)
        elif kind == "constants":
            constants += [int(w, 0) for w in words]
        elif kind == "special":
            specials.setdefault(int(words[0]), []).extend(None if w == "?" else w for w in words[1:])
        else:
            raise TableError(path, number, f"'{kind}' is nothing that this table has")
    if len(constants) != 32 or any(len(names) != 16 for names in specials.values()):
        raise TableError(path, 1, "there are 32 constants, and 16 special values in a page")
    return fields, selections, constants, specials


class RowReader:
    def __init__(self, path, fields, selections):
        self.path, self.fields, self.selections = path, fields, selections

    def fail(self, text):
        raise TableError(self.path, self.row.line, f"{self.row.name}: {text}")

    def claim(self, low, width, what):
        if self.row.claimed & bits(low, width):
            self.fail(f"{what} shares bits with something else")
        self.row.claimed |= bits(low, width)

    def read(self, number, text):
        columns = [c.strip() for c in text.split("|")]
        if len(columns) != 6:
            raise TableError(self.path, number, "a row has six columns")
        name, opcode, more, fields, operands, unit = columns
        self.row = Row(name, number, 0, 0, [], unit)
        if unit not in UNITS:
            self.fail(f"no unit {unit}")
        self.claim(PAGE_LOW, 2, "the page")
        self.match(OPCODE_LOW, OPCODE_BITS, int(opcode, 16))
        for word in more.split():
            where, _, value = word.partition("=")
            self.match(*parse_range(self.path, number, where), int(value, 0))
        for word in [FLOW, *fields.split()]:
            if word not in self.fields:
                self.fail(f"no field {word}")
            field = self.fields[word]
            self.claim(field.low, field.width, word)
            if word != FLOW:
                self.row.fields.append(field)
        for word in operands.split():
            self.operand(word)
        if not self.row.has_dst and not self.row.staging:
            # Without a destination the hardware wants one that is written whole.
            self.fix(46, 2, 3)
        return self.row

    def fix(self, low, width, value):
        self.claim(low, width, "what is done with registers")
        self.row.fixed |= value << low
        self.row.fixed_mask |= bits(low, width)

    def match(self, low, width, value):
        if value >> width:
            self.fail(f"{value:#x} does not fit in {width} bits")
        self.claim(low, width, "an opcode")
        self.row.match |= value << low
        self.row.mask |= bits(low, width)

    def operand(self, word):
        head, _, where = word.partition("@")
        if word == "dst":
            self.row.has_dst = True
            self.claim(40, 8, word)
        elif head in STAGING:
            self.staging(head, int(where))
        elif re.match(r"s[0-3](\.|$)", word):
            self.source(word)
        elif where:
            low, width = parse_range(self.path, self.row.line, where.rstrip("s"))
            self.claim(low, width, head)
            self.row.numbers.append(Number(head, low, width, where.endswith("s")))
        else:
            self.fail(f"'{word}' is no operand")

    def staging(self, kind, low):
        counts_writes = kind == "writes" or low == 16
        self.claim(low, 6, kind)
        if low == 40 and kind != "plain":
            self.fix(46, 2, STAGING_FLAGS[kind])
        self.claim(36 if counts_writes else 33, 3, "the number of staging registers")
        self.row.staging.append((kind, low))

    def source(self, word):
        head, *words = word.split(".")
        source = Source(int(head[1:]), ())
        self.claim(source.byte * 8, 8, head)
        for text in words:
            name, _, low = text.partition("@")
            if name in SOURCE_WORDS:
                source.words += (name,)
            elif name in self.selections:
                self.select(source, name, int(low) if low else None)
            else:
                self.fail(f"no selection {name}")
        if source.has("absneg"):
            self.claim(34 + (2 - source.byte) * 2, 2, "absneg")
        if source.has("not"):
            self.claim(35, 1, "not")
        self.row.sources.append(source)

    def select(self, source, name, low):
        if low is None:
            low = {"half": 24 + (2 - source.byte) * 2, "halves": 24 + (2 - source.byte) * 2,
                   "combine": 37}.get(name, 26 if source.byte == 1 else 36)
        source.selection, source.low = name, low
        self.claim(low, self.selections[name].width, name)


def read(fields_path, ops_path):
    fields, selections, constants, specials = read_fields(fields_path)
    reader = RowReader(ops_path, fields, selections)
    rows, names = [], {}
    for number, text in lines_of(ops_path):
        row = reader.read(number, text)
        if row.name in names:
            raise TableError(ops_path, number, f"{row.name} stands in line {names[row.name]}, too")
        names[row.name] = number
        for other in rows:
            both = row.mask & other.mask
            if row.match & both == other.match & both:
                raise TableError(ops_path, number, f"{row.name} and {other.name} fit one word")
        rows.append(row)
    return Tables(fields, selections, constants, specials, rows)
