"""Generates from the tables: isa_ops.h (the enums), isa_tables.c (properties and everything that decoder and encoder look up) and
isa_layouts.h (fields of each layout in and out of struct isa_inst). What an encoding accepts follows here from a row's operands
and properties; the layouts themselves are in encodings.table.

    python3 gen_isa.py OUTPUT_DIRECTORY
"""
import os
import sys

import layouts
import table
from table import GENERATIONS

HERE = os.path.dirname(os.path.abspath(__file__))
VARIANTS = ("base", "e64", "dpp16", "dpp8", "sdwa")
DWORD = 32

ALU_FIELDS = ("abs neg neg_hi op_sel op_sel_hi sext clamp omod high row_mask bank_mask bound_ctrl fi dst_sel dst_unused src0_sel "
              "src1_sel dpp_ctrl dpp8").split()
MEM_FIELDS = ("offset format dmask dim nsa glc slc dlc lds offen idxen tfe lwe r128 a16 d16 unorm gds imm soffset_en").split()
EXP_FIELDS = "target en done compr vm".split()
MEMBERS = {**{f: "alu." + f for f in ALU_FIELDS}, **{f: "mem." + f for f in MEM_FIELDS}, **{f: "exp." + f for f in EXP_FIELDS}}
MEMBERS["dpp8_fi"] = "alu.fi"
BIASED = {"dpp8_fi": 1}  # fields that hold the member plus one

# Words that only say what an encoding accepts; C has no use for them.
ENCODING_WORDS = {"mods", "no_abs", "no_neg", "clamp", "no_clamp", "omod", "no_omod", "no_e64", "dpp", "no_dpp", "no_dpp8",
                  "no_sdwa", "no_offset", "no_cache_bits", "reads_m0", "reads_scc", "reads_vcc", "reads_exec", "writes_mode", "d16",
                  "no_gds", "lds", "s0_scalar", "s1_scalar", "s2_scalar", "s0_vector", "trans", "quarter", "f64"}
STATES = ["scc", "vcc", "exec", "m0", "mode", "pc"]
ATOMICS = ("add sub csub rsub inc dec min_i min_u max_i max_u and or xor swap cmpswap min_f max_f add_f cmpswap_f mskor condxchg32 wrap "
           "append consume").split()
SOURCES = {"s0": 0, "s1": 1, "s2": 2}


def dwords(operand):
    return (operand.bits + DWORD - 1) // DWORD if operand.type != "mask" else 0


class Slot:
    def __init__(self, field, klass, count):
        self.field, self.klass, self.count = field, klass, count


# ---- which field holds an operand, and how ----

def slot_scalar(row, operand, layout):
    if operand.name == "d" or operand.name == "s0" and row.format == "sopk":
        return Slot("sdst", "SDST", dwords(operand))
    if operand.name in ("s0", "s1"):
        return Slot("ssrc" + operand.name[1], "SSRC", dwords(operand))
    if operand.name == "imm":
        return Slot("simm16", "IMM", 1)
    if operand.name == "imm32":
        return Slot(None, "LITERAL", 1)
    return None


def source_class(row, name):
    if row.has(name + "_vector"):
        return "SRC_VGPR_LDS" if row.name == "v_readfirstlane_b32" else "SRC_VGPR"
    if row.has(name + "_scalar"):
        return "SRC_SCALAR_LITERAL" if name == "s0" else "SRC_SCALAR"
    return "SRC"


def slot_vector(row, operand, layout):
    long_form, sdwa = layout.name.startswith("vop3"), layout.name.endswith("_sdwa")
    interp = layout.name == "vop3_interp"
    name, mask = operand.name, operand.type == "mask"
    if name == "k":
        return Slot(None, "LITERAL", 1)
    if mask and not long_form:
        return Slot("sdst", "SDWA_SDST", 0) if sdwa and row.format == "vopc" else Slot(None, "VCC", 0)
    if name == "d":
        return Slot("vdst", "SDST" if mask or row.has("sdst") else "VGPR", dwords(operand))
    if name == "sd":
        return Slot("sdst", "SDST", dwords(operand))
    if name == "attr":
        return Slot("attr", "ATTR", 1)
    if row.format == "vintrp" and not long_form:
        return Slot("vsrc", "PARAM" if name == "p" else "VGPR", 1)
    if name == "p" or interp and name == "s0":
        return Slot("src1", "PARAM" if name == "p" else "SRC", 1)
    if name not in SOURCES:
        return None
    if sdwa:
        return Slot("src0" if name == "s0" else "vsrc1", "SDWA_SRC", dwords(operand))
    if "_dpp" in layout.name:
        return Slot("src0" if name == "s0" else "vsrc1", "VGPR", dwords(operand))
    if name == "s1" and not long_form:
        return Slot("vsrc1", "VGPR", dwords(operand))
    return Slot("src" + name[1], source_class(row, name), dwords(operand))


def slot_memory(row, operand, layout):
    name, count = operand.name, dwords(operand)
    if row.format == "exp":
        return Slot(name, "EXPORT", 1)
    if name == "sdata":
        return Slot(name, "IMM" if operand.type == "imm" else "SDST", count)
    if name == "sbase":
        return Slot(name, "SBASE", count)
    if name in ("srsrc", "ssamp"):
        return Slot(name, "SRSRC", count)
    if name == "soffset":
        return Slot(name, "SOFFSET" if row.format == "smem" else "SSRC", 1)
    if name == "saddr":
        return Slot(name, "SADDR", count)
    if operand.type == "buffer":
        return Slot(name, "VADDR_BUFFER", 0)
    if operand.type == "image":
        return Slot(name, "VADDR_IMAGE" if name == "vaddr" else "VDATA_IMAGE", 0)
    if row.format == "flat" and name == "vaddr":
        return Slot(name, "VADDR_FLAT", count)
    if row.format == "flat" and name == "vdst" and row.has("atomic"):
        return Slot(name, "VDST_ATOMIC", count)
    return Slot(name, "VGPR", count)


def slots_of(row, layout):
    if row.format.startswith("so"):
        find = slot_scalar
    elif row.format.startswith("v"):
        find = slot_vector
    else:
        find = slot_memory
    result = []
    for operand in row.operands:
        slot = find(row, operand, layout)
        if slot is None or slot.field and slot.field not in layout.fields:
            sys.exit(f"{row.file}:{row.line}: operand {operand} has no place in {layout.name} of {layout.generation}")
        result.append(slot)
    return result


# ---- which bits of the modifiers an instruction accepts ----

def source_bits(row, accept):
    return sum(1 << SOURCES[o.name] for o in row.operands if o.name in SOURCES and o.type != "mask" and accept(o))


def takes_float_mods(row, operand, layout):
    return operand.is_float or row.has("interp") or row.has("mods") and not layout.name.endswith("_sdwa")


def accepted_alu(row, field, layout):
    """Bits of an ALU modifier field that the row may set."""
    every = source_bits(row, lambda o: True)
    d = row.operand("d")
    packed = layout.name == "vop3p"
    if field == "op_sel_hi":
        return every
    if packed and field in ("neg", "neg_hi"):
        # Integers have no sign to change; the assembler lets it pass for the first of them.
        return 1 if d.type in ("u16x2", "i16x2") else every
    if field in ("abs", "neg"):
        return 0 if row.has("no_" + field) else source_bits(row, lambda o: takes_float_mods(row, o, layout))
    if field == "sext":
        return source_bits(row, lambda o: not takes_float_mods(row, o, layout))
    if field == "op_sel":
        return every if packed else every | 8 if row.has("op_sel") else 3 if row.name.startswith("v_permlane") else 0
    if field == "clamp":
        if packed or layout.name.endswith("_sdwa"):
            return int(d is not None)
        by_type = d is not None and d.is_float or row.format == "vopc" and all(o.is_float for o in row.operands if not o.is_dst)
        return int(row.has("clamp") or by_type and not row.has("no_clamp"))
    if field == "omod":
        extra = row.has("omod") and not layout.name.endswith("_sdwa")
        return 3 if extra or d is not None and d.is_float and not row.has("no_omod") else 0
    if field == "high":
        return 1 if row.has("interp") else 0
    if field in ("dst_sel", "dst_unused"):
        return ~0 if d is not None else 0
    if field in ("src0_sel", "src1_sel"):
        return ~0 if row.operand("s" + field[3]) else 0
    return ~0


def accepted_memory(row, field, layout):
    if field == "offset":
        if row.has("no_offset") or row.has("cache_inv"):
            return 0
        # In FLAT and in buffers the offset must not be negative.
        unsigned = row.has("flat") or row.format == "smem" and row.operand("sbase").bits == 128
        return ~(1 << (layout.width(field) - 1)) if unsigned else ~0
    if row.has("cache_inv"):
        return 0
    if field in ("glc", "dlc") and row.has("no_cache_bits"):
        return 0
    if field in ("lds", "d16"):
        return ~0 if row.has(field) else 0
    if field == "gds":
        return 0 if row.has("no_gds") or row.has("gds_only") else 1
    if row.format == "mubuf" and row.has("atomic") and field in ("tfe", "dlc"):
        return 0
    if row.has("bvh") or row.has("bvh64"):
        return ~0 if field in ("nsa", "a16") else 0
    return ~0


def fixed_modifiers(row, layout):
    """Fields that the row itself decides: their values."""
    result = {}
    if row.has("gds_only"):
        result["gds"] = 1
    if row.has("returns"):
        result["glc"] = 1
    if row.has("bvh") or row.has("bvh64"):
        result.update({"dmask": 15, "unorm": 1, "r128": 1})
    if row.format == "flat" and not row.operand("saddr"):
        result["saddr"] = {"gfx9": 0, "gfx10_3": 0x7D, "gfx11": 0x7C}[layout.generation]
    return result


def put(layout, field, value):
    result = 0
    for piece in layout.fields[field]:
        result |= (value >> piece.at & ((1 << piece.width) - 1)) << piece.low
    return result


class Entry:
    def __init__(self, row, variant, layout, opcode):
        self.row, self.variant, self.layout = row, variant, layout
        self.slots = slots_of(row, layout)
        whole = (1 << (DWORD * layout.size_dw)) - 1
        fixed = fixed_modifiers(row, layout)
        free = 0
        self.value = layout.fixed_value | put(layout, "op", opcode) if "op" in layout.fields else layout.fixed_value
        held = {s.field for s in self.slots}
        for field in layout.fields:
            if field in held:
                free |= layout.field_mask(field)
            elif field in fixed:
                self.value |= put(layout, field, fixed[field])
            elif field in MEMBERS:
                accept = accepted_alu if row.format.startswith("v") else accepted_memory
                free |= layout.field_mask(field, accept(row, field, layout))
        # LLVM, and the compilers that follow it, leave some fields without meaning at other values than zero.
        if layout.name == "vop3p":
            unused = 7 & ~source_bits(row, lambda o: True)
            free |= layout.field_mask("op_sel_hi", unused)
            self.value |= put(layout, "op_sel_hi", unused)
        if row.name.startswith("v_cmpx"):
            free |= layout.field_mask("vdst") | layout.field_mask("sdst", 0x7F)
        if row.has("cache_inv") or row.has("time"):
            free |= whole & ~layout.fixed_mask & ~layout.field_mask("op")
        self.mask = whole & ~free


def layouts_of(row, generation, enc):
    """(variant, layout, opcode) of every encoding of a row in a generation."""
    opcode = row.opcodes[generation]
    get = lambda name: enc.layouts.get((name, generation))
    wide = any(o.bits == 64 for o in row.operands)
    if row.format == "vop3":
        yield "base", get("vop3_interp" if row.has("interp") else "vop3b" if row.operand("sd") else "vop3"), opcode
        return
    if row.format == "flat":
        opcode |= row.segment << 7
    yield "base", get(row.format), opcode
    if row.format not in ("vop1", "vop2", "vopc", "vintrp"):
        return
    raised = enc.promote.get((row.format, generation))
    if raised is not None and not row.has("no_e64"):
        name = "vop3_interp" if row.format == "vintrp" else "vop3b" if row.operand("sd") else "vop3"
        if get(name):
            yield "e64", get(name), opcode + raised
    if row.format != "vintrp" and not row.has("no_sdwa") and not wide and get(row.format + "_sdwa"):
        yield "sdwa", get(row.format + "_sdwa"), opcode
    if row.format in ("vop1", "vop2") and not row.has("no_dpp"):
        if get(row.format + "_dpp16") and (not wide or row.has("dpp")):
            yield "dpp16", get(row.format + "_dpp16"), opcode
        if not row.has("no_dpp8") and get(row.format + "_dpp8"):
            yield "dpp8", get(row.format + "_dpp8"), opcode


# ---- properties ----

def memory_of(row):
    for word in ("load", "store", "atomic"):
        if row.has(word):
            return word.upper()
    return "OTHER" if row.format in ("smem", "ds", "mubuf", "exp") or row.has("message") else "NONE"


def counters_of(row):
    vmem = row.format in ("mubuf", "mtbuf", "mimg", "flat")
    if row.format in ("smem", "ds") and not row.has("nop") and not row.has("gws") and not row.has("probe"):
        return ["LGKM"]
    if row.has("gws"):
        return ["LGKM", "EXP"]
    if row.has("message"):
        return ["LGKM"]
    if row.has("export"):
        return ["EXP"]
    if vmem:
        result = ["VS"] if row.has("store") else ["VM"]
        return result + (["LGKM"] if row.has("flat") else [])
    return []


def latency_of(row):
    for word in ("trans", "f64", "quarter"):
        if row.has(word):
            return word.upper()
    if row.has("branch") or row.has("end"):
        return "BRANCH"
    if row.has("message"):
        return "MESSAGE"
    if row.has("export"):
        return "EXPORT"
    first = {"smem": "SMEM", "ds": "LDS", "mubuf": "VMEM", "mtbuf": "VMEM", "mimg": "VMEM", "flat": "VMEM"}
    return first.get(row.format, "SALU" if row.format.startswith("so") else "VALU")


def hazards_of(row, arguments):
    """The parts that an instruction may play in the hazards of GFX10.3 (isa.h)."""
    result = []
    if row.format in ("mubuf", "flat", "mimg") and any(a in ("min_f", "max_f", "cmpswap_f") for a in arguments):
        result.append("FP_ATOMIC")
    if row.format.startswith("v") or row.has("wait"):
        result.append("FP_ATOMIC_END")
    if row.name == "s_denorm_mode":
        result.append("DENORM_MODE")
    if row.format in ("sop1", "sop2", "sopk") and any(o.is_dst for o in row.operands):
        result.append("EXEC_WRITE")
    if row.format == "mimg":
        result.append("LONG_NSA")
    return result


class Meaning:
    """What the lane expression of a row tells: operands and state that are read and written. Empty where it is not written yet."""

    def __init__(self, row, lane):
        self.reads = {p[6:] for p in row.properties if p.startswith("reads_")}
        self.writes = {p[7:] for p in row.properties if p.startswith("writes_")}
        self.reads_operands, self.writes_operands = set(), set()
        self.helper, self.arguments = None, []
        words = row.meaning.split()
        if words and words[0] == "helper":
            self.helper, *self.arguments = words[1:]
        elif lane is not None and row.meaning not in ("", "?"):
            parsed = lane.parse(row)
            self.reads |= set(lane.implicit_reads(parsed))
            self.writes |= set(lane.implicit_writes(parsed))
            self.reads_operands = set(lane.reads_operands(parsed))
            self.writes_operands = set(lane.writes_operands(parsed))
        self.reads.discard("lane")  # a lane's number is no state
        # Vector instructions work for the lanes that exec names; those of the whole wave say themselves what they read.
        if row.format[0] in "vdmfe" and not row.has("wave") and row.operands:
            self.reads.add("exec")
        if row.format == "vintrp" or row.has("interp"):
            self.reads.add("m0")
        if row.has("branch"):
            self.writes.add("pc")


# ---- C ----

class Out:
    def __init__(self, path):
        self.path, self.lines = path, ["/* Generated by gen_isa.py from the tables of src/amd/isa. */"]

    def __call__(self, *lines):
        self.lines += lines

    def close(self):
        text = "\n".join(self.lines) + "\n"
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)


def enum(out, name, prefix, words, count=True):
    out(f"enum {name} {{", *(f"    {prefix}_{w.upper()}," for w in words))
    if count:
        out(f"    {prefix}_COUNT,")
    out("};", "")


def property_words():
    return [w for w in table.PROPERTIES if w not in ENCODING_WORDS]


def write_header(out, model):
    out("#ifndef AMD_ISA_ISA_OPS_H", "#define AMD_ISA_ISA_OPS_H", "")
    enum(out, "isa_gfx", "ISA_GFX", [g[3:] for g in GENERATIONS])
    # The words of the public interface: ISA_GFX9, not ISA_GFX_9.
    out(*(f"#define ISA_{g.upper()} ISA_GFX_{g[3:].upper()}" for g in GENERATIONS), "")
    enum(out, "isa_format", "ISA_FORMAT", table.FORMATS)
    enum(out, "isa_op", "ISA_OP", [r.name for r in model.rows])
    enum(out, "isa_type", "ISA_TYPE", ["none"] + list(dict.fromkeys(table.TYPES)))
    enum(out, "isa_operand_name", "ISA_NAME", model.operand_names)
    enum(out, "isa_special", "ISA_SPECIAL", [n for n, _, _ in model.enc.registers])
    enum(out, "isa_helper", "ISA_HELPER", ["none"] + model.helpers)
    enum(out, "isa_atomic", "ISA_ATOMIC", ["none"] + ATOMICS)
    for i, word in enumerate(property_words()):
        out(f"#define ISA_PROP_{word.upper()} (1ull << {i})")
    out("")
    for i, word in enumerate(model.states):
        out(f"#define ISA_STATE_{word.upper()} (1u << {i})")
    out("", "/* Names of numbers, NULL where one has none (names.table). */")
    out(*(f"extern const char *const isa_{kind}_names[{size}];" for kind, size in NAME_KINDS.items()))
    out("", "#endif")


def write_layouts(out, model):
    out("#ifndef AMD_ISA_ISA_LAYOUTS_H", "#define AMD_ISA_ISA_LAYOUTS_H", "", '#include "amd/isa/isa.h"', "")
    enum(out, "isa_layout_id", "ISA_LAYOUT", ["none"] + [f"{l.name}_{l.generation}" for l in model.layouts])
    out("/* Modifiers out of the words of an instruction; out is zeroed before. */",
        "static inline void isa_unpack(unsigned layout, uint64_t w, struct isa_inst *out)", "{", "    switch (layout) {")
    for layout in model.layouts:
        lines = []
        for field, pieces in layout.fields.items():
            if field not in MEMBERS:
                continue
            parts = []
            for p in pieces:
                part = f"(w >> {p.low} & {(1 << p.width) - 1:#x})"
                parts.append(f"{part} << {p.at}" if p.at else part)
            value = " | ".join(parts)
            if field in layout.signed:
                width = layout.width(field)
                value = f"(int32_t)((uint32_t)({value}) << {32 - width}) >> {32 - width}"
            if field in BIASED:
                value = f"({value}) - {BIASED[field]}"
            lines.append(f"        out->{MEMBERS[field]} = {value};")
        out(f"    case ISA_LAYOUT_{layout.name.upper()}_{layout.generation.upper()}:", *lines, "        break;")
    out("    }", "}", "",
        "/* The opposite; returns the name of the first field that does not fit, or NULL. */",
        "static inline const char *isa_pack(unsigned layout, const struct isa_inst *in, uint64_t *w_out)", "{",
        "    uint64_t w = 0;", "    switch (layout) {")
    for layout in model.layouts:
        out(f"    case ISA_LAYOUT_{layout.name.upper()}_{layout.generation.upper()}:")
        for field, pieces in layout.fields.items():
            if field not in MEMBERS:
                continue
            width, member = layout.width(field), "in->" + MEMBERS[field]
            bias = BIASED.get(field, 0)
            if field in layout.signed:
                out(f"        if ({member} < -{1 << (width - 1):#x} || {member} >= {1 << (width - 1):#x})")
            else:
                out(f"        if ((uint64_t){member} + {bias} > {(1 << width) - 1:#x})")
            out(f'            return "{field}";')
            value = f"(uint64_t){member}" if not bias else f"((uint64_t){member} + {bias})"
            for p in pieces:
                part = f"{value} >> {p.at}" if p.at else value
                out(f"        w |= ({part} & {(1 << p.width) - 1:#x}) << {p.low};")
        out("        break;")
    out("    }", "    *w_out = w;", "    return NULL;", "}", "", "#endif")


def slot_text(layout, slot):
    pieces = sorted(layout.fields.get(slot.field, []), key=lambda p: p.at) if slot.field else []
    low = pieces[0] if pieces else layouts.Piece(0, 0, 0)
    top = pieces[1] if len(pieces) > 1 else layouts.Piece(0, 0, 0)
    return f"{{{low.low}, {low.width}, {top.low}, {top.width}, ISA_SLOT_{slot.klass}, {slot.count}}}"


def write_infos(out, model):
    out("const struct isa_op_info isa_op_infos[ISA_OP_COUNT] = {")
    bits = lambda prefix, words: " | ".join(f"{prefix}_{w.upper()}" for w in words) or "0"
    for row in model.rows:
        m = model.meanings[row.name]
        arguments = m.arguments
        atomic = next((a for a in arguments if a in ATOMICS), "none") if row.has("atomic") or m.helper == "ds_append" else "none"
        element = next((a for a in arguments if a in table.TYPES), "none")
        half = 1 if "lo" in arguments else 2 if "hi" in arguments else 0
        variants = [sum(1 << VARIANTS.index(e.variant) for e in model.entries if e.row is row and e.layout.generation == g)
                    for g in GENERATIONS]
        operands = []
        for o in row.operands:
            read = o.is_dst and (o.name in m.reads_operands or row.has("tied"))
            written = not o.is_dst and o.name in m.writes_operands
            operands.append(f"{{ISA_NAME_{o.name.upper()}, ISA_TYPE_{o.type.upper()}, {dwords(o)}, {int(o.is_dst)}, {int(read)}, "
                            f"{int(written)}}}")
        out(f"    [ISA_OP_{row.name.upper()}] = {{",
            f"        .properties = {bits('ISA_PROP', [p for p in row.properties if p not in ENCODING_WORDS])},",
            f"        .reads = {bits('ISA_STATE', sorted(m.reads))}, .writes = {bits('ISA_STATE', sorted(m.writes))},",
            f"        .hazards = {bits('ISA_HAZARD', hazards_of(row, arguments))},",
            f"        .format = ISA_FORMAT_{row.format.upper()}, .operand_count = {len(row.operands)},"
            f" .dst_count = {sum(o.is_dst for o in row.operands)},",
            f"        .memory = ISA_MEMORY_{memory_of(row)}, .counters = {bits('ISA_COUNTER', counters_of(row))},"
            f" .latency = ISA_LATENCY_{latency_of(row)},",
            f"        .helper = ISA_HELPER_{(m.helper or 'none').upper()}, .element = ISA_TYPE_{element.upper()},"
            f" .atomic = ISA_ATOMIC_{atomic.upper()}, .half = {half},",
            f"        .variants = {{{', '.join(hex(v) for v in variants)}}},",
            f"        .operands = {{{', '.join(operands)}}},", "    },")
    out("};", "")


def op_pieces(layout):
    pieces = sorted(layout.fields.get("op", []), key=lambda p: p.at)
    result = []
    for i in range(2):
        p = pieces[i] if i < len(pieces) else layouts.Piece(0, 0, 0)
        result += [p.low, p.width]
    return result


def group_name(layout):
    """Layouts that share prefix and opcodes share a map."""
    return "vop3" if layout.name in ("vop3b", "vop3_interp") else layout.name


def build_maps(model):
    maps, starts = [], {}
    for layout in model.layouts:
        key = (group_name(layout), layout.generation)
        if key not in starts:
            starts[key] = len(maps)
            maps += [0] * (1 << (layout.width("op") if "op" in layout.fields else 0))
    for number, entry in enumerate(model.entries, 1):
        start = starts[group_name(entry.layout), entry.layout.generation]
        index = start + (entry.opcode)
        if maps[index]:
            sys.exit(f"{entry.row.file}:{entry.row.line}: {entry.row.name} has the same number in {entry.layout.name} as "
                     f"{model.entries[maps[index] - 1].row.name}")
        maps[index] = number
    return maps, starts


def write_lookup(out, model):
    maps, starts = build_maps(model)
    ids = {(l.name, l.generation): i for i, l in enumerate(model.layouts, 1)}
    out("const struct isa_layout isa_layouts[] = {", "    {0},")
    for l in model.layouts:
        fmt = l.name.split("_")[0] if l.name != "vop3b" else "vop3"
        special = [ids.get((f"{l.name}_{k}", l.generation), 0) for k in ("sdwa", "dpp16", "dpp8")]
        pieces = ", ".join(str(n) for n in op_pieces(l))
        out(f"    {{{l.size_dw}, ISA_FORMAT_{fmt.upper()}, {pieces}, {', '.join(map(str, special))}, "
            f"{starts[group_name(l), l.generation]}}}, /* {l.name} {l.generation} */")
    out("};", "")
    slots, texts = {}, []
    for e in model.entries:
        key = tuple(slot_text(e.layout, s) for s in e.slots)
        if key not in slots:
            slots[key] = len(texts)
            texts += key
        e.slot_start = slots[key]
    out("const struct isa_slot isa_slots[] = {", *(f"    {t}," for t in texts), "};", "")
    out("const struct isa_entry isa_entries[] = {", "    {0},")
    for e in model.entries:
        out(f"    {{{e.mask:#018x}ull, {e.value:#018x}ull, ISA_OP_{e.row.name.upper()}, {e.slot_start}, "
            f"{ids[e.layout.name, e.layout.generation]}, ISA_VARIANT_{e.variant.upper()}, {len(e.slots)}, "
            f"ISA_FORMAT_{e.row.format.upper()}}},")
    out("};", "")
    out("const uint16_t isa_opcode_map[] = {")
    for i in range(0, len(maps), 16):
        out("    " + ", ".join(map(str, maps[i:i + 16])) + ",")
    out("};", "")
    out("const struct isa_field_name isa_field_names[] = {")
    for l in model.layouts:
        for field in l.fields:
            out(f'    {{{ids[l.name, l.generation]}, "{field}", {l.field_mask(field):#018x}ull}},')
    out("};", "const unsigned isa_field_name_count = sizeof(isa_field_names) / sizeof(isa_field_names[0]);", "")
    return ids


def prefix_table(model, generation, ids):
    """Which layout bits 31:23 choose; more fixed bits win over fewer."""
    result, strength = [0] * 512, [-1] * 512
    for l in model.layouts:
        if l.generation != generation or l.name != group_name(l) or "_" in l.name:
            continue
        mask, value = l.fixed_mask >> 23 & 511, l.fixed_value >> 23 & 511
        for i in range(512):
            if i & mask == value and bin(mask).count("1") > strength[i]:
                result[i], strength[i] = ids[l.name, generation], bin(mask).count("1")
    return result


def register_table(model, generation):
    enc = model.enc
    result = ["{ISA_OPERAND_NONE, 0}"] * 256
    for i in range(enc.limits["sgprs", generation]):
        result[i] = f"{{ISA_OPERAND_SGPR, {i}}}"
    first = enc.limits["ttmp", generation]
    for i in range(16):
        result[first + i] = f"{{ISA_OPERAND_TTMP, {i}}}"
    for i in range(65):
        result[128 + i] = f"{{ISA_OPERAND_INT, {i}}}"
    for i in range(1, 17):
        result[192 + i] = f"{{ISA_OPERAND_INT, -{i}}}"
    for i in range(9):
        result[240 + i] = f"{{ISA_OPERAND_FLOAT, {i}}}"
    for name, numbers, _ in enc.registers:
        if generation in numbers:
            result[numbers[generation]] = f"{{ISA_OPERAND_SPECIAL, ISA_SPECIAL_{name.upper()}}}"
    result[255] = "{ISA_OPERAND_LITERAL, 0}"
    return result


def write_generation(out, model, generation, ids):
    number = {(e.row.name, e.variant): i for i, e in enumerate(model.entries, 1) if e.layout.generation == generation}
    prefixes = prefix_table(model, generation, ids)
    out(f"static const uint8_t prefixes_{generation}[512] = {{")
    for i in range(0, 512, 32):
        out("    " + ", ".join(map(str, prefixes[i:i + 32])) + ",")
    out("};", f"static const struct isa_register registers_{generation}[256] = {{")
    out(*(f"    {text}," for text in register_table(model, generation)), "};")
    specials = [str(numbers.get(generation, 255)) for _, numbers, _ in model.enc.registers]
    out(f"static const uint8_t specials_{generation}[] = {{{', '.join(specials)}}};")
    out(f"static const uint16_t encode_{generation}[ISA_OP_COUNT][ISA_VARIANT_COUNT] = {{")
    for row in model.rows:
        numbers = [str(number.get((row.name, v), 0)) for v in VARIANTS]
        if any(n != "0" for n in numbers):
            out(f"    [ISA_OP_{row.name.upper()}] = {{{', '.join(numbers)}}},")
    out("};", f"static const char *const names_{generation}[ISA_OP_COUNT] = {{")
    out(*(f'    [ISA_OP_{row.name.upper()}] = "{row.names[generation]}",' for row in model.rows if generation in row.opcodes))
    out("};", f"static const uint8_t name_lengths_{generation}[ISA_OP_COUNT] = {{")
    out(*(f"    [ISA_OP_{row.name.upper()}] = {len(row.names[generation])}," for row in model.rows if generation in row.opcodes))
    by_name = sorted((row.names[generation], row.name) for row in model.rows if generation in row.opcodes)
    out("};", f"static const uint16_t by_name_{generation}[] = {{", *(f"    ISA_OP_{op.upper()}," for _, op in by_name), "};", "")


def write_tables(out, model):
    out('#include "amd/isa/isa_tables.h"', "")
    write_infos(out, model)
    write_names(out, model)
    ids = write_lookup(out, model)
    for generation in GENERATIONS:
        write_generation(out, model, generation, ids)
    out("const struct isa_generation isa_generations[ISA_GFX_COUNT] = {")
    for g in GENERATIONS:
        out(f"    {{prefixes_{g}, registers_{g}, specials_{g}, encode_{g}, names_{g}, name_lengths_{g}, by_name_{g}, "
            f"sizeof(by_name_{g}) / sizeof(by_name_{g}[0]), {model.enc.limits['sgprs', g]}, {model.enc.limits['ttmp', g]}}},")
    out("};", "", "const char *const isa_special_names[] = {", *(f'    "{n}",' for n, _, _ in model.enc.registers), "};", "")
    pair = lambda name, p: f'"{name}"' if p == "same" else "NULL" if p == "-" else f'"{p}"'
    out("const char *const isa_special_pair_names[] = {", *(f"    {pair(n, p)}," for n, _, p in model.enc.registers), "};")


NAME_KINDS = {"hwreg": 64, "message": 16, "gs_op": 8, "sysmsg_op": 8, "format": 128, "dim": 8, "target": 64, "sdwa_sel": 8,
              "dst_unused": 4, "param": 4}


def read_names(path):
    result = {kind: {} for kind in NAME_KINDS}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if len(words) != 3 or words[0] not in result or not words[1].isdigit() or int(words[1]) >= NAME_KINDS[words[0]]:
                sys.exit(f"{path}:{number}: is no kind, number and name")
            if int(words[1]) in result[words[0]]:
                sys.exit(f"{path}:{number}: {words[0]} {words[1]} stands twice")
            result[words[0]][int(words[1])] = words[2]
    return result


def write_names(out, model):
    for kind, names in model.names.items():
        out(f"const char *const isa_{kind}_names[{NAME_KINDS[kind]}] = {{")
        out(*(f'    [{i}] = "{name}",' for i, name in sorted(names.items())), "};", "")


class Model:
    def __init__(self, meanings=True):
        self.names = read_names(os.path.join(HERE, "names.table"))
        self.rows = table.read(HERE)
        self.enc = layouts.read(os.path.join(HERE, "encodings.table"))
        lane = None
        if meanings:
            import lane
        self.meanings = {r.name: Meaning(r, lane) for r in self.rows}
        self.layouts = list(self.enc.layouts.values())
        self.operand_names = list(dict.fromkeys(o.name for r in self.rows for o in r.operands))
        self.helpers = list(dict.fromkeys(m.helper for m in self.meanings.values() if m.helper))
        extra = sorted({s for m in self.meanings.values() for s in m.reads | m.writes} - set(STATES))
        self.states = STATES + extra
        self.entries = []
        for row in self.rows:
            for generation in GENERATIONS:
                if generation not in row.opcodes:
                    continue
                for variant, layout, opcode in layouts_of(row, generation, self.enc):
                    if layout is None:
                        sys.exit(f"{row.file}:{row.line}: no layout of {row.format} in {generation}")
                    if "op" in layout.fields and opcode >> layout.width("op"):
                        sys.exit(f"{row.file}:{row.line}: opcode {opcode:#x} does not fit {layout.name} of {generation}")
                    entry = Entry(row, variant, layout, opcode)
                    entry.opcode = opcode if "op" in layout.fields else 0
                    self.entries.append(entry)


def main():
    directory = sys.argv[1]
    model = Model()
    for name, write in (("isa_ops.h", write_header), ("isa_layouts.h", write_layouts), ("isa_tables.c", write_tables)):
        out = Out(os.path.join(directory, name))
        write(out, model)
        out.close()


if __name__ == "__main__":
    main()
