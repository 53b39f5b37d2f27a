/* See drm_library.h. It stays open: a process asks for its devices with every instance. */
#include "kernel/drm_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#include "util/log.h"

static struct drm_library library;
static bool is_open;

static void open_library(void)
{
    void *handle = dlopen("libdrm.so.2", RTLD_NOW | RTLD_LOCAL);
    if (handle) {
        *(void **)&library.get_devices = dlsym(handle, "drmGetDevices2");
        *(void **)&library.free_devices = dlsym(handle, "drmFreeDevices");
        *(void **)&library.get_version = dlsym(handle, "drmGetVersion");
        *(void **)&library.free_version = dlsym(handle, "drmFreeVersion");
    }
    is_open = library.get_devices && library.free_devices && library.get_version && library.free_version;
    if (!is_open && access("/dev/dri/renderD128", F_OK) == 0)
        LOG_WARN("kernel", "the GPUs of this machine are not found without libdrm.so.2; install libdrm2 (Debian, "
                           "Ubuntu) or libdrm (Fedora, Arch)");
}

const struct drm_library *drm_library_open(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_library);
    return is_open ? &library : NULL;
}
