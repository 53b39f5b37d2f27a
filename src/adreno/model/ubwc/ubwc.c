/* See ubwc.h. */
#include "adreno/model/ubwc/ubwc.h"

#include <sched.h>
#include <string.h>

#include "util/bits.h"

#define MACROTILE_W 2u /* blocks */
#define MACROTILE_H 4u
#define BOTH (GPU_PERM_READ | GPU_PERM_WRITE)

/* The beginning of each line of a marked macrotile. The colour stands where it will be; the word after it says what
 * the macrotile is. */
struct mark {
    uint8_t color[ADRENO_UBWC_COLOR_B];
    uint64_t word;
};
#define MARKED 0x9d5c41f7b26ae083ull
#define OPENING 0x63b80ed1942fc75aull /* by one worker, for which others wait */
#define LEADING 0xc81f5ea20d7b9600ull /* of as many as the lowest byte says, itself included */
#define PATIENCE 100000               /* looks at a word that only memory full of such words can keep as it is */

/* Macrotiles of a row whose numbers differ in these bits only can have one mark, at the first of them. */
#define GROUP 32u

/* Which line of a macrotile that is: marks of neighbours, which are a power of two apart, share no place in a
 * processor's cache then. */
#define LINE_B 64u
static uint32_t mark_B(uint32_t number, uint32_t row_number)
{
    return (row_number * 3 + number / GROUP) * LINE_B % ADRENO_MACROTILE_B;
}

static uint64_t first_word(const uint8_t color[ADRENO_UBWC_COLOR_B])
{
    uint64_t word;
    memcpy(&word, color, sizeof(word));
    return word;
}

/* How many macrotiles a mark with this word is for, if it leads any. */
static uint32_t led_by(uint64_t word)
{
    return (word & ~0xffull) == LEADING ? (uint32_t)MIN2(word & 0xff, GROUP) : 0;
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
    return word != MARKED && word != OPENING && !led_by(word);
}

static uint64_t macrotile_B(const struct adreno_tile *tile, uint32_t number, uint32_t row_number)
{
    const uint32_t x = (number * MACROTILE_W) << tile->block_w_log2, y = (row_number * MACROTILE_H)
                                                                         << tile->block_h_log2;
    return (adreno_tile_x_B(tile, x) ^ adreno_tile_y_B(tile, y)) & ~(uint64_t)(ADRENO_MACROTILE_B - 1);
}

static uint64_t flag_va(const struct adreno_ubwc *ubwc, uint32_t column, uint32_t row)
{
    return ubwc->flags_va + (uint64_t)row * ubwc->flag_pitch_B + column;
}

/* Memory that the GPU may read: opening changes what stands there, not what it means, so nobody has to be allowed to
 * write. Where nothing is resident, nothing is marked. */
static uint8_t *find_bytes(const struct adreno_ubwc *ubwc, uint64_t va, uint32_t size_B)
{
    uint8_t *host = gpu_space_pointer(ubwc->space, va, size_B, GPU_PERM_READ);
    return host && !gpu_space_pointer(ubwc->space, va, size_B, GPU_PERM_READ | GPU_PERM_RESIDENT) ? host : NULL;
}

/* A macrotile's mark, if it has one. NULL: it cannot have. */
static struct mark *find_mark(const struct adreno_ubwc *ubwc, uint32_t number, uint32_t row_number)
{
    const uint64_t at_B = row_number * ubwc->tile->macrotile_row_B + macrotile_B(ubwc->tile, number, row_number);
    uint8_t *macrotile = find_bytes(ubwc, ubwc->texels_va + at_B, ADRENO_MACROTILE_B);
    return macrotile ? (struct mark *)(void *)(macrotile + mark_B(number, row_number)) : NULL;
}

static bool is_solid(const struct adreno_ubwc *ubwc, uint32_t column, uint32_t row)
{
    const uint8_t *flag = gpu_space_pointer(ubwc->space, flag_va(ubwc, column, row), 1, GPU_PERM_READ);
    return flag && __atomic_load_n(flag, __ATOMIC_ACQUIRE) == ADRENO_UBWC_SOLID;
}

/* The word of a macrotile that nobody is opening. */
static uint64_t settled_word(const struct mark *mark)
{
    uint64_t word = __atomic_load_n(&mark->word, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; i < PATIENCE && word == OPENING; i++) {
        sched_yield();
        word = __atomic_load_n(&mark->word, __ATOMIC_ACQUIRE);
    }
    return word;
}

/* ---- groups ---- */

/* Give every macrotile of a group a mark of its own. Flags that were guessed do not say who has left the group: nobody
 * has, for only memory of which nothing is known can have flags that the mark does not know of. */
static void split_group(const struct adreno_ubwc *ubwc, struct mark *leader, uint64_t word, uint32_t first,
                        uint32_t row_number)
{
    struct mark mark = {.word = MARKED};
    if (!__atomic_compare_exchange_n(&leader->word, &word, OPENING, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
        settled_word(leader);
        return;
    }
    memcpy(mark.color, leader->color, sizeof(mark.color));
    for (uint32_t i = first + 1; i < first + led_by(word); i++) {
        struct mark *own = find_mark(ubwc, i, row_number);
        if (own && (ubwc->is_guess || is_solid(ubwc, i * MACROTILE_W, row_number * MACROTILE_H)))
            memcpy(own, &mark, sizeof(mark));
    }
    __atomic_store_n(&leader->word, MARKED, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_RELEASE); /* texels that are written over the leader come later, too */
}

/* Split the group of a macrotile, unless all of it is among first to end - 1 or none of it is. */
static void split_beyond(const struct adreno_ubwc *ubwc, uint32_t number, uint32_t row_number, uint32_t first,
                         uint32_t end)
{
    const uint32_t leading = number & ~(GROUP - 1);
    if (leading >= first && leading + GROUP <= end)
        return;
    struct mark *leader = find_mark(ubwc, leading, row_number);
    const uint64_t word = leader ? settled_word(leader) : 0;
    const uint32_t group_end = leading + led_by(word);
    if (group_end > first && (leading < first || group_end > end))
        split_group(ubwc, leader, word, leading, row_number);
}

void adreno_ubwc_own(const struct adreno_ubwc *ubwc, uint32_t first, uint32_t end, uint32_t row_number)
{
    const uint32_t last_column = MIN2(end * MACROTILE_W, ubwc->flag_pitch_B) - 1, row = row_number * MACROTILE_H;
    if (is_solid(ubwc, first * MACROTILE_W, row))
        split_beyond(ubwc, first, row_number, first, end);
    if (is_solid(ubwc, last_column, row))
        split_beyond(ubwc, last_column / MACROTILE_W, row_number, first, end);
}

/* The colour stands at the mark of a macrotile that has one or a group, also while it is opened and after that: who
 * comes too late for the word finds the same bytes. */
bool adreno_ubwc_color(const struct adreno_ubwc *ubwc, uint32_t column, uint32_t row,
                       uint8_t color[ADRENO_UBWC_COLOR_B])
{
    const uint32_t number = column / MACROTILE_W, leading = number & ~(GROUP - 1), row_number = row / MACROTILE_H;
    if (!is_solid(ubwc, column, row))
        return false;
    const struct mark *mark = find_mark(ubwc, leading, row_number);
    if (!mark || leading + led_by(settled_word(mark)) <= number) {
        mark = find_mark(ubwc, number, row_number);
        if (!mark || settled_word(mark) != MARKED)
            return false;
    }
    memcpy(color, mark->color, ADRENO_UBWC_COLOR_B);
    return true;
}

bool adreno_ubwc_any(const struct adreno_ubwc *ubwc, uint32_t first_column, uint32_t end_column, uint32_t row)
{
    end_column = MIN2(end_column, ubwc->flag_pitch_B);
    if (first_column >= end_column)
        return false;
    const uint32_t count = end_column - first_column;
    const uint8_t *flags = gpu_space_whole(ubwc->space, flag_va(ubwc, first_column, row), count, GPU_PERM_READ);
    return !flags || memchr(flags, ADRENO_UBWC_SOLID, count);
}

/* ---- marks ---- */

static void mark_row(const struct adreno_ubwc *ubwc, uint8_t *row, uint32_t row_number, uint32_t first, uint32_t end,
                     struct mark mark)
{
    if (first % GROUP || end % GROUP)
        adreno_ubwc_own(ubwc, first, end, row_number);
    for (uint32_t i = first, next; i < end; i = next) {
        const uint32_t group_end = MIN2((i | (GROUP - 1)) + 1, end);
        next = i % GROUP ? i + 1 : group_end;
        mark.word = next - i > 1 ? LEADING | (next - i) : MARKED;
        memcpy(row + macrotile_B(ubwc->tile, i, row_number) + mark_B(i, row_number), &mark, sizeof(mark));
    }
}

bool adreno_ubwc_mark(const struct adreno_ubwc *ubwc, uint8_t *rows, uint32_t row_number, uint32_t row_count,
                      uint32_t first, uint32_t end, const uint8_t color[ADRENO_UBWC_COLOR_B])
{
    const uint32_t last_flag = MIN2(end * MACROTILE_W, ubwc->flag_pitch_B), first_flag = first * MACROTILE_W;
    struct mark mark = {.word = MARKED};
    if (first_flag >= last_flag)
        return false;
    const uint64_t flag_rows = (uint64_t)row_count * MACROTILE_H;
    const uint32_t width = last_flag - first_flag;
    uint8_t *flags = gpu_space_whole(ubwc->space, flag_va(ubwc, first_flag, row_number * MACROTILE_H),
                                     (flag_rows - 1) * ubwc->flag_pitch_B + width, BOTH);
    if (!flags)
        return false;
    memcpy(mark.color, color, sizeof(mark.color));
    for (uint32_t i = 0; i < row_count; i++)
        mark_row(ubwc, rows + i * ubwc->tile->macrotile_row_B, row_number + i, first, end, mark);
    if (width == ubwc->flag_pitch_B) {
        memset(flags, ADRENO_UBWC_SOLID, flag_rows * width);
        return true;
    }
    for (uint64_t i = 0; i < flag_rows; i++)
        memset(flags + i * ubwc->flag_pitch_B, ADRENO_UBWC_SOLID, width);
    return true;
}

/* ---- opening ---- */

/* All of a macrotile but the mark's word. */
static void fill_macrotile(struct mark *mark, uint32_t mark_at_B)
{
    uint8_t *macrotile = (uint8_t *)mark - mark_at_B, color[ADRENO_UBWC_COLOR_B];
    memcpy(color, mark->color, sizeof(color));
    for (uint32_t at = 0; at < mark_at_B; at += sizeof(color))
        memcpy(macrotile + at, color, sizeof(color));
    for (uint32_t at = mark_at_B + 2 * sizeof(color); at < ADRENO_MACROTILE_B; at += sizeof(color))
        memcpy(macrotile + at, color, sizeof(color));
    memcpy(mark + 1, color + sizeof(uint64_t), sizeof(color) - sizeof(uint64_t));
}

static void open_macrotile(const struct adreno_ubwc *ubwc, uint32_t number, uint32_t row_number)
{
    split_beyond(ubwc, number, row_number, number, number + 1);
    struct mark *mark = find_mark(ubwc, number, row_number);
    if (mark) {
        uint64_t seen = MARKED;
        if (__atomic_compare_exchange_n(&mark->word, &seen, OPENING, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
            fill_macrotile(mark, mark_B(number, row_number));
            __atomic_store_n(&mark->word, first_word(mark->color), __ATOMIC_RELEASE);
        }
        settled_word(mark);
    }
    for (uint32_t i = 0; i < MACROTILE_H && !ubwc->is_guess; i++) {
        uint8_t *flags =
            find_bytes(ubwc, flag_va(ubwc, number * MACROTILE_W, row_number * MACROTILE_H + i), MACROTILE_W);
        for (uint32_t j = 0; flags && j < MACROTILE_W; j++)
            __atomic_store_n(flags + j, ADRENO_UBWC_PLAIN, __ATOMIC_RELEASE);
    }
}

void adreno_ubwc_open_block(const struct adreno_ubwc *ubwc, uint32_t column, uint32_t row)
{
    if (is_solid(ubwc, column, row))
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
