/* Synchronisation objects of several processes: the queue moves into a memfd, which whoever has it maps. See
 * drm_syncobj_queue.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/drm/drm_owner.h"
#include "model/drm/drm_syncobj_queue.h"
#include "util/slab.h"

#define STATE_MAGIC 0x53464654u /* "TFFS" */
#define MEMFD_NAME "tuff-syncobj"

static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER; /* before an object's lock */
static struct list shared_objects = {&shared_objects, &shared_objects};

/* A child of fork has the parent's objects by copy, but is another process: it must neither find them by inode nor keep
 * the parent's sign of life open. */
static void before_fork(void)
{
    pthread_mutex_lock(&shared_lock);
}

static void after_fork_in_parent(void)
{
    pthread_mutex_unlock(&shared_lock);
}

static void after_fork_in_child(void)
{
    list_foreach (&shared_objects, struct drm_syncobj, object, shared_node) {
        close(object->alive_fd);
        object->alive_fd = -1;
        list_remove(&object->shared_node);
    }
    pthread_mutex_unlock(&shared_lock);
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

bool drm_syncobj_drop(struct drm_syncobj *object)
{
    pthread_mutex_lock(&shared_lock);
    const bool is_last = atomic_fetch_sub_explicit(&object->refs, 1, memory_order_acq_rel) == 1;
    if (is_last)
        list_remove(&object->shared_node);
    pthread_mutex_unlock(&shared_lock);
    return is_last;
}

/* A number that no other process has: a peer may have changed the one that comes next. 0: none was free. The locks are
 * held. */
static uint32_t take_number(struct drm_syncobj *object)
{
    for (unsigned i = 0; i < 64; i++) {
        uint32_t number = ++object->state->header.next_owner & DRM_OWNER_MASK;
        object->state->is_dirty = true;
        if (number && number != DRM_OWNER_MASK && drm_owner_enter(object->alive_fd, number))
            return number;
    }
    return 0;
}

static void remember_inode(struct drm_syncobj *object)
{
    struct stat status = {0};
    fstat(object->memfd, &status);
    object->dev = status.st_dev;
    object->ino = status.st_ino;
    list_push_back(&shared_objects, &object->shared_node);
}

/* The object's file, its mapping, and room for the largest queue that can be in it. Without effect where it fails. */
static int open_shared(struct drm_syncobj *object, int memfd)
{
    int alive_fd = drm_owner_open(memfd);
    if (alive_fd < 0)
        return alive_fd;
    struct syncobj_shared *shared = mmap(NULL, SYNCOBJ_SHARED_B, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
    int error = shared == MAP_FAILED ? -errno : 0;
    memmove(object->state->entries, syncobj_entries(object->state),
            object->state->header.count * sizeof(struct syncobj_entry));
    object->state->first = 0;
    struct syncobj_state *grown =
        error ? NULL
              : slab_realloc(object->state,
                             sizeof(struct syncobj_state) + SYNCOBJ_SHARED_ENTRIES * sizeof(struct syncobj_entry));
    if (!grown) {
        if (!error)
            munmap(shared, SYNCOBJ_SHARED_B);
        close(alive_fd);
        return error ? error : -ENOMEM;
    }
    grown->capacity = SYNCOBJ_SHARED_ENTRIES;
    object->state = grown;
    object->shared = shared;
    object->alive_fd = alive_fd;
    object->memfd = memfd;
    return 0;
}

/* Move the queue into a memfd. The caller holds shared_lock and the object's lock. */
static int share_state(struct drm_syncobj *object)
{
    if (object->state->header.count > SYNCOBJ_SHARED_ENTRIES - object->promised)
        return -ENOMEM;
    int memfd = drm_peer_file_create(MEMFD_NAME, SYNCOBJ_SHARED_B);
    int error = memfd < 0 ? memfd : open_shared(object, memfd);
    if (error) {
        if (memfd >= 0)
            close(memfd);
        return error;
    }
    object->owner = take_number(object); /* no other process has the file yet */
    for (uint32_t i = 0; i < object->state->header.count; i++)
        object->state->entries[i].owner = object->owner;
    drm_syncobj_write_shared(object);
    remember_inode(object);
    object->shared->magic = STATE_MAGIC;
    return 0;
}

int drm_syncobj_export(struct drm_syncobj *object)
{
    pthread_mutex_lock(&shared_lock);
    pthread_mutex_lock(&object->lock);
    int error = object->memfd >= 0 ? 0 : share_state(object);
    if (!error && !list_is_empty(&object->listeners))
        drm_syncobj_watch(object);
    int fd = error ? error : fcntl(object->memfd, F_DUPFD_CLOEXEC, 0);
    if (!error && fd < 0)
        fd = -errno;
    pthread_mutex_unlock(&object->lock);
    pthread_mutex_unlock(&shared_lock);
    return fd;
}

/* An object of another process. The caller holds shared_lock. */
static struct drm_syncobj *attach_syncobj(int fd)
{
    struct drm_syncobj *object = drm_syncobj_create(false);
    int memfd = object ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (memfd < 0 || open_shared(object, memfd)) {
        if (memfd >= 0)
            close(memfd);
        if (object)
            drm_syncobj_destroy(object);
        return NULL;
    }
    object->owner = DRM_OWNER_MASK; /* until it has a number */
    drm_syncobj_lock(object);
    uint32_t number = object->shared->magic == STATE_MAGIC ? take_number(object) : 0;
    drm_syncobj_unlock(object);
    object->owner = number;
    if (!number) {
        drm_syncobj_destroy(object);
        return NULL;
    }
    remember_inode(object);
    return object;
}

int drm_syncobj_import(int fd, struct drm_syncobj **object_out)
{
    struct stat status;
    if (!drm_peer_file_check(fd, MEMFD_NAME, &status) || status.st_size != SYNCOBJ_SHARED_B)
        return -EINVAL;
    pthread_mutex_lock(&shared_lock);
    struct drm_syncobj *found = NULL;
    list_foreach (&shared_objects, struct drm_syncobj, object, shared_node) {
        if (object->dev == status.st_dev && object->ino == status.st_ino)
            found = drm_syncobj_ref(object);
    }
    if (!found)
        found = attach_syncobj(fd);
    pthread_mutex_unlock(&shared_lock);
    *object_out = found;
    return found ? 0 : -EINVAL;
}
