/* Metadata of targets between the files that know it (cb_meta.c, cb_dcc.c). All of these: false is a fault or a
 * stop. */
#ifndef AMD_MODEL_CB_META_H
#define AMD_MODEL_CB_META_H

#include "amd/model/cb/cb.h"

/* The 256 bytes around a pixel's sample. */
bool amd_cb_dcc_expand(struct cb *cb, unsigned target, uint32_t x, uint32_t y, uint32_t slice, unsigned sample);

/* Samples of 8 by 8 pixels, of a surface that has blocks; nobody will read what the others held before, nor, if they
 * are `overwritten`, what these did. */
bool amd_cb_dcc_expand_samples(struct cb *cb, unsigned target, uint32_t x, uint32_t y, uint32_t slice, unsigned first,
                               unsigned end, bool overwritten);

/* 8 by 8 pixels have one code and share it with no other. */
bool amd_cb_dcc_is_one_code(const struct cb_target *target);

/* Of a tile's blocks of 8 by 8 pixels those that are left to expand one by one: others have been, or, if they are
 * `overwritten`, have become so here. Then they share no code with a block that keeps what it holds. */
uint64_t amd_cb_dcc_expand_blocks(struct cb *cb, unsigned target, struct cb_tile *tile, uint64_t blocks,
                                  bool overwritten);

#endif
