/* The cursor, constants, vectors and structured control flow: ir_builder.h. */
#include "compiler/ir/ir_builder.h"

#include <string.h>

#include "util/bits.h"
#include "util/half.h"

#include "compiler/ir/ir_fold.h"
#include "compiler/ir/ir_internal.h"

static struct list *behind_phis(struct ir_block *block, struct list *link)
{
    while (link != &block->instrs && container_of(link, struct ir_instr, link)->op == IR_OP_phi)
        link = link->next;
    return link;
}

struct ir_builder ir_builder_at_end(struct ir_shader *shader, struct ir_block *block)
{
    struct ir_instr *jump = ir_block_jump(block);
    return (struct ir_builder){.shader = shader, .block = block, .before = jump ? &jump->link : &block->instrs};
}

struct ir_builder ir_builder_at_start(struct ir_shader *shader, struct ir_block *block)
{
    return (struct ir_builder){.shader = shader, .block = block, .before = behind_phis(block, block->instrs.next)};
}

struct ir_builder ir_builder_before(struct ir_shader *shader, struct ir_instr *instr)
{
    return (struct ir_builder){.shader = shader, .block = instr->block, .before = &instr->link};
}

struct ir_builder ir_builder_after(struct ir_shader *shader, struct ir_instr *instr)
{
    return (struct ir_builder){
        .shader = shader, .block = instr->block, .before = behind_phis(instr->block, instr->link.next)};
}

struct ir_builder ir_builder_at_body_end(struct ir_shader *shader)
{
    return ir_builder_at_end(shader, ir_region_last(&shader->body));
}

/* --- instructions --- */

static void insert_instr(struct ir_builder *b, struct ir_instr *instr)
{
    struct list *before =
        instr->op == IR_OP_phi ? behind_phis(b->block, b->block->instrs.next) : behind_phis(b->block, b->before);
    instr->block = b->block;
    list_insert_after(before->prev, &instr->link);
    /* A cursor that stood before phis stands after them now: what comes next follows this instruction. */
    if (instr->op != IR_OP_phi)
        b->before = before;
    b->shader->divergence_valid = false;
}

struct ir_instr *ir_build(struct ir_builder *b, enum ir_op op, uint8_t bits, uint8_t comps, uint32_t num_srcs,
                          struct ir_value *const *srcs, uint32_t num_more, struct ir_value *const *more,
                          const uint32_t *imms)
{
    struct ir_instr *instr = ir_instr_alloc(b->shader, op, bits, comps, num_srcs + num_more);
    for (uint32_t i = 0; i < num_srcs; i++)
        ir_use_set(&instr->srcs[i], srcs[i]);
    for (uint32_t i = 0; i < num_more; i++)
        ir_use_set(&instr->srcs[num_srcs + i], more[i]);
    if (imms)
        memcpy(instr->imm, imms, sizeof(instr->imm));
    const uint32_t float_flags = IR_FLAG_EXACT | IR_FLAG_NSZ | IR_FLAG_NAN_INF;
    instr->flags = ir_info(instr)->props & IR_PROP_FLOAT ? b->flags : b->flags & ~float_flags;
    insert_instr(b, instr);
    return instr;
}

struct ir_value *ir_const(struct ir_builder *b, uint8_t bits, uint64_t value)
{
    value &= bits_mask(bits);
    const uint32_t imms[IR_MAX_IMMS] = {(uint32_t)value, (uint32_t)(value >> 32)};
    return &ir_build(b, IR_OP_const, bits, 1, 0, NULL, 0, NULL, imms)->def;
}

struct ir_value *ir_const_f(struct ir_builder *b, uint8_t bits, double value)
{
    return ir_const(b, bits, ir_float_to_bits(value, bits));
}

struct ir_value *ir_false(struct ir_builder *b)
{
    return ir_const(b, 1, 0);
}

struct ir_value *ir_true(struct ir_builder *b)
{
    return ir_const(b, 1, 1);
}

struct ir_value *ir_zero(struct ir_builder *b, uint8_t bits, uint8_t comps)
{
    struct ir_value *zeros[IR_MAX_COMPS];
    struct ir_value *zero = ir_const(b, bits, 0);
    for (uint32_t i = 0; i < comps && i < IR_MAX_COMPS; i++)
        zeros[i] = zero;
    return ir_vec(b, comps, zeros);
}

struct ir_value *ir_vec(struct ir_builder *b, uint32_t count, struct ir_value *const *values)
{
    if (count == 1)
        return values[0];
    if (count == 0 || count > IR_MAX_COMPS)
        ir_fail(b->shader, "a vector of %u components", count);
    return &ir_build(b, IR_OP_vec, values[0]->bits, (uint8_t)count, count, values, 0, NULL, NULL)->def;
}

struct ir_value *ir_extract(struct ir_builder *b, struct ir_value *value, uint32_t comp)
{
    if (comp >= value->comps)
        ir_fail(b->shader, "component %u of a value that has %u", comp, value->comps);
    struct ir_value *known = ir_component(value, comp);
    if (known)
        return known;
    const uint32_t imms[IR_MAX_IMMS] = {comp};
    return &ir_build(b, IR_OP_extract, value->bits, 1, 1, &value, 0, NULL, imms)->def;
}

struct ir_value *ir_phi(struct ir_builder *b, uint8_t bits, uint8_t comps)
{
    return &ir_build(b, IR_OP_phi, bits, comps, 0, NULL, 0, NULL, NULL)->def;
}

struct ir_instr *ir_jump(struct ir_builder *b, enum ir_op op)
{
    return ir_build(b, op, 0, 0, 0, NULL, 0, NULL, NULL);
}

/* --- control flow --- */

/* A new node at the cursor; the block after it is what stood after the cursor. */
static void place_node(struct ir_builder *b, struct ir_node *node)
{
    struct list *before = behind_phis(b->block, b->before);
    struct ir_instr *last =
        before->prev == &b->block->instrs ? NULL : container_of(before->prev, struct ir_instr, link);
    ir_split_block(b->shader, b->block, last);
    ir_node_insert_after(&b->block->node, node);
}

static void enter_block(struct ir_builder *b, struct ir_block *block)
{
    b->block = block;
    b->before = &block->instrs;
}

/* The if or loop that the cursor stands in, which must be of the kind. */
static struct ir_node *owner_of_kind(struct ir_builder *b, enum ir_node_kind kind)
{
    struct ir_node *owner = b->block->node.region->owner;
    if (!owner || owner->kind != kind)
        ir_fail(b->shader, "the builder is not in %s", kind == IR_IF ? "an if" : "a loop");
    return owner;
}

static void leave_node(struct ir_builder *b, struct ir_node *node)
{
    b->block = ir_node_block(container_of(node->link.next, struct ir_node, link));
    b->before = b->block->instrs.next;
}

struct ir_if *ir_builder_push_if(struct ir_builder *b, struct ir_value *condition)
{
    struct ir_if *node = ir_if_create(b->shader, condition);
    place_node(b, &node->node);
    enter_block(b, ir_region_last(&node->then_region));
    return node;
}

void ir_builder_push_else(struct ir_builder *b)
{
    enter_block(b, ir_region_last(&ir_node_if(owner_of_kind(b, IR_IF))->else_region));
}

void ir_builder_pop_if(struct ir_builder *b)
{
    leave_node(b, owner_of_kind(b, IR_IF));
}

struct ir_loop *ir_builder_push_loop(struct ir_builder *b)
{
    struct ir_loop *node = ir_loop_create(b->shader);
    place_node(b, &node->node);
    enter_block(b, ir_region_last(&node->body));
    return node;
}

void ir_builder_push_cont(struct ir_builder *b)
{
    enter_block(b, ir_region_last(&ir_node_loop(owner_of_kind(b, IR_LOOP))->cont));
}

void ir_builder_pop_loop(struct ir_builder *b)
{
    leave_node(b, owner_of_kind(b, IR_LOOP));
}

struct ir_value *ir_if_phi(struct ir_builder *b, struct ir_if *node, struct ir_value *then_value,
                           struct ir_value *else_value)
{
    struct ir_block *then_end = ir_region_last(&node->then_region), *else_end = ir_region_last(&node->else_region);
    bool from_then = ir_region_falls_through(&node->then_region);
    bool from_else = ir_region_falls_through(&node->else_region);
    if (from_then != from_else)
        return from_then ? then_value : else_value;
    struct ir_value *phi = ir_phi(b, then_value->bits, then_value->comps);
    if (from_then) {
        ir_phi_add(b->shader, ir_def_instr(phi), then_end, then_value);
        ir_phi_add(b->shader, ir_def_instr(phi), else_end, else_value);
    }
    return phi;
}
