/* The state that all blocks of an Adreno share: registers, GMEM, the job that runs, counters, and the one stop of a
 * job. Owned by the engine; the command processor writes registers between draws, dispatches and blits, and everything
 * else reads them. What is a block's own is behind its pointer here.
 *
 * Not for: what the command processor alone remembers (cp/cp.h), and the kernel's side of a job (engine.h). */
#ifndef ADRENO_MODEL_GPU_H
#define ADRENO_MODEL_GPU_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "adreno/hw/chip.h"
#include "model/memory.h"
#include "model/stop.h"

struct adreno_cp;
struct adreno_hlsq;
struct adreno_pc;
struct coherence_actor;
struct drm_engine_host;
struct drm_engine_job;
struct drm_ring;
struct vsc;
struct workers;

/* Registers are numbered by dwords, as type-4 packets do. */
#define ADRENO_REG_COUNT 0x10000

/* Counters of the whole pipeline, in the order of the registers RBBM_PIPESTAT_*, which CP_REG_TO_MEM reads. */
enum adreno_stat {
    ADRENO_STAT_IA_VERTICES,
    ADRENO_STAT_IA_PRIMITIVES,
    ADRENO_STAT_VS_INVOCATIONS,
    ADRENO_STAT_HS_INVOCATIONS,
    ADRENO_STAT_DS_INVOCATIONS,
    ADRENO_STAT_GS_INVOCATIONS,
    ADRENO_STAT_GS_PRIMITIVES,
    ADRENO_STAT_C_INVOCATIONS, /* primitives that came to the clipper */
    ADRENO_STAT_C_PRIMITIVES,  /* that left it */
    ADRENO_STAT_PS_INVOCATIONS,
    ADRENO_STAT_CS_INVOCATIONS,
    ADRENO_STAT_COUNT,
};

#define ADRENO_STREAMS 4
#define ADRENO_SO_MAPPING_DW (64 * ADRENO_STREAMS)

/* Written by the thread of the command processor: a block adds what its workers counted when its work ends. */
struct adreno_counters {
    uint64_t samples_passed; /* while RB_SAMPLE_COUNTER_CNTL does not disable it */
    uint64_t stats[ADRENO_STAT_COUNT];
    uint64_t so_written[ADRENO_STREAMS], so_generated[ADRENO_STREAMS]; /* primitives of stream out */
    uint32_t
        so_offset_B[ADRENO_STREAMS]; /* how far each buffer of stream out is filled; VPC_SO#_BUFFER_OFFSET sets it */

    /* Switched by the events START_ and STOP_PRIMITIVE_CTRS, _FRAGMENT_CTRS and _COMPUTE_CTRS: stats[] may grow only
     * while the switch of its kind is on. */
    bool counts_primitives, counts_fragments, counts_compute;
};

/* Why a job ends early. */
enum adreno_stop_kind {
    ADRENO_STOP_UNIMPLEMENTED = GPU_STOP_UNIMPLEMENTED,
    ADRENO_STOP_BROKEN = GPU_STOP_BROKEN,
    ADRENO_STOP_STRICT = GPU_STOP_STRICT,
    ADRENO_STOP_FAULT = GPU_STOP_FAULT,
    ADRENO_STOP_KILLED = GPU_STOP_KILLED,
};

/* Rows of the 2D engine that follow each other (rb/a2d_series.c); none: size_B is 0. */
struct adreno_a2d_series {
    bool is_fill;
    uint32_t word; /* of a fill */
    uint64_t to_va, from_va, size_B;
};

struct adreno_gpu {
    const struct adreno_chip *chip;
    const struct drm_engine_host *host;
    struct workers *workers; /* all cores */
    struct adreno_a2d_series a2d_series;

    uint32_t regs[ADRENO_REG_COUNT]; /* by number; they stay from job to job, and are zero after a reset */
    uint64_t reg_changes; /* grows when a register gets another value: unpacked state may be kept till then */
    uint64_t ubwc_changes; /* grows with each job, and when macrotiles may have been marked (ubwc/ubwc.h) */
    bool has_series;      /* draws may wait for those that follow them (pc/pc_series.c) */
    /* The words that VPC_SO_MAPPING_PORT has written: which outputs go to which buffer, 64 words to a stream. */
    uint32_t so_mapping[ADRENO_SO_MAPPING_DW];
    uint32_t so_mapping_at; /* of the next word */
    uint32_t subdraw_size;  /* CP_SET_SUBDRAW_SIZE: indices of patches that are under way together; 0: any number */

    uint8_t *gmem;         /* chip->gmem_size_B bytes; they stay from job to job, too */
    uint8_t *gmem_written; /* strict mode: which of them were written since their bin began; otherwise NULL */
    struct adreno_counters counters;

    /* of the running job */
    const struct drm_engine_job *job;
    const struct gpu_space *space;
    const _Atomic bool *killed;
    struct gpu_stop stop; /* its text is what the block says; the command processor puts the stream around it */

    struct drm_ring *ring; /* whose thread runs the command processor: its waits sleep there */

    _Atomic uint64_t progress;

    struct coherence_actor *coherence; /* NULL: nothing is looked at (coherence.h) */

    _Atomic uint64_t code_epoch; /* grows when programs in memory may have changed */

    struct adreno_cp *cp;
    struct adreno_hlsq *hlsq;
    struct adreno_pc *pc;
    struct vsc *vsc;
};

/* NULL: no memory. */
struct adreno_gpu *adreno_gpu_create(const struct adreno_chip *chip, const struct drm_engine_host *host,
                                     struct workers *workers);
void adreno_gpu_destroy(struct adreno_gpu *gpu);

/* As the kernel resets it after a job that was lost: registers, counters and loaded state are gone. */
void adreno_gpu_reset(struct adreno_gpu *gpu);

/* End the job: every block returns false from there on, and so does this, from any thread. The first stop counts. */
bool adreno_stop(struct adreno_gpu *gpu, enum adreno_stop_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A stop for an address whose client says itself how it came there: the mappings near it follow. */
bool adreno_stop_fault(struct adreno_gpu *gpu, uint64_t va, bool is_write, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A stop for an address; `client` is the part that accessed it ("vertex fetch"). */
bool adreno_fault(struct adreno_gpu *gpu, const char *client, uint64_t va, uint64_t size_B, bool is_write);

/* A stop for a register whose value the model has no meaning for: its name and decoded fields, then `why`. */
bool adreno_stop_register(struct adreno_gpu *gpu, uint32_t reg, const char *why);

/* Has any thread stopped the job? Workers look at it between pieces of work. */
static inline bool adreno_is_stopped(const struct adreno_gpu *gpu)
{
    return gpu_stop_is_set(&gpu->stop);
}

/* Was the job killed from outside? Whoever sees it ends soon with ADRENO_STOP_KILLED. */
static inline bool adreno_is_killed(const struct adreno_gpu *gpu)
{
    return gpu->killed && atomic_load_explicit(gpu->killed, memory_order_relaxed);
}

/* A packet, a workgroup, a tile is done; from any thread. */
static inline void adreno_progress(struct adreno_gpu *gpu)
{
    atomic_fetch_add_explicit(&gpu->progress, 1, memory_order_relaxed);
}

static inline uint64_t adreno_reg64(const struct adreno_gpu *gpu, uint32_t reg)
{
    return gpu->regs[reg] | (uint64_t)gpu->regs[reg + 1] << 32;
}

/* GMEM lies in the address space, below everything that user space maps: clients that take addresses (the texture unit,
 * the 2D engine) reach it there. NULL: not all of it is inside. */
static inline uint8_t *adreno_gmem_at(const struct adreno_gpu *gpu, uint64_t va, uint64_t size_B)
{
    uint64_t offset_B = va - gpu->chip->gmem_base;
    if (offset_B >= gpu->chip->gmem_size_B || size_B > gpu->chip->gmem_size_B - offset_B)
        return NULL;
    return gpu->gmem + offset_B;
}

/* gpu_space_pointer for clients that reach GMEM, too. */
static inline void *adreno_pointer(const struct adreno_gpu *gpu, uint64_t va, uint32_t size_B, unsigned need)
{
    void *host = gpu_space_pointer(gpu->space, va, size_B, need);
    return __builtin_expect(host != NULL, 1) ? host : adreno_gmem_at(gpu, va, size_B);
}

#endif
