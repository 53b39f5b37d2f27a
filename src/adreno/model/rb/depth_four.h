/* Depth and stencil of four samples at a time, as vectors: what quads (depth_fast.c) and blocks (depth_block.c) have in
 * common. */
#ifndef ADRENO_MODEL_RB_DEPTH_FOUR_H
#define ADRENO_MODEL_RB_DEPTH_FOUR_H

#include "adreno/model/rb/rb.h"

typedef float float4 __attribute__((vector_size(16)));
typedef int32_t int4 __attribute__((vector_size(16)));

static inline float4 splat(float value)
{
    return (float4){value, value, value, value};
}

static inline float4 choose(int4 mask, float4 yes, float4 no)
{
    return (float4)(((int4)yes & mask) | ((int4)no & ~mask));
}

/* The common part of a primitive's quads. */
struct test {
    enum adreno_rb_depth_format format;
    bool is_written;
    float4 low, high;
    int4 less, equal, more, always; /* all ones where such a relation passes */
};

static struct test make_test(const struct adreno_rb_depth *state, const struct raster_prim *prim)
{
    const int32_t less = -(int32_t)(state->compare & 1), equal = -(int32_t)(state->compare >> 1 & 1),
                  more = -(int32_t)(state->compare >> 2 & 1), always = state->compare == PIXEL_ALWAYS ? -1 : 0;
    return (struct test){
        .format = state->format,
        .is_written = state->writes_z,
        .low = splat(state->is_clamped ? prim->z_min : state->z_min),
        .high = splat(state->is_clamped ? prim->z_max : state->z_max),
        .less = {less, less, less, less},
        .equal = {equal, equal, equal, equal},
        .more = {more, more, more, more},
        .always = {always, always, always, always},
    };
}

#define DECIDE(t, a, b)                                                                                                \
    ((((a) < (b)) & (t)->less) | (((a) == (b)) & (t)->equal) | (((a) > (b)) & (t)->more) | (t)->always)

/* As numbers of the surface's format; NaN becomes 0. */
static inline int4 to_codes(enum adreno_rb_depth_format format, float4 z)
{
    const float4 zero = splat(0), one = splat(1), above = choose(z > zero, z, zero),
                 unit = choose(above < one, above, one);
    if (format == ADRENO_RB_Z16)
        return __builtin_convertvector(unit * 65535.0f + 0.5f, int4);
    const float4 product = unit * 16777215.0f; /* from 2^23 on it is whole already */
    return __builtin_convertvector(choose(product < splat(8388608.0f), product + 0.5f, product), int4);
}

/* Which of four covered samples pass, as lanes of all ones; `words` becomes what memory is to hold. */
static inline int4 test_four(const struct test *t, int4 covered, float4 z, int4 *words)
{
    z = choose(z > t->low, z, t->low);
    z = choose(z < t->high, z, t->high);
    if (t->format == ADRENO_RB_Z32) {
        const int4 pass = DECIDE(t, z, (float4)*words) & covered;
        *words = ((int4)z & pass) | (*words & ~pass);
        return pass;
    }
    const int32_t depth_bits = t->format == ADRENO_RB_Z16 ? 0xffff : 0xffffff;
    const int4 all = {depth_bits, depth_bits, depth_bits, depth_bits}, code = to_codes(t->format, z),
               stored = *words & all;
    const int4 pass = DECIDE(t, code, stored) & covered;
    *words = (((*words & ~all) | code) & pass) | (*words & ~pass);
    return pass;
}

/* The relation of a draw's test that is known when the code is made. */
enum relation {
    ANY_RELATION,
    FLOAT_LESS,
    FLOAT_LESS_OR_EQUAL,
};

static inline enum relation relation_of(const struct adreno_rb_depth *state)
{
    if (state->format != ADRENO_RB_Z32)
        return ANY_RELATION;
    return state->compare == PIXEL_LESS            ? FLOAT_LESS
           : state->compare == PIXEL_LESS_OR_EQUAL ? FLOAT_LESS_OR_EQUAL
                                                   : ANY_RELATION;
}

/* As test_four does. */
static inline int4 test_related(const struct test *t, enum relation relation, int4 covered, float4 z, int4 *words)
{
    if (relation == ANY_RELATION)
        return test_four(t, covered, z, words);
    z = choose(z > t->low, z, t->low);
    z = choose(z < t->high, z, t->high);
    const float4 stored = (float4)*words;
    const int4 pass = (relation == FLOAT_LESS ? z < stored : z <= stored) & covered;
    *words = ((int4)z & pass) | (*words & ~pass);
    return pass;
}

static inline int4 splat_int(uint32_t value)
{
    const int32_t word = (int32_t)value;
    return (int4){word, word, word, word};
}

/* The union of four words. */
static inline uint32_t any_lane(int4 bits)
{
    typedef uint64_t long2 __attribute__((vector_size(16)));
    const long2 pairs = (long2)bits;
    const uint64_t both = pairs[0] | pairs[1];
    return (uint32_t)(both | both >> 32);
}

static inline int4 choose_int(int4 mask, int4 yes, int4 no)
{
    return (yes & mask) | (no & ~mask);
}

static inline int4 take_step(const struct adreno_rb_stencil_step *step, int4 old)
{
    const int4 least = splat_int((uint32_t)step->least), most = splat_int((uint32_t)step->most);
    const int4 value =
        ((old & splat_int((uint32_t)step->keep)) ^ splat_int((uint32_t)step->flip)) + splat_int((uint32_t)step->add);
    const int4 above = choose_int(value > least, value, least);
    return choose_int(above < most, above, most);
}

/* Which of four stored values pass a face's test. */
static inline int4 stencil_passes(const struct adreno_rb_stencil_face *face, int4 old)
{
    const int4 reference = splat_int(face->reference & face->mask), stored = old & splat_int(face->mask);
    const int32_t less = -(int32_t)(face->compare & 1), equal = -(int32_t)(face->compare >> 1 & 1),
                  more = -(int32_t)(face->compare >> 2 & 1);
    return ((reference < stored) & splat_int((uint32_t)less)) | ((reference == stored) & splat_int((uint32_t)equal)) |
           ((reference > stored) & splat_int((uint32_t)more));
}

/* The next stencil values. */
static inline int4 stencil_next(const struct adreno_rb_stencil_face *face, const struct adreno_rb_stencil_step steps[3],
                                int4 old, int4 covered, int4 passes, int4 both)
{
    const int4 step = choose_int(both, take_step(&steps[2], old),
                                 choose_int(passes, take_step(&steps[1], old), take_step(&steps[0], old)));
    return choose_int(covered & splat_int(face->write_mask), step, old);
}

#endif
