/* Liveness: what is alive at the borders of blocks, last uses, results that nothing reads, and how many registers are
 * needed at once. A phi's operand is read at the end of the predecessor, its result is written at the start of its
 * block. */
#include <string.h>

#include "compiler/ir/ir.h"
#include "compiler/machine/code.h"
#include "util/bits.h"

static void *alloc_array(struct mach_program *program, size_t size_B)
{
    void *memory = arena_zalloc(&program->live_arena, size_B ? size_B : 1);
    if (!memory) {
        program->failure->out_of_memory = true;
        mach_fail(program, "out of memory");
    }
    return memory;
}

static uint32_t *find_homes(struct mach_program *program)
{
    uint32_t *home = alloc_array(program, program->num_temps * sizeof(*home));
    memset(home, 0xff, program->num_temps * sizeof(*home)); /* LIVE_NOWHERE */
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            for (unsigned i = 0; i < instr->num_defs; i++) {
                if (!instr->defs[i].temp)
                    continue;
                home[instr->defs[i].temp] = block->index;
                program->temps[instr->defs[i].temp].def = instr;
            }
        }
    }
    return home;
}

/* The reads that cross a border; with `uses` NULL they are counted. */
static uint32_t collect_uses(struct mach_program *program, const uint32_t *home, struct live_use *uses)
{
    uint32_t count = 0;
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            const bool is_phi = instr->op == MACH_P_PHI;
            for (unsigned i = 0; i < instr->num_operands; i++) {
                const struct mach_operand *operand = &instr->operands[i];
                if (operand->kind != MACH_TEMP || (!is_phi && home[operand->temp] == block->index))
                    continue;
                if (uses)
                    uses[count] = (struct live_use){operand->temp, is_phi ? block->preds[i] : block->index, is_phi};
                count++;
            }
        }
    }
    return count;
}

static void solve_liveness(struct mach_program *program)
{
    struct machine_edges *graph = alloc_array(program, program->num_blocks * sizeof(*graph));
    mach_foreach_block(program, block) graph[block->index] =
        (struct machine_edges){block->preds, block->succs, block->num_preds, block->num_succs};
    uint32_t *home = find_homes(program);
    struct live_input input = {.num_blocks = program->num_blocks,
                               .num_values = program->num_temps,
                               .num_uses = collect_uses(program, home, NULL),
                               .graphs = {graph},
                               .graph_of = alloc_array(program, program->num_temps),
                               .home = home};
    struct live_use *uses = alloc_array(program, input.num_uses * sizeof(*uses));
    collect_uses(program, home, uses);
    input.uses = uses;
    if (!live_solve(&input, &program->live_arena, &program->live)) {
        program->failure->out_of_memory = true;
        mach_fail(program, "out of memory");
    }
}

/* ---- inside of blocks ---- */

enum {
    DEAD,
    ALIVE,
    ENDS /* alive before the instruction, not after it */
};

struct walk {
    struct mach_program *program;
    uint8_t *state; /* by temporary */
    uint32_t units, most;
    uint32_t small_units, most_small; /* of those that only the lower registers have names for */
};

static void add_units(struct walk *walk, mach_temp temp, int sign)
{
    const struct mach_class class = walk->program->temps[temp].class;
    const uint32_t units = (uint32_t)(sign * (int)mach_units(class));
    walk->units += units;
    walk->small_units += mach_is_small(walk->program, class) ? units : 0;
}

static void note_most(struct walk *walk)
{
    walk->most = MAX2(walk->most, walk->units);
    walk->most_small = MAX2(walk->most_small, walk->small_units);
}

static void visit_defs(struct walk *walk, struct mach_instr *instr)
{
    for (unsigned i = 0; i < instr->num_defs; i++) {
        struct mach_def *def = &instr->defs[i];
        def->is_dead = def->temp && walk->state[def->temp] == DEAD;
        if (def->is_dead)
            add_units(walk, def->temp, 1);
    }
    note_most(walk);
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (!instr->defs[i].temp)
            continue;
        add_units(walk, instr->defs[i].temp, -1);
        walk->state[instr->defs[i].temp] = DEAD;
    }
}

static void visit_instr(struct walk *walk, struct mach_instr *instr)
{
    visit_defs(walk, instr);
    if (instr->op == MACH_P_PHI)
        return;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        struct mach_operand *operand = &instr->operands[i];
        operand->is_kill = operand->is_first_kill = false;
        if (operand->kind != MACH_TEMP)
            continue;
        operand->is_kill = walk->state[operand->temp] != ALIVE;
        if (walk->state[operand->temp] == DEAD) {
            operand->is_first_kill = true;
            walk->state[operand->temp] = ENDS;
            add_units(walk, operand->temp, 1);
        }
    }
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MACH_TEMP)
            walk->state[instr->operands[i].temp] = ALIVE;
    }
    note_most(walk);
}

static void visit_block(struct walk *walk, struct mach_block *block)
{
    const struct live_sets *sets = &walk->program->live;
    walk->units = walk->small_units = 0;
    live_foreach(sets, out, block->index, temp)
    {
        walk->state[temp] = ALIVE;
        add_units(walk, temp, 1);
    }
    note_most(walk);
    for (struct list *link = block->instrs.prev, *next; link != &block->instrs; link = next) {
        next = link->prev;
        visit_instr(walk, container_of(link, struct mach_instr, link));
    }
    live_foreach(sets, in, block->index, temp) walk->state[temp] = DEAD;
}

void mach_find_kills(struct mach_program *program)
{
    arena_reset(&program->live_arena);
    solve_liveness(program);
    struct walk walk = {.program = program, .state = alloc_array(program, program->num_temps)};
    mach_foreach_block(program, block) visit_block(&walk, block);
    program->max_demand = walk.most;
    program->max_small_demand = walk.most_small;
}
