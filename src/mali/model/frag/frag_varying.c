/* Interpolation: LD_VAR_BUF reads the packets of the primitive's vertices and weighs them at the lane's place. */
#include <string.h>

#include "mali/model/coherence.h"
#include "mali/model/frag/frag.h"
#include "util/bits.h"
#include "util/half.h"

/* Where a lane's sample is, in pixels from the corner of its own. */
static void find_place(const struct frag_worker *w, const struct mali_varying_load *load, unsigned lane, float *x_out,
                       float *y_out)
{
    const struct frag_quad *quad = &w->quads[lane / 4];
    const unsigned p = lane % 4;
    float x = 0.5f, y = 0.5f;
    unsigned sample = 0;
    bool is_sample = false;
    switch (load->sample) {
    case MALI_SAMPLE_CENTER:
        break;
    case MALI_SAMPLE_SAMPLE:
        is_sample = w->fb->samples > 1;
        sample = load->source0 ? load->source0[lane] >> 16 & 0xff : quad->iteration;
        break;
    case MALI_SAMPLE_CENTROID: {
        const uint32_t covered = mali_frag_pixel_samples(quad->coverage, p);
        is_sample = covered && covered != bits_mask(w->fb->samples);
        sample = covered ? (unsigned)__builtin_ctz(covered) : 0;
        break;
    }
    case MALI_SAMPLE_EXPLICIT: /* signed numbers of 1/256 pixel from the pixel's corner */
        x = (float)(int16_t)load->source0[lane] / 256;
        y = (float)(int16_t)(load->source0[lane] >> 16) / 256;
        break;
    }
    if (is_sample && sample < w->fb->samples) {
        const struct raster_coverage *coverage = &w->fb->coverage[sample / RASTER_MAX_SAMPLES];
        x = coverage->x[p][sample % RASTER_MAX_SAMPLES] / (float)RASTER_LOCATION_ONE;
        y = coverage->y[p][sample % RASTER_MAX_SAMPLES] / (float)RASTER_LOCATION_ONE;
    }
    *x_out = (float)(quad->x + (p & 1)) + x;
    *y_out = (float)(quad->y + p / 2) + y;
}

static float at(const struct raster_plane *plane, float x, float y)
{
    return plane->at + plane->dx * x + plane->dy * y;
}

/* Weights of the second and the third vertex. */
static void find_weights(const struct raster_prim *prim, float x, float y, float *i_out, float *j_out)
{
    x -= prim->origin_x;
    y -= prim->origin_y;
    if (prim->is_linear) {
        *i_out = at(&prim->i, x, y);
        *j_out = at(&prim->j, x, y);
        return;
    }
    const float w = 1 / at(&prim->w, x, y);
    *i_out = at(&prim->iw, x, y) * w;
    *j_out = at(&prim->jw, x, y) * w;
}

/* ---- memory ---- */

/* Where others look at what is read, or memory is not plain. */
static __attribute__((noinline)) bool read_vertex_any(struct frag_worker *w, uint64_t va, uint32_t size_B, void *out)
{
    MALI_READS(w->fb->queue, MALI_CLIENT_VARYING, va, size_B);
    return mali_read(w->fb->queue, "varyings", va, out, size_B);
}

static __attribute__((noinline)) bool has_no_varyings(struct frag_worker *w)
{
    return mali_stop(w->fb->queue, GPU_STOP_BROKEN, "LD_VAR_BUF of a primitive without varyings");
}

static inline bool read_vertex(struct frag_worker *w, const struct mali_bin_prim *prim, unsigned vertex,
                               uint32_t offset_B, uint32_t size_B, void *out)
{
    const struct mali_queue *queue = w->fb->queue;
    const uint64_t va = prim->varying_va[vertex] + offset_B;
    if (__builtin_expect(!prim->varying_va[vertex], 0))
        return has_no_varyings(w);
    const void *host = queue->coherence ? NULL : gpu_space_pointer(queue->space, va, size_B, GPU_PERM_READ);
    if (__builtin_expect(!host, 0))
        return read_vertex_any(w, va, size_B, out);
    switch (size_B) { /* sizes that the compiler knows take no call */
    case 16:
        memcpy(out, host, 16);
        break;
    case 12:
        memcpy(out, host, 12);
        break;
    case 8:
        memcpy(out, host, 8);
        break;
    default:
        memcpy(out, host, size_B);
        break;
    }
    return true;
}

/* Values of a vertex as 32 bits, of halves as floats. */
static bool read_values(struct frag_worker *w, const struct mali_bin_prim *prim, unsigned vertex,
                        const struct mali_varying_load *load, uint32_t values[4])
{
    const bool is_half = load->source == MALI_SOURCE_F16 || load->source == MALI_SOURCE_FLAT16;
    uint16_t halves[8]; /* of the largest size that is read, whatever a half takes */
    if (!is_half)
        return read_vertex(w, prim, vertex, load->offset_B, 4 * load->components, values);
    if (!read_vertex(w, prim, vertex, load->offset_B, 2 * load->components, halves))
        return false;
    for (unsigned c = 0; c < load->components; c++)
        values[c] = load->source == MALI_SOURCE_F16 ? float_bits(half_to_float(halves[c])) : halves[c];
    return true;
}

bool mali_frag_varying_values(struct frag_worker *w, const struct mali_bin_prim *prim,
                              const struct mali_varying_load *load, uint32_t values_out[12])
{
    uint32_t values[3][4];
    const bool is_flat = load->source == MALI_SOURCE_FLAT32;
    for (unsigned v = 0; v < (is_flat ? 1u : 3u); v++) {
        if (!read_values(w, prim, is_flat ? prim->provoking : v, load, values[v]))
            return false;
    }
    for (unsigned c = 0; c < load->components; c++) {
        values_out[3 * c] = values[0][c];
        for (unsigned v = 1; v < 3 && !is_flat; v++)
            values_out[3 * c + v] = float_bits(bits_float(values[v][c]) - bits_float(values[0][c]));
    }
    return true;
}

/* ---- lanes ---- */

static void write_value(const struct mali_varying_load *load, unsigned c, unsigned lane, uint32_t value, bool is_float)
{
    if (!mali_regfmt_is_half(load->regfmt)) {
        load->rows_out[c * MALI_ROW_LANES + lane] = value;
        return;
    }
    const uint16_t half = is_float ? float_to_half_rtne(bits_float(value)) : (uint16_t)value;
    uint32_t *word = &load->rows_out[c / 2 * MALI_ROW_LANES + lane];
    *word = c % 2 ? (*word & 0xffffu) | (uint32_t)half << 16 : half;
}

/* Where the middles of all pixels of the warp are, from the origins of their primitives. */
static void find_middles(const struct frag_worker *w, float *x, float *y)
{
    for (unsigned q = 0; q < w->quad_count; q++) {
        const struct frag_quad *quad = &w->quads[q];
        const float left = (float)quad->x + 0.5f - quad->prim->origin_x,
                    top = (float)quad->y + 0.5f - quad->prim->origin_y;
        for (unsigned p = 0; p < 4; p++) {
            x[4 * q + p] = left + (float)(p & 1);
            y[4 * q + p] = top + (float)(p / 2);
        }
    }
}

void mali_frag_lane_weights(struct frag_worker *w, const struct raster_prim *prim, const float *x, const float *y,
                            unsigned first, unsigned end)
{
    const struct raster_plane over = prim->w, i = prim->is_linear ? prim->i : prim->iw,
                              j = prim->is_linear ? prim->j : prim->jw;
    if (prim->is_linear) {
        for (unsigned lane = first; lane < end; lane++) {
            w->weight_i[lane] = at(&i, x[lane], y[lane]);
            w->weight_j[lane] = at(&j, x[lane], y[lane]);
        }
        return;
    }
    for (unsigned lane = first; lane < end; lane++) {
        const float by = 1 / at(&over, x[lane], y[lane]);
        w->weight_i[lane] = at(&i, x[lane], y[lane]) * by;
        w->weight_j[lane] = at(&j, x[lane], y[lane]) * by;
    }
}

void mali_frag_find_weights(struct frag_worker *w)
{
    float x[MALI_ROW_LANES], y[MALI_ROW_LANES];
    find_middles(w, x, y);
    for (unsigned q = 0, end; q < w->quad_count; q = end) { /* quads of a primitive follow each other */
        for (end = q + 1; end < w->quad_count && w->quads[end].prim == w->quads[q].prim;)
            end++;
        mali_frag_lane_weights(w, w->quads[q].prim, x, y, 4 * q, 4 * end);
    }
    w->has_weights = true;
}

/* Floats at the middles of a primitive's pixels, all lanes from `first` to `end`. */
static void interpolate(struct frag_worker *w, const struct mali_varying_load *load, uint32_t values[3][4],
                        unsigned first, unsigned end)
{
    if (!w->has_weights)
        mali_frag_find_weights(w);
    for (unsigned c = 0; c < load->components; c++) {
        const float base = bits_float(values[0][c]), by_i = bits_float(values[1][c]) - base,
                    by_j = bits_float(values[2][c]) - base;
        uint32_t *out = load->rows_out + c * MALI_ROW_LANES;
        for (unsigned lane = first; lane < end; lane++)
            out[lane] = float_bits(base + w->weight_i[lane] * by_i + w->weight_j[lane] * by_j);
    }
}

typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));

/* Floats at the middles of all pixels of the batch, from packets in plain memory. False, and what was written is not to
 * be used: it is another load, or memory. */
static bool load_floats(struct frag_worker *w, const struct mali_varying_load *load)
{
    const uint32_t size_B = 4 * load->components;
    if (load->sample != MALI_SAMPLE_CENTER || load->regfmt != MALI_REGFMT_F32 || load->source != MALI_SOURCE_F32 ||
        w->fb->queue->coherence)
        return false;
    if (!w->has_weights)
        mali_frag_find_weights(w);
    for (unsigned q = 0, end; q < w->quad_count; q = end) { /* quads of a primitive follow each other */
        const struct mali_bin_prim *prim = &w->prims[w->quad_prims[q]].bin;
        float values[3][4];
        for (unsigned v = 0; v < 3; v++) {
            const void *host = prim->varying_va[v]
                                   ? gpu_space_pointer(w->fb->queue->space, prim->varying_va[v] + load->offset_B,
                                                       size_B, GPU_PERM_READ)
                                   : NULL;
            if (!host)
                return false;
            if (load->components == 4)
                memcpy(values[v], host, 16);
            else
                memcpy(values[v], host, size_B);
        }
        for (end = q + 1; end < w->quad_count && w->quad_prims[end] == w->quad_prims[q];)
            end++;
        for (unsigned c = 0; c < load->components; c++) {
            const float base = values[0][c], by_i = values[1][c] - base, by_j = values[2][c] - base;
            float *out = (float *)load->rows_out + c * MALI_ROW_LANES;
            for (unsigned lane = 4 * q; lane < 4 * end; lane += 4)
                *(float4 *)(out + lane) =
                    base + *(const float4 *)(w->weight_i + lane) * by_i + *(const float4 *)(w->weight_j + lane) * by_j;
        }
    }
    return true;
}

bool mali_frag_is_plain_load(const struct mali_varying_load *load)
{
    return load->kind == MALI_VARYING_BUFFER &&
           ((load->source == MALI_SOURCE_F32 && load->regfmt == MALI_REGFMT_F32 &&
             load->sample == MALI_SAMPLE_CENTER) ||
            (load->source == MALI_SOURCE_FLAT32 && load->regfmt == MALI_REGFMT_U32));
}

bool mali_frag_load_run(struct frag_worker *w, const struct mali_bin_prim *prim, const struct mali_varying_load *load,
                        unsigned first, unsigned end)
{
    const bool is_flat = load->source == MALI_SOURCE_FLAT32;
    uint32_t values[3][4];
    for (unsigned v = 0; v < (is_flat ? 1u : 3u); v++) {
        if (!read_vertex(w, prim, is_flat ? prim->provoking : v, load->offset_B, 4 * load->components, values[v]))
            return false;
    }
    for (unsigned c = 0; c < load->components; c++) {
        const float base = bits_float(values[0][c]);
        uint32_t *out = load->rows_out + c * MALI_ROW_LANES;
        if (is_flat) {
            for (unsigned lane = first; lane < end; lane++)
                out[lane] = values[0][c];
            continue;
        }
        const float by_i = bits_float(values[1][c]) - base, by_j = bits_float(values[2][c]) - base;
        unsigned lane = first;
        for (; lane < end && lane + 4 <= MALI_ROW_LANES; lane += 4)
            *(float4 *)(out + lane) =
                base + *(const float4 *)(w->weight_i + lane) * by_i + *(const float4 *)(w->weight_j + lane) * by_j;
        for (; lane < end; lane++)
            out[lane] = float_bits(base + w->weight_i[lane] * by_i + w->weight_j[lane] * by_j);
    }
    return true;
}

/* All lanes of one primitive. */
static bool load_prim(struct frag_worker *w, unsigned number, const struct mali_varying_load *load, uint64_t lanes)
{
    const struct frag_prim *prim = &w->prims[number];
    uint32_t values[3][4];
    if (load->source == MALI_SOURCE_FLAT32 || load->source == MALI_SOURCE_FLAT16) {
        if (!read_values(w, &prim->bin, prim->bin.provoking, load, values[0]))
            return false;
        /* Bits are the program's business; but a flat half that becomes a float is one. */
        const bool widens = load->source == MALI_SOURCE_FLAT16 && load->regfmt == MALI_REGFMT_F32;
        const bool narrows = load->source == MALI_SOURCE_FLAT32 && load->regfmt == MALI_REGFMT_F16;
        bits_foreach (lanes, lane) {
            for (unsigned c = 0; c < load->components; c++)
                write_value(load, c, (unsigned)lane,
                            widens ? float_bits(half_to_float((uint16_t)values[0][c])) : values[0][c], narrows);
        }
        return true;
    }
    for (unsigned v = 0; v < 3; v++) {
        if (!read_values(w, &prim->bin, v, load, values[v]))
            return false;
    }
    const unsigned first = (unsigned)__builtin_ctzll(lanes), end = 64 - (unsigned)__builtin_clzll(lanes);
    if (load->sample == MALI_SAMPLE_CENTER && load->regfmt == MALI_REGFMT_F32 &&
        lanes == (bits_mask(end) & ~bits_mask(first))) {
        interpolate(w, load, values, first, end);
        return true;
    }
    bits_foreach (lanes, lane) {
        float x, y, i, j;
        find_place(w, load, (unsigned)lane, &x, &y);
        find_weights(&prim->bin.raster, x, y, &i, &j);
        for (unsigned c = 0; c < load->components; c++) {
            const float first = bits_float(values[0][c]);
            const float value = first + i * (bits_float(values[1][c]) - first) + j * (bits_float(values[2][c]) - first);
            write_value(load, c, (unsigned)lane, float_bits(value), true);
        }
    }
    return true;
}

/* ---- LD_VAR: where and in which format varyings are is in attribute descriptors ---- */

/* Attributes of a vertex packet begin here; before them is the position. */
#define PACKET_ATTRIBUTES_B 1024

struct varying {
    struct mali_pixel pixel;
    uint32_t offset_B; /* from varying_va; or of a draw of the frame, whose corners have values in a buffer: */
    bool is_in_buffer;
    uint64_t buffer_va;
    uint32_t buffer_B, stride_B;
};

/* An entry of the program's resource tables. */
static bool read_entry(struct frag_worker *w, const char *client, unsigned table, uint32_t index, uint32_t words[8])
{
    const struct mali_launch *launch = &w->draw->launch;
    struct mali_queue *queue = w->fb->queue;
    uint32_t entry[4];
    if (table >= launch->resource_count)
        return mali_stop(queue, GPU_STOP_BROKEN, "LD_VAR of resource table %u of %u", table, launch->resource_count);
    if (!mali_read(queue, "resource table", launch->resources_va + 16ull * table, entry, sizeof(entry)))
        return false;
    const struct mali_desc_RESOURCE resource = mali_unpack_desc_RESOURCE(entry);
    if (32ull * index + 32 > resource.SIZE)
        return mali_stop(queue, GPU_STOP_BROKEN, "LD_VAR of entry %u, which its table has not", index);
    return mali_read(queue, client, resource.ADDRESS + 32ull * index, words, 32);
}

/* Values of the corners of the frame: the first three are as those of a triangle. */
static bool read_buffer(struct frag_worker *w, const struct mali_desc_ATTRIBUTE *d, struct varying *out)
{
    uint32_t words[8];
    if (!read_entry(w, "buffer of an attribute", d->TABLE, d->BUFFER_INDEX, words))
        return false;
    const struct mali_desc_BUFFER buffer = mali_unpack_desc_BUFFER(words);
    out->is_in_buffer = true;
    out->buffer_va = buffer.ADDRESS;
    out->buffer_B = buffer.SIZE;
    out->stride_B = d->STRIDE;
    out->offset_B = (uint32_t)d->OFFSET;
    return true;
}

static bool read_varying(struct frag_worker *w, const struct mali_varying_load *load, struct varying *out)
{
    struct mali_queue *queue = w->fb->queue;
    uint32_t words[8];
    if (!read_entry(w, "attribute", load->table, load->offset_B, words))
        return false;
    const struct mali_desc_ATTRIBUTE d = mali_unpack_desc_ATTRIBUTE(words);
    const struct mali_pixel_bits bits = {.format = d.FORMAT, .order = d.ORDER, .is_srgb = d.SRGB};
    const bool is_of_frame = w->draw->serial >= FRAG_FRAME_DRAW(2) && d.ATTRIBUTE_TYPE == MALI_ATTRIBUTE_TYPE_1D;
    *out = (struct varying){.offset_B = (uint32_t)d.OFFSET - PACKET_ATTRIBUTES_B};
    if (is_of_frame && !read_buffer(w, &d, out))
        return false;
    if (!is_of_frame && (d.ATTRIBUTE_TYPE != MALI_ATTRIBUTE_TYPE_VERTEX_PACKET || d.OFFSET < PACKET_ATTRIBUTES_B))
        return mali_stop(queue, GPU_STOP_UNIMPLEMENTED, "LD_VAR of an attribute of type %u at %d", d.ATTRIBUTE_TYPE,
                         d.OFFSET);
    return mali_pixel_init(&out->pixel, bits) ||
           mali_stop(queue, GPU_STOP_UNIMPLEMENTED, "LD_VAR of format %u, order %u", d.FORMAT, d.ORDER);
}

static bool read_texel(struct frag_worker *w, const struct frag_prim *prim, unsigned vertex,
                       const struct varying *varying, union tex_texel *out)
{
    uint8_t bytes[16] = {0};
    const void *const at = bytes;
    const uint64_t offset_B = varying->offset_B + (uint64_t)vertex * varying->stride_B;
    if (!varying->is_in_buffer) {
        if (!read_vertex(w, &prim->bin, vertex, varying->offset_B, varying->pixel.size_B, bytes))
            return false;
    } else if (offset_B + varying->pixel.size_B <= varying->buffer_B &&
               !mali_read(w->fb->queue, "varyings", varying->buffer_va + offset_B, bytes, varying->pixel.size_B)) {
        return false;
    }
    mali_pixel_load(&varying->pixel, out, &at, 1);
    return true;
}

static bool load_attribute(struct frag_worker *w, unsigned number, const struct mali_varying_load *load, uint64_t lanes)
{
    const struct frag_prim *prim = &w->prims[number];
    const bool is_flat = load->kind == MALI_VARYING_FLAT;
    struct varying varying;
    union tex_texel values[3];
    if (!read_varying(w, load, &varying))
        return false;
    for (unsigned v = 0; v < (is_flat ? 1u : 3u); v++) {
        if (!read_texel(w, prim, is_flat ? prim->bin.provoking : v, &varying, &values[v]))
            return false;
    }
    const bool is_float = varying.pixel.kind == MALI_PIXEL_FLOAT;
    bits_foreach (lanes, lane) {
        float x, y, i = 0, j = 0;
        if (!is_flat) {
            find_place(w, load, (unsigned)lane, &x, &y);
            find_weights(&prim->bin.raster, x, y, &i, &j);
        }
        for (unsigned c = 0; c < load->components; c++) {
            const float first = values[0].f[c];
            const uint32_t bits = is_flat
                                      ? values[0].u[c]
                                      : float_bits(first + i * (values[1].f[c] - first) + j * (values[2].f[c] - first));
            write_value(load, c, (unsigned)lane, bits, is_float);
        }
    }
    return true;
}

static bool load_special(struct frag_worker *w, const struct mali_varying_load *load, uint64_t lanes)
{
    bits_foreach (lanes, lane) {
        const struct raster_prim *prim = w->quads[lane / 4].prim;
        float x, y, value = 0, second = 0, i, j;
        find_place(w, load, (unsigned)lane, &x, &y);
        switch (load->offset_B) {
        case MALI_SPECIAL_FRAGZ:
            value = at(&prim->z, x - prim->origin_x, y - prim->origin_y);
            break;
        case MALI_SPECIAL_FRAGW:
            value = at(&prim->w, x - prim->origin_x, y - prim->origin_y);
            break;
        case MALI_SPECIAL_POINT_X:
        case MALI_SPECIAL_POINT_Y:
            find_weights(prim, x, y, &i, &j);
            j = w->fb->is_point_origin_below ? 1 - j : j;
            value = load->offset_B == MALI_SPECIAL_POINT_X ? i : j;
            second = j;
            break;
        default:
            return mali_stop(w->fb->queue, GPU_STOP_UNIMPLEMENTED, "LD_VAR_SPECIAL of %u", load->offset_B);
        }
        write_value(load, 0, (unsigned)lane, float_bits(value), true);
        if (load->components > 1) /* a point's coordinates are a vector */
            write_value(load, 1, (unsigned)lane, float_bits(second), true);
    }
    return true;
}

bool mali_frag_load_varying(struct mali_warp *warp, const struct mali_varying_load *load, uint64_t lanes)
{
    struct frag_worker *w = warp->user;
    if (load->kind == MALI_VARYING_SPECIAL)
        return load_special(w, load, lanes);
    if (load->kind == MALI_VARYING_BUFFER && lanes == bits_mask(4 * w->quad_count) && load_floats(w, load))
        return true;
    while (lanes) {
        /* Quads of a primitive follow each other. */
        const unsigned first = (unsigned)__builtin_ctzll(lanes), number = w->quad_prims[first / 4];
        unsigned end = first / 4 + 1;
        while (end < w->quad_count && w->quad_prims[end] == number)
            end++;
        const uint64_t some = lanes & bits_mask(4 * end);
        if (!(load->kind == MALI_VARYING_BUFFER ? load_prim : load_attribute)(w, number, load, some))
            return false;
        lanes &= ~some;
    }
    return true;
}
