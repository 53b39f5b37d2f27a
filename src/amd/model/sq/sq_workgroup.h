/* A workgroup on one worker: its waves are state, a barrier is a switch between them. */
#ifndef AMD_MODEL_SQ_WORKGROUP_H
#define AMD_MODEL_SQ_WORKGROUP_H

#include <stdatomic.h>

#include "amd/model/sq/sq_wave.h"

#define SQ_MAX_WAVES 32 /* of a workgroup: 1,024 work-items in waves of 32 */
#define SQ_LDS_B 65536

/* State that all waves of a launch share. */
struct sq_launch {
    uint64_t serial; /* not 0: launches of a workgroup with this number are all alike, their decoded program included */
    uint64_t program_va;
    uint32_t lanes;
    uint32_t vgpr_count;
    uint32_t shared_vgprs; /* VGPRs that both halves of a wave64 share, after the private ones (SHARED_VGPR_CNT * 8) */
    uint32_t mode;
    bool is_wgp_mode; /* the workgroup stands on both CUs of a WGP */
    uint32_t lds_size_B;
    const struct gpu_space *memory;
    struct coherence_actor *coherence; /* NULL: nothing is looked at */
    struct sq_perf *perf;              /* NULL: nothing is counted */
    const _Atomic bool *killed;
    const struct sq_hooks *hooks; /* NULL: a program that exports nothing */
    void *owner;
    const struct ta_state *ta; /* NULL: a program with no image instruction */
    const struct sq_gds *gds;  /* NULL: none */
};

struct sq_workgroup {
    uint32_t number; /* the owner's */
    uint32_t wave_count;
    uint32_t barrier_count; /* waves that wait at it */
    uint32_t ended_count;
    struct sq_wave *waves[SQ_MAX_WAVES];
    uint8_t *lds;                   /* SQ_LDS_B bytes */
    uint64_t serial;                /* of the launch that `fresh` is for */
    struct sq_wave *fresh;          /* a wave as it was before its first instruction, up to its SGPRs */
    struct sq_strict_group *strict; /* NULL unless in strict mode */
};

/* Memory of one workgroup's waves, kept from one to the next. NULL: out of memory. */
struct sq_workgroup *amd_sq_workgroup_create(uint32_t number);
void amd_sq_workgroup_destroy(struct sq_workgroup *group);

/* Make room for `count` waves and set them to the launch's state: exec full, registers zero. The caller then fills in
 * the registers that the hardware initialises. False: out of memory. */
bool amd_sq_workgroup_begin(struct sq_workgroup *group, const struct sq_launch *launch, struct sq_code *code,
                            uint32_t count);

enum sq_turn {
    SQ_TURN_DONE,    /* every wave has ended */
    SQ_TURN_GIVE_UP, /* still running: give the others a turn and come back */
    SQ_TURN_FAULT,   /* *fault_out says why */
};

/* Run every wave until it ends, waits or has used up its turn. */
enum sq_turn amd_sq_workgroup_run(struct sq_workgroup *group, struct sq_fault *fault_out);

#endif
