/* From texels to registers and back: the descriptor's swizzle, dmask, 16-bit data, the residency word. */
#include "amd/model/texture/ta.h"

#include "amd/hw/enums.h"
#include "util/bits.h"
#include "util/format/channel.h"
#include "util/half.h"

static uint32_t one_of(const struct ta_request *r)
{
    return r->image->format.kind == TC_FLOAT ? float_bits(1) : 1;
}

/* Channel `channel` of what the shader sees. */
static uint32_t selected(const struct ta_request *r, const union tex_texel *texel, unsigned channel)
{
    unsigned sel = r->image->dst_sel[channel];
    if (sel >= AMD_DST_SEL_X)
        return texel->u[sel - AMD_DST_SEL_X];
    return sel == AMD_DST_SEL_1 ? one_of(r) : 0;
}

static uint16_t to_half(const struct ta_request *r, uint32_t value)
{
    return r->image->format.kind == TC_FLOAT ? float_to_half_rtne(bits_float(value)) : (uint16_t)value;
}

static void put_channel(const struct ta_request *r, uint32_t *rows, unsigned at, unsigned lane, uint32_t value)
{
    if (!r->uop->inst->mem.d16) {
        rows[at * r->q.lanes + lane] = value;
        return;
    }
    uint32_t *word = &rows[at / 2 * r->q.lanes + lane];
    uint16_t half = to_half(r, value);
    *word = at % 2 ? (*word & 0xffff) | (uint32_t)half << 16 : half;
}

void amd_td_return_residency(const struct ta_request *r)
{
    if (!r->uop->inst->mem.tfe)
        return;
    uint32_t *rows = sq_at(r->wave, r->uop->d);
    uint32_t *row = rows + (amd_isa_image_data_count(r->uop->inst) - 1) * r->q.lanes;
    for (unsigned i = 0; i < r->q.lanes; i++) {
        if (r->q.exec >> i & 1)
            row[i] = r->nonresident[i];
    }
}

void amd_td_return_row(const struct ta_request *r, uint32_t *to, const uint32_t *row)
{
    if (r->wave->exec_full) {
        memcpy(to, row, r->q.lanes * sizeof(*to));
        return;
    }
    LANES_INDEPENDENT
    for (unsigned i = 0; i < r->q.lanes; i++)
        to[i] = r->wave->exec_lanes[i] ? row[i] : to[i];
}

/* One channel of 32 bits in all active lanes. */
static void put_row(const struct ta_request *r, uint32_t *to, const union tex_texel *texels, unsigned sel)
{
    uint32_t row[LANES_MAX];
    if (sel >= AMD_DST_SEL_X) {
        unsigned channel = sel - AMD_DST_SEL_X;
        for (unsigned i = 0; i < r->q.lanes; i++)
            row[i] = texels[i].u[channel];
    } else {
        lanes_splat(row, sel == AMD_DST_SEL_1 ? one_of(r) : 0, r->q.lanes);
    }
    amd_td_return_row(r, to, row);
}

/* A byte of each code, as a number. */
static void take_bytes(uint32_t *restrict row, const uint32_t *restrict codes, unsigned shift, bool is_unorm,
                       unsigned lanes)
{
    if (is_unorm) {
        for (unsigned i = 0; i < lanes; i++)
            row[i] = float_bits(format_unorm_to_float(codes[i] >> shift & 255, 8));
    } else {
        for (unsigned i = 0; i < lanes; i++)
            row[i] = codes[i] >> shift & 255;
    }
}

/* One texel for all lanes, which are active. */
void amd_td_return_same_bytes(const struct ta_request *r, uint32_t code)
{
    uint32_t *to = sq_at(r->wave, r->uop->d);
    for (unsigned channel = 0; channel < 4; channel++) {
        unsigned sel = r->image->dst_sel[channel];
        uint32_t value = sel == AMD_DST_SEL_1 ? one_of(r) : 0;
        if (!(r->uop->inst->mem.dmask >> channel & 1))
            continue;
        if (sel >= AMD_DST_SEL_X)
            take_bytes(&value, &code, (sel - AMD_DST_SEL_X) * 8, r->image->format.kind != TC_UINT, 1);
        lanes_splat(to, value, r->q.lanes);
        to += r->q.lanes;
    }
}

void amd_td_return_bytes(const struct ta_request *r, const uint32_t *codes)
{
    uint32_t *to = sq_at(r->wave, r->uop->d);
    for (unsigned channel = 0; channel < 4; channel++) {
        uint32_t values[LANES_MAX], *row = r->wave->exec_full ? to : values;
        unsigned sel = r->image->dst_sel[channel];
        if (!(r->uop->inst->mem.dmask >> channel & 1))
            continue;
        if (sel < AMD_DST_SEL_X)
            lanes_splat(row, sel == AMD_DST_SEL_1 ? one_of(r) : 0, r->q.lanes);
        else
            take_bytes(row, codes, (sel - AMD_DST_SEL_X) * 8, r->image->format.kind != TC_UINT, r->q.lanes);
        if (row != to)
            amd_td_return_row(r, to, row);
        to += r->q.lanes;
    }
}

void amd_td_return(const struct ta_request *r, const union tex_texel *texels)
{
    uint32_t *rows = sq_at(r->wave, r->uop->d);
    unsigned at = 0;
    for (unsigned channel = 0; channel < 4; channel++) {
        if (!(r->uop->inst->mem.dmask >> channel & 1))
            continue;
        if (!r->uop->inst->mem.d16) {
            put_row(r, rows + at * r->q.lanes, texels, r->image->dst_sel[channel]);
        } else {
            for (unsigned i = 0; i < r->q.lanes; i++) {
                if (r->q.exec >> i & 1)
                    put_channel(r, rows, at, i, selected(r, &texels[i], channel));
            }
        }
        at++;
    }
    amd_td_return_residency(r);
}

/* One channel of four texels. The order is the hardware's: (0,1), (1,1), (1,0), (0,0). */
void amd_td_return_gather(const struct ta_request *r, union tex_texel (*texels)[LANES_MAX])
{
    static const uint8_t order[4] = {2, 3, 1, 0};
    uint32_t *rows = sq_at(r->wave, r->uop->d);
    unsigned dmask = r->uop->inst->mem.dmask, channel = dmask ? (unsigned)__builtin_ctz(dmask) : 0;
    bool is_msaa = r->info->properties & ISA_PROP_MSAA; /* then they are four fragments */
    for (unsigned n = 0; n < 4; n++) {
        const union tex_texel *tap = texels[is_msaa ? n : order[n]];
        if (!r->uop->inst->mem.d16) {
            put_row(r, rows + n * r->q.lanes, tap, r->image->dst_sel[channel]);
            continue;
        }
        for (unsigned i = 0; i < r->q.lanes; i++) {
            if (r->q.exec >> i & 1)
                put_channel(r, rows, n, i, selected(r, &tap[i], channel));
        }
    }
    amd_td_return_residency(r);
}

static const uint32_t zero_row[LANES_MAX];

/* The first channel of the shader that reads a channel of memory also writes it. Others are stored as zero, and so is
 * what dmask leaves out. */
void amd_td_take_rows(const struct ta_request *r, const uint32_t *rows[4])
{
    const uint32_t *row = sq_at(r->wave, r->uop->d);
    uint32_t taken = 0;
    for (unsigned n = 0; n < 4; n++)
        rows[n] = zero_row;
    for (unsigned channel = 0; channel < 4; channel++) {
        unsigned sel = r->image->dst_sel[channel];
        bool is_given = r->uop->inst->mem.dmask >> channel & 1;
        if (sel >= AMD_DST_SEL_X && !(taken >> sel & 1)) {
            rows[sel - AMD_DST_SEL_X] = is_given ? row : zero_row;
            taken |= 1u << sel;
        }
        row += is_given ? r->q.lanes : 0;
    }
}

static union tex_texel take_halves(const struct ta_request *r, unsigned lane)
{
    const uint32_t *rows = sq_at(r->wave, r->uop->d);
    union tex_texel out = {.u = {0, 0, 0, 0}};
    uint32_t taken = 0;
    unsigned at = 0;
    for (unsigned channel = 0; channel < 4; channel++) {
        uint32_t value = 0;
        if (r->uop->inst->mem.dmask >> channel & 1) {
            value = rows[at / 2 * r->q.lanes + lane] >> (at % 2 * 16) & 0xffff;
            if (r->image->format.kind == TC_FLOAT)
                value = float_bits(half_to_float((uint16_t)value));
            else if (r->image->format.kind == TC_SINT)
                value = (uint32_t)(int32_t)(int16_t)value;
            at++;
        }
        unsigned sel = r->image->dst_sel[channel];
        if (sel >= AMD_DST_SEL_X && !(taken >> sel & 1)) {
            out.u[sel - AMD_DST_SEL_X] = value;
            taken |= 1u << sel;
        }
    }
    return out;
}

void amd_td_take(const struct ta_request *r, uint64_t lanes, union tex_texel *texels)
{
    if (r->uop->inst->mem.d16) {
        bits_foreach (lanes, i)
            texels[i] = take_halves(r, (unsigned)i);
        return;
    }
    const uint32_t *rows[4];
    amd_td_take_rows(r, rows);
    for (unsigned i = 0; i < r->q.lanes; i++) {
        for (unsigned n = 0; n < 4; n++)
            texels[i].u[n] = rows[n][i];
    }
}

void amd_td_return_rows(const struct ta_request *r, const struct tex_result *result)
{
    uint32_t *to = sq_at(r->wave, r->uop->d);
    union tex_texel texels[LANES_MAX];
    if (r->uop->inst->mem.d16) {
        for (unsigned i = 0; i < r->q.lanes; i++) {
            for (unsigned n = 0; n < 4; n++)
                texels[i].f[n] = result->channel[n][i];
        }
        amd_td_return(r, texels);
        return;
    }
    for (unsigned channel = 0; channel < 4; channel++) {
        unsigned sel = r->image->dst_sel[channel];
        uint32_t constant[LANES_MAX];
        if (!(r->uop->inst->mem.dmask >> channel & 1))
            continue;
        if (sel < AMD_DST_SEL_X)
            lanes_splat(constant, sel == AMD_DST_SEL_1 ? float_bits(1) : 0, r->q.lanes);
        amd_td_return_row(r, to,
                          sel < AMD_DST_SEL_X ? constant : (const uint32_t *)result->channel[sel - AMD_DST_SEL_X]);
        to += r->q.lanes;
    }
}
