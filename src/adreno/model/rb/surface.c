/* See surface.h. */
#include "adreno/model/rb/surface.h"

#include <string.h>

#include "adreno/hw/tiling/surface.h"
#include "adreno/model/coherence.h"
#include "util/bits.h"

const char *adreno_rb_surface_memory(struct adreno_rb_surface *surface, const struct adreno_chip *chip,
                                     enum adreno_TILE_MODE tile_mode, uint64_t va, uint32_t pitch_B, uint64_t layer_B,
                                     uint32_t sample_B, unsigned samples_log2)
{
    *surface = (struct adreno_rb_surface){
        .base = va,
        .pitch_B = pitch_B,
        .layer_B = layer_B,
        .element_B = sample_B << samples_log2,
        .sample_B = (uint8_t)sample_B,
        .samples_log2 = (uint8_t)samples_log2,
    };
    if (tile_mode == ADRENO_TILE_MODE_LINEAR)
        return NULL;
    if (tile_mode != ADRENO_TILE_MODE_TILE6_3)
        return "memory has no such tile mode";
    if (!is_power_of_two(sample_B))
        return "a tiled format whose size is not a power of two";
    surface->is_tiled = true;
    surface->tile = adreno_tile_init(chip, surface->element_B, pitch_B);
    return NULL;
}

const char *adreno_rb_surface_gmem(struct adreno_rb_surface *surface, uint8_t *gmem, uint32_t gmem_size_B,
                                   uint32_t offset_B, uint32_t bin_width, uint32_t bin_height, uint32_t sample_B,
                                   unsigned samples_log2)
{
    *surface = (struct adreno_rb_surface){
        .gmem = gmem,
        .gmem_size_B = gmem_size_B,
        .base = offset_B,
        .element_B = sample_B << samples_log2,
        .sample_B = (uint8_t)sample_B,
        .samples_log2 = (uint8_t)samples_log2,
    };
    surface->pitch_B = bin_width * surface->element_B;
    surface->layer_B = (uint64_t)surface->pitch_B * bin_height;
    return bin_width ? NULL : "a surface in GMEM, of bins without a width";
}

static struct adreno_ubwc ubwc_of(const struct gpu_space *space, const struct adreno_rb_surface *surface,
                                  uint32_t layer)
{
    return (struct adreno_ubwc){.space = space,
                                .tile = &surface->tile,
                                .texels_va = surface->base + layer * surface->layer_B,
                                .flags_va = surface->flag_base + layer * surface->flag_layer_B,
                                .flag_pitch_B = surface->flag_pitch_B};
}

void adreno_rb_surface_flags(struct adreno_rb_surface *surface, uint64_t va, uint32_t pitch_B, uint64_t layer_B,
                             bool is_two_bytes)
{
    const struct adreno_flag_block block = adreno_flag_block(surface->sample_B, surface->samples_log2);
    /* Two bytes of two channels have blocks of their own, unless the image can be seen as another format, which no
     * register says: then flags stay as they are. */
    if (!surface->is_tiled || is_two_bytes || !block.w_log2)
        return;
    surface->flag_base = va;
    surface->flag_pitch_B = pitch_B;
    surface->flag_layer_B = layer_B;
    surface->flag_w_log2 = block.w_log2;
    surface->flag_h_log2 = block.h_log2;
    const struct adreno_ubwc ubwc = ubwc_of(NULL, surface, 0);
    surface->has_marks = adreno_ubwc_has_marks(&ubwc, surface->sample_B, block.w_log2, block.h_log2) &&
                         layer_B % 2 == 0 && surface->layer_B % ADRENO_MACROTILE_B == 0;
}

void adreno_rb_access_init(struct adreno_rb_access *access, const struct adreno_rb_surface *surface,
                           const struct gpu_space *space, struct adreno_rb_fault *fault, bool is_write)
{
    access->surface = surface;
    access->space = space;
    access->fault = fault;
    access->coherence = NULL;
    access->is_write = is_write;
    memset(access->valid, 0, sizeof(access->valid));
}

static uint8_t *set_fault(struct adreno_rb_access *access, uint64_t va, bool is_gmem)
{
    if (!access->fault->is_set)
        *access->fault =
            (struct adreno_rb_fault){.is_set = true, .is_write = access->is_write, .is_gmem = is_gmem, .va = va};
    return NULL;
}

void adreno_rb_access_check(struct adreno_rb_access *access, struct coherence_actor *coherence, unsigned client,
                            unsigned target, bool is_write)
{
    if (access->surface->gmem && client != ADRENO_CLIENT_A2D_SOURCE)
        client = ADRENO_CLIENT_GMEM;
    access->coherence = coherence;
    access->client = (uint8_t)client;
    access->target = (uint8_t)target;
    access->is_noted_write = is_write;
}

void adreno_rb_note(const struct adreno_rb_access *access, uint32_t layer, uint64_t va, uint64_t size_B)
{
    const unsigned view = adreno_ccu_view(access->target, layer);
    if (access->is_noted_write)
        coherence_write(access->coherence, access->client, view, va, size_B);
    else
        coherence_read(access->coherence, access->client, view, va, size_B);
}

static uint8_t *find_host(struct adreno_rb_access *access, uint64_t va, uint32_t size_B)
{
    const unsigned need = access->is_write ? GPU_PERM_READ | GPU_PERM_WRITE : GPU_PERM_READ;
    void *host = gpu_space_pointer(access->space, va, size_B, need);
    if (host)
        return host;
    switch (gpu_space_resolve(access->space, va, size_B, need, &host)) {
    case GPU_ACCESS_MEMORY:
        return host;
    case GPU_ACCESS_ZERO:
        return memset(access->lost, 0, sizeof(access->lost));
    case GPU_ACCESS_FAULT:
        break;
    }
    return set_fault(access, va, false);
}

static uint8_t *find_memory(struct adreno_rb_access *access, uint32_t layer, uint64_t va, uint32_t size_B)
{
    if (__builtin_expect(access->coherence != NULL, 0))
        adreno_rb_note(access, layer, va, size_B);
    return find_host(access, va, size_B);
}

static uint8_t *find_gmem(struct adreno_rb_access *access, int32_t x, int32_t y, uint32_t layer)
{
    const struct adreno_rb_surface *surface = access->surface;
    x -= surface->origin_x;
    y -= surface->origin_y;
    const uint64_t at_B = adreno_gmem_offset_B(surface->base + layer * surface->layer_B, surface->pitch_B,
                                               surface->element_B, (uint32_t)x, (uint32_t)y);
    if (x < 0 || y < 0 || (uint64_t)(x + 1) * surface->element_B > surface->pitch_B ||
        at_B + surface->element_B > surface->gmem_size_B)
        return set_fault(access, at_B, true);
    if (__builtin_expect(access->coherence != NULL, 0))
        adreno_rb_note(access, layer, ADRENO_COHERENCE_GMEM + at_B, surface->element_B);
    return surface->gmem + at_B;
}

/* ---- UBWC ---- */

/* Macrotiles that are written in part only. */
static void open_edges(const struct adreno_rb_access *access, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                       uint32_t layer)
{
    const struct adreno_rb_surface *surface = access->surface;
    const struct adreno_ubwc ubwc = ubwc_of(access->space, surface, layer);
    const uint32_t w_log2 = surface->tile.block_w_log2, h_log2 = surface->tile.block_h_log2;
    const uint32_t column = x >> w_log2, row = y >> h_log2, columns = (x + width + (1u << w_log2) - 1) >> w_log2,
                   rows = (y + height + (1u << h_log2) - 1) >> h_log2;
    const uint32_t x_mask = (2u << w_log2) - 1, y_mask = (4u << h_log2) - 1;
    if (y & y_mask || (y + height) & y_mask) {
        adreno_ubwc_open(&ubwc, column, row, columns, rows);
        return;
    }
    if (x & x_mask)
        adreno_ubwc_open(&ubwc, column, row, column + 1, rows);
    if ((x + width) & x_mask)
        adreno_ubwc_open(&ubwc, columns - 1, row, columns, rows);
    for (uint32_t at = row; at < rows; at += 4)
        adreno_ubwc_own(&ubwc, column / 2, (columns + 1) / 2, at / 4);
}

void adreno_rb_open(const struct adreno_rb_access *access, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    const struct adreno_rb_surface *surface = access->surface;
    const struct adreno_ubwc ubwc = ubwc_of(access->space, surface, 0);
    const uint32_t w_log2 = surface->tile.block_w_log2, h_log2 = surface->tile.block_h_log2;
    if (surface->has_marks)
        adreno_ubwc_open(&ubwc, x >> w_log2, y >> h_log2, ((x + width - 1) >> w_log2) + 1,
                         ((y + height - 1) >> h_log2) + 1);
}

bool adreno_rb_may_have_colors(const struct adreno_rb_access *access, uint32_t x, uint32_t y, uint32_t width)
{
    const struct adreno_rb_surface *surface = access->surface;
    const struct adreno_ubwc ubwc = ubwc_of(access->space, surface, 0);
    const uint32_t w_log2 = surface->tile.block_w_log2;
    return surface->has_marks && !access->coherence &&
           adreno_ubwc_any(&ubwc, x >> w_log2, ((x + width - 1) >> w_log2) + 1, y >> surface->tile.block_h_log2);
}

bool adreno_rb_macrotile_color(const struct adreno_rb_access *access, uint32_t x, uint32_t y,
                               uint8_t color[ADRENO_UBWC_COLOR_B])
{
    const struct adreno_rb_surface *surface = access->surface;
    const struct adreno_ubwc ubwc = ubwc_of(access->space, surface, 0);
    return adreno_ubwc_color(&ubwc, x >> surface->tile.block_w_log2, y >> surface->tile.block_h_log2, color);
}

bool adreno_rb_mark(const struct adreno_rb_access *access, uint8_t *rows, uint32_t row_number, uint32_t row_count,
                    uint32_t first, uint32_t end, const uint8_t color[ADRENO_UBWC_COLOR_B])
{
    const struct adreno_ubwc ubwc = ubwc_of(access->space, access->surface, 0);
    /* Who follows caches sees every byte that is written. */
    return access->surface->has_marks && !access->coherence && adreno_ubwc_is_color(color) &&
           adreno_ubwc_mark(&ubwc, rows, row_number, row_count, first, end, color);
}

/* Several workers may write the same flag, and the same value; most often it is there already. */
static void set_plain(uint8_t *flags, uint32_t count)
{
    uint32_t i = 0;
    for (uint64_t eight; i + sizeof(eight) <= count; i += sizeof(eight)) {
        memcpy(&eight, flags + i, sizeof(eight));
        if (eight != ADRENO_UBWC_PLAIN * 0x0101010101010101ull)
            break;
    }
    for (; i < count; i++) {
        if (__atomic_load_n(flags + i, __ATOMIC_RELAXED) != ADRENO_UBWC_PLAIN)
            __atomic_store_n(flags + i, ADRENO_UBWC_PLAIN, __ATOMIC_RELAXED);
    }
}

bool adreno_rb_set_flags(struct adreno_rb_access *access, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                         uint32_t layer)
{
    const struct adreno_rb_surface *surface = access->surface;
    if (!surface->flag_base)
        return true;
    if (surface->has_marks)
        open_edges(access, x, y, width, height, layer);
    const uint32_t x_end = (x + width - 1) >> surface->flag_w_log2, y_end = (y + height - 1) >> surface->flag_h_log2;
    for (uint32_t row = y >> surface->flag_h_log2; row <= y_end; row++) {
        const uint32_t x_first = x >> surface->flag_w_log2, last = MIN2(x_end + 1, surface->flag_pitch_B);
        const uint64_t va =
            surface->flag_base + layer * surface->flag_layer_B + (uint64_t)row * surface->flag_pitch_B + x_first;
        const uint32_t count = last > x_first ? last - x_first : 0;
        uint8_t *flags = count > 1 ? gpu_space_whole(access->space, va, count, GPU_PERM_READ | GPU_PERM_WRITE) : NULL;
        if (flags)
            set_plain(flags, count);
        for (uint32_t i = 0; !flags && i < count; i++) {
            uint8_t *flag = find_host(access, va + i, 1);
            if (!flag)
                return false;
            set_plain(flag, 1);
        }
    }
    return true;
}

/* ---- blocks ---- */

#define MACROTILE_W 2u /* blocks */
#define MACROTILE_H 4u

/* Whether nothing is to be done before blocks of the macrotile that a block is in are read or written: their flags say
 * that they are plain. */
static bool is_plain_macrotile(const struct adreno_rb_access *access, uint32_t block_x, uint32_t block_y,
                               uint32_t layer)
{
    const struct adreno_rb_surface *surface = access->surface;
    const uint64_t row = block_y & ~(MACROTILE_H - 1), pitch_B = surface->flag_pitch_B;
    if (!surface->flag_base)
        return true;
    if (!surface->has_marks || pitch_B > GPU_PAGE_SIZE_B / MACROTILE_H) /* each flag is a block's then */
        return false;
    const uint8_t *flags = gpu_space_pointer(access->space,
                                             surface->flag_base + layer * surface->flag_layer_B + row * pitch_B +
                                                 (block_x & ~(MACROTILE_W - 1)),
                                             (uint32_t)((MACROTILE_H - 1) * pitch_B + MACROTILE_W), GPU_PERM_READ);
    uint8_t different = 0;
    for (uint32_t i = 0; flags && i < MACROTILE_H * MACROTILE_W; i++)
        different |= (uint8_t)(__atomic_load_n(flags + i / MACROTILE_W * pitch_B + i % MACROTILE_W, __ATOMIC_RELAXED) ^
                               ADRENO_UBWC_PLAIN);
    __atomic_thread_fence(__ATOMIC_ACQUIRE); /* what was opened by another worker was filled before */
    return flags && !different;
}

static void remember_block(struct adreno_rb_access *access, uint32_t block_x, uint32_t block_y, uint32_t layer,
                           uint8_t *host)
{
    const uint32_t slots_mask = (1u << ADRENO_RB_SLOTS_LOG2) - 1;
    const uint32_t number = (block_x & slots_mask) | (block_y & slots_mask) << ADRENO_RB_SLOTS_LOG2;
    access->slots[number] = (struct adreno_rb_slot){block_x, block_y, layer, host};
    access->valid[number / 64] |= 1ull << number % 64;
}

/* Remembers all blocks of its macrotile: they are of one page, and will be asked for, too. */
static void remember_macrotile(struct adreno_rb_access *access, uint32_t block_x, uint32_t block_y, uint32_t layer,
                               uint8_t *host)
{
    const struct adreno_tile *tile = &access->surface->tile;
    const uint32_t first_x = block_x & ~(MACROTILE_W - 1), first_y = block_y & ~(MACROTILE_H - 1);
    uint8_t *macrotile = host - (tile->x_place[block_x & 7] ^ tile->y_place[block_y & 7]) * ADRENO_TILE_BLOCK_B;
    for (uint32_t y = first_y; y < first_y + MACROTILE_H; y++) {
        for (uint32_t x = first_x; x < first_x + MACROTILE_W; x++)
            remember_block(access, x, y, layer,
                           macrotile + (tile->x_place[x & 7] ^ tile->y_place[y & 7]) * ADRENO_TILE_BLOCK_B);
    }
}

/* A block that was looked up is about to be read or written. False: a fault. */
static bool enter_block(struct adreno_rb_access *access, uint32_t block_x, uint32_t block_y, uint32_t layer,
                        uint8_t *host)
{
    const struct adreno_rb_surface *surface = access->surface;
    const struct adreno_tile *tile = &surface->tile;
    const bool is_together = !access->coherence && host != access->lost &&
                             (surface->base + layer * surface->layer_B) % ADRENO_MACROTILE_B == 0;
    if (is_together && is_plain_macrotile(access, block_x, block_y, layer)) {
        remember_macrotile(access, block_x, block_y, layer, host);
        return true;
    }
    if (surface->has_marks && !access->is_write) {
        const struct adreno_ubwc ubwc = ubwc_of(access->space, surface, layer);
        adreno_ubwc_open_block(&ubwc, block_x, block_y);
    }
    if (access->is_write && !adreno_rb_set_flags(access, block_x << tile->block_w_log2, block_y << tile->block_h_log2,
                                                 1u << tile->block_w_log2, 1u << tile->block_h_log2, layer))
        return false;
    if (host != access->lost)
        remember_block(access, block_x, block_y, layer, host);
    return true;
}

uint8_t *adreno_rb_element_slowly(struct adreno_rb_access *access, int32_t x, int32_t y, uint32_t layer)
{
    const struct adreno_rb_surface *surface = access->surface;
    const struct adreno_tile *tile = &surface->tile;
    if (surface->gmem)
        return find_gmem(access, x, y, layer);
    const uint64_t base = surface->base + layer * surface->layer_B;
    if (!surface->is_tiled)
        return find_memory(access, layer,
                           base + (uint64_t)(uint32_t)y * surface->pitch_B + (uint64_t)(uint32_t)x * surface->element_B,
                           surface->element_B);
    const uint32_t block_x = (uint32_t)x >> tile->block_w_log2, block_y = (uint32_t)y >> tile->block_h_log2;
    const uint32_t first_x = block_x << tile->block_w_log2, first_y = block_y << tile->block_h_log2;
    uint8_t *host =
        find_memory(access, layer, base + adreno_tile_offset_B(tile, first_x, first_y), ADRENO_TILE_BLOCK_B);
    if (!host || !enter_block(access, block_x, block_y, layer, host))
        return NULL;
    return host + ((uint32_t)(adreno_tile_x_order[(uint32_t)x - first_x] | adreno_tile_y_order[(uint32_t)y - first_y])
                   << tile->element_log2);
}

uint8_t *adreno_rb_row(struct adreno_rb_access *access, int32_t x, int32_t y, uint32_t layer, uint32_t count)
{
    const struct adreno_rb_surface *surface = access->surface;
    uint8_t *first = adreno_rb_element_slowly(access, x, y, layer);
    if (!first || count <= 1)
        return first;
    if (surface->gmem) {
        if (__builtin_expect(access->coherence != NULL, 0))
            adreno_rb_note(access, layer, ADRENO_COHERENCE_GMEM + (uint64_t)(first - surface->gmem),
                           (uint64_t)count * surface->element_B);
        return find_gmem(access, x + (int32_t)count - 1, y, layer) ? first : NULL;
    }
    const unsigned need = access->is_write ? GPU_PERM_READ | GPU_PERM_WRITE : GPU_PERM_READ;
    const uint64_t va = surface->base + layer * surface->layer_B + (uint64_t)(uint32_t)y * surface->pitch_B +
                        (uint64_t)(uint32_t)x * surface->element_B;
    if (__builtin_expect(access->coherence != NULL, 0))
        adreno_rb_note(access, layer, va, (uint64_t)count * surface->element_B);
    const uint64_t size_B = (uint64_t)count * surface->element_B;
    uint8_t *row = gpu_space_whole(access->space, va, size_B, need);
    bool has_lost = false;
    for (uint32_t i = 0; !row && i < count; i++) {
        const uint8_t *element = find_memory(access, layer, va + (uint64_t)i * surface->element_B, surface->element_B);
        if (!element)
            return NULL;
        has_lost |= element == access->lost;
    }
    if (row || !has_lost)
        return row ? row : set_fault(access, va, false);
    const bool is_one_page = va >> GPU_PAGE_SHIFT == (va + size_B - 1) >> GPU_PAGE_SHIFT;
    return is_one_page && size_B <= sizeof(access->lost) ? access->lost : NULL;
}
