/* Fetches the attributes of a wave's vertices: first the words of all lanes, then channel by channel the numbers. */
#include <string.h>

#include "adreno/model/coherence.h"
#include "adreno/model/vfd/vfd.h"
#include "util/bits.h"
#include "util/format/channel.h"

#define MAX_ELEMENT_DW 4

struct words {
    uint32_t lanes[MAX_ELEMENT_DW][ADRENO_WAVE_LANES_MAX];
};

/* Elements that do not lie wholly in the buffer are zeros. */
static bool fetch_words(const struct vfd_attribute *attribute, struct adreno_gpu *gpu, const uint32_t *index,
                        uint32_t count, struct words *words)
{
    const uint32_t element_B = attribute->element_B, words_of = (element_B + 3) / 4;
    struct coherence_actor *coherence = gpu->coherence;
    for (uint32_t lane = 0; lane < count; lane++) {
        uint32_t element[MAX_ELEMENT_DW] = {0};
        uint64_t at_B = (uint64_t)index[lane] * attribute->stride_B + attribute->offset_B;
        if (at_B + element_B <= attribute->size_B) {
            ADRENO_READS(coherence, ADRENO_CLIENT_VERTEX, attribute->va + at_B, element_B);
            if (attribute->host)
                memcpy(element, attribute->host + at_B, element_B);
            else if (gpu_space_read(gpu->space, attribute->va + at_B, element, element_B) != element_B)
                return adreno_fault(gpu, "vertex fetch", attribute->va + at_B, element_B, false);
        }
        for (uint32_t k = 0; k < words_of; k++)
            words->lanes[k][lane] = element[k];
    }
    return true;
}

static float small_float(uint32_t code, unsigned width)
{
    switch (width) {
    case 10:
        return format_small_to_float(code, 5);
    case 11:
        return format_small_to_float(code, 6);
    case 16:
        return format_half_to_float(code);
    default:
        return bits_float(code);
    }
}

static float to_float(enum adreno_numeric numeric, uint32_t code, unsigned width)
{
    const double all = (double)bits_mask(width), half = (double)bits_mask(width - 1);
    switch (numeric) {
    case ADRENO_NUMERIC_UNORM:
        return (float)(code / all);
    case ADRENO_NUMERIC_SNORM: {
        double value = (double)bits_sign_extend(code, width) / half;
        return (float)MAX2(value, -1.0);
    }
    case ADRENO_NUMERIC_UINT:
        return (float)code;
    case ADRENO_NUMERIC_SINT:
        return (float)bits_sign_extend(code, width);
    case ADRENO_NUMERIC_FIXED:
        return (float)((double)(int32_t)code / 65536);
    default:
        return small_float(code, width);
    }
}

/* One channel of all lanes. What the format does not have is 0, or 1 in the last channel. */
static void decode_channel(const struct vfd_attribute *attribute, const struct words *words, unsigned channel,
                           uint32_t count, uint32_t *row)
{
    const struct adreno_format *format = attribute->format;
    if (channel >= format->channels || (format->is_x && channel == 3)) {
        uint32_t missing = channel < 3 ? 0 : attribute->is_float ? float_bits(1) : 1;
        for (uint32_t lane = 0; lane < count; lane++)
            row[lane] = missing;
        return;
    }
    const unsigned width = format->widths[channel], first = attribute->first_bit[channel];
    const uint32_t *from = words->lanes[first / 32];
    const bool is_plain = width == 32 && (!attribute->is_float || format->numeric == ADRENO_NUMERIC_FLOAT);
    if (is_plain) {
        memcpy(row, from, count * sizeof(*row));
        return;
    }
    const uint32_t mask = (uint32_t)bits_mask(width);
    const bool is_signed = format->numeric == ADRENO_NUMERIC_SINT;
    for (uint32_t lane = 0; lane < count; lane++) {
        uint32_t code = from[lane] >> first % 32 & mask;
        if (attribute->is_float)
            row[lane] = float_bits(to_float(format->numeric, code, width));
        else
            row[lane] = is_signed ? (uint32_t)bits_sign_extend(code, width) : code;
    }
}

static void decode_shared_exponent(const struct words *words, unsigned channel, uint32_t count, uint32_t *row)
{
    for (uint32_t lane = 0; lane < count; lane++) {
        uint32_t word = words->lanes[0][lane];
        float scale = format_e5_scale(word >> 27);
        row[lane] = float_bits(channel == 3 ? 1 : (float)(word >> channel * 9 & 0x1ff) * scale);
    }
}

static bool load_attribute(const struct vfd_state *state, const struct vfd_attribute *attribute, struct adreno_gpu *gpu,
                           const struct vfd_lanes *lanes, struct adreno_wave *wave)
{
    struct words words;
    uint32_t elements[ADRENO_WAVE_LANES_MAX];
    const uint32_t *index = lanes->vertex_id;
    if (attribute->is_instanced) {
        for (uint32_t lane = 0; lane < lanes->count; lane++)
            elements[lane] =
                state->instance_offset + (attribute->step_rate ? lanes->instance[lane] / attribute->step_rate : 0);
        index = elements;
    }
    if (!fetch_words(attribute, gpu, index, lanes->count, &words))
        return false;
    bits_foreach (attribute->mask, channel) {
        uint32_t *row = adreno_wave_row(wave, attribute->regid + (unsigned)channel);
        adreno_wave_has_input(wave, attribute->regid + (unsigned)channel, false);
        if (attribute->format->numeric == ADRENO_NUMERIC_EXP)
            decode_shared_exponent(&words, (unsigned)channel, lanes->count, row);
        else
            decode_channel(attribute, &words, (unsigned)channel, lanes->count, row);
    }
    return true;
}

static void load_number(struct adreno_wave *wave, uint8_t reg, const uint32_t *numbers, uint32_t count, uint32_t more)
{
    if (reg == ADRENO_NO_REG)
        return;
    uint32_t *row = adreno_wave_row(wave, reg);
    adreno_wave_has_input(wave, reg, false);
    for (uint32_t lane = 0; lane < count; lane++)
        row[lane] = numbers[lane] + more;
}

bool adreno_vfd_load(const struct vfd_state *state, struct adreno_gpu *gpu, const struct vfd_lanes *lanes,
                     struct adreno_wave *wave)
{
    for (unsigned i = 0; i < state->count; i++) {
        const struct vfd_attribute *attribute = &state->attributes[i];
        if (attribute->mask && !load_attribute(state, attribute, gpu, lanes, wave))
            return false;
    }
    load_number(wave, state->vertex_id_reg, lanes->vertex_id, lanes->count, -state->vertex_id_less);
    load_number(wave, state->instance_id_reg, lanes->instance, lanes->count, state->instance_id_more);
    load_number(wave, state->prim_id_reg, lanes->prim_id, lanes->count, 0);
    if (state->view_id_reg != ADRENO_NO_REG) {
        uint32_t *row = adreno_wave_row(wave, state->view_id_reg);
        adreno_wave_has_input(wave, state->view_id_reg, false);
        for (uint32_t lane = 0; lane < lanes->count; lane++)
            row[lane] = lanes->view[lane];
    }
    return true;
}
