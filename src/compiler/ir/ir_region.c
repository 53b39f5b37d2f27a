/* Structured control flow: regions, the walk over them, and their surgery. */
#include "compiler/ir/ir.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/ir/ir_internal.h"
#include "util/deep_stack.h"

/* --- reading --- */

struct ir_block *ir_region_first(const struct ir_region *region)
{
    return ir_node_block(container_of(region->nodes.next, struct ir_node, link));
}

struct ir_block *ir_region_last(const struct ir_region *region)
{
    return ir_node_block(container_of(region->nodes.prev, struct ir_node, link));
}

struct ir_node *ir_node_next(const struct ir_node *node)
{
    return node->link.next == &node->region->nodes ? NULL : container_of(node->link.next, struct ir_node, link);
}

struct ir_node *ir_node_prev(const struct ir_node *node)
{
    return node->link.prev == &node->region->nodes ? NULL : container_of(node->link.prev, struct ir_node, link);
}

struct ir_instr *ir_block_jump(const struct ir_block *block)
{
    if (list_is_empty(&block->instrs))
        return NULL;
    struct ir_instr *last = container_of(block->instrs.prev, struct ir_instr, link);
    return ir_info(last)->props & IR_PROP_JUMP ? last : NULL;
}

struct ir_loop *ir_enclosing_loop(const struct ir_node *node)
{
    for (struct ir_node *owner = node->region->owner; owner; owner = owner->region->owner)
        if (owner->kind == IR_LOOP)
            return ir_node_loop(owner);
    return NULL;
}

void ir_note_loops(struct ir_shader *shader)
{
    uint32_t count = 0;
    ir_foreach_block (shader, block) {
        struct ir_region *region = block->node.region;
        struct ir_node *before = ir_node_prev(&block->node), *owner = region->owner;
        if (before && before->kind == IR_LOOP)
            ir_node_loop(before)->last = count;
        if (before)
            continue;
        region->loop = !owner ? NULL : owner->kind == IR_LOOP ? ir_node_loop(owner) : owner->region->loop;
        if (owner && owner->kind == IR_LOOP && region == &ir_node_loop(owner)->body)
            ir_node_loop(owner)->number = ++count;
    }
}

bool ir_in_cont(const struct ir_loop *loop, const struct ir_node *node)
{
    for (const struct ir_region *region = node->region; region && region->owner; region = region->owner->region)
        if (region == &loop->cont)
            return true;
    return false;
}

static struct ir_shader *ir_node_shader(const struct ir_node *node)
{
    struct ir_region *region = node->region;
    while (region->owner)
        region = region->owner->region;
    return container_of(region, struct ir_shader, body);
}

struct ir_block *ir_next_block(const struct ir_block *block)
{
    const struct ir_node *node = &block->node;
    for (;;) {
        struct ir_node *next = ir_node_next(node);
        if (next && next->kind == IR_BLOCK)
            return ir_node_block(next);
        if (next)
            return ir_region_first(next->kind == IR_IF ? &ir_node_if(next)->then_region : &ir_node_loop(next)->body);
        const struct ir_region *region = node->region;
        node = region->owner;
        if (!node)
            return NULL;
        if (node->kind == IR_IF && region == &ir_node_if(node)->then_region)
            return ir_region_first(&ir_node_if(node)->else_region);
        if (node->kind == IR_LOOP && region == &ir_node_loop(node)->body)
            return ir_region_first(&ir_node_loop(node)->cont);
    }
}

uint32_t ir_depth(const struct ir_shader *shader)
{
    uint32_t depth = 0, deepest = 0;
    const struct ir_block *block = ir_region_first(&shader->body);
    while (block) {
        const struct ir_node *next = ir_node_next(&block->node);
        if (next && next->kind != IR_BLOCK) {
            deepest = ++depth > deepest ? depth : deepest;
            block = ir_region_first(next->kind == IR_IF ? &ir_node_if(next)->then_region : &ir_node_loop(next)->body);
            continue;
        }
        if (next) {
            block = ir_node_block(next);
            continue;
        }
        /* The region ends: the second one of its node follows, or what follows the node. */
        const struct ir_region *region = block->node.region;
        const struct ir_node *owner = region->owner;
        if (!owner)
            break;
        const struct ir_region *second =
            owner->kind == IR_IF ? &ir_node_if(owner)->else_region : &ir_node_loop(owner)->cont;
        depth -= region == second;
        block = region == second ? ir_node_block(ir_node_next(owner)) : ir_region_first(second);
    }
    return deepest;
}

uint32_t ir_block_successors(const struct ir_block *block, struct ir_block *succs_out[2])
{
    const struct ir_instr *jump = ir_block_jump(block);
    if (jump) {
        struct ir_loop *loop = ir_enclosing_loop(&block->node);
        if (!loop)
            return 0;
        succs_out[0] =
            jump->op == IR_OP_break ? ir_node_block(ir_node_next(&loop->node)) : ir_region_first(&loop->cont);
        return 1;
    }
    struct ir_node *next = ir_node_next(&block->node);
    if (next && next->kind == IR_IF) {
        succs_out[0] = ir_region_first(&ir_node_if(next)->then_region);
        succs_out[1] = ir_region_first(&ir_node_if(next)->else_region);
        return 2;
    }
    if (next) {
        succs_out[0] = next->kind == IR_LOOP ? ir_region_first(&ir_node_loop(next)->body) : ir_node_block(next);
        return 1;
    }
    struct ir_node *owner = block->node.region->owner;
    if (!owner)
        return 0;
    struct ir_loop *loop = ir_node_loop(owner);
    if (owner->kind == IR_IF)
        succs_out[0] = ir_node_block(ir_node_next(owner));
    else
        succs_out[0] = ir_region_first(block->node.region == &loop->body ? &loop->cont : &loop->body);
    return 1;
}

/* Marks the predecessors of a region's end, of the start of the innermost loop's cont and of its exit. */
struct reach {
    bool breaks, continues;
};

static bool region_reaches_end(const struct ir_region *region, struct reach *loop)
{
    list_foreach (&region->nodes, struct ir_node, node, link) {
        if (node->kind == IR_BLOCK) {
            const struct ir_instr *jump = ir_block_jump(ir_node_block(node));
            if (!jump)
                continue;
            loop->breaks |= jump->op == IR_OP_break;
            loop->continues |= jump->op == IR_OP_continue;
            return false;
        }
        if (node->kind == IR_IF) {
            bool then_ends = region_reaches_end(&ir_node_if(node)->then_region, loop);
            bool else_ends = region_reaches_end(&ir_node_if(node)->else_region, loop);
            if (!then_ends && !else_ends)
                return false;
        } else {
            struct reach inner = {0};
            bool to_cont = region_reaches_end(&ir_node_loop(node)->body, &inner) || inner.continues;
            if (to_cont)
                region_reaches_end(&ir_node_loop(node)->cont, &inner);
            if (!inner.breaks)
                return false;
        }
    }
    return true;
}

bool ir_region_falls_through(const struct ir_region *region)
{
    return region_reaches_end(region, &(struct reach){0});
}

/* --- making --- */

static struct ir_block *block_create(struct ir_shader *shader)
{
    struct ir_block *block = ir_alloc(shader, sizeof(*block));
    list_init(&block->node.link);
    block->node.kind = IR_BLOCK;
    list_init(&block->instrs);
    block->index = shader->num_blocks++;
    return block;
}

static void changed(struct ir_shader *shader)
{
    shader->cfg_valid = shader->divergence_valid = false;
}

void ir_region_init(struct ir_shader *shader, struct ir_region *region, struct ir_node *owner)
{
    list_init(&region->nodes);
    region->owner = owner;
    struct ir_block *block = block_create(shader);
    block->node.region = region;
    list_push_back(&region->nodes, &block->node.link);
}

struct ir_if *ir_if_create(struct ir_shader *shader, struct ir_value *condition)
{
    struct ir_if *node = ir_alloc(shader, sizeof(*node));
    list_init(&node->node.link);
    node->node.kind = IR_IF;
    list_init(&node->condition.link);
    node->condition.node = &node->node;
    ir_region_init(shader, &node->then_region, &node->node);
    ir_region_init(shader, &node->else_region, &node->node);
    ir_use_set(&node->condition, condition);
    return node;
}

struct ir_loop *ir_loop_create(struct ir_shader *shader)
{
    struct ir_loop *node = ir_alloc(shader, sizeof(*node));
    list_init(&node->node.link);
    node->node.kind = IR_LOOP;
    ir_region_init(shader, &node->body, &node->node);
    ir_region_init(shader, &node->cont, &node->node);
    return node;
}

void ir_node_insert_after(struct ir_node *place, struct ir_node *node)
{
    node->region = place->region;
    list_insert_after(&place->link, &node->link);
    changed(ir_node_shader(node));
}

struct ir_block *ir_block_insert_after(struct ir_shader *shader, struct ir_node *place)
{
    struct ir_block *block = block_create(shader);
    ir_node_insert_after(place, &block->node);
    return block;
}

/* --- phis where control flow changes --- */

/* The phis of the successors of `block` name `now` instead of `before` as the predecessor. */
static void ir_phis_rename_pred(struct ir_block *block, const struct ir_block *before, struct ir_block *now)
{
    struct ir_block *succs[2];
    uint32_t count = ir_block_successors(block, succs);
    for (uint32_t s = 0; s < count; s++) {
        ir_foreach_phi (succs[s], phi)
            for (uint32_t i = 0; i < phi->num_srcs; i++)
                if (phi->preds[i] == before)
                    phi->preds[i] = now;
    }
}

/* Drop what the phis of `block` get from `pred`. */
static void ir_phis_remove_pred(struct ir_block *block, const struct ir_block *pred)
{
    ir_foreach_phi (block, phi)
        ir_phi_remove(phi, pred);
}

/* --- surgery --- */

static void move_instrs(struct ir_block *to, struct list *first, struct ir_block *from)
{
    for (struct list *link = first, *next; link != &from->instrs; link = next) {
        next = link->next;
        list_remove(link);
        list_push_back(&to->instrs, link);
        container_of(link, struct ir_instr, link)->block = to;
    }
}

struct ir_block *ir_split_block(struct ir_shader *shader, struct ir_block *block, struct ir_instr *after)
{
    struct ir_block *rest = block_create(shader);
    ir_phis_rename_pred(block, block, rest);
    struct list *first = after ? after->link.next : block->instrs.next;
    while (first != &block->instrs && container_of(first, struct ir_instr, link)->op == IR_OP_phi)
        first = first->next;
    move_instrs(rest, first, block);
    ir_node_insert_after(&block->node, &rest->node);
    return rest;
}

static bool node_holds(const struct ir_node *node, const struct ir_node *inner)
{
    for (; inner; inner = inner->region->owner)
        if (inner == node)
            return true;
    return false;
}

static void empty_region(struct ir_node *removed, struct ir_region *region)
{
    list_foreach (&region->nodes, struct ir_node, node, link) {
        if (node->kind == IR_IF) {
            ir_use_set(&ir_node_if(node)->condition, NULL);
            empty_region(removed, &ir_node_if(node)->then_region);
            empty_region(removed, &ir_node_if(node)->else_region);
            continue;
        }
        if (node->kind == IR_LOOP) {
            empty_region(removed, &ir_node_loop(node)->body);
            empty_region(removed, &ir_node_loop(node)->cont);
            continue;
        }
        struct ir_block *block = ir_node_block(node), *succs[2];
        if (ir_block_jump(block) && ir_block_successors(block, succs) && !node_holds(removed, &succs[0]->node))
            ir_phis_remove_pred(succs[0], block);
        ir_foreach_instr (block, instr)
            ir_remove(instr);
    }
}

/* The block after `to` in the list is `from`: one block of the two, which is `to`. */
static void join_blocks(struct ir_block *to, struct ir_block *from)
{
    ir_phis_rename_pred(from, from, to);
    list_remove(&from->node.link);
    move_instrs(to, from->instrs.next, from);
}

static void drop_unread_phis(struct ir_block *block)
{
    ir_foreach_phi (block, phi)
        if (list_is_empty(&phi->def.uses))
            ir_remove(phi);
}

static void empty_node(struct ir_node *node)
{
    if (node->kind == IR_IF) {
        ir_use_set(&ir_node_if(node)->condition, NULL);
        empty_region(node, &ir_node_if(node)->then_region);
        empty_region(node, &ir_node_if(node)->else_region);
    } else {
        empty_region(node, &ir_node_loop(node)->body);
        empty_region(node, &ir_node_loop(node)->cont);
    }
}

void ir_remove_node(struct ir_node *node)
{
    struct ir_block *before = ir_node_block(ir_node_prev(node)), *behind = ir_node_block(ir_node_next(node));
    changed(ir_node_shader(node));
    empty_node(node);
    list_remove(&node->link);
    drop_unread_phis(behind);
    join_blocks(before, behind);
}

/* Removes what follows a block in its region and is no longer reached. */
static void remove_rest(struct ir_block *block)
{
    struct ir_node *next;
    while ((next = ir_node_next(&block->node))) {
        if (next->kind == IR_BLOCK)
            ir_block_clear(ir_node_block(next));
        else
            empty_node(next);
        list_remove(&next->link);
    }
}

void ir_dissolve_node(struct ir_node *node, struct ir_region *kept)
{
    struct ir_block *before = ir_node_block(ir_node_prev(node)), *behind = ir_node_block(ir_node_next(node));
    struct ir_region *region = node->region;
    changed(ir_node_shader(node));
    bool falls_through = ir_region_falls_through(kept);
    struct ir_block *first = ir_region_first(kept), *last = ir_region_last(kept);
    ir_foreach_phi (behind, phi) {
        struct ir_value *value = ir_phi_source(phi, last);
        if (value && falls_through)
            ir_replace_uses(&phi->def, value);
    }
    /* The kept nodes go out first, so that emptying the node leaves them alone. */
    struct list *place = &before->node.link;
    list_foreach (&kept->nodes, struct ir_node, moved, link) {
        list_remove(&moved->link);
        list_insert_after(place, &moved->link);
        place = &moved->link;
        moved->region = region;
    }
    empty_node(node);
    list_remove(&node->link);
    drop_unread_phis(behind);
    if (falls_through)
        join_blocks(last, behind);
    else
        remove_rest(last);
    drop_unread_phis(first);
    join_blocks(before, first);
}

void ir_block_clear(struct ir_block *block)
{
    struct ir_block *succs[2];
    uint32_t count = ir_block_successors(block, succs);
    for (uint32_t i = 0; i < count; i++)
        ir_phis_remove_pred(succs[i], block);
    ir_foreach_instr (block, instr)
        ir_remove(instr);
}

void ir_move_to_end(struct ir_instr *instr, struct ir_block *block)
{
    list_remove(&instr->link);
    struct ir_instr *jump = ir_block_jump(block);
    list_insert_after(jump ? jump->link.prev : block->instrs.prev, &instr->link);
    instr->block = block;
}

/* --- copies --- */

struct copier {
    struct ir_shader *shader;
    struct ir_value **map;
};

static struct ir_value *mapped(const struct copier *c, struct ir_value *value)
{
    struct ir_value *copy = value ? c->map[value->index] : NULL;
    return copy ? copy : value;
}

static void copy_block(const struct copier *c, struct ir_block *from, struct ir_block *to, bool phis)
{
    from->copy = to;
    ir_foreach_instr (from, instr) {
        bool is_phi = instr->op == IR_OP_phi;
        if (is_phi && !phis)
            continue;
        struct ir_instr *copy =
            ir_instr_alloc(c->shader, instr->op, instr->def.bits, instr->def.comps, is_phi ? 0 : instr->num_srcs);
        memcpy(copy->imm, instr->imm, sizeof(copy->imm));
        copy->flags = instr->flags;
        copy->pass_flags = instr->pass_flags;
        copy->def.divergent = instr->def.divergent;
        copy->def.pass_flags = instr->def.pass_flags;
        for (uint32_t i = 0; i < copy->num_srcs; i++)
            ir_use_set(&copy->srcs[i], mapped(c, ir_src(instr, i)));
        copy->block = to;
        list_push_back(&to->instrs, &copy->link);
        if (instr->def.bits)
            c->map[instr->def.index] = &copy->def;
    }
}

static void copy_region(const struct copier *c, const struct ir_region *from, struct ir_region *to, bool first_phis)
{
    bool first = true;
    list_foreach (&from->nodes, struct ir_node, node, link) {
        if (node->kind == IR_BLOCK) {
            struct ir_block *target = ir_region_last(to);
            if (!first) {
                target = block_create(c->shader);
                ir_node_insert_after(container_of(to->nodes.prev, struct ir_node, link), &target->node);
            }
            copy_block(c, ir_node_block(node), target, !first || first_phis);
        } else if (node->kind == IR_IF) {
            struct ir_if *old = ir_node_if(node), *copy = ir_if_create(c->shader, mapped(c, old->condition.value));
            copy->flatten = old->flatten;
            copy->dont_flatten = old->dont_flatten;
            ir_node_insert_after(container_of(to->nodes.prev, struct ir_node, link), &copy->node);
            copy_region(c, &old->then_region, &copy->then_region, true);
            copy_region(c, &old->else_region, &copy->else_region, true);
        } else {
            struct ir_loop *old = ir_node_loop(node), *copy = ir_loop_create(c->shader);
            copy->unroll = old->unroll;
            copy->dont_unroll = old->dont_unroll;
            ir_node_insert_after(container_of(to->nodes.prev, struct ir_node, link), &copy->node);
            copy_region(c, &old->body, &copy->body, true);
            copy_region(c, &old->cont, &copy->cont, true);
        }
        first = false;
    }
}

static void copy_phi_sources(const struct copier *c, const struct ir_region *from, const struct ir_block *first)
{
    list_foreach (&from->nodes, struct ir_node, node, link) {
        if (node->kind == IR_IF) {
            copy_phi_sources(c, &ir_node_if(node)->then_region, first);
            copy_phi_sources(c, &ir_node_if(node)->else_region, first);
        } else if (node->kind == IR_LOOP) {
            copy_phi_sources(c, &ir_node_loop(node)->body, first);
            copy_phi_sources(c, &ir_node_loop(node)->cont, first);
        } else if (ir_node_block(node) != first) {
            ir_foreach_phi (ir_node_block(node), phi)
                for (uint32_t i = 0; i < phi->num_srcs; i++)
                    ir_phi_add(c->shader, ir_def_instr(c->map[phi->def.index]), phi->preds[i]->copy,
                               mapped(c, ir_src(phi, i)));
        }
    }
}

void ir_clone_region(struct ir_shader *shader, const struct ir_region *from, struct ir_region *to,
                     struct ir_value **map)
{
    const struct copier copier = {shader, map};
    copy_region(&copier, from, to, false);
    copy_phi_sources(&copier, from, ir_region_first(from));
    changed(shader);
}

static void *copy_array(struct ir_shader *shader, const void *data, size_t count, size_t size_B)
{
    return count ? memcpy(ir_alloc(shader, count * size_B), data, count * size_B) : NULL;
}

static void copy_interface(struct ir_shader *copy, const struct ir_shader *shader)
{
    copy->name = ir_strdup(copy, shader->name);
    copy->inputs = copy_array(copy, shader->inputs, shader->num_inputs, sizeof(*shader->inputs));
    copy->outputs = copy_array(copy, shader->outputs, shader->num_outputs, sizeof(*shader->outputs));
    copy->resources = copy_array(copy, shader->resources, shader->num_resources, sizeof(*shader->resources));
    copy->captures = copy_array(copy, shader->captures, shader->num_captures, sizeof(*shader->captures));
    copy->const_data = copy_array(copy, shader->const_data, shader->const_data_size_B, 1);
    for (uint32_t i = 0; i < copy->num_inputs; i++)
        copy->inputs[i].name = ir_strdup(copy, copy->inputs[i].name);
    for (uint32_t i = 0; i < copy->num_outputs; i++)
        copy->outputs[i].name = ir_strdup(copy, copy->outputs[i].name);
    list_foreach (&shader->vars, struct ir_var, var, link) {
        struct ir_var *mine = ir_var_create(copy, var->bits, var->length, var->name);
        mine->index = var->index;
        mine->scratch_offset_B = var->scratch_offset_B;
    }
    copy->num_vars = shader->num_vars;
}

static __attribute__((noinline)) bool copy_body(struct ir_shader *copy, const struct ir_shader *shader)
{
    struct ir_failure failure = {0};
    if (ir_guard(copy, &failure))
        return false;
    ir_region_init(copy, &copy->body, NULL);
    copy_interface(copy, shader);
    const struct copier copier = {copy, ir_alloc_scratch(copy, (shader->num_values + 1) * sizeof(struct ir_value *))};
    copy_region(&copier, &shader->body, &copy->body, true);
    copy_phi_sources(&copier, &shader->body, NULL);
    copy->failure = NULL;
    arena_reset(&copy->scratch);
    return true;
}

struct copying {
    struct ir_shader *copy;
    const struct ir_shader *shader;
    bool done;
};

static void run_copy(void *data)
{
    struct copying *copying = data;
    copying->done = copy_body(copying->copy, copying->shader);
}

struct ir_shader *ir_shader_clone(const struct ir_shader *shader)
{
    struct ir_shader *copy = calloc(1, sizeof(*copy));
    if (!copy)
        return NULL;
    *copy = *shader;
    copy->arena = copy->scratch = (struct arena){0};
    copy->num_values = copy->num_blocks = copy->num_vars = copy->num_instrs_made = 0;
    copy->cfg_valid = copy->divergence_valid = false;
    list_init(&copy->vars);
    struct copying copying = {copy, shader, false};
    if (ir_depth(shader) <= IR_SHALLOW)
        run_copy(&copying);
    else
        deep_stack_run(run_copy, &copying);
    if (copying.done)
        return copy;
    ir_shader_destroy(copy);
    return NULL;
}
