/* The shaders that sort. */
#include "vulkan/meta/vk_meta_sort.h"

#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta_build.h"

#define BLOCK VK_META_SORT_BLOCK
#define LANES 256u
#define NUMBER_B 8u

struct sort_push {
    uint32_t count, run_log2;
    uint64_t src_va, dst_va;
};
enum {
    PUSH_COUNT = 0,
    PUSH_RUN = 1,
    PUSH_SRC = 2,
    PUSH_DST = 4
};

static struct ir_value *word(struct ir_builder *b, uint32_t value)
{
    return ir_const(b, 32, value);
}

static struct ir_value *number_va(struct ir_builder *b, struct ir_value *va, struct ir_value *index)
{
    return ir_iadd(b, va, ir_imul(b, ir_u2u(b, 64, index), ir_const(b, 64, NUMBER_B)));
}

static struct ir_value *load_number(struct ir_builder *b, struct ir_value *va, struct ir_value *index)
{
    return ir_load_global(b, 64, 1, number_va(b, va, index), 0, NUMBER_B, 0, 0);
}

static void store_number(struct ir_builder *b, struct ir_value *va, struct ir_value *index, struct ir_value *number)
{
    ir_store_global(b, number, number_va(b, va, index), 0, NUMBER_B, 0, 0);
}

static void wait_for_group(struct ir_builder *b)
{
    ir_barrier(b, IR_SCOPE_workgroup, IR_MEMORY_SHARED, IR_ORDER_ACQUIRE | IR_ORDER_RELEASE | IR_ORDER_EXECUTION);
}

/* ---- blocks: a bitonic network ---- */

/* One comparison: of two numbers `half` apart. In every other stretch of `size` the larger goes first, for the next
 * size's halves must run against each other. */
static void order_pair(struct ir_builder *b, struct ir_value *pair, struct ir_value *half, struct ir_value *size)
{
    struct ir_value *low_mask = ir_isub(b, half, word(b, 1)), *low = ir_iand(b, pair, low_mask),
                    *first = ir_iadd(b, pair, ir_isub(b, pair, low)), *first_B = ir_imul(b, first, word(b, NUMBER_B)),
                    *second_B = ir_iadd(b, first_B, ir_imul(b, half, word(b, NUMBER_B)));
    struct ir_value *x = ir_load_shared(b, 64, 1, first_B, 0, NUMBER_B, 0),
                    *y = ir_load_shared(b, 64, 1, second_B, 0, NUMBER_B, 0);
    struct ir_value *is_down = ir_ine(b, ir_iand(b, first, size), word(b, 0)),
                    *swaps = ir_ixor(b, ir_ult(b, y, x), is_down);
    ir_store_shared(b, ir_select(b, swaps, y, x), first_B, 0, NUMBER_B, 0);
    ir_store_shared(b, ir_select(b, swaps, x, y), second_B, 0, NUMBER_B, 0);
}

static void sort_shared(struct ir_builder *b, struct ir_value *lane)
{
    struct ir_value *zero = word(b, 0);
    struct ir_var *size_var = ir_var_create(b->shader, 32, 1, "size"),
                  *half_var = ir_var_create(b->shader, 32, 1, "half");
    ir_store_var(b, word(b, 2), zero, size_var->index);
    ir_store_var(b, word(b, 1), zero, half_var->index);
    ir_builder_push_loop(b);
    struct ir_value *size = ir_load_var(b, 32, 1, zero, size_var->index),
                    *half = ir_load_var(b, 32, 1, zero, half_var->index);
    ir_builder_push_if(b, ir_ult(b, word(b, BLOCK), size));
    ir_jump(b, IR_OP_break);
    ir_builder_pop_if(b);
    for (uint32_t first = 0; first < BLOCK / 2; first += LANES)
        order_pair(b, ir_iadd(b, lane, word(b, first)), half, size);
    wait_for_group(b);
    /* Down to pairs, then the next size. */
    struct ir_value *is_last = ir_ieq(b, half, word(b, 1));
    ir_store_var(b, ir_select(b, is_last, ir_ishl(b, size, word(b, 1)), size), zero, size_var->index);
    ir_store_var(b, ir_select(b, is_last, size, ir_ushr(b, half, word(b, 1))), zero, half_var->index);
    ir_builder_pop_loop(b);
}

static void build_blocks(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    struct ir_shader *shader = b->shader;
    struct ir_value *indices[BLOCK / LANES];
    shader->workgroup_size[0] = LANES;
    shader->workgroup_size[1] = shader->workgroup_size[2] = 1;
    shader->shared_size_B = BLOCK * NUMBER_B;
    struct ir_value *group = ir_load_sysval(b, 32, 3, IR_SYSVAL_workgroup_id),
                    *local = ir_load_sysval(b, 32, 3, IR_SYSVAL_local_id), *lane = ir_extract(b, local, 0),
                    *count = vk_meta_push(b, PUSH_COUNT), *va = vk_meta_push64(b, PUSH_SRC),
                    *lane_B = ir_imul(b, lane, word(b, NUMBER_B)),
                    *first = ir_iadd(b, ir_imul(b, ir_extract(b, group, 0), word(b, BLOCK)), lane);
    shader->sysvals_read |= 1ull << IR_SYSVAL_workgroup_id | 1ull << IR_SYSVAL_local_id;
    /* Keys beyond the end come last. */
    for (uint32_t i = 0; i < BLOCK / LANES; i++) {
        indices[i] = ir_iadd(b, first, word(b, i * LANES));
        struct ir_value *number = load_number(b, va, ir_umin(b, indices[i], ir_isub(b, count, word(b, 1))));
        number = ir_select(b, ir_ult(b, indices[i], count), number, ir_const(b, 64, UINT64_MAX));
        ir_store_shared(b, number, lane_B, i * LANES * NUMBER_B, NUMBER_B, 0);
    }
    wait_for_group(b);
    sort_shared(b, lane);
    for (uint32_t i = 0; i < BLOCK / LANES; i++) {
        ir_builder_push_if(b, ir_ult(b, indices[i], count));
        store_number(b, va, indices[i], ir_load_shared(b, 64, 1, lane_B, i * LANES * NUMBER_B, NUMBER_B, 0));
        ir_builder_pop_if(b);
    }
}

/* ---- merges ---- */

/* How many numbers of a run are less. All lanes look as often: steps halve from the run's length on. */
static struct ir_value *count_less(struct ir_builder *b, struct ir_value *va, struct ir_value *first,
                                   struct ir_value *length, struct ir_value *last, struct ir_value *number)
{
    struct ir_value *zero = word(b, 0);
    struct ir_var *step_var = ir_var_create(b->shader, 32, 1, "step"),
                  *less_var = ir_var_create(b->shader, 32, 1, "less");
    ir_store_var(b, ir_ishl(b, word(b, 1), vk_meta_push(b, PUSH_RUN)), zero, step_var->index);
    ir_store_var(b, zero, zero, less_var->index);
    ir_builder_push_loop(b);
    struct ir_value *step = ir_load_var(b, 32, 1, zero, step_var->index),
                    *less = ir_load_var(b, 32, 1, zero, less_var->index);
    ir_builder_push_if(b, ir_ieq(b, step, zero));
    ir_jump(b, IR_OP_break);
    ir_builder_pop_if(b);
    struct ir_value *more = ir_iadd(b, less, step),
                    *index = ir_umin(b, ir_isub(b, ir_iadd(b, first, more), word(b, 1)), last),
                    *other = load_number(b, va, index),
                    *goes = ir_iand(b, ir_uge(b, length, more), ir_ult(b, other, number));
    ir_store_var(b, ir_select(b, goes, more, less), zero, less_var->index);
    ir_store_var(b, ir_ushr(b, step, word(b, 1)), zero, step_var->index);
    ir_builder_pop_loop(b);
    return ir_load_var(b, 32, 1, zero, less_var->index);
}

static void build_merge(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    struct ir_value *ids[3];
    vk_meta_workgroup(b->shader, true);
    vk_meta_ids(b, ids);
    struct ir_value *at = ids[0], *one = word(b, 1), *count = vk_meta_push(b, PUSH_COUNT),
                    *run_log2 = vk_meta_push(b, PUSH_RUN), *src = vk_meta_push64(b, PUSH_SRC);
    ir_builder_push_if(b, ir_ult(b, at, count));
    struct ir_value *size = ir_ishl(b, one, run_log2), *run = ir_ushr(b, at, run_log2),
                    *other = ir_ishl(b, ir_ixor(b, run, one), run_log2),
                    *pair = ir_ishl(b, ir_ushr(b, run, one), ir_iadd(b, run_log2, one)),
                    *number = load_number(b, src, at);
    /* The last run may be shorter, or have no other. */
    struct ir_value *length = ir_umin(b, ir_isub(b, count, ir_umin(b, other, count)), size);
    struct ir_value *less = count_less(b, src, other, length, ir_isub(b, count, one), number),
                    *own = ir_iand(b, at, ir_isub(b, size, one));
    store_number(b, vk_meta_push64(b, PUSH_DST), ir_iadd(b, ir_iadd(b, pair, own), less), number);
    ir_builder_pop_if(b);
}

/* ---- steps ---- */

uint32_t vk_meta_sort_steps(uint32_t count)
{
    uint32_t steps = count ? 1 : 0;
    for (uint64_t run = BLOCK; run < count; run *= 2)
        steps++;
    return steps;
}

void vk_meta_sort_step(struct vk_command_buffer *cmd, uint32_t step, uint32_t count, const uint64_t places[2])
{
    const bool is_first = step == 0;
    const struct sort_push push = {
        .count = count,
        .run_log2 = is_first ? 0 : (uint32_t)__builtin_ctz(BLOCK) + step - 1,
        .src_va = places[is_first ? 0 : (step - 1) & 1],
        .dst_va = places[step & 1],
    };
    const uint32_t groups[3] = {(uint32_t)div_round_up(count, is_first ? BLOCK : 64), 1, 1};
    const uint64_t key = VK_META_KEY(is_first ? VK_META_SORT_BLOCKS : VK_META_SORT_MERGE, 0);
    vk_meta_dispatch(cmd, vk_meta_shader(cmd, key, is_first ? build_blocks : build_merge), NULL, 0, &push, sizeof(push),
                     groups);
}
