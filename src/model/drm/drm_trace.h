/* Streams as they go to a ring, for people: decoded into the file that TUFF_TRACE names, and raw into files of their
 * own with TUFF_DEBUG=ibs. A family decodes; reading, files and their order are here. */
#ifndef MODEL_DRM_TRACE_H
#define MODEL_DRM_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/strbuf.h"

struct gpu_space;

struct drm_trace {
    const struct gpu_space *space;
    int fd; /* of the text; -1: only raw buffers are wanted */
    struct arena words;
    struct strbuf text;
};

/* False: the environment does not ask for it. Otherwise other jobs' traces wait until drm_trace_end. */
bool drm_trace_begin(struct drm_trace *trace, const struct gpu_space *space);
void drm_trace_end(struct drm_trace *trace);

/* A copy of GPU memory, valid until drm_trace_forget; NULL where a part of it is not mapped. `trace` is a void pointer
 * for the decoders' callbacks. */
const uint32_t *drm_trace_read(void *trace, uint64_t va, uint32_t count_dw);
void drm_trace_write(void *trace, struct strbuf *text); /* and clear it */
void drm_trace_forget(struct drm_trace *trace);

#endif
