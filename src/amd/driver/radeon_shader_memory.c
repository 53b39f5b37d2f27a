/* GPU memory for machine code: blocks that are cut into pieces, first fit. Shaders come and go in any order; a block
 * that is empty again is given back. */
#include "amd/driver/radeon_shader.h"

#include "util/bits.h"

enum {
    BLOCK_B = 256 << 10,
    CODE_ALIGN_B = 256, /* what the program registers can name */
    /* The instruction cache fetches ahead of the program counter; what it finds must be mapped. */
    PREFETCH_B = 3 * 64,
};

struct radeon_shader_block {
    struct list link;
    struct ws_bo *bo;
    uint8_t *map;
    uint32_t size_B;
    struct list holes; /* struct hole, by offset; neighbours never touch */
};

struct hole {
    struct list link;
    uint32_t offset_B, size_B;
};

static struct hole *new_hole(struct radeon_device *device, uint32_t offset_B, uint32_t size_B)
{
    struct hole *hole = vk_alloc(&device->vk.alloc, NULL, sizeof(*hole), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (hole) {
        hole->offset_B = offset_B;
        hole->size_B = size_B;
    }
    return hole;
}

static void destroy_block(struct radeon_device *device, struct radeon_shader_block *block)
{
    list_foreach (&block->holes, struct hole, hole, link)
        vk_free(&device->vk.alloc, NULL, hole);
    list_remove(&block->link);
    amd_ws_bo_unref(block->bo);
    vk_free(&device->vk.alloc, NULL, block);
}

static struct radeon_shader_block *new_block(struct radeon_device *device, uint32_t size_B)
{
    struct radeon_shader_block *block =
        vk_zalloc(&device->vk.alloc, NULL, sizeof(*block), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!block)
        return NULL;
    list_init(&block->holes);
    list_push_front(&device->shader_memory.blocks, &block->link);
    block->size_B = MAX2((uint32_t)BLOCK_B, (uint32_t)align_u64(size_B, 4096));
    struct hole *all = new_hole(device, 0, block->size_B);
    if (all)
        list_push_back(&block->holes, &all->link);
    void *map;
    if (!all ||
        amd_ws_bo_create(device->ws, block->size_B, 4096, AMDGPU_GEM_DOMAIN_VRAM, WS_BO_CPU_ACCESS | WS_BO_VA_32, 0,
                         &block->bo) != 0 ||
        amd_ws_bo_map(block->bo, &map) != 0) {
        destroy_block(device, block);
        return NULL;
    }
    block->map = map;
    return block;
}

static bool take(struct radeon_device *device, struct radeon_shader_block *block, uint32_t size_B, uint32_t *offset_out)
{
    list_foreach (&block->holes, struct hole, hole, link) {
        if (hole->size_B < size_B)
            continue;
        *offset_out = hole->offset_B;
        hole->offset_B += size_B;
        hole->size_B -= size_B;
        if (!hole->size_B) {
            list_remove(&hole->link);
            vk_free(&device->vk.alloc, NULL, hole);
        }
        return true;
    }
    return false;
}

VkResult radeon_shader_memory_alloc(struct radeon_device *device, uint32_t size_B,
                                    struct radeon_shader_place *place_out, void **map_out)
{
    size_B = (uint32_t)align_u64(size_B + PREFETCH_B, CODE_ALIGN_B);
    uint32_t offset_B = 0;
    pthread_mutex_lock(&device->shader_memory.lock);
    struct radeon_shader_block *found = NULL;
    list_foreach (&device->shader_memory.blocks, struct radeon_shader_block, block, link) {
        if (take(device, block, size_B, &offset_B)) {
            found = block;
            break;
        }
    }
    if (!found) {
        found = new_block(device, size_B);
        if (found)
            take(device, found, size_B, &offset_B);
    }
    pthread_mutex_unlock(&device->shader_memory.lock);
    if (!found)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    *place_out = (struct radeon_shader_place){
        .block = found, .offset_B = offset_B, .size_B = size_B, .va = found->bo->vk.va + offset_B};
    *map_out = found->map + offset_B;
    return VK_SUCCESS;
}

/* Back into the list, joined with what it touches. Without host memory for the record the piece is lost until the
 * whole block is freed. */
static void give(struct radeon_device *device, struct radeon_shader_block *block, uint32_t offset_B, uint32_t size_B)
{
    struct hole *before = NULL, *behind = NULL;
    list_foreach (&block->holes, struct hole, hole, link) {
        if (hole->offset_B > offset_B) {
            behind = hole;
            break;
        }
        before = hole;
    }
    bool joins_before = before && before->offset_B + before->size_B == offset_B;
    bool joins_behind = behind && offset_B + size_B == behind->offset_B;
    if (joins_before) {
        before->size_B += size_B + (joins_behind ? behind->size_B : 0);
        if (joins_behind) {
            list_remove(&behind->link);
            vk_free(&device->vk.alloc, NULL, behind);
        }
    } else if (joins_behind) {
        behind->offset_B = offset_B;
        behind->size_B += size_B;
    } else {
        struct hole *hole = new_hole(device, offset_B, size_B);
        if (hole)
            list_insert_after(before ? &before->link : &block->holes, &hole->link);
    }
}

void radeon_shader_memory_free(struct radeon_device *device, struct radeon_shader_place *place)
{
    if (!place->block)
        return;
    pthread_mutex_lock(&device->shader_memory.lock);
    give(device, place->block, place->offset_B, place->size_B);
    struct hole *first =
        list_is_empty(&place->block->holes) ? NULL : container_of(place->block->holes.next, struct hole, link);
    if (first && first->size_B == place->block->size_B)
        destroy_block(device, place->block);
    pthread_mutex_unlock(&device->shader_memory.lock);
    place->block = NULL;
}

void radeon_shader_memory_finish(struct radeon_device *device)
{
    list_foreach (&device->shader_memory.blocks, struct radeon_shader_block, block, link)
        destroy_block(device, block);
    pthread_mutex_destroy(&device->shader_memory.lock);
}
