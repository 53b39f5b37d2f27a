/* Tessellation: what the hull*.c files and evaluation.c share. The interface is amd_tess_layout, amd_merge_hull and
 * amd_lower_evaluation in compiler.h; hull.c says how such a program runs. */
#ifndef AMD_COMPILER_HULL_H
#define AMD_COMPILER_HULL_H

#include "amd/compiler/merge.h"

#define HULL_NONE 0xff

struct hull {
    struct ir_shader *shader; /* the whole */
    const struct ir_shader *vertex, *control, *evaluation;
    const struct amd_compile_options *options;
    const struct amd_tess_layout *layout;

    /* Slots of four dwords by location: what the control shader reads of the vertex shader, and what of its own outputs
     * it reads again, of vertices and of the patch. All of it goes through shared memory. */
    uint8_t input_slot[AMD_TESS_LOCATIONS], own_slot[AMD_TESS_LOCATIONS], own_patch_slot[AMD_TESS_LOCATIONS];
    bool is_input_stored[AMD_TESS_LOCATIONS][4];

    /* In shared memory: of each patch its output vertices, what is the patch's, and its levels; after all of them the
     * input vertices of all patches. */
    uint32_t input_stride_B, output_stride_B;
    uint32_t patch_outputs_B, levels_B, patch_stride_B, inputs_B;

    struct ir_value *wave, *item;      /* the wave's word; the lane's number in the threadgroup */
    struct ir_value *patch, *point;    /* of the lane in the second part: in the threadgroup; the output vertex */
    struct ir_value *number;           /* the patch's in the draw */
    struct ir_value *in_points;        /* of a patch */
    struct ir_value *inputs, *outputs; /* where those of the lane's patch lie in shared memory */
    struct ir_value *ring;             /* and in the off-chip buffer: the lower half of an address */
};

/* hull_layout.c */
void amd_hull_plan(struct hull *h);

/* hull_lower.c: the operations of one stage that the other one or the frame must know of. */
void amd_hull_lower_vertex(struct hull *h);
void amd_hull_lower_control(struct hull *h);
void amd_hull_store_levels(struct hull *h, struct ir_builder *b);

/* A place in shared memory or, where it is one of the off-chip buffer, in memory. */
struct hull_place {
    bool is_ring;
    struct ir_value *address; /* of the ring the lower half */
    uint32_t base_B;
};
/* Where an access to an output of a vertex (NULL: of the patch) goes; `ring` is where the patch lies there. */
struct hull_place amd_hull_ring_place(struct ir_builder *b, const struct amd_tess_layout *layout, struct ir_value *ring,
                                      const struct ir_instr *instr, struct ir_value *vertex, struct ir_value *offset);
struct ir_value *amd_hull_load(struct ir_builder *b, const struct amd_compile_options *options,
                               const struct hull_place *place, uint8_t bits, uint8_t comps);

/* The location that an access begins at, where it is known. */
static inline uint32_t hull_location(const struct ir_instr *instr, const struct ir_value *offset)
{
    const uint64_t at = ir_imm(instr, IR_IMM_LOCATION) + (ir_is_const(offset) ? ir_const_u64(offset) : 0);
    return at < AMD_TESS_LOCATIONS ? (uint32_t)at : AMD_TESS_LOCATIONS - 1;
}

/* An address plus a number of locations that is only known when the shader runs. */
static inline struct ir_value *hull_indexed(struct ir_builder *b, struct ir_value *address, struct ir_value *offset)
{
    return ir_is_const(offset) ? address : ir_iadd(b, address, ir_ishl(b, offset, ir_const(b, 32, 4)));
}

#endif
