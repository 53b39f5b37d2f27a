/* Colour targets of random_fs: formats, blending, logic operations and write masks. The usual ones, and any. */
#ifndef ADRENO_MODEL_PC_TESTS_RANDOM_TARGETS_H
#define ADRENO_MODEL_PC_TESTS_RANDOM_TARGETS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/format/format.h"

struct random_target {
    uint8_t number; /* of the format, to the hardware */
    bool is_srgb;
    const struct format_info *info;
    uint32_t control, blend; /* RB_MRT_CONTROL, RB_MRT_BLEND_CONTROL */
};

/* Of 16 bytes, as they come. */
void random_target_plain(struct random_target *target);
/* Targets that programs are joined with by code of its own. */
void random_target_usual(struct random_target *target);
/* `may_be_dual`: by two outputs. */
void random_target_any(struct random_target *target, bool may_be_dual);

/* Whether elements are the same but for which NaN their channels are. */
bool random_target_is_same(const struct random_target *target, const uint8_t *a, const uint8_t *b);

#endif
