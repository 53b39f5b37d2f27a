/* A function's blocks become regions of the IR, and a call becomes the callee's regions in the caller's.
 *
 * Blocks are emitted along the dominator tree (sp_cfg.c says which block places which). A region ends by falling to its
 * `next` place; break and continue of the innermost IR loop are jumps. Every other branch — out of two loops, out of a
 * nested selection to a switch's merge block, from one case into the next, a return from anywhere — sets the flag of
 * its target and falls or breaks out; the places on the way look at the flag and pass control on. So there are no loops
 * in the IR that the program does not have. */
#include "compiler/spirv/sp_place.h"

#include <string.h>

/* A call's part that the return instructions in the callee need. */
struct sp_return {
    struct sp_place place;
    struct sp_value *value; /* of the only return */
    struct ir_var **vars;   /* where there are several */
    uint32_t count;
};

static void emit_from(struct sp *s, uint32_t index);

static bool is_inline(const struct sp_block *block)
{
    return block->attached_to == SP_NONE && block->num_preds == 1 && !block->place;
}

static void jump_to_block(struct sp *s, struct sp_block *block)
{
    if (!block->place)
        sp_fail(s, "the branch to block %u leaves the structure of the control flow", block->id);
    sp_jump_to(s, block->place);
}

/* The branch of an if or a case: a block of its own, or a jump. */
static void emit_side(struct sp *s, uint32_t index)
{
    struct sp_emit frame;
    struct sp_block *block = &s->function->blocks[index];
    sp_enter_region(s, &frame, s->emit->next);
    if (is_inline(block))
        emit_from(s, index);
    else
        jump_to_block(s, block);
    sp_leave_region(s);
}

static uint32_t label_index(struct sp *s, uint32_t label)
{
    struct sp_id *def = sp_id(s, label);
    if (def->what != SP_LABEL || !def->block)
        sp_fail(s, "id %u is no label", label);
    return (uint32_t)(def->block - s->function->blocks);
}

/* --- terminators: each returns the block that continues in the same region, or SP_NONE --- */

static uint32_t go_on(struct sp *s, uint32_t index)
{
    struct sp_block *block = &s->function->blocks[index];
    if (is_inline(block))
        return index;
    jump_to_block(s, block);
    return SP_NONE;
}

static uint32_t subtree(const struct sp_block *block)
{
    return is_inline(block) ? block->dom_post - block->dom_pre : 0;
}

static void set_hints(struct ir_if *node, uint32_t control)
{
    node->flatten = control & SpvSelectionControlFlattenMask;
    node->dont_flatten = control & SpvSelectionControlDontFlattenMask;
}

static uint32_t branch_conditional(struct sp *s, const struct sp_instr *in, const struct sp_block *block)
{
    uint32_t yes = label_index(s, sp_op(s, in, 1)), no = label_index(s, sp_op(s, in, 2));
    struct ir_value *condition = sp_read_scalar(s, sp_op(s, in, 0));
    if (condition->bits != 1)
        sp_fail(s, "the condition is no boolean");
    if (yes == no)
        return go_on(s, yes);
    struct sp_block *yes_block = &s->function->blocks[yes], *no_block = &s->function->blocks[no];
    /* The smaller side first: the other one goes on in this call, so that the stack does not grow with the program. */
    if (subtree(yes_block) > subtree(no_block)) {
        condition = ir_inot(&s->b, condition);
        uint32_t swap = yes;
        yes = no, no = swap;
        yes_block = &s->function->blocks[yes], no_block = &s->function->blocks[no];
    }
    struct ir_if *node = ir_builder_push_if(&s->b, condition);
    set_hints(node, block->loop ? 0 : block->control);
    bool leaves = yes_block->place && sp_is_native(s, yes_block->place);
    emit_side(s, yes);
    /* A side that ends in a jump lets the other one follow the if instead of nesting in it: many ways out of a loop
     * must not be many levels. */
    if (s->emit->depth + s->emit->open_ifs > SP_SHALLOW / 2)
        leaves = leaves || !ir_region_falls_through(&node->then_region);
    if (leaves) {
        ir_builder_pop_if(&s->b);
        return go_on(s, no);
    }
    if (is_inline(no_block)) {
        sp_open_else(s);
        return no;
    }
    ir_builder_push_else(&s->b);
    emit_side(s, no);
    ir_builder_pop_if(&s->b);
    return SP_NONE;
}

/* The cases of a switch, listed by the block that they lead to. */
struct cases {
    const struct sp_instr *in;
    struct ir_value *selector;
    uint32_t *next; /* by case: the next one of the same block, + 1 */
};

static uint32_t words_of_case(const struct cases *cases)
{
    return cases->selector->bits == 64 ? 3 : 2;
}

static struct cases list_cases(struct sp *s, const struct sp_instr *in, struct ir_value *selector,
                               const struct sp_block *block)
{
    struct cases cases = {in, selector, NULL};
    uint32_t step = words_of_case(&cases), count = (in->count - 2) / step;
    cases.next = sp_new_array(s, uint32_t, count);
    for (uint32_t i = 0; i < block->num_succs; i++)
        s->function->blocks[block->succs[i]].first_case = 0;
    for (uint32_t i = count; i-- > 0;) {
        struct sp_block *target = &s->function->blocks[label_index(s, in->ops[2 + i * step + step - 1])];
        cases.next[i] = target->first_case;
        target->first_case = i + 1;
    }
    return cases;
}

/* Whether the selector has one of the values that lead to a block. */
static struct ir_value *case_condition(struct sp *s, const struct cases *cases, uint32_t target)
{
    uint32_t step = words_of_case(cases);
    struct ir_value *any = NULL;
    for (uint32_t i = s->function->blocks[target].first_case; i; i = cases->next[i - 1]) {
        const uint32_t *words = &cases->in->ops[2 + (i - 1) * step];
        uint64_t literal = words[0] | (step == 3 ? (uint64_t)words[1] << 32 : 0);
        struct ir_value *equal = ir_ieq(&s->b, cases->selector, sp_imm(s, cases->selector->bits, literal));
        any = any ? ir_ior(&s->b, any, equal) : equal;
    }
    return any;
}

#define MAX_NESTED_CASES 16
#define MAX_KNOWN_CASES 256 /* conditions that are computed before the first case: more would not fit into registers */

/* Many cases: one if after the other. Their conditions exclude each other, so that the order does not matter. */
static uint32_t flat_cases(struct sp *s, const struct cases *cases, const struct sp_block *block, uint32_t otherwise)
{
    struct ir_value **conditions = sp_new_array(s, struct ir_value *, block->num_succs);
    struct ir_value *any = NULL;
    bool known = block->num_succs <= MAX_KNOWN_CASES;
    for (uint32_t i = 0; known && i < block->num_succs; i++) {
        if (block->succs[i] == otherwise)
            continue;
        conditions[i] = case_condition(s, cases, block->succs[i]);
        any = any ? ir_ior(&s->b, any, conditions[i]) : conditions[i];
    }
    for (uint32_t i = 0; i < block->num_succs; i++) {
        if (block->succs[i] == otherwise)
            continue;
        if (!known) {
            conditions[i] = case_condition(s, cases, block->succs[i]);
            any = any ? ir_ior(&s->b, any, conditions[i]) : conditions[i];
        }
        ir_builder_push_if(&s->b, conditions[i]);
        emit_side(s, block->succs[i]);
        ir_builder_pop_if(&s->b);
    }
    ir_builder_push_if(&s->b, ir_inot(&s->b, any));
    emit_side(s, otherwise);
    ir_builder_pop_if(&s->b);
    return SP_NONE;
}

static uint32_t switch_over(struct sp *s, const struct sp_instr *in, const struct sp_block *block)
{
    struct ir_value *selector = sp_read_scalar(s, sp_op(s, in, 0));
    uint32_t otherwise = label_index(s, sp_op(s, in, 1));
    if (selector->bits == 1)
        sp_fail(s, "the selector is no integer");
    sp_spend(s, in->count);
    if (block->num_succs == 1)
        return go_on(s, otherwise);
    struct cases cases = list_cases(s, in, selector, block);
    if (block->num_succs > MAX_NESTED_CASES)
        return flat_cases(s, &cases, block, otherwise);
    uint32_t nested = 0;
    for (uint32_t i = 0; i < block->num_succs; i++) {
        if (block->succs[i] == otherwise)
            continue;
        ir_builder_push_if(&s->b, case_condition(s, &cases, block->succs[i]));
        emit_side(s, block->succs[i]);
        sp_open_else(s);
        nested++;
    }
    if (is_inline(&s->function->blocks[otherwise]))
        return otherwise;
    emit_side(s, otherwise);
    for (; nested; nested--, s->emit->open_ifs--)
        ir_builder_pop_if(&s->b);
    return SP_NONE;
}

static void return_value(struct sp *s, uint32_t id)
{
    struct sp_return *ret = s->returning;
    struct sp_type *type = s->function->result;
    if (!ret)
        sp_fail(s, "the entry point returns a value");
    if (sp_type_of(s, id)->scalars != type->scalars)
        sp_fail(s, "the value returned is not of the function's type");
    if (ret->count == 1) {
        ret->value = sp_value(s, id);
        return;
    }
    struct ir_value **c = sp_read(s, id);
    if (!ret->vars) {
        ret->vars = sp_new_array(s, struct ir_var *, type->scalars);
        for (uint32_t i = 0; i < type->scalars; i++)
            ret->vars[i] = ir_var_create(s->shader, sp_bits_of_scalar(s, type, i), 1, "result");
    }
    for (uint32_t i = 0; i < type->scalars; i++) {
        if (c[i]->bits != ret->vars[i]->bits)
            sp_fail(s, "the value returned is not of the function's type");
        ir_store_var(&s->b, c[i], sp_imm(s, 32, 0), ret->vars[i]->index);
    }
}

static uint32_t terminator(struct sp *s, struct sp_block *block)
{
    struct sp_instr in;
    sp_read_instr(s, block->end, &in);
    switch (in.opcode) {
    case SpvOpBranch:
        return go_on(s, label_index(s, sp_op(s, &in, 0)));
    case SpvOpBranchConditional:
        return branch_conditional(s, &in, block);
    case SpvOpSwitch:
        return switch_over(s, &in, block);
    case SpvOpReturnValue:
        return_value(s, sp_op(s, &in, 0));
        sp_jump_to(s, s->return_place);
        return SP_NONE;
    case SpvOpReturn:
        sp_jump_to(s, s->return_place);
        return SP_NONE;
    case SpvOpKill:
    case SpvOpTerminateInvocation:
        if (s->shader->stage == IR_STAGE_fragment) {
            ir_demote(&s->b, ir_true(&s->b));
            s->shader->fs.uses_demote = true;
        }
        sp_jump_to(s, s->end_place);
        return SP_NONE;
    case SpvOpEmitMeshTasksEXT:
        sp_emit_mesh_tasks(s, &in);
        sp_jump_to(s, s->end_place);
        return SP_NONE;
    case SpvOpIgnoreIntersectionKHR:
    case SpvOpTerminateRayKHR:
        sp_judge_hit(s, &in);
        sp_jump_to(s, s->end_place);
        return SP_NONE;
    default: /* OpUnreachable: anywhere is right */
        return SP_NONE;
    }
}

/* --- blocks --- */

static void emit_instrs(struct sp *s, struct sp_block *block)
{
    struct sp_instr in;
    if (block->emitted)
        sp_fail(s, "block %u is reached in two ways that do not meet", block->id);
    block->emitted = true;
    for (uint32_t at = block->first; at < block->end; at = in.next) {
        sp_read_instr(s, at, &in);
        if (in.info->phase == SP_PHASE_ignored)
            continue;
        if (!in.info->handler)
            sp_fail(s, "%s is not supported", in.info->name);
        s->b.flags = 0;
        in.info->handler(s, &in);
        s->b.flags = 0;
    }
    sp_store_phis(s, block);
    s->at = block->end;
}

/* A block's branches with what they lead to, up to the block's last join; returns the block that continues in this
 * region. */
static uint32_t emit_branches(struct sp *s, struct sp_block *block)
{
    uint32_t count = block->num_joins;
    if (count == 0)
        return terminator(s, block);
    struct sp_place **places = sp_new_array(s, struct sp_place *, count);
    for (uint32_t i = 0; i < count; i++) {
        places[i] = sp_new_place(s);
        s->function->blocks[block->joins[i]].place = places[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        struct sp_emit frame;
        sp_enter_region(s, &frame, places[i]);
        if (i == 0) {
            uint32_t tail = terminator(s, block);
            if (tail != SP_NONE)
                emit_from(s, tail);
        } else {
            s->function->blocks[block->joins[i - 1]].place = NULL;
            sp_arrive(s, places[i - 1]);
            emit_from(s, block->joins[i - 1]);
        }
        sp_leave_region(s);
    }
    uint32_t last = block->joins[count - 1];
    s->function->blocks[last].place = NULL;
    sp_arrive(s, places[count - 1]);
    return last;
}

static uint32_t emit_block(struct sp *s, struct sp_block *block)
{
    emit_instrs(s, block);
    return emit_branches(s, block);
}

/* A block or loop and all that follows in a region. */
static void emit_region_of(struct sp *s, struct sp_block *block, struct sp_place *next)
{
    struct sp_emit frame;
    sp_enter_region(s, &frame, next);
    uint32_t tail = emit_block(s, block);
    if (tail != SP_NONE)
        emit_from(s, tail);
    sp_leave_region(s);
}

static uint32_t emit_loop(struct sp *s, struct sp_block *header)
{
    struct sp_function *function = s->function;
    uint32_t index = (uint32_t)(header - function->blocks);
    struct sp_block *merge = &function->blocks[label_index(s, header->merge)];
    struct sp_block *cont = &function->blocks[label_index(s, header->cont)];
    bool has_merge = merge->attached_to == index, has_cont = cont->attached_to == index;
    struct sp_loop loop = {0};
    struct sp_emit frame;

    struct ir_loop *node = ir_builder_push_loop(&s->b);
    node->unroll = header->control & SpvLoopControlUnrollMask;
    node->dont_unroll = header->control & SpvLoopControlDontUnrollMask;
    sp_enter_region(s, &frame, s->emit->next);
    frame.loop = &loop;
    struct sp_place *continue_place = sp_new_place(s), *back_place = sp_new_place(s);
    loop.break_place = sp_new_place(s);
    loop.continue_place = continue_place;
    if (has_merge)
        merge->place = loop.break_place;
    (has_cont ? cont : header)->place = continue_place;
    emit_region_of(s, header, continue_place);
    ir_builder_push_cont(&s->b);
    loop.in_cont = true;
    if (has_cont) {
        cont->place = NULL;
        header->place = back_place;
        struct sp_emit region;
        sp_enter_region(s, &region, back_place);
        sp_arrive(s, continue_place);
        emit_from(s, (uint32_t)(cont - function->blocks));
        sp_leave_region(s);
    }
    header->place = NULL;
    if (loop.breaks == 0) { /* what stands after an endless loop must still be reached by the IR's rules */
        ir_builder_push_if(&s->b, ir_false(&s->b));
        ir_jump(&s->b, IR_OP_break);
        ir_builder_pop_if(&s->b);
    }
    sp_leave_region(s);
    ir_builder_pop_loop(&s->b);
    if (has_merge)
        merge->place = NULL;
    sp_arrive(s, &loop.after);
    return has_merge ? (uint32_t)(merge - function->blocks) : SP_NONE;
}

static void emit_from(struct sp *s, uint32_t index)
{
    while (index != SP_NONE) {
        struct sp_block *block = &s->function->blocks[index];
        s->at = block->at;
        if (block->loop && !block->emitted)
            index = emit_loop(s, block);
        else
            index = emit_block(s, block);
    }
}

/* --- functions --- */

/* Ids of the body are defined anew by each expansion. */
static void forget_body(struct sp *s, struct sp_function *function)
{
    struct sp_instr in;
    for (uint32_t at = function->at; at < function->end; at = in.next) {
        sp_read_instr(s, at, &in);
        if (!in.id)
            continue;
        struct sp_id *def = sp_id(s, in.id);
        if (def->what == SP_VALUE || def->what == SP_VARIABLE) {
            def->what = SP_UNKNOWN;
            def->value = NULL;
        }
    }
    for (uint32_t b = 0; b < function->num_blocks; b++) {
        function->blocks[b].emitted = false;
        function->blocks[b].place = NULL;
    }
}

/* Returns that can be reached. */
static uint32_t count_returns(const struct sp *s, const struct sp_function *function)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < function->num_order; i++) {
        uint32_t opcode = s->words[function->blocks[function->order[i]].end] & 0xffff;
        count += opcode == SpvOpReturnValue || opcode == SpvOpReturn;
    }
    return count;
}

static void expand_function(struct sp *s, struct sp_function *function)
{
    struct sp_emit frame;
    struct sp_function *caller = s->function;
    uint32_t at = s->at;
    if (function->active)
        sp_fail(s, "function %u calls itself", function->id);
    function->active = true;
    sp_analyse_function(s, function);
    sp_spend(s, function->end - function->at);
    s->function = function;
    sp_enter_region(s, &frame, s->return_place);
    emit_from(s, 0);
    sp_leave_region(s);
    s->function = caller;
    function->active = false;
    s->at = at;
}

static void sp_expand_call(struct sp *s, struct sp_function *callee, const struct sp_instr *call)
{
    if (callee->num_blocks == 0 || callee->num_params != call->count - 1)
        sp_fail(s, "the call does not fit the function");
    if (callee->active)
        sp_fail(s, "function %u calls itself", callee->id);
    struct sp_value **args = sp_new_array(s, struct sp_value *, callee->num_params);
    for (uint32_t i = 0; i < callee->num_params; i++) {
        args[i] = sp_value(s, call->ops[i + 1]);
        if (args[i]->type->scalars != callee->type->params[i]->scalars)
            sp_fail(s, "argument %u is not of the parameter's type", i);
    }
    sp_analyse_function(s, callee);
    forget_body(s, callee);
    for (uint32_t i = 0; i < callee->num_params; i++)
        sp_define(s, callee->params[i], SP_VALUE)->value = args[i];

    struct sp_return ret = {.count = count_returns(s, callee)};
    struct sp_return *outer = s->returning;
    struct sp_place *outer_place = s->return_place;
    struct sp_place *place = sp_new_place(s);
    s->returning = &ret;
    s->return_place = place;
    /* A callee that never returns may end in jumps: what the caller says after the call goes where no jump precedes
     * it. */
    if (ret.count == 0)
        ir_builder_push_if(&s->b, ir_true(&s->b));
    expand_function(s, callee);
    s->returning = outer;
    s->return_place = outer_place;
    if (ret.count == 0) {
        sp_open_else(s);
        for (uint32_t i = 0; i < place->num_pending; i++)
            if (place->pending[i] != s->emit->next)
                sp_add_pending(s, s->emit->next, place->pending[i]);
    } else {
        sp_arrive(s, place);
    }

    struct sp_type *type = sp_type(s, call->type);
    if (type != callee->result)
        sp_fail(s, "the call's type is not the function's result");
    if (ret.value) {
        sp_define(s, call->id, SP_VALUE)->value = ret.value;
        return;
    }
    struct sp_value *value = sp_new_value(s, type);
    for (uint32_t i = 0; i < type->scalars; i++)
        value->c[i] = ret.vars ? ir_load_var(&s->b, ret.vars[i]->bits, 1, sp_imm(s, 32, 0), ret.vars[i]->index)
                               : sp_undef(s, sp_bits_of_scalar(s, type, i));
    if (type->kind == SP_POINTER)
        value->ptr = sp_pointer_from_scalars(s, type, value->c);
    sp_define(s, call->id, SP_VALUE)->value = value;
}

void sp_do_function_call(struct sp *s, const struct sp_instr *in)
{
    struct sp_id *def = sp_id(s, sp_op(s, in, 0));
    if (def->what != SP_FUNCTION_ID || !def->function)
        sp_fail(s, "id %u is no function", in->ops[0]);
    sp_expand_call(s, def->function, in);
}

void sp_translate(struct sp *s)
{
    struct sp_place end = {.init_block = s->b.block};
    s->end_place = s->return_place = &end;
    forget_body(s, s->entry);
    expand_function(s, s->entry);
    s->emit = NULL;
    s->at = s->entry->end;
    s->end_place = s->return_place = NULL;
}
