/* See ubwc.h. */
#include "adreno/model/ubwc/ubwc.h"

#include <sched.h>
#include <string.h>

#include "util/bits.h"

#define MACROTILE_W 2u /* blocks */
#define MACROTILE_H 4u
#define BOTH (GPU_PERM_READ | GPU_PERM_WRITE)

/* What begins a marked macrotile. The colour stands where it will be; the word after it says what the macrotile is. */
struct mark {
    uint8_t color[ADRENO_UBWC_COLOR_B];
    uint64_t word;
};
#define MARKED 0x9d5c41f7b26ae083ull
#define OPENING 0x63b80ed1942fc75aull /* by one worker, for which others wait */
#define PATIENCE 100000               /* looks at a word that only memory full of such words can keep as it is */

static uint64_t first_word(const uint8_t color[ADRENO_UBWC_COLOR_B])
{
    uint64_t word;
    memcpy(&word, color, sizeof(word));
    return word;
}

bool adreno_ubwc_has_marks(const struct adreno_ubwc *ubwc, uint32_t sample_B, unsigned flag_w_log2,
                           unsigned flag_h_log2)
{
    return sample_B >= 4 && flag_w_log2 == ubwc->tile->block_w_log2 && flag_h_log2 == ubwc->tile->block_h_log2 &&
           ubwc->texels_va % ADRENO_MACROTILE_B == 0 && ubwc->tile->macrotile_row_B % ADRENO_MACROTILE_B == 0 &&
           ubwc->flags_va % MACROTILE_W == 0 && ubwc->flag_pitch_B % MACROTILE_W == 0;
}

bool adreno_ubwc_is_color(const uint8_t color[ADRENO_UBWC_COLOR_B])
{
    const uint64_t word = first_word(color);
    return word != MARKED && word != OPENING;
}

static uint64_t macrotile_B(const struct adreno_tile *tile, uint32_t number, uint32_t row_number)
{
    const uint32_t x = (number * MACROTILE_W) << tile->block_w_log2,
                   y = (row_number * MACROTILE_H) << tile->block_h_log2;
    return (adreno_tile_x_B(tile, x) ^ adreno_tile_y_B(tile, y)) & ~(uint64_t)(ADRENO_MACROTILE_B - 1);
}

static uint64_t flag_va(const struct adreno_ubwc *ubwc, uint32_t column, uint32_t row)
{
    return ubwc->flags_va + (uint64_t)row * ubwc->flag_pitch_B + column;
}

/* ---- marks ---- */

bool adreno_ubwc_mark(const struct adreno_ubwc *ubwc, uint8_t *row, uint32_t row_number, uint32_t first, uint32_t end,
                      const uint8_t color[ADRENO_UBWC_COLOR_B])
{
    const uint32_t last_flag = MIN2(end * MACROTILE_W, ubwc->flag_pitch_B), first_flag = first * MACROTILE_W;
    uint8_t *flags[MACROTILE_H];
    struct mark mark = {.word = MARKED};
    if (first_flag >= last_flag)
        return false;
    for (uint32_t i = 0; i < MACROTILE_H; i++) {
        flags[i] = gpu_space_whole(ubwc->space, flag_va(ubwc, first_flag, row_number * MACROTILE_H + i),
                                   last_flag - first_flag, BOTH);
        if (!flags[i])
            return false;
    }
    memcpy(mark.color, color, sizeof(mark.color));
    for (uint32_t i = first; i < end; i++)
        memcpy(row + macrotile_B(ubwc->tile, i, row_number), &mark, sizeof(mark));
    for (uint32_t i = 0; i < MACROTILE_H; i++)
        memset(flags[i], ADRENO_UBWC_SOLID, last_flag - first_flag);
    return true;
}

/* ---- opening ---- */

static void fill(uint8_t *macrotile)
{
    uint8_t color[ADRENO_UBWC_COLOR_B];
    memcpy(color, macrotile, sizeof(color));
    for (uint32_t at = 2 * sizeof(color); at < ADRENO_MACROTILE_B; at += sizeof(color))
        memcpy(macrotile + at, color, sizeof(color));
    memcpy(macrotile + sizeof(struct mark), color + sizeof(uint64_t), sizeof(color) - sizeof(uint64_t));
}

static void open_macrotile(const struct adreno_ubwc *ubwc, uint32_t number, uint32_t row_number)
{
    const uint64_t at_B = row_number * ubwc->tile->macrotile_row_B + macrotile_B(ubwc->tile, number, row_number);
    uint8_t *host = gpu_space_pointer(ubwc->space, ubwc->texels_va + at_B, ADRENO_MACROTILE_B, BOTH);
    if (host) {
        uint64_t *word = (uint64_t *)(void *)(host + ADRENO_UBWC_COLOR_B), seen = MARKED;
        if (__atomic_compare_exchange_n(word, &seen, OPENING, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
            fill(host);
            __atomic_store_n(word, first_word(host), __ATOMIC_RELEASE);
        }
        for (unsigned i = 0; i < PATIENCE && seen == OPENING; i++) {
            sched_yield();
            seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
        }
    }
    for (uint32_t i = 0; i < MACROTILE_H && !ubwc->is_guess; i++) {
        const uint64_t va = flag_va(ubwc, number * MACROTILE_W, row_number * MACROTILE_H + i);
        uint8_t *flags = gpu_space_pointer(ubwc->space, va, MACROTILE_W, BOTH);
        for (uint32_t j = 0; flags && j < MACROTILE_W; j++)
            __atomic_store_n(flags + j, ADRENO_UBWC_PLAIN, __ATOMIC_RELEASE);
    }
}

void adreno_ubwc_open_block(const struct adreno_ubwc *ubwc, uint32_t column, uint32_t row)
{
    const uint8_t *flag = gpu_space_pointer(ubwc->space, flag_va(ubwc, column, row), 1, GPU_PERM_READ);
    if (flag && __atomic_load_n(flag, __ATOMIC_ACQUIRE) == ADRENO_UBWC_SOLID)
        open_macrotile(ubwc, column / MACROTILE_W, row / MACROTILE_H);
}

/* The flags of one row of blocks are those of all four. */
static void open_row(const struct adreno_ubwc *ubwc, uint32_t first, uint32_t end, uint32_t row)
{
    const uint64_t va = flag_va(ubwc, first, row);
    const uint8_t *flags = gpu_space_whole(ubwc->space, va, end - first, GPU_PERM_READ);
    if (!flags) { /* page by page; what has no memory is not marked */
        for (uint32_t column = first; column < end; column++)
            adreno_ubwc_open_block(ubwc, column, row);
        return;
    }
    for (uint32_t at = 0; at < end - first; at++) {
        const uint8_t *next = memchr(flags + at, ADRENO_UBWC_SOLID, end - first - at);
        if (!next)
            break;
        at = (uint32_t)(next - flags);
        adreno_ubwc_open_block(ubwc, first + at, row);
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

void adreno_ubwc_open(const struct adreno_ubwc *ubwc, uint32_t first_column, uint32_t first_row, uint32_t end_column,
                      uint32_t end_row)
{
    end_column = MIN2(end_column, ubwc->flag_pitch_B);
    if (first_column >= end_column)
        return;
    for (uint32_t row = first_row; row < end_row; row = (row / MACROTILE_H + 1) * MACROTILE_H)
        open_row(ubwc, first_column, end_column, row);
}
