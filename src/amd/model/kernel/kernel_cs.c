/* CS: a submission. First everything is read and checked, in the kernel's order, into a parser that owns what it has
 * found; then jobs are queued and fences are published. Until that point an error changes nothing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "amd/model/kernel/kernel_types.h"
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
    struct drm_syncobj_room room;
    uint64_t point; /* 0: binary */
};

struct parser {
    struct amd_file *file;
    struct amd_ctx *ctx;
    ARRAY(struct chunk) chunks;
    struct amd_job *jobs[MAX_GANG]; /* in the order of their first IB; the last is the leader */
    uint32_t job_count;
    struct drm_gem *user_fence_gem;
    uint32_t user_fence_offset_B;
    bool has_bo_list;
    struct drm_use_list bos;
    ARRAY(struct drm_fence *) dependencies;
    ARRAY(struct post_dependency) posts;
    bool has_posts;
};

/* ---- jobs ---- */

/* A preamble sets up state that the ring still has when the same context ran last; the first one always runs. */
static void drop_preambles(struct amd_job *job, bool is_same_queue)
{
    struct amd_entity *entity = (struct amd_entity *)job->job.queue;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < job->ibs.count; i++) {
        bool is_preamble = job->ibs.data[i].flags & AMDGPU_IB_FLAG_PREAMBLE;
        if (is_same_queue && is_preamble && entity->had_preamble)
            continue;
        entity->had_preamble |= is_preamble;
        job->ibs.data[kept++] = job->ibs.data[i];
    }
    job->ibs.count = kept;
}

static void job_starts(struct drm_job *base, bool is_same_queue)
{
    struct amd_job *job = (struct amd_job *)base;
    drop_preambles(job, is_same_queue);
    job->work.ibs = job->ibs.data;
    job->work.ib_count = job->ibs.count;
    base->base.work = &job->work;
    amd_trace_job(job);
}

static void job_ended(struct drm_job *base, int error)
{
    const struct amd_job *job = (const struct amd_job *)base;
    if (!error && job->user_fence_gem)
        drm_gem_write(job->user_fence_gem, job->user_fence_offset_B, &base->seq, sizeof(base->seq));
}

static void job_finish(struct drm_job *base)
{
    struct amd_job *job = (struct amd_job *)base;
    array_finish(&job->ibs);
    drm_gem_unref(job->user_fence_gem);
}

static const struct drm_job_ops job_ops = {
    .job_B = sizeof(struct amd_job), .starts = job_starts, .ended = job_ended, .finish = job_finish};

static void destroy_job(struct amd_job *job)
{
    if (job)
        drm_job_destroy(&job->job);
}

/* ---- the parser ---- */

static void parser_finish(struct parser *parser)
{
    array_foreach (&parser->chunks, chunk)
        free(chunk->data);
    array_finish(&parser->chunks);
    for (uint32_t i = 0; i < parser->job_count; i++)
        destroy_job(parser->jobs[i]);
    drm_gem_unref(parser->user_fence_gem);
    drm_use_list_finish(&parser->bos);
    array_foreach (&parser->dependencies, fence)
        drm_fence_unref(*fence);
    array_finish(&parser->dependencies);
    array_foreach (&parser->posts, post)
        drm_syncobj_room_finish(&post->room);
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

/* The job of the last buffer leads the gang: it stands last. */
static int find_job(struct parser *parser, struct amd_entity *entity, struct amd_job **job_out)
{
    for (uint32_t i = 0; i < parser->job_count; i++) {
        if (parser->jobs[i]->job.queue == &entity->queue) {
            *job_out = parser->jobs[i];
            for (; i + 1 < parser->job_count; i++)
                parser->jobs[i] = parser->jobs[i + 1];
            parser->jobs[i] = *job_out;
            return 0;
        }
    }
    if (parser->job_count == MAX_GANG)
        return -EINVAL;
    struct amd_job *job = (struct amd_job *)drm_job_create(&job_ops, &entity->queue);
    if (!job)
        return -ENOMEM;
    parser->jobs[parser->job_count++] = job;
    *job_out = job;
    return 0;
}

uint32_t amd_cs_max_ibs(uint32_t ip_type)
{
    switch (ip_type) {
    case AMDGPU_HW_IP_GFX:
        return 192;
    case AMDGPU_HW_IP_COMPUTE:
        return 125;
    case AMDGPU_HW_IP_VCN_JPEG:
        return 16;
    default:
        return 49;
    }
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
    if (job->ibs.count >= amd_cs_max_ibs(ib->ip_type))
        return -EINVAL;
    struct amd_engine_ib engine_ib = {.va = ib->va_start, .size_dw = ib->ib_bytes / 4, .flags = ib->flags};
    return array_push(&job->ibs, engine_ib) ? 0 : -ENOMEM;
}

static int read_user_fence(struct parser *parser, const struct chunk *chunk)
{
    const struct drm_amdgpu_cs_chunk_fence *fence = chunk->data;
    if (chunk->size_B < sizeof(*fence))
        return -EINVAL;
    struct drm_gem *gem = drm_gem_find(&parser->file->file, fence->handle);
    if (!gem)
        return -EINVAL;
    drm_gem_unref(parser->user_fence_gem);
    parser->user_fence_gem = gem;
    parser->user_fence_offset_B = fence->offset;
    if (gem->size_B != gpu_space_granularity_B() || fence->offset > gem->size_B - 8 || gem->user_memory)
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
            error = amd_entity_fence(ctx, entity, deps[i].handle, scheduled, &fence);
        amd_ctx_unref(ctx);
        if (!error)
            error = add_dependency(parser, fence);
    }
    return error;
}

static int add_syncobj_wait(struct parser *parser, uint32_t handle, uint64_t point, uint32_t flags)
{
    struct drm_syncobj *object = drm_syncobj_find(&parser->file->file.syncobjs, handle);
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
    struct drm_syncobj *object = drm_syncobj_find(&parser->file->file.syncobjs, handle);
    if (!object)
        return -EINVAL;
    struct post_dependency post = {.point = point};
    int error = drm_syncobj_prepare(object, &post.room);
    drm_syncobj_unref(object);
    if (!error && !array_push(&parser->posts, post)) {
        drm_syncobj_room_finish(&post.room);
        error = -ENOMEM;
    }
    return error;
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

/* The kernel explains a refusal in its log; so do we, with TUFF_LOG=debug. */
static int refuse_chunk(const struct chunk *chunk, int error)
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
            return refuse_chunk(chunk, -EINVAL);
        int error = chunk_rows[chunk->id].pass == pass ? chunk_rows[chunk->id].read(parser, chunk) : 0;
        if (error)
            return refuse_chunk(chunk, error);
    }
    return 0;
}

static int check_bos(const struct drm_use_list *list)
{
    int error = 0;
    array_foreach (&list->uses, use)
        error = error ? error : drm_gem_check(use->gem);
    return error;
}

static int parse_chunks(struct parser *parser, const struct drm_amdgpu_cs_in *in)
{
    if (in->num_chunks == 0)
        return -EINVAL;
    parser->ctx = amd_ctx_find(parser->file, in->ctx_id);
    if (!parser->ctx)
        return -EINVAL;
    if (atomic_load(&parser->ctx->context.is_guilty))
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
static void assign_partitions(struct amd_job *job, const struct drm_heap *heaps)
{
    array_foreach (&job->job.uses.uses, use) {
        const struct drm_gem *gem = use->gem;
        struct amd_engine_partition partition = {(uint32_t)gem->offset_B, (uint32_t)gem->size_B};
        if (gem->heap == &heaps[AMD_HEAP_GDS])
            job->work.gds_B = partition;
        else if (gem->heap == &heaps[AMD_HEAP_GWS])
            job->work.gws = partition;
        else if (gem->heap == &heaps[AMD_HEAP_OA])
            job->work.oa = partition;
    }
}

/* Every job of a gang keeps the buffers alive; the last one takes the parser's own references. */
static int give_bos(struct parser *parser)
{
    for (uint32_t i = 0; i < parser->job_count; i++) {
        struct amd_job *job = parser->jobs[i];
        if (i + 1 == parser->job_count) {
            job->job.uses = parser->bos;
            parser->bos = (struct drm_use_list){0};
        } else if (drm_use_list_copy(&job->job.uses, &parser->bos)) {
            return -ENOMEM;
        }
        assign_partitions(job, parser->file->device->heaps);
    }
    return 0;
}

/* Give every job what it needs to run and to end. */
static int complete_jobs(struct parser *parser)
{
    int error = give_bos(parser);
    for (uint32_t i = 0; i < parser->job_count && !error; i++) {
        array_foreach (&parser->dependencies, fence)
            error = error ? error : drm_job_depend(&parser->jobs[i]->job, *fence);
    }
    if (error)
        return error;
    struct amd_job *leader = parser->jobs[parser->job_count - 1];
    if (parser->user_fence_gem) {
        leader->user_fence_gem = drm_gem_ref(parser->user_fence_gem);
        leader->user_fence_offset_B = parser->user_fence_offset_B;
    }
    /* The leader's fence stands for the whole gang, so it ends last. */
    for (uint32_t i = 0; i + 1 < parser->job_count; i++) {
        if (drm_job_depend(&leader->job, parser->jobs[i]->job.scheduled))
            return -ENOMEM;
    }
    return 0;
}

/* For waits until a buffer or a space is idle. */
static int publish_uses(const struct parser *parser)
{
    struct drm_job *jobs[MAX_GANG];
    for (uint32_t i = 0; i < parser->job_count; i++)
        jobs[i] = &parser->jobs[i]->job;
    const struct amd_job *leader = parser->jobs[parser->job_count - 1];
    struct drm_use use = {leader->user_fence_gem, DRM_USE_WRITE};
    const struct drm_use_list user_fence = {{&use, 1, 1}};
    return drm_jobs_publish(jobs, parser->job_count, true, use.gem ? &user_fence : NULL);
}

static int reserve_history(const struct parser *parser)
{
    bool has_room = true;
    for (uint32_t i = 0; i < parser->job_count; i++)
        has_room = has_room && amd_entity_reserve((struct amd_entity *)parser->jobs[i]->job.queue, parser->job_count);
    return has_room ? 0 : -ENOMEM;
}

/* All of it or nothing: what may fail comes first. */
static int queue_jobs(struct parser *parser, uint64_t *handle_out)
{
    struct amd_job *leader = parser->jobs[parser->job_count - 1];
    struct drm_fence *done = drm_fence_ref(leader->job.fence);
    pthread_mutex_lock(&parser->ctx->lock);
    int error = reserve_history(parser);
    if (!error)
        error = publish_uses(parser);
    for (uint32_t i = 0; i < parser->job_count && !error; i++) {
        struct drm_job *job = &parser->jobs[i]->job;
        amd_entity_add((struct amd_entity *)job->queue, job);
        *handle_out = job->seq;
        parser->jobs[i] = NULL; /* the scheduler's */
        drm_sched_queue(parser->file->device->drm.sched, job);
    }
    pthread_mutex_unlock(&parser->ctx->lock);
    array_foreach (&parser->posts, post) {
        if (!error)
            drm_syncobj_put(&post->room, done, post->point);
    }
    drm_fence_unref(done);
    drm_sched_kick(parser->file->device->drm.sched);
    return error;
}

static int sync_with_others(const struct parser *parser)
{
    struct drm_job *jobs[MAX_GANG];
    for (uint32_t i = 0; i < parser->job_count; i++)
        jobs[i] = &parser->jobs[i]->job;
    return drm_implicit_sync(jobs, parser->job_count, &jobs[parser->job_count - 1]->uses);
}

int amd_cs_ioctl(struct drm_file *file, void *data)
{
    union drm_amdgpu_cs *args = data;
    const struct drm_amdgpu_cs_in in = args->in;
    struct parser parser = {.file = amd_file(file)};
    uint64_t handle = 0;
    drm_vm_settle(amd_file(file)->vm);
    int error = parse_chunks(&parser, &in);
    if (!error)
        error = complete_jobs(&parser);
    if (!error)
        error = sync_with_others(&parser);
    if (!error)
        error = queue_jobs(&parser, &handle);
    if (!error) {
        memset(args, 0, sizeof(*args));
        args->out.handle = handle;
    }
    parser_finish(&parser);
    return error;
}
