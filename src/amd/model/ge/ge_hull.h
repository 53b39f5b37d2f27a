/* Tessellation in the geometry engine: the merged LS-HS stage, the tessellator after it, and the subgroups of its
 * points that the stages after it see as vertices. */
#ifndef AMD_MODEL_GE_HULL_H
#define AMD_MODEL_GE_HULL_H

#include "amd/model/spi/spi_ps.h"
#include "amd/model/sq/sq_workgroup.h"
#include "model/tessellate/tessellate.h"

#define GE_MAX_PATCHES 256 /* of a threadgroup: NUM_PATCHES has eight bits */

struct ge;
struct ge_worker;

/* The registers of it all. */
struct ge_hull_state {
    bool is_on;
    struct spi_stage stage;
    struct tess_mode mode;
    uint32_t patches;               /* of a threadgroup */
    uint32_t in_points, out_points; /* of a patch */
    uint32_t vertex_components;     /* VGPRs of the vertex part, after the first */
    uint32_t lds_size_B;
    uint32_t user_address[2]; /* what stands in s0 and s1 */
    uint32_t level_dw;        /* of a patch in the ring of levels */
    uint64_t level_va;
    uint32_t level_groups; /* threadgroups that the ring of levels and the off-chip buffers have room for */
    uint32_t level_group_B, offchip_B;
    uint32_t offchip_groups;
};

/* A threadgroup of patches in flight on a worker, from its waves to the last of its points. */
struct ge_hull {
    struct sq_workgroup *group;
    bool is_running; /* its waves */
    bool is_ready;   /* patches are tessellated one after the other */
    uint32_t turn;   /* of the rings */
    uint32_t level_at_B, offchip_at_B;
    uint32_t patch_count, vertex_count;
    uint32_t prim_id[GE_MAX_PATCHES];

    uint32_t patch;     /* in hand */
    uint32_t next_prim; /* of that patch */
    bool is_made;       /* `made` is of this draw, for `levels` */
    bool is_in_hand;    /* and of that patch */
    uint32_t subgroup;  /* number of the subgroup that `place` is for */
    struct tess_levels levels;
    struct tess_patch made;
    uint32_t place_of[TESS_MAX_POINTS]; /* the subgroup that has the point */
    uint16_t place[TESS_MAX_POINTS];    /* where there */

    uint64_t hs_invocations, ds_invocations, ls_invocations;
};

/* NULL, or what the model does not implement. */
const char *amd_ge_hull_state_init(struct ge *ge, const struct cp_registers *registers);

/* A draw begins. False: the host has no memory. */
bool amd_ge_hull_begin_draw(struct ge *ge);
void amd_ge_hull_destroy(struct ge_hull *hull);

/* The patches of the worker's batch: start their waves. False: a fault, already noted. */
bool amd_ge_hull_begin(struct ge *ge, struct ge_worker *worker, struct sq_code *code, unsigned slot,
                       uint32_t scratch_slot);
/* The waves have ended. */
void amd_ge_hull_end(struct ge_worker *worker);

/* Fill the worker's subgroup with the next primitives of the tessellator; it is empty where none are left. False: a
 * fault, already noted. */
bool amd_ge_hull_subgroup(struct ge *ge, struct ge_worker *worker);

#endif
