"""Writes what a structure type stands for: its C type's name and size, the other way round a constant for every C type,
and the handle types with their object types."""
from vk_registry import Registry, StringPool, arguments, guarded, write


def structure_type_values(registry):
    return {name: value for value, name in registry.enums["VkStructureType"].values.items()}


def header(registry, typed):
    out = ["/* Generated from vk.xml: VK_TYPE_OF_VkFoo is the sType of VkFoo; aliases of a structure have theirs, too. */",
           "#ifndef VULKAN_RUNTIME_VK_STRUCT_TYPES_H", "#define VULKAN_RUNTIME_VK_STRUCT_TYPES_H", "",
           '#include "vulkan/runtime/object/vk_api.h"', ""]
    for struct in typed:
        for name in [struct.name] + struct.aliases:
            out.append(f"#define VK_TYPE_OF_{name} {struct.structure_type}")
    return "\n".join(out + ["", "#endif", ""])


def source(registry, typed):
    values = structure_type_values(registry)
    pool = StringPool()
    rows = []
    for struct in sorted(typed, key=lambda s: values[s.structure_type]):
        head = f"    {{{values[struct.structure_type]}, {pool.add(struct.name)}, "
        rows.append(guarded(struct.platform, f"{head}sizeof({struct.name})}},", f"{head}0}},"))
    object_types = {name: value for value, name in registry.enums["VkObjectType"].values.items()}
    objects = []
    for handle in sorted(registry.handles.values(), key=lambda h: object_types[h.object_type]):
        parent = registry.handles.get(handle.parent.split(",")[0])
        objects.append(f"    {{{object_types[handle.object_type]}, {object_types[parent.object_type] if parent else 0}, "
                       f"{pool.add(handle.name)}, {str(handle.dispatchable).lower()}}},")
    return "\n".join(
        ["/* Generated from vk.xml: structures by sType, handles by object type; both sorted. */",
         '#include "vulkan/runtime/object/vk_struct.h"', '#include "vulkan/runtime/object/vk_object.h"', "",
         pool.definition("names").replace("static const char names[]", "const char vk_struct_names[]"),
         "const struct vk_struct_info vk_struct_infos[] = {"] + rows +
        ["};", f"const uint32_t vk_struct_info_count = {len(typed)};", "",
         "const struct vk_object_type_info vk_object_type_infos[] = {"] + objects +
        ["};", f"const uint32_t vk_object_type_info_count = {len(objects)};", ""])


def main():
    args = arguments(__doc__, ["header", "source"])
    registry = Registry(args.xml)
    values = structure_type_values(registry)
    typed = [s for s in registry.structs.values() if s.structure_type in values]
    write(args.header, header(registry, typed))
    write(args.source, source(registry, typed))


main()
