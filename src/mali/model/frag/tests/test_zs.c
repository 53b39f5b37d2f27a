/* Blocks of depth and stencil (frag_zs_block.c) against pixels one by one: any state, planes, coverage and contents,
 * numbers that are none among them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mali/hw/enums.h"
#include "mali/model/frag/frag.h"
#include "util/bits.h"
#include "util/half.h"
#include "util/tests/host_level_test.h"

#define ROUNDS 20000
#define SIDE 32 /* of the tile */
#define CELLS (SIDE * SIDE)

static uint64_t state = 1;

static uint32_t any(uint32_t below)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 33) % below;
}

static float of(const float *values, unsigned count)
{
    return values[any(count)];
}
#define OF(...) of((const float[]){__VA_ARGS__}, ARRAY_SIZE(((const float[]){__VA_ARGS__})))

/* The code of the plane's depth at the pixel. */
static uint32_t code_of(unsigned format, const struct frag_draw *draw, const struct raster_prim *prim, unsigned x,
                        unsigned y)
{
    const float at_x = (float)x + draw->place_x[0] - prim->origin_x,
                at_y = (float)y + draw->place_y[0] - prim->origin_y;
    const float z = prim->z.at + prim->z.dx * at_x + prim->z.dy * at_y;
    const float above = z > draw->clamp_min ? z : draw->clamp_min,
                clamped = above < draw->clamp_max ? above : draw->clamp_max;
    const float unit = clamped > 0 ? clamped < 1 ? clamped : 1 : 0;
    if (format == MALI_Z_INTERNAL_FORMAT_D32)
        return float_bits(clamped);
    if (format == MALI_Z_INTERNAL_FORMAT_D16)
        return (uint32_t)(unit * 65535.0f + 0.5f);
    const float product = unit * 16777215.0f;
    return (uint32_t)(product < 8388608.0f ? product + 0.5f : product);
}

static bool is_passed(unsigned format, unsigned compare, uint32_t code, uint32_t stored)
{
    return format == MALI_Z_INTERNAL_FORMAT_D32 ? pixel_compare_float(compare, bits_float(code), bits_float(stored))
                                                : pixel_compare_uint(compare, code, stored);
}

/* One pixel: whether both tests pass. */
static bool test_pixel(unsigned format, const struct frag_draw *draw, const struct frag_face *face, uint32_t code,
                       uint32_t *z, uint8_t *s)
{
    const bool is_near = !draw->tests_z || is_passed(format, draw->z_compare, code, *z);
    const bool is_right =
        !draw->tests_s || pixel_compare_uint(face->compare, face->reference & face->mask, *s & face->mask);
    if (draw->tests_s) {
        const uint8_t made = pixel_stencil_apply(!is_right ? face->fail
                                                 : is_near ? face->pass
                                                           : face->depth_fail,
                                                 *s, face->reference, 1);
        *s = (uint8_t)((*s & ~face->write_mask) | (made & face->write_mask));
    }
    if (draw->writes_z && is_near && is_right)
        *z = code;
    return is_near && is_right;
}

static struct frag_face any_face(void)
{
    static const uint8_t ops[] = {PIXEL_STENCIL_KEEP,      PIXEL_STENCIL_ZERO,     PIXEL_STENCIL_REFERENCE,
                                  PIXEL_STENCIL_INVERT,    PIXEL_STENCIL_ADD_WRAP, PIXEL_STENCIL_SUB_WRAP,
                                  PIXEL_STENCIL_ADD_CLAMP, PIXEL_STENCIL_SUB_CLAMP};
    const unsigned kinds = any(4) ? ARRAY_SIZE(ops) : 1; /* often all keep what is there */
    return (struct frag_face){.compare = (uint8_t)any(8),
                              .fail = ops[any(kinds)],
                              .depth_fail = ops[any(kinds)],
                              .pass = ops[any(kinds)],
                              .reference = (uint8_t)any(256),
                              .mask = (uint8_t)(any(2) ? 255 : any(256)),
                              .write_mask = (uint8_t)(any(2) ? 255 : any(256))};
}

static struct frag_draw any_draw(void)
{
    struct frag_draw draw = {.tests_z = any(3),
                             .writes_z = any(2),
                             .tests_s = any(2),
                             .z_compare = (uint8_t)any(8),
                             .clamp_min = OF(0, 0, 0.25f, -INFINITY),
                             .clamp_max = OF(1, 1, 0.75f, INFINITY),
                             .faces = {any_face(), any_face()},
                             .occlusion = any(2) ? MALI_OCCLUSION_MODE_COUNTER : MALI_OCCLUSION_MODE_DISABLED};
    draw.place_x[0] = (float)any(16) / 16;
    draw.place_y[0] = (float)any(16) / 16;
    return draw;
}

static struct raster_prim any_prim(void)
{
    return (struct raster_prim){.origin_x = (float)any(4096) / 16,
                                .origin_y = (float)any(4096) / 16,
                                .z = {.at = OF(0.5f, 0.3f, (float)any(1 << 20) / (1 << 20), -1, NAN, INFINITY),
                                      .dx = OF(0, 0, 1 / 64.0f, -1 / 37.0f, 1e-6f, NAN),
                                      .dy = OF(0, 0, 1 / 64.0f, -1 / 53.0f, 3e-7f, -INFINITY)},
                                .is_back = any(2)};
}

static uint64_t any_coverage(void)
{
    const uint64_t some = (uint64_t)any(1u << 31) << 33 ^ (uint64_t)any(1u << 31) << 11 ^ any(1u << 31);
    switch (any(4)) {
    case 0:
        return UINT64_MAX;
    case 1:
        return UINT64_MAX >> any(64);
    case 2:
        return 1ull << any(64);
    default:
        return some | 1ull << any(64);
    }
}

static void blocks_are_their_pixels(void **unused)
{
    static const unsigned formats[] = {MALI_Z_INTERNAL_FORMAT_D16, MALI_Z_INTERNAL_FORMAT_D24,
                                       MALI_Z_INTERNAL_FORMAT_D32};
    static uint32_t z[CELLS], expected_z[CELLS];
    static uint8_t s[CELLS], expected_s[CELLS];
    static struct frag_worker w;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const unsigned format = formats[any(3)], left = any(4) * 8, top = any(4) * 8;
        const struct frag_fb fb = {.z_internal = (uint8_t)format, .tile_w = SIDE, .tile_h = SIDE, .samples = 1};
        const struct frag_draw draw = any_draw();
        const struct raster_prim prim = any_prim();
        const uint64_t covered = any_coverage();
        w = (struct frag_worker){
            .fb = &fb, .tile = {64, 96, SIDE, SIDE}, .z = z, .s = s, .has_zs = true, .draw = &draw};
        const unsigned x = 64 + left, y = 96 + top, first = mali_frag_place(&fb, left, top);
        uint64_t expected = 0;
        for (unsigned i = 0; i < CELLS; i++) {
            const unsigned own = i - first, px = x + (own >> 1 & 6) + (own & 1),
                           py = y + (own >> 3 & 6) + (own >> 1 & 1);
            z[i] = code_of(format, &draw, &prim, px, py);
            if (any(3)) /* others are equal */
                z[i] = format == MALI_Z_INTERNAL_FORMAT_D32 ? float_bits(OF(0, 0.4f, 0.6f, 1, NAN))
                                                            : MIN2(z[i] + any(3), 1 + z[i]);
            s[i] = (uint8_t)(any(2) ? any(256) : OF(0, 255, draw.faces[prim.is_back].reference));
        }
        memcpy(expected_z, z, sizeof(z));
        memcpy(expected_s, s, sizeof(s));
        bits_foreach (covered, i) {
            const unsigned px = x + (i >> 1 & 6) + (i & 1), py = y + (i >> 3 & 6) + (i >> 1 & 1);
            const uint32_t code = code_of(format, &draw, &prim, px, py);
            if (test_pixel(format, &draw, &draw.faces[prim.is_back], code, &expected_z[first + i],
                           &expected_s[first + i]))
                expected |= 1ull << i;
        }
        const uint64_t passed = mali_frag_zs_test_block(&w, &prim, x, y, covered);
        assert_true(passed == expected);
        assert_memory_equal(z, expected_z, sizeof(z));
        assert_memory_equal(s, expected_s, sizeof(s));
        assert_true(w.zs_dirty[first / FRAG_BLOCK_PIXELS] == (draw.writes_z || draw.tests_s ? covered : 0));
        assert_int_equal(w.passed, draw.occlusion == MALI_OCCLUSION_MODE_DISABLED ? 0 : __builtin_popcountll(expected));
    }
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_are_their_pixels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
