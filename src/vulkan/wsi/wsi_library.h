/* A library of a window system, opened when it is needed: only programs that have windows need it, and the driver must
 * load where it is not installed. The libraries and their symbols are rows of wsi_libraries.table. */
#ifndef VULKAN_WSI_WSI_LIBRARY_H
#define VULKAN_WSI_WSI_LIBRARY_H

#include <stdatomic.h>
#include <stdbool.h>

struct wsi_library {
    const char *soname;
    const char *lack; /* what cannot be done without it */
    bool is_needed;   /* for windows at all */
    const char *const *names;
    unsigned name_count;
    void *addresses; /* where those of the names' symbols are written, in their order */

    atomic_int state;
};

/* Whether it is open now. It is tried once, by whichever thread comes first, and stays open; the log says once what is
 * missing. */
bool wsi_library_open(struct wsi_library *library);

#endif
