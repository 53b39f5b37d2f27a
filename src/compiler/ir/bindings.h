/* Where descriptors are, for back ends that count them: sets of bindings, by number. */
#ifndef COMPILER_IR_BINDINGS_H
#define COMPILER_IR_BINDINGS_H

#include <stdbool.h>
#include <stdint.h>

/* Counted in descriptors. */
struct ir_binding_layout {
    uint32_t index, stride; /* of the first one; from one array element to the next */
    uint8_t sampler;        /* of a combined image and sampler: from the image to its sampler; 0 of all others */
    bool is_dynamic;        /* in the back end's table of dynamic buffers, not in the set that names it */
};

struct ir_set_layout {
    const struct ir_binding_layout *bindings; /* by binding number */
    uint32_t num_bindings;
};

#endif
