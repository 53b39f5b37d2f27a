/* Pieces of a joined program (join_build.h): what they look at, and how they end. */
#include "mali/model/sc/code.h"
#include "mali/model/sc/join_area.h"
#include "mali/model/sc/join_build.h"
#include "mali/model/sc/move.h"

/* ---- registers ---- */

static bool is_wide(unsigned op)
{
    const char *name = mali_isa_name(op);
    return strcmp(name + strlen(name) - 2, "64") == 0;
}

void mali_sc_join_note_read(struct joining *j, uint64_t registers)
{
    j->join->preloaded |= (uint32_t)((registers & ~j->written) >> 48);
}

void mali_sc_join_note_written(struct joining *j, const struct mali_isa_inst *inst)
{
    if (mali_isa_has_dst(inst->op))
        j->written |= sc_join_bits(inst->dst, is_wide(inst->op) ? 2 : 1);
    for (unsigned i = 0; i < mali_isa_staging_count(inst->op); i++) {
        if (mali_isa_staging_is_written(inst->op, i))
            j->written |= sc_join_bits(inst->staging[i].reg, inst->staging[i].count);
    }
}

/* Registers that micro-operations look at. */
static void note_uops(struct joining *j, const struct mali_isa_inst *inst)
{
    for (unsigned i = 0; i < mali_isa_source_count(inst->op); i++) {
        if (inst->sources[i].kind == MALI_ISA_SOURCE_REGISTER)
            mali_sc_join_note_read(j, sc_join_bits(inst->sources[i].value, 2));
    }
    if (mali_isa_has_dst(inst->op) && inst->dst_mask != 3)
        mali_sc_join_note_read(j, sc_join_bits(inst->dst, 1));
    for (unsigned i = 0; i < mali_isa_staging_count(inst->op); i++) {
        if (mali_isa_staging_is_read(inst->op, i))
            mali_sc_join_note_read(j, sc_join_bits(inst->staging[i].reg, inst->staging[i].count));
    }
}

void mali_sc_join_note_rows(struct joining *j)
{
    const struct lane_program *program = &j->b->exec.program;
    const uint64_t now = j->written;
    j->written = j->before;
    for (uint32_t i = 0; i < program->count; i++) {
        const uint32_t at_B = program->insts[i].imm - (uint32_t)offsetof(struct mali_warp, rows);
        if (program->insts[i].op == JIT_ROW && at_B < MALI_WARP_REGISTERS * SC_ROW_B)
            mali_sc_join_note_read(j, sc_join_bits(at_B / SC_ROW_B, 1));
    }
    j->written = now;
}

/* ---- segments ---- */

static bool looks_at_lanes(const struct lane_program *program)
{
    bool any = false;
    for (uint32_t i = 0; i < program->count; i++)
        any |= program->insts[i].op == JIT_QUAD || program->insts[i].op == JIT_LANE;
    return any;
}

bool mali_sc_join_end_piece(struct joining *j, const struct sc_uop *first, const struct sc_uop *end)
{
    struct sc_jit_builder *b = j->b;
    struct exec_code *code = mali_sc_code_exec(j->warp->code);
    const bool is_some = j->join->between.is_some >> j->join->variant->count & 1;
    const bool has_inputs = b->inputs.uniform_count || b->inputs.view_count || b->inputs.words_count;
    j->join->is_apart &= first == end && !looks_at_lanes(&b->exec.program);
    if (j->area && !mali_sc_area_add(j->area, code, b, is_some, first != end))
        j->area = NULL;
    return pixel_variant_add(j->join->variant, code, &b->exec.program, &j->frame,
                             has_inputs ? &b->inputs : NULL, sizeof(b->inputs), first, end);
}

bool mali_sc_join_cut(struct joining *j, const struct sc_uop *first, const struct sc_uop *end)
{
    const uint32_t number = j->join->variant->count;
    if (j->tested != JIT_NONE || number >= PIXEL_SEGMENTS)
        return false;
    j->join->between.is_any = true;
    mali_sc_ways_store(&j->ways, &j->join->between, number);
    if (j->has_blend)
        j->join->hooks->pause(j->join->user, &j->b->exec.program);
    mali_sc_join_note_rows(j);
    j->before = j->written;
    if (!mali_sc_join_end_piece(j, first, end))
        return false;
    mali_sc_jit_begin(j->b, j->warp);
    j->b->has_words = true;
    mali_sc_ways_load(&j->ways);
    return true;
}

bool mali_sc_join_uops(struct joining *j, const struct sc_uop *first, const struct sc_uop *end)
{
    struct sc_jit_builder *b = j->b;
    const bool is_plain = !j->join->variant->count && first + 1 == end && mali_sc_ways_are_one(&j->ways);
    j->move = is_plain ? mali_sc_move_begin(b, first) : NULL;
    if (j->move && !mali_sc_move_keep(&j->move->from, mali_sc_code_exec(j->warp->code), b))
        j->move = NULL;
    note_uops(j, first->inst);
    return mali_sc_join_cut(j, first, end);
}

bool mali_sc_join_cut_here(struct joining *j, const struct sc_uop *uop)
{
    j->move = NULL;
    return mali_sc_join_cut(j, uop, uop);
}
