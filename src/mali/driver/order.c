/* Order between and within subqueues: slots of the scoreboard, points of synchronisation, flushes of caches. */
#include <stddef.h>

#include "mali/driver/hang.h"
#include "util/bits.h"

static struct mali_cmd_stream *part_of(struct mali_cmd_buffer *cmd, enum mali_subqueue subqueue)
{
    return &cmd->streams[subqueue];
}

/* ---- within a subqueue ---- */

struct mali_stream *mali_cmd_begin_work(struct mali_cmd_buffer *cmd, enum mali_subqueue subqueue)
{
    struct mali_cmd_stream *part = part_of(cmd, subqueue);
    const uint32_t bit = 1u << part->slot;
    if (!part->has_slot) {
        /* A signal before may wait for what holds the slot; it must not have to wait for what is to come, too. */
        if (part->busy & bit)
            mali_put_wait(&part->s, bit);
        mali_put_slots(&part->s, part->slot);
        part->has_slot = true;
    }
    part->busy |= bit;
    part->is_unflushed = true;
    mali_mark(cmd, subqueue);
    return &part->s;
}

void mali_cmd_wait_work(struct mali_cmd_buffer *cmd, enum mali_subqueue subqueue)
{
    struct mali_cmd_stream *part = part_of(cmd, subqueue);
    const uint32_t memory = part->s.loading || part->s.is_storing ? 1u << MALI_SLOT_MEMORY : 0;
    if (part->busy | memory)
        mali_put_wait(&part->s, (uint16_t)(part->busy | memory));
    part->busy = 0;
    if (subqueue == MALI_COMPUTE)
        cmd->has_busy_groups = false;
}

void mali_cmd_flush(struct mali_cmd_buffer *cmd, enum mali_subqueue subqueue, uint32_t flush)
{
    struct mali_cmd_stream *part = part_of(cmd, subqueue);
    if (!flush)
        return;
    const enum mali_CS_FLUSH_MODE mode = flush & MALI_FLUSH_INVALIDATE ? MALI_CS_FLUSH_MODE_CLEAN_INVALIDATE
                                         : flush & MALI_FLUSH_CLEAN    ? MALI_CS_FLUSH_MODE_CLEAN
                                                                       : MALI_CS_FLUSH_MODE_NONE;
    struct mali_r any = mali_scratch(0);
    mali_set32(&part->s, any, 0);
    mali_put_flush(&part->s, mode, mode, flush & (MALI_FLUSH_READ_ONLY | MALI_FLUSH_INVALIDATE), any,
                   (struct mali_deferred){.slot = MALI_SLOT_FLUSH});
    mali_put_wait(&part->s, 1u << MALI_SLOT_FLUSH);
    if (mode != MALI_CS_FLUSH_MODE_NONE && !part->busy)
        part->is_unflushed = false;
}

/* ---- between them ---- */

static void progress_address(struct mali_stream *s, struct mali_d to, enum mali_subqueue subqueue)
{
    mali_put_add64(s, to, mali_context_reg(),
                   (int32_t)(offsetof(struct mali_context, progress) + subqueue * sizeof(struct mali_progress)));
}

static uint8_t next_slot(uint8_t slot)
{
    return slot + 1 < MALI_SLOTS ? (uint8_t)(slot + 1) : (uint8_t)MALI_SLOT_WORK;
}

/* Work that comes later holds another slot, so that this does not wait for it. */
struct mali_deferred mali_cmd_after_work(struct mali_cmd_buffer *cmd, enum mali_subqueue subqueue)
{
    struct mali_cmd_stream *part = part_of(cmd, subqueue);
    const struct mali_deferred when = {.wait_mask = part->busy, .slot = MALI_SLOT_SIGNAL};
    if (part->busy) {
        part->slot = next_slot(part->slot);
        part->has_slot = false;
    }
    return when;
}

uint32_t mali_cmd_signal(struct mali_cmd_buffer *cmd, enum mali_subqueue subqueue)
{
    struct mali_cmd_stream *part = part_of(cmd, subqueue);
    struct mali_stream *s = &part->s;
    const mali_reg_set before = mali_stream_allow(s, MALI_REGS_SCRATCH);
    const struct mali_d address = mali_scratch_pair(0), one = mali_scratch_pair(2);
    progress_address(s, address, subqueue);
    mali_set64(s, one, 1);
    mali_put_sync_add64(s, MALI_CS_SYNC_SCOPE_CSG, address, one, mali_cmd_after_work(cmd, subqueue));
    mali_stream_allow_again(s, before);
    return ++part->signals;
}

void mali_cmd_wait_point(struct mali_cmd_buffer *cmd, enum mali_subqueue waiter, enum mali_subqueue of, uint32_t point)
{
    struct mali_cmd_stream *part = part_of(cmd, waiter);
    struct mali_stream *s = &part->s;
    assert(waiter != of && point && point <= part_of(cmd, of)->signals);
    if (part->waited[of] >= point)
        return;
    part->waited[of] = point;
    const mali_reg_set before = mali_stream_allow(s, MALI_REGS_SCRATCH);
    const struct mali_d address = mali_scratch_pair(0), below = mali_scratch_pair(2);
    progress_address(s, address, of);
    mali_put_add64(s, below, mali_progress_reg(of), (int32_t)(point - 1));
    mali_put_sync_wait64(s, MALI_CS_CONDITION_GREATER, address, below);
    mali_stream_allow_again(s, before);
}

void mali_cmd_order(struct mali_cmd_buffer *cmd, uint32_t src, uint32_t dst)
{
    uint32_t points[MALI_SUBQUEUES] = {0};
    bits_foreach (src, of) {
        if (dst & ~(1u << of))
            points[of] = mali_cmd_signal(cmd, (enum mali_subqueue)of);
    }
    bits_foreach (dst, waiter) {
        if (src >> waiter & 1)
            mali_cmd_wait_work(cmd, (enum mali_subqueue)waiter);
        bits_foreach (src & ~(1u << waiter), of)
            mali_cmd_wait_point(cmd, (enum mali_subqueue)waiter, (enum mali_subqueue)of, points[of]);
    }
}

enum mali_subqueue mali_cmd_gather(struct mali_cmd_buffer *cmd, uint32_t src)
{
    const enum mali_subqueue gatherer =
        src && !(src >> MALI_COMPUTE & 1) ? (enum mali_subqueue)__builtin_ctz(src) : MALI_COMPUTE;
    bits_foreach (src & ~(1u << gatherer), of)
        mali_cmd_wait_point(cmd, gatherer, (enum mali_subqueue)of, mali_cmd_signal(cmd, (enum mali_subqueue)of));
    return gatherer;
}

void mali_cmd_settle_progress(struct mali_cmd_buffer *cmd)
{
    for (int i = 0; i < MALI_SUBQUEUES; i++) {
        struct mali_stream *s = &cmd->streams[i].s;
        for (int of = 0; of < MALI_SUBQUEUES; of++) {
            if (cmd->streams[of].signals)
                mali_put_add64(s, mali_progress_reg((enum mali_subqueue)of), mali_progress_reg((enum mali_subqueue)of),
                               (int32_t)cmd->streams[of].signals);
            cmd->streams[i].waited[of] = 0;
        }
    }
    for (int of = 0; of < MALI_SUBQUEUES; of++)
        cmd->streams[of].signals = 0;
}
