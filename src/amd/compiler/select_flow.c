/* Control flow: regions of the IR to machine blocks, with exec.
 *
 * A lane that leaves a region early (break, continue) vanishes from exec; what is left of both sides of a divergent if
 * is put together after it. So no mask of broken lanes is kept: at a loop's exit exec is what it was before the loop.
 * Lanes that `continue` wait in a mask of the loop for its continue part.
 *
 *   if:      saved = exec; exec &= condition; skip when empty
 *   then:    …
 *   invert:  left = exec (only where lanes can vanish in "then"); exec = saved & ~condition; skip when empty
 *   else:    …
 *   merge:   exec = saved, or exec | left
 *
 * Lane masks that change on the way (the lanes that count in a fragment shader, the waiting ones of a loop) are renamed
 * at each merge by linear phis. */
#include <string.h>

#include "amd/compiler/select.h"
#include "util/bits.h"

/* An edge out of a block to one that does not exist yet. */
struct edge {
    uint32_t from;
    bool linear, logical;
    struct mir_instr *branch; /* NULL: nothing to patch */
    bool second;              /* imm2 */
    mir_temp exact, waiting;  /* what the masks are on this edge */
};

struct edges {
    struct edge *list;
    uint32_t count, capacity;
};

struct sel_loop {
    struct sel_loop *parent;
    const struct ir_loop *node;
    bool divergent;
    bool in_cont;
    mir_temp waiting;       /* lanes that continued; 0: none yet */
    struct edges exits;     /* to the block after the loop */
    struct edges continues; /* to the continue part */
    struct sel_region *outer_region;
};

/* A side of a divergent if inside the current loop. */
struct sel_region {
    struct sel_region *parent;
    bool falls_through;
    struct edges jumps; /* ways of the wave to the region's end, whose lanes went elsewhere */
};

/* ---- edges ---- */

static void edges_add(struct select *ctx, struct edges *edges, struct edge edge)
{
    if (edges->count == edges->capacity) {
        uint32_t capacity = edges->capacity ? edges->capacity * 2 : 4;
        struct edge *list = amd_sel_alloc(ctx, capacity * sizeof(*list));
        if (edges->count)
            memcpy(list, edges->list, edges->count * sizeof(*list));
        edges->list = list;
        edges->capacity = capacity;
    }
    edges->list[edges->count++] = edge;
}

static struct edge edge_here(const struct select *ctx, bool linear, bool logical, struct mir_instr *branch, bool second)
{
    return (struct edge){.from = ctx->block,
                         .linear = linear,
                         .logical = logical,
                         .branch = branch,
                         .second = second,
                         .exact = ctx->exact,
                         .waiting = ctx->loop ? ctx->loop->waiting : 0};
}

/* One mask out of those of the ways in: themselves where they agree, else a phi. */
static mir_temp merge_mask(struct select *ctx, const struct edges *in, bool exact)
{
    unsigned ways = 0;
    mir_temp first = 0;
    bool same = true;
    for (uint32_t i = 0; i < in->count; i++) {
        mir_temp mask = exact ? in->list[i].exact : in->list[i].waiting;
        if (!in->list[i].linear)
            continue;
        if (ways++ == 0)
            first = mask;
        same &= mask == first;
    }
    if (same)
        return first;
    mir_temp result = amd_sel_temp(ctx, ctx->program->lane_mask);
    struct mir_instr *phi = amd_sel_instr(ctx, MIR_P_LINEAR_PHI, 1, ways);
    phi->defs[0] = mir_result(result);
    unsigned at = 0;
    for (uint32_t i = 0; i < in->count; i++) {
        mir_temp mask = exact ? in->list[i].exact : in->list[i].waiting;
        if (in->list[i].linear)
            phi->operands[at++] = mask ? mir_use(mask) : amd_sel_mask_const(ctx, false);
    }
    return result;
}

static void begin_block(struct select *ctx, uint32_t kind)
{
    struct mir_block *block = amd_mir_new_block(ctx->program);
    block->kind = kind | (ctx->divergent_depth == 0 ? MIR_BLOCK_TOP : 0);
    block->loop_depth = (uint16_t)ctx->loop_depth;
    block->divergent_depth = (uint16_t)ctx->divergent_depth;
    ctx->block = block->index;
    ctx->unreachable = false;
}

/* A new block to which those ways lead. */
static void begin_block_from(struct select *ctx, uint32_t kind, const struct edges *in)
{
    begin_block(ctx, kind);
    for (uint32_t i = 0; i < in->count; i++) {
        const struct edge *edge = &in->list[i];
        if (edge->linear)
            amd_mir_add_linear_edge(ctx->program, edge->from, ctx->block);
        if (edge->logical)
            amd_mir_add_logical_edge(ctx->program, edge->from, ctx->block);
        if (edge->branch && edge->second)
            edge->branch->imm2 = ctx->block;
        else if (edge->branch)
            edge->branch->imm = ctx->block;
    }
    ctx->exact = merge_mask(ctx, in, true);
    if (ctx->loop)
        ctx->loop->waiting = merge_mask(ctx, in, false);
}

static struct mir_instr *branch_to(struct select *ctx, uint32_t target)
{
    struct mir_instr *branch = amd_sel_instr(ctx, MIR_P_BRANCH, 0, 0);
    branch->imm = target;
    return branch;
}

static struct mir_instr *branch_if(struct select *ctx, enum mir_cond cond, struct mir_operand operand)
{
    struct mir_instr *branch = amd_sel_instr(ctx, MIR_P_CBRANCH, 0, 1);
    branch->cond = (uint8_t)cond;
    branch->operands[0] = operand;
    return branch;
}

void amd_sel_logical_start(struct select *ctx)
{
    amd_sel_instr(ctx, MIR_P_LOGICAL_START, 0, 0);
    ctx->in_logical = true;
}

void amd_sel_logical_end(struct select *ctx)
{
    if (ctx->in_logical)
        amd_sel_instr(ctx, MIR_P_LOGICAL_END, 0, 0);
    ctx->in_logical = false;
}

/* ---- structure ---- */

static void select_region(struct select *ctx, const struct ir_region *region);
static void select_jump(struct select *ctx, struct ir_instr *jump);

/* Breaks and continues of the loop around, not of loops inside. */
static bool region_jumps(const struct ir_region *region, bool *continues_out)
{
    bool found = false;
    list_foreach (&region->nodes, struct ir_node, node, link) {
        if (node->kind == IR_IF) {
            found |= region_jumps(&ir_node_if(node)->then_region, continues_out);
            found |= region_jumps(&ir_node_if(node)->else_region, continues_out);
        } else if (node->kind == IR_BLOCK) {
            struct ir_instr *jump = ir_block_jump(ir_node_block(node));
            found |= jump != NULL;
            if (jump && jump->op == IR_OP_continue && continues_out)
                *continues_out = true;
        }
    }
    return found;
}

static bool if_is_divergent(const struct ir_if *node)
{
    return node->condition.value->divergent;
}

static bool jumps_diverge(const struct ir_region *region, bool divergent)
{
    list_foreach (&region->nodes, struct ir_node, node, link) {
        if (node->kind == IR_BLOCK && divergent && ir_block_jump(ir_node_block(node)))
            return true;
        if (node->kind == IR_IF) {
            bool inside = divergent || if_is_divergent(ir_node_if(node));
            if (jumps_diverge(&ir_node_if(node)->then_region, inside) ||
                jumps_diverge(&ir_node_if(node)->else_region, inside))
                return true;
        }
    }
    return false;
}

static bool region_is_empty(const struct ir_region *region)
{
    struct ir_block *first = ir_region_first(region);
    return first == ir_region_last(region) && list_is_empty(&first->instrs);
}

static void select_block(struct select *ctx, struct ir_block *block)
{
    amd_sel_anchor_phis(ctx, block);
    ir_foreach_instr (block, instr) {
        if (instr->op == IR_OP_break || instr->op == IR_OP_continue) {
            ctx->block_end[block->index] = ctx->block;
            select_jump(ctx, instr);
            return;
        }
        if (instr->op != IR_OP_phi)
            amd_sel_ir_instr(ctx, instr);
    }
    ctx->block_end[block->index] = ctx->block;
}

/* ---- jumps ---- */

/* The wave goes on where other lanes may be waiting: at the end of the innermost divergent region, at the continue
 * part, or after the loop. */
static void leave_linear(struct select *ctx, struct mir_instr *branch, bool second)
{
    struct sel_loop *loop = ctx->loop;
    struct edge edge = edge_here(ctx, true, false, branch, second);
    if (ctx->region != loop->outer_region)
        edges_add(ctx, &ctx->region->jumps, edge);
    else if (loop->waiting && !loop->in_cont)
        edges_add(ctx, &loop->continues, edge);
    else
        edges_add(ctx, &loop->exits, edge);
}

static bool exec_is_read_there(const struct select *ctx)
{
    const struct sel_loop *loop = ctx->loop;
    if (ctx->region != loop->outer_region)
        return ctx->region->falls_through;
    return loop->waiting && !loop->in_cont;
}

static void select_jump(struct select *ctx, struct ir_instr *jump)
{
    struct sel_loop *loop = ctx->loop;
    bool is_break = jump->op == IR_OP_break;
    amd_sel_logical_end(ctx);
    struct edges *target = is_break ? &loop->exits : &loop->continues;
    if (!loop->divergent) {
        struct mir_instr *branch = branch_to(ctx, 0);
        edges_add(ctx, target, edge_here(ctx, true, true, branch, false));
        ctx->unreachable = true;
        return;
    }
    if (!is_break)
        loop->waiting = loop->waiting ? amd_sel_mask2(ctx, SEL_OR, mir_use(loop->waiting), amd_sel_exec(ctx))
                                      : amd_sel_copy(ctx, ctx->program->lane_mask, amd_sel_exec(ctx));
    if (exec_is_read_there(ctx))
        amd_sel_set_exec(ctx, amd_sel_mask_const(ctx, false));
    struct mir_instr *branch = branch_to(ctx, 0);
    edges_add(ctx, target, edge_here(ctx, false, true, NULL, false));
    leave_linear(ctx, branch, false);
    ctx->unreachable = true;
}

/* After an if in which lanes can leave: nothing is left to do where none stayed. */
static void skip_when_empty(struct select *ctx, const struct ir_block *next)
{
    bool at_end = ir_node_next(&next->node) == NULL && list_is_empty(&next->instrs);
    if (at_end && ctx->region != ctx->loop->outer_region)
        return;
    struct mir_instr *branch = branch_if(ctx, MIR_COND_EXECZ, amd_sel_exec(ctx));
    struct edges on = {0};
    leave_linear(ctx, branch, false);
    edges_add(ctx, &on, edge_here(ctx, true, true, branch, true));
    begin_block_from(ctx, 0, &on);
}

/* ---- if ---- */

static void uniform_if(struct select *ctx, struct ir_if *node, struct ir_block *next)
{
    struct edges then_in = {0}, else_in = {0}, merge = {0};
    bool inverted;
    mir_temp scc = amd_sel_scc(ctx, node->condition.value, &inverted);
    amd_sel_logical_end(ctx);
    struct mir_instr *branch = branch_if(ctx, inverted ? MIR_COND_SCC1 : MIR_COND_SCC0, mir_fixed(scc, MIR_REG_SCC));
    ctx->program->blocks[ctx->block].kind |= MIR_BLOCK_UNIFORM;
    edges_add(ctx, &then_in, edge_here(ctx, true, true, branch, true));
    edges_add(ctx, &else_in, edge_here(ctx, true, true, branch, false));
    for (unsigned side = 0; side < 2; side++) {
        begin_block_from(ctx, 0, side ? &else_in : &then_in);
        amd_sel_logical_start(ctx);
        select_region(ctx, side ? &node->else_region : &node->then_region);
        if (ctx->unreachable)
            continue;
        amd_sel_logical_end(ctx);
        edges_add(ctx, &merge, edge_here(ctx, true, true, branch_to(ctx, 0), false));
    }
    ctx->unreachable = merge.count == 0;
    if (ctx->unreachable)
        return;
    begin_block_from(ctx, MIR_BLOCK_MERGE, &merge);
    amd_sel_phis(ctx, next);
    amd_sel_logical_start(ctx);
}

static bool has_vector_phis(const struct select *ctx, struct ir_block *block)
{
    ir_foreach_phi (block, phi) {
        if (amd_sel_class_of(ctx, &phi->def).vector)
            return true;
    }
    return false;
}

/* One side of a divergent if. Afterwards `out` has the wave's ways to its end. True where lanes come to its end. */
static bool divergent_side(struct select *ctx, const struct ir_region *region, const struct edges *in,
                           struct edges *out, struct edges *merge_logical)
{
    struct sel_region side = {.parent = ctx->region, .falls_through = ir_region_falls_through(region)};
    ctx->region = &side;
    begin_block_from(ctx, 0, in);
    amd_sel_logical_start(ctx);
    select_region(ctx, region);
    bool falls = !ctx->unreachable;
    if (falls) {
        amd_sel_logical_end(ctx);
        struct mir_instr *branch = branch_to(ctx, 0);
        edges_add(ctx, merge_logical, edge_here(ctx, false, true, NULL, false));
        edges_add(ctx, out, edge_here(ctx, true, false, branch, false));
    }
    for (uint32_t i = 0; i < side.jumps.count; i++)
        edges_add(ctx, out, side.jumps.list[i]);
    ctx->region = side.parent;
    return falls;
}

static void divergent_if(struct select *ctx, struct ir_if *node, struct ir_block *next)
{
    struct edges then_in = {0}, invert_in = {0}, else_in = {0}, merge = {0};
    bool jumps = ctx->loop && ctx->loop->divergent &&
                 (region_jumps(&node->then_region, NULL) || region_jumps(&node->else_region, NULL));
    bool empty_else = region_is_empty(&node->else_region) && !has_vector_phis(ctx, next) && !jumps;
    struct mir_operand condition = amd_sel_mask(ctx, node->condition.value);
    amd_sel_logical_end(ctx);

    mir_temp saved = amd_sel_temp(ctx, ctx->program->lane_mask);
    struct mir_instr *save =
        amd_sel_instr(ctx, ctx->wave64 ? ISA_OP_S_AND_SAVEEXEC_B64 : ISA_OP_S_AND_SAVEEXEC_B32, 1, 1);
    save->defs[0] = mir_result(saved);
    save->operands[0] = condition;
    struct mir_instr *branch = branch_if(ctx, MIR_COND_EXECZ, amd_sel_exec(ctx));
    struct edge from_if = edge_here(ctx, false, true, NULL, false);
    edges_add(ctx, &then_in, edge_here(ctx, true, true, branch, true));
    edges_add(ctx, &invert_in, edge_here(ctx, true, false, branch, false));
    ctx->divergent_depth++;
    bool then_falls = divergent_side(ctx, &node->then_region, &then_in, &invert_in, &merge), else_falls = true;

    mir_temp left = 0;
    if (empty_else) {
        /* The lanes of "else" have a block of their own, for copies that allocation may need; without such, the write
         * of exec is dropped later. */
        edges_add(ctx, &invert_in, from_if);
        begin_block_from(ctx, 0, &invert_in);
        amd_sel_exec_op(ctx, SEL_ANDN2, mir_use(saved), amd_sel_exec(ctx));
        amd_sel_logical_start(ctx);
        amd_sel_logical_end(ctx);
        edges_add(ctx, &merge, edge_here(ctx, true, true, branch_to(ctx, 0), false));
    } else {
        begin_block_from(ctx, MIR_BLOCK_INVERT, &invert_in);
        if (jumps && then_falls)
            left = amd_sel_copy(ctx, ctx->program->lane_mask, amd_sel_exec(ctx));
        amd_sel_exec_op(ctx, SEL_ANDN2, mir_use(saved), jumps ? condition : amd_sel_exec(ctx));
        branch = branch_if(ctx, MIR_COND_EXECZ, amd_sel_exec(ctx));
        edges_add(ctx, &else_in, edge_here(ctx, true, false, branch, true));
        edges_add(ctx, &merge, edge_here(ctx, true, false, branch, false));
        edges_add(ctx, &else_in, from_if);
        else_falls = divergent_side(ctx, &node->else_region, &else_in, &merge, &merge);
    }
    ctx->divergent_depth--;

    if (!then_falls && !else_falls) {
        /* No lane comes here, but the wave does, with those that wait elsewhere. */
        begin_block_from(ctx, MIR_BLOCK_MERGE, &merge);
        if (exec_is_read_there(ctx))
            amd_sel_set_exec(ctx, amd_sel_mask_const(ctx, false));
        leave_linear(ctx, branch_to(ctx, 0), false);
        ctx->unreachable = true;
        return;
    }
    begin_block_from(ctx, MIR_BLOCK_MERGE, &merge);
    amd_sel_phis(ctx, next);
    if (!jumps)
        amd_sel_set_exec(ctx, mir_use(saved));
    else if (then_falls && else_falls)
        amd_sel_exec_op(ctx, SEL_OR, amd_sel_exec(ctx), mir_use(left));
    else if (then_falls)
        amd_sel_set_exec(ctx, mir_use(left));
    /* else: exec is what the other side left */
    if (jumps) {
        amd_sel_logical_start(ctx);
        amd_sel_logical_end(ctx);
        skip_when_empty(ctx, next);
    }
    amd_sel_logical_start(ctx);
}

/* ---- loops ---- */

static bool region_demotes(const struct ir_region *region)
{
    list_foreach (&region->nodes, struct ir_node, node, link) {
        if (node->kind == IR_IF) {
            if (region_demotes(&ir_node_if(node)->then_region) || region_demotes(&ir_node_if(node)->else_region))
                return true;
        } else if (node->kind == IR_LOOP) {
            if (region_demotes(&ir_node_loop(node)->body) || region_demotes(&ir_node_loop(node)->cont))
                return true;
        } else {
            ir_foreach_instr (ir_node_block(node), instr) {
                if (instr->op == IR_OP_demote)
                    return true;
            }
        }
    }
    return false;
}

struct header_phi {
    const struct ir_instr *phi;
    struct mir_instr *out;
};

/* Phis of the header with room for the way back, which is filled in when it is known. */
static struct header_phi *header_phis(struct select *ctx, struct ir_block *header, bool way_back, unsigned *count_out)
{
    unsigned count = 0;
    ir_foreach_phi (header, phi)
        count++;
    struct header_phi *list = amd_sel_alloc(ctx, (count + 1) * sizeof(*list));
    count = 0;
    ir_foreach_phi (header, phi) {
        struct mir_class class = amd_sel_class_of(ctx, &phi->def);
        struct mir_instr *out = amd_sel_instr(ctx, class.vector ? MIR_P_PHI : MIR_P_LINEAR_PHI, 1, way_back ? 2 : 1);
        mir_temp temp = amd_sel_temp(ctx, class);
        out->defs[0] = mir_result(temp);
        ctx->values[phi->def.index].temp = temp;
        list[count++] = (struct header_phi){phi, out};
    }
    *count_out = count;
    return list;
}

static void fill_header_phis(struct select *ctx, uint32_t header, const struct header_phi *list, unsigned count)
{
    uint32_t here = ctx->block;
    ctx->block = header;
    for (unsigned i = 0; i < count; i++)
        amd_sel_fill_phi(ctx, list[i].phi, list[i].out);
    ctx->block = here;
}

/* The continue part: after the body's end and the continues. False where nothing comes to it. */
static bool begin_cont(struct select *ctx, struct sel_loop *loop)
{
    struct ir_block *first = ir_region_first(&loop->node->cont);
    if (!ctx->unreachable) {
        amd_sel_logical_end(ctx);
        edges_add(ctx, &loop->continues, edge_here(ctx, true, true, branch_to(ctx, 0), false));
    }
    if (loop->continues.count == 0)
        return false;
    begin_block_from(ctx, 0, &loop->continues);
    amd_sel_phis(ctx, first);
    if (loop->divergent && loop->waiting)
        amd_sel_exec_op(ctx, SEL_OR, amd_sel_exec(ctx), mir_use(loop->waiting));
    loop->waiting = 0;
    loop->in_cont = true;
    amd_sel_logical_start(ctx);
    return true;
}

static void end_turn(struct select *ctx, struct sel_loop *loop, uint32_t header)
{
    amd_sel_logical_end(ctx);
    amd_mir_add_logical_edge(ctx->program, ctx->block, header);
    if (loop->divergent) {
        struct mir_instr *branch = branch_if(ctx, MIR_COND_EXECNZ, amd_sel_exec(ctx));
        branch->imm = header;
        amd_mir_add_linear_edge(ctx->program, ctx->block, header);
        edges_add(ctx, &loop->exits, edge_here(ctx, true, false, branch, true));
    } else {
        branch_to(ctx, header);
        amd_mir_add_linear_edge(ctx->program, ctx->block, header);
    }
}

/* Where break and continue lie under no divergent if, the wave turns as one. */
static bool loop_is_divergent(const struct ir_loop *node)
{
    return jumps_diverge(&node->body, false) || jumps_diverge(&node->cont, false);
}

static void select_loop(struct select *ctx, struct ir_loop *node, struct ir_block *next)
{
    struct sel_loop loop = {
        .parent = ctx->loop, .node = node, .divergent = loop_is_divergent(node), .outer_region = ctx->region};
    struct ir_block *first = ir_region_first(&node->body);
    struct edges in = {0};
    mir_temp outer = 0;
    bool continues = false;
    region_jumps(&node->body, &continues);
    bool way_back = (ir_region_falls_through(&node->body) || continues) && ir_region_falls_through(&node->cont);
    bool demotes = ctx->has_exact && way_back && (region_demotes(&node->body) || region_demotes(&node->cont));

    amd_sel_logical_end(ctx);
    if (loop.divergent)
        outer = amd_sel_copy(ctx, ctx->program->lane_mask, amd_sel_exec(ctx));
    edges_add(ctx, &in, edge_here(ctx, true, true, branch_to(ctx, 0), false));
    ctx->loop = &loop;
    ctx->loop_depth++;
    if (loop.divergent)
        ctx->divergent_depth++;
    for (uint32_t i = 0; i < in.count; i++)
        in.list[i].waiting = 0;
    begin_block_from(ctx, MIR_BLOCK_LOOP_HEADER, &in);
    uint32_t header = ctx->block;
    unsigned phi_count;
    struct header_phi *phis = header_phis(ctx, first, way_back, &phi_count);
    struct mir_instr *exact_phi = NULL;
    if (demotes) {
        exact_phi = amd_sel_instr(ctx, MIR_P_LINEAR_PHI, 1, 2);
        exact_phi->operands[0] = mir_use(ctx->exact);
        ctx->exact = amd_sel_temp(ctx, ctx->program->lane_mask);
        exact_phi->defs[0] = mir_result(ctx->exact);
    }
    amd_sel_logical_start(ctx);
    select_region(ctx, &node->body);

    if (begin_cont(ctx, &loop)) {
        select_region(ctx, &node->cont);
        if (!ctx->unreachable) {
            if (exact_phi)
                exact_phi->operands[1] = mir_use(ctx->exact);
            end_turn(ctx, &loop, header);
        }
    }
    fill_header_phis(ctx, header, phis, phi_count);

    if (loop.divergent)
        ctx->divergent_depth--;
    ctx->loop_depth--;
    ctx->loop = loop.parent;
    ctx->unreachable = loop.exits.count == 0;
    if (ctx->unreachable)
        return;
    for (uint32_t i = 0; i < loop.exits.count; i++)
        loop.exits.list[i].waiting = loop.parent ? loop.parent->waiting : 0;
    begin_block_from(ctx, MIR_BLOCK_LOOP_EXIT, &loop.exits);
    amd_sel_phis(ctx, next);
    if (loop.divergent)
        amd_sel_set_exec(ctx, mir_use(outer));
    amd_sel_logical_start(ctx);
}

static void select_region(struct select *ctx, const struct ir_region *region)
{
    list_foreach (&region->nodes, struct ir_node, node, link) {
        if (ctx->unreachable)
            return;
        struct ir_node *next = ir_node_next(node);
        if (node->kind == IR_BLOCK) {
            select_block(ctx, ir_node_block(node));
        } else if (node->kind == IR_LOOP) {
            select_loop(ctx, ir_node_loop(node), ir_node_block(next));
        } else if (if_is_divergent(ir_node_if(node))) {
            divergent_if(ctx, ir_node_if(node), ir_node_block(next));
        } else {
            uniform_if(ctx, ir_node_if(node), ir_node_block(next));
        }
    }
}

void amd_sel_body(struct select *ctx)
{
    select_region(ctx, &ctx->shader->body);
    if (ctx->unreachable)
        begin_block(ctx, 0); /* an endless loop: what ends the program is never reached, but must be there */
}

/* ---- the lanes that count ---- */

mir_temp amd_sel_exact_begin(struct select *ctx)
{
    if (!ctx->has_exact)
        return 0;
    mir_temp saved = amd_sel_temp(ctx, ctx->program->lane_mask);
    struct mir_instr *save =
        amd_sel_instr(ctx, ctx->wave64 ? ISA_OP_S_AND_SAVEEXEC_B64 : ISA_OP_S_AND_SAVEEXEC_B32, 1, 1);
    save->defs[0] = mir_result(saved);
    save->operands[0] = mir_use(ctx->exact);
    return saved;
}

void amd_sel_exact_end(struct select *ctx, mir_temp saved)
{
    if (saved)
        amd_sel_set_exec(ctx, mir_use(saved));
}

void amd_sel_demote(struct select *ctx, const struct ir_instr *instr)
{
    struct mir_operand condition = amd_sel_mask(ctx, ir_src(instr, 0));
    mir_temp gone = amd_sel_mask2(ctx, SEL_AND, amd_sel_exec(ctx), condition);
    ctx->exact = amd_sel_mask2(ctx, SEL_ANDN2, mir_use(ctx->exact), mir_use(gone));
}

/* ---- branches of selection's own ---- */

void amd_sel_when_begin(struct select *ctx, mir_temp scc, struct sel_when *when)
{
    struct edges then_in = {0}, else_in = {0};
    amd_sel_logical_end(ctx);
    struct mir_instr *branch = branch_if(ctx, MIR_COND_SCC0, mir_fixed(scc, MIR_REG_SCC));
    ctx->program->blocks[ctx->block].kind |= MIR_BLOCK_UNIFORM;
    edges_add(ctx, &then_in, edge_here(ctx, true, true, branch, true));
    edges_add(ctx, &else_in, edge_here(ctx, true, true, branch, false));
    begin_block_from(ctx, 0, &then_in);
    amd_sel_logical_start(ctx);
    when->otherwise = else_in.list[0].from;
    when->branch = branch;
}

void amd_sel_when_end(struct select *ctx, struct sel_when *when)
{
    struct edges else_in = {0}, merge = {0};
    amd_sel_logical_end(ctx);
    edges_add(ctx, &merge, edge_here(ctx, true, true, branch_to(ctx, 0), false));
    struct edge from = edge_here(ctx, true, true, when->branch, false);
    from.from = when->otherwise;
    edges_add(ctx, &else_in, from);
    begin_block_from(ctx, 0, &else_in);
    amd_sel_logical_start(ctx);
    amd_sel_logical_end(ctx);
    edges_add(ctx, &merge, edge_here(ctx, true, true, branch_to(ctx, 0), false));
    begin_block_from(ctx, MIR_BLOCK_MERGE, &merge);
    amd_sel_logical_start(ctx);
}

void amd_sel_leave_when_empty(struct select *ctx)
{
    struct edges on = {0};
    amd_sel_logical_end(ctx);
    struct mir_instr *branch = branch_if(ctx, MIR_COND_EXECZ, amd_sel_exec(ctx));
    ctx->leaving = amd_sel_alloc(ctx, sizeof(*ctx->leaving));
    edges_add(ctx, ctx->leaving, edge_here(ctx, true, false, branch, false));
    edges_add(ctx, &on, edge_here(ctx, true, true, branch, true));
    begin_block_from(ctx, 0, &on);
    amd_sel_logical_start(ctx);
}

void amd_sel_end_program(struct select *ctx)
{
    amd_sel_logical_end(ctx);
    if (ctx->leaving) {
        edges_add(ctx, ctx->leaving, edge_here(ctx, true, true, branch_to(ctx, 0), false));
        begin_block_from(ctx, 0, ctx->leaving);
    }
    if (ctx->shader && ctx->shader->stage == IR_STAGE_fragment && ctx->stage->fs.epilog)
        return; /* the epilog ends it */
    if (ctx->program->is_function)
        amd_sel_return(ctx);
    else
        amd_sel_instr(ctx, ISA_OP_S_ENDPGM, 0, 0);
}
