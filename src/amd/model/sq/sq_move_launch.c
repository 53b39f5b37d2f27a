/* See sq_move_launch.h. */
#include "amd/model/sq/sq_move_launch.h"

#include <string.h>

#include "amd/model/sq/sq_mode.h"
#include "amd/model/sq/sq_move_numbers.h"
#include "amd/model/sq/sq_move_plan.h"
#include "model/memory.h"
#include "model/stat.h"

/* A side of all copies, of the workgroup that the launch began with. */
struct first {
    uint64_t va; /* of offset 0 in its first copy */
    uint64_t number;
    uint32_t xor ;
};

struct sq_move_launch {
    struct sq_move *move;
    struct sq_wave *wave;
    bool is_good; /* the numbers are known */
    struct first from, to;
    uint32_t slots[SQ_NUMBERS_SLOTS];
    uint32_t count; /* of workgroups to be done */
    struct sq_plan_place places[SQ_MOVES_WAVES];
    struct sq_move_numbers numbers;
    struct sq_move_plan plan;
};

/* ---- numbers ---- */

static uint32_t *register_of(struct sq_wave *wave, unsigned reg)
{
    return reg == SQ_REGISTER_SCC ? &wave->scc : &wave->sgpr[reg];
}

/* The slots of the workgroup whose numbers are in the registers. */
static void run_numbers(struct sq_move_launch *launch)
{
    struct sq_wave *wave = launch->wave;
    const struct sq_numbers_op *op = launch->numbers.ops;
    for (uint32_t i = 0; i < launch->numbers.op_count; i++, op++) {
        if (op->kind == SQ_NUMBERS_RUN)
            op->uop->run(wave, op->uop);
        else if (op->kind == SQ_NUMBERS_SET)
            *register_of(wave, op->reg) = op->value;
        else
            launch->slots[op->slot] = *register_of(wave, op->reg);
    }
}

static uint32_t slot_of(const struct sq_move_launch *launch, uint8_t slot)
{
    return slot == SQ_NUMBERS_SAME ? 0 : launch->slots[slot];
}

static uint64_t number_of(const struct sq_move_launch *launch, const struct sq_numbers_side *side)
{
    return slot_of(launch, side->low) | (uint64_t)slot_of(launch, side->high) << 32;
}

/* The registers that vary, into them or out of them. */
static void move_varying(struct sq_move_launch *launch, uint32_t *in, const uint32_t *out)
{
    for (unsigned word = 0; word < SQ_REGISTER_WORDS; word++) {
        for (uint64_t bits = launch->numbers.varying.bits[word]; bits; bits &= bits - 1) {
            uint32_t *const at = register_of(launch->wave, word * 64 + (unsigned)__builtin_ctzll(bits));
            if (in)
                *in++ = *at;
            else
                *at = *out++;
        }
    }
}

/* ---- the first workgroup ---- */

/* All of the program but its copies. What is the same for all workgroups is noted. False: it has failed. */
static bool run_program(struct sq_move_launch *launch)
{
    struct sq_wave *wave = launch->wave;
    struct sq_move_numbers *n = &launch->numbers;
    const uint64_t host = lane_env_get();
    struct sq_numbers_op *op = n->ops, *const end = op + n->op_count;
    sq_mode_enter(wave);
    for (uint32_t i = 0; i <= n->uop_count && wave->state == SQ_RUNNING; i++) {
        if (i)
            n->uops[i - 1]->run(wave, n->uops[i - 1]);
        for (; op < end && op->after == i; op++) {
            if (op->kind == SQ_NUMBERS_SET)
                op->value = *register_of(wave, op->reg);
        }
    }
    lane_env_set(host);
    return wave->state == SQ_RUNNING && wave->exec_full;
}

static uint64_t base_of(const struct sq_wave *wave, const struct sq_move_side *side)
{
    return sq_read64(sq_at(wave, side->base)) + (uint64_t)(int64_t)side->offset_B;
}

static uint32_t xor_of(const struct sq_wave *wave, const struct sq_move_side *side)
{
    if (!side->is_changed)
        return 0;
    return *(const uint32_t *)sq_at(wave, side->first) ^ *(const uint32_t *)sq_at(wave, side->second);
}

/* The copies as pairs: rows, from the lowest on, and squares, which all begin at the same address. */
static bool make_plan(struct sq_move_launch *launch)
{
    const struct sq_move *move = launch->move;
    const struct sq_wave *wave = launch->wave;
    const bool to_squares = move->lines.way == SQ_MOVE_TO_SQUARES;
    struct first *rows = to_squares ? &launch->from : &launch->to, *squares = to_squares ? &launch->to : &launch->from;
    struct sq_plan_pair pairs[SQ_MOVE_LOADS];
    uint64_t rows_va[SQ_MOVE_LOADS];
    rows->va = UINT64_MAX;
    for (uint32_t i = 0; i < move->copy_count; i++) {
        const struct sq_move_copy *copy = &move->copies[i];
        const struct sq_move_side *row = to_squares ? &copy->from : &copy->to,
                                  *square = to_squares ? &copy->to : &copy->from;
        const uint64_t squares_va = base_of(wave, square);
        rows_va[i] = base_of(wave, row);
        rows->va = rows_va[i] < rows->va ? rows_va[i] : rows->va;
        pairs[i].squares = xor_of(wave, square);
        if (xor_of(wave, row) || (i && squares_va != squares->va))
            return false;
        squares->va = squares_va;
    }
    for (uint32_t i = 0; i < move->copy_count; i++) {
        if (rows_va[i] - rows->va > UINT32_MAX)
            return false;
        pairs[i].rows = (uint32_t)(rows_va[i] - rows->va);
    }
    return amd_sq_move_plan_make(&launch->plan, &move->lines, pairs, move->copy_count, wave->lanes);
}

static struct sq_move_launch *find_launch(struct sq_move *move, struct sq_wave *wave, uint64_t program_va,
                                          const struct sq_registers *varying)
{
    struct sq_move_launch *launch = move->launch;
    if (launch && memcmp(&launch->numbers.varying, varying, sizeof(*varying)) == 0)
        return launch;
    const struct sq_uop *first = amd_sq_code_enter(wave, program_va);
    if (!launch)
        launch = amd_sq_code_alloc(wave->code, sizeof(*launch));
    if (!first || !launch)
        return NULL;
    memset(launch, 0, sizeof(*launch));
    move->launch = launch;
    launch->move = move;
    launch->is_good = amd_sq_move_numbers_find(&launch->numbers, move, first, wave->lanes, varying);
    return launch;
}

struct sq_move_launch *amd_sq_move_launch_begin(struct sq_move *move, struct sq_wave *wave, uint64_t program_va,
                                                const struct sq_registers *varying)
{
    uint32_t first[SQ_REGISTER_SCC + 1];
    struct sq_move_launch *launch = find_launch(move, wave, program_va, varying);
    if (!launch || !launch->is_good || !wave->exec_full)
        return NULL;
    launch->wave = wave;
    launch->count = 0;
    move_varying(launch, first, NULL);
    if (!run_program(launch) ||
        !amd_sq_move_lines_find(&move->lines, amd_sq_code_moves(wave->code),
                                sq_at(wave, move->patterns[move->from_pattern]),
                                sq_at(wave, move->patterns[move->to_pattern]), wave->lanes) ||
        !make_plan(launch))
        return NULL;
    move_varying(launch, NULL, first);
    run_numbers(launch);
    launch->from.number = number_of(launch, &launch->numbers.from);
    launch->to.number = number_of(launch, &launch->numbers.to);
    launch->from.xor = slot_of(launch, launch->numbers.from.xor);
    launch->to.xor = slot_of(launch, launch->numbers.to.xor);
    return launch;
}

/* ---- workgroups ---- */

/* A range of addresses. */
struct range {
    uint64_t va, end_va;
};

static bool put_place(struct sq_move_launch *launch, const struct range *rows, const struct range *squares,
                      uint32_t xor)
{
    struct sq_move *move = launch->move;
    const struct gpu_space *space = launch->wave->memory;
    const bool to_squares = launch->plan.to_squares;
    const struct range *read = to_squares ? rows : squares, *written = to_squares ? squares : rows;
    if ((written->va < read->end_va && read->va < written->end_va) ||
        !amd_sq_move_pages_have(&move->read, space, read->va, read->end_va, GPU_PERM_READ) ||
        !amd_sq_move_pages_have(&move->written, space, written->va, written->end_va, GPU_PERM_WRITE))
        return false;
    const uintptr_t read_host = amd_sq_move_pages_host(&move->read) + (uintptr_t)read->va,
                    written_host = amd_sq_move_pages_host(&move->written) + (uintptr_t)written->va;
    launch->places[launch->count++] = (struct sq_plan_place){(uint8_t *)(to_squares ? read_host : written_host),
                                                             (uint8_t *)(to_squares ? written_host : read_host), xor};
    return true;
}

/* All bits up to the highest one. */
static uint32_t fill_bits(uint32_t bits)
{
    return bits ? UINT32_MAX >> __builtin_clz(bits) : 0;
}

bool amd_sq_move_launch_add(struct sq_move_launch *launch, const uint32_t *varying)
{
    const struct sq_move_numbers *n = &launch->numbers;
    const struct sq_move_plan *plan = &launch->plan;
    struct sq_move *move = launch->move;
    if (!launch->count) {
        amd_sq_move_pages_check(&move->read, launch->wave->memory);
        amd_sq_move_pages_check(&move->written, launch->wave->memory);
    }
    if (launch->count == SQ_MOVES_WAVES || gpu_space_has_aliases(launch->wave->memory))
        return false;
    move_varying(launch, NULL, varying);
    run_numbers(launch);
    const uint64_t from_va = launch->from.va + (number_of(launch, &n->from) - launch->from.number),
                   to_va = launch->to.va + (number_of(launch, &n->to) - launch->to.number);
    const uint32_t from_xor = launch->from.xor ^slot_of(launch, n->from.xor),
                   to_xor = launch->to.xor ^slot_of(launch, n->to.xor), rows_xor = plan->to_squares ? from_xor : to_xor,
                   xor = plan->to_squares ? to_xor : from_xor;
    const uint64_t rows_va = plan->to_squares ? from_va : to_va, squares_va = plan->to_squares ? to_va : from_va;
    const struct range rows = {rows_va + plan->rows_begin_B, rows_va + plan->rows_end_B},
                       squares = {squares_va, squares_va + fill_bits(plan->squares_bits | xor | 0xff) + 1};
    return !rows_xor && xor % 256 == 0 && put_place(launch, &rows, &squares, xor);
}

void amd_sq_move_launch_do(struct sq_move_launch *launch)
{
    const unsigned before = stat_enter_work(STAT_WAVES);
    stat_count_waves(launch->count);
    amd_sq_move_plan_do(&launch->plan, launch->places, launch->count);
    launch->count = 0;
    stat_leave(before);
}
