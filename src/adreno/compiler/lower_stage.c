/* Outputs that a stage lacks or leaves out, as IR: those that a binning pass does not want, layers of cubes. See
 * lower_adreno.h. */
#include "adreno/compiler/compiler.h"
#include "adreno/compiler/lower_adreno.h"

/* ---- binning ---- */

static bool places_primitives(unsigned location)
{
    switch (location) {
    case IR_LOCATION_position:
    case IR_LOCATION_point_size:
    case IR_LOCATION_clip_distance0:
    case IR_LOCATION_clip_distance1:
    case IR_LOCATION_cull_distance0:
    case IR_LOCATION_cull_distance1:
    case IR_LOCATION_layer:
    case IR_LOCATION_viewport:
        return true;
    default:
        return false;
    }
}

bool adreno_lower_binning(struct ir_shader *shader, const void *options)
{
    bool progress = false;
    (void)options;
    ir_foreach_block (shader, block) {
        for (struct list *link = block->instrs.next, *next; link != &block->instrs; link = next) {
            struct ir_instr *instr = container_of(link, struct ir_instr, link);
            next = link->next;
            if (instr->op != IR_OP_store_output || places_primitives(ir_imm(instr, IR_IMM_LOCATION)))
                continue;
            ir_remove(instr);
            progress = true;
        }
    }
    return progress;
}

/* ---- views ---- */

/* A vertex at 0, 0, 0, 0 makes its primitive one without an area, whatever is clipped. */
bool adreno_lower_views(struct ir_shader *shader, const void *options)
{
    const uint32_t view_mask = *(const uint32_t *)options;
    bool progress = false;
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_store_output || ir_imm(instr, IR_IMM_LOCATION) != IR_LOCATION_position)
                continue;
            struct ir_builder b = ir_builder_before(shader, instr);
            struct ir_value *view = ir_load_sysval(&b, 32, 1, IR_SYSVAL_view_index), *place = ir_src(instr, 0),
                            *comps[4];
            struct ir_value *bit = ir_iand(&b, ir_ishr(&b, ir_const(&b, 32, view_mask), view), ir_const(&b, 32, 1));
            struct ir_value *is_drawn = ir_ine(&b, bit, ir_const(&b, 32, 0));
            for (unsigned i = 0; i < place->comps; i++)
                comps[i] = ir_select(&b, is_drawn, ir_extract(&b, place, i), ir_const(&b, place->bits, 0));
            ir_use_set(&instr->srcs[0], ir_vec(&b, place->comps, comps));
            progress = true;
        }
    }
    return progress;
}

/* ---- varyings ---- */

#define MAX_MOVED 16 /* components that live on from the start */

static bool is_varying(const struct ir_instr *instr)
{
    return (instr->op == IR_OP_load_interp || instr->op == IR_OP_load_input) && instr->def.bits <= 32;
}

/* Component by component, as bary.f takes them: the same one may be a part of several vectors. */
static struct ir_value *split_varying(struct ir_builder *b, struct ir_instr *instr)
{
    if (!is_varying(instr) || instr->def.comps == 1)
        return NULL;
    struct ir_value *comps[IR_MAX_COMPS], *srcs[2];
    for (unsigned i = 0; i < instr->num_srcs; i++)
        srcs[i] = ir_src(instr, i);
    for (unsigned i = 0; i < instr->def.comps; i++) {
        struct ir_instr *one = ir_build(b, instr->op, instr->def.bits, 1, instr->num_srcs, srcs, 0, NULL, instr->imm);
        ir_set_imm(one, IR_IMM_COMP, ir_imm(instr, IR_IMM_COMP) + i);
        comps[i] = &one->def;
    }
    return ir_vec(b, instr->def.comps, comps);
}

/* A place that is computed stays where it is. */
static bool may_be_first(const struct ir_instr *instr)
{
    if (!is_varying(instr))
        return false;
    for (unsigned i = 0; i < instr->num_srcs; i++) {
        const struct ir_instr *def = ir_def_instr(ir_src(instr, i));
        if (def->op != IR_OP_const && def->op != IR_OP_load_bary)
            return false;
    }
    return true;
}

/* Varyings that are read under a condition are read at the start: the memory that they lie in is free after the last
 * one, and what is read on several ways is read once. */
static bool move_varyings(struct ir_shader *shader)
{
    struct ir_block *first = ir_region_first(&shader->body);
    unsigned count = 0;
    ir_foreach_block (shader, block) {
        for (struct list *link = block->instrs.next, *next; link != &block->instrs; link = next) {
            struct ir_instr *instr = container_of(link, struct ir_instr, link);
            next = link->next;
            if (!block->node.region->owner || count == MAX_MOVED || !may_be_first(instr))
                continue;
            for (unsigned i = 0; i < instr->num_srcs; i++) {
                struct ir_instr *def = ir_def_instr(ir_src(instr, i));
                if (def->block != first)
                    ir_move_to_end(def, first);
            }
            ir_move_to_end(instr, first);
            count++;
        }
    }
    return count > 0;
}

bool adreno_lower_varyings(struct ir_shader *shader, const void *options)
{
    (void)options;
    bool progress = lower_instrs(shader, split_varying);
    progress |= move_varyings(shader);
    return progress;
}

/* ---- images ---- */

/* Storage images of cubes are arrays of faces. */
static struct ir_value *cube_size(struct ir_builder *b, struct ir_instr *instr)
{
    if (instr->op != IR_OP_image_size || ir_imm(instr, IR_IMM_DIM) != IR_DIM_cube || instr->def.comps != 3)
        return NULL;
    struct ir_value *size = ir_image_size(b, 3, ir_src(instr, 0), ir_src(instr, 1), IR_DIM_2d, true), *comps[3];
    for (unsigned i = 0; i < 3; i++)
        comps[i] = ir_extract(b, size, i);
    comps[2] = ir_udiv(b, comps[2], ir_const(b, 32, 6));
    return ir_vec(b, 3, comps);
}

bool adreno_lower_image(struct ir_shader *shader, const void *options)
{
    (void)options;
    return lower_instrs(shader, cube_size);
}
