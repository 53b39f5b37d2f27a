/* Where the elements of an image are, as tables: the fast path of samples looks an offset up where the plain one asks
 * the family for each texel. All layouts of the families have the form
 *
 *   offset = (x[at x] ^ y[at y].xor ^ z[level, slice].xor) + y[at y].add + z[level, slice].add
 *
 * so that a table for each axis and level says everything. Address modes are in the tables, too: an axis has some
 * entries more at both ends, which are those of the texels that stand there.
 *
 * An image has one such set of tables for each pair of address modes that it was sampled with. They are made when
 * enough has been sampled to be worth it. The memory of an image is looked at as a whole, and again when the window's
 * count of changes has grown; while some of it cannot be read directly, there is no fast path. */
#ifndef MODEL_TEXTURE_TEX_PLACES_H
#define MODEL_TEXTURE_TEX_PLACES_H

#include "model/memory.h"
#include "model/texture/texture.h"

/* A footprint's first texel is up to one before the axis, its second up to one after it, and an offset moves both by up
 * to eight. */
#define TEX_PLACES_OFFSET 8
#define TEX_PLACES_PAD (TEX_PLACES_OFFSET + 2)

struct tex_places {
    bool is_made;      /* else only what is needed to decide it */
    bool is_good;      /* there are tables */
    uint8_t wrap[2];   /* enum tex_wrap of x and y */
    uint8_t element_B; /* of a texel or block */
    uint32_t waves;    /* that asked */
    uint64_t base_va, size_B;
    uint32_t slices;                                           /* of z in each level */
    uint32_t x_start[TEX_MAX_LEVELS], y_start[TEX_MAX_LEVELS]; /* of texel 0 */
    uint32_t *x;
    struct tex_place *y, *z;
    uint32_t *y_xor, *y_add; /* of y, apart */
    /* Of x and y: from normalised coordinates to 256ths of a texel; the last entry at which a footprint begins, from
     * texel 0. */
    float scale[2][TEX_MAX_LEVELS];
    int32_t most[2][TEX_MAX_LEVELS];
    uint8_t piece_w_log2[TEX_MAX_LEVELS], piece_h_log2[TEX_MAX_LEVELS]; /* texels of tex_image.piece_log2's pieces */
    uint8_t *x_inside, *y_inside; /* of blocks: the texel's column and the number of its row's first texel */

    /* The mapped memory. */
    const struct gpu_space *space;
    const uint8_t *host; /* of base_va; NULL: not to be read directly */
    uint32_t changes;
};

/* So many entries of a table may be read from any that there is. */
#define TEX_PLACES_WINDOW 32

#define TEX_PLACES_SETS 4
#define TEX_PLANS 4

/* Of one image; all zero at first. */
struct tex_places_set {
    struct tex_places *of[TEX_PLACES_SETS];
    unsigned next;                     /* to be replaced */
    struct tex_looked *looked;         /* tex_look.c's; NULL: nothing yet */
    struct tex_plan *plans[TEX_PLANS]; /* tex_plan.c's */
    unsigned last_plan, next_plan;
    uint32_t changes; /* of tables and plans: while it is the same, those that were found are what they were */
};

void tex_places_finish(struct tex_places_set *set);
/* No plan is for a query any more; they stay where they are. */
void tex_plans_forget(struct tex_places_set *set);

/* The tables for a query whose image, sampler and places are set. NULL: none, or not yet. */
const struct tex_places *tex_places_get(struct tex_query *q);

/* Whether the tables that a query had when its set's count was `changes` are those that it would get now. */
bool tex_places_are_same(struct tex_query *q, const struct tex_places *p, uint32_t changes);

/* The texel that an address mode makes of texel i of an axis. */
uint32_t tex_places_texel(int32_t i, int32_t size, unsigned wrap);

/* Make tables at once from now on, for tests: how much has been sampled does not count. */
extern bool tex_places_at_once;

#endif
