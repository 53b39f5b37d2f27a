/* The common part of every family's engine: the address spaces of its contexts, jobs that it cannot take, and the
 * host's limits. See drm_engine.h. */
#include "model/drm/drm_engine.h"

#include <errno.h>

#include "util/host_limits.h"
#include "util/log.h"

void drm_space_list_init(struct drm_space_list *list)
{
    pthread_mutex_init(&list->lock, NULL);
    list_init(&list->uses);
}

void drm_space_list_finish(struct drm_space_list *list)
{
    pthread_mutex_destroy(&list->lock);
}

void drm_space_list_add(struct drm_space_list *list, struct drm_space_use *use, const struct gpu_space *space)
{
    use->space = space;
    pthread_mutex_lock(&list->lock);
    list_push_back(&list->uses, &use->node);
    pthread_mutex_unlock(&list->lock);
}

bool drm_space_list_remove(struct drm_space_list *list, struct drm_space_use *use)
{
    bool is_last = true;
    pthread_mutex_lock(&list->lock);
    list_remove(&use->node);
    list_foreach (&list->uses, struct drm_space_use, other, node)
        is_last &= other->space != use->space;
    pthread_mutex_unlock(&list->lock);
    return is_last;
}

int drm_engine_start_if_tight(struct drm_engine *engine, bool (*start)(struct drm_engine *engine), const char *log_name)
{
    if (!host_has_few_addresses() || start(engine))
        return 0;
    LOG_ERROR(log_name, "no context: the limit of the process's addresses (RLIMIT_AS, ulimit -v) is too small");
    return -ENOMEM;
}

void drm_engine_refuse(struct drm_engine_job *job, const char *why)
{
    job->finished(job, &(const struct drm_engine_result){.error = -EIO, .report = why});
}
