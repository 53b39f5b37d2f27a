/* Selection of what lanes know of each other: ballots, votes, shuffles, quads. Reductions are in select_reduce.c.
 *
 * A shared register has one value for all lanes of a wave; what is written to it is the first active lane's. Values go
 * from lane to lane through it, and where only some lanes may write it, the others skip the instruction (guards.c). The
 * registers are used within one operation only: each takes the next ones, so that operations need not wait for each
 * other. */
#include "adreno/compiler/select.h"
#include "adreno/hw/chip.h"
#include "util/bits.h"

enum {
    EQ = 4,
    NE = 5
};

static struct mach_instr *last_instr(struct select *ctx)
{
    return container_of(ctx->m.b.before->prev, struct mach_instr, link);
}

/* ---- guards ---- */

/* p0.y, p0.z and p0.w in turn; p0.x is that of branches. */
static unsigned new_predicate(struct select *ctx)
{
    return ADRENO_ISA_REG_P0 + 1 + ctx->num_predicates++ % 3;
}

/* Skipped by a branch before it: `op`, which may read the predicate; ADRENO_ISA_OP_BR where that is not set. Its last
 * operand is free for it. */
static void guard(struct mach_instr *instr, unsigned op, unsigned predicate)
{
    instr->branch = (uint16_t)op;
    if (op == ADRENO_ISA_OP_GETONE) {
        instr->num_operands--;
        return;
    }
    instr->operands[instr->num_operands - 1] = air_special((int32_t)predicate);
    instr->operands[instr->num_operands - 1].place = AIR_PLACE_NONE;
}

/* ---- shared registers ---- */

#define GROUPS 7 /* r49 to r55 */

/* The first of four. */
static unsigned new_shared(struct select *ctx)
{
    return 4 * (ctx->num_shared++ % GROUPS);
}

static struct mach_instr *move_to_shared(struct select *ctx, unsigned component, enum air_type from,
                                         struct mach_operand value, unsigned predicate)
{
    struct mach_instr *mov = mach_new_instr(&ctx->m.b, ADRENO_ISA_OP_MOV, 1, predicate ? 2 : 1);
    if (predicate)
        guard(mov, ADRENO_ISA_OP_BR, predicate);
    air_isa(mov)->field[ADRENO_ISA_FIELD_SRC_TYPE] = (int16_t)from;
    air_isa(mov)->field[ADRENO_ISA_FIELD_DST_TYPE] = AIR_U32;
    mov->defs[0].special = (uint16_t)(SEL_SHARED + component);
    mov->operands[0] = value;
    mov->operands[0].place = ADRENO_ISA_PLACE_SRC0;
    mov->has_effect = true;
    air_isa(mov)->field[ADRENO_ISA_FIELD_SS] = 1; /* as below */
    return mov;
}

/* Of fibers that have the predicate; 0: of all. */
static void some_to_shared(struct select *ctx, unsigned component, mach_temp value, unsigned predicate)
{
    const bool is_half = air_is_half(ctx->m.program->temps[value].class);
    move_to_shared(ctx, component, is_half ? AIR_U16 : AIR_U32, mach_use(value), predicate);
}

void adreno_sel_to_shared(struct select *ctx, unsigned component, mach_temp value)
{
    some_to_shared(ctx, component, value, 0);
}

void adreno_sel_number_to_shared(struct select *ctx, unsigned component, uint32_t value)
{
    move_to_shared(ctx, component, AIR_U32, mach_number(value), 0);
}

mach_temp adreno_sel_from_shared(struct select *ctx, unsigned component, struct mach_class class)
{
    const mach_temp value = adreno_sel_move(ctx, AIR_U32, air_is_half(class) ? AIR_U16 : AIR_U32,
                                            air_special(SEL_SHARED + (int32_t)component));
    /* Another fiber may have written it, on a way that this one does not come by. */
    air_isa(last_instr(ctx))->field[ADRENO_ISA_FIELD_SS] = 1;
    return value;
}

/* ---- lanes ---- */

mach_temp adreno_sel_lane(struct select *ctx)
{
    if (!ctx->options->chip->has_getfiberid)
        return adreno_sel_alu2(ctx, ADRENO_ISA_OP_AND_B, AIR_FULL(1), mach_use(adreno_sel_local_index(ctx)),
                               mach_number((uint32_t)ctx->wave_size - 1));
    const mach_temp lane = mach_new_temp(ctx->m.program, AIR_FULL(1));
    adreno_air_form(&ctx->m.b, AIR_FORM_FIBER, lane, 0);
    return lane;
}

/* ---- ballots and votes ---- */

static void mask_to_shared(struct select *ctx, unsigned component, unsigned words, unsigned predicate)
{
    struct mach_instr *movmsk = mach_new_instr(&ctx->m.b, ADRENO_ISA_OP_MOVMSK, 1, predicate ? 1 : 0);
    if (predicate)
        guard(movmsk, ADRENO_ISA_OP_BR, predicate);
    air_isa(movmsk)->field[ADRENO_ISA_FIELD_REPEAT] = (int16_t)(words - 1);
    movmsk->defs[0].special = (uint16_t)(SEL_SHARED + component);
    movmsk->defs[0].count = (uint8_t)words;
    movmsk->has_effect = true;
    air_isa(movmsk)->field[ADRENO_ISA_FIELD_SS] = 1;
}

/* The first 64 of them. */
static void select_active_mask(struct select *ctx, const struct ir_instr *instr)
{
    mach_temp *regs = mach_alloc(ctx->m.program, 2 * sizeof(*regs));
    const unsigned shared = new_shared(ctx);
    mask_to_shared(ctx, shared, 2, 0);
    for (unsigned i = 0; i < 2; i++)
        regs[i] = adreno_sel_from_shared(ctx, shared + i, AIR_FULL(1));
    adreno_sel_set(ctx, &instr->def, regs);
}

/* Lanes of the condition alone reach movmsk. Four words for 128 lanes. */
static void ballot(struct select *ctx, const struct ir_value *condition, unsigned words, mach_temp *words_out)
{
    const unsigned shared = new_shared(ctx), predicate = new_predicate(ctx);
    for (unsigned i = 0; i < words; i++)
        adreno_sel_number_to_shared(ctx, shared + i, 0);
    adreno_sel_condition_to(ctx, condition, predicate);
    mask_to_shared(ctx, shared, words, predicate);
    for (unsigned i = 0; i < words; i++)
        words_out[i] = adreno_sel_from_shared(ctx, shared + i, AIR_FULL(1));
}

static void select_ballot(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned words = ctx->wave_size / 32;
    mach_temp *regs = mach_alloc(ctx->m.program, 4 * sizeof(*regs));
    const bool is_high = instr->op == IR_OP_ballot_high;
    if (is_high && words < 4) {
        regs[0] = regs[1] = adreno_sel_number(ctx, AIR_FULL(1), 0);
        adreno_sel_set(ctx, &instr->def, regs);
        return;
    }
    if (ctx->ballot.condition != ir_src(instr, 0) || ctx->ballot.block != ctx->m.block) {
        ballot(ctx, ir_src(instr, 0), words, ctx->ballot.words);
        ctx->ballot.condition = ir_src(instr, 0);
        ctx->ballot.block = ctx->m.block;
    }
    regs[0] = ctx->ballot.words[is_high ? 2 : 0];
    regs[1] = ctx->ballot.words[is_high ? 3 : 1];
    adreno_sel_set(ctx, &instr->def, regs);
}

static void set_one(struct select *ctx, const struct ir_instr *instr, mach_temp reg)
{
    mach_select_set_one(&ctx->m, &instr->def, reg);
}

/* One number where the branch leads over an instruction, which makes the other one. */
static mach_temp number_of_way(struct select *ctx, unsigned op, unsigned predicate, uint32_t over, uint32_t through)
{
    const mach_temp before = adreno_sel_number(ctx, AIR_FULL(1), over);
    struct mach_instr *mov = mach_new_instr(&ctx->m.b, ADRENO_ISA_OP_MOV, 1, 3);
    air_isa(mov)->field[ADRENO_ISA_FIELD_SRC_TYPE] = air_isa(mov)->field[ADRENO_ISA_FIELD_DST_TYPE] = AIR_U32;
    mov->is_tied = true;
    mov->operands[0] = mach_use(before);
    mov->operands[0].place = ADRENO_ISA_PLACE_DST;
    mov->operands[1] = mach_number(through);
    mov->operands[1].place = ADRENO_ISA_PLACE_SRC0;
    guard(mov, op, predicate);
    return mov->defs[0].temp = mach_new_temp(ctx->m.program, AIR_FULL(1));
}

static void select_vote(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned predicate = new_predicate(ctx);
    adreno_sel_condition_to(ctx, ir_src(instr, 0), predicate);
    set_one(ctx, instr,
            number_of_way(ctx, instr->op == IR_OP_vote_any ? ADRENO_ISA_OP_BANY : ADRENO_ISA_OP_BALL, predicate, 1, 0));
}

/* All lanes have what the first one has. */
static void select_vote_equal(struct select *ctx, const struct ir_instr *instr)
{
    const struct ir_value *x = ir_src(instr, 0);
    const bool is_float = ir_imm(instr, IR_IMM_IS_FLOAT);
    const unsigned words = adreno_sel_words(x), shared = new_shared(ctx), predicate = new_predicate(ctx);
    mach_temp all = 0;
    for (unsigned i = 0; i < words; i++) {
        mach_temp mine = adreno_sel_reg(ctx, x, i);
        if (x->bits == 8)
            mine = adreno_sel_alu2(ctx, ADRENO_ISA_OP_AND_B, AIR_HALF(1), mach_use(mine), mach_number(0xff));
        adreno_sel_to_shared(ctx, shared + i, mine);
        const mach_temp first = adreno_sel_from_shared(ctx, shared + i, ctx->m.program->temps[mine].class);
        const mach_temp equal = adreno_sel_compare(ctx, is_float ? ADRENO_ISA_OP_CMPS_F : ADRENO_ISA_OP_CMPS_U, EQ,
                                                   mach_use(mine), mach_use(first));
        all = all ? adreno_sel_alu2(ctx, ADRENO_ISA_OP_AND_B, AIR_FULL(1), mach_use(all), mach_use(equal)) : equal;
    }
    adreno_sel_compare_to(ctx, ADRENO_ISA_OP_CMPS_S, NE, mach_use(all), mach_number(0),
                          (struct mach_def){.special = (uint16_t)predicate});
    set_one(ctx, instr, number_of_way(ctx, ADRENO_ISA_OP_BALL, predicate, 1, 0));
}

/* ---- one lane's value ---- */

static void select_first(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned words = adreno_sel_words(&instr->def), shared = new_shared(ctx);
    mach_temp *regs = mach_alloc(ctx->m.program, words * sizeof(*regs));
    for (unsigned i = 0; i < words; i++) {
        adreno_sel_to_shared(ctx, shared + i, adreno_sel_reg(ctx, ir_src(instr, 0), i));
        regs[i] = adreno_sel_from_shared(ctx, shared + i, adreno_sel_class(&instr->def));
    }
    adreno_sel_set(ctx, &instr->def, regs);
}

static void select_read_lane(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned words = adreno_sel_words(&instr->def);
    const mach_temp lane = adreno_sel_reg(ctx, ir_src(instr, 1), 0);
    mach_temp *regs = mach_alloc(ctx->m.program, words * sizeof(*regs)), x[2];
    for (unsigned i = 0; i < words; i++)
        x[i] = adreno_sel_reg(ctx, ir_src(instr, 0), i);
    const unsigned shared = new_shared(ctx), predicate = new_predicate(ctx);
    adreno_sel_compare_to(ctx, ADRENO_ISA_OP_CMPS_U, EQ, mach_use(adreno_sel_lane(ctx)), mach_use(lane),
                          (struct mach_def){.special = (uint16_t)predicate});
    for (unsigned i = 0; i < words; i++)
        some_to_shared(ctx, shared + i, x[i], predicate);
    for (unsigned i = 0; i < words; i++)
        regs[i] = adreno_sel_from_shared(ctx, shared + i, adreno_sel_class(&instr->def));
    adreno_sel_set(ctx, &instr->def, regs);
}

/* ---- shuffles ---- */

enum {
    XOR = 1,
    UP,
    DOWN,
    ROTATED_DOWN = 7
};

mach_temp adreno_sel_shuffle(struct select *ctx, unsigned mode, mach_temp x, struct mach_operand by)
{
    const struct mach_class class = ctx->m.program->temps[x].class;
    const mach_temp result = mach_new_temp(ctx->m.program, class);
    struct mach_instr *shfl = adreno_air_form(&ctx->m.b, AIR_FORM_SHFL, result, 2);
    air_isa(shfl)->field[ADRENO_ISA_FIELD_SHUFFLE] = (int16_t)mode;
    air_isa(shfl)->field[ADRENO_ISA_FIELD_TYPE] = air_is_half(class) ? AIR_U16 : AIR_U32;
    shfl->operands[0] = mach_use(x);
    shfl->operands[0].place = ADRENO_ISA_PLACE_SRC0;
    shfl->operands[1] = by;
    shfl->operands[1].flags |= by.kind == MACH_NUMBER ? ADRENO_ISA_FLAG_IMMEDIATE : 0;
    shfl->operands[1].place = ADRENO_ISA_PLACE_SRC1;
    return result;
}

/* The lane that this one reads, minus its own number. */
static mach_temp distance_of(struct select *ctx, const struct ir_instr *instr)
{
    const mach_temp by = adreno_sel_reg(ctx, ir_src(instr, 1), 0), me = adreno_sel_lane(ctx);
    mach_temp lane = by, inside;
    uint32_t cluster = ctx->wave_size;
    switch (instr->op) {
    case IR_OP_shuffle_up:
        return adreno_sel_alu2(ctx, ADRENO_ISA_OP_SUB_S, AIR_FULL(1), mach_number(0), mach_use(by));
    case IR_OP_shuffle_down:
        return by;
    case IR_OP_shuffle_xor:
        lane = adreno_sel_alu2(ctx, ADRENO_ISA_OP_XOR_B, AIR_FULL(1), mach_use(me), mach_use(by));
        break;
    case IR_OP_rotate:
        if (ir_imm(instr, IR_IMM_CLUSTER))
            cluster = MIN2(cluster, ir_imm(instr, IR_IMM_CLUSTER));
        inside = adreno_sel_alu2(ctx, ADRENO_ISA_OP_ADD_S, AIR_FULL(1), mach_use(me), mach_use(by));
        inside = adreno_sel_alu2(ctx, ADRENO_ISA_OP_AND_B, AIR_FULL(1), mach_use(inside),
                                 mach_number((uint32_t)cluster - 1));
        lane = adreno_sel_alu2(ctx, ADRENO_ISA_OP_AND_B, AIR_FULL(1), mach_use(me), mach_number(-(int32_t)cluster));
        lane = adreno_sel_alu2(ctx, ADRENO_ISA_OP_OR_B, AIR_FULL(1), mach_use(lane), mach_use(inside));
        break;
    default:
        break;
    }
    return adreno_sel_alu2(ctx, ADRENO_ISA_OP_SUB_S, AIR_FULL(1), mach_use(lane), mach_use(me));
}

/* A shuffle takes one distance for all lanes. A loop takes the distance of the first lane that has not been served, and
 * serves all that want the same; every lane stays to the end, for others read its registers.
 *
 *     left = phi(1, left'), result = phi(0, result')
 *     if (left) shared = distance
 *     is_mine = distance == shared; result' = is_mine ? shuffle(x, shared) : result; left' = is_mine ? 0 : left
 *     again where any lane has left' */
static void shuffle_loop(struct select *ctx, const struct ir_instr *instr)
{
    const struct mach_class class = adreno_sel_class(&instr->def);
    const unsigned words = adreno_sel_words(&instr->def);
    mach_temp *regs = mach_alloc(ctx->m.program, words * sizeof(*regs)), x[2], result[2];
    const mach_temp all = adreno_sel_number(ctx, AIR_FULL(1), (uint32_t)ctx->wave_size - 1);
    const mach_temp distance =
        adreno_sel_alu2(ctx, ADRENO_ISA_OP_AND_B, AIR_FULL(1), mach_use(distance_of(ctx, instr)), mach_use(all));
    for (unsigned i = 0; i < words; i++)
        x[i] = adreno_sel_reg(ctx, ir_src(instr, 0), i);
    const uint32_t head = mach_select_new_block(&ctx->m), some = mach_select_new_block(&ctx->m);
    const uint32_t body = mach_select_new_block(&ctx->m), after = mach_select_new_block(&ctx->m);
    mach_select_jump(&ctx->m, head);
    mach_select_begin_block(&ctx->m, head);
    struct mach_instr *phis[3];
    for (unsigned i = 0; i <= words; i++) {
        phis[i] = mach_new_instr(&ctx->m.b, MACH_P_PHI, 1, 2);
        phis[i]->defs[0].temp = mach_new_temp(ctx->m.program, i ? class : AIR_FULL(1));
        phis[i]->operands[0] = mach_number(i == 0);
    }
    const mach_temp left = phis[0]->defs[0].temp;
    adreno_sel_compare_to(ctx, ADRENO_ISA_OP_CMPS_S, NE, mach_use(left), mach_number(0),
                          (struct mach_def){.special = ADRENO_ISA_REG_P0});
    adreno_sel_branch(ctx, 0, some, body);
    mach_select_begin_block(&ctx->m, some);
    adreno_sel_to_shared(ctx, 0, distance);
    mach_select_jump(&ctx->m, body);
    mach_select_begin_block(&ctx->m, body);
    const mach_temp now = adreno_sel_from_shared(ctx, 0, AIR_FULL(1));
    const mach_temp is_mine = adreno_sel_compare(ctx, ADRENO_ISA_OP_CMPS_U, EQ, mach_use(distance), mach_use(now));
    const mach_temp choice = air_is_half(class) ? adreno_sel_move(ctx, AIR_U32, AIR_U16, mach_use(is_mine)) : is_mine;
    for (unsigned i = 0; i < words; i++) {
        const mach_temp there = adreno_sel_shuffle(ctx, ROTATED_DOWN, x[i], mach_use(now));
        const struct mach_operand operands[] = {mach_use(there), mach_use(choice), mach_use(phis[1 + i]->defs[0].temp)};
        result[i] =
            adreno_sel_alu(ctx, air_is_half(class) ? ADRENO_ISA_OP_SEL_B16 : ADRENO_ISA_OP_SEL_B32, class, 3, operands);
    }
    const mach_temp rest = adreno_sel_alu2(ctx, ADRENO_ISA_OP_SUB_S, AIR_FULL(1), mach_use(left), mach_use(is_mine));
    const mach_temp more = adreno_sel_alu2(ctx, ADRENO_ISA_OP_MAX_S, AIR_FULL(1), mach_use(rest), mach_number(0));
    adreno_sel_compare_to(ctx, ADRENO_ISA_OP_CMPS_S, NE, mach_use(more), mach_number(0),
                          (struct mach_def){.special = ADRENO_ISA_REG_P0});
    adreno_sel_branch(ctx, ADRENO_ISA_OP_BANY, head, after);
    phis[0]->operands[1] = mach_use(more);
    for (unsigned i = 0; i < words; i++) {
        phis[1 + i]->operands[1] = mach_use(result[i]);
        regs[i] = result[i];
    }
    mach_select_begin_block(&ctx->m, after);
    adreno_sel_set(ctx, &instr->def, regs);
}

/* True where all lanes shuffle by the same number. */
static bool has_one_distance(const struct select *ctx, const struct ir_instr *instr)
{
    const bool is_whole = instr->op != IR_OP_rotate || ir_imm(instr, IR_IMM_CLUSTER) == 0 ||
                          ir_imm(instr, IR_IMM_CLUSTER) >= ctx->wave_size;
    return instr->op != IR_OP_shuffle && is_whole && !ir_src(instr, 1)->divergent;
}

static void select_shuffle(struct select *ctx, const struct ir_instr *instr)
{
    if (instr->op == IR_OP_shuffle && !ir_src(instr, 1)->divergent) {
        select_read_lane(ctx, instr);
        return;
    }
    if (!has_one_distance(ctx, instr)) {
        shuffle_loop(ctx, instr);
        return;
    }
    const unsigned mode = instr->op == IR_OP_shuffle_xor    ? XOR
                          : instr->op == IR_OP_shuffle_up   ? UP
                          : instr->op == IR_OP_shuffle_down ? DOWN
                                                            : ROTATED_DOWN;
    const unsigned words = adreno_sel_words(&instr->def);
    mach_temp *regs = mach_alloc(ctx->m.program, words * sizeof(*regs));
    const mach_temp by = adreno_sel_reg(ctx, ir_src(instr, 1), 0);
    for (unsigned i = 0; i < words; i++)
        regs[i] = adreno_sel_shuffle(ctx, mode, adreno_sel_reg(ctx, ir_src(instr, 0), i), mach_use(by));
    adreno_sel_set(ctx, &instr->def, regs);
}

/* ---- quads ---- */

static void select_quad(struct select *ctx, const struct ir_instr *instr)
{
    const struct mach_class class = adreno_sel_class(&instr->def);
    const unsigned words = adreno_sel_words(&instr->def);
    const bool is_read = instr->op == IR_OP_quad_read;
    mach_temp *regs = mach_alloc(ctx->m.program, words * sizeof(*regs));
    mach_temp which = is_read ? adreno_sel_reg(ctx, ir_src(instr, 1), 0) : 0;
    if (is_read && air_is_half(class))
        which = adreno_sel_move(ctx, AIR_U32, AIR_U16, mach_use(which));
    for (unsigned i = 0; i < words; i++) {
        const mach_temp x = adreno_sel_reg(ctx, ir_src(instr, 0), i);
        regs[i] = mach_new_temp(ctx->m.program, class);
        adreno_air_form(&ctx->m.b, is_read ? AIR_FORM_QUAD_READ : AIR_FORM_QUAD_SWAP, regs[i], is_read ? 2 : 1);
        struct mach_instr *quad = last_instr(ctx);
        if (!is_read)
            quad->op = (uint16_t)(quad->op + ir_imm(instr, IR_IMM_DIRECTION));
        air_isa(quad)->field[ADRENO_ISA_FIELD_TYPE] = air_is_half(class) ? AIR_U16 : AIR_U32;
        air_isa(quad)->field[ADRENO_ISA_FIELD_FULL] = !air_is_half(class);
        quad->operands[0] = mach_use(x);
        quad->operands[0].place = ADRENO_ISA_PLACE_SRC0;
        if (is_read) {
            quad->operands[1] = mach_use(which);
            quad->operands[1].place = ADRENO_ISA_PLACE_SRC1;
        }
    }
    adreno_sel_set(ctx, &instr->def, regs);
}

bool adreno_select_lanes(struct select *ctx, const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_ballot:
    case IR_OP_ballot_high:
        select_ballot(ctx, instr);
        return true;
    case IR_OP_active_mask:
        select_active_mask(ctx, instr);
        return true;
    case IR_OP_elect:
        set_one(ctx, instr, number_of_way(ctx, ADRENO_ISA_OP_GETONE, 0, 0, 1));
        return true;
    case IR_OP_vote_all:
    case IR_OP_vote_any:
        select_vote(ctx, instr);
        return true;
    case IR_OP_vote_eq:
        select_vote_equal(ctx, instr);
        return true;
    case IR_OP_read_first:
        select_first(ctx, instr);
        return true;
    case IR_OP_read_lane:
        select_read_lane(ctx, instr);
        return true;
    case IR_OP_shuffle:
    case IR_OP_shuffle_xor:
    case IR_OP_shuffle_up:
    case IR_OP_shuffle_down:
    case IR_OP_rotate:
        select_shuffle(ctx, instr);
        return true;
    case IR_OP_quad_read:
    case IR_OP_quad_swap:
        select_quad(ctx, instr);
        return true;
    case IR_OP_reduce:
    case IR_OP_scan_inclusive:
    case IR_OP_scan_exclusive:
        adreno_select_reduction(ctx, instr);
        return true;
    default:
        return false;
    }
}
