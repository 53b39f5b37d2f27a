#!/usr/bin/env python3
"""Writes how ALU instructions on words and pairs of halves are lowered to lane programs (jit.c), from the same meanings that the kernels come from.

    gen_jit.py ISA_DIRECTORY OUTPUT"""
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
    kernels, family = gen_alu.Kernels(rows, dialect.VALHALL), Mali(rows)
    text = ['#include "mali/isa/lane_ops.h"\n#include "mali/model/sc/jit_build.h"\n#include "model/lanes.h"\n']
    calls_table, table = [], []
    lowered = []
    for row in rows:
        lines, calls, not_clamped = jit_c.lower(family, kernels.parse(row))
        if lines is None:
            continue
        for name, *_ in calls.results if calls else ():
            text += calls.function(name)
        if calls:
            calls_table.append(f"    [{family.opcode(row)}] = {{{', '.join(calls.name(name) for name, *_ in calls.results)}}},")
        lowered.append((row, lines))
        table.append(f"    {{{kernels.name(row)}, lower_{row.name}, {str(not_clamped).lower()}}},")
    text += [f"static const jit_call mali_sc_jit_calls[{len(rows)}][1] = {{", *calls_table, "};\n"]
    for row, lines in lowered:
        text += [f"void {kernels.name(row)}({kernels.arguments});", f"static void lower_{row.name}(struct sc_jit_builder *b)\n{{", *lines, "}\n"]
    text += ["const struct sc_jit_row mali_sc_jit_rows[] = {", *table, "};", f"const unsigned mali_sc_jit_row_count = {len(table)};\n"]
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write("/* Written by gen_jit.py. */\n" + "\n".join(text))


if __name__ == "__main__":
    main()
