/* Selection of reductions and scans over the lanes of a wave.
 *
 * brcst.active gives the upper half of a group of lanes what the last active lane of the lower half has: three of them
 * make a scan over each eight lanes, whatever lanes are there. A loop takes one eight after the other and keeps the
 * result so far in a shared register. Where all lanes of a wave are there, a reduction exchanges lanes instead.
 * Integers of 8 and 16 bits were made 32 bits wide. */
#include "adreno/compiler/select.h"
#include "util/bits.h"

#define MAX_WORDS 2
#define WIDTH_8 2 /* .w2 is 0 */

enum {
    LT,
    LE,
    GT,
    GE,
    EQ,
    NE
};

struct reduction {
    struct select *ctx;
    enum ir_reduction op;
    unsigned bits, words;
    struct mach_class class;
    uint64_t identity;
};

/* ---- the operation ---- */

static unsigned simple_op(enum ir_reduction op)
{
    static const uint16_t ops[] = {
        [IR_REDUCTION_iadd] = ADRENO_ISA_OP_ADD_S, [IR_REDUCTION_imin] = ADRENO_ISA_OP_MIN_S,
        [IR_REDUCTION_imax] = ADRENO_ISA_OP_MAX_S, [IR_REDUCTION_umin] = ADRENO_ISA_OP_MIN_U,
        [IR_REDUCTION_umax] = ADRENO_ISA_OP_MAX_U, [IR_REDUCTION_iand] = ADRENO_ISA_OP_AND_B,
        [IR_REDUCTION_ior] = ADRENO_ISA_OP_OR_B,   [IR_REDUCTION_ixor] = ADRENO_ISA_OP_XOR_B,
        [IR_REDUCTION_fadd] = ADRENO_ISA_OP_ADD_F, [IR_REDUCTION_fmul] = ADRENO_ISA_OP_MUL_F,
        [IR_REDUCTION_fmin] = ADRENO_ISA_OP_MIN_F, [IR_REDUCTION_fmax] = ADRENO_ISA_OP_MAX_F,
    };
    return (unsigned)op < ARRAY_SIZE(ops) ? ops[op] : 0;
}

static mach_temp full2(struct select *ctx, unsigned op, mach_temp a, mach_temp b)
{
    return adreno_sel_alu2(ctx, op, AIR_FULL(1), mach_use(a), mach_use(b));
}

static mach_temp product(struct select *ctx, mach_temp a, mach_temp b)
{
    return adreno_sel_multiply(ctx, mach_use(a), mach_use(b));
}

/* The smaller or larger one of two numbers of 64 bits. */
static void choose_wide(const struct reduction *r, const mach_temp *a, const mach_temp *b, mach_temp *out)
{
    struct select *ctx = r->ctx;
    const bool is_min = r->op == IR_REDUCTION_imin || r->op == IR_REDUCTION_umin;
    const bool is_signed = r->op == IR_REDUCTION_imin || r->op == IR_REDUCTION_imax;
    const int cond = is_min ? LT : GT;
    const mach_temp high = adreno_sel_compare(ctx, is_signed ? ADRENO_ISA_OP_CMPS_S : ADRENO_ISA_OP_CMPS_U, cond,
                                              mach_use(a[1]), mach_use(b[1]));
    const mach_temp same = adreno_sel_compare(ctx, ADRENO_ISA_OP_CMPS_U, EQ, mach_use(a[1]), mach_use(b[1]));
    const mach_temp low = adreno_sel_compare(ctx, ADRENO_ISA_OP_CMPS_U, cond, mach_use(a[0]), mach_use(b[0]));
    const mach_temp is_first = full2(ctx, ADRENO_ISA_OP_OR_B, high, full2(ctx, ADRENO_ISA_OP_AND_B, same, low));
    for (unsigned i = 0; i < 2; i++) {
        const struct mach_operand operands[] = {mach_use(a[i]), mach_use(is_first), mach_use(b[i])};
        out[i] = adreno_sel_alu(ctx, ADRENO_ISA_OP_SEL_B32, AIR_FULL(1), 3, operands);
    }
}

static void combine_wide(const struct reduction *r, const mach_temp *a, const mach_temp *b, mach_temp *out)
{
    struct select *ctx = r->ctx;
    mach_temp carry, cross;
    switch (r->op) {
    case IR_REDUCTION_iadd:
        out[0] = full2(ctx, ADRENO_ISA_OP_ADD_S, a[0], b[0]);
        carry = adreno_sel_compare(ctx, ADRENO_ISA_OP_CMPS_U, LT, mach_use(out[0]), mach_use(a[0]));
        out[1] = full2(ctx, ADRENO_ISA_OP_ADD_S, full2(ctx, ADRENO_ISA_OP_ADD_S, a[1], b[1]), carry);
        break;
    case IR_REDUCTION_imul:
        cross = full2(ctx, ADRENO_ISA_OP_ADD_S, product(ctx, a[0], b[1]), product(ctx, a[1], b[0]));
        out[1] = full2(ctx, ADRENO_ISA_OP_ADD_S, cross, adreno_sel_multiply_high(ctx, a[0], b[0]));
        out[0] = product(ctx, a[0], b[0]);
        break;
    case IR_REDUCTION_iand:
    case IR_REDUCTION_ior:
    case IR_REDUCTION_ixor:
        for (unsigned i = 0; i < 2; i++)
            out[i] = full2(ctx, simple_op(r->op), a[i], b[i]);
        break;
    case IR_REDUCTION_imin:
    case IR_REDUCTION_imax:
    case IR_REDUCTION_umin:
    case IR_REDUCTION_umax:
        choose_wide(r, a, b, out);
        break;
    default:
        sel_fail(ctx, "there are no doubles");
    }
}

static void combine_words(const struct reduction *r, const mach_temp *a, const mach_temp *b, mach_temp *out)
{
    if (r->words > 1)
        combine_wide(r, a, b, out);
    else if (r->op == IR_REDUCTION_imul)
        out[0] = product(r->ctx, a[0], b[0]);
    else
        out[0] = adreno_sel_alu2(r->ctx, simple_op(r->op), r->class, mach_use(a[0]), mach_use(b[0]));
}

static mach_temp identity_word(const struct reduction *r, unsigned word)
{
    return adreno_sel_number(r->ctx, r->class, (uint32_t)(r->identity >> 32 * word));
}

static void identity_to_shared(const struct reduction *r)
{
    for (unsigned i = 0; i < r->words; i++)
        adreno_sel_number_to_shared(r->ctx, i, (uint32_t)(r->identity >> 32 * i));
}

static void from_shared(const struct reduction *r, mach_temp *out)
{
    for (unsigned i = 0; i < r->words; i++)
        out[i] = adreno_sel_from_shared(r->ctx, i, r->class);
}

static void to_shared(const struct reduction *r, const mach_temp *x)
{
    for (unsigned i = 0; i < r->words; i++)
        adreno_sel_to_shared(r->ctx, i, x[i]);
}

/* ---- scans ---- */

/* The value of the lower half's last active lane, in the upper half; the identity elsewhere. */
static mach_temp broadcast_lane(const struct reduction *r, unsigned width, mach_temp x, unsigned word)
{
    struct select *ctx = r->ctx;
    const mach_temp before = identity_word(r, word), result = mach_new_temp(ctx->m.program, r->class);
    struct mach_instr *brcst = adreno_air_form(&ctx->m.b, AIR_FORM_BRCST, result, 2);
    brcst->is_tied = true;
    air_isa(brcst)->field[ADRENO_ISA_FIELD_WIDTH] = (int16_t)width;
    air_isa(brcst)->field[ADRENO_ISA_FIELD_TYPE] = air_is_half(r->class) ? AIR_U16 : AIR_U32;
    air_isa(brcst)->field[ADRENO_ISA_FIELD_FULL] = !air_is_half(r->class);
    brcst->operands[0] = mach_use(before);
    brcst->operands[0].place = ADRENO_ISA_PLACE_DST;
    brcst->operands[1] = mach_use(x);
    brcst->operands[1].place = ADRENO_ISA_PLACE_SRC0;
    return result;
}

/* `inclusive` and, unless it is NULL, `exclusive` become those of the wave; the sum of all is in the shared
 * register. */
static void scan_lanes(const struct reduction *r, mach_temp *inclusive, mach_temp *exclusive)
{
    struct select *ctx = r->ctx;
    for (unsigned width = 0; width <= WIDTH_8; width++) {
        mach_temp before[MAX_WORDS] = {0}, next[MAX_WORDS] = {0};
        for (unsigned i = 0; i < r->words; i++)
            before[i] = broadcast_lane(r, width, inclusive[i], i);
        combine_words(r, before, inclusive, next);
        if (exclusive && width > 0)
            combine_words(r, before, exclusive, exclusive);
        for (unsigned i = 0; i < r->words; i++) {
            inclusive[i] = next[i];
            if (exclusive && width == 0)
                exclusive[i] = before[i];
        }
    }
    const uint32_t body = mach_select_new_block(&ctx->m), store = mach_select_new_block(&ctx->m);
    const uint32_t after = mach_select_new_block(&ctx->m);
    identity_to_shared(r);
    mach_select_jump(&ctx->m, body);
    mach_select_begin_block(&ctx->m, body);
    mach_temp so_far[MAX_WORDS] = {0}, mine[MAX_WORDS] = {0};
    from_shared(r, so_far);
    combine_words(r, so_far, inclusive, mine);
    if (exclusive)
        combine_words(r, so_far, exclusive, exclusive);
    for (unsigned i = 0; i < r->words; i++)
        inclusive[i] = mine[i];
    /* The lanes of the first eight are done; the last one of them leaves the sum to the others. */
    air_isa(adreno_sel_branch(ctx, ADRENO_ISA_OP_GETLAST, after, store))->field[ADRENO_ISA_FIELD_WIDTH] = WIDTH_8;
    mach_select_begin_block(&ctx->m, store);
    to_shared(r, mine);
    adreno_sel_branch(ctx, ADRENO_ISA_OP_GETONE, body, after);
    mach_select_begin_block(&ctx->m, after);
}

/* ---- clusters ---- */

/* All lanes are there: each takes the other half's. */
static void exchange_halves(const struct reduction *r, mach_temp *x, unsigned cluster)
{
    for (unsigned step = 1; step < cluster; step *= 2) {
        mach_temp other[MAX_WORDS] = {0}, sum[MAX_WORDS] = {0};
        for (unsigned i = 0; i < r->words; i++)
            other[i] = adreno_sel_shuffle(r->ctx, SEL_SHUFFLE_XOR, x[i], mach_number((uint32_t)step));
        combine_words(r, x, other, sum);
        for (unsigned i = 0; i < r->words; i++)
            x[i] = sum[i];
    }
}

/* One cluster after the other, and one lane of it after the other. */
static void reduce_clusters(const struct reduction *r, mach_temp *x, unsigned cluster)
{
    struct select *ctx = r->ctx;
    const mach_temp mine = adreno_sel_alu2(ctx, ADRENO_ISA_OP_AND_B, AIR_FULL(1), mach_use(adreno_sel_lane(ctx)),
                                           mach_number(-(int32_t)cluster));
    const uint32_t head = mach_select_new_block(&ctx->m), inner = mach_select_new_block(&ctx->m);
    const uint32_t one = mach_select_new_block(&ctx->m), again = mach_select_new_block(&ctx->m);
    const uint32_t done = mach_select_new_block(&ctx->m), others = mach_select_new_block(&ctx->m);
    const uint32_t after = mach_select_new_block(&ctx->m);
    mach_select_jump(&ctx->m, head);
    mach_select_begin_block(&ctx->m, head);
    adreno_sel_to_shared(ctx, MAX_WORDS, mine);
    const mach_temp now = adreno_sel_from_shared(ctx, MAX_WORDS, AIR_FULL(1));
    identity_to_shared(r);
    adreno_sel_compare_to(ctx, ADRENO_ISA_OP_CMPS_U, EQ, mach_use(mine), mach_use(now),
                          (struct mach_def){.special = ADRENO_ISA_REG_P0});
    adreno_sel_branch(ctx, 0, inner, others);
    mach_select_begin_block(&ctx->m, inner);
    adreno_sel_branch(ctx, ADRENO_ISA_OP_GETONE, again, one);
    mach_select_begin_block(&ctx->m, one);
    mach_temp so_far[MAX_WORDS] = {0}, sum[MAX_WORDS] = {0};
    from_shared(r, so_far);
    combine_words(r, so_far, x, sum);
    to_shared(r, sum);
    mach_select_jump(&ctx->m, done);
    mach_select_begin_block(&ctx->m, again);
    mach_select_jump(&ctx->m, inner);
    /* All lanes of the cluster come together here, and the others wait until they are done. */
    ctx->m.program->blocks[again].is_kept = true;
    ctx->m.program->blocks[done].is_kept = ctx->m.program->blocks[others].is_kept = true;
    mach_select_begin_block(&ctx->m, done);
    from_shared(r, x);
    mach_select_jump(&ctx->m, after);
    mach_select_begin_block(&ctx->m, others);
    mach_select_jump(&ctx->m, head);
    mach_select_begin_block(&ctx->m, after);
}

/* ---- all of them ---- */

static bool has_all_lanes(const struct select *ctx, const struct ir_instr *instr)
{
    const uint32_t *size = ctx->m.shader->workgroup_size;
    const uint64_t threads = (uint64_t)size[0] * size[1] * size[2];
    return ctx->m.shader->stage == IR_STAGE_compute && threads && threads % ctx->wave_size == 0 &&
           !ir_lanes_are_elsewhere(instr);
}

void adreno_select_reduction(struct select *ctx, const struct ir_instr *instr)
{
    const struct ir_value *value = ir_src(instr, 0);
    struct reduction r = {.ctx = ctx,
                          .op = ir_imm(instr, IR_IMM_REDUCTION),
                          .bits = value->bits,
                          .words = adreno_sel_words(value),
                          .class = adreno_sel_class(value)};
    r.identity = ir_reduction_identity(r.op, value->bits);
    mach_temp *regs = mach_alloc(ctx->m.program, MAX_WORDS * sizeof(*regs)), exclusive[MAX_WORDS] = {0};
    for (unsigned i = 0; i < r.words; i++)
        regs[i] = adreno_sel_reg(ctx, value, i);
    unsigned cluster = instr->op == IR_OP_reduce ? ir_imm(instr, IR_IMM_CLUSTER) : 0;
    if (cluster == 0 || cluster > ctx->wave_size)
        cluster = ctx->wave_size;
    if (instr->op != IR_OP_reduce) {
        scan_lanes(&r, regs, instr->op == IR_OP_scan_exclusive ? exclusive : NULL);
        for (unsigned i = 0; i < r.words && instr->op == IR_OP_scan_exclusive; i++)
            regs[i] = exclusive[i];
    } else if (has_all_lanes(ctx, instr)) {
        exchange_halves(&r, regs, cluster);
    } else if (cluster == ctx->wave_size) {
        scan_lanes(&r, regs, NULL);
        from_shared(&r, regs);
    } else if (cluster > 1) {
        reduce_clusters(&r, regs, cluster);
    }
    adreno_sel_set(ctx, &instr->def, regs);
}
