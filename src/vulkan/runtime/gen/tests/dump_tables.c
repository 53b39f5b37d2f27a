/* Prints the generated tables for judge_registry.py, one fact per line. Commands are looked up: their names come from
 * standard input. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/bits.h"
#include "vulkan/runtime/device/vk_command.h"
#include "vulkan/runtime/device/vk_extension.h"
#include "vulkan/runtime/device/vk_feature.h"
#include "vulkan/runtime/object/vk_enum.h"
#include "vulkan/runtime/object/vk_object.h"
#include "vulkan/runtime/object/vk_struct.h"

static const char *extension_name(int code)
{
    return vk_extension_name(code > 0 ? &vk_device_extension_infos[code - 1] : &vk_instance_extension_infos[-code - 1]);
}

static void dump_command(const char *name)
{
    static const char *const kinds[] = {"instance", "physical_device", "device"};
    const struct vk_command *command = vk_command_find(name);
    if (!command) {
        printf("command %s none\n", name);
        return;
    }
    printf("command %s %s %u %d", name, kinds[command->kind], command->slot, command->global);
    for (unsigned i = 0; i < command->need_count; i++) {
        const struct vk_command_need *need = &vk_command_needs[command->need_first + i];
        const char *separator = " ";
        if (need->version) {
            printf(" VK_VERSION_%u_%u", VK_API_VERSION_MAJOR(need->version), VK_API_VERSION_MINOR(need->version));
            separator = "+";
        }
        for (unsigned e = 0; e < ARRAY_SIZE(need->extensions) && need->extensions[e]; e++, separator = "+")
            printf("%s%s", separator, extension_name(need->extensions[e]));
    }
    printf("\n");
}

static void dump_extensions(const char *kind, const struct vk_extension_info *infos, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        printf("extension %s %s %u\n", kind, vk_extension_name(&infos[i]), infos[i].spec_version);
}

int main(void)
{
    char name[256];
    while (scanf("%255s", name) == 1)
        dump_command(name);
    printf("commands %u\n", vk_command_count);
    dump_extensions("instance", vk_instance_extension_infos, VK_INSTANCE_EXTENSION_COUNT);
    dump_extensions("device", vk_device_extension_infos, VK_DEVICE_EXTENSION_COUNT);

    for (enum vk_enum_id id = 0; id < VK_ENUM_COUNT; id++) {
        for (uint32_t i = 0; i < vk_enums[id].count; i++) {
            int64_t value = vk_enum_values[vk_enums[id].first + i].value;
            printf("enum %s %" PRId64 " %s\n", vk_enum_strings + vk_enums[id].name, value, vk_enum_name(id, value));
        }
    }
    for (uint32_t i = 0; i < vk_struct_info_count; i++) {
        VkStructureType type = (VkStructureType)vk_struct_infos[i].type;
        printf("struct %s %s\n", vk_struct_name(type), vk_VkStructureType_name(type));
    }
    for (uint32_t i = 0; i < vk_feature_struct_count; i++) {
        const struct vk_feature_struct *info = &vk_feature_structs[i];
        for (uint32_t m = 0; m < info->member_count; m++)
            printf("feature %s %s\n", vk_struct_name((VkStructureType)info->type),
                   vk_feature_name(info->members[m].feature));
    }
    for (uint32_t i = 0; i < vk_object_type_info_count; i++)
        printf("handle %s %s %d\n", vk_object_type_handle_name((VkObjectType)vk_object_type_infos[i].type),
               vk_VkObjectType_name(vk_object_type_infos[i].type), vk_object_type_infos[i].dispatchable);
    return 0;
}
