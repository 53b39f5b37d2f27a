/* Answers of the block that launched a fragment warp: varyings, tests, blending, tile memory. */
#include "mali/model/sc/message.h"

static bool has_hook(struct mali_warp *warp, const struct sc_uop *uop, bool is_there)
{
    if (!is_there)
        mali_sc_fault(warp, uop, MALI_FAULT_INSTRUCTION, "an instruction of fragment shaders, in another one");
    return is_there;
}

static const struct mali_warp_hooks *hooks_of(const struct mali_warp *warp)
{
    static const struct mali_warp_hooks none;
    return warp->launch->hooks ? warp->launch->hooks : &none;
}

/* Coverage of lanes that are helpers or were discarded is none. */
static const uint32_t *live_coverage(const struct mali_warp *warp, const uint32_t *coverage,
                                     uint32_t copy[MALI_ROW_LANES])
{
    if (!(warp->active & ~warp->covered))
        return coverage;
    lanes_from_mask(copy, warp->covered, MALI_ROW_LANES);
    for (unsigned i = 0; i < MALI_ROW_LANES; i++)
        copy[i] &= coverage[i];
    return copy;
}

/* ---- varyings ---- */

static struct mali_varying_load load_of(const struct mali_isa_inst *inst)
{
    struct mali_varying_load load = {
        .source = inst->field[MALI_ISA_FIELD_SOURCE],
        .sample = inst->field[MALI_ISA_FIELD_SAMPLE],
        .regfmt = inst->field[MALI_ISA_FIELD_REGFMT],
        .components = inst->field[MALI_ISA_FIELD_VECTOR] + 1u,
    };
    switch (inst->op) {
    case MALI_ISA_OP_LD_VAR_SPECIAL:
        load.kind = MALI_VARYING_SPECIAL;
        break;
    case MALI_ISA_OP_LD_VAR_FLAT:
    case MALI_ISA_OP_LD_VAR_FLAT_IMM:
        load.kind = MALI_VARYING_FLAT;
        break;
    case MALI_ISA_OP_LD_VAR:
    case MALI_ISA_OP_LD_VAR_IMM:
        load.kind = MALI_VARYING_TABLE;
        break;
    case MALI_ISA_OP_LD_VAR_BUF_F16:
    case MALI_ISA_OP_LD_VAR_BUF_IMM_F16:
        load.kind = MALI_VARYING_BUFFER;
        load.regfmt = MALI_REGFMT_F16;
        break;
    default:
        load.kind = MALI_VARYING_BUFFER;
        load.regfmt = load.source <= MALI_SOURCE_FLAT16 ? MALI_REGFMT_U32 : MALI_REGFMT_F32;
        break;
    }
    return load;
}

static struct mali_varying_load load_at(const struct mali_isa_inst *inst, uint32_t handle)
{
    struct mali_varying_load load = load_of(inst);
    load.table = load.kind == MALI_VARYING_TABLE || load.kind == MALI_VARYING_FLAT ? handle >> 24 : 0;
    load.offset_B = load.kind == MALI_VARYING_BUFFER ? handle : handle & 0xffffff;
    return load;
}

static bool load_varying(struct mali_warp *warp, const struct sc_uop *uop, uint32_t handle, uint64_t lanes)
{
    struct mali_varying_load load = load_at(uop->inst, handle);
    uint32_t source0[MALI_ROW_LANES];
    memcpy(source0, sc_at(warp, uop->s[0]), sizeof(source0)); /* it may be among the results */
    load.source0 = source0;
    load.rows_out = sc_at(warp, uop->d);
    return hooks_of(warp)->load_varying(warp, &load, lanes);
}

/* s[0]: the position; s[1]: which varying, unless imm says; imm2: it does. */
static void run_load_varying(struct mali_warp *warp, const struct sc_uop *uop)
{
    if (!has_hook(warp, uop, hooks_of(warp)->load_varying != NULL))
        return;
    if (uop->imm2) {
        if (!load_varying(warp, uop, uop->imm, warp->active))
            mali_sc_stopped(warp, uop);
        return;
    }
    uint32_t handles[MALI_ROW_LANES];
    memcpy(handles, sc_at(warp, uop->s[1]), sizeof(handles));
    mali_sc_each_handle(warp, uop, handles, load_varying);
}

bool mali_sc_varying_of(const struct sc_uop *uop, struct mali_varying_load *load_out)
{
    if (uop->run != run_load_varying || !uop->imm2)
        return false;
    *load_out = load_at(uop->inst, uop->imm);
    return true;
}

/* Which varying an instruction names itself. */
static uint32_t immediate_varying(const struct mali_isa_inst *inst)
{
    if (inst->op == MALI_ISA_OP_LD_VAR_IMM || inst->op == MALI_ISA_OP_LD_VAR_FLAT_IMM)
        return (inst->number[0] < 12 ? inst->number[0] : inst->number[0] + 48) << 24 | inst->number[1];
    return inst->number[0];
}

static bool translate_varying(struct sc_builder *builder)
{
    const struct mali_isa_inst *inst = builder->inst;
    const bool is_flat = inst->op == MALI_ISA_OP_LD_VAR_FLAT, is_flat_imm = inst->op == MALI_ISA_OP_LD_VAR_FLAT_IMM;
    const bool is_indirect = is_flat || inst->op == MALI_ISA_OP_LD_VAR || inst->op == MALI_ISA_OP_LD_VAR_BUF_F32 ||
                             inst->op == MALI_ISA_OP_LD_VAR_BUF_F16;
    /* At the place of an earlier load; each load finds its own here. */
    if (inst->field[MALI_ISA_FIELD_UPDATE] == MALI_ISA_UPDATE_RETRIEVE)
        return false;
    const sc_place s0 = is_flat || is_flat_imm ? mali_sc_constant_place(builder, 0, 1) : mali_sc_source(builder, 0);
    const sc_place s1 = is_indirect ? mali_sc_source(builder, is_flat ? 0 : 1) : 0;
    struct sc_uop *uop = mali_sc_build(builder, run_load_varying);
    uop->d = mali_sc_register_place(inst->staging[0].reg);
    uop->s[0] = s0;
    uop->s[1] = s1;
    uop->imm = is_indirect ? 0 : immediate_varying(inst);
    uop->imm2 = !is_indirect;
    return true;
}

/* ---- tests ---- */

static void run_alpha_test(struct mali_warp *warp, const struct sc_uop *uop)
{
    const struct mali_warp_hooks *hooks = hooks_of(warp);
    uint32_t copy[MALI_ROW_LANES];
    if (!has_hook(warp, uop, hooks->alpha_test != NULL))
        return;
    const uint32_t *coverage = live_coverage(warp, sc_at(warp, uop->s[0]), copy);
    const uint32_t *alpha = sc_at(warp, uop->s[1]), *datum = sc_at(warp, uop->s[2]);
    if (!hooks->alpha_test(warp, coverage, alpha, datum[__builtin_ctzll(warp->active)], sc_at(warp, uop->d),
                           warp->active))
        mali_sc_stopped(warp, uop);
}

/* imm: 1 depth, 2 stencil. */
static void run_depth_stencil(struct mali_warp *warp, const struct sc_uop *uop)
{
    const struct mali_warp_hooks *hooks = hooks_of(warp);
    uint32_t depth[MALI_ROW_LANES], stencil[MALI_ROW_LANES], copy[MALI_ROW_LANES];
    if (!has_hook(warp, uop, hooks->depth_stencil != NULL))
        return;
    memcpy(depth, sc_at(warp, uop->s[0]), sizeof(depth));
    memcpy(stencil, sc_at(warp, uop->s[1]), sizeof(stencil));
    const uint32_t *coverage = live_coverage(warp, sc_at(warp, uop->s[2]), copy);
    if (!hooks->depth_stencil(warp, uop->imm & 1 ? depth : NULL, uop->imm & 2 ? stencil : NULL, coverage,
                              sc_at(warp, uop->d), warp->active))
        mali_sc_stopped(warp, uop);
}

static bool translate_test(struct sc_builder *builder)
{
    const struct mali_isa_inst *inst = builder->inst;
    const sc_place s0 = mali_sc_source(builder, 0), s1 = mali_sc_source(builder, 1), s2 = mali_sc_source(builder, 2);
    struct sc_uop *uop = mali_sc_build(builder, inst->op == MALI_ISA_OP_ATEST ? run_alpha_test : run_depth_stencil);
    uop->d = mali_sc_register_place(inst->staging[0].reg);
    uop->s[0] = s0;
    uop->s[1] = s1;
    uop->s[2] = s2;
    uop->imm = inst->field[MALI_ISA_FIELD_Z] | (uint32_t)inst->field[MALI_ISA_FIELD_STENCIL] << 1;
    return true;
}

/* ---- blending ---- */

/* s[0]: the descriptor; s[1]: coverage; s[2]: colours; imm: the program ends. In the fixed-function way the code that
 * calls a blend shader is left out. */
static void run_blend(struct mali_warp *warp, const struct sc_uop *uop)
{
    const struct mali_warp_hooks *hooks = hooks_of(warp);
    uint32_t copy[MALI_ROW_LANES];
    if (!has_hook(warp, uop, hooks->blend != NULL))
        return;
    const unsigned lane = (unsigned)__builtin_ctzll(warp->active);
    const uint32_t *descriptor = sc_at(warp, uop->s[0]);
    const uint32_t *coverage = live_coverage(warp, sc_at(warp, uop->s[1]), copy);
    const struct mali_blend blend = {
        .descriptor = {descriptor[lane], descriptor[MALI_ROW_LANES + lane]},
        .regfmt = uop->inst->field[MALI_ISA_FIELD_REGFMT],
        .components = uop->inst->field[MALI_ISA_FIELD_VECTOR] + 1u,
        .coverage = coverage,
        .colour = sc_at(warp, uop->s[2]),
    };
    switch (hooks->blend(warp, &blend, warp->active)) {
    case MALI_BLEND_SHADER:
        mali_sc_go(warp, uop, uop->pc + 8);
        break;
    case MALI_BLEND_DONE:
        if (uop->imm)
            mali_sc_end_lanes(warp);
        else
            mali_sc_go(warp, uop, uop->target_pc);
        break;
    case MALI_BLEND_FAULT:
        mali_sc_stopped(warp, uop);
        break;
    }
}

bool mali_sc_is_blend(const struct sc_uop *uop)
{
    return uop->run == run_blend;
}

static bool translate_blend(struct sc_builder *builder)
{
    const struct mali_isa_inst *inst = builder->inst;
    const sc_place s0 = mali_sc_source(builder, 0), s1 = mali_sc_source(builder, 1);
    struct sc_uop *uop = mali_sc_build(builder, run_blend);
    uop->s[0] = s0;
    uop->s[1] = s1;
    uop->s[2] = mali_sc_register_place(inst->staging[0].reg);
    uop->imm = inst->flow == MALI_ISA_FLOW_END;
    uop->target_pc = builder->pc + 8 + inst->number[0] * 8ull;
    builder->exec.ends_block = true;
    return true;
}

/* ---- tile memory ---- */

static void run_tile(struct mali_warp *warp, const struct sc_uop *uop)
{
    const struct mali_warp_hooks *hooks = hooks_of(warp);
    const bool is_load = uop->inst->op == MALI_ISA_OP_LD_TILE;
    uint32_t pixel[MALI_ROW_LANES], copy[MALI_ROW_LANES], conversion[MALI_ROW_LANES];
    const uint32_t *coverage = sc_at(warp, uop->s[1]);
    if (!has_hook(warp, uop, is_load ? hooks->load_tile != NULL : hooks->store_tile != NULL))
        return;
    memcpy(pixel, sc_at(warp, uop->s[0]), sizeof(pixel));
    memcpy(conversion, sc_at(warp, uop->s[2]), sizeof(conversion));
    if (is_load) /* helpers read, too; and coverage may be among the results */
        coverage = memcpy(copy, coverage, sizeof(copy));
    else
        coverage = live_coverage(warp, coverage, copy);
    const struct mali_tile_access access = {
        .regfmt = uop->inst->field[MALI_ISA_FIELD_REGFMT],
        .components = uop->inst->field[MALI_ISA_FIELD_VECTOR] + 1u,
        .pixel = pixel,
        .coverage = coverage,
        .conversion = conversion,
        .rows = sc_at(warp, uop->d),
    };
    if (!(is_load ? hooks->load_tile : hooks->store_tile)(warp, &access, warp->active))
        mali_sc_stopped(warp, uop);
}

static bool translate_tile(struct sc_builder *builder)
{
    const sc_place s0 = mali_sc_source(builder, 0), s1 = mali_sc_source(builder, 1), s2 = mali_sc_source(builder, 2);
    struct sc_uop *uop = mali_sc_build(builder, run_tile);
    uop->d = mali_sc_register_place(builder->inst->staging[0].reg);
    uop->s[0] = s0;
    uop->s[1] = s1;
    uop->s[2] = s2;
    return true;
}

bool mali_sc_translate_message(struct sc_builder *builder)
{
    switch (builder->inst->op) {
    case MALI_ISA_OP_ATEST:
    case MALI_ISA_OP_ZS_EMIT:
        return translate_test(builder);
    case MALI_ISA_OP_BLEND:
        return translate_blend(builder);
    case MALI_ISA_OP_LD_TILE:
    case MALI_ISA_OP_ST_TILE:
        return translate_tile(builder);
    default:
        if (mali_isa_unit(builder->inst->op) == MALI_ISA_UNIT_V)
            return translate_varying(builder);
        return mali_sc_translate_buffer(builder) || mali_sc_translate_texture(builder);
    }
}
