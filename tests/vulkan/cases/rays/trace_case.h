/* Cases whose answers are small sums: what one is, what its rays meet, and how it is run. */
#ifndef TESTS_VULKAN_TRACE_CASE_H
#define TESTS_VULKAN_TRACE_CASE_H

#include "cases/rays/trace.h"

struct ray_case {
    struct trace_setup setup;
    void (*expect)(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS]);
    uint32_t near; /* words that are floats, which may be a little off */
    uint32_t any;  /* words that are not compared */
    uint32_t layers
        [4]; /* that can be met, as bits: of both geometries, even and odd rows each; all 0: as the mask; NOTHING */
    uint32_t (*count)(const struct ray_case *test, unsigned x,
                      unsigned y); /* in the counts; NULL: they are not looked at */
    uint8_t kind;                  /* of boxes */
};

#define NOTHING .layers = {8, 8, 8, 8}

enum {
    RAY_OPAQUE = 1,
    RAY_NOT_OPAQUE = 2,
    RAY_TERMINATE = 4,
    RAY_SKIP_CLOSEST = 8,
    RAY_CULL_BACK = 16,
    RAY_CULL_FRONT = 32,
    RAY_CULL_OPAQUE = 64,
    RAY_CULL_NOT_OPAQUE = 128,
    RAY_SKIP_TRIANGLES = 256,
    RAY_SKIP_BOXES = 512,
};

static inline float trace_distance(unsigned layer)
{
    return 1 + 0.5f * (float)layer;
}

/* Where the ray goes through its cell. */
static inline float trace_inside_x(unsigned x)
{
    return 0.125f * (float)(1 + x % 4);
}

static inline float trace_inside_y(unsigned y)
{
    return 0.125f * (float)(1 + y % 3);
}

static inline unsigned trace_primitive(unsigned x, unsigned y)
{
    return y % 4 * TRACE_WIDTH + x;
}

uint32_t trace_bits(float value);

/* The nearest layer, or -1. */
int trace_meet(const struct ray_case *test, unsigned x, unsigned y);

const struct trace_record *trace_hit_record(const struct ray_case *test, int layer, unsigned y, unsigned offset);
const struct trace_record *trace_miss_record(const struct ray_case *test, unsigned number);

/* A payload before its ray is sent, and after HIT_FLAT and MISS_FLAT (layer -1). */
void trace_clear(uint32_t want[TRACE_WORDS]);
void trace_tell_flat(const struct ray_case *test, int layer, const struct trace_record *record,
                     uint32_t want[TRACE_WORDS]);
void trace_expect_flat(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS]);

/* Of a vt_case whose argument is a ray_case. */
void trace_run_case(struct vt *vt, const void *argument);

/* Groups: the first generates rays, the second is of misses, then what meets. Records have the numbers 11, 21, 31. */
#define GROUPS(generate_, miss_, ...) .groups = {{.general = generate_}, {.general = miss_}, __VA_ARGS__}
#define ONE_EACH .records = {{{1, 11}}, {{2, 21}}, {{3, 31}}}
#define PUSH(...) .push = {.mask = 0xff, .most = 100, __VA_ARGS__}
#define NOT_OPAQUE                                                                                                     \
    .geometry_flags = {VK_GEOMETRY_NO_DUPLICATE_ANY_HIT_INVOCATION_BIT_KHR,                                            \
                       VK_GEOMETRY_NO_DUPLICATE_ANY_HIT_INVOCATION_BIT_KHR}
#define HALF_OPAQUE .geometry_flags = {VK_GEOMETRY_NO_DUPLICATE_ANY_HIT_INVOCATION_BIT_KHR, VK_GEOMETRY_OPAQUE_BIT_KHR}
#define ALL_BOXES .boxes = {true, true, true}
#define SETUP(...) .setup = {__VA_ARGS__}
#define CASE(name, ...)                                                                                                \
    {                                                                                                                  \
        name, trace_run_case, &(const struct ray_case)                                                                 \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define FLOATS_ALL (1u << 6 | 1u << 7 | 1u << 8 | 1u << 14)
#define FLAT_GROUPS GROUPS(GENERATE_TRACE, MISS_FLAT, {.closest = HIT_FLAT})
#define FLAT FLAT_GROUPS, ONE_EACH
#define WITH_ANY(any_) GROUPS(GENERATE_TRACE, MISS_FLAT, {.closest = HIT_FLAT, .any = any_}), ONE_EACH
#define BOXES(intersection_)                                                                                           \
    GROUPS(GENERATE_TRACE, MISS_ALL, {.closest = HIT_BOX, .intersection = intersection_}), ONE_EACH, ALL_BOXES

#endif
