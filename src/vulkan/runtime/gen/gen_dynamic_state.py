"""Writes what dynamic_state.table says of graphics state: the enum of rows and groups, the map from VkDynamicState to rows, the
code that compares and copies rows, and those vkCmdSet... commands whose parameters are the fields of one row.

The table's head says what its columns mean. Types of the commands' parameters come from vk.xml; the fields' types are
the C compiler's business.
"""
import re
from dataclasses import dataclass, field

from vk_registry import Registry, arguments, write

STATE_PREFIX = "VK_DYNAMIC_STATE_"

# A pipeline bind compares things of a few bytes each: calls of memcmp would be most of its time.
HELPERS = """static inline uint32_t mask_end(uint32_t mask)
{
    return mask ? log2_floor(mask) + 1 : 0;
}

/* Of a fixed size the compiler makes a few loads and no branch. */
static inline __attribute__((always_inline)) int bytes_differ(const void *a, const void *b, size_t size_B)
{
    const char *p = a, *q = b;
    uint64_t difference = 0;
#define PART(type)                                                                                                     \\
    do {                                                                                                               \\
        type x, y;                                                                                                     \\
        memcpy(&x, p, sizeof(x));                                                                                      \\
        memcpy(&y, q, sizeof(y));                                                                                      \\
        difference |= x ^ y;                                                                                           \\
        p += sizeof(x);                                                                                                \\
        q += sizeof(y);                                                                                                \\
    } while (0)
    for (size_t i = 0; i < size_B / 8; i++)
        PART(uint64_t);
    if (size_B & 4)
        PART(uint32_t);
    if (size_B & 2)
        PART(uint16_t);
    if (size_B & 1)
        PART(uint8_t);
#undef PART
    return difference != 0;
}
"""


@dataclass
class Row:
    name: str
    since: str
    states: list
    commands: list
    fields: list  # (path, count expression or "")


@dataclass
class Group:
    name: str
    subset: str
    rows: list = field(default_factory=list)


@dataclass
class LeftOut:
    state: str
    command: str  # "" where there is none to refuse
    reason: str


def names(cell):
    return [] if cell == "-" else cell.split(",")


def parse_field(text):
    """`vp.viewports[vp.viewport_count]` -> path and the C expression of its count, in which @ is the struct."""
    match = re.fullmatch(r"([\w.]+)(?:\[(\^?)([\w.]+)\])?", text)
    if not match:
        raise SystemExit(f"dynamic_state.table: what is the field {text}?")
    path, mask, count = match.groups()
    if not count:
        return path, ""
    return path, f"mask_end(@->{count})" if mask else f"@->{count}"


def read_table(path):
    groups, left_out = [], []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            if words[0] == "group" and len(words) == 3:
                groups.append(Group(words[1], words[2]))
            elif words[0] == "left_out" and len(words) == 4:
                left_out.append(LeftOut(words[1], "" if words[2] == "-" else words[2], words[3]))
            elif line[0] == " " and len(words) >= 5 and groups:
                groups[-1].rows.append(Row(words[0], words[1], names(words[2]), names(words[3]),
                                           [parse_field(word) for word in words[4:]]))
            else:
                raise SystemExit(f"{path}:{number}: neither a group, nor a row, nor left out")
    rows = [row for group in groups for row in group.rows]
    paths = [f[0] for row in rows for f in row.fields]
    for what in ([row.name for row in rows], paths, [entry.state for entry in left_out]):
        twice = {name for name in what if what.count(name) > 1}
        if twice:
            raise SystemExit(f"{path}: twice: {', '.join(sorted(twice))}")
    if len(rows) > 64:
        raise SystemExit(f"{path}: {len(rows)} rows; the sets of rows have 64 bits")
    return groups, rows, left_out


def mask_of(rows):
    return "(" + " | ".join(f"VK_DYN({row.name})" for row in rows) + ")" if rows else "UINT64_C(0)"


def header(groups, rows):
    out = ["/* Generated from dynamic_state.table: the rows of dynamic graphics state, by group and by the subset of a pipeline. */",
           "#ifndef VULKAN_RUNTIME_VK_DYNAMIC_ROWS_H", "#define VULKAN_RUNTIME_VK_DYNAMIC_ROWS_H", "",
           "enum vk_dynamic_bit {"]
    out += [f"    VK_DYN_{row.name}," for row in rows] + ["    VK_DYN_COUNT", "};", "", "enum vk_graphics_group {"]
    out += [f"    VK_GRAPHICS_GROUP_{group.name}," for group in groups] + ["    VK_GRAPHICS_GROUP_COUNT", "};", ""]
    for group in groups:
        out.append(f"#define VK_DYN_GROUP_{group.name} {mask_of(group.rows)}")
    subsets = {}
    for group in groups:
        subsets.setdefault(group.subset, []).extend(group.rows)
    out.append("")
    for subset, members in subsets.items():
        out.append(f"#define VK_DYN_SUBSET_{subset} {mask_of(members)}")
    out += ["", f"#define VK_DYN_ALL (UINT64_MAX >> {64 - len(rows)})", "", "#endif", ""]
    return "\n".join(out)


def row_table(groups):
    out = ["const struct vk_dynamic_row vk_dynamic_rows[VK_DYN_COUNT] = {"]
    for group in groups:
        for row in group.rows:
            fields = ", ".join(f"{{offsetof(struct vk_dynamic_graphics_state, {path}), "
                               f"sizeof(((struct vk_dynamic_graphics_state *)0)->{path})}}" for path, _ in row.fields)
            out.append(f"    [VK_DYN_{row.name}] = {{\"{row.name}\", \"{row.since}\", VK_GRAPHICS_GROUP_{group.name}, "
                       f"{len(row.fields)}, {{{fields}}}}},")
    return out + ["};", ""]


def state_map(rows, left_out):
    by_state = {}
    for row in rows:
        for state in row.states:
            by_state.setdefault(state, []).append(row)
    # As a number: states of newer.table are macros, which the enumeration does not have.
    out = ["uint64_t vk_dynamic_state_rows(VkDynamicState state)", "{", "    switch ((uint32_t)state) {"]
    for state, members in by_state.items():
        out += [f"    case {STATE_PREFIX}{state}:", f"        return {mask_of(members)};"]
    out += ["    default:", "        return 0;", "    }", "}", "", "const VkDynamicState vk_dynamic_states_left_out[] = {"]
    out += [f"    {STATE_PREFIX}{entry.state}, /* {entry.reason} */" for entry in left_out]
    return out + ["};", f"const uint32_t vk_dynamic_states_left_out_count = {len(left_out)};", ""]


def differs(path, count):
    """The C condition that a field differs between a and b."""
    if not count:
        return f"bytes_differ(&a->{path}, &b->{path}, sizeof(a->{path}))"
    return f"bytes_differ(a->{path}, b->{path}, {count.replace('@', 'b')} * sizeof(a->{path}[0]))"


def is_small(row):
    return not any(count for _, count in row.fields)


def compare(rows):
    out = ["static inline bool row_differs(const struct vk_dynamic_graphics_state *a, const struct vk_dynamic_graphics_state *b,",
           "                               uint64_t row)", "{", "    switch ((enum vk_dynamic_bit)row) {"]
    for row in rows:
        condition = " || ".join(differs(*f) for f in row.fields)
        out += [f"    case VK_DYN_{row.name}:", f"        return {condition};"]
    out += ["    case VK_DYN_COUNT:", "        break;", "    }", "    return false;", "}", "",
            "uint64_t vk_dynamic_rows_differ(const struct vk_dynamic_graphics_state *a, const struct vk_dynamic_graphics_state *b,",
            "                                uint64_t rows)", "{", "    uint64_t result = 0;",
            "    bits_foreach (rows, row)", "        result |= (uint64_t)row_differs(a, b, row) << row;",
            "    return result;", "}", ""]
    return out


def copy(rows):
    out = ["static inline void copy_row(struct vk_dynamic_graphics_state *to, const struct vk_dynamic_graphics_state *from, uint64_t row)",
           "{", "    switch ((enum vk_dynamic_bit)row) {"]
    for row in rows:
        out.append(f"    case VK_DYN_{row.name}:")
        out += [f"        memcpy(&to->{path}, &from->{path}, sizeof(to->{path}));" for path, _ in row.fields]
        out.append("        break;")
    out += ["    case VK_DYN_COUNT:", "        break;", "    }", "}", "",
            "void vk_dynamic_rows_copy(struct vk_dynamic_graphics_state *to, const struct vk_dynamic_graphics_state *from, uint64_t rows)",
            "{", "    bits_foreach (rows, row)", "        copy_row(to, from, row);", "}", ""]
    return out


def setter(command, row):
    """A command that does nothing but set the fields of one row to its parameters, in their order."""
    params = ", ".join(p.declaration for p in command.params)
    out = [f"VKAPI_ATTR void VKAPI_CALL vk_common_{command.slot}({params})", "{",
           f"    struct vk_dynamic_graphics_state *dyn = vk_command_buffer_dynamic_state({command.params[0].name});"]
    pairs = list(zip((path for path, _ in row.fields), (p.name for p in command.params[1:])))
    same = " && ".join(f"dyn->{path} == (__typeof__(dyn->{path})){name}" for path, name in pairs)
    out += [f"    bool same = {same};"]
    out += [f"    dyn->{path} = (__typeof__(dyn->{path})){name};" for path, name in pairs]
    return out + [f"    vk_dynamic_row_set(dyn, VK_DYN_{row.name}, same);", "}", ""]


def refusal(command, reason):
    params = ", ".join(p.declaration for p in command.params)
    return [f"VKAPI_ATTR void VKAPI_CALL vk_common_{command.slot}({params})", "{",
            f"    vk_dynamic_state_refuse({command.params[0].name}, \"vk{command.slot}\", \"VK_{reason}\");", "}", ""]


def commands(registry, rows, left_out):
    out = []
    for row in rows:
        for name in row.commands:
            command = registry.commands.get("vk" + name)
            if not command:
                raise SystemExit(f"vk.xml has no command vk{name}, which row {row.name} names")
            plain = is_small(row) and not any(p.pointer for p in command.params)
            if plain and len(command.params) - 1 == len(row.fields):
                out += setter(command, row)
    for entry in left_out:
        if entry.command:
            out += refusal(registry.commands["vk" + entry.command], entry.reason)
    return out


def source(registry, groups, rows, left_out):
    return "\n".join(
        ["/* Generated from dynamic_state.table. */", "#include <stddef.h>", "#include <string.h>", "", '#include "util/bits.h"',
         '#include "vulkan/runtime/gen/vk_common_entrypoints.h"', '#include "vulkan/runtime/render/vk_dynamic_state.h"', "",
         HELPERS] +
        row_table(groups) + state_map(rows, left_out) + compare(rows) + copy(rows) + commands(registry, rows, left_out))


def main():
    args = arguments(__doc__, ["header", "source"], {"table": "dynamic_state.table"})
    groups, rows, left_out = read_table(args.table)
    write(args.header, header(groups, rows))
    write(args.source, source(Registry(args.xml), groups, rows, left_out))


main()
