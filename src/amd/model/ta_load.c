/* image_load, image_store, image_atomic, image_msaa_load and image_get_resinfo: integer coordinates, no sampler. A
 * coordinate outside of the image reads zero and writes nothing. */
#include "amd/model/ta.h"

#include <string.h>

#include "amd/hw/enums.h"
#include "util/bits.h"

struct texel_at {
    uint32_t x, y, z, sample;
    unsigned level;
};

/* Where the lane's texel is; false: outside. */
static bool locate(struct texel_at *out, const struct ta_request *r, unsigned lane)
{
    const struct tc_image *image = r->image;
    uint32_t lod = r->lod ? r->lod[lane] : 0;
    if (image->is_null || lod > (uint32_t)(image->last_level - image->base_level))
        return false;
    out->level = image->base_level + lod;
    if (out->level < image->min_lod >> 8)
        return false; /* a level that the descriptor does not let be seen */
    out->x = r->coord[0][lane];
    out->y = r->axes > 1 ? r->coord[1][lane] : 0;
    out->sample = r->sample ? r->sample[lane] : 0;
    /* The third coordinate is a slice of a volume, or a layer whatever it is called. */
    uint32_t layer = r->layer ? r->layer[lane] : r->axes > 2 ? r->coord[2][lane] : 0;
    uint32_t layers = image->layers;
    if (image->is_3d)
        layers = image->slices_of_base && lod == 0 ? image->layers : image->level[out->level].depth;
    out->z = image->first_layer + layer;
    return out->x < image->level[out->level].width && out->y < image->level[out->level].height && layer < layers &&
           out->sample < image->samples;
}

static const uint8_t zeros[16] __attribute__((aligned(16)));

/* One texel of every lane; `fragment` is added to the sample. False: stopped. */
static bool load_texels(union td_texel *out, struct ta_request *r, uint32_t fragment)
{
    struct ta_taps taps;
    union td_texel row[1][LANES_MAX];
    uint64_t missing = 0;
    const struct tc_image *image = r->image;
    memset(out, 0, LANES_MAX * sizeof(*out));
    if (image->is_null)
        return true;
    if (image->samples == 1) {
        /* As a footprint of one texel: compressed formats, metadata and all. */
        taps.count = 1;
        memset(taps.border[0], 0, sizeof(taps.border[0]));
        memset(taps.corner[0], 0, sizeof(taps.corner[0]));
        uint64_t exec = r->exec;
        for (unsigned i = 0; i < r->lanes; i++) {
            struct texel_at at = {0};
            bool inside = (exec >> i & 1) && locate(&at, r, i) && !fragment;
            missing |= (uint64_t)!inside << i;
            taps.x[0][i] = (int32_t)at.x;
            taps.y[0][i] = (int32_t)at.y;
            taps.z[0][i] = (int32_t)at.z;
            taps.level[i] = (uint8_t)at.level;
            taps.weight[0][i] = 1;
        }
        r->exec &= ~missing;
        bool ok = td_fetch(row, r, &taps);
        r->exec = exec;
        if (!ok)
            return false;
        for (unsigned i = 0; i < r->lanes; i++) {
            if (!(missing >> i & 1))
                out[i] = row[0][i];
        }
        return true;
    }
    for (unsigned i = 0; i < r->lanes; i++) {
        struct texel_at at;
        struct td_place place;
        if (!(r->exec >> i & 1) || !locate(&at, r, i) || at.sample + fragment >= image->samples)
            continue;
        if (!td_locate(&place, r, i, at.x, at.y, at.z, at.sample + fragment, at.level, GPU_PERM_READ))
            return false;
        if (place.is_constant)
            out[i] = place.texel;
        else
            td_decode_one(&out[i], &image->format, place.at ? place.at : zeros);
    }
    return true;
}

/* The dwords of memory as they are. */
static void load_packed(struct ta_request *r)
{
    const struct tc_format *f = &r->image->format;
    uint32_t *rows = sq_at(r->wave, r->uop->d);
    for (unsigned i = 0; i < r->lanes; i++) {
        struct texel_at at;
        struct td_place place;
        uint32_t words[4] = {0, 0, 0, 0};
        if (!(r->exec >> i & 1))
            continue;
        if (locate(&at, r, i)) {
            if (!td_locate(&place, r, i, at.x, at.y, at.z, at.sample, at.level, GPU_PERM_READ))
                return;
            if (place.is_constant) {
                sq_fault(r->wave, r->uop, SQ_FAULT_INSTRUCTION,
                         "a packed load from a cleared block of a compressed image is not implemented");
                return;
            }
            if (place.at)
                memcpy(words, place.at, MIN2(f->element_B, sizeof(words)));
            if (r->uop->imm & TA_SIGNED && f->element_B < 4)
                words[0] = (uint32_t)bits_sign_extend(words[0], f->element_B * 8u);
        }
        for (unsigned channel = 0, row = 0; channel < 4; channel++) {
            if (r->uop->inst->mem.dmask >> channel & 1)
                rows[row++ * r->lanes + i] = words[channel];
        }
    }
    td_return_residency(r);
}

static __attribute__((noinline)) void load(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct ta_request r;
    if (!ta_request_init(&r, wave, uop, false))
        return;
    if (uop->imm & TA_PACKED) {
        load_packed(&r);
        return;
    }
    if (r.info->properties & ISA_PROP_MSAA) {
        union td_texel texels[4][LANES_MAX];
        for (unsigned n = 0; n < 4; n++) {
            if (!load_texels(texels[n], &r, n))
                return;
        }
        td_return_gather(&r, texels);
        return;
    }
    union td_texel texels[LANES_MAX];
    if (load_texels(texels, &r, 0))
        td_return(&r, texels);
}

void ta_load(struct sq_wave *wave, const struct sq_uop *uop)
{
    ta_env_enter(wave);
    load(wave, uop);
    ta_env_leave(wave);
}

/* ---- stores ---- */

static void encode(const struct tc_format *f, void *const *at, const union td_texel *texels, unsigned count)
{
    if (f->kind == TC_FLOAT)
        f->codec->store_float(at, (const float(*)[4])texels, count);
    else if (f->kind == TC_UINT)
        f->codec->store_uint(at, (const uint32_t(*)[4])texels, count);
    else
        f->codec->store_sint(at, (const int32_t(*)[4])texels, count);
}

static void take_packed(const struct ta_request *r, unsigned lane, void *to)
{
    const uint32_t *rows = sq_at(r->wave, r->uop->d);
    uint32_t words[4] = {0, 0, 0, 0};
    for (unsigned channel = 0, row = 0; channel < 4; channel++) {
        if (r->uop->inst->mem.dmask >> channel & 1)
            words[channel] = rows[row++ * r->lanes + lane];
    }
    memcpy(to, words, MIN2(r->image->format.element_B, sizeof(words)));
}

static __attribute__((noinline)) void store(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct ta_request r;
    if (!ta_request_init(&r, wave, uop, false) || r.image->is_null)
        return;
    const struct tc_format *f = &r.image->format;
    bool is_packed = uop->imm & TA_PACKED;
    if (f->is_compressed || f->fmask_bits || !(f->codec->store_float || f->codec->store_uint || f->codec->store_sint)) {
        sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, "a store to an image of a format that cannot be written");
        return;
    }
    void *to[LANES_MAX];
    union td_texel texels[LANES_MAX];
    unsigned count = 0;
    for (unsigned i = 0; i < r.lanes; i++) {
        struct texel_at at;
        struct td_place place;
        if (!(r.exec >> i & 1) || !locate(&at, &r, i))
            continue;
        if (!td_locate(&place, &r, i, at.x, at.y, at.z, at.sample, at.level, GPU_PERM_WRITE))
            return;
        if (!place.at)
            continue;
        if (is_packed) {
            take_packed(&r, i, place.at);
            continue;
        }
        union td_texel texel = td_take(&r, i);
        for (unsigned n = 0; n < 4; n++)
            texels[count].u[f->order[n]] = texel.u[n];
        to[count++] = place.at;
    }
    encode(f, to, texels, count);
}

void ta_store(struct sq_wave *wave, const struct sq_uop *uop)
{
    ta_env_enter(wave);
    store(wave, uop);
    ta_env_leave(wave);
}

/* ---- atomics ---- */

/* The width is not in the opcode: dmask has one bit for each dword of data. Denormals follow the wave's mode, as those
 * of buffers do. */
void ta_atomic(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct ta_request r;
    struct sq_places places;
    if (!ta_request_init(&r, wave, uop, false))
        return;
    struct isa_op_info info = *r.info;
    bool is_swap = info.properties & ISA_PROP_CMPSWAP;
    unsigned dwords = (unsigned)__builtin_popcount(uop->inst->mem.dmask), value_dwords = is_swap ? dwords / 2 : dwords;
    if (value_dwords < 1 || value_dwords > 2 || (is_swap && dwords % 2) || uop->inst->mem.d16 || uop->inst->mem.tfe) {
        sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, "an image atomic whose dmask is neither 32 nor 64 bits wide");
        return;
    }
    if (!r.image->is_null && r.image->format.element_B != value_dwords * 4) {
        sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, "an image atomic on a format of another size");
        return;
    }
    info.element = value_dwords == 2 ? ISA_TYPE_B64 : ISA_TYPE_B32;
    for (unsigned i = 0; i < r.lanes; i++) {
        struct texel_at at;
        struct td_place place;
        places.at[i] = NULL;
        if (!(r.exec >> i & 1) || !locate(&at, &r, i))
            continue;
        if (!td_locate(&place, &r, i, at.x, at.y, at.z, at.sample, at.level, GPU_PERM_READ | GPU_PERM_WRITE))
            return;
        places.at[i] = place.at;
    }
    uint32_t *rows = sq_at(wave, uop->d);
    sq_atomic(wave, &info, &places, rows, is_swap ? rows + value_dwords * r.lanes : NULL,
              uop->inst->mem.glc ? rows : NULL);
}

/* ---- sizes ---- */

void ta_get_resinfo(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct ta_request r;
    if (!ta_request_init(&r, wave, uop, false))
        return;
    const struct tc_image *image = r.image;
    uint32_t *rows = sq_at(wave, uop->d);
    uint32_t levels = image->samples > 1 ? 1 : (uint32_t)(image->last_level - image->base_level) + 1;
    bool is_1d_array = image->type == AMD_IMG_TYPE_1D_ARRAY;
    for (unsigned i = 0; i < r.lanes; i++) {
        uint32_t lod = r.lod[i], values[4] = {0, 0, 0, 0};
        if (!(r.exec >> i & 1))
            continue;
        if (!image->is_null) {
            values[3] = levels;
            if (lod < levels) {
                unsigned level = image->base_level + lod;
                values[0] = image->level[level].width;
                values[1] = is_1d_array ? image->layers : image->level[level].height;
                values[2] = image->is_3d ? (image->slices_of_base ? image->layers : image->level[level].depth)
                            : image->is_array && !is_1d_array ? image->layers
                                                              : 1;
            }
        }
        for (unsigned channel = 0, row = 0; channel < 4; channel++) {
            if (uop->inst->mem.dmask >> channel & 1)
                rows[row++ * r.lanes + i] = values[channel];
        }
    }
}
