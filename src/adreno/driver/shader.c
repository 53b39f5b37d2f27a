/* From IR to code, and from code to a shader in GPU memory. */
#include "adreno/driver/shader.h"

#include <string.h>

#include "adreno/driver/descriptor.h"
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "util/debug.h"
#include "util/log.h"
#include "util/strbuf.h"
#include "vulkan/runtime/descriptor/vk_ycbcr_lower.h"
#include "vulkan/runtime/object/vk_debug_utils.h"
#include "vulkan/runtime/pipeline/vk_code_parts.h"
#include "vulkan/runtime/pipeline/vk_shader_report.h"
#include "vulkan/runtime/pipeline/vk_stage_ir.h"

/* ---- code: bytes for the runtime and its caches ---- */

struct described {
    struct adreno_shader_config config;
    uint32_t code_size_B;
};
static const struct record_field described_fields[] = {
    RECORD_STRUCT(struct described, config, &adreno_config_record),
    RECORD_ANY(struct described, code_size_B),
};
static const struct record described_record = RECORD(struct described, described_fields);

/* Of the last stage before the rasteriser the version for binning passes may follow. */
enum part {
    PART_DESCRIBED,
    PART_WORDS,
    PART_IMMEDIATES,
    PART_BINNING_DESCRIBED,
    PART_BINNING_WORDS,
    PART_BINNING_IMMEDIATES,
    PART_IR_TEXT,
    PART_DISASSEMBLY,
    PART_BINNING_DISASSEMBLY,
    PARTS
};
#define TEXTS (PARTS - PART_IR_TEXT)

static void add_parts(struct vk_code_part *parts, const struct adreno_binary *binary, uint8_t *room)
{
    const struct described described = {binary->config, binary->code_size_B};
    parts[PART_DESCRIBED] = vk_code_record(&described_record, &described, room);
    parts[PART_WORDS] = (struct vk_code_part){binary->words, binary->size_B};
    parts[PART_IMMEDIATES] = (struct vk_code_part){binary->immediates, 4 * binary->num_immediates};
}

/* `binning` may be NULL. */
static struct vk_code *pack_binary(struct adreno_device *device, const struct adreno_binary *binary,
                                   const struct adreno_binary *binning, VkShaderStageFlagBits stage,
                                   const uint8_t key[VK_HASH_SIZE_B])
{
    uint8_t room[2][sizeof(struct described)];
    struct vk_code_part parts[PARTS] = {
        [PART_IR_TEXT] = vk_code_text(binary->ir_text), [PART_DISASSEMBLY] = vk_code_text(binary->disassembly)};
    add_parts(parts, binary, room[0]);
    if (binning) {
        add_parts(parts + PART_BINNING_DESCRIBED, binning, room[1]);
        parts[PART_BINNING_DISASSEMBLY] = vk_code_text(binning->disassembly);
    }
    return vk_code_pack(&device->vk, stage, key, parts, PARTS);
}

/* The binary, whose words, numbers and texts are views of the code, which lives as long as the shader. NULL, or what is
 * wrong with it. */
static const char *view_parts(const struct vk_code_part *parts, enum ir_stage stage, struct adreno_binary *binary_out)
{
    struct described described;
    const char *wrong =
        record_read(&described_record, parts[PART_DESCRIBED].bytes, parts[PART_DESCRIBED].size_B, &described);
    if (wrong)
        return wrong;
    if (parts[PART_IMMEDIATES].size_B % 4)
        return "its numbers";
    *binary_out = (struct adreno_binary){.words = (uint64_t *)(uintptr_t)parts[PART_WORDS].bytes,
                                         .size_B = parts[PART_WORDS].size_B,
                                         .code_size_B = described.code_size_B,
                                         .immediates = (uint32_t *)(uintptr_t)parts[PART_IMMEDIATES].bytes,
                                         .num_immediates = parts[PART_IMMEDIATES].size_B / 4,
                                         .config = described.config};
    return adreno_binary_wrong(binary_out, stage);
}

/* `binning_out` has no words where there is none. NULL, or what is wrong. */
static const char *unpack_binary(const struct vk_code *code, struct adreno_binary *binary_out,
                                 struct adreno_binary *binning_out)
{
    struct vk_code_part parts[PARTS];
    enum ir_stage stage;
    *binning_out = (struct adreno_binary){0};
    if (!vk_code_unpack(code, parts, PARTS, TEXTS) || !vk_ir_stage_of(code->stage, &stage))
        return "its parts";
    const char *wrong = view_parts(parts, stage, binary_out);
    if (wrong)
        return wrong;
    binary_out->ir_text = (char *)(uintptr_t)parts[PART_IR_TEXT].bytes;
    binary_out->disassembly = (char *)(uintptr_t)parts[PART_DISASSEMBLY].bytes;
    if (!parts[PART_BINNING_DESCRIBED].bytes)
        return NULL;
    if (stage != IR_STAGE_vertex && stage != IR_STAGE_geometry)
        return "its version for binning";
    wrong = view_parts(parts + PART_BINNING_DESCRIBED, stage, binning_out);
    binning_out->disassembly = (char *)(uintptr_t)parts[PART_BINNING_DISASSEMBLY].bytes;
    return wrong;
}

/* ---- shaders: code in GPU memory, and everything that follows from it ---- */

static void print_shader(const struct adreno_shader *shader)
{
    const struct adreno_shader_config *config = &shader->binary.config;
    struct strbuf text = {0};
    strbuf_printf(&text, "%s\n; %u bytes, %u registers, %u constants, %u bytes of private memory a fiber\n",
                  shader->binary.disassembly ? shader->binary.disassembly : "", shader->binary.code_size_B,
                  config->full_registers, config->constants, config->private_size_B);
    if (text.text)
        log_text(text.text, text.length);
    strbuf_finish(&text);
}

static VkResult load_binary(struct adreno_device *device, struct adreno_shader *shader)
{
    VkResult result = adreno_private_memory(device, shader->binary.config.private_size_B, &shader->private);
    void *map;
    if (result == VK_SUCCESS)
        result = vk_code_memory_alloc(&device->code_memory, shader->binary.size_B, &shader->place, &map);
    if (result != VK_SUCCESS)
        return result;
    memcpy(map, shader->binary.words, shader->binary.size_B);
    shader->va = shader->place.va;
    if (debug_enabled(DEBUG_SHADERS))
        print_shader(shader);
    return VK_SUCCESS;
}

static VkResult load_binning(struct adreno_device *device, struct adreno_shader *shader,
                             const struct adreno_binary *binary)
{
    struct adreno_shader *binning =
        vk_zalloc(&device->vk.alloc, NULL, sizeof(*binning), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!binning)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    binning->binary = *binary;
    VkResult result = load_binary(device, binning);
    if (result == VK_SUCCESS)
        shader->binning = binning;
    else
        vk_free(&device->vk.alloc, NULL, binning);
    return result;
}

VkResult adreno_shader_load(struct vk_device *base, struct vk_shader *vk)
{
    struct adreno_device *device = adreno_device_of(base);
    struct adreno_shader *shader = adreno_shader_of(vk);
    struct adreno_binary binning;
    VkResult result = vk_code_judge(base, unpack_binary(vk->code, &shader->binary, &binning));
    if (result == VK_SUCCESS)
        result = load_binary(device, shader);
    if (result != VK_SUCCESS || !binning.words)
        return result;
    result = load_binning(device, shader, &binning);
    if (result != VK_SUCCESS)
        vk_code_memory_free(&device->code_memory, &shader->place);
    return result;
}

void adreno_shader_unload(struct vk_device *base, struct vk_shader *vk)
{
    struct adreno_device *device = adreno_device_of(base);
    struct adreno_shader *shader = adreno_shader_of(vk);
    vk_code_memory_free(&device->code_memory, &shader->place);
    if (!shader->binning)
        return;
    vk_code_memory_free(&device->code_memory, &shader->binning->place);
    vk_free(&device->vk.alloc, NULL, shader->binning);
}

/* ---- the compiler ---- */

static VkResult compile_binary(struct adreno_device *device, struct ir_shader *ir,
                               const struct adreno_compile_options *options, struct adreno_binary *binary_out)
{
    struct adreno_compile_options all = *options;
    all.chip = device->chip;
    all.keep_text |= debug_enabled(DEBUG_SHADERS) || debug_enabled(DEBUG_HANG);
    char error[256];
    if (adreno_compile(ir, &all, binary_out, error))
        return VK_SUCCESS;
    vk_device_error(&device->vk, NULL, "a shader cannot be compiled: %s", error);
    return vk_compile_error(error);
}

/* Whether a version without the outputs for fragments would have less to do. */
static bool has_varyings(const struct ir_shader *ir)
{
    bool has_any = false;
    for (uint32_t i = 0; i < ir->num_outputs; i++)
        has_any |= ir->outputs[i].location >= IR_LOCATION_VAR0;
    return has_any;
}

static VkResult compile_binning(struct adreno_device *device, struct ir_shader *ir,
                                const struct adreno_compile_options *options, const struct adreno_shader_config *config,
                                struct adreno_binary *binary_out)
{
    struct adreno_stage_options stage = *options->stage;
    struct adreno_compile_options all = *options;
    stage.vs.is_binning = true;
    stage.vs.constants_of = config;
    all.stage = &stage;
    return compile_binary(device, ir, &all, binary_out);
}

/* Compiling uses the IR up, so the version for binning passes has a clone. What transform feedback captures, binning
 * passes write: then there is one version. */
static VkResult compile_shader(struct adreno_device *device, struct ir_shader *ir,
                               const struct adreno_compile_options *options, VkShaderStageFlagBits stage,
                               const uint8_t key[VK_HASH_SIZE_B], struct vk_code **code_out)
{
    const bool is_last = ir->stage == IR_STAGE_geometry ||
                         (ir->stage == IR_STAGE_vertex && options->stage && !adreno_chains(ir, options->stage));
    const bool has_binning =
        is_last && options->stage && !options->no_optimisation && has_varyings(ir) && !ir->num_captures;
    struct ir_shader *clone = has_binning ? ir_shader_clone(ir) : NULL;
    struct adreno_binary binary, binning;
    *code_out = NULL;
    if (has_binning && !clone)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = compile_binary(device, ir, options, &binary);
    if (result == VK_SUCCESS && clone) {
        result = compile_binning(device, clone, options, &binary.config, &binning);
        if (result != VK_SUCCESS)
            adreno_binary_finish(&binary);
    }
    ir_shader_destroy(clone);
    if (result != VK_SUCCESS)
        return result;
    *code_out = pack_binary(device, &binary, clone ? &binning : NULL, stage, key);
    adreno_binary_finish(&binary);
    if (clone)
        adreno_binary_finish(&binning);
    return *code_out ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* ---- samplers that convert ---- */

static struct ir_value *plane_image(struct ir_builder *b, const struct vk_ycbcr_element *element, unsigned plane)
{
    return ir_resource(b, ir_const(b, 32, element->index), element->set,
                       vk_indexed_plane(element->layout, element->binding, plane), IR_RESOURCE_sampled_image);
}

static struct ir_value *plane_sampler(struct ir_builder *b, const struct vk_ycbcr_element *element)
{
    return plane_image(b, element, 0);
}

static const struct vk_ycbcr_ops ycbcr_ops = {plane_image, plane_sampler};

VkResult adreno_shader_compile_stage(struct adreno_device *device, const struct vk_stage_job *job,
                                     const struct adreno_stage_options *stage, struct vk_code **code_out)
{
    struct vk_indexed_layouts layouts;
    VkResult result = vk_indexed_layouts_init(&device->vk, job->set_layouts,
                                              MIN2(job->set_layout_count, (uint32_t)ADRENO_API_SETS), 0, &layouts);
    if (result != VK_SUCCESS)
        return result;
    struct adreno_compile_options options = {
        .sets = layouts.sets,
        .num_sets = layouts.num_sets,
        .stage = stage,
        .wave_size = vk_stage_knows_subgroup_size(job) ? ADRENO_SUBGROUP_SIZE : 0,
        .has_workgroup_base = job->flags & VK_PIPELINE_CREATE_DISPATCH_BASE_BIT,
        .no_optimisation = job->flags & VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT,
        .keep_text = job->flags & VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR,
    };
    if (job->required_subgroup_size || job->ir->subgroup_size)
        options.wave_size =
            (uint16_t)(job->required_subgroup_size ? job->required_subgroup_size : job->ir->subgroup_size);
    result = vk_lower_ycbcr(&device->vk, job, &ycbcr_ops);
    if (result == VK_SUCCESS)
        result = compile_shader(device, job->ir, &options, job->stage, job->key, code_out);
    vk_indexed_layouts_finish(&device->vk, &layouts);
    return result;
}

VkResult adreno_shader_compile_internal(struct adreno_device *device, struct ir_shader *ir,
                                        const struct adreno_compile_options *options, struct adreno_shader **shader_out)
{
    struct vk_code *code;
    struct vk_shader *shader;
    VkResult result = compile_shader(device, ir, options, vk_stage_of_ir(ir), vk_no_key, &code);
    if (result == VK_SUCCESS)
        result = vk_shader_take(&device->vk, code, &shader);
    if (result == VK_SUCCESS)
        *shader_out = adreno_shader_of(shader);
    return result;
}

/* ---- VK_KHR_pipeline_executable_properties: one executable per shader ---- */

void adreno_shader_describe(const struct vk_shader *vk, struct vk_shader_report *report)
{
    const struct adreno_binary *binary = &((const struct adreno_shader *)vk)->binary;
    const VkShaderStageFlagBits stage = vk_shader_stage(vk);
    vk_report_executable(report, stage, binary->config.wave_size,
                         stage == VK_SHADER_STAGE_COMPUTE_BIT                   ? "compute"
                         : stage == VK_SHADER_STAGE_VERTEX_BIT                  ? "vertex"
                         : stage == VK_SHADER_STAGE_GEOMETRY_BIT                ? "geometry"
                         : stage == VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT    ? "tessellation control"
                         : stage == VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT ? "tessellation evaluation"
                                                                                : "fragment",
                         "machine code of A6xx");
    vk_report_figure(report, "Registers", "vec4 of full registers", binary->config.full_registers);
    vk_report_figure(report, "Constants", "vec4 of the constant file", binary->config.constants);
    vk_report_figure(report, "Code size", "bytes of machine code", binary->code_size_B);
    vk_report_figure(report, "Local size", "bytes of local memory a workgroup", binary->config.local_size_B);
    vk_report_figure(report, "Private size", "bytes of private memory a fiber", binary->config.private_size_B);
    vk_report_text(report, "IR", binary->ir_text);
    vk_report_text(report, "Assembly", binary->disassembly);
}
