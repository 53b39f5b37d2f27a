"""Writes the test cases of the command queue: for each command a function that calls it with arguments made from random
numbers, structures and chains and all, and one that makes the same arguments again and compares. It reads the registry
for itself and shares nothing with gen_cmd_queue.py but the registry's reader."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "gen"))
from vk_registry import Registry, arguments, guarded, write  # noqa: E402

INNER = {"ppBuildRangeInfos": "{p}pInfos[i].geometryCount", "ppMaxPrimitiveCounts": "{p}pInfos[i].geometryCount"}
BY_HAND = {"vkCmdPushDescriptorSetWithTemplateKHR", "vkCmdPushDescriptorSetWithTemplate2KHR", "vkCmdCuLaunchKernelNVX"}
WRITE_ARRAYS = {  # of VkWriteDescriptorSet, by type
    "pImageInfo": "VK_DESCRIPTOR_TYPE_STORAGE_IMAGE", "pBufferInfo": "VK_DESCRIPTOR_TYPE_STORAGE_BUFFER",
    "pTexelBufferView": "VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER"}


class Cases:
    def __init__(self, registry):
        self.registry = registry
        self.aliases = {alias: s.name for s in registry.structs.values() for alias in s.aliases}
        self.extenders = {}
        for struct in registry.structs.values():
            for base in filter(None, struct.extends):
                self.extenders.setdefault(self.aliases.get(base, base), []).append(struct)
        self.order = []
        self.seen = set()
        self.commands = [c for c in registry.slots("device") if "secondary" in c.levels and c.name not in BY_HAND]
        for command in self.commands:
            for param in command.params:
                self.visit(param.type)

    def struct(self, name):
        return self.registry.structs.get(self.aliases.get(name, name))

    def visit(self, name):
        struct = self.struct(name)
        union = self.registry.unions.get(name)
        if union:
            for member in union.members:
                self.visit(member.type)
        if not struct or struct.name in self.seen:
            return
        self.seen.add(struct.name)
        for member in struct.members:
            self.visit(member.type)
        for extender in self.extenders.get(struct.name, []):
            self.visit(extender.name)
        self.order.append(struct)


def expression(item, names, prefix):
    text = item.count.split(",")[0] or "1"
    return re.sub(r"[A-Za-z_]\w*", lambda m: prefix + m[0] if m[0] in names else m[0], text)


def counts(items):
    """Members that are lengths of others; the bool says that it is a formula."""
    found = {}
    for item in items:
        text = item.count.split(",")[0]
        for name in re.findall(r"[A-Za-z_]\w*", text):
            if text != "null-terminated" and name in {i.name for i in items}:
                found[name] = text != name or item.type == "void"
    return found


def is_array(item):
    return "[" in item.declaration


def fill_elements(cases, item, place):
    """Give one element its value."""
    if cases.struct(item.type):
        return f"fill_{cases.struct(item.type).name}(&{place}, level + 1);"
    return f"fill_bytes(&{place}, sizeof({place}));"


def fill(cases, item, items, prefix):
    place = f"{prefix}{item.name}"
    names = {i.name for i in items}
    lengths = counts(items)
    if item.name == "pNext":
        return []  # by the structure
    if item.type == "VkPipelineLayout":
        return [f"{place} = cmd_layout();"]
    if item.name in lengths:
        return [f"{place} = 1 + cmd_random() % {70 if lengths[item.name] else 3};"]
    if is_array(item) and "*" not in item.declaration:
        return [f"for (size_t i = 0; i < sizeof({place}) / sizeof({place}[0]); i++)",
                "    " + fill_elements(cases, item, f"{place}[i]")]
    if not item.pointer:
        if ":" in item.declaration:
            return [f"{place} = cmd_random();"]
        return [fill_elements(cases, item, place)]
    if item.length == "null-terminated":
        return [f"{place} = text();"]
    count = expression(item, names, prefix)
    if item.type == "void":
        if not item.length:
            return [f"{place} = (void *)(uintptr_t)(cmd_random() | 1);"]
        return [f"{place} = bytes({count});"]
    if item.declaration.count("*") == 2:
        inner = INNER.get(item.name, "1").format(p=prefix)
        return ["{", f"    const {item.type} **outer = cmd_memory({count} * sizeof(*outer));",
                f"    for (size_t i = 0; i < {count}; i++) {{",
                f"        {item.type} *array = cmd_memory({inner} * sizeof(*array));",
                f"        for (size_t j = 0; j < {inner}; j++)", "            " + fill_elements(cases, item, "array[j]"),
                "        outer[i] = array;", "    }", f"    {place} = outer;", "}"]
    return ["{", f"    {item.type} *array = cmd_memory({count} * sizeof(*array));",
            f"    for (size_t i = 0; i < {count}; i++)", "        " + fill_elements(cases, item, "array[i]"),
            f"    {place} = array;", "}"]


def same_element(cases, item, a, b):
    struct = cases.struct(item.type)
    if struct:
        return f"same_{struct.name}(command, &{a}, &{b});"
    return f'same_bytes(command, "{item.name}", &{a}, &{b}, sizeof({a}));'


def same(cases, item, items, a, b, counter):
    """`counter` has the members that are counts: what was wanted."""
    names = {i.name for i in items}
    left, right = a + item.name, b + item.name
    if item.name == "pNext":
        return [f"same_chain(command, {left}, {right});"]
    if ":" in item.declaration:
        return [f'if ({left} != {right})', f'    cmd_differs(command, "{item.name}");']
    if is_array(item) and "*" not in item.declaration:
        dimension = re.search(r"\[(\w+)\]", item.declaration)[1]
        return [f"for (size_t i = 0; i < {dimension}; i++)", "    " + same_element(cases, item, left + "[i]", right + "[i]")]
    if not item.pointer:
        return [same_element(cases, item, left, right)]
    if item.length == "null-terminated":
        return [f'same_bytes(command, "{item.name}", {left}, {right}, strlen({right}) + 1);']
    count = expression(item, names, counter)
    if item.type == "void":
        if not item.length:
            return [f'same_bytes(command, "{item.name}", &{left}, &{right}, sizeof({left}));']
        return [f'same_bytes(command, "{item.name}", {left}, {right}, {count});']
    fresh = f'if ((const void *){left} == (const void *){right})\n        cmd_differs(command, "{item.name} was not copied");'
    if item.declaration.count("*") == 2:
        inner = INNER.get(item.name, "1").format(p=counter)
        return [fresh, f"for (size_t i = 0; i < {count}; i++)", f"    for (size_t j = 0; j < {inner}; j++)",
                "        " + same_element(cases, item, left + "[i][j]", right + "[i][j]")]
    return [fresh, f"for (size_t i = 0; i < {count}; i++)", "    " + same_element(cases, item, left + "[i]", right + "[i]")]


def special_fill(cases, struct):
    """Structures with rules of their own: where a type chooses what counts."""
    members = struct.members
    if struct.name == "VkWriteDescriptorSet":
        lines = []
        for member in members:
            if member.name not in WRITE_ARRAYS and member.name not in ("pNext", "descriptorType"):
                lines += fill(cases, member, members, "s->")
        lines += ["s->pImageInfo = (void *)8;", "s->pBufferInfo = (void *)8;", "s->pTexelBufferView = (void *)8;",
                  "switch (cmd_random() % 4) {"]
        for index, (name, value) in enumerate(WRITE_ARRAYS.items()):
            member = next(m for m in members if m.name == name)
            lines += [f"case {index}:", f"    s->descriptorType = {value};"]
            lines += ["    " + line for line in fill(cases, member, members, "s->")] + ["    break;"]
        return lines + ["default:", "    s->descriptorType = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;", "}"]
    for member in members:
        if member.selector and member.type in cases.registry.unions:
            union = cases.registry.unions[member.type]
            lines = [line for m in members if m.name not in (member.name, member.selector) for line in fill(cases, m, members, "s->")]
            lines += [f"memset(&s->{member.name}, 0, sizeof(s->{member.name}));", f"switch (cmd_random() % {len(union.members)}) {{"]
            for index, choice in enumerate(union.members):
                lines += [f"case {index}:", f"    s->{member.selector} = {choice.selection[0]};",
                          "    " + fill_elements(cases, choice, f"s->{member.name}.{choice.name}"), "    break;"]
            return lines + ["}"]
    return None


def special_same(cases, struct):
    members = struct.members
    if struct.name == "VkWriteDescriptorSet":
        lines = [line for m in members if m.name not in WRITE_ARRAYS for line in same(cases, m, members, "a->", "b->", "b->")]
        for name, value in WRITE_ARRAYS.items():
            member = next(m for m in members if m.name == name)
            lines += [f"if (b->descriptorType == {value}) {{"]
            lines += ["    " + line for line in same(cases, member, members, "a->", "b->", "b->")] + ["}"]
        return lines
    for member in members:
        if member.selector and member.type in cases.registry.unions:
            union = cases.registry.unions[member.type]
            lines = [line for m in members if m.name != member.name for line in same(cases, m, members, "a->", "b->", "b->")]
            lines.append(f"switch (b->{member.selector}) {{")
            for choice in union.members:
                lines += [f"case {choice.selection[0]}:", "    " + same_element(
                    cases, choice, f"a->{member.name}.{choice.name}", f"b->{member.name}.{choice.name}"), "    break;"]
            return lines + ["default:", "    break;", "}"]
    return None


def struct_functions(cases, struct):
    body = special_fill(cases, struct) or [line for m in struct.members if m.name != "sType"
                                           for line in fill(cases, m, struct.members, "s->")]
    if struct.structure_type:
        body = [line for line in body if "s->sType" not in line]
        body.append(f"s->sType = {struct.structure_type};")
    if any(m.name == "pNext" for m in struct.members):
        chain = ["s->pNext = NULL;"]
        # The chain in the order of the registry, twice deep.
        for extender in cases.extenders.get(struct.name, []):
            link = ["if (level < 2) {", f"    {extender.name} *link = cmd_memory(sizeof(*link));",
                    f"    fill_{extender.name}(link, 2);", "    link->pNext = (void *)s->pNext;", "    s->pNext = link;", "}"]
            chain.append(guarded(extender.platform, "\n".join("    " + line for line in link)).lstrip())
        body += chain
    compare = special_same(cases, struct) or [line for m in struct.members
                                              for line in same(cases, m, struct.members, "a->", "b->", "b->")]
    lines = [f"UNUSED static void fill_{struct.name}({struct.name} *s, unsigned level)", "{"]
    lines += ["    " + line for line in body]
    lines += ["}", f"UNUSED static void same_{struct.name}(const char *command, const {struct.name} *a, const {struct.name} *b)",
              "{"] + ["    " + line for line in compare] + ["}"]
    return guarded(struct.platform, "\n".join(lines))


def prototypes(struct):
    return guarded(struct.platform, f"static void fill_{struct.name}({struct.name} *s, unsigned level);\n"
                   f"static void same_{struct.name}(const char *command, const {struct.name} *a, const {struct.name} *b);")


def same_chain(cases):
    links = {e.name: e for base, es in cases.extenders.items() if base in cases.seen for e in es}
    lines = ["static void same_chain(const char *command, const void *left, const void *right)", "{",
             "    const VkBaseInStructure *a = left, *b = right;", "    for (; a && b; a = a->pNext, b = b->pNext) {",
             "        if (a->sType != b->sType) {", '            cmd_differs(command, "the order of a chain");', "            return;",
             "        }", "        switch ((int)a->sType) {"]
    for struct in links.values():
        lines.append(guarded(struct.platform, f"        case {struct.structure_type}: {{\n"
                             f"            {struct.name} x = *(const {struct.name} *)a, y = *(const {struct.name} *)b;\n"
                             f"            x.pNext = y.pNext = NULL; /* the walk's */\n"
                             f"            same_{struct.name}(command, &x, &y);\n            break;\n        }}"))
    return lines + ["        default:", '            cmd_differs(command, "an unknown link");', "        }", "    }", "    if (a || b)",
                    '        cmd_differs(command, "the length of a chain");', "}", ""]


def command_functions(cases, command):
    params = command.params[1:]
    lines = [f"struct call_{command.slot} {{"]
    for param in params:
        text = param.declaration
        lines.append(f"    {text.replace('const ', '', 1) if '[' in text else text};")
    lines += ["    char nothing;", "};", f"static void make_{command.slot}(struct call_{command.slot} *c)", "{",
              "    unsigned level = 0;", "    (void)level;"]
    for param in params:
        lines += ["    " + line for line in fill(cases, param, params, "c->")]
    values = "".join(f", c.{p.name}" for p in params)
    lines += ["}", f"static void call_{command.slot}(const struct vk_device_dispatch *table, VkCommandBuffer commandBuffer)", "{",
              f"    struct call_{command.slot} c;", f"    make_{command.slot}(&c);",
              f"    table->{command.slot}(commandBuffer{values});", "}"]
    head = ", ".join(p.declaration for p in command.params)
    lines += [f"static VKAPI_ATTR {command.returns} VKAPI_CALL check_{command.slot}({head})", "{",
              f'    const char *command = "{command.name}";', f"    struct call_{command.slot} want;", "    cmd_restart();",
              f"    make_{command.slot}(&want);", f"    cmd_arrived({command.params[0].name}, command);"]
    for param in params:
        lines += ["    " + line for line in same(cases, param, params, "", "want.", "want.")]
    if command.returns != "void":
        lines.append("    return VK_SUCCESS;")
    return guarded(command.platform, "\n".join(lines + ["}"]))


HELPERS = r"""
#define UNUSED __attribute__((unused))

static void fill_bytes(void *to, size_t size_B)
{
    for (size_t i = 0; i < size_B; i++)
        ((uint8_t *)to)[i] = cmd_random();
}

UNUSED static const void *bytes(size_t size_B)
{
    void *memory = cmd_memory(size_B);
    fill_bytes(memory, size_B);
    return memory;
}

UNUSED static const char *text(void)
{
    size_t length = cmd_random() % 20;
    char *memory = cmd_memory(length + 1);
    for (size_t i = 0; i < length; i++)
        memory[i] = 'a' + cmd_random() % 26;
    memory[length] = 0;
    return memory;
}

static void same_bytes(const char *command, const char *what, const void *a, const void *b, size_t size_B)
{
    if (!a || !b || memcmp(a, b, size_B) != 0)
        cmd_differs(command, what);
}
"""


def main():
    args = arguments(__doc__, ["source"])
    cases = Cases(Registry(args.xml))
    out = ["/* Generated from vk.xml: every command with arguments that a seed stands for. */", "#include <string.h>", "",
           '#include "vulkan/runtime/command/tests/cmd_queue_cases.h"', HELPERS]
    out += [prototypes(s) for s in cases.order] + same_chain(cases)
    out += [struct_functions(cases, s) for s in cases.order]
    out += [command_functions(cases, c) for c in cases.commands]
    out += ["const struct cmd_queue_case cmd_queue_cases[] = {"]
    out += [guarded(c.platform, f'    {{"{c.name}", call_{c.slot}}},') for c in cases.commands]
    out += ["};", "const uint32_t cmd_queue_case_count = sizeof(cmd_queue_cases) / sizeof(cmd_queue_cases[0]);", "",
            "const struct vk_device_dispatch cmd_queue_checks = {"]
    out += [guarded(c.platform, f"    .{c.slot} = check_{c.slot},") for c in cases.commands]
    write(args.source, "\n".join(out + ["};", ""]))


main()
