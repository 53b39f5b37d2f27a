/* `tuff compile` for Mali: what a driver would know, made up from the shader; code and figures. */
#include "mali/compiler/compiler.h"
#include "mali/hw/chip.h"
#include "tools/compile.h"
#include "util/arena.h"
#include "util/bits.h"

struct world {
    struct arena arena;
    struct ir_set_layout sets[MALI_MAX_SETS];
};

static void print_result(const struct ir_shader *shader, const struct compile_options *options,
                         const struct mali_binary *binary)
{
    const struct mali_shader_config *config = &binary->config;
    const struct compile_figure figures[] = {
        {"registers", config->main.registers}, {"uniforms", config->fau.words},
        {"local_bytes", config->local_size_B}, {"private_bytes", config->private_size_B},
        {"code_bytes", binary->code_size_B},
    };
    char text[256];
    snprintf(text, sizeof(text), "; registers %u, uniforms %u, local memory %u B, private memory %u B, code %u B\n",
             config->main.registers, config->fau.words, config->local_size_B, config->private_size_B,
             binary->code_size_B);
    tool_print_compiled(shader, options,
                        &(struct compile_result){.ir = binary->ir_text,
                                                 .code = binary->disassembly,
                                                 .figures_text = text,
                                                 .figures = figures,
                                                 .figure_count = ARRAY_SIZE(figures)});
}

bool tool_mali_can_compile(const char *gpu, unsigned *generation_out)
{
    *generation_out = 10;
    return mali_chip_find(gpu) != NULL;
}

bool tool_mali_compile(struct ir_shader *shader, const struct compile_options *options, char error[256])
{
    struct world world = {.arena = {0}};
    struct mali_binary binary;
    snprintf(error, 256, "out of memory");
    const struct mali_compile_options compile = {.sets = world.sets,
                                                 .num_sets = MALI_MAX_SETS,
                                                 .no_optimisation = options->is_plain,
                                                 .keep_text = !options->only_figures};
    const bool ok = tool_make_layouts(&world.arena, shader, world.sets, MALI_MAX_SETS) &&
                    mali_compile(shader, &compile, &binary, error);
    if (ok) {
        print_result(shader, options, &binary);
        mali_binary_finish(&binary);
    }
    arena_finish(&world.arena);
    return ok;
}
