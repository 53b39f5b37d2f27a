/* Inputs and outputs of a stage. Inputs are loaded where they are read. Outputs are variables while the shader runs and
 * are stored once at its end (or where a vertex is emitted); the outputs of tessellation control and mesh shaders,
 * which other invocations see, are stored at once. */
#include "compiler/spirv/sp.h"

#include <string.h>

static bool has_decoration(struct sp *s, const struct sp_variable *variable, const struct sp_type *block,
                           uint32_t member, uint32_t kind)
{
    return sp_has_decoration(s, variable->id, SP_NONE, kind) ||
           (member != SP_NONE && sp_has_decoration(s, block->id, member, kind));
}

/* The decorations of a variable, or of a member of its block. */
static void read_io(struct sp *s, struct sp_io *io, const struct sp_type *block, uint32_t member)
{
    struct sp_variable *variable = io->variable;
    io->patch = has_decoration(s, variable, block, member, SpvDecorationPatch);
    io->centroid = has_decoration(s, variable, block, member, SpvDecorationCentroid);
    io->sample = has_decoration(s, variable, block, member, SpvDecorationSample);
    io->per_vertex = has_decoration(s, variable, block, member, SpvDecorationPerVertexKHR);
    io->per_primitive = has_decoration(s, variable, block, member, SpvDecorationPerPrimitiveEXT);
    io->interp = has_decoration(s, variable, block, member, SpvDecorationFlat)            ? IR_INTERP_flat
                 : has_decoration(s, variable, block, member, SpvDecorationNoPerspective) ? IR_INTERP_noperspective
                 : has_decoration(s, variable, block, member, SpvDecorationExplicitInterpAMD) || io->per_vertex
                     ? IR_INTERP_explicit
                     : IR_INTERP_smooth;
    struct sp_type *scalar = io->type;
    while (scalar->kind == SP_ARRAY || scalar->kind == SP_VECTOR || scalar->kind == SP_MATRIX)
        scalar = scalar->element;
    if (io->interp != IR_INTERP_explicit && (scalar->kind == SP_INT || scalar->bits == 64 || io->per_primitive))
        io->interp = IR_INTERP_flat;
    uint32_t id = member == SP_NONE ? variable->id : block->id;
    io->component = sp_decoration_value(s, id, member, SpvDecorationComponent, 0);
    if (io->component > 3)
        sp_fail(s, "component %u of a location", io->component);
    io->dual_index = sp_decoration_value(s, variable->id, SP_NONE, SpvDecorationIndex, 0);
    if (io->dual_index > 1)
        sp_fail(s, "colour index %u", io->dual_index);
    io->builtin = sp_decoration_value(s, id, member, SpvDecorationBuiltIn, SP_NONE);
    /* To have it in the interface is enough: a shader that names its sample and reads it nowhere runs for each. */
    if (io->input && s->shader->stage == IR_STAGE_fragment)
        s->shader->fs.sample_shading |=
            io->sample || io->builtin == SpvBuiltInSampleId || io->builtin == SpvBuiltInSamplePosition;
    if (io->builtin != SP_NONE)
        io->location = sp_builtin_is_sysval(s, io->builtin, io->input) ? SP_NONE : sp_builtin_location(s, io->builtin);
}

/* The type is that of one vertex: of a patch's vertices there may be many, in a block or without one. */
static void check_builtin(struct sp *s, const struct sp_io *io)
{
    if (io->builtin != SP_NONE && io->type->scalars > 16)
        sp_fail(s, "built-in %s of a strange type", sp_name_of_BuiltIn(io->builtin));
}

/* Of a member, of its block, or of the variable: front ends write it to all of them. */
static uint32_t xfb_decoration(struct sp *s, const struct sp_io *io, const struct sp_type *block, uint32_t member,
                               uint32_t kind)
{
    uint32_t value = sp_decoration_value(s, io->variable->id, SP_NONE, kind, SP_NONE);
    if (block && value == SP_NONE)
        value = sp_decoration_value(s, block->id, SP_NONE, kind, SP_NONE);
    return member == SP_NONE ? value : sp_decoration_value(s, block->id, member, kind, value);
}

/* Transform feedback: what has an Offset is captured. A geometry shader's outputs are of a stream, captured or not. */
static void read_xfb(struct sp *s, struct sp_io *io, const struct sp_type *block, uint32_t member)
{
    uint32_t id = member == SP_NONE ? io->variable->id : block->id;
    if (s->shader->stage == IR_STAGE_geometry && !io->input) {
        uint32_t stream = xfb_decoration(s, io, block, member, SpvDecorationStream);
        io->stream = stream == SP_NONE ? 0 : stream;
    }
    if (!s->captures || io->input)
        return;
    uint32_t buffer = xfb_decoration(s, io, block, member, SpvDecorationXfbBuffer),
             stride_B = xfb_decoration(s, io, block, member, SpvDecorationXfbStride);
    io->xfb_buffer = buffer == SP_NONE ? 0 : buffer;
    io->xfb_offset_B = sp_decoration_value(s, id, member, SpvDecorationOffset, SP_NONE);
    io->captured = io->xfb_offset_B != SP_NONE;
    if (io->xfb_buffer >= IR_XFB_BUFFERS || (io->captured && io->xfb_offset_B > UINT16_MAX) ||
        (stride_B != SP_NONE && stride_B > UINT16_MAX))
        sp_fail(s, "transform feedback to buffer %u, offset %u, stride %u", io->xfb_buffer, io->xfb_offset_B, stride_B);
    if (stride_B != SP_NONE)
        s->shader->xfb_stride_B[io->xfb_buffer] = (uint16_t)stride_B;
}

static void set_location(struct sp *s, struct sp_io *io, uint64_t location)
{
    if (location + sp_locations(io->type) > 128)
        sp_fail(s, "location %llu is beyond all limits", (unsigned long long)location);
    io->location = IR_LOCATION_VAR0 + (uint32_t)location;
}

static void read_block(struct sp *s, struct sp_io *io, uint32_t location)
{
    struct sp_type *type = io->type;
    while (type->kind == SP_ARRAY)
        type = type->element;
    io->members = sp_new_array(s, struct sp_io, type->count);
    for (uint32_t i = 0; i < type->count; i++) {
        struct sp_io *member = &io->members[i];
        *member = (struct sp_io){
            .variable = io->variable, .type = type->members[i].type, .input = io->input, .arrayed = false};
        read_io(s, member, type, i);
        check_builtin(s, member);
        read_xfb(s, member, type, i);
        member->patch |= io->patch;
        if (member->builtin != SP_NONE)
            continue;
        location = sp_decoration_value(s, type->id, i, SpvDecorationLocation, location);
        set_location(s, member, location);
        location += sp_locations(member->type);
    }
}

static bool is_arrayed(const struct sp *s, const struct sp_io *io)
{
    enum ir_stage stage = s->shader->stage;
    if (io->patch)
        return false;
    if (io->input)
        return stage == IR_STAGE_tess_control || stage == IR_STAGE_tess_eval || stage == IR_STAGE_geometry ||
               io->per_vertex;
    return sp_has_shared_outputs(s);
}

/* Built-ins that are arrays of their own, or one for all vertices. */
static bool is_single(uint32_t builtin, const struct sp_type *type)
{
    return builtin != SP_NONE && (type->kind != SP_ARRAY || builtin == SpvBuiltInTessLevelOuter ||
                                  builtin == SpvBuiltInTessLevelInner || builtin == SpvBuiltInSampleMask);
}

void sp_setup_io(struct sp *s, struct sp_variable *variable)
{
    struct sp_io *io = sp_new(s, struct sp_io);
    *io = (struct sp_io){
        .variable = variable, .type = variable->type, .input = variable->storage == SpvStorageClassInput};
    variable->io = io;
    read_io(s, io, NULL, SP_NONE);
    read_xfb(s, io, NULL, SP_NONE);
    io->arrayed = is_arrayed(s, io) && !is_single(io->builtin, io->type) && io->type->kind == SP_ARRAY;
    if (io->arrayed)
        io->type = io->type->element;
    check_builtin(s, io);
    const struct sp_type *inner = io->type;
    while (inner->kind == SP_ARRAY)
        inner = inner->element;
    io->block = inner->kind == SP_STRUCT && inner->block;
    for (uint32_t i = 0; inner->kind == SP_STRUCT && i < inner->count && !io->block; i++)
        io->block = inner->members[i].builtin != SP_NONE;
    uint32_t location = sp_decoration_value(s, variable->id, SP_NONE, SpvDecorationLocation, 0);
    if (io->block)
        read_block(s, io, location);
    else if (io->builtin == SP_NONE)
        set_location(s, io, location);
    if (!io->input && !sp_has_shared_outputs(s))
        variable->node = sp_make_node(s, variable->type, 1, variable->name);
}

/* A value of one access: a scalar, a vector, or an address, which is a number of 64 bits. */
static bool is_io_value(const struct sp_type *type)
{
    return sp_is_numeric(type) || (type->kind == SP_POINTER && type->storage == SpvStorageClassPhysicalStorageBuffer);
}

/* --- loads --- */

struct place {
    uint32_t location, component;
};

/* Where a pointer's first component is; arrays of scalars that are built in fill locations four by four. */
static struct place place_of(struct sp *s, const struct sp_io *io, uint32_t location, uint32_t component)
{
    struct place place = {io->location + location, io->component + component};
    if (io->builtin != SP_NONE) {
        place.location += place.component / 4;
        place.component %= 4;
    }
    if (place.component > 3)
        sp_fail(s, "component %u of a location", place.component);
    return place;
}

static enum ir_bary_mode place_of_weights(const struct sp_io *io)
{
    return io->sample ? IR_BARY_sample : io->centroid ? IR_BARY_centroid : IR_BARY_pixel;
}

static struct ir_value *load_at(struct sp *s, const struct sp_ptr *ptr, struct place place, uint8_t bits,
                                uint32_t comps)
{
    struct ir_builder *b = &s->b;
    const struct sp_io *io = ptr->io;
    struct ir_value *offset = ptr->location_index ? ptr->location_index : sp_imm(s, 32, 0);
    enum ir_stage stage = s->shader->stage;
    if (bits < 16)
        sp_fail(s, "an input of %u bits", bits);
    if (!io->input || stage == IR_STAGE_tess_control || stage == IR_STAGE_tess_eval || stage == IR_STAGE_geometry) {
        if (ptr->vertex && !io->input)
            return ir_load_vertex_output(b, bits, (uint8_t)comps, ptr->vertex, offset, place.location, place.component);
        if (ptr->vertex)
            return ir_load_per_vertex(b, bits, (uint8_t)comps, ptr->vertex, offset, place.location, place.component);
        if (!io->input)
            return ir_load_output(b, bits, (uint8_t)comps, offset, place.location, place.component);
        return ir_load_input(b, bits, (uint8_t)comps, offset, place.location, place.component);
    }
    if (stage != IR_STAGE_fragment)
        return ir_load_input(b, bits, (uint8_t)comps, offset, place.location, place.component);
    if (ptr->vertex)
        return ir_load_input_vertex(b, bits, (uint8_t)comps, ptr->vertex, offset, place.location, place.component);
    if (io->interp == IR_INTERP_flat || io->interp == IR_INTERP_explicit)
        return ir_load_input(b, bits, (uint8_t)comps, offset, place.location, place.component);
    return ir_load_interp(b, bits, (uint8_t)comps, ir_load_bary(b, place_of_weights(io), io->interp), offset,
                          place.location, place.component);
}

/* A scalar or vector: at most two accesses, where 64-bit components overflow a location. */
static void load_vector(struct sp *s, const struct sp_ptr *ptr, uint8_t bits, uint32_t count, uint32_t first,
                        struct ir_value **out)
{
    uint32_t words = bits == 64 ? 2 : 1, location = ptr->location, component = ptr->component + first * words;
    for (uint32_t done = 0; done < count;) {
        uint32_t skip = ptr->io->builtin == SP_NONE ? (ptr->io->component + component) / 4 : 0;
        struct place place = place_of(s, ptr->io, location + skip, component - skip * 4);
        uint32_t fit = MIN2((4 - place.component) / words, count - done);
        if (fit == 0)
            sp_fail(s, "a component that does not fit its location");
        struct ir_value *loaded = load_at(s, ptr, place, bits, fit);
        for (uint32_t i = 0; i < fit; i++)
            out[done + i] = ir_extract(&s->b, loaded, i);
        done += fit;
        component += fit * words;
    }
}

/* Of a built-in that is a matrix or an array of vectors, all of which is there: scalars of one vector. */
static void load_of_vectors(struct sp *s, const struct sp_ptr *ptr, struct ir_value **all, uint32_t total,
                            struct ir_value **out)
{
    const uint32_t rows = ptr->io->type->element->scalars;
    for (uint32_t i = 0; i < ptr->type->scalars; i++) {
        const uint32_t known = ptr->location * rows + ptr->component + i;
        struct ir_value *index = ptr->location_index ? sp_scale(s, ptr->location_index, rows) : NULL;
        index = sp_add(s, index, ptr->component_index);
        out[i] = index ? sp_dynamic_element(s, all, total, sp_add(s, index, sp_imm(s, 32, known)))
                       : all[MIN2(known, total - 1)];
    }
}

void sp_load_io(struct sp *s, const struct sp_ptr *ptr, struct ir_value **out)
{
    const struct sp_io *io = ptr->io;
    uint32_t count = ptr->type->scalars;
    struct ir_value *all[16];
    if (!is_io_value(ptr->type) || (io->arrayed && !ptr->vertex))
        sp_fail(s, "a load of an input that is no number");
    if (io->location == SP_NONE) {
        uint32_t total = io->type->scalars;
        sp_load_builtin(s, io->builtin, place_of_weights(io), io->type, all);
        if (io->type->kind == SP_MATRIX || (io->type->kind == SP_ARRAY && io->type->element->scalars > 1)) {
            load_of_vectors(s, ptr, all, total, out);
            return;
        }
        if (ptr->component_index)
            out[0] = sp_dynamic_element(s, all, total, ptr->component_index);
        for (uint32_t i = 0; i < count && !ptr->component_index; i++)
            out[i] = all[MIN2(ptr->component + i, total - 1)];
        return;
    }
    if (ptr->component_index) {
        if (ptr->component_count > 16)
            sp_fail(s, "an input of %u components", ptr->component_count);
        load_vector(s, ptr, ptr->type->bits, ptr->component_count, 0, all);
        out[0] = sp_dynamic_element(s, all, ptr->component_count, ptr->component_index);
        return;
    }
    load_vector(s, ptr, ptr->type->bits, count, 0, out);
}

/* Weights of corners are what is interpolated, and not an input's. */
static struct ir_value *interpolated_weights(struct sp *s, const struct sp_ptr *ptr, struct ir_value *bary)
{
    struct ir_value *all[3];
    sp_corner_weights(s, bary, all);
    if (ptr->component_index)
        return sp_dynamic_element(s, all, 3, ptr->component_index);
    return ptr->type->scalars == 1 ? all[MIN2(ptr->component, 2)] : ir_vec(&s->b, 3, all);
}

struct ir_value *sp_load_interpolated(struct sp *s, const struct sp_ptr *ptr, struct ir_value *bary)
{
    if (ptr->mode == SP_PTR_IO && sp_is_bary_coord(ptr->io->builtin) &&
        (ptr->type->scalars == 1 || ptr->type->scalars == 3))
        return interpolated_weights(s, ptr, bary);
    if (ptr->mode != SP_PTR_IO || !ptr->io->input || ptr->io->location == SP_NONE || ptr->vertex ||
        !sp_is_numeric(ptr->type) || s->shader->stage != IR_STAGE_fragment)
        sp_fail(s, "interpolation of something that is no input");
    struct ir_value *offset = ptr->location_index ? ptr->location_index : sp_imm(s, 32, 0);
    struct ir_value *all[4];
    uint32_t count = ptr->component_index ? ptr->component_count : ptr->type->scalars;
    struct place place = place_of(s, ptr->io, ptr->location, ptr->component);
    if (count > 4 || (ptr->type->bits != 16 && ptr->type->bits != 32))
        sp_fail(s, "interpolation of something that is no input");
    struct ir_value *loaded =
        ptr->io->interp == IR_INTERP_flat
            ? ir_load_input(&s->b, ptr->type->bits, (uint8_t)count, offset, place.location, place.component)
            : ir_load_interp(&s->b, ptr->type->bits, (uint8_t)count, bary, offset, place.location, place.component);
    if (!ptr->component_index)
        return loaded;
    for (uint32_t i = 0; i < count; i++)
        all[i] = ir_extract(&s->b, loaded, i);
    return sp_dynamic_element(s, all, count, ptr->component_index);
}

/* --- stores --- */

static void store_at(struct sp *s, const struct sp_io *io, struct ir_value *vertex, struct ir_value *offset,
                     struct place place, struct ir_value *value)
{
    if (!offset)
        offset = sp_imm(s, 32, 0);
    if (vertex)
        ir_store_per_vertex(&s->b, value, vertex, offset, place.location, place.component);
    else
        ir_store_output(&s->b, value, offset, place.location, place.component, io->dual_index);
}

/* Where transform feedback writes what is stored next. */
struct capture {
    bool on;
    uint32_t buffer, offset_B;
};

static void add_capture(struct sp *s, struct capture *capture, struct place place, uint8_t bits, uint32_t comps)
{
    struct ir_shader *shader = s->shader;
    uint32_t count = shader->num_captures;
    if (s->captures_known) /* by an earlier vertex of the same stream */
        return;
    if (count == 0 || is_power_of_two(count)) {
        struct ir_capture *grown = ir_alloc(shader, (count ? count * 2 : 1) * sizeof(*grown));
        if (count)
            memcpy(grown, shader->captures, count * sizeof(*grown));
        shader->captures = grown;
    }
    if (capture->buffer >= IR_XFB_BUFFERS || capture->offset_B > UINT16_MAX)
        sp_fail(s, "transform feedback to buffer %u, offset %u", capture->buffer, capture->offset_B);
    shader->captures[shader->num_captures++] = (struct ir_capture){.location = (uint16_t)place.location,
                                                                   .component = (uint8_t)place.component,
                                                                   .num_comps = (uint8_t)comps,
                                                                   .bits = bits,
                                                                   .buffer = (uint8_t)capture->buffer,
                                                                   .offset_B = (uint16_t)capture->offset_B};
}

/* `capture` may be NULL. */
static void store_vector(struct sp *s, const struct sp_io *io, struct ir_value *vertex, struct ir_value *offset,
                         uint32_t location, uint32_t component, struct ir_value *const *values, uint32_t count,
                         struct capture *capture)
{
    uint32_t words = values[0]->bits == 64 ? 2 : 1;
    if (values[0]->bits < 16)
        sp_fail(s, "an output of %u bits", values[0]->bits);
    for (uint32_t done = 0; done < count;) {
        uint32_t skip = io->builtin == SP_NONE ? (io->component + component) / 4 : 0;
        struct place place = place_of(s, io, location + skip, component - skip * 4);
        uint32_t fit = MIN2((4 - place.component) / words, count - done);
        if (fit == 0)
            sp_fail(s, "a component that does not fit its location");
        store_at(s, io, vertex, offset, place, ir_vec(&s->b, fit, values + done));
        if (capture && capture->on) {
            add_capture(s, capture, place, values[0]->bits, fit);
            capture->offset_B += fit * values[0]->bits / 8u;
        }
        done += fit;
        component += fit * words;
    }
}

/* An output that other invocations see. */
void sp_store_io(struct sp *s, const struct sp_ptr *ptr, struct ir_value *const *values)
{
    struct sp_io *io = ptr->io;
    if (io->input || !is_io_value(ptr->type) || (io->arrayed && !ptr->vertex))
        sp_fail(s, "a store to something that is no output");
    io->listed = true;
    struct ir_value *number;
    if (values[0]->bits == 1 && ptr->type->scalars == 1) { /* whether a primitive is culled */
        number = ir_select(&s->b, values[0], sp_imm(s, 32, 1), sp_imm(s, 32, 0));
        values = &number;
    }
    if (!ptr->component_index) {
        store_vector(s, io, ptr->vertex, ptr->location_index, ptr->location, ptr->component, values, ptr->type->scalars,
                     NULL);
        return;
    }
    /* One component chosen at run time: each is written if it is the chosen one. */
    for (uint32_t i = 0; i < ptr->component_count; i++) {
        uint32_t words = ptr->type->bits == 64 ? 2 : 1;
        ir_builder_push_if(&s->b, ir_ieq(&s->b, ptr->component_index, sp_imm(s, 32, i)));
        store_vector(s, io, ptr->vertex, ptr->location_index, ptr->location, ptr->component + i * words, values, 1,
                     NULL);
        ir_builder_pop_if(&s->b);
    }
}

static bool has_64_bits(const struct sp_type *type)
{
    while (type->kind == SP_ARRAY || type->kind == SP_VECTOR || type->kind == SP_MATRIX)
        type = type->element;
    bool found = type->kind != SP_STRUCT && type->bits == 64;
    for (uint32_t i = 0; i < type->count && type->kind == SP_STRUCT && !found; i++)
        found = has_64_bits(type->members[i].type);
    return found;
}

/* Components of 64 bits are aligned to their size, and so are both ends of a struct that has some; everything else is
 * captured without gaps. */
static void align_capture(struct capture *capture, const struct sp_type *type)
{
    if (capture->on && has_64_bits(type))
        capture->offset_B = (capture->offset_B + 7) & ~7u;
}

static void store_output(struct sp *s, const struct sp_ptr *ptr, struct sp_io *io, uint32_t location,
                         uint32_t component, struct capture *capture);

static void store_members(struct sp *s, const struct sp_ptr *ptr, struct sp_io *io, uint32_t location,
                          uint32_t component, struct capture *capture)
{
    const struct sp_type *type = ptr->type;
    for (uint32_t i = 0; i < type->count; i++) {
        struct sp_ptr *member = sp_ptr_member(s, ptr, i);
        if (io->members) {
            struct sp_io *own = &io->members[i];
            /* `capture` counts the blocks of an array: each has a buffer of its own. */
            struct capture here = {own->captured, own->xfb_buffer + capture->buffer, own->xfb_offset_B};
            uint16_t *strides_B = s->shader->xfb_stride_B;
            if (here.on && here.buffer < IR_XFB_BUFFERS && !strides_B[here.buffer])
                strides_B[here.buffer] = strides_B[own->xfb_buffer];
            store_output(s, member, own, location, component, &here);
            continue;
        }
        store_output(s, member, io, location, component, capture);
        location += sp_locations(type->members[i].type);
    }
}

/* A vertex may be emitted before the translation comes to what writes an output. Its stores are made and remembered;
 * at the end those of outputs that nothing writes are taken out again, for a position's neighbours in their block
 * (distances, a point's size) have a meaning where they are stored. What is captured stays: its vertices count. */
struct sp_early_store {
    struct sp_early_store *next;
    const struct sp_node *node;
    struct sp_io *io;
    struct ir_instr *store;
};

static void note_early_stores(struct sp *s, const struct sp_node *node, struct sp_io *io, struct list *after)
{
    for (struct list *link = after->next; link != s->b.before; link = link->next) {
        struct ir_instr *instr = container_of(link, struct ir_instr, link);
        if (instr->op != IR_OP_store_output)
            continue;
        struct sp_early_store *early = sp_new(s, struct sp_early_store);
        *early = (struct sp_early_store){s->early_stores, node, io, instr};
        s->early_stores = early;
    }
}

static void settle_early_stores(struct sp *s)
{
    for (struct sp_early_store *early = s->early_stores; early; early = early->next) {
        bool is_kept = early->node->written || (early->io->captured && early->io->builtin == SP_NONE);
        early->io->listed |= is_kept;
        if (!is_kept)
            ir_remove(early->store);
    }
}

/* An output's variable, part by part, to where it belongs. */
static void store_output(struct sp *s, const struct sp_ptr *ptr, struct sp_io *io, uint32_t location,
                         uint32_t component, struct capture *capture)
{
    const struct sp_type *type = ptr->type;
    bool compact = type->kind == SP_ARRAY && io->builtin != SP_NONE;
    if (type->kind == SP_STRUCT) {
        align_capture(capture, type);
        store_members(s, ptr, io, location, component, capture);
        align_capture(capture, type);
        return;
    }
    if (!compact && (type->kind == SP_ARRAY || type->kind == SP_MATRIX)) {
        for (uint32_t i = 0; i < type->count; i++) {
            store_output(s, sp_ptr_element(s, ptr, NULL, i), io, location + i * sp_locations(type->element), component,
                         capture);
            capture->buffer += io->members && type->element->kind == SP_STRUCT;
        }
        return;
    }
    if (io->stream != s->stream)
        return;
    align_capture(capture, type);
    bool is_written = ptr->node->written;
    if (!is_written && s->shader->stage != IR_STAGE_geometry) {
        capture->offset_B += capture->on ? type->scalars * sp_bits_of_scalar(s, ptr->type, 0) / 8u : 0;
        return;
    }
    io->listed |= is_written;
    struct ir_value *values[16];
    if (type->scalars > 16 || !(compact ? type->element->scalars == 1 : is_io_value(type)))
        sp_fail(s, "an output that is no number");
    sp_load(s, ptr, values);
    struct list *last = s->b.before->prev;
    store_vector(s, io, NULL, NULL, location, component, values, type->scalars, capture);
    if (!is_written)
        note_early_stores(s, ptr->node, io, last);
}

void sp_store_outputs(struct sp *s)
{
    for (uint32_t i = 0; i < s->num_variables; i++) {
        struct sp_variable *variable = s->variables[i];
        if (variable->storage != SpvStorageClassOutput || !variable->node || !variable->io)
            continue;
        s->at = sp_id(s, variable->id)->at;
        const struct sp_io *io = variable->io;
        struct capture capture = {!io->members && io->captured, io->members ? 0 : io->xfb_buffer, io->xfb_offset_B};
        store_output(s, sp_variable_pointer(s, variable), variable->io, 0, 0, &capture);
    }
}

/* --- what the shader says of its interface --- */

static void add_io_var(struct sp *s, const struct sp_io *io, const struct sp_type *type, uint32_t location)
{
    struct ir_shader *shader = s->shader;
    struct ir_io_var **list = io->input ? &shader->inputs : &shader->outputs;
    uint32_t *count = io->input ? &shader->num_inputs : &shader->num_outputs;
    if (*count == 0 || is_power_of_two(*count)) {
        struct ir_io_var *grown = ir_alloc(shader, (*count ? *count * 2 : 1) * sizeof(*grown));
        if (*count)
            memcpy(grown, *list, *count * sizeof(*grown));
        *list = grown;
    }
    const struct sp_type *scalar = type;
    uint32_t comps = 1, locations = sp_locations(type);
    while (scalar->kind == SP_ARRAY || scalar->kind == SP_MATRIX)
        scalar = scalar->element;
    if (scalar->kind == SP_VECTOR)
        comps = scalar->count, scalar = scalar->element;
    if (io->builtin != SP_NONE) {
        comps = type->scalars;
        locations = (comps + 3) / 4;
        comps = MIN2(comps, 4u);
    }
    (*list)[(*count)++] = (struct ir_io_var){.name = io->variable->name,
                                             .location = (uint16_t)(io->location + location),
                                             .component = (uint8_t)io->component,
                                             .num_comps = (uint8_t)comps,
                                             .bits = scalar->bits,
                                             .num_locations = (uint16_t)locations,
                                             .dual_index = (uint8_t)io->dual_index,
                                             .base = scalar->kind == SP_FLOAT ? IR_BASE_float
                                                     : scalar->is_signed      ? IR_BASE_int
                                                                              : IR_BASE_uint,
                                             .interp = io->interp,
                                             .centroid = io->centroid,
                                             .sample = io->sample,
                                             .per_vertex = io->per_vertex,
                                             .per_primitive = io->per_primitive,
                                             .patch = io->patch};
}

static void list_io(struct sp *s, struct sp_io *io, const struct sp_type *type, uint32_t location)
{
    const struct sp_type *inner = type;
    while (inner->kind == SP_ARRAY)
        inner = inner->element;
    if (inner->kind != SP_STRUCT) {
        if (io->location != SP_NONE && (io->input || io->listed))
            add_io_var(s, io, type, location);
        return;
    }
    sp_spend(s, inner->count);
    if (type->kind == SP_ARRAY) {
        for (uint32_t i = 0; i < type->count; i++)
            list_io(s, io, type->element, location + i * sp_locations(type->element));
        return;
    }
    for (uint32_t i = 0; i < type->count; i++) {
        list_io(s, io->members ? &io->members[i] : io, type->members[i].type, location);
        if (!io->members)
            location += sp_locations(type->members[i].type);
    }
}

static void note_builtin(struct sp *s, const struct sp_io *io)
{
    struct ir_shader *shader = s->shader;
    uint32_t count = io->type->scalars;
    if (io->input || !io->listed)
        return;
    switch (io->builtin) {
    case SpvBuiltInPointSize:
        shader->vs.writes_point_size = true;
        break;
    case SpvBuiltInLayer:
        shader->vs.writes_layer = true;
        break;
    case SpvBuiltInViewportIndex:
        shader->vs.writes_viewport = true;
        break;
    case SpvBuiltInClipDistance:
        shader->vs.clip_distances = (uint8_t)count;
        break;
    case SpvBuiltInCullDistance:
        shader->vs.cull_distances = (uint8_t)count;
        break;
    case SpvBuiltInFragDepth:
        shader->fs.writes_depth = true;
        break;
    case SpvBuiltInFragStencilRefEXT:
        shader->fs.writes_stencil = true;
        break;
    case SpvBuiltInSampleMask:
        shader->fs.writes_mask = true;
        break;
    default:
        break;
    }
}

void sp_finish_io(struct sp *s)
{
    settle_early_stores(s);
    for (uint32_t i = 0; i < s->num_variables; i++) {
        struct sp_io *io = s->variables[i]->io;
        if (!io)
            continue;
        s->at = sp_id(s, s->variables[i]->id)->at;
        const struct sp_type *inner = io->type;
        while (inner->kind == SP_ARRAY)
            inner = inner->element;
        list_io(s, io, io->type, 0);
        note_builtin(s, io);
        for (uint32_t m = 0; io->members && m < inner->count; m++)
            note_builtin(s, &io->members[m]);
    }
}

void sp_do_emit_vertex(struct sp *s, const struct sp_instr *in)
{
    uint32_t stream = in->count ? sp_constant_u32(s, sp_op(s, in, 0)) : 0;
    if (s->shader->stage != IR_STAGE_geometry)
        sp_fail(s, "%s outside geometry shaders", in->info->name);
    if (stream > 3)
        sp_fail(s, "vertex stream %u", stream);
    if (in->info->arg == IR_OP_emit_vertex) {
        uint32_t at = s->at;
        s->stream = stream;
        s->captures_known = s->streams_emitted >> stream & 1;
        s->streams_emitted |= 1u << stream;
        sp_store_outputs(s);
        s->at = at;
        ir_emit_vertex(&s->b, stream);
    } else {
        ir_end_primitive(&s->b, stream);
    }
}
