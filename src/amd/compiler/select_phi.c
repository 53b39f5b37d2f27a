/* Phis of the IR as phis of machine blocks, of lanes or of the wave. */
#include <stdlib.h>

#include "amd/compiler/select.h"
#include "util/bits.h"

static struct mir_operand phi_operand(struct select *ctx, const struct ir_value *value)
{
    if (ir_is_undef(value))
        return mir_undef(amd_sel_value_dwords(value));
    if (ir_is_const(value))
        return amd_sel_use(ctx, value);
    return mir_use(amd_sel_any(ctx, value));
}

/* Blocks with a number each, sorted: where many ways meet, none is searched for among all. */
struct ways {
    uint64_t *keys; /* block << 32 | number */
    uint32_t count;
};

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static struct ways sort_ways(struct select *ctx, uint32_t count, const struct ir_instr *phi, const uint32_t *blocks)
{
    struct ways ways = {amd_mir_alloc(ctx->program, MAX2(count, 1u) * sizeof(uint64_t)), count};
    for (uint32_t i = 0; i < count; i++)
        ways.keys[i] = (uint64_t)(phi ? ctx->block_end[phi->preds[i]->index] : blocks[i]) << 32 | i;
    for (uint32_t i = 1; i < count; i++) {
        if (ways.keys[i] < ways.keys[i - 1]) { /* mostly they are in order */
            qsort(ways.keys, count, sizeof(uint64_t), compare_keys);
            break;
        }
    }
    return ways;
}

/* The first number of a block, UINT32_MAX where it is none of them. */
static uint32_t find_way(const struct ways *ways, uint32_t block)
{
    uint32_t low = 0, high = ways->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ways->keys[middle] < (uint64_t)block << 32)
            low = middle + 1;
        else
            high = middle;
    }
    return low < ways->count && ways->keys[low] >> 32 == block ? (uint32_t)ways->keys[low] : UINT32_MAX;
}

/* The one value that all sources are, or NULL. */
static struct ir_value *same_source(const struct ir_instr *phi)
{
    struct ir_value *same = NULL;
    for (uint32_t i = 0; i < phi->num_srcs; i++) {
        struct ir_value *source = ir_src(phi, i);
        if (source == &phi->def || ir_is_undef(source))
            continue;
        if (same && same != source)
            return NULL;
        same = source;
    }
    return same;
}

/* A scalar that goes into a vector phi is copied where its lanes leave: after a loop that lanes leave one after the
 * other, it is what it was in the last turn. */
static struct mir_operand vector_operand(struct select *ctx, struct mir_operand operand, uint32_t pred)
{
    if (operand.kind != MIR_TEMP || amd_sel_is_vector(ctx, operand.temp))
        return operand;
    struct mir_block *block = &ctx->program->blocks[pred];
    struct list *link = block->instrs.prev;
    while (link != &block->instrs && container_of(link, struct mir_instr, link)->op != MIR_P_LOGICAL_END)
        link = link->prev;
    struct mir_builder at_end = {.program = ctx->program, .block = block, .before = link};
    mir_temp copy = amd_sel_temp(ctx, MIR_V((uint8_t)amd_sel_dwords(ctx, operand.temp)));
    struct mir_instr *instr = amd_mir_new_instr(&at_end, MIR_P_COPY, 1, 1);
    instr->defs[0] = mir_result(copy);
    instr->operands[0] = operand;
    instr->operands[0].dwords = (uint8_t)amd_sel_dwords(ctx, operand.temp);
    return mir_use(copy);
}

void amd_sel_fill_phi(struct select *ctx, const struct ir_instr *phi, struct mir_instr *out)
{
    const struct mir_block *block = &ctx->program->blocks[ctx->block];
    bool vector = out->op == MIR_P_PHI;
    const uint32_t *preds = vector ? block->logical_preds : block->linear_preds;
    struct ways sources = sort_ways(ctx, phi->num_srcs, phi, NULL);
    for (unsigned i = 0; i < out->num_operands; i++) {
        uint32_t number = find_way(&sources, preds[i]);
        const struct ir_value *source = number == UINT32_MAX ? NULL : ir_src(phi, number);
        out->operands[i] = source ? phi_operand(ctx, source) : mir_undef(amd_sel_value_dwords(&phi->def));
        if (vector)
            out->operands[i] = vector_operand(ctx, out->operands[i], preds[i]);
    }
}

/* A scalar phi where the lanes' paths are not the wave's has no meaning. */
static void check_scalar_phi(struct select *ctx, const struct ir_instr *phi)
{
    const struct mir_block *here = &ctx->program->blocks[ctx->block];
    struct ways preds = sort_ways(ctx, here->num_linear_preds, NULL, here->linear_preds);
    for (uint32_t i = 0; i < phi->num_srcs; i++) {
        if (!ir_is_undef(ir_src(phi, i)) && find_way(&preds, ctx->block_end[phi->preds[i]->index]) == UINT32_MAX)
            sel_fail(ctx, "internal: the uniform phi %u stands where lanes meet", phi->def.index);
    }
}

void amd_sel_phis(struct select *ctx, struct ir_block *block)
{
    const struct mir_block *here = &ctx->program->blocks[ctx->block];
    ir_foreach_phi (block, phi) {
        struct mir_class class = amd_sel_class_of(ctx, &phi->def);
        struct ir_value *same = same_source(phi);
        if (same && !ir_is_const(same) && amd_sel_place_of(ctx, same) == amd_sel_place_of(ctx, &phi->def)) {
            ctx->values[phi->def.index] = ctx->values[same->index];
            continue;
        }
        if (same && !class.vector)
            continue; /* a constant: after the phis */
        if (!class.vector)
            check_scalar_phi(ctx, phi);
        unsigned ways = class.vector ? here->num_logical_preds : here->num_linear_preds;
        struct mir_instr *out = amd_sel_instr(ctx, class.vector ? MIR_P_PHI : MIR_P_LINEAR_PHI, 1, ways);
        mir_temp temp = amd_sel_temp(ctx, class);
        out->defs[0] = mir_result(temp);
        ctx->values[phi->def.index].temp = temp;
        amd_sel_fill_phi(ctx, phi, out);
    }
    ir_foreach_phi (block, phi) {
        if (!ctx->values[phi->def.index].temp && !ctx->values[phi->def.index].elems)
            ctx->values[phi->def.index].temp = amd_sel_any(ctx, same_source(phi));
    }
}

void amd_sel_anchor_phis(struct select *ctx, struct ir_block *block)
{
    ir_foreach_phi (block, phi) {
        if (!ctx->values[phi->def.index].anchor)
            amd_sel_anchor(ctx, &phi->def);
    }
}
