/* Memory of the visibility streams, which all passes of the device share: they follow each other. What does not fit
 * counts as visible, so a size that serves most passes will do to begin with. A binning pass that overflows says so in
 * a word of the device, and what is recorded later has longer streams; what was recorded before keeps its own. */
#include <stdatomic.h>

#include "adreno/driver/cmd.h"
#include "adreno/driver/memory.h"
#include "adreno/hw/regs_vsc.h"
#include "util/bits.h"

#define FIRST_PRIM_B 0x4000u /* of a pipe */
#define FIRST_DRAW_B 0x1000u
#define MAX_PRIM_B 0x100000u
#define MAX_DRAW_B 0x40000u

/* ---- the CPU's side ---- */

static bool create_streams(struct adreno_device *device, uint32_t prim_B, uint32_t draw_B,
                           struct adreno_visibility *out)
{
    const uint32_t pipes = device->chip->vsc_pipes;
    struct adreno_visibility v = {.prim_pitch_B = prim_B + ADRENO_VISIBILITY_PAD_B,
                                  .draw_pitch_B = draw_B + ADRENO_VISIBILITY_PAD_B};
    v.draw_at_B = pipes * v.prim_pitch_B;
    v.size_at_B = v.draw_at_B + pipes * v.draw_pitch_B;
    if (adreno_mapped_bo_create(device, align_u64(v.size_at_B + 4 * pipes, 4096), MSM_BO_WC, &v.bo) != VK_SUCCESS)
        return false;
    *out = v;
    return true;
}

/* Twice as long, if a stream of this length was too short. Words that were written for shorter ones say nothing. */
static uint32_t next_length_B(uint32_t length_B, uint32_t overflown_B, uint32_t max_B)
{
    return overflown_B >= length_B ? MIN2(length_B * 2, max_B) : length_B;
}

static void grow_streams(struct adreno_device *device)
{
    _Atomic uint32_t *words = (_Atomic uint32_t *)((char *)device->words->vk.map + ADRENO_WORD_VISIBILITY);
    struct adreno_visibility *v = &device->visibility, larger;
    const uint32_t prim_B = v->prim_pitch_B - ADRENO_VISIBILITY_PAD_B;
    const uint32_t draw_B = v->draw_pitch_B - ADRENO_VISIBILITY_PAD_B;
    const uint32_t next_prim_B = next_length_B(prim_B, atomic_load(&words[0]), MAX_PRIM_B);
    const uint32_t next_draw_B = next_length_B(draw_B, atomic_load(&words[1]), MAX_DRAW_B);
    if ((next_prim_B == prim_B && next_draw_B == draw_B) || device->num_old_visibility == ADRENO_MAX_VISIBILITY ||
        !create_streams(device, next_prim_B, next_draw_B, &larger))
        return;
    device->old_visibility[device->num_old_visibility++] = v->bo;
    *v = larger;
}

bool adreno_visibility(struct adreno_device *device, struct adreno_visibility *out)
{
    struct adreno_visibility *v = &device->visibility;
    pthread_mutex_lock(&device->private_lock);
    if (v->bo)
        grow_streams(device);
    else if (!create_streams(device, FIRST_PRIM_B, FIRST_DRAW_B, v))
        v->bo = NULL;
    *out = *v;
    pthread_mutex_unlock(&device->private_lock);
    return out->bo != NULL;
}

void adreno_visibility_finish(struct adreno_device *device)
{
    adreno_bo_unref(device->visibility.bo);
    for (unsigned i = 0; i < device->num_old_visibility; i++)
        adreno_bo_unref(device->old_visibility[i]);
}

/* ---- the GPU's side ---- */

static void note_overflow(struct adreno_cs *cs, uint32_t reg, uint32_t length_B, uint64_t va)
{
    ADRENO_PACKET(cs, CP_COND_WRITE5, .FUNCTION = ADRENO_COND_FUNCTION_GT, .POLL = ADRENO_POLL_REGISTER,
                  .WRITE_MEMORY = true, .POLL_ADDR = reg, .REF = length_B, .MASK = UINT32_MAX, .WRITE_ADDR = va,
                  .WRITE_DATA = length_B);
}

void adreno_emit_overflow(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs,
                          const struct adreno_visibility *visibility)
{
    const struct adreno_tiles *tiles = &cmd->graphics.pass.tiles;
    const uint64_t va = adreno_word_va(cmd->device, ADRENO_WORD_VISIBILITY);
    for (uint32_t i = 0; i < tiles->pipe_columns * tiles->pipe_rows; i++) {
        adreno_cs_reserve(cs, 2 * ADRENO_PKT_CP_COND_WRITE5_DW);
        note_overflow(cs, ADRENO_REG_VSC_PIPE_DATA_PRIM_SIZE + i, visibility->prim_pitch_B - ADRENO_VISIBILITY_PAD_B,
                      va);
        note_overflow(cs, ADRENO_REG_VSC_PIPE_DATA_DRAW_SIZE + i, visibility->draw_pitch_B - ADRENO_VISIBILITY_PAD_B,
                      va + 4);
    }
}
