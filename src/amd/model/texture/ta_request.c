/* From the fields of an image instruction to rows of operands. The order of the address words is the hardware's:
 * offset, bias, compare value, gradients, coordinates, level or clamp. */
#include "amd/model/texture/ta.h"

#include <math.h>
#include <string.h>

#include "util/bits.h"
#include "util/half.h"

/* Coordinates along the image, layer (or face), sample: by `dim`. */
static const struct {
    uint8_t axes;
    bool layer, sample;
} dims[8] = {
    [TA_DIM_1D] = {1, false, false},     [TA_DIM_2D] = {2, false, false},          [TA_DIM_3D] = {3, false, false},
    [TA_DIM_CUBE] = {2, true, false},    [TA_DIM_1D_ARRAY] = {1, true, false},     [TA_DIM_2D_ARRAY] = {2, true, false},
    [TA_DIM_2D_MSAA] = {2, false, true}, [TA_DIM_2D_MSAA_ARRAY] = {2, true, true},
};

struct reader {
    struct ta_request *r;
    unsigned word; /* of the address */
    unsigned half; /* of that word: 16-bit coordinates are packed */
    unsigned wide; /* rows in use */
    bool is_float;
};

static const uint32_t *address_row(const struct ta_request *r, unsigned n)
{
    return ta_address_row(r->wave, r->uop->inst, n);
}

static const uint32_t *take_word(struct reader *reader)
{
    return address_row(reader->r, reader->word++);
}

static const uint32_t *widen_row(struct reader *reader, const uint32_t *row, unsigned shift)
{
    uint32_t *to = reader->r->wide[reader->wide++];
    const unsigned lanes = reader->r->q.lanes;
    if (reader->is_float) {
        for (unsigned i = 0; i < lanes; i++)
            to[i] = float_bits(half_to_float((uint16_t)(row[i] >> shift)));
        return to;
    }
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++)
        to[i] = (uint16_t)(row[i] >> shift);
    return to;
}

/* One value of the packed part: coordinates, level, clamp. */
static const uint32_t *take_coord(struct reader *reader)
{
    if (!reader->r->uop->inst->mem.a16)
        return take_word(reader);
    const uint32_t *row = address_row(reader->r, reader->word);
    unsigned shift = reader->half * 16;
    reader->word += reader->half;
    reader->half ^= 1;
    return widen_row(reader, row, shift);
}

/* A byte for each axis, of which six bits count. */
static void take_offsets(struct reader *reader)
{
    struct ta_request *r = reader->r;
    const uint32_t *row = take_word(reader);
    const unsigned lanes = r->q.lanes;
    for (unsigned axis = 0; axis < r->q.axes; axis++) {
        int32_t *to = (int32_t *)r->wide[reader->wide++];
        LANES_INDEPENDENT
        for (unsigned i = 0; i < lanes; i++)
            to[i] = (int32_t)(row[i] << (26 - 8 * axis)) >> 26;
        r->q.offset[axis] = to;
    }
}

static void take_gradients(struct reader *reader, bool are_halves)
{
    struct ta_request *r = reader->r;
    for (unsigned direction = 0; direction < 2; direction++) {
        const uint32_t *row = NULL;
        for (unsigned axis = 0; axis < r->q.axes; axis++) {
            if (!are_halves) {
                r->q.grad[direction][axis] = take_word(reader);
                continue;
            }
            if (axis % 2 == 0)
                row = take_word(reader);
            r->q.grad[direction][axis] = widen_row(reader, row, axis % 2 * 16);
        }
    }
}

/* Nothing but coordinates of 32 bits: loads and stores. */
static void take_coords(struct ta_request *r)
{
    unsigned word = 0;
    for (unsigned axis = 0; axis < r->q.axes; axis++)
        r->coord[axis] = address_row(r, word++);
    if (r->has_layer)
        r->layer = address_row(r, word++);
    if (r->has_sample)
        r->sample = address_row(r, word++);
}

#define MORE_THAN_COORDS                                                                                               \
    (ISA_PROP_OFFSET_ARG | ISA_PROP_BIAS | ISA_PROP_COMPARE | ISA_PROP_GRAD | ISA_PROP_GRAD16 | ISA_PROP_LOD |         \
     ISA_PROP_CLAMP_ARG)

void amd_ta_take_address(struct ta_request *r, bool is_float)
{
    if ((r->info->properties & (ISA_PROP_COORDS | MORE_THAN_COORDS)) == ISA_PROP_COORDS && !r->uop->inst->mem.a16) {
        take_coords(r);
        return;
    }
    struct reader reader = {.r = r, .is_float = is_float};
    uint64_t properties = r->info->properties;
    bool is_a16 = r->uop->inst->mem.a16;
    if (properties & ISA_PROP_OFFSET_ARG)
        take_offsets(&reader);
    if (properties & ISA_PROP_BIAS)
        r->q.bias = is_a16 ? widen_row(&reader, take_word(&reader), 0) : take_word(&reader);
    if (properties & ISA_PROP_COMPARE)
        r->q.compare = take_word(&reader);
    if (properties & (ISA_PROP_GRAD | ISA_PROP_GRAD16))
        take_gradients(&reader, properties & ISA_PROP_GRAD16);
    if (properties & ISA_PROP_COORDS) {
        for (unsigned axis = 0; axis < r->q.axes; axis++)
            r->coord[axis] = take_coord(&reader);
        if (r->has_layer)
            r->layer = take_coord(&reader);
        if (r->has_sample)
            r->sample = take_coord(&reader);
    }
    if (properties & ISA_PROP_LOD)
        r->q.lod = take_coord(&reader);
    if (properties & ISA_PROP_CLAMP_ARG)
        r->q.clamp = take_coord(&reader);
}

static bool find_descriptors(struct ta_request *r)
{
    struct sq_wave *wave = r->wave;
    if (!wave->ta) {
        amd_sq_fault(wave, r->uop, SQ_FAULT_INSTRUCTION,
                     "an image instruction at a stage that has no texture state yet");
        return false;
    }
    r->cache = amd_sq_code_textures(wave->code, wave->ta->gb_addr_config);
    r->image = r->cache ? amd_tc_image_get(r->cache, sq_at(wave, r->uop->s[1])) : NULL;
    const char *problem = r->image ? r->image->problem : "the host has no memory for an image descriptor";
    if (!problem && r->info->properties & ISA_PROP_SAMPLE) {
        r->sampler_descriptor = amd_tc_sampler_get(r->cache, sq_at(wave, r->uop->s[2]));
        r->q.sampler = r->sampler_descriptor ? &r->sampler_descriptor->tex : NULL;
        problem = r->q.sampler ? r->sampler_descriptor->problem : "the host has no memory for a sampler";
    }
    if (r->image) {
        r->q.image = &r->image->tex;
        r->q.places = r->image->places;
        r->q.blocks = amd_tc_cache_blocks(r->cache);
    }
    if (problem) {
        amd_sq_fault(wave, r->uop, SQ_FAULT_INSTRUCTION, problem);
        return false;
    }
    return true;
}

#define ONES UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX
const uint32_t amd_ta_all_lanes[LANES_MAX] = {ONES, ONES, ONES, ONES, ONES, ONES, ONES, ONES};

bool amd_ta_request_init(struct ta_request *r, struct sq_wave *wave, const struct sq_uop *uop, bool is_float)
{
    /* The rows at the end are written where they are used. */
    memset(r, 0, offsetof(struct ta_request, nonresident));
    unsigned dim = uop->inst->mem.dim;
    r->wave = wave;
    r->uop = uop;
    r->info = isa_info(uop->inst->op);
    r->q.lanes = wave->lanes;
    r->q.exec = sq_exec(wave);
    r->q.exec_lanes = ta_exec_lanes(wave);
    r->q.ops = &amd_ta_ops;
    r->q.work = wave->ta ? wave->ta->work : 0;
    /* Each lane is asked whether its texel is resident. */
    r->q.space = uop->inst->mem.tfe || wave->coherence ? NULL : wave->memory; /* NULL: each texel is looked at */
    r->q.is_level_zero = uop->imm & TA_LEVEL_ZERO;
    r->q.axes = dims[dim].axes;
    r->has_layer = dims[dim].layer;
    r->has_sample = dims[dim].sample;
    if (uop->inst->mem.tfe)
        memset(r->nonresident, 0, sizeof(r->nonresident));
    if (!find_descriptors(r))
        return false;
    r->q.unnormalized = uop->inst->mem.unorm || (r->q.sampler && r->q.sampler->unnormalized);
    amd_ta_take_address(r, is_float);
    r->q.is_one_slice = !r->layer;
    return true;
}

void amd_ta_coords_init(struct tex_coords *c, const struct ta_request *r)
{
    const struct tex_image *image = r->q.image;
    unsigned lanes = r->q.lanes;
    for (unsigned axis = 0; axis < 3; axis++) {
        c->at[axis] = axis < r->q.axes ? tex_floats(r->coord[axis]) : tex_zeros;
        if (!image->is_cube || axis >= r->q.axes)
            continue;
        const tex_float *from = c->at[axis];
        LANES_INDEPENDENT
        for (unsigned i = 0; i < lanes; i++) /* the shader puts a face's coordinates into [1, 2] */
            c->own.at[axis][i] = from[i] - 1;
        c->at[axis] = c->own.at[axis];
    }
    c->slice = c->own.slice;
    if (!r->layer) {
        if (image->first_layer)
            lanes_splat(c->own.slice, image->first_layer, lanes);
        else
            c->slice = tex_no_slices;
        return;
    }
    const tex_float *layer = tex_floats(r->layer);
    float last = (float)(image->layers - 1);
    for (unsigned i = 0; i < lanes; i++) {
        float number = rintf(layer[i]);
        number = number >= -1e9f ? MIN2(number, 1e9f) : 0;
        if (image->is_cube) { /* eight numbers a cube, six of them faces */
            int32_t id = (int32_t)number, cube = id >> 3, face = MIN2(id & 7, 5);
            int32_t cubes = (int32_t)(image->layers / 6);
            cube = MAX2(MIN2(cube, cubes - 1), 0);
            c->own.slice[i] = image->first_layer + (uint32_t)(cube * 6 + face);
        } else {
            c->own.slice[i] = image->first_layer + (uint32_t)MAX2(MIN2(number, last), 0.0f);
        }
    }
}
