/* Memory that a workgroup shares (LDS): loads and stores. Atomics are select_atomic.c's. */
#include "amd/compiler/select.h"
#include "util/bits.h"

#define MAX_DS_OFFSET_B 0xffff

static unsigned known_alignment(const struct ir_instr *instr, const struct ir_value *value)
{
    uint32_t align = ir_imm(instr, IR_IMM_ALIGN), offset = ir_imm(instr, IR_IMM_ALIGN_OFFSET);
    if (!align)
        align = value->bits / 8u;
    return offset ? MIN2(align, offset & -offset) : align;
}

/* Address and immediate; an offset that the field cannot hold is added. */
mir_temp amd_sel_shared_address(struct select *ctx, const struct ir_value *offset, uint32_t base_B, unsigned size_B,
                                uint32_t *imm_B_out)
{
    uint32_t imm_B = base_B;
    if (ir_is_const(offset)) {
        imm_B += (uint32_t)ir_const_u64(offset);
        if (imm_B <= MAX_DS_OFFSET_B - size_B) {
            *imm_B_out = imm_B;
            return amd_sel_copy(ctx, MIR_V(1), mir_const(0));
        }
        *imm_B_out = 0;
        return amd_sel_copy(ctx, MIR_V(1), mir_const(imm_B));
    }
    const struct ir_instr *add = ir_def_instr(offset);
    if (add->op == IR_OP_iadd && (add->flags & IR_FLAG_NUW) && ir_is_const(ir_src(add, 1)) &&
        (uint64_t)imm_B + ir_const_u64(ir_src(add, 1)) + size_B <= MAX_DS_OFFSET_B) {
        imm_B += (uint32_t)ir_const_u64(ir_src(add, 1));
        offset = ir_src(add, 0);
    }
    mir_temp address = amd_sel_vgpr(ctx, offset);
    if (imm_B > MAX_DS_OFFSET_B - size_B) {
        address = amd_sel_vop2(ctx, ISA_OP_V_ADD_NC_U32, mir_const(imm_B), mir_use(address));
        imm_B = 0;
    }
    *imm_B_out = imm_B;
    return address;
}

/* Bytes that one instruction moves. Eight at four-byte alignment go as two words with offsets in words. */
static unsigned piece_B(unsigned left_B, unsigned align_B)
{
    if (align_B >= 16 && left_B >= 16)
        return 16;
    if (align_B >= 16 && left_B == 12)
        return 12;
    if (align_B >= 4 && left_B >= 8)
        return 8;
    if (align_B >= 4 && left_B >= 4)
        return 4;
    return align_B >= 2 && left_B >= 2 ? 2 : 1;
}

static unsigned piece_op(bool load, unsigned piece, unsigned align_B, uint32_t imm_B, bool *two_out)
{
    *two_out = false;
    switch (piece) {
    case 16:
        return load ? ISA_OP_DS_READ_B128 : ISA_OP_DS_WRITE_B128;
    case 12:
        return load ? ISA_OP_DS_READ_B96 : ISA_OP_DS_WRITE_B96;
    case 8:
        if (align_B >= 8)
            return load ? ISA_OP_DS_READ_B64 : ISA_OP_DS_WRITE_B64;
        *two_out = imm_B / 4 + 1 <= 255;
        return load ? ISA_OP_DS_READ2_B32 : ISA_OP_DS_WRITE2_B32;
    case 4:
        return load ? ISA_OP_DS_READ_B32 : ISA_OP_DS_WRITE_B32;
    case 2:
        return load ? ISA_OP_DS_READ_U16 : ISA_OP_DS_WRITE_B16;
    default:
        return load ? ISA_OP_DS_READ_U8 : ISA_OP_DS_WRITE_B8;
    }
}

static void load_shared(struct select *ctx, struct ir_instr *instr)
{
    unsigned size_B = instr->def.bits / 8u * instr->def.comps, align_B = known_alignment(instr, &instr->def);
    uint32_t imm_B;
    mir_temp address = amd_sel_shared_address(ctx, ir_src(instr, 0), ir_imm(instr, IR_IMM_BASE), size_B, &imm_B),
             dwords[64] = {0};
    for (unsigned at = 0; at < size_B;) {
        unsigned piece = piece_B(size_B - at, align_B);
        bool two;
        unsigned op = piece_op(true, piece, align_B, imm_B + at, &two);
        if (piece == 8 && align_B < 8 && (!two || (imm_B + at) % 4)) {
            piece = 4;
            op = ISA_OP_DS_READ_B32;
            two = false;
        }
        mir_temp loaded = amd_sel_temp(ctx, MIR_V((uint8_t)div_round_up(piece, 4)));
        struct mir_instr *out = amd_sel_instr(ctx, op, 1, 1);
        out->defs[0] = mir_result(loaded);
        out->operands[0] = mir_use(address);
        out->mem.offset = (int32_t)(two ? (imm_B + at) / 4 | ((imm_B + at) / 4 + 1) << 8 : imm_B + at);
        out->sync = MIR_SYNC_SHARED;
        if (piece >= 4) {
            struct mir_instr *split = piece > 4 ? amd_sel_instr(ctx, MIR_P_SPLIT, piece / 4, 1) : NULL;
            if (split)
                split->operands[0] = mir_use(loaded);
            for (unsigned i = 0; i < piece / 4; i++) {
                dwords[at / 4 + i] = split ? amd_sel_temp(ctx, MIR_V(1)) : loaded;
                if (split)
                    split->defs[i] = mir_result(dwords[at / 4 + i]);
            }
        } else if (!dwords[at / 4]) {
            dwords[at / 4] =
                at % 4 ? amd_sel_vop2(ctx, ISA_OP_V_LSHLREV_B32, mir_const(at % 4 * 8), mir_use(loaded)) : loaded;
        } else {
            dwords[at / 4] = amd_sel_vop3(ctx, ISA_OP_V_LSHL_OR_B32, mir_use(loaded), mir_const(at % 4 * 8),
                                          mir_use(dwords[at / 4]));
        }
        at += piece;
    }
    amd_sel_define_elems(ctx, &instr->def, amd_sel_value_dwords(&instr->def), dwords);
}

static void store_shared(struct select *ctx, struct ir_instr *instr)
{
    const struct ir_value *value = ir_src(instr, 0);
    unsigned size_B = value->bits / 8u * value->comps, align_B = known_alignment(instr, value);
    uint32_t imm_B;
    mir_temp address = amd_sel_shared_address(ctx, ir_src(instr, 1), ir_imm(instr, IR_IMM_BASE), size_B, &imm_B),
             saved = amd_sel_exact_begin(ctx);
    for (unsigned at = 0; at < size_B;) {
        unsigned piece = piece_B(size_B - at, align_B);
        bool two;
        unsigned op = piece_op(false, piece, align_B, imm_B + at, &two);
        if (piece == 8 && align_B < 8 && (!two || (imm_B + at) % 4)) {
            piece = 4;
            op = ISA_OP_DS_WRITE_B32;
            two = false;
        }
        mir_temp parts[4];
        for (unsigned i = 0; i < MAX2(piece / 4, 1u); i++)
            parts[i] = amd_sel_to_vgpr(ctx, amd_sel_value_dword(ctx, value, at / 4 + i));
        if (piece < 4 && at % 4)
            parts[0] = amd_sel_vop2(ctx, ISA_OP_V_LSHRREV_B32, mir_const(at % 4 * 8), mir_use(parts[0]));
        mir_temp data = two ? parts[0] : amd_sel_vector(ctx, true, MAX2(piece / 4, 1u), parts);
        struct mir_instr *out = amd_sel_instr(ctx, op, 0, two ? 3 : 2);
        out->operands[0] = mir_use(address);
        out->operands[1] = mir_use(data);
        if (two)
            out->operands[2] = mir_use(parts[1]);
        out->mem.offset = (int32_t)(two ? (imm_B + at) / 4 | ((imm_B + at) / 4 + 1) << 8 : imm_B + at);
        out->sync = MIR_SYNC_SHARED;
        at += piece;
    }
    amd_sel_exact_end(ctx, saved);
}

bool amd_sel_shared(struct select *ctx, struct ir_instr *instr)
{
    if (instr->op == IR_OP_load_shared)
        load_shared(ctx, instr);
    else if (instr->op == IR_OP_store_shared)
        store_shared(ctx, instr);
    else
        return false;
    return true;
}
