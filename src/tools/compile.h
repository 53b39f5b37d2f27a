/* `tuff compile` by family: what it is asked for, and how a family answers. */
#ifndef TOOLS_COMPILE_H
#define TOOLS_COMPILE_H

#include "compiler/ir/ir.h"
#include "tools/tool.h"

struct compile_options {
    const char *gpu;
    unsigned generation; /* as the family's `find` gave it */
    unsigned wave_size;
    const char *entry;
    int stage; /* -1: the first that fits */
    bool show_ir, only_figures, is_plain, is_legacy_vs, is_json;
    const char *path;
};

struct compile_figure {
    const char *name; /* as --json has it */
    uint32_t value;
};

/* A shader in machine code, as a family's compiler tells of it. */
struct compile_result {
    const char *ir, *code; /* NULL: not kept */
    const char *figures_text;
    const struct compile_figure *figures;
    unsigned figure_count;
};

/* To standard output, as text or as JSON. */
void tool_print_compiled(const struct ir_shader *shader, const struct compile_options *options,
                         const struct compile_result *result);

/* The family's half: what the driver knows of a pipeline — layouts, formats — is made up from the shader itself; the
 * code and its figures are printed. False with the reason in `error`. */
bool tool_amd_can_compile(const char *gpu, unsigned *generation_out);
bool tool_amd_compile(struct ir_shader *shader, const struct compile_options *options, char error[256]);
bool tool_adreno_can_compile(const char *gpu, unsigned *generation_out);
bool tool_adreno_compile(struct ir_shader *shader, const struct compile_options *options, char error[256]);
bool tool_mali_can_compile(const char *gpu, unsigned *generation_out);
bool tool_mali_compile(struct ir_shader *shader, const struct compile_options *options, char error[256]);

/* Layouts of descriptor sets, counted in descriptors: one after the other, in the order in which the shader lists them;
 * the sampler of a combined one follows its image. */
struct arena;
struct ir_set_layout;
/* False: out of memory. */
bool tool_make_layouts(struct arena *arena, const struct ir_shader *shader, struct ir_set_layout *sets_out,
                       uint32_t num_sets);

#endif
