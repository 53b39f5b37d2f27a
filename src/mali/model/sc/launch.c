/* From descriptors to a launch. */
#include <string.h>

#include "mali/hw/descriptors.h"
#include "mali/model/gpu.h"
#include "mali/model/sc/warp.h"

static _Atomic uint64_t next_serial = 1;

uint64_t mali_launch_number(void)
{
    return atomic_fetch_add_explicit(&next_serial, 1, memory_order_relaxed);
}

void mali_launch_changed(struct mali_launch *launch)
{
    launch->serial = mali_launch_number();
}

static bool read_uniforms(struct mali_launch *launch, uint64_t fau, const uint32_t *copy)
{
    const uint32_t entries = (uint32_t)(fau >> 56);
    const uint64_t va = fau & 0xffffffffffffull;
    if (entries * 2 > MALI_FAU_WORDS)
        return mali_stop(launch->queue, GPU_STOP_BROKEN, "uniforms: %u entries of 64 bits, of %u", entries,
                         MALI_FAU_WORDS / 2);
    launch->fau_count = entries * 2;
    if (copy) {
        memcpy(launch->fau, copy, entries * 8);
        return true;
    }
    return !entries || mali_read(launch->queue, "uniforms", va, launch->fau, entries * 8);
}

static bool read_program(struct mali_launch *launch, uint64_t va)
{
    uint32_t words[8];
    if (!mali_read(launch->queue, "shader program descriptor", va, words, sizeof(words)))
        return false;
    const struct mali_desc_SHADER_PROGRAM program = mali_unpack_desc_SHADER_PROGRAM(words);
    if (program.SUPPRESS_NAN || program.SUPPRESS_INF)
        return mali_stop(launch->queue, GPU_STOP_UNIMPLEMENTED, "a shader program that suppresses NaN or infinity");
    launch->code_va = program.BINARY;
    launch->code_high = (uint32_t)(program.BINARY >> 32);
    launch->preload = (uint16_t)program.PRELOAD;
    launch->has_ftz = program.FLUSH_TO_ZERO_MODE != MALI_FTZ_MODE_PRESERVE_SUBNORMALS;
    return true;
}

static bool read_storage(struct mali_launch *launch, uint64_t va)
{
    uint32_t words[8];
    if (!va)
        return true;
    if (!mali_read(launch->queue, "local storage descriptor", va, words, sizeof(words)))
        return false;
    const struct mali_desc_LOCAL_STORAGE storage = mali_unpack_desc_LOCAL_STORAGE(words);
    launch->tls_va = storage.TLS_BASE_POINTER;
    if (storage.TLS_ADDRESS_MODE == MALI_ADDRESS_MODE_PACKED)
        launch->tls_va <<= 8;
    launch->tls_size_B = launch->tls_va ? 16u << storage.TLS_SIZE : 0;
    launch->wls_va = storage.WLS_BASE_POINTER;
    const bool has_wls = storage.WLS_INSTANCES != 0x80000000u && storage.WLS_SIZE_SCALE;
    launch->wls_size_B = has_wls ? 1u << (storage.WLS_SIZE_SCALE - 1) : 0;
    launch->wls_instances = has_wls ? (uint32_t)storage.WLS_INSTANCES : 0;
    return true;
}

bool mali_launch_init(struct mali_launch *launch_out, struct mali_queue *queue, enum mali_stage stage,
                      const struct mali_environment *environment)
{
    *launch_out = (struct mali_launch){.stage = stage, .queue = queue, .space = queue->space};
    launch_out->resources_va = environment->resources_va & ~0x3full;
    launch_out->resource_count = environment->resources_va & 0x3f;
    mali_launch_changed(launch_out);
    launch_out->epoch = launch_out->serial;
    return read_uniforms(launch_out, environment->fau_va, environment->fau) &&
           read_program(launch_out, environment->program_va) && read_storage(launch_out, environment->storage_va);
}
