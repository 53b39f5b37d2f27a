/* The engine of a GPU with a command processor: a machine for each ring, in the ring's thread, and the shader core that
 * they share. */
#include <stdlib.h>

#include "amd/hw/chip.h"
#include "amd/model/coherence.h"
#include "amd/model/cp/cp_machine.h"
#include "amd/model/ge/ge_draw.h"
#include "amd/model/spi/spi_compute.h"
#include "model/drm/drm_gpu.h"

struct amd_gpu {
    struct cp_device device;
    struct cp_machine *machines[AMD_RING_COUNT]; /* NULL before a ring's first job */
};

/* ---- the GPU ---- */

static void machine_destroy(struct cp_machine *machine)
{
    if (!machine)
        return;
    strbuf_finish(&machine->error.text);
    strbuf_finish(&machine->incoherence);
    coherence_actor_destroy(machine->actor);
    free(machine);
}

/* It takes one whose creation ended half-way. */
static void destroy_gpu(void *opaque)
{
    struct amd_gpu *gpu = opaque;
    for (unsigned i = 0; i < AMD_RING_COUNT; i++)
        machine_destroy(gpu->machines[i]);
    amd_ge_destroy(gpu->device.ge);
    amd_spi_destroy(gpu->device.spi);
    coherence_destroy(gpu->device.coherence);
    free(gpu);
}

static void *create_gpu(const void *chip, const struct drm_engine_host *host, struct workers *workers)
{
    struct amd_gpu *gpu = calloc(1, sizeof(*gpu));
    if (!gpu)
        return NULL;
    struct cp_device *device = &gpu->device;
    bool is_ok = true;
    device->chip = chip;
    device->host = host;
    device->workers = workers;
    amd_cp_device_prepare(device);
    device->coherence = amd_coherence_create(&is_ok);
    device->spi = amd_spi_create(workers);
    if (device->spi)
        device->ge = amd_ge_create(chip, workers, device->spi);
    if (device->ge && is_ok)
        return gpu;
    destroy_gpu(gpu);
    return NULL;
}

/* ---- rings ---- */

static bool start_ring(void *opaque, struct drm_ring *ring, uint32_t number)
{
    struct amd_gpu *gpu = opaque;
    struct cp_machine *machine = gpu->machines[number] = calloc(1, sizeof(*machine));
    if (!machine)
        return false;
    machine->device = &gpu->device;
    machine->gfx = gpu->device.chip->gfx;
    machine->ring_kind = amd_ring_kind(number);
    machine->ring = amd_ring_index(number);
    machine->thread = ring;
    amd_cp_machine_reset(machine);
    return true;
}

static struct drm_engine_result run_job(void *gpu, struct drm_ring *ring, struct drm_engine_job *job)
{
    struct cp_machine *machine = ((struct amd_gpu *)gpu)->machines[job->ring];
    struct drm_engine_result result = {.error = amd_cp_machine_run(machine, job)};
    const struct strbuf *text = &machine->error.text;
    if (result.error)
        result.report = text->text && !text->failed ? text->text : "no memory for a report";
    return result;
}

static uint64_t gpu_progress(void *gpu)
{
    const struct cp_device *device = &((struct amd_gpu *)gpu)->device;
    uint64_t sum = amd_spi_progress(device->spi) + amd_ge_progress(device->ge);
    for (unsigned i = 0; i < AMD_RING_COUNT; i++)
        sum += atomic_load_explicit(&device->progress[amd_ring_kind(i)][amd_ring_index(i)], memory_order_relaxed);
    return sum;
}

static void forget_space(void *gpu, const struct gpu_space *space)
{
    const struct cp_device *device = &((struct amd_gpu *)gpu)->device;
    if (device->coherence)
        coherence_forget_space(device->coherence, space);
    amd_spi_forget_space(device->spi, space);
}

static const struct drm_gpu_ops ops = {
    .log_name = "amd/model",
    .ring_count = AMD_RING_COUNT,
    .create = create_gpu,
    .destroy = destroy_gpu,
    .start_ring = start_ring,
    .run = run_job,
    .progress = gpu_progress,
    .context_B = sizeof(struct drm_engine_context),
    .forget_space = forget_space,
};

/* ---- the engine ---- */

static int engine_create(const void *chip, const struct drm_engine_host *host, struct drm_engine **engine_out)
{
    return drm_gpu_engine_create(&ops, chip, host, engine_out);
}

static uint64_t engine_timestamp(struct drm_engine *engine)
{
    return amd_cp_timestamp(engine->chip);
}

const struct drm_engine_ops *amd_engine_default(void)
{
    static const struct drm_engine_ops engine_ops = {
        .name = "command processor",
        .create = engine_create,
        .destroy = drm_gpu_engine_destroy,
        .context_create = drm_gpu_context_create,
        .context_destroy = drm_gpu_context_destroy,
        .submit = drm_gpu_submit,
        .kill = drm_gpu_kill,
        .progress = drm_gpu_progress,
        .timestamp = engine_timestamp,
    };
    return &engine_ops;
}
