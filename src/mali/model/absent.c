/* Endpoints of the command streams that are not built yet: a stream that needs one stops with its name. Each goes away
 * with the first landing of its block. */
#include "mali/model/blocks.h"
#include "mali/model/sc/warp.h"

static bool absent(struct mali_run *run, const char *what)
{
    return mali_stop(run->queue, GPU_STOP_UNIMPLEMENTED, "%s is not built yet", what);
}

/* ---- sc ---- */

bool mali_sc_create(struct mali_gpu *gpu)
{
    return true;
}

void mali_sc_destroy(struct mali_gpu *gpu)
{
}

void mali_sc_invalidate_code(struct mali_gpu *gpu)
{
}

void mali_sc_forget_space(struct mali_gpu *gpu, const struct gpu_space *space)
{
}

bool mali_sc_run_compute(struct mali_run *run)
{
    return absent(run, "the shader core");
}

/* ---- warps ---- */

static int no_core; /* what a core is before there are any: nothing looks into it */

struct mali_core *mali_sc_core(struct mali_queue *queue, unsigned worker)
{
    return (struct mali_core *)&no_core;
}

bool mali_launch_init(struct mali_launch *launch_out, struct mali_queue *queue, enum mali_stage stage,
                      const struct mali_environment *environment)
{
    return mali_stop(queue, GPU_STOP_UNIMPLEMENTED, "the shader core is not built yet");
}

void mali_launch_changed(struct mali_launch *launch)
{
}

bool mali_sc_enter(struct mali_core *core, const struct mali_launch *launch)
{
    return false;
}

struct mali_warp *mali_sc_begin(struct mali_core *core, const struct mali_launch *launch)
{
    return NULL;
}

bool mali_sc_run(struct mali_warp *warp)
{
    return false;
}
