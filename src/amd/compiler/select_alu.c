/* Operations that are one instruction: a table of the scalar and the vector form of each operation and width. What
 * takes more than one instruction is in select_alu_*.c and select_convert.c. */
#include <pthread.h>

#include "amd/compiler/select.h"

#define NONE ISA_OP_COUNT

/* How a row's operands are read. */
enum row_flags {
    FLOAT = 1 << 0,    /* looks through negation and absolute value */
    REVERSED = 1 << 1, /* the vector form has the first two operands exchanged (shifts) */
    CLAMP = 1 << 2,
    ZERO = 1 << 3, /* the vector form has a zero as its last operand */
};

struct row {
    uint16_t op;
    uint8_t bits; /* of the first operand (of the result where it has none) */
    uint8_t packed;
    uint16_t scalar, vector;
    uint8_t flags;
};

#define S(name) ISA_OP_S_##name
#define V(name) ISA_OP_V_##name
#define OP(name) IR_OP_##name

/* An operation of floats at all widths, at those of the approximations, and on two halves. */
#define FLOAT_ROW(op, bits, name)                                                                                      \
    {                                                                                                                  \
        OP(op), bits, 0, NONE, V(name##_F##bits), FLOAT                                                                \
    }
#define NARROW_FLOAT_ROWS(op, name) FLOAT_ROW(op, 16, name), FLOAT_ROW(op, 32, name)
#define FLOAT_ROWS(op, name) NARROW_FLOAT_ROWS(op, name), FLOAT_ROW(op, 64, name)
#define PACKED_ROW(op, name)                                                                                           \
    {                                                                                                                  \
        OP(op), 16, 1, NONE, V(PK_##name), 0                                                                           \
    }

static const struct row rows[] = {
    /* floats */
    FLOAT_ROWS(fadd, ADD),
    PACKED_ROW(fadd, ADD_F16),
    FLOAT_ROWS(fmul, MUL),
    PACKED_ROW(fmul, MUL_F16),
    FLOAT_ROWS(ffma, FMA),
    PACKED_ROW(ffma, FMA_F16),
    FLOAT_ROWS(fmin, MIN),
    PACKED_ROW(fmin, MIN_F16),
    FLOAT_ROWS(fmax, MAX),
    PACKED_ROW(fmax, MAX_F16),
    FLOAT_ROWS(ffloor, FLOOR),
    FLOAT_ROWS(fceil, CEIL),
    FLOAT_ROWS(ftrunc, TRUNC),
    FLOAT_ROWS(fround, RNDNE),
    FLOAT_ROWS(ffract, FRACT),
    NARROW_FLOAT_ROWS(frcp, RCP),
    NARROW_FLOAT_ROWS(frsq, RSQ),
    NARROW_FLOAT_ROWS(fsqrt, SQRT),
    NARROW_FLOAT_ROWS(fexp2, EXP),
    NARROW_FLOAT_ROWS(flog2, LOG),
    FLOAT_ROWS(ffrexp_mant, FREXP_MANT),
    FLOAT_ROWS(feq, CMP_EQ),
    FLOAT_ROWS(flg, CMP_LG),
    FLOAT_ROWS(flt, CMP_LT),
    FLOAT_ROWS(fge, CMP_GE),
    FLOAT_ROWS(ford, CMP_O),
    {OP(fldexp), 32, 0, NONE, V(LDEXP_F32), 0},
    {OP(fldexp), 64, 0, NONE, V(LDEXP_F64), 0},
    {OP(ffrexp_exp), 32, 0, NONE, V(FREXP_EXP_I32_F32), FLOAT},
    {OP(ffrexp_exp), 64, 0, NONE, V(FREXP_EXP_I32_F64), FLOAT},
    {OP(pkrtz), 32, 0, NONE, V(CVT_PKRTZ_F16_F32), FLOAT},
    /* integers */
    {OP(iadd), 16, 0, NONE, V(ADD_NC_U16), 0},
    {OP(iadd), 32, 0, S(ADD_U32), V(ADD_NC_U32), 0},
    PACKED_ROW(iadd, ADD_U16),
    {OP(isub), 16, 0, NONE, V(SUB_NC_U16), 0},
    {OP(isub), 32, 0, S(SUB_U32), V(SUB_NC_U32), 0},
    PACKED_ROW(isub, SUB_U16),
    {OP(imul), 16, 0, NONE, V(MUL_LO_U16), 0},
    {OP(imul), 32, 0, S(MUL_I32), V(MUL_LO_U32), 0},
    PACKED_ROW(imul, MUL_LO_U16),
    {OP(imul_hi), 32, 0, S(MUL_HI_I32), V(MUL_HI_I32), 0},
    {OP(umul_hi), 32, 0, S(MUL_HI_U32), V(MUL_HI_U32), 0},
    {OP(umul24), 32, 0, NONE, V(MUL_U32_U24), 0},
    {OP(imul24), 32, 0, NONE, V(MUL_I32_I24), 0},
    {OP(imin), 16, 0, NONE, V(MIN_I16), 0},
    {OP(imin), 32, 0, S(MIN_I32), V(MIN_I32), 0},
    PACKED_ROW(imin, MIN_I16),
    {OP(imax), 16, 0, NONE, V(MAX_I16), 0},
    {OP(imax), 32, 0, S(MAX_I32), V(MAX_I32), 0},
    PACKED_ROW(imax, MAX_I16),
    {OP(umin), 16, 0, NONE, V(MIN_U16), 0},
    {OP(umin), 32, 0, S(MIN_U32), V(MIN_U32), 0},
    PACKED_ROW(umin, MIN_U16),
    {OP(umax), 16, 0, NONE, V(MAX_U16), 0},
    {OP(umax), 32, 0, S(MAX_U32), V(MAX_U32), 0},
    PACKED_ROW(umax, MAX_U16),
    {OP(iadd_sat), 16, 0, NONE, V(ADD_NC_I16), CLAMP},
    {OP(iadd_sat), 32, 0, NONE, V(ADD_NC_I32), CLAMP},
    {OP(iadd_sat), 16, 1, NONE, V(PK_ADD_I16), CLAMP},
    {OP(isub_sat), 16, 0, NONE, V(SUB_NC_I16), CLAMP},
    {OP(isub_sat), 32, 0, NONE, V(SUB_NC_I32), CLAMP},
    {OP(isub_sat), 16, 1, NONE, V(PK_SUB_I16), CLAMP},
    {OP(uadd_sat), 16, 0, NONE, V(ADD_NC_U16), CLAMP},
    {OP(uadd_sat), 32, 0, NONE, V(ADD_NC_U32), CLAMP},
    {OP(uadd_sat), 16, 1, NONE, V(PK_ADD_U16), CLAMP},
    {OP(usub_sat), 16, 0, NONE, V(SUB_NC_U16), CLAMP},
    {OP(usub_sat), 32, 0, NONE, V(SUB_NC_U32), CLAMP},
    {OP(usub_sat), 16, 1, NONE, V(PK_SUB_U16), CLAMP},
    /* bits */
    {OP(iand), 32, 0, S(AND_B32), V(AND_B32), 0},
    {OP(ior), 32, 0, S(OR_B32), V(OR_B32), 0},
    {OP(ixor), 32, 0, S(XOR_B32), V(XOR_B32), 0},
    {OP(inot), 32, 0, S(NOT_B32), V(NOT_B32), 0},
    {OP(iand), 16, 0, S(AND_B32), V(AND_B32), 0},
    {OP(ior), 16, 0, S(OR_B32), V(OR_B32), 0},
    {OP(ixor), 16, 0, S(XOR_B32), V(XOR_B32), 0},
    {OP(inot), 16, 0, S(NOT_B32), V(NOT_B32), 0},
    {OP(iand), 16, 1, S(AND_B32), V(AND_B32), 0},
    {OP(ior), 16, 1, S(OR_B32), V(OR_B32), 0},
    {OP(ixor), 16, 1, S(XOR_B32), V(XOR_B32), 0},
    {OP(inot), 16, 1, S(NOT_B32), V(NOT_B32), 0},
    {OP(iand), 8, 0, S(AND_B32), V(AND_B32), 0},
    {OP(ior), 8, 0, S(OR_B32), V(OR_B32), 0},
    {OP(ixor), 8, 0, S(XOR_B32), V(XOR_B32), 0},
    {OP(inot), 8, 0, S(NOT_B32), V(NOT_B32), 0},
    {OP(iand), 64, 0, S(AND_B64), NONE, 0},
    {OP(ior), 64, 0, S(OR_B64), NONE, 0},
    {OP(ixor), 64, 0, S(XOR_B64), NONE, 0},
    {OP(inot), 64, 0, S(NOT_B64), NONE, 0},
    {OP(ishl), 16, 0, NONE, V(LSHLREV_B16), REVERSED},
    {OP(ishl), 32, 0, S(LSHL_B32), V(LSHLREV_B32), REVERSED},
    {OP(ishl), 64, 0, S(LSHL_B64), V(LSHLREV_B64), REVERSED},
    {OP(ushr), 16, 0, NONE, V(LSHRREV_B16), REVERSED},
    {OP(ushr), 32, 0, S(LSHR_B32), V(LSHRREV_B32), REVERSED},
    {OP(ushr), 64, 0, S(LSHR_B64), V(LSHRREV_B64), REVERSED},
    {OP(ishr), 16, 0, NONE, V(ASHRREV_I16), REVERSED},
    {OP(ishr), 32, 0, S(ASHR_I32), V(ASHRREV_I32), REVERSED},
    {OP(ishr), 64, 0, S(ASHR_I64), V(ASHRREV_I64), REVERSED},
    {OP(bitselect), 32, 0, NONE, V(BFI_B32), 0},
    {OP(brev), 32, 0, S(BREV_B32), V(BFREV_B32), 0},
    {OP(brev), 64, 0, S(BREV_B64), NONE, 0},
    {OP(bcount), 32, 0, S(BCNT1_I32_B32), V(BCNT_U32_B32), ZERO},
    {OP(bcount), 64, 0, S(BCNT1_I32_B64), NONE, 0},
    {OP(find_lsb), 32, 0, S(FF1_I32_B32), V(FFBL_B32), 0},
    {OP(find_lsb), 64, 0, S(FF1_I32_B64), NONE, 0},
    /* comparisons of integers on the vector unit */
    {OP(ieq), 16, 0, NONE, V(CMP_EQ_U16), 0},
    {OP(ieq), 32, 0, NONE, V(CMP_EQ_U32), 0},
    {OP(ieq), 64, 0, NONE, V(CMP_EQ_U64), 0},
    {OP(ine), 16, 0, NONE, V(CMP_NE_U16), 0},
    {OP(ine), 32, 0, NONE, V(CMP_NE_U32), 0},
    {OP(ine), 64, 0, NONE, V(CMP_NE_U64), 0},
    {OP(ilt), 16, 0, NONE, V(CMP_LT_I16), 0},
    {OP(ilt), 32, 0, NONE, V(CMP_LT_I32), 0},
    {OP(ilt), 64, 0, NONE, V(CMP_LT_I64), 0},
    {OP(ige), 16, 0, NONE, V(CMP_GE_I16), 0},
    {OP(ige), 32, 0, NONE, V(CMP_GE_I32), 0},
    {OP(ige), 64, 0, NONE, V(CMP_GE_I64), 0},
    {OP(ult), 16, 0, NONE, V(CMP_LT_U16), 0},
    {OP(ult), 32, 0, NONE, V(CMP_LT_U32), 0},
    {OP(ult), 64, 0, NONE, V(CMP_LT_U64), 0},
    {OP(uge), 16, 0, NONE, V(CMP_GE_U16), 0},
    {OP(uge), 32, 0, NONE, V(CMP_GE_U32), 0},
    {OP(uge), 64, 0, NONE, V(CMP_GE_U64), 0},
};

/* A few rows for each operation: found from the first on. 1 and up; 0: none. */
static uint16_t first[IR_OP_COUNT];
static pthread_once_t first_filled = PTHREAD_ONCE_INIT;

static void fill_first(void)
{
    for (unsigned i = sizeof(rows) / sizeof(rows[0]); i-- > 0;)
        first[rows[i].op] = (uint16_t)(i + 1);
}

static const struct row *find_row(const struct ir_instr *instr)
{
    pthread_once(&first_filled, fill_first);
    unsigned bits = instr->num_srcs ? ir_src(instr, 0)->bits : instr->def.bits;
    bool packed = instr->num_srcs && ir_src(instr, 0)->comps == 2;
    unsigned count = sizeof(rows) / sizeof(rows[0]);
    for (unsigned i = first[instr->op] ? first[instr->op] - 1u : count; i < count; i++) {
        if (rows[i].op == instr->op && rows[i].bits == bits && rows[i].packed == packed)
            return &rows[i];
    }
    return NULL;
}

/* ---- comparisons on the scalar unit ---- */

static unsigned scalar_compare(const struct ir_instr *instr)
{
    unsigned bits = instr->num_srcs ? ir_src(instr, 0)->bits : 0;
    if (bits == 64)
        return instr->op == IR_OP_ieq ? ISA_OP_S_CMP_EQ_U64 : instr->op == IR_OP_ine ? ISA_OP_S_CMP_LG_U64 : NONE;
    if (bits != 32 && bits != 1)
        return NONE;
    switch (instr->op) {
    case IR_OP_ieq:
        return ISA_OP_S_CMP_EQ_U32;
    case IR_OP_ine:
        return ISA_OP_S_CMP_LG_U32;
    case IR_OP_ilt:
        return ISA_OP_S_CMP_LT_I32;
    case IR_OP_ige:
        return ISA_OP_S_CMP_GE_I32;
    case IR_OP_ult:
        return ISA_OP_S_CMP_LT_U32;
    case IR_OP_uge:
        return ISA_OP_S_CMP_GE_U32;
    default:
        return NONE;
    }
}

bool amd_sel_is_scalar_compare(const struct select *ctx, const struct ir_instr *instr)
{
    return instr->def.bits == 1 && amd_sel_place_of(ctx, &instr->def) == SEL_BOOL && scalar_compare(instr) != NONE;
}

bool amd_sel_compare_scc(struct select *ctx, const struct ir_instr *instr, mir_temp *scc_out)
{
    unsigned op = scalar_compare(instr);
    if (op == NONE)
        return false;
    bool one_bit = ir_src(instr, 0)->bits == 1;
    struct mir_operand a = one_bit ? mir_use(amd_sel_bool(ctx, ir_src(instr, 0))) : amd_sel_use(ctx, ir_src(instr, 0));
    struct mir_operand b = one_bit ? mir_use(amd_sel_bool(ctx, ir_src(instr, 1))) : amd_sel_use(ctx, ir_src(instr, 1));
    *scc_out = amd_sel_sopc(ctx, op, a, b);
    return true;
}

/* Whether some reader needs the 0 or 1 itself and not only scc. */
static bool wants_bool(const struct select *ctx, const struct ir_value *value)
{
    ir_foreach_use (value, use) {
        if (!use->instr)
            continue;
        const struct ir_instr *reader = use->instr;
        bool reads_scc = reader->op == IR_OP_b2i ||
                         (reader->op == IR_OP_select && ir_src(reader, 0) == value && ir_src(reader, 1) != value) ||
                         reader->op == IR_OP_inot;
        if (!reads_scc || amd_sel_place_of(ctx, &reader->def) == SEL_MASK)
            return true;
    }
    return false;
}

/* ---- selection ---- */

bool amd_sel_alu_has_scalar(const struct ir_instr *instr)
{
    const struct row *row = find_row(instr);
    if (row && row->scalar != NONE)
        return true;
    if (scalar_compare(instr) != NONE)
        return true;
    unsigned bits = instr->num_srcs ? ir_src(instr, 0)->bits : 0;
    switch (instr->op) {
    case IR_OP_iand:
    case IR_OP_ior:
    case IR_OP_ixor:
    case IR_OP_inot:
        return bits == 1;
    case IR_OP_iadd:
    case IR_OP_isub:
    case IR_OP_ineg:
        return bits == 64 || bits == 32;
    case IR_OP_imul:
        return bits == 64;
    case IR_OP_iabs:
    case IR_OP_uadd_carry:
    case IR_OP_usub_borrow:
    case IR_OP_ubfe:
    case IR_OP_ibfe:
    case IR_OP_bfi:
    case IR_OP_ufind_msb:
    case IR_OP_ifind_msb:
        return bits == 32;
    case IR_OP_i2i:
    case IR_OP_u2u:
    case IR_OP_b2i:
        return true;
    default:
        return false;
    }
}

/* Looks through negation and absolute value. */
static struct mir_operand float_source(struct select *ctx, const struct ir_value *value, bool *neg, bool *abs)
{
    *neg = *abs = false;
    for (;;) {
        const struct ir_instr *def = ir_def_instr(value);
        if (def->op == IR_OP_fneg && value->comps == 1) {
            *neg ^= !*abs;
        } else if (def->op == IR_OP_fabs && value->comps == 1) {
            *abs = true;
        } else {
            return amd_sel_use(ctx, value);
        }
        value = ir_src(def, 0);
    }
}

static void select_vector(struct select *ctx, struct ir_instr *instr, const struct row *row)
{
    struct mir_operand operands[4];
    unsigned neg = 0, abs = 0, count = instr->num_srcs;
    for (unsigned i = 0; i < count; i++) {
        bool negative = false, absolute = false;
        unsigned at = row->flags & REVERSED ? 1 - i : i;
        operands[at] = row->flags & FLOAT ? float_source(ctx, ir_src(instr, i), &negative, &absolute)
                                          : amd_sel_use(ctx, ir_src(instr, i));
        neg |= (unsigned)negative << at;
        abs |= (unsigned)absolute << at;
    }
    if (row->flags & ZERO)
        operands[count++] = mir_const(0);
    mir_temp result = amd_sel_temp(ctx, instr->def.bits == 1 ? ctx->program->lane_mask
                                                             : MIR_V((uint8_t)amd_sel_value_dwords(&instr->def)));
    struct mir_instr *out = amd_sel_vop_instr(ctx, row->vector, result, count, operands);
    out->alu.neg = (uint8_t)neg;
    out->alu.abs = (uint8_t)abs;
    out->alu.clamp = row->flags & CLAMP ? 1 : 0;
    amd_sel_define(ctx, &instr->def, result);
}

bool amd_sel_alu(struct select *ctx, struct ir_instr *instr)
{
    if (amd_sel_is_scalar_compare(ctx, instr)) {
        mir_temp scc;
        if (wants_bool(ctx, &instr->def) && amd_sel_compare_scc(ctx, instr, &scc))
            amd_sel_define_scc(ctx, &instr->def, scc);
        return true;
    }
    const struct row *row = find_row(instr);
    if (!row || (instr->num_srcs && ir_src(instr, 0)->bits == 1))
        return false;
    bool scalar = instr->def.bits > 1 && amd_sel_place_of(ctx, &instr->def) == SEL_SGPR;
    if (scalar && row->scalar != NONE) {
        unsigned dwords = amd_sel_value_dwords(&instr->def);
        struct mir_operand a = amd_sel_use(ctx, ir_src(instr, 0));
        mir_temp result = instr->num_srcs == 1
                              ? amd_sel_sop1(ctx, row->scalar, dwords, a)
                              : amd_sel_sop2(ctx, row->scalar, dwords, a, amd_sel_use(ctx, ir_src(instr, 1)));
        amd_sel_define(ctx, &instr->def, result);
        return true;
    }
    if (row->vector == NONE)
        return false;
    select_vector(ctx, instr, row);
    return true;
}
