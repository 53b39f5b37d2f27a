/* Where the components of varyings lie in a vertex's packet. */
#include <string.h>

#include "compiler/ir/ir.h"
#include "mali/compiler/compiler.h"
#include "util/bits.h"

#define LOCATION_B 16

void mali_varyings_by_location(struct mali_varying_layout *layout_out)
{
    for (unsigned i = 0; i < MALI_MAX_VARYINGS; i++)
        layout_out->offset_B[i] = (uint16_t)(LOCATION_B * i);
    layout_out->size_B = LOCATION_B * MALI_MAX_VARYINGS;
    layout_out->noperspective = 0;
}

/* A location has room up to its last component that is read, for a load takes its components side by side. */
void mali_varyings_of_fragment(const struct ir_shader *fragment, struct mali_varying_layout *layout_out)
{
    uint8_t comps[MALI_MAX_VARYINGS] = {0};
    layout_out->noperspective = 0;
    for (uint32_t i = 0; i < fragment->num_inputs; i++) {
        const struct ir_io_var *input = &fragment->inputs[i];
        if (input->location < IR_LOCATION_VAR0)
            continue;
        for (unsigned n = 0; n < MAX2(input->num_locations, 1u); n++) {
            const unsigned location = input->location - IR_LOCATION_VAR0 + n;
            const unsigned last = input->component + input->num_comps * (input->bits == 64 ? 2 : 1);
            if (location < MALI_MAX_VARYINGS)
                comps[location] = (uint8_t)MAX2(comps[location], MIN2(last, 4u));
            if (location < MALI_MAX_VARYINGS && input->interp == IR_INTERP_noperspective)
                layout_out->noperspective |= 1u << location;
        }
    }
    unsigned offset_B = 0;
    for (unsigned i = 0; i < MALI_MAX_VARYINGS; i++) {
        layout_out->offset_B[i] = comps[i] ? (uint16_t)offset_B : MALI_VARYING_NONE;
        offset_B += 4u * comps[i];
    }
    layout_out->size_B = (uint16_t)((offset_B + 15) / 16 * 16);
}
