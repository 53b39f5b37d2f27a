/* Loads of neighbours in each lane: where a lane loads two or four dwords that lie side by side, as members of vectors
 * do, it loads them at once, and what lanes have loaded is transposed. On hosts whose loads go lane by lane anyway.
 *
 *     x = load(a), y = load(a, 4 further), ...  ─▶  l0 = all dwords of lane 0, l1 = those of lane 1, ...; x, y, ... = transposed
 *
 * A load may come before others that the program has in between: nothing between two that become one writes memory. */
#include <string.h>

#include "model/jit_maker.h"

#define POINTER(imm) ((imm)&0xffff)
#define FURTHER_B(imm) ((imm) >> 16)

/* Operations that a load must not come before. */
static bool is_border(const struct jit_inst *inst)
{
    return jit_is_write(inst) || jit_is_flow(inst) || inst->op == JIT_MISS;
}

/* The loads of dwords after that of `first`, by their distance; how many there are from the first on without a gap. */
static uint32_t find_members(const struct jit_inst *insts, uint32_t count, const bool *is_taken, uint32_t first,
                             uint32_t members[4])
{
    uint32_t found = 1;
    bool has[4] = {true};
    members[0] = first;
    for (uint32_t i = first + 1; i < count && found < 4 && !is_border(&insts[i]); i++) {
        const uint32_t distance_B = FURTHER_B(insts[i].imm) - FURTHER_B(insts[first].imm);
        if (insts[i].op != JIT_LOAD || is_taken[i] || insts[i].a != insts[first].a ||
            POINTER(insts[i].imm) != POINTER(insts[first].imm) || distance_B % 4 || distance_B >= 16 ||
            has[distance_B / 4])
            continue;
        has[distance_B / 4] = true;
        members[distance_B / 4] = i;
        found++;
    }
    return has[1] && has[2] && has[3] ? 4 : has[1] ? 2 : 1;
}

struct fours {
    struct jit_inst insts[JIT_MAX_INSTS];
    bool is_same[JIT_MAX_INSTS], is_taken[JIT_MAX_INSTS];
    jit_value names[JIT_MAX_INSTS]; /* what was ... is now ... */
    uint32_t count;
};

static jit_value put_op(struct fours *f, enum jit_op op, jit_value a, jit_value b, uint32_t imm)
{
    f->insts[f->count] = (struct jit_inst){.op = (uint16_t)op, .a = a, .b = b, .c = JIT_NONE, .imm = imm};
    f->is_same[f->count] = false;
    return (jit_value)f->count++;
}

static void load_members(struct fours *f, const struct jit_inst *insts, const uint32_t members[4], uint32_t size)
{
    const struct jit_inst *inst = &insts[members[0]];
    const jit_value a = f->names[inst->a];
    jit_value lane[4];
    for (uint32_t i = 0; i < 4; i++)
        lane[i] = put_op(f, JIT_LOAD_LANE, a, JIT_NONE, jit_lane_imm(inst->imm, i, size));
    for (uint32_t half = 0; half < size / 2; half++) {
        const enum jit_op zip = half ? JIT_ZIP_HIGH : JIT_ZIP_LOW;
        const jit_value first = put_op(f, zip, lane[0], lane[1], 0), second = put_op(f, zip, lane[2], lane[3], 0);
        f->names[members[2 * half]] = put_op(f, JIT_ZIP_PAIRS_LOW, first, second, 0);
        f->names[members[2 * half + 1]] = put_op(f, JIT_ZIP_PAIRS_HIGH, first, second, 0);
    }
    for (uint32_t i = 0; i < size; i++)
        f->is_taken[members[i]] = true;
}

uint32_t jit_find_fours(struct jit_inst *insts, uint32_t count, struct jit_outline *outline)
{
    struct fours f;
    const uint32_t grown = 12 - 2; /* at most, by two loads or four */
    f.count = 0;
    memset(f.is_taken, false, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t members[4], size = 1;
        if (f.is_taken[i])
            continue;
        if (insts[i].op == JIT_LOAD && !outline->is_same[i] && FURTHER_B(insts[i].imm) <= JIT_LANE_FURTHEST_B &&
            f.count + (count - i) + grown <= JIT_MAX_INSTS)
            size = find_members(insts, count, f.is_taken, i, members);
        if (size > 1) {
            load_members(&f, insts, members, size);
            continue;
        }
        f.insts[f.count] = insts[i];
        f.is_same[f.count] = outline->is_same[i];
        jit_rename_operands(&f.insts[f.count], f.names);
        f.names[i] = (jit_value)f.count++;
    }
    jit_rename_rest(f.insts, f.count, f.names, outline);
    memcpy(insts, f.insts, f.count * sizeof(insts[0]));
    memcpy(outline->is_same, f.is_same, f.count);
    return f.count;
}
