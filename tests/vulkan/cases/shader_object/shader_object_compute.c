/* Shader objects of compute, and what all binaries have in common. The older validation layers do not know them, so
 * under validation the cases skip. */
#include <string.h>

#include "cases/shader_object/objects.h"

#include "shaders/object_base.h"
#include "shaders/object_constants.h"
#include "shaders/object_push.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define SIZE 64

/* ---- compute ---- */

#define GROUPS 32

static const VkPushConstantRange compute_push = {VK_SHADER_STAGE_ALL, 0, 128};

static VkShaderCreateInfoEXT compute_info(struct vt_spirv code, const VkDescriptorSetLayout *layout)
{
    return (VkShaderCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
        .stage = VK_SHADER_STAGE_COMPUTE_BIT,
        .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
        .codeSize = code.size_B,
        .pCode = code.words,
        .pName = "main",
        .setLayoutCount = 1,
        .pSetLayouts = layout,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &compute_push,
    };
}

static void bind_compute(struct vt *vt, VkCommandBuffer commands, VkShaderEXT shader)
{
    VT_LOAD(vt, CmdBindShadersEXT)(commands, 1, (const VkShaderStageFlagBits[]){VK_SHADER_STAGE_COMPUTE_BIT}, &shader);
}

enum compute_way {
    COMPUTE_PLAIN,
    COMPUTE_BINARY,
    COMPUTE_BINARY_OF_BINARY,
    COMPUTE_AMONG_PIPELINES,
    COMPUTE_SUBGROUP_SIZE,
};

static void push_values(VkCommandBuffer commands, VkPipelineLayout layout, uint32_t add)
{
    uint32_t values[GROUPS];
    for (uint32_t i = 0; i < GROUPS; i++)
        values[i] = 1000 * i + add;
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_ALL, 0, sizeof(values), values);
}

static void case_compute(struct vt *vt, const void *argument)
{
    const enum compute_way way = *(const enum compute_way *)argument;
    need_objects(vt);
    struct vt_buffer result = vt_buffer(vt, GROUPS * 32 * 4, NULL);
    struct vt_binding binding = VT_STORAGE_BUFFER(result);
    struct vt_set set = vt_set(vt, &binding, 1);
    VkPipelineLayout layout = vt_pipeline_layout(vt, &set.layout, 1);
    VkShaderCreateInfoEXT info = compute_info(VT_SPIRV(object_push), &set.layout);
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = 32};
    if (way == COMPUTE_SUBGROUP_SIZE) {
        VkPhysicalDeviceVulkan13Properties properties = {.sType =
                                                             VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
        VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                           .pNext = &properties};
        vkGetPhysicalDeviceProperties2(vt->physical, &all);
        if (!vt->features13.subgroupSizeControl ||
            !(properties.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) || properties.minSubgroupSize > 32 ||
            properties.maxSubgroupSize < 32)
            vt_skip(vt, "no subgroups of 32");
        info.pNext = &size;
    }
    VkShaderEXT shader = object_of(vt, &info);
    for (int i = way == COMPUTE_BINARY ? 1 : way == COMPUTE_BINARY_OF_BINARY ? 2 : 0; i; i--) {
        info.pCode = binary_of(vt, shader, &info.codeSize);
        info.codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
        shader = object_of(vt, &info);
    }
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set.set, 0, NULL);
    push_values(commands, layout, 7);
    if (way == COMPUTE_AMONG_PIPELINES) {
        VkPipeline other = vt_compute_pipeline(vt, VT_SPIRV(object_base), layout, NULL);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, other);
        vkCmdDispatch(commands, 2, 1, 1);
        vt_full_barrier(commands);
        bind_compute(vt, commands, shader);
        vkCmdDispatch(commands, GROUPS, 1, 1);
        vt_full_barrier(commands);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, other);
        vkCmdDispatch(commands, 1, 1, 1);
    } else {
        bind_compute(vt, commands, shader);
        vkCmdDispatch(commands, GROUPS, 1, 1);
    }
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    uint32_t expected[GROUPS * 32];
    for (uint32_t i = 0; i < GROUPS * 32; i++)
        expected[i] = i / 32 * 1000 + 7 + i % 32;
    expected[0] += way == COMPUTE_AMONG_PIPELINES;
    vt_expect_words(vt, result.map, expected, GROUPS * 32, "a compute shader object");
}

static void case_constants(struct vt *vt, const void *argument)
{
    need_objects(vt);
    struct vt_buffer result = vt_buffer(vt, 64, NULL);
    struct vt_binding binding = VT_STORAGE_BUFFER(result);
    struct vt_set set = vt_set(vt, &binding, 1);
    VkPipelineLayout layout = vt_pipeline_layout(vt, &set.layout, 1);
    VkShaderCreateInfoEXT info = compute_info(VT_SPIRV(object_constants), &set.layout);
    info.pSpecializationInfo = VT_CONSTANTS(1, 42, 0x40000000, 5, 4, 2);
    VkShaderEXT shader = object_of(vt, &info);
    if (argument) {
        info.pCode = binary_of(vt, shader, &info.codeSize);
        info.codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
        shader = object_of(vt, &info);
    }
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set.set, 0, NULL);
    bind_compute(vt, commands, shader);
    vkCmdDispatch(commands, 3, 1, 1);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    vt_expect_words(vt, result.map, (const uint32_t[]){1, 42, 0x40800000, 16, 4, 2, 24}, 7, "constants of an object");
}

static void case_base(struct vt *vt, const void *argument)
{
    need_objects(vt);
    struct vt_buffer result = vt_buffer(vt, 256, NULL);
    struct vt_binding binding = VT_STORAGE_BUFFER(result);
    struct vt_set set = vt_set(vt, &binding, 1);
    VkPipelineLayout layout = vt_pipeline_layout(vt, &set.layout, 1);
    VkShaderCreateInfoEXT info = compute_info(VT_SPIRV(object_base), &set.layout);
    info.flags = VK_SHADER_CREATE_DISPATCH_BASE_BIT_EXT;
    VkShaderEXT shader = object_of(vt, &info);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set.set, 0, NULL);
    bind_compute(vt, commands, shader);
    vkCmdDispatchBase(commands, 2, 1, 0, 3, 2, 1);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    uint32_t expected[32] = {0};
    for (uint32_t y = 1; y < 3; y++) {
        for (uint32_t x = 2; x < 5; x++)
            expected[x + 8 * y] = 1;
    }
    vt_expect_words(vt, result.map, expected, 32, "a dispatch from a base");
}

/* ---- binaries ---- */

static void case_small_room(struct vt *vt, const void *argument)
{
    need_objects(vt);
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    VkShaderCreateInfoEXT infos[OBJECT_STAGES];
    object_infos(&graphics, infos);
    VkShaderEXT shader = object_of(vt, &infos[0]);
    size_t size_B, small_B;
    const void *bytes = binary_of(vt, shader, &size_B);
    const void *again = binary_of(vt, shader, &small_B);
    if (size_B != small_B || memcmp(bytes, again, size_B))
        vt_fail(vt, "a shader has two binaries");
    static _Alignas(16) uint8_t room[1 << 20];
    if (size_B > sizeof(room))
        vt_fail(vt, "a binary of %zu bytes", size_B);
    memset(room, 0xa5, sizeof(room));
    small_B = size_B - 1;
    VkResult result = VT_LOAD(vt, GetShaderBinaryDataEXT)(vt->device, shader, &small_B, room);
    if (result != VK_INCOMPLETE)
        vt_fail(vt, "too little room gives VkResult %d", result);
    for (size_t i = 0; i < size_B; i++) {
        if (room[i] != 0xa5)
            vt_fail(vt, "byte %zu of too little room was written", i);
    }
}

/* The first is made, the second is of nobody, the third is not tried. */
static void case_foreign_binary(struct vt *vt, const void *argument)
{
    need_objects(vt);
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    VkShaderCreateInfoEXT infos[OBJECT_STAGES];
    object_infos(&graphics, infos);
    static _Alignas(64) uint8_t bytes[512];
    memset(bytes, 0x5a, sizeof(bytes));
    VkShaderCreateInfoEXT three[3] = {infos[0], infos[1], infos[1]};
    three[1].codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
    three[1].pCode = bytes;
    three[1].codeSize = sizeof(bytes);
    VkShaderEXT shaders[3];
    memset(shaders, 0xff, sizeof(shaders));
    VkResult result = VT_LOAD(vt, CreateShadersEXT)(vt->device, 3, three, NULL, shaders);
    bool first = shaders[0] != VK_NULL_HANDLE;
    for (uint32_t i = 0; i < 3; i++)
        VT_LOAD(vt, DestroyShaderEXT)(vt->device, shaders[i], NULL);
    if (result != VK_INCOMPATIBLE_SHADER_BINARY_EXT)
        vt_fail(vt, "a binary of nobody gives VkResult %d", result);
    if (!first || shaders[1])
        vt_fail(vt, "the handles do not say which shader it was");
}

/* ---- the table ---- */

#define OF(name, function, type, value)                                                                                \
    {                                                                                                                  \
        name, function, &(const enum type)                                                                             \
        {                                                                                                              \
            value                                                                                                      \
        }                                                                                                              \
    }

const struct vt_case vt_shader_object_compute[] = {
    OF("compute", case_compute, compute_way, COMPUTE_PLAIN),
    OF("compute of a binary", case_compute, compute_way, COMPUTE_BINARY),
    OF("compute of a binary of a binary", case_compute, compute_way, COMPUTE_BINARY_OF_BINARY),
    OF("compute among pipelines", case_compute, compute_way, COMPUTE_AMONG_PIPELINES),
    OF("compute in subgroups of 32", case_compute, compute_way, COMPUTE_SUBGROUP_SIZE),
    {"constants of compute", case_constants, NULL},
    {"constants of a binary", case_constants, ""},
    {"dispatch from a base", case_base, NULL},
    {"too little room for a binary", case_small_room, NULL},
    {"binary of nobody", case_foreign_binary, NULL},
};
const size_t vt_shader_object_compute_count = COUNT_OF(vt_shader_object_compute);
