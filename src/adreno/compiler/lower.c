/* What is left of pseudo instructions after allocation: moves in place of copies, tuples that are put together and taken
 * apart, branches that fall through. */
#include <string.h>

#include "adreno/compiler/air.h"
#include "util/bits.h"

/* Moves that happen at once. */
struct move {
    air_reg to;
    bool is_half;
    struct air_operand from; /* of kind AIR_TEMP: `from.reg` */
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
    return move->from.kind == AIR_TEMP;
}

/* ---- one move, one exchange ---- */

static int type_of(bool is_half)
{
    return is_half ? AIR_U16 : AIR_U32;
}

static struct air_operand at_place(unsigned place, air_reg reg, bool is_half)
{
    return (struct air_operand){.kind = AIR_SPECIAL,
                                .place = (uint8_t)place,
                                .flags = is_half ? ADRENO_ISA_FLAG_HALF : 0,
                                .reg = AIR_NO_REG,
                                .value = is_half ? reg : reg / 2};
}

static void emit_move(struct air_builder *builder, const struct move *move)
{
    struct air_instr *mov = adreno_air_instr(builder, ADRENO_ISA_OP_MOV, 1, 1);
    mov->isa.field[ADRENO_ISA_FIELD_SRC_TYPE] = mov->isa.field[ADRENO_ISA_FIELD_DST_TYPE] =
        (int16_t)type_of(move->is_half);
    mov->defs[0].special = (uint16_t)(move->is_half ? move->to : move->to / 2);
    mov->isa.operands[ADRENO_ISA_PLACE_DST].flags = move->is_half ? ADRENO_ISA_FLAG_HALF : 0;
    if (reads_register(move)) {
        mov->operands[0] = at_place(ADRENO_ISA_PLACE_SRC0, move->from.reg, move->is_half);
    } else {
        mov->operands[0] = move->from;
        mov->operands[0].place = ADRENO_ISA_PLACE_SRC0;
        mov->operands[0].flags = move->is_half ? ADRENO_ISA_FLAG_HALF : 0;
    }
    builder->program->copies++;
}

static void emit_exchange(struct air_builder *builder, air_reg a, air_reg b, bool is_half)
{
    struct air_instr *swz = adreno_air_instr(builder, ADRENO_ISA_OP_SWZ, 2, 2);
    swz->isa.field[ADRENO_ISA_FIELD_SRC_TYPE] = swz->isa.field[ADRENO_ISA_FIELD_DST_TYPE] = (int16_t)type_of(is_half);
    swz->defs[0].special = (uint16_t)(is_half ? a : a / 2);
    swz->defs[1].special = (uint16_t)(is_half ? b : b / 2);
    swz->isa.operands[ADRENO_ISA_PLACE_DST].flags = swz->isa.operands[ADRENO_ISA_PLACE_DST1].flags =
        is_half ? ADRENO_ISA_FLAG_HALF : 0;
    swz->operands[0] = at_place(ADRENO_ISA_PLACE_SRC0, b, is_half);
    swz->operands[1] = at_place(ADRENO_ISA_PLACE_SRC1, a, is_half);
    builder->program->copies += 2;
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

static void drop(struct moves *moves, unsigned index)
{
    count_move(moves, &moves->list[index], -1);
    moves->list[index] = moves->list[--moves->count];
}

static bool emit_ready(struct air_builder *builder, struct moves *moves)
{
    bool is_any = false;
    for (unsigned i = 0; i < moves->count;) {
        if (!is_ready(moves, &moves->list[i])) {
            i++;
            continue;
        }
        if (!reads_register(&moves->list[i]) || moves->list[i].from.reg != moves->list[i].to)
            emit_move(builder, &moves->list[i]);
        drop(moves, i);
        is_any = true;
        i = 0;
    }
    return is_any;
}

static bool overlaps(air_reg a, unsigned a_halves, air_reg b, unsigned b_halves)
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
            (overlaps(other->from.reg, 2, move->to, 1) || overlaps(other->from.reg, 2, move->from.reg, 1)))
            return false;
    }
    return true;
}

/* The registers have changed places: who reads one of them finds it in the other. */
static void redirect(struct moves *moves, const struct move *exchanged)
{
    for (unsigned i = 0; i < moves->count; i++) {
        struct move *move = &moves->list[i];
        if (!reads_register(move))
            continue;
        const bool at_to = overlaps(move->from.reg, halves_of(move), exchanged->to, halves_of(exchanged));
        const bool at_from = overlaps(move->from.reg, halves_of(move), exchanged->from.reg, halves_of(exchanged));
        if (!at_to && !at_from)
            continue;
        const int distance = exchanged->from.reg - exchanged->to;
        count_move(moves, move, -1);
        move->from.reg = (air_reg)(move->from.reg + (at_to ? distance : -distance));
        count_move(moves, move, 1);
    }
}

/* Opens a cycle by an exchange. */
static bool open_cycle(struct air_builder *builder, struct moves *moves)
{
    for (unsigned i = 0; i < moves->count; i++) {
        const struct move move = moves->list[i];
        if (!can_exchange(moves, &move))
            continue;
        emit_exchange(builder, move.to, move.from.reg, move.is_half);
        drop(moves, i);
        redirect(moves, &move);
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

static void emit_moves(struct air_builder *builder, struct moves *moves)
{
    for (unsigned i = 0; i < moves->count;) {
        const struct move *move = &moves->list[i];
        if (move->from.kind == AIR_UNDEF || (reads_register(move) && move->from.reg == move->to)) {
            moves->list[i] = moves->list[--moves->count];
            continue;
        }
        count_move(moves, move, 1);
        i++;
    }
    while (moves->count) {
        if (!emit_ready(builder, moves) && !open_cycle(builder, moves) && !split_full(moves))
            adreno_air_fail(builder->program, "internal: a parallel copy of %u moves has no order", moves->count);
    }
}

/* ---- instructions ---- */

/* Component by component. */
static void add_moves(struct air_program *program, struct moves *moves, air_reg to, struct air_class class,
                      struct air_operand from)
{
    (void)program;
    const unsigned size = class.is_half ? 1 : 2;
    for (unsigned i = 0; i < class.comps; i++) {
        struct move move = {.to = (air_reg)(to + i * size), .is_half = class.is_half, .from = from};
        if (reads_register(&move))
            move.from.reg = (air_reg)(from.reg + i * size);
        moves->list[moves->count++] = move;
    }
}

static void lower_copies(struct air_program *program, struct air_instr *instr)
{
    unsigned most = 0;
    for (unsigned i = 0; i < instr->num_defs; i++)
        most += air_halves(program->temps[instr->defs[i].temp].class);
    struct moves moves = {.list = adreno_air_alloc(program, most * sizeof(*moves.list))};
    struct air_builder builder = {program, &instr->link};
    if (instr->isa.op == AIR_P_COPY) {
        for (unsigned i = 0; i < instr->num_defs; i++)
            add_moves(program, &moves, instr->defs[i].reg, program->temps[instr->defs[i].temp].class,
                      instr->operands[i]);
    } else if (instr->isa.op == AIR_P_COLLECT) {
        struct air_class class = program->temps[instr->defs[0].temp].class;
        const unsigned size = class.is_half ? 1 : 2;
        class.comps = 1;
        for (unsigned i = 0; i < instr->num_operands; i++)
            add_moves(program, &moves, (air_reg)(instr->defs[0].reg + i * size), class, instr->operands[i]);
    } else {
        struct air_class class = program->temps[instr->operands[0].temp].class;
        const unsigned size = class.is_half ? 1 : 2;
        class.comps = 1;
        for (unsigned i = 0; i < instr->num_defs; i++) {
            struct air_operand from = instr->operands[0];
            from.reg = (air_reg)(from.reg + i * size);
            if (!instr->defs[i].is_dead)
                add_moves(program, &moves, instr->defs[i].reg, class, from);
        }
    }
    emit_moves(&builder, &moves);
}

/* ---- branches ---- */

/* Where blocks that have nothing but a jump lead to. */
struct ways {
    uint32_t *target; /* by block: itself, where it has more */
    uint32_t count;
};

static bool is_only_jump(const struct air_block *block)
{
    const struct list *first = block->instrs.next;
    return !block->is_kept && first != &block->instrs && first->next == &block->instrs &&
           container_of(first, struct air_instr, link)->isa.op == AIR_P_JUMP;
}

static struct ways find_ways(struct air_program *program)
{
    struct ways ways = {adreno_air_alloc(program, (program->num_blocks + 1) * sizeof(uint32_t)), program->num_blocks};
    air_foreach_block(program, block)
    {
        uint32_t at = block->index;
        for (uint32_t steps = 0; is_only_jump(&program->blocks[at]); steps++) {
            if (steps == ways.count) { /* a circle of them: it is what the program says */
                at = block->index;
                break;
            }
            at = container_of(program->blocks[at].instrs.next, struct air_instr, link)->target;
        }
        ways.target[block->index] = at;
    }
    return ways;
}

/* The block that follows in the code: those that are only a jump are left out. */
static uint32_t next_block(const struct ways *ways, uint32_t block)
{
    do
        block++;
    while (block < ways->count && ways->target[block] != block);
    return block;
}

/* A branch falls through to the next block on one of its sides, or a jump follows it. Only br can be turned around. */
static void lower_branch(struct air_program *program, const struct ways *ways, const struct air_block *block,
                         struct air_instr *instr)
{
    struct air_builder builder = {program, &instr->link};
    const uint32_t next = next_block(ways, block->index);
    instr->target = ways->target[instr->target];
    instr->other = instr->isa.op == AIR_P_BRANCH ? ways->target[instr->other] : 0;
    if (instr->isa.op == AIR_P_BRANCH && instr->target == instr->other && !instr->branch_op)
        instr->isa.op = AIR_P_JUMP;
    if (instr->isa.op == AIR_P_BRANCH) {
        const bool is_swapped = instr->target == next && !instr->branch_op;
        const unsigned op = instr->branch_op ? instr->branch_op : ADRENO_ISA_OP_BR;
        struct air_instr *br = adreno_air_instr(&builder, op, 0, instr->num_operands);
        br->isa.field[ADRENO_ISA_FIELD_WIDTH] = instr->isa.field[ADRENO_ISA_FIELD_WIDTH];
        if (instr->num_operands) {
            br->operands[0] = instr->operands[0];
            br->operands[0].place = ADRENO_ISA_PLACE_SRC0;
            br->operands[0].flags ^= is_swapped ? ADRENO_ISA_FLAG_NOT : 0;
        }
        br->target = is_swapped ? instr->other : instr->target;
        instr->target = is_swapped ? instr->target : instr->other;
    }
    if (instr->target != next)
        adreno_air_instr(&builder, ADRENO_ISA_OP_JUMP, 0, 0)->target = instr->target;
}

static bool is_way(const struct air_instr *instr)
{
    return instr->isa.op == AIR_P_JUMP || instr->isa.op == AIR_P_BRANCH;
}

void adreno_air_lower(struct air_program *program)
{
    air_foreach_block(program, block)
    {
        for (struct list *link = block->instrs.next, *next; link != &block->instrs; link = next) {
            struct air_instr *instr = container_of(link, struct air_instr, link);
            next = link->next;
            if (!air_is_pseudo(instr) || is_way(instr))
                continue;
            if (instr->isa.op == AIR_P_COPY || instr->isa.op == AIR_P_COLLECT || instr->isa.op == AIR_P_SPLIT)
                lower_copies(program, instr);
            list_remove(&instr->link);
        }
    }
}

void adreno_air_lower_branches(struct air_program *program)
{
    const struct ways ways = find_ways(program);
    air_foreach_block(program, block)
    {
        struct air_instr *last = container_of(block->instrs.prev, struct air_instr, link);
        if (block->instrs.prev == &block->instrs || !is_way(last))
            continue;
        if (ways.target[block->index] == block->index)
            lower_branch(program, &ways, block, last);
        list_remove(&last->link);
    }
}
