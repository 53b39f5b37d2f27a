/* Operations between lanes that have no short sequence: reductions and scans under divergent control flow, where the
 * lanes that are elsewhere must keep what they have in every register, and shuffles over the halves of a wave64. A loop
 * takes one active lane (one wanted lane) after the other; where there is shared memory, shuffles go through that. In a
 * function, lanes are always elsewhere. Options: amd_compile_options. Needs divergence. Narrow integers become 32 bits
 * wide. */
#include "amd/compiler/lower_amd.h"
#include "util/bits.h"

static bool is_reduction(const struct ir_instr *instr)
{
    return instr->op == IR_OP_reduce || instr->op == IR_OP_scan_inclusive || instr->op == IR_OP_scan_exclusive;
}

/* ---- loops over lanes ---- */

static struct ir_value *combine_values(struct ir_builder *b, uint32_t reduction, struct ir_value *a, struct ir_value *x)
{
    static const uint16_t ops[] = {
        [IR_REDUCTION_iadd] = IR_OP_iadd, [IR_REDUCTION_imul] = IR_OP_imul, [IR_REDUCTION_imin] = IR_OP_imin,
        [IR_REDUCTION_imax] = IR_OP_imax, [IR_REDUCTION_umin] = IR_OP_umin, [IR_REDUCTION_umax] = IR_OP_umax,
        [IR_REDUCTION_iand] = IR_OP_iand, [IR_REDUCTION_ior] = IR_OP_ior,   [IR_REDUCTION_ixor] = IR_OP_ixor,
        [IR_REDUCTION_fadd] = IR_OP_fadd, [IR_REDUCTION_fmul] = IR_OP_fmul, [IR_REDUCTION_fmin] = IR_OP_fmin,
        [IR_REDUCTION_fmax] = IR_OP_fmax,
    };
    return &ir_build(b, ops[reduction], x->bits, 1, 2, (struct ir_value *[]){a, x}, 0, NULL, NULL)->def;
}

/* A loop that takes lanes out of the mask of active ones until it is empty, with a result that grows:
 *
 *     loop { mask = phi(active, rest); result = phi(start, next); …; if (rest == 0) break } */
struct lane_loop {
    struct ir_builder b;
    struct ir_block *before;
    struct ir_value *start_mask, *start, *mask, *result;
};

static struct lane_loop begin_lanes(struct ir_builder b, struct ir_value *start)
{
    struct lane_loop loop = {.b = b, .start = start};
    loop.start_mask = ir_active_mask(&loop.b);
    loop.before = loop.b.block;
    ir_builder_push_loop(&loop.b);
    loop.mask = ir_phi(&loop.b, 64, 1);
    loop.result = ir_phi(&loop.b, start->bits, 1);
    return loop;
}

/* All lanes stay to the end. `next` takes the place of the instruction. */
static void end_lanes(struct lane_loop *loop, struct ir_value *rest, struct ir_value *next, struct ir_instr *instr)
{
    struct ir_builder *b = &loop->b;
    ir_builder_push_if(b, ir_ieq(b, rest, ir_const(b, 64, 0)));
    ir_jump(b, IR_OP_break);
    ir_builder_pop_if(b);
    ir_builder_push_cont(b);
    struct ir_block *last = b->block;
    ir_builder_pop_loop(b);
    ir_phi_add(b->shader, ir_def_instr(loop->mask), loop->before, loop->start_mask);
    ir_phi_add(b->shader, ir_def_instr(loop->mask), last, rest);
    ir_phi_add(b->shader, ir_def_instr(loop->result), loop->before, loop->start);
    ir_phi_add(b->shader, ir_def_instr(loop->result), last, next);
    ir_replace_uses(&instr->def, next);
    ir_remove(instr);
}

/* mask = active lanes; while mask: lane = lowest; x of it goes to all lanes that want it. */
static void reduction_loop(struct ir_shader *shader, struct ir_instr *instr)
{
    struct ir_builder before = ir_builder_before(shader, instr);
    uint32_t reduction = ir_imm(instr, IR_IMM_REDUCTION),
             cluster = instr->op == IR_OP_reduce ? ir_imm(instr, IR_IMM_CLUSTER) : 0;
    struct ir_value *x = ir_src(instr, 0), *me = ir_load_sysval(&before, 32, 1, IR_SYSVAL_subgroup_lane);
    struct ir_value *start = ir_const(&before, x->bits, ir_reduction_identity(reduction, x->bits));
    struct lane_loop loop = begin_lanes(before, start);
    struct ir_builder *b = &loop.b;
    struct ir_value *lane = ir_find_lsb(b, loop.mask), *value = ir_read_lane(b, x, lane), *wants;
    if (instr->op == IR_OP_reduce)
        wants = cluster ? ir_ieq(b, ir_iand(b, ir_ixor(b, me, lane), ir_const(b, 32, (uint32_t)-cluster)),
                                 ir_const(b, 32, 0))
                        : NULL;
    else
        wants = instr->op == IR_OP_scan_inclusive ? ir_uge(b, me, lane) : ir_ult(b, lane, me);
    struct ir_value *more = combine_values(b, reduction, loop.result, value),
                    *next = wants ? ir_select(b, wants, more, loop.result) : more;
    struct ir_value *rest = ir_iand(b, loop.mask, ir_iadd(b, loop.mask, ir_const(b, 64, UINT64_MAX)));
    end_lanes(&loop, rest, next, instr);
}

/* The lane that a shuffle reads. */
static struct ir_value *source_lane(struct ir_builder *b, const struct ir_instr *instr, unsigned wave_size)
{
    struct ir_value *by = ir_src(instr, 1),
                    *me = instr->op == IR_OP_shuffle ? NULL : ir_load_sysval(b, 32, 1, IR_SYSVAL_subgroup_lane), *lane;
    switch (instr->op) {
    case IR_OP_shuffle_xor:
        lane = ir_ixor(b, me, by);
        break;
    case IR_OP_shuffle_up:
        lane = ir_isub(b, me, by);
        break;
    case IR_OP_shuffle_down:
        lane = ir_iadd(b, me, by);
        break;
    case IR_OP_rotate: {
        uint32_t cluster = ir_imm(instr, IR_IMM_CLUSTER) ? ir_imm(instr, IR_IMM_CLUSTER) : wave_size;
        struct ir_value *inside = ir_iand(b, ir_iadd(b, me, by), ir_const(b, 32, cluster - 1));
        lane = ir_ior(b, inside, ir_iand(b, me, ir_const(b, 32, (uint32_t)-cluster)));
        break;
    }
    default:
        lane = by;
        break;
    }
    return ir_iand(b, lane, ir_const(b, 32, wave_size - 1));
}

static bool crosses_halves(const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_shuffle:
    case IR_OP_shuffle_up:
    case IR_OP_shuffle_down:
        return true;
    case IR_OP_shuffle_xor:
        return !ir_is_const(ir_src(instr, 1)) || ir_const_u64(ir_src(instr, 1)) >= 32;
    case IR_OP_rotate:
        return ir_imm(instr, IR_IMM_CLUSTER) == 0 || ir_imm(instr, IR_IMM_CLUSTER) > 32;
    default:
        return false;
    }
}

/* mask = active lanes; while mask: the lane that the lowest of them wants; its x goes to all that want the same. All
 * lanes stay to the end: one that had left might have lost its x, which others still read. */
static void shuffle_loop(struct ir_shader *shader, struct ir_instr *instr, unsigned wave_size)
{
    struct ir_builder before = ir_builder_before(shader, instr);
    struct ir_value *x = ir_src(instr, 0), *lane = source_lane(&before, instr, wave_size);
    struct ir_value *start = ir_const(&before, x->bits, 0);
    struct lane_loop loop = begin_lanes(before, start);
    struct ir_builder *b = &loop.b;
    struct ir_value *wanted = ir_read_lane(b, lane, ir_find_lsb(b, loop.mask)), *value = ir_read_lane(b, x, wanted);
    struct ir_value *same = ir_ieq(b, lane, wanted), *next = ir_select(b, same, value, loop.result);
    end_lanes(&loop, ir_iand(b, loop.mask, ir_inot(b, ir_ballot(b, same))), next, instr);
}

/* A workgroup has shared memory: a word (two of 64 bits) for each of its threads, which the waves of the group do not
 * share. A wave's accesses are in order, so that nothing has to be waited for. */
#define MAX_SHARED_B 65536

static bool reserve_shared(struct ir_shader *shader, uint32_t *base_B)
{
    uint64_t threads = (uint64_t)shader->workgroup_size[0] * shader->workgroup_size[1] * shader->workgroup_size[2];
    if (*base_B != UINT32_MAX)
        return true;
    uint64_t base = align_u64(shader->shared_size_B, 16), size_B = align_u64(threads, 64) * 8;
    if (shader->stage != IR_STAGE_compute || threads == 0 || base + size_B > MAX_SHARED_B)
        return false;
    *base_B = (uint32_t)base;
    shader->shared_size_B = (uint32_t)(base + size_B);
    return true;
}

static void shuffle_by_memory(struct ir_shader *shader, struct ir_instr *instr, unsigned wave_size, uint32_t base_B)
{
    struct ir_builder b = ir_builder_before(shader, instr);
    struct ir_value *x = ir_src(instr, 0), *wanted = source_lane(&b, instr, wave_size);
    struct ir_value *me = ir_load_sysval(&b, 32, 1, IR_SYSVAL_local_index), *three = ir_const(&b, 32, 3);
    struct ir_value *first = ir_iand(&b, me, ir_const(&b, 32, (uint32_t)-wave_size));
    ir_store_shared(&b, x, ir_ishl(&b, me, three), base_B, 8, 0);
    struct ir_value *from = ir_ishl(&b, ir_ior(&b, first, wanted), three);
    ir_replace_uses(&instr->def, ir_load_shared(&b, x->bits, 1, from, base_B, 8, 0));
    ir_remove(instr);
}

/* Shuffles where all lanes want the same one: it goes by a scalar. Before all others, for what those make has no
 * divergence yet. */
static bool shuffles_from_one_lane(struct ir_shader *shader)
{
    bool progress = false;
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_shuffle || ir_src(instr, 1)->divergent)
                continue;
            struct ir_builder b = ir_builder_before(shader, instr);
            ir_replace_uses(&instr->def, ir_read_lane(&b, ir_src(instr, 0), ir_src(instr, 1)));
            ir_remove(instr);
            progress = true;
        }
    }
    return progress;
}

bool amd_lower_amd_lanes(struct ir_shader *shader, const void *data)
{
    const struct amd_compile_options *options = data;
    bool progress = shuffles_from_one_lane(shader);
    progress |= lower_lanes(shader, NULL);
    uint32_t shared_B = UINT32_MAX;
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            bool crosses = options->wave_size == 64 && crosses_halves(instr);
            if (is_reduction(instr) && (ir_is_function(shader) || ir_lanes_are_elsewhere(instr))) {
                reduction_loop(shader, instr);
            } else if (crosses && reserve_shared(shader, &shared_B)) {
                shuffle_by_memory(shader, instr, options->wave_size, shared_B);
                progress = true;
                continue;
            } else if (crosses) {
                shuffle_loop(shader, instr, options->wave_size);
            } else {
                continue;
            }
            progress = true;
            break; /* the rest of the block is another one now */
        }
    }
    return progress;
}
