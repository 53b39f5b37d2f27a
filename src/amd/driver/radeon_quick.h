/* Words that binds note and the draw after them writes, made ready by pipelines: in line, for
 * radeon_graphics_pipeline.c, radeon_draw.c and radeon_state.c alone. */
#ifndef AMD_DRIVER_RADEON_QUICK_H
#define AMD_DRIVER_RADEON_QUICK_H

#include "amd/driver/radeon_cmd.h"

/* ---- rows of dynamic state ---- */

/* The rows of a pipeline besides those that are baked: mostly these alone. */
#define RADEON_FEW_ROWS (VK_DYN(PRIMITIVE_RESTART) | VK_DYN(SAMPLES))

/* A vk_dynamic_graphics_state_bind for pipelines without other rows. False: nothing was done. */
static inline bool radeon_bind_rows(struct vk_dynamic_graphics_state *dst, const struct vk_dynamic_graphics_state *src,
                                    uint64_t left)
{
    const uint64_t rows = src->set & ~left,
                   differ = (dst->ia.primitive_restart != src->ia.primitive_restart ? VK_DYN(PRIMITIVE_RESTART) : 0) |
                            (dst->ms.samples != src->ms.samples ? VK_DYN(SAMPLES) : 0);
    if (rows & ~RADEON_FEW_ROWS || dst->pending_stride_mask)
        return false;
    const uint64_t changed = rows & (~dst->set | differ);
    if (__builtin_expect(changed != 0, 0)) {
        if (changed & VK_DYN(PRIMITIVE_RESTART))
            dst->ia.primitive_restart = src->ia.primitive_restart;
        if (changed & VK_DYN(SAMPLES))
            dst->ms.samples = src->ms.samples;
    }
    dst->set = (dst->set | rows) & ~left;
    dst->dirty = (dst->dirty | changed) & ~left;
    dst->fixed = src->fixed;
    return true;
}

/* ---- registers: steps (radeon_step.c) ---- */

/* Words copied at a time, whatever is in the last ones: calling memcpy takes longer than a step. */
#define RADEON_STEP_COPY_DW 16
#define RADEON_WHOLE_COPY_DW 32
static_assert(RADEON_STEP_MAX_DW % RADEON_STEP_COPY_DW == 0, "the last copy stays inside");

/* Room for `count_dw` rounded up is reserved. `at_once_dw` is a constant. */
static inline void radeon_copy_words(struct radeon_cs *cs, const uint32_t *dw, uint32_t count_dw, uint32_t at_once_dw)
{
    uint32_t *to_dw = cs->dw;
    cs->dw += count_dw;
    for (const uint32_t *end = dw + count_dw; dw < end; dw += at_once_dw, to_dw += at_once_dw)
        memcpy(to_dw, dw, at_once_dw * sizeof(*dw));
}

/* All blocks of the pipeline, where the registers have those of another and the step is known; room is reserved. False:
 * nothing was done. No call: draws save no registers then. */
static inline bool radeon_emit_step(struct radeon_cmd_buffer *cmd)
{
    struct radeon_graphics_state *graphics = cmd->graphics;
    const struct radeon_graphics_pipeline *from = graphics->settled, *to = graphics->baked;
    struct radeon_steps *steps = ((struct radeon_cmd_pool *)cmd->vk.pool)->steps;
    if (!from || graphics->unbaked || !steps)
        return false;
    const struct radeon_step *step = radeon_step_at(steps, from, to);
    if (__builtin_expect(step->from != from->serial || step->to != to->serial || step->count_dw == RADEON_STEP_WHOLE, 0))
        return false;
    radeon_copy_words(&cmd->cs, step->dw, step->count_dw, RADEON_STEP_COPY_DW);
    graphics->settled = to;
    return true;
}

/* ---- user SGPRs: the plans that a pipeline has for its two stages (struct radeon_user_plan) ---- */

/* The most that both write. */
#define RADEON_PLANS_MAX_DW (2 * (3 * RADEON_PLAN_SETS + 2 + RADEON_PLAN_PUSH_DW))

#define RADEON_PACKET_AT(dw, name, ...) amd_pack_pkt_##name(RADEON_GFX, dw, &(const struct amd_pkt_##name){__VA_ARGS__})

/* From `dw` on, which is returned: a stream's own pointer would be in memory after each word. */
static inline uint32_t *radeon_emit_plan(uint32_t *dw, const struct radeon_cmd_buffer *cmd,
                                         const struct radeon_user_plan *plan, uint32_t sets, bool has_push)
{
    const uint64_t *set_va = cmd->vk.rec->bindings[VK_BIND_GRAPHICS].set_va;
    sets &= plan->sets;
    for (uint32_t set = 0; sets >> set; set++) {
        if (!(sets >> set & 1))
            continue;
        dw += RADEON_PACKET_AT(dw, SET_SH_REG, .REG_OFFSET = plan->set_reg[set], .tail_dw = 1);
        *dw++ = (uint32_t)set_va[set];
    }
    if (!has_push || !plan->push_count)
        return dw;
    dw += RADEON_PACKET_AT(dw, SET_SH_REG, .REG_OFFSET = plan->push_reg, .tail_dw = plan->push_count);
    /* Two words at a time: as the last of them were written, mostly, and not in the processor's cache yet. */
    const uint8_t *push = cmd->push_constants + 4u * plan->push_first;
    for (uint32_t i = 0; i < plan->push_count; i += 2)
        memcpy(dw + i, push + 4 * i, 8);
    return dw + plan->push_count;
}

/* Writes dirty user data, where the pipeline has plans; room is reserved. */
static inline void radeon_emit_plans(struct radeon_cmd_buffer *cmd)
{
    const struct radeon_graphics_pipeline *baked = cmd->graphics->baked;
    struct vk_bindings *bindings = &cmd->vk.rec->bindings[VK_BIND_GRAPHICS];
    const VkShaderStageFlags push = cmd->push_dirty & RADEON_GRAPHICS_STAGES;
    const uint32_t sets = bindings->dirty;
    uint32_t *dw = cmd->cs.dw;
    dw = radeon_emit_plan(dw, cmd, &baked->vertex_plan, sets, push & ~(VkShaderStageFlags)VK_SHADER_STAGE_FRAGMENT_BIT);
    dw = radeon_emit_plan(dw, cmd, &baked->fragment_plan, sets, push & VK_SHADER_STAGE_FRAGMENT_BIT);
    cmd->cs.dw = dw;
    bindings->dirty = 0;
    cmd->push_dirty &= ~RADEON_GRAPHICS_STAGES;
}

#endif
