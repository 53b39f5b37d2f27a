/* From an instruction to groups of lanes that have the same descriptors, and from texels to registers. */
#include "mali/model/tex/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hw/text.h"
#include "isa/lane_env.h"
#include "util/bits.h"
#include "util/half.h"

/* ---- the unit ---- */

struct mali_tex *mali_tex_create(void)
{
    struct mali_tex *tex = calloc(1, sizeof(*tex));
    if (tex && !(tex->cache = mali_tex_cache_create())) {
        free(tex);
        return NULL;
    }
    return tex;
}

void mali_tex_destroy(struct mali_tex *tex)
{
    if (!tex)
        return;
    mali_tex_cache_destroy(tex->cache);
    strbuf_finish(&tex->problem);
    free(tex);
}

const char *mali_tex_problem(const struct mali_tex *tex)
{
    return tex->has_problem ? tex->problem.text : NULL;
}

bool mali_tex_fault(const struct mali_tex *tex, uint64_t *va_out)
{
    *va_out = tex->fault_va;
    return tex->is_fault;
}

bool mali_tex_stop(struct mali_tex *tex, const char *why, const char *descriptor, const uint32_t *words)
{
    const struct hw_decode_options options = {.generation = MALI_V10};
    strbuf_clear(&tex->problem);
    strbuf_append(&tex->problem, why);
    if (words) {
        struct hw_text text = hw_text_begin(&tex->problem, &mali_hw_tables, &options);
        strbuf_append(&tex->problem, ": ");
        hw_text_descriptor(&text, descriptor, words);
    }
    tex->has_problem = true;
    return false;
}

bool mali_tex_stop_image(struct mali_tex *tex, const struct mali_tex_image *image, const char *why)
{
    mali_tex_stop(tex, why, "TEXTURE", image->words);
    if (image->planes && image->planes[0].problem) {
        const struct hw_decode_options options = {.generation = MALI_V10};
        struct hw_text text = hw_text_begin(&tex->problem, &mali_hw_tables, &options);
        strbuf_append(&tex->problem, "; ");
        hw_text_descriptor(&text, "PLANE", image->planes[0].words);
    }
    return false;
}

bool mali_tex_stop_fault(struct mali_tex *tex, const struct mali_tex_image *image, uint64_t va)
{
    tex->is_fault = true;
    tex->fault_va = va;
    return mali_tex_stop(tex, "a texel or a plane at an address that is not mapped", "TEXTURE", image->words);
}

/* The unit rounds to nearest, whatever the program's mode is. */
#if defined(__aarch64__)
#define PLAIN_ENV 0ull
#else
#define PLAIN_ENV 0x1f80ull
#endif

uint64_t mali_tex_enter(struct mali_tex *tex, enum mali_client client)
{
    uint64_t env = lane_env_get();
    tex->has_problem = tex->is_fault = false;
    tex->client = (uint8_t)client;
    if (env != PLAIN_ENV)
        lane_env_set(PLAIN_ENV);
    return env;
}

void mali_tex_leave(uint64_t env)
{
    if (env != PLAIN_ENV)
        lane_env_set(env);
}

void mali_tex_watch(struct mali_tex *tex, struct coherence_actor *actor)
{
    tex->actor = actor;
}

/* ---- descriptors ---- */

bool mali_tex_find_image(struct mali_tex *tex, const struct mali_tex_resources *resources, uint32_t handle,
                         struct mali_tex_image **image_out)
{
    const uint32_t *words = resources->find(resources->context, handle);
    uint64_t fault;
    if (!words)
        return false;
    struct mali_tex_image *image = mali_tex_image_get(tex->cache, resources->space, words, &fault);
    if (!image)
        return mali_tex_stop(tex, "the host has no memory for a descriptor", NULL, NULL);
    if (fault)
        return mali_tex_stop_fault(tex, image, fault);
    if (image->problem)
        return mali_tex_stop_image(tex, image, image->problem);
    *image_out = image;
    return true;
}

static bool find_sampler(struct mali_tex_unit *u, const struct mali_tex_resources *resources, uint32_t handle)
{
    const uint32_t *words = resources->find(resources->context, handle);
    if (!words)
        return false;
    u->sampler = mali_tex_sampler_get(u->tex->cache, words);
    if (!u->sampler)
        return mali_tex_stop(u->tex, "the host has no memory for a descriptor", NULL, NULL);
    if (u->sampler->problem)
        return mali_tex_stop(u->tex, u->sampler->problem, "SAMPLER", words);
    u->q.sampler = &u->sampler->tex;
    u->q.unnormalized = u->sampler->tex.unnormalized;
    return true;
}

/* ---- results ---- */

static uint32_t saturate_int(union tex_texel texel, unsigned n, unsigned kind, bool is_signed, unsigned bits)
{
    int64_t low = is_signed ? -(1ll << (bits - 1)) : 0, high = is_signed ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1;
    int64_t value;
    if (kind == MALI_PIXEL_FLOAT) {
        float f = rintf(texel.f[n]);
        value = f > (float)low ? f < (float)high ? (int64_t)f : high : low; /* a NaN is the lowest */
    } else {
        value = kind == MALI_PIXEL_SINT ? texel.i[n] : (int64_t)texel.u[n];
    }
    return (uint32_t)MAX2(MIN2(value, high), low);
}

static float as_float(union tex_texel texel, unsigned n, unsigned kind)
{
    return kind == MALI_PIXEL_FLOAT ? texel.f[n] : kind == MALI_PIXEL_SINT ? (float)texel.i[n] : (float)texel.u[n];
}

static uint32_t convert_component(union tex_texel texel, unsigned n, unsigned kind, unsigned regfmt)
{
    switch (regfmt) {
    case MALI_TEX_REGFMT_F32:
        return float_bits(as_float(texel, n, kind));
    case MALI_TEX_REGFMT_F16:
        return float_to_half_rtne(as_float(texel, n, kind));
    case MALI_TEX_REGFMT_S32:
        return saturate_int(texel, n, kind, true, 32);
    case MALI_TEX_REGFMT_U32:
        return saturate_int(texel, n, kind, false, 32);
    case MALI_TEX_REGFMT_S16:
        return saturate_int(texel, n, kind, true, 16) & 0xffff;
    case MALI_TEX_REGFMT_U16:
        return saturate_int(texel, n, kind, false, 16);
    default:
        return texel.u[n];
    }
}

static bool is_16_bit(unsigned regfmt)
{
    return regfmt & 1;
}

typedef uint32_t word4 __attribute__((vector_size(16)));

/* All lanes as they are, one component at least: four texels become four lanes of each row. */
static void return_all(uint32_t *rows, const union tex_texel texels[LANES_MAX], unsigned components)
{
    for (unsigned i = 0; i < LANES_MAX; i += 4) {
        word4 of[4];
        memcpy(of, &texels[i], sizeof(of));
        const word4 low[2] = {__builtin_shufflevector(of[0], of[1], 0, 4, 1, 5),
                              __builtin_shufflevector(of[2], of[3], 0, 4, 1, 5)},
                    high[2] = {__builtin_shufflevector(of[0], of[1], 2, 6, 3, 7),
                               __builtin_shufflevector(of[2], of[3], 2, 6, 3, 7)};
        const word4 row[4] = {__builtin_shufflevector(low[0], low[1], 0, 1, 4, 5),
                              __builtin_shufflevector(low[0], low[1], 2, 3, 6, 7),
                              __builtin_shufflevector(high[0], high[1], 0, 1, 4, 5),
                              __builtin_shufflevector(high[0], high[1], 2, 3, 6, 7)};
        memcpy(rows + i, &row[0], sizeof(row[0]));
        if (components > 1) /* no loop: the rows would be in memory for it */
            memcpy(rows + MALI_TEX_LANES + i, &row[1], sizeof(row[1]));
        if (components > 2)
            memcpy(rows + 2 * MALI_TEX_LANES + i, &row[2], sizeof(row[2]));
        if (components > 3)
            memcpy(rows + 3 * MALI_TEX_LANES + i, &row[3], sizeof(row[3]));
    }
}

void mali_tex_return(uint32_t *rows, const union tex_texel texels[LANES_MAX], unsigned kind, unsigned regfmt,
                     unsigned components, uint64_t lanes)
{
    /* Components that are as they shall be need no arithmetic. */
    const bool is_same = regfmt == MALI_TEX_REGFMT_AUTO ||
                         (regfmt == MALI_TEX_REGFMT_F32 && kind == MALI_PIXEL_FLOAT) ||
                         (regfmt == MALI_TEX_REGFMT_U32 && kind == MALI_PIXEL_UINT) ||
                         (regfmt == MALI_TEX_REGFMT_S32 && kind == MALI_PIXEL_SINT);
    if (is_same && !is_16_bit(regfmt) && lanes == UINT64_MAX && components) {
        return_all(rows, texels, components);
        return;
    }
    for (unsigned n = 0; n < components; n++) {
        uint32_t *row = rows + (size_t)(is_16_bit(regfmt) ? n / 2 : n) * MALI_TEX_LANES;
        bits_foreach (lanes, i) {
            uint32_t value = is_same ? texels[i].u[n] : convert_component(texels[i], n, kind, regfmt);
            if (!is_16_bit(regfmt))
                row[i] = value;
            else if (n % 2)
                row[i] = (row[i] & 0xffff) | value << 16;
            else
                row[i] = value; /* the upper half of an odd last one is zero */
        }
    }
}

unsigned mali_tex_result_format(const struct mali_tex_request *request)
{
    static const uint8_t wide[4] = {MALI_TEX_REGFMT_AUTO, MALI_TEX_REGFMT_F32, MALI_TEX_REGFMT_U32,
                                    MALI_TEX_REGFMT_S32};
    unsigned regfmt = wide[request->type & 3];
    return request->is_32_bit || !regfmt ? regfmt : regfmt + 1;
}

void mali_tex_return_masked(const struct mali_tex_unit *u, union tex_texel texels[LANES_MAX])
{
    const struct mali_tex_request *request = u->request;
    unsigned count = 0, kind = u->q.image->is_float ? MALI_PIXEL_FLOAT : u->image->pixel.kind;
    for (unsigned n = 0; n < 4; n++) {
        if (!(request->mask >> n & 1))
            continue;
        for (unsigned i = 0; count != n && i < LANES_MAX; i++)
            texels[i].u[count] = texels[i].u[n];
        count++;
    }
    mali_tex_return(request->result, texels, kind, mali_tex_result_format(request), count, u->q.exec);
}

void mali_tex_swizzle(const struct mali_tex_image *image, union tex_texel texels[LANES_MAX])
{
    static const uint8_t as_is[4] = {MALI_CHANNEL_R, MALI_CHANNEL_G, MALI_CHANNEL_B, MALI_CHANNEL_A};
    const uint32_t one = image->tex.is_float ? float_bits(1) : 1;
    if (memcmp(image->swizzle, as_is, sizeof(as_is)) == 0)
        return;
    for (unsigned i = 0; i < LANES_MAX; i++) {
        const uint32_t from[6] = {texels[i].u[0], texels[i].u[1], texels[i].u[2], texels[i].u[3], 0, one};
        for (unsigned n = 0; n < 4; n++)
            texels[i].u[n] = from[image->swizzle[n]];
    }
}

/* ---- groups ---- */

struct handles {
    uint32_t texture, sampler;
};

static struct handles handles_of(const struct mali_tex_request *request, unsigned lane)
{
    uint32_t low = request->source[0][lane];
    if (request->has_wide_indices)
        return (struct handles){request->source[1][lane], low};
    return (struct handles){mali_tex_handle(low >> 27, low >> 16 & 0x7ff),
                            mali_tex_handle(low >> 11 & 31, low & 0x7ff)};
}

uint32_t mali_tex_texture_of(const struct mali_tex_request *request, unsigned lane)
{
    return handles_of(request, lane).texture;
}

/* The lanes of `left` that have the descriptors of the first one. */
static uint64_t same_lanes(const struct mali_tex_request *request, uint64_t left, struct handles *handles_out)
{
    const unsigned first = (unsigned)__builtin_ctzll(left);
    *handles_out = handles_of(request, first);
    uint32_t on[LANES_MAX], differ = 0;
    lanes_from_mask(on, left, LANES_MAX);
    for (unsigned i = 0; i < LANES_MAX; i++)
        differ |= ((request->source[0][i] ^ request->source[0][first]) |
                   (request->source[1][i] ^ request->source[1][first])) &
                  on[i];
    if (!differ)
        return left;
    uint64_t same = left;
    bits_foreach (left, i) {
        struct handles other = handles_of(request, i);
        if (other.texture != handles_out->texture || other.sampler != handles_out->sampler)
            same &= ~(1ull << i);
    }
    return same;
}

/* Lanes up to the last one, in whole vectors: those after it need no arithmetic. */
static unsigned lanes_to_last(uint64_t lanes)
{
    const unsigned count = 64 - (unsigned)__builtin_clzll(lanes);
    return (count + 15) & ~15u;
}

/* Staging registers that the instruction's form has. */
static unsigned staging_count(const struct mali_tex_request *request)
{
    unsigned axes = mali_tex_axes(request);
    if (request->op == MALI_TEX_GRADIENT && request->has_derivatives)
        return 2 * axes;
    return axes + request->is_array + request->is_shadow + request->has_offsets +
           (request->op == MALI_TEX_SINGLE && request->lod_mode >= MALI_TEX_LOD_EXPLICIT) +
           (request->op == MALI_TEX_SINGLE && request->lod_mode == MALI_TEX_LOD_GRDESC);
}

static bool run_group(struct mali_tex *tex, const struct mali_tex_resources *resources,
                      const struct mali_tex_request *request, const uint32_t *staging, uint64_t lanes,
                      struct handles handles)
{
    struct mali_tex_unit u;
    memset(&u, 0, offsetof(struct mali_tex_unit, active));
    u.tex = tex;
    u.space = resources->space;
    u.epoch = resources->epoch;
    u.request = request;
    u.staging = staging;
    u.q.lanes = lanes_to_last(lanes);
    u.q.exec = lanes;
    u.q.exec_lanes = u.active;
    u.q.ops = &mali_tex_ops;
    lanes_from_mask(u.active, lanes, LANES_MAX);
    if (!mali_tex_find_image(tex, resources, handles.texture, &u.image))
        return false;
    u.q.image = &u.image->tex;
    u.q.space = tex->actor ? NULL : u.space; /* coherence looks at every texel */
    u.q.places = &u.image->places;
    u.q.work = u.epoch;
    u.q.blocks = mali_tex_cache_blocks(tex->cache);
    if (request->op == MALI_TEX_FETCH)
        return mali_tex_fetch(&u);
    return find_sampler(&u, resources, handles.sampler) && mali_tex_sample(&u);
}

/* Results may go where a later group still reads: then it reads a copy. */
static __attribute__((noinline)) bool run(struct mali_tex *tex, const struct mali_tex_resources *resources,
                                          const struct mali_tex_request *request)
{
    uint32_t copy[12 * MALI_TEX_LANES];
    const uint32_t *staging = request->staging;
    uint64_t left = request->lanes;
    while (left) {
        struct handles handles;
        uint64_t lanes = same_lanes(request, left, &handles);
        if (lanes != left && staging != copy) {
            memcpy(copy, staging, staging_count(request) * MALI_TEX_LANES * sizeof(uint32_t));
            staging = copy;
        }
        if (!run_group(tex, resources, request, staging, lanes, handles))
            return false;
        left &= ~lanes;
    }
    return true;
}

bool mali_tex_run(struct mali_tex *tex, const struct mali_tex_resources *resources,
                  const struct mali_tex_request *request)
{
    uint64_t env = mali_tex_enter(tex, MALI_CLIENT_TEXTURE);
    bool is_done = run(tex, resources, request);
    mali_tex_leave(env);
    return is_done;
}
