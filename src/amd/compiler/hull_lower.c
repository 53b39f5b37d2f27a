/* Inputs and outputs of a vertex and a tessellation control shader that are one program. */
#include "amd/compiler/hull.h"
#include "util/bits.h"

/* ---- places ---- */

static struct ir_value *ring_address(struct ir_builder *b, const struct amd_compile_options *options,
                                     const struct hull_place *place)
{
    return ir_pack64(b, place->address, ir_const(b, 32, options->address32_hi));
}

/* Components of 16 bits have a dword each, those of 64 two. */
static void amd_hull_store(struct ir_builder *b, const struct amd_compile_options *options,
                           const struct hull_place *place, struct ir_value *value)
{
    const bool is_narrow = value->bits == 16;
    struct ir_value *address = place->is_ring ? ring_address(b, options, place) : place->address;
    for (uint32_t i = 0; i < (is_narrow ? value->comps : 1u); i++) {
        struct ir_value *part = is_narrow ? ir_extract(b, value, i) : value;
        if (place->is_ring)
            ir_store_global(b, part, address, place->base_B + i * 4, 4, 0, IR_ACCESS_COHERENT);
        else
            ir_store_shared(b, part, address, place->base_B + i * 4, 4, 0);
    }
}

struct ir_value *amd_hull_load(struct ir_builder *b, const struct amd_compile_options *options,
                               const struct hull_place *place, uint8_t bits, uint8_t comps)
{
    const bool is_narrow = bits == 16;
    struct ir_value *address = place->is_ring ? ring_address(b, options, place) : place->address, *parts[IR_MAX_COMPS];
    const uint8_t count = is_narrow ? comps : 1;
    for (uint32_t i = 0; i < count; i++)
        parts[i] = place->is_ring
                       ? ir_load_global(b, bits, is_narrow ? 1 : comps, address, place->base_B + i * 4, 4, 0,
                                        IR_ACCESS_COHERENT)
                       : ir_load_shared(b, bits, is_narrow ? 1 : comps, address, place->base_B + i * 4, 4, 0);
    return is_narrow ? ir_vec(b, comps, parts) : parts[0];
}

/* ---- the vertex shader ---- */

void amd_hull_lower_vertex(struct hull *h)
{
    struct ir_value *address = NULL;
    ir_foreach_block (h->shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_store_output)
                continue;
            if (!ir_is_const(ir_src(instr, 1)))
                ir_fail(h->shader, "an output of a vertex shader that is indexed by a computed number");
            const uint32_t slot = h->input_slot[hull_location(instr, ir_src(instr, 1))];
            struct ir_builder b = ir_builder_before(h->shader, instr);
            if (!address) /* outputs are stored at the stage's end, all in one block */
                address = ir_imul(&b, h->item, ir_const(&b, 32, h->input_stride_B));
            if (slot != HULL_NONE) {
                const struct hull_place place = {.address = address,
                                                 .base_B = h->inputs_B + slot * 16 + ir_imm(instr, IR_IMM_COMP) * 4};
                amd_hull_store(&b, h->options, &place, ir_src(instr, 0));
            }
            ir_remove(instr);
        }
    }
}

/* ---- inputs of the control shader ---- */

/* Whether the vertex shader stored anything of what is loaded; shared memory would say anything. */
static bool is_stored(const struct hull *h, const struct ir_instr *instr)
{
    const uint32_t location = hull_location(instr, ir_src(instr, 1));
    bool is_any = !ir_is_const(ir_src(instr, 1));
    for (uint32_t i = ir_imm(instr, IR_IMM_COMP); i < 4; i++)
        is_any |= h->is_input_stored[location][i];
    return is_any;
}

/* Components that were not stored are zero. */
static struct ir_value *load_known(const struct hull *h, struct ir_builder *b, const struct ir_instr *instr,
                                   const struct hull_place *place)
{
    struct ir_value *comps[IR_MAX_COMPS];
    const uint32_t location = hull_location(instr, ir_src(instr, 1)), step = instr->def.bits == 64 ? 2 : 1;
    for (uint32_t i = 0; i < instr->def.comps; i++) {
        const uint32_t comp = ir_imm(instr, IR_IMM_COMP) + i * step;
        const struct hull_place at = {.address = place->address, .base_B = place->base_B + i * step * 4};
        const bool is_there = comp < 4 && (h->is_input_stored[location][comp] || !ir_is_const(ir_src(instr, 1)));
        comps[i] = is_there ? amd_hull_load(b, h->options, &at, instr->def.bits, 1) : ir_const(b, instr->def.bits, 0);
    }
    return ir_vec(b, instr->def.comps, comps);
}

static struct ir_value *load_input(const struct hull *h, struct ir_builder *b, const struct ir_instr *instr)
{
    struct ir_value *vertex = ir_src(instr, 0), *offset = ir_src(instr, 1);
    if (!is_stored(h, instr))
        return ir_zero(b, instr->def.bits, instr->def.comps);
    struct ir_value *address = ir_iadd(b, h->inputs, ir_imul(b, vertex, ir_const(b, 32, h->input_stride_B)));
    const uint32_t slot = h->input_slot[hull_location(instr, offset)];
    const struct hull_place place = {.address = hull_indexed(b, address, offset),
                                     .base_B = h->inputs_B + slot * 16 + ir_imm(instr, IR_IMM_COMP) * 4};
    return load_known(h, b, instr, &place);
}

/* ---- outputs of the control shader ---- */

static bool is_level(const struct ir_instr *instr)
{
    const uint32_t location = ir_imm(instr, IR_IMM_LOCATION);
    return location == IR_LOCATION_tess_level_outer || location == IR_LOCATION_tess_level_inner;
}

static struct hull_place level_place(const struct hull *h, const struct ir_instr *instr)
{
    const bool is_inner = ir_imm(instr, IR_IMM_LOCATION) == IR_LOCATION_tess_level_inner;
    return (struct hull_place){.address = h->outputs,
                               .base_B = h->levels_B + (is_inner ? 16 : 0) + ir_imm(instr, IR_IMM_COMP) * 4};
}

static struct hull_place own_place(const struct hull *h, struct ir_builder *b, const struct ir_instr *instr,
                                   struct ir_value *vertex, struct ir_value *offset)
{
    const uint32_t location = hull_location(instr, offset);
    struct ir_value *address = h->outputs;
    uint32_t base_B = h->patch_outputs_B + h->own_patch_slot[location] * 16u;
    if (vertex) {
        address = ir_iadd(b, address, ir_imul(b, vertex, ir_const(b, 32, h->output_stride_B)));
        base_B = h->own_slot[location] * 16u;
    }
    return (struct hull_place){.address = hull_indexed(b, address, offset),
                               .base_B = base_B + ir_imm(instr, IR_IMM_COMP) * 4};
}

struct hull_place amd_hull_ring_place(struct ir_builder *b, const struct amd_tess_layout *layout, struct ir_value *ring,
                                      const struct ir_instr *instr, struct ir_value *vertex, struct ir_value *offset)
{
    const uint32_t location = hull_location(instr, offset);
    struct ir_value *address = ring;
    uint32_t base_B = layout->patch_first_B + layout->patch_slot[location] * 16u;
    if (vertex) {
        address = ir_iadd(b, address, ir_imul(b, vertex, ir_const(b, 32, layout->vertex_B)));
        base_B = layout->vertex_slot[location] * 16u;
    }
    return (struct hull_place){.is_ring = true,
                               .address = hull_indexed(b, address, offset),
                               .base_B = base_B + ir_imm(instr, IR_IMM_COMP) * 4};
}

/* `vertex` NULL: an output of the patch. */
static void store_output(const struct hull *h, struct ir_builder *b, const struct ir_instr *instr,
                         struct ir_value *vertex, struct ir_value *offset)
{
    const uint32_t location = hull_location(instr, offset);
    const uint8_t *own = vertex ? h->own_slot : h->own_patch_slot,
                  *ring = vertex ? h->layout->vertex_slot : h->layout->patch_slot;
    struct hull_place place;
    if (!vertex && is_level(instr)) {
        place = level_place(h, instr);
        amd_hull_store(b, h->options, &place, ir_src(instr, 0));
        return;
    }
    if (own[location] != HULL_NONE) {
        place = own_place(h, b, instr, vertex, offset);
        amd_hull_store(b, h->options, &place, ir_src(instr, 0));
    }
    if (ring[location] != HULL_NONE) {
        place = amd_hull_ring_place(b, h->layout, h->ring, instr, vertex, offset);
        amd_hull_store(b, h->options, &place, ir_src(instr, 0));
    }
}

static struct ir_value *load_output(const struct hull *h, struct ir_builder *b, const struct ir_instr *instr,
                                    struct ir_value *vertex, struct ir_value *offset)
{
    const struct hull_place place =
        !vertex && is_level(instr) ? level_place(h, instr) : own_place(h, b, instr, vertex, offset);
    return amd_hull_load(b, h->options, &place, instr->def.bits, instr->def.comps);
}

static struct ir_value *sysval_of(const struct hull *h, enum ir_sysval sysval)
{
    switch (sysval) {
    case IR_SYSVAL_invocation_id:
        return h->point;
    case IR_SYSVAL_primitive_id:
        return h->number;
    case IR_SYSVAL_patch_vertices:
        return h->in_points;
    default:
        return NULL;
    }
}

/* The value that replaces an instruction's; NULL: it stays. */
static struct ir_value *replace_instr(const struct hull *h, struct ir_builder *b, const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_load_per_vertex:
        return load_input(h, b, instr);
    case IR_OP_load_vertex_output:
        return load_output(h, b, instr, ir_src(instr, 0), ir_src(instr, 1));
    case IR_OP_load_output:
        return load_output(h, b, instr, NULL, ir_src(instr, 0));
    case IR_OP_load_sysval:
        return sysval_of(h, ir_imm(instr, IR_IMM_SYSVAL));
    default:
        return NULL;
    }
}

void amd_hull_lower_control(struct hull *h)
{
    ir_foreach_block (h->shader, block) {
        ir_foreach_instr (block, instr) {
            struct ir_builder b = ir_builder_before(h->shader, instr);
            if (instr->op == IR_OP_store_per_vertex) {
                store_output(h, &b, instr, ir_src(instr, 1), ir_src(instr, 2));
                ir_remove(instr);
                continue;
            }
            if (instr->op == IR_OP_store_output) {
                store_output(h, &b, instr, NULL, ir_src(instr, 1));
                ir_remove(instr);
                continue;
            }
            if (instr->op == IR_OP_barrier) {
                ir_set_imm(instr, IR_IMM_MEMORY,
                           (ir_imm(instr, IR_IMM_MEMORY) | IR_MEMORY_SHARED) & ~(uint32_t)IR_MEMORY_OUTPUT);
                continue;
            }
            struct ir_value *value = replace_instr(h, &b, instr);
            if (!value)
                continue;
            ir_replace_uses(&instr->def, value);
            ir_remove(instr);
        }
    }
}

/* ---- levels ---- */

static struct ir_value *load_levels(const struct hull *h, struct ir_builder *b, bool is_inner, uint8_t count)
{
    const struct hull_place place = {.address = h->outputs, .base_B = h->levels_B + (is_inner ? 16 : 0)};
    return amd_hull_load(b, h->options, &place, 32, count);
}

/* In the order that the tessellator reads; of isolines the segments come first. */
void amd_hull_store_levels(struct hull *h, struct ir_builder *b)
{
    const struct amd_tess_layout *layout = h->layout;
    const bool is_line = layout->domain == IR_PRIMITIVE_isolines, is_quad = layout->domain == IR_PRIMITIVE_quads;
    const uint8_t outer_count = is_line ? 2 : is_quad ? 4 : 3, inner_count = is_line ? 0 : is_quad ? 2 : 1;
    const uint32_t total = outer_count + inner_count;
    struct ir_value *outer = load_levels(h, b, false, outer_count), *words[6],
                    *inner = inner_count ? load_levels(h, b, true, inner_count) : NULL;
    for (uint32_t i = 0; i < outer_count; i++)
        words[i] = ir_extract(b, outer, is_line ? 1 - i : i);
    for (uint32_t i = 0; i < inner_count; i++)
        words[outer_count + i] = ir_extract(b, inner, i);
    struct ir_value *address = ir_iadd(b, ir_tess_levels(b), ir_imul(b, h->patch, ir_const(b, 32, total * 4)));
    for (uint32_t first = 0; first < total; first += 4) {
        const struct hull_place place = {.is_ring = true, .address = address, .base_B = first * 4};
        amd_hull_store(b, h->options, &place, ir_vec(b, MIN2(total - first, 4u), words + first));
    }
    const uint8_t outer_slot = layout->patch_slot[IR_LOCATION_tess_level_outer],
                  inner_slot = layout->patch_slot[IR_LOCATION_tess_level_inner];
    struct hull_place place = {.is_ring = true, .address = h->ring};
    if (outer_slot != HULL_NONE) {
        place.base_B = layout->patch_first_B + outer_slot * 16u;
        amd_hull_store(b, h->options, &place, outer);
    }
    if (inner && inner_slot != HULL_NONE) {
        place.base_B = layout->patch_first_B + inner_slot * 16u;
        amd_hull_store(b, h->options, &place, inner);
    }
}
