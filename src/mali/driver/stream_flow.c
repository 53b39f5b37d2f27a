/* Branches of a command stream. The instructions of a block, and of those in it, are held until the outermost one is
 * closed: a BRANCH counts words, so that it cannot go over a link.
 *
 * A branch forward is written with an offset of zero and put on a list with the block's depth and the label that it
 * goes to; the label fills it in. */
#include "mali/driver/stream_flow.h"

#include <string.h>

#include "mali/driver/stream_put.h"

enum {
    LABEL_NEXT, /* else, or the next case */
    LABEL_END,
};

#define NO_REG ((struct mali_r){0}) /* of a branch that looks at none */

/* ---- labels ---- */

static uint64_t branch_word(int64_t offset, enum mali_CS_CONDITION condition, struct mali_r reg)
{
    return MALI_CS(BRANCH, .OFFSET = (int16_t)offset, .CONDITION = condition, .VALUE = reg.number);
}

static void put_branch(struct mali_stream *s, int64_t offset, enum mali_CS_CONDITION condition, struct mali_r reg)
{
    if (offset != (int16_t)offset)
        mali_stream_fail(s, VK_ERROR_UNKNOWN, "a branch over more than 32,767 instructions");
    mali_stream_word(s, branch_word(offset, condition, reg));
}

/* Nothing is pending at a label, whichever way leads to it. */
static void settle_for(struct mali_stream *s, enum mali_CS_CONDITION condition, struct mali_r reg)
{
    mali_stream_settle(s);
    if (condition != MALI_CS_CONDITION_ALWAYS)
        mali_stream_reads(s, mali_regs_r(reg));
}

static void branch_to(struct mali_stream *s, const struct mali_block *block, unsigned label,
                      enum mali_CS_CONDITION condition, struct mali_r reg)
{
    settle_for(s, condition, reg);
    const struct mali_exit exit = {mali_stream_held(s), (uint16_t)block->depth, (uint16_t)label};
    if (!array_push(&s->exits, exit))
        mali_stream_fail(s, VK_ERROR_OUT_OF_HOST_MEMORY, "no memory for a branch of a command stream");
    put_branch(s, 0, condition, reg);
}

static void branch_back(struct mali_stream *s, const struct mali_block *block, enum mali_CS_CONDITION condition,
                        struct mali_r reg)
{
    settle_for(s, condition, reg);
    put_branch(s, (int64_t)block->start - mali_stream_held(s) - 1, condition, reg);
}

static void place_label(struct mali_stream *s, const struct mali_block *block, unsigned label)
{
    uint32_t kept = 0;
    mali_stream_settle(s);
    for (uint32_t i = 0; i < s->exits.count && !s->error; i++) {
        const struct mali_exit *exit = &s->exits.data[i];
        if (exit->depth != block->depth || exit->label != label) {
            s->exits.data[kept++] = *exit;
            continue;
        }
        const int64_t offset = (int64_t)mali_stream_held(s) - exit->branch - 1;
        if (offset != (int16_t)offset) {
            mali_stream_fail(s, VK_ERROR_UNKNOWN, "a branch over more than 32,767 instructions");
            break;
        }
        s->held.data[exit->branch] |= branch_word(offset, 0, NO_REG) & ~branch_word(0, 0, NO_REG);
    }
    s->exits.count = kept;
}

/* ---- blocks ---- */

static void open_block(struct mali_stream *s, struct mali_block *block)
{
    mali_stream_settle(s);
    if (!s->depth++) {
        s->outer_next = s->next;
        s->outer_end = s->end;
        s->next = s->held.data;
        s->end = s->error || !s->next ? s->next : s->next + s->held.capacity;
    }
    *block = (struct mali_block){.start = mali_stream_held(s), .depth = s->depth};
}

static void close_block(struct mali_stream *s)
{
    if (--s->depth)
        return;
    const uint32_t count = mali_stream_held(s);
    s->next = s->outer_next;
    s->end = s->outer_end;
    s->outer_next = s->outer_end = NULL;
    if (s->error) {
        s->end = s->next;
        return;
    }
    if (count > (size_t)(s->end - s->next) && !mali_stream_grow(s, count))
        return;
    if (count)
        memcpy(s->next, s->held.data, count * sizeof(*s->held.data));
    s->next += count;
}

static void keep_common(struct mali_known *known, const struct mali_known *other)
{
    known->set &= other->set;
    for (unsigned i = 0; i < MALI_STREAM_REGS; i++) {
        if (known->values[i] != other->values[i])
            known->set &= ~MALI_REGS(i, 1);
    }
}

/* A path that goes to the end of the block. */
static void join_path(struct mali_stream *s, struct mali_block *block)
{
    if (block->has_joined)
        keep_common(&block->joined, &s->known);
    else
        block->joined = s->known;
    block->has_joined = true;
}

static void end_paths(struct mali_stream *s, struct mali_block *block)
{
    join_path(s, block);
    place_label(s, block, LABEL_END);
    s->known = block->joined;
    close_block(s);
}

/* ---- if ---- */

/* Conditions come in pairs of opposites; ALWAYS has none. */
static enum mali_CS_CONDITION opposite(enum mali_CS_CONDITION condition)
{
    assert(condition != MALI_CS_CONDITION_ALWAYS);
    return (enum mali_CS_CONDITION)(condition ^ 1);
}

void mali_if_begin(struct mali_stream *s, struct mali_block *block, enum mali_CS_CONDITION condition, struct mali_r reg)
{
    open_block(s, block);
    branch_to(s, block, LABEL_NEXT, opposite(condition), reg);
    block->entry = s->known;
}

void mali_if_else(struct mali_stream *s, struct mali_block *block)
{
    join_path(s, block);
    branch_to(s, block, LABEL_END, MALI_CS_CONDITION_ALWAYS, NO_REG);
    place_label(s, block, LABEL_NEXT);
    s->known = block->entry;
    block->has_default = true;
}

void mali_if_end(struct mali_stream *s, struct mali_block *block)
{
    if (!block->has_default) {
        join_path(s, block);
        place_label(s, block, LABEL_NEXT);
        s->known = block->entry;
    }
    end_paths(s, block);
}

/* ---- loops ---- */

void mali_loop_begin(struct mali_stream *s, struct mali_block *block)
{
    open_block(s, block);
    mali_stream_forget(s);
}

void mali_loop_leave(struct mali_stream *s, struct mali_block *block, enum mali_CS_CONDITION condition,
                     struct mali_r reg)
{
    branch_to(s, block, LABEL_END, condition, reg);
}

void mali_loop_again(struct mali_stream *s, struct mali_block *block, enum mali_CS_CONDITION condition,
                     struct mali_r reg)
{
    branch_back(s, block, condition, reg);
}

void mali_loop_end(struct mali_stream *s, struct mali_block *block, enum mali_CS_CONDITION condition, struct mali_r reg)
{
    branch_back(s, block, condition, reg);
    place_label(s, block, LABEL_END);
    mali_stream_forget(s);
    close_block(s);
}

/* ---- match ---- */

void mali_match_begin(struct mali_stream *s, struct mali_block *block, struct mali_r value, struct mali_r scratch)
{
    open_block(s, block);
    block->value = value;
    block->scratch = scratch;
    block->entry = s->known;
}

/* The end of the case before, if there was one. */
static void next_case(struct mali_stream *s, struct mali_block *block)
{
    assert(!block->has_default);
    if (mali_stream_held(s) == block->start)
        return;
    join_path(s, block);
    branch_to(s, block, LABEL_END, MALI_CS_CONDITION_ALWAYS, NO_REG);
    place_label(s, block, LABEL_NEXT);
    s->known = block->entry;
}

void mali_match_case(struct mali_stream *s, struct mali_block *block, uint32_t value)
{
    next_case(s, block);
    struct mali_r compared = block->value;
    if (value) {
        mali_put_add32(s, block->scratch, block->value, (int32_t)-value);
        compared = block->scratch;
        block->entry.set &= ~mali_regs_r(compared);
    }
    branch_to(s, block, LABEL_NEXT, MALI_CS_CONDITION_NEQUAL, compared);
}

void mali_match_default(struct mali_stream *s, struct mali_block *block)
{
    next_case(s, block);
    block->has_default = true;
}

void mali_match_end(struct mali_stream *s, struct mali_block *block)
{
    if (!block->has_default) {
        join_path(s, block);
        place_label(s, block, LABEL_NEXT);
        s->known = block->entry;
    }
    end_paths(s, block);
}
