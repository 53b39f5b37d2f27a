/* Programs whose lanes do not look at each other, but for the four of a quad: which lanes make a wave cannot be seen in
 * what they give. */
#ifndef ADRENO_MODEL_SP_LANEWISE_H
#define ADRENO_MODEL_SP_LANEWISE_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_space;

/* The program at `va`, up to the end that no branch goes beyond. Its preamble, which runs once for a launch, does not
 * count. */
bool adreno_sp_is_lanewise(const struct gpu_space *space, uint64_t va);

#endif
