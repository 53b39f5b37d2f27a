/* Arithmetic on constants alone: what comes from push constants, from ranges of uniform buffers that are known, and
 * from numbers is the same for a whole draw or dispatch. The preamble computes it once and writes it to the constant
 * file, where the program finds it as it finds push constants.
 *
 * What the preamble computes is a shader of its own, made of copies. Signs, vectors and comparisons stay in the program
 * where it reads them: they cost nothing there, or need no register. */
#include <string.h>

#include "adreno/compiler/select.h"
#include "compiler/ir/ir_builder.h"
#include "compiler/ir/opt.h"
#include "util/bits.h"

#define MAX_COMPONENT 255 /* of the file, that a store names */

enum {
    IS_ABLE = 1,   /* the preamble can compute it */
    STAYS = 2,     /* the program computes it, too */
    IS_ROOT = 4,   /* the program reads it from the file */
    IS_NEEDED = 8, /* for a root */
};

struct early {
    struct select *ctx;
    uint8_t *flags;         /* by value */
    struct ir_instr **list; /* those that are able, in their order */
    uint32_t count;
    struct ir_value **copies; /* by value */
    struct ir_builder b;      /* of the preamble */
};

/* ---- what ---- */

static bool is_known_handle(const struct ir_value *handle)
{
    const struct ir_instr *resource = ir_def_instr(handle);
    return resource->op == IR_OP_resource && ir_is_const(ir_src(resource, 0));
}

static bool is_able_source(const struct early *e, const struct ir_value *value)
{
    return (value->bits == 32 || value->bits == 1) && (ir_is_const(value) || e->flags[value->index] & IS_ABLE);
}

static bool is_able(const struct early *e, const struct ir_instr *instr)
{
    const uint32_t fixed = IR_PROP_EFFECT | IR_PROP_CROSS | IR_PROP_QUAD | IR_PROP_JUMP;
    int32_t first;
    if (instr->def.bits != 32 && instr->def.bits != 1)
        return false;
    switch (instr->op) {
    case IR_OP_load_push:
        return instr->def.bits == 32 && ir_is_const(ir_src(instr, 0));
    case IR_OP_load_ubo:
        return instr->def.bits == 32 && ir_is_const(ir_src(instr, 1)) && is_known_handle(ir_src(instr, 0)) &&
               adreno_sel_is_pushed(e->ctx, instr, &first);
    case IR_OP_vec:
    case IR_OP_extract:
        break;
    default:
        if (!ir_info(instr)->folds || ir_info(instr)->props & fixed || instr->def.comps != 1)
            return false;
        break;
    }
    for (unsigned i = 0; i < instr->num_srcs; i++) {
        if (!is_able_source(e, ir_src(instr, i)))
            return false;
    }
    return true;
}

/* It costs nothing where it is read, or is no number of 32 bits. */
static bool is_light(const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_load_push:
    case IR_OP_load_ubo:
    case IR_OP_vec:
    case IR_OP_extract:
    case IR_OP_fneg:
    case IR_OP_fabs:
        return true;
    default:
        return instr->def.bits == 1;
    }
}

static uint8_t flags_of_uses(const struct early *e, const struct ir_instr *instr)
{
    uint8_t flags = 0;
    ir_foreach_use (&instr->def, use) {
        const struct ir_instr *reader = use->instr;
        if (!reader || !reader->def.bits || !(e->flags[reader->def.index] & IS_ABLE))
            flags |= STAYS;
        else
            flags |= e->flags[reader->def.index] & (STAYS | IS_NEEDED);
    }
    return flags;
}

/* From the last one on, so that readers are known. */
static unsigned choose_instrs(struct early *e)
{
    unsigned roots = 0;
    for (uint32_t i = e->count; i-- > 0;) {
        const struct ir_instr *instr = e->list[i];
        uint8_t flags = flags_of_uses(e, instr);
        if (flags & STAYS && !is_light(instr) && roots < SEL_MAX_EARLY) {
            flags = IS_ROOT | IS_NEEDED;
            roots++;
        }
        e->flags[instr->def.index] |= flags;
    }
    return roots;
}

static void find_early(struct early *e, struct ir_shader *shader)
{
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (!block->reachable || !instr->def.bits || !is_able(e, instr))
                continue;
            e->flags[instr->def.index] = IS_ABLE;
            e->list[e->count++] = instr;
        }
    }
}

/* ---- the copy ---- */

static struct ir_value *copy_of(struct early *e, const struct ir_value *value)
{
    const struct ir_instr *def = ir_def_instr(value);
    if (ir_is_const(value))
        return ir_const(&e->b, value->bits, ir_const_u64(value));
    if (def->op == IR_OP_resource) {
        struct ir_value *index = copy_of(e, ir_src(def, 0));
        return &ir_build(&e->b, def->op, value->bits, value->comps, 1, &index, 0, NULL, def->imm)->def;
    }
    return e->copies[value->index];
}

static void copy_instr(struct early *e, const struct ir_instr *instr)
{
    struct ir_value *srcs[IR_MAX_COMPS];
    for (unsigned i = 0; i < instr->num_srcs; i++)
        srcs[i] = copy_of(e, ir_src(instr, i));
    struct ir_instr *made =
        ir_build(&e->b, instr->op, instr->def.bits, instr->def.comps, instr->num_srcs, srcs, 0, NULL, instr->imm);
    made->flags = instr->flags;
    e->copies[instr->def.index] = &made->def;
}

/* The program reads the file instead. */
static void replace_instr(struct early *e, struct ir_instr *instr, uint32_t component)
{
    struct ir_builder b = ir_builder_before(e->ctx->m.shader, instr);
    struct ir_value *zero = ir_const(&b, 32, 0);
    struct ir_instr *load = ir_build(&b, IR_OP_load_push, 32, 1, 1, &zero, 0, NULL, NULL);
    ir_set_imm(load, IR_IMM_BASE, (component - e->ctx->config->first_push * 4u) * 4);
    ir_set_imm(load, IR_IMM_ALIGN, 4);
    ir_replace_uses(&instr->def, &load->def);
}

static void move_instrs(struct early *e, uint32_t first)
{
    struct select *ctx = e->ctx;
    for (uint32_t i = 0; i < e->count; i++) {
        const uint8_t flags = e->flags[e->list[i]->def.index];
        if (flags & IS_NEEDED)
            copy_instr(e, e->list[i]);
        if (flags & IS_ROOT) {
            ctx->early[ctx->num_early] = (struct sel_early){e->copies[e->list[i]->def.index], first + ctx->num_early};
            ctx->num_early++;
        }
    }
    for (uint32_t i = 0, done = 0; i < e->count; i++) {
        if (e->flags[e->list[i]->def.index] & IS_ROOT)
            replace_instr(e, e->list[i], first + done++);
    }
}

void adreno_sel_find_early(struct select *ctx)
{
    struct ir_shader *shader = ctx->m.shader;
    struct mach_program *program = ctx->m.program;
    struct early e = {.ctx = ctx};
    e.flags = mach_alloc(program, shader->num_values * sizeof(*e.flags));
    e.list = mach_alloc(program, shader->num_values * sizeof(*e.list));
    find_early(&e, shader);
    const unsigned roots = choose_instrs(&e);
    const uint32_t first = ctx->first_early * 4u;
    if (!roots || first + roots > MAX_COMPONENT)
        return;
    struct ir_shader *early = *ctx->early_shader = ir_shader_create(IR_STAGE_compute);
    if (!early)
        sel_fail(ctx, "out of memory");
    early->failure = shader->failure;
    early->target = shader->target;
    early->floats = shader->floats;
    e.copies = mach_alloc(program, shader->num_values * sizeof(*e.copies));
    e.b = ir_builder_at_end(early, ir_region_first(&early->body));
    move_instrs(&e, first);
    opt_dead_code(shader, NULL);
}

/* ---- the preamble ---- */

void adreno_sel_store_early(struct select *ctx, const struct ir_instr *instr)
{
    for (unsigned i = 0; i < ctx->num_early; i++) {
        if (ctx->early[i].value != &instr->def)
            continue;
        struct mach_instr *store = adreno_air_form(&ctx->m.b, AIR_FORM_STC, 0, 1);
        store->operands[0] = mach_use(adreno_sel_reg(ctx, &instr->def, 0));
        store->operands[0].place = ADRENO_ISA_PLACE_SRC0;
        store->has_effect = true;
        air_isa(store)->operands[ADRENO_ISA_PLACE_DST].value = (int32_t)ctx->early[i].component;
    }
}
