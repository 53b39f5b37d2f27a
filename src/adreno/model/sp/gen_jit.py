#!/usr/bin/env python3
"""Writes how ALU instructions are lowered to lane programs (jit.c), from the same meanings that the kernels come from.

    gen_jit.py ISA_DIRECTORY OUTPUT"""
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
    kernels, family = gen_alu.Kernels(rows, dialect.IR3), Adreno(rows)
    text = ['#include "adreno/isa/lane_ops.h"\n#include "adreno/model/sp/jit_build.h"\n#include "model/lanes.h"\n']
    calls_table, table = [], []
    lowered = []
    for row in rows:
        lines, calls, not_clamped = jit_c.lower(family, kernels.parse(row))
        # A called function rounds to nearest: what is converted to a half by another rule has no lowering here.
        if lines is None or (calls and not row.sizes and row.operand("d").type == "f16" and row.operand("s0").type != "f32"):
            continue
        for name, *_ in calls.results if calls else ():
            text += calls.function(name)
        if calls:
            calls_table.append(f"    [{family.opcode(row)}] = {{{', '.join(calls.name(name) for name, *_ in calls.results)}}},")
        lowered.append((row, lines))
        table.append(f"    {{{kernels.name(row)}, lower_{row.name}, {str(not_clamped).lower()}}},")
    text += [f"static const jit_call adreno_sp_jit_calls[{len(rows)}][1] = {{", *calls_table, "};\n"]
    for row, lines in lowered:
        text += [f"void {kernels.name(row)}({kernels.arguments});", f"static void lower_{row.name}(struct sp_jit_builder *b)\n{{", *lines, "}\n"]
    text += ["const struct sp_jit_row adreno_sp_jit_rows[] = {", *table, "};", f"const unsigned adreno_sp_jit_row_count = {len(table)};\n"]
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write("/* Written by gen_jit.py. */\n" + "\n".join(text))


if __name__ == "__main__":
    main()
