"""The executor's kernels: one C function for every row whose meaning is a lane expression, with the loop over the wave's lanes in it. Not for: the
meanings, their language (lane.py), the C of one lane (lane_c.py). What a wave is, where operands are and how state is named is
decided by a family, in a class derived from Kernels.

A kernel sees operands as places: rows of lanes for vector rows, dwords for scalar ones. Lane masks are bits; a kernel writes only active lanes,
and only active lanes' bits of a mask."""
import lane
import lane_c

WIDE = ("u64", "i64", "f64")
NARROW = ("u16", "i16", "f16")


class Kernels:
    """The family gives the class attributes and overrides what raises NotImplementedError.

    prefix         of a kernel's name
    arguments      the kernel's C parameters; its text calls them `wave` and, where the family's text does, by other names
    places         operand -> C expression of its place
    mode           C expression of the wave's struct lane_mode
    lanes          C expression of the number of lanes, a multiple of LANES_GROUP
    clamp          C expression of the instruction's clamp bit, for meanings that name `clamp`
    active         C expression of the mask of active lanes
    mask_type      C type of a mask; where it is not an integer, the three methods on masks are overridden
    lane_bit       C name of a table of LANES_GROUP words with one bit each
    masks          implicit state that is a lane mask: name -> C expression of its place
    read64, write64  C functions for two dwords as one number
    includes       headers of a file of kernels
    """
    prefix = arguments = mode = lanes = clamp = active = lane_bit = read64 = write64 = includes = None
    mask_type = "uint64_t"
    places, masks = {}, {}

    def __init__(self, rows, dialect):
        self.rows, self.dialect = rows, dialect

    def parse(self, row):
        return lane.parse(row, self.dialect)

    def has_kernel(self, ast):
        """Whether the row gets a kernel; the family has the others by hand."""
        raise NotImplementedError

    def at(self, place):
        """C pointer to a place."""
        raise NotImplementedError

    def relative(self, ast, name, offset):
        """C pointer to an operand whose register number is `offset` (C) higher."""
        raise NotImplementedError

    def offset_names(self):
        """State that offsets of relative operands may name, in C."""
        return {}

    def scalar_state(self, name):
        """(C value, C statement that writes v_<name>) of a scalar row's state."""
        raise KeyError(name)

    def lane_state(self, ast, name):
        """(lines before the loop, C value of lane group + i) of a lane's state that is no mask."""
        ast.fail(f"the executor does not know how to read '{name}'")

    def immediate(self, kind):
        """C value of an operand that is no place."""
        raise NotImplementedError

    def read_mask(self, place):
        raise NotImplementedError

    def write_mask(self, name, place, value):
        """Lines that write a mask after the loop."""
        raise NotImplementedError

    def mask_group(self, mask):
        """C value of the 32 bits of a mask for the lanes of `group`."""
        return f"(uint32_t)({mask} >> group)"

    def mask_add(self, mask, bits):
        """C statement that gives a mask the bits of `group`."""
        return f"{mask} |= ({self.mask_type}){bits} << group;"

    def mask_and(self, left, right):
        return f"{left} & {right}"

    def before_loop(self, ast):
        """Lines that may do the work in a faster way and return."""
        return []

    def around_halves(self):
        """Lines before and after a loop of halves, which round by fields of their own."""
        return [], []

    def narrow_bits(self, name, at, value):
        """What a row of 32-bit lanes holds after a 16-bit result: by default the result, extended by zeros."""
        return f"(uint32_t)(uint16_t){value}"

    def narrow_lane(self, name, at):
        """C of the dword whose lower half is a 16-bit operand: by default the lane itself."""
        return at

    def narrow_head(self, name):
        """Lines before the loop that narrow_bits and narrow_lane need."""
        return []

    # --- scalar rows ---

    def emit_scalar(self, ast):
        before, after, args = [], [], []
        relative = {name: offset for name, offset, *_ in lane.relatives(ast)}
        for name, kind, read, written in lane.parameters(ast):
            ctype = lane_c.C_TYPES[kind]
            if name not in ast.types:
                get, put = self.scalar_state(name)
            elif name in self.places:
                pointer = self.pointer(ast, name, relative)
                before.append(f"    uint32_t *p_{name} = {pointer};")
                wide = kind in WIDE
                get = f"({ctype}){self.read64}(p_{name})" if wide else f"({ctype})p_{name}[0]"
                put = f"{self.write64}(p_{name}, (uint64_t)v_{name})" if wide else f"p_{name}[0] = (uint32_t)v_{name}"
            else:
                get, put = self.immediate(kind), None
            before.append(f"    {ctype} v_{name}{f' = {get}' if read else ''};")
            if written:
                after.append(f"    {put};")
            args.append(("&" if written else "") + f"v_{name}")
        call = f"    {lane_c.lane_name(ast)}({', '.join(['&' + self.mode] + args)});"
        return before + [call] + after

    def pointer(self, ast, name, relative):
        if name not in relative:
            return self.at(self.places[name])
        return self.relative(ast, name, lane_c.CEmitter(ast, self.offset_names()).emit(relative[name]))

    # --- vector rows ---

    def emit_vector(self, ast):
        head, body, args, stores, tail = [], [], ["mode"], [], []
        relative = {name: offset for name, offset, *_ in lane.relatives(ast)}
        uses_row = False
        for name, kind, read, written in lane.parameters(ast):
            ctype = lane_c.C_TYPES[kind]
            reference = "&" if written else ""
            is_operand = name in ast.types
            if (is_operand and ast.row.operand(name).type == "mask") or (not is_operand and name in self.masks):
                place = self.at(self.places[name]) if is_operand else self.masks[name]
                if read:
                    head.append(f"    const {self.mask_type} in_{name} = {self.read_mask(place)};")
                value = f" = ({self.mask_group('in_' + name)} & {self.lane_bit}[i]) != 0" if read else ""
                body.append(f"bool v_{name}{value};")
                if written:
                    head.append(f"    {self.mask_type} out_{name} = {{0}};" if self.mask_type.startswith("struct") else
                                f"    {self.mask_type} out_{name} = 0;")
                    stores.append((name, "mask"))
                    tail += self.write_mask(name, place, self.mask_and(f"out_{name}", "active_lanes"))
                args.append(f"{reference}v_{name}")
            elif is_operand and name in self.places:
                head.append(f"    {'' if written else 'const '}uint32_t *p_{name} = {self.pointer(ast, name, relative)};")
                head += self.narrow_head(name) if kind in NARROW else []
                uses_row |= kind in WIDE or kind == "b128"
                body.append(f"{ctype} v_{name}{f' = {self.load(name, kind)}' if read else ''};")
                if written:
                    stores.append((name, kind))
                args.append(f"{reference}v_{name}")
            elif is_operand:
                head.append(f"    const {ctype} v_{name} = {self.immediate(kind)};")
                args.append(f"v_{name}")
            elif name == "clamp":
                args.append("clamp")
            else:
                lines, value = self.lane_state(ast, name)
                head += lines
                args.append(value)
        if uses_row:
            head.append(f"    const size_t row = {self.lanes};")
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
        if kind in NARROW:
            at = self.narrow_lane(name, at)
        return f"({lane_c.C_TYPES[kind]}){at}"

    def results(self, name, kind):
        """The rows of lanes that a written operand has: a name and its place for each."""
        if kind == "mask":
            return []
        if kind in WIDE:
            return [(name, f"p_{name}"), (f"{name}_high", f"p_{name} + row")]
        if kind == "b128":
            return [(f"{name}_{n}", f"p_{name} + {n} * row") for n in range(4)]
        return [(name, f"p_{name}")]

    def store(self, name, kind, has_mask_in):
        value = f"v_{name}"
        if kind == "mask":
            if has_mask_in:  # of a choice with a carry on both sides GCC makes branches
                return [f"bits_{name} |= {self.lane_bit}[i] & (0u - (uint32_t){value});"]
            return [f"bits_{name} |= {value} ? {self.lane_bit}[i] : 0;"]
        if kind in WIDE:
            bits = f"lane_bits_f64({value})" if kind == "f64" else f"(uint64_t){value}"
            return [f"const uint64_t w_{name} = {bits};", f"o_{name}[i] = (uint32_t)w_{name};", f"o_{name}_high[i] = (uint32_t)(w_{name} >> 32);"]
        if kind == "b128":
            return [f"o_{name}_{n}[i] = {value}.w[{n}];" for n in range(4)]
        if kind == "f32":
            return [f"o_{name}[i] = lane_bits_f32({value});"]
        if kind in NARROW:
            return [f"o_{name}[i] = {self.narrow_bits(name, f'p_{name}[group + i]', value)};"]
        return [f"o_{name}[i] = (uint32_t){value};"]

    def vector_text(self, ast, head, body, args, stores, tail):
        masks = [name for name, kind in stores if kind == "mask"]
        rows = [row for name, kind in stores for row in self.results(name, kind)]
        has_mask_in = any(" in_" in line for line in head)

        # A copy of its own: no store to a lane can change it, so whatever it decides is decided outside the loops.
        text = [f"    const struct lane_mode own_mode = {self.mode}, *const mode = &own_mode;"] + head
        if masks or rows:
            text.append(f"    const {self.mask_type} active_lanes = {self.active};")
        text += self.before_loop(ast)
        # Halves round by fields of their own, in a host environment that singles share: it changes only where the fields differ.
        if lane.fp_class(ast) == "f16":
            enter, leave = self.around_halves()
            text += enter
            tail = leave + tail
        text.append(f"    for (size_t group = 0; group < {self.lanes}; group += LANES_GROUP) {{")
        # One loop, whoever is active: where some lanes are not, it leaves its rows aside, and the active lanes are taken from there.
        if rows:
            text += [f"        const uint32_t active = {self.mask_group('active_lanes')};", "        if (!active)", "            continue;",
                     "        const bool is_full = active == UINT32_MAX;"]
            for name, place in rows:
                text += [f"        uint32_t aside_{name}[LANES_GROUP], *const o_{name} = is_full ? {place} + group : aside_{name};"]
        text += [f"        uint32_t bits_{name} = 0;" for name in masks]
        text += ["        LANES_INDEPENDENT", "        for (size_t i = 0; i < LANES_GROUP; i++) {"]
        text += [f"            {line}" for line in body]
        text.append(f"            {lane_c.lane_name(ast)}({', '.join(args)});")
        for name, kind in stores:
            text += [f"            {line}" for line in self.store(name, kind, has_mask_in)]
        text.append("        }")
        if rows:
            text += ["        if (!is_full) {"] + [f"            lane_blend({place} + group, aside_{name}, active);" for name, place in rows] + ["        }"]
        text += [f"        {self.mask_add('out_' + name, 'bits_' + name)}" for name in masks]
        return text + ["    }"] + tail

    # --- files ---

    def name(self, row):
        return f"{self.prefix}{row.name}"

    def function(self, ast):
        head = f"void {self.name(ast.row)}({self.arguments})\n{{"
        if not any(s.value for s in ast.statements):
            return [head + "\n}\n"]
        if ast.is_scalar:
            return [head] + self.emit_scalar(ast) + ["}\n"]
        body = self.emit_vector(ast)
        if any(state == "clamp" for state, *_ in lane.touched_state(ast)):
            # Saturation is chosen outside the loop, so that both loops are straight.
            names = ", ".join(word.split()[-1].lstrip("*") for word in self.arguments.split(","))
            return [f"static inline __attribute__((always_inline)) void body_{ast.row.name}({self.arguments}, bool clamp)\n{{"] + body + \
                ["}\n", head, f"    if ({self.clamp})", f"        body_{ast.row.name}({names}, true);", "    else",
                 f"        body_{ast.row.name}({names}, false);", "}\n"]
        return [head] + body + ["}\n"]

    def part(self, number, count):
        """One of `count` files, so that they compile side by side."""
        text = ["".join(f'#include "{header}"\n' for header in self.includes)]
        for at, row in enumerate(self.rows):
            if at % count != number:
                continue
            ast = self.parse(row)
            if self.has_kernel(ast):
                text += [f"void {self.name(row)}({self.arguments});", *self.function(ast)]
        return "\n".join(text) + "\n"
