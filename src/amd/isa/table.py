"""Reader of the instruction tables: the one place that knows their grammar. Not for: meanings (lane.py) or C (gen_isa.py).

A table is named after its encoding format, <format>.table. `#` starts a comment line. A row is one line

    name | gfx9 | gfx10_3 | gfx11 | operands | properties | meaning

and the indented lines after it continue its meaning. An opcode column holds a number, `0x34:v_add_u32` (a number and the name in
that generation), `-` (the generation lacks it) or `?` (not transcribed yet: absent). Operands are destinations, `=`, sources, each
`name:type`. What is wrong is reported as file:line with the reason, all of it at once.

    python3 table.py [DIRECTORY]        checks the tables and prints their sizes
"""
import os
import re
import sys

GENERATIONS = ("gfx9", "gfx10_3", "gfx11")
FORMATS = ("sop1", "sop2", "sopk", "sopc", "sopp", "smem", "vop1", "vop2", "vopc", "vop3", "vop3p", "vintrp", "ds", "mubuf",
           "mtbuf", "mimg", "flat", "exp")

# Bits of a value; 0 is what only the instruction's other fields can tell.
TYPES = {f"{letter}{bits}": bits for letter in "uib" for bits in (8, 16, 32, 64)}
TYPES.update({"f16": 16, "f32": 32, "f64": 64, "b96": 96, "b128": 128, "b256": 256, "b512": 512,
              "u16x2": 32, "i16x2": 32, "f16x2": 32})
TYPES.update({
    "mask": 0,     # one bit per lane: one SGPR in wave32, two in wave64
    "attr": 0,     # attribute number and channel
    "param": 0,    # which of the three values of an interpolated attribute
    "buffer": 0,   # VGPRs of a buffer address: none, index or offset, or both (idxen, offen)
    "image": 0,    # VGPRs of an image's data or address (dmask, dim, a16, ...)
    "imm": 0,      # a number in the place of a register
})
IMMEDIATES = ("u16", "i16", "x16", "hwreg", "label", "sendmsg", "waitcnt")  # how the 16-bit field is meant; x16 is written in hex
TYPES.update({name: 16 for name in IMMEDIATES})

# Every property a row may have, and what it says.
PROPERTIES = {
    # ALU: meaning and speed
    "commutative": "s0 and s1 may be exchanged",
    "trans": "runs on the transcendental unit, at a quarter of the rate",
    "quarter": "runs at a quarter of the rate",
    "f64": "runs at the rate of double precision",
    "wave": "its meaning is of the whole wave, not of a lane",
    "interp": "reads interpolation parameters from LDS",
    "mix": "op_sel_hi chooses between half and single precision for each source",
    "relative": "a register number is relative to m0",
    "tied": "the destination keeps bits that are not written",
    # ALU: what the longer encodings accept, beyond the default by type
    "mods": "abs and neg on sources that are not floats", "no_abs": "", "no_neg": "", "clamp": "", "no_clamp": "", "omod": "",
    "no_omod": "", "op_sel": "halves of sources and destination can be chosen", "no_e64": "no VOP3 form", "dpp": "", "no_dpp": "",
    "no_dpp8": "", "no_sdwa": "", "sdst": "the destination is an SGPR", "s0_scalar": "must not be a VGPR", "s1_scalar": "",
    "s2_scalar": "", "s0_vector": "must be a VGPR", "s2_vector": "",
    "s0_register": "must be a scalar register",
    # control
    "branch": "may change the pc", "wait": "waits for a counter", "end": "ends the wave", "barrier": "", "message": "", "nop": "",
    "clause": "", "default_zero": "an immediate of zero is not written out",
    # implicit state of rows without a lane expression
    "reads_m0": "", "reads_scc": "", "reads_vcc": "", "reads_exec": "", "writes_mode": "",
    # memory
    "load": "", "store": "", "atomic": "", "returns": "an atomic that needs glc", "cache_inv": "", "probe": "", "time": "reads a clock", "export": "",
    "format": "converts by a buffer format", "packed16": "data are pairs of 16-bit values", "lds": "can load into LDS",
    "no_offset": "the offset field must be zero", "no_cache_bits": "glc and dlc must be zero",
    "offset2": "two 8-bit offsets", "gds_only": "", "no_gds": "", "gws": "global wave sync", "cross_lane": "moves data between lanes",
    "swizzle": "the offset is a pattern of lanes",
    "flat": "segment 0", "scratch": "segment 1", "global": "segment 2",
    # images: the words of an address in their order, and what else matters for sizes
    "offset_arg": "", "bias": "", "compare": "", "grad": "", "grad16": "", "coords": "", "clamp_arg": "", "lod": "",
    "sample": "needs a sampler", "gather4": "returns four texels", "cmpswap": "", "msaa": "returns a fragment's samples", "raw": "",
    "d16": "accepts d16", "bvh": "", "bvh64": "",
}

# An address word of an image instruction must stand in this order.
IMAGE_ADDRESS = ("offset_arg", "bias", "compare", "grad", "grad16", "coords", "clamp_arg", "lod")
SEGMENTS = {"flat": 0, "scratch": 1, "global": 2}


class Operand:
    def __init__(self, name, type_name, is_dst):
        self.name, self.type, self.is_dst = name, type_name, is_dst
        self.bits = TYPES.get(type_name, 0)

    @property
    def is_float(self):
        return self.type in ("f16", "f32", "f64")

    def __repr__(self):
        return f"{self.name}:{self.type}"


class Row:
    def __init__(self, file, line, fmt):
        self.file, self.line, self.format = file, line, fmt
        self.name, self.opcodes, self.names = "", {}, {}
        self.operands, self.properties, self.meaning = [], [], ""

    def has(self, word):
        return word in self.properties

    def operand(self, name):
        return next((o for o in self.operands if o.name == name), None)

    @property
    def segment(self):
        return next((SEGMENTS[p] for p in self.properties if p in SEGMENTS), 0)


class Errors:
    def __init__(self):
        self.list = []

    def add(self, row, text):
        self.list.append(f"{row.file}:{row.line}: {text}")


def read_opcode(row, generation, text, errors):
    if text in ("-", "?"):
        return
    number, _, name = text.partition(":")
    try:
        row.opcodes[generation] = int(number, 0)
    except ValueError:
        errors.add(row, f"'{text}' is no opcode")
        return
    row.names[generation] = name or row.name
    if not re.fullmatch(r"[a-z][a-z0-9_]*", row.names[generation]):
        errors.add(row, f"'{name}' is no instruction name")


def read_operands(row, text, errors):
    if text.count("=") != 1:
        errors.add(row, "operands need exactly one '='")
        return
    for side, is_dst in zip(text.split("="), (True, False)):
        for word in side.split():
            name, _, type_name = word.partition(":")
            if type_name not in TYPES:
                errors.add(row, f"operand '{word}' has no known type")
            if row.operand(name):
                errors.add(row, f"operand '{name}' stands twice")
            row.operands.append(Operand(name, type_name, is_dst))


def check_row(row, errors):
    for word in row.properties:
        if word not in PROPERTIES:
            errors.add(row, f"unknown property '{word}'")
    if len(set(row.properties)) != len(row.properties):
        errors.add(row, "a property stands twice")
    if len(row.operands) > 5:
        errors.add(row, "more than five operands")
    if row.format == "flat" and sum(p in SEGMENTS for p in row.properties) != 1:
        errors.add(row, "needs one segment of flat, scratch, global")
    order = [IMAGE_ADDRESS.index(p) for p in row.properties if p in IMAGE_ADDRESS]
    if order != sorted(order):
        errors.add(row, "address words are out of order")
    if not row.opcodes:
        errors.add(row, "exists in no generation")


def read_file(path, errors):
    fmt = os.path.basename(path).removesuffix(".table")
    rows = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip()
            if not line or line.startswith("#"):
                continue
            if line[0].isspace():
                if not rows:
                    errors.list.append(f"{path}:{number}: continues no row")
                else:
                    rows[-1].meaning += "\n" + line.strip()
                continue
            columns = [c.strip() for c in line.split("|", 6)]
            row = Row(path, number, fmt)
            if len(columns) != 7:
                errors.add(row, f"{len(columns)} columns instead of 7")
                continue
            row.name = columns[0]
            if not re.fullmatch(r"[a-z][a-z0-9_]*", row.name):
                errors.add(row, f"'{row.name}' is no instruction name")
            for generation, text in zip(GENERATIONS, columns[1:4]):
                read_opcode(row, generation, text, errors)
            read_operands(row, columns[4], errors)
            row.properties = columns[5].split()
            row.meaning = columns[6]
            check_row(row, errors)
            rows.append(row)
    return rows


def check_overlaps(rows, errors):
    numbers, names = {}, {}
    for row in rows:
        if row.name in names:
            errors.add(row, f"{row.name} stands already at {names[row.name].file}:{names[row.name].line}")
        names[row.name] = row
        for generation, opcode in row.opcodes.items():
            key = (generation, row.format, row.segment, opcode)
            if key in numbers:
                errors.add(row, f"{row.name}: opcode {opcode:#x} of {generation} belongs to {numbers[key].name}")
            numbers[key] = row


def read(directory):
    """All rows of all formats, in the order of FORMATS and of the files. Prints what is wrong and exits 1 where anything is."""
    errors, rows = Errors(), []
    for fmt in FORMATS:
        path = os.path.join(directory, fmt + ".table")
        if not os.path.exists(path):
            errors.list.append(f"{path}:1: missing")
            continue
        rows += read_file(path, errors)
    check_overlaps(rows, errors)
    if errors.list:
        print("\n".join(errors.list), file=sys.stderr)
        sys.exit(1)
    return rows


def main():
    directory = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    rows = read(directory)
    for fmt in FORMATS:
        mine = [r for r in rows if r.format == fmt]
        print(f"{fmt:7}", *(f"{g}: {sum(g in r.opcodes for r in mine):4}" for g in GENERATIONS))
    print(f"{len(rows)} rows")


if __name__ == "__main__":
    main()
