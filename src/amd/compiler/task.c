/* A task shader as the hardware runs it: a compute shader that ends by writing to a ring. An entry of the ring says how
 * many mesh workgroups there are to be; the command processor draws them when the entry is ready, and hands its number
 * to the mesh shader, which finds the payload by it.
 *
 *     the payload is cleared; barrier
 *     the task shader; its payload lies in shared memory
 *     barrier
 *     each invocation copies its part of the payload to the entry's place
 *     barrier
 *     the first one writes the counts, and when they are in memory, that the entry is ready
 *
 * What "ready" is changes from round to round of the ring, so that nobody must clear entries. */
#include <stdio.h>

#include "amd/compiler/lower_amd.h"
#include "amd/compiler/merge.h"
#include "amd/compiler/select.h"
#include "util/bits.h"
#include "util/deep_stack.h"

#define PIECE_B 16u
#define READY_B 12

struct task {
    struct ir_shader *shader;
    const struct amd_compile_options *options;
    struct ir_var *groups[3], *piece;
    struct ir_value *item, *entry, *slot; /* the invocation; the number that only grows, and its place in the ring */
};

/* In whole pieces. */
static uint32_t payload_B(const struct ir_shader *shader)
{
    return (uint32_t)align_u64(shader->payload_size_B, PIECE_B);
}

static struct ir_value *load_ring(struct ir_builder *b, enum amd_ring ring)
{
    return ir_load_desc(b, 4, ir_const(b, 32, AMD_RING_SET), ir_const(b, 32, 16 * ring));
}

static void store_counts(struct task *t)
{
    struct ir_builder start = ir_builder_at_start(t->shader, ir_region_first(&t->shader->body));
    struct ir_value *zero = ir_const(&start, 32, 0);
    for (unsigned i = 0; i < 3; i++) {
        t->groups[i] = ir_var_create(t->shader, 32, 1, "groups");
        ir_store_var(&start, zero, zero, t->groups[i]->index);
    }
    ir_foreach_block (t->shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_emit_mesh_tasks)
                continue;
            struct ir_builder b = ir_builder_before(t->shader, instr);
            struct ir_value *none = ir_const(&b, 32, 0);
            for (unsigned i = 0; i < 3; i++)
                ir_store_var(&b, ir_src(instr, i), none, t->groups[i]->index);
            ir_remove(instr);
        }
    }
}

/* The first workgroup's entry is known; the others follow it by their numbers. */
static void find_entry(struct task *t, struct ir_builder *b)
{
    struct ir_value *id = ir_load_sysval(b, 32, 3, IR_SYSVAL_workgroup_id),
                    *sizes = ir_load_sysval(b, 32, 3, IR_SYSVAL_num_workgroups);
    struct ir_value *number = ir_extract(b, id, 2);
    for (unsigned i = 2; i-- > 0;)
        number = ir_iadd(b, ir_imul(b, number, ir_extract(b, sizes, i)), ir_extract(b, id, i));
    t->item = ir_load_sysval(b, 32, 1, IR_SYSVAL_local_index);
    t->entry = ir_iadd(b, ir_task_entry(b), number);
    t->slot = ir_iand(b, t->entry, ir_const(b, 32, AMD_TASK_ENTRIES - 1));
}

/* Each invocation has every so many pieces of the payload: begins a loop over its own and gives the place of one. */
static struct ir_value *begin_pieces(struct task *t, struct ir_builder *b, struct ir_value *item)
{
    const uint32_t size_B = payload_B(t->shader);
    struct ir_value *zero = ir_const(b, 32, 0);
    t->piece = ir_var_create(t->shader, 32, 1, "piece");
    ir_store_var(b, ir_imul(b, item, ir_const(b, 32, PIECE_B)), zero, t->piece->index);
    ir_builder_push_loop(b);
    struct ir_value *piece = ir_load_var(b, 32, 1, zero, t->piece->index);
    ir_builder_push_if(b, ir_uge(b, piece, ir_const(b, 32, size_B)));
    ir_jump(b, IR_OP_break);
    ir_builder_pop_if(b);
    return piece;
}

static void end_pieces(struct task *t, struct ir_builder *b, struct ir_value *piece)
{
    const uint32_t *size = t->shader->workgroup_size, step_B = size[0] * size[1] * size[2] * PIECE_B;
    ir_store_var(b, ir_iadd(b, piece, ir_const(b, 32, step_B)), ir_const(b, 32, 0), t->piece->index);
    ir_builder_pop_loop(b);
}

/* Words that the program does not write are copied, too: they are not to be what others left there. */
static void clear_payload(struct task *t)
{
    struct ir_builder b = ir_builder_at_start(t->shader, ir_region_first(&t->shader->body));
    struct ir_value *piece = begin_pieces(t, &b, ir_load_sysval(&b, 32, 1, IR_SYSVAL_local_index));
    ir_store_shared(&b, ir_zero(&b, 32, 4), piece, t->shader->payload_B, PIECE_B, 0);
    end_pieces(t, &b, piece);
    amd_merge_barrier(&b);
}

static void copy_payload(struct task *t, struct ir_builder *b)
{
    struct ir_value *ring = load_ring(b, AMD_RING_TASK_PAYLOAD),
                    *place = ir_imul(b, t->slot, ir_const(b, 32, AMD_TASK_PAYLOAD_B));
    struct ir_value *piece = begin_pieces(t, b, t->item),
                    *words = ir_load_shared(b, 32, 4, piece, t->shader->payload_B, PIECE_B, 0);
    ir_store_ssbo(b, words, ring, ir_iadd(b, place, piece), 0, PIECE_B, 0, IR_ACCESS_COHERENT);
    end_pieces(t, b, piece);
}

static void write_entry(struct task *t, struct ir_builder *b)
{
    struct ir_value *zero = ir_const(b, 32, 0), *counts[3], *ring = load_ring(b, AMD_RING_TASK_ENTRIES),
                    *place = ir_ishl(b, t->slot, ir_const(b, 32, 4));
    for (unsigned i = 0; i < 3; i++)
        counts[i] = ir_load_var(b, 32, 1, zero, t->groups[i]->index);
    struct ir_value *draw = ir_load_sysval(b, 32, 1, IR_SYSVAL_draw_index);
    ir_store_ssbo(b, draw, load_ring(b, AMD_RING_TASK_PAYLOAD),
                  ir_imul(b, t->slot, ir_const(b, 32, AMD_TASK_PAYLOAD_B)), AMD_TASK_DRAW_B, 4, 0, IR_ACCESS_COHERENT);
    ir_store_ssbo(b, ir_vec(b, 3, counts), ring, place, 0, 16, 0, IR_ACCESS_COHERENT);
    ir_barrier(b, IR_SCOPE_device, IR_MEMORY_BUFFER, IR_ORDER_RELEASE);
    struct ir_value *is_odd = ir_ine(b, ir_iand(b, t->entry, ir_const(b, 32, AMD_TASK_ENTRIES)), zero);
    ir_store_ssbo(b, ir_select(b, is_odd, ir_const(b, 32, 1), zero), ring, place, READY_B, 4, 0, IR_ACCESS_COHERENT);
}

/* By the wave of the first invocation, for all of them. */
static void count_group(struct task *t, struct ir_builder *b)
{
    const uint32_t *size = t->shader->workgroup_size;
    ir_builder_push_if(b, ir_ieq(b, t->item, ir_const(b, 32, 0)));
    amd_merge_count(b, t->options, AMD_COUNT_TASK_INVOCATIONS, ir_const(b, 32, size[0] * size[1] * size[2]));
    ir_builder_pop_if(b);
}

static void build_task(struct task *t)
{
    struct ir_shader *shader = t->shader;
    if (shader->payload_size_B > AMD_TASK_DRAW_B)
        ir_fail(shader, "a payload of %u bytes", shader->payload_size_B);
    store_counts(t);
    shader->stage = IR_STAGE_compute;
    shader->shared_size_B = MAX2(shader->shared_size_B, shader->payload_B + payload_B(shader));
    if (shader->payload_size_B)
        clear_payload(t);
    struct ir_builder b = ir_builder_at_body_end(shader);
    find_entry(t, &b);
    count_group(t, &b);
    if (shader->payload_size_B) {
        amd_merge_barrier(&b);
        copy_payload(t, &b);
    }
    ir_barrier(&b, IR_SCOPE_device, IR_MEMORY_BUFFER, IR_ORDER_RELEASE | IR_ORDER_EXECUTION);
    ir_builder_push_if(&b, ir_ieq(&b, t->item, ir_const(&b, 32, 0)));
    write_entry(t, &b);
    ir_builder_pop_if(&b);
}

struct lowering {
    struct task *task;
    char *error_out;
    bool is_done;
};

static void run_lowering(void *data)
{
    struct lowering *lowering = data;
    struct ir_failure failure;
    if (ir_guard(lowering->task->shader, &failure)) {
        snprintf(lowering->error_out, 256, "%s", failure.text);
    } else {
        build_task(lowering->task);
        lowering->is_done = true;
    }
    lowering->task->shader->failure = NULL;
}

struct ir_shader *amd_lower_task(const struct ir_shader *task, const struct amd_compile_options *options,
                                 char error_out[256])
{
    struct task t = {.shader = ir_shader_clone(task), .options = options};
    struct lowering lowering = {&t, error_out, false};
    if (!t.shader)
        snprintf(error_out, 256, "out of memory");
    else if (ir_depth(task) <= IR_SHALLOW)
        run_lowering(&lowering);
    else if (!deep_stack_run(run_lowering, &lowering))
        snprintf(error_out, 256, "out of memory for a stack");
    if (lowering.is_done)
        return t.shader;
    ir_shader_destroy(t.shader);
    return NULL;
}
