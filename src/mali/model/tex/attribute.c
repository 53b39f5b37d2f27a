/* LD_ATTR and LEA_ATTR: an attribute descriptor says how a vertex and an instance become an address in a buffer, and
 * what lies there. A number outside of the buffer reads as zero bytes. */
#include "mali/model/tex/unit.h"

#include <string.h>

#include "util/bits.h"

static const uint8_t zeros[16];

struct attribute {
    const struct mali_tex_attribute *kept;
    struct mali_desc_BUFFER buffer;
};

static bool find_attribute(struct mali_tex *tex, const struct mali_tex_resources *resources, uint32_t handle,
                           struct attribute *a)
{
    const uint32_t *words = resources->find(resources->context, handle);
    if (!words)
        return false;
    a->kept = mali_tex_attribute_get(tex->cache, words);
    memset(&a->buffer, 0, sizeof(a->buffer));
    if (a->kept->problem)
        return mali_tex_stop(tex, a->kept->problem, "ATTRIBUTE", a->kept->words);
    if (a->kept->pixel.is_constant)
        return true;
    words = resources->find(resources->context, a->kept->desc.TABLE << 24 | a->kept->desc.BUFFER_INDEX);
    if (!words)
        return false;
    if ((words[0] & 15) != MALI_DESCRIPTOR_TYPE_NULL && (words[0] & 15) != MALI_DESCRIPTOR_TYPE_BUFFER)
        return mali_tex_stop(tex, "a descriptor that is none of a buffer", "BUFFER", words);
    a->buffer = mali_unpack_desc_BUFFER(words);
    return true;
}

/* The element that a vertex or an instance takes. A divisor that is no power of two is a fraction of 32 bits, whose upper
 * one is set and not stored. */
static uint64_t element_of(const struct mali_desc_ATTRIBUTE *d, uint32_t number)
{
    switch (d->ATTRIBUTE_TYPE) {
    case MALI_ATTRIBUTE_TYPE_1D_POT_DIVISOR:
        return number >> d->DIVISOR_R;
    case MALI_ATTRIBUTE_TYPE_1D_NPOT_DIVISOR:
        return ((uint64_t)number + d->DIVISOR_E) * (d->DIVISOR_D | 0x80000000u) >> 32 >> d->DIVISOR_R;
    default:
        return number;
    }
}

/* Offsets in the buffer; false: outside. */
static bool find_offset(const struct attribute *a, const struct mali_tex_access *access, unsigned lane,
                        uint64_t *offset_out)
{
    const struct mali_desc_ATTRIBUTE *d = &a->kept->desc;
    bool by_vertex = d->FREQUENCY == MALI_ATTRIBUTE_FREQUENCY_VERTEX;
    uint32_t number = access->source[by_vertex ? 0 : 1][lane];
    if (d->OFFSET_ENABLE)
        number += access->attribute_offset;
    *offset_out = element_of(d, number) * d->STRIDE + (uint64_t)(int64_t)d->OFFSET;
    return *offset_out <= a->buffer.SIZE && a->kept->pixel.size_B <= a->buffer.SIZE - *offset_out;
}

/* The bytes of each lane. */
static bool find_bytes(struct mali_tex *tex, const struct mali_tex_resources *resources,
                       const struct mali_tex_access *access, const struct attribute *a, const void *at[LANES_MAX],
                       uint8_t copies[LANES_MAX][16])
{
    for (unsigned i = 0; i < LANES_MAX; i++)
        at[i] = zeros;
    if (a->kept->pixel.is_constant)
        return true;
    bits_foreach (access->lanes, i) {
        uint64_t offset_B;
        if (!find_offset(a, access, i, &offset_B))
            continue;
        uint64_t va = a->buffer.ADDRESS + offset_B;
        at[i] = mali_tex_bytes(resources->space, va, a->kept->pixel.size_B, copies[i]);
        if (!at[i]) {
            tex->is_fault = true;
            tex->fault_va = va;
            return mali_tex_stop(tex, "an attribute at an address that is not mapped", "ATTRIBUTE", a->kept->words);
        }
    }
    return true;
}

/* Words of 32 bits that go to registers as they are; what is not there is 0, 0 and 1. */
static void return_words(const struct mali_tex_access *access, const struct mali_pixel *pixel,
                         const void *const at[LANES_MAX])
{
    const uint32_t one = pixel->kind == MALI_PIXEL_FLOAT ? float_bits(1) : 1;
    for (unsigned n = 0; n < access->components; n++) {
        uint32_t *row = access->result + (size_t)n * MALI_TEX_LANES;
        bits_foreach (access->lanes, i) {
            if (n < pixel->words)
                memcpy(&row[i], (const uint8_t *)at[i] + 4 * n, 4);
            else
                row[i] = n == 3 ? one : 0;
        }
    }
}

static bool load_attribute(struct mali_tex *tex, const struct mali_tex_resources *resources,
                           const struct mali_tex_access *access)
{
    struct attribute a;
    const void *at[LANES_MAX];
    uint8_t copies[LANES_MAX][16];
    union tex_texel texels[LANES_MAX];
    if (!find_attribute(tex, resources, access->handle, &a) || !find_bytes(tex, resources, access, &a, at, copies))
        return false;
    const struct mali_pixel *pixel = &a.kept->pixel;
    bool is_same = access->regfmt == MALI_TEX_REGFMT_AUTO ||
                   (access->regfmt == MALI_TEX_REGFMT_F32 && pixel->kind == MALI_PIXEL_FLOAT);
    if (pixel->words && is_same) {
        return_words(access, pixel, at);
        return true;
    }
    mali_pixel_load(pixel, texels, at, LANES_MAX);
    mali_tex_return(access->result, texels, pixel->kind, access->regfmt, access->components, access->lanes);
    return true;
}

bool mali_tex_load_attribute(struct mali_tex *tex, const struct mali_tex_resources *resources,
                             const struct mali_tex_access *access)
{
    uint64_t env = mali_tex_enter(tex);
    bool is_done = load_attribute(tex, resources, access);
    mali_tex_leave(env);
    return is_done;
}

bool mali_tex_attribute_address(struct mali_tex *tex, const struct mali_tex_resources *resources,
                                const struct mali_tex_access *access)
{
    struct attribute a;
    uint32_t *low = access->result, *high = low + MALI_TEX_LANES, *conversion = high + MALI_TEX_LANES;
    tex->has_problem = tex->is_fault = false;
    if (!find_attribute(tex, resources, access->handle, &a))
        return false;
    const struct mali_desc_ATTRIBUTE *d = &a.kept->desc;
    uint32_t bits = mali_pixel_pack((struct mali_pixel_bits){d->FORMAT, d->ORDER, d->SRGB});
    bits_foreach (access->lanes, i) {
        uint64_t offset_B, va = 0;
        if (!a.kept->pixel.is_constant && find_offset(&a, access, i, &offset_B))
            va = a.buffer.ADDRESS + offset_B;
        low[i] = (uint32_t)va;
        high[i] = (uint32_t)(va >> 32);
        conversion[i] = va ? bits : 0;
    }
    return true;
}
