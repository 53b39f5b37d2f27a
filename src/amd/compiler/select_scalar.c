/* Loads through the scalar cache: what is the same in all lanes, in memory that nothing in the shader writes. */
#include "amd/compiler/select.h"
#include "amd/compiler/select_memory.h"
#include "util/bits.h"

#define MAX_SMEM_OFFSET_B 0xfffff

uint32_t amd_sel_alignment(const struct ir_instr *instr)
{
    uint32_t align = ir_imm(instr, IR_IMM_ALIGN), offset = ir_imm(instr, IR_IMM_ALIGN_OFFSET);
    if (!align)
        align = instr->def.bits ? instr->def.bits / 8u : ir_src(instr, 0)->bits / 8u;
    return offset ? MIN2(align, offset & -offset) : align;
}

static bool is_uniform(const struct ir_value *value)
{
    return !value->divergent;
}

bool amd_sel_load_is_scalar(const struct select *ctx, const struct ir_instr *instr)
{
    for (uint32_t i = 0; i < instr->num_srcs; i++) {
        if (!is_uniform(ir_src(instr, i)))
            return false;
    }
    unsigned bytes = instr->def.bits / 8u * instr->def.comps;
    if (amd_sel_alignment(instr) < 4 || bytes % 4 != 0)
        return false;
    if (instr->op == IR_OP_load_ubo || instr->op == IR_OP_load_const_data)
        return true;
    uint32_t access = ir_imm(instr, IR_IMM_ACCESS);
    if (access & (IR_ACCESS_COHERENT | IR_ACCESS_VOLATILE))
        return false;
    return (access & IR_ACCESS_READONLY) || !ctx->writes_buffers;
}

mir_temp amd_sel_scalar_load(struct select *ctx, bool buffer, mir_temp base, struct mir_operand offset, uint32_t imm_B,
                             unsigned dwords, uint16_t sync)
{
    static const uint16_t ops[2][5] = {
        {ISA_OP_S_LOAD_DWORD, ISA_OP_S_LOAD_DWORDX2, ISA_OP_S_LOAD_DWORDX4, ISA_OP_S_LOAD_DWORDX8,
         ISA_OP_S_LOAD_DWORDX16},
        {ISA_OP_S_BUFFER_LOAD_DWORD, ISA_OP_S_BUFFER_LOAD_DWORDX2, ISA_OP_S_BUFFER_LOAD_DWORDX4,
         ISA_OP_S_BUFFER_LOAD_DWORDX8, ISA_OP_S_BUFFER_LOAD_DWORDX16},
    };
    mir_temp result = amd_sel_temp(ctx, MIR_S((uint8_t)dwords));
    struct mir_instr *instr = amd_sel_instr(ctx, ops[buffer][log2_floor(dwords)], 1, 2);
    instr->defs[0] = mir_result(result);
    instr->operands[0] = mir_use(base);
    instr->operands[1] = offset;
    instr->mem.offset = (int32_t)imm_B;
    instr->sync = sync;
    return result;
}

static unsigned smem_piece(bool buffer, unsigned left)
{
    /* Reading past the end of a buffer gives zeros; past the end of other memory it may fault. */
    unsigned piece = 1u << (buffer ? log2_ceil(left) : log2_floor(left));
    return MIN2(piece, 16u);
}

void amd_sel_scalar_value(struct select *ctx, struct ir_instr *instr, bool buffer, mir_temp base,
                          struct mir_operand offset, uint32_t imm_B, uint16_t sync)
{
    mir_temp dwords[64];
    unsigned count = amd_sel_value_dwords(&instr->def), at = 0;
    if (imm_B > MAX_SMEM_OFFSET_B - count * 4) {
        offset = mir_use(offset.kind == MIR_NONE ? amd_sel_copy(ctx, MIR_S(1), mir_const(imm_B))
                                                 : amd_sel_sop2(ctx, ISA_OP_S_ADD_U32, 1, offset, mir_const(imm_B)));
        imm_B = 0;
    }
    if (smem_piece(buffer, count) == count && amd_sel_class_of(ctx, &instr->def).vector == false) {
        amd_sel_define(ctx, &instr->def, amd_sel_scalar_load(ctx, buffer, base, offset, imm_B, count, sync));
        return;
    }
    while (at < count) {
        unsigned piece = smem_piece(buffer, count - at);
        mir_temp loaded = amd_sel_scalar_load(ctx, buffer, base, offset, imm_B + at * 4, piece, sync);
        if (piece == 1) {
            dwords[at++] = loaded;
            continue;
        }
        struct mir_instr *split = amd_sel_instr(ctx, MIR_P_SPLIT, piece, 1);
        split->operands[0] = mir_use(loaded);
        for (unsigned i = 0; i < piece; i++) {
            mir_temp part = amd_sel_temp(ctx, MIR_S(1));
            split->defs[i] = mir_result(part);
            if (at + i < count)
                dwords[at + i] = part;
        }
        at += piece;
    }
    amd_sel_define_elems(ctx, &instr->def, count, dwords);
}

struct mir_operand amd_sel_scalar_offset(struct select *ctx, const struct ir_value *value, uint32_t *imm_B)
{
    if (ir_is_const(value)) {
        *imm_B += (uint32_t)ir_const_u64(value);
        return (struct mir_operand){.kind = MIR_NONE};
    }
    return mir_use(amd_sel_sgpr(ctx, value));
}
