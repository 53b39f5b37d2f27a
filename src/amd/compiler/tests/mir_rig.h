/* Runs a program of machine IR on the model, in strict mode, after all steps of the machine half.
 *
 * A wave finds s[0:1] = memory, s[4:7] = a descriptor of private memory, s8 = its offset, v0 = the lane. */
#ifndef MIR_RIG_H
#define MIR_RIG_H

#include "amd/compiler/mir.h"
#include "amd/model/sq/sq_workgroup.h"

#define RIG_DATA_VA 0x100100000ull
#define RIG_DATA_B (1u << 20)
#define RIG_RESULT_B 0x10000u /* where programs write: offset from memory */

struct rig {
    struct gpu_space space;
    int fd;
    unsigned waves;
};

struct rig_options {
    unsigned max_sgprs, max_vgprs; /* 0: all */
    bool plain;                    /* without optimising and scheduling */
    bool verbose;                  /* print the program after each step */
    const void *const_data;        /* what MIR_P_CONST_ADDR leads to */
    uint32_t const_data_size_B;
};

struct rig_outcome {
    const char *error; /* NULL: it ran. malloc'ed */
    uint32_t spilled_sgprs, spilled_vgprs, copies, code_size_dw, num_vgprs, num_sgprs;
    struct amd_statistics statistics;
};

bool rig_init(struct rig *rig);
void rig_finish(struct rig *rig);
uint32_t *rig_memory(struct rig *rig); /* RIG_DATA_B bytes */

/* Compile and run one wave. */
struct rig_outcome rig_run(struct rig *rig, const char *text, const struct rig_options *options);

#endif
