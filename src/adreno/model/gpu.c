/* See gpu.h: a GPU's life, and the stop of a job. */
#include "adreno/model/gpu.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/hw/decode.h"
#include "adreno/model/blocks.h"
#include "adreno/model/coherence.h"
#include "adreno/model/cp/cp.h"
#include "model/drm/drm_engine.h"
#include "util/debug.h"

struct adreno_gpu *adreno_gpu_create(const struct adreno_chip *chip, const struct drm_engine_host *host,
                                     struct workers *workers)
{
    struct adreno_gpu *gpu = calloc(1, sizeof(*gpu));
    if (!gpu)
        return NULL;
    gpu->chip = chip;
    gpu->host = host;
    gpu->workers = workers;
    gpu_stop_init(&gpu->stop);
    gpu->gmem = calloc(1, chip->gmem_size_B);
    if (debug_enabled(DEBUG_STRICT))
        gpu->gmem_written = calloc(1, chip->gmem_size_B);
    if (!gpu->gmem || (debug_enabled(DEBUG_STRICT) && !gpu->gmem_written) || !adreno_coherence_create(gpu) ||
        !adreno_cp_create(gpu) || !adreno_hlsq_create(gpu) || !adreno_pc_create(gpu)) {
        adreno_gpu_destroy(gpu);
        return NULL;
    }
    adreno_gpu_reset(gpu);
    return gpu;
}

/* Blocks take a GPU whose creation ended half-way. */
void adreno_gpu_destroy(struct adreno_gpu *gpu)
{
    if (!gpu)
        return;
    adreno_pc_destroy(gpu);
    adreno_hlsq_destroy(gpu);
    adreno_cp_destroy(gpu);
    adreno_coherence_destroy(gpu);
    gpu_stop_finish(&gpu->stop);
    free(gpu->gmem);
    free(gpu->gmem_written);
    free(gpu);
}

void adreno_gpu_reset(struct adreno_gpu *gpu)
{
    memset(gpu->regs, 0, sizeof(gpu->regs));
    memset(&gpu->counters, 0, sizeof(gpu->counters));
    memset(gpu->so_mapping, 0, sizeof(gpu->so_mapping));
    gpu->so_mapping_at = 0;
    gpu->reg_changes++;
    adreno_cp_reset(gpu);
    adreno_hlsq_reset(gpu);
    adreno_pc_reset(gpu);
    if (gpu->coherence)
        coherence_reset(gpu->coherence);
}

bool adreno_stop(struct adreno_gpu *gpu, enum adreno_stop_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    gpu_stop_vprintf(&gpu->stop, (enum gpu_stop_kind)kind, format, args);
    va_end(args);
    return false;
}

static struct gpu_stop_access access_of(const struct adreno_gpu *gpu, uint64_t va, bool is_write)
{
    return (struct gpu_stop_access){.va = va,
                                    .is_write = is_write,
                                    .space = gpu->space,
                                    .describe = gpu->host ? gpu->host->describe_address : NULL};
}

bool adreno_stop_fault(struct adreno_gpu *gpu, uint64_t va, bool is_write, const char *format, ...)
{
    const struct gpu_stop_access access = access_of(gpu, va, is_write);
    va_list args;
    va_start(args, format);
    gpu_stop_vfault(&gpu->stop, &access, format, args);
    va_end(args);
    return false;
}

bool adreno_fault(struct adreno_gpu *gpu, const char *client, uint64_t va, uint64_t size_B, bool is_write)
{
    const struct gpu_stop_access access = access_of(gpu, va, is_write);
    return gpu_stop_fault(&gpu->stop, &access, client, size_B);
}

bool adreno_stop_register(struct adreno_gpu *gpu, uint32_t reg, const char *why)
{
    if (!gpu_stop_begin(&gpu->stop, GPU_STOP_UNIMPLEMENTED))
        return false;
    const struct hw_decode_options options = {0};
    strbuf_append(&gpu->stop.text, "register ");
    if (!adreno_decode_register(&gpu->stop.text, &options, reg, gpu->regs[reg]))
        strbuf_printf(&gpu->stop.text, "0x%05x = 0x%08x", reg, gpu->regs[reg]);
    strbuf_printf(&gpu->stop.text, ": %s\n", why);
    return gpu_stop_end(&gpu->stop);
}
