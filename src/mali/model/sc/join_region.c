/* See join_region.h. */
#include "mali/model/sc/join_region.h"

#include <string.h>

#include "mali/isa/isa.h"

#define MOST_INSTRUCTIONS 1024
#define LEAST_COST 48 /* of code that is left out, in instructions */
#define COST_OF_MESSAGE 8

struct text {
    uint64_t begin_pc;
    uint32_t count;
    struct mali_isa_inst insts[MOST_INSTRUCTIONS];
};

static uint64_t target_of(const struct text *text, uint32_t n)
{
    return text->begin_pc + 8 * (n + 1ull) + (uint64_t)((int64_t)(int32_t)text->insts[n].number[0] * 8);
}

static bool is_branch(const struct mali_isa_inst *inst)
{
    return inst->op == MALI_ISA_OP_BRANCHZ || (inst->op == MALI_ISA_OP_BLEND && inst->flow != MALI_ISA_FLOW_END);
}

static bool is_always(const struct mali_isa_inst *inst)
{
    return inst->op == MALI_ISA_OP_BRANCHZ && inst->sources[0].kind == MALI_ISA_SOURCE_CONSTANT &&
           inst->sources[0].value == 0 && inst->field[MALI_ISA_FIELD_EQ];
}

/* Up to an end that no branch leads over. */
static bool read_text(const struct mali_warp *warp, struct text *text)
{
    uint64_t furthest = 0;
    text->begin_pc = warp->launch->code_va;
    for (uint32_t n = 0; n < MOST_INSTRUCTIONS; n++) {
        const uint64_t pc = text->begin_pc + 8ull * n;
        uint64_t word;
        if (!gpu_mem_read64(warp->memory, pc, &word) || mali_isa_decode(word, &text->insts[n]) != 0)
            return false;
        text->count = n + 1;
        if (is_branch(&text->insts[n]) && target_of(text, n) > furthest)
            furthest = target_of(text, n);
        if (text->insts[n].flow == MALI_ISA_FLOW_END && pc >= furthest)
            return true;
    }
    return false;
}

struct sc_join_region *mali_sc_join_loop_at(struct sc_join_regions *regions, uint64_t pc)
{
    for (uint32_t i = 0; i < regions->count; i++) {
        if (regions->regions[i].is_loop && regions->regions[i].begin_pc == pc)
            return &regions->regions[i];
    }
    return NULL;
}

struct sc_join_region *mali_sc_join_region_first(struct sc_join_regions *regions, uint64_t pc)
{
    struct sc_join_region *found = NULL;
    for (uint32_t i = 0; i < regions->count; i++) {
        struct sc_join_region *region = &regions->regions[i];
        if (region->first_pc == pc && !region->is_open &&
            (!found || region->begin_pc < found->begin_pc || region->end_pc > found->end_pc))
            found = region;
    }
    return found;
}

struct sc_join_region *mali_sc_join_region_ended(struct sc_join_regions *regions, uint64_t pc)
{
    struct sc_join_region *found = NULL;
    for (uint32_t i = 0; i < regions->count; i++) {
        struct sc_join_region *region = &regions->regions[i];
        if (!region->is_loop && region->is_open && !region->is_closed && region->end_pc <= pc &&
            (!found || region->piece > found->piece))
            found = region;
    }
    return found;
}

/* ---- finding ---- */

static struct sc_join_region *add_region(struct sc_join_regions *regions, uint64_t begin_pc)
{
    if (regions->count == SC_JOIN_REGIONS)
        return NULL;
    struct sc_join_region *region = &regions->regions[regions->count++];
    memset(region, 0, sizeof(*region));
    region->begin_pc = region->first_pc = begin_pc;
    return region;
}

static bool find_loops(const struct text *text, struct sc_join_regions *regions)
{
    for (uint32_t n = 0; n < text->count; n++) {
        const uint64_t pc = text->begin_pc + 8ull * n;
        if (!is_branch(&text->insts[n]) || target_of(text, n) > pc)
            continue;
        struct sc_join_region *loop = mali_sc_join_loop_at(regions, target_of(text, n));
        if (!loop && target_of(text, n) >= text->begin_pc)
            loop = add_region(regions, target_of(text, n));
        if (!loop)
            return false;
        loop->is_loop = loop->is_plain = true;
        loop->end_pc = pc;
        loop->is_always = is_always(&text->insts[n]);
    }
    return true;
}

static bool add_exit(struct sc_join_region *region, uint64_t pc)
{
    for (uint32_t i = 0; i < region->exit_count; i++) {
        if (region->exits[i] == pc)
            return true;
    }
    if (region->exit_count == EXEC_PATHS_MAX)
        return false;
    region->exits[region->exit_count++] = pc;
    return true;
}

static uint64_t end_of(const struct sc_join_region *region)
{
    return region->is_loop ? region->end_pc + 8 : region->end_pc;
}

/* Where a branch leads out; one to the beginning of a loop around waits for that one's last. */
static bool look_at_branch(struct sc_join_regions *regions, struct sc_join_region *region, uint64_t pc, uint64_t target)
{
    const struct sc_join_region *loop = target <= pc ? mali_sc_join_loop_at(regions, target) : NULL;
    if (target <= pc && !loop)
        return false;
    if (loop && target < region->begin_pc)
        target = loop->end_pc;
    return target < end_of(region) ? target >= region->begin_pc : add_exit(region, target);
}

static void look_at_registers(struct sc_join_region *region, const struct mali_isa_inst *inst)
{
    if (mali_isa_has_dst(inst->op))
        region->written |= 3ull << inst->dst;
    for (unsigned i = 0; i < mali_isa_staging_count(inst->op); i++) {
        if (mali_isa_staging_is_written(inst->op, i))
            region->written |= (((uint64_t)1 << inst->staging[i].count) - 1) << inst->staging[i].reg;
    }
}

/* Whether the loops that are host code by themselves have it: no branch but those that leave or go back, and of
 * messages loads of memory alone. */
static bool is_plain(const struct text *text, const struct sc_join_region *loop, uint32_t n)
{
    const struct mali_isa_inst *inst = &text->insts[n];
    const char *name = mali_isa_name(inst->op);
    if (inst->op == MALI_ISA_OP_BRANCHZ) {
        const uint64_t target = target_of(text, n);
        return target == loop->begin_pc || target > loop->end_pc || target == text->begin_pc + 8 * (n + 1ull);
    }
    if (mali_isa_staging_count(inst->op))
        return strncmp(name, "LD_BUFFER", 9) == 0 || strncmp(name, "LOAD", 4) == 0;
    return inst->op != MALI_ISA_OP_WMASK && strncmp(name, "CLPER", 5) != 0 && inst->op != MALI_ISA_OP_DISCARD_F32;
}

static bool look_inside(const struct text *text, struct sc_join_regions *regions, struct sc_join_region *region)
{
    const uint32_t first = (uint32_t)(region->begin_pc - text->begin_pc) / 8,
                   end = (uint32_t)(end_of(region) - text->begin_pc) / 8;
    while (text->insts[(region->first_pc - text->begin_pc) / 8].op == MALI_ISA_OP_NOP)
        region->first_pc += 8;
    for (uint32_t n = first; n < end; n++) {
        const struct mali_isa_inst *inst = &text->insts[n];
        if (inst->op == MALI_ISA_OP_BLEND || inst->flow == MALI_ISA_FLOW_END)
            return false;
        region->ends_helpers |= inst->flow == MALI_ISA_FLOW_DISCARD;
        region->has_kill |= inst->op == MALI_ISA_OP_DISCARD_F32;
        region->is_plain &= is_plain(text, region, n);
        look_at_registers(region, inst);
        if (is_branch(inst) && !look_at_branch(regions, region, text->begin_pc + 8ull * n, target_of(text, n)))
            return false;
    }
    return ((region->is_loop && region->is_always) || add_exit(region, end_of(region))) && region->exit_count;
}

/* Instructions that run as micro-operations between pieces, for one. */
static uint32_t cost_of(const struct mali_isa_inst *inst)
{
    return mali_isa_staging_count(inst->op) ? COST_OF_MESSAGE : 1;
}

/* Branches over code that is long enough to be looked after: storing registers before it costs time, too. */
static void find_skipped(const struct text *text, struct sc_join_regions *regions)
{
    for (uint32_t n = 0; n < text->count; n++) {
        const uint64_t begin_pc = text->begin_pc + 8ull * (n + 1), target = target_of(text, n);
        uint32_t cost = 0;
        if (text->insts[n].op != MALI_ISA_OP_BRANCHZ || is_always(&text->insts[n]) || target <= begin_pc)
            continue;
        for (uint64_t pc = begin_pc; pc < target; pc += 8) {
            cost += cost_of(&text->insts[(pc - text->begin_pc) / 8]);
            cost += mali_sc_join_loop_at(regions, pc) ? LEAST_COST : 0;
        }
        struct sc_join_region *region = cost >= LEAST_COST ? add_region(regions, begin_pc) : NULL;
        if (!region)
            continue;
        region->end_pc = target;
        if (!look_inside(text, regions, region))
            regions->count--;
    }
}

void mali_sc_join_find_regions(const struct mali_warp *warp, struct sc_join_regions *regions)
{
    struct text text;
    regions->count = 0;
    bool is_good = read_text(warp, &text) && find_loops(&text, regions);
    for (uint32_t i = 0; i < regions->count && is_good; i++)
        is_good = look_inside(&text, regions, &regions->regions[i]);
    if (is_good)
        find_skipped(&text, regions);
    else
        regions->count = 0;
}
