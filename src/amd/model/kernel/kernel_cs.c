/* CS: a submission. First everything is read and checked, in the kernel's order, into a parser that owns what it has
 * found; then jobs are queued and fences are published. Until that point an error changes nothing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "amd/model/kernel/kernel_sched.h"
#include "model/drm/drm_user.h"
#include "util/bits.h"
#include "util/log.h"

#define MAX_GANG 4 /* rings that one submission may use together */
#define SUBMIT_TIMEOUT_NS 5000000000ll

struct chunk {
    uint32_t id;
    uint32_t size_B;
    void *data; /* a copy */
};

struct post_dependency {
    struct drm_syncobj *object; /* a reference */
    uint64_t point;             /* 0: binary */
};

struct parser {
    struct amd_file *file;
    struct amd_ctx *ctx;
    ARRAY(struct chunk) chunks;
    struct amd_job *jobs[MAX_GANG]; /* in the order of their first IB; the last is the leader */
    uint32_t job_count;
    struct amd_bo *user_fence_bo;
    uint32_t user_fence_offset_B;
    bool has_bo_list;
    struct amd_bo_list bos;
    ARRAY(struct drm_fence *) dependencies;
    ARRAY(struct post_dependency) posts;
    bool has_posts;
};

static void parser_finish(struct parser *parser)
{
    array_foreach (&parser->chunks, chunk)
        free(chunk->data);
    array_finish(&parser->chunks);
    for (uint32_t i = 0; i < parser->job_count; i++)
        amd_job_destroy(parser->jobs[i]);
    amd_bo_unref(parser->user_fence_bo);
    amd_bo_list_destroy(&parser->bos);
    array_foreach (&parser->dependencies, fence)
        drm_fence_unref(*fence);
    array_finish(&parser->dependencies);
    array_foreach (&parser->posts, post)
        drm_syncobj_unref(post->object);
    array_finish(&parser->posts);
    amd_ctx_unref(parser->ctx);
}

/* ---- reading ---- */

/* Headers in one copy, data in another, however many chunks there are. */
static int read_chunks(struct parser *parser, uint64_t user_pointers, uint32_t count)
{
    uint64_t *pointers = NULL;
    int error = drm_copy_array_from_user((void **)&pointers, user_pointers, count, sizeof(*pointers));
    struct drm_amdgpu_cs_chunk *headers = error ? NULL : calloc(count, sizeof(*headers));
    struct drm_user_copy *copies = error ? NULL : calloc(count, sizeof(*copies));
    if (!error && (!headers || !copies || !array_reserve(&parser->chunks, count)))
        error = -ENOMEM;
    for (uint32_t i = 0; i < count && !error; i++)
        copies[i] = (struct drm_user_copy){&headers[i], pointers[i], sizeof(headers[i])};
    if (!error)
        error = drm_copy_list_from_user(copies, count);
    for (uint32_t i = 0; i < count && !error; i++) {
        struct chunk chunk = {.id = headers[i].chunk_id, .size_B = headers[i].length_dw * 4u};
        if (headers[i].length_dw > UINT32_MAX / 4 || !(chunk.data = malloc(chunk.size_B + 4ull))) {
            error = -ENOMEM;
            break;
        }
        copies[i] = (struct drm_user_copy){chunk.data, headers[i].chunk_data, chunk.size_B};
        parser->chunks.data[parser->chunks.count++] = chunk;
    }
    if (!error)
        error = drm_copy_list_from_user(copies, count);
    free(pointers);
    free(headers);
    free(copies);
    return error;
}

static int find_job(struct parser *parser, struct amd_entity *entity, struct amd_job **job_out)
{
    for (uint32_t i = 0; i < parser->job_count; i++) {
        if (parser->jobs[i]->entity == entity) {
            *job_out = parser->jobs[i];
            return 0;
        }
    }
    if (parser->job_count == MAX_GANG)
        return -EINVAL;
    struct amd_job *job = amd_job_create(entity);
    if (!job)
        return -ENOMEM;
    parser->jobs[parser->job_count++] = job;
    *job_out = job;
    return 0;
}

static int read_ib(struct parser *parser, const struct chunk *chunk)
{
    const struct drm_amdgpu_cs_chunk_ib *ib = chunk->data;
    if (chunk->size_B < sizeof(*ib))
        return -EINVAL;
    struct amd_entity *entity;
    struct amd_job *job = NULL;
    int error = amd_ctx_entity(parser->ctx, ib->ip_type, ib->ip_instance, ib->ring, &entity);
    if (!error)
        error = find_job(parser, entity, &job);
    if (error)
        return error;
    if (ib->flags & AMDGPU_IB_FLAGS_SECURE)
        return -EINVAL; /* no trusted memory zone */
    struct amd_engine_ib engine_ib = {.va = ib->va_start, .size_dw = ib->ib_bytes / 4, .flags = ib->flags};
    return array_push(&job->ibs, engine_ib) ? 0 : -ENOMEM;
}

static int read_user_fence(struct parser *parser, const struct chunk *chunk)
{
    const struct drm_amdgpu_cs_chunk_fence *fence = chunk->data;
    if (chunk->size_B < sizeof(*fence))
        return -EINVAL;
    struct amd_bo *bo = amd_bo_find(parser->file, fence->handle);
    if (!bo)
        return -EINVAL;
    amd_bo_unref(parser->user_fence_bo);
    parser->user_fence_bo = bo;
    parser->user_fence_offset_B = fence->offset;
    if (bo->size_B != gpu_space_granularity_B() || fence->offset > bo->size_B - 8 || bo->user_memory)
        return -EINVAL;
    return 0;
}

static int read_bo_handles(struct parser *parser, const struct chunk *chunk)
{
    const struct drm_amdgpu_bo_list_in *list = chunk->data;
    if (chunk->size_B < sizeof(*list) || parser->has_bo_list)
        return -EINVAL;
    parser->has_bo_list = true;
    return amd_bo_list_from_user(parser->file, list, &parser->bos);
}

static int add_dependency(struct parser *parser, struct drm_fence *fence)
{
    if (!fence)
        return 0;
    if (!array_push(&parser->dependencies, fence)) {
        drm_fence_unref(fence);
        return -ENOMEM;
    }
    return 0;
}

static int read_dependencies(struct parser *parser, const struct chunk *chunk)
{
    const struct drm_amdgpu_cs_chunk_dep *deps = chunk->data;
    bool scheduled = chunk->id == AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES;
    int error = 0;
    for (uint32_t i = 0; i < chunk->size_B / sizeof(*deps) && !error; i++) {
        struct amd_ctx *ctx = amd_ctx_find(parser->file, deps[i].ctx_id);
        if (!ctx)
            return -EINVAL;
        struct amd_entity *entity;
        struct drm_fence *fence = NULL;
        error = amd_ctx_entity(ctx, deps[i].ip_type, deps[i].ip_instance, deps[i].ring, &entity);
        if (!error)
            error = amd_entity_fence(entity, deps[i].handle, scheduled, &fence);
        amd_ctx_unref(ctx);
        if (!error)
            error = add_dependency(parser, fence);
    }
    return error;
}

static int add_syncobj_wait(struct parser *parser, uint32_t handle, uint64_t point, uint32_t flags)
{
    struct drm_syncobj *object = drm_syncobj_find(&parser->file->syncobjs, handle);
    if (!object)
        return -ENOENT;
    struct drm_fence *fence = NULL;
    int error = flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT
                    ? drm_syncobj_await_fence(object, point, drm_now_ns() + SUBMIT_TIMEOUT_NS, &fence)
                    : drm_syncobj_find_fence(object, point, &fence);
    drm_syncobj_unref(object);
    return error ? error : add_dependency(parser, fence);
}

static int add_syncobj_signal(struct parser *parser, uint32_t handle, uint64_t point)
{
    struct drm_syncobj *object = drm_syncobj_find(&parser->file->syncobjs, handle);
    if (!object)
        return -EINVAL;
    if (!array_push(&parser->posts, (struct post_dependency){object, point})) {
        drm_syncobj_unref(object);
        return -ENOMEM;
    }
    return 0;
}

/* Binary waits and signals are arrays of handles; timeline ones have points and flags. */
static int read_syncobjs(struct parser *parser, const struct chunk *chunk)
{
    bool timeline =
        chunk->id == AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT || chunk->id == AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL;
    bool waits = chunk->id == AMDGPU_CHUNK_ID_SYNCOBJ_IN || chunk->id == AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT;
    if (!waits) {
        if (parser->has_posts)
            return -EINVAL;
        parser->has_posts = true;
    }
    uint32_t count = chunk->size_B /
                     (timeline ? sizeof(struct drm_amdgpu_cs_chunk_syncobj) : sizeof(struct drm_amdgpu_cs_chunk_sem));
    int error = 0;
    for (uint32_t i = 0; i < count && !error; i++) {
        struct drm_amdgpu_cs_chunk_syncobj item = {0};
        if (timeline)
            item = ((const struct drm_amdgpu_cs_chunk_syncobj *)chunk->data)[i];
        else
            item.handle = ((const struct drm_amdgpu_cs_chunk_sem *)chunk->data)[i].handle;
        error = waits ? add_syncobj_wait(parser, item.handle, item.point, item.flags)
                      : add_syncobj_signal(parser, item.handle, item.point);
    }
    return error;
}

struct chunk_row {
    int (*read)(struct parser *parser, const struct chunk *chunk);
    int pass; /* the kernel looks at what a job is before it looks at what the job waits for */
};

static const struct chunk_row chunk_rows[] = {
    [AMDGPU_CHUNK_ID_IB] = {read_ib, 1},
    [AMDGPU_CHUNK_ID_FENCE] = {read_user_fence, 1},
    [AMDGPU_CHUNK_ID_DEPENDENCIES] = {read_dependencies, 2},
    [AMDGPU_CHUNK_ID_SYNCOBJ_IN] = {read_syncobjs, 2},
    [AMDGPU_CHUNK_ID_SYNCOBJ_OUT] = {read_syncobjs, 2},
    [AMDGPU_CHUNK_ID_BO_HANDLES] = {read_bo_handles, 1},
    [AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES] = {read_dependencies, 2},
    [AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT] = {read_syncobjs, 2},
    [AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL] = {read_syncobjs, 2},
};

/* The kernel explains a refusal in its log; so do we, for who asks (TUFF_LOG=debug). */
static int refuse(const struct chunk *chunk, int error)
{
    LOG_DEBUG("amd/model", "submission refused: chunk 0x%x of %u bytes: %s", chunk->id, chunk->size_B,
              strerror(-error));
    return error;
}

static int run_pass(struct parser *parser, int pass)
{
    for (uint32_t i = 0; i < parser->chunks.count; i++) {
        const struct chunk *chunk = &parser->chunks.data[i];
        if (chunk->id >= ARRAY_SIZE(chunk_rows) || !chunk_rows[chunk->id].read)
            return refuse(chunk, -EINVAL);
        int error = chunk_rows[chunk->id].pass == pass ? chunk_rows[chunk->id].read(parser, chunk) : 0;
        if (error)
            return refuse(chunk, error);
    }
    return 0;
}

/* User memory that is gone cannot be used by a job; a buffer of another process's memory not at all. */
static int check_bos(struct amd_bo_list *list)
{
    array_foreach (&list->bos, bo) {
        if (!(*bo)->user_memory)
            continue;
        if ((*bo)->user_generation != drm_process_generation())
            return -EPERM;
        int error = drm_check_user_range((uintptr_t)(*bo)->user_memory, (*bo)->size_B);
        if (error)
            return error;
    }
    return 0;
}

static int parse(struct parser *parser, const struct drm_amdgpu_cs_in *in)
{
    if (in->num_chunks == 0)
        return -EINVAL;
    parser->ctx = amd_ctx_find(parser->file, in->ctx_id);
    if (!parser->ctx)
        return -EINVAL;
    if (atomic_load(&parser->ctx->guilty))
        return -ECANCELED;
    int error = read_chunks(parser, in->chunks, in->num_chunks);
    if (!error)
        error = run_pass(parser, 1);
    if (!error && parser->job_count == 0)
        error = -EINVAL;
    if (!error && in->bo_list_handle) {
        error = parser->has_bo_list ? -EINVAL : amd_bo_list_copy(parser->file, in->bo_list_handle, &parser->bos);
    }
    if (!error)
        error = run_pass(parser, 2);
    if (!error)
        error = check_bos(&parser->bos);
    return error;
}

/* ---- submitting ---- */

/* The parts of the on-chip memories that the list gives to the job. */
static void assign_partitions(struct amd_job *job)
{
    array_foreach (&job->bos.bos, bo) {
        struct amd_engine_partition partition = {(uint32_t)(*bo)->offset_B, (uint32_t)(*bo)->size_B};
        if ((*bo)->heap == AMD_HEAP_GDS)
            job->base.gds_B = partition;
        else if ((*bo)->heap == AMD_HEAP_GWS)
            job->base.gws = partition;
        else if ((*bo)->heap == AMD_HEAP_OA)
            job->base.oa = partition;
    }
}

/* Every job of a gang keeps the buffers alive; the last one takes the parser's own references. */
static int give_bos(struct parser *parser)
{
    for (uint32_t i = 0; i < parser->job_count; i++) {
        struct amd_job *job = parser->jobs[i];
        if (i + 1 == parser->job_count) {
            job->bos = parser->bos;
            parser->bos = (struct amd_bo_list){0};
        } else if (!array_reserve(&job->bos.bos, parser->bos.bos.count)) {
            return -ENOMEM;
        } else {
            array_foreach (&parser->bos.bos, bo)
                job->bos.bos.data[job->bos.bos.count++] = amd_bo_ref(*bo);
        }
        assign_partitions(job);
    }
    return 0;
}

/* Give every job what it needs to run and to end. */
static int complete_jobs(struct parser *parser)
{
    int error = give_bos(parser);
    for (uint32_t i = 0; i < parser->job_count && !error; i++) {
        array_foreach (&parser->dependencies, fence)
            error = error ? error : amd_job_depend(parser->jobs[i], *fence);
    }
    if (error)
        return error;
    struct amd_job *leader = parser->jobs[parser->job_count - 1];
    if (parser->user_fence_bo) {
        leader->user_fence_bo = amd_bo_ref(parser->user_fence_bo);
        leader->user_fence_offset_B = parser->user_fence_offset_B;
    }
    /* The leader's fence stands for the whole gang, so it ends last. */
    for (uint32_t i = 0; i + 1 < parser->job_count; i++) {
        if (amd_job_depend(leader, parser->jobs[i]->scheduled))
            return -ENOMEM;
    }
    return 0;
}

/* A context may have a limited number of jobs in flight: wait for the one whose place in the history we need. */
static void throttle(struct parser *parser)
{
    for (uint32_t i = 0; i < parser->job_count; i++) {
        struct amd_entity *entity = parser->jobs[i]->entity;
        pthread_mutex_lock(&parser->ctx->lock);
        struct drm_fence *oldest = entity->fences[entity->next_seq % AMD_CTX_FENCES];
        if (oldest)
            drm_fence_ref(oldest);
        pthread_mutex_unlock(&parser->ctx->lock);
        if (oldest)
            drm_fence_wait(oldest, INT64_MAX);
        drm_fence_unref(oldest);
    }
}

static void remember_fence(struct drm_fence **place, struct drm_fence *fence)
{
    drm_fence_unref(*place);
    *place = drm_fence_ref(fence);
}

/* The jobs that use a buffer or a space, for those who wait for it to be idle. */
static void publish_use(struct amd_job *job)
{
    struct amd_vm *vm = job->vm;
    amd_bo_add_fence(vm->device, job->bos.bos.data, job->bos.bos.count, job->fence);
    if (job->user_fence_bo)
        amd_bo_add_fence(vm->device, &job->user_fence_bo, 1, job->fence);
    pthread_mutex_lock(&vm->device->lock);
    for (uint32_t i = 0; i < vm->fences.count;) {
        if (drm_fence_is_signaled(vm->fences.data[i])) {
            drm_fence_unref(vm->fences.data[i]);
            array_remove_swap(&vm->fences, i);
        } else {
            i++;
        }
    }
    if (array_push(&vm->fences, job->fence))
        drm_fence_ref(job->fence);
    pthread_mutex_unlock(&vm->device->lock);
}

static int queue_jobs(struct parser *parser, uint64_t *handle_out)
{
    struct amd_sched *sched = parser->file->device->sched;
    struct amd_job *leader = parser->jobs[parser->job_count - 1];
    struct drm_fence *done = drm_fence_ref(leader->fence);
    int error = 0;
    pthread_mutex_lock(&parser->ctx->lock);
    for (uint32_t i = 0; i < parser->job_count && !error; i++) {
        struct amd_job *job = parser->jobs[i];
        struct amd_entity *entity = job->entity;
        job->seq = entity->next_seq;
        publish_use(job);
        struct drm_fence *fence = drm_fence_ref(job->fence), *scheduled = drm_fence_ref(job->scheduled);
        uint64_t seq = job->seq;
        error = amd_sched_queue(sched, job);
        if (!error) {
            parser->jobs[i] = NULL; /* the scheduler's now */
            entity->next_seq++;
            remember_fence(&entity->fences[seq % AMD_CTX_FENCES], fence);
            remember_fence(&entity->scheduled[seq % AMD_CTX_FENCES], scheduled);
            *handle_out = seq;
        }
        drm_fence_unref(fence);
        drm_fence_unref(scheduled);
    }
    pthread_mutex_unlock(&parser->ctx->lock);
    array_foreach (&parser->posts, post) {
        int failed = error         ? 0
                     : post->point ? drm_syncobj_add_point(post->object, done, post->point)
                                   : drm_syncobj_replace(post->object, done);
        if (failed)
            LOG_ERROR("amd/model", "out of memory: a synchronisation object will not be signaled");
    }
    drm_fence_unref(done);
    amd_sched_kick(sched);
    return error;
}

int amd_cs_ioctl(struct amd_file *file, void *data)
{
    union drm_amdgpu_cs *args = data;
    const struct drm_amdgpu_cs_in in = args->in;
    struct parser parser = {.file = file};
    uint64_t handle = 0;
    amd_vm_settle(file->vm);
    int error = parse(&parser, &in);
    if (!error)
        error = complete_jobs(&parser);
    if (!error) {
        throttle(&parser);
        error = amd_implicit_sync(parser.jobs, parser.job_count, &parser.jobs[parser.job_count - 1]->bos);
    }
    if (!error)
        error = queue_jobs(&parser, &handle);
    if (!error) {
        memset(args, 0, sizeof(*args));
        args->out.handle = handle;
    }
    parser_finish(&parser);
    return error;
}
