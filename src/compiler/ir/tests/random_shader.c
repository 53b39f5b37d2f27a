/* Random shaders: see random_shader.h. A pool holds the values that dominate the cursor; leaving a branch forgets what
 * it made but for what its phis merge. Loops count to a small number, so that every shader ends. */
#include "random_shader.h"

#include <string.h>

#include "util/bits.h"
#include "util/hash.h"

#include "compiler/ir/ir_builder.h"

#define POOL 256
#define WORKGROUP 64
#define SLICE_B 64 /* of a buffer and of shared memory: a lane's own */

struct generator {
    struct ir_builder b;
    const struct random_options *options;
    uint64_t state;
    size_t next_byte;
    struct ir_value *pool[POOL];
    uint32_t count;
    uint32_t left;  /* instructions yet to make */
    uint32_t loops; /* around the cursor: a break or continue may stand here */
    bool uniform;   /* all lanes of the workgroup are here: operations between lanes are allowed */
    struct ir_value *lane, *slice, *buffer;
    struct ir_var *vars[2];
};

static uint32_t pick_number(struct generator *g, uint32_t below)
{
    if (g->next_byte < g->options->num_bytes && below <= 256)
        return g->options->bytes[g->next_byte++] % below;
    g->state = hash_u64(g->state + 0x9e3779b97f4a7c15ull);
    return (uint32_t)((g->state >> 20) % below);
}

static struct ir_value *keep_value(struct generator *g, struct ir_value *value)
{
    if (g->count < POOL)
        g->pool[g->count++] = value;
    else
        g->pool[POOL / 2 + pick_number(g, POOL / 2)] = value;
    return value;
}

static struct ir_value *constant(struct generator *g, uint8_t bits)
{
    static const double numbers[] = {0, 1, -1, 0.5, 2, 3.25, -7.5, 1e-3, 255};
    if (bits >= 16 && pick_number(g, 2))
        return ir_const_f(&g->b, bits, numbers[pick_number(g, ARRAY_SIZE(numbers))]);
    uint64_t small = pick_number(g, 20);
    switch (pick_number(g, 4)) {
    case 0:
        return ir_const(&g->b, bits, 0 - small);
    case 1:
        return ir_const(&g->b, bits, hash_u64(g->state));
    default:
        return ir_const(&g->b, bits, small);
    }
}

/* Any scalar of the width, younger ones more often; a constant where there is none. */
static struct ir_value *scalar(struct generator *g, uint8_t bits)
{
    for (unsigned tries = 0; tries < 12 && g->count; tries++) {
        struct ir_value *value =
            g->pool[pick_number(g, 2) ? pick_number(g, g->count) : g->count - 1 - pick_number(g, MIN2(g->count, 16))];
        if (value->bits == bits && value->comps == 1)
            return value;
    }
    return keep_value(g, constant(g, bits));
}

static uint8_t letter_bits(struct generator *g, uint8_t allowed)
{
    uint8_t bits;
    do
        bits = (uint8_t)(1u << pick_number(g, 7));
    while (!(bits & allowed));
    /* 32 bits are what most code is made of. */
    return allowed & 32 && pick_number(g, 2) ? 32 : bits;
}

static bool may_use(const struct generator *g, const struct ir_op_info *info)
{
    return info->folds && !(info->props & IR_PROP_FLOAT && g->options->no_floats);
}

static void alu(struct generator *g)
{
    enum ir_op op;
    do
        op = (enum ir_op)pick_number(g, IR_OP_COUNT);
    while (!may_use(g, &ir_op_infos[op]));
    const struct ir_op_info *info = &ir_op_infos[op];
    uint8_t widths[4] = {0};
    const uint8_t allowed = info->props & IR_PROP_FLOAT && g->options->no_doubles ? (uint8_t)~64 : UINT8_MAX;
    if (info->widths[0])
        widths[IR_LETTER_N] = letter_bits(g, info->widths[0] & allowed);
    if (info->widths[1])
        widths[IR_LETTER_M] = letter_bits(g, info->widths[1] & allowed);
    struct ir_value *srcs[IR_MAX_FIXED_SRCS];
    for (uint32_t i = 0; i < info->num_srcs; i++)
        srcs[i] = scalar(g, info->srcs[i].letter ? widths[info->srcs[i].letter] : info->srcs[i].bits);
    uint32_t imms[IR_MAX_IMMS] = {0};
    for (uint32_t i = 0; i < info->num_imms; i++) {
        uint32_t largest = ir_imm_infos[info->imms[i]].largest;
        imms[i] = largest == UINT32_MAX ? pick_number(g, 1000) : pick_number(g, largest + 1);
    }
    uint8_t bits = info->def.letter ? widths[info->def.letter] : info->def.bits;
    keep_value(g, &ir_build(&g->b, op, bits, 1, info->num_srcs, srcs, 0, NULL, imms)->def);
}

/* An offset of a lane's own slice, aligned to 4. */
static struct ir_value *own_offset(struct generator *g)
{
    struct ir_value *wild = scalar(g, 32);
    struct ir_value *within = ir_iand(&g->b, wild, ir_const(&g->b, 32, SLICE_B / 2 - 4));
    return ir_iadd(&g->b, g->slice, within);
}

static void memory(struct generator *g)
{
    uint32_t base = pick_number(g, 4) * 4;
    uint8_t comps = (uint8_t)(1 + pick_number(g, 3));
    struct ir_value *value = NULL, *values[3];
    switch (pick_number(g, 7)) {
    case 0:
        value = ir_load_ssbo(&g->b, 32, comps, g->buffer, own_offset(g), base, 4, 0, 0);
        break;
    case 1:
        value = ir_load_shared(&g->b, 32, comps, own_offset(g), base, 4, 0);
        break;
    case 2:
        value = ir_load_push(&g->b, 32, comps, ir_const(&g->b, 32, pick_number(g, 16) * 4), base, 4, 0);
        break;
    case 3: {
        struct ir_value *own_word = ir_iadd(&g->b, g->slice, ir_const(&g->b, 32, SLICE_B - 4));
        value = ir_atomic_ssbo(&g->b, g->buffer, own_word, scalar(g, 32), pick_number(g, IR_ATOMIC_exchange), 0, 0);
        break;
    }
    default:
        for (uint32_t i = 0; i < comps; i++)
            values[i] = scalar(g, 32);
        if (pick_number(g, 2))
            ir_store_ssbo(&g->b, ir_vec(&g->b, comps, values), g->buffer, own_offset(g), base, 4, 0, 0);
        else
            ir_store_shared(&g->b, ir_vec(&g->b, comps, values), own_offset(g), base, 4, 0);
        return;
    }
    for (uint32_t i = 0; i < value->comps; i++)
        keep_value(g, ir_extract(&g->b, value, i));
}

/* Bytes and halves, which share words with their neighbours. */
static void narrow_memory(struct generator *g)
{
    uint8_t bits = pick_number(g, 2) ? 8 : 16;
    uint32_t base = pick_number(g, 4) * (bits / 8u);
    struct ir_value *offset = own_offset(g);
    if (pick_number(g, 2))
        ir_store_ssbo(&g->b, scalar(g, bits), g->buffer, offset, base, bits / 8u, 0, 0);
    else
        keep_value(g, ir_load_shared(&g->b, bits, 1, offset, base, bits / 8u, 0));
}

/* A texel of the lane's own is written and read; a texture is asked at any place. */
static void image(struct generator *g)
{
    struct ir_builder *b = &g->b;
    struct ir_value *zero = ir_const(b, 32, 0),
                    *place = ir_vec(b, 2, (struct ir_value *[]){g->lane, ir_const(b, 32, pick_number(g, 3))});
    struct ir_value *storage = ir_resource(b, zero, 0, 1, IR_RESOURCE_storage_image), *read;
    if (pick_number(g, 3) == 0) {
        struct ir_value *texture = ir_resource(b, zero, 0, 2, IR_RESOURCE_combined);
        struct ir_value *srcs[2] = {ir_vec(b, 2, (struct ir_value *[]){scalar(g, 32), scalar(g, 32)}), scalar(g, 32)};
        read =
            ir_tex(b, 32, 4, texture, texture, 2, srcs, IR_TEX_KIND_sample_lod, IR_DIM_2d, 0, 1u << IR_TEX_lod, 0, 0);
    } else if (pick_number(g, 2)) {
        read = ir_load_image(b, 32, 2, storage, place, zero, IR_DIM_2d, 0, 0, 0);
    } else {
        struct ir_value *texel = ir_vec(b, 2, (struct ir_value *[]){scalar(g, 32), scalar(g, 32)});
        ir_store_image(b, texel, storage, place, zero, IR_DIM_2d, 0, 0, 0);
        return;
    }
    for (uint32_t i = 0; i < read->comps; i++)
        keep_value(g, ir_extract(b, read, i));
}

/* Two halves at once, from 32 bits and back. */
static void packed(struct generator *g)
{
    struct ir_value *srcs[3];
    enum ir_op op;
    do
        op = (enum ir_op)pick_number(g, IR_OP_COUNT);
    while (!may_use(g, &ir_op_infos[op]) || !(ir_op_infos[op].props & IR_PROP_PACKS));
    for (uint32_t i = 0; i < ir_op_infos[op].num_srcs; i++)
        srcs[i] = pick_number(g, 2) ? ir_bits_vec(&g->b, scalar(g, 32))
                                    : ir_vec(&g->b, 2, (struct ir_value *[]){scalar(g, 16), scalar(g, 16)});
    struct ir_value *pair = &ir_build(&g->b, op, 16, 2, ir_op_infos[op].num_srcs, srcs, 0, NULL, NULL)->def;
    keep_value(g, pick_number(g, 2) ? ir_vec_bits(&g->b, pair) : ir_extract(&g->b, pair, pick_number(g, 2)));
}

/* ---- vectors of 16 bits, component by component as a front end leaves them ---- */

struct halves {
    struct ir_value *comps[4];
};

static struct halves some_halves(struct generator *g, uint8_t count)
{
    struct halves result;
    struct ir_builder *b = &g->b;
    const uint8_t align_B = pick_number(g, 2) ? 4 : 2;
    struct ir_value *vector = NULL;
    switch (pick_number(g, 4)) {
    case 0:
        vector = g->options->no_memory
                     ? NULL
                     : ir_load_ssbo(b, 16, count, g->buffer, own_offset(g), pick_number(g, 4) * 4, align_B, 0, 0);
        break;
    case 1:
        for (unsigned i = 0; i < count; i += 2) {
            struct ir_value *word = scalar(g, 32), *pair = ir_bits_vec(b, word);
            const bool is_pair = pick_number(g, 2);
            result.comps[i] = is_pair ? ir_extract(b, pair, 0) : ir_lo16(b, word);
            result.comps[i + 1] = is_pair ? ir_extract(b, pair, 1) : ir_hi16(b, word);
        }
        return result;
    default:
        break;
    }
    struct ir_value *same = scalar(g, 16);
    const bool is_splat = pick_number(g, 4) == 0;
    for (unsigned i = 0; i < count; i++)
        result.comps[i] = vector ? ir_extract(b, vector, i) : is_splat ? same : scalar(g, 16);
    return result;
}

static struct halves swizzled(struct generator *g, struct halves from, uint8_t count)
{
    struct halves result = from;
    for (unsigned i = 0; i < count && pick_number(g, 3) == 0; i++)
        result.comps[i] = from.comps[pick_number(g, count)];
    return result;
}

/* One operation on each component; a shift has one count, or its own for each. */
static struct halves half_operation(struct generator *g, const struct halves *x, uint8_t count)
{
    enum ir_op op;
    do
        op = (enum ir_op)pick_number(g, IR_OP_COUNT);
    while (op != IR_OP_select && (!may_use(g, &ir_op_infos[op]) || !(ir_op_infos[op].props & IR_PROP_PACKS)));
    const struct ir_op_info *info = &ir_op_infos[op];
    const bool is_shared = pick_number(g, 3);
    struct ir_value *word = pick_number(g, 2) ? scalar(g, 32) : ir_const(&g->b, 32, pick_number(g, 20)),
                    *condition = scalar(g, 1);
    struct halves result, srcs[3] = {swizzled(g, x[0], count), swizzled(g, x[1], count), swizzled(g, x[2], count)};
    for (unsigned i = 0; i < count; i++) {
        struct ir_value *operands[3];
        for (unsigned n = 0; n < info->num_srcs; n++) {
            const uint8_t bits = info->srcs[n].letter ? 16 : info->srcs[n].bits;
            operands[n] = bits == 16  ? srcs[n].comps[i]
                          : bits == 1 ? (is_shared ? condition : scalar(g, 1))
                                      : (is_shared ? word : scalar(g, 32));
        }
        result.comps[i] = &ir_build(&g->b, op, 16, 1, info->num_srcs, operands, 0, NULL, NULL)->def;
    }
    return result;
}

static void halves(struct generator *g)
{
    const uint8_t count = pick_number(g, 2) ? 2 : 4;
    struct halves values[6];
    unsigned num = 0;
    while (num < 3)
        values[num++] = some_halves(g, count);
    while (num < 6 && pick_number(g, 6)) {
        const struct halves srcs[3] = {values[pick_number(g, num)], values[num - 1], values[pick_number(g, num)]};
        values[num++] = half_operation(g, srcs, count);
    }
    const struct halves *last = &values[num - 1];
    if (pick_number(g, 3) && !g->options->no_memory)
        ir_store_ssbo(&g->b, ir_vec(&g->b, count, last->comps), g->buffer, own_offset(g), pick_number(g, 4) * 4,
                      pick_number(g, 2) ? 4 : 2, 0, 0);
    else if (pick_number(g, 2))
        keep_value(g, ir_pack32(&g->b, last->comps[0], last->comps[1]));
    for (unsigned i = 0; i < count; i++)
        keep_value(g, last->comps[i]);
}

static void variable(struct generator *g)
{
    struct ir_var *var = g->vars[pick_number(g, 2)];
    struct ir_value *index = pick_number(g, 2) ? ir_const(&g->b, 32, pick_number(g, var->length))
                                               : ir_iand(&g->b, scalar(g, 32), ir_const(&g->b, 32, var->length - 1));
    if (pick_number(g, 2))
        keep_value(g, ir_load_var(&g->b, var->bits, 1, index, var->index));
    else
        ir_store_var(&g->b, scalar(g, var->bits), index, var->index);
}

static void between_lanes(struct generator *g)
{
    static const uint8_t widths[] = {1, 8, 16, 32, 64};
    struct ir_value *value = scalar(g, widths[pick_number(g, 5)]), *word = scalar(g, 32), *bit = scalar(g, 1);
    static const uint8_t whole[] = {IR_REDUCTION_iadd, IR_REDUCTION_imul, IR_REDUCTION_imin,
                                    IR_REDUCTION_imax, IR_REDUCTION_umin, IR_REDUCTION_umax,
                                    IR_REDUCTION_iand, IR_REDUCTION_ior,  IR_REDUCTION_ixor};
    uint32_t reduction = whole[pick_number(g, ARRAY_SIZE(whole))];
    switch (pick_number(g, 10)) {
    case 0:
        keep_value(g, ir_ballot(&g->b, bit));
        break;
    case 1:
        keep_value(g, pick_number(g, 2) ? ir_vote_all(&g->b, bit) : ir_vote_any(&g->b, bit));
        break;
    case 2:
        keep_value(g, ir_vote_eq(&g->b, value, 0));
        break;
    case 3:
        keep_value(g, ir_read_first(&g->b, value));
        break;
    case 4:
        keep_value(g, ir_reduce(&g->b, word, reduction, 1u << pick_number(g, 5)));
        break;
    case 5:
        keep_value(g, pick_number(g, 2) ? ir_scan_inclusive(&g->b, word, reduction)
                                        : ir_scan_exclusive(&g->b, word, reduction));
        break;
    case 6:
        keep_value(g, ir_mbcnt(&g->b, scalar(g, 64), word));
        break;
    case 7:
        keep_value(g, ir_active_mask(&g->b));
        break;
    case 8:
        keep_value(g, ir_inverse_ballot(&g->b, scalar(g, 64)));
        break;
    default: /* only from lanes that are there */
        keep_value(g, g->uniform ? ir_shuffle_xor(&g->b, value, ir_const(&g->b, 32, pick_number(g, 32)))
                                 : ir_elect(&g->b));
    }
}

static void body(struct generator *g, uint32_t budget);

/* Whether anything reaches the cursor's block, which is the last of its region. */
static bool reached(const struct generator *g)
{
    return ir_region_falls_through(g->b.block->node.region);
}

static void branch(struct generator *g, uint32_t budget)
{
    bool uniform = g->uniform;
    struct ir_if *node = ir_builder_push_if(&g->b, scalar(g, 1));
    struct ir_value *made[2][3] = {0};
    const uint8_t widths[3] = {g->options->has_halves ? 16 : 32, 1, (uint8_t)(pick_number(g, 2) ? 64 : 16)};
    const uint32_t before = g->count;
    struct ir_value *outer[POOL];
    memcpy(outer, g->pool, sizeof(outer));
    g->uniform = false;
    for (unsigned side = 0; side < 2; side++) {
        if (side)
            ir_builder_push_else(&g->b);
        body(g, side ? budget / 2 : budget - budget / 2);
        if (reached(g)) {
            for (unsigned i = 0; i < 3; i++)
                made[side][i] = scalar(g, widths[i]);
            if (g->loops && pick_number(g, 4) == 0)
                ir_jump(&g->b, pick_number(g, 2) ? IR_OP_break : IR_OP_continue);
        }
        g->count = before;
        memcpy(g->pool, outer, sizeof(outer));
    }
    ir_builder_pop_if(&g->b);
    g->uniform = uniform;
    if (!ir_region_falls_through(&node->then_region) && !ir_region_falls_through(&node->else_region))
        return;
    for (unsigned i = 0; i < 3; i++)
        keep_value(g, ir_if_phi(&g->b, node, made[0][i], made[1][i]));
}

/* The values that a loop carries: its counter and two values that each turn sets. Jumps out of the middle take those
 * that the turn began with. */
static bool continues(const struct ir_block *block, const struct ir_loop *loop)
{
    const struct ir_instr *jump = ir_block_jump(block);
    return jump && jump->op == IR_OP_continue && ir_enclosing_loop(&block->node) == loop;
}

static void loop(struct generator *g, uint32_t budget)
{
    struct ir_builder *b = &g->b;
    struct ir_shader *shader = b->shader;
    const bool uniform = g->uniform;
    const uint8_t bits = g->options->has_halves ? 16 : 32;
    struct ir_value *start[2] = {scalar(g, bits), scalar(g, bits)}, *zero = ir_const(b, 32, 0), *outer[POOL];
    struct ir_value *turns =
        pick_number(g, 2) ? ir_const(b, 32, 1 + pick_number(g, 4)) : ir_iand(b, scalar(g, 32), ir_const(b, 32, 3));
    struct ir_block *head = b->block;
    const uint32_t before = g->count;
    memcpy(outer, g->pool, sizeof(outer));
    struct ir_loop *node = ir_builder_push_loop(b);
    struct ir_value *counter = ir_phi(b, 32, 1), *carried[2] = {ir_phi(b, bits, 1), ir_phi(b, bits, 1)}, *next[2] = {0},
                    *merged[2] = {0};
    g->uniform = false;
    ir_builder_push_if(b, ir_uge(b, counter, turns));
    ir_jump(b, IR_OP_break);
    ir_builder_push_else(b);
    ir_builder_pop_if(b);
    keep_value(g, counter);
    keep_value(g, carried[0]);
    keep_value(g, carried[1]);
    g->loops++;
    body(g, budget);
    g->loops--;
    const bool ends = reached(g);
    for (unsigned i = 0; i < 2 && ends; i++)
        next[i] = scalar(g, bits);
    struct ir_block *last = b->block, *cont = ir_region_first(&node->cont);
    g->count = before;
    memcpy(g->pool, outer, sizeof(outer));
    /* The continue region: a phi with a source for each edge into it. */
    ir_builder_push_cont(b);
    bool again = ends;
    for (struct ir_block *block = ir_region_first(&node->body); block != cont; block = ir_next_block(block))
        again |= continues(block, node);
    for (unsigned i = 0; i < 2 && again; i++) {
        merged[i] = ir_phi(b, bits, 1);
        if (ends)
            ir_phi_add(shader, ir_def_instr(merged[i]), last, next[i]);
        for (struct ir_block *block = ir_region_first(&node->body); block != cont; block = ir_next_block(block))
            if (continues(block, node))
                ir_phi_add(shader, ir_def_instr(merged[i]), block, carried[i]);
    }
    struct ir_value *first[3] = {zero, start[0], start[1]}, *phis[3] = {counter, carried[0], carried[1]};
    for (unsigned i = 0; i < 3; i++)
        ir_phi_add(shader, ir_def_instr(phis[i]), head, first[i]);
    if (again) {
        struct ir_value *turn[3] = {ir_iadd(b, counter, ir_const(b, 32, 1)), merged[0], merged[1]};
        for (unsigned i = 0; i < 3; i++)
            ir_phi_add(shader, ir_def_instr(phis[i]), b->block, turn[i]);
    }
    ir_builder_pop_loop(b);
    g->uniform = uniform;
    keep_value(g, carried[0]); /* every way out comes from the head */
    keep_value(g, carried[1]);
}

static void body(struct generator *g, uint32_t budget)
{
    while (budget && g->left && reached(g)) {
        uint32_t choice = pick_number(g, 40), part = budget / 2;
        g->left--;
        budget--;
        if (choice < 2 && part >= 4) {
            branch(g, part);
            budget -= part;
        } else if (choice == 2 && part >= 6 && !g->options->no_loops && g->loops < 2) {
            loop(g, part);
            budget -= part;
        } else if (choice < 7 && !g->options->no_memory) {
            memory(g);
        } else if (choice < 9 && !g->options->no_memory) {
            pick_number(g, 2) ? narrow_memory(g) : image(g);
        } else if (choice < 11) {
            packed(g);
        } else if (choice < 19 && choice >= 13 && g->options->has_halves) {
            halves(g);
        } else if (choice < 15) {
            variable(g);
        } else if (choice < 18 && !g->options->no_lanes) {
            between_lanes(g);
        } else if (choice == 18 && g->uniform) {
            ir_barrier(&g->b, IR_SCOPE_workgroup, IR_MEMORY_SHARED | IR_MEMORY_BUFFER,
                       IR_ORDER_ACQUIRE | IR_ORDER_RELEASE | IR_ORDER_EXECUTION);
        } else {
            alu(g);
        }
    }
}

static void start_case(struct generator *g)
{
    struct ir_builder *b = &g->b;
    struct ir_value *zero = ir_const(b, 32, 0);
    g->lane = keep_value(g, ir_load_sysval(b, 32, 1, IR_SYSVAL_local_index));
    g->slice = ir_imul(b, g->lane, ir_const(b, 32, SLICE_B));
    g->buffer = ir_resource(b, zero, 0, 0, IR_RESOURCE_storage_buffer);
    static const uint8_t widths[] = {8, 16, 32, 64};
    for (unsigned i = 0; i < ARRAY_SIZE(widths); i++)
        keep_value(g, constant(g, widths[i]));
    struct ir_value *input = ir_load_input(b, 32, 4, zero, IR_LOCATION_VAR0, 0);
    for (unsigned i = 0; i < 4; i++)
        keep_value(g, ir_extract(b, input, i));
    keep_value(g, ir_ult(b, g->lane, ir_const(b, 32, 1 + pick_number(g, 63))));
    for (unsigned v = 0; v < 2; v++) {
        g->vars[v] = ir_var_create(b->shader, v ? 64 : 32, 4, v ? "wide" : "word");
        for (uint32_t i = 0; i < 4; i++)
            ir_store_var(b, scalar(g, g->vars[v]->bits), ir_const(b, 32, i), g->vars[v]->index);
    }
}

/* The youngest that are still at hand are written, so that little is dead. */
static void finish_case(struct generator *g)
{
    struct ir_builder *b = &g->b;
    struct ir_value *zero = ir_const(b, 32, 0);
    for (uint32_t i = g->count > 48 ? g->count - 48 : 0; i < g->count; i++) {
        struct ir_value *value = g->pool[i];
        if (value->bits < 32)
            value = value->bits == 1 ? ir_b2i(b, 32, value) : ir_u2u(b, 32, value);
        ir_store_output(b, value, zero, IR_LOCATION_VAR0 + i / 4 % 32, i % 4, 0);
    }
}

static __attribute__((noinline)) bool generate(struct generator *g)
{
    struct ir_failure failure = {0};
    if (ir_guard(g->b.shader, &failure))
        return false;
    start_case(g);
    body(g, g->left);
    finish_case(g);
    ir_index(g->b.shader);
    g->b.shader->failure = NULL;
    return true;
}

struct ir_shader *random_shader(uint64_t seed, const struct random_options *options)
{
    static const struct random_options none;
    struct ir_shader *shader = ir_shader_create(IR_STAGE_compute);
    if (!shader)
        return NULL;
    shader->workgroup_size[0] = WORKGROUP;
    shader->workgroup_size[1] = shader->workgroup_size[2] = 1;
    shader->shared_size_B = WORKGROUP * SLICE_B;
    shader->push_size_B = 128;
    struct generator g = {.b = ir_builder_at_body_end(shader),
                          .options = options ? options : &none,
                          .state = hash_u64(seed),
                          .uniform = true};
    g.left = g.options->size ? g.options->size : 100;
    if (g.options->exact)
        g.b.flags = IR_FLAG_EXACT | IR_FLAG_NAN_INF;
    if (generate(&g))
        return shader;
    ir_shader_destroy(shader);
    return NULL;
}
