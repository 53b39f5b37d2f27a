/* Ranges of uniform buffers that lie in the constant file: a preamble, which runs once before all fibers of a draw or a
 * dispatch, copies them there, and the program names them like other constants.
 *
 * A buffer that is read only under a condition may not be bound: pushed are buffers of which something is read in any
 * case, and then all of their reads whose place is known or bounded. Outside of the buffer zero is read, as by ldc. */
#include <stdio.h>
#include <string.h>

#include "adreno/compiler/select.h"
#include "compiler/ir/opt.h"
#include "util/bits.h"

#define MAX_VEC4 64 /* of all ranges */

/* ---- which ---- */

/* The end of what a load reads, in bytes; UINT64_MAX: unknown. */
static uint64_t end_of(const struct select *ctx, const struct ir_instr *load)
{
    const struct ir_value *offset = ir_src(load, 1);
    const uint64_t size_B = load->def.bits / 8u * load->def.comps;
    const uint64_t last = ir_is_const(offset) ? (uint32_t)ir_const_u64(offset) : ir_upper_bound(ctx->m.shader, offset);
    return last > UINT32_MAX / 2 ? UINT64_MAX : last + ir_imm(load, IR_IMM_BASE) + size_B;
}

static uint64_t start_of(const struct ir_instr *load)
{
    const struct ir_value *offset = ir_src(load, 1);
    return (ir_is_const(offset) ? (uint32_t)ir_const_u64(offset) : 0ull) + ir_imm(load, IR_IMM_BASE);
}

static struct sel_range *find_range(struct select *ctx, const struct ir_value *handle)
{
    uint32_t set, number;
    if (!ctx->num_ranges || !adreno_sel_known_descriptor(ctx, handle, &set, &number))
        return NULL;
    for (unsigned i = 0; i < ctx->num_ranges; i++) {
        if (ctx->ranges[i].set == set && ctx->ranges[i].number == number)
            return &ctx->ranges[i];
    }
    return NULL;
}

/* A buffer that is read in any case. */
static void add_load(struct select *ctx, const struct ir_instr *load)
{
    uint32_t set, number;
    if (find_range(ctx, ir_src(load, 0)) || ctx->num_ranges == SEL_MAX_RANGES ||
        !adreno_sel_known_descriptor(ctx, ir_src(load, 0), &set, &number))
        return;
    ctx->ranges[ctx->num_ranges++] = (struct sel_range){.set = set, .number = number};
}

static void widen_range(struct select *ctx, const struct ir_instr *load)
{
    struct sel_range *range = find_range(ctx, ir_src(load, 0));
    const uint64_t end_B = end_of(ctx, load);
    if (!range || end_B > MAX_VEC4 * 16)
        return;
    range->first_vec4 = MIN2(range->first_vec4, (uint32_t)(start_of(load) / 16));
    range->end_vec4 = MAX2(range->end_vec4, (uint32_t)div_round_up(end_B, 16));
}

/* Room for each, as long as there is some. */
static void lay_out(struct select *ctx)
{
    uint32_t left = MAX_VEC4 - (uint32_t)div_round_up(ctx->num_early, 4), next = ctx->config->first_immediate;
    for (unsigned i = 0; i < ctx->num_ranges; i++) {
        struct sel_range *range = &ctx->ranges[i];
        if (range->first_vec4 >= range->end_vec4 || range->end_vec4 - range->first_vec4 > left) {
            range->first_vec4 = range->end_vec4 = 0;
            continue;
        }
        range->at_vec4 = next;
        next += range->end_vec4 - range->first_vec4;
        left -= range->end_vec4 - range->first_vec4;
    }
    ctx->config->first_immediate = (uint16_t)next;
}

void adreno_sel_place_ranges(struct select *ctx)
{
    for (unsigned i = 0; i < ctx->num_ranges; i++) {
        ctx->ranges[i].first_vec4 = UINT32_MAX;
        ctx->ranges[i].end_vec4 = 0;
    }
    ir_foreach_block (ctx->m.shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op == IR_OP_load_ubo)
                widen_range(ctx, instr);
        }
    }
    lay_out(ctx);
}

void adreno_sel_find_ranges(struct select *ctx)
{
    ir_foreach_block (ctx->m.shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op == IR_OP_load_ubo && block->reachable && !block->node.region->owner)
                add_load(ctx, instr);
        }
    }
    adreno_sel_place_ranges(ctx);
}

bool adreno_sel_is_pushed(struct select *ctx, const struct ir_instr *load, int32_t *first_out)
{
    const struct sel_range *range = find_range(ctx, ir_src(load, 0));
    if (!range || start_of(load) < range->first_vec4 * 16ull || end_of(ctx, load) > range->end_vec4 * 16ull)
        return false;
    *first_out = ((int32_t)range->at_vec4 - (int32_t)range->first_vec4) * 4;
    return true;
}

/* ---- the code ---- */

static void put_text(struct select *ctx, struct air_code *code, const char *text)
{
    if (adreno_isa_assemble_line(text, &code->words[code->count++]) != 0)
        sel_fail(ctx, "internal: no such instruction: %s", text);
}

/* From a1.x, which an address takes six slots to reach. */
static void copy_range(struct select *ctx, struct air_code *code, const struct sel_range *range)
{
    char text[128];
    snprintf(text, sizeof(text), "(ss)mova1 a1.x, %u", range->at_vec4 * 4);
    put_text(ctx, code, text);
    put_text(ctx, code, "(rpt5)nop");
    snprintf(text, sizeof(text), "ldc.%u.k.imm.base%u c[a1.x], %u, %u", range->end_vec4 - range->first_vec4, range->set,
             range->first_vec4, range->number);
    put_text(ctx, code, text);
}

void adreno_sel_put_preamble(struct select *ctx, const struct air_code *early, struct air_code *code)
{
    unsigned count = 0;
    for (unsigned i = 0; i < ctx->num_ranges; i++)
        count += ctx->ranges[i].end_vec4 > 0;
    if (!count && !early->count)
        return;
    const unsigned length = 2 + count * 3 + early->count + 1;
    struct air_code whole = {.words = mach_alloc(ctx->m.program, (length + code->count) * sizeof(uint64_t))};
    char text[64];
    snprintf(text, sizeof(text), "shps #%u", length);
    put_text(ctx, &whole, text);
    snprintf(text, sizeof(text), "getone #%u", length - 1);
    put_text(ctx, &whole, text);
    for (unsigned i = 0; i < ctx->num_ranges; i++) {
        if (ctx->ranges[i].end_vec4)
            copy_range(ctx, &whole, &ctx->ranges[i]);
    }
    if (early->count)
        memcpy(whole.words + whole.count, early->words, early->count * sizeof(uint64_t));
    whole.count += early->count;
    put_text(ctx, &whole, "(sy)(ss)shpe");
    memcpy(whole.words + whole.count, code->words, code->count * sizeof(uint64_t));
    /* Fibers come together at the program itself. */
    struct adreno_isa_inst first;
    adreno_isa_decode(whole.words[whole.count], &first);
    first.field[ADRENO_ISA_FIELD_JP] = 1;
    adreno_isa_encode(&first, &whole.words[whole.count]);
    whole.count += code->count;
    *code = whole;
}
