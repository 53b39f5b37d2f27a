#!/usr/bin/env python3
"""Writes how ALU instructions are lowered to lane programs (jit.c), from the same meanings that the kernels come from.

    gen_jit.py ISA_DIRECTORY CALLS ROWS     the functions that lane programs call; what writes the programs"""
import sys

import gen_alu
import dialect
import jit_c
import meanings

TYPES = ("f32", "u32", "i32", "f16", "u16", "i16")


class Adreno(jit_c.Family):
    prefix, program = "adreno_sp_jit_", "&b->exec.program"
    places = {name: f"b->{place}" for name, place in gen_alu.Kernels.places.items()}
    immediate, clamp, mode = "b->uop->imm", "b->uop->imm & 1", "adreno_sp_float_mode"

    def __init__(self, rows):
        self.numbers = {row.name: n for n, row in enumerate(rows)}

    def opcode(self, row):
        return str(self.numbers[row.name])


def main():
    rows = [row for row in meanings.read() if all(o.type in TYPES for o in row.operands)]
    # A called function rounds to nearest: what is converted to a half by another rule has no lowering here.
    calls, lowered = jit_c.files(
        Adreno(rows), gen_alu.Kernels(rows, dialect.IR3), rows, "struct sp_jit_builder", "struct sp_jit_row",
        lambda row, calls: not calls or row.sizes or row.operand("d").type != "f16" or row.operand("s0").type == "f32")
    jit_c.write(sys.argv[2], ("adreno/isa/lane_ops.h", "adreno/model/sp/jit_build.h", "model/lanes.h"), calls)
    jit_c.write(sys.argv[3], ("adreno/model/sp/jit_build.h",), lowered)


if __name__ == "__main__":
    main()
