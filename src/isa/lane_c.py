"""C from checked lane expressions: one function per row. Not for: the language (lane.py), the loops over lanes around it (kernel_c.py), host code
(jit_c.py). What the C works on is in lane_types.h, what it calls in lane.h and in the family's header of its own primitives.
"""
from lane import FLOATS, INTS, PAIRS, SATURATING, has_effects, parameters

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
        if source == kind:
            return inner
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
        takes_mode = self.ast.dialect.overloads(node.text)[0] and node.overload in FLOATS
        suffix = "" if node.text in ("words", "word") else "_" + node.overload
        return f"{self.ast.dialect.c_function(node.text)}{suffix}({', '.join((['m'] if takes_mode else []) + args)})"

    def emit_wave(self, node):
        return f"{self.ast.dialect.prefix}_wave_{node.text}(a)"

    def emit_effect(self, node):
        return f"{self.ast.dialect.prefix}_{node.text}(a, {', '.join(self.emit(arg) for arg in node.args)})"


def lane_name(ast):
    return f"lane_op_{ast.row.name}"


def emit_lane(ast):
    """The scalar C function of one lane (or of a scalar instruction): all inputs are values, all outputs pointers."""
    names, lines = {}, []
    declared = ["const struct lane_mode *m"]
    if has_effects(ast):
        declared.append(ast.dialect.executor)
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
