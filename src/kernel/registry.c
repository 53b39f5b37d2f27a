/* Which models there are, and where their shared objects are found: in TUFF_MODEL_PATH, beside the object that asks
 * (driver, shim or program), in the build tree's place for them, or where the dynamic linker looks. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/model.h"
#include "util/bits.h"
#include "util/log.h"

struct family {
    const char *library;
    const char *build_dir; /* from the folder of another room's object, in a build tree */
    const struct kernel_model_ops *ops;
};

static struct family families[] = {
    {"libtuff_model_amd.so", "../amd/model", NULL},
};

struct model {
    const char *name;
    struct family *family;
    struct kernel_model_device *device;
    pid_t device_pid; /* whose device it is: a child of fork opens its own */
};

/* The name is also what the model's device_open is given. */
static struct model models[] = {
    {"gfx1030", &families[0], NULL, 0},
    {"gfx1033", &families[0], NULL, 0},
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* fork while another thread loads a model must not leave the child with a lock that nobody will open. */
static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

const char *kernel_model_name(unsigned index)
{
    return index < ARRAY_SIZE(models) ? models[index].name : NULL;
}

static struct model *find(const char *name)
{
    for (unsigned i = 0; i < ARRAY_SIZE(models); i++) {
        if (strcmp(models[i].name, name) == 0)
            return &models[i];
    }
    return NULL;
}

static void *try_open(const char *folder, const char *below, const char *library)
{
    char path[4096];
    int length = snprintf(path, sizeof(path), "%s/%s%s%s", folder, below, *below ? "/" : "", library);
    if (length < 0 || (size_t)length >= sizeof(path) || access(path, R_OK))
        return NULL;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        LOG_ERROR("kernel", "cannot load %s: %s", path, dlerror());
    return handle;
}

/* The folder of the object that this code is linked into, by its real name: it may have been loaded through a link. */
static bool own_folder(char *folder, size_t size_B)
{
    Dl_info info;
    if (!dladdr((void *)(uintptr_t)find, &info) || !info.dli_fname)
        return false;
    char *path = realpath(info.dli_fname, NULL);
    char *slash = path ? strrchr(path, '/') : NULL;
    int length = slash ? snprintf(folder, size_B, "%.*s", (int)(slash - path), path) : -1;
    free(path);
    return length >= 0 && (size_t)length < size_B;
}

static void *load(const struct family *family)
{
    char folder[2048];
    const char *path = getenv("TUFF_MODEL_PATH");
    void *handle = path ? try_open(path, "", family->library) : NULL;
    if (!handle && own_folder(folder, sizeof(folder))) {
        handle = try_open(folder, "", family->library);
        if (!handle)
            handle = try_open(folder, family->build_dir, family->library);
        if (!handle)
            handle = try_open(folder, "../lib", family->library);
    }
    return handle ? handle : dlopen(family->library, RTLD_NOW | RTLD_LOCAL);
}

/* The caller holds the lock. */
static int load_family(struct family *family)
{
    if (family->ops)
        return 0;
    void *handle = load(family);
    if (!handle) {
        LOG_ERROR("kernel", "no %s; TUFF_MODEL_PATH names the folder that has it", family->library);
        return -ELIBACC;
    }
    kernel_model_entry entry;
    *(void **)&entry = dlsym(handle, KERNEL_MODEL_SYMBOL);
    const struct kernel_model_ops *ops = entry ? entry() : NULL;
    if (!ops || ops->abi != KERNEL_MODEL_ABI) {
        LOG_ERROR("kernel", "%s is of another version", family->library);
        dlclose(handle);
        return -ELIBACC;
    }
    family->ops = ops;
    return 0;
}

int kernel_find_model(const char *name, const struct kernel_model_ops **ops_out)
{
    struct model *model = find(name);
    if (!model)
        return -ENODEV;
    pthread_mutex_lock(&lock);
    int error = load_family(model->family);
    *ops_out = model->family->ops;
    pthread_mutex_unlock(&lock);
    return error;
}

int kernel_model_device(const char *name, const struct kernel_model_ops **ops_out,
                        struct kernel_model_device **device_out)
{
    struct model *model = find(name);
    if (!model)
        return -ENODEV;
    pthread_mutex_lock(&lock);
    int error = load_family(model->family);
    if (!error && (!model->device || model->device_pid != getpid())) {
        struct kernel_model_device *device = NULL;
        error = model->family->ops->device_open(name, &device);
        if (!error) {
            model->device = device;
            model->device_pid = getpid();
        }
    }
    *ops_out = model->family->ops;
    *device_out = model->device;
    pthread_mutex_unlock(&lock);
    return error;
}
