/* From one pipeline to another: those that an application draws with in turn differ in a few registers, mostly the
 * address of a shader, and only these are written. Which they are is found once for a pair of pipelines and kept with
 * the pool of the recording, which one thread has at a time. */
#include "amd/driver/radeon_cmd.h"

enum {
    WORTH_DW = 2,  /* equal values between others that cost no more than the packet that leaves them out */
    HEADER_DW = 2, /* of a packet: its header and the first register */
};

static bool sets_registers(uint32_t header)
{
    const uint32_t opcode = AMD_PKT3_OPCODE(header);
    return AMD_PKT_TYPE(header) == 3 &&
           (opcode == AMD_PKT_SET_CONTEXT_REG || opcode == AMD_PKT_SET_SH_REG || opcode == AMD_PKT_SET_UCONFIG_REG);
}

/* `count` values from `first` on of a packet. */
static bool add_run(struct radeon_step *step, const uint32_t *packet, uint32_t first, uint32_t count)
{
    if (step->count_dw + HEADER_DW + count > RADEON_STEP_MAX_DW)
        return false;
    uint32_t *dw = step->dw + step->count_dw;
    dw[0] = (packet[0] & ~(0x3fffu << 16)) | count << 16;
    dw[1] = packet[1] + first;
    memcpy(dw + HEADER_DW, packet + HEADER_DW + first, count * sizeof(*dw));
    step->count_dw += HEADER_DW + count;
    return true;
}

static bool add_packet(struct radeon_step *step, const uint32_t *old, const uint32_t *new)
{
    const uint32_t count = AMD_PKT_COUNT(new[0]), *was = old + HEADER_DW, *is = new + HEADER_DW;
    uint32_t first = 0;
    for (;;) {
        while (first < count && was[first] == is[first])
            first++;
        if (first == count)
            return true;
        uint32_t end = first + 1; /* after the last value of the run that differs */
        for (uint32_t i = end; i < count && i - end <= WORTH_DW; i++) {
            if (was[i] != is[i])
                end = i + 1;
        }
        if (!add_run(step, new, first, end - first))
            return false;
        first = end;
    }
}

/* All of a block whose packets are other ones than those of the block before, as of shaders with other numbers of
 * attributes. */
static bool add_all(struct radeon_step *step, const struct radeon_words *words)
{
    if (step->count_dw + words->count_dw > RADEON_STEP_MAX_DW)
        return false;
    memcpy(step->dw + step->count_dw, words->dw, words->count_dw * sizeof(*words->dw));
    step->count_dw += words->count_dw;
    return true;
}

static bool add_block(struct radeon_step *step, const struct radeon_words *from, const struct radeon_words *to)
{
    const uint32_t before_dw = step->count_dw;
    bool alike = from->count_dw == to->count_dw;
    for (uint32_t at = 0; alike && at < to->count_dw; at += HEADER_DW + AMD_PKT_COUNT(to->dw[at])) {
        const uint32_t *old = from->dw + at, *new = to->dw + at;
        alike = sets_registers(new[0]) && old[0] == new[0] && old[1] == new[1] && add_packet(step, old, new);
    }
    if (alike)
        return true;
    step->count_dw = before_dw;
    return add_all(step, to);
}

void radeon_step_make(struct radeon_step *step, const struct radeon_graphics_pipeline *from,
                      const struct radeon_graphics_pipeline *to)
{
    step->from = from->serial;
    step->to = to->serial;
    step->count_dw = 0;
    for (uint32_t i = 0; i < RADEON_BLOCK_COUNT; i++) {
        const struct radeon_words *old = from->blocks[i], *new = to->blocks[i];
        if (!new || new == old)
            continue;
        if (!old || !add_block(step, old, new)) {
            step->count_dw = RADEON_STEP_WHOLE;
            return;
        }
    }
}

const struct radeon_step *radeon_step_find(struct radeon_cmd_pool *pool, const struct radeon_graphics_pipeline *from,
                                           const struct radeon_graphics_pipeline *to)
{
    if (!pool->steps)
        pool->steps = vk_zalloc(&pool->vk.alloc, NULL, sizeof(*pool->steps), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!pool->steps)
        return NULL;
    struct radeon_step *step = radeon_step_at(pool->steps, from, to);
    radeon_step_make(step, from, to);
    return step;
}
