/* Every rule of the IR, looked at: structure, what each row of ops.table demands of its instructions, uses and
 * dominance. The order matters: later checks rely on what earlier ones found right. What is wrong is named with the
 * instruction it is wrong in. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/bits.h"
#include "util/strbuf.h"

#include "compiler/ir/ir_text.h"

struct check {
    struct ir_shader *shader;
    const char *error;
    uint64_t operands;    /* that instructions and ifs have */
    struct ir_var **vars; /* by index; NULL: there is none */
};

static bool __attribute__((format(printf, 2, 3))) wrong(struct check *c, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (!c->error) {
        c->error = arena_strdup(&c->shader->scratch, text);
        if (!c->error)
            c->error = "out of memory";
    }
    return false;
}

static bool __attribute__((format(printf, 3, 4)))
wrong_in(struct check *c, const struct ir_instr *instr, const char *format, ...)
{
    char text[160];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    struct strbuf line = {0};
    ir_print_instr(instr, &line);
    wrong(c, "%s: %.80s", text, line.text ? line.text : "");
    strbuf_finish(&line);
    return false;
}

/* --- structure --- */

static bool check_region(struct check *c, const struct ir_region *region, const struct ir_node *owner, uint32_t depth);

static bool check_node(struct check *c, const struct ir_node *node, uint32_t depth)
{
    if (node->kind == IR_IF) {
        const struct ir_if *branch = ir_node_if(node);
        if (!branch->condition.value)
            return wrong(c, "an if has no condition");
        if (branch->condition.node != node || branch->condition.instr)
            return wrong(c, "the condition of an if is not its own use");
        if (!ir_def_instr(branch->condition.value)->block)
            return wrong(c, "the condition of an if was removed");
        if (branch->condition.value->bits != 1 || branch->condition.value->comps != 1)
            return wrong(c, "the condition of an if, %%%u, is not one bit", branch->condition.value->index);
        c->operands++;
        return check_region(c, &branch->then_region, node, depth) && check_region(c, &branch->else_region, node, depth);
    }
    const struct ir_loop *loop = ir_node_loop(node);
    return check_region(c, &loop->body, node, depth) && check_region(c, &loop->cont, node, depth);
}

static bool check_jump(struct check *c, const struct ir_block *block, const struct ir_instr *jump)
{
    if (jump->link.next != &block->instrs)
        return wrong_in(c, jump, "code stands after a jump in b%u", block->index);
    if (ir_node_next(&block->node))
        return wrong_in(c, jump, "the region goes on after the jump of b%u", block->index);
    const struct ir_loop *loop = ir_enclosing_loop(&block->node);
    if (!loop)
        return wrong_in(c, jump, "a jump outside of a loop in b%u", block->index);
    if (jump->op == IR_OP_continue && ir_in_cont(loop, &block->node))
        return wrong_in(c, jump, "a continue in the continue region in b%u", block->index);
    return true;
}

static bool check_block_order(struct check *c, const struct ir_block *block)
{
    bool phis = true;
    ir_foreach_instr (block, instr) {
        if (instr->op >= IR_OP_COUNT)
            return wrong(c, "an instruction of b%u has no operation", block->index);
        if (instr->block != block)
            return wrong_in(c, instr, "an instruction of b%u believes to be elsewhere", block->index);
        if (instr->op == IR_OP_phi && !phis)
            return wrong_in(c, instr, "a phi after other instructions in b%u", block->index);
        phis &= instr->op == IR_OP_phi;
        if (ir_info(instr)->props & IR_PROP_JUMP && !check_jump(c, block, instr))
            return false;
    }
    return true;
}

static bool check_region(struct check *c, const struct ir_region *region, const struct ir_node *owner, uint32_t depth)
{
    if (depth > 4096)
        return wrong(c, "control flow is nested without end");
    if (region->owner != owner)
        return wrong(c, "a region does not know its if or loop");
    bool block_next = true;
    list_foreach (&region->nodes, struct ir_node, node, link) {
        if (node->region != region)
            return wrong(c, "a node does not know its region");
        if ((node->kind == IR_BLOCK) != block_next)
            return wrong(c, block_next ? "an if or loop stands where a block must" : "two blocks stand side by side");
        if (node->kind == IR_BLOCK ? !check_block_order(c, ir_node_block(node)) : !check_node(c, node, depth + 1))
            return false;
        block_next = !block_next;
    }
    return block_next ? wrong(c, "a region does not end with a block") : true;
}

/* --- an instruction against its row --- */

static bool check_operand(struct check *c, const struct ir_instr *instr, const struct ir_operand_info *info,
                          const struct ir_value *value, uint8_t widths[4], uint8_t comps[4])
{
    const struct ir_op_info *row = ir_info(instr);
    uint8_t allowed = info->letter == IR_LETTER_NONE ? info->bits
                      : info->letter == IR_LETTER_L  ? 16 | 32 | 64
                                                     : row->widths[info->letter - IR_LETTER_N];
    if (!is_power_of_two(value->bits) || !(allowed & value->bits))
        return wrong_in(c, instr, "%u bits are not allowed", value->bits);
    if (info->letter != IR_LETTER_L && info->letter != IR_LETTER_NONE) {
        if (widths[info->letter] && widths[info->letter] != value->bits)
            return wrong_in(c, instr, "%u and %u bits must be the same", widths[info->letter], value->bits);
        widths[info->letter] = value->bits;
    }
    if (value->comps == 0 || value->comps > IR_MAX_COMPS || (info->comps && info->comps != value->comps))
        return wrong_in(c, instr, "%u components are not allowed", value->comps);
    if (info->comps_tied) {
        if (comps[info->letter] && comps[info->letter] != value->comps)
            return wrong_in(c, instr, "%u and %u components must be the same", comps[info->letter], value->comps);
        comps[info->letter] = value->comps;
    }
    return true;
}

static bool is_pair(const struct ir_value *value)
{
    return value->bits == 16 && value->comps == 2;
}

/* Two halves at once: result and operands are all 16 bits × 2. */
static bool check_packed(struct check *c, const struct ir_instr *instr)
{
    bool pairs = is_pair(&instr->def);
    for (uint32_t i = 0; i < instr->num_srcs; i++)
        pairs &= is_pair(ir_src(instr, i));
    return pairs || wrong_in(c, instr, "a packed operation works on pairs of 16 bits alone");
}

static bool check_sources(struct check *c, const struct ir_instr *instr)
{
    const struct ir_op_info *row = ir_info(instr);
    if (row->variadic ? instr->num_srcs < row->num_srcs : instr->num_srcs != row->num_srcs)
        return wrong_in(c, instr, "%u operands instead of %u", instr->num_srcs, row->num_srcs);
    for (uint32_t i = 0; i < instr->num_srcs; i++) {
        const struct ir_use *use = &instr->srcs[i];
        if (!use->value)
            return wrong_in(c, instr, "operand %u is missing", i);
        if (use->instr != instr || use->node)
            return wrong_in(c, instr, "operand %u is not this instruction's use", i);
        const struct ir_instr *def = ir_def_instr(use->value);
        if (!def->block || !use->value->bits)
            return wrong_in(c, instr, "operand %u was removed", i);
    }
    c->operands += instr->num_srcs;
    return true;
}

static bool check_shape(struct check *c, const struct ir_instr *instr)
{
    const struct ir_op_info *row = ir_info(instr);
    if ((instr->def.bits != 0) != row->has_def)
        return wrong_in(c, instr, row->has_def ? "a result is missing" : "there is a result");
    if (row->props & IR_PROP_PACKS && instr->def.comps != 1)
        return check_packed(c, instr);
    uint8_t widths[4] = {0}, comps[4] = {0};
    if (row->has_def && !check_operand(c, instr, &row->def, &instr->def, widths, comps))
        return false;
    for (uint32_t i = 0; i < instr->num_srcs; i++)
        if (!check_operand(c, instr, &row->srcs[MIN2(i, row->num_srcs)], ir_src(instr, i), widths, comps))
            return false;
    return true;
}

static bool list_vars(struct check *c)
{
    c->vars = arena_zalloc_array(&c->shader->scratch, c->shader->num_vars + 1, sizeof(struct ir_var *));
    if (!c->vars)
        return wrong(c, "out of memory");
    list_foreach (&c->shader->vars, struct ir_var, var, link) {
        if (var->index >= c->shader->num_vars || c->vars[var->index])
            return wrong(c, "the number of variable v%u is not its own", var->index);
        c->vars[var->index] = var;
    }
    return true;
}

static const struct ir_var *var_of(const struct check *c, uint32_t index)
{
    return index < c->shader->num_vars ? c->vars[index] : NULL;
}

static bool check_var(struct check *c, const struct ir_instr *instr, uint32_t index)
{
    const struct ir_var *var = var_of(c, index);
    if (!var)
        return wrong_in(c, instr, "there is no variable v%u", index);
    uint8_t bits = instr->op == IR_OP_load_var ? instr->def.bits : ir_src(instr, 0)->bits;
    return var->bits == bits || wrong_in(c, instr, "%u bits of a variable of %u", bits, var->bits);
}

static bool check_query(struct check *c, const struct ir_instr *instr, uint32_t index)
{
    const struct ir_var *var = var_of(c, index);
    return (var && var->bits == 32) || wrong_in(c, instr, "v%u is no variable of queries", index);
}

static bool check_imm(struct check *c, const struct ir_instr *instr, enum ir_imm_kind kind, uint32_t value)
{
    const struct ir_imm_info *info = &ir_imm_infos[kind];
    if (value > info->largest)
        return wrong_in(c, instr, "%s is %u and may be %u", info->name, value, info->largest);
    switch (kind) {
    case IR_IMM_VAR:
        return check_var(c, instr, value);
    case IR_IMM_QUERY:
    case IR_IMM_SOURCE:
        return check_query(c, instr, value);
    case IR_IMM_RAY_VALUE:
        return instr->def.comps == ir_ray_value_comps(value) ||
               wrong_in(c, instr, "a ray's value has other components");
    case IR_IMM_ALIGN:
        if (!is_power_of_two(value))
            return wrong_in(c, instr, "the alignment %u is no power of two", value);
        return ir_imm(instr, IR_IMM_ALIGN_OFFSET) < value ||
               wrong_in(c, instr, "align_offset is not below the alignment");
    case IR_IMM_CLUSTER:
        return (value & (value - 1)) == 0 || wrong_in(c, instr, "the cluster %u is no power of two", value);
    case IR_IMM_LOCATION:
        return value < IR_LOCATION_VAR0 + 128 || wrong_in(c, instr, "there is no location %u", value);
    default:
        return true;
    }
}

uint8_t ir_ray_value_comps(enum ir_ray_value value)
{
    switch (value) {
    case IR_RAY_world_origin:
    case IR_RAY_world_direction:
    case IR_RAY_object_origin:
    case IR_RAY_object_direction:
        return 3;
    case IR_RAY_barycentrics:
    case IR_RAY_instance:
    case IR_RAY_leaf:
        return 2;
    case IR_RAY_object_to_world:
    case IR_RAY_world_to_object:
        return 12;
    case IR_RAY_vertices:
        return 9;
    default:
        return 1;
    }
}

uint8_t ir_sysval_bits(enum ir_sysval sysval)
{
    return sysval == IR_SYSVAL_front_facing || sysval == IR_SYSVAL_helper_invocation ? 1 : 32;
}

static uint8_t ir_sysval_comps(enum ir_sysval sysval)
{
    switch (sysval) {
    case IR_SYSVAL_frag_coord:
    case IR_SYSVAL_xfb_bases:
        return 4;
    case IR_SYSVAL_point_coord:
    case IR_SYSVAL_sample_pos:
        return 2;
    case IR_SYSVAL_workgroup_id:
    case IR_SYSVAL_num_workgroups:
    case IR_SYSVAL_workgroup_base:
    case IR_SYSVAL_local_id:
    case IR_SYSVAL_tess_coord:
    case IR_SYSVAL_launch_id:
    case IR_SYSVAL_launch_size:
        return 3;
    default:
        return 1;
    }
}

static bool check_frame(struct check *c, const struct ir_instr *instr)
{
    const struct ir_value *value = instr->def.bits ? &instr->def : ir_src(instr, 0);
    uint32_t base = ir_imm(instr, IR_IMM_BASE);
    return (base % 4 == 0 && base <= IR_FRAME_ARGS_B && base + value->comps * 4u <= IR_FRAME_ARGS_B) ||
           wrong_in(c, instr, "bytes from %u on are not in a frame's first %u", base, IR_FRAME_ARGS_B);
}

/* Texels have four components; a code for the memory that they lie in may come after them. */
static bool check_texel(struct check *c, const struct ir_instr *instr, const struct ir_value *texel, bool has_residency)
{
    return texel->comps <= 4u + has_residency || wrong_in(c, instr, "a texel of %u components", texel->comps);
}

/* What a row cannot say. */
static bool check_special(struct check *c, const struct ir_instr *instr)
{
    enum ir_sysval sysval;
    switch (instr->op) {
    case IR_OP_const:
        return (((uint64_t)instr->imm[1] << 32 | instr->imm[0]) & ~bits_mask(instr->def.bits)) == 0 ||
               wrong_in(c, instr, "the constant has bits beyond its width");
    case IR_OP_vec:
        return instr->num_srcs == instr->def.comps ||
               wrong_in(c, instr, "a vector of %u from %u values", instr->def.comps, instr->num_srcs);
    case IR_OP_extract:
        return instr->imm[0] < ir_src(instr, 0)->comps ||
               wrong_in(c, instr, "the value has no component %u", instr->imm[0]);
    case IR_OP_load_sysval:
        sysval = (enum ir_sysval)ir_imm(instr, IR_IMM_SYSVAL);
        return (instr->def.bits == ir_sysval_bits(sysval) && instr->def.comps == ir_sysval_comps(sysval)) ||
               wrong_in(c, instr, "the system value has %u bits and %u components", ir_sysval_bits(sysval),
                        ir_sysval_comps(sysval));
    case IR_OP_load_incoming:
    case IR_OP_store_incoming:
    case IR_OP_load_outgoing:
    case IR_OP_store_outgoing:
        return check_frame(c, instr);
    case IR_OP_ray_value:
        return (ir_imm(instr, IR_IMM_RAY_VALUE) != IR_RAY_hit_kind &&
                ir_imm(instr, IR_IMM_RAY_VALUE) != IR_RAY_cull_mask) ||
               wrong_in(c, instr, "a query does not know this");
    case IR_OP_tex:
        if (instr->num_srcs != 3u + (uint32_t)__builtin_popcount(ir_imm(instr, IR_IMM_OPERANDS)))
            return wrong_in(c, instr, "the operands are not those of the mask");
        return check_texel(c, instr, &instr->def, ir_imm(instr, IR_IMM_TEX_FLAGS) & IR_TEX_FLAG_RESIDENCY);
    case IR_OP_load_image:
        return check_texel(c, instr, &instr->def, ir_imm(instr, IR_IMM_ACCESS) & IR_ACCESS_RESIDENCY);
    case IR_OP_store_image:
        return check_texel(c, instr, ir_src(instr, 0), false);
    default:
        return true;
    }
}

static bool check_instr(struct check *c, const struct ir_instr *instr)
{
    const struct ir_op_info *row = ir_info(instr);
    if (!check_sources(c, instr) || !check_shape(c, instr))
        return false;
    for (uint32_t i = 0; i < row->num_imms; i++)
        if (!check_imm(c, instr, (enum ir_imm_kind)row->imms[i], instr->imm[i]))
            return false;
    if (instr->flags >> ir_flag_fields.count)
        return wrong_in(c, instr, "there is no flag 0x%x", instr->flags);
    return check_special(c, instr);
}

/* --- uses: every operand is in the list of its value, and nothing else is --- */

static bool check_uses(struct check *c, const struct ir_instr *def, uint64_t *listed)
{
    const struct list *head = &def->def.uses;
    for (const struct list *link = head->next; link != head; link = link->next) {
        const struct ir_use *use = container_of(link, struct ir_use, link);
        if (link->next->prev != link || ++*listed > c->operands)
            return wrong_in(c, def, "the list of uses is broken");
        if (use->value != &def->def)
            return wrong_in(c, def, "a use in the list is of another value");
        const struct ir_instr *user = use->instr;
        if (user && (!user->block || use < user->srcs || use >= user->srcs + user->num_srcs))
            return wrong_in(c, def, "a use in the list belongs to no instruction");
        if (!user && !use->node)
            return wrong_in(c, def, "a use in the list has no instruction");
    }
    return true;
}

/* --- reachability, phis and dominance: with the graph --- */

static bool check_unreachable(struct check *c, const struct ir_block *block)
{
    if (!list_is_empty(&block->instrs))
        return wrong(c, "nothing reaches b%u, but it has instructions", block->index);
    return !ir_node_next(&block->node) ||
           wrong(c, "nothing reaches b%u, but the region goes on after it", block->index);
}

static bool check_phi(struct check *c, const struct ir_instr *phi)
{
    const struct ir_block *block = phi->block;
    if (phi->num_srcs != block->num_preds)
        return wrong_in(c, phi, "%u sources for the %u predecessors of b%u", phi->num_srcs, block->num_preds,
                        block->index);
    for (uint32_t i = 0; i < block->num_preds; i++) {
        /* Mostly in the same order: where many ways meet, they are not searched for one by one. */
        const struct ir_value *value =
            phi->preds[i] == block->preds[i] ? ir_src(phi, i) : ir_phi_source(phi, block->preds[i]);
        if (!value)
            return wrong_in(c, phi, "no source for the predecessor b%u", block->preds[i]->index);
        if (!ir_dominates(ir_def_instr(value)->block, block->preds[i]))
            return wrong_in(c, phi, "%%%u does not dominate the end of b%u", value->index, block->preds[i]->index);
    }
    return true;
}

/* Values are numbered in program order: in one block the smaller number stands first. `next` is the number that the
 * instruction defines, or would define. */
static bool dominates_use(const struct ir_value *value, const struct ir_block *block, uint32_t next)
{
    const struct ir_block *def_block = ir_def_instr(value)->block;
    return def_block == block ? value->index < next : ir_dominates(def_block, block);
}

static bool check_dominance(struct check *c, const struct ir_block *block)
{
    uint32_t next = 0;
    ir_foreach_instr (block, instr) {
        next = instr->def.bits ? instr->def.index : next;
        if (instr->op == IR_OP_phi && !check_phi(c, instr))
            return false;
        for (uint32_t i = 0; i < instr->num_srcs && instr->op != IR_OP_phi; i++)
            if (!dominates_use(ir_src(instr, i), block, next))
                return wrong_in(c, instr, "%%%u does not dominate its use in b%u", ir_src(instr, i)->index,
                                block->index);
        next += instr->def.bits != 0;
    }
    const struct ir_node *behind = ir_node_next(&block->node);
    if (!behind || behind->kind != IR_IF)
        return true;
    const struct ir_value *condition = ir_node_if(behind)->condition.value;
    return ir_dominates(ir_def_instr(condition)->block, block) ||
           wrong(c, "%%%u does not dominate the if after b%u", condition->index, block->index);
}

static bool check_flow(struct check *c)
{
    ir_build_cfg(c->shader);
    ir_foreach_block (c->shader, block) {
        if (!block->reachable ? !check_unreachable(c, block) : !check_dominance(c, block))
            return false;
    }
    return true;
}

static bool check_interface(struct check *c, const struct ir_io_var *vars, uint32_t count, const char *what)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct ir_io_var *var = &vars[i];
        if (var->component + var->num_comps > 8 || var->num_comps == 0)
            return wrong(c, "%s %u has components %u to %u", what, i, var->component, var->component + var->num_comps);
        if (var->bits != 1 && var->bits != 8 && var->bits != 16 && var->bits != 32 && var->bits != 64)
            return wrong(c, "%s %u has %u bits", what, i, var->bits);
    }
    return true;
}

static bool check_all(struct check *c)
{
    struct ir_shader *shader = c->shader;
    if (!list_vars(c) || !check_interface(c, shader->inputs, shader->num_inputs, "input") ||
        !check_interface(c, shader->outputs, shader->num_outputs, "output") || !check_region(c, &shader->body, NULL, 0))
        return false;
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr)
            if (!check_instr(c, instr))
                return false;
    uint64_t listed = 0;
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr)
            if (!check_uses(c, instr, &listed))
                return false;
    if (listed != c->operands)
        return wrong(c, "%llu operands, but %llu uses in lists", (unsigned long long)c->operands,
                     (unsigned long long)listed);
    return check_flow(c);
}

const char *ir_validate(struct ir_shader *shader)
{
    struct check check = {.shader = shader};
    bool ok = check_all(&check);
    return ok ? NULL : check.error;
}
