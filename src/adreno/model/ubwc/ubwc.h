/* Macrotiles of one colour in surfaces with UBWC. A fill does not write the 2 KiB of a macrotile but a mark among
 * them: the bytes that are repeated, and a word that nothing else writes. The flags of its eight blocks say SOLID.
 * Whoever reads or writes texels opens their macrotiles before: then they are as a plain fill would have left them, and
 * their flags say so. The hardware's codes are not public; these are ours.
 *
 * Up to 32 neighbours in a row, from a multiple of 32 on, have one mark: of a group only its first macrotile is
 * written. Whoever opens one of them, or writes over a part of them, gives each a mark of its own before.
 *
 * A macrotile is marked or plain as a whole, and the mark decides: where a flag says SOLID of a macrotile that has none
 * (memory of which nothing is known), nothing happens. Workers may open the same one at once; to mark it, or to write
 * it whole without opening it, it must be one worker's own, and its group split (adreno_ubwc_own) or all of it that
 * worker's.
 *
 * Not for: elements below four bytes, whose flags are for other blocks than those of 256 bytes. */
#ifndef ADRENO_MODEL_UBWC_H
#define ADRENO_MODEL_UBWC_H

#include <stdbool.h>
#include <stdint.h>

#include "adreno/hw/tiling/tile.h"
#include "model/memory.h"

/* A flag's statement about its block. */
enum adreno_ubwc_code {
    ADRENO_UBWC_PLAIN = 1, /* texels stand there as they would without UBWC */
    ADRENO_UBWC_SOLID = 2, /* they may be all the same */
};

#define ADRENO_UBWC_COLOR_B 16 /* what a mark repeats */

/* One level of one layer. */
struct adreno_ubwc {
    const struct gpu_space *space;
    const struct adreno_tile *tile;
    uint64_t texels_va, flags_va;
    uint32_t flag_pitch_B;
    bool is_guess; /* these may be another level's flags: they stay as they are */
};

/* Whether macrotiles of it may be marked at all: flags of this size (log2 of pixels) are one for each block. */
bool adreno_ubwc_has_marks(const struct adreno_ubwc *ubwc, uint32_t sample_B, unsigned flag_w_log2,
                           unsigned flag_h_log2);

/* Can this be a mark's colour? */
bool adreno_ubwc_is_color(const uint8_t color[ADRENO_UBWC_COLOR_B]);

/* Macrotiles first to end - 1 of a row of them will be written without being opened: marks that they share with others
 * are split. */
void adreno_ubwc_own(const struct adreno_ubwc *ubwc, uint32_t first, uint32_t end, uint32_t row_number);

/* Mark macrotiles first to end - 1 of some rows of them, of which `rows` is where the host has them, all of them.
 * False: not all flags have memory; then nothing is marked. */
bool adreno_ubwc_mark(const struct adreno_ubwc *ubwc, uint8_t *rows, uint32_t row_number, uint32_t row_count,
                      uint32_t first, uint32_t end, const uint8_t color[ADRENO_UBWC_COLOR_B]);

/* Open the macrotile that a block belongs to, by its column and row. */
void adreno_ubwc_open_block(const struct adreno_ubwc *ubwc, uint32_t column, uint32_t row);

/* Without opening it: whether the block's macrotile is marked, and the colour of all of it. */
bool adreno_ubwc_color(const struct adreno_ubwc *ubwc, uint32_t column, uint32_t row,
                       uint8_t color[ADRENO_UBWC_COLOR_B]);

/* Whether any of these blocks of a row may be marked. */
bool adreno_ubwc_any(const struct adreno_ubwc *ubwc, uint32_t first_column, uint32_t end_column, uint32_t row);

/* Open all that have any of these blocks; both ends exclusive. */
void adreno_ubwc_open(const struct adreno_ubwc *ubwc, uint32_t first_column, uint32_t first_row, uint32_t end_column,
                      uint32_t end_row);

#endif
