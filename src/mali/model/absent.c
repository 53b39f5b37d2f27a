/* Endpoints of the command streams that are not built yet: a stream that needs one stops with its name. Each goes away
 * with the first landing of its block. */
#include "mali/model/blocks.h"

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

/* ---- tiler ---- */

bool mali_tiler_create(struct mali_gpu *gpu)
{
    return true;
}

void mali_tiler_destroy(struct mali_gpu *gpu)
{
}

bool mali_tiler_run_idvs(struct mali_run *run)
{
    return absent(run, "the tiler");
}

bool mali_tiler_run_tiling(struct mali_run *run)
{
    return absent(run, "the tiler");
}

bool mali_tiler_run_fullscreen(struct mali_run *run)
{
    return absent(run, "the tiler");
}

bool mali_tiler_finish(struct mali_run *run)
{
    return absent(run, "the tiler");
}

bool mali_tiler_free_chunks(struct mali_queue *queue, uint64_t first_va, uint64_t last_va)
{
    return mali_stop(queue, GPU_STOP_UNIMPLEMENTED, "the tiler is not built yet");
}

/* ---- frag ---- */

bool mali_frag_create(struct mali_gpu *gpu)
{
    return true;
}

void mali_frag_destroy(struct mali_gpu *gpu)
{
}

bool mali_frag_run(struct mali_run *run)
{
    return absent(run, "the fragment endpoint");
}
