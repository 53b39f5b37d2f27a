/* `tuff compile` for Adreno: what a driver would know, made up from the shader; code and figures. */
#include "adreno/compiler/compiler.h"
#include "adreno/hw/chip.h"
#include "tools/compile.h"
#include "util/arena.h"

struct world {
    struct arena arena;
    struct adreno_set_layout sets[ADRENO_MAX_SETS];
};

static bool make_layouts(struct world *world, const struct ir_shader *shader)
{
    struct tool_set sets[ADRENO_MAX_SETS];
    if (!tool_make_layouts(&world->arena, shader, sets, ADRENO_MAX_SETS))
        return false;
    for (uint32_t set = 0; set < ADRENO_MAX_SETS; set++) {
        struct adreno_binding_layout *bindings =
            arena_zalloc_array(&world->arena, sets[set].count + 1, sizeof(*bindings));
        if (!bindings)
            return false;
        for (uint32_t i = 0; i < sets[set].count; i++) {
            const struct tool_binding *from = &sets[set].bindings[i];
            bindings[i] = (struct adreno_binding_layout){
                .index = from->index, .stride = from->stride, .sampler = from->is_combined};
        }
        world->sets[set] = (struct adreno_set_layout){bindings, sets[set].count};
    }
    return true;
}

static void print_figures(const struct adreno_binary *binary)
{
    const struct adreno_shader_config *config = &binary->config;
    printf("; registers %u, constants %u, local memory %u B, private memory %u B, code %u B\n", config->full_registers,
           config->constants, config->local_size_B, config->private_size_B, binary->code_size_B);
}

bool tool_adreno_can_compile(const char *gpu, unsigned *generation_out)
{
    *generation_out = 6;
    return adreno_chip_find(gpu) != NULL;
}

bool tool_adreno_compile(struct ir_shader *shader, const struct compile_options *options, char error[256])
{
    struct world world = {.arena = {0}};
    struct adreno_binary binary;
    snprintf(error, 256, "out of memory");
    const struct adreno_compile_options compile = {.chip = adreno_chip_find(options->gpu),
                                                   .sets = world.sets,
                                                   .num_sets = ADRENO_MAX_SETS,
                                                   .no_optimisation = options->is_plain,
                                                   .keep_text = !options->only_figures};
    const bool ok = make_layouts(&world, shader) && adreno_compile(shader, &compile, &binary, error);
    if (ok) {
        if (options->show_ir && binary.ir_text)
            fputs(binary.ir_text, stdout);
        fputs(binary.disassembly ? binary.disassembly : "", stdout);
        print_figures(&binary);
        adreno_binary_finish(&binary);
    }
    arena_finish(&world.arena);
    return ok;
}
