/* Push constants, constant data and descriptors: what is read at a base that the shader got or knows. */
#include "amd/compiler/select.h"
#include "amd/compiler/select_memory.h"

/* Descriptor sets' and other 32-bit pointers as addresses. They are made once, where the shader begins: nothing comes
 * before. */
static mir_temp pointer64(struct select *ctx, mir_temp low)
{
    for (unsigned i = 0; i < ctx->num_pointers; i++) {
        if (ctx->pointers[i].low == low)
            return ctx->pointers[i].whole;
    }
    mir_temp result = amd_sel_temp(ctx, MIR_S(2));
    bool argument = ctx->num_pointers < SEL_MAX_POINTERS && amd_sel_is_argument(ctx, low);
    struct mir_instr *pair;
    if (argument) {
        struct mir_builder at_start = {
            .program = ctx->program, .block = &ctx->program->blocks[0], .before = ctx->start->link.next};
        pair = amd_mir_new_instr(&at_start, MIR_P_VECTOR, 1, 2);
        ctx->pointers[ctx->num_pointers].low = low;
        ctx->pointers[ctx->num_pointers++].whole = result;
    } else {
        pair = amd_sel_instr(ctx, MIR_P_VECTOR, 1, 2);
    }
    pair->defs[0] = mir_result(result);
    pair->operands[0] = mir_use(low);
    pair->operands[1] = mir_const(ctx->options->address32_hi);
    return result;
}

/* Memory with a base but no descriptor, where the offset differs between lanes: through global memory. */
static void load_by_lanes(struct select *ctx, struct ir_instr *instr, mir_temp base, const struct ir_value *offset,
                          uint32_t base_B)
{
    struct sel_global place = {.vaddr = amd_sel_vgpr(ctx, offset), .saddr = mir_use(base), .imm_B = base_B};
    if (base_B + amd_sel_size_B(&instr->def) > MAX_GLOBAL_OFFSET_B) {
        place.vaddr = amd_sel_vop2(ctx, ISA_OP_V_ADD_NC_U32, mir_const(base_B), mir_use(place.vaddr));
        place.imm_B = 0;
    }
    amd_sel_global_load(ctx, instr, &place, 0, MIR_SYNC_CAN_REORDER);
}

/* Defines a value that begins `shift_B` bytes into `stored` scalar dwords. */
static void define_push_bytes(struct select *ctx, struct ir_instr *instr, unsigned shift_B, unsigned stored,
                              mir_temp *dwords)
{
    unsigned count = amd_sel_value_dwords(&instr->def);
    for (unsigned i = 0; shift_B && i < count; i++) {
        struct mir_operand bits = mir_const(shift_B * 8);
        if (i + 1 < stored) {
            mir_temp pair = amd_sel_vector(ctx, false, 2, &dwords[i]);
            dwords[i] = amd_sel_dword(ctx, amd_sel_sop2(ctx, ISA_OP_S_LSHR_B64, 2, mir_use(pair), bits), 0);
        } else {
            dwords[i] = amd_sel_sop2(ctx, ISA_OP_S_LSHR_B32, 1, mir_use(dwords[i]), bits);
        }
    }
    amd_sel_define_elems(ctx, &instr->def, count, dwords);
}

static void load_push(struct select *ctx, struct ir_instr *instr)
{
    const struct ir_value *offset = ir_src(instr, 0);
    uint32_t base_B = ir_imm(instr, IR_IMM_BASE);
    unsigned bytes = amd_sel_size_B(&instr->def);
    const struct amd_args *args = ctx->args;
    uint32_t at_B = ir_is_const(offset) ? base_B + (uint32_t)ir_const_u64(offset) : 0, first = at_B / 4;
    unsigned stored = (at_B % 4 + bytes + 3) / 4;
    mir_temp dwords[65]; /* a vector's largest number, and one more where it begins inside of a dword */
    if (ir_is_const(offset) && first >= args->inline_push_first &&
        first + stored <= (uint32_t)args->inline_push_first + args->inline_push_count) {
        mir_temp all = amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_push_inline);
        for (unsigned i = 0; i < stored; i++)
            dwords[i] = amd_sel_dword(ctx, all, first - args->inline_push_first + i);
        define_push_bytes(ctx, instr, at_B % 4, stored, dwords);
        return;
    }
    mir_temp base = pointer64(ctx, amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_push));
    bool narrow = amd_sel_alignment(instr) < 4 || bytes % 4;
    if (offset->divergent || amd_sel_place_of(ctx, &instr->def) != SEL_SGPR || (narrow && !ir_is_const(offset))) {
        load_by_lanes(ctx, instr, base, offset, base_B);
        return;
    }
    if (narrow) {
        for (unsigned i = 0; i < stored; i++)
            dwords[i] = amd_sel_scalar_load(ctx, false, base, (struct mir_operand){.kind = MIR_NONE},
                                            (at_B & ~3u) + i * 4, 1, MIR_SYNC_CAN_REORDER);
        define_push_bytes(ctx, instr, at_B % 4, stored, dwords);
        return;
    }
    struct mir_operand soffset = amd_sel_scalar_offset(ctx, offset, &base_B);
    amd_sel_scalar_value(ctx, instr, false, base, soffset, base_B, MIR_SYNC_CAN_REORDER);
}

static void load_const_data(struct select *ctx, struct ir_instr *instr)
{
    uint32_t base_B = ir_imm(instr, IR_IMM_BASE);
    mir_temp base = amd_sel_temp(ctx, MIR_S(2));
    struct mir_instr *address = amd_sel_instr(ctx, MIR_P_CONST_ADDR, 1, 0);
    address->defs[0] = mir_result(base);
    address->imm = 0;
    if (amd_sel_load_is_scalar(ctx, instr) && amd_sel_place_of(ctx, &instr->def) == SEL_SGPR) {
        struct mir_operand soffset = amd_sel_scalar_offset(ctx, ir_src(instr, 0), &base_B);
        amd_sel_scalar_value(ctx, instr, false, base, soffset, base_B, MIR_SYNC_CAN_REORDER);
        return;
    }
    load_by_lanes(ctx, instr, base, ir_src(instr, 0), base_B);
}

static mir_temp set_address(struct select *ctx, uint32_t set)
{
    if (!ctx->args->use_set_table)
        return amd_sel_arg(ctx, AMD_ARG_SET0 + set);
    mir_temp table = pointer64(ctx, amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_set_table));
    return amd_sel_scalar_load(ctx, false, table, (struct mir_operand){.kind = MIR_NONE}, set * 4, 1,
                               MIR_SYNC_CAN_REORDER);
}

/* A descriptor: the set's number (or that of the push area) and a byte offset, which is the same in all lanes. */
static void load_descriptor(struct select *ctx, struct ir_instr *instr)
{
    uint32_t set = (uint32_t)ir_const_u64(ir_src(instr, 0)), imm_B = 0;
    mir_temp low;
    if (set == AMD_PUSH_SET) {
        low = amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_push);
    } else if (set == AMD_XFB_SET) {
        low = amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_xfb_buffers);
    } else if (set == AMD_RING_SET) {
        low = amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_rings);
    } else {
        low = set_address(ctx, set);
    }
    mir_temp base = pointer64(ctx, low);
    struct mir_operand offset = amd_sel_scalar_offset(ctx, ir_src(instr, 1), &imm_B);
    amd_sel_scalar_value(ctx, instr, false, base, offset, imm_B, MIR_SYNC_CAN_REORDER);
}

bool amd_sel_constant(struct select *ctx, struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_load_push:
        load_push(ctx, instr);
        return true;
    case IR_OP_load_const_data:
        load_const_data(ctx, instr);
        return true;
    case IR_OP_load_desc:
        load_descriptor(ctx, instr);
        return true;
    case IR_OP_set_address:
        amd_sel_define(ctx, &instr->def, set_address(ctx, (uint32_t)ir_const_u64(ir_src(instr, 0))));
        return true;
    default:
        return false;
    }
}
