#!/usr/bin/env python3
"""Writes how ALU instructions are lowered to lane programs (sq_jit.c), from the same meanings that the executor's kernels come from.

    gen_jit.py ISA_DIRECTORY rows OUTPUT        the lowering of every row that has one, and the table
    gen_jit.py ISA_DIRECTORY calls OUTPUT       functions for the others, which lane programs call; compiled once a level of host instructions

A meaning whose operations lane programs have is written out in them; another becomes a call of a function that runs the meaning's C on a few
lanes. What is neither (results of 64 bits, relative registers, four sources) stays with the interpreter's kernel."""
import struct
import sys

import gen_alu

PLACES = gen_alu.PLACES
NARROW = {"u8": (8, False), "i8": (8, True), "u16": (16, False), "i16": (16, True), "f16": (16, False)}
WORDS = ("u32", "i32", "f32", "u16x2", "i16x2", "f16x2")
LANES_OF = tuple(NARROW) + WORDS + ("bool",)
COMPARE = {"==": ("eq", False, False), "!=": ("eq", False, True), "<": ("lt", False, False), "<=": ("le", False, False),
           ">": ("lt", True, False), ">=": ("le", True, False)}  # operation, operands swapped, result turned
INT_MEDIAN = "amd_sq_jit_max_{0}(b, amd_sq_jit_min_{0}(b, {1}, {2}), amd_sq_jit_min_{0}(b, amd_sq_jit_max_{0}(b, {1}, {2}), {3}))"


class Unsupported(Exception):
    pass


class Lowering:
    """One row as C that writes a lane program."""
    def __init__(self, kernels, ast):
        self.lane, self.ast, self.lines, self.names = kernels.lane, ast, [], {}
        self.not_clamped = False

    def bind(self, text):
        name = f"t{len(self.lines)}"
        self.lines.append(f"    const jit_value {name} = {text};")
        return name

    def const(self, value):
        return self.bind(f"amd_sq_jit_const(b, {value & 0xffffffff:#x}u)")

    def canonical(self, value, kind):
        if kind not in NARROW:
            return value
        bits, signed = NARROW[kind]
        return self.bind(f"amd_sq_jit_{'sign' if signed else 'zero'}_extend(b, {value}, {bits})")

    # --- operands ---

    def read(self, name):
        """The value of an operand or of state, before or behind its writing."""
        if name in self.names:
            return self.names[name]
        ast = self.ast
        if name in ast.types:
            kind, operand = ast.types[name], ast.row.operand(name)
            if operand.type == "mask":
                value = self.bind(f"amd_sq_jit_read_mask(b, b->{PLACES[name]})")
            elif name in PLACES:
                if kind not in LANES_OF:
                    raise Unsupported(kind)
                value = self.canonical(self.bind(f"amd_sq_jit_read_row(b, b->{PLACES[name]})"), kind)
            else:
                value = self.canonical(self.bind("amd_sq_jit_const(b, b->uop->imm)"), kind)
        elif name == "vcc":
            value = self.bind("amd_sq_jit_read_mask(b, amd_sq_jit_register(SQ_VCC))")
        elif name == "exec":
            value = self.const(0xffffffff)  # whoever looks is active
        elif name == "m0":
            value = self.bind("amd_sq_jit_read_scalar(b, amd_sq_jit_register(SQ_M0))")
        elif name == "lane":
            value = self.bind("amd_sq_jit_emit(b, JIT_LANE, JIT_NONE, JIT_NONE, JIT_NONE, 0)")
        elif name == "clamp":
            value = self.bind("amd_sq_jit_const(b, b->uop->inst->alu.clamp ? UINT32_MAX : 0)")
        elif name == "attr_high":
            value = self.bind("amd_sq_jit_const(b, b->uop->inst->alu.high ? UINT32_MAX : 0)")
        elif name in ("p0", "p10", "p20"):
            value = self.bind(f"amd_sq_jit_read_row(b, amd_sq_jit_interpolant(b, SQ_{name.upper()}))")
        else:
            raise Unsupported(name)
        self.names[name] = value
        return value

    # --- expressions ---

    def value(self, node):
        if node.type not in LANES_OF:
            raise Unsupported(node.type)
        return getattr(self, "value_" + node.op)(node)

    def value_lit(self, node):
        if node.type == "bool":
            return self.const(0xffffffff if node.text == "true" else 0)
        if node.type == "f32":
            return self.const(struct.unpack("<I", struct.pack("<f", float(node.text)))[0])
        if node.type == "f16":
            return self.const(struct.unpack("<H", struct.pack("<e", float(node.text)))[0])
        return self.canonical(self.const(int(node.text, 0)), node.type)

    def value_name(self, node):
        return self.read(node.text)

    def value_rel(self, node):
        raise Unsupported("rel")

    def value_un(self, node):
        if node.text == "-" and node.type in ("f32", "f16"):
            sign = self.const(0x80000000 if node.type == "f32" else 0x8000)
            return self.bind(f"amd_sq_jit_xor(b, {self.value(node.args[0])}, {sign})")
        if node.text == "-":
            zero = self.const(0)
            return self.canonical(self.bind(f"amd_sq_jit_sub(b, {zero}, {self.value(node.args[0])})"), node.type)
        return self.canonical(self.bind(f"amd_sq_jit_not(b, {self.value(node.args[0])})"), node.type)

    def value_bin(self, node):
        operator, kind = node.text, node.args[0].type
        if kind == "f16" or kind not in LANES_OF:
            raise Unsupported(kind)
        left, right = (self.value(a) for a in node.args)
        if operator in ("&&", "||"):
            return self.bind(f"amd_sq_jit_{'and' if operator == '&&' else 'or'}(b, {left}, {right})")
        if operator in COMPARE:
            name, swap, turn = COMPARE[operator]
            if swap:
                left, right = right, left
            if kind == "f32":
                name = "f" + name
            elif name != "eq":
                name += "_i" if kind in ("i8", "i16", "i32") else "_u"
            result = self.bind(f"amd_sq_jit_{name}(b, {left}, {right})")
            return self.bind(f"amd_sq_jit_not(b, {result})") if turn else result
        if operator in ("<<", ">>"):
            bits = NARROW.get(kind, (32,))[0]
            if bits < 32:
                mask = self.const(bits - 1)
                right = self.bind(f"amd_sq_jit_and(b, {right}, {mask})")
            op = "JIT_SHL" if operator == "<<" else "JIT_SAR" if kind.startswith("i") else "JIT_SHR"
            return self.canonical(self.bind(f"amd_sq_jit_shift(b, {op}, {left}, {right})"), kind)
        if kind == "f32":
            return self.bind(f"amd_sq_jit_{ {'+': 'fadd', '-': 'fsub', '*': 'fmul'}[operator] }(b, {left}, {right})")
        name = {"+": "add", "-": "sub", "*": "mul", "&": "and", "|": "or", "^": "xor"}[operator]
        return self.canonical(self.bind(f"amd_sq_jit_{name}(b, {left}, {right})"), kind)

    def value_sel(self, node):
        condition, then, other = (self.value(a) for a in node.args)
        return self.bind(f"amd_sq_jit_select(b, {condition}, {then}, {other})")

    def value_cast(self, node):
        source, kind = node.args[0].type, node.text
        if source in ("u64", "i64"):
            return self.canonical(self.low(node.args[0]), kind)
        if kind == "f32" and source in self.lane.INTS:
            op = "JIT_F32_OF_U32" if source == "u32" else "JIT_F32_OF_I32"
            return self.bind(f"amd_sq_jit_unary(b, {op}, {self.value(node.args[0])})")
        if kind in self.lane.FLOATS or source in self.lane.FLOATS:
            raise Unsupported(f"{source} to {kind}")
        value = self.value(node.args[0])
        if source == "bool":
            one = self.const(1)
            return self.bind(f"amd_sq_jit_and(b, {value}, {one})")
        return self.canonical(value, kind)

    def low(self, node):
        """The lower 32 bits of a 64-bit integer."""
        if node.op == "cast" and node.args[0].type in LANES_OF and node.args[0].type != "bool":
            return self.value(node.args[0])
        if node.op == "lit":
            return self.const(int(node.text, 0))
        if node.op == "bin" and node.text in ("+", "-", "*", "&", "|", "^"):
            name = {"+": "add", "-": "sub", "*": "mul", "&": "and", "|": "or", "^": "xor"}[node.text]
            left, right = (self.low(a) for a in node.args)
            return self.bind(f"amd_sq_jit_{name}(b, {left}, {right})")
        if node.op == "bin" and node.text == "<<" and node.args[1].op == "lit" and int(node.args[1].text, 0) < 32:
            count = self.const(int(node.args[1].text, 0))
            return self.bind(f"amd_sq_jit_shift(b, JIT_SHL, {self.low(node.args[0])}, {count})")
        raise Unsupported("64 bits")

    def value_call(self, node):
        name = node.text
        if name in self.lane.SATURATING:
            self.not_clamped = True
            return self.canonical(self.low(node.args[0]), node.type)
        kind = node.args[0].type
        if name == "lo":
            return self.canonical(self.value(node.args[0]), node.type)
        if name == "hi":
            sixteen, op = self.const(16), "JIT_SAR" if node.type == "i16" else "JIT_SHR"
            return self.bind(f"amd_sq_jit_shift(b, {op}, {self.value(node.args[0])}, {sixteen})")
        args = [self.value(a) for a in node.args]
        if name == "pack":
            sixteen = self.const(16)
            high = self.bind(f"amd_sq_jit_shift(b, JIT_SHL, {args[1]}, {sixteen})")
            low = self.bind(f"amd_sq_jit_zero_extend(b, {args[0]}, 16)")
            return self.bind(f"amd_sq_jit_or(b, {low}, {high})")
        if name in ("bits", "as_f32", "as_f16"):
            return args[0]
        made = self.primitive(name, kind, args)
        if made is None:
            raise Unsupported(f"{name} of {kind}")
        return self.bind(made)

    def primitive(self, name, kind, args):
        if kind == "f32":
            unary = {"ceil": "JIT_CEIL", "floor": "JIT_FLOOR", "trunc": "JIT_TRUNC", "rndne": "JIT_NEAREST"}
            if name in unary:
                return f"amd_sq_jit_unary(b, {unary[name]}, amd_sq_jit_flush_f32(b, {args[0]}))"
            if name in ("fma", "min", "max", "med3", "flush", "fract", "clamp01", "rcp", "sqrt", "rsq", "f16_rtz"):
                return f"amd_sq_jit_{name}_f32(b, {', '.join(args)})"
            if name in ("cvt_i32", "cvt_u32"):
                return f"amd_sq_jit_unary(b, JIT_{name[4:].upper()}_OF_F32, {args[0]})"
            if name == "cvt_floor_i32":
                return f"amd_sq_jit_unary(b, JIT_I32_OF_F32, amd_sq_jit_unary(b, JIT_FLOOR, amd_sq_jit_flush_f32(b, {args[0]})))"
            if name == "is_nan":
                return f"amd_sq_jit_not(b, amd_sq_jit_feq(b, {args[0]}, {args[0]}))"
            if name in ("abs", "quiet", "sign", "exponent"):
                return {"abs": "amd_sq_jit_and(b, {0}, amd_sq_jit_const(b, 0x7fffffff))", "quiet": "amd_sq_jit_or(b, {0}, amd_sq_jit_const(b, 0x400000))",
                        "sign": "amd_sq_jit_shift_by(b, JIT_SAR, {0}, 31)",
                        "exponent": "amd_sq_jit_zero_extend(b, amd_sq_jit_shift_by(b, JIT_SHR, {0}, 23), 8)"}[name].format(*args)
            return None
        sign = "i" if kind in ("i16", "i32") else "u"
        if kind in ("u16", "i16", "u32", "i32"):
            if name in ("min", "max"):
                return f"amd_sq_jit_{name}_{sign}(b, {', '.join(args)})"
            if name == "med3":
                return INT_MEDIAN.format(sign, *args)
        if kind in ("u32", "i32"):
            if name == "mulhi":
                return f"amd_sq_jit_mulhi_{sign}(b, {', '.join(args)})"
            if name == "bfe":
                return f"amd_sq_jit_bfe(b, {'true' if sign == 'i' else 'false'}, {', '.join(args)})"
            if name == "popcount":
                return f"amd_sq_jit_unary(b, JIT_POPCOUNT, {args[0]})"
            if name == "sat16_u32":
                return f"amd_sq_jit_min_u(b, {args[0]}, amd_sq_jit_const(b, 0xffff))"
            if name == "sat16_i32":
                return f"amd_sq_jit_min_i(b, amd_sq_jit_max_i(b, {args[0]}, amd_sq_jit_const(b, 0xffff8000u)), amd_sq_jit_const(b, 0x7fff))"
        return None

    # --- rows ---

    def write(self, name, value):
        ast = self.ast
        if name in ast.types:
            kind = ast.types[name]
            if ast.row.operand(name).type == "mask":
                return f"    amd_sq_jit_write_mask(b, b->{PLACES[name]}, {value});"
            if kind not in LANES_OF or kind in ("u8", "i8", "bool"):
                raise Unsupported(kind)
            return f"    amd_sq_jit_write_{'half' if kind in NARROW else 'row'}(b, b->{PLACES[name]}, {value});"
        if name in ("vcc", "exec"):
            return f"    amd_sq_jit_write_mask(b, amd_sq_jit_register(SQ_{name.upper()}), {value});"
        raise Unsupported(name)

    def row(self):
        """Reading what was written reads the new value; places change when all of it is computed."""
        written = {}
        for statement in self.ast.statements:
            if statement.value is None:
                continue
            if statement.target is None or statement.target.op == "rel":
                raise Unsupported("effects")
            name = statement.target.text
            self.names[name] = self.value(statement.value)
            if not statement.is_local:
                written[name] = self.names[name]
        return self.lines + [self.write(name, value) for name, value in written.items()]


class Calls:
    """A row by calls: one for each of its results, with up to three sources as they lie in registers."""
    def __init__(self, kernels, ast):
        self.kernels, self.lane, self.lane_c, self.ast = kernels, kernels.lane, kernels.lane_c, ast
        self.reads, self.results = [], []
        for name, kind, read, written in self.lane.parameters(ast):
            is_mask = name in ast.types and ast.row.operand(name).type == "mask"
            if name in ast.types and (name in PLACES or not written):
                if kind not in LANES_OF:
                    raise Unsupported(kind)
                if read:
                    self.reads.append((name, kind, is_mask))
                if written:
                    self.results.append((name, kind, is_mask))
            elif name == "vcc" and not written:
                self.reads.append((name, kind, True))
            elif name != "clamp":
                raise Unsupported(name)
        if self.lane.relatives(ast) or len(self.reads) > 3 or not self.results or self.lane.has_effects(ast):
            raise Unsupported("sources")

    def has_clamp(self):
        return any(name == "clamp" for name, *_ in self.lane.parameters(self.ast))

    def name(self, result):
        return f"amd_sq_jit_call_{self.ast.row.name}_{result}"

    def function(self, result):
        ast, body, args = self.ast, [], ["mode"]
        places = dict(zip((name for name, *_ in self.reads), "xyz"))
        for name, kind, _, written in self.lane.parameters(ast):
            ctype = self.lane_c.C_TYPES[kind]
            if name == "clamp":
                args.append("false")
                continue
            if name in places:
                raw = f"{places[name]}[i]"
                load = f"{raw} != 0" if kind == "bool" else f"lane_as_f32_u32({raw})" if kind == "f32" else f"({ctype}){raw}"
                body.append(f"{ctype} v_{name} = {load};")
            else:
                body.append(f"{ctype} v_{name};")
            args.append(f"{'&' if written else ''}v_{name}")
        body.append(f"{self.lane_c.lane_name(ast)}({', '.join(args)});")
        kind = next(kind for name, kind, _ in self.results if name == result)
        value = f"v_{result}"
        body.append(f"out[i] = {f'{value} ? UINT32_MAX : 0' if kind == 'bool' else f'lane_bits_f32({value})' if kind == 'f32' else f'(uint32_t){value}'};")
        for name, *_ in self.results:
            if name != result:
                body.append(f"(void)v_{name};")
        text = [f"static JIT_CALL_ABI jit_vector {self.name(result)}(const void *frame, jit_vector a, jit_vector b, jit_vector c)\n{{",
                "    const struct lane_mode own_mode = ((const struct sq_wave *)frame)->lane_mode, *const mode = &own_mode;",
                "    const uint32_t *const x = (const uint32_t *)&a, *const y = (const uint32_t *)&b, *const z = (const uint32_t *)&c;",
                "    (void)mode, (void)x, (void)y, (void)z;",
                "    uint32_t out[JIT_VECTOR_LANES];", "    LANES_INDEPENDENT",
                "    for (size_t i = 0; i < JIT_VECTOR_LANES; i++) {"]
        return text + [f"        {line}" for line in body] + ["    }", "    jit_vector result;", "    memcpy(&result, out, sizeof(result));", "    return result;", "}\n"]

    def row(self):
        lowering = Lowering(self.kernels, self.ast)
        args = [self.raw(lowering, *read) for read in self.reads] + ["JIT_NONE"] * (3 - len(self.reads))
        values = {name: lowering.bind(f"amd_sq_jit_call(b, amd_sq_jit_calls[ISA_OP_{self.ast.row.name.upper()}][{n}], {', '.join(args)})")
                  for n, (name, *_) in enumerate(self.results)}
        return lowering.lines + [lowering.write(name, value) for name, value in values.items()]

    def raw(self, lowering, name, kind, is_mask):
        if is_mask:
            return lowering.read(name)
        if name not in PLACES:
            return lowering.bind("amd_sq_jit_const(b, b->uop->imm)")
        return lowering.bind(f"amd_sq_jit_read_row(b, b->{PLACES[name]})")


class Generator:
    def __init__(self, directory):
        self.kernels = gen_alu.Kernels(directory)
        self.rows = []
        for row in self.kernels.rows:
            ast = self.kernels.lane.parse(row)
            if not ast.is_scalar and not self.kernels.by_hand(ast) and any(s.value for s in ast.statements):
                self.rows.append((ast, *self.lower(ast)))

    def lower(self, ast):
        """(lines, calls or None, not where the clamp bit is set); lines is None where there is no lowering."""
        try:
            native = Lowering(self.kernels, ast)
            return native.row(), None, native.not_clamped
        except Unsupported:
            pass
        try:
            calls = Calls(self.kernels, ast)
            return calls.row(), calls, calls.has_clamp()
        except Unsupported:
            return None, None, False

    def text_of_rows(self):
        text = ['#include "amd/model/sq/sq_jit_build.h"\n']
        table = []
        for ast, lines, _, not_clamped in self.rows:
            if lines is None:
                continue
            text += [f"static void lower_{ast.row.name}(struct sq_jit_builder *b)\n{{"] + lines + ["}\n"]
            half = self.kernels.lane.fp_class(ast) == "f16"
            table.append(f"    [ISA_OP_{ast.row.name.upper()}] = {{lower_{ast.row.name}, {str(not_clamped).lower()}, {str(half).lower()}}},")
        return "\n".join(text + ["const struct sq_jit_row amd_sq_jit_rows[ISA_OP_COUNT] = {"] + table + ["};\n"])

    def text_of_calls(self):
        text = ['#include "amd/isa/lane/lane_ops.h"\n#include "amd/model/sq/sq_alu.h"\n']
        table = []
        for ast, _, calls, _ in self.rows:
            if not calls:
                continue
            for name, *_ in calls.results:
                text += calls.function(name)
            table.append(f"    [ISA_OP_{ast.row.name.upper()}] = {{{', '.join(calls.name(name) for name, *_ in calls.results)}}},")
        text += ["const jit_call amd_sq_jit_calls[ISA_OP_COUNT][2] = {"]
        return "\n".join(text + table + ["};\n"])


def main():
    generator = Generator(sys.argv[1])
    text = generator.text_of_rows() if sys.argv[2] == "rows" else generator.text_of_calls()
    with open(sys.argv[3], "w", encoding="utf-8") as file:
        file.write("/* Written by gen_jit.py. */\n" + text)


if __name__ == "__main__":
    main()
