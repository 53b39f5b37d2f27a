#!/usr/bin/env python3
"""Writes the C of a family's hardware tables: `gen_hw.py FAMILY WHAT OUTPUT TABLE...`. FAMILY is the Python file that has the family's
table.Family as FAMILY. WHAT is the name of the file to write: enums.h, regs_<block>.h, the header of a kind of packet, descriptors.h,
hw_tables.c, or hw_roundtrip.c for the tests."""
import importlib.util
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import table  # noqa: E402

MAX_GENERATIONS = 3

def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Writer:
    def __init__(self, tables):
        self.t, self.family = tables, tables.family
        self.out = []
        self.p, self.P = self.family.prefix, self.family.prefix.upper()
        self.column = self.family.generations  # generation -> C name
        kind, name = self.family.parameter or ("", "")
        self.first = f"{kind} {name}, " if name else ""  # the generation as a function's first parameter
        self.pass_on = f"{name}, " if name else ""
        self.generation = name

    def line(self, text=""):
        self.out.append(text + "\n")

    def open_header(self, name, includes):
        self.line("/* Generated from the hardware tables. */")
        guard = re.sub(r"\W", "_", f"{self.family.room}_{name}").upper()
        self.line(f"#ifndef {guard}\n#define {guard}\n")
        for include in includes:
            self.line(f'#include "{self.family.room}/{include}"')
        for include in self.family.includes if includes else ():
            self.line(f'#include "{include}"')
        self.line()

    # --- types -------------------------------------------------------------------------------------------------------

    def c_type(self, field):
        if field.type in self.t.enums:
            return f"enum {self.p}_{field.type}"
        if field.type == "float":
            return "float"
        plain = self.family.plain(field.type) or table.Plain(field.type, 0, 0, 0)
        width = (1 << field.width() if plain.type == "pow2" else field.width()) + plain.shift + plain.less.bit_length()
        if self.is_signed(field):
            return "int32_t" if width <= 32 else "int64_t"
        if width == 1:
            return "bool"
        return "uint32_t" if width <= 32 else "uint64_t"

    def is_signed(self, field):
        return field.type == "int" or field.type.startswith("sfix")

    def put(self, field, width):
        value = f"f->{field.name}"
        if field.type == "float":
            return f"hw_put_float({value})"
        plain = self.family.plain(field.type)
        if plain and plain.shift:
            return f"hw_put_shifted({value}, {width}, {plain.shift})"
        if plain and plain.less:
            return f"hw_put_uint((uint64_t){value} - {plain.less}, {width})"
        if plain and plain.type == "pow2":
            return f"hw_put_pow2({value}, {width})"
        return f"hw_put_{'int' if self.is_signed(field) else 'uint'}({value}, {width})"

    def get(self, field, low, width):
        if field.type == "float":
            return f"hw_get_float(dw, {low})"
        plain = self.family.plain(field.type)
        if plain and plain.shift:
            return f"({self.c_type(field)})(hw_get_uint(dw, {low}, {width}) << {plain.shift})"
        if plain and plain.less:
            return f"({self.c_type(field)})(hw_get_uint(dw, {low}, {width}) + {plain.less})"
        if plain and plain.type == "pow2":
            return f"({self.c_type(field)})(1ull << hw_get_uint(dw, {low}, {width}))"
        return f"({self.c_type(field)})hw_get_{'int' if self.is_signed(field) else 'uint'}(dw, {low}, {width})"

    def struct(self, row, name, extra=()):
        self.line(f"struct {name} {{")
        for member in extra:
            self.line(f"    {member}")
        for field in row.fields:
            dword = (lambda low: "") if row.kind == "reg" else (lambda low: f"{low // 32}.")
            bits = " ".join(f"{g} {dword(l)}{l % 32 + w - 1}:{l % 32}" for g, (l, w) in field.bits.items())
            note = f" /* {bits} */" if len(field.bits) < len(row.cells) or len(set(field.bits.values())) > 1 else ""
            self.line(f"    {self.c_type(field)} {field.name};{note}")
        self.line("};")

    # --- layouts: generations whose fields are in the same places share one piece of code --------------------------------

    def layouts(self, row):
        groups = {}
        for generation in row.generations():
            key = tuple(field.bits.get(generation) for field in row.fields)
            groups.setdefault(key, []).append(generation)
        return list(groups.values())

    def dispatch(self, row, body):
        """`body(generation, indent)` for each layout, under a switch when there are several."""
        layouts = self.layouts(row)
        if len(layouts) == 1:
            if self.generation:
                self.line(f"    (void){self.generation};")
            body(layouts[0][0], "    ")
            return
        self.line(f"    switch ({self.generation}) {{")
        for generations in layouts[1:]:
            for generation in generations:
                self.line(f"    case {self.column[generation]}:")
            body(generations[0], "        ")
            self.line("        break;")
        self.line("    default:")
        body(layouts[0][0], "        ")
        self.line("        break;")
        self.line("    }")

    def contributions(self, row, generation):
        """dword → C expressions that are OR'ed into it."""
        result = {}
        for field in row.fields:
            if generation not in field.bits:
                continue
            low, width = field.bits[generation]
            value, dword, shift = self.put(field, width), low // 32, low % 32
            done = -shift
            while done < width:
                if done <= 0:
                    text = f"(uint32_t)({value} << {shift})" if shift else f"(uint32_t){value}"
                else:
                    text = f"(uint32_t)({value} >> {done})"
                result.setdefault(dword, []).append(text)
                dword, done = dword + 1, done + 32
        return result

    def pack_body(self, row, first, last, target):
        def body(generation, indent):
            parts = self.contributions(row, generation)
            for dword in range(first, last(generation)):
                terms = parts.get(dword, ["0"])
                self.line(f"{indent}{target(dword)} = " + f" |\n{indent}      ".join(terms) + ";")
            for field in row.fields:
                if generation not in field.bits:
                    self.line(f"{indent}hw_put_nothing((uint64_t)f->{field.name});")
        self.dispatch(row, body)

    def unpack_body(self, row, target):
        def body(generation, indent):
            for field in row.fields:
                if generation in field.bits:
                    self.line(f"{indent}{target}{field.name} = {self.get(field, *field.bits[generation])};")
        self.dispatch(row, body)

    # --- headers -----------------------------------------------------------------------------------------------------

    def enums_h(self):
        self.open_header("enums.h", [])
        for enum in self.t.enums.values():
            self.line(f"enum {self.p}_{enum.name} {{")
            for name, value in enum.values:
                self.line(f"    {self.P}_{enum.name}_{name} = {value},")
            self.line("};\n")
        self.line("#endif")

    def registers_h(self, block):
        rows = [r for r in self.t.rows if r.kind == "reg" and r.block == block]
        if not rows:
            raise table.TableError(f"no registers in block '{block}'")
        self.open_header(f"regs_{block}.h", ["enums.h"])
        for row in rows:
            self.register(row)
        self.line("#endif")

    def numbers(self, stem, values, suffix=""):
        """Defines of a number for each generation, and one for all where it is the same."""
        several = len(self.column) > 1
        for generation, value in values.items() if several else ():
            short = self.column[generation].removeprefix(self.P + "_")
            self.line(f"#define {self.P}_{stem}_{short}{suffix} {value}u")
        if len(set(values.values())) == 1:
            self.line(f"#define {self.P}_{stem}{suffix} {next(iter(values.values()))}u")

    def register(self, row):
        name = row.c_name()
        self.numbers(f"REG_{name}", {g: f"{offset:#x}" for g, offset in row.cells.items()})
        if row.count > 1:
            self.line(f"#define {self.P}_REG_{name}_COUNT {row.count}u")
            self.line(f"#define {self.P}_REG_{name}_STRIDE {row.stride:#x}u")
        if row.clear is not None:
            self.line(f"#define {self.P}_CLEAR_{name} {row.clear:#x}u")
        self.struct(row, f"{self.p}_{name}")
        word = "uint64_t" if row.is_wide else "uint32_t"
        self.line(f"static inline {word} {self.p}_pack_{name}({self.first}const struct {self.p}_{name} *f)\n{{")
        if row.is_wide:
            self.line("    uint32_t dw[2];")
            self.pack_body(row, 0, lambda _: 2, lambda d: f"dw[{d}]")
            self.line("    return (uint64_t)dw[1] << 32 | dw[0];\n}")
        else:
            self.line("    uint32_t word = 0;")
            self.pack_body(row, 0, lambda _: 1, lambda _: "word")
            self.line("    return word;\n}")
        self.line(f"static inline struct {self.p}_{name} {self.p}_unpack_{name}({self.first}{word} word)\n{{")
        self.line(f"    struct {self.p}_{name} f = {{0}};")
        self.line("    const uint32_t dw[2] = {(uint32_t)word, (uint32_t)(word >> 32)};" if row.is_wide else "    const uint32_t *dw = &word;")
        self.unpack_body(row, "f.")
        self.line("    return f;\n}\n")

    def packets_h(self, kind):
        self.open_header(kind.file, ["enums.h"])
        for row in self.t.rows:
            if row.kind == kind.word:
                (self.counted_packet if kind.header else self.word_packet if kind.is_word else self.self_sized_packet)(row, kind)
        self.line("#endif")

    def word_packet(self, row, kind):
        """A packet of one word of 64 bits."""
        name, struct = f"{kind.prefix}_{row.name}", f"{self.p}_{kind.prefix}_{row.name}"
        self.numbers(f"{kind.prefix.upper()}_{row.name}", {g: f"{opcode:#x}" for g, opcode in row.cells.items()})
        self.struct(row, struct, [] if row.fields else ["char nothing;"])
        self.line(f"static inline uint64_t {self.p}_pack_{name}({self.first}const struct {struct} *f)\n{{")
        self.line("    uint32_t dw[2];")
        self.pack_body(row, 0, lambda _: 2, lambda d: f"dw[{d}]")
        if not row.fields:
            self.line("    (void)f;")
        self.line(f"    return (uint64_t)dw[1] << 32 | dw[0] | {self.by_generation(row.cells)}ull << {kind.opcode[0]};\n}}")
        self.line(f"static inline struct {struct} {self.p}_unpack_{name}({self.first}uint64_t word)\n{{")
        self.line(f"    struct {struct} f = {{0}};")
        self.line("    const uint32_t dw[2] = {(uint32_t)word, (uint32_t)(word >> 32)};")
        if not row.fields:
            self.line("    (void)dw;")
        self.unpack_body(row, "f.")
        self.line("    return f;\n}\n")

    def packet_functions(self, row, kind):
        """The heads of packer and unpacker."""
        struct, P = f"{self.p}_{kind.prefix}_{row.name}", self.p
        return (f"static inline unsigned {P}_pack_{kind.prefix}_{row.name}({self.first}uint32_t *dw, const struct {struct} *f)\n{{",
                f"static inline bool {P}_unpack_{kind.prefix}_{row.name}({self.first}const uint32_t *packet_dw, unsigned count_dw,\n"
                f"                                        struct {struct} *f)\n{{")

    def counted_packet(self, row, kind):
        name, stem, lengths = row.name, f"{kind.prefix.upper()}_{row.name}", {g: row.length_dw(g) for g in row.generations()}
        self.numbers(stem, {g: f"{opcode:#x}" for g, opcode in row.cells.items()})
        self.numbers(stem, lengths, "_DW")
        extra = [f"{kind.flags[0]} flags;"] if kind.flags else []
        if row.tail != "none":
            extra.append("uint32_t tail_dw; /* dwords that the caller puts after the fixed part */")
        self.struct(row, f"{self.p}_{kind.prefix}_{name}", extra or ([] if row.fields else ["char nothing;"]))
        tail = " + f->tail_dw" if row.tail != "none" else ""
        pack, unpack = self.packet_functions(row, kind)
        self.line("/* Writes the fixed part and returns its length in dwords. */")
        self.line(pack)
        self.line(f"    unsigned length_dw = {self.by_generation(lengths)};")
        flags = ", f->flags" if kind.flags else ""
        self.line(f"    dw[0] = {kind.header}({self.by_generation(row.cells)}, length_dw{tail}{flags});")
        self.pack_body(row, 1, row.length_dw, lambda d: f"dw[{d}]")
        if not extra and not row.fields:
            self.line("    (void)f;")
        self.line("    return length_dw;\n}")
        self.line("/* False when the packet is shorter than its fixed part; dwords that may be left out read as zero. */")
        self.line(unpack)
        minimum = {g: row.min_dw or lengths[g] for g in row.generations()}
        self.line(f"    memset(f, 0, sizeof(*f));\n    if (count_dw < {self.by_generation(minimum)})\n        return false;")
        longest = max(lengths.values())
        if row.min_dw:
            self.line(f"    uint32_t dw[{longest}] = {{0}};")
            self.line(f"    memcpy(dw, packet_dw, sizeof(uint32_t) * (count_dw < {longest} ? count_dw : {longest}));")
        else:
            self.line("    const uint32_t *dw = packet_dw;")
        if kind.flags:
            self.line(f"    f->flags = ({kind.flags[0]}){kind.flags[1]};")
        if tail:
            fixed = self.by_generation(lengths)
            self.line(f"    f->tail_dw = count_dw < {fixed} ? 0 : count_dw - {fixed};" if row.min_dw else f"    f->tail_dw = count_dw - {fixed};")
        if not kind.flags and not row.fields:
            self.line("    (void)dw;")
        self.unpack_body(row, "f->")
        self.line("    return true;\n}\n")

    def self_sized_packet(self, row, kind):
        name = row.name
        longest = {g: row.length_dw(g) for g in row.generations()}
        fixed = {g: row.fixed_dw(g) for g in row.generations()}
        self.numbers(f"{kind.prefix.upper()}_{name}", {g: f"{opcode:#x}" for g, opcode in row.cells.items()})
        self.struct(row, f"{self.p}_{kind.prefix}_{name}", [] if row.fields else ["char nothing;"])
        pack, unpack = self.packet_functions(row, kind)
        self.line("/* Writes the packet but for a tail. Returns its length in dwords; up to the longest form may be written. */")
        self.line(pack)
        self.pack_body(row, 0, row.length_dw, lambda d: f"dw[{d}]")
        shift = f" << {kind.opcode[0] % 32}" if kind.opcode[0] % 32 else ""
        self.line(f"    dw[{kind.opcode[0] // 32}] |= {self.by_generation(row.cells)}{'u' + shift if shift else ''};")
        condition = next((f.when for f in row.fields if f.when), None)
        length = self.by_generation(fixed)
        if condition:
            field = next(f for f in row.fields if f.name == condition[0])
            test = " || ".join(f"(uint32_t)f->{field.name} == {self.t.value(text, field)}" for text in condition[1])
            length = f"{test} ? {self.by_generation(longest)} : {length}"
        self.line(f"    return {length};\n}}")
        self.line("/* False when the packet is shorter than its fixed part; what a condition leaves out reads as zero. */")
        self.line(unpack)
        most = max(longest.values())
        self.line(f"    memset(f, 0, sizeof(*f));\n    if (count_dw < {self.by_generation(fixed)})\n        return false;")
        self.line(f"    uint32_t dw[{most}] = {{0}};")
        self.line(f"    memcpy(dw, packet_dw, sizeof(uint32_t) * (count_dw < {most} ? count_dw : {most}));")
        self.unpack_body(row, "f->")
        self.line("    return true;\n}\n")

    def by_generation(self, values):
        if len(set(values.values())) == 1:
            return str(next(iter(values.values())))
        last = list(values.values())[-1]
        tests = [f"{self.generation} == {self.column[g]} ? {v}" for g, v in values.items() if v != last]
        return "(" + " : ".join(tests) + f" : {last})"

    def descriptors_h(self):
        self.open_header("descriptors.h", ["enums.h"])
        for row in self.t.rows:
            if row.kind != "descriptor":
                continue
            name = row.name
            struct = f"{self.p}_desc_{name}"
            self.line(f"#define {self.P}_DESC_{name}_DW {row.dwords}u")
            self.struct(row, struct)
            self.line(f"static inline void {self.p}_pack_desc_{name}({self.first}uint32_t dw[{row.dwords}], const struct {struct} *f)\n{{")
            self.pack_body(row, 0, row.length_dw, lambda d: f"dw[{d}]")
            self.line("}")
            self.line(f"static inline struct {struct} {self.p}_unpack_desc_{name}({self.first}const uint32_t dw[{row.dwords}])\n{{")
            self.line(f"    struct {struct} f = {{0}};")
            self.unpack_body(row, "f.")
            self.line("    return f;\n}\n")
        self.line("#endif")

    # --- run-time tables -----------------------------------------------------------------------------------------------

    def tables_c(self):
        """All rows and texts as one object, in which links (hw_link) lead from one place to another."""
        self.t.check_use()
        self.texts, self.text_B, self.fields, self.arrays = {}, 0, [], {}
        rows = {word: [r for r in self.t.rows if r.kind == word] for word in ("reg", *self.family.kinds, "descriptor")}
        self.enum_tables()
        for row in self.t.rows:
            self.field_rows(row)
        self.arrays["fields"] = ("hw_field", self.fields)
        self.arrays["regs"] = ("hw_reg", [self.register_row(n, r) for n, r in enumerate(rows["reg"])])
        for kind in self.family.packets:
            self.arrays[f"{kind.word}s"] = ("hw_packet", [self.packet_row(kind, n, r) for n, r in enumerate(rows[kind.word])])
        self.arrays["descriptors"] = ("hw_descriptor", [self.descriptor_row(n, r) for n, r in enumerate(rows["descriptor"])])

        self.line(f'/* Generated from the hardware tables. */\n#include "{self.family.room}/table.h"\n')
        self.line("struct rows {")
        for name, (kind, lines) in self.arrays.items():
            if lines:
                self.line(f"    struct {kind} {name}[{len(lines)}];")
        self.line(f"    char text[{self.text_B}];\n}};\n")
        self.line("#define LINK(from, to) {(int32_t)offsetof(struct rows, to) - (int32_t)offsetof(struct rows, from)}\n")
        self.line("static const struct rows rows = {")
        for name, (_, lines) in self.arrays.items():
            if lines:
                self.line(f"    .{name} = {{")
                self.out += [f"        {line},\n" for line in lines]
                self.line("    },")
        self.line("    .text = {")
        for text in self.texts:
            self.line("        " + ", ".join(str(byte) for byte in text.encode() + b"\0") + ",")
        self.line("    },\n};\n")
        for word in ("reg", *self.family.kinds, "descriptor"):
            kind = self.arrays[f"{word}s"][0]
            stem = f"{self.p}_{word}" if word in ("reg", "packet", "descriptor") else f"{self.p}_{word}_packet"
            self.line(f"const struct {kind} *const {stem}s = {f'rows.{word}s' if rows[word] else 'NULL'};")
            self.line(f"const unsigned {stem}_count = {len(rows[word])};")
        for kind in self.family.packets:
            if kind.header:
                self.packet_index(rows[kind.word], self.stem(kind))
        self.register_index()
        self.summary()

    def stem(self, kind):
        return f"{self.p}_packet" if kind.word == "packet" else f"{self.p}_{kind.word}_packet"

    def text_link(self, place, text):
        """From a member of a row to a text, which is there once."""
        if not text:
            return "{0}"
        if text not in self.texts:
            self.texts[text] = self.text_B
            self.text_B += len(text.encode()) + 1
        return f"LINK({place}, text[{self.texts[text]}])"

    def enum_tables(self):
        values, enums, self.enum_number = [], [], {}
        for enum in self.t.enums.values():
            number = self.enum_number[enum.name] = len(enums)
            enums.append(f"{{{self.text_link(f'enums[{number}].name', enum.name)}, "
                         f"LINK(enums[{number}].values, values[{len(values)}]), {len(enum.values)}}}")
            for name, value in sorted(enum.values, key=lambda item: item[1]):
                values.append(f"{{{self.text_link(f'values[{len(values)}].name', name)}, {value}}}")
        self.arrays["enums"] = ("hw_enum", enums)
        self.arrays["values"] = ("hw_enum_value", values)

    def symbol(self, row):
        return f"{row.kind}_{row.c_name()}"

    def each(self, row, value, absent=0):
        """An array with an element for each generation."""
        return "{" + ", ".join(str(value(g) if g in row.cells else absent) for g in self.column) + "}"

    def field_rows(self, row):
        row.first_field = len(self.fields)
        for field in row.fields:
            place = f"fields[{len(self.fields)}]"
            bits = ", ".join("{%d, %d}" % field.bits.get(g, (0, 0)) for g in self.column)
            values, fraction, base, shift, less = "{0}", 0, 0, 0, 0
            if field.type in self.t.enums:
                kind, values = "ENUM", f"LINK({place}.values, enums[{self.enum_number[field.type]}])"
            elif "fix" in field.type:
                kind, fraction = "SFIXED" if field.type[0] == "s" else "FIXED", int(re.sub(r"\D", "", field.type))
            else:
                plain = self.family.plain(field.type)
                kind, base, shift, less = plain.type, plain.base, plain.shift, plain.less
            policy = {"implemented": "IMPLEMENTED", "ignored": "IGNORED", "only": "STOP"}[field.policy.kind]
            only = self.t.value(field.policy.value, field) if field.policy.kind == "only" else 0
            when, mask = -1, 0
            if field.when:
                when = next(i for i, f in enumerate(row.fields) if f.name == field.when[0])
                for text in field.when[1]:
                    mask |= 1 << self.t.value(text, row.fields[when])
            self.fields.append(f"{{{self.text_link(f'{place}.name', field.name)}, {{{bits}}}, HW_TYPE_{kind.upper()}, {fraction or shift}, "
                               f"{less}, HW_POLICY_{policy}, {when}, {only:#x}, {base:#x}, {values}, "
                               f"{self.text_link(f'{place}.reason', field.policy.reason)}, {mask:#x}}}")

    def fields_of(self, place, row):
        return f"LINK({place}.fields, fields[{row.first_field}]), {len(row.fields)}" if row.fields else "{0}, 0"

    def policy_of(self, place, row):
        kind = {"implemented": "IMPLEMENTED", "ignored": "IGNORED"}.get(row.policy.kind, "STOP")
        return f"HW_POLICY_{kind}, {self.text_link(f'{place}.reason', row.policy.reason)}"

    def register_row(self, number, row):
        place, space = f"regs[{number}]", list(self.family.spaces).index(row.space)
        return (f"{{{self.text_link(f'{place}.name', row.name)}, {space}, {self.each(row, lambda g: hex(row.cells[g]))}, {row.count}, "
                f"{row.stride}, {self.fields_of(place, row)}, {str(row.is_wide).lower()}, {str(row.clear is not None).lower()}, "
                f"{row.clear or 0:#x}, {self.policy_of(place, row)}, {self.each(row, lambda g: hex(self.t.stop_bits(row, g)[0]))}, "
                f"{self.each(row, lambda g: hex(self.t.stop_bits(row, g)[1]))}, {self.each(row, lambda g: hex(row.mask(g)))}}}")

    def packet_row(self, kind, number, row):
        """`min_dw` is what must be there of the longest form."""
        place = f"{kind.word}s[{number}]"
        tail, base = self.family.tails[row.tail]
        minimum = (lambda g: row.min_dw or row.length_dw(g)) if kind.header else row.fixed_dw
        return (f"{{{self.text_link(f'{place}.name', row.name)}, {self.each(row, row.cells.get, -1)}, {self.each(row, row.length_dw)}, "
                f"{self.each(row, minimum)}, HW_TAIL_{tail.upper().replace('-', '_')}, {row.repeat_dw}, {base:#x}, "
                f"{self.policy_of(place, row)}, {self.fields_of(place, row)}}}")

    def descriptor_row(self, number, row):
        place = f"descriptors[{number}]"
        return (f"{{{self.text_link(f'{place}.name', row.name)}, {row.dwords}, {len(row.fields)}, "
                f"LINK({place}.fields, fields[{row.first_field}])}}")

    def packet_index(self, rows, stem):
        self.line("\n/* The first row with this opcode, plus one. */")
        self.line(f"static const uint8_t {stem}_index[][256] = {{")
        for generation in self.column:
            first = {}
            for number, row in enumerate(rows):
                if generation in row.cells:
                    first.setdefault(row.cells[generation], number + 1)
            self.line("    {" + ", ".join(f"[{o:#x}] = {n}" for o, n in sorted(first.items())) + "},")
        self.line("};")

    def register_index(self):
        """Offset → row in two steps: 64 registers to a page, page 0 is empty."""
        rows = [r for r in self.t.rows if r.kind == "reg"]
        step = 4 // self.family.unit_B
        pages, directory = {tuple([0] * 64): 0}, {}
        for generation in self.column:
            contents = {}
            for number, row in enumerate(rows):
                for offset, _ in self.t.places(row, generation) if generation in row.cells else ():
                    place = offset // step
                    contents.setdefault(place >> 6, [0] * 64)[place & 63] = number + 1
            directory[generation] = {page: pages.setdefault(tuple(words), len(pages)) for page, words in contents.items()}
        self.line("\nstatic const uint16_t reg_pages[][64] = {")
        for words in pages:
            self.line("    {" + ", ".join(map(str, words)) + "},")
        self.line("};")
        for number, generation in enumerate(self.column):
            entries = ", ".join(f"[{page:#x}] = {number}" for page, number in sorted(directory[generation].items()))
            self.line(f"static const uint8_t reg_directory_{number}[{self.family.limit // step >> 6:#x}] = {{{entries}}};")
        if len(pages) > 255:
            raise table.TableError("more pages of registers than a byte counts")

    def summary(self):
        """The struct through which the code of src/hw finds all of it."""
        if len(self.column) > MAX_GENERATIONS:
            raise table.TableError(f"more than {MAX_GENERATIONS} generations; hw/table.h has the number, too")
        step = 4 // self.family.unit_B
        directories = ", ".join(f"reg_directory_{n}" for n in range(len(self.column)))
        self.line(f"\nconst struct hw_tables {self.p}_hw_tables = {{")
        for name, value in (("generation_count", len(self.column)), ("reg_shift", step.bit_length() - 1), ("reg_limit", hex(self.family.limit)),
                            ("regs", "rows.regs"), ("reg_count", sum(r.kind == "reg" for r in self.t.rows)), ("reg_pages", "reg_pages"),
                            ("reg_directory", f"{{{directories}}}"), ("descriptors", "rows.descriptors"),
                            ("descriptor_count", sum(r.kind == "descriptor" for r in self.t.rows)), ("format_name", f"{self.p}_format_name")):
            self.line(f"    .{name} = {value},")
        for number, kind in enumerate(self.family.packets):
            index = f"{self.stem(kind)}_index" if kind.header else "NULL"
            count = sum(r.kind == kind.word for r in self.t.rows)
            low, width = kind.opcode or (0, 0)
            self.line(f"    .packets[{number}] = {{{f'rows.{kind.word}s' if count else 'NULL'}, {count}, {index}, {low}, {width}}},")
        self.line("};")

    # --- tests -------------------------------------------------------------------------------------------------------

    def roundtrip_c(self):
        """Every unpacker followed by its packer, and every member of every struct, for a test that knows none by name."""
        blocks = sorted({r.block for r in self.t.rows if r.kind == "reg"})
        self.line("/* Generated from the hardware tables, for the tests. */")
        for header in [f"regs_{b}.h" for b in blocks] + [kind.file for kind in self.family.packets] + ["descriptors.h"]:
            self.line(f'#include "{self.family.room}/{header}"')
        self.line('#include "hw/tests/roundtrip.h"\n')
        for row in self.t.rows:
            self.roundtrip(row)
        for word in ("reg", *self.family.kinds, "descriptor"):
            self.line(f"\nconst struct hw_roundtrip roundtrip_{word}s[] = {{")
            for row in self.t.rows:
                if row.kind == word:
                    self.line(f"    {{{quote(row.name)}, repack_{self.symbol(row)}, member_{self.symbol(row)}}},")
            self.line("};")

    def roundtrip(self, row):
        symbol, name, p = self.symbol(row), row.c_name(), self.p
        generation = f"({self.family.parameter[0]})generation, " if self.generation else ""
        kind = self.family.kinds.get(row.kind)
        if row.kind == "reg":
            word = "(uint64_t)in_dw[1] << 32 | in_dw[0]" if row.is_wide else "in_dw[0]"
            unpack = f"    struct {p}_{name} f = {p}_unpack_{name}({generation}{word});"
            pack = f"    const uint64_t word = {p}_pack_{name}({generation}&f);\n    out_dw[0] = (uint32_t)word;"
            pack += "\n    out_dw[1] = (uint32_t)(word >> 32);" if row.is_wide else ""
        elif kind and kind.is_word:
            word = "(uint64_t)in_dw[1] << 32 | in_dw[0]"
            unpack = f"    if (count_dw < 2)\n        return 0;\n    struct {p}_{kind.prefix}_{name} f = {p}_unpack_{kind.prefix}_{name}({generation}{word});"
            pack = f"    const uint64_t word = {p}_pack_{kind.prefix}_{name}({generation}&f);\n    out_dw[0] = (uint32_t)word;"
            pack += "\n    out_dw[1] = (uint32_t)(word >> 32);"
        elif kind:
            call = f"{p}_unpack_{kind.prefix}_{name}({generation}in_dw, count_dw, &f)"
            unpack = f"    struct {p}_{kind.prefix}_{name} f;\n    if (!{call})\n        return 0;"
            pack = f"    {p}_pack_{kind.prefix}_{name}({generation}out_dw, &f);"
        else:
            unpack = f"    struct {p}_desc_{name} f = {p}_unpack_desc_{name}({generation}in_dw);"
            pack = f"    {p}_pack_desc_{name}({generation}out_dw, &f);"
        self.line(f"static bool repack_{symbol}(unsigned generation, const uint32_t *in_dw, unsigned count_dw, uint32_t *out_dw)\n{{")
        self.line(f"{unpack}\n{pack}\n    return true;\n}}")
        self.line(f"static uint64_t member_{symbol}(unsigned generation, const uint32_t *in_dw, unsigned count_dw, unsigned field)\n{{")
        self.line(f"{unpack}\n    switch (field) {{")
        for number, field in enumerate(row.fields):
            self.line(f"    case {number}:\n        return {self.raw_member(field)};")
        self.line("    default:\n        (void)f;\n        return 0;\n    }\n}")

    def raw_member(self, field):
        """A member of the unpacked struct as the bits that it has in the hardware's words."""
        if field.type == "float":
            return f"hw_put_float(f.{field.name})"
        if self.is_signed(field):
            return f"hw_put_int(f.{field.name}, {field.width()})"
        plain = self.family.plain(field.type) or table.Plain(field.type, 0, 0, 0)
        if plain.type == "pow2":
            return f"(uint64_t)__builtin_ctzll((uint64_t)f.{field.name})"
        return f"(uint64_t)f.{field.name}" + (f" >> {plain.shift}" if plain.shift else f" - {plain.less}" if plain.less else "")


def read_family(path):
    spec = importlib.util.spec_from_file_location("family", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.FAMILY


def main():
    family, what, output, paths = read_family(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
    writer = Writer(table.load(family, paths))
    kind = next((k for k in family.packets if k.file == what), None)
    if kind:
        writer.packets_h(kind)
    elif what.startswith("regs_"):
        writer.registers_h(what[5:-2])
    else:
        {"enums.h": writer.enums_h, "descriptors.h": writer.descriptors_h, "hw_tables.c": writer.tables_c,
         "hw_roundtrip.c": writer.roundtrip_c}[what]()
    with open(output, "w", encoding="utf-8") as file:
        file.writelines(writer.out)


if __name__ == "__main__":
    try:
        main()
    except table.TableError as error:
        sys.exit(str(error))
