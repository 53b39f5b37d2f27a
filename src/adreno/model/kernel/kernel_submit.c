/* GEM_SUBMIT: first everything is read and checked, in the kernel's order, into a parser that owns what it has found;
 * then the job is queued and its fence is published. Until that point an error changes nothing, but that buffers may
 * have got their addresses. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adreno/model/kernel/kernel_types.h"
#include "model/drm/drm_sync_file.h"
#include "model/drm/drm_user.h"
#include "util/bits.h"
#include "util/debug.h"
#include "util/log.h"

#define MAX_ENTRIES (1u << 20) /* of buffers and of streams: more has no memory in a kernel, either */

struct parser {
    struct adreno_file *file;
    const struct drm_msm_gem_submit *args;
    struct adreno_vm *vm;
    struct adreno_queue *queue; /* a reference; its lock is held */
    struct adreno_sync sync;
    struct drm_use_list uses;
    struct adreno_job *job;
    int out_fd;
};

/* ---- jobs ---- */

/* Which of the streams run: targets of others are only named, and what restores a context is left out where the ring
 * still has the state of the same file. */
static void choose_streams(struct adreno_job *job)
{
    const struct adreno_context *context = (const struct adreno_context *)job->job.context;
    struct adreno_device *device = (struct adreno_device *)job->job.context->device;
    bool is_same_file = device->ring_file == context->file_number;
    device->ring_file = context->file_number;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < job->ibs.count; i++) {
        uint32_t type = job->types.data[i];
        if (type == MSM_SUBMIT_CMD_BUF || (type == MSM_SUBMIT_CMD_CTX_RESTORE_BUF && !is_same_file))
            job->ibs.data[kept++] = job->ibs.data[i];
    }
    job->ibs.count = kept;
}

static void job_starts(struct drm_job *base, bool is_same_queue)
{
    struct adreno_job *job = (struct adreno_job *)base;
    if (base->queue->ring != ADRENO_RING_BIND)
        choose_streams(job);
    job->work.ibs = job->ibs.data;
    job->work.ib_count = job->ibs.count;
    job->bind_work = (struct drm_bind_work){job->binds.data, job->binds.count};
    base->base.work = base->queue->ring == ADRENO_RING_BIND ? (const void *)&job->bind_work : (const void *)&job->work;
    if (debug_enabled(DEBUG_CRASH))
        job->work.lost = adreno_crash_dump;
    adreno_trace_job(job);
    if (debug_enabled(DEBUG_RD))
        adreno_capture_job(job);
}

/* A job that was lost by its own fault counts; one that was lost with its queue does not. */
static void job_lost(struct drm_job *base)
{
    struct adreno_context *context = (struct adreno_context *)base->context;
    struct adreno_vm *vm = (struct adreno_vm *)base->vm;
    atomic_fetch_add(&context->faults, 1);
    atomic_fetch_add(&vm->faults, 1);
    if (vm->is_vm_bind)
        atomic_store(&vm->is_unusable, true);
}

static void job_finish(struct drm_job *base)
{
    struct adreno_job *job = (struct adreno_job *)base;
    array_finish(&job->ibs);
    array_finish(&job->types);
    array_finish(&job->binds);
}

const struct drm_job_ops adreno_job_ops = {
    .job_B = sizeof(struct adreno_job), .starts = job_starts, .lost = job_lost, .finish = job_finish};

/* ---- reading ---- */

/* The kernel explains a refusal in its log; so do we, with TUFF_LOG=debug. */
static int refuse_submit(int error, const char *why, uint32_t number)
{
    LOG_DEBUG("adreno/model", "submission refused: %s (%u): %s", why, number, strerror(-error));
    return error;
}

static unsigned use_flags(const struct parser *parser, uint32_t flags)
{
    bool is_explicit = parser->args->flags & MSM_SUBMIT_NO_IMPLICIT || flags & MSM_SUBMIT_BO_NO_IMPLICIT;
    return (flags & MSM_SUBMIT_BO_READ ? DRM_USE_READ : 0u) | (flags & MSM_SUBMIT_BO_WRITE ? DRM_USE_WRITE : 0u) |
           (is_explicit ? DRM_USE_NO_WAIT : 0u) | (flags & MSM_SUBMIT_BO_DUMP ? ADRENO_USE_DUMP : 0u);
}

static int read_buffers(struct parser *parser)
{
    const uint32_t count = parser->args->nr_bos;
    struct drm_msm_gem_submit_bo *entries = NULL;
    int error = count > MAX_ENTRIES
                    ? -ENOMEM
                    : drm_copy_array_from_user((void **)&entries, parser->args->bos, count, sizeof(*entries));
    for (uint32_t i = 0; i < count && !error; i++) {
        uint32_t flags = entries[i].flags;
        if (flags & ~MSM_SUBMIT_BO_FLAGS || !(flags & (MSM_SUBMIT_BO_READ | MSM_SUBMIT_BO_WRITE)))
            error = refuse_submit(-EINVAL, "flags of a buffer", flags);
    }
    if (!error && !array_reserve(&parser->uses.uses, count))
        error = -ENOMEM;
    pthread_mutex_lock(&parser->file->file.lock);
    for (uint32_t i = 0; i < count && !error; i++) {
        struct drm_gem *gem = drm_handles_get(&parser->file->file.gems, entries[i].handle);
        if (gem)
            array_push(&parser->uses.uses, (struct drm_use){drm_gem_ref(gem), use_flags(parser, entries[i].flags)});
        else
            error = refuse_submit(-EINVAL, "no such buffer", entries[i].handle);
    }
    pthread_mutex_unlock(&parser->file->file.lock);
    free(entries);
    return error;
}

static int check_stream(const struct parser *parser, const struct drm_msm_gem_submit_cmd *cmd)
{
    if (cmd->type < MSM_SUBMIT_CMD_BUF || cmd->type > MSM_SUBMIT_CMD_CTX_RESTORE_BUF)
        return refuse_submit(-EINVAL, "type of a stream", cmd->type);
    if (cmd->size % 4)
        return refuse_submit(-EINVAL, "size of a stream", cmd->size);
    if (parser->vm->is_vm_bind && (cmd->nr_relocs || cmd->submit_idx || cmd->submit_offset))
        return refuse_submit(-EINVAL, "a stream in a buffer of a list", cmd->submit_idx);
    return 0;
}

/* A stream in the list of buffers becomes an address. */
static int place_stream(const struct parser *parser, const struct drm_msm_gem_submit_cmd *cmd, struct adreno_ib *ib_out)
{
    if (parser->vm->is_vm_bind) {
        *ib_out = (struct adreno_ib){cmd->iova, cmd->size / 4};
        return 0;
    }
    if (cmd->submit_idx >= parser->uses.uses.count)
        return refuse_submit(-EINVAL, "stream in no buffer of the list", cmd->submit_idx);
    struct drm_gem *gem = parser->uses.uses.data[cmd->submit_idx].gem;
    if (!cmd->size || (uint64_t)cmd->size / 4 + cmd->submit_offset / 4 > gem->size_B / 4)
        return refuse_submit(-EINVAL, "size of a stream", cmd->size);
    if (cmd->nr_relocs)
        return refuse_submit(-EINVAL, "relocations, which A6xx has none of", cmd->nr_relocs);
    uint64_t va = 0;
    int error = adreno_iova_get(parser->file, gem, &va);
    *ib_out = (struct adreno_ib){va + (cmd->submit_offset & ~3u), cmd->size / 4};
    return error;
}

static int read_streams(struct parser *parser, struct drm_msm_gem_submit_cmd **cmds_out)
{
    const uint32_t count = parser->args->nr_cmds;
    int error = count > MAX_ENTRIES
                    ? -ENOMEM
                    : drm_copy_array_from_user((void **)cmds_out, parser->args->cmds, count, sizeof(**cmds_out));
    for (uint32_t i = 0; i < count && !error; i++)
        error = check_stream(parser, &(*cmds_out)[i]);
    return error;
}

static int place_streams(struct parser *parser, const struct drm_msm_gem_submit_cmd *cmds)
{
    struct adreno_job *job = parser->job;
    const uint32_t count = parser->args->nr_cmds;
    if (!array_reserve(&job->ibs, count) || !array_reserve(&job->types, count))
        return -ENOMEM;
    int error = 0;
    for (uint32_t i = 0; i < count && !error; i++) {
        struct adreno_ib ib;
        error = place_stream(parser, &cmds[i], &ib);
        array_push(&job->ibs, ib);
        array_push(&job->types, cmds[i].type);
    }
    return error;
}

static bool has_address(const struct adreno_vm *vm, const struct drm_gem *gem)
{
    bool has = false;
    array_foreach (&gem->places, place)
        has |= place->vm == &vm->vm;
    return has;
}

/* One look at all buffers: drivers name every buffer that they have in every submission. One may not be named twice,
 * and its pages must be needed. */
static int check_buffers(struct parser *parser, bool *all_mapped_out)
{
    struct adreno_device *device = parser->file->device;
    int error = 0;
    *all_mapped_out = true;
    pthread_mutex_lock(&device->drm.lock);
    const uint64_t mark = ++device->submission;
    for (uint32_t i = 0; i < parser->uses.uses.count && !error; i++) {
        struct adreno_bo *bo = adreno_bo(parser->uses.uses.data[i].gem);
        if (bo->submission == mark)
            error = refuse_submit(-EALREADY, "a buffer twice", i);
        else if (atomic_load_explicit(&bo->madv, memory_order_relaxed) != MSM_MADV_WILLNEED)
            error = refuse_submit(-EBUSY, "a buffer whose pages are not needed", i);
        bo->submission = mark;
        *all_mapped_out = *all_mapped_out && has_address(parser->vm, &bo->gem);
    }
    pthread_mutex_unlock(&device->drm.lock);
    return error;
}

/* Each buffer has an address and pages when the job runs. */
static int pin_buffers(struct parser *parser)
{
    bool all_mapped;
    int error = check_buffers(parser, &all_mapped);
    if (all_mapped || parser->vm->is_vm_bind)
        return error;
    array_foreach (&parser->uses.uses, use) {
        uint64_t va;
        error = error ? error : adreno_iova_get(parser->file, use->gem, &va);
    }
    return error;
}

static int read_sync(struct parser *parser)
{
    const struct drm_msm_gem_submit *args = parser->args;
    const struct adreno_sync_args sync = {args->in_syncobjs, args->out_syncobjs, args->nr_in_syncobjs,
                                          args->nr_out_syncobjs, args->syncobj_stride};
    int error = 0;
    if (args->flags & MSM_SUBMIT_FENCE_FD_IN)
        error = adreno_sync_wait_fd(&parser->sync, args->fence_fd);
    if (!error && args->flags & MSM_SUBMIT_SYNCOBJ_IN)
        error = adreno_sync_read_in(&parser->sync, &parser->file->file, &sync);
    if (!error && args->flags & MSM_SUBMIT_SYNCOBJ_OUT)
        error = adreno_sync_read_out(&parser->sync, &parser->file->file, &sync);
    return error;
}

static int check_args(const struct drm_msm_gem_submit *args)
{
    if (args->pad || (args->flags & MSM_PIPE_ID_MASK) != MSM_PIPE_3D0)
        return -EINVAL;
    if (args->flags & ~MSM_PIPE_ID_MASK & ~MSM_SUBMIT_FLAGS || args->flags & MSM_SUBMIT_SUDO)
        return -EINVAL;
    return 0;
}

static int parse_submit(struct parser *parser)
{
    struct drm_msm_gem_submit_cmd *cmds = NULL;
    int error = adreno_queue_prepare(parser->file, parser->queue);
    if (!error)
        error = read_sync(parser);
    if (!error)
        error = read_buffers(parser);
    if (!error)
        error = read_streams(parser, &cmds);
    if (!error)
        error = pin_buffers(parser);
    struct drm_job *job = error ? NULL : drm_job_create(&adreno_job_ops, &parser->queue->context->queue);
    parser->job = (struct adreno_job *)job;
    if (!error && !job)
        error = -ENOMEM;
    if (!error)
        error = place_streams(parser, cmds);
    free(cmds);
    return error;
}

/* ---- submitting; queue->lock is held ---- */

/* The number that WAIT_FENCE takes: the user's, or the next one. */
static int choose_id(const struct parser *parser, uint32_t *id_out)
{
    struct adreno_queue *queue = parser->queue;
    adreno_queue_drop_fences(queue);
    if (parser->args->flags & MSM_SUBMIT_FENCE_SN_IN) {
        *id_out = parser->args->fence;
        return *id_out && !adreno_queue_fence(queue, *id_out) ? 0 : -EINVAL;
    }
    do {
        *id_out = *id_out >= INT32_MAX ? 1 : *id_out + 1;
    } while (adreno_queue_fence(queue, *id_out));
    return 0;
}

/* In a space that user space manages it knows itself when pages are no longer used. */
static int queue_job(struct parser *parser, uint32_t id)
{
    struct drm_job *job = &parser->job->job;
    struct adreno_queue *queue = parser->queue;
    if (parser->args->flags & MSM_SUBMIT_FENCE_FD_OUT) {
        parser->out_fd = drm_sync_file_export(job->fence);
        if (parser->out_fd < 0)
            return parser->out_fd;
    }
    int error = adreno_queue_reserve_fence(queue, id);
    if (!error)
        error = drm_jobs_publish(&job, 1, !parser->vm->is_vm_bind, NULL);
    if (error) {
        map64_remove(&queue->fence_ids, id);
        return error;
    }
    struct drm_fence *done = drm_fence_ref(job->fence);
    job->seq = id;
    adreno_queue_add_fence(queue, id, done);
    parser->job = NULL;
    drm_sched_queue(parser->file->device->drm.sched, job);
    adreno_sync_publish(&parser->sync, done);
    drm_fence_unref(done);
    return 0;
}

static int submit_job(struct parser *parser, uint32_t *id_out)
{
    struct drm_job *job = &parser->job->job;
    *id_out = parser->queue->last_fence;
    job->uses = parser->uses;
    parser->uses = (struct drm_use_list){0};
    job->fence->owner = job->queue; /* jobs of other queues are waited for, of the same process, too */
    int error = adreno_sync_depend(&parser->sync, job);
    if (!error)
        error = choose_id(parser, id_out);
    if (!error)
        error = drm_implicit_sync(&job, 1, &job->uses);
    return error ? error : queue_job(parser, *id_out);
}

static void parser_finish(struct parser *parser, int error)
{
    if (error && parser->out_fd >= 0)
        close(parser->out_fd);
    if (parser->job)
        drm_job_destroy(&parser->job->job);
    drm_use_list_finish(&parser->uses);
    adreno_sync_finish(&parser->sync);
}

int adreno_gem_submit_ioctl(struct drm_file *file, void *data)
{
    struct drm_msm_gem_submit *args = data;
    struct parser parser = {.file = adreno_file(file), .args = args, .out_fd = -1};
    parser.vm = adreno_file_vm(parser.file);
    if (!parser.vm)
        return -ENOMEM;
    if (!args->pad && atomic_load(&parser.vm->is_unusable))
        return -EPIPE;
    int error = check_args(args);
    if (error)
        return error;
    parser.queue = adreno_queue_find(parser.file, args->queueid);
    if (!parser.queue)
        return -ENOENT;
    drm_vm_settle(&parser.vm->vm);
    uint32_t id = 0;
    pthread_mutex_lock(&parser.queue->lock);
    error = parser.queue->flags & MSM_SUBMITQUEUE_VM_BIND ? -EINVAL : parse_submit(&parser);
    if (!error)
        error = submit_job(&parser, &id);
    parser_finish(&parser, error);
    pthread_mutex_unlock(&parser.queue->lock);
    adreno_queue_unref(parser.queue);
    drm_sched_kick(parser.file->device->drm.sched);
    if (error)
        return error;
    args->fence = id;
    if (parser.out_fd >= 0)
        args->fence_fd = parser.out_fd;
    return 0;
}
