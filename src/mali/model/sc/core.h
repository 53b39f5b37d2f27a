/* A worker's part of the shader core, and what all workers share. */
#ifndef MALI_MODEL_SC_CORE_H
#define MALI_MODEL_SC_CORE_H

#include <pthread.h>

#include "mali/model/sc/code.h"
#include "mali/model/sc/uniforms.h"
#include "mali/model/tex/tex.h"
#include "model/exec/window.h"
#include "model/workers.h"

#define SC_RESOURCES 64  /* descriptors that are kept, by their handles */
#define SC_GROUP_ROWS 16 /* of the largest workgroup */
#define SC_TURN 4096     /* backward branches before the next warp gets its turn */

struct sc_resource {
    uint64_t serial; /* of the launch */
    uint32_t handle;
    uint32_t words[8];
};

/* Memory of a buffer that was found mapped from its beginning to its end. */
#define SC_VIEWS 16
struct sc_view {
    uint64_t va, size_B;
    const uint8_t *host; /* NULL: it is not, or not as needed */
    uint32_t changes;    /* of the window when it was found */
    unsigned need;       /* GPU_PERM_* */
};

/* Memory around addresses that lanes far from each other have named (memory.c). */
#define SC_FARS 8
#define SC_FAR_PAUSE 64 /* accesses that are not looked for, after one whose lanes no window has */
struct sc_fars {
    struct exec_site sites[SC_FARS];
    unsigned next; /* that is replaced */
    unsigned pause;
};

struct mali_core {
    const struct gpu_space *space;
    unsigned number; /* of the worker */
    struct sc_code *code;
    uint64_t code_epoch;
    struct mali_warp *single; /* of stages other than compute */
    struct mali_warp *joined; /* of joined programs (join.h) */
    struct mali_warp *group[SC_GROUP_ROWS];
    struct mali_tex *tex;
    struct sc_resource resources[SC_RESOURCES];
    struct sc_view views[SC_VIEWS];
    unsigned next_view; /* that is replaced */
    struct sc_fars fars;
    struct lane_mode modes[2]; /* denormals are kept, flushed */
    uint64_t envs[2];          /* the host's float environment for each */
    struct sc_uniforms uniforms;
    float turns[64][2]; /* what FSIN_TABLE and FCOS_TABLE give */
};

/* Memory of warps, for compute; free() it. */
struct mali_warp *mali_sc_warp_create(void);
/* At the launch's beginning. False: there is no program. */
bool mali_sc_warp_begin(struct mali_core *core, struct mali_warp *warp, const struct mali_launch *launch);
/* Run until it ends, waits, or has used up its turn. */
void mali_sc_warp_run(struct mali_warp *warp);
/* Stop the job with the warp's fault. */
void mali_sc_report(const struct mali_warp *warp);

/* Local storage of threads: lane i of the warp is thread `first` + i. */
void mali_sc_warp_storage(struct mali_warp *warp, uint64_t first_thread, uint64_t workgroup_slot);

#endif
