"""What the code makers of x86-64's levels write for every operation, read by llvm-mc: the instructions that are meant, on their operands."""
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, __file__.rsplit("/", 2)[0])
import tap
import x64_forms

# Instructions that have another name in EVEX's form.
EVEX_NAMES = {"vpandd": "vpand", "vpandnd": "vpandn", "vpord": "vpor", "vpxord": "vpxor", "vrndscaleps": "vroundps"}


class Level:
    def __init__(self, lanes):
        self.lanes = lanes
        self.is_evex = lanes == 16
        self.vector_B = lanes * 4
        # A vector, half a vector, 128 bits.
        self.banks = {"V": "zmm", "H": "ymm", "X": "xmm"} if self.is_evex else {"V": "ymm", "H": "xmm", "X": "xmm"}
        self.full = "zmmword ptr" if self.is_evex else "ymmword ptr"


def place(base, offset):
    return f"[{base} + {offset}]" if offset else f"[{base}]"


def known(lanes, each):
    """A constant whose lanes differ."""
    return "=" + ",".join(f"{each(lane):x}" for lane in range(lanes))


# In what follows V, H and X stand for a vector, half of one and 128 bits, d, a, b and c for the operands' registers or, where it lies
# there, memory; = for a constant; jumps go over the number of instructions that they name.
PLAIN = {
    "ADD": "vpaddd", "SUB": "vpsubd", "MUL": "vpmulld", "AND": "vpand", "OR": "vpor", "XOR": "vpxor", "MIN_U": "vpminud", "MAX_U": "vpmaxud",
    "MIN_I": "vpminsd", "MAX_I": "vpmaxsd", "FADD": "vaddps", "FSUB": "vsubps", "FMUL": "vmulps", "FADD_HALF": "vaddph", "FMUL_HALF": "vmulph", "FDIV": "vdivps", "FMIN_NUMBER": "vminps",
    "FMAX_NUMBER": "vmaxps",
}
UNARY = {"FSQRT": "vsqrtps Vd, Va", "F32_OF_I32": "vcvtdq2ps Vd, Va", "NEAREST": "vroundps Vd, Va, 0", "FLOOR": "vroundps Vd, Va, 1",
         "CEIL": "vroundps Vd, Va, 2", "TRUNC": "vroundps Vd, Va, 3"}
SHIFTS = {"SHL": "vpsll", "SHR": "vpsrl", "SAR": "vpsra"}
MASK_COMPARISONS = {"EQ": "vpcmpeqd", "LT_I": "vpcmpltd", "LE_I": "vpcmpled", "LT_U": "vpcmpltud", "LE_U": "vpcmpleud", "FEQ": "vcmpeqps",
                    "FLT": "vcmplt_oqps", "FLE": "vcmple_oqps", "TEST": "vptestmd"}


def fused(o, is_fms):
    """The form depends on which operand is the result's register, and on which is in memory."""
    name = "vfnmadd" if is_fms else "vfmadd"
    n, m = ("b", "a") if o["a"] == 32 else ("a", "b")
    d, first = o["d"], ""
    own = "a" if d == o["a"] else "b" if d == o["b"] else None
    if o["c"] == 32 and not own:
        first, own = "vmovaps Vd, Va", "a"
    if d != o["c"] and own and o[m] != 32:
        return f"{first};{name}213ps Vd, V{'b' if own == 'a' else 'a'}, Vc"
    if d != o["c"] and own == n:
        return f"{name}132ps Vd, Vc, V{m}"
    return ("" if d == o["c"] else "vmovaps Vd, Vc;") + f"{name}231ps Vd, V{n}, V{m}"


def first_lane(level, general, which):
    """EVEX's registers above 15 go by way of another."""
    return lambda o: f"vmovaps V0, V{which};vmovd {general}, X0" if o[which] > 15 else f"vmovd {general}, X{which}"


def other(level, a, b, over):
    if level.is_evex:
        return f"vpcmpeqd k1, V{a}, V{b};kortestw k1, k1;jae {over}"
    return f"vpcmpeqd V0, V{a}, V{b};vmovmskps ecx, V0;inc cl;jne {over}"


def load(level, o):
    pointer, further = o["imm"] & 0xffff, o["imm"] >> 16
    at = f"[rdi + rax{f' + {further}' if further else ''}]"
    head = f"mov rdi, qword ptr {place('r15', pointer)};" + first_lane(level, "eax", "a")(o)
    if o["strand"]:
        return f"{head};vbroadcastss Vd, dword ptr {at}"
    by = f"[rdi + V2{f' + {further}' if further else ''}]"
    gather = (f"kxnorw k1, k1, k1;vmovaps V2, Va;vpxor Vd, Vd, Vd;vpgatherdd Vd {{k1}}, full {by}" if level.is_evex else
              f"vpcmpeqd V1, V1, V1;vmovaps V2, Va;vpgatherdd Vd, full {by}, V1")
    test = 2 if level.is_evex else 3
    return ";".join([head, "vpbroadcastd V1, Xa", f"vpaddd V0, V1, {known(level.lanes, lambda i: 4 * i)}", other(level, 0, "a", 2),
                     f"vmovups Vd, full {at}", f"jmp {test + 3 + gather.count(';') + 1}", other(level, 1, "a", 2),
                     f"vbroadcastss Vd, dword ptr {at}", f"jmp {gather.count(';') + 1}", gather])


def load_near(level, o):
    pointer, further = o["imm"] & 0xffff, o["imm"] >> 16
    more = f" + {further}" if further else ""
    to_pointer = f"qword ptr {place('r15', pointer)}"
    below = (f"mov rax, {to_pointer};vpcmpltud k1, Va, Vb;vmovaps V2, Va;vpxor Vd, Vd, Vd;vpgatherdd Vd {{k1}}, full [rax + V2{more}]"
             if level.is_evex else
             f"mov rax, {to_pointer};vpmaxud V1, Va, Vb;vpcmpeqd V1, V1, Va;vpxor V1, V1, =ffffffff;vmovaps V2, Va;vpxor Vd, Vd, Vd;"
             f"vpgatherdd Vd, full [rax + V2{more}], V1")
    return ";".join([first_lane(level, "eax", "a")(o), first_lane(level, "ecx", "b")(o), f"lea rdi, [rax + {level.vector_B - 4}]",
                     "cmp rdi, rcx", "jae 3", f"mov rdi, {to_pointer}", f"vmovups Vd, full [rdi + rax{more}]",
                     f"jmp {below.count(';') + 1}", below])


def write(level, o):
    pointer, further = o["imm"] & 0xffff, o["imm"] >> 16
    more = f" + {further}" if further else ""
    slots = [64 + level.vector_B * i for i in range(3)]
    return ";".join([f"vmovups full [rsp + {slots[0]}], Va", f"vmovups full [rsp + {slots[1]}], Vb", f"vmovups full [rsp + {slots[2]}], Vc",
                     f"mov rdi, qword ptr {place('r15', pointer)}", "xor eax, eax", f"mov ecx, dword ptr [rsp + 4*rax + {slots[2]}]",
                     "test ecx, ecx", "je 3", f"mov ecx, dword ptr [rsp + 4*rax + {slots[0]}]",
                     f"mov esi, dword ptr [rsp + 4*rax + {slots[1]}]", f"mov dword ptr [rdi + rcx{more}], esi", "inc eax",
                     f"cmp eax, {level.lanes}", "jne -9"])


def test(level, which):
    return f"vpmovd2m k1, V{which};kortestw k1, k1" if level.is_evex else f"vmovmskps eax, V{which};test eax, eax"


def write_near(level, o):
    pointer, further = o["imm"] & 0xffff, o["imm"] >> 16
    slow, head = write(level, o), first_lane(level, "eax", "a")(o)
    return ";".join(["vpxor V1, Vc, =ffffffff", test(level, 1), f"jne {head.count(';') + 4}", head,
                     f"mov rdi, qword ptr {place('r15', pointer)}", f"vmovups full [rdi + rax{f' + {further}' if further else ''}], Vb",
                     f"jmp {slow.count(';') + 1}", slow])


def least(o, is_max):
    """AVX2's: both orders, then NaNs one by one."""
    t = "0" if o["d"] in (o["a"], o["b"]) else "d"
    name, join = ("vmaxps", "vandps") if is_max else ("vminps", "vorps")
    nan = [f"vcmpunordps V1, V{x}, V{x};vblendvps V{t}, V{t}, V{instead}, V1" for x, instead in ("ab", "ba")]
    nan += [f"vcmpunordps V1, V{x}, V{x};vpslld V2, V{x}, 9;vandnps V1, V2, V1;vblendvps V{t}, V{t}, V{x}, V1" for x in "ba"]
    return ";".join([f"{name} V1, Vb, Va", f"{name} V{t}, Va, Vb", f"{join} V{t}, V{t}, V1", "vcmpunordps V1, Va, Vb", "vmovmskps eax, V1",
                     "test eax, eax", "je 12", *nan, f"vmulps Vd, V{t}, =3f800000"])


def joined(mode):
    return f"vcvtps2ph H0, Va, {mode};vpmovzxwd V0, H0;vpand V2, V0, =8000;vpxor V0, V0, V2;vpmaxud V0, V0, V1;vpor Vd, V0, V2"


def half(o, is_rounded):
    mode = 4 if is_rounded else 3
    if o["small"]:
        return f"vcvtps2ph H0, Va, {mode};vpmovzxwd Vd, H0"
    steps = "vpand V1, Va, =7fffffff;vpminud V1, V1, =38800000;"
    if not is_rounded:
        return steps + "vmulps V1, V1, =4b800000;vcvttps2dq V1, V1;" + joined(mode)
    return steps + ("vpand V2, Va, =80000000;vpor V1, V1, V2;vmulps V1, V1, =4b800000;vcvtps2dq V1, V1;vpsrad V2, Va, 31;vpxor V1, V1, V2;"
                    "vpsubd V1, V1, V2;") + joined(mode)


def from_half(level, o):
    to = "d" if o["small"] else "0"
    order = "5040100,d0c0908,80808080,80808080"
    widen = (f"vpmovdw H0, Va;vcvtph2ps V{to}, H0" if level.is_evex else
             f"vpshufb V0, Va, ={order},{order};vpermq V0, V0, 8;vcvtph2ps V{to}, H0")
    if o["small"]:
        return widen
    return widen + (";vpand V2, Va, =7fff;vpminud V2, V2, =400;vcvtdq2ps V2, V2;vmulps V2, V2, =33800000;vpand V1, V0, =80000000;"
                    "vpxor V0, V0, V1;vpmaxud V0, V0, V2;vpor Vd, V0, V1")


def popcount(level):
    table = known(level.lanes, lambda i: (0x02010100, 0x03020201, 0x03020201, 0x04030302)[i % 4])
    return (f"vpand V0, Va, =f0f0f0f;vpsrld V1, Va, 4;vpand V1, V1, =f0f0f0f;vmovups V2, {table};vpshufb V0, V2, V0;vpshufb V1, V2, V1;"
            "vpaddb V0, V0, V1;vpmaddubsw V0, V0, =1010101;vpmaddwd Vd, V0, =10001")


def mulhi(level, name):
    text = f"{name} V0, Va, Vb;vpsrlq V1, Va, 32;vpsrlq V2, Vb, 32;{name} V1, V1, V2;"
    if level.is_evex:
        return text + f"vpsrlq Vd, V0, 32;vpternlogd Vd, V1, {known(16, lambda i: 0xffffffff * (i & 1))}, 248"
    return text + "vpsrlq V0, V0, 32;vpblendd Vd, V0, V1, 170"


def exec_row(level, o):
    return place("rbx", 0x1000 + o["strand"] * level.vector_B)


def mask_place(level, o):
    offset = 16 + o["strand"] * level.lanes // 8
    return f"word ptr [rsp + 2*r13 + {offset}]" if level.is_evex else f"byte ptr [rsp + r13 + {offset}]"


def constant(level, o):
    if o["imm"] == 0:
        return "vpxor Vd, Vd, Vd"
    if o["imm"] == 0xffffffff:
        return "vpternlogd Vd, Vd, Vd, 255" if level.is_evex else "vpcmpeqd Vd, Vd, Vd"
    return f"vmovups Vd, ={o['imm']:x}"


def lane(level, o):
    spread = "vpbroadcastd Vd, r13d" if level.is_evex else "vmovd Xd, r13d;vpbroadcastd Vd, Xd"
    numbers = known(level.lanes, lambda i: o["strand"] * level.lanes + i)
    return f"{spread};vpslld Vd, Vd, {4 if level.is_evex else 3};vpaddd Vd, Vd, {numbers}"


def call(o):
    """Arguments are the first three registers."""
    return "vmovaps V0, Va;vmovaps V1, Vb;vmovaps V2, Vc;mov rdi, r15;movabs rax, 1234605616436508552;call rax;vmovaps Vd, V0"


def shared(level, name, o):
    """Operations that both levels make in the same way."""
    if name in PLAIN:
        return f"{PLAIN[name]} Vd, " + ("Vb, Va" if o["a"] == 32 else "Va, Vb")
    if name in UNARY:
        return UNARY[name]
    if name in SHIFTS:
        return f"vpand V0, Vb, =1f;{SHIFTS[name]}vd Vd, Va, V0"
    if name.endswith("_IMM"):
        return f"{SHIFTS[name[:3]]}d Vd, Va, {o['imm']}"
    rows = {
        "CONST": lambda: constant(level, o), "ROW": lambda: f"vmovups Vd, full {place('rbx', o['imm'])}",
        "SPLAT": lambda: f"vbroadcastss Vd, dword ptr {place('r15', o['imm'])}", "LANE": lambda: lane(level, o),
        "ANDN": lambda: "vpandn Vd, Vb, Va", "NOT": lambda: "vpxor Vd, Va, =ffffffff", "POPCOUNT": lambda: popcount(level),
        "MULHI_U": lambda: mulhi(level, "vpmuludq"), "MULHI_I": lambda: mulhi(level, "vpmuldq"), "FMA": lambda: fused(o, False),
        "FMS": lambda: fused(o, True), "HALF_OF_F32": lambda: half(o, False), "HALF_ROUNDED": lambda: half(o, True),
        "F32_OF_HALF": lambda: from_half(level, o), "QUAD": lambda: f"vpermilps Vd, Va, {o['imm']}", "LOAD": lambda: load(level, o),
        "LOAD_NEAR": lambda: load_near(level, o), "WRITE": lambda: write(level, o), "WRITE_NEAR": lambda: write_near(level, o),
        "CALL": lambda: call(o),
        "STORE_ONE": lambda: f"vmovups full [rsp + 64], Va;mov eax, dword ptr [rsp + 64];mov dword ptr {place('r15', o['imm'])}, eax",
    }
    return rows[name]() if name in rows else None


def avx2(level, name, o):
    store = f"vmovups full {place('rbx', o['imm'])}, V"
    left_out = "1" if not o["strand"] else "2"
    some = f"vpcmpeqd V{left_out}, V{left_out}, V{left_out};vpxor V{left_out}, V{left_out}, full {exec_row(level, o)};"
    bits = known(8, lambda i: 1 << i)
    move_mask = f"vmovmskps eax, V{'a' if o['full'] else '0'};mov {mask_place(level, o)}, al"
    return {
        "EQ": "vpcmpeqd Vd, Vb, Va" if o["a"] == 32 else "vpcmpeqd Vd, Va, Vb", "LT_I": "vpcmpgtd Vd, Vb, Va",
        "LE_I": "vpminsd V0, Va, Vb;vpcmpeqd Vd, V0, Va", "LE_U": "vpminud V0, Va, Vb;vpcmpeqd Vd, V0, Va",
        "LT_U": "vpminud V0, Vb, Va;vpcmpeqd V0, V0, Vb;vpxor Vd, V0, =ffffffff",
        "FEQ": "vcmpeqps Vd, Vb, Va" if o["a"] == 32 else "vcmpeqps Vd, Va, Vb", "FLT": "vcmplt_oqps Vd, Va, Vb",
        "FLE": "vcmple_oqps Vd, Va, Vb", "SELECT": "vblendvps Vd, Vc, Vb, Va", "FMIN": least(o, False), "FMAX": least(o, True),
        "F32_OF_U32": "vpand V0, Va, =ffff;vpsrld Vd, Va, 16;vcvtdq2ps V0, V0;vcvtdq2ps Vd, Vd;vfmadd132ps Vd, V0, =47800000",
        "I32_OF_F32": "vcmpge_oqps V0, Va, =4f000000;vcmpordps V1, Va, Va;vcvttps2dq Vd, Va;vpxor Vd, Vd, V0;vpand Vd, Vd, V1",
        "U32_OF_F32": "vxorps V1, V1, V1;vmaxps V0, Va, V1;vsubps V1, V0, =4f000000;vcmpge_oqps V2, V0, =4f800000;vcvttps2dq V0, V0;"
                      "vcvttps2dq V1, V1;vpsrad Vd, V0, 31;vpand V1, V1, Vd;vpor V0, V0, V1;vpor Vd, V0, V2",
        "TABLE": f"vpermd V0, Va, full {place('r15', o['imm'])};vpermd V1, Va, full {place('r15', o['imm'] + 32)};vpslld V2, Va, 28;"
                 "vblendvps Vd, V0, V1, V2",
        "BITS": f"vpbroadcastb Vd, {mask_place(level, o)};vpand Vd, Vd, {bits};vpcmpeqd Vd, Vd, {bits}",
        "STORE": store + "a" if o["full"] else f"{some}vblendvps V0, Va, full {place('rbx', o['imm'])}, V{left_out};{store}0",
        "STORE_BITS": ("" if o["full"] else f"vandps V0, Va, full {exec_row(level, o)};") + move_mask,
    }[name]


def avx512(level, name, o):
    if name in MASK_COMPARISONS:
        return f"{MASK_COMPARISONS[name]} k2, " + ("Vb, Va" if o["a"] == 32 else "Va, Vb") + ";vpmovm2d Vd, k2"
    k = 6 + o["strand"]
    some = f"vmovups V0, full {exec_row(level, o)};vpmovd2m k{k}, V0;"
    least_imm = 5 if name == "FMAX" else 4
    same = o["d"] == o["a"]
    fma_half = (f"vfmadd213ph Vd, V{'b' if same else 'a'}, Vc" if o["d"] != o["c"] and o["d"] in (o["a"], o["b"]) else
                ("" if o["d"] == o["c"] else "vmovaps Vd, Vc;") + "vfmadd231ph Vd, Va, Vb")
    source = "0" if same else "a"
    return {
        "SELECT": "vpmovd2m k1, Va;vpblendmd Vd {k1}, Vc, Vb", "FMIN": f"vrangeps Vd, Va, Vb, {least_imm};vmulps Vd, Vd, =3f800000",
        "FMAX": f"vrangeps Vd, Va, Vb, {least_imm};vmulps Vd, Vd, =3f800000", "F32_OF_U32": "vcvtudq2ps Vd, Va",
        "I32_OF_F32": "vcmpordps k1, Va, Va;" + ("vmovaps V0, Va;" if same else "") + f"vcvttps2dq Vd {{k1}} {{z}}, V{source};"
                      f"vcmpge_oqps k1, V{source}, =4f000000;vpternlogd Vd {{k1}}, Vd, Vd, 85",
        "U32_OF_F32": "vpxor V1, V1, V1;vmaxps V0, Va, V1;vcvttps2udq Vd, V0", "FMA_HALF": fma_half,
        "FLUSH_HALVES": "vptestnmw k1, Va, =7c007c00;vmovaps Vd, Va;vmulph Vd {k1}, Va, =0",
        "TABLE": f"vpermd Vd, Va, full {place('r15', o['imm'])}", "BITS": f"kmovw k2, {mask_place(level, o)};vpmovm2d Vd, k2",
        "STORE": f"vmovups full {place('rbx', o['imm'])}, Va" if o["full"] else
                 f"{some}vmovups full {place('rbx', o['imm'])} {{k{k}}}, Va",
        "STORE_BITS": "vpmovd2m k1, Va;" + ("" if o["full"] else f"{some}kandw k1, k1, k{k};") + f"kmovw {mask_place(level, o)}, k1",
    }[name]


# Booleans of one program: masks are lanes of ones only where something reads them as such.
BOOLEANS = {
    8: "vpcmpeqd V3, V4, V5;vcmplt_oqps V6, V7, V8;vpand V9, V3, V6;vpandn V10, V6, V3;vpxor V3, V3, =ffffffff;vblendvps V4, V7, V5, V9;"
       "vpaddd V11, V10, V9;vpcmpeqd V1, V1, V1;vpxor V1, V1, full [rbx + 4096];vblendvps V0, V11, full [rbx + 64], V1;"
       "vmovups full [rbx + 64], V0;vandps V0, V3, full [rbx + 4096];vmovmskps eax, V0;mov byte ptr [rsp + r13 + 8], al;"
       "vpcmpeqd V1, V1, V1;vpxor V1, V1, full [rbx + 4096];vblendvps V0, V4, full [rbx + 64], V1;vmovups full [rbx + 64], V0;"
       "vmovups full [rsp + 192], V3;vmovups V6, full [rsp + 160]",
    16: "vpcmpeqd k2, V4, V5;vcmplt_oqps k3, V7, V8;kandw k4, k2, k3;kandnw k5, k3, k2;vpmovm2d V6, k3;knotw k3, k2;"
        "vpblendmd V4 {k4}, V7, V5;vpmovm2d V9, k4;vpmovm2d V10, k5;vpaddd V11, V10, V9;vmovups V0, full [rbx + 4096];vpmovd2m k6, V0;"
        "vmovups full [rbx + 64] {k6}, V11;kandw k1, k3, k6;kmovw word ptr [rsp + 2*r13 + 8], k1;vmovups full [rbx + 64] {k6}, V4;"
        "vpmovm2d V3, k3;vmovups full [rsp + 320], V3;vmovups V6, full [rsp + 256]",
}


def loop(level):
    """The way in, lanes that miss, a round with its ways out, the next lanes, masks, the way out of everything."""
    return ";".join([
        "push rbp;mov rbp, rsp;push rbx;push r13;push r14;push r15", f"and rsp, -{level.vector_B}", f"sub rsp, {64 + 5 * level.vector_B}",
        "mov r15, rdi;mov rbx, rdi;xor r13d, r13d;lea r14, [rip + END]", "mov rax, qword ptr [r15 + 32];mov qword ptr [rsp], rax",
        test(level, 5), "je 2;mov edx, 2147485440;jmp MISS", test(level, 9), "jne 2;mov edx, 3;jmp LEFT", "vmovaps V4, V12",
        "mov rax, qword ptr [r15 + 56];cmp byte ptr [rax], 0", f"je -{2 + 1 + 3 + 2 + 1}", "mov edx, 4294967295;jmp STOP",
        f"add rbx, {2 * level.vector_B};add r13d, 2;cmp r13d, {64 // level.lanes};jne LOOP",
        "mov rax, qword ptr [rsp + 8];mov qword ptr [r15 + 40], rax", f"jmp 3;mov eax, r13d;shl eax, {4 if level.is_evex else 3};or edx, eax",
        "mov eax, edx;lea rsp, [rbp - 32];pop r15;pop r14;pop r13;pop rbx;pop rbp;vzeroupper;ret"])


def meant(level, name, o):
    if name == "booleans":
        return BOOLEANS[level.lanes]
    if name == "loop":
        return loop(level)
    return shared(level, name, o) or (avx512 if level.is_evex else avx2)(level, name, o)


def spell(level, text, o):
    """The text that llvm-mc would write."""
    memory = {"const": lambda at: f"={at:x}", "row": lambda at: f"full {place('rbx', at)}", "slot": lambda at: f"full [rsp + {64 + at * level.vector_B}]",
              "scalar": lambda at: f"dword ptr {place('r15', at)}{{1to16}}"}

    def operand(match):
        bank, which = match.groups()
        number = o[which] if which in "abcd" else int(which)
        if number == 32:
            kind = next(kind for kind in memory if kind in o)
            return memory[kind](o[kind])
        return f"{level.banks[bank]}{number}"
    lines = [re.sub(r"\b([VHX])(\d+|[abcd])\b", operand, line).replace("full [", level.full + " [") for line in text.split(";") if line]
    return [line for line in lines if not re.fullmatch(r"vmovaps (\w+), \1", line)]  # moves to where it is


class Reader:
    """The instructions of all cases' bytes, one case after the other."""

    def __init__(self, level, cases):
        source = "".join(case["bytes"] for case in cases)
        data = ".text\n" + "\n".join(f".byte 0x{source[i:i + 2]}" for i in range(0, len(source), 2))
        with tempfile.NamedTemporaryFile(suffix=".o") as file:
            subprocess.run(["llvm-mc", "-filetype=obj", "-triple=x86_64", "-o", file.name], input=data, text=True, check=True)
            out = subprocess.run(["llvm-objdump", "-d", "--no-show-raw-insn", "--x86-asm-syntax=intel", f"--mattr={x64_forms.FEATURES}", file.name],
                                 capture_output=True, text=True, check=True).stdout
        rows = re.findall(r"^ *([0-9a-f]+):\s+(.*)$", out, re.M)
        self.lines = [(int(address, 16), re.sub(r"\s+", " ", text.split("<")[0].split("#")[0]).strip()) for address, text in rows]
        self.level, self.at, self.base = level, 0, 0

    def take(self, size_B, pool):
        """Those of the next bytes; jumps as how many instructions they go over."""
        first, end = self.at, self.base + size_B
        while self.at < len(self.lines) and self.lines[self.at][0] < end:
            self.at += 1
        insts = self.lines[first:self.at]
        starts = {address: i for i, (address, _) in enumerate(insts)} | {end: len(insts)}
        is_whole = self.at == len(self.lines) or self.lines[self.at][0] == end
        self.base = end
        return [self.plain(i, text, starts, pool) for i, (_, text) in enumerate(insts)] if is_whole else ["ends within an instruction"]

    def plain(self, i, text, starts, pool):
        jump = re.fullmatch(r"(j\w+) 0x([0-9a-f]+)", text)
        if jump:
            target = starts.get(int(jump.group(2), 16))
            return f"{jump.group(1)} {target - i - 1}" if target is not None else f"{text}: into an instruction"
        near = re.fullmatch(r"(.*)\[rip \+ (\d+)\]", text)
        if near and list(starts)[i + 1] + int(near.group(2)) == list(starts)[-1]:
            return near.group(1) + "[rip + END]"
        name, _, rest = text.partition(" ")
        text = f"{EVEX_NAMES.get(name, name)} {rest}".strip() if self.level.is_evex else text

        def constant_at(match):
            number = int(match.group(2) or 0) // self.level.vector_B
            return "=" + pool[number] if number < len(pool) else match.group(0)
        return re.sub(re.escape(self.level.full) + r" \[r14( \+ (\d+))?\]", constant_at, text)


def with_ways(told):
    """Far jumps of a loop by name: what was meant says where they go."""
    ways = {"MISS": "mov eax, r13d", "LEFT": "add rbx", "STOP": "mov eax, edx"}
    for i, line in enumerate(told):
        name, _, way = line.partition(" ")
        if way in ways:
            told[i] = f"{name} {next(n for n, other in enumerate(told) if other.startswith(ways[way])) - i - 1}"
        elif way == "LOOP":  # the test of who misses
            told[i] = f"{name} {next(n for n, other in enumerate(told) if other.startswith(('vpmovd2m', 'vmovmskps'))) - i - 1}"
    return told


def read_cases(program):
    cases = []
    for line in subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines():
        name, operands, code, pool = line.split("\t")
        o = {key: int(value) for key, value in (word.split("=") for word in operands.split())}
        cases.append({"name": name, "operands": operands, "o": o, "bytes": code, "pool": pool.split()})
    return cases


def main():
    t = tap.Tap()
    missing = [tool for tool in ("llvm-mc", "llvm-objdump") if not shutil.which(tool)]
    if missing:
        return t.skip_all(f"no {' and no '.join(missing)}")
    for lanes, program in zip((8, 16), sys.argv[1:]):
        level = Level(lanes)
        cases = read_cases(program)
        reader = Reader(level, cases)
        wrong, counts = {}, {}
        for case in cases:
            counts[case["name"]] = counts.get(case["name"], 0) + 1
            got = reader.take(len(case["bytes"]) // 2, case["pool"])
            told = with_ways(spell(level, meant(level, case["name"], case["o"]), case["o"]))
            if got != told:
                wrong.setdefault(case["name"], []).append(f"{case['operands']}\n  is    {'; '.join(got)}\n  meant {'; '.join(told)}")
        for name, count in counts.items():
            t.case(f"{'AVX-512' if level.is_evex else 'AVX2'}: {name}, {count} times", name not in wrong, "\n".join(wrong.get(name, [])[:3]))
    return t.done()


if __name__ == "__main__":
    sys.exit(main())
