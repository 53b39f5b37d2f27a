/* See gpu.h: a GPU's life, and the stop of a job. */
#include "adreno/model/gpu.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/hw/decode.h"
#include "adreno/model/blocks.h"
#include "adreno/model/cp/cp.h"
#include "model/drm/drm_engine.h"

struct adreno_gpu *adreno_gpu_create(const struct adreno_chip *chip, const struct drm_engine_host *host,
                                     struct workers *workers)
{
    struct adreno_gpu *gpu = calloc(1, sizeof(*gpu));
    if (!gpu)
        return NULL;
    gpu->chip = chip;
    gpu->host = host;
    gpu->workers = workers;
    pthread_mutex_init(&gpu->stop.lock, NULL);
    gpu->gmem = calloc(1, chip->gmem_size_B);
    if (!gpu->gmem || !adreno_cp_create(gpu) || !adreno_hlsq_create(gpu) || !adreno_pc_create(gpu)) {
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
    strbuf_finish(&gpu->stop.text);
    pthread_mutex_destroy(&gpu->stop.lock);
    free(gpu->gmem);
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
}

/* True: this is the first stop of the job, and the lock is held. */
static bool begin_stop(struct adreno_gpu *gpu, enum adreno_stop_kind kind)
{
    pthread_mutex_lock(&gpu->stop.lock);
    if (atomic_load(&gpu->stop.is_set)) {
        pthread_mutex_unlock(&gpu->stop.lock);
        return false;
    }
    gpu->stop.kind = kind;
    strbuf_clear(&gpu->stop.text);
    return true;
}

static bool end_stop(struct adreno_gpu *gpu)
{
    atomic_store(&gpu->stop.is_set, true);
    pthread_mutex_unlock(&gpu->stop.lock);
    return false;
}

bool adreno_stop(struct adreno_gpu *gpu, enum adreno_stop_kind kind, const char *format, ...)
{
    if (!begin_stop(gpu, kind))
        return false;
    va_list args;
    va_start(args, format);
    strbuf_vprintf(&gpu->stop.text, format, args);
    va_end(args);
    strbuf_append(&gpu->stop.text, "\n");
    return end_stop(gpu);
}

/* The stop has begun, and its text says what was accessed. */
static bool end_fault(struct adreno_gpu *gpu, uint64_t va, bool is_write)
{
    gpu->stop.fault_va = va;
    gpu->stop.is_write = is_write;
    if (gpu->host && gpu->host->describe_address)
        gpu->host->describe_address(gpu->space, va, &gpu->stop.text);
    return end_stop(gpu);
}

bool adreno_stop_fault(struct adreno_gpu *gpu, uint64_t va, bool is_write, const char *format, ...)
{
    if (!begin_stop(gpu, ADRENO_STOP_FAULT))
        return false;
    va_list args;
    va_start(args, format);
    strbuf_vprintf(&gpu->stop.text, format, args);
    va_end(args);
    strbuf_append(&gpu->stop.text, "\n");
    return end_fault(gpu, va, is_write);
}

bool adreno_fault(struct adreno_gpu *gpu, const char *client, uint64_t va, uint64_t size_B, bool is_write)
{
    if (!begin_stop(gpu, ADRENO_STOP_FAULT))
        return false;
    strbuf_printf(&gpu->stop.text, "%s: a %s of %" PRIu64 " bytes at 0x%" PRIx64 ", which is not mapped so\n", client,
                  is_write ? "write" : "read", size_B, va);
    return end_fault(gpu, va, is_write);
}

bool adreno_stop_register(struct adreno_gpu *gpu, uint32_t reg, const char *why)
{
    if (!begin_stop(gpu, ADRENO_STOP_UNIMPLEMENTED))
        return false;
    const struct hw_decode_options options = {0};
    strbuf_append(&gpu->stop.text, "register ");
    if (!adreno_decode_register(&gpu->stop.text, &options, reg, gpu->regs[reg]))
        strbuf_printf(&gpu->stop.text, "0x%05x = 0x%08x", reg, gpu->regs[reg]);
    strbuf_printf(&gpu->stop.text, ": %s\n", why);
    return end_stop(gpu);
}
