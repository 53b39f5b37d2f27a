/* A mesh shader as the hardware runs it: what the mesh*.c files share. The interface is amd_lower_mesh in compiler.h;
 * mesh.c says how such a program runs. */
#ifndef AMD_COMPILER_MESH_H
#define AMD_COMPILER_MESH_H

#include "amd/compiler/compiler.h"
#include "compiler/ir/ir_builder.h"

#define MESH_LOCATIONS (IR_LOCATION_VAR0 + 64)
#define MESH_NONE 0xffff

struct mesh {
    struct ir_shader *shader;               /* the whole */
    const struct ir_shader *mesh, *nothing; /* that has no vertex shader before it */
    const struct amd_compile_options *options;
    struct amd_geometry_layout *layout;

    uint32_t group_threads;      /* of the program's workgroup */
    uint32_t waves, group_waves; /* of the hardware's workgroup and of the program's */
    bool has_followers;          /* waves that only wait where the program's wait */

    /* The dword of each channel that something stores in its vertex or primitive, and its width, 16 or 32. */
    uint16_t output_dw[MESH_LOCATIONS][4];
    uint8_t output_bits[MESH_LOCATIONS][4];
    bool is_of_primitive[MESH_LOCATIONS];
    bool has_cull;

    /* In shared memory, after the program's own: vertices, primitives, a word of indices for each primitive, how many
     * there are of both, and how often the followers are to wait. */
    uint32_t vertex_stride_B, primitive_stride_B;
    uint32_t vertices_B, primitives_B, indices_B, counts_B, waits_B;

    struct ir_value *wave, *number, *item; /* the wave's word, its number, each lane's number */
    struct ir_value *group;                /* the workgroup's number in the draw */
    struct ir_var *waits;                  /* barriers so far */
};

/* mesh_layout.c */
void amd_mesh_layout(struct mesh *m);

/* mesh_lower.c: the operations that the frame must know of. */
void amd_mesh_lower(struct mesh *m);

static inline uint32_t mesh_location(const struct ir_instr *instr, const struct ir_value *offset)
{
    const uint64_t at = ir_imm(instr, IR_IMM_LOCATION) + (ir_is_const(offset) ? ir_const_u64(offset) : 0);
    return at < MESH_LOCATIONS ? (uint32_t)at : MESH_LOCATIONS - 1;
}

/* One that all waves of the workgroup come to. */
static inline bool mesh_is_wait(const struct ir_instr *instr)
{
    return instr->op == IR_OP_barrier && ir_imm(instr, IR_IMM_ORDER) & IR_ORDER_EXECUTION &&
           ir_imm(instr, IR_IMM_SCOPE) > IR_SCOPE_subgroup;
}

#endif
