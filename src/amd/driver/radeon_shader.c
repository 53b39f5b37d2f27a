/* From IR to code, and from code to a shader in GPU memory. */
#include "amd/driver/radeon_shader.h"

#include <stdio.h>
#include <string.h>

#include "amd/compiler/mir.h"
#include "amd/driver/radeon_descriptor.h"
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "util/debug.h"
#include "util/log.h"
#include "util/strbuf.h"
#include "vulkan/runtime/descriptor/vk_ycbcr_lower.h"
#include "vulkan/runtime/object/vk_debug_utils.h"
#include "vulkan/runtime/object/vk_hasher.h"
#include "vulkan/runtime/pipeline/vk_code_parts.h"
#include "vulkan/runtime/pipeline/vk_pipeline.h"
#include "vulkan/runtime/pipeline/vk_shader_report.h"
#include "vulkan/runtime/pipeline/vk_stage_ir.h"

/* ---- code: bytes for the runtime and its caches ---- */

struct described {
    struct amd_shader_config config;
    struct amd_statistics statistics;
    struct radeon_push_area area;
    uint32_t code_size_B;
};

static const struct record_field area_fields[] = {
    RECORD_VALUE(struct radeon_push_area, push_size_B, 0, RADEON_MAX_PUSH_B),
    RECORD_VALUE(struct radeon_push_area, ordered_sets, 0, RADEON_MAX_SETS),
    RECORD_ARRAY(struct radeon_push_area, first, 0, UINT8_MAX),
    RECORD_ARRAY(struct radeon_push_area, count, 0, UINT8_MAX),
};
static const struct record area_record = RECORD(struct radeon_push_area, area_fields);
static const struct record_field described_fields[] = {
    RECORD_STRUCT(struct described, config, &amd_config_record),
    RECORD_STRUCT(struct described, statistics, &amd_statistics_record),
    RECORD_STRUCT(struct described, area, &area_record),
    RECORD_ANY(struct described, code_size_B),
};
static const struct record described_record = RECORD(struct described, described_fields);

enum part {
    PART_DESCRIBED,
    PART_WORDS,
    PART_WITH_PRIMITIVE_ID, /* the bytes of another code */
    PART_IR_TEXT,
    PART_DISASSEMBLY,
    PARTS
};
#define TEXTS (PARTS - PART_IR_TEXT)

static struct vk_code *pack_binary(struct radeon_device *device, const struct amd_binary *binary,
                                   const struct radeon_push_area *area, VkShaderStageFlagBits stage,
                                   const uint8_t key[VK_HASH_SIZE_B])
{
    static const struct radeon_push_area no_area;
    const struct described described = {binary->config, *binary->statistics, area ? *area : no_area,
                                        binary->code_size_B};
    uint8_t room[sizeof(described)];
    const struct vk_code_part parts[PARTS] = {[PART_DESCRIBED] = vk_code_record(&described_record, &described, room),
                                              [PART_WORDS] = {binary->words, binary->size_B},
                                              [PART_IR_TEXT] = vk_code_text(binary->ir_text),
                                              [PART_DISASSEMBLY] = vk_code_text(binary->disassembly)};
    return vk_code_pack(&device->vk, stage, key, parts, PARTS);
}

struct vk_code *radeon_shader_join(struct radeon_device *device, struct vk_code *code, struct vk_code *other)
{
    struct vk_code_part parts[PARTS];
    struct vk_code *joined = NULL;
    if (other && vk_code_unpack(code, parts, PARTS, TEXTS)) {
        parts[PART_WITH_PRIMITIVE_ID] = (struct vk_code_part){other->bytes, (uint32_t)other->size_B};
        joined = vk_code_pack(&device->vk, code->stage, code->key, parts, PARTS);
    }
    vk_code_destroy(&device->vk, code);
    vk_code_destroy(&device->vk, other);
    return joined;
}

/* Words of push constants that have SGPRs of their own are among those that there are; a draw by plan reads from the
 * first one on also where there are none. */
static bool has_good_push(const struct amd_shader_config *config)
{
    const uint32_t count = config->user[AMD_USER_push_inline].count;
    if (!count)
        return config->user[AMD_USER_push].count || !config->inline_push_first;
    return 4u * (config->inline_push_first + count) <= RADEON_MAX_PUSH_B;
}

/* The binary, whose words and texts are views of the code, which lives as long as the shader. NULL, or what is wrong
 * with it. */
static const char *unpack_binary(const struct vk_code *code, struct radeon_shader *shader,
                                 struct vk_code_part parts[PARTS])
{
    struct described described;
    enum ir_stage stage;
    if (!vk_code_unpack(code, parts, PARTS, TEXTS) || !vk_ir_stage_of(code->stage, &stage))
        return "its parts";
    const char *wrong =
        record_read(&described_record, parts[PART_DESCRIBED].bytes, parts[PART_DESCRIBED].size_B, &described);
    if (wrong)
        return wrong;
    if (parts[PART_WITH_PRIMITIVE_ID].size_B && stage != IR_STAGE_vertex)
        return "its second program";
    shader->statistics = described.statistics;
    shader->area = described.area;
    shader->binary = (struct amd_binary){.words = (uint32_t *)(uintptr_t)parts[PART_WORDS].bytes,
                                         .size_B = parts[PART_WORDS].size_B,
                                         .code_size_B = described.code_size_B,
                                         .config = described.config,
                                         .statistics = &shader->statistics,
                                         .ir_text = (char *)(uintptr_t)parts[PART_IR_TEXT].bytes,
                                         .disassembly = (char *)(uintptr_t)parts[PART_DISASSEMBLY].bytes};
    wrong = amd_binary_wrong(&shader->binary, stage);
    return wrong ? wrong : has_good_push(&shader->binary.config) ? NULL : "the push constants";
}

/* ---- shaders: code in GPU memory, and everything that follows from it ---- */

static void print_shader(const struct radeon_shader *shader)
{
    const struct amd_statistics *s = shader->binary.statistics;
    struct strbuf text = {0};
    strbuf_printf(
        &text, "%s\n; %u instructions, %u bytes, %u SGPRs, %u VGPRs, %u bytes of LDS, %u of scratch a lane, wave%u\n",
        shader->binary.disassembly ? shader->binary.disassembly : "", s->instructions, s->code_size_B, s->sgprs,
        s->vgprs, s->lds_size_B, s->scratch_size_B, shader->binary.config.wave_size);
    if (text.text)
        log_text(text.text, text.length);
    strbuf_finish(&text);
}

/* Of bytes within another shader's, which have none within them: a file could nest them as deep as it is long. */
static VkResult load_within(struct vk_device *device, const struct vk_code *outer, const struct vk_code_part *part,
                            struct radeon_shader **shader_out)
{
    struct vk_code *code = vk_code_create(device, outer->stage, outer->key, part->size_B);
    struct vk_code_part within[PARTS];
    struct vk_shader *shader;
    if (!code)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    memcpy(code->bytes, part->bytes, part->size_B);
    const bool is_whole = vk_code_unpack(code, within, PARTS, TEXTS) && !within[PART_WITH_PRIMITIVE_ID].size_B;
    VkResult result = vk_code_judge(device, is_whole ? NULL : "its second program");
    if (result == VK_SUCCESS)
        result = vk_shader_load(device, code, &shader);
    if (result != VK_SUCCESS) {
        vk_code_destroy(device, code);
        return result;
    }
    *shader_out = radeon_shader_of(shader);
    return VK_SUCCESS;
}

static VkResult load_words(struct vk_device *base, struct vk_shader *vk)
{
    struct radeon_shader *shader = radeon_shader_of(vk);
    const struct amd_shader_config *config = &shader->binary.config;
    void *map;
    if (!shader->binary.size_B) /* part of another shader */
        return VK_SUCCESS;
    VkResult result =
        vk_code_memory_alloc(&radeon_device_of(base)->code_memory, shader->binary.size_B, &shader->place, &map);
    if (result != VK_SUCCESS)
        return result;
    memcpy(map, shader->binary.words, shader->binary.size_B);
    shader->va = shader->place.va;
    shader->scratch_B_per_wave = (uint32_t)align_u64((uint64_t)config->scratch_size_B * config->wave_size, 1024);
    for (uint32_t i = 0; i < RADEON_MAX_SETS; i++)
        shader->sets_used |= (uint32_t)(config->sets[i].count || config->user[AMD_USER_set_table].count) << i;
    if (debug_enabled(DEBUG_SHADERS))
        print_shader(shader);
    return VK_SUCCESS;
}

VkResult radeon_shader_load(struct vk_device *device, struct vk_shader *vk)
{
    struct radeon_shader *shader = radeon_shader_of(vk);
    struct vk_code_part parts[PARTS];
    VkResult result = vk_code_judge(device, unpack_binary(vk->code, shader, parts));
    if (result == VK_SUCCESS && parts[PART_WITH_PRIMITIVE_ID].size_B)
        result = load_within(device, vk->code, &parts[PART_WITH_PRIMITIVE_ID], &shader->with_primitive_id);
    if (result != VK_SUCCESS)
        return result;
    result = load_words(device, vk);
    if (result != VK_SUCCESS)
        radeon_shader_unref(radeon_device_of(device), shader->with_primitive_id);
    return result;
}

void radeon_shader_unload(struct vk_device *device, struct vk_shader *vk)
{
    radeon_shader_unref(radeon_device_of(device), radeon_shader_of(vk)->with_primitive_id);
    if (radeon_shader_of(vk)->binary.size_B)
        vk_code_memory_free(&radeon_device_of(device)->code_memory, &radeon_shader_of(vk)->place);
}

/* ---- the compiler ---- */

static VkResult compile_shader(struct radeon_device *device, struct ir_shader *ir,
                               const struct amd_compile_options *options, const struct radeon_push_area *area,
                               VkShaderStageFlagBits stage, const uint8_t key[VK_HASH_SIZE_B],
                               struct vk_code **code_out)
{
    struct amd_compile_options all = *options;
    all.gfx = ISA_GFX_10_3;
    all.address32_hi = device->address32_hi;
    all.keep_text |= debug_enabled(DEBUG_SHADERS) || debug_enabled(DEBUG_HANG);
    struct amd_binary binary;
    char error[256];
    if (!amd_compile(ir, &all, &binary, error)) {
        vk_device_error(&device->vk, NULL, "a shader cannot be compiled: %s", error);
        return vk_compile_error(error);
    }
    *code_out = pack_binary(device, &binary, area, stage, key);
    amd_binary_finish(&binary);
    return *code_out ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* 64 lanes, which is what the API's subgroup size says, unless the application chose; a small workgroup whose code
 * does not depend on the size would waste half of the wave. */
static uint8_t choose_wave_size(const struct vk_stage_job *job)
{
    const struct ir_shader *ir = job->ir;
    if (job->required_subgroup_size)
        return (uint8_t)job->required_subgroup_size;
    if (ir->subgroup_size)
        return (uint8_t)ir->subgroup_size;
    if (job->stage != VK_SHADER_STAGE_COMPUTE_BIT || vk_stage_knows_subgroup_size(job))
        return 64;
    uint64_t lanes = (uint64_t)ir->workgroup_size[0] * ir->workgroup_size[1] * ir->workgroup_size[2];
    return lanes <= 32 ? 32 : 64;
}

/* ---- samplers that convert ---- */

static struct ir_value *plane_words(struct ir_builder *b, const struct vk_ycbcr_element *element, unsigned plane)
{
    uint32_t offset_B = element->binding->offset_B + element->index * element->binding->stride_B;
    return ir_load_desc(b, 8, ir_const(b, 32, element->set),
                        ir_const(b, 32, offset_B + plane * RADEON_IMAGE_DESCRIPTOR_B));
}

static struct ir_value *sampler_words(struct ir_builder *b, const struct vk_ycbcr_element *element)
{
    const uint32_t *sampler = vk_immutable_sampler(element->layout, element->binding->sampler_index + element->index);
    struct ir_value *words[4];
    for (unsigned i = 0; i < 4; i++)
        words[i] = ir_const(b, 32, sampler[i]);
    return ir_vec(b, 4, words);
}

static const struct vk_ycbcr_ops ycbcr_ops = {plane_words, sampler_words};

VkResult radeon_shader_compile_stage(struct radeon_device *device, const struct vk_stage_job *job,
                                     const struct amd_stage_options *stage, uint8_t wave_size,
                                     struct vk_code **code_out)
{
    uint32_t push_size_B = (uint32_t)align_u64(job->push.offset + job->push.size, 16);
    struct radeon_compiler_layouts layouts;
    VkResult result =
        radeon_layouts_for_compiler(device, job->set_layouts, job->set_layout_count, push_size_B, &layouts);
    if (result != VK_SUCCESS)
        return result;
    const struct amd_compile_options options = {
        .wave_size = wave_size ? wave_size : choose_wave_size(job),
        .sets = layouts.sets,
        .num_sets = layouts.num_sets,
        .no_optimisation = job->flags & VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT,
        .keep_text = job->flags & VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR,
        .stage = stage,
    };
    result = vk_lower_ycbcr(&device->vk, job, &ycbcr_ops);
    if (result == VK_SUCCESS)
        result = compile_shader(device, job->ir, &options, &layouts.area, job->stage, job->key, code_out);
    radeon_compiler_layouts_finish(device, &layouts);
    return result;
}

/* ---- two stages that are one program ---- */

/* Makes one shader of the jobs' stages and, where what it emits goes through memory, the copy shader after it. */
typedef struct ir_shader *merge_fn(const struct vk_stage_job *jobs, const struct amd_compile_options *options,
                                   struct amd_stage_options *stage, struct ir_shader **copy_out, char error_out[256]);

static struct ir_shader *merge_geometry(const struct vk_stage_job *jobs, const struct amd_compile_options *options,
                                        struct amd_stage_options *stage, struct ir_shader **copy_out,
                                        char error_out[256])
{
    return amd_merge_geometry(jobs[0].ir, jobs[1].ir, options, &stage->gs.layout, copy_out, error_out);
}

static struct ir_shader *merge_hull(const struct vk_stage_job *jobs, const struct amd_compile_options *options,
                                    struct amd_stage_options *stage, struct ir_shader **copy_out, char error_out[256])
{
    (void)stage;
    (void)copy_out;
    return amd_merge_hull(jobs[0].ir, jobs[1].ir, options, error_out);
}

static struct ir_shader *lower_evaluation(const struct vk_stage_job *jobs, const struct amd_compile_options *options,
                                          struct amd_stage_options *stage, struct ir_shader **copy_out,
                                          char error_out[256])
{
    (void)stage;
    (void)copy_out;
    return amd_lower_evaluation(jobs[0].ir, options, error_out);
}

static struct ir_shader *merge_evaluation(const struct vk_stage_job *jobs, const struct amd_compile_options *options,
                                          struct amd_stage_options *stage, struct ir_shader **copy_out,
                                          char error_out[256])
{
    struct ir_shader *evaluation = amd_lower_evaluation(jobs[0].ir, options, error_out);
    if (!evaluation)
        return NULL;
    struct ir_shader *both =
        amd_merge_geometry(evaluation, jobs[1].ir, options, &stage->gs.layout, copy_out, error_out);
    ir_shader_destroy(evaluation);
    return both;
}

static struct ir_shader *lower_mesh(const struct vk_stage_job *jobs, const struct amd_compile_options *options,
                                    struct amd_stage_options *stage, struct ir_shader **copy_out, char error_out[256])
{
    (void)copy_out;
    return amd_lower_mesh(jobs[0].ir, options, &stage->gs.layout, error_out);
}

static struct ir_shader *lower_task(const struct vk_stage_job *jobs, const struct amd_compile_options *options,
                                    struct amd_stage_options *stage, struct ir_shader **copy_out, char error_out[256])
{
    (void)stage;
    (void)copy_out;
    return amd_lower_task(jobs[0].ir, options, error_out);
}

static struct vk_code *pack_nothing(struct radeon_device *device, const struct vk_stage_job *job)
{
    struct amd_statistics none = {0};
    const struct amd_binary binary = {.statistics = &none};
    return pack_binary(device, &binary, NULL, job->stage, job->key);
}

/* The program after the geometry shader, as the code of its stage. */
static VkResult compile_copy(struct radeon_device *device, const struct vk_stage_job *job, struct ir_shader *copy,
                             const struct amd_compile_options *merged, uint8_t wave_size, struct vk_code **code_out)
{
    if (!copy) {
        *code_out = pack_nothing(device, job);
        return *code_out ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    struct amd_stage_options stage = *merged->stage;
    struct amd_compile_options options = *merged;
    memset(&stage.gs, 0, sizeof(stage.gs));
    stage.vs.legacy = true;
    stage.vs.prolog = false;
    stage.is_evaluation = false;
    options.stage = &stage;
    options.wave_size = wave_size;
    return compile_shader(device, copy, &options, NULL, job->stage, job->key, code_out);
}

/* The first job's code is that of the whole; the other one, if there is one, has the copy shader or none. */
static VkResult compile_merged(struct radeon_device *device, const struct vk_stage_job *jobs, uint32_t count,
                               struct amd_compile_options *options, struct amd_stage_options *stage, merge_fn *merge,
                               const struct radeon_push_area *area, struct vk_code **codes_out)
{
    char error[256];
    uint8_t wave_size = options->wave_size;
    if (count == 2 && jobs[1].ir->stage == IR_STAGE_geometry && amd_geometry_has_ring(jobs[1].ir, stage))
        options->wave_size = 64;
    struct ir_shader *copy = NULL, *both = merge(jobs, options, stage, &copy, error);
    if (!both) {
        vk_device_error(&device->vk, NULL, "stages that are one program cannot be compiled: %s", error);
        return vk_compile_error(error);
    }
    VkResult result = compile_shader(device, both, options, area, jobs[0].stage, jobs[0].key, &codes_out[0]);
    ir_shader_destroy(both);
    if (result == VK_SUCCESS && count == 2) {
        result = compile_copy(device, &jobs[1], copy, options, wave_size, &codes_out[1]);
        if (result != VK_SUCCESS)
            vk_code_destroy(&device->vk, codes_out[0]);
    }
    ir_shader_destroy(copy);
    return result;
}

static VkResult compile_together(struct radeon_device *device, const struct vk_stage_job *jobs, uint32_t count,
                                 struct amd_stage_options *stage, uint8_t wave_size, merge_fn *merge,
                                 struct vk_code **codes_out)
{
    uint32_t push_size_B = 0;
    for (unsigned i = 0; i < count; i++)
        push_size_B = MAX2(push_size_B, (uint32_t)align_u64(jobs[i].push.offset + jobs[i].push.size, 16));
    struct radeon_compiler_layouts layouts;
    VkResult result =
        radeon_layouts_for_compiler(device, jobs->set_layouts, jobs->set_layout_count, push_size_B, &layouts);
    if (result != VK_SUCCESS)
        return result;
    struct amd_compile_options options = {
        .wave_size = wave_size,
        .sets = layouts.sets,
        .num_sets = layouts.num_sets,
        .no_optimisation = jobs->flags & VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT,
        .keep_text = jobs->flags & VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR,
        .stage = stage,
        .address32_hi = device->address32_hi,
    };
    for (unsigned i = 0; i < count && result == VK_SUCCESS; i++)
        result = vk_lower_ycbcr(&device->vk, &jobs[i], &ycbcr_ops);
    if (result == VK_SUCCESS)
        result = compile_merged(device, jobs, count, &options, stage, merge, &layouts.area, codes_out);
    radeon_compiler_layouts_finish(device, &layouts);
    return result;
}

VkResult radeon_shader_compile_geometry(struct radeon_device *device, const struct vk_stage_job jobs[2],
                                        struct amd_stage_options *stage, uint8_t wave_size,
                                        struct vk_code *codes_out[2])
{
    return compile_together(device, jobs, 2, stage, wave_size, merge_geometry, codes_out);
}

VkResult radeon_shader_compile_hull(struct radeon_device *device, const struct vk_stage_job jobs[2],
                                    struct amd_stage_options *stage, uint8_t wave_size, struct vk_code *codes_out[2])
{
    return compile_together(device, jobs, 2, stage, wave_size, merge_hull, codes_out);
}

VkResult radeon_shader_compile_evaluation(struct radeon_device *device, const struct vk_stage_job *jobs,
                                          bool has_geometry, struct amd_stage_options *stage, uint8_t wave_size,
                                          struct vk_code **codes_out)
{
    return has_geometry ? compile_together(device, jobs, 2, stage, wave_size, merge_evaluation, codes_out)
                        : compile_together(device, jobs, 1, stage, wave_size, lower_evaluation, codes_out);
}

VkResult radeon_shader_compile_mesh(struct radeon_device *device, const struct vk_stage_job *job,
                                    struct amd_stage_options *stage, uint8_t wave_size, struct vk_code **code_out)
{
    return compile_together(device, job, 1, stage, wave_size, lower_mesh, code_out);
}

VkResult radeon_shader_compile_task(struct radeon_device *device, const struct vk_stage_job *job,
                                    struct amd_stage_options *stage, uint8_t wave_size, struct vk_code **code_out)
{
    return compile_together(device, job, 1, stage, wave_size, lower_task, code_out);
}

VkResult radeon_shader_compile_internal(struct radeon_device *device, struct ir_shader *ir,
                                        const struct amd_compile_options *options, struct radeon_shader **shader_out)
{
    struct vk_code *code;
    struct vk_shader *shader;
    VkResult result = compile_shader(device, ir, options, NULL, vk_stage_of_ir(ir), vk_no_key, &code);
    if (result == VK_SUCCESS)
        result = vk_shader_take(&device->vk, code, &shader);
    if (result == VK_SUCCESS)
        *shader_out = radeon_shader_of(shader);
    return result;
}

void radeon_shader_unref(struct radeon_device *device, struct radeon_shader *shader)
{
    vk_shader_unref(&device->vk, shader ? &shader->vk : NULL);
}

/* ---- VK_KHR_pipeline_executable_properties: one executable per shader ---- */

struct statistic {
    const char *name, *description;
    size_t offset_B;
};

#define STATISTIC(member, name, description)                                                                           \
    {                                                                                                                  \
        name, description, offsetof(struct amd_statistics, member)                                                     \
    }
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

void radeon_shader_describe(const struct vk_shader *vk, struct vk_shader_report *report)
{
    static const char *const names[] = {[AMD_HW_CS] = "compute",
                                        [AMD_HW_VS] = "vertex",
                                        [AMD_HW_NGG] = "vertex (NGG)",
                                        [AMD_HW_PS] = "fragment",
                                        [AMD_HW_HS] = "hull"};
    const struct amd_binary *binary = &((const struct radeon_shader *)vk)->binary;
    if (!binary->size_B)
        return;
    vk_report_executable(report, vk_shader_stage(vk), binary->config.wave_size, names[binary->config.hw_stage],
                         "machine code of GFX10.3");
    for (size_t i = 0; i < ARRAY_SIZE(statistics); i++) {
        uint32_t value;
        memcpy(&value, (const uint8_t *)binary->statistics + statistics[i].offset_B, sizeof(value));
        vk_report_figure(report, statistics[i].name, statistics[i].description, value);
    }
    vk_report_text(report, "IR", binary->ir_text);
    vk_report_text(report, "Assembly", binary->disassembly);
}
