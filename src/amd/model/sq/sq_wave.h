/* A wave of the model's shader core: its state, and the micro-operations that its program is translated into.
 *
 * A program is decoded once (sq_code.h). Each instruction becomes a few micro-operations: the kernel of its opcode,
 * generated from the instruction table, which sees plain lanes only; before it, what brings its operands into that form
 * (a scalar spread over the lanes, a modifier, a DPP or SDWA selection); after it, what its result still needs (output
 * modifiers, the collection of a lane mask). So every kernel exists once, and a modifier costs only the instructions
 * that use it.
 *
 * Not for: the launch and the order of waves (spi_*.c, sq_workgroup.c), or what an instruction means (src/amd/isa). */
#ifndef AMD_MODEL_SQ_WAVE_H
#define AMD_MODEL_SQ_WAVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "amd/isa/isa.h"
#include "isa/lane.h"
#include "model/exec/view.h"
#include "model/lanes.h"
#include "model/memory.h"

struct coherence_actor;
struct sq_wave;
struct sq_uop;
struct sq_move;
struct sq_code;
struct ta_state;
struct sq_strict;
struct sq_gds;
struct sq_perf;

typedef void (*sq_run_fn)(struct sq_wave *wave, const struct sq_uop *uop);

/* Where an operand lies: a byte offset from a base, whose number is in the lowest bit (operands are dwords). Base 0 is
 * the wave itself, base 1 the constants of the code cache. */
typedef uint32_t sq_place;
#define SQ_BASE_WAVE 0u
#define SQ_BASE_CONSTANTS 1u

struct sq_uop {
    sq_run_fn run;
    sq_place d;
    sq_place sd;
    sq_place s[3];
    uint32_t imm;
    const struct isa_inst *inst; /* the instruction that this belongs to, for helpers and reports */
    uint64_t next_va;            /* the address after that instruction */
    uint64_t target_va;          /* control flow: where to go */
    const struct sq_uop *target; /* the same, once it has been decoded */
};

enum sq_state {
    SQ_RUNNING,
    SQ_BARRIER, /* waits for the other waves of its workgroup */
    SQ_YIELDED, /* used up its turn */
    SQ_ENDED,
    SQ_FAULTED, /* wave->fault says why */
};

enum sq_fault_kind {
    SQ_FAULT_NONE,
    SQ_FAULT_MEMORY,      /* an address that is not mapped, or not so */
    SQ_FAULT_INSTRUCTION, /* words that are no instruction, or one that the model does not implement */
    SQ_FAULT_STRICT,      /* strict mode: the program relies on what the hardware does not promise */
    SQ_FAULT_KILLED,      /* the context was lost while it ran */
};

struct sq_fault {
    enum sq_fault_kind kind;
    uint64_t va; /* of a memory fault */
    uint64_t pc; /* of the instruction */
    bool is_write;
    const char *why; /* static text */
};

#define SQ_TEMPS 20

#define SQ_VIEWS 8
#define SQ_ATTRIBUTE_ROWS 32
#define SQ_TABLE 16 /* runs of quads that have a primitive each */
#define SQ_TABLES (SQ_ATTRIBUTE_ROWS * LANES_MAX / (12 * SQ_TABLE))
#define SQ_RESULTS 32

/* Requests of a wave to the fixed-function block that launched it. A hook that is NULL is a stop. */
struct sq_hooks {
    /* EXP: rows[i] are the lanes of channel i; which ones are enabled, the target and the flags are in `exp`. Inactive
     * lanes export nothing. */
    void (*export)(struct sq_wave *wave, const struct sq_uop *uop, const struct isa_export *exp,
                   const uint32_t *const rows[4]);

    /* s_sendmsg: the message word (id [3:0], operation [6:4], stream [9:8]) and m0. */
    void (*message)(struct sq_wave *wave, const struct sq_uop *uop, uint32_t message, uint32_t m0);

    /* v_interp_*: fill the rows of P0, P10 and P20 with this attribute's channel, for every lane; v_interp_p1_f32 looks
     * at the first two only, v_interp_p2_f32 at the last. m0 is as the program set it. */
    void (*attribute)(struct sq_wave *wave, const struct sq_uop *uop, unsigned attribute, unsigned channel,
                      uint32_t *p0, uint32_t *p10, uint32_t *p20);
    /* P0, P10 and P20 of the four channels where they are the same in all lanes, as in a wave of one primitive; NULL:
     * they are not, which is so for all attributes of a wave or for none. May be missing. */
    const uint32_t (*(*one_attribute)(struct sq_wave *wave, unsigned attribute))[4];
    /* Several attributes, up to SQ_TABLES, where they may differ from quad to quad: which entry of the tables each
     * lane has, and P0, P10 and P20 of the four channels. May be missing. */
    void (*tables)(struct sq_wave *wave, const uint8_t *attributes, uint32_t count, uint32_t *entry_of_lane,
                   uint32_t (*tables)[3][4][SQ_TABLE]);
};

/* Indices into sq_wave.sgpr are the source numbers of the encoding. */
enum sq_register {
    SQ_SGPR_COUNT = 106,
    SQ_VCC = 106,
    SQ_TTMP = 108,
    SQ_M0 = 124,
    SQ_NULL = 125,
    SQ_EXEC = 126,
    /* Not registers, but read like registers; updated wherever they change. */
    SQ_SHARED_BASE = 128, /* two dwords each from here on */
    SQ_SHARED_LIMIT = 130,
    SQ_PRIVATE_BASE = 132,
    SQ_PRIVATE_LIMIT = 134,
    SQ_POPS = 136,
    SQ_VCCZ = 138,
    SQ_EXECZ = 140,
    SQ_SCC_VALUE = 142,
    SQ_TRASH = 144, /* what is written to null goes here */
    SQ_REGISTERS = 148,
};

struct sq_wave {
    const char *base[2];
    const struct sq_uop *next;
    enum sq_state state;
    uint32_t lanes; /* 32 or 64 */
    bool exec_full; /* every lane is active: the kernels' fast path */
    struct sq_move *move; /* its end was this one (sq_move.h); NULL: none */
    uint32_t scc;
    uint32_t mode;              /* HW_REG_MODE */
    struct lane_mode lane_mode; /* the same, as the lane primitives want it */
    uint32_t turn;              /* back edges left until the others get their turn */
    const _Atomic bool *killed; /* looked at on back edges */
    uint64_t env_f32, env_f64;  /* the host's float environment for this mode */
    uint64_t env_f16;           /* the same for halves, used only if: */
    bool f16_rounds_apart;

    const struct gpu_space *memory;
    struct coherence_actor *coherence; /* of the command; NULL: nothing is looked at */
    struct sq_code *code;
    const struct sq_hooks *hooks;
    void *owner;               /* the hooks' own */
    const struct ta_state *ta; /* NULL: image instructions stop */
    const struct sq_gds *gds;  /* NULL: none */
    bool gws_waits;            /* for the global wave sync, whose phase was: */
    uint32_t gws_phase;
    uint8_t *lds; /* of the workgroup */
    uint32_t lds_size_B;
    uint32_t vgpr_count;
    uint32_t
        /* the first VGPR that both halves of a wave64 share, or 0: lanes i and i + 32 are one from there on */
        shared_vgpr;
    uint64_t flat_scratch_va; /* base of this wave's private memory */
    uint32_t scratch_size_B;  /* per lane */
    uint32_t wave_in_group;
    struct sq_fault fault;
    struct sq_strict *strict; /* NULL unless in strict mode */
    struct sq_perf *perf;     /* NULL: nothing is counted */

    uint32_t sgpr[SQ_REGISTERS] __attribute__((aligned(64)));
    uint32_t exec_lanes[LANES_MAX];
    /* Inputs of the run of host code at hand (sq_jit_inputs.c): memory, and attributes, as rows, tables or one dword
       each. */
    struct exec_view views[SQ_VIEWS]; /* limits are bytes; what lies at them and after reads as zero */
    uint32_t results[SQ_RESULTS];     /* scalars that a loop leaves behind */
    uint32_t restored[132];           /* what a whole program finds in scalars that it changes (sq_whole.h) */
    uint32_t attributes[SQ_ATTRIBUTE_ROWS * LANES_MAX] __attribute__((aligned(64))); /* and so are the rows after it */
    uint32_t entry_of_lane[LANES_MAX];                                               /* of attributes as tables */
    uint32_t temp[SQ_TEMPS * LANES_MAX]; /* rows of `lanes` dwords, as registers are */
    uint32_t vgpr[];                     /* rows of `lanes` dwords */
};

static inline void *sq_at(const struct sq_wave *wave, sq_place place)
{
    return (void *)(wave->base[place & 1] + (place & ~(sq_place)1));
}

static inline uint64_t sq_read64(const uint32_t *dwords)
{
    return dwords[0] | (uint64_t)dwords[1] << 32;
}

static inline void sq_write64(uint32_t *dwords, uint64_t value)
{
    dwords[0] = (uint32_t)value;
    dwords[1] = (uint32_t)(value >> 32);
}

/* A lane mask in SGPRs: one dword in wave32, two in wave64. */
static inline uint64_t sq_read_mask(const struct sq_wave *wave, const uint32_t *dwords)
{
    return wave->lanes == 64 ? sq_read64(dwords) : dwords[0];
}

static inline void sq_write_mask(const struct sq_wave *wave, uint32_t *dwords, uint64_t mask)
{
    dwords[0] = (uint32_t)mask;
    if (wave->lanes == 64)
        dwords[1] = (uint32_t)(mask >> 32);
}

static inline uint64_t sq_exec(const struct sq_wave *wave)
{
    return sq_read_mask(wave, &wave->sgpr[SQ_EXEC]);
}

/* To be called after every change of exec. */
static inline void sq_exec_changed(struct sq_wave *wave)
{
    uint64_t exec = sq_exec(wave);
    wave->exec_full = exec == lanes_full_mask(wave->lanes);
    if (!wave->exec_full)
        lanes_from_mask(wave->exec_lanes, exec, wave->lanes);
}

void amd_sq_fault(struct sq_wave *wave, const struct sq_uop *uop, enum sq_fault_kind kind, const char *why);
void amd_sq_memory_fault(struct sq_wave *wave, const struct sq_uop *uop, uint64_t va, bool is_write);

#endif
