/* Strict mode: registers that a message writes are looked at only after its slot was waited for.
 *
 * A message is on its way from its instruction on until one with .waitN of its slot has been issued, or with .wait.
 * Until then nothing reads the registers that it writes, and nothing writes them; registers that it reads may be
 * written at once, for the hardware takes care of those. The depth and stencil results that ATEST uses come by slot 6.
 * Uniforms beyond those that the launch has are not there. Each lane has its own account, as it has its own way. */
#include "mali/model/sc/strict.h"

#include "util/debug.h"

#define SLOTS 8
#define SLOT_ATEST 0 /* of results of ATEST, which names none */
#define SLOT_TESTS 6

/* An instruction's effects on registers and slots. */
struct facts {
    uint64_t reads, writes; /* registers */
    uint64_t message;       /* of the writes: those that come by `slot` */
    uint8_t slot;
    uint8_t waits;          /* slots */
    uint16_t uniform_count; /* that there must be */
    bool needs_tests;
};

struct sc_strict {
    uint64_t pending[MALI_ROW_LANES][SLOTS]; /* registers */
    uint64_t tested;                         /* lanes that have waited for slot 6 */
};

size_t mali_sc_strict_size_B(void)
{
    return debug_enabled(DEBUG_STRICT) ? sizeof(struct sc_strict) : 0;
}

void mali_sc_strict_begin(struct sc_strict *strict)
{
    memset(strict, 0, sizeof(*strict));
}

/* ---- facts ---- */

static uint64_t registers(unsigned first, unsigned count)
{
    return first < 64 && count ? (count >= 64 ? ~0ull : (1ull << count) - 1) << first : 0;
}

static void take_source(struct facts *facts, const struct mali_isa_inst *inst, unsigned index)
{
    const struct mali_isa_source *source = &inst->sources[index];
    const enum mali_isa_selection selection = mali_isa_source_selection(inst->op, index);
    const bool is_part = selection == MALI_ISA_SELECT_WIDEN64 && source->select != MALI_ISA_WIDEN64_NONE;
    const unsigned count = mali_isa_source_flags(inst->op, index) & MALI_ISA_SOURCE_WIDE && !is_part ? 2 : 1;
    if (source->kind == MALI_ISA_SOURCE_REGISTER)
        facts->reads |= registers(source->value, count);
    else if (source->kind == MALI_ISA_SOURCE_UNIFORM && source->value + count > facts->uniform_count)
        facts->uniform_count = (uint16_t)(source->value + count);
}

static uint8_t waits_of(unsigned flow)
{
    switch (flow) {
    case MALI_ISA_FLOW_WAIT0126:
        return 0x47;
    case MALI_ISA_FLOW_WAIT:
        return 0xff;
    default:
        return flow <= MALI_ISA_FLOW_WAIT012 ? (uint8_t)flow : 0;
    }
}

static bool is_wide_result(unsigned op)
{
    const char *name = mali_isa_name(op);
    return strcmp(name + strlen(name) - 2, "64") == 0;
}

static struct facts facts_of(const struct mali_isa_inst *inst)
{
    struct facts facts = {.waits = waits_of(inst->flow), .slot = inst->field[MALI_ISA_FIELD_SLOT]};
    for (unsigned i = 0; i < mali_isa_source_count(inst->op); i++)
        take_source(&facts, inst, i);
    if (mali_isa_has_dst(inst->op))
        facts.writes = registers(inst->dst, is_wide_result(inst->op) ? 2 : 1);
    for (unsigned i = 0; i < mali_isa_staging_count(inst->op); i++) {
        const struct mali_isa_staging *staging = &inst->staging[i];
        if (mali_isa_staging_is_written(inst->op, i))
            facts.message |= registers(staging->reg, staging->count);
        if (mali_isa_staging_is_read(inst->op, i))
            facts.reads |= registers(staging->reg, staging->count);
    }
    facts.writes |= facts.message;
    facts.needs_tests = inst->op == MALI_ISA_OP_ATEST;
    if (facts.needs_tests)
        facts.slot = SLOT_ATEST;
    return facts;
}

/* ---- at run time ---- */

static void report_registers(struct mali_warp *warp, const struct sc_uop *uop, uint64_t registers, unsigned slot,
                             bool is_read)
{
    mali_sc_fault(warp, uop, MALI_FAULT_STRICT, "r%u is %s before slot %u, by which it comes, was waited for",
                  (unsigned)__builtin_ctzll(registers), is_read ? "read" : "written", slot);
}

static void run_before(struct mali_warp *warp, const struct sc_uop *uop)
{
    const struct facts *facts = (const struct facts *)(const void *)uop->target;
    const uint64_t used = facts->reads | facts->writes;
    sc_foreach_lane(warp->active, i)
    {
        for (unsigned slot = 0; slot < SLOTS; slot++) {
            const uint64_t early = warp->strict->pending[i][slot] & used;
            if (early) {
                report_registers(warp, uop, early & facts->reads ? early & facts->reads : early, slot,
                                 early & facts->reads);
                return;
            }
        }
    }
    if (facts->needs_tests && (warp->active & ~warp->strict->tested))
        mali_sc_fault(warp, uop, MALI_FAULT_STRICT, "ATEST before slot 6 was waited for");
    if (facts->uniform_count > warp->launch->fau_count)
        mali_sc_fault(warp, uop, MALI_FAULT_STRICT, "u%u is read, of %u uniforms", facts->uniform_count - 1u,
                      warp->launch->fau_count);
}

static void run_after(struct mali_warp *warp, const struct sc_uop *uop)
{
    const struct facts *facts = (const struct facts *)(const void *)uop->target;
    sc_foreach_lane(warp->active, i)
    {
        warp->strict->pending[i][facts->slot] |= facts->message;
        for (unsigned slot = 0; slot < SLOTS; slot++) {
            if (facts->waits >> slot & 1)
                warp->strict->pending[i][slot] = 0;
        }
    }
    if (facts->waits >> SLOT_TESTS & 1)
        warp->strict->tested |= warp->active;
}

bool mali_sc_strict_before(struct sc_builder *builder)
{
    struct facts *facts = mali_sc_code_alloc(builder, sizeof(*facts));
    if (!facts)
        return false;
    *facts = facts_of(builder->inst);
    builder->facts = facts;
    mali_sc_build(builder, run_before)->target = (const struct sc_uop *)(const void *)facts;
    return true;
}

void mali_sc_strict_after(struct sc_builder *builder)
{
    mali_sc_build(builder, run_after)->target = (const struct sc_uop *)builder->facts;
}
