/* Folding in the machine IR, before it is scheduled: constants and numbers into the instructions that can name them, signs
 * and saturation into their readers and writers, comparisons straight into p0.x, what selection computed twice.
 *
 * An instruction whose result nothing reads any more is left for dead.c. */
#include <string.h>

#include "adreno/compiler/air.h"
#include "util/bits.h"

#define MAX_NUMBER 511

enum {
    COND_EQ = 4,
    COND_NE = 5
};

struct optimiser {
    struct air_program *program;
    struct air_instr **def; /* by temporary */
    uint32_t *home;         /* by temporary: its block */
    uint32_t *uses;
    uint32_t *age;   /* by temporary: how often a0.x had been written before it, in its block */
    uint32_t writes; /* of a0.x, so far in this block */
    bool *is_given;  /* by temporary: an instruction writes its result over it, so that nothing else may read it */
    uint32_t *table; /* by hash: position in `list`, + 1 */
    struct air_instr **list;
    uint32_t table_size, num_list;
    bool is_changed;
};

/* ---- what instructions are ---- */

static bool is_category_2(unsigned op)
{
    return op >= ADRENO_ISA_OP_ADD_F && op < ADRENO_ISA_OP_BARY_F;
}

static bool is_float_2(unsigned op)
{
    return op >= ADRENO_ISA_OP_ADD_F && op <= ADRENO_ISA_OP_TRUNC_F;
}

static bool is_product(unsigned op)
{
    return op == ADRENO_ISA_OP_MAD_F32 || op == ADRENO_ISA_OP_MAD_U24 || op == ADRENO_ISA_OP_MAD_S24;
}

static bool is_category_3(unsigned op)
{
    return is_product(op) || op == ADRENO_ISA_OP_MADSH_M16 || op == ADRENO_ISA_OP_SEL_B32 ||
           op == ADRENO_ISA_OP_SAD_S32;
}

static bool is_half_temp(const struct optimiser *o, air_temp temp)
{
    return o->program->temps[temp].class.is_half;
}

static bool is_plain_move(const struct air_instr *instr)
{
    return instr->isa.op == ADRENO_ISA_OP_MOV && instr->num_defs == 1 && instr->defs[0].temp && !instr->has_effect &&
           instr->isa.field[ADRENO_ISA_FIELD_SRC_TYPE] == instr->isa.field[ADRENO_ISA_FIELD_DST_TYPE] &&
           !instr->operands[0].flags && !instr->isa.field[ADRENO_ISA_FIELD_SS];
}

/* What the hardware fills before the program, and nothing writes. */
static bool is_input(const struct air_operand *operand)
{
    return operand->kind == AIR_SPECIAL && operand->value >= ADRENO_ISA_REG_SHARED &&
           operand->value < ADRENO_ISA_REG_SHARED + 4;
}

static bool is_literal(const struct air_operand *operand)
{
    return operand->kind == AIR_CONST || operand->kind == AIR_CONST_RELATIVE || operand->kind == AIR_NUMBER;
}

/* A constant that is counted from a0.x, read where a0.x still is what it was. */
static bool is_relative_now(const struct optimiser *o, const struct air_operand *operand, air_temp temp, uint32_t block)
{
    return operand->kind == AIR_CONST_RELATIVE && o->uses[temp] == 1 && o->home[temp] == block &&
           o->age[temp] == o->writes;
}

/* ---- values into operands ---- */

/* Of the other sources: none may be a constant or a number as well. */
static bool is_only_literal(const struct air_instr *instr, unsigned index)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (i != index && is_literal(&instr->operands[i]))
            return false;
    }
    return true;
}

/* Another source is a constant of the file or a shared register: of both there is one at most. */
static bool is_from_file(const struct air_instr *instr, unsigned index)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const uint8_t kind = instr->operands[i].kind;
        if (i != index && (kind == AIR_CONST || kind == AIR_CONST_RELATIVE || kind == AIR_SPECIAL))
            return true;
    }
    return false;
}

static bool can_take(struct optimiser *o, struct air_instr *instr, unsigned index, const struct air_operand *value,
                     uint32_t block)
{
    const unsigned op = instr->isa.op;
    const bool is_number = value->kind == AIR_NUMBER && value->value >= -MAX_NUMBER - 1 && value->value <= MAX_NUMBER;
    if (is_half_temp(o, instr->operands[index].temp))
        return false;
    if (op == ADRENO_ISA_OP_MOV)
        return value->kind == AIR_CONST &&
               (instr->isa.field[ADRENO_ISA_FIELD_DST_TYPE] == AIR_U32 && instr->defs[0].temp &&
                instr->isa.field[ADRENO_ISA_FIELD_SRC_TYPE] == AIR_U32);
    if (is_category_2(op) && is_input(value))
        return !instr->operands[index].flags && !is_from_file(instr, index);
    if (!is_only_literal(instr, index))
        return false;
    const bool is_const = value->kind == AIR_CONST || is_relative_now(o, value, instr->operands[index].temp, block);
    if (is_category_2(op))
        return (is_const && !is_from_file(instr, index)) ||
               (is_number && !is_float_2(op) && !instr->operands[index].flags);
    if (!is_category_3(op) || !is_const)
        return false;
    if (index != 1)
        return true;
    if (!is_product(op) || instr->operands[0].kind != AIR_TEMP)
        return false;
    const struct air_operand first = instr->operands[0];
    instr->operands[0] = instr->operands[1];
    instr->operands[1] = first;
    instr->operands[0].place = ADRENO_ISA_PLACE_SRC0;
    instr->operands[1].place = ADRENO_ISA_PLACE_SRC1;
    return true;
}

static void release(struct optimiser *o, air_temp temp)
{
    o->uses[temp]--;
    o->is_changed = true;
}

static void take_value(struct optimiser *o, struct air_instr *instr, unsigned index, uint32_t block)
{
    struct air_operand *operand = &instr->operands[index];
    const struct air_instr *def = o->def[operand->temp];
    if (!def || !is_plain_move(def))
        return;
    const struct air_operand *value = &def->operands[0];
    if (value->kind == AIR_TEMP) {
        if (is_half_temp(o, value->temp) != is_half_temp(o, operand->temp))
            return;
        release(o, operand->temp);
        operand->temp = value->temp;
        o->uses[value->temp]++;
        return;
    }
    if (air_is_pseudo(instr) || !can_take(o, instr, index, value, block))
        return;
    struct air_operand *to = &instr->operands[index];
    if (to->temp != def->defs[0].temp) /* sources were exchanged */
        to = &instr->operands[1 - index];
    release(o, to->temp);
    to->kind = value->kind;
    to->value = value->value;
}

/* ---- signs ---- */

#define SIGNS (ADRENO_ISA_FLAG_NEG | ADRENO_ISA_FLAG_ABS)

/* Which signs a source may have. */
static uint8_t signs_of(unsigned op, unsigned def_op)
{
    if (def_op == ADRENO_ISA_OP_ABSNEG_F)
        return is_float_2(op)                                               ? SIGNS
               : op == ADRENO_ISA_OP_MAD_F32 || op == ADRENO_ISA_OP_MAD_F16 ? ADRENO_ISA_FLAG_NEG
                                                                            : 0;
    if (def_op == ADRENO_ISA_OP_ABSNEG_S)
        return op == ADRENO_ISA_OP_ADD_S ? ADRENO_ISA_FLAG_NEG : 0;
    return op == ADRENO_ISA_OP_AND_B || op == ADRENO_ISA_OP_OR_B ? ADRENO_ISA_FLAG_NEG : 0; /* inverts */
}

static void take_sign(struct optimiser *o, struct air_instr *instr, unsigned index)
{
    struct air_operand *operand = &instr->operands[index];
    const struct air_instr *def = o->def[operand->temp];
    if (!def || def->num_operands != 1 || def->isa.field[ADRENO_ISA_FIELD_SAT] ||
        (def->isa.op != ADRENO_ISA_OP_ABSNEG_F && def->isa.op != ADRENO_ISA_OP_ABSNEG_S &&
         def->isa.op != ADRENO_ISA_OP_NOT_B))
        return;
    const struct air_operand *inner = &def->operands[0];
    const uint8_t inner_signs = def->isa.op == ADRENO_ISA_OP_NOT_B ? ADRENO_ISA_FLAG_NEG : inner->flags & SIGNS;
    uint8_t signs = operand->flags & SIGNS;
    if (inner->kind != AIR_TEMP || is_half_temp(o, inner->temp) != is_half_temp(o, operand->temp) ||
        (def->isa.op == ADRENO_ISA_OP_NOT_B && inner->flags))
        return;
    if (!(signs & ADRENO_ISA_FLAG_ABS))
        signs = (uint8_t)((inner_signs & ADRENO_ISA_FLAG_ABS) | ((inner_signs ^ signs) & ADRENO_ISA_FLAG_NEG));
    if (signs & ~signs_of(instr->isa.op, def->isa.op) || !signs_of(instr->isa.op, def->isa.op))
        return;
    release(o, operand->temp);
    operand->temp = inner->temp;
    operand->flags = (uint8_t)((operand->flags & ~SIGNS) | signs);
    o->uses[inner->temp]++;
}

/* ---- results ---- */

/* (sat)max.f x, x of a float operation that nothing else reads: the operation saturates. */
static void saturate(struct optimiser *o, struct air_instr *instr)
{
    if (instr->isa.op != ADRENO_ISA_OP_MAX_F || !instr->isa.field[ADRENO_ISA_FIELD_SAT] ||
        instr->operands[0].kind != AIR_TEMP || instr->operands[1].kind != AIR_TEMP ||
        instr->operands[0].temp != instr->operands[1].temp || instr->operands[0].flags || instr->operands[1].flags)
        return;
    struct air_instr *def = o->def[instr->operands[0].temp];
    const unsigned op = def ? def->isa.op : 0;
    if (!def || o->uses[instr->operands[0].temp] != 2 || def->isa.field[ADRENO_ISA_FIELD_SAT] ||
        (op != ADRENO_ISA_OP_ADD_F && op != ADRENO_ISA_OP_MUL_F && op != ADRENO_ISA_OP_MAD_F32 &&
         op != ADRENO_ISA_OP_MAD_F16) ||
        is_half_temp(o, instr->defs[0].temp) != is_half_temp(o, def->defs[0].temp))
        return;
    /* This one becomes a copy, which its readers look through. */
    def->isa.field[ADRENO_ISA_FIELD_SAT] = 1;
    const struct air_operand source = instr->operands[0];
    const int16_t type = is_half_temp(o, source.temp) ? AIR_U16 : AIR_U32;
    memset(&instr->isa, 0, sizeof(instr->isa));
    instr->isa.op = ADRENO_ISA_OP_MOV;
    instr->isa.field[ADRENO_ISA_FIELD_SRC_TYPE] = instr->isa.field[ADRENO_ISA_FIELD_DST_TYPE] = type;
    instr->num_operands = 1;
    release(o, source.temp);
}

static bool makes_boolean(unsigned op)
{
    return op == ADRENO_ISA_OP_CMPS_F || op == ADRENO_ISA_OP_CMPS_U || op == ADRENO_ISA_OP_CMPS_S ||
           op == ADRENO_ISA_OP_AND_B || op == ADRENO_ISA_OP_OR_B || op == ADRENO_ISA_OP_XOR_B;
}

/* A comparison with zero. */
static bool compares_with_zero(const struct air_instr *instr, int cond)
{
    return (instr->isa.op == ADRENO_ISA_OP_CMPS_S || instr->isa.op == ADRENO_ISA_OP_CMPS_U) &&
           instr->isa.field[ADRENO_ISA_FIELD_COND] == cond && instr->operands[0].kind == AIR_TEMP &&
           !instr->operands[0].flags && instr->operands[1].kind == AIR_NUMBER && !instr->operands[1].value;
}

/* A select asks whether its condition is zero, and so does the comparison that makes it. */
static void condition(struct optimiser *o, struct air_instr *instr)
{
    if (instr->isa.op != ADRENO_ISA_OP_SEL_B32 || instr->operands[1].kind != AIR_TEMP)
        return;
    const struct air_instr *def = o->def[instr->operands[1].temp];
    const bool is_equal = def && compares_with_zero(def, COND_EQ);
    if (!def || (!is_equal && !compares_with_zero(def, COND_NE)) || is_half_temp(o, def->operands[0].temp))
        return;
    release(o, instr->operands[1].temp);
    instr->operands[1].temp = def->operands[0].temp;
    o->uses[def->operands[0].temp]++;
    if (is_equal) {
        const struct air_operand first = instr->operands[0];
        instr->operands[0] = instr->operands[2];
        instr->operands[2] = first;
        instr->operands[0].place = ADRENO_ISA_PLACE_SRC0;
        instr->operands[2].place = ADRENO_ISA_PLACE_SRC2;
    }
}

/* cmps.s.ne p0.x, t, 0 where t is read by nothing else: what makes t writes p0.x. */
static bool predicate(struct optimiser *o, struct air_instr *instr, uint32_t block)
{
    if (!compares_with_zero(instr, COND_NE) || instr->defs[0].temp || instr->defs[0].special != ADRENO_ISA_REG_P0)
        return false;
    const air_temp value = instr->operands[0].temp;
    const struct air_instr *def = o->def[value];
    if (!def || o->uses[value] != 1 || o->home[value] != block || is_half_temp(o, value) ||
        !makes_boolean(def->isa.op) || def->num_operands != 2)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        if (def->operands[i].kind == AIR_TEMP)
            o->uses[def->operands[i].temp]++;
        instr->operands[i] = def->operands[i];
    }
    instr->isa = def->isa;
    instr->isa.field[ADRENO_ISA_FIELD_CONV] = 0; /* a predicate has no size */
    release(o, value);
    return true;
}

/* ---- what was computed before, in the same block ---- */

static bool is_pure(const struct air_instr *instr)
{
    const unsigned op = instr->isa.op;
    if (air_is_pseudo(instr) || op < ADRENO_ISA_OP_MOV || op > ADRENO_ISA_OP_HEXP2 || op == ADRENO_ISA_OP_BARY_F ||
        op == ADRENO_ISA_OP_FLAT_B || op == ADRENO_ISA_OP_MOVMSK || instr->has_effect || instr->is_tied ||
        instr->num_defs != 1 || !instr->defs[0].temp || instr->isa.field[ADRENO_ISA_FIELD_SS])
        return false;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const uint8_t kind = instr->operands[i].kind;
        if (kind != AIR_TEMP && kind != AIR_CONST && kind != AIR_NUMBER && !is_input(&instr->operands[i]))
            return false;
    }
    return true;
}

static uint32_t hash_of(const struct air_instr *instr)
{
    uint32_t hash = instr->isa.op * 0x9e3779b1u;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct air_operand *operand = &instr->operands[i];
        hash = (hash ^ (uint32_t)operand->value ^ (uint32_t)operand->kind << 28 ^ (uint32_t)operand->flags << 20) *
               0x85ebca6bu;
        hash ^= hash >> 15;
    }
    return hash;
}

static bool is_same(const struct optimiser *o, const struct air_instr *a, const struct air_instr *b)
{
    if (a->num_operands != b->num_operands || memcmp(&a->isa, &b->isa, sizeof(a->isa)) != 0 ||
        is_half_temp(o, a->defs[0].temp) != is_half_temp(o, b->defs[0].temp))
        return false;
    for (unsigned i = 0; i < a->num_operands; i++) {
        const struct air_operand *x = &a->operands[i], *y = &b->operands[i];
        if (x->kind != y->kind || x->value != y->value || x->flags != y->flags || x->place != y->place)
            return false;
    }
    return true;
}

/* True where another one has the same value: this one becomes a copy of it. */
static void share(struct optimiser *o, struct air_instr *instr)
{
    if (!is_pure(instr) || o->is_given[instr->defs[0].temp] ||
        (instr->isa.op == ADRENO_ISA_OP_MOV && instr->operands[0].kind == AIR_TEMP))
        return;
    uint32_t slot = hash_of(instr) & (o->table_size - 1);
    for (; o->table[slot]; slot = (slot + 1) & (o->table_size - 1)) {
        struct air_instr *other = o->list[o->table[slot] - 1];
        if (!is_same(o, instr, other))
            continue;
        for (unsigned i = 0; i < instr->num_operands; i++) {
            if (instr->operands[i].kind == AIR_TEMP)
                o->uses[instr->operands[i].temp]--;
        }
        const int16_t type = is_half_temp(o, instr->defs[0].temp) ? AIR_U16 : AIR_U32;
        memset(&instr->isa, 0, sizeof(instr->isa));
        instr->isa.op = ADRENO_ISA_OP_MOV;
        instr->isa.field[ADRENO_ISA_FIELD_SRC_TYPE] = instr->isa.field[ADRENO_ISA_FIELD_DST_TYPE] = type;
        instr->num_operands = 1;
        instr->operands[0] = air_use(other->defs[0].temp);
        instr->operands[0].place = ADRENO_ISA_PLACE_SRC0;
        o->uses[other->defs[0].temp]++;
        o->is_changed = true;
        return;
    }
    o->list[o->num_list++] = instr;
    o->table[slot] = o->num_list;
}

/* ---- the walk ---- */

static void find_defs(struct optimiser *o)
{
    uint32_t most = 0;
    air_foreach_block(o->program, block)
    {
        uint32_t count = 0;
        air_foreach_instr(block, instr)
        {
            count++;
            for (unsigned i = 0; i < instr->num_defs; i++) {
                o->def[instr->defs[i].temp] = instr->num_defs == 1 ? instr : NULL;
                o->home[instr->defs[i].temp] = block->index;
            }
            for (unsigned i = 0; i < instr->num_operands; i++) {
                if (instr->operands[i].kind == AIR_TEMP)
                    o->uses[instr->operands[i].temp]++;
            }
            if (instr->is_tied && instr->operands[0].kind == AIR_TEMP)
                o->is_given[instr->operands[0].temp] = true;
        }
        most = MAX2(most, count);
    }
    o->def[0] = NULL;
    for (o->table_size = 16; o->table_size < most * 2; o->table_size *= 2)
        ;
    o->table = adreno_air_alloc(o->program, o->table_size * sizeof(*o->table));
    o->list = adreno_air_alloc(o->program, (most + 1) * sizeof(*o->list));
}

static void visit(struct optimiser *o, struct air_instr *instr, uint32_t block)
{
    for (unsigned i = instr->is_tied; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == AIR_TEMP)
            take_value(o, instr, i, block);
        if (instr->operands[i].kind == AIR_TEMP && !air_is_pseudo(instr))
            take_sign(o, instr, i);
    }
    if (instr->num_defs == 1 && instr->defs[0].temp)
        o->age[instr->defs[0].temp] = o->writes;
    else
        o->writes += instr->num_defs && !instr->defs[0].temp && instr->defs[0].special == ADRENO_ISA_REG_A0;
    if (air_is_pseudo(instr))
        return;
    saturate(o, instr);
    condition(o, instr);
    while (predicate(o, instr, block))
        ;
    share(o, instr);
}

void adreno_air_optimise(struct air_program *program)
{
    struct optimiser o = {.program = program};
    o.def = adreno_air_alloc(program, program->num_temps * sizeof(*o.def));
    o.home = adreno_air_alloc(program, program->num_temps * sizeof(*o.home));
    o.uses = adreno_air_alloc(program, program->num_temps * sizeof(*o.uses));
    o.age = adreno_air_alloc(program, program->num_temps * sizeof(*o.age));
    o.is_given = adreno_air_alloc(program, program->num_temps * sizeof(*o.is_given));
    find_defs(&o);
    air_foreach_block(program, block)
    {
        memset(o.table, 0, o.table_size * sizeof(*o.table));
        o.num_list = o.writes = 0;
        air_foreach_instr(block, instr) visit(&o, instr, block->index);
    }
}
