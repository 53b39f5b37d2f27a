/* The interpreter's control flow, arithmetic and entry. Memory, inputs and outputs: ir_interpret_memory.c; lanes:
 * ir_interpret_lanes.c. */
#include "compiler/ir/ir_interpret.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/bits.h"

#include "compiler/ir/ir_fold.h"
#include "compiler/ir/ir_interpret_internal.h"

void interp_stop(struct interpreter *in, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(in->result->error, sizeof(in->result->error), format, args);
    va_end(args);
    longjmp(in->stop, 1);
}

void *interp_alloc(struct interpreter *in, size_t count, size_t size_B)
{
    void *memory = arena_zalloc_array(&in->result->arena, count, size_B);
    if (!memory)
        interp_stop(in, "out of memory");
    return memory;
}

static bool lanes_any(const struct interpreter *in, const struct lanes *mask)
{
    for (uint32_t w = 0; w < in->num_waves; w++)
        if (mask->wave[w])
            return true;
    return false;
}

static void lanes_copy(const struct interpreter *in, struct lanes *to, const struct lanes *from)
{
    memcpy(to->wave, from->wave, in->num_waves * sizeof(uint64_t));
}

static void lanes_add(const struct interpreter *in, struct lanes *to, const struct lanes *more)
{
    for (uint32_t w = 0; w < in->num_waves; w++)
        to->wave[w] |= more->wave[w];
}

static void lanes_clear(const struct interpreter *in, struct lanes *mask)
{
    memset(mask->wave, 0, in->num_waves * sizeof(uint64_t));
}

/* --- arithmetic --- */

uint64_t interp_alu(struct interpreter *in, enum ir_op op, uint8_t bits, uint64_t a, uint64_t b)
{
    const uint64_t srcs[2] = {a, b};
    const uint8_t src_bits[2] = {bits, bits};
    uint64_t out;
    if (!ir_fold_op(op, bits, src_bits, srcs, NULL, &in->shader->floats, &out))
        interp_stop(in, "%s is not defined for %u bits", ir_op_infos[op].name, bits);
    return out;
}

static bool is_nan(uint64_t value, uint8_t bits)
{
    return bits >= 16 && isnan(ir_bits_to_float(value, bits));
}

uint8_t interp_float_doubt(uint8_t doubt, uint64_t result, uint8_t bits)
{
    return (uint8_t)((doubt & ~DOUBT_NAN) | (is_nan(result, bits) ? DOUBT_NAN : 0));
}

/* Operands that are not chosen, or are hidden by a bit that decides alone, do not count. */
static uint8_t result_doubt(const struct interpreter *in, const struct ir_instr *instr, uint32_t comp, uint32_t lane)
{
    uint8_t doubt[IR_MAX_FIXED_SRCS] = {0}, any = 0;
    for (uint32_t i = 0; i < instr->num_srcs; i++) {
        doubt[i] = interp_doubt(in, ir_src(instr, i), comp)[lane];
        /* Which NaN it is counts where a float operation reads an integer: i2f, the exponent of fldexp. */
        if (ir_info(instr)->props & IR_PROP_FLOAT && ir_info(instr)->srcs[i].kind != 'f')
            doubt[i] = interp_bits_doubt(doubt[i]);
        any |= doubt[i];
    }
    const uint64_t result = interp_data(in, &instr->def, comp)[lane];
    const uint8_t bits = instr->def.bits;
    switch (instr->op) {
    case IR_OP_select:
        return interp_bits_doubt(doubt[0]) | doubt[interp_src(in, instr, 0, lane) ? 1 : 2];
    case IR_OP_iand:
    case IR_OP_ior:
        for (unsigned i = 0; i < 2; i++)
            if (!doubt[i] &&
                interp_data(in, ir_src(instr, i), comp)[lane] == (instr->op == IR_OP_iand ? 0 : bits_mask(bits)))
                return 0;
        return interp_bits_doubt(any);
    case IR_OP_fclass: { /* asks for one kind of NaN and not the other */
        uint32_t nans = ir_imm(instr, IR_IMM_MASK) & 3;
        return nans == 1 || nans == 2 ? interp_bits_doubt(any) : any & (uint8_t)~DOUBT_NAN;
    }
    case IR_OP_pkrtz:
        for (unsigned i = 0; i < 2; i++)
            any |= is_nan(interp_src(in, instr, i, lane), 32) ? DOUBT_BITS : 0;
        return any & (uint8_t)~DOUBT_NAN;
    default:
        if (!(ir_info(instr)->props & IR_PROP_FLOAT))
            return interp_bits_doubt(any);
        return ir_info(instr)->def.kind == 'f' ? interp_float_doubt(any, result, bits) : any & (uint8_t)~DOUBT_NAN;
    }
}

static void run_folded(struct interpreter *in, const struct ir_instr *instr, const struct lanes *mask)
{
    foreach_lane (in, mask, lane) {
        for (uint32_t comp = 0; comp < instr->def.comps; comp++) {
            uint64_t srcs[IR_MAX_FIXED_SRCS], out;
            uint8_t src_bits[IR_MAX_FIXED_SRCS];
            for (uint32_t i = 0; i < instr->num_srcs; i++) {
                srcs[i] = interp_data(in, ir_src(instr, i), comp)[lane];
                src_bits[i] = ir_src(instr, i)->bits;
            }
            if (!ir_fold_op((enum ir_op)instr->op, instr->def.bits, src_bits, srcs, instr->imm, &in->shader->floats,
                            &out))
                interp_stop(in, "%s is not defined at these widths", ir_info(instr)->name);
            interp_data(in, &instr->def, comp)[lane] = out;
            interp_doubt(in, &instr->def, comp)[lane] = result_doubt(in, instr, comp, lane);
        }
    }
}

/* One component of a result is one component of an operand. */
static void move_comp(struct interpreter *in, const struct ir_instr *instr, uint32_t comp, uint32_t operand,
                      uint32_t from, uint32_t lane)
{
    interp_data(in, &instr->def, comp)[lane] = interp_data(in, ir_src(instr, operand), from)[lane];
    interp_doubt(in, &instr->def, comp)[lane] = interp_doubt(in, ir_src(instr, operand), from)[lane];
}

static void run_move_lane(struct interpreter *in, const struct ir_instr *instr, uint32_t lane)
{
    const struct ir_value *def = &instr->def, *src = instr->num_srcs ? ir_src(instr, 0) : NULL;
    switch (instr->op) {
    case IR_OP_const:
        interp_data(in, def, 0)[lane] = ir_const_u64(def);
        break;
    case IR_OP_undef:
        for (uint32_t comp = 0; comp < def->comps; comp++)
            interp_doubt(in, def, comp)[lane] = DOUBT_UNDEF;
        break;
    case IR_OP_vec:
        for (uint32_t i = 0; i < instr->num_srcs; i++)
            move_comp(in, instr, i, i, 0, lane);
        break;
    case IR_OP_extract:
        move_comp(in, instr, 0, 0, instr->imm[0], lane);
        break;
    case IR_OP_vec_bits:
        interp_data(in, def, 0)[lane] = interp_data(in, src, 1)[lane] << 16 | interp_data(in, src, 0)[lane];
        interp_doubt(in, def, 0)[lane] = interp_bits_doubt(interp_doubts(in, src, lane));
        break;
    default: /* bits_vec */
        for (uint32_t comp = 0; comp < 2; comp++) {
            interp_data(in, def, comp)[lane] = interp_data(in, src, 0)[lane] >> comp * 16 & 0xffff;
            interp_doubt(in, def, comp)[lane] = interp_bits_doubt(interp_doubt(in, src, 0)[lane]);
        }
        break;
    }
}

/* Constants, vectors and what else only moves values. */
static bool run_move(struct interpreter *in, const struct ir_instr *instr, const struct lanes *mask)
{
    switch (instr->op) {
    case IR_OP_const:
    case IR_OP_undef:
    case IR_OP_vec:
    case IR_OP_extract:
    case IR_OP_vec_bits:
    case IR_OP_bits_vec:
        foreach_lane (in, mask, lane)
            run_move_lane(in, instr, lane);
        return true;
    default:
        return false;
    }
}

static bool run_control(struct interpreter *in, const struct ir_instr *instr, const struct lanes *mask)
{
    switch (instr->op) {
    case IR_OP_demote:
        foreach_lane (in, mask, lane)
            in->helper[lane] |= interp_decisive(in, instr, 0, lane);
        return true;
    case IR_OP_barrier:
        return true;
    case IR_OP_shader_clock:
        in->clock++;
        foreach_lane (in, mask, lane) {
            interp_data(in, &instr->def, 0)[lane] = in->clock;
            interp_doubt(in, &instr->def, 0)[lane] = DOUBT_UNDEF;
        }
        return true;
    default:
        return false;
    }
}

static void run_instr(struct interpreter *in, const struct ir_instr *instr, const struct lanes *mask)
{
    for (uint32_t w = 0; w < in->num_waves; w++)
        in->result->steps += (uint32_t)__builtin_popcountll(mask->wave[w]);
    if (in->result->steps > in->max_steps) {
        in->result->too_long = true;
        longjmp(in->stop, 1);
    }
    if (ir_info(instr)->folds)
        run_folded(in, instr, mask);
    else if (!run_move(in, instr, mask) && !run_control(in, instr, mask) && !interp_lanes(in, instr, mask) &&
             !interp_memory(in, instr, mask) && !interp_calls(in, instr, mask) && !interp_io(in, instr, mask))
        interp_stop(in, "the interpreter does not know %s%s", ir_info(instr)->name,
                    ir_needs_rays(instr) ? ": rays run where they are lowered" : "");
}

/* --- control flow --- */

/* All phis of a block read before any is written: they happen at once. */
static void run_phis(struct interpreter *in, const struct ir_block *block, const struct lanes *mask)
{
    uint32_t words = 0;
    ir_foreach_phi (block, phi)
        words += phi->def.comps * 2u;
    if (!words)
        return;
    uint64_t taken[256], *buffer = words <= ARRAY_SIZE(taken) ? taken : interp_alloc(in, words, sizeof(uint64_t));
    foreach_lane (in, mask, lane) {
        uint64_t *next = buffer;
        ir_foreach_phi (block, phi) {
            const struct ir_value *value = ir_phi_source(phi, in->running.came_from[lane]);
            if (!value)
                interp_stop(in, "%%%u has no source for b%u", phi->def.index,
                            in->running.came_from[lane] ? in->running.came_from[lane]->index : 0);
            for (uint32_t comp = 0; comp < phi->def.comps; comp++) {
                *next++ = interp_data(in, value, comp)[lane];
                *next++ = interp_doubt(in, value, comp)[lane];
            }
        }
        next = buffer;
        ir_foreach_phi (block, phi) {
            for (uint32_t comp = 0; comp < phi->def.comps; comp++) {
                interp_data(in, &phi->def, comp)[lane] = *next++;
                interp_doubt(in, &phi->def, comp)[lane] = (uint8_t)*next++;
            }
        }
    }
}

/* The lanes that are left after a jump: none. */
static void run_block(struct interpreter *in, const struct ir_block *block, struct lanes *mask, struct loop_state *loop)
{
    run_phis(in, block, mask);
    ir_foreach_instr (block, instr) {
        if (instr->op == IR_OP_phi)
            continue;
        if (instr->op == IR_OP_break || instr->op == IR_OP_continue) {
            foreach_lane (in, mask, lane)
                in->running.came_from[lane] = block;
            if (!loop)
                interp_stop(in, "a jump outside of a loop");
            lanes_add(in, instr->op == IR_OP_break ? &loop->broke : &loop->continued, mask);
            lanes_clear(in, mask);
            return;
        }
        run_instr(in, instr, mask);
    }
    foreach_lane (in, mask, lane)
        in->running.came_from[lane] = block;
}

static void run_region(struct interpreter *in, const struct ir_region *region, struct lanes *mask,
                       struct loop_state *loop);

static void run_if(struct interpreter *in, const struct ir_if *node, struct lanes *mask, struct loop_state *loop)
{
    struct lanes then_mask = {0};
    const uint64_t *condition = interp_data(in, node->condition.value, 0);
    foreach_lane (in, mask, lane) {
        interp_seen(in, interp_doubt(in, node->condition.value, 0)[lane]);
        if (condition[lane])
            then_mask.wave[lane / in->wave_size] |= 1ull << lane % in->wave_size;
    }
    for (uint32_t w = 0; w < in->num_waves; w++)
        mask->wave[w] &= ~then_mask.wave[w];
    run_region(in, &node->then_region, &then_mask, loop);
    run_region(in, &node->else_region, mask, loop);
    lanes_add(in, mask, &then_mask);
}

static void run_loop(struct interpreter *in, const struct ir_loop *node, struct lanes *mask)
{
    struct loop_state state = {0};
    while (lanes_any(in, mask)) {
        in->result->steps++; /* a loop without instructions ends, too */
        if (in->result->steps > in->max_steps) {
            in->result->too_long = true;
            longjmp(in->stop, 1);
        }
        lanes_clear(in, &state.continued);
        run_region(in, &node->body, mask, &state);
        lanes_add(in, mask, &state.continued);
        run_region(in, &node->cont, mask, &state);
    }
    lanes_copy(in, mask, &state.broke);
}

static void run_region(struct interpreter *in, const struct ir_region *region, struct lanes *mask,
                       struct loop_state *loop)
{
    list_foreach (&region->nodes, struct ir_node, node, link) {
        if (!lanes_any(in, mask))
            return;
        if (node->kind == IR_BLOCK)
            run_block(in, ir_node_block(node), mask, loop);
        else if (node->kind == IR_IF)
            run_if(in, ir_node_if(node), mask, loop);
        else
            run_loop(in, ir_node_loop(node), mask);
    }
}

/* --- entry --- */

static void prepare_interpreter(struct interpreter *in)
{
    struct ir_shader *shader = in->shader;
    const struct ir_interpret_options *options = in->options;
    in->wave_size = options->wave_size ? options->wave_size : 32;
    in->num_lanes = options->num_lanes ? options->num_lanes
                    : ir_has_workgroup(shader) && shader->workgroup_size[0]
                        ? shader->workgroup_size[0] * shader->workgroup_size[1] * shader->workgroup_size[2]
                        : in->wave_size;
    in->num_waves = (uint32_t)div_round_up(in->num_lanes, in->wave_size);
    if (in->wave_size > 64 || in->num_lanes == 0 || in->num_lanes > IR_INTERPRET_MAX_LANES || in->num_waves > MAX_WAVES)
        interp_stop(in, "%u lanes in waves of %u", in->num_lanes, in->wave_size);
    in->max_steps = options->max_steps ? options->max_steps : 16u << 20;
    in->helper = interp_alloc(in, in->num_lanes, sizeof(bool));
    interp_begin_shader(in);
    if (shader->shared_size_B > 1u << 24 || shader->scratch_size_B > 1u << 20)
        interp_stop(in, "the shader's memory is too large to be run");
    in->shared = interp_alloc(in, shader->shared_size_B, 1);
    in->scratch = interp_alloc(in, (size_t)shader->scratch_size_B * in->num_lanes, 1);
    if (!interp_wants_stack(shader))
        return;
    in->stack_size_B = options->stack_size_B ? options->stack_size_B : 16384;
    if ((uint64_t)interp_next_frame_B(in) + IR_FRAME_ARGS_B > in->stack_size_B)
        interp_stop(in, "the stack of %u bytes is full", in->stack_size_B);
    in->stack = interp_alloc(in, (size_t)in->stack_size_B * in->num_lanes, 1);
}

void interp_begin_shader(struct interpreter *in)
{
    struct ir_shader *shader = in->shader;
    in->running = (struct interp_running){.num_variables = shader->num_vars};
    in->running.came_from = interp_alloc(in, in->num_lanes, sizeof(*in->running.came_from));
    ir_index(shader);
    in->running.cells = interp_alloc(in, shader->num_values + 1, sizeof(*in->running.cells));
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (!instr->def.bits)
                continue;
            struct cell *cell = &in->running.cells[instr->def.index];
            cell->data = interp_alloc(in, (size_t)instr->def.comps * in->num_lanes, sizeof(uint64_t));
            cell->doubt = interp_alloc(in, (size_t)instr->def.comps * in->num_lanes, 1);
        }
    }

    in->running.variables = interp_alloc(in, shader->num_vars, sizeof(*in->running.variables));
    list_foreach (&shader->vars, struct ir_var, var, link) {
        if ((uint64_t)var->length * in->num_lanes > 1u << 26)
            interp_stop(in, "v%u is too long to be run", var->index);
        struct variable *variable = &in->running.variables[var->index];
        size_t words = (size_t)var->length * in->num_lanes;
        *variable = (struct variable){var, interp_alloc(in, words, sizeof(uint64_t)), interp_alloc(in, words, 1)};
        memset(variable->doubt, DOUBT_UNDEF, words);
    }
}

void interp_run_body(struct interpreter *in, struct lanes *mask)
{
    run_region(in, &in->shader->body, mask, NULL);
}

static int output_order(const void *a, const void *b)
{
    const struct ir_interpret_output *x = a, *y = b;
    const uint32_t xs[4] = {x->lane, x->location, x->comp, x->dual_index},
                   ys[4] = {y->lane, y->location, y->comp, y->dual_index};
    for (unsigned i = 0; i < 4; i++)
        if (xs[i] != ys[i])
            return xs[i] < ys[i] ? -1 : 1;
    return 0;
}

static void finish_result(struct interpreter *in)
{
    struct ir_interpret_result *result = in->result;
    uint64_t digest = interp_mix(in->trace, interp_memory_digest(in));
    for (uint32_t lane = 0; lane < in->num_lanes; lane++)
        digest = interp_mix(digest, in->helper[lane]);
    result->effects = digest;
    for (uint32_t i = 0; i < in->num_outputs; i++)
        if (!in->helper[in->output_list[i].lane])
            in->output_list[result->num_outputs++] = in->output_list[i];
    result->outputs = in->output_list;
    if (result->num_outputs)
        qsort(result->outputs, result->num_outputs, sizeof(*result->outputs), output_order);
    for (uint32_t i = 0; i < result->num_outputs; i++) {
        const struct ir_interpret_output *out = &result->outputs[i];
        digest =
            interp_mix(interp_mix(digest, out->lane), (uint64_t)out->location << 32 | out->comp << 8 | out->dual_index);
        digest = interp_mix(digest, out->value);
    }
    result->digest = digest;
}

static __attribute__((noinline)) void run_guarded(struct interpreter *in)
{
    struct ir_failure failure = {0}, *outer = in->shader->failure;
    if (ir_guard(in->shader, &failure)) {
        snprintf(in->result->error, sizeof(in->result->error), "%s", failure.text);
    } else if (setjmp(in->stop) == 0) {
        prepare_interpreter(in);
        struct lanes all = {0};
        for (uint32_t lane = 0; lane < in->num_lanes; lane++)
            all.wave[lane / in->wave_size] |= 1ull << lane % in->wave_size;
        interp_run_body(in, &all);
        finish_result(in);
    }
    in->shader->failure = outer;
}

bool ir_interpret(struct ir_shader *shader, const struct ir_interpret_options *options,
                  struct ir_interpret_result *result)
{
    *result = (struct ir_interpret_result){0};
    struct interpreter in = {.shader = shader, .options = options, .result = result};
    run_guarded(&in);
    map64_finish(&in.memory);
    map64_finish(&in.memory_start);
    map64_finish(&in.outputs);
    return !result->error[0];
}

void ir_interpret_finish(struct ir_interpret_result *result)
{
    arena_finish(&result->arena);
    *result = (struct ir_interpret_result){0};
}

const struct ir_interpret_output *ir_interpret_find_output(const struct ir_interpret_result *result, uint32_t lane,
                                                           uint32_t location, uint32_t comp)
{
    for (uint32_t i = 0; i < result->num_outputs; i++) {
        const struct ir_interpret_output *out = &result->outputs[i];
        if (out->lane == lane && out->location == location && out->comp == comp && out->dual_index == 0)
            return out;
    }
    return NULL;
}

/* --- comparison --- */

static const char *why_undecided(const struct ir_interpret_result *result)
{
    return result->error[0]     ? result->error
           : result->too_long   ? "it runs too long"
           : result->used_undef ? "it uses undefined values"
                                : NULL;
}

/* The first output that the second run may not have instead; false where there is one. */
static bool same_outputs(const struct ir_interpret_result *a, const struct ir_interpret_result *b, char reason_out[256])
{
    if (a->num_outputs != b->num_outputs) {
        snprintf(reason_out, 256, "%u outputs became %u", a->num_outputs, b->num_outputs);
        return false;
    }
    for (uint32_t i = 0; i < a->num_outputs; i++) {
        const struct ir_interpret_output *x = &a->outputs[i], *y = &b->outputs[i];
        bool free = x->nan_bits || y->nan_bits || (x->some_nan && is_nan(y->value, y->bits));
        if (output_order(x, y) == 0 && (x->value == y->value || free))
            continue;
        snprintf(reason_out, 256,
                 "output of lane %u, location %u, component %u: 0x%" PRIx64 " became lane %u, %u, %u: 0x%" PRIx64,
                 x->lane, x->location, x->comp, x->value, y->lane, y->location, y->comp, y->value);
        return false;
    }
    return true;
}

static bool same_buffers(const struct ir_interpret_options *options, struct ir_interpret_buffer *const buffers[2],
                         char reason_out[256])
{
    for (uint32_t i = 0; i < options->num_buffers && buffers[0] && buffers[1]; i++) {
        if (memcmp(buffers[0][i].data, buffers[1][i].data, options->buffers[i].size_B) != 0) {
            snprintf(reason_out, 256, "buffer %u of the caller differs", i);
            return false;
        }
    }
    return true;
}

/* Both ran to their end on defined values. */
static enum ir_verdict compare_results(const struct ir_interpret_result results[2],
                                       const struct ir_interpret_options *options,
                                       struct ir_interpret_buffer *const buffers[2], char reason_out[256])
{
    bool same = same_outputs(&results[0], &results[1], reason_out) && same_buffers(options, buffers, reason_out);
    if (same && results[0].effects != results[1].effects) {
        snprintf(reason_out, 256, "what is written to memory differs, or which lanes were demoted");
        same = false;
    }
    if (!same)
        return results[0].used_nan || results[1].used_nan ? IR_UNDECIDED : IR_DIFFERENT;
    if (results[1].misaligned > results[0].misaligned) {
        snprintf(reason_out, 256, "%u accesses break their alignment", results[1].misaligned);
        return IR_DIFFERENT;
    }
    return IR_SAME;
}

/* Copies of the caller's buffers, so that both runs start from the same. */
static struct ir_interpret_buffer *copy_buffers(struct arena *arena, const struct ir_interpret_options *options)
{
    struct ir_interpret_buffer *copies = arena_zalloc_array(arena, options->num_buffers, sizeof(*copies));
    for (uint32_t i = 0; copies && i < options->num_buffers; i++) {
        copies[i] = options->buffers[i];
        copies[i].data = arena_alloc(arena, copies[i].size_B);
        if (!copies[i].data)
            return NULL;
        memcpy(copies[i].data, options->buffers[i].data, copies[i].size_B);
    }
    return copies;
}

enum ir_verdict ir_interpret_compare(struct ir_shader *a, struct ir_shader *b,
                                     const struct ir_interpret_options *options, char reason_out[256])
{
    struct arena arena = {0};
    struct ir_shader *shaders[2] = {a, b};
    struct ir_interpret_result results[2] = {0};
    struct ir_interpret_buffer *buffers[2] = {0};
    enum ir_verdict verdict = IR_SAME;
    reason_out[0] = '\0';
    for (unsigned i = 0; i < 2; i++) {
        struct ir_interpret_options mine = *options;
        mine.buffers = buffers[i] = copy_buffers(&arena, options);
        mine.num_buffers = buffers[i] ? options->num_buffers : 0;
        /* The copy may run longer than the original where a pass speculates, but not without bound. */
        if (i == 1)
            mine.max_steps = results[0].steps * 64 + 100000;
        ir_interpret(shaders[i], &mine, &results[i]);
        const char *why = why_undecided(&results[i]);
        if (why && verdict == IR_SAME) {
            snprintf(reason_out, 256, "%s: %.200s", i ? "after" : "before", why);
            /* The first ran to its end on defined values alone: then so must the second. */
            verdict = i == 0 ? IR_UNDECIDED : IR_DIFFERENT;
        }
    }
    if (verdict == IR_SAME)
        verdict = compare_results(results, options, buffers, reason_out);
    ir_interpret_finish(&results[0]);
    ir_interpret_finish(&results[1]);
    arena_finish(&arena);
    return verdict;
}
