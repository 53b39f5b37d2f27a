/* vkCmdBlitImage2: a rectangle of the destination is drawn, one layer or slice after the other, by a fragment shader
 * that reads the source where the scaled, possibly mirrored, place falls. The target converts formats. Nearest texels
 * are fetched by whole numbers, so that no sampler rounds them; linear ones are the sampler's. */
#include <math.h>

#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta_build.h"
#include "vulkan/meta/vk_meta_entrypoints.h"
#include "vulkan/runtime/descriptor/vk_sampler.h"
#include "vulkan/runtime/memory/vk_image.h"

/* ---- the shader ---- */

struct blit_push {
    float depth;                    /* of the rectangle; not used */
    float dst[2], scale[2], src[2]; /* src + (pixel - dst) * scale */
    union {
        int32_t last[2]; /* nearest: the last texel */
        float normal[2]; /* linear: one over the extent */
    };
    union {
        int32_t layer;    /* or slice */
        float layer_real; /* linear: not rounded; a slice normalised */
    };
};
enum {
    BLIT_DST = 1, /* words */
    BLIT_SCALE = 3,
    BLIT_SRC = 5,
    BLIT_LIMIT = 7,
    BLIT_LAYER = 9
};

/* enum vk_meta_shape [7:0], linear [8], the aspect [19:12]. */
#define BLIT_KEY(shape, linear, aspect) ((uint64_t)(shape) | (uint64_t)(linear) << 8 | (uint64_t)(aspect) << 12)

/* The scaled place in the source, in texels. */
static struct ir_value *scaled_place(struct ir_builder *b, struct ir_value *pixel, uint32_t axis)
{
    struct ir_value *from = ir_fadd(b, ir_extract(b, pixel, axis), ir_fneg(b, vk_meta_push(b, BLIT_DST + axis)));
    return ir_ffma(b, from, vk_meta_push(b, BLIT_SCALE + axis), vk_meta_push(b, BLIT_SRC + axis));
}

static struct ir_value *nearest(struct ir_builder *b, enum vk_meta_shape shape, struct ir_value *const place[2])
{
    struct ir_value *at[3];
    for (uint32_t i = 0; i < 2; i++) {
        struct ir_value *texel = ir_f2i(b, 32, ir_ffloor(b, place[i]));
        at[i] = ir_imax(b, ir_imin(b, texel, vk_meta_push(b, BLIT_LIMIT + i)), ir_const(b, 32, 0));
    }
    at[2] = vk_meta_push(b, BLIT_LAYER);
    return vk_meta_fetch(b, shape, at, NULL);
}

static struct ir_value *filtered(struct ir_builder *b, enum vk_meta_shape shape, struct ir_value *const place[2])
{
    struct ir_value *parts[3], *values[2];
    uint32_t count = 0;
    for (uint32_t i = 0; i < (shape == VK_META_1D ? 1 : 2); i++)
        parts[count++] = ir_fmul(b, place[i], vk_meta_push(b, BLIT_LIMIT + i));
    parts[count++] = vk_meta_push(b, BLIT_LAYER);
    values[0] = ir_vec(b, count, parts);
    values[1] = ir_const_f(b, 32, 0.0);
    struct ir_value *sampler = ir_resource(b, ir_const(b, 32, 0), 0, 1, IR_RESOURCE_sampler);
    return ir_tex(b, 32, 4, vk_meta_texture(b, 0), sampler, 2, values, IR_TEX_KIND_sample_lod, vk_meta_dim(shape),
                  shape != VK_META_3D, 1u << IR_TEX_lod, 0, 0);
}

static void build_blit(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)ops;
    enum vk_meta_shape shape = key & 0xff;
    bool linear = key >> 8 & 1;
    struct ir_value *pixel = ir_load_sysval(b, 32, 4, IR_SYSVAL_frag_coord);
    b->shader->sysvals_read |= 1ull << IR_SYSVAL_frag_coord;
    struct ir_value *place[2] = {scaled_place(b, pixel, 0), scaled_place(b, pixel, 1)};
    vk_meta_output(b, key, key >> 12 & 0xff, linear ? filtered(b, shape, place) : nearest(b, shape, place));
}

/* ---- a region ---- */

/* One axis of a region, turned so that the destination ascends. */
struct axis {
    int32_t dst0, dst1, src0, src1;
};

static struct axis turned(int32_t dst0, int32_t dst1, int32_t src0, int32_t src1)
{
    return dst0 <= dst1 ? (struct axis){dst0, dst1, src0, src1} : (struct axis){dst1, dst0, src1, src0};
}

static double scale_of(const struct axis *axis)
{
    return (double)(axis->src1 - axis->src0) / (double)(axis->dst1 - axis->dst0);
}

/* The common part of a region's draws. */
struct blit {
    struct vk_image *src, *dst;
    enum vk_meta_shape shape; /* of the source */
    VkExtent3D extent;        /* of the source's level */
    bool linear;
    struct axis x, y, z;
};

static bool blit_init(struct blit *blit, const VkBlitImageInfo2 *info, const VkImageBlit2 *region)
{
    const VkOffset3D *to = region->dstOffsets, *from = region->srcOffsets;
    blit->src = vk_image_from_handle(info->srcImage);
    blit->dst = vk_image_from_handle(info->dstImage);
    blit->shape = vk_meta_shape(blit->src);
    blit->extent = vk_image_level_extent(blit->src, region->srcSubresource.mipLevel);
    blit->linear = info->filter != VK_FILTER_NEAREST;
    blit->x = turned(to[0].x, to[1].x, from[0].x, from[1].x);
    blit->y = turned(to[0].y, to[1].y, from[0].y, from[1].y);
    blit->z = turned(to[0].z, to[1].z, from[0].z, from[1].z);
    return blit->x.dst0 != blit->x.dst1 && blit->y.dst0 != blit->y.dst1 && blit->z.dst0 != blit->z.dst1;
}

static void fill_plane(struct blit_push *push, const struct blit *blit)
{
    const struct axis *axes[2] = {&blit->x, &blit->y};
    const uint32_t extent[2] = {blit->extent.width, blit->extent.height};
    for (int i = 0; i < 2; i++) {
        push->dst[i] = (float)axes[i]->dst0;
        push->src[i] = (float)axes[i]->src0;
        push->scale[i] = (float)scale_of(axes[i]);
        if (blit->linear)
            push->normal[i] = 1.0f / (float)extent[i];
        else
            push->last[i] = (int32_t)extent[i] - 1;
    }
}

/* The layer or slice of the source that belongs to the destination's `index`-th. Layers are not scaled; all slices of a
 * volume come from one layer of anything else. */
static void fill_slice(struct blit_push *push, const struct blit *blit, uint32_t index)
{
    double place = blit->dst->type == VK_IMAGE_TYPE_3D ? 0 : index;
    if (blit->shape == VK_META_3D) {
        place = blit->z.src0 + (index + 0.5) * scale_of(&blit->z);
        place = blit->linear ? place / blit->extent.depth : MIN2(MAX2(floor(place), 0.0), blit->extent.depth - 1.0);
    }
    if (blit->linear)
        push->layer_real = (float)place;
    else
        push->layer = (int32_t)place;
}

static void draw_layers(struct vk_command_buffer *cmd, const struct blit *blit, VkImageAspectFlagBits aspect,
                        uint32_t first, uint32_t count)
{
    struct blit_push push = {0};
    uint64_t key = VK_META_KEY(VK_META_BLIT, BLIT_KEY(blit->shape, blit->linear, aspect));
    if (aspect == VK_IMAGE_ASPECT_COLOR_BIT)
        key |= vk_meta_target_key(vk_meta_ops_of(cmd), blit->dst->format, 0);
    struct vk_graphics_pipeline *pipeline = vk_meta_pipeline(cmd, key, build_blit);
    struct vk_meta_rectangle rectangle = {
        .rect = {{blit->x.dst0, blit->y.dst0},
                 {(uint32_t)(blit->x.dst1 - blit->x.dst0), (uint32_t)(blit->y.dst1 - blit->y.dst0)}},
        .layers = 1,
    };
    fill_plane(&push, blit);
    for (uint32_t i = 0; i < count; i++) {
        rectangle.first_layer = first + i;
        fill_slice(&push, blit, i);
        vk_meta_draw(cmd, pipeline, &rectangle, &push, sizeof(push));
    }
}

static void blit_aspect(struct vk_command_buffer *cmd, struct vk_meta_saved *saved, const struct blit *blit,
                        const VkBlitImageInfo2 *info, const VkImageBlit2 *region, VkImageAspectFlagBits aspect,
                        const struct vk_sampler *sampler)
{
    const VkImageSubresourceLayers *from = &region->srcSubresource, *to = &region->dstSubresource;
    const struct vk_meta_binding bindings[] = {
        {VK_META_SAMPLED_IMAGE, .view = vk_meta_view(blit->src, aspect, from->mipLevel, from->baseArrayLayer)},
        {VK_META_SAMPLER, .sampler = sampler},
    };
    const struct vk_meta_view target = vk_meta_view(blit->dst, aspect, to->mipLevel, to->baseArrayLayer);
    vk_meta_bind(cmd, bindings, ARRAY_SIZE(bindings));
    vk_meta_set_target(cmd, saved, &target, info->dstImageLayout);
    vk_meta_depth_state(cmd, aspect, 0);
    if (blit->dst->type == VK_IMAGE_TYPE_3D)
        draw_layers(cmd, blit, aspect, (uint32_t)blit->z.dst0, (uint32_t)(blit->z.dst1 - blit->z.dst0));
    else
        draw_layers(cmd, blit, aspect, 0, vk_image_copy_layer_count(blit->dst, to));
}

VKAPI_ATTR void VKAPI_CALL vk_meta_CmdBlitImage2(VkCommandBuffer handle, const VkBlitImageInfo2 *info)
{
    struct vk_command_buffer *cmd = vk_command_buffer_from_handle(handle);
    struct vk_meta_saved saved;
    struct vk_sampler sampler;
    vk_sampler_init(cmd->base.device, &sampler,
                    &(const VkSamplerCreateInfo){
                        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                        .magFilter = info->filter,
                        .minFilter = info->filter,
                        .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                        .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                        .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                    });
    vk_meta_draw_begin(cmd, &saved);
    for (uint32_t i = 0; i < info->regionCount; i++) {
        const VkImageBlit2 *region = &info->pRegions[i];
        struct blit blit;
        if (!blit_init(&blit, info, region))
            continue;
        bits_foreach (region->dstSubresource.aspectMask, bit)
            blit_aspect(cmd, &saved, &blit, info, region, (VkImageAspectFlagBits)(1u << bit), &sampler);
    }
    vk_meta_draw_end(cmd, &saved);
}
