/* Which VGPRs a program still names: what a loop leaves in the others need not be stored. Every instruction that can
 * come is looked at, on all ways; one that goes where this does not follow, or names registers by a number that only
 * the wave knows, looks at everything. */
#include "amd/model/sq/sq_control.h"
#include "amd/model/sq/sq_loop.h"

#define MOST_BLOCKS 64

struct search {
    struct sq_live live;
    uint64_t vas[MOST_BLOCKS]; /* of blocks that were found; those from `done` on are to be looked at */
    uint32_t count, done;
    bool failed;
};

static void add_block(struct search *search, uint64_t va)
{
    for (uint32_t i = 0; i < search->count; i++) {
        if (search->vas[i] == va)
            return;
    }
    if (search->count == MOST_BLOCKS)
        search->failed = true;
    else
        search->vas[search->count++] = va;
}

static void add_registers(struct search *search, unsigned first, unsigned count)
{
    for (unsigned v = first; v < first + count && v < 256; v++)
        search->live.rows[v / 64] |= 1ull << v % 64;
}

/* An image instruction's operands are as many as its other fields say: more than enough of them. */
static void add_instruction(struct search *search, const struct isa_inst *inst)
{
    const struct isa_op_info *info = isa_info(inst->op);
    const bool is_image = info->format == ISA_FORMAT_MIMG;
    for (unsigned i = 0; i < info->operand_count; i++) {
        const struct isa_operand *operand = &inst->operands[i];
        if (operand->kind == ISA_OPERAND_VGPR)
            add_registers(search, operand->value, is_image ? 16 : operand->count > 1 ? operand->count : 1);
    }
    for (unsigned i = 0; is_image && i < ISA_MAX_NSA; i++)
        add_registers(search, inst->mem.nsa_addr[i], 1);
    const bool is_alu = info->format >= ISA_FORMAT_VOP1 && info->format <= ISA_FORMAT_VOP3P;
    search->failed |= is_alu && info->reads & ISA_STATE_M0; /* registers relative to it */
}

static void look_at_block(struct search *search, const struct sq_uop *uop)
{
    for (;; uop++) {
        const struct sq_uop *at = amd_sq_loop_original(uop);
        if (at->inst)
            add_instruction(search, at->inst);
        switch (amd_sq_control_flow(at)) {
        case SQ_FLOW_NONE:
            break;
        case SQ_FLOW_SCC0:
        case SQ_FLOW_SCC1:
        case SQ_FLOW_LANES:
            add_block(search, uop[1].target_va);
            /* fall through */
        case SQ_FLOW_ALWAYS:
            add_block(search, at->target_va);
            return;
        case SQ_FLOW_ELSEWHERE:
            search->failed = true;
            return;
        case SQ_FLOW_END:
            return;
        }
    }
}

struct sq_live amd_sq_loop_live(struct sq_wave *wave, const uint64_t *vas, uint32_t count)
{
    struct search search = {0};
    for (uint32_t i = 0; i < count; i++)
        add_block(&search, vas[i]);
    while (search.done < search.count && !search.failed) {
        const struct sq_uop *uops = amd_sq_code_enter(wave, search.vas[search.done++]);
        if (uops)
            look_at_block(&search, uops);
        else
            search.failed = true;
    }
    if (search.failed)
        memset(&search.live, 0xff, sizeof(search.live));
    return search.live;
}
