/* Streams of dwords for an engine's tests. */
#ifndef MODEL_DRM_TESTS_ENGINE_STREAM_H
#define MODEL_DRM_TESTS_ENGINE_STREAM_H

#include <string.h>

#include "model/drm/tests/engine_rig.h"

struct stream {
    uint32_t dw[4096];
    uint32_t count;
};

/* Copy a stream into the buffer; its address. */
static inline uint64_t rig_place(struct rig *rig, const struct stream *s)
{
    return rig_place_bytes(rig, s->dw, 4 * s->count);
}

/* Append plain words. */
static inline void put_words(struct stream *s, const uint32_t *words, uint32_t count)
{
    memcpy(s->dw + s->count, words, 4 * count);
    s->count += count;
}
#define PUT_WORDS(s, ...)                                                                                              \
    put_words(s, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

#endif
