/* For strict mode: which registers of a vertex or a fragment wave are read when its program has ended. */
#include "adreno/model/pc/pc.h"

static void add_component(struct pc_outputs *outputs, unsigned component, bool is_half, bool is_optional)
{
    if (component >= ADRENO_NO_REG || outputs->count == PC_MAX_OUTPUTS)
        return;
    outputs->list[outputs->count++] =
        (struct adreno_output){.component = (uint8_t)component, .is_half = is_half, .is_optional = is_optional};
}

static void add_location(struct pc_outputs *outputs, const struct vpc_state *vpc, unsigned location, bool is_optional)
{
    if (location < VPC_NOWHERE)
        add_component(outputs, vpc->row_of[location], false, is_optional);
}

void adreno_pc_list_vertex_outputs(struct adreno_pc *pc)
{
    struct pc_outputs *outputs = &pc->vertex_outputs;
    const struct vpc_state *vpc = &pc->vpc;
    outputs->count = 0;
    for (unsigned c = 0; c < 4; c++)
        add_location(outputs, vpc, vpc->position == VPC_NOWHERE ? VPC_NOWHERE : vpc->position + c, false);
    add_location(outputs, vpc, vpc->point_size, true);
    add_location(outputs, vpc, vpc->layer, false);
    add_location(outputs, vpc, vpc->viewport, false);
    /* A varying of which the fragment shader uses a part may have others that the vertex shader leaves as they are. */
    for (uint32_t location = 0; location < vpc->record_dw; location++)
        add_location(outputs, vpc, location, true);
    struct adreno_launch *launch = pc->geometry.is_on  ? &pc->geometry.launch
                                   : pc->patches.is_on ? &pc->patches.domain
                                                       : &pc->vertex_launch;
    if (pc->geometry.is_on)
        add_component(outputs, pc->geometry.flags_reg, false, false);
    launch->outputs = outputs->list;
    launch->output_count = outputs->count;
}

void adreno_pc_list_fragment_outputs(struct adreno_pc *pc)
{
    struct pc_outputs *outputs = &pc->fragment_outputs;
    const struct gras_state *gras = &pc->gras;
    outputs->count = 0;
    bits_foreach (gras->output_mask, o) {
        /* The API leaves a channel that a shader does not write undefined. */
        for (unsigned c = 0; c < 4; c++)
            add_component(outputs, gras->outputs[o].regid + c, gras->outputs[o].is_half, c > 0);
    }
    add_component(outputs, gras->depth_reg, false, false);
    add_component(outputs, gras->stencil_reg, false, false);
    add_component(outputs, gras->mask_reg, false, false);
    pc->fragment_launch.outputs = outputs->list;
    pc->fragment_launch.output_count = outputs->count;
}
