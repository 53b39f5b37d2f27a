/* Selection of what lanes know of each other: ballots, votes, shuffles, quads. Reductions are in select_reduce.c.
 *
 * A shared register has one value for all lanes of a wave; what is written to it is the first active lane's. Values go
 * from lane to lane through it, and where only some lanes may write it, they do so in a block of their own. The registers
 * are used within one operation only. */
#include "adreno/compiler/select.h"
#include "adreno/hw/chip.h"
#include "util/bits.h"

enum {
    EQ = 4,
    NE = 5
};

static struct air_instr *last_instr(struct select *ctx)
{
    return container_of(ctx->b.before->prev, struct air_instr, link);
}

/* ---- shared registers ---- */

static struct air_instr *move_to_shared(struct select *ctx, unsigned component, enum air_type from,
                                        struct air_operand value)
{
    struct air_instr *mov = adreno_air_instr(&ctx->b, ADRENO_ISA_OP_MOV, 1, 1);
    mov->isa.field[ADRENO_ISA_FIELD_SRC_TYPE] = (int16_t)from;
    mov->isa.field[ADRENO_ISA_FIELD_DST_TYPE] = AIR_U32;
    mov->defs[0].special = (uint16_t)(SEL_SHARED + component);
    mov->operands[0] = value;
    mov->operands[0].place = ADRENO_ISA_PLACE_SRC0;
    mov->has_effect = true;
    mov->isa.field[ADRENO_ISA_FIELD_SS] = 1; /* as below */
    return mov;
}

void adreno_sel_to_shared(struct select *ctx, unsigned component, air_temp value)
{
    const bool is_half = ctx->program->temps[value].class.is_half;
    move_to_shared(ctx, component, is_half ? AIR_U16 : AIR_U32, air_use(value));
}

void adreno_sel_number_to_shared(struct select *ctx, unsigned component, uint32_t value)
{
    move_to_shared(ctx, component, AIR_U32, air_number((int32_t)value));
}

air_temp adreno_sel_from_shared(struct select *ctx, unsigned component, struct air_class class)
{
    const air_temp value =
        adreno_sel_move(ctx, AIR_U32, class.is_half ? AIR_U16 : AIR_U32, air_special(SEL_SHARED + (int32_t)component));
    /* Another fiber may have written it, on a way that this one does not come by. */
    last_instr(ctx)->isa.field[ADRENO_ISA_FIELD_SS] = 1;
    return value;
}

/* ---- lanes ---- */

air_temp adreno_sel_lane(struct select *ctx)
{
    if (!ctx->options->chip->has_getfiberid)
        return adreno_sel_alu2(ctx, ADRENO_ISA_OP_AND_B, AIR_FULL(1), air_use(adreno_sel_local_index(ctx)),
                               air_number((int32_t)ctx->wave_size - 1));
    const air_temp lane = adreno_air_temp(ctx->program, AIR_FULL(1));
    adreno_air_form(&ctx->b, AIR_FORM_FIBER, lane, 0);
    return lane;
}

/* ---- ballots and votes ---- */

static void mask_to_shared(struct select *ctx, unsigned words)
{
    struct air_instr *movmsk = adreno_air_instr(&ctx->b, ADRENO_ISA_OP_MOVMSK, 1, 0);
    movmsk->isa.field[ADRENO_ISA_FIELD_REPEAT] = (int16_t)(words - 1);
    movmsk->defs[0].special = SEL_SHARED;
    movmsk->defs[0].count = (uint8_t)words;
    movmsk->has_effect = true;
    movmsk->isa.field[ADRENO_ISA_FIELD_SS] = 1;
}

/* The first 64 of them. */
static void select_active_mask(struct select *ctx, const struct ir_instr *instr)
{
    air_temp *regs = adreno_sel_alloc(ctx, 2 * sizeof(*regs));
    mask_to_shared(ctx, 2);
    for (unsigned i = 0; i < 2; i++)
        regs[i] = adreno_sel_from_shared(ctx, i, AIR_FULL(1));
    adreno_sel_set(ctx, &instr->def, regs);
}

/* Lanes of the condition alone reach movmsk. Four words for 128 lanes. */
static void ballot(struct select *ctx, const struct ir_value *condition, unsigned words, air_temp *words_out)
{
    const uint32_t some = adreno_sel_new_block(ctx), after = adreno_sel_new_block(ctx);
    for (unsigned i = 0; i < words; i++)
        adreno_sel_number_to_shared(ctx, i, 0);
    adreno_sel_condition(ctx, condition);
    adreno_sel_branch(ctx, 0, some, after);
    adreno_sel_begin_block(ctx, some);
    mask_to_shared(ctx, words);
    adreno_sel_jump(ctx, after);
    adreno_sel_begin_block(ctx, after);
    for (unsigned i = 0; i < words; i++)
        words_out[i] = adreno_sel_from_shared(ctx, i, AIR_FULL(1));
}

static void select_ballot(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned words = ctx->wave_size / 32;
    air_temp *regs = adreno_sel_alloc(ctx, 4 * sizeof(*regs));
    const bool is_high = instr->op == IR_OP_ballot_high;
    if (is_high && words < 4) {
        regs[0] = regs[1] = adreno_sel_number(ctx, AIR_FULL(1), 0);
        adreno_sel_set(ctx, &instr->def, regs);
        return;
    }
    if (ctx->ballot.condition != ir_src(instr, 0) || ctx->ballot.block != ctx->block) {
        ballot(ctx, ir_src(instr, 0), words, ctx->ballot.words);
        ctx->ballot.condition = ir_src(instr, 0);
        ctx->ballot.block = ctx->block;
    }
    regs[0] = ctx->ballot.words[is_high ? 2 : 0];
    regs[1] = ctx->ballot.words[is_high ? 3 : 1];
    adreno_sel_set(ctx, &instr->def, regs);
}

static void set_one(struct select *ctx, const struct ir_instr *instr, air_temp reg)
{
    air_temp *regs = adreno_sel_alloc(ctx, sizeof(*regs));
    regs[0] = reg;
    adreno_sel_set(ctx, &instr->def, regs);
}

/* One number by the way that a branch leads straight to the end, the other by the way around. */
static air_temp number_of_way(struct select *ctx, unsigned op, int32_t straight, int32_t around)
{
    const uint32_t way = adreno_sel_new_block(ctx), after = adreno_sel_new_block(ctx);
    adreno_sel_branch(ctx, op, after, way);
    adreno_sel_begin_block(ctx, way);
    adreno_sel_jump(ctx, after);
    adreno_sel_begin_block(ctx, after);
    struct air_instr *phi = adreno_air_instr(&ctx->b, AIR_P_PHI, 1, 2);
    phi->operands[0] = air_number(straight);
    phi->operands[1] = air_number(around);
    return phi->defs[0].temp = adreno_air_temp(ctx->program, AIR_FULL(1));
}

static void select_vote(struct select *ctx, const struct ir_instr *instr)
{
    adreno_sel_condition(ctx, ir_src(instr, 0));
    set_one(ctx, instr,
            number_of_way(ctx, instr->op == IR_OP_vote_any ? ADRENO_ISA_OP_BANY : ADRENO_ISA_OP_BALL, 1, 0));
}

/* All lanes have what the first one has. */
static void select_vote_equal(struct select *ctx, const struct ir_instr *instr)
{
    const struct ir_value *x = ir_src(instr, 0);
    const bool is_float = ir_imm(instr, IR_IMM_IS_FLOAT);
    const unsigned words = adreno_sel_words(x);
    air_temp all = 0;
    for (unsigned i = 0; i < words; i++) {
        air_temp mine = adreno_sel_reg(ctx, x, i);
        if (x->bits == 8)
            mine = adreno_sel_alu2(ctx, ADRENO_ISA_OP_AND_B, AIR_HALF(1), air_use(mine), air_number(0xff));
        adreno_sel_to_shared(ctx, i, mine);
        const air_temp first = adreno_sel_from_shared(ctx, i, ctx->program->temps[mine].class);
        const air_temp equal = adreno_sel_compare(ctx, is_float ? ADRENO_ISA_OP_CMPS_F : ADRENO_ISA_OP_CMPS_U, EQ,
                                                  air_use(mine), air_use(first));
        all = all ? adreno_sel_alu2(ctx, ADRENO_ISA_OP_AND_B, AIR_FULL(1), air_use(all), air_use(equal)) : equal;
    }
    adreno_sel_compare_to(ctx, ADRENO_ISA_OP_CMPS_S, NE, air_use(all), air_number(0),
                          (struct air_def){.special = ADRENO_ISA_REG_P0});
    set_one(ctx, instr, number_of_way(ctx, ADRENO_ISA_OP_BALL, 1, 0));
}

/* ---- one lane's value ---- */

static void select_first(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned words = adreno_sel_words(&instr->def);
    air_temp *regs = adreno_sel_alloc(ctx, words * sizeof(*regs));
    for (unsigned i = 0; i < words; i++) {
        adreno_sel_to_shared(ctx, i, adreno_sel_reg(ctx, ir_src(instr, 0), i));
        regs[i] = adreno_sel_from_shared(ctx, i, adreno_sel_class(&instr->def));
    }
    adreno_sel_set(ctx, &instr->def, regs);
}

static void select_read_lane(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned words = adreno_sel_words(&instr->def);
    const air_temp lane = adreno_sel_reg(ctx, ir_src(instr, 1), 0);
    air_temp *regs = adreno_sel_alloc(ctx, words * sizeof(*regs)), x[2];
    for (unsigned i = 0; i < words; i++)
        x[i] = adreno_sel_reg(ctx, ir_src(instr, 0), i);
    const uint32_t one = adreno_sel_new_block(ctx), after = adreno_sel_new_block(ctx);
    adreno_sel_compare_to(ctx, ADRENO_ISA_OP_CMPS_U, EQ, air_use(adreno_sel_lane(ctx)), air_use(lane),
                          (struct air_def){.special = ADRENO_ISA_REG_P0});
    adreno_sel_branch(ctx, 0, one, after);
    adreno_sel_begin_block(ctx, one);
    for (unsigned i = 0; i < words; i++)
        adreno_sel_to_shared(ctx, i, x[i]);
    adreno_sel_jump(ctx, after);
    adreno_sel_begin_block(ctx, after);
    for (unsigned i = 0; i < words; i++)
        regs[i] = adreno_sel_from_shared(ctx, i, adreno_sel_class(&instr->def));
    adreno_sel_set(ctx, &instr->def, regs);
}

/* ---- shuffles ---- */

enum {
    XOR = 1,
    UP,
    DOWN,
    ROTATED_DOWN = 7
};

air_temp adreno_sel_shuffle(struct select *ctx, unsigned mode, air_temp x, struct air_operand by)
{
    const struct air_class class = ctx->program->temps[x].class;
    const air_temp result = adreno_air_temp(ctx->program, class);
    struct air_instr *shfl = adreno_air_form(&ctx->b, AIR_FORM_SHFL, result, 2);
    shfl->isa.field[ADRENO_ISA_FIELD_SHUFFLE] = (int16_t)mode;
    shfl->isa.field[ADRENO_ISA_FIELD_TYPE] = class.is_half ? AIR_U16 : AIR_U32;
    shfl->operands[0] = air_use(x);
    shfl->operands[0].place = ADRENO_ISA_PLACE_SRC0;
    shfl->operands[1] = by;
    shfl->operands[1].flags |= by.kind == AIR_NUMBER ? ADRENO_ISA_FLAG_IMMEDIATE : 0;
    shfl->operands[1].place = ADRENO_ISA_PLACE_SRC1;
    return result;
}

/* The lane that this one reads, minus its own number. */
static air_temp distance_of(struct select *ctx, const struct ir_instr *instr)
{
    const air_temp by = adreno_sel_reg(ctx, ir_src(instr, 1), 0), me = adreno_sel_lane(ctx);
    air_temp lane = by, inside;
    uint32_t cluster = ctx->wave_size;
    switch (instr->op) {
    case IR_OP_shuffle_up:
        return adreno_sel_alu2(ctx, ADRENO_ISA_OP_SUB_S, AIR_FULL(1), air_number(0), air_use(by));
    case IR_OP_shuffle_down:
        return by;
    case IR_OP_shuffle_xor:
        lane = adreno_sel_alu2(ctx, ADRENO_ISA_OP_XOR_B, AIR_FULL(1), air_use(me), air_use(by));
        break;
    case IR_OP_rotate:
        if (ir_imm(instr, IR_IMM_CLUSTER))
            cluster = MIN2(cluster, ir_imm(instr, IR_IMM_CLUSTER));
        inside = adreno_sel_alu2(ctx, ADRENO_ISA_OP_ADD_S, AIR_FULL(1), air_use(me), air_use(by));
        inside =
            adreno_sel_alu2(ctx, ADRENO_ISA_OP_AND_B, AIR_FULL(1), air_use(inside), air_number((int32_t)cluster - 1));
        lane = adreno_sel_alu2(ctx, ADRENO_ISA_OP_AND_B, AIR_FULL(1), air_use(me), air_number(-(int32_t)cluster));
        lane = adreno_sel_alu2(ctx, ADRENO_ISA_OP_OR_B, AIR_FULL(1), air_use(lane), air_use(inside));
        break;
    default:
        break;
    }
    return adreno_sel_alu2(ctx, ADRENO_ISA_OP_SUB_S, AIR_FULL(1), air_use(lane), air_use(me));
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
    const struct air_class class = adreno_sel_class(&instr->def);
    const unsigned words = adreno_sel_words(&instr->def);
    air_temp *regs = adreno_sel_alloc(ctx, words * sizeof(*regs)), x[2], result[2];
    const air_temp all = adreno_sel_number(ctx, AIR_FULL(1), (uint32_t)ctx->wave_size - 1);
    const air_temp distance =
        adreno_sel_alu2(ctx, ADRENO_ISA_OP_AND_B, AIR_FULL(1), air_use(distance_of(ctx, instr)), air_use(all));
    for (unsigned i = 0; i < words; i++)
        x[i] = adreno_sel_reg(ctx, ir_src(instr, 0), i);
    const uint32_t head = adreno_sel_new_block(ctx), some = adreno_sel_new_block(ctx);
    const uint32_t body = adreno_sel_new_block(ctx), after = adreno_sel_new_block(ctx);
    adreno_sel_jump(ctx, head);
    adreno_sel_begin_block(ctx, head);
    struct air_instr *phis[3];
    for (unsigned i = 0; i <= words; i++) {
        phis[i] = adreno_air_instr(&ctx->b, AIR_P_PHI, 1, 2);
        phis[i]->defs[0].temp = adreno_air_temp(ctx->program, i ? class : AIR_FULL(1));
        phis[i]->operands[0] = air_number(i == 0);
    }
    const air_temp left = phis[0]->defs[0].temp;
    adreno_sel_compare_to(ctx, ADRENO_ISA_OP_CMPS_S, NE, air_use(left), air_number(0),
                          (struct air_def){.special = ADRENO_ISA_REG_P0});
    adreno_sel_branch(ctx, 0, some, body);
    adreno_sel_begin_block(ctx, some);
    adreno_sel_to_shared(ctx, 0, distance);
    adreno_sel_jump(ctx, body);
    adreno_sel_begin_block(ctx, body);
    const air_temp now = adreno_sel_from_shared(ctx, 0, AIR_FULL(1));
    const air_temp is_mine = adreno_sel_compare(ctx, ADRENO_ISA_OP_CMPS_U, EQ, air_use(distance), air_use(now));
    const air_temp choice = class.is_half ? adreno_sel_move(ctx, AIR_U32, AIR_U16, air_use(is_mine)) : is_mine;
    for (unsigned i = 0; i < words; i++) {
        const air_temp there = adreno_sel_shuffle(ctx, ROTATED_DOWN, x[i], air_use(now));
        const struct air_operand operands[] = {air_use(there), air_use(choice), air_use(phis[1 + i]->defs[0].temp)};
        result[i] =
            adreno_sel_alu(ctx, class.is_half ? ADRENO_ISA_OP_SEL_B16 : ADRENO_ISA_OP_SEL_B32, class, 3, operands);
    }
    const air_temp rest = adreno_sel_alu2(ctx, ADRENO_ISA_OP_SUB_S, AIR_FULL(1), air_use(left), air_use(is_mine));
    const air_temp more = adreno_sel_alu2(ctx, ADRENO_ISA_OP_MAX_S, AIR_FULL(1), air_use(rest), air_number(0));
    adreno_sel_compare_to(ctx, ADRENO_ISA_OP_CMPS_S, NE, air_use(more), air_number(0),
                          (struct air_def){.special = ADRENO_ISA_REG_P0});
    adreno_sel_branch(ctx, ADRENO_ISA_OP_BANY, head, after);
    phis[0]->operands[1] = air_use(more);
    for (unsigned i = 0; i < words; i++) {
        phis[1 + i]->operands[1] = air_use(result[i]);
        regs[i] = result[i];
    }
    adreno_sel_begin_block(ctx, after);
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
    air_temp *regs = adreno_sel_alloc(ctx, words * sizeof(*regs));
    const air_temp by = adreno_sel_reg(ctx, ir_src(instr, 1), 0);
    for (unsigned i = 0; i < words; i++)
        regs[i] = adreno_sel_shuffle(ctx, mode, adreno_sel_reg(ctx, ir_src(instr, 0), i), air_use(by));
    adreno_sel_set(ctx, &instr->def, regs);
}

/* ---- quads ---- */

static void select_quad(struct select *ctx, const struct ir_instr *instr)
{
    const struct air_class class = adreno_sel_class(&instr->def);
    const unsigned words = adreno_sel_words(&instr->def);
    const bool is_read = instr->op == IR_OP_quad_read;
    air_temp *regs = adreno_sel_alloc(ctx, words * sizeof(*regs));
    air_temp which = is_read ? adreno_sel_reg(ctx, ir_src(instr, 1), 0) : 0;
    if (is_read && class.is_half)
        which = adreno_sel_move(ctx, AIR_U32, AIR_U16, air_use(which));
    for (unsigned i = 0; i < words; i++) {
        const air_temp x = adreno_sel_reg(ctx, ir_src(instr, 0), i);
        regs[i] = adreno_air_temp(ctx->program, class);
        adreno_air_form(&ctx->b, is_read ? AIR_FORM_QUAD_READ : AIR_FORM_QUAD_SWAP, regs[i], is_read ? 2 : 1);
        struct air_instr *quad = last_instr(ctx);
        if (!is_read)
            quad->isa.op = (uint16_t)(quad->isa.op + ir_imm(instr, IR_IMM_DIRECTION));
        quad->isa.field[ADRENO_ISA_FIELD_TYPE] = class.is_half ? AIR_U16 : AIR_U32;
        quad->isa.field[ADRENO_ISA_FIELD_FULL] = !class.is_half;
        quad->operands[0] = air_use(x);
        quad->operands[0].place = ADRENO_ISA_PLACE_SRC0;
        if (is_read) {
            quad->operands[1] = air_use(which);
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
        set_one(ctx, instr, number_of_way(ctx, ADRENO_ISA_OP_GETONE, 0, 1));
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
