/* Compute programs as a whole: host code from the first instruction to the last, for programs without loops.
 *
 * A program is followed once from its beginning to s_endpgm. Branches that skip code when no lane is active are either
 * not taken, and the code runs with no lane active, which changes nothing, or are places where a wave may go on
 * elsewhere (sq_whole_find.c). What becomes host code is divided into parts: a part is a lane program, and after it
 * either micro-operations that run as they do elsewhere (atomics, images, whatever has no lowering), a barrier, such a
 * branch, or the end. Lane masks, exec among them, are values of the lane program; scalars are values that all lanes
 * have in common.
 *
 * What does not depend on the workgroup's number runs once for a launch, on each of the workgroup's waves: descriptors
 * and constants are loaded there. From then on a workgroup is its numbers in scalar registers and the parts, one wave
 * after the other up to each barrier: no wave is set up, none is scheduled, and registers that nothing looks at again
 * are not stored. Where a part is not for a wave (sq_jit_inputs.c), its instructions run as micro-operations.
 *
 * Not for: loops, branches by scalars, scratch memory, waves with inactive lanes, changes of the mode; strict mode.
 * Such workgroups run as sq_workgroup.h has it, with the same results. */
#ifndef AMD_MODEL_SQ_WHOLE_H
#define AMD_MODEL_SQ_WHOLE_H

#include "amd/model/sq/sq_jit_build.h"
#include "amd/model/sq/sq_registers.h"
#include "amd/model/sq/sq_workgroup.h"

#define SQ_WHOLE_STEPS 512
#define SQ_WHOLE_PARTS 128
#define SQ_WHOLE_PRELUDE 64
#define SQ_WHOLE_REGIONS 32
#define SQ_WHOLE_GIVEN 24 /* VGPRs that a launch may fill, whose rows stay in sq_wave.attributes */
_Static_assert(SQ_WHOLE_GIVEN <= SQ_ATTRIBUTE_ROWS, "rows");

/* ---- the program in its order (sq_whole_find.c) ---- */

/* One bit for each branch that skips code when exec is zero. */
typedef uint32_t sq_regions;

struct sq_rows {
    uint64_t bits[4]; /* one for each VGPR */
};

static inline bool sq_rows_have(const struct sq_rows *rows, unsigned v)
{
    return rows->bits[v / 64] >> v % 64 & 1;
}

enum sq_step_kind {
    SQ_STEP_CODE,
    SQ_STEP_OPEN,  /* a branch: what it skips begins */
    SQ_STEP_CLOSE, /* and ends */
    SQ_STEP_BARRIER,
    SQ_STEP_END,
};

struct sq_step {
    enum sq_step_kind kind;
    uint32_t region;     /* of those that open and close one */
    uint32_t close_step; /* of those that open one */
    bool is_split;       /* the same */
    uint32_t depth;      /* regions that it is in */
    const struct sq_uop *first, *end;
    struct sq_registers reads, writes;
    struct sq_registers live; /* before it */
    struct sq_rows names;     /* by this instruction */
    struct sq_rows named;     /* by it and by later ones */
};

struct sq_steps {
    sq_regions split, leaks;
    uint32_t count;
    struct sq_step steps[SQ_WHOLE_STEPS];
    uint32_t prelude_count;
    const struct sq_uop *prelude[SQ_WHOLE_PRELUDE];
    struct sq_registers prelude_writes;
};

/* Follow the program of a wave that is at its first instruction. `varying` are registers that are not the same for all
 * workgroups, `split` regions that must not be flat. False: it is not such a program. */
bool amd_sq_whole_find(struct sq_steps *steps, struct sq_wave *wave, const struct sq_registers *varying,
                       sq_regions split);

/* ---- its code (sq_whole.c) ---- */

struct sq_part {
    jit_code code;                /* NULL: nothing to do before the micro-operations */
    struct sq_jit_inputs *inputs; /* NULL: none */
    uint32_t result_count;
    sq_place *results; /* where sq_wave.results go */
    bool changes_exec;
    bool has_flag_of_exec;            /* scc says whether exec has a lane */
    bool is_barrier;                  /* after it */
    uint32_t skips_to;                /* not 0: where a wave without an active lane goes on after it */
    bool is_guarded;                  /* micro-operations are for waves with an active lane: they write lanes alone */
    const struct sq_uop *first, *end; /* of the instruction after the code */
    uint32_t code_begin, code_end;    /* the code's instructions in sq_whole.ranges */
    struct sq_rows fresh;             /* VGPRs that are as the launch has left them, and named from here on */
};

struct sq_range {
    const struct sq_uop *first, *end;
};

/* The state that a program depends on besides memory. */
struct sq_whole_key {
    uint64_t program_va;
    uint32_t mode, lanes, vgpr_count;
    uint32_t given; /* VGPRs that the launch fills; the others are zero */
    uint32_t lines; /* of those, as bits: lane after lane they grow by one */
    uint32_t ones;  /* and those that are the same in all lanes */
    struct sq_registers varying;
};

enum sq_whole_state {
    SQ_WHOLE_WAITS,
    SQ_WHOLE_READY,
    SQ_WHOLE_NEVER,
};

struct sq_whole {
    struct sq_whole *next;
    struct sq_whole_key key;
    enum sq_whole_state state;
    uint32_t waited;
    uint32_t misses;   /* parts in a row that were not for their wave */
    bool stores_alone; /* as micro-operations: buffers that are stored to did not lie apart from others */
    uint32_t prelude_count, part_count, range_count, restored_count;
    const struct sq_uop **prelude;
    struct sq_part *parts;
    struct sq_range *ranges;
    bool changes_exec;
    struct sq_registers numbers;           /* of key.varying, those that the prelude does not replace */
    uint8_t restored[SQ_REGISTER_SCC + 1]; /* scalar registers that the program changes after it has looked at them */
};

/* Make the code; the state says whether there is some from now on. `wave` is one of the launch, at its first
 * instruction. */
void amd_sq_whole_make(struct sq_whole *whole, struct sq_wave *wave);

/* ---- launches and workgroups (sq_whole_run.c) ---- */

/* The program of a launch; NULL: no host code, or no memory. */
struct sq_whole *amd_sq_whole_of(struct sq_code *code, const struct sq_whole_key *key);

/* Count waves that will run. True: it is worth its code. */
bool amd_sq_whole_is_worth_it(struct sq_whole *whole, uint64_t waves);

/* The waves are set up as for a run, with all lanes active; key.given VGPRs and the scalars of the launch are filled
 * in, but for those that vary. After this they stay for as many workgroups as there are. False: not for this launch. */
bool amd_sq_whole_begin(struct sq_whole *whole, struct sq_workgroup *group);

/* One workgroup; `varying` has the values of key.varying's registers, in their order. The host is set up for its waves
 * (sq_mode_enter). False: *fault_out says why not. */
bool amd_sq_whole_run(struct sq_whole *whole, struct sq_workgroup *group, uint32_t lds_size_B, const uint32_t *varying,
                      struct sq_fault *fault_out);

#endif
