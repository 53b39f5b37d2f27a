/* Inputs of every shader of a recording beside its resource tables (descriptor.h): uniforms (FAU), in the
 * recording's memory. */
#ifndef MALI_DRIVER_UNIFORMS_H
#define MALI_DRIVER_UNIFORMS_H

#include "mali/driver/cmd.h"

/* Values of system values, by number: as many words as mali_sysval_words says. Those that depend on the shader or on
 * the push constants alone are filled in here. */
struct mali_sysvals {
    uint32_t words[MALI_SYSVAL_COUNT][4];
};

/* The uniforms of a program: push constants, system values, immediates. `value` is what the FAU register holds; 0:
 * none, or no memory, which the command buffer remembers. */
struct mali_uniforms {
    uint64_t value, va;
    uint32_t *map;
};
struct mali_uniforms mali_cmd_uniforms(struct mali_cmd_buffer *cmd, const struct mali_shader *shader,
                                       struct mali_sysvals *sysvals);

/* Uniforms in two steps, for who changes some words and uploads all of them again: `words` has room for
 * MALI_FAU_WORDS_MAX of them. */
void mali_fill_uniforms(struct mali_cmd_buffer *cmd, const struct mali_shader *shader, struct mali_sysvals *sysvals,
                        uint32_t *words);
struct mali_uniforms mali_upload_uniforms(struct mali_cmd_buffer *cmd, const struct mali_shader *shader,
                                          const uint32_t *words);

static inline bool mali_reads_push_constants(const struct mali_shader *shader)
{
    const struct mali_fau_layout *layout = &shader->binary.config.fau;
    return layout->push_words || layout->sysval[MALI_SYSVAL_PUSH_ADDRESS] != MALI_FAU_UNUSED;
}

#endif
