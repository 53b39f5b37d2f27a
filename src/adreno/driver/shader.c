/* From IR to code, and from code to a shader in GPU memory. */
#include "adreno/driver/shader.h"

#include <string.h>

#include "adreno/driver/descriptor.h"
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "util/debug.h"
#include "util/log.h"
#include "util/strbuf.h"
#include "vulkan/runtime/vk_code_parts.h"
#include "vulkan/runtime/vk_debug_utils.h"
#include "vulkan/runtime/vk_shader_report.h"
#include "vulkan/runtime/vk_ycbcr_lower.h"

/* ---- code: bytes for the runtime and its caches ---- */

struct fixed {
    struct adreno_shader_config config;
    uint32_t code_size_B;
};
enum part {
    PART_FIXED,
    PART_WORDS,
    PART_IMMEDIATES,
    PART_IR_TEXT,
    PART_DISASSEMBLY,
    PARTS
};
#define TEXTS (PARTS - PART_IR_TEXT)

static struct vk_code *pack(struct adreno_device *device, const struct adreno_binary *binary,
                            VkShaderStageFlagBits stage, const uint8_t key[VK_HASH_SIZE_B])
{
    struct fixed fixed;
    memset(&fixed, 0, sizeof(fixed));
    fixed.config = binary->config;
    fixed.code_size_B = binary->code_size_B;
    const struct vk_code_part parts[PARTS] = {[PART_FIXED] = {&fixed, sizeof(fixed)},
                                              [PART_WORDS] = {binary->words, binary->size_B},
                                              [PART_IMMEDIATES] = {binary->immediates, 4 * binary->num_immediates},
                                              [PART_IR_TEXT] = vk_code_text(binary->ir_text),
                                              [PART_DISASSEMBLY] = vk_code_text(binary->disassembly)};
    return vk_code_pack(&device->vk, stage, key, parts, PARTS);
}

/* The binary as a view of the code, which lives as long as the shader. */
static bool unpack(const struct vk_code *code, struct adreno_binary *binary_out)
{
    struct vk_code_part parts[PARTS];
    if (!vk_code_unpack(code, parts, PARTS, TEXTS) || parts[PART_FIXED].size_B != sizeof(struct fixed))
        return false;
    const struct fixed *fixed = parts[PART_FIXED].bytes;
    if (fixed->code_size_B > parts[PART_WORDS].size_B)
        return false;
    *binary_out = (struct adreno_binary){.words = (uint64_t *)(uintptr_t)parts[PART_WORDS].bytes,
                                         .size_B = parts[PART_WORDS].size_B,
                                         .code_size_B = fixed->code_size_B,
                                         .immediates = (uint32_t *)(uintptr_t)parts[PART_IMMEDIATES].bytes,
                                         .num_immediates = parts[PART_IMMEDIATES].size_B / 4,
                                         .config = fixed->config,
                                         .ir_text = (char *)(uintptr_t)parts[PART_IR_TEXT].bytes,
                                         .disassembly = (char *)(uintptr_t)parts[PART_DISASSEMBLY].bytes};
    return true;
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

VkResult adreno_shader_load(struct vk_device *base, struct vk_shader *vk)
{
    struct adreno_device *device = adreno_device_of(base);
    struct adreno_shader *shader = adreno_shader_of(vk);
    if (!unpack(vk->code, &shader->binary))
        return VK_ERROR_UNKNOWN;
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

void adreno_shader_unload(struct vk_device *device, struct vk_shader *vk)
{
    vk_code_memory_free(&adreno_device_of(device)->code_memory, &adreno_shader_of(vk)->place);
}

/* ---- the compiler ---- */

static VkResult compile(struct adreno_device *device, struct ir_shader *ir,
                        const struct adreno_compile_options *options, VkShaderStageFlagBits stage,
                        const uint8_t key[VK_HASH_SIZE_B], struct vk_code **code_out)
{
    struct adreno_compile_options all = *options;
    all.chip = device->chip;
    all.keep_text |= debug_enabled(DEBUG_SHADERS) || debug_enabled(DEBUG_HANG);
    struct adreno_binary binary;
    char error[256];
    if (!adreno_compile(ir, &all, &binary, error)) {
        vk_device_error(&device->vk, NULL, "a shader cannot be compiled: %s", error);
        return VK_ERROR_UNKNOWN;
    }
    *code_out = pack(device, &binary, stage, key);
    adreno_binary_finish(&binary);
    return *code_out ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* ---- samplers that convert ---- */

static struct ir_value *plane_image(struct ir_builder *b, const struct vk_ycbcr_element *element, unsigned plane)
{
    return ir_resource(b, ir_const(b, 32, element->index), element->set,
                       adreno_plane_binding(element->layout, element->binding, plane), IR_RESOURCE_sampled_image);
}

static struct ir_value *plane_sampler(struct ir_builder *b, const struct vk_ycbcr_element *element)
{
    return plane_image(b, element, 0);
}

static const struct vk_ycbcr_ops ycbcr_ops = {plane_image, plane_sampler};

VkResult adreno_shader_compile_stage(struct adreno_device *device, const struct vk_stage_job *job,
                                     const struct adreno_stage_options *stage, struct vk_code **code_out)
{
    struct adreno_compiler_layouts layouts;
    VkResult result = adreno_layouts_for_compiler(device, job->set_layouts, job->set_layout_count, &layouts);
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
        result = compile(device, job->ir, &options, job->stage, job->key, code_out);
    adreno_compiler_layouts_finish(device, &layouts);
    return result;
}

VkResult adreno_shader_compile_internal(struct adreno_device *device, struct ir_shader *ir,
                                        const struct adreno_compile_options *options, struct adreno_shader **shader_out)
{
    static const uint8_t no_key[VK_HASH_SIZE_B];
    static const VkShaderStageFlagBits stages[] = {[IR_STAGE_compute] = VK_SHADER_STAGE_COMPUTE_BIT,
                                                   [IR_STAGE_vertex] = VK_SHADER_STAGE_VERTEX_BIT,
                                                   [IR_STAGE_fragment] = VK_SHADER_STAGE_FRAGMENT_BIT};
    struct vk_code *code;
    struct vk_shader *shader;
    VkResult result = compile(device, ir, options, stages[ir->stage], no_key, &code);
    if (result != VK_SUCCESS)
        return result;
    result = vk_shader_load(&device->vk, code, &shader);
    if (result != VK_SUCCESS) {
        vk_code_destroy(&device->vk, code);
        return result;
    }
    *shader_out = adreno_shader_of(shader);
    return VK_SUCCESS;
}

/* ---- VK_KHR_pipeline_executable_properties: one executable per shader ---- */

void adreno_shader_describe(const struct vk_shader *vk, struct vk_shader_report *report)
{
    const struct adreno_binary *binary = &((const struct adreno_shader *)vk)->binary;
    const VkShaderStageFlagBits stage = vk_shader_stage(vk);
    vk_report_executable(report, stage, binary->config.wave_size,
                         stage == VK_SHADER_STAGE_COMPUTE_BIT  ? "compute"
                         : stage == VK_SHADER_STAGE_VERTEX_BIT ? "vertex"
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
