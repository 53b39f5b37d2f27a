/* Opening libraries of window systems. An application that has a window has loaded them already, mostly, and then the
 * dynamic linker gives us its own. */
#include "vulkan/wsi/wsi_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "util/log.h"

enum state {
    UNTRIED,
    MISSING,
    OPEN,
};

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

static bool load_symbols(struct wsi_library *library, void *handle)
{
    for (unsigned i = 0; i < library->name_count; i++) {
        void *address = dlsym(handle, library->names[i]);
        if (!address)
            return false;
        memcpy((char *)library->addresses + i * sizeof(address), &address, sizeof(address));
    }
    return true;
}

/* dlerror's sentence names the library, and the symbol where one is missing. */
static enum state open_library(struct wsi_library *library)
{
    void *handle = dlopen(library->soname, RTLD_NOW | RTLD_LOCAL);
    if (handle && load_symbols(library, handle))
        return OPEN;
    LOG_AT(library->is_needed ? LOG_LEVEL_ERROR : LOG_LEVEL_INFO, "wsi", "%s: %s", library->lack, dlerror());
    if (handle)
        dlclose(handle);
    return MISSING;
}

bool wsi_library_open(struct wsi_library *library)
{
    int state = atomic_load_explicit(&library->state, memory_order_acquire);
    if (state == UNTRIED) {
        pthread_mutex_lock(&opening);
        state = atomic_load_explicit(&library->state, memory_order_relaxed);
        if (state == UNTRIED)
            state = open_library(library);
        atomic_store_explicit(&library->state, state, memory_order_release);
        pthread_mutex_unlock(&opening);
    }
    return state == OPEN;
}
