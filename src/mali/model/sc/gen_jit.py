#!/usr/bin/env python3
"""Writes how ALU instructions on words and pairs of halves are lowered to lane programs (jit.c), from the same meanings that the kernels come from.

    gen_jit.py ISA_DIRECTORY CALLS ROWS     the functions that lane programs call; what writes the programs"""
import sys

import gen_alu
import dialect
import jit_c
import meanings

WORDS = ("f32", "u32", "i32", "u16", "i16", "f16", "u16x2", "i16x2", "f16x2")


class Mali(jit_c.Family):
    prefix, program = "mali_sc_jit_", "&b->exec.program"
    places = {name: f"b->{place}" for name, place in gen_alu.Kernels.places.items()}
    immediate, clamp = "b->uop->imm2", "b->uop->imm & 1"
    primitives = ("frexp_mant", "frexp_exp", "log_slope", "ldexp")  # jit_math.c
    mode = "((const struct mali_warp *)frame)->lane_mode"

    def __init__(self, rows):
        self.numbers = {row.name: n for n, row in enumerate(rows)}

    def opcode(self, row):
        return str(self.numbers[row.name])


def main():
    rows = [row for row in meanings.read() if all(o.type in WORDS for o in row.operands) and row.operand("d").type not in ("u16", "i16", "f16")]
    calls, lowered = jit_c.files(Mali(rows), gen_alu.Kernels(rows, dialect.VALHALL), rows, "struct sc_jit_builder", "struct sc_jit_row")
    jit_c.write(sys.argv[2], ("mali/isa/lane_ops.h", "mali/model/sc/jit_build.h", "model/lanes.h"), calls)
    jit_c.write(sys.argv[3], ("mali/model/sc/jit_build.h",), lowered)


if __name__ == "__main__":
    main()
