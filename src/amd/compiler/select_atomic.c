/* Atomics on buffers, addresses and shared memory. Those on images are select_image.c's; the table of instructions is
 * shared. */
#include "amd/compiler/select.h"
#include "util/bits.h"

struct atomic_row {
    uint16_t buffer[2], global[2], shared[2], shared_returns[2]; /* of 32 and 64 bits; 0: none */
    uint16_t image;
};

#define BUFFER(name)                                                                                                   \
    {                                                                                                                  \
        ISA_OP_BUFFER_ATOMIC_##name, ISA_OP_BUFFER_ATOMIC_##name##_X2                                                  \
    }
#define GLOBAL(name)                                                                                                   \
    {                                                                                                                  \
        ISA_OP_GLOBAL_ATOMIC_##name, ISA_OP_GLOBAL_ATOMIC_##name##_X2                                                  \
    }
#define SHARED(name, a, b)                                                                                             \
    {ISA_OP_DS_##name##_##a, ISA_OP_DS_##name##_##b},                                                                  \
    {                                                                                                                  \
        ISA_OP_DS_##name##_RTN_##a, ISA_OP_DS_##name##_RTN_##b                                                         \
    }

static const struct atomic_row rows[] = {
    [IR_ATOMIC_iadd] = {BUFFER(ADD), GLOBAL(ADD), SHARED(ADD, U32, U64), ISA_OP_IMAGE_ATOMIC_ADD},
    [IR_ATOMIC_isub] = {BUFFER(SUB), GLOBAL(SUB), SHARED(SUB, U32, U64), ISA_OP_IMAGE_ATOMIC_SUB},
    [IR_ATOMIC_imin] = {BUFFER(SMIN), GLOBAL(SMIN), SHARED(MIN, I32, I64), ISA_OP_IMAGE_ATOMIC_SMIN},
    [IR_ATOMIC_imax] = {BUFFER(SMAX), GLOBAL(SMAX), SHARED(MAX, I32, I64), ISA_OP_IMAGE_ATOMIC_SMAX},
    [IR_ATOMIC_umin] = {BUFFER(UMIN), GLOBAL(UMIN), SHARED(MIN, U32, U64), ISA_OP_IMAGE_ATOMIC_UMIN},
    [IR_ATOMIC_umax] = {BUFFER(UMAX), GLOBAL(UMAX), SHARED(MAX, U32, U64), ISA_OP_IMAGE_ATOMIC_UMAX},
    [IR_ATOMIC_iand] = {BUFFER(AND), GLOBAL(AND), SHARED(AND, B32, B64), ISA_OP_IMAGE_ATOMIC_AND},
    [IR_ATOMIC_ior] = {BUFFER(OR), GLOBAL(OR), SHARED(OR, B32, B64), ISA_OP_IMAGE_ATOMIC_OR},
    [IR_ATOMIC_ixor] = {BUFFER(XOR), GLOBAL(XOR), SHARED(XOR, B32, B64), ISA_OP_IMAGE_ATOMIC_XOR},
    [IR_ATOMIC_exchange] = {BUFFER(SWAP),
                            GLOBAL(SWAP),
                            {0, 0},
                            {ISA_OP_DS_WRXCHG_RTN_B32, ISA_OP_DS_WRXCHG_RTN_B64},
                            ISA_OP_IMAGE_ATOMIC_SWAP},
    [IR_ATOMIC_cmpxchg] = {BUFFER(CMPSWAP), GLOBAL(CMPSWAP), SHARED(CMPST, B32, B64), ISA_OP_IMAGE_ATOMIC_CMPSWAP},
    [IR_ATOMIC_fadd] = {{0, 0}, {0, 0}, {ISA_OP_DS_ADD_F32, 0}, {ISA_OP_DS_ADD_RTN_F32, 0}, 0},
    [IR_ATOMIC_fmin] = {BUFFER(FMIN), GLOBAL(FMIN), SHARED(MIN, F32, F64), ISA_OP_IMAGE_ATOMIC_FMIN},
    [IR_ATOMIC_fmax] = {BUFFER(FMAX), GLOBAL(FMAX), SHARED(MAX, F32, F64), ISA_OP_IMAGE_ATOMIC_FMAX},
};

unsigned amd_sel_image_atomic_op(uint32_t atomic)
{
    return atomic < ARRAY_SIZE(rows) ? rows[atomic].image : 0;
}

unsigned amd_sel_buffer_atomic_op(uint32_t atomic, bool wide)
{
    return atomic < ARRAY_SIZE(rows) ? rows[atomic].buffer[wide] : 0;
}

static bool is_read(const struct ir_instr *instr)
{
    return !list_is_empty(&instr->def.uses);
}

/* New value, then what is compared with, side by side. */
static mir_temp exchange_pair(struct select *ctx, const struct ir_value *compare, const struct ir_value *value)
{
    mir_temp parts[4];
    unsigned count = value->bits / 32;
    for (unsigned i = 0; i < count; i++) {
        parts[i] = amd_sel_value_dword(ctx, value, i);
        parts[count + i] = amd_sel_value_dword(ctx, compare, i);
    }
    return amd_sel_vector(ctx, true, count * 2, parts);
}

static void define_old(struct select *ctx, struct ir_instr *instr, mir_temp old)
{
    mir_temp parts[2];
    unsigned count = instr->def.bits / 32;
    if (amd_sel_dwords(ctx, old) == count) {
        amd_sel_define(ctx, &instr->def, old);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        parts[i] = amd_sel_dword(ctx, old, i);
    amd_sel_define_elems(ctx, &instr->def, count, parts);
}

static unsigned check_op(struct select *ctx, unsigned op, uint32_t atomic)
{
    if (!op)
        sel_fail(ctx, "no instruction for atomic operation %u on this memory", atomic);
    return op;
}

static void buffer_atomic(struct select *ctx, struct ir_instr *instr)
{
    bool exchange = instr->op == IR_OP_cmpxchg_ssbo, returns = is_read(instr);
    uint32_t atomic = exchange ? (uint32_t)IR_ATOMIC_cmpxchg : ir_imm(instr, IR_IMM_ATOMIC);
    const struct ir_value *offset = ir_src(instr, 1);
    uint32_t imm_B = ir_imm(instr, IR_IMM_BASE);
    mir_temp rsrc = amd_sel_sgpr(ctx, ir_src(instr, 0));
    mir_temp data =
        exchange ? exchange_pair(ctx, ir_src(instr, 2), ir_src(instr, 3)) : amd_sel_vgpr(ctx, ir_src(instr, 2));
    struct mir_operand vaddr = {.kind = MIR_NONE};
    if (ir_is_const(offset))
        imm_B += (uint32_t)ir_const_u64(offset);
    else
        vaddr = mir_use(amd_sel_vgpr(ctx, offset));
    if (imm_B > 4095) {
        vaddr = mir_use(vaddr.kind == MIR_NONE ? amd_sel_copy(ctx, MIR_V(1), mir_const(imm_B))
                                               : amd_sel_vop2(ctx, ISA_OP_V_ADD_NC_U32, mir_const(imm_B), vaddr));
        imm_B = 0;
    }
    mir_temp saved = amd_sel_exact_begin(ctx),
             old = returns ? amd_sel_temp(ctx, MIR_V((uint8_t)amd_sel_dwords(ctx, data))) : 0;
    struct mir_instr *out =
        amd_sel_instr(ctx, check_op(ctx, rows[atomic].buffer[instr->def.bits == 64], atomic), returns, 4);
    if (returns)
        out->defs[0] = mir_result(old);
    out->operands[0] = mir_use(data);
    out->operands[1] = vaddr;
    out->operands[2] = mir_use(rsrc);
    out->operands[3] = mir_const(0);
    out->mem.offset = (int32_t)imm_B;
    out->mem.offen = vaddr.kind != MIR_NONE;
    out->mem.glc = returns;
    out->sync = MIR_SYNC_BUFFER | MIR_SYNC_VOLATILE;
    amd_sel_exact_end(ctx, saved);
    if (returns)
        define_old(ctx, instr, old);
}

static void global_atomic(struct select *ctx, struct ir_instr *instr)
{
    bool exchange = instr->op == IR_OP_cmpxchg_global, returns = is_read(instr);
    uint32_t atomic = exchange ? (uint32_t)IR_ATOMIC_cmpxchg : ir_imm(instr, IR_IMM_ATOMIC);
    uint32_t base_B = ir_imm(instr, IR_IMM_BASE), in_field_B = base_B <= 2047 ? base_B : 0;
    mir_temp address = amd_sel_global_address(ctx, ir_src(instr, 0), base_B - in_field_B);
    mir_temp data =
        exchange ? exchange_pair(ctx, ir_src(instr, 1), ir_src(instr, 2)) : amd_sel_vgpr(ctx, ir_src(instr, 1));
    mir_temp saved = amd_sel_exact_begin(ctx),
             old = returns ? amd_sel_temp(ctx, MIR_V((uint8_t)(instr->def.bits / 32))) : 0;
    struct mir_instr *out =
        amd_sel_instr(ctx, check_op(ctx, rows[atomic].global[instr->def.bits == 64], atomic), returns, 3);
    if (returns)
        out->defs[0] = mir_result(old);
    out->operands[0] = mir_use(address);
    out->operands[1] = mir_use(data);
    out->mem.offset = (int32_t)in_field_B;
    out->mem.glc = returns;
    out->sync = MIR_SYNC_BUFFER | MIR_SYNC_VOLATILE;
    amd_sel_exact_end(ctx, saved);
    if (returns)
        amd_sel_define(ctx, &instr->def, old);
}

static void shared_atomic(struct select *ctx, struct ir_instr *instr)
{
    bool exchange = instr->op == IR_OP_cmpxchg_shared, wide = instr->def.bits == 64;
    uint32_t atomic = exchange ? (uint32_t)IR_ATOMIC_cmpxchg : ir_imm(instr, IR_IMM_ATOMIC), imm_B;
    bool returns = is_read(instr) || !rows[atomic].shared[wide];
    mir_temp address =
        amd_sel_shared_address(ctx, ir_src(instr, 0), ir_imm(instr, IR_IMM_BASE), instr->def.bits / 8, &imm_B);
    mir_temp data[2] = {amd_sel_vgpr(ctx, ir_src(instr, 1)), exchange ? amd_sel_vgpr(ctx, ir_src(instr, 2)) : 0};
    unsigned op = check_op(ctx, (returns ? rows[atomic].shared_returns : rows[atomic].shared)[wide], atomic);
    mir_temp saved = amd_sel_exact_begin(ctx),
             old = returns ? amd_sel_temp(ctx, MIR_V((uint8_t)(instr->def.bits / 32))) : 0;
    struct mir_instr *out = amd_sel_instr(ctx, op, returns, exchange ? 3 : 2);
    if (returns)
        out->defs[0] = mir_result(old);
    out->operands[0] = mir_use(address);
    out->operands[1] = mir_use(data[0]); /* of an exchange: what is compared with, then the new value */
    if (exchange)
        out->operands[2] = mir_use(data[1]);
    out->mem.offset = (int32_t)imm_B;
    out->sync = MIR_SYNC_SHARED | MIR_SYNC_VOLATILE;
    amd_sel_exact_end(ctx, saved);
    if (returns)
        amd_sel_define(ctx, &instr->def, old);
}

bool amd_sel_atomic(struct select *ctx, struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_atomic_ssbo:
    case IR_OP_cmpxchg_ssbo:
        buffer_atomic(ctx, instr);
        return true;
    case IR_OP_atomic_global:
    case IR_OP_cmpxchg_global:
        global_atomic(ctx, instr);
        return true;
    case IR_OP_atomic_shared:
    case IR_OP_cmpxchg_shared:
        shared_atomic(ctx, instr);
        return true;
    default:
        return false;
    }
}
