/* `tuff compile` for Adreno: what a driver would know, made up from the shader; code and figures. */
#include "adreno/compiler/compiler.h"
#include "adreno/hw/chip.h"
#include "tools/compile.h"
#include "util/arena.h"
#include "util/bits.h"

struct world {
    struct arena arena;
    struct adreno_set_layout sets[ADRENO_MAX_SETS];
};

/* One descriptor after the other, in the order of the bindings' numbers. */
static bool make_layouts(struct world *world, const struct ir_shader *shader)
{
    for (uint32_t set = 0; set < ADRENO_MAX_SETS; set++) {
        uint32_t count = 0, next = 0;
        for (uint32_t i = 0; i < shader->num_resources; i++) {
            if (shader->resources[i].set == set)
                count = MAX2(count, shader->resources[i].binding + 1);
        }
        if (!count || count > 65536)
            continue;
        struct adreno_binding_layout *bindings = arena_zalloc_array(&world->arena, count, sizeof(*bindings));
        if (!bindings)
            return false;
        for (uint32_t i = 0; i < shader->num_resources; i++) {
            const struct ir_resource *resource = &shader->resources[i];
            if (resource->set != set)
                continue;
            const bool is_combined = resource->kind == IR_RESOURCE_combined; /* its sampler follows the image */
            bindings[resource->binding] =
                (struct adreno_binding_layout){.index = next, .stride = 1u + is_combined, .sampler = is_combined};
            next += MAX2(resource->count, 1u) * (1u + is_combined);
        }
        world->sets[set] = (struct adreno_set_layout){bindings, count};
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
