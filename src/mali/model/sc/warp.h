/* Warps of the model's shader core: their state, what a launch gives them, and what the blocks that launch them do with
 * their registers.
 *
 * A warp of the hardware has 16 lanes. The model runs up to four of them side by side, in rows of 64 lanes: struct
 * mali_warp is such a row of warps, lane 16 w + n is lane n of warp w. They run the same program; each lane has its own
 * way through it, so that nothing tells a program that its neighbours are there. Registers are rows: row n is r<n>.
 *
 * Active lanes. Each lane has a program counter; the lanes that are furthest behind run. A branch that divides them
 * parks those that go to the higher address, until the others get there.
 *
 * Uniforms (FAU) are rows, too: the same value in each lane, or, of the pointers to local storage, a value of its own.
 *
 * How a block launches warps: fill a struct mali_launch once (mali_launch_init() does what the descriptors say), then
 * on each worker mali_sc_core() and mali_sc_enter(), and for each 64 lanes mali_sc_begin(), write the preloaded
 * registers (mali_warp_row), take away lanes that do not exist (launched) or are there as helpers of their quads alone
 * (covered), mali_sc_run(). docs/mali-shader-core.md explains the executor.
 *
 * Preloaded registers, by stage:
 *   vertex    r59 the number that LEA_BUF_IMM of table 61 takes, r60 vertex, r61 instance, r62 draw
 *   fragment  r57 primitive, r58 0: front, r59 x and y of 16 bits each, r60 coverage, r61 coverage (16 bits), sample
 *             (8 bits), centroid (8 bits), r62 and r63 the framebuffer's FRAME_ARGUMENT
 *   compute   r55 local x, y; r56 local z; r57 to r59 workgroup; r60 to r62 global
 *   blend     r0 to r3 colour, r4 to r7 second colour, r48 return address; the rest as the fragment shader has it
 *
 * Not for: what an instruction means (src/mali/isa), decoding (code.h). */
#ifndef MALI_MODEL_SC_WARP_H
#define MALI_MODEL_SC_WARP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "isa/lane_types.h"
#include "model/exec/view.h"
#include "model/exec/window.h"
#include "model/lanes.h"
#include "model/memory.h"

struct mali_core;
struct mali_gpu;
struct mali_queue;
struct mali_warp;
struct sc_uop;
struct sc_code;
struct sc_strict;

#define MALI_WARP_LANES 16 /* of the hardware's warp: what lane ids, subgroups and derivatives know */
#define MALI_ROW_LANES 64  /* of a struct mali_warp */
#define MALI_WARP_REGISTERS 64
#define MALI_FAU_WORDS 256 /* u0 ..., four pages of 64 */

enum mali_stage {
    MALI_STAGE_VERTEX, /* position and varying shaders */
    MALI_STAGE_FRAGMENT,
    MALI_STAGE_COMPUTE,
};

enum mali_warp_state {
    MALI_WARP_RUNNING,
    MALI_WARP_BARRIER, /* waits for the other warps of its workgroup */
    MALI_WARP_YIELDED, /* used up its turn */
    MALI_WARP_ENDED,
    MALI_WARP_FAULTED, /* warp->fault says why */
};

enum mali_warp_fault_kind {
    MALI_FAULT_NONE,
    MALI_FAULT_MEMORY,      /* an address that is not mapped, or not so */
    MALI_FAULT_INSTRUCTION, /* a word that is no instruction, or one that the model does not implement */
    MALI_FAULT_STRICT,      /* strict mode: the program relies on what the hardware does not promise */
    MALI_FAULT_KILLED,      /* the group was lost while it ran */
};

struct mali_warp_fault {
    enum mali_warp_fault_kind kind;
    bool is_write;
    uint64_t va;   /* of a memory fault */
    uint64_t pc;   /* of the instruction */
    char why[320]; /* what happened; the report adds the instruction's text */
};

/* ---- what a warp asks of the block that launched it ---- */

/* The field "register format" of an instruction. */
enum mali_regfmt {
    MALI_REGFMT_AUTO = 0,
    MALI_REGFMT_F32 = 2,
    MALI_REGFMT_F16 = 3, /* two to a register, as all formats of 16 bits */
    MALI_REGFMT_S32 = 4,
    MALI_REGFMT_S16 = 5,
    MALI_REGFMT_U32 = 6,
    MALI_REGFMT_U16 = 7,
};

/* Two components in a register. */
static inline bool mali_regfmt_is_half(enum mali_regfmt format)
{
    return format == MALI_REGFMT_F16 || format == MALI_REGFMT_S16 || format == MALI_REGFMT_U16;
}

/* How many registers so many components take. */
static inline unsigned mali_regfmt_registers(enum mali_regfmt format, unsigned components)
{
    return mali_regfmt_is_half(format) ? (components + 1) / 2 : components;
}

enum mali_sample_mode {
    MALI_SAMPLE_CENTER,
    MALI_SAMPLE_CENTROID,
    MALI_SAMPLE_SAMPLE,
    MALI_SAMPLE_EXPLICIT
};
enum mali_source_format {
    MALI_SOURCE_FLAT32,
    MALI_SOURCE_FLAT16,
    MALI_SOURCE_F32,
    MALI_SOURCE_F16
};

/* LD_VAR_BUF and its kin read the packet of varyings that the vertex shader stored (LEA_BUF_IMM of table 61); LD_VAR
 * reads an attribute descriptor; LD_VAR_SPECIAL what the rasteriser knows. */
enum mali_varying_kind {
    MALI_VARYING_BUFFER,  /* `offset_B` in the packet, of `source` */
    MALI_VARYING_TABLE,   /* an attribute descriptor of resource table `table`, entry `offset_B` */
    MALI_VARYING_FLAT,    /* the same, of the provoking vertex */
    MALI_VARYING_SPECIAL, /* offset_B is enum mali_varying_special */
};
enum mali_varying_special {
    MALI_SPECIAL_POINT_X,
    MALI_SPECIAL_POINT_Y,
    MALI_SPECIAL_FRAGW,
    MALI_SPECIAL_FRAGZ,
};

struct mali_varying_load {
    enum mali_varying_kind kind;
    enum mali_source_format source;
    enum mali_sample_mode sample;
    enum mali_regfmt regfmt; /* of the result: f32, f16 and u32 */
    unsigned components;     /* 1 to 4 */
    uint32_t table;
    uint32_t offset_B;       /* the same in all lanes of the call */
    const uint32_t *source0; /* a row: r61, or an explicit position, or a sample's number in the upper half */
    uint32_t *rows_out;      /* staging registers, one row after the other */
};

struct mali_blend {
    uint32_t descriptor[2]; /* the two upper words of the blend descriptor: FAU or the program's own */
    enum mali_regfmt regfmt;
    unsigned components;
    const uint32_t *coverage; /* a row */
    const uint32_t *colour;   /* staging registers, one row after the other */
};

enum mali_blend_result {
    MALI_BLEND_DONE,   /* fixed function: written to the tile buffer */
    MALI_BLEND_SHADER, /* the program goes on and calls the blend shader */
    MALI_BLEND_FAULT,  /* the block has stopped the job */
};

struct mali_tile_access {
    enum mali_regfmt regfmt;
    unsigned components;
    /* Rows. */
    const uint32_t *pixel;    /* sample, render target (255: depth, 254: stencil), x, y (255: own pixel), 8 bits each */
    const uint32_t *coverage; /* which samples */
    const uint32_t *conversion; /* internal conversion descriptor */
    uint32_t *rows;             /* staging registers: read by ST_TILE, written by LD_TILE */
};

/* One that is NULL stops a program that needs it. Rows have MALI_ROW_LANES lanes; only those of `lanes` are wanted and
 * may be written. False: the block has stopped the job. */
struct mali_warp_hooks {
    /* LEA_BUF_IMM of the hardware's own tables (61): addresses of outputs for the numbers in `linear`. */
    bool (*output_address)(struct mali_warp *warp, uint32_t table, uint32_t index, const uint32_t *linear,
                           uint32_t *low_out, uint32_t *high_out, uint64_t lanes);

    bool (*load_varying)(struct mali_warp *warp, const struct mali_varying_load *load, uint64_t lanes);

    /* Coverage after alpha to coverage and late depth and stencil tests. `alpha`: floats. Lanes that were discarded
     * come with no coverage. The result may be one of the rows that are read: a lane's is written when nothing more is
     * read of it. */
    bool (*alpha_test)(struct mali_warp *warp, const uint32_t *coverage, const uint32_t *alpha, uint32_t datum,
                       uint32_t *coverage_out, uint64_t lanes);

    /* depth (floats) or stencil is NULL where the instruction does not write it. */
    bool (*depth_stencil)(struct mali_warp *warp, const uint32_t *depth, const uint32_t *stencil,
                          const uint32_t *coverage, uint32_t *coverage_out, uint64_t lanes);

    /* Blending with one answer for all lanes. */
    enum mali_blend_result (*blend)(struct mali_warp *warp, const struct mali_blend *blend, uint64_t lanes);

    bool (*load_tile)(struct mali_warp *warp, const struct mali_tile_access *access, uint64_t lanes);
    bool (*store_tile)(struct mali_warp *warp, const struct mali_tile_access *access, uint64_t lanes);
};

/* ---- launches ---- */

/* Where a stage's descriptors are: the values of the command stream's registers. */
struct mali_environment {
    uint64_t resources_va; /* SRT: the table of resource tables, their number in the lower 6 bits */
    uint64_t fau_va;       /* FAU: 64-bit entries, their number in the upper 8 bits */
    const uint32_t *fau;   /* a copy of them; NULL: what is in memory now */
    uint64_t program_va;   /* SPD: the shader program descriptor */
    uint64_t storage_va;   /* TSD: the local storage descriptor */
};

struct mali_launch {
    enum mali_stage stage;
    uint64_t code_va;
    uint32_t code_high;    /* upper half of addresses of code: BRANCHZI of the blend shader has the lower one */
    uint64_t resources_va; /* of resource tables */
    uint32_t resource_count;
    uint32_t fau_count;              /* words */
    uint32_t fau[MALI_FAU_WORDS];    /* u0 ... */
    uint16_t preload;                /* bit n: r(48 + n) is wanted */
    bool has_ftz;                    /* denormals are flushed */
    uint64_t tls_va, wls_va;         /* of all threads, of all workgroups */
    uint32_t tls_size_B, wls_size_B; /* of one */
    uint32_t wls_instances;

    /* Special FAU of a fragment shader, from the draw. */
    uint64_t blend[8]; /* the upper words of the blend descriptors */
    uint64_t atest_datum, framebuffer_size, sample_positions_va;

    const struct mali_warp_hooks *hooks; /* may be NULL */
    struct mali_queue *queue;
    const struct gpu_space *space;
    uint32_t attribute_offset; /* register 32: what attributes add to the vertex */
    uint64_t epoch;  /* of the RUN instruction: its own serial, unless the block gives all launches of one the same */
    uint64_t serial; /* mali_launch_init gives it; 0 before a launch whose contents changed: mali_launch_changed() */
};

/* Read the descriptors. Blend descriptors and the other special values are left zero. False: the job was stopped. */
bool mali_launch_init(struct mali_launch *launch_out, struct mali_queue *queue, enum mali_stage stage,
                      const struct mali_environment *environment);

/* A number that no other launch has as its serial. */
uint64_t mali_launch_number(void);
/* Uniforms or special values were changed after mali_launch_init(), or since the last run. */
void mali_launch_changed(struct mali_launch *launch);

/* ---- warps ---- */

/* Lanes that wait at a program counter. */
struct mali_parked {
    uint64_t pc; /* an address */
    uint64_t lanes;
};

/* Local storage of the lanes. */
struct mali_storage {
    uint64_t tls_va, wls_va;
    uint64_t first_thread;
    uint32_t tls_size_B, wls_size_B;
};

#define MALI_WARP_TEMPS 24
#define MALI_WARP_SCALARS 64
#define MALI_WARP_POWERS 4
#define MALI_WARP_WORDS 64
#define MALI_WARP_UNIFORMS 16
#define MALI_WARP_VALUES 192
#define MALI_WARP_VIEWS 16
#define MALI_WARP_WINDOWS 32

struct mali_warp {
    const char *base[4]; /* of operands: the warp itself, the constants of the code cache, the uniforms */
    const struct sc_uop *next;
    enum mali_warp_state state;
    bool is_full;       /* every lane is active: the kernels' fast path */
    uint64_t active;    /* changed by mali_warp_run_lanes() alone */
    uint64_t launched;  /* lanes that began; the launching block may take some away before it runs */
    uint64_t covered;   /* lanes that write memory: not helpers of a fragment warp, and not discarded */
    uint64_t discarded; /* by DISCARD */
    uint32_t parked_count;
    uint32_t turn; /* backward branches left until other warps get their turn */
    struct lane_mode lane_mode;
    uint64_t env;                  /* the host's float environment for it */
    const void *turns;             /* sines and cosines in turn, for host code */
    const _Atomic bool *stop_flag; /* the job was killed; looked at on backward branches */

    const struct mali_launch *launch;
    const struct gpu_space *memory;
    struct mali_core *core;
    struct sc_code *code;
    uint32_t row_in_group; /* the number of this row of warps in its workgroup */
    void *user;            /* the launching block's, of this warp */
    struct mali_warp_fault fault;
    struct sc_strict *strict; /* strict mode's own; NULL when it is off */
    bool has_storage;         /* the special values below are those of: */
    struct mali_storage storage;

    struct mali_parked parked[MALI_ROW_LANES]; /* the lowest address last */
    /* All ones for an active lane; valid unless is_full. Host code loads whole vectors of it. */
    uint32_t active_lanes[MALI_ROW_LANES] __attribute__((aligned(64)));
    uint32_t scalars[MALI_WARP_SCALARS];     /* uniforms that host code of the run at hand looks at */
    uint32_t powers[MALI_WARP_POWERS];       /* of two, by uniforms (jit_math.c) */
    uint32_t words[MALI_WARP_WORDS];         /* of buffers, that joined programs look at (jit_inputs.c) */
    uint32_t values[MALI_WARP_VALUES];       /* numbers of a primitive that joined programs look at */
    uint32_t uniforms[MALI_WARP_UNIFORMS];   /* what registers with one value in all lanes had before a loop */
    struct exec_view views[MALI_WARP_VIEWS]; /* what host code loads from (jit_inputs.c) */
    struct exec_window windows[MALI_WARP_WINDOWS];
    /* Special values that lanes have of their own, low words and high words: pointers to local storage, and the warp's
     * number with that of a core's warps, less one, above it. */
    uint32_t tls[2 * MALI_ROW_LANES] __attribute__((aligned(64)));
    uint32_t wls[2 * MALI_ROW_LANES];
    uint32_t warp_id[2 * MALI_ROW_LANES];
    uint32_t temp[MALI_WARP_TEMPS * MALI_ROW_LANES] __attribute__((aligned(64)));
    uint32_t rows[(MALI_WARP_REGISTERS + 8) * MALI_ROW_LANES] __attribute__((aligned(64)));
};

/* The lanes of a register. */
static inline uint32_t *mali_warp_row(struct mali_warp *warp, unsigned reg)
{
    return warp->rows + (size_t)reg * MALI_ROW_LANES;
}

/* These lanes run from here on. */
static inline void mali_warp_run_lanes(struct mali_warp *warp, uint64_t lanes)
{
    warp->active = lanes;
    warp->is_full = lanes == UINT64_MAX;
    if (!warp->is_full)
        lanes_from_mask(warp->active_lanes, lanes, MALI_ROW_LANES);
}

/* A worker's part of the shader core for an address space: decoded programs, memory of warps. The worker alone uses it.
 * NULL: the host has no memory. */
struct mali_core *mali_sc_core(struct mali_queue *queue, unsigned worker);

/* A number as a worker's for the thread that calls, which has work too small to wake the workers for: it calls
 * mali_sc_core() with it, until it gives the number back. False: there is none. */
bool mali_sc_borrow(struct mali_gpu *gpu, unsigned *worker_out);
void mali_sc_give_back(struct mali_gpu *gpu, unsigned worker);

/* Before a launch runs in this turn of the worker: programs that changed in memory are decoded anew, uniforms become
 * rows. False: no memory. */
bool mali_sc_enter(struct mali_core *core, const struct mali_launch *launch);

/* Warps at the program's beginning, all 64 lanes launched and covered, registers undefined. They are this worker's only
 * ones of stages other than compute, and stay as they are until the next call. NULL: no memory, or no program. */
struct mali_warp *mali_sc_begin(struct mali_core *core, const struct mali_launch *launch);

/* Run to the end. False: the job is stopped, with a report. */
bool mali_sc_run(struct mali_warp *warp);

#endif
