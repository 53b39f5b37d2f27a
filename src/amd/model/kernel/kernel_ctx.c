/* Contexts: what a process submits to, with a priority and, per ring, a queue and a sequence of fences. A context that
 * is lost stays lost; others go on, and nothing on this device is ever reset as a whole. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "amd/model/kernel/kernel_types.h"
#include "util/bits.h"

#define MAX_CONTEXTS 4096

static bool priority_is_valid(int32_t priority)
{
    switch (priority) {
    case AMDGPU_CTX_PRIORITY_UNSET:
    case AMDGPU_CTX_PRIORITY_VERY_LOW:
    case AMDGPU_CTX_PRIORITY_LOW:
    case AMDGPU_CTX_PRIORITY_NORMAL:
    case AMDGPU_CTX_PRIORITY_HIGH:
    case AMDGPU_CTX_PRIORITY_VERY_HIGH:
        return true;
    default:
        return false;
    }
}

static int check_priority(const struct amd_file *file, int32_t priority)
{
    return priority <= AMDGPU_CTX_PRIORITY_NORMAL || drm_file_may_hurry(&file->file) ? 0 : -EACCES;
}

/* UNSET takes the override away. */
static void override_priority(struct amd_ctx *ctx, int32_t priority)
{
    priority = priority == AMDGPU_CTX_PRIORITY_UNSET ? ctx->priority : priority;
    atomic_store(&ctx->context.priority, priority == AMDGPU_CTX_PRIORITY_UNSET ? AMDGPU_CTX_PRIORITY_NORMAL : priority);
}

struct amd_ctx *amd_ctx_find(struct amd_file *file, uint32_t id)
{
    pthread_mutex_lock(&file->file.lock);
    struct amd_ctx *ctx = drm_handles_get(&file->contexts, id);
    if (ctx)
        drm_context_ref(&ctx->context);
    pthread_mutex_unlock(&file->file.lock);
    return ctx;
}

void amd_ctx_unref(struct amd_ctx *ctx)
{
    if (ctx)
        drm_context_unref(&ctx->context);
}

/* Jobs that are done, from the oldest on, but for so many; none: all that are left, done or not. */
static void forget_jobs(struct amd_entity *entity, uint32_t kept)
{
    while (entity->history.count - entity->first > kept) {
        const struct amd_past_job *job = &entity->history.data[entity->first];
        if (kept && !drm_fence_is_signaled(job->done))
            return;
        drm_fence_unref(job->done);
        drm_fence_unref(job->scheduled);
        entity->first++;
    }
}

void amd_ctx_destroy(struct drm_context *context)
{
    struct amd_ctx *ctx = (struct amd_ctx *)context;
    struct amd_device *device = ctx->device;
    pthread_mutex_lock(&device->drm.lock);
    if (device->pstate_ctx == ctx)
        device->pstate_ctx = NULL;
    pthread_mutex_unlock(&device->drm.lock);
    for (uint32_t ring = 0; ring < AMD_RING_COUNT; ring++) {
        forget_jobs(&ctx->entities[ring], 0);
        array_finish(&ctx->entities[ring].history);
    }
    pthread_mutex_destroy(&ctx->lock);
    free(ctx);
}

static int ctx_new(struct amd_file *file, int32_t priority, struct amd_ctx **ctx_out)
{
    struct amd_ctx *ctx = calloc(1, sizeof(*ctx));
    if (!ctx)
        return -ENOMEM;
    int error = drm_context_init(&ctx->context, &file->device->drm, file->vm, priority);
    if (error) {
        free(ctx);
        return error;
    }
    ctx->device = file->device;
    ctx->priority = priority;
    override_priority(ctx, AMDGPU_CTX_PRIORITY_UNSET);
    pthread_mutex_init(&ctx->lock, NULL);
    for (uint32_t ring = 0; ring < AMD_RING_COUNT; ring++) {
        drm_queue_init(&ctx->entities[ring].queue, &ctx->context, ring);
        ctx->entities[ring].next_seq = 1;
    }
    *ctx_out = ctx;
    return 0;
}

static int alloc_ctx(struct amd_file *file, const struct drm_amdgpu_ctx_in *in, uint32_t *id_out)
{
    /* Old programs leave garbage in the priority: it means normal. */
    int32_t priority = priority_is_valid(in->priority) ? in->priority : AMDGPU_CTX_PRIORITY_NORMAL;
    int error = check_priority(file, priority);
    if (error)
        return error;
    struct amd_ctx *ctx = NULL;
    error = ctx_new(file, priority, &ctx);
    if (error)
        return error;
    pthread_mutex_lock(&file->file.lock);
    error = drm_handles_insert(&file->contexts, ctx, MAX_CONTEXTS, id_out);
    if (!error)
        ctx->context.id = *id_out;
    pthread_mutex_unlock(&file->file.lock);
    if (error)
        amd_ctx_unref(ctx);
    return error;
}

static int free_ctx(struct amd_file *file, uint32_t id)
{
    pthread_mutex_lock(&file->file.lock);
    struct amd_ctx *ctx = drm_handles_remove(&file->contexts, id);
    pthread_mutex_unlock(&file->file.lock);
    if (!ctx)
        return -EINVAL;
    amd_ctx_unref(ctx); /* its jobs go on: they have references */
    return 0;
}

/* Work of a closed file gets a second to end by itself, as in the kernel. */
void amd_ctx_close_all(struct amd_file *file)
{
    int64_t deadline_ns = drm_now_ns() + 1000000000;
    for (uint32_t id = 1; id <= file->contexts.slots.count; id++) {
        struct amd_ctx *ctx = drm_handles_remove(&file->contexts, id);
        if (!ctx)
            continue;
        struct drm_sched *sched = file->device->drm.sched;
        if (!drm_sched_wait_context(sched, &ctx->context, deadline_ns)) {
            drm_sched_kill_context(sched, &ctx->context);
            drm_sched_wait_context(sched, &ctx->context, drm_now_ns() + 1000000000);
        }
        amd_ctx_unref(ctx);
    }
}

const struct amd_chip_ip *amd_chip_ip_find(const struct amd_chip *chip, uint32_t ip_type, enum amd_ring_kind *kind_out)
{
    switch (ip_type) {
    case AMDGPU_HW_IP_GFX:
        *kind_out = AMD_RING_GFX;
        return &chip->ip_gfx;
    case AMDGPU_HW_IP_COMPUTE:
        *kind_out = AMD_RING_COMPUTE;
        return &chip->ip_compute;
    case AMDGPU_HW_IP_DMA:
        *kind_out = AMD_RING_SDMA;
        return &chip->ip_sdma;
    default:
        return NULL;
    }
}

int amd_ctx_entity(struct amd_ctx *ctx, uint32_t ip_type, uint32_t ip_instance, uint32_t ring,
                   struct amd_entity **entity_out)
{
    enum amd_ring_kind kind;
    const struct amd_chip_ip *ip = amd_chip_ip_find(ctx->device->chip, ip_type, &kind);
    if (!ip || ip_instance != 0 || ring >= AMD_MAX_RINGS || !(ip->available_rings >> ring & 1))
        return -EINVAL;
    *entity_out = &ctx->entities[amd_ring_number(kind, ring)];
    return 0;
}

bool amd_entity_reserve(struct amd_entity *entity, uint32_t more)
{
    forget_jobs(entity, AMD_CTX_FENCES);
    /* Where those that were forgotten are half of all each moves once. */
    if (entity->history.count + more > entity->history.capacity && entity->first &&
        entity->first >= entity->history.count / 2) {
        entity->history.count -= entity->first;
        memmove(entity->history.data, entity->history.data + entity->first,
                entity->history.count * sizeof(entity->history.data[0]));
        entity->first = 0;
    }
    return array_reserve(&entity->history, entity->history.count + more);
}

void amd_entity_add(struct amd_entity *entity, struct drm_job *job)
{
    job->seq = entity->next_seq++;
    entity->history.data[entity->history.count++] =
        (struct amd_past_job){drm_fence_ref(job->fence), drm_fence_ref(job->scheduled)};
}

int amd_entity_fence(struct amd_ctx *ctx, struct amd_entity *entity, uint64_t seq, bool scheduled,
                     struct drm_fence **fence_out)
{
    int error = 0;
    *fence_out = NULL;
    pthread_mutex_lock(&ctx->lock);
    if (seq == UINT64_MAX)
        seq = entity->next_seq - 1;
    if (seq >= entity->next_seq) {
        error = -EINVAL;
    } else if (seq != 0 && entity->next_seq - seq <= entity->history.count - entity->first) {
        const struct amd_past_job *job = &entity->history.data[entity->history.count - (entity->next_seq - seq)];
        *fence_out = drm_fence_ref(scheduled ? job->scheduled : job->done);
    }
    pthread_mutex_unlock(&ctx->lock);
    return error;
}

/* ---- CTX ---- */

static void query_state(struct amd_ctx *ctx, union drm_amdgpu_ctx_out *out)
{
    bool lost = atomic_load(&ctx->context.is_guilty);
    memset(out, 0, sizeof(*out));
    /* This older query knows "something was reset since you last asked" and no culprit. */
    out->state.reset_status = lost && !ctx->loss_was_queried ? AMDGPU_CTX_UNKNOWN_RESET : AMDGPU_CTX_NO_RESET;
    ctx->loss_was_queried = lost;
}

static void query_state2(struct amd_ctx *ctx, union drm_amdgpu_ctx_out *out)
{
    memset(out, 0, sizeof(*out));
    if (atomic_load(&ctx->context.is_guilty))
        out->state.flags = AMDGPU_CTX_QUERY2_FLAGS_RESET | AMDGPU_CTX_QUERY2_FLAGS_GUILTY;
}

static int set_stable_pstate(struct amd_ctx *ctx, uint32_t flags)
{
    uint32_t pstate = flags & AMDGPU_CTX_STABLE_PSTATE_FLAGS_MASK;
    if (flags & ~AMDGPU_CTX_STABLE_PSTATE_FLAGS_MASK || pstate > AMDGPU_CTX_STABLE_PSTATE_PEAK)
        return -EINVAL;
    struct amd_device *device = ctx->device;
    int error = 0;
    pthread_mutex_lock(&device->drm.lock);
    if (device->pstate_ctx && device->pstate_ctx != ctx) {
        error = -EBUSY;
    } else {
        ctx->stable_pstate = pstate; /* a model has one clock */
        device->pstate_ctx = pstate == AMDGPU_CTX_STABLE_PSTATE_NONE ? NULL : ctx;
    }
    pthread_mutex_unlock(&device->drm.lock);
    return error;
}

static int run_on_ctx(struct amd_ctx *ctx, union drm_amdgpu_ctx *args)
{
    const struct drm_amdgpu_ctx_in in = args->in;
    int error = 0;
    switch (in.op) {
    case AMDGPU_CTX_OP_QUERY_STATE:
        query_state(ctx, &args->out);
        break;
    case AMDGPU_CTX_OP_QUERY_STATE2:
        query_state2(ctx, &args->out);
        break;
    case AMDGPU_CTX_OP_GET_STABLE_PSTATE:
        if (in.flags)
            return -EINVAL;
        memset(args, 0, sizeof(*args));
        args->out.pstate.flags = ctx->stable_pstate;
        break;
    default:
        error = set_stable_pstate(ctx, in.flags);
        break;
    }
    return error;
}

int amd_ctx_ioctl(struct drm_file *drm_file, void *data)
{
    struct amd_file *file = amd_file(drm_file);
    union drm_amdgpu_ctx *args = data;
    uint32_t id = args->in.ctx_id;
    int error;
    switch (args->in.op) {
    case AMDGPU_CTX_OP_ALLOC_CTX:
        error = alloc_ctx(file, &args->in, &id);
        if (!error) {
            memset(args, 0, sizeof(*args));
            args->out.alloc.ctx_id = id;
        }
        return error;
    case AMDGPU_CTX_OP_FREE_CTX:
        return free_ctx(file, id);
    case AMDGPU_CTX_OP_QUERY_STATE:
    case AMDGPU_CTX_OP_QUERY_STATE2:
    case AMDGPU_CTX_OP_GET_STABLE_PSTATE:
    case AMDGPU_CTX_OP_SET_STABLE_PSTATE:
        break;
    default:
        return -EINVAL;
    }
    struct amd_ctx *ctx = amd_ctx_find(file, id);
    if (!ctx)
        return -EINVAL;
    error = run_on_ctx(ctx, args);
    amd_ctx_unref(ctx);
    return error;
}

/* ---- VM, SCHED ---- */

int amd_vm_ioctl(struct drm_file *file, void *data)
{
    struct amd_vm *vm = (struct amd_vm *)amd_file(file)->vm;
    union drm_amdgpu_vm *args = data;
    if (args->in.flags)
        return -EINVAL;
    switch (args->in.op) {
    case AMDGPU_VM_OP_RESERVE_VMID: /* an address space of the model always has its place */
    case AMDGPU_VM_OP_UNRESERVE_VMID:
        pthread_mutex_lock(&vm->vm.lock);
        vm->reserved_vmid = args->in.op == AMDGPU_VM_OP_RESERVE_VMID;
        pthread_mutex_unlock(&vm->vm.lock);
        memset(args, 0, sizeof(*args));
        return 0;
    default:
        return -EINVAL;
    }
}

/* The file of an fd cannot be found from here: in a process a model's files are the shim's or the provider's objects.
 * The master overrides contexts of its own. */
int amd_sched_ioctl(struct drm_file *drm_file, void *data)
{
    struct amd_file *file = amd_file(drm_file);
    const union drm_amdgpu_sched *args = data;
    if (args->in.op != AMDGPU_SCHED_OP_PROCESS_PRIORITY_OVERRIDE &&
        args->in.op != AMDGPU_SCHED_OP_CONTEXT_PRIORITY_OVERRIDE)
        return -EINVAL;
    if (!priority_is_valid(args->in.priority))
        return -EINVAL;
    if (fcntl((int)args->in.fd, F_GETFD) < 0)
        return -EINVAL;
    if (args->in.op == AMDGPU_SCHED_OP_CONTEXT_PRIORITY_OVERRIDE) {
        struct amd_ctx *ctx = amd_ctx_find(file, args->in.ctx_id);
        if (!ctx)
            return -EINVAL;
        override_priority(ctx, args->in.priority);
        amd_ctx_unref(ctx);
        return 0;
    }
    pthread_mutex_lock(&file->file.lock);
    for (uint32_t id = 1; id <= file->contexts.slots.count; id++) {
        struct amd_ctx *ctx = drm_handles_get(&file->contexts, id);
        if (ctx)
            override_priority(ctx, args->in.priority);
    }
    pthread_mutex_unlock(&file->file.lock);
    return 0;
}
