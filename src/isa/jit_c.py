"""Lowering of meanings to lane programs (src/model/jit.h): for every row C that writes its program, or C functions that such a program calls. Not for:
the language (lane.py), the interpreter's kernels (kernel_c.py), the operations of a lane program.

A meaning whose operations lane programs have is written out in them; another becomes a call of a function that runs the meaning's C on a few
lanes. What is neither (results of 64 bits, relative registers, four sources) stays with the interpreter's kernel."""
import struct

import lane
import lane_c

NARROW = {"u8": (8, False), "i8": (8, True), "u16": (16, False), "i16": (16, True), "f16": (16, False)}
WORDS = ("u32", "i32", "f32", "u16x2", "i16x2", "f16x2")
LANES_OF = tuple(NARROW) + WORDS + ("bool",)
COMPARE = {"==": ("eq", False, False), "!=": ("eq", False, True), "<": ("lt", False, False), "<=": ("le", False, False),
           ">": ("lt", True, False), ">=": ("le", True, False)}  # operation, operands swapped, result turned
INTEGER_OPS = {"+": "add", "-": "sub", "*": "mul", "&": "and", "|": "or", "^": "xor"}
FLOAT_OPS = {"+": "fadd", "-": "fsub", "*": "fmul"}
ROUNDINGS = {"ceil": "JIT_CEIL", "floor": "JIT_FLOOR", "trunc": "JIT_TRUNC", "rndne": "JIT_NEAREST"}
FLOAT_PRIMITIVES = ("fma", "min", "max", "med3", "flush", "fract", "clamp01", "rcp", "sqrt", "rsq", "exp2", "log2", "sin_turns", "cos_turns", "f16_rtz", "unorm16",
                    "snorm16")


# What reaches the executor's state: a family writes these itself.
FAMILY_OPS = ("read_row", "write_row", "write_half", "read_mask", "write_mask", "read_scalar", "write_scalar", "read_flag", "write_flag", "interpolant")


class Unsupported(Exception):
    pass


class Family:
    """How a family's executor is reached from a lane program. It overrides state() and lists what is its own.

    prefix         of the builder's functions that are the family's, which take the builder `b` first
    program        C pointer to the builder's struct lane_program, which the other functions take (model/exec/program.h); None: all are the family's
    places         operand -> C expression of its place
    masks          implicit state that is a lane mask -> C expression of its place
    immediate      C expression of an operand that is no place
    clamp          C expression of the instruction's clamp bit
    flags          implicit state of scalar rows that is a boolean
    active         implicit state that is the mask of active lanes: every lane that reads it is active
    mode           C expression of the struct lane_mode of `frame`, what a called function gets
    opcode         row -> C name of its number
    primitives     of single floats, which the family's own functions of the builder write out
    """
    prefix = program = immediate = clamp = active = mode = None
    places, masks, flags, primitives = {}, {}, (), ()

    def opcode(self, row):
        raise NotImplementedError

    def state(self, name):
        """C value of a lane's state that is no mask, or None."""
        return None

    def op(self, name, *args):
        """C call of a function of the builder."""
        if self.program and name not in FAMILY_OPS:
            return f"lane_program_{name}({', '.join([self.program, *args])})"
        return f"{self.prefix}{name}({', '.join(['b', *args])})"


class Lowering:
    """One row as C that writes a lane program. A scalar row is one, too, of values that are the same in all lanes."""
    def __init__(self, family, ast):
        self.family, self.ast, self.lines, self.names = family, ast, [], {}
        self.op = family.op
        self.not_clamped = False

    def bind(self, text):
        name = f"t{len(self.lines)}"
        self.lines.append(f"    const jit_value {name} = {text};")
        return name

    def emit(self, name, *args):
        return self.bind(self.op(name, *args))

    def const(self, value):
        return self.emit("const", f"{value & 0xffffffff:#x}u")

    def canonical(self, value, kind):
        if kind not in NARROW:
            return value
        bits, signed = NARROW[kind]
        return self.emit(f"{'sign' if signed else 'zero'}_extend", value, str(bits))

    # --- operands ---

    def read(self, name):
        """The value of an operand or of state, before or after it is written."""
        if name not in self.names:
            self.names[name] = self.read_operand(name) if name in self.ast.types else self.read_state(name)
        return self.names[name]

    def read_operand(self, name):
        kind, places = self.ast.types[name], self.family.places
        if self.ast.row.operand(name).type == "mask":
            return self.emit("read_mask", places[name])
        if name not in places:
            return self.canonical(self.emit("const", self.family.immediate), kind)
        if kind not in LANES_OF:
            raise Unsupported(kind)
        return self.canonical(self.emit("read_scalar" if self.ast.is_scalar else "read_row", places[name]), kind)

    def read_state(self, name):
        if name == self.family.active:
            return self.const(0xffffffff)  # every lane that reads it is active
        if name in self.family.flags:
            return self.emit("read_flag")
        if name in self.family.masks and not self.ast.is_scalar:
            return self.emit("read_mask", self.family.masks[name])
        if name == "lane":
            return self.emit("emit", "JIT_LANE", "JIT_NONE", "JIT_NONE", "JIT_NONE", "0")
        if name == "clamp":
            return self.emit("const", f"{self.family.clamp} ? UINT32_MAX : 0")
        text = self.family.state(name)
        if text is None:
            raise Unsupported(name)
        return self.bind(text)

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
            return self.emit("xor", self.value(node.args[0]), sign)
        if node.text == "-":
            zero = self.const(0)
            return self.canonical(self.emit("sub", zero, self.value(node.args[0])), node.type)
        return self.canonical(self.emit("not", self.value(node.args[0])), node.type)

    def value_bin(self, node):
        operator, kind = node.text, node.args[0].type
        if kind not in LANES_OF:
            raise Unsupported(kind)
        left, right = (self.value(a) for a in node.args)
        if kind == "f16":
            return self.halves(operator, left, right)
        if operator in ("&&", "||"):
            return self.emit("and" if operator == "&&" else "or", left, right)
        if operator in COMPARE:
            return self.comparison(operator, kind, left, right)
        if operator in ("<<", ">>"):
            bits = NARROW.get(kind, (32,))[0]
            if bits < 32:
                mask = self.const(bits - 1)
                right = self.emit("and", right, mask)
            op = "JIT_SHL" if operator == "<<" else "JIT_SAR" if kind.startswith("i") else "JIT_SHR"
            return self.canonical(self.emit("shift", op, left, right), kind)
        if kind == "f32":
            return self.emit(FLOAT_OPS[operator], left, right)
        return self.canonical(self.emit(INTEGER_OPS[operator], left, right), kind)

    def halves(self, operator, left, right):
        """Compared in single precision; sums and products are rounded as halves."""
        if operator in FLOAT_OPS:
            return self.emit(f"{FLOAT_OPS[operator][1:]}_f16", left, right)
        if operator not in COMPARE:
            raise Unsupported(f"{operator} of f16")
        return self.comparison(operator, "f32", self.emit("f32_of_f16", left), self.emit("f32_of_f16", right))

    def comparison(self, operator, kind, left, right):
        name, swap, turn = COMPARE[operator]
        if swap:
            left, right = right, left
        if kind == "f32":
            name = "f" + name
        elif name != "eq":
            name += "_i" if kind in ("i8", "i16", "i32") else "_u"
        result = self.emit(name, left, right)
        return self.emit("not", result) if turn else result

    def value_sel(self, node):
        condition, then, other = (self.value(a) for a in node.args)
        return self.emit("select", condition, then, other)

    def value_cast(self, node):
        source, kind = node.args[0].type, node.text
        if source in ("u64", "i64"):
            return self.canonical(self.low(node.args[0]), kind)
        if kind == "f32" and source in lane.INTS:
            op = "JIT_F32_OF_U32" if source == "u32" else "JIT_F32_OF_I32"
            return self.emit("unary", op, self.value(node.args[0]))
        if (kind, source) == ("f32", "f16"):
            return self.emit("f32_of_f16", self.value(node.args[0]))
        if kind in lane.FLOATS or source in lane.FLOATS:
            raise Unsupported(f"{source} to {kind}")
        value = self.value(node.args[0])
        if source == "bool":
            one = self.const(1)
            return self.emit("and", value, one)
        return self.canonical(value, kind)

    def low(self, node):
        """The lower 32 bits of a 64-bit integer."""
        if node.op == "cast" and node.args[0].type in LANES_OF and node.args[0].type != "bool":
            return self.value(node.args[0])
        if node.op == "lit":
            return self.const(int(node.text, 0))
        if node.op == "bin" and node.text in INTEGER_OPS:
            left, right = (self.low(a) for a in node.args)
            return self.emit(INTEGER_OPS[node.text], left, right)
        if node.op == "bin" and node.text == "<<" and node.args[1].op == "lit" and int(node.args[1].text, 0) < 32:
            count = self.const(int(node.args[1].text, 0))
            return self.emit("shift", "JIT_SHL", self.low(node.args[0]), count)
        raise Unsupported("64 bits")

    def value_call(self, node):
        name = node.text
        if name in lane.SATURATING:
            self.not_clamped = True
            return self.canonical(self.low(node.args[0]), node.type)
        kind = node.args[0].type
        if name == "lo":
            return self.canonical(self.value(node.args[0]), node.type)
        if name == "hi":
            sixteen, op = self.const(16), "JIT_SAR" if node.type == "i16" else "JIT_SHR"
            return self.emit("shift", op, self.value(node.args[0]), sixteen)
        args = [self.value(a) for a in node.args]
        if name == "pack":
            sixteen = self.const(16)
            high = self.emit("shift", "JIT_SHL", args[1], sixteen)
            low = self.emit("zero_extend", args[0], "16")
            return self.emit("or", low, high)
        if name in ("bits", "as_f32", "as_f16"):
            return args[0]
        if (name, kind) == ("fma", "f16"):
            return self.emit("fma_f16", *args)
        made = self.float_primitive(name, args) if kind == "f32" else self.integer_primitive(name, kind, args)
        if made is None:
            raise Unsupported(f"{name} of {kind}")
        return self.bind(made)

    def float_primitive(self, name, args):
        op, x = self.op, args[0]
        if name in ROUNDINGS:
            return op("unary", ROUNDINGS[name], op("flush_f32", x))
        if name in self.family.primitives:
            return f"{self.family.prefix}{name}({', '.join(['b', *args])})"
        if name in FLOAT_PRIMITIVES:
            return op(f"{name}_f32", *args)
        if name in ("cvt_i32", "cvt_u32"):
            return op("unary", f"JIT_{name[4:].upper()}_OF_F32", x)
        if name == "cvt_floor_i32":
            return op("unary", "JIT_I32_OF_F32", op("unary", "JIT_FLOOR", op("flush_f32", x)))
        return {"is_nan": op("not", op("feq", x, x)), "abs": op("and", x, op("const", "0x7fffffff")),
                "quiet": op("or", x, op("const", "0x400000")), "sign": op("shift_by", "JIT_SAR", x, "31"),
                "exponent": op("zero_extend", op("shift_by", "JIT_SHR", x, "23"), "8")}.get(name)

    def integer_primitive(self, name, kind, args):
        op, sign = self.op, "i" if kind in ("i16", "i32") else "u"
        if kind not in ("u16", "i16", "u32", "i32"):
            return None
        if name in ("min", "max"):
            return op(f"{name}_{sign}", *args)
        if name == "med3":
            low, high = (op(f"{which}_{sign}", args[0], args[1]) for which in ("min", "max"))
            return op(f"max_{sign}", low, op(f"min_{sign}", high, args[2]))
        if kind not in ("u32", "i32"):
            return None
        if name == "mulhi":
            return op(f"mulhi_{sign}", *args)
        if name == "bfe":
            return op("bfe", "true" if sign == "i" else "false", *args)
        return {"popcount": op("unary", "JIT_POPCOUNT", args[0]), "sat16_u32": op("min_u", args[0], op("const", "0xffff")),
                "sat16_i32": op("min_i", op("max_i", args[0], op("const", "0xffff8000u")), op("const", "0x7fff"))}.get(name)

    # --- rows ---

    def write(self, name, value):
        ast, places = self.ast, self.family.places
        if name in ast.types:
            kind = ast.types[name]
            if ast.row.operand(name).type == "mask":
                return f"    {self.op('write_mask', places[name], value)};"
            if kind not in LANES_OF or kind in ("u8", "i8", "bool"):
                raise Unsupported(kind)
            if ast.is_scalar:
                return f"    {self.op('write_scalar', places[name], value)};"
            return f"    {self.op('write_half' if kind in NARROW else 'write_row', places[name], value)};"
        if name in self.family.flags:
            return f"    {self.op('write_flag', value)};"
        if name in self.family.masks and not ast.is_scalar:
            return f"    {self.op('write_mask', self.family.masks[name], value)};"
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
    def __init__(self, family, ast):
        self.family, self.ast = family, ast
        self.reads, self.results = [], []
        for name, kind, read, written in lane.parameters(ast):
            is_mask = name in ast.types and ast.row.operand(name).type == "mask"
            if name in ast.types and (name in family.places or not written):
                if kind not in LANES_OF:
                    raise Unsupported(kind)
                if read:
                    self.reads.append((name, kind, is_mask))
                if written:
                    self.results.append((name, kind, is_mask))
            elif name in family.masks and name != family.active and not written:
                self.reads.append((name, kind, True))
            elif name != "clamp":
                raise Unsupported(name)
        if lane.relatives(ast) or len(self.reads) > 3 or not self.results or lane.has_effects(ast):
            raise Unsupported("sources")

    def has_clamp(self):
        return any(name == "clamp" for name, *_ in lane.parameters(self.ast))

    def name(self, result):
        return f"{self.family.prefix}call_{self.ast.row.name}_{result}"

    def function(self, result):
        ast, body, args = self.ast, [], ["mode"]
        places = dict(zip((name for name, *_ in self.reads), "xyz"))
        for name, kind, _, written in lane.parameters(ast):
            ctype = lane_c.C_TYPES[kind]
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
        body.append(f"{lane_c.lane_name(ast)}({', '.join(args)});")
        kind = next(kind for name, kind, _ in self.results if name == result)
        value = f"v_{result}"
        word = {"bool": f"{value} ? UINT32_MAX : 0", "f32": f"lane_bits_f32({value})"}.get(kind, f"(uint32_t){value}")
        body.append(f"out[i] = {word};")
        body += [f"(void)v_{name};" for name, *_ in self.results if name != result]
        text = [f"static JIT_CALL_ABI jit_vector {self.name(result)}(const void *frame, jit_vector a, jit_vector b, jit_vector c)\n{{",
                f"    const struct lane_mode own_mode = {self.family.mode}, *const mode = &own_mode;",
                "    const uint32_t *const x = (const uint32_t *)&a, *const y = (const uint32_t *)&b, *const z = (const uint32_t *)&c;",
                "    (void)mode, (void)x, (void)y, (void)z;",
                "    uint32_t out[JIT_VECTOR_LANES];", "    LANES_INDEPENDENT",
                "    for (size_t i = 0; i < JIT_VECTOR_LANES; i++) {"]
        return text + [f"        {line}" for line in body] + ["    }", "    jit_vector result;", "    memcpy(&result, out, sizeof(result));",
                                                              "    return result;", "}\n"]

    def row(self):
        lowering = Lowering(self.family, self.ast)
        args = [self.raw(lowering, name, is_mask) for name, _, is_mask in self.reads] + ["JIT_NONE"] * (3 - len(self.reads))
        table = f"{self.family.prefix}calls[{self.family.opcode(self.ast.row)}]"
        values = {name: lowering.emit("call", f"{table}[{n}]", *args) for n, (name, *_) in enumerate(self.results)}
        return lowering.lines + [lowering.write(name, value) for name, value in values.items()]

    def raw(self, lowering, name, is_mask):
        if is_mask:
            return lowering.read(name)
        if name not in self.family.places:
            return lowering.emit("const", self.family.immediate)
        return lowering.emit("read_row", self.family.places[name])


def lower(family, ast):
    """(lines, calls or None, not where the clamp bit is set); lines is None where there is no lowering."""
    try:
        native = Lowering(family, ast)
        return native.row(), None, native.not_clamped
    except Unsupported:
        if ast.is_scalar:
            return None, None, False
    try:
        calls = Calls(family, ast)
        return calls.row(), calls, calls.has_clamp()
    except Unsupported:
        return None, None, False


def files(family, kernels, rows, builder, row_type, keep=lambda row, calls: True):
    """(C of the functions that programs call, C that writes programs), for families whose rows are numbers. The second is
    long and does nothing but call: it is built without optimisation."""
    functions, calls_table, text, table = [], [], [], []
    for row in rows:
        lines, calls, not_clamped = lower(family, kernels.parse(row))
        if lines is None or not keep(row, calls):
            continue
        if calls:
            for name, *_ in calls.results:
                functions += calls.function(name)
            calls_table.append(f"    [{family.opcode(row)}] = {{{', '.join(calls.name(name) for name, *_ in calls.results)}}},")
        text += [f"void {kernels.name(row)}({kernels.arguments});", f"static void lower_{row.name}({builder} *b)\n{{", *lines, "}\n"]
        table.append(f"    {{{kernels.name(row)}, lower_{row.name}, {str(not_clamped).lower()}}},")
    calls_name = f"const jit_call {family.prefix}calls[{len(rows)}][1]"
    return ([f"extern {calls_name};\n", *functions, f"{calls_name} = {{", *calls_table, "};\n"],
            [f"extern {calls_name};\n", *text, f"const {row_type} {family.prefix}rows[] = {{", *table, "};",
             f"const unsigned {family.prefix}row_count = {len(table)};\n"])


def write(path, headers, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write("/* Written by gen_jit.py. */\n" + "".join(f'#include "{header}"\n' for header in headers) + "\n" + "\n".join(text))
