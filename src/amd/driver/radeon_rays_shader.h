/* Pieces that the shaders of acceleration structures are built of. Floats are vertices and boxes: a NaN says that
 * something is not active, so arithmetic on them must keep NaNs, and comparisons are of bits. */
#ifndef AMD_DRIVER_RADEON_RAYS_SHADER_H
#define AMD_DRIVER_RADEON_RAYS_SHADER_H

#include "amd/driver/radeon_rays.h"
#include "compiler/ir/ir_builder.h"
#include "vulkan/meta/vk_meta_build.h"

#define RAYS_NAN 0x7fc00000u

/* Begins a shader whose invocations are numbered from 0 on, and gives the number; those beyond the count in word 0 of
 * the push constants do nothing: an if is open until rays_end. */
static inline struct ir_value *rays_begin(struct ir_builder *b)
{
    struct ir_value *ids[3];
    b->flags |= IR_FLAG_EXACT | IR_FLAG_NAN_INF;
    b->shader->floats.denorm_preserve[1] = true; /* of 32 bits */
    b->shader->workgroup_size[0] = RADEON_RAYS_GROUP;
    b->shader->workgroup_size[1] = b->shader->workgroup_size[2] = 1;
    vk_meta_ids(b, ids);
    ir_builder_push_if(b, ir_ult(b, ids[0], vk_meta_push(b, 0)));
    return ids[0];
}

static inline void rays_end(struct ir_builder *b)
{
    ir_builder_pop_if(b);
}

static inline struct ir_value *rays_word(struct ir_builder *b, uint32_t value)
{
    return ir_const(b, 32, value);
}

/* va + index * stride_B. A structure and its scratch memory are buffers, and these have 32 bits of bytes. */
static inline struct ir_value *rays_at(struct ir_builder *b, struct ir_value *va, struct ir_value *index,
                                       uint32_t stride_B)
{
    return ir_iadd(b, va, ir_u2u(b, 64, ir_imul(b, index, rays_word(b, stride_B))));
}

static inline struct ir_value *rays_load(struct ir_builder *b, struct ir_value *va, uint32_t offset_B)
{
    return ir_load_global(b, 32, 1, va, offset_B, 4, 0, 0);
}

static inline void rays_load_words(struct ir_builder *b, struct ir_value *va, uint32_t offset_B, uint32_t count,
                                   struct ir_value **words_out)
{
    struct ir_value *loaded = ir_load_global(b, 32, (uint8_t)count, va, offset_B, 4, 0, 0);
    for (uint32_t i = 0; i < count; i++)
        words_out[i] = ir_extract(b, loaded, i);
}

static inline void rays_store(struct ir_builder *b, struct ir_value *va, uint32_t offset_B, struct ir_value *word)
{
    ir_store_global(b, word, va, offset_B, 4, 0, 0);
}

/* By four; the place is a multiple of 16 bytes. */
static inline void rays_store_words(struct ir_builder *b, struct ir_value *va, uint32_t offset_B, uint32_t count,
                                    struct ir_value *const *words)
{
    for (uint32_t i = 0; i < count; i += 4)
        ir_store_global(b, ir_vec(b, 4, words + i), va, offset_B + i * 4, 16, 0, 0);
}

static inline struct ir_value *rays_is_nan(struct ir_builder *b, struct ir_value *value)
{
    return ir_ult(b, rays_word(b, 0x7f800000), ir_iand(b, value, rays_word(b, 0x7fffffff)));
}

static inline void rays_load_box(struct ir_builder *b, struct ir_value *va, struct ir_value *box_out[6])
{
    rays_load_words(b, va, 0, 3, box_out);
    rays_load_words(b, va, 12, 3, box_out + 3);
}

/* The numbers of two boxes, of which one or both may be none. */
static inline void rays_join(struct ir_builder *b, struct ir_value *box[6], struct ir_value *const other[6])
{
    for (uint32_t i = 0; i < 3; i++) {
        box[i] = ir_fmin(b, box[i], other[i]);
        box[3 + i] = ir_fmax(b, box[3 + i], other[3 + i]);
    }
}

#endif
