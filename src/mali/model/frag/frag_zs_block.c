/* Depth and stencil of 8 by 8 pixels of one sample, of which any may be covered. */
#include <string.h>

#include "mali/model/frag/frag_zs_four.h"
#include "mali/model/frag/frag_zs_masks.h"
#include "util/bits.h"

bool mali_frag_zs_takes_blocks(const struct frag_draw *draw)
{
    const bool has_z = draw->tests_z || draw->writes_z;
    return !draw->s_from_shader && (!has_z || draw->z_source == MALI_DEPTH_SOURCE_FIXED_FUNCTION);
}

#if !FRAG_ZS_HAS_MASKS

/* ---- depth, quad by quad ---- */

#define ALL_QUADS 0x1111111111111111ull /* the first pixels of a block's quads */

static inline __attribute__((always_inline)) uint64_t test_quads(struct frag_worker *w, const struct raster_prim *prim,
                                                                 unsigned x, unsigned y, uint32_t *cells,
                                                                 uint64_t covered, const struct z_look *look,
                                                                 unsigned format)
{
    const int4 none = {0}, pixels = {1, 2, 4, 8};
    const float place[2] = {w->draw->place_x[0], w->draw->place_y[0]};
    uint64_t any = covered | covered >> 1, passed = 0;
    bits_foreach ((any | any >> 2) & ALL_QUADS, first) {
        const unsigned q = (unsigned)first / 4;
        const float at[2] = {(float)(x + q % 4 * 2), (float)(y + q / 4 * 2)};
        const int4 own = ((int4)(none + (int32_t)(covered >> first)) & pixels) != 0;
        passed |= (uint64_t)any_bits(look_at_four(look, format, prim, at, place, own, cells + first) & pixels) << first;
    }
    return passed;
}

static uint64_t test_block_depth(struct frag_worker *w, const struct raster_prim *prim, unsigned x, unsigned y,
                                 uint32_t *cells, uint64_t covered, unsigned compare, bool writes)
{
    const struct z_look look = z_look_of(w->draw, compare, writes);
    switch (w->fb->z_internal) {
    case MALI_Z_INTERNAL_FORMAT_D16:
        return test_quads(w, prim, x, y, cells, covered, &look, MALI_Z_INTERNAL_FORMAT_D16);
    case MALI_Z_INTERNAL_FORMAT_D24:
        return test_quads(w, prim, x, y, cells, covered, &look, MALI_Z_INTERNAL_FORMAT_D24);
    default:
        return test_quads(w, prim, x, y, cells, covered, &look, MALI_Z_INTERNAL_FORMAT_D32);
    }
}

/* ---- stencil, sixteen pixels at a time ---- */

typedef uint8_t bytes __attribute__((vector_size(16)));

#define BYTE_BITS 0x8040201008040201ull /* another one in each byte */
#define BYTE_ONES 0x0101010101010101ull

/* Sixteen bits as bytes that are all ones or zero; and back. */
static inline bytes spread_bits(uint64_t bits)
{
    const ulong2 both = {(bits & 0xff) * BYTE_ONES & BYTE_BITS, (bits >> 8 & 0xff) * BYTE_ONES & BYTE_BITS};
    return (bytes)((bytes)both != 0);
}

static inline uint64_t gather_bits(bytes all)
{
    const ulong2 both = (ulong2)all;
    return ((both[0] & BYTE_BITS) * BYTE_ONES) >> 56 | ((both[1] & BYTE_BITS) * BYTE_ONES) >> 56 << 8;
}

static inline bytes apply_op(unsigned op, bytes old, uint8_t reference)
{
    const bytes zero = {0};
    switch (op) {
    case PIXEL_STENCIL_KEEP:
        return old;
    case PIXEL_STENCIL_ZERO:
        return zero;
    case PIXEL_STENCIL_REFERENCE:
        return zero + reference;
    case PIXEL_STENCIL_INVERT:
        return ~old;
    case PIXEL_STENCIL_ADD_WRAP:
        return old + 1;
    case PIXEL_STENCIL_SUB_WRAP:
        return old - 1;
    case PIXEL_STENCIL_ADD_CLAMP:
        return old - (bytes)(old != 0xff);
    default: /* the last of those that the descriptor has */
        return old + (bytes)(old != 0);
    }
}

/* `passes`: pixels whose depth has passed; those are left that pass both tests. */
static uint64_t test_stencil(const struct frag_face *face, uint8_t *cells, uint64_t covered, uint64_t passes)
{
    const bytes zero = {0}, less = zero - (uint8_t) !!(face->compare & PIXEL_LESS),
                equal = zero - (uint8_t) !!(face->compare & PIXEL_EQUAL),
                greater = zero - (uint8_t) !!(face->compare & PIXEL_GREATER),
                reference = zero + (uint8_t)(face->reference & face->mask);
    uint64_t left = 0;
    for (unsigned first = 0; first < FRAG_BLOCK_PIXELS; first += sizeof(bytes)) {
        bytes old;
        memcpy(&old, cells + first, sizeof(old));
        const bytes value = old & face->mask, passed = spread_bits(passes >> first);
        const bytes is_right = ((bytes)(reference < value) & less) | ((bytes)(reference == value) & equal) |
                               ((bytes)(reference > value) & greater);
        const bytes of_right = (apply_op(face->pass, old, face->reference) & passed) |
                               (apply_op(face->depth_fail, old, face->reference) & ~passed);
        const bytes next = (of_right & is_right) | (apply_op(face->fail, old, face->reference) & ~is_right);
        const bytes mask = spread_bits(covered >> first) & face->write_mask, made = (next & mask) | (old & ~mask);
        memcpy(cells + first, &made, sizeof(made));
        left |= gather_bits(is_right) << first;
    }
    return left & passes & covered;
}

#endif

/* ---- both ---- */

uint64_t mali_frag_zs_test_block(struct frag_worker *w, const struct raster_prim *prim, unsigned x, unsigned y,
                                 uint64_t covered)
{
    const struct frag_draw *draw = w->draw;
    const unsigned cell = mali_frag_place(w->fb, x - (unsigned)w->tile.x, y - (unsigned)w->tile.y);
    const unsigned compare = draw->tests_z ? draw->z_compare : PIXEL_ALWAYS;
    const bool writes = draw->writes_z && !draw->tests_s;
    uint64_t passed = covered;
    if (draw->tests_z || draw->writes_z || draw->tests_s)
        mali_frag_zs_clear(w);
    if (draw->tests_z || writes)
        passed = test_block_depth(w, prim, x, y, w->z + cell, covered, compare, writes);
    if (draw->tests_s) {
        passed = test_stencil(&draw->faces[prim->is_back], w->s + cell, covered, passed);
        if (draw->writes_z) /* now that both have passed */
            (void)test_block_depth(w, prim, x, y, w->z + cell, passed, PIXEL_ALWAYS, true);
    }
    if (draw->writes_z || draw->tests_s)
        w->zs_dirty[cell / FRAG_BLOCK_PIXELS] |= covered;
    if (draw->occlusion != MALI_OCCLUSION_MODE_DISABLED)
        w->passed += (unsigned)__builtin_popcountll(passed);
    return passed;
}
