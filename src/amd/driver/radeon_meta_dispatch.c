/* Dispatches of the driver's own, with descriptors and constants of the moment. */
#include "amd/driver/radeon_meta.h"

#include <string.h>

void radeon_meta_begin(struct radeon_cmd_buffer *cmd)
{
    cmd->meta_depth++;
    if (cmd->queries.statistics_active && cmd->meta_depth == 1) {
        cmd->due &= ~(uint32_t)RADEON_STATISTICS_ON; /* they stand still since the last operation of ours */
        cmd->due |= RADEON_STATISTICS_OFF;
    }
}

void radeon_meta_end(struct radeon_cmd_buffer *cmd)
{
    cmd->meta_depth--;
    if (cmd->queries.statistics_active && cmd->meta_depth == 0) {
        cmd->due &= ~(uint32_t)RADEON_STATISTICS_OFF; /* nothing was drawn */
        cmd->due |= RADEON_STATISTICS_ON;
    }
}

void radeon_meta_dispatch(struct radeon_cmd_buffer *cmd, const struct vk_shader *base_shader,
                          const uint32_t (*descriptors)[8], uint32_t num_descriptors, const void *push,
                          uint32_t push_size_B, const uint32_t groups[3])
{
    if (!base_shader || !groups[0] || !groups[1] || !groups[2])
        return;
    struct vk_bindings *bindings = &cmd->vk.rec->bindings[VK_BIND_COMPUTE];
    uint64_t set_va = 0;
    uint32_t *set = num_descriptors ? radeon_cmd_upload(cmd, num_descriptors * RADEON_META_DESCRIPTOR_B,
                                                        RADEON_META_DESCRIPTOR_B, &set_va)
                                    : NULL;
    if (num_descriptors && !set)
        return;
    if (set)
        memcpy(set, descriptors, num_descriptors * RADEON_META_DESCRIPTOR_B);

    /* The application's bindings come back after the dispatch; their registers are written again. */
    const struct radeon_shader *old_shader = cmd->compute_shader;
    struct vk_bindings_saved saved;
    uint8_t old_push[RADEON_MAX_PUSH_B];
    memcpy(old_push, cmd->push_constants, sizeof(old_push));
    vk_bindings_save(bindings, &saved);

    radeon_meta_begin(cmd);
    vk_bindings_set_own(bindings, set_va);
    memcpy(cmd->push_constants, push, push_size_B);
    radeon_bind_compute_shader(cmd, (const struct radeon_shader *)base_shader);
    cmd->compute_dirty = true;
    radeon_dispatch_internal(cmd, groups[0], groups[1], groups[2]);
    radeon_meta_end(cmd);

    memcpy(cmd->push_constants, old_push, sizeof(old_push));
    vk_bindings_restore(bindings, &saved);
    bindings->dirty = bindings->valid;
    cmd->compute_shader = old_shader;
    cmd->compute_dirty = old_shader;
}
