/* Liveness: kill flags, live sets at block borders and the register demand of each block. See liveness.h.
 *
 * A phi's operand is read at the end of the predecessor, its result is written at the start of its block. */
#include <string.h>

#include "amd/compiler/liveness.h"
#include "compiler/ir/ir.h"
#include "util/bits.h"

/* Everything here lives until the next analysis. */
static void *alloc_array(struct mir_program *program, size_t size_B)
{
    void *memory = arena_zalloc(&program->live_arena, size_B ? size_B : 1);
    if (!memory)
        amd_mir_fail_memory(program);
    return memory;
}

/* The graph that a temporary lives in. */
static bool is_linear(const struct mir_program *program, mir_temp temp)
{
    struct mir_class class = program->temps[temp].class;
    return !class.vector || class.linear;
}

/* Give a number to everything that is read outside of the block that writes it, or by a phi. Which block writes it, +
 * 1, by temporary. */
static uint32_t *number_globals(struct mir_program *program, struct mir_live *live)
{
    uint32_t *home = alloc_array(program, program->num_temps * sizeof(*home));
    live->number_of = alloc_array(program, program->num_temps * sizeof(*live->number_of));
    live->temp_of = alloc_array(program, program->num_temps * sizeof(*live->temp_of));
    mir_foreach_block(program, block)
    {
        mir_foreach_instr(block, instr)
        {
            for (unsigned i = 0; i < instr->num_defs; i++) {
                mir_temp temp = instr->defs[i].temp;
                home[temp] = block->index + 1;
                program->temps[temp].def = instr;
            }
        }
    }
    if (program->num_blocks == 1) /* nothing is read outside */
        return home;
    mir_foreach_block(program, block)
    {
        mir_foreach_instr(block, instr)
        {
            for (unsigned i = 0; i < instr->num_operands; i++) {
                mir_temp temp = instr->operands[i].temp;
                if (instr->operands[i].kind != MIR_TEMP || live->number_of[temp] ||
                    (home[temp] == block->index + 1 && !mir_is_phi(instr)))
                    continue;
                live->temp_of[live->num_global] = temp;
                live->number_of[temp] = ++live->num_global;
            }
        }
    }
    return home;
}

/* ---- what the solver wants to know ---- */

static const struct machine_edges *edges_of(struct mir_program *program, bool linear)
{
    struct machine_edges *edges = alloc_array(program, program->num_blocks * sizeof(*edges));
    mir_foreach_block(program, block) edges[block->index] =
        linear ? (struct machine_edges){block->linear_preds, block->linear_succs, block->num_linear_preds,
                                        block->num_linear_succs}
               : (struct machine_edges){block->logical_preds, block->logical_succs, block->num_logical_preds,
                                        block->num_logical_succs};
    return edges;
}

static uint32_t add_uses(const struct mir_live *live, const struct mir_block *block, const struct mir_instr *instr,
                         const uint32_t *home, struct live_use *uses)
{
    const uint32_t *preds = instr->op == MIR_P_PHI ? block->logical_preds : block->linear_preds;
    uint32_t count = 0;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        mir_temp temp = instr->operands[i].temp;
        if (instr->operands[i].kind != MIR_TEMP || !live->number_of[temp])
            continue;
        bool phi = mir_is_phi(instr);
        if (!phi && home[temp] == block->index + 1)
            continue;
        if (uses)
            uses[count] = (struct live_use){live->number_of[temp] - 1, phi ? preds[i] : block->index, phi};
        count++;
    }
    return count;
}

static struct live_use *find_uses(struct mir_program *program, const struct mir_live *live, const uint32_t *home,
                                  uint32_t *count_out)
{
    struct live_use *uses = NULL;
    *count_out = 0;
    for (unsigned pass = 0; pass < 2 && live->num_global; pass++) { /* they are counted, then written */
        uint32_t count = 0;
        mir_foreach_block(program, block)
        {
            mir_foreach_instr(block, instr) count += add_uses(live, block, instr, home, uses ? uses + count : NULL);
        }
        if (pass == 0)
            uses = alloc_array(program, count * sizeof(*uses));
        *count_out = count;
    }
    return uses;
}

static void solve_liveness(struct mir_program *program, struct mir_live *live, const uint32_t *home_of_temp)
{
    uint8_t *graph_of = alloc_array(program, live->num_global);
    uint32_t *home = alloc_array(program, live->num_global * sizeof(*home));
    for (uint32_t i = 0; i < live->num_global; i++) {
        mir_temp temp = live->temp_of[i];
        graph_of[i] = is_linear(program, temp) ? 0 : 1;
        home[i] = home_of_temp[temp] ? home_of_temp[temp] - 1 : LIVE_NOWHERE;
    }
    struct live_input input = {.num_blocks = program->num_blocks,
                               .num_values = live->num_global,
                               .graphs = {edges_of(program, true), edges_of(program, false)},
                               .graph_of = graph_of,
                               .home = home};
    input.uses = find_uses(program, live, home_of_temp, &input.num_uses);
    if (!live_solve(&input, &program->live_arena, &live->sets))
        amd_mir_fail_memory(program);
}

/* ---- kill flags and demand ---- */

struct walk {
    struct mir_program *program;
    const struct mir_live *live;
    uint8_t *alive; /* by temporary */
    unsigned sgprs, vgprs;
    unsigned max_sgprs, max_vgprs;
};

static void count_temp(struct walk *walk, mir_temp temp, int sign)
{
    struct mir_class class = walk->program->temps[temp].class;
    int size = sign * (int)mir_pressure_of(class);
    if (class.vector)
        walk->vgprs = (unsigned)((int)walk->vgprs + size);
    else
        walk->sgprs = (unsigned)((int)walk->sgprs + size);
}

/* Registers that an instruction needs beyond what is alive around it: a result beside an operand
 * that is read late, and copies of values that live on. */
static void count_extra(struct walk *walk, const struct mir_instr *instr, unsigned *sgprs, unsigned *vgprs)
{
    bool late = false;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mir_operand *operand = &instr->operands[i];
        late |= operand->late;
        /* a copy in the register that the instruction wants */
        if (operand->kind == MIR_TEMP && operand->fixed && !operand->first_kill)
            *(walk->program->temps[operand->temp].class.vector ? vgprs : sgprs) +=
                walk->program->temps[operand->temp].class.dwords;
    }
    struct mir_shape shape = {.tied_operand = {-1, -1, -1}};
    if (!mir_is_pseudo(instr))
        shape = amd_mir_shape_of(instr);
    for (unsigned i = 0; i < instr->num_defs; i++) {
        const struct mir_operand *tied =
            i < 3 && shape.tied_operand[i] >= 0 ? &instr->operands[shape.tied_operand[i]] : NULL;
        if (!instr->defs[i].temp || (!late && (!tied || (tied->kind == MIR_TEMP && tied->kill))))
            continue;
        struct mir_class class = walk->program->temps[instr->defs[i].temp].class;
        *(class.vector ? vgprs : sgprs) += mir_pressure_of(class);
    }
}

static void note_demand(struct walk *walk)
{
    walk->max_sgprs = MAX2(walk->max_sgprs, walk->sgprs);
    walk->max_vgprs = MAX2(walk->max_vgprs, walk->vgprs);
}

static void visit_instr(struct walk *walk, struct mir_instr *instr)
{
    /* A result that nothing reads still needs its registers while it is written. */
    for (unsigned i = 0; i < instr->num_defs; i++) {
        struct mir_def *def = &instr->defs[i];
        def->dead = def->temp && !walk->alive[def->temp];
        if (def->dead)
            count_temp(walk, def->temp, 1);
    }
    note_demand(walk);
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp)
            count_temp(walk, instr->defs[i].temp, -1);
        walk->alive[instr->defs[i].temp] = 0;
    }
    if (mir_is_phi(instr))
        return;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        struct mir_operand *operand = &instr->operands[i];
        operand->kill = operand->first_kill = false;
        if (operand->kind == MIR_TEMP)
            operand->kill = walk->alive[operand->temp] != 1;
        if (operand->kind == MIR_TEMP && !walk->alive[operand->temp]) {
            operand->first_kill = true;
            walk->alive[operand->temp] = 2; /* alive before, not after */
            count_temp(walk, operand->temp, 1);
        }
    }
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MIR_TEMP)
            walk->alive[instr->operands[i].temp] = 1;
    }
    unsigned sgprs = walk->sgprs, vgprs = walk->vgprs;
    count_extra(walk, instr, &walk->sgprs, &walk->vgprs);
    note_demand(walk);
    walk->sgprs = sgprs;
    walk->vgprs = vgprs;
}

static void visit_block(struct walk *walk, struct mir_block *block)
{
    const struct mir_live *live = walk->live;
    walk->sgprs = walk->vgprs = walk->max_sgprs = walk->max_vgprs = 0;
    mir_foreach_live_out(live, block, temp)
    {
        walk->alive[temp] = 1;
        count_temp(walk, temp, 1);
    }
    note_demand(walk);
    struct list *link = block->instrs.prev;
    while (link != &block->instrs) {
        struct mir_instr *instr = container_of(link, struct mir_instr, link);
        link = link->prev;
        visit_instr(walk, instr);
    }
    /* Values that are still alive are those that the next block must not find. */
    mir_foreach_instr(block, instr)
    {
        for (unsigned i = 0; i < instr->num_operands; i++) {
            if (instr->operands[i].kind == MIR_TEMP)
                walk->alive[instr->operands[i].temp] = 0;
        }
    }
    mir_foreach_live_out(live, block, temp) walk->alive[temp] = 0;
    block->max_sgprs = walk->max_sgprs;
    block->max_vgprs = walk->max_vgprs;
}

void amd_mir_liveness(struct mir_program *program)
{
    arena_reset(&program->live_arena);
    struct mir_live *live = alloc_array(program, sizeof(*live));
    solve_liveness(program, live, number_globals(program, live));
    struct walk walk = {.program = program, .live = live};
    walk.alive = alloc_array(program, program->num_temps);
    mir_foreach_block(program, block) visit_block(&walk, block);
    program->live = live;
}
