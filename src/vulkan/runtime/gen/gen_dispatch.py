"""Writes the dispatch tables (vk_dispatch.h) and the table of all commands with a perfect hash of their names."""
from vk_registry import KINDS, Registry, StringPool, arguments, guarded, write

MASK32 = 0xFFFFFFFF


def hash_of(text):
    """Eight bytes at a time, the last of which may overlap those before: vk_command.c computes the same."""
    data, value = text.encode(), 0
    if len(data) < 8:
        raise SystemExit(f"{text} is too short for the hash")
    for at in (*range(0, len(data) - 8, 8), len(data) - 8):
        value = (value ^ int.from_bytes(data[at:at + 8], "little")) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
        value ^= value >> 32
    return value


def slot_of(value, displacement, bits):
    # vk_command.c computes the same.
    return ((((value >> 32) ^ displacement) & MASK32) * 0x9E3779B1 & MASK32) >> (32 - bits)


def perfect_hash(names):
    """Displacements per bucket and the slot of each name: hash, displace, and never collide."""
    bits = max(4, (len(names) * 5 // 4).bit_length())
    bucket_count = 1 << max(2, (len(names) // 3).bit_length())
    buckets = {}
    for name in names:
        buckets.setdefault(hash_of(name) % bucket_count, []).append(name)
    taken = {}
    displacements = [0] * bucket_count
    for bucket, members in sorted(buckets.items(), key=lambda item: -len(item[1])):
        for displacement in range(1 << 16):
            slots = [slot_of(hash_of(name), displacement, bits) for name in members]
            if len(set(slots)) == len(slots) and not any(slot in taken for slot in slots):
                break
        else:
            raise SystemExit(f"no displacement for {members}")
        displacements[bucket] = displacement
        taken.update(zip(slots, members))
    return bits, displacements, taken


def table_type(registry, kind):
    slots = registry.slots(kind)
    count = f"VK_{kind.upper()}_SLOT_COUNT"
    lines = [f"#define {count} {len(slots)}", f"struct vk_{kind}_dispatch {{", "    union {",
             f"        PFN_vkVoidFunction slots[{count}];", "        struct {"]
    for command in slots:
        names = [command] + registry.aliases_of(command)
        fields = [f"PFN_{command.name} {c.name[2:]};" for c in names]
        untyped = [f"PFN_vkVoidFunction {c.name[2:]};" for c in names]
        if len(names) > 1:
            fields, untyped = (["union { " + " ".join(f) + " };"] for f in (fields, untyped))
        lines.append(guarded(command.platform, f"            {fields[0]}", f"            {untyped[0]}"))
    lines += ["        };", "    };", "};", ""]
    return "\n".join(lines)


def header(registry):
    return "\n".join([
        "/* Generated from vk.xml: one slot a command; names of the same command share one. A slot exists on every",
        " * platform, typed where the platform's types are declared, so that the layout never depends on defines. */",
        "#ifndef VULKAN_RUNTIME_VK_DISPATCH_H", "#define VULKAN_RUNTIME_VK_DISPATCH_H", "",
        '#include "vulkan/runtime/object/vk_api.h"', ""] + [table_type(registry, kind) for kind in KINDS] + ["#endif", ""])


def extension_codes(registry):
    """Device extensions count up from 1, instance extensions down from -1; 0 is none."""
    codes = {}
    for kind, sign in (("instance", -1), ("device", 1)):
        for index, extension in enumerate(e for e in registry.extensions if e.kind == kind):
            codes[extension.name] = sign * (index + 1)
    return codes


def in_order_of_questions(registry):
    """As versions and extensions introduce them: a loader asks for all, version by version, extension by extension, and finds names and rows beside each other."""
    return sorted(registry.commands.values(), key=lambda command: registry.known[command.name])


def need_rows(registry, codes):
    """The distinct lists of alternatives, flattened; a command keeps the place of its own."""
    width = 1
    rows, places = [], {}
    for command in in_order_of_questions(registry):
        key = []
        for alternative in command.alternatives:
            version = max((v for kind, v in alternative if kind == "version"), default=(0, 0))
            names = sorted(name for kind, name in alternative if kind == "extension")
            if any(name not in codes for name in names):
                continue  # needs an extension that this registry does not support
            width = max(width, len(names))
            key.append((version, tuple(codes[name] for name in names)))
        key = tuple(key)
        if key not in places:
            places[key] = len(rows)
            rows.extend(key)
        command.need_first, command.need_count = places[key], len(key)
    return rows, width


def source(registry):
    commands = in_order_of_questions(registry)
    names = [command.name for command in commands]
    pool = StringPool()
    rows, width = need_rows(registry, extension_codes(registry))
    if width > 3:
        raise SystemExit(f"a command needs {width} extensions at once: widen struct vk_command_need")
    slots = {c.name: i for kind in KINDS for i, c in enumerate(registry.slots(kind))}
    bits, displacements, taken = perfect_hash(names)

    out = ["/* Generated from vk.xml: every command's name, kind, slot and needs. */",
           '#include "vulkan/runtime/device/vk_command.h"', ""]
    body = [f"const struct vk_command vk_commands[{len(names)}] = {{"]
    for command in commands:
        body.append(f"    {{{pool.add(command.name)}, {slots[command.canonical]}, {command.need_first}, "
                    f"{command.need_count}, VK_COMMAND_{command.kind.upper()}, {str(command.is_global).lower()}, "
                    f"{len(command.name)}}}, /* {command.name} */")
    body += ["};", f"const uint32_t vk_command_count = {len(names)};", ""]
    body.append("const struct vk_command_need vk_command_needs[] = {")
    for version, codes in rows:
        packed = f"VK_MAKE_API_VERSION(0, {version[0]}, {version[1]}, 0)" if version != (0, 0) else "0"
        body.append(f"    {{{packed}, {{{', '.join(str(c) for c in codes) or '0'}}}}},")
    body += ["};", ""]
    body.append(f"const uint32_t vk_command_hash_bits = {bits};")
    body.append(f"const uint32_t vk_command_bucket_mask = {len(displacements) - 1};")
    body.append(f"const uint16_t vk_command_displacements[{len(displacements)}] = {{")
    body.append("    " + ", ".join(str(d) for d in displacements) + ",")
    body += ["};", f"const uint16_t vk_command_hash[{1 << bits}] = {{"]
    index = {name: i + 1 for i, name in enumerate(names)}
    body.append("    " + ", ".join(str(index[taken[s]] if s in taken else 0) for s in range(1 << bits)) + ",")
    body += ["};", ""]
    pooled = pool.definition("names").replace("static const char names[]", "const char vk_command_names[]")
    return "\n".join(out + [pooled] + body)


def main():
    args = arguments(__doc__, ["header", "source"])
    registry = Registry(args.xml)
    write(args.header, header(registry))
    write(args.source, source(registry))


main()
