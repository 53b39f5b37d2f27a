"""Writes struct vk_properties, every property of a physical device once, and the table that copies them into the API's
structures: those of an extension, of the version that took it over, and VkPhysicalDeviceVulkan1xProperties.

Members are one property by the rule of gen_features.py. Structures with pointers among their members are left to the driver, but for
what a version's structure has of others."""
from vk_registry import Registry, arguments, guarded, write

# VkPhysicalDeviceVulkan11Properties gives these members longer names.
RENAMED = {("VkPhysicalDeviceSubgroupProperties", "supportedStages"): "subgroupSupportedStages",
           ("VkPhysicalDeviceSubgroupProperties", "supportedOperations"): "subgroupSupportedOperations",
           ("VkPhysicalDeviceSubgroupProperties", "quadOperationsInAllStages"): "subgroupQuadOperationsInAllStages"}


def property_structs(registry):
    structs = []
    for struct in registry.structs.values():
        if "VkPhysicalDeviceProperties2" not in struct.extends or not struct.structure_type:
            continue
        members = [m for m in struct.members if m.name not in ("sType", "pNext")]
        if not any(m.pointer for m in members):
            structs.append((struct, members))
        elif not registry.author_of(struct):
            lists = {name for m in members if m.pointer for name in (m.name, m.length)}
            structs.append((struct, [m for m in members if m.name not in lists]))
    return structs


def property_names(registry, structs):
    """(struct, member) -> the property's name."""
    holders = {}
    for struct, members in structs:
        for member in members:
            holders.setdefault(member.name, []).append(struct.name)
    result = {}
    for struct, members in structs:
        tag = registry.author_of(struct)
        for member in members:
            name = RENAMED.get((struct.name, member.name), member.name)
            result[struct.name, member.name] = name + tag if tag and len(holders[member.name]) > 1 else name
    return result


def main():
    args = arguments(__doc__, ["header", "source"])
    registry = Registry(args.xml)
    structs = property_structs(registry)
    names = property_names(registry, structs)
    fields = {}
    for struct, members in structs:
        for member in members:
            field = f"__typeof__((({struct.name} *)0)->{member.name})"
            fields.setdefault(names[struct.name, member.name], (struct.platform, field))
    header = ["/* Generated from vk.xml: every property of a physical device once. */", "#ifndef VULKAN_RUNTIME_VK_PROPERTIES_H",
              "#define VULKAN_RUNTIME_VK_PROPERTIES_H", "", '#include "vulkan/runtime/object/vk_api.h"', "", "struct vk_properties {",
              "    VkPhysicalDeviceProperties core;"]
    header += [guarded(platform, f"    {field} {name};") for name, (platform, field) in sorted(fields.items())]
    header += ["};", "", "/* Every structure of the chain that the table knows; others are left alone. */",
               "void vk_properties_write(const struct vk_properties *properties, VkPhysicalDeviceProperties2 *chain);", "", "#endif", ""]
    write(args.header, "\n".join(header))

    types = {name: value for value, name in registry.enums["VkStructureType"].values.items()}
    rows = []
    for struct, members in sorted(structs, key=lambda entry: types[entry[0].structure_type]):
        lines = [f"        case {types[struct.structure_type]}: {{ /* {struct.name} */", f"            {struct.name} *out = (void *)element;"]
        lines += [f"            memcpy(&out->{m.name}, &properties->{names[struct.name, m.name]}, sizeof(out->{m.name}));" for m in members]
        lines += ["            break;", "        }"]
        rows.append(guarded(struct.platform, "\n".join(lines)))
    write(args.source, "\n".join(
        ["/* Generated from vk.xml: properties by structure. */", "#include <string.h>", "", '#include "vulkan/runtime/gen/vk_properties.h"',
         '#include "vulkan/runtime/object/vk_struct.h"', "",
         "void vk_properties_write(const struct vk_properties *properties, VkPhysicalDeviceProperties2 *chain)", "{",
         "    chain->properties = properties->core;", "    vk_foreach_struct(element, chain->pNext)", "    {", "        switch ((int)element->sType) {"]
        + rows + ["        default:", "            break;", "        }", "    }", "}", ""]))


main()
