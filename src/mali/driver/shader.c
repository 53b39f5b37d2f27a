/* From IR to code, and from code to a shader in GPU memory. */
#include "mali/driver/shader.h"

#include <string.h>

#include "compiler/ir/ir_builder.h"
#include "mali/driver/descriptor.h"
#include "mali/hw/descriptors.h"
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
    struct mali_shader_config config;
    uint32_t code_size_B;
};
static const struct record_field described_fields[] = {
    RECORD_STRUCT(struct described, config, &mali_config_record),
    RECORD_ANY(struct described, code_size_B),
};
static const struct record described_record = RECORD(struct described, described_fields);

enum part {
    PART_DESCRIBED,
    PART_WORDS,
    PART_IMMEDIATES,
    PART_IR_TEXT,
    PART_DISASSEMBLY,
    PARTS
};
#define TEXTS (PARTS - PART_IR_TEXT)

static struct vk_code *pack(struct mali_device *device, const struct mali_binary *binary, VkShaderStageFlagBits stage,
                            const uint8_t key[VK_HASH_SIZE_B])
{
    const struct described described = {binary->config, binary->code_size_B};
    uint8_t room[sizeof(described)];
    const struct vk_code_part parts[PARTS] = {[PART_DESCRIBED] = vk_code_record(&described_record, &described, room),
                                              [PART_WORDS] = {binary->words, binary->size_B},
                                              [PART_IMMEDIATES] = {binary->immediates, 4 * binary->num_immediates},
                                              [PART_IR_TEXT] = vk_code_text(binary->ir_text),
                                              [PART_DISASSEMBLY] = vk_code_text(binary->disassembly)};
    return vk_code_pack(&device->vk, stage, key, parts, PARTS);
}

/* The binary, whose words, numbers and texts are views of the code, which lives as long as the shader. NULL, or what is
 * wrong with it. */
static const char *unpack_binary(const struct vk_code *code, struct mali_binary *binary_out)
{
    struct vk_code_part parts[PARTS];
    struct described described;
    enum ir_stage stage;
    if (!vk_code_unpack(code, parts, PARTS, TEXTS) || !vk_ir_stage_of(code->stage, &stage))
        return "its parts";
    const char *wrong =
        record_read(&described_record, parts[PART_DESCRIBED].bytes, parts[PART_DESCRIBED].size_B, &described);
    if (wrong)
        return wrong;
    if (parts[PART_IMMEDIATES].size_B % 4)
        return "its numbers";
    *binary_out = (struct mali_binary){.words = (uint64_t *)(uintptr_t)parts[PART_WORDS].bytes,
                                       .size_B = parts[PART_WORDS].size_B,
                                       .code_size_B = described.code_size_B,
                                       .immediates = (uint32_t *)(uintptr_t)parts[PART_IMMEDIATES].bytes,
                                       .num_immediates = parts[PART_IMMEDIATES].size_B / 4,
                                       .config = described.config,
                                       .ir_text = (char *)(uintptr_t)parts[PART_IR_TEXT].bytes,
                                       .disassembly = (char *)(uintptr_t)parts[PART_DISASSEMBLY].bytes};
    return mali_binary_wrong(binary_out, stage);
}

/* ---- shaders: code in GPU memory, and everything that follows from it ---- */

/* After the code: what starts it. */
struct descriptors {
    uint32_t main[MALI_DESC_SHADER_PROGRAM_DW];
    uint32_t varying[MALI_DESC_SHADER_PROGRAM_DW];
    uint32_t storage[MALI_DESC_LOCAL_STORAGE_DW];
};
#define DESCRIPTOR_ALIGN_B 64

static void write_program(const struct mali_shader *shader, const struct mali_program *program,
                          enum mali_SHADER_STAGE stage, uint32_t *out)
{
    const struct mali_shader_config *config = &shader->binary.config;
    mali_pack_desc_SHADER_PROGRAM(
        out,
        &(const struct mali_desc_SHADER_PROGRAM){
            .TYPE = MALI_DESCRIPTOR_TYPE_SHADER,
            .STAGE = stage,
            .COVERAGE_BITMASK_GL = stage == MALI_SHADER_STAGE_FRAGMENT,
            .FLUSH_TO_ZERO_MODE = program->flushes_denormals ? MALI_FTZ_MODE_ALWAYS : MALI_FTZ_MODE_PRESERVE_SUBNORMALS,
            .REQUIRES_HELPER_THREADS = stage == MALI_SHADER_STAGE_FRAGMENT && config->fs.needs_helpers,
            .CONTAINS_JUMP_EX = program->has_jump,
            .REGISTER_ALLOCATION = program->registers <= 32 ? MALI_REGISTER_ALLOCATION_32_PER_THREAD
                                                            : MALI_REGISTER_ALLOCATION_64_PER_THREAD,
            .PRELOAD = program->preload,
            .BINARY = shader->va + program->offset_B,
        });
}

static enum mali_SHADER_STAGE stage_of(const struct vk_shader *vk)
{
    switch (vk_shader_stage(vk)) {
    case VK_SHADER_STAGE_VERTEX_BIT:
        return MALI_SHADER_STAGE_VERTEX;
    case VK_SHADER_STAGE_FRAGMENT_BIT:
        return MALI_SHADER_STAGE_FRAGMENT;
    default:
        return MALI_SHADER_STAGE_COMPUTE;
    }
}

static void print_shader(const struct mali_shader *shader)
{
    const struct mali_shader_config *config = &shader->binary.config;
    struct strbuf text = {0};
    strbuf_printf(&text,
                  "%s\n; %u bytes, %u registers, %u words of uniforms, %u bytes of a thread, %u of a workgroup\n",
                  shader->binary.disassembly ? shader->binary.disassembly : "", shader->binary.code_size_B,
                  config->main.registers, config->fau.words, config->private_size_B, config->local_size_B);
    if (text.text)
        log_text(text.text, text.length);
    strbuf_finish(&text);
}

VkResult mali_shader_load(struct vk_device *base, struct vk_shader *vk)
{
    struct mali_device *device = mali_device_of(base);
    struct mali_shader *shader = mali_shader_of(vk);
    struct mali_desc_LOCAL_STORAGE storage;
    VkResult result = vk_code_judge(base, unpack_binary(vk->code, &shader->binary));
    if (result != VK_SUCCESS)
        return result;
    const struct mali_shader_config *config = &shader->binary.config;
    const uint16_t *size = config->cs.workgroup_size;
    result = mali_storage(device, config->private_size_B, config->local_size_B, (uint32_t)size[0] * size[1] * size[2],
                          &storage);
    const uint32_t at_B = (uint32_t)align_u64(shader->binary.size_B, DESCRIPTOR_ALIGN_B);
    void *map;
    if (result == VK_SUCCESS)
        result = vk_code_memory_alloc(&device->code_memory, at_B + (uint32_t)sizeof(struct descriptors), &shader->place,
                                      &map);
    if (result != VK_SUCCESS)
        return result;
    memcpy(map, shader->binary.words, shader->binary.size_B);
    shader->va = shader->place.va;
    struct descriptors *descriptors = (void *)((uint8_t *)map + at_B);
    const uint64_t descriptors_va = shader->va + at_B;
    write_program(shader, &config->main, stage_of(vk), descriptors->main);
    shader->main_va = descriptors_va;
    if (config->varying.size_B) {
        write_program(shader, &config->varying, stage_of(vk), descriptors->varying);
        shader->varying_va = descriptors_va + offsetof(struct descriptors, varying);
    }
    mali_pack_desc_LOCAL_STORAGE(descriptors->storage, &storage);
    shader->storage_va = descriptors_va + offsetof(struct descriptors, storage);
    if (debug_enabled(DEBUG_SHADERS))
        print_shader(shader);
    return VK_SUCCESS;
}

void mali_shader_unload(struct vk_device *device, struct vk_shader *vk)
{
    vk_code_memory_free(&mali_device_of(device)->code_memory, &mali_shader_of(vk)->place);
}

/* ---- the compiler ---- */

static VkResult compile(struct mali_device *device, struct ir_shader *ir, const struct mali_compile_options *options,
                        VkShaderStageFlagBits stage, const uint8_t key[VK_HASH_SIZE_B], struct vk_code **code_out)
{
    struct mali_compile_options all = *options;
    all.keep_text |= debug_enabled(DEBUG_SHADERS) || debug_enabled(DEBUG_HANG);
    struct mali_binary binary;
    char error[256];
    if (!mali_compile(ir, &all, &binary, error)) {
        vk_device_error(&device->vk, NULL, "a shader cannot be compiled: %s", error);
        return vk_compile_error(error);
    }
    *code_out = pack(device, &binary, stage, key);
    mali_binary_finish(&binary);
    return *code_out ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* ---- samplers that convert ---- */

static struct ir_value *plane_resource(struct ir_builder *b, const struct vk_ycbcr_element *element, unsigned plane,
                                       uint32_t kind)
{
    return ir_resource(b, ir_const(b, 32, element->index), element->set,
                       vk_indexed_plane(element->layout, element->binding, plane), kind);
}

static struct ir_value *plane_image(struct ir_builder *b, const struct vk_ycbcr_element *element, unsigned plane)
{
    return plane_resource(b, element, plane, IR_RESOURCE_sampled_image);
}

static struct ir_value *plane_sampler(struct ir_builder *b, const struct vk_ycbcr_element *element)
{
    return plane_resource(b, element, 0, IR_RESOURCE_combined);
}

static const struct vk_ycbcr_ops ycbcr_ops = {plane_image, plane_sampler};

static enum mali_store_check store_check_of(const struct vk_robustness *robustness)
{
    switch (robustness->storage_buffers) {
    case VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DISABLED_EXT:
        return MALI_STORE_CHECK_FIRST;
    case VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_EXT:
        return MALI_STORE_CHECK_VECTORS;
    default:
        return MALI_STORE_CHECK_WORDS;
    }
}

static bool checks_loads(const struct vk_robustness *robustness)
{
    const VkPipelineRobustnessBufferBehaviorEXT most =
        VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2_EXT;
    return robustness->storage_buffers == most || robustness->uniform_buffers == most;
}

VkResult mali_shader_compile_stage(struct mali_device *device, const struct vk_stage_job *job,
                                   const struct mali_stage_options *stage, struct vk_code **code_out)
{
    struct vk_indexed_layouts layouts;
    VkResult result =
        vk_indexed_layouts_init(&device->vk, job->set_layouts, MIN2(job->set_layout_count, (uint32_t)MALI_MAX_SETS),
                                MALI_DRIVER_FREE, &layouts);
    if (result != VK_SUCCESS)
        return result;
    const struct mali_compile_options options = {
        .sets = layouts.sets,
        .num_sets = layouts.num_sets,
        .stage = stage,
        .store_check = store_check_of(&job->robustness),
        .checks_loads = checks_loads(&job->robustness),
        .has_workgroup_base = job->flags & VK_PIPELINE_CREATE_DISPATCH_BASE_BIT,
        .no_optimisation = job->flags & VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT,
        .keep_text = job->flags & VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR,
    };
    result = vk_lower_ycbcr(&device->vk, job, &ycbcr_ops);
    if (result == VK_SUCCESS)
        result = compile(device, job->ir, &options, job->stage, job->key, code_out);
    vk_indexed_layouts_finish(&device->vk, &layouts);
    return result;
}

VkResult mali_shader_compile_internal(struct mali_device *device, struct ir_shader *ir,
                                      const struct mali_compile_options *options, struct mali_shader **shader_out)
{
    struct vk_code *code;
    struct vk_shader *shader;
    VkResult result = compile(device, ir, options, vk_stage_of_ir(ir), vk_no_key, &code);
    if (result == VK_SUCCESS)
        result = vk_shader_take(&device->vk, code, &shader);
    if (result == VK_SUCCESS)
        *shader_out = mali_shader_of(shader);
    return result;
}

/* ---- VK_KHR_pipeline_executable_properties: one executable for each program ---- */

static void describe_program(const struct mali_binary *binary, const struct mali_program *program,
                             VkShaderStageFlagBits stage, const char *name, struct vk_shader_report *report)
{
    vk_report_executable(report, stage, MALI_SUBGROUP_SIZE, name, "machine code of Valhall");
    vk_report_figure(report, "Registers", "of a thread", program->registers);
    vk_report_figure(report, "Uniforms", "words of FAU", binary->config.fau.words);
    vk_report_figure(report, "Code size", "bytes of machine code", program->size_B);
    vk_report_figure(report, "Local size", "bytes of memory of a workgroup", binary->config.local_size_B);
    vk_report_figure(report, "Private size", "bytes of memory of a thread", binary->config.private_size_B);
    vk_report_text(report, "IR", binary->ir_text);
    vk_report_text(report, "Assembly", binary->disassembly);
}

void mali_shader_describe(const struct vk_shader *vk, struct vk_shader_report *report)
{
    const struct mali_binary *binary = &((const struct mali_shader *)vk)->binary;
    const VkShaderStageFlagBits stage = vk_shader_stage(vk);
    describe_program(binary, &binary->config.main, stage,
                     stage == VK_SHADER_STAGE_COMPUTE_BIT  ? "compute"
                     : stage == VK_SHADER_STAGE_VERTEX_BIT ? "positions"
                                                           : "fragment",
                     report);
    if (binary->config.varying.size_B)
        describe_program(binary, &binary->config.varying, stage, "varyings", report);
}
