/* Liveness: kill flags, live sets at block borders and the register demand of each block. See liveness.h.
 *
 * A phi's operand is read at the end of the predecessor, its result is written at the start of its block. */
#include <string.h>

#include "amd/compiler/liveness.h"
#include "compiler/ir/ir.h"
#include "util/bits.h"

/* Everything here lives until the next analysis. */
static void *alloc(struct mir_program *program, size_t size_B)
{
    void *memory = arena_zalloc(&program->live_arena, size_B ? size_B : 1);
    if (!memory) {
        program->failure->out_of_memory = true;
        amd_mir_fail(program, "out of memory");
    }
    return memory;
}

/* The graph that a temporary lives in. */
static bool is_linear(const struct mir_program *program, mir_temp temp)
{
    struct mir_class class = program->temps[temp].class;
    return !class.vector || class.linear;
}

/* Give a number to everything that is read outside of the block that writes it, or by a phi. */
static void number_globals(struct mir_program *program, struct mir_live *live)
{
    uint32_t *home = alloc(program, program->num_temps * sizeof(*home));
    live->number_of = alloc(program, program->num_temps * sizeof(*live->number_of));
    live->temp_of = alloc(program, program->num_temps * sizeof(*live->temp_of));
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
    live->set_words = (uint32_t)div_round_up(live->num_global, 64);
}

static void set_bit(uint64_t *set, uint32_t number)
{
    set[number / 64] |= 1ull << (number % 64);
}

/* Upward-exposed uses and definitions of a block. */
static void find_local(const struct mir_program *program, const struct mir_live *live, uint64_t *uses, uint64_t *defs,
                       struct mir_block *block)
{
    (void)program;
    mir_foreach_instr(block, instr)
    {
        for (unsigned i = 0; !mir_is_phi(instr) && i < instr->num_operands; i++) {
            const struct mir_operand *operand = &instr->operands[i];
            uint32_t number = operand->kind == MIR_TEMP ? live->number_of[operand->temp] : 0;
            if (number && !mir_live_has(defs, number - 1))
                set_bit(uses, number - 1);
        }
        for (unsigned i = 0; i < instr->num_defs; i++) {
            uint32_t number = live->number_of[instr->defs[i].temp];
            if (instr->defs[i].temp && number)
                set_bit(defs, number - 1);
        }
    }
}

/* out(block) grows by in(successor), along the graph of each temporary; true when it did. */
static bool merge_successor(const struct mir_live *live, const uint64_t *graph, uint64_t *out, uint32_t successor)
{
    const uint64_t *in = mir_live_in(live, successor);
    bool changed = false;
    for (uint32_t w = 0; w < live->set_words; w++) {
        uint64_t more = in[w] & graph[w] & ~out[w];
        out[w] |= more;
        changed |= more != 0;
    }
    return changed;
}

static void merge_phis(const struct mir_program *program, const struct mir_live *live)
{
    mir_foreach_block(program, block)
    {
        mir_foreach_instr(block, instr)
        {
            if (!mir_is_phi(instr))
                break;
            const uint32_t *preds = instr->op == MIR_P_PHI ? block->logical_preds : block->linear_preds;
            for (unsigned i = 0; i < instr->num_operands; i++) {
                if (instr->operands[i].kind == MIR_TEMP)
                    set_bit(mir_live_out(live, preds[i]), live->number_of[instr->operands[i].temp] - 1);
            }
        }
    }
}

/* What was written on some way to a block's end. The linear graph has ways on which a value is read and was never
 * written, because its lanes were not there: it needs no register before it exists. */
static uint64_t *find_written(struct mir_program *program, const struct mir_live *live, const uint64_t *defs,
                              const uint64_t *linear, const uint64_t *logical)
{
    uint64_t *written = alloc(program, program->num_blocks * live->set_words * sizeof(uint64_t));
    bool changed = true;
    if (live->set_words == 0)
        return written;
    memcpy(written, defs, program->num_blocks * live->set_words * sizeof(uint64_t));
    while (changed) {
        changed = false;
        mir_foreach_block(program, block)
        {
            uint64_t *out = written + (size_t)block->index * live->set_words;
            for (unsigned graph = 0; graph < 2; graph++) {
                const uint32_t *preds = graph ? block->logical_preds : block->linear_preds;
                unsigned count = graph ? block->num_logical_preds : block->num_linear_preds;
                const uint64_t *mask = graph ? logical : linear;
                for (unsigned i = 0; i < count; i++) {
                    const uint64_t *from = written + (size_t)preds[i] * live->set_words;
                    for (uint32_t w = 0; w < live->set_words; w++) {
                        uint64_t more = from[w] & mask[w] & ~out[w];
                        out[w] |= more;
                        changed |= more != 0;
                    }
                }
            }
        }
    }
    return written;
}

static void restrict_to_written(struct mir_program *program, struct mir_live *live, const uint64_t *defs,
                                const uint64_t *linear, const uint64_t *logical)
{
    const uint64_t *written = find_written(program, live, defs, linear, logical);
    mir_foreach_block(program, block)
    {
        uint64_t *in = mir_live_in(live, block->index), *out = mir_live_out(live, block->index);
        for (uint32_t w = 0; w < live->set_words; w++) {
            uint64_t before = 0;
            for (unsigned i = 0; i < block->num_linear_preds; i++)
                before |= written[(size_t)block->linear_preds[i] * live->set_words + w] & linear[w];
            for (unsigned i = 0; i < block->num_logical_preds; i++)
                before |= written[(size_t)block->logical_preds[i] * live->set_words + w] & logical[w];
            in[w] &= before;
            out[w] &= written[(size_t)block->index * live->set_words + w];
        }
    }
}

static void solve(struct mir_program *program, struct mir_live *live)
{
    size_t set_B = live->set_words * sizeof(uint64_t);
    uint64_t *uses = alloc(program, program->num_blocks * set_B), *defs = alloc(program, program->num_blocks * set_B);
    uint64_t *linear = alloc(program, set_B), *logical = alloc(program, set_B);
    live->in = alloc(program, program->num_blocks * set_B);
    live->out = alloc(program, program->num_blocks * set_B);
    for (uint32_t i = 0; i < live->num_global; i++)
        set_bit(is_linear(program, live->temp_of[i]) ? linear : logical, i);
    mir_foreach_block(program, block) find_local(program, live, uses + (size_t)block->index * live->set_words,
                                                 defs + (size_t)block->index * live->set_words, block);
    merge_phis(program, live);
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t b = program->num_blocks; b-- > 0;) {
            const struct mir_block *block = &program->blocks[b];
            uint64_t *in = mir_live_in(live, b), *out = mir_live_out(live, b);
            for (unsigned i = 0; i < block->num_linear_succs; i++)
                changed |= merge_successor(live, linear, out, block->linear_succs[i]);
            for (unsigned i = 0; i < block->num_logical_succs; i++)
                changed |= merge_successor(live, logical, out, block->logical_succs[i]);
            for (uint32_t w = 0; w < live->set_words; w++) {
                size_t at = (size_t)b * live->set_words + w;
                uint64_t now = uses[at] | (out[w] & ~defs[at]);
                changed |= now != in[w];
                in[w] = now;
            }
        }
    }
    restrict_to_written(program, live, defs, linear, logical);
}

/* ---- kill flags and demand ---- */

struct walk {
    struct mir_program *program;
    const struct mir_live *live;
    uint8_t *alive; /* by temporary */
    unsigned sgprs, vgprs;
    unsigned max_sgprs, max_vgprs;
};

static void count(struct walk *walk, mir_temp temp, int sign)
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

static void visit(struct walk *walk, struct mir_instr *instr)
{
    /* A result that nobody reads still needs its registers while it is written. */
    for (unsigned i = 0; i < instr->num_defs; i++) {
        struct mir_def *def = &instr->defs[i];
        def->dead = def->temp && !walk->alive[def->temp];
        if (def->dead)
            count(walk, def->temp, 1);
    }
    note_demand(walk);
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp)
            count(walk, instr->defs[i].temp, -1);
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
            walk->alive[operand->temp] = 2; /* alive before, not behind */
            count(walk, operand->temp, 1);
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
    const uint64_t *out = mir_live_out(live, block->index);
    walk->sgprs = walk->vgprs = walk->max_sgprs = walk->max_vgprs = 0;
    for (uint32_t w = 0; w < live->set_words; w++) {
        bits_foreach (out[w], bit) {
            walk->alive[live->temp_of[w * 64 + bit]] = 1;
            count(walk, live->temp_of[w * 64 + bit], 1);
        }
    }
    note_demand(walk);
    struct list *link = block->instrs.prev;
    while (link != &block->instrs) {
        struct mir_instr *instr = container_of(link, struct mir_instr, link);
        link = link->prev;
        visit(walk, instr);
    }
    /* What is still alive is what the next block must not find. */
    mir_foreach_instr(block, instr)
    {
        for (unsigned i = 0; i < instr->num_operands; i++) {
            if (instr->operands[i].kind == MIR_TEMP)
                walk->alive[instr->operands[i].temp] = 0;
        }
    }
    for (uint32_t w = 0; w < live->set_words; w++) {
        bits_foreach (out[w], bit)
            walk->alive[live->temp_of[w * 64 + bit]] = 0;
    }
    block->max_sgprs = (uint16_t)walk->max_sgprs;
    block->max_vgprs = (uint16_t)walk->max_vgprs;
}

void amd_mir_liveness(struct mir_program *program)
{
    arena_reset(&program->live_arena);
    struct mir_live *live = alloc(program, sizeof(*live));
    number_globals(program, live);
    solve(program, live);
    struct walk walk = {.program = program, .live = live};
    walk.alive = alloc(program, program->num_temps);
    mir_foreach_block(program, block) visit_block(&walk, block);
    program->live = live;
}
