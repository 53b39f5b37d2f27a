/* A wave of the model's shader processor (SP): its state, what a launch gives it, and what the fixed-function blocks
 * that launch waves do with its registers.
 *
 * Registers are rows of lanes: row n is component n of the register file (r0.x, r0.y ... r63.w). The register file is
 * merged, as on the hardware: hr0.x and hr0.y are the lower and the upper half of r0.x. r48 to r55 are shared by all
 * fibers: every lane of their rows has the same value. a0 and p0 have rows, too; a predicate is 0 or 1.
 *
 * Active lanes. Each fiber has a program counter; a wave runs the fibers that are furthest behind. A branch that
 * divides the fibers parks those that go to the higher address; they go on when the others get to a (jp) there or
 * beyond. So a wave is a set of active lanes, and a list of parked ones by address.
 *
 * How a block launches waves: fill a struct adreno_launch once (adreno_hlsq_program() does what the registers say of a
 * stage), then on each worker, for each wave: adreno_sp_begin(), write the input registers, adreno_sp_run(), read the
 * outputs. docs/adreno-model.md explains the executor.
 *
 * Not for: what an instruction means (src/adreno/isa), decoding (code.h). */
#ifndef ADRENO_MODEL_SP_WAVE_H
#define ADRENO_MODEL_SP_WAVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "isa/lane_types.h"
#include "model/exec/view.h"
#include "model/lanes.h"
#include "model/memory.h"

struct adreno_gpu;
struct adreno_wave;
struct adreno_sp;
struct sp_uop;
struct sp_code;
struct sp_strict;

#define ADRENO_WAVE_LANES_MAX 128
#define ADRENO_WAVE_ROWS 256 /* all that an instruction can name */
#define ADRENO_WAVE_SPARE_ROWS                                                                                         \
    32 /* after them: registers that follow the last one are none, and nothing looks at them */
#define ADRENO_WAVE_CONSTANTS_DW 2048 /* c0.x to c511.w */
#define ADRENO_NO_REG 0xfc            /* a register number of the hardware's that means none: r63.x */

enum adreno_stage {
    ADRENO_STAGE_VS,
    ADRENO_STAGE_HS,
    ADRENO_STAGE_DS,
    ADRENO_STAGE_GS,
    ADRENO_STAGE_FS,
    ADRENO_STAGE_CS,
    ADRENO_STAGE_COUNT,
};

enum adreno_wave_state {
    ADRENO_WAVE_RUNNING,
    ADRENO_WAVE_BARRIER, /* waits for the other waves of its workgroup */
    ADRENO_WAVE_YIELDED, /* used up its turn */
    ADRENO_WAVE_ENDED,
    ADRENO_WAVE_FAULTED, /* wave->fault says why */
};

enum adreno_wave_fault_kind {
    ADRENO_FAULT_NONE,
    ADRENO_FAULT_MEMORY,      /* an address that is not mapped, or not so */
    ADRENO_FAULT_INSTRUCTION, /* a word that is no instruction, or one that the model does not implement */
    ADRENO_FAULT_STRICT,      /* strict mode: the program relies on what the hardware does not promise */
    ADRENO_FAULT_KILLED,      /* the context was lost while it ran */
};

struct adreno_wave_fault {
    enum adreno_wave_fault_kind kind;
    bool is_write;
    uint64_t va;   /* of a memory fault */
    uint64_t pc;   /* of the instruction */
    char why[160]; /* what happened; the report adds the instruction's text */
};

/* Requests of a wave to the block that launched it. One that is NULL stops a program that needs it. Rows have
 * wave->lanes lanes; only those of `lanes` are wanted. */
struct adreno_wave_hooks {
    /* bary.f: component `location` of the varyings, at the barycentric coordinates i and j. */
    void (*interpolate)(struct adreno_wave *wave, uint32_t location, const float *i, const float *j, uint32_t *row_out,
                        struct lane_mask lanes);

    /* flat.b and ldlv: the same as the provoking vertex has it. */
    void (*flat)(struct adreno_wave *wave, uint32_t location, uint32_t *row_out, struct lane_mask lanes);
};

struct adreno_output {
    uint8_t component;
    bool is_half;
    bool is_optional; /* the program need not write it: nothing may come of it */
};

/* A stage's program and its resources, as registers and state loads give them. */
struct adreno_launch {
    enum adreno_stage stage;
    uint32_t lanes; /* 64 or 128 */
    uint64_t program_va;
    uint32_t program_size_B; /* 0: not known */
    uint32_t constants_dw;   /* how many of `constants` a program may read */
    uint32_t private_size_B; /* of a fiber */
    uint32_t local_size_B;   /* of a workgroup, or of a wave and the stage that it goes on with */
    bool has_next;           /* the program ends with chsh: another stage goes on with its fibers */
    const uint32_t *constants;

    /* Registers that are read when the program has ended; strict mode looks at them. */
    const struct adreno_output *outputs;
    uint32_t output_count;

    const struct adreno_wave_hooks *hooks; /* may be NULL */
    void *owner;                           /* the hooks' own */
    struct adreno_gpu *gpu;
    const struct adreno_stage_state *state; /* descriptors (stage_state.h) */
    uint64_t serial;                        /* not 0; another launch has another one */
};

/* Fibers that wait at a program counter. */
struct adreno_parked {
    uint32_t pc; /* in instructions from the program's beginning */
    struct lane_mask lanes;
};

#define ADRENO_WAVE_TEMPS 16
#define ADRENO_WAVE_CALLS 16
#define ADRENO_WAVE_SCALARS 64
#define ADRENO_WAVE_UNIFORMS 16
#define ADRENO_WAVE_VALUES 96
#define ADRENO_WAVE_VIEWS 16

struct adreno_wave {
    const char *base[2]; /* of operands: the wave itself, the constants of the code cache */
    const struct sp_uop *next;
    enum adreno_wave_state state;
    uint32_t lanes;
    bool is_full;              /* every lane is active: the kernels' fast path */
    struct lane_mask active;   /* changed by adreno_wave_run_lanes() alone */
    struct lane_mask launched; /* lanes that began; the launching block may take some away before it runs */
    struct lane_mask covered;  /* lanes that write memory: not helpers of a fragment wave, and not killed */
    struct lane_mask killed;   /* by kill, in a fragment wave */
    bool has_chained;          /* by chsh */
    uint32_t parked_count;
    uint8_t call_depth[ADRENO_WAVE_LANES_MAX]; /* of each fiber */
    uint32_t turn;                             /* backward branches left until other waves get their turn */
    struct lane_mode lane_mode;
    uint64_t env;                  /* the host's float environment for it */
    const _Atomic bool *stop_flag; /* the job was killed; looked at on backward branches */

    const struct adreno_launch *launch;
    const struct gpu_space *memory;
    struct adreno_sp *sp;
    struct sp_code *code;
    uint32_t *constants;       /* c0.x ..., of this worker: a preamble writes them */
    uint64_t *preamble_serial; /* of the last launch whose preamble has run on this worker */
    uint8_t *local;            /* of the workgroup */
    uint8_t *private;          /* of all fibers, one after the other */
    uint32_t wave_in_group;
    struct lane_mask exec;           /* lanes that run here; with predication fewer of them are active */
    uint32_t predication;            /* 1: after predt, 2: after predf */
    struct lane_mask predicate_mask; /* lanes whose p0.x was set then */
    void *user;                      /* the launching block's, of this wave */
    struct adreno_wave_fault fault;

    struct adreno_parked parked[ADRENO_WAVE_LANES_MAX];       /* the lowest address last */
    struct sp_strict *strict;                                 /* strict mode's own; NULL when it is off */
    uint32_t calls[ADRENO_WAVE_CALLS][ADRENO_WAVE_LANES_MAX]; /* where each fiber goes on */
    /* All ones for an active lane; valid unless is_full. Host code loads whole vectors of it. */
    uint32_t active_lanes[ADRENO_WAVE_LANES_MAX] __attribute__((aligned(64)));
    /* Inputs of the run of host code at hand (jit_inputs.c): constants, memory, and lanes that left their memory. */
    uint32_t scalars[ADRENO_WAVE_SCALARS];
    uint32_t values[ADRENO_WAVE_VALUES];     /* numbers of a primitive that joined programs look at */
    uint32_t uniforms[ADRENO_WAVE_UNIFORMS]; /* what registers with one value in all lanes had before a loop */
    struct exec_view views[ADRENO_WAVE_VIEWS];
    uint32_t lost_lanes[ADRENO_WAVE_LANES_MAX] __attribute__((aligned(64)));
    uint32_t temp[ADRENO_WAVE_TEMPS * ADRENO_WAVE_LANES_MAX] __attribute__((aligned(64)));
    uint32_t rows[]; /* ADRENO_WAVE_ROWS rows of `lanes` dwords, and the spare ones */
};

/* In strict mode: the launching block has written an input register. */
void adreno_sp_strict_input(struct adreno_wave *wave, unsigned component, bool is_half);

static inline void adreno_wave_has_input(struct adreno_wave *wave, unsigned component, bool is_half)
{
    if (__builtin_expect(wave->strict != NULL, 0))
        adreno_sp_strict_input(wave, component, is_half);
}

/* The lanes of a component of a full register (number * 4 + component). */
static inline uint32_t *adreno_wave_row(struct adreno_wave *wave, unsigned component)
{
    return wave->rows + (size_t)component * wave->lanes;
}

/* The row that a half register's component lies in, and the bit where it begins there. Shared registers begin anew at
 * hr48. */
static inline unsigned adreno_half_row(unsigned component)
{
    return component < 48 * 4 ? component / 2 : 48 * 4 + (component - 48 * 4) / 2;
}

static inline unsigned adreno_half_shift(unsigned component)
{
    return component % 2 * 16;
}

/* Write an input register of all lanes; a half register takes the lower 16 bits. */
static inline void adreno_wave_write(struct adreno_wave *wave, unsigned component, bool is_half, const uint32_t *lanes)
{
    adreno_wave_has_input(wave, component, is_half);
    if (!is_half) {
        memcpy(adreno_wave_row(wave, component), lanes, wave->lanes * 4);
        return;
    }
    uint32_t *row = adreno_wave_row(wave, adreno_half_row(component));
    const unsigned shift = adreno_half_shift(component);
    for (unsigned i = 0; i < wave->lanes; i++)
        row[i] = (row[i] & ~(0xffffu << shift)) | (lanes[i] & 0xffff) << shift;
}

/* Read an output register of all lanes; a half register's 16 bits come without its neighbour. */
static inline void adreno_wave_read(struct adreno_wave *wave, unsigned component, bool is_half, uint32_t *lanes_out)
{
    if (!is_half) {
        memcpy(lanes_out, adreno_wave_row(wave, component), wave->lanes * 4);
        return;
    }
    const uint32_t *row = adreno_wave_row(wave, adreno_half_row(component));
    const unsigned shift = adreno_half_shift(component);
    for (unsigned i = 0; i < wave->lanes; i++)
        lanes_out[i] = row[i] >> shift & 0xffff;
}

static inline struct lane_mask adreno_wave_all(const struct adreno_wave *wave)
{
    return lane_mask_first(wave->lanes);
}

/* These lanes run from here on. */
static inline void adreno_wave_run_lanes(struct adreno_wave *wave, struct lane_mask lanes)
{
    wave->exec = lanes;
    if (__builtin_expect(wave->predication != 0, 0))
        lanes = wave->predication == 1 ? lane_mask_and(lanes, wave->predicate_mask)
                                       : lane_mask_and_not(lanes, wave->predicate_mask);
    wave->active = lanes;
    wave->is_full = lane_mask_equal(lanes, adreno_wave_all(wave));
    if (!wave->is_full)
        lane_mask_to_lanes(wave->active_lanes, lanes, wave->lanes);
}

/* One worker's part of the shader processor: decoded programs, memory of waves. */
struct adreno_sp *adreno_sp_create(const struct gpu_space *memory, const _Atomic bool *stop_flag);
/* Counts there from now on what it makes of programs. */
void adreno_sp_count_progress(struct adreno_sp *sp, _Atomic uint64_t *progress);
void adreno_sp_destroy(struct adreno_sp *sp);

/* Before a launch runs on this worker: programs that changed in memory are decoded anew. */
bool adreno_sp_enter(struct adreno_sp *sp, const struct adreno_launch *launch);

/* A wave at the program's beginning, all lanes launched and covered. Its registers are as this worker's last wave left
 * them: undefined, unless it is the stage that goes on with that wave's fibers. It is this worker's only one
 * of stages other than compute, and stays as it is until the next call. NULL: out of memory, or the launch has no
 * program. */
struct adreno_wave *adreno_sp_begin(struct adreno_sp *sp, const struct adreno_launch *launch);

/* In strict mode: a register that was filled before the program began and that it waits for by (sy), as prefetched
 * texels are. */
void adreno_sp_strict_late(struct adreno_wave *wave, unsigned component, bool is_half);

/* Run a wave to its end. False: adreno_sp_report() says why. */
bool adreno_sp_run(struct adreno_wave *wave);

/* Stop the job with the wave's fault: registers, the instruction's text, the program around it. */
void adreno_sp_report(struct adreno_gpu *gpu, const struct adreno_wave *wave);

#endif
