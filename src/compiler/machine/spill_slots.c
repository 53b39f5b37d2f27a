/* Slots in private memory, a dword for a component. Values that live one after the other in program order share one, so
 * that private memory grows by what is alive at once and not by the length of a program. */
#include <stdlib.h>
#include <string.h>

#include "compiler/machine/spill.h"
#include "util/bits.h"

/* The time of a place, in instructions of program order: from its first write to its last read. */
struct span {
    uint32_t first, last;
    uint32_t comps;
};

struct slots {
    const struct spill *spill;
    const uint32_t *place;
    struct span *spans; /* by place */
    uint32_t *end;      /* by block: behind its last instruction */
    uint32_t now;
};

static void extend_span(struct slots *s, mach_temp temp, uint32_t at)
{
    if (!spill_is_in_memory(s->spill, temp))
        return;
    struct span *span = &s->spans[s->place[temp]];
    span->first = span->comps ? MIN2(span->first, at) : at;
    span->last = span->comps ? MAX2(span->last, at) : at;
    span->comps = s->spill->program->temps[temp].class.comps;
}

static void visit_instr(struct slots *s, const struct mach_instr *instr)
{
    const bool is_phi = instr->op == MACH_P_PHI;
    s->now++;
    for (unsigned i = 0; i < instr->num_operands && !is_phi; i++) {
        if (instr->operands[i].kind == MACH_TEMP)
            extend_span(s, instr->operands[i].temp, s->now);
    }
    for (unsigned i = 0; i < instr->num_defs; i++)
        extend_span(s, instr->defs[i].temp, s->now);
}

static void measure_spans(struct slots *s)
{
    const struct mach_program *program = s->spill->program;
    mach_foreach_block(program, block)
    {
        s->now++;
        live_foreach(&program->live, in, block->index, temp) extend_span(s, temp, s->now);
        mach_foreach_instr(block, instr) visit_instr(s, instr);
        s->end[block->index] = ++s->now;
        live_foreach(&program->live, out, block->index, temp) extend_span(s, temp, s->now);
    }
    mach_foreach_block(program, block) /* phis are written at the ends of the predecessors */
    {
        mach_foreach_instr(block, phi)
        {
            if (phi->op != MACH_P_PHI)
                break;
            for (uint32_t i = 0; i < block->num_preds; i++)
                extend_span(s, phi->defs[0].temp, s->end[block->preds[i]]);
        }
    }
}

/* ---- the order of beginnings and ends ---- */

struct event {
    uint32_t at, place;
};

static int compare_events(const void *a, const void *b)
{
    const struct event *left = a, *right = b;
    if (left->at != right->at)
        return left->at < right->at ? -1 : 1;
    return left->place < right->place ? -1 : left->place > right->place;
}

static uint32_t new_slot(struct mach_program *program, uint32_t comps)
{
    const uint32_t slot = program->spilled_B / 4;
    program->spilled_B += 4 * comps;
    return slot;
}

void mach_spill_assign_slots(const struct spill *spill, const uint32_t *place, uint32_t num_places, uint32_t *slot_out)
{
    struct mach_program *program = spill->program;
    struct slots s = {.spill = spill, .place = place};
    s.spans = mach_alloc(program, num_places * sizeof(*s.spans));
    s.end = mach_alloc(program, program->num_blocks * sizeof(*s.end));
    measure_spans(&s);
    uint32_t count = 0;
    struct event *begins = mach_alloc(program, num_places * sizeof(*begins));
    struct event *ends = mach_alloc(program, num_places * sizeof(*ends));
    for (uint32_t i = 0; i < num_places; i++) {
        if (!s.spans[i].comps)
            continue;
        begins[count] = (struct event){s.spans[i].first, i};
        ends[count++] = (struct event){s.spans[i].last, i};
    }
    qsort(begins, count, sizeof(*begins), compare_events);
    qsort(ends, count, sizeof(*ends), compare_events);
    /* By size: places whose slots are free again, + 1, linked by `next`. */
    uint32_t free[UINT8_MAX + 1] = {0}, *next = mach_alloc(program, num_places * sizeof(*next));
    for (uint32_t i = 0, ended = 0; i < count; i++) {
        for (; ends[ended].at < begins[i].at; ended++) {
            const uint32_t old = ends[ended].place;
            next[old] = free[s.spans[old].comps];
            free[s.spans[old].comps] = old + 1;
        }
        const uint32_t new = begins[i].place, comps = s.spans[new].comps, before = free[comps];
        slot_out[new] = before ? slot_out[before - 1] : new_slot(program, comps);
        free[comps] = before ? next[before - 1] : 0;
    }
}
