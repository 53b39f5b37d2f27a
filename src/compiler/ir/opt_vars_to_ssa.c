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
#include "compiler/ir/ir_internal.h"
#include "compiler/ir/opt.h"
#include "util/bits.h"

/* Sets of (element, block). Open addressing in the scratch arena. */
struct table {
    uint64_t *keys; /* 0: empty */
    uint32_t capacity, count;
};

struct frontier {
    struct ir_block **blocks;
    uint32_t count, capacity;
};

/* An element's content at some place: a value, the phi of a place (number + 1), or neither where nothing was stored. */
struct content {
    struct ir_value *value;
    uint32_t place;
};

/* Where two contents of an element meet. Most places are never needed: only those that a load depends on, directly or
 * indirectly, get a phi, so that what is stored under many nested ifs costs no phi after each of them. */
struct place {
    uint32_t element, next; /* of the same block: number + 1 */
    struct ir_block *block;
    struct ir_instr *phi;
    struct content *contents; /* by predecessor */
};

/* The content before a block changed an element: undone when the walk leaves the blocks that the block dominates. */
struct change {
    struct ir_block *block;
    uint32_t element;
    struct content before;
};

/* Where an element is known: no access is outside of what `root` dominates. What flows out of there cannot come back to
 * a load where the root's first access is a store, or where it stands in no loop. */
struct extent {
    struct ir_block *root;
    bool is_read, comes_back;
};

struct context {
    struct ir_shader *shader;
    uint32_t *first_element; /* by variable index; UINT32_MAX: stays in memory */
    uint32_t num_elements;
    uint8_t *bits;          /* by element */
    struct extent *extents; /* by element */
    struct content *now;    /* by element, where the walk is */
    struct table placed;
    struct frontier *frontiers; /* by block index */
    struct place *places;
    uint32_t num_places, max_places;
    uint32_t *first_place; /* by block index: number + 1 */
    struct change *changes;
    uint32_t num_changes, max_changes;
    uint32_t *wanted; /* places whose phis' sources are not there yet */
    uint32_t num_wanted;
    struct ir_value **undefs; /* by log2 of the width */
};

/* Room for one more, twice as much at a time. */
static void *grow_array(struct ir_shader *shader, void *array, uint32_t count, uint32_t *max, size_t size_B)
{
    if (count < *max)
        return array;
    *max = *max ? *max * 2 : 64;
    void *grown = ir_alloc_scratch(shader, *max * size_B);
    if (count)
        memcpy(grown, array, count * size_B);
    return grown;
}

static uint64_t *find_slot(struct ir_shader *shader, struct table *table, uint64_t key)
{
    if (table->count * 2 >= table->capacity) {
        struct table old = *table;
        table->capacity = old.capacity ? old.capacity * 2 : 256;
        table->keys = ir_alloc_scratch(shader, table->capacity * sizeof(uint64_t));
        table->count = 0;
        for (uint32_t i = 0; i < old.capacity; i++) {
            if (old.keys[i])
                *find_slot(shader, table, old.keys[i]) = old.keys[i], table->count++;
        }
    }
    uint32_t i = (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 32);
    while (table->keys[i &= table->capacity - 1] && table->keys[i] != key)
        i++;
    return &table->keys[i];
}

/* False where it was there before. */
static bool put_key(struct ir_shader *shader, struct table *table, uint64_t key)
{
    uint64_t *found = find_slot(shader, table, key);
    if (*found)
        return false;
    *found = key;
    table->count++;
    return true;
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
        ir_foreach_instr (block, instr) {
            if (is_access(instr) && !ir_is_const(index_of(instr)))
                c->first_element[ir_imm(instr, IR_IMM_VAR)] = UINT32_MAX;
            if (ir_names_query(instr))
                c->first_element[ir_imm(instr, IR_IMM_QUERY)] = UINT32_MAX;
            if (ir_copies_query(instr))
                c->first_element[ir_imm(instr, IR_IMM_SOURCE)] = UINT32_MAX;
        }
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

/* Where the dominance of a block ends: the targets of edges that leave what it dominates. False where it was known. */
static bool add_frontier(struct context *c, struct ir_block *at, struct ir_block *block)
{
    struct frontier *f = &c->frontiers[at->index];
    if (f->count && f->blocks[f->count - 1] == block)
        return false;
    if (f->count == f->capacity) {
        f->capacity = f->capacity ? f->capacity * 2 : 4;
        struct ir_block **grown = ir_alloc_scratch(c->shader, f->capacity * sizeof(*grown));
        if (f->count)
            memcpy(grown, f->blocks, f->count * sizeof(*grown));
        f->blocks = grown;
    }
    f->blocks[f->count++] = block;
    return true;
}

static void find_frontiers(struct context *c)
{
    c->frontiers = ir_alloc_scratch(c->shader, c->shader->num_blocks * sizeof(*c->frontiers));
    ir_foreach_block (c->shader, block) {
        if (block->num_preds < 2)
            continue;
        /* Where one way has been, the rest is known: each block is walked over once, however many ways lead here. */
        for (uint32_t i = 0; i < block->num_preds; i++) {
            struct ir_block *runner = block->preds[i];
            while (runner != block->idom && add_frontier(c, runner, block))
                runner = runner->idom;
        }
    }
}

/* All places where what a store of `element` in `block` gives can meet something else. */
static void find_places(struct context *c, uint32_t element, struct ir_block *block, struct ir_block **work)
{
    uint32_t count = 0;
    work[count++] = block;
    while (count) {
        struct frontier *f = &c->frontiers[work[--count]->index];
        for (uint32_t i = 0; i < f->count; i++) {
            struct ir_block *at = f->blocks[i];
            if (!c->extents[element].comes_back && !ir_dominates(c->extents[element].root, at))
                continue;
            if (!put_key(c->shader, &c->placed, key_of(element, at)))
                continue;
            c->places = grow_array(c->shader, c->places, c->num_places, &c->max_places, sizeof(*c->places));
            c->places[c->num_places++] = (struct place){.element = element, .block = at};
            work[count++] = at;
        }
    }
}

static void note_access(struct extent *extent, struct ir_block *block, bool is_load)
{
    extent->is_read |= is_load;
    if (!extent->root) { /* in program order a block comes after those that dominate it */
        extent->root = block;
        extent->comes_back = is_load && block->loop_depth;
        return;
    }
    while (!ir_dominates(extent->root, block)) {
        extent->root = extent->root->idom;
        extent->comes_back = extent->root->loop_depth;
    }
}

/* The elements that an access names: those from `first_out` up to the one that is returned. */
static uint32_t elements_of(const struct context *c, const struct ir_instr *access, uint32_t *first_out)
{
    const uint32_t first = c->first_element[ir_imm(access, IR_IMM_VAR)];
    const uint64_t index = ir_const_u64(index_of(access));
    const uint32_t comps = access->op == IR_OP_load_var ? access->def.comps : ir_src(access, 0)->comps;
    *first_out = (uint32_t)MIN2(first + index, c->num_elements);
    return (uint32_t)MIN2(first + index + comps, c->num_elements);
}

static bool is_chosen(const struct context *c, const struct ir_instr *instr)
{
    return is_access(instr) && c->first_element[ir_imm(instr, IR_IMM_VAR)] != UINT32_MAX;
}

static void find_extents(struct context *c)
{
    c->extents = ir_alloc_scratch(c->shader, c->num_elements * sizeof(*c->extents));
    ir_foreach_block (c->shader, block) {
        ir_foreach_instr (block, instr) {
            uint32_t first, end = block->reachable && is_chosen(c, instr) ? elements_of(c, instr, &first) : 0;
            for (uint32_t i = end ? first : 0; i < end; i++)
                note_access(&c->extents[i], block, instr->op == IR_OP_load_var);
        }
    }
}

static void find_all_places(struct context *c)
{
    struct ir_block **work = ir_alloc_scratch(c->shader, (c->shader->num_blocks + 1) * sizeof(*work));
    ir_foreach_block (c->shader, block) {
        ir_foreach_instr (block, instr) {
            if (!block->reachable || !is_chosen(c, instr) || instr->op != IR_OP_store_var)
                continue;
            uint32_t first, end = elements_of(c, instr, &first);
            for (uint32_t i = first; i < end; i++) {
                if (c->extents[i].is_read)
                    find_places(c, i, block, work);
            }
        }
    }
}

/* Lists of the places by block, in the order in which they were found. */
static void sort_places(struct context *c)
{
    c->first_place = ir_alloc_scratch(c->shader, c->shader->num_blocks * sizeof(uint32_t));
    c->wanted = ir_alloc_scratch(c->shader, (c->num_places + 1) * sizeof(uint32_t));
    for (uint32_t i = c->num_places; i-- > 0;) {
        struct place *place = &c->places[i];
        place->next = c->first_place[place->block->index];
        c->first_place[place->block->index] = i + 1;
        place->contents = ir_alloc_scratch(c->shader, place->block->num_preds * sizeof(*place->contents));
    }
}

static void set_content(struct context *c, uint32_t element, struct ir_block *block, struct content content)
{
    c->changes = grow_array(c->shader, c->changes, c->num_changes, &c->max_changes, sizeof(*c->changes));
    c->changes[c->num_changes++] = (struct change){block, element, c->now[element]};
    c->now[element] = content;
}

/* The value of a content: of a place its phi, which is made when it is first wanted. */
static struct ir_value *value_of(struct context *c, uint32_t element, struct content content)
{
    if (content.value)
        return content.value;
    if (!content.place)
        return undefined(c, c->bits[element]);
    struct place *place = &c->places[content.place - 1];
    if (!place->phi) {
        place->phi = ir_instr_alloc(c->shader, IR_OP_phi, c->bits[element], 1, 0);
        place->phi->block = place->block;
        c->wanted[c->num_wanted++] = content.place - 1;
    }
    return &place->phi->def;
}

static void replace_load(struct context *c, struct ir_instr *load, uint32_t length)
{
    struct ir_value *comps[IR_MAX_COMPS];
    uint32_t first = c->first_element[ir_imm(load, IR_IMM_VAR)];
    uint64_t index = ir_const_u64(ir_src(load, 0));
    for (uint32_t i = 0; i < load->def.comps; i++)
        comps[i] = index + i < length ? value_of(c, (uint32_t)(first + index + i), c->now[first + index + i])
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
        set_content(c, element, store->block, (struct content){.value = ir_extract(&b, value, i)});
    }
    ir_remove(store);
}

static void rename_block(struct context *c, struct ir_block *block, const uint32_t *lengths)
{
    for (uint32_t i = c->first_place[block->index]; i; i = c->places[i - 1].next)
        set_content(c, c->places[i - 1].element, block, (struct content){.place = i});
    ir_foreach_instr (block, instr) {
        if (!is_access(instr) || c->first_element[ir_imm(instr, IR_IMM_VAR)] == UINT32_MAX)
            continue;
        uint32_t length = lengths[ir_imm(instr, IR_IMM_VAR)];
        if (instr->op == IR_OP_load_var)
            replace_load(c, instr, length);
        else
            take_store(c, instr, length);
    }
}

/* Contents at the end of a block for the places of the successors. `edges`: which predecessor it is of each. */
static void give_contents(struct context *c, struct ir_block *block, const uint32_t (*edges)[2])
{
    for (unsigned s = 0; s < 2; s++) {
        if (!block->succs[s])
            continue;
        for (uint32_t i = c->first_place[block->succs[s]->index]; i; i = c->places[i - 1].next)
            c->places[i - 1].contents[edges[block->index][s]] = c->now[c->places[i - 1].element];
    }
}

static const uint32_t (*number_edges(struct context *c))[2]
{
    uint32_t(*edges)[2] = ir_alloc_scratch(c->shader, c->shader->num_blocks * sizeof(*edges));
    ir_foreach_block (c->shader, block)
        for (uint32_t p = 0; p < block->num_preds; p++)
            edges[block->preds[p]->index][block->preds[p]->succs[0] != block] = p;
    return (const uint32_t(*)[2])edges;
}

/* Phis want phis; then they stand in their blocks, in the order in which their places were found. */
static void finish_phis(struct context *c)
{
    while (c->num_wanted) {
        struct place *place = &c->places[c->wanted[--c->num_wanted]];
        for (uint32_t p = 0; p < place->block->num_preds; p++)
            ir_phi_add(c->shader, place->phi, place->block->preds[p], value_of(c, place->element, place->contents[p]));
    }
    ir_foreach_block (c->shader, block) {
        struct list *at = NULL; /* after the phis that are there */
        for (uint32_t i = c->first_place[block->index]; i; i = c->places[i - 1].next) {
            struct ir_instr *phi = c->places[i - 1].phi;
            if (!phi)
                continue;
            if (!at)
                at = ir_builder_at_start(c->shader, block).before->prev;
            list_insert_after(at, &phi->link);
            at = &phi->link;
        }
    }
}

static void rename_vars(struct context *c)
{
    uint32_t *lengths = ir_alloc_scratch(c->shader, (c->shader->num_vars + 1) * sizeof(uint32_t)), count;
    list_foreach (&c->shader->vars, struct ir_var, var, link)
        lengths[var->index] = var->length;
    const uint32_t(*edges)[2] = number_edges(c);
    struct ir_block **order = ir_dominance_order(c->shader, &count);
    for (uint32_t i = 0; i < count; i++) {
        while (c->num_changes && !ir_dominates(c->changes[c->num_changes - 1].block, order[i])) {
            const struct change *last = &c->changes[--c->num_changes];
            c->now[last->element] = last->before;
        }
        rename_block(c, order[i], lengths);
        give_contents(c, order[i], edges);
    }
    finish_phis(c);
}

bool opt_vars_to_ssa(struct ir_shader *shader, const void *options)
{
    struct context c = {.shader = shader};
    ir_build_cfg(shader);
    if (!choose_vars(&c))
        return false;
    c.now = ir_alloc_scratch(shader, c.num_elements * sizeof(*c.now));
    c.undefs = ir_alloc_scratch(shader, 8 * sizeof(*c.undefs));
    find_frontiers(&c);
    find_extents(&c);
    find_all_places(&c);
    sort_places(&c);
    rename_vars(&c);
    list_foreach (&shader->vars, struct ir_var, var, link)
        if (c.first_element[var->index] != UINT32_MAX)
            list_remove(&var->link);
    return true;
}
