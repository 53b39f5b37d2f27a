/* The two programs of a vertex shader: one places the vertex, the other writes the packet of its varyings, of vertices
 * that are seen. What a shader does to memory is done once, by the first one. See split.h. */
#include "mali/compiler/split.h"

#include "compiler/ir/opt.h"

static bool is_varying(const struct ir_instr *instr)
{
    return ir_imm(instr, IR_IMM_LOCATION) >= IR_LOCATION_VAR0;
}

bool mali_has_varyings(const struct ir_shader *shader)
{
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op == IR_OP_store_output && is_varying(instr))
                return true;
        }
    }
    return false;
}

/* ---- outputs ---- */

static void keep_outputs(struct ir_shader *shader, bool is_varying_program, bool needs_w)
{
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_store_output || is_varying(instr) == is_varying_program)
                continue;
            if (!needs_w || ir_imm(instr, IR_IMM_LOCATION) != IR_LOCATION_position)
                ir_remove(instr);
        }
    }
}

void mali_keep_positions(struct ir_shader *shader)
{
    keep_outputs(shader, false, false);
}

/* ---- memory ---- */

static bool writes_memory(const struct ir_instr *instr)
{
    return instr->op != IR_OP_barrier && ir_info(instr)->writes & (IR_TOUCH_BUFFER | IR_TOUCH_IMAGE);
}

static bool reads_memory(const struct ir_instr *instr)
{
    return instr->op != IR_OP_barrier && instr->op != IR_OP_tex &&
           ir_info(instr)->reads & (IR_TOUCH_BUFFER | IR_TOUCH_IMAGE);
}

/* Stores, and atomic operations whose results nothing reads. */
static bool drop_writes(struct ir_shader *shader)
{
    bool has_dropped = false;
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (!writes_memory(instr) || (instr->def.bits && !list_is_empty(&instr->def.uses)))
                continue;
            ir_remove(instr);
            has_dropped = true;
        }
    }
    return has_dropped;
}

/* The first operand of a load, the second one of a store: an address has no resource. */
static const struct ir_instr *resource_of(const struct ir_instr *instr)
{
    for (uint32_t i = 0; i < instr->num_srcs; i++) {
        const struct ir_instr *def = ir_def_instr(ir_src(instr, i));
        if (def->op == IR_OP_resource)
            return def;
    }
    return NULL;
}

/* Memory that cannot be told apart. */
static bool may_meet(const struct ir_instr *load, const struct ir_instr *write)
{
    const struct ir_instr *a = resource_of(load), *b = resource_of(write);
    return !a || !b ||
           (ir_imm(a, IR_IMM_SET) == ir_imm(b, IR_IMM_SET) && ir_imm(a, IR_IMM_BINDING) == ir_imm(b, IR_IMM_BINDING));
}

static bool is_written(const struct ir_shader *whole, const struct ir_instr *load)
{
    ir_foreach_block (whole, block) {
        ir_foreach_instr (block, instr) {
            if (writes_memory(instr) && may_meet(load, instr))
                return true;
        }
    }
    return false;
}

/* Memory that the second program would read must be as the first one has read it or been given it. */
static void refuse_changed(struct ir_shader *shader, const struct ir_shader *whole)
{
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (writes_memory(instr))
                ir_fail(shader, "varyings that depend on the result of an atomic operation");
            if (reads_memory(instr) && is_written(whole, instr))
                ir_fail(shader, "varyings that depend on memory that the vertex shader writes");
        }
    }
}

void mali_keep_varyings(struct ir_shader *shader, const struct ir_shader *whole, bool needs_w)
{
    keep_outputs(shader, true, needs_w);
    if (!drop_writes(shader))
        return;
    do {
        IR_PASS(shader, opt_dead_code, NULL);
        IR_PASS(shader, opt_dead_flow, NULL);
    } while (drop_writes(shader));
    refuse_changed(shader, whole);
}
