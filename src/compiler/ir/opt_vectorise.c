/* Loads side by side become one load of a vector, stores likewise.
 *
 * Within a block, accesses of one kind of memory with the same handle and offset differ by their `base` alone. A load
 * moves up to the first of its group and a store down to the last, so a group ends where something between could touch
 * what it touches: any write of the same memory for loads, any access of it for stores. Different handles do not mean
 * different memory: two descriptors may name one buffer. */
#include <string.h>

#include "compiler/ir/ir_builder.h"
#include "compiler/ir/opt.h"
#include "compiler/ir/target.h"

enum {
    MAX_GROUP = 64,
    MAX_GROUPS = 32
};

struct group {
    struct ir_instr *members[MAX_GROUP]; /* in program order */
    uint32_t count;
    uint16_t touches;
    bool is_store;
};

static bool is_candidate(const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_load_ubo:
    case IR_OP_load_ssbo:
    case IR_OP_load_shared:
    case IR_OP_load_scratch:
    case IR_OP_load_push:
    case IR_OP_load_payload:
    case IR_OP_store_ssbo:
    case IR_OP_store_shared:
    case IR_OP_store_scratch:
        break;
    default:
        return false;
    }
    return !ir_has_imm(instr, IR_IMM_ACCESS) ||
           !(ir_imm(instr, IR_IMM_ACCESS) & (IR_ACCESS_VOLATILE | IR_ACCESS_COHERENT));
}

static bool is_store(const struct ir_instr *instr)
{
    return !instr->def.bits;
}

static const struct ir_value *data_of(const struct ir_instr *instr)
{
    return is_store(instr) ? ir_src(instr, 0) : &instr->def;
}

static uint32_t size_B(const struct ir_instr *instr)
{
    return data_of(instr)->bits / 8u * data_of(instr)->comps;
}

/* All but `base` and where it is aligned. */
static bool same_place(const struct ir_instr *a, const struct ir_instr *b)
{
    if (a->op != b->op || data_of(a)->bits != data_of(b)->bits || a->flags != b->flags ||
        (ir_has_imm(a, IR_IMM_ACCESS) && ir_imm(a, IR_IMM_ACCESS) != ir_imm(b, IR_IMM_ACCESS)))
        return false;
    for (uint32_t i = is_store(a); i < a->num_srcs; i++) {
        const struct ir_value *x = ir_src(a, i), *y = ir_src(b, i);
        if (x != y && !(ir_is_const(x) && ir_is_const(y) && x->bits == y->bits && ir_const_u64(x) == ir_const_u64(y)))
            return false;
    }
    return true;
}

static uint32_t base_of(const struct ir_instr *instr)
{
    return ir_imm(instr, IR_IMM_BASE);
}

static void sort_by_base(struct ir_instr **members, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct ir_instr *one = members[i];
        uint32_t at = i;
        for (; at && base_of(members[at - 1]) > base_of(one); at--)
            members[at] = members[at - 1];
        members[at] = one;
    }
}

/* The place of the first of a run is known of the run. */
static void copy_place(struct ir_instr *to, const struct ir_instr *first)
{
    memcpy(to->imm, first->imm, sizeof(to->imm));
    to->flags = first->flags;
}

static void merge_loads(struct ir_shader *shader, struct ir_instr **run, uint32_t count, struct ir_instr *earliest)
{
    uint8_t comps = 0, bits = run[0]->def.bits;
    for (uint32_t i = 0; i < count; i++)
        comps += run[i]->def.comps;
    struct ir_builder b = ir_builder_before(shader, earliest);
    struct ir_value *srcs[4];
    for (uint32_t i = 0; i < run[0]->num_srcs; i++)
        srcs[i] = ir_src(earliest, i);
    struct ir_instr *load = ir_build(&b, (enum ir_op)run[0]->op, bits, comps, run[0]->num_srcs, srcs, 0, NULL, NULL);
    copy_place(load, run[0]);
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct ir_value *parts[IR_MAX_COMPS];
        for (uint32_t c = 0; c < run[i]->def.comps; c++)
            parts[c] = ir_extract(&b, &load->def, at++);
        ir_replace_uses(&run[i]->def, ir_vec(&b, run[i]->def.comps, parts));
    }
    for (uint32_t i = 0; i < count; i++)
        ir_remove(run[i]);
}

static void merge_stores(struct ir_shader *shader, struct ir_instr **run, uint32_t count, struct ir_instr *latest)
{
    struct ir_builder b = ir_builder_after(shader, latest);
    struct ir_value *parts[IR_MAX_COMPS], *srcs[4];
    uint32_t comps = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < ir_src(run[i], 0)->comps; c++)
            parts[comps++] = ir_extract(&b, ir_src(run[i], 0), c);
    srcs[0] = ir_vec(&b, comps, parts);
    for (uint32_t i = 1; i < run[0]->num_srcs; i++)
        srcs[i] = ir_src(latest, i);
    struct ir_instr *store = ir_build(&b, (enum ir_op)run[0]->op, 0, 0, run[0]->num_srcs, srcs, 0, NULL, NULL);
    copy_place(store, run[0]);
    for (uint32_t i = 0; i < count; i++)
        ir_remove(run[i]);
}

/* Two stores to one byte must keep their order: then the group stays as it is. */
static bool stores_overlap(struct ir_instr *const *sorted, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (base_of(sorted[i]) < base_of(sorted[i - 1]) + size_B(sorted[i - 1]))
            return true;
    return false;
}

static bool close_group(struct ir_shader *shader, struct group *group)
{
    bool progress = false;
    uint32_t count = group->count;
    group->count = 0;
    if (count < 2)
        return false;
    struct ir_instr *sorted[MAX_GROUP];
    memcpy(sorted, group->members, count * sizeof(*sorted));
    sort_by_base(sorted, count);
    if (group->is_store && stores_overlap(sorted, count))
        return false;
    for (uint32_t first = 0; first < count;) {
        uint32_t end = first + 1, bytes = size_B(sorted[first]);
        while (end < count && base_of(sorted[end]) == base_of(sorted[end - 1]) + size_B(sorted[end - 1]) &&
               bytes + size_B(sorted[end]) <= shader->target->access_B)
            bytes += size_B(sorted[end++]);
        /* Three dwords have an instruction; three halves or five bytes have not. */
        while (end > first + 1 && bytes % 4 && bytes != 2)
            bytes -= size_B(sorted[--end]);
        if (end > first + 1) {
            /* The members stand in program order: the run's outermost one is found there. */
            struct ir_instr *earliest = NULL, *latest = NULL;
            for (uint32_t i = 0; i < count; i++)
                for (uint32_t r = first; r < end; r++)
                    if (group->members[i] == sorted[r]) {
                        earliest = earliest ? earliest : group->members[i];
                        latest = group->members[i];
                    }
            if (group->is_store)
                merge_stores(shader, sorted + first, end - first, latest);
            else
                merge_loads(shader, sorted + first, end - first, earliest);
            progress = true;
        }
        first = end;
    }
    return progress;
}

struct state {
    struct group groups[MAX_GROUPS];
    uint32_t count;
};

/* The effects of `instr` end the groups that could tell the difference. */
static bool end_groups(struct ir_shader *shader, struct state *state, const struct ir_instr *instr,
                       const struct group *except)
{
    const struct ir_op_info *info = ir_info(instr);
    bool progress = false;
    for (uint32_t i = 0; i < state->count; i++) {
        struct group *group = &state->groups[i];
        if (group == except)
            continue;
        uint16_t conflict = group->is_store ? info->reads | info->writes : info->writes;
        if (conflict & group->touches)
            progress |= close_group(shader, group);
    }
    return progress;
}

static bool run_block(struct ir_shader *shader, struct ir_block *block, struct state *state)
{
    bool progress = false;
    state->count = 0;
    ir_foreach_instr (block, instr) {
        struct group *home = NULL;
        if (is_candidate(instr)) {
            for (uint32_t i = 0; i < state->count && !home; i++) {
                struct group *group = &state->groups[i];
                if (group->count && group->count < MAX_GROUP && same_place(group->members[0], instr))
                    home = group;
            }
        }
        progress |= end_groups(shader, state, instr, home);
        /* Demote ends what lanes may write; a barrier is a write of everything it orders. */
        if (instr->op == IR_OP_demote)
            for (uint32_t i = 0; i < state->count; i++)
                if (state->groups[i].is_store)
                    progress |= close_group(shader, &state->groups[i]);
        if (!is_candidate(instr))
            continue;
        if (!home) {
            uint32_t at = 0;
            while (at < state->count && state->groups[at].count)
                at++;
            if (at == MAX_GROUPS) {
                progress |= close_group(shader, &state->groups[at = 0]);
            } else if (at == state->count) {
                state->count++;
            }
            home = &state->groups[at];
            *home =
                (struct group){.touches = ir_info(instr)->reads | ir_info(instr)->writes, .is_store = is_store(instr)};
        }
        home->members[home->count++] = instr;
    }
    for (uint32_t i = 0; i < state->count; i++)
        progress |= close_group(shader, &state->groups[i]);
    return progress;
}

bool opt_vectorise(struct ir_shader *shader, const void *options)
{
    bool progress = false;
    struct state *state = ir_alloc_scratch(shader, sizeof(*state));
    ir_foreach_block (shader, block)
        progress |= run_block(shader, block, state);
    return progress;
}
