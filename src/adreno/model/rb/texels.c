/* Texels to colours and back, in the order of components that a swap says. */
#include "adreno/model/rb/surface.h"
#include "util/bits.h"

#define CHUNK 64

void adreno_rb_fetch(const struct adreno_rb_format *format, union adreno_rb_color *out, const void *const *host,
                     uint32_t count)
{
    union adreno_rb_color stored[CHUNK];
    for (uint32_t first = 0; first < count; first += CHUNK) {
        const uint32_t some = MIN2(count - first, (uint32_t)CHUNK);
        if (format->numeric == ADRENO_RB_UINT)
            format->codec->fetch_uint((uint32_t(*)[4])stored, host + first, some);
        else if (format->numeric == ADRENO_RB_SINT)
            format->codec->fetch_sint((int32_t(*)[4])stored, host + first, some);
        else
            format->codec->fetch_float((float(*)[4])stored, host + first, some);
        for (uint32_t i = 0; i < some; i++) {
            union adreno_rb_color *color = &out[first + i];
            *color = (union adreno_rb_color){.u = {0, 0, 0, format->numeric == ADRENO_RB_FLOAT ? 0x3f800000u : 1}};
            for (unsigned k = 0; k < 4; k++) {
                if (format->present >> format->from[k] & 1)
                    color->u[format->from[k]] = stored[i].u[k];
            }
        }
    }
}

void adreno_rb_store(const struct adreno_rb_format *format, void *const *host, const union adreno_rb_color *colors,
                     uint32_t count)
{
    union adreno_rb_color ordered[CHUNK];
    for (uint32_t first = 0; first < count; first += CHUNK) {
        const uint32_t some = MIN2(count - first, (uint32_t)CHUNK);
        for (uint32_t i = 0; i < some; i++) {
            for (unsigned k = 0; k < 4; k++)
                ordered[i].u[k] = colors[first + i].u[format->from[k]];
        }
        if (format->numeric == ADRENO_RB_UINT)
            format->codec->store_uint(host + first, (const uint32_t(*)[4])ordered, some);
        else if (format->numeric == ADRENO_RB_SINT)
            format->codec->store_sint(host + first, (const int32_t(*)[4])ordered, some);
        else
            format->codec->store_float(host + first, (const float(*)[4])ordered, some);
    }
}
