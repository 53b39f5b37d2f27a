/* Compression metadata of colour targets: DCC, a byte for 256 bytes; FMASK, which fragment holds each sample's colour;
 * CMASK, which says the same of 8 by 8 pixels of FMASK at once. The model compresses 8 by 8 pixels that are written as
 * a whole: their colours go to fragment 0, and CMASK says so; and, of colours of four bytes, pixels that are, as FMASK
 * says. All else that it writes is expanded, and every sample has a fragment of its own. What drivers write to clear an
 * image is brought to memory when a pixel is first touched. */
#include "amd/model/cb/cb_meta.h"

#include <assert.h>
#include <string.h>

#include "amd/model/register_fields.h"
#include "util/bits.h"

enum {
    CMASK_CLEAR = 0x0,      /* the colour of the clear registers, in fragment 0 */
    CMASK_FMASK_ZERO = 0xc, /* every sample's colour is in fragment 0 */
    CMASK_FMASK = 0xd,      /* from here on FMASK says which fragment: of up to 2, 4 or 8 */
    CMASK_EXPANDED = 0xf,
};

static const char *init_dcc(struct cb_target *target, struct cb_meta *meta, unsigned i, enum amd_gfx gfx,
                            const struct cp_registers *registers)
{
    const struct cb_surface *surface = target->surface;
    if (meta->dcc_generation != surface->generation) {
        meta->dcc_generation = 0;
        if (!amd_meta_init(&meta->dcc, AMD_META_DCC, &surface->layout, GET_AT(CB_COLOR_ATTRIB3, i).DCC_PIPE_ALIGNED) ||
            !meta->dcc.has_equation)
            return "DCC of a surface that cannot have it, or whose equation is not known (CB_COLOR_INFO)";
        meta->dcc_generation = surface->generation;
    }
    target->has_dcc = true;
    target->dcc_va = cb_surface_va(GET_WORD_AT(CB_COLOR_DCC_BASE, i), GET_WORD_AT(CB_COLOR_DCC_BASE_EXT, i)) &
                     ~(uint64_t)(meta->dcc.align_B - 1);
    return NULL;
}

static const char *init_fmask(struct cb_target *target, struct cb_meta *meta, unsigned i,
                              const struct cp_registers *registers, enum amd_gfx gfx)
{
    const struct cb_surface *surface = target->surface;
    struct amd_surface_desc desc = {
        .swizzle = (enum amd_swizzle)GET_AT(CB_COLOR_ATTRIB3, i).FMASK_SW_MODE,
        .dim = AMD_DIM_2D,
        .width = surface->desc.width,
        .height = surface->desc.height,
        .slices = surface->desc.slices,
        .element_B = (uint8_t)amd_fmask_element_B(target->samples, target->samples),
        .samples = 1,
        .levels = 1,
    };
    uint64_t va = cb_surface_va(GET_WORD_AT(CB_COLOR_FMASK, i), GET_WORD_AT(CB_COLOR_FMASK_BASE_EXT, i));
    const char *why = amd_cb_surface_set(&meta->fmask, surface->layout.config.gb_addr_config, desc, va, 0);
    if (why)
        return why;
    if (meta->cmask_generation != meta->fmask.generation) {
        meta->cmask_generation = 0;
        if (!amd_meta_init(&meta->cmask, AMD_META_CMASK, &meta->fmask.layout, true) || !meta->cmask.has_equation)
            return "CMASK of a surface that cannot have it (CB_COLOR_INFO)";
        meta->cmask_generation = meta->fmask.generation;
    }
    target->has_fmask = true;
    target->cmask_va = cb_surface_va(GET_WORD_AT(CB_COLOR_CMASK, i), GET_WORD_AT(CB_COLOR_CMASK_BASE_EXT, i));
    return NULL;
}

const char *amd_cb_meta_init(struct cb_target *target, struct cb_meta *meta, unsigned i, enum amd_gfx gfx,
                             const struct cp_registers *registers)
{
    assert(i < CB_TARGETS);
    struct amd_CB_COLOR_INFO info = GET_AT(CB_COLOR_INFO, i);
    uint32_t words[2] = {GET_WORD_AT(CB_COLOR_CLEAR_WORD0, i), GET_WORD_AT(CB_COLOR_CLEAR_WORD1, i)};
    memset(target->clear_element, 0, sizeof(target->clear_element));
    memcpy(target->clear_element, words, MIN2(target->element_B, sizeof(words)));
    target->cmask_clears = info.FAST_CLEAR;
    const char *why = NULL;
    if (info.DCC_ENABLE)
        why = init_dcc(target, meta, i, gfx, registers);
    if (!why && info.COMPRESSION)
        why = init_fmask(target, meta, i, registers, gfx);
    else if (!why && info.FAST_CLEAR && !info.DCC_ENABLE)
        why = "CMASK without FMASK (CB_COLOR_INFO)";
    target->meta = meta;
    return why;
}

/* ---- CMASK and FMASK ---- */

static bool fill_fragment_0(struct cb *cb, const struct cb_target *target, uint32_t x, uint32_t y, uint32_t slice)
{
    void *host = cb_access(cb, cb_surface_at(target->surface, x, y, slice, 0), target->element_B);
    if (host)
        memcpy(host, target->clear_element, target->element_B);
    return host != NULL;
}

/* The element of a pixel in FMASK, by way of the block found last. NULL: a fault. */
static inline void *find_number(struct cb *cb, const struct cb_surface *fmask, struct cb_block *numbers, uint32_t x,
                                uint32_t y, uint32_t slice)
{
    if (!fmask->has_blocks)
        return cb_access(cb, cb_surface_at(fmask, x, y, slice, 0), fmask->desc.element_B);
    if (!cb_block_is(fmask, numbers, cb->draw, x, y, slice) && !amd_cb_find_pieces(cb, fmask, x, y, slice, numbers))
        return NULL;
    return numbers->host[0] + (numbers->low[0] ^ cb_block_bits(fmask, x, y));
}

/* Bring what CMASK says of 8 by 8 pixels to FMASK. */
static bool expand_cmask(struct cb *cb, unsigned t, uint32_t x, uint32_t y, uint32_t slice)
{
    const struct cb_target *target = &cb->state->targets[t];
    const struct cb_surface *fmask = &target->meta->fmask;
    unsigned bit;
    uint8_t *at = cb_access(cb, target->cmask_va + amd_meta_offset(&target->meta->cmask, x, y, slice, 0, 0, &bit), 1);
    if (!at)
        return false;
    unsigned code = __atomic_load_n(at, __ATOMIC_RELAXED) >> bit & 15;
    if (code >= CMASK_FMASK)
        return true;
    if (code != CMASK_FMASK_ZERO && !(code == CMASK_CLEAR && target->cmask_clears)) {
        cb->why = "colour meets a CMASK code that is not implemented";
        return false;
    }
    struct cb_block numbers = {0};
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t px = (x & ~7u) + i % 8, py = (y & ~7u) + i / 8;
        if (px >= fmask->width || py >= fmask->height)
            continue;
        void *host = find_number(cb, fmask, &numbers, px, py, slice);
        if (!host)
            return false;
        memset(host, 0, fmask->desc.element_B);
        if (code == CMASK_CLEAR && !fill_fragment_0(cb, target, px, py, slice))
            return false;
    }
    /* The other nibble is a neighbour's, which may belong to another worker. */
    __atomic_fetch_or(at, (uint8_t)(CMASK_EXPANDED << bit), __ATOMIC_RELAXED);
    return true;
}

/* Of a sample's fragment number. */
static unsigned fmask_bits(const struct cb_target *target)
{
    return target->samples == 8 ? 4 : target->samples == 4 ? 2 : 1;
}

/* FMASK where every sample has a fragment of its own. */
static uint32_t own_fragments(const struct cb_target *target)
{
    uint32_t own = 0;
    for (unsigned s = 0; s < target->samples; s++)
        own |= s << s * fmask_bits(target);
    return own;
}

/* Give every sample of a pixel a fragment of its own. */
static bool expand_fmask(struct cb *cb, unsigned t, uint32_t x, uint32_t y, uint32_t slice)
{
    const struct cb_target *target = &cb->state->targets[t];
    const struct cb_surface *fmask = &target->meta->fmask;
    unsigned bits = fmask_bits(target);
    uint32_t own = own_fragments(target), value = 0;
    uint8_t colors[8][CB_MAX_ELEMENT_B];
    void *host = cb_access(cb, cb_surface_at(fmask, x, y, slice, 0), fmask->desc.element_B);
    if (!host)
        return false;
    memcpy(&value, host, fmask->desc.element_B);
    if (value == own)
        return true;
    for (unsigned s = 0; s < target->samples; s++) {
        unsigned fragment = value >> s * bits & (unsigned)bits_mask(bits);
        if (fragment >= target->samples || (target->has_dcc && !amd_cb_dcc_expand(cb, t, x, y, slice, fragment)))
            return false;
        const void *from = cb_access(cb, cb_surface_at(target->surface, x, y, slice, fragment), target->element_B);
        if (!from)
            return false;
        memcpy(colors[s], from, target->element_B);
    }
    for (unsigned s = 0; s < target->samples; s++) {
        if (target->has_dcc && !amd_cb_dcc_expand(cb, t, x, y, slice, s))
            return false;
        void *to = cb_access(cb, cb_surface_at(target->surface, x, y, slice, s), target->element_B);
        if (!to)
            return false;
        memcpy(to, colors[s], target->element_B);
    }
    memcpy(host, &own, fmask->desc.element_B);
    return true;
}

bool amd_cb_meta_prepare(struct cb *cb, unsigned t, uint32_t x, uint32_t y, uint32_t slice, unsigned sample)
{
    const struct cb_target *target = &cb->state->targets[t];
    if (target->has_fmask && !(expand_cmask(cb, t, x, y, slice) && expand_fmask(cb, t, x, y, slice)))
        return false;
    return !target->has_dcc || amd_cb_dcc_expand(cb, t, x, y, slice, sample);
}

/* Give every sample of a pixel a fragment of its own: what `numbers` says it has now. */
static inline bool spread_fragments(const struct cb_target *target, const struct cb_block *block, uint32_t low,
                                    uint32_t numbers, size_t element_B)
{
    unsigned bits = fmask_bits(target);
    uint8_t colors[8][CB_MAX_ELEMENT_B];
    if (numbers == 0) { /* after a clear */
        memcpy(colors[0], block->host[0] + (block->low[0] ^ low), element_B);
        for (unsigned s = 1; s < target->samples; s++)
            memcpy(block->host[s] + (block->low[s] ^ low), colors[0], element_B);
        return true;
    }
    for (unsigned s = 0; s < target->samples; s++) {
        unsigned fragment = numbers >> s * bits & (unsigned)bits_mask(bits);
        if (fragment >= target->samples)
            return false;
        memcpy(colors[s], block->host[fragment] + (block->low[fragment] ^ low), element_B);
    }
    for (unsigned s = 0; s < target->samples; s++)
        memcpy(block->host[s] + (block->low[s] ^ low), colors[s], element_B);
    return true;
}

/* The FMASK of a block whose DCC is expanded. `element_B` is a constant wherever this is called: copies of an unknown
 * size would be calls. */
static inline __attribute__((always_inline)) bool expand_fmask_elements(struct cb *cb, const struct cb_target *target,
                                                                        const struct cb_block *block, size_t element_B)
{
    const struct cb_surface *surface = target->surface, *fmask = &target->meta->fmask;
    uint32_t own = own_fragments(target), size = 1u << surface->block_log2;
    size_t number_B = fmask->desc.element_B;
    struct cb_block numbers = {0};
    for (uint32_t i = 0; i < size * size; i++) {
        uint32_t x = block->x + i % size, y = block->y + i / size, value = 0;
        if (x >= surface->width || y >= surface->height)
            continue;
        uint8_t *number = find_number(cb, fmask, &numbers, x, y, block->slice);
        if (!number)
            return false;
        for (size_t n = 0; n < number_B; n++)
            value |= (uint32_t)number[n] << n * 8;
        if (value == own)
            continue;
        if (!spread_fragments(target, block, cb_block_bits(surface, x, y), value, element_B))
            return false;
        for (size_t n = 0; n < number_B; n++)
            number[n] = (uint8_t)(own >> n * 8);
    }
    return true;
}

static bool expand_fmask_block(struct cb *cb, const struct cb_target *target, const struct cb_block *block)
{
    switch (target->element_B) {
    case 1:
        return expand_fmask_elements(cb, target, block, 1);
    case 2:
        return expand_fmask_elements(cb, target, block, 2);
    case 4:
        return expand_fmask_elements(cb, target, block, 4);
    case 8:
        return expand_fmask_elements(cb, target, block, 8);
    default:
        return expand_fmask_elements(cb, target, block, 16);
    }
}

/* ---- 8 by 8 pixels whose colours are all in fragment 0, as after a clear ---- */

/* Elements of a block that are all the same. */
static void fill_elements(const struct cb_surface *surface, const struct cb_block *block, const void *value)
{
    uint8_t *host = block->host[0];
    for (unsigned i = 0; i < 64; i++) {
        uint8_t *to = host + (block->low[0] ^ cb_block_bits(surface, i % 8, i / 8));
        if (surface->desc.element_B == 1)
            memcpy(to, value, 1); /* of FMASK, mostly: a store in place of a call */
        else
            memcpy(to, value, surface->desc.element_B);
    }
}

static void copy_fragment_0(const struct cb_target *target, const struct cb_block *block)
{
    const struct cb_surface *surface = target->surface;
    for (unsigned s = 1; s < target->samples; s++) {
        if (block->low[s] == block->low[0] && surface->block_B == 64u * target->element_B) {
            memcpy(block->host[s], block->host[0], surface->block_B);
            continue;
        }
        for (unsigned i = 0; i < 64; i++) {
            uint32_t bits = cb_block_bits(surface, i % 8, i / 8);
            memcpy(block->host[s] + (block->low[s] ^ bits), block->host[0] + (block->low[0] ^ bits), target->element_B);
        }
    }
}

/* Both at once, without FMASK that says so: CMASK and FMASK expanded, the fragments equal. *done: that was so. Only
 * pixels that are all in the surface, and whose elements are blocks of the same size. */
static bool spread_cleared(struct cb *cb, unsigned t, uint32_t x, uint32_t y, uint32_t slice, bool *done)
{
    const struct cb_target *target = &cb->state->targets[t];
    const struct cb_surface *surface = target->surface, *fmask = &target->meta->fmask;
    unsigned bit;
    *done = false;
    if (!fmask->has_blocks || fmask->block_log2 != 3 || surface->block_log2 != 3 || x + 8 > surface->width ||
        y + 8 > surface->height)
        return true;
    uint8_t *at = cb_access(cb, target->cmask_va + amd_meta_offset(&target->meta->cmask, x, y, slice, 0, 0, &bit), 1);
    if (!at)
        return false;
    unsigned code = __atomic_load_n(at, __ATOMIC_RELAXED) >> bit & 15;
    if (code != CMASK_FMASK_ZERO && !(code == CMASK_CLEAR && target->cmask_clears))
        return true;
    struct cb_block colors, numbers;
    if (!amd_cb_find_pieces(cb, surface, x, y, slice, &colors) || !amd_cb_find_pieces(cb, fmask, x, y, slice, &numbers))
        return false;
    if (code == CMASK_CLEAR)
        fill_elements(surface, &colors, target->clear_element);
    if (target->has_dcc && !amd_cb_dcc_expand_samples(cb, t, x, y, slice, 0, target->samples, false))
        return false;
    copy_fragment_0(target, &colors);
    const uint32_t own = own_fragments(target);
    fill_elements(fmask, &numbers, &own);
    /* The other nibble is a neighbour's, which may belong to another worker. */
    __atomic_fetch_or(at, (uint8_t)(CMASK_EXPANDED << bit), __ATOMIC_RELAXED);
    *done = true;
    return true;
}

/* Of pixels whose FMASK is kept one by one: CMASK leaves all to FMASK, whose numbers are 0 or each sample's own. */
static bool prepare_pixels(struct cb *cb, unsigned t, uint32_t x, uint32_t y, uint32_t slice)
{
    const struct cb_target *target = &cb->state->targets[t];
    struct cb_block colors;
    unsigned bit;
    uint8_t *at = cb_access(cb, target->cmask_va + amd_meta_offset(&target->meta->cmask, x, y, slice, 0, 0, &bit), 1);
    if (!at || !amd_cb_find_pieces(cb, target->surface, x, y, slice, &colors) ||
        !amd_cb_meta_find_numbers(cb, target, &colors))
        return false;
    const unsigned code = __atomic_load_n(at, __ATOMIC_RELAXED) >> bit & 15;
    if (code >= CMASK_FMASK) {
        if (target->has_dcc && !amd_cb_dcc_expand_samples(cb, t, x, y, slice, 0, target->samples, false))
            return false;
        const uint8_t own = amd_cb_meta_own(target);
        bool is_odd = false;
        for (unsigned i = 0; i < 64; i++)
            is_odd |= cb_block_numbers(&colors)[i] != 0 && cb_block_numbers(&colors)[i] != own;
        return !is_odd || expand_fmask_block(cb, target, &colors);
    }
    if (code != CMASK_FMASK_ZERO && !(code == CMASK_CLEAR && target->cmask_clears)) {
        cb->why = "colour meets a CMASK code that is not implemented";
        return false;
    }
    if (code == CMASK_CLEAR)
        fill_elements(target->surface, &colors, target->clear_element);
    /* Nothing is in the other fragments. */
    if (target->has_dcc && (!amd_cb_dcc_expand_samples(cb, t, x, y, slice, 0, 1, false) ||
                            !amd_cb_dcc_expand_samples(cb, t, x, y, slice, 1, target->samples, true)))
        return false;
    memset(cb_block_numbers(&colors), 0, 64);
    /* The other nibble is a neighbour's, which may belong to another worker. */
    __atomic_fetch_or(at, (uint8_t)(CMASK_EXPANDED << bit), __ATOMIC_RELAXED);
    return true;
}

bool amd_cb_meta_prepare_block(struct cb *cb, unsigned t, uint32_t x, uint32_t y, uint32_t slice, bool overwritten)
{
    const struct cb_target *target = &cb->state->targets[t];
    bool done = false;
    x &= ~7u;
    y &= ~7u;
    if (target->by_pixel)
        return prepare_pixels(cb, t, x, y, slice);
    if (overwritten && amd_cb_dcc_is_one_code(target))
        return amd_cb_dcc_expand_samples(cb, t, x, y, slice, 0, 1, true);
    if (target->has_fmask && !spread_cleared(cb, t, x, y, slice, &done))
        return false;
    if (done)
        return true;
    if (target->has_fmask && !expand_cmask(cb, t, x, y, slice))
        return false;
    if (target->has_dcc &&
        !amd_cb_dcc_expand_samples(cb, t, x, y, slice, 0, target->samples, overwritten && target->samples == 1))
        return false;
    uint32_t size = 1u << target->surface->block_log2;
    for (uint32_t i = 0; target->has_fmask && i < 64; i++) {
        uint32_t px = x + i % 8, py = y + i / 8;
        struct cb_block block;
        if (!target->meta->fmask.has_blocks) {
            if (px < target->surface->width && py < target->surface->height && !expand_fmask(cb, t, px, py, slice))
                return false;
        } else if (!((px | py) & (size - 1)) && (!amd_cb_find_pieces(cb, target->surface, px, py, slice, &block) ||
                                                 !expand_fmask_block(cb, target, &block))) {
            return false;
        }
    }
    return true;
}

/* Pixels of a quad whose samples are all in fragment 0, as bits; 16: one is neither that nor expanded. */
static unsigned first_of_quad(const uint8_t numbers[4], uint8_t own)
{
    unsigned first = 0;
    for (unsigned p = 0; p < 4; p++) {
        first |= (unsigned)(numbers[p] == 0) << p;
        if (numbers[p] != 0 && numbers[p] != own)
            return 16;
    }
    return first;
}

/* Of a block whose FMASK counts. *is_odd_out: some pixels are neither in fragment 0 nor expanded. */
static uint64_t find_first(const struct cb_target *target, const struct cb_block *numbers, bool *is_odd_out)
{
    const struct cb_surface *fmask = &target->meta->fmask;
    const uint8_t own = (uint8_t)own_fragments(target);
    uint64_t first = 0, words[8];
    *is_odd_out = false;
    memcpy(words, numbers->host[0] + (numbers->low[0] & ~63u), sizeof(words));
    if (!(words[0] | words[1] | words[2] | words[3] | words[4] | words[5] | words[6] | words[7]))
        return UINT64_MAX;
    for (unsigned q = 0; q < 16; q++) {
        const uint32_t low = numbers->low[0] ^ fmask->block_x[q % 4 * 2] ^ fmask->block_y[q / 4 * 2];
        uint8_t of_quad[4];
        for (unsigned p = 0; p < 4; p++)
            of_quad[p] = numbers->host[0][low ^ fmask->quad_xor[p]];
        const unsigned bits = first_of_quad(of_quad, own);
        *is_odd_out |= bits & 16;
        first |= (uint64_t)(bits & 15) << q * 4;
    }
    return first;
}

static bool amd_cb_meta_counts_blocks(const struct cb_target *target)
{
    const struct cb_surface *surface = target->surface, *fmask = &target->meta->fmask;
    return surface->has_blocks && surface->block_log2 == 3 && fmask->has_blocks && fmask->block_log2 == 3 &&
           fmask->block_is_row && fmask->desc.element_B == 1;
}

bool amd_cb_meta_by_pixel(const struct cb_target *target)
{
    return target->has_fmask && target->whole && target->bytes4 && !target->blend && !target->rop &&
           amd_cb_meta_counts_blocks(target) && target->meta->fmask.quad_is_row;
}

uint8_t amd_cb_meta_own(const struct cb_target *target)
{
    return (uint8_t)own_fragments(target);
}

bool amd_cb_meta_find_numbers(struct cb *cb, const struct cb_target *target, struct cb_block *block)
{
    const uint64_t va = cb_surface_at(&target->meta->fmask, block->x, block->y, block->slice, 0);
    block->host[CB_NUMBERS] = cb_access(cb, va & ~(uint64_t)63, 64);
    return block->host[CB_NUMBERS];
}

bool amd_cb_meta_read_block(struct cb *cb, unsigned t, uint32_t x, uint32_t y, uint32_t slice, uint64_t *first_out)
{
    const struct cb_target *target = &cb->state->targets[t];
    unsigned bit;
    *first_out = 0;
    if (target->has_fmask) {
        struct cb_block numbers;
        bool is_odd = false;
        const uint8_t *at =
            cb_access(cb, target->cmask_va + amd_meta_offset(&target->meta->cmask, x, y, slice, 0, 0, &bit), 1);
        if (!at)
            return false;
        const unsigned code = __atomic_load_n(at, __ATOMIC_RELAXED) >> bit & 15;
        *first_out = UINT64_MAX;
        if (code != CMASK_FMASK_ZERO && !amd_cb_meta_counts_blocks(target)) {
            is_odd = true;
        } else if (code != CMASK_FMASK_ZERO) {
            if (!expand_cmask(cb, t, x, y, slice) ||
                !amd_cb_find_pieces(cb, &target->meta->fmask, x, y, slice, &numbers))
                return false;
            *first_out = find_first(target, &numbers, &is_odd);
        }
        if (is_odd) {
            *first_out = 0;
            return amd_cb_meta_prepare_block(cb, t, x, y, slice, false);
        }
    }
    return !target->has_dcc ||
           amd_cb_dcc_expand_samples(cb, t, x, y, slice, 0, *first_out == UINT64_MAX ? 1 : target->samples, false);
}

bool amd_cb_meta_join(struct cb *cb, unsigned t, uint32_t x, uint32_t y, uint32_t slice, bool *joined_out)
{
    const struct cb_target *target = &cb->state->targets[t];
    const struct cb_surface *surface = target->surface;
    unsigned bit;
    *joined_out = target->has_fmask && surface->has_blocks && surface->block_log2 == 3 && x + 8 <= surface->width &&
                  y + 8 <= surface->height;
    if (!*joined_out)
        return true;
    uint8_t *at = cb_access(cb, target->cmask_va + amd_meta_offset(&target->meta->cmask, x, y, slice, 0, 0, &bit), 1);
    if (!at || (target->has_dcc && !amd_cb_dcc_expand_samples(cb, t, x, y, slice, 0, 1, true)))
        return false;
    /* The other nibble is a neighbour's, which may belong to another worker. */
    __atomic_fetch_or(at, (uint8_t)(CMASK_FMASK_ZERO << bit), __ATOMIC_RELAXED);
    __atomic_fetch_and(at, (uint8_t) ~((CMASK_EXPANDED & ~CMASK_FMASK_ZERO) << bit), __ATOMIC_RELAXED);
    /* Whoever writes some of them next expands them again. */
    cb_tile_at(cb, t, x, y, slice)->known &= ~(1ull << ((y >> 3 & 7) * 8 + (x >> 3 & 7)));
    cb_block_slot(&cb->blocks[t], surface, x, y)->draw = 0;
    return true;
}

bool amd_cb_meta_prepare_blocks(struct cb *cb, unsigned t, const struct raster_tile *at, uint32_t slice,
                                uint64_t blocks, bool overwritten)
{
    const struct cb_target *target = &cb->state->targets[t];
    struct cb_tile *tile = cb_tile_at(cb, t, (uint32_t)at->x, (uint32_t)at->y, slice);
    const bool keeps_none = overwritten && (target->surface->fills_units || blocks == UINT64_MAX);
    blocks &= ~tile->known;
    tile->known |= blocks;
    if (blocks && target->has_dcc)
        blocks = amd_cb_dcc_expand_blocks(cb, t, tile, blocks, keeps_none);
    bits_foreach (blocks, b) {
        if (!amd_cb_meta_prepare_block(cb, t, (uint32_t)at->x + (uint32_t)b % 8 * 8,
                                       (uint32_t)at->y + (uint32_t)b / 8 * 8, slice, overwritten))
            return false;
    }
    return true;
}

bool amd_cb_meta_expand(struct cb *cb, uint32_t x, uint32_t y, uint32_t layer)
{
    bits_foreach (cb->state->used, t) {
        const struct cb_target *target = &cb->state->targets[t];
        uint32_t slice = MIN2(target->slice_start + layer, target->slice_max);
        bool blocks = target->surface->has_blocks;
        if (blocks && amd_cb_is_known(cb, (unsigned)t, x, y, slice))
            continue;
        if (target->has_fmask && !expand_cmask(cb, (unsigned)t, x, y, slice))
            return false;
        if (blocks && target->has_dcc &&
            !amd_cb_dcc_expand_samples(cb, (unsigned)t, x & ~7u, y & ~7u, slice, 0, target->samples, false))
            return false;
        for (unsigned s = 0; !blocks && target->has_dcc && s < target->samples; s++) {
            if (!amd_cb_dcc_expand(cb, (unsigned)t, x, y, slice, s))
                return false;
        }
    }
    return true;
}
