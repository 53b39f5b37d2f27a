"""Writes struct vk_features, one bool per feature, and the table that says which member of which API structure is which.

The same feature stands in several structures: in the one of its extension, in the one of the version that took it over, in
VkPhysicalDeviceVulkan1xFeatures. Members of structures without an author's tag are one feature when their names are
equal. A tagged structure's member whose name occurs elsewhere is a different feature and carries the tag (meshShader and
meshShaderNV; bufferDeviceAddressEXT).
"""
from vk_registry import Registry, StringPool, arguments, guarded, write


def feature_structs(registry):
    structs = []
    for struct in registry.structs.values():
        if "VkPhysicalDeviceFeatures2" in struct.extends and struct.structure_type:
            members = [m.name for m in struct.members if m.type == "VkBool32" and not m.pointer and not m.array]
            structs.append((struct, [(name, name) for name in members]))
    core = registry.structs["VkPhysicalDeviceFeatures"]
    structs.append((registry.structs["VkPhysicalDeviceFeatures2"],
                    [(m.name, f"features.{m.name}") for m in core.members]))
    return structs


def feature_names(registry, structs):
    """(struct, member) -> the feature's name."""
    holders = {}
    for struct, members in structs:
        for name, _ in members:
            holders.setdefault(name, []).append(struct.name)
    result = {}
    for struct, members in structs:
        tag = registry.author_of(struct)
        for name, _ in members:
            conflict = tag and len(holders[name]) > 1
            result[struct.name, name] = name + tag if conflict else name
    return result


def main():
    args = arguments(__doc__, ["header", "source"])
    registry = Registry(args.xml)
    structs = feature_structs(registry)
    names = feature_names(registry, structs)
    order = sorted(set(names.values()))
    index = {name: i for i, name in enumerate(order)}

    header = ["/* Generated from vk.xml: one bool per feature, whatever structures it stands in. */",
              "#ifndef VULKAN_RUNTIME_VK_FEATURES_H", "#define VULKAN_RUNTIME_VK_FEATURES_H", "", "#include <stdbool.h>", "",
              f"#define VK_FEATURE_COUNT {len(order)}", "struct vk_features {", "    union {",
              "        bool enabled[VK_FEATURE_COUNT];", "        struct {"]
    header += [f"            bool {name};" for name in order] + ["        };", "    };", "};", "", "#endif", ""]
    write(args.header, "\n".join(header))

    types = {name: value for value, name in registry.enums["VkStructureType"].values.items()}
    structs.sort(key=lambda entry: types[entry[0].structure_type])
    pool, rows, tables = StringPool(), [], []
    for struct, members in structs:
        cells = "".join(f"    {{offsetof({struct.name}, {path}), {index[names[struct.name, name]]}}},\n"
                        for name, path in members)
        table = f"members_of_{struct.name}"
        tables.append(guarded(struct.platform, f"static const struct vk_feature_member {table}[] = {{\n{cells}}};"))
        rows.append(guarded(struct.platform, f"    {{{types[struct.structure_type]}, {len(members)}, {table}}},"))
    offsets = ", ".join(str(pool.add(name)) for name in order)
    strings = pool.definition("names").replace("static const char names[]", "const char vk_feature_strings[]")
    write(args.source, "\n".join(
        ["/* Generated from vk.xml: features by structure, sorted by sType. */", "#include <stddef.h>", "",
         '#include "util/bits.h"', '#include "vulkan/runtime/device/vk_feature.h"', "", strings] + tables +
        ["const struct vk_feature_struct vk_feature_structs[] = {"] + rows +
        ["};", "const uint32_t vk_feature_struct_count = ARRAY_SIZE(vk_feature_structs);", "",
         "const uint32_t vk_feature_name_offsets[VK_FEATURE_COUNT] = {", f"    {offsets},", "};", ""]))


main()
