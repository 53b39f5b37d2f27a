/* Memory to SSA: an element of a variable that is only accessed by constant index becomes SSA values.
 *
 * Legal because a variable belongs to one invocation and has no address: what a load gives is decided by the stores
 * that reach it. Where several reach a block, a phi chooses; phis go to the iterated dominance frontier of the stores,
 * the only places where two values can meet. A load that no store reaches gives an undefined value, as the language
 * says.
 *
 * Not for variables that are indexed by a computed value: those stay, or go to scratch memory. */
#include <string.h>

#include "compiler/ir/ir_builder.h"
#include "compiler/ir/opt.h"

/* (element, block) → the element's value at the block's end, or its phi. Open addressing in the scratch arena. */
struct slot {
    uint64_t key; /* 0: empty */
    struct ir_value *value;
};

struct table {
    struct slot *slots;
    uint32_t capacity, count;
};

struct frontier {
    struct ir_block **blocks;
    uint32_t count, capacity;
};

struct phi {
    struct ir_instr *instr;
    uint32_t element;
};

struct context {
    struct ir_shader *shader;
    uint32_t *first_element; /* by variable index; UINT32_MAX: stays in memory */
    uint32_t num_elements;
    uint8_t *bits;         /* by element */
    struct ir_value **now; /* by element: its value at the walk's place, where `stamp` is this block's */
    uint32_t *stamp;
    struct table ends, phis;
    struct frontier *frontiers; /* by block index */
    struct phi *made;
    uint32_t num_made, max_made;
    struct ir_value **undefs; /* by log2 of the width */
};

static struct slot *find(struct ir_shader *shader, struct table *table, uint64_t key)
{
    if (table->count * 2 >= table->capacity) {
        struct table old = *table;
        table->capacity = old.capacity ? old.capacity * 2 : 256;
        table->slots = ir_alloc_scratch(shader, table->capacity * sizeof(struct slot));
        table->count = 0;
        for (uint32_t i = 0; i < old.capacity; i++) {
            if (old.slots[i].key)
                *find(shader, table, old.slots[i].key) = old.slots[i], table->count++;
        }
    }
    uint32_t i = (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 32);
    while (table->slots[i &= table->capacity - 1].key && table->slots[i].key != key)
        i++;
    return &table->slots[i];
}

static void put(struct ir_shader *shader, struct table *table, uint64_t key, struct ir_value *value)
{
    struct slot *slot = find(shader, table, key);
    table->count += slot->key == 0;
    *slot = (struct slot){key, value};
}

static uint64_t key_of(uint32_t element, const struct ir_block *block)
{
    return ((uint64_t)element + 1) << 32 | block->index;
}

static struct ir_value *undefined(struct context *c, uint8_t bits)
{
    struct ir_value **undef = &c->undefs[__builtin_ctz(bits)];
    if (!*undef) {
        struct ir_builder b = ir_builder_at_start(c->shader, ir_region_first(&c->shader->body));
        *undef = ir_undef(&b, bits, 1);
    }
    return *undef;
}

static bool is_access(const struct ir_instr *instr)
{
    return instr->op == IR_OP_load_var || instr->op == IR_OP_store_var;
}

static struct ir_value *index_of(const struct ir_instr *instr)
{
    return ir_src(instr, instr->op == IR_OP_load_var ? 0 : 1);
}

/* Number the elements of the variables that qualify; false when there are none. */
static bool choose_vars(struct context *c)
{
    struct ir_shader *shader = c->shader;
    c->first_element = ir_alloc_scratch(shader, (shader->num_vars + 1) * sizeof(uint32_t));
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr)
            if (is_access(instr) && !ir_is_const(index_of(instr)))
                c->first_element[ir_imm(instr, IR_IMM_VAR)] = UINT32_MAX;
    list_foreach (&shader->vars, struct ir_var, var, link) {
        uint32_t *first = &c->first_element[var->index];
        /* An enormous table that happens to be indexed by constants is better off in memory. */
        if (*first == UINT32_MAX || var->length > 4096 || c->num_elements > (1u << 20)) {
            *first = UINT32_MAX;
            continue;
        }
        *first = c->num_elements;
        c->num_elements += var->length;
    }
    if (!c->num_elements)
        return false;
    c->bits = ir_alloc_scratch(shader, c->num_elements);
    list_foreach (&shader->vars, struct ir_var, var, link)
        if (c->first_element[var->index] != UINT32_MAX)
            memset(c->bits + c->first_element[var->index], var->bits, var->length);
    return true;
}

/* Where the dominance of a block ends: the targets of edges that leave what it dominates. */
static void add_frontier(struct context *c, struct ir_block *at, struct ir_block *block)
{
    struct frontier *f = &c->frontiers[at->index];
    if (f->count && f->blocks[f->count - 1] == block)
        return;
    if (f->count == f->capacity) {
        f->capacity = f->capacity ? f->capacity * 2 : 4;
        struct ir_block **grown = ir_alloc_scratch(c->shader, f->capacity * sizeof(*grown));
        if (f->count)
            memcpy(grown, f->blocks, f->count * sizeof(*grown));
        f->blocks = grown;
    }
    f->blocks[f->count++] = block;
}

static void find_frontiers(struct context *c)
{
    c->frontiers = ir_alloc_scratch(c->shader, c->shader->num_blocks * sizeof(*c->frontiers));
    ir_foreach_block (c->shader, block) {
        if (block->num_preds < 2)
            continue;
        for (uint32_t i = 0; i < block->num_preds; i++)
            for (struct ir_block *runner = block->preds[i]; runner != block->idom; runner = runner->idom)
                add_frontier(c, runner, block);
    }
}

static void make_phi(struct context *c, uint32_t element, struct ir_block *block)
{
    struct ir_builder b = ir_builder_at_start(c->shader, block);
    struct ir_value *value = ir_phi(&b, c->bits[element], 1);
    put(c->shader, &c->phis, key_of(element, block), value);
    if (c->num_made == c->max_made) {
        c->max_made = c->max_made ? c->max_made * 2 : 64;
        struct phi *grown = ir_alloc_scratch(c->shader, c->max_made * sizeof(*grown));
        if (c->num_made)
            memcpy(grown, c->made, c->num_made * sizeof(*grown));
        c->made = grown;
    }
    c->made[c->num_made++] = (struct phi){ir_def_instr(value), element};
}

/* All phis that a store of `element` in `block` can need. */
static void place_phis(struct context *c, uint32_t element, struct ir_block *block, struct ir_block **work)
{
    uint32_t count = 0;
    work[count++] = block;
    while (count) {
        struct frontier *f = &c->frontiers[work[--count]->index];
        for (uint32_t i = 0; i < f->count; i++) {
            if (find(c->shader, &c->phis, key_of(element, f->blocks[i]))->key)
                continue;
            make_phi(c, element, f->blocks[i]);
            work[count++] = f->blocks[i];
        }
    }
}

static void place_all_phis(struct context *c)
{
    struct ir_shader *shader = c->shader;
    struct ir_block **work = ir_alloc_scratch(shader, (shader->num_blocks + 1) * sizeof(*work));
    bool *read = ir_alloc_scratch(shader, c->num_elements * sizeof(*read));
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_load_var || c->first_element[ir_imm(instr, IR_IMM_VAR)] == UINT32_MAX)
                continue;
            uint64_t index = ir_const_u64(ir_src(instr, 0));
            uint32_t first = c->first_element[ir_imm(instr, IR_IMM_VAR)];
            for (uint64_t i = index; i < index + instr->def.comps; i++)
                if (first + i < c->num_elements)
                    read[first + i] = true;
        }
    ir_foreach_block (shader, block) {
        if (!block->reachable)
            continue;
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_store_var || c->first_element[ir_imm(instr, IR_IMM_VAR)] == UINT32_MAX)
                continue;
            uint64_t index = ir_const_u64(ir_src(instr, 1));
            uint32_t first = c->first_element[ir_imm(instr, IR_IMM_VAR)];
            for (uint64_t i = index; i < index + ir_src(instr, 0)->comps; i++)
                if (first + i < c->num_elements && read[first + i])
                    place_phis(c, (uint32_t)(first + i), block, work);
        }
    }
}

/* The element's value when `block` ends, for a block that the walk is done with; `found` blocks on the way learn it. */
static struct ir_value *value_at_end(struct context *c, uint32_t element, struct ir_block *block)
{
    struct ir_value *value = NULL;
    struct ir_block *at = block;
    for (; at && !value; at = at->idom) {
        struct slot *end = find(c->shader, &c->ends, key_of(element, at));
        struct slot *phi = find(c->shader, &c->phis, key_of(element, at));
        value = end->key ? end->value : phi->key ? phi->value : NULL;
    }
    if (!value)
        value = undefined(c, c->bits[element]);
    /* Long chains of dominators are walked once. */
    for (struct ir_block *b = block; b != at && b; b = b->idom)
        put(c->shader, &c->ends, key_of(element, b), value);
    return value;
}

static struct ir_value *read_element(struct context *c, uint32_t element, struct ir_block *block)
{
    if (c->stamp[element] != block->index + 1) {
        struct slot *phi = find(c->shader, &c->phis, key_of(element, block));
        c->now[element] = phi->key      ? phi->value
                          : block->idom ? value_at_end(c, element, block->idom)
                                        : undefined(c, c->bits[element]);
        c->stamp[element] = block->index + 1;
    }
    return c->now[element];
}

static void replace_load(struct context *c, struct ir_instr *load, uint32_t length)
{
    struct ir_value *comps[IR_MAX_COMPS];
    uint32_t first = c->first_element[ir_imm(load, IR_IMM_VAR)];
    uint64_t index = ir_const_u64(ir_src(load, 0));
    for (uint32_t i = 0; i < load->def.comps; i++)
        comps[i] = index + i < length ? read_element(c, (uint32_t)(first + index + i), load->block)
                                      : undefined(c, load->def.bits);
    struct ir_builder b = ir_builder_before(c->shader, load);
    ir_replace_uses(&load->def, ir_vec(&b, load->def.comps, comps));
    ir_remove(load);
}

static void take_store(struct context *c, struct ir_instr *store, uint32_t length)
{
    uint32_t first = c->first_element[ir_imm(store, IR_IMM_VAR)];
    uint64_t index = ir_const_u64(ir_src(store, 1));
    struct ir_value *value = ir_src(store, 0);
    struct ir_builder b = ir_builder_before(c->shader, store);
    for (uint32_t i = 0; i < value->comps && index + i < length; i++) {
        uint32_t element = (uint32_t)(first + index + i);
        c->now[element] = ir_extract(&b, value, i);
        c->stamp[element] = store->block->index + 1;
        put(c->shader, &c->ends, key_of(element, store->block), c->now[element]);
    }
    ir_remove(store);
}

static void rename(struct context *c)
{
    uint32_t *lengths = ir_alloc_scratch(c->shader, (c->shader->num_vars + 1) * sizeof(uint32_t));
    list_foreach (&c->shader->vars, struct ir_var, var, link)
        lengths[var->index] = var->length;
    ir_foreach_block (c->shader, block)
        ir_foreach_instr (block, instr) {
            if (!is_access(instr) || c->first_element[ir_imm(instr, IR_IMM_VAR)] == UINT32_MAX)
                continue;
            uint32_t length = lengths[ir_imm(instr, IR_IMM_VAR)];
            if (instr->op == IR_OP_load_var)
                replace_load(c, instr, length);
            else
                take_store(c, instr, length);
        }
    for (uint32_t i = 0; i < c->num_made; i++) {
        struct ir_block *block = c->made[i].instr->block;
        for (uint32_t p = 0; p < block->num_preds; p++)
            ir_phi_add(c->shader, c->made[i].instr, block->preds[p],
                       value_at_end(c, c->made[i].element, block->preds[p]));
    }
}

bool opt_vars_to_ssa(struct ir_shader *shader, const void *options)
{
    struct context c = {.shader = shader};
    ir_build_cfg(shader);
    if (!choose_vars(&c))
        return false;
    c.now = ir_alloc_scratch(shader, c.num_elements * sizeof(*c.now));
    c.stamp = ir_alloc_scratch(shader, c.num_elements * sizeof(*c.stamp));
    c.undefs = ir_alloc_scratch(shader, 8 * sizeof(*c.undefs));
    find_frontiers(&c);
    place_all_phis(&c);
    rename(&c);
    list_foreach (&shader->vars, struct ir_var, var, link)
        if (c.first_element[var->index] != UINT32_MAX)
            list_remove(&var->link);
    return true;
}
