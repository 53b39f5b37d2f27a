"""What an instruction's encodings are: which layouts a row has, which field holds which operand and how, and which bits of the modifiers it
accepts. All of it follows from the row's types and properties. Not for: where a field stands (encodings.table), C (gen_isa.py)."""
import re
import sys

DWORD = 32
SOURCES = {"s0": 0, "s1": 1, "s2": 2}

# The fields that are members of struct isa_inst.
ALU_FIELDS = ("abs neg neg_hi op_sel op_sel_hi sext clamp omod high row_mask bank_mask bound_ctrl fi dst_sel dst_unused src0_sel "
              "src1_sel dpp_ctrl dpp8").split()
MEM_FIELDS = "offset format dmask dim nsa glc slc dlc lds offen idxen tfe lwe r128 a16 d16 unorm gds imm soffset_en".split()
EXP_FIELDS = "target en done compr vm".split()
MEMBERS = {**{f: "alu." + f for f in ALU_FIELDS}, **{f: "mem." + f for f in MEM_FIELDS}, **{f: "exp." + f for f in EXP_FIELDS}}
MEMBERS["dpp8_fi"] = "alu.fi"
BIASED = {"dpp8_fi": 1}  # fields that hold the member plus one


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
        klass = "SSRC_REGISTER" if row.has(operand.name + "_register") else "SSRC"
        return Slot("ssrc" + operand.name[1], klass, dwords(operand))
    if operand.name == "imm":
        return Slot("simm16", "IMM", 1)
    if operand.name == "imm32":
        return Slot(None, "LITERAL", 1)
    return None


def source_class(row, name):
    if row.has(name + "_vector"):
        return "SRC_VGPR_LDS" if row.name in ("v_readfirstlane_b32", "v_readlane_b32") else "SRC_VGPR"
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
        if row.has("interp"):  # a half may go to either half of its register
            return 8 if d.type == "f16" else 0
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


# Modifiers that hardware reads in every instruction of their formats, though most rows have one value for them: set, they ask for something
# else, which has no row. They load into LDS, mean the global data share, or change how many registers the data are.
READ_EVERYWHERE = ("lds", "gds", "tfe", "lwe", "d16")


# Modifiers that LLVM 22 has and LLVM 14 lacks, as our rows do: whether hardware looks at them is not known.
UNCERTAIN = (("v_cndmask_b32", "vop2_sdwa", ("abs", "neg")), ("v_cvt_pkrtz_f16_f32", "vop2_sdwa", ("omod",)),
             ("v_align(bit|byte)_b32", "vop3", ("clamp", "op_sel")), (r"v_\w+_[bi]16", "vop3", ("clamp",)), (r"v_\w+_f16", "vop3", ("omod",)))


def is_uncertain(row, field, layout):
    return any(field in fields and layout.name == name and re.fullmatch(pattern, row.name) for pattern, name, fields in UNCERTAIN)


def is_read(row, field, layout, fixed):
    """Whether hardware looks at a field, or may, of which the row leaves no choice. All other bits that a row does not use are ones that nothing
    reads: operands and modifiers that it lacks, and those of no field. LLVM 22 does not look at most of them; ACO fills missing sources with
    a constant of zero."""
    if is_uncertain(row, field, layout):
        return True
    if row.has("cache_inv") or row.has("time"):
        return False
    # A scalar address of FLAT counts in GFX10. A negative offset into a scalar buffer is a violation, not a smaller offset.
    return field in fixed or field in READ_EVERYWHERE or field == "offset" and row.format == "smem"


def put(layout, field, value):
    result = 0
    for piece in layout.fields[field]:
        result |= (value >> piece.at & ((1 << piece.width) - 1)) << piece.low
    return result


class Entry:
    """`mask` has the bits that an instruction does not choose, `value` how an encoder writes them, `unread` those of them that no decoder may
    look at."""

    def __init__(self, row, variant, layout, opcode):
        self.row, self.variant, self.layout = row, variant, layout
        self.slots = slots_of(row, layout)
        whole = (1 << (DWORD * layout.size_dw)) - 1
        fixed = fixed_modifiers(row, layout)
        free, read = 0, layout.fixed_mask | layout.field_mask("op")
        self.value = layout.fixed_value | put(layout, "op", opcode) if "op" in layout.fields else layout.fixed_value
        held = {s.field for s in self.slots}
        for field in layout.fields:
            if field in held:
                free |= layout.field_mask(field)
            elif field in fixed:
                self.value |= put(layout, field, fixed[field])
            elif field in MEMBERS and not row.has("cache_inv") and not row.has("time"):
                accept = accepted_alu if row.format.startswith("v") else accepted_memory
                free |= layout.field_mask(field, accept(row, field, layout))
            if is_read(row, field, layout, fixed):
                read |= layout.field_mask(field)
        # A v_nop whose src0 names SDWA or DPP has a second dword for LLVM only where it is the one that its assembler writes.
        if not row.operands and variant in ("sdwa", "dpp16", "dpp8"):
            read = whole
        # LLVM, and the compilers that follow it, write ones for the sources that are not there.
        if layout.name == "vop3p":
            self.value |= put(layout, "op_sel_hi", 7 & ~source_bits(row, lambda o: True))
        self.mask = whole & ~free
        self.unread = self.mask & ~read


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
    if row.format in ("vop1", "vop2", "vopc") and not row.has("no_dpp"):
        if get(row.format + "_dpp16") and (not wide or row.has("dpp")):
            yield "dpp16", get(row.format + "_dpp16"), opcode
        if not row.has("no_dpp8") and get(row.format + "_dpp8") and not (wide and row.format == "vopc"):
            yield "dpp8", get(row.format + "_dpp8"), opcode
