#!/usr/bin/env python3
"""Writes the executor's ALU kernels: one function for every meaning (src/adreno/isa/meanings.py). Not for: the loops of a kernel
(src/isa/kernel_c.py), what stands around a kernel (translate.c).

    gen_alu.py ISA_DIRECTORY PART PARTS OUTPUT      one of PARTS files, so that they compile side by side
    gen_alu.py ISA_DIRECTORY table OUTPUT           the tables of kernels"""
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import dialect  # noqa: E402
import kernel_c  # noqa: E402
import meanings  # noqa: E402

VARIANTS = {"": 0, "lt": 0, "le": 1, "gt": 2, "ge": 3, "eq": 4, "ne": 5, "ei": 1, "unsigned_low": 0, "mixed_low": 1, "unsigned_high": 2,
            "mixed_high": 3}
SIZES = {"ff": 0, "fh": 1, "hf": 2, "hh": 3}


class Kernels(kernel_c.Kernels):
    prefix = "adreno_sp_alu_"
    arguments = "struct adreno_wave *wave, const struct sp_uop *uop"
    places = {"d": "uop->d", "s0": "uop->s[0]", "s1": "uop->s[1]", "s2": "uop->s[2]"}
    mode, lanes, clamp, active, lane_bit = "wave->lane_mode", "wave->lanes", "uop->imm & 1", "wave->active", "lane_bit"
    mask_type = "struct lane_mask"
    includes = ("adreno/isa/lane_ops.h", "adreno/model/sp/alu.h")

    def has_kernel(self, ast):
        return True

    def at(self, place):
        return f"sp_at(wave, {place})"

    def mask_group(self, mask):
        return f"(uint32_t)({mask}.bits[group / 64] >> (group & 32))"

    # A half lies in one of the halves of a row's dwords; the other one is kept.

    def narrow_head(self, name):
        return [f"    const uint32_t h_{name} = sp_shift({self.places[name]});"] + \
            ([f"    const uint32_t keep_{name} = 0xffff0000u >> h_{name};"] if name == "d" else [])

    def narrow_lane(self, name, at):
        return f"({at} >> h_{name})"

    def narrow_bits(self, name, at, value):
        return f"(({at} & keep_{name}) | (uint32_t)(uint16_t){value} << h_{name})"

    def table(self):
        text = ['#include "adreno/model/sp/alu.h"\n']
        text += [f"void {self.name(row)}({self.arguments});" for row in self.rows]
        text.append("\nconst sp_run_fn adreno_sp_alu_kernels[ADRENO_ISA_OP_COUNT][SP_VARIANTS][4] = {")
        for row in self.rows:
            if row.sizes:
                op = meanings.ident(row.op).upper()
                text.append(f"    [ADRENO_ISA_OP_{op}][{VARIANTS[row.variant]}][{SIZES[row.sizes]}] = {self.name(row)},")
        text.append("};\n\nconst sp_run_fn adreno_sp_move_kernels[8][8] = {")
        for row in self.rows:
            if not row.sizes:
                source, dst = (meanings.TYPE_NUMBERS[t] for t in row.name.split("_")[1:])
                text.append(f"    [{source}][{dst}] = {self.name(row)},")
        return "\n".join(text + ["};\n"])


def main():
    kernels = Kernels(meanings.read(), dialect.IR3)
    if sys.argv[2] == "table":
        text, path = kernels.table(), sys.argv[3]
    else:
        text, path = kernels.part(int(sys.argv[2]), int(sys.argv[3])), sys.argv[4]
    with open(path, "w", encoding="utf-8") as file:
        file.write("/* Written by gen_alu.py. */\n" + text)


if __name__ == "__main__":
    main()
