#!/usr/bin/env python3
"""Writes the executor's ALU kernels: one function for every meaning (src/mali/isa/meanings.py). Not for: the loops of a kernel
(src/isa/kernel_c.py), what stands around a kernel (translate.c).

    gen_alu.py ISA_DIRECTORY PART PARTS OUTPUT      one of PARTS files, so that they compile side by side
    gen_alu.py ISA_DIRECTORY table OUTPUT           the table of kernels"""
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import dialect  # noqa: E402
import kernel_c  # noqa: E402
import meanings  # noqa: E402

ROUNDINGS = {"rte": 0, "rtp": 1, "rtn": 2, "rtz": 3}
CONDITIONS = {name: number for number, name in enumerate(meanings.CONDITIONS)}
MUX = {"neg": 0, "int_zero": 1, "fp_zero": 2, "bit": 3}
FLAGS = {"": 0, "rhadd": 1, "signed": 1, "neg": 1, "sqrt": 1, "null": 2, "log": 2, "neg_null": 3}


def variant_number(row):
    if row.variant.endswith("_first"):
        return 8 + CONDITIONS[row.variant[:-6]]
    if row.op.startswith("MUX"):
        return MUX[row.variant]
    for names in (ROUNDINGS, CONDITIONS, FLAGS):
        if row.variant in names:
            return names[row.variant]
    raise KeyError(row.variant)


class Kernels(kernel_c.Kernels):
    prefix = "mali_sc_alu_"
    arguments = "struct mali_warp *warp, const struct sc_uop *uop"
    places = {"d": "uop->d", "s0": "uop->s[0]", "s1": "uop->s[1]", "s2": "uop->s[2]", "s3": "uop->s[3]"}
    mode, lanes, clamp, active, lane_bit = "warp->lane_mode", "MALI_ROW_LANES", "uop->imm & 1", "warp->active", "lane_bit"
    includes = ("mali/isa/lane_ops.h", "mali/model/sc/alu.h")

    def has_kernel(self, ast):
        return True

    def at(self, place):
        return f"sc_at(warp, {place})"

    def immediate(self, kind):
        return "uop->imm2"

    def table(self):
        text = ['#include "mali/model/sc/alu.h"\n']
        text += [f"void {self.name(row)}({self.arguments});" for row in self.rows]
        text.append("\nconst sc_run_fn mali_sc_alu_kernels[MALI_ISA_OP_COUNT][SC_VARIANTS] = {")
        text += [f"    [MALI_ISA_OP_{meanings.ident(row.op).upper()}][{variant_number(row)}] = {self.name(row)}," for row in self.rows]
        return "\n".join(text + ["};\n"])


def main():
    kernels = Kernels(meanings.read(), dialect.VALHALL)
    if sys.argv[2] == "table":
        text, path = kernels.table(), sys.argv[3]
    else:
        text, path = kernels.part(int(sys.argv[2]), int(sys.argv[3])), sys.argv[4]
    with open(path, "w", encoding="utf-8") as file:
        file.write("/* Written by gen_alu.py. */\n" + text)


if __name__ == "__main__":
    main()
