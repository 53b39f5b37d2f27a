/* Whole draws without a command processor: registers set by hand, shaders assembled here, the target read from memory.
 */
#ifndef AMD_MODEL_TESTS_GE_RIG_H
#define AMD_MODEL_TESTS_GE_RIG_H

#include "amd/model/ge/ge.h"
#include "amd/model/ge/ge_draw.h"

#define BASE_VA 0x100000000ull
#define SIZE_B (16u << 20)
#define CODE_VA BASE_VA
#define TARGET_VA (BASE_VA + (1u << 20))
#define DEPTH_VA (BASE_VA + (8u << 20))
#define INDEX_VA (BASE_VA + (12u << 20))
#define SIZE 128

struct ge_rig {
    struct gpu_space space;
    int fd;
    struct workers *workers;
    struct spi *spi;
    struct ge *ge;
    struct cp_registers registers;
    struct cp_counters counters;
    _Atomic bool killed;
    uint64_t number;   /* of the last draw */
    uint64_t index_va; /* of all draws */
};

#define SET(name, ...) cp_reg_set(&rig->registers, AMD_REG_##name##_GFX10_3, AMD_PACK(AMD_GFX10_3, name, __VA_ARGS__))

extern const char ge_rig_vertex_text[];

void *ge_rig_at(struct ge_rig *rig, uint64_t va);
void ge_rig_assemble(struct ge_rig *rig, uint64_t va, const char *text);
void ge_rig_set_pixels(struct ge_rig *rig, enum amd_SW_MODE mode);
void ge_rig_set_depth(struct ge_rig *rig);
void ge_rig_begin(struct ge_rig *rig, unsigned workers);
void ge_rig_end(struct ge_rig *rig);
/* The draw's pixels may come later. */
bool ge_rig_draw_on(struct ge_rig *rig, uint32_t count, uint32_t instances, bool indexed, struct ge_result *result);
bool ge_rig_draw(struct ge_rig *rig, uint32_t count, uint32_t instances, bool indexed, struct ge_result *result);
const float *ge_rig_texel(struct ge_rig *rig, uint32_t x, uint32_t y);
void ge_rig_expect_picture(struct ge_rig *rig, float third);

#endif
