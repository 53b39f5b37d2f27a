#!/usr/bin/env python3
"""Writes the C of the hardware tables: `gen_hw.py WHAT OUTPUT TABLE...`. WHAT is the name of the file to write:
enums.h, regs_<block>.h, packets.h, sdma.h, descriptors.h, hw_tables.c, formats.c (takes formats.table), or hw_roundtrip.c for the tests."""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import table  # noqa: E402

GFX = {"gfx9": "AMD_GFX9", "gfx10.3": "AMD_GFX10_3", "gfx11": "AMD_GFX11"}
PACKET_PREFIX = {"packet": "pkt", "sdma": "sdma"}
SUFFIX = {g: c.removeprefix("AMD_") for g, c in GFX.items()}


def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def guard(name):
    return "AMD_HW_" + re.sub(r"\W", "_", name).upper()


class Writer:
    def __init__(self, tables):
        self.t = tables
        self.out = []

    def line(self, text=""):
        self.out.append(text + "\n")

    def open_header(self, name, includes):
        self.line("/* Generated from the hardware tables. */")
        self.line(f"#ifndef {guard(name)}\n#define {guard(name)}\n")
        for include in includes:
            self.line(f'#include "amd/hw/{include}"')
        self.line()

    # --- types -------------------------------------------------------------------------------------------------------

    def c_type(self, field):
        if field.type in self.t.enums:
            return f"enum amd_{field.type}"
        if field.type == "float":
            return "float"
        if field.type == "int" or field.type.startswith("sfix"):
            return "int32_t" if field.width() <= 32 else "int64_t"
        if field.width() == 1:
            return "bool"
        return "uint32_t" if field.width() <= 32 else "uint64_t"

    def put(self, field, width):
        value = f"f->{field.name}"
        if field.type == "float":
            return f"amd_put_float({value})"
        if field.type == "int" or field.type.startswith("sfix"):
            return f"amd_put_int({value}, {width})"
        return f"amd_put_uint({value}, {width})"

    def get(self, field, low, width):
        if field.type == "float":
            return f"amd_get_float(dw, {low})"
        if field.type == "int" or field.type.startswith("sfix"):
            return f"({self.c_type(field)})amd_get_int(dw, {low}, {width})"
        return f"({self.c_type(field)})amd_get_uint(dw, {low}, {width})"

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
            self.line("    (void)gfx;")
            body(layouts[0][0], "    ")
            return
        self.line("    switch (gfx) {")
        for generations in layouts[1:]:
            for generation in generations:
                self.line(f"    case {GFX[generation]}:")
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
                    self.line(f"{indent}amd_put_nothing((uint64_t)f->{field.name});")
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
            self.line(f"enum amd_{enum.name} {{")
            for name, value in enum.values:
                self.line(f"    AMD_{enum.name}_{name} = {value},")
            self.line("};\n")
        self.line("#endif")

    def registers_h(self, block):
        rows = [r for r in self.t.rows if r.kind == "reg" and r.block == block]
        if not rows:
            raise table.TableError(f"no registers in block '{block}'")
        self.open_header(f"regs_{block}.h", ["enums.h", "pack.h"])
        for row in rows:
            self.register(row)
        self.line("#endif")

    def register(self, row):
        name = row.c_name()
        for generation, offset in row.cells.items():
            self.line(f"#define AMD_REG_{name}_{SUFFIX[generation]} {offset:#x}u")
        if len(set(row.cells.values())) == 1:
            self.line(f"#define AMD_REG_{name} {next(iter(row.cells.values())):#x}u")
        if row.count > 1:
            self.line(f"#define AMD_REG_{name}_COUNT {row.count}u")
            self.line(f"#define AMD_REG_{name}_STRIDE {row.stride:#x}u")
        if row.clear is not None:
            self.line(f"#define AMD_CLEAR_{name} {row.clear:#x}u")
        self.struct(row, f"amd_{name}")
        self.line(f"static inline uint32_t amd_pack_{name}(enum amd_gfx gfx, const struct amd_{name} *f)\n{{")
        self.line("    uint32_t word = 0;")
        self.pack_body(row, 0, lambda _: 1, lambda _: "word")
        self.line("    return word;\n}")
        self.line(f"static inline struct amd_{name} amd_unpack_{name}(enum amd_gfx gfx, uint32_t word)\n{{")
        self.line(f"    struct amd_{name} f = {{0}};\n    const uint32_t *dw = &word;")
        self.unpack_body(row, "f.")
        self.line("    return f;\n}\n")

    def packets_h(self):
        self.open_header("packets.h", ["enums.h", "pack.h"])
        for row in self.t.rows:
            if row.kind == "packet":
                self.packet(row)
        self.line("#endif")

    def packet(self, row):
        name, lengths = row.name, {g: row.length_dw(g) for g in row.generations()}
        for generation, opcode in row.cells.items():
            self.line(f"#define AMD_PKT_{name}_{SUFFIX[generation]} {opcode:#x}u")
            self.line(f"#define AMD_PKT_{name}_{SUFFIX[generation]}_DW {lengths[generation]}u")
        if len(set(row.cells.values())) == 1:
            self.line(f"#define AMD_PKT_{name} {next(iter(row.cells.values())):#x}u")
        if len(set(lengths.values())) == 1:
            self.line(f"#define AMD_PKT_{name}_DW {lengths[next(iter(lengths))]}u")
        extra = ["struct amd_pkt_flags flags;"]
        if row.tail != "none":
            extra.append("uint32_t tail_dw; /* dwords that the caller puts behind the fixed part */")
        self.struct(row, f"amd_pkt_{name}", extra)
        tail = " + f->tail_dw" if row.tail != "none" else ""
        self.line("/* Writes the fixed part and returns its length in dwords. */")
        self.line(f"static inline unsigned amd_pack_pkt_{name}(enum amd_gfx gfx, uint32_t *dw, const struct amd_pkt_{name} *f)\n{{")
        self.line(f"    unsigned length_dw = {self.by_generation(lengths)};")
        self.line(f"    dw[0] = amd_pkt3_header({self.by_generation(row.cells)}, length_dw{tail}, f->flags);")
        self.pack_body(row, 1, row.length_dw, lambda d: f"dw[{d}]")
        self.line("    return length_dw;\n}")
        self.line("/* False when the packet is shorter than its fixed part; dwords that may be left out read as zero. */")
        self.line(f"static inline bool amd_unpack_pkt_{name}(enum amd_gfx gfx, const uint32_t *packet_dw, unsigned count_dw,\n"
                  f"                                        struct amd_pkt_{name} *f)\n{{")
        minimum = {g: row.min_dw or lengths[g] for g in row.generations()}
        self.line(f"    memset(f, 0, sizeof(*f));\n    if (count_dw < {self.by_generation(minimum)})\n        return false;")
        longest = max(lengths.values())
        if row.min_dw:
            self.line(f"    uint32_t dw[{longest}] = {{0}};")
            self.line(f"    memcpy(dw, packet_dw, sizeof(uint32_t) * (count_dw < {longest} ? count_dw : {longest}));")
        else:
            self.line("    const uint32_t *dw = packet_dw;")
        self.line("    f->flags = (struct amd_pkt_flags){AMD_PKT3_PREDICATE(dw[0]), AMD_PKT3_COMPUTE(dw[0]), "
                  "AMD_PKT3_RESET_FILTER_CAM(dw[0])};")
        if tail:
            self.line(f"    f->tail_dw = count_dw - {self.by_generation(lengths)};")
        self.unpack_body(row, "f->")
        self.line("    return true;\n}\n")

    def sdma_h(self):
        self.open_header("sdma.h", ["enums.h", "pack.h"])
        for row in self.t.rows:
            if row.kind == "sdma":
                self.sdma_packet(row)
        self.line("#endif")

    def sdma_packet(self, row):
        name = row.name
        longest = {g: row.length_dw(g) for g in row.generations()}
        fixed = {g: row.fixed_dw(g) for g in row.generations()}
        for generation, header in row.cells.items():
            self.line(f"#define AMD_SDMA_{name}_{SUFFIX[generation]} {header:#x}u")
        if len(set(row.cells.values())) == 1:
            self.line(f"#define AMD_SDMA_{name} {next(iter(row.cells.values())):#x}u")
        self.struct(row, f"amd_sdma_{name}", [] if row.fields else ["char nothing;"])
        self.line("/* Writes the packet but for a tail. Returns its length in dwords; up to the longest form may be written. */")
        self.line(f"static inline unsigned amd_pack_sdma_{name}(enum amd_gfx gfx, uint32_t *dw, const struct amd_sdma_{name} *f)\n{{")
        self.pack_body(row, 0, row.length_dw, lambda d: f"dw[{d}]")
        self.line(f"    dw[0] |= {self.by_generation(row.cells)};")
        condition = next((f.when for f in row.fields if f.when), None)
        length = self.by_generation(fixed)
        if condition:
            field = next(f for f in row.fields if f.name == condition[0])
            test = " || ".join(f"(uint32_t)f->{field.name} == {self.t.value(text, field)}" for text in condition[1])
            length = f"{test} ? {self.by_generation(longest)} : {length}"
        self.line(f"    return {length};\n}}")
        self.line("/* False when the packet is shorter than its fixed part; what a condition leaves out reads as zero. */")
        self.line(f"static inline bool amd_unpack_sdma_{name}(enum amd_gfx gfx, const uint32_t *packet_dw, unsigned count_dw,\n"
                  f"                                         struct amd_sdma_{name} *f)\n{{")
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
        tests = [f"gfx == {GFX[g]} ? {v}" for g, v in values.items() if v != last]
        return "(" + " : ".join(tests) + f" : {last})"

    def descriptors_h(self):
        self.open_header("descriptors.h", ["enums.h", "pack.h"])
        for row in self.t.rows:
            if row.kind != "descriptor":
                continue
            name = row.name
            self.line(f"#define AMD_DESC_{name}_DW {row.dwords}u")
            self.struct(row, f"amd_desc_{name}")
            self.line(f"static inline void amd_pack_desc_{name}(enum amd_gfx gfx, uint32_t dw[{row.dwords}], const struct amd_desc_{name} *f)\n{{")
            self.pack_body(row, 0, row.length_dw, lambda d: f"dw[{d}]")
            self.line("}")
            self.line(f"static inline struct amd_desc_{name} amd_unpack_desc_{name}(enum amd_gfx gfx, const uint32_t dw[{row.dwords}])\n{{")
            self.line(f"    struct amd_desc_{name} f = {{0}};")
            self.unpack_body(row, "f.")
            self.line("    return f;\n}\n")
        self.line("#endif")

    # --- run-time tables -----------------------------------------------------------------------------------------------

    def tables_c(self):
        self.t.check_use()
        self.line('/* Generated from the hardware tables. */\n#include "amd/hw/table_private.h"\n')
        for enum in self.t.enums.values():
            values = ", ".join(f"{{{quote(n)}, {v}}}" for n, v in sorted(enum.values, key=lambda item: item[1]))
            self.line(f"static const struct amd_enum_value values_{enum.name}[] = {{{values}}};")
            self.line(f"static const struct amd_enum enum_{enum.name} = {{{quote(enum.name)}, values_{enum.name}, {len(enum.values)}}};")
        for row in self.t.rows:
            self.field_table(row)
        self.register_table()
        self.packet_table("packet", "amd_packets", "amd_packet_count", lambda row, g: row.min_dw or row.length_dw(g))
        self.packet_table("sdma", "amd_sdma_packets", "amd_sdma_packet_count", lambda row, g: row.fixed_dw(g))
        self.descriptor_table()
        self.register_index()
        self.packet_index()

    def symbol(self, row):
        return f"{row.kind}_{row.c_name()}"

    def field_table(self, row):
        if not row.fields:
            return
        self.line(f"static const struct amd_field fields_{self.symbol(row)}[] = {{")
        for field in row.fields:
            bits = ", ".join("{%d, %d}" % field.bits.get(g, (0, 0)) for g in table.GENERATIONS)
            values, fraction = "NULL", 0
            if field.type in self.t.enums:
                kind, values = "ENUM", f"&enum_{field.type}"
            elif "fix" in field.type:
                kind, fraction = "SFIXED" if field.type[0] == "s" else "FIXED", int(re.sub(r"\D", "", field.type))
            else:
                kind = field.type.upper()
            policy = {"implemented": "IMPLEMENTED", "ignored": "IGNORED", "only": "STOP"}[field.policy.kind]
            only = self.t.value(field.policy.value, field) if field.policy.kind == "only" else 0
            reason = quote(field.policy.reason) if field.policy.reason else "NULL"
            when, mask = -1, 0
            if field.when:
                when = next(i for i, f in enumerate(row.fields) if f.name == field.when[0])
                for text in field.when[1]:
                    mask |= 1 << self.t.value(text, row.fields[when])
            self.line(f"    {{{quote(field.name)}, {{{bits}}}, AMD_TYPE_{kind}, {fraction}, AMD_POLICY_{policy}, {only:#x}, "
                      f"{values}, {reason}, {when}, {mask:#x}}},")
        self.line("};")

    def fields_of(self, row):
        return (f"fields_{self.symbol(row)}", len(row.fields)) if row.fields else ("NULL", 0)

    def policy_of(self, row):
        kind = {"implemented": "IMPLEMENTED", "ignored": "IGNORED"}.get(row.policy.kind, "STOP")
        return f"AMD_POLICY_{kind}, {quote(row.policy.reason) if row.policy.reason else 'NULL'}"

    def register_table(self):
        rows = [r for r in self.t.rows if r.kind == "reg"]
        self.line("\nconst struct amd_reg amd_regs[] = {")
        for row in rows:
            def each(value):
                return "{" + ", ".join(f"{value(g) if g in row.cells else 0:#x}" for g in table.GENERATIONS) + "}"
            name, count = self.fields_of(row)
            self.line(f"    {{{quote(row.name)}, AMD_SPACE_{row.space.upper()}, {each(row.cells.get)}, {row.count}, {row.stride}, {name}, "
                      f"{count}, {'true' if row.clear is not None else 'false'}, {row.clear or 0:#x}, {self.policy_of(row)},")
            self.line(f"     {each(lambda g: self.t.stop_bits(row, g)[0])}, {each(lambda g: self.t.stop_bits(row, g)[1])}, {each(row.mask)}}},")
        self.line("};")
        self.line(f"const unsigned amd_reg_count = {len(rows)};")

    def packet_table(self, kind, table_name, count_name, minimum):
        rows = [r for r in self.t.rows if r.kind == kind]
        self.line(f"\nconst struct amd_packet {table_name}[] = {{")
        for row in rows:
            def each(value, absent):
                return "{" + ", ".join(str(value(g) if g in row.cells else absent) for g in table.GENERATIONS) + "}"
            name, count = self.fields_of(row)
            self.line(f"    {{{quote(row.name)}, {each(row.cells.get, -1)}, {each(row.length_dw, 0)}, "
                      f"{each(lambda g: minimum(row, g), 0)}, AMD_TAIL_{row.tail.upper().replace('-', '_')}, "
                      f"{self.policy_of(row)}, {name}, {count}}},")
        self.line("};")
        self.line(f"const unsigned {count_name} = {len(rows)};")

    def descriptor_table(self):
        rows = [r for r in self.t.rows if r.kind == "descriptor"]
        self.line("\nconst struct amd_descriptor amd_descriptors[] = {")
        for row in rows:
            self.line(f"    {{{quote(row.name)}, {row.dwords}, {len(row.fields)}, fields_{self.symbol(row)}}},")
        self.line("};")
        self.line(f"const unsigned amd_descriptor_count = {len(rows)};")

    def register_index(self):
        """Offset → row in two steps: 64 registers to a page, page 0 is empty."""
        rows = [r for r in self.t.rows if r.kind == "reg"]
        pages, directory = {tuple([0] * 64): 0}, {}
        for generation in table.GENERATIONS:
            contents = {}
            for number, row in enumerate(rows):
                for index in range(row.count if generation in row.cells else 0):
                    offset = row.cells[generation] + index * row.stride
                    contents.setdefault(offset >> 8, [0] * 64)[offset >> 2 & 63] = number + 1
            directory[generation] = {page: pages.setdefault(tuple(words), len(pages)) for page, words in contents.items()}
        self.line("\nconst uint16_t amd_reg_pages[][64] = {")
        for words in pages:
            self.line("    {" + ", ".join(map(str, words)) + "},")
        self.line("};")
        self.line("const uint8_t amd_reg_directory[AMD_GFX_COUNT][AMD_REG_LIMIT_B >> 8] = {")
        for generation in table.GENERATIONS:
            entries = ", ".join(f"[{page:#x}] = {number}" for page, number in sorted(directory[generation].items()))
            self.line(f"    [{GFX[generation]}] = {{{entries}}},")
        self.line("};")
        if len(pages) > 255:
            raise table.TableError("more pages of registers than a byte counts")

    def packet_index(self):
        rows = [r for r in self.t.rows if r.kind == "packet"]
        self.line("\n/* The first row with this opcode, plus one. */")
        self.line("const uint8_t amd_packet_index[AMD_GFX_COUNT][256] = {")
        for generation in table.GENERATIONS:
            first = {}
            for number, row in enumerate(rows):
                if generation in row.cells:
                    first.setdefault(row.cells[generation], number + 1)
            self.line(f"    [{GFX[generation]}] = {{" + ", ".join(f"[{o:#x}] = {n}" for o, n in sorted(first.items())) + "},")
        self.line("};")

    # --- tests -------------------------------------------------------------------------------------------------------

    def roundtrip_c(self):
        """Every unpacker followed by its packer, and every member of every struct, for a test that knows none by name."""
        blocks = sorted({r.block for r in self.t.rows if r.kind == "reg"})
        self.line("/* Generated from the hardware tables, for the tests. */")
        for header in [f"regs_{b}" for b in blocks] + ["packets", "sdma", "descriptors"]:
            self.line(f'#include "amd/hw/{header}.h"')
        self.line('#include "amd/hw/tests/roundtrip.h"\n')
        for row in self.t.rows:
            self.roundtrip(row)
        for kind in ("reg", "packet", "sdma", "descriptor"):
            self.line(f"\nconst struct roundtrip roundtrip_{kind}s[] = {{")
            for row in self.t.rows:
                if row.kind == kind:
                    self.line(f"    {{{quote(row.name)}, repack_{self.symbol(row)}, member_{self.symbol(row)}}},")
            self.line("};")

    def roundtrip(self, row):
        symbol = self.symbol(row)
        name = row.c_name()
        self.line(f"static bool repack_{symbol}(enum amd_gfx gfx, const uint32_t *in_dw, unsigned count_dw, uint32_t *out_dw)\n{{")
        if row.kind == "reg":
            self.line(f"    struct amd_{name} f = amd_unpack_{name}(gfx, in_dw[0]);\n    out_dw[0] = amd_pack_{name}(gfx, &f);\n    return true;\n}}")
        elif row.kind in PACKET_PREFIX:
            prefix = PACKET_PREFIX[row.kind]
            self.line(f"    struct amd_{prefix}_{name} f;\n    if (!amd_unpack_{prefix}_{name}(gfx, in_dw, count_dw, &f))\n        return false;")
            self.line(f"    amd_pack_{prefix}_{name}(gfx, out_dw, &f);\n    return true;\n}}")
        else:
            self.line(f"    struct amd_desc_{name} f = amd_unpack_desc_{name}(gfx, in_dw);\n    amd_pack_desc_{name}(gfx, out_dw, &f);\n    return true;\n}}")
        self.line(f"static uint64_t member_{symbol}(enum amd_gfx gfx, const uint32_t *in_dw, unsigned count_dw, unsigned field)\n{{")
        if row.kind == "reg":
            self.line(f"    struct amd_{name} f = amd_unpack_{name}(gfx, in_dw[0]);")
        elif row.kind in PACKET_PREFIX:
            prefix = PACKET_PREFIX[row.kind]
            self.line(f"    struct amd_{prefix}_{name} f;\n    amd_unpack_{prefix}_{name}(gfx, in_dw, count_dw, &f);")
        else:
            self.line(f"    struct amd_desc_{name} f = amd_unpack_desc_{name}(gfx, in_dw);")
        self.line("    switch (field) {")
        for number, field in enumerate(row.fields):
            signed = field.type == "int" or field.type.startswith("sfix")
            value = f"amd_put_float(f.{field.name})" if field.type == "float" else \
                f"amd_put_int(f.{field.name}, {field.width()})" if signed else f"(uint64_t)f.{field.name}"
            self.line(f"    case {number}:\n        return {value};")
        self.line("    default:\n        (void)f;\n        return 0;\n    }\n}")


def formats_c(path):
    """formats.table: its own small form, one line per format."""
    out, rows = ['/* Generated from formats.table. */\n#include "amd/hw/table_private.h"\n\n'], []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            name, cells, bits, widths, numeric, rest = words[0], words[1:3], int(words[3]), words[4], words[5], words[6:]
            widths = [int(w) for w in widths.split("/")] if widths[0].isdigit() else [0] * int(widths.strip("x-") or 0)
            block = rest[rest.index("block") + 1].split("x") if "block" in rest else ["1", "1"]
            if any(widths) and sum(widths) > bits:
                raise table.TableError(f"{path}:{number}: {name}: channels of {sum(widths)} bits in {bits}")
            numbers = [-1] + [-1 if c == "-" else int(c) for c in cells]
            if any(numbers[g] >= 0 and numbers[g] == r[1][g] for r in rows for g in range(3)):
                raise table.TableError(f"{path}:{number}: {name}: that number is taken")
            rows.append((name, numbers))
            out.append(f"#define FORMAT_{len(rows) - 1} {{{quote(name)}, {{{', '.join(map(str, numbers))}}}, {bits}, {len(widths)}, "
                       f"{{{', '.join(map(str, widths)) or 0}}}, AMD_NUMERIC_{numeric}, {block[0]}, {block[1]}, "
                       f"{'true' if 'fmask' in rest else 'false'}, {'true' if 'video' in rest else 'false'}}}\n")
    out.append("const struct amd_image_format amd_image_formats[] = {" + ", ".join(f"FORMAT_{i}" for i in range(len(rows))) + "};\n")
    out.append(f"const unsigned amd_image_format_count = {len(rows)};\n")
    out.append("const uint8_t amd_image_format_index[AMD_GFX_COUNT][AMD_IMAGE_FORMAT_LIMIT] = {\n")
    for column, generation in enumerate(table.GENERATIONS):
        entries = ", ".join(f"[{n[column]}] = {i + 1}" for i, (_, n) in enumerate(rows) if n[column] >= 0)
        out.append(f"    [{GFX[generation]}] = {{{entries}}},\n")
    return out + ["};\n"]


def main():
    what, output, paths = sys.argv[1], sys.argv[2], sys.argv[3:]
    if what == "formats.c":
        text = formats_c(paths[0])
    else:
        writer = Writer(table.load(paths))
        if what.startswith("regs_"):
            writer.registers_h(what[5:-2])
        else:
            {"enums.h": writer.enums_h, "packets.h": writer.packets_h, "sdma.h": writer.sdma_h, "descriptors.h": writer.descriptors_h,
             "hw_tables.c": writer.tables_c, "hw_roundtrip.c": writer.roundtrip_c}[what]()
        text = writer.out
    with open(output, "w", encoding="utf-8") as file:
        file.writelines(text)


if __name__ == "__main__":
    try:
        main()
    except table.TableError as error:
        sys.exit(str(error))
