/* From IR to a shader in GPU memory, and a shader's life in caches and files. */
#include "amd/driver/radeon_shader.h"

#include <stdio.h>
#include <string.h>

#include "amd/compiler/mir.h"
#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_descriptor.h"
#include "amd/driver/radeon_ycbcr.h"
#include "util/bits.h"
#include "util/debug.h"
#include "vulkan/runtime/vk_debug_utils.h"
#include "vulkan/runtime/vk_hasher.h"
#include "vulkan/runtime/vk_pipeline.h"

static const struct vk_shader_ops shader_ops;

static void destroy(struct vk_device *device, struct vk_shader *base)
{
    struct radeon_shader *shader = radeon_shader_of(base);
    radeon_shader_memory_free(radeon_device_of(device), &shader->place);
    amd_binary_finish(&shader->binary);
    vk_shader_free(device, base);
}

/* Code into GPU memory; everything that follows from the binary. */
static VkResult place_code(struct radeon_device *device, struct radeon_shader *shader)
{
    const struct amd_shader_config *config = &shader->binary.config;
    void *map;
    VkResult result = radeon_shader_memory_alloc(device, shader->binary.size_B, &shader->place, &map);
    if (result != VK_SUCCESS)
        return result;
    memcpy(map, shader->binary.words, shader->binary.size_B);
    shader->va = shader->place.va;
    shader->scratch_B_per_wave = (uint32_t)align_u64((uint64_t)config->scratch_size_B * config->wave_size, 1024);
    for (uint32_t i = 0; i < RADEON_MAX_SETS; i++)
        shader->sets_used |= (uint32_t)(config->sets[i].count || config->user[AMD_USER_set_table].count) << i;
    return VK_SUCCESS;
}

static void print_shader(const struct radeon_shader *shader)
{
    const struct amd_statistics *s = shader->binary.statistics;
    fprintf(stderr, "%s\n; %u instructions, %u bytes, %u SGPRs, %u VGPRs, %u bytes of LDS, %u of scratch a lane, wave%u\n",
            shader->binary.disassembly ? shader->binary.disassembly : "", s->instructions, s->code_size_B, s->sgprs,
            s->vgprs, s->lds_size_B, s->scratch_size_B, shader->binary.config.wave_size);
}

static VkResult compile(struct radeon_device *device, struct ir_shader *ir, const struct amd_compile_options *options,
                        VkShaderStageFlagBits stage, const uint8_t key[VK_HASH_SIZE_B],
                        struct radeon_shader **shader_out)
{
    struct radeon_shader *shader = vk_shader_create(&device->vk, sizeof(*shader), &shader_ops, stage, key);
    if (!shader)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    struct amd_compile_options all = *options;
    all.gfx = ISA_GFX_10_3;
    all.address32_hi = device->address32_hi;
    all.keep_text |= debug_enabled(DEBUG_SHADERS) || debug_enabled(DEBUG_HANG);
    char error[256];
    if (!amd_compile(ir, &all, &shader->binary, error)) {
        vk_device_error(&device->vk, NULL, "a shader cannot be compiled: %s", error);
        vk_shader_free(&device->vk, &shader->vk);
        return VK_ERROR_UNKNOWN;
    }
    VkResult result = place_code(device, shader);
    if (result != VK_SUCCESS) {
        destroy(&device->vk, &shader->vk);
        return result;
    }
    if (debug_enabled(DEBUG_SHADERS))
        print_shader(shader);
    *shader_out = shader;
    return VK_SUCCESS;
}

/* 64 lanes, which is what the API's subgroup size says, unless the application chose; a small workgroup whose code
 * cannot tell would waste half of the wave. */
static uint8_t choose_wave_size(const struct vk_shader_compile_info *info)
{
    const struct ir_shader *ir = info->ir;
    const uint64_t telling = 1ull << IR_SYSVAL_subgroup_size | 1ull << IR_SYSVAL_subgroup_id |
                             1ull << IR_SYSVAL_num_subgroups | 1ull << IR_SYSVAL_subgroup_lane;
    if (info->required_subgroup_size)
        return (uint8_t)info->required_subgroup_size;
    if (ir->subgroup_size)
        return (uint8_t)ir->subgroup_size;
    if (info->stage != VK_SHADER_STAGE_COMPUTE_BIT || info->require_full_subgroups || ir->full_subgroups ||
        ir->uses_subgroup_ops || ir->sysvals_read & telling)
        return 64;
    uint64_t lanes = (uint64_t)ir->workgroup_size[0] * ir->workgroup_size[1] * ir->workgroup_size[2];
    return lanes <= 32 ? 32 : 64;
}

static VkResult lower_conversions(struct radeon_device *device, const struct vk_shader_compile_info *info)
{
    struct ir_failure failure;
    VkResult result = VK_SUCCESS;
    if (ir_guard(info->ir, &failure)) {
        vk_device_error(&device->vk, NULL, "a sampler's conversion cannot be written into a shader: %s", failure.text);
        result = failure.out_of_memory ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_UNKNOWN;
    } else {
        radeon_lower_ycbcr(info->ir, info->set_layouts, info->set_layout_count);
    }
    info->ir->failure = NULL;
    return result;
}

VkResult radeon_shader_compile_stage(struct radeon_device *device, const struct vk_shader_compile_info *info,
                                     const struct amd_stage_options *stage, uint8_t wave_size,
                                     struct vk_shader **shader_out)
{
    uint32_t push_size_B = (uint32_t)align_u64(info->push.offset + info->push.size, 16);
    struct radeon_compiler_layouts layouts;
    VkResult result = radeon_layouts_for_compiler(device, info->set_layouts, info->set_layout_count, push_size_B, &layouts);
    if (result != VK_SUCCESS)
        return result;
    const struct amd_compile_options options = {
        .wave_size = wave_size ? wave_size : choose_wave_size(info),
        .sets = layouts.sets,
        .num_sets = layouts.num_sets,
        .no_optimisation = info->flags & VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT,
        .keep_text = info->flags & VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR,
        .stage = stage,
    };
    struct radeon_shader *shader = NULL;
    result = lower_conversions(device, info);
    if (result == VK_SUCCESS)
        result = compile(device, info->ir, &options, info->stage, info->key, &shader);
    radeon_compiler_layouts_finish(device, &layouts);
    if (result != VK_SUCCESS)
        return result;
    shader->push_size_B = push_size_B;
    *shader_out = &shader->vk;
    return VK_SUCCESS;
}

VkResult radeon_shader_compile_internal(struct radeon_device *device, struct ir_shader *ir,
                                        const struct amd_compile_options *options, struct radeon_shader **shader_out)
{
    static const uint8_t no_key[VK_HASH_SIZE_B];
    static const VkShaderStageFlagBits stages[] = {[IR_STAGE_compute] = VK_SHADER_STAGE_COMPUTE_BIT,
                                                   [IR_STAGE_vertex] = VK_SHADER_STAGE_VERTEX_BIT,
                                                   [IR_STAGE_fragment] = VK_SHADER_STAGE_FRAGMENT_BIT};
    return compile(device, ir, options, stages[ir->stage], no_key, shader_out);
}

void radeon_shader_unref(struct radeon_device *device, struct radeon_shader *shader)
{
    vk_shader_unref(&device->vk, shader ? &shader->vk : NULL);
}

/* ---- in a pipeline cache's file ---- */

/* The runtime's header says that the file is of this build and this chip, and its checksums that the bytes are those
 * which were written; so sizes are all that is looked at here. */
struct stored {
    struct amd_shader_config config;
    struct amd_statistics statistics;
    uint32_t push_size_B;
    uint32_t size_B, code_size_B;
};

static bool serialize(struct vk_device *device, const struct vk_shader *base, void *data, size_t *size_B)
{
    const struct radeon_shader *shader = (const struct radeon_shader *)base;
    size_t needed_B = sizeof(struct stored) + shader->binary.size_B;
    if (data && *size_B < needed_B)
        return false;
    *size_B = needed_B;
    if (!data)
        return true;
    struct stored stored;
    memset(&stored, 0, sizeof(stored));
    stored.config = shader->binary.config;
    stored.statistics = *shader->binary.statistics;
    stored.push_size_B = shader->push_size_B;
    stored.size_B = shader->binary.size_B;
    stored.code_size_B = shader->binary.code_size_B;
    memcpy(data, &stored, sizeof(stored));
    memcpy((uint8_t *)data + sizeof(stored), shader->binary.words, shader->binary.size_B);
    return true;
}

static struct vk_shader *deserialize(struct vk_device *device, VkShaderStageFlagBits stage,
                                     const uint8_t key[VK_HASH_SIZE_B], const void *data, size_t size_B)
{
    struct stored stored;
    if (size_B < sizeof(stored))
        return NULL;
    memcpy(&stored, data, sizeof(stored));
    if (stored.size_B != size_B - sizeof(stored) || stored.code_size_B > stored.size_B || stored.size_B % 4)
        return NULL;
    struct radeon_shader *shader = vk_shader_create(device, sizeof(*shader), &shader_ops, stage, key);
    if (!shader)
        return NULL;
    if (!amd_binary_restore(&shader->binary, &stored.config, &stored.statistics,
                            (const uint8_t *)data + sizeof(stored), stored.size_B, stored.code_size_B) ||
        place_code(radeon_device_of(device), shader) != VK_SUCCESS) {
        destroy(device, &shader->vk);
        return NULL;
    }
    shader->push_size_B = stored.push_size_B;
    return &shader->vk;
}

/* ---- VK_KHR_pipeline_executable_properties: one executable a shader ---- */

static VkResult executable_properties(struct vk_device *device, const struct vk_shader *base, uint32_t *count,
                                      VkPipelineExecutablePropertiesKHR *properties)
{
    const struct radeon_shader *shader = (const struct radeon_shader *)base;
    static const char *const names[] = {[AMD_HW_CS] = "compute", [AMD_HW_VS] = "vertex", [AMD_HW_NGG] = "vertex (NGG)",
                                        [AMD_HW_PS] = "fragment"};
    if (!properties) {
        *count = 1;
        return VK_SUCCESS;
    }
    if (*count < 1)
        return VK_INCOMPLETE;
    *count = 1;
    properties->stages = base->stage;
    properties->subgroupSize = shader->binary.config.wave_size;
    snprintf(properties->name, sizeof(properties->name), "%s", names[shader->binary.config.hw_stage]);
    snprintf(properties->description, sizeof(properties->description), "machine code of GFX10.3");
    return VK_SUCCESS;
}

struct statistic {
    const char *name, *description;
    size_t offset_B;
};

#define STATISTIC(member, name, description) {name, description, offsetof(struct amd_statistics, member)}
static const struct statistic statistics[] = {
    STATISTIC(sgprs, "SGPRs", "scalar registers"),
    STATISTIC(vgprs, "VGPRs", "vector registers"),
    STATISTIC(spilled_sgprs, "Spilled SGPRs", "scalar registers kept in vector registers"),
    STATISTIC(spilled_vgprs, "Spilled VGPRs", "vector registers kept in scratch memory"),
    STATISTIC(code_size_B, "Code size", "bytes of machine code"),
    STATISTIC(lds_size_B, "LDS size", "bytes of local memory a workgroup"),
    STATISTIC(scratch_size_B, "Scratch size", "bytes of scratch memory a lane"),
    STATISTIC(subgroups_per_simd, "Subgroups per SIMD", "waves that fit on a SIMD at once"),
    STATISTIC(instructions, "Instructions", "number of instructions"),
    STATISTIC(copies, "Copies", "instructions that move a register only"),
    STATISTIC(branches, "Branches", "number of branches"),
    STATISTIC(valu, "VALU", "vector arithmetic instructions"),
    STATISTIC(salu, "SALU", "scalar arithmetic instructions"),
    STATISTIC(vmem, "VMEM", "vector memory instructions"),
    STATISTIC(vmem_clauses, "VMEM Clause", "groups of vector memory instructions"),
    STATISTIC(smem, "SMEM", "scalar memory instructions"),
    STATISTIC(smem_clauses, "SMEM Clause", "groups of scalar memory instructions"),
    STATISTIC(presched_sgprs, "Pre-Sched SGPRs", "scalar registers before scheduling"),
    STATISTIC(presched_vgprs, "Pre-Sched VGPRs", "vector registers before scheduling"),
    STATISTIC(latency, "Latency", "estimated cycles of one wave"),
    STATISTIC(inverse_throughput, "Inverse Throughput", "estimated cycles a wave when the GPU is full"),
};

static VkResult executable_statistics(struct vk_device *device, const struct vk_shader *base, uint32_t index,
                                      uint32_t *count, VkPipelineExecutableStatisticKHR *out)
{
    const struct radeon_shader *shader = (const struct radeon_shader *)base;
    uint32_t total = ARRAY_SIZE(statistics);
    if (!out) {
        *count = total;
        return VK_SUCCESS;
    }
    uint32_t written = MIN2(*count, total);
    for (uint32_t i = 0; i < written; i++) {
        uint32_t value;
        memcpy(&value, (const uint8_t *)shader->binary.statistics + statistics[i].offset_B, sizeof(value));
        snprintf(out[i].name, sizeof(out[i].name), "%s", statistics[i].name);
        snprintf(out[i].description, sizeof(out[i].description), "%s", statistics[i].description);
        out[i].format = VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR;
        out[i].value.u64 = value;
    }
    *count = written;
    return written < total ? VK_INCOMPLETE : VK_SUCCESS;
}

/* NULL asks for the size; too little room is VK_INCOMPLETE with what fits, ended properly. */
static VkResult write_text(VkPipelineExecutableInternalRepresentationKHR *out, const char *name, const char *text)
{
    size_t needed_B = strlen(text) + 1;
    snprintf(out->name, sizeof(out->name), "%s", name);
    snprintf(out->description, sizeof(out->description), "%s", name);
    out->isText = VK_TRUE;
    if (!out->pData) {
        out->dataSize = needed_B;
        return VK_SUCCESS;
    }
    bool fits = out->dataSize >= needed_B;
    if (out->dataSize) {
        size_t size_B = MIN2(out->dataSize, needed_B);
        memcpy(out->pData, text, size_B - 1);
        ((char *)out->pData)[size_B - 1] = 0;
        out->dataSize = size_B;
    }
    return fits ? VK_SUCCESS : VK_INCOMPLETE;
}

static VkResult executable_representations(struct vk_device *device, const struct vk_shader *base, uint32_t index,
                                           uint32_t *count, VkPipelineExecutableInternalRepresentationKHR *out)
{
    const struct radeon_shader *shader = (const struct radeon_shader *)base;
    const struct {
        const char *name, *text;
    } texts[] = {{"IR", shader->binary.ir_text}, {"Assembly", shader->binary.disassembly}};
    uint32_t total = 0, room = out ? *count : 0;
    VkResult result = VK_SUCCESS;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        if (!texts[i].text)
            continue;
        if (total < room && write_text(&out[total], texts[i].name, texts[i].text) != VK_SUCCESS)
            result = VK_INCOMPLETE;
        total++;
    }
    if (!out) {
        *count = total;
        return VK_SUCCESS;
    }
    *count = MIN2(room, total);
    return room < total ? VK_INCOMPLETE : result;
}

static const struct vk_shader_ops shader_ops = {
    .destroy = destroy,
    .serialize = serialize,
    .get_executable_properties = executable_properties,
    .get_executable_statistics = executable_statistics,
    .get_executable_internal_representations = executable_representations,
};

/* ---- for the runtime's pipelines ---- */

static VkResult compile_stages(struct vk_device *base, uint32_t count, const struct vk_shader_compile_info *infos,
                               const struct vk_graphics_state *state, struct vk_shader **shaders_out)
{
    struct radeon_device *device = radeon_device_of(base);
    if (state)
        return radeon_graphics_compile(device, count, infos, state, shaders_out);
    assert(count == 1);
    return radeon_shader_compile_stage(device, infos, NULL, 0, shaders_out);
}

static VkResult pipeline_init(struct vk_device *device, struct vk_pipeline *pipeline,
                              const struct vk_graphics_state *state, const VkAllocationCallbacks *allocator)
{
    return state ? radeon_graphics_pipeline_init(device, pipeline, state, allocator) : VK_SUCCESS;
}

static void pipeline_finish(struct vk_device *device, struct vk_pipeline *pipeline,
                            const VkAllocationCallbacks *allocator)
{
    if (pipeline->bind_point == VK_PIPELINE_BIND_POINT_GRAPHICS)
        radeon_graphics_pipeline_finish(device, pipeline, allocator);
}

static void spirv_limits(struct vk_device *device, VkShaderStageFlagBits stage, struct vk_spirv_limits *limits_out)
{
    limits_out->max_shared_B = 64 << 10;
    limits_out->buffer_alignment_B = 4;
}

const struct vk_device_shader_ops radeon_shader_ops = {
    .spirv_limits = spirv_limits,
    .hash_state = radeon_graphics_hash_state,
    .compile = compile_stages,
    .deserialize = deserialize,
    .pipeline_init = pipeline_init,
    .pipeline_finish = pipeline_finish,
};
