/* Vertex fetch and decode (VFD): attributes out of vertex buffers, as rows of lanes of a vertex wave's registers. */
#ifndef ADRENO_MODEL_VFD_H
#define ADRENO_MODEL_VFD_H

#include "adreno/hw/table.h"
#include "adreno/model/gpu.h"
#include "adreno/model/sp/wave.h"

#define VFD_MAX_ATTRIBUTES 32

struct vfd_attribute {
    uint64_t va; /* of the buffer */
    uint32_t size_B, stride_B, offset_B;
    const uint8_t *host; /* of the whole buffer; NULL: each element is looked up */
    bool is_instanced;
    uint32_t step_rate; /* instances of an element; 0: all of them */
    const struct adreno_format *format;
    uint32_t element_B;
    bool is_float;        /* integers are converted, and what is missing is 1.0; otherwise all stays as it is */
    uint8_t first_bit[4]; /* of each channel that the format has */
    uint8_t regid, mask;
};

struct vfd_state {
    unsigned count;
    struct vfd_attribute attributes[VFD_MAX_ATTRIBUTES];
    uint8_t vertex_id_reg, instance_id_reg, prim_id_reg, view_id_reg; /* or ADRENO_NO_REG */
    uint32_t index_offset, instance_offset;                           /* of what is fetched */
    uint32_t vertex_id_less, instance_id_more;                        /* from there to what shaders see */
};

/* Read the registers. False: stopped. */
bool adreno_vfd_state_init(struct vfd_state *state, struct adreno_gpu *gpu);

/* The vertices of one wave: indices with their offset, instances from 0. */
struct vfd_lanes {
    uint32_t count;
    const uint32_t *vertex_id, *instance, *prim_id;
    const uint8_t *view;
};

/* Fill the input registers. False: stopped. */
bool adreno_vfd_load(const struct vfd_state *state, struct adreno_gpu *gpu, const struct vfd_lanes *lanes,
                     struct adreno_wave *wave);

#endif
