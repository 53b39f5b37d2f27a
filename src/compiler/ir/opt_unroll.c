/* Loop unrolling: a loop whose number of turns can be found by computing its counter becomes that many copies of its
 * body, one after the other, inside a loop that is never turned. Breaks of every kind stay what they are, leaves of
 * that outer loop; the one that ends the counting becomes certain in the last copy, and opt_dead_flow takes the rest
 * away.
 *
 * Not for loops with a `continue`, and not where the copies would be too much code. */
#include <string.h>

#include "compiler/ir/ir_builder.h"
#include "compiler/ir/ir_fold.h"
#include "compiler/ir/ir_internal.h"
#include "compiler/ir/opt.h"
#include "compiler/ir/target.h"
#include "util/bits.h"

enum {
    MAX_TURNS = 256,
    MAX_TURNS_UNASKED = 32,
    MAX_PHIS = 64,
    MAX_DEPTH = 24
};

struct counter {
    struct ir_loop *loop;
    struct ir_instr *phis[MAX_PHIS]; /* of the head */
    struct ir_value *init[MAX_PHIS], *next[MAX_PHIS];
    bool known[MAX_PHIS];
    uint64_t now[MAX_PHIS];
    uint32_t num_phis;
    const struct ir_shader *shader;
};

static bool is_inside(const struct ir_loop *loop, const struct ir_node *node)
{
    for (; node; node = node->region->owner)
        if (node == &loop->node)
            return true;
    return false;
}

static uint32_t region_size(const struct ir_region *region);

static uint32_t node_size(struct ir_node *node)
{
    uint32_t size = 0;
    if (node->kind == IR_IF)
        return 1 + region_size(&ir_node_if(node)->then_region) + region_size(&ir_node_if(node)->else_region);
    if (node->kind == IR_LOOP)
        return 2 + region_size(&ir_node_loop(node)->body) + region_size(&ir_node_loop(node)->cont);
    ir_foreach_instr (ir_node_block(node), instr)
        size += instr->op != IR_OP_const && instr->op != IR_OP_phi;
    return size;
}

static uint32_t region_size(const struct ir_region *region)
{
    uint32_t size = 0;
    list_foreach (&region->nodes, struct ir_node, node, link)
        size += node_size(node);
    return size;
}

static bool has_continue(const struct ir_region *region)
{
    list_foreach (&region->nodes, struct ir_node, node, link) {
        if (node->kind == IR_BLOCK) {
            const struct ir_instr *jump = ir_block_jump(ir_node_block(node));
            if (jump && jump->op == IR_OP_continue)
                return true;
        } else if (node->kind == IR_IF) {
            if (has_continue(&ir_node_if(node)->then_region) || has_continue(&ir_node_if(node)->else_region))
                return true;
        }
    }
    return false;
}

/* The value in this turn, where it follows from the counter alone. */
static bool evaluate_value(const struct counter *c, const struct ir_value *value, unsigned depth, uint64_t *out)
{
    const struct ir_instr *instr = ir_def_instr(value);
    if (ir_is_const(value)) {
        *out = ir_const_u64(value);
        return true;
    }
    for (uint32_t i = 0; i < c->num_phis; i++)
        if (c->phis[i] == instr) {
            *out = c->now[i];
            return c->known[i];
        }
    if (!ir_info(instr)->folds || instr->def.comps != 1 || instr->num_srcs > 4 || depth > MAX_DEPTH ||
        !is_inside(c->loop, &instr->block->node))
        return false;
    uint64_t srcs[4];
    uint8_t bits[4];
    for (uint32_t i = 0; i < instr->num_srcs; i++) {
        bits[i] = ir_src(instr, i)->bits;
        if (ir_src(instr, i)->comps != 1 || !evaluate_value(c, ir_src(instr, i), depth + 1, &srcs[i]))
            return false;
    }
    return ir_fold_op((enum ir_op)instr->op, instr->def.bits, bits, srcs, instr->imm, &c->shader->floats, out);
}

/* A branch at the top of the loop that does nothing on one side but leave. */
static bool is_exit(const struct ir_if *branch, bool *leaves_on_out)
{
    for (unsigned side = 0; side < 2; side++) {
        const struct ir_region *region = side ? &branch->else_region : &branch->then_region;
        const struct ir_instr *jump = ir_block_jump(ir_region_last(region));
        if (jump && jump->op == IR_OP_break && ir_region_first(region) == ir_region_last(region)) {
            *leaves_on_out = side == 0;
            return true;
        }
    }
    return false;
}

/* Whether some exit of this turn is certain, or 0 when none of them can be decided. 1: leaves, 2: stays. */
static int leaves_loop(const struct counter *c, const struct ir_region *region)
{
    int answer = 0;
    list_foreach (&region->nodes, struct ir_node, node, link) {
        bool on;
        uint64_t value;
        if (node->kind != IR_IF || !is_exit(ir_node_if(node), &on) ||
            !evaluate_value(c, ir_node_if(node)->condition.value, 0, &value))
            continue;
        if ((value != 0) == on)
            return 1;
        answer = 2;
    }
    return answer;
}

static bool read_phis(struct counter *c)
{
    struct ir_loop *loop = c->loop;
    struct ir_block *before = ir_node_block(ir_node_prev(&loop->node)), *end = ir_region_last(&loop->cont);
    ir_foreach_phi (ir_region_first(&loop->body), phi) {
        if (c->num_phis == MAX_PHIS)
            return false;
        uint32_t i = c->num_phis++;
        c->phis[i] = phi;
        c->init[i] = ir_phi_source(phi, before);
        c->next[i] = ir_phi_source(phi, end);
        if (!c->init[i] || !c->next[i])
            return false;
        c->known[i] = ir_is_const(c->init[i]) && phi->def.comps == 1;
        c->now[i] = c->known[i] ? ir_const_u64(c->init[i]) : 0;
    }
    return true;
}

static void step_counter(struct counter *c)
{
    uint64_t next[MAX_PHIS];
    bool known[MAX_PHIS];
    for (uint32_t i = 0; i < c->num_phis; i++)
        known[i] = c->phis[i]->def.comps == 1 && evaluate_value(c, c->next[i], 0, &next[i]);
    memcpy(c->known, known, c->num_phis * sizeof(bool));
    for (uint32_t i = 0; i < c->num_phis; i++)
        c->now[i] = known[i] ? next[i] : 0;
}

/* How often the loop's start is reached; 0 where that is not known or too often. */
static uint32_t count_turns(const struct ir_shader *shader, struct ir_loop *loop)
{
    struct counter c = {.loop = loop, .shader = shader};
    if (!read_phis(&c))
        return 0;
    for (uint32_t turn = 1; turn <= MAX_TURNS; turn++) {
        int body = leaves_loop(&c, &loop->body), cont = leaves_loop(&c, &loop->cont);
        if (body == 1 || cont == 1)
            return turn;
        if (!body && !cont)
            return 0;
        step_counter(&c);
    }
    return 0;
}

/* Values that are read after the loop get there through phis, so that every copy can give its own. */
static void close_values(struct ir_shader *shader, struct ir_loop *loop, const struct ir_region *region)
{
    struct ir_block *behind = ir_node_block(ir_node_next(&loop->node));
    list_foreach (&region->nodes, struct ir_node, node, link) {
        if (node->kind == IR_IF) {
            close_values(shader, loop, &ir_node_if(node)->then_region);
            close_values(shader, loop, &ir_node_if(node)->else_region);
        } else if (node->kind == IR_LOOP) {
            close_values(shader, loop, &ir_node_loop(node)->body);
            close_values(shader, loop, &ir_node_loop(node)->cont);
        } else {
            ir_foreach_instr (ir_node_block(node), instr) {
                if (!instr->def.bits)
                    continue;
                struct ir_value *phi = NULL;
                ir_foreach_use (&instr->def, use) {
                    const struct ir_node *user = use->instr ? &use->instr->block->node : use->node;
                    bool source_of_behind = use->instr && use->instr->op == IR_OP_phi && use->instr->block == behind;
                    if (is_inside(loop, user) || source_of_behind)
                        continue;
                    if (!phi) {
                        struct ir_builder b = ir_builder_at_start(shader, behind);
                        phi = ir_phi(&b, instr->def.bits, instr->def.comps);
                        for (uint32_t i = 0; i < behind->num_preds; i++)
                            ir_phi_add(shader, ir_def_instr(phi), behind->preds[i], &instr->def);
                    }
                    ir_use_set(use, phi);
                }
            }
        }
    }
}

static struct ir_value *mapped(struct ir_value **map, struct ir_value *value)
{
    return map[value->index] ? map[value->index] : value;
}

struct source {
    struct ir_instr *phi;
    struct ir_block *pred;
    struct ir_value *value;
};

/* The sources of the phis after the loop, taken out of them. */
static struct source *take_sources(struct ir_shader *shader, struct ir_block *behind, uint32_t *count_out)
{
    uint32_t count = 0;
    ir_foreach_phi (behind, phi)
        count += phi->num_srcs;
    struct source *sources = ir_alloc_scratch(shader, (count + 1) * sizeof(*sources));
    *count_out = count;
    count = 0;
    ir_foreach_phi (behind, phi)
        while (phi->num_srcs) {
            sources[count++] = (struct source){phi, phi->preds[0], ir_src(phi, 0)};
            ir_phi_remove(phi, phi->preds[0]);
        }
    return sources;
}

/* From values of loops to those of their last copies, by index: one for all loops of a call, whose values have
 * different indices. */
struct value_map {
    struct ir_value **values;
    uint32_t size;
};

static void grow_map(struct ir_shader *shader, struct value_map *map)
{
    if (shader->num_values < map->size)
        return;
    struct ir_value **grown = ir_alloc_scratch(shader, 2 * ((size_t)shader->num_values + 1) * sizeof(*grown));
    if (map->size)
        memcpy(grown, map->values, map->size * sizeof(*grown));
    *map = (struct value_map){grown, 2 * (shader->num_values + 1)};
}

static void unroll_loop(struct ir_shader *shader, struct value_map *values, struct ir_loop *loop, uint32_t turns)
{
    struct counter c = {.loop = loop};
    read_phis(&c);
    close_values(shader, loop, &loop->body);
    close_values(shader, loop, &loop->cont);
    grow_map(shader, values);
    struct ir_block *behind = ir_node_block(ir_node_next(&loop->node));
    uint32_t num_sources;
    struct source *sources = take_sources(shader, behind, &num_sources);
    struct ir_value **map = values->values;
    struct ir_loop *copy = ir_loop_create(shader);
    ir_node_insert_after(ir_node_prev(&loop->node), &copy->node);
    for (uint32_t i = 0; i < c.num_phis; i++)
        map[c.phis[i]->def.index] = c.init[i];
    for (uint32_t turn = 0; turn < turns; turn++) {
        ir_clone_region(shader, &loop->body, &copy->body, map);
        /* No continue: the second half is reached from the end of the first alone. */
        ir_foreach_phi (ir_region_first(&loop->cont), phi)
            map[phi->def.index] = mapped(map, ir_src(phi, 0));
        ir_clone_region(shader, &loop->cont, &copy->body, map);
        for (uint32_t i = 0; i < num_sources; i++)
            ir_phi_add(shader, sources[i].phi, sources[i].pred->copy, mapped(map, sources[i].value));
        struct ir_value *next[MAX_PHIS];
        for (uint32_t i = 0; i < c.num_phis; i++)
            next[i] = mapped(map, c.next[i]);
        for (uint32_t i = 0; i < c.num_phis; i++)
            map[c.phis[i]->def.index] = next[i];
    }
    /* Nothing comes here, but passes that cannot see that must not take the outer loop for one that turns. */
    struct ir_block *last = ir_region_last(&copy->body);
    struct ir_builder b = ir_builder_at_end(shader, last);
    ir_foreach_phi (behind, phi)
        ir_phi_add(shader, phi, last, ir_undef(&b, phi->def.bits, phi->def.comps));
    ir_jump(&b, IR_OP_break);
    /* The old loop's place lies between the copy and what is after it: an empty block divides the two loops. */
    ir_block_insert_after(shader, &copy->node);
    ir_remove_node(&loop->node);
}

static bool has_loop(const struct ir_region *region)
{
    list_foreach (&region->nodes, struct ir_node, node, link) {
        if (node->kind == IR_LOOP || (node->kind == IR_IF && (has_loop(&ir_node_if(node)->then_region) ||
                                                              has_loop(&ir_node_if(node)->else_region))))
            return true;
    }
    return false;
}

static bool is_array_access(const struct ir_instr *instr)
{
    return (instr->op == IR_OP_load_var || instr->op == IR_OP_store_var) &&
           !ir_is_const(ir_src(instr, instr->op == IR_OP_load_var ? 0 : 1));
}

/* Some machines index registers. */
static bool stays_in_registers(const struct ir_shader *shader, const struct ir_instr *access)
{
    const struct ir_var *var = ir_var_by_index(shader, ir_imm(access, IR_IMM_VAR));
    return var && var->bits == 32 && var->length <= shader->target->indexed_registers;
}

/* Arrays live in registers only where all their indices are constants: those that follow from the counter become some.
 * `c` NULL: any. `is_memory`: only arrays that would lie in memory. */
static bool indexes_arrays(const struct ir_shader *shader, const struct counter *c, const struct ir_region *region,
                           bool is_memory)
{
    list_foreach (&region->nodes, struct ir_node, node, link) {
        if (node->kind == IR_IF) {
            if (indexes_arrays(shader, c, &ir_node_if(node)->then_region, is_memory) ||
                indexes_arrays(shader, c, &ir_node_if(node)->else_region, is_memory))
                return true;
        } else if (node->kind == IR_LOOP) {
            if (indexes_arrays(shader, c, &ir_node_loop(node)->body, is_memory) ||
                indexes_arrays(shader, c, &ir_node_loop(node)->cont, is_memory))
                return true;
        } else {
            ir_foreach_instr (ir_node_block(node), instr) {
                uint64_t index;
                if (is_array_access(instr) && !(is_memory && stays_in_registers(shader, instr)) &&
                    (!c || evaluate_value(c, ir_src(instr, instr->op == IR_OP_load_var ? 0 : 1), 0, &index)))
                    return true;
            }
        }
    }
    return false;
}

/* The size of a copy: of a branch that the counter decides, one side. */
static uint32_t turn_size(const struct counter *c, const struct ir_region *region)
{
    uint32_t size = 0;
    list_foreach (&region->nodes, struct ir_node, node, link) {
        uint64_t value;
        if (node->kind != IR_IF) {
            size += node_size(node);
            continue;
        }
        const struct ir_if *branch = ir_node_if(node);
        if (evaluate_value(c, branch->condition.value, 0, &value))
            size += turn_size(c, value ? &branch->then_region : &branch->else_region);
        else
            size += 1 + turn_size(c, &branch->then_region) + turn_size(c, &branch->else_region);
    }
    return size;
}

/* Little more is left of the last copy than the test that ends it. */
static uint32_t size_of_copies(const struct ir_shader *shader, struct ir_loop *loop, uint32_t turns)
{
    struct counter c = {.loop = loop, .shader = shader};
    uint32_t size = 0;
    if (!read_phis(&c))
        return UINT32_MAX;
    for (uint32_t turn = 0; turn < MAX2(turns - 1, 1u); turn++) {
        size += turn_size(&c, &loop->body) + turn_size(&c, &loop->cont);
        step_counter(&c);
    }
    return size;
}

static bool is_worth_it(const struct ir_shader *shader, struct ir_loop *loop, uint32_t turns)
{
    struct counter c = {.loop = loop, .shader = shader};
    if (!turns)
        return false;
    const uint32_t size = size_of_copies(shader, loop, turns);
    if (size > shader->target->unroll_size_asked)
        return false;
    if (loop->unroll)
        return true;
    /* Registers that can be indexed are no reason for many copies, and where there are loops inside for even fewer. */
    const bool is_memory = size > shader->target->unroll_size / (has_loop(&loop->body) ? 6 : 2);
    /* In the second turn: what only starts with a constant is unknown by then. */
    if (read_phis(&c)) {
        step_counter(&c);
        if (indexes_arrays(shader, &c, &loop->body, is_memory) || indexes_arrays(shader, &c, &loop->cont, is_memory))
            return true;
    }
    /* Copies of a loop inside are seldom shorter than it, but they may have constant indices. */
    return turns <= MAX_TURNS_UNASKED + 1 && size <= shader->target->unroll_size &&
           (!has_loop(&loop->body) || indexes_arrays(shader, NULL, &loop->body, is_memory));
}

/* Innermost first. A loop around one that was unrolled waits for the next call: what the copies leave of their work is
 * not known yet. */
static bool unroll_region(struct ir_shader *shader, struct value_map *map, struct ir_region *region)
{
    bool progress = false;
    for (struct ir_node *node = &ir_region_first(region)->node; node; node = ir_node_next(node)) {
        if (node->kind == IR_IF) {
            progress |= unroll_region(shader, map, &ir_node_if(node)->then_region);
            progress |= unroll_region(shader, map, &ir_node_if(node)->else_region);
        } else if (node->kind == IR_LOOP) {
            struct ir_loop *loop = ir_node_loop(node);
            bool inside = unroll_region(shader, map, &loop->body);
            inside |= unroll_region(shader, map, &loop->cont);
            progress |= inside;
            if (inside || loop->dont_unroll || has_continue(&loop->body) || !ir_region_falls_through(&loop->body) ||
                !ir_region_falls_through(&loop->cont))
                continue;
            uint32_t turns = count_turns(shader, loop);
            if (!is_worth_it(shader, loop, turns))
                continue;
            struct ir_node *before = ir_node_prev(node);
            unroll_loop(shader, map, loop, turns);
            node = ir_node_next(before); /* the copies */
            progress = true;
        }
    }
    return progress;
}

bool opt_unroll(struct ir_shader *shader, const void *options)
{
    ir_build_cfg(shader);
    return unroll_region(shader, &(struct value_map){0}, &shader->body);
}
