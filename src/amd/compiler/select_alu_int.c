/* Integer, boolean and packing operations that take more than one instruction, or whose form depends on where the
 * operands live. */
#include "amd/compiler/select.h"
#include "util/bits.h"

static bool is_scalar(const struct select *ctx, const struct ir_instr *instr)
{
    return amd_sel_place_of(ctx, &instr->def) == SEL_SGPR;
}

/* ---- booleans ---- */

static void bool_logic(struct select *ctx, struct ir_instr *instr)
{
    static const struct {
        uint16_t scalar;
        uint8_t mask;
    } ops[] = {{ISA_OP_S_AND_B32, SEL_AND}, {ISA_OP_S_OR_B32, SEL_OR}, {ISA_OP_S_XOR_B32, SEL_XOR}};
    unsigned which = instr->op == IR_OP_iand ? 0 : instr->op == IR_OP_ior ? 1 : 2;
    if (instr->op == IR_OP_ine)
        which = 2;
    const struct ir_value *a = ir_src(instr, 0), *b = ir_src(instr, 1);
    if (amd_sel_place_of(ctx, &instr->def) == SEL_BOOL) {
        mir_temp x = amd_sel_bool(ctx, a), y = amd_sel_bool(ctx, b);
        amd_sel_define(ctx, &instr->def, amd_sel_sop2(ctx, ops[which].scalar, 1, mir_use(x), mir_use(y)));
        return;
    }
    /* a & !b and a | !b are one instruction. */
    enum sel_mask_op op = ops[which].mask;
    for (unsigned i = 0; i < 2 && (op == SEL_AND || op == SEL_OR); i++) {
        const struct ir_instr *other = ir_def_instr(i ? a : b);
        if (other->op == IR_OP_inot && amd_sel_place_of(ctx, &other->def) == SEL_MASK) {
            struct mir_operand x = amd_sel_mask(ctx, i ? b : a), y = amd_sel_mask(ctx, ir_src(other, 0));
            amd_sel_define(ctx, &instr->def, amd_sel_mask2(ctx, op == SEL_AND ? SEL_ANDN2 : SEL_ORN2, x, y));
            return;
        }
    }
    struct mir_operand x = amd_sel_mask(ctx, a), y = amd_sel_mask(ctx, b);
    amd_sel_define(ctx, &instr->def, amd_sel_mask2(ctx, instr->op == IR_OP_ieq ? SEL_XNOR : op, x, y));
}

/* The opposite of a float comparison, unordered where it was ordered; ISA_OP_COUNT: no comparison. */
static unsigned opposite_compare(const struct ir_instr *compare)
{
    static const struct {
        uint16_t op;
        uint16_t by_bits[3];
    } opposites[] = {
        {IR_OP_feq, {ISA_OP_V_CMP_NEQ_F16, ISA_OP_V_CMP_NEQ_F32, ISA_OP_V_CMP_NEQ_F64}},
        {IR_OP_flg, {ISA_OP_V_CMP_NLG_F16, ISA_OP_V_CMP_NLG_F32, ISA_OP_V_CMP_NLG_F64}},
        {IR_OP_flt, {ISA_OP_V_CMP_NLT_F16, ISA_OP_V_CMP_NLT_F32, ISA_OP_V_CMP_NLT_F64}},
        {IR_OP_fge, {ISA_OP_V_CMP_NGE_F16, ISA_OP_V_CMP_NGE_F32, ISA_OP_V_CMP_NGE_F64}},
        {IR_OP_ford, {ISA_OP_V_CMP_U_F16, ISA_OP_V_CMP_U_F32, ISA_OP_V_CMP_U_F64}},
        {IR_OP_ieq, {ISA_OP_V_CMP_NE_U16, ISA_OP_V_CMP_NE_U32, ISA_OP_V_CMP_NE_U64}},
        {IR_OP_ine, {ISA_OP_V_CMP_EQ_U16, ISA_OP_V_CMP_EQ_U32, ISA_OP_V_CMP_EQ_U64}},
        {IR_OP_ilt, {ISA_OP_V_CMP_GE_I16, ISA_OP_V_CMP_GE_I32, ISA_OP_V_CMP_GE_I64}},
        {IR_OP_ige, {ISA_OP_V_CMP_LT_I16, ISA_OP_V_CMP_LT_I32, ISA_OP_V_CMP_LT_I64}},
        {IR_OP_ult, {ISA_OP_V_CMP_GE_U16, ISA_OP_V_CMP_GE_U32, ISA_OP_V_CMP_GE_U64}},
        {IR_OP_uge, {ISA_OP_V_CMP_LT_U16, ISA_OP_V_CMP_LT_U32, ISA_OP_V_CMP_LT_U64}},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(opposites); i++) {
        unsigned bits = compare->num_srcs ? ir_src(compare, 0)->bits : 0;
        if (opposites[i].op == compare->op && bits >= 16)
            return opposites[i].by_bits[bits == 16 ? 0 : bits == 32 ? 1 : 2];
    }
    return ISA_OP_COUNT;
}

static void bool_not(struct select *ctx, struct ir_instr *instr)
{
    const struct ir_instr *source = ir_def_instr(ir_src(instr, 0));
    if (amd_sel_place_of(ctx, &instr->def) == SEL_BOOL) {
        bool inverted;
        mir_temp scc = amd_sel_scc(ctx, ir_src(instr, 0), &inverted);
        amd_sel_define(ctx, &instr->def, amd_sel_cselect(ctx, 1, mir_const(inverted), mir_const(!inverted), scc));
        return;
    }
    unsigned op = opposite_compare(source);
    if (op != ISA_OP_COUNT && amd_sel_place_of(ctx, &source->def) == SEL_MASK) {
        struct mir_operand a = amd_sel_use(ctx, ir_src(source, 0)), b = amd_sel_use(ctx, ir_src(source, 1));
        amd_sel_define(ctx, &instr->def, amd_sel_vopc(ctx, op, a, b));
        return;
    }
    amd_sel_define(ctx, &instr->def, amd_sel_mask_not(ctx, amd_sel_mask(ctx, ir_src(instr, 0))));
}

static void bool_select(struct select *ctx, struct ir_instr *instr)
{
    const struct ir_value *condition = ir_src(instr, 0), *a = ir_src(instr, 1), *b = ir_src(instr, 2);
    if (amd_sel_place_of(ctx, &instr->def) == SEL_BOOL) {
        bool inverted;
        mir_temp x = amd_sel_bool(ctx, a), y = amd_sel_bool(ctx, b), scc = amd_sel_scc(ctx, condition, &inverted);
        amd_sel_define(ctx, &instr->def,
                       amd_sel_cselect(ctx, 1, mir_use(inverted ? y : x), mir_use(inverted ? x : y), scc));
        return;
    }
    struct mir_operand c = amd_sel_mask(ctx, condition), x = amd_sel_mask(ctx, a), y = amd_sel_mask(ctx, b);
    mir_temp yes = amd_sel_mask2(ctx, SEL_AND, x, c), no = amd_sel_mask2(ctx, SEL_ANDN2, y, c);
    amd_sel_define(ctx, &instr->def, amd_sel_mask2(ctx, SEL_OR, mir_use(yes), mir_use(no)));
}

bool amd_sel_alu_bool(struct select *ctx, struct ir_instr *instr)
{
    if (instr->op == IR_OP_select && instr->def.bits == 1) {
        bool_select(ctx, instr);
        return true;
    }
    if (!instr->num_srcs || ir_src(instr, 0)->bits != 1 || instr->def.bits != 1)
        return false;
    if (amd_sel_is_scalar_compare(ctx, instr))
        return false; /* 0 and 1 compare as numbers */
    switch (instr->op) {
    case IR_OP_iand:
    case IR_OP_ior:
    case IR_OP_ixor:
    case IR_OP_ieq:
    case IR_OP_ine:
        bool_logic(ctx, instr);
        return true;
    case IR_OP_inot:
        bool_not(ctx, instr);
        return true;
    default:
        return false;
    }
}

/* ---- choice ---- */

static void select_value(struct select *ctx, struct ir_instr *instr)
{
    const struct ir_value *condition = ir_src(instr, 0), *a = ir_src(instr, 1), *b = ir_src(instr, 2);
    unsigned dwords = amd_sel_value_dwords(&instr->def);
    if (is_scalar(ctx, instr)) {
        bool inverted;
        mir_temp parts[2];
        for (unsigned i = 0; i < dwords; i++) {
            struct mir_operand x = amd_sel_use_dword(ctx, a, i), y = amd_sel_use_dword(ctx, b, i);
            if (x.kind == MIR_CONST && y.kind == MIR_CONST)
                y = mir_use(amd_sel_copy(ctx, MIR_S(1), y));
            mir_temp scc = amd_sel_scc(ctx, condition, &inverted);
            parts[i] = amd_sel_cselect(ctx, 1, inverted ? y : x, inverted ? x : y, scc);
        }
        amd_sel_define_elems(ctx, &instr->def, dwords, parts);
        return;
    }
    struct mir_operand mask = amd_sel_mask(ctx, condition);
    mir_temp parts[2];
    for (unsigned i = 0; i < dwords; i++) {
        struct mir_operand x = amd_sel_use_dword(ctx, a, i), y = amd_sel_use_dword(ctx, b, i);
        parts[i] = amd_sel_vop3(ctx, ISA_OP_V_CNDMASK_B32, y, x, mask);
    }
    amd_sel_define_elems(ctx, &instr->def, dwords, parts);
}

/* ---- vectors and packing ---- */

/* A half where it is, so that it need not come to the low end of a register first. */
struct half {
    struct mir_operand dword;
    bool is_high;
};

static struct half find_half(struct select *ctx, const struct ir_value *value)
{
    const struct ir_instr *def = ir_def_instr(value);
    if (def->op == IR_OP_lo16 || def->op == IR_OP_hi16)
        return (struct half){amd_sel_use(ctx, ir_src(def, 0)), def->op == IR_OP_hi16};
    if (def->op == IR_OP_extract) {
        const unsigned comp = ir_imm(def, IR_IMM_COMP);
        return (struct half){mir_use(amd_sel_value_dword(ctx, ir_src(def, 0), comp / 2)), comp & 1};
    }
    return (struct half){amd_sel_use(ctx, value), false};
}

static mir_temp pack_scalars(struct select *ctx, struct half low, struct half high)
{
    unsigned op = high.is_high ? ISA_OP_S_PACK_LH_B32_B16 : ISA_OP_S_PACK_LL_B32_B16;
    if (low.is_high && high.is_high)
        op = ISA_OP_S_PACK_HH_B32_B16;
    else if (low.is_high)
        low.dword = mir_use(amd_sel_sop2(ctx, ISA_OP_S_LSHR_B32, 1, low.dword, mir_const(16)));
    return amd_sel_sop2(ctx, op, 1, low.dword, high.dword);
}

static mir_temp pack_half_pair(struct select *ctx, bool vector, struct half low, struct half high)
{
    if (low.dword.kind == MIR_TEMP && high.dword.kind == MIR_TEMP && low.dword.temp == high.dword.temp &&
        !low.is_high && high.is_high && amd_sel_is_vector(ctx, low.dword.temp) == vector)
        return low.dword.temp;
    if (!vector)
        return pack_scalars(ctx, low, high);
    /* Bytes 7 to 4 are those of the first operand, 3 to 0 those of the second. */
    const uint32_t bytes = (high.is_high ? 0x07060000 : 0x05040000) | (low.is_high ? 0x0302 : 0x0100);
    return amd_sel_vop3(ctx, ISA_OP_V_PERM_B32, high.dword, low.dword, mir_const(bytes));
}

static mir_temp pack_halves(struct select *ctx, bool vector, const struct ir_value *low, const struct ir_value *high)
{
    return pack_half_pair(ctx, vector, find_half(ctx, low), find_half(ctx, high));
}

static mir_temp pack_bytes(struct select *ctx, bool vector, struct mir_operand low, struct mir_operand high)
{
    if (vector)
        return amd_sel_vop3(ctx, ISA_OP_V_PERM_B32, high, low, mir_const(0x0c0c0400));
    mir_temp a = amd_sel_sop2(ctx, ISA_OP_S_AND_B32, 1, low, mir_const(0xff));
    mir_temp b = amd_sel_sop2(ctx, ISA_OP_S_AND_B32, 1, high, mir_const(0xff));
    mir_temp shifted = amd_sel_sop2(ctx, ISA_OP_S_LSHL_B32, 1, mir_use(b), mir_const(8));
    return amd_sel_sop2(ctx, ISA_OP_S_OR_B32, 1, mir_use(a), mir_use(shifted));
}

static void make_vec(struct select *ctx, struct ir_instr *instr)
{
    bool vector = !is_scalar(ctx, instr);
    mir_temp dwords[2 * IR_MAX_COMPS];
    unsigned bits = instr->def.bits, at = 0;
    if (instr->def.bits == 1)
        sel_fail(ctx, "a vector of booleans");
    for (unsigned i = 0; i < instr->num_srcs; i += bits < 32 ? 32 / bits : 1) {
        struct mir_operand parts[4];
        unsigned count = bits < 32 ? MIN2(32 / bits, instr->num_srcs - i) : 1;
        if (bits >= 32) {
            for (unsigned n = 0; n < bits / 32; n++)
                dwords[at++] = amd_sel_value_dword(ctx, ir_src(instr, i), n);
            continue;
        }
        if (bits == 16 && count == 2) {
            dwords[at++] = pack_halves(ctx, vector, ir_src(instr, i), ir_src(instr, i + 1));
            continue;
        }
        for (unsigned n = 0; n < count; n++)
            parts[n] = amd_sel_use(ctx, ir_src(instr, i + n));
        if (bits == 8 && count > 1) {
            parts[0] = mir_use(pack_bytes(ctx, vector, parts[0], parts[1]));
            parts[1] = count > 3 ? mir_use(pack_bytes(ctx, vector, parts[2], parts[3])) : parts[2];
            count = count > 2 ? 2 : 1;
        }
        if (count == 2)
            dwords[at++] = pack_half_pair(ctx, vector, (struct half){parts[0], false}, (struct half){parts[1], false});
        else if (parts[0].kind == MIR_TEMP)
            dwords[at++] = parts[0].temp;
        else
            dwords[at++] = amd_sel_copy(ctx, vector ? MIR_V(1) : MIR_S(1), parts[0]);
    }
    amd_sel_define_elems(ctx, &instr->def, at, dwords);
}

static void take_component(struct select *ctx, struct ir_instr *instr)
{
    unsigned comp = ir_imm(instr, IR_IMM_COMP), bits = instr->def.bits;
    const struct ir_value *from = ir_src(instr, 0);
    if (bits == 64) {
        mir_temp pair[2] = {amd_sel_value_dword(ctx, from, comp * 2), amd_sel_value_dword(ctx, from, comp * 2 + 1)};
        amd_sel_define_elems(ctx, &instr->def, 2, pair);
    } else {
        amd_sel_define(ctx, &instr->def,
                       bits == 32 ? amd_sel_value_dword(ctx, from, comp) : amd_sel_component(ctx, from, comp));
    }
}

static void high_half(struct select *ctx, struct ir_instr *instr)
{
    struct mir_operand a = amd_sel_use(ctx, ir_src(instr, 0));
    amd_sel_define(ctx, &instr->def,
                   is_scalar(ctx, instr) ? amd_sel_sop2(ctx, ISA_OP_S_LSHR_B32, 1, a, mir_const(16))
                                         : amd_sel_vop2(ctx, ISA_OP_V_LSHRREV_B32, mir_const(16), a));
}

static bool select_packing(struct select *ctx, struct ir_instr *instr)
{
    const struct ir_value *a = instr->num_srcs ? ir_src(instr, 0) : NULL;
    switch (instr->op) {
    case IR_OP_vec:
        make_vec(ctx, instr);
        return true;
    case IR_OP_extract:
        take_component(ctx, instr);
        return true;
    case IR_OP_pack64: {
        mir_temp pair[2] = {amd_sel_any(ctx, a), amd_sel_any(ctx, ir_src(instr, 1))};
        amd_sel_define_elems(ctx, &instr->def, 2, pair);
        return true;
    }
    case IR_OP_lo32:
    case IR_OP_hi32:
        amd_sel_define(ctx, &instr->def, amd_sel_value_dword(ctx, a, instr->op == IR_OP_hi32));
        return true;
    case IR_OP_pack32:
        amd_sel_define(ctx, &instr->def, pack_halves(ctx, !is_scalar(ctx, instr), a, ir_src(instr, 1)));
        return true;
    case IR_OP_hi16:
        high_half(ctx, instr);
        return true;
    case IR_OP_lo16:
    case IR_OP_vec_bits:
    case IR_OP_bits_vec:
        amd_sel_define(ctx, &instr->def, amd_sel_any(ctx, a));
        return true;
    default:
        return false;
    }
}

/* ---- bit fields ---- */

static void extract_field(struct select *ctx, struct ir_instr *instr)
{
    bool is_signed = instr->op == IR_OP_ibfe;
    struct mir_operand a = amd_sel_use(ctx, ir_src(instr, 0)), offset = amd_sel_use(ctx, ir_src(instr, 1)),
                       count = amd_sel_use(ctx, ir_src(instr, 2));
    if (is_scalar(ctx, instr)) {
        struct mir_operand both;
        if (offset.kind == MIR_CONST && count.kind == MIR_CONST) {
            both = mir_const((uint32_t)(offset.value & 31) | (uint32_t)(count.value & 0x7f) << 16);
        } else {
            mir_temp shifted = amd_sel_sop2(ctx, ISA_OP_S_LSHL_B32, 1, count, mir_const(16));
            both = mir_use(amd_sel_sop2(ctx, ISA_OP_S_OR_B32, 1, offset, mir_use(shifted)));
        }
        amd_sel_define(ctx, &instr->def,
                       amd_sel_sop2(ctx, is_signed ? ISA_OP_S_BFE_I32 : ISA_OP_S_BFE_U32, 1, a, both));
        return;
    }
    if (count.kind == MIR_CONST && count.value >= 32) {
        amd_sel_define(ctx, &instr->def,
                       amd_sel_vop2(ctx, is_signed ? ISA_OP_V_ASHRREV_I32 : ISA_OP_V_LSHRREV_B32, offset, a));
        return;
    }
    mir_temp field = amd_sel_vop3(ctx, is_signed ? ISA_OP_V_BFE_I32 : ISA_OP_V_BFE_U32, a, offset, count);
    if (count.kind != MIR_CONST) {
        /* The instruction takes five bits of the count: 32 of them would be none. */
        mir_temp all = amd_sel_vopc(ctx, ISA_OP_V_CMP_EQ_U32, mir_const(32), count);
        field = amd_sel_vop3(ctx, ISA_OP_V_CNDMASK_B32, mir_use(field), a, mir_use(all));
    }
    amd_sel_define(ctx, &instr->def, field);
}

static void insert_field(struct select *ctx, struct ir_instr *instr)
{
    struct mir_operand base = amd_sel_use(ctx, ir_src(instr, 0)), insert = amd_sel_use(ctx, ir_src(instr, 1));
    struct mir_operand offset = amd_sel_use(ctx, ir_src(instr, 2)), count = amd_sel_use(ctx, ir_src(instr, 3));
    bool all = count.kind == MIR_CONST && count.value >= 32;
    if (is_scalar(ctx, instr)) {
        mir_temp mask = amd_sel_sop2(ctx, ISA_OP_S_BFM_B64, 2, count, offset); /* of 64 bits: 32 ones are possible */
        mir_temp low = amd_sel_dword(ctx, mask, 0);
        mir_temp moved = amd_sel_sop2(ctx, ISA_OP_S_LSHL_B32, 1, insert, offset);
        mir_temp in = amd_sel_sop2(ctx, ISA_OP_S_AND_B32, 1, mir_use(moved), mir_use(low));
        mir_temp rest = amd_sel_sop2(ctx, ISA_OP_S_ANDN2_B32, 1, base, mir_use(low));
        amd_sel_define(ctx, &instr->def, amd_sel_sop2(ctx, ISA_OP_S_OR_B32, 1, mir_use(in), mir_use(rest)));
        return;
    }
    if (all) {
        amd_sel_define(ctx, &instr->def, amd_sel_copy(ctx, MIR_V(1), insert));
        return;
    }
    mir_temp mask = amd_sel_vop2(ctx, ISA_OP_V_BFM_B32, count, offset),
             moved = amd_sel_vop2(ctx, ISA_OP_V_LSHLREV_B32, offset, insert);
    mir_temp result = amd_sel_vop3(ctx, ISA_OP_V_BFI_B32, mir_use(mask), mir_use(moved), base);
    if (count.kind != MIR_CONST) {
        mir_temp whole = amd_sel_vopc(ctx, ISA_OP_V_CMP_EQ_U32, mir_const(32), count);
        result = amd_sel_vop3(ctx, ISA_OP_V_CNDMASK_B32, mir_use(result), insert, mir_use(whole));
    }
    amd_sel_define(ctx, &instr->def, result);
}

/* The hardware counts from the top; none found is -1 for both. */
static void find_msb(struct select *ctx, struct ir_instr *instr)
{
    bool is_signed = instr->op == IR_OP_ifind_msb;
    struct mir_operand a = amd_sel_use(ctx, ir_src(instr, 0));
    if (is_scalar(ctx, instr)) {
        mir_temp top = amd_sel_sop1(ctx, is_signed ? ISA_OP_S_FLBIT_I32 : ISA_OP_S_FLBIT_I32_B32, 1, a);
        mir_temp up = amd_sel_sop2(ctx, ISA_OP_S_SUB_U32, 1, mir_const(31), mir_use(top));
        mir_temp scc = amd_sel_sopc(ctx, ISA_OP_S_CMP_EQ_U32, mir_use(top), mir_const(UINT32_MAX));
        amd_sel_define(ctx, &instr->def, amd_sel_cselect(ctx, 1, mir_const(UINT32_MAX), mir_use(up), scc));
        return;
    }
    mir_temp top = amd_sel_vop1(ctx, is_signed ? ISA_OP_V_FFBH_I32 : ISA_OP_V_FFBH_U32, a);
    mir_temp up = amd_sel_vop2(ctx, ISA_OP_V_SUB_NC_U32, mir_const(31), mir_use(top));
    mir_temp none = amd_sel_vopc(ctx, ISA_OP_V_CMP_EQ_U32, mir_const(UINT32_MAX), mir_use(top));
    amd_sel_define(ctx, &instr->def,
                   amd_sel_vop3(ctx, ISA_OP_V_CNDMASK_B32, mir_use(up), mir_const(UINT32_MAX), mir_use(none)));
}

/* ---- the rest ---- */

static void carry_out(struct select *ctx, struct ir_instr *instr)
{
    bool add = instr->op == IR_OP_uadd_carry;
    struct mir_operand a = amd_sel_use(ctx, ir_src(instr, 0)), b = amd_sel_use(ctx, ir_src(instr, 1));
    if (amd_sel_place_of(ctx, &instr->def) == SEL_BOOL) {
        amd_sel_define_scc(ctx, &instr->def,
                           amd_sel_sop2_scc(ctx, add ? ISA_OP_S_ADD_U32 : ISA_OP_S_SUB_U32, 1, a, b, NULL));
    } else if (add) {
        mir_temp sum = amd_sel_vop2(ctx, ISA_OP_V_ADD_NC_U32, a, b);
        amd_sel_define(ctx, &instr->def, amd_sel_vopc(ctx, ISA_OP_V_CMP_LT_U32, mir_use(sum), a));
    } else {
        amd_sel_define(ctx, &instr->def, amd_sel_vopc(ctx, ISA_OP_V_CMP_LT_U32, a, b));
    }
}

static void negate_int(struct select *ctx, struct ir_instr *instr)
{
    struct mir_operand a = amd_sel_use(ctx, ir_src(instr, 0));
    if (instr->def.comps == 2)
        amd_sel_define(ctx, &instr->def, amd_sel_vop2(ctx, ISA_OP_V_PK_SUB_U16, mir_const(0), a));
    else if (is_scalar(ctx, instr))
        amd_sel_define(ctx, &instr->def, amd_sel_sop2(ctx, ISA_OP_S_SUB_U32, 1, mir_const(0), a));
    else
        amd_sel_define(
            ctx, &instr->def,
            amd_sel_vop2(ctx, instr->def.bits == 16 ? ISA_OP_V_SUB_NC_U16 : ISA_OP_V_SUB_NC_U32, mir_const(0), a));
}

static void absolute(struct select *ctx, struct ir_instr *instr)
{
    struct mir_operand a = amd_sel_use(ctx, ir_src(instr, 0));
    if (is_scalar(ctx, instr)) {
        amd_sel_define(ctx, &instr->def, amd_sel_sop1(ctx, ISA_OP_S_ABS_I32, 1, a));
        return;
    }
    bool half = instr->def.bits == 16;
    mir_temp negative = amd_sel_vop2(ctx, half ? ISA_OP_V_SUB_NC_U16 : ISA_OP_V_SUB_NC_U32, mir_const(0), a);
    amd_sel_define(ctx, &instr->def,
                   amd_sel_vop2(ctx, half ? ISA_OP_V_MAX_I16 : ISA_OP_V_MAX_I32, a, mir_use(negative)));
}

/* Packed shifts take a count for each half; a single one stands for both. */
static void packed_shift(struct select *ctx, struct ir_instr *instr)
{
    unsigned op = instr->op == IR_OP_ishl   ? ISA_OP_V_PK_LSHLREV_B16
                  : instr->op == IR_OP_ushr ? ISA_OP_V_PK_LSHRREV_B16
                                            : ISA_OP_V_PK_ASHRREV_I16;
    mir_temp count = amd_sel_vgpr(ctx, ir_src(instr, 1)), result = amd_sel_temp(ctx, MIR_V(1));
    struct mir_instr *out = amd_sel_vop_instr(
        ctx, op, result, 2, (struct mir_operand[]){mir_use(count), amd_sel_use(ctx, ir_src(instr, 0))});
    if (ir_src(instr, 1)->comps == 1)
        out->alu.op_sel_hi = 2; /* the count's low half for the upper result, too */
    amd_sel_define(ctx, &instr->def, result);
}

static void dot_product(struct select *ctx, struct ir_instr *instr)
{
    unsigned signs = ir_imm(instr, IR_IMM_SIGNS);
    bool four = instr->op == IR_OP_dot4, is_signed = signs == 3;
    if (signs == 1 || signs == 2)
        sel_fail(ctx, "internal: a dot product of mixed signs was not lowered");
    struct mir_operand operands[3];
    for (unsigned i = 0; i < 3; i++)
        operands[i] = amd_sel_use(ctx, ir_src(instr, i));
    unsigned op = four ? (is_signed ? ISA_OP_V_DOT4_I32_I8 : ISA_OP_V_DOT4_U32_U8)
                       : (is_signed ? ISA_OP_V_DOT2_I32_I16 : ISA_OP_V_DOT2_U32_U16);
    mir_temp result = amd_sel_temp(ctx, MIR_V(1));
    amd_sel_vop_instr(ctx, op, result, 3, operands)->alu.clamp = ir_imm(instr, IR_IMM_SAT) ? 1 : 0;
    amd_sel_define(ctx, &instr->def, result);
}

bool amd_sel_alu_int(struct select *ctx, struct ir_instr *instr)
{
    if (select_packing(ctx, instr))
        return true;
    switch (instr->op) {
    case IR_OP_select:
        select_value(ctx, instr);
        return true;
    case IR_OP_ubfe:
    case IR_OP_ibfe:
        extract_field(ctx, instr);
        return true;
    case IR_OP_bfi:
        insert_field(ctx, instr);
        return true;
    case IR_OP_ufind_msb:
    case IR_OP_ifind_msb:
        find_msb(ctx, instr);
        return true;
    case IR_OP_uadd_carry:
    case IR_OP_usub_borrow:
        carry_out(ctx, instr);
        return true;
    case IR_OP_ineg:
        if (instr->def.bits == 64)
            return false;
        negate_int(ctx, instr);
        return true;
    case IR_OP_iabs:
        absolute(ctx, instr);
        return true;
    case IR_OP_ishl:
    case IR_OP_ushr:
    case IR_OP_ishr:
        packed_shift(ctx, instr);
        return true;
    case IR_OP_dot4:
    case IR_OP_dot2:
        dot_product(ctx, instr);
        return true;
    default:
        return false;
    }
}
