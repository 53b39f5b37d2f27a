/* See lrz.h. */
#include "adreno/hw/tiling/lrz.h"

#include "util/bits.h"

/* How samples are spread out, by log2 of their number: factors of width and height. */
static const uint8_t spread[][2] = {{1, 1}, {1, 2}, {2, 2}, {2, 4}};

struct adreno_lrz adreno_lrz_init(const struct adreno_chip *chip, uint32_t width, uint32_t height, uint32_t samples,
                                  uint32_t layers)
{
    const uint8_t *factor = spread[log2_floor(samples) & 3];
    uint32_t columns = (uint32_t)div_round_up((uint64_t)width * factor[0], ADRENO_LRZ_PIXELS);
    uint32_t rows = (uint32_t)div_round_up((uint64_t)height * factor[1], ADRENO_LRZ_PIXELS);
    struct adreno_lrz lrz = {.pitch = (uint32_t)align_u64(columns, 32), .height = (uint32_t)align_u64(rows, 32)};
    lrz.layer_B = lrz.pitch * lrz.height * 2;
    lrz.size_B = (uint64_t)lrz.layer_B * layers;
    if (chip->has_lrz_fast_clear || chip->has_lrz_direction) {
        lrz.state_B = lrz.size_B;
        lrz.size_B += ADRENO_LRZ_STATE_B;
    }
    uint64_t bits = div_round_up(columns, ADRENO_LRZ_CLEAR_W) * div_round_up(rows, ADRENO_LRZ_CLEAR_H);
    uint64_t bytes = div_round_up(bits, 8) * layers;
    if (chip->has_lrz_fast_clear && bytes <= ADRENO_LRZ_CLEAR_B)
        lrz.clear_bytes = (uint32_t)bytes;
    return lrz;
}
