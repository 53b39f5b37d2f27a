/* Rectangles of texels that a program gets as their four bytes, as TEX_FETCH of copies does: to rows of memory, without
 * lanes. Not for: texels of other sizes, levels but the first, superblocks that are compressed. */
#ifndef MALI_MODEL_TEX_AREA_H
#define MALI_MODEL_TEX_AREA_H

#include "mali/model/tex/image.h"
#include "mali/model/tex/tex.h"

struct mali_tex_area {
    const struct gpu_space *space;
    struct mali_tex_plane plane;
    uint32_t width, height;
};

struct mali_tex_rect {
    uint32_t x, y, width, height;
};

/* The area that a TEX_FETCH reads whose lanes all have the handles of the request's first one, at a layer. False: it
 * is not so; no problem is reported. */
bool mali_tex_area_open(struct mali_tex *tex, const struct mali_tex_resources *resources,
                        const struct mali_tex_request *request, uint32_t layer, struct mali_tex_area *area_out);

/* Copy texels, row_B from a row to the next. False: not all of them can be read so, and any number was copied. */
bool mali_tex_area_read(const struct mali_tex_area *area, const struct mali_tex_rect *rect, uint8_t *to, size_t row_B);

/* Whether bytes at an address may be some of those that texels of the rectangle are read from, or not all texels are
 * there. */
bool mali_tex_area_meets(const struct mali_tex_area *area, const struct mali_tex_rect *rect, uint64_t va,
                         uint64_t size_B);

/* The bytes of superblocks that are not compressed and lie one after the other: that at (x, y), and those whose headers
 * follow its own, `count` in all. NULL: they are not so. */
const uint8_t *mali_tex_area_superblocks(const struct mali_tex_area *area, uint32_t x, uint32_t y, unsigned count);

#endif
