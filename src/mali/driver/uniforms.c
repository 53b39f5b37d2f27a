/* Uniforms. */
#include "mali/driver/uniforms.h"

#include <string.h>

#include "mali/hw/regs_compute.h"

enum {
    FAU_ALIGN_B = 8,
    PUSH_ALIGN_B = 16
};

static void set_address(struct mali_sysvals *sysvals, enum mali_sysval which, uint64_t va)
{
    sysvals->words[which][0] = (uint32_t)va;
    sysvals->words[which][1] = (uint32_t)(va >> 32);
}

/* Uniforms that are the same for all stages. */
static void fill_common(struct mali_cmd_buffer *cmd, const struct mali_shader *shader, struct mali_sysvals *sysvals)
{
    const struct mali_fau_layout *layout = &shader->binary.config.fau;
    if (layout->sysval[MALI_SYSVAL_DATA_ADDRESS] != MALI_FAU_UNUSED)
        set_address(sysvals, MALI_SYSVAL_DATA_ADDRESS, shader->va + shader->binary.code_size_B);
    if (layout->sysval[MALI_SYSVAL_PUSH_ADDRESS] == MALI_FAU_UNUSED)
        return;
    uint64_t va = 0;
    void *push = mali_cmd_upload(cmd, sizeof(cmd->push_constants), PUSH_ALIGN_B, &va);
    if (push)
        memcpy(push, cmd->push_constants, sizeof(cmd->push_constants));
    set_address(sysvals, MALI_SYSVAL_PUSH_ADDRESS, va);
}

void mali_fill_uniforms(struct mali_cmd_buffer *cmd, const struct mali_shader *shader, struct mali_sysvals *sysvals,
                        uint32_t *words)
{
    const struct mali_fau_layout *layout = &shader->binary.config.fau;
    fill_common(cmd, shader, sysvals);
    memcpy(words, cmd->push_constants + layout->push_offset_B, 4u * layout->push_words);
    for (int i = 0; i < MALI_SYSVAL_COUNT; i++) {
        if (layout->sysval[i] != MALI_FAU_UNUSED)
            memcpy(words + layout->sysval[i], sysvals->words[i], 4u * mali_sysval_words[i]);
    }
    if (shader->binary.num_immediates)
        memcpy(words + layout->first_immediate, shader->binary.immediates, 4u * shader->binary.num_immediates);
}

static struct mali_uniforms alloc_uniforms(struct mali_cmd_buffer *cmd, const struct mali_fau_layout *layout)
{
    struct mali_uniforms uniforms = {0};
    if (!layout->words)
        return uniforms;
    uniforms.map = mali_cmd_upload(cmd, 4u * layout->words, FAU_ALIGN_B, &uniforms.va);
    if (uniforms.map)
        uniforms.value = mali_pack_COMPUTE_FAU(
            &(const struct mali_COMPUTE_FAU){.ADDR = uniforms.va, .COUNT = (uint32_t)layout->words / 2});
    return uniforms;
}

struct mali_uniforms mali_upload_uniforms(struct mali_cmd_buffer *cmd, const struct mali_shader *shader,
                                          const uint32_t *words)
{
    const struct mali_uniforms uniforms = alloc_uniforms(cmd, &shader->binary.config.fau);
    if (uniforms.map)
        memcpy(uniforms.map, words, 4u * shader->binary.config.fau.words);
    return uniforms;
}

struct mali_uniforms mali_cmd_uniforms(struct mali_cmd_buffer *cmd, const struct mali_shader *shader,
                                       struct mali_sysvals *sysvals)
{
    const struct mali_uniforms uniforms = alloc_uniforms(cmd, &shader->binary.config.fau);
    if (uniforms.map)
        mali_fill_uniforms(cmd, shader, sysvals, uniforms.map);
    return uniforms;
}
