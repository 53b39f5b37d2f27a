/* `tuff compile`: a SPIR-V module (or a shader in the IR's own text) to machine code, as the driver would compile it,
 * with its disassembly and figures. What the driver knows of a pipeline — layouts, formats — is made up from the shader
 * itself. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "amd/compiler/compiler.h"
#include "amd/compiler/mir.h"
#include "compiler/spirv/spirv.h"
#include "tools/tool.h"
#include "util/arena.h"
#include "util/bits.h"
#include "util/file.h"

#define MAX_SETS 32

struct options {
    enum isa_gfx gfx;
    unsigned wave_size;
    const char *entry;
    int stage; /* -1: the first that fits */
    bool show_ir, only_figures, plain, legacy;
};

static const char *const stage_names[] = {
#define X(n) #n,
    IR_STAGES(X)
#undef X
};

static int set_stage(struct options *options, const char *name)
{
    for (unsigned i = 0; i < ARRAY_SIZE(stage_names); i++) {
        if (strcmp(name, stage_names[i]) == 0) {
            options->stage = (int)i;
            return TOOL_OK;
        }
    }
    return tool_usage_error(&tool_compile, "no stage is called '%s'", name);
}

static int set_option(void *data, int option, const char *value)
{
    struct options *options = data;
    switch (option) {
    case 'g':
        if (!amd_isa_gfx_from_name(value, &options->gfx) || options->gfx != ISA_GFX10_3)
            return tool_usage_error(&tool_compile, "there is no compiler for '%s'; there is one for %s", value,
                                    amd_isa_gfx_name(ISA_GFX10_3));
        break;
    case 'e':
        options->entry = value;
        break;
    case 's':
        return set_stage(options, value);
    case '3':
        options->wave_size = 32;
        break;
    case '6':
        options->wave_size = 64;
        break;
    case 'i':
        options->show_ir = true;
        break;
    case 'f':
        options->only_figures = true;
        break;
    case 'n':
        options->plain = true;
        break;
    case 'l':
        options->legacy = true;
        break;
    }
    return TOOL_OK;
}

static const struct option long_options[] = {
    {"gpu", required_argument, NULL, 'g'},   {"entry", required_argument, NULL, 'e'},
    {"stage", required_argument, NULL, 's'}, {"wave32", no_argument, NULL, '3'},
    {"wave64", no_argument, NULL, '6'},      {"ir", no_argument, NULL, 'i'},
    {"figures", no_argument, NULL, 'f'},     {"no-optimisation", no_argument, NULL, 'n'},
    {"legacy-vs", no_argument, NULL, 'l'},   {0},
};

/* ---- reading ---- */

static struct ir_shader *read_text(const char *data, size_t size_B)
{
    char error[256], *text = malloc(size_B + 1);
    if (!text)
        return NULL;
    memcpy(text, data, size_B);
    text[size_B] = '\0';
    struct ir_shader *shader = ir_parse(text, error);
    if (!shader)
        tool_error(&tool_compile, "%s", error);
    free(text);
    return shader;
}

/* The stage of the first entry point of that name (NULL: "main"), so that a module that is refused is refused for its
 * own reason; -1 where there is none. Execution models are numbered as the stages of the pipeline, compute last. */
static int find_stage(const uint32_t *words, size_t count, const char *entry)
{
    static const enum ir_stage stages[] = {IR_STAGE_vertex,   IR_STAGE_tess_control, IR_STAGE_tess_eval,
                                           IR_STAGE_geometry, IR_STAGE_fragment,     IR_STAGE_compute};
    enum {
        HEADER_DW = 5,
        OP_ENTRY_POINT = 15
    };
    for (size_t at = HEADER_DW; at < count;) {
        size_t length = words[at] >> 16;
        if (length == 0 || length > count - at)
            break;
        const char *name = (const char *)&words[at + 3];
        if ((words[at] & 0xffff) == OP_ENTRY_POINT && length > 3 && words[at + 1] < ARRAY_SIZE(stages) &&
            strncmp(name, entry ? entry : "main", (length - 3) * 4) == 0)
            return (int)stages[words[at + 1]];
        at += length;
    }
    return -1;
}

static struct ir_shader *read_module(const char *data, size_t size_B, const struct options *options)
{
    struct spirv_error error = {.text = ""};
    const uint32_t *words = (const uint32_t *)data;
    int stage = options->stage >= 0 ? options->stage : find_stage(words, size_B / 4, options->entry);
    struct spirv_options spirv = {.stage = stage >= 0 ? (enum ir_stage)stage : IR_STAGE_compute,
                                  .entry = options->entry};
    struct ir_shader *shader = spirv_to_ir(words, size_B / 4, &spirv, &error);
    if (!shader)
        tool_error(&tool_compile, "word %u: %s", error.word, error.text);
    return shader;
}

/* ---- what a driver would know ---- */

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
static void make_stage(struct world *world, const struct ir_shader *shader, const struct options *options)
{
    world->stage.vs.legacy = options->legacy;
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

static void print_figures(const struct amd_binary *binary)
{
    const struct amd_statistics *s = binary->statistics;
    printf("; SGPRs %u, VGPRs %u, spilled %u and %u, LDS %u B, scratch %u B, wave%u\n", s->sgprs, s->vgprs,
           s->spilled_sgprs, s->spilled_vgprs, s->lds_size_B, s->scratch_size_B, binary->config.wave_size);
    printf("; code %u B, instructions %u: VALU %u, SALU %u, VMEM %u in %u clauses, SMEM %u in %u, branches %u, copies "
           "%u\n",
           s->code_size_B, s->instructions, s->valu, s->salu, s->vmem, s->vmem_clauses, s->smem, s->smem_clauses,
           s->branches, s->copies);
    printf("; latency %u, inverse throughput %u, subgroups per SIMD %u\n", s->latency, s->inverse_throughput,
           s->subgroups_per_simd);
}

static int run(int argc, char **argv)
{
    struct options options = {.gfx = ISA_GFX10_3, .wave_size = 64, .stage = -1};
    const char *path;
    int exit_code = tool_options(&tool_compile, argc, argv, long_options, set_option, &options, &path);
    if (exit_code != TOOL_OK)
        return exit_code;
    char *data, error[256];
    size_t size_B;
    if (file_read(path, &data, &size_B) != 0) {
        tool_error(&tool_compile, "%s cannot be read", path);
        return TOOL_FAILED;
    }
    bool is_text = size_B >= 6 && memcmp(data, "shader", 6) == 0;
    struct ir_shader *shader = is_text ? read_text(data, size_B) : read_module(data, size_B, &options);
    free(data);
    if (!shader)
        return TOOL_FAILED;

    struct world world = {.arena = {0}};
    struct amd_binary binary;
    bool ok = make_layouts(&world, shader);
    make_stage(&world, shader, &options);
    struct amd_compile_options compile = {
        .gfx = options.gfx,
        .wave_size = (uint8_t)(shader->subgroup_size ? shader->subgroup_size : options.wave_size),
        .address32_hi = 0xffff8000,
        .sets = world.sets,
        .num_sets = MAX_SETS,
        .no_optimisation = options.plain,
        .keep_text = !options.only_figures,
        .stage = &world.stage,
    };
    ok = ok && amd_compile(shader, &compile, &binary, error);
    if (ok) {
        if (options.show_ir && binary.ir_text)
            fputs(binary.ir_text, stdout);
        fputs(binary.disassembly ? binary.disassembly : "", stdout);
        print_figures(&binary);
        amd_binary_finish(&binary);
    } else {
        tool_error(&tool_compile, "%s: %s", path, error);
    }
    arena_finish(&world.arena);
    ir_shader_destroy(shader);
    return ok ? tool_finish_output(&tool_compile) : TOOL_FAILED;
}

const struct tool_command tool_compile = {
    .name = "compile",
    .summary = "compile a shader and print its code and figures",
    .usage = "usage: tuff compile [OPTION]... FILE\n\n"
             "FILE is a SPIR-V module, or a shader as --ir prints it.\n\n"
             "  --gpu NAME          a model whose GPU there is a compiler for\n"
             "  --entry NAME        the entry point (main)\n"
             "  --stage NAME        compute, vertex, fragment; without it, the first that the module has\n"
             "  --wave32, --wave64  lanes of a wave (64)\n"
             "  --legacy-vs         a vertex shader for the old pipeline instead of NGG\n"
             "  --no-optimisation   leave out what correctness does not need\n"
             "  --ir                print the shader between passes, too\n"
             "  --figures           print the figures alone\n",
    .run = run,
    .lists_models = true,
};
