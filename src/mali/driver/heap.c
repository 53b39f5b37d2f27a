/* The tiler's memory of a queue: a heap of chunks, which the kernel makes larger, its descriptor, and the buffer in
 * which positions wait for their primitives. */
#include <string.h>

#include "mali/driver/graphics.h"
#include "mali/driver/memory.h"

#define CHUNK_B (2u << 20)
#define INITIAL_CHUNKS 5
#define MAX_CHUNKS 64
#define PASSES_IN_FLIGHT 65535 /* as many as there are */
#define DESCRIPTOR_ROOM_B 4096u
#define GEOMETRY_B (64u << 10)

/* A chunk begins with the address of the next one, in 64 bytes of its own. */
#define CHUNK_HEADER_B 64u

static void write_descriptor(const struct mali_heap *heap, uint32_t *out)
{
    mali_pack_desc_TILER_HEAP(out, &(const struct mali_desc_TILER_HEAP){
                                       .TYPE = MALI_DESCRIPTOR_TYPE_BUFFER,
                                       .BUFFER_TYPE = MALI_BUFFER_TYPE_TILER_HEAP,
                                       .CHUNK_SIZE = MALI_CHUNK_SIZE_2_MIB,
                                       .PARTITIONING = MALI_CHUNK_PARTITION_DYNAMIC,
                                       .SIZE = heap->chunk_B,
                                       .BASE = heap->first_chunk_va,
                                       .BOTTOM = heap->first_chunk_va + CHUNK_HEADER_B,
                                       .TOP = heap->first_chunk_va + heap->chunk_B,
                                   });
}

VkResult mali_queue_heap_init(struct mali_queue *queue)
{
    struct mali_device *device = mali_device_of(queue->vk.base.device);
    struct mali_context *context = queue->context->vk.map;
    VkResult result = mali_mapped_bo_create(device, DESCRIPTOR_ROOM_B + GEOMETRY_B, MALI_BO_PRIVATE, &queue->geometry);
    if (result != VK_SUCCESS)
        return result;
    result = vk_kernel_result(
        mali_heap_create(device->kernel, CHUNK_B, INITIAL_CHUNKS, MAX_CHUNKS, PASSES_IN_FLIGHT, &queue->heap));
    if (result != VK_SUCCESS)
        return result;
    write_descriptor(&queue->heap, queue->geometry->vk.map);
    context->heap_va = queue->geometry->vk.va;
    context->geometry = (queue->geometry->vk.va + DESCRIPTOR_ROOM_B) | GEOMETRY_B >> 12;
    return VK_SUCCESS;
}

void mali_queue_heap_finish(struct mali_queue *queue)
{
    struct mali_device *device = mali_device_of(queue->vk.base.device);
    if (queue->heap.context_va)
        mali_heap_destroy(device->kernel, &queue->heap);
    mali_bo_unref(queue->geometry);
}
