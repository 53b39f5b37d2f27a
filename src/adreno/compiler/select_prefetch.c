/* Samples that the hardware makes before a fragment shader begins: at a varying, of a texture that is known, in the
 * first block. Their texels are inputs like others, which arrive late. */
#include "adreno/compiler/select.h"
#include "util/bits.h"

#define MAX_REG 64       /* registers that a command can name, by component */
#define MAX_NUMBER 65536 /* of a descriptor in its set */

/* A component of a varying with perspective, at the pixel's centre. */
struct place {
    const struct ir_instr *load;
    unsigned component;
};

static bool find_place(const struct select *ctx, const struct ir_value *value, unsigned index, struct place *place_out)
{
    const struct ir_value *component = ir_component(value, index);
    const struct ir_instr *def = ir_def_instr(component ? component : value);
    if (component && def->op == IR_OP_extract)
        *place_out = (struct place){ir_def_instr(ir_src(def, 0)), ir_imm(def, IR_IMM_COMP)};
    else
        *place_out = (struct place){def, component ? 0 : index};
    const struct ir_instr *load = place_out->load;
    if (load->op != IR_OP_load_interp || load->def.bits != 32 || !ir_is_const(ir_src(load, 1)))
        return false;
    const struct ir_instr *bary = ir_def_instr(ir_src(load, 0));
    place_out->component += ir_imm(load, IR_IMM_COMP);
    return bary->op == IR_OP_load_bary && adreno_sel_ij(ctx, bary) == ADRENO_IJ_PERSP_PIXEL;
}

static uint64_t location_of(const struct place *place)
{
    return ir_imm(place->load, IR_IMM_LOCATION) + ir_const_u64(ir_src(place->load, 1)) + place->component / 4;
}

static bool is_known(const struct ir_value *handle)
{
    const struct ir_instr *resource = ir_def_instr(handle);
    return resource->op == IR_OP_resource && ir_is_const(ir_src(resource, 0));
}

/* The location of VPC where the coordinate begins; -1: it is none of two varyings side by side. */
static int coordinate_loc(const struct select *ctx, const struct ir_instr *instr)
{
    struct place x, y;
    if (!find_place(ctx, ir_src(instr, 2), 0, &x) || !find_place(ctx, ir_src(instr, 2), 1, &y))
        return -1;
    const unsigned first = ctx->fragment->loc_of[location_of(&x)][x.component % 4];
    return ctx->fragment->loc_of[location_of(&y)][y.component % 4] == first + 1 ? (int)first : -1;
}

static bool is_simple(const struct ir_instr *instr)
{
    return instr->op == IR_OP_tex && ir_imm(instr, IR_IMM_TEX_KIND) == IR_TEX_KIND_sample &&
           ir_imm(instr, IR_IMM_DIM) == IR_DIM_2d && !ir_imm(instr, IR_IMM_ARRAY) && !ir_imm(instr, IR_IMM_OPERANDS) &&
           instr->def.bits <= 32 && !(ir_imm(instr, IR_IMM_TEX_FLAGS) & IR_TEX_FLAG_INTEGER) &&
           is_known(ir_src(instr, 0)) && is_known(ir_src(instr, 1));
}

static void add_prefetch(struct select *ctx, struct sel_start *start, const struct ir_instr *instr, unsigned loc)
{
    struct adreno_shader_config *config = ctx->config;
    const unsigned mask = adreno_sel_used_mask(instr);
    const struct mach_class class = air_class(log2_floor(mask) + 1, instr->def.bits == 16);
    const struct sel_descriptor texture = adreno_sel_descriptor(ctx, ir_src(instr, 0));
    const struct sel_descriptor sampler = adreno_sel_sampler(ctx, ir_src(instr, 1));
    const unsigned reg = air_is_half(class) ? start->next : start->next / 2u;
    if (texture.number >= MAX_NUMBER || sampler.number >= MAX_NUMBER || reg + class.comps > MAX_REG)
        return;
    struct sel_prefetch *prefetch = &ctx->fragment->prefetches[config->fs.num_prefetches];
    *prefetch = (struct sel_prefetch){instr, adreno_sel_take(ctx, start, class)};
    config->fs.prefetches[config->fs.num_prefetches++] = (struct adreno_prefetch){
        .loc = (uint8_t)loc,
        .texture_set = (uint8_t)texture.set,
        .sampler_set = (uint8_t)sampler.set,
        .texture = (uint16_t)texture.number,
        .sampler = (uint16_t)sampler.number,
        .reg = (uint8_t)reg,
        .mask = (uint8_t)mask,
        .is_half = air_is_half(class),
    };
    config->fs.has_implicit_lod = true;
    air_own(ctx->m.program)->late[air_own(ctx->m.program)->num_late++] =
        (struct air_span){start->list[start->count - 1].reg, (uint16_t)mach_units(class), air_is_half(class)};
}

void adreno_sel_find_prefetches(struct select *ctx, struct sel_start *start)
{
    if (ctx->options->no_optimisation || ctx->fragment->is_per_sample || !ctx->fragment->ij[ADRENO_IJ_PERSP_PIXEL])
        return;
    ir_foreach_instr (ir_region_first(&ctx->m.shader->body), instr) {
        const int loc = is_simple(instr) ? coordinate_loc(ctx, instr) : -1;
        if (loc >= 0 && ctx->config->fs.num_prefetches < ADRENO_MAX_PREFETCHES)
            add_prefetch(ctx, start, instr, (unsigned)loc);
    }
}

mach_temp adreno_sel_prefetched(const struct select *ctx, const struct ir_instr *instr)
{
    for (unsigned i = 0; ctx->fragment && i < ctx->config->fs.num_prefetches; i++) {
        if (ctx->fragment->prefetches[i].instr == instr)
            return ctx->fragment->prefetches[i].texels;
    }
    return 0;
}
