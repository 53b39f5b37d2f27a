#!/usr/bin/env python3
"""Writes the executor's ALU kernels: one function for every instruction whose meaning is a lane expression. Not for: the meanings
(src/amd/isa/*.table), their language (src/amd/isa/lane.py), or what stands around a kernel (sq_translate.c).

    gen_alu.py ISA_DIRECTORY PART PARTS OUTPUT       one of PARTS files, so that they compile side by side
    gen_alu.py ISA_DIRECTORY table OUTPUT            the table from opcode to kernel
    gen_alu.py ISA_DIRECTORY classes OUTPUT          whose float mode rules an opcode

A kernel sees operands as places: rows of lanes for vector instructions, dwords for scalar ones. Lane masks are bits; a kernel writes only
active lanes, and only active lanes' bits of a mask. Instructions that touch more than their operands and the wave's plain state (branches,
hardware registers, waits, cross-lane moves) are written by hand in sq_special.c and sq_control.c."""
import sys

PLACES = {"d": "uop->d", "sd": "uop->sd", "s0": "uop->s[0]", "s1": "uop->s[1]", "s2": "uop->s[2]"}
WIDE = ("u64", "i64", "f64")
BY_HOST = ("v_cvt_pkrtz_f16_f32",)  # sq_alu_host.h has these, too


class Kernels:
    def __init__(self, directory):
        sys.path.insert(0, directory)
        import lane
        import lane_c
        import table
        self.lane = lane
        self.lane_c = lane_c
        self.rows = []
        for row in table.read(directory):
            if row.format in lane.SCALAR_FORMATS + lane.VECTOR_FORMATS and "gfx10_3" in row.opcodes:
                if not row.meaning.startswith("helper"):
                    self.rows.append(row)

    def by_hand(self, ast):
        """Whether sq_special.c has the instruction instead."""
        return ast.is_wave or bool(self.lane.implicit_writes(ast) & {"hwreg"}) or "hwreg" in self.lane.implicit_reads(ast)

    def is_control(self, ast):
        """Whether sq_control.c has it: branches and waits."""
        state = self.lane.implicit_reads(ast) | self.lane.implicit_writes(ast)
        return bool(state & {"pc", "priv", "counters"})

    # --- scalar instructions ---

    def scalar(self, ast):
        lane, before, after, args = self.lane, [], [], []
        relative = {name: offset for name, offset, *_ in lane.relatives(ast)}
        for name, kind, read, written in lane.parameters(ast):
            ctype = self.lane_c.C_TYPES[kind]
            if name not in ast.types:
                get, put = self.scalar_state(name)
            elif name in PLACES:
                pointer = f"sq_at(wave, {PLACES[name]})"
                if name in relative:
                    offset = self.lane_c.CEmitter(ast, {"m0": "wave->sgpr[SQ_M0]"}).emit(relative[name])
                    pointer = f"sq_relative_sgpr(wave, {PLACES[name]}, {offset})"
                before.append(f"    uint32_t *p_{name} = {pointer};")
                wide = kind in WIDE
                get = f"({ctype})sq_read64(p_{name})" if wide else f"({ctype})p_{name}[0]"
                put = f"sq_write64(p_{name}, (uint64_t)v_{name})" if wide else f"p_{name}[0] = (uint32_t)v_{name}"
            else:
                get, put = f"({ctype})uop->imm", None
            before.append(f"    {ctype} v_{name}{f' = {get}' if read else ''};")
            if written:
                after.append(f"    {put};")
            args.append(("&" if written else "") + f"v_{name}")
        return before, args, after

    def scalar_state(self, name):
        if name == "scc":
            return "wave->scc", "wave->scc = v_scc"
        if name == "m0":
            return "wave->sgpr[SQ_M0]", "wave->sgpr[SQ_M0] = v_m0"
        if name in ("exec", "vcc"):
            place = f"&wave->sgpr[SQ_{name.upper()}]"
            return f"sq_read64({place})", f"sq_write64({place}, v_{name})"
        if name in ("exec_lo", "exec_hi"):
            place = f"wave->sgpr[SQ_EXEC{' + 1' if name == 'exec_hi' else ''}]"
            return place, f"{place} = v_{name}"
        raise KeyError(name)

    def emit_scalar(self, ast):
        before, args, after = self.scalar(ast)
        call = f"    {self.lane_c.lane_name(ast)}({', '.join(['&wave->lane_mode'] + args)});"
        return before + [call] + after

    # --- vector instructions ---

    def emit_vector(self, ast):
        lane = self.lane
        head, body, args, stores, tail = [], [], ["mode"], [], []
        relative = {name: offset for name, offset, *_ in lane.relatives(ast)}
        uses_row = False
        for name, kind, read, written in lane.parameters(ast):
            ctype = self.lane_c.C_TYPES[kind]
            reference = "&" if written else ""
            is_operand = name in ast.types
            if (is_operand and ast.row.operand(name).type == "mask") or name in ("vcc", "exec"):
                place = f"sq_at(wave, {PLACES[name]})" if is_operand else f"&wave->sgpr[SQ_{name.upper()}]"
                if read:
                    head.append(f"    const uint64_t in_{name} = sq_read_mask(wave, {place});")
                body.append(f"bool v_{name}{f' = ((uint32_t)(in_{name} >> group) & sq_lane_bit[i]) != 0' if read else ''};")
                if written:
                    head.append(f"    uint64_t out_{name} = 0;")
                    stores.append((name, "mask"))
                    tail.append(f"    sq_write_mask(wave, {place}, out_{name} & exec);")
                    if name == "exec":
                        tail.append("    sq_exec_changed(wave);")
                args.append(f"{reference}v_{name}")
            elif is_operand and name in PLACES:
                pointer = f"sq_at(wave, {PLACES[name]})"
                if name in relative:
                    offset = self.lane_c.CEmitter(ast, {"m0": "wave->sgpr[SQ_M0]"}).emit(relative[name])
                    pointer = f"sq_relative_vgpr(wave, {PLACES[name]}, {offset})"
                head.append(f"    {'' if written else 'const '}uint32_t *p_{name} = {pointer};")
                uses_row |= kind in WIDE or kind == "b128"
                body.append(f"{ctype} v_{name}{f' = {self.load(name, kind)}' if read else ''};")
                if written:
                    stores.append((name, kind))
                args.append(f"{reference}v_{name}")
            elif is_operand:
                value = {"f32": "lane_as_f32_u32(uop->imm)"}.get(kind, f"({ctype})uop->imm")
                head.append(f"    const {ctype} v_{name} = {value};")
                args.append(f"v_{name}")
            elif name == "lane":
                args.append("(uint32_t)(group + i)")
            elif name == "m0":
                args.append("wave->sgpr[SQ_M0]")
            elif name == "clamp":
                args.append("clamp")
            elif name in ("p0", "p10", "p20"):
                head.append(f"    const uint32_t *p_{name} = sq_interpolant(wave, SQ_{name.upper()});")
                args.append(f"p_{name}[group + i]")
            elif name == "attr_high":
                args.append("uop->inst->alu.high")
            else:
                ast.fail(f"the executor does not know how to read '{name}'")
        if uses_row:
            head.append("    const size_t row = wave->lanes;")
        return self.vector_text(ast, head, body, args, stores, tail)

    def load(self, name, kind):
        at = f"p_{name}[group + i]"
        if kind in WIDE:
            pair = f"lane_pair({at}, p_{name}[row + group + i])"
            return {"u64": pair, "i64": f"(int64_t){pair}", "f64": f"lane_as_f64_u64({pair})"}[kind]
        if kind == "b128":
            return "lane_words(" + ", ".join(f"p_{name}[{n} * row + group + i]" for n in range(4)) + ")"
        if kind == "f32":
            return f"lane_as_f32_u32({at})"
        return f"({self.lane_c.C_TYPES[kind]}){at}"

    def store(self, name, kind, masked, has_mask_in):
        def put(place, value):
            # By bits, not by a choice: a choice becomes a branch around the load and keeps the loop from being a vector's.
            return f"{place} = {f'({value} & on) | ({place} & ~on)' if masked else value};"
        value, at = f"v_{name}", f"p_{name}[group + i]"
        if kind == "mask":
            if has_mask_in:  # of a choice with a carry on both sides GCC makes branches
                return [f"bits_{name} |= sq_lane_bit[i] & (0u - (uint32_t){value});"]
            return [f"bits_{name} |= {value} ? sq_lane_bit[i] : 0;"]
        if kind in WIDE:
            bits = f"lane_bits_f64({value})" if kind == "f64" else f"(uint64_t){value}"
            return [f"const uint64_t w_{name} = {bits};", put(at, f"(uint32_t)w_{name}"),
                    put(f"p_{name}[row + group + i]", f"(uint32_t)(w_{name} >> 32)")]
        if kind == "b128":
            return [put(f"p_{name}[{n} * row + group + i]", f"{value}.w[{n}]") for n in range(4)]
        if kind == "f32":
            return [put(at, f"lane_bits_f32({value})")]
        if kind in ("u16", "i16", "f16"):  # the other half of the register is kept
            return [put(at, f"(({at} & 0xffff0000u) | (uint16_t){value})")]
        return [put(at, f"(uint32_t){value}")]

    def vector_text(self, ast, head, body, args, stores, tail):
        lane = self.lane
        masks = [name for name, kind in stores if kind == "mask"]
        has_rows = len(masks) < len(stores)
        has_mask_in = any(" in_" in line for line in head)

        def loop(masked):
            lines = [f"            uint32_t bits_{name} = 0;" for name in masks]
            lines += ["            LANES_INDEPENDENT", "            for (size_t i = 0; i < LANES_GROUP; i++) {"]
            lines += [f"                {line}" for line in body]
            lines.append(f"                {self.lane_c.lane_name(ast)}({', '.join(args)});")
            if masked:
                lines.append("                const uint32_t on = active & sq_lane_bit[i] ? UINT32_MAX : 0;")
            for name, kind in stores:
                lines += [f"                {line}" for line in self.store(name, kind, masked, has_mask_in)]
            lines.append("            }")
            return lines + [f"            out_{name} |= (uint64_t)bits_{name} << group;" for name in masks]

        # A copy of its own: no store to a lane can change it, so whatever it decides is decided outside the loops.
        text = ["    const struct lane_mode own_mode = wave->lane_mode, *const mode = &own_mode;"] + head
        if masks or has_rows:
            text.append("    const uint64_t exec = sq_exec(wave);")
        if ast.row.name in BY_HOST:
            places = ", ".join(f"p_{name}" for name, *_ in lane.parameters(ast) if name != "d")
            text += ["    uint32_t out[LANES_MAX];", f"    if (sq_host_{ast.row.name}(mode, wave->exec_full ? p_d : out, {places}, wave->lanes)) {{",
                     "        if (!wave->exec_full)", "            sq_blend(wave, p_d, out);", "        return;", "    }"]
        # Halves round by fields of their own, in a host environment that singles share: it changes only where the fields differ.
        is_half = lane.fp_class(ast) == "f16"
        if is_half:
            text.append("    sq_enter_f16(wave);")
            tail = ["    sq_leave_f16(wave);"] + tail
        text.append("    for (size_t group = 0; group < wave->lanes; group += LANES_GROUP) {")
        if has_rows:
            text += ["        const uint32_t active = (uint32_t)(exec >> group);", "        if (active == UINT32_MAX) {"]
            text += loop(False) + ["        } else if (active) {"] + loop(True) + ["        }"]
        else:
            text += ["        {"] + loop(False) + ["        }"]
        return text + ["    }"] + tail

    # --- files ---

    def function(self, ast):
        lane, name = self.lane, ast.row.name
        text = []
        if not any(s.value for s in ast.statements):
            return text + [f"void amd_sq_alu_{name}(struct sq_wave *wave, const struct sq_uop *uop)\n{{\n}}\n"]
        if ast.is_scalar:
            body = self.emit_scalar(ast)
            return text + [f"void amd_sq_alu_{name}(struct sq_wave *wave, const struct sq_uop *uop)\n{{"] + body + ["}\n"]
        body = self.emit_vector(ast)
        if any(state == "clamp" for state, *_ in lane.touched_state(ast)):
            # Saturation is chosen outside the loop, so that both loops are straight.
            return text + [f"static inline __attribute__((always_inline)) void body_{name}(struct sq_wave *wave, const struct sq_uop *uop, bool clamp)\n{{"] + body + \
                ["}\n", f"void amd_sq_alu_{name}(struct sq_wave *wave, const struct sq_uop *uop)\n{{", "    if (uop->inst->alu.clamp)",
                 f"        body_{name}(wave, uop, true);", "    else", f"        body_{name}(wave, uop, false);", "}\n"]
        return text + [f"void amd_sq_alu_{name}(struct sq_wave *wave, const struct sq_uop *uop)\n{{"] + body + ["}\n"]

    def part(self, number, count):
        text = ['#include "amd/isa/lane/lane_ops.h"\n#include "amd/model/sq/sq_alu.h"\n#include "amd/model/sq/sq_alu_host.h"\n']
        for at, row in enumerate(self.rows):
            if at % count != number:
                continue
            ast = self.lane.parse(row)
            if not self.by_hand(ast) and not self.is_control(ast):
                text.append(f"void amd_sq_alu_{row.name}(struct sq_wave *wave, const struct sq_uop *uop);")
                text += self.function(ast)
        return "\n".join(text) + "\n"

    def table(self):
        text = ['#include "amd/model/sq/sq_alu.h"\n']
        names = []
        for row in self.rows:
            ast = self.lane.parse(row)
            if self.is_control(ast):
                continue
            names.append((row, "amd_sq_special_" if self.by_hand(ast) else "amd_sq_alu_"))
        text += [f"void {prefix}{row.name}(struct sq_wave *wave, const struct sq_uop *uop);" for row, prefix in names]
        text += ["\nconst sq_run_fn amd_sq_alu_kernels[ISA_OP_COUNT] = {"]
        text += [f"    [ISA_OP_{row.name.upper()}] = {prefix}{row.name}," for row, prefix in names]
        return "\n".join(text + ["};\n"])

    def classes(self):
        text = ['#include "amd/model/sq/sq_alu.h"\n', "const uint8_t amd_sq_alu_fp_class[ISA_OP_COUNT] = {"]
        for row in self.rows:
            ast = self.lane.parse(row)
            if not self.is_control(ast):
                text.append(f"    [ISA_OP_{row.name.upper()}] = SQ_FP_{self.lane.fp_class(ast).upper()},")
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
