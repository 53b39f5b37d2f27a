/* Stages of a pipeline: what their create infos say, and the way to the IR. */
#include "vulkan/runtime/pipeline/vk_stage_ir.h"

#include <string.h>

#include "compiler/ir/ir.h"
#include "compiler/spirv/spirv.h"
#include "util/bits.h"
#include "util/strbuf.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/object/vk_debug_utils.h"
#include "vulkan/runtime/object/vk_hasher.h"
#include "vulkan/runtime/object/vk_struct.h"

/* ---- what a create info says ---- */

static struct vk_robustness default_robustness(const struct vk_device *device)
{
    const struct vk_features *features = &device->enabled_features;
    VkPipelineRobustnessBufferBehaviorEXT buffers =
        features->robustBufferAccess2  ? VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2_EXT
        : features->robustBufferAccess ? VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_EXT
                                       : VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DISABLED_EXT;
    VkPipelineRobustnessImageBehaviorEXT images =
        features->robustImageAccess2  ? VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_ROBUST_IMAGE_ACCESS_2_EXT
        : features->robustImageAccess ? VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_ROBUST_IMAGE_ACCESS_EXT
                                      : VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_DISABLED_EXT;
    return (struct vk_robustness){buffers, buffers, buffers, images};
}

struct vk_robustness vk_robustness_resolve(const struct vk_device *device, const void *pipeline_chain,
                                           const void *stage_chain)
{
    struct vk_robustness robustness = default_robustness(device);
    const VkPipelineRobustnessCreateInfoEXT *info =
        vk_find_struct_const(stage_chain, VkPipelineRobustnessCreateInfoEXT);
    if (!info)
        info = vk_find_struct_const(pipeline_chain, VkPipelineRobustnessCreateInfoEXT);
    if (!info)
        return robustness;
    if (info->storageBuffers != VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DEVICE_DEFAULT_EXT)
        robustness.storage_buffers = info->storageBuffers;
    if (info->uniformBuffers != VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DEVICE_DEFAULT_EXT)
        robustness.uniform_buffers = info->uniformBuffers;
    if (info->vertexInputs != VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DEVICE_DEFAULT_EXT)
        robustness.vertex_inputs = info->vertexInputs;
    if (info->images != VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_DEVICE_DEFAULT_EXT)
        robustness.images = info->images;
    return robustness;
}

/* By value and not by where it lies: a program may lay out its data anew for each pipeline. */
static void hash_specialization(struct vk_hasher *hasher, const VkSpecializationInfo *spec)
{
    uint32_t count = spec ? spec->mapEntryCount : 0;
    vk_hasher_add_u32(hasher, count);
    for (uint32_t i = 0; i < count; i++) {
        const VkSpecializationMapEntry *entry = &spec->pMapEntries[i];
        bool inside = entry->offset <= spec->dataSize && entry->size <= spec->dataSize - entry->offset;
        vk_hasher_add_u32(hasher, entry->constantID);
        vk_hasher_add_sized(hasher, (const char *)spec->pData + entry->offset, inside ? entry->size : 0);
    }
}

static const struct vk_stage_ir_create_info *given_ir(const VkPipelineShaderStageCreateInfo *stage)
{
    return stage->module ? NULL : vk_find_struct_by_type_const(stage->pNext, VK_STRUCTURE_TYPE_STAGE_IR);
}

static bool program_hash(const VkPipelineShaderStageCreateInfo *stage, uint8_t hash_out[VK_HASH_SIZE_B])
{
    const struct vk_stage_ir_create_info *given = given_ir(stage);
    if (!given)
        return vk_stage_hash(stage, hash_out);
    memcpy(hash_out, given->hash, VK_HASH_SIZE_B);
    return true;
}

/* From SPIR-V 1.6 on a module allows its subgroups to vary without the flag. */
static bool words_allow_varying(const VkPipelineShaderStageCreateInfo *stage)
{
    const uint32_t *words;
    uint32_t size_B;
    return vk_stage_words(stage, &words, &size_B) && size_B >= 8 && words[1] >= 0x00010600;
}

bool vk_stage_info_init(struct vk_stage_info *info, const struct vk_device *device,
                        const VkPipelineShaderStageCreateInfo *stage, const void *pipeline_chain)
{
    *info = (struct vk_stage_info){
        .stage = stage->stage,
        .allow_varying_subgroup_size = stage->flags & VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT,
        .require_full_subgroups = stage->flags & VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT,
        .robustness = vk_robustness_resolve(device, pipeline_chain, stage->pNext),
    };
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo *size =
        vk_find_struct_const(stage->pNext, VkPipelineShaderStageRequiredSubgroupSizeCreateInfo);
    info->required_subgroup_size = size ? size->requiredSubgroupSize : 0;

    uint8_t program[VK_HASH_SIZE_B];
    if (!program_hash(stage, program))
        return false;
    struct vk_hasher hasher;
    vk_hasher_init(&hasher);
    vk_hasher_add(&hasher, program, sizeof(program));
    vk_hasher_add_u32(&hasher, info->stage);
    vk_hasher_add_u32(&hasher, info->required_subgroup_size);
    vk_hasher_add_u32(&hasher, info->allow_varying_subgroup_size | info->require_full_subgroups << 1);
    vk_hasher_add(&hasher, &info->robustness, sizeof(info->robustness)); /* four enums, no holes */
    vk_hasher_add_sized(&hasher, stage->pName, strlen(stage->pName));
    hash_specialization(&hasher, stage->pSpecializationInfo);
    vk_hasher_end(&hasher, info->key);
    vk_key_set_stage(info->key, info->stage);
    /* After the key: an identifier alone gives the same key and has no words to look at. */
    info->allow_varying_subgroup_size |= words_allow_varying(stage);
    return true;
}

/* ---- the front end ---- */

static const VkShaderStageFlagBits stage_bits[] = {
    [IR_STAGE_vertex] = VK_SHADER_STAGE_VERTEX_BIT,
    [IR_STAGE_tess_control] = VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
    [IR_STAGE_tess_eval] = VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
    [IR_STAGE_geometry] = VK_SHADER_STAGE_GEOMETRY_BIT,
    [IR_STAGE_fragment] = VK_SHADER_STAGE_FRAGMENT_BIT,
    [IR_STAGE_compute] = VK_SHADER_STAGE_COMPUTE_BIT,
    [IR_STAGE_task] = VK_SHADER_STAGE_TASK_BIT_EXT,
    [IR_STAGE_mesh] = VK_SHADER_STAGE_MESH_BIT_EXT,
    [IR_STAGE_raygen] = VK_SHADER_STAGE_RAYGEN_BIT_KHR,
    [IR_STAGE_intersection] = VK_SHADER_STAGE_INTERSECTION_BIT_KHR,
    [IR_STAGE_any_hit] = VK_SHADER_STAGE_ANY_HIT_BIT_KHR,
    [IR_STAGE_closest_hit] = VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR,
    [IR_STAGE_miss] = VK_SHADER_STAGE_MISS_BIT_KHR,
    [IR_STAGE_callable] = VK_SHADER_STAGE_CALLABLE_BIT_KHR,
};

VkShaderStageFlagBits vk_stage_of_ir(const struct ir_shader *ir)
{
    return stage_bits[ir->stage];
}

bool vk_ir_stage_of(VkShaderStageFlagBits stage, enum ir_stage *stage_out)
{
    for (unsigned i = 0; i < ARRAY_SIZE(stage_bits); i++) {
        *stage_out = (enum ir_stage)i;
        if (stage_bits[i] == stage)
            return true;
    }
    return false;
}

static VkResult invalid_shader(const struct vk_device *device)
{
    return device->enabled_extensions.NV_glsl_shader ? VK_ERROR_INVALID_SHADER_NV : VK_ERROR_UNKNOWN;
}

static struct spirv_spec_entry *spec_entries(struct vk_device *device, const VkSpecializationInfo *spec)
{
    struct spirv_spec_entry *entries =
        vk_alloc(&device->alloc, NULL, spec->mapEntryCount * sizeof(*entries), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
    for (uint32_t i = 0; entries && i < spec->mapEntryCount; i++) {
        const VkSpecializationMapEntry *entry = &spec->pMapEntries[i];
        /* A size beyond 32 bits is none that any constant has: the front end refuses this one, too. */
        entries[i] = (struct spirv_spec_entry){entry->constantID, entry->offset,
                                               entry->size > UINT32_MAX ? UINT32_MAX : (uint32_t)entry->size};
    }
    return entries;
}

/* The front end on one stage, with its specialization. `base` has what the driver wants; stage, entry and
 * specialization in it are not looked at.
 *
 * Errors: VK_PIPELINE_COMPILE_REQUIRED where there are no words (an identifier alone); VK_ERROR_OUT_OF_HOST_MEMORY for
 * memory alone; VK_ERROR_INVALID_SHADER_NV for a module that cannot be read where VK_NV_glsl_shader, which defines that
 * code, is enabled, and VK_ERROR_UNKNOWN otherwise: a module must be valid before it comes here, so the specification
 * has no code for it, and "unknown" is the one it names for invalid usage. The log says what is wrong at which word. */
static VkResult vk_stage_to_ir(struct vk_device *device, const VkPipelineShaderStageCreateInfo *stage,
                               const struct spirv_options *base, struct ir_shader **ir_out)
{
    const struct vk_stage_ir_create_info *given = given_ir(stage);
    if (given) {
        *ir_out = ir_shader_clone(given->ir);
        return *ir_out ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    const uint32_t *words;
    uint32_t size_B;
    if (!vk_stage_words(stage, &words, &size_B))
        return VK_PIPELINE_COMPILE_REQUIRED;
    struct spirv_options options = *base;
    options.entry = stage->pName;
    if (!vk_ir_stage_of(stage->stage, &options.stage)) {
        vk_device_error(device, NULL, "a shader of stage 0x%x cannot be compiled", stage->stage);
        return invalid_shader(device);
    }
    const VkSpecializationInfo *spec = stage->pSpecializationInfo;
    struct spirv_spec_entry *entries = NULL;
    options.num_spec_entries = 0;
    if (spec && spec->mapEntryCount) {
        entries = spec_entries(device, spec);
        if (!entries)
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        options.spec_entries = entries;
        options.num_spec_entries = spec->mapEntryCount;
        options.spec_data = spec->pData;
        options.spec_data_size_B = spec->dataSize;
    }
    struct spirv_error error;
    *ir_out = spirv_to_ir(words, size_B / 4, &options, &error);
    vk_free(&device->alloc, NULL, entries);
    if (*ir_out)
        return VK_SUCCESS;
    if (error.out_of_memory)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    vk_device_error(device, (const struct vk_object_base *)(uintptr_t)stage->module,
                    "entry point \"%s\" of a shader module is refused: word %u: %s", stage->pName, error.word,
                    error.text);
    return invalid_shader(device);
}

VkResult vk_stage_compile_front(struct vk_device *device, const VkPipelineShaderStageCreateInfo *stage,
                                struct ir_shader **ir_out)
{
    const struct vk_spirv_limits *limits = &device->codegen->limits;
    struct spirv_options base = {
        .refused_capabilities = limits->refused_capabilities,
        .num_refused_capabilities = limits->num_refused_capabilities,
        .max_subgroup_size = limits->max_subgroup_size,
        .max_shared_B = limits->max_shared_B,
        .buffer_alignment_B = limits->buffer_alignment_B,
    };
    VkResult result = vk_stage_to_ir(device, stage, &base, ir_out);
    if (result != VK_SUCCESS)
        return result;
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo *size =
        vk_find_struct_const(stage->pNext, VkPipelineShaderStageRequiredSubgroupSizeCreateInfo);
    if (size)
        (*ir_out)->subgroup_size = size->requiredSubgroupSize;
    if (stage->flags & VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT)
        (*ir_out)->full_subgroups = true;
    return VK_SUCCESS;
}

/* ---- IR that is kept ---- */

/* In a file it is the printed text, for its reader takes any bytes and its printer loses nothing. The NUL is part of
 * it. */
static bool serialize_ir(struct vk_cached *cached, void *data, size_t *size_B)
{
    struct vk_stage_ir *kept = (struct vk_stage_ir *)cached;
    struct strbuf text = {0};
    pthread_mutex_lock(&kept->lock);
    ir_print(kept->ir, &text);
    pthread_mutex_unlock(&kept->lock);
    bool good = !text.failed && text.text && (!data || *size_B > text.length);
    if (good && data)
        memcpy(data, text.text, text.length + 1);
    *size_B = text.length + 1;
    strbuf_finish(&text);
    return good;
}

/* Takes the IR over, also where there is no memory. */
static struct vk_stage_ir *keep_ir(struct vk_device *device, const uint8_t key[VK_HASH_SIZE_B], struct ir_shader *ir)
{
    struct vk_stage_ir *kept = vk_zalloc(&device->alloc, NULL, sizeof(*kept), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!kept) {
        ir_shader_destroy(ir);
        return NULL;
    }
    vk_cached_init(&kept->cached, &vk_stage_ir_cached_ops, key);
    pthread_mutex_init(&kept->lock, NULL);
    kept->ir = ir;
    return kept;
}

static struct vk_cached *deserialize_ir(struct vk_device *device, const uint8_t key[VK_HASH_SIZE_B], const void *data,
                                        size_t size_B)
{
    char error[256];
    if (!size_B || ((const char *)data)[size_B - 1] != '\0')
        return NULL;
    struct ir_shader *ir = ir_parse(data, error);
    if (!ir)
        return NULL;
    if (ir->stage >= ARRAY_SIZE(stage_bits) || !vk_key_has_stage(key, stage_bits[ir->stage]) || ir_validate(ir)) {
        ir_shader_destroy(ir);
        return NULL;
    }
    return (struct vk_cached *)keep_ir(device, key, ir);
}

static void destroy_ir(struct vk_device *device, struct vk_cached *cached)
{
    struct vk_stage_ir *kept = (struct vk_stage_ir *)cached;
    ir_shader_destroy(kept->ir);
    pthread_mutex_destroy(&kept->lock);
    vk_free(&device->alloc, NULL, kept);
}

const struct vk_cached_ops vk_stage_ir_cached_ops = {
    .kind = 0x52495453, /* "STIR" */
    .serialize = serialize_ir,
    .deserialize = deserialize_ir,
    .destroy = destroy_ir,
};

VkResult vk_stage_ir_get(struct vk_device *device, struct vk_pipeline_cache *cache,
                         const VkPipelineShaderStageCreateInfo *stage, const struct vk_stage_info *info,
                         bool fail_on_compile, struct vk_stage_ir **ir_out, bool *in_cache_out)
{
    struct vk_cached *cached = vk_pipeline_cache_find(cache, info->key, &vk_stage_ir_cached_ops);
    *in_cache_out = cached != NULL;
    *ir_out = (struct vk_stage_ir *)cached;
    if (cached)
        return VK_SUCCESS;
    if (fail_on_compile)
        return VK_PIPELINE_COMPILE_REQUIRED;
    struct ir_shader *ir;
    VkResult result = vk_stage_compile_front(device, stage, &ir);
    if (result != VK_SUCCESS)
        return result;
    struct vk_stage_ir *kept = keep_ir(device, info->key, ir);
    if (!kept)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    *ir_out = (struct vk_stage_ir *)vk_pipeline_cache_add(cache, &kept->cached);
    return VK_SUCCESS;
}

struct ir_shader *vk_stage_ir_clone(struct vk_stage_ir *kept)
{
    pthread_mutex_lock(&kept->lock);
    struct ir_shader *clone = ir_shader_clone(kept->ir);
    pthread_mutex_unlock(&kept->lock);
    return clone;
}

bool vk_stage_knows_subgroup_size(const struct vk_stage_job *job)
{
    const uint64_t telling = 1ull << IR_SYSVAL_subgroup_size | 1ull << IR_SYSVAL_subgroup_id |
                             1ull << IR_SYSVAL_num_subgroups | 1ull << IR_SYSVAL_subgroup_lane;
    return job->require_full_subgroups || job->ir->full_subgroups || job->ir->uses_subgroup_ops ||
           job->ir->sysvals_read & telling;
}
