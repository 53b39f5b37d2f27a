/* A vertex shader and the geometry shader after it as one program: what the geometry*.c files share. The interface is
 * amd_merge_geometry in compiler.h; geometry.c says how such a program runs. */
#ifndef AMD_COMPILER_GEOMETRY_H
#define AMD_COMPILER_GEOMETRY_H

#include "amd/compiler/compiler.h"
#include "compiler/ir/ir_builder.h"

#define GEOMETRY_LOCATIONS (IR_LOCATION_VAR0 + 64)
#define GEOMETRY_NONE 0xff
#define GEOMETRY_STREAMS 4
#define GEOMETRY_MAX_WAVES 8 /* of a subgroup: 256 vertices in waves of 32 */

/* Bits of the word that says what became of a place for an emitted vertex. */
enum geometry_flags {
    GEOMETRY_IS_EMITTED = 1 << 0,
    GEOMETRY_ENDS_PRIMITIVE = 1 << 1,
    GEOMETRY_IS_ODD = 1 << 2, /* of a strip's triangles: its vertices change places */
};

struct geometry {
    struct ir_shader *shader; /* the whole */
    struct ir_shader *copy;   /* the shader after it, where what is emitted goes through a ring */
    const struct ir_shader *vertex, *geometry;
    const struct amd_compile_options *options;
    struct amd_geometry_layout *layout;

    /* From the vertex shader to the geometry shader: four dwords a location. */
    bool is_read[GEOMETRY_LOCATIONS];
    uint8_t stored_bits[GEOMETRY_LOCATIONS][4]; /* of the vertex shader's components; 0: it is not stored */
    uint8_t input_slot[GEOMETRY_LOCATIONS];
    /* Emitted: the dword of each channel that something stores, and its width, 16 or 32. */
    uint8_t output_dw[GEOMETRY_LOCATIONS][4], output_bits[GEOMETRY_LOCATIONS][4];
    uint8_t output_stream[GEOMETRY_LOCATIONS][4]; /* with a ring; dwords are those of the stream */
    uint32_t output_count_dw;

    /* In shared memory: inputs of the geometry shader from 0 on, emitted vertices, their flags, which of them is the
     * n-th, how many each wave has. */
    uint32_t input_stride_B, output_stride_B;
    uint32_t outputs_B, flags_B, order_B, counts_B;

    struct ir_value *wave, *wave_first, *item; /* the wave's word, its first lane's and each lane's number */
    struct ir_value *total;                    /* places for emitted vertices */
    struct ir_value *first_place;              /* of the lane's primitive */
    struct ir_value *vertex_B[6];              /* where each of its vertices lies */
    struct ir_var *emitted, *strip;            /* vertices so far: of the invocation, of the strip */

    /* With a ring: its descriptor, where the lane's vertices of each stream begin, how many there are. */
    bool has_ring;
    struct ir_value *ring, *ring_B[GEOMETRY_STREAMS];
    struct ir_var *emitted_in[GEOMETRY_STREAMS];
};

/* geometry_layout.c: what goes through shared memory, and how many vertices and primitives a subgroup has. */
void amd_geometry_layout(struct geometry *g);

/* geometry_lower.c: the operations of one stage that the other one or the frame must know of. */
void amd_geometry_lower_vertex(struct geometry *g);
void amd_geometry_lower_geometry(struct geometry *g);

/* geometry_ring.c: what is emitted goes through memory. */
void amd_geometry_ring_layout(struct geometry *g); /* the part after the inputs */
void amd_geometry_ring_begin(struct geometry *g, struct ir_builder *b, struct ir_value *lane);
void amd_geometry_ring_emit(const struct geometry *g, struct ir_instr *emit, struct ir_instr *const *stores,
                            uint32_t count);
void amd_geometry_ring_end(struct ir_builder *b);
void amd_geometry_build_copy(struct geometry *g, struct ir_shader *copy);

static inline uint32_t geometry_location(const struct ir_instr *instr, const struct ir_value *offset)
{
    uint64_t at = ir_imm(instr, IR_IMM_LOCATION) + (ir_is_const(offset) ? ir_const_u64(offset) : 0);
    return at < GEOMETRY_LOCATIONS ? (uint32_t)at : GEOMETRY_LOCATIONS - 1;
}

static inline unsigned geometry_prim_vertices(const struct geometry *g)
{
    enum ir_primitive output = g->geometry->gs.output;
    return output == IR_PRIMITIVE_points ? 1 : output == IR_PRIMITIVE_line_strip ? 2 : 3;
}

#endif
