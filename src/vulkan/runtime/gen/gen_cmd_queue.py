"""Writes, for every command that a secondary command buffer may record, a function that records it with deep copies of its
arguments, one that replays it, and one that chooses between recording it and passing it on (vk_cmd_queue.h).

What is copied follows from the registry: arrays by their `len`, structures with what they point at, chains with every
structure that may extend a reachable one. Where the registry does not say enough there is a row below.
"""
import re

from vk_registry import Registry, arguments, guarded, write

# Only the kernel knows the sizes of the arguments.
LEFT_OUT = {"vkCmdCuLaunchKernelNVX"}

# Functions of vk_cmd_queue.c: what no table says.
BY_HAND_COMMANDS = {"vkCmdPushDescriptorSetWithTemplateKHR": "vk_cmd_queue_push_template",
                    "vkCmdPushDescriptorSetWithTemplate2KHR": "vk_cmd_queue_push_template2"}
BY_HAND_STRUCTS = {"VkWriteDescriptorSet": "vk_cmd_queue_keep_write"}  # which array counts depends on the type

# How many elements the inner arrays of an array of arrays have.
INNER_COUNTS = {"ppBuildRangeInfos": "pInfos[i].geometryCount", "ppMaxPrimitiveCounts": "pInfos[i].geometryCount"}

# Objects that may be destroyed once the commands that name them are recorded, and so before these are replayed.
COUNTED = {"VkPipelineLayout": "vk_cmd_queue_keep_layout"}


class Copier:
    """What is reachable from the commands, and which of it needs more than a shallow copy."""

    def __init__(self, registry):
        self.registry = registry
        self.canonical = {alias: s.name for s in registry.structs.values() for alias in s.aliases}
        self.commands = [c for c in registry.slots("device") if "secondary" in c.levels and c.name not in LEFT_OUT]
        self.extenders = {}
        for struct in registry.structs.values():
            for base in filter(None, struct.extends):
                self.extenders.setdefault(self.canonical.get(base, base), []).append(struct)
        self.structs = {}  # reachable, a structure after those it contains
        self.links = {}  # those that may stand in a chain
        for command in self.commands:
            for param in command.params:
                self.visit(param.type)
        self.deep = {}
        for struct in self.structs.values():
            self.deep[struct.name] = any(self.needs_copy(m) for m in struct.members)

    def aggregate(self, name):
        name = self.canonical.get(name, name)
        return self.registry.structs.get(name) or self.registry.unions.get(name)

    def visit(self, name):
        struct = self.aggregate(name)
        if not struct or struct.name in self.structs:
            return
        for member in struct.members:
            if member.name != "pNext":
                self.visit(member.type)
        self.structs[struct.name] = struct
        for extender in self.extenders.get(struct.name, []):
            self.links[extender.name] = extender
            self.visit(extender.name)

    def is_deep(self, name):
        struct = self.aggregate(name)
        return bool(struct) and self.deep.get(struct.name, True)

    def needs_copy(self, member):
        if member.name == "pNext" or member.type in COUNTED:
            return True
        if member.pointer:
            return not (member.type == "void" and not member.length)
        struct = self.aggregate(member.type)
        return bool(struct) and self.is_deep(member.type)


def depth(declaration):
    return declaration.count("*")


def count_of(item, names, prefix):
    """The number of elements as C: of a parameter, or of a member of what `prefix` points at."""
    count = item.count.split(",")[0]
    if not count or count == "1":
        return "1"
    return re.sub(r"[A-Za-z_]\w*", lambda m: prefix + m[0] if m[0] in names else m[0], count)


def copied(copier, item, value, count):
    """The expression of a copy of `count` elements at `value`."""
    if item.length == "null-terminated":
        return f"vk_cmd_queue_copy_text(queue, {value})"
    if item.type == "void":
        return f"vk_cmd_queue_copy(queue, {value}, {count}, 1)"
    if copier.is_deep(item.type):
        return f"copy_{copier.aggregate(item.type).name}(queue, {value}, {count})"
    return f"vk_cmd_queue_copy(queue, {value}, {count}, sizeof({item.type}))"


def copy_nested(copier, item, target, value, count, inner):
    """An array of pointers: the array, then what each of them points at."""
    each = copied(copier, item, "copies[i]", inner)
    return [f"    {{", f"        const {item.type} **copies = vk_cmd_queue_copy(queue, {value}, {count}, sizeof(*copies));",
            f"        for (size_t i = 0; copies && i < {count}; i++)", f"            copies[i] = {each};",
            f"        {target} = copies;", "    }"]


def keep_union(copier, member, struct, union):
    lines = [f"    switch (s->{member.selector}) {{"]
    for choice in union.members:
        if copier.is_deep(choice.type):
            lines += [f"    case {value}:" for value in choice.selection]
            lines += [f"        keep_{copier.aggregate(choice.type).name}(queue, &s->{member.name}.{choice.name});",
                      "        break;"]
    return lines + ["    default:", "        break;", "    }"]


def keep_member(copier, struct, member, names):
    """Statements that turn a shallow copy's member into one of its own."""
    place = f"s->{member.name}"
    if member.name == "pNext":
        return [f"    {place} = vk_cmd_queue_copy_chain(queue, {place});"]
    if member.type in COUNTED and not member.pointer:
        return [f"    {COUNTED[member.type]}(queue, {place});"]
    if not copier.needs_copy(member):
        return []
    count = count_of(member, names, "s->")
    if member.pointer and depth(member.declaration) > 1:
        inner = member.length.split(",")[1] if "," in member.length else ""
        if inner != "1":
            raise SystemExit(f"{struct.name}::{member.name}: how long are the inner arrays?")
        return copy_nested(copier, member, place, place, count, "1")
    if member.pointer:
        return [f"    {place} = {copied(copier, member, place, count)};"]
    union = copier.registry.unions.get(copier.aggregate(member.type).name)
    if union:
        return keep_union(copier, member, struct, union)
    if member.array:
        raise SystemExit(f"{struct.name}::{member.name}: an array of structures that point somewhere")
    return [f"    keep_{copier.aggregate(member.type).name}(queue, &{place});"]


def keep_struct(copier, struct):
    """keep_X completes a shallow copy; copy_X makes copies of an array. Both are called where they are needed only."""
    names = {m.name for m in struct.members}
    unused = "__attribute__((unused)) static"
    lines = [f"{unused} void keep_{struct.name}(struct vk_cmd_queue *queue, {struct.name} *s)", "{"]
    if struct.name in BY_HAND_STRUCTS:
        lines += ["    s->pNext = vk_cmd_queue_copy_chain(queue, s->pNext);", f"    {BY_HAND_STRUCTS[struct.name]}(queue, s);"]
    else:
        for member in struct.members:
            lines += keep_member(copier, struct, member, names)
    lines += ["}",
              f"{unused} void *copy_{struct.name}(struct vk_cmd_queue *queue, const {struct.name} *from, size_t count)",
              "{", f"    {struct.name} *to = vk_cmd_queue_copy(queue, from, count, sizeof(*to));",
              "    for (size_t i = 0; to && i < count; i++)", f"        keep_{struct.name}(queue, &to[i]);",
              "    return to;", "}"]
    return guarded(struct.platform, "\n".join(lines))


def chain_table(copier):
    values = {name: value for value, name in copier.registry.enums["VkStructureType"].values.items()}
    links = sorted(copier.links.values(), key=lambda s: values[s.structure_type])
    lines = []
    for struct in links:
        # The chain itself is walked, not recursed into: a link's own pNext is the next link.
        rest = [m for m in struct.members if m.name != "pNext" and copier.needs_copy(m)]
        if rest:
            names = {m.name for m in struct.members}
            body = [line for m in rest for line in keep_member(copier, struct, m, names)]
            lines.append(guarded(struct.platform, "\n".join(
                [f"static void link_{struct.name}(struct vk_cmd_queue *queue, void *copy)", "{",
                 f"    {struct.name} *s = copy;"] + body + ["}"])))
    lines.append("const struct vk_cmd_queue_link vk_cmd_queue_links[] = {")
    for struct in links:
        rest = any(m.name != "pNext" and copier.needs_copy(m) for m in struct.members)
        lines.append(guarded(struct.platform, f"    {{{struct.structure_type}, sizeof({struct.name}), "
                                              f"{'link_' + struct.name if rest else 'NULL'}}},"))
    lines += ["};", "const size_t vk_cmd_queue_link_count = sizeof(vk_cmd_queue_links) / sizeof(vk_cmd_queue_links[0]);", ""]
    return lines


def head(prefix, command, linkage="static "):
    params = ", ".join(p.declaration for p in command.params)
    return f"{linkage}VKAPI_ATTR {command.returns} VKAPI_CALL {prefix}_{command.slot}({params})"


def field(param):
    """An argument as it is kept: a pointer, or the array itself where the declaration has its length."""
    return param.declaration.replace("const ", "", 1) if "[" in param.declaration else param.declaration


def keep_argument(copier, command, param):
    place = f"args->{param.name}"
    names = {p.name for p in command.params}
    if "[" in param.declaration:
        return [f"    memcpy({place}, {param.name}, sizeof({place}));"]
    if param.type in COUNTED:
        return [f"    {place} = {param.name};", f"    {COUNTED[param.type]}(queue, {param.name});"]
    if not param.pointer or (param.type == "void" and not param.length):
        return [f"    {place} = {param.name};"]
    count = count_of(param, names, "")
    if depth(param.declaration) > 1:
        return copy_nested(copier, param, place, param.name, count, INNER_COUNTS[param.name])
    return [f"    {place} = {copied(copier, param, param.name, count)};"]


def command_functions(copier, command):
    params = command.params[1:]
    handle = command.params[0].name
    failed, done = ("", "") if command.returns == "void" else (" VK_ERROR_OUT_OF_HOST_MEMORY", " VK_SUCCESS")
    lines = []
    if params:
        lines += [f"struct args_{command.slot} {{"] + [f"    {field(p)};" for p in params] + ["};"]
    lines += [f"static void replay_{command.slot}(const struct vk_device_dispatch *dispatch, VkCommandBuffer {handle}, "
              "const void *data)", "{"]
    if params:
        lines.append(f"    const struct args_{command.slot} *args = data;")
    values = "".join(f", args->{p.name}" for p in params)
    lines += [f"    dispatch->{command.slot}({handle}{values});", "}", head("enqueue", command), "{"]
    if command.name in BY_HAND_COMMANDS:
        lines = lines[-2:] + [f"    {BY_HAND_COMMANDS[command.name]}({', '.join(p.name for p in command.params)});", "}"]
    else:
        size = f"sizeof(struct args_{command.slot})" if params else "0"
        lines += [f"    struct vk_cmd_queue *queue = vk_cmd_queue_of({handle});",
                  f"    {'struct args_' + command.slot + ' *args' if params else 'void *args'} = "
                  f"vk_cmd_queue_add(queue, replay_{command.slot}, {size});",
                  "    if (!args)", f"        return{failed};"]
        for param in params:
            lines += keep_argument(copier, command, param)
        if command.returns != "void":
            lines.append(f"    return{done};")
        lines.append("}")
    # The switch: recording, or what stands behind it.
    keyword = "" if command.returns == "void" else "return "
    call = f"({', '.join(p.name for p in command.params)});"
    lines += [head("switch", command), "{", f"    if (vk_cmd_queue_is_recording({handle}))",
              f"        {keyword}enqueue_{command.slot}{call}", "    else",
              f"        {keyword}vk_replay_next({handle})->{command.slot}{call}", "}"]
    return guarded(command.platform, "\n".join(lines))


def source(copier):
    out = ["/* Generated from vk.xml: commands recorded with deep copies, and replayed. */",
           "#include <string.h>", "", '#include "vulkan/runtime/command/vk_cmd_queue_private.h"',
           '#include "vulkan/runtime/device/vk_layer.h"', ""]
    out += [keep_struct(copier, s) for s in copier.structs.values()
            if s.name in copier.registry.structs and copier.deep[s.name]]
    out += chain_table(copier)
    out += [command_functions(copier, c) for c in copier.commands]
    for prefix, table in (("enqueue", "const struct vk_device_dispatch vk_cmd_enqueue_entrypoints"),
                          ("switch", "static const struct vk_device_dispatch switch_entrypoints")):
        out += ["", f"{table} = {{"]
        out += [guarded(c.platform, f"    .{c.slot} = {prefix}_{c.slot},") for c in copier.commands]
        if prefix == "switch":
            out.append("    .CmdExecuteCommands = vk_replay_CmdExecuteCommands,")
        out.append("};")
    out.append('const struct vk_layer vk_replay_layer = {.name = "replay", .entrypoints = &switch_entrypoints};')
    return "\n".join(out + [""])


def main():
    args = arguments(__doc__, ["source"])
    write(args.source, source(Copier(Registry(args.xml))))


if __name__ == "__main__":
    main()
