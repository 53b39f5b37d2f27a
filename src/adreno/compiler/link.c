/* Where VPC puts the outputs of a vertex shader: what a fragment shader reads at the locations that it names, what is
 * captured and what the hardware itself takes after them. */
#include <string.h>

#include "adreno/compiler/compiler.h"
#include "util/bits.h"

/* VPC_VARYING_INTERP_MODE# and _REPLACE_MODE#: two bits for each location. */
enum {
    INTERP_SMOOTH,
    INTERP_FLAT,
    INTERP_ZERO,
    INTERP_ONE
};
enum {
    REPLACE_NONE,
    REPLACE_S,
    REPLACE_T
};

struct linker {
    const struct adreno_shader_config *vs;
    struct adreno_link *link;
    unsigned next; /* location that is free */
    bool is_full;
};

static void set_mode(uint32_t *modes, unsigned loc, unsigned mode)
{
    modes[loc / 16] = (modes[loc / 16] & ~(3u << loc % 16 * 2)) | mode << loc % 16 * 2;
}

/* The register of a component; ADRENO_REG_UNUSED: it is not written. */
static uint8_t register_of(const struct adreno_shader_config *vs, unsigned location, unsigned component)
{
    for (unsigned i = 0; i < vs->vs.num_outputs; i++) {
        const struct adreno_vs_output *output = &vs->vs.outputs[i];
        if (output->location == location && component >= output->component &&
            component < (unsigned)output->component + output->count)
            return (uint8_t)(output->reg + component - output->component);
    }
    return ADRENO_REG_UNUSED;
}

static uint16_t name_of(unsigned location, unsigned component)
{
    return (uint16_t)(location * 4 + component + 1);
}

/* A register at a location: with those before it where registers and locations go on. */
static void add_register(struct linker *l, uint8_t reg, unsigned loc)
{
    struct adreno_link *link = l->link;
    if (link->num_outputs) {
        const unsigned last = link->num_outputs - 1u, count = (unsigned)__builtin_popcount(link->outputs[last].mask);
        if (count < 4 && link->outputs[last].reg + count == reg && link->outputs[last].loc + count == loc) {
            link->outputs[last].mask |= (uint8_t)(1u << count);
            return;
        }
    }
    if (link->num_outputs == ADRENO_MAX_OUTPUTS) {
        l->is_full = true;
        return;
    }
    link->outputs[link->num_outputs].reg = reg;
    link->outputs[link->num_outputs].mask = 1;
    link->outputs[link->num_outputs++].loc = (uint8_t)loc;
}

/* A component of an output, if it is written. */
static void add_component(struct linker *l, unsigned location, unsigned component, unsigned loc)
{
    const uint8_t reg = register_of(l->vs, location, component);
    if (loc >= ADRENO_VPC_LOCATIONS) {
        l->is_full = true;
        return;
    }
    if (reg == ADRENO_REG_UNUSED)
        return;
    l->link->names[loc] = name_of(location, component);
    add_register(l, reg, loc);
}

/* Components of one output, at the next free locations. The first of these; ADRENO_LOCATION_UNUSED: none is written. */
static uint8_t append_output(struct linker *l, unsigned location, unsigned count)
{
    const unsigned first = l->next;
    bool is_any = false;
    for (unsigned i = 0; i < count; i++) {
        is_any |= register_of(l->vs, location, i) != ADRENO_REG_UNUSED;
        add_component(l, location, i, first + i);
    }
    if (!is_any)
        return ADRENO_LOCATION_UNUSED;
    l->next = first + count;
    return (uint8_t)first;
}

/* ---- what fragments read ---- */

static void link_input(struct linker *l, const struct adreno_fs_input *input)
{
    struct adreno_link *link = l->link;
    for (unsigned i = 0; i < input->count; i++) {
        const unsigned loc = input->loc + i;
        set_mode(link->interp_modes, loc, input->is_flat ? INTERP_FLAT : INTERP_SMOOTH);
        switch (input->location) {
        case IR_LOCATION_primitive_id:
            if (register_of(l->vs, IR_LOCATION_primitive_id, 0) != ADRENO_REG_UNUSED)
                break; /* a geometry shader says it */
            link->primitive_id_loc = (uint8_t)loc;
            continue;
        case ADRENO_LOCATION_VIEW:
            link->view_id_loc = (uint8_t)loc;
            continue;
        case ADRENO_LOCATION_POINT_COORD:
            set_mode(link->replace_modes, loc, input->component + i == 0 ? REPLACE_S : REPLACE_T);
            continue;
        default:
            break;
        }
        if (register_of(l->vs, input->location, input->component + i) == ADRENO_REG_UNUSED) {
            set_mode(link->interp_modes, loc, INTERP_ZERO);
            continue;
        }
        add_component(l, input->location, input->component + i, loc);
        link->varying_mask[loc / 32] |= 1u << loc % 32;
    }
}

/* ---- what is captured ---- */

/* By its name: outputs of one value may share a register, and each is captured to a place of its own. */
uint8_t adreno_link_find(const struct adreno_link *link, unsigned location, unsigned component)
{
    for (unsigned loc = 0; loc < ADRENO_VPC_LOCATIONS; loc++) {
        if (link->names[loc] == name_of(location, component))
            return (uint8_t)loc;
    }
    return ADRENO_LOCATION_UNUSED;
}

static void link_captures(struct linker *l)
{
    for (unsigned i = 0; i < l->vs->vs.num_captures; i++) {
        const struct ir_capture *capture = &l->vs->vs.captures[i];
        for (unsigned c = 0; c < capture->num_comps * (capture->bits == 64 ? 2u : 1u); c++) {
            const unsigned location = capture->location + (capture->component + c) / 4u;
            const unsigned component = (capture->component + c) % 4u;
            if (register_of(l->vs, location, component) != ADRENO_REG_UNUSED &&
                adreno_link_find(l->link, location, component) == ADRENO_LOCATION_UNUSED)
                add_component(l, location, component, l->next++);
        }
    }
}

/* ---- what the hardware takes ---- */

/* Distances that clip, then those that cull, four side by side. */
static void link_distances(struct linker *l)
{
    const unsigned clips = l->vs->vs.clip_distances, all = MIN2(clips + l->vs->vs.cull_distances, 8u);
    for (unsigned i = 0; i < all; i++) {
        const bool is_clip = i < clips;
        const unsigned number = is_clip ? i : i - clips;
        const unsigned location = (is_clip ? IR_LOCATION_clip_distance0 : IR_LOCATION_cull_distance0) + number / 4;
        if (i % 4 == 0)
            l->link->distance_loc[i / 4] = (uint8_t)l->next;
        add_component(l, location, number % 4, l->next++);
        *(is_clip ? &l->link->clip_mask : &l->link->cull_mask) |= (uint8_t)(1u << i);
    }
}

bool adreno_link(const struct adreno_shader_config *vs, const struct adreno_shader_config *fs, bool is_capturing,
                 struct adreno_link *link_out)
{
    struct linker l = {.vs = vs, .link = link_out};
    memset(link_out, 0, sizeof(*link_out));
    link_out->primitive_id_loc = link_out->view_id_loc = ADRENO_LOCATION_UNUSED;
    memset(link_out->distance_loc, ADRENO_LOCATION_UNUSED, sizeof(link_out->distance_loc));
    for (unsigned i = 0; fs && i < fs->fs.num_inputs; i++)
        link_input(&l, &fs->fs.inputs[i]);
    l.next = link_out->num_varyings = fs ? fs->fs.num_locs : 0;
    if (is_capturing)
        link_captures(&l);
    link_out->layer_loc = append_output(&l, IR_LOCATION_layer, 1);
    link_out->viewport_loc = append_output(&l, IR_LOCATION_viewport, 1);
    link_out->position_loc = append_output(&l, IR_LOCATION_position, 4);
    link_out->point_size_loc = append_output(&l, IR_LOCATION_point_size, 1);
    link_distances(&l);
    /* Some chips hang where a shader has no output at all. */
    if (!link_out->num_outputs)
        add_register(&l, 0, l.next++);
    link_out->stride = (uint8_t)MIN2(l.next, ADRENO_VPC_LOCATIONS);
    return !l.is_full && l.next <= ADRENO_VPC_LOCATIONS;
}
