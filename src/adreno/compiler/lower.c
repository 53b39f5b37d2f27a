/* Pseudo instructions that are left after allocation: moves in place of copies, tuples that are put together and
 * taken apart, branches that fall through. */
#include <string.h>

#include "adreno/compiler/air.h"
#include "util/bits.h"

/* Moves that happen at once. */
struct move {
    mach_reg to;
    bool is_half;
    struct mach_operand from; /* of kind MACH_TEMP: `from.reg` */
};

struct moves {
    struct move *list;
    unsigned count;
    uint8_t readers[AIR_REGS]; /* by half: how many moves that are left read it */
    uint8_t is_target[AIR_REGS];
};

static unsigned halves_of(const struct move *move)
{
    return move->is_half ? 1 : 2;
}

static bool reads_register(const struct move *move)
{
    return move->from.kind == MACH_TEMP;
}

/* ---- one move, one exchange ---- */

static int type_of(bool is_half)
{
    return is_half ? AIR_U16 : AIR_U32;
}

static struct mach_operand at_place(unsigned place, mach_reg reg, bool is_half)
{
    return (struct mach_operand){.kind = AIR_SPECIAL,
                                 .place = (uint8_t)place,
                                 .flags = is_half ? ADRENO_ISA_FLAG_HALF : 0,
                                 .reg = MACH_NO_REG,
                                 .value = is_half ? reg : reg / 2};
}

static void emit_move(struct mach_builder *builder, const struct move *move)
{
    struct mach_instr *mov = mach_new_instr(builder, ADRENO_ISA_OP_MOV, 1, 1);
    air_isa(mov)->field[ADRENO_ISA_FIELD_SRC_TYPE] = air_isa(mov)->field[ADRENO_ISA_FIELD_DST_TYPE] =
        (int16_t)type_of(move->is_half);
    mov->defs[0].special = (uint16_t)(move->is_half ? move->to : move->to / 2);
    air_isa(mov)->operands[ADRENO_ISA_PLACE_DST].flags = move->is_half ? ADRENO_ISA_FLAG_HALF : 0;
    if (reads_register(move)) {
        mov->operands[0] = at_place(ADRENO_ISA_PLACE_SRC0, move->from.reg, move->is_half);
    } else {
        mov->operands[0] = move->from;
        mov->operands[0].place = ADRENO_ISA_PLACE_SRC0;
        mov->operands[0].flags = move->is_half ? ADRENO_ISA_FLAG_HALF : 0;
    }
}

static void emit_exchange(struct mach_builder *builder, mach_reg a, mach_reg b, bool is_half)
{
    struct mach_instr *swz = mach_new_instr(builder, ADRENO_ISA_OP_SWZ, 2, 2);
    air_isa(swz)->field[ADRENO_ISA_FIELD_SRC_TYPE] = air_isa(swz)->field[ADRENO_ISA_FIELD_DST_TYPE] =
        (int16_t)type_of(is_half);
    swz->defs[0].special = (uint16_t)(is_half ? a : a / 2);
    swz->defs[1].special = (uint16_t)(is_half ? b : b / 2);
    air_isa(swz)->operands[ADRENO_ISA_PLACE_DST].flags = air_isa(swz)->operands[ADRENO_ISA_PLACE_DST1].flags =
        is_half ? ADRENO_ISA_FLAG_HALF : 0;
    swz->operands[0] = at_place(ADRENO_ISA_PLACE_SRC0, b, is_half);
    swz->operands[1] = at_place(ADRENO_ISA_PLACE_SRC1, a, is_half);
}

/* ---- the order ---- */

static void count_move(struct moves *moves, const struct move *move, int sign)
{
    for (unsigned i = 0; i < halves_of(move); i++) {
        moves->is_target[move->to + i] = (uint8_t)(moves->is_target[move->to + i] + sign);
        if (reads_register(move))
            moves->readers[move->from.reg + i] = (uint8_t)(moves->readers[move->from.reg + i] + sign);
    }
}

/* Nothing that is left reads what it writes, but itself. */
static bool is_ready(const struct moves *moves, const struct move *move)
{
    for (unsigned i = 0; i < halves_of(move); i++) {
        const unsigned half = move->to + i;
        const bool reads_itself =
            reads_register(move) && half >= move->from.reg && half < move->from.reg + halves_of(move);
        if (moves->readers[half] > reads_itself)
            return false;
    }
    return true;
}

static void drop_move(struct moves *moves, unsigned index)
{
    count_move(moves, &moves->list[index], -1);
    moves->list[index] = moves->list[--moves->count];
}

static bool emit_ready(struct mach_builder *builder, struct moves *moves)
{
    bool is_any = false;
    for (unsigned i = 0; i < moves->count;) {
        if (!is_ready(moves, &moves->list[i])) {
            i++;
            continue;
        }
        if (!reads_register(&moves->list[i]) || moves->list[i].from.reg != moves->list[i].to)
            emit_move(builder, &moves->list[i]);
        drop_move(moves, i);
        is_any = true;
        i = 0;
    }
    return is_any;
}

static bool regs_overlap(mach_reg a, unsigned a_halves, mach_reg b, unsigned b_halves)
{
    return a < b + b_halves && b < a + a_halves;
}

/* The source of a move becomes garbage by an exchange: it must be the target of another move. And no half may be taken
 * out of what a full move reads. */
static bool can_exchange(const struct moves *moves, const struct move *move)
{
    const unsigned halves = halves_of(move);
    if (!reads_register(move))
        return false;
    for (unsigned i = 0; i < halves; i++) {
        if (!moves->is_target[move->from.reg + i])
            return false;
    }
    for (unsigned i = 0; move->is_half && i < moves->count; i++) {
        const struct move *other = &moves->list[i];
        if (!other->is_half && reads_register(other) &&
            (regs_overlap(other->from.reg, 2, move->to, 1) || regs_overlap(other->from.reg, 2, move->from.reg, 1)))
            return false;
    }
    return true;
}

/* The registers have changed places: who reads one of them finds it in the other. */
static void redirect_reads(struct moves *moves, const struct move *exchanged)
{
    for (unsigned i = 0; i < moves->count; i++) {
        struct move *move = &moves->list[i];
        if (!reads_register(move))
            continue;
        const bool at_to = regs_overlap(move->from.reg, halves_of(move), exchanged->to, halves_of(exchanged));
        const bool at_from = regs_overlap(move->from.reg, halves_of(move), exchanged->from.reg, halves_of(exchanged));
        if (!at_to && !at_from)
            continue;
        const int distance = exchanged->from.reg - exchanged->to;
        count_move(moves, move, -1);
        move->from.reg = (mach_reg)(move->from.reg + (at_to ? distance : -distance));
        count_move(moves, move, 1);
    }
}

/* Opens a cycle by an exchange. */
static bool open_cycle(struct mach_builder *builder, struct moves *moves)
{
    for (unsigned i = 0; i < moves->count; i++) {
        const struct move move = moves->list[i];
        if (!can_exchange(moves, &move))
            continue;
        emit_exchange(builder, move.to, move.from.reg, move.is_half);
        drop_move(moves, i);
        redirect_reads(moves, &move);
        return true;
    }
    return false;
}

/* A cycle of full and half moves: where all of it has names for its halves, it becomes one of halves. */
static bool split_full(struct moves *moves)
{
    bool is_any = false;
    for (unsigned i = 0, count = moves->count; i < count; i++) {
        struct move *move = &moves->list[i];
        if (move->is_half || !reads_register(move) || move->to >= AIR_HALF_REGS || move->from.reg >= AIR_HALF_REGS)
            continue;
        struct move upper = *move;
        upper.to++;
        upper.from.reg++;
        upper.is_half = move->is_half = true; /* what is read and written stays the same */
        moves->list[moves->count++] = upper;
        is_any = true;
    }
    return is_any;
}

static void emit_moves(struct mach_builder *builder, struct moves *moves)
{
    for (unsigned i = 0; i < moves->count;) {
        const struct move *move = &moves->list[i];
        if (move->from.kind == MACH_UNDEF || (reads_register(move) && move->from.reg == move->to)) {
            moves->list[i] = moves->list[--moves->count];
            continue;
        }
        count_move(moves, move, 1);
        i++;
    }
    while (moves->count) {
        if (!emit_ready(builder, moves) && !open_cycle(builder, moves) && !split_full(moves))
            mach_fail(builder->program, "internal: a parallel copy of %u moves has no order", moves->count);
    }
}

/* ---- instructions ---- */

/* Component by component. */
static void add_moves(struct mach_program *program, struct moves *moves, mach_reg to, struct mach_class class,
                      struct mach_operand from)
{
    (void)program;
    const unsigned size = class.size;
    for (unsigned i = 0; i < class.comps; i++) {
        struct move move = {.to = (mach_reg)(to + i * size), .is_half = air_is_half(class), .from = from};
        if (reads_register(&move))
            move.from.reg = (mach_reg)(from.reg + i * size);
        moves->list[moves->count++] = move;
    }
}

static void lower_copies(struct mach_program *program, struct mach_instr *instr)
{
    unsigned most = 0;
    for (unsigned i = 0; i < instr->num_defs; i++)
        most += mach_units(program->temps[instr->defs[i].temp].class);
    struct moves moves = {.list = mach_alloc(program, most * sizeof(*moves.list))};
    struct mach_builder builder = {program, &instr->link};
    if (instr->op == MACH_P_COPY) {
        for (unsigned i = 0; i < instr->num_defs; i++)
            add_moves(program, &moves, instr->defs[i].reg, program->temps[instr->defs[i].temp].class,
                      instr->operands[i]);
    } else if (instr->op == MACH_P_COLLECT) {
        struct mach_class class = program->temps[instr->defs[0].temp].class;
        const unsigned size = class.size;
        class.comps = 1;
        for (unsigned i = 0; i < instr->num_operands; i++)
            add_moves(program, &moves, (mach_reg)(instr->defs[0].reg + i * size), class, instr->operands[i]);
    } else {
        struct mach_class class = program->temps[instr->operands[0].temp].class;
        const unsigned size = class.size;
        class.comps = 1;
        for (unsigned i = 0; i < instr->num_defs; i++) {
            struct mach_operand from = instr->operands[0];
            from.reg = (mach_reg)(from.reg + i * size);
            if (!instr->defs[i].is_dead)
                add_moves(program, &moves, instr->defs[i].reg, class, from);
        }
    }
    emit_moves(&builder, &moves);
}

/* ---- branches ---- */

/* The block that follows in the code: those that are only a jump are left out. */
static uint32_t next_block(const struct mach_program *program, const uint32_t *ways, uint32_t block)
{
    do
        block++;
    while (block < program->num_blocks && ways[block] != block);
    return block;
}

/* A branch falls through to the next block on one of its sides, or a jump follows it. Only br can be turned around. */
static void lower_branch(struct mach_program *program, const uint32_t *ways, const struct mach_block *block,
                         struct mach_instr *instr)
{
    struct mach_builder builder = {program, &instr->link};
    const uint32_t next = next_block(program, ways, block->index);
    instr->target = ways[instr->target];
    instr->other = instr->op == MACH_P_BRANCH ? ways[instr->other] : 0;
    if (instr->op == MACH_P_BRANCH && instr->target == instr->other && !instr->branch)
        instr->op = MACH_P_JUMP;
    if (instr->op == MACH_P_BRANCH) {
        const bool is_swapped = instr->target == next && !instr->branch;
        const unsigned op = instr->branch ? instr->branch : ADRENO_ISA_OP_BR;
        struct mach_instr *br = mach_new_instr(&builder, op, 0, instr->num_operands);
        air_isa(br)->field[ADRENO_ISA_FIELD_WIDTH] = air_isa(instr)->field[ADRENO_ISA_FIELD_WIDTH];
        if (instr->num_operands) {
            br->operands[0] = instr->operands[0];
            br->operands[0].place = ADRENO_ISA_PLACE_SRC0;
            br->operands[0].flags ^= is_swapped ? ADRENO_ISA_FLAG_NOT : 0;
        }
        br->target = is_swapped ? instr->other : instr->target;
        instr->target = is_swapped ? instr->target : instr->other;
    }
    if (instr->target != next)
        mach_new_instr(&builder, ADRENO_ISA_OP_JUMP, 0, 0)->target = instr->target;
}

static bool is_way(const struct mach_instr *instr)
{
    return instr->op == MACH_P_JUMP || instr->op == MACH_P_BRANCH;
}

void adreno_air_lower(struct mach_program *program)
{
    mach_foreach_block(program, block)
    {
        for (struct list *link = block->instrs.next, *next; link != &block->instrs; link = next) {
            struct mach_instr *instr = container_of(link, struct mach_instr, link);
            next = link->next;
            if (!mach_is_pseudo(instr) || is_way(instr))
                continue;
            if (instr->op == MACH_P_COPY || instr->op == MACH_P_COLLECT || instr->op == MACH_P_SPLIT)
                lower_copies(program, instr);
            list_remove(&instr->link);
        }
    }
}

void adreno_air_lower_branches(struct mach_program *program)
{
    const uint32_t *ways = mach_find_ways(program);
    mach_foreach_block(program, block)
    {
        struct mach_instr *last = container_of(block->instrs.prev, struct mach_instr, link);
        if (block->instrs.prev == &block->instrs || !is_way(last))
            continue;
        if (ways[block->index] == block->index)
            lower_branch(program, ways, block, last);
        list_remove(&last->link);
    }
}
