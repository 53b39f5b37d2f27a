/* LD_ATTR and LEA_ATTR: an attribute descriptor says how a vertex and an instance become an address in a buffer, and
 * what lies there. A number outside of the buffer reads as zero bytes. */
#include "mali/model/tex/unit.h"

#include <string.h>

#include "util/bits.h"

static const uint8_t zeros[16];

#define PLAIN_B (256u << 10) /* from the first to the last lane's bytes: pages are looked at one by one */

/* ---- descriptors ---- */

/* Decodes the words. False: stopped. */
static bool decode_words(struct mali_tex *tex, const uint32_t *words, struct mali_tex_attribute *a)
{
    a->d = mali_unpack_desc_ATTRIBUTE(words);
    if (a->d.TYPE == MALI_DESCRIPTOR_TYPE_NULL) {
        a->pixel = (struct mali_pixel){.is_constant = true, .in_order = true};
        return true;
    }
    if (a->d.TYPE != MALI_DESCRIPTOR_TYPE_ATTRIBUTE)
        return mali_tex_stop(tex, "a descriptor that is none of an attribute", "ATTRIBUTE", words);
    if (a->d.BYTES_REVERSED || a->d.ATTRIBUTE_TYPE < MALI_ATTRIBUTE_TYPE_1D ||
        a->d.ATTRIBUTE_TYPE > MALI_ATTRIBUTE_TYPE_1D_NPOT_DIVISOR)
        return mali_tex_stop(tex, "an attribute of a type that is not implemented here", "ATTRIBUTE", words);
    return mali_pixel_init(&a->pixel, (struct mali_pixel_bits){a->d.FORMAT, a->d.ORDER, a->d.SRGB}) ||
           mali_tex_stop(tex, "a format that is not implemented for attributes", "ATTRIBUTE", words);
}

/* Descriptors are few, and unpacked once: what the unit knows of one holds while its words are the same. NULL:
 * stopped. */
static const struct mali_tex_attribute *find_attribute(struct mali_tex *tex, const struct mali_tex_resources *resources,
                                                       uint32_t handle)
{
    struct mali_tex_attribute *a = &tex->attributes[handle % ARRAY_SIZE(tex->attributes)];
    const uint32_t *words = resources->find(resources->context, handle);
    if (!words)
        return NULL;
    if (!a->is_known || memcmp(a->words, words, sizeof(a->words)) != 0) {
        *a = (struct mali_tex_attribute){0};
        if (!decode_words(tex, words, a))
            return NULL;
        memcpy(a->words, words, sizeof(a->words));
        a->is_known = true;
    }
    if (a->d.TYPE == MALI_DESCRIPTOR_TYPE_NULL)
        return a;
    words = resources->find(resources->context, a->d.TABLE << 24 | a->d.BUFFER_INDEX);
    if (!words)
        return NULL;
    if (memcmp(a->buffer_words, words, sizeof(a->buffer_words)) == 0)
        return a;
    if ((words[0] & 15) != MALI_DESCRIPTOR_TYPE_NULL && (words[0] & 15) != MALI_DESCRIPTOR_TYPE_BUFFER) {
        mali_tex_stop(tex, "a descriptor that is none of a buffer", "BUFFER", words);
        return NULL;
    }
    memcpy(a->buffer_words, words, sizeof(a->buffer_words));
    a->buffer = mali_unpack_desc_BUFFER(words);
    return a;
}

/* ---- lanes ---- */

/* The element that a vertex or an instance takes. A divisor that is no power of two is a fraction of 32 bits, whose
 * upper one is set and not stored. */
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
static bool find_offset(const struct mali_tex_attribute *a, const struct mali_tex_access *access, unsigned lane,
                        uint64_t *offset_out)
{
    bool by_vertex = a->d.FREQUENCY == MALI_ATTRIBUTE_FREQUENCY_VERTEX;
    uint32_t number = access->source[by_vertex ? 0 : 1][lane];
    if (a->d.OFFSET_ENABLE)
        number += access->attribute_offset;
    *offset_out = element_of(&a->d, number) * a->d.STRIDE + (uint64_t)(int64_t)a->d.OFFSET;
    return *offset_out <= a->buffer.SIZE && a->pixel.size_B <= a->buffer.SIZE - *offset_out;
}

/* ---- words as they are ---- */

/* Whether a load takes words of 32 bits as they are in memory, as most attributes are. */
static bool is_plain(const struct mali_tex_attribute *a, const struct mali_tex_access *access)
{
    const struct mali_pixel *pixel = &a->pixel;
    const unsigned channels = (unsigned)__builtin_popcount(pixel->present);
    const bool is_same = access->regfmt == MALI_TEX_REGFMT_AUTO ||
                         (access->regfmt == MALI_TEX_REGFMT_F32 && pixel->kind == MALI_PIXEL_FLOAT) ||
                         (access->regfmt == MALI_TEX_REGFMT_U32 && pixel->kind == MALI_PIXEL_UINT) ||
                         (access->regfmt == MALI_TEX_REGFMT_S32 && pixel->kind == MALI_PIXEL_SINT);
    return is_same && pixel->in_order && !pixel->at_B && !pixel->is_constant && pixel->size_B == 4 * channels &&
           pixel->present == (1u << channels) - 1 &&
           (pixel->numeric == FORMAT_NUMERIC_SFLOAT || pixel->numeric == FORMAT_NUMERIC_UINT ||
            pixel->numeric == FORMAT_NUMERIC_SINT);
}

/* False, and nothing was done: a lane is outside, or the bytes do not all lie in plain memory. */
static bool load_plain(const struct gpu_space *space, const struct mali_tex_attribute *a,
                       const struct mali_tex_access *access)
{
    const unsigned channels = a->pixel.size_B / 4;
    const uint32_t one = a->pixel.kind == MALI_PIXEL_FLOAT ? float_bits(1) : 1;
    uint64_t offsets_B[LANES_MAX], low = UINT64_MAX, high = 0;
    bits_foreach (access->lanes, i) {
        if (!find_offset(a, access, (unsigned)i, &offsets_B[i]))
            return false;
        low = MIN2(low, offsets_B[i]);
        high = MAX2(high, offsets_B[i]);
    }
    const uint64_t va = a->buffer.ADDRESS + low, size_B = high - low + a->pixel.size_B;
    const uint8_t *host = size_B <= PLAIN_B ? gpu_space_whole(space, va, size_B, GPU_PERM_READ) : NULL;
    if (!host)
        return false;
    bits_foreach (access->lanes, i) {
        const uint8_t *at = host + (offsets_B[i] - low);
        for (unsigned c = 0; c < access->components; c++) {
            uint32_t word = c == 3 ? one : 0;
            if (c < channels)
                memcpy(&word, at + 4 * c, 4);
            access->result[c * MALI_TEX_LANES + i] = word;
        }
    }
    return true;
}

static bool load_attribute(struct mali_tex *tex, const struct mali_tex_resources *resources,
                           const struct mali_tex_access *access)
{
    const void *at[LANES_MAX];
    uint8_t copies[LANES_MAX][16];
    union tex_texel texels[LANES_MAX];
    const struct mali_tex_attribute *a = find_attribute(tex, resources, access->handle);
    if (!a)
        return false;
    if (access->lanes && !tex->actor && is_plain(a, access) && load_plain(resources->space, a, access))
        return true;
    for (unsigned i = 0; i < LANES_MAX; i++)
        at[i] = zeros;
    bits_foreach (access->lanes, i) {
        uint64_t offset_B;
        if (a->pixel.is_constant || !find_offset(a, access, i, &offset_B))
            continue;
        uint64_t va = a->buffer.ADDRESS + offset_B;
        at[i] = mali_tex_bytes(resources->space, va, a->pixel.size_B, copies[i]);
        mali_tex_note(tex, va, a->pixel.size_B);
        if (!at[i]) {
            tex->is_fault = true;
            tex->fault_va = va;
            return mali_tex_stop(tex, "an attribute at an address that is not mapped", "ATTRIBUTE", a->words);
        }
    }
    mali_pixel_load(&a->pixel, texels, at, LANES_MAX);
    mali_tex_return(access->result, texels, a->pixel.kind, access->regfmt, access->components, access->lanes);
    return true;
}

bool mali_tex_load_attribute(struct mali_tex *tex, const struct mali_tex_resources *resources,
                             const struct mali_tex_access *access)
{
    uint64_t env = mali_tex_enter(tex, MALI_CLIENT_ATTRIBUTE);
    bool is_done = load_attribute(tex, resources, access);
    mali_tex_leave(env);
    return is_done;
}

bool mali_tex_attribute_address(struct mali_tex *tex, const struct mali_tex_resources *resources,
                                const struct mali_tex_access *access)
{
    uint32_t *low = access->result, *high = low + MALI_TEX_LANES, *conversion = high + MALI_TEX_LANES;
    tex->has_problem = tex->is_fault = false;
    const struct mali_tex_attribute *a = find_attribute(tex, resources, access->handle);
    if (!a)
        return false;
    uint32_t bits = mali_pixel_pack((struct mali_pixel_bits){a->d.FORMAT, a->d.ORDER, a->d.SRGB});
    bits_foreach (access->lanes, i) {
        uint64_t offset_B, va = MALI_TEX_NOWHERE;
        if (!a->pixel.is_constant && find_offset(a, access, i, &offset_B))
            va = a->buffer.ADDRESS + offset_B;
        low[i] = (uint32_t)va;
        high[i] = (uint32_t)(va >> 32);
        conversion[i] = bits;
    }
    return true;
}
