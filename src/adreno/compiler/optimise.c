/* Folding in the machine IR, before it is scheduled: constants and numbers into the instructions that can name them,
 * signs and saturation into their readers and writers, comparisons straight into p0.x, what selection computed twice.
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
    struct mach_program *program;
    struct mach_instr **def; /* by temporary */
    uint32_t *home;          /* by temporary: its block */
    uint32_t *uses;
    uint32_t *age;   /* by temporary: how often a0.x had been written before it, in its block */
    uint32_t writes; /* of a0.x, so far in this block */
    mach_temp *same; /* by temporary: another run of the same parts, which takes its place; 0: none */
    bool *is_given;  /* by temporary: an instruction writes its result over it, so that nothing else may read it */
    uint32_t *table; /* by hash: position in `list`, + 1 */
    struct mach_instr **list;
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

static bool is_half_temp(const struct optimiser *o, mach_temp temp)
{
    return air_is_half(o->program->temps[temp].class);
}

static bool is_plain_move(const struct mach_instr *instr)
{
    return instr->op == ADRENO_ISA_OP_MOV && instr->num_defs == 1 && instr->defs[0].temp && !instr->has_effect &&
           !instr->is_tied &&
           air_isa(instr)->field[ADRENO_ISA_FIELD_SRC_TYPE] == air_isa(instr)->field[ADRENO_ISA_FIELD_DST_TYPE] &&
           !instr->operands[0].flags && !air_isa(instr)->field[ADRENO_ISA_FIELD_SS];
}

/* Registers that the hardware fills before the program, and nothing writes. */
static bool is_input(const struct mach_operand *operand)
{
    return operand->kind == AIR_SPECIAL && operand->value >= ADRENO_ISA_REG_SHARED &&
           operand->value < ADRENO_ISA_REG_SHARED + 4;
}

static bool is_literal(const struct mach_operand *operand)
{
    return operand->kind == AIR_CONST || operand->kind == AIR_CONST_RELATIVE || operand->kind == MACH_NUMBER;
}

/* A constant that is counted from a0.x, read where a0.x still is what it was. */
static bool is_relative_now(const struct optimiser *o, const struct mach_operand *operand, mach_temp temp,
                            uint32_t block)
{
    return operand->kind == AIR_CONST_RELATIVE && o->uses[temp] == 1 && o->home[temp] == block &&
           o->age[temp] == o->writes;
}

/* ---- values into operands ---- */

/* Of the other sources: none may be a constant or a number as well. */
static bool is_only_literal(const struct mach_instr *instr, unsigned index)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (i != index && is_literal(&instr->operands[i]))
            return false;
    }
    return true;
}

/* The first and the third source of category 3 may both be constants of the file. */
static bool takes_second_constant(const struct mach_instr *instr, unsigned index, const struct mach_operand *value)
{
    if (!is_category_3(instr->op) || value->kind != AIR_CONST)
        return false;
    if (index == 1)
        return is_product(instr->op) && instr->operands[0].kind == MACH_TEMP && instr->operands[2].kind == AIR_CONST;
    return instr->operands[1].kind == MACH_TEMP && instr->operands[2 - index].kind == AIR_CONST;
}

/* Another source is a constant of the file or a shared register: of both there is one at most. */
static bool is_from_file(const struct mach_instr *instr, unsigned index)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const uint8_t kind = instr->operands[i].kind;
        if (i != index && (kind == AIR_CONST || kind == AIR_CONST_RELATIVE || kind == AIR_SPECIAL))
            return true;
    }
    return false;
}

static bool can_take(struct optimiser *o, struct mach_instr *instr, unsigned index, const struct mach_operand *value,
                     uint32_t block)
{
    const unsigned op = instr->op;
    const bool is_number = value->kind == MACH_NUMBER && value->value >= -MAX_NUMBER - 1 && value->value <= MAX_NUMBER;
    if (is_half_temp(o, instr->operands[index].temp))
        return false;
    if (op == ADRENO_ISA_OP_MOV)
        return value->kind == AIR_CONST &&
               (air_isa(instr)->field[ADRENO_ISA_FIELD_DST_TYPE] == AIR_U32 && instr->defs[0].temp &&
                air_isa(instr)->field[ADRENO_ISA_FIELD_SRC_TYPE] == AIR_U32);
    if (is_category_2(op) && is_input(value))
        return !instr->operands[index].flags && !is_from_file(instr, index);
    if (!is_only_literal(instr, index) && !takes_second_constant(instr, index, value))
        return false;
    const bool is_const = value->kind == AIR_CONST || is_relative_now(o, value, instr->operands[index].temp, block);
    if (is_category_2(op))
        return (is_const && !is_from_file(instr, index)) ||
               (is_number && !is_float_2(op) && !instr->operands[index].flags);
    if (!is_category_3(op) || !is_const)
        return false;
    if (index != 1)
        return true;
    if (!is_product(op) || instr->operands[0].kind != MACH_TEMP)
        return false;
    const struct mach_operand first = instr->operands[0];
    instr->operands[0] = instr->operands[1];
    instr->operands[1] = first;
    instr->operands[0].place = ADRENO_ISA_PLACE_SRC0;
    instr->operands[1].place = ADRENO_ISA_PLACE_SRC1;
    return true;
}

static void release_temp(struct optimiser *o, mach_temp temp)
{
    o->uses[temp]--;
    o->is_changed = true;
}

/* The float of the instruction set that is the number; -1: none. */
static int32_t float_of(uint32_t number)
{
    static const uint32_t floats[] = {0,          0x3f000000, 0x3f800000, 0x40000000, 0x402df854, 0x40490fdb,
                                      0x3ea2f983, 0x3f317218, 0x3fb8aa3b, 0x3e9a209b, 0x40549a78, 0x40800000};
    for (unsigned i = 0; i < ARRAY_SIZE(floats); i++) {
        if (floats[i] == number)
            return (int32_t)i;
    }
    return -1;
}

/* Of category 2, whose other source may then be a constant. */
static bool takes_float(const struct optimiser *o, const struct mach_instr *instr, unsigned index, uint32_t number,
                        struct mach_operand *float_out)
{
    if (!is_float_2(instr->op) || instr->num_operands != 2 || instr->operands[index].flags ||
        is_half_temp(o, instr->operands[index].temp) || instr->operands[1 - index].kind == MACH_NUMBER ||
        instr->operands[1 - index].kind == AIR_FLOAT || instr->operands[1 - index].kind == AIR_CONST_RELATIVE)
        return false;
    *float_out = (struct mach_operand){.kind = AIR_FLOAT, .value = float_of(number), .reg = MACH_NO_REG};
    return float_out->value >= 0;
}

/* A number that has no place in the instruction, as a constant of the file. */
static bool takes_constant(struct optimiser *o, struct mach_instr *instr, unsigned index, uint32_t number,
                           uint32_t block, struct mach_operand *constant_out)
{
    *constant_out = air_const(0);
    if (instr->op == ADRENO_ISA_OP_MOV || !can_take(o, instr, index, constant_out, block))
        return false;
    constant_out->value = air_own(o->program)->constant_of(air_own(o->program)->constants, number);
    return constant_out->value >= 0;
}

/* A part of a run, which a move brings there in any case. */
static void take_part(struct optimiser *o, struct mach_operand *operand, const struct mach_operand *value)
{
    if (value->kind != MACH_NUMBER && (value->kind != AIR_CONST || is_half_temp(o, operand->temp)))
        return;
    release_temp(o, operand->temp);
    operand->kind = value->kind;
    operand->value = value->value;
}

static void take_value(struct optimiser *o, struct mach_instr *instr, unsigned index, uint32_t block)
{
    struct mach_operand *operand = &instr->operands[index];
    const struct mach_instr *def = o->def[operand->temp];
    /* Copies of copies, down to what they are of. */
    while (def && is_plain_move(def) && def->operands[0].kind == MACH_TEMP &&
           is_half_temp(o, def->operands[0].temp) == is_half_temp(o, operand->temp)) {
        release_temp(o, operand->temp);
        operand->temp = def->operands[0].temp;
        o->uses[operand->temp]++;
        def = o->def[operand->temp];
    }
    if (!def || !is_plain_move(def) || def->operands[0].kind == MACH_TEMP)
        return;
    const struct mach_operand *value = &def->operands[0];
    if (instr->op == MACH_P_COLLECT) {
        take_part(o, operand, value);
        return;
    }
    if (mach_is_pseudo(instr))
        return;
    struct mach_operand constant;
    if (value->kind == MACH_NUMBER && takes_float(o, instr, index, (uint32_t)value->value, &constant)) {
        value = &constant;
    } else if (!can_take(o, instr, index, value, block)) {
        if (value->kind != MACH_NUMBER || !takes_constant(o, instr, index, (uint32_t)value->value, block, &constant))
            return;
        value = &constant;
    }
    struct mach_operand *to = &instr->operands[index];
    if (to->temp != def->defs[0].temp) /* sources were exchanged */
        to = &instr->operands[1 - index];
    release_temp(o, to->temp);
    to->kind = value->kind;
    to->value = value->value;
}

/* ---- signs ---- */

#define SIGNS (ADRENO_ISA_FLAG_NEG | ADRENO_ISA_FLAG_ABS)

static bool is_special(unsigned op)
{
    return op >= ADRENO_ISA_OP_RCP && op <= ADRENO_ISA_OP_HEXP2;
}

/* Which signs source `index` may have. */
static uint8_t signs_of(unsigned op, unsigned index, unsigned def_op)
{
    if (def_op == ADRENO_ISA_OP_ABSNEG_F) {
        if (is_float_2(op) || is_special(op))
            return SIGNS;
        const bool is_choice = op == ADRENO_ISA_OP_SEL_B32 && index != 1; /* of bits, whose highest one is turned */
        return op == ADRENO_ISA_OP_MAD_F32 || op == ADRENO_ISA_OP_MAD_F16 || is_choice ? ADRENO_ISA_FLAG_NEG : 0;
    }
    if (def_op == ADRENO_ISA_OP_ABSNEG_S)
        return op == ADRENO_ISA_OP_ADD_S ? ADRENO_ISA_FLAG_NEG : 0;
    return op == ADRENO_ISA_OP_AND_B || op == ADRENO_ISA_OP_OR_B ? ADRENO_ISA_FLAG_NEG : 0; /* inverts */
}

static void take_sign(struct optimiser *o, struct mach_instr *instr, unsigned index)
{
    struct mach_operand *operand = &instr->operands[index];
    const struct mach_instr *def = o->def[operand->temp];
    if (!def || def->num_operands != 1 || air_isa(def)->field[ADRENO_ISA_FIELD_SAT] ||
        (def->op != ADRENO_ISA_OP_ABSNEG_F && def->op != ADRENO_ISA_OP_ABSNEG_S && def->op != ADRENO_ISA_OP_NOT_B))
        return;
    const struct mach_operand *inner = &def->operands[0];
    const uint8_t inner_signs = def->op == ADRENO_ISA_OP_NOT_B ? ADRENO_ISA_FLAG_NEG : inner->flags & SIGNS;
    uint8_t signs = operand->flags & SIGNS;
    if (inner->kind != MACH_TEMP || is_half_temp(o, inner->temp) != is_half_temp(o, operand->temp) ||
        (def->op == ADRENO_ISA_OP_NOT_B && inner->flags))
        return;
    if (!(signs & ADRENO_ISA_FLAG_ABS))
        signs = (uint8_t)((inner_signs & ADRENO_ISA_FLAG_ABS) | ((inner_signs ^ signs) & ADRENO_ISA_FLAG_NEG));
    if (signs & ~signs_of(instr->op, index, def->op) || !signs_of(instr->op, index, def->op))
        return;
    release_temp(o, operand->temp);
    operand->temp = inner->temp;
    operand->flags = (uint8_t)((operand->flags & ~SIGNS) | signs);
    o->uses[inner->temp]++;
}

/* ---- results ---- */

/* (sat)max.f x, x of a float operation that nothing else reads: the operation saturates. */
static void fold_saturation(struct optimiser *o, struct mach_instr *instr)
{
    if (instr->op != ADRENO_ISA_OP_MAX_F || !air_isa(instr)->field[ADRENO_ISA_FIELD_SAT] ||
        instr->operands[0].kind != MACH_TEMP || instr->operands[1].kind != MACH_TEMP ||
        instr->operands[0].temp != instr->operands[1].temp || instr->operands[0].flags || instr->operands[1].flags)
        return;
    struct mach_instr *def = o->def[instr->operands[0].temp];
    const unsigned op = def ? def->op : 0;
    if (!def || o->uses[instr->operands[0].temp] != 2 || air_isa(def)->field[ADRENO_ISA_FIELD_SAT] ||
        (op != ADRENO_ISA_OP_ADD_F && op != ADRENO_ISA_OP_MUL_F && op != ADRENO_ISA_OP_MAD_F32 &&
         op != ADRENO_ISA_OP_MAD_F16) ||
        is_half_temp(o, instr->defs[0].temp) != is_half_temp(o, def->defs[0].temp))
        return;
    /* This one becomes a copy, which its readers look through. */
    air_isa(def)->field[ADRENO_ISA_FIELD_SAT] = 1;
    const struct mach_operand source = instr->operands[0];
    const int16_t type = is_half_temp(o, source.temp) ? AIR_U16 : AIR_U32;
    memset(air_isa(instr), 0, sizeof(struct adreno_isa_inst));
    instr->op = ADRENO_ISA_OP_MOV;
    air_isa(instr)->field[ADRENO_ISA_FIELD_SRC_TYPE] = air_isa(instr)->field[ADRENO_ISA_FIELD_DST_TYPE] = type;
    instr->num_operands = 1;
    release_temp(o, source.temp);
}

static bool makes_boolean(unsigned op)
{
    return op == ADRENO_ISA_OP_CMPS_F || op == ADRENO_ISA_OP_CMPS_U || op == ADRENO_ISA_OP_CMPS_S ||
           op == ADRENO_ISA_OP_AND_B || op == ADRENO_ISA_OP_OR_B || op == ADRENO_ISA_OP_XOR_B;
}

/* A comparison with zero. */
static bool compares_with_zero(const struct mach_instr *instr, int cond)
{
    return (instr->op == ADRENO_ISA_OP_CMPS_S || instr->op == ADRENO_ISA_OP_CMPS_U) &&
           air_isa(instr)->field[ADRENO_ISA_FIELD_COND] == cond && instr->operands[0].kind == MACH_TEMP &&
           !instr->operands[0].flags && instr->operands[1].kind == MACH_NUMBER && !instr->operands[1].value;
}

/* A select asks whether its condition is zero, and so does the comparison that makes it. */
static void condition(struct optimiser *o, struct mach_instr *instr)
{
    if (instr->op != ADRENO_ISA_OP_SEL_B32 || instr->operands[1].kind != MACH_TEMP)
        return;
    const struct mach_instr *def = o->def[instr->operands[1].temp];
    const bool is_equal = def && compares_with_zero(def, COND_EQ);
    if (!def || (!is_equal && !compares_with_zero(def, COND_NE)) || is_half_temp(o, def->operands[0].temp))
        return;
    release_temp(o, instr->operands[1].temp);
    instr->operands[1].temp = def->operands[0].temp;
    o->uses[def->operands[0].temp]++;
    if (is_equal) {
        const struct mach_operand first = instr->operands[0];
        instr->operands[0] = instr->operands[2];
        instr->operands[2] = first;
        instr->operands[0].place = ADRENO_ISA_PLACE_SRC0;
        instr->operands[2].place = ADRENO_ISA_PLACE_SRC2;
    }
}

/* cmps.s.ne p0.x, t, 0 where t is read by nothing else: what makes t writes p0.x. */
static bool predicate(struct optimiser *o, struct mach_instr *instr, uint32_t block)
{
    if (!compares_with_zero(instr, COND_NE) || instr->defs[0].temp || instr->defs[0].special < ADRENO_ISA_REG_P0 ||
        instr->defs[0].special >= ADRENO_ISA_REG_P0 + 4)
        return false;
    const mach_temp value = instr->operands[0].temp;
    const struct mach_instr *def = o->def[value];
    if (!def || o->uses[value] != 1 || o->home[value] != block || is_half_temp(o, value) || !makes_boolean(def->op) ||
        def->num_operands != 2)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        if (def->operands[i].kind == MACH_TEMP)
            o->uses[def->operands[i].temp]++;
        instr->operands[i] = def->operands[i];
    }
    instr->op = def->op;
    *air_isa(instr) = *air_isa(def);
    air_isa(instr)->field[ADRENO_ISA_FIELD_CONV] = 0; /* a predicate has no size */
    release_temp(o, value);
    return true;
}

/* ---- what was computed before, in the same block ---- */

static bool is_pure(const struct mach_instr *instr)
{
    const unsigned op = instr->op;
    if (mach_is_pseudo(instr) || op < ADRENO_ISA_OP_MOV || op > ADRENO_ISA_OP_HEXP2 || op == ADRENO_ISA_OP_BARY_F ||
        op == ADRENO_ISA_OP_FLAT_B || op == ADRENO_ISA_OP_MOVMSK || instr->has_effect || instr->is_tied ||
        instr->num_defs != 1 || !instr->defs[0].temp || air_isa(instr)->field[ADRENO_ISA_FIELD_SS])
        return false;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const uint8_t kind = instr->operands[i].kind;
        if (kind != MACH_TEMP && kind != AIR_CONST && kind != AIR_FLOAT && kind != MACH_NUMBER &&
            !is_input(&instr->operands[i]))
            return false;
    }
    return true;
}

static uint32_t hash_of(const struct mach_instr *instr)
{
    uint32_t hash = instr->op * 0x9e3779b1u;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mach_operand *operand = &instr->operands[i];
        hash = (hash ^ (uint32_t)operand->value ^ (uint32_t)operand->kind << 28 ^ (uint32_t)operand->flags << 20) *
               0x85ebca6bu;
        hash ^= hash >> 15;
    }
    return hash;
}

static bool is_same(const struct optimiser *o, const struct mach_instr *a, const struct mach_instr *b)
{
    if (a->op != b->op || a->num_operands != b->num_operands ||
        memcmp(air_isa(a), air_isa(b), sizeof(struct adreno_isa_inst)) != 0 ||
        is_half_temp(o, a->defs[0].temp) != is_half_temp(o, b->defs[0].temp))
        return false;
    for (unsigned i = 0; i < a->num_operands; i++) {
        const struct mach_operand *x = &a->operands[i], *y = &b->operands[i];
        if (x->kind != y->kind || x->value != y->value || x->flags != y->flags || x->place != y->place)
            return false;
    }
    return true;
}

/* True where another one has the same value: this one becomes a copy of it. */
static void share_value(struct optimiser *o, struct mach_instr *instr)
{
    if (!is_pure(instr) || o->is_given[instr->defs[0].temp] ||
        (instr->op == ADRENO_ISA_OP_MOV && instr->operands[0].kind == MACH_TEMP))
        return;
    uint32_t slot = hash_of(instr) & (o->table_size - 1);
    for (; o->table[slot]; slot = (slot + 1) & (o->table_size - 1)) {
        struct mach_instr *other = o->list[o->table[slot] - 1];
        if (!is_same(o, instr, other))
            continue;
        for (unsigned i = 0; i < instr->num_operands; i++) {
            if (instr->operands[i].kind == MACH_TEMP)
                o->uses[instr->operands[i].temp]--;
        }
        const int16_t type = is_half_temp(o, instr->defs[0].temp) ? AIR_U16 : AIR_U32;
        memset(air_isa(instr), 0, sizeof(struct adreno_isa_inst));
        instr->op = ADRENO_ISA_OP_MOV;
        air_isa(instr)->field[ADRENO_ISA_FIELD_SRC_TYPE] = air_isa(instr)->field[ADRENO_ISA_FIELD_DST_TYPE] = type;
        instr->num_operands = 1;
        instr->operands[0] = mach_use(other->defs[0].temp);
        instr->operands[0].place = ADRENO_ISA_PLACE_SRC0;
        o->uses[other->defs[0].temp]++;
        o->is_changed = true;
        return;
    }
    o->list[o->num_list++] = instr;
    o->table[slot] = o->num_list;
}

/* A run of the same parts: who reads this one reads the other. */
static void share_run(struct optimiser *o, struct mach_instr *instr)
{
    const mach_temp run = instr->defs[0].temp;
    if (o->is_given[run])
        return;
    uint32_t slot = hash_of(instr) & (o->table_size - 1);
    for (; o->table[slot]; slot = (slot + 1) & (o->table_size - 1)) {
        const struct mach_instr *other = o->list[o->table[slot] - 1];
        if (!is_same(o, instr, other))
            continue;
        o->same[run] = other->defs[0].temp;
        return;
    }
    o->list[o->num_list++] = instr;
    o->table[slot] = o->num_list;
}

/* ---- the walk ---- */

static void find_defs(struct optimiser *o)
{
    uint32_t most = 0;
    mach_foreach_block(o->program, block)
    {
        uint32_t count = 0;
        mach_foreach_instr(block, instr)
        {
            count++;
            for (unsigned i = 0; i < instr->num_defs; i++) {
                o->def[instr->defs[i].temp] = instr->num_defs == 1 ? instr : NULL;
                o->home[instr->defs[i].temp] = block->index;
            }
            for (unsigned i = 0; i < instr->num_operands; i++) {
                if (instr->operands[i].kind == MACH_TEMP)
                    o->uses[instr->operands[i].temp]++;
            }
            if (instr->is_tied && instr->operands[0].kind == MACH_TEMP)
                o->is_given[instr->operands[0].temp] = true;
        }
        most = MAX2(most, count);
    }
    o->def[0] = NULL;
    for (o->table_size = 16; o->table_size < most * 2; o->table_size *= 2)
        ;
    o->table = mach_alloc(o->program, o->table_size * sizeof(*o->table));
    o->list = mach_alloc(o->program, (most + 1) * sizeof(*o->list));
}

static void visit_instr(struct optimiser *o, struct mach_instr *instr, uint32_t block)
{
    for (unsigned i = instr->is_tied; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MACH_TEMP && o->same[instr->operands[i].temp]) {
            release_temp(o, instr->operands[i].temp);
            instr->operands[i].temp = o->same[instr->operands[i].temp];
            o->uses[instr->operands[i].temp]++;
        }
        if (instr->operands[i].kind == MACH_TEMP)
            take_value(o, instr, i, block);
        if (instr->operands[i].kind == MACH_TEMP && !mach_is_pseudo(instr))
            take_sign(o, instr, i);
    }
    if (instr->num_defs == 1 && instr->defs[0].temp)
        o->age[instr->defs[0].temp] = o->writes;
    else
        o->writes += instr->num_defs && !instr->defs[0].temp && instr->defs[0].special == ADRENO_ISA_REG_A0;
    if (instr->op == MACH_P_COLLECT)
        share_run(o, instr);
    if (mach_is_pseudo(instr))
        return;
    fold_saturation(o, instr);
    condition(o, instr);
    while (predicate(o, instr, block))
        ;
    share_value(o, instr);
}

void adreno_air_optimise(struct mach_program *program)
{
    struct optimiser o = {.program = program};
    o.def = mach_alloc(program, program->num_temps * sizeof(*o.def));
    o.home = mach_alloc(program, program->num_temps * sizeof(*o.home));
    o.uses = mach_alloc(program, program->num_temps * sizeof(*o.uses));
    o.age = mach_alloc(program, program->num_temps * sizeof(*o.age));
    o.same = mach_alloc(program, program->num_temps * sizeof(*o.same));
    o.is_given = mach_alloc(program, program->num_temps * sizeof(*o.is_given));
    find_defs(&o);
    mach_foreach_block(program, block)
    {
        memset(o.table, 0, o.table_size * sizeof(*o.table));
        o.num_list = o.writes = 0;
        mach_foreach_instr(block, instr) visit_instr(&o, instr, block->index);
    }
}
