#!/usr/bin/env python3
"""Writes how ALU instructions are lowered to lane programs (sq_jit.c), from the same meanings that the executor's kernels come from. Not for: the
lowering of a meaning (src/isa/jit_c.py).

    gen_jit.py ISA_DIRECTORY rows OUTPUT        the lowering of every row that has one, and the table
    gen_jit.py ISA_DIRECTORY calls OUTPUT       functions for the others, which lane programs call"""
import sys

import gen_alu
import jit_c
import lane


class Radeon(jit_c.Family):
    prefix, program = "amd_sq_jit_", "&b->exec.program"
    places = {name: f"b->{place}" for name, place in gen_alu.Kernels.places.items()}
    masks = {"vcc": "amd_sq_jit_register(SQ_VCC)", "exec": "amd_sq_jit_register(SQ_EXEC)"}
    immediate, clamp, active, flags = "b->uop->imm", "b->uop->inst->alu.clamp", "exec", ("scc",)
    mode = "((const struct sq_wave *)frame)->lane_mode"

    def opcode(self, row):
        return f"ISA_OP_{row.name.upper()}"

    def state(self, name):
        if name in ("p0", "p10", "p20"):
            return self.op("read_row", self.op("interpolant", f"SQ_{name.upper()}"))
        return {"m0": self.op("read_scalar", "amd_sq_jit_register(SQ_M0)"),
                "attr_high": self.op("const", "b->uop->inst->alu.high ? UINT32_MAX : 0")}.get(name)


class Generator:
    def __init__(self, directory):
        self.kernels, self.family = gen_alu.Kernels(directory), Radeon()
        self.rows = []
        for row in self.kernels.rows:
            ast = self.kernels.parse(row)
            if self.kernels.has_kernel(ast) and any(s.value for s in ast.statements):
                self.rows.append((ast, *jit_c.lower(self.family, ast)))

    def text_of_rows(self):
        text = ['#include "amd/model/sq/sq_jit_build.h"\n']
        table = []
        for ast, lines, _, not_clamped in self.rows:
            if lines is None:
                continue
            text += [f"static void lower_{ast.row.name}(struct sq_jit_builder *b)\n{{"] + lines + ["}\n"]
            half = lane.fp_class(ast) == "f16"
            table.append(f"    [{self.family.opcode(ast.row)}] = {{lower_{ast.row.name}, {str(not_clamped).lower()}, {str(half).lower()}, "
                         f"{str(ast.is_scalar).lower()}}},")
        return "\n".join(text + ["const struct sq_jit_row amd_sq_jit_rows[ISA_OP_COUNT] = {"] + table + ["};\n"])

    def text_of_calls(self):
        text = ['#include "amd/isa/lane/lane_ops.h"\n#include "amd/model/sq/sq_alu.h"\n']
        table = []
        for ast, _, calls, _ in self.rows:
            if not calls:
                continue
            for name, *_ in calls.results:
                text += calls.function(name)
            table.append(f"    [{self.family.opcode(ast.row)}] = {{{', '.join(calls.name(name) for name, *_ in calls.results)}}},")
        text += ["const jit_call amd_sq_jit_calls[ISA_OP_COUNT][2] = {"]
        return "\n".join(text + table + ["};\n"])


def main():
    generator = Generator(sys.argv[1])
    text = generator.text_of_rows() if sys.argv[2] == "rows" else generator.text_of_calls()
    with open(sys.argv[3], "w", encoding="utf-8") as file:
        file.write("/* Written by gen_jit.py. */\n" + text)


if __name__ == "__main__":
    main()
