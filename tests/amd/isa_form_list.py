"""The forms that isa_forms.py judges: for every row of the GFX10.3 instruction tables, every operand with every kind of value, every
modifier. Right and wrong ones alike: LLVM decides which is which, not this file.

Each form changes one thing of a plain form of its instruction; what belongs together (image addresses, DPP controls, exports ...) is
crossed where it matters."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "src", "amd", "isa"))
import table  # noqa: E402

GENERATION = "gfx10_3"
TABLES = os.path.join(HERE, "..", "..", "src", "amd", "isa")

SPECIALS_32 = ["vcc_lo", "vcc_hi", "m0", "exec_lo", "exec_hi", "null", "src_shared_base", "src_shared_limit", "src_private_base",
               "src_private_limit", "src_pops_exiting_wave_id", "src_vccz", "src_execz", "src_scc", "src_lds_direct"]
SPECIALS_64 = ["vcc", "exec", "null", "src_shared_base", "src_shared_limit", "src_private_base", "src_private_limit",
               "src_pops_exiting_wave_id", "src_vccz", "src_execz", "src_scc"]
INTEGERS = ["0", "1", "-1", "64", "65", "-16", "-17"]
FLOATS = ["0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"]
INV_2PI = {16: "0.15915494", 32: "0.15915494", 64: "0.15915494309189532"}
LITERALS = {16: ["0x1234", "0xffff", "-32768", "65536", "1.5", "0x3c00", "0x3118"],
            32: ["0x12345678", "0xffffffff", "-2147483648", "4294967296", "1.5", "0x3f800000", "0x3e22f983"],
            64: ["0x12345678", "0xffffffff", "-2147483648", "4294967296", "1.5", "0x3ff0000000000000"]}
CACHE = ["", "glc", "slc", "dlc", "glc slc", "glc dlc", "slc dlc", "glc slc dlc"]
SELECTS = ["BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"]
UNUSED = ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"]
DPP_CONTROLS = (["quad_perm:[0,1,2,3]", "quad_perm:[3,2,1,0]", "row_mirror", "row_half_mirror"] +
                [f"{word}:{n}" for word in ("row_shl", "row_shr", "row_ror") for n in (1, 8, 15)] +
                [f"{word}:{n}" for word in ("row_share", "row_xmask") for n in (0, 7, 15)])
DIMS = ["1D", "2D", "3D", "CUBE", "1D_ARRAY", "2D_ARRAY", "2D_MSAA", "2D_MSAA_ARRAY"]
DIM_COORDS = [1, 2, 3, 3, 2, 3, 3, 4]
DIM_GRADIENTS = [2, 4, 6, 4, 2, 4, 4, 4]


def registers(prefix, first, count):
    return f"{prefix}{first}" if count == 1 else f"{prefix}[{first}:{first + count - 1}]"


def dwords(bits, wave):
    return wave // 32 if bits == 0 else max(bits // 32, 1)


def vgpr(count, first=None):
    return registers("v", 256 - count if first is None else first, count)


def sgpr(count, first=8):
    return registers("s", first, count)


def every_value(bits, wave):
    """Values of all kinds for an operand of that width; 0 bits is a lane mask. Some do not fit: the judge knows."""
    count = dwords(bits, wave)
    width = 32 * wave // 32 if bits == 0 else bits
    top = (106 - count) // min(count, 4) * min(count, 4)
    values = [vgpr(count, 0), vgpr(count), vgpr(count + 1, 4), sgpr(count, 0), sgpr(count, top), registers("ttmp", 0, count),
              registers("ttmp", 12, count) if count <= 4 else "ttmp[8:15]", sgpr(count, 1), sgpr(2 * count, 16)]
    values += SPECIALS_32 + SPECIALS_64 + ["v256", "s106"]
    if bits:
        small = width if width in LITERALS else 32 if width < 32 else 64
        values += INTEGERS + FLOATS + [INV_2PI[small]] + LITERALS[small]
    return list(dict.fromkeys(values))


class Forms:
    """Collects lines; one form of an instruction is its mnemonic, its operands and the modifiers after."""

    def __init__(self, wave):
        self.wave = wave
        self.groups = {}
        self.group = ""

    def add(self, mnemonic, operands, modifiers="", separator=" "):
        line = mnemonic
        if operands:
            line += separator + ", ".join(operands)
        if modifiers:
            line += " " + modifiers
        self.groups.setdefault(self.group, {})[line] = True

    def each_operand(self, mnemonic, operands, widths, modifiers=""):
        """The plain form, and every operand replaced by every value."""
        self.add(mnemonic, operands, modifiers)
        for i, bits in enumerate(widths):
            if bits is None:
                continue
            for value in every_value(bits, self.wave):
                self.add(mnemonic, operands[:i] + [value] + operands[i + 1:], modifiers)
        self.add(mnemonic, operands + ["v0"], modifiers)
        if operands:
            self.add(mnemonic, operands[:-1], modifiers)


def name_of(row):
    return row.names[GENERATION]


# ---- scalar ----

def immediates(kind):
    if kind == "hwreg":
        result = [f"hwreg({n})" for n in range(66)]
        result += [f"hwreg({name}, {o}, {s})" for name in ("HW_REG_MODE", "HW_REG_TRAPSTS", 3) for o in (0, 1, 31, 32) for s in (1, 31, 32, 33)]
        result += [f"hwreg(HW_REG_{n})" for n in "MODE STATUS TRAPSTS HW_ID GPR_ALLOC LDS_ALLOC IB_STS SH_MEM_BASES TBA_LO TBA_HI TMA_LO "
                   "TMA_HI FLAT_SCR_LO FLAT_SCR_HI XNACK_MASK HW_ID1 HW_ID2 POPS_PACKER SHADER_CYCLES NONE".split()]
        return result + ["0", "0x1234", "65535", "65536", "-1", "hwreg(1, 2)"]
    if kind == "sendmsg":
        ops = ["GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT", "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD",
               "SYSMSG_OP_HOST_TRAP_ACK", "SYSMSG_OP_TTRACE_PC"]
        names = ["MSG_INTERRUPT", "MSG_GS", "MSG_GS_DONE", "MSG_SAVEWAVE", "MSG_STALL_WAVE_GEN", "MSG_HALT_WAVES", "MSG_ORDERED_PS_DONE",
                 "MSG_EARLY_PRIM_DEALLOC", "MSG_GS_ALLOC_REQ", "MSG_GET_DOORBELL", "MSG_GET_DDID", "MSG_SYSMSG", "MSG_NONE"]
        result = [f"sendmsg({m})" for m in names + list(range(17))]
        result += [f"sendmsg({m}, {o})" for m in names + list(range(17)) for o in ops + list(range(9))]
        result += [f"sendmsg({m}, {o}, {s})" for m in names[:4] + names[-2:] + [0, 2, 3, 15] for o in ops + [0, 1, 3, 7] for s in range(5)]
        return result + ["0", "1", "0x400", "65535", "65536", "-1"]
    if kind == "waitcnt":
        counters = [("vmcnt", (0, 1, 15, 16, 63, 64)), ("expcnt", (0, 6, 7, 8)), ("lgkmcnt", (0, 1, 15, 16, 62, 63, 64))]
        result = [f"{name}({v})" for name, values in counters for v in values]
        result += [f"{name}_sat({v})" for name, values in counters for v in values]
        (a, xs), (b, ys), (c, zs) = counters
        result += [f"{a}({x}) {b}({y})" for x in xs for y in ys] + [f"{a}({x}) & {c}({z})" for x in xs for z in zs]
        result += [f"{b}({y}), {c}({z})" for y in ys for z in zs]
        result += [f"{c}({z}) {a}({x}) {b}({y})" for x in xs for y in ys for z in zs]
        return result + ["0", "1", "0xffff", "65535", "-1", "vmcnt(0) &", "foocnt(1)"]
    if kind == "label":
        return ["0", "1", "5", "-1", "32767", "-32768", "65535", "65536", "-32769", "1.0", "v0", "s0"]
    return ["0", "1", "-1", "5", "64", "65", "255", "0x100", "32767", "0x8000", "65535", "-32768", "65536", "-32769", "1.0", "v0", "s0", "1.5"]


def scalar_forms(forms, row):
    operands, widths, plain = [], [], []
    for i, operand in enumerate(row.operands):
        if operand.name == "imm":
            plain.append("hwreg(HW_REG_MODE)" if operand.type == "hwreg" else "sendmsg(MSG_INTERRUPT)" if operand.type == "sendmsg" else "1")
            widths.append(None)
        elif operand.name == "imm32":
            plain.append("0x12345678")
            widths.append(32)
        else:
            plain.append(sgpr(dwords(operand.bits, forms.wave), 4 * (i + 1)))
            widths.append(max(operand.bits, 32))
    name = name_of(row)
    forms.each_operand(name, plain, widths)
    for i, operand in enumerate(row.operands):
        if operand.name == "imm":
            for value in immediates(operand.type):
                forms.add(name, plain[:i] + [value] + plain[i + 1:])
    if sum(o.name in ("s0", "s1") for o in row.operands) == 2:
        for a, b in (("0x1234567", "0x1234567"), ("0x1234567", "0x1234568"), ("0x1234567", "1"), ("s2", "0x1234567"), ("1.5", "1.5")):
            forms.add(name, plain[:-2] + [a, b])
    forms.add(name + "_e64", plain)
    forms.add(name, ["-" + p for p in plain])


def smem_forms(forms, row):
    name, plain, widths = name_of(row), [], []
    for operand in row.operands:
        if operand.type == "imm":
            plain.append("5")
            widths.append(None)
        elif operand.name == "soffset":
            plain.append("0x10")
            widths.append(32)
        else:
            plain.append(sgpr(operand.bits // 32, 16))
            widths.append(operand.bits)
    forms.each_operand(name, plain, widths)
    for cache in CACHE:
        forms.add(name, plain, cache)
        if row.operand("soffset"):
            forms.add(name, plain[:-1] + ["s2"], cache)
    if row.operand("soffset"):
        for offset in ("0", "1", "4", "0x7ffff", "0x80000", "0xfffff", "0x100000", "0x1fffff", "-1", "-0x100000", "-0x100001", "1.0"):
            forms.add(name, plain[:-1] + [offset])
        forms.add(name, plain, "offset:4")
        forms.add(name, plain[:-1] + ["s2"], "offset:4")
    if plain and row.operands[0].type == "imm":
        for value in ("0", "1", "127", "128", "-1", "s0"):
            forms.add(name, [value] + plain[1:])


# ---- vector ALU ----

SUFFIXES = {"vop1": ("_e32", "_e64", "_dpp", "_sdwa", ""), "vop2": ("_e32", "_e64", "_dpp", "_sdwa", ""),
            "vopc": ("_e32", "_e64", "_dpp", "_sdwa", ""), "vop3": ("", "_e64"), "vop3p": ("", "_e64"), "vintrp": ("", "_e32", "_e64")}


def vector_plain(forms, row, suffix):
    plain, widths = [], []
    long_form = row.format in ("vop3", "vop3p") or suffix == "_e64"
    for i, operand in enumerate(row.operands):
        count = dwords(operand.bits, forms.wave)
        if operand.name == "attr":
            plain.append("attr3.y")
        elif operand.name == "p":
            plain.append("p10")
        elif operand.type == "mask":
            plain.append(sgpr(count, 4 * i + 4) if long_form else "vcc_lo" if forms.wave == 32 else "vcc")
        elif operand.name == "k":
            plain.append("0x1234")
        elif operand.name == "d" and row.has("sdst"):
            plain.append("s5")
        elif row.has(operand.name + "_scalar"):
            plain.append(f"s{3 + i}")
        else:
            plain.append(vgpr(count, 8 * i + 1))
        widths.append(None if operand.name in ("attr", "p") else max(operand.bits, 16) if operand.bits else 0)
    return plain, widths


def source_indices(row):
    return [i for i, o in enumerate(row.operands) if o.name in ("s0", "s1", "s2") and o.type != "mask"]


def changed(operands, index, form):
    return operands[:index] + [form.format(operands[index])] + operands[index + 1:]


def modified_sources(forms, row, name, plain, modifiers=""):
    for i in source_indices(row):
        for form in ("-{}", "|{}|", "-|{}|", "abs({})", "neg({})", "neg(|{}|)", "-abs({})", "sext({})"):
            forms.add(name, changed(plain, i, form), modifiers)
        for value in ("1.0", "4", "0x1234", "s3", "vcc_lo"):
            for form in ("|{}|", "neg({})", "-|{}|", "sext({})"):
                forms.add(name, plain[:i] + [form.format(value)] + plain[i + 1:], modifiers)
    if source_indices(row):
        forms.add(name, ["-" + p if i in source_indices(row) else p for i, p in enumerate(plain)], modifiers)


def bit_lists(count):
    return ["[" + ",".join(str(n >> i & 1) for i in range(count)) + "]" for n in range(1 << count)]


def long_modifiers(forms, row, name, plain):
    for word in ("clamp", "mul:2", "mul:4", "div:2", "clamp mul:2", "clamp div:2", "mul:2 clamp", "noclamp", "high", "high clamp", "div:4", "mul:1"):
        forms.add(name, plain, word)
    sources = len(source_indices(row))
    words = ("op_sel", "op_sel_hi", "neg_lo", "neg_hi") if row.format == "vop3p" else ("op_sel",)
    for word in words:
        for count in {max(sources, 1), sources + 1}:
            for bits in bit_lists(count):
                forms.add(name, plain, f"{word}:{bits}")
                forms.add(name, plain, f"{word}:{bits} clamp")
    if row.format == "vop3p":
        forms.add(name, plain, "op_sel:[1,0,1] op_sel_hi:[0,1,1] neg_lo:[1,1,0] neg_hi:[0,0,1] clamp"[:])
        forms.add(name, plain, "op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[1,1] neg_hi:[0,1] clamp")
        forms.add(name, plain, "neg_lo:[1,1] op_sel:[1,0]")


def dpp_modifiers(forms, row, name, plain):
    full = row.name in ("v_mov_b32", "v_add_f32")
    controls = DPP_CONTROLS
    if full:
        controls = ([f"quad_perm:[{n & 3},{n >> 2 & 3},{n >> 4 & 3},{n >> 6}]" for n in range(256)] + ["row_mirror", "row_half_mirror"] +
                    [f"{w}:{n}" for w in ("row_shl", "row_shr", "row_ror", "row_share", "row_xmask", "row_bcast", "wave_shl") for n in range(18)])
    for control in controls:
        forms.add(name, plain, control)
        forms.add(name, plain, control + " row_mask:0x5 bank_mask:0xa bound_ctrl:0 fi:1")
    for n in range(17 if full else 2):
        forms.add(name, plain, f"row_mirror row_mask:{n:#x}")
        forms.add(name, plain, f"row_mirror bank_mask:{n}")
    for word in ("bound_ctrl:0", "bound_ctrl:1", "fi:1", "fi:0", "bank_mask:0x3 bound_ctrl:0", "clamp", "row_mask:0x1 bank_mask:0x2", "mul:2",
                 "bank_mask:0x2 row_mask:0x1"):
        forms.add(name, plain, "row_mirror " + word)
    for lanes in ("0,1,2,3,4,5,6,7", "7,6,5,4,3,2,1,0", "1,1,1,1,2,2,2,2", "0,1,2,3,4,5,6,8", "0,1,2"):
        for tail in ("", " fi:1", " fi:0", " row_mask:0x1", " bound_ctrl:0"):
            forms.add(name, plain, f"dpp8:[{lanes}]{tail}")
    modified_sources(forms, row, name, plain, "quad_perm:[1,0,3,2]")
    modified_sources(forms, row, name, plain, "dpp8:[1,0,3,2,4,5,6,7]")


def sdwa_modifiers(forms, row, name, plain):
    forms.add(name, plain, "clamp mul:2 dst_sel:BYTE_0 dst_unused:UNUSED_SEXT src0_sel:WORD_1 src1_sel:BYTE_3")
    forms.add(name, plain, "dst_sel:BYTE_0 dst_unused:UNUSED_SEXT src0_sel:WORD_1 src1_sel:BYTE_3")
    forms.add(name, plain, "dst_sel:BYTE_0 dst_unused:UNUSED_SEXT src0_sel:WORD_1")
    forms.add(name, plain, "src0_sel:WORD_1 src1_sel:BYTE_3")
    for field in ("dst_sel", "src0_sel", "src1_sel"):
        for select in SELECTS + ["QWORD", "7"]:
            forms.add(name, plain, f"{field}:{select}")
    for unused in UNUSED + ["3"]:
        forms.add(name, plain, f"dst_unused:{unused}")
        forms.add(name, plain, f"dst_sel:WORD_1 dst_unused:{unused}")
    for word in ("clamp", "mul:2", "mul:4", "div:2", "clamp div:2", "src1_sel:WORD_0 src0_sel:WORD_1", "src0_sel:WORD_0 clamp"):
        forms.add(name, plain, word)
    modified_sources(forms, row, name, plain)
    modified_sources(forms, row, name, plain, "src0_sel:BYTE_1")


def constant_bus(forms, row, name, plain):
    indices = source_indices(row)
    for values in (("s1", "s2", "s3"), ("s1", "s1", "s2"), ("s1", "0x1234", "0x1234"), ("0x1234", "s1", "s2"), ("0x1234", "0x1235", "v1"),
                   ("s1", "vcc_lo", "v1"), ("s1", "null", "s2"), ("s1", "m0", "exec_lo"), ("0x1234", "0x1234", "0x1234"), ("s[2:3]", "s2", "v1"),
                   ("s[2:3]", "s[2:3]", "s[2:3]"), ("s[2:3]", "s[4:5]", "v[4:5]"), ("s2", "s[4:5]", "v[4:5]"), ("v[0:1]", "s[4:5]", "s[6:7]")):
        operands = list(plain)
        for i, value in zip(indices, values):
            operands[i] = value
        forms.add(name, operands)


def vector_forms(forms, row):
    for suffix in SUFFIXES[row.format]:
        name = name_of(row) + suffix
        plain, widths = vector_plain(forms, row, suffix)
        if suffix == "_dpp":
            forms.each_operand(name, plain, widths, "quad_perm:[0,1,2,3]")
            forms.each_operand(name, plain, widths, "dpp8:[0,1,2,3,4,5,6,7]")
            dpp_modifiers(forms, row, name, plain)
            continue
        forms.each_operand(name, plain, widths)
        modified_sources(forms, row, name, plain)
        if suffix == "_sdwa":
            sdwa_modifiers(forms, row, name, plain)
        if suffix in ("_e64", ""):
            long_modifiers(forms, row, name, plain)
            constant_bus(forms, row, name, plain)
        if suffix == "" and row.format in ("vop1", "vop2", "vopc"):
            forms.add(name, plain, "row_mirror")
            forms.add(name, plain, "dpp8:[0,1,2,3,4,5,6,7]")
            forms.add(name, plain, "src0_sel:BYTE_0")
        masks = [i for i, o in enumerate(row.operands) if o.type == "mask"]
        if masks:
            forms.add(name, [p for i, p in enumerate(plain) if i not in masks])
            forms.add(name, ["vcc" if i in masks else p for i, p in enumerate(plain)])
            forms.add(name, ["vcc_lo" if i in masks else p for i, p in enumerate(plain)])
        if row.operand("attr"):
            at = next(i for i, o in enumerate(row.operands) if o.name == "attr")
            for value in ["attr0.x", "attr63.w", "attr64.x", "attr1.q", "attr1", "v1"] + [f"attr{n}.z" for n in range(0, 63, 7)]:
                forms.add(name, plain[:at] + [value] + plain[at + 1:])
        if row.operand("p"):
            for value in ("p0", "p10", "p20", "p30", "0", "v0"):
                forms.add(name, [plain[0], value, plain[2]])


# ---- memory ----

def ds_forms(forms, row):
    name, plain, widths = name_of(row), [], []
    for i, operand in enumerate(row.operands):
        plain.append(vgpr(operand.bits // 32, 8 * i + 1))
        widths.append(operand.bits)
    forms.each_operand(name, plain, widths)
    for tail in ("gds", "nogds"):
        forms.add(name, plain, tail)
    for offset in ("0", "1", "4", "255", "256", "32768", "65535", "65536", "-1", "0xffff"):
        for tail in ("", " gds"):
            forms.add(name, plain, f"offset:{offset}{tail}")
            forms.add(name, plain, f"offset0:{offset} offset1:1{tail}")
            forms.add(name, plain, f"offset1:{offset}{tail}")
            forms.add(name, plain, f"offset0:{offset}{tail}")
    forms.add(name, plain, "offset1:4 offset0:3")
    forms.add(name, plain, "gds offset:4")
    forms.add(name, plain, "glc")
    if row.has("swizzle"):
        for n in range(256):
            forms.add(name, plain, f"offset:swizzle(QUAD_PERM,{n & 3},{n >> 2 & 3},{n >> 4 & 3},{n >> 6})")
        for mask in ("00000", "11111", "ppppp", "iiiii", "01pip", "pi10p", "0000p", "p0000", "0000", "000000", "0000x"):
            forms.add(name, plain, f'offset:swizzle(BITMASK_PERM, "{mask}")')
        for group in range(0, 34):
            forms.add(name, plain, f"offset:swizzle(SWAP,{group})")
            forms.add(name, plain, f"offset:swizzle(REVERSE,{group})")
            for lane in (0, 1, 5, 31):
                forms.add(name, plain, f"offset:swizzle(BROADCAST,{group},{lane})")
        for offset in range(0, 65536, 577):
            forms.add(name, plain, f"offset:{offset}")


def buffer_forms(forms, row):
    name = name_of(row)
    if not row.operands:
        for tail in ("", "glc", "offset:4"):
            forms.add(name, [], tail)
        return
    data = dwords(row.operand("vdata").bits, 32)
    plain, widths = [vgpr(data, 1), "off", "s[8:11]", "s3"], [row.operand("vdata").bits, None, 128, 32]
    tails = [""] if row.format == "mubuf" else ["", "format:22", "format:[BUF_FMT_32_FLOAT]"]
    forms.each_operand(name, plain, widths)
    for data_size in range(1, 6):
        for tail in ("", "tfe", "lds", "tfe lds", "d16"):
            forms.add(name, [vgpr(data_size, 4)] + plain[1:], tail)
    for address, mode in (("off", ""), ("v0", "idxen"), ("v0", "offen"), ("v[0:1]", "idxen offen"), ("v[0:1]", "offen idxen"), ("v0", ""),
                          ("v[0:1]", "idxen"), ("v[0:1]", ""), ("v0", "idxen offen"), ("off", "idxen"), ("s0", "offen"), ("v255", "offen"),
                          ("v[254:255]", "idxen offen"), ("v[0:2]", "idxen offen"), ("v0", "addr64"), ("0", "")):
        for tail in tails:
            for offset in ("", " offset:1", " offset:4095", " offset:4096", " offset:-1", " offset:0"):
                forms.add(name, [plain[0], address] + plain[2:], f"{tail} {mode}{offset}".strip())
        for cache in CACHE:
            for tfe in ("", " tfe", " lds", " tfe lds"):
                forms.add(name, [plain[0], address] + plain[2:], f"{mode} {cache}{tfe}".strip())
                forms.add(name, [plain[0], address] + plain[2:], f"{mode} offset:8 {cache}{tfe}".strip())
    if row.format == "mtbuf":
        for n in (range(130) if name in ("tbuffer_load_format_x", "tbuffer_store_format_d16_xyzw") else range(0, 130, 13)):
            forms.add(name, plain, f"format:{n}")
        forms.add(name, plain[:3] + ["format:5", "s3"])
        forms.add(name, plain, "offset:4 format:5")
        if name == "tbuffer_load_format_x":
            parts = ["8", "16", "8_8", "32", "16_16", "10_11_11", "11_11_10", "10_10_10_2", "2_10_10_10", "8_8_8_8", "32_32", "16_16_16_16",
                     "32_32_32", "32_32_32_32", "INVALID", "RESERVED_15"]
            kinds = ["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "FLOAT", "RESERVED_6", "SNORM_OGL"]
            for part in parts:
                for kind in kinds:
                    forms.add(name, plain, f"format:[BUF_FMT_{part}_{kind}]")
                    forms.add(name, plain, f"format:[BUF_DATA_FORMAT_{part}, BUF_NUM_FORMAT_{kind}]")
                    forms.add(name, plain, f"format:[BUF_NUM_FORMAT_{kind},BUF_DATA_FORMAT_{part}]")


def flat_forms(forms, row):
    name, plain, widths = name_of(row), [], []
    for i, operand in enumerate(row.operands):
        if operand.name == "saddr":
            plain.append("off")
        else:
            plain.append(vgpr(operand.bits // 32, 8 * i + 1))
        widths.append(operand.bits)
    variants = [(plain, widths, "")]
    if row.has("atomic"):
        variants = [(plain, widths, "glc"), (plain[1:], widths[1:], "")]
    for operands, bits, glc in variants:
        forms.each_operand(name, operands, bits, glc)
        for offset in ("0", "1", "2047", "2048", "4095", "-1", "-2048", "-2049"):
            forms.add(name, operands, f"offset:{offset} {glc}".strip())
        for cache in CACHE:
            forms.add(name, operands, cache)
            forms.add(name, operands, f"offset:16 {cache}".strip())
        for tail in ("lds", "tfe", "nv", "glc lds"):
            forms.add(name, operands, tail)
        if row.operand("saddr"):
            vaddr = next((i for i, o in enumerate(row.operands) if o.name == "vaddr"), None)
            skip = len(row.operands) - len(operands)
            for address in ("v1", "v[1:2]", "off", "v255", "v[254:255]"):
                for saddr in ("off", "s2", "s[2:3]", "s[104:105]", "ttmp[0:1]", "vcc", "vcc_lo", "exec", "m0", "null", "s[3:4]", "0"):
                    changed_operands = list(operands)
                    if vaddr is not None:
                        changed_operands[vaddr - skip] = address
                    changed_operands[-1] = saddr
                    forms.add(name, changed_operands, glc)
                    forms.add(name, changed_operands, f"offset:-8 {glc}".strip())


def address_count(row, dim, a16):
    if row.has("bvh") or row.has("bvh64"):
        return (8 if a16 else 11) + row.has("bvh64")
    count = sum(row.has(w) for w in ("offset_arg", "bias", "compare"))
    if row.has("grad"):
        count += DIM_GRADIENTS[dim]
    if row.has("grad16"):
        count += (DIM_GRADIENTS[dim] // 2 + 1) // 2 * 2
    packed = (DIM_COORDS[dim] if row.has("coords") else 0) + row.has("lod") + row.has("clamp_arg")
    return count + ((packed + 1) // 2 if a16 else packed)


def tuple_size(count):
    return count if count <= 8 else 16


def scattered(count):
    return "[" + ", ".join(f"v{(7 * i + 3) % 256}" for i in range(count)) + "]"


def image_forms(forms, row):
    name = name_of(row)
    tail_operands = ["s[16:23]"] + (["s[4:7]"] if row.operand("ssamp") else [])
    if row.has("bvh") or row.has("bvh64"):
        for a16 in ("", "a16"):
            for n in list(range(1, 14)) + [16]:
                forms.add(name, ["v[4:7]", vgpr(n, 9), "s[4:7]"], a16)
                forms.add(name, ["v[4:7]", scattered(n), "s[4:7]"], a16)
        for tail in ("dmask:0xf", "glc", "unorm", "r128", "d16"):
            forms.add(name, ["v[4:7]", "v[9:24]", "s[4:7]"], tail)
        for operand in every_value(128, forms.wave):
            forms.add(name, [operand, "v[9:24]", "s[4:7]"])
            forms.add(name, ["v[4:7]", "v[9:24]", operand])
        return
    data = 4 if row.has("gather4") or row.has("msaa") else 1
    dims = range(8)
    for dim in dims:
        for a16 in (0, 1):
            right = address_count(row, dim, a16)
            tail = f"dmask:0x1 dim:SQ_RSRC_IMG_{DIMS[dim]}" + (" a16" if a16 else "")
            for n in sorted({right, right - 1, right + 1, tuple_size(right), 1, 8, 16} - {0}):
                forms.add(name, [vgpr(data, 4), vgpr(n, 16)] + tail_operands, tail)
            for n in sorted({right, right - 1, right + 1} - {0, 1}):
                forms.add(name, [vgpr(data, 4), scattered(n)] + tail_operands, tail)
            forms.add(name, [vgpr(data, 4), "[" + ", ".join(f"v{i}" for i in range(right)) + "]"] + tail_operands, tail)
    address = vgpr(tuple_size(address_count(row, 1, 0)), 16)
    for dmask in range(17):
        for size in range(1, 7):
            for extra in ("", " tfe", " d16", " tfe d16", " lwe", " tfe lwe d16"):
                forms.add(name, [vgpr(size, 4), address] + tail_operands, f"dmask:{dmask:#x} dim:SQ_RSRC_IMG_2D{extra}")
    plain = [vgpr(data, 4), address] + tail_operands
    start = "dmask:0x1 dim:SQ_RSRC_IMG_2D"
    for cache in CACHE:
        for extra in ("", "unorm ", "r128"):
            words = f"{start} {extra}{cache}" if extra != "r128" else f"{start} {cache} r128"
            forms.add(name, plain, " ".join(words.split()))
    for tail in ("dmask:0x1", "dim:SQ_RSRC_IMG_2D", "dim:2D dmask:0x1", "dmask:0x1 dim:2D", "dmask:1 dim:1", "dmask:0x1 dim:SQ_RSRC_IMG_2D a16 r128",
                 "dmask:0x1 dim:SQ_RSRC_IMG_2D glc unorm", "dmask:0x1 dim:SQ_RSRC_IMG_2D lwe tfe", "dmask:0x1 dim:SQ_RSRC_IMG_2D da"):
        forms.add(name, plain, tail)
    for i, bits in enumerate([32 * data, None, 256] + [128] * (len(plain) - 3)):
        if bits:
            for value in every_value(bits, forms.wave):
                forms.add(name, plain[:i] + [value] + plain[i + 1:], start)
    forms.add(name, [plain[0], plain[1], "s[4:7]"] + plain[3:], start + " r128")
    for value in every_value(64, forms.wave):
        forms.add(name, [plain[0], value] + plain[2:], start)


def export_forms(forms, row):
    targets = [f"mrt{n}" for n in range(9)] + ["mrtz", "null", "prim"] + [f"pos{n}" for n in range(6)] + [f"param{n}" for n in range(33)]
    for target in targets + ["mrt", "invalid_target_10", "v0"]:
        for enabled in range(16):
            sources = [f"v{i + 1}" if enabled >> i & 1 else "off" for i in range(4)]
            halves = [f"v{i // 2 + 1}" if enabled >> i & 1 else "off" for i in range(4)]
            for tail in ("", " done", " vm", " done vm", " vm done"):
                forms.add(f"exp {target}", sources, tail.strip())
            for tail in ("compr", "done compr", "compr vm", "done compr vm", "compr done"):
                forms.add(f"exp {target}", halves, tail)
    for i in range(4):
        for value in every_value(32, forms.wave):
            sources = ["v1", "v2", "v3", "v4"]
            sources[i] = value
            forms.add("exp mrt0", sources)
    forms.add("exp mrt0", ["v1", "v2", "v3", "v4"], "compr")
    forms.add("exp mrt0,", ["v1", "v2", "v3", "v4"])


# ---- what is not of one instruction ----

SYNTAX = """
v_mov_b32 v0 v1
v_mov_b32 v0,, v1
v_add_f32 v0, v1 -v2
V_MOV_B32 v0, v1
v_mov_b32 V0, v1
v_mov_b32 v[0], v[1:1]
v_mov_b32 v[0+1], v[2*3]
v_mov_b32 [v0], [v1]
s_mov_b64 [s2,s3], [vcc_lo,vcc_hi]
s_mov_b64 [s2,s4], s[4:5]
s_mov_b64 [ttmp14,ttmp15], [exec_lo,exec_hi]
s_mov_b64 s[1:2], s[4:5]
s_mov_b32 s0, 1+2
s_mov_b32 s0, 3*4-2
s_mov_b32 s0, (1+2)*3
s_mov_b32 s0, 1<<4
s_mov_b32 s0, 1+2&6
s_mov_b32 s0, ~1
s_mov_b32 s0, -(5)
s_mov_b32 s0, 0b101
s_mov_b32 s0, 017
s_mov_b32 s0, 'a'
s_mov_b32 s0, 0x
s_mov_b32 s0, 08
s_mov_b32 s0, 1.5e
s_mov_b32 s0, 1e3
s_mov_b32 s0, 1.
s_mov_b32 s0, .5
s_mov_b32 s0, 0x123456789abcdef01
s_mov_b32 s0, 99999999999999999999
v_add_f32 v0, --1.0, v1
v_add_f32 v0, neg(neg(v1)), v1
v_add_f32 v0, |abs(v1)|, v1
v_add_f32 v0, |-v1|, v1
v_add_f32 v0, abs(-v1), v1
v_add_f32 v0, |-1.0|, v1
v_add_f32 v0, |v1, v1
v_add_f32 v0, abs(v1, v1
v_add_f32 v0, -(1.0), v1
v_add_f16 v0, 0.1, v1
v_add_f16 v0, 65504.0, v1
v_add_f16 v0, 65519.0, v1
v_add_f16 v0, 65520.0, v1
v_add_f16 v0, 0.00006, v1
v_add_f16 v0, 6.103515625e-05, v1
v_add_f16 v0, 1e-10, v1
v_add_f32 v0, 1e39, v1
v_add_f32 v0, 3.5e38, v1
v_add_f32 v0, 1e-40, v1
v_add_f32 v0, 1.1754943508222875e-38, v1
v_add_f32 v0, 0.1, v1
v_add_f32 v0, 0.15915493667125702, v1
v_add_f32 v0, 0.159155, v1
v_add_f64 v[0:1], 1.1, v[2:3]
v_add_f64 v[0:1], 0.15915494309189532, v[2:3]
v_add_f64 v[0:1], 0.15915494, v[2:3]
v_add_f64 v[0:1], -1.5, v[2:3]
v_add_f64 v[0:1], |1.5|, v[2:3]
v_add_f64 v[0:1], neg(0x12345), v[2:3]
v_cvt_f32_f64 v0, neg(0x12345)
v_cvt_f32_f64 v0, |-2.0|
v_cvt_f32_f64 v0, neg(3)
v_cvt_f32_f16 v0, neg(0x1234)
v_cvt_f32_f16 v0, |0x9234|
v_cvt_f32_f16 v0, -0x1234
v_mov_b32 v0, scc
v_mov_b32 v0, vccz
v_mov_b32 v0, execz
v_mov_b32 v0, lds_direct
v_mov_b32 v0, shared_base
v_mov_b32 v0, private_limit
v_mov_b32 v0, pops_exiting_wave_id
v_mov_b32 v0, src_foo
v_mov_b32 v0, v1 v2
v_mov_b32 v0, v1 clamp clamp
v_mov_b32
v_mov_b32 v0
v_mov_b32_foo v0, v1
v_frobnicate_b32 v0, v1
image_sample v[0:3], [v0], s[0:7], s[8:11] dmask:0xf dim:1D
image_sample v[0:3], [v0,s1], s[0:7], s[8:11] dmask:0xf dim:2D
image_sample v[0:3], v[0:1], s[0:7], s[8:11] dmask:0xf dim:2D unorm glc slc dlc r128 a16
image_sample v[0:3], v0, s[0:7], s[8:11] dmask:0xf dim:2D unorm glc slc dlc r128 a16 lwe
buffer_load_dword v5, off, s[8:11], s3 noglc
buffer_load_dword v5, off, s[8:11], s3 glc noslc
buffer_load_dword v5, off, s[8:11], s3 glc glc
buffer_load_dword v5, off, s[8:11], s3 swz
buffer_load_dword v5, off, s[8:11], s3 offset: 4
buffer_load_dword v5, off, s[8:11], s3 offset:2+2
s_nop 0 ; a comment
s_nop 0 // a comment
s_nop 0 /* a comment */
s_nop /* a comment */ 1
s_nop 0 @ x
s_nop 0 !
s_nop 0, 1
s_nop
s_endpgm
s_endpgm 0
s_endpgm 3
s_waitcnt
.frobnicate 3
""".strip().splitlines()

FORMS_OF = {"smem": smem_forms, "ds": ds_forms, "mubuf": buffer_forms, "mtbuf": buffer_forms, "flat": flat_forms, "mimg": image_forms,
            "exp": export_forms}


def groups(wave):
    """{group: lines}: one group for each table, and one for the syntax."""
    forms = Forms(wave)
    for row in table.read(TABLES):
        if GENERATION not in row.opcodes:
            continue
        forms.group = row.format
        if row.format.startswith("so"):
            scalar_forms(forms, row)
        elif row.format.startswith("v"):
            vector_forms(forms, row)
        else:
            FORMS_OF[row.format](forms, row)
    result = {name: list(lines) for name, lines in forms.groups.items()}
    result["syntax"] = SYNTAX
    return result


if __name__ == "__main__":
    for name, lines in groups(32).items():
        print(f"{len(lines):8} {name}")
