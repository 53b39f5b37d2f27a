/* See sp_place.h. */
#include "compiler/spirv/sp_place.h"

#include <string.h>

struct sp_place *sp_new_place(struct sp *s)
{
    struct sp_place *place = sp_new(s, struct sp_place);
    place->loop = s->emit->loop;
    place->init_block = s->b.block;
    return place;
}

/* The translation calls itself for what is nested: it begins again on a deep stack where it must. */
static void check_depth(struct sp *s, uint32_t depth)
{
    if (depth > SP_SHALLOW && !s->deep) {
        s->wants_deep = true;
        sp_fail(s, "control flow nests deep");
    }
    if (depth > SP_MAX_DEPTH)
        sp_fail(s, "control flow nests deeper than %u", SP_MAX_DEPTH);
}

void sp_enter_region(struct sp *s, struct sp_emit *frame, struct sp_place *next)
{
    *frame = (struct sp_emit){.parent = s->emit, .next = next, .loop = s->emit ? s->emit->loop : NULL};
    frame->depth = s->emit ? s->emit->depth + s->emit->open_ifs + 1 : 0;
    check_depth(s, frame->depth);
    s->emit = frame;
}

void sp_open_else(struct sp *s)
{
    ir_builder_push_else(&s->b);
    check_depth(s, s->emit->depth + ++s->emit->open_ifs);
}

void sp_leave_region(struct sp *s)
{
    for (; s->emit->open_ifs; s->emit->open_ifs--)
        ir_builder_pop_if(&s->b);
    s->emit = s->emit->parent;
}

/* --- branches --- */

static struct ir_var *flag_of(struct sp *s, struct sp_place *place)
{
    if (!place->flag) {
        place->flag = ir_var_create(s->shader, 1, 1, "go");
        struct ir_builder b = ir_builder_at_end(s->shader, place->init_block);
        ir_store_var(&b, ir_false(&b), ir_const(&b, 32, 0), place->flag->index);
        /* The cursor may stand in that very block: what is built next must come after the store. */
    }
    return place->flag;
}

void sp_add_pending(struct sp *s, struct sp_place *at, struct sp_place *target)
{
    for (uint32_t i = 0; i < at->num_pending; i++)
        if (at->pending[i] == target)
            return;
    if (at->num_pending == at->max_pending) {
        uint32_t max = at->max_pending ? at->max_pending * 2 : 4;
        struct sp_place **grown = sp_new_array(s, struct sp_place *, max);
        if (at->num_pending)
            memcpy(grown, at->pending, at->num_pending * sizeof(*grown));
        at->pending = grown;
        at->max_pending = max;
    }
    at->pending[at->num_pending++] = target;
}

bool sp_is_native(const struct sp *s, const struct sp_place *place)
{
    const struct sp_loop *loop = s->emit->loop;
    return loop && place != s->emit->next &&
           (place == loop->break_place || (place == loop->continue_place && !loop->in_cont));
}

static void emit_jump(struct sp *s, enum ir_op op)
{
    if (op == IR_OP_break)
        s->emit->loop->breaks++;
    ir_jump(&s->b, op);
}

void sp_jump_to(struct sp *s, struct sp_place *place)
{
    struct sp_loop *loop = s->emit->loop;
    if (place == s->emit->next)
        return;
    if (sp_is_native(s, place)) {
        emit_jump(s, place == loop->break_place ? IR_OP_break : IR_OP_continue);
        return;
    }
    struct ir_var *flag = flag_of(s, place);
    ir_store_var(&s->b, ir_true(&s->b), ir_const(&s->b, 32, 0), flag->index);
    if (place->loop == loop) {
        sp_add_pending(s, s->emit->next, place);
    } else if (loop) {
        sp_add_pending(s, &loop->after, place);
        emit_jump(s, IR_OP_break);
    } else {
        sp_fail(s, "a branch into a loop");
    }
}

void sp_arrive(struct sp *s, struct sp_place *place)
{
    for (uint32_t i = 0; i < place->num_pending; i++) {
        struct sp_place *target = place->pending[i];
        struct ir_value *set = ir_load_var(&s->b, 1, 1, ir_const(&s->b, 32, 0), target->flag->index);
        ir_builder_push_if(&s->b, set);
        if (sp_is_native(s, target)) {
            emit_jump(s, target == s->emit->loop->break_place ? IR_OP_break : IR_OP_continue);
            ir_builder_pop_if(&s->b);
            continue;
        }
        struct sp_emit frame;
        sp_enter_region(s, &frame, s->emit->next);
        sp_jump_to(s, target);
        sp_leave_region(s);
        sp_open_else(s);
    }
}

void sp_end_where(struct sp *s, struct ir_value *condition)
{
    struct sp_emit frame;
    ir_builder_push_if(&s->b, condition);
    if (sp_is_native(s, s->end_place)) {
        emit_jump(s, s->end_place == s->emit->loop->break_place ? IR_OP_break : IR_OP_continue);
        ir_builder_pop_if(&s->b);
        return;
    }
    sp_enter_region(s, &frame, s->emit->next);
    sp_jump_to(s, s->end_place);
    sp_leave_region(s);
    sp_open_else(s);
}
