/* Lane programs over a rectangle of lanes: every value is a plane, what the first lane has and how much more the next
 * one to the right and the next one below. So the addresses of a copy by a shader are known for all of its lanes at
 * once. Comparisons are planes where they say the same of all lanes.
 *
 * Not for: values that are no planes over all of the rectangle. Those are EXEC_PLANE_NONE. */
#ifndef MODEL_EXEC_AREA_H
#define MODEL_EXEC_AREA_H

#include "model/jit.h"

enum exec_plane_kind {
    EXEC_PLANE_NONE,
    EXEC_PLANE_WORD,   /* base + x * dx + y * dy modulo 2^32 */
    EXEC_PLANE_HALVES, /* a float: half of the same, of small numbers with a sign */
};

struct exec_plane {
    enum exec_plane_kind kind;
    uint32_t base, dx, dy;
};

struct exec_area {
    uint32_t width, height; /* lanes, 65,536 at most */
    const void *frame;      /* of scalars */
    /* The plane of a row of the frame. */
    struct exec_plane (*row)(void *user, uint32_t row_B);
    void *user;
};

static inline struct exec_plane exec_plane_of(uint32_t base, uint32_t dx, uint32_t dy)
{
    return (struct exec_plane){EXEC_PLANE_WORD, base, dx, dy};
}

/* Whether all lanes have the same word. */
static inline bool exec_plane_is_flat(const struct exec_plane *plane)
{
    return plane->kind == EXEC_PLANE_WORD && !plane->dx && !plane->dy;
}

/* One plane for each operation; stores and the like have none. */
void exec_area_look(const struct exec_area *area, const struct jit_inst *insts, uint32_t count,
                    struct exec_plane *planes_out);

#endif
