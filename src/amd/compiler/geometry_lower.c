/* Inputs and outputs of a vertex and a geometry shader that are one program: through shared memory. */
#include "amd/compiler/geometry.h"
#include "util/bits.h"

/* ---- the vertex shader ---- */

/* Values of 16 bits have a dword each, those of 64 two. */
static void store_value(struct ir_builder *b, struct ir_value *value, struct ir_value *address, uint32_t base_B)
{
    if (value->bits != 16) {
        ir_store_shared(b, value, address, base_B, 4, 0);
        return;
    }
    for (uint32_t i = 0; i < value->comps; i++)
        ir_store_shared(b, ir_extract(b, value, i), address, base_B + i * 4, 4, 0);
}

void amd_geometry_lower_vertex(struct geometry *g)
{
    struct ir_value *address = NULL;
    ir_foreach_block (g->shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_store_output)
                continue;
            if (!ir_is_const(ir_src(instr, 1)))
                ir_fail(g->shader, "an output of a vertex shader that is indexed by a computed number");
            uint32_t slot = g->input_slot[geometry_location(instr, ir_src(instr, 1))];
            struct ir_builder b = ir_builder_before(g->shader, instr);
            if (!address) /* outputs are stored at the stage's end, all in one block */
                address = ir_imul(&b, g->item, ir_const(&b, 32, g->input_stride_B));
            if (slot != GEOMETRY_NONE)
                store_value(&b, ir_src(instr, 0), address, slot * 16 + ir_imm(instr, IR_IMM_COMP) * 4);
            ir_remove(instr);
        }
    }
}

/* ---- inputs of the geometry shader ---- */

static struct ir_value *vertex_address(const struct geometry *g, struct ir_builder *b, struct ir_value *vertex)
{
    uint32_t count = g->layout->vertices_in;
    if (ir_is_const(vertex))
        return g->vertex_B[MIN2(ir_const_u64(vertex), (uint64_t)count - 1)];
    struct ir_value *address = g->vertex_B[0];
    for (uint32_t i = 1; i < count; i++)
        address = ir_select(b, ir_ieq(b, vertex, ir_const(b, 32, i)), g->vertex_B[i], address);
    return address;
}

/* An input that no vertex shader stored is zero: shared memory would say anything. */
static struct ir_value *load_input(const struct geometry *g, struct ir_builder *b, const struct ir_instr *instr)
{
    struct ir_value *offset = ir_src(instr, 1), *comps[IR_MAX_COMPS], *address = NULL;
    uint32_t location = geometry_location(instr, offset), first = ir_imm(instr, IR_IMM_COMP),
             step = instr->def.bits == 64 ? 2 : 1;
    bool is_computed = !ir_is_const(offset);
    for (uint32_t i = 0; i < instr->def.comps; i++) {
        uint32_t comp = first + i * step;
        if (comp > 3 || (!is_computed && !g->stored_bits[location][comp])) {
            comps[i] = ir_const(b, instr->def.bits, 0);
            continue;
        }
        if (!address) {
            address = vertex_address(g, b, ir_src(instr, 0));
            if (is_computed)
                address = ir_iadd(b, address, ir_ishl(b, offset, ir_const(b, 32, 4)));
        }
        comps[i] = ir_load_shared(b, instr->def.bits, 1, address, g->input_slot[location] * 16u + comp * 4, 4, 0);
    }
    return ir_vec(b, instr->def.comps, comps);
}

static void lower_inputs_of(struct geometry *g)
{
    ir_foreach_block (g->shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_load_per_vertex)
                continue;
            struct ir_builder b = ir_builder_before(g->shader, instr);
            ir_replace_uses(&instr->def, load_input(g, &b, instr));
            ir_remove(instr);
        }
    }
}

/* ---- emitted vertices ---- */

static struct ir_value *load_number(struct ir_builder *b, const struct ir_var *var)
{
    return ir_load_var(b, 32, 1, ir_const(b, 32, 0), var->index);
}

static void store_number(struct ir_builder *b, const struct ir_var *var, struct ir_value *value)
{
    ir_store_var(b, value, ir_const(b, 32, 0), var->index);
}

static void store_output(const struct geometry *g, struct ir_builder *b, const struct ir_instr *store,
                         struct ir_value *address)
{
    struct ir_value *value = ir_src(store, 0);
    uint32_t location = geometry_location(store, ir_src(store, 1)), comp = ir_imm(store, IR_IMM_COMP);
    if (!ir_is_const(ir_src(store, 1)))
        ir_fail(g->shader, "an output of a geometry shader that is indexed by a computed number");
    /* Channels of a location that are stored lie side by side, in order. */
    store_value(b, value, address, g->outputs_B + g->output_dw[location][comp] * 4u);
}

/* The strip's third vertex ends its first triangle, and each one after it another. */
static struct ir_value *flags_of(const struct geometry *g, struct ir_builder *b, struct ir_value *strip)
{
    unsigned vertices = geometry_prim_vertices(g);
    struct ir_value *flags = ir_const(b, 32, GEOMETRY_IS_EMITTED | GEOMETRY_ENDS_PRIMITIVE);
    if (vertices == 1)
        return flags;
    if (vertices == 3)
        flags = ir_ior(b, flags, ir_ishl(b, ir_iand(b, strip, ir_const(b, 32, 1)), ir_const(b, 32, 2)));
    return ir_select(b, ir_uge(b, strip, ir_const(b, 32, vertices - 1)), flags, ir_const(b, 32, GEOMETRY_IS_EMITTED));
}

static void check_stores(const struct geometry *g, const struct ir_instr *emit, struct ir_instr *const *stores,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (stores[i] && stores[i]->op == IR_OP_store_output && stores[i]->block != emit->block)
            ir_fail(g->shader, "internal: an output that is stored far from where its vertex is emitted");
    }
}

/* More vertices than were announced go nowhere: their place is another invocation's. */
static void emit_vertex(const struct geometry *g, struct ir_instr *emit, struct ir_instr *const *stores, uint32_t count)
{
    struct ir_builder b = ir_builder_before(g->shader, emit);
    struct ir_value *number = load_number(&b, g->emitted), *one = ir_const(&b, 32, 1);
    ir_builder_push_if(&b, ir_ult(&b, number, ir_const(&b, 32, g->layout->vertices_out)));
    struct ir_value *place = ir_iadd(&b, g->first_place, number), *strip = load_number(&b, g->strip),
                    *address = ir_imul(&b, place, ir_const(&b, 32, g->output_stride_B));
    for (uint32_t i = 0; i < count; i++) {
        if (stores[i]->op == IR_OP_store_output)
            store_output(g, &b, stores[i], address);
    }
    ir_store_shared(&b, flags_of(g, &b, strip), ir_ishl(&b, place, ir_const(&b, 32, 2)), g->flags_B, 4, 0);
    store_number(&b, g->emitted, ir_iadd(&b, number, one));
    store_number(&b, g->strip, ir_iadd(&b, strip, one));
    ir_builder_pop_if(&b);
}

/* All of them first: emitting takes blocks apart. */
static struct ir_instr **collect_outputs(struct geometry *g, uint32_t *count_out)
{
    struct ir_instr **found = NULL;
    for (unsigned turn = 0; turn < 2; turn++) {
        uint32_t count = 0;
        ir_foreach_block (g->shader, block) {
            ir_foreach_instr (block, instr) {
                if (instr->op != IR_OP_store_output && instr->op != IR_OP_emit_vertex &&
                    instr->op != IR_OP_end_primitive)
                    continue;
                if (turn)
                    found[count] = instr;
                count++;
            }
        }
        if (!turn)
            found = ir_alloc_scratch(g->shader, (count + 1) * sizeof(struct ir_instr *));
        *count_out = count;
    }
    return found;
}

/* Only the first stream is drawn. */
static void lower_outputs(struct geometry *g)
{
    uint32_t count, first = 0;
    struct ir_instr **found = collect_outputs(g, &count);
    for (uint32_t i = 0; i < count; i++) {
        struct ir_instr *instr = found[i];
        if (instr->op == IR_OP_store_output)
            continue;
        bool is_drawn = ir_imm(instr, IR_IMM_STREAM) == 0;
        if (instr->op == IR_OP_emit_vertex && (is_drawn || g->has_ring)) {
            check_stores(g, instr, found + first, i - first);
            if (g->has_ring)
                amd_geometry_ring_emit(g, instr, found + first, i - first);
            else
                emit_vertex(g, instr, found + first, i - first);
        }
        if (instr->op == IR_OP_end_primitive && g->has_ring)
            found[i] = NULL; /* the hardware's own */
        if (instr->op == IR_OP_end_primitive && is_drawn && !g->has_ring) {
            struct ir_builder b = ir_builder_before(g->shader, instr);
            store_number(&b, g->strip, ir_const(&b, 32, 0));
        }
        if (instr->op == IR_OP_emit_vertex)
            first = i + 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (found[i])
            ir_remove(found[i]);
    }
}

void amd_geometry_lower_geometry(struct geometry *g)
{
    lower_inputs_of(g);
    lower_outputs(g);
}
