/* Copies between images of several samples by draws, for families whose shaders cannot store to such images: a fragment
 * shader runs for each sample and writes what it fetches. Colours are moved as unsigned integers of their size. */
#include "compiler/ir/ir_builder.h"
#include "vulkan/meta/vk_meta_build.h"
#include "vulkan/runtime/memory/vk_image.h"

struct samples_push {
    float depth;       /* of the rectangle; not used */
    int32_t offset[2]; /* from a pixel to the source's */
    int32_t layer;
};
enum {
    SAMPLES_OFFSET = 1, /* words */
    SAMPLES_LAYER = 3
};

/* The aspect [7:0]. */
static void build_samples(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)ops;
    struct ir_value *pixel = ir_load_sysval(b, 32, 4, IR_SYSVAL_frag_coord);
    struct ir_value *sample = ir_load_sysval(b, 32, 1, IR_SYSVAL_sample_id);
    struct ir_value *at[3];
    b->shader->sysvals_read |= 1ull << IR_SYSVAL_frag_coord | 1ull << IR_SYSVAL_sample_id;
    for (uint32_t i = 0; i < 2; i++) {
        struct ir_value *place = ir_f2i(b, 32, ir_ffloor(b, ir_extract(b, pixel, i)));
        at[i] = ir_iadd(b, place, vk_meta_push(b, SAMPLES_OFFSET + i));
    }
    at[2] = vk_meta_push(b, SAMPLES_LAYER);
    vk_meta_output(b, key, key & 0xff, vk_meta_fetch(b, VK_META_MS, at, sample));
}

static struct vk_meta_view view_of(const struct vk_meta_side *side)
{
    struct vk_meta_view view = vk_meta_view(side->image, side->aspect, side->level, side->first[2]);
    if (side->aspect == VK_IMAGE_ASPECT_COLOR_BIT)
        view.format = vk_meta_raw_format(side->element_B);
    return view;
}

void vk_meta_copy_samples(struct vk_command_buffer *cmd, const struct vk_meta_image_copy *copy)
{
    const struct vk_meta_side *src = &copy->src, *dst = &copy->dst;
    const struct vk_meta_binding binding = {VK_META_SAMPLED_IMAGE, .view = view_of(src)};
    const struct vk_meta_view target = view_of(dst);
    struct samples_push push = {
        .offset = {(int32_t)src->first[0] - (int32_t)dst->first[0], (int32_t)src->first[1] - (int32_t)dst->first[1]}};
    struct vk_meta_rectangle rectangle = {
        .rect = {{(int32_t)dst->first[0], (int32_t)dst->first[1]}, {copy->extent[0], copy->extent[1]}}, .layers = 1};
    uint64_t key = VK_META_KEY(VK_META_COPY_SAMPLES, dst->aspect);
    struct vk_meta_saved saved;
    if (dst->aspect == VK_IMAGE_ASPECT_COLOR_BIT)
        key |= vk_meta_target_key(vk_meta_ops_of(cmd), target.format, 0);
    struct vk_graphics_pipeline *pipeline = vk_meta_pipeline(cmd, key, build_samples);
    vk_meta_draw_begin(cmd, &saved);
    vk_meta_bind(cmd, &binding, 1);
    vk_meta_set_target(cmd, &saved, &target, dst->layout);
    vk_meta_depth_state(cmd, dst->aspect, 0);
    for (uint32_t i = 0; i < copy->extent[2]; i++) {
        rectangle.first_layer = i;
        push.layer = (int32_t)i;
        vk_meta_draw(cmd, pipeline, &rectangle, &push, sizeof(push));
    }
    vk_meta_draw_end(cmd, &saved);
}
