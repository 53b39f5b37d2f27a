/* Requests of fragment shaders: ATEST, ZS_EMIT, BLEND, LD_TILE, ST_TILE. Lane 4 q + p is pixel p of the batch's quad
 * q. */
#include "mali/model/frag/frag.h"
#include "model/lanes.h"
#include "util/bits.h"
#include "util/half.h"

#define TILE_DEPTH 255 /* of a pixel's render target, instead of a number */
#define TILE_STENCIL 254

/* ---- depth and stencil inside of the shader ---- */

/* Late tests of one lane; `samples` are those that the shader has left. */
static uint32_t test_late(struct frag_worker *w, unsigned lane, uint32_t samples, const float *z, const uint32_t *s)
{
    const struct frag_quad *quad = &w->quads[lane / 4];
    if (w->draw->is_updated_early)
        return samples & w->passed_early[lane];
    w->zs_done |= 1ull << lane;
    w->passed_early[lane] = mali_frag_zs_test(w, quad, lane % 4, samples, z, s, true);
    return w->passed_early[lane];
}

static uint32_t samples_of(const struct frag_worker *w, unsigned lane)
{
    return w->samples[lane];
}

void mali_frag_cover_by_alpha(const struct frag_worker *w, const uint32_t *alpha, uint32_t *covered_out)
{
    const unsigned samples = w->fb->samples;
    const uint32_t none = w->draw->dcd.ALPHA_TO_COVERAGE_INVERT ? (uint32_t)bits_mask(samples) : 0;
    for (unsigned i = 0; i < MALI_ROW_LANES; i++)
        covered_out[i] = none;
    for (unsigned s = 0; s < samples; s++) {
        LANES_INDEPENDENT
        for (unsigned i = 0; i < MALI_ROW_LANES; i++)
            covered_out[i] ^= bits_float(alpha[i]) * (float)samples >= (float)s + 0.5f ? 1u << s : 0;
    }
}

static bool alpha_test(struct mali_warp *warp, const uint32_t *coverage, const uint32_t *alpha, uint32_t datum,
                       uint32_t *coverage_out, uint64_t lanes)
{
    struct frag_worker *w = warp->user;
    const struct frag_draw *draw = w->draw;
    if (draw->is_updated_early && !draw->dcd.ALPHA_TO_COVERAGE && !draw->zs_from_shader && lanes == warp->launched) {
        LANES_INDEPENDENT
        for (unsigned i = 0; i < 4 * w->quad_count; i++)
            coverage_out[i] = coverage[i] & w->samples[i] & w->passed_early[i];
        return true;
    }
    uint32_t by_alpha[MALI_ROW_LANES];
    if (draw->dcd.ALPHA_TO_COVERAGE)
        mali_frag_cover_by_alpha(w, alpha, by_alpha);
    bits_foreach (lanes, lane) {
        uint32_t samples = coverage[lane] & samples_of(w, (unsigned)lane);
        if (draw->dcd.ALPHA_TO_COVERAGE)
            samples &= by_alpha[lane];
        if (!draw->zs_from_shader && (warp->covered >> lane & 1))
            samples = test_late(w, (unsigned)lane, samples, NULL, NULL);
        coverage_out[lane] = samples;
    }
    return true;
}

static bool depth_stencil(struct mali_warp *warp, const uint32_t *depth, const uint32_t *stencil,
                          const uint32_t *coverage, uint32_t *coverage_out, uint64_t lanes)
{
    struct frag_worker *w = warp->user;
    bits_foreach (lanes, lane) {
        uint32_t samples = coverage[lane] & samples_of(w, (unsigned)lane);
        if (warp->covered >> lane & 1) {
            const float z = depth ? bits_float(depth[lane]) : 0;
            samples = test_late(w, (unsigned)lane, samples, depth ? &z : NULL, stencil ? &stencil[lane] : NULL);
        }
        coverage_out[lane] = samples;
    }
    return true;
}

/* Before colours of lanes that no ATEST has tested, and at the warp's end. */
void mali_frag_finish_zs(struct frag_worker *w, uint64_t lanes)
{
    if (w->draw->is_updated_early)
        return;
    bits_foreach (lanes & ~w->zs_done, lane)
        test_late(w, (unsigned)lane, samples_of(w, (unsigned)lane), NULL, NULL);
}

/* ---- registers ---- */

/* Component `c` of a lane's staging registers, as 32 bits. */
static uint32_t read_component(enum mali_regfmt format, const uint32_t *rows, unsigned c, unsigned lane)
{
    if (!mali_regfmt_is_half(format))
        return rows[c * MALI_ROW_LANES + lane];
    const uint16_t half = (uint16_t)(rows[c / 2 * MALI_ROW_LANES + lane] >> 16 * (c % 2));
    return format == MALI_REGFMT_F16   ? float_bits(half_to_float(half))
           : format == MALI_REGFMT_S16 ? (uint32_t)(int16_t)half
                                       : half;
}

static void write_component(enum mali_regfmt format, uint32_t *rows, unsigned c, unsigned lane, uint32_t value)
{
    if (!mali_regfmt_is_half(format)) {
        rows[c * MALI_ROW_LANES + lane] = value;
        return;
    }
    const uint16_t half = format == MALI_REGFMT_F16 ? float_to_half_rtne(bits_float(value)) : (uint16_t)value;
    uint32_t *word = &rows[c / 2 * MALI_ROW_LANES + lane];
    *word = c % 2 ? (*word & 0xffffu) | (uint32_t)half << 16 : (*word & 0xffff0000u) | half;
}

/* ---- cells of lanes ---- */

static void mark_dirty(struct frag_worker *w, unsigned target, const struct frag_span *span)
{
    for (unsigned i = 0; i < span->count; i++) {
        const unsigned place = mali_frag_lane_place(w, span->lane[i]);
        w->dirty[target][place / FRAG_BLOCK_PIXELS] |= 1ull << place % FRAG_BLOCK_PIXELS;
    }
}

/* The cells of a sample in lanes whose mask has it. */
static void make_span(const struct frag_worker *w, unsigned target, unsigned sample, const uint32_t *masks,
                      uint64_t lanes, struct frag_span *span)
{
    span->count = 0;
    bits_foreach (lanes, lane) {
        if (!(masks[lane] >> sample & 1))
            continue;
        span->lane[span->count] = (uint8_t)lane;
        span->cell[span->count++] =
            mali_frag_color(w, &w->fb->targets[target], sample, mali_frag_lane_place(w, (unsigned)lane));
    }
}

/* Samples that each lane may write: covered, not discarded, not failed. Other lanes have none. */
static uint64_t find_masks(struct mali_warp *warp, const uint32_t *coverage, uint64_t lanes, uint32_t *masks)
{
    struct frag_worker *w = warp->user;
    uint32_t on[MALI_ROW_LANES];
    lanes &= warp->covered & ~warp->discarded;
    mali_frag_finish_zs(w, lanes);
    lanes_from_mask(on, lanes, MALI_ROW_LANES);
    for (unsigned i = 0; i < MALI_ROW_LANES; i++)
        masks[i] = on[i] & coverage[i] & w->samples[i] & w->passed_early[i];
    return lanes;
}

/* ---- BLEND ---- */

static void read_colors(const struct mali_blend *blend, enum mali_regfmt format, uint64_t lanes,
                        union pixel_colors *colors)
{
    const bool is_float = format == MALI_REGFMT_F32 || format == MALI_REGFMT_F16;
    for (unsigned c = 0; c < 4; c++) {
        const uint32_t missing = c < 3 ? 0 : is_float ? 0x3f800000u : 1;
        bits_foreach (lanes, lane)
            colors->u[c][lane] =
                c < blend->components ? read_component(format, blend->colour, c, (unsigned)lane) : missing;
    }
}

/* AUTO of LD_TILE and ST_TILE: the conversion says it. */
enum mali_regfmt mali_frag_register_format(enum mali_regfmt format, uint32_t conversion)
{
    static const enum mali_regfmt by_descriptor[8] = {
        [MALI_REGISTER_FORMAT_F16] = MALI_REGFMT_F16, [MALI_REGISTER_FORMAT_F32] = MALI_REGFMT_F32,
        [MALI_REGISTER_FORMAT_I32] = MALI_REGFMT_S32, [MALI_REGISTER_FORMAT_U32] = MALI_REGFMT_U32,
        [MALI_REGISTER_FORMAT_I16] = MALI_REGFMT_S16, [MALI_REGISTER_FORMAT_U16] = MALI_REGFMT_U16,
    };
    return format == MALI_REGFMT_AUTO ? by_descriptor[conversion >> 24 & 7] : format;
}

/* AUTO of BLEND: words of what the format has. Drivers leave the descriptor's own field zero then. */
enum mali_regfmt mali_frag_blend_format(enum mali_regfmt format, const struct frag_conversion *conversion)
{
    if (format != MALI_REGFMT_AUTO)
        return format;
    const unsigned numeric =
        conversion->channels || conversion->is_raw ? FORMAT_NUMERIC_UNORM : conversion->pixel.numeric;
    return numeric == FORMAT_NUMERIC_UINT   ? MALI_REGFMT_U32
           : numeric == FORMAT_NUMERIC_SINT ? MALI_REGFMT_S32
                                            : MALI_REGFMT_F32;
}

bool mali_frag_blend_rows(struct frag_worker *w, unsigned number, const struct frag_blend *state,
                          const struct frag_conversion *conversion, const struct mali_blend *request,
                          const uint32_t *masks, uint64_t lanes)
{
    const struct frag_target *target = &w->fb->targets[number];
    const enum mali_regfmt format = mali_frag_blend_format(request->regfmt, conversion);
    union pixel_colors colors;
    if (format == MALI_REGFMT_F32 && request->components == 4 &&
        mali_frag_blend_fast(w, number, state, conversion, masks, request->colour))
        return true;
    read_colors(request, format, lanes, &colors);
    for (unsigned s = 0; s < w->fb->samples; s++) {
        struct frag_span span;
        make_span(w, number, s, masks, lanes, &span);
        if (!span.count)
            continue;
        if (!mali_frag_blend(w, target, state, conversion, &span, &colors))
            return false;
        mark_dirty(w, number, &span);
    }
    return true;
}

static enum mali_blend_result blend_target(struct mali_warp *warp, const struct mali_blend *request, uint64_t lanes)
{
    struct frag_worker *w = warp->user;
    const unsigned mode = request->descriptor[0] & 3, number = request->descriptor[0] >> 16 & 15;
    if (mode == MALI_BLEND_MODE_SHADER)
        return MALI_BLEND_SHADER;
    uint32_t masks[MALI_ROW_LANES];
    lanes = find_masks(warp, request->coverage, lanes, masks);
    if (mode == MALI_BLEND_MODE_OFF || number >= w->fb->target_count ||
        !(w->draw->dcd.RENDER_TARGET_MASK >> number & 1))
        return MALI_BLEND_DONE;
    const struct frag_target *target = &w->fb->targets[number];
    const struct frag_blend *state =
        mode == MALI_BLEND_MODE_OPAQUE ? &w->draw->opaque[number] : &w->draw->blends[number];
    const struct frag_conversion *conversion = &w->converted.conversion;
    if (w->converted.target != target || w->converted.word != request->descriptor[1]) {
        w->converted.target = NULL;
        if (!mali_frag_conversion(w->fb->queue, target, request->descriptor[1], &w->converted.conversion))
            return MALI_BLEND_FAULT;
        w->converted.target = target;
        w->converted.word = request->descriptor[1];
    }
    return mali_frag_blend_rows(w, number, state, conversion, request, masks, lanes) ? MALI_BLEND_DONE
                                                                                     : MALI_BLEND_FAULT;
}

/* ---- LD_TILE and ST_TILE ---- */

/* Lanes of a call may ask for different things: those that ask for the same as the first one. */
static uint64_t take_alike(const struct mali_tile_access *access, uint64_t lanes, unsigned *first_out)
{
    const unsigned first = (unsigned)__builtin_ctzll(lanes);
    uint64_t alike = 0;
    bits_foreach (lanes, lane) {
        if (((access->pixel[lane] ^ access->pixel[first]) & 0xffff) == 0 &&
            access->conversion[lane] == access->conversion[first])
            alike |= 1ull << lane;
    }
    *first_out = first;
    return alike;
}

static bool check_pixel(struct frag_worker *w, uint32_t pixel)
{
    if (pixel >> 24 != FRAG_OWN_PIXEL)
        return mali_stop(w->fb->queue, GPU_STOP_UNIMPLEMENTED, "the tile buffer at another place than the own pixel");
    return true;
}

static void load_zs(struct frag_worker *w, const struct mali_tile_access *access, unsigned number, unsigned sample,
                    uint64_t lanes)
{
    mali_frag_zs_clear(w);
    bits_foreach (lanes, lane) {
        const size_t cell = mali_frag_cell(w, sample, mali_frag_lane_place(w, (unsigned)lane));
        const uint32_t value = number == TILE_DEPTH ? float_bits(mali_frag_z_value(w->fb, w->z[cell])) : w->s[cell];
        write_component(access->regfmt, access->rows, 0, (unsigned)lane, value);
    }
}

/* Strict mode: a cell that nothing has cleared, loaded or drawn holds what the tile before has left. */
static bool check_contents(struct frag_worker *w, unsigned number, uint64_t lanes)
{
    if (!w->fb->queue->gpu->is_strict || w->fb->targets[number].writes_clean)
        return true;
    bits_foreach (lanes, lane) {
        const unsigned place = mali_frag_lane_place(w, (unsigned)lane);
        const struct frag_quad *quad = &w->quads[lane / 4];
        if (!(w->dirty[number][place / FRAG_BLOCK_PIXELS] >> place % FRAG_BLOCK_PIXELS & 1))
            return mali_stop(w->fb->queue, GPU_STOP_STRICT,
                             "strict mode: LD_TILE of render target %u at %u, %u, which nothing has cleared, loaded or "
                             "drawn",
                             number, quad->x + (unsigned)(lane & 1), quad->y + (unsigned)(lane >> 1 & 1));
    }
    return true;
}

static bool load_alike(struct mali_warp *warp, const struct mali_tile_access *access, unsigned first, uint64_t lanes)
{
    struct frag_worker *w = warp->user;
    const uint32_t pixel = access->pixel[first];
    const unsigned sample = pixel & 0xff, number = pixel >> 8 & 0xff;
    if (!check_pixel(w, pixel))
        return false;
    if (sample >= w->fb->samples)
        return mali_stop(w->fb->queue, GPU_STOP_BROKEN, "LD_TILE of sample %u", sample);
    if (number == TILE_DEPTH || number == TILE_STENCIL) {
        load_zs(w, access, number, sample, lanes);
        return true;
    }
    if (number >= w->fb->target_count)
        return mali_stop(w->fb->queue, GPU_STOP_BROKEN, "LD_TILE of render target %u", number);
    if (!check_contents(w, number, lanes & warp->covered))
        return false;
    struct frag_conversion conversion;
    struct frag_span span;
    union tex_texel texels[MALI_ROW_LANES];
    uint32_t masks[MALI_ROW_LANES];
    bits_foreach (lanes, lane)
        masks[lane] = 1u << sample;
    if (!mali_frag_conversion(w->fb->queue, &w->fb->targets[number], access->conversion[first], &conversion))
        return false;
    make_span(w, number, sample, masks, lanes, &span);
    mali_frag_fetch(&conversion, &span, texels);
    const enum mali_regfmt format = mali_frag_register_format(access->regfmt, access->conversion[first]);
    for (unsigned i = 0; i < span.count; i++) {
        for (unsigned c = 0; c < access->components; c++)
            write_component(format, access->rows, c, span.lane[i], texels[i].u[c]);
    }
    return true;
}

static bool load_tile(struct mali_warp *warp, const struct mali_tile_access *access, uint64_t lanes)
{
    while (lanes) {
        unsigned first;
        const uint64_t alike = take_alike(access, lanes, &first);
        if (!load_alike(warp, access, first, alike))
            return false;
        lanes &= ~alike;
    }
    return true;
}

static bool store_alike(struct mali_warp *warp, const struct mali_tile_access *access, unsigned first, uint64_t lanes)
{
    struct frag_worker *w = warp->user;
    const unsigned number = access->pixel[first] >> 8 & 0xff;
    if (!check_pixel(w, access->pixel[first]))
        return false;
    if (number >= w->fb->target_count)
        return mali_stop(w->fb->queue, GPU_STOP_UNIMPLEMENTED, "ST_TILE to render target %u", number);
    uint32_t masks[MALI_ROW_LANES];
    lanes = find_masks(warp, access->coverage, lanes, masks);
    struct frag_conversion conversion;
    if (!mali_frag_conversion(w->fb->queue, &w->fb->targets[number], access->conversion[first], &conversion))
        return false;
    const enum mali_regfmt format = mali_frag_register_format(access->regfmt, access->conversion[first]);
    for (unsigned s = 0; s < w->fb->samples; s++) {
        struct frag_span span;
        union tex_texel texels[MALI_ROW_LANES];
        make_span(w, number, s, masks, lanes, &span);
        for (unsigned i = 0; i < span.count; i++) {
            for (unsigned c = 0; c < 4; c++)
                texels[i].u[c] = c < access->components ? read_component(format, access->rows, c, span.lane[i]) : 0;
        }
        mali_frag_store(&conversion, &span, texels);
        mark_dirty(w, number, &span);
    }
    return true;
}

static bool store_tile(struct mali_warp *warp, const struct mali_tile_access *access, uint64_t lanes)
{
    while (lanes) {
        unsigned first;
        const uint64_t alike = take_alike(access, lanes, &first);
        if (!store_alike(warp, access, first, alike))
            return false;
        lanes &= ~alike;
    }
    return true;
}

const struct mali_warp_hooks mali_frag_hooks = {
    .load_varying = mali_frag_load_varying,
    .alpha_test = alpha_test,
    .depth_stencil = depth_stencil,
    .blend = blend_target,
    .load_tile = load_tile,
    .store_tile = store_tile,
};
