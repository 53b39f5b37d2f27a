#!/usr/bin/env python3
"""Judge of ALU meanings: what LLVM's optimiser folds to constants must equal what our lane code computes.

    judge_lane.py LANE_RUN

`opt` knows AMD's intrinsics (cube faces, legacy multiplication, v_perm, v_class, ...) and the generic ones whose semantics an
instruction must have (saturating conversions and sums, minnum, fused products, roundings). Each case is one row of FOLDS.
"""
import math
import random
import re
import shutil
import struct
import subprocess
import sys
import os

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../tests"))
import tap  # noqa: E402

COUNT = 200  # cases a row

# instruction, argument types, result type, LLVM's expression of {0} {1} {2} with {R} the result's type, clamp bit
CALL = "call {R} @llvm.{name}({args})"
FOLDS = [
    ("v_cubeid_f32", "fff", "f", "amdgcn.cubeid", 0), ("v_cubema_f32", "fff", "f", "amdgcn.cubema", 0),
    ("v_cubesc_f32", "fff", "f", "amdgcn.cubesc", 0), ("v_cubetc_f32", "fff", "f", "amdgcn.cubetc", 0),
    ("v_mul_legacy_f32", "ff", "f", "amdgcn.fmul.legacy", 0), ("v_fma_legacy_f32", "fff", "f", "amdgcn.fma.legacy", 0),
    ("v_fract_f32", "f", "f", "amdgcn.fract.f32", 0), ("v_fract_f64", "d", "d", "amdgcn.fract.f64", 0),
    ("v_frexp_mant_f32", "f", "f", "amdgcn.frexp.mant.f32", 0), ("v_frexp_exp_i32_f32", "f", "i", "amdgcn.frexp.exp.i32.f32", 0),
    ("v_frexp_mant_f64", "d", "d", "amdgcn.frexp.mant.f64", 0), ("v_frexp_exp_i32_f64", "d", "i", "amdgcn.frexp.exp.i32.f64", 0),
    ("v_cmp_class_f32", "fc", "b", "amdgcn.class.f32", 0), ("v_cmp_class_f64", "dc", "b", "amdgcn.class.f64", 0),
    ("v_perm_b32", "iii", "i", "amdgcn.perm", 0), ("v_bfe_u32", "iii", "i", "amdgcn.ubfe.i32", 0),
    ("v_bfe_i32", "iii", "i", "amdgcn.sbfe.i32", 0), ("v_ldexp_f32", "fi", "f", "amdgcn.ldexp.f32", 0),
    ("v_ldexp_f64", "di", "d", "amdgcn.ldexp.f64", 0),
    ("v_cvt_i32_f32", "f", "i", "fptosi.sat.i32.f32", 0), ("v_cvt_u32_f32", "f", "i", "fptoui.sat.i32.f32", 0),
    ("v_cvt_i32_f64", "d", "i", "fptosi.sat.i32.f64", 0), ("v_cvt_u32_f64", "d", "i", "fptoui.sat.i32.f64", 0),
    ("v_cvt_i16_f16", "h", "s", "fptosi.sat.i16.f16", 0), ("v_cvt_u16_f16", "h", "s", "fptoui.sat.i16.f16", 0),
    ("v_floor_f32", "f", "f", "floor.f32", 0), ("v_ceil_f64", "d", "d", "ceil.f64", 0), ("v_trunc_f32", "f", "f", "trunc.f32", 0),
    ("v_rndne_f32", "f", "f", "roundeven.f32", 0), ("v_rndne_f64", "d", "d", "roundeven.f64", 0), ("v_rndne_f16", "h", "h", "roundeven.f16", 0),
    ("v_fma_f32", "fff", "f", "fma.f32", 0), ("v_fma_f64", "ddd", "d", "fma.f64", 0), ("v_fma_f16", "hhh", "h", "fma.f16", 0),
    ("v_alignbit_b32", "iii", "i", "fshr.i32", 0), ("v_bfrev_b32", "i", "i", "bitreverse.i32", 0),
    ("v_add_nc_u32", "ii", "i", "uadd.sat.i32", 1), ("v_sub_nc_u32", "ii", "i", "usub.sat.i32", 1),
    ("v_add_nc_i32", "ii", "i", "sadd.sat.i32", 1), ("v_sub_nc_i32", "ii", "i", "ssub.sat.i32", 1),
    ("v_add_nc_u16", "ss", "s", "uadd.sat.i16", 1), ("v_sub_nc_i16", "ss", "s", "ssub.sat.i16", 1),
    ("v_max_i32", "ii", "i", "smax.i32", 0), ("v_min_u32", "ii", "i", "umin.i32", 0), ("v_max_i16", "ss", "s", "smax.i16", 0),
    ("v_add_f32", "ff", "f", "= fadd float {0}, {1}", 0), ("v_mul_f16", "hh", "h", "= fmul half {0}, {1}", 0),
    ("v_sub_f16", "hh", "h", "= fsub half {0}, {1}", 0), ("v_add_f64", "dd", "d", "= fadd double {0}, {1}", 0),
    ("v_cvt_f16_f32", "f", "h", "= fptrunc float {0} to half", 0), ("v_cvt_f32_f16", "h", "f", "= fpext half {0} to float", 0),
    ("v_cvt_f32_f64", "d", "f", "= fptrunc double {0} to float", 0), ("v_cvt_f64_f32", "f", "d", "= fpext float {0} to double", 0),
    ("v_cvt_f32_i32", "i", "f", "= sitofp i32 {0} to float", 0), ("v_cvt_f32_u32", "i", "f", "= uitofp i32 {0} to float", 0),
    ("v_cvt_f16_u16", "s", "h", "= uitofp i16 {0} to half", 0), ("v_cvt_f64_i32", "i", "d", "= sitofp i32 {0} to double", 0),
    ("v_mul_lo_u32", "ii", "i", "= mul i32 {0}, {1}", 0), ("v_xor_b32", "ii", "i", "= xor i32 {0}, {1}", 0),
    ("v_cmp_lt_f32", "ff", "b", "= fcmp olt float {0}, {1}", 0), ("v_cmp_nlt_f32", "ff", "b", "= fcmp uge float {0}, {1}", 0),
    ("v_cmp_u_f64", "dd", "b", "= fcmp uno double {0}, {1}", 0), ("v_cmp_lg_f16", "hh", "b", "= fcmp one half {0}, {1}", 0),
    ("v_cmp_ge_i16", "ss", "b", "= icmp sge i16 {0}, {1}", 0), ("v_cmp_gt_u32", "ii", "b", "= icmp ugt i32 {0}, {1}", 0),
]
TYPES = {"f": "float", "d": "double", "h": "half", "i": "i32", "c": "i32", "s": "i16", "b": "i1"}
EDGES = {
    "f": [0, 0x80000000, 1, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x3f000000, 0x3effffff, 0x40200000, 0xc0200000, 0x4f000000,
          0x4effffff, 0xcf000000, 0x4f800000, 0x477fe000, 0x477ff000, 0x33000000, 0x33000001, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000],
    "h": [0, 0x8000, 1, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x3800, 0x4100, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00],
    "i": [0, 1, 5, 8, 31, 32, 33, 64, 0x0c0d0b08, 0x07060504, 0x01000001, 0x7fffffff, 0x80000000, 0xffffffff],
    "s": [0, 1, 0x7fff, 0x8000, 0xffff],
}


def f32(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def f64_bits(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


EDGES["d"] = [f64_bits(f32(bits)) for bits in EDGES["f"]] + [1, 0x0010000000000000, 0x7fefffffffffffff, f64_bits(2147483647.5),
                                                           f64_bits(-2147483648.5), f64_bits(4294967295.5)]
WIDTH = {"f": 32, "h": 16, "i": 32, "s": 16, "d": 64}


def value_of(kind, source):
    if kind == "c":
        return 1 << source.randrange(10)
    value = source.choice(EDGES[kind]) if source.random() < 0.6 else source.getrandbits(WIDTH[kind])
    if is_nan(kind, value):  # LLVM makes no difference between NaNs
        value = {"f": 0x7fc00000, "h": 0x7e00, "d": 0x7ff8000000000000}[kind]
    return value


def is_nan(kind, bits):
    return kind in "fhd" and {"f": bits & 0x7fffffff > 0x7f800000, "h": bits & 0x7fff > 0x7c00,
                              "d": bits & (1 << 63) - 1 > 0x7ff0000000000000}[kind]


def spell(kind, bits):
    if kind == "f":
        return f"0x{f64_bits(f32(bits)):016X}"
    return f"0xH{bits:04X}" if kind == "h" else f"0x{bits:016X}" if kind == "d" else str(bits)


def unspell(kind, text):
    """The bits of a constant that LLVM printed; None for what it left open."""
    if text in ("undef", "poison"):
        return None
    if kind == "b":
        return int(text == "true")
    if kind in "isc":
        return int(text) & (1 << WIDTH["s" if kind == "s" else "i"]) - 1
    if kind == "h":
        return int(text[3:], 16)
    value = struct.unpack("<d", struct.pack("<Q", int(text, 16)))[0] if text.startswith("0x") else float(text)
    if kind == "d":
        return f64_bits(value)
    return struct.unpack("<I", struct.pack("<f", value))[0] if not math.isnan(value) else 0x7fc00000


def module(cases):
    declared, text = set(), ['target triple = "amdgcn-amd-amdhsa"']
    for number, (row, values) in enumerate(cases):
        _, args, result, how, _ = row
        spelled = [spell(kind, value) for kind, value in zip(args, values)]
        if how.startswith("="):
            expression = how[2:].format(*spelled)
        else:
            declared.add(f"declare {TYPES[result]} @llvm.{how}({', '.join(TYPES[a] for a in args)})")
            expression = CALL.format(R=TYPES[result], name=how, args=", ".join(f"{TYPES[a]} {s}" for a, s in zip(args, spelled)))
        text.append(f"define {TYPES[result]} @t{number}() {{\n  %x = {expression}\n  ret {TYPES[result]} %x\n}}")
    return "\n".join(text[:1] + sorted(declared) + text[1:]) + "\n"


def fold(cases):
    run = subprocess.run(["opt", "-S", "-passes=instcombine"], input=module(cases), capture_output=True, text=True, check=True)
    found = re.finditer(r"define \w+ @t(\d+)\(\)[^{]*\{\s*ret \w+ (\S+)\s*\}", run.stdout)
    return {int(match.group(1)): match.group(2) for match in found}


def ours(program, cases):
    lines = [" ".join([row[0]] + [f"{v:x}" for v in (list(values) + [0, 0])[:3]] + [str(row[4])]) for row, values in cases]
    run = subprocess.run([program], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    return [(int(d, 16), int(mask)) for d, mask in (line.split() for line in run.stdout.splitlines())]


def main():
    report, source = tap.Tap(), random.Random(7)
    if not shutil.which("opt"):
        report.skip("LLVM's constant folding", "opt is not installed")
        return report.done()
    cases = [(row, [value_of(kind, source) for kind in row[1]]) for row in FOLDS for _ in range(COUNT)]
    theirs, mine = fold(cases), ours(sys.argv[1], cases)
    for index, row in enumerate(FOLDS):
        compared, wrong = 0, []
        for number in range(index * COUNT, (index + 1) * COUNT):
            want = unspell(row[2], theirs[number]) if number in theirs else None
            if want is None:
                continue
            width = {"b": 1, "c": 32}.get(row[2]) or WIDTH[row[2]]
            got = mine[number][1] if row[2] == "b" else mine[number][0] & (1 << width) - 1
            compared += 1
            if got != want and not (is_nan(row[2], got) and is_nan(row[2], want)):
                wrong.append(f"{row[0]} {' '.join(f'{v:x}' for v in cases[number][1])}: {got:x}, LLVM {want:x}")
        report.case(f"{row[0]} equals LLVM's {row[3].strip('= ')} ({compared} values)", compared >= COUNT // 4 and not wrong,
                    "\n".join(wrong[:5]) or "LLVM folded too few")
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
