"""Writes the names of all enum values and flag bits: one flat table sorted by value within each enum."""
from vk_registry import Registry, StringPool, arguments, write


def main():
    args = arguments(__doc__, ["header", "source"])
    registry = Registry(args.xml)
    enums = sorted(registry.enums.values(), key=lambda enum: enum.name)
    flags = {bits: name for name, (bits, _) in registry.flags.items() if bits}

    header = ["/* Generated from vk.xml: an index for every enum and flag-bits type, and typed shorthands. */",
              "#ifndef VULKAN_RUNTIME_VK_ENUM_NAMES_H", "#define VULKAN_RUNTIME_VK_ENUM_NAMES_H", "",
              "#include <stdint.h>", "", "enum vk_enum_id {"]
    header += [f"    VK_ENUM_{enum.name}," for enum in enums] + ["    VK_ENUM_COUNT", "};", ""]
    header += ["const char *vk_enum_name(enum vk_enum_id id, int64_t value);", ""]
    for enum in enums:
        if not enum.bitmask:
            header += [f"static inline const char *vk_{enum.name}_name(int32_t value)", "{",
                       f"    return vk_enum_name(VK_ENUM_{enum.name}, value);", "}", ""]
    write(args.header, "\n".join(header + ["#endif", ""]))

    pool, values, rows = StringPool(), [], []
    pool.add("")
    for enum in enums:
        rows.append(f"    {{{pool.add(enum.name)}, {pool.add(flags.get(enum.name, ''))}, "
                    f"{pool.add(f'unknown {enum.name}')}, {len(values)}, {len(enum.values)}, "
                    f"{str(enum.bitmask).lower()}, {enum.bits}}},")
        for value, name in sorted(enum.values.items()):
            values.append(f"    {{{value}ll, {pool.add(name)}}},")
    names = pool.definition("names").replace("static const char names[]", "const char vk_enum_strings[]")
    write(args.source, "\n".join(
        ["/* Generated from vk.xml: names of enum values. */", '#include "vulkan/runtime/object/vk_enum.h"', "", names,
         "const struct vk_enum_value vk_enum_values[] = {"] + values + ["};", "",
         "const struct vk_enum vk_enums[VK_ENUM_COUNT] = {"] + rows + ["};", ""]))


main()
