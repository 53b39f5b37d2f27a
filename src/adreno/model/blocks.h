/* The calls of the command processor into the other blocks. All return false after adreno_stop. Work is done and in
 * memory when a call returns. */
#ifndef ADRENO_MODEL_BLOCKS_H
#define ADRENO_MODEL_BLOCKS_H

#include "adreno/hw/packets.h"
#include "adreno/model/gpu.h"

/* ---- HLSQ: state loads and dispatches ---- */

bool adreno_hlsq_create(struct adreno_gpu *gpu); /* sets gpu->hlsq; false: no memory */
void adreno_hlsq_destroy(struct adreno_gpu *gpu);

/* As after a reset of the GPU: no state is loaded. */
void adreno_hlsq_reset(struct adreno_gpu *gpu);

/* Programs may have changed in memory: what was decoded of them is compared before it is used again. */
void adreno_hlsq_invalidate_code(struct adreno_gpu *gpu);
/* An address space goes away, and what was decoded from it. No job of it runs. */
void adreno_hlsq_forget_space(struct adreno_gpu *gpu, const struct gpu_space *space);

/* CP_LOAD_STATE6 and its _GEOM and _FRAG (`opcode`), which have one layout. `data` are the words that follow the
 * packet, `data_dw` of them: all that STATE_SRC DIRECT needs, and nothing otherwise. */
bool adreno_hlsq_load_state(struct adreno_gpu *gpu, unsigned opcode, const struct adreno_pkt_CP_LOAD_STATE6 *load,
                            const uint32_t *data, uint32_t data_dw);

/* CP_EXEC_CS and CP_EXEC_CS_INDIRECT. Of an indirect one SP_CS_NDRANGE_1, _3 and _5 have the global sizes, and
 * SP_CS_KERNEL_GROUP_* the groups, as the command processor has read them. */
struct adreno_dispatch {
    uint32_t groups[3];
};
bool adreno_hlsq_dispatch(struct adreno_gpu *gpu, const struct adreno_dispatch *dispatch);

/* ---- PC, VFD, VPC, GRAS, VSC: draws ---- */

bool adreno_pc_create(struct adreno_gpu *gpu); /* sets gpu->pc; false: no memory */
void adreno_pc_destroy(struct adreno_gpu *gpu);
void adreno_pc_reset(struct adreno_gpu *gpu);

/* Which of the passes over a frame's draws this is. */
enum adreno_pass {
    ADRENO_PASS_SYSMEM,
    ADRENO_PASS_BINNING,
    ADRENO_PASS_GMEM,
};

/* The visibility streams of a bin: CP_SET_BIN_DATA5. */
struct adreno_bin {
    uint64_t serial;    /* grows with each packet: streams are read from their beginning again */
    uint64_t draw_va;   /* the pipe's stream of draws */
    uint64_t size_va;   /* where the size of that stream is */
    uint64_t prim_va;   /* the pipe's stream of primitives */
    uint32_t pipe_bin;  /* VSC_N: the bin's number in the pipe */
    uint32_t pipe_size; /* VSC_SIZE: bins in the pipe */
    uint32_t mask;      /* VSC_MASK */
};

/* One draw, whatever packet it came from. Offsets of vertices and instances are in VFD_INDEX_OFFSET and
 * VFD_INSTANCE_START_OFFSET, also of an indirect draw. */
struct adreno_draw {
    uint32_t topology;   /* enum adreno_PRIM_TYPE */
    uint32_t source;     /* enum adreno_SRC_SEL: DMA, AUTO_INDEX, AUTO_XFB */
    uint32_t patch_type; /* enum adreno_PATCH_TYPE, with tessellation */
    bool has_gs, has_tess;

    uint32_t instance_count;
    uint32_t count; /* of vertices or indices */

    /* source DMA */
    uint32_t index_size; /* enum adreno_INDEX_SIZE */
    uint32_t first_index;
    uint32_t max_indices; /* in the buffer: those beyond read as zero */
    uint64_t index_va;

    bool may_wait; /* until the next packet: adreno_draws_finish() comes before anything but draws that are alike */
    enum adreno_pass pass;
    bool has_visibility; /* VIS_CULL: of the draws that a binning pass records, and that later passes look up */
    const struct adreno_bin *bin; /* of such a draw in a later pass; NULL: everything counts as visible */
};
bool adreno_draw(struct adreno_gpu *gpu, const struct adreno_draw *draw);
/* Draws that wait are made: while gpu->has_series, before a register but VFD_INDEX_OFFSET gets another value, before
 * any packet that is neither CP_SET_DRAW_STATE nor CP_DRAW_INDX_OFFSET, and at the end of a job. After a stop they are
 * dropped. */
bool adreno_draws_finish(struct adreno_gpu *gpu);

/* The binning pass begins and ends (events VSC_BINNING_START and _END). */
bool adreno_vsc_begin(struct adreno_gpu *gpu);
bool adreno_vsc_end(struct adreno_gpu *gpu);

/* Low-resolution depth (events LRZ_CLEAR and LRZ_FLUSH_INVALIDATE): GRAS_LRZ_*. */
bool adreno_lrz_clear(struct adreno_gpu *gpu);
bool adreno_lrz_flush(struct adreno_gpu *gpu);

/* ---- RB: render backends and the 2D engine ---- */

/* Event BLIT (CCU_RESOLVE in newer names): RB_RESOLVE_* between GMEM and memory, or a clear of GMEM. */
bool adreno_rb_blit_event(struct adreno_gpu *gpu);
/* CP_BLIT with the operation SCALE: *_A2D_* and TPL1_A2D_*. */
bool adreno_rb_2d(struct adreno_gpu *gpu);
/* Rows that it has kept are written: before any packet that is no CP_BLIT, and at the end of a job. */
bool adreno_rb_2d_finish(struct adreno_gpu *gpu);

#endif
