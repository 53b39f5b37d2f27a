/* Typed buffers: buffer_load_format and buffer_store_format, whose format is the descriptor's, and MTBUF, whose format
 * is the instruction's. One element of all lanes is converted at a time; out of range its bytes read zero, and the
 * descriptor's selectors still put their constants in: a format without alpha reads (0, 0, 0, 1). It is not written. */
#include <string.h>

#include "amd/hw/descriptors.h"
#include "amd/hw/enums.h"
#include "amd/model/sq/sq_buffer_address.h"
#include "amd/model/texture/ta.h"
#include "util/bits.h"
#include "util/half.h"

struct typed {
    struct sq_wave *wave;
    const struct sq_uop *uop;
    struct sq_buffer buffer;
    struct tc_format format;
    uint8_t dst_sel[4];
    uint32_t soffset_B;
    unsigned channels; /* of the registers */
    bool is_packed;    /* two halves per register */
};

/* An element as one piece of memory, or, where a swizzle takes it apart, piece by piece from a copy. False: stopped. */
struct element {
    uint8_t *at[4]; /* each four bytes, or the first one all of it; NULL: not there */
    bool is_split;
    bool in_range;
};

static bool find_element(struct element *out, const struct typed *t, unsigned lane, unsigned need)
{
    uint32_t index, offset_B, size_B = t->format.element_B;
    sq_buffer_lane(t->wave, t->uop, &t->buffer, lane, &index, &offset_B);
    out->is_split = t->buffer.swizzle && size_B > 4;
    out->in_range = sq_buffer_in_range(&t->buffer, index, offset_B, t->soffset_B, size_B);
    if (!out->in_range)
        return true;
    for (unsigned part = 0; part < (out->is_split ? size_B / 4 : 1); part++) {
        uint64_t va = sq_buffer_address(&t->buffer, index, offset_B + part * 4, t->soffset_B);
        if (!sq_resolve(t->wave, t->uop, va, out->is_split ? 4 : size_B, need, &out->at[part]))
            return false;
        if (!t->buffer.add_lane) /* else a lane's own memory */
            sq_note(t->wave, t->uop, va, out->is_split ? 4 : size_B, need);
    }
    return true;
}

/* ---- elements by index ---- */

#define MOST_SPAN_B (1u << 20) /* of which all pages are looked at */

/* Elements of a wave that lie near each other, as vertices do: where all of them may be read, each is its index times
 * the stride away from the first. False: not so, and each is to be looked at. */
static bool find_elements(const void *at[LANES_MAX], const struct typed *t, uint64_t exec, unsigned end)
{
    const struct isa_mem *mem = &t->uop->inst->mem;
    const struct sq_buffer *b = &t->buffer;
    const uint32_t *index = sq_at(t->wave, t->uop->s[0]);
    const uint32_t records = b->records, stride_B = b->stride_B;
    const uint32_t *active = t->wave->exec_full ? NULL : t->wave->exec_lanes;
    uint32_t low = UINT32_MAX, high = 0;
    if (t->wave->coherence || !mem->idxen || mem->offen || b->swizzle || b->add_lane || !exec ||
        b->check > SQ_CHECK_INDEX ||
        (b->check == SQ_CHECK_STRUCTURED && (uint64_t)t->uop->imm + t->format.element_B > stride_B))
        return false;
    for (unsigned i = 0; i < end; i++) {
        const uint32_t is_in = (active ? active[i] : UINT32_MAX) & (index[i] < records ? UINT32_MAX : 0);
        low = MIN2(low, index[i] | ~is_in);
        high = MAX2(high, index[i] & is_in);
    }
    if (low > high) /* none is in range, or the last number alone */
        return false;
    const uint64_t span_B = (uint64_t)(high - low) * stride_B + t->format.element_B;
    const uint8_t *host = span_B > MOST_SPAN_B
                              ? NULL
                              : gpu_space_whole(t->wave->memory, sq_buffer_address(b, low, t->uop->imm, t->soffset_B),
                                                span_B, GPU_PERM_READ);
    if (!host)
        return false;
    for (unsigned i = 0; i < end; i++) {
        const bool is_in = index[i] < records && (!active || active[i]);
        at[i] = is_in ? host + (size_t)(index[i] - low) * stride_B : amd_td_zeros;
    }
    return true;
}

/* Channels of 32 bits, as registers hold them. */
static void put_words(const struct typed *t, uint32_t *rows, uint64_t exec, unsigned end, const void *const *at)
{
    const uint32_t one = t->format.kind == TC_FLOAT ? float_bits(1) : 1;
    for (unsigned n = 0; n < t->channels; n++, rows += t->wave->lanes) {
        const unsigned sel = t->dst_sel[n], from = sel < AMD_DST_SEL_X ? 4 : sel - AMD_DST_SEL_X;
        const bool is_one = sel == AMD_DST_SEL_1 || from == 3; /* if memory does not have it */
        if (from < t->format.channels && exec == lanes_full_mask(end)) {
            for (unsigned i = 0; i < end; i++)
                memcpy(&rows[i], (const uint8_t *)at[i] + from * 4, sizeof(rows[i]));
        } else if (from < t->format.channels) {
            bits_foreach (exec, i)
                memcpy(&rows[i], (const uint8_t *)at[i] + from * 4, sizeof(rows[i]));
        } else {
            bits_foreach (exec, i)
                rows[i] = is_one ? one : 0;
        }
    }
}

static uint32_t channel_value(const struct typed *t, const union tex_texel *texel, unsigned channel)
{
    unsigned sel = t->dst_sel[channel];
    if (sel >= AMD_DST_SEL_X)
        return texel->u[t->format.order[sel - AMD_DST_SEL_X]];
    return sel != AMD_DST_SEL_1 ? 0 : t->format.kind == TC_FLOAT ? float_bits(1) : 1;
}

static void put_texel(const struct typed *t, uint32_t *rows, unsigned lane, const union tex_texel *texel)
{
    for (unsigned n = 0; n < t->channels; n++) {
        uint32_t value = channel_value(t, texel, n);
        if (!t->is_packed) {
            rows[n * t->wave->lanes + lane] = value;
            continue;
        }
        uint32_t half = t->format.kind == TC_FLOAT ? float_to_half_rtne(bits_float(value)) : value & 0xffff;
        uint32_t *word = &rows[n / 2 * t->wave->lanes + lane];
        *word = n % 2 ? (*word & 0xffff) | half << 16 : half;
    }
}

/* Whole registers at a time, where a channel has one of its own. */
static void put_rows(const struct typed *t, uint32_t *rows, uint64_t exec, unsigned end, const union tex_texel *texels)
{
    for (unsigned n = 0; n < t->channels; n++, rows += t->wave->lanes) {
        unsigned sel = t->dst_sel[n];
        if (sel < AMD_DST_SEL_X) {
            uint32_t value = channel_value(t, texels, n);
            bits_foreach (exec, i)
                rows[i] = value;
        } else if (exec == lanes_full_mask(end)) {
            unsigned from = t->format.order[sel - AMD_DST_SEL_X];
            for (unsigned i = 0; i < end; i++)
                rows[i] = texels[i].u[from];
        } else {
            unsigned from = t->format.order[sel - AMD_DST_SEL_X];
            bits_foreach (exec, i)
                rows[i] = texels[i].u[from];
        }
    }
}

static void load_texels(const struct typed *t)
{
    const struct tc_format *f = &t->format;
    uint32_t *rows = sq_at(t->wave, t->uop->d);
    uint64_t exec = sq_exec(t->wave);
    /* Waves of a few vertices are frequent: lanes after the last active one are not looked at. */
    unsigned end = exec ? 64 - (unsigned)__builtin_clzll(exec) : 0;
    const void *at[LANES_MAX];
    uint8_t copies[LANES_MAX][16];
    union tex_texel texels[LANES_MAX];
    const bool are_found = find_elements(at, t, exec, end);
    if (are_found && f->is_words && !t->is_packed) {
        put_words(t, rows, exec, end, at);
        return;
    }
    for (unsigned i = 0; i < end && !are_found; i++) {
        struct element element;
        at[i] = amd_td_zeros;
        if (!(exec >> i & 1))
            continue;
        if (!find_element(&element, t, i, GPU_PERM_READ))
            return;
        if (!element.in_range)
            continue;
        if (element.is_split) {
            memset(copies[i], 0, sizeof(copies[i]));
            for (unsigned part = 0; part < f->element_B / 4u; part++) {
                if (element.at[part])
                    memcpy(copies[i] + part * 4, element.at[part], 4);
            }
            at[i] = copies[i];
        } else if (element.at[0]) {
            at[i] = element.at[0];
        }
    }
    if (f->kind == TC_FLOAT)
        f->codec->fetch_float((float(*)[4])texels, at, end);
    else if (f->kind == TC_UINT)
        f->codec->fetch_uint((uint32_t(*)[4])texels, at, end);
    else
        f->codec->fetch_sint((int32_t(*)[4])texels, at, end);
    if (!t->is_packed) {
        put_rows(t, rows, exec, end, texels);
        return;
    }
    bits_foreach (exec, i)
        put_texel(t, rows, (unsigned)i, &texels[i]);
}

static union tex_texel take_texel(const struct typed *t, const uint32_t *rows, unsigned lane)
{
    union tex_texel out = {.u = {0, 0, 0, 0}};
    uint32_t taken = 0;
    for (unsigned n = 0; n < t->channels; n++) {
        uint32_t value = t->is_packed ? rows[n / 2 * t->wave->lanes + lane] >> (n % 2 * 16) & 0xffff
                                      : rows[n * t->wave->lanes + lane];
        if (t->is_packed && t->format.kind == TC_FLOAT)
            value = float_bits(half_to_float((uint16_t)value));
        else if (t->is_packed && t->format.kind == TC_SINT)
            value = (uint32_t)(int32_t)(int16_t)value;
        unsigned sel = t->dst_sel[n];
        if (sel >= AMD_DST_SEL_X && !(taken >> sel & 1)) {
            out.u[t->format.order[sel - AMD_DST_SEL_X]] = value;
            taken |= 1u << sel;
        }
    }
    return out;
}

static void store_texels(const struct typed *t)
{
    const uint32_t *rows = sq_at(t->wave, t->uop->d);
    uint64_t exec = sq_exec(t->wave);
    void *at[LANES_MAX];
    union tex_texel texels[LANES_MAX];
    unsigned count = 0;
    for (unsigned i = 0; i < t->wave->lanes; i++) {
        struct element element;
        if (!(exec >> i & 1))
            continue;
        if (!find_element(&element, t, i, GPU_PERM_WRITE))
            return;
        if (!element.in_range)
            continue;
        union tex_texel texel = take_texel(t, rows, i);
        if (element.is_split) {
            uint8_t copy[16];
            void *to = copy;
            tc_format_store(&t->format, &to, &texel, 1);
            for (unsigned part = 0; part < t->format.element_B / 4u; part++) {
                if (element.at[part])
                    memcpy(element.at[part], copy + part * 4, 4);
            }
        } else if (element.at[0]) {
            texels[count] = texel;
            at[count++] = element.at[0];
        }
    }
    tc_format_store(&t->format, at, texels, count);
}

static __attribute__((noinline)) void buffer_format(struct sq_wave *wave, const struct sq_uop *uop)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    const uint32_t *words = sq_at(wave, uop->s[1]);
    struct amd_desc_BUFFER d = amd_unpack_desc_BUFFER(AMD_GFX10_3, words);
    struct typed t = {
        .wave = wave,
        .uop = uop,
        .buffer = sq_buffer_unpack(words, &uop->inst->mem),
        .dst_sel = {d.DST_SEL_X, d.DST_SEL_Y, d.DST_SEL_Z, d.DST_SEL_W},
        .soffset_B = *(const uint32_t *)sq_at(wave, uop->s[2]),
        .channels = uop->sd,
        .is_packed = info->properties & ISA_PROP_PACKED16,
    };
    unsigned number = info->format == ISA_FORMAT_MTBUF ? uop->inst->mem.format : d.FORMAT;
    bool is_load = info->memory == ISA_MEMORY_LOAD;
    if (!number) { /* no format, no buffer: a null descriptor */
        static const union tex_texel zero;
        for (unsigned i = 0; i < wave->lanes && is_load; i++) {
            if (sq_exec(wave) >> i & 1)
                put_texel(&t, sq_at(wave, uop->d), i, &zero);
        }
        return;
    }
    if (!amd_tc_format_init(&t.format, number) || t.format.is_compressed) {
        amd_sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, "a typed buffer with a format that is not implemented");
        return;
    }
    if (is_load)
        load_texels(&t);
    else
        store_texels(&t);
}

void amd_ta_buffer_format(struct sq_wave *wave, const struct sq_uop *uop)
{
    ta_env_enter(wave);
    buffer_format(wave, uop);
    ta_env_leave(wave);
}
