/* Phis are variables, written at the end of each predecessor. */
#include "compiler/spirv/sp.h"

static struct ir_var **phi_vars(struct sp *s, uint32_t id, struct sp_type *type)
{
    uint64_t *known = map64_get(&s->phi_vars, id);
    if (known)
        return (struct ir_var **)(uintptr_t)*known;
    if (type->scalars == 0 || type->scalars > SP_MAX_SCALARS)
        sp_fail(s, "OpPhi of a type that has no value");
    sp_spend(s, type->scalars);
    struct ir_var **vars = sp_new_array(s, struct ir_var *, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++)
        vars[i] = ir_var_create(s->shader, sp_bits_of_scalar(s, type, i), 1, sp_id_name(s, id));
    if (!map64_set(&s->phi_vars, id, (uintptr_t)vars))
        sp_fail(s, "out of memory");
    return vars;
}

void sp_do_phi(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = sp_type(s, in->type);
    struct ir_var **vars = phi_vars(s, in->id, type);
    struct sp_value *value = sp_new_value(s, type);
    for (uint32_t i = 0; i < type->scalars; i++)
        value->c[i] = ir_load_var(&s->b, vars[i]->bits, 1, sp_imm(s, 32, 0), vars[i]->index);
    if (type->kind == SP_POINTER)
        sp_set_pointer(s, in, sp_pointer_from_scalars(s, type, value->c));
    else
        sp_set_value(s, in, value->c);
}

#define MANY_WAYS 32

static void set_way(struct sp *s, uint64_t key, uint32_t operand)
{
    if (!map64_set(&s->phi_ways, key, operand))
        sp_fail(s, "out of memory");
}

/* The operand that a phi takes from a predecessor. Each of its predecessors asks: where there are many, none searches
 * the list. */
static uint32_t way_from(struct sp *s, const struct sp_instr *phi, uint32_t from)
{
    uint64_t name = (uint64_t)phi->id << 32;
    bool is_short = phi->count <= 2 * MANY_WAYS;
    if (!is_short && !map64_get(&s->phi_ways, name)) {
        for (uint32_t i = phi->count & ~1u; i; i -= 2) /* the first of several of one label is the one */
            set_way(s, name | phi->ops[i - 1], i - 2);
        set_way(s, name, 0);
    }
    const uint64_t *known = is_short ? NULL : map64_get(&s->phi_ways, name | from);
    if (known && from)
        return (uint32_t)*known;
    for (uint32_t i = 0; is_short && i + 1 < phi->count; i += 2)
        if (phi->ops[i + 1] == from)
            return i;
    sp_fail(s, "OpPhi %u has no value for the predecessor %u", phi->id, from);
}

static void store_phi(struct sp *s, const struct sp_instr *phi, uint32_t from)
{
    struct sp_type *type = sp_type(s, phi->type);
    uint32_t source = phi->ops[way_from(s, phi, from)];
    struct ir_var **vars = phi_vars(s, phi->id, type);
    if (sp_type_of(s, source)->scalars != type->scalars)
        sp_fail(s, "OpPhi joins values of different types");
    struct ir_value **c = sp_read(s, source);
    for (uint32_t k = 0; k < type->scalars; k++) {
        if (c[k]->bits != vars[k]->bits)
            sp_fail(s, "OpPhi joins values of different types");
        ir_store_var(&s->b, c[k], sp_imm(s, 32, 0), vars[k]->index);
    }
}

void sp_store_phis(struct sp *s, const struct sp_block *block)
{
    for (uint32_t i = 0; i < block->num_succs; i++) {
        const struct sp_block *succ = &s->function->blocks[block->succs[i]];
        struct sp_instr in;
        for (uint32_t at = succ->first; at < succ->end; at = in.next) {
            sp_read_instr(s, at, &in);
            if (in.opcode == SpvOpPhi)
                store_phi(s, &in, block->id);
            else if (in.info->phase != SP_PHASE_ignored)
                break;
        }
    }
}
