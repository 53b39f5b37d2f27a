/* Arrays in registers: variables that are indexed by computed numbers, where the file has room for them. They lie after
 * all other registers and are no values of the machine IR: each access is a move, counted from a0.x where the index is
 * not known. All of them are one piece of memory to the passes. */
#include "adreno/compiler/compiler.h"
#include "adreno/compiler/lower_adreno.h"
#include "adreno/compiler/select.h"
#include "compiler/ir/ir_builder.h"
#include "compiler/ir/opt.h"

/* ---- which, and their indices ---- */

static bool is_access(const struct ir_instr *instr)
{
    return instr->op == IR_OP_load_var || instr->op == IR_OP_store_var;
}

/* An index outside is cut to the last place: other variables are not to be touched. */
static void bound(struct ir_shader *shader, struct ir_instr *instr, const struct ir_var *var)
{
    struct ir_builder b = ir_builder_before(shader, instr);
    const bool is_load = instr->op == IR_OP_load_var;
    const struct ir_value *value = is_load ? &instr->def : ir_src(instr, 0);
    const unsigned which = is_load ? 0 : 1;
    if (value->comps > var->length) { /* nothing lies there */
        if (is_load)
            ir_replace_uses(&instr->def, ir_undef(&b, value->bits, value->comps));
        ir_remove(instr);
        return;
    }
    struct ir_value *index = ir_bounded_index(&b, ir_src(instr, which), var->length - value->comps);
    if (index != ir_src(instr, which))
        ir_use_set(&instr->srcs[which], index);
}

bool adreno_lower_arrays(struct ir_shader *shader, const void *room)
{
    uint32_t left = *(const uint32_t *)room;
    bool is_any = false;
    list_foreach (&shader->vars, struct ir_var, var, link) {
        if ((var->bits != 32 && var->bits != 1) || var->length > left)
            continue;
        left -= var->length;
        var->is_in_registers = is_any = true;
    }
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            const struct ir_var *var = is_access(instr) ? ir_var_by_index(shader, ir_imm(instr, IR_IMM_VAR)) : NULL;
            if (var && var->is_in_registers)
                bound(shader, instr, var);
        }
    }
    return is_any;
}

/* ---- accesses ---- */

/* The first component of a variable; all of them are laid out when the first one is asked for. */
static int32_t first_component(struct select *ctx, uint32_t index)
{
    uint32_t next = 0;
    if (!ctx->array_of) {
        ctx->array_of = mach_alloc(ctx->m.program, ctx->m.shader->num_vars * sizeof(*ctx->array_of));
        list_foreach (&ctx->m.shader->vars, struct ir_var, var, link) {
            if (!var->is_in_registers)
                continue;
            ctx->array_of[var->index] = next;
            next += var->length;
        }
        air_own(ctx->m.program)->array_halves = (uint16_t)(next * 2);
    }
    return (int32_t)ctx->array_of[index];
}

/* A move of one register; `more` operands follow the source. */
static struct mach_instr *build_move(struct select *ctx, unsigned more, struct mach_operand from)
{
    struct mach_instr *mov = mach_new_instr(&ctx->m.b, ADRENO_ISA_OP_MOV, 1, 1 + more);
    mov->operands[0] = from;
    mov->operands[0].place = ADRENO_ISA_PLACE_SRC0;
    if (more) {
        mov->operands[1] = air_special(ADRENO_ISA_REG_A0);
        mov->operands[1].place = AIR_PLACE_NONE;
    }
    air_isa(mov)->field[ADRENO_ISA_FIELD_SRC_TYPE] = air_isa(mov)->field[ADRENO_ISA_FIELD_DST_TYPE] = AIR_U32;
    return mov;
}

/* An index without the number that is added to it: members of one structure are counted from one a0.x. */
static const struct ir_value *without_number(const struct select *ctx, const struct ir_value *index,
                                             uint32_t *number_out)
{
    const struct ir_instr *sum = ir_is_const(index) ? NULL : ir_def_instr(index);
    *number_out = 0;
    if (!sum || sum->op != IR_OP_iadd || !ir_is_const(ir_src(sum, 1)) || ir_is_const(ir_src(sum, 0)) ||
        ir_upper_bound(ctx->m.shader, ir_src(sum, 0)) + ir_const_u64(ir_src(sum, 1)) > INT16_MAX)
        return index;
    *number_out = (uint32_t)ir_const_u64(ir_src(sum, 1));
    return ir_src(sum, 0);
}

/* a0.x is the index from here on, but for a number, which is added to `first`. False: it is known, and all of it was
 * added. */
static bool begin_access(struct select *ctx, const struct ir_value *index, int32_t *first)
{
    uint32_t number;
    if (ir_is_const(index)) {
        *first += (int32_t)ir_const_u64(index);
        return false;
    }
    index = without_number(ctx, index, &number);
    *first += (int32_t)number;
    if (ctx->index.value == index && ctx->index.block == ctx->m.block)
        return true;
    adreno_sel_index(ctx, adreno_sel_move(ctx, AIR_U32, AIR_U16, mach_use(adreno_sel_reg(ctx, index, 0))));
    ctx->index.value = index;
    return true;
}

static void load_element(struct select *ctx, const struct ir_instr *instr)
{
    const mach_temp *regs = adreno_sel_results(ctx, &instr->def);
    int32_t first = first_component(ctx, ir_imm(instr, IR_IMM_VAR));
    const bool is_relative = begin_access(ctx, ir_src(instr, 0), &first);
    for (unsigned i = 0; i < instr->def.comps; i++) {
        const struct mach_operand from = {
            .kind = is_relative ? AIR_ARRAY_RELATIVE : AIR_ARRAY, .value = first + (int32_t)i, .reg = MACH_NO_REG};
        build_move(ctx, is_relative, from)->defs[0].temp = regs[i];
    }
}

static void store_element(struct select *ctx, const struct ir_instr *instr)
{
    const struct ir_value *value = ir_src(instr, 0);
    int32_t first = first_component(ctx, ir_imm(instr, IR_IMM_VAR));
    mach_temp regs[IR_MAX_COMPS];
    for (unsigned i = 0; i < value->comps; i++)
        regs[i] = adreno_sel_reg(ctx, value, i);
    const bool is_relative = begin_access(ctx, ir_src(instr, 1), &first);
    for (unsigned i = 0; i < value->comps; i++) {
        struct mach_instr *mov = build_move(ctx, is_relative, mach_use(regs[i]));
        mov->defs[0].special = (uint16_t)(AIR_SPECIAL_ARRAY + first + (int32_t)i);
        mov->defs[0].is_relative = is_relative;
        mov->has_effect = true;
    }
}

bool adreno_select_array(struct select *ctx, const struct ir_instr *instr)
{
    if (!is_access(instr))
        return false;
    if (instr->op == IR_OP_load_var)
        load_element(ctx, instr);
    else
        store_element(ctx, instr);
    return true;
}
