#!/usr/bin/env python3
"""Writes the executor's ALU kernels: one function for every instruction whose meaning is a lane expression. Not for: the meanings
(src/amd/isa/*.table), the loops of a kernel (src/isa/kernel_c.py), or what stands around a kernel (sq_translate.c).

    gen_alu.py ISA_DIRECTORY PART PARTS OUTPUT       one of PARTS files, so that they compile side by side
    gen_alu.py ISA_DIRECTORY table OUTPUT            the table from opcode to kernel
    gen_alu.py ISA_DIRECTORY classes OUTPUT          whose float mode rules an opcode

Instructions that touch more than their operands and
the wave's plain state (branches, hardware registers, waits, cross-lane moves) are written by hand in sq_special.c and sq_control.c."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../isa"))
import dialect  # noqa: E402
import kernel_c  # noqa: E402
import lane  # noqa: E402
import table  # noqa: E402

BY_HOST = ("v_cvt_pkrtz_f16_f32",)  # sq_alu_host.h has these, too


class Kernels(kernel_c.Kernels):
    prefix = "amd_sq_alu_"
    arguments = "struct sq_wave *wave, const struct sq_uop *uop"
    places = {"d": "uop->d", "sd": "uop->sd", "s0": "uop->s[0]", "s1": "uop->s[1]", "s2": "uop->s[2]"}
    mode, lanes, clamp, active, lane_bit = "wave->lane_mode", "wave->lanes", "uop->inst->alu.clamp", "sq_exec(wave)", "lane_bit"
    read64, write64 = "sq_read64", "sq_write64"
    masks = {"vcc": "&wave->sgpr[SQ_VCC]", "exec": "&wave->sgpr[SQ_EXEC]"}
    includes = ("amd/isa/lane/lane_ops.h", "amd/model/sq/sq_alu.h")

    def __init__(self, directory):
        rows = [row for row in table.read(directory)
                if row.format in dialect.SCALAR_FORMATS + dialect.VECTOR_FORMATS and "gfx10_3" in row.opcodes
                and not row.meaning.startswith("helper")]
        super().__init__(rows, dialect.RDNA)

    def by_hand(self, ast):
        """Whether sq_special.c has the instruction instead."""
        return ast.is_wave or bool(lane.implicit_writes(ast) & {"hwreg"}) or "hwreg" in lane.implicit_reads(ast)

    def is_control(self, ast):
        """Whether sq_control.c has it: branches and waits."""
        return bool((lane.implicit_reads(ast) | lane.implicit_writes(ast)) & {"pc", "priv", "counters"})

    def has_kernel(self, ast):
        return not self.by_hand(ast) and not self.is_control(ast)

    def at(self, place):
        return f"sq_at(wave, {place})"

    def relative(self, ast, name, offset):
        return f"sq_relative_{'s' if ast.is_scalar else 'v'}gpr(wave, {self.places[name]}, {offset})"

    def offset_names(self):
        return {"m0": "wave->sgpr[SQ_M0]"}

    def scalar_state(self, name):
        if name == "scc":
            return "wave->scc", "wave->scc = v_scc"
        if name == "m0":
            return "wave->sgpr[SQ_M0]", "wave->sgpr[SQ_M0] = v_m0"
        if name in self.masks:
            return f"sq_read64({self.masks[name]})", f"sq_write64({self.masks[name]}, v_{name})"
        if name in ("exec_lo", "exec_hi"):
            place = f"wave->sgpr[SQ_EXEC{' + 1' if name == 'exec_hi' else ''}]"
            return place, f"{place} = v_{name}"
        raise KeyError(name)

    def lane_state(self, ast, name):
        if name in ("p0", "p10", "p20"):
            return [f"    const uint32_t *p_{name} = sq_interpolant(wave, SQ_{name.upper()});"], f"p_{name}[group + i]"
        plain = {"lane": "(uint32_t)(group + i)", "m0": "wave->sgpr[SQ_M0]", "attr_high": "uop->inst->alu.high"}
        return ([], plain[name]) if name in plain else super().lane_state(ast, name)

    def immediate(self, kind):
        return "lane_as_f32_u32(uop->imm)" if kind == "f32" else f"({kernel_c.lane_c.C_TYPES[kind]})uop->imm"

    def read_mask(self, place):
        return f"sq_read_mask(wave, {place})"

    def write_mask(self, name, place, value):
        return [f"    sq_write_mask(wave, {place}, {value});"] + (["    sq_exec_changed(wave);"] if name == "exec" else [])

    def narrow_bits(self, name, at, value):
        return f"(({at} & 0xffff0000u) | (uint16_t){value})"  # the other half of the register is kept

    def before_loop(self, ast):
        if ast.row.name not in BY_HOST:
            return []
        sources = ", ".join(f"p_{name}" for name, *_ in lane.parameters(ast) if name != "d")
        return ["    uint32_t out[LANES_MAX];",
                f"    if (sq_host_{ast.row.name}(mode, wave->exec_full ? p_d : out, {sources}, wave->lanes)) {{",
                "        if (!wave->exec_full)", "            sq_blend(wave, p_d, out);", "        return;", "    }"]

    def function(self, ast):
        host = ['#include "amd/model/sq/sq_alu_host.h"\n'] if ast.row.name in BY_HOST else []  # not in every file: the host's header is long
        return host + super().function(ast)

    def around_halves(self):
        return ["    sq_enter_f16(wave);"], ["    sq_leave_f16(wave);"]

    # --- files ---

    def table(self):
        text = ['#include "amd/model/sq/sq_alu.h"\n']
        names = []
        for row in self.rows:
            ast = self.parse(row)
            if not self.is_control(ast):
                names.append((row, f"amd_sq_special_{row.name}" if self.by_hand(ast) else self.name(row)))
        text += [f"void {kernel}({self.arguments});" for _, kernel in names]
        text += ["\nconst sq_run_fn amd_sq_alu_kernels[ISA_OP_COUNT] = {"]
        text += [f"    [ISA_OP_{row.name.upper()}] = {kernel}," for row, kernel in names]
        return "\n".join(text + ["};\n"])

    def classes(self):
        text = ['#include "amd/model/sq/sq_alu.h"\n', "const uint8_t amd_sq_alu_fp_class[ISA_OP_COUNT] = {"]
        for row in self.rows:
            ast = self.parse(row)
            if not self.is_control(ast):
                text.append(f"    [ISA_OP_{row.name.upper()}] = SQ_FP_{lane.fp_class(ast).upper()},")
        return "\n".join(text + ["};\n"])


def main():
    kernels = Kernels(sys.argv[1])
    if sys.argv[2] in ("table", "classes"):
        text, path = getattr(kernels, sys.argv[2])(), sys.argv[3]
    else:
        text, path = kernels.part(int(sys.argv[2]), int(sys.argv[3])), sys.argv[4]
    with open(path, "w", encoding="utf-8") as file:
        file.write("/* Written by gen_alu.py. */\n" + text)


if __name__ == "__main__":
    main()
