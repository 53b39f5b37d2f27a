/* image_load, image_store, image_atomic, image_msaa_load and image_get_resinfo: integer coordinates, no sampler. A
 * coordinate outside of the image reads zero and writes nothing. */
#include "amd/model/texture/ta.h"

#include <string.h>

#include "amd/hw/enums.h"
#include "model/stat.h"
#include "util/bits.h"

/* The texel of each lane: rows of the request as they are, or made here. */
struct texels_at {
    struct tex_rows rows;
    uint64_t inside; /* active lanes whose texel is in the image */
    uint32_t z[LANES_MAX], sample[LANES_MAX];
    uint8_t level[LANES_MAX];
};

static const uint32_t zero_row[LANES_MAX];

/* Lanes whose levels may differ: one after the other. */
static uint64_t inside_levels(struct texels_at *at, const struct ta_request *r, uint64_t lanes)
{
    const struct tc_image *image = r->image;
    uint64_t inside = 0;
    bits_foreach (lanes, i) {
        uint32_t lod = r->q.lod[i], layer = at->z[i] - image->tex.first_layer;
        if (lod > (uint32_t)(image->tex.last_level - image->tex.base_level))
            continue;
        unsigned level = image->tex.base_level + lod;
        if (level < image->tex.min_lod >> 8)
            continue; /* a level outside of the descriptor's view */
        uint32_t layers = image->tex.layers;
        if (image->is_3d)
            layers = image->slices_of_base && lod == 0 ? image->tex.layers : image->tex.level[level].depth;
        at->level[i] = (uint8_t)level;
        inside |= (uint64_t)(at->rows.x[i] < image->tex.level[level].width &&
                             at->rows.y[i] < image->tex.level[level].height && layer < layers &&
                             at->sample[i] < image->samples)
                  << i;
    }
    return inside;
}

/* Lanes inside where the instruction names no level: the base level. */
static uint64_t inside_base(const struct texels_at *at, const struct ta_request *r)
{
    const struct tc_image *image = r->image;
    unsigned level = image->tex.base_level;
    uint32_t width = image->tex.level[level].width, height = image->tex.level[level].height,
             first = image->tex.first_layer, samples = image->samples,
             layers = image->is_3d && !image->slices_of_base ? image->tex.level[level].depth : image->tex.layers;
    const uint32_t *x = at->rows.x, *y = at->rows.y, *z = at->z, *sample = at->sample;
    uint32_t inside[LANES_MAX];
    if (level < image->tex.min_lod >> 8)
        return 0;
    LANES_INDEPENDENT
    for (unsigned i = 0; i < r->q.lanes; i++)
        inside[i] = -(uint32_t)((x[i] < width) & (y[i] < height) & (z[i] - first < layers) & (sample[i] < samples));
    return lanes_to_mask(inside, r->q.lanes);
}

/* `fragment` is added to the sample. */
static void find_texels(struct texels_at *at, const struct ta_request *r, uint32_t fragment)
{
    const struct tc_image *image = r->image;
    /* The third coordinate is a slice of a volume, or a layer whatever it is called. */
    const uint32_t *layer = r->layer        ? r->layer
                            : r->q.axes > 2 ? r->coord[2]
                                            : zero_row,
                   *sample = r->sample ? r->sample : zero_row;
    at->rows = (struct tex_rows){r->coord[0], r->q.axes > 1 ? r->coord[1] : zero_row, at->z, at->sample, at->level};
    LANES_INDEPENDENT
    for (unsigned i = 0; i < r->q.lanes; i++) {
        at->z[i] = image->tex.first_layer + layer[i];
        at->sample[i] = sample[i] > UINT32_MAX - fragment ? UINT32_MAX : sample[i] + fragment;
    }
    memset(at->level, image->tex.base_level, sizeof(at->level));
    at->inside = image->is_null ? 0 : r->q.lod ? inside_levels(at, r, r->q.exec) : inside_base(at, r) & r->q.exec;
}

/* Texels and their places. False: stopped. */
static bool find_places(struct texels_at *at, struct td_places *places, struct ta_request *r, uint32_t fragment,
                        unsigned need)
{
    struct td_wave wave;
    if (!fragment && amd_td_locate_wave(&wave, r, need)) {
        for (unsigned i = 0; i < r->q.lanes; i++)
            places->at[i] = wave.host + wave.offset[i];
        places->constants = 0;
        at->inside = r->q.exec;
        at->rows.x = r->coord[0];
        at->rows.y = r->coord[1];
        return true;
    }
    find_texels(at, r, fragment);
    return amd_td_locate(places, r, &at->rows, at->inside, need);
}

/* One texel of every lane. False: stopped. */
static bool load_texels(union tex_texel *out, struct ta_request *r, uint32_t fragment)
{
    const struct tc_format *f = &r->image->format;
    struct texels_at at;
    struct td_places places;
    for (unsigned i = 0; i < r->q.lanes; i++)
        places.at[i] = (uint8_t *)amd_td_zeros;
    if (!find_places(&at, &places, r, fragment, GPU_PERM_READ))
        return false;
    if (!at.inside) {
        memset(out, 0, LANES_MAX * sizeof(*out));
        return true;
    }
    if (f->is_compressed) {
        bits_foreach (at.inside & ~places.constants, i) {
            if (!amd_td_decode_block(&out[i], r, f->format, places.at[i], at.rows.x[i], at.rows.y[i]))
                return false;
        }
    } else {
        amd_td_decode(out, f, (const void *const *)places.at, r->q.lanes);
    }
    bits_foreach (places.constants, i)
        out[i] = places.constant[i];
    bits_foreach (r->q.exec & ~at.inside, i) /* whatever a format makes of zero bytes */
        memset(&out[i], 0, sizeof(out[i]));
    return true;
}

/* The most frequent formats straight to registers: what a resolve reads, and a copy through DCC. */
static bool is_plain_bytes(const struct ta_request *r)
{
    return r->image->format.is_bytes && !r->uop->inst->mem.d16 && !r->uop->inst->mem.tfe;
}

/* A cleared channel is 0 or the largest number. */
static uint32_t bytes_of(const union tex_texel *texel)
{
    uint32_t code = 0;
    for (unsigned n = 0; n < 4; n++)
        code |= texel->u[n] ? 0xffu << n * 8 : 0;
    return code;
}

/* False: not a square. */
static bool load_byte_tile(struct ta_request *r)
{
    struct td_tile tile;
    uint32_t codes[LANES_MAX];
    if (!amd_td_find_tile(&tile, r, GPU_PERM_READ))
        return false;
    if (tile.meta == TD_META_PLAIN) {
        amd_td_load_tile(&codes, &tile, sizeof(codes[0]), r->q.lanes);
        amd_td_return_bytes(r, codes);
        return true;
    }
    if (tile.meta == TD_META_SINGLE)
        memcpy(codes, tile.host, sizeof(codes[0]));
    amd_td_return_same_bytes(r, tile.meta == TD_META_SINGLE ? codes[0] : bytes_of(&tile.constant));
    return true;
}

static void load_bytes(struct ta_request *r)
{
    struct texels_at at;
    struct td_places places;
    struct td_wave wave;
    uint32_t codes[LANES_MAX];
    if (r->image->format.kind != TC_UINT && load_byte_tile(r))
        return;
    if (amd_td_locate_wave(&wave, r, GPU_PERM_READ)) {
        amd_td_load_words(codes, &wave, r->q.lanes);
        amd_td_return_bytes(r, codes);
        return;
    }
    for (unsigned i = 0; i < r->q.lanes; i++)
        places.at[i] = (uint8_t *)amd_td_zeros;
    find_texels(&at, r, 0);
    if (!amd_td_locate(&places, r, &at.rows, at.inside, GPU_PERM_READ))
        return;
    for (unsigned i = 0; i < r->q.lanes; i++)
        memcpy(&codes[i], places.at[i], sizeof(codes[i]));
    bits_foreach (places.constants, i)
        codes[i] = bytes_of(&places.constant[i]);
    amd_td_return_bytes(r, codes);
}

/* Channels that registers hold as they are, straight to them as well: what copies of images read. */
static bool is_plain_channels(const struct ta_request *r)
{
    bool is_plain = !r->uop->inst->mem.d16 && !r->uop->inst->mem.tfe;
    for (unsigned channel = 0; channel < 4; channel++) {
        unsigned sel = r->image->dst_sel[channel];
        is_plain &= !(r->uop->inst->mem.dmask >> channel & 1) ||
                    (sel >= AMD_DST_SEL_X && sel - AMD_DST_SEL_X < r->image->format.channels);
    }
    return is_plain;
}

/* False: not a square. */
static bool load_tile(struct ta_request *r)
{
    struct td_tile tile;
    uint32_t rows[4][LANES_MAX], *to = sq_at(r->wave, r->uop->d);
    if (!amd_td_find_tile(&tile, r, GPU_PERM_READ))
        return false;
    if (tile.meta == TD_META_CONSTANT) {
        for (unsigned n = 0; n < r->image->format.channels; n++)
            lanes_splat(rows[n], tile.constant.u[n], r->q.lanes);
    } else if (r->image->format.fmask_bits) {
        amd_td_load_tile(rows, &tile, r->image->format.element_B, r->q.lanes);
        amd_td_spread_fmask(&r->image->format, rows[0], r->q.lanes);
    } else if (r->image->format.channels == 1 && r->uop->inst->mem.dmask == 1) {
        amd_td_load_tile((uint32_t(*)[LANES_MAX])to, &tile, r->image->format.element_B, r->q.lanes);
        return true;
    } else {
        amd_td_load_tile(rows, &tile, r->image->format.element_B, r->q.lanes);
    }
    for (unsigned channel = 0; channel < 4; channel++) {
        if (!(r->uop->inst->mem.dmask >> channel & 1))
            continue;
        memcpy(to, rows[r->image->dst_sel[channel] - AMD_DST_SEL_X], r->q.lanes * sizeof(*to));
        to += r->q.lanes;
    }
    return true;
}

/* Every lane is active. */
static void load_wave_words(const struct ta_request *r, const struct td_wave *wave)
{
    uint32_t *to = sq_at(r->wave, r->uop->d);
    for (unsigned channel = 0; channel < 4; channel++) {
        if (!(r->uop->inst->mem.dmask >> channel & 1))
            continue;
        const uint8_t *from = wave->host + (r->image->dst_sel[channel] - AMD_DST_SEL_X) * 4u;
        if (r->image->format.channels == 1) {
            amd_td_load_words(to, wave, r->q.lanes);
        } else {
            for (unsigned i = 0; i < r->q.lanes; i++)
                memcpy(&to[i], from + wave->offset[i], sizeof(to[i]));
        }
        to += r->q.lanes;
    }
}

static void load_words(struct ta_request *r)
{
    struct texels_at at;
    struct td_places places;
    struct td_wave wave;
    uint32_t *to = sq_at(r->wave, r->uop->d);
    if (amd_td_locate_wave(&wave, r, GPU_PERM_READ)) {
        load_wave_words(r, &wave);
        return;
    }
    for (unsigned i = 0; i < r->q.lanes; i++)
        places.at[i] = (uint8_t *)amd_td_zeros;
    find_texels(&at, r, 0);
    if (!amd_td_locate(&places, r, &at.rows, at.inside, GPU_PERM_READ))
        return;
    /* Coordinates may stand in the registers that data goes to: nothing is written before everything is found. */
    for (unsigned channel = 0; channel < 4; channel++) {
        uint32_t row[LANES_MAX];
        if (!(r->uop->inst->mem.dmask >> channel & 1))
            continue;
        unsigned n = r->image->dst_sel[channel] - AMD_DST_SEL_X;
        for (unsigned i = 0; i < r->q.lanes; i++)
            memcpy(&row[i], places.at[i] + n * 4, sizeof(row[i]));
        bits_foreach (places.constants, i)
            row[i] = places.constant[i].u[n];
        amd_td_return_row(r, to, row);
        to += r->q.lanes;
    }
}

static bool can_encode(const struct tc_format *f)
{
    return !f->is_compressed && (f->codec->store_float || f->codec->store_uint || f->codec->store_sint);
}

/* The bits that memory would hold if a block were not cleared. */
static void encode_constant(uint8_t bits[16], const struct tc_format *f, const union tex_texel *texel)
{
    union tex_texel ordered;
    void *to = bits;
    for (unsigned n = 0; n < 4; n++)
        ordered.u[f->order[n]] = texel->u[n];
    tc_format_store(f, &to, &ordered, 1);
}

/* The dwords of memory as they are. */
static void load_packed(struct ta_request *r)
{
    const struct tc_format *f = &r->image->format;
    uint32_t *rows = sq_at(r->wave, r->uop->d);
    struct texels_at at;
    struct td_places places;
    for (unsigned i = 0; i < LANES_MAX; i++)
        places.at[i] = (uint8_t *)amd_td_zeros;
    find_texels(&at, r, 0);
    if (!amd_td_locate(&places, r, &at.rows, at.inside, GPU_PERM_READ))
        return;
    if (places.constants && !can_encode(f)) {
        amd_sq_fault(r->wave, r->uop, SQ_FAULT_INSTRUCTION,
                     "a packed load from a cleared block of a format that cannot be written");
        return;
    }
    bits_foreach (r->q.exec, i) {
        uint32_t words[4] = {0, 0, 0, 0};
        if (places.constants >> i & 1)
            encode_constant((uint8_t *)words, f, &places.constant[i]);
        else
            memcpy(words, places.at[i], MIN2(f->element_B, sizeof(words)));
        if (r->uop->imm & TA_SIGNED && f->element_B < 4)
            words[0] = (uint32_t)bits_sign_extend(words[0], f->element_B * 8u);
        for (unsigned channel = 0, row = 0; channel < 4; channel++) {
            if (r->uop->inst->mem.dmask >> channel & 1)
                rows[row++ * r->q.lanes + i] = words[channel];
        }
    }
    amd_td_return_residency(r);
}

/* A square of channels that are no floats, or that nothing calculates with: the host's float environment does not
 * matter. False: something else; nothing has been done. */
static bool load_square(struct ta_request *r)
{
    const struct tc_format *f = &r->image->format;
    if (r->uop->imm & TA_PACKED || r->info->properties & ISA_PROP_MSAA)
        return false;
    if (f->is_bytes)
        return f->kind == TC_UINT && is_plain_bytes(r) && load_byte_tile(r);
    return (f->is_words || f->is_narrow || f->is_short_fmask) && is_plain_channels(r) && load_tile(r);
}

static void load_image(struct ta_request *r)
{
    if (r->uop->imm & TA_PACKED) {
        load_packed(r);
        return;
    }
    if (r->info->properties & ISA_PROP_MSAA) {
        union tex_texel texels[4][LANES_MAX];
        for (unsigned n = 0; n < 4; n++) {
            if (!load_texels(texels[n], r, n))
                return;
        }
        amd_td_return_gather(r, texels);
        return;
    }
    if (is_plain_bytes(r)) {
        load_bytes(r);
        return;
    }
    if (r->image->format.is_words && is_plain_channels(r)) {
        load_words(r);
        return;
    }
    union tex_texel texels[LANES_MAX];
    if (load_texels(texels, r, 0))
        amd_td_return(r, texels);
}

static __attribute__((noinline)) void load_with_floats(struct ta_request *r)
{
    ta_env_enter(r->wave);
    load_image(r);
    ta_env_leave(r->wave);
}

void amd_ta_load(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct ta_request r;
    const unsigned before = stat_enter_work(STAT_TEXTURES);
    if (amd_ta_request_init(&r, wave, uop, false) && !load_square(&r))
        load_with_floats(&r);
    stat_leave(before);
}

/* ---- stores ---- */

static void take_packed(const struct ta_request *r, unsigned lane, void *to)
{
    const uint32_t *rows = sq_at(r->wave, r->uop->d);
    uint32_t words[4] = {0, 0, 0, 0};
    for (unsigned channel = 0, row = 0; channel < 4; channel++) {
        if (r->uop->inst->mem.dmask >> channel & 1)
            words[channel] = rows[row++ * r->q.lanes + lane];
    }
    memcpy(to, words, MIN2(r->image->format.element_B, sizeof(words)));
}

static void store_words(const struct ta_request *r, const struct td_places *places, uint64_t lanes)
{
    const uint32_t *rows[4];
    amd_td_take_rows(r, rows);
    bits_foreach (lanes, i) {
        if (!places->at[i])
            continue;
        for (unsigned n = 0; n < r->image->format.channels; n++)
            memcpy(places->at[i] + n * 4, &rows[n][i], sizeof(rows[n][i]));
    }
}

static void store_wave_words(const struct ta_request *r, const struct td_wave *wave)
{
    const uint32_t *rows[4];
    unsigned channels = r->image->format.channels;
    amd_td_take_rows(r, rows);
    if (channels == 1) {
        amd_td_store_words(rows[0], wave, r->q.lanes);
        return;
    }
    for (unsigned i = 0; i < r->q.lanes; i++) {
        for (unsigned n = 0; n < channels; n++)
            memcpy(wave->host + wave->offset[i] + n * 4, &rows[n][i], sizeof(rows[n][i]));
    }
}

static void store_texels(const struct ta_request *r, const struct td_places *places, uint64_t lanes)
{
    const struct tc_format *f = &r->image->format;
    void *to[LANES_MAX];
    union tex_texel texels[LANES_MAX], ordered[LANES_MAX];
    unsigned count = 0;
    amd_td_take(r, lanes, texels);
    bits_foreach (lanes, i) {
        if (!places->at[i])
            continue;
        for (unsigned n = 0; n < 4; n++)
            ordered[count].u[f->order[n]] = texels[i].u[n];
        to[count++] = places->at[i];
    }
    tc_format_store(f, to, ordered, count);
}

/* As load_square. */
static bool store_square(struct ta_request *r)
{
    const struct tc_format *f = &r->image->format;
    const uint32_t *rows[4];
    struct td_tile tile;
    if (!(f->is_words || f->is_narrow) || r->uop->inst->mem.d16 || r->uop->imm & TA_PACKED ||
        !amd_td_find_tile(&tile, r, GPU_PERM_WRITE))
        return false;
    amd_td_take_rows(r, rows);
    amd_td_store_tile(rows, &tile, f->element_B, r->q.lanes);
    return true;
}

static void store_image(struct ta_request *r)
{
    const struct tc_format *f = &r->image->format;
    if (f->fmask_bits || !can_encode(f)) {
        amd_sq_fault(r->wave, r->uop, SQ_FAULT_INSTRUCTION, "a store to an image of a format that cannot be written");
        return;
    }
    struct texels_at at;
    struct td_places places;
    struct td_wave whole;
    bool are_words = f->is_words && !r->uop->inst->mem.d16 && !(r->uop->imm & TA_PACKED);
    if (are_words && amd_td_locate_wave(&whole, r, GPU_PERM_WRITE)) {
        store_wave_words(r, &whole);
        return;
    }
    memset(places.at, 0, sizeof(places.at));
    if (!find_places(&at, &places, r, 0, GPU_PERM_WRITE))
        return;
    if (r->uop->imm & TA_PACKED) {
        bits_foreach (at.inside, i) {
            if (places.at[i])
                take_packed(r, (unsigned)i, places.at[i]);
        }
    } else if (are_words) {
        store_words(r, &places, at.inside);
    } else {
        store_texels(r, &places, at.inside);
    }
}

static __attribute__((noinline)) void store_with_floats(struct ta_request *r)
{
    ta_env_enter(r->wave);
    store_image(r);
    ta_env_leave(r->wave);
}

void amd_ta_store(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct ta_request r;
    const unsigned before = stat_enter_work(STAT_TEXTURES);
    if (amd_ta_request_init(&r, wave, uop, false) && !r.image->is_null && !store_square(&r))
        store_with_floats(&r);
    stat_leave(before);
}

/* ---- atomics ---- */

/* The width is not in the opcode: dmask has one bit for each dword of data. Denormals follow the wave's mode, as those
 * of buffers do. */
void amd_ta_atomic(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct ta_request r;
    struct sq_places places;
    if (!amd_ta_request_init(&r, wave, uop, false))
        return;
    struct isa_op_info info = *r.info;
    bool is_swap = info.properties & ISA_PROP_CMPSWAP;
    unsigned dwords = (unsigned)__builtin_popcount(uop->inst->mem.dmask), value_dwords = is_swap ? dwords / 2 : dwords;
    if (value_dwords < 1 || value_dwords > 2 || (is_swap && dwords % 2) || uop->inst->mem.d16 || uop->inst->mem.tfe) {
        amd_sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, "an image atomic whose dmask is neither 32 nor 64 bits wide");
        return;
    }
    if (!r.image->is_null && r.image->format.element_B != value_dwords * 4) {
        amd_sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, "an image atomic on a format of another size");
        return;
    }
    info.element = value_dwords == 2 ? ISA_TYPE_B64 : ISA_TYPE_B32;
    struct texels_at at;
    struct td_places found;
    find_texels(&at, &r, 0);
    memset(found.at, 0, sizeof(found.at));
    if (!amd_td_locate(&found, &r, &at.rows, at.inside, GPU_PERM_READ | GPU_PERM_WRITE))
        return;
    memcpy(places.at, found.at, sizeof(places.at));
    uint32_t *rows = sq_at(wave, uop->d);
    amd_sq_atomic(wave, &info, &places, rows, is_swap ? rows + value_dwords * r.q.lanes : NULL,
                  uop->inst->mem.glc ? rows : NULL);
}

/* ---- sizes ---- */

void amd_ta_get_resinfo(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct ta_request r;
    if (!amd_ta_request_init(&r, wave, uop, false))
        return;
    const struct tc_image *image = r.image;
    uint32_t *rows = sq_at(wave, uop->d);
    uint32_t levels = image->samples > 1 ? 1 : (uint32_t)(image->tex.last_level - image->tex.base_level) + 1;
    bool is_1d_array = image->type == AMD_IMG_TYPE_1D_ARRAY;
    for (unsigned i = 0; i < r.q.lanes; i++) {
        uint32_t lod = r.q.lod[i], values[4] = {0, 0, 0, 0};
        if (!(r.q.exec >> i & 1))
            continue;
        if (!image->is_null) {
            values[3] = levels;
            if (lod < levels) {
                unsigned level = image->tex.base_level + lod;
                values[0] = image->tex.level[level].width;
                values[1] = is_1d_array ? image->tex.layers : image->tex.level[level].height;
                values[2] = image->is_3d ? (image->slices_of_base ? image->tex.layers : image->tex.level[level].depth)
                            : image->is_array && !is_1d_array ? image->tex.layers
                                                              : 1;
            }
        }
        for (unsigned channel = 0, row = 0; channel < 4; channel++) {
            if (uop->inst->mem.dmask >> channel & 1)
                rows[row++ * r.q.lanes + i] = values[channel];
        }
    }
}
