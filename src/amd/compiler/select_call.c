/* Functions (function.h): calls, the words that caller and callee share, addresses on the stack, and the return. */
#include "amd/compiler/function.h"
#include "amd/compiler/select.h"
#include "util/bits.h"

/* Arguments of a function, in the order of the call's operands after the address. */
static const struct {
    uint16_t arg;
    mir_reg reg;
} call_registers[] = {
    {AMD_ARG_SP, AMD_FUNCTION_SP},
    {AMD_ARG_SCRATCH_OFFSET, AMD_FUNCTION_STACK},
    {AMD_ARG_SCRATCH, AMD_FUNCTION_SCRATCH},
    {AMD_ARG_USER0 + AMD_USER_rings, AMD_FUNCTION_RINGS},
    {AMD_ARG_USER0 + AMD_USER_set_table, AMD_FUNCTION_SET_TABLE},
    {AMD_ARG_USER0 + AMD_USER_push, AMD_FUNCTION_PUSH},
    {AMD_ARG_USER0 + AMD_USER_trace_tables, AMD_FUNCTION_TABLES},
    {AMD_ARG_USER0 + AMD_USER_trace_size, AMD_FUNCTION_SIZE},
    {AMD_ARG_USER0 + AMD_USER_traversal, AMD_FUNCTION_TRAVERSAL},
};

static void put_registers(struct select *ctx, struct mir_instr *instr)
{
    for (unsigned i = 0; i < ARRAY_SIZE(call_registers); i++)
        instr->operands[1 + i] = mir_fixed(amd_sel_arg(ctx, call_registers[i].arg), call_registers[i].reg);
}

/* A kernel that calls functions has its frame at the start of the stack. */
void amd_sel_function_begin(struct select *ctx)
{
    struct mir_program *program = ctx->program;
    program->is_function = ir_is_function(ctx->shader);
    program->has_calls = amd_calls(ctx->shader);
    if (!program->is_function && !program->has_calls)
        return;
    program->call_vgprs = AMD_CALL_VGPRS;
    program->max_vgprs = AMD_FUNCTION_VGPRS;
    if (program->is_function) {
        program->scratch_rsrc = ctx->scratch_rsrc = ctx->arg[AMD_ARG_SCRATCH];
        program->scratch_size_B += IR_FRAME_ARGS_B;
    } else {
        ctx->arg[AMD_ARG_SCRATCH] = ctx->scratch_rsrc;
        ctx->arg[AMD_ARG_SP] = ctx->arg[AMD_ARG_SCRATCH_OFFSET];
    }
    program->scratch_offset = ctx->arg[AMD_ARG_SP];
}

static void set_mode(struct select *ctx, uint32_t from, uint32_t to)
{
    if ((from ^ to) & 0xf)
        amd_sel_instr(ctx, ISA_OP_S_ROUND_MODE, 0, 0)->imm = to & 0xf;
    if ((from ^ to) >> 4 & 0xf)
        amd_sel_instr(ctx, ISA_OP_S_DENORM_MODE, 0, 0)->imm = to >> 4 & 0xf;
}

void amd_sel_function_mode(struct select *ctx)
{
    if (ctx->program->is_function)
        set_mode(ctx, ctx->program->caller_float_mode, ctx->program->float_mode);
}

void amd_sel_return(struct select *ctx)
{
    set_mode(ctx, ctx->program->float_mode, ctx->program->caller_float_mode);
    struct mir_instr *back = amd_sel_instr(ctx, ISA_OP_S_SETPC_B64, 0, 1 + ARRAY_SIZE(call_registers));
    back->operands[0] = mir_use(amd_sel_arg(ctx, AMD_ARG_RETURN));
    put_registers(ctx, back);
}

static void call_function(struct select *ctx, const struct ir_instr *instr)
{
    mir_temp address = amd_sel_sgpr(ctx, ir_src(instr, 0));
    struct mir_instr *out = amd_sel_instr(ctx, MIR_P_CALL, 0, 1 + ARRAY_SIZE(call_registers));
    out->operands[0] = mir_fixed(address, AMD_FUNCTION_CALLEE);
    put_registers(ctx, out);
}

/* Where the frame of what is called begins, as the scalar part of an address. */
mir_temp amd_sel_next_frame(struct select *ctx)
{
    mir_temp result = amd_sel_temp(ctx, MIR_S(1));
    struct mir_instr *next = amd_sel_instr(ctx, MIR_P_NEXT_FRAME, 1, 1);
    next->defs[0] = mir_result(result);
    next->operands[0] = mir_use(amd_sel_arg(ctx, AMD_ARG_SP));
    return result;
}

uint32_t amd_sel_frame_args_B(const struct select *ctx)
{
    return ctx->program->is_function ? IR_FRAME_ARGS_B : 0;
}

/* Lanes lie side by side on the stack: a frame begins wave_size times further than each lane sees it. */
static void frame_address(struct select *ctx, const struct ir_instr *instr)
{
    mir_temp distance = amd_sel_sop2(ctx, ISA_OP_S_SUB_U32, 1, mir_use(amd_sel_arg(ctx, AMD_ARG_SP)),
                                     mir_use(amd_sel_arg(ctx, AMD_ARG_SCRATCH_OFFSET)));
    mir_temp frame = amd_sel_sop2(ctx, ISA_OP_S_LSHR_B32, 1, mir_use(distance), mir_const(ctx->wave64 ? 6 : 5));
    uint32_t more_B = amd_sel_frame_args_B(ctx) + ir_imm(instr, IR_IMM_BASE);
    amd_sel_define(ctx, &instr->def, amd_sel_sop2(ctx, ISA_OP_S_ADD_U32, 1, mir_use(frame), mir_const(more_B)));
}

bool amd_sel_call(struct select *ctx, struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_call_one:
        call_function(ctx, instr);
        return true;
    case IR_OP_frame_address:
        frame_address(ctx, instr);
        return true;
    case IR_OP_trace_tables:
        amd_sel_define(ctx, &instr->def, amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_trace_tables));
        return true;
    case IR_OP_trace_size:
        amd_sel_define(ctx, &instr->def, amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_trace_size));
        return true;
    case IR_OP_trace_traversal:
        amd_sel_define(ctx, &instr->def, amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_traversal));
        return true;
    default:
        return false;
    }
}
