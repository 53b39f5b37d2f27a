/* See sq_memory_span.h. */
#include "amd/model/sq/sq_memory_span.h"

#define MOST_PAGES                                                                                                     \
    32 /* between the lowest and the highest lane: checking more costs more than looking at each lane's own */

/* for (i over all lanes of the wave), in groups that become host vectors */
#define FOR_LANES(lanes, i)                                                                                            \
    for (size_t group_ = 0; group_ < (lanes); group_ += LANES_GROUP)                                                   \
    LANES_INDEPENDENT for (size_t i = group_; i < group_ + LANES_GROUP; i++)

static void add_offsets(struct sq_span *span, const uint32_t *offsets, uint32_t add_B, size_t lanes)
{
    if (!offsets) {
        lanes_splat(span->offset_B, add_B, (unsigned)lanes);
        return;
    }
    FOR_LANES(lanes, i)
    span->offset_B[i] = offsets[i] + add_B;
}

static void find_bounds(const struct sq_span *span, size_t lanes, uint32_t *low_out, uint32_t *high_out)
{
    uint32_t low = UINT32_MAX, high = 0;
    FOR_LANES(lanes, i)
    {
        low = span->offset_B[i] < low ? span->offset_B[i] : low;
        high = span->offset_B[i] > high ? span->offset_B[i] : high;
    }
    *low_out = low;
    *high_out = high;
}

/* The lowest and the highest offset of active lanes in range. The others get the lowest offset of these, where
 * reading does no harm. */
static void find_valid(const struct sq_wave *wave, struct sq_span *span, uint32_t last_B, uint32_t *low_out,
                       uint32_t *high_out)
{
    uint32_t low = UINT32_MAX, high = 0, any = 0;
    const uint32_t *active = wave->exec_lanes;
    if (wave->exec_full) {
        FOR_LANES(wave->lanes, i)
        span->valid[i] = span->offset_B[i] <= last_B ? UINT32_MAX : 0;
    } else {
        FOR_LANES(wave->lanes, i)
        span->valid[i] = active[i] & (span->offset_B[i] <= last_B ? UINT32_MAX : 0);
    }
    FOR_LANES(wave->lanes, i)
    {
        uint32_t above = span->offset_B[i] | ~span->valid[i], below = span->offset_B[i] & span->valid[i];
        any |= span->valid[i];
        low = above < low ? above : low;
        high = below > high ? below : high;
    }
    span->none = !any;
    FOR_LANES(wave->lanes, i)
    span->offset_B[i] = (span->offset_B[i] & span->valid[i]) | (low & ~span->valid[i]);
    *low_out = low;
    *high_out = high;
}

static bool are_neighbours(const uint32_t *offsets, size_t lanes, uint32_t size_B)
{
    uint32_t different = 0;
    if (offsets[lanes - 1] - offsets[0] != (uint32_t)(lanes - 1) * size_B)
        return false;
    for (size_t i = 0; i + 1 < lanes; i++)
        different |= (offsets[i + 1] - offsets[i]) ^ size_B;
    return !different;
}

/* All lanes active, in range and side by side, as most are: then nothing needs to be known of each. */
static bool find_neighbours(const struct sq_wave *wave, const uint32_t *offsets, uint32_t add_B, uint32_t last_B,
                            uint32_t size_B, struct sq_span *span, uint32_t *low_out, uint32_t *high_out)
{
    if (!wave->exec_full || !offsets || !are_neighbours(offsets, wave->lanes, size_B))
        return false;
    uint32_t low = offsets[0] + add_B, high = low + (wave->lanes - 1) * size_B;
    if (high < low || high > last_B)
        return false;
    span->offset_B[0] = *low_out = low;
    *high_out = high;
    return true;
}

uint8_t *amd_sq_span_host(const struct gpu_space *space, uint64_t base_va, uint32_t low, uint32_t high, uint32_t size_B,
                          unsigned need)
{
    uint64_t first_va = base_va + low;
    const struct gpu_window *window = gpu_space_window(space, first_va);
    uint64_t first_B = first_va - window->base_va, last_B = first_B + (high - low) + size_B - 1;
    if (first_B >= window->size_B || last_B >= window->size_B)
        return NULL;
    uint64_t first_page = first_B >> GPU_PAGE_SHIFT, last_page = last_B >> GPU_PAGE_SHIFT;
    if (last_page - first_page >= MOST_PAGES)
        return NULL;
    unsigned perms = need;
    uint64_t page = first_page, eight = need * 0x0101010101010101ull, all = eight;
    for (; page + 8 <= last_page + 1; page += 8) {
        uint64_t here;
        memcpy(&here, &window->perms[page], sizeof(here));
        all &= here;
    }
    for (; page <= last_page; page++)
        perms &= __atomic_load_n(&window->perms[page], __ATOMIC_RELAXED);
    /* A base may lie before the window that its lanes are in: this is a number until a lane's offset is added. */
    return perms == need && all == eight ? (uint8_t *)((uintptr_t)window->host + (uintptr_t)(base_va - window->base_va))
                                         : NULL;
}

/* Everything but where it is. */
static void find_lanes(const struct sq_wave *wave, const uint32_t *offsets, uint32_t add_B, uint32_t last_B,
                       bool any_in_range, uint32_t size_B, struct sq_span *span, uint32_t *low_out, uint32_t *high_out)
{
    span->none = false;
    span->size_B = size_B;
    span->all = span->neighbours =
        any_in_range && find_neighbours(wave, offsets, add_B, last_B, size_B, span, low_out, high_out);
    if (span->neighbours)
        return;
    add_offsets(span, offsets, add_B, wave->lanes);
    if (wave->exec_full && any_in_range) {
        find_bounds(span, wave->lanes, low_out, high_out);
        span->all = *high_out <= last_B;
    }
    if (!any_in_range) {
        memset(span->valid, 0, wave->lanes * sizeof(span->valid[0]));
        span->none = true;
    } else if (!span->all) {
        find_valid(wave, span, last_B, low_out, high_out);
    }
}

bool amd_sq_span_find(const struct sq_wave *wave, uint64_t base_va, const uint32_t *offsets, uint32_t add_B,
                      uint32_t last_B, bool any_in_range, uint32_t size_B, unsigned need, struct sq_span *span)
{
    uint32_t low = 0, high = 0;
    if (__builtin_expect(wave->coherence != NULL, 0)) /* then each lane is looked at */
        return false;
    find_lanes(wave, offsets, add_B, last_B, any_in_range, size_B, span, &low, &high);
    if (span->none)
        return true;
    span->host = amd_sq_span_host(wave->memory, base_va, low, high, size_B, need);
    return span->host != NULL;
}

void amd_sq_span_find_shared(const struct sq_wave *wave, uint8_t *data, uint32_t data_B, const uint32_t *offsets,
                             uint32_t add_B, uint32_t size_B, struct sq_span *span)
{
    uint32_t low = 0, high = 0;
    bool any = data && size_B <= data_B;
    find_lanes(wave, offsets, add_B, any ? data_B - size_B : 0, any, size_B, span, &low, &high);
    span->host = data;
}

bool amd_sq_span_is_whole(const struct sq_wave *wave, const struct sq_span *span)
{
    uint32_t missing = 0;
    if (span->all)
        return true;
    if (span->none)
        return false;
    if (wave->exec_full) {
        FOR_LANES(wave->lanes, i)
        missing |= ~span->valid[i];
    } else {
        const uint32_t *active = wave->exec_lanes;
        FOR_LANES(wave->lanes, i)
        missing |= active[i] & ~span->valid[i];
    }
    return !missing;
}

/* ---- moving ---- */

static inline uint32_t load32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static void load_row(const struct sq_wave *wave, const struct sq_span *span, const uint8_t *host, uint32_t *row)
{
    if (span->all) {
        for (unsigned i = 0; i < wave->lanes; i++)
            row[i] = load32(host + span->offset_B[i]);
        return;
    }
    uint32_t values[LANES_MAX];
    for (unsigned i = 0; i < wave->lanes; i++)
        values[i] = load32(host + span->offset_B[i]);
    if (wave->exec_full) {
        FOR_LANES(wave->lanes, i)
        row[i] = values[i] & span->valid[i];
    } else {
        const uint32_t *active = wave->exec_lanes;
        FOR_LANES(wave->lanes, i)
        row[i] = (values[i] & span->valid[i]) | (row[i] & ~active[i]);
    }
}

static void load_neighbours(const struct sq_wave *wave, const uint8_t *at, uint32_t *rows, unsigned dwords)
{
    size_t lanes = wave->lanes;
    if (dwords == 1) {
        memcpy(rows, at, lanes * 4);
        return;
    }
    for (size_t i = 0; i < lanes; i++) {
        for (unsigned row = 0; row < dwords; row++)
            rows[row * lanes + i] = load32(at + (i * dwords + row) * 4);
    }
}

static void load_none(const struct sq_wave *wave, uint32_t *row)
{
    if (wave->exec_full) {
        memset(row, 0, wave->lanes * 4);
        return;
    }
    const uint32_t *active = wave->exec_lanes;
    FOR_LANES(wave->lanes, i)
    row[i] &= ~active[i];
}

void amd_sq_span_load(const struct sq_wave *wave, const struct sq_span *span, uint32_t *rows, unsigned dwords)
{
    if (span->neighbours) {
        load_neighbours(wave, span->host + span->offset_B[0], rows, dwords);
        return;
    }
    for (unsigned row = 0; row < dwords; row++) {
        if (span->none)
            load_none(wave, rows + row * wave->lanes);
        else
            load_row(wave, span, span->host + row * 4, rows + row * wave->lanes);
    }
}

/* Two to four rows, of four lanes at a time: their words become those of each lane. */
static inline __attribute__((always_inline)) void store_lanes(const struct sq_wave *wave, const struct sq_span *span,
                                                              const uint32_t *rows, unsigned dwords)
{
    typedef uint32_t uint4 __attribute__((vector_size(16)));
    for (unsigned first = 0; first < wave->lanes; first += 4) {
        uint4 row[4] = {{0}}, lane[4];
        for (unsigned n = 0; n < dwords; n++)
            memcpy(&row[n], rows + n * wave->lanes + first, sizeof(row[n]));
        const uint4 low_xy = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5),
                    high_xy = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7),
                    low_zw = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5),
                    high_zw = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
        lane[0] = __builtin_shufflevector(low_xy, low_zw, 0, 1, 4, 5);
        lane[1] = __builtin_shufflevector(low_xy, low_zw, 2, 3, 6, 7);
        lane[2] = __builtin_shufflevector(high_xy, high_zw, 0, 1, 4, 5);
        lane[3] = __builtin_shufflevector(high_xy, high_zw, 2, 3, 6, 7);
        for (unsigned k = 0; k < 4; k++) {
            const unsigned i = first + k;
            if (span->all || span->valid[i])
                memcpy(span->host + (span->neighbours ? span->offset_B[0] + i * span->size_B : span->offset_B[i]),
                       &lane[k], dwords * 4);
        }
    }
}

/* Lane by lane, for where two write the same word, the higher one's stays. */
void amd_sq_span_store(const struct sq_wave *wave, const struct sq_span *span, const uint32_t *rows, unsigned dwords)
{
    if (span->none)
        return;
    if (span->neighbours && dwords == 1) {
        memcpy(span->host + span->offset_B[0], rows, wave->lanes * 4);
        return;
    }
    switch (dwords) {
    case 2:
        store_lanes(wave, span, rows, 2);
        return;
    case 3:
        store_lanes(wave, span, rows, 3);
        return;
    case 4:
        store_lanes(wave, span, rows, 4);
        return;
    default:
        break;
    }
    for (unsigned i = 0; i < wave->lanes; i++) {
        if (!span->all && !span->valid[i])
            continue;
        uint8_t *at = span->host + (span->neighbours ? span->offset_B[0] + i * span->size_B : span->offset_B[i]);
        for (unsigned row = 0; row < dwords; row++)
            memcpy(at + row * 4, &rows[row * wave->lanes + i], 4);
    }
}

void amd_sq_span_places(const struct sq_wave *wave, const struct sq_span *span, struct sq_places *places)
{
    for (unsigned i = 0; i < wave->lanes; i++) {
        uint32_t offset_B = span->neighbours ? span->offset_B[0] + i * span->size_B : span->offset_B[i];
        places->at[i] = !span->none && (span->all || span->valid[i]) ? span->host + offset_B : NULL;
    }
}
