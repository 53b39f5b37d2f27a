/* LD_CVT and ST_CVT: registers to a pixel format in memory and back, at an address of each lane. */
#include "mali/model/tex/unit.h"

#include <string.h>

#include "util/bits.h"
#include "util/half.h"

static const uint8_t zeros[16];

/* Lanes of `left` that have the format of the first one. */
static uint64_t same_format(const struct mali_tex_conversion *c, uint64_t left, uint32_t *bits_out)
{
    const uint32_t bits = c->conversion[__builtin_ctzll(left)] & 0x3fffff;
    uint32_t is_same[LANES_MAX];
    for (unsigned i = 0; i < LANES_MAX; i++)
        is_same[i] = (c->conversion[i] & 0x3fffff) == bits ? UINT32_MAX : 0;
    *bits_out = bits;
    return lanes_to_mask(is_same, LANES_MAX) & left;
}

static uint64_t address_of(const struct mali_tex_conversion *c, unsigned lane)
{
    return (c->address[0][lane] | (uint64_t)c->address[1][lane] << 32) + (uint64_t)(int64_t)c->offset_B;
}

static bool stop_fault(struct mali_tex *tex, uint64_t va)
{
    tex->is_fault = true;
    tex->fault_va = va;
    return mali_tex_stop(tex, "a conversion at an address that is not mapped", NULL, NULL);
}

/* The host's memory of all lanes, where one window has it: at[] of those that have an address; others stay as they are.
 * Lanes without one are taken out of `*lanes`. */
static bool find_together(struct mali_tex *tex, const struct gpu_space *space, const struct mali_tex_conversion *c,
                          uint32_t size_B, unsigned need, uint64_t *lanes, void *at[LANES_MAX])
{
    uint64_t va[LANES_MAX], low = UINT64_MAX, high = 0, there = *lanes;
    for (unsigned i = 0; i < LANES_MAX; i++)
        va[i] = address_of(c, i);
    bits_foreach (*lanes, i) {
        if (mali_tex_is_nowhere(va[i])) {
            there &= ~(1ull << i);
            continue;
        }
        low = MIN2(low, va[i]);
        high = MAX2(high, va[i]);
    }
    uint8_t *host = there && !tex->actor ? mali_tex_window(tex, space, low, high + size_B, need) : NULL;
    if (!host)
        return false;
    *lanes = there;
    bits_foreach (there, i)
        at[i] = host + (va[i] - low);
    return true;
}

/* ---- loads ---- */

static bool load_group(struct mali_tex *tex, const struct gpu_space *space, const struct mali_tex_conversion *c,
                       const struct mali_pixel *pixel, uint64_t lanes)
{
    const void *at[LANES_MAX];
    uint8_t copies[LANES_MAX][16];
    union tex_texel texels[LANES_MAX];
    uint64_t found = lanes;
    for (unsigned i = 0; i < LANES_MAX; i++)
        at[i] = zeros;
    const bool is_found =
        !pixel->is_constant && find_together(tex, space, c, pixel->size_B, GPU_PERM_READ, &found, (void **)at);
    bits_foreach (is_found ? 0 : lanes, i) {
        uint64_t va = address_of(c, i);
        if (!pixel->is_constant && !mali_tex_is_nowhere(va))
            mali_tex_note(tex, va, pixel->size_B);
        if (!pixel->is_constant && !mali_tex_is_nowhere(va) &&
            !(at[i] = mali_tex_bytes(space, va, pixel->size_B, copies[i])))
            return stop_fault(tex, va);
    }
    mali_pixel_load(pixel, texels, at, LANES_MAX);
    mali_tex_return(c->result, texels, pixel->kind, c->regfmt, c->components, lanes);
    return true;
}

/* ---- stores ---- */

static uint32_t component_of(const struct mali_tex_conversion *c, unsigned lane, unsigned n)
{
    if (!(c->regfmt & 1))
        return c->data[(size_t)n * MALI_TEX_LANES + lane];
    return c->data[(size_t)(n / 2) * MALI_TEX_LANES + lane] >> n % 2 * 16 & 0xffff;
}

/* A register's number as one of the kind that the format has. */
static uint32_t as_kind(uint32_t value, unsigned regfmt, unsigned kind)
{
    const bool is_float = kind == MALI_PIXEL_FLOAT;
    int32_t number = (int32_t)value;
    switch (regfmt) {
    case MALI_TEX_REGFMT_F16:
        value = float_bits(half_to_float((uint16_t)value));
        __attribute__((fallthrough));
    case MALI_TEX_REGFMT_F32: {
        float f = bits_float(value);
        if (is_float)
            return value;
        if (kind == MALI_PIXEL_SINT)
            return (uint32_t)(f > -2147483648.0f ? f < 2147483648.0f ? (int32_t)f : INT32_MAX : INT32_MIN);
        return f > 0 ? f < 4294967296.0f ? (uint32_t)f : UINT32_MAX : 0;
    }
    case MALI_TEX_REGFMT_S16:
        number = (int16_t)value;
        __attribute__((fallthrough));
    case MALI_TEX_REGFMT_S32:
        return is_float ? float_bits((float)number) : kind == MALI_PIXEL_UINT && number < 0 ? 0 : (uint32_t)number;
    case MALI_TEX_REGFMT_U16:
    case MALI_TEX_REGFMT_U32:
        return is_float ? float_bits((float)value) : kind == MALI_PIXEL_SINT ? MIN2(value, (uint32_t)INT32_MAX) : value;
    default:
        return value;
    }
}

/* Registers hold numbers of the kind that the format has. */
static bool is_kind(unsigned regfmt, unsigned kind)
{
    return regfmt == MALI_TEX_REGFMT_AUTO || (regfmt == MALI_TEX_REGFMT_F32 && kind == MALI_PIXEL_FLOAT) ||
           (regfmt == MALI_TEX_REGFMT_U32 && kind == MALI_PIXEL_UINT) ||
           (regfmt == MALI_TEX_REGFMT_S32 && kind == MALI_PIXEL_SINT);
}

static void take_texels(const struct mali_tex_conversion *c, const struct mali_pixel *pixel, uint64_t lanes,
                        union tex_texel texels[LANES_MAX])
{
    const uint32_t one = pixel->kind == MALI_PIXEL_FLOAT ? float_bits(1) : 1;
    const bool is_same = is_kind(c->regfmt, pixel->kind);
    for (unsigned i = 0; i < LANES_MAX; i++)
        texels[i] = (union tex_texel){.u = {0, 0, 0, one}};
    for (unsigned n = 0; n < c->components && is_same; n++) {
        const uint32_t *row = c->data + (size_t)n * MALI_TEX_LANES;
        for (unsigned i = 0; i < LANES_MAX; i++)
            texels[i].u[n] = row[i];
    }
    for (unsigned n = 0; n < c->components && !is_same; n++) {
        bits_foreach (lanes, i)
            texels[i].u[n] = as_kind(component_of(c, i, n), c->regfmt, pixel->kind);
    }
}

/* Texels that the host does not have in one piece, or of which a part stays. */
static bool store_one(struct mali_tex *tex, const struct gpu_space *space, const struct mali_pixel *pixel, uint64_t va,
                      const union tex_texel *texel)
{
    uint8_t bytes[16] = {0};
    void *to = bytes;
    mali_pixel_store(pixel, &to, texel, 1);
    return gpu_space_write(space, va, bytes, pixel->size_B) == pixel->size_B || stop_fault(tex, va);
}

/* Lanes in their order: where two write the same bytes, the higher one's stay. */
static bool store_group(struct mali_tex *tex, const struct gpu_space *space, const struct mali_tex_conversion *c,
                        const struct mali_pixel *pixel, uint64_t lanes)
{
    const bool is_whole = !pixel->is_constant && pixel->size_B == format_info(pixel->format)->block_size_B;
    union tex_texel texels[LANES_MAX];
    void *at[LANES_MAX];
    unsigned first = 0, count = 0; /* of those that are next to each other in `texels` */
    take_texels(c, pixel, lanes, texels);
    if (is_whole && find_together(tex, space, c, pixel->size_B, GPU_PERM_WRITE, &lanes, at)) {
        for (uint64_t left = lanes; left; left &= left + (left & -left)) { /* runs of lanes */
            const unsigned from = (unsigned)__builtin_ctzll(left);
            const uint64_t run = ~(left >> from);
            mali_pixel_store(pixel, at + from, texels + from, run ? (unsigned)__builtin_ctzll(run) : LANES_MAX - from);
        }
        return true;
    }
    bits_foreach (lanes, i) {
        const uint64_t va = address_of(c, i);
        if (mali_tex_is_nowhere(va))
            continue;
        if (__builtin_expect(tex->actor != NULL, 0))
            coherence_write(tex->actor, MALI_CLIENT_SHADER, 0, va, pixel->size_B);
        void *host = is_whole ? gpu_space_pointer(space, va, pixel->size_B, GPU_PERM_WRITE) : NULL;
        if (!host || first + count != i) {
            mali_pixel_store(pixel, at, texels + first, count);
            first = i;
            count = 0;
        }
        if (host)
            at[count++] = host;
        else if (!store_one(tex, space, pixel, va, &texels[i]))
            return false;
    }
    mali_pixel_store(pixel, at, texels + first, count);
    return true;
}

/* ---- instructions ---- */

static bool run_conversion(struct mali_tex *tex, const struct gpu_space *space, const struct mali_tex_conversion *c,
                           bool is_store)
{
    uint64_t left = c->lanes;
    while (left) {
        uint32_t bits;
        struct mali_pixel pixel = {.is_constant = true, .in_order = true};
        uint64_t lanes = same_format(c, left, &bits);
        if (bits && (!mali_pixel_init(&pixel, mali_pixel_unpack(bits)) || bits >> 21 & 1)) {
            mali_tex_stop(tex, "a conversion to or from a format that is not implemented", NULL, NULL);
            strbuf_printf(&tex->problem, ": 0x%06x", bits);
            return false;
        }
        if (!(is_store ? store_group : load_group)(tex, space, c, &pixel, lanes))
            return false;
        left &= ~lanes;
    }
    return true;
}

bool mali_tex_load_converted(struct mali_tex *tex, const struct gpu_space *space,
                             const struct mali_tex_conversion *conversion)
{
    uint64_t env = mali_tex_enter(tex, MALI_CLIENT_SHADER);
    bool is_done = run_conversion(tex, space, conversion, false);
    mali_tex_leave(env);
    return is_done;
}

bool mali_tex_store_converted(struct mali_tex *tex, const struct gpu_space *space,
                              const struct mali_tex_conversion *conversion)
{
    uint64_t env = mali_tex_enter(tex, MALI_CLIENT_SHADER);
    bool is_done = run_conversion(tex, space, conversion, true);
    mali_tex_leave(env);
    return is_done;
}
