"""Wrappers around the lane functions of a row, for running a meaning without an executor, as the tests do. emit_vector writes a
loop over 32 lanes, emit_scalar the SALU's wrapper and emit_wave the whole wave's. What they work on is in lane_vector.h."""
from lane import INTS, has_effects, parameters, relatives, touched_state
from lane_c import C_TYPES, CEmitter, lane_name


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
        text += self.tail + ["}", "", f"void amd_vec_{ast.row.name}(struct lane_vector *a)", "{"]
        if clamps:
            text += ["    if (a->clamp)", f"        vec_body_{ast.row.name}(a, true);", "    else", f"        vec_body_{ast.row.name}(a, false);"]
        else:
            text.append(f"    vec_body_{ast.row.name}(a, false);")
        return "\n".join(text + ["}", ""])


def emit_vector(ast):
    """`void amd_vec_<name>(struct lane_vector *)`: 32 lanes of a vector instruction, written where exec says."""
    if not any(s.value for s in ast.statements):
        return f"void amd_vec_{ast.row.name}(struct lane_vector *a)\n{{\n    (void)a;\n}}\n"
    return VectorEmitter(ast).emit()


def emit_wave(ast):
    """`void amd_vec_<name>(struct lane_vector *)` of a row with the property `wave`: all lanes at once, done by a primitive of lane.h."""
    node = ast.statements[0].value
    return f"void amd_vec_{ast.row.name}(struct lane_vector *a)\n{{\n    {CEmitter(ast, {}).emit(node)};\n}}\n"


def emit_scalar(ast):
    """`void amd_sop_<name>(struct lane_scalar *)`: a scalar instruction on the wave's scalar state."""
    before, after, args = [], [], []
    relative = {name: offset for name, offset, *_ in relatives(ast)}
    for name, kind, read, written in parameters(ast):
        is_state = name not in ast.types
        ctype = C_TYPES[kind]
        if name in relative:
            wide = "64" if kind == "u64" else "32"
            place = f"a->{name}_index + {CEmitter(ast, {'m0': 'a->m0'}).emit(relative[name])}"
            before.append(f"    {ctype} v_{name}{f' = amd_lane_sgpr{wide}(a, {place})' if read else ''};")
            if written:
                after.append(f"    amd_lane_set_sgpr{wide}(a, {place}, v_{name});")
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
    return f"void amd_sop_{ast.row.name}(struct lane_scalar *a)\n{{\n" + "\n".join(before + [call] + after) + "\n}\n"
