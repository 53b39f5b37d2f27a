/* Vertex shaders of several views. The hardware shades a vertex once for all of them, and a program stores the outputs
 * of each view: what depends on the view's index is there once for each view. See lower_mali.h. */
#include "mali/compiler/lower_mali.h"
#include "util/bits.h"

static bool reads_view(const struct ir_shader *shader)
{
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op == IR_OP_load_sysval && ir_imm(instr, IR_IMM_SYSVAL) == IR_SYSVAL_view_index)
                return true;
        }
    }
    return false;
}

/* Outputs of a vertex shader say which view they are of where those of a fragment shader have the number of the source
 * for blending; until it is known, this. */
#define ANY_VIEW UINT32_MAX

static void mark_outputs(struct ir_shader *shader, uint32_t from, uint32_t to)
{
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op == IR_OP_store_output && ir_imm(instr, IR_IMM_DUAL_INDEX) == from)
                ir_set_imm(instr, IR_IMM_DUAL_INDEX, to);
        }
    }
}

/* Resources that are not of a view yet become this one's. */
static void set_view(struct ir_shader *shader, uint32_t view)
{
    mark_outputs(shader, ANY_VIEW, view);
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_load_sysval || ir_imm(instr, IR_IMM_SYSVAL) != IR_SYSVAL_view_index)
                continue;
            struct ir_builder b = ir_builder_before(shader, instr);
            ir_replace_uses(&instr->def, ir_const(&b, 32, view));
            ir_remove(instr);
        }
    }
}

bool mali_lower_views(struct ir_shader *shader, const void *options)
{
    const uint32_t mask = *(const uint32_t *)options ? *(const uint32_t *)options : 1;
    if (!reads_view(shader))
        return false;
    struct ir_region *once = &ir_loop_create(shader)->body; /* the shader of any view, to be copied; never placed */
    struct ir_value **map = ir_alloc_scratch(shader, (shader->num_values + 1) * sizeof(*map));
    mark_outputs(shader, 0, ANY_VIEW);
    ir_clone_region(shader, &shader->body, once, map);
    map = ir_alloc_scratch(shader, (shader->num_values + 1) * sizeof(*map));
    const uint32_t first = (uint32_t)__builtin_ctz(mask);
    set_view(shader, first);
    bits_foreach (mask & ~(1u << first), view) {
        ir_clone_region(shader, once, &shader->body, map);
        set_view(shader, (uint32_t)view);
    }
    return true;
}
