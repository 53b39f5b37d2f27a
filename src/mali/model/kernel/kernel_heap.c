/* Tiler heaps: memory for what the tiler stores, in chunks of one size. The kernel gives some when it makes a heap, and
 * one more each time that the GPU asks, up to the heap's limit; it gets them back with the heap alone. A chunk begins
 * with a link to the next: the address, and in its low 12 bits the size in units of 4096 bytes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mali/model/kernel/kernel_types.h"
#include "util/bits.h"
#include "util/log.h"

#define CHUNK_LEAST_B (128u << 10)
#define CHUNK_MOST_B (8u << 20)
#define CONTEXT_STRIDE_B 64 /* a cache line: 32 bytes are the GPU's own */

static uint64_t link_of(const struct mali_tiler_heap *heap, const struct mali_kernel_bo *chunk)
{
    return chunk->va | heap->chunk_B >> 12;
}

/* TUFF_HEAP_CHUNKS: the most that a heap gets, whatever its program asks for, so that small frames exhaust it. */
static uint32_t chunk_limit(void)
{
    const char *text = secure_getenv("TUFF_HEAP_CHUNKS");
    long limit = text ? strtol(text, NULL, 10) : 0;
    return limit > 0 && limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
}

/* The first chunks are a list, the last one of them first; a later one is alone. */
static int add_chunk(struct mali_vm *vm, struct mali_tiler_heap *heap, bool is_linked)
{
    struct mali_kernel_bo chunk;
    if (!array_reserve(&heap->chunks, heap->chunks.count + 1))
        return -ENOMEM;
    int error = mali_kernel_bo_create(vm, heap->chunk_B, &chunk);
    if (error)
        return error;
    uint64_t link = 0;
    if (is_linked && heap->chunks.count)
        link = link_of(heap, &heap->chunks.data[heap->chunks.count - 1]);
    drm_gem_write(chunk.gem, 0, &link, sizeof(link));
    heap->chunks.data[heap->chunks.count++] = chunk;
    return 0;
}

static void destroy_heap(struct mali_vm *vm, struct mali_tiler_heap *heap)
{
    if (!heap)
        return;
    array_foreach (&heap->chunks, chunk)
        mali_kernel_bo_destroy(vm, chunk);
    array_finish(&heap->chunks);
    free(heap);
}

void mali_heap_destroy_all(struct mali_vm *vm)
{
    pthread_mutex_lock(&vm->heap_lock);
    for (uint32_t i = 0; i < MALI_VM_HEAPS_MAX; i++) {
        destroy_heap(vm, vm->heaps[i]);
        vm->heaps[i] = NULL;
    }
    mali_kernel_bo_destroy(vm, &vm->heap_contexts);
    pthread_mutex_unlock(&vm->heap_lock);
}

/* ---- ioctls ---- */

static int check_create(const struct drm_panthor_tiler_heap_create *args)
{
    if (args->initial_chunk_count == 0 || args->initial_chunk_count > args->max_chunks)
        return -EINVAL;
    if (args->chunk_size % gpu_space_granularity_B() || args->chunk_size < CHUNK_LEAST_B ||
        args->chunk_size > CHUNK_MOST_B)
        return -EINVAL;
    return 0;
}

/* heap_lock is held. */
static int insert_heap(struct mali_vm *vm, struct mali_tiler_heap *heap, uint32_t *id_out)
{
    if (atomic_load(&vm->is_destroyed))
        return -EINVAL;
    uint32_t id = 0;
    while (id < MALI_VM_HEAPS_MAX && vm->heaps[id])
        id++;
    if (id == MALI_VM_HEAPS_MAX)
        return -EBUSY;
    static const uint8_t zeros[CONTEXT_STRIDE_B];
    drm_gem_write(vm->heap_contexts.gem, (uint64_t)id * CONTEXT_STRIDE_B, zeros, sizeof(zeros));
    vm->heaps[id] = heap;
    *id_out = id;
    return 0;
}

static int create_heap(struct mali_vm *vm, struct drm_panthor_tiler_heap_create *args)
{
    struct mali_tiler_heap *heap = calloc(1, sizeof(*heap));
    if (!heap)
        return -ENOMEM;
    heap->chunk_B = args->chunk_size;
    heap->max_chunks = MIN2(args->max_chunks, chunk_limit());
    heap->target_in_flight = args->target_in_flight;
    uint32_t id = 0;
    int error = 0;
    pthread_mutex_lock(&vm->heap_lock);
    if (!vm->heap_contexts.gem)
        error = mali_kernel_bo_create(vm, MALI_VM_HEAPS_MAX * CONTEXT_STRIDE_B, &vm->heap_contexts);
    for (uint32_t i = 0; i < MIN2(args->initial_chunk_count, heap->max_chunks) && !error; i++)
        error = add_chunk(vm, heap, true);
    if (!error)
        error = insert_heap(vm, heap, &id);
    if (error) {
        destroy_heap(vm, heap);
    } else {
        args->handle = args->vm_id << 16 | id;
        args->tiler_heap_ctx_gpu_va = vm->heap_contexts.va + (uint64_t)id * CONTEXT_STRIDE_B;
        args->first_heap_chunk_gpu_va = heap->chunks.data[heap->chunks.count - 1].va;
    }
    pthread_mutex_unlock(&vm->heap_lock);
    return error;
}

int mali_tiler_heap_create_ioctl(struct drm_file *file, void *data)
{
    struct drm_panthor_tiler_heap_create *args = data;
    struct mali_vm *vm = mali_vm_find(mali_file(file), args->vm_id);
    if (!vm)
        return -EINVAL;
    int error = check_create(args);
    if (!error)
        error = create_heap(vm, args);
    drm_vm_unref(&vm->vm);
    return error;
}

int mali_tiler_heap_destroy_ioctl(struct drm_file *file, void *data)
{
    const struct drm_panthor_tiler_heap_destroy *args = data;
    const uint32_t id = args->handle & 0xffff;
    if (args->pad)
        return -EINVAL;
    struct mali_vm *vm = mali_vm_find(mali_file(file), args->handle >> 16);
    if (!vm)
        return -EINVAL;
    pthread_mutex_lock(&vm->heap_lock);
    struct mali_tiler_heap *heap = id < MALI_VM_HEAPS_MAX ? vm->heaps[id] : NULL;
    if (heap)
        vm->heaps[id] = NULL;
    destroy_heap(vm, heap);
    pthread_mutex_unlock(&vm->heap_lock);
    drm_vm_unref(&vm->vm);
    return heap ? 0 : -EINVAL;
}

/* ---- growth ---- */

/* heap_lock is held. */
static struct mali_tiler_heap *find_heap(const struct mali_vm *vm, uint64_t heap_va)
{
    uint64_t offset_B = heap_va - vm->heap_contexts.va;
    if (!vm->heap_contexts.gem || offset_B >= MALI_VM_HEAPS_MAX * CONTEXT_STRIDE_B)
        return NULL;
    return vm->heaps[offset_B / CONTEXT_STRIDE_B];
}

/* How many fragment jobs are pending makes no difference yet, in the kernel as here. */
int mali_heap_grow(const struct drm_engine_job *job, uint64_t heap_va, uint32_t passes_in_flight,
                   uint32_t fragments_pending, uint64_t *chunk_out)
{
    struct mali_vm *vm = (struct mali_vm *)container_of(job, const struct drm_job, base)->vm;
    pthread_mutex_lock(&vm->heap_lock);
    struct mali_tiler_heap *heap = find_heap(vm, heap_va);
    int error = 0;
    if (!heap)
        error = -EINVAL;
    else if (passes_in_flight > heap->target_in_flight || heap->chunks.count >= heap->max_chunks)
        error = -ENOMEM;
    else
        error = add_chunk(vm, heap, false) ? -ENOMEM : 0;
    if (!error) {
        *chunk_out = link_of(heap, &heap->chunks.data[heap->chunks.count - 1]);
        LOG_DEBUG("mali/model", "the heap at 0x%llx grows to %zu chunks", (unsigned long long)heap_va,
                  (size_t)heap->chunks.count);
    }
    pthread_mutex_unlock(&vm->heap_lock);
    return error;
}
