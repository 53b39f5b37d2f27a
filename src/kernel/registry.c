/* The models of models.table, and where their shared objects are found: in TUFF_MODEL_PATH, beside the object that asks
 * (driver, shim or program), in the build tree's place for them, or where the dynamic linker looks. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/models.h"
#include "util/host_level.h"
#include "util/log.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* fork while another thread loads a model must not leave the child with a lock that is never released. */
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

const struct kernel_model_row *kernel_model_row(unsigned index)
{
    return index < kernel_model_count ? &kernel_models[index].row : NULL;
}

static struct kernel_model *find_model(const char *name)
{
    for (unsigned i = 0; i < kernel_model_count; i++) {
        if (strcmp(kernel_models[i].row.name, name) == 0)
            return &kernel_models[i];
    }
    return NULL;
}

const struct kernel_model_row *kernel_model_find(const char *name)
{
    const struct kernel_model *model = find_model(name);
    return model ? &model->row : NULL;
}

/* The path of a model's library for a level, in a folder; `folder` NULL: wherever the dynamic linker looks. */
static bool level_path(char *path, size_t size_B, const char *folder, const char *below, const char *library,
                       const char *suffix)
{
    int length = snprintf(path, size_B, "%s%s%s%s%.*s%s.so", folder ? folder : "", folder ? "/" : "", below,
                          *below ? "/" : "", (int)strcspn(library, "."), library, suffix);
    return length >= 0 && (size_t)length < size_B && (!folder || access(path, R_OK) == 0);
}

/* The library in one folder for the best level of host instructions that the CPU offers; TUFF_HOST_LEVEL names a lower
 * one. Every level is looked for in one folder before the next folder: a user who names a folder means the files in it.
 * A library that is there for a level that the CPU does not offer, or that TUFF_HOST_LEVEL leaves out, is told of where
 * there is no other: a build may have any set of levels. */
static void *try_open(const char *folder, const char *below, const char *library)
{
    const char *wanted = secure_getenv("TUFF_HOST_LEVEL");
    char path[4096];
    void *handle = NULL;
    const struct host_level *left_out = NULL;
    for (const struct host_level *level = host_levels; level->name && !handle; level++) {
        if (!level_path(path, sizeof(path), folder, below, library, level->suffix))
            continue;
        if (!level->is_offered() || (wanted && strcmp(wanted, level->name) != 0)) {
            left_out = level;
            continue;
        }
        handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!handle && folder)
            LOG_ERROR("kernel", "cannot load %s: %s", path, dlerror());
    }
    if (folder && !handle && left_out && !left_out->is_offered())
        LOG_ERROR("kernel",
                  "%s/%s is built for %s, which this CPU does not offer: build it on this machine, or with "
                  "-Dhost_levels=all",
                  folder, library, left_out->name);
    else if (folder && !handle && left_out)
        LOG_ERROR("kernel", "TUFF_HOST_LEVEL is %s, but %s/%s is built for %s", wanted, folder, library,
                  left_out->name);
    return handle;
}

/* The folder of the object that this code is linked into, by its real name: it may have been loaded through a link. */
static bool own_folder(char *folder, size_t size_B)
{
    Dl_info info;
    if (!dladdr((void *)(uintptr_t)find_model, &info) || !info.dli_fname)
        return false;
    char *path = realpath(info.dli_fname, NULL);
    char *slash = path ? strrchr(path, '/') : NULL;
    int length = slash ? snprintf(folder, size_B, "%.*s", (int)(slash - path), path) : -1;
    free(path);
    return length >= 0 && (size_t)length < size_B;
}

/* A library of the caller's choice is code that runs with our rights: not allowed where those exceed the caller's. */
static void *load_from_path(const struct kernel_family *family)
{
    const char *path = secure_getenv("TUFF_MODEL_PATH");
    void *handle = NULL;
    while (path && *path && !handle) {
        char folder[2048];
        size_t length = strcspn(path, ":");
        if (length && length < sizeof(folder)) {
            memcpy(folder, path, length);
            folder[length] = '\0';
            handle = try_open(folder, "", family->library);
        }
        path += length + (path[length] == ':');
    }
    return handle;
}

static void *load_model(const struct kernel_family *family)
{
    char folder[2048];
    void *handle = load_from_path(family);
    if (!handle && own_folder(folder, sizeof(folder))) {
        handle = try_open(folder, "", family->library);
        if (!handle)
            handle = try_open(folder, family->build_dir, family->library);
        if (!handle)
            handle = try_open(folder, "../lib", family->library);
    }
    return handle ? handle : try_open(NULL, "", family->library);
}

static void report_missing(const struct kernel_family *family)
{
    char folder[2048];
    const char *level = secure_getenv("TUFF_HOST_LEVEL");
    LOG_ERROR("kernel",
              "no GPU of this family can be modelled: %s%s%s is not in '%s'; install it there, or name its folder in "
              "TUFF_MODEL_PATH",
              family->library, level ? " for TUFF_HOST_LEVEL=" : "", level ? level : "",
              own_folder(folder, sizeof(folder)) ? folder : "the driver's folder");
}

/* The caller holds the lock. */
static int load_family(struct kernel_family *family)
{
    if (family->ops)
        return 0;
    void *handle = load_model(family);
    if (!handle) {
        report_missing(family);
        return -ELIBACC;
    }
    kernel_model_entry entry;
    *(void **)&entry = dlsym(handle, KERNEL_MODEL_SYMBOL);
    const struct kernel_model_ops *ops = entry ? entry() : NULL;
    if (!ops || ops->abi != KERNEL_MODEL_ABI) {
        LOG_ERROR("kernel", "%s is of another version than the driver; install both from one release", family->library);
        dlclose(handle);
        return -ELIBACC;
    }
    family->ops = ops;
    return 0;
}

int kernel_model_device(const char *name, const struct kernel_model_ops **ops_out,
                        struct kernel_model_device **device_out)
{
    struct kernel_model *model = find_model(name);
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
