/* Contexts and submissions: one ioctl with its chunks, put together on the stack but for lists that grow with the
 * program. */
#include <errno.h>
#include <stdlib.h>

#include "amd/driver/ws.h"

int amd_ws_context_create(struct ws_device *device, int32_t priority, uint32_t *context_out)
{
    union drm_amdgpu_ctx args = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX, .priority = priority}};
    int error = kernel_ioctl(device->file, DRM_IOCTL_AMDGPU_CTX, &args);
    if (!error)
        *context_out = args.out.alloc.ctx_id;
    return error;
}

void amd_ws_context_destroy(struct ws_device *device, uint32_t context)
{
    union drm_amdgpu_ctx args = {.in = {.op = AMDGPU_CTX_OP_FREE_CTX, .ctx_id = context}};
    kernel_ioctl(device->file, DRM_IOCTL_AMDGPU_CTX, &args);
}

int amd_ws_context_status(struct ws_device *device, uint32_t context)
{
    union drm_amdgpu_ctx args = {.in = {.op = AMDGPU_CTX_OP_QUERY_STATE2, .ctx_id = context}};
    int error = kernel_ioctl(device->file, DRM_IOCTL_AMDGPU_CTX, &args);
    if (error)
        return error;
    if (args.out.state.flags & (AMDGPU_CTX_QUERY2_FLAGS_GUILTY | AMDGPU_CTX_QUERY2_FLAGS_VRAMLOST))
        return -ECANCELED;
    return args.out.state.flags & AMDGPU_CTX_QUERY2_FLAGS_RESET ? -ENODATA : 0;
}

enum {
    STACK_POINTS = 16,
    MAX_CHUNKS = 2 * WS_MAX_IBS + 3
};

struct chunks {
    struct drm_amdgpu_cs_chunk chunk[MAX_CHUNKS];
    uint64_t pointers[MAX_CHUNKS];
    uint32_t count;
};

static void add_chunk(struct chunks *chunks, uint32_t id, const void *data, size_t size_B)
{
    chunks->chunk[chunks->count] = (struct drm_amdgpu_cs_chunk){
        .chunk_id = id, .length_dw = (uint32_t)(size_B / 4), .chunk_data = (uintptr_t)data};
    chunks->pointers[chunks->count] = (uintptr_t)&chunks->chunk[chunks->count];
    chunks->count++;
}

static void fill_points(struct drm_amdgpu_cs_chunk_syncobj *out, const struct ws_sync_point *points, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = (struct drm_amdgpu_cs_chunk_syncobj){.handle = points[i].handle, .point = points[i].point};
}

/* The buffers that other processes know, or that are the application's memory. With the device's lock held. */
static uint32_t list_shared(struct ws_device *device, struct drm_amdgpu_bo_list_entry *entries)
{
    uint32_t count = 0;
    list_foreach (&device->shared, struct ws_bo, bo, shared_link)
        entries[count++] = (struct drm_amdgpu_bo_list_entry){.bo_handle = bo->gem.handle};
    return count;
}

int amd_ws_submit(struct ws_device *device, const struct ws_submit *submit, uint64_t *sequence_out)
{
    struct chunks chunks = {.count = 0};
    struct drm_amdgpu_cs_chunk_ib ibs[2 * WS_MAX_IBS];
    const uint32_t first = submit->companion_count;
    struct drm_amdgpu_cs_chunk_syncobj stack_points[STACK_POINTS], *points = stack_points;
    uint32_t num_points = submit->wait_count + submit->signal_count;
    if (submit->ib_count > WS_MAX_IBS || first > WS_MAX_IBS)
        return -EINVAL;
    if (num_points > STACK_POINTS) {
        points = malloc(num_points * sizeof(*points));
        if (!points)
            return -ENOMEM;
    }
    /* The ring of the last one leads, and its fence stands for all. */
    for (uint32_t i = 0; i < first + submit->ib_count; i++) {
        const struct ws_ib *ib = i < first ? &submit->companions[i] : &submit->ibs[i - first];
        ibs[i] = (struct drm_amdgpu_cs_chunk_ib){.va_start = ib->va,
                                                 .ib_bytes = ib->size_dw * 4,
                                                 .ip_type = i < first ? AMDGPU_HW_IP_COMPUTE : submit->ip_type,
                                                 .ring = i < first ? 0 : submit->ring,
                                                 .flags = ib->flags};
        add_chunk(&chunks, AMDGPU_CHUNK_ID_IB, &ibs[i], sizeof(ibs[i]));
    }
    fill_points(points, submit->waits, submit->wait_count);
    fill_points(points + submit->wait_count, submit->signals, submit->signal_count);
    if (submit->wait_count)
        add_chunk(&chunks, AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT, points, submit->wait_count * sizeof(*points));
    if (submit->signal_count)
        add_chunk(&chunks, AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, points + submit->wait_count,
                  submit->signal_count * sizeof(*points));

    /* Held over the ioctl: a shared buffer that is destroyed now must not be in the list any more when the kernel reads
     * it. */
    pthread_mutex_lock(&device->gems.lock);
    int error = 0;
    struct drm_amdgpu_bo_list_entry *entries = NULL;
    struct drm_amdgpu_bo_list_in list = {.operation = ~0u, .list_handle = ~0u, .bo_info_size = sizeof(*entries)};
    if (device->num_shared) {
        entries = malloc(device->num_shared * sizeof(*entries));
        error = entries ? 0 : -ENOMEM;
    }
    if (!error) {
        list.bo_number = list_shared(device, entries);
        list.bo_info_ptr = (uintptr_t)entries;
        if (list.bo_number)
            add_chunk(&chunks, AMDGPU_CHUNK_ID_BO_HANDLES, &list, sizeof(list));
        union drm_amdgpu_cs args = {
            .in = {.ctx_id = submit->context, .num_chunks = chunks.count, .chunks = (uintptr_t)chunks.pointers}};
        error = kernel_ioctl(device->file, DRM_IOCTL_AMDGPU_CS, &args);
        if (!error)
            *sequence_out = args.out.handle;
    }
    pthread_mutex_unlock(&device->gems.lock);
    free(entries);
    if (points != stack_points)
        free(points);
    return error;
}

int amd_ws_wait(struct ws_device *device, uint32_t context, uint32_t ip_type, uint32_t ring, uint64_t sequence,
                uint64_t deadline_ns)
{
    union drm_amdgpu_wait_cs args = {
        .in = {.handle = sequence, .timeout = deadline_ns, .ip_type = ip_type, .ring = ring, .ctx_id = context}};
    int error = kernel_ioctl(device->file, DRM_IOCTL_AMDGPU_WAIT_CS, &args);
    return error ? error : args.out.status == 0;
}
