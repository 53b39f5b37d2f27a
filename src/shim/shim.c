/* State of the shim: the model, and which inodes are files on it. */
#include "shim/shim.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shim/vfs.h"
#include "util/bits.h"
#include "util/list.h"
#include "util/log.h"

__thread int shim_inside __attribute__((tls_model("initial-exec")));
const struct kernel_model_ops *shim_model;
struct kernel_model_device *shim_device;

struct open_file {
    struct shim_file base;
    struct list node;
    dev_t dev;
    ino_t ino;
    uint32_t refs; /* one while any fd is open, one per call in progress */
    bool closed;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct list files = {&files, &files};
static _Atomic uint32_t file_count;
static _Atomic int ready_pid; /* the process that shim_device belongs to */
static bool failed;

void *shim_next(const char *name, void **cache)
{
    void *function = __atomic_load_n(cache, __ATOMIC_RELAXED);
    if (!function) {
        function = dlsym(RTLD_NEXT, name);
        __atomic_store_n(cache, function, __ATOMIC_RELAXED);
    }
    return function;
}

/* fork while another thread holds our lock would leave it locked for ever in the child. */
static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void shim_start(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

bool shim_ready(void)
{
    if (atomic_load_explicit(&ready_pid, memory_order_acquire) == getpid())
        return true;
    shim_inside++;
    pthread_mutex_lock(&lock);
    const char *name = secure_getenv("TUFF_SHIM");
    bool ready = atomic_load(&ready_pid) == getpid();
    if (!ready && !failed && name && *name) {
        struct kernel_device_info info;
        int error = kernel_model_device(name, &shim_model, &shim_device);
        if (!error) {
            shim_model->device_info(shim_device, &info);
            error = vfs_init(&info);
        }
        if (error) {
            LOG_ERROR("shim", "no model '%s': %s", name, strerror(-error));
            failed = true;
        } else {
            atomic_store_explicit(&ready_pid, getpid(), memory_order_release);
            ready = true;
        }
    }
    pthread_mutex_unlock(&lock);
    shim_inside--;
    return ready;
}

static void free_file(struct open_file *file)
{
    shim_inside++;
    shim_model->file_close(file->base.file);
    shim_inside--;
    free(file);
}

/* With the lock held. */
static struct open_file *find_file(dev_t dev, ino_t ino)
{
    list_foreach (&files, struct open_file, file, node) {
        if (file->ino == ino && file->dev == dev)
            return file;
    }
    return NULL;
}

/* How an fd of a node is recognised in a process that did not open it. */
static const char *const node_names[] = {
    [KERNEL_NODE_PRIMARY] = "tuff-card0", [KERNEL_NODE_RENDER] = "tuff-renderD128"};

/* A file on the node, and the fd that stands for it. */
static int add_file(enum kernel_node node, int fd)
{
    struct open_file *file = calloc(1, sizeof(*file));
    if (!file)
        return -ENOMEM;
    struct stat status;
    shim_inside++;
    int error = shim_model->file_open(shim_device, node, &file->base.file);
    if (!error && fstat(fd, &status)) {
        error = -errno;
        shim_model->file_close(file->base.file);
    }
    shim_inside--;
    if (error) {
        free(file);
        return error;
    }
    file->base.node = node;
    file->dev = status.st_dev;
    file->ino = status.st_ino;
    file->refs = 1;
    pthread_mutex_lock(&lock);
    bool is_new = !find_file(file->dev, file->ino); /* another thread may have been faster */
    if (is_new) {
        list_push_back(&files, &file->node);
        atomic_fetch_add(&file_count, 1);
    }
    pthread_mutex_unlock(&lock);
    if (!is_new)
        free_file(file);
    return 0;
}

int shim_open_node(enum kernel_node node, int flags)
{
    shim_inside++;
    int fd = memfd_create(node_names[node], flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
    int error = fd < 0 ? -errno : 0;
    if (!error && flags & O_NONBLOCK)
        fcntl(fd, F_SETFL, O_NONBLOCK);
    if (!error)
        error = add_file(node, fd);
    if (error && fd >= 0)
        close(fd);
    shim_inside--;
    return error ? error : fd;
}

struct shim_file *shim_get_file(int fd)
{
    if (fd < 0 || atomic_load_explicit(&file_count, memory_order_relaxed) == 0)
        return NULL;
    struct stat status;
    shim_inside++;
    int error = fstat(fd, &status);
    shim_inside--;
    if (error || !S_ISREG(status.st_mode))
        return NULL;
    pthread_mutex_lock(&lock);
    struct open_file *found = find_file(status.st_dev, status.st_ino);
    if (found)
        found->refs++;
    pthread_mutex_unlock(&lock);
    return found ? &found->base : NULL;
}

/* The node that an fd was opened on, by any process; -1: none. */
static int node_of(int fd)
{
    char path[64], target[64];
    shim_inside++;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    ssize_t length = readlink(path, target, sizeof(target) - 1);
    shim_inside--;
    static const char prefix[] = "/memfd:";
    if (length < (ssize_t)sizeof(prefix))
        return -1;
    target[length] = '\0';
    for (size_t i = 0; i < ARRAY_SIZE(node_names) && strncmp(target, prefix, sizeof(prefix) - 1) == 0; i++) {
        size_t name_B = strlen(node_names[i]);
        const char *rest = target + sizeof(prefix) - 1 + name_B;
        if (strncmp(target + sizeof(prefix) - 1, node_names[i], name_B) == 0 && (*rest == '\0' || *rest == ' '))
            return (int)i;
    }
    return -1;
}

struct shim_file *shim_get_any_file(int fd)
{
    struct shim_file *file = shim_get_file(fd);
    if (file || fd < 0)
        return file;
    int node = node_of(fd);
    return node >= 0 && shim_ready() && add_file((enum kernel_node)node, fd) == 0 ? shim_get_file(fd) : NULL;
}

/* By fd number; entries are hints without references, looked at under the lock only. */
static struct open_file *recent[256];

struct shim_file *shim_get_file_fast(int fd)
{
    if (fd < 0 || (size_t)fd >= ARRAY_SIZE(recent))
        return shim_get_any_file(fd);
    pthread_mutex_lock(&lock);
    struct open_file *file = recent[fd];
    if (file)
        file->refs++;
    pthread_mutex_unlock(&lock);
    if (file)
        return &file->base;
    struct shim_file *found = shim_get_any_file(fd);
    if (found) {
        pthread_mutex_lock(&lock);
        recent[fd] = container_of(found, struct open_file, base);
        pthread_mutex_unlock(&lock);
    }
    return found;
}

void shim_forget_fd(int fd)
{
    if (fd < 0 || (size_t)fd >= ARRAY_SIZE(recent) || atomic_load_explicit(&file_count, memory_order_relaxed) == 0)
        return;
    pthread_mutex_lock(&lock);
    recent[fd] = NULL;
    pthread_mutex_unlock(&lock);
}

void shim_put_file(struct shim_file *base)
{
    if (!base)
        return;
    struct open_file *file = container_of(base, struct open_file, base);
    pthread_mutex_lock(&lock);
    bool last = --file->refs == 0;
    pthread_mutex_unlock(&lock);
    if (last)
        free_file(file);
}

/* Does some fd of this process still have the inode? There are more ways to duplicate an fd than can be interposed. */
static bool inode_is_open(dev_t dev, ino_t ino)
{
    bool open = false;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder)
        return true; /* better keep it than close it while it is in use */
    struct dirent *entry;
    while (!open && (entry = readdir(folder))) {
        struct stat status;
        open = fstatat(dirfd(folder), entry->d_name, &status, 0) == 0 && status.st_ino == ino && status.st_dev == dev;
    }
    closedir(folder);
    return open;
}

void shim_fd_closed(struct shim_file *base)
{
    struct open_file *file = container_of(base, struct open_file, base);
    shim_inside++;
    bool open = inode_is_open(file->dev, file->ino);
    shim_inside--;
    if (open)
        return;
    pthread_mutex_lock(&lock);
    bool first = !file->closed;
    if (first) {
        file->closed = true;
        for (size_t i = 0; i < ARRAY_SIZE(recent); i++) {
            if (recent[i] == file)
                recent[i] = NULL;
        }
        list_remove(&file->node);
        atomic_fetch_sub(&file_count, 1);
    }
    pthread_mutex_unlock(&lock);
    if (first)
        shim_put_file(base);
}
