"""Reads the hardware tables of a family and refuses what cannot be true: overlapping fields, two registers at one place,
values that do not fit. It knows the form of the tables, not C; gen_hw.py writes the C. What differs between families is a Family.

Columns stand for generations, in the family's order. A cell is a number, '-' (this generation has no such thing)
or '.' (not looked up yet; treated like '-').

  reg NAME  CELL...  space [count +stride] [wide] clear=VALUE  ; policy
      The cell is the offset in the family's unit. A name with '#' is an array: '#' is the index. clear= is what the family's reset of
      state leaves there. A wide register has 64 bits in two neighbouring places.
  PACKET NAME  CELL...  [min=N]  ; policy
      PACKET is a word of the family, see PacketKind. The cell is the opcode. Each field starts with its dword; the header is dword 0.
      min= is the number of dwords that must be there when the rest may be left out.
  descriptor NAME dwords

  FIELD  bits  [type]  [when FIELD=VALUE,...]  [; policy]
      bits are HIGH:LOW or one bit; one cell for all generations or one for each, separated by '|'. In a packet or descriptor HIGH
      may exceed 31: the field goes on in the next dword; and N.HIGH:LOW is in dword N instead. The type is an enum or one of the plain
      types below; `fixN` and `sfixN` are fixed point with N bits of fraction, `NAME<<N` is a plain type stored without its N low bits,
      `uint+N` a number stored N less, `letter` one that is printed after a letter, `pow2` a power of two stored as its logarithm. Values in the tables are what the field means, not
      what is stored.
      Fields that hold under different conditions may overlap.
  @REG       in a packet or descriptor: all fields of that register, in this dword
  tail KIND  in a packet: what follows the fixed part (see TAILS)

Policies say what a model does with a write: 'implemented', 'ignored: reason', 'stop: reason', 'stop-unless VALUE: reason' (VALUE
may be DEFAULT, the one of clear=); for a field 'ignored: reason' or 'only VALUE: reason'. A reason of one word is a row of
reasons.table.
"""
import re

PLAIN_TYPES = ["uint", "hex", "int", "float", "va", "reg", "format", "pow2", "letter"]

# What follows the fixed part of a packet. regs: values of consecutive registers, from the packet's first field on; pairs: of a register and
# a value each; repeat: the fields of the last N dwords again and again (`tail repeat N`); any: of no meaning to the hardware; counted and
# counted-1: as many dwords as the field COUNT says, or one more.
TAILS = ["none", "data", "regs", "pairs", "repeat", "any", "counted", "counted-1"]


class TableError(Exception):
    pass


class PacketKind:
    """A kind of packet: a word of the tables.

    word       as rows begin
    prefix     of the C names: <family>_PREFIX_NAME
    file       the generated header
    header     C function (opcode, length in dwords[, flags]) for packets whose header holds their length; else None
    flags      (C struct, C initialiser that reads dw[0]) of header bits that every packet has; else None
    opcode     (lowest bit, width) of the opcode in a packet whose header does not hold its length
    is_word    every such packet is one word of 64 bits, which the C packs and unpacks as a uint64_t
    """
    def __init__(self, word, prefix, file, header=None, flags=None, opcode=None, is_word=False):
        self.word, self.prefix, self.file, self.header, self.flags, self.opcode = word, prefix, file, header, flags, opcode
        self.is_word = is_word
        if opcode and opcode[0] // 32 != (opcode[0] + opcode[1] - 1) // 32:
            raise TableError(f"{word}: the opcode is in two dwords")


class Plain:
    """A plain type as a field names it."""
    def __init__(self, type_name, base, shift, less):
        self.type, self.base, self.shift, self.less = type_name, base, shift, less


class Family:
    """What the tables of one family say in their own way.

    prefix        of all names in C, in lower case
    room          for includes: "<gpu>/hw"
    parameter     the C parameter that is the generation, as (type, name); with one generation None, and no function has it
    generations   column -> C name, in order
    complete      the column whose layout others share until they are looked up
    unit_B        what a register's offset counts: 1 byte or 4
    limit         offsets are below
    spaces        of registers: name -> (first, end)
    clear_space   the space whose registers have clear=; None: there is no such reset
    packets       PacketKinds
    types         plain types of the family's own: name -> (plain type, value is counted from; of `letter`, the letter)
    tails         names of tails of the family's own: name -> (tail, what register numbers are counted from)
    includes      headers that every generated header needs besides enums.h
    """
    def __init__(self, prefix, room, generations, parameter=None, complete=None, unit_B=4, limit=0x10000, spaces=None, clear_space=None,
                 packets=(), types=None, tails=None, includes=()):
        self.prefix, self.room, self.generations, self.parameter = prefix, room, generations, parameter
        self.complete, self.unit_B, self.limit, self.spaces, self.clear_space = complete, unit_B, limit, spaces or {}, clear_space
        self.packets, self.types, self.includes = packets, {**{t: (t, 0) for t in PLAIN_TYPES}, **(types or {})}, includes
        self.tails = {**{t: (t, 0) for t in TAILS}, **(tails or {})}
        self.kinds = {kind.word: kind for kind in packets}

    def plain(self, type_name):
        """The Plain of a field's type, or None."""
        match = re.fullmatch(r"(\w+)(?:<<(\d+)|\+(\d+))?", type_name)
        if not match or match[1] not in self.types or (match[3] and match[1] != "uint"):
            return None
        return Plain(*self.types[match[1]], int(match[2] or 0), int(match[3] or 0))


class Policy:
    def __init__(self, kind="implemented", value=None, reason=""):
        self.kind, self.value, self.reason = kind, value, reason


class Field:
    def __init__(self, name, bits, type_name, when, policy, where):
        self.name, self.bits, self.type = name, bits, type_name  # bits: generation → (low, width), absent ones left out
        self.when, self.policy, self.where = when, policy, where

    def width(self):
        return max(width for _, width in self.bits.values())


class Row:
    """A register, packet or descriptor."""

    def __init__(self, kind, name, cells, where):
        self.kind, self.name, self.cells, self.where = kind, name, cells, where
        self.fields = []
        self.policy = Policy()
        # registers
        self.space, self.count, self.stride, self.clear, self.block, self.is_wide = None, 1, None, None, None, False
        # packets and descriptors
        self.min_dw, self.tail, self.repeat_dw, self.dwords = None, "none", 0, None

    def c_name(self):
        return re.sub(r"_?#", "", self.name, count=1) if "#" in self.name else self.name

    def generations(self):
        return list(self.cells)

    def bit_limit(self):
        """Where its fields end, if that is fixed."""
        return (64 if self.is_wide else 32) if self.kind == "reg" else 32 * self.dwords if self.kind == "descriptor" else None

    def length_dw(self, generation):
        """Dwords of the fixed part, header included."""
        if self.dwords:
            return self.dwords
        ends = [sum(f.bits[generation]) for f in self.fields if generation in f.bits]
        return max([1] + [(end + 31) // 32 for end in ends])

    def fixed_dw(self, generation):
        """Dwords that are there whatever the others say: of the fields without a condition."""
        if self.dwords:
            return self.dwords
        ends = [sum(f.bits[generation]) for f in self.fields if generation in f.bits and not f.when]
        return max([1] + [(end + 31) // 32 for end in ends])

    def mask(self, generation):
        """The bits of a register that have a name."""
        mask = 0
        for field in self.fields:
            if generation in field.bits:
                low, width = field.bits[generation]
                mask |= ((1 << width) - 1) << low
        return mask


class Enum:
    def __init__(self, name, where):
        self.name, self.where, self.values = name, where, []


def split_policy(line):
    body, _, policy = line.partition(" ;")
    return body.rstrip(), policy.strip()


class Tables:
    def __init__(self, family):
        self.family = family
        self.enums, self.reasons, self.rows = {}, {}, []
        self.used = set()  # names of reasons and enums

    # --- reading -----------------------------------------------------------------------------------------------------

    def lines(self, path):
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip() and not line.lstrip().startswith("#"):
                    yield f"{path}:{number}", line.rstrip()

    def read_reasons(self, path):
        for where, line in self.lines(path):
            key, text = line.split(None, 1)
            if key in self.reasons:
                raise TableError(f"{where}: doubled reason '{key}'")
            self.reasons[key] = text

    def read_enums(self, path):
        current = None
        for where, line in self.lines(path):
            words = line.split()
            if words[0] == "enum":
                current = Enum(words[1], where)
                if current.name in self.enums or current.name in self.family.types:
                    raise TableError(f"{where}: doubled enum '{current.name}'")
                self.enums[current.name] = current
                continue
            value = int(words[1], 0)
            if any(name == words[0] or number == value for name, number in current.values):
                raise TableError(f"{where}: '{words[0]}' or {value} is there twice")
            current.values.append((words[0], value))

    def read_rows(self, path, block):
        row = None
        for where, line in self.lines(path):
            if not line[0].isspace():
                row = self.parse_head(line, where)
                row.block = block
                self.rows.append(row)
            elif row is None:
                raise TableError(f"{where}: a field before the first row")
            else:
                self.parse_line(row, line, where)
        return self

    def parse_head(self, line, where):
        family, columns = self.family, list(self.family.generations)
        body, policy = split_policy(line)
        words = body.split()
        if words[0] == "descriptor":
            row = Row("descriptor", words[1], dict.fromkeys(columns, 0), where)
            row.dwords = int(words[2])
            return row
        if words[0] != "reg" and words[0] not in family.kinds or len(words) < 2 + len(columns):
            raise TableError(f"{where}: neither reg, {', '.join(family.kinds)} nor descriptor")
        cells = {g: int(w, 0) for g, w in zip(columns, words[2:]) if w not in ("-", ".")}
        row = Row(words[0], words[1], cells, where)
        if words[0] != "reg" and family.kinds[words[0]].is_word:
            row.dwords = 2
        for word in words[2 + len(columns):]:
            self.parse_word(row, word, where)
        if row.stride is None:
            row.stride = 4 // family.unit_B * (2 if row.is_wide else 1)
        row.policy = self.parse_policy(policy, ("implemented", "ignored", "stop", "stop-unless"), where)
        return row

    def parse_word(self, row, word, where):
        if word in self.family.spaces and row.kind == "reg":
            row.space = word
        elif word == "wide" and row.kind == "reg":
            row.is_wide = True
        elif word.startswith("clear="):
            row.clear = int(word[6:], 0)
        elif word.startswith("min="):
            row.min_dw = int(word[4:])
        elif word.startswith("[") and "#" in row.name:
            row.count = int(word[1:].rstrip("]"))
        elif word.startswith("+") and word.endswith("]"):
            row.stride = int(word[1:-1], 0)
        else:
            raise TableError(f"{where}: what is '{word}'?")

    def parse_policy(self, text, allowed, where):
        head, _, reason = text.partition(":")
        words, reason = head.split(), reason.strip()
        if not words or words[0] not in allowed or (words[0] != "implemented") != bool(reason):
            raise TableError(f"{where}: policy '{text}' is not one of {', '.join(allowed)}, with its reason")
        if reason and " " not in reason:
            if reason not in self.reasons:
                raise TableError(f"{where}: no reason '{reason}' in reasons.table")
            self.used.add(reason)
            reason = self.reasons[reason]
        needs_value = words[0] in ("stop-unless", "only")
        if needs_value != (len(words) == 2):
            raise TableError(f"{where}: '{words[0]}' and its value")
        return Policy(words[0], words[1] if needs_value else None, reason)

    def parse_line(self, row, line, where):
        body, policy = split_policy(line)
        words = body.split()
        if words[0] == "tail":
            if words[1] not in self.family.tails or (words[1] == "repeat") != (len(words) == 3):
                raise TableError(f"{where}: unknown tail '{' '.join(words[1:])}'")
            row.tail, row.repeat_dw = words[1], int(words[2]) if len(words) == 3 else 0
            return
        dword = 0
        if row.kind != "reg":
            dword = int(words.pop(0))
        if words[0].startswith("@"):
            self.include(row, words[0][1:], dword, where)
            return
        name, cells = words[0], words[1].split("|")
        columns = list(self.family.generations)
        if len(cells) not in (1, len(columns)):
            raise TableError(f"{where}: {name}: one cell or {len(columns)}")
        if len(cells) == 1:
            cells = cells * len(columns)
        bits = {}
        for generation, cell in zip(columns, cells):
            if cell != "-" and generation in row.cells:
                other_dword, _, place = cell.rpartition(".")
                high, _, low = place.partition(":")
                low = int(low or high)
                bits[generation] = (32 * int(other_dword or dword) + low, int(high) - low + 1)
        if not bits:
            raise TableError(f"{where}: {row.name}.{name} is in no generation")
        type_name, when, rest = "uint", None, words[2:]
        if rest and rest[0] != "when":
            type_name = rest.pop(0)
        if rest:
            if rest[0] != "when" or len(rest) != 2 or "=" not in rest[1]:
                raise TableError(f"{where}: what is '{' '.join(rest)}'?")
            condition, values = rest[1].split("=")
            when = (condition, values.split(","))
        parsed = self.parse_policy(policy, ("ignored", "only"), where) if policy else Policy()
        row.fields.append(Field(name, bits, type_name, when, parsed, where))

    def include(self, row, register, dword, where):
        source = next((r for r in self.rows if r.kind == "reg" and r.name == register), None)
        if not source:
            raise TableError(f"{where}: no register {register} above")
        for field in source.fields:
            bits = {g: (low + 32 * dword, width) for g, (low, width) in field.bits.items() if g in row.cells}
            # A generation that the register's row does not have yet shares the layout that is known.
            known = field.bits.get(self.family.complete)
            for generation in row.cells:
                if generation not in source.cells and known:
                    bits[generation] = (known[0] + 32 * dword, known[1])
            if bits:
                row.fields.append(Field(field.name, bits, field.type, None, field.policy, where))

    # --- meaning -----------------------------------------------------------------------------------------------------

    def value(self, text, field):
        """What is stored for a number, or for the name of a value of the field's enum."""
        if field and field.type in self.enums:
            for name, number in self.enums[field.type].values:
                if name == text:
                    return number
        try:
            number = int(text, 0)
        except ValueError:
            raise TableError(f"{field.where}: '{text}' is no number and no value of {field.type}") from None
        plain = self.family.plain(field.type)
        if plain and plain.type == "pow2":
            return number.bit_length() - 1
        return number - plain.less if plain else number

    def stop_bits(self, row, generation):
        """(mask, value): a write must equal value under mask, or a model stops."""
        if row.policy.kind == "stop-unless":
            text = row.policy.value
            return 0xffffffff, row.clear if text == "DEFAULT" else int(text, 0)
        mask = value = 0
        for field in row.fields:
            if field.policy.kind == "only" and generation in field.bits:
                low, width = field.bits[generation]
                mask |= ((1 << width) - 1) << low
                value |= self.value(field.policy.value, field) << low
        return mask, value

    def check_use(self):
        """A reason or enum that no row names is a mistake or a left-over. Only whole tables can be asked."""
        unused = [name for name in list(self.reasons) + list(self.enums) if name not in self.used]
        if unused:
            raise TableError(f"nothing uses {', '.join(unused)}")

    # --- checks ------------------------------------------------------------------------------------------------------

    def check(self):
        self.check_names()
        for row in self.rows:
            self.check_fields(row)
            if row.kind == "reg":
                self.check_register(row)
        self.check_places()

    def check_names(self):
        seen = {}
        for row in self.rows:
            key = (row.kind, row.c_name())
            if key in seen:
                raise TableError(f"{row.where}: {row.name} is also at {seen[key].where}")
            seen[key] = row

    def check_fields(self, row):
        if not row.fields and row.kind == "reg":
            raise TableError(f"{row.where}: {row.name} has no fields")
        names = set()
        for field in row.fields:
            if field.name in names or not re.fullmatch(r"[A-Z][A-Za-z0-9_]*", field.name):
                raise TableError(f"{field.where}: {row.name}.{field.name} is there twice, or no name")
            names.add(field.name)
            self.check_type(row, field)
        for generation in row.generations():
            self.check_overlap(row, generation)

    def check_type(self, row, field):
        fixed = re.fullmatch(r"s?fix\d+", field.type)
        if field.type not in self.enums and not self.family.plain(field.type) and not fixed:
            raise TableError(f"{field.where}: no type '{field.type}'")
        if field.type == "float" and field.width() != 32:
            raise TableError(f"{field.where}: {row.name}.{field.name}: a float has 32 bits")
        if field.type == "pow2" and field.width() > 6:
            raise TableError(f"{field.where}: {row.name}.{field.name}: a power of two has up to 6 bits")
        self.used.add(field.type)
        limit = row.bit_limit() if row.kind == "reg" else None
        for low, width in field.bits.values():
            if width < 1 or width > 64 or (limit and low + width > limit):
                raise TableError(f"{field.where}: {row.name}.{field.name} does not fit")
            if field.type in self.enums and any(v >> width for _, v in self.enums[field.type].values):
                raise TableError(f"{field.where}: {row.name}.{field.name}: values of {field.type} do not fit {width} bits")
        if field.when:
            condition = next((f for f in row.fields if f.name == field.when[0]), None)
            if not condition:
                raise TableError(f"{field.where}: {row.name}.{field.name} depends on {field.when[0]}, which is not there")
            for text in field.when[1]:
                self.value(text, condition)
        if field.policy.kind == "only" and self.value(field.policy.value, field) >> field.width():
            raise TableError(f"{field.where}: {row.name}.{field.name}: the only value does not fit")

    def check_overlap(self, row, generation):
        fields = [f for f in row.fields if generation in f.bits]
        for i, a in enumerate(fields):
            for b in fields[:i]:
                (la, wa), (lb, wb) = a.bits[generation], b.bits[generation]
                apart = la + wa <= lb or lb + wb <= la
                excluded = a.when and b.when and a.when[0] == b.when[0] and not set(a.when[1]) & set(b.when[1])
                if not apart and not excluded:
                    raise TableError(f"{a.where}: {row.name}: {a.name} and {b.name} overlap on {generation}")
        if row.kind == "descriptor" and any(sum(f.bits[generation]) > 32 * row.dwords for f in fields):
            raise TableError(f"{row.where}: {row.name}: a field is after the end")
        kind = self.family.kinds.get(row.kind)
        if kind:
            (self.check_counted if kind.header else self.check_self_sized)(row, generation, fields, kind)

    def check_counted(self, row, generation, fields, kind):
        if any(f.bits[generation][0] < 32 for f in fields):
            raise TableError(f"{row.where}: {row.name}: dword 0 is the header")
        if self.family.tails[row.tail][0] == "repeat" and not 0 < row.repeat_dw < row.length_dw(generation):
            raise TableError(f"{row.where}: {row.name}: it has no {row.repeat_dw} dwords to repeat")

    def check_self_sized(self, row, generation, fields, kind):
        low, width = kind.opcode
        if any(f.bits[generation][0] < low + width and low < sum(f.bits[generation]) for f in fields) or row.cells[generation] >> width:
            raise TableError(f"{row.where}: {row.name}: bits {low + width - 1}:{low} are the operation's")
        if kind.is_word and (row.tail != "none" or any(f.when or sum(f.bits[generation]) > 64 for f in fields)):
            raise TableError(f"{row.where}: {row.name}: it is more than a word of 64 bits, or not always the same")
        if len({(f.when[0], tuple(f.when[1])) for f in fields if f.when}) > 1:
            raise TableError(f"{row.where}: {row.name}: one condition may make a packet longer, not several")
        if row.tail not in ("none", "counted", "counted-1"):
            raise TableError(f"{row.where}: {row.name}: nothing gives the length of its tail")
        if row.tail != "none" and not any(f.name == "COUNT" and not f.when for f in fields):
            raise TableError(f"{row.where}: {row.name}: the tail has no COUNT")

    def check_register(self, row):
        family = self.family
        if row.space is None or ("#" in row.name) != (row.count > 1):
            raise TableError(f"{row.where}: {row.name} needs a space, and a count if it is an array")
        if row.clear is not None and (row.space != family.clear_space or row.clear & ~row.mask(family.complete)):
            raise TableError(f"{row.where}: {row.name}: clear={row.clear:#x} does not fit its fields")
        if row.policy.kind == "stop-unless" and row.policy.value == "DEFAULT" and row.clear is None:
            raise TableError(f"{row.where}: {row.name} has no default")
        if row.is_wide and (row.policy.kind == "stop-unless" or any(f.policy.kind == "only" for f in row.fields)):
            raise TableError(f"{row.where}: {row.name}: halves of a wide register are written one by one, and no half has its value")
        low, high = family.spaces[row.space]
        for generation, offset in row.cells.items():
            if offset % (4 // family.unit_B) or not low <= offset <= offset + row.stride * (row.count - 1) < high:
                raise TableError(f"{row.where}: {row.name}: {offset:#x} is not in {row.space} space on {generation}")

    def places(self, row, generation):
        """(offset, element) of everything that a register covers."""
        step = 4 // self.family.unit_B
        for index in range(row.count):
            for half in range(2 if row.is_wide else 1):
                yield row.cells[generation] + index * row.stride + half * step, index

    def check_places(self):
        for generation in self.family.generations:
            registers, packets = {}, {}
            for row in self.rows:
                if generation not in row.cells:
                    continue
                kind = self.family.kinds.get(row.kind)
                if kind:
                    key = (row.kind, row.cells[generation], row.length_dw(generation) if kind.header else 0)
                    if key in packets:
                        raise TableError(f"{row.where}: {row.name} cannot be distinguished from {packets[key]}")
                    packets[key] = row.name
                for offset, _ in self.places(row, generation) if row.kind == "reg" else ():
                    if offset in registers:
                        raise TableError(f"{row.where}: {row.name} and {registers[offset]} are both at {offset:#x} on {generation}")
                    registers[offset] = row.name


def load(family, paths):
    """Reads the tables in order: reasons and enums first. The block of a register is in its file's name: regs_BLOCK.table."""
    tables = Tables(family)
    for path in paths:
        stem = re.sub(r"^.*/|\.table$", "", path)
        if stem == "reasons":
            tables.read_reasons(path)
        elif stem.startswith("enums"):
            tables.read_enums(path)
        else:
            tables.read_rows(path, stem.removeprefix("regs_"))
    tables.check()
    return tables
