/* Where the chunks of streams and uploads (vk_chunk.h), the blocks of machine code (vk_code_memory.h) come from. */
#include "amd/driver/radeon_device.h"

/* The instruction cache fetches ahead of the program counter. */
#define CODE_PADDING_B (3 * 64)

/* Of memory near the GPU: metadata begins there. */
#define LOCAL_ALIGN_B (256u << 10)

static struct vk_bo *create_bo(struct vk_device *device, uint32_t size_B, uint32_t align_B, uint32_t domain,
                               uint32_t flags)
{
    struct ws_bo *bo;
    void *map;
    if (amd_ws_bo_create(radeon_device_of(device)->ws, size_B, align_B, domain, flags, 0, &bo) != 0)
        return NULL;
    if (amd_ws_bo_map(bo, &map) != 0) {
        amd_ws_bo_unref(bo);
        return NULL;
    }
    return &bo->vk;
}

struct vk_bo *radeon_vk_bo_create(struct vk_device *device, uint32_t size_B, uint32_t domain, uint32_t flags)
{
    return create_bo(device, size_B, 4096, domain, flags);
}

static struct vk_bo *create_stream_bo(struct vk_device *device, uint32_t size_B)
{
    return radeon_vk_bo_create(device, size_B, AMDGPU_GEM_DOMAIN_GTT,
                               WS_BO_CPU_ACCESS | WS_BO_WRITE_COMBINED | WS_BO_READ_ONLY);
}

static struct vk_bo *create_upload_bo(struct vk_device *device, uint32_t size_B)
{
    return radeon_vk_bo_create(device, size_B, AMDGPU_GEM_DOMAIN_GTT,
                               WS_BO_CPU_ACCESS | WS_BO_WRITE_COMBINED | WS_BO_VA_32);
}

static struct vk_bo *create_local_bo(struct vk_device *device, uint32_t size_B)
{
    return create_bo(device, size_B, LOCAL_ALIGN_B, AMDGPU_GEM_DOMAIN_VRAM, WS_BO_CPU_ACCESS);
}

static struct vk_bo *create_code_bo(struct vk_device *device, uint32_t size_B)
{
    return radeon_vk_bo_create(device, size_B, AMDGPU_GEM_DOMAIN_VRAM, WS_BO_CPU_ACCESS | WS_BO_VA_32);
}

void radeon_vk_bo_destroy(struct vk_device *device, struct vk_bo *bo)
{
    amd_ws_bo_unref((struct ws_bo *)bo);
}

void radeon_chunk_pools_init(struct radeon_device *device)
{
    vk_chunk_pool_init(&device->chunks[RADEON_CHUNK_STREAM], &device->vk, create_stream_bo, radeon_vk_bo_destroy);
    vk_chunk_pool_init(&device->chunks[RADEON_CHUNK_UPLOAD], &device->vk, create_upload_bo, radeon_vk_bo_destroy);
    vk_chunk_pool_init(&device->chunks[RADEON_CHUNK_LOCAL], &device->vk, create_local_bo, radeon_vk_bo_destroy);
    vk_code_memory_init(&device->code_memory, &device->vk, CODE_PADDING_B, create_code_bo, radeon_vk_bo_destroy);
}

void radeon_chunk_pools_finish(struct radeon_device *device)
{
    for (int kind = 0; kind < RADEON_CHUNK_KIND_COUNT; kind++)
        vk_chunk_pool_finish(&device->chunks[kind]);
}
