/* The generated tables on their own: names, chains, enums, extensions, features; and bad input to each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/bits.h"
#include "util/strbuf.h"
#include "vulkan/runtime/device/vk_command.h"
#include "vulkan/runtime/device/vk_extension.h"
#include "vulkan/runtime/device/vk_feature.h"
#include "vulkan/runtime/object/vk_enum.h"
#include "vulkan/runtime/object/vk_object.h"
#include "vulkan/runtime/object/vk_struct.h"

static void command_is_found_by_its_name_and_no_other(void **state)
{
    for (uint32_t i = 0; i < vk_command_count; i++) {
        char name[128];
        strcpy(name, vk_command_name(&vk_commands[i]));
        assert_ptr_equal(vk_command_find(name), &vk_commands[i]);
        size_t length = strlen(name);
        name[length] = 'X', name[length + 1] = '\0';
        assert_null(vk_command_find(name));
        name[length - 1] = '\0';
        const struct vk_command *shorter = vk_command_find(name); /* vkCmdDrawIndirectCount… has no such pair today */
        assert_true(!shorter || strcmp(vk_command_name(shorter), name) == 0);
    }
}

static void unknown_names_find_nothing(void **state)
{
    static const char *const names[] = {
        "", "v", "vk", "vkCreateBuffe", "vkCreateBuffer ", "CreateBuffer", "VKCREATEBUFFER", "\xff\xfe"};
    assert_null(vk_command_find(NULL));
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
        assert_null(vk_command_find(names[i]));

    static char endless[1 << 20];
    memset(endless, 'v', sizeof(endless) - 1);
    assert_null(vk_command_find(endless));

    srand(1);
    for (unsigned i = 0; i < 100000; i++) {
        char text[24] = "vk";
        for (unsigned c = 2; c < sizeof(text) - 1; c++)
            text[c] = (char)(rand() % 255 + 1);
        assert_null(vk_command_find(text));
    }
}

static void aliases_share_a_slot_and_differ_in_needs(void **state)
{
    const struct vk_command *core = vk_command_find("vkCmdSetCullMode");
    const struct vk_command *extension = vk_command_find("vkCmdSetCullModeEXT");
    assert_non_null(core);
    assert_non_null(extension);
    assert_int_equal(core->slot, extension->slot);
    assert_int_equal(core->kind, extension->kind);

    struct vk_device_extensions enabled = {.EXT_extended_dynamic_state = true};
    assert_true(vk_command_is_provided(core, VK_API_VERSION_1_3, NULL, NULL));
    assert_false(vk_command_is_provided(core, VK_API_VERSION_1_2, NULL, &enabled));
    assert_true(vk_command_is_provided(extension, VK_API_VERSION_1_0, NULL, &enabled));
    assert_false(vk_command_is_provided(extension, VK_API_VERSION_1_3, NULL, NULL));
    assert_int_equal(offsetof(struct vk_device_dispatch, CmdSetCullMode),
                     offsetof(struct vk_device_dispatch, CmdSetCullModeEXT));
}

/* Headers may be older than 1.4, whose commands go by the names that they had as extensions'. */
static void commands_of_1_4_are_those_of_extensions(void **state)
{
    static const char *const names[][2] = {{"vkMapMemory2", "vkMapMemory2KHR"},
                                           {"vkUnmapMemory2", "vkUnmapMemory2KHR"},
                                           {"vkGetRenderingAreaGranularity", "vkGetRenderingAreaGranularityKHR"},
                                           {"vkGetDeviceImageSubresourceLayout", "vkGetDeviceImageSubresourceLayoutKHR"},
                                           {"vkGetImageSubresourceLayout2", "vkGetImageSubresourceLayout2EXT"},
                                           {"vkCopyMemoryToImage", "vkCopyMemoryToImageEXT"},
                                           {"vkCopyImageToMemory", "vkCopyImageToMemoryEXT"},
                                           {"vkCopyImageToImage", "vkCopyImageToImageEXT"},
                                           {"vkTransitionImageLayout", "vkTransitionImageLayoutEXT"},
                                           {"vkCmdBindIndexBuffer2", "vkCmdBindIndexBuffer2KHR"},
                                           {"vkCmdPushDescriptorSet", "vkCmdPushDescriptorSetKHR"},
                                           {"vkCmdPushDescriptorSetWithTemplate", "vkCmdPushDescriptorSetWithTemplateKHR"},
                                           {"vkCmdPushDescriptorSet2", "vkCmdPushDescriptorSet2KHR"},
                                           {"vkCmdPushDescriptorSetWithTemplate2", "vkCmdPushDescriptorSetWithTemplate2KHR"},
                                           {"vkCmdBindDescriptorSets2", "vkCmdBindDescriptorSets2KHR"},
                                           {"vkCmdPushConstants2", "vkCmdPushConstants2KHR"},
                                           {"vkCmdSetLineStipple", "vkCmdSetLineStippleEXT"},
                                           {"vkCmdSetRenderingAttachmentLocations", "vkCmdSetRenderingAttachmentLocationsKHR"},
                                           {"vkCmdSetRenderingInputAttachmentIndices", "vkCmdSetRenderingInputAttachmentIndicesKHR"}};
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        const struct vk_command *core = vk_command_find(names[i][0]), *extension = vk_command_find(names[i][1]);
        assert_non_null(core);
        assert_non_null(extension);
        assert_int_equal(core->slot, extension->slot);
        assert_true(vk_command_is_provided(core, VK_API_VERSION_1_4, NULL, NULL));
        assert_false(vk_command_is_provided(core, VK_API_VERSION_1_3, NULL, NULL));
        assert_false(vk_command_is_provided(extension, VK_API_VERSION_1_4, NULL, NULL));
    }
}

static void features_of_1_4_are_those_of_extensions(void **state)
{
    const struct vk_features features = {.maintenance5 = true, .hostImageCopy = true, .pushDescriptor = true};
    VkPhysicalDeviceVulkan14Features core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES};
    VkPhysicalDeviceMaintenance5FeaturesKHR five = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR, .pNext = &core};
    VkPhysicalDeviceFeatures2 chain = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &five};
    vk_features_write(&features, &chain);
    assert_true(five.maintenance5 && core.maintenance5 && core.hostImageCopy && core.pushDescriptor);
    assert_false(core.maintenance6 || core.shaderFloatControls2);
}

/* Two extensions at once, or one and a version: vkGetDeviceGroupPresentCapabilitiesKHR has both kinds of need. */
static void every_part_of_a_need_counts(void **state)
{
    const struct vk_command *command = vk_command_find("vkGetDeviceGroupPresentCapabilitiesKHR");
    struct vk_instance_extensions surface = {.KHR_surface = true};
    struct vk_device_extensions group = {.KHR_device_group = true};
    struct vk_device_extensions swapchain = {.KHR_swapchain = true};
    assert_false(vk_command_is_provided(command, VK_API_VERSION_1_3, NULL, NULL));
    assert_false(vk_command_is_provided(command, VK_API_VERSION_1_0, NULL, &group));
    assert_false(vk_command_is_provided(command, VK_API_VERSION_1_0, &surface, &swapchain));
    assert_true(vk_command_is_provided(command, VK_API_VERSION_1_0, &surface, &group));
    assert_true(vk_command_is_provided(command, VK_MAKE_API_VERSION(0, 1, 1, 239), NULL, &swapchain));
}

/* Whatever the state that they set comes from. */
static void shader_objects_bring_all_commands_of_dynamic_state(void **state)
{
    static const char *const names[] = {"vkCmdSetColorBlendAdvancedEXT", "vkCmdSetLineStippleEnableEXT",
                                        "vkCmdSetViewportWScalingEnableNV", "vkCmdSetCoverageReductionModeNV"};
    struct vk_device_extensions objects = {.EXT_shader_object = true};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct vk_command *command = vk_command_find(names[i]);
        assert_false(vk_command_is_provided(command, VK_API_VERSION_1_3, NULL, NULL));
        assert_true(vk_command_is_provided(command, VK_API_VERSION_1_3, NULL, &objects));
    }
}

static void a_patch_number_does_not_provide_a_version(void **state)
{
    const struct vk_command *command = vk_command_find("vkGetDeviceQueue2");
    assert_false(vk_command_is_provided(command, VK_MAKE_API_VERSION(0, 1, 0, 4095), NULL, NULL));
    assert_true(vk_command_is_provided(command, VK_MAKE_API_VERSION(0, 1, 1, 0), NULL, NULL));
}

static void window_systems_of_linux_are_typed(void **state)
{
    struct vk_instance_dispatch table = {0};
    PFN_vkCreateXcbSurfaceKHR xcb = table.CreateXcbSurfaceKHR;
    PFN_vkCreateXlibSurfaceKHR xlib = table.CreateXlibSurfaceKHR;
    PFN_vkCreateWaylandSurfaceKHR wayland = table.CreateWaylandSurfaceKHR;
    PFN_vkVoidFunction win32 = table.CreateWin32SurfaceKHR; /* foreign: there, and without a type */
    assert_true(!xcb && !xlib && !wayland && !win32);
    assert_int_equal(vk_command_find("vkCreateWin32SurfaceKHR")->kind, VK_COMMAND_INSTANCE);
}

static void enums_have_names(void **state)
{
    assert_string_equal(vk_VkResult_name(VK_SUCCESS), "VK_SUCCESS");
    assert_string_equal(vk_VkResult_name(VK_ERROR_OUT_OF_DATE_KHR), "VK_ERROR_OUT_OF_DATE_KHR");
    assert_string_equal(vk_VkResult_name(VK_ERROR_OUT_OF_POOL_MEMORY), "VK_ERROR_OUT_OF_POOL_MEMORY");
    assert_string_equal(vk_VkResult_name(-12345), "unknown VkResult");
    assert_string_equal(vk_VkStructureType_name(VK_STRUCTURE_TYPE_SUBMIT_INFO_2), "VK_STRUCTURE_TYPE_SUBMIT_INFO_2");
    assert_string_equal(vk_VkFormat_name(VK_FORMAT_G8_B8R8_2PLANE_444_UNORM), "VK_FORMAT_G8_B8R8_2PLANE_444_UNORM");
    assert_string_equal(vk_VkFormat_name(INT32_MIN), "unknown VkFormat");
    assert_null(vk_enum_lookup(VK_ENUM_VkFormat, INT64_MAX));
    assert_int_equal(vk_enum_find("VkBufferUsageFlags"), VK_ENUM_VkBufferUsageFlagBits);
    assert_int_equal(vk_enum_find("VkNothing"), VK_ENUM_COUNT);
    assert_int_equal(vk_enum_find(""), VK_ENUM_COUNT);
    assert_int_equal(vk_enum_find(NULL), VK_ENUM_COUNT);
}

static void expect_flags(enum vk_enum_id id, uint64_t flags, const char *expected)
{
    struct strbuf text = {0};
    vk_flags_print(&text, id, flags);
    assert_string_equal(text.text, expected);
    strbuf_finish(&text);
}

static void flags_are_their_bits(void **state)
{
    expect_flags(VK_ENUM_VkBufferUsageFlagBits, 0, "0");
    expect_flags(VK_ENUM_VkBufferUsageFlagBits, 3, "VK_BUFFER_USAGE_TRANSFER_SRC_BIT|VK_BUFFER_USAGE_TRANSFER_DST_BIT");
    expect_flags(VK_ENUM_VkBufferUsageFlagBits, 0x80000001u, "VK_BUFFER_USAGE_TRANSFER_SRC_BIT|0x80000000");
    expect_flags(VK_ENUM_VkPipelineStageFlagBits2, VK_PIPELINE_STAGE_2_COPY_BIT | 1ull << 63,
                 "VK_PIPELINE_STAGE_2_COPY_BIT|0x8000000000000000");
    expect_flags(VK_ENUM_VkAccessFlagBits2, 0, "VK_ACCESS_2_NONE");

    struct strbuf text = {0};
    vk_enum_print(&text, VK_ENUM_VkResult, -99);
    strbuf_append(&text, " ");
    vk_enum_print(&text, VK_ENUM_VkResult, VK_NOT_READY);
    assert_string_equal(text.text, "-99 VK_NOT_READY");
    strbuf_finish(&text);
}

static void structures_are_known_by_type(void **state)
{
    assert_string_equal(vk_struct_name(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO), "VkBufferCreateInfo");
    assert_int_equal(vk_struct_size(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO), sizeof(VkBufferCreateInfo));
    assert_int_equal(vk_struct_size(VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR), sizeof(VkXcbSurfaceCreateInfoKHR));
    assert_string_equal(vk_struct_name(VK_STRUCTURE_TYPE_WIN32_SURFACE_CREATE_INFO_KHR), "VkWin32SurfaceCreateInfoKHR");
    assert_int_equal(vk_struct_size(VK_STRUCTURE_TYPE_WIN32_SURFACE_CREATE_INFO_KHR), 0);
    assert_null(vk_struct_name((VkStructureType)0x7ffffffe));
    assert_int_equal(vk_struct_size((VkStructureType)-1), 0);
    assert_int_equal(VK_TYPE_OF_VkPhysicalDeviceFeatures2KHR, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    for (uint32_t i = 1; i < vk_struct_info_count; i++)
        assert_true(vk_struct_infos[i - 1].type < vk_struct_infos[i].type);
}

static void chains_are_searched_past_unknown_structures(void **state)
{
    enum {
        LENGTH = 100000
    };
    VkBaseOutStructure *long_chain = calloc(LENGTH, sizeof(*long_chain));
    for (unsigned i = 0; i < LENGTH; i++) {
        long_chain[i].sType = (VkStructureType)(0x70000000 + i);
        long_chain[i].pNext = i + 1 < LENGTH ? &long_chain[i + 1] : NULL;
    }
    VkPhysicalDeviceVulkan12Features wanted = vk_struct_init(VkPhysicalDeviceVulkan12Features);
    long_chain[LENGTH - 1].pNext = (VkBaseOutStructure *)&wanted;

    assert_ptr_equal(vk_find_struct(long_chain, VkPhysicalDeviceVulkan12Features), &wanted);
    assert_ptr_equal(vk_find_struct_const(long_chain, VkPhysicalDeviceVulkan12Features), &wanted);
    assert_null(vk_find_struct(long_chain, VkPhysicalDeviceVulkan13Features));
    assert_null(vk_find_struct(NULL, VkPhysicalDeviceVulkan13Features));

    VkPhysicalDeviceVulkan13Features added = vk_struct_init(VkPhysicalDeviceVulkan13Features);
    vk_append_struct(&long_chain[0], &added);
    assert_ptr_equal(long_chain[0].pNext, &added);
    assert_ptr_equal(vk_find_struct(long_chain, VkPhysicalDeviceVulkan12Features), &wanted);
    unsigned count = 0;
    vk_foreach_struct(element, long_chain) count++;
    assert_int_equal(count, LENGTH + 2);
    free(long_chain);
}

static void object_types_have_handles(void **state)
{
    assert_string_equal(vk_object_type_handle_name(VK_OBJECT_TYPE_COMMAND_BUFFER), "VkCommandBuffer");
    assert_true(vk_object_type_info_find(VK_OBJECT_TYPE_COMMAND_BUFFER)->dispatchable);
    assert_false(vk_object_type_info_find(VK_OBJECT_TYPE_BUFFER)->dispatchable);
    assert_int_equal(vk_object_type_info_find(VK_OBJECT_TYPE_BUFFER)->parent, VK_OBJECT_TYPE_DEVICE);
    assert_null(vk_object_type_info_find((VkObjectType)123456));
    assert_string_equal(vk_object_type_handle_name(VK_OBJECT_TYPE_UNKNOWN), "unknown handle");
    assert_string_equal(vk_VkObjectType_name(VK_OBJECT_TYPE_SWAPCHAIN_KHR), "VK_OBJECT_TYPE_SWAPCHAIN_KHR");
}

static void extensions_are_found_and_enumerated(void **state)
{
    int index = vk_device_extension_find("VK_KHR_swapchain");
    assert_int_equal(index, VK_DEVICE_EXTENSION_KHR_swapchain);
    assert_int_equal(vk_device_extension_infos[index].spec_version, VK_KHR_SWAPCHAIN_SPEC_VERSION);
    assert_int_equal(vk_instance_extension_find("VK_KHR_swapchain"), -1);
    assert_int_equal(vk_instance_extension_find(NULL), -1);
    assert_int_equal(vk_instance_extension_find(""), -1);
    assert_false(vk_instance_extension_infos[VK_INSTANCE_EXTENSION_KHR_win32_surface].platform_available);
    assert_true(vk_instance_extension_infos[VK_INSTANCE_EXTENSION_KHR_xcb_surface].platform_available);
    assert_int_equal(vk_device_extension_infos[VK_DEVICE_EXTENSION_KHR_timeline_semaphore].promoted_to_version,
                     VK_API_VERSION_1_2);

    struct vk_device_extensions set = {.KHR_swapchain = true, .EXT_4444_formats = true, .KHR_16bit_storage = true};
    VkExtensionProperties properties[4];
    memset(properties, 0xaa, sizeof(properties));
    uint32_t count = 0;
    assert_int_equal(vk_device_extensions_enumerate(&set, &count, NULL), VK_SUCCESS);
    assert_int_equal(count, 3);
    count = 2;
    assert_int_equal(vk_device_extensions_enumerate(&set, &count, properties), VK_INCOMPLETE);
    assert_int_equal(count, 2);
    assert_int_equal((unsigned char)properties[2].extensionName[0], 0xaa);
    count = 4;
    assert_int_equal(vk_device_extensions_enumerate(&set, &count, properties), VK_SUCCESS);
    assert_int_equal(count, 3);
    assert_string_equal(properties[0].extensionName, "VK_KHR_16bit_storage"); /* Khronos and others in turn */
    assert_int_equal(properties[0].specVersion, VK_KHR_16BIT_STORAGE_SPEC_VERSION);
    assert_string_equal(properties[1].extensionName, "VK_EXT_4444_formats");
    assert_string_equal(properties[2].extensionName, "VK_KHR_swapchain");
    assert_int_equal((unsigned char)properties[3].extensionName[0], 0xaa);
    count = 0;
    assert_int_equal(vk_device_extensions_enumerate(&set, &count, properties), VK_INCOMPLETE);
}

/* Whoever runs out of names first, none is left out. */
static void every_extension_is_listed_once(void **state)
{
    struct vk_device_extensions set;
    static VkExtensionProperties properties[VK_DEVICE_EXTENSION_COUNT];
    for (unsigned modulus = 1; modulus < 6; modulus++) {
        uint32_t members = 0, count = VK_DEVICE_EXTENSION_COUNT;
        for (unsigned i = 0; i < VK_DEVICE_EXTENSION_COUNT; i++)
            members += set.enabled[i] = i % modulus == 0;
        assert_int_equal(vk_device_extensions_enumerate(&set, &count, properties), VK_SUCCESS);
        assert_int_equal(count, members);
        for (uint32_t i = 0; i < count; i++) {
            int index = vk_device_extension_find(properties[i].extensionName);
            assert_true(index >= 0 && set.enabled[index]);
            assert_int_equal(properties[i].specVersion, vk_device_extension_infos[index].spec_version);
            set.enabled[index] = false;
        }
    }
}

static void what_an_extension_needs_is_checked(void **state)
{
    struct vk_instance_extensions instance = {0};
    struct vk_device_extensions device = {.KHR_swapchain = true};
    assert_string_equal(vk_extensions_find_unsound(&instance, &device, VK_API_VERSION_1_3), "VK_KHR_swapchain");
    instance.KHR_surface = true;
    assert_null(vk_extensions_find_unsound(&instance, &device, VK_API_VERSION_1_0));

    /* Its needs became part of 1.1. */
    device = (struct vk_device_extensions){.KHR_timeline_semaphore = true};
    assert_string_equal(vk_extensions_find_unsound(NULL, &device, VK_API_VERSION_1_0), "VK_KHR_timeline_semaphore");
    assert_null(vk_extensions_find_unsound(NULL, &device, VK_API_VERSION_1_1));
    instance = (struct vk_instance_extensions){.KHR_get_physical_device_properties2 = true};
    assert_null(vk_extensions_find_unsound(&instance, &device, VK_API_VERSION_1_0));

    instance = (struct vk_instance_extensions){.KHR_surface = true, .KHR_win32_surface = true};
    assert_string_equal(vk_extensions_find_unsound(&instance, NULL, VK_API_VERSION_1_3), "VK_KHR_win32_surface");
    assert_null(vk_extensions_find_unsound(NULL, NULL, 0));
}

static void one_feature_answers_in_all_its_structures(void **state)
{
    struct vk_features features = {.timelineSemaphore = true, .shaderInt64 = true, .meshShader = true};
    VkPhysicalDeviceMeshShaderFeaturesEXT mesh = vk_struct_init(VkPhysicalDeviceMeshShaderFeaturesEXT);
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline = vk_struct_init(VkPhysicalDeviceTimelineSemaphoreFeatures);
    VkPhysicalDeviceVulkan12Features core = vk_struct_init(VkPhysicalDeviceVulkan12Features);
    struct {
        VkStructureType type;
        void *next;
        uint32_t guard;
    } unknown = {(VkStructureType)0x7123, &core, 0xdeadbeef};
    VkPhysicalDeviceFeatures2 head = vk_struct_init(VkPhysicalDeviceFeatures2);
    mesh.taskShader = core.hostQueryReset = head.features.geometryShader = VK_TRUE; /* must be overwritten */
    head.pNext = &mesh;
    mesh.pNext = &timeline;
    timeline.pNext = &unknown;

    vk_features_write(&features, &head);
    assert_int_equal(mesh.meshShader, VK_TRUE);
    assert_int_equal(mesh.taskShader, VK_FALSE);
    assert_int_equal(timeline.timelineSemaphore, VK_TRUE);
    assert_int_equal(core.timelineSemaphore, VK_TRUE);
    assert_int_equal(core.hostQueryReset, VK_FALSE);
    assert_int_equal(head.features.shaderInt64, VK_TRUE);
    assert_int_equal(head.features.geometryShader, VK_FALSE);
    assert_int_equal(unknown.guard, 0xdeadbeef);
    assert_ptr_equal(unknown.next, &core);
}

/* Each feature alone: asked for in any structure that has it, it is refused when it is all that is missing. */
static void every_feature_is_checked_in_every_structure(void **state)
{
    unsigned checked = 0;
    struct vk_features all, enabled;
    memset(&all, true, sizeof(all));
    for (uint32_t s = 0; s < vk_feature_struct_count; s++) {
        const struct vk_feature_struct *info = &vk_feature_structs[s];
        size_t size_B = vk_struct_size((VkStructureType)info->type);
        assert_true(size_B > 0);
        VkBaseOutStructure *asked = calloc(1, size_B);
        asked->sType = (VkStructureType)info->type;
        VkDeviceCreateInfo create = vk_struct_init(VkDeviceCreateInfo);
        create.pNext = asked;
        for (uint32_t m = 0; m < info->member_count; m++) {
            unsigned feature = info->members[m].feature;
            assert_true(info->members[m].offset_B + sizeof(VkBool32) <= size_B);
            VkBool32 *member = (VkBool32 *)((char *)asked + info->members[m].offset_B);
            *member = VK_TRUE;
            assert_int_equal(vk_features_from_create_info(&create, &all, &enabled), VK_SUCCESS);
            for (unsigned f = 0; f < VK_FEATURE_COUNT; f++)
                assert_int_equal(enabled.enabled[f], f == feature);
            all.enabled[feature] = false;
            assert_int_equal(vk_features_from_create_info(&create, &all, &enabled), VK_ERROR_FEATURE_NOT_PRESENT);
            all.enabled[feature] = true;
            *member = VK_FALSE;
            checked++;
        }
        free(asked);
    }
    assert_true(checked > VK_FEATURE_COUNT);
}

static void core_features_can_come_without_a_chain(void **state)
{
    struct vk_features supported = {.robustBufferAccess = true}, enabled;
    VkPhysicalDeviceFeatures asked = {.robustBufferAccess = VK_TRUE};
    VkDeviceCreateInfo create = vk_struct_init(VkDeviceCreateInfo);
    create.pEnabledFeatures = &asked;
    assert_int_equal(vk_features_from_create_info(&create, &supported, &enabled), VK_SUCCESS);
    assert_true(enabled.robustBufferAccess);
    asked.inheritedQueries = VK_TRUE;
    assert_int_equal(vk_features_from_create_info(&create, &supported, &enabled), VK_ERROR_FEATURE_NOT_PRESENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(command_is_found_by_its_name_and_no_other),
        cmocka_unit_test(unknown_names_find_nothing),
        cmocka_unit_test(aliases_share_a_slot_and_differ_in_needs),
        cmocka_unit_test(commands_of_1_4_are_those_of_extensions),
        cmocka_unit_test(features_of_1_4_are_those_of_extensions),
        cmocka_unit_test(every_part_of_a_need_counts),
        cmocka_unit_test(shader_objects_bring_all_commands_of_dynamic_state),
        cmocka_unit_test(a_patch_number_does_not_provide_a_version),
        cmocka_unit_test(window_systems_of_linux_are_typed),
        cmocka_unit_test(enums_have_names),
        cmocka_unit_test(flags_are_their_bits),
        cmocka_unit_test(structures_are_known_by_type),
        cmocka_unit_test(chains_are_searched_past_unknown_structures),
        cmocka_unit_test(object_types_have_handles),
        cmocka_unit_test(extensions_are_found_and_enumerated),
        cmocka_unit_test(every_extension_is_listed_once),
        cmocka_unit_test(what_an_extension_needs_is_checked),
        cmocka_unit_test(one_feature_answers_in_all_its_structures),
        cmocka_unit_test(every_feature_is_checked_in_every_structure),
        cmocka_unit_test(core_features_can_come_without_a_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
