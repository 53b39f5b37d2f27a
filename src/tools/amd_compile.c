/* `tuff compile` for Radeon: what a driver would know, made up from the shader; code and figures. */
#include "amd/compiler/compiler.h"
#include "amd/compiler/mir.h"
#include "tools/compile.h"
#include "util/arena.h"
#include "util/bits.h"

#define MAX_SETS 32

struct world {
    struct arena arena;
    struct amd_set_layout sets[MAX_SETS];
    struct amd_stage_options stage;
};

/* One after the other, in the order of their numbers; 64 bytes hold the longest descriptor and a sampler after it. */
static bool make_layouts(struct world *world, const struct ir_shader *shader)
{
    for (uint32_t set = 0; set < MAX_SETS; set++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < shader->num_resources; i++) {
            if (shader->resources[i].set == set)
                count = MAX2(count, shader->resources[i].binding + 1);
        }
        if (!count || count > 65536)
            continue;
        struct amd_binding_layout *bindings = arena_zalloc_array(&world->arena, count, sizeof(*bindings));
        if (!bindings)
            return false;
        uint32_t offset_B = 0;
        for (uint32_t binding = 0; binding < count; binding++) {
            for (uint32_t i = 0; i < shader->num_resources; i++) {
                const struct ir_resource *resource = &shader->resources[i];
                if (resource->set != set || resource->binding != binding)
                    continue;
                bool buffer =
                    resource->kind == IR_RESOURCE_uniform_buffer || resource->kind == IR_RESOURCE_storage_buffer;
                bindings[binding] = (struct amd_binding_layout){
                    .offset_B = offset_B, .stride_B = buffer ? 16 : 64, .sampler_offset_B = 32};
                offset_B += (buffer ? 16 : 64) * MAX2(resource->count, 1u);
            }
        }
        world->sets[set] = (struct amd_set_layout){bindings, count};
    }
    return true;
}

/* Attributes of 32-bit channels; colours in the export format that suits their type. */
static void make_stage(struct world *world, const struct ir_shader *shader, const struct compile_options *options)
{
    world->stage.vs.legacy = options->is_legacy_vs;
    for (uint32_t i = 0; shader->stage == IR_STAGE_vertex && i < shader->num_inputs; i++) {
        const struct ir_io_var *input = &shader->inputs[i];
        for (uint32_t n = 0; n < MAX2(input->num_locations, 1u); n++) {
            uint32_t at = input->location - IR_LOCATION_VAR0 + n;
            if (input->location < IR_LOCATION_VAR0 || at >= AMD_MAX_ATTRIBUTES)
                continue;
            static const uint8_t formats[3] = {
                [IR_BASE_float] = 77, [IR_BASE_int] = 76, [IR_BASE_uint] = 75}; /* 32_32_32_32 */
            world->stage.vs.attributes[at] = (struct amd_vertex_attribute){.present = true,
                                                                           .binding = (uint8_t)at,
                                                                           .channels = 4,
                                                                           .format = formats[input->base],
                                                                           .is_int = input->base != IR_BASE_float};
        }
    }
    for (uint32_t i = 0; shader->stage == IR_STAGE_fragment && i < shader->num_outputs; i++) {
        uint32_t at = shader->outputs[i].location - IR_LOCATION_VAR0;
        static const uint8_t formats[3] = {AMD_EXPORT_FP16_ABGR, AMD_EXPORT_SINT16_ABGR, AMD_EXPORT_UINT16_ABGR};
        if (shader->outputs[i].location >= IR_LOCATION_VAR0 && at < AMD_MAX_TARGETS)
            world->stage.fs.color_formats |= (uint32_t)formats[shader->outputs[i].base] << 4 * at;
        world->stage.fs.dual_source |= shader->outputs[i].dual_index != 0;
    }
}

static void print_result(const struct ir_shader *shader, const struct compile_options *options,
                         const struct amd_binary *binary)
{
    const struct amd_statistics *s = binary->statistics;
    const struct compile_figure figures[] = {
        {"wave_size", binary->config.wave_size},
        {"sgprs", s->sgprs},
        {"vgprs", s->vgprs},
        {"spilled_sgprs", s->spilled_sgprs},
        {"spilled_vgprs", s->spilled_vgprs},
        {"lds_bytes", s->lds_size_B},
        {"scratch_bytes", s->scratch_size_B},
        {"code_bytes", s->code_size_B},
        {"instructions", s->instructions},
        {"valu", s->valu},
        {"salu", s->salu},
        {"vmem", s->vmem},
        {"vmem_clauses", s->vmem_clauses},
        {"smem", s->smem},
        {"smem_clauses", s->smem_clauses},
        {"branches", s->branches},
        {"copies", s->copies},
        {"latency", s->latency},
        {"inverse_throughput", s->inverse_throughput},
        {"subgroups_per_simd", s->subgroups_per_simd},
    };
    char text[512];
    snprintf(text, sizeof(text),
             "; SGPRs %u, VGPRs %u, spilled %u and %u, LDS %u B, scratch %u B, wave%u\n"
             "; code %u B, instructions %u: VALU %u, SALU %u, VMEM %u in %u clauses, SMEM %u in %u, branches %u, "
             "copies %u\n"
             "; latency %u, inverse throughput %u, subgroups per SIMD %u\n",
             s->sgprs, s->vgprs, s->spilled_sgprs, s->spilled_vgprs, s->lds_size_B, s->scratch_size_B,
             binary->config.wave_size, s->code_size_B, s->instructions, s->valu, s->salu, s->vmem, s->vmem_clauses,
             s->smem, s->smem_clauses, s->branches, s->copies, s->latency, s->inverse_throughput,
             s->subgroups_per_simd);
    tool_print_compiled(shader, options,
                        &(struct compile_result){.ir = binary->ir_text,
                                                 .code = binary->disassembly,
                                                 .figures_text = text,
                                                 .figures = figures,
                                                 .figure_count = ARRAY_SIZE(figures)});
}

bool tool_amd_can_compile(const char *gpu, unsigned *generation_out)
{
    enum isa_gfx gfx;
    *generation_out = ISA_GFX10_3;
    return amd_isa_gfx_from_name(gpu, &gfx) && gfx == ISA_GFX10_3;
}

bool tool_amd_compile(struct ir_shader *shader, const struct compile_options *options, char error[256])
{
    struct world world = {.arena = {0}};
    struct amd_binary binary;
    snprintf(error, 256, "out of memory");
    bool ok = make_layouts(&world, shader);
    make_stage(&world, shader, options);
    struct amd_compile_options compile = {
        .gfx = (enum isa_gfx)options->generation,
        .wave_size = (uint8_t)(shader->subgroup_size ? shader->subgroup_size : options->wave_size),
        .address32_hi = 0xffff8000,
        .sets = world.sets,
        .num_sets = MAX_SETS,
        .no_optimisation = options->is_plain,
        .keep_text = !options->only_figures,
        .stage = &world.stage,
    };
    ok = ok && amd_compile(shader, &compile, &binary, error);
    if (ok) {
        print_result(shader, options, &binary);
        amd_binary_finish(&binary);
    }
    arena_finish(&world.arena);
    return ok;
}
