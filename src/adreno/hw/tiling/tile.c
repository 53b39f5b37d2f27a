/* The equations of TILE6_3. See tile.h. */
#include "adreno/hw/tiling/tile.h"

#include <assert.h>

#include "util/bits.h"

/* x0 goes to bit 0, x1 to bit 2, x2 to x4 to bits 4 to 6. */
#define X_ORDER(x) (((x)&1) | ((x)&2) << 1 | ((x)&28) << 2)
#define X_ORDER8(x)                                                                                                    \
    X_ORDER(x), X_ORDER((x) + 1), X_ORDER((x) + 2), X_ORDER((x) + 3), X_ORDER((x) + 4), X_ORDER((x) + 5),              \
        X_ORDER((x) + 6), X_ORDER((x) + 7)
const uint8_t adreno_tile_x_order[32] = {X_ORDER8(0), X_ORDER8(8), X_ORDER8(16), X_ORDER8(24)};

/* y0 goes to bit 1, y1 to bit 3, y2 to bit 7. */
const uint8_t adreno_tile_y_order[8] = {0, 2, 8, 10, 128, 130, 136, 138};

/* A bit of a block's place in its macrotile: the bits of the block's column and row whose exclusive or it is. */
struct equation {
    uint8_t x, y;
};

enum macrotile {
    MACROTILE_PLAIN,     /* of elements of 16 bytes and more */
    MACROTILE_4CHANNELS, /* of smaller ones, by the chip */
    MACROTILE_8CHANNELS,
};

static const struct equation equations[][3] = {
    [MACROTILE_PLAIN] = {{1, 2}, {1, 3}, {1, 1}},
    [MACROTILE_4CHANNELS] = {{1, 2}, {3, 3}, {1, 1}},
    [MACROTILE_8CHANNELS] = {{1, 2}, {3, 3}, {5, 5}},
};

/* Blocks by the size of their elements, as log2 of width and height. */
static const uint8_t blocks[][2] = {{5, 3}, {5, 2}, {4, 2}, {3, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 0}};

static uint8_t parity(unsigned bits)
{
    return (uint8_t)__builtin_parity(bits);
}

/* Level n of the swizzling mixes a bit of the macrotile's row into a bank's bit, if the rows are a multiple of twice
 * that bit apart; the rows of elements of one byte must be of four times. */
static void init_banks(struct adreno_tile *t, const struct adreno_chip *chip)
{
    static const struct {
        uint8_t level; /* bit of ubwc_swizzle */
        uint8_t row;   /* bit of the macrotile's row */
    } banks[] = {{1, 0}, {2, 1}, {0, 2}};

    t->bank_shift = (uint8_t)(chip->highest_bank_bit - 3); /* bit 2 of a block's row is bit 0 of the macrotile's */
    for (unsigned i = 0; i < ARRAY_SIZE(banks); i++) {
        unsigned apart_log2 = chip->highest_bank_bit + banks[i].row + (t->element_log2 == 0);
        if ((chip->ubwc_swizzle >> banks[i].level & 1) && t->macrotile_row_B % (1ull << apart_log2) == 0)
            t->bank_rows |= (uint8_t)(4u << banks[i].row);
    }
}

struct adreno_tile adreno_tile_init(const struct adreno_chip *chip, uint32_t element_B, uint32_t pitch_B)
{
    struct adreno_tile t = {.element_log2 = (uint8_t)log2_floor(element_B)};
    assert(is_power_of_two(element_B) && t.element_log2 < ARRAY_SIZE(blocks));
    t.block_w_log2 = blocks[t.element_log2][0];
    t.block_h_log2 = blocks[t.element_log2][1];
    t.macrotile_row_B = (uint64_t)pitch_B << (t.block_h_log2 + 2);

    enum macrotile mode = t.element_log2 >= 4         ? MACROTILE_PLAIN
                          : chip->macrotile_mode == 0 ? MACROTILE_4CHANNELS
                                                      : MACROTILE_8CHANNELS;
    for (unsigned block = 0; block < 8; block++) {
        for (unsigned bit = 0; bit < 3; bit++) {
            t.x_place[block] |= (uint8_t)(parity(block & equations[mode][bit].x) << bit);
            t.y_place[block] |= (uint8_t)(parity(block & equations[mode][bit].y) << bit);
        }
    }
    init_banks(&t, chip);
    return t;
}
