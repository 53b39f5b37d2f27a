"""C from checked lane expressions: one function a row, and the loops and wrappers around it. Not for: the language (lane.py).

emit_lane writes the scalar C function of a row, emit_vector a loop over 32 lanes, emit_scalar the SALU's and emit_wave the whole
wave's wrapper around it. What the C works on is in lane_types.h, what it calls in lane.h.
"""
from lane import (FLOATS, INTS, PAIRS, SATURATING, has_effects, overloads, parameters, relatives, touched_state)

C_TYPES = {"bool": "bool", "f16": "lane_f16", "f32": "float", "f64": "double", "b128": "struct lane_b128"}
C_TYPES.update({name: f"{'' if signed else 'u'}int{bits}_t" for name, (bits, signed) in INTS.items()})
C_TYPES.update({name: "uint32_t" for name in PAIRS})


def _int_c(value, kind):
    bits, signed = INTS[kind]
    suffix = ("" if signed else "u") if bits <= 32 else ("ll" if signed else "ull")
    if signed and value >= 1 << (bits - 1):
        return f"({C_TYPES[kind]}){value:#x}{'u' if bits <= 32 else 'ull'}"
    return f"{value:#x}{suffix}" if value > 9 else f"{value}{suffix}"


class CEmitter:
    """Expressions of one row as C; `names` maps a name to its C spelling."""
    def __init__(self, ast, names):
        self.ast, self.names = ast, names

    def wrap(self, kind, text):
        return f"({C_TYPES[kind]})({text})"

    def emit(self, node):
        return getattr(self, "emit_" + node.op)(node)

    def emit_lit(self, node):
        if node.type == "bool":
            return node.text
        if node.type == "f16":
            return f"lane_f16_from_f32({float(node.text)!r}f)"
        if node.type in FLOATS:
            return f"{float(node.text)!r}{'f' if node.type == 'f32' else ''}"
        return _int_c(int(node.text, 0), node.type)

    def emit_name(self, node):
        return self.names.get(node.text, node.text)

    def emit_rel(self, node):
        return self.names[("rel", node.args[0].text)]

    def emit_un(self, node):
        inner, kind = self.emit(node.args[0]), node.type
        if node.text == "!":
            return f"!({inner})"
        if kind == "f16":
            return f"lane_neg_f16({inner})"
        if kind in FLOATS:
            return f"-({inner})"
        unsigned = C_TYPES["u" + kind[1:]]
        return self.wrap(kind, f"{'0u - ' if node.text == '-' else node.text}({unsigned})({inner})")

    def emit_bin(self, node):
        operator = node.text
        left, right = (self.emit(a) for a in node.args)
        kind = node.args[0].type
        if operator in ("&&", "||"):
            return f"lane_{'and' if operator == '&&' else 'or'}({left}, {right})"  # no branch: both sides are pure
        if kind == "f16":
            if operator in ("+", "-", "*"):
                return f"lane_{ {'+': 'add', '-': 'sub', '*': 'mul'}[operator] }_f16(m, {left}, {right})"
            return f"(lane_f32_of_f16(m, {left}) {operator} lane_f32_of_f16(m, {right}))"
        if kind in FLOATS or operator in ("==", "!=", "<", "<=", ">", ">="):
            return f"(({left}) {operator} ({right}))"
        bits, signed = INTS[kind]
        if operator in ("<<", ">>"):
            count = f"((uint32_t)({right}) & {bits - 1}u)"
            if operator == ">>":
                return self.wrap(kind, f"({left}) >> {count}")
            return self.wrap(kind, f"({'uint64_t' if bits == 64 else 'uint32_t'})({left}) << {count}")
        if operator in ("&", "|", "^"):
            return self.wrap(kind, f"({left}) {operator} ({right})")
        work = "uint64_t" if bits == 64 else "uint32_t"
        return self.wrap(kind, f"({work})({left}) {operator} ({work})({right})")

    def emit_sel(self, node):
        condition, then, other = (self.emit(a) for a in node.args)
        return f"(({condition}) ? ({then}) : ({other}))"

    def emit_cast(self, node):
        inner, source, kind = self.emit(node.args[0]), node.args[0].type, node.text
        if kind in INTS:
            return self.wrap(kind, inner)
        if source in INTS and INTS[source][0] <= 16 and kind != "f16":
            return f"(({C_TYPES[kind]})({inner}))"
        return f"lane_{kind}_of_{source}(m, {inner})"

    def emit_call(self, node):
        args = [self.emit(a) for a in node.args]
        if node.text in SATURATING:
            return f"lane_{node.text}({args[0]}, {self.names.get('clamp', 'clamp')})"
        if node.text in ("lo", "hi"):
            kind = PAIRS[node.args[0].type]
            return self.wrap(kind, f"({args[0]}){' >> 16' if node.text == 'hi' else ''}")
        if node.text == "pack":
            return f"lane_pack((uint16_t)({args[0]}), (uint16_t)({args[1]}))"
        takes_mode = overloads(node.text)[0] and node.overload in FLOATS
        suffix = "" if node.text in ("words", "word") else "_" + node.overload
        return f"lane_{node.text}{suffix}({', '.join((['m'] if takes_mode else []) + args)})"

    def emit_wave(self, node):
        return f"lane_wave_{node.text}(a)"

    def emit_effect(self, node):
        return f"lane_{node.text}(a, {', '.join(self.emit(arg) for arg in node.args)})"


def lane_name(ast):
    return f"lane_op_{ast.row.name}"


def emit_lane(ast):
    """The scalar C function of one lane (or of a scalar instruction): all inputs are values, all outputs pointers."""
    names, lines = {}, []
    declared = ["const struct lane_mode *m"]
    if has_effects(ast):
        declared.append("struct lane_scalar *a")
    for name, kind, _, written in parameters(ast):
        declared.append(f"{C_TYPES[kind]} {'*' if written else ''}{'s_' + name if name in ast.state and name not in ast.types else name}")
        plain = "s_" + name if name in ast.state and name not in ast.types else name
        names[name] = f"(*{plain})" if written else plain
        names[("rel", name)] = names[name]
    emitter = CEmitter(ast, names)
    for statement in ast.statements:
        if statement.value is None:
            continue
        text = emitter.emit(statement.value)
        if statement.target is None:
            lines.append(f"    {text};")
        elif statement.is_local:
            lines.append(f"    const {C_TYPES[statement.target.type]} {statement.target.text} = {text};")
        else:
            lines.append(f"    {emitter.emit(statement.target)} = {text};")
    return (f"/* {ast.row.meaning.strip().replace(chr(10), '; ')} */\n" if "*/" not in ast.row.meaning else "") + \
        f"static inline __attribute__((always_inline)) void {lane_name(ast)}({', '.join(declared)})\n{{\n" + \
        "\n".join(["    (void)m;"] + lines) + "\n}\n"


def _load(name, kind, base):
    if kind in ("u64", "i64", "f64"):
        pair = f"lane_pair({base}[i], {base}[row + i])"
        return pair if kind == "u64" else f"(int64_t){pair}" if kind == "i64" else f"lane_as_f64_u64({pair})"
    if kind == "b128":
        return f"lane_words({base}[i], {base}[row + i], {base}[2 * row + i], {base}[3 * row + i])"
    if kind == "f32":
        return f"lane_as_f32_u32({base}[i])"
    return f"({C_TYPES[kind]}){base}[i]"


def _store(name, kind, base, masked):
    """C lines that write local v_<name> to a row, where the lane is active."""
    def put(place, value):
        return f"            {place} = {f'({value} & on) | ({place} & ~on)' if masked else value};"
    value = f"v_{name}"
    if kind in ("u64", "i64", "f64"):
        bits = f"lane_bits_f64({value})" if kind == "f64" else f"(uint64_t){value}"
        return [f"            const uint64_t w_{name} = {bits};", put(f"{base}[i]", f"(uint32_t)w_{name}"),
                put(f"{base}[row + i]", f"(uint32_t)(w_{name} >> 32)")]
    if kind == "b128":
        return [put(f"{base}[{n} * row + i]", f"{value}.w[{n}]") for n in range(4)]
    if kind == "f32":
        return [put(f"{base}[i]", f"lane_bits_f32({value})")]
    if kind in ("u16", "i16", "f16"):  # GFX10 keeps the other half of the register
        return [put(f"{base}[i]", f"(({base}[i] & 0xffff0000u) | (uint32_t)(uint16_t){value})")]
    return [put(f"{base}[i]", f"(uint32_t){value}")]


class VectorEmitter:
    """The loop over 32 lanes around a lane function."""
    def __init__(self, ast):
        self.ast, self.head, self.body, self.tail, self.args = ast, [], [], [], ["m"]
        self.stores = []
        self.uses_row = False
        self.relative = {name: (offset, read, written) for name, offset, read, written in relatives(ast)}

    def row_operand(self, name, kind, read, written):
        base = f"p_{name}"
        offset = ""
        if name in self.relative:
            node = self.relative[name][0]
            offset = f" + (size_t)({CEmitter(self.ast, {'m0': 'a->m0'}).emit(node)}) * a->row"
        const = "" if written else "const "
        self.head.append(f"    {const}uint32_t *{base} = {'(uint32_t *)' if written and name != 'd' else ''}a->{name}{offset};")
        self.uses_row |= kind in ("u64", "i64", "f64", "b128")
        if read:
            self.body.append(f"            {C_TYPES[kind]} v_{name} = {_load(name, kind, base)};")
        else:
            self.body.append(f"            {C_TYPES[kind]} v_{name};")
        if written:
            self.stores.append((name, kind, base))
        self.args.append(("&" if written else "") + f"v_{name}")

    def mask_operand(self, name, field, read, written):
        if read:
            self.head.append(f"    const uint32_t in_{name} = a->{field};")
        self.body.append(f"            bool v_{name}{f' = (in_{name} & lane_bit[i]) != 0' if read else ''};")
        if written:
            self.head.append(f"    uint32_t out_{name} = 0;")
            self.body_mask = True
            self.stores.append((name, "mask", None))
            self.tail.append(f"    a->{field}_out = out_{name} & a->exec;")
        self.args.append(("&" if written else "") + f"v_{name}")

    def parameter(self, name, kind, read, written):
        if name in self.ast.types:
            operand = self.ast.row.operand(name)
            if operand.type == "mask":
                self.mask_operand(name, {"d": "mask", "sd": "mask", "s2": "mask"}[name], read, written)
            elif operand.type == "param" or name == "k":
                kind_c = {"f32": "lane_as_f32_u32(a->k)", "f16": "(lane_f16)a->k"}.get(kind, f"a->{name}")
                self.head.append(f"    const {C_TYPES[kind]} v_{name} = {kind_c};")
                self.args.append(f"v_{name}")
            else:
                self.row_operand(name, kind, read, written)
        elif name in ("vcc", "exec"):
            self.mask_operand(name, name, read, written)
        elif name == "lane":
            self.args.append("a->first_lane + i")
        elif name in ("p0", "p10", "p20"):
            self.head.append(f"    const uint32_t *p_{name} = a->{name};")
            self.args.append(f"p_{name}[i]")
        elif name == "clamp":
            self.args.append("clamp")
        else:
            self.args.append(f"a->{name}")

    def loop(self, masked):
        lines = ["        LANE_LOOP", "        for (uint32_t i = 0; i < 32; i++) {"]
        lines += self.body
        lines.append(f"            {lane_name(self.ast)}({', '.join(self.args)});")
        if masked and any(kind != "mask" for _, kind, _ in self.stores):
            lines.append("            const uint32_t on = exec & lane_bit[i] ? UINT32_MAX : 0;")
        for name, kind, base in self.stores:
            if kind == "mask":
                lines.append(f"            out_{name} |= lane_bit[i] & (0u - (uint32_t)v_{name});")
            else:
                lines += _store(name, kind, base, masked)
        return lines + ["        }"]

    def emit(self):
        ast = self.ast
        clamps = any(name == "clamp" for name, *_ in touched_state(ast))
        for entry in parameters(ast):
            self.parameter(*entry)
        masks_only = all(kind == "mask" for _, kind, _ in self.stores)
        text = [f"static inline __attribute__((always_inline)) void vec_body_{ast.row.name}"
                f"(struct lane_vector *a, bool clamp)\n{{", "    const struct lane_mode *m = a->mode;"]
        if self.uses_row:
            text.append("    const size_t row = a->row;")
        text += self.head + ["    (void)clamp;"]
        if masks_only:
            text += ["    {"] + self.loop(False) + ["    }"]
        else:
            text += ["    const uint32_t exec = a->exec;", "    if (exec == UINT32_MAX) {"] + self.loop(False)
            text += ["    } else {"] + self.loop(True) + ["    }"]
        text += self.tail + ["}", "", f"void vec_{ast.row.name}(struct lane_vector *a)", "{"]
        if clamps:
            text += ["    if (a->clamp)", f"        vec_body_{ast.row.name}(a, true);", "    else", f"        vec_body_{ast.row.name}(a, false);"]
        else:
            text.append(f"    vec_body_{ast.row.name}(a, false);")
        return "\n".join(text + ["}", ""])


def emit_vector(ast):
    """`void vec_<name>(struct lane_vector *)`: 32 lanes of a vector instruction, written where exec says."""
    if not any(s.value for s in ast.statements):
        return f"void vec_{ast.row.name}(struct lane_vector *a)\n{{\n    (void)a;\n}}\n"
    return VectorEmitter(ast).emit()


def emit_wave(ast):
    """`void vec_<name>(struct lane_vector *)` of a row with the property `wave`: all lanes at once, done by a primitive of lane.h."""
    node = ast.statements[0].value
    return f"void vec_{ast.row.name}(struct lane_vector *a)\n{{\n    {CEmitter(ast, {}).emit(node)};\n}}\n"


def emit_scalar(ast):
    """`void sop_<name>(struct lane_scalar *)`: a scalar instruction on the wave's scalar state."""
    before, after, args = [], [], []
    relative = {name: offset for name, offset, *_ in relatives(ast)}
    for name, kind, read, written in parameters(ast):
        is_state = name not in ast.types
        ctype = C_TYPES[kind]
        if name in relative:
            wide = "64" if kind == "u64" else "32"
            place = f"a->{name}_index + {CEmitter(ast, {'m0': 'a->m0'}).emit(relative[name])}"
            before.append(f"    {ctype} v_{name}{f' = lane_sgpr{wide}(a, {place})' if read else ''};")
            if written:
                after.append(f"    lane_set_sgpr{wide}(a, {place}, v_{name});")
        else:
            field = {"exec_lo": "(uint32_t)a->exec", "exec_hi": "(uint32_t)(a->exec >> 32)"}.get(name, f"a->{name}")
            if kind == "bool" or not is_state:
                field = f"({ctype}){field}"
            before.append(f"    {ctype} v_{name}{f' = {field}' if read else ''};")
            if written and name == "exec_lo":
                after.append("    a->exec = (a->exec & 0xffffffff00000000ull) | v_exec_lo;")
            elif written and name == "exec_hi":
                after.append("    a->exec = (a->exec & 0xffffffffull) | (uint64_t)v_exec_hi << 32;")
            elif written:
                unsigned = "u" + kind[1:] if kind in INTS else kind
                after.append(f"    a->{name} = ({C_TYPES[unsigned]})v_{name};")
        args.append(("&" if written else "") + f"v_{name}")
    call = f"    {lane_name(ast)}({', '.join(['a->mode'] + (['a'] if has_effects(ast) else []) + args)});"
    return f"void sop_{ast.row.name}(struct lane_scalar *a)\n{{\n" + "\n".join(before + [call] + after) + "\n}\n"
