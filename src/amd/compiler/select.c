/* The whole of a shader: arguments at its start, its body, its end; which family selects an operation. See select.h. */
#include "amd/compiler/select.h"
#include "amd/compiler/function.h"

#include <string.h>

#include "util/bits.h"

/* ---- arguments ---- */

mir_temp amd_sel_arg(struct select *ctx, enum amd_arg arg)
{
    if (!ctx->arg[arg])
        sel_fail(ctx, "internal: argument %d is not there", arg);
    return ctx->arg[arg];
}

bool amd_sel_is_argument(const struct select *ctx, mir_temp temp)
{
    for (unsigned i = 0; i < AMD_ARG_COUNT; i++) {
        if (ctx->arg[i] == temp)
            return true;
    }
    return false;
}

static void define_args(struct select *ctx)
{
    unsigned count = 0;
    for (unsigned i = 0; i < AMD_ARG_COUNT; i++)
        count += ctx->args->place[i].count != 0;
    struct mir_instr *start = ctx->start = amd_sel_instr(ctx, MIR_P_START, count, 0);
    unsigned at = 0;
    for (unsigned i = 0; i < AMD_ARG_COUNT; i++) {
        unsigned reg = ctx->args->place[i].reg, dwords = ctx->args->place[i].count;
        if (!dwords)
            continue;
        ctx->arg[i] = amd_sel_temp(ctx, reg >= MIR_REG_V0 ? MIR_V((uint8_t)dwords) : MIR_S((uint8_t)dwords));
        start->defs[at++] = mir_fixed_result(ctx->arg[i], (mir_reg)reg);
    }
}

mir_temp amd_sel_ring_address(struct select *ctx)
{
    mir_temp base = amd_sel_temp(ctx, MIR_S(2));
    struct mir_instr *pair = amd_sel_instr(ctx, MIR_P_VECTOR, 1, 2);
    pair->defs[0] = mir_result(base);
    pair->operands[0] = mir_use(amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_rings));
    pair->operands[1] = mir_const(ctx->options->address32_hi);
    return base;
}

static mir_temp load_ring(struct select *ctx, enum amd_ring ring)
{
    mir_temp base = amd_sel_ring_address(ctx), result = amd_sel_temp(ctx, MIR_S(4));
    struct mir_instr *load = amd_sel_instr(ctx, ISA_OP_S_LOAD_DWORDX4, 1, 2);
    load->defs[0] = mir_result(result);
    load->operands[0] = mir_use(base);
    load->mem.offset = (int32_t)ring * 16;
    load->sync = MIR_SYNC_CAN_REORDER;
    return result;
}

/* ---- what a shader does ---- */

static void scan_shader(struct select *ctx)
{
    bool demotes = false, quads = ctx->shader->uses_derivatives;
    ctx->writes_buffers = ir_is_function(ctx->shader); /* itself, or the callers before it */
    ir_foreach_block (ctx->shader, block) {
        ir_foreach_instr (block, instr) {
            switch (instr->op) {
            case IR_OP_store_ssbo:
            case IR_OP_store_global:
            case IR_OP_atomic_ssbo:
            case IR_OP_cmpxchg_ssbo:
            case IR_OP_atomic_global:
            case IR_OP_cmpxchg_global:
            case IR_OP_call_one:
                ctx->writes_buffers = true;
                break;
            case IR_OP_demote:
                demotes = true;
                break;
            case IR_OP_load_bary_at:
                quads = true;
                break;
            case IR_OP_load_sysval: /* whose depth is mended by its derivative */
                quads |= ir_imm(instr, IR_IMM_SYSVAL) == IR_SYSVAL_frag_coord &&
                         amd_may_be_coarse(ctx->shader, ctx->options);
                break;
            default:
                break;
            }
        }
    }
    if (ctx->shader->stage == IR_STAGE_fragment) {
        ctx->helper_lanes = quads;
        ctx->has_exact = ctx->helper_lanes || demotes;
        ctx->per_sample = amd_runs_per_sample(ctx->shader, ctx->options);
        ctx->config->can_discard = demotes; /* where a constant decides, none may be left */
    }
}

/* The lanes that count are those that were started; then whole quads run. */
static void begin_exact(struct select *ctx)
{
    if (!ctx->has_exact)
        return;
    ctx->exact = amd_sel_copy(ctx, ctx->program->lane_mask, amd_sel_exec(ctx));
    if (ctx->helper_lanes) {
        struct mir_instr *wqm = amd_sel_instr(ctx, ctx->wave64 ? ISA_OP_S_WQM_B64 : ISA_OP_S_WQM_B32, 1, 1);
        wqm->defs[0] = mir_fixed_result(0, MIR_REG_EXEC);
        wqm->operands[0] = amd_sel_exec(ctx);
    }
}

/* ---- barriers ---- */

/* Stores were counted; before the barrier they must have arrived, after it the first cache must not answer with old
 * lines. */
static void amd_sel_barrier(struct select *ctx, struct ir_instr *instr)
{
    uint32_t memory = ir_imm(instr, IR_IMM_MEMORY), order = ir_imm(instr, IR_IMM_ORDER),
             scope = ir_imm(instr, IR_IMM_SCOPE);
    uint32_t kinds =
        (memory & IR_MEMORY_BUFFER ? MIR_SYNC_BUFFER : 0) | (memory & IR_MEMORY_IMAGE ? MIR_SYNC_IMAGE : 0) |
        (memory & IR_MEMORY_SHARED ? MIR_SYNC_SHARED : 0) | (memory & IR_MEMORY_OUTPUT ? MIR_SYNC_EXPORT : 0);
    uint32_t ways =
        (order & IR_ORDER_ACQUIRE ? MIR_SYNC_ACQUIRE : 0) | (order & IR_ORDER_RELEASE ? MIR_SYNC_RELEASE : 0);
    if (!ways && kinds)
        ways = MIR_SYNC_ACQUIRE | MIR_SYNC_RELEASE;
    bool execution = (order & IR_ORDER_EXECUTION) && scope > IR_SCOPE_subgroup;
    struct mir_instr *fence = amd_sel_instr(ctx, MIR_P_BARRIER, 0, 0);
    fence->imm = kinds | ways;
    fence->sync = (uint16_t)(kinds | ways);
    if (execution) {
        struct mir_instr *barrier = amd_sel_instr(ctx, ISA_OP_S_BARRIER, 0, 0);
        barrier->sync = (uint16_t)(kinds | ways);
    }
    bool caches = (memory & (IR_MEMORY_BUFFER | IR_MEMORY_IMAGE)) && scope > IR_SCOPE_subgroup;
    if (caches && (ways & MIR_SYNC_ACQUIRE)) {
        struct mir_instr *inv = amd_sel_instr(ctx, ISA_OP_BUFFER_GL0_INV, 0, 0);
        inv->sync = (uint16_t)(kinds | ways);
        if (scope > IR_SCOPE_workgroup) {
            inv = amd_sel_instr(ctx, ISA_OP_BUFFER_GL1_INV, 0, 0);
            inv->sync = (uint16_t)(kinds | ways);
        }
    }
}

static void shader_clock(struct select *ctx, struct ir_instr *instr)
{
    mir_temp result = amd_sel_temp(ctx, MIR_S(2));
    bool device = ir_imm(instr, IR_IMM_SCOPE) >= IR_SCOPE_queue_family;
    struct mir_instr *clock = amd_sel_instr(ctx, device ? ISA_OP_S_MEMREALTIME : ISA_OP_S_MEMTIME, 1, 0);
    clock->defs[0] = mir_result(result);
    clock->sync = MIR_SYNC_VOLATILE;
    amd_sel_define(ctx, &instr->def, result);
}

/* ---- one operation ---- */

void amd_sel_ir_instr(struct select *ctx, struct ir_instr *instr)
{
    static bool (*const families[])(struct select *, struct ir_instr *) = {
        amd_sel_alu_bool, amd_sel_alu,    amd_sel_alu_64,   amd_sel_alu_int, amd_sel_alu_float,
        amd_sel_convert,  amd_sel_memory, amd_sel_constant, amd_sel_shared,  amd_sel_atomic,
        amd_sel_sysval,   amd_sel_image,  amd_sel_ray,      amd_sel_lanes,   amd_sel_reduce,
        amd_sel_input,    amd_sel_output, amd_sel_geometry, amd_sel_tess,    amd_sel_call,
    };
    switch (instr->op) {
    case IR_OP_const:
    case IR_OP_undef:
    case IR_OP_resource:
        if (instr->op == IR_OP_undef && amd_sel_value_dwords(&instr->def) > 2) {
            mir_temp temp =
                amd_sel_copy(ctx, amd_sel_class_of(ctx, &instr->def), mir_undef(amd_sel_value_dwords(&instr->def)));
            amd_sel_define(ctx, &instr->def, temp);
        }
        return;
    case IR_OP_barrier:
        amd_sel_barrier(ctx, instr);
        return;
    case IR_OP_shader_clock:
        shader_clock(ctx, instr);
        return;
    case IR_OP_demote:
        amd_sel_demote(ctx, instr);
        return;
    default:
        break;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(families); i++) {
        if (families[i](ctx, instr))
            return;
    }
    sel_fail(ctx, "the operation %s of %u bits cannot be selected", ir_info(instr)->name,
             instr->num_srcs ? ir_src(instr, 0)->bits : instr->def.bits);
}

void amd_select(struct mir_program *program, struct ir_shader *shader, const struct amd_compile_options *options,
                const struct amd_args *args, struct amd_shader_config *config, bool force_scratch)
{
    static const struct amd_stage_options no_options;
    struct select select =
                      {
                          .program = program,
                          .b = {.program = program},
                          .shader = shader,
                          .options = options,
                          .stage = options->stage ? options->stage : &no_options,
                          .args = args,
                          .config = config,
                          .wave64 = program->wave_size == 64,
                      },
                  *ctx = &select;
    program->stage = (uint8_t)shader->stage;
    program->lds_size_B = shader->shared_size_B;
    program->scratch_size_B = shader->scratch_size_B;
    program->const_data = shader->const_data;
    program->const_data_size_B = shader->const_data_size_B;
    scan_shader(ctx);
    ctx->values = amd_sel_alloc(ctx, (shader->num_values + 1) * sizeof(*ctx->values));
    ctx->block_end = amd_sel_alloc(ctx, (shader->num_blocks + 1) * sizeof(*ctx->block_end));
    memset(ctx->block_end, 0xff, (shader->num_blocks + 1) * sizeof(*ctx->block_end));
    amd_sel_find_places(ctx);

    amd_mir_new_block(program)->kind = MIR_BLOCK_TOP;
    define_args(ctx);
    program->scratch_offset = ctx->arg[AMD_ARG_SCRATCH_OFFSET];
    begin_exact(ctx);
    amd_sel_logical_start(ctx);
    bool is_function = ir_is_function(shader);
    if (!is_function && (shader->scratch_size_B || force_scratch || amd_calls(shader)))
        program->scratch_rsrc = ctx->scratch_rsrc =
            load_ring(ctx, program->wave_size == 32 ? AMD_RING_SCRATCH_32 : AMD_RING_SCRATCH_64);
    amd_sel_function_begin(ctx);
    amd_sel_function_mode(ctx);
    amd_sel_inputs_begin(ctx);
    amd_sel_vertex_begin(ctx);
    amd_sel_outputs_begin(ctx);
    amd_sel_body(ctx);
    amd_sel_outputs_end(ctx);
    amd_sel_end_program(ctx);
}
